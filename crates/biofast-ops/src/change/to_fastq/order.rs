//! Whether an input's records stand together by template.

use std::collections::HashSet;

use biofast_bam::{Fold, Header, flag};
use biofast_io::{Options, Source};

/// Bytes of BAM that are looked at where the header doesn't say anything.
const SNIFFED: usize = 1 << 20;

/// Whether records of the same name stand together in `source`, whose header is given. It stays
/// unread.
///
/// The header says so, or that the records are sorted by coordinate. If it says neither, they
/// stand together if they do among the first ones.
pub fn is_grouped(header: &Header, source: &mut Source) -> bool {
    if header.is_grouped_by_name() {
        return true;
    }
    if header.is_sorted_by_coordinate() {
        return false;
    }
    // What can't be read is told by who reads it all.
    let bytes = source.peek(SNIFFED).unwrap_or_default();
    let copy = Source::from_adapter(source.name(), std::io::Cursor::new(bytes));
    let look =
        Fold::new(copy).options(&Options { allow_missing_eof: true, ..Options::serial() }).run(
            Look::default,
            |look, batch| batch.iter().for_each(|r| look.see(r.name(), r.flags())),
            |_, _| (),
        );
    let look = match look {
        Ok((_, look)) => look,
        // The last record is cut.
        Err(fault) => fault.so_far,
    };
    look.pairs > 0 && look.apart == 0
}

#[derive(Default)]
struct Look {
    last: Vec<u8>,
    seen: HashSet<Vec<u8>>,
    /// Mates that stand together.
    pairs: u64,
    /// Names that came again after others.
    apart: u64,
}

impl Look {
    fn see(&mut self, name: &[u8], flags: u16) {
        if flags & (flag::SECONDARY | flag::SUPPLEMENTARY) != 0 || flags & flag::PAIRED == 0 {
            return;
        }
        if self.last == name {
            self.pairs += 1;
            return;
        }
        self.apart += u64::from(!self.seen.insert(name.to_vec()));
        self.last.clear();
        self.last.extend_from_slice(name);
    }
}

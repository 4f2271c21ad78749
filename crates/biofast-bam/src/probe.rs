//! Whether a record starts where an index says so, seen by its first bytes alone.

use std::io::{Read, Result, Seek, SeekFrom};

use biofast_io::bgzf::{self, Block, Inflater, Parsed, VirtualOffset};

use crate::fixed::FIXED_LEN;
use crate::framer::next_record;
use crate::index::{Expected, Index, follows};
use crate::region::Regions;

/// The most bytes a BGZF block can have.
pub(crate) const LONGEST_BLOCK: u64 = 65_536;

/// What is at a place of BAM in BGZF.
enum ProbeOutcome {
    /// The end of the data.
    End,
    /// A record, by its reference and position.
    Record(i32, i32),
    /// Nothing that could be a record.
    Nothing,
    /// The blocks can't be inflated: whoever reads them says so.
    Damaged,
}

/// Looks into a file.
struct Probe<'a, R> {
    file: &'a mut R,
    references: i32,
    inflater: Inflater,
    stored: Vec<u8>,
    data: Vec<u8>,
}

impl<R: Read + Seek> Probe<'_, R> {
    /// What starts at `at`.
    fn look(&mut self, at: VirtualOffset) -> Result<ProbeOutcome> {
        self.data.clear();
        let mut block = at.compressed();
        let mut within = usize::from(at.within());
        // A record may go on in the next block, and empty blocks may come before it.
        while self.data.len() < within + 4 + FIXED_LEN {
            self.stored.clear();
            self.file.seek(SeekFrom::Start(block))?;
            self.file.by_ref().take(LONGEST_BLOCK).read_to_end(&mut self.stored)?;
            if self.stored.is_empty() {
                let is_end = block > at.compressed() || within == 0;
                let rest = self.data.len().checked_sub(within);
                return Ok(if is_end && rest == Some(0) {
                    ProbeOutcome::End
                } else {
                    ProbeOutcome::Nothing
                });
            }
            let header = match bgzf::parse_header(&self.stored) {
                Parsed::Block(header) if header.block_len <= self.stored.len() => header,
                Parsed::Block(_) | Parsed::NeedMore(_) | Parsed::Invalid(_) => {
                    return Ok(ProbeOutcome::Damaged);
                }
                Parsed::OtherGzip | Parsed::NotGzip => return Ok(ProbeOutcome::Nothing),
            };
            let Ok(found) = Block::new(&self.stored, 0, header, block) else {
                return Ok(ProbeOutcome::Damaged);
            };
            let before = self.data.len();
            self.data.resize(before + found.inflated_len, 0);
            let (out, stored) = (&mut self.data[before..], &self.stored[..header.block_len]);
            if self.inflater.inflate(stored, &[found], out).is_err() {
                return Ok(ProbeOutcome::Damaged);
            }
            if within > self.data.len() {
                return Ok(ProbeOutcome::Nothing);
            }
            self.data.drain(..within);
            within = 0;
            block += header.block_len as u64;
        }
        let word = |at: usize| {
            let bytes = self.data.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            i32::from_le_bytes(bytes.unwrap_or_default())
        };
        Ok(match next_record(&self.data, self.references) {
            Ok(_) => ProbeOutcome::Record(word(4), word(8)),
            Err(_) => ProbeOutcome::Nothing,
        })
    }
}

/// Whether an index is that of a file, as far as the index itself and some records tell that are expected in certain places: the first one of
/// the file, the one that follows the last one with a reference, and those around the first regions. `records` is where records
/// start. Says what doesn't fit.
pub(crate) fn fits(
    file: &mut (impl Read + Seek),
    (references, records): (usize, VirtualOffset),
    index: &Index,
    regions: &Regions,
) -> Result<std::result::Result<(), String>> {
    if index.reference_count() != references {
        let count = index.reference_count();
        return Ok(Err(format!("it has {count} references, but the file has {references}")));
    }
    if let Some(why) = index.contradiction(regions) {
        return Ok(Err(why.into()));
    }
    let len = file.seek(SeekFrom::End(0))?;
    let mut probe = Probe {
        file,
        // The framer has checked that.
        references: i32::try_from(references).unwrap_or(i32::MAX),
        inflater: Inflater::new(),
        stored: Vec::new(),
        data: Vec::new(),
    };
    if index.end().is_some_and(|end| end.compressed() > len) {
        return Ok(Err("it points past the end of the file".into()));
    }
    let start = probe.look(records)?;
    match (start, index.start()) {
        (ProbeOutcome::Record(reference, _), None) if reference >= 0 => {
            return Ok(Err("it lists no records, but the file has some".into()));
        }
        (ProbeOutcome::Record(reference, _), Some(first))
            if reference < 0 || !follows(records, first) =>
        {
            return Ok(Err("it doesn't start at the first record of the file".into()));
        }
        (ProbeOutcome::End, Some(_)) => {
            return Ok(Err("it lists records, but the file has none".into()));
        }
        _ => {}
    }
    if let Some(end) = index.end() {
        let found = probe.look(end)?;
        let has_more = matches!(found, ProbeOutcome::Record(..));
        if index.counts().is_some_and(|(_, unplaced)| (unplaced > 0) != has_more)
            && !matches!(found, ProbeOutcome::Damaged | ProbeOutcome::Nothing)
        {
            return Ok(Err("it counts other records without a reference than the file has".into()));
        }
        match found {
            ProbeOutcome::Record(reference, _) if reference >= 0 => {
                return Ok(
                    Err("the file has more records than it lists, or different ones".into()),
                );
            }
            ProbeOutcome::Nothing => {
                return Ok(Err("no record ends where its last record should".into()));
            }
            ProbeOutcome::End | ProbeOutcome::Record(..) | ProbeOutcome::Damaged => {}
        }
    }
    for Expected { at, reference, positions } in index.expected(regions) {
        let is_it = match probe.look(at)? {
            ProbeOutcome::Record(found, position) => {
                let position = i64::from(position);
                usize::try_from(found) == Ok(reference)
                    && (position == -1 || position >= positions.start && position < positions.end)
            }
            ProbeOutcome::Damaged => true,
            ProbeOutcome::End | ProbeOutcome::Nothing => false,
        };
        if !is_it {
            return Ok(Err(format!("the record at {at} is not the one it lists")));
        }
    }
    Ok(Ok(()))
}

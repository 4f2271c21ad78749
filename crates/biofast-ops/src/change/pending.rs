//! Text that is written in any pieces and taken in whole records.

use std::io;

/// What of a text hasn't been taken yet: the beginning of a record, whose end is still to come.
#[derive(Default)]
pub(super) struct Pending(Vec<u8>);

impl Pending {
    /// Hands `take` what was left with `text` behind it, and keeps what it leaves: it says how many bytes it took.
    pub(super) fn add<E>(
        &mut self,
        text: &[u8],
        take: impl FnOnce(&[u8]) -> Result<usize, E>,
    ) -> Result<(), E> {
        if self.0.is_empty() {
            let taken = take(text)?;
            self.0.extend_from_slice(&text[taken..]);
        } else {
            self.0.extend_from_slice(text);
            let taken = take(&self.0)?;
            self.0.drain(..taken);
        }
        Ok(())
    }
}

/// What a stream says once its sink has taken `text`. The first error of the sink is kept in `problem`: the stream's own says only that
/// there is one.
pub(super) fn taken_or_kept<E>(
    taken: Result<(), E>,
    problem: &mut Option<E>,
    text: &[u8],
    what: &'static str,
) -> io::Result<usize> {
    match taken {
        Ok(()) => Ok(text.len()),
        Err(error) => {
            problem.get_or_insert(error);
            Err(io::Error::other(what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let text = b"one\ntwo\n\nfour\nfi";
        for size in 1..=text.len() {
            let (mut pending, mut lines) = (Pending::default(), Vec::new());
            for piece in text.chunks(size) {
                let taken = pending.add(piece, |text| {
                    let whole = text.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
                    lines.extend_from_slice(&text[..whole]);
                    Ok::<_, ()>(whole)
                });
                assert_eq!(taken, Ok(()));
            }
            assert_eq!(lines, b"one\ntwo\n\nfour\n", "in pieces of {size}");
            assert_eq!(pending.0, b"fi");
        }
    }
}

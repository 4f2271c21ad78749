//! Reads with what is found in them coloured, for terminals.

use super::find::Within;
use super::hit::Hit;
use biofast_fastq::Record;

/// Colours of patterns in turn, as parameters of "select graphic rendition" (ECMA-48): bold red, green, yellow, blue, magenta, cyan.
const COLOURS: [u8; 6] = [31, 32, 33, 34, 35, 36];
const PLAIN: &[u8] = b"\x1b[0m";

/// The escape codes that switch to the color of a pattern, counted from 0, and back. There are six colors, used in
/// turn.
pub fn colour(pattern: usize) -> (String, &'static str) {
    (format!("\x1b[1;{}m", COLOURS[pattern % COLOURS.len()]), "\x1b[0m")
}

/// Appends a record with its hits coloured, of FASTQ as four lines, of FASTA as two.
pub(super) fn append(text: &mut Vec<u8>, record: &Record<'_>, within: Within, hits: &[Hit]) {
    text.push(if record.has_qualities() { b'@' } else { b'>' });
    match within {
        Within::Sequence => {
            text.extend_from_slice(record.definition());
            text.push(b'\n');
            paint(text, record.sequence(), hits);
        }
        Within::Name | Within::Definition => {
            paint(text, record.definition(), hits);
            text.push(b'\n');
            text.extend_from_slice(record.sequence());
        }
    }
    if record.has_qualities() {
        text.extend_from_slice(b"\n+\n");
        text.extend_from_slice(record.qualities());
    }
    text.push(b'\n');
}

/// Where hits overlap, the later pattern is seen.
fn paint(text: &mut Vec<u8>, letters: &[u8], hits: &[Hit]) {
    let mut colours = vec![0u8; letters.len()];
    for hit in hits {
        let painted = colours.get_mut(hit.start..hit.start + hit.len).unwrap_or_default();
        painted.fill(COLOURS[hit.pattern % COLOURS.len()]);
    }
    let mut at = 0;
    for run in colours.chunk_by(|a, b| a == b) {
        let letters = &letters[at..at + run.len()];
        at += run.len();
        match run.first() {
            Some(&colour @ 1..) => {
                text.extend_from_slice(format!("\x1b[1;{colour}m").as_bytes());
                text.extend_from_slice(letters);
                text.extend_from_slice(PLAIN);
            }
            _ => text.extend_from_slice(letters),
        }
    }
}

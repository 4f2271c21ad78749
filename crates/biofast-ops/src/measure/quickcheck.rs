//! Whether files of alignments start and end as they should, as `samtools quickcheck` asks: nothing between is read.

use std::path::Path;

use biofast_bam::{self as bam, Error, ErrorKind, Format, InputOptions};
use biofast_io::bgzf::EOF_BLOCK;
use biofast_io::remote::{Ranged, open_len};
use biofast_io::{Container, Location, Options, Source};

/// What is checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuickCheck {
    /// Whether a header without reference sequences passes.
    pub unmapped: bool,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuickFault {
    /// It holds no alignments, or its header can't be read.
    #[error("{}", .0.kind())]
    Start(Error),
    /// Its header has no reference sequences.
    #[error("the header has no reference sequences")]
    NoReferences,
    /// Its end-of-file marker is missing.
    #[error("the end-of-file marker is missing; the file may be truncated")]
    NoEnd,
}

impl QuickCheck {
    /// Checks an input, which has its end at `path`; without one, the start alone.
    ///
    /// ```
    /// use biofast_io::Source;
    /// use biofast_ops::quickcheck::{QuickCheck, QuickFault};
    ///
    /// let sam = &b"@HD\tVN:1.6\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n"[..];
    /// let faults = QuickCheck::default().run(Source::from_reader("example", sam), None)?;
    /// assert!(matches!(faults[..], [QuickFault::NoReferences]));
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it can't be read.
    pub fn run(&self, source: Source, path: Option<&Path>) -> Result<Vec<QuickFault>, Error> {
        let name = source.name().to_owned();
        let options = Options::serial();
        let mut faults = Vec::new();
        let mut format = None;
        let header = bam::Input::open(source, &InputOptions::new(&options)).and_then(|input| {
            format = Some(input.format);
            bam::peek_header(input.source)
        });
        match header {
            Ok((header, _)) if header.references().is_empty() && !self.unmapped => {
                faults.push(QuickFault::NoReferences);
            }
            Ok(_) => {}
            Err(error) if is_of_system(&error) => return Err(error),
            Err(error) => {
                // Of anything else nobody knows how it ends.
                let is_other = matches!(error.kind(), ErrorKind::NotAlignments(_));
                faults.push(QuickFault::Start(error));
                if is_other {
                    return Ok(faults);
                }
            }
        }
        let Some(path) = path else { return Ok(faults) };
        let has_end = has_end(path, format).map_err(|error| {
            let kind = biofast_io::ErrorKind::Io(error);
            biofast_io::Error::new(kind, Location::in_input(&name[..].into()))
        })?;
        if !has_end {
            faults.push(QuickFault::NoEnd);
        }
        Ok(faults)
    }
}

fn is_of_system(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Io(error) => matches!(
            error.kind(),
            biofast_io::ErrorKind::Io(_)
                | biofast_io::ErrorKind::NotAFile(_)
                | biofast_io::ErrorKind::NoInput
        ),
        _ => false,
    }
}

/// Whether a file ends with the marker of its format, if that has one; of what can't be looked at, nothing is said.
fn has_end(path: &Path, format: Option<Format>) -> std::io::Result<bool> {
    let Some(len) = open_len(path) else { return Ok(true) };
    let file = Ranged::open(path)?;
    let mut start = [0; 26];
    let n = file.read_at(&mut start, 0)?;
    let ends_with = |marker: &[u8]| -> std::io::Result<bool> {
        let mut end = vec![0; marker.len()];
        let from = len.saturating_sub(marker.len() as u64);
        let n = file.read_at(&mut end, from)?;
        // htslib has written other bits there.
        if let (true, Some(bits)) = (format == Some(Format::Cram), end.get_mut(8)) {
            *bits &= 0x0f;
        }
        Ok(n == marker.len() && end == marker)
    };
    match (format, &start[..n]) {
        (Some(Format::Cram), _) => match start[4..6] {
            [2, 0] | [0 | 1, _] => Ok(true),
            [2, _] => ends_with(&CRAM_2_END),
            _ => ends_with(&CRAM_3_END),
        },
        (_, start) if Container::sniff(start) == Container::Bgzf => ends_with(&EOF_BLOCK),
        _ => Ok(true),
    }
}

/// The end-of-file container of CRAM 2.1 …
const CRAM_2_END: [u8; 30] =
    *b"\x0b\0\0\0\xff\xff\xff\xff\x0f\xe0EOF\0\0\0\0\x01\0\0\x01\0\x06\x06\x01\0\x01\0\x01\0";

/// … and that of CRAM 3.
const CRAM_3_END: [u8; 38] = *b"\x0f\0\0\0\xff\xff\xff\xff\x0f\xe0EOF\0\0\0\0\x01\0\x05\xbd\xd9O\0\x01\0\x06\x06\x01\0\x01\0\x01\0\xee\x63\x01\x4b";

//! One way in for all formats.

use std::path::PathBuf;

use biofast_io::{Options, Source};

use crate::cram::CramToBam;
use crate::error::Error;
use crate::format::Format;
use crate::sam::SamToBam;

/// How to open alignments of any format.
#[derive(Clone, Debug)]
pub struct InputOptions<'a> {
    /// How to read. `threads` are shared between converting SAM or CRAM and what is done with
    /// the records; `strict` makes a missing end-of-file block or container an error.
    pub io: &'a Options,
    /// A FASTA file with the reference sequences, for CRAM.
    pub reference: Option<PathBuf>,
    /// Whether sequences, and the tags MD and NM that follow from them, will be looked at. If
    /// not, CRAM without `reference` can be read, its bases given as `=` where they equal the
    /// reference.
    pub sequences: bool,
}

/// Alignments of any format as BAM bytes.
pub struct Input {
    /// What the input holds.
    pub format: Format,
    /// Its records as BAM: the input itself, or what an adapter makes of it while it is read.
    pub source: Source,
}

impl Input {
    /// Recognises the format of `source` by content.
    ///
    /// # Errors
    /// If nothing can be read, or the data are of no alignment format. What is wrong with the
    /// records is said by whoever reads them, after those before have been delivered.
    pub fn open(mut source: Source, options: &InputOptions<'_>) -> Result<Input, Error> {
        let format = Format::sniff(&mut source)?;
        let name = source.name().to_owned();
        let source = match format {
            Format::Bam => source,
            Format::Sam => Source::from_adapter(&name, SamToBam::new(source, options.io)?),
            Format::Cram => Source::from_adapter(&name, CramToBam::new(source, options)?),
        };
        Ok(Input { format, source })
    }
}

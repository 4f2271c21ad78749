//! Where alignments go, and in which format.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_bam::{self as bam, CramOptions, CramVersion, Header, Losses};
use biofast_io::output::{Compression, Format, Level, Output};
use biofast_ops::number::counted;
use clap::ValueEnum;

use super::OutFile;
use crate::console::{Console, Hinted};
use crate::output;
use crate::session::Session;

/// A format of alignments.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlignmentsFormat {
    /// SAM (text)
    Sam,
    /// BAM (binary)
    Bam,
    /// CRAM 3.0 (differences from the reference)
    Cram,
    /// The same
    #[value(name = "cram,version=3.0", hide = true)]
    Cram30,
    /// CRAM 3.1, which is smaller
    #[value(name = "cram,version=3.1")]
    Cram31,
}

impl AlignmentsFormat {
    fn format(self) -> bam::Format {
        match self {
            AlignmentsFormat::Sam => bam::Format::Sam,
            AlignmentsFormat::Bam => bam::Format::Bam,
            AlignmentsFormat::Cram | AlignmentsFormat::Cram30 | AlignmentsFormat::Cram31 => {
                bam::Format::Cram
            }
        }
    }
}

/// How CRAM is written.
#[derive(clap::Args, Clone, Copy, Default)]
pub(crate) struct CramArgs {
    /// Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file
    #[arg(long, conflicts_with = "no_reference")]
    embed_reference: bool,

    /// Store the bases in CRAM output as they are: larger, but no reference is needed
    #[arg(long)]
    no_reference: bool,
}

impl CramArgs {
    /// Whether a reference makes a difference.
    pub(crate) fn uses_reference(self) -> bool {
        !self.no_reference
    }
}

/// What is known of an output of alignments before it is opened.
pub(crate) struct AlignmentsTarget<'a> {
    pub(crate) path: Option<&'a Path>,
    /// The format that is asked for.
    pub(crate) asked: Option<AlignmentsFormat>,
    /// The format if it isn't, and the file's name doesn't tell.
    pub(crate) default: bam::Format,
    pub(crate) level: Option<Level>,
    /// The level of BAM unless another is asked for.
    pub(crate) bam_level: Option<Level>,
    pub(crate) uncompressed: bool,
    pub(crate) cram: CramArgs,
    /// The FASTA file for CRAM.
    pub(crate) reference: Option<&'a Path>,
    pub(crate) threads: usize,
    /// Whether CRAM gets an index.
    pub(crate) has_index: bool,
}

/// An output of alignments.
pub(crate) struct OpenedAlignments {
    pub(crate) output: Output,
    pub(crate) format: bam::Format,
    pub(crate) lost: Option<CramOptions>,
}

impl OpenedAlignments {
    /// Whether BAM is written to the output: CRAM is made of it.
    pub(crate) fn takes_bam(&self) -> bool {
        self.format != bam::Format::Sam
    }
}

impl<'a> AlignmentsTarget<'a> {
    /// An output that nothing is asked of. CRAM is made by `threads`.
    pub(crate) fn new(path: Option<&'a Path>, default: bam::Format, threads: usize) -> Self {
        AlignmentsTarget {
            path: path.filter(|path| *path != Path::new("-")),
            asked: None,
            default,
            level: None,
            bam_level: None,
            uncompressed: false,
            cram: CramArgs::default(),
            reference: None,
            threads,
            has_index: false,
        }
    }

    /// The format that is written.
    pub(crate) fn format(&self) -> bam::Format {
        let named = |extension| output::has_extension(self.path, extension);
        match self.asked {
            Some(format) => format.format(),
            None if named("bam") => bam::Format::Bam,
            None if named("sam") => bam::Format::Sam,
            None if named("cram") => bam::Format::Cram,
            None => self.default,
        }
    }

    /// Whether CRAM is written that stores how reads differ from the reference.
    pub(crate) fn needs_reference(&self) -> bool {
        self.format() == bam::Format::Cram && self.cram.uses_reference()
    }

    /// Opens it, to write records under `header`.
    ///
    /// # Errors
    /// If its name or an option is for another format, CRAM lacks its reference, or it can't be created.
    pub(crate) fn open(&self, session: &mut Session, header: &Header) -> Result<OpenedAlignments> {
        let format = self.format();
        if self.uncompressed && format != bam::Format::Bam {
            bail!("-u writes BAM, but {} was requested", format.name());
        }
        if format != bam::Format::Cram {
            let CramArgs { embed_reference, no_reference } = self.cram;
            for (is_set, option) in
                [(embed_reference, "--embed-reference"), (no_reference, "--no-reference")]
            {
                if is_set {
                    bail!("{option} is for CRAM output, but {} is written", format.name());
                }
            }
        }
        if format == bam::Format::Cram {
            if self.cram.embed_reference && !header.is_sorted_by_coordinate() {
                return Err(Hinted::error(
                    "--embed-reference: the header doesn't say that records are sorted by coordinate",
                    "`biofast sort` sorts them, and writes CRAM, too",
                ));
            }
            return self.open_cram(session, header);
        }
        let is_bam = format == bam::Format::Bam;
        let level = match (is_bam, self.level) {
            (true, _) if self.uncompressed => Some(Level::Number(0)),
            (true, None) => self.bam_level,
            (_, level) => level,
        };
        let compression = compression(self.path, is_bam, self.asked.is_some(), level)?;
        let output = output::records(session, self.path, compression)?;
        Ok(OpenedAlignments { output, format, lost: None })
    }

    fn open_cram(&self, session: &mut Session, header: &Header) -> Result<OpenedAlignments> {
        self.path.map_or(Ok(()), output::refuse_not_cram)?;
        let mut options = CramOptions::default().threads(self.threads);
        if let Some(level) = self.level {
            if matches!(level, Level::Number(_)) {
                bail!("--level {level}: CRAM has the levels fast, balanced and small");
            }
            options = options.level(level);
        }
        if self.asked == Some(AlignmentsFormat::Cram31) {
            options = options.version(CramVersion::V3_1);
        }
        if let Some(reference) = self.reference {
            options = options.reference(reference);
        }
        if self.cram.embed_reference {
            options = options.embed_reference();
        }
        if self.cram.no_reference {
            options = options.without_reference();
        }
        if !options.can_store(header) {
            return Err(Hinted::error(
                "CRAM stores how reads differ from the reference, but none was given",
                "name the FASTA file the reads were aligned to (--reference genome.fa), or store the bases as they are (--no-reference)",
            ));
        }
        let encoder = options.encoder()?;
        let output = output::binary_records(session, self.path)?;
        let index = match (self.has_index, self.path) {
            (false, _) => None,
            (true, Some(path)) if output.is_file() => {
                let mut name = path.as_os_str().to_owned();
                name.push(".crai");
                Some(output::report(session, Some(Path::new(&name)))?)
            }
            (true, _) => bail!("--write-index needs an output file: name one with -o"),
        };
        let output = output.recoded(encoder, index)?;
        Ok(OpenedAlignments { output, format: bam::Format::Cram, lost: Some(options) })
    }
}

/// Says what of the records CRAM doesn't hold.
pub(crate) fn tell_losses(lost: Option<&CramOptions>, console: Option<&Console>) {
    let (Some(options), Some(console)) = (lost, console) else { return };
    let Losses { cigars, mapping_qualities, flags, mates, .. } = options.losses();
    for (records, what) in [
        (
            cigars,
            "a CIGAR that changes (= and X become M, neighbouring operations of one kind are joined, and that of an unmapped read is dropped)",
        ),
        (mapping_qualities, "the mapping quality of an unmapped read, which becomes 0"),
        (flags, "flags above 0xfff, which are dropped"),
        (mates, "the mate's reference of an unpaired read, which is dropped"),
    ] {
        if records > 0 {
            let records = counted(records, "record");
            console.note(&format!("CRAM can't hold everything: {records} with {what}"));
        }
    }
}

/// How alignments are written.
#[derive(clap::Args)]
pub(crate) struct AlignmentsOut {
    /// Output format [default: from the file extension, else sam]
    #[arg(short = 'O', long, value_enum, ignore_case = true, value_name = "FORMAT")]
    output_format: Option<AlignmentsFormat>,

    /// Write uncompressed BAM, for piping to another program
    #[arg(short, long, conflicts_with = "level")]
    uncompressed: bool,

    /// Compression level: fast, balanced, small (6), or 0 (none) to 12 for BAM [default: fast for BAM]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,

    #[command(flatten)]
    cram: CramArgs,

    /// Write the output to FILE [default: standard output]
    ///
    /// FILE is created only if the command succeeds.
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,
}

/// Help of `-O` where BAM is the default.
pub(crate) const BAM_BY_DEFAULT: &str =
    "Output format [default: from the file extension, else bam]";

impl AlignmentsOut {
    /// The file that is written.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Whether blocks of the input may be copied: a level that is asked for holds for all blocks.
    pub(crate) fn copies(&self) -> bool {
        self.level.is_none() && !self.uncompressed
    }

    /// The output, which is of the format `default` if nothing says otherwise. `reference` is for CRAM, which `threads` make.
    pub(crate) fn target<'a>(
        &'a self,
        default: bam::Format,
        reference: Option<&'a Path>,
        threads: usize,
    ) -> AlignmentsTarget<'a> {
        let default = if self.uncompressed { bam::Format::Bam } else { default };
        AlignmentsTarget {
            asked: self.output_format,
            level: self.level,
            uncompressed: self.uncompressed,
            cram: self.cram,
            reference,
            ..AlignmentsTarget::new(self.path(), default, threads)
        }
    }
}

/// How an output of alignments is compressed: as its name says, unless SAM was asked for and it says nothing of that.
///
/// # Errors
/// If its name is for another format, or a level is for what is compressed.
pub(crate) fn compression(
    path: Option<&Path>,
    is_bam: bool,
    is_asked: bool,
    level: Option<Level>,
) -> Result<Compression> {
    let format = match (is_bam, path) {
        (true, Some(path)) => output::format_of_bam(path)?,
        (true, None) => Format::Bgzf,
        (false, Some(path)) if !is_asked => output::format_of_sam(path)?,
        (false, Some(path)) => Format::from_name(path),
        (false, None) => Format::Plain,
    };
    if level.is_some() && format == Format::Plain {
        return Err(output::level_of_plain());
    }
    Ok(Compression::new(format, level)?)
}

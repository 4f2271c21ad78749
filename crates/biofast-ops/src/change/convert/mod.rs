//! Reads in other formats, changed on the way: FASTQ, FASTA, tables and unaligned BAM.
//!
//! [`Convert`] says what becomes of a read; [`convert`] does it to all of them, in their order. Tables and alignments are read
//! through [`from_table`] and [`from_alignments`]. Another order: [`order`](super::order).

mod archive;
mod edit;
mod qualities;
mod rename;
mod renaming;
mod repeats;
mod sources;
mod summary;
pub mod unique;

use std::borrow::Cow;
use std::io::Write;
use std::ops::RangeInclusive;
use std::sync::Arc;

use biofast_fastq::pair::{MateNaming, pair_template, template_name};
use biofast_fastq::{self as fastq, Inputs, Readable, Record, Refusal, Transform, Unit, fasta};
use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::Failure;
use repeats::{NumberCursor, RepeatNumbers};

use super::import::{self, Import};
use crate::measure::records::{Checksum, Sum};

pub use archive::ArchiveNaming;
pub use edit::{Alphabet, BaseSpan, Case, EditedRead, Edits, NucleicAcid, letters_of};
pub use qualities::QualityMap;
pub use rename::{HeaderTemplate, InvalidTemplate};
pub use renaming::{InvalidNameTable, NameTable, Renaming};
pub use sources::{Holds, from_alignments, from_table};
pub use summary::ConvertSummary;

/// What reads are written as.
#[derive(Clone, Debug)]
pub enum OutputFormat {
    /// Four lines a read.
    Fastq,
    /// A header, and the sequence in lines of so many bases; 0: in one line.
    Fasta {
        /// Bases a line.
        width: usize,
    },
    /// A line a read: header, sequence and qualities, separated by tabs.
    Table,
    /// Records of unaligned BAM; who opens the output writes the header.
    Bam(Box<Import>),
}

/// Which reads or pairs are converted, and how.
#[derive(Clone, Debug)]
pub struct Convert {
    /// What it is written as.
    pub format: OutputFormat,
    /// What is changed.
    pub edits: Edits,
    /// Which reads or pairs, by their numbers, counted from 1.
    pub units: RangeInclusive<u64>,
    /// Lengths after the changes, which both mates must have.
    pub lengths: RangeInclusive<usize>,
    /// Whether lines `old name TAB new name` are written to one output more.
    pub names: bool,
    /// Numbers of names that came before, [found](RepeatNumbers::find) in a reading of their own.
    pub numbers: Option<Arc<RepeatNumbers>>,
    /// What makes mates, whose names get their numbers before what tells one from the other.
    pub mates: MateNaming,
}

/// A worker's room and counts.
#[derive(Default)]
pub struct ConvertWorker {
    edited: [EditedRead; 2],
    numbered: [Vec<u8>; 2],
    cursor: NumberCursor,
    tags: Vec<u8>,
    summary: ConvertSummary,
}

impl ConvertWorker {
    /// What it has done.
    pub fn summary(&self) -> &ConvertSummary {
        &self.summary
    }

    /// Adds what another worker has done.
    pub fn merge(&mut self, other: &ConvertWorker) {
        self.summary.merge(&other.summary);
    }
}

impl Convert {
    /// All reads, unchanged, as `format`.
    pub fn to(format: OutputFormat) -> Convert {
        Convert {
            format,
            edits: Edits::default(),
            units: 1..=u64::MAX,
            lengths: 0..=usize::MAX,
            names: false,
            numbers: None,
            mates: MateNaming::Strict,
        }
    }

    /// The reads of a unit as edited, if they are wanted.
    fn edit<'a>(
        &self,
        unit: &Unit<'a>,
        [one, two]: &'a mut [EditedRead; 2],
        summary: &mut ConvertSummary,
    ) -> Result<Option<[Option<Record<'a>>; 2]>, String> {
        let number = unit.index + 1;
        if !self.units.contains(&number) {
            return Ok(None);
        }
        let number = number - self.units.start() + 1;
        let name = unit.first.name();
        let shared = |name, mate| pair_template(name, mate, self.mates).len();
        let own = unit.second.map_or(template_name(name).len(), |mate| shared(name, mate.name()));
        let first = self.edits.apply(&unit.first, own, (number, 1), one)?;
        let second = match &unit.second {
            Some(second) => {
                let own = shared(second.name(), name);
                Some(self.edits.apply(second, own, (number, 2), two)?)
            }
            None => None,
        };
        if let Some(second) = &second
            && self.edits.rename.may_part_mates()
        {
            let [one, two] = [first.name(), second.name()];
            if pair_template(one, two, self.mates) != pair_template(two, one, self.mates) {
                let [one, two] = [one, two].map(<[u8]>::escape_ascii);
                return Err(format!("the mates would be renamed to '{one}' and '{two}'"));
            }
        }
        let edited = [Some(first), second];
        count(&[Some(unit.first), unit.second], &mut summary.input, &mut summary.input_bases);
        let is_wanted = |record: &Record<'_>| self.lengths.contains(&record.sequence().len());
        Ok(edited.iter().flatten().all(is_wanted).then_some(edited))
    }

    /// Appends a read or pair to `texts`, one or two of them for mates, and the names to the one after these. Tells whether
    /// it was wanted.
    ///
    /// # Errors
    /// Why it can't be written so.
    pub fn write(
        &self,
        unit: &Unit<'_>,
        worker: &mut ConvertWorker,
        files: usize,
        texts: &mut [Vec<u8>],
    ) -> Result<bool, String> {
        let ConvertWorker { edited, numbered, cursor, tags, summary } = worker;
        let Some(mut written) = self.edit(unit, edited, summary)? else { return Ok(false) };
        let came = [Some(unit.first), unit.second];
        if let Some(numbers) = &self.numbers
            && let Some(number) = numbers.of(unit.index, cursor)?
        {
            repeats::append_number(&mut written, number, self.mates, numbered);
        }
        let [Some(first), second] = written else { return Ok(false) };
        if let OutputFormat::Bam(import) = &self.format {
            let mut counts = import::ImportSummary::default();
            let edited = Unit { index: unit.index, first, second };
            if written.iter().flatten().any(|record| !record.has_qualities()) {
                return Err(no_qualities("BAM"));
            }
            import
                .write(&edited, tags, &mut counts, &mut texts[0])
                .map_err(|error| error.to_string())?;
            summary.dots_as_n += counts.dots_as_n;
            count(&written, &mut summary.output, &mut summary.output_bases);
        } else {
            let mut sums = [None; 2];
            for (mate, record) in written.iter().enumerate() {
                let Some(record) = record else { continue };
                let text = &mut texts[mate.min(files - 1)];
                sums[mate] = Some(self.append(record, text)?);
            }
            count(&sums, &mut summary.output, &mut summary.output_bases);
        }
        if self.names {
            for (old, new) in came.iter().zip(&written) {
                let (Some(old), Some(new)) = (old, new) else { continue };
                for part in [old.name(), b"\t", new.name(), b"\n"] {
                    texts[files].extend_from_slice(part);
                }
            }
        }
        Ok(true)
    }

    /// Appends the text of a record, and returns what would be read of it.
    fn append<'a>(&self, record: &Record<'a>, text: &mut Vec<u8>) -> Result<Record<'a>, String> {
        // Only files and streams fail.
        let _ = match self.format {
            OutputFormat::Fastq | OutputFormat::Bam(_) if !record.has_qualities() => {
                return Err(no_qualities("FASTQ"));
            }
            OutputFormat::Fastq | OutputFormat::Bam(_) => fastq::write_record(text, record),
            OutputFormat::Fasta { width } => {
                if record.name().is_empty() {
                    return Err("a read without a name can't be written as FASTA".into());
                }
                let _ = fasta::write_record(text, record, width);
                return Ok(Record::without_qualities(record.definition(), record.sequence()));
            }
            OutputFormat::Table => {
                let definition = record.definition();
                // A tab would be a column.
                let definition = match definition.contains(&b'\t') {
                    true => Cow::Owned(
                        definition.iter().map(|&b| if b == b'\t' { b' ' } else { b }).collect(),
                    ),
                    false => Cow::Borrowed(definition),
                };
                let parts: [&[u8]; 6] =
                    [&definition, b"\t", record.sequence(), b"\t", record.qualities(), b"\n"];
                parts.iter().try_for_each(|part| text.write_all(part))
            }
        };
        Ok(*record)
    }
}

fn no_qualities(format: &str) -> String {
    format!("{format} needs qualities, but this sequence has none")
}

fn count(records: &[Option<Record<'_>>; 2], sums: &mut [Sum; 2], bases: &mut u64) {
    for (record, sum) in records.iter().zip(sums) {
        let Some(record) = record else { continue };
        sum.add(Sum { records: 1, checksum: Checksum::of(record) });
        *bases += record.sequence().len() as u64;
    }
}

/// Converts `inputs` to `outputs` on `options[0].threads` threads: one output, or two of mates, and one more for
/// [names](Convert::names). What is behind the last read that is wanted isn't read.
///
/// ```
/// use biofast_fastq::Inputs;
/// use biofast_fastq::fasta::Sequences;
/// use biofast_io::output::{self, Output};
/// use biofast_io::{Options, Source};
/// use biofast_ops::convert::{Convert, OutputFormat, convert};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-convert-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("reads.fa");
/// let reads = Sequences(Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n"[..]));
/// let mut outputs = vec![Output::create_with(&path, Default::default())?];
/// let to_fasta = Convert::to(OutputFormat::Fasta { width: 60 });
/// let options = [Options::default(), Options::default()];
/// let summary = convert(Inputs::Single(reads), options, &to_fasta, &mut outputs)?;
/// output::commit(outputs, false)?;
/// assert_eq!((summary.output[0].records, std::fs::read(&path)?), (1, b">a\nACGT\n".to_vec()));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault in the order of the data, a read that can't be written so among them, or the failure of an output.
pub fn convert<S: Readable>(
    inputs: Inputs<S>,
    options: [Options; 2],
    convert: &Convert,
    outputs: &mut [Output],
) -> Result<ConvertSummary, Failure<fastq::Error>> {
    let files = outputs.len().saturating_sub(usize::from(convert.names)).clamp(1, 2);
    let limit = Some(*convert.units.end()).filter(|&end| end < u64::MAX);
    let worker = Transform::new(inputs).options_of_each(options).limit(limit).run(
        outputs,
        ConvertWorker::default,
        |worker, unit, texts| -> Result<(), Refusal> {
            convert.write(&unit, worker, files, texts)?;
            Ok(())
        },
        |worker, other| worker.merge(&other),
    )?;
    Ok(worker.summary)
}

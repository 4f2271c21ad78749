//! Where alignments go: selected and unselected ones, as BAM or SAM, with an index if one is wanted.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use biofast_bam::index::{BuildOptions, IndexFormat as BamIndex, Indexer};
use biofast_bam::{self as bam, CramOptions, Header, Record, SamWriter};
use biofast_io::output::{Format, Level, Output};

use crate::commands::filter::args::{Args, FilterFormat, FilterIndexFormat};
use crate::options::{AlignmentsFormat, AlignmentsTarget, OpenedAlignments};
use crate::output;
use crate::session::Session;

/// The level of BAM unless another is given. `docs/filter.md` has the measurement behind it.
const BAM_LEVEL: Level = Level::Balanced;

/// The outputs of a run, and how records are written to each.
pub(super) struct Outputs {
    /// Selected records, then unselected ones if they are wanted, then the tickets of indexes.
    pub(super) all: Vec<Output>,
    pub(super) writers: Writers,
    /// Where the indexes of the first outputs go.
    indexes: Vec<Option<Output>>,
    /// What tells of the losses of CRAM.
    pub(super) lost: Vec<CramOptions>,
}

/// How records are written.
pub(super) struct Writers {
    targets: Vec<AlignmentTarget>,
    sam: SamWriter,
}

struct AlignmentTarget {
    is_bam: bool,
    index: Option<Index>,
}

struct Index {
    indexer: Indexer,
    /// Which text gets its tickets.
    tickets: usize,
}

/// Opens the outputs and writes their headers.
pub(super) fn open(
    args: &Args,
    header: &Header,
    (trims, threads): (bool, usize),
    session: &mut Session,
) -> Result<Outputs> {
    let header = args.alignments.program.header(header, session);
    let mut outputs = Outputs {
        all: Vec::new(),
        writers: Writers { targets: Vec::new(), sam: SamWriter::new(&header) },
        indexes: Vec::new(),
        lost: Vec::new(),
    };
    let unselected = args.alignments.unselected.as_deref();
    outputs.add(args, selected(args, threads)?, &header, trims, session)?;
    if let Some(path) = unselected {
        let target = AlignmentsTarget { path: Some(path), ..selected(args, threads)? };
        outputs.add(args, target, &header, trims, session)?;
    }
    for index in 0..outputs.writers.targets.len() {
        let (name, next) = (outputs.all[index].name().to_owned(), outputs.all.len());
        if let Some(index) = &mut outputs.writers.targets[index].index {
            index.tickets = next;
            outputs.all.push(index.indexer.tickets(&name));
        }
    }
    Ok(outputs)
}

/// The output of selected records. CRAM is made by `threads`.
pub(super) fn selected(args: &Args, threads: usize) -> Result<AlignmentsTarget<'_>> {
    let chosen = &args.alignments;
    let asked = match args.output_format {
        Some(FilterFormat::Alignments(format)) => Some(format),
        Some(FilterFormat::Reads(_)) => bail!("-O takes sam, bam or cram for alignments"),
        None => chosen.bam.then_some(AlignmentsFormat::Bam),
    };
    let default = if chosen.uncompressed { bam::Format::Bam } else { bam::Format::Sam };
    Ok(AlignmentsTarget {
        asked,
        level: args.level,
        bam_level: Some(BAM_LEVEL),
        uncompressed: chosen.uncompressed,
        cram: chosen.cram,
        reference: chosen.reference.as_deref(),
        has_index: args.write_index.is_some(),
        ..AlignmentsTarget::new(args.out.as_deref(), default, threads)
    })
}

impl Outputs {
    fn add(
        &mut self,
        args: &Args,
        mut target: AlignmentsTarget<'_>,
        header: &Header,
        trims: bool,
        session: &mut Session,
    ) -> Result<()> {
        let chosen = &args.alignments;
        let path = target.path;
        if target.format() == bam::Format::Sam && !self.all.is_empty() {
            // What is asked of the first output isn't asked of this one.
            target.uncompressed = false;
            let is_plain = path.is_none_or(|path| Format::from_name(path) == Format::Plain);
            target.level = target.level.filter(|_| !is_plain);
        }
        let is_cram = target.format() == bam::Format::Cram;
        if is_cram && !matches!(args.write_index, None | Some(FilterIndexFormat::Auto)) {
            bail!("--write-index: the index of CRAM is CRAI");
        }
        let opened = target.open(session, header)?;
        let is_bam = opened.takes_bam();
        let OpenedAlignments { mut output, lost, .. } = opened;
        self.lost.extend(lost);
        // Reads that are trimmed hardly leave a block as it was, and a level that is asked for holds for all blocks.
        if is_bam && args.level.is_none() && !chosen.uncompressed && !trims {
            output = output.copying();
        }
        let (mut index, mut index_output) = (None, None);
        if let Some(wanted) = args.write_index.filter(|_| !is_cram) {
            let Some(path) = path.filter(|_| output.is_file()) else {
                bail!("--write-index needs an output file: name one with -o");
            };
            (output, index, index_output) = indexed(output, path, wanted, is_bam, header, session)?;
        }
        let mut start = Vec::new();
        if is_bam {
            header.write_bam(&mut start)?;
        } else if chosen.with_header {
            header.write_sam(&mut start)?;
        }
        match &index {
            Some(Index { indexer, .. }) => indexer.append(&mut output, &start)?,
            None => output.append(&start)?,
        }
        self.all.push(output);
        self.indexes.push(index_output);
        self.writers.targets.push(AlignmentTarget { is_bam, index });
        Ok(())
    }

    /// All outputs, their indexes last.
    pub(super) fn finish(self) -> Result<Vec<Output>> {
        let Outputs { mut all, writers, indexes, .. } = self;
        let mut filled = Vec::new();
        for ((output, target), index) in all.iter().zip(writers.targets).zip(indexes) {
            if let (Some(Index { indexer, .. }), Some(index)) = (target.index, index) {
                filled.push(output::filled(index, indexer.finish(output)?)?);
            }
        }
        all.extend(filled);
        Ok(all)
    }
}

/// An output with the index that was asked for.
fn indexed(
    output: Output,
    path: &Path,
    wanted: FilterIndexFormat,
    is_bam: bool,
    header: &Header,
    session: &mut Session,
) -> Result<(Output, Option<Index>, Option<Output>)> {
    let beside = |extension: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    };
    let format = match wanted {
        FilterIndexFormat::Auto => None,
        FilterIndexFormat::Bai => Some(BamIndex::Bai),
        FilterIndexFormat::Csi => Some(BamIndex::Csi),
    };
    if is_bam {
        let indexer = Indexer::new(header, BuildOptions { format, min_shift: None })?;
        let index = output::report(session, Some(&beside(indexer.format().extension())))?;
        return Ok((output.with_blocks()?, Some(Index { indexer, tickets: 0 }), Some(index)));
    }
    if format.is_some() || output.compression().format() != Format::Bgzf {
        bail!(
            "--write-index: plain SAM can't be indexed; write BAM (BAI or CSI) or BGZF-compressed SAM (GZI)"
        );
    }
    let index = output::report(session, Some(&beside("gzi")))?;
    Ok((output.with_gzi(index)?, None, None))
}

impl Writers {
    /// The output of records that are not selected, if there is one.
    pub(super) fn has_unselected(&self) -> bool {
        self.targets.len() > 1
    }

    /// Appends a record to the text of output `to`.
    pub(super) fn write(
        &self,
        record: &Record<'_>,
        to: usize,
        texts: &mut [Vec<u8>],
    ) -> Result<(), bam::Error> {
        if self.targets[to].is_bam {
            record.check()?;
            record.write_bam(&mut texts[to]);
            return Ok(());
        }
        self.sam.write(record, &mut texts[to])
    }

    /// How long the texts are before a batch, for [`note`](Self::note).
    pub(super) fn lengths(&self, texts: &[Vec<u8>]) -> [usize; 2] {
        [0, 1].map(|to| texts.get(to).map_or(0, Vec::len))
    }

    /// Takes note of what a batch has added to the texts, for indexes.
    pub(super) fn note(&self, before: [usize; 2], texts: &mut [Vec<u8>]) {
        for (to, target) in self.targets.iter().enumerate() {
            if let Some(Index { indexer, tickets, .. }) = &target.index {
                let mut own = std::mem::take(&mut texts[*tickets]);
                indexer.note(&texts[to][before[to]..], &mut own);
                texts[*tickets] = own;
            }
        }
    }
}

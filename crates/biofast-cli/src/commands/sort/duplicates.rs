//! Options of `--mark-duplicates`.

use anyhow::{Result, bail};
use biofast::io::output::{Files, Output};
use biofast::ops::show::duplicates as show;
use biofast::ops::sort::duplicates::{self, Barcode, Counts, Marking, Mode};
use biofast::ops::sort::{Order, Sorted};
use clap::ValueEnum;

use crate::console::message;
use crate::options::OutFile;
use crate::output;

/// Duplicates are marked, and how.
#[derive(clap::Args)]
#[command(next_help_heading = "Duplicates")]
pub(super) struct Duplicates {
    /// Mark duplicates, as `samtools fixmate -m`, `sort` and `markdup` in one run; the records of a name must be together, as an
    /// aligner writes them
    #[arg(long)]
    mark_duplicates: bool,

    /// Whose rule decides
    #[arg(
        long,
        value_enum,
        default_value = "samtools",
        value_name = "TOOL",
        requires = "mark_duplicates"
    )]
    rule: Rule,

    /// Leave duplicates out
    #[arg(short = 'r', long, requires = "mark_duplicates")]
    remove_duplicates: bool,

    /// Mark supplementary, secondary and unmapped records of duplicates, too
    #[arg(short = 'S', long, requires = "mark_duplicates")]
    mark_supplementary: bool,

    /// Where pairs must be alike
    #[arg(
        long,
        value_enum,
        default_value = "template",
        value_name = "MODE",
        requires = "mark_duplicates"
    )]
    duplicate_mode: DuplicateMode,

    /// Look at reads that failed the checks of quality, too
    #[arg(long, requires = "mark_duplicates")]
    include_fails: bool,

    /// Remove marks of the input, and the fields dt and do of marked records
    #[arg(short = 'c', long, visible_alias = "clear", requires = "mark_duplicates")]
    clear_duplicates: bool,

    /// Duplicates have the same text in this optional field, such as RX or CB
    #[arg(long, value_name = "TAG", value_parser = super::tag, requires = "mark_duplicates")]
    barcode_tag: Option<[u8; 2]>,

    /// Duplicates have the same text behind the seventh colon of their names
    #[arg(long, requires = "mark_duplicates", conflicts_with = "barcode_tag")]
    barcode_name: bool,

    /// Tell optical duplicates by the place on the flow cell in names of reads, up to this distance: 100 for HiSeq, 2500 for NovaSeq.
    /// What is marked gets the field dt, SQ of optical ones and LB of others; with the rule of Picard they are only counted, up to
    /// 100 unless another is given
    #[arg(short = 'd', long, value_name = "N", requires = "mark_duplicates")]
    optical_distance: Option<u32>,

    /// Write what was found to FILE, as samtools markdup -f
    #[arg(short = 'f', long, value_name = "FILE", requires = "mark_duplicates")]
    metrics: Option<OutFile>,

    /// Write what was found by library to FILE, as Picard's DuplicationMetrics
    #[arg(long, value_name = "FILE", requires = "mark_duplicates")]
    picard_metrics: Option<OutFile>,
}

/// Files for what was found, opened before anything is read.
pub(super) struct Metrics {
    samtools: Option<Output>,
    picard: Option<Output>,
}

impl Metrics {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.samtools.iter().len() + self.picard.iter().len()
    }

    /// Fills the files, to be committed with the other outputs.
    pub(super) fn write(self, sorted: &Sorted, outputs: &mut Vec<Output>) -> Result<()> {
        let found = sorted.duplicates().unwrap_or_default();
        if let Some(file) = self.samtools {
            outputs.push(output::filled(file, show::samtools_text(&found))?);
        }
        if let Some(file) = self.picard {
            let text = show::picard_text(&sorted.duplicates_by_library());
            outputs.push(output::filled(file, text)?);
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rule {
    /// Of samtools markdup: of equal scores the least name stays
    Samtools,
    /// Of Picard MarkDuplicates: libraries apart; of equal scores the first on the flow cell stays; marks of the input are removed
    Picard,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DuplicateMode {
    /// The outer ends of both reads
    #[value(alias = "t")]
    Template,
    /// The first bases of both reads
    #[value(alias = "s")]
    Sequence,
}

impl Duplicates {
    pub(super) fn metrics(&self, files: &mut Files) -> Result<Metrics> {
        Ok(Metrics {
            samtools: output::optional_report(files, self.metrics.as_deref())?,
            picard: output::optional_report(files, self.picard_metrics.as_deref())?,
        })
    }

    /// What is asked for, if duplicates are marked.
    pub(super) fn marking(&self, order: Order) -> Result<Option<Marking>> {
        if !self.mark_duplicates {
            return Ok(None);
        }
        if order != Order::Coordinate {
            bail!("--mark-duplicates sorts by coordinate");
        }
        let is_picard = self.rule == Rule::Picard;
        let has_barcode = self.barcode_name || self.barcode_tag.is_some();
        if is_picard && (has_barcode || self.duplicate_mode == DuplicateMode::Sequence) {
            bail!("--barcode-tag, --barcode-name and --duplicate-mode are for --rule samtools");
        }
        Ok(Some(Marking {
            rule: if is_picard { duplicates::Rule::Picard } else { duplicates::Rule::Samtools },
            mode: match self.duplicate_mode {
                DuplicateMode::Template => Mode::Template,
                DuplicateMode::Sequence => Mode::Sequence,
            },
            supplementary: self.mark_supplementary,
            include_fails: self.include_fails,
            clear: self.clear_duplicates,
            remove: self.remove_duplicates,
            by_library: self.picard_metrics.is_some(),
            optical_distance: self.optical_distance,
            barcode: match (self.barcode_tag, self.barcode_name) {
                (Some(tag), _) => Barcode::Tag(tag),
                (None, true) => Barcode::Name,
                (None, false) => Barcode::None,
            },
        }))
    }
}

/// Says what was found.
pub(super) fn tell(found: &Counts) {
    let Counts { duplicate_pair, duplicate_single, duplicate_non_primary, examined, .. } = *found;
    let optical = match found.duplicate_pair_optical + found.duplicate_single_optical {
        0 => String::new(),
        reads => format!("; {reads} of these reads are optical duplicates"),
    };
    let unknown = match found.without_location {
        0 => String::new(),
        reads => format!("; names of {reads} don't say where they were on the flow cell"),
    };
    let alone = match found.without_mate {
        0 => String::new(),
        names => format!("; of {names} names the mate isn't there"),
    };
    message(
        "note",
        &format!(
            "of {examined} reads looked at {} are duplicates ({duplicate_pair} of pairs, {duplicate_single} single), and \
             {duplicate_non_primary} other records with them{optical}{unknown}{alone}",
            duplicate_pair + duplicate_single
        ),
    );
}

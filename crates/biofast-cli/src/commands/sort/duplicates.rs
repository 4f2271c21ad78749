//! Options of `--mark-duplicates`.

use std::path::Path;

use anyhow::{Result, bail};
use biofast::io::output::{Files, Output};
use biofast::ops::show::duplicates as show;
use biofast::ops::sort::duplicates::{self, Barcode, Counts, Marking, Mode, NamePattern};
use biofast::ops::sort::{Order, Sorted};
use clap::ValueEnum;

use crate::console::message;
use crate::options::OutFile;
use crate::output;

/// Duplicates are marked, and how.
#[derive(clap::Args)]
#[command(next_help_heading = "Duplicates")]
pub(super) struct Duplicates {
    /// Mark duplicates, like `samtools fixmate -m`, `sort` and `markdup` in one run. The records of a name must be together, as an
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

    /// Remove duplicates. A mate that isn't aligned is removed with its read
    #[arg(short = 'r', long, requires = "mark_duplicates")]
    remove_duplicates: bool,

    /// Mark supplementary, secondary and unmapped records of duplicates, too
    #[arg(short = 'S', long, requires = "mark_duplicates")]
    mark_supplementary: bool,

    /// What pairs must have in common
    #[arg(
        long,
        value_enum,
        default_value = "template",
        value_name = "MODE",
        requires = "mark_duplicates"
    )]
    duplicate_mode: DuplicateMode,

    /// Also examine reads that failed quality checks (flag 0x200), as --rule picard always does
    #[arg(long, requires = "mark_duplicates")]
    include_fails: bool,

    /// Clear duplicate marks of the input, and the tags dt and do of marked records. With --rule picard marks are always cleared
    #[arg(short = 'c', long, visible_alias = "clear", requires = "mark_duplicates")]
    clear_duplicates: bool,

    /// Duplicates must have the same text in this tag, such as RX or CB. A barcode on one mate is that of the pair
    #[arg(long, value_name = "TAG", value_parser = super::tag, requires = "mark_duplicates")]
    barcode_tag: Option<[u8; 2]>,

    /// Duplicates must have the same UMI in their names: the eighth part between colons, or a UMI that the name ends with,
    /// after ':' or '_', such as ACGT, ACGT+TTAG or rACGT+rTTAG
    #[arg(long, requires = "mark_duplicates", conflicts_with = "barcode_tag")]
    barcode_name: bool,

    /// Duplicates must have the same text where the first group of this regular expression matches their names
    #[arg(
        long,
        value_name = "REGEX",
        value_parser = name_pattern,
        requires = "mark_duplicates",
        conflicts_with = "barcode_tag"
    )]
    barcode_rgx: Option<NamePattern>,

    /// With --rule picard: duplicates must have the same text in this tag of their first reads
    #[arg(long, value_name = "TAG", value_parser = super::tag, requires = "mark_duplicates")]
    read_one_barcode_tag: Option<[u8; 2]>,

    /// With --rule picard: duplicates must have the same text in this tag of their second reads
    #[arg(long, value_name = "TAG", value_parser = super::tag, requires = "mark_duplicates")]
    read_two_barcode_tag: Option<[u8; 2]>,

    /// Go on if no read has a barcode; it is an error otherwise
    #[arg(long, requires = "mark_duplicates")]
    allow_missing_barcodes: bool,

    /// Tell optical duplicates by the coordinates on the flow cell in read names, up to this distance: 100 for HiSeq, 2500 for
    /// NovaSeq. Marked records get the tag dt, SQ for optical duplicates and LB for others. With --rule picard they are only
    /// counted, up to 100 unless another distance is given
    #[arg(short = 'd', long, value_name = "N", requires = "mark_duplicates")]
    optical_distance: Option<u32>,

    /// Write duplicate metrics to FILE: those of `samtools markdup -f`, as JSON if FILE ends in .json, or with --rule picard the
    /// DuplicationMetrics of Picard
    #[arg(short = 'f', long, value_name = "FILE", requires = "mark_duplicates")]
    metrics: Option<OutFile>,

    /// Write duplicate metrics by library to FILE, as Picard's DuplicationMetrics, whatever the rule
    #[arg(long, value_name = "FILE", requires = "mark_duplicates")]
    picard_metrics: Option<OutFile>,
}

/// Files for what was found, opened before anything is read.
pub(super) struct Metrics(Vec<(Output, Kind)>);

/// Whose metrics.
#[derive(Clone, Copy)]
enum Kind {
    Samtools,
    SamtoolsJson,
    Picard,
}

impl Metrics {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Fills the files, to be committed with the other outputs.
    pub(super) fn write(self, sorted: &Sorted, outputs: &mut Vec<Output>) -> Result<()> {
        let found = sorted.duplicates().unwrap_or_default();
        for (file, kind) in self.0 {
            let text = match kind {
                Kind::Samtools => show::samtools_text(&found),
                Kind::SamtoolsJson => show::samtools_json(&found),
                Kind::Picard => {
                    let sets = sorted.duplicate_sets().cloned().unwrap_or_default();
                    show::picard_text(&sorted.duplicates_by_library(), &sets)
                }
            };
            outputs.push(output::filled(file, text)?);
        }
        Ok(())
    }
}

fn name_pattern(text: &str) -> Result<NamePattern, String> {
    NamePattern::new(text)
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rule {
    /// samtools markdup 1.24: of equal scores the least name stays
    Samtools,
    /// Picard MarkDuplicates 3.4: libraries apart; of equal scores the first on the flow cell stays. Marks of the input are
    /// removed, and nothing else is changed
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
        let is_json = |path: &Path| path.extension().is_some_and(|ending| ending == "json");
        let kind = match self.metrics.as_deref() {
            _ if self.rule == Rule::Picard => Kind::Picard,
            Some(path) if is_json(path) => Kind::SamtoolsJson,
            _ => Kind::Samtools,
        };
        let wanted =
            [(self.metrics.as_deref(), kind), (self.picard_metrics.as_deref(), Kind::Picard)];
        let mut metrics = Metrics(Vec::new());
        for (path, kind) in wanted {
            metrics.0.extend(output::optional_report(files, path)?.map(|file| (file, kind)));
        }
        Ok(metrics)
    }

    /// Whether metrics by library are written.
    fn has_picard_metrics(&self) -> bool {
        self.picard_metrics.is_some() || (self.metrics.is_some() && self.rule == Rule::Picard)
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
        let of_samtools = [
            (
                self.duplicate_mode == DuplicateMode::Sequence,
                "--duplicate-mode",
                "compares the first bases of reads",
            ),
            (self.include_fails, "--include-fails", "examines reads that failed quality checks"),
            (self.clear_duplicates, "-c (--clear-duplicates)", "clears the marks of the input"),
        ];
        if let Some((_, option, what)) = of_samtools.iter().find(|(is_given, ..)| *is_given)
            && is_picard
        {
            bail!("{option} is for --rule samtools: Picard always {what}");
        }
        let read_barcodes = [self.read_one_barcode_tag, self.read_two_barcode_tag];
        if !is_picard && read_barcodes != [None; 2] {
            bail!("--read-one-barcode-tag and --read-two-barcode-tag need --rule picard");
        }
        let barcode = match (&self.barcode_rgx, self.barcode_tag) {
            (Some(pattern), _) => Barcode::Pattern(pattern.clone()),
            (None, Some(tag)) => Barcode::Tag(tag),
            (None, None) if self.barcode_name => Barcode::Name,
            (None, None) => Barcode::None,
        };
        if self.allow_missing_barcodes && barcode == Barcode::None && read_barcodes == [None; 2] {
            bail!("--allow-missing-barcodes needs --barcode-tag, --barcode-name or --barcode-rgx");
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
            by_library: self.has_picard_metrics(),
            optical_distance: self.optical_distance,
            barcode,
            read_barcodes,
            allow_missing_barcodes: self.allow_missing_barcodes,
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
    let alone = match found.without_mate {
        0 => String::new(),
        names => format!("; of {names} names the mate isn't there"),
    };
    message(
        "note",
        &format!(
            "of {examined} reads looked at {} are duplicates ({duplicate_pair} of pairs, {duplicate_single} single), and \
             {} other records with them{optical}{alone}",
            duplicate_pair + duplicate_single,
            duplicate_non_primary + found.duplicate_mates
        ),
    );
    if found.without_barcode > 0 {
        let reads = found.without_barcode;
        message(
            "warning",
            &format!(
                "{reads} of {examined} reads have no barcode, nor has their mate: among themselves they were treated as having \
                 the same one"
            ),
        );
    }
    if found.without_location > 0 {
        let reads = found.without_location;
        message(
            "warning",
            &format!(
                "the names of {reads} reads with duplicates don't say where they were on the flow cell: optical duplicates \
                 among them can't be found"
            ),
        );
    }
}

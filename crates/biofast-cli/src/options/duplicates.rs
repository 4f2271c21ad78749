//! How duplicates are marked, and what is written about them.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_io::output::Output;
use biofast_ops::number::counted;
use biofast_ops::sort::duplicates::{
    self, BarcodeSource, DuplicateCounts, LibraryCounts, Marking, Mode, NamePattern, SetSizes,
};
use biofast_report::duplicates as show;
use clap::ValueEnum;

use super::{OutFile, sam_tag};
use crate::console::Console;
use crate::output;
use crate::session::Session;

/// How duplicates are marked.
#[derive(clap::Args)]
pub(crate) struct MarkingArgs {
    /// Tool whose rules decide what is a duplicate
    #[arg(long, value_enum, default_value = "samtools", value_name = "TOOL")]
    rule: DuplicateRule,

    /// Remove duplicates; an unaligned mate is removed with its read
    #[arg(short = 'r', long)]
    remove_duplicates: bool,

    /// Also mark supplementary, secondary and unmapped records of duplicates
    #[arg(short = 'S', long)]
    mark_supplementary: bool,

    /// What pairs must have in common to be duplicates
    #[arg(long, value_enum, default_value = "template", value_name = "MODE")]
    duplicate_mode: DuplicateMode,

    /// Also examine reads that failed QC (flag 0x200), as --rule picard always does
    #[arg(long)]
    include_fails: bool,

    /// Clear existing duplicate marks, and the tags dt and do of marked records
    ///
    /// Without it, existing marks stay, and the mates of marked reads get them, too. With --rule picard, marks are always
    /// cleared.
    #[arg(short = 'c', long, visible_alias = "clear")]
    clear_duplicates: bool,

    /// Require duplicates to have the same value of this tag, such as RX or CB
    ///
    /// A barcode on one mate is that of the pair.
    #[arg(long, value_name = "TAG", value_parser = sam_tag)]
    barcode_tag: Option<[u8; 2]>,

    /// Require duplicates to have the same UMI in their names
    ///
    /// The UMI is the eighth field between colons, or follows ':' or '_' at the end of the name, such as ACGT,
    /// ACGT+TTAG or rACGT+rTTAG.
    #[arg(long, conflicts_with = "barcode_tag")]
    barcode_name: bool,

    /// Require duplicates to have the same text in the first group of this regular expression in their names
    #[arg(
        long,
        value_name = "REGEX",
        value_parser = name_pattern,
        conflicts_with = "barcode_tag"
    )]
    barcode_rgx: Option<NamePattern>,

    /// With --rule picard: require duplicates to have the same value of this tag in first reads
    #[arg(long, value_name = "TAG", value_parser = sam_tag)]
    read_one_barcode_tag: Option<[u8; 2]>,

    /// With --rule picard: require duplicates to have the same value of this tag in second reads
    #[arg(long, value_name = "TAG", value_parser = sam_tag)]
    read_two_barcode_tag: Option<[u8; 2]>,

    /// Don't fail if no read has a barcode
    #[arg(long)]
    allow_missing_barcodes: bool,

    /// Find optical duplicates up to this distance on the flow cell, by coordinates in read names
    ///
    /// Use 100 for HiSeq and 2500 for NovaSeq. Marked records get the tag dt: SQ for optical duplicates, LB for others.
    /// With --rule picard, optical duplicates are only counted, up to 100 by default.
    #[arg(short = 'd', long, value_name = "N")]
    optical_distance: Option<u32>,

    /// Write duplicate metrics to FILE, in the format of the tool chosen with --rule
    ///
    /// For samtools, they are those of `samtools markdup -f`, as JSON if FILE ends in .json. For picard, they are
    /// Picard's DuplicationMetrics.
    #[arg(short = 'f', long, value_name = "FILE")]
    metrics: Option<OutFile>,

    /// Write Picard's DuplicationMetrics by library to FILE, with any --rule
    #[arg(long, value_name = "FILE")]
    picard_metrics: Option<OutFile>,
}

/// Files for what was found, opened before anything is read.
pub(crate) struct DuplicateMetrics(Vec<(Output, Kind)>);

/// Whose metrics.
#[derive(Clone, Copy)]
enum Kind {
    Samtools,
    SamtoolsJson,
    Picard,
}

impl DuplicateMetrics {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Fills the files, to be committed with the other outputs.
    pub(crate) fn write(
        self,
        found: &DuplicateCounts,
        by_library: &[LibraryCounts],
        sets: &SetSizes,
        outputs: &mut Vec<Output>,
    ) -> Result<()> {
        for (file, kind) in self.0 {
            let text = match kind {
                Kind::Samtools => show::samtools_text(found),
                Kind::SamtoolsJson => show::samtools_json(found),
                Kind::Picard => show::picard_text(by_library, sets),
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
enum DuplicateRule {
    /// samtools markdup 1.24. Among equal scores, the lowest name is kept
    Samtools,
    /// Picard MarkDuplicates 3.4, by library. Among equal scores, the first on the flow cell is kept. Existing marks
    /// are removed, and nothing else is changed
    Picard,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DuplicateMode {
    /// Outer ends of both reads
    #[value(alias = "t")]
    Template,
    /// First bases of both reads
    #[value(alias = "s")]
    Sequence,
}

impl MarkingArgs {
    pub(crate) fn metrics(&self, session: &mut Session) -> Result<DuplicateMetrics> {
        let is_json = |path: &Path| path.extension().is_some_and(|ending| ending == "json");
        let kind = match self.metrics.as_deref() {
            _ if self.rule == DuplicateRule::Picard => Kind::Picard,
            Some(path) if is_json(path) => Kind::SamtoolsJson,
            _ => Kind::Samtools,
        };
        let wanted =
            [(self.metrics.as_deref(), kind), (self.picard_metrics.as_deref(), Kind::Picard)];
        let mut metrics = DuplicateMetrics(Vec::new());
        for (path, kind) in wanted {
            metrics.0.extend(output::optional_report(session, path)?.map(|file| (file, kind)));
        }
        Ok(metrics)
    }

    /// Whether metrics by library are written.
    fn has_picard_metrics(&self) -> bool {
        self.picard_metrics.is_some()
            || (self.metrics.is_some() && self.rule == DuplicateRule::Picard)
    }

    /// Whether duplicates are removed.
    pub(crate) fn removes(&self) -> bool {
        self.remove_duplicates
    }

    /// What is asked for.
    pub(crate) fn marking(&self) -> Result<Marking> {
        let is_picard = self.rule == DuplicateRule::Picard;
        let of_samtools = [
            (
                self.duplicate_mode == DuplicateMode::Sequence,
                "--duplicate-mode",
                "compares 5′ positions",
            ),
            (self.include_fails, "--include-fails", "examines reads that failed quality checks"),
            (self.clear_duplicates, "-c (--clear-duplicates)", "clears the marks of the input"),
        ];
        if let Some((_, option, what)) = of_samtools.iter().find(|(is_given, ..)| *is_given)
            && is_picard
        {
            bail!("{option} applies only to --rule samtools: Picard always {what}");
        }
        let read_barcodes = [self.read_one_barcode_tag, self.read_two_barcode_tag];
        if !is_picard && read_barcodes != [None; 2] {
            bail!("--read-one-barcode-tag and --read-two-barcode-tag need --rule picard");
        }
        let barcode = match (&self.barcode_rgx, self.barcode_tag) {
            (Some(pattern), _) => BarcodeSource::Pattern(pattern.clone()),
            (None, Some(tag)) => BarcodeSource::Tag(tag),
            (None, None) if self.barcode_name => BarcodeSource::Name,
            (None, None) => BarcodeSource::None,
        };
        if self.allow_missing_barcodes
            && barcode == BarcodeSource::None
            && read_barcodes == [None; 2]
        {
            bail!("--allow-missing-barcodes needs --barcode-tag, --barcode-name or --barcode-rgx");
        }
        Ok(Marking {
            rule: if is_picard {
                duplicates::DuplicateRule::Picard
            } else {
                duplicates::DuplicateRule::Samtools
            },
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
        })
    }
}

/// Says what was found.
pub(crate) fn tell_duplicates(console: &Console, found: &DuplicateCounts) {
    let DuplicateCounts {
        duplicate_pair, duplicate_single, duplicate_non_primary, examined, ..
    } = *found;
    let optical = match found.duplicate_pair_optical + found.duplicate_single_optical {
        0 => String::new(),
        reads => format!("; {reads} of these reads are optical duplicates"),
    };
    let alone = match found.without_mate {
        0 => String::new(),
        names => format!("; {names} mates are missing"),
    };
    console.note(&format!(
            "{} of {examined} reads examined are duplicates ({duplicate_pair} in pairs, {duplicate_single} single), with {} secondary and supplementary records{optical}{alone}",
            duplicate_pair + duplicate_single,
            duplicate_non_primary + found.duplicate_mates
        ),
    );
    if found.without_barcode > 0 {
        let reads = found.without_barcode;
        console.warning(&format!(
                "{reads} of {examined} reads have no barcode, nor have their mates: they were treated as sharing one"
            ),
        );
    }
    if found.without_location > 0 {
        let reads = counted(found.without_location, "read");
        console.warning(&format!(
                "the names of {reads} with duplicates have no flow cell position: optical duplicates among them can't be found"
            ),
        );
    }
}

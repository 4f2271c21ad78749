//! Depths of coverage: which records count, and which files of mosdepth are made of them.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use biofast_bam as bam;
use biofast_bam::flag::{self, Filter};
use biofast_bam::query::Note;
use biofast_io::output::{Compression, Format, Level, Output};
use biofast_ops::compat::MosdepthVersion;
use biofast_ops::coverage::{Counting, DepthRules, Intervals};
use biofast_ops::qc::GroupBy;
use biofast_report::mosdepth::{Quantize, Settings, Targets};

use super::InFile;
use crate::console::Console;
use crate::output;
use crate::session::Session;

/// What the files of mosdepth hold.
#[derive(clap::Args)]
pub(crate) struct DepthFiles {
    /// Also write the depth of each interval of a BED file, or of windows of WINDOW bases
    #[arg(short, long, value_name = "BED|WINDOW")]
    by: Vec<InFile>,

    /// For each --by interval, count the bases with a depth of at least N
    #[arg(short = 'T', long, value_name = "N,…", value_delimiter = ',', requires = "by")]
    thresholds: Vec<u32>,

    /// Write runs of bases in the same depth class; BOUNDS such as 0:1:5:150: define the classes
    ///
    /// The environment variables MOSDEPTH_Q0, MOSDEPTH_Q1 and so on name the classes.
    #[arg(short, long, value_name = "BOUNDS")]
    quantize: Option<String>,

    /// Don't write per-base depth
    #[arg(short, long)]
    no_per_base: bool,

    /// Write the median depth of intervals instead of the mean
    #[arg(short = 'm', long)]
    use_median: bool,
}

/// Depths of coverage.
#[derive(clap::Args)]
pub(crate) struct DepthArgs {
    #[command(flatten)]
    pub(crate) files: DepthFiles,

    /// Count whole alignments from first to last base, and overlapping mates twice
    ///
    /// CIGAR operations are ignored, so deletions and skipped regions count as covered.
    #[arg(short = 'x', long)]
    pub(crate) fast_mode: bool,

    /// Exclude records with any of these flags set
    #[arg(short = 'F', long = "exclude-flags", value_name = "FLAGS", default_value = "1796", value_parser = flags)]
    flag: u16,

    /// Include only records with at least one of these flags set; 0 for all
    #[arg(short = 'i', long = "include-flags", value_name = "FLAGS", default_value = "0", value_parser = flags)]
    include_flag: u16,

    /// Include only records with a mapping quality of at least N
    #[arg(short = 'Q', long = "min-mapq", value_name = "N", default_value_t = 0)]
    mapq: u8,

    /// Include only records of these read groups, separated by commas
    #[arg(short = 'R', long, value_name = "ID,…", value_delimiter = ',')]
    read_groups: Vec<String>,
}

fn flags(text: &str) -> Result<u16, String> {
    flag::parse(text).ok_or_else(|| {
        "expected a number from 0 to 65535 or names separated by commas, such as UNMAP,DUP".into()
    })
}

impl DepthFiles {
    /// One of these options, if one is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--by", self.by_intervals().next().is_some()),
            ("--quantize", self.quantize.is_some()),
            ("--no-per-base", self.no_per_base),
        ];
        first(given)
    }

    /// What the files of mosdepth are to hold, of all references or of the `only` one, in the form of this version.
    pub(crate) fn settings(
        &self,
        only: Option<&str>,
        version: MosdepthVersion,
    ) -> Result<Settings> {
        let mut thresholds = self.thresholds.clone();
        thresholds.sort_unstable();
        let quantize = match &self.quantize {
            None => None,
            Some(bounds) => {
                let name = |class| std::env::var(format!("MOSDEPTH_Q{class}")).ok();
                let Some(quantize) = Quantize::parse(bounds, name) else {
                    bail!(
                        "invalid value '{bounds}' for --quantize: expected numbers separated by ':'"
                    );
                };
                Some(quantize)
            }
        };
        let precision =
            std::env::var("MOSDEPTH_PRECISION").ok().and_then(|digits| digits.parse().ok());
        Ok(Settings {
            intervals: self.intervals()?,
            thresholds,
            quantize,
            median: self.use_median,
            per_base: !self.no_per_base,
            only: only.map(|name| name.as_bytes().to_vec()),
            precision: precision.filter(|digits| *digits <= 30).unwrap_or(2),
            version,
        })
    }

    /// What `--by` names that is no group of records.
    fn by_intervals(&self) -> impl Iterator<Item = &InFile> {
        self.by.iter().filter(|by| group(by).is_none())
    }

    /// The groups of records that `--by` names.
    pub(crate) fn by_groups(&self) -> Result<Option<GroupBy>> {
        let mut given = self.by.iter().filter_map(|by| group(by));
        match (given.next(), given.next()) {
            (Some(_), Some(_)) => bail!("--by takes only one of RG, SM and LB"),
            (by, _) => Ok(by),
        }
    }

    /// The intervals of `--by`.
    pub(crate) fn intervals(&self) -> Result<Option<Intervals>> {
        let mut given = self.by_intervals();
        let Some(path) = given.next() else { return Ok(None) };
        if given.next().is_some() {
            bail!("--by can be given only once with intervals");
        }
        let number = path.to_str().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
        let Some(number) = number.filter(|number| !number.is_empty()) else {
            return Ok(Some(Intervals::bed(path)?));
        };
        match number.parse().ok().and_then(Intervals::windows) {
            Some(windows) => Ok(Some(windows)),
            None => {
                bail!("invalid value '{number}' for --by: windows have 1 to {} bases", u32::MAX)
            }
        }
    }

    /// Whether nothing is asked of references without intervals.
    pub(crate) fn only_intervals(&self) -> bool {
        self.no_per_base && self.thresholds.is_empty() && self.quantize.is_none()
    }
}

impl DepthArgs {
    /// An option that depths alone have, if one is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let rules = DepthRules::default();
        self.files.given().or(first([
            ("--use-median", self.files.use_median),
            ("--fast-mode", self.fast_mode),
            ("--exclude-flags", self.flag != rules.filter.none_of),
            ("--include-flag", self.include_flag != 0),
            ("--min-mapq", self.mapq > 0),
            ("--read-groups", !self.read_groups.is_empty()),
        ]))
    }

    /// Which records count.
    pub(crate) fn rules(&self) -> DepthRules {
        DepthRules {
            filter: Filter {
                none_of: self.flag,
                any_of: self.include_flag,
                min_mapping_quality: self.mapq,
                ..Filter::default()
            },
            read_groups: self.read_groups.iter().map(|id| id.clone().into_bytes()).collect(),
            counting: if self.fast_mode { Counting::Whole } else { Counting::Once },
            ..DepthRules::default()
        }
    }
}

/// A file of that name can be named by its folder.
fn group(path: &Path) -> Option<GroupBy> {
    GroupBy::parse(path.to_str()?)
}

fn first<const N: usize>(options: [(&'static str, bool); N]) -> Option<&'static str> {
    options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
}

/// Says which files of intervals have some of length 0.
pub(crate) fn tell_empty(console: &Console, notes: impl IntoIterator<Item = Note>) {
    for note in notes {
        console.warning(&note.to_string());
    }
}

/// Says which intervals of a BED file lie outside the references of a file.
pub(crate) fn tell_unknown(
    console: &Console,
    intervals: Option<&Intervals>,
    header: &bam::Header,
    name: &str,
) {
    let Some(intervals) = intervals else { return };
    if !intervals.are_windows() && intervals.references().is_empty() {
        console.warning("--by: the BED file has no intervals");
    }
    for reference in intervals.references() {
        let known = header.references().iter().find(|known| known.name == reference);
        let shown = biofast_io::Escaped(reference);
        match known.map(|known| (known.length, intervals.past_end(reference, known.length))) {
            None => {
                let what = format!(
                    "{name}: no reference is named '{shown}': its --by intervals are left out"
                );
                console.warning(&what);
            }
            Some((_, 0)) => {}
            Some((length, count)) => {
                let ends = if count == 1 { "--by interval ends" } else { "--by intervals end" };
                let what =
                    format!("{name}: {count} {ends} past the end of '{shown}' ({length} bases)");
                console.warning(&what);
            }
        }
    }
}

/// Opens the files of mosdepth of one input, whose names start with `prefix`.
pub(crate) fn targets(
    settings: &Settings,
    prefix: &Path,
    session: &mut Session,
) -> Result<Targets> {
    let path = |ending: &str| {
        let mut path = prefix.as_os_str().to_owned();
        path.push(ending);
        PathBuf::from(path)
    };
    let text = |ending: &str, session: &mut Session| output::report(session, Some(&path(ending)));
    let bed = |ending, session: &mut Session| -> Result<(Output, Output)> {
        let compression = Compression::new(Format::Bgzf, Some(Level::Number(1)))?;
        let bed = output::records(session, Some(&path(ending)), compression)?;
        Ok((bed, text(&format!("{ending}.csi"), session)?))
    };
    let has_regions = settings.intervals.is_some();
    let mut optional_bed = |wanted: bool, ending| match wanted {
        true => bed(ending, session).map(Some),
        false => Ok(None),
    };
    Ok(Targets {
        per_base: optional_bed(settings.per_base, ".per-base.bed.gz")?,
        regions: optional_bed(has_regions, ".regions.bed.gz")?,
        quantized: optional_bed(settings.quantize.is_some(), ".quantized.bed.gz")?,
        thresholds: optional_bed(!settings.thresholds.is_empty(), ".thresholds.bed.gz")?,
        summary: Some(text(".mosdepth.summary.txt", session)?),
        global: Some(text(".mosdepth.global.dist.txt", session)?),
        region: match has_regions {
            true => Some(text(".mosdepth.region.dist.txt", session)?),
            false => None,
        },
    })
}

//! Depths of coverage: which records count, and which files of mosdepth are made of them.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use biofast::bam;
use biofast::bam::flag::{self, Filter};
use biofast::io::output::{Compression, Files, Format, Level, Output};
use biofast::ops::coverage::{Counting, Intervals, Rules};
use biofast::ops::qc::By;
use biofast::ops::show::mosdepth::{Quantize, Settings, Targets};

use super::InFile;
use crate::console::message;
use crate::output;

/// What the files of mosdepth hold.
#[derive(clap::Args)]
pub(crate) struct DepthFiles {
    /// Also write the depth of the intervals of a BED file, or of windows of that many bases
    #[arg(short, long, value_name = "BED|WINDOW")]
    by: Vec<InFile>,

    /// For each interval of --by, count the bases that are covered at least N times
    #[arg(short = 'T', long, value_name = "N,…", value_delimiter = ',', requires = "by")]
    thresholds: Vec<u32>,

    /// Write stretches of the same class of depth; classes are given by their bounds, such as 0:1:5:150:
    ///
    /// The variables MOSDEPTH_Q0, MOSDEPTH_Q1 and so on give the classes names.
    #[arg(short, long, value_name = "BOUNDS")]
    quantize: Option<String>,

    /// Don't write the depth of each base
    #[arg(short, long)]
    no_per_base: bool,

    /// Write medians of intervals, not means
    #[arg(short = 'm', long)]
    use_median: bool,
}

/// Depths of coverage.
#[derive(clap::Args)]
pub(crate) struct DepthArgs {
    #[command(flatten)]
    pub(crate) files: DepthFiles,

    /// Count all from the first to the last base of an alignment, and both mates where they overlap
    #[arg(short = 'x', long)]
    pub(crate) fast_mode: bool,

    /// Only records with none of these flags
    #[arg(short = 'F', long, value_name = "FLAGS", default_value = "1796", value_parser = flags)]
    flag: u16,

    /// Only records with at least one of these flags
    #[arg(short, long, value_name = "FLAGS", default_value = "0", value_parser = flags)]
    include_flag: u16,

    /// Only records of at least this mapping quality
    #[arg(short = 'Q', long, value_name = "N", default_value_t = 0)]
    mapq: u8,

    /// Only records of these read groups
    #[arg(short = 'R', long, value_name = "ID,…", value_delimiter = ',')]
    read_groups: Vec<String>,
}

fn flags(text: &str) -> Result<u16, String> {
    flag::parse(text).ok_or_else(|| {
        "expected a number from 0 to 65535, or names separated by commas, such as UNMAP,DUP".into()
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

    /// What the files of mosdepth are to hold, of all references or of the `only` one.
    pub(crate) fn settings(&self, only: Option<&str>) -> Result<Settings> {
        let mut thresholds = self.thresholds.clone();
        thresholds.sort_unstable();
        let quantize = match &self.quantize {
            None => None,
            Some(bounds) => {
                let name = |class| std::env::var(format!("MOSDEPTH_Q{class}")).ok();
                let Some(quantize) = Quantize::parse(bounds, name) else {
                    bail!("--quantize {bounds}: expected numbers with ':' between them");
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
        })
    }

    /// What `--by` names that is no group of records.
    fn by_intervals(&self) -> impl Iterator<Item = &InFile> {
        self.by.iter().filter(|by| group(by).is_none())
    }

    /// The groups of records that `--by` names.
    pub(crate) fn by_groups(&self) -> Result<Option<By>> {
        let mut given = self.by.iter().filter_map(|by| group(by));
        match (given.next(), given.next()) {
            (Some(_), Some(_)) => bail!("--by takes one of RG, SM and LB"),
            (by, _) => Ok(by),
        }
    }

    /// The intervals of `--by`.
    fn intervals(&self) -> Result<Option<Intervals>> {
        let mut given = self.by_intervals();
        let Some(path) = given.next() else { return Ok(None) };
        if given.next().is_some() {
            bail!("--by is given twice with intervals");
        }
        let number = path.to_str().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
        let Some(number) = number.filter(|number| !number.is_empty()) else {
            return Ok(Some(Intervals::bed(path)?));
        };
        match number.parse().ok().and_then(Intervals::windows) {
            Some(windows) => Ok(Some(windows)),
            None => bail!("--by {number}: windows have 1 to {} bases", u32::MAX),
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
        let rules = Rules::default();
        self.files.given().or(first([
            ("--use-median", self.files.use_median),
            ("--fast-mode", self.fast_mode),
            ("--flag", self.flag != rules.filter.none_of),
            ("--include-flag", self.include_flag != 0),
            ("--mapq", self.mapq > 0),
            ("--read-groups", !self.read_groups.is_empty()),
        ]))
    }

    /// Which records count.
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            filter: Filter {
                none_of: self.flag,
                any_of: self.include_flag,
                min_mapping_quality: self.mapq,
                ..Filter::default()
            },
            read_groups: self.read_groups.iter().map(|id| id.clone().into_bytes()).collect(),
            counting: if self.fast_mode { Counting::Whole } else { Counting::Once },
            ..Rules::default()
        }
    }
}

/// A file of that name can be named by its folder.
fn group(path: &Path) -> Option<By> {
    By::parse(path.to_str()?)
}

fn first<const N: usize>(options: [(&'static str, bool); N]) -> Option<&'static str> {
    options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
}

/// Says which references of a BED file there are none of.
pub(crate) fn tell_unknown(intervals: Option<&Intervals>, header: &bam::Header, name: &str) {
    for reference in intervals.map(Intervals::references).unwrap_or_default() {
        if header.reference_id(reference).is_none() {
            let reference = biofast::io::Escaped(reference);
            let what = format!("{name}: no reference '{reference}', of which --by has intervals");
            message("warning", &what);
        }
    }
}

/// Opens the files of mosdepth of one input, whose names start with `prefix`.
pub(crate) fn targets(settings: &Settings, prefix: &Path, files: &mut Files) -> Result<Targets> {
    let path = |ending: &str| {
        let mut path = prefix.as_os_str().to_owned();
        path.push(ending);
        PathBuf::from(path)
    };
    let text = |ending: &str, files: &mut Files| output::report(files, Some(&path(ending)));
    let bed = |ending, files: &mut Files| -> Result<(Output, Output)> {
        let compression = Compression::new(Format::Bgzf, Some(Level::Number(1)))?;
        let bed = output::records(files, Some(&path(ending)), compression)?;
        Ok((bed, text(&format!("{ending}.csi"), files)?))
    };
    let has_regions = settings.intervals.is_some();
    let mut optional_bed = |wanted: bool, ending| match wanted {
        true => bed(ending, files).map(Some),
        false => Ok(None),
    };
    Ok(Targets {
        per_base: optional_bed(settings.per_base, ".per-base.bed.gz")?,
        regions: optional_bed(has_regions, ".regions.bed.gz")?,
        quantized: optional_bed(settings.quantize.is_some(), ".quantized.bed.gz")?,
        thresholds: optional_bed(!settings.thresholds.is_empty(), ".thresholds.bed.gz")?,
        summary: Some(text(".mosdepth.summary.txt", files)?),
        global: Some(text(".mosdepth.global.dist.txt", files)?),
        region: match has_regions {
            true => Some(text(".mosdepth.region.dist.txt", files)?),
            false => None,
        },
    })
}

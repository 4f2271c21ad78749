//! The JSON form of statistics: complete enough to be merged again.

use std::collections::BTreeMap;

use biofast_kernels::{BaseCounts, PHRED_VALUES};
use serde::{Deserialize, Serialize};

use super::positions::Bin;
use super::summary::mean_quality;
use super::{Collector, EXACT_POSITIONS};

/// The `schema` of a report.
pub const SCHEMA: &str = "biofast.stats";
/// The `schema_version` of a report. Fields may be added within a version; a field that
/// changes its meaning or goes away raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// What `biofast stats --json` prints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The version of biofast that wrote it.
    pub biofast_version: String,
    /// One entry an input, in the order given.
    pub files: Vec<FileReport>,
}

/// One input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileReport {
    /// The sample's name, by default the path.
    pub sample: String,
    /// The inputs counted here.
    pub inputs: Vec<String>,
    /// `ok` or `error`.
    pub status: Status,
    /// What went wrong. The figures below are then those of the reads before the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is worth knowing.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Always `FASTQ`.
    pub format: String,
    /// The figures.
    #[serde(flatten)]
    pub statistics: Statistics,
}

/// Whether an input was read to its end without a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Read to its end.
    Ok,
    /// Faulty.
    Error,
}

/// The figures of an input: counts, and what is derived from them for convenience.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Statistics {
    /// Number of reads.
    pub reads: u64,
    /// Number of bases.
    pub bases: u64,
    /// `DNA`, `RNA`, `Protein` or empty.
    pub sequence_type: String,
    /// Read lengths.
    pub length: Length,
    /// What the sequences are made of.
    pub composition: Composition,
    /// What the qualities are.
    pub quality: Quality,
    /// Bases and qualities by position in the read.
    pub positions: Vec<Position>,
}

/// Read lengths.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Length {
    /// Shortest read.
    pub min: u64,
    /// Mean, to a tenth.
    pub mean: f64,
    /// Longest read.
    pub max: u64,
    /// First quartile, median, third quartile.
    pub quartiles: [f64; 3],
    /// N50.
    pub n50: u64,
    /// L50: how many of the longest reads hold half the bases.
    pub l50: u64,
    /// N90.
    pub n90: u64,
    /// L90.
    pub l90: u64,
    /// `[length, reads]`, ascending.
    pub histogram: Vec<(u64, u64)>,
}

/// What the sequences are made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Composition {
    /// A and a.
    pub a: u64,
    /// C and c.
    pub c: u64,
    /// G and g.
    pub g: u64,
    /// T and t.
    pub t: u64,
    /// N and n.
    pub n: u64,
    /// Every other character by itself.
    pub other: BTreeMap<char, u64>,
    /// (G+C) / (A+C+G+T) in percent.
    pub gc_percent: f64,
    /// (G+C) / all characters in percent.
    pub gc_percent_of_all: f64,
    /// N / all characters in percent.
    pub n_percent: f64,
    /// `-` and `.`.
    pub gaps: u64,
    /// Reads by GC percent, 0 to 100. Reads without A, C, G and T are in no class.
    pub gc_histogram: Vec<u64>,
}

/// What the qualities are. Phred values, 33 already subtracted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Quality {
    /// `phred33`, `probably-phred64`, `probably-solexa64` or `unknown`.
    pub encoding: String,
    /// −10·log10 of the mean error probability over all bases.
    pub mean: f64,
    /// The arithmetic mean of Phred values.
    pub mean_arithmetic: f64,
    /// Bases of Phred 20 and more, in percent.
    pub q20_percent: f64,
    /// Bases of Phred 30 and more, in percent.
    pub q30_percent: f64,
    /// `[phred, bases]`, ascending.
    pub histogram: Vec<(u8, u64)>,
    /// `[phred, reads]`: reads by mean quality (of error probabilities), rounded down.
    pub read_mean_histogram: Vec<(u8, u64)>,
}

/// What is at one position, or at a bin of later positions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Position {
    /// First position, from 1.
    pub start: usize,
    /// Last position; differs from `start` beyond position 1,000.
    pub end: usize,
    /// A, C, G, T, N and other characters.
    pub bases: [u64; 6],
    /// −10·log10 of the mean error probability.
    pub mean_quality: f64,
    /// The lowest Phred value that 10, 25, 50, 75 and 90 percent of the bases don't exceed.
    pub quality_percentiles: [u8; 5],
    /// `[phred, bases]`, ascending.
    pub qualities: Vec<(u8, u64)>,
}

/// Why a report can't be read back.
#[derive(Debug)]
#[non_exhaustive]
pub enum InvalidReport {
    /// Not a report of statistics.
    Schema(String),
    /// A later version.
    Version(u32),
    /// Counts that contradict each other.
    Inconsistent(&'static str),
}

impl std::fmt::Display for InvalidReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InvalidReport::Schema(found) => {
                write!(f, "expected the schema \"{SCHEMA}\", found \"{found}\"")
            }
            InvalidReport::Version(found) => write!(
                f,
                "the report has schema version {found}; this biofast reads version \
                 {SCHEMA_VERSION}"
            ),
            InvalidReport::Inconsistent(what) => write!(f, "the report contradicts itself: {what}"),
        }
    }
}

impl std::error::Error for InvalidReport {}

impl Report {
    /// A report of `files`, by the biofast of `version`.
    pub fn new(version: &str, files: Vec<FileReport>) -> Report {
        Report {
            schema: SCHEMA.into(),
            schema_version: SCHEMA_VERSION,
            biofast_version: version.into(),
            files,
        }
    }
}

/// The part of a report that says how to read the rest; read it first.
#[derive(Clone, Debug, Deserialize)]
pub struct Preamble {
    schema: String,
    schema_version: u32,
}

impl Preamble {
    /// Checks that this is a report this version understands.
    ///
    /// # Errors
    /// If it isn't.
    pub fn check(&self) -> Result<(), InvalidReport> {
        if self.schema != SCHEMA {
            return Err(InvalidReport::Schema(self.schema.clone()));
        }
        if self.schema_version != SCHEMA_VERSION {
            return Err(InvalidReport::Version(self.schema_version));
        }
        Ok(())
    }
}

/// A float that JSON shows with at most six decimals, the same on every platform.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn sparse(counts: &[u64]) -> Vec<(u8, u64)> {
    (0u8..).zip(counts).filter(|&(_, &n)| n > 0).map(|(phred, &n)| (phred, n)).collect()
}

impl From<&Collector> for Statistics {
    fn from(c: &Collector) -> Self {
        let s = c.summary();
        let other = (0u8..=255).zip(c.other_bytes).filter(|&(_, n)| n > 0);
        Statistics {
            reads: s.reads,
            bases: s.bases,
            sequence_type: s.sequence_type.name().into(),
            length: Length {
                min: s.min_len,
                mean: s.mean_len_tenths as f64 / 10.0,
                max: s.max_len,
                quartiles: s.quartiles,
                n50: s.n50.0,
                l50: s.n50.1,
                n90: s.n90.0,
                l90: s.n90.1,
                histogram: c.lengths.iter().collect(),
            },
            composition: Composition {
                a: s.counts.a,
                c: s.counts.c,
                g: s.counts.g,
                t: s.counts.t,
                n: s.counts.n,
                other: other.map(|(b, n)| (char::from(b), n)).collect(),
                gc_percent: s.gc.value(),
                gc_percent_of_all: s.gc_of_all.value(),
                n_percent: s.n.value(),
                gaps: s.gaps,
                gc_histogram: c.gc.to_vec(),
            },
            quality: Quality {
                encoding: s.encoding.name().into(),
                mean: rounded(s.mean_quality),
                mean_arithmetic: rounded(s.arithmetic_mean_quality),
                q20_percent: s.q20.value(),
                q30_percent: s.q30.value(),
                histogram: sparse(&s.qualities),
                read_mean_histogram: sparse(&c.mean_quality),
            },
            positions: c.positions.bins().map(|bin| Position::from(&bin)).collect(),
        }
    }
}

impl From<&Bin> for Position {
    fn from(bin: &Bin) -> Self {
        let total: u64 = bin.qualities.iter().sum();
        let percentile = |percent: u64| {
            let needed = u128::from(total) * u128::from(percent);
            let mut seen = 0u128;
            let reached = bin.qualities.iter().position(|&n| {
                seen += u128::from(n) * 100;
                seen >= needed && seen > 0
            });
            reached.unwrap_or(0) as u8
        };
        let b = &bin.bases;
        Position {
            start: bin.start,
            end: bin.end,
            bases: [b.a, b.c, b.g, b.t, b.n, b.other],
            mean_quality: rounded(mean_quality(&bin.qualities)),
            quality_percentiles: [10, 25, 50, 75, 90].map(percentile),
            qualities: sparse(&bin.qualities),
        }
    }
}

impl TryFrom<&Statistics> for Collector {
    type Error = InvalidReport;

    /// Reads counts back. Derived figures are ignored.
    fn try_from(s: &Statistics) -> Result<Collector, InvalidReport> {
        let mut c = Collector { reads: s.reads, ..Collector::default() };
        let composition = &s.composition;
        for (&letter, &n) in &composition.other {
            let byte = u8::try_from(letter)
                .map_err(|_| InvalidReport::Inconsistent("a base that is not one byte"))?;
            c.other_bytes[usize::from(byte)] = n;
        }
        for &(len, reads) in &s.length.histogram {
            c.lengths.add(len, reads);
        }
        let gc = <&[u64; 101]>::try_from(&composition.gc_histogram[..]);
        c.gc = *gc.map_err(|_| InvalidReport::Inconsistent("gc_histogram needs 101 entries"))?;
        c.mean_quality = dense(&s.quality.read_mean_histogram)?;
        for position in &s.positions {
            let [a, c_, g, t, n, other] = position.bases;
            let bin = Bin {
                start: position.start,
                end: position.end,
                bases: BaseCounts { a, c: c_, g, t, n, other },
                qualities: dense(&position.qualities)?,
            };
            if !c.positions.add_bin(&bin) {
                return Err(InvalidReport::Inconsistent("a position bin that doesn't exist"));
            }
        }
        consistent(s, &c)?;
        Ok(c)
    }
}

/// Whether the counts agree with each other, so that a damaged report isn't merged silently.
fn consistent(s: &Statistics, c: &Collector) -> Result<(), InvalidReport> {
    let lengths = s.length.histogram.iter();
    let reads = sum(lengths.clone().map(|&(_, n)| n))?;
    let bases = sum(lengths.map(|&(len, n)| len.saturating_mul(n)))?;
    let composition = &s.composition;
    let counts = BaseCounts {
        a: composition.a,
        c: composition.c,
        g: composition.g,
        t: composition.t,
        n: composition.n,
        other: sum(composition.other.values().copied())?,
    };
    if reads != s.reads {
        return Err(InvalidReport::Inconsistent("lengths don't add up to the reads"));
    }
    if bases != s.bases {
        return Err(InvalidReport::Inconsistent("lengths don't add up to the bases"));
    }
    if sum(s.positions.iter().flat_map(|p| p.bases))? != bases
        || sum(s.positions.iter().flat_map(|p| p.qualities.iter().map(|q| q.1)))? != bases
        || c.bases() != counts
    {
        return Err(InvalidReport::Inconsistent("positions don't add up to the bases"));
    }
    // Reads without A, C, G and T have no GC, empty ones no quality.
    if sum(c.gc)? > reads || sum(c.mean_quality)? > reads {
        return Err(InvalidReport::Inconsistent("more reads in a histogram than there are"));
    }
    Ok(())
}

/// A sum that a forged report can't overflow.
fn sum(values: impl IntoIterator<Item = u64>) -> Result<u64, InvalidReport> {
    let mut values = values.into_iter();
    values
        .try_fold(0u64, u64::checked_add)
        .ok_or(InvalidReport::Inconsistent("counts beyond 64 bits"))
}

fn dense(sparse: &[(u8, u64)]) -> Result<[u64; PHRED_VALUES], InvalidReport> {
    let mut counts = [0u64; PHRED_VALUES];
    for &(phred, n) in sparse {
        let count = counts
            .get_mut(usize::from(phred))
            .ok_or(InvalidReport::Inconsistent("a Phred value above 93"))?;
        if *count != 0 {
            return Err(InvalidReport::Inconsistent("a Phred value counted twice"));
        }
        *count = n;
    }
    Ok(counts)
}

const _: () = assert!(EXACT_POSITIONS == 1000, "the documentation of Position says 1,000");

//! The files, made while runs come.

use std::fmt::Write as _;

use biofast_bam::{Error, Header};
use biofast_io::output::Output;
use biofast_kernels::decimal::write_unsigned;

use super::text::BedLines;
use biofast_ops::measure::compat::MosdepthVersion;
use biofast_ops::measure::coverage::regions::{RegionDepth, Regions};
use biofast_ops::measure::coverage::{DepthRun, DepthSink, Distribution, Intervals, RunBatch};

/// Depths that mosdepth lists although no position has them.
const LISTED: usize = 300;
/// Shares of positions below this are not listed.
const LEAST_SHARE: f64 = 8e-5;
/// Means of windows from this one on are counted together.
fn most_window(version: MosdepthVersion) -> usize {
    // Up to 0.3.7.
    if version >= MosdepthVersion::V0_3_14 { 511 } else { 999 }
}

/// Options of mosdepth.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `--by`.
    pub intervals: Option<Intervals>,
    /// `--thresholds`, sorted.
    pub thresholds: Vec<u32>,
    /// `--quantize`.
    pub quantize: Option<Quantize>,
    /// `--use-median`.
    pub median: bool,
    /// Not `--no-per-base`.
    pub per_base: bool,
    /// `--chrom`: the name of the only reference.
    pub only: Option<Vec<u8>>,
    /// Decimals of means and shares.
    pub precision: usize,
    /// In the form of which version.
    pub version: MosdepthVersion,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            intervals: None,
            thresholds: Vec::new(),
            quantize: None,
            median: false,
            per_base: true,
            only: None,
            precision: 2,
            version: MosdepthVersion::default(),
        }
    }
}

/// Depth classes for `--quantize`: `0:1:4:` stands for `0:1`, `1:4` and `4:inf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantize {
    /// Where classes start, and where the last one ends.
    bounds: Vec<i64>,
    names: Vec<String>,
}

impl Quantize {
    /// Reads bounds with colons between them, as mosdepth does: a colon at the start stands for 0, one at the end for no
    /// end, and without any the number is the bound of two classes. `name` may give a class its name.
    pub fn parse(text: &str, name: impl Fn(usize) -> Option<String>) -> Option<Quantize> {
        let mut text = match text.contains(':') {
            true => text.to_owned(),
            false => format!(":{text}:"),
        };
        if text.starts_with(':') {
            text.insert(0, '0');
        }
        if text.ends_with(':') {
            text.push_str(&i64::MAX.to_string());
        }
        let mut bounds = text.split(':').map(str::parse).collect::<Result<Vec<i64>, _>>().ok()?;
        bounds.sort_unstable();
        let named = |(class, two): (usize, &[i64])| {
            name(class).filter(|name| !name.is_empty()).unwrap_or_else(|| match two[1] {
                i64::MAX => format!("{}:inf", two[0]),
                end => format!("{}:{end}", two[0]),
            })
        };
        let names = bounds.windows(2).enumerate().map(named).collect();
        Some(Quantize { bounds, names })
    }

    /// The names of the classes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The class of a depth; `None` if it has none.
    fn class(&self, depth: u32) -> Option<usize> {
        let depth = i64::from(depth);
        if depth < *self.bounds.first()? {
            return None;
        }
        // Of equal bounds the first one counts.
        let class = match self.bounds.iter().position(|&bound| bound >= depth) {
            Some(at) if self.bounds[at] == depth => at,
            Some(at) => at - 1,
            None => return None,
        };
        Some(class)
    }

    /// The name of a class that has one: of what lies at the last bound there is none.
    fn name(&self, class: Option<usize>) -> Option<&str> {
        self.names.get(class?).map(String::as_str)
    }
}

/// The output files; only those given are written. BED files are BGZF and have an index beside them.
#[derive(Default)]
pub struct Targets {
    /// `mosdepth.summary.txt`.
    pub summary: Option<Output>,
    /// `mosdepth.global.dist.txt`.
    pub global: Option<Output>,
    /// `mosdepth.region.dist.txt`.
    pub region: Option<Output>,
    /// `per-base.bed.gz`.
    pub per_base: Option<(Output, Output)>,
    /// `regions.bed.gz`.
    pub regions: Option<(Output, Output)>,
    /// `quantized.bed.gz`.
    pub quantized: Option<(Output, Output)>,
    /// `thresholds.bed.gz`.
    pub thresholds: Option<(Output, Output)>,
}

/// The files while they are made.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::output::{Compression, Output, commit};
/// use biofast_io::{Options, Source};
/// use biofast_ops::coverage::{self, DepthRules};
/// use biofast_report::mosdepth::{Files, Settings, Targets};
///
/// # let sam = b"@SQ\tSN:c\tLN:10\nr\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\n";
/// let path = std::env::temp_dir().join(format!("biofast-doc-{}.summary.txt", std::process::id()));
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Alignment };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let summary = Output::create_with(&path, Compression::default())?;
/// let targets = Targets { summary: Some(summary), ..Targets::default() };
/// let (_, files) = coverage::collect(input.source, &options, &DepthRules::default(), |header| {
///     Files::new(header, Settings::default(), targets, 1)
/// })?;
/// commit(files.finish()?, false)?;
/// assert!(std::fs::read_to_string(&path)?.contains("c\t10\t4\t0.40\t0\t1\n"));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Files {
    references: Vec<(Vec<u8>, u64)>,
    settings: Settings,
    /// The reference that runs are of, from its first one on.
    reference: usize,
    has_begun: bool,
    is_wanted: bool,
    regions: Option<Regions>,
    class: Option<usize>,
    class_start: u64,

    chrom: Distribution,
    chrom_regions: Distribution,
    /// Windows by mean.
    chrom_windows: Vec<u64>,
    total: Distribution,
    total_regions: Distribution,
    total_windows: Vec<u64>,
    /// Whether the summary has a row of the intervals of a reference.
    has_region_row: bool,
    /// References without records, and their bases.
    without_records: (u64, u64),

    summary: String,
    global: String,
    region: String,
    targets: [Option<Output>; 3],
    per_base: Option<BedLines>,
    by: Option<BedLines>,
    quantized: Option<BedLines>,
    thresholds: Option<BedLines>,
}

impl Files {
    /// For references of this header. BED files are compressed on `threads` threads.
    ///
    /// # Errors
    /// If there can be no index, or an output isn't BGZF.
    pub fn new(
        header: &Header,
        settings: Settings,
        targets: Targets,
        threads: usize,
    ) -> Result<Files, Error> {
        let references: Vec<_> =
            header.references().iter().map(|r| (r.name.clone(), r.length)).collect();
        let longest = references.iter().map(|(_, length)| *length).max().unwrap_or(0);
        let lines = |target: Option<(Output, Output)>, threads: usize| {
            target.map(|target| BedLines::new(target, threads, longest)).transpose()
        };
        let mut thresholds = lines(targets.thresholds, 1)?;
        if let Some(thresholds) = &mut thresholds {
            let mut line = "#chrom\tstart\tend\tregion".to_owned();
            for threshold in &settings.thresholds {
                let _ = write!(line, "\t{threshold}X");
            }
            thresholds.header(&(line + "\n"));
        }
        Ok(Files {
            references,
            settings,
            reference: 0,
            has_begun: false,
            is_wanted: false,
            regions: None,
            class: None,
            class_start: 0,
            chrom: Distribution::default(),
            chrom_regions: Distribution::default(),
            chrom_windows: Vec::new(),
            total: Distribution::default(),
            total_regions: Distribution::default(),
            total_windows: Vec::new(),
            has_region_row: false,
            without_records: (0, 0),
            summary: "chrom\tlength\tbases\tmean\tmin\tmax\n".into(),
            global: String::new(),
            region: String::new(),
            targets: [targets.summary, targets.global, targets.region],
            per_base: lines(targets.per_base, threads)?,
            by: lines(targets.regions, 1)?,
            quantized: lines(targets.quantized, 1)?,
            thresholds,
        })
    }

    fn begin(&mut self) {
        self.has_begun = true;
        let (name, length) = &self.references[self.reference];
        let intervals = self.settings.intervals.as_ref();
        // Nothing is asked of a reference without intervals.
        let is_asked = self.settings.per_base
            || !self.settings.thresholds.is_empty()
            || self.settings.quantize.is_some()
            || intervals.is_none_or(|intervals| intervals.are_on(name));
        let is_named = self.settings.only.as_ref().is_none_or(|only| only == name);
        self.is_wanted = is_asked && is_named;
        self.regions = intervals.map(|intervals| {
            let own = intervals.of(name, *length);
            Regions::new(own, &self.settings.thresholds, self.settings.median)
        });
    }

    /// Writes the lines of a region that is complete.
    fn write_region(&mut self, region: &RegionDepth, has_records: bool) {
        let name = &self.references[self.reference].0;
        let (start, end) = (region.interval.start.into(), region.interval.end.into());
        let label = &region.interval.name[..];
        let depth = region.depth();
        if let Some(lines) = &mut self.by {
            let text = lines.begin(name, start, end);
            if !label.is_empty() {
                text.extend_from_slice(label);
                text.push(b'\t');
            }
            text.extend_from_slice(format!("{depth:.*}", self.settings.precision).as_bytes());
            lines.end(name, start, end);
        }
        if let Some(lines) = &mut self.thresholds {
            let text = lines.begin(name, start, end);
            text.extend_from_slice(if label.is_empty() { b"unknown" } else { label });
            for &count in &region.counts {
                text.push(b'\t');
                write_unsigned(count, text);
            }
            lines.end(name, start, end);
        }
        if has_records && self.settings.intervals.as_ref().is_some_and(Intervals::are_windows) {
            let class = ((depth + 0.5) as usize).min(most_window(self.settings.version));
            if class >= self.chrom_windows.len() {
                self.chrom_windows.resize(class + 1, 0);
            }
            self.chrom_windows[class] += 1;
        }
    }

    fn write_class(&mut self, end: u64) {
        let (Some(quantize), Some(lines)) = (&self.settings.quantize, &mut self.quantized) else {
            return;
        };
        if let Some(class) = quantize.name(self.class) {
            let name = &self.references[self.reference].0;
            let text = lines.begin(name, self.class_start, end);
            text.extend_from_slice(class.as_bytes());
            lines.end(name, self.class_start, end);
        }
    }

    /// Writes the rows and tables of a reference.
    fn write_tables(&mut self, has_records: bool) {
        let has_regions = self.settings.intervals.is_some();
        let precision = self.settings.precision;
        let name = String::from_utf8_lossy(&self.references[self.reference].0).into_owned();
        if has_records {
            row(&mut self.summary, &name, &self.chrom, self.chrom.min(), precision);
            if has_regions {
                let name = format!("{name}_region");
                let min = self.least(&self.chrom_regions, !self.has_region_row);
                self.has_region_row = true;
                row(&mut self.summary, &name, &self.chrom_regions, min, precision);
            }
        } else {
            self.without_records.0 += 1;
            self.without_records.1 += self.references[self.reference].1;
        }
        table(&mut self.global, &name, self.chrom.by_depth(), precision);
        if has_regions {
            let windows = self.settings.intervals.as_ref().is_some_and(Intervals::are_windows);
            let by_depth = match windows {
                true => &self.chrom_windows[..],
                false => self.chrom_regions.by_depth(),
            };
            table(&mut self.region, &name, by_depth, precision);
        }
        self.total.merge(&self.chrom);
        self.total_regions.merge(&self.chrom_regions);
        let len = self.total_windows.len().max(self.chrom_windows.len());
        self.total_windows.resize(len, 0);
        for (total, windows) in self.total_windows.iter_mut().zip(&self.chrom_windows) {
            *total += windows;
        }
        self.chrom = Distribution::default();
        self.chrom_regions = Distribution::default();
        self.chrom_windows.clear();
    }

    /// The least depth of a row, which is a sum that is begun with this row.
    fn least(&self, depths: &Distribution, begins: bool) -> u32 {
        // Up to 0.3.4 a sum begins with a depth of 0.
        match begins && self.settings.version < MosdepthVersion::V0_3_14 {
            true => 0,
            false => depths.min(),
        }
    }

    /// The number of references without records, and of their bases. Like mosdepth's, the `total` rows don't count
    /// them.
    pub fn without_records(&self) -> (u64, u64) {
        self.without_records
    }

    /// The outputs with all their text, to be committed.
    ///
    /// # Errors
    /// If something couldn't be written.
    pub fn finish(mut self) -> Result<Vec<Output>, Error> {
        let precision = self.settings.precision;
        let min = self.least(&self.total, true);
        row(&mut self.summary, "total", &self.total, min, precision);
        table(&mut self.global, "total", self.total.by_depth(), precision);
        if let Some(intervals) = &self.settings.intervals {
            let min = self.least(&self.total_regions, true);
            row(&mut self.summary, "total_region", &self.total_regions, min, precision);
            let by_depth = match intervals.are_windows() {
                true => &self.total_windows[..],
                false => self.total_regions.by_depth(),
            };
            table(&mut self.region, "total", by_depth, precision);
        }
        let mut outputs = Vec::new();
        let texts = [&self.summary, &self.global, &self.region];
        for (target, text) in self.targets.into_iter().zip(texts) {
            if let Some(mut output) = target {
                output.append(text.as_bytes())?;
                outputs.push(output);
            }
        }
        let lines = [self.per_base, self.by, self.quantized, self.thresholds];
        lines.into_iter().flatten().try_for_each(|lines| lines.finish(&mut outputs))?;
        Ok(outputs)
    }
}

impl DepthSink for Files {
    fn run(&mut self, run: DepthRun) {
        if !self.has_begun {
            self.begin();
        }
        if !self.is_wanted {
            return;
        }
        self.chrom.add(run);
        if let Some(lines) = &mut self.per_base {
            let name = &self.references[self.reference].0;
            let text = lines.begin(name, run.from, run.to);
            write_unsigned(run.depth.into(), text);
            lines.end(name, run.from, run.to);
        }
        if let Some(quantize) = &self.settings.quantize {
            let class = quantize.class(run.depth);
            let length = self.references[self.reference].1;
            if run.from == 0 {
                (self.class, self.class_start) = (class, 0);
            } else if class != self.class && run.from + 1 < length {
                // mosdepth doesn't look at the last position.
                self.write_class(run.from);
                (self.class, self.class_start) = (class, run.from);
            }
        }
        if let Some(mut regions) = self.regions.take() {
            let mut all = std::mem::take(&mut self.chrom_regions);
            regions.add(run, &mut all, |region| self.write_region(&region, true));
            self.chrom_regions = all;
            self.regions = Some(regions);
        }
    }

    fn batch(&mut self, runs: &RunBatch<'_>) {
        if !self.has_begun {
            self.begin();
        }
        if self.settings.quantize.is_some() || self.regions.is_some() {
            return runs.runs().for_each(|run| self.run(run));
        }
        if self.is_wanted {
            self.chrom.add_batch(runs);
            if let Some(lines) = &mut self.per_base {
                lines.depths(&self.references[self.reference].0, runs.changes());
            }
        }
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        debug_assert_eq!(reference, self.reference);
        if !self.has_begun {
            self.begin();
        }
        if self.is_wanted {
            let length = self.references[self.reference].1;
            if let Some(mut regions) = self.regions.take() {
                regions.end(|region| self.write_region(&region, has_records));
            }
            if !has_records {
                if let Some(lines) = &mut self.per_base {
                    let name = &self.references[self.reference].0;
                    lines.begin(name, 0, length).push(b'0');
                    lines.end(name, 0, length);
                }
                if let Some(quantize) = &self.settings.quantize {
                    let starts_at_0 = quantize.bounds.first() == Some(&0);
                    (self.class, self.class_start) = (starts_at_0.then_some(0), 0);
                }
            }
            self.write_class(length);
            self.write_tables(has_records);
        }
        self.has_begun = false;
        self.reference += 1;
    }

    fn has_ended(&self) -> bool {
        [&self.per_base, &self.by, &self.quantized, &self.thresholds]
            .into_iter()
            .flatten()
            .any(BedLines::has_failed)
    }
}

/// Writes a row of the summary.
fn row(text: &mut String, name: &str, depths: &Distribution, min: u32, precision: usize) {
    let (positions, bases) = (depths.positions(), depths.bases());
    let (mean, max) = (depths.mean(), depths.max());
    let _ = writeln!(text, "{name}\t{positions}\t{bases}\t{mean:.precision$}\t{min}\t{max}");
}

/// Writes for each depth, from the deepest one, which share of the positions is at least so deep.
fn table(text: &mut String, name: &str, by_depth: &[u64], precision: usize) {
    let sum = by_depth.iter().sum::<u64>();
    if sum == 0 {
        return;
    }
    let mut share = 0.0;
    for (depth, &positions) in by_depth.iter().enumerate().rev() {
        if depth > LISTED && positions == 0 {
            continue;
        }
        share += positions as f64 / sum as f64;
        if share >= LEAST_SHARE {
            let _ = writeln!(text, "{name}\t{depth}\t{share:.precision$}");
        }
    }
}

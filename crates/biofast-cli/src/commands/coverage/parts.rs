//! Depths of shards, and what is made of those of all shards.

use std::path::Path;

use anyhow::{Context, Result, bail};
use biofast_bam::{self as bam, Detail, Header};
use biofast_io::output::{Output, commit};
use biofast_ops::coverage::{
    self, Counting, DepthJoin, DepthRules, DepthSink, Intervals, PartialDepths, PerReference,
    ReferenceSums,
};
use biofast_ops::shards::ShardPart;
use biofast_report::mosdepth;
use biofast_report::tables::coverage as table;
use serde::{Deserialize, Serialize};

use super::files::tell_without_records;
use super::formats::{self, DepthInput};
use super::{Args, CoverageFormat, rules, sum};
use crate::inputs::{self, Input};
use crate::options::{DepthFiles, targets, tell_empty, tell_unknown};
use crate::output;
use crate::session::{Exit, Session};

/// The `schema` of the depths of a shard.
pub(crate) const SCHEMA: &str = "biofast.coverage";
/// Its `schema_version`.
const SCHEMA_VERSION: u32 = 1;

/// What `biofast coverage --shard` prints.
#[derive(Serialize, Deserialize)]
pub(crate) struct CoverageReport {
    schema: String,
    schema_version: u32,
    biofast_version: String,
    /// The path of the file.
    pub(crate) path: String,
    /// Which shard it is.
    pub(crate) shard: ShardPart,
    /// The form in which the depths of all shards are printed.
    format: CoverageFormat,
    /// How often -a was given.
    all_positions: u8,
    counted: CountingRules,
    depths: PartialDepths,
}

/// Which records were counted, and what of them.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CountingRules {
    flag: u16,
    include_flag: u16,
    mapq: u8,
    read_groups: Vec<String>,
    fast_mode: bool,
    min_base_quality: u8,
}

impl CountingRules {
    fn of(rules: &DepthRules) -> CountingRules {
        let text = |id: &Vec<u8>| String::from_utf8_lossy(id).into_owned();
        CountingRules {
            flag: rules.filter.none_of,
            include_flag: rules.filter.any_of,
            mapq: rules.filter.min_mapping_quality,
            read_groups: rules.read_groups.iter().map(text).collect(),
            fast_mode: rules.counting == Counting::Whole,
            min_base_quality: rules.min_base_quality,
        }
    }
}

/// `--shard`: the depths of a shard, to be merged.
pub(super) fn write(args: &Args, input: &Input, session: &mut Session) -> Result<Exit> {
    let rules = rules(args)?;
    let out = args.out.open(session)?;
    let watch = args.reading.watch(session);
    let source = bam::Input::open(input.open()?, &watch.opening(None, Detail::Alignment))?.source;
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = coverage::collect_part(source, &watch.options, &rules);
    drop(bar);
    args.reading.tell(&watch, input);
    let (_, mut depths) = result?;
    if !args.format.text_traits().is_some_and(|text| text.spans) {
        depths = depths.without_spans();
    }
    let report = CoverageReport {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        biofast_version: env!("CARGO_PKG_VERSION").to_owned(),
        path: input.name(),
        shard: input.part().context("the plan has no such shard")?,
        format: args.format,
        all_positions: args.all_positions,
        counted: CountingRules::of(&rules),
        depths,
    };
    let mut text = serde_json::to_string(&report)?;
    text.push('\n');
    output::finish(out, text)?;
    Ok(Exit::Fine)
}

/// Reads the depths of a shard.
pub(crate) fn read(text: &[u8]) -> Result<CoverageReport> {
    let report: CoverageReport = serde_json::from_slice(text).context(
        "damaged, or written by another version of biofast: run `biofast coverage --shard` again",
    )?;
    match report.schema_version {
        SCHEMA_VERSION => Ok(report),
        other => bail!("written by another version of biofast: schema version {other}"),
    }
}

/// Brings reports of all shards in their order, and makes sure that they can be added.
fn in_order(reports: &mut [CoverageReport]) -> Result<()> {
    reports.sort_by_key(|report| report.shard.pieces.first().map(|piece| piece.shards.0));
    let different = |two: &[CoverageReport]| {
        (two[0].format, two[0].all_positions) != (two[1].format, two[1].all_positions)
            || two[0].counted != two[1].counted
    };
    if reports.windows(2).any(different) {
        bail!("the shards were computed with different options");
    }
    Ok(())
}

/// Gives the depths of all shards to what `depths` makes of the header.
fn join<D: DepthSink>(
    reports: &[CoverageReport],
    depths: impl FnOnce(&Header) -> Result<D>,
) -> Result<(Header, D, Vec<ReferenceSums>)> {
    let first = reports.first().context("no input")?;
    let header = first.depths.header()?;
    let mut join = DepthJoin::new(&header, depths(&header)?);
    for report in reports {
        let record = report.shard.pieces.first().map_or(0, |piece| piece.records.0);
        join.add(&report.depths, record, &first.path)?;
        if join.has_ended() {
            break;
        }
    }
    let (depths, sums) = join.finish();
    Ok((header, depths, sums))
}

impl DepthInput for &[CoverageReport] {
    fn collect<D: DepthSink + Send>(
        self,
        sink: impl FnOnce(&Header) -> D,
    ) -> Result<(Header, D, Vec<ReferenceSums>)> {
        join(self, |header| Ok(sink(header)))
    }
}

/// Writes the text of one run, of reports of all shards.
pub(crate) fn merge(mut reports: Vec<CoverageReport>, as_tsv: bool, out: Output) -> Result<Exit> {
    in_order(&mut reports)?;
    let (format, all) = match reports.first() {
        Some(first) => (first.format, first.all_positions),
        None => bail!("no input"),
    };
    if as_tsv && format != CoverageFormat::Table && format != CoverageFormat::Tsv {
        bail!("-T (--tsv) applies to tables, but these depths are for another format");
    }
    let filled = match format {
        CoverageFormat::Table | CoverageFormat::Tsv => {
            let (header, depths, _) = join(&reports, |header| Ok(PerReference::new(header)))?;
            let row = |report: &CoverageReport| (report.path.clone(), sum(&header, depths, None));
            let rows: Vec<_> = reports.first().map(row).into_iter().collect();
            let text = match as_tsv || format == CoverageFormat::Tsv {
                true => table::tsv(&rows),
                false => table::table(&rows),
            };
            output::filled(out, text)?
        }
        text => formats::text(text, &reports[..], None, all, out)?,
    };
    commit(vec![filled], false)?;
    Ok(Exit::Fine)
}

/// Writes the files of mosdepth to a folder, of reports of all shards.
pub(crate) fn write_files(
    mut reports: Vec<CoverageReport>,
    (folder, wanted): (&Path, &DepthFiles),
    (threads, is_quiet): (usize, bool),
    session: &mut Session,
) -> Result<Exit> {
    in_order(&mut reports)?;
    let Some(first) = reports.first() else { bail!("no input") };
    if !matches!(first.format, CoverageFormat::Table | CoverageFormat::Tsv) {
        bail!("mosdepth's files can't be made from depths for another format than a table");
    }
    if wanted.by_groups()?.is_some() {
        bail!("--by RG, SM and LB work only in `biofast stats`");
    }
    let settings = wanted.settings(None)?;
    output::make_folder(session, folder)?;
    let prefixes = output::prefixes(folder, std::iter::once(inputs::stem(Path::new(&first.path))))?;
    let prefix = prefixes.first().context("no input")?;
    let targets = targets(&settings, prefix, session)?;
    let intervals = settings.intervals.clone();
    let (header, made, _) = join(&reports, |header| {
        intervals.as_ref().map_or(Ok(()), |intervals| intervals.check(header, &first.path))?;
        Ok(mosdepth::Files::new(header, settings, targets, threads)?)
    })?;
    if !is_quiet {
        tell_empty(&session.console, intervals.iter().filter_map(Intervals::note));
        tell_unknown(&session.console, intervals.as_ref(), &header, &first.path);
    }
    tell_without_records(&session.console, &made, &first.path, is_quiet);
    commit(made.finish()?, false)?;
    Ok(Exit::Fine)
}

//! Depths of shards, and what is made of those of all shards.

use std::path::Path;

use anyhow::{Context, Result, bail};
use biofast_bam::{self as bam, Detail, Header};
use biofast_io::output::{Output, commit};
use biofast_ops::compat::{MosdepthVersion, SamtoolsVersion};
use biofast_ops::coverage::{
    self, Counting, DepthJoin, DepthRules, DepthSink, Intervals, PartialDepths, PerReference,
    ReferenceSums,
};
use biofast_report::mosdepth;
use biofast_report::tables::coverage as table;
use clap::ValueEnum as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::files::tell_without_records;
use super::formats::{self, DepthInput};
use super::{Args, CoverageFormat, rules, sum};
use crate::inputs::{self, Input};
use crate::options::{DepthFiles, targets, tell_empty, tell_unknown};
use crate::output;
use crate::parts::{self, Mergeable, Part, PartOptions};
use crate::session::{Exit, Session};

/// The depths of shards that follow each other.
#[derive(Serialize, Deserialize)]
pub(crate) struct ShardDepths {
    /// The path of the file.
    path: String,
    /// The form in which the depths of all shards are printed.
    format: CoverageFormat,
    /// The version of samtools whose form that is, if it is samtools'.
    samtools: SamtoolsVersion,
    /// How often -a was given.
    all_positions: u8,
    /// The depths of each shard, and the number of its first record, from 0.
    runs: Vec<(u64, PartialDepths)>,
}

impl Mergeable for ShardDepths {
    const COMMAND: &'static str = "coverage";
    type Payload = Self;

    fn read(part: Part<Self>) -> Result<(Self, Option<u64>)> {
        // Depths don't tell the number of records.
        Ok((part.payload, None))
    }

    fn append(&mut self, next: Self) -> Result<()> {
        self.runs.extend(next.runs);
        Ok(())
    }
}

/// Which records were counted, what of them, and what is printed.
fn options(args: &Args, version: SamtoolsVersion, rules: &DepthRules) -> PartOptions {
    let text = |id: &Vec<u8>| Value::from(String::from_utf8_lossy(id));
    let name = args.format.to_possible_value();
    PartOptions::from_iter([
        ("format".into(), name.map(|name| name.get_name().to_owned()).into()),
        ("compat".into(), format!("samtools={version}").into()),
        ("all-positions".into(), args.all_positions.into()),
        ("exclude-flags".into(), rules.filter.none_of.into()),
        ("include-flags".into(), rules.filter.any_of.into()),
        ("min-mapq".into(), rules.filter.min_mapping_quality.into()),
        ("read-groups".into(), rules.read_groups.iter().map(text).collect()),
        ("fast-mode".into(), (rules.counting == Counting::Whole).into()),
        ("min-base-quality".into(), rules.min_base_quality.into()),
    ])
}

/// `--shard`: the depths of a shard, to be merged.
pub(super) fn write(args: &Args, input: &Input, session: &mut Session) -> Result<Exit> {
    let rules = rules(args)?;
    let samtools = args.compat.of(|peer| args.writes(peer))?.samtools;
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
    let shard = input.part().context("the plan has no such shard")?;
    let payload = ShardDepths {
        path: input.name(),
        format: args.format,
        samtools,
        all_positions: args.all_positions,
        runs: vec![(shard.pieces.first().map_or(0, |piece| piece.records.0), depths)],
    };
    let part = Part { shard, payload };
    output::finish(out, parts::text::<ShardDepths>(options(args, samtools, &rules), vec![part])?)?;
    Ok(Exit::Fine)
}

/// Gives the depths of all shards to what `depths` makes of the header.
fn join<D: DepthSink>(
    all: &ShardDepths,
    depths: impl FnOnce(&Header) -> Result<D>,
) -> Result<(Header, D, Vec<ReferenceSums>)> {
    let (_, first) = all.runs.first().context("no depths")?;
    let header = first.header()?;
    let mut join = DepthJoin::new(&header, depths(&header)?);
    for (record, depths) in &all.runs {
        join.add(depths, *record, &all.path)?;
        if join.has_ended() {
            break;
        }
    }
    let (depths, sums) = join.finish();
    Ok((header, depths, sums))
}

impl DepthInput for &ShardDepths {
    fn collect<D: DepthSink + Send>(
        self,
        sink: impl FnOnce(&Header) -> D,
    ) -> Result<(Header, D, Vec<ReferenceSums>)> {
        join(self, |header| Ok(sink(header)))
    }
}

/// Writes the text of one run, of the depths of all shards.
pub(crate) fn merge(found: &ShardDepths, as_tsv: bool, out: Output) -> Result<Exit> {
    let (format, all) = (found.format, found.all_positions);
    if as_tsv && format != CoverageFormat::Table && format != CoverageFormat::Tsv {
        bail!("-T (--tsv) applies to tables, but these depths are for another format");
    }
    let filled = match format {
        CoverageFormat::Table | CoverageFormat::Tsv => {
            let (_, depths, _) = join(found, |header| Ok(PerReference::new(header)))?;
            let rows = [(found.path.clone(), sum(depths.finish().iter()))];
            let text = match as_tsv || format == CoverageFormat::Tsv {
                true => table::tsv(&rows),
                false => table::table(&rows),
            };
            output::filled(out, text)?
        }
        text => formats::text((text, found.samtools), found, None, all, out)?,
    };
    commit(vec![filled], false)?;
    Ok(Exit::Fine)
}

/// Writes the files of mosdepth of a version to a folder, of the depths of all shards.
pub(crate) fn write_files(
    found: &ShardDepths,
    (folder, wanted, version): (&Path, &DepthFiles, MosdepthVersion),
    (threads, is_quiet): (usize, bool),
    session: &mut Session,
) -> Result<Exit> {
    if !matches!(found.format, CoverageFormat::Table | CoverageFormat::Tsv) {
        bail!("mosdepth's files can't be made from depths for another format than a table");
    }
    if wanted.by_groups()?.is_some() {
        bail!("--by RG, SM and LB work only in `biofast stats`");
    }
    let settings = wanted.settings(None, version)?;
    output::make_folder(session, folder)?;
    let prefixes = output::prefixes(folder, std::iter::once(inputs::stem(Path::new(&found.path))))?;
    let prefix = prefixes.first().context("no input")?;
    let targets = targets(&settings, prefix, session)?;
    let intervals = settings.intervals.clone();
    let (header, made, _) = join(found, |header| {
        intervals.as_ref().map_or(Ok(()), |intervals| intervals.check(header, &found.path))?;
        Ok(mosdepth::Files::new(header, settings, targets, threads)?)
    })?;
    if !is_quiet {
        tell_empty(&session.console, intervals.iter().filter_map(Intervals::note));
        tell_unknown(&session.console, intervals.as_ref(), &header, &found.path);
    }
    tell_without_records(&session.console, &made, &found.path, is_quiet);
    commit(made.finish()?, false)?;
    Ok(Exit::Fine)
}

//! `biofast coverage`.

mod args;
mod files;
pub(crate) mod parts;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::bam::{self, Detail, Header, Query, Selection};
use biofast::io::Progress;
use biofast::io::output::{Files, commit};
use biofast::ops::coverage::{
    self, Counting, Distribution, Intervals, PerReference, Rules, TargetDepths,
};
use biofast::ops::show::html::{self, Depths};
use biofast::ops::show::tables::coverage as table;

use crate::console::Bar;
use crate::inputs::{self, Input};
use crate::options::{RegionArgs, tell_unknown};
use crate::output;
use crate::watch::Watch;

pub(crate) use args::Args;
use args::Format;

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let writes_files = args.prefix.is_some() || args.out_dir.is_some();
    if args.shard.any() {
        args.refuse_with_shard()?;
    }
    if !writes_files && let Some(name) = args.depth.files.given() {
        match (name, args.html.is_some()) {
            ("--by", true) => {}
            ("--by", false) => bail!(
                "--by is for the files of mosdepth and for the page: give --prefix, --out-dir or --html"
            ),
            (name, _) => bail!("{name} is for the files of mosdepth: give --prefix or --out-dir"),
        }
    }
    let of_bases = matches!(args.format, Format::SamtoolsCoverage | Format::SamtoolsDepth);
    if args.depth.files.by_groups()?.is_some() {
        bail!(
            "--by RG, SM and LB are of `biofast stats`, which has the depths of each group with --out-dir"
        );
    }
    if of_bases && args.html.is_some() {
        bail!("--html doesn't go with the formats of samtools");
    }
    if args.min_base_quality > 0 && !of_bases {
        bail!("--min-base-quality goes with --format samtools-coverage and samtools-depth");
    }
    if args.all_positions > 0 && args.format != Format::SamtoolsDepth {
        bail!("--all-positions goes with --format samtools-depth");
    }
    if let Some(shard) = args.shard.input(&args.inputs.files, files)? {
        return parts::write(args, &shard, files);
    }
    let all = args.inputs.inputs(files)?;
    if writes_files {
        return files::write(args, &all, files);
    }
    if of_bases {
        let [input] = &all[..] else {
            bail!("the formats of samtools take one input, but {} are named", all.len());
        };
        return files::samtools(args, input, files);
    }
    let intervals = args.depth.files.settings(None)?.intervals;
    if intervals.as_ref().is_some_and(Intervals::are_windows) {
        bail!(
            "--html shows the targets of a BED file, not windows: give --by a BED file, or --prefix or --out-dir for the \
             depths of windows"
        );
    }
    let report = args.out.open(files)?;
    let page = output::optional_report(files, args.html.as_deref())?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = match args.chrom {
        // Of a reference only a part of each file is read.
        Some(_) => None,
        None => all.iter().map(Input::len).sum(),
    };
    let bar = Bar::new(&progress, total, args.reading.messages.quiet);
    let mut rows = Vec::new();
    let mut samples = Vec::new();
    for input in &all {
        let (depths, targets) = depths(args, input, intervals.as_ref(), &progress)?;
        if page.is_some() {
            samples.push(Depths { sample: input.name(), all: depths.clone(), targets });
        }
        rows.push((input.name(), depths));
    }
    drop(bar);
    let text = match args.format {
        Format::Tsv => table::tsv(&rows),
        _ => table::table(&rows),
    };
    let mut outputs = vec![output::filled(report, text)?];
    if let Some(page) = page {
        outputs.push(output::filled(page, html::coverage(&samples))?);
    }
    commit(outputs, false)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Refuses what doesn't go with a shard.
    fn refuse_with_shard(&self) -> Result<()> {
        let shard = &self.shard;
        let of_all = "the files of mosdepth are of all shards, whose reports `biofast merge --out-dir` makes them of";
        shard.refuse(self.prefix.is_some(), "--prefix", of_all)?;
        shard.refuse(self.out_dir.is_some(), "--out-dir", of_all)?;
        if let Some(option) = self.depth.files.given() {
            shard.refuse(true, option, of_all)?;
        }
        shard.refuse(self.html.is_some(), "--html", "the page is of whole files")?;
        shard.refuse(self.chrom.is_some(), "--chrom", "a shard is not of regions")?;
        shard.refuse(self.inputs.files_from.is_some(), "--files-from", "the plan names its file")
    }
}

/// The depths of one input for its row, and those of its targets.
fn depths(
    args: &Args,
    input: &Input,
    intervals: Option<&Intervals>,
    progress: &Arc<Progress>,
) -> Result<(Distribution, Option<TargetDepths>)> {
    let watch = watch(args, progress);
    let query = query(args, input, &watch, None, Detail::Alignment)?;
    let only = args.chrom.as_deref().map(str::as_bytes);
    let result = coverage::collect(query, &watch.options, &rules(args), |header| {
        let targets = intervals.map(|intervals| TargetDepths::new(header, intervals.clone(), only));
        Ok((coverage::PerReference::new(header), targets))
    });
    args.reading.tell(&watch, input);
    let (header, (depths, targets)) = result?;
    if !args.reading.messages.quiet && only.is_none() {
        tell_unknown(intervals, &header, &input.name());
    }
    Ok((sum(&header, depths, only), targets))
}

/// Which records count.
fn rules(args: &Args) -> Rules {
    Rules { min_base_quality: args.min_base_quality, ..args.depth.rules() }
}

/// The same for the formats of samtools.
fn rules_of_samtools(args: &Args) -> Result<Rules> {
    if args.depth.fast_mode {
        bail!("--fast-mode doesn't go with the formats of samtools");
    }
    let sums = args.format == Format::SamtoolsCoverage;
    Ok(Rules { counting: Counting::Each, sums, ..rules(args) })
}

/// The sum of all references, or of the `only` one.
fn sum(header: &Header, depths: PerReference, only: Option<&[u8]>) -> Distribution {
    let mut sum = Distribution::default();
    for (reference, depths) in header.references().iter().zip(depths.finish()) {
        if only.is_none_or(|only| only == reference.name) {
            sum.merge(&depths);
        }
    }
    sum
}

/// What is read of an input: all, or the references that are asked for, through an index where there is one.
fn query(
    args: &Args,
    input: &Input,
    watch: &Watch,
    intervals: Option<&Intervals>,
    detail: Detail,
) -> Result<Query> {
    let opening = watch.opening(args.reference.as_deref(), detail);
    let mut source = input.open()?;
    inputs::tell_unused_reference(
        args.reference.as_deref(),
        &mut source,
        args.reading.messages.quiet,
    );
    let is_file = matches!(input, Input::Path(_)) && source.len().is_some();
    let mut selection = Selection::new();
    match (&args.chrom, intervals) {
        (Some(name), _) => {
            selection.add(format!("{{{name}}}"));
        }
        (None, Some(intervals))
            if is_file && args.depth.files.only_intervals() && !intervals.are_windows() =>
        {
            let opened = bam::Input::open(source, &opening)?.source;
            let (header, again) = bam::peek_header(opened)?;
            let named = |name: &&[u8]| header.reference_id(name).is_some();
            let names: Vec<&[u8]> = intervals.references().into_iter().filter(named).collect();
            // As many as there are need no choice.
            if names.is_empty() || names.len() == header.references().len() {
                return Ok(again.into());
            }
            for name in names {
                selection.add(format!("{{{}}}", String::from_utf8_lossy(name)));
            }
            source = input.open()?;
        }
        _ => return Ok(bam::Input::open(source, &opening)?.source.into()),
    }
    RegionArgs::select(&selection, input, source, &opening)
}

/// One progress bar for all inputs.
fn watch(args: &Args, progress: &Arc<Progress>) -> Watch {
    args.reading.sharing(progress)
}

//! `biofast coverage`.

mod args;
mod files;
mod formats;
pub(crate) mod parts;

use std::sync::Arc;

use anyhow::{Result, bail};
use biofast_bam::{self as bam, Detail, Header, Query, Selection};
use biofast_io::Progress;
use biofast_io::output::commit;
use biofast_ops::compat::Peer;
use biofast_ops::coverage::{
    self, Counting, DepthRules, Distribution, Intervals, PerReference, TargetDepths,
};
use biofast_report::html::{self, Depths};
use biofast_report::tables::coverage as table;

use crate::console::{Bar, Hinted};
use crate::inputs::{self, Input};
use crate::options::{Judged, RegionArgs, tell_empty, tell_unknown};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Watch;

pub(crate) use args::Args;
use formats::CoverageFormat;

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let writes_files = args.prefix.is_some() || args.out_dir.is_some();
    if args.shard.any() {
        args.refuse_with_shard()?;
    }
    if !writes_files && let Some(name) = args.depth.files.given() {
        match (name, args.html.is_some()) {
            ("--by", true) => {}
            ("--by", false) => {
                return Err(Hinted::error(
                    "--by has no effect on the table",
                    "add --prefix PREFIX or --out-dir DIR for mosdepth's files, or --html FILE",
                ));
            }
            (name, _) => {
                bail!("{name} needs mosdepth's files: add --prefix PREFIX or --out-dir DIR")
            }
        }
    }
    let text = args.format.text_traits();
    if args.depth.files.by_groups()?.is_some() {
        bail!(
            "--by RG, SM and LB work only in `biofast stats --out-dir DIR`, which writes the depths of each group"
        );
    }
    if text.is_some() && args.html.is_some() {
        bail!("--html needs --format table or tsv");
    }
    if args.min_base_quality > 0 && !text.is_some_and(|text| text.of_samtools) {
        bail!("--min-base-quality needs --format samtools-coverage or samtools-depth");
    }
    if args.all_positions > 0 && !text.is_some_and(|text| text.takes_all) {
        bail!("--all-positions needs --format samtools-depth or bedgraph");
    }
    args.compat.of(|peer| args.writes(peer))?;
    let why = "its format has no verdicts";
    args.verdicts.refuse(text.is_some(), "--format of other programs", why)?;
    args.verdicts.refuse(args.shard.any(), "--shard", "verdicts need whole files")?;
    let judge = args.verdicts.judge(None, session)?;
    if let Some(shard) = args.shard.input(&args.inputs.files, session)? {
        return parts::write(args, &shard, session);
    }
    let all = args.inputs.inputs(session)?;
    if writes_files {
        return files::write(args, &all, &judge, session);
    }
    let hint = "to write mosdepth's files use `biofast coverage --prefix PREFIX FILE`";
    inputs::refuse_output_first(&all, hint)?;
    if text.is_some() {
        let [input] = &all[..] else {
            bail!("this format takes one input, but got {}", all.len());
        };
        return files::text(args, input, session);
    }
    let intervals = args.depth.files.intervals()?;
    if intervals.as_ref().is_some_and(Intervals::are_windows) {
        bail!(
            "--html shows the intervals of a BED file, not windows: use --by BED, or add --prefix PREFIX to write the depths of windows"
        );
    }
    if !args.reading.messages.quiet {
        tell_empty(&session.console, intervals.iter().filter_map(Intervals::note));
    }
    let report = args.out.open_as(false, session)?;
    let page = args.title.open(session, args.html.as_deref())?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = match args.chrom {
        // Of a reference only a part of each file is read.
        Some(_) => None,
        None => all.iter().map(Input::len).sum(),
    };
    let bar = Bar::new(&session.console, &progress, total, args.reading.messages.quiet);
    let mut rows = Vec::new();
    let mut samples = Vec::new();
    let mut judged = Judged::new();
    for input in &all {
        let wanted = (intervals.as_ref(), page.is_some());
        let mut depths = depths(args, input, wanted, &progress, session)?;
        let found = depths.judge(&judge.rules);
        judged.push((input.name(), found));
        rows.push((input.name(), depths.all.clone()));
        if page.is_some() {
            samples.push(depths);
        }
    }
    drop(bar);
    let text = match args.format {
        CoverageFormat::Tsv => table::tsv(&rows),
        _ => table::table(&rows),
    };
    let mut outputs = vec![output::filled(report, text)?];
    if let Some(page) = page {
        outputs.push(page.filled(|title| Ok(html::coverage(title, &samples)))?);
    }
    commit(outputs, false)?;
    judge.conclude(&judged, args.reading.messages.quiet, Exit::Fine)
}

impl Args {
    /// Whether a report of this program is written.
    fn writes(&self, peer: Peer) -> bool {
        match self.prefix.is_some() || self.out_dir.is_some() {
            true => peer == Peer::Mosdepth,
            false => self.format.is_of(peer),
        }
    }

    /// Refuses what doesn't go with a shard.
    fn refuse_with_shard(&self) -> Result<()> {
        let shard = &self.shard;
        let of_all = "mosdepth's files need all shards: merge their reports with `biofast merge --out-dir DIR`";
        shard.refuse(self.prefix.is_some(), "--prefix", of_all)?;
        shard.refuse(self.out_dir.is_some(), "--out-dir", of_all)?;
        if let Some(option) = self.depth.files.given() {
            shard.refuse(true, option, of_all)?;
        }
        shard.refuse(self.html.is_some(), "--html", "the HTML report needs whole files")?;
        shard.refuse(self.chrom.is_some(), "--chrom", "a shard can't be restricted to regions")?;
        shard.refuse(
            self.inputs.files_from.is_some(),
            "--files-from",
            "the plan already names its file",
        )
    }
}

/// The depths of one input for its row, and where they are `drawn`, those of its targets and along its references.
fn depths(
    args: &Args,
    input: &Input,
    (intervals, are_drawn): (Option<&Intervals>, bool),
    progress: &Arc<Progress>,
    session: &Session,
) -> Result<Depths> {
    let watch = watch(args, progress, session);
    let query = query(args, input, &watch, None, Detail::Alignment)?;
    let only = args.chrom.as_deref().map(str::as_bytes);
    let result = coverage::collect(query, &watch.options, &rules(args)?, |header| {
        intervals.map_or(Ok(()), |intervals| intervals.check(header, &input.name()))?;
        Ok(drawn(header, intervals, are_drawn, only))
    });
    args.reading.tell(&watch, input);
    let (header, found) = result?;
    if !args.reading.messages.quiet && only.is_none() {
        tell_unknown(&session.console, intervals, &header, &input.name());
    }
    Ok(gathered(found, input, &header, only))
}

/// What is gathered of an input for its row and its part of the page: depths of its references, of targets, and of windows along the
/// references.
type Drawn = ((PerReference, Option<TargetDepths>), Option<TargetDepths>);

/// For the targets on these references, and windows where there are none and these `are_drawn`.
fn drawn(
    header: &Header,
    targets: Option<&Intervals>,
    are_drawn: bool,
    only: Option<&[u8]>,
) -> Drawn {
    let of = |intervals: Intervals| TargetDepths::new(header, intervals, only);
    let lengths = || header.references().iter().map(|reference| reference.length);
    let windows = (are_drawn && targets.is_none()).then(|| html::window_length(lengths()));
    let windows = windows.and_then(Intervals::windows).map(of);
    ((PerReference::new(header), targets.cloned().map(of)), windows)
}

/// The depths of an input: of all references, or of the `only` one.
fn gathered(drawn: Drawn, input: &Input, header: &Header, only: Option<&[u8]>) -> Depths {
    let ((depths, targets), windows) = drawn;
    let names = header.references().iter().map(|reference| reference.name.to_vec());
    let references: Vec<(Vec<u8>, Distribution)> = names.zip(depths.finish()).collect();
    let of = references.iter().filter(|(name, _)| only.is_none_or(|only| only == name));
    let all = sum(of.map(|(_, depths)| depths));
    let named = |(name, depths): (Vec<u8>, Distribution)| {
        (String::from_utf8_lossy(&name).into_owned(), depths)
    };
    let references = references.into_iter().map(named).collect();
    Depths { sample: input.name(), all, references, windows, targets, verdicts: None }
}

/// Depths of references together.
fn sum<'d>(depths: impl Iterator<Item = &'d Distribution>) -> Distribution {
    let mut sum = Distribution::default();
    depths.for_each(|depths| sum.merge(depths));
    sum
}

/// Which records count, and what of them.
fn rules(args: &Args) -> Result<DepthRules> {
    let rules = DepthRules { min_base_quality: args.min_base_quality, ..args.depth.rules() };
    Ok(match args.format.text_traits() {
        Some(text) if text.of_samtools => {
            if args.depth.fast_mode {
                bail!("--fast-mode can't be combined with samtools' formats");
            }
            DepthRules { counting: Counting::Each, sums: text.sums, ..rules }
        }
        _ => rules,
    })
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
        &watch.console,
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
    RegionArgs::select(
        args.reading.messages.of(&watch.console),
        &selection,
        input,
        source,
        &opening,
    )
}

/// One progress bar for all inputs.
fn watch(args: &Args, progress: &Arc<Progress>, session: &Session) -> Watch {
    args.reading.sharing(session, progress)
}

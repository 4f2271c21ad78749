//! The files of mosdepth, and the texts of one file.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast_bam::{Detail, Header, Query};
use biofast_io::output::commit;
use biofast_io::{Options, Progress};
use biofast_ops::coverage::{self, DepthRules, DepthSink, Intervals, ReferenceSums};
use biofast_report::html;
use biofast_report::mosdepth;

use super::formats::{self, DepthInput};
use super::{Args, gathered, query, rules, watch};
use crate::console::{Bar, Console};
use crate::inputs::Input;
use crate::options::{Judge, Judged, targets, tell_empty, tell_unknown};
use crate::output;
use crate::session::{Exit, Session};

/// `--prefix` and `--out-dir`: the files of each input appear together.
pub(super) fn write(
    args: &Args,
    inputs: &[Input],
    judge: &Judge,
    session: &mut Session,
) -> Result<Exit> {
    let prefixes = prefixes(args, inputs)?;
    let version = args.compat.of(|peer| args.writes(peer))?.mosdepth;
    let settings = args.depth.files.settings(args.chrom.as_deref(), version)?;
    if !args.reading.messages.quiet {
        tell_empty(&session.console, settings.intervals.iter().filter_map(Intervals::note));
    }
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    if let Some(folder) = &args.out_dir {
        output::make_folder(session, folder)?;
    }
    let page = args.title.open(session, args.html.as_deref())?;
    // The page and verdicts tell of all positions, too.
    let is_drawn = page.is_some() || judge.is_asked();
    let mut samples = Vec::new();
    let mut judged = Judged::new();
    let only = args.chrom.as_deref().map(str::as_bytes);
    let bar = Bar::new(&session.console, &progress, total, args.reading.messages.quiet);
    for (input, prefix) in inputs.iter().zip(prefixes) {
        let targets = targets(&settings, &prefix, session)?;
        let watch = watch(args, &progress, session);
        let intervals = settings.intervals.as_ref();
        let needed = intervals.filter(|_| !is_drawn);
        let query = query(args, input, &watch, needed, Detail::Alignment)?;
        let targets_drawn = intervals.filter(|intervals| is_drawn && !intervals.are_windows());
        let threads = watch.options.threads;
        let result = coverage::collect(query, &watch.options, &rules(args)?, |header| {
            intervals.map_or(Ok(()), |intervals| intervals.check(header, &input.name()))?;
            let drawn = is_drawn.then(|| super::drawn(header, targets_drawn, true, only));
            Ok((mosdepth::Files::new(header, settings.clone(), targets, threads)?, drawn))
        });
        args.reading.tell(&watch, input);
        let (header, (made, drawn)) = result?;
        if let Some(drawn) = drawn {
            let mut depths = gathered(drawn, input, &header, only);
            judged.push((input.name(), depths.judge(&judge.rules)));
            samples.push(depths);
        }
        if !args.reading.messages.quiet && args.chrom.is_none() {
            tell_unknown(&session.console, intervals, &header, &input.name());
        }
        tell_without_records(&session.console, &made, &input.name(), args.reading.messages.quiet);
        commit(made.finish()?, false)?;
    }
    drop(bar);
    if let Some(page) = page {
        commit(vec![page.filled(|title| Ok(html::coverage(title, &samples)))?], false)?;
    }
    judge.conclude(&judged, args.reading.messages.quiet, Exit::Fine)
}

/// Says which references the row `total` leaves out, which a table of the same file counts.
pub(super) fn tell_without_records(
    console: &Console,
    made: &mosdepth::Files,
    name: &str,
    is_quiet: bool,
) {
    let (references, bases) = made.without_records();
    if references > 0 && !is_quiet {
        let references = match references {
            1 => "1 reference without reads is excluded".to_owned(),
            n => format!("{n} references without reads are excluded"),
        };
        let what = format!(
            "{name}: {references} from the summary's 'total' ({bases} bases), like mosdepth; the table of `biofast coverage` includes them"
        );
        console.note(&what);
    }
}

/// What the names of each input's files start with.
fn prefixes(args: &Args, inputs: &[Input]) -> Result<Vec<PathBuf>> {
    let Some(folder) = &args.out_dir else {
        let Some(prefix) = args.prefix.as_deref() else { return Ok(Vec::new()) };
        return match inputs {
            [_] => Ok(vec![prefix.to_owned()]),
            _ => bail!(
                "--prefix takes one input, but got {}: use --out-dir DIR instead",
                inputs.len()
            ),
        };
    };
    output::prefixes(folder, inputs.iter().map(Input::stem))
}

/// The formats of one file.
pub(super) fn text(args: &Args, input: &Input, session: &mut Session) -> Result<Exit> {
    let rules = rules(args)?;
    let report = args.out.open_as(false, session)?;
    let watch = args.reading.watch(session);
    let query = query(args, input, &watch, None, Detail::Alignment)?;
    let bar = watch.bar(query.stored_len().or(input.len()), &args.reading.messages);
    let only = args.chrom.as_deref().map(str::as_bytes);
    let depths = FileDepths { query, options: &watch.options, rules: &rules };
    let version = args.compat.of(|peer| args.writes(peer))?.samtools;
    let format = (args.format, version);
    let made = formats::text(format, depths, only, args.all_positions, report);
    drop(bar);
    args.reading.tell(&watch, input);
    commit(vec![made?], false)?;
    Ok(Exit::Fine)
}

/// The depths of a file.
struct FileDepths<'a> {
    query: Query,
    options: &'a Options,
    rules: &'a DepthRules,
}

impl DepthInput for FileDepths<'_> {
    fn collect<D: DepthSink + Send>(
        self,
        sink: impl FnOnce(&Header) -> D,
    ) -> Result<(Header, D, Vec<ReferenceSums>)> {
        let FileDepths { query, options, rules } = self;
        Ok(coverage::collect_with_sums(query, options, rules, |header| Ok(sink(header)))?)
    }
}

//! `biofast grep`: reads by motif or name.

mod args;
mod outputs;
mod report;

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result, bail};
use biofast_fastq::Transform;
use biofast_io::{TextBounds, display_name};
use biofast_ops::convert::{NucleicAcid, letters_of};
use biofast_ops::grep::{Grep, MateRequirement, Pattern, PatternFinder, Search, Within};

use crate::console::Console;
use crate::inputs::{self, Input};
use crate::session::{Exit, Session};
pub(crate) use args::Args;
use args::{GrepPairRule, What};

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let whole = "a shard doesn't tell what is in the others";
    args.shard.refuse(args.results.missing.is_some(), "--missing", whole)?;
    args.shard.refuse(args.results.require_all, "--require-all", whole)?;
    let inputs = match args.shard.reads(&args.files, args.interleaved, session)? {
        Some(shards) => shards,
        None => inputs::of_reads(&args.files, args.interleaved, session)?,
    };
    let mut job = args.reading.job(inputs, &args.pairing, session);
    let paired = job.is_paired();
    if !paired && args.results.pair == GrepPairRule::Both {
        bail!("--pair both needs pairs: two files, or --interleaved");
    }
    let mut finder = finder(args, job.inputs(), &session.console)?;
    let mut sources = job.open(None)?;
    if finder.depends_on_rna() {
        let starts = job.inputs().iter().map(Input::open_start);
        let starts = starts.zip(&mut sources).map(|(whole, source)| match whole {
            Some(mut whole) => letters_of(&mut whole),
            None => letters_of(source),
        });
        let letters = starts.flatten().next();
        finder = finder.of_rna(letters == Some(NucleicAcid::Rna));
    }
    let mut results = outputs::open(args, &mut job, session)?;
    let grep = Grep::new(&finder)
        .mates(match args.results.pair {
            GrepPairRule::Any => MateRequirement::Any,
            GrepPairRule::Both => MateRequirement::Both,
        })
        .invert(args.results.invert_match)
        .all_places(args.writing.json.is_some() || args.results.count_by_pattern)
        .painted(results.painted)
        .texts(results.texts);
    let sources = job.sequences(sources)?;
    let worker = job.run(|options| {
        Transform::new(sources).options_of_each(options).run(
            &mut results.written.outputs,
            || grep.worker(),
            |worker, unit, texts| worker.apply(unit, texts),
            |worker, other| worker.merge(other),
        )
    })?;
    let tally = worker.finish();
    let summary = (report::summary(&finder, &tally, paired), results.sums(&tally, &job));
    let outputs = results.filled(args, &finder, &tally)?;
    let missing = tally.patterns.iter().filter(|count| count.reads == 0).count();
    let lacking = format!("{missing} of {} patterns were found in no read", tally.patterns.len());
    let done = job.finish(outputs, args.writing.sync, summary, |console| {
        report::tell(console, args, &finder, &tally, paired);
    })?;
    if !args.results.require_all || missing == 0 {
        return Ok(done);
    }
    session.console.error(&lacking);
    Ok(Exit::CheckFailed)
}

/// What is looked for.
fn finder(args: &Args, inputs: &[Input], console: &Console) -> Result<PatternFinder> {
    let what = &args.what;
    let within = within(what);
    let mut patterns: Vec<Pattern> = what.pattern.iter().map(Pattern::new).collect();
    for path in &what.pattern_file {
        if **path == *Path::new("-")
            && inputs.iter().any(|input| matches!(input, Input::Stdin(_) | Input::Unnamed(_)))
        {
            bail!(
                "standard input can't be used for both reads and patterns: name a file for one of them"
            );
        }
        let text = inputs::text(path, TextBounds::LIST)?;
        let found = match within {
            Within::Sequence => Pattern::fasta_or_lines(&text),
            // A name may start with anything.
            Within::Name | Within::Definition => Pattern::lines(&text),
        };
        if found.is_empty() {
            bail!("{} has no pattern", display_name(path));
        }
        let start = found.iter().find(|pattern| pattern.text().starts_with(b"@"));
        if let Some(pattern) =
            start.filter(|_| within != Within::Sequence && !args.reading.messages.quiet)
        {
            let (path, text) = (display_name(path), biofast_io::Shown(pattern.text()).to_string());
            console.warning(&format!("{path} has '{text}': leave out the @ before names"));
        }
        patterns.extend(found);
    }
    // What is asked for twice is found once.
    let mut texts = HashSet::new();
    let is_new: Vec<bool> = patterns.iter().map(|pattern| texts.insert(pattern.text())).collect();
    drop(texts);
    let mut is_new = is_new.into_iter();
    patterns.retain(|_| is_new.next().unwrap_or(true));
    let search = Search::new(patterns)
        .within(within)
        .regex(what.use_regexp)
        .mismatches(what.max_mismatch)
        .forward_only(what.only_positive_strand)
        .any_case(what.ignore_case)
        .region(what.region);
    search.build().context(match within {
        Within::Sequence if !what.use_regexp => "can't search for these motifs",
        _ => "can't search for these patterns",
    })
}

/// Where it is looked for.
fn within(what: &What) -> Within {
    match (
        what.by_name,
        what.by_seq || what.degenerate || what.max_mismatch > 0 || what.region.is_some(),
    ) {
        (true, _) => Within::Definition,
        (_, true) => Within::Sequence,
        _ => Within::Name,
    }
}

//! `biofast grep`: reads by motif or name.

mod args;
mod outputs;
mod report;

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use biofast::fastq::fasta::Sequences;
use biofast::fastq::{Inputs, par_transform};
use biofast::io::output::{Files, Output, commit};
use biofast::io::{Options, Source, TextBounds, display_name};
use biofast::ops::convert::{Letters, letters_of};
use biofast::ops::grep::{Finder, Grep, Mates, Pattern, Search, Tally, Within};

use crate::console::message;
use crate::inputs::{self, Input};
use crate::output;
use crate::watch::Watch;
pub(crate) use args::Args;
use args::{Pair, What};

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let inputs = inputs::gather(&args.files, None, "-", files)?;
    let most = if args.interleaved { 1 } else { 2 };
    if inputs.len() > most {
        let expected = if args.interleaved { "one file" } else { "one file, or two of mates" };
        bail!("expected {expected}, but {} are named", inputs.len());
    }
    inputs::are_two(&inputs)?;
    let paired = args.interleaved || inputs.len() == 2;
    if !paired && args.results.pair == Pair::Both {
        bail!("--pair both needs pairs: two files, or --interleaved");
    }
    let mut finder = finder(args, &inputs)?;
    // Names say which format is meant, so what comes is looked at first.
    let mut sources = Vec::new();
    for input in &inputs {
        sources.push(input.open()?);
    }
    let is_fasta = inputs::are_fasta(&mut sources)?;
    if finder.depends_on_rna() {
        let letters = sources.iter_mut().find_map(letters_of);
        finder = finder.of_rna(letters == Some(Letters::Rna));
    }
    let mut opened = outputs::open(args, paired, is_fasta, files)?;
    let grep = Grep::new(&finder)
        .mates(match args.results.pair {
            Pair::Any => Mates::Any,
            Pair::Both => Mates::Both,
        })
        .invert(args.results.invert_match)
        .all_places(args.json.is_some() || args.results.count_by_pattern)
        .painted(opened.painted)
        .texts(opened.texts);
    let format = if is_fasta { "FASTA" } else { "FASTQ" };
    let tally = apply(args, &inputs, sources, format, &grep, &mut opened.reads)?;
    let sums = report::sums(&tally, &inputs, &opened);
    let all_found = tally.patterns.iter().all(|count| count.reads > 0);
    let outputs = opened.filled(args, &finder, &tally, paired, &sums)?;
    commit(outputs, args.sync)?;
    if !args.messages.quiet {
        report::tell(args, &finder, &tally, paired);
    }
    let is_lacking = args.results.require_all && !all_found;
    Ok(if is_lacking { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What is looked for.
fn finder(args: &Args, inputs: &[Input]) -> Result<Finder> {
    let what = &args.what;
    let within = within(what);
    let mut patterns: Vec<Pattern> = what.pattern.iter().map(Pattern::new).collect();
    for path in &what.pattern_file {
        if **path == *Path::new("-")
            && inputs.iter().any(|input| matches!(input, Input::Stdin(_) | Input::Unnamed(_)))
        {
            bail!("standard input can't be both reads and patterns: name a file");
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
        if let Some(pattern) = start.filter(|_| within != Within::Sequence && !args.messages.quiet)
        {
            let (path, text) = (display_name(path), biofast::io::Shown(pattern.text()).to_string());
            message(
                "warning",
                &format!("{path} has '{text}': the @ before a name is no part of it"),
            );
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
        Within::Sequence if !what.use_regexp => "the motifs can't be looked for",
        _ => "the patterns can't be looked for",
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

/// Searches the inputs.
fn apply(
    args: &Args,
    inputs: &[Input],
    sources: Vec<Source>,
    format: &str,
    grep: &Grep<'_>,
    outputs: &mut [Output],
) -> Result<Tally> {
    let mut sources = sources.into_iter().map(Sequences);
    let sources = match (sources.next(), sources.next()) {
        (Some(one), Some(two)) => Inputs::Paired(one, two),
        (Some(one), None) if args.interleaved => Inputs::Interleaved(one),
        (Some(one), None) => Inputs::Single(one),
        _ => bail!("no input"),
    };
    let progress = Arc::default();
    let watches = [0, 1].map(|_| Watch::sharing(&progress, reading(args)));
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = watches[0].bar(total, &args.messages);
    let result = par_transform(
        sources,
        watches.each_ref().map(|watch| watch.options.clone()),
        None,
        outputs,
        || grep.worker(),
        |worker, unit, texts| worker.apply(unit, texts),
        |worker, other| worker.merge(other),
    );
    drop(bar);
    for (input, watch) in inputs.iter().zip(&watches) {
        watch.tell(input, Some(format), &args.messages, &args.threads);
    }
    Ok(result.map_err(output::failed)?.finish())
}

/// How FASTQ is read.
fn reading(args: &Args) -> Options {
    args.pairing.apply(args.strictness.reads(args.io.apply(args.threads.options())))
}

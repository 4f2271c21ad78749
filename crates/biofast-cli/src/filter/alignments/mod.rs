//! `biofast filter` on alignments: records chosen as by `samtools view`.

mod args;
mod outputs;

use std::process::ExitCode;

use anyhow::{Result, bail};
use biofast::bam::{self, Detail, Header, Query, Selection};
use biofast::io::pipeline::Failure;
use biofast::io::{Escaped, Options, Source};
use biofast::ops::filter::alignment::{Choice, Tally};
use biofast::ops::filter::report::Report;

pub(in crate::filter) use args::AlignmentArgs;

use super::args::Args;
use crate::alignments::RegionArgs;
use crate::inputs::Input;
use crate::reading::{self, Stopped, Watch};
use outputs::{Outputs, Writers};

/// Filters an input that holds alignments and has been opened.
pub(super) fn run(args: &Args, input: &Input, source: Source) -> Result<ExitCode> {
    let name = input.name();
    if let Some(option) = args.only_of_reads() {
        bail!(
            "{option} is of reads, and {} holds alignments (see --help for what selects these)",
            Escaped(name.as_bytes())
        );
    }
    let mut choice = args.alignments.choice()?;
    let watch = Watch::new(Options { strict: !args.allow_missing_eof, ..super::options(args) });
    let (query, tested) = query(args, input, source, &watch)?;
    let total = query.stored_len().or(input.len());
    // A header that can't be read is noticed before any output is touched.
    let (header, query) = query.peek_header()?;
    if let Some(tested) = tested {
        choice = choice.regions(tested.resolve(&header)?);
    }
    let bar = watch.bar(total, args.quiet);
    let result = match args.alignments.count {
        true => count(&choice, query, &watch)
            .map_err(|failure| Stopped::failure(failure, 0))
            .and_then(|n| print(args, n)),
        false => write(args, &choice, query, &header, &watch),
    };
    drop(bar);
    watch.tell(input, args.quiet);
    match result {
        Ok(Some(tally)) => {
            super::tell(args, &Report::alignments(&tally, &reading::command_line()))?;
            Ok(ExitCode::SUCCESS)
        }
        Ok(None) => Ok(ExitCode::SUCCESS),
        Err(stopped) => stopped.code(),
    }
}

/// What is read, and the regions its records are tested against beside that.
///
/// Regions are looked up by an index, and so is -L alone. With -L beside regions, records must
/// overlap both, with -M where they overlap each other. Records that aren't selected include those
/// outside -L, but not those outside what is looked up.
fn query(
    args: &Args,
    input: &Input,
    source: Source,
    watch: &Watch,
) -> Result<(Query, Option<Selection>)> {
    let chosen = &args.alignments;
    let mut regions = chosen.regions.regions.clone();
    for place in args.files.get(1..).unwrap_or_default() {
        match place.to_str() {
            Some(place) => regions.push(place.to_owned()),
            None => bail!("the region {} is not UTF-8", place.display()),
        }
    }
    let named = RegionArgs { regions, regions_file: None };
    let listed = RegionArgs { regions_file: chosen.regions.regions_file.clone(), regions: vec![] };
    let (looked_up, tested) = match (named.any(), listed.any()) {
        (false, false) => (None, None),
        (true, false) => (Some(named.selection()?), None),
        (false, true) if chosen.unselected.is_some() && !chosen.multi_region => {
            (None, Some(listed.selection()?))
        }
        (false, true) => (Some(listed.selection()?), None),
        (true, true) if chosen.multi_region => {
            (Some(named.selection()?.within(listed.selection()?)), None)
        }
        (true, true) => (Some(named.selection()?), Some(listed.selection()?)),
    };
    let detail = match chosen.count && !chosen.looks_inside() {
        true if named.any() || listed.any() => Detail::Alignment,
        true => Detail::Placement,
        false => Detail::Full,
    };
    let opening = watch.opening(chosen.reference.as_deref(), detail);
    let query = match looked_up {
        Some(selection) => RegionArgs::select(&selection, input, source, &opening)?,
        None => bam::Input::open(source, &opening)?.source.into(),
    };
    Ok((query, tested))
}

/// Prints the number of records, and nothing else.
fn print(args: &Args, records: u64) -> Result<Option<Tally>, Stopped> {
    match crate::output::write(args.out.as_deref(), &format!("{records}\n")) {
        Ok(()) => Ok(None),
        Err(error) if crate::output::is_closed_pipe(&error) => Err(Stopped::ByReader),
        Err(error) => Err(Stopped::By(error)),
    }
}

fn count(choice: &Choice, query: Query, watch: &Watch) -> Result<u64, Failure<bam::Error>> {
    let result = bam::par_transform(
        query,
        &watch.options,
        false,
        &mut [],
        || 0,
        |n, batch, _| {
            for record in batch {
                *n += u64::from(choice.objection(&record, batch.header())?.is_none());
            }
            Ok(())
        },
        |n, other| *n += other,
    );
    result.map(|(_, n)| n)
}

fn write(
    args: &Args,
    choice: &Choice,
    query: Query,
    header: &Header,
    watch: &Watch,
) -> Result<Option<Tally>, Stopped> {
    let mut outputs = outputs::open(args, &choice.header(header)).map_err(Stopped::By)?;
    let files = reading::files(&outputs.all);
    let Outputs { all, writers } = &mut outputs;
    let writers: &Writers = writers;
    let result = bam::par_transform(
        query,
        &watch.options,
        false,
        all,
        || choice.worker(),
        |worker, batch, texts| {
            let before = writers.lengths(texts);
            for record in batch {
                if worker.keeps(&record, batch.header())? {
                    writers.write(&record, 0, texts)?;
                } else if writers.has_unselected() {
                    writers.write(&record, 1, texts)?;
                }
            }
            writers.note(before, texts);
            Ok(())
        },
        |worker, other| worker.merge(&other),
    );
    let (_, worker) = result.map_err(|failure: Failure<_>| Stopped::failure(failure, files))?;
    match outputs.commit(args.sync) {
        Ok(Ok(())) => Ok(Some(worker.tally().clone())),
        Ok(Err(error)) => Err(Stopped::output(error, files)),
        Err(error) => Err(Stopped::By(error)),
    }
}

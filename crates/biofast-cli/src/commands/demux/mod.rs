//! `biofast demux`: reads of many samples to files of each.

mod args;
mod outputs;
mod report;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use biofast::fastq::par_transform_files;
use biofast::io::output::{Files, Output, commit, is_same_file};
use biofast::io::{Options, TextBounds, display_name};
use biofast::ops::demux::{
    Demux, Kind, Matcher, Misfit, PlanError, ReadStructure, Rules, Sheet, Tally, TooShort,
};
use biofast::ops::show::demux::metrics;

pub(crate) use args::Args;

use crate::console::{Hinted, message};
use crate::inputs::{self, Input};
use crate::output;
use crate::watch::Watch;

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let inputs = inputs::gather(&args.inputs, None, "-", files)?;
    are_different(&inputs)?;
    let sheet = sheet(args)?;
    let demux = plan(args, &inputs, &sheet)?;
    let ids: Vec<&str> = sheet.samples.iter().map(|sample| sample.id.as_str()).collect();
    if ids.contains(&args.unmatched_prefix.as_str()) {
        bail!(
            "a sample is called {}: give unmatched reads another name with -u",
            args.unmatched_prefix
        );
    }
    let mut opened = outputs::open(args, &demux, &ids, files)?;
    if !args.messages.quiet {
        if !sheet.unused_settings.is_empty() {
            let settings = sheet.unused_settings.join(", ");
            let sheet = display_name(&args.sample_metadata);
            message("warning", &format!("{sheet}: these settings have no effect here: {settings}"));
        }
        tell_near(&demux, &sheet, args.max_mismatches);
    }
    let tally = apply(args, &inputs, &demux, &mut opened.reads)?;
    refuse_misfits(args, &demux, &tally)?;
    let table = metrics(&sheet.samples, &args.unmatched_prefix, &tally);
    let summary = report::summary(args, &demux, &sheet, &tally, &opened);
    let sums = report::sums(&tally, &inputs, &opened);
    let mut outputs = opened.reads;
    outputs.push(output::filled(opened.metrics, table)?);
    if let Some(json) = opened.json {
        outputs.push(output::filled(json, output::summary_of_files(summary, &sums)?)?);
    }
    commit(outputs, args.sync)?;
    if !args.messages.quiet {
        report::tell(&demux, &tally, opened.paths.len());
    }
    Ok(ExitCode::SUCCESS)
}

/// An error if a file is named twice.
fn are_different(inputs: &[Input]) -> Result<()> {
    for (at, one) in inputs.iter().enumerate() {
        for two in &inputs[at + 1..] {
            if let (Input::Path(one), Input::Path(two)) = (one, two)
                && is_same_file(one, two)
            {
                bail!("two inputs are {}", display_name(two));
            }
        }
    }
    Ok(())
}

/// The samples.
fn sheet(args: &Args) -> Result<Sheet> {
    let path: &Path = &args.sample_metadata;
    let text = inputs::text(path, TextBounds::TABLE)?;
    Sheet::parse_without(&text, args.lane, &args.ignore_columns).map_err(|error| {
        let name = display_name(path);
        match error.line {
            Some(_) => anyhow::anyhow!("{name}, {error}"),
            None => anyhow::anyhow!("{name}: {error}"),
        }
    })
}

/// How reads go to samples.
fn plan(args: &Args, inputs: &[Input], sheet: &Sheet) -> Result<Demux> {
    let structures = match (&args.read_structures[..], &sheet.structures[..]) {
        ([], []) if !sheet.sample_structures.iter().all(Vec::is_empty) => {
            // Of all samples, of which the first is as good as any.
            sheet.sample_structures.iter().find(|own| !own.is_empty()).cloned().unwrap_or_default()
        }
        ([], []) if args.header_barcodes => vec![ReadStructure::template(); inputs.len()],
        ([], []) => {
            bail!("what the bases of the inputs are is not said: -r 8B+T +T, or --header-barcodes")
        }
        ([], of_sheet) => of_sheet.to_vec(),
        (typed, _) => typed.to_vec(),
    };
    if structures.len() != inputs.len() {
        let from = if args.read_structures.is_empty() { " of OverrideCycles" } else { "" };
        bail!(
            "each input has a read structure: {} files, {} structures{from}",
            inputs.len(),
            structures.len()
        );
    }
    let rules = Rules::default()
        .with_max_mismatches(args.max_mismatches)
        .with_min_delta(args.min_mismatch_delta)
        .with_max_no_calls(args.max_no_calls);
    let of_sheet = || display_name(&args.sample_metadata);
    let has_barcodes = args.header_barcodes
        || structures.iter().flat_map(ReadStructure::segments).any(|s| s.kind == Kind::Barcode);
    let matcher = match &sheet.samples[..] {
        [_] if !has_barcodes => Matcher::of_one(),
        samples => Matcher::new(samples, rules).with_context(of_sheet)?,
    };
    let mut kinds = args.output_types.clone();
    kinds.sort();
    kinds.dedup();
    let demux = match args.header_barcodes {
        true => Demux::of_headers(matcher, structures, &kinds, &sheet.parts),
        false => Demux::new(matcher, structures, &kinds),
    };
    let demux = demux
        .and_then(|demux| demux.sample_structures(sheet.sample_structures.clone()))
        .map_err(|error| match &error {
            PlanError::Sample { sample, why } => {
                let id = sheet.samples.get(*sample).map_or("", |sample| &sample.id);
                anyhow::anyhow!("{}: the read structures of sample {id}: {why}", of_sheet())
            }
            _ => anyhow::Error::new(error).context(of_sheet()),
        })?;
    if args.revcomp_index2 && demux.parts().len() < 2 {
        bail!("--revcomp-index2 needs barcodes of two parts");
    }
    let too_short = if args.skip_reasons.is_some() { TooShort::Skip } else { TooShort::Refuse };
    Ok(demux
        .mates(args.pairing.rule())
        .turn_second(args.revcomp_index2)
        .umi_place(args.umi_in.into())
        .barcode_place(args.barcode_in.into())
        .too_short(too_short))
}

/// An error if no read can belong to a sample, as no barcode has the length of the samples'.
fn refuse_misfits(args: &Args, demux: &Demux, tally: &Tally) -> Result<()> {
    let total: u64 = tally.templates.iter().sum();
    let Some(Misfit { definition, bases, .. }) = &tally.first_misfit else { return Ok(()) };
    let expected = demux.matcher().barcode_len();
    let sheet = display_name(&args.sample_metadata);
    if tally.misfits < total {
        if !args.messages.quiet {
            let misfits = tally.misfits;
            let text = format!(
                "{misfits} of {total} reads can't match: their barcodes don't have the {expected} bases of those in {sheet}"
            );
            message("warning", &text);
        }
        return Ok(());
    }
    let line = biofast::io::Shown(definition);
    let message = match bases {
        0 => format!("no header line has a barcode; the first is '@{line}'"),
        bases => format!(
            "no barcode can match: those of the reads have {bases} bases, those in {sheet} have {expected}; the first header line is \
             '@{line}'"
        ),
    };
    let hint = match bases {
        0 => {
            "--header-barcodes reads '1:N:0:ACGT' behind the name; barcodes in reads or index files are named with -r"
        }
        _ => "give the sheet the whole barcodes, or cut the index reads with -r, as 8B2S",
    };
    Err(Hinted { message, hint }.into())
}

/// Warns of samples that are so near to each other that few errors make reads unmatched.
fn tell_near(demux: &Demux, sheet: &Sheet, max_mismatches: u32) {
    let Some((one, two, distance)) = demux.matcher().nearest() else { return };
    if distance > 2 * max_mismatches {
        return;
    }
    let [one, two] = [one, two].map(|at| &sheet.samples[at]);
    message(
        "warning",
        &format!(
            "the barcodes of {} ({}) and {} ({}) differ in {distance} bases: with {max_mismatches} mismatches some reads could be \
             either's, and stay unmatched",
            one.id, one.barcode, two.id, two.barcode
        ),
    );
}

/// Reads the inputs and writes to the outputs.
fn apply(args: &Args, inputs: &[Input], demux: &Demux, outputs: &mut [Output]) -> Result<Tally> {
    let progress = Arc::default();
    let watches: Vec<Watch> =
        inputs.iter().map(|_| Watch::sharing(&progress, reading(args))).collect();
    let mut sources = Vec::new();
    for (input, watch) in inputs.iter().zip(&watches) {
        sources.push((input.open()?, watch.options.clone()));
    }
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = watches.first().map(|watch| watch.bar(total, &args.messages));
    let result = par_transform_files(
        sources,
        None,
        outputs,
        || demux.worker(),
        |worker, number, records, texts| worker.apply(number, records, texts),
        |worker, other| worker.merge(other),
    );
    drop(bar);
    for (input, watch) in inputs.iter().zip(&watches) {
        watch.tell(input, Some("FASTQ"), &args.messages, &args.threads);
    }
    Ok(result.map_err(output::failed)?.finish())
}

/// How FASTQ is read.
fn reading(args: &Args) -> Options {
    args.pairing.apply(args.strictness.reads(args.io.apply(args.threads.options())))
}

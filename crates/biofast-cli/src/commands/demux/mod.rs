//! `biofast demux`: reads of many samples to files of each.

mod args;
mod outputs;
mod report;

use std::path::Path;

use anyhow::{Context, Result, bail};
use biofast_fastq::Transform;
use biofast_io::output::Output;
use biofast_io::{TextBounds, display_name};
use biofast_ops::demux::{
    BarcodeRegions, Demux, DemuxTally, EndSearch, IndexPairs, LOOKED_AT, MatchRules, Matcher,
    Misfit, PlanError, ReadStructure, RequiredEnds, SegmentKind, Sheet, TooShort,
};
use biofast_report::demux::{index_hopping, metrics, unknown_barcodes};

pub(crate) use args::Args;

use crate::console::{Console, Hinted};
use crate::inputs::{self, Input, Layout};
use crate::output;
use crate::reads_job::ReadsJob;
use crate::session::{Exit, Session};
use args::{Ends, UmiIn};

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let inputs = inputs::gather(&args.inputs, None, "-", session)?;
    if let Some(path) = inputs::named_twice(&inputs) {
        bail!("two inputs are {}", display_name(path));
    }
    // Mates or not, their reads belong together.
    let mut job = args.reading.job((inputs, Layout::Paired), &args.pairing, session);
    let sheet = sheet(args)?;
    let demux = plan(args, job.inputs(), &sheet)?;
    let ids: Vec<&str> = sheet.samples.iter().map(|sample| sample.id.as_str()).collect();
    if ids.contains(&args.unmatched_prefix.as_str()) {
        bail!(
            "a sample is named {}, like the unmatched reads: choose another name for these with -u",
            args.unmatched_prefix
        );
    }
    let mut opened = outputs::open(args, &demux, &ids, session)?;
    job.open_report(args.json.as_deref(), session, &mut [])?;
    if !args.reading.messages.quiet {
        if !sheet.unused_settings.is_empty() {
            let settings = sheet.unused_settings.join(", ");
            let sheet = display_name(&args.sample_metadata);
            session
                .console
                .warning(&format!("{sheet}: these settings have no effect here: {settings}"));
        }
        tell_near(&session.console, &demux, &sheet, max_mismatches(args, &sheet));
    }
    let tally = apply(&job, &demux, &mut opened.reads)?;
    refuse_misfits(&session.console, args, &demux, &tally)?;
    let table = metrics(&sheet.samples, &args.unmatched_prefix, &tally);
    let summary = report::summary(args, &demux, &sheet, &tally, &opened);
    let summary = (summary, report::sums(&tally, &job, &opened));
    let mut outputs = opened.reads;
    outputs.push(output::filled(opened.metrics, table)?);
    if let (Some(output), Some(pairs)) = (opened.hopping, demux.pairs()) {
        outputs.push(output::filled(output, index_hopping(&sheet.samples, pairs, &tally))?);
    }
    if let Some(output) = opened.unknown {
        let total = tally.templates.iter().sum::<u64>() + tally.skipped;
        let total = total.min(demux.counted());
        let table = unknown_barcodes(&tally.unknown, demux.parts(), total, LISTED_UNKNOWN);
        outputs.push(output::filled(output, table)?);
    }
    job.finish(outputs, args.sync, summary, |console| {
        report::tell(console, &demux, &tally, opened.names.len())
    })
}

/// Of so many reads unknown barcodes are counted for their table.
const COUNTED_UNKNOWN: u64 = 10_000_000;
/// So many of them are in it.
const LISTED_UNKNOWN: usize = 1_000;

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

/// Of so many bases of a barcode at an end of a long read one may be wrong.
const BASES_OF_ERROR: usize = 8;

/// How many bases of a barcode may be wrong.
fn max_mismatches(args: &Args, sheet: &Sheet) -> u32 {
    let shortest = match &sheet.parts[..] {
        parts @ [_, _] => parts.iter().copied().min(),
        _ => sheet.samples.iter().map(|sample| sample.barcode.len()).min(),
    };
    let of_ends = shortest.map_or(1, |bases| (bases / BASES_OF_ERROR) as u32);
    args.max_mismatches.unwrap_or(if args.ends.is_some() { of_ends } else { 1 })
}

/// How long reads go to samples by the barcodes at their ends.
fn plan_of_ends(
    args: &Args,
    ends: Ends,
    inputs: &[Input],
    sheet: &Sheet,
    rules: MatchRules,
) -> Result<Demux> {
    let of_sheet = || display_name(&args.sample_metadata);
    if inputs.len() != 1 {
        bail!("--ends takes one input, got {}: give each file a run of its own", inputs.len());
    }
    if !sheet.sample_structures.iter().all(Vec::is_empty) || !sheet.structures.is_empty() {
        bail!("{}: --ends can't be combined with read structures", of_sheet());
    }
    if args.output_types != [SegmentKind::Template] {
        bail!("--ends writes only templates: leave out -b");
    }
    let matcher = Matcher::new(&sheet.samples, rules).with_context(of_sheet)?;
    let required = match ends {
        Ends::Either => RequiredEnds::Either,
        Ends::Both => RequiredEnds::Both,
    };
    let search =
        EndSearch::new(&sheet.samples, &sheet.parts, required, rules, args.end_window.get());
    let search = search.map_err(|sample| {
        let id = sheet.samples.get(sample).map_or("", |sample| &sample.id);
        anyhow::anyhow!(
            "{}: the barcode of sample {id} has letters other than A, C, G and T",
            of_sheet()
        )
    })?;
    Ok(Demux::of_ends(matcher, search))
}

/// How reads go to samples.
fn plan(args: &Args, inputs: &[Input], sheet: &Sheet) -> Result<Demux> {
    let rules = MatchRules::default()
        .with_max_mismatches(max_mismatches(args, sheet))
        .with_min_delta(args.min_mismatch_delta)
        .with_max_no_calls(args.max_no_calls);
    if let Some(ends) = args.ends {
        return plan_of_ends(args, ends, inputs, sheet, rules);
    }
    let structures = match (&args.read_structures[..], &sheet.structures[..]) {
        ([], []) if !sheet.sample_structures.iter().all(Vec::is_empty) => {
            // Of all samples, of which the first is as good as any.
            sheet.sample_structures.iter().find(|own| !own.is_empty()).cloned().unwrap_or_default()
        }
        ([], []) if args.header_barcodes => vec![ReadStructure::template(); inputs.len()],
        ([], []) => {
            return Err(Hinted::error(
                "no read structures",
                "give one for each input, such as -r 8B+T +T, or use --header-barcodes, or --ends for long reads",
            ));
        }
        ([], of_sheet) => of_sheet.to_vec(),
        (typed, _) => typed.to_vec(),
    };
    if structures.len() != inputs.len() {
        let from = if args.read_structures.is_empty() { " of OverrideCycles" } else { "" };
        return Err(Hinted::error(
            match structures.len() {
                1 => format!("got 1 read structure{from} for {} inputs", inputs.len()),
                n => format!("got {n} read structures{from} for {} inputs", inputs.len()),
            },
            "give one for each input, such as -r 8B+T +T",
        ));
    }
    let has_umis = std::iter::once(&structures)
        .chain(&sheet.sample_structures)
        .flatten()
        .flat_map(ReadStructure::segments)
        .any(|segment| segment.kind == SegmentKind::Umi);
    if args.umi_in != UmiIn::Name && !has_umis {
        bail!("--umi-in has no effect: no read structure has a UMI (M)");
    }
    let of_sheet = || display_name(&args.sample_metadata);
    let has_barcodes = args.header_barcodes
        || structures
            .iter()
            .flat_map(ReadStructure::segments)
            .any(|s| s.kind == SegmentKind::Barcode);
    let regions = BarcodeRegions::of(&structures, &sheet.sample_structures);
    let regions = regions.filter(|_| has_barcodes && !args.header_barcodes);
    let matcher = match (&sheet.samples[..], &regions) {
        ([_], _) if !has_barcodes => Matcher::of_one(),
        (samples, None) => Matcher::new(samples, rules).with_context(of_sheet)?,
        (samples, Some(regions)) => {
            if args.revcomp_index2 {
                bail!("--revcomp-index2 needs barcodes at the same positions in all samples");
            }
            let own = sheet.sample_structures.iter().map(|own| match own.is_empty() {
                true => &structures,
                false => own,
            });
            let placed = samples.iter().zip(own).map(|(sample, own)| {
                let wrong = |why| anyhow::anyhow!("{}: sample {}: {why}", of_sheet(), sample.id);
                regions.place(sample, own).map_err(wrong)
            });
            let placed = placed.collect::<Result<Vec<_>>>()?;
            Matcher::new(&placed, rules).with_context(of_sheet)?
        }
    };
    let mut kinds = args.output_types.clone();
    kinds.sort();
    kinds.dedup();
    let regions_differ = regions.is_some();
    let demux = match (args.header_barcodes, regions) {
        (true, _) => Demux::of_headers(matcher, structures, &kinds, &sheet.parts),
        (false, Some(regions)) => Demux::of_regions(matcher, structures, &kinds, regions),
        (false, None) => Demux::new(matcher, structures, &kinds),
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
        bail!("--revcomp-index2 needs dual barcodes");
    }
    let pairs = match regions_differ {
        true => None,
        false => IndexPairs::new(&sheet.samples, demux.parts(), rules),
    };
    if args.index_hopping.is_some() && pairs.is_none() {
        bail!(
            "--index-hopping needs dual barcodes, each with the same length and position in all samples"
        );
    }
    let counted = if args.unknown_barcodes.is_some() { COUNTED_UNKNOWN } else { LOOKED_AT };
    let too_short = if args.skip_reasons.is_some() { TooShort::Skip } else { TooShort::Refuse };
    Ok(demux
        .index_pairs(pairs)
        .count_unknown(counted)
        .mates(args.pairing.rule())
        .turn_second(args.revcomp_index2)
        .umi_place(args.umi_in.into())
        .barcode_place(args.barcode_in.into())
        .too_short(too_short))
}

/// An error if no read can belong to a sample, as no barcode has the length of the samples'.
fn refuse_misfits(console: &Console, args: &Args, demux: &Demux, tally: &DemuxTally) -> Result<()> {
    let total: u64 = tally.templates.iter().sum();
    let Some(Misfit { definition, bases, .. }) = &tally.first_misfit else { return Ok(()) };
    let expected = demux.matcher().barcode_len();
    let sheet = display_name(&args.sample_metadata);
    if tally.misfits < total {
        if !args.reading.messages.quiet {
            let misfits = tally.misfits;
            let text = format!(
                "{misfits} of {total} reads can't match: their barcodes don't have {expected} bases like those in {sheet}"
            );
            console.warning(&text);
        }
        return Ok(());
    }
    let line = biofast_io::Shown(definition);
    let message = match bases {
        0 => format!("no header line has a barcode; the first line is '@{line}'"),
        bases => format!(
            "no barcode can match: barcodes have {bases} bases in the reads but {expected} in {sheet}; the first header line is '@{line}'"
        ),
    };
    let hint = match bases {
        0 => {
            "--header-barcodes reads comments like '1:N:0:ACGT'; for barcodes in reads or index files use -r, such as -r 8B+T +T"
        }
        _ => {
            "put the whole barcodes in the sheet, or skip bases of index reads with -r, such as -r 8B2S"
        }
    };
    Err(Hinted::error(message, hint))
}

/// Warns of samples that are so near to each other that few errors make reads unmatched.
fn tell_near(console: &Console, demux: &Demux, sheet: &Sheet, max_mismatches: u32) {
    let Some((one, two, distance)) = demux.matcher().nearest() else { return };
    if distance > 2 * max_mismatches {
        return;
    }
    let [one, two] = [one, two].map(|at| &sheet.samples[at]);
    console.warning(&format!(
            "the barcodes of {} ({}) and {} ({}) differ in only {distance} bases: with {max_mismatches} mismatches some reads match both and stay unmatched",
            one.id, one.barcode, two.id, two.barcode
        ),
    );
}

/// Reads the inputs and writes to the outputs.
fn apply(job: &ReadsJob<'_>, demux: &Demux, outputs: &mut [Output]) -> Result<DemuxTally> {
    let sources = job.inputs().iter().map(Input::open).collect::<Result<Vec<_>, _>>()?;
    let options = job.watches().iter().map(|watch| watch.options.clone());
    let worker = job.run(|_| {
        Transform::new(sources).options_of_each(options).run(
            outputs,
            || demux.worker(),
            |worker, number, records, texts| worker.apply(number, records, texts),
            |worker, other| worker.merge(other),
        )
    })?;
    Ok(worker.finish())
}

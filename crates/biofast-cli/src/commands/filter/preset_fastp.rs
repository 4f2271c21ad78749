//! `--preset fastp`: what fastp does without being asked, and its report.

use anyhow::{Context, Result, bail};
use biofast_ops::filter::fastp::FastpGatherer;
use biofast_ops::filter::fastp::{
    FastpReport, FastpSettings, InputTraits, PairTrimmer, SequenceTrimmer,
};
use biofast_ops::filter::trim::{KITS, MateOverlap, MateRule, PolyG};
use biofast_ops::filter::{Filter, FilterTally};

use super::Args;
use crate::output;
use crate::session::Session;

/// Bases of a run of G.
const POLY_G: usize = 10;

/// Cuts poly-G where the machine has two colours, unless it is cut anyhow.
pub(super) fn poly_g(args: &Args, found: &InputTraits, filter: Filter) -> Filter {
    match found.two_colour && args.trim.trim_poly_g.is_none() {
        true => filter.trim(PolyG(POLY_G)),
        false => filter,
    }
}

/// Corrects bases and cuts adapters as fastp does.
pub(super) fn adapters(
    args: &Args,
    paired: bool,
    found: &InputTraits,
    rule: MateRule,
    filter: Filter,
) -> Result<Filter> {
    let trimmer =
        SequenceTrimmer::new(sequences(args, paired, found)?, args.preset.version(&args.compat)?);
    if !paired {
        return Ok(filter.trim(trimmer));
    }
    let mates = MateOverlap::new(rule);
    let mates = if args.mates.corrects() { mates.correct() } else { mates };
    Ok(filter.trim(PairTrimmer::new(mates, trimmer)))
}

/// The adapters that are named, else those that were found.
fn sequences(args: &Args, paired: bool, found: &InputTraits) -> Result<[Option<Vec<u8>>; 2]> {
    let mut sequences = [None, None];
    for (mate, text) in args.adapters.plain()? {
        let kit = KITS.iter().find(|kit| kit.name.eq_ignore_ascii_case(text));
        match kit.filter(|_| mate == 0) {
            Some(kit) => {
                sequences = kit.adapters.map(|adapter| Some(adapter.as_bytes().to_vec()));
            }
            None => {
                let letters = text.as_bytes().to_ascii_uppercase();
                if letters.is_empty() || !letters.iter().all(|letter| b"ACGTN".contains(letter)) {
                    bail!(
                        "'{text}' is not a valid adapter: --preset fastp accepts A, C, G, T and N"
                    );
                }
                sequences[mate] = Some(letters);
            }
        }
    }
    let is_detected = args.adapters.detect_adapter.is_some();
    if sequences[0].is_some() && sequences[1].is_none() && !is_detected {
        sequences[1] = sequences[0].clone();
    }
    for (mate, sequence) in sequences.iter_mut().enumerate().take(1 + usize::from(paired)) {
        if sequence.is_none() {
            sequence.clone_from(&found.adapters[mate]);
        }
    }
    Ok(sequences)
}

/// fastp's report of a run.
pub(super) fn report(
    session: &Session,
    args: &Args,
    paired: bool,
    found: &InputTraits,
    tally: &FilterTally,
    gathered: Option<Box<FastpGatherer>>,
) -> Result<FastpReport> {
    let gathered =
        gathered.context("internal error: no statistics were gathered for the report")?;
    let sequences = match args.preset.is_fastp() {
        true => sequences(args, paired, found)?,
        false => [None, None],
    };
    let settings = FastpSettings {
        paired,
        merged: args.mates.merges(),
        corrected: args.mates.corrects(),
        complexity: args.select.min_complexity.is_some(),
        inserts: paired && args.preset.is_fastp(),
        adapters: args.preset.is_fastp() || args.adapters.looks() || args.trim.trim_overlap,
        poly_x: args.trim.trim_poly_x.is_some(),
        sequences: sequences.map(|s| s.map(|s| String::from_utf8_lossy(&s).into_owned())),
        command: output::command_line_at(session.command_line(), args.preset.fastp_json.as_deref()),
        version: env!("CARGO_PKG_VERSION").into(),
        like: args.preset.version(&args.compat)?,
    };
    Ok(FastpReport::new(tally, *gathered, settings))
}

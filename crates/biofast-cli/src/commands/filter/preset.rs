//! `--preset fastp`: what fastp does without being asked, and its report.

use anyhow::{Context, Result, bail};
use biofast_io::output::Output;
use biofast_ops::filter::fastp::FastpGatherer;
use biofast_ops::filter::fastp::{
    FastpReport, FastpSettings, InputTraits, PairTrimmer, SequenceTrimmer,
};
use biofast_ops::filter::trim::{KITS, MateOverlap, MateRule, PolyG};
use biofast_ops::filter::{Filter, FilterTally};
use clap::ValueEnum;

use super::Args;
use crate::options::OutFile;
use crate::output;
use crate::session::Session;

/// Options that stand for others.
#[derive(clap::Args)]
pub(super) struct PresetArgs {
    /// Do what another program does by default
    ///
    /// fastp: cut adapters, found by the overlap of mates or in the first single reads; cut poly-G on two-color
    /// machines; then apply --max-low-quality-percent 40, --max-n 5 and --min-len 15.
    #[arg(long, value_enum, value_name = "NAME")]
    preset: Option<Preset>,

    /// Write fastp's JSON report to FILE, for MultiQC
    #[arg(long, value_name = "FILE")]
    fastp_json: Option<OutFile>,

    /// With --fastp-json: list overrepresented sequences like fastp, counted in all reads instead of 1 in 20
    #[arg(long, alias = "overrepresentation_analysis", requires = "fastp_json")]
    overrepresentation_analysis: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// fastp 0.23
    Fastp,
}

/// Bases of a run of G.
const POLY_G: usize = 10;

impl PresetArgs {
    /// Whether it is fastp that is meant.
    pub(super) fn is_fastp(&self) -> bool {
        self.preset == Some(Preset::Fastp)
    }

    /// Whether its report is wanted.
    pub(super) fn reports(&self) -> bool {
        self.fastp_json.is_some()
    }

    /// Whether it has overrepresented sequences.
    pub(super) fn counts_sequences(&self) -> bool {
        self.overrepresentation_analysis
    }

    /// Opens the report, if it is wanted.
    pub(super) fn open(&self, session: &mut Session) -> Result<Option<Output>> {
        output::optional_report(session, self.fastp_json.as_deref())
    }
}

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
    let trimmer = SequenceTrimmer::new(sequences(args, paired, found)?);
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
    };
    Ok(FastpReport::new(tally, *gathered, settings))
}

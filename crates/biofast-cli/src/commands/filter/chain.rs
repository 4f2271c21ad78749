//! Arguments as meant: the chain of a filter, in the documented order.

use anyhow::{Result, anyhow, bail};
use biofast_fastq::Inputs;
use biofast_io::TextBounds;
use biofast_ops::filter::fastp;
use biofast_ops::filter::names::{NameFilter, compile};
use biofast_ops::filter::predicate::{
    Gc, MaxDust, MaxExpectedErrors, MaxExpectedErrorsPerBase, MaxLen, MaxLowQualityPercent,
    MaxMeanQuality, MaxN, MaxNPercent, Mean, MinComplexity, MinEntropy, MinLen, MinMeanQuality,
    Predicate,
};
use biofast_ops::filter::trim::detect::{self, AdapterEvidence};
use biofast_ops::filter::trim_galore::TOLD_KITS;
use biofast_ops::filter::{Filter, PairRule};

use super::args::{Args, FilterPairRule, LengthLimit, MeanArg, Select};
use super::bounds::number;
use super::places::Places;
use super::preset_fastp;
use super::preset_galore;
use super::trims::{OtherTrims, trimmers};
use crate::inputs::{self, Input};
use crate::session::Session;

/// What was found in the first reads.
#[derive(Default)]
pub(super) struct Looked {
    /// Adapters, if they were looked for.
    pub(super) detected: Vec<AdapterEvidence>,
    /// What fastp looks for, if it is to be replaced.
    pub(super) fastp: Option<fastp::InputTraits>,
    /// Reads that have each of the adapters that Trim Galore tells apart, if it looked.
    pub(super) told: Option<[u64; TOLD_KITS]>,
    /// What is frequent, if that is to be counted.
    pub(super) frequent: Option<[fastp::Frequent; 2]>,
}

/// The chain, but for sampling and routes.
pub(super) fn filter(
    args: &Args,
    paired: bool,
    looked: &Looked,
    session: &mut Session,
) -> Result<Filter> {
    args.mates.check(&args.given, args.preset.is_fastp())?;
    args.adapters.check(&args.given, args.preset.is_fastp() || args.preset.is_trim_galore())?;
    let pair = args.which.pair.unwrap_or(FilterPairRule::Both);
    let filter = Filter::new().mates(args.pairing.rule()).pair_rule(match pair {
        FilterPairRule::Both => PairRule::Both,
        FilterPairRule::Any => PairRule::Any,
    });
    let filter = args.deplete.add(names(args, filter)?)?;
    let (cutter, rule) = match &looked.fastp {
        Some(_) if args.adapters.revcomp => {
            bail!("--revcomp has no effect with --preset fastp, which searches one strand")
        }
        // It has its own.
        Some(_) => Default::default(),
        None => {
            let galore = preset_galore::min_overlap(args);
            // Mates show where short ones begin.
            let by_mates = args.trim.trim_overlap && !args.given.has("adapter_min_overlap");
            let back = (by_mates && galore.is_none()).then_some(BACK_BESIDE_OVERLAP);
            args.adapters.cutter(paired, &looked.detected, galore, back, session)?
        }
    };
    let rule = Places::of(args)?.0.rule(rule)?;
    let others = OtherTrims {
        mates: |filter| match &looked.fastp {
            Some(found) => {
                let filter = preset_fastp::poly_g(args, found, filter);
                preset_fastp::adapters(args, paired, found, args.mates.rule()?, filter)
            }
            None => args.mates.add(paired, args.html.is_some(), filter),
        },
        adapters: cutter,
        long_adapters: args.adapters.long_cutter(paired)?,
    };
    let filter = trimmers(&args.trim, paired, &args.preset, others, filter)?.with_adapter(rule);
    if args.preset.is_trim_galore() {
        return predicates(&preset_galore::select(args, &looked.detected)?, paired, filter);
    }
    match args.preset.is_fastp() {
        true => fastp_predicates(&args.select, paired, filter.as_fastp()),
        false => predicates(&args.select, paired, filter),
    }
}

/// The minimum overlap of 3′ adapters where mates show them, too: fewer bases may be there by chance.
const BACK_BESIDE_OVERLAP: usize = 16;

/// Looks at the first reads, if that was asked for.
pub(super) fn look(
    args: &Args,
    paired: bool,
    named: &[Input],
    inputs: &mut Inputs,
) -> Result<Looked> {
    let mut looked = Looked::default();
    let threshold = args.adapters.detect_adapter;
    if args.preset.counts_sequences() {
        looked.frequent = Some(fastp::Frequent::look(inputs));
    }
    if args.preset.is_fastp() {
        // Of pairs only if it is asked for, of those that are not named.
        let adapters = match paired {
            true => threshold.is_some(),
            false => args.adapters.given().is_none(),
        };
        looked.fastp = Some(fastp::look(inputs, adapters, args.preset.version(&args.compat)?));
    } else if args.preset.is_trim_galore() {
        let (found, told) = preset_galore::look(args, named, inputs)?.unzip();
        looked.detected.extend(found);
        looked.told = told;
    } else if let Some(threshold) = threshold {
        let threshold = number("--detect-adapter", threshold, 0.0, 100.0)?;
        looked.detected = detect::look(inputs, threshold);
    }
    Ok(looked)
}

/// What fastp asks for, in its order, where nothing else is asked for.
fn fastp_predicates(select: &Select, paired: bool, mut filter: Filter) -> Result<Filter> {
    let percent = select.max_low_quality_percent.unwrap_or(40.0);
    let percent = number("--max-low-quality-percent", percent, 0.0, 100.0)?;
    let qualified = select.qualified_quality;
    filter = filter.require(MaxLowQualityPercent { percent, qualified });
    if let Some(q) = select.min_mean_qual {
        let q = number("--min-mean-qual", q, 0.0, 93.0)?;
        filter = filter.require(MinMeanQuality::new(q, mean(select)));
    }
    filter = filter.require(MaxN(select.max_n.unwrap_or(5)));
    let least = select.min_len.unwrap_or(LengthLimit::of_all(15));
    filter = limited(filter, least, "--min-len", paired, MinLen)?;
    // What is left, but for these.
    let rest = Select {
        max_low_quality_percent: None,
        min_mean_qual: None,
        max_n: None,
        min_len: None,
        ..*select
    };
    predicates(&rest, paired, filter)
}

fn mean(select: &Select) -> Mean {
    match select.mean {
        MeanArg::ErrorProbability => Mean::ErrorProbability,
        MeanArg::Arithmetic => Mean::Arithmetic,
    }
}

fn names(args: &Args, filter: Filter) -> Result<Filter> {
    let which = &args.which;
    if which.names.is_none() && which.name_regex.is_none() {
        if which.invert {
            bail!("--invert needs --names or --name-regex");
        }
        return Ok(filter);
    }
    let mut names = NameFilter::new().inverted(which.invert).of_mates(args.pairing.rule());
    if let Some(path) = &which.names {
        let list = inputs::text(path, TextBounds::LIST)?;
        names = names.listed(&list);
    }
    if let Some(pattern) = &which.name_regex {
        let invalid = |error| anyhow!("--name-regex: invalid regular expression: {error}");
        names = names.matching(compile(pattern).map_err(invalid)?);
    }
    Ok(filter.names(names))
}

/// Adds a limit of lengths, of each mate its own.
fn limited<P: Predicate + 'static>(
    filter: Filter,
    limit: LengthLimit,
    option: &str,
    paired: bool,
    predicate: impl Fn(usize) -> P,
) -> Result<Filter> {
    if let Some(n) = limit.common() {
        return Ok(filter.require(predicate(n)));
    }
    if !paired {
        bail!("{option} with a limit for each mate needs pairs: two files, or --interleaved");
    }
    let limits = [[true, false], [false, true]].into_iter().zip(limit.of_mates());
    Ok(limits.fold(filter, |filter, (mates, limit)| match limit {
        Some(n) => filter.require_of(mates, predicate(n)),
        None => filter,
    }))
}

fn predicates(args: &Select, paired: bool, mut filter: Filter) -> Result<Filter> {
    let mean = mean(args);
    if let (Some(least), Some(most)) = (args.min_len, args.max_len) {
        for (least, most) in least.of_mates().into_iter().zip(most.of_mates()) {
            if let (Some(least), Some(most)) = (least, most)
                && least > most
            {
                bail!("--min-len {least} is above --max-len {most}: no read could be kept");
            }
        }
    }
    if let Some(limit) = args.min_len {
        filter = limited(filter, limit, "--min-len", paired, MinLen)?;
    }
    if let Some(limit) = args.max_len {
        filter = limited(filter, limit, "--max-len", paired, MaxLen)?;
    }
    if let Some(q) = args.min_mean_qual {
        let q = number("--min-mean-qual", q, 0.0, 93.0)?;
        filter = filter.require(MinMeanQuality::new(q, mean));
    }
    if let Some(q) = args.max_mean_qual {
        let q = number("--max-mean-qual", q, 0.0, 93.0)?;
        filter = filter.require(MaxMeanQuality::new(q, mean));
    }
    if let Some(percent) = args.max_low_quality_percent {
        let percent = number("--max-low-quality-percent", percent, 0.0, 100.0)?;
        let qualified = args.qualified_quality;
        filter = filter.require(MaxLowQualityPercent { percent, qualified });
    }
    if let Some(errors) = args.max_expected_errors {
        let errors = number("--max-expected-errors", errors, 0.0, f64::MAX)?;
        filter = filter.require(MaxExpectedErrors(errors));
    }
    if let Some(errors) = args.max_expected_errors_per_base {
        let errors = number("--max-expected-errors-per-base", errors, 0.0, 1.0)?;
        filter = filter.require(MaxExpectedErrorsPerBase(errors));
    }
    if let Some(n) = args.max_n {
        filter = filter.require(MaxN(n));
    }
    if let Some(percent) = args.max_n_percent {
        filter = filter.require(MaxNPercent(number("--max-n-percent", percent, 0.0, 100.0)?));
    }
    if args.min_gc.is_some() || args.max_gc.is_some() {
        let min = number("--min-gc", args.min_gc.unwrap_or(0.0), 0.0, 100.0)?;
        let max = number("--max-gc", args.max_gc.unwrap_or(100.0), 0.0, 100.0)?;
        filter = filter.require(Gc { min, max });
    }
    if let Some(percent) = args.min_complexity {
        filter = filter.require(MinComplexity(number("--min-complexity", percent, 0.0, 100.0)?));
    }
    if let Some(score) = args.max_dust {
        filter = filter.require(MaxDust(number("--max-dust", score, 0.0, 100.0)?));
    }
    if let Some(percent) = args.min_entropy {
        filter = filter.require(MinEntropy(number("--min-entropy", percent, 0.0, 100.0)?));
    }
    Ok(filter)
}

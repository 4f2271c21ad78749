//! Arguments as meant: the chain of a filter, in the documented order.

use std::num::NonZeroUsize;

use anyhow::{Context, Result, bail};
use biofast_fastq::Inputs;
use biofast_io::TextBounds;
use biofast_ops::filter::fastp;
use biofast_ops::filter::names::{NameFilter, Regex};
use biofast_ops::filter::predicate::{
    Gc, MaxExpectedErrors, MaxExpectedErrorsPerBase, MaxLen, MaxLowQualityPercent, MaxMeanQuality,
    MaxN, MaxNPercent, Mean, MinComplexity, MinLen, MinMeanQuality,
};
use biofast_ops::filter::trim::detect::{self, AdapterEvidence};
use biofast_ops::filter::trim::{
    AdapterCutter, Crop, CutFront, CutRight, CutTail, KeepFirst, Overlap, PolyG, PolyX,
    QualityWindow, Umi, UmiSource,
};
use biofast_ops::filter::{Filter, PairRule};

use super::args::{Args, FilterPairRule, MeanArg, Select, TrimArgs, UmiPlace};
use super::bounds::number;
use super::places::Places;
use super::preset_fastp;
use crate::inputs;
use crate::session::Session;

/// What was found in the first reads.
#[derive(Default)]
pub(super) struct Looked {
    /// Adapters, if they were looked for.
    pub(super) detected: Vec<AdapterEvidence>,
    /// What fastp looks for, if it is to be replaced.
    pub(super) fastp: Option<fastp::InputTraits>,
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
    let pair = args.which.pair.unwrap_or(FilterPairRule::Both);
    let filter = Filter::new().mates(args.pairing.rule()).pair_rule(match pair {
        FilterPairRule::Both => PairRule::Both,
        FilterPairRule::Any => PairRule::Any,
    });
    let filter = names(args, filter)?;
    let (cutter, rule) = match &looked.fastp {
        // It has its own.
        Some(_) => Default::default(),
        None => args.adapters.cutter(paired, &looked.detected, session)?,
    };
    let rule = Places::of(args)?.0.rule(rule)?;
    let mut filter =
        trimmers(args, paired, cutter, looked.fastp.as_ref(), filter)?.with_adapter(rule);
    if let Some(cutter) = args.adapters.long_cutter(paired)? {
        filter = filter.trim(cutter);
    }
    match args.preset.is_fastp() {
        true => fastp_predicates(&args.select, filter.as_fastp()),
        false => predicates(&args.select, filter),
    }
}

/// Looks at the first reads, if that was asked for.
pub(super) fn look(args: &Args, paired: bool, inputs: &mut Inputs) -> Result<Looked> {
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
        looked.fastp = Some(fastp::look(inputs, adapters));
    } else if let Some(threshold) = threshold {
        let threshold = number("--detect-adapter", threshold, 0.0, 100.0)?;
        looked.detected = detect::look(inputs, threshold);
    }
    Ok(looked)
}

/// What fastp asks for, in its order, where nothing else is asked for.
fn fastp_predicates(select: &Select, mut filter: Filter) -> Result<Filter> {
    let percent = select.max_low_quality_percent.unwrap_or(40.0);
    let percent = number("--max-low-quality-percent", percent, 0.0, 100.0)?;
    let qualified = select.qualified_quality;
    filter = filter.require(MaxLowQualityPercent { percent, qualified });
    if let Some(q) = select.min_mean_qual {
        let q = number("--min-mean-qual", q, 0.0, 93.0)?;
        filter = filter.require(MinMeanQuality::new(q, mean(select)));
    }
    filter = filter.require(MaxN(select.max_n.unwrap_or(5)));
    filter = filter.require(MinLen(select.min_len.unwrap_or(15)));
    // What is left, but for these.
    let rest = Select {
        max_low_quality_percent: None,
        min_mean_qual: None,
        max_n: None,
        min_len: None,
        ..*select
    };
    predicates(&rest, filter)
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
        names = names
            .matching(Regex::new(pattern).context("--name-regex: invalid regular expression")?);
    }
    Ok(filter.names(names))
}

fn trimmers(
    args: &Args,
    paired: bool,
    adapters: AdapterCutter,
    found: Option<&fastp::InputTraits>,
    mut filter: Filter,
) -> Result<Filter> {
    let all = args;
    let args = &args.trim;
    if let Some(place) = args.umi {
        filter = filter.trim(umi(args, place, paired, found.is_some())?);
    }
    let (front, tail) = (args.crop_front.unwrap_or_default(), args.crop_tail.unwrap_or_default());
    let phred = number("--cut-mean-quality", args.cut_mean_quality, 0.0, 93.0)?;
    let size = args.cut_window_size.get();
    if found.is_some() {
        let window = Some(fastp::CutWindow { size, phred });
        let [cut_front, cut_right, cut_tail] =
            [args.cut_front, args.cut_right, args.cut_tail].map(|given| window.filter(|_| given));
        let cut = fastp::FastpCut { front, tail, cut_front, cut_right, cut_tail };
        if cut.is_any() {
            filter = filter.trim(cut);
        }
    } else {
        if args.crop_front.is_some() || args.crop_tail.is_some() {
            filter = filter.trim(Crop { front, tail });
        }
        let window = QualityWindow::new(size, phred);
        if args.cut_front {
            filter = filter.trim(CutFront(window));
        }
        if args.cut_right {
            filter = filter.trim(CutRight(window));
        }
        if args.cut_tail {
            filter = filter.trim(CutTail(window));
        }
    }
    if let Some(min) = args.trim_poly_g {
        filter = filter.trim(PolyG(min.get()));
    }
    if let Some(found) = found {
        filter = preset_fastp::poly_g(all, found, filter);
        filter = preset_fastp::adapters(all, paired, found, all.mates.rule()?, filter)?;
    } else {
        filter = all.mates.add(paired, all.html.is_some(), filter)?;
    }
    if args.trim_overlap && found.is_none() {
        if !paired {
            bail!("--trim-overlap needs pairs");
        }
        filter = filter.trim(Overlap::default());
    }
    if !adapters.is_empty() {
        filter = filter.trim(adapters);
    }
    if let Some(min) = args.trim_poly_x {
        filter = filter.trim(PolyX(min.get()));
    }
    if let Some(len) = args.keep_first {
        filter = filter.trim(KeepFirst(len));
    }
    Ok(filter)
}

/// What takes the identifier that is in this place.
fn umi(args: &TrimArgs, place: UmiPlace, paired: bool, as_fastp: bool) -> Result<Umi> {
    let source = match place {
        UmiPlace::First => UmiSource::First,
        UmiPlace::Second if !paired => bail!("--umi second needs pairs"),
        UmiPlace::Second => UmiSource::Second,
        UmiPlace::Both => UmiSource::Both,
        UmiPlace::Index1 => UmiSource::Index1,
        UmiPlace::Index2 if !paired => bail!("--umi index2 needs pairs"),
        UmiPlace::Index2 => UmiSource::Index2,
        UmiPlace::BothIndexes => UmiSource::BothIndexes,
    };
    let in_header = matches!(place, UmiPlace::Index1 | UmiPlace::Index2 | UmiPlace::BothIndexes);
    let len = match args.umi_len {
        Some(_) if in_header => {
            bail!("--umi-len applies only to UMIs at the start of reads, not to those in headers")
        }
        None if !in_header => bail!("--umi needs --umi-len for UMIs at the start of reads"),
        len => len.map_or(0, NonZeroUsize::get),
    };
    if in_header && args.umi_skip > 0 {
        bail!("--umi-skip applies only to UMIs at the start of reads");
    }
    Ok(Umi {
        skip: args.umi_skip,
        prefix: args.umi_prefix.clone().unwrap_or_default(),
        leaves: usize::from(as_fastp),
        ..Umi::new(source, len)
    })
}

fn predicates(args: &Select, mut filter: Filter) -> Result<Filter> {
    let mean = mean(args);
    if let (Some(least), Some(most)) = (args.min_len, args.max_len)
        && least > most
    {
        bail!("--min-len {least} is above --max-len {most}: no read could be kept");
    }
    if let Some(n) = args.min_len {
        filter = filter.require(MinLen(n));
    }
    if let Some(n) = args.max_len {
        filter = filter.require(MaxLen(n));
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
    Ok(filter)
}

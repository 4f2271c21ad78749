//! Arguments as meant: the chain of a filter, in the documented order.

use anyhow::{Context, Result, bail};
use biofast::fastq::Inputs;
use biofast::ops::filter::names::{Names, Regex};
use biofast::ops::filter::predicate::{
    Gc, MaxExpectedErrors, MaxExpectedErrorsPerBase, MaxLen, MaxLowQualityPercent, MaxMeanQuality,
    MaxN, MaxNPercent, Mean, MinComplexity, MinLen, MinMeanQuality,
};
use biofast::ops::filter::trim::detect::{self, Evidence};
use biofast::ops::filter::trim::{
    Adapters, Crop, CutFront, CutRight, CutTail, KITS, KeepFirst, Overlap, PolyG, PolyX, Umi,
    UmiSource, Window,
};
use biofast::ops::filter::{Filter, PairRule};

use super::args::{Args, MeanArg, Pair, Select, TrimArgs, UmiRead};

/// The chain, but for sampling and routes.
pub(super) fn filter(args: &Args, paired: bool, detected: &[Evidence]) -> Result<Filter> {
    let filter = Filter::new().pair_rule(match args.which.pair {
        Pair::Both => PairRule::Both,
        Pair::Any => PairRule::Any,
    });
    let filter = names(args, filter)?;
    let filter = trimmers(&args.trim, paired, detected, filter)?;
    predicates(&args.select, filter)
}

/// Looks for adapters in the first reads, if that was asked for.
pub(super) fn detect(args: &Args, inputs: &mut Inputs) -> Result<Vec<Evidence>> {
    let Some(threshold) = args.trim.detect_adapter else { return Ok(Vec::new()) };
    Ok(detect::look(inputs, number("--detect-adapter", threshold, 0.0, 100.0)?))
}

fn names(args: &Args, filter: Filter) -> Result<Filter> {
    let which = &args.which;
    if which.names.is_none() && which.name_regex.is_none() {
        if which.invert {
            bail!("--invert needs --names or --name-regex");
        }
        return Ok(filter);
    }
    let mut names = Names::new().inverted(which.invert);
    if let Some(path) = &which.names {
        let list = std::fs::read(path)
            .with_context(|| format!("can't read the names in {}", path.display()))?;
        names = names.listed(&list);
    }
    if let Some(pattern) = &which.name_regex {
        names = names.matching(Regex::new(pattern).context("--name-regex is no pattern")?);
    }
    Ok(filter.names(names))
}

fn trimmers(
    args: &TrimArgs,
    paired: bool,
    detected: &[Evidence],
    mut filter: Filter,
) -> Result<Filter> {
    if let (Some(source), Some(len)) = (args.umi, args.umi_len) {
        let source = match source {
            UmiRead::First => UmiSource::First,
            UmiRead::Second if !paired => bail!("--umi second needs pairs"),
            UmiRead::Second => UmiSource::Second,
            UmiRead::Both => UmiSource::Both,
        };
        filter = filter.trim(Umi { source, len, skip: args.umi_skip });
    }
    if args.crop_front.is_some() || args.crop_tail.is_some() {
        let (front, tail) =
            (args.crop_front.unwrap_or_default(), args.crop_tail.unwrap_or_default());
        filter = filter.trim(Crop { front, tail });
    }
    let quality = number("--cut-mean-quality", args.cut_mean_quality, 0.0, 93.0)?;
    let window = Window::new(args.cut_window_size.get(), quality);
    if args.cut_front {
        filter = filter.trim(CutFront(window));
    }
    if args.cut_right {
        filter = filter.trim(CutRight(window));
    }
    if args.cut_tail {
        filter = filter.trim(CutTail(window));
    }
    if let Some(min) = args.trim_poly_g {
        filter = filter.trim(PolyG(min.get()));
    }
    if args.trim_overlap {
        if !paired {
            bail!("--trim-overlap needs pairs");
        }
        filter = filter.trim(Overlap::default());
    }
    let mut adapters = adapters(args)?;
    for found in detected.iter().filter(|found| found.cut) {
        if let Some(adapter) = &found.adapter {
            adapters.add(usize::from(found.read) - 1, adapter.as_bytes())?;
        }
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

fn adapters(args: &TrimArgs) -> Result<Adapters> {
    let rate = number("--adapter-error-rate", args.adapter_error_rate, 0.0, 1.0)?;
    let mut adapters = Adapters::new(args.adapter_min_overlap.get(), rate);
    for name in &args.adapter {
        if let Some(kit) = KITS.iter().find(|kit| kit.name.eq_ignore_ascii_case(name)) {
            for (mate, adapter) in kit.adapters.iter().enumerate() {
                adapters.add(mate, adapter.as_bytes())?;
            }
            continue;
        }
        let kits: Vec<_> = KITS.iter().map(|kit| kit.name).collect();
        let unknown = || format!("and no kit; kits are {}", kits.join(", "));
        adapters.add(0, name.as_bytes()).with_context(unknown)?;
        if args.adapter2.is_empty() {
            adapters.add(1, name.as_bytes())?;
        }
    }
    for adapter in &args.adapter2 {
        adapters.add(1, adapter.as_bytes())?;
    }
    if let Some(path) = &args.adapter_fasta {
        let about = || format!("in the adapters of {}", path.display());
        let text = std::fs::read(path).with_context(about)?;
        for sequence in fasta(&text).with_context(about)? {
            adapters.add(0, &sequence).with_context(about)?;
            adapters.add(1, &sequence).with_context(about)?;
        }
    }
    Ok(adapters)
}

/// The sequences of a FASTA text.
fn fasta(text: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut sequences: Vec<Vec<u8>> = Vec::new();
    for line in text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii) {
        match (line, sequences.last_mut()) {
            ([b'>', ..], _) => sequences.push(Vec::new()),
            ([], _) => {}
            (_, Some(sequence)) => sequence.extend_from_slice(line),
            (_, None) => bail!("expected a line starting with '>'"),
        }
    }
    if sequences.is_empty() {
        bail!("there are none");
    }
    Ok(sequences)
}

fn predicates(args: &Select, mut filter: Filter) -> Result<Filter> {
    let mean = match args.mean {
        MeanArg::ErrorProbability => Mean::ErrorProbability,
        MeanArg::Arithmetic => Mean::Arithmetic,
    };
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

/// `value` if it lies between the two bounds.
fn number(option: &str, value: f64, least: f64, most: f64) -> Result<f64> {
    if !(least..=most).contains(&value) {
        match most {
            f64::MAX => bail!("{option} is {value}: expected {least} or more"),
            _ => bail!("{option} is {value}: expected {least} to {most}"),
        }
    }
    Ok(value)
}

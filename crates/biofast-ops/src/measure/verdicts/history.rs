//! Samples beside those of the past: control charts by the median and the median absolute deviation.

use std::fmt;

use super::checks::{CHECKS, Check, CheckSubject};
use super::measured::{Measured, shown};
use super::verdict::{Bad, CheckLimits, Verdict};
use super::{Assessment, Judged, alignments, of_alignments, of_reads, reads, sets};
use crate::measure::alignments::figures::Figures;
use crate::measure::alignments::report::AlignmentFileReport;
use crate::measure::reads::numbers::rounded;
use crate::measure::reads::report::{ReadFileReport, Status};
use crate::measure::reads::statistic::Statistics;
use crate::measure::sample_names::{mate_by_name, stem};
use crate::number::{grouped, robust};

/// With fewer past samples nothing is judged: their spread would be little more than chance.
pub const FEWEST: usize = 15;
/// From so many robust standard deviations on there is a warning …
pub const WARN: f64 = 4.0;
/// … and from so many on, on the bad side, a failure.
pub const FAIL: f64 = 6.0;

/// Before the names of checks that compare with the past.
pub const PREFIX: &str = "history:";

/// Instead of these checks where past samples are too few.
pub const TOO_FEW: &str = "history:samples";

/// What samples must share to be compared: reads or alignments, how mates lie, groups, and the type of library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleKind {
    subject: String,
    library: String,
}

impl fmt::Display for SampleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, library {}", self.subject, self.library)
    }
}

/// A sample: its name, its kind and its value of each check.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleValues {
    name: String,
    kind: SampleKind,
    /// In the order of [`CHECKS`].
    values: Vec<Option<f64>>,
}

impl SampleValues {
    /// Those of reads. Where files weren't read as mates, the name tells.
    pub fn of_reads(
        name: &str,
        mate: Option<u8>,
        library: &str,
        reads: &Statistics,
    ) -> SampleValues {
        let subject = match mate.or(mate_by_name(stem(name)).map(|(_, mate)| mate)) {
            None => "reads",
            Some(1) => "first reads of pairs",
            Some(_) => "second reads of pairs",
        };
        let of = [("", reads)];
        SampleValues::new(name, subject.into(), library, of_reads, |check| {
            reads::measure(check, &of)
        })
    }

    /// Those of alignments, of all records or of a group by `RG`, `SM` or `LB`.
    pub fn of_alignments(
        name: &str,
        by: Option<&str>,
        library: &str,
        figures: &Figures,
    ) -> SampleValues {
        let layout = if figures.records.all().paired > 0 { "paired" } else { "unpaired" };
        let by = by.map_or(String::new(), |by| format!(" by {by}"));
        let subject = format!("alignments of {layout} reads{by}");
        let of = sets(figures);
        SampleValues::new(name, subject, library, of_alignments, |check| match check.subject() {
            CheckSubject::Alignments => alignments::measure(check, figures),
            _ => reads::measure(check, &of),
        })
    }

    fn new(
        name: &str,
        subject: String,
        library: &str,
        own: impl Fn(&Check) -> bool,
        measure: impl Fn(&Check) -> Measured,
    ) -> SampleValues {
        let value = |check: &Check| match measure(check) {
            Measured::Found(found) if own(check) => Some(rounded(found.value)),
            _ => None,
        };
        let kind = SampleKind { subject, library: library.to_owned() };
        SampleValues { name: name.to_owned(), kind, values: CHECKS.iter().map(value).collect() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value of a check, if it was measured.
    pub fn value(&self, check: &Check) -> Option<f64> {
        self.values[check.place()]
    }
}

/// Where the values of a check have been.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlLimits {
    /// The median of the past values.
    pub median: f64,
    /// How many these are.
    pub past: usize,
    /// The robust standard deviation: of logarithms to base 2 where ratios are compared.
    deviation: f64,
    is_ratio: bool,
    /// No value is larger.
    most: f64,
}

impl ControlLimits {
    /// Those of past values; nothing of too few.
    fn of(check: &Check, values: &[f64]) -> Option<ControlLimits> {
        let is_ratio = matches!(check.unit(), "reads" | "bases" | "x");
        let most = if matches!(check.unit(), "%" | "points") { 100.0 } else { f64::INFINITY };
        let known = values.iter().filter(|&&value| !is_ratio || value > 0.0);
        let mut known: Vec<f64> =
            known.map(|&value| if is_ratio { value.log2() } else { value }).collect();
        if known.len() < FEWEST {
            return None;
        }
        let (median, deviation) = robust(&mut known)?;
        // Differences that mean nothing shall not stand out where the past was all alike.
        let least = match check.unit() {
            "%" | "points" => 0.25 + share_of_least(check) * median.min(100.0 - median).max(0.0),
            "Phred" => 0.5,
            _ => 0.05,
        };
        let past = known.len();
        let deviation = deviation.max(least) * widening(past);
        let median = if is_ratio { median.exp2() } else { median };
        Some(ControlLimits { median, past, deviation, is_ratio, most })
    }

    /// The value so many robust standard deviations above the median.
    pub fn at(&self, deviations: f64) -> f64 {
        let apart = deviations * self.deviation;
        let value = if self.is_ratio { self.median * apart.exp2() } else { self.median + apart };
        value.clamp(0.0, self.most)
    }

    /// Whether a value can be on this side of a limit.
    pub fn can_be_beyond(&self, side: Bad, limit: f64) -> bool {
        match side {
            Bad::Below => limit > 0.0,
            Bad::Above => limit < self.most,
        }
    }

    /// The limit of failures, which is on the bad side.
    pub fn failing(&self, check: &Check) -> f64 {
        match check.bad() {
            Bad::Below => self.at(-FAIL),
            Bad::Above => self.at(FAIL),
        }
    }

    /// The side of the median that a value is on, and the limits there. What is good is never a failure, however unusual.
    pub fn beside(&self, check: &Check, value: f64) -> (Bad, CheckLimits) {
        let (side, sign) = if value < self.median { (Bad::Below, -1.0) } else { (Bad::Above, 1.0) };
        let fail = (side == check.bad()).then(|| rounded(self.failing(check)));
        (side, CheckLimits { warn: Some(rounded(self.at(sign * WARN))), fail })
    }
}

/// How much wider limits are that come from so few values: one normal value in 1,000 is beyond [`WARN`] by chance, however many
/// there are from [`FEWEST`] on. The form is fitted to draws.
fn widening(past: usize) -> f64 {
    1.0 + 64.0 / (past as f64 - 5.0).powi(2)
}

/// The part of the distance to 0 or 100 that the least deviation of a percentage has.
fn share_of_least(check: &Check) -> f64 {
    // The middle of the model that GC is compared with moves in steps of half a percent, and the value with it.
    if check.name() == "gc-deviation" { 0.1 } else { 0.02 }
}

/// The values that a check had in samples of one kind, in their order.
#[derive(Clone, Debug)]
pub struct ControlChart<'a> {
    /// The check.
    pub check: &'static Check,
    /// What the samples are.
    pub kind: &'a SampleKind,
    /// The samples that have a value, and the value.
    pub past: Vec<(&'a str, f64)>,
    /// Their limits, if they are enough.
    pub limits: Option<ControlLimits>,
}

impl ControlChart<'_> {
    /// Whether a sample is of this kind and has a value.
    pub fn is_of(&self, sample: &SampleValues) -> bool {
        *self.kind == sample.kind && sample.value(self.check).is_some()
    }
}

/// The samples of earlier reports, in their order.
#[derive(Clone, Debug, Default)]
pub struct History {
    past: Vec<SampleValues>,
}

impl History {
    /// Adds a file of a report of reads; one with a fault doesn't count.
    pub fn add_reads(&mut self, file: &ReadFileReport) {
        if file.status == Status::Ok {
            let library = library(file.verdicts.as_ref());
            let values = SampleValues::of_reads(&file.sample, file.mate, library, &file.statistics);
            self.past.push(values);
        }
    }

    /// Adds a file of a report of alignments; one with a fault, or of a part of a file, doesn't count.
    pub fn add_alignments(&mut self, file: &AlignmentFileReport) {
        let by = file.group.as_ref().map(|group| group.by.as_str());
        if let (Status::Ok, Some(figures)) = (file.status, &file.figures)
            && figures.partial.is_none()
        {
            let library = library(file.verdicts.as_ref());
            self.past.push(SampleValues::of_alignments(&file.sample, by, library, figures));
        }
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.past.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.past.is_empty()
    }

    /// The past beside a sample of this kind. The sample itself is no past, should its report be among the others.
    fn beside<'a>(&'a self, sample: &'a SampleValues) -> impl Iterator<Item = &'a SampleValues> {
        self.past.iter().filter(move |past| past.kind == sample.kind && *past != sample)
    }

    /// Judges a sample by its past: each value that it has, if there are enough others.
    pub fn judge(&self, sample: &SampleValues) -> Vec<Judged> {
        let past: Vec<&SampleValues> = self.beside(sample).collect();
        if past.len() < FEWEST {
            let mut text = format!(
                "Not measured: {} past samples are of this kind ({}) among {}, and {FEWEST} are needed.",
                past.len(),
                sample.kind,
                self.past.len()
            );
            let other = self.past.iter().find(|past| past.kind != sample.kind);
            if let (true, Some(other)) = (past.is_empty(), other) {
                text += &format!(" Others are of the kind: {}.", other.kind);
            }
            return vec![Judged {
                check: TOO_FEW.into(),
                verdict: Verdict::NotMeasured,
                value: None,
                unit: "samples".into(),
                bad: Bad::Below.name().into(),
                warn: None,
                fail: None,
                text,
            }];
        }
        let with = CHECKS.iter().filter_map(|check| Some((check, sample.value(check)?)));
        with.map(|(check, value)| {
            let values: Vec<f64> = past.iter().filter_map(|past| past.value(check)).collect();
            judge(check, value, values.len(), ControlLimits::of(check, &values))
        })
        .collect()
    }

    /// The control chart of each check that samples had, by kind.
    pub fn charts(&self) -> Vec<ControlChart<'_>> {
        let mut kinds: Vec<&SampleKind> = Vec::new();
        for sample in &self.past {
            if !kinds.contains(&&sample.kind) {
                kinds.push(&sample.kind);
            }
        }
        let of = |kind: &SampleKind, check: &Check| {
            let own = self.past.iter().filter(|sample| sample.kind == *kind);
            own.filter_map(|sample| Some((&*sample.name, sample.value(check)?))).collect()
        };
        let mut charts = Vec::new();
        for (kind, check) in kinds.iter().flat_map(|kind| CHECKS.iter().map(move |c| (*kind, c))) {
            let past: Vec<(&str, f64)> = of(kind, check);
            if !past.is_empty() {
                let values: Vec<f64> = past.iter().map(|past| past.1).collect();
                let limits = ControlLimits::of(check, &values);
                charts.push(ControlChart { check, kind, past, limits });
            }
        }
        charts
    }
}

/// The library that a report was judged as; without verdicts it is any.
fn library(verdicts: Option<&Assessment>) -> &str {
    verdicts.map_or(super::Library::Any.name(), |verdicts| &verdicts.library)
}

fn judge(check: &Check, value: f64, past: usize, control: Option<ControlLimits>) -> Judged {
    let unit = if check.unit() == "%" { " %" } else { "" };
    let shown = |value: f64| match check.unit() {
        "reads" => grouped(value.round() as u64),
        _ => shown(value),
    };
    let (verdict, side, limits, text) = match &control {
        None => (
            Verdict::NotMeasured,
            check.bad(),
            CheckLimits::OFF,
            format!("Not measured: {past} past samples have this value, and {FEWEST} are needed."),
        ),
        Some(control) => {
            let (side, limits) = control.beside(check, value);
            let verdict = limits.judge(side, value);
            let beyond = if verdict == Verdict::Fail { limits.fail } else { limits.warn };
            let of = format!(
                "The median of {} past samples is {}{unit}",
                control.past,
                shown(control.median)
            );
            let text = match (verdict > Verdict::Pass, beyond) {
                (true, Some(beyond)) => format!(
                    "{}{unit} is {} {}{unit}. {of}. Find out what changed since: input, kit, instrument or settings.",
                    shown(value),
                    side.name(),
                    shown(beyond)
                ),
                _ => format!("{of}."),
            };
            (verdict, side, limits, text)
        }
    };
    Judged {
        check: format!("{PREFIX}{}", check.name()),
        verdict,
        value: Some(value),
        unit: check.unit().to_owned(),
        bad: side.name().to_owned(),
        warn: limits.warn,
        fail: limits.fail,
        text,
    }
}

#[cfg(test)]
mod tests {
    use biofast_testkit::random::Random;

    use super::*;
    use crate::measure::reads::gc_model::Normal;

    fn check(name: &str) -> &'static Check {
        Check::named(name).expect("a check")
    }

    #[test]
    fn limits_are_of_the_past_and_only_what_is_bad_fails() {
        let quality = check("mean-quality");
        // The median is 30 and the median absolute deviation 1.
        let past: Vec<f64> = (0..20).map(|i| 30.0 + f64::from(i % 5 - 2)).collect();
        let control = ControlLimits::of(quality, &past).expect("enough");
        assert_eq!((control.median, control.past), (30.0, 20));
        assert!((control.at(WARN) - 30.0 - 4.0 * 1.4826 * widening(20)).abs() < 1e-9);
        let of = |value| judge(quality, value, 20, Some(control)).verdict;
        assert_eq!(
            [30.0, 23.0, 22.0, 18.0].map(of),
            [Verdict::Pass, Verdict::Pass, Verdict::Warn, Verdict::Fail]
        );
        // Better than ever is unusual, and no failure.
        assert_eq!(of(45.0), Verdict::Warn);
        assert_eq!(ControlLimits::of(quality, &past[..FEWEST - 1]), None);
    }

    #[test]
    fn counts_are_compared_by_ratio_and_equal_pasts_leave_room() {
        let reads = check("number-of-reads");
        let control = ControlLimits::of(reads, &[1e6; 15]).expect("enough");
        assert!((control.at(-WARN) - 1e6 / 2f64.powf(0.2 * widening(15))).abs() < 1.0);
        assert_eq!(judge(reads, 0.0, 15, Some(control)).verdict, Verdict::Fail);
        let share = ControlLimits::of(check("n-share"), &[0.0; 15]).expect("enough");
        assert_eq!((share.at(-FAIL), share.at(WARN)), (0.0, widening(15)));
        assert!(!share.can_be_beyond(Bad::Below, share.at(-WARN)));
        let mapped = ControlLimits::of(check("mapped-share"), &[99.9; 15]).expect("enough");
        assert_eq!(mapped.at(FAIL), 100.0);
    }

    /// How many of so many draws get a warning from as many values before them.
    fn alarms(check: &Check, past: usize, draws: usize, draw: &mut impl FnMut() -> f64) -> usize {
        let judged = (0..draws).map(|_| {
            let values: Vec<f64> = (0..past).map(|_| draw()).collect();
            judge(check, draw(), past, ControlLimits::of(check, &values)).verdict
        });
        judged.filter(|verdict| *verdict > Verdict::Pass).count()
    }

    #[test]
    fn one_normal_value_in_a_thousand_stands_out_by_chance() {
        let mut random = Random(0x6_c0de);
        // Of a share whose spread is well above the least.
        let mut normal = || {
            let sum: f64 = (0..12).map(|_| random.below(1 << 20) as f64 / f64::from(1 << 20)).sum();
            50.0 + 3.0 * (sum - 6.0)
        };
        for past in [15, 20, 30, 50, 100] {
            let found = alarms(check("n-share"), past, 20_000, &mut normal);
            assert!(found <= 40, "{found} of 20,000 beside {past}");
        }
        // What is unusual stands out all the same.
        let values: Vec<f64> = (0..15).map(|_| normal()).collect();
        let control = ControlLimits::of(check("n-share"), &values);
        assert_eq!(judge(check("n-share"), 99.0, 15, control).verdict, Verdict::Fail);
    }

    #[test]
    fn equal_libraries_rarely_differ_in_their_gc() {
        let mut random = Random(0x9c_9c);
        // Two overlapping sources, of which few reads make the higher one by chance.
        let weights: Vec<f64> = (0..101)
            .map(|gc| {
                let hill = |middle: f64, spread: f64| {
                    (-(f64::from(gc) - middle).powi(2) / 2.0 / spread.powi(2)).exp()
                };
                hill(42.0, 7.0) + 0.35 * hill(55.0, 9.0)
            })
            .collect();
        let all: f64 = weights.iter().sum();
        let mut gc = || {
            let mut reads = [0.0f64; 101];
            for (reads, weight) in reads.iter_mut().zip(&weights) {
                // A count is as good as normal around its mean.
                let mean = 20_000.0 * weight / all;
                let sum: f64 =
                    (0..12).map(|_| random.below(1 << 20) as f64 / f64::from(1 << 20)).sum();
                *reads = (mean + mean.sqrt() * (sum - 6.0)).max(0.0);
            }
            Normal::of(&reads).expect("a spread").deviation(&reads)
        };
        let found = alarms(check("gc-deviation"), 15, 1000, &mut gc);
        assert!(found <= 5, "{found} of 1,000");
    }
}

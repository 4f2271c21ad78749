//! The error model of fgbio: which base a molecule has, and how sure that is, by what its reads have there.
//!
//! Probabilities are natural logarithms. The order of operations is that of fgbio and fgumi (0.9), so that qualities are the same.

use std::f64::consts::{LN_2, LN_10};

/// The least and the highest quality of a consensus base.
pub(super) const MIN_QUALITY: u8 = 2;
pub(super) const MAX_QUALITY: u8 = 93;

/// A base that isn't called.
pub(super) const NO_CALL: u8 = b'N';

const BASES: [u8; 4] = *b"ACGT";

/// The index of a base; 4 of what is none.
const INDEXES: [u8; 256] = {
    let mut indexes = [4; 256];
    let mut index = 0;
    while index < 4 {
        indexes[BASES[index] as usize] = index as u8;
        indexes[BASES[index].to_ascii_lowercase() as usize] = index as u8;
        index += 1;
    }
    indexes
};

pub(super) fn ln_error(quality: u8) -> f64 {
    -f64::from(quality) * LN_10 / 10.0
}

/// The quality of a probability of error, within the limits of consensus bases.
pub(super) fn quality_of(ln_error: f64) -> u8 {
    if ln_error < -f64::from(MAX_QUALITY) * LN_10 / 10.0 {
        return MAX_QUALITY;
    }
    if ln_error.is_nan() {
        return MIN_QUALITY;
    }
    let quality = (-10.0 * ln_error / LN_10 + 0.001).floor();
    quality.clamp(f64::from(MIN_QUALITY), f64::from(MAX_QUALITY)) as u8
}

/// `ln(1 + e^x)`
fn ln_1p_exp(x: f64) -> f64 {
    match x {
        ..=-37.0 => x.exp(),
        ..=18.0 => x.exp().ln_1p(),
        ..=33.3 => x + (-x).exp(),
        _ => x,
    }
}

/// `ln(1 - e^x)`
fn ln_not(x: f64) -> f64 {
    if x >= 0.0 {
        f64::NEG_INFINITY
    } else if x >= -LN_2 {
        (-x.exp_m1()).ln()
    } else {
        (-x.exp()).ln_1p()
    }
}

fn ln_add(a: f64, b: f64) -> f64 {
    if a == f64::NEG_INFINITY {
        return b;
    }
    if b == f64::NEG_INFINITY {
        return a;
    }
    if a == b {
        return a + LN_2;
    }
    let (less, more) = if b < a { (b, a) } else { (a, b) };
    less + ln_1p_exp(more - less)
}

fn ln_sum(values: &[f64; 4]) -> f64 {
    let mut least = 0;
    for (index, value) in values.iter().enumerate() {
        if *value < values[least] {
            least = index;
        }
    }
    let others = values.iter().enumerate().filter(|(index, _)| *index != least);
    others.fold(values[least], |sum, (_, value)| ln_add(sum, *value))
}

/// The probability of an error in one of two trials, where two errors may cancel each other.
pub(super) fn ln_error_of_two(one: f64, other: f64) -> f64 {
    const LN_FOUR_THIRDS: f64 = 0.287_682_072_451_780_9;
    let (more, less) = if one < other { (other, one) } else { (one, other) };
    if more - less >= 6.0 {
        return more;
    }
    let (sum, product) = (ln_add(more, less), LN_FOUR_THIRDS + more + less);
    if product == f64::NEG_INFINITY {
        sum
    } else if (sum - product).abs() < f64::EPSILON {
        f64::NEG_INFINITY
    } else {
        sum + ln_not(product - sum)
    }
}

/// Calls bases.
pub(super) struct BaseCaller {
    /// For each quality of a read: the logarithms of the probabilities that the base is right, and that it is a certain other one.
    observed: Vec<[f64; 2]>,
    ln_error_before: f64,
    likelihoods: [f64; 4],
    lost: [f64; 4],
    counts: [u32; 4],
    certain: CertainQualities,
}

impl BaseCaller {
    /// Of these qualities are errors before UMIs were attached, and after.
    pub(super) fn new(before: u8, after: u8) -> BaseCaller {
        let of = |quality| {
            let error = ln_error_of_two(ln_error(after), ln_error(quality));
            [ln_not(error), error - 3f64.ln()]
        };
        let ln_error_before = ln_error(before);
        BaseCaller {
            observed: (0..=MAX_QUALITY).map(of).collect(),
            ln_error_before,
            likelihoods: [0.0; 4],
            lost: [0.0; 4],
            counts: [0; 4],
            certain: CertainQualities::new(ln_error_before),
        }
    }

    pub(super) fn clear(&mut self) {
        (self.likelihoods, self.lost, self.counts) = ([0.0; 4], [0.0; 4], [0; 4]);
    }

    /// Adds the base of a read. What is no base isn't counted.
    #[inline]
    pub(super) fn add(&mut self, base: u8, quality: u8) {
        let index = usize::from(INDEXES[usize::from(base)]);
        if index > 3 {
            return;
        }
        let [right, wrong] = self.observed[usize::from(quality.min(MAX_QUALITY))];
        let mut values = [wrong; 4];
        values[index] = right;
        // Kahan's sum: what is lost by rounding is added to the next.
        for ((value, sum), lost) in values.iter().zip(&mut self.likelihoods).zip(&mut self.lost) {
            let value = value - *lost;
            let total = *sum + value;
            *lost = (total - *sum) - value;
            *sum = total;
        }
        self.counts[index] += 1;
    }

    /// How many bases were added.
    pub(super) fn depth(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// How many of them are this one.
    pub(super) fn count_of(&self, base: u8) -> u32 {
        self.counts.get(usize::from(INDEXES[usize::from(base)])).copied().unwrap_or(0)
    }

    /// The base and its quality.
    pub(super) fn call(&self) -> (u8, u8) {
        if self.depth() == 0 {
            return (NO_CALL, MIN_QUALITY);
        }
        self.call_if_certain().unwrap_or_else(|| self.call_fully())
    }

    fn call_fully(&self) -> (u8, u8) {
        let Some(best) = self.best() else { return (NO_CALL, MIN_QUALITY) };
        let posterior = self.likelihoods[best] - ln_sum(&self.likelihoods);
        let error = ln_error_of_two(self.ln_error_before, ln_not(posterior));
        (BASES[best], quality_of(error))
    }

    /// The most likely base, if none is as likely.
    fn best(&self) -> Option<usize> {
        let mut most = (f64::MIN, None);
        let mut has_any = false;
        for (index, &value) in self.likelihoods.iter().enumerate() {
            if value.is_nan() {
                continue;
            }
            if !has_any || value > most.0 {
                most = (value, Some(index));
                has_any = true;
            } else if (value - most.0).abs() <= f64::EPSILON {
                most.1 = None;
            }
        }
        most.1.filter(|index| self.likelihoods[*index] != f64::NEG_INFINITY)
    }

    /// The same where all bases are the same one and rounding can't make another quality of it.
    fn call_if_certain(&self) -> Option<(u8, u8)> {
        let index = self.counts.iter().position(|count| *count > 0)?;
        if self.counts[index + 1..].iter().any(|count| *count > 0) {
            return None;
        }
        let (right, wrong) = (self.likelihoods[index], self.likelihoods[(index + 1) % 4]);
        let quality = self.certain.quality(right, wrong)?;
        Some((BASES[index], quality))
    }
}

/// The qualities of bases about which all reads agree: steps of the difference between the logarithms of both likelihoods.
struct CertainQualities {
    /// The least difference of each quality.
    steps: Vec<f64>,
    ln_error_before: f64,
}

impl CertainQualities {
    fn new(ln_error_before: f64) -> CertainQualities {
        let quality_at = |gap: f64| {
            let error = ln_not(-ln_sum(&[0.0, -gap, -gap, -gap]));
            quality_of(ln_error_of_two(ln_error_before, error))
        };
        let (mut steps, highest) = (Vec::new(), quality_at(256.0));
        for quality in 0..=highest {
            let (mut below, mut at) = (0.0, 256.0);
            if quality_at(0.0) >= quality {
                (below, at) = (0.0, 0.0);
            }
            while at - below > 1e-12 {
                let middle = 0.5 * (below + at);
                match quality_at(middle) >= quality {
                    true => at = middle,
                    false => below = middle,
                }
            }
            steps.push(at);
        }
        CertainQualities { steps, ln_error_before }
    }

    /// The quality, unless the difference is so near a step that rounding may decide.
    #[inline]
    fn quality(&self, right: f64, wrong: f64) -> Option<u8> {
        let gap = right - wrong;
        if !(gap.is_finite() && gap > 0.0) {
            return None;
        }
        // Where the lower of both errors begins to be left out, qualities don't only rise.
        let ratio = 3f64.ln() - gap - self.ln_error_before;
        if (ratio.abs() - 6.0).abs() < 0.6 {
            return None;
        }
        let quality = self.steps.partition_point(|step| *step <= gap) - 1;
        // What is lost in the sum of likelihoods, beside the error of the call, which is 3e^-gap.
        let rounding = 64.0 * f64::EPSILON * (right.abs() + wrong.abs() + 1.0);
        let is_last = quality + 1 == self.steps.len();
        let upper =
            if is_last { gap.min(self.steps[quality] + 4.0) } else { self.steps[quality + 1] };
        let error = 3.0 * (-upper).exp();
        let margin = rounding / (error / (1.0 + error)) + 1e-9;
        let is_below = is_last || upper - gap > margin;
        (gap - self.steps[quality] > margin.min(1.0) && margin < 1.0 && is_below)
            .then_some(quality as u8)
    }
}

/// The consensus of UMIs, like fgbio's `SimpleConsensusCaller`.
pub(super) struct UmiCaller(BaseCaller);

impl UmiCaller {
    pub(super) fn new() -> UmiCaller {
        UmiCaller(BaseCaller::new(90, 90))
    }

    /// Appends the consensus; `false` if the UMIs have several lengths, or bases where others have something else.
    pub(super) fn call(&mut self, umis: &[impl AsRef<[u8]>], out: &mut Vec<u8>) -> bool {
        let Some((first, others)) = umis.split_first() else { return true };
        let first = first.as_ref();
        let is_plain = |byte: &u8| !byte.is_ascii_lowercase();
        if others.is_empty()
            || (first.iter().all(is_plain) && others.iter().all(|umi| umi.as_ref() == first))
        {
            out.extend_from_slice(first);
            return true;
        }
        if others.iter().any(|umi| umi.as_ref().len() != first.len()) {
            return false;
        }
        let is_base = |byte: u8| b"ACGTNacgtn".contains(&byte);
        for (index, &byte) in first.iter().enumerate() {
            let bytes = || umis.iter().map(|umi| umi.as_ref()[index]);
            if !is_base(byte) {
                if bytes().any(|other| other != byte) {
                    return false;
                }
                out.push(byte);
                continue;
            }
            if !bytes().all(is_base) {
                return false;
            }
            self.0.clear();
            bytes().for_each(|byte| self.0.add(byte, 20));
            out.push(self.0.call().0);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use biofast_testkit::effort;
    use biofast_testkit::random::Random;

    use super::*;

    /// The model as fgbio's documentation states it, with plain probabilities.
    fn plain(before: f64, after: f64, observed: &[(u8, u8)]) -> (u8, f64) {
        let error_of = |quality: f64| 10f64.powf(-quality / 10.0);
        let both = |a: f64, b: f64| a + b - 4.0 / 3.0 * a * b;
        let likelihoods = BASES.map(|base| {
            let of = |&(found, quality): &(u8, u8)| {
                let error = both(error_of(after), error_of(quality.into()));
                if found == base { 1.0 - error } else { error / 3.0 }
            };
            observed.iter().map(of).product::<f64>()
        });
        let sum: f64 = likelihoods.iter().sum();
        let best = (0..4).max_by(|a, b| likelihoods[*a].total_cmp(&likelihoods[*b])).unwrap();
        let others: f64 = (0..4).filter(|i| *i != best).map(|i| likelihoods[i]).sum();
        (BASES[best], -10.0 * both(error_of(before), others / sum).log10())
    }

    #[test]
    fn calls_are_those_of_the_plain_model() {
        let mut random = Random(54);
        for case in 0..effort::times(3000) {
            let (before, after) = (10 + random.below(50) as u8, 10 + random.below(50) as u8);
            let mut caller = BaseCaller::new(before, after);
            let len = 1 + random.below(8);
            let observed: Vec<(u8, u8)> = (0..len)
                .map(|_| {
                    let base = BASES[if random.chance(80) { 0 } else { random.below(4) }];
                    (base, 2 + random.below(40) as u8)
                })
                .collect();
            observed.iter().for_each(|(base, quality)| caller.add(*base, *quality));
            let (base, quality) = caller.call();
            assert_eq!(caller.call_fully(), (base, quality), "case {case}: {observed:?}");
            let (expected, exact) = plain(before.into(), after.into(), &observed);
            if base == NO_CALL {
                continue;
            }
            assert_eq!(base, expected, "case {case}: {observed:?}");
            // Of two probabilities that differ much, the lower is left out.
            let exact = exact.clamp(2.0, 93.0);
            assert!((f64::from(quality) - exact.floor()).abs() <= 1.0, "{quality} {exact}");
            assert!(f64::from(quality) <= exact + 0.02, "{quality} {exact}");
        }
    }

    #[test]
    fn what_all_reads_have_is_called_fast_and_the_same() {
        let mut random = Random(7);
        let (mut fast, mut all) = (0, 0);
        for _ in 0..effort::times(400) {
            let mut caller =
                BaseCaller::new(20 + random.below(70) as u8, 20 + random.below(70) as u8);
            let most = if random.chance(5) { 5000 } else { 60 };
            let quality = 2 + random.below(60) as u8;
            for _ in 0..most {
                let quality = if random.chance(50) { quality } else { 2 + random.below(60) as u8 };
                caller.add(b'G', quality);
                let found = caller.call_if_certain();
                let expected = caller.call_fully();
                assert!(found.is_none_or(|found| found == expected), "{found:?} {expected:?}");
                fast += usize::from(found.is_some());
                all += 1;
            }
        }
        assert!(fast * 10 > all * 5, "{fast} of {all}");
    }

    #[test]
    fn ties_and_nothing_are_not_called() {
        let mut caller = BaseCaller::new(45, 40);
        assert_eq!(caller.call(), (NO_CALL, MIN_QUALITY));
        caller.add(b'A', 30);
        caller.add(b'C', 30);
        caller.add(b'N', 30);
        assert_eq!((caller.call(), caller.depth()), ((NO_CALL, MIN_QUALITY), 2));
        caller.add(b'c', 30);
        assert_eq!((caller.call().0, caller.count_of(b'C')), (b'C', 2));
    }

    #[test]
    fn umis_are_called_base_by_base() {
        let mut caller = UmiCaller::new();
        let mut call = |umis: &[&str]| {
            let mut out = Vec::new();
            caller.call(umis, &mut out).then(|| String::from_utf8(out).unwrap())
        };
        assert_eq!(call(&["ACGT-acg"]).as_deref(), Some("ACGT-acg"));
        assert_eq!(call(&["ACGT-acg", "ACGT-acg"]).as_deref(), Some("ACGT-ACG"));
        assert_eq!(call(&["ACGT-A", "ACGA-A", "ACGT-A"]).as_deref(), Some("ACGT-A"));
        assert_eq!(call(&["AN", "CN"]).as_deref(), Some("NN"));
        assert_eq!((call(&["A-C", "AAC"]), call(&["A", "AC"])), (None, None));
    }
}

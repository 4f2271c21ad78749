//! How likely a heterozygous site would be called at the depths and base qualities of a file: Picard's theoretical
//! sensitivity, which is drawn at random, with the random numbers of Java from a fixed seed, so that the same counts give
//! the same figure.

/// How many sums of qualities are drawn.
const SAMPLES: usize = 10_000;

/// By how much the evidence for a variant must outweigh that against it, as the logarithm to base 10.
const LOG_ODDS: f64 = 3.0;

/// Depths above this one aren't looked at.
const DEEPEST: usize = 1000;

/// Draws after which one that isn't accepted counts as 0.
const DRAWS: u32 = 600;

/// The generator of `java.util.Random`: 48 bits, of which the upper ones are used.
struct JavaRandom(u64);

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    fn new(seed: u64) -> JavaRandom {
        JavaRandom((seed ^ MULTIPLIER) & MASK)
    }

    /// The next state but `steps - 1`.
    #[inline]
    const fn after(state: u64, steps: u32) -> u64 {
        let (mut factor, mut summand, mut n) = (1u64, 0u64, 0);
        while n < steps {
            factor = factor.wrapping_mul(MULTIPLIER);
            summand = summand.wrapping_mul(MULTIPLIER).wrapping_add(0xB);
            n += 1;
        }
        state.wrapping_mul(factor).wrapping_add(summand) & MASK
    }

    /// The number from 0 to 1 that two states make.
    #[inline]
    fn unit(first: u64, second: u64) -> f64 {
        let bits = ((first >> 22) << 27) + (second >> 21);
        bits as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Two numbers from 0 to 1. All four states are made of the one before, so that none waits for another.
    #[inline]
    fn two(&mut self) -> (f64, f64) {
        let state = self.0;
        let (a, b) = (JavaRandom::after(state, 1), JavaRandom::after(state, 2));
        let (c, d) = (JavaRandom::after(state, 3), JavaRandom::after(state, 4));
        self.0 = d;
        (JavaRandom::unit(a, b), JavaRandom::unit(c, d))
    }
}

/// Draws places of a list as often as their weights say.
struct Wheel {
    random: JavaRandom,
    chances: Vec<f64>,
}

impl Wheel {
    fn new(weights: &[f64]) -> Wheel {
        let most = weights.iter().copied().fold(0.0, f64::max);
        Wheel {
            random: JavaRandom::new(51),
            chances: weights.iter().map(|weight| weight / most).collect(),
        }
    }

    #[inline]
    fn draw(&mut self) -> usize {
        let count = self.chances.len() as u64;
        for _ in 0..DRAWS {
            // Most places are those of qualities that don't occur. The upper half of the first number nearly always tells
            // the place, and of a place without a chance the second number doesn't matter.
            let upper = JavaRandom::after(self.random.0, 1) >> 22;
            let place = ((count * upper) >> 26) as usize;
            if place == ((count * (upper + 1)) >> 26) as usize && self.chances[place] == 0.0 {
                self.random.0 = JavaRandom::after(self.random.0, 4);
                continue;
            }
            let (place, chance) = self.random.two();
            let place = (count as f64 * place) as usize;
            if chance < self.chances[place] {
                return place;
            }
        }
        0
    }
}

/// The theoretical sensitivity for heterozygous sites, and its Phred score, of positions by depth and bases by quality.
pub(crate) fn heterozygous(depths: &[u64], qualities: &[u64]) -> (f64, i32) {
    let share = |counts: &[u64]| -> Vec<f64> {
        let total = counts.iter().sum::<u64>() as f64;
        counts.iter().map(|&count| count as f64 / total).collect()
    };
    let count = depths.len().min(DEEPEST + 1);
    // Without bases nothing is called, and there is nothing to draw from.
    let found = match qualities.iter().sum::<u64>() {
        0 if depths.iter().sum::<u64>() > 0 => 0.0,
        0 => f64::NAN,
        _ => called(&share(depths)[..count], &share(qualities)),
    };
    (found, phred(1.0 - found))
}

/// The share of sites that are called.
fn called(depths: &[f64], qualities: &[f64]) -> f64 {
    let count = depths.len();
    let mut wheel = Wheel::new(qualities);
    let best = qualities.iter().rposition(|share| *share > 0.0).unwrap_or(0);
    // Of each number of bases how often its qualities have which sum.
    let mut sums: Vec<Vec<u32>> = (0..count).map(|bases| vec![0; bases * best + 1]).collect();
    for _ in 0..SAMPLES {
        let mut sum = 0;
        for of_number in &mut sums {
            of_number[sum] += 1;
            sum += wheel.draw();
        }
    }
    let thresholds: Vec<f64> =
        (0..count).map(|depth| 10.0 * (depth as f64 * 2f64.log10() + LOG_ODDS)).collect();
    // By the number of bases with the variant: the share of the drawn sums that reach the threshold of each depth.
    let reached: Vec<Vec<f64>> =
        sums.iter().map(|sums| shares_reached(sums, &thresholds)).collect();
    let mut found = 0.0;
    let mut before: Vec<f64> = Vec::new();
    for (depth, &share) in depths.iter().enumerate() {
        // How likely which number of the bases has the variant: a binomial distribution, made of the one before.
        let mut row = vec![0.5f64.powi(depth as i32)];
        for number in 1..depth {
            row.push((depth as f64 * 0.5 / number as f64) * before[number - 1]);
        }
        if depth > 0 {
            row.push(row[0]);
        }
        for (chance, reached) in row.iter().zip(&reached) {
            found += share * chance * reached[depth];
        }
        before = row;
    }
    found
}

/// The share of sums that are at least as large as each threshold; thresholds ascend.
fn shares_reached(sums: &[u32], thresholds: &[f64]) -> Vec<f64> {
    let (mut at, mut left) = (0, SAMPLES as u32);
    let mut shares = Vec::with_capacity(thresholds.len());
    for &threshold in thresholds {
        while at < sums.len() && threshold > at as f64 {
            left -= sums[at];
            at += 1;
        }
        shares.push(f64::from(left) / SAMPLES as f64);
    }
    shares
}

/// As Java rounds it: of nothing 0, of more than fits −1.
fn phred(error: f64) -> i32 {
    ((-10.0 * error.log10() + 0.5).floor() as i64) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_java() {
        // new java.util.Random(51).nextDouble(), twice.
        let mut random = JavaRandom::new(51);
        let (first, second) = random.two();
        let mut state = (51 ^ MULTIPLIER) & MASK;
        let mut next = |bits: u32| {
            state = (state.wrapping_mul(MULTIPLIER) + 0xB) & MASK;
            state >> (48 - bits)
        };
        for value in [first, second] {
            let expected = ((next(26) << 27) + next(27)) as f64 / 2f64.powi(53);
            assert_eq!(value, expected);
        }
    }

    #[test]
    fn draws_are_those_of_two_numbers_each() {
        let weights: Vec<f64> = (0..127)
            .map(|q| [0.0, 3.0, 0.5][usize::from(q % 40 == 2) + 2 * usize::from(q == 37)])
            .collect();
        let mut wheel = Wheel::new(&weights);
        let mut random = JavaRandom::new(51);
        for _ in 0..5000 {
            let mut plain = || {
                for _ in 0..DRAWS {
                    let (place, chance) = random.two();
                    let place = (127.0 * place) as usize;
                    if chance < weights[place] / 3.0 {
                        return place;
                    }
                }
                0
            };
            assert_eq!(wheel.draw(), plain());
        }
    }

    #[test]
    fn sites_are_called_where_depth_and_quality_allow_it() {
        let qualities =
            |quality: usize| (0..127).map(|q| u64::from(q == quality)).collect::<Vec<_>>();
        let depths = |depth: usize| (0..=250).map(|d| u64::from(d == depth)).collect::<Vec<_>>();
        assert_eq!(heterozygous(&depths(0), &qualities(30)).0, 0.0);
        let (few, many) =
            (heterozygous(&depths(4), &qualities(30)), heterozygous(&depths(60), &qualities(30)));
        assert!(few.0 < 0.9 && many.0 > 0.999, "{few:?} {many:?}");
        assert!(few.1 < many.1);
        assert_eq!(heterozygous(&depths(0), &[0; 127]), (0.0, 0));
        assert!(heterozygous(&[0; 251], &[0; 127]).0.is_nan());
    }
}

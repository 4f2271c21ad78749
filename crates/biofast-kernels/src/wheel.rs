//! Weighted draws with the random numbers of Java.

/// Draws after which one that isn't accepted counts as 0.
const DRAWS: u32 = 600;

/// The generator of `java.util.Random`: 48 bits, of which the upper ones are used.
#[derive(Clone, Debug)]
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

/// Draws indexes of a list as often as their weights say. It uses the random numbers of `java.util.Random` from seed
/// 51, like Picard's theoretical sensitivity, so the same weights always give the same indexes.
#[derive(Clone, Debug)]
pub struct Wheel {
    random: JavaRandom,
    chances: Vec<f64>,
}

impl Wheel {
    /// A wheel at its first draw.
    pub fn new(weights: &[f64]) -> Wheel {
        let most = weights.iter().copied().fold(0.0, f64::max);
        Wheel {
            random: JavaRandom::new(51),
            chances: weights.iter().map(|weight| weight / most).collect(),
        }
    }

    /// The next place; 0 if 600 draws in a row weren't accepted.
    pub fn draw(&mut self) -> usize {
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
}

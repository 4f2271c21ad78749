//! The subset `samtools view -s` takes: by a hash of the name, so that all records of a template
//! share their fate.

use std::fmt;

/// Which names are taken: those samtools 1.16.1 takes with the same fraction and seed where its C
/// library is glibc.
///
/// ```
/// use biofast_ops::filter::alignment::NameSample;
///
/// let half = NameSample::new(0.5, 0)?;
/// let taken = (0..1000).filter(|n| half.takes(format!("read{n}").as_bytes())).count();
/// assert!((400..600).contains(&taken));
/// # Ok::<(), biofast_ops::filter::alignment::InvalidFraction>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameSample {
    /// What hashes are mixed with.
    seed: u32,
    /// Names are taken whose 24 bits of hash are below this.
    bound: u32,
}

/// A fraction that is not above 0 and at most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvalidFraction(f64);

impl fmt::Display for InvalidFraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a fraction of {}: expected more than 0 and at most 1", self.0)
    }
}

impl std::error::Error for InvalidFraction {}

impl NameSample {
    /// Takes this fraction of all names.
    ///
    /// # Errors
    /// If the fraction is not above 0 and at most 1.
    pub fn new(fraction: f64, seed: u32) -> Result<NameSample, InvalidFraction> {
        if !(fraction > 0.0 && fraction <= 1.0) {
            return Err(InvalidFraction(fraction));
        }
        // Hashes are whole numbers, so `hash / 2^24 < fraction` is the same as being below this.
        let bound = (fraction * f64::from(1 << 24)).ceil() as u32;
        let seed = if seed == 0 { 0 } else { first_random(seed) };
        Ok(NameSample { seed, bound })
    }

    /// Whether records of this name are taken.
    #[inline]
    pub fn takes(&self, name: &[u8]) -> bool {
        mix(hash(name) ^ self.seed) & 0xff_ffff < self.bound
    }
}

/// Each character is added to 31 times what came before, as C does it with signed characters.
#[inline]
fn hash(name: &[u8]) -> u32 {
    name.iter().fold(0u32, |hash, &b| hash.wrapping_mul(31).wrapping_add(b as i8 as u32))
}

/// Thomas Wang's mixing of 32 bits.
#[inline]
fn mix(mut key: u32) -> u32 {
    key = key.wrapping_add(!(key << 15));
    key ^= key >> 10;
    key = key.wrapping_add(key << 3);
    key ^= key >> 6;
    key = key.wrapping_add(!(key << 11));
    key ^ (key >> 16)
}

/// The first number of the additive generator of the GNU C library (`srand`, `rand`) for a seed:
/// 31 numbers by a multiplicative generator, then each the sum of those 3 and 31 places before, of
/// which 310 are thrown away.
fn first_random(seed: u32) -> u32 {
    let mut state = Vec::with_capacity(345);
    let mut word = i64::from(seed.max(1) as i32);
    state.push(word as u32);
    for _ in 1..31 {
        // By Schrage's method, which keeps the sign of the seed.
        let (high, low) = (word / 127_773, word % 127_773);
        word = 16_807 * low - 2_836 * high;
        if word < 0 {
            word += 2_147_483_647;
        }
        state.push(word as u32);
    }
    for i in 31..34 {
        state.push(state[i - 31]);
    }
    for i in 34..=344 {
        state.push(state[i - 31].wrapping_add(state[i - 3]));
    }
    state[344] >> 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_the_c_library() {
        // From a C program: srand(seed), rand().
        let known = [
            (1, 1_804_289_383),
            (42, 71_876_166),
            (1 << 31, 1_336_741_213),
            (u32::MAX, 254_925_627),
        ];
        for (seed, expected) in known {
            assert_eq!(first_random(seed), expected, "{seed}");
        }
    }

    #[test]
    fn fractions_are_checked_and_one_takes_all() {
        for wrong in [0.0, -0.5, 1.5, f64::NAN] {
            assert!(NameSample::new(wrong, 1).is_err());
        }
        let all = NameSample::new(1.0, 7).expect("a fraction");
        assert!((0..1000).all(|n| all.takes(format!("r{n}").as_bytes())));
        let few = NameSample::new(1e-9, 7).expect("a fraction");
        assert!((0..1000).filter(|n| few.takes(format!("r{n}").as_bytes())).count() < 2);
    }
}

//! The subset `samtools view -s` takes: by a hash of the name, so that all records of a template
//! share their fate.

/// Selects names by a hash: the same names as samtools 1.16.1, on glibc, with the same fraction and seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameSample {
    /// What hashes are mixed with.
    seed: u32,
    /// Names are taken whose 24 bits of hash are below this.
    bound: u32,
}

/// A fraction that is not above 0 and at most 1.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("invalid fraction {0}: expected more than 0 and at most 1")]
pub struct InvalidFraction(f64);

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

/// The seed that samtools 1.24 takes of a header if none is given: its FNV-1a hash. As every sampling adds a line to the header, a sample
/// of a sample has another seed.
///
/// ```
/// use biofast_ops::filter::alignment::seed_of;
///
/// assert_eq!(seed_of(b"@HD\tVN:1.6\n@SQ\tSN:c\tLN:99\n"), 3_589_405_521);
/// ```
pub fn seed_of(header: &[u8]) -> u32 {
    let text = header.iter().take_while(|&&byte| byte != 0);
    text.fold(2_166_136_261, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
}

/// What samtools 1.24 writes of a sampling into the header, as a comment.
///
/// ```
/// use biofast_ops::filter::alignment::sampling_comment;
///
/// assert_eq!(sampling_comment(0.25, 7), "Sub-sampled fraction=0.25 seed=7");
/// assert_eq!(sampling_comment(1.0 / 3.0, 7), "Sub-sampled fraction=0.333333 seed=7");
/// assert_eq!(sampling_comment(2e-5, 0), "Sub-sampled fraction=2e-05 seed=0");
/// ```
pub fn sampling_comment(fraction: f64, seed: u32) -> String {
    format!("{COMMENT}{} seed={seed}", significant(fraction))
}

const COMMENT: &str = "Sub-sampled fraction=";

/// Six significant digits, as C's `%g` has them for what is above 0 and at most 1.
fn significant(number: f64) -> String {
    let rounded = format!("{number:.5e}");
    let (digits, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match exponent {
        ..-4 => format!("{}e-{:02}", trimmed(digits), -exponent),
        _ => trimmed(&format!("{number:.*}", (5 - exponent).max(0) as usize)),
    }
}

/// The last sampling that a header tells of: its fraction as it stands there, and its seed.
///
/// Comments of samtools 1.24 and of biofast tell, and the command lines of earlier ones, whose seed was 0 unless they gave one.
///
/// ```
/// use biofast_ops::filter::alignment::sampled_before;
///
/// let header = b"@HD\tVN:1.6\n@PG\tID:x\tPN:samtools\tCL:samtools view -b -s 7.25 in.bam\n";
/// assert_eq!(sampled_before(header), Some(("0.25".into(), 7)));
/// assert_eq!(sampled_before(b"@PG\tID:x\tPN:bwa\tCL:bwa mem -s 7.25\n"), None);
/// ```
pub fn sampled_before(header: &[u8]) -> Option<(String, u32)> {
    let text = String::from_utf8_lossy(header);
    let comment = |line: &str| {
        let (fraction, seed) =
            line.strip_prefix("@CO\t")?.strip_prefix(COMMENT)?.split_once(' ')?;
        Some((fraction.to_owned(), seed.trim().strip_prefix("seed=")?.parse().ok()?))
    };
    let program = |line: &str| {
        let command =
            line.strip_prefix("@PG\t")?.split('\t').find_map(|f| f.strip_prefix("CL:"))?;
        let mut words = command.split_whitespace();
        let program = words.next()?.rsplit('/').next()?;
        match (program, words.next()?) {
            ("samtools", "view") | ("biofast", "filter") => {}
            _ => return None,
        }
        let words: Vec<&str> = words.collect();
        let value = |option: &str| {
            words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix(option)? {
                "" => words.get(at + 1).copied(),
                rest => rest.strip_prefix('=').or_else(|| (option == "-s").then_some(rest)),
            })
        };
        if let Some((seed, digits)) = value("-s").and_then(|value| value.split_once('.')) {
            return Some((format!("0.{digits}"), seed.parse().unwrap_or(0)));
        }
        let fraction = value("--subsample")?;
        let seed = value("--subsample-seed").and_then(|seed| seed.parse().ok());
        Some((fraction.to_owned(), seed.unwrap_or(0)))
    };
    text.lines().rev().find_map(comment).or_else(|| text.lines().rev().find_map(program))
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

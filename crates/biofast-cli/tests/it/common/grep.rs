//! What the cases of `grep` share with those beside peers.

use biofast_testkit::random::Random;

pub(crate) use super::repair::records;
use super::silent;

/// Reads of random bases, in part of lower case or not known, with names that are like one another.
pub(crate) fn random_reads(seed: u64, n: usize, mate: &str) -> String {
    let mut numbers = Random(seed);
    let mut all = String::new();
    for number in 0..n {
        let len = 1 + numbers.below(120);
        let alphabet: &[u8] = match numbers.below(10) {
            0 => b"ACGTN",
            1 => b"ACGTacgt",
            2 => b"AACCC",
            _ => b"ACGT",
        };
        let bases: Vec<u8> = (0..len).map(|_| alphabet[numbers.below(alphabet.len())]).collect();
        let bases = String::from_utf8(bases).unwrap();
        let comment = if number % 3 == 0 { "" } else { " x:Y" };
        all += &format!("@r{number}{mate}{comment}\n{bases}\n+\n{}\n", "I".repeat(len));
    }
    all
}

pub(crate) fn found(args: &[&str]) -> String {
    silent(&[&["grep", "--quiet"], args].concat()).stdout
}

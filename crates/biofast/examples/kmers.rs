//! The most frequent words of k bases, counted on all threads.
//!
//! `cargo run --release --example kmers -- 11 reads.fq.gz`

use std::collections::HashMap;
use std::error::Error;
use std::io::Write;

use biofast::fastq::Fold;

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// Writes the ten most frequent words; the arguments are k and the file.
pub fn run(
    mut arguments: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let (Some(k), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("give k and a file".into());
    };
    let k: usize = k.parse().map_err(|_| format!("k is a number, not '{k}'"))?;
    if !(1..=31).contains(&k) {
        return Err("k is 1 to 31".into());
    }
    let counts = Fold::open(&file)?.run(
        HashMap::<u64, u64>::new,
        |counts, batch| {
            for record in batch.iter() {
                words(record.sequence(), k, |word| *counts.entry(word).or_default() += 1);
            }
        },
        |counts, other| other.into_iter().for_each(|(w, n)| *counts.entry(w).or_default() += n),
    );
    let counts = counts.map_err(|fault| fault.error)?;
    let mut counts: Vec<(u64, u64)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|&(word, n)| (std::cmp::Reverse(n), word));
    for (word, n) in counts.into_iter().take(10) {
        let letters = (0..k).rev().map(|i| b"ACGT"[(word >> (2 * i) & 3) as usize] as char);
        writeln!(out, "{}\t{n}", letters.collect::<String>())?;
    }
    Ok(())
}

/// The words of a sequence, two bits a base; none across a letter other than A, C, G and T.
fn words(sequence: &[u8], k: usize, mut found: impl FnMut(u64)) {
    let mask = (1 << (2 * k)) - 1;
    let (mut word, mut len) = (0u64, 0);
    for base in sequence {
        let code = match base.to_ascii_uppercase() {
            b'A' => 0,
            b'C' => 1,
            b'G' => 2,
            b'T' => 3,
            _ => {
                len = 0;
                continue;
            }
        };
        word = (word << 2 | code) & mask;
        len += 1;
        if len >= k {
            found(word);
        }
    }
}

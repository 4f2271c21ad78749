//! The first read that has a word of bases, or its reverse complement: on all threads, and nothing is read behind it.
//!
//! `cargo run --release --example find_kmer -- GATTACA reads.fq.gz`

use std::error::Error;
use std::io::Write;
use std::ops::ControlFlow;

use biofast::fastq::Fold;

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// Writes number and name of the read; the arguments are the word and the file.
pub fn run(
    mut arguments: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let (Some(word), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("give a word and a file".into());
    };
    if word.is_empty() {
        return Err("the word has no letters".into());
    }
    let word = word.to_ascii_uppercase().into_bytes();
    let words = [reverse_complement(&word), word];
    let mut first = None;
    Fold::open(&file)?.ordered(
        || (),
        |(), batch, found: &mut Option<(u64, Vec<u8>)>| {
            *found = (batch.first_record() + 1..)
                .zip(batch)
                .find(|(_, read)| words.iter().any(|word| has(read.sequence(), word)))
                .map(|(number, read)| (number, read.name().to_vec()));
        },
        |(), ()| (),
        // What the threads have found comes in the order of the file: the first is the first.
        |found| {
            first = found.take();
            if first.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    )?;
    match first {
        Some((number, name)) => {
            writeln!(out, "read {number}: {}", String::from_utf8_lossy(&name))?;
        }
        None => writeln!(out, "not found")?,
    }
    Ok(())
}

/// Whether a sequence has the word, in letters of any case.
fn has(sequence: &[u8], word: &[u8]) -> bool {
    sequence.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

fn reverse_complement(word: &[u8]) -> Vec<u8> {
    let complement = |base: &u8| match base {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => *other,
    };
    word.iter().rev().map(complement).collect()
}

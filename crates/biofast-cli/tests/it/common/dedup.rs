//! What the cases of `dedup` share with those beside peers.

use biofast_testkit::random::Random;

/// Reads of which about a third are there again, with other names and qualities; `n` of them.
pub(crate) fn reads(seed: u64, n: usize) -> Vec<String> {
    let mut random = Random(seed);
    let mut sequences: Vec<String> = Vec::new();
    let mut records = Vec::new();
    for number in 0..n {
        let sequence = match sequences.len() {
            known @ 1.. if random.below(3) == 0 => sequences[random.below(known)].clone(),
            _ => {
                let len = 30 + random.below(20);
                let letters = if random.below(9) == 0 { "ACGTNacg" } else { "ACGT" };
                let letter = |random: &mut Random| {
                    char::from(letters.as_bytes()[random.below(letters.len())])
                };
                (0..len).map(|_| letter(&mut random)).collect()
            }
        };
        let quality = char::from(35 + random.below(40) as u8).to_string().repeat(sequence.len());
        records.push(format!("@m:{number}:{} x\n{sequence}\n+\n{quality}\n", umi(number)));
        sequences.push(sequence);
    }
    records
}

/// One of a few identifiers.
pub(crate) fn umi(number: usize) -> &'static str {
    ["ACG", "ACT", "GGG+TTA", "NNN"][number * 7 % 4]
}

pub(crate) fn sequence(record: &str) -> &str {
    record.lines().nth(1).unwrap()
}

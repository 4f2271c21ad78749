//! What the cases of `filter_fastp` share with those beside peers.

use biofast_testkit::random::Random;
use biofast_testkit::reference::reverse_complement;
use serde_json::Value;

/// Pairs of fragments of all lengths, with adapters behind short ones; where the score is low the base is often wrong, or N.
pub(crate) fn pairs(seed: u64, n: usize, lens: [usize; 2]) -> [String; 2] {
    let mut random = Random(seed);
    let mut out = [String::new(), String::new()];
    let adapters = ["AGATCGGAAGAGCACACGTCTGAACTCCAGTCAC", "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTA"];
    for i in 0..n {
        let len = 10 + random.below(310);
        let repeat = if random.chance(10) { 1 + random.below(40) } else { len };
        let unit: Vec<u8> = (0..repeat).map(|_| b"ACGT"[random.below(4)]).collect();
        let fragment: Vec<u8> = unit.iter().copied().cycle().take(len).collect();
        for (mate, strand) in
            [fragment.clone(), reverse_complement(&fragment)].into_iter().enumerate()
        {
            let mut read = strand;
            read.extend_from_slice(adapters[mate].as_bytes());
            while read.len() < lens[mate] {
                read.push(b"ACGT"[random.below(4)]);
            }
            read.truncate(lens[mate]);
            let bad = [0, 2, 5, 15][random.below(4)];
            let mut qualities = String::new();
            for base in &mut read {
                let low = random.chance(bad);
                qualities.push(if low {
                    b"#+/04"[random.below(5)]
                } else {
                    b"5?EII"[random.below(5)]
                } as char);
                if low && random.chance(60) {
                    *base = b"ACGTN"[random.below(5)];
                }
            }
            let read = String::from_utf8(read).unwrap();
            out[mate] += &format!("@p{i} {}:N:0\n{read}\n+\n{qualities}\n", mate + 1);
        }
    }
    out
}

pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

pub(crate) fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

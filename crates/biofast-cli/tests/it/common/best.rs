//! What the cases of `best` share with those beside peers.

use biofast_testkit::random::Random;

/// Long reads of many lengths and qualities, some with a bad stretch.
pub(crate) fn long_reads(n: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let mut out = String::new();
    for i in 0..n {
        let len = 50 + random.below(100) * random.below(100);
        let level = 3 + random.below(25);
        let bad = random.chance(30).then(|| random.below(len.max(1)));
        let bases: String = (0..len).map(|_| b"ACGT"[random.below(4)] as char).collect();
        let quals: String = (0..len)
            .map(|at| {
                let is_bad = bad.is_some_and(|bad| (bad..bad + 400).contains(&at));
                let phred = if is_bad { 1 + random.below(3) } else { level + random.below(10) };
                (33 + phred) as u8 as char
            })
            .collect();
        out += &format!("@long{i} ch={}\n{bases}\n+\n{quals}\n", i % 7);
    }
    out
}

//! What the cases of `rename` share with those beside peers.

use biofast_testkit::random::Random;

/// Reads whose names come several times, with descriptions, some of which look like numbered names.
pub(crate) fn many(n: usize, fasta: bool) -> String {
    let mut random = Random(8);
    let mut text = String::new();
    for i in 0..n {
        let name = match random.below(4) {
            0 => format!("read{}", random.below(n / 8)),
            1 => format!("x_{}", 10_000 + random.below(50)),
            2 => format!("lone:{i}"),
            _ => format!("p|{}/1", random.below(9)),
        };
        let name = name + ["", " a", " b c", "\tt"][random.below(4)];
        let bases: String =
            (0..1 + random.below(70)).map(|_| "ACGT".as_bytes()[random.below(4)] as char).collect();
        match fasta {
            true => text += &format!(">{name}\n{bases}\n"),
            false => text += &format!("@{name}\n{bases}\n+\n{}\n", "I".repeat(bases.len())),
        }
    }
    text
}

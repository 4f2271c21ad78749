//! `biofast check --repair` of broken reads beside seqkit.

use biofast_testkit::random::Random;

use crate::common::{Folder, run_in};
use crate::tools::{need, run};

#[test]
#[ignore = "needs seqkit"]
fn seqkit_keeps_the_same_reads_beside_broken_ones() {
    let folder = Folder::new();
    let mut random = Random(19);
    let mut broken = 0;
    for _ in 0..20 {
        let mut text = String::new();
        for i in 0..200 {
            let len = 30 + random.below(50);
            let bases: String =
                (0..len).map(|_| ['A', 'C', 'G', 'T', 'N'][random.below(5)]).collect();
            // seqkit takes a line that begins with '@' for a header.
            let qualities: String =
                (0..len).map(|_| ['A', 'I', '#', ':'][random.below(4)]).collect();
            let (bases, qualities) = match random.below(12) {
                0 => (bases, qualities[1..].to_owned()),
                1 => (bases, qualities + "I"),
                2 => (format!("{bases}?"), qualities + "I"),
                _ => (bases, qualities),
            };
            broken += usize::from(bases.len() != qualities.len() || bases.ends_with('?'));
            text += &format!("@r{i} x:y\n{bases}\n+\n{qualities}\n");
        }
        let input = folder.file("x.fq", &text);
        let theirs = run(need("seqkit").args(["sana", &input]));
        let ours = run_in(&folder, &["check", "-q", "--repair", "x.fq", "-o", "-"]);
        assert_eq!(ours.code, 1, "{}", ours.stderr);
        assert!(ours.stdout.as_bytes() == theirs.stdout);
    }
    assert!(broken > 500, "{broken}");
}

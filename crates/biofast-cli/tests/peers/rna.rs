//! RNA beside seqkit: the other strand, and motifs on it.

use std::fmt::Write as _;

use biofast_testkit::random::Random;

use crate::common::{Folder, good, text};
use crate::tools::{need, run};

/// Sequences of U and of any letter of IUPAC; the first ones have a U, so that both programs know what they are.
fn rna(random: &mut Random, number: usize) -> String {
    let mut text = String::from(">first\nACGU\n");
    for name in 0..number {
        let letters: &[u8] = if random.below(4) == 0 { b"ACGUNRYKMSWBDHV" } else { b"ACGU" };
        let len = random.below(40) + 1;
        let bases = (0..len).map(|_| {
            let base = letters[random.below(letters.len())];
            char::from(if random.below(9) == 0 { base.to_ascii_lowercase() } else { base })
        });
        writeln!(text, ">r{name}\n{}", bases.collect::<String>()).unwrap();
    }
    text
}

#[test]
#[ignore = "needs seqkit"]
fn rna_on_its_other_strand_is_that_of_seqkit() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let folder = Folder::new();
        folder.file("u.fa", rna(&mut random, 60));
        let of_seqkit = |args: &[&str]| -> String {
            let mut seqkit = need("seqkit");
            seqkit.args(args).arg(text(&folder.path("u.fa")));
            String::from_utf8(run(&mut seqkit).stdout).unwrap()
        };
        let turned = good(&folder, &["convert", "-q", "--reverse-complement", "-w", "0", "u.fa"]);
        assert_eq!(turned.stdout, of_seqkit(&["seq", "-r", "-p", "-w", "0", "-v", "-t", "rna"]));
        for _ in 0..8 {
            let len = random.below(4) + 1;
            let motif: String = (0..len).map(|_| char::from(b"ACG"[random.below(3)])).collect();
            let ours =
                good(&folder, &["grep", "-q", "-s", "-p", &motif, "--only-matching", "u.fa"]);
            let theirs = of_seqkit(&["locate", "-p", &motif]);
            let sorted = |table: &str| {
                let mut lines: Vec<String> = table.lines().skip(1).map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(sorted(&ours.stdout), sorted(&theirs), "{motif}, seed {seed}");
        }
    }
}

//! `biofast dedup` beside seqkit.

use crate::common::dedup::{reads, sequence};
use crate::common::{self, Folder, biofast};
use crate::tools::{self, need};

#[test]
#[ignore = "needs seqkit"]
fn what_seqkit_keeps_is_kept() {
    let folder = Folder::new();
    let mut units = reads(5, 1500);
    // Some are the other strand of others.
    for at in (20..1500).step_by(5) {
        let turn = |base| match base {
            'A' => 'T',
            'C' => 'G',
            'G' => 'C',
            'T' => 'A',
            'a' => 't',
            'c' => 'g',
            'g' => 'c',
            other => other,
        };
        let turned: String = sequence(&units[at - 13]).chars().rev().map(turn).collect();
        units[at] = format!("@t:{at}\n{turned}\n+\n{}\n", "I".repeat(turned.len()));
    }
    units.extend_from_within(300..400);
    let sample = [common::sample("sample_R1.fq.bgz"), folder.file("x.fq", units.concat())];
    for input in &sample {
        for (ours, theirs) in [
            (&[][..], &["-s", "-P"][..]),
            (&["-i"], &["-s", "-P", "-i"]),
            (&["-r", "-i"], &["-s", "-i"]),
            (&["--by", "name"], &[]),
        ] {
            let run = biofast(&[&["dedup", "-q", input], ours].concat());
            assert_eq!(run.code, 0, "{run:?}");
            let output = tools::run(need("seqkit").args(["rmdup", "--quiet", input]).args(theirs));
            assert!(run.stdout.as_bytes() == output.stdout, "{ours:?} {input}");
        }
    }
}

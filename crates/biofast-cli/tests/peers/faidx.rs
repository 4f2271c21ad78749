//! `biofast faidx` and `biofast dict` beside samtools 1.24.

use biofast_testkit::random::Random;

use crate::common::{Folder, biofast, text};
use crate::tools::{need, run, samtools_of_pysam};

/// Sequences with every IUPAC code, of one line and of many.
fn fasta() -> String {
    let mut random = Random(7);
    let mut text = String::new();
    for number in 0..12 {
        let len = 1 + random.below([9, 200, 150_000][number % 3]);
        let bases: Vec<u8> =
            (0..len).map(|_| b"ACGTURYSWKMBDHVNacgturyswkmbdhvn-*"[random.below(34)]).collect();
        text += &format!(
            ">{} x\n",
            ["chr", ""][number % 2].to_owned()
                + ["M", "MT", "7:1-2"][number % 3]
                + &"x".repeat(number / 6)
        );
        for line in bases.chunks([60, 71, 1 << 20][number % 3]) {
            text += std::str::from_utf8(line).unwrap();
            text += "\n";
        }
    }
    text
}

#[test]
#[ignore = "needs samtools of pysam, bgzip"]
fn indexes_and_sequences_are_those_of_samtools() {
    let folder = Folder::new();
    let fasta = fasta();
    let reads = std::fs::read(crate::common::sample("sample_R1.fq.bgz")).unwrap();
    for (name, content) in [("x.fa", fasta.as_bytes()), ("r.fq.gz", &reads[..])] {
        let path = folder.file(name, content);
        let theirs = folder.file(&format!("t_{name}"), content);
        run(&mut samtools_of_pysam(&["faidx", &theirs]));
        assert_eq!(biofast(&["faidx", &path]).code, 0);
        for ending in [".fai", ".gzi"].iter().take(if name == "x.fa" { 1 } else { 2 }) {
            let of = |path: &str| std::fs::read(format!("{path}{ending}")).unwrap();
            assert!(of(&path) == of(&theirs) && of(&path).len() > 100, "{name}{ending}");
        }
        let fai = std::fs::read_to_string(format!("{path}.fai")).unwrap();
        let first = fai.split('\t').next().unwrap();
        let [part, other] = [format!("{{{first}}}:2-3"), "{chr7:1-2}:5-100000".to_owned()];
        let mode: &[&str] = if name == "x.fa" { &[] } else { &["-f"] };
        for options in [&[][..], &["-i"], &["-n", "13"], &["-i", "--mark-strand", "custom,+,-"]] {
            let out = |name| text(&folder.path(name));
            let words = |file: &str, out: &str| {
                let words = [&["faidx", "-c", "-o", out], mode, options].concat();
                let words = words.into_iter().chain([file, first, &part, &other, "none"]);
                words.map(str::to_owned).collect::<Vec<_>>()
            };
            let ours: Vec<String> = words(&path, &out("o.txt"));
            let ours: Vec<&str> = ours.iter().map(String::as_str).collect();
            let ours = biofast(&ours);
            assert_eq!(ours.code, 0, "{ours:?}");
            let theirs: Vec<String> = words(&theirs, &out("t.txt"));
            let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
            run(&mut samtools_of_pysam(&theirs));
            let [ours, theirs] = ["o.txt", "t.txt"].map(|name| std::fs::read(out(name)).unwrap());
            assert!(ours == theirs && ours.len() > 100, "{name} {options:?}");
        }
    }
}

#[test]
#[ignore = "needs samtools"]
fn dictionaries_are_those_of_samtools() {
    let folder = Folder::new();
    let path = folder.file("x.fa", fasta());
    let alt = folder.file("alt.txt", "@HD\nMT\t0\nchr7:1-2\n");
    for options in
        [&[][..], &["-A", "-a", "GRCh38", "-s", "Homo sapiens", "-u", "there"], &["-H", "-l", &alt]]
    {
        let ours = biofast(&[&["dict"], options, &[&path]].concat());
        let theirs = run(need("samtools").arg("dict").args(options).arg(&path)).stdout;
        assert_eq!(ours.stdout.as_bytes(), theirs, "{options:?}");
        assert!(theirs.len() > 500);
    }
}

//! `biofast filter --deplete` and `biofast index --minimizers` beside deacon, which is compiled for it.

use biofast_testkit::random::Random;

use crate::common::{Folder, ok, reversed, text};
use crate::tools::{self, corpus, need};

/// Runs deacon.
fn deacon(args: &[&str]) {
    tools::run(need("deacon").args(args));
}

/// A file of an index: what is before the k-mers, and these, sorted.
fn kmers(path: &str) -> (Vec<u8>, Vec<[u8; 8]>) {
    let bytes = std::fs::read(path).unwrap();
    let (head, kmers) = bytes.split_at(11);
    let (kmers, rest) = kmers.as_chunks::<8>();
    assert!(rest.is_empty());
    let mut kmers = kmers.to_vec();
    kmers.sort_unstable();
    (head.to_vec(), kmers)
}

/// Reads and pairs that are removed and kept by both, by several rules.
fn decided_alike(folder: &Folder, index: &str, inputs: &[&str]) {
    let out = text(&folder.path("theirs.fq"));
    for (theirs, ours) in [
        (&[][..], &[][..]),
        (&["-a", "1", "-r", "0"], &["--deplete-min-hits", "1", "--deplete-min-fraction", "0"]),
        (&["-r", "0.3"], &["--deplete-min-fraction", "0.3"]),
        (&["-a", "1", "-p", "60"], &["--deplete-min-hits", "1", "--deplete-prefix", "60"]),
    ] {
        for (flag, action) in [(Some("-d"), "remove"), (None, "keep")] {
            let mut args = vec!["filter", "-q", "-t", "1"];
            args.extend(flag);
            args.extend_from_slice(theirs);
            args.push(index);
            args.extend_from_slice(inputs);
            deacon(&[&args[..], &["-o", &out]].concat());
            let options = ["filter", "--quiet", "--deplete", index, "--deplete-action", action];
            let run = ok(&[&options[..], ours, inputs].concat());
            let theirs = std::fs::read_to_string(&out).unwrap();
            assert!(run.stdout == theirs, "{inputs:?} {args:?}");
        }
    }
}

#[test]
#[ignore = "needs deacon"]
fn decisions_and_indexes_are_those_of_deacon() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let mut random = Random(0xdeac);
    let mut bases = |len: usize, of: &[u8]| -> String {
        (0..len).map(|_| char::from(of[random.below(of.len())])).collect()
    };
    // With repeats of little complexity, N and lowercase.
    let host = [
        bases(30_000, b"ACGT"),
        bases(2000, b"AC"),
        "ACGTTT".repeat(100),
        bases(3000, b"acgtACGTN"),
        "A".repeat(200),
        bases(5000, b"ACGT"),
    ]
    .concat();
    let fasta = folder.file("host.fa", format!(">h\n{host}\n>short\nACGT\n"));
    let (theirs, ours) = (at("theirs.idx"), at("ours.idx"));
    deacon(&["index", "build", "-q", &fasta, "-o", &theirs]);
    ok(&["index", "-q", "--minimizers", &fasta, "-o", &ours]);
    assert!(kmers(&theirs) == kmers(&ours));
    let (mut one, mut two) = (String::new(), String::new());
    for i in 0..3000 {
        let len = [31, 44, 45, 60, 150, 151, 400][i % 7];
        let start = (i * 13) % (host.len() - 400);
        let own = bases(len, b"ACGTN");
        let read = match i % 5 {
            0 => host[start..start + len].to_owned(),
            1 => reversed(&host[start..start + len].to_uppercase()),
            2 => host[start..start + len / 2].to_owned() + &own[len / 2..],
            3 => bases(len, b"ACGT"),
            _ => own,
        };
        let other = bases(150, b"ACGT");
        let mate = if i % 3 == 0 { &host[start..start + 150] } else { &other };
        one += &format!("@r{i}\n{read}\n+\n{}\n", "I".repeat(len));
        two += &format!("@r{i}\n{mate}\n+\n{}\n", "I".repeat(150));
    }
    let (r1, r2) = (folder.file("1.fq", one), folder.file("2.fq", two));
    for index in [&theirs, &ours] {
        decided_alike(&folder, index, &[&r1]);
        decided_alike(&folder, index, &[&r1, &r2]);
    }
}

#[test]
#[ignore = "needs deacon"]
fn real_reads_of_the_corpus_are_decided_as_those_of_deacon() {
    let folder = Folder::new();
    let real = |name: &str| text(&corpus(&format!("real/{name}.fastq.gz")));
    let index = text(&folder.path("ecoli.idx"));
    ok(&["index", "-q", "--minimizers", &real("hifi_ecoli"), "-o", &index]);
    for name in ["ont_r10_subset", "hifi_ecoli", "tenx_flex_3level_R2"] {
        decided_alike(&folder, &index, &[&real(name)]);
    }
    for name in ["bacteroides_6level", "novaseq4_metagenome"] {
        let mates = ["R1", "R2"].map(|mate| real(&format!("{name}_{mate}")));
        decided_alike(&folder, &index, &[&mates[0], &mates[1]]);
    }
}

//! `biofast filter --deplete`, and the index it takes.

use biofast_testkit::random::Random;
use serde_json::Value;

use crate::common::{Folder, biofast, fails, ok, reversed, silent, text};

fn bases(random: &mut Random, len: usize) -> String {
    (0..len).map(|_| char::from(b"ACGT"[random.below(4)])).collect()
}

/// A host, its index, and pairs of which every third is of it.
fn stage(folder: &Folder) -> [String; 4] {
    let mut random = Random(0x405);
    let host = bases(&mut random, 20_000);
    let fasta =
        folder.file("host.fa", format!(">one\n{}\n>two\n{}\n", &host[..9000], &host[9000..]));
    let index = text(&folder.path("host.idx"));
    let run = ok(&["index", "--minimizers", &fasta, "-o", &index]);
    assert!(run.stderr.contains("minimizers of 2 sequences, 20000 bases"), "{}", run.stderr);
    let mut files = [String::new(), String::new()];
    for i in 0..90 {
        let fragment = match i % 3 {
            0 => host[200 * (i / 3)..][..180].to_owned(),
            _ => bases(&mut random, 180),
        };
        let fragment = if i % 2 == 0 { fragment } else { reversed(&fragment) };
        let other = reversed(&fragment);
        let quality = "I".repeat(100);
        for (mate, read) in [&fragment[..100], &other[..100]].into_iter().enumerate() {
            files[mate] += &format!("@r{i}/{}\n{read}\n+\n{quality}\n", mate + 1);
        }
    }
    let [r1, r2] =
        [("1.fq", &files[0]), ("2.fq", &files[1])].map(|(name, text)| folder.file(name, text));
    [fasta, index, r1, r2]
}

/// The numbers of the reads in a file.
fn numbers(fastq: &str) -> Vec<usize> {
    fastq.lines().step_by(4).map(|line| line[2..line.len() - 2].parse().unwrap()).collect()
}

#[test]
fn reads_and_pairs_of_a_host_are_removed_or_kept() {
    let folder = Folder::new();
    let [_, index, r1, r2] = stage(&folder);
    let at = |name: &str| text(&folder.path(name));
    for (action, kept) in [("remove", 1), ("keep", 0)] {
        let expected: Vec<usize> = (0..90).filter(|i| usize::from(i % 3 > 0) == kept).collect();
        let options = ["filter", "--quiet", "--deplete", &index, "--deplete-action", action];
        let run = silent(&[&options[..], &[&r1]].concat());
        assert_eq!(numbers(&run.stdout), expected, "{action}");
        let (o1, o2, json, rest) = (at("o1.fq"), at("o2.fq"), at("o.json"), at("rest.fq"));
        let outputs = ["-o", &o1, "--out2", &o2, "--summary", &json, "--rejected", &rest];
        for threads in ["1", "3"] {
            silent(&[&options[..], &["-@", threads, &r1, &r2], &outputs].concat());
            for mate in [&o1, &o2] {
                let text = std::fs::read_to_string(mate).unwrap();
                assert_eq!(numbers(&text), expected, "{action}");
            }
        }
        let rejected = std::fs::read_to_string(&rest).unwrap();
        let reason = ["no_match_in_index", "matches_index"][kept];
        assert!(
            rejected.lines().step_by(4).all(|line| line.ends_with(&format!(" rejected={reason}")))
        );
        let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
        let found = &report["deplete"];
        assert_eq!(found["matching_reads"], 60);
        assert_eq!(found["matching_bases"], 6000);
        assert_eq!(
            (&found["k"], &found["w"], &found["action"]),
            (&31.into(), &15.into(), &action.into())
        );
        assert_eq!(report["rejected"][reason], 180 - 2 * expected.len());
    }
    let run = ok(&["filter", "--deplete", &index, &r1, &r2]);
    assert!(run.stderr.contains("60 reads match (33.33 %)"), "{}", run.stderr);
}

#[test]
fn masked_reads_keep_their_lengths_and_qualities() {
    let folder = Folder::new();
    let [_, index, r1, _] = stage(&folder);
    let run = silent(&["filter", "--quiet", "--deplete", &index, "--deplete-action", "mask", &r1]);
    let before = std::fs::read_to_string(&r1).unwrap();
    let mut masked = 0;
    for (i, (old, new)) in before.lines().zip(run.stdout.lines()).enumerate() {
        let of_host = (i / 4) % 3 == 0 && i % 4 == 1;
        assert_eq!((old != new, old.len()), (of_host, new.len()), "line {i}");
        masked += new.bytes().filter(|&base| base == b'N').count();
    }
    assert!((1500..=3000).contains(&masked), "{masked} of 3000");
}

#[test]
fn other_lengths_of_minimizers_and_any_container_are_read() {
    let folder = Folder::new();
    let [fasta, index, r1, _] = stage(&folder);
    let at = |name: &str| text(&folder.path(name));
    let expected = silent(&["filter", "--quiet", "--deplete", &index, &r1]).stdout;
    let packed = folder
        .file("host.idx.gz", biofast_testkit::container::gzip(&std::fs::read(&index).unwrap()));
    assert!(silent(&["filter", "--quiet", "--deplete", &packed, &r1]).stdout == expected);
    for (k, w) in [("32", "2"), ("21", "11"), ("15", "25")] {
        let other = at("other.idx");
        ok(&[
            "index", "--quiet", "--minimizers", "--kmer-length", k, "--minimizer-window", w,
            &fasta, "-o", &other,
        ]);
        let run =
            silent(&["filter", "--quiet", "--deplete", &other, "--deplete-min-hits", "3", &r1]);
        assert!(run.stdout == expected, "{k} {w}");
    }
    // Whatever the threads, sorted.
    let one = std::fs::read(&index).unwrap();
    ok(&["index", "--quiet", "--minimizers", "-@", "1", &fasta, "-o", &index]);
    assert!(std::fs::read(&index).unwrap() == one);
}

#[test]
fn what_is_no_index_or_has_no_minimizers_is_an_error() {
    let folder = Folder::new();
    let [fasta, index, r1, _] = stage(&folder);
    let at = |name: &str| text(&folder.path(name));
    let whole = std::fs::read(&index).unwrap();
    let cut = folder.file("cut.idx", &whole[..whole.len() - 9]);
    for (bad, why) in [
        (&fasta, "host.fa: not an index of minimizers"),
        (&cut, "cut.idx: truncated: it has"),
        (&at("none.idx"), "none.idx"),
    ] {
        let out = at("never.fq");
        fails(&["filter", "--deplete", bad, &r1, "-o", &out], &[why]);
        assert!(!folder.path("never.fq").exists());
    }
    let short = folder.file("short.fa", ">x\nACGTACGT\n");
    fails(&["index", "--minimizers", &short], &["no minimizer in 1 sequence of 8 bases"]);
    assert!(!folder.path("short.fa.idx").exists());
    fails(&["index", "--minimizers", "--kmer-length", "30", &fasta], &["K + W even"]);
    fails(&["index", "--minimizers", "-m", "12", &fasta], &["can't be combined with"]);
    fails(&["filter", "--deplete-action", "mask", &r1], &["--deplete"]);
    fails(
        &["filter", "--deplete", &index, "--deplete-min-fraction", "2", &r1],
        &["--deplete-min-fraction"],
    );
    let run = biofast(&["filter", "--deplete", &index, "--deplete-min-hits", "0", &r1]);
    assert_eq!(run.code, 2, "{}", run.stderr);
}

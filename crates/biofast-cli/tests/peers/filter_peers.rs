//! `biofast filter` against seqkit, fastp, seqtk and bgzip, where definitions coincide.

use biofast_testkit::random::Random;

use crate::common::{Folder, biofast, reads, reversed, sample, text};
use crate::tools::{self, corpus, need};

fn samples() -> Vec<String> {
    vec![sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz")]
}

fn chip_seq() -> Vec<String> {
    vec![text(&corpus("real/chipseq_SRR5204809-10_R1.fastq.gz"))]
}

fn ours(args: &[&str]) -> String {
    let run = biofast(&[&["filter", "--quiet"], args].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.stdout
}

fn theirs(program: &str, args: &[&str]) -> String {
    let mut command = need(program);
    if program == "fastp" {
        // A second of clearing memory otherwise.
        command.arg("--dont_eval_duplication");
    }
    String::from_utf8(tools::run(command.args(args)).stdout).unwrap()
}

#[test]
#[ignore = "needs seqkit"]
fn seqkit_keeps_the_same_reads() {
    as_seqkit(samples());
}

fn as_seqkit(inputs: Vec<String>) {
    for input in inputs {
        // Means of error probabilities on both sides.
        for (our, their) in [
            (["--min-len", "51"], ["-m", "51"]),
            (["--max-len", "50"], ["-M", "50"]),
            (["--min-mean-qual", "20"], ["-Q", "20"]),
            (["--min-mean-qual", "27.5"], ["-Q", "27.5"]),
        ] {
            let ours = ours(&[&our[..], &[&input]].concat());
            assert!(
                ours == theirs("seqkit", &[&["seq"], &their[..], &[&input]].concat()),
                "{input} {our:?}"
            );
        }
        let ours = ours(&["--head", "777", &input]);
        assert!(ours == theirs("seqkit", &["head", "-n", "777", &input]), "{input}");
        let folder = Folder::new();
        let names: Vec<&str> =
            ours.lines().step_by(4).map(|l| l[1..].split(' ').next().unwrap()).step_by(3).collect();
        let list = folder.file("list", names.join("\n"));
        let [ours, theirs] = [
            self::ours(&["--names", &list, &input]),
            theirs("seqkit", &["grep", "-f", &list, &input]),
        ];
        assert!(ours == theirs && !ours.is_empty(), "{input}");
    }
}

#[test]
#[ignore = "needs seqtk"]
fn seqtk_keeps_the_same_reads() {
    as_seqtk(samples());
}

fn as_seqtk(inputs: Vec<String>) {
    for input in inputs {
        let ours = ours(&["--max-n", "0", "--min-len", "51", &input]);
        assert!(ours == theirs("seqtk", &["seq", "-N", "-L", "51", &input]), "{input}");
        for q in ["1", "20", "37", "93"] {
            let masked = self::ours(&["--mask-below", q, &input]);
            assert!(masked == theirs("seqtk", &["seq", "-q", q, "-n", "N", &input]), "{input} {q}");
        }
    }
}

/// Reads of repeated units and of random bases.
fn reads_of_any_complexity(seed: u64, n: usize) -> String {
    let mut random = Random(seed);
    let mut out = String::new();
    for i in 0..n {
        let mut read = String::new();
        for _ in 0..1 + random.below(3) {
            let unit: String =
                (0..1 + random.below(30)).map(|_| b"ACGTN"[random.below(5)] as char).collect();
            read += &unit.repeat(1 + random.below(9));
        }
        let read = &read[..read.len().min(1 + random.below(260))];
        out += &format!("@r{i}\n{read}\n+\n{}\n", "I".repeat(read.len()));
    }
    out
}

#[test]
#[ignore = "needs prinseq-lite.pl"]
fn prinseq_keeps_the_same_complex_reads() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads_of_any_complexity(0xd057, 1500));
    for (option, limits, method) in
        [("--max-dust", ["2", "7", "40"], "dust"), ("--min-entropy", ["30", "70", "95"], "entropy")]
    {
        for limit in limits {
            let theirs = theirs(
                "prinseq-lite.pl",
                &[
                    "-fastq", &input, "-lc_method", method, "-lc_threshold", limit, "-out_good",
                    "stdout", "-out_bad", "null", "-no_qual_header",
                ],
            );
            let ours = ours(&[option, limit, &input]);
            assert!(ours == theirs && !ours.is_empty(), "{option} {limit}");
        }
    }
}

#[test]
#[ignore = "needs dustmasker"]
fn dustmasker_masks_the_same_bases() {
    let folder = Folder::new();
    masked_like_dustmasker(&folder, reads_of_any_complexity(0x5d05, 1500).replace('N', "A"));
    for input in samples() {
        // Lower case that was there before it writes in capitals.
        masked_like_dustmasker(&folder, ours(&["--max-n", "0", &input]).to_uppercase());
    }
}

/// Reads without N, which it takes for A, as FASTA: it reads nothing else.
fn masked_like_dustmasker(folder: &Folder, reads: String) {
    let input = folder.file("x.fq", &reads);
    let fasta = |reads: &str| -> String {
        let lines: Vec<&str> = reads.lines().collect();
        lines.chunks(4).map(|read| format!(">{}\n{}\n", &read[0][1..], read[1])).collect()
    };
    let named = folder.file("x.fa", fasta(&reads));
    for (level, window) in [("20", "64"), ("2", "8"), ("10", "30"), ("64", "64")] {
        let theirs = theirs(
            "dustmasker",
            &["-in", &named, "-outfmt", "fasta", "-level", level, "-window", window],
        );
        let mut joined = String::new();
        for line in theirs.lines() {
            match line.starts_with('>') {
                true => joined += &format!("\n{line}\n"),
                false => joined += line,
            }
        }
        let level = format!("--mask-dust={level}");
        let args = [&level, "--dust-window", window, "--dust-action", "lowercase", &input];
        let ours = fasta(&ours(&args));
        assert!(ours.trim() == joined.trim(), "{level} {window}");
        assert!(ours.contains("a") || level.ends_with("64"));
    }
}

#[test]
#[ignore = "needs fastp"]
fn fastp_cuts_and_keeps_the_same() {
    let folder = Folder::new();
    cut_as_fastp(samples());
    cut_as_fastp(vec![folder.file("x.fq", reads("r", 3000))]);
}

fn cut_as_fastp(inputs: Vec<String>) {
    let folder = Folder::new();
    for input in inputs {
        // It goes by the name.
        let named = text(&folder.path(if input.ends_with("fq") { "y.fq" } else { "y.fq.gz" }));
        std::fs::copy(&input, &named).unwrap();
        let input = named;
        // Adapters and poly-G off; its length filter stays, as reads not longer than a window
        // are dropped there and left alone here.
        for (our, their) in [
            (vec!["--cut-front"], vec!["-5", "-Q"]),
            (vec!["--cut-tail"], vec!["-3", "-Q"]),
            (vec!["--cut-right"], vec!["-r", "-Q"]),
            (
                vec![
                    "--cut-front", "--cut-tail", "--cut-window-size", "7", "--cut-mean-quality",
                    "28",
                ],
                vec!["-5", "-3", "-Q", "-W", "7", "-M", "28"],
            ),
            (
                vec!["--crop-front", "3", "--crop-tail", "2", "--keep-first", "40"],
                vec!["-f", "3", "-t", "2", "-b", "40", "-Q"],
            ),
            (
                vec![
                    "--max-low-quality-percent", "20", "--qualified-quality", "25", "--max-n", "4",
                ],
                vec!["-u", "20", "-q", "25", "-n", "4"],
            ),
            (
                vec!["--min-mean-qual", "30", "--mean", "arithmetic", "--max-n", "1000"],
                vec!["-e", "30", "-n", "50", "-u", "100"],
            ),
            (vec!["--min-complexity", "73"], vec!["-y", "-Y", "73", "-Q"]),
        ] {
            let json = text(&folder.path("j"));
            let more =
                ["-A", "-G", "--stdout", "-w", "1", "-j", &json, "-h", "/dev/null", "-i", &input];
            let theirs = theirs("fastp", &[&their[..], &more].concat());
            let ours = ours(&[&our[..], &["--min-len", "15", &input]].concat());
            if ours != theirs {
                let differ = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
                let n = [&ours, &theirs].map(|text| text.lines().count() / 4);
                panic!("{input} {our:?}: {n:?} reads, first difference {differ:?}");
            }
        }
    }
}

/// Reads that end in runs of one base, more or less.
fn reads_with_runs(seed: u64, n: usize) -> String {
    let mut random = Random(seed);
    let mut out = String::new();
    for i in 0..n {
        let len = [5, 8, 9, 10, 11, 12, 20, 40, 60][random.below(9)];
        let run = if i % 3 == 0 { 0 } else { random.below(len + 1) };
        let (base, errors) = (b"GGGACT"[random.below(6)], [2, 10, 15, 25, 40][random.below(5)]);
        let base = |random: &mut Random, at: usize| match at + run < len {
            true => b"ACGT"[random.below(4)] as char,
            false if random.chance(errors) => b"ACGTN"[random.below(5)] as char,
            false => base as char,
        };
        let bases: String = (0..len).map(|at| base(&mut random, at)).collect();
        out += &format!("@r{i}\n{bases}\n+\n{}\n", "I".repeat(len));
    }
    out
}

/// The text without the records that have no bases, which fastp drops.
fn not_empty(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    lines.chunks(4).filter(|record| !record[1].is_empty()).flatten().copied().collect()
}

#[test]
#[ignore = "needs fastp"]
fn fastp_cuts_the_same_runs_of_one_base() {
    let folder = Folder::new();
    let made = folder.file("made.fq", reads_with_runs(1, 20_000));
    cut_runs_as_fastp(&made, &["10", "3", "6", "14", "60"]);
}

fn cut_runs_as_fastp(input: &str, lengths: &[&str]) {
    let folder = Folder::new();
    let options = [("--trim-poly-g", "-g"), ("--trim-poly-x", "-x")];
    let cases = lengths.iter().flat_map(|min| options.map(|(our, their)| (our, their, *min)));
    for (our, their, min) in cases {
        let json = text(&folder.path("j"));
        let long = if their == "-g" { "--poly_g_min_len" } else { "--poly_x_min_len" };
        let mut args = vec!["-A", "-Q", "-L", "--stdout", "-w", "1", "-j", &json, "-i", input];
        args.extend(["-h", "/dev/null", their, long, min]);
        // Poly-G is on by itself where the names are those of a two-colour machine.
        args.extend(["-G"].iter().filter(|_| their == "-x"));
        let theirs = theirs("fastp", &args);
        let ours = ours(&[&format!("{our}={min}"), "--pair", "any", input]);
        let (ours, theirs) = (not_empty(&ours), not_empty(&theirs));
        let differ = ours.iter().zip(&theirs).position(|(a, b)| a != b);
        let shown = differ.map(|at| (ours[at], theirs[at]));
        assert!(ours == theirs, "{input} {our}={min}: {shown:?}");
    }
}

/// Pairs of fragments of 35 to 200 bases with adapters behind, each read with at most two errors.
fn pairs(random: &mut Random, n: usize, lens: [usize; 2]) -> [String; 2] {
    let mut out = [String::new(), String::new()];
    for i in 0..n {
        let len = 35 + random.below(165);
        let bases = |random: &mut Random, len: usize| -> String {
            (0..len).map(|_| b"ACGT"[random.below(4)] as char).collect()
        };
        let fragment = bases(random, len);
        let rest = [0, 1].map(|_| bases(random, 150));
        let reads = [fragment.clone() + &rest[0], reversed(&fragment) + &rest[1]];
        for (mate, read) in reads.iter().enumerate() {
            let mut read = read.as_bytes()[..lens[mate]].to_vec();
            for _ in 0..random.below(3) {
                let at = random.below(read.len());
                read[at] = b"ACGT"[random.below(4)];
            }
            let read = String::from_utf8(read).unwrap();
            out[mate] += &format!("@r{i}\n{read}\n+\n{}\n", "I".repeat(read.len()));
        }
    }
    out
}

#[test]
#[ignore = "needs fastp"]
fn fastp_cuts_the_same_by_the_overlap_of_mates_and_less_where_lengths_differ() {
    let folder = Folder::new();
    let path = |name: &str| text(&folder.path(name));
    for (lens, same) in [([100, 100], true), ([150, 150], true), ([150, 80], false)] {
        let [one, two] = pairs(&mut Random(7), 3000, lens);
        let [one, two] = [folder.file("1.fq", one), folder.file("2.fq", two)];
        let [o1, o2, f1, f2] = ["o1.fq", "o2.fq", "f1.fq", "f2.fq"].map(path);
        ours(&[&one, &two, "--trim-overlap", "-o", &o1, "--out2", &o2]);
        let json = path("j");
        let args = ["-i", &one, "-I", &two, "-o", &f1, "-O", &f2, "-Q", "-L", "-G", "-w", "1"];
        theirs("fastp", &[&args[..], &["-j", &json, "-h", "/dev/null"]].concat());
        let mut more = 0;
        for (ours, theirs, input) in [(&o1, &f1, &one), (&o2, &f2, &two)] {
            let [ours, theirs, input] = [ours, theirs, input].map(|path| {
                let text = std::fs::read_to_string(path).unwrap();
                text.lines().skip(1).step_by(4).map(str::to_owned).collect::<Vec<_>>()
            });
            assert_eq!((ours.len(), theirs.len()), (3000, 3000));
            for ((ours, theirs), input) in ours.iter().zip(&theirs).zip(&input) {
                if theirs != input || same {
                    assert_eq!(ours, theirs, "{lens:?} of {input}");
                } else {
                    // It looks for adapters in first reads only where they reach the second's start.
                    more += usize::from(ours != theirs);
                }
            }
        }
        assert_eq!(more > 500, !same, "{lens:?}: {more}");
    }
}

#[test]
#[ignore = "needs bgzip"]
fn bgzip_reads_the_blocks_and_makes_the_same_index() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 4000));
    for level in ["0", "1", "6", "fast", "small"] {
        let out = text(&folder.path("o.fq.gz"));
        ours(&[&input, "-o", &out, "--level", level, "--write-index"]);
        theirs("bgzip", &["-t", &out]);
        assert!(theirs("bgzip", &["-dc", &out]) == std::fs::read_to_string(&input).unwrap());
        let index = text(&folder.path("again.gzi"));
        theirs("bgzip", &["-r", &out, "-I", &index]);
        let made = std::fs::read(format!("{out}.gzi")).unwrap();
        assert!(made.len() > 8 && made == std::fs::read(&index).unwrap(), "level {level}");
        // Some bytes through the index.
        let part = theirs("bgzip", &["-b", "100000", "-s", "50", &out]);
        assert_eq!(part, std::fs::read_to_string(&input).unwrap()[100_000..100_050]);
    }
}

/// Third-party files.
mod corpus {
    use super::*;

    #[test]
    #[ignore = "needs seqkit and the corpus"]
    fn seqkit_keeps_the_same_reads_of_a_sequencer() {
        as_seqkit(chip_seq());
    }

    #[test]
    #[ignore = "needs seqtk and the corpus"]
    fn seqtk_keeps_the_same_reads_of_a_sequencer() {
        as_seqtk(chip_seq());
    }

    #[test]
    #[ignore = "needs fastp and the corpus"]
    fn fastp_cuts_and_keeps_the_same_of_a_sequencer() {
        cut_as_fastp(chip_seq());
    }

    /// Reads of 50 bases of a four-colour machine, and of a two-colour one.
    #[test]
    #[ignore = "needs fastp and the corpus"]
    fn fastp_cuts_the_same_runs_of_one_base_of_sequencers() {
        for name in ["chipseq_SRR5204809-10_R1", "novaseq4_metagenome_R1"] {
            cut_runs_as_fastp(&text(&corpus(&format!("real/{name}.fastq.gz"))), &["10"]);
        }
    }
}

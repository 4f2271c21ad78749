//! What `biofast filter` does as Trim Galore. `tests/peers` has it beside Trim Galore.

use crate::common::filter_fastp::json;
use crate::common::{Folder, fails, ok, ok_with, silent, text};

const SMALL_RNA: [&str; 2] = ["TGGAATTCTCGG", "GATCGTCGGACT"];

fn fastq(reads: &[&str]) -> String {
    let record =
        |(i, read): (usize, &&str)| format!("@r{i}\n{read}\n+\n{}\n", "I".repeat(read.len()));
    reads.iter().enumerate().map(record).collect()
}

fn sequences(text: &str) -> Vec<&str> {
    text.lines().skip(1).step_by(4).collect()
}

#[test]
fn small_rna_is_told_and_has_its_own_limit_and_second_adapter() {
    let folder = Folder::new();
    let insert = "CCATGCCATGCCATGCCA";
    let first = folder.file("1.fq", fastq(&[&(insert.to_owned() + SMALL_RNA[0]), "ACGT"]));
    let second = folder.file("2.fq", fastq(&[&(insert.to_owned() + SMALL_RNA[1]), "ACGT"]));
    let summary = text(&folder.path("s.json"));
    let preset = ["filter", "--preset", "trim-galore"];
    let both = ok(&[&preset[..], &[&first, &second, "--summary", &summary]].concat());
    assert_eq!(sequences(&both.stdout), [insert; 2]);
    let report = json(&summary);
    let found = &report["detected_adapters"][0];
    assert_eq!((&found["adapter"], &found["kit"]), (&SMALL_RNA[0].into(), &"small-rna".into()));
    assert_eq!((&found["reads"], &found["reads_with_adapter"]), (&2.into(), &1.into()));
    // Named, of standard input, interleaved.
    let input = std::fs::read(&first).unwrap();
    for more in [&[][..], &["-a", "small-rna"], &["-a", SMALL_RNA[0]]] {
        let one = ok_with(&[&preset[..], more, &["-"]].concat(), &input);
        assert_eq!(sequences(&one.stdout), [insert], "{more:?}");
        let two = ok(&[&preset[..], more, &[&first, &second]].concat());
        assert_eq!(two.stdout, both.stdout, "{more:?}");
    }
    let mixed = ok(&["filter", "--quiet", &first, &second]);
    let mixed = folder.file("mixed.fq", mixed.stdout);
    let run = ok(&[&preset[..], &["--interleaved", &mixed]].concat());
    assert_eq!(run.stdout, both.stdout);
    // Another limit, and another kit, whose adapter is not there.
    assert_eq!(ok(&[&preset[..], &["--min-len", "19", &first]].concat()).stdout, "");
    let run = ok(&[&preset[..], &["-a", "truseq", &first]].concat());
    assert_eq!(sequences(&run.stdout), [insert.to_owned() + SMALL_RNA[0]]);
}

#[test]
fn options_of_the_preset_replace_its_values() {
    let folder = Folder::new();
    let read = "CGGTTGCATGCATGCATGCATTGCAAGATCGG";
    let input = folder.file("r.fq", fastq(&[read]));
    let run = |more: &[&str]| {
        let words = [&["filter", "--quiet", "--preset", "trim-galore"][..], more, &[&input]];
        silent(&words.concat()).stdout.lines().nth(1).unwrap_or_default().to_owned()
    };
    let cut = &read[..read.len() - 7];
    assert_eq!(run(&[]), cut);
    assert_eq!(run(&["--rrbs"]), cut[..cut.len() - 2]);
    assert_eq!(run(&["--adapter-min-overlap", "8"]), read);
    assert_eq!(run(&["--min-len", "26"]), "");
    assert_eq!(run(&["--crop-front", "3", "--crop-tail", "1"]), cut[3..cut.len() - 1]);
    assert_eq!(run(&["--min-len", "1", "--crop-front", "30"]), cut);
    let low =
        folder.file("low.fq", format!("@r\n{read}\n+\n{}{}\n", "I".repeat(22), "5".repeat(10)));
    let of_low = |more: &[&str]| {
        let words = [&["filter", "--quiet", "--preset", "trim-galore"][..], more, &[&low]];
        silent(&words.concat()).stdout.lines().nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(of_low(&[]), cut);
    assert_eq!(of_low(&["--quality-cutoff", "21"]), read[..22]);
    assert_eq!(of_low(&["--quality-cutoff", "0"]), cut);
}

#[test]
fn what_does_not_go_with_the_preset_is_refused() {
    let folder = Folder::new();
    let input = folder.file("r.fq", fastq(&["ACGT"]));
    for (words, needed) in [
        ("--rrbs", "--preset"),
        ("--preset fastp --rrbs", "--rrbs needs --preset trim-galore"),
        ("--preset fastp --trim-galore-report r.txt", "needs --preset trim-galore"),
        ("--preset trim-galore --trim-galore-report r.txt -g ACGT", "one 3′ adapter"),
        ("--preset trim-galore --trim-galore-report r.txt -a mgi -a truseq", "one 3′ adapter"),
        ("--preset trim-galore --trim-galore-report a --trim-galore-report2 b", "needs pairs"),
        ("--preset trim-galore --trim-galore-report2 b", "--trim-galore-report"),
        ("--preset trim-galore --non-directional", "--rrbs"),
        ("--preset trim-galore --detect-adapter", "by its own rule"),
        ("--preset trim-galore --quality 20", "use --quality-cutoff Q"),
        ("--preset trim-galore --stringency 3", "--adapter-min-overlap"),
        ("--preset trim-galore --clip_R1 3", "--crop-front"),
        ("--preset trim-galore --length 20", "--min-len N for Trim Galore's"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        fails(&[&["filter"][..], &words, &[&input]].concat(), &[needed]);
    }
    fails(&["trim_galore"], &["--preset trim-galore"]);
}

#[test]
fn the_report_counts_what_was_cut_on_any_number_of_threads() {
    let folder = Folder::new();
    let insert = "CCATGCCATGCCATGCCATGCCATG";
    let adapter = "AGATCGGAAGAGCACAC";
    // An adapter as a whole, one with an error, its start, none, nothing but an adapter.
    let reads = [
        insert.to_owned() + adapter,
        insert.to_owned() + "AGATCGGTAGAGCACAC",
        insert.to_owned() + "AGAT",
        "CCATGCCATGCCATGCCATGCCATC".to_owned(),
        adapter.to_owned(),
    ];
    let reads: Vec<&str> = reads.iter().map(String::as_str).collect();
    let many: Vec<&str> = (0..400).flat_map(|_| reads.iter().copied()).collect();
    let input = folder.file("r.fq", fastq(&many));
    let report = text(&folder.path("r.fq_trimming_report.txt"));
    let words = ["filter", "--quiet", "--preset", "trim-galore", "--trim-galore-report", &report];
    silent(&[&words[..], &["-@", "1", &input]].concat());
    let first = std::fs::read_to_string(&report).unwrap();
    for part in [
        "\nTrimming mode: single-end\n",
        "\nUsing Illumina adapter for trimming (count: 800). Second best hit was Nextera (count: 0)\n",
        "\nAdapter sequence: 'AGATCGGAAGAGC' (Illumina TruSeq, Sanger iPCR; auto-detected)\n",
        "\nTotal reads processed:                   2,000\nReads with adapters:                     1,600 (80.0%)\n",
        "; Trimmed: 1600 times\n\nMinimum overlap: 1\nNo. of allowed errors:\n1-9 bp: 0; 10-13 bp: 1\n\n",
        "  G: 75.0%\n  T: 0.0%\n  none/other: 25.0%\n",
        "\n4\t400\t7.8\t0\t400\n17\t1200\t0.0\t1\t800 400\n\nRUN STATISTICS",
        "\n2000 sequences processed in total\nSequences removed because they became shorter than the length cutoff of 20 bp:\t400 (20.0%)\n",
    ] {
        assert!(first.contains(part), "{part:?}:\n{first}");
    }
    for threads in ["2", "5"] {
        silent(&[&words[..], &["-@", threads, "--chunk-size", "900", &input]].concat());
        assert_eq!(std::fs::read_to_string(&report).unwrap(), first, "{threads}");
    }
    // Of pairs the last word is that of the second report.
    let second = text(&folder.path("2.txt"));
    let mates = folder.file("r2.fq", fastq(&many));
    let more = ["--trim-galore-report2", &second, "--rrbs", &input, &mates];
    ok(&[&words[..], &more].concat());
    let [one, two] = [&report, &second].map(|path| std::fs::read_to_string(path).unwrap());
    assert!(one.contains("adapter contamination was detected:\t1200 (60.0%)\n"), "{one}");
    assert!(two.contains("adapter contamination was detected:\t0 (0.0%)\n"), "{two}");
    let removed = "at least one read was shorter than the length cutoff (20 bp): 400 (20.00%)\n";
    assert!(two.ends_with(removed) && !one.contains("sequence pairs removed"), "{two}");
    // Without reads there is a report, too.
    let none = folder.file("none.fq", "");
    ok(&[&words[..], &[&none]].concat());
    let empty = std::fs::read_to_string(&report).unwrap();
    assert!(empty.contains("No reads processed!\n") && empty.contains(":\t0 (N/A%)\n"), "{empty}");
}

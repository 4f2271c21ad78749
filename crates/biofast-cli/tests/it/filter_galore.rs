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

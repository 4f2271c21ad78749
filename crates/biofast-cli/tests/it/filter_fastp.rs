//! What `biofast filter` does as fastp: pairs that are merged and corrected, and reports. `tests/peers` has it beside fastp.

use biofast_testkit::random::Random;
use biofast_testkit::reference::reverse_complement;

use crate::common::filter_fastp::{json, pairs, read};
use crate::common::{Folder, assert_error, biofast, text};

#[test]
fn merged_pairs_are_the_same_at_any_number_of_threads_and_add_up() {
    let folder = Folder::new();
    let [one, two] = pairs(9, 3000, [120, 110]);
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    let [m, j, r] = ["m.fq.gz", "j.json", "r.fq"].map(|name| text(&folder.path(name)));
    let mut outputs = Vec::new();
    for threads in ["1", "4"] {
        let run = biofast(&[
            "filter", "--merge", "--correct", "--min-len", "60", "--max-n", "1", &one, &two,
            "--merged-out", &m, "--summary", &j, "--rejected", &r, "-@", threads, "--chunk-size",
            "9999",
        ]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        outputs.push((run.stdout, std::fs::read(&m).unwrap(), read(&r)));
    }
    assert!(outputs[0] == outputs[1]);
    let report = json(&j);
    let n = |path: &[&str]| path.iter().fold(&report, |value, key| &value[*key]).as_u64().unwrap();
    let rejected: u64 =
        report["rejected"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    let merged = n(&["merged_pairs"]);
    assert!(merged > 300 && rejected > 300, "{merged} {rejected}");
    assert_eq!(n(&["summary", "before_filtering", "total_reads"]), 6000);
    let kept = n(&["summary", "after_filtering", "total_reads"]);
    assert_eq!(kept + merged + rejected, 6000);
    assert_eq!(outputs[0].0.lines().count() as u64 / 4, kept - merged);
    assert_eq!(outputs[0].2.lines().count() as u64 / 4, rejected);
    // All in one file.
    let run = biofast(&["filter", "--quiet", "--merge", &one, &two]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains(" merged_") && run.stdout.contains(" 2:N:0\n"));
    assert_error(&biofast(&["filter", "--merge", &one]), &["--merge needs pairs"]);
    let [o1, o2] = ["o1.fq", "o2.fq"].map(|name| text(&folder.path(name)));
    let run = biofast(&["filter", "--merge", &one, &two, "-o", &o1, "--out2", &o2]);
    assert_error(&run, &["needs --merged-out"]);
}

/// What other adapter options cut is in fastp's report, too.
#[test]
fn adapters_cut_without_the_preset_are_counted() {
    let folder = Folder::new();
    let read = |bases: &str| format!("@r\n{bases}\n+\n{}\n", "I".repeat(bases.len()));
    let reads = ["ACGTTGAGATCGGAAG", "ACGTTGCAAT", "TTTTCACGAGATCGG", "TTTTCACGAGATCGG"];
    let input = folder.file("r.fq", reads.map(read).concat());
    let (o, j) = (text(&folder.path("o.fq")), text(&folder.path("x.json")));
    let args = ["filter", "--quiet", "-a", "AGATCGGAAGAGC", "-g", "^TTTT", "--times", "2"];
    let run = biofast(&[&args[..], &[&input, "-o", &o, "--fastp-json", &j]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let cutting = &json(&j)["adapter_cutting"];
    assert_eq!(cutting["adapter_trimmed_reads"], 3);
    assert_eq!(cutting["adapter_trimmed_bases"], 10 + 2 * 11);
    let expected = serde_json::json!({ "TTTT": 2, "AGATCGG": 2, "AGATCGGAAG": 1 });
    assert_eq!(cutting["read1_adapter_counts"], expected);
}

#[test]
fn options_of_fastp_are_known_or_answered() {
    let folder = Folder::new();
    let [one, two] = pairs(3, 50, [100, 100]);
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    for (args, needed) in [
        (&["-q", "20"][..], "--qualified-quality"),
        (&["-u"], "--max-low-quality-percent"),
        (&["-r"], "--cut-right"),
        (&["-n", "3"], "--max-n"),
        (&["-y"], "--min-complexity"),
        (&["--average_qual", "3"], "--min-mean-qual"),
        (&["-O", "2.fq"], "--out2"),
        (&["-p"], "--overrepresentation-analysis"),
    ] {
        let run = biofast(&[&["filter", "-i", &one, "-I", &two], args].concat());
        assert_eq!(run.code, 2, "{args:?} {}", run.stderr);
        assert!(run.stderr.contains(needed), "{args:?}: {}", run.stderr);
    }
    let run = biofast(&["filter", "--preset", "fastp", "-g", "ACGT", &one]);
    assert_error(&run, &["--preset fastp takes adapters only with -a and -A"]);
    // A number may follow an option that may do without one.
    let runs = folder.file("runs.fq", "@r\nACATACATACATGGGGG\n+\nIIIIIIIIIIIIIIIII\n");
    let [joined, apart, without] =
        [&["--trim-poly-g=3"][..], &["--trim-poly-g", "3"], &["--trim-poly-g"]]
            .map(|option| biofast(&[&["filter", "--quiet"], option, &[runs.as_str()]].concat()));
    assert_eq!((joined.code, &joined.stdout), (0, &apart.stdout));
    assert!(joined.stdout != without.stdout);
    // Alone, `-h` is a question, as it is of other commands.
    let lone = biofast(&["filter", "-h"]);
    assert_eq!((lone.code, lone.stderr.as_str()), (0, ""));
    assert!(lone.stdout.contains("All options: biofast filter --help"), "{}", lone.stdout);
}

/// A pair whose fragment of 60 bases has an identifier of 8 before it.
fn pair_with_identifier() -> ([String; 2], String, String) {
    let mut random = Random(11);
    let mut bases =
        |n: usize| -> String { (0..n).map(|_| char::from(b"ACGT"[random.below(4)])).collect() };
    let (identifier, fragment, rest) = (bases(8), bases(60), bases(32));
    let whole = format!("{identifier}{fragment}");
    let other = String::from_utf8(reverse_complement(whole.as_bytes())).unwrap();
    let read = |strand: &str, adapter: &str| {
        let read = &format!("{strand}{adapter}{rest}")[..100];
        format!("@r 1:N:0:ACGT+GGTT\n{read}\n+\n{}\n", "I".repeat(100))
    };
    let one = read(&whole, "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA");
    let two = read(&other, "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT").replace("1:N", "2:N");
    ([one, two], identifier, fragment)
}

#[test]
fn the_other_mate_of_a_short_fragment_loses_the_identifier() {
    let folder = Folder::new();
    let (pair, identifier, fragment) = pair_with_identifier();
    let [one, two] = pair;
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    let [o1, o2, j] = ["o1.fq", "o2.fq", "j.json"].map(|name| text(&folder.path(name)));
    let other = String::from_utf8(reverse_complement(fragment.as_bytes())).unwrap();
    for (how, name) in [
        (&["--preset", "fastp"][..], format!("@r:{identifier}")),
        (&["--trim-overlap"], format!("@r:{identifier}")),
        (&["--preset", "fastp", "--umi-prefix", "U1"], format!("@r:U1_{identifier}")),
    ] {
        let args = ["filter", "--quiet", &one, &two, "-o", &o1, "--out2", &o2, "--summary", &j];
        let run = biofast(&[&args[..], &["--umi", "first", "--umi-len", "8"], how].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let qualities = "I".repeat(60);
        let expected = [(1, &fragment), (2, &other)]
            .map(|(mate, bases)| format!("{name} {mate}:N:0:ACGT+GGTT\n{bases}\n+\n{qualities}\n"));
        assert_eq!([read(&o1), read(&o2)], expected, "{how:?}");
    }
    // What a fixed cut takes off one mate is still part of the fragment.
    let args = ["filter", "--quiet", "--trim-overlap", "--crop-front", "8,0"];
    let run = biofast(&[&args[..], &[&one, &two, "-o", &o1, "--out2", &o2]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(read(&o2).lines().nth(1).map(str::len), Some(68));
}

#[test]
fn identifiers_may_be_in_headers() {
    let folder = Folder::new();
    let ([one, two], ..) = pair_with_identifier();
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    for (place, name) in [
        ("index1", "@r:ACGT "),
        ("index2", "@r:GGTT "),
        ("indexes", "@r:ACGT_GGTT "),
        ("per_index", "@r:ACGT_GGTT "),
    ] {
        let run = biofast(&["filter", "--quiet", "--umi", place, &one, &two]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let headers: Vec<&str> = run.stdout.lines().step_by(4).collect();
        assert_eq!(headers.len(), 2);
        assert!(headers.iter().all(|header| header.starts_with(name)), "{place} {headers:?}");
    }
    let with_len = ["filter", "--umi", "index1", "--umi-len", "4", &one, &two];
    assert_error(&biofast(&with_len), &["UMIs at the start of reads"]);
    assert_error(&biofast(&["filter", "--umi", "first", &one]), &["needs --umi-len"]);
    assert_error(&biofast(&["filter", "--umi", "index2", &one]), &["needs pairs"]);
    let alone = biofast(&["filter", "--pair", "any", &one]);
    assert!(alone.code == 0 && alone.stderr.contains("--pair has no effect"), "{alone:?}");
}

#[test]
fn windows_of_the_preset_are_those_of_fastp() {
    let folder = Folder::new();
    // A read no longer than a window is left as it is without the preset, and dropped with it; so is the read's last base.
    let reads =
        folder.file("r.fq", "@a\nACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIII\n@b\nACGT\n+\nIIII\n");
    let run = |args: &[&str]| {
        let run = biofast(&[&["filter", "--quiet", &reads], args].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let lines: Vec<String> = run.stdout.lines().skip(1).step_by(4).map(str::to_owned).collect();
        lines
    };
    let fastp = ["--preset", "fastp", "-l", "1", "--cut-front"];
    assert_eq!(run(&["--cut-front"]), ["ACGTACGTACGTACGT", "ACGT"]);
    assert_eq!(run(&fastp), ["ACGTACGTACGTACGT"]);
    // After a fixed cut a window less one base goes even if the first window is good.
    assert_eq!(run(&["--crop-front", "1", "--cut-front"]), ["CGTACGTACGTACGT", "CGT"]);
    assert_eq!(run(&[&fastp[..], &["--crop-front", "1"]].concat()), ["ACGTACGTACGT"]);
    assert_eq!(
        run(&["--preset", "fastp", "-l", "1", "--cut-tail", "--crop-tail", "1"]),
        ["ACGTACGTACGT"]
    );
}

/// The rule that weighs qualities: more pairs are merged, on any number of threads the same, and what it has no use for is refused.
#[test]
fn mates_are_merged_where_they_fit_best() {
    let folder = Folder::new();
    let [one, two] = pairs(9, 3000, [120, 110]);
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    let merged = |more: &[&str]| {
        let args = ["filter", "--quiet", "--merge", "--merged-out", "/dev/stdout", &one, &two];
        let [o1, o2] = ["o1.fq", "o2.fq"].map(|name| text(&folder.path(name)));
        let run = biofast(&[&args[..], &["-o", &o1, "--out2", &o2], more].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    let best = merged(&["--merge-rule", "best", "-@", "1"]);
    assert!(best == merged(&["--merge-rule", "best", "-@", "3", "--chunk-size", "9999"]));
    let n = |text: &str| text.lines().count() / 4;
    assert!(n(&best) > n(&merged(&[])), "{}", n(&best));
    for (more, message) in [
        (&["--merge", "--overlap-diff-limit", "3"][..], "--overlap-diff-limit has no effect"),
        (&["--merge", "--preset", "fastp"], "--preset fastp merges by fastp's rule"),
        (&[], "--merge"),
    ] {
        let args = ["filter", "--quiet", &one, &two, "--merge-rule", "best"];
        assert_error(&biofast(&[&args[..], more].concat()), &[message]);
    }
}

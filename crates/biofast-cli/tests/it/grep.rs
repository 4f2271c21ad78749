//! `biofast grep`: what is found, in which reads and where, and what becomes of them.

use biofast_testkit::container::{bgzf, gunzip, gzip};

use crate::common::grep::{found, random_reads, records};
use crate::common::{
    self, Folder, assert_error, biofast, biofast_with, listed, ok, reads, refused, text,
};

/// The records whose numbers are kept.
fn only(text: &str, keep: impl Fn(usize) -> bool) -> String {
    records(text)
        .into_iter()
        .enumerate()
        .filter(|(number, _)| keep(*number))
        .map(|(_, r)| r)
        .collect()
}

#[test]
fn any_container_and_number_of_threads_give_the_same_bytes() {
    let folder = Folder::new();
    let text_of = random_reads(11, 2_000, "");
    let inputs = [
        folder.file("x.fq", &text_of),
        folder.file("x.fq.gz", gzip(text_of.as_bytes())),
        folder.file("y.fq.gz", bgzf(text_of.as_bytes(), 900)),
    ];
    let out = text(&folder.path("o.fq.gz"));
    let mut first: Option<Vec<u8>> = None;
    for (threads, input) in ["1", "2", "5"].into_iter().zip(&inputs) {
        let args = [
            "-s", "-p", "ACGWA", "-m", "1", "-@", threads, "--chunk-size", "3000", input, "-o",
            &out,
        ];
        found(&args);
        let bytes = std::fs::read(&out).unwrap();
        assert!(first.as_ref().is_none_or(|first| *first == bytes), "{threads}");
        first = Some(bytes);
    }
    let kept = String::from_utf8(gunzip(&first.unwrap()).unwrap()).unwrap();
    let run = biofast_with(
        &["grep", "--quiet", "-s", "-p", "ACGWA", "-m", "1"],
        &gzip(text_of.as_bytes()),
    );
    assert!(run.code == 0 && run.stdout == kept && (100..1900).contains(&records(&kept).len()));
}

#[test]
fn pairs_are_kept_together_if_any_or_both_mates_match() {
    let folder = Folder::new();
    let (one, two) = (random_reads(3, 800, "/1"), random_reads(5, 800, "/2"));
    let r1 = folder.file("r1.fq", &one);
    let r2 = folder.file("r2.fq.gz", bgzf(two.as_bytes(), 700));
    let mixed: String = records(&one).into_iter().zip(records(&two)).map(|(a, b)| a + &b).collect();
    let interleaved = folder.file("mixed.fq", mixed);
    let has = |record: &String| {
        let bases = record.lines().nth(1).unwrap();
        bases.contains("ACGT")
    };
    let matches: Vec<[bool; 2]> =
        records(&one).iter().zip(&records(&two)).map(|(a, b)| [has(a), has(b)]).collect();
    let [a, b, m, rest] = ["a.fq", "b.fq", "m.fq", "rest.fq"].map(|name| text(&folder.path(name)));
    for (pair, invert) in [("any", false), ("both", false), ("any", true), ("both", true)] {
        let keep = |number: usize| {
            let [one, two] = matches[number];
            (if pair == "any" { one || two } else { one && two }) != invert
        };
        let common = ["-s", "-p", "ACGT", "--pair", pair];
        let invert: &[&str] = if invert { &["-v"] } else { &[] };
        found(
            &[&common, invert, &[&r1, &r2, "-o", &a, "--out2", &b, "--rejected", &rest]].concat(),
        );
        found(&[&common, invert, &["--interleaved", &interleaved, "-o", &m]].concat());
        let read = |path: &str| std::fs::read_to_string(path).unwrap();
        assert_eq!(read(&a), only(&one, keep), "{pair} {invert:?}");
        assert_eq!(read(&b), only(&two, keep), "{pair} {invert:?}");
        let both = |keep: &dyn Fn(usize) -> bool| -> String {
            let pairs = records(&one).into_iter().zip(records(&two)).enumerate();
            pairs.filter(|(number, _)| keep(*number)).map(|(_, (a, b))| a + &b).collect()
        };
        assert_eq!(read(&m), both(&keep));
        assert_eq!(read(&rest), both(&|number| !keep(number)));
        let count = found(&[&common, invert, &["-c", &r1, &r2]].concat());
        assert_eq!(count.trim(), (0..800).filter(|&number| keep(number)).count().to_string());
    }
    // A name without the mate's number is that of both.
    let kept = found(&["-p", "r7", &r1, &r2]);
    assert_eq!(kept, records(&one)[7].clone() + &records(&two)[7]);
    let table = found(&["-s", "-p", "ACGTA", "--only-matching", &r1, &r2]);
    assert!(table.starts_with("seqID\tpatternName\tpattern\tstrand\tstart\tend\tmatched\tmate\n"));
    assert!(table.lines().any(|line| line.ends_with("\t2")), "{table}");
}

#[test]
fn names_that_are_not_there_are_told() {
    let folder = Folder::new();
    let file = folder.file("x.fq", reads("r", 20));
    let names = folder.file("names", "r3\nr4\nabsent\nr5\nr3\nother\n");
    let missing = text(&folder.path("missing.txt"));
    let args = ["grep", "-f", &names, "--missing", &missing, &file];
    let run = ok(&args);
    assert_eq!(records(&run.stdout).len(), 3);
    assert!(run.stderr.contains("3 of 20 reads kept"), "{run:?}");
    assert!(
        run.stderr.contains("3 of 5 names found; the first one not found is absent"),
        "{run:?}"
    );
    assert_eq!(std::fs::read_to_string(&missing).unwrap(), "absent\nother\n");
    let run = biofast(&[&args[..], &["--require-all"]].concat());
    assert!(run.code == 1 && records(&run.stdout).len() == 3, "{run:?}");
    ok(&["grep", "--require-all", "-p", "r3", &file]);
    // The list of another tool, with the @ of FASTQ.
    let run = biofast(&["grep", "-f", &folder.file("at", "@r3\n"), &file]);
    assert!(run.code == 0 && run.stdout.is_empty(), "{run:?}");
    assert!(run.stderr.contains("leave out the @ before names"), "{run:?}");
    // Patterns by a pipe, and a motif that was taken for a name.
    let run = biofast_with(&["grep", "-q", "-f", "-", &file], b"r7\n");
    assert!(run.code == 0 && run.stdout.starts_with("@r7 "), "{run:?}");
    let run = biofast_with(&["grep", "-f", "-"], b"r7\n");
    assert_error(&run, &["both reads and patterns"]);
    let run = biofast(&["grep", "-p", "GATTACA", &file]);
    assert!(run.code == 0 && run.stderr.contains("use -s to search sequences"), "{run:?}");
}

#[test]
fn patterns_are_counted_and_coloured() {
    let folder = Folder::new();
    let file = folder
        .file("x.fq", "@a\nACGTACGTTTT\n+\nIIIIIIIIIII\n@b x\nAAAA\n+\nIIII\n@c\nCCC\n+\nIII\n");
    let motifs = folder.file("motifs.fa", ">one\nACG\n>two\nAA\nAA\n>three\nGGGGG\n");
    let table = found(&["-s", "-f", &motifs, "--count-by-pattern", &file]);
    assert_eq!(table, "pattern\treads\tplaces\none\t1\t4\ntwo\t2\t2\nthree\t0\t0\n");
    let run = biofast(&["grep", "-s", "-P", "-p", "ACG", "-p", "TTT", "--color", "always", &file]);
    let (red, green, off) = ("\x1b[1;31m", "\x1b[1;32m", "\x1b[0m");
    let painted = format!("@a\n{red}ACG{off}T{red}ACG{off}{green}TTTT{off}\n+\nIIIIIIIIIII\n");
    assert_eq!((run.code, run.stdout), (0, painted));
    assert!(run.stderr.contains(&format!("{red}ACG{off}: 1 read")), "{}", run.stderr);
    let run = biofast(&["grep", "-q", "-n", "-r", "-p", "b x", "--color", "always", &file]);
    assert_eq!(run.stdout, format!("@{red}b x{off}\nAAAA\n+\nIIII\n"));
    // No terminal, no colours; never in files that are compressed.
    let run = biofast(&["grep", "-s", "-p", "ACG", "-p", "TTT", &file]);
    assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'), "{run:?}");
    let out = text(&folder.path("o.fq.gz"));
    found(&["-s", "-p", "ACG", "--color", "always", "-o", &out, &file]);
    assert!(!gunzip(&std::fs::read(&out).unwrap()).unwrap().contains(&0x1b));
}

#[test]
fn fasta_stays_fasta() {
    let folder = Folder::new();
    let bases = "ACGTTGCAGGCATCATCAAA".repeat(8);
    let genes = folder.file("g.fa", format!(">a x\n{bases}\nGATTACA\n>b\nCCC\n>c\nTGTA\nATC\n"));
    let out = text(&folder.path("o.fa"));
    found(&["-s", "-p", "GATTACA", &genes, "-o", &out]);
    let kept = std::fs::read_to_string(&out).unwrap();
    let names: Vec<&str> = kept.lines().filter(|line| line.starts_with('>')).collect();
    assert_eq!(names, [">a x", ">c"]);
    assert!(kept.replace('\n', "").contains(&format!("{bases}GATTACA>cTGTAATC")));
    assert_eq!(found(&["-p", "b", &genes]), ">b\nCCC\n");
    assert_eq!(found(&["-c", "-s", "-v", "-p", "C", &genes]), "0\n");
    let painted = found(&["-s", "-P", "-p", "CC", "--color", "always", &genes]);
    assert_eq!(painted, ">b\n\x1b[1;31mCCC\x1b[0m\n");
    let run = biofast(&["grep", "-p", "a", &genes, "-o", &text(&folder.path("o.fq"))]);
    assert_eq!(run.code, 2, "{run:?}");
}

#[test]
fn the_summary_adds_up_and_check_compares_it() {
    let folder = Folder::new();
    let r1 = folder.file("r1.fq.gz", bgzf(random_reads(3, 300, "/1").as_bytes(), 900));
    let r2 = folder.file("r2.fq", random_reads(5, 300, "/2"));
    let [a, b, rest, json] =
        ["a.fq.gz", "b.fq.gz", "rest.fq.zst", "s.json"].map(|name| text(&folder.path(name)));
    found(&[
        "-s", "-p", "ACGT", "-p", "GGCC", &r1, &r2, "-o", &a, "--out2", &b, "--rejected", &rest,
        "--summary", &json,
    ]);
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let summary = &report["summary"];
    let number = |value: &serde_json::Value| value.as_u64().unwrap();
    assert_eq!(number(&summary["reads"]), 600);
    assert_eq!(number(&summary["reads_kept"]) + number(&summary["reads_rejected"]), 600);
    let reads = |mate: usize| report["files"][mate]["reads"].as_u64().unwrap();
    assert_eq!([reads(0), reads(1), reads(2) + reads(3) + reads(4)], [300, 300, 600]);
    let sum = |files: &[usize]| {
        let digits = |file: &usize| report["files"][*file]["checksum"].as_str().unwrap().to_owned();
        let sums = files.iter().map(|file| u64::from_str_radix(&digits(file), 16).unwrap());
        sums.fold(0u64, u64::wrapping_add)
    };
    assert_eq!(sum(&[0, 1]), sum(&[2, 3, 4]));
    assert_eq!(summary["patterns"][1]["name"], "GGCC");
    assert!(number(&summary["patterns"][0]["places"]) >= number(&summary["patterns"][0]["reads"]));
    ok(&["check", "--against", &json]);
}

#[test]
fn faults_are_named_and_no_output_appears() {
    let folder = Folder::new();
    let text_of = reads("r", 300);
    let whole = bgzf(text_of.as_bytes(), 900);
    let good = folder.file("good.fq", &text_of);
    let cut = folder.file("cut.fq.gz", &whole[..whole.len() / 2]);
    let short = folder.file("short.fq", reads("r", 299));
    let other = folder.file("other.fq", text_of.replace("@r200 ", "@x200 "));
    folder.file("empty", "\n\n");
    folder.file("motifs", "ACGT\nAC-GT\n");
    let before = listed(&folder);
    let out = text(&folder.path("o.fq"));
    for threads in ["1", "3"] {
        let run = |files: &[&str]| {
            let args = ["grep", "-s", "-p", "A", "-@", threads, "--chunk-size", "2000", "-o", &out];
            biofast(&[&args[..], files].concat())
        };
        assert_error(&run(&[&cut]), &["cut.fq.gz"]);
        assert_error(&run(&[&good, &short, "--interleaved-out"]), &["short.fq"]);
        assert_error(&run(&[&good, &other, "--interleaved-out"]), &["record 201"]);
        assert_error(&run(&[&good, &good]), &["is named twice"]);
    }
    for (line, needed) in [
        ("grep good.fq", "--pattern"),
        ("grep -s --pattern= good.fq", "empty motif"),
        ("grep -s -p AC! good.fq", "letter 3"),
        ("grep -s -f motifs good.fq", "letter 3 of motif AC-GT"),
        ("grep -f empty good.fq", "has no pattern"),
        ("grep -f none good.fq", "none"),
        ("grep -s -r -p ( good.fq", "not a valid regular expression"),
        ("grep -s -p ACGTA -m 4 good.fq", "expected at most 3"),
        ("grep -p AC -m 2 good.fq", "matches everywhere"),
        ("grep -n -p AC -m 2 good.fq", "mismatches apply only to motifs"),
        ("grep -s -p ACGT -R 5:0 good.fq", "not a region"),
        ("grep -n -s -p A good.fq", "can't be combined with"),
        ("grep -p r1 --pair both good.fq", "needs pairs"),
        ("grep -p r1 good.fq -o o.fq --out2 p.fq", "needs pairs"),
        ("grep -p r1 good.fq other.fq short.fq", "two files of mates"),
        ("grep -p r1 good.fq -o good.fq", "input"),
        ("grep -f motifs good.fq -o motifs", "input"),
        ("grep -p r1 good.fq --missing good.fq", "input"),
        ("grep -p r1 good.fq -o o.fq --rejected o.fq", "are the same"),
        ("grep -p r1 good.fq -o o.bam", "would hold FASTQ"),
        ("grep -p r1 good.fq -o no/o.fq", "can't write"),
        ("grep -p r1 good.fq -o o.fq --level 3", "--level needs"),
        ("grep -p r1 -c --only-matching good.fq", "can't be combined with"),
        ("grep -s -p A --only-matching good.fq -o t.fq", "report"),
    ] {
        refused(&folder, line, needed);
    }
    assert_eq!(listed(&folder), before);
}

#[test]
fn rna_is_searched_on_its_other_strand() {
    let folder = Folder::new();
    folder.file("u.fa", ">a\nACGUUACG\n>b\nAAGGC\n");
    let places = |more: &[&str]| -> Vec<String> {
        let run = [&["grep", "-q", "-s", "--only-matching", "u.fa"], more].concat();
        let run = common::run_in(&folder, &run);
        let columns = |line: &str| line.split('\t').skip(3).take(3).collect::<Vec<_>>().join(" ");
        run.stdout.lines().skip(1).map(columns).collect()
    };
    assert_eq!(places(&["-p", "AAC"]), ["- 3 5"]);
    assert_eq!(places(&["-p", "AAC", "-P"]).len(), 0);
    assert_eq!(places(&["-p", "GUUA"]), ["+ 3 6"]);
    // With a region, mismatches, many motifs and regular expressions, which are other engines.
    assert_eq!(places(&["-p", "AAC", "-R", "1:6"]), ["- 3 5"]);
    assert_eq!(places(&["-p", "UAACG", "-d"]), ["- 2 6"]);
    assert_eq!(places(&["-p", "GCAAC", "-m", "1"]), ["- 3 7"]);
    let many: Vec<String> = (0..20)
        .map(|n| format!("AAC{}", ["AAAA", "CCCC", "GGGG", "TTTT"][n % 4].repeat(n + 1)))
        .collect();
    folder.file("many", many.join("\n") + "\nUAACG\nTAACG\n");
    folder.file("m.fa", ">a\nACGUUACG\n>d\nCGTTA\n");
    let run = ["grep", "-q", "-s", "-f", "many", "-c", "m.fa"];
    assert_eq!(common::run_in(&folder, &run).stdout, "2\n");
    assert_eq!(places(&["-r", "-p", "UA{2}C"]), ["- 3 6"]);
    assert_eq!(places(&["-r", "-p", "^GCCUU$"]), ["- 1 5"]);
}

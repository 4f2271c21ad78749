//! `stats` and `merge` with `--library`, `--limits` and `--fail-on`: what figures are worth.
#![cfg(unix)]

use crate::common::{Folder, Run, biofast, fails, listed, ok, refused, silent, text};
use serde_json::Value;

const TYPES: [&str; 11] = [
    "any", "wgs", "exome", "amplicon", "rna", "small-rna", "bisulfite", "chip", "single-cell",
    "metagenome", "long-read",
];

/// Reads that are good but for N, which half of them have at position 5, and for a sequence that a third of them share.
fn reads(n: usize) -> String {
    let mut state = 1u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        b"ACGT"[(state >> 11) as usize % 4] as char
    };
    let mut text = String::new();
    for i in 0..n {
        let mut bases: String = (0..60).map(|_| next()).collect();
        if i % 3 == 0 {
            bases = "ACGTTGCAAC".repeat(6);
        }
        if i % 2 == 0 {
            bases.replace_range(4..5, "N");
        }
        text += &format!("@r{i}\n{bases}\n+\n{}\n", "I".repeat(60));
    }
    text
}

/// 40 records in order, of which half are mapped.
fn sam() -> String {
    let mut sam = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:100\n@RG\tID:a\tSM:s\n".to_owned();
    for i in 0..20 {
        sam += &format!(
            "r{i}\t0\tc\t{}\t60\t10M\t*\t0\t0\tACGTACGTAC\tIIIIIIIIII\tNM:i:1\tRG:Z:a\n",
            i + 1
        );
    }
    for i in 20..40 {
        sam += &format!("r{i}\t4\t*\t0\t0\t*\t*\t0\t0\tACGTACGTAC\tIIIIIIIIII\tRG:Z:a\n");
    }
    sam
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// The verdict about a check of the first sample.
fn verdict<'a>(report: &'a Value, check: &str) -> &'a str {
    let checks = report["files"][0]["verdicts"]["checks"].as_array().unwrap();
    let found = checks.iter().find(|judged| judged["check"] == check);
    found.map_or("off", |judged| judged["verdict"].as_str().unwrap())
}

#[test]
fn reports_have_verdicts_only_where_they_are_asked_for() {
    let folder = Folder::new();
    let path = folder.file("r.fq", reads(3000).replace('N', "A"));
    let plain = biofast(&["stats", "--json", &path]);
    assert!(!plain.stdout.contains("\"verdicts\""), "{}", plain.stdout);
    assert_eq!(plain.stderr, "");
    for options in [&["--library", "any"][..], &["--fail-on", "fail"]] {
        let run = ok(&[&["stats", "--json", &path], options].concat());
        let judged = json(&run);
        assert_eq!(judged["files"][0]["verdicts"]["library"], "any");
        assert!(run.stderr.starts_with("biofast stats: note: "), "{}", run.stderr);
        assert!(run.stderr.contains(": verdict "), "{}", run.stderr);
        // All figures are those of a report without.
        let mut others = judged;
        let file = others["files"][0].as_object_mut().unwrap();
        file.remove("verdicts").unwrap();
        file.remove("qc").unwrap();
        assert_eq!(others, json(&plain));
    }
    // The table stays as it is, and the line is on standard error.
    let table = biofast(&["stats", "-T", &path]);
    let judged = biofast(&["stats", "-T", "--library", "wgs", &path]);
    assert_eq!(judged.stdout, table.stdout);
    assert!(judged.stderr.contains("(library wgs)"), "{}", judged.stderr);
    let quiet = biofast(&["stats", "-T", "--quiet", "--library", "wgs", &path]);
    assert_eq!((quiet.stdout, quiet.stderr), (table.stdout, String::new()));
}

#[test]
fn each_type_of_library_judges_what_it_does_not_explain() {
    let folder = Folder::new();
    let fastq = folder.file("r.fq", reads(3000));
    let sam = folder.file("x.sam", sam());
    for library in TYPES {
        let of = |path: &str| {
            let run = silent(&["stats", "--json", "--quiet", "--library", library, path]);
            json(&run)
        };
        let (reads, aligned) = (of(&fastq), of(&sam));
        // N are a fault of every library, and everything is either judged or off.
        assert_eq!(verdict(&reads, "n-by-position"), "fail", "{library}");
        for (report, checks) in [(&reads, 16), (&aligned, 24)] {
            let found = &report["files"][0]["verdicts"];
            assert_eq!(found["library"], library);
            let [judged, off] = ["checks", "off"].map(|key| found[key].as_array().unwrap().len());
            assert_eq!(judged + off, checks, "{library}: {found}");
            for off in found["off"].as_array().unwrap() {
                assert!(off["why"].as_str().unwrap().len() > 10, "{library}: {off}");
            }
        }
        let expected = match library {
            "any" | "amplicon" | "small-rna" | "single-cell" | "long-read" => "off",
            _ => "fail",
        };
        assert_eq!(verdict(&reads, "overrepresented-sequences"), expected, "{library}");
        let expected = match library {
            "wgs" => "warn",
            "exome" | "chip" | "bisulfite" | "metagenome" => "warn",
            _ => "off",
        };
        // A third of the reads are the same.
        let expected = if matches!(library, "exome" | "chip") { "pass" } else { expected };
        assert_eq!(verdict(&reads, "duplication"), expected, "{library}");
        let expected = match library {
            "metagenome" => "off",
            "any" | "small-rna" | "bisulfite" => match library {
                "any" => "pass",
                _ => "warn",
            },
            "single-cell" | "chip" => "warn",
            _ => "fail",
        };
        assert_eq!(verdict(&aligned, "mapped-share"), expected, "{library}");
    }
    let run = biofast(&["stats", "--library", "panel", "--json", &fastq]);
    assert_eq!(json(&run)["files"][0]["verdicts"]["library"], "amplicon");

    fails(&["stats", "--library", "genome", &fastq], &["invalid value 'genome'", "metagenome"]);
}

#[test]
fn limits_are_printed_and_read_back() {
    let folder = Folder::new();
    let fastq = folder.file("r.fq", reads(3000));
    let of = |options: &[&str]| {
        let run = silent(&[&["stats", "--json", "--quiet"], options, &[fastq.as_str()]].concat());
        json(&run)["files"][0]["verdicts"].clone()
    };
    for library in TYPES {
        let printed = silent(&["stats", "--print-limits", "--library", library]);
        let path = folder.file(&format!("{library}.limits"), &printed.stdout);
        let (own, read) =
            (of(&["--library", library]), of(&["--limits", &path, "--library", library]));
        assert_eq!(own, read, "{library}");
        // Sentences say what a library explains; all else is in the text.
        let bare = |mut checks: Value| {
            let all = checks.as_array_mut().unwrap();
            all.iter_mut().for_each(|check| _ = check.as_object_mut().unwrap().remove("text"));
            checks
        };
        let other = of(&["--limits", &path]);
        assert_eq!(bare(own["checks"].clone()), bare(other["checks"].clone()), "{library}");
        let again = biofast(&["stats", "--print-limits", "--library", library, "--limits", &path]);
        assert_eq!(again.stdout, printed.stdout);
    }
    let to = text(&folder.path("limits.txt"));
    ok(&["stats", "--print-limits", "-o", &to]);
    assert_eq!(std::fs::read_to_string(&to).unwrap(), biofast(&["stats", "--print-limits"]).stdout);
    let own = folder.file(
        "own",
        "# ours\nn-by-position 50 60\nduplication off\n\nmean-length 100 80 # bases\n",
    );
    let found = of(&["--limits", &own, "--library", "wgs"]);
    let report = serde_json::json!({ "files": [{ "verdicts": found }] });
    assert_eq!(verdict(&report, "n-by-position"), "pass");
    assert_eq!(verdict(&report, "duplication"), "off");
    assert_eq!(verdict(&report, "mean-length"), "fail");
}

#[test]
fn broken_limits_are_named_by_file_and_line_before_anything_is_written() {
    let folder = Folder::new();
    let fastq = folder.file("r.fq", reads(10));
    let out = text(&folder.path("out.json"));
    for (content, needed) in [
        (
            "duplicaton 1 2\n",
            &["line 1: no check is named 'duplicaton'; did you mean 'duplication'?"][..],
        ),
        (
            "# x\n\nn-share 5\n",
            &["line 3: expected the limits of warnings and failures after 'n-share'"],
        ),
        ("n-share 1 five\n", &["line 1: expected a number of 0 or more", "'five'"]),
        ("n-share 5 1\n", &["line 1: 'n-share' would fail at 1 before it warns at 5"]),
        ("n-share 1 5\nn-share 1 5\n", &["line 2: 'n-share' already has limits on line 1"]),
        (
            "adapter\twarn\t5\n",
            &["line 1: this line is in FastQC's format", "'adapter-content 5 10'"],
        ),
    ] {
        let limits = folder.file("own.limits", content);
        for command in [
            &["stats", "--json", &fastq, "-o", &out, "--limits", &limits][..],
            &["stats", "--print-limits", "-o", &out, "--limits", &limits],
            &["stats", "--out-dir", &out, &fastq, "--limits", &limits],
        ] {
            fails(command, &[&[limits.as_str()], needed].concat());
            assert!(!folder.path("out.json").exists(), "{command:?}");
        }
    }
    fails(&["stats", "--limits", "/nowhere", &fastq], &["/nowhere"]);
    let binary = text(&folder.path("binary"));
    std::fs::write(&binary, b"\xff\xfe").unwrap();
    fails(&["stats", "--limits", &binary, &fastq], &[&binary, "expected text, found UTF-16"]);
}

#[test]
fn a_bad_verdict_is_exit_code_1_and_every_output_is_complete() {
    let folder = Folder::new();
    let bad = folder.file("bad.fq", reads(3000));
    let good = folder.file("good.fq", reads(3000).replace('N', "A"));
    let broken = folder.file("broken.fq", "@r\nACGT\n+\nII\n");
    let [out, page] = ["out.json", "out.html"].map(|name| text(&folder.path(name)));
    for (paths, fail_on, code) in [
        (&[&bad][..], "fail", 1),
        (&[&bad], "warn", 1),
        (&[&good], "fail", 0),
        (&[&good, &bad], "fail", 1),
        // An error says more.
        (&[&bad, &broken], "fail", 2),
    ] {
        let paths: Vec<&str> = paths.iter().map(|path| path.as_str()).collect();
        let args = ["stats", "--json", "-o", &out, "--html", &page, "--fail-on", fail_on];
        let run = biofast(&[&args[..], &paths].concat());
        assert_eq!(run.code, code, "{paths:?} {}", run.stderr);
        let report: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
        assert_eq!(report["files"].as_array().unwrap().len(), paths.len());
        assert!(std::fs::read_to_string(&page).unwrap().ends_with("</html>\n"));
        for name in [&out, &page] {
            std::fs::remove_file(name).unwrap();
        }
    }
    // What is faulty has no verdict: its figures are of a part.
    let run = biofast(&["stats", "--json", "--library", "any", &broken]);
    assert_eq!((run.code, &json(&run)["files"][0]["verdicts"]), (2, &Value::Null));
    // A warning isn't a failure.
    let limits = folder.file("limits", "mean-length 100 off\n");
    for (fail_on, code) in [("warn", 1), ("fail", 0)] {
        let run = biofast(&["stats", "-T", "--limits", &limits, "--fail-on", fail_on, &good]);
        assert_eq!(run.code, code, "{}", run.stderr);
        assert!(run.stderr.contains(": warn: "), "{}", run.stderr);
        assert!(run.stderr.contains("mean-length: Reads have 60 bases on average: below 100. "));
    }
    // The same of a folder of reports, of reads and of alignments.
    let sam = folder.file("x.sam", sam());
    let limits = folder.file("limits", "mapped-share 90 80\n");
    for (path, file) in [(&bad, "bad"), (&sam, "x")] {
        let to = folder.path(file);
        let args =
            ["stats", "--out-dir", to.to_str().unwrap(), "--limits", &limits, "--fail-on", "fail"];
        let run = biofast(&[&args[..], &["--qc", "json,html", path]].concat());
        assert_eq!(run.code, 1, "{}", run.stderr);
        let report = std::fs::read_to_string(to.join(format!("{file}.biofast.json"))).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["files"][0]["verdicts"]["verdict"], "fail");
        assert!(to.join(format!("{file}.biofast.html")).exists());
    }
    // Where no report has figures, they are counted all the same.
    let to = text(&folder.path("flags"));
    let args =
        ["stats", "--out-dir", &to, "--qc", "flagstat", "--limits", &limits, "--fail-on", "fail"];
    assert_eq!(biofast(&[&args[..], &[sam.as_str()]].concat()).code, 1);
    assert!(listed(&folder).contains(&"flags".to_owned()));
}

/// Reads of one length whose qualities are all `phred`.
fn of_quality(phred: u8) -> String {
    let base = |r: usize, i: usize| b"ACGT"[(r * 7 + i * i + r * i) % 4] as char;
    let read = |r: usize| {
        let bases: String = (0..50).map(|i| base(r, i)).collect();
        format!("@r{r}\n{bases}\n+\n{}\n", String::from((phred + 33) as char).repeat(50))
    };
    (0..200).map(read).collect()
}

#[test]
fn samples_are_compared_with_those_of_earlier_reports() {
    let folder = Folder::new();
    let runs = text(&folder.path("runs"));
    std::fs::create_dir(&runs).unwrap();
    // Qualities of 30 to 34: the median is 32 and the median absolute deviation 1.
    for i in 0..16u8 {
        let fastq = folder.file(&format!("past{i}.fq"), of_quality(30 + i % 5));
        ok(&[
            "stats",
            "-q",
            "--json",
            "--library",
            "wgs",
            "-o",
            &format!("{runs}/{i}.json"),
            &fastq,
        ]);
    }
    let bad = folder.file("bad.fq", of_quality(10));
    let table = text(&folder.path("v.tsv"));
    let page = text(&folder.path("p.html"));
    let pattern = format!("{runs}/*.json");
    let judged = |baseline: &str, options: &[&str]| {
        let args = ["stats", "-q", "--json", "--baseline", baseline, "--library", "wgs"];
        biofast(&[&args[..], options, &[bad.as_str()]].concat())
    };
    let run = judged(&runs, &["--fail-on", "fail", "--verdicts", &table, "--html", &page]);
    assert_eq!(run.code, 1, "{run:?}");
    let report = json(&run);
    let of = |check: &str| {
        let checks = report["files"][0]["verdicts"]["checks"].as_array().unwrap();
        checks.iter().find(|judged| judged["check"] == check).unwrap().clone()
    };
    let quality = of("history:mean-quality");
    // 31.5 and 0.5 + 1: of 16 values 30 to 34, of which 30 is one more often.
    let mut past: Vec<f64> = (0..16u8).map(|i| f64::from(30 + i % 5)).collect();
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        (values[7] + values[8]) / 2.0
    };
    let middle = median(&mut past);
    let deviation = 1.4826 * median(&mut past.iter().map(|v| (v - middle).abs()).collect());
    // Limits of few are wider.
    let deviation = deviation * (1.0 + 64.0 / f64::from((16 - 5) * (16 - 5)));
    for (limit, deviations) in [("warn", 4.0), ("fail", 6.0)] {
        let limit = quality[limit].as_f64().unwrap();
        assert!((limit - (middle - deviations * deviation)).abs() < 0.01, "{quality}");
    }
    assert_eq!((&quality["verdict"], &quality["bad"]), (&"fail".into(), &"below".into()));
    assert_eq!(of("history:number-of-reads")["verdict"], "pass");
    let rows = std::fs::read_to_string(&table).unwrap();
    assert!(rows.contains("\thistory:mean-quality\tfail\t10\tPhred\tbelow\t"), "{rows}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(
        html.contains("Compared with past samples") && html.contains("bad is beyond the limits"),
        "{html}"
    );
    assert_eq!(judged(&pattern, &[]).stdout, run.stdout, "a pattern is the folder");

    // Other types of libraries, and too few, are no past.
    let others =
        biofast(&["stats", "-q", "--json", "--baseline", &runs, "--fail-on", "warn", &bad]);
    assert_eq!((others.code, verdict(&json(&others), "history:samples")), (0, "not-measured"));
    let few = judged(&format!("{runs}/?.json"), &[]);
    assert!(few.stdout.contains("10 past samples are of this kind (reads, library wgs) among 10"));

    // Nobody takes it for a comparison, and no file counts twice.
    let loud = |options: &[&str]| biofast(&[&["stats", &bad, "--baseline"], options].concat());
    let run = loud(&[&runs, "--library", "rna"]);
    for said in [
        "bad.fq was not compared with --baseline: 0 past samples are of this kind (reads, library rna)",
        "among 16, and 15 are needed. Others are of the kind: reads, library wgs",
    ] {
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    let few = format!("{runs}/?.json");
    let twice = loud(&[&few, "--baseline", &few, "--baseline", &format!("{runs}/../runs/1.json")]);
    assert!(twice.stderr.contains(" among 10, and"), "{}", twice.stderr);

    // A folder of reports is a page of its own.
    ok(&["merge", "--baseline", &runs, "--html", &page, "--title", "Trend of wgs"]);
    let trend = std::fs::read_to_string(&page).unwrap();
    assert!(
        trend.contains("<title>Trend of wgs</title>") && trend.contains("id=\"trend-"),
        "{trend}"
    );
    fails(&["merge", "--baseline", &runs], &["needs --html"]);

    for (name, content) in
        [("a.json", "{\"x\": 1}"), ("b.json", "{\"schema\": \"biofast.stats\""), ("c.json", "")]
    {
        let broken = folder.file(name, content);
        fails(
            &["stats", "--baseline", &broken, &bad],
            &[name, "not a report of `biofast stats --json`"],
        );
    }
    fails(&["stats", "--baseline", &text(&folder.path("none*")), &bad], &["no such report"]);
}

#[test]
fn verdicts_are_the_same_on_any_threads() {
    let folder = Folder::new();
    let fastq = folder.file("r.fq", reads(20_000));
    let sam = folder.file("x.sam", sam());
    for path in [&fastq, &sam] {
        let of = |threads: &str| {
            let run = ok(&["stats", "--json", "--library", "wgs", "-@", threads, path]);
            (run.stdout, run.stderr)
        };
        let one = of("1");
        for threads in ["2", "4", "7"] {
            assert!(of(threads) == one, "{threads}");
        }
    }
}

#[test]
fn reports_are_judged_when_they_are_merged_as_in_one_run() {
    let folder = Folder::new();
    let all = reads(6000);
    let half = all.match_indices("@r3000\n").next().unwrap().0;
    let paths = [("a.fq", &all[..half]), ("b.fq", &all[half..])]
        .map(|(name, part)| folder.file(name, part));
    let parts = paths.each_ref().map(|path| {
        let to = format!("{path}.json");
        // Parts that were judged carry numbers, too.
        let args =
            ["stats", "--json", "--quiet", "--sample", "s", "--library", "any", path, "-o", &to];
        ok(&args);
        to
    });
    for library in ["any", "wgs", "amplicon"] {
        let judged = ["--json", "--sample", "s", "--library", library, "--fail-on", "fail"];
        let merged = biofast(&[&["merge"], &judged[..], &[parts[0].as_str(), &parts[1]]].concat());
        let one = biofast(&[&["stats"], &judged[..], &[paths[0].as_str(), &paths[1]]].concat());
        assert_eq!((merged.code, one.code), (1, 1), "{}", merged.stderr);
        assert!(merged.stdout == one.stdout, "{library}");
        assert_eq!(verdict(&json(&one), "number-of-reads"), "pass");
    }
    // Without the options a merged report has none, whatever its parts had.
    let run = biofast(&["merge", "--json", &parts[0], &parts[1]]);
    assert!(!run.stdout.contains("\"verdicts\""));
    // Of alignments.
    let whole = sam();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let (head, records) = lines.split_at(3);
    let paths: Vec<String> = records
        .chunks(13)
        .enumerate()
        .map(|(i, part)| folder.file(&format!("{i}.sam"), head.concat() + &part.concat()))
        .collect();
    let whole = folder.file("whole.sam", whole);
    let parts: Vec<String> = paths
        .iter()
        .map(|path| {
            let to = format!("{path}.json");
            ok(&["stats", "--json", "--partial", "shard", path, "-o", &to]);
            to
        })
        .collect();
    let judged = ["--json", "--sample", "s", "--library", "wgs"];
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let merged = json(&biofast(&[&["merge"], &judged[..], &parts].concat()));
    let one = json(&biofast(&[&["stats"], &judged[..], &[whole.as_str()]].concat()));
    assert_eq!(merged["files"][0]["verdicts"], one["files"][0]["verdicts"]);
    assert_eq!(verdict(&one, "mapped-share"), "fail");
    // And to a folder.
    let to = text(&folder.path("merged"));
    let args =
        ["merge", "--sample", "s", "--out-dir", &to, "--library", "wgs", "--fail-on", "fail"];
    let run = biofast(&[&args[..], &parts].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    let report = std::fs::read_to_string(folder.path("merged/s.biofast.json")).unwrap();
    assert!(report.contains("\"verdicts\":{\"library\":\"wgs\""), "{report}");
}

#[test]
fn pages_have_verdicts_in_words_and_signs() {
    let folder = Folder::new();
    let fastq = folder.file("r.fq", reads(3000));
    let sam = folder.file("x.sam", sam());
    let page = folder.path("page.html");
    let run = biofast(&["stats", "--html", page.to_str().unwrap(), &fastq, &sam]);
    // Nobody asked for a line.
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let text = std::fs::read_to_string(&page).unwrap();
    assert_eq!(text.matches("<h4>Verdicts</h4>").count(), 2);
    assert!(text.contains("✗ fail</span> <b>n-by-position</b>"), "in words");
    assert!(text.contains("(library any: only checks that apply to every library)"));
    ok(&["stats", "--library", "amplicon", "--html", page.to_str().unwrap(), &fastq]);
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains("expected of amplicons"));
    assert!(
        text.contains("\"verdicts\":{\"library\":\"amplicon\""),
        "the JSON of the page has them, too"
    );
}

#[test]
fn what_has_no_verdicts_refuses_them() {
    let folder = Folder::new();
    let fastq = folder.file("r.fq", reads(10));
    let sam = folder.file("x.sam", sam());
    for (line, needed) in [
        (
            "stats --format samtools --library wgs x.sam",
            "--library can't be combined with --format samtools",
        ),
        (
            "stats --format fastqc --fail-on fail r.fq",
            "--fail-on can't be combined with --format fastqc",
        ),
        ("stats --per-read --library wgs r.fq", "--library can't be combined with --per-read"),
        (
            "stats --json --partial lane --library wgs x.sam",
            "--library can't be combined with --partial: verdicts need whole files: use these options in `biofast merge`",
        ),
    ] {
        refused(&folder, line, needed);
    }
    fails(&["stats", "--print-limits", &fastq], &["--print-limits"]);
    let flags = text(&folder.path("flags.json"));
    ok(&["flagstat", "-O", "json", &sam, "-o", &flags]);
    fails(
        &["merge", "--library", "wgs", &flags],
        &["--library applies to reports of stats, but these are of flagstat"],
    );
    let bam = text(&folder.path("x.bam"));
    ok(&["view", "-b", &sam, "-o", &bam]);
    fails(
        &["merge", "--library", "wgs", &bam, "-o", "/dev/null"],
        &["--library applies to reports, but the inputs are alignments"],
    );
}

/// The columns of what `--print-limits` prints: checks, and their limits as the documentation has them.
fn limits(library: &str) -> Vec<(String, String)> {
    let printed = biofast(&["stats", "--print-limits", "--library", library]).stdout;
    let lines = printed.lines().filter_map(|line| line.split('#').next());
    let columns = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let columns = columns.filter(|columns| !columns.is_empty());
    columns.map(|columns| (columns[0].to_owned(), columns[1..].join(", "))).collect()
}

#[test]
fn the_documentation_has_every_check_and_its_limits() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports.md");
    let page = std::fs::read_to_string(page).unwrap();
    let row = |name: &str| {
        let start = format!("| `{name}` |");
        let row = page.lines().find(|line| line.starts_with(&start));
        row.unwrap_or_else(|| panic!("{name} is in no table"))
    };
    let (any, wgs) = (limits("any"), limits("wgs"));
    assert_eq!(any.len(), 29);
    for ((check, any), (_, wgs)) in any.iter().zip(&wgs) {
        let row = row(check);
        assert!(row.contains(&format!("| {any} | {wgs} |")), "{any} {wgs}: {row}");
    }
    for library in TYPES.iter().filter(|library| !["any", "wgs"].contains(library)) {
        let cells: Vec<&str> = row(library).split(" | ").collect();
        for ((check, own), (_, wgs)) in limits(library).iter().zip(&wgs) {
            let off = cells[1].contains(&format!("`{check}`"));
            let other = cells[2].contains(&format!("`{check}` {own}"));
            assert_eq!(off, own != wgs && own == "off", "{library} {check} {own}");
            assert_eq!(other, own != wgs && own != "off", "{library} {check} {own}");
        }
    }
}

#[test]
fn verdicts_are_a_table_in_a_file_and_a_reason_even_if_quiet() {
    let folder = Folder::new();
    let [table, page, qc] = ["v.tsv", "p.html", "qc"].map(|name| text(&folder.path(name)));
    let bad = folder.file("bad.fq", "@r\nNNNN\n+\n####\n".repeat(200));
    let good = folder.file("good.fq", "@r\nACGTACGT\n+\nIIIIIIII\n".repeat(200));
    let args = ["stats", "--quiet", "--fail-on", "fail", "--verdicts", &table, &bad, &good];
    for more in [&[][..], &["--out-dir", &qc, "--html", &page], &["--json"], &["-T"]] {
        let run = biofast(&[&args[..], more].concat());
        assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{run:?}");
        assert!(run.stderr.contains(&format!(": fail: {bad}: verdict fail ")), "{run:?}");
        let text = std::fs::read_to_string(&table).unwrap();
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!(rows[0][..5], ["sample", "library", "check", "verdict", "value"]);
        assert!(rows.iter().all(|row| row.len() == 10), "{text}");
        let row = |sample: &str, check: &str| {
            rows.iter().find(|row| row[0] == sample && row[2] == check).unwrap().clone()
        };
        assert_eq!(row(&bad, "n-share")[3..9], ["fail", "100", "%", "above", "1", "5"]);
        assert_eq!(row(&good, "n-share")[3], "pass");
    }
    // One page of all samples, beside the files of each.
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains("<p>2 samples · ") && page.contains("✗ 2 fail")
            || page.contains("fail</span>")
    );
    let names: Vec<_> = std::fs::read_dir(&qc).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2 * 4, "{names:?}");
    // A run that passes says nothing.
    silent(&["stats", "--quiet", "-T", "--fail-on", "fail", &good]);
    // merge has it, too.
    let json = text(&folder.path("x.json"));
    ok(&["stats", "--json", &bad, "-o", &json]);
    let run = biofast(&["merge", "-q", &json, "--verdicts", &table, "--fail-on", "fail"]);
    assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{run:?}");
    assert!(std::fs::read_to_string(&table).unwrap().contains("\tn-share\tfail\t100\t"));
}

#[test]
fn a_page_of_all_samples_goes_with_the_folder_of_alignments() {
    let folder = Folder::new();
    let [page, qc] = ["p.html", "qc"].map(|name| text(&folder.path(name)));
    let sam = folder.file("a.sam", sam());
    let cut = folder.file("b.bam", "nothing");
    let run = biofast(&[
        "stats", "--quiet", "--out-dir", &qc, "--qc", "flagstat", "--html", &page, &sam, &cut,
    ]);
    assert_eq!(run.code, 2, "{run:?}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<p>2 samples · ") && page.matches("<tr class=\"faulty\">").count() == 1);
    assert!(folder.path("qc/a.flagstat").exists());
}

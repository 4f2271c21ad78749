//! `biofast filter` on good input: the reads that should come out, the same bytes however they
//! are reached.

use crate::common::{
    Folder, Run, assert_error, assert_ok, biofast, biofast_with, command, finish, ok, reads, text,
};
use biofast_testkit::container::{KINDS, Kind, bgzf, wrap};
use biofast_testkit::reference;

/// First or second reads of pairs, named p0/1, p0/2 and so on, of different lengths.
fn mates(n: usize, mate: usize) -> String {
    let text = reads("p", n + mate);
    let lines: Vec<&str> = text.lines().skip(4 * mate).collect();
    let record =
        |(i, lines): (usize, &[&str])| format!("@p{i}/{mate} x\n{}\n", lines[1..].join("\n"));
    lines.chunks(4).enumerate().map(record).collect()
}

#[test]
fn selection_equals_the_definition() {
    let folder = Folder::new();
    let input = reads("r", 500);
    let path = folder.file("x.fq", &input);
    let run = ok(&[
        "filter", "--quiet", &path, "--min-len", "40", "--max-n", "12", "--min-mean-qual", "6.5",
    ]);
    let expected: Vec<String> = reference::read(input.as_bytes())
        .0
        .into_iter()
        .filter(|r| {
            let error = r.qualities.iter().map(|&q| 10f64.powf(-f64::from(q - 33) / 10.0));
            let mean = -10.0 * (error.sum::<f64>() / r.qualities.len() as f64).log10();
            let n = r.sequence.iter().filter(|&&b| b == b'N').count();
            r.sequence.len() >= 40 && n <= 12 && mean >= 6.5
        })
        .map(|r| {
            let [name, sequence, qualities] =
                [r.definition, r.sequence, r.qualities].map(|b| String::from_utf8(b).unwrap());
            format!("@{name}\n{sequence}\n+\n{qualities}\n")
        })
        .collect();
    assert!((50..450).contains(&expected.len()), "{}", expected.len());
    assert_eq!(run.stdout, expected.concat());
}

#[test]
fn each_mate_may_have_its_own_limits_of_length() {
    let folder = Folder::new();
    let paths = [1, 2].map(|mate| folder.file(&format!("{mate}.fq"), mates(500, mate)));
    let texts = [1, 2].map(|mate| mates(500, mate));
    let lens = texts.each_ref().map(|text| text.lines().skip(1).step_by(4).map(str::len));
    let [first, second] = lens.map(Iterator::collect::<Vec<_>>);
    for (typed, least) in
        [("50,40", [50, 40]), ("50:40", [50, 40]), ("50,", [50, 0]), (":40", [0, 40])]
    {
        let args = ["filter", "--quiet", "--min-len", typed, "--max-len", ",60"];
        let run = ok(&[&args[..], &[&paths[0], &paths[1]]].concat());
        let pairs = first.iter().zip(&second);
        // What was empty before isn't refused for that.
        let kept = pairs.filter(|&(&a, &b)| a >= least[0] && (least[1]..=60).contains(&b)).count();
        assert!((20..480).contains(&kept), "{kept}");
        assert_eq!(run.stdout.lines().count(), 8 * kept, "{typed}");
    }
    for (args, message) in [
        (
            &["--min-len", "50,30", &paths[0]][..],
            "--min-len with a limit for each mate needs pairs",
        ),
        (&["--min-len", "50,30", "--max-len", "60,20"], "--min-len 30 is above --max-len 20"),
        (&["--min-len", ","], "expected one or two numbers of bases"),
        (&["--min-len", "9,9,9"], "expected one or two numbers of bases"),
        (&["--min-len", "50,30", "--preset", "trim-galore"], "takes one limit for both mates"),
    ] {
        let files: &[&str] = if args.len() == 3 { &[] } else { &[&paths[0], &paths[1]] };
        assert_error(&biofast(&[&["filter"], args, files].concat()), &[message]);
    }
}

#[test]
fn bytes_do_not_depend_on_threads_chunks_simd_or_container() {
    let folder = Folder::new();
    let inputs = [mates(4000, 1), mates(4000, 2)];
    let options = ["--min-mean-qual", "6.8", "--cut-tail", "--trim-overlap", "--max-n", "9"];
    let outputs =
        |name: &str| ["a", "b", "u", "r"].map(|o| text(&folder.path(&format!("{name}{o}"))));
    let run = |name: &str, inputs: &[String; 2], more: &[&str], isa: Option<String>| {
        let [a, b, u, r] = outputs(name);
        let mut args = vec!["filter", "--quiet", "-O", "bgzf", &inputs[0], &inputs[1]];
        args.extend([
            "-o", &a, "--out2", &b, "--unpaired1", &u, "--unpaired2", &u, "--rejected", &r,
        ]);
        args.extend(options);
        args.extend(more);
        let mut command = command(&args);
        command.envs(isa.map(|isa| ("BIOFAST_SIMD", isa)));
        assert_ok(&finish(command));
        [a, b, u, r].map(|path| std::fs::read(path).unwrap())
    };
    let plain = [0, 1].map(|i| folder.file(&format!("in{i}.fq"), &inputs[i]));
    let expected = run("ref", &plain, &["-@1"], None);
    // Several blocks each, so that their cuts could differ.
    assert!(
        expected.iter().all(|bytes| bytes.len() > 20_000),
        "{:?}",
        expected.each_ref().map(Vec::len)
    );
    for (threads, chunk) in
        [("1", "70000"), ("2", "3000"), ("2", "1000000"), ("3", "70000"), ("8", "3000")]
    {
        let more = ["-@", threads, "--chunk-size", chunk];
        assert!(run("t", &plain, &more, None) == expected, "{more:?}");
    }
    for isa in biofast_kernels::available() {
        assert!(run("s", &plain, &[], Some(isa.to_string())) == expected, "{isa}");
    }
    for kind in KINDS {
        let wrapped =
            [0, 1].map(|i| folder.file(&format!("w{i}"), wrap(kind, inputs[i].as_bytes())));
        for io in ["mmap", "read"] {
            assert!(run("k", &wrapped, &["--io", io], None) == expected, "{kind:?}");
        }
    }
}

#[test]
fn formats_follow_names_or_are_chosen() {
    let folder = Folder::new();
    let input = reads("r", 300);
    let path = folder.file("x.fq", &input);
    let magic: [(&str, &[u8]); 4] = [
        ("a.fq.gz", &[0x1f, 0x8b]),
        ("a.bgz", &[0x1f, 0x8b]),
        ("a.zst", &[0x28, 0xb5]),
        ("a.fq", b"@r0"),
    ];
    for (name, magic) in magic {
        let out = text(&folder.path(name));
        ok(&["filter", "--quiet", &path, "-o", &out]);
        let bytes = std::fs::read(&out).unwrap();
        assert!(bytes.starts_with(magic), "{name}");
        let back = biofast(&["filter", "--quiet", "--strict", &out]);
        assert_eq!((back.code, back.stdout == input), (0, true), "{name}");
        // Nothing else is left in the folder.
        std::fs::remove_file(out).unwrap();
        assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 1);
    }
    for level in ["fast", "small", "0", "12"] {
        let out = text(&folder.path("l.fq.gz"));
        ok(&["filter", "--quiet", &path, "-o", &out, "--level", level]);
        assert!(biofast(&["filter", "--quiet", &out]).stdout == input);
    }
    for wrong in [
        vec!["--level", "13", "-O", "gz"],
        vec!["--level", "fast", "-O", "zstd"],
        vec!["--level", "best", "-O", "gz"],
        vec!["--level", "3"],
        vec!["-O", "xz"],
        vec!["-O", "bz2", "--level", "0"],
    ] {
        assert_eq!(biofast(&[&["filter", &path], &wrong[..]].concat()).code, 2, "{wrong:?}");
    }
}

#[test]
fn empty_input_gives_empty_outputs() {
    let folder = Folder::new();
    for kind in [Kind::Plain, Kind::Gzip, Kind::Bgzf(100), Kind::Zstd] {
        let [empty, other] = ["1", "2"].map(|name| folder.file(name, wrap(kind, b"")));
        let [a, b, z] = ["a.fq.gz", "b.fq", "z.fq.zst"].map(|name| text(&folder.path(name)));
        ok(&["filter", "--quiet", &empty, &other, "-o", &a, "--out2", &b, "--rejected", &z]);
        assert_eq!(std::fs::read(&a).unwrap(), bgzf(b"", 1));
        assert_eq!(std::fs::read(&b).unwrap(), b"");
        let run = biofast(&["stats", "-T", &z]);
        assert!(run.code == 0 && run.stdout.contains("\t0\t"), "{run:?}");
        let run = biofast_with(&["filter", "-"], &wrap(kind, b""));
        assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    }
}

#[test]
fn interleaved_and_paired_are_the_same_pairs() {
    let folder = Folder::new();
    let (one, two) = (folder.file("1.fq", mates(700, 1)), folder.file("2.fq", mates(700, 2)));
    let interleaved = ok(&["filter", "--quiet", &one, &two]);
    let path = folder.file("i.fq.gz", bgzf(interleaved.stdout.as_bytes(), 5000));
    let [a, b] = ["a.fq", "b.fq"].map(|name| text(&folder.path(name)));
    for chunk in ["1000", "100000"] {
        ok(&[
            "filter", "--quiet", "--interleaved", &path, "-o", &a, "--out2", &b, "--chunk-size",
            chunk,
        ]);
        assert!(std::fs::read_to_string(&a).unwrap() == mates(700, 1));
        assert!(std::fs::read_to_string(&b).unwrap() == mates(700, 2));
    }
    let run = biofast(&["filter", "--quiet", "--interleaved", &path, "--min-len", "50"]);
    let names: Vec<&str> = run.stdout.lines().step_by(4).collect();
    assert!(names.len() > 100 && names.chunks(2).all(|p| p[0].replace("/1", "/2") == p[1]));
}

#[test]
fn samples_are_exact_the_same_for_mates_and_depend_on_the_seed() {
    let folder = Folder::new();
    let (one, two) = (folder.file("1.fq", mates(900, 1)), folder.file("2.fq", mates(900, 2)));
    let [a, b] = ["a.fq", "b.fq"].map(|name| text(&folder.path(name)));
    for how in [["--sample-count", "123"], ["--sample-fraction", "0.3"]] {
        let take = |seed: &str, threads: &str, files: &[&str]| {
            let args = [
                &["filter", "--quiet", "--seed", seed, "-@", threads, "--chunk-size", "2000"],
                &how[..],
                files,
            ];
            ok(&args.concat()).stdout
        };
        take("1", "3", &[&one, &two, "-o", &a, "--out2", &b]);
        let (first, second) =
            (std::fs::read_to_string(&a).unwrap(), std::fs::read_to_string(&b).unwrap());
        // One file alone gives the same reads.
        assert_eq!(first, take("1", "1", &[&one]));
        assert_eq!(second, take("1", "2", &[&two]));
        assert_ne!(first, take("2", "1", &[&one]));
        let n = first.lines().count() / 4;
        assert!(if how[0] == "--sample-count" { n == 123 } else { (200..340).contains(&n) }, "{n}");
    }
    // Pairs until both mates have enough bases together, in whatever way that is said.
    let run = |how: &[&str], threads: &str| {
        let words = ["filter", "--interleaved-out", "--seed", "3", "-@", threads, &one, &two];
        biofast(&[&words[..], how].concat())
    };
    let run_a = run(&["--sample-bases", "20K"], "1");
    let run_b = run(&["--sample-coverage", "2.5", "--genome-size", "8K"], "3");
    assert_eq!((run_a.code, &run_a.stdout), (0, &run_b.stdout), "{run_a:?}");
    let lens: Vec<usize> = run_a.stdout.lines().skip(1).step_by(4).map(str::len).collect();
    let bases: usize = lens.iter().sum();
    assert!((20_000..20_400).contains(&bases) && lens.len().is_multiple_of(2), "{bases}");
    assert!(run_a.stderr.contains(&format!("sampled {bases} of ")), "{run_a:?}");
    assert!(run(&["--sample-bases", "9G"], "2").stderr.contains("the input has no more"));
    let all = biofast(&["filter", "--quiet", "--sample-count", "5000", &one]);
    assert_eq!(all.stdout, mates(900, 1));
    let run = biofast_with(&["filter", "--sample-count", "5"], b"");
    assert!(run.code == 2 && run.stderr.contains("reads the input twice"), "{run:?}");
    let run = biofast(&["filter", "--sample-fraction", "1.5", &one]);
    assert_eq!(run.code, 2);
}

#[test]
fn head_names_and_patterns() {
    let folder = Folder::new();
    let (one, two) = (folder.file("1.fq", mates(300, 1)), folder.file("2.fq", mates(300, 2)));
    let names = |run: &Run| -> Vec<String> {
        assert_ok(run);
        run.stdout
            .lines()
            .step_by(4)
            .map(|l| l[1..].split(' ').next().unwrap().to_owned())
            .collect()
    };
    let run =
        biofast(&["filter", "--quiet", "--head", "2", &one, &two, "-@3", "--chunk-size", "500"]);
    assert_eq!(names(&run), ["p0/1", "p0/2", "p1/1", "p1/2"]);
    // What lies behind is not looked at.
    let bad = folder.file("bad.fq", mates(3, 1) + "garbage\n");
    assert_eq!(names(&biofast(&["filter", "--quiet", "--head", "3", &bad])).len(), 3);
    assert_eq!(names(&biofast(&["filter", "--quiet", "--head", "0", &one])).len(), 0);
    let list = folder.file("list", "@p7\np250/2 extra\n\nnone\r\n");
    let run = biofast(&["filter", "--quiet", "--names", &list, &one, &two]);
    assert_eq!(names(&run), ["p7/1", "p7/2", "p250/1", "p250/2"]);
    let run = biofast(&["filter", "--quiet", "--names", &list, "--invert", &one]);
    assert_eq!(names(&run).len(), 298);
    let run = biofast(&["filter", "--quiet", "--name-regex", "^p1[0-9]/", &one]);
    assert_eq!(names(&run).len(), 10);
    for wrong in
        [["--name-regex", "("], ["--names", "/no/such"], ["--head", "-1"], ["--adapter", "ACZ"]]
    {
        assert_eq!(biofast(&[&["filter", &one], &wrong[..]].concat()).code, 2, "{wrong:?}");
    }
    assert_eq!(biofast(&["filter", &one, "--invert"]).code, 2);
    assert_eq!(biofast(&["filter", &one, "--trim-overlap"]).code, 2);
    assert_eq!(biofast(&["filter", &one, &two, "-o", &list, "--out2", &list]).code, 2);
}

#[test]
fn the_summary_adds_up() {
    let folder = Folder::new();
    let (one, two) = (folder.file("1.fq", mates(800, 1)), folder.file("2.fq", mates(800, 2)));
    let json = text(&folder.path("x.json"));
    let run = ok(&[
        "filter", &one, &two, "--min-len", "45", "--max-n-percent", "15", "--summary", &json,
        "--sample-fraction", "0.9",
    ]);
    assert!(run.stderr.contains("too short") && run.stderr.contains("1600 in"), "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let number = |at: &str| report.pointer(at).and_then(|v| v.as_u64()).expect(at);
    let rejected: u64 =
        report["rejected"].as_object().unwrap().values().map(|v| v.as_u64().unwrap()).sum();
    let kept = number("/summary/after_filtering/total_reads");
    assert_eq!(number("/summary/before_filtering/total_reads"), 1600);
    assert_eq!(1600, kept + rejected);
    assert_eq!(kept as usize, run.stdout.lines().count() / 4);
    assert_eq!(number("/records/rejected/reads"), rejected);
    let results: u64 =
        report["filtering_result"].as_object().unwrap().values().map(|v| v.as_u64().unwrap()).sum();
    assert_eq!(results, 1600);
    let sum = |what: &str| {
        u64::from_str_radix(report["records"][what]["checksum"].as_str().unwrap(), 16).unwrap()
    };
    assert_eq!(sum("input"), sum("output").wrapping_add(sum("rejected")));
}

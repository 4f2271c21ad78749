//! `biofast filter` on bad input and in bad luck: exit code 2, a message, and no output file.

use std::io::Write;
use std::process::Stdio;

use crate::common::{Folder, assert_error, biofast, command, fails, listed, ok, reads, text};
use biofast_testkit::container::{Kind, bgzf, gzip, wrap};

#[test]
fn faulty_input_leaves_no_output() {
    let (inputs, outputs) = (Folder::new(), Folder::new());
    let good = reads("r", 3000);
    let mut cases: Vec<(String, &str)> = Vec::new();
    for kind in [Kind::Gzip, Kind::Bgzf(4000), Kind::Zstd] {
        let whole = wrap(kind, good.as_bytes());
        cases.push((inputs.file(&format!("{kind:?}"), &whole[..whole.len() * 2 / 3]), "truncated"));
    }
    let mut flipped = bgzf(good.as_bytes(), 4000);
    let at = flipped.len() / 2;
    flipped[at] ^= 0x10;
    cases.push((inputs.file("flipped", flipped), "corrupt"));
    cases.push((inputs.file("short", format!("{good}@x\nACGT\n+\nIII\n")), "record 3001"));
    cases.push((inputs.file("control", format!("{good}@x\nAC\n+\nI\x01\n")), "record 3001"));
    cases.push((inputs.file("cut", format!("{good}@x\nAC\n")), "truncated"));
    for (path, needed) in &cases {
        for threads in ["1", "2", "4"] {
            for name in ["o.fq.gz", "o.fq"] {
                let out = text(&outputs.path(name));
                let json = text(&outputs.path("x.json"));
                fails(
                    &["filter", path, "-o", &out, "--summary", &json, "-@", threads],
                    &[needed, path],
                );
                assert_eq!(listed(&outputs), [""; 0], "{path}");
            }
        }
        // To a pipe, no more than the good reads, and BGZF without its end.
        let run = biofast(&["filter", path, "--quiet"]);
        assert!(run.code == 2 && good.starts_with(&run.stdout), "{path}");
        let mut command = command(&["filter", path, "--quiet", "-O", "bgzf"]);
        let output = command.stderr(Stdio::null()).output().unwrap();
        assert!(!output.stdout.ends_with(&bgzf(b"", 1)), "{path}");
    }
}

#[test]
fn an_older_output_survives_a_failed_run() {
    let folder = Folder::new();
    let bad = folder.file("bad.fq", "@x\nA\n+\nII\n");
    let out = folder.file("o.fq", "precious");
    fails(&["filter", &bad, "-o", &out], &["record 1"]);
    assert_eq!(std::fs::read(&out).unwrap(), b"precious");
}

#[test]
fn mates_out_of_step_are_errors_naming_the_record() {
    let (folder, outputs) = (Folder::new(), Folder::new());
    let r1 = folder.file("r1.fq", reads("p", 900));
    let swapped = reads("p", 900).replace("@p500 ", "@q500 ");
    let r2 = folder.file("r2.fq.gz", gzip(swapped.as_bytes()));
    let longer = folder.file("r3.fq.gz", bgzf(reads("p", 901).as_bytes(), 3000));
    let firsts =
        ["a_1.fq", "copy_1.fq"].map(|name| folder.file(name, "@a/1\nA\n+\nI\n@b/1\nA\n+\nI\n"));
    let odd = folder.file("odd.fq", "@a\nA\n+\nI\n@a\nA\n+\nI\n@b\nA\n+\nI\n");
    let [o1, o2] = ["o1.fq.gz", "o2.fq"].map(|name| text(&outputs.path(name)));
    for threads in ["1", "2", "3"] {
        let run = |inputs: &[&str]| {
            let args = [
                &["filter", "-@", threads, "--chunk-size", "5000", "-o", &o1, "--out2", &o2],
                inputs,
            ];
            let run = biofast(&args.concat());
            assert_eq!(listed(&outputs), [""; 0], "{inputs:?}");
            run
        };
        assert_error(
            &run(&[&r1, &r2]),
            &["r1.fq: record 501", "different names: 'p500' and 'q500'"],
        );
        for pair in [[&r1, &longer], [&longer, &r1]] {
            assert_error(
                &run(&[pair[0], pair[1]]),
                &["r3.fq.gz: record 901", "'p900' has no mate", "r1.fq ends"],
            );
        }
        assert_error(&run(&[&firsts[0], &firsts[1]]), &["record 1", "a second read was expected"]);
        assert_error(&run(&["--interleaved", &odd]), &["record 3", "'b' has no mate"]);
        assert_error(&run(&["--interleaved", &r1]), &["record 1", "'p0' and 'p1'"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new();
    for n in [1, 5000] {
        let input = folder.file("x.fq", reads("r", n));
        for format in ["plain", "bgzf", "zstd"] {
            fails(
                &["filter", &input, "-O", format, "-o", "/dev/full"],
                &["/dev/full", "No space left"],
            );
            let mut command = command(&["filter", &input, "-O", format]);
            command.stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
            let output =
                command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{n} {format}");
        }
        let out = text(&folder.path("o.fq"));
        fails(
            &["filter", &input, "-o", &out, "--rejected", "/dev/full", "--min-len", "1000"],
            &["/dev/full"],
        );
        assert!(!folder.path("o.fq").exists());
        fails(&["filter", &input, "--quiet", "--summary", "/dev/full"], &["/dev/full"]);
    }
    fails(&["filter", &folder.file("x", reads("r", 1)), "-o", "/no/such/o.fq"], &["/no/such/o.fq"]);
}

#[test]
fn a_closed_pipe_is_not_an_error_and_files_become_complete() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 20_000));
    let rejected = text(&folder.path("rejected.fq"));
    for more in [vec![], vec!["--min-len", "1000", "--rejected", &rejected]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = command(&[&["filter", "--quiet", &input], &more[..]].concat());
        let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        // The parent's copy of the pipe goes with the command.
        drop(command);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(folder.path("rejected.fq").exists(), !more.is_empty());
    }
    assert_eq!(std::fs::read_to_string(&rejected).unwrap().lines().count(), 80_000);
}

#[test]
fn no_input_is_replaced_by_reads_of_another() {
    let folder = Folder::new();
    let [one, two] = ["1.fq", "2.fq"].map(|name| folder.file(name, reads("r", 3)));
    let other = text(&folder.path("o.fq"));
    for arguments in [
        vec![&*one, &*two, "-o", &*two, "--out2", &*other],
        vec![&*one, &*two, "-o", &*other, "--out2", &*one],
        vec![&*one, &*two, "-o", &*one, "--interleaved-out"],
        vec![&*one, &*two, "-o", &*one, "--out2", &*two],
        vec![&*one, "-o", &*other, "--min-len", "1", "--rejected", &*one],
    ] {
        fails(&[&["filter"], &arguments[..]].concat(), &["is an input and would be overwritten"]);
        assert_eq!(listed(&folder).len(), 2, "{:?}", listed(&folder));
    }
    let linked = text(&folder.path("linked.fq"));
    std::fs::hard_link(&one, &linked).expect("a link");
    for again in [&one, &linked] {
        for command in
            [&["filter", "-o", &*other][..], &["stats", "--paired"], &["check", "--paired"]]
        {
            fails(&[command, &[&*one, &**again]].concat(), &["is named twice"]);
        }
    }
}

/// Makes named pipes.
#[cfg(unix)]
fn pipes(folder: &Folder) -> [String; 2] {
    let paths = ["1.pipe", "2.pipe"].map(|name| text(&folder.path(name)));
    let made = std::process::Command::new("mkfifo").args(&paths).status().expect("mkfifo");
    assert!(made.success());
    paths
}

#[cfg(unix)]
#[test]
fn one_program_may_feed_both_mates_through_named_pipes() {
    let folder = Folder::new();
    let [one, two] = pipes(&folder);
    // Far more than pipes hold, and than is read at once.
    let mates = ["/1", "/2"].map(|end| reads("r", 25_000).replace(" x\n", &format!("{end}\n")));
    let expected = [mates[0].clone(), mates[1].clone()];
    let [o1, o2] = ["1.fq", "2.fq"].map(|name| text(&folder.path(name)));
    // In turn, record by record; the first one by 1 MB ahead; and the second one opened first.
    for (ahead, swapped) in [(0, false), (1 << 20, false), (0, true)] {
        for command in [
            &["filter", "--quiet", "-o", &*o1, "--out2", &*o2][..],
            &["filter", "--quiet", "-o", &*o1, "--out2", &*o2, "--detect-adapter"],
            &["filter", "--quiet", "-o", &*o1, "--out2", &*o2, "-@", "1"],
            &["stats", "--paired", "-@", "1"],
            &["check", "--paired", "-@", "1"],
        ] {
            let paths =
                if swapped { [two.clone(), one.clone()] } else { [one.clone(), two.clone()] };
            let mut texts = mates.clone();
            if swapped {
                texts.swap(0, 1);
            }
            let writer = std::thread::spawn(move || {
                let open = |path: &String| std::fs::File::options().write(true).open(path).unwrap();
                let mut files = paths.each_ref().map(open);
                let mut rest = texts.each_ref().map(|text| text.as_bytes());
                let mut put = |mate: usize, n: usize| {
                    let (now, later) = rest[mate].split_at(n.min(rest[mate].len()));
                    files[mate].write_all(now).unwrap();
                    rest[mate] = later;
                    !later.is_empty()
                };
                put(0, ahead);
                while put(0, 97) | put(1, 97) {}
            });
            let run = ok(&[command, &[&*one, &*two]].concat());
            writer.join().unwrap();
            if command[0] != "filter" {
                assert_eq!(
                    run.stdout.replace("25,000", "25000").matches("25000").count(),
                    2,
                    "{run:?}"
                );
                continue;
            }
            for (path, expected) in [&o1, &o2].into_iter().zip(&expected) {
                assert!(std::fs::read_to_string(path).unwrap() == *expected, "{path}");
            }
        }
    }
}

#[test]
fn a_name_that_promises_what_isnt_written_is_refused() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 3));
    let bam = text(&folder.path("x.bam"));
    ok(&["import", "--quiet", &input, "-o", &bam]);
    let before = listed(&folder).len();
    for (command, input, name, needed) in [
        ("filter", &input, "o.fa", "would hold FASTQ, but its extension is"),
        ("filter", &input, "o.fasta.gz", "would hold FASTQ, but its extension is"),
        ("filter", &input, "o.FNA", "would hold FASTQ, but its extension is"),
        ("filter", &input, "o.bam", "to convert reads to BAM use `biofast import`"),
        ("filter", &input, "o.cram", "would hold FASTQ, but its extension is .cram"),
        ("filter", &bam, "o.fa", "its extension is .fa"),
        ("fastq", &bam, "o.fa", "would hold FASTQ, but its extension is"),
        ("fastq", &bam, "o.cram", "FASTQ"),
        ("view", &bam, "o.fa", "its extension is .fa"),
        ("import", &input, "o.sam", "would hold BAM, but its extension is .sam"),
        ("import", &input, "o.fq", "would hold BAM, but its extension is .fq"),
        ("import", &input, "o.fa", "would hold BAM, but its extension is .fa"),
    ] {
        let out = text(&folder.path(name));
        fails(&[command, input, "-o", &out], &[name, needed]);
        assert_eq!(listed(&folder).len(), before, "{command} {name}");
    }
    let out = text(&folder.path("o.cram"));
    for command in [&["view", "-b"][..], &["filter", "-b"]] {
        fails(
            &[command, &[&bam, "-o", &out]].concat(),
            &["o.cram would hold BAM, but its extension is .cram"],
        );
    }
    fails(&["filter", "-O", "plain", &input, "-o", "o.fa"], &["its extension is .fa"]);
}

#[test]
fn names_that_arent_there_are_counted_and_told() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 30));
    let bam = text(&folder.path("x.bam"));
    ok(&["import", "--quiet", &input, "-R", "g", "-o", &bam]);
    let json = text(&folder.path("j"));
    let out = |name: &str| text(&folder.path(name));
    for (input, option, out) in [(&input, "--names", out("o.fq")), (&bam, "-N", out("o.bam"))] {
        for (list, figures, warning) in [
            ("r3\nr3\nr29\n", [2, 2], None),
            (
                "nobody\nr3\nr30\n",
                [3, 1],
                Some("2 of 3 listed names not found in the input, such as 'nobody'"),
            ),
            ("", [0, 0], None),
        ] {
            let list = folder.file("list", list);
            for threads in ["1", "3"] {
                let args =
                    ["filter", option, &list, "--summary", &json, "-@", threads, input, "-o"];
                let run = ok(&[&args[..], &[&out]].concat());
                assert_eq!(run.stderr.contains("warning"), warning.is_some(), "{run:?}");
                assert!(run.stderr.contains(warning.unwrap_or_default()), "{run:?}");
                let report = std::fs::read_to_string(&json).unwrap();
                let report: serde_json::Value = serde_json::from_str(&report).unwrap();
                let names = &report["listed_names"];
                assert_eq!(
                    [&names["listed"], &names["found"]].map(|n| n.as_u64().unwrap()),
                    figures
                );
            }
        }
    }
    // Read groups that the header doesn't have.
    let run = biofast(&["filter", "-c", "-r", "other", "-r", "g", &bam]);
    assert!(run.stderr.contains("read group 'other' is not in the header"), "{run:?}");
    assert!(biofast(&["filter", "-c", "-r", "g", &bam]).stderr.is_empty());
}

#[test]
fn a_reference_that_isnt_there_or_isnt_needed_is_told() {
    let folder = Folder::new();
    let sam = folder.file("x.sam", "@SQ\tSN:c\tLN:9\nr\t0\tc\t1\t9\t2M\t*\t0\t0\tAC\tII\n");
    let bam = text(&folder.path("x.bam"));
    ok(&["view", "-b", &sam, "-o", &bam]);
    let fasta = folder.file("c.fa", ">c\nACGTACGTA\n");
    let reads = folder.file("x.fq", reads("r", 3));
    fails(&["stats", "-r", "absent.fa", &reads], &["absent.fa: can't read the reference"]);
    let run = biofast(&["stats", "-r", &fasta, &reads]);
    assert!(run.code == 0 && run.stderr.contains("is not needed: FASTQ"), "{run:?}");
    for input in [&sam, &bam] {
        for option in [["view", "-T"], ["filter", "-T"], ["fastq", "--reference"], ["stats", "-r"]]
        {
            fails(
                &[option[0], option[1], "absent.fa", input],
                &["absent.fa: can't read the reference"],
            );
            let run = ok(&[option[0], option[1], &fasta, input]);
            assert!(run.stderr.contains("is not needed"), "{option:?}: {run:?}");
        }
    }
}

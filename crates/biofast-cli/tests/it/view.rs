//! `biofast view` prints and writes the same at any number of threads.

use std::path::Path;

use biofast_testkit::sam::{self, SamShape};

use crate::common::view::shape;
use crate::common::{self, Folder, biofast, biofast_with, command, fails, ok};

#[test]
fn what_an_expression_has_no_answer_for_is_an_error_after_the_records_before() {
    let folder = Folder::new();
    let text = "@SQ\tSN:c\tLN:9\nr1\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXX:i:3\n\
                r2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXX:Z:a\nr3\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXX:B:c,1\n";
    let path = folder.file("a.sam", text);
    for extra in [&[][..], &["-c"], &["-c", "-@", "3", "--chunk-size", "50"]] {
        let run = biofast(&[&["view", "-e", "[XX] + 1 > 3", &path], extra].concat());
        assert_eq!(run.code, 2, "{}", run.stderr);
        let reason = "a.sam: record 2: can't evaluate the filter for record 'r2': byte 5 of the \
                      expression: expected a number for `+`, found text";
        assert!(run.stderr.contains(reason), "{}", run.stderr);
        assert_eq!(run.stdout.starts_with("r1\t"), extra.is_empty());
    }
    // A mistake is told before anything is read or written.
    let out = common::text(&folder.path("out.bam"));
    fails(
        &["view", "-e", "mapq > ", "-o", &out, "/nonexistent.bam"],
        &["at byte 7: expected a value, found the end"],
    );
    assert!(!Path::new(&out).exists());
}

#[test]
fn threads_chunks_and_kernels_do_not_show() {
    let folder = Folder::new();
    let shape = SamShape { oddities: true, ..shape(3, 1500) };
    let path = folder.file("a.sam", sam::text(&shape));
    let run = |extra: &[&str], simd: &str, bam: bool| {
        let out = folder.path("out");
        let out_text = common::text(&out);
        let mut command = command(&["view", "-h", "--no-PG", &path, "-o", &out_text]);
        command.args(extra).env("BIOFAST_SIMD", simd);
        if bam {
            command.arg("-b");
        }
        assert_eq!(common::finish(command).code, 0, "{extra:?} {simd}");
        std::fs::read(out).unwrap()
    };
    for bam in [false, true] {
        let expected = run(&["-@", "1"], "scalar", bam);
        assert!(expected.len() > 50_000);
        for threads in ["2", "3", "4"] {
            for chunk in ["1000", "30000", "4000000"] {
                let found = run(&["-@", threads, "--chunk-size", chunk], "scalar", bam);
                assert!(found == expected, "{threads} threads, chunks of {chunk}, BAM: {bam}");
            }
        }
        for simd in ["avx2", "avx512", "neon"] {
            let probe = command(&["view", "-H", &path]).env("BIOFAST_SIMD", simd).output().unwrap();
            if probe.status.success() {
                assert!(run(&["-@", "2"], simd, bam) == expected, "{simd}, BAM: {bam}");
            }
        }
    }
}

#[test]
fn an_own_program_line_goes_on_from_the_others() {
    let text = "@SQ\tSN:c\tLN:9\n@PG\tID:a\n@PG\tID:biofast\tPP:a\n";
    let run = biofast_with(&["view", "-H", "-"], text.as_bytes());
    let version = env!("CARGO_PKG_VERSION");
    let line =
        format!("@PG\tID:biofast.1\tPN:biofast\tPP:biofast\tVN:{version}\tCL:biofast view -H -\n");
    assert_eq!(run.stdout, format!("{text}{line}"));
    assert_eq!(biofast_with(&["view", "-H", "--no-PG", "-"], text.as_bytes()).stdout, text);
}

#[test]
fn what_goes_wrong_leaves_no_file() {
    let folder = Folder::new();
    let path = folder.file("a.sam", sam::text(&shape(3, 2000)));
    let bam = common::text(&folder.path("a.bam"));
    ok(&["view", "-b", &path, "-o", &bam]);
    let whole = std::fs::read(&bam).unwrap();
    let before = std::fs::read_dir(folder.path("")).unwrap().count();
    for len in [whole.len() - 28, whole.len() - 40, whole.len() / 2, 300, 10] {
        let cut = folder.file("a.bam", &whole[..len]);
        for extra in [&["-b"][..], &[]] {
            let out = common::text(&folder.path("out.bam"));
            fails(&[&["view", &cut, "-o", &out], extra].concat(), &["a.bam"]);
            assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), before);
        }
    }
    if Path::new("/dev/full").exists() {
        fails(&["view", "-h", &path, "-o", "/dev/full"], &["/dev/full"]);
    }
}

#[test]
fn a_record_that_is_no_text_is_named() {
    let mut data = biofast_testkit::bam::header(&[("c", 100)]);
    let mut record = biofast_testkit::bam::record(&biofast_testkit::bam::BamRecord {
        references: [-1, -1],
        mapq: 0,
        flags: 4,
        name: "odd".into(),
        len: 4,
    });
    let last = record.len() - 1;
    record[last] = 94;
    data.extend(record);
    let bam = biofast_testkit::container::bgzf(&data, 1000);
    let run = biofast_with(&["view", "-"], &bam);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("'odd'") && run.stderr.contains("above 93"), "{}", run.stderr);
    assert_eq!(biofast_with(&["view", "-c", "-"], &bam).stdout, "1\n");
}

#[test]
fn records_are_selected_by_content_as_in_filter() {
    let folder = Folder::new();
    let path = folder.file("in.sam", crate::common::cat::grouped(&folder));
    let all = biofast(&["view", &path]).stdout;
    let names: Vec<&str> = all.lines().step_by(5).filter_map(|l| l.split('\t').next()).collect();
    let names = folder.file("names.txt", names.join("\n") + "\nabsent\n");
    let groups = folder.file("groups.txt", "known\n");
    let values = format!("RG:{groups}");
    for words in [
        &["-r", "known"][..],
        &["-R", &groups],
        &["-N", &names],
        &["-d", "RG"],
        &["-d", "RG:other", "-s", "3.4"],
        &["-D", &values, "-F", "16"],
        &["--subsample", "0.5", "--subsample-seed", "9", "-q", "1"],
    ] {
        let view = biofast(&[&["view", "-h", "--no-PG"], words, &[&path]].concat());
        let filter =
            biofast(&[&["filter", "-h", "-O", "sam", "--no-PG"], words, &[&path]].concat());
        assert!(view.stdout == filter.stdout && view.code == 0, "{words:?}: {}", view.stderr);
        assert_eq!(view.stderr.contains("'absent'"), words[0] == "-N", "{view:?}");
        let records = view.stdout.lines().filter(|line| !line.starts_with('@')).count();
        assert!(records > 0 && records < all.lines().count(), "{words:?}");
        let count = biofast(&[&["view", "-q", "0", "-c"], words, &[&path]].concat());
        if !words.contains(&"-q") {
            assert_eq!(count.stdout, format!("{records}\n"), "{words:?}");
        }
    }
    for (words, expected) in [
        (&["-N", "absent.txt"][..], &["absent.txt"][..]),
        (&["-d", "RGX"], &["expected a tag of two characters"]),
        (&["-s", "x"], &["expected a seed and a fraction"]),
        (&["-H", "-N", &names], &["--qname-file has no effect with --header-only"]),
    ] {
        let run = biofast(&[&["view"], words, &[&path]].concat());
        assert!(expected.iter().all(|text| run.stderr.contains(text)), "{words:?}: {run:?}");
    }
}

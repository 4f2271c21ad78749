//! `biofast filter --keep-percent` and `--target-bases`: the reads that Filtlong keeps.

use biofast_testkit::container::{KINDS, wrap};

use crate::common::best::long_reads;
use crate::common::{Folder, biofast, biofast_with, listed, ok, reads, refused, text};

#[test]
fn files_and_streams_in_any_container_give_the_same_bytes_on_any_threads() {
    let folder = Folder::new();
    let all = long_reads(120, 3);
    let mut first: Option<String> = None;
    for (i, kind) in KINDS.into_iter().enumerate() {
        let bytes = wrap(kind, all.as_bytes());
        let input = folder.file(&format!("{i}.in"), &bytes);
        let threads = ["1", "2", "4"][i % 3];
        let args =
            ["filter", "--quiet", "--keep-percent", "55", "-@", threads, "--chunk-size", "5000"];
        for run in [
            biofast(&[&args[..], &[&input]].concat()),
            biofast_with(&[&args[..], &["-"]].concat(), &bytes),
        ] {
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{kind:?}");
            assert!(first.as_ref().is_none_or(|first| *first == run.stdout), "{kind:?}");
            first = Some(run.stdout);
        }
    }
    let kept = first.unwrap();
    assert!(!kept.is_empty() && kept.len() < all.len());
}

#[test]
fn what_is_not_among_the_best_is_rejected_by_that_name_and_trimming_comes_first() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let input = folder.file("x.fq", long_reads(150, 4));
    let json = at("o.json");
    let args = ["filter", &input, "--crop-front", "40", "--min-len", "500", "--keep-percent", "40"];
    let run =
        ok(&[&args[..], &["-o", &at("o.fq"), "--rejected", &at("r.fq"), "--summary", &json]]
            .concat());
    assert!(run.stderr.contains("were requested"), "{run:?}");
    ok(&["check", "-q", "--against", &json]);
    let kept = std::fs::read_to_string(folder.path("o.fq")).unwrap();
    let rejected = std::fs::read_to_string(folder.path("r.fq")).unwrap();
    assert_eq!((kept.lines().count() + rejected.lines().count()) / 4, 150);
    assert!(
        rejected.contains("rejected=not_among_best") && rejected.contains("rejected=too_short")
    );
    let bases =
        |text: &str| -> Vec<usize> { text.lines().skip(1).step_by(4).map(str::len).collect() };
    let total: usize = bases(&std::fs::read_to_string(&input).unwrap()).iter().sum();
    let (sum, longest) = (bases(&kept).iter().sum::<usize>(), *bases(&kept).iter().max().unwrap());
    let target = total * 2 / 5;
    assert!(sum >= target && sum < target + longest, "{sum} of {total}");
}

#[test]
fn what_cannot_be_is_said() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let input = folder.file("x.fq", long_reads(20, 5));
    folder.file("cut.fq", &long_reads(20, 5)[..9000]);
    folder.file("p.fq", reads("p", 10));
    let bam = at("x.bam");
    ok(&["convert", "-q", &input, "-o", &bam]);
    let before = listed(&folder).len();
    let out = at("o.fq");
    for (line, needed) in [
        ("filter x.fq --keep-percent 0", "invalid value 0 for --keep-percent"),
        ("filter x.fq --keep-percent 101", "invalid value 101 for --keep-percent"),
        ("filter x.fq --keep-percent NaN", "invalid value NaN for --keep-percent"),
        (
            "filter x.fq --keep-percent 50 --length-weight=-1",
            "invalid value -1 for --length-weight",
        ),
        ("filter p.fq x.fq --target-bases 50", "single reads"),
        ("filter p.fq --interleaved --target-bases 50", "single reads"),
        ("filter x.fq --keep-percent 50 --adapter-kit ligation", "--middle"),
        ("filter x.bam --keep-percent 50", "--keep-percent"),
        ("filter cut.fq --keep-percent 50 -o o.fq", "cut.fq … truncated"),
        (
            "filter x.fq --keep-percent 50 --temp-dir /nowhere -o o.fq",
            "--temp-dir /nowhere: no such folder",
        ),
    ] {
        refused(&folder, line, needed);
    }
    assert_eq!(listed(&folder).len(), before, "{:?}", listed(&folder));
    let run = biofast(&["filter", &input, "--window-size", "9", "-o", &out]);
    assert!(run.stderr.contains("--window-size has no effect without --keep-percent"), "{run:?}");
    // Of no reads and of reads without bases all are kept.
    for few in ["", "@a\n\n+\n\n"] {
        let run = biofast_with(&["filter", "--quiet", "--keep-percent", "50", "-"], few.as_bytes());
        assert_eq!((run.code, run.stdout.as_str()), (0, few), "{run:?}");
    }
}

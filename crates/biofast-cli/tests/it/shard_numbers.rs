//! Every command whose reports of shards are merged, with few shards and with many: what all give together is one run's, byte for
//! byte. The commands run in this process, so that a thousand shards take no thousand programs.

use std::ffi::OsString;
use std::path::Path;

use biofast_cli::{Outcome, Run};
use biofast_testkit::container::{bgzf, gunzip, gzip};
use biofast_testkit::sam::{self, SamShape};

use crate::common::{Folder, reads};
use crate::effort::{Effort, in_two_tiers};

/// A command of shards, how they are merged, and the run that gives the same.
struct Case {
    files: &'static [&'static str],
    part: &'static [&'static str],
    merge: &'static [&'static str],
    one: &'static [&'static str],
}

const BAM: &[&str] = &["aln.bam"];
const PAIRS: &[&str] = &["R1.fq.bgz", "R2.fq.gz"];
const GZIP: &[&str] = &["R2.fq.gz"];
const STATS: &[&str] = &["stats", "--json"];
const CHECK: &[&str] = &["check", "--json"];
const FLAGSTAT: &[&str] = &["flagstat", "-O", "json"];

const CASES: [Case; 9] = [
    Case { files: BAM, part: STATS, merge: &["--json"], one: STATS },
    Case { files: BAM, part: FLAGSTAT, merge: &["--json"], one: FLAGSTAT },
    Case { files: BAM, part: &["idxstats"], merge: &[], one: &["idxstats"] },
    Case { files: BAM, part: &["coverage"], merge: &[], one: &["coverage"] },
    Case { files: BAM, part: CHECK, merge: &["--json"], one: CHECK },
    Case { files: PAIRS, part: STATS, merge: &["--json"], one: STATS },
    Case { files: PAIRS, part: CHECK, merge: &["--json"], one: CHECK },
    Case { files: GZIP, part: STATS, merge: &["--json"], one: STATS },
    Case { files: GZIP, part: CHECK, merge: &["--json"], one: CHECK },
];

fn run(words: impl IntoIterator<Item = OsString>) -> Outcome {
    let outcome = Run::new(words).run();
    assert_eq!(outcome.code, 0, "{:?}", outcome.messages);
    outcome
}

fn words<'a>(words: &'a [&str]) -> impl Iterator<Item = OsString> + 'a {
    words.iter().map(OsString::from)
}

/// Files of a few thousand records, in the folder.
fn write_files(folder: &Folder) {
    let shape = SamShape { records: 1500, sorted: true, longest: 80, oddities: true, seed: 11 };
    folder.file("x.sam", sam::text(&shape));
    let view = words(&["view", "-b", "--no-PG"]);
    let (sam, bam) = (folder.path("x.sam"), folder.path("x.bam"));
    run(view.chain([sam.into(), "-o".into(), bam.clone().into()]));
    folder.file("aln.bam", bgzf(&gunzip(&std::fs::read(bam).unwrap()).unwrap(), 900));
    let text = reads("r", 1200);
    folder.file("R1.fq.bgz", bgzf(text.as_bytes(), 700));
    // Three members, which end within reads.
    let members: Vec<Vec<u8>> = text.as_bytes().chunks(text.len() / 3 + 1).map(gzip).collect();
    folder.file("R2.fq.gz", members.concat());
    run(words(&["index"]).chain([folder.path("R2.fq.gz").into()]));
}

fn are_as_one(numbers: &[usize]) {
    let folder = Folder::new();
    write_files(&folder);
    for Case { files, part, merge, one } in &CASES {
        let paths = || files.iter().map(|file| folder.path(file).into_os_string());
        let whole = run(words(one).chain(paths())).stdout;
        assert!(!whole.is_empty());
        for &n in numbers {
            let plan = folder.path("plan.json");
            let number = n.to_string();
            let shards = ["shards", "-q", "--number", &number, "-o"];
            run(words(&shards).chain([plan.clone().into()]).chain(paths()));
            let parts = parts(&folder, &plan, n, part);
            let merged = run(words(&["merge"]).chain(words(merge)).chain(parts));
            assert!(merged.stdout == whole, "{part:?} of {files:?} in {n} shards");
        }
    }
}

/// The reports of all shards.
fn parts(folder: &Folder, plan: &Path, n: usize, part: &[&str]) -> Vec<OsString> {
    let one = |number: usize| {
        let mut shard = plan.as_os_str().to_owned();
        shard.push(format!("#{number}/{n}"));
        let to = folder.path(&format!("part{number}"));
        let rest = ["-@".into(), "1".into(), "--shard".into(), shard, "-o".into()];
        run(words(part).chain(rest).chain([to.clone().into()]));
        to.into_os_string()
    };
    (1..=n).map(one).collect()
}

fn every_report_of_up_to_a_hundred_shards_is_that_of_one_run(effort: Effort) {
    are_as_one(&effort.shards(&[1, 2, 7, 100]));
}

#[test]
#[ignore = "takes minutes: 9,000 runs"]
fn every_report_of_a_thousand_shards_is_that_of_one_run() {
    are_as_one(&[1000]);
}

in_two_tiers!(every_report_of_up_to_a_hundred_shards_is_that_of_one_run);

//! `stats --out-dir` of alignments: from one reading the files that commands of their own write.

use biofast_testkit::sam::{self, SamShape};

use crate::common::coverage::{at, content, folder};
use crate::common::stats_qc::{files, names, run, write_one_by_one};
use crate::common::{self, Folder, biofast, fails, listed, ok, ok_with};

const DEPTHS: [&[&str]; 6] = [
    &[],
    &["-x", "-n"],
    &["-b", "100", "-m"],
    &["-b", "BED", "--thresholds", "1,3,2", "--quantize", "0:1:4:", "-n"],
    &["-b", "7", "-Q", "20", "-F", "0"],
    &["-x", "-i", "16", "-F", "4", "-R", "A"],
];

#[test]
fn files_are_those_of_commands_of_their_own() {
    for (seed, depths) in (31..).zip(DEPTHS) {
        let folder = folder(seed);
        let (bam, bed) = (at(&folder, "x.bam"), at(&folder, "x.bed"));
        let depths: Vec<&str> =
            depths.iter().map(|option| if *option == "BED" { &bed[..] } else { option }).collect();
        // Of `stats` these letters mean something else.
        let of_coverage = depths.iter().map(|option| match *option {
            "--thresholds" => "-T",
            "--quantize" => "-q",
            option => option,
        });
        let of_coverage: Vec<&str> = of_coverage.collect();
        write_one_by_one(&folder, &bam, &of_coverage, &[]);
        let expected = files(&folder, "own");
        assert!(names(&expected).len() >= 8, "{:?}", names(&expected));
        let out = at(&folder, "qc");
        for threads in ["1", "2", "5"] {
            let all = ["stats", "--quiet", &bam, "--out-dir", &out, "-@", threads];
            run(&[&all[..], &["--chunk-size", "3000"], &depths].concat());
            let found = files(&folder, "qc");
            assert_eq!(names(&found), names(&expected));
            for (found, expected) in found.iter().zip(&expected) {
                assert!(found.1 == expected.1, "{} on {threads} threads: {depths:?}", found.0);
            }
        }
    }
}

#[test]
fn odd_records_and_sam_make_no_difference() {
    for seed in 1..4 {
        let folder = Folder::new();
        let shape = SamShape { records: 800, sorted: true, longest: 150, oddities: seed > 1, seed };
        let text = sam::text(&shape);
        let (sam, fasta) = (folder.file("x.sam", &text), folder.file("ref.fa", sam::fasta(seed)));
        for reference in [&["-r", &fasta[..]][..], &[]] {
            write_one_by_one(&folder, &sam, &[], reference);
            let out = at(&folder, "qc");
            run(&[&["stats", "--quiet", &sam, "--out-dir", &out], reference].concat());
            let (found, expected) = (files(&folder, "qc"), files(&folder, "own"));
            assert_eq!(names(&found), names(&expected));
            for (found, expected) in found.iter().zip(&expected) {
                assert!(found.1 == expected.1, "{} of {sam}", found.0);
            }
        }
        // From a pipe, under a name of its own.
        let out = at(&folder, "piped");
        let args = [
            "stats", "--quiet", "-", "--sample", "s", "--out-dir", &out, "--qc",
            "coverage,idxstats",
        ];
        ok_with(&args, text.as_bytes());
        let piped = files(&folder, "piped");
        assert_eq!(names(&piped), ["s.idxstats", "s.mapped.coverage"]);
        for ((_, found), name) in piped.iter().zip(["idxstats", "mapped.coverage"]) {
            assert!(*found == std::fs::read(folder.path(&format!("own/x.{name}"))).unwrap());
        }
    }
}

#[test]
fn of_regions_there_is_what_can_be_had() {
    let folder = folder(41);
    let bam = at(&folder, "x.bam");
    let region = ["--region", "c2:100-60000"];
    let out = at(&folder, "qc");
    run(&[&["stats", "--quiet", &bam, "--out-dir", &out], &region[..]].concat());
    let found = files(&folder, "qc");
    assert_eq!(names(&found), ["x.biofast.html", "x.biofast.json", "x.flagstat", "x.idxstats"]);
    let html = at(&folder, "own.html");
    let json = run(&[&["stats", "--quiet", "--json", &bam, "--html", &html], &region[..]].concat());
    assert!(found[1].1 == json.as_bytes() && found[0].1 == content(&html));
    for (name, found) in &found[2..] {
        let command = name.strip_prefix("x.").unwrap();
        assert!(*found == run(&[&[command, "--quiet", &bam], &region[..]].concat()).into_bytes());
    }
    let wanted = ["stats", &bam, "--out-dir", &out, "--qc", "flagstat,mosdepth"];
    fails(&[&wanted[..], &region].concat(), &["--qc mosdepth", "regions"]);
}

#[test]
fn only_what_is_listed_is_written_and_each_input_has_its_own() {
    let folder = folder(61);
    let bam = at(&folder, "x.bam");
    let damaged = std::fs::read(&bam).unwrap();
    let damaged = folder.file("damaged.bam", &damaged[..damaged.len() / 2]);
    let out = at(&folder, "qc");
    run(&["stats", "--quiet", &bam, "--out-dir", &out, "--qc", "idxstats"]);
    assert_eq!(names(&files(&folder, "qc")), ["x.idxstats"]);
    let two = ["stats", &damaged, &bam, "--out-dir", &out, "--qc", "flagstat,mosdepth", "-n"];
    fails(&two, &["damaged.bam", "truncated"]);
    assert_eq!(
        names(&files(&folder, "qc")),
        ["x.flagstat", "x.idxstats", "x.mosdepth.global.dist.txt", "x.mosdepth.summary.txt"]
    );
    let same = ["stats", &bam, &bam, "--out-dir", &out, "--sample", "s"];
    fails(&same, &["two inputs", "to s"]);
}

#[test]
fn what_is_wrong_is_said_and_nothing_appears() {
    let folder = folder(71);
    let (bam, bed, out) = (at(&folder, "x.bam"), at(&folder, "x.bed"), at(&folder, "qc"));
    let line = |position| format!("r\t0\tc\t{position}\t9\t1M\t*\t0\t0\tA\tI\n");
    let unsorted = folder.file("y.sam", format!("@SQ\tSN:c\tLN:99\n{}{}", line(9), line(5)));
    let fastq = folder.file("z.fq", common::reads("r", 3));
    std::fs::create_dir(folder.path("qc")).unwrap();
    // The intervals lie where a file would.
    let own_bed = folder.file("qc/x.regions.bed.gz", std::fs::read(&bed).unwrap());
    let before = (listed(&folder), files(&folder, "qc"));
    let is_refused = |args: &[&str], needed: &[&str]| {
        fails(&[&["stats", "--out-dir", &out], args].concat(), needed);
    };
    is_refused(&[&unsorted], &["y.sam", "record 2", "--qc stats,flagstat"]);
    is_refused(&[&fastq, "--qc", "flagstat"], &["flagstat", "reads"]);
    is_refused(&[&bam, "--by", &own_bed], &["x.regions.bed.gz"]);
    is_refused(&[&bam, "--by", "0"], &["windows"]);
    is_refused(&[&bam, "--by", &bed, "--qc", "stats"], &["--by", "mosdepth"]);
    is_refused(&[&bam, "--min-mapq", "3", "--qc", "stats"], &["--min-mapq", "coverage"]);
    is_refused(&[&bam, "--json"], &["--json", "--out-dir"]);
    is_refused(&[&bam, "--format", "samtools"], &["--format", "--out-dir"]);
    is_refused(&[&bam, "--sample", "a/b"], &["a/b"]);
    fails(&["stats", &bam, "--by", "9"], &["--by", "--out-dir"]);
    assert_eq!((listed(&folder), files(&folder, "qc")), before);
    // A folder that was made for what doesn't appear goes, those around it, too; one that was there stays.
    let new = at(&folder, "new/deep/qc");
    assert_eq!(biofast(&["stats", "--out-dir", &new, &unsorted]).code, 2);
    assert_eq!(biofast(&["stats", "--out-dir", &new, "--qc", "fastqc", &fastq, &fastq]).code, 2);
    std::fs::create_dir(folder.path("empty")).unwrap();
    assert_eq!(biofast(&["stats", "--out-dir", &at(&folder, "empty"), &unsorted]).code, 2);
    assert!(!folder.path("new").exists() && folder.path("empty").is_dir());
    std::fs::remove_dir(folder.path("empty")).unwrap();
    assert_eq!((listed(&folder), files(&folder, "qc")), before);
    let rest = [
        "stats",
        "--quiet",
        &unsorted,
        "--out-dir",
        &out,
        "--qc",
        "stats,flagstat,idxstats,json,html",
    ];
    ok(&rest);
}

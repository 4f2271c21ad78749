//! `stats --out-dir` of alignments: from one reading the files that commands of their own write, and those of samtools and
//! mosdepth.

use crate::common;

use std::path::Path;
use std::process::Command;

use biofast_testkit::sam::{self, Shape};
use common::{Folder, assert_error, biofast, biofast_with, installed, listed};

use crate::alignment_stats::comparable;
use crate::coverage::{at, content, folder, without_old_least};

/// All files in a folder, by name; without the lines that name a command. Those of Picard have no command of their own: see
/// `stats_picard.rs`.
fn files(folder: &Folder, part: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder.path(part)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with("_metrics") {
            continue;
        }
        let mut bytes = std::fs::read(folder.path(&format!("{part}/{name}"))).unwrap();
        if name.ends_with(".stats") {
            bytes = comparable(&String::from_utf8(bytes).unwrap()).into_bytes();
        }
        files.push((name, bytes));
    }
    files.sort();
    files
}

fn names(files: &[(String, Vec<u8>)]) -> Vec<&str> {
    files.iter().map(|(name, _)| name.as_str()).collect()
}

fn run(args: &[&str]) -> String {
    let run = biofast(args);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    run.stdout
}

/// Writes the files that are in `folder/qc` to `folder/own` by commands of their own.
fn write_one_by_one(folder: &Folder, input: &str, depths: &[&str], reference: &[&str]) {
    std::fs::create_dir_all(folder.path("own")).unwrap();
    let own = |ending: &str| at(folder, &format!("own/x{ending}"));
    let with = |args: &[&str], more: &[&str]| run(&[args, more, &[input, "--quiet"]].concat());
    with(&["stats", "--format", "samtools", "-o", &own(".stats")], reference);
    with(&["flagstat", "-o", &own(".flagstat")], &[]);
    with(&["idxstats", "-o", &own(".idxstats")], &[]);
    // What is for the files of mosdepth alone, and what counts, is told apart by the letter.
    let counting = depths.iter().position(|option| matches!(*option, "-F" | "-i" | "-Q" | "-R"));
    let counting = counting.map_or(&[][..], |first| &depths[first..]);
    let fasta: Vec<&str> =
        reference.iter().map(|word| if *word == "-r" { "-f" } else { word }).collect();
    let table = ["coverage", "--format", "samtools-coverage", "-o", &own(".mapped.coverage")];
    with(&[&table[..], &fasta].concat(), counting);
    with(&["coverage", "-p", &own("")], depths);
    let json = own(".biofast.json");
    with(&["stats", "--json", "-o", &json, "--html", &own(".biofast.html")], reference);
}

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
fn odd_records_regions_sam_and_cram_make_no_difference() {
    for seed in 1..4 {
        let folder = Folder::new();
        let shape = Shape { records: 2000, sorted: true, longest: 150, oddities: seed > 1, seed };
        let text = sam::text(&shape);
        let (sam, fasta) = (folder.file("x.sam", &text), folder.file("ref.fa", sam::fasta(seed)));
        let mut inputs = vec![(sam.clone(), vec!["-r", &fasta]), (sam.clone(), vec![])];
        if installed("samtools") {
            let cram = at(&folder, "x.cram");
            let made = Command::new("samtools")
                .args(["view", "-C", "-T", &fasta, "-o", &cram, &sam])
                .status()
                .unwrap();
            assert!(made.success());
            inputs.push((cram, vec!["-r", &fasta]));
        }
        for (input, reference) in inputs {
            write_one_by_one(&folder, &input, &[], &reference);
            if !reference.is_empty() && input == sam {
                // It says that the bases need no reference, and here the mismatches do.
                let (json, html) =
                    (at(&folder, "own/x.biofast.json"), at(&folder, "own/x.biofast.html"));
                run(&["stats", "--quiet", &input, "--json", "-o", &json, "--html", &html]);
            }
            let out = at(&folder, "qc");
            run(&[&["stats", "--quiet", &input, "--out-dir", &out], &reference[..]].concat());
            let (found, expected) = (files(&folder, "qc"), files(&folder, "own"));
            assert_eq!(names(&found), names(&expected));
            for (found, expected) in found.iter().zip(&expected) {
                assert!(found.1 == expected.1, "{} of {input}", found.0);
            }
        }
        // From a pipe, under a name of its own.
        let out = at(&folder, "piped");
        let args = [
            "stats",
            "--quiet",
            "-",
            "--sample",
            "s",
            "--out-dir",
            &out,
            "--qc",
            "coverage,idxstats",
        ];
        assert_eq!(biofast_with(&args, text.as_bytes()).code, 0);
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
    assert_error(&biofast(&[&wanted[..], &region].concat()), &["--qc mosdepth", "regions"]);
}

#[test]
fn files_are_those_of_samtools_and_mosdepth() {
    if !installed("samtools") || !installed("mosdepth") {
        return;
    }
    let compare = |folder: &Folder, bam: &str| {
        let out = at(folder, "qc");
        // The recipe of docs/recipes.md.
        let bed: Vec<String> = match folder.path("x.bed").exists() {
            true => vec!["--by".into(), at(folder, "x.bed")],
            false => Vec::new(),
        };
        let bed: Vec<&str> = bed.iter().map(String::as_str).collect();
        let common = ["stats", "--quiet", bam, "--out-dir", &out, "--sample", "x"];
        run(&[&common[..], &["--qc", "stats,flagstat,idxstats,coverage,depth,mosdepth"], &bed]
            .concat());
        for (command, name) in [
            (&["stats"][..], "stats"),
            (&["flagstat"], "flagstat"),
            (&["idxstats"], "idxstats"),
            (&["coverage"], "mapped.coverage"),
            (&["depth"], "depth"),
        ] {
            let theirs = Command::new("samtools").args(command).arg(bam).output().unwrap();
            assert!(theirs.status.success());
            let own = String::from_utf8(content(&at(folder, &format!("qc/x.{name}")))).unwrap();
            let theirs = String::from_utf8(theirs.stdout).unwrap();
            assert!(comparable(&own) == comparable(&theirs), "{command:?} of {bam}");
        }
        std::fs::create_dir_all(folder.path("theirs")).unwrap();
        let mut mosdepth = Command::new("mosdepth");
        let theirs = mosdepth.args(&bed).args([&at(folder, "theirs/x"), bam]).output().unwrap();
        assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
        for (name, _) in files(folder, "theirs").iter().filter(|(name, _)| !name.ends_with(".csi"))
        {
            let both = ["qc", "theirs"].map(|part| {
                without_old_least(name, content(&at(folder, &format!("{part}/{name}"))))
            });
            assert!(both[0] == both[1], "{name} of {bam}");
        }
    };
    for seed in 51..54 {
        let folder = folder(seed);
        compare(&folder, &at(&folder, "x.bam"));
    }
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/real");
    let real = real.join("ecoli_k12_minimap2.bam");
    match real.exists() {
        true => compare(&Folder::new(), real.to_str().unwrap()),
        false => eprintln!("skipped: {} is not there", real.display()),
    }
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
    assert_error(&biofast(&two), &["damaged.bam", "truncated"]);
    assert_eq!(
        names(&files(&folder, "qc")),
        ["x.flagstat", "x.idxstats", "x.mosdepth.global.dist.txt", "x.mosdepth.summary.txt"]
    );
    let same = ["stats", &bam, &bam, "--out-dir", &out, "--sample", "s"];
    assert_error(&biofast(&same), &["two inputs", "to s"]);
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
    let fails = |args: &[&str], needed: &[&str]| {
        assert_error(&biofast(&[&["stats", "--out-dir", &out], args].concat()), needed);
    };
    fails(&[&unsorted], &["y.sam", "record 2", "--qc stats,flagstat"]);
    fails(&[&fastq, "--qc", "flagstat"], &["flagstat", "reads"]);
    fails(&[&bam, "--by", &own_bed], &["x.regions.bed.gz"]);
    fails(&[&bam, "--by", "0"], &["windows"]);
    fails(&[&bam, "--by", &bed, "--qc", "stats"], &["--by", "mosdepth"]);
    fails(&[&bam, "--mapq", "3", "--qc", "stats"], &["--mapq", "coverage"]);
    fails(&[&bam, "--json"], &["--json", "--out-dir"]);
    fails(&[&bam, "--format", "samtools"], &["--format", "--out-dir"]);
    fails(&[&bam, "--sample", "a/b"], &["a/b"]);
    assert_error(&biofast(&["stats", &bam, "--by", "9"]), &["--by", "--out-dir"]);
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
    assert_eq!(biofast(&rest).code, 0);
}

//! `biofast coverage` beside mosdepth and samtools.

use std::process::Command;

use biofast_testkit::effort::times;

use crate::common::coverage::{at, content, folder, sam};
use crate::common::{Folder, biofast};
use crate::tools::{need, run, samtools_of_pysam};

#[test]
#[ignore = "needs mosdepth 0.3.3"]
fn files_are_those_of_mosdepth() {
    compare_with_mosdepth("mosdepth", "mosdepth=0.3.3");
}

#[test]
#[ignore = "needs mosdepth 0.3.14, named by BIOFAST_MOSDEPTH"]
fn files_are_those_of_mosdepth_0_3_14() {
    let program = std::env::var("BIOFAST_MOSDEPTH");
    compare_with_mosdepth(&program.expect("BIOFAST_MOSDEPTH names no program"), "mosdepth=0.3.14");
}

fn compare_with_mosdepth(program: &str, version: &str) {
    let said = run(Command::new(program).arg("--version"));
    let said = String::from_utf8(said.stdout).unwrap();
    assert_eq!(said.trim().replace(' ', "="), version);
    let options: [&[&str]; 12] = [
        &[],
        &["-x"],
        &["-b", "100"],
        &["-b", "7", "-m"],
        &["-b", "BED"],
        &["-b", "BED", "-T", "1,3,2", "-n"],
        &["-b", "BED", "-m", "-x"],
        &["-q", "0:1:4:"],
        &["-q", "2", "-n"],
        &["-Q", "20", "-F", "0"],
        &["-i", "16", "-F", "4", "-R", "A"],
        &["-c", "c2", "-b", "50"],
    ];
    // All options with three files, and each of more files with one.
    let all = (1..4).flat_map(|seed| options.map(|options| (seed, options)));
    let more = (100..).zip(options.into_iter().cycle()).take(times(36) as usize - 36);
    for (seed, options) in all.chain(more) {
        let folder = folder(seed);
        std::fs::create_dir_all(folder.path("theirs")).unwrap();
        std::fs::create_dir_all(folder.path("own")).unwrap();
        let (bam, bed) = (at(&folder, "x.bam"), at(&folder, "x.bed"));
        let options: Vec<&str> = options
            .iter()
            .map(|option| if *option == "BED" { bed.as_str() } else { *option })
            .collect();
        let theirs = Command::new(program)
            .args(&options)
            .args([&at(&folder, "theirs/x"), &bam])
            .output()
            .unwrap();
        assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
        let own = at(&folder, "own/x");
        let args = ["coverage", &bam, "--prefix", &own, "--quiet", "--compat", version];
        let run = biofast(&[&args[..], &options[..]].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{options:?}");
        let names = |part: &str| {
            let entries = std::fs::read_dir(folder.path(part)).unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        assert_eq!(names("own"), names("theirs"), "{options:?}");
        for name in names("own").iter().filter(|name| !name.ends_with(".csi")) {
            let both =
                ["own", "theirs"].map(|part| content(&at(&folder, &format!("{part}/{name}"))));
            assert!(both[0] == both[1], "{name} of seed {seed}: {options:?}");
        }
    }
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn texts_are_those_of_samtools() {
    let cases: [(&[&str], &[&str]); 7] = [
        (&["coverage"], &["samtools-coverage"]),
        (&["coverage", "-q", "20"], &["samtools-coverage", "-Q", "20"]),
        (&["coverage", "-Q", "15"], &["samtools-coverage", "--min-base-quality", "15"]),
        (&["depth"], &["samtools-depth"]),
        (&["depth", "-a"], &["samtools-depth", "-a"]),
        (&["depth", "-aa"], &["samtools-depth", "-aa"]),
        (
            &["depth", "-q", "15", "-Q", "9"],
            &["samtools-depth", "--min-base-quality", "15", "-Q", "9"],
        ),
    ];
    for seed in 11..14 {
        let folder = folder(seed);
        let bam = at(&folder, "x.bam");
        for (theirs, own) in cases {
            let both = [
                ("samtools=1.16", run(need("samtools").args(theirs).arg(&bam))),
                ("samtools=1.24", run(&mut samtools_of_pysam(&[theirs, &[&bam]].concat()))),
            ];
            for (version, expected) in both {
                let compat: &[&str] = match theirs[0] {
                    "coverage" => &["--compat", version],
                    _ => &[],
                };
                let args = [&["coverage", &bam, "--quiet", "--format"], own, compat].concat();
                let run = biofast(&args);
                assert_eq!((run.code, run.stderr.as_str()), (0, ""));
                assert!(run.stdout.as_bytes() == expected.stdout, "{args:?} of seed {seed}");
            }
        }
    }
}

#[test]
#[ignore = "needs bedtools"]
fn bedgraph_is_that_of_bedtools() {
    let folder = Folder::new();
    for seed in 1..4 {
        // bedtools counts both mates where they overlap, and covers skips but no deletions unless it splits.
        let records = |deletions: bool| {
            let text = sam(seed);
            let lines = text.lines().filter_map(|line| {
                let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
                if !line.starts_with('@') {
                    fields[1] = (fields[1].parse::<u16>().unwrap() & !2).to_string();
                    (deletions || !fields[5].contains('D')).then_some(())?;
                }
                Some(fields.join("\t") + "\n")
            });
            folder.file("x.sam", lines.collect::<String>())
        };
        for (theirs, ours) in [
            (["-bg", "-split"].as_slice(), ["-F", "4"].as_slice()),
            (&["-bga", "-split"], &["-F", "4", "-a"]),
            (&["-bg"], &["-F", "4", "-x"]),
            (&["-bga"], &["-F", "4", "-x", "-a"]),
        ] {
            let sam = records(theirs.contains(&"-split"));
            let bam = at(&folder, "x.bam");
            assert_eq!(biofast(&["view", "-b", &sam, "-o", &bam]).code, 0);
            let run = biofast(&[&["coverage", "--format", "bedgraph", &bam], ours].concat());
            assert_eq!(run.code, 0, "{run:?}");
            let mut bedtools = need("bedtools");
            let found =
                bedtools.arg("genomecov").args(theirs).args(["-ibam", &bam]).output().unwrap();
            assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
            let found = String::from_utf8(found.stdout).unwrap();
            // References without records come last there.
            let sorted = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert!(sorted(&run.stdout) == sorted(&found), "{ours:?} of seed {seed}");
            assert!(!found.is_empty());
        }
    }
}

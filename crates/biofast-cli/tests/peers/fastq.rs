//! `biofast fastq` beside samtools.

use std::process::Command;

use crate::common::fastq::{OUTPUTS, cells, grouped, reads_below, shuffled};
use crate::common::{Folder, command, good, text};
use crate::tools::{need, samtools_of_pysam};

/// Runs a program in a folder; standard output and the files it wrote, in the order of `OUTPUTS`.
fn run(mut command: Command, folder: &Folder) -> Vec<Vec<u8>> {
    for (_, name) in OUTPUTS {
        let _ = std::fs::remove_file(folder.path(name));
    }
    let output = command.current_dir(folder.path("")).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    let files = OUTPUTS.map(|(_, name)| std::fs::read(folder.path(name)).unwrap_or_default());
    [vec![output.stdout], files.to_vec()].concat()
}

fn samtools(args: &[&str]) -> Command {
    let mut command = need("samtools");
    command.args(args);
    command
}

/// The first record that differs.
fn difference(ours: &[u8], theirs: &[u8]) -> Option<String> {
    let mut lines = ours.split(|&b| b == b'\n').zip(theirs.split(|&b| b == b'\n'));
    match lines.position(|(a, b)| a != b) {
        Some(line) => {
            let show = |text: &[u8]| {
                let line = text.split(|&b| b == b'\n').nth(line).unwrap_or_default();
                line[..line.len().min(100)].escape_ascii().to_string()
            };
            Some(format!("line {}: {} {}", line + 1, show(ours), show(theirs)))
        }
        None => (ours.len() != theirs.len()).then(|| "one ends sooner".into()),
    }
}

/// FASTQ records in the order of their text, or pairs where they are interleaved.
fn sorted(fastq: &[u8], lines: usize) -> Vec<u8> {
    let all: Vec<&[u8]> = fastq.split_inclusive(|&b| b == b'\n').collect();
    let mut units: Vec<Vec<u8>> = all.chunks(lines).map(<[&[u8]]>::concat).collect();
    units.sort();
    units.concat()
}

#[test]
#[ignore = "needs samtools, and pysam"]
fn grouped_reads_are_written_as_samtools_writes_them() {
    let folder = Folder::new();
    let path = folder.file("a.sam", grouped(1, 600, "SO:unsorted\tGO:query"));
    let files = ["-1", "r1.fq", "-2", "r2.fq", "-0", "other.fq", "-s", "single.fq"];
    let values = text(&folder.path("values"));
    std::fs::write(&values, "ACG-T ACG-TGAGA\nA\n").unwrap();
    let listed = format!("BC:{values}");
    let sets: [&[&str]; 20] = [
        &[],
        &["-n"],
        &["-N"],
        &files,
        &["-1", "r1.fq"],
        &["-o", "both.fq", "-0", "both.fq"],
        &["-o", "both.fq", "-0", "other.fq", "-s", "single.fq", "-N"],
        &["-1", "both.fq", "-2", "both.fq", "-0", "/dev/null"],
        &["-t", "-s", "single.fq"],
        &["-T", "XF,NM,OQ"],
        &["-T", "*", "-n"],
        &["-O"],
        &["-f", "0x40", "-F", "0x904"],
        &["-G", "0x11"],
        &["-T", "", "-n"],
        &["-d", "NM"],
        &["-d", "BC:ACG-T", "-d", "BC:ACG-TGA"],
        &["-d", "RG:g1"],
        &["-d", "ZZ"],
        &["-D", &listed],
    ];
    for options in sets {
        let words = [&["fastq"], options, &[&path]].concat();
        // The one of the distribution has no tags to choose by.
        let theirs = match options.iter().any(|option| ["-d", "-D"].contains(option)) {
            true => samtools_of_pysam(&words),
            false => samtools(&words),
        };
        let theirs = run(theirs, &folder);
        for extra in [&["-@", "1"][..], &["-@", "3", "--chunk-size", "2000"]] {
            let args = [&["fastq", "--quiet"], extra, options, &[&path]].concat();
            let ours = run(command(&args), &folder);
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert_eq!(difference(ours, theirs), None, "{options:?} {extra:?}");
            }
        }
    }
    let theirs = run(samtools(&["fastq", "-i", "--index-format", "i*i*", &path]), &folder);
    let ours = run(command(&["fastq", "--quiet", "-i", &path]), &folder);
    assert_eq!(difference(&ours[0], &theirs[0]), None);
}

#[test]
#[ignore = "needs samtools"]
fn reads_in_any_order_become_the_pairs_samtools_finds() {
    let folder = Folder::new();
    let path = folder.file("a.sam", shuffled(2, 500));
    let by_place = text(&folder.path("sorted.bam"));
    let by_name = text(&folder.path("collated.bam"));
    run(samtools(&["sort", "-o", &by_place, &path]), &folder);
    run(samtools(&["collate", "-o", &by_name, &path]), &folder);
    let options =
        ["-N", "-1", "r1.fq", "-2", "r2.fq", "-0", "other.fq", "-s", "single.fq", "-T", "RG"];
    let theirs = run(samtools(&[&["fastq"], &options[..], &[&by_name]].concat()), &folder);
    for input in [&path, &by_place] {
        let mut first: Option<Vec<Vec<u8>>> = None;
        for memory in ["96M", "16K"] {
            for (threads, chunk) in [("1", "4000000"), ("3", "3000")] {
                let how = ["--memory", memory, "-@", threads, "--chunk-size", chunk];
                let args = [&["fastq", "--quiet", "--temp-dir", "."], &how[..], &options, &[input]];
                let ours = run(command(&args.concat()), &folder);
                for (ours, theirs) in ours.iter().zip(&theirs) {
                    assert!(sorted(ours, 4) == sorted(theirs, 4), "{how:?}");
                }
                // Mates have the same number in both files.
                let names = |file: &[u8]| {
                    let lines = file.split(|&b| b == b'\n').step_by(4);
                    let name =
                        |l: &[u8]| l.split(|&b| b == b'/').next().unwrap_or_default().to_vec();
                    lines.map(name).collect::<Vec<_>>()
                };
                assert!(names(&ours[1]) == names(&ours[2]), "{how:?}");
                if threads == "1" {
                    first = Some(ours);
                } else {
                    assert!(first.take() == Some(ours), "{how:?}");
                }
            }
        }
    }
    let hidden = std::fs::read_dir(folder.path(""))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0, "temporary files are left");
}

#[test]
#[ignore = "needs bamtofastq of 10x"]
fn sets_are_those_of_bamtofastq_1_4_1() {
    let program = std::env::var("BIOFAST_BAMTOFASTQ")
        .expect("BIOFAST_BAMTOFASTQ names no program: this test compares with it");
    for paired in [false, true] {
        let folder = Folder::new();
        folder.file("a.sam", cells(5, 3000, paired).sam);
        good(&folder, &["sort", "a.sam", "-o", "a.bam"]);
        good(&folder, &["fastq", "--10x", "ours", "a.bam"]);
        let mut theirs = Command::new(&program);
        crate::tools::run(theirs.current_dir(folder.path("")).args(["a.bam", "theirs"]));
        assert!(reads_below(&folder, "ours") == reads_below(&folder, "theirs"), "{paired}");
    }
}

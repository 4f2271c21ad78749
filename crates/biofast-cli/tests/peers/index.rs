//! Indexes and regions beside samtools and bgzip.

use std::path::PathBuf;

use biofast_testkit::container::bgzf;

use crate::common::index::{random, sorted};
use crate::common::{Folder, biofast, text};
use crate::tools::{self, ThirdParty, corpus, need, samtools_of_pysam, third_party};

fn run(program: &str, args: &[&str]) -> (bool, Vec<u8>) {
    let output = need(program).args(args).output().unwrap();
    (output.status.success(), output.stdout)
}

/// Makes an index with samtools; false if it can't.
fn samtools_index(args: &[&str]) -> bool {
    run("samtools", &[&["index"], args].concat()).0
}

fn total(flagstat: &str) -> u64 {
    let words: Vec<&str> = flagstat.split(' ').collect();
    words[0].parse::<u64>().unwrap() + words[2].parse::<u64>().unwrap()
}

/// Compares random regions with `samtools view -c`, each file with its index.
fn compare_regions(ours: &str, theirs: &str, references: &[(String, u32)], seed: u64, n: usize) {
    let mut random = random(seed);
    for round in 0..n {
        let (name, length) = &references[random(references.len() as u64) as usize];
        let length = u64::from(*length).max(1);
        let start = 1 + random(length);
        let end = start + [0, 9, 1000, 20_000, length][random(5) as usize];
        let region = match round % 8 {
            0 => "*".to_owned(),
            1 => format!("{{{name}}}"),
            2 => format!("{{{name}}}:{start}"),
            _ => format!("{{{name}}}:{start}-{end}"),
        };
        let mine = biofast(&["flagstat", "--region", &region, ours]);
        assert_eq!(mine.code, 0, "{ours} {region}: {}", mine.stderr);
        let (good, count) = run("samtools", &["view", "-c", theirs, &region]);
        assert!(good, "{theirs} {region}");
        let count: u64 = String::from_utf8(count).unwrap().trim().parse().unwrap();
        assert_eq!(total(&mine.stdout), count, "{ours} {region}");
    }
}

fn references_of(path: &str) -> Vec<(String, u32)> {
    let table = biofast(&["idxstats", path, "--allow-missing-eof"]).stdout;
    let mut references: Vec<(String, u32)> = table
        .lines()
        .map(|line| {
            let mut fields = line.split('\t');
            (fields.next().unwrap().to_owned(), fields.next().unwrap().parse().unwrap())
        })
        .collect();
    // The last line is that of unplaced records.
    references.pop();
    references
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn generated_files_against_samtools() {
    let folder = Folder::new();
    for (n, block) in [(0, 1000), (1, 1000), (4000, 700), (30_000, 65_000)] {
        let path = folder.file("x.bam", bgzf(&sorted(n), block));
        for (flags, name) in [("-b", "bai"), ("-c", "csi"), ("-m12", "csi")] {
            let theirs = text(&folder.path(&format!("theirs.{name}")));
            assert!(samtools_index(&[flags, &path, &theirs]), "{n} records, index {flags}");
            let made = biofast(&["index", flags, &path]);
            assert_eq!((made.code, made.stderr.as_str()), (0, ""));
            let ours = format!("{path}.{name}");
            assert_eq!(content(&ours), content(&theirs), "{n} records, index {flags}");
            tools::run(&mut samtools_of_pysam(&["index", flags, &path, "-o", &theirs]));
            assert_eq!(content(&ours), content(&theirs), "{n} records, index {flags} of 1.24");
            if n > 0 {
                compare_regions(&path, &path, &references_of(&path), n as u64, 16);
            }
            std::fs::remove_file(&ours).unwrap();
        }
    }
}

/// The bytes of an index, decompressed.
fn content(path: &str) -> Vec<u8> {
    let source = biofast_io::Source::open(path).unwrap();
    let mut reader = biofast_io::Reader::new(source, &biofast_io::Options::default()).unwrap();
    let mut out = Vec::new();
    std::io::Read::read_to_end(&mut reader, &mut out).unwrap();
    out
}

#[test]
#[ignore = "needs bgzip"]
fn gzi_has_the_bytes_of_bgzip() {
    let folder = Folder::new();
    let reads = b"@r\nACGT\n+\nIIII\n".repeat(20_000);
    for (data, block) in [(&reads[..], 5000), (&reads[..], 65_280), (b"x", 10)] {
        let path = folder.file("x.gz", bgzf(data, block));
        assert_eq!(biofast(&["index", "--gzi", &path]).code, 0);
        let ours = std::fs::read(format!("{path}.gzi")).unwrap();
        assert!(run("bgzip", &["-r", &path]).0);
        assert_eq!(ours, std::fs::read(format!("{path}.gzi")).unwrap(), "blocks of {block}");
    }
}

/// Third-party files.
mod corpus {
    use super::*;

    /// Indexes of the corpus that aren't those of the file beside them.
    const STALE: [&str; 1] = [
        // Made for a file of another length: it ends in the middle of a block.
        "samtools/test/stat/11_target.bam",
    ];

    #[test]
    #[ignore = "needs samtools and the corpus"]
    fn third_party_files_and_their_indexes_against_samtools() {
        let valid = |file: &ThirdParty| file.kind == "bam" && file.verdict == "valid";
        let mut files: Vec<PathBuf> =
            third_party().into_iter().filter(valid).map(|file| file.path).collect();
        files.push(corpus("real/nf-cmgg_exome_10samples.bam"));
        let folder = Folder::new();
        let (mut same, mut with_index) = (0, 0);
        for (seed, file) in files.iter().enumerate() {
            let theirs = folder.file("theirs.bam", std::fs::read(file).unwrap());
            if !samtools_index(&[&theirs]) {
                continue;
            }
            let ours = folder.file("ours.bam", std::fs::read(file).unwrap());
            let made = biofast(&["index", "--allow-missing-eof", &ours]);
            assert_eq!(made.code, 0, "{}: {}", file.display(), made.stderr);
            let bai = |path: &str| std::fs::read(format!("{path}.bai")).unwrap();
            assert_eq!(bai(&ours), bai(&theirs), "{}", file.display());
            same += 1;
            let references = references_of(&ours);
            if references.is_empty() || biofast(&["flagstat", &ours]).code != 0 {
                continue;
            }
            compare_regions(&ours, &theirs, &references, seed as u64, 8);
            // The index that came with the file.
            for extension in ["bai", "csi"] {
                let Ok(bytes) = std::fs::read(file.with_extension(format!("bam.{extension}")))
                else {
                    continue;
                };
                let copy = folder.file("copy.bam", std::fs::read(file).unwrap());
                let index = folder.file(&format!("copy.bam.{extension}"), bytes);
                if STALE.iter().any(|name| file.ends_with(name)) {
                    let mine = biofast(&["flagstat", "--region", &references[0].0, &copy]);
                    assert!(mine.stderr.contains("so the whole file is read"), "{mine:?}");
                } else {
                    with_index += 1;
                }
                compare_regions(&copy, &theirs, &references, seed as u64, 24);
                std::fs::remove_file(index).unwrap();
            }
        }
        eprintln!("{same} indexes equal samtools', {with_index} third-party indexes asked");
        assert!(same > 50 && with_index > 20);
    }
}

//! `biofast index` and regions: the bytes of samtools' and bgzip's indexes, the counts of
//! `samtools view -c`, and an error for every broken index.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;

use biofast_testkit::bam::{Aligned, aligned, header};
use biofast_testkit::container::{bgzf, gzip};
use common::{Folder, biofast, biofast_with, installed, text};

const REFERENCES: [(&str, u32); 3] = [("chr1", 2_500_000), ("chr2:HLA", 50_000), ("chrUn", 7)];

/// A generator of numbers below a bound.
fn random(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |bound| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % bound
    }
}

/// A sorted file with spliced, unmapped and unplaced records.
fn sorted(n: usize) -> Vec<u8> {
    let mut random = random(7);
    let mut records: Vec<Aligned> = (0..n)
        .map(|_| {
            let reference = random(3) as i32 - 1;
            let length =
                if reference < 0 { 1 } else { REFERENCES[reference as usize].1.min(2_000_000) };
            let first = random(200) as u32;
            let mut cigar = vec![first << 4];
            let mut len = first as usize;
            if random(10) == 0 {
                cigar.extend([((random(200_000) as u32) << 4) | 3, 50 << 4]);
                len += 50;
            }
            let unmapped = reference < 0 || random(20) == 0;
            Aligned {
                reference,
                position: if reference < 0 { -1 } else { random(length.into()) as i32 },
                flags: if unmapped { 4 } else { 0 },
                cigar,
                len,
                tags: Vec::new(),
            }
        })
        .collect();
    records.sort_by_key(|r| (r.reference as u32, r.position));
    let mut data = header(&REFERENCES);
    records.iter().for_each(|r| data.extend(aligned(r)));
    data
}

fn run(program: &str, args: &[&str]) -> (bool, Vec<u8>) {
    let output = Command::new(program).args(args).output().unwrap();
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
fn generated_files_against_samtools() {
    if !installed("samtools") {
        return;
    }
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
            if n > 0 {
                compare_regions(&path, &path, &references_of(&path), n as u64, 16);
            }
            std::fs::remove_file(&ours).unwrap();
        }
    }
}

/// The bytes of an index, decompressed.
fn content(path: &str) -> Vec<u8> {
    let source = biofast::io::Source::open(path).unwrap();
    let mut reader = biofast::io::Reader::new(source, &biofast::io::Options::default()).unwrap();
    let mut out = Vec::new();
    std::io::Read::read_to_end(&mut reader, &mut out).unwrap();
    out
}

/// Indexes of the corpus that aren't those of the file beside them.
const STALE: [&str; 1] = [
    // Made for a file of another length: it ends in the middle of a block.
    "samtools/test/stat/11_target.bam",
];

#[test]
fn third_party_files_and_their_indexes_against_samtools() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(manifest) = std::fs::read_to_string(shared.join("conformance/MANIFEST.tsv")) else {
        eprintln!("skipped: {} is absent", shared.display());
        return;
    };
    if !installed("samtools") {
        return;
    }
    let mut files: Vec<PathBuf> = manifest
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .filter(|fields| fields[1] == "bam" && fields[2] == "valid")
        .map(|fields| shared.join("conformance").join(fields[0]))
        .collect();
    files.push(shared.join("real/nf-cmgg_exome_10samples.bam"));
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
            let Ok(bytes) = std::fs::read(file.with_extension(format!("bam.{extension}"))) else {
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

#[test]
fn gzi_has_the_bytes_of_bgzip() {
    let folder = Folder::new();
    let reads = b"@r\nACGT\n+\nIIII\n".repeat(20_000);
    let path = folder.file("x.fq.bgz", bgzf(&reads, 5000));
    let made = biofast(&["index", &path]);
    assert_eq!((made.code, made.stderr.as_str()), (0, ""));
    let ours = std::fs::read(format!("{path}.gzi")).unwrap();
    assert_eq!(&ours[..8], &59u64.to_le_bytes());
    assert_eq!(ours.len(), 8 + 59 * 16);
    if installed("bgzip") {
        for (data, block) in [(&reads[..], 5000), (&reads[..], 65_280), (b"x", 10)] {
            let path = folder.file("x.gz", bgzf(data, block));
            assert_eq!(biofast(&["index", "--gzi", &path]).code, 0);
            let ours = std::fs::read(format!("{path}.gzi")).unwrap();
            assert!(run("bgzip", &["-r", &path]).0);
            assert_eq!(ours, std::fs::read(format!("{path}.gzi")).unwrap(), "blocks of {block}");
        }
    }
    for (name, content) in [("x.gz", gzip(&reads)), ("x.fq", reads.clone())] {
        let run = biofast(&["index", "--gzi", &folder.file(name, content)]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("only BGZF can be indexed"), "{}", run.stderr);
    }
    let mut damaged = bgzf(&reads, 5000);
    let at = damaged.len() / 2;
    damaged[at] ^= 1;
    let path = folder.file("y.bgz", damaged);
    assert_eq!(biofast(&["index", "--gzi", &path]).code, 2);
    assert!(!Path::new(&format!("{path}.gzi")).exists());
}

#[test]
fn regions_and_bed_files_select_the_same_with_and_without_an_index() {
    let folder = Folder::new();
    let data = sorted(5000);
    let path = folder.file("x.bam", bgzf(&data, 3000));
    let bed = folder
        .file("x.bed", "# targets\nchr1\t1000\t90000\nchr1\t50000\t200000\nchr2:HLA\t0\t100\n");
    let regions = [
        "--region",
        "chr1:1,001-90,000",
        "--region",
        "chr1:50001-200000",
        "--region",
        "{chr2:HLA}:1-100",
    ];
    let by_region = |path: &str| biofast(&[&["idxstats"], &regions[..], &[path]].concat());
    let by_bed = |path: &str| biofast(&["idxstats", "-L", &bed, path]);
    let scanned = by_region(&path);
    assert_eq!(scanned.code, 0);
    assert!(scanned.stderr.contains("has no index, so all of it is read"), "{}", scanned.stderr);
    assert_eq!(by_bed(&path).stdout, scanned.stdout);
    let piped = biofast_with(&["idxstats", "-L", &bed], &bgzf(&data, 3000));
    assert_eq!((piped.stdout.as_str(), piped.stderr.as_str()), (scanned.stdout.as_str(), ""));
    assert_eq!(biofast(&["index", &path]).code, 0);
    let indexed = by_region(&path);
    assert_eq!((indexed.stdout.as_str(), indexed.stderr.as_str()), (scanned.stdout.as_str(), ""));
    assert_eq!(by_bed(&path).stdout, scanned.stdout);
    assert_ne!(indexed.stdout, biofast(&["idxstats", &path]).stdout);
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new();
    let data = sorted(500);
    let path = folder.file("x.bam", bgzf(&data, 3000));
    assert_eq!(biofast(&["index", &path]).code, 0);
    let bai = format!("{path}.bai");
    let good = std::fs::read(&bai).unwrap();
    let bed = folder.file("x.bed", "chr1\t1\t2\nchr9\t1\t2\n");
    for (args, expected) in [
        (
            vec!["flagstat", "--region", "chr9", &path],
            "no reference is called 'chr9'; did you mean 'chr1'",
        ),
        (vec!["flagstat", "--region", "chr1:5-4", &path], "the start lies behind the end"),
        (vec!["flagstat", "-L", &bed, &path], "line 2"),
        (vec!["flagstat", "-L", "absent.bed", &path], "absent.bed"),
        (vec!["index", "-b", "-c", &path], "cannot be used with"),
        (vec!["index", "-m", "31", &path], "31 is not in 1..=30"),
        (vec!["index", "-"], "--out"),
    ] {
        let run = biofast(&args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
    }
    let region = ["flagstat", "--region", "chr1", &path];
    let fresh = biofast(&region);
    for (bytes, expected) in [
        (&good[..good.len() / 2], "it is cut short"),
        (b"", "it is empty"),
        (b"BAI\x01\xff\xff\xff\x7f", "it is cut short"),
        (b"@HD\tVN:1.6\n", "neither BAI nor CSI"),
        (b"BAI\x01\x01\0\0\0\0\0\0\0\0\0\0\0", "it has 1 references, and the file has 3"),
    ] {
        std::fs::write(&bai, bytes).unwrap();
        let run = biofast(&region);
        assert_eq!((run.code, run.stdout.as_str()), (0, &*fresh.stdout), "{expected}");
        assert!(
            run.stderr.contains(expected) && run.stderr.contains("x.bam.bai"),
            "{}",
            run.stderr
        );
    }
    // Older than its file, but still right.
    std::fs::write(&bai, &good).unwrap();
    let file = std::fs::File::options().write(true).open(&bai).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let old = biofast(&region);
    assert_eq!((old.code, &old.stdout), (0, &fresh.stdout));
    assert!(old.stderr.contains("is older than its file"), "{}", old.stderr);
    // Unsorted: no index appears.
    let mut records = header(&REFERENCES);
    for position in [100, 50] {
        records.extend(aligned(&Aligned { position, cigar: vec![16], ..Aligned::default() }));
    }
    let unsorted = folder.file("u.bam", bgzf(&records, 3000));
    let run = biofast(&["index", &unsorted]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("record 2") && run.stderr.contains(":51 comes after "),
        "{}",
        run.stderr
    );
    assert!(!Path::new(&format!("{unsorted}.bai")).exists());
    // Cut: no index appears either.
    let cut = folder.file("c.bam", &bgzf(&data, 3000)[..2000]);
    assert_eq!(biofast(&["index", &cut]).code, 2);
    assert!(!Path::new(&format!("{cut}.bai")).exists());
    // From standard input, with a name given.
    let out = text(&folder.path("stdin.bai"));
    assert_eq!(biofast_with(&["index", "-", "-o", &out], &bgzf(&data, 3000)).code, 0);
    assert_eq!(std::fs::read(out).unwrap(), good);
}

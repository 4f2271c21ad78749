//! `biofast coverage`: the files of mosdepth and the texts of samtools, byte for byte.

use crate::common;

use std::fmt::Write;
use std::io::Read;
use std::process::Command;

use biofast_testkit::random::Random;
use common::{Folder, assert_error, biofast, biofast_with, installed, listed};

const REFERENCES: [(&str, usize); 5] =
    [("c1", 3000), ("none", 700), ("c2", 90_000), ("one", 1), ("c3", 5000)];

/// Sorted records of pairs in all shapes, with clips, gaps, skips and flags of all kinds.
fn sam(seed: u64) -> String {
    let mut random = Random(seed);
    let mut records = Vec::new();
    for pair in 0..20 + random.below(300) {
        let reference = [0, 0, 2, 4][random.below(4)];
        let (name, length) = REFERENCES[reference];
        let most = [200, length - 900][random.below(2)];
        let position = random.below(most);
        let starts = [position, position + random.below(2) * random.below(60)];
        let is_pair = random.below(4) > 0;
        for (number, start) in starts.into_iter().enumerate().take(1 + usize::from(is_pair)) {
            let (mut cigar, mut bases) = (String::new(), 0);
            for piece in 0..1 + random.below(2) * random.below(4) {
                if piece > 0 {
                    let (len, op) = (1 + random.below(60), ["D", "N", "I"][random.below(3)]);
                    bases += if op == "I" { len } else { 0 };
                    let _ = write!(cigar, "{len}{op}");
                }
                let len = 1 + random.below(60);
                bases += len;
                let _ = write!(cigar, "{len}{}", ["M", "=", "X", "M"][random.below(4)]);
            }
            if random.below(5) == 0 {
                bases += 7;
                cigar.push_str("7S");
            }
            let mut flags = if is_pair { 1 | (64 << number) } else { 0 };
            flags |= if is_pair && random.below(8) > 0 { 2 } else { 0 };
            flags |= [0, 0, 0, 0, 0, 0, 0, 0, 16, 256, 512, 1024, 2048, 4][random.below(14)];
            let cigar = if flags & 4 == 0 { cigar } else { "*".into() };
            let mate = match is_pair {
                true => format!("=\t{}", starts[1 - number] + 1),
                false => "*\t0".into(),
            };
            let qualities: String =
                (0..bases).map(|_| char::from(35 + random.below(38) as u8)).collect();
            let group = ["", "\tRG:Z:A", "\tRG:Z:B"][random.below(3)];
            let mapq = random.below(61);
            records.push((reference, start, format!(
                "p{pair}\t{flags}\t{name}\t{}\t{mapq}\t{cigar}\t{mate}\t0\t{}\t{qualities}{group}\n",
                start + 1,
                "A".repeat(bases),
            )));
        }
    }
    records.sort_by_key(|(reference, start, _)| (*reference, *start));
    let mut out = "@HD\tVN:1.6\tSO:coordinate\n".to_owned();
    for (name, length) in REFERENCES {
        let _ = writeln!(out, "@SQ\tSN:{name}\tLN:{length}");
    }
    out.push_str("@RG\tID:A\tSM:s\n@RG\tID:B\tSM:s\n");
    records.iter().for_each(|(_, _, record)| out.push_str(record));
    out + "u\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n"
}

/// Intervals that overlap, repeat, and have names or none.
fn bed(seed: u64) -> String {
    let mut random = Random(seed);
    let mut out = String::new();
    for number in 0..20 {
        let (name, length) = REFERENCES[[0, 1, 2, 4][random.below(4)]];
        let start = random.below(length - 1);
        let end = start + 1 + random.below(length - start);
        let label = if random.below(2) == 0 { String::new() } else { format!("\tn{number}") };
        let _ = writeln!(out, "{name}\t{start}\t{}{label}", end.min(length));
    }
    out
}

/// A folder with `x.bam`, its index and `x.bed`.
pub(crate) fn folder(seed: u64) -> Folder {
    let folder = Folder::new();
    let sam = folder.file("x.sam", sam(seed));
    folder.file("x.bed", bed(seed));
    let bam = folder.path("x.bam");
    let run = biofast(&["sort", &sam, "-o", bam.to_str().unwrap(), "--write-index", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    folder
}

pub(crate) fn at(folder: &Folder, name: &str) -> String {
    folder.path(name).to_str().unwrap().to_owned()
}

/// A file's bytes, decompressed.
pub(crate) fn content(path: &str) -> Vec<u8> {
    let source = biofast::io::Source::open(path).unwrap();
    let mut bytes = Vec::new();
    biofast::io::Reader::new(source, &Default::default()).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// The summary of mosdepth without the least depths that are always 0 before version 0.3.5: of the first reference's
/// intervals, and of all.
pub(crate) fn without_old_least(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    if !name.ends_with("summary.txt") {
        return bytes;
    }
    let (text, mut is_first) = (String::from_utf8(bytes).unwrap(), true);
    let lines = text.lines().map(|line| {
        let mut cells: Vec<&str> = line.split('\t').collect();
        let is_total = cells[0] == "total" || cells[0] == "total_region";
        let is_of_first = cells[0].ends_with("_region") && std::mem::take(&mut is_first);
        if is_total || is_of_first {
            cells[4] = "";
        }
        cells.join("\t") + "\n"
    });
    lines.collect::<String>().into_bytes()
}

#[test]
fn files_are_those_of_mosdepth() {
    if !installed("mosdepth") {
        return;
    }
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
    for seed in 1..4 {
        let folder = folder(seed);
        for options in options {
            std::fs::create_dir_all(folder.path("theirs")).unwrap();
            std::fs::create_dir_all(folder.path("own")).unwrap();
            let (bam, bed) = (at(&folder, "x.bam"), at(&folder, "x.bed"));
            let options: Vec<&str> = options
                .iter()
                .map(|option| if *option == "BED" { bed.as_str() } else { *option })
                .collect();
            let theirs = Command::new("mosdepth")
                .args(&options)
                .args([&at(&folder, "theirs/x"), &bam])
                .output()
                .unwrap();
            assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
            let own = at(&folder, "own/x");
            let run = biofast(&[&["coverage", &bam, "-p", &own, "--quiet"], &options[..]].concat());
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{options:?}");
            let names = |part: &str| {
                let entries = std::fs::read_dir(folder.path(part)).unwrap();
                let mut names: Vec<String> = entries
                    .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                    .collect();
                names.sort();
                names
            };
            assert_eq!(names("own"), names("theirs"), "{options:?}");
            for name in names("own").iter().filter(|name| !name.ends_with(".csi")) {
                let both =
                    ["own", "theirs"].map(|part| content(&at(&folder, &format!("{part}/{name}"))));
                let both = both.map(|bytes| without_old_least(name, bytes));
                assert!(both[0] == both[1], "{name} of seed {seed}: {options:?}");
            }
            std::fs::remove_dir_all(folder.path("theirs")).unwrap();
            std::fs::remove_dir_all(folder.path("own")).unwrap();
        }
    }
}

#[test]
fn texts_are_those_of_samtools() {
    if !installed("samtools") {
        return;
    }
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
            let expected = Command::new("samtools").args(theirs).arg(&bam).output().unwrap();
            let run = biofast(&[&["coverage", &bam, "--quiet", "--format"], own].concat());
            assert_eq!((run.code, run.stderr.as_str()), (0, ""));
            assert!(run.stdout.as_bytes() == expected.stdout, "{theirs:?} of seed {seed}");
        }
    }
}

#[test]
fn all_inputs_and_threads_give_the_same() {
    let folder = folder(21);
    let (bam, bed) = (at(&folder, "x.bam"), at(&folder, "x.bed"));
    let expected = biofast(&["coverage", &bam, "--format", "samtools-depth", "-t", "1"]).stdout;
    // Not x.sam: `sort` puts records of one place in another order, and what overlaps depends on it.
    let sam = biofast(&["view", "-h", &bam]).stdout;
    for threads in ["1", "3"] {
        let args = ["coverage", "--format", "samtools-depth", "-t", threads, "--chunk-size", "900"];
        assert!(biofast_with(&args, sam.as_bytes()).stdout == expected);
        let prefix = at(&folder, threads);
        let run = biofast(&["coverage", &bam, "-p", &prefix, "-b", &bed, "-t", threads, "--quiet"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    for name in listed(&folder).iter().filter_map(|name| name.strip_prefix("1.")) {
        let both = ["1", "3"]
            .map(|threads| std::fs::read(folder.path(&format!("{threads}.{name}"))).unwrap());
        assert!(both[0] == both[1], "{name}");
    }
    let index = biofast::bam::index::Index::open(folder.path("1.per-base.bed.gz.csi")).unwrap();
    assert_eq!(index.reference_count(), REFERENCES.len());
    let same = folder.file("y.sam", sam);
    let table = biofast(&["coverage", &bam, &same, "--format", "tsv"]).stdout;
    let rows: Vec<&str> =
        table.lines().skip(1).map(|row| row.split_once('\t').unwrap().1).collect();
    assert_eq!(rows[0], rows[1]);
    let out = at(&folder, "out");
    let run = biofast(&["coverage", &bam, "--out-dir", &out, "-n", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(folder.path("out/x.mosdepth.summary.txt").exists());
}

#[test]
fn what_is_wrong_is_said_and_nothing_appears() {
    let folder = Folder::new();
    let line = |position| format!("r\t0\tc\t{position}\t9\t1M\t*\t0\t0\tA\tI\n");
    let unsorted = folder.file("x.sam", format!("@SQ\tSN:c\tLN:99\n{}{}", line(9), line(5)));
    let prefix = at(&folder, "own");
    let before = listed(&folder);
    assert_error(&biofast(&["coverage", &unsorted, "-p", &prefix]), &["x.sam", "record 2"]);
    assert_error(&biofast(&["coverage", &unsorted, "-p", &prefix, "-b", "0"]), &["windows"]);
    assert_error(&biofast(&["coverage", &unsorted, "-p", &prefix, "-q", "a"]), &["--quantize a"]);
    assert_error(&biofast(&["coverage", &unsorted, "-p", &prefix, "-c", "d"]), &["d"]);
    assert_error(&biofast(&["coverage", &unsorted, "-b", "9"]), &["--prefix"]);
    assert_eq!(listed(&folder), before);
}

/// The page's table of the least deep targets has the depths of `regions.bed.gz`, in order.
#[test]
fn the_page_lists_the_least_deep_targets_with_the_depths_of_the_files() {
    let folder = folder(11);
    let [sam, page, beside, prefix] =
        ["x.sam", "x.html", "beside.html", "p"].map(|name| at(&folder, name));
    let targets =
        (0..60).map(|i| format!("c{}\t{}\t{}\tt{i}\n", 1 + i % 2 * 2, 40 * i, 40 * i + 37));
    let bed = folder.file("targets.bed", targets.collect::<String>() + "none\t5\t25\tlast\n");
    let run = biofast(&["coverage", "--by", &bed, "--html", &page, &sam]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.stdout, biofast(&["coverage", &sam]).stdout);
    let run = biofast(&[
        "coverage", "--quiet", "-n", "--by", &bed, "--html", &beside, "-p", &prefix, &sam,
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let page = std::fs::read_to_string(page).expect("page");
    assert!(page == std::fs::read_to_string(beside).expect("page beside the files"));
    let regions = String::from_utf8(content(&format!("{prefix}.regions.bed.gz"))).expect("text");
    let mut expected: Vec<(f64, &str)> = regions
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            (fields[4].parse().expect("depth"), fields[3])
        })
        .collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (_, table) = page.split_once("The 20 least deep of 61 targets</caption>").expect("table");
    let (table, _) = table.split_once("</table>").expect("end");
    let rows: Vec<(f64, &str)> = table
        .split("<tr><th scope=\"row\">")
        .skip(1)
        .map(|row| {
            let (name, cells) = row.split_once("</th>").expect("name");
            let depth = cells.split("<td class=\"n\">").nth(3).expect("depth");
            (depth.split_once('<').expect("end").0.parse().expect("number"), name)
        })
        .collect();
    assert_eq!(rows.len(), 20);
    assert!(rows[0].0 < rows[19].0, "{rows:?}");
    for (row, expected) in rows.iter().zip(&expected) {
        assert!((row.0 - expected.0).abs() < 0.0051, "{rows:?} {expected:?}");
    }
    let run = biofast(&["coverage", "--by", "100", "--html", &at(&folder, "w.html"), &sam]);
    assert_error(&run, &["--html shows the targets of a BED file, not windows"]);
}

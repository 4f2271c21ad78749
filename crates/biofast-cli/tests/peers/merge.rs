//! `biofast merge` of alignments beside samtools.

use std::collections::HashMap;

use crate::common::merge::{ORDERS, SEQUENCES, merged, parts};
use crate::common::{Folder, assert_error, biofast, text};
use crate::tools::{Samtools, need};

/// What samtools prints, with the IDs that ours has in their places.
fn renamed(theirs: &str, ours: &str) -> String {
    let headers = theirs.lines().zip(ours.lines()).filter(|(line, _)| line.starts_with('@'));
    let field = |line: &str, tag: &str| {
        line.split('\t').find_map(|field| field.strip_prefix(tag)).map(str::to_owned)
    };
    let mut ids = HashMap::new();
    for (theirs, ours) in headers {
        let kind = theirs[..3].to_owned();
        if let (Some(theirs), Some(ours)) = (field(theirs, "ID:"), field(ours, "ID:")) {
            // Suffixes are random there, and numbers of files here.
            let stem = |id: &str| id.split('-').next().map(str::to_owned);
            assert_eq!(stem(&theirs), stem(&ours));
            ids.insert((kind, theirs), ours);
        }
    }
    let rename = |line: &str| {
        let is_header = line.starts_with('@');
        let fields = line.split('\t').map(|field| {
            let (kind, start) = match field.get(..5) {
                _ if is_header && field.starts_with("ID:") => (&line[..3], "ID:"),
                _ if is_header && (field.starts_with("PP:") || field.starts_with("PG:")) => {
                    ("@PG", &field[..3])
                }
                Some("RG:Z:") => ("@RG", "RG:Z:"),
                Some("PG:Z:") => ("@PG", "PG:Z:"),
                _ => return field.to_owned(),
            };
            let id = field[start.len()..].to_owned();
            format!("{start}{}", ids.get(&(kind.to_owned(), id.clone())).unwrap_or(&id))
        });
        fields.collect::<Vec<_>>().join("\t") + "\n"
    };
    theirs.lines().filter(|line| !line.starts_with("@HD")).map(rename).collect()
}

/// Whether a version has this order: 1.16 compares names otherwise (docs/versions.md).
fn has_order(version: Samtools, options: &[&str]) -> bool {
    version == Samtools::Now || !["-n", "-N"].iter().any(|by_name| options.contains(by_name))
}

fn by_samtools(version: Samtools, options: &[&str], paths: &[String]) -> String {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let words = ["merge", "--no-PG", "-O", "sam", "-o", "-"];
    String::from_utf8(version.printed(&[&words, options, &paths].concat())).unwrap()
}

fn without_first_line(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("@HD")).flat_map(|line| [line, "\n"]).collect()
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn records_headers_and_ids_are_those_of_samtools() {
    let folder = Folder::new();
    for (seed, order) in (0..).zip(ORDERS.iter().cycle()).take(15) {
        let ending = [".bam", ".sam"][seed as usize % 2];
        let paths = parts(&folder, seed, 1 + seed as usize % 5, order, ending);
        for combine in [&[][..], &["-c"], &["-p"], &["-c", "-p"]] {
            let options = [order, combine].concat();
            let ours = merged(&options, &paths);
            for version in Samtools::BOTH {
                if !has_order(version, order) {
                    continue;
                }
                let theirs = by_samtools(version, &options, &paths);
                let same = renamed(&theirs, &ours) == without_first_line(&ours);
                assert!(same, "{version:?} {options:?} {seed}");
            }
        }
    }
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn regions_headers_and_read_groups_of_files_are_those_of_samtools() {
    let folder = Folder::new();
    let given = "@HD\tVN:1.5\n@SQ\tSN:c2\tLN:1000\n@SQ\tSN:c1\tLN:1000\n@RG\tID:g\tSM:given\n@PG\tID:p\n@CO\tgiven\n";
    let given = folder.file("given.sam", given);
    let same = folder.file("same.sam", format!("{SEQUENCES}@RG\tID:g\tSM:given\n@CO\tgiven\n"));
    let bed = folder.file("x.bed", "c1\t3\t9\nc2\t0\t2\nc1\t5\t12\nc2\t20\t22\n");
    let ways: [(&[&str], bool); 9] = [
        (&["-r"], false),
        (&["-r", "-c", "-p"], false),
        (&["-r", "-n"], false),
        (&["-h", &same], false),
        (&["-h", &same, "-c", "-p", "-r"], false),
        (&["-h", &given, "-n"], false),
        (&["-R", "c1:7-11"], true),
        (&["-R", "c2", "-r", "-h", &same], true),
        (&["-L", &bed], true),
    ];
    for (seed, (options, needs_index)) in (300..).zip(ways) {
        let order: &[&str] = if options.contains(&"-n") { &["-n"] } else { &[] };
        let paths = parts(&folder, seed, 3, order, ".bam");
        if needs_index {
            paths.iter().for_each(|path| assert_eq!(biofast(&["index", path]).code, 0));
        }
        let ours = merged(options, &paths);
        for version in Samtools::BOTH {
            if !has_order(version, options) {
                continue;
            }
            let theirs = by_samtools(version, options, &paths);
            let ids = |text: &str| text.lines().filter(|line| line.starts_with('@')).count();
            assert_eq!(ids(&ours), ids(&theirs) + usize::from(!theirs.starts_with("@HD")));
            let [theirs, ours] = [renamed(&theirs, &ours), without_first_line(&ours)];
            for (theirs, ours) in theirs.lines().zip(ours.lines()) {
                assert_eq!(theirs, ours, "{version:?} {options:?}");
            }
            assert_eq!(theirs.len(), ours.len(), "{version:?} {options:?}");
        }
    }
    // Without an index, and of what isn't BAM, all is read; a region that a file doesn't have is an error.
    let paths = parts(&folder, 400, 2, &[], ".bam");
    let whole = merged(&["-R", "c1:7-11"], &paths);
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let run = biofast(&[&["merge", "-O", "sam", "--no-PG", "-R", "c1:7-11"], &paths[..]].concat());
    assert!(run.stderr.contains("400.0.bam has no index, so the whole file is read"), "{run:?}");
    assert_eq!((run.code, run.stdout == whole), (0, true));
    let run = biofast(&[&["merge", "-R", "c9"], &paths[..]].concat());
    assert_error(&run, &["400.0.bam", "c9"]);
    assert_error(&biofast(&["merge", "-h", paths[0], "-o", paths[0], paths[1]]), &["is an input"]);
}

#[test]
#[ignore = "needs samtools"]
fn the_index_is_that_of_samtools() {
    let folder = Folder::new();
    let paths = parts(&folder, 7, 5, &[], ".bam");
    let inputs: Vec<&str> = paths.iter().map(String::as_str).collect();
    let [merged, again] = ["one.bam", "again.bai"].map(|name| text(&folder.path(name)));
    let args = ["merge", "-q", "--no-PG", "--write-index", "-o", &merged];
    assert_eq!(biofast(&[&args, &inputs[..]].concat()).code, 0);
    let run = need("samtools").args(["index", &merged, &again]).status();
    assert!(run.unwrap().success());
    let own = std::fs::read(format!("{merged}.bai")).unwrap();
    assert_eq!(own, std::fs::read(again).unwrap());
}

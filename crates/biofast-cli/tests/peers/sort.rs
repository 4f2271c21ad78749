//! `biofast sort` beside samtools and fgumi.

use std::fmt::Write;

use crate::common::sort::{lines, many, records, sorted, templates};
use crate::common::{Folder, biofast, text};
use crate::tools::{self, Samtools, corpus, need, samtools, third_party};

/// The same of samtools.
fn by_samtools(args: &[&str]) -> Option<String> {
    let args = [&["sort", "--no-PG", "-O", "sam"], args].concat();
    samtools(&args).map(|printed| String::from_utf8(printed).unwrap())
}

fn without_first_line(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("@HD")).flat_map(|line| [line, "\n"]).collect()
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn every_order_is_that_of_samtools() {
    let folder = Folder::new();
    for (seed, n) in [(1, 0), (2, 1), (3, 500), (4, 1500)] {
        let path = folder.file("x.sam", records(seed, n));
        // Names are compared otherwise by 1.16 (docs/versions.md).
        let by_name: &[&[&str]] = &[&["-n"], &["-N"], &["-n", "-t", "XX"]];
        for (version, by_name) in [(Samtools::Old, &[][..]), (Samtools::Now, by_name)] {
            for order in [&[][..], &["-t", "XX"]].iter().chain(by_name) {
                let args = [order, &[&path[..]][..]].concat();
                let theirs = [&["sort", "--no-PG", "-O", "sam"], &args[..]].concat();
                let theirs = String::from_utf8(version.printed(&theirs)).unwrap();
                let ours = sorted(&args);
                let [theirs, ours] = match version {
                    // It has no SS.
                    Samtools::Old => [&theirs, &ours].map(|text| without_first_line(text)),
                    Samtools::Now => [theirs, ours],
                };
                let differ = theirs.lines().zip(ours.lines()).find(|(a, b)| a != b);
                assert!(theirs == ours, "{version:?} {order:?} of {n}: {differ:?}");
            }
        }
    }
}

#[test]
#[ignore = "needs samtools"]
fn the_index_is_that_of_samtools() {
    let folder = Folder::new();
    let bam = many(&folder);
    let [sorted, again] = ["one.bam", "again.bai"].map(|name| text(&folder.path(name)));
    let run = biofast(&["sort", "--no-PG", "-q", &bam, "-o", &sorted, "--write-index"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let run = need("samtools").args(["index", &sorted, &again]).status().unwrap();
    assert!(run.success());
    let own = std::fs::read(format!("{sorted}.bai")).unwrap();
    assert_eq!(own, std::fs::read(again).unwrap());
}

#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn templates_come_in_the_order_of_samtools() {
    let folder = Folder::new();
    for (seed, n) in [(1, 0), (2, 50), (3, 4000)] {
        let path = folder.file("x.sam", templates(seed, n));
        let order = ["--template-coordinate", &path];
        let theirs = [&["sort", "--no-PG", "-O", "sam"], &order[..]].concat();
        let theirs = String::from_utf8(Samtools::Now.printed(&theirs)).unwrap();
        let ours = sorted(&order);
        let differ = theirs.lines().zip(ours.lines()).find(|(a, b)| a != b);
        assert!(theirs == ours, "{n}: {differ:?}");
    }
}

#[test]
#[ignore = "needs fgumi"]
fn templates_come_in_the_order_of_fgumi_but_for_names() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    // It compares molecules as numbers, cells (CB) before libraries, and counts hard clips, as samtools did before 1.24.
    let mut input = templates(5, 2000).replace("MI:Z:10", "MI:Z:3");
    for (from, to) in [
        ("2H1S3M", "1S3M"),
        ("3M1S2H", "3M1S"),
        ("\tCB:Z:AC", ""),
        ("\tCB:Z:AG", ""),
        ("\tCB:Z:A", ""),
    ] {
        input = input.replace(from, to);
    }
    let sam = folder.file("x.sam", input);
    assert_eq!(biofast(&["view", "-b", &sam, "-o", &at("x.bam")]).code, 0);
    // Its watchdog ends a run that waits for a busy machine.
    let calm = ["--threads", "2", "--deadlock-timeout", "0"];
    let args = ["sort", "--order", "template-coordinate", "--key-types", "full"];
    let mut fgumi = need("fgumi");
    let fgumi = fgumi.args(args).args(calm).args(["-i", &at("x.bam"), "-o", &at("f.bam")]);
    tools::run(fgumi);
    // Of names it compares a hash: let them rise in its order, in which nothing is moved then.
    let theirs = biofast(&["view", "-h", "--no-PG", &at("f.bam")]).stdout;
    let mut renamed = String::new();
    for (n, line) in theirs.lines().enumerate() {
        match line.split_once('\t') {
            Some((_, fields)) if !line.starts_with('@') => {
                let _ = writeln!(renamed, "n{n:06}\t{fields}");
            }
            _ => renamed = renamed + line + "\n",
        }
    }
    let ours = sorted(&["--template-coordinate", &folder.file("renamed.sam", &renamed)]);
    assert_eq!(lines(&ours).len(), 2000);
    let (ours, theirs) = (lines(&ours), lines(&renamed));
    let differ = theirs.iter().zip(&ours).find(|(a, b)| a != b);
    assert!(ours == theirs, "{differ:?}");
}

/// Third-party files.
mod corpus {
    use super::*;

    #[test]
    #[ignore = "needs samtools and the corpus"]
    fn third_party_files_come_in_the_order_of_samtools() {
        let files = third_party()
            .into_iter()
            .filter(|file| file.is_like_samtools() && !file.name.contains("large_seq"));
        let mut paths: Vec<_> = files.map(|file| file.path).collect();
        paths.push(corpus("real/ecoli_k12_minimap2.bam"));
        let (mut same, mut refused) = (0, 0);
        for (at, path) in paths.iter().enumerate() {
            let path = text(path);
            let options: &[&str] = [&[][..], &["-t", "NM"]][at % 2];
            let Some(theirs) = by_samtools(&[options, &[&path]].concat()) else { continue };
            let run =
                biofast(&[&["sort", "-q", "--no-PG", "-O", "sam"], options, &[&path]].concat());
            if run.code != 0 {
                let said = run.stderr.replace(',', "");
                assert!(said.contains("2147483647"), "{path}: {said}");
                eprintln!("refused: {path}: {}", run.stderr.lines().next().unwrap_or_default());
                refused += 1;
                continue;
            }
            assert!(lines(&theirs) == lines(&run.stdout), "{path} {options:?}");
            same += 1;
        }
        eprintln!("{same} files are sorted as samtools sorts them, {refused} are refused");
        assert!(same > 9 * refused);
    }
}

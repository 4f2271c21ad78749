//! `biofast flagstat` and `biofast idxstats` beside samtools, byte for byte.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use biofast_testkit::container::bgzf;

use crate::common::alignments::{COMMANDS, data, odd_files, sam};
use crate::common::{self, Folder, biofast};
use crate::tools::{ThirdParty, corpus, need, third_party};

fn samtools(args: &[&str]) -> (Option<i32>, String) {
    let output = need("samtools").args(args).output().unwrap();
    if !output.status.success() {
        return (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
    }
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// Compares with samtools; returns whether samtools could read the file. It gets a copy, lest
/// `idxstats` report what an index beside the file says instead of what the file holds.
///
/// JSON and TSV say what the text says: `seen` are texts for which they have been compared.
fn check(path: &str, seen: &mut BTreeSet<String>) -> bool {
    let folder = Folder::new();
    let extension = Path::new(path).extension().unwrap_or_default().to_str().unwrap();
    let path = &folder.file(&format!("copy.{extension}"), std::fs::read(path).unwrap());
    let mut is_known = false;
    for command in COMMANDS {
        if is_known && command.contains(&"-O") {
            continue;
        }
        let args = [command, &[path]].concat();
        let (code, theirs) = samtools(&args);
        if theirs.contains("not position sorted") {
            // samtools' idxstats without an index wants that; biofast's counts in any order.
            continue;
        }
        if code != Some(0) {
            eprintln!("{args:?}: samtools can't read it: {theirs}");
            return false;
        }
        let ours = biofast(&args);
        assert_eq!(ours.code, 0, "{path}: {}", ours.stderr);
        assert_eq!(ours.stdout, theirs, "{args:?}");
        if command == COMMANDS[0] {
            is_known = !seen.insert(theirs);
        }
    }
    true
}

#[test]
#[ignore = "needs samtools"]
fn generated_records_of_all_flags_against_samtools() {
    let folder = Folder::new();
    for n in [0, 1, 5000] {
        let path = folder.file("x.bam", bgzf(&data(n), 3001));
        assert!(check(&path, &mut BTreeSet::new()), "samtools reads it");
    }
}

#[test]
#[ignore = "needs samtools"]
fn generated_sam_against_samtools() {
    let folder = Folder::new();
    let path = folder.file("x.txt", sam(3000));
    assert!(check(&path, &mut BTreeSet::new()), "samtools reads it");
}

#[test]
#[ignore = "needs samtools"]
fn what_breaks_a_rule_and_loses_nothing_is_what_samtools_reads() {
    let folder = Folder::new();
    // Of joined fields samtools drops all but the first, and it takes one tab at the end.
    for file in odd_files().iter().filter(|file| !["joined", "tabs"].contains(&file.name)) {
        let path = folder.file("odd.sam", &file.text);
        let (code, theirs) = samtools(&["view", "-h", "--no-PG", &path]);
        assert_eq!((code, &theirs), (Some(0), &file.expected), "{}", file.name);
    }
}

/// htslib's CRAM 2 states a container of its header that is too short where padding made the block's lengths longer.
#[test]
#[ignore = "needs samtools"]
fn cram_2_with_headers_of_any_size() {
    let folder = Folder::new();
    let sizes = (0..140).step_by(7).chain((400..40_000).step_by(1700)).chain(6_300..6_320);
    for (n, size) in sizes.enumerate() {
        let text = format!(
            "@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:1000\n@CO\t{}\nr\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n",
            "x".repeat(size)
        );
        let sam = folder.file("h.sam", &text);
        let cram = common::text(&folder.path("h.cram"));
        let version = if n % 2 == 0 { "2.0" } else { "2.1" };
        let format = format!("cram,version={version},no_ref=1");
        assert_eq!(samtools(&["view", "--no-PG", "-O", &format, "-o", &cram, &sam]).0, Some(0));
        let run = biofast(&["view", "-h", "--no-PG", &cram]);
        assert_eq!(
            (run.code, run.stdout),
            (0, text),
            "version {version}, {size} bytes: {}",
            run.stderr
        );
    }
}

/// Third-party files.
mod corpus {
    use super::*;

    /// Files of the corpus that samtools 1.16 reads and biofast refuses, and why.
    const EXCEPTIONS: [(&str, &str); 20] = {
        // What every format is turned into has 31 bits for positions and lengths.
        const WHY: &str = "a reference of 2^31 bases or more, which BAM can't hold";
        [
            ("htslib/test/longrefs/longref.sam", WHY),
            ("htslib/test/longrefs/longref_itr.expected.sam", WHY),
            ("htslib/test/longrefs/longref_multi.expected.sam", WHY),
            ("samtools/test/fixmate/8_isize_overflow_64bit.sam", WHY),
            ("samtools/test/large_pos/longref.sam", WHY),
            ("samtools/test/large_pos/longref2.sam", WHY),
            ("samtools/test/large_pos/longref3.expected.sam", WHY),
            ("samtools/test/large_pos/longref3.sam", WHY),
            ("samtools/test/large_pos/longref_idx.expected.sam", WHY),
            ("samtools/test/large_pos/longref_name.sam", WHY),
            ("samtools/test/large_pos/merge.expected.sam", WHY),
            ("samtools/test/markdup/7_mark_supp_dup.expected.sam", WHY),
            ("samtools/test/markdup/7_mark_supp_dup.sam", WHY),
            ("samtools/test/stat/1_map_cigar_large.sam", WHY),
            ("samtools/test/stat/2_equal_cigar_full_seq_large.sam", WHY),
            ("samtools/test/stat/3_map_cigar_equal_seq_large.sam", WHY),
            ("samtools/test/stat/4_X_cigar_full_seq_large.sam", WHY),
            ("samtools/test/stat/5_insert_cigar_large.sam", WHY),
            ("samtools/test/stat/7_supp_large.sam", WHY),
            ("samtools/test/stat/8_secondary_large.sam", WHY),
        ]
    };

    #[test]
    #[ignore = "needs samtools and the corpus"]
    fn third_party_files_against_samtools() {
        let mut files: Vec<(PathBuf, String)> = Vec::new();
        // What breaks a rule that only `check` holds files to.
        let mut lenient: Vec<String> = Vec::new();
        for ThirdParty { name: file, path, kind, verdict, remark } in third_party() {
            if !["bam", "sam", "cram"].contains(&kind.as_str()) {
                continue;
            }
            if let Some((name, why)) = EXCEPTIONS.iter().find(|(name, _)| *name == file) {
                let run = biofast(&["flagstat", path.to_str().unwrap()]);
                assert!(run.code == 2 && run.stderr.contains("2,147,483,647"), "{name}: {run:?}");
                eprintln!("exception: {name}: {why}");
            } else {
                let is_read = remark.contains("samtools 1.16 accepts");
                if is_read && file.starts_with("hts-specs/test/sam/") {
                    lenient.push(common::text(&path));
                }
                files.push((path, verdict));
            }
        }
        for entry in std::fs::read_dir(corpus("real")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "bam") {
                files.push((path, "valid".to_owned()));
            }
        }
        let (mut compared, mut seen) = (0, BTreeSet::new());
        for (path, verdict) in &files {
            let path = path.to_str().unwrap();
            if verdict == "invalid" && !lenient.iter().any(|known| known == path) {
                let run = biofast(&["flagstat", path]);
                assert_eq!(run.code, 2, "{path} is invalid: {run:?}");
            } else if verdict == "valid" {
                compared += u32::from(check(path, &mut seen));
            }
        }
        eprintln!("{compared} of {} files equal samtools', {} different", files.len(), seen.len());
        assert!(compared > 0);
    }
}

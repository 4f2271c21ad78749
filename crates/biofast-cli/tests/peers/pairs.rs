//! Alignments to reads, and read groups of merged records, beside samtools 1.24.

use biofast_testkit::templates::{header, templates};

use crate::common::{Folder, biofast, text};
use crate::tools::{run, samtools_of_pysam};

/// Reads of a file as their four lines, in the order of their text.
fn sorted(path: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    let mut reads: Vec<String> = lines.chunks_exact(4).map(|read| read.join("\n")).collect();
    reads.sort();
    reads
}

#[test]
#[ignore = "needs pysam"]
fn reads_of_collated_records_are_those_of_samtools() {
    let folder = Folder::new();
    let names = ["1.fq", "2.fq", "s.fq", "0.fq"];
    let at = |name: &str| text(&folder.path(name));
    for seed in 0..20u64 {
        let mut records = templates(100 + seed, 60).concat();
        // Some without bases.
        for (index, line) in records.iter_mut().enumerate() {
            let mut fields: Vec<&str> = line.trim_end().split('\t').collect();
            if (index as u64 + seed).is_multiple_of(9) {
                let flags = fields[1].parse::<u16>().unwrap();
                fields.retain(|field| !field.starts_with("OQ:"));
                (fields[9], fields[10]) = ("*", "*");
                if flags & 4 == 0 {
                    fields[5] = "*";
                }
                *line = fields.join("\t") + "\n";
            }
        }
        let sam = folder.file("a.sam", header("SO:unsorted\tGO:query") + &records.concat());
        for more in [&["-N"][..], &["-n"], &["-n", "-T", "RG,NM"], &["-N", "-F", "0x904"]] {
            let files = ["-1", "1.fq", "-2", "2.fq", "-s", "s.fq", "-0", "0.fq"];
            let files: Vec<String> = files
                .iter()
                .map(|word| if word.ends_with(".fq") { at(word) } else { (*word).into() })
                .collect();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            run(&mut samtools_of_pysam(&[&["fastq"], more, &files[..], &[&sam]].concat()));
            let theirs = names.map(|name| std::fs::read(folder.path(name)).unwrap());
            let theirs_sorted = names.map(|name| sorted(&at(name)));
            for how in ["--grouped", "--collate"] {
                let args = [&["fastq", "--quiet", how], more, &files[..], &[&sam]].concat();
                assert_eq!(biofast(&args).code, 0);
                for (name, (text, reads)) in names.iter().zip(theirs.iter().zip(&theirs_sorted)) {
                    if how == "--grouped" {
                        let ours = std::fs::read(folder.path(name)).unwrap();
                        assert!(ours == *text, "{seed} {more:?} {name}");
                    }
                    assert!(sorted(&at(name)) == *reads, "{seed} {more:?} {how} {name}");
                }
            }
        }
    }
}

#[test]
#[ignore = "needs pysam"]
fn samples_without_a_seed_are_those_of_samtools() {
    let folder = Folder::new();
    for seed in 0..10u64 {
        let records = templates(200 + seed, 200).concat().concat();
        let sam = folder.file("a.sam", header("SO:unsorted\tGO:query") + &records);
        for fraction in ["0.1", "0.5", "0.99"] {
            let args = ["view", "--no-PG", "-h", "--subsample", fraction, &sam];
            let theirs = run(&mut samtools_of_pysam(&args)).stdout;
            let args = ["filter", "--no-PG", "-h", "-O", "sam", "--subsample", fraction, &sam];
            let ours = biofast(&args).stdout;
            assert!(ours.as_bytes() == theirs, "{seed} {fraction}");
        }
    }
}

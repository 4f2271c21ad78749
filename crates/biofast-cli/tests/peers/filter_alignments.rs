//! `biofast filter` of alignments beside `samtools view`.

use biofast_testkit::sam;

use crate::common::filter_alignments::{Inputs, alignments, as_strs};
use crate::common::{Folder, biofast, command, ok, text};
use crate::tools;
use crate::tools::{Samtools, corpus, third_party};

fn samtools(args: &[&str]) -> Option<String> {
    tools::samtools(args).map(|printed| String::from_utf8_lossy(&printed).into_owned())
}

/// Choices that mean the same in `samtools view`.
const CHOICES: [&[&str]; 35] = [
    &[],
    &["-f", "PAIRED,READ1"],
    &["-f", "1", "-f", "0x80"],
    &["-F", "0x904", "-q", "30"],
    &["-q", "255"],
    &["-G", "3"],
    &["--rf", "DUP,QCFAIL"],
    &["--require-flags", "1", "--excl-flags", "DUP", "--min-MQ", "1"],
    &["-L", "FOLDER/a.bed"],
    &["-L", "FOLDER/a.bed", "-q", "1"],
    &["-r", "one"],
    &["-r", "one", "-r", "two"],
    &["-r", "no such group"],
    &["-R", "FOLDER/groups"],
    &["-R", "FOLDER/none"],
    &["-r", "one", "-R", "FOLDER/groups", "-F", "16"],
    &["-N", "FOLDER/names"],
    &["-N", "FOLDER/none"],
    &["-d", "XX"],
    &["-d", "XX:"],
    &["-d", "XX:-5"],
    &["-d", "XX:-5", "-d", "XX:some text"],
    &["-d", "XX:5"],
    &["-d", "XA:y"],
    &["-d", "NM:0", "-d", "NM:256"],
    &["-D", "XX:FOLDER/values"],
    &["-D", "XX:FOLDER/none"],
    &["-d", "XX:70000", "-D", "XX:FOLDER/none"],
    &["-e", "[NM] < 100 && !flag.dup"],
    &["-e", "qname =~ \"7$\" || [XX] == 70000", "-q", "1", "-r", "two"],
    &["-s", "0.25"],
    &["-s", "42.5"],
    &["-s", "2147483648.9"],
    &["--subsample", "0.1", "--subsample-seed", "7"],
    &["--subsample", "1", "-N", "FOLDER/names", "-r", "two", "-d", "XA", "-f", "1", "-s.9"],
];

#[test]
#[ignore = "needs samtools"]
fn every_choice_agrees_with_samtools() {
    compare_choices(Samtools::Old);
}

#[test]
#[ignore = "needs pysam"]
fn every_choice_agrees_with_samtools_1_24() {
    compare_choices(Samtools::Now);
}

fn compare_choices(version: Samtools) {
    let inputs = Inputs::new(1500, 11);
    let mut lengths = std::collections::BTreeSet::new();
    for choice in CHOICES {
        // Two options that say the same thing.
        let choice: Vec<&str> = match choice.contains(&"-s.9") {
            true => choice[..choice.len() - 1].to_vec(),
            false => choice.to_vec(),
        };
        for input in [&inputs.sam, &inputs.bam] {
            let args = inputs.args(&[&["-h", "--no-PG"], &choice[..], &[input]].concat());
            let theirs = version.printed(&[&["view"], &as_strs(&args)[..]].concat());
            let ours = ok(&[&["filter", "--quiet"], &as_strs(&args)[..]].concat());
            assert!(version.part_of(ours.stdout.as_bytes()) == theirs, "{choice:?} {input}");
            let theirs = String::from_utf8_lossy(&theirs);
            lengths.insert(theirs.len());
            let count = biofast(&[&["filter", "-c"], &as_strs(&args)[..]].concat());
            let records = theirs.lines().filter(|line| !line.starts_with('@')).count();
            assert_eq!(count.stdout, format!("{records}\n"), "{choice:?}");
        }
    }
    // The choices aren't all the same one.
    assert!(lengths.len() > 25, "{lengths:?}");
}

#[test]
#[ignore = "needs samtools"]
fn regions_and_lists_of_them_agree_with_samtools() {
    compare_regions(Samtools::Old);
}

#[test]
#[ignore = "needs pysam"]
fn regions_and_lists_of_them_agree_with_samtools_1_24() {
    compare_regions(Samtools::Now);
}

fn compare_regions(version: Samtools) {
    let inputs = Inputs::new(2500, 12);
    let region = "chr1:4,000-20,000";
    let cases: [&[&str]; 7] = [
        &["-F", "16", "a.bam", region],
        &["a.bam", "chr1", "chrUn:1-50"],
        &["-q", "2", "a.bam", "*"],
        &["-L", "FOLDER/a.bed", "a.bam", region],
        &["-L", "FOLDER/a.bed", "-M", "a.bam", region],
        &["-M", "-L", "FOLDER/a.bed", "a.bam"],
        &["a.bam", "{chr2:HLA}:100-90000"],
    ];
    for case in cases {
        let case: Vec<&str> = case
            .iter()
            .map(|arg| if *arg == "a.bam" { inputs.bam.as_str() } else { arg })
            .collect();
        let args = inputs.args(&case);
        let [theirs, theirs_not] =
            ["theirs", "theirs_not"].map(|name| text(&inputs.folder.path(name)));
        let [ours, ours_not] = ["ours", "ours_not"].map(|name| text(&inputs.folder.path(name)));
        let view = [&["view", "-o", &theirs, "-U", &theirs_not], &as_strs(&args)[..]].concat();
        version.printed(&view);
        let ours_args = ["filter", "--quiet", "-o", &ours, "-U", &ours_not];
        ok(&[&ours_args[..], &as_strs(&args)[..]].concat());
        for (a, b) in [(ours, theirs), (ours_not, theirs_not)] {
            assert!(std::fs::read(a).unwrap() == std::fs::read(b).unwrap(), "{case:?}");
        }
    }
}

#[test]
#[ignore = "needs samtools"]
fn cram_agrees_with_samtools() {
    let folder = Folder::new();
    let fasta = folder.file("r.fa", sam::fasta(3));
    let sam = folder.file("a.sam", alignments(800, true, 5));
    let cram = text(&folder.path("a.cram"));
    samtools(&["view", "-C", "-T", &fasta, "-o", &cram, &sam]).unwrap();
    compare(Samtools::Old, &["-T", &fasta, "-F", "0x14", "-q", "20", &cram]);
}

fn compare(version: Samtools, case: &[&str]) {
    let theirs = version.printed(&[&["view", "-h", "--no-PG"], case].concat());
    let ours = ok(&[&["filter", "--quiet", "-h", "--no-PG"], case].concat());
    assert!(version.part_of(ours.stdout.as_bytes()) == theirs, "{version:?} {case:?}");
}

/// Third-party files.
mod corpus {
    use super::*;

    #[test]
    #[ignore = "needs samtools and the corpus"]
    fn real_files_agree_with_samtools() {
        compare_real(Samtools::Old);
    }

    #[test]
    #[ignore = "needs pysam and the corpus"]
    fn real_files_agree_with_samtools_1_24() {
        compare_real(Samtools::Now);
    }

    fn compare_real(version: Samtools) {
        for name in ["nf-cmgg_exome_10samples", "ecoli_k12_minimap2"] {
            let file = text(&corpus(&format!("real/{name}.bam")));
            compare(version, &["-F", "16", "-q", "10", "-s", "3.6", &file]);
        }
    }

    /// Every fourth of the corpus' files that both read.
    #[test]
    #[ignore = "needs samtools and the corpus"]
    fn the_corpus_agrees_with_samtools() {
        let (mut same, mut refused) = (0, 0);
        for file in third_party().iter().filter(|file| file.is_readable()).step_by(4) {
            let path = text(&file.path);
            let choice = ["-h", "--no-PG", "-F", "16", "-q", "1", "-s", "1.7", &path];
            let theirs = samtools(&[&["view"], &choice[..]].concat());
            let mut command = command(&["filter", "--quiet", "--allow-missing-eof"]);
            let ours = command.args(choice).output().unwrap();
            match (ours.status.success(), theirs) {
                (true, Some(theirs)) => {
                    let ours = Samtools::Old.part_of(&ours.stdout);
                    assert!(String::from_utf8_lossy(&ours) == theirs, "{path}");
                    same += 1;
                }
                // Bases of CRAM whose reference isn't at hand.
                (false, None) => {}
                // Positions beyond what BAM can state, and header lines samtools finds malformed.
                _ => refused += 1,
            }
        }
        assert!(same >= 125 && refused < 15, "{same} the same, {refused} refused");
    }
}

//! `biofast umi correct`, `group --strategy`, `consensus` and `filter` beside fgumi 0.9.0: random molecules with random options.

use std::process::Command;

use biofast_testkit::effort;
use biofast_testkit::random::Random;

use crate::common::molecules::made_molecules;
use crate::common::{Folder, biofast, text};
use crate::tools;

/// Runs fgumi; whether it was fine.
fn fgumi(args: &[&str]) -> Result<(), String> {
    let mut command: Command = tools::need("fgumi");
    let output = command.args(args).output().unwrap();
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// The records of a file, in their order, without what fgumi makes of a reference.
fn records(path: &str) -> Vec<String> {
    let run = biofast(&["view", path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let is_kept = |field: &&str| !["NM:", "UQ:", "MD:"].iter().any(|tag| field.starts_with(tag));
    let kept = |line: &str| line.split('\t').filter(is_kept).collect::<Vec<_>>().join("\t");
    run.stdout.lines().map(kept).collect()
}

/// The lines of a header but those of programs, sorted.
fn header(path: &str) -> Vec<String> {
    let run = biofast(&["view", "-H", path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines = run.stdout.lines().filter(|line| !line.starts_with("@PG"));
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Options that are given to both: as biofast has them, and as fgumi has them.
#[derive(Default)]
struct Given(Vec<String>, Vec<String>);

impl Given {
    fn both(&mut self, words: &[&str]) {
        self.each(words, words);
    }

    fn each(&mut self, ours: &[&str], theirs: &[&str]) {
        self.0.extend(ours.iter().map(|word| (*word).to_owned()));
        self.1.extend(theirs.iter().map(|word| (*word).to_owned()));
    }
}

/// Runs both on a file; whether both were fine. Their outputs are the same then.
fn compare(folder: &Folder, (ours, theirs): (&str, &str), input: &str, given: &Given) -> bool {
    let [out, other] = ["ours.bam", "theirs.bam"].map(|name| text(&folder.path(name)));
    let threads = ["1", "2", "3"][input.len() % 3];
    let mut args = vec!["umi", ours, "-q", "--no-PG", "-@", threads, input, "-o", &out];
    args.extend(given.0.iter().map(|word| &word[..]));
    let run = biofast(&args);
    let mut other_args = vec![theirs, "-i", input, "-o", &other];
    other_args.extend(given.1.iter().map(|word| &word[..]));
    let expected = fgumi(&other_args);
    if run.stderr.contains("has a UMI in the tag") {
        // Refused on purpose: fgumi writes an empty file then.
        assert!(expected.is_ok() && records(&other).is_empty(), "{}", run.stderr);
        return false;
    }
    assert_eq!(run.code == 0, expected.is_ok(), "{args:?}: {}\n{expected:?}", run.stderr);
    if run.code != 0 {
        return false;
    }
    let (found, expected) = (records(&out), records(&other));
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "record {index}: {args:?}, {other_args:?}");
    }
    assert_eq!(found.len(), expected.len(), "{args:?}, {other_args:?}");
    if ours == "consensus" {
        assert_eq!(header(&out), header(&other), "{args:?}");
    }
    true
}

/// Compares random sets, of which each has a number. Most of them must not be refused.
fn random_sets(seed: u64, compare: impl Fn(&Folder, &mut Random, usize) -> bool) {
    let mut random = Random(seed);
    let folder = Folder::new();
    let sets = effort::times(12) as usize;
    let fine = (0..sets).filter(|number| compare(&folder, &mut random, *number)).count();
    assert!(fine * 10 > sets * 7, "{fine} of {sets} weren't refused");
}

/// A file of random molecules in template-coordinate order.
fn made(folder: &Folder, random: &mut Random, is_paired: bool) -> String {
    let sam = folder.file("made.sam", made_molecules(random, is_paired));
    let sorted = text(&folder.path("sorted.bam"));
    let run = biofast(&["sort", "-q", "--template-coordinate", "--no-PG", &sam, "-o", &sorted]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    sorted
}

fn group(folder: &Folder, random: &mut Random, strategy: &str) -> bool {
    let has_halves = strategy == "paired" || random.chance(20);
    let input = made(folder, random, has_halves);
    let mut given = Given::default();
    given.both(&["--strategy", strategy]);
    let edits = ["0", "1", "1", "2", "3"][random.below(5)];
    if strategy != "identity" && random.chance(60) {
        given.both(&["--edits", edits]);
    }
    let quality = ["0", "1", "20", "40"][random.below(4)];
    if random.chance(40) {
        given.each(&["--min-mapq", quality], &["--min-map-q", quality]);
    }
    if random.chance(25) {
        given.each(&["--include-non-pf"], &["--include-non-pf-reads"]);
    }
    if random.chance(20) {
        given.both(&["--allow-unmapped"]);
    }
    if strategy != "paired" && random.chance(25) {
        given.both(&["--min-umi-length", ["2", "4", "5"][random.below(3)]]);
    }
    if strategy == "identity" && random.chance(10) {
        given.each(&["--ignore-umi"], &["--no-umi"]);
    }
    let reports = ["sizes", "metrics"].map(|name| {
        ["ours", "theirs"].map(|whose| text(&folder.path(&format!("{whose}.{name}.txt"))))
    });
    let options = ["--family-size-histogram", "--grouping-metrics"];
    for (option, [ours, theirs]) in options.iter().zip(&reports) {
        given.each(&[option, ours], &[option, theirs]);
    }
    let is_fine = compare(folder, ("group", "group"), &input, &given);
    if is_fine {
        for [ours, theirs] in &reports {
            let read = |path: &String| std::fs::read_to_string(path).unwrap();
            assert_eq!(read(ours), read(theirs), "{:?}", given.0);
        }
    }
    is_fine
}

const STRATEGIES: [&str; 4] = ["identity", "edit", "adjacency", "paired"];

#[test]
#[ignore = "needs fgumi"]
fn random_templates_are_grouped_like_those_of_fgumi() {
    random_sets(154, |folder, random, number| group(folder, random, STRATEGIES[number % 4]));
}

/// Options of consensus reads.
fn consensus_options(random: &mut Random, given: &mut Given) {
    let quality = |random: &mut Random| (5 + random.below(60)).to_string();
    for option in ["--error-rate-pre-umi", "--error-rate-post-umi"] {
        let quality = quality(random);
        if random.chance(30) {
            given.both(&[option, &quality]);
        }
    }
    let quality = ["0", "2", "20", "30"][random.below(4)];
    if random.chance(40) {
        given.both(&["--min-input-base-quality", quality]);
    }
    if random.chance(20) {
        given.both(&["--trim"]);
    }
    if random.chance(30) {
        given.each(&["--no-overlap-consensus"], &["--consensus-call-overlapping-bases", "false"]);
    }
    if random.chance(20) {
        given.each(&["--no-per-base-tags"], &["--output-per-base-tags", "false"]);
    }
    if random.chance(20) {
        given.both(&["--allow-unmapped"]);
    }
    if random.chance(20) {
        given.both(&["--read-name-prefix", "made", "--read-group-id", "con"]);
    }
}

/// Molecules as `biofast umi group` writes them.
fn grouped(folder: &Folder, random: &mut Random, strategy: &str) -> Option<String> {
    let sorted = made(folder, random, strategy == "paired");
    let out = text(&folder.path("grouped.bam"));
    let args = ["umi", "group", "-q", "--strategy", strategy, "--min-mapq", "0", "--no-PG"];
    let more = if random.chance(30) { &["--allow-unmapped"][..] } else { &[] };
    let run = biofast(&[&args[..], more, &[&sorted, "-o", &out]].concat());
    (run.code == 0).then_some(out)
}

fn simplex(folder: &Folder, random: &mut Random) -> bool {
    let strategy = STRATEGIES[random.below(4)];
    let Some(input) = grouped(folder, random, strategy) else { return false };
    let mut given = Given::default();
    let least = 1 + random.below(3);
    given.both(&["--min-reads", &least.to_string()]);
    if random.chance(30) {
        given.both(&["--max-reads", &(least + random.below(3)).to_string()]);
    }
    if random.chance(30) {
        given.both(&["--min-consensus-base-quality", ["2", "20", "40"][random.below(3)]]);
    }
    consensus_options(random, &mut given);
    compare(folder, ("consensus", "simplex"), &input, &given)
}

fn duplex(folder: &Folder, random: &mut Random) -> bool {
    let Some(input) = grouped(folder, random, "paired") else { return false };
    let mut given = Given::default();
    given.each(&["--duplex"], &[]);
    let least = ["1", "1,1,0", "2,1,1", "3,2,0", "4,2,1", "2,2"][random.below(6)];
    if random.chance(80) {
        given.both(&["--min-reads", least]);
    }
    if random.chance(30) {
        let most = (1 + random.below(3)).to_string();
        given.each(&["--max-reads", &most], &["--max-reads-per-strand", &most]);
    }
    consensus_options(random, &mut given);
    compare(folder, ("consensus", "duplex"), &input, &given)
}

#[test]
#[ignore = "needs fgumi"]
fn random_families_have_the_consensus_of_fgumi() {
    random_sets(254, |folder, random, _| simplex(folder, random));
}

#[test]
#[ignore = "needs fgumi"]
fn random_families_have_the_duplex_consensus_of_fgumi() {
    random_sets(354, |folder, random, _| duplex(folder, random));
}

/// Consensus reads as an aligner gives them back, some of them turned.
fn aligned(folder: &Folder, random: &mut Random, consensus: &str) -> String {
    let run = biofast(&["view", "-h", "--no-PG", consensus]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut sam = String::new();
    for line in run.stdout.lines() {
        let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if !line.starts_with('@') {
            let flags: u16 = fields[1].parse().unwrap();
            let strand = if random.chance(50) { 16 } else { 0 };
            fields[1] = (flags & !12 | strand).to_string();
            let cigar = format!("{}M", fields[9].len());
            for (index, value) in [(2, "c1"), (3, "101"), (4, "60"), (5, &cigar)] {
                fields[index] = value.to_owned();
            }
            fields.extend(["NM:i:1".to_owned(), "MD:Z:1".to_owned()]);
        }
        sam += &(fields.join("\t") + "\n");
        if line.starts_with("@HD") {
            sam += "@SQ\tSN:c1\tLN:1000\n";
        }
    }
    let sam = folder.file("aligned.sam", sam);
    let bam = text(&folder.path("aligned.bam"));
    let run = biofast(&["view", "--no-PG", &sam, "-o", &bam]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    bam
}

fn filter(folder: &Folder, random: &mut Random) -> bool {
    let is_duplex = random.chance(50);
    let strategy = if is_duplex { "paired" } else { "adjacency" };
    let Some(input) = grouped(folder, random, strategy) else { return false };
    let consensus = text(&folder.path("consensus.bam"));
    let duplex: &[&str] =
        if is_duplex { &["--duplex", "--min-reads", "1,1,0"] } else { &["--min-reads", "1"] };
    let args = ["umi", "consensus", "-q", "--no-PG", &input, "-o", &consensus];
    if biofast(&[&args[..], duplex].concat()).code != 0 {
        return false;
    }
    let mut given = Given::default();
    given.both(&["--min-reads", ["1", "2", "3,2,1", "2,1,0", "1,1,0"][random.below(5)]]);
    let rates = ["0.0", "0.05", "0.1,0.05,0.2", "0.3", "1"];
    for option in ["--max-read-error-rate", "--max-base-error-rate"] {
        let rate = rates[random.below(5)];
        if random.chance(50) {
            given.both(&[option, rate]);
        }
    }
    for (option, values) in [
        ("--min-base-quality", ["20", "40", "60"]),
        ("--min-mean-base-quality", ["20", "35.5", "50"]),
        ("--max-no-call-fraction", ["0.05", "0.5", "3"]),
    ] {
        let value = values[random.below(3)];
        if random.chance(40) {
            given.both(&[option, value]);
        }
    }
    if random.chance(30) {
        given.both(&["--require-single-strand-agreement"]);
    }
    if random.chance(20) {
        given.each(&["--single-records"], &["--filter-by-template", "false"]);
    }
    if random.chance(60) {
        return compare(folder, ("filter", "filter"), &consensus, &given);
    }
    let aligned = aligned(folder, random, &consensus);
    let bases: String = (0..1000).map(|_| char::from(b"ACGT"[random.below(4)])).collect();
    let reference = folder.file("reference.fa", format!(">c1\n{bases}\n"));
    given.each(&[], &["--ref", &reference]);
    if random.chance(70) {
        given.both(&["--reverse-per-base-tags"]);
    }
    compare(folder, ("filter", "filter"), &aligned, &given)
}

#[test]
#[ignore = "needs fgumi"]
fn random_consensus_reads_are_filtered_like_those_of_fgumi() {
    random_sets(454, |folder, random, _| filter(folder, random));
}

/// Unaligned pairs with UMIs near to those of a list, and the list.
fn tagged(random: &mut Random) -> (String, Vec<String>) {
    let len = 4 + random.below(8);
    let letters = |random: &mut Random, len: usize| -> String {
        (0..len).map(|_| char::from(b"ACGT"[random.below(4)])).collect()
    };
    let umis: Vec<String> = (0..1 + random.below(40)).map(|_| letters(random, len)).collect();
    let mut sam = String::from("@HD\tVN:1.6\tSO:unsorted\tGO:query\n@RG\tID:A\tSM:s\tLB:l\n");
    let parts = 1 + random.below(2);
    for number in 0..random.below(200) {
        let near = |random: &mut Random| {
            let mut umi = umis[random.below(umis.len())].clone();
            for _ in 0..random.below(4) {
                let at = random.below(len);
                umi.replace_range(at..=at, ["A", "C", "G", "T", "N"][random.below(5)]);
            }
            match random.below(40) {
                0 => umi.truncate(len - 1),
                1 => umi = umi.to_lowercase(),
                _ => {}
            }
            umi
        };
        let umi = (0..parts).map(|_| near(random)).collect::<Vec<_>>().join("-");
        let tags = match random.below(30) {
            0 => "RG:Z:A".to_owned(),
            1 => format!("RX:Z:{umi}\tOX:Z:{umi}x\tRG:Z:A"),
            _ => format!("RX:Z:{umi}\tRG:Z:A"),
        };
        let flags: &[u16] = if random.chance(80) { &[77, 141] } else { &[4] };
        for flags in flags {
            sam += &format!("q{number}\t{flags}\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\t{tags}\n");
        }
    }
    (sam, umis)
}

fn correct(folder: &Folder, random: &mut Random) -> bool {
    let (sam, umis) = tagged(random);
    let sam = folder.file("tagged.sam", sam);
    let input = text(&folder.path("tagged.bam"));
    assert_eq!(biofast(&["view", "--no-PG", &sam, "-o", &input]).code, 0);
    let list = folder.file("kit.txt", umis.join("\n") + "\n");
    let mut given = Given::default();
    given.both(&["--umi-files", &list]);
    given.both(&["--max-mismatches", ["0", "1", "2", "3"][random.below(4)]]);
    let delta = ["0", "1", "2", "3"][random.below(4)];
    given.each(&["--min-mismatch-delta", delta], &["--min-distance", delta]);
    if random.chance(20) {
        given.both(&["--revcomp"]);
    }
    if random.chance(20) {
        given.each(&["--no-original"], &["--dont-store-original"]);
    }
    let [ours, theirs] = ["ours", "theirs"].map(|whose| {
        ["rejected.bam", "metrics.txt"].map(|name| text(&folder.path(&format!("{whose}.{name}"))))
    });
    given.each(
        &["--rejected", &ours[0], "--correction-metrics", &ours[1]],
        &["--rejects", &theirs[0], "--metrics", &theirs[1]],
    );
    let is_fine = compare(folder, ("correct", "correct"), &input, &given);
    if is_fine {
        assert_eq!(records(&ours[0]), records(&theirs[0]), "{:?}", given.0);
        let read = |path: &String| std::fs::read_to_string(path).unwrap();
        assert_eq!(read(&ours[1]), read(&theirs[1]), "{:?}", given.0);
    }
    is_fine
}

#[test]
#[ignore = "needs fgumi"]
fn random_umis_are_corrected_like_those_of_fgumi() {
    random_sets(554, |folder, random, _| correct(folder, random));
}

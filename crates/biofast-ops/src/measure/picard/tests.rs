//! The counts against those of a plain reading of SAM text, letter by letter.

use std::collections::BTreeMap;

use biofast_bam::{Detail, Fasta, Input, InputOptions};
use biofast_io::{Options, Source};
use biofast_testkit::effort::times;
use biofast_testkit::sam::{self, REFERENCES, SamShape};

use super::alignment_summary::Category;
use super::{MetricSelection, Picard, PicardMeasure};
use crate::measure::alignments::StatisticsMeasure;
use crate::measure::compat::SamtoolsVersion;
use crate::measure::qc::{self, MeasureList};

fn collect(text: &str, reference: &Fasta, threads: usize, samtools_stats: bool) -> Picard {
    let options = Options { threads, chunk_size: 9000, ..Options::default() };
    let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
    let source = Source::from_reader("x", std::io::Cursor::new(text.as_bytes().to_vec()));
    let input = Input::open(source, &opened).unwrap();
    let wanted = MetricSelection {
        alignment_summary: true,
        insert_size: true,
        quality_by_cycle: true,
        quality_distribution: true,
        base_distribution: true,
        gc_bias: true,
        wgs: false,
        hs: false,
    };
    let mut measures = MeasureList::new();
    let reference = Some(reference.clone());
    if samtools_stats {
        measures.add(StatisticsMeasure::samtools(SamtoolsVersion::default(), reference.clone()));
    }
    measures.add(PicardMeasure::new(wanted, reference, false));
    qc::collect(input.source, &options, measures).unwrap().take::<Picard>().unwrap()
}

/// Counts of reads, letter by letter.
#[derive(Debug, Default, PartialEq)]
struct Plain {
    total: u64,
    passed: u64,
    aligned: u64,
    in_pairs: u64,
    aligned_bases: u64,
    mismatches: u64,
    high_quality: [u64; 3],
    indels: u64,
    soft_clipped: u64,
    bad_bases: BTreeMap<usize, u64>,
}

impl From<&Category> for Plain {
    fn from(found: &Category) -> Plain {
        let bad = found.bad_bases.iter().copied().enumerate().filter(|(_, bases)| *bases > 0);
        Plain {
            total: found.total,
            passed: found.passed,
            aligned: found.aligned,
            in_pairs: found.in_pairs,
            aligned_bases: found.aligned_bases,
            mismatches: found.mismatches,
            high_quality: found.high_quality,
            indels: found.indels,
            soft_clipped: found.soft_clipped,
            bad_bases: bad.collect(),
        }
    }
}

#[derive(Default)]
struct ExpectedMetrics {
    /// First, second and unpaired.
    categories: [Plain; 3],
    qualities: Vec<u64>,
    /// By end and cycle.
    bases: [BTreeMap<usize, [u64; 5]>; 2],
    sums: [BTreeMap<usize, (u64, u64)>; 2],
    inserts: BTreeMap<u64, u64>,
}

fn count(text: &str, references: &BTreeMap<String, Vec<u8>>) -> ExpectedMetrics {
    let mut all = ExpectedMetrics { qualities: vec![0; 256], ..ExpectedMetrics::default() };
    for line in text.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let flags: u32 = fields[1].parse().unwrap();
        let has = |bit: u32| flags & bit != 0;
        if has(0x900) {
            continue;
        }
        let size: i64 = fields[8].parse().unwrap();
        if has(1) && !has(4) && !has(8) && !has(0x40) && !has(0x400) && size != 0 {
            *all.inserts.entry(size.unsigned_abs()).or_default() += 1;
        }
        let (bases, qualities) = (fields[9].as_bytes(), fields[10].as_bytes());
        let end = usize::from(has(1) && has(0x80));
        for (at, &base) in bases.iter().enumerate() {
            let cycle = if has(16) { bases.len() - at } else { at + 1 };
            let class = b"ACGT".iter().position(|letter| *letter == base).unwrap_or(4);
            all.bases[end].entry(cycle).or_default()[class] += 1;
            let quality = u64::from(qualities[at] - b'!');
            all.qualities[quality as usize] += u64::from(base != b'N');
            let sums = all.sums[end].entry(cycle).or_default();
            *sums = (sums.0 + quality, sums.1 + 1);
        }
        let category = if !has(1) { 2 } else { usize::from(!has(0x40)) };
        let counts = &mut all.categories[category];
        counts.total += 1;
        let passed = !has(0x200);
        counts.passed += u64::from(passed);
        let mut bad = |at: usize| {
            let cycle = if has(16) { bases.len() - at } else { at + 1 };
            *counts.bad_bases.entry(cycle).or_default() += 1;
        };
        if !passed || has(4) {
            (0..bases.len()).filter(|&at| bases[at] == b'N').for_each(bad);
            continue;
        }
        counts.aligned += 1;
        counts.in_pairs += u64::from(has(1) && !has(8));
        let is_high = fields[4].parse::<u8>().unwrap() >= 20;
        counts.high_quality[0] += u64::from(is_high);
        let reference = &references[fields[2]];
        let (mut at, mut base, mut len) = (fields[3].parse::<usize>().unwrap() - 1, 0, 0);
        for letter in fields[5].bytes() {
            if letter.is_ascii_digit() {
                len = 10 * len + usize::from(letter - b'0');
                continue;
            }
            if b"M=X".contains(&letter) {
                for n in 0..len {
                    let (own, expected) = (bases[base + n], reference[at + n].to_ascii_uppercase());
                    counts.aligned_bases += 1;
                    counts.mismatches += u64::from(own != expected);
                    if own != expected || own == b'N' {
                        bad(n);
                    }
                    counts.high_quality[1] += u64::from(is_high);
                    counts.high_quality[2] += u64::from(is_high && qualities[base + n] >= b'5');
                }
            }
            counts.indels += u64::from(b"ID".contains(&letter));
            counts.soft_clipped += if letter == b'S' { len as u64 } else { 0 };
            at += if b"M=XDN".contains(&letter) { len } else { 0 };
            base += if b"M=XIS".contains(&letter) { len } else { 0 };
            len = 0;
        }
    }
    all
}

/// Windows by GC content, each counted for itself.
fn windows(references: &BTreeMap<String, Vec<u8>>) -> [u64; 101] {
    let mut windows = [0; 101];
    for bases in references.values() {
        for start in 1..bases.len() - 100 {
            let window = bases[start..start + 100].to_ascii_uppercase();
            if window.iter().filter(|&&base| base == b'N').count() <= 4 {
                windows[window.iter().filter(|base| b"GC".contains(base)).count()] += 1;
            }
        }
    }
    windows
}

#[test]
fn counts_are_those_of_a_plain_reading() {
    for seed in 1..4 {
        let shape =
            SamShape { records: 700, sorted: seed % 2 == 0, longest: 120, oddities: false, seed };
        let text = sam::text(&shape);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ref.fa");
        let fasta = sam::fasta(seed);
        std::fs::write(&path, &fasta).unwrap();
        let mut references: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for part in fasta.split('>').filter(|part| !part.is_empty()) {
            let (name, bases) = part.split_once('\n').unwrap();
            let name = name.split_whitespace().next().unwrap().to_owned();
            references.insert(name, bases.bytes().filter(|b| *b != b'\n').collect());
        }
        assert_eq!(references.len(), REFERENCES.len());
        let plain = count(&text, &references);
        let ways = [(1, false), (3, true), (2, false)];
        for (threads, samtools) in
            ways.into_iter().cycle().skip(seed as usize).take(times(1).min(3) as usize)
        {
            let reference = Fasta::open(&path).unwrap();
            let Picard { alignment_summary, insert_size, cycles, gc_bias, .. } =
                collect(&text, &reference, threads, samtools);
            let summary = alignment_summary.unwrap();
            let found = [&summary.first, &summary.second, &summary.unpaired].map(Plain::from);
            assert_eq!(found, plain.categories, "seed {seed}");
            assert!(found.iter().all(|found| found.mismatches > 0 && found.soft_clipped > 0));
            let cycles = cycles.unwrap();
            assert_eq!(cycles.histogram, plain.qualities);
            for end in 0..2 {
                assert_eq!(cycles.bases[end].len(), plain.bases[end].len());
                for (cycle, bases) in &plain.bases[end] {
                    assert_eq!(cycles.bases[end][cycle - 1], *bases);
                    assert_eq!(cycles.qualities[end][cycle - 1], plain.sums[end][cycle]);
                }
            }
            let gc_bias = gc_bias.unwrap();
            assert_eq!(*gc_bias.windows, windows(&references));
            assert!(gc_bias.by_gc.iter().map(|class| class.errors).sum::<u64>() > 0);
            let pairs: u64 = plain.inserts.values().sum();
            let rows = insert_size.unwrap().rows();
            let shown: f64 = rows.iter().map(|row| row.all.count()).sum();
            assert!(shown > 0.9 * pairs as f64 && shown <= pairs as f64);
        }
    }
}

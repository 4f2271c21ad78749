//! Alignments made of reads: the genome is what the reads say, and further fragments are drawn of it.

use std::fmt::Write;

use anyhow::{Result, bail};

use super::Read;

/// Texts of files.
pub(super) struct Alignments {
    /// Sorted by coordinate, of one sample in two read groups.
    pub(super) sam: String,
    /// The references, 60 bases a line.
    pub(super) genome: String,
    /// Some intervals of them, as BED.
    pub(super) targets: String,
}

/// How many of three parts of the pairs lie on the first reference.
const FIRST: usize = 2;
/// The score, as it is written, up to which a base of a drawn fragment is wrong: Q14.
const WRONG: u8 = b'/';

/// A line of SAM and where it belongs.
struct SamLine {
    reference: usize,
    position: usize,
    text: String,
}

/// Where a pair lies.
struct PairPosition {
    reference: usize,
    /// Of the first base, from 0.
    start: usize,
    /// From the first base of one mate to the last of the other.
    len: usize,
}

impl Alignments {
    /// Each pair lies once where it was put, and up to three fragments more begin near it.
    pub(super) fn of(firsts: &[Read], seconds: &[Read]) -> Result<Alignments> {
        let mut random = Random(20_261_124);
        let mut genome = [Vec::new(), Vec::new()];
        let mut places = Vec::new();
        for (i, (first, second)) in firsts.iter().zip(seconds).enumerate() {
            if first.name != second.name {
                bail!("the sample's mates differ in their names");
            }
            let reference = usize::from(i >= firsts.len() * FIRST / 3);
            let bases = &mut genome[reference];
            let start = bases.len();
            bases.extend(first.sequence.iter().map(|&base| random.unless_letter(base)));
            let between = 20 + random.below(120);
            bases.extend((0..between).map(|_| random.base()));
            let second: Vec<u8> = second.sequence.iter().rev().map(|&b| complement(b)).collect();
            bases.extend(second.iter().map(|&base| random.unless_letter(base)));
            places.push(PairPosition { reference, start, len: bases.len() - start });
            bases.extend((0..random.below(60)).map(|_| random.base()));
        }
        let mut lines = Vec::new();
        let mut unmapped = String::new();
        for (i, place) in places.iter().enumerate() {
            let (first, second) = (&firsts[i], &seconds[i]);
            if i % 50 == 49 {
                for (flag, read) in [(77, first), (141, second)] {
                    let name = String::from_utf8_lossy(&read.name);
                    let bases = String::from_utf8_lossy(&read.sequence);
                    let qualities = String::from_utf8_lossy(&read.qualities);
                    writeln!(
                        unmapped,
                        "{name}\t{flag}\t*\t0\t0\t*\t*\t0\t0\t{bases}\t{qualities}\tRG:Z:lane1"
                    )?;
                }
                continue;
            }
            for copy in 0..=i % 4 {
                let shift = 11 * copy;
                let bases = &genome[place.reference];
                let start = place.start + shift;
                if start + place.len > bases.len() {
                    continue;
                }
                pair(
                    &mut lines,
                    (first, second),
                    copy,
                    &PairPosition { start, ..*place },
                    bases,
                    i,
                )?;
            }
        }
        lines.sort_by_key(|line| (line.reference, line.position));
        let mut sam = "@HD\tVN:1.6\tSO:coordinate\n".to_owned();
        for (i, bases) in genome.iter().enumerate() {
            writeln!(sam, "@SQ\tSN:chr{}\tLN:{}", i + 1, bases.len())?;
        }
        for lane in 1..=2 {
            writeln!(sam, "@RG\tID:lane{lane}\tSM:demo\tLB:library\tPL:ILLUMINA")?;
        }
        lines.iter().for_each(|line| sam.push_str(&line.text));
        sam.push_str(&unmapped);
        let mut fasta = String::new();
        let mut targets = String::new();
        for (i, bases) in genome.iter().enumerate() {
            writeln!(fasta, ">chr{}", i + 1)?;
            for line in bases.chunks(60) {
                writeln!(fasta, "{}", String::from_utf8_lossy(line))?;
            }
            for start in (1000..bases.len().saturating_sub(2000)).step_by(20_000) {
                writeln!(targets, "chr{}\t{start}\t{}\ttarget{start}", i + 1, start + 1500)?;
            }
        }
        Ok(Alignments { sam, genome: fasta, targets })
    }
}

/// The two lines of a pair.
fn pair(
    lines: &mut Vec<SamLine>,
    (first, second): (&Read, &Read),
    copy: usize,
    place: &PairPosition,
    genome: &[u8],
    number: usize,
) -> Result<()> {
    let (first_start, second_start) =
        (place.start, place.start + place.len - second.sequence.len());
    let quality = if number.is_multiple_of(17) { number % 30 } else { 60 };
    let duplicate = if copy == 1 && number % 20 == 1 { 1024 } else { 0 };
    let lane = 1 + number % 2;
    let len = place.len;
    for (read, flag, start, mate, sign) in [
        (first, 99 + duplicate, first_start, second_start, ""),
        (second, 147 + duplicate, second_start, first_start, "-"),
    ] {
        let (mut bases, mut qualities) = (read.sequence.clone(), read.qualities.clone());
        if flag & 16 > 0 {
            bases = bases.iter().rev().map(|&base| complement(base)).collect();
            qualities.reverse();
        }
        let expected = &genome[start..start + bases.len()];
        if copy > 0 {
            for ((base, &quality), &of_genome) in bases.iter_mut().zip(&qualities).zip(expected) {
                *base = if quality <= WRONG { complement(of_genome) } else { of_genome };
            }
        }
        let wrong = bases.iter().zip(expected).filter(|(a, b)| !a.eq_ignore_ascii_case(b)).count();
        let mut text = String::new();
        let name = String::from_utf8_lossy(&read.name);
        let copy = if copy > 0 { copy.to_string() } else { String::new() };
        writeln!(
            text,
            "{name}{copy}\t{flag}\tchr{}\t{}\t{quality}\t{}M\t=\t{}\t{sign}{len}\t{}\t{}\tNM:i:{wrong}\tRG:Z:lane{lane}",
            place.reference + 1,
            start + 1,
            bases.len(),
            mate + 1,
            String::from_utf8_lossy(&bases).to_uppercase(),
            String::from_utf8_lossy(&qualities),
        )?;
        lines.push(SamLine { reference: place.reference, position: start, text });
    }
    Ok(())
}

fn complement(base: u8) -> u8 {
    match base.to_ascii_uppercase() {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => other,
    }
}

/// Numbers that are the same in every build.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        // Knuth's constants of MMIX.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn base(&mut self) -> u8 {
        b"ACGT"[self.below(4)]
    }

    /// The letter in upper case, or a drawn one for what is no base.
    fn unless_letter(&mut self, base: u8) -> u8 {
        match base.to_ascii_uppercase() {
            base @ (b'A' | b'C' | b'G' | b'T') => base,
            _ => self.base(),
        }
    }
}

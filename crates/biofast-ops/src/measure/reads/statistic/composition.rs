//! What the sequences are made of: letters that aren't A, C, G, T or N, and reads by GC percent. A, C, G, T and N are counted
//! [by position](super::positions).

use std::collections::BTreeMap;

use biofast_kernels::{self as kernels, GcCounts};
use serde::{Deserialize, Serialize};

use crate::measure::reads::measured::{MeasuredRead, SectionSchema, Statistic};
use crate::measure::reads::numbers::InvalidReport;
use crate::measure::reads::summary::Summary;

/// Counts of letters.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct LetterCounts {
    /// How often each byte occurs that is not one of `ACGTNacgtn`.
    pub(crate) others: [u64; 256],
    /// Reads by GC percent, rounded to the nearest integer (halves up).
    pub(crate) gc: [u64; 101],
}

impl Default for LetterCounts {
    fn default() -> Self {
        LetterCounts { others: [0; 256], gc: [0; 101] }
    }
}

/// What the sequences are made of, as reported.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Composition {
    /// A and a.
    pub a: u64,
    /// C and c.
    pub c: u64,
    /// G and g.
    pub g: u64,
    /// T and t.
    pub t: u64,
    /// N and n.
    pub n: u64,
    /// Every other character by itself.
    pub other: BTreeMap<char, u64>,
    /// (G+C) / (A+C+G+T) in percent.
    pub gc_percent: f64,
    /// (G+C) / all characters in percent.
    pub gc_percent_of_all: f64,
    /// N / all characters in percent.
    pub n_percent: f64,
    /// `-` and `.`.
    pub gaps: u64,
    /// Reads by GC percent, 0 to 100. Reads without A, C, G and T are in no class.
    pub gc_histogram: Vec<u64>,
}

impl Statistic for LetterCounts {
    type Section = Composition;
    const SCHEMA: SectionSchema =
        SectionSchema::one("composition", include_str!("composition.json"));

    #[inline]
    fn add(&mut self, read: &MeasuredRead<'_>) {
        let len = read.len();
        if read.counts.acgt < len {
            self.count_others(read.sequence, len - read.counts.acgt);
        }
        if let Some(percent) = gc_percent(&read.counts) {
            self.gc[percent] += 1;
        }
    }

    fn merge(&mut self, other: &LetterCounts) {
        let LetterCounts { others, gc } = other;
        self.others.iter_mut().zip(others).for_each(|(a, b)| *a += b);
        self.gc.iter_mut().zip(gc).for_each(|(a, b)| *a += b);
    }

    fn section(&self, s: &Summary) -> Composition {
        let LetterCounts { others, gc } = self;
        let others = (0u8..=255).zip(others).filter(|&(_, &n)| n > 0);
        Composition {
            a: s.counts.a,
            c: s.counts.c,
            g: s.counts.g,
            t: s.counts.t,
            n: s.counts.n,
            other: others.map(|(b, &n)| (char::from(b), n)).collect(),
            gc_percent: s.gc.value(),
            gc_percent_of_all: s.gc_of_all.value(),
            n_percent: s.n.value(),
            gaps: s.gaps,
            gc_histogram: gc.to_vec(),
        }
    }

    fn read_back(section: &Composition) -> Result<LetterCounts, InvalidReport> {
        let mut others = [0; 256];
        for (&letter, &n) in &section.other {
            let byte = u8::try_from(letter)
                .map_err(|_| InvalidReport::Inconsistent("a base that is not one byte"))?;
            others[usize::from(byte)] = n;
        }
        let gc = <&[u64; 101]>::try_from(&section.gc_histogram[..])
            .map_err(|_| InvalidReport::Inconsistent("gc_histogram needs 101 entries"))?;
        Ok(LetterCounts { others, gc: *gc })
    }
}

impl LetterCounts {
    /// Counts letters that aren't A, C, G, T or N one by one.
    fn count_others(&mut self, sequence: &[u8], not_acgt: u64) {
        if kernels::count_n(sequence) == not_acgt {
            return;
        }
        for &base in sequence {
            if !matches!(base, b'A' | b'C' | b'G' | b'T' | b'N' | b'a' | b'c' | b'g' | b't' | b'n')
            {
                self.others[usize::from(base)] += 1;
            }
        }
    }
}

/// (G+C) / (A+C+G+T) in percent, rounded to the nearest integer, halves up.
#[inline]
fn gc_percent(counts: &GcCounts) -> Option<usize> {
    let GcCounts { gc, acgt } = *counts;
    // Most reads are short enough for the faster division.
    let percent = match u32::try_from(acgt) {
        Ok(0) => return None,
        Ok(acgt) if acgt < 1 << 24 => u64::from((200 * gc as u32 + acgt) / (2 * acgt)),
        _ => (200 * gc + acgt) / (2 * acgt),
    };
    Some(percent as usize)
}

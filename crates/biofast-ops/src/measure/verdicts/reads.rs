//! Figures of reads in words.

use super::checks::{Check, CheckKind, fastqc};
use super::measured::{Measured, MeasuredValue, found, shown};
use super::verdict::Bad;
use crate::measure::reads::Encoding;
use crate::measure::reads::gc_model::{self, Normal};
use crate::measure::reads::statistic::Statistics;
use crate::measure::reads::statistic::positions::Position;
use crate::number::{grouped, percent};

/// A share of N, G or C at a position is chance where fewer bases are.
const ENOUGH_BASES: u64 = 1000;
/// So many reads make a curve of GC.
const ENOUGH_READS: u64 = 1000;
/// The last bases of reads of different lengths, which trimming chooses: what ends like an adapter was cut.
const LAST: u64 = 3;
/// The first bases, which primers and enzymes choose: FastQC speaks of 12.
const FIRST: usize = 12;

/// What a check measures of several sets of reads, each with its name: the worst of them.
pub(super) fn measure(check: &Check, sets: &[(&str, &Statistics)]) -> Measured {
    if check.kind == CheckKind::Reads {
        return number(sets.iter().map(|(_, reads)| reads.reads).sum());
    }
    let mut worst: Option<MeasuredValue> = None;
    let mut missing = "there are no reads";
    for (name, reads) in sets {
        let mut one = match of(check.kind, reads) {
            Measured::Missing(why) => {
                missing = why;
                continue;
            }
            Measured::Found(one) => one,
        };
        if sets.len() > 1 {
            one.says += &format!(" ({name})");
        }
        let is_worse = |worst: &MeasuredValue| match check.bad() {
            Bad::Above => one.value > worst.value,
            Bad::Below => one.value < worst.value,
        };
        if worst.as_ref().is_none_or(is_worse) {
            worst = Some(one);
        }
    }
    worst.map_or(Measured::Missing(missing), Measured::Found)
}

/// What a check measures of reads.
fn of(kind: CheckKind, reads: &Statistics) -> Measured {
    if reads.reads == 0 {
        return Measured::Missing("there are no reads");
    }
    match kind {
        CheckKind::EmptyReads => empty(reads),
        CheckKind::Length => length(reads),
        CheckKind::Quality => quality(reads),
        CheckKind::Q30 => q30(reads),
        CheckKind::Encoding => encoding(reads),
        CheckKind::LowestQuality => lowest_quality(reads),
        CheckKind::N => unknown(reads),
        CheckKind::NByPosition => unknown_by_position(reads),
        CheckKind::Gc => gc(reads),
        CheckKind::FirstBases => composition(reads, |position| position.end <= FIRST),
        CheckKind::Bases => composition(reads, |position| position.start > FIRST),
        CheckKind::Adapters => adapters(reads),
        CheckKind::PolyG => poly_g(reads),
        CheckKind::Duplication => duplication(reads),
        CheckKind::Overrepresented => overrepresented(reads),
        _ => Measured::Missing("it applies to alignments"),
    }
}

fn number(reads: u64) -> Measured {
    let says = match reads {
        0 => "There are no reads".into(),
        1 => "There is one read".into(),
        n => format!("There are {} reads", grouped(n)),
    };
    let advice = "Percentages of so few reads mean little: check that the input is complete and that no earlier step dropped reads.";
    found(reads as f64, says, advice)
}

fn empty(reads: &Statistics) -> Measured {
    let empty = reads.length.histogram.first().filter(|row| row.0 == 0).map_or(0, |row| row.1);
    let share = percent(empty, reads.reads);
    let says = match empty {
        0 => "Every read has bases".into(),
        n => format!("{} reads ({} %) have no bases", grouped(n), shown(share)),
    };
    let advice =
        "Trimming leaves empty reads, and some aligners stop at them: set a minimum length.";
    found(share, says, advice)
}

fn length(reads: &Statistics) -> Measured {
    let mean = reads.bases as f64 / reads.reads as f64;
    let says = format!("Reads have {} bases on average", shown(mean));
    let advice =
        "Reads this short map to many places: check for adapter dimers and for excessive trimming.";
    found(mean, says, advice)
}

const NO_QUALITIES: &str = "the reads have no qualities";

fn quality(reads: &Statistics) -> Measured {
    let Some(mean) = reads.quality.mean else { return Measured::Missing(NO_QUALITIES) };
    let says = format!("The mean quality of the bases is {}", shown(mean));
    let advice = "Trim low-quality ends or drop low-quality reads, and check the metrics of the run: if other samples are as bad, the run is the cause.";
    found(mean, says, advice)
}

fn q30(reads: &Statistics) -> Measured {
    let histogram = &reads.quality.histogram;
    let all: u64 = histogram.iter().map(|row| row.1).sum();
    if all == 0 {
        return Measured::Missing(NO_QUALITIES);
    }
    let good = histogram.iter().filter(|row| row.0 >= 30).map(|row| row.1).sum();
    let share = percent(good, all);
    let says = format!("{} % of the bases have quality 30 or more", shown(share));
    let advice = "Trim low-quality ends or drop low-quality reads, and check the run: clusters may be too dense, reagents too old, or reads longer than their inserts.";
    found(share, says, advice)
}

fn encoding(reads: &Statistics) -> Measured {
    let quality = &reads.quality;
    if quality.histogram.is_empty() {
        return Measured::Missing(NO_QUALITIES);
    }
    let share = match quality.encoding == Encoding::Phred33.name() {
        true => 0.0,
        false => percent(quality.phred64_reads, reads.reads),
    };
    let says = match share > 0.0 {
        true => format!(
            "{} % of the reads have qualities that look like Phred+64 ({})",
            shown(share),
            quality.encoding
        ),
        false => "The qualities are Phred+33".into(),
    };
    let advice = "Qualities are read as Phred+33, so those of these reads are 31 too high: convert the file with `biofast convert --phred64`; separate a mixture first.";
    found(share, says, advice)
}

/// Bases at a position, or on average at the positions of a bin.
fn reached(position: &Position) -> u64 {
    let width = (position.end + 1).saturating_sub(position.start).max(1) as u64;
    position.bases.iter().sum::<u64>() / width
}

/// Positions that a hundredth of the reads reach: what few reads have is no verdict on all.
fn common(reads: &Statistics) -> impl Iterator<Item = &Position> {
    let most = reads.positions.iter().map(reached).max().unwrap_or(0);
    reads.positions.iter().filter(move |position| 100 * reached(position) >= most)
}

/// `position 12`, or `positions 1,001–1,044`.
fn place(position: &Position) -> String {
    match position.start == position.end {
        true => format!("position {}", grouped(position.start as u64)),
        false => {
            format!("positions {}–{}", grouped(position.start as u64), grouped(position.end as u64))
        }
    }
}

/// The first of the positions with the largest value.
fn largest<'a>(values: impl Iterator<Item = (&'a Position, f64)>) -> Option<(&'a Position, f64)> {
    values.fold(None, |most, (position, value)| match most {
        Some((_, other)) if value <= other => most,
        _ => Some((position, value)),
    })
}

fn lowest_quality(reads: &Statistics) -> Measured {
    let enough = |p: &&Position| p.qualities.iter().map(|row| row.1).sum::<u64>() > fastqc::ENOUGH;
    let medians = common(reads)
        .filter(enough)
        .filter_map(|position| Some((position, -f64::from(position.quality_percentiles?[2]))));
    let Some((position, lowest)) = largest(medians) else {
        return Measured::Missing(match reads.quality.histogram.is_empty() {
            true => NO_QUALITIES,
            false => "no position has the qualities of more than 100 reads",
        });
    };
    let says = format!("The lowest median quality is {}, at {}", shown(-lowest), place(position));
    let advice = "Low-quality ends can be trimmed; a single bad position among good ones means a fault in that cycle of the run.";
    found(-lowest, says, advice)
}

fn unknown(reads: &Statistics) -> Measured {
    if reads.bases == 0 {
        return Measured::Missing("there are no bases");
    }
    let share = percent(reads.composition.n, reads.bases);
    let says = format!("{} % of the bases are N", shown(share));
    let advice = "The sequencer couldn't call these bases: drop reads with many of them, and check the run; in reference sequences N are gaps.";
    found(share, says, advice)
}

fn unknown_by_position(reads: &Statistics) -> Measured {
    let shares = common(reads)
        .map(|p| (p, p.bases[4], p.bases[..5].iter().sum::<u64>()))
        .filter(|(.., all)| *all > fastqc::ENOUGH)
        .map(|(position, n, all)| (position, percent(n, all)));
    let Some((position, most)) = largest(shares) else {
        return Measured::Missing("no position has the bases of more than 100 reads");
    };
    let says = match most > 0.0 {
        true => format!("{} % of the bases at {} are N", shown(most), place(position)),
        false => "No position has N".into(),
    };
    let advice = "The sequencer couldn't call bases in that cycle: trim the position, or leave out the reads of the worst tiles.";
    found(most, says, advice)
}

fn gc(reads: &Statistics) -> Measured {
    let histogram = match reads.reads {
        ..ENOUGH_READS => {
            return Measured::Missing("fewer than 1,000 reads are too few for a curve");
        }
        _ => gc_model::without_gaps(reads),
    };
    let Some((histogram, normal)) = histogram.and_then(|h| Some((h, Normal::of(&h)?))) else {
        return Measured::Missing("all reads have the same GC");
    };
    let deviation = normal.deviation(&histogram);
    let says = format!(
        "{} % of the reads deviate from a normal GC distribution around {} %",
        shown(deviation),
        shown(normal.mode())
    );
    let advice = "A second peak means a second source: another organism, rRNA or adapter dimers. Align some reads with its GC to find out.";
    found(deviation, says, advice)
}

fn composition(reads: &Statistics, is_asked: impl Fn(&Position) -> bool) -> Measured {
    let known = |p: &Position| p.bases[..4].iter().sum::<u64>();
    let length = &reads.length;
    let is_trimmed = |p: &Position| length.min < length.max && p.end as u64 + LAST > length.max;
    let values = common(reads)
        .filter(|p| is_asked(p) && !is_trimmed(p) && known(p) >= ENOUGH_BASES)
        .map(|p| (p, differences(p).into_iter().fold(0.0, f64::max)));
    let Some((position, most)) = largest(values) else {
        return Measured::Missing("no such position has the bases of 1,000 reads");
    };
    let [at, gc] = differences(position);
    let bases = if at >= gc { "A and T" } else { "G and C" };
    let says = format!("{bases} differ by {} points at {}", shown(most), place(position));
    let advice = "Many reads share something there: an adapter, primer, barcode or tag, or an effect of trimming. Trim it, unless it is part of the library design.";
    found(most, says, advice)
}

/// How much A and T, and G and C, differ, in percent of all four.
fn differences(position: &Position) -> [f64; 2] {
    let [a, c, g, t, ..] = position.bases;
    [(a, t), (g, c)].map(|(x, y)| percent(x.abs_diff(y), a + c + g + t))
}

fn adapters(reads: &Statistics) -> Measured {
    let Some(content) = reads.qc.as_ref().and_then(|qc| qc.adapters.as_ref()) else {
        return Measured::Missing("adapters were not searched");
    };
    let Some((name, share)) = content.most_frequent() else {
        return Measured::Missing("no read is longer than the 12 bases searched");
    };
    let says = match share > 0.0 {
        true => format!("{} % of the reads have the adapter '{name}'", shown(share)),
        false => "No read has an adapter".into(),
    };
    let advice = "Trim adapters before alignment or assembly; if most reads have one, inserts are too short.";
    found(share, says, advice)
}

fn poly_g(reads: &Statistics) -> Measured {
    let Some(content) = reads.qc.as_ref().and_then(|qc| qc.adapters.as_ref()) else {
        return Measured::Missing("poly-G was not searched");
    };
    let Some(share) = content.poly_g_percent() else {
        return Measured::Missing("no read is longer than the 12 bases searched");
    };
    let says = format!("{} % of the reads have 12 G in a row", shown(share));
    let advice = "Sequencers with two colors, such as NextSeq and NovaSeq, call G where there is no signal: trim poly-G before alignment, and check insert sizes and the end of the run.";
    found(share, says, advice)
}

/// Why there is nothing to say of repeated sequences.
fn uncounted(reads: &Statistics) -> Measured {
    Measured::Missing(match reads.qc.as_ref().is_some_and(|qc| qc.adapters.is_some()) {
        true => "duplication can't be computed for several files together",
        false => "repeated sequences were not counted",
    })
}

fn duplication(reads: &Statistics) -> Measured {
    let Some(counted) = reads.qc.as_ref().and_then(|qc| qc.duplication.as_ref()) else {
        return uncounted(reads);
    };
    let share = counted.repeated_percent();
    let says = format!("{} % of the reads repeat the sequence of another one", shown(share));
    let advice = "Mark or drop duplicates. Sequencing this library deeper gains little: use more input and fewer PCR cycles next time.";
    found(share, says, advice)
}

fn overrepresented(reads: &Statistics) -> Measured {
    let Some(counted) = reads.qc.as_ref().and_then(|qc| qc.duplication.as_ref()) else {
        return uncounted(reads);
    };
    let advice = "Find its source: trim adapter dimers, filter rRNA and contaminants.";
    match counted.repeated().next() {
        None => found(
            0.0,
            "No sequence is in more than 0.1 % of the reads, and in at least 10".into(),
            advice,
        ),
        Some(one) => {
            let source = one.source.as_ref();
            let source = source.map_or(String::new(), |hit| format!(", possibly '{}'", hit.name));
            let says =
                format!("{} % of the reads are {}{source}", shown(one.percent), one.sequence);
            found(one.percent, says, advice)
        }
    }
}

//! The report as text, in the words and formats of `samtools stats`, of each [version](SamtoolsVersion).
//!
//! Sums are kept in the widths samtools keeps them in (C's `float` and `double`), so that the
//! last printed digit is the same.

use std::fmt::Write as _;

use biofast_bam::flag;
use biofast_kernels::BaseCounts;

use biofast_ops::measure::alignments::basics::{Fragment, MAX_INDEL, add_all};
use biofast_ops::measure::compat::SamtoolsVersion;
use biofast_ops::measure::samtools_stats::cycles::{QUALITIES, Qualities};
use biofast_ops::measure::samtools_stats::pileup::{BIN, FIRST_READ_LEN, GcBin, MAX_DEPTH};
use biofast_ops::measure::samtools_stats::{GC_CLASSES, SamtoolsStats};

/// The share of the pairs, from the smallest insert size on, that average and table are of.
const MAIN_INSERTS: f32 = 0.99;

/// Rows of cycles are printed up to so many behind the longest sequence, where samtools goes on with rows of zeros up to what
/// hard clips say.
const MOST_EMPTY_ROWS: usize = 1 << 17;

/// What the parts of the report have in common.
struct StatsText<'a> {
    stats: &'a SamtoolsStats,
    out: String,
    /// Longest reads: of all, of first and of last fragments.
    longest: [usize; 3],
    /// Cycles of the tables, likewise.
    cycles: [usize; 3],
    qualities: [Qualities<'a>; 2],
    /// Bases by quality over all cycles.
    all_qualities: [u64; QUALITIES],
    /// Columns of quality tables.
    columns: usize,
    average_len: f32,
    inserts: Inserts,
}

/// `writeln!` to the report; writing to a String can't fail.
macro_rules! line {
    ($report:expr, $($arg:tt)*) => {{ let _ = writeln!($report.out, $($arg)*); }};
}

/// The report; `version` and `command` are for its comment lines.
pub fn text(stats: &SamtoolsStats, version: &str, command: &str) -> String {
    let basics = &stats.counts.basics;
    let [first, last, other] = basics.longest.map(|len| len as usize);
    let cycles = &stats.counts.cycles;
    let qualities = [cycles.qualities(0), cycles.qualities(1)];
    let mut all_qualities = [0; QUALITIES];
    for table in &qualities {
        (0..table.cycles()).for_each(|cycle| add_all(&mut all_qualities, &table.at(cycle)));
    }
    let highest = all_qualities.iter().rposition(|&n| n > 0).unwrap_or(0);
    let longest = [first.max(last).max(other), first, last];
    let sequences =
        [cycles.bases_len(0), cycles.bases_len(1), qualities[0].cycles(), qualities[1].cycles()];
    let most = sequences.into_iter().max().unwrap_or(0) + MOST_EMPTY_ROWS;
    let mut report = StatsText {
        stats,
        out: String::new(),
        longest,
        cycles: longest.map(|len| len.min(most)),
        qualities,
        all_qualities,
        columns: (highest + 2).min(QUALITIES),
        average_len: 0.0,
        inserts: Inserts::of(&match stats.version >= SamtoolsVersion::V1_24 {
            true => basics.inserts(),
            false => basics.inserts_of_samtools_1_21(),
        }),
    };
    line!(
        report,
        "# This file was produced by samtools stats (in the format of {}, by biofast {version}) \
         and can be plotted using plot-bamstats",
        stats.version
    );
    line!(report, "# This file contains statistics for all reads.");
    line!(report, "# The command line was:  {command}");
    report.summary();
    report.quality_tables();
    report.gc();
    report.base_tables();
    report.barcodes();
    report.inserts();
    report.lengths();
    if report.has_been_since(SamtoolsVersion::V1_24) {
        // Since 1.17.
        report.mapping_qualities();
    }
    report.indels();
    // Since 1.22 only of sorted files.
    if stats.pileup.sorted || !report.has_been_since(SamtoolsVersion::V1_24) {
        report.coverage();
        report.gc_depth();
    }
    report.out
}

/// Insert sizes of pairs, each counted once, and what is derived from them.
struct Inserts {
    /// Inward, outward and other pairs by insert size.
    pairs: Vec<[u64; 3]>,
    totals: [u64; 3],
    /// Rows of the table.
    rows: usize,
    average: f64,
    deviation: f64,
}

impl Inserts {
    fn of(records: &[[u64; 3]]) -> Inserts {
        // Both reads of a pair were counted.
        let pairs: Vec<[u64; 3]> = records.iter().map(|n| n.map(|n| n / 2)).collect();
        let mut totals = [0; 3];
        for pair in &pairs {
            totals.iter_mut().zip(pair).for_each(|(total, n)| *total += n);
        }
        let sum = |size: usize| pairs[size].iter().sum::<u64>();
        let mut n = totals.iter().sum::<u64>();
        let (mut rows, mut bulk, mut average) = (0, 0.0, 0.0);
        for size in 0..pairs.len() {
            let here = sum(size);
            if here > 0 {
                rows = size + 1;
            }
            bulk += here as f64;
            average += (size as u64 * here) as f64;
            if bulk / n as f64 > f64::from(MAIN_INSERTS) {
                rows = size + 1;
                n = bulk as u64;
                break;
            }
        }
        let n = n.max(1) as f64;
        average /= n;
        let mut deviation = 0.0;
        for size in 1..rows {
            let distance = size as f64 - average;
            deviation += sum(size) as f64 * distance * distance / n;
        }
        Inserts { pairs, totals, rows, average, deviation: deviation.sqrt() }
    }
}

impl StatsText<'_> {
    /// Whether the report is that of this version, or of a later one.
    fn has_been_since(&self, version: SamtoolsVersion) -> bool {
        self.stats.version >= version
    }

    fn summary(&mut self) {
        let counts = &self.stats.counts;
        let basics = &counts.basics;
        let [names, reads, quals] = counts.checksums;
        let has = |bit: u16| move |flags: u16| flags & bit != 0;
        let original = |flags: u16| flags & flag::SUPPLEMENTARY == 0;
        let mapped = |flags: u16| original(flags) && flags & flag::UNMAPPED == 0;
        let both = |flags: u16| {
            mapped(flags) && flags & (flag::PAIRED | flag::MATE_UNMAPPED) == flag::PAIRED
        };
        let proper = |flags: u16| both(flags) && flags & flag::PROPER_PAIR != 0;
        let of = |fragment: Fragment| {
            basics.sum(|flags| original(flags) && Fragment::of(flags) == fragment)
        };
        let all = basics.sum(original);
        let (first, last) = (of(Fragment::First), of(Fragment::Last));
        let in_both = basics.sum(both);
        let duplicates = basics.sum(has(flag::DUPLICATE));
        let properly = basics.sum(proper).records;
        let aligned = basics.aligned_bases();
        let mismatches = basics.mismatches_of_samtools();
        let error_rate = if aligned > 0 { mismatches as f32 / aligned as f32 } else { 0.0 };
        let mean = |bases: u64, reads: u64| match reads {
            0 => 0.0,
            _ => bases as f32 / reads as f32,
        };
        // Up to 1.17 it is cut off.
        self.average_len = match self.has_been_since(SamtoolsVersion::V1_24) {
            true => mean(all.bases, all.records),
            false => all.bases.checked_div(all.records).unwrap_or(0) as f32,
        };
        // Since 1.22.
        let order = match (self.has_been_since(SamtoolsVersion::V1_24), self.stats.pileup.sorted) {
            (false, _) => "",
            (true, true) => "sorted by coordinate",
            (true, false) => "not sorted by coordinate",
        };
        let qualities: u64 = (0u64..).zip(self.all_qualities).map(|(q, n)| q * n).sum();
        let quality = if all.bases > 0 { qualities as f64 / all.bases as f64 } else { 0.0 };
        let inserts = &self.inserts;
        let [inward, outward, otherwise] = inserts.totals;
        let percent_proper = match all.records {
            0 => 0.0,
            n => (100 * properly) as f32 / n as f32,
        };
        let longest = self.longest;

        line!(self, "# CHK, Checksum\t[2]Read Names\t[3]Sequences\t[4]Qualities");
        line!(
            self,
            "# CHK, CRC32 of reads which passed filtering followed by addition (32bit overflow)"
        );
        line!(self, "CHK\t{names:08x}\t{reads:08x}\t{quals:08x}");
        line!(self, "# Summary Numbers. Use `grep ^SN | cut -f 2-` to extract this part.");
        let mut sn = |name: &str, value: String, comment: &str| {
            let comment = if comment.is_empty() { String::new() } else { format!("\t# {comment}") };
            line!(self, "SN\t{name}:\t{value}{comment}");
        };
        let n = |value: u64| value.to_string();
        sn("raw total sequences", n(all.records), "excluding supplementary and secondary reads");
        sn("filtered sequences", n(0), "");
        sn("sequences", n(all.records), "");
        sn("is sorted", n(self.stats.pileup.sorted.into()), order);
        sn("1st fragments", n(first.records), "");
        sn("last fragments", n(last.records), "");
        sn("reads mapped", n(basics.sum(mapped).records), "");
        sn(
            "reads mapped and paired",
            n(in_both.records),
            "paired-end technology bit set + both mates mapped",
        );
        let unmapped = basics.sum(|flags| original(flags) && flags & flag::UNMAPPED != 0);
        sn("reads unmapped", n(unmapped.records), "");
        sn("reads properly paired", n(properly), "proper-pair bit set");
        let paired = basics.sum(|flags| original(flags) && flags & flag::PAIRED != 0);
        sn("reads paired", n(paired.records), "paired-end technology bit set");
        sn("reads duplicated", n(duplicates.records), "PCR or optical duplicate bit set");
        sn("reads MQ0", n(basics.sum(mapped).mapq0), "mapped and MQ=0");
        let failed = basics.sum(|flags| original(flags) && flags & flag::QC_FAIL != 0);
        sn("reads QC failed", n(failed.records), "");
        sn("non-primary alignments", n(basics.secondary), "");
        sn("supplementary alignments", n(basics.supplementary), "");
        sn("total length", n(all.bases), "ignores clipping");
        sn("total first fragment length", n(first.bases), "ignores clipping");
        sn("total last fragment length", n(last.bases), "ignores clipping");
        sn("bases mapped", n(basics.sum(mapped).bases), "ignores clipping");
        sn("bases mapped (cigar)", n(aligned), "more accurate");
        sn("bases trimmed", n(0), "");
        sn("bases duplicated", n(duplicates.bases), "");
        // With a sign there, and without one in the rate.
        sn("mismatches", (mismatches as i64).to_string(), "from NM fields");
        sn("error rate", exponential(error_rate.into()), "mismatches / bases mapped (cigar)");
        sn("average length", format!("{:.0}", self.average_len), "");
        let mean_first = mean(first.bases, first.records);
        sn("average first fragment length", format!("{mean_first:.0}"), "");
        let mean_last = mean(last.bases, last.records);
        sn("average last fragment length", format!("{mean_last:.0}"), "");
        sn("maximum length", longest[0].to_string(), "");
        sn("maximum first fragment length", longest[1].to_string(), "");
        sn("maximum last fragment length", longest[2].to_string(), "");
        sn("average quality", format!("{quality:.1}"), "");
        sn("insert size average", format!("{:.1}", inserts.average), "");
        sn("insert size standard deviation", format!("{:.1}", inserts.deviation), "");
        sn("inward oriented pairs", n(inward), "");
        sn("outward oriented pairs", n(outward), "");
        sn("pairs with other orientation", n(otherwise), "");
        sn("pairs on different chromosomes", n(in_both.elsewhere / 2), "");
        sn("percentage of properly paired reads (%)", format!("{percent_proper:.1}"), "");
    }

    fn quality_tables(&mut self) {
        const COLUMNS: &str = "# Columns correspond to qualities and rows to cycles. First column is the cycle number.";
        for (fragment, (name, title)) in [("FFQ", "First"), ("LFQ", "Last")].iter().enumerate() {
            line!(
                self,
                "# {title} Fragment Qualities. Use `grep ^{name} | cut -f 2-` to extract this part."
            );
            line!(self, "{COLUMNS}");
            for cycle in 0..self.cycles[fragment + 1] {
                self.row(name, cycle, &self.qualities[fragment].at(cycle));
            }
        }
        let pileup = &self.stats.pileup;
        if pileup.has_reference() {
            line!(
                self,
                "# Mismatches per cycle and quality. Use `grep ^MPC | cut -f 2-` to extract this part."
            );
            line!(
                self,
                "# Columns correspond to qualities, rows to cycles. First column is the cycle \
                 number, second"
            );
            line!(self, "# is the number of N's and the rest is the number of mismatches");
            let last = self.cycles[0];
            for cycle in (0..=last).chain(pileup.mismatches.cycles_behind(last)) {
                self.row("MPC", cycle, &pileup.mismatches.get(cycle));
            }
        }
    }

    fn row(&mut self, name: &str, cycle: usize, counts: &[u64; QUALITIES]) {
        let _ = write!(self.out, "{name}\t{}", cycle + 1);
        for count in &counts[..self.columns] {
            let _ = write!(self.out, "\t{count}");
        }
        self.out.push('\n');
    }

    fn gc(&mut self) {
        for (fragment, (name, title)) in [("GCF", "first"), ("GCL", "last")].iter().enumerate() {
            line!(
                self,
                "# GC Content of {title} fragments. Use `grep ^{name} | cut -f 2-` to extract this part."
            );
            let classes = self.stats.counts.gc_classes(fragment);
            let mut before = 0;
            for class in 0..GC_CLASSES {
                if classes[class] != classes[before] {
                    let percent = (class + before) as f64 * 0.5 * 100.0 / (GC_CLASSES - 1) as f64;
                    line!(self, "{name}\t{percent:.2}\t{}", classes[before]);
                    before = class;
                }
            }
        }
    }

    fn base_tables(&mut self) {
        const SHARES: &str = "The columns are: cycle; A,C,G,T base counts as a percentage of all \
                              A/C/G/T bases [%]";
        const WITH_N: &str = "; and N and O counts as a percentage of all A/C/G/T bases [%]";
        let cycles = &self.stats.counts.cycles;
        let all = 0..self.cycles[0] + 1;
        line!(
            self,
            "# ACGT content per cycle. Use `grep ^GCC | cut -f 2-` to extract this part. \
             {SHARES}{WITH_N}"
        );
        for cycle in all.clone() {
            let bases = cycles.stored_bases(0, cycle) + cycles.stored_bases(1, cycle);
            self.shares("GCC", cycle, &bases, 6);
        }
        line!(
            self,
            "# ACGT content per cycle, read oriented. Use `grep ^GCT | cut -f 2-` to extract this \
             part. {SHARES}"
        );
        for cycle in all.clone() {
            self.shares("GCT", cycle, &cycles.sequenced_bases(cycle), 4);
        }
        let tables = [("FBC", "FTC", "first"), ("LBC", "LTC", "last")];
        for (fragment, (shares, totals, title)) in tables.into_iter().enumerate() {
            line!(
                self,
                "# ACGT content per cycle for {title} fragments. Use `grep ^{shares} | cut -f 2-` \
                 to extract this part. {SHARES}{WITH_N}"
            );
            let mut sum = BaseCounts::default();
            for cycle in all.clone() {
                let bases = cycles.stored_bases(fragment, cycle);
                self.shares(shares, cycle, &bases, 6);
                sum += bases;
            }
            line!(
                self,
                "# ACGT raw counters for {title} fragments. Use `grep ^{totals} | cut -f 2-` to \
                 extract this part. The columns are: A,C,G,T,N base counters"
            );
            let BaseCounts { a, c, g, t, n, .. } = sum;
            line!(self, "{totals}\t{a}\t{c}\t{g}\t{t}\t{n}");
        }
    }

    /// A row of percentages of all A, C, G and T, unless there are none.
    fn shares(&mut self, name: &str, cycle: usize, bases: &BaseCounts, columns: usize) {
        let BaseCounts { a, c, g, t, n, other } = *bases;
        let total = a + c + g + t;
        if total > 0 {
            let _ = write!(self.out, "{name}\t{}", cycle + 1);
            for count in &[a, c, g, t, n, other][..columns] {
                let _ = write!(self.out, "\t{:.2}", 100.0 * *count as f64 / total as f64);
            }
            self.out.push('\n');
        }
    }

    fn barcodes(&mut self) {
        for barcode in self.stats.barcodes.print() {
            let [bases, qualities] = barcode.names;
            line!(
                self,
                "# ACGT content per cycle for barcodes. Use `grep ^{bases}C | cut -f 2-` to extract \
                 this part. The columns are: cycle; A,C,G,T base counts as a percentage of all \
                 A/C/G/T bases [%]; and N counts as a percentage of all A/C/G/T bases [%]"
            );
            for (part, place, counts, _) in &barcode.places {
                let total: u64 = counts[..4].iter().sum();
                if total > 0 {
                    let _ = write!(self.out, "{bases}C{part}\t{place}");
                    for count in counts.iter() {
                        let _ = write!(self.out, "\t{:.2}", 100.0 * *count as f64 / total as f64);
                    }
                    self.out.push('\n');
                }
            }
            line!(
                self,
                "# Barcode Qualities. Use `grep ^{qualities}Q | cut -f 2-` to extract this part."
            );
            line!(
                self,
                "# Columns correspond to qualities and rows to barcode cycles. First column is the \
                 cycle number."
            );
            for (part, place, _, counts) in &barcode.places {
                let _ = write!(self.out, "{qualities}Q{part}\t{place}");
                counts.iter().for_each(|count| {
                    let _ = write!(self.out, "\t{count}");
                });
                self.out.push('\n');
            }
        }
    }

    fn inserts(&mut self) {
        line!(
            self,
            "# Insert sizes. Use `grep ^IS | cut -f 2-` to extract this part. The columns are: \
             insert size, pairs total, inward oriented pairs, outward oriented pairs, other pairs"
        );
        let rows = &self.inserts.pairs[..self.inserts.rows];
        for (size, [inward, outward, other]) in rows.iter().enumerate() {
            let total = inward + outward + other;
            line!(self, "IS\t{size}\t{total}\t{inward}\t{outward}\t{other}");
        }
    }

    fn lengths(&mut self) {
        let lengths = &self.stats.counts.basics.lengths;
        let [mut all, first, last] =
            [Fragment::Other, Fragment::First, Fragment::Last].map(|f| lengths[f as usize].clone());
        all.merge(&first);
        all.merge(&last);
        let tables = [
            ("RL", "", all),
            ("FRL", " - first fragments", first),
            ("LRL", " - last fragments", last),
        ];
        for (name, title, lengths) in tables {
            line!(
                self,
                "# Read lengths{title}. Use `grep ^{name} | cut -f 2-` to extract this part. The \
                 columns are: read length, count"
            );
            for (len, reads) in lengths.iter() {
                line!(self, "{name}\t{len}\t{reads}");
            }
        }
    }

    fn mapping_qualities(&mut self) {
        line!(
            self,
            "# Mapping qualities for reads !(UNMAP|SECOND|SUPPL|QCFAIL|DUP). Use `grep ^MAPQ | cut \
             -f 2-` to extract this part. The columns are: mapq, count"
        );
        for (mapq, &reads) in self.stats.counts.mapping_qualities.iter().enumerate() {
            if reads > 0 {
                line!(self, "MAPQ\t{mapq}\t{reads}");
            }
        }
    }

    fn indels(&mut self) {
        let basics = &self.stats.counts.basics;
        line!(
            self,
            "# Indel distribution. Use `grep ^ID | cut -f 2-` to extract this part. The columns \
             are: length, number of insertions, number of deletions"
        );
        for len in 0..MAX_INDEL {
            let [insertions, deletions] = basics.indels[len];
            if insertions + deletions > 0 {
                line!(self, "ID\t{}\t{insertions}\t{deletions}", len + 1);
            }
        }
        line!(
            self,
            "# Indels per cycle. Use `grep ^IC | cut -f 2-` to extract this part. The columns are: \
             cycle, number of insertions (fwd), .. (rev) , number of deletions (fwd), .. (rev)"
        );
        for (cycle, [insertions, deletions]) in basics.indel_cycles.iter().enumerate() {
            let [a, b, c, d] = [insertions[0], insertions[1], deletions[0], deletions[1]];
            if a + b + c + d > 0 {
                line!(self, "IC\t{}\t{a}\t{b}\t{c}\t{d}", cycle + 1);
            }
        }
    }

    fn coverage(&mut self) {
        line!(self, "# Coverage distribution. Use `grep ^COV | cut -f 2-` to extract this part.");
        for (depth, positions) in self.stats.pileup.depths.iter().enumerate() {
            match depth {
                _ if *positions == 0 => {}
                0 => line!(self, "COV\t[<1]\t0\t{positions}"),
                1..=MAX_DEPTH => line!(self, "COV\t[{depth}-{depth}]\t{depth}\t{positions}"),
                _ => line!(self, "COV\t[{MAX_DEPTH}<]\t{MAX_DEPTH}\t{positions}"),
            }
        }
    }

    fn gc_depth(&mut self) {
        line!(
            self,
            "# GC-depth. Use `grep ^GCD | cut -f 2-` to extract this part. The columns are: GC%, \
             unique sequence percentiles, 10th, 25th, 50th, 75th and 90th depth percentile"
        );
        let with_reference = self.stats.pileup.has_reference();
        let mut bins = self.stats.pileup.bins.clone();
        // The last bin is left as it is, and the empty first one takes part.
        let count = bins.len() - 1;
        for bin in &mut bins[..count] {
            if with_reference {
                bin.gc = (100.0 * f64::from(bin.gc)).round_ties_even() as f32;
            } else if bin.depth > 0 {
                let mean = 100.0 * f64::from(bin.gc) / f64::from(bin.depth);
                bin.gc = mean.round_ties_even() as f32;
            }
        }
        bins.sort_by(|a, b| a.gc.total_cmp(&b.gc).then(a.depth.cmp(&b.depth)));
        let mut start = 0;
        while start < count {
            let gc = bins[start].gc;
            let same = bins[start..count].iter();
            let same = same.take_while(|bin| f64::from((bin.gc - gc).abs()) < 0.1).count();
            let unique = (start + same + 1) as f64 * 100.0 / (count + 1) as f64;
            let _ = write!(self.out, "GCD\t{gc:.1}\t{unique:.3}");
            for percent in [10, 25, 50, 75, 90] {
                let depth = percentile(&bins[start..start + same], percent);
                let depth = depth * self.average_len / BIN as f32;
                let _ = write!(self.out, "\t{depth:.3}");
            }
            self.out.push('\n');
            start += same;
        }
    }
}

/// A percentile of the depths of bins in ascending order, between two of them if need be.
fn percentile(bins: &[GcBin], percent: u32) -> f32 {
    let place = percent as f32 * (bins.len() + 1) as f32 / 100.0;
    let index = place as usize;
    if index == 0 {
        return bins[0].depth as f32;
    }
    if index >= bins.len() {
        return bins[bins.len() - 1].depth as f32;
    }
    let (low, high) = (bins[index - 1].depth, bins[index].depth);
    low as f32 + (place - index as f32) * high.wrapping_sub(low) as f32
}

/// C's `%e`.
fn exponential(value: f64) -> String {
    let text = format!("{value:.6e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => match exponent.strip_prefix('-') {
            Some(digits) => format!("{mantissa}e-{digits:0>2}"),
            None => format!("{mantissa}e+{exponent:0>2}"),
        },
        None => text,
    }
}

const _: () = assert!(FIRST_READ_LEN as usize == MAX_INDEL, "samtools has one limit for both");

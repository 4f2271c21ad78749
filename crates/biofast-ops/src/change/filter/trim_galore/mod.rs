//! What Trim Galore does around cutadapt: it tells the adapter from the first reads, cuts bases that end repair has filled in, and cuts
//! fixed numbers of bases last. A test compares reads and reports with those of Trim Galore 0.6.

mod counts;

use biofast_fastq::Reader;
use memchr::memmem::Finder;

use super::read::{TrimUnit, TrimmedRead};
use super::trim::detect::{AdapterEvidence, Way};
use super::trim::{AdapterCutter, KITS, Label, Trim, Trimmer};
pub use counts::{GaloreCounts, GaloreLimits, GaloreMate};

/// The kits whose adapters are told apart, in the order in which those that are as frequent are preferred, and how many bases of their
/// adapters are looked for and cut.
const TOLD: [(&str, usize); TOLD_KITS] = [("truseq", 13), ("nextera", 12), ("small-rna", 12)];

/// How many kits are told apart.
pub const TOLD_KITS: usize = 3;

/// Reads that are looked at, at most.
const MOST_READS: u64 = 999_999;

/// Bases that end repair may have filled in at the sites of MspI.
const FILLED_IN: usize = 2;

/// The adapters of first and second reads that Trim Galore cuts of a [kit](KITS), if it knows the kit.
///
/// ```
/// use biofast_ops::filter::trim_galore::adapters_of;
///
/// assert_eq!(adapters_of("small-rna"), Some(["TGGAATTCTCGG", "GATCGTCGGACT"]));
/// assert_eq!(adapters_of("mgi"), None);
/// ```
pub fn adapters_of(kit: &str) -> Option<[&'static str; 2]> {
    let (_, len) = TOLD.iter().find(|(name, _)| *name == kit)?;
    let kit = KITS.iter().find(|known| known.name == kit)?;
    Some(kit.adapters.map(|adapter| &adapter[..*len]))
}

/// Whether an adapter is that of small RNA, whose reads may be shorter and whose second reads have another adapter.
pub fn is_small_rna(adapter: &str) -> bool {
    adapters_of("small-rna").is_some_and(|[first, _]| first == adapter)
}

/// The adapter that most of the first reads have as a whole; if none has any, that of TruSeq. Of `interleaved` pairs, first reads count.
/// What is wrong with the reads is left to who reads them again. With it come the reads that have each of TruSeq, Nextera and small RNA.
pub fn look(reader: &mut Reader, interleaved: bool) -> (AdapterEvidence, [u64; TOLD_KITS]) {
    let told = TOLD.map(|(kit, _)| (kit, adapters_of(kit).map_or("", |[first, _]| first)));
    let finders = told.map(|(_, adapter)| Finder::new(adapter.as_bytes()));
    let (mut reads, mut counts) = (0, [0u64; TOLD_KITS]);
    while reads < MOST_READS
        && let Ok(Some(record)) = reader.next_record()
    {
        reads += 1;
        for (count, finder) in counts.iter_mut().zip(&finders) {
            *count += u64::from(finder.find(record.sequence()).is_some());
        }
        if interleaved && !matches!(reader.next_record(), Ok(Some(_))) {
            break;
        }
    }
    // The first of those that are as frequent.
    let most = counts.iter().max().copied().unwrap_or(0);
    let which = counts.iter().position(|&count| count == most).unwrap_or(0);
    let (kit, adapter) = told[which];
    let found = AdapterEvidence {
        read: 1,
        way: Way::Kit,
        adapter: Some(adapter.to_owned()),
        kit: Some(kit),
        reads,
        reads_with_adapter: most,
        strength: None,
        threshold_percent: 0.0,
        cut: true,
    };
    (found, counts)
}

/// Which of the bases that end repair has filled in are cut, of RRBS made with MspI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilledIn {
    /// Two bases before the adapter, of first reads (or reads without mates) that have one.
    Directional,
    /// Two bases from the start of reads that begin with CAA or CGA; of others, two before the adapter.
    NonDirectional,
}

/// Cuts adapters, and beside them what end repair has filled in.
#[derive(Clone, Debug)]
pub struct RrbsCutter {
    adapters: AdapterCutter,
    filled_in: FilledIn,
}

impl RrbsCutter {
    /// Cuts these adapters, and what `filled_in` says.
    pub fn new(adapters: AdapterCutter, filled_in: FilledIn) -> RrbsCutter {
        RrbsCutter { adapters, filled_in }
    }

    /// Cuts off a read of which `before` bases were left before adapters were cut.
    fn cut(&self, read: &mut TrimmedRead<'_>, mate: usize, before: usize) {
        let had_adapter = read.len() < before;
        match self.filled_in {
            FilledIn::Directional if mate == 0 && had_adapter && read.len() >= FILLED_IN => {
                read.drop_tail(FILLED_IN);
            }
            FilledIn::NonDirectional if read.len() > FILLED_IN => {
                let sequence = read.sequence();
                if sequence.starts_with(b"CAA") || sequence.starts_with(b"CGA") {
                    read.drop_front(FILLED_IN);
                } else if had_adapter {
                    read.drop_tail(FILLED_IN);
                }
            }
            _ => {}
        }
    }
}

impl Trimmer for RrbsCutter {
    fn kind(&self) -> Trim {
        self.adapters.kind()
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        let before = read.len();
        self.adapters.trim_read(read, mate);
        self.cut(read, mate, before);
    }

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        let before = [0, 1].map(|mate| reads.read(mate).map_or(0, TrimmedRead::len));
        self.adapters.trim(reads);
        reads.for_each(|read, mate| self.cut(read, mate, before[mate]));
    }

    fn adapters(&self) -> Vec<Label> {
        self.adapters.adapters()
    }
}

/// Cuts a fixed number of bases off both ends of reads that have more; first and second reads have their own numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastClip {
    /// Off the front.
    pub front: [usize; 2],
    /// Off the end.
    pub tail: [usize; 2],
}

impl Trimmer for LastClip {
    fn kind(&self) -> Trim {
        Trim::Crop
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        if read.len() > self.front[mate] {
            read.drop_front(self.front[mate]);
        }
        if read.len() > self.tail[mate] {
            read.drop_tail(self.tail[mate]);
        }
    }
}

#[cfg(test)]
mod tests {
    use biofast_fastq::Record;
    use biofast_io::{Options, Source};

    use super::*;
    use crate::change::filter::trim::{AdapterSettings, AdapterSide};

    fn told(reads: &[&str], interleaved: bool) -> (Option<&'static str>, u64, u64) {
        let record = |read: &&str| format!("@r\n{read}\n+\n{}\n", "I".repeat(read.len()));
        let text: String = reads.iter().map(record).collect();
        let source = Source::from_reader("reads", std::io::Cursor::new(text.into_bytes()));
        let options = Options { threads: 1, ..Options::default() };
        let (found, _) = look(&mut Reader::new(source, &options).unwrap(), interleaved);
        (found.kit, found.reads_with_adapter, found.reads)
    }

    #[test]
    fn the_most_frequent_adapter_is_told_and_of_equal_ones_the_commoner() {
        let [truseq, nextera, small_rna] =
            ["ACGTAGATCGGAAGAGCTT", "GGCTGTCTCTTATAACA", "TTTGGAATTCTCGGA"];
        assert_eq!(told(&["ACGT"], false), (Some("truseq"), 0, 1));
        assert_eq!(told(&[truseq, nextera, nextera], false), (Some("nextera"), 2, 3));
        assert_eq!(told(&[small_rna, small_rna, nextera], false), (Some("small-rna"), 2, 3));
        assert_eq!(told(&[small_rna, nextera], false), (Some("nextera"), 1, 2));
        assert_eq!(told(&[small_rna, nextera, truseq], false), (Some("truseq"), 1, 3));
        assert_eq!(told(&[small_rna, truseq], false), (Some("truseq"), 1, 2));
        // Case counts, and so do first reads alone.
        assert_eq!(told(&[&small_rna.to_lowercase()], false), (Some("truseq"), 0, 1));
        assert_eq!(told(&[small_rna, nextera, "A", nextera], true), (Some("small-rna"), 1, 2));
    }

    #[test]
    fn filled_in_bases_are_cut() {
        let mut adapters = AdapterCutter::new();
        let settings = AdapterSettings { min_overlap: 1, ..AdapterSettings::default() };
        for mate in 0..2 {
            adapters.add(mate, AdapterSide::Back, "AGATCGGAAGAGC", &settings).unwrap();
        }
        let cut = |filled_in, read: &str, mate| {
            let qualities = vec![b'I'; read.len()];
            let mut read = TrimmedRead::new(Record::new(b"r", read.as_bytes(), &qualities));
            RrbsCutter::new(adapters.clone(), filled_in).trim_read(&mut read, mate);
            String::from_utf8(read.sequence().to_vec()).unwrap()
        };
        use FilledIn::{Directional, NonDirectional};
        assert_eq!(cut(Directional, "CGGTTTTCGAGATCGG", 0), "CGGTTTT");
        assert_eq!(cut(Directional, "CGGTTTTCGAGATCGG", 1), "CGGTTTTCG");
        assert_eq!(cut(Directional, "CGGTTTTCG", 0), "CGGTTTTCG");
        assert_eq!(cut(Directional, "CAGATCGGAAGAGC", 0), "C");
        assert_eq!(cut(Directional, "CGAGATCGGAAGAGC", 0), "");
        for mate in 0..2 {
            assert_eq!(cut(NonDirectional, "CAATTTTCGAGATCGG", mate), "ATTTTCG");
            assert_eq!(cut(NonDirectional, "CGATT", mate), "ATT");
            assert_eq!(cut(NonDirectional, "CGGTTTTCGAGATCGG", mate), "CGGTTTT");
            assert_eq!(cut(NonDirectional, "CGAGATCGGAAGAGC", mate), "CG");
        }
    }

    #[test]
    fn only_longer_reads_are_clipped() {
        let clip = LastClip { front: [3, 0], tail: [2, 4] };
        let clipped = |read: &'static [u8], mate| {
            let mut read = TrimmedRead::new(Record::new(b"r", read, &b"IIIIIIII"[..read.len()]));
            clip.trim_read(&mut read, mate);
            read.sequence()
        };
        assert_eq!(clipped(b"ACGTACGT", 0), b"TAC");
        assert_eq!(clipped(b"ACGTA", 0), b"TA");
        assert_eq!(clipped(b"ACG", 0), b"A");
        assert_eq!(clipped(b"ACGT", 1), b"ACGT");
    }
}

//! Reads of fragments that are known: the libraries, and how a pair is drawn.

use std::fmt::Write as _;

use crate::datasets::genome::Genome;
use crate::datasets::{
    ADAPTERS, ERROR_RATE, Profile, Q_BAD, ShortTables, clear_length, substitute,
};
use crate::rng::Rng;

/// What is sequenced, and how.
pub(super) struct Library {
    pub(super) name: &'static str,
    /// Lengths of first and second reads; 0 without second ones.
    pub(super) lens: [usize; 2],
    /// Mean and standard deviation of the fragments' lengths.
    pub(super) insert: [i64; 2],
    /// One of biofast's kits.
    pub(super) kit: &'static str,
    profile: Profile,
    /// Reads of the three worst levels of the profile alone: 2 % of their bases are wrong.
    poor: bool,
    /// Insertions and deletions, of 65,536 bases.
    pub(super) indels: u64,
    /// Reads whose signal ends before they do, of 65,536: what follows is G, of good quality.
    pub(super) dark: u64,
}

const PAIRS: Library = Library {
    name: "",
    lens: [150, 150],
    insert: [250, 40],
    kit: "truseq",
    profile: Profile::Novaseq,
    poor: false,
    indels: 0,
    dark: 0,
};

/// The first eleven have the lengths, inserts and adapters of chelae's.
pub(super) const LIBRARIES: [Library; 14] = [
    Library { name: "pe_wgs_150bp_2x150", insert: [150, 30], ..PAIRS },
    Library { name: "pe_wgs_250bp_2x150", ..PAIRS },
    Library { name: "pe_wgs_350bp_2x150", insert: [350, 60], ..PAIRS },
    Library { name: "pe_wgs_450bp_2x150", insert: [450, 80], ..PAIRS },
    Library { name: "pe_wgs_450bp_2x250", insert: [450, 80], lens: [250, 250], ..PAIRS },
    Library {
        name: "pe_wgs_poor_250bp_2x150",
        insert: [250, 60],
        profile: Profile::Hiseq,
        poor: true,
        ..PAIRS
    },
    Library { name: "pe_cfdna_170bp_2x150", insert: [170, 30], ..PAIRS },
    Library {
        name: "pe_exome_140bp_2x76",
        insert: [140, 25],
        lens: [76, 76],
        kit: "nextera",
        ..PAIRS
    },
    Library { name: "se_wgs_300bp_1x150", insert: [300, 80], lens: [150, 0], ..PAIRS },
    Library { name: "se_short_120bp_1x150", insert: [120, 30], lens: [150, 0], ..PAIRS },
    Library {
        name: "se_mirna_30bp_1x76",
        insert: [30, 2],
        lens: [76, 0],
        kit: "small-rna",
        ..PAIRS
    },
    Library {
        name: "pe_chip_160bp_2x100",
        insert: [160, 50],
        lens: [100, 100],
        profile: Profile::Hiseq,
        ..PAIRS
    },
    Library { name: "pe_indels_150bp_2x150", insert: [150, 30], indels: 66, ..PAIRS },
    Library { name: "pe_dark_180bp_2x150", insert: [180, 50], dark: 6_554, ..PAIRS },
];

/// What follows a fragment of a kit, up to the surface of the flow cell.
pub(super) fn adapters(kit: &str) -> [&'static [u8]; 2] {
    match kit {
        "nextera" => [
            b"CTGTCTCTTATACACATCTCCGAGCCCACGAGACTAAGGCGAATCTCGTATGCCGTCTTCTGCTTG",
            b"CTGTCTCTTATACACATCTGACGCTGCCGACGATAGATCGCGTGTAGATCTCGGTGGTCGCCGTATCATT",
        ],
        "small-rna" => [b"TGGAATTCTCGGGTGCCAAGGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG", b""],
        _ => ADAPTERS,
    }
}

/// A read as it was sequenced.
#[derive(Debug, PartialEq)]
pub(super) struct SimulatedRead {
    pub(super) sequence: Vec<u8>,
    pub(super) qualities: Vec<u8>,
    /// So many of its first bases are the fragment's.
    pub(super) inside: usize,
}

/// A fragment with the reads of its ends.
pub(super) struct Template {
    pub(super) fragment: Vec<u8>,
    pub(super) reads: Vec<SimulatedRead>,
}

/// Draws the templates of a library.
pub(super) struct Simulator<'a> {
    library: &'a Library,
    genome: &'a Genome,
    tables: ShortTables,
    seed: u64,
}

/// The shortest fragment.
const LEAST_INSERT: i64 = 12;
const PURPOSE: u64 = 0x0061_6363_7572_6163;

impl<'a> Simulator<'a> {
    pub(super) fn new(library: &'a Library, genome: &'a Genome, seed: u64) -> Self {
        Simulator { library, genome, tables: ShortTables::new(library.profile), seed }
    }

    pub(super) fn template(&self, number: u64) -> Template {
        // The same for libraries that differ in one thing alone.
        let mut rng = Rng::new(self.seed, PURPOSE, number);
        let [mean, deviation] = self.library.insert;
        // The sum of eight bytes has mean 1020 and standard deviation 209.
        let bytes: i64 = rng.next().to_le_bytes().iter().map(|&byte| i64::from(byte)).sum();
        let insert = (mean + (bytes - 1020) * deviation / 209).max(LEAST_INSERT) as usize;
        let start = rng.below((self.genome.len() - insert) as u64) as usize;
        let mut fragment = self.genome.forward(start, insert).to_vec();
        let mut other = self.genome.reverse(start + insert, insert).to_vec();
        if rng.chance(1 << 15) {
            std::mem::swap(&mut fragment, &mut other);
        }
        let adapters = adapters(self.library.kit);
        let mates = [&fragment, &other].into_iter().zip(adapters).zip(self.library.lens);
        let reads = mates
            .filter(|&(_, len)| len > 0)
            .map(|((fragment, adapter), len)| self.read(fragment, adapter, len, &mut rng))
            .collect();
        Template { fragment, reads }
    }

    fn read(&self, fragment: &[u8], adapter: &[u8], len: usize, rng: &mut Rng) -> SimulatedRead {
        let r = rng.next();
        let level = if self.library.poor { 5 + (r % 3) as usize } else { self.tables.level(r) };
        let clear = clear_length(level, len, r >> 6, rng);
        let dark = if r >> 48 < self.library.dark { rng.below(len as u64) as usize } else { len };
        let mut read = SimulatedRead { sequence: vec![], qualities: vec![], inside: 0 };
        let (mut at, mut score) = (0, 36);
        for cycle in 0..len {
            let r = rng.next();
            score = self.tables.next_score(level, cycle, score, r);
            if cycle >= dark {
                // Two colors: no light is G.
                read.sequence.push(b'G');
                read.qualities.push(b'!' + 37);
                continue;
            }
            let quality = if cycle < clear { score } else { Q_BAD };
            let indel = rng.next();
            at += usize::from(indel >> 48 < self.library.indels / 2);
            read.inside += usize::from(at < fragment.len());
            let behind = || adapter.get(at - fragment.len()).copied().unwrap_or(b'G');
            let base = fragment.get(at).copied().unwrap_or_else(behind);
            if indel >> 32 & 0xffff < self.library.indels / 2 {
                read.sequence.push(b"ACGT"[(indel & 3) as usize]);
            } else {
                let is_wrong = (r as u32) < ERROR_RATE[usize::from(quality)];
                read.sequence.push(if is_wrong { substitute(base, r >> 50) } else { base });
                at += 1;
            }
            read.qualities.push(self.tables.printed(quality) + b'!');
        }
        read
    }
}

impl Template {
    /// Appends the records of the mates, named by the template's number, to texts of their own.
    pub(super) fn write(&self, number: usize, texts: &mut [String; 2]) {
        for (read, text) in self.reads.iter().zip(texts) {
            let [sequence, qualities] =
                [&read.sequence, &read.qualities].map(|part| String::from_utf8_lossy(part));
            // Infallible.
            let _ = write!(text, "@r{number}\n{sequence}\n+\n{qualities}\n");
        }
    }
}

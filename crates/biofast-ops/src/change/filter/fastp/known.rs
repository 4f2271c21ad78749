//! Adapters and primers of kits, by which fastp tells what reads end with.

use crate::measure::compat::FastpVersion;

/// The number of a base, of which words are made.
pub(super) fn code(base: u8) -> Option<usize> {
    match base {
        b'A' => Some(0),
        b'T' => Some(1),
        b'C' => Some(2),
        b'G' => Some(3),
        _ => None,
    }
}

/// Sequences that differ in what is between two others.
struct AdapterSeries {
    before: &'static str,
    after: &'static str,
    between: &'static str,
}

/// Indexes of TruSeq kits for RNA.
const RNA: &str = "\
    AAAATG AAGCTA ACATCG AGCTAG AGGAAT ATCAGT ATCGTG ATTATA ATTCCG ATTGGC CACTGT CCACTC CCGGTG CGAAAC CGATTA CGCCTG \
    CGTACG CGTGAT CTCTAC CTGATC CTTCGA CTTTTG GAATGA GATCTG GCCATG GCCTAA GCGGAC GCTACC GCTCAT GCTGTA GGAACT GGACGG \
    GGCCAC GTAGCC GTATAG GTCGTC TACAAG TAGTTG TCAAGT TCGGGA TCTGAG TGACAT TGAGTG TGCCGA TGGTCA TGTTGG TTGACT TTTCAC";

const SERIES: [AdapterSeries; 6] = [
    AdapterSeries {
        before: "CAAGCAGAAGACGGCATACGAGAT",
        after: "GTGACTGGAGTTCCTTGGCACCCGAGAATTCCA",
        between: RNA,
    },
    AdapterSeries {
        before: "CAAGCAGAAGACGGCATACGAGAT",
        after: "GTGACTGGAGTTC",
        between: "AAGCTA ACATCG ATTGGC CACTGT CGTGAT CTGATC GATCTG GCCTAA GTAGCC TACAAG TCAAGT TGGTCA",
    },
    AdapterSeries {
        before: "CCGAGCCCACGAGAC",
        after: "ATCTCGTATGCCGTCTTCTGCTTG",
        between: "AAGAGGCA ACTCGCTA ACTGAGCG AGGCAGAA ATCTCAGG ATGCGCAG CAGAGAGG CCTAAGAC CGAGGCTG CGATCAGT CGGAGCCT \
            CGTACTAG CTCTCTAC GCGTAGTA GCTACGCT GCTCATGA GGACTCCT GGAGCTAC GTAGAGGA TAAGGCGA TACGCTGC TAGCGCTC \
            TAGGCATG TCCTGAGC TCGACGTC TGCAGCTA",
    },
    AdapterSeries {
        before: "GACGCTGCCGACGA",
        after: "GTGTAGATCTCGGTGGTCGCCGTATCATT",
        between: "ACTCTAGG AGAGGATA AGCTAGAA AGGCTTAG ATAGAGAG ATAGCCTT ATTAGACG CGGAGAGA CTAGTCGA CTCCTTAC CTTAATAG \
            GCGATCTA TAAGGCTC TACTCCTT TATGCAGT TCGCATAA TCTACTCT TCTTACGC",
    },
    AdapterSeries {
        before: "GATCGGAAGAGCACACGTCTGAACTCCAGTCAC",
        after: "CTCGTATGCCGTCTTCTGCTTG",
        between: "ACAGTGAT ACTGATATAT ACTGATAT ACTTGAAT AGTCAACAAT AGTCAACT AGTTCCGTAT AGTTCCGT ATCACGAT ATGTCAGAAT \
            ATGTCAGT ATTCCTTTAT ATTCCTTT CAGATCAT CCACTCTT CCGTCCCGAT CCGTCCCT CGATGTAT CGTACGTAAT CGTACGTT \
            CTTGTAAT GAGTGGATAT GATCAGAT GCCAATAT GGCTACAT GTCCGCACAT GTCCGCAT GTGAAACGAT GTGAAACT GTGGCCTTAT \
            GTGGCCTT GTTTCGGAAT GTTTCGGT TAGCTTAT TGACCAAT TTAGGCAT",
    },
    AdapterSeries {
        before: "TGGAATTCTCGGGTGCCAAGGAACTCCAGTCAC",
        after: "ATCTCGTATGCCGTCTTCTGCTTG",
        between: "ACAGTG ACTGAT ACTTGA AGTCAA AGTTCC ATCACG ATGAGC ATGTCA ATTCCT CAAAAG CAACTA CACCGG CACGAT CACTCA CAGATC \
            CAGGCG CATGGC CATTTT CCAACA CCGTCC CGATGT CGGAAT CGTACG CTAGCT CTATAC CTCAGA CTTGTA GACGAC GAGTGG GATCAG \
            GCCAAT GGCTAC GGTAGC GTAGAG GTCCGC GTGAAA GTGGCC GTTTCG TAATCG TACAGC TAGCTT TATAAT TCATTC TCCCGA TCGAAG \
            TCGGCA TGACCA TTAGGC",
    },
];

/// All others.
const SINGLE: [&str; 45] = [
    "AAGTCGGAGGCCAAGCGGTCTTAGGAAGACAA",
    "AAGTCGGATCGTAGCCATGTCGTTCTGTGAGCCAAGGAGTTG",
    "AATGATACGGCGACCACCGACAGGTTCAGAGTTCTACAGTCCGA",
    "AATGATACGGCGACCACCGAGATCTACACGTTCAGAGTTCTACAGTCCGA",
    "AATGATACGGCGACCACCGAGATCTACACTCTTTCCCTACACGACGCTCTTCCGATCT",
    "AATGATACGGCGACCACCGAGATCTACACTCTTTCCCTACACGACGCTCTTCCGATCTAGATCGGAAGAGCGGTTCAGCAGGAATGCCGAGACCGATCTCGTATGCCGTCTTCTGCTTG",
    "AATGATACGGCGACCACCGAGATCTACACTCTTTCCCTACACGACGCTCTTCCGATCTCAAGCAGAAGACGGCATACGAGCTCTTCCGATCT",
    "ACACTCTTTCCCTACACGACGCTCTTCCGATCT",
    "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA",
    "AGATCGGAAGAGCACACGTCTGAACTCCAGTCAC",
    "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG",
    "AGATCGGAAGAGCGGTTCAGCAGGAATGCCGAG",
    "AGATCGGAAGAGCGGTTCAGCAGGAATGCCGAGACCGATCTCGTATGCCGTCTTCTGCTTG",
    "AGATCGGAAGAGCGGTTCAGCAGGAATGCCGAGACCGATCTCGTATGCCGTCTTCTGCTTGAAA",
    "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT",
    "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTA",
    "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATT",
    "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAA",
    "AGATCGGAAGAGCTCGTATGCCGTCTTCTGCTTG",
    "CAAGCAGAAGACGGCATACGAGATCGGTCTCGGCATTCCTGCTGAACCGCTCTTCCGATCT",
    "CAAGCAGAAGACGGCATACGAGCTCTTCCGATCT",
    "CCACTACGCCTCCGCTTTCCTCTCTATGGGCAGTCGGTGAT",
    "CCGACAGGTTCAGAGTTCTACAGTCCGACATG",
    "CGACAGGTTCAGAGTTCTACAGTCCGACGATC",
    "CGGTCTCGGCATTCCTGCTGAACCGCTCTTCCGATCT",
    "CTAATACGACTCACTATAGGGCAAGCAGTGGTATCAACGCAGAGT",
    "CTGAGCGGGCTGGCAAGGCAGACCGATCTCGTATGCCGTCTTCTGCTTG",
    "CTGATGGCGCGAGGGAGGCGTGTAGATCTCGGTGGTCGCCGTATCATT",
    "CTGCCCCGGGTTCCTCATTCTCTCAGCAGCATG",
    "CTGTCTCTTATACACATCTCCGAGCCCACGAGAC",
    "CTGTCTCTTATACACATCTCTGAGCGGGCTGGCAAGGC",
    "CTGTCTCTTATACACATCTCTGATGGCGCGAGGGAGGC",
    "CTGTCTCTTATACACATCTGACGCTGCCGACGA",
    "GATCGGAAGAGCACACGTCTGAACTCCAGTCAC",
    "GATCGGAAGAGCGGTTCAGCAGGAATGCCGAG",
    "GATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT",
    "GATCGGAAGAGCTCGTATGCCGTCTTCTGCTTG",
    "GATCGTCGGACTGTAGAACTCTGAACGTGTAGA",
    "GTCTCGTGGGCTCGGAGATGTGTATAAGAGACAG",
    "GTGACTGGAGTTCAGACGTGTGCTCTTCCGATCT",
    "TACACTCTTTCCCTACACGACGCTCTTCCGATCT",
    "TCGGACTGTAGAACTCTGAACGTGTAGATCTCGGTGGTCGCCGTATCATT",
    "TCGTCGGCAGCGTCAGATGTGTATAAGAGACAG",
    "TTTTTTTTTTAATGATACGGCGACCACCGAGATCTACAC",
    "TTTTTTTTTTCAAGCAGAAGACGGCATACGA",
];

/// QIAseq's for miRNA, known since 0.23.3.
const QIASEQ: &str = "AACTGTAGGCACCATCAAT";

/// The sequences that a version knows, in alphabetical order.
pub(super) fn known(version: FastpVersion) -> Vec<Vec<u8>> {
    let in_series = SERIES.iter().flat_map(|AdapterSeries { before, after, between }| {
        between.split_ascii_whitespace().map(move |index| [before, index, after].concat())
    });
    let more = (version >= FastpVersion::V1_3).then_some(QIASEQ);
    let single = SINGLE.into_iter().chain(more).map(str::to_owned);
    let mut known: Vec<Vec<u8>> = in_series.chain(single).map(String::into_bytes).collect();
    known.sort();
    known
}

/// Reads that are looked at, at most.
const MOST_READS: u64 = 100_000;
/// Bases of them, at most.
const MOST_BASES: usize = 100_000_000;
/// Nothing more is looked at if an adapter was found more often.
const MOST_HITS: u64 = 1000;
/// The fewest bases of a hit, but one.
const FEWEST: usize = 8;
/// One base in so many may differ.
const BASES_PER_MISMATCH: usize = 16;
/// Bases of the words by which hits are found, and that no hit is without: at most every second one of a hit has a mismatch.
const WORD: usize = 8;

/// The known adapter that most reads have, where enough have one: fastp's first look since 0.26.
pub(super) fn most_frequent<'k>(reads: &[Vec<u8>], known: &'k [Vec<u8>]) -> Option<&'k [u8]> {
    let words = KnownWords::new(known);
    let (mut hits, mut mismatches) = (vec![0u64; known.len()], vec![0u64; known.len()]);
    let (mut checked, mut bases, mut most) = (0u64, 0, 0);
    let mut places = Vec::new();
    for read in reads {
        checked += 1;
        bases += read.len();
        if checked > MOST_READS || bases > MOST_BASES || most > MOST_HITS {
            break;
        }
        words.places(read, &mut places);
        let mut last = None;
        for &(number, at) in &places {
            // Of each adapter the first place.
            if last == Some(number) || known[number].len() >= read.len() {
                continue;
            }
            // One that lags behind isn't looked for any more.
            if most > 20 && hits[number] < most / 10 {
                continue;
            }
            if let Some(found) = compare(&read[at..], &known[number]) {
                last = Some(number);
                hits[number] += 1;
                mismatches[number] += found as u64;
                most = most.max(hits[number]);
            }
        }
    }
    // The first one of equals.
    let best = (0..known.len()).rev().max_by_key(|&number| hits[number])?;
    let enough =
        hits[best] > checked / 50 || (hits[best] > checked / 200 && mismatches[best] < checked);
    enough.then_some(&known[best][..])
}

/// How many bases differ of an adapter and what follows its place in a read, if these are few enough.
fn compare(rest: &[u8], adapter: &[u8]) -> Option<usize> {
    let compared = rest.len().min(adapter.len());
    let differ = rest.iter().zip(adapter).filter(|(a, b)| a != b).count();
    (compared > FEWEST && differ <= compared / BASES_PER_MISMATCH).then_some(differ)
}

/// Where sequences have which words: their first eight bases, the next eight, and so on.
struct KnownWords(Vec<Vec<(usize, usize)>>);

impl KnownWords {
    fn new(known: &[Vec<u8>]) -> KnownWords {
        let mut words = vec![Vec::new(); 1 << (2 * WORD)];
        for (number, sequence) in known.iter().enumerate() {
            for (at, bases) in sequence.chunks_exact(WORD).enumerate() {
                let word = bases.iter().try_fold(0, |word, &base| Some(word << 2 | code(base)?));
                if let Some(word) = word {
                    words[word].push((number, at * WORD));
                }
            }
        }
        KnownWords(words)
    }

    /// The sequences that a read may have, with their places, in order.
    fn places(&self, read: &[u8], places: &mut Vec<(usize, usize)>) {
        places.clear();
        let (mut word, mut letters) = (0, 0);
        for (end, &base) in read.iter().enumerate() {
            match code(base) {
                Some(code) => {
                    (word, letters) = ((word << 2 | code) & ((1 << (2 * WORD)) - 1), letters + 1)
                }
                None => letters = 0,
            }
            if letters >= WORD {
                let start = end + 1 - WORD;
                let of_word = self.0[word].iter().filter(|(_, before)| *before <= start);
                places.extend(of_word.map(|&(number, before)| (number, start - before)));
            }
        }
        places.sort_unstable();
        places.dedup();
    }
}

#[cfg(test)]
mod tests {
    use biofast_testkit::random::Random;

    use super::*;

    #[test]
    fn words_find_what_a_look_at_every_place_finds() {
        let known = known(FastpVersion::V1_3);
        assert_eq!((known.len(), super::known(FastpVersion::V0_23).len()), (234, 233));
        let words = KnownWords::new(&known);
        let (mut random, mut places, mut hits) = (Random(8), Vec::new(), 0);
        for _ in 0..4000 {
            let mut read: Vec<u8> =
                (0..random.below(60)).map(|_| b"ACGTN"[random.below(5)]).collect();
            read.extend_from_slice(&known[random.below(known.len())]);
            read.truncate(20 + random.below(90));
            for base in &mut read {
                if random.chance(4) {
                    *base = b"ACGT"[random.below(4)];
                }
            }
            words.places(&read, &mut places);
            for (number, adapter) in known.iter().enumerate() {
                let first = (0..read.len()).find(|&at| compare(&read[at..], adapter).is_some());
                let found = places.iter().find(|&&(other, at)| {
                    other == number && compare(&read[at..], adapter).is_some()
                });
                assert_eq!(found.map(|&(_, at)| at), first);
                hits += usize::from(first.is_some());
            }
        }
        assert!(hits > 5000, "{hits}");
    }
}

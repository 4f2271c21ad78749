//! An adapter nobody named and no mate shows: by how often its bases come, and how.
//!
//! Any stretch of a small genome, of an amplicon or of a repeat comes often. What sets an adapter
//! apart is its start: before it comes the end of an insert, another one in each read and at
//! another place, and from it on all reads go on alike to their ends. A stretch of a genome goes on alike in
//! both directions, the start of a repeat has as many different neighbours as the repeat has
//! copies, and reads begin inside of a repeat but never inside of an adapter.

use std::collections::HashMap;

use super::sequences::{Consensus, LONGEST, Sequences, Strength, find, letter};

/// Bases of the stretches that are counted.
const K: usize = 10;

/// The shortest adapter that is told.
const SHORTEST: usize = 2 * K;

/// What is cut to fewer bases is lost anyway; tags and spacers before primers are shorter.
const SHORTEST_INSERT: usize = 18;

/// The bases before an adapter that tell insert ends apart.
const CONTEXT: usize = 8;

/// So many different insert ends there must be, as [`distinct`] counts them.
const LEAST_INSERT_ENDS: f64 = 20.0;

/// And so many places of reads: an amplicon's inner primer is at one, or at a few of them.
const LEAST_PLACES: f64 = 12.0;

/// If an adapter were a repeat, so many reads at least would have to begin inside of it, for
/// their absence to mean something.
const FEWEST_EXPECTED: f64 = 5.0;

/// Starts that are tried, most frequent first.
const TRIED: usize = 50;

/// An adapter that at least `least` reads have, how many have it, and what speaks for it.
pub(super) fn find_adapter(reads: &Sequences, least: u64) -> Option<(Vec<u8>, u64, Strength)> {
    let starts = Neighbours::of(reads).starts(least);
    starts.into_iter().find_map(|start| judge(reads, &start, least))
}

/// How often each stretch of [`K`] + 1 bases comes: each stretch of K with what is before and behind it.
struct Neighbours(Vec<u32>);

/// Codes of stretches of K bases.
const STRETCHES: usize = 1 << (2 * K);

impl Neighbours {
    fn of(reads: &Sequences) -> Neighbours {
        let mut counts = vec![0u32; 4 * STRETCHES];
        for read in reads.iter() {
            let (mut code, mut known) = (0, 0);
            for &base in read {
                let letter = letter(base);
                known = if letter < 4 { known + 1 } else { 0 };
                code = (code << 2 | letter & 3) & (counts.len() - 1);
                if known > K {
                    counts[code] += 1;
                }
            }
        }
        Neighbours(counts)
    }

    fn after(&self, stretch: usize) -> [u64; 4] {
        std::array::from_fn(|base| u64::from(self.0[stretch << 2 | base]))
    }

    fn before(&self, stretch: usize) -> [u64; 4] {
        std::array::from_fn(|base| u64::from(self.0[base * STRETCHES + stretch]))
    }

    /// Stretches that come at least `least` times behind varied bases, and from which on reads go
    /// on alike.
    fn starts(&self, least: u64) -> Vec<[u8; K]> {
        let is_start = |stretch: usize| {
            let before = self.before(stretch);
            let (all, most) = (before.iter().sum::<u64>(), before.into_iter().max().unwrap_or(0));
            let frequent = all >= least && 10 * most <= 7 * all;
            (frequent && self.goes_on(stretch)).then_some((all, stretch))
        };
        let mut starts: Vec<(u64, usize)> = (0..STRETCHES).filter_map(is_start).collect();
        // Ties by the code, so that the result depends on the reads alone.
        starts.sort_unstable_by(|a, b| b.cmp(a));
        let stretches = starts.into_iter().map(|(_, code)| stretch(code));
        stretches.filter(is_varied).take(TRIED).collect()
    }

    /// Whether the next bases up to the shortest adapter are those of three in four reads each.
    fn goes_on(&self, mut stretch: usize) -> bool {
        (K..SHORTEST).all(|_| {
            let after = self.after(stretch);
            let all: u64 = after.iter().sum();
            let best = (0..4).max_by_key(|&base| after[base]).unwrap_or(0);
            stretch = (stretch << 2 | best) & (STRETCHES - 1);
            all > 0 && 4 * after[best] >= 3 * all
        })
    }
}

fn stretch(code: usize) -> [u8; K] {
    std::array::from_fn(|place| b"ACGT"[code >> (2 * (K - 1 - place)) & 3])
}

/// Whether a stretch has at least six different triplets of its eight, so that it is no run and no
/// short repeat.
fn is_varied(stretch: &[u8; K]) -> bool {
    let mut triplets: Vec<&[u8]> = stretch.windows(3).collect();
    triplets.sort_unstable();
    triplets.dedup();
    triplets.len() >= 6
}

/// Whether `start` is that of an adapter: what it is, how many reads have it, and what speaks
/// for it.
fn judge(reads: &Sequences, start: &[u8; K], least: u64) -> Option<(Vec<u8>, u64, Strength)> {
    let mut consensus = Consensus::default();
    let mut behind_insert = 0;
    let mut ends: HashMap<&[u8], u64> = HashMap::new();
    let mut places: HashMap<usize, u64> = HashMap::new();
    for read in reads.iter() {
        let Some(at) = find(read, start) else { continue };
        consensus.add(&read[at..]);
        behind_insert += u64::from(at >= SHORTEST_INSERT);
        *places.entry(at).or_default() += 1;
        if at >= CONTEXT {
            *ends.entry(&read[at - CONTEXT..at]).or_default() += 1;
        }
    }
    let adapter = consensus.sequence();
    if adapter.len() < SHORTEST || consensus.reads < least || 2 * behind_insert < consensus.reads {
        return None; // too few, or a primer behind a tag
    }
    // A conserved stretch among many variants of an amplicon ends before the reads do.
    if adapter.len() < LONGEST && consensus.reaches(adapter.len()) {
        return None;
    }
    let insert_ends = distinct(ends.into_values());
    let places = distinct(places.into_values());
    let is_adapter = insert_ends >= LEAST_INSERT_ENDS
        && places >= LEAST_PLACES
        && never_begins_inside(reads, &adapter);
    let strength = Strength { insert_ends: insert_ends as u64, places: places as u64 };
    is_adapter.then_some((adapter, consensus.reads, strength))
}

/// As how many kinds, all equally frequent, things of these kinds look like: two drawn at random
/// are of one kind in a case of so many. A few rare ones, such as errors make, hardly count.
fn distinct(counts: impl Iterator<Item = u64>) -> f64 {
    let (mut all, mut pairs) = (0, 0);
    for n in counts {
        all += n;
        pairs += n * n.saturating_sub(1);
    }
    let kinds = (all * all.saturating_sub(1)) as f64 / pairs.max(1) as f64;
    // Of few things without a pair alike nobody knows how many kinds there are.
    kinds.min(all as f64)
}

/// Whether the end of the adapter only shows up behind its start: a read of a repeat may begin
/// anywhere in it, an insert always comes before an adapter.
fn never_begins_inside(reads: &Sequences, adapter: &[u8]) -> bool {
    let before = adapter.len() - K;
    let inner = &adapter[before..];
    let (mut with, mut early, mut other) = (0u64, 0u64, 0u64);
    let mut expected = 0.0;
    for read in reads.iter() {
        let Some(at) = find(read, inner) else { continue };
        let places = read.len() + 1 - K;
        with += 1;
        expected += before.min(places) as f64 / places as f64;
        if at < before {
            early += 1;
        } else {
            other += u64::from(!alike(&read[at - before..at], adapter));
        }
    }
    expected >= FEWEST_EXPECTED && 4.0 * early as f64 <= expected && 20 * other <= with
}

/// Whether at most an eighth of `read` differs from the start of `adapter`.
fn alike(read: &[u8], adapter: &[u8]) -> bool {
    let differ = read.iter().zip(adapter).filter(|(a, b)| a != b).count();
    8 * differ <= read.len()
}

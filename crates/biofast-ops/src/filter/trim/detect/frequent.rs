//! An adapter nobody named and no mate shows: by how often its bases come, and how.

use super::{Consensus, LONGEST, SEED, Sequences, find, letter};

/// Bases of the stretches that are counted.
const K: usize = 10;

/// What is cut to fewer bases is lost anyway; tags and spacers before primers are shorter.
const SHORTEST_INSERT: usize = 18;

/// Stretches that are tried, most frequent first.
const TRIED: usize = 50;

/// An adapter that at least `least` reads have, and how many have it.
pub(super) fn find_adapter(reads: &Sequences, least: u64) -> Option<(Vec<u8>, u64)> {
    candidates(reads, least).into_iter().find_map(|seed| judge(reads, &seed, least))
}

/// Stretches that come at least `least` times, but for those of few letters.
fn candidates(reads: &Sequences, least: u64) -> Vec<[u8; K]> {
    let mut counts = vec![0u32; 1 << (2 * K)];
    for read in reads.iter() {
        let (mut code, mut known) = (0, 0);
        for &base in read {
            let letter = letter(base);
            known = if letter < 4 { known + 1 } else { 0 };
            code = (code << 2 | letter & 3) & (counts.len() - 1);
            if known >= K {
                counts[code] += 1;
            }
        }
    }
    let frequent = counts.iter().enumerate().filter(|&(_, &n)| u64::from(n) >= least);
    let mut frequent: Vec<(u32, usize)> = frequent.map(|(code, &n)| (n, code)).collect();
    // Ties by the code, so that the result depends on the reads alone.
    frequent.sort_unstable_by(|a, b| b.cmp(a));
    let stretches = frequent.into_iter().map(|(_, code)| stretch(code));
    stretches.filter(is_varied).take(TRIED).collect()
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

/// Whether `seed` lies in an adapter: finds where it begins and how it goes on, and how many reads
/// have it.
fn judge(reads: &Sequences, seed: &[u8; K], least: u64) -> Option<(Vec<u8>, u64)> {
    let start = beginning(reads, seed, least)?;
    let mut consensus = Consensus::default();
    let mut behind_insert = 0;
    for read in reads.iter() {
        if let Some(at) = find(read, &start) {
            consensus.add(&read[at..]);
            behind_insert += u64::from(at >= SHORTEST_INSERT);
        }
    }
    if 2 * behind_insert < consensus.reads {
        return None; // a primer behind a tag
    }
    let adapter = consensus.sequence();
    if adapter.len() < SEED || consensus.reads < least {
        return None;
    }
    // Inside an adapter, its start was before; inside a repeat, the read may have begun.
    let inner = &adapter[adapter.len() - K..];
    if adapter.len() >= 2 * K {
        let (mut with, mut headless) = (0u64, 0u64);
        for read in reads.iter() {
            if let Some(at) = find(read, inner) {
                with += 1;
                let before = adapter.len() - K;
                headless += u64::from(at < before || !alike(&read[at - before..at], &adapter));
            }
        }
        if 20 * headless > with {
            return None;
        }
    }
    Some((adapter, consensus.reads))
}

/// Whether at most an eighth of `read` differs from the start of `adapter`.
fn alike(read: &[u8], adapter: &[u8]) -> bool {
    let differ = read.iter().zip(adapter).filter(|(a, b)| a != b).count();
    8 * differ <= read.len()
}

/// Goes left from `seed` as long as nine in ten reads agree on the base before; the first [`K`]
/// bases of what that reaches, where they don't agree any more. `None` if that is the start of most
/// reads, as an amplicon's, or if it goes on for too long.
fn beginning(reads: &Sequences, seed: &[u8; K], least: u64) -> Option<[u8; K]> {
    let having = |read| find(read, seed).map(|at| (read, at));
    let mut places: Vec<(&[u8], usize)> = reads.iter().filter_map(having).collect();
    let mut start = *seed;
    for _ in 0..2 * LONGEST {
        let all = places.len();
        places.retain(|&(_, at)| at > 0);
        let inside = places.len();
        if (inside as u64) < least || 2 * inside < all {
            return None;
        }
        let mut before = [0; 5];
        places.iter().for_each(|&(read, at)| before[letter(read[at - 1])] += 1);
        let (base, &most) = before[..4].iter().enumerate().max_by_key(|&(_, &n)| n)?;
        if 10 * most < 9 * inside {
            // If most reads have the same base there after all, that is no insert.
            return (4 * most <= 3 * inside).then_some(start);
        }
        let base = b"ACGT"[base];
        start.rotate_right(1);
        start[0] = base;
        places.retain_mut(|(read, at)| {
            *at -= 1;
            read[*at] == base
        });
    }
    None
}

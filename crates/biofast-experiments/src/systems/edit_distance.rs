//! Edit distance: dynamic programming by rows and in a band, and Myers' bit-parallel algorithm. Entry 015 compares them.

/// Memory kept between calls.
#[derive(Default)]
pub(crate) struct Scratch {
    row: Vec<u32>,
    /// For every byte, where it occurs in the pattern, 64 places to a word.
    masks: Vec<u64>,
    plus: Vec<u64>,
    minus: Vec<u64>,
}

/// The textbook: a row of the matrix at a time.
pub(crate) fn by_rows(scratch: &mut Scratch, a: &[u8], b: &[u8]) -> usize {
    let row = &mut scratch.row;
    row.clear();
    row.extend(0..=b.len() as u32);
    for (i, &x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as u32 + 1;
        let mut left = row[0];
        for (cell, &y) in row[1..].iter_mut().zip(b) {
            let best = (diagonal + u32::from(x != y)).min(left + 1).min(*cell + 1);
            diagonal = *cell;
            *cell = best;
            left = best;
        }
    }
    row.last().map_or(0, |distance| *distance as usize)
}

/// As [`by_rows`], but only where a distance of at most `k` is possible; `k` doubles until the distance fits.
pub(crate) fn by_band(scratch: &mut Scratch, a: &[u8], b: &[u8]) -> usize {
    let mut k = a.len().abs_diff(b.len()).max(8);
    loop {
        if let Some(distance) = within(scratch, a, b, k) {
            return distance;
        }
        k *= 2;
    }
}

/// The distance if it is at most `k`.
fn within(scratch: &mut Scratch, a: &[u8], b: &[u8], k: usize) -> Option<usize> {
    const FAR: u32 = u32::MAX / 2;
    let row = &mut scratch.row;
    row.clear();
    row.extend((0..=b.len()).map(|j| if j <= k { j as u32 } else { FAR }));
    for (i, &x) in a.iter().enumerate() {
        let (first, last) = ((i + 1).saturating_sub(k), (i + 1 + k).min(b.len()));
        if first > b.len() {
            return None;
        }
        let start = first.max(1);
        let mut diagonal = row[start - 1];
        row[start - 1] = if first == 0 { i as u32 + 1 } else { FAR };
        let mut left = row[start - 1];
        for j in start..=last {
            let best = (diagonal + u32::from(x != b[j - 1])).min(left + 1).min(row[j] + 1);
            diagonal = row[j];
            row[j] = best;
            left = best;
        }
        if last < b.len() {
            row[last + 1] = FAR;
        }
    }
    let distance = row[b.len()] as usize;
    (distance <= k).then_some(distance)
}

/// Myers 1999 in the block form of Hyyrö: the differences between neighbouring cells of a column are bits, 64 rows to
/// a word; a carry goes from block to block.
pub(crate) fn bit_parallel(scratch: &mut Scratch, pattern: &[u8], text: &[u8]) -> usize {
    if pattern.is_empty() {
        return text.len();
    }
    let blocks = pattern.len().div_ceil(64);
    let Scratch { masks, plus, minus, .. } = scratch;
    masks.clear();
    masks.resize(256 * blocks, 0);
    for (i, &x) in pattern.iter().enumerate() {
        masks[usize::from(x) * blocks + i / 64] |= 1 << (i % 64);
    }
    plus.clear();
    plus.resize(blocks, !0);
    minus.clear();
    minus.resize(blocks, 0);
    let last_bit = (pattern.len() - 1) % 64;
    let mut distance = pattern.len();
    for &y in text {
        let masks = &masks[usize::from(y) * blocks..][..blocks];
        // The row above the first one grows by one with every column.
        let (mut carry_plus, mut carry_minus) = (1u64, 0u64);
        let columns = masks.iter().zip(plus.iter_mut()).zip(minus.iter_mut());
        for (block, ((&mask, plus), minus)) in columns.enumerate() {
            let (pv, mv) = (*plus, *minus);
            let xv = mask | mv;
            let eq = mask | carry_minus;
            let xh = ((eq & pv).wrapping_add(pv) ^ pv) | eq;
            let ph = mv | !(xh | pv);
            let mh = pv & xh;
            if block + 1 == blocks {
                distance += (ph >> last_bit & 1) as usize;
                distance -= (mh >> last_bit & 1) as usize;
            }
            let (out_plus, out_minus) = (ph >> 63, mh >> 63);
            let (ph, mh) = (ph << 1 | carry_plus, mh << 1 | carry_minus);
            *plus = mh | !(xv | ph);
            *minus = ph & xv;
            (carry_plus, carry_minus) = (out_plus, out_minus);
        }
    }
    distance
}

//! How often symbols occur, and frequencies made of that.

/// Counts or frequencies of all symbols.
pub(crate) type Row = [u32; 256];

/// Counts the symbols.
pub(crate) fn count(data: &[u8]) -> Row {
    // Several rows, as an addition waits for the one before it in the same place.
    let mut rows = [[0u32; 256]; 4];
    let mut quads = data.chunks_exact(4);
    for quad in &mut quads {
        for (row, &symbol) in rows.iter_mut().zip(quad) {
            row[usize::from(symbol)] += 1;
        }
    }
    let [mut sum, others @ ..] = rows;
    for &symbol in quads.remainder() {
        sum[usize::from(symbol)] += 1;
    }
    for row in others {
        for (sum, count) in sum.iter_mut().zip(row) {
            *sum += count;
        }
    }
    sum
}

/// Counts each symbol after each other, in `lanes` parts of equal length that start after symbol 0 each; the last also has the
/// rest. A row for each context up to the highest symbol.
pub(crate) fn count_pairs(data: &[u8], lanes: usize) -> Vec<Row> {
    let bound = 1 + usize::from(data.iter().copied().max().unwrap_or(0));
    let stride = bound | 1; // rows a power of two apart would share lines of the cache
    // Four places at once, each with a table: as above.
    let mut tables: [Vec<u32>; 4] = std::array::from_fn(|_| vec![0; bound * stride]);
    let quarter = data.len() / 4;
    let [a, b, c, d] = [0, 1, 2, 3].map(|part| &data[part * quarter..][..quarter]);
    let mut last = [&[0][..], a, b, c].map(|before| before.last().map_or(0, |&s| usize::from(s)));
    for (((&a, &b), &c), &d) in a.iter().zip(b).zip(c).zip(d) {
        let next = [a, b, c, d].map(usize::from);
        for ((table, last), next) in tables.iter_mut().zip(last).zip(next) {
            table[last * stride + next] += 1;
        }
        last = next;
    }
    let mut last = d.last().map_or(0, |&symbol| usize::from(symbol));
    for &next in &data[4 * quarter..] {
        tables[3][last * stride + usize::from(next)] += 1;
        last = usize::from(next);
    }
    let mut rows = vec![[0; 256]; bound];
    for table in tables {
        for (row, counts) in rows.iter_mut().zip(table.chunks_exact(stride)) {
            for (sum, count) in row.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }
    // Lanes know nothing of each other.
    let len = data.len() / lanes;
    for start in (1..lanes).map(|lane| lane * len).filter(|&start| start > 0) {
        let [before, first] = [data[start - 1], data[start]].map(usize::from);
        rows[before][first] -= 1;
        rows[0][first] += 1;
    }
    rows
}

/// Makes frequencies of counts: their sum is `total`, and what occurs at all is 1 or more. `total` is at least the number of
/// symbols that occur.
pub(crate) fn normalize(counts: &mut [u32], total: u32) {
    let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let mut left = i64::from(total);
    for count in counts.iter_mut().filter(|count| **count > 0) {
        let scaled = (u64::from(*count) * u64::from(total) + sum / 2) / sum;
        *count = scaled.max(1) as u32;
        left -= i64::from(*count);
    }
    // What rounding left over or took too much goes to the largest, of which it is the smallest part.
    while left != 0 && sum > 0 {
        let Some(largest) = counts.iter_mut().rev().max_by_key(|count| **count) else { return };
        let change = left.max(-i64::from(*largest / 2));
        *largest = (i64::from(*largest) + change) as u32;
        left -= change;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_are_counted_in_their_lanes(
            data in proptest::collection::vec(0..4u8, 0..300), lanes in prop_oneof![Just(4), Just(32)],
        ) {
            let mut expected = vec![[0; 256]; 256];
            let len = data.len() / lanes;
            for lane in 0..lanes {
                let end = if lane == lanes - 1 { data.len() } else { (lane + 1) * len };
                let mut last = 0;
                for &next in &data[lane * len..end] {
                    expected[last][usize::from(next)] += 1;
                    last = usize::from(next);
                }
            }
            let found = count_pairs(&data, lanes);
            prop_assert!(found == expected[..found.len()] && expected[found.len()..].iter().all(|row| *row == [0; 256]));
            let mut all = [0; 256];
            data.iter().for_each(|&symbol| all[usize::from(symbol)] += 1);
            prop_assert_eq!(count(&data), all);
        }

        #[test]
        fn frequencies_have_the_sum_and_lose_no_symbol(
            counts in proptest::collection::vec(
                prop_oneof![Just(0), Just(1), 0..20u32, 0..1_000_000u32, Just(u32::MAX)], 256),
            total in prop_oneof![Just(4095), Just(4096), Just(1024), Just(256)],
        ) {
            let counts: Row = counts.try_into().expect("256 of them");
            prop_assume!(counts.iter().any(|&count| count > 0));
            let mut frequencies = counts;
            normalize(&mut frequencies, total);
            prop_assert_eq!(frequencies.iter().sum::<u32>(), total);
            for (frequency, count) in frequencies.iter().zip(counts) {
                prop_assert_eq!(*frequency > 0, count > 0);
            }
        }
    }
}

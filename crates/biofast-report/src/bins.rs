//! Histograms of many values as few enough bins to draw.

/// Values from `from` to `to`, both counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bin {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) count: u64,
}

impl Bin {
    /// The values as a label.
    pub(super) fn label(&self) -> String {
        use super::number::grouped;
        match self.from == self.to {
            true => grouped(self.from),
            false => format!("{}–{}", grouped(self.from), grouped(self.to)),
        }
    }
}

/// A histogram, ascending, as at most `most` bins of equal width that lie side by side.
pub(super) fn equal(histogram: &[(u64, u64)], most: u64) -> Vec<Bin> {
    let (Some(&(first, _)), Some(&(last, _))) = (histogram.first(), histogram.last()) else {
        return Vec::new();
    };
    let values = u128::from(last - first) + 1;
    // Widths that people count in.
    let width = [1, 2, 5]
        .into_iter()
        .cycle()
        .zip((0..60).map(|i| 10u128.pow(i / 3)))
        .map(|(digit, power)| digit * power)
        .find(|width| values.div_ceil(*width) < u128::from(most))
        .and_then(|width| u64::try_from(width).ok())
        .unwrap_or(u64::MAX);
    let start = first - first % width;
    let mut bins: Vec<Bin> = (0..=(last - start) / width)
        .map(|i| start + i * width)
        .map(|from| Bin { from, to: from.saturating_add(width - 1), count: 0 })
        .collect();
    for &(value, n) in histogram {
        bins[((value - start) / width) as usize].count += n;
    }
    bins
}

/// A histogram, ascending and without 0, as bins of equal ratio: `per_decade` for every power of ten.
pub(super) fn by_ratio(histogram: &[(u64, u64)], per_decade: u32) -> Vec<Bin> {
    let (Some(&(first, _)), Some(&(last, _))) = (histogram.first(), histogram.last()) else {
        return Vec::new();
    };
    let edge = |i: u32| 10f64.powf(f64::from(i) / f64::from(per_decade)).ceil() as u64;
    let mut bins: Vec<Bin> = Vec::new();
    for i in 0.. {
        let (from, next) = (edge(i), edge(i + 1));
        if next > from && next > first {
            bins.push(Bin { from, to: next - 1, count: 0 });
        }
        if next > last || next == u64::MAX {
            break;
        }
    }
    let mut at = 0;
    for &(value, n) in histogram {
        while at + 1 < bins.len() && bins[at].to < value {
            at += 1;
        }
        if let Some(bin) = bins.get_mut(at) {
            bin.count += n;
        }
    }
    bins
}

/// Whether the values reach so far that bins of equal ratio show more.
pub(super) fn is_wide(histogram: &[(u64, u64)]) -> bool {
    let (Some(&(first, _)), Some(&(last, _))) = (histogram.first(), histogram.last()) else {
        return false;
    };
    first > 0 && last > 2000 && last > 8 * reaching(histogram, 0.5)
}

/// The lowest value that this share of the counts doesn't exceed.
pub(super) fn reaching(histogram: &[(u64, u64)], share: f64) -> u64 {
    let all: u64 = histogram.iter().map(|&(_, n)| n).sum();
    let mut seen = 0;
    let reached = histogram.iter().find(|&&(_, n)| {
        seen += n;
        seen as f64 >= all as f64 * share
    });
    reached.or(histogram.last()).map_or(0, |&(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_every_count_once() {
        for last in [1, 7, 99, 100, 101, 4321, 987_654, u64::MAX / 2] {
            let histogram = [(1, 5), (1 + last / 3, 7), (1 + last, 11)];
            for bins in [equal(&histogram, 100), by_ratio(&histogram, 20)] {
                assert_eq!(bins.iter().map(|b| b.count).sum::<u64>(), 23, "{last} {bins:?}");
                assert!(bins.windows(2).all(|w| w[0].to + 1 == w[1].from), "{last} {bins:?}");
                assert!(bins.iter().all(|b| b.from <= b.to));
                let holding = |v: u64| bins.iter().find(|b| b.from <= v && v <= b.to).is_some();
                assert!(histogram.iter().all(|&(v, _)| holding(v)), "{last} {bins:?}");
            }
            assert!(equal(&histogram, 100).len() <= 101);
        }
        assert!(equal(&[], 10).is_empty() && by_ratio(&[], 10).is_empty());
        assert_eq!(reaching(&[(1, 90), (5, 9), (100, 1)], 0.99), 5);
    }
}

//! Other qualities: fewer values, or none above a limit.

/// What each quality becomes.
///
/// ```
/// use biofast_ops::convert::QualityMap;
///
/// let mut qualities = *b"#-5?I";
/// QualityMap::parse("4")?.apply(&mut qualities);
/// assert_eq!(&qualities, b"#-88F");
/// QualityMap::default().capped(30).apply(&mut qualities);
/// assert_eq!(&qualities, b"#-88?");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QualityMap(
    /// By the character, Phred + 33.
    Box<[u8; 256]>,
);

impl Default for QualityMap {
    /// All stay as they are.
    fn default() -> QualityMap {
        QualityMap(Box::new(std::array::from_fn(|quality| quality as u8)))
    }
}

/// The lowest quality of each bin, and what its qualities become.
type QualityBins<'a> = &'a [(u8, u8)];

/// The eight levels of Illumina's white paper on data compression: 0 is of no-calls, and 1 isn't used.
const EIGHT: QualityBins<'_> =
    &[(0, 0), (1, 1), (2, 6), (10, 15), (20, 22), (25, 27), (30, 33), (35, 37), (40, 40)];

/// The four levels of the NovaSeq 6000: 2 is of no-calls.
const FOUR: QualityBins<'_> = &[(0, 2), (3, 12), (15, 23), (31, 37)];

/// The highest quality.
const HIGHEST: u8 = 93;

impl QualityMap {
    /// `8` or `4` for levels of Illumina, or bins such as `0:2,15:20,30:37`: the lowest quality of each, and what all of its qualities
    /// become.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<QualityMap, String> {
        match text {
            "8" => return Ok(QualityMap::of(EIGHT)),
            "4" => return Ok(QualityMap::of(FOUR)),
            _ => {}
        }
        let phred = |text: &str| text.parse().ok().filter(|phred: &u8| *phred <= HIGHEST);
        let bin = |text: &str| {
            let (lowest, becomes) = text.split_once(':')?;
            phred(lowest).zip(phred(becomes))
        };
        let bins: Option<Vec<_>> = text.split(',').map(bin).collect();
        let bins = bins.ok_or_else(|| {
            format!("'{text}' has no quality bins: expected 8, 4 or a form like 0:2,15:20,30:37")
        })?;
        if bins.first().is_none_or(|&(lowest, _)| lowest != 0) {
            return Err(format!("the first bin of '{text}' must begin with quality 0"));
        }
        if let Some(pair) = bins.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(format!(
                "the bins of '{text}' are not in order: {} follows {}",
                pair[1].0, pair[0].0
            ));
        }
        Ok(QualityMap::of(&bins))
    }

    fn of(bins: QualityBins<'_>) -> QualityMap {
        let mut map = QualityMap::default();
        for &(lowest, becomes) in bins {
            // What a later bin has is written again by it.
            map.0[usize::from(lowest + b'!')..=usize::from(HIGHEST + b'!')].fill(becomes + b'!');
        }
        map
    }

    /// The map that lowers each quality above `highest` to it first.
    #[must_use]
    pub fn capped(self, highest: u8) -> QualityMap {
        let highest = highest.min(HIGHEST) + b'!';
        QualityMap(Box::new(std::array::from_fn(|quality| self.0[quality.min(highest.into())])))
    }

    /// Replaces qualities, Phred + 33.
    pub fn apply(&self, qualities: &mut [u8]) {
        for quality in qualities {
            *quality = self.0[usize::from(*quality)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualities_become_what_their_bin_says() {
        for (text, cap) in
            [("0:9,5:3,90:93", None), ("0:7", Some(50)), ("8", Some(36)), ("4", None)]
        {
            let bins = match text {
                "8" => EIGHT.to_vec(),
                "4" => FOUR.to_vec(),
                "0:7" => vec![(0, 7)],
                _ => vec![(0, 9), (5, 3), (90, 93)],
            };
            let map = QualityMap::parse(text).expect("bins");
            let map = cap.map_or(map.clone(), |cap| map.capped(cap));
            for quality in 0..=HIGHEST {
                let capped = quality.min(cap.unwrap_or(HIGHEST));
                let bin = bins.iter().rev().find(|(lowest, _)| *lowest <= capped);
                let mut found = [quality + 33];
                map.apply(&mut found);
                assert_eq!(
                    Some(found[0] - 33),
                    bin.map(|(_, becomes)| *becomes),
                    "{text} {quality}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for wrong in ["", "2", "5:3", "0:3,0:4", "0:1,9:2,4:3", "0:94", "0:3,94:3", "0-9:3", "0:1,"]
        {
            assert!(QualityMap::parse(wrong).is_err(), "{wrong}");
        }
    }
}

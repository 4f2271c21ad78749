//! The part of a read that is searched.

use std::ops::Range;
use std::str::FromStr;

/// A part of a read, in the notation of `seqkit`: from 1, both ends included, negative numbers counted from the end.
/// `1:12` is the first twelve bases, `-12:-1` the last twelve, `3:-3` all but two at each end. Only bases that a read
/// has are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRegion {
    from: i64,
    to: i64,
}

/// A region that isn't valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{}' is not a region of a read: expected a form like 1:12 (the first twelve bases), -12:-1 (the last twelve) or 3:-3",
    biofast_io::Escaped(.0.as_bytes())
)]
pub struct RegionError(String);

impl FromStr for ReadRegion {
    type Err = RegionError;

    fn from_str(text: &str) -> Result<ReadRegion, RegionError> {
        let error = || RegionError(text.to_owned());
        let (from, to) = text.split_once(':').ok_or_else(error)?;
        let [from, to] = [from, to].map(|number| number.trim().parse::<i64>());
        let (from, to) = (from.map_err(|_| error())?, to.map_err(|_| error())?);
        let ordered = (from < 0) != (to < 0) || from <= to;
        if from == 0 || to == 0 || (from < 0 && to > 0) || !ordered {
            return Err(error());
        }
        Ok(ReadRegion { from, to })
    }
}

impl ReadRegion {
    /// The region of a read of this length, from 0.
    pub fn of(&self, len: usize) -> Range<usize> {
        let len = i64::try_from(len).unwrap_or(i64::MAX);
        let place = |number: i64| if number < 0 { len.saturating_add(number) } else { number - 1 };
        let from = place(self.from).clamp(0, len);
        let to = place(self.to).saturating_add(1).clamp(from, len);
        // Not more than `len`, which was a length.
        from as usize..to as usize
    }
}

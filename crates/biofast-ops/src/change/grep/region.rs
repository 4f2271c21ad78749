//! The part of a read that is searched.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A part of a read, as `seqkit` counts it: from 1, with both ends in it, and from the end where a number is negative. `1:12`
/// is the first twelve bases, `-12:-1` the last twelve, `3:-3` all but two at each end. What a read doesn't have isn't
/// searched.
///
/// ```
/// use biofast_ops::grep::Region;
///
/// let region: Region = "1:12".parse()?;
/// assert_eq!((region.of(100), region.of(5)), (0..12, 0..5));
/// let region: Region = "-12:-1".parse()?;
/// assert_eq!(region.of(100), 88..100);
/// assert!("5:0".parse::<Region>().is_err() && "-3:5".parse::<Region>().is_err());
/// # Ok::<(), biofast_ops::grep::RegionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    from: i64,
    to: i64,
}

/// A region that is none.
///
/// ```
/// use biofast_ops::grep::Region;
///
/// let error = "12".parse::<Region>().expect_err("one number");
/// assert!(error.to_string().starts_with("'12' is no region of a read"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionError(String);

impl fmt::Display for RegionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = biofast_io::Escaped(self.0.as_bytes()).to_string();
        write!(
            f,
            "'{text}' is no region of a read: say 1:12 for the first twelve bases, -12:-1 for the last twelve, or 3:-3"
        )
    }
}

impl std::error::Error for RegionError {}

impl FromStr for Region {
    type Err = RegionError;

    fn from_str(text: &str) -> Result<Region, RegionError> {
        let error = || RegionError(text.to_owned());
        let (from, to) = text.split_once(':').ok_or_else(error)?;
        let [from, to] = [from, to].map(|number| number.trim().parse::<i64>());
        let (from, to) = (from.map_err(|_| error())?, to.map_err(|_| error())?);
        let ordered = (from < 0) != (to < 0) || from <= to;
        if from == 0 || to == 0 || (from < 0 && to > 0) || !ordered {
            return Err(error());
        }
        Ok(Region { from, to })
    }
}

impl Region {
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

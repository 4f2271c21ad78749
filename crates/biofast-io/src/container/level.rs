//! How hard an output is compressed.

use std::fmt;
use std::str::FromStr;

/// How much effort is put into compressing an output. Parsed from `fast`, `balanced`, `small` or a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// BGZF only: FASTQ and BAM by encoders that know them, all else as level 1.
    #[default]
    Fast,
    /// BGZF only: FASTQ by its encoder with more effort, BAM by its own where that makes about as little as level 6, all else as
    /// level 6.
    Balanced,
    /// BGZF only: each block as the encoder of FASTQ makes it with more effort or as level 6, whichever is smaller.
    Small,
    /// A level of the format's library.
    Number(u8),
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Fast => f.pad("fast"),
            Level::Balanced => f.pad("balanced"),
            Level::Small => f.pad("small"),
            Level::Number(n) => n.fmt(f),
        }
    }
}

/// A text that isn't a compression level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLevel(String);

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is not a compression level: expected fast, balanced, small or a number",
            self.0
        )
    }
}

impl std::error::Error for UnknownLevel {}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Level, UnknownLevel> {
        match text.to_ascii_lowercase().as_str() {
            "fast" => Ok(Level::Fast),
            "balanced" => Ok(Level::Balanced),
            "small" => Ok(Level::Small),
            number => number.parse().map(Level::Number).map_err(|_| UnknownLevel(text.to_owned())),
        }
    }
}

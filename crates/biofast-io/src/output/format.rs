//! What outputs are wrapped in, by the name of the file or by choice.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::container::Level;

/// The compression of an output, by the name of a file ([`from_name`](Format::from_name)) or parsed from what a user
/// asks for: `plain`, `bgzf` or `gz`, `zstd`, `bzip2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// None.
    #[default]
    Plain,
    /// Blocked gzip, which every gzip reader reads.
    Bgzf,
    /// Zstandard frames.
    Zstd,
    /// bzip2 streams, one after the other, as pbzip2 writes them.
    Bzip2,
}

impl Format {
    /// The format a file name asks for: BGZF for `.gz`, `.bgz` and `.bgzf`, zstd for `.zst` and
    /// `.zstd`, bzip2 for `.bz2`, else plain.
    pub fn from_name(path: &Path) -> Format {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.as_encoded_bytes() {
            b"gz" | b"bgz" | b"bgzf" => Format::Bgzf,
            b"zst" | b"zstd" => Format::Zstd,
            b"bz2" => Format::Bzip2,
            _ => Format::Plain,
        }
    }
}

/// A text that isn't an output format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is not an output format: expected plain, bgzf (gz), zstd or bzip2", self.0)
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        match name.to_ascii_lowercase().as_str() {
            "plain" | "fastq" | "fq" => Ok(Format::Plain),
            "bgzf" | "bgz" | "gz" | "gzip" => Ok(Format::Bgzf),
            "zstd" | "zst" => Ok(Format::Zstd),
            "bzip2" | "bz2" => Ok(Format::Bzip2),
            _ => Err(UnknownFormat(name.to_owned())),
        }
    }
}

/// A format with its level.
///
/// ```
/// use biofast_io::output::{Compression, Format, Level};
///
/// let quick = Compression::new(Format::from_name("out.fq.gz".as_ref()), None)?;
/// assert_eq!((quick.format(), quick.level()), (Format::Bgzf, Level::Fast));
/// let small = Compression::new(Format::Bgzf, Some(Level::Number(9)))?;
/// assert_eq!(small.unit(), Some(biofast_io::bgzf::BLOCK_TEXT));
/// assert_eq!(Compression::default().format(), Format::Plain);
/// # Ok::<(), biofast_io::output::InvalidLevel>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compression {
    format: Format,
    level: Level,
}

/// A level that the format doesn't have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidLevel {
    level: Level,
    format: Format,
}

impl fmt::Display for InvalidLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (format, levels) = match self.format {
            Format::Zstd => ("zstd", "0 to 19"),
            Format::Bzip2 => ("bzip2", "1 to 9"),
            _ => ("BGZF", "fast, balanced, small or 0 to 12"),
        };
        write!(f, "{format} has no compression level {}: expected {levels}", self.level)
    }
}

impl std::error::Error for InvalidLevel {}

/// The format at its default level.
impl From<Format> for Compression {
    fn from(format: Format) -> Compression {
        let level = match format {
            Format::Plain => Level::default(),
            Format::Bgzf => Compression::DEFAULT_BGZF_LEVEL,
            Format::Zstd => Compression::DEFAULT_ZSTD_LEVEL,
            Format::Bzip2 => Compression::DEFAULT_BZIP2_LEVEL,
        };
        Compression { format, level }
    }
}

impl Compression {
    /// The level of BGZF unless another is given. `docs/filter.md` has the measurement behind it.
    pub const DEFAULT_BGZF_LEVEL: Level = Level::Fast;
    /// The level of zstd unless another is given.
    pub const DEFAULT_ZSTD_LEVEL: Level = Level::Number(3);
    /// The level of bzip2 unless another is given, as of `bzip2`.
    pub const DEFAULT_BZIP2_LEVEL: Level = Level::Number(9);

    /// `format` at `level`: for BGZF fast, balanced, small or libdeflate's 0 (stored) to 12, for zstd 0 (its
    /// default) to 19, for bzip2 1 to 9. Plain output has none and takes any.
    ///
    /// # Errors
    /// If the format has no such level.
    pub fn new(format: Format, level: Option<Level>) -> Result<Compression, InvalidLevel> {
        let highest = match format {
            Format::Plain => None,
            Format::Bgzf => Some(12),
            Format::Zstd => Some(19),
            Format::Bzip2 => Some(9),
        };
        let level = level.unwrap_or(Compression::from(format).level);
        let exists = match (level, highest) {
            (_, None) => true,
            (Level::Number(0), Some(_)) => format != Format::Bzip2,
            (Level::Number(n), Some(highest)) => n <= highest,
            (Level::Fast | Level::Balanced | Level::Small, Some(_)) => format == Format::Bgzf,
        };
        if exists { Ok(Compression { format, level }) } else { Err(InvalidLevel { level, format }) }
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.level
    }

    /// How many bytes of text are compressed together: a BGZF block, a zstd frame or a bzip2 stream. `None`
    /// for plain text.
    #[doc(hidden)]
    pub fn unit(&self) -> Option<usize> {
        match self.format {
            Format::Plain => None,
            Format::Bgzf => Some(crate::bgzf::BLOCK_TEXT),
            Format::Zstd => Some(super::unit::ZSTD_UNIT),
            Format::Bzip2 => Some(super::unit::bzip2_unit(self.level)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_checked_and_names_understood() {
        assert!(Compression::new(Format::Bgzf, Some(Level::Number(12))).is_ok());
        assert!(Compression::new(Format::Bgzf, Some(Level::Number(13))).is_err());
        assert!(Compression::new(Format::Zstd, Some(Level::Number(20))).is_err());
        assert!(Compression::new(Format::Bgzf, Some(Level::Small)).is_ok());
        let error = Compression::new(Format::Zstd, Some(Level::Fast)).expect_err("zstd has none");
        assert_eq!(error.to_string(), "zstd has no compression level fast: expected 0 to 19");
        assert_eq!("Fast".parse(), Ok(Level::Fast));
        assert_eq!("7".parse(), Ok(Level::Number(7)));
        assert!("-1".parse::<Level>().is_err() && "best".parse::<Level>().is_err());
        assert_eq!("GZ".parse(), Ok(Format::Bgzf));
        assert!(Compression::new(Format::Bzip2, Some(Level::Number(0))).is_err());
        assert!(Compression::new(Format::Bzip2, Some(Level::Number(10))).is_err());
        assert_eq!("bz2".parse(), Ok(Format::Bzip2));
        assert!("xz".parse::<Format>().is_err());
        assert_eq!(Format::from_name("a.FQ.GZ".as_ref()), Format::Bgzf);
        assert_eq!(Format::from_name("gz".as_ref()), Format::Plain);
    }
}

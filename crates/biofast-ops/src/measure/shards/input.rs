//! A file that is to be cut into shards.

use std::path::{Path, PathBuf};

use biofast_io::display_name;

use super::error::{Error, ErrorKind};

/// A file that is to be cut, and how it is read.
#[derive(Clone, Debug)]
pub struct ShardInput {
    /// The file.
    pub path: PathBuf,
    /// How it is called in the plan.
    pub name: String,
    /// Whether BAM without its end-of-file block, or CRAM without its container, is an error.
    pub strict_end: bool,
    /// Where it may be cut.
    pub between: Between,
}

/// Between which records a file may be split. Only BAM has others than [`Any`](Between::Any).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Between {
    /// Any two.
    #[default]
    Any,
    /// Where the name changes, so that records of a template that stand together aren't parted.
    Names,
    /// Where the position changes, of a file that is sorted by coordinate: each shard is what starts in some regions.
    Positions,
}

impl ShardInput {
    /// A file that is named by its path in the plan.
    pub fn new(path: &Path) -> ShardInput {
        ShardInput {
            path: path.to_owned(),
            name: display_name(path),
            strict_end: true,
            between: Between::Any,
        }
    }
}

/// Whether the file is ordinary gzip.
pub(super) fn is_gzip(input: &ShardInput) -> Result<bool, Error> {
    Ok(sniffed(input)? == biofast_io::Container::Gzip)
}

/// What the file is wrapped in.
pub(super) fn sniffed(input: &ShardInput) -> Result<biofast_io::Container, Error> {
    let failed = |error| Error::of(ErrorKind::Io(error), &input.name);
    let mut start = Vec::new();
    let file = biofast_io::remote::stream(&input.path).map_err(failed)?;
    // Enough for any header of a BGZF block.
    std::io::Read::read_to_end(&mut std::io::Read::take(file, 1 << 16), &mut start)
        .map_err(failed)?;
    Ok(biofast_io::Container::sniff(&start))
}

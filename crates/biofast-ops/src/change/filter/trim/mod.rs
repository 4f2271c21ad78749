//! What may be cut off a read. One file a kind; each kind is a definition, and `docs/filter.md`
//! has them all with their order.

mod adapter;
mod crop;
mod cutter;
pub mod detect;
mod long;
mod mates;
mod overlap;
mod poly;
mod umi;
mod window;

pub use adapter::{Adapters, InvalidAdapter, KITS, Kit};
pub use crop::{Crop, KeepFirst};
pub use cutter::{Action, AdapterCutter, AdapterFile, AdapterSide, InvalidSpec, Settings};
pub use long::{LONG_KITS, LongAdapters, LongKit, Middle};
pub use mates::{LONGEST_INSERT, Laid, MateRule, Mates, reverse_complement};
pub use overlap::Overlap;
pub use poly::{PolyG, PolyX};
pub use umi::{Umi, UmiSource};
pub use window::{CutFront, CutRight, CutTail, Window};

use super::read::{Read, Reads};
use super::tally::named;

named! {
    /// What cut bases are booked under.
    Trim {
        /// A molecular identifier moved to the name.
        Umi = "umi",
        /// A fixed number of bases.
        Crop = "crop",
        /// Low quality.
        Quality = "quality",
        /// A run of G at the end.
        PolyG = "poly_g",
        /// An adapter found by the overlap of mates.
        AdapterByOverlap = "adapter_by_overlap",
        /// An adapter found by its sequence.
        Adapter = "adapter",
        /// A run of one base at the end.
        PolyX = "poly_x",
        /// What lies beyond a fixed length.
        KeepFirst = "keep_first",
    }
}

/// Cuts something off reads.
///
/// ```
/// use biofast_fastq::Record;
/// use biofast_ops::filter::{Read, Trim, Trimmer};
///
/// /// A trimmer of one's own: cuts at the first N.
/// struct CutAtN;
///
/// impl Trimmer for CutAtN {
///     fn kind(&self) -> Trim {
///         Trim::Quality
///     }
///
///     fn trim_read(&self, read: &mut Read<'_>, _mate: usize) {
///         if let Some(at) = read.sequence().iter().position(|&base| base == b'N') {
///             read.truncate(at);
///         }
///     }
/// }
///
/// let mut read = Read::new(Record::new(b"r", b"ACNGT", b"II#II"));
/// CutAtN.trim_read(&mut read, 0);
/// assert_eq!(read.sequence(), b"AC");
/// ```
pub trait Trimmer: Send + Sync {
    /// What the cut bases are booked under.
    fn kind(&self) -> Trim;

    /// Trims one read; `mate` is 1 for the second of a pair, else 0.
    fn trim_read(&self, read: &mut Read<'_>, mate: usize);

    /// Trims a read or both reads of a pair: one after the other, unless there is more to it.
    fn trim(&self, reads: &mut Reads<'_, '_>) {
        reads.for_each(|read, mate| self.trim_read(read, mate));
    }

    /// The adapters it looks for, by their numbers in [`Reads::found`]; those of other trimmers have none.
    fn adapters(&self) -> Vec<Label> {
        Vec::new()
    }
}

/// An adapter as it is known to the user.
///
/// ```
/// use biofast_ops::filter::Trimmer;
/// use biofast_ops::filter::trim::{AdapterCutter, AdapterSide, Settings};
///
/// let mut cutter = AdapterCutter::new();
/// cutter.add(1, AdapterSide::Back, "primer=ACGTTT;min_overlap=5", &Settings::default())?;
/// let label = &cutter.adapters()[0];
/// assert_eq!((&*label.name, label.read), ("primer", 2));
/// # Ok::<(), biofast_ops::filter::trim::InvalidSpec>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name, or its number.
    pub name: String,
    /// As it was given.
    pub text: String,
    /// 1 for first reads (or reads without mates), 2 for second ones.
    pub read: u8,
}

#[cfg(test)]
mod tests;

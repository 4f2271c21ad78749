//! What may be cut off a read. One file a kind; each kind is a definition, and `docs/filter.md` has them all with their order.
//!
//! A new one: docs/adding-a-trim.md.

mod adapter;
mod best_overlap;
mod crop;
mod cutter;
pub mod detect;
mod dust;
mod likelihood;
mod long;
mod mask;
mod mates;
mod n_ends;
mod overlap;
mod poly;
mod poly_a;
mod running;
mod trimmer;
mod umi;
mod window;

pub use adapter::{Adapters, InvalidAdapter, KITS, Kit};
pub use best_overlap::{BestOverlap, MergeRule};
pub use crop::{Crop, KeepFirst};
pub use cutter::{
    Action, AdapterCutter, AdapterFile, AdapterMatching, AdapterSettings, AdapterSide, InvalidSpec,
};
pub use dust::MaskDust;
pub(in crate::change) use long::MiddlePattern;
pub use long::{LONG_KITS, LongAdapters, LongKit, Middle};
pub use mask::MaskBelow;
pub use mates::{LONGEST_INSERT, Laid, MateOverlap, MateRule, reverse_complement};
pub use n_ends::TrimN;
pub use overlap::Overlap;
pub use poly::{PolyG, PolyX};
pub use poly_a::PolyA;
pub use running::{NextSeqTrim, QualityCutoff};
pub use trimmer::{Label, Trimmer};
pub use umi::{Umi, UmiSource};
pub use window::{CutFront, CutRight, CutTail, QualityWindow};

use super::named::named;

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
        /// A poly-A tail, or the poly-T head of a second read.
        PolyA = "poly_a",
        /// A run of one base at the end.
        PolyX = "poly_x",
        /// What lies beyond a fixed length.
        KeepFirst = "keep_first",
        /// N at either end.
        NEnds = "n_ends",
        /// Bases of low quality that became N; these aren't cut.
        MaskBelow = "mask_below",
        /// Bases of low complexity that became N or lower case; these aren't cut.
        MaskDust = "mask_dust",
        /// Minimizers of an index that became N; these aren't cut.
        MaskMatches = "mask_matches",
    }
}

#[cfg(test)]
mod tests;

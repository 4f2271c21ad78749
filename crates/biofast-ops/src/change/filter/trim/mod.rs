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
mod trimmer;
mod umi;
mod window;

pub use adapter::{Adapters, InvalidAdapter, KITS, Kit};
pub use crop::{Crop, KeepFirst};
pub use cutter::{Action, AdapterCutter, AdapterFile, AdapterSettings, AdapterSide, InvalidSpec};
pub use long::{LONG_KITS, LongAdapters, LongKit, Middle};
pub use mates::{LONGEST_INSERT, Laid, MateOverlap, MateRule, reverse_complement};
pub use overlap::Overlap;
pub use poly::{PolyG, PolyX};
pub use trimmer::{Label, Trim, Trimmer};
pub use umi::{Umi, UmiSource};
pub use window::{CutFront, CutRight, CutTail, QualityWindow};

#[cfg(test)]
mod tests;

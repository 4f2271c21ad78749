//! Statistics of FASTQ and FASTA: everything in one pass.
//!
//! [`Collector`] gathers counts, all of them integers, so that merging is exact and any number
//! of threads gives the same bytes. [`Summary`] derives what people read; [`report`] is the
//! JSON form that [`Collector`] can be read back from.

mod adapters;
mod by_read;
mod collector;
mod contaminants;
mod duplication;
pub(crate) mod encoding;
#[doc(hidden)]
pub mod gc_model;
pub(crate) mod measured;
pub(crate) mod numbers;
mod pairs;
mod qc;
mod read_quality;
pub mod report;
pub(crate) mod statistic;
mod summary;
mod tiles;

#[doc(hidden)]
pub use adapters::AdapterCounter;
pub use adapters::{ADAPTERS, AdapterContent, AdapterPosition};
pub use collector::Collector;
pub(crate) use collector::READS_AT_ONCE;
pub use contaminants::{ContaminantHit, Contaminants, InvalidContaminant, InvalidContaminants};
pub use duplication::{Duplicates, Duplication, DuplicationLevel, NewSequences, Overrepresented};
pub use encoding::Encoding;
pub use pairs::PairCheck;
#[doc(hidden)]
pub use statistic::SECTIONS;
pub use statistic::lengths::Lengths;
pub use statistic::long_reads::{ChannelYield, HourYield, LongReads};
pub use statistic::positions::{EXACT_POSITIONS, PositionBin, Positions};
pub use summary::{Percent, SequenceType, Summary};
pub use tiles::{Tile, TileQuality};

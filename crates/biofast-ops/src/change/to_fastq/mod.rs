//! Alignments back to reads: FASTQ as `samtools fastq` writes it.
//!
//! Two ways lead there. [`grouped`] is for input whose records of a template stand together, as
//! aligners write them and sorting by name leaves them: reads go to the outputs in the order of
//! the input, on all threads. [`collated`] is for any other order: reads wait for their mates in a
//! bounded amount of memory, and beyond that in temporary files. [`is_grouped`] says which way an
//! input wants. [`sets`] puts reads together from tags, too, as 10x's `bamtofastq` does.

mod collated;
mod collator;
mod format;
mod grouped;
mod order;
mod plan;
mod segment;
mod sets;
mod spill;

pub use collated::{Collation, collated};
pub(super) use collator::NameHashes;
pub use collator::{CollatedRead, Collator, ReadArrival};
pub use format::{FastqFormat, TagChoice};
pub use grouped::grouped;
pub use order::is_grouped;
pub use plan::{FastqPlan, FastqRoutes, FastqSummary};
pub use segment::TemplateSegment;
pub use sets::{LACK, SetFile, SetLayout, SetsPlan, SetsSummary, sets};

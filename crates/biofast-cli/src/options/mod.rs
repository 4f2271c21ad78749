//! Options that several commands have, each declared once and flattened into their arguments.
//!
//! A command whose letters mean something else takes a short name away: `mut_arg("quiet", |a| a.short(None))`.

/// The heading of the options that nearly every command has.
const GENERAL: &str = "General options";

mod alignments_out;
mod baseline;
mod compat;
mod content;
mod depth;
mod duplicates;
mod effects;
mod flags;
mod given;
mod inputs;
mod io;
mod mates;
mod memory;
mod messages;
pub(crate) mod multiples;
mod outputs;
mod page;
mod paths;
mod regions;
mod seek_index;
mod shard;
mod sorted;
mod spill;
mod strictness;
mod tag;
mod threads;
mod verdicts;

pub(crate) use alignments_out::{
    AlignmentsFormat, AlignmentsOut, AlignmentsTarget, BAM_BY_DEFAULT, CramArgs, OpenedAlignments,
    tell_losses,
};
pub(crate) use baseline::{BaselineArg, StatsReport};
pub(crate) use compat::{CompatArgs, versions};
pub(crate) use content::{ContentArgs, ListedValues, tag_filter, warn_of_absent_names};
pub(crate) use depth::{DepthArgs, DepthFiles, targets, tell_empty, tell_unknown};
pub(crate) use duplicates::{MarkingArgs, tell_duplicates};
pub(crate) use effects::{given_in_vain, is_quiet};
pub(crate) use flags::{Flags, flags, union};
pub(crate) use given::Given;
pub(crate) use inputs::{ManyFiles, OneFile};
pub(crate) use io::Io;
pub(crate) use mates::{Mates, OutputSet, Pairing, PairsOut, ReadsOut, Repeated, rereadable};
pub(crate) use memory::{Size, default as default_memory, of_host as memory_of_host};
pub(crate) use messages::Messages;
pub(crate) use outputs::{Out, ProgramLineArgs};
pub(crate) use page::{Page, PageTitle};
pub(crate) use paths::{Folder, InFile, OutFile, keep_inputs};
pub(crate) use regions::{RegionArgs, tell};
pub(crate) use seek_index::{SeekIndexArg, SeekIndexes};
pub(crate) use shard::{ShardArg, keeps_mates_together, keeps_templates_together};
pub(crate) use sorted::{SortedOut, TransformTarget, order_of};
pub(crate) use spill::{SortSpill, Spill, check_temp_dir, temp_dir};
pub(crate) use strictness::Strictness;
pub(crate) use tag::{TagArgs, header_value, sam_name, sam_tag};
pub(crate) use threads::Threads;
pub(crate) use verdicts::{Judge, Judged, VerdictArgs};

//! DEFLATE that knows BAM.
//!
//! Qualities are literals and runs, never searched. Bases are copied from records that overlap, found by arithmetic on
//! positions. Tags, head, name and CIGAR are one region, searched with what earlier records suggest. Long reads get DEFLATE
//! blocks of their own for bases and qualities. `docs/deflate.md` tells more, and has figures.

mod anchors;
mod chains;
mod fields;
mod overlaps;
mod records;
mod work;

pub(super) use work::{BamWorkspace, EncodeBam};

//! What is shown: results of [`biofast_ops`] as tables, plots, pages for the browser and the texts of other programs.
//!
//! Internals of the crate `biofast`: this interface changes with every release, and programs should depend on that crate.
//!
//! Everything is made of the structs that are printed as JSON, so that what is drawn is what can be read; but the texts of
//! [FastQC](fastqc), [samtools] and [Picard](picard) need more than JSON has, and are made of collectors.

pub mod bedgraph;
mod bins;
pub mod demux;
mod depth_text;
pub mod duplicates;
pub mod fastp;
pub mod fastqc;
pub mod filter;
pub mod html;
pub mod mosdepth;
pub mod picard;
pub mod plot;
pub mod samtools;
pub mod tables;
pub mod trim_galore;
pub mod umi;

use biofast_ops::measure::reads::gc_model;
use biofast_ops::number;

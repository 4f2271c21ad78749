//! `biofast` beside the tools whose output it promises to equal. Every case is ignored by name in a plain `cargo test`, with the
//! peer it needs; `cargo peers` runs all of them, and a case fails where its peer isn't installed.
#![allow(clippy::unwrap_used)]

mod addreplacerg;
mod aligners;
mod alignment_stats;
mod alignments;
mod best;
mod cat;
mod checksum;
#[path = "../it/common/mod.rs"]
mod common;
mod conformance;
mod convert;
mod coverage;
mod cram_index;
mod cram_out;
mod dedup;
mod demo;
mod demux;
mod depth;
mod docs;
mod edits;
mod faidx;
mod fasta;
mod fastq;
mod fastqc;
mod filter_alignments;
mod filter_cutadapt;
mod filter_cutadapt_cases;
mod filter_deplete;
mod filter_fastp;
mod filter_fastp_cases;
mod filter_galore;
mod filter_peers;
mod fixmate;
mod goldens;
mod grep;
mod head;
mod help;
mod html;
mod import;
mod index;
mod made;
mod marks;
mod merge;
mod merge_reports;
mod molecules;
mod multiqc;
mod numbers;
mod order;
mod pairs;
mod per_read;
mod qc_reads;
mod readable;
mod regions;
#[cfg(feature = "remote")]
mod remote_stores;
mod rename;
mod repair;
mod reports;
mod rna;
mod salvage;
mod schema;
mod seqkit;
mod sort;
mod split;
mod split_by_tag;
mod stats_groups;
mod stats_picard;
mod stats_qc;
mod stats_wgs_hs;
mod tools;
mod umi;
mod verbs;
mod view;

/// The helper that finds peers must itself fail, and not skip, where one is missing.
#[test]
#[should_panic(expected = "not installed")]
fn a_missing_peer_is_a_failure() {
    tools::need("no-such-peer-of-biofast");
}

//! The command line, end to end: the binary is run, and what it prints, writes and returns is looked at. One program for all,
//! as each would be linked for itself: `cargo test -p biofast-cli --test it FILE::` runs those of one file.
#![allow(clippy::unwrap_used)]

mod alignment_stats;
mod alignments;
mod best;
mod cat;
mod check;
mod check_damage;
mod check_rules;
mod common;
mod conformance;
mod convert;
mod coverage;
mod dedup;
mod demo;
mod demux;
mod docs;
mod fasta;
mod fastq;
mod fastqc;
mod faults;
mod faults_memory;
mod faults_table;
mod filter;
mod filter_alignments;
mod filter_alignments_faults;
mod filter_cutadapt;
mod filter_fastp;
mod filter_faults;
mod filter_nanopore;
mod filter_peers;
mod filter_summary;
mod filter_unaligned;
mod get;
mod grep;
mod help;
mod hints;
mod html;
mod import;
mod index;
mod merge;
mod merge_reports;
mod multiqc;
mod order;
mod outputs;
mod per_read;
mod qc_reads;
#[cfg(feature = "remote")]
mod remote;
#[cfg(feature = "remote")]
mod remote_stores;
mod repair;
mod seqkit;
mod shards;
mod sort;
mod sort_aligners;
mod sort_duplicates;
mod split;
mod stats;
mod stats_groups;
mod stats_picard;
mod stats_qc;
mod verbose;
mod view;

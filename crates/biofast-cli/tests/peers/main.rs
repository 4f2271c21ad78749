//! `biofast` beside the tools whose output it promises to equal. Every case is ignored by name in a plain `cargo test`, with the
//! peer it needs; `cargo peers` runs all of them, and a case fails where its peer isn't installed.
#![allow(clippy::unwrap_used)]

mod aligners;
#[path = "../it/common/mod.rs"]
mod common;
mod filter_cutadapt;
mod filter_fastp;
mod made;
mod marks;
mod numbers;
mod pairs;
mod readable;
mod regions;
mod rna;
mod tools;

/// The helper that finds peers must itself fail, and not skip, where one is missing.
#[test]
#[should_panic(expected = "not installed")]
fn a_missing_peer_is_a_failure() {
    tools::need("no-such-peer-of-biofast");
}

//! What biofast's tests share. Nothing here is fast, all of it is meant to be obvious.
#![allow(clippy::unwrap_used)]

pub mod bam;
pub mod container;
pub mod effort;
#[cfg(feature = "generate")]
pub mod generate;
pub mod http;
pub mod random;
pub mod reference;
pub mod sam;
pub mod sink;
pub mod small;
pub mod templates;

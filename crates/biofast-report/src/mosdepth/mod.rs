//! Depths as the files of mosdepth 0.3.3, byte for byte.

mod files;
mod text;

pub use files::{Files, Quantize, Settings, Targets};
pub(crate) use text::put;

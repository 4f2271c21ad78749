//! Depths as the files of mosdepth, byte for byte, of each [version](biofast_ops::measure::compat::MosdepthVersion).

mod files;
mod text;

pub use files::{Files, Quantize, Settings, Targets};

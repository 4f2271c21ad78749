//! Options that several commands have, each declared once and flattened into their arguments.

mod effects;
mod flags;
mod paths;
mod reading;
mod regions;

pub(crate) use effects::given_in_vain;
pub(crate) use flags::Flags;
pub(crate) use paths::{Folder, InFile, OutFile, named};
pub(crate) use reading::{Io, Reading, options, threads};
pub(crate) use regions::RegionArgs;

//! Small systems that entries of the notebook measure: each a correct whole, tested on its own.

pub(crate) mod adaptive;
pub(crate) mod cdb64;
pub(crate) mod cgroup;
pub(crate) mod metadata;
pub(crate) mod process_io;
pub(crate) mod uring;
pub(crate) mod vectored;
pub(crate) mod windows;
pub(crate) mod write_map;

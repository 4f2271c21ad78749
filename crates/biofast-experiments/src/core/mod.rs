//! How an experiment is measured, whatever it is about: protocols, conditions, the runner, measurements, statistics and
//! verdicts; and what the benchmark measures with, too. Knows of datasets, and of no entry.

pub(crate) mod cell;
pub(crate) mod conditions;
pub(crate) mod entry;
pub(crate) mod inputs;
pub(crate) mod machine;
pub(crate) mod measure;
pub(crate) mod measurements;
pub(crate) mod notes;
pub(crate) mod page_cache;
pub(crate) mod pinning;
pub(crate) mod protocol;
pub(crate) mod runner;
pub(crate) mod sound;
pub(crate) mod sources;
pub(crate) mod stats;
pub(crate) mod summary;
pub(crate) mod surroundings;
pub(crate) mod usage;
pub(crate) mod verdict;

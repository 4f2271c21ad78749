//! What holds for the whole repository. One program for all,
//! as each would be linked for itself: `cargo test -p biofast-testkit --test it FILE::` runs those of one file.
#![allow(clippy::unwrap_used)]

mod circles;
mod early_returns;
mod public_api;
mod supply_chain;
mod type_names;
mod unsafe_sites;

//! Containers and pipeline through the public face of the crate. One program for all,
//! as each would be linked for itself: `cargo test -p biofast-io --test it FILE::` runs those of one file.
#![allow(clippy::unwrap_used)]

mod containers;
mod gzip_chunks;
mod rooms;

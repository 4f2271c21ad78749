//! All that is encoded comes back, here and in another implementation; what is damaged does no harm.
#![allow(clippy::unwrap_used)]

mod common;
mod fqzcomp;
mod names;
mod nx16;
mod rans4x8;
mod specification;

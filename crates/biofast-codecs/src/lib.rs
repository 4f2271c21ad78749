//! The codecs of CRAM blocks, from the CRAM codecs specification: [rANS 4x8](rans4x8) of CRAM 3.0, [rANS Nx16](nx16), the
//! [arithmetic coder](arith), the [name tokeniser](names) and [fqzcomp] of CRAM 3.1.
//!
//! Internals of the crate `biofast`: this interface changes with every release, and programs should depend on that crate.
//!
//! Decoders take any bytes: they don't panic, and allocate in proportion to the length that the caller expects, whatever the data
//! state. Encoders depend on nothing but their arguments: the same bytes on every machine.
//!
//! ```
//! use biofast_codecs::{Order, rans4x8};
//!
//! let qualities = [40; 150];
//! let mut stream = Vec::new();
//! rans4x8::encode(&qualities, Order::One, &mut stream);
//! assert_eq!(rans4x8::decode(&stream, qualities.len())?, qualities);
//! # Ok::<(), biofast_codecs::Error>(())
//! ```

pub mod arith;
mod compact;
mod counts;
mod error;
pub mod fqzcomp;
mod input;
mod isa;
mod lanes;
pub mod names;
pub mod nx16;
mod order;
mod order1;
mod range;
pub mod rans4x8;
mod step;
mod symbols;
mod transforms;

pub use error::Error;
pub use order::Order;

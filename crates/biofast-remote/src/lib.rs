//! Remote inputs: `https://` and `http://`, and the object stores behind `s3://`, `gs://` and `az://`.
//!
//! Internals of the crate `biofast`: this interface changes with every release, and programs should depend on that crate.
//!
//! [`install`] lets everything that opens paths through [`biofast_io`] open addresses. An object is read in ranges; from the front,
//! ranges are fetched ahead by several connections and used in order. The first answer says what the object is: its length
//! and its version (`ETag`, or when it was changed). Every other answer must be the range that was asked for, whole, of
//! the same version; what else comes (less, another range, a web page, data encoded on the way) is an error that names the bytes.
//! Cut connections, time-outs and answers that ask for patience (429, 5xx) are tried again, a number of times.
//!
//! Names in messages are without passwords, queries and signatures ([`biofast_io::remote::shown`]).
//!
//! ```no_run
//! use biofast_io::{Options, Reader, Source};
//!
//! biofast_remote::install(biofast_remote::Settings::default())?;
//! let source = Source::open("https://example.org/reads.fq.gz")?;
//! let text = std::io::read_to_string(Reader::new(source, &Options::default())?)?;
//! # drop(text);
//! # Ok::<(), std::io::Error>(())
//! ```

mod ahead;
mod answer;
mod cache;
mod client;
mod disk;
mod object;
mod place;
mod reading;
mod settings;
mod store;

pub use settings::Settings;
pub use store::Remote;

/// Lets every path of this process that is an address be opened. The first call counts; false if there was one.
///
/// ```
/// assert!(biofast_remote::install(biofast_remote::Settings::default())?);
/// assert!(!biofast_remote::install(biofast_remote::Settings::default())?);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If the [cache](Settings::cache) can't be used.
pub fn install(settings: Settings) -> std::io::Result<bool> {
    Ok(biofast_io::remote::install(Remote::new(settings)?))
}

//! Which decoder inflates BGZF blocks, and how many at once: the fastest by trial, unless `BIOFAST_INFLATE` and
//! `BIOFAST_INFLATE_LANES` say otherwise. And which one the streams of ordinary gzip: ours, unless it says so.

use std::ffi::OsString;
use std::fmt;
use std::sync::OnceLock;

/// The environment variable that overrides the choice.
const VARIABLE: &str = "BIOFAST_INFLATE";

/// A decoder of BGZF blocks. `BIOFAST_INFLATE` calls them `own` and `libdeflate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// `biofast-deflate`, several blocks at once. Runs on every CPU; not on every one the fastest.
    Own,
    /// libdeflate, block by block.
    Libdeflate,
}

impl Codec {
    const ALL: [Codec; 2] = [Codec::Own, Codec::Libdeflate];

    /// The name that `BIOFAST_INFLATE` takes.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Own => "own",
            Codec::Libdeflate => "libdeflate",
        }
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The value of `BIOFAST_INFLATE` names no decoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCodec(String);

impl fmt::Display for UnknownCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Codec::ALL.map(Codec::name).join(", ");
        write!(f, "{VARIABLE}={}: unknown decoder: expected {names} or {AUTO}", self.0)
    }
}

impl std::error::Error for UnknownCodec {}

/// How a decoder is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// This one.
    Fixed(Codec),
    /// The faster one, by trial (`auto`): which it is depends on the CPU, what else runs on it and the data.
    Faster,
}

/// The policy in use, which doesn't change while a program runs: [`Policy::Faster`] where the CPU has what
/// `biofast-deflate` needs, else libdeflate; or what `BIOFAST_INFLATE` names. All give the same bytes and the same
/// verdicts.
///
/// Which decoder is faster depends on the data and on the CPU, so the workers of an input try both. On an AMD Zen 4
/// with AVX-512, `biofast-deflate` ran at 1.24 × the speed of libdeflate on FASTQ and 1.06 × on BAM, with AVX2 at 1.13
/// and 0.91 ×.
pub fn active() -> Policy {
    static CHOSEN: OnceLock<Policy> = OnceLock::new();
    *CHOSEN.get_or_init(|| choose(std::env::var_os(VARIABLE)).unwrap_or(LIBDEFLATE))
}

/// The decoder of ordinary gzip: `biofast-deflate`, which is faster than zlib-rs even in plain Rust; zlib-rs, where
/// `BIOFAST_INFLATE` names libdeflate, which has no streams.
pub(crate) fn for_streams() -> Codec {
    let wish = std::env::var_os(VARIABLE);
    match wish.is_some_and(|wish| wish.eq_ignore_ascii_case(Codec::Libdeflate.name())) {
        true => Codec::Libdeflate,
        false => Codec::Own,
    }
}

/// The environment variable that says how many blocks `biofast-deflate` inflates at once.
const LANES_VARIABLE: &str = "BIOFAST_INFLATE_LANES";

/// The most.
const MOST_LANES: usize = 4;

/// The value of `BIOFAST_INFLATE_LANES` is no number of blocks that can be inflated at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoLanes(String);

impl fmt::Display for NoLanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{LANES_VARIABLE}={}: expected a number from 1 to {MOST_LANES}", self.0)
    }
}

impl std::error::Error for NoLanes {}

/// Checks the environment variable `BIOFAST_INFLATE_LANES`: how many BGZF blocks `biofast-deflate` inflates at once on
/// a thread, 1 to 4. If it is unset or empty, the result is `None`, and two, three or four are chosen by trial.
///
/// Programs call this once at start, like [`check_override`].
///
/// # Errors
/// When the variable is no such number.
pub fn check_lanes() -> Result<Option<usize>, NoLanes> {
    choose_lanes(std::env::var_os(LANES_VARIABLE))
}

/// The number of blocks that `BIOFAST_INFLATE_LANES` asks for.
pub(crate) fn lanes() -> Option<usize> {
    static CHOSEN: OnceLock<Option<usize>> = OnceLock::new();
    *CHOSEN.get_or_init(|| check_lanes().ok().flatten())
}

fn choose_lanes(wish: Option<OsString>) -> Result<Option<usize>, NoLanes> {
    let Some(wish) = wish.filter(|wish| !wish.is_empty()) else { return Ok(None) };
    let lanes = wish.to_str().and_then(|wish| wish.parse().ok());
    match lanes.filter(|lanes| (1..=MOST_LANES).contains(lanes)) {
        Some(lanes) => Ok(Some(lanes)),
        None => Err(NoLanes(wish.to_string_lossy().into_owned())),
    }
}

/// The environment variable with the length of the chunks in which several threads inflate ordinary gzip.
const PIECE_VARIABLE: &str = "BIOFAST_GZIP_PIECE";

/// Compressed bytes of such a chunk.
pub(crate) const GZIP_CHUNK: usize = 1 << 20;

/// Threads, each with a core, from which on ordinary gzip is inflated in chunks: these cost 1.4 × the CPU time of a whole run.
pub(crate) const SHARING_THREADS: usize = 4;

/// The length of chunks that `BIOFAST_GZIP_PIECE` asks for, whatever the input and the number of threads; 0 for none.
pub(crate) fn gzip_chunk() -> Option<usize> {
    check_piece_len().ok().flatten()
}

/// The value of `BIOFAST_GZIP_PIECE` is no number of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPieceLen(String);

impl fmt::Display for NoPieceLen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{PIECE_VARIABLE}={}: expected a number of bytes from 0 to {MOST_PIECE_LEN}",
            self.0
        )
    }
}

impl std::error::Error for NoPieceLen {}

const MOST_PIECE_LEN: usize = 1 << 28;

/// Checks the environment variable `BIOFAST_GZIP_PIECE`: the compressed bytes of each chunk in which the threads
/// inflate ordinary gzip, of any size and on any number of threads; 0 leaves all to one thread. If it is unset or
/// empty, the result is `None`, and chunks have 1 MiB, with four threads and cores or more, and 16 MiB or more.
///
/// Programs call this once at start, like [`check_override`].
///
/// # Errors
/// When the variable is no such number.
pub fn check_piece_len() -> Result<Option<usize>, NoPieceLen> {
    let Some(wish) = std::env::var_os(PIECE_VARIABLE).filter(|wish| !wish.is_empty()) else {
        return Ok(None);
    };
    let len = wish.to_str().and_then(|wish| wish.parse().ok()).filter(|&len| len <= MOST_PIECE_LEN);
    len.map(Some).ok_or_else(|| NoPieceLen(wish.to_string_lossy().into_owned()))
}

/// Checks the environment variable `BIOFAST_INFLATE` (`own`, `libdeflate` or `auto`; unset or empty: no override).
///
/// Programs call this once at start to report a value that can't be used; without this check such a value is ignored.
///
/// # Errors
/// When the variable names no policy.
pub fn check_override() -> Result<Policy, UnknownCodec> {
    choose(std::env::var_os(VARIABLE))
}

const LIBDEFLATE: Policy = Policy::Fixed(Codec::Libdeflate);

/// The name of [`Policy::Faster`].
const AUTO: &str = "auto";

fn choose(wish: Option<OsString>) -> Result<Policy, UnknownCodec> {
    let wish = wish.filter(|wish| !wish.is_empty()).unwrap_or_else(|| AUTO.into());
    let wish = wish.to_string_lossy();
    if wish.eq_ignore_ascii_case(AUTO) {
        return Ok(match biofast_deflate::is_profitable() {
            true => Policy::Faster,
            false => LIBDEFLATE,
        });
    }
    let named = Codec::ALL.into_iter().find(|codec| codec.name().eq_ignore_ascii_case(&wish));
    named.map(Policy::Fixed).ok_or_else(|| UnknownCodec(wish.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_choice_and_no_other() {
        for codec in Codec::ALL {
            assert_eq!(choose(Some(codec.name().into())), Ok(Policy::Fixed(codec)));
        }
        assert_eq!(choose(None), choose(Some(AUTO.into())));
        assert_eq!(choose(Some("".into())), choose(None));
        let trial = choose(None) == Ok(Policy::Faster);
        assert_eq!(trial, biofast_deflate::is_profitable());
        let error = choose(Some("zlib".into())).expect_err("unknown");
        assert_eq!(
            error.to_string(),
            "BIOFAST_INFLATE=zlib: unknown decoder: expected own, libdeflate or auto"
        );
    }

    #[test]
    fn lanes_are_a_number_that_there_are() {
        assert_eq!(choose_lanes(None), Ok(None));
        assert_eq!(choose_lanes(Some("".into())), Ok(None));
        assert_eq!(choose_lanes(Some("2".into())), Ok(Some(2)));
        for bad in ["0", "5", "two", "-1"] {
            let error = choose_lanes(Some(bad.into())).expect_err(bad);
            let expected = format!("BIOFAST_INFLATE_LANES={bad}: expected a number from 1 to 4");
            assert_eq!(error.to_string(), expected);
        }
    }
}

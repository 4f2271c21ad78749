//! Which decoder inflates BGZF blocks: chosen once, overridable with `BIOFAST_INFLATE`.

use std::ffi::OsString;
use std::fmt;
use std::sync::OnceLock;

/// The environment variable that overrides the choice.
const VARIABLE: &str = "BIOFAST_INFLATE";

/// A decoder of BGZF blocks.
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
        write!(f, "{VARIABLE}={}: unknown decoder; there are: {names}", self.0)
    }
}

impl std::error::Error for UnknownCodec {}

/// The decoder in use: the faster one on this CPU, unless `BIOFAST_INFLATE` names another. Both give the same bytes
/// and the same verdicts.
pub fn active() -> Codec {
    static CHOSEN: OnceLock<Codec> = OnceLock::new();
    *CHOSEN.get_or_init(|| choose(std::env::var_os(VARIABLE)).unwrap_or_else(|_| fastest()))
}

/// Checks the environment variable `BIOFAST_INFLATE` (`own` or `libdeflate`; unset or empty: no override).
///
/// Programs call this once at start to report a value that can't be used; without this check such a value is ignored.
///
/// # Errors
/// When the variable names no decoder.
pub fn check_override() -> Result<Codec, UnknownCodec> {
    choose(std::env::var_os(VARIABLE))
}

fn fastest() -> Codec {
    if biofast_deflate::is_profitable() { Codec::Own } else { Codec::Libdeflate }
}

fn choose(wish: Option<OsString>) -> Result<Codec, UnknownCodec> {
    let Some(wish) = wish.filter(|wish| !wish.is_empty()) else {
        return Ok(fastest());
    };
    let wish = wish.to_string_lossy();
    let named = Codec::ALL.into_iter().find(|codec| codec.name().eq_ignore_ascii_case(&wish));
    named.ok_or_else(|| UnknownCodec(wish.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_choice_and_no_other() {
        for codec in Codec::ALL {
            assert_eq!(choose(Some(codec.name().into())), Ok(codec));
        }
        assert_eq!(choose(None), Ok(fastest()));
        assert_eq!(choose(Some("".into())), Ok(fastest()));
        let error = choose(Some("zlib".into())).expect_err("unknown");
        assert_eq!(
            error.to_string(),
            "BIOFAST_INFLATE=zlib: unknown decoder; there are: own, libdeflate"
        );
    }
}

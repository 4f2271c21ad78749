//! Which decoder inflates BGZF blocks: the faster one by trial, unless `BIOFAST_INFLATE` says otherwise. And which one
//! the streams of ordinary gzip: ours, unless it says so.

use std::ffi::OsString;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

/// The environment variable that overrides the choice.
const VARIABLE: &str = "BIOFAST_INFLATE";

/// A decoder of BGZF blocks.
///
/// ```
/// use biofast_io::codec::Codec;
///
/// // What a user writes into `BIOFAST_INFLATE`.
/// assert_eq!(Codec::Own.name(), "own");
/// assert_eq!(Codec::Libdeflate.to_string(), "libdeflate");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// `biofast-deflate`, several blocks at once. Runs on every CPU; not on every one the fastest.
    Own,
    /// libdeflate, block by block.
    Libdeflate,
}

impl Codec {
    const ALL: [Codec; 2] = [Codec::Own, Codec::Libdeflate];

    fn other(self) -> Codec {
        match self {
            Codec::Own => Codec::Libdeflate,
            Codec::Libdeflate => Codec::Own,
        }
    }

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
        write!(f, "{VARIABLE}={}: unknown decoder; there are: {names}, {AUTO}", self.0)
    }
}

impl std::error::Error for UnknownCodec {}

/// How a decoder is chosen.
///
/// ```
/// use biofast_io::codec::{self, Policy};
///
/// let said = match codec::active() {
///     Policy::Fixed(codec) => codec.name(),
///     Policy::Faster => "the faster one",
/// };
/// assert!(!said.is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// This one.
    Fixed(Codec),
    /// The faster one, by trial (`auto`): which it is depends on the CPU, what else runs on it and the data.
    Faster,
}

/// The policy in use: [`Policy::Faster`] where the CPU has what `biofast-deflate` needs, else libdeflate; or what
/// `BIOFAST_INFLATE` names. All give the same bytes and the same verdicts.
///
/// Which one is faster depends on the data and on the CPU, so each worker tries both: on an AMD Zen 4 with AVX-512
/// `biofast-deflate` ran at 1.24 × the speed of libdeflate on FASTQ and 1.06 × on BAM, with AVX2 at 1.13 and 0.91 ×.
///
/// ```
/// use biofast_io::codec::{self, Codec, Policy};
///
/// // The choice doesn't change while a program runs.
/// assert_eq!(codec::active(), codec::active());
/// let is_own_tried = codec::active() != Policy::Fixed(Codec::Libdeflate);
/// println!("BGZF blocks may be inflated several at once: {is_own_tried}");
/// ```
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
            "{PIECE_VARIABLE}={}: not a number of bytes between 0 and {MOST_PIECE_LEN}",
            self.0
        )
    }
}

impl std::error::Error for NoPieceLen {}

const MOST_PIECE_LEN: usize = 1 << 28;

/// Checks the environment variable `BIOFAST_GZIP_PIECE`: the compressed bytes of each chunk in which the threads inflate
/// ordinary gzip, of any size and on any number of threads; 0 leaves all to one thread. Unset or empty: chunks of 1 MiB, with
/// four threads and cores or more, and 16 MiB or more.
///
/// Programs call this once at start, as [`check_override`].
///
/// ```
/// // Nobody has set it: inputs and threads decide.
/// assert_eq!(biofast_io::codec::check_piece_len()?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
/// ```
/// // At the start of a program: what can't be used is said, not passed over.
/// biofast_io::codec::check_override()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

/// Times both decoders on groups of blocks in turn, then stays with the faster one and tries the other now and then.
///
/// How fast a core runs changes by more than what the decoders differ, so times are only compared with those of the
/// groups right before and after.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// Groups given out, up to the first choice.
    groups: u32,
    /// For each decoder: the least time per byte before the first choice, in nanoseconds.
    pace: [Option<f64>; 2],
    preferred: Codec,
    /// Groups until the other one is tried.
    until: u32,
    /// The time per byte of the preferred decoder's last group.
    last: Option<f64>,
    /// The time per byte of the other decoder's group after it, until the next one is known too.
    tried: Option<f64>,
    /// How often in succession the other one was faster.
    wins: u32,
}

impl Default for Trial {
    fn default() -> Self {
        let preferred = Codec::Own;
        let until = Trial::PERIOD;
        Trial { groups: 0, pace: [None; 2], preferred, until, last: None, tried: None, wins: 0 }
    }
}

impl Trial {
    /// Groups of each decoder before one is preferred.
    const FIRST: u32 = 3;
    /// Groups of the preferred decoder between two of the other one …
    const PERIOD: u32 = 63;
    /// … and after one in which the other one was faster.
    const SOON: u32 = 3;
    /// The other one is preferred when it was faster so often in succession.
    const WINS: u32 = 3;

    /// The decoder for the next group.
    pub(crate) fn next(&mut self) -> Codec {
        let n = self.groups;
        if n < 2 * Self::FIRST {
            self.groups += 1;
            return Codec::ALL[n as usize % 2];
        }
        if n == 2 * Self::FIRST {
            self.groups += 1;
            let [own, libdeflate] = self.pace.map(|pace| pace.unwrap_or(0.0));
            self.preferred = if own <= libdeflate { Codec::Own } else { Codec::Libdeflate };
        }
        if self.until == 0 {
            self.until = Self::PERIOD;
            return self.preferred.other();
        }
        self.until -= 1;
        self.preferred
    }

    /// What a group took. Groups that ended in a fault don't count.
    pub(crate) fn record(&mut self, codec: Codec, bytes: usize, took: Duration) {
        // Small groups say little, and have too few blocks.
        if bytes < 1 << 18 {
            return;
        }
        let now = took.as_nanos() as f64 / bytes as f64;
        if self.groups <= 2 * Self::FIRST {
            let pace = &mut self.pace[codec as usize];
            *pace = Some(pace.map_or(now, |before| now.min(before)));
        } else if codec != self.preferred {
            self.tried = Some(now);
        } else {
            if let (Some(tried), Some(last)) = (self.tried.take(), self.last) {
                self.compare(tried, last.min(now));
            }
            self.last = Some(now);
        }
    }

    /// One group of the other decoder, beside the faster one of its neighbours.
    fn compare(&mut self, tried: f64, neighbour: f64) {
        if tried >= neighbour {
            self.wins = 0;
            return;
        }
        self.wins += 1;
        self.until = Self::SOON;
        if self.wins == Self::WINS {
            self.preferred = self.preferred.other();
            (self.wins, self.until) = (0, Self::PERIOD);
        }
    }
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
            "BIOFAST_INFLATE=zlib: unknown decoder; there are: own, libdeflate, auto"
        );
    }

    #[test]
    fn the_faster_decoder_gets_most_groups_and_a_change_is_noticed() {
        let mut trial = Trial::default();
        // Nanoseconds a byte; what is faster changes half way.
        let mut given = [[0; 2]; 2];
        for n in 0..2000 {
            let half = n / 1000;
            let codec = trial.next();
            given[half][codec as usize] += 1;
            let pace = [[1.0, 2.0], [3.0, 2.0]][half][codec as usize];
            trial.record(codec, 1 << 20, Duration::from_nanos((pace * (1 << 20) as f64) as u64));
        }
        let [[own, other], [late_own, late_other]] = given;
        assert!(own > 900 && other > 10, "{given:?}");
        assert!(late_other > 700 && late_own > 10, "{given:?}");
    }

    #[test]
    fn disturbances_do_not_change_the_choice() {
        let mut trial = Trial::default();
        let mut rng = biofast_testkit::random::Random(1);
        let mut given = [0; 2];
        for n in 0..4000 {
            let codec = trial.next();
            given[codec as usize] += 1;
            // Half of the time everything takes up to twice as long, for stretches of 40 groups; and single groups do.
            let stretch = if n / 40 % 2 == 0 { 1.0 } else { 1.7 };
            let single = if rng.chance(20) { 1.5 } else { 1.0 };
            let pace = [1.0, 1.2][codec as usize] * stretch * single;
            trial.record(codec, 1 << 20, Duration::from_nanos((pace * (1 << 20) as f64) as u64));
        }
        assert!(given[1] < 100, "{given:?}");
    }
}

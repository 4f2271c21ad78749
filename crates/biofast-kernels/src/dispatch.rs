//! Which instruction set the kernels use: chosen once, overridable with `BIOFAST_SIMD`.

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::table::{Kernels, REFERENCE};

/// The environment variable that overrides the choice.
const VARIABLE: &str = "BIOFAST_SIMD";

/// An instruction set for which the kernels have a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Portable Rust, the reference.
    Scalar,
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT (Haswell, Zen).
    Avx2,
    /// x86-64 with AVX-512 F, BW, VL, VBMI, VBMI2 and BITALG, and GFNI (Ice Lake, Zen 4): CPUs that don't throttle.
    Avx512,
    /// AArch64, where it's always there.
    Neon,
}

impl Isa {
    /// All levels, the fastest of an architecture last.
    const ALL: [Self; 4] = [Self::Scalar, Self::Avx2, Self::Avx512, Self::Neon];

    /// The name that `BIOFAST_SIMD` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Isa {
    type Err = OverrideError;

    fn from_str(name: &str) -> Result<Self, OverrideError> {
        Self::ALL
            .into_iter()
            .find(|isa| isa.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| OverrideError::Unknown(name.to_owned()))
    }
}

/// Why the value of `BIOFAST_SIMD` can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OverrideError {
    /// Not the name of a level.
    Unknown(String),
    /// A level this CPU doesn't have.
    Unavailable(Isa),
}

impl fmt::Display for OverrideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(value) => write!(f, "{VARIABLE}={value}: unknown level")?,
            Self::Unavailable(isa) => write!(f, "{VARIABLE}={isa}: this CPU doesn't have it")?,
        }
        let names: Vec<_> = available().into_iter().map(Isa::name).collect();
        write!(f, "; available here: {}", names.join(", "))
    }
}

impl std::error::Error for OverrideError {}

/// The kernels of `isa`, or `None` where the CPU doesn't have it.
#[doc(hidden)]
pub fn kernels_for(isa: Isa) -> Option<&'static Kernels> {
    match isa {
        Isa::Scalar => Some(&REFERENCE),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => crate::x86_64::avx2_kernels(),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => crate::x86_64::avx512_kernels(),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => Some(crate::aarch64::kernels()),
        #[allow(unreachable_patterns)] // which levels are missing depends on the architecture
        _ => None,
    }
}

/// The instruction sets of this CPU, the fastest last. [`Isa::Scalar`], portable code, is always among them.
pub fn available() -> Vec<Isa> {
    let has = |isa: &Isa| kernels_for(*isa).is_some();
    Isa::ALL.into_iter().filter(has).collect()
}

/// The instruction set the kernels use: the fastest, unless `BIOFAST_SIMD` names another.
///
/// It is chosen at the first call of any kernel and never changes afterwards.
pub fn active() -> Isa {
    kernels().isa
}

/// Checks the environment variable `BIOFAST_SIMD` (`scalar`, `avx2`, `avx512` or `neon`; unset or empty: no override).
///
/// Programs call this once at start to report a value that can't be used. Kernels called without this check ignore
/// such a value and use the fastest level.
///
/// ```
/// // At the start of a program: a value that can't be used is said, not passed over.
/// let level = biofast_kernels::check_override()?;
/// assert_eq!(level, biofast_kernels::active());
/// # Ok::<(), biofast_kernels::OverrideError>(())
/// ```
///
/// # Errors
/// When the variable names an unknown level, or one that this CPU doesn't have.
pub fn check_override() -> Result<Isa, OverrideError> {
    choose(std::env::var_os(VARIABLE)).map(|kernels| kernels.isa)
}

/// The kernels in use.
#[inline]
pub(crate) fn kernels() -> &'static Kernels {
    static CHOSEN: OnceLock<&'static Kernels> = OnceLock::new();
    CHOSEN.get_or_init(|| choose(std::env::var_os(VARIABLE)).unwrap_or_else(|_| fastest()))
}

fn fastest() -> &'static Kernels {
    let best = Isa::ALL.into_iter().rev().find_map(kernels_for);
    best.unwrap_or(&REFERENCE)
}

fn choose(wish: Option<OsString>) -> Result<&'static Kernels, OverrideError> {
    let Some(wish) = wish.filter(|wish| !wish.is_empty()) else {
        return Ok(fastest());
    };
    let isa = wish.to_string_lossy().parse()?;
    kernels_for(isa).ok_or(OverrideError::Unavailable(isa))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(wish: &str) -> Result<Isa, OverrideError> {
        choose(Some(wish.into())).map(|kernels| kernels.isa)
    }

    #[test]
    fn names_round_trip() {
        for isa in Isa::ALL {
            assert_eq!(isa.to_string().parse(), Ok(isa));
        }
    }

    #[test]
    fn every_available_level_can_be_chosen() {
        for isa in available() {
            assert_eq!(chosen(isa.name()), Ok(isa));
        }
        assert_eq!(chosen(""), Ok(fastest().isa));
    }

    #[test]
    fn unusable_levels_are_errors() {
        let error = OverrideError::Unknown("sse9".into());
        assert_eq!(chosen("sse9"), Err(error.clone()));
        assert!(error.to_string().starts_with("BIOFAST_SIMD=sse9: unknown"));
        for isa in Isa::ALL.into_iter().filter(|isa| !available().contains(isa)) {
            assert_eq!(chosen(isa.name()), Err(OverrideError::Unavailable(isa)));
        }
    }

    #[test]
    fn active_is_the_fastest_without_an_override() {
        if std::env::var_os(VARIABLE).is_none() {
            assert_eq!(Some(active()), available().last().copied());
            #[cfg(target_arch = "aarch64")]
            assert_eq!(active(), Isa::Neon);
        } else if let Ok(isa) = check_override() {
            assert_eq!(active(), isa);
        }
    }
}

//! In place of the module `cram` in a build without it: the same type, of which there are no values.

use std::path::Path;

use biofast_io::output::Recode;
use biofast_io::{Location, Options, Source, display_name};

use crate::adapter::Produce;
use crate::cram_options::CramOptions;
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::input_options::{CramContainers, CramRanges, InputOptions};
use crate::region::Regions;

pub(crate) enum CramToBam {}

impl CramToBam {
    /// # Errors
    /// Always.
    pub(crate) fn new(source: Source, _options: &InputOptions<'_>) -> Result<CramToBam, Error> {
        Err(not_in_build(source.name()))
    }
}

impl Produce for CramToBam {
    fn produce(&mut self, _out: &mut Vec<u8>) -> Result<bool, Error> {
        match *self {}
    }
}

/// What the module of CRAM has of this name.
///
/// # Errors
/// Always.
pub fn cram_containers(path: impl AsRef<Path>) -> Result<CramContainers, Error> {
    Err(not_in_build(&display_name(path.as_ref())))
}

/// What the module of CRAM has of this name.
///
/// # Errors
/// Always.
pub fn index_cram(source: Source, _options: &Options) -> Result<Vec<u8>, Error> {
    Err(not_in_build(source.name()))
}

/// What the module of CRAM has of this name.
///
/// # Errors
/// Always.
pub(crate) fn wanted_ranges(
    path: &Path,
    _index: &Path,
    _resolve: impl FnOnce(&Header) -> Result<Regions, Error>,
) -> Result<(Header, Result<CramRanges, Error>), Error> {
    Err(not_in_build(&display_name(path)))
}

fn not_in_build(name: &str) -> Error {
    let kind = biofast_io::ErrorKind::NotInBuild { format: "CRAM", feature: "cram" };
    biofast_io::Error::new(kind, Location::in_input(&name.into())).into()
}

impl CramOptions {
    /// What makes CRAM of BAM.
    ///
    /// # Errors
    /// Always.
    #[doc(hidden)]
    pub fn encoder(&self) -> Result<Box<dyn Recode>, Error> {
        let why = "this build can't write CRAM (feature 'cram' is off)".into();
        Err(Error::new(ErrorKind::UnsupportedOutput(why), Location::default()))
    }

    /// Whether there is nothing that keeps it from being written but this build.
    #[doc(hidden)]
    pub fn can_store(&self, _: &Header) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::{ErrorKind, Reader};

    #[test]
    fn a_format_without_its_feature_is_named() {
        let error = Reader::from_reader("x", &b"CRAM\x03\x00"[..]).err().expect("no decoder");
        assert!(matches!(error.kind(), ErrorKind::Io(e)
            if matches!(e.kind(), biofast_io::ErrorKind::NotInBuild { .. })));
        let text = "x: this build can't read CRAM (feature 'cram' is off)";
        assert_eq!(error.to_string(), text);
        assert_eq!(std::io::Error::from(error).kind(), std::io::ErrorKind::Unsupported);
    }
}

//! What is wrong with a line of SAM.

use biofast_io::Shown;

use crate::error::ErrorKind;

/// What is wrong with a line.
#[derive(Debug)]
pub(crate) struct LineFault {
    /// What was expected.
    pub(super) expected: &'static str,
    /// What was found; `None` where the line ends before.
    pub(super) found: Option<Vec<u8>>,
}

impl LineFault {
    pub(super) fn new(expected: &'static str, found: &[u8]) -> LineFault {
        // One byte more than is shown, so that it can be told that there was more.
        let found = &found[..found.len().min(241)];
        LineFault { expected, found: Some(found.to_vec()) }
    }
}

impl From<LineFault> for ErrorKind {
    fn from(fault: LineFault) -> ErrorKind {
        let found = match &fault.found {
            Some(bytes) => format!("'{}'", Shown(bytes)),
            None => "the end of the line".to_owned(),
        };
        ErrorKind::BadLine { expected: fault.expected, found }
    }
}

//! What functions given to transforms return.

use std::ops::ControlFlow;

use biofast_io::Location;
use biofast_io::pipeline::Outcome;

use crate::error::{Error, ErrorKind};

/// Why a record is refused: as the error of a function given to a [`Transform`](crate::Transform) it becomes
/// [`ErrorKind::Refused`] with the name of the input and the number of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which of the records given to the function it is, and so which of several inputs, counted from 0.
    pub input: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl From<&str> for Refusal {
    /// Of the first record.
    fn from(reason: &str) -> Refusal {
        reason.to_owned().into()
    }
}

impl From<String> for Refusal {
    /// Of the first record.
    fn from(reason: String) -> Refusal {
        Refusal { input: 0, reason }
    }
}

/// What a function given to a [`Transform`](crate::Transform) returns: an [`Outcome`](biofast_io::pipeline::Outcome)
/// (nothing, a [`ControlFlow`], or a [`Result`] with the caller's own error), or a [`Result`] with a [`Refusal`].
pub trait UnitOutcome {
    /// The caller's own error, if there is one.
    type Error: From<Error> + Send;

    /// Whether to go on, or why not. `at` is where a record of the unit is.
    ///
    /// # Errors
    /// That of the function.
    #[doc(hidden)]
    fn into_flow(self, at: impl FnOnce(usize) -> Location) -> Result<ControlFlow<()>, Self::Error>;
}

macro_rules! without_place {
    ($(($($own:ident)?) $outcome:ty)*) => {$(
        impl$(<$own: From<Error> + Send>)? UnitOutcome for $outcome {
            type Error = <$outcome as Outcome<Error>>::Error;

            #[inline]
            fn into_flow(self, _: impl FnOnce(usize) -> Location) -> Result<ControlFlow<()>, Self::Error> {
                Outcome::<Error>::into_flow(self)
            }
        }
    )*};
}
without_place! { () () () ControlFlow<()> (E) Result<(), E> (E) Result<ControlFlow<()>, E> }

impl UnitOutcome for Result<(), Refusal> {
    type Error = Error;

    #[inline]
    fn into_flow(self, at: impl FnOnce(usize) -> Location) -> Result<ControlFlow<()>, Error> {
        match self {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(Refusal { input, reason }) => {
                Err(Error::new(ErrorKind::Refused(reason), at(input)))
            }
        }
    }
}

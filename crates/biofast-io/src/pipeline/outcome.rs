//! What the functions given to folds and transforms return, and the options that their builders share.

use std::ops::ControlFlow;

/// What a function given to a fold or transform returns: nothing, whether to go on ([`ControlFlow`]), or a [`Result`] of
/// either with an error of the caller's own, which is returned unchanged. `D` is the error of the input, which such a type
/// is made from.
pub trait Outcome<D> {
    /// The error of the whole: the function's own, or that of the input if the function can't fail.
    type Error: From<D> + Send;

    /// Whether to go on, or why not.
    ///
    /// # Errors
    /// That of the function.
    fn into_flow(self) -> Result<ControlFlow<()>, Self::Error>;
}

impl<D: Send> Outcome<D> for () {
    type Error = D;

    #[inline]
    fn into_flow(self) -> Result<ControlFlow<()>, D> {
        Ok(ControlFlow::Continue(()))
    }
}

impl<D: Send> Outcome<D> for ControlFlow<()> {
    type Error = D;

    #[inline]
    fn into_flow(self) -> Result<ControlFlow<()>, D> {
        Ok(self)
    }
}

impl<D, E: From<D> + Send> Outcome<D> for Result<(), E> {
    type Error = E;

    #[inline]
    fn into_flow(self) -> Result<ControlFlow<()>, E> {
        self.map(ControlFlow::Continue)
    }
}

impl<D, E: From<D> + Send> Outcome<D> for Result<ControlFlow<()>, E> {
    type Error = E;

    #[inline]
    fn into_flow(self) -> Result<ControlFlow<()>, E> {
        self
    }
}

/// The setters of a builder with a field `options`, an [`Options`](crate::Options) that is there once one is set.
#[doc(hidden)]
#[macro_export]
macro_rules! builder_options {
    () => {
        /// How to read, in place of all options set before. By default on all threads.
        #[must_use]
        pub fn options(mut self, options: &$crate::Options) -> Self {
            self.options = Some(options.clone());
            self
        }

        /// At most so many threads.
        #[must_use]
        pub fn threads(mut self, threads: usize) -> Self {
            self.options.get_or_insert_default().threads = threads;
            self
        }

        /// Counts consumed bytes there.
        #[must_use]
        pub fn progress(mut self, progress: std::sync::Arc<$crate::Progress>) -> Self {
            self.options.get_or_insert_default().progress = Some(progress);
            self
        }

        /// Ends reading with an error once the token is cancelled.
        #[must_use]
        pub fn cancellation(mut self, token: $crate::CancellationToken) -> Self {
            self.options.get_or_insert_default().cancellation = Some(token);
            self
        }
    };
}

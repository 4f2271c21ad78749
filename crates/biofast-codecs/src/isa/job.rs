//! What can be compiled for each instruction set.

/// Work that is compiled for each instruction set. All of it that takes time must be inlined into [`run`](Job::run).
pub(crate) trait Job {
    /// What comes out of it.
    type Output;

    fn run(self) -> Self::Output;
}

//! How many files may be open at once.

/// Lets this process have `number` files open at once, if the system allows it: raises the soft limit if it is lower.
///
/// # Errors
/// How many files may be open at most, if that is less.
pub fn allow_open_files(number: u64) -> Result<(), u64> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let Some(soft) = current.filter(|&soft| soft < number) else { return Ok(()) };
        if let Some(hard) = maximum.filter(|&hard| hard < number) {
            return Err(hard);
        }
        let raised = Rlimit { current: Some(number), maximum };
        setrlimit(Resource::Nofile, raised).map_err(|_| soft)
    }
    #[cfg(not(unix))]
    {
        let _ = number;
        Ok(())
    }
}

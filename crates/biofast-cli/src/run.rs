//! A run of what was typed, once it is understood.

use std::path::Path;

use anyhow::Result;
use clap::FromArgMatches;

use crate::commands::{self, Command, cache_dir};
use crate::options;
use crate::session::{Exit, Session};

/// Runs what was typed, which `command` has understood.
pub(crate) fn run(
    command: clap::Command,
    matches: &clap::ArgMatches,
    session: &mut Session,
) -> Result<Exit> {
    if let Some((name, given)) = matches.subcommand()
        && !options::is_quiet(given)
    {
        let old_names = commands::given_by_old_names(name, &session.arguments());
        for warning in old_names.into_iter().chain(options::given_in_vain(&command, matches)) {
            session.console.warning(&warning);
        }
    }
    session.understand(command);
    check_overrides(cache_dir(matches))?;
    options::check_temp_dir(matches)?;
    options::keep_inputs(matches, &mut session.files)?;
    let result = commands::run(&Command::from_arg_matches(matches)?, session);
    for leftover in session.files.leftovers() {
        session.console.warning(&leftover.to_string());
    }
    result
}

/// Environment variables that would be ignored if they were misspelt.
pub(crate) fn check_overrides(cache: Option<&Path>) -> Result<()> {
    biofast_kernels::check_override()?;
    biofast_io::codec::check_override()?;
    biofast_io::codec::check_lanes()?;
    biofast_io::codec::check_piece_len()?;
    open_addresses(cache)
}

/// Inputs may be addresses from here on.
#[cfg(feature = "remote")]
fn open_addresses(cache: Option<&Path>) -> Result<()> {
    let mut settings = biofast_remote::Settings::from_env().map_err(anyhow::Error::msg)?;
    if let Some(folder) = cache {
        settings.cache = Some(folder.to_owned());
    }
    biofast_remote::install(settings)?;
    Ok(())
}

/// Opening one says that this build can't.
#[cfg(not(feature = "remote"))]
fn open_addresses(cache: Option<&Path>) -> Result<()> {
    anyhow::ensure!(
        cache.is_none(),
        "--cache-dir is for URLs, and this build can't read them (feature 'remote' is off)"
    );
    Ok(())
}

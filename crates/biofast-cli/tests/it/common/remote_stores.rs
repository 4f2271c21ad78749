//! What the cases of `remote_stores` share with those beside peers.

use crate::common::{Run, command, finish};

/// Runs with these variables, and nothing else that credentials may come from. The machine isn't asked for any.
pub(crate) fn run(args: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = command(args);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let known = ["AWS_", "AZURE_", "GOOGLE_", "STORAGE_"];
        if known.iter().any(|known| name.starts_with(known))
            || name.to_lowercase().ends_with("_proxy")
        {
            command.env_remove(name);
        }
    }
    command
        .env("HOME", "/nonexistent")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("NO_GCE_CHECK", "true");
    command.env("BIOFAST_REMOTE_DELAY", "1").envs(variables.iter().copied());
    finish(command)
}

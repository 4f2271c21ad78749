//! The program `biofast`.

use std::process::ExitCode;

/// Static builds: the allocator of musl has one lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(biofast_cli::main(std::env::args_os()))
}

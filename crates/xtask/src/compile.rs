//! The program for one target, by a build that gives the same bytes wherever and whenever it is made.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{cargo, output, run};

/// Seconds since 1970 of the last commit, or `SOURCE_DATE_EPOCH`: the time of all files in archives.
pub(crate) fn source_date(root: &Path) -> Result<u64> {
    if let Ok(given) = std::env::var("SOURCE_DATE_EPOCH") {
        return given.parse().context("SOURCE_DATE_EPOCH isn't a number of seconds");
    }
    let text = output(Command::new("git").current_dir(root).args(["log", "-1", "--format=%ct"]))?;
    text.trim().parse().context("git names no time of the last commit")
}

/// Builds `biofast` with the profile `dist` and gives the path of the executable.
///
/// Paths of this machine don't get into it: the sources, cargo's folder and the folder of what is built have fixed names there, in
/// Rust as in C.
pub(crate) fn program(root: &Path, target: &str, date: u64) -> Result<PathBuf> {
    let folder = target_folder(root)?;
    let home = cargo_home()?;
    let names = [(root, "/biofast"), (home.as_path(), "/cargo"), (folder.as_path(), "/target")];
    let mut rust = Vec::new();
    let mut c = Vec::new();
    for (path, name) in names {
        let path = path.to_str().context("a path that isn't UTF-8")?;
        rust.push(format!("--remap-path-prefix={path}={name}"));
        c.push(format!("-ffile-prefix-map={path}={name}"));
    }
    if target.ends_with("-musl") {
        // The allocator would take 30 MB at the start, in huge pages where the system has them.
        c.push("-DMI_DEFAULT_ARENA_EAGER_COMMIT=0".to_owned());
        rust.push("-Ctarget-feature=+crt-static".to_owned());
    }
    let mut command = cargo(root);
    command
        .args([builder(target)?, "--locked", "--profile", "dist", "--bin", "biofast"])
        .args([
            "--package", "biofast-cli", "--features", "remote", "--target", target, "--target-dir",
        ])
        .arg(&folder)
        .env("SOURCE_DATE_EPOCH", date.to_string())
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_ENCODED_RUSTFLAGS", rust.join("\u{1f}"))
        .env(format!("CFLAGS_{}", target.replace('-', "_")), c.join(" "));
    run(&mut command)?;
    let ending = if target.contains("windows") { ".exe" } else { "" };
    let program = folder.join(target).join("dist").join(format!("biofast{ending}"));
    if !program.is_file() {
        bail!("the build made no {}", program.display());
    }
    Ok(program)
}

/// Which of cargo's commands builds for a target: with musl the linker and the C compiler of zig, where cargo-zigbuild is there.
fn builder(target: &str) -> Result<&'static str> {
    if !target.ends_with("-musl") {
        return Ok("build");
    }
    let there = |name: &str, argument: &str| {
        Command::new(name).arg(argument).output().is_ok_and(|output| output.status.success())
    };
    if there("cargo-zigbuild", "--version") {
        return Ok("zigbuild");
    }
    if target == format!("{}-unknown-linux-musl", std::env::consts::ARCH)
        && there("musl-gcc", "--version")
    {
        return Ok("build");
    }
    bail!("{target} needs cargo-zigbuild with zig (both are on PyPI: ziglang, cargo-zigbuild)")
}

fn target_folder(root: &Path) -> Result<PathBuf> {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => std::path::absolute(folder).context("CARGO_TARGET_DIR"),
        None => Ok(root.join("target")),
    }
}

fn cargo_home() -> Result<PathBuf> {
    if let Some(home) = std::env::var_os("CARGO_HOME") {
        return Ok(home.into());
    }
    let home = std::env::home_dir().context("no home folder")?;
    Ok(home.join(".cargo"))
}

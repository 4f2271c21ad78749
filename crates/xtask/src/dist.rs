//! The files of a release.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::archive::{self, Content};
use crate::{cargo, compile, components, output, versions};

/// What to build, and where to put it.
pub(crate) struct Options {
    targets: Vec<String>,
    out: PathBuf,
    /// Whether Debian's packages are made, too.
    deb: bool,
}

impl Options {
    pub(crate) fn parse(root: &Path, words: &[&str]) -> Result<Options> {
        let mut options =
            Options { targets: Vec::new(), out: root.join("target/dist-files"), deb: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if *word == "--deb" {
                options.deb = true;
                continue;
            }
            let value = words.next().with_context(|| format!("{word} needs a value"))?;
            match *word {
                "--target" => options.targets.push((*value).to_owned()),
                "--out" => options.out = PathBuf::from(value),
                other => bail!("no option '{other}' of dist; see cargo xtask --help"),
            }
        }
        if options.targets.is_empty() {
            options.targets.push(format!("{}-unknown-linux-musl", std::env::consts::ARCH));
        }
        Ok(options)
    }
}

pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    let version = versions::of_workspace(root)?;
    let date = compile::source_date(root)?;
    let out = &options.out;
    fs::create_dir_all(out).with_context(|| format!("can't make {}", out.display()))?;
    let mut programs = Vec::new();
    for target in &options.targets {
        programs.push((target, compile::program(root, target, date)?));
    }
    // Completions and pages are the same for every target; a program of this machine prints them.
    let native = programs.iter().find(|(target, _)| runs_here(target)).map(|(_, path)| path);
    let native = match native {
        Some(path) => path.clone(),
        None => compile::program(root, &host(root)?, date)?,
    };
    let shared = shared(root, &native)?;
    let mut files = Vec::new();
    for (target, program) in &programs {
        let components = components::of_program(root, Some(target))?;
        let mut content = shared.clone();
        let name = program.file_name().context("a program without a name")?.to_string_lossy();
        let bytes = fs::read(program).with_context(|| program.display().to_string())?;
        content.insert(name.into_owned(), (bytes, true));
        let licences = components::licences(&components)?;
        content.insert("THIRD-PARTY-LICENCES.txt".into(), (licences.into_bytes(), false));
        let name = format!("biofast-{version}-{target}");
        files.push(archive::write(out, &name, &content, date)?);
        let sbom = out.join(format!("{name}.cdx.json"));
        fs::write(&sbom, format!("{:#}\n", components::sbom(root, &components)?))
            .with_context(|| format!("can't write {}", sbom.display()))?;
        files.push(sbom);
        if options.deb {
            files.push(deb(root, target, &native, out)?);
        }
    }
    archive::write_checksums(out, &files)?;
    for file in &files {
        println!("{:>9} {}", fs::metadata(file)?.len(), file.display());
    }
    Ok(())
}

/// Packs the program of a target with musl for Debian: as it needs no library of the system, one package does for every release.
fn deb(root: &Path, target: &str, native: &Path, out: &Path) -> Result<PathBuf> {
    let machine = match target {
        "x86_64-unknown-linux-musl" => "amd64",
        "aarch64-unknown-linux-musl" => "arm64",
        other => bail!("--deb packs programs for Linux with musl, not for {other}"),
    };
    write_pages(root, native, &root.join("target/pages"))?;
    let path = out.join(format!("biofast_{}-1_{machine}.deb", versions::of_workspace(root)?));
    // Options of a strip for this machine would not do for another.
    let command = ["deb", "--package", "biofast-cli", "--no-build", "--no-strip", "--locked"];
    crate::run(
        cargo(root)
            .args(command)
            .args(["--profile", "dist", "--target", target, "--output"])
            .arg(&path),
    )?;
    Ok(path)
}

/// What archives of all targets have: pages, completions, licences and the change log.
fn shared(root: &Path, program: &Path) -> Result<Content> {
    let mut content = pages(root, program)?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        let bytes = fs::read(root.join(file)).with_context(|| format!("can't read {file}"))?;
        content.insert(file.to_owned(), (bytes, false));
    }
    Ok(content)
}

/// Manual pages, completions and JSON schemas, as the program prints them.
fn pages(root: &Path, program: &Path) -> Result<Content> {
    let mut content = Content::new();
    for (shell, file) in [
        ("bash", "biofast.bash"),
        ("zsh", "_biofast"),
        ("fish", "biofast.fish"),
        ("elvish", "biofast.elv"),
    ] {
        let text = output(Command::new(program).args(["completions", shell]))?;
        content.insert(format!("completions/{file}"), (text.into_bytes(), false));
    }
    let folder = root.join("target/dist-pages");
    for (words, to) in [(&["man"][..], "man/man1"), (&["schema", "--out-dir"], "schema")] {
        output(Command::new(program).args(words).arg(&folder))?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            content.insert(format!("{to}/{name}"), (fs::read(entry.path())?, false));
        }
        fs::remove_dir_all(&folder)
            .with_context(|| format!("can't remove {}", folder.display()))?;
    }
    Ok(content)
}

/// Writes what packages have beside the program to a folder.
pub(crate) fn write_pages(root: &Path, program: &Path, out: &Path) -> Result<()> {
    // A path without a folder would be looked for in PATH.
    let program = fs::canonicalize(program).with_context(|| program.display().to_string())?;
    let mut content = pages(root, &program)?;
    let licences = components::licences(&components::of_program(root, None)?)?;
    content.insert("THIRD-PARTY-LICENCES.txt".into(), (licences.into_bytes(), false));
    for (name, (bytes, _)) in content {
        let path = out.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("can't make {}", folder.display()))?;
        }
        fs::write(&path, bytes).with_context(|| format!("can't write {}", path.display()))?;
    }
    Ok(())
}

fn runs_here(target: &str) -> bool {
    let system = match std::env::consts::OS {
        "macos" => "apple-darwin",
        other => other,
    };
    target.starts_with(std::env::consts::ARCH) && target.contains(system)
}

/// The target that the compiler builds for when none is named.
fn host(root: &Path) -> Result<String> {
    let text = output(Command::new("rustc").current_dir(root).arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

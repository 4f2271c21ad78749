//! `cargo xtask parity`: the comparisons of tests/peers with a program that is named, such as a new version of samtools.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Peers whose current version a variable names, and what tests say that need it. Any other peer is found on `PATH` by its name.
const NAMED: [(&str, &str, &str); 5] = [
    ("samtools", "BIOFAST_SAMTOOLS", "1.24"),
    ("picard", "BIOFAST_PICARD", "Picard 3.4"),
    ("mosdepth", "BIOFAST_MOSDEPTH", "BIOFAST_MOSDEPTH"),
    ("fastqc", "BIOFAST_FASTQC", "BIOFAST_FASTQC"),
    ("fastp", "BIOFAST_FASTP", "BIOFAST_FASTP"),
];

/// Files whose tests are about the versions that are installed.
const OF_INSTALLED: [&str; 2] = ["docs", "goldens"];

/// A test that needs other programs.
#[derive(Debug, PartialEq)]
struct PeerTest {
    name: String,
    needs: String,
}

/// Runs every comparison with `peer`, which is `program`, and prints what differs.
pub(crate) fn run(root: &Path, peer: &str, program: &Path) -> Result<()> {
    let program = std::fs::canonicalize(program).with_context(|| format!("no {program:?}"))?;
    let mut tests = of_peer(&all(root)?, peer);
    if tests.is_empty() {
        bail!("no test compares with '{peer}'");
    }
    if std::env::var_os("BIOFAST_CORPUS").is_none() {
        let all = tests.len();
        tests.retain(|test| !test.contains("corpus"));
        println!("BIOFAST_CORPUS names no folder: {} tests are left out", all - tests.len());
    }
    let mut command = super::cargo(root);
    command.args(["peers", "--exact"]).args(&tests).stdout(Stdio::piped());
    with_program(&mut command, root, peer, &program)?;
    let output = command.output().with_context(|| format!("can't run {command:?}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !printed.contains(&format!("\nrunning {} test", tests.len())) {
        bail!("{}: {command:?}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    let different = differences(&printed);
    for (name, message) in &different {
        println!("{name}\n{message}");
    }
    println!("{peer}: {} tests, {} differ", tests.len(), different.len());
    match output.status.success() {
        true => Ok(()),
        false => bail!("{peer} is not equal"),
    }
}

/// Lets tests find the program.
fn with_program(command: &mut Command, root: &Path, peer: &str, program: &Path) -> Result<()> {
    if let Some((_, variable, _)) = NAMED.iter().find(|(name, ..)| *name == peer) {
        command.env(variable, program);
        return Ok(());
    }
    let folder = root.join("target/parity");
    std::fs::create_dir_all(&folder)?;
    let link = folder.join(peer);
    let _ = std::fs::remove_file(&link);
    #[cfg(unix)]
    std::os::unix::fs::symlink(program, &link)?;
    #[cfg(not(unix))]
    std::fs::copy(program, &link)?;
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = [folder].into_iter().chain(std::env::split_paths(&rest)).collect();
    command.env("PATH", std::env::join_paths(path)?);
    Ok(())
}

/// The names of the tests that compare with a peer.
fn of_peer(tests: &[PeerTest], peer: &str) -> Vec<String> {
    let needs = |needs: &str| match NAMED.iter().find(|(name, ..)| *name == peer) {
        Some((_, _, words)) => {
            needs.contains(words) || (peer == "samtools" && needs.contains("pysam"))
        }
        None => needs
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word.eq_ignore_ascii_case(peer)),
    };
    tests.iter().filter(|test| needs(&test.needs)).map(|test| test.name.clone()).collect()
}

/// The tests of tests/peers that need other programs.
fn all(root: &Path) -> Result<Vec<PeerTest>> {
    let folder = root.join("crates/biofast-cli/tests/peers");
    let mut tests = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("no {folder:?}"))? {
        let path = entry?.path();
        let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !OF_INSTALLED.contains(&&*file) {
            tests.extend(tests_of(&file, &std::fs::read_to_string(&path)?));
        }
    }
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tests)
}

/// The ignored tests of a file, with the modules they are in.
fn tests_of(file: &str, text: &str) -> Vec<PeerTest> {
    let mut tests = Vec::new();
    let (mut module, mut needs) = (None, None);
    for line in text.lines() {
        let words = line.trim();
        if let Some(name) = line.strip_prefix("mod ").and_then(|line| line.strip_suffix(" {")) {
            module = Some(name);
        } else if line == "}" {
            module = None;
        } else if let Some(why) = words.strip_prefix("#[ignore = \"needs ") {
            needs = why.strip_suffix("\"]");
        } else if let Some((name, _)) =
            words.strip_prefix("fn ").and_then(|rest| rest.split_once('('))
            && let Some(needs) = needs.take()
        {
            let name = [Some(file), module, Some(name)].into_iter().flatten().collect::<Vec<_>>();
            tests.push(PeerTest { name: name.join("::"), needs: needs.to_owned() });
        }
    }
    tests
}

/// The tests that failed, and what each said.
fn differences(printed: &str) -> Vec<(&str, String)> {
    let sections =
        printed.split("\n---- ").skip(1).filter_map(|part| part.split_once(" stdout ----\n"));
    let message = |text: &str| {
        let lines = text
            .lines()
            .take_while(|line| !line.starts_with("stack backtrace") && !line.starts_with("note:"));
        lines.filter(|line| !line.is_empty()).flat_map(|line| ["  ", line, "\n"]).collect()
    };
    sections.map(|(name, text)| (name, message(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_by_the_peers_they_need() {
        let tests = all(&crate::root().expect("a workspace")).expect("the tests of peers");
        for peer in
            ["samtools", "picard", "mosdepth", "fastqc", "fastp", "cutadapt", "seqkit", "fgumi"]
        {
            assert!(!of_peer(&tests, peer).is_empty(), "{peer}");
        }
        assert_eq!(of_peer(&tests, "absent"), Vec::<String>::new());
        let fastqc = of_peer(&tests, "fastqc");
        let name =
            "fastqc::corpus::every_cell_and_verdict_of_real_libraries_is_that_of_fastqc_0_12_1";
        assert!(fastqc.iter().any(|test| test == name), "{fastqc:?}");
        assert!(fastqc.iter().all(|test| test.ends_with("0_12_1")), "{fastqc:?}");
    }

    #[test]
    fn what_failed_tests_say_is_printed_without_their_backtraces() {
        let printed = "running 2 tests\n\nfailures:\n\n---- a::b stdout ----\n\nthread panicked:\nx is not y\nstack backtrace:\n 0: z\n\n\nfailures:\n    a::b\n";
        assert_eq!(
            differences(printed),
            [("a::b", "  thread panicked:\n  x is not y\n".to_owned())]
        );
    }
}

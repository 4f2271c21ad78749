//! The goldens are what the tools print. With `BIOFAST_RENEW` set they are written instead: `cargo xtask goldens`.

use crate::common::goldens::{Case, cases, folder, of_peer, versions_of};

/// The first word that begins with a digit, after a `v` or a colon perhaps, and holds a dot.
fn version_in(text: &str) -> Option<&str> {
    text.split(|c: char| c.is_whitespace() || c == ':')
        .map(|word| word.trim_start_matches('v'))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
}

#[test]
fn versions_are_found_in_what_tools_say() {
    for (text, version) in [
        ("samtools 1.16.1\nUsing htslib 1.16\n", "1.16.1"),
        ("FastQC v0.11.9\n", "0.11.9"),
        ("Version: 1.3-r106\n", "1.3-r106"),
        ("Version:3.4.0\n", "3.4.0"),
        ("5.2\n", "5.2"),
    ] {
        assert_eq!(version_in(text), Some(version));
    }
    assert_eq!(version_in("not found"), None);
}

/// The peers that have no package: `BIOFAST_FASTQC` and `BIOFAST_FASTP` name their programs.
const NAMED: [&str; 2] = ["fastqc-current", "fastp-current"];

#[test]
#[ignore = "needs samtools, mosdepth, fastp, cutadapt, seqkit, seqtk, FastQC and Picard"]
fn goldens_are_what_the_tools_print() {
    compare(|peer| !NAMED.contains(&peer));
}

#[test]
#[ignore = "needs FastQC 0.12.1, named by BIOFAST_FASTQC"]
fn goldens_are_what_fastqc_0_12_1_prints() {
    compare(|peer| peer == NAMED[0]);
}

#[test]
#[ignore = "needs fastp 1.3, named by BIOFAST_FASTP"]
fn goldens_are_what_fastp_1_3_prints() {
    compare(|peer| peer == NAMED[1]);
}

fn compare(is_asked: impl Fn(&str) -> bool) {
    let renews = std::env::var_os("BIOFAST_RENEW").is_some();
    let cases = cases();
    let versions = cases.iter().filter(|case| case.name == "version" && is_asked(&case.peer));
    for of_version in versions {
        let peer = &of_version.peer;
        let said = String::from_utf8_lossy(&of_version.printed(&of_version.theirs)).into_owned();
        let version = version_in(&said).unwrap_or_else(|| panic!("{peer} said {said:?}"));
        let own = cases.iter().filter(|case| case.peer == *peer && case.name != "version");
        let printed: Vec<(&Case, Vec<u8>)> =
            own.map(|case| (case, case.printed(&case.theirs))).collect();
        if renews {
            versions_of(peer).iter().for_each(|(old, _)| std::fs::remove_dir_all(old).unwrap());
            let golden = folder().join(format!("{peer}-{version}"));
            std::fs::create_dir(&golden).unwrap();
            for (case, printed) in printed {
                std::fs::write(golden.join(&case.name), printed).unwrap();
            }
            continue;
        }
        let (golden, known) = of_peer(peer);
        assert_eq!(version, known, "the goldens of {peer} are of another version");
        for (case, printed) in printed {
            let expected = std::fs::read(golden.join(&case.name)).unwrap();
            assert!(printed == expected, "{peer}/{}: not what it prints", case.name);
        }
    }
}

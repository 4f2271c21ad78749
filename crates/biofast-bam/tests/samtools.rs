//! SAM and CRAM of the third-party corpus become the bytes `samtools view -u` writes, where
//! samtools and the corpus are at hand.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use biofast_bam::{Input, InputOptions};
use biofast_io::{Options, Reader, Source};

/// Valid files that become other bytes or an error, and why.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// All decompressed bytes, and the error after them.
fn read(source: Source, options: &Options) -> (Vec<u8>, Option<String>) {
    let mut out = Vec::new();
    let result = match Reader::new(source, options) {
        Ok(mut reader) => reader.read_to_end(&mut out).map(|_| ()),
        Err(error) => Err(error.into()),
    };
    (out, result.err().map(|e| e.to_string()))
}

fn ours(path: &Path, reference: Option<PathBuf>, threads: usize) -> (Vec<u8>, Option<String>) {
    let options = Options { threads, strict: true, ..Options::default() };
    let input = Source::open(path).map_err(biofast_bam::Error::from).and_then(|source| {
        Input::open(source, &InputOptions { io: &options, reference, sequences: true })
    });
    match input {
        Ok(input) => read(input.source, &options),
        Err(error) => (Vec::new(), Some(error.to_string())),
    }
}

fn theirs(path: &Path, reference: Option<&Path>) -> Option<Vec<u8>> {
    let mut command = Command::new("samtools");
    command.args(["view", "-u", "--no-PG"]).arg(path);
    if let Some(reference) = reference {
        command.arg("-T").arg(reference);
    }
    // Nothing is fetched from anywhere.
    command.env("REF_PATH", "/nonexistent").env("REF_CACHE", "/nonexistent");
    let output = command.stderr(Stdio::null()).output().unwrap();
    let bytes = std::io::Cursor::new(output.stdout);
    output.status.success().then(|| read(Source::from_reader("x", bytes), &Options::default()).0)
}

/// The text, the reference list and the records.
fn parts(bam: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let word = |at: usize| u32::from_le_bytes(bam[at..at + 4].try_into().unwrap()) as usize;
    let text = &bam[8..8 + word(4)];
    let mut at = 8 + text.len();
    let list = at;
    let count = word(at);
    at += 4;
    for _ in 0..count {
        at += 8 + word(at);
    }
    (text, &bam[list..at], &bam[at..])
}

/// Says what differs; `None` if nothing does.
fn difference(ours: &[u8], theirs: &[u8]) -> Option<String> {
    let (ours, theirs) = (parts(ours), parts(theirs));
    if ours.1 != theirs.1 {
        return Some(format!("reference lists {:?} {:?}", ours.1, theirs.1));
    }
    if ours.2 != theirs.2 {
        let at = ours.2.iter().zip(theirs.2).position(|(a, b)| a != b);
        let at = at.unwrap_or_else(|| ours.2.len().min(theirs.2.len()));
        let show = |bytes: &[u8]| {
            bytes[at.saturating_sub(40)..bytes.len().min(at + 20)].escape_ascii().to_string()
        };
        return Some(format!("records at byte {at}\n  {}\n  {}", show(ours.2), show(theirs.2)));
    }
    if ours.0 != theirs.0 {
        let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
        return Some(format!("text\n  {}\n  {}", text(ours.0), text(theirs.0)));
    }
    None
}

#[test]
fn third_party_sam_becomes_what_samtools_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    let Ok(manifest) = std::fs::read_to_string(root.join("MANIFEST.tsv")) else {
        eprintln!("skipped: {} is absent", root.display());
        return;
    };
    if Command::new("samtools").arg("version").stdout(Stdio::null()).status().is_err() {
        eprintln!("skipped: samtools is not installed");
        return;
    }
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in manifest.lines().skip(1) {
        let [name, "sam", verdict, ..] = line.split('\t').collect::<Vec<_>>()[..] else {
            continue;
        };
        if let Some((_, why)) = EXCEPTIONS.iter().find(|(exception, _)| *exception == name) {
            eprintln!("exception: {name}: {why}");
            continue;
        }
        let path = root.join(name);
        let (bytes, error) = ours(&path, None, 2);
        let what = match (theirs(&path, None), error) {
            (None, Some(error)) if verdict == "valid" => {
                eprintln!("both refuse {name}: {error}");
                "refused by both"
            }
            (None, Some(error)) => {
                eprintln!("{verdict} {name}: {error}");
                "refused"
            }
            (Some(_), None) if verdict == "invalid" => {
                wrong.push(format!("{name} is invalid"));
                continue;
            }
            (Some(expected), None) => match difference(&bytes, &expected) {
                None => "equal",
                Some(what) => {
                    wrong.push(format!("{name}: {what}"));
                    continue;
                }
            },
            (theirs, error) => {
                wrong.push(format!("{name}: samtools {}, {error:?}", theirs.is_some()));
                continue;
            }
        };
        *counts.entry(what).or_default() += 1;
    }
    eprintln!("{counts:?}");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

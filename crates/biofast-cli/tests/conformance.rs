//! The conformance corpus of third-party files, where it is at hand: `stats` must report what
//! the manifest says of every FASTQ file. Prints agreement per source.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::biofast;

/// Files on which biofast decides otherwise, and why.
const EXCEPTIONS: [(&str, &str); 4] = [
    // Sequences called "SEQUENCE1": biofast's definition of a sequence is letters, '-', '.' and
    // '*' (IUPAC codes and gaps); a digit in a read is damage more often than data.
    ("dnaio/tests/data/simple.fastq", "digits in the sequence"),
    ("dnaio/tests/data/simple.fastq.gz", "digits in the sequence"),
    ("dnaio/tests/data/simple.fastq.bz2", "digits in the sequence"),
    ("dnaio/tests/data/simple.fastq.xz", "digits in the sequence"),
];

#[test]
fn stats_says_what_the_manifest_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    let Ok(manifest) = std::fs::read_to_string(root.join("MANIFEST.tsv")) else {
        eprintln!("skipped: {} is absent", root.display());
        return;
    };
    let mut agreement: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in manifest.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [path, kind, verdict, must_say, ..] = fields[..] else {
            continue;
        };
        if !kind.starts_with("fastq") {
            continue;
        }
        let source = path.split('/').next().unwrap().to_owned();
        let (agreed, total) = agreement.entry(source).or_default();
        *total += 1;
        if let Some((_, why)) = EXCEPTIONS.iter().find(|(name, _)| *name == path) {
            eprintln!("exception: {path}: {why}");
            continue;
        }
        let run = biofast(&["stats", "--json", "-q", root.join(path).to_str().unwrap()]);
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let file = &json["files"][0];
        let histogram = file["quality"]["histogram"].as_array().unwrap();
        let (reads, bases) = (&file["reads"], &file["bases"]);
        let said = match &histogram[..] {
            [] if *reads == 0 => "0 records (empty input)".to_owned(),
            [] => format!("{reads} records, {bases} bases"),
            [first, .., last] => {
                let byte = |entry: &serde_json::Value| entry[0].as_u64().unwrap() + 33;
                let (low, high, n) = (byte(first), byte(last), histogram.len());
                format!("{reads} records, {bases} bases, quality bytes {low}-{high} ({n} distinct)")
            }
            [only] => {
                let byte = only[0].as_u64().unwrap() + 33;
                format!("{reads} records, {bases} bases, quality bytes {byte}-{byte} (1 distinct)")
            }
        };
        let ok = match verdict {
            _ if must_say.starts_with("error") => run.code == 2,
            "invalid" => run.code == 2,
            _ => run.code == 0 && said == must_say,
        };
        if ok {
            *agreed += 1;
        } else {
            wrong.push(format!("{path}: must say {must_say:?}, said {said:?}, {}", run.stderr));
        }
    }
    for (source, (agreed, total)) in &agreement {
        eprintln!("{source}: {agreed} of {total}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

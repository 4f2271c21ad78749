//! SAM and CRAM of the third-party corpus become the bytes `samtools view -u` writes.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use biofast_bam::{Input, InputOptions};
use biofast_io::{Options, Reader, Source};

/// Valid files that become other bytes or an error, and why.
const EXCEPTIONS: [(&str, &str); 7] = {
    const CUT: &str =
        "the FASTA file at hand is a part of the reference that LN and M5 of the header name";
    const URACIL: &str = "U is read as T, as samtools does from 1.22 on; those before read it as N";
    [
        (
            "samtools/test/cram_size/mpileup.1.cram",
            "its embedded reference is a block of read names; samtools makes bases of them",
        ),
        ("htslib/test/xx#large_aux_java.cram", CUT),
        ("samtools/test/mpileup/ce#5b.cram", CUT),
        ("samtools/test/quickcheck/6.quickcheck.cram21.ok.cram", CUT),
        ("samtools/test/quickcheck/7.quickcheck.cram30.ok.cram", CUT),
        ("htslib/test/xx#u.sam", URACIL),
        ("hts-specs/test/sam/passed/seq.warn.sam", URACIL),
    ]
};

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
        Input::open(source, &InputOptions { io: &options, reference, detail: Default::default() })
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
    let output = command.stderr(Stdio::null()).output().expect("samtools is not installed");
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
fn difference(ours: &[u8], theirs: &[u8], reference: bool) -> Option<String> {
    let (ours, mut theirs) = (parts(ours), parts(theirs));
    if reference {
        // samtools puts the lengths of the FASTA file's sequences into the header.
        (theirs.0, theirs.1) = (ours.0, ours.1);
    }
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

/// Files with reference sequences in the corpus.
const REFERENCES: [&str; 8] = [
    "htslib/test/ce.fa",
    "htslib/test/c1.fa",
    "htslib/test/c2.fa",
    "htslib/test/xx.fa",
    "htslib/test/auxf.fa",
    "rust-htslib/test/test_cram.fa",
    "nucleus/nucleus/testdata/test.fasta",
    "samtools/test/dat/mpileup.ref.fa",
];

/// The corpus, which `BIOFAST_CORPUS` names the folder of.
fn corpus() -> PathBuf {
    let folder = std::env::var_os("BIOFAST_CORPUS");
    Path::new(&folder.expect("BIOFAST_CORPUS names no folder of third-party files"))
        .join("conformance")
}

/// The files of one kind with their verdicts.
fn files(kind: &str) -> Vec<(String, String)> {
    let manifest = std::fs::read_to_string(corpus().join("MANIFEST.tsv")).unwrap();
    let rows = manifest.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[1] == kind).then(|| (fields[0].to_owned(), fields[2].to_owned()))
    });
    rows.collect()
}

/// Compares all files of a kind, and prints how many went which way.
fn compare(kind: &str, references: &[PathBuf]) {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let (root, mut wrong) = (corpus(), Vec::new());
    for (name, verdict) in files(kind) {
        if let Some((_, why)) = EXCEPTIONS.iter().find(|(exception, _)| *exception == name) {
            eprintln!("exception: {name}: {why}");
            *counts.entry("exception").or_default() += 1;
            continue;
        }
        let path = root.join(&name);
        // The first reference with which samtools can read it; none at all comes first.
        let candidates = [None].into_iter().chain(references.iter().map(Some));
        let found = candidates.map(|r| (r, theirs(&path, r.map(|r| &**r))));
        let found = found.into_iter().find(|(_, bytes)| bytes.is_some());
        let reference = found.as_ref().and_then(|(r, _)| *r);
        let expected = found.as_ref().and_then(|(_, bytes)| bytes.as_ref());
        let (bytes, error) = ours(&path, reference.cloned(), 2);
        let what = match (expected, error) {
            (_, Some(error)) if verdict == "invalid" => {
                eprintln!("refused: {error}");
                "invalid, refused"
            }
            (None, Some(error)) => {
                eprintln!("{verdict}, refused by both: {error}");
                "refused by both"
            }
            // What breaks a rule is read as samtools reads it, where nothing is lost.
            (Some(expected), None)
                if verdict != "invalid" || name.starts_with("hts-specs/test/sam/failed/") =>
            {
                match difference(&bytes, expected, reference.is_some()) {
                    None if reference.is_some() => "equal, with a reference",
                    None => "equal",
                    Some(what) => {
                        wrong.push(format!("{name} {reference:?}: {what}"));
                        continue;
                    }
                }
            }
            (theirs, error) => {
                wrong.push(format!("{name}: {verdict}, samtools {}, {error:?}", theirs.is_some()));
                continue;
            }
        };
        *counts.entry(what).or_default() += 1;
    }
    eprintln!("{kind}: {counts:?}");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(counts.values().sum::<u32>() > 20, "{counts:?}");
}

#[test]
#[ignore = "needs samtools and the corpus"]
fn sam_of_the_corpus_becomes_what_samtools_writes() {
    compare("sam", &[]);
}

#[test]
#[ignore = "needs samtools and the corpus"]
fn cram_of_the_corpus_becomes_what_samtools_writes() {
    let root = corpus();
    // samtools puts an index beside a reference.
    let folder = tempfile::tempdir().unwrap();
    let mut references = Vec::new();
    for (n, name) in REFERENCES.iter().enumerate() {
        let path = folder.path().join(format!("{n}.fa"));
        std::fs::copy(root.join(name), &path).unwrap();
        references.push(path);
    }
    compare("cram", &references);
}

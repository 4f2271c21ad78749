//! Headers and records to noodles and back.

use std::path::{Path, PathBuf};

use biofast_bam::noodles::sam;
use biofast_bam::{ErrorKind, Header, Reader, RecordBuf};

/// Files of alignments under `folder`.
fn alignments(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => alignments(&path, out),
            Some("sam" | "bam") => out.push(path),
            _ => {}
        }
    }
}

/// The records that come back as they were, and those that noodles has no place for.
fn round(mut reader: Reader) -> (usize, usize) {
    let header = reader.header().clone();
    if let Ok(theirs) = header.to_noodles() {
        // Some that noodles reads it doesn't write.
        if let Ok(back) = Header::from_noodles(&theirs) {
            assert_eq!(back.references(), header.references());
            assert_eq!(back.to_noodles().unwrap(), theirs);
        }
    }
    let (mut same, mut refused) = (0, 0);
    // A damaged file is read up to its fault.
    while let Ok(Some(record)) = reader.next_record() {
        let mut own = record.to_buf();
        let theirs = own.to_noodles();
        match theirs.and_then(|theirs| RecordBuf::from_noodles(&theirs)) {
            Ok(back) => {
                if own.name() == b"*" {
                    own.set_name("");
                }
                assert_eq!(back, own);
                same += 1;
            }
            // Also what can be read, but not written.
            Err(error) => {
                let is_said = matches!(
                    error.kind(),
                    ErrorKind::Unwritable { .. } | ErrorKind::BadTags { .. }
                );
                assert!(is_said, "{error}");
                refused += 1;
            }
        }
    }
    (same, refused)
}

const SAM: &[u8] = b"@HD\tVN:1.6\n@SQ\tSN:c\tLN:99\n@RG\tID:g\tLB:l\n\
    a\t99\tc\t3\t60\t1S2M1D1=\t=\t9\t10\tACGT\tII!I\tNM:i:1\tXA:A:c\tXB:B:S,1,900\tXF:B:f,1.5\tXH:H:0AFF\tRG:Z:g\n\
    *\t4\t*\t0\t255\t*\t*\t0\t0\t*\t*\tXI:i:-70000\tXF:f:0.5\n\
    b\t8192\tc\t3\t0\t1M\t*\t0\t0\tA\tI\n";

#[test]
fn records_come_back_or_are_refused() {
    assert_eq!(round(Reader::from_reader("x", SAM).unwrap()), (2, 1));
    let mut reader = Reader::from_reader("x", SAM).unwrap();
    let theirs = reader.next_record().unwrap().unwrap().to_noodles().unwrap();
    // As noodles itself reads the line.
    let mut noodles = sam::io::Reader::new(SAM);
    let header = noodles.read_header().unwrap();
    let expected = noodles.record_bufs(&header).next().unwrap().unwrap();
    assert_eq!(theirs, expected);
}

/// Third-party files: `BIOFAST_CORPUS` names their folder.
#[test]
#[ignore = "needs the corpus"]
fn records_of_the_corpus_come_back() {
    let corpus = std::env::var_os("BIOFAST_CORPUS");
    let corpus = corpus.expect("BIOFAST_CORPUS names no folder of third-party files");
    let mut files = Vec::new();
    alignments(&Path::new(&corpus).join("conformance"), &mut files);
    let counts = files.iter().filter_map(|path| Some(round(Reader::open(path).ok()?)));
    let (same, refused) = counts.fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
    eprintln!("{} files: {same} records are the same, {refused} are refused", files.len());
    assert!(same > 1000 && refused * 20 < same, "{same} {refused}");
}

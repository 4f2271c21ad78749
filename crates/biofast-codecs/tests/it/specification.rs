//! The files that come with the specification: streams of htscodecs, and what they decompress to.

use std::path::{Path, PathBuf};

use biofast_codecs::{Error, arith, fqzcomp, names, nx16, rans4x8};
use libdeflater::Decompressor;

fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn gunzip(path: &Path) -> Vec<u8> {
    let data = std::fs::read(path).unwrap();
    let len = u32::from_le_bytes(*data.last_chunk().unwrap());
    let mut out = vec![0; len as usize];
    Decompressor::new().gzip_decompress(&data, &mut out).unwrap();
    out
}

/// What a stream of a folder decompresses to. Its length stands in it.
fn decode(folder: &str, stream: &[u8]) -> Result<Vec<u8>, Error> {
    let u32 = |at: usize| u32::from_le_bytes(stream[at..at + 4].try_into().unwrap()) as usize;
    match folder {
        "rans4x8" => rans4x8::decode(stream, u32(5)),
        "ransNx16" => nx16::decode(stream, uint7(&stream[1..])),
        "range" => arith::decode(stream, uint7(&stream[1..])),
        "fqzcomp" => fqzcomp::decode(stream, uint7(stream)),
        _ => names::decode(stream, u32(0)),
    }
}

/// The number at the front of some bytes.
fn uint7(bytes: &[u8]) -> usize {
    let last = bytes.iter().position(|&byte| byte < 128).unwrap();
    bytes[..=last].iter().fold(0, |n, b| n << 7 | usize::from(b & 127))
}

#[test]
#[ignore = "needs a clone of hts-specs"]
fn streams_of_hts_specs_become_what_they_were_made_of() {
    let clone = std::env::var_os("BIOFAST_HTS_SPECS");
    let clone = clone.expect("BIOFAST_HTS_SPECS names no clone of github.com/samtools/hts-specs");
    let codecs = Path::new(&clone).join("test/cram/codecs");
    let mut decoded = 0;
    for folder in ["fqzcomp", "range", "rans4x8", "ransNx16", "tok3"] {
        for path in files(&codecs.join(folder)) {
            let original =
                gunzip(&codecs.join("gzip").join(path.with_extension("gz").file_name().unwrap()));
            let found = decode(folder, &std::fs::read(&path).unwrap());
            let found = found.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            // Names are lines; of lines of qualities, the streams have the first field, from 0 on. Numbers are as they are.
            let lines = original.split(|&byte| byte == b'\n');
            let expected: Vec<u8> = match path.file_name().unwrap().to_str().unwrap() {
                _ if folder == "tok3" => {
                    original.iter().map(|&b| if b == b'\n' { 0 } else { b }).collect()
                }
                name if name.starts_with("u32") => original.clone(),
                _ => lines
                    .flat_map(|line| line.iter().take_while(|&&byte| byte > b' '))
                    .copied()
                    .collect(),
            };
            let differs = found != expected
                && !found.iter().map(|quality| quality + 33).eq(expected.iter().copied());
            assert!(!differs, "{}", path.display());
            decoded += 1;
        }
    }
    assert!(decoded > 190, "{decoded}");
}

use biofast_io::Reader;
use biofast_io::output::{Compression, commit};
use biofast_testkit::container::bgzf;
use biofast_testkit::random::Random;

use super::*;

/// Joins parts to a file, and returns what is in it and what was joined.
fn joined(parts: &[Vec<u8>]) -> Result<(Vec<u8>, CatSummary), Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all");
    let mut cat = Cat::new(Output::create_with(&path, Compression::default()).unwrap());
    for part in parts {
        cat.add(CatInput::from_reader("part", io::Cursor::new(part.clone())), &Options::default())?;
    }
    let (output, summary) = cat.finish()?;
    commit(vec![output], false).unwrap();
    Ok((std::fs::read(path).unwrap(), summary))
}

fn text_of(bytes: &[u8]) -> Vec<u8> {
    let source = Source::from_reader("all", io::Cursor::new(bytes.to_vec()));
    let options = Options { strict: true, ..Options::default() };
    let mut text = Vec::new();
    Reader::new(source, &options).unwrap().read_to_end(&mut text).unwrap();
    text
}

#[test]
fn a_hundred_sets_of_parts_become_their_text_whatever_their_blocks() {
    let mut random = Random(11);
    for _ in 0..100 {
        let (mut parts, mut expected, mut records) = (Vec::new(), Vec::new(), 0);
        for _ in 0..1 + random.below(4) {
            let n = random.below(40);
            let mut text = String::new();
            for i in 0..n {
                text += &format!("@r{i}\nACGT\n+\nIII{}\n", ['I', '#'][random.below(2)]);
            }
            records += n as u64;
            // With or without the last line end, and with empty blocks inside.
            let cut = text.len() - usize::from(n > 0 && random.chance(30));
            let size = 1 + random.below(200);
            let mut part = bgzf(&text.as_bytes()[..cut], size);
            if random.chance(30) {
                part.extend_from_slice(&biofast_io::bgzf::EOF_BLOCK);
            }
            parts.push(part);
            expected.extend_from_slice(text.as_bytes());
        }
        let (bytes, summary) = joined(&parts).unwrap();
        assert_eq!(text_of(&bytes), expected);
        assert_eq!((summary.records, summary.parts), (records, parts.len() as u64));
        // One block ends it, and none is empty inside.
        let ends = bytes.windows(28).filter(|w| **w == biofast_io::bgzf::EOF_BLOCK).count();
        assert_eq!(ends, 1);
    }
}

#[test]
fn what_is_damaged_or_something_else_is_an_error() {
    let good = bgzf(b"@r\nACGT\n+\nIIII\n", 7);
    for (bad, said) in [
        // BGZF that goes on as other gzip can't be told where it ends.
        (
            [good.clone(), biofast_testkit::container::gzip(b"@r\nA\n+\nI\n")].concat(),
            "expected BGZF",
        ),
        (good[..good.len() - 40].to_vec(), "truncated"),
        (bgzf(b"@r\nACGT\n+\nIII\n", 7), "record 1"),
        (bgzf(b"BAM\x01\0\0\0\0\0\0\0\0", 5), "holds BAM"),
    ] {
        let error = joined(&[good.clone(), bad]).err().unwrap();
        assert!(error.to_string().contains(said), "{error}");
    }
    let mut flipped = good.clone();
    flipped[20] ^= 1;
    assert!(joined(&[flipped]).is_err());
}

//! The datasets are what their README says: the same bytes for ever, readable containers.

use std::fs;

use sha2::{Digest as _, Sha256};

use super::*;
use crate::{files, limits};

fn dataset(name: &str) -> &'static Dataset {
    CATALOGUE.iter().find(|d| d.name == name).expect("in the catalogue")
}

fn text_of(dataset: &Dataset) -> Vec<u8> {
    let mut text = Vec::new();
    let genome = Genome::new();
    writer::generate(dataset, &genome, |part| {
        text.extend_from_slice(part);
        Ok(())
    })
    .expect("generates");
    text
}

#[test]
fn tiny_is_pinned() {
    assert_eq!(
        to_hex(&Sha256::digest(text_of(dataset("tiny")))),
        "d1906a0e32b66ab8be30f950128ad71a1eb692c2e9b6eb01e1de473958d30fa3"
    );
}

#[test]
fn containers_read_back() {
    let dir = tempfile::tempdir().expect("temporary directory");
    build(&["small".to_owned(), "medium".to_owned()], dir.path(), true).expect("builds");
    for name in ["small", "medium"] {
        let path = |suffix| dir.path().join(format!("generated/{name}.{suffix}"));
        let plain = fs::read(path("fq")).expect("reads");
        assert_eq!(plain, text_of(dataset(name)));
        for container in ["fq.bgz", "fq.gz"] {
            let text = files::read_text(&path(container), u64::MAX).expect("inflates");
            assert_eq!(text, plain, "{container}");
        }
        // As htslib cuts it, with the empty block at the end.
        let blocks = limits::find_blocks(&fs::read(path("fq.bgz")).expect("reads")).expect("BGZF");
        let (last, full) = blocks.split_last().expect("a block");
        assert!(
            last.inflated_len == 0 && full.iter().rev().skip(1).all(|b| b.inflated_len == 65_280)
        );
    }
}

#[test]
fn a_changed_file_or_manifest_is_an_error() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let names = ["tiny".to_owned()];
    assert!(build(&names, dir.path(), false).is_err(), "not in the manifest yet");
    build(&names, dir.path(), true).expect("writes the manifest");
    build(&names, dir.path(), false).expect("the same again");
    verify(&names, dir.path()).expect("as built");

    let path = dir.path().join("generated/tiny.fq");
    let mut text = fs::read(&path).expect("reads");
    let good = text.clone();
    text[60] ^= 1;
    fs::write(&path, &text).expect("writes");
    let error = verify(&names, dir.path()).expect_err("one bit differs").to_string();
    assert!(error.contains("generated/tiny.fq: sha256"), "{error}");
    fs::write(&path, &good[..good.len() - 1]).expect("writes");
    assert!(verify(&names, dir.path()).is_err(), "truncated");
    fs::remove_file(&path).expect("removes");
    assert!(verify(&names, dir.path()).is_err(), "absent although named");

    let mut manifest = Manifest::read(dir.path()).expect("reads");
    manifest.file[1].bytes += 1;
    manifest.write(dir.path()).expect("writes");
    assert!(build(&names, dir.path(), false).is_err(), "the manifest differs");
}

#[test]
fn limit_inflates_all_blocks_and_sees_damage() {
    let dir = tempfile::tempdir().expect("temporary directory");
    build(&["medium".to_owned()], dir.path(), true).expect("builds");
    let path = dir.path().join("generated/medium.fq.bgz");
    let bytes = fs::metadata(path.with_extension("").with_extension("fq")).expect("plain").len();
    for threads in [1, 2, 5] {
        assert_eq!(limits::inflate(&path, threads, true).expect("inflates").bytes, bytes);
        assert_eq!(limits::recode(&path, threads, 1).expect("recodes").bytes, bytes);
    }
    let good = fs::read(&path).expect("reads");
    fs::write(&path, &good[..good.len() - 40]).expect("writes");
    assert!(limits::inflate(&path, 2, true).is_err(), "truncated");
    // The CRC-32 of the first block is in the 8 bytes before the second.
    let second = usize::from(good[16]) + 256 * usize::from(good[17]) + 1;
    let mut damaged = good;
    damaged[second - 8] ^= 1;
    fs::write(&path, &damaged).expect("writes");
    assert!(limits::inflate(&path, 2, true).is_err(), "wrong CRC-32");
    assert_eq!(limits::inflate(&path, 2, false).expect("not checked").bytes, bytes);
}

/// The uncompressed stream of a BAM file.
fn bam_of(dataset: &Dataset) -> Vec<u8> {
    let genome = Genome::new();
    let mut stream = align::header(genome.len());
    let aligned = align::Aligned::new(dataset, &genome);
    aligned.iter().for_each(|record| stream.extend_from_slice(record));
    stream
}

#[test]
fn aligned_pairs_are_pinned() {
    assert_eq!(
        to_hex(&Sha256::digest(bam_of(&aligned("a", 500)))),
        "a0e95a2a37a07590102e16f1d8eca652ac1ee04bf3c440063e7700acc5c8f700"
    );
}

#[test]
fn bam_reads_back_and_damage_is_an_error() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join("a.bam");
    let genome = Genome::new();
    let dataset = aligned("a", 700);
    let mut written =
        writer::write_dataset(&dataset, &genome, &[(Format::Bam, path.clone())]).expect("writes");
    let written = written.pop().expect("one file");
    let entry = FileEntry {
        dataset: "a".into(),
        file: "a.bam".into(),
        format: Format::Bam,
        seed: dataset.seed,
        profile: dataset.profile,
        records: written.records,
        bases: written.bases,
        bytes: written.bytes,
        sha256: written.sha256,
    };
    assert_eq!(entry.recompute(dir.path()).expect("reads"), entry);
    let file = fs::read(&path).expect("reads");
    assert_eq!(files::read_text(&path, u64::MAX).expect("inflates"), bam_of(&dataset));
    // The header stands in blocks of its own, and every block ends with a whole record.
    let mut ends = vec![align::header(genome.len()).len()];
    let records = limits::bam::records(&bam_of(&dataset)).expect("BAM");
    ends.extend(records.iter().map(|record| record.end));
    let mut end = 0;
    for block in limits::find_blocks(&file).expect("blocks") {
        end += block.inflated_len;
        assert!(ends.contains(&end), "a block ends at {end}");
    }
    fs::write(&path, &file[..file.len() - 40]).expect("writes");
    assert!(entry.recompute(dir.path()).is_err(), "the file is cut");
}

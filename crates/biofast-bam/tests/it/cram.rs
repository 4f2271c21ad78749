//! CRAM written by noodles becomes the records it was made of; damage, missing parts and wrong
//! references are errors. What samtools writes is compared in `samtools.rs`.

mod crafted;

use std::io::{Cursor, Read};
use std::path::PathBuf;

use biofast_bam::{Detail, Error, Input, InputOptions};
use biofast_io::{Options, Reader, Source};
use noodles_sam::alignment::io::Write as _;
use {noodles_cram as cram, noodles_fasta as fasta, noodles_sam as sam};

/// Three thousand bases that don't repeat soon.
fn reference() -> String {
    let base = |n: u32| b"ACGT"[(n.wrapping_mul(2_654_435_761) >> 13) as usize % 4] as char;
    (0..3000).map(base).collect()
}

/// Pairs on a reference with mismatches, indels and clips, and reads without a place.
fn text() -> String {
    let bases = reference();
    let mut out = "@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:3000\n@RG\tID:a\n@RG\tID:b\n".to_owned();
    for n in 0..300 {
        let at = n * 8;
        let quals: String =
            (0..50).map(|k| (b'!' + ((n * 7 + k * 3) % 60) as u8) as char).collect();
        let (cigar, sequence) = match n % 4 {
            0 => ("50M", bases[at..at + 50].to_owned()),
            1 => ("5S45M", format!("TTTTT{}", &bases[at..at + 45])),
            2 => ("20M2D30M", bases[at..at + 20].to_owned() + &bases[at + 22..at + 52]),
            _ => ("20M3I27M", format!("{}GGG{}", &bases[at..at + 20], &bases[at + 20..at + 47])),
        };
        let mut sequence = sequence.into_bytes();
        sequence[30] = if sequence[30] == b'A' { b'C' } else { b'A' };
        let sequence = String::from_utf8(sequence).unwrap();
        let group = if n % 2 == 0 { "a" } else { "b" };
        out += &format!(
            "r{n}\t0\tchr1\t{}\t{}\t{cigar}\t*\t0\t0\t{sequence}\t{quals}\tXN:i:{n}\tXZ:Z:t{n}\tRG:Z:{group}\n",
            at + 1,
            n % 61,
        );
    }
    out + "u1\t4\t*\t0\t0\t*\t*\t0\t0\tACGTN\tIIIII\nu2\t4\t*\t0\t0\t*\t*\t0\t0\tGG\tII\n"
}

fn to_cram(text: &str) -> Vec<u8> {
    let mut reader = sam::io::Reader::new(text.as_bytes());
    let header = reader.read_header().unwrap();
    let definition = fasta::record::Definition::new("chr1", None);
    let sequence = fasta::record::Sequence::from(reference().into_bytes());
    let repository = fasta::Repository::new(vec![fasta::Record::new(definition, sequence)]);
    let mut out = Vec::new();
    let mut writer = cram::io::writer::Builder::default()
        .set_reference_sequence_repository(repository)
        .build_from_writer(&mut out);
    writer.write_header(&header).unwrap();
    for record in reader.record_bufs(&header) {
        writer.write_alignment_record(&header, &record.unwrap()).unwrap();
    }
    writer.try_finish(&header).unwrap();
    drop(writer);
    out
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn fasta(&self, content: &str) -> PathBuf {
        let path = self.0.path().join("reference.fa");
        std::fs::write(&path, content).unwrap();
        path
    }
}

fn folder() -> Folder {
    Folder(tempfile::tempdir().unwrap())
}

fn fasta_text() -> String {
    let bases = reference().to_lowercase();
    let lines: Vec<&str> = (0..30).map(|n| &bases[100 * n..100 * (n + 1)]).collect();
    format!(">other\nACGT\n>chr1 with a comment\n{}\n", lines.join("\n"))
}

fn read(
    bytes: &[u8],
    reference: Option<PathBuf>,
    detail: Detail,
    strict: bool,
) -> (Vec<u8>, Option<String>) {
    let options = Options { threads: 2, allow_missing_eof: !strict, ..Options::default() };
    let mut out = Vec::new();
    let run = || -> Result<(), Error> {
        let source = Source::from_reader("dir/x", Cursor::new(bytes.to_vec()));
        let input = Input::open(source, &InputOptions { io: &options, reference, detail })?;
        let mut reader = Reader::new(input.source, &options)?;
        reader.read_to_end(&mut out).map_err(|e| {
            Error::from(biofast_io::Error::new(biofast_io::ErrorKind::Io(e), Default::default()))
        })?;
        Ok(())
    };
    let error = run().err().map(|e| e.to_string());
    (out, error)
}

/// Each record as noodles reads it from BAM: its parts as SAM text, tags sorted.
fn as_text(bam: &[u8]) -> Vec<String> {
    let mut reader = noodles_bam::io::Reader::from(bam);
    let header = reader.read_header().unwrap();
    let mut out = Vec::new();
    for record in reader.record_bufs(&header) {
        let mut line = Vec::new();
        sam::io::Writer::new(&mut line).write_alignment_record(&header, &record.unwrap()).unwrap();
        let line = String::from_utf8(line).unwrap();
        let mut fields: Vec<&str> = line.trim_end().split('\t').collect();
        fields[11..].sort_unstable();
        out.push(fields.join("\t"));
    }
    out
}

fn expected() -> Vec<String> {
    let text = text();
    let lines = text.lines().filter(|line| !line.starts_with('@'));
    lines
        .map(|line| {
            let mut fields: Vec<&str> = line.split('\t').collect();
            fields[11..].sort_unstable();
            fields.join("\t")
        })
        .collect()
}

#[test]
fn records_come_back_with_any_kind_of_reference() {
    let file = to_cram(&text());
    let folder = folder();
    let plain = folder.fasta(&fasta_text());
    let gzipped = folder.0.path().join("reference.fa.gz");
    let bytes = biofast_testkit::container::gzip(fasta_text().as_bytes());
    std::fs::write(&gzipped, bytes).unwrap();
    for reference in [plain, gzipped] {
        let (bam, error) = read(&file, Some(reference), Detail::Full, true);
        assert_eq!(error, None);
        let found: Vec<String> = as_text(&bam)
            .into_iter()
            .map(|line| {
                // Tags that follow from the reference and aren't stored are computed.
                let fields: Vec<&str> = line.split('\t').collect();
                let kept = fields.iter().filter(|f| !f.starts_with("MD:") && !f.starts_with("NM:"));
                kept.copied().collect::<Vec<_>>().join("\t")
            })
            .collect();
        let expected = expected();
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected);
        }
        // 20M2D30M with a mismatch at the eleventh base behind the deletion.
        let third = &as_text(&bam)[2];
        let md = third.split('\t').find_map(|f| f.strip_prefix("MD:Z:")).unwrap();
        let bases = reference_at(16 + 20, 2);
        let base = reference_at(16 + 32, 1);
        assert_eq!(md, format!("20^{bases}10{base}19"));
        assert!(third.contains("\tNM:i:3"), "{third}");
    }
}

fn reference_at(at: usize, n: usize) -> String {
    reference()[at..at + n].to_owned()
}

#[test]
fn a_missing_or_wrong_reference_is_an_error() {
    let file = to_cram(&text());
    let folder = folder();
    let (_, error) = read(&file, None, Detail::Full, true);
    let error = error.unwrap();
    assert!(error.contains("'chr1'") && error.contains("no reference was given"), "{error}");
    let (_, error) = read(&file, Some(folder.fasta(">chr2\nACGT\n")), Detail::Full, true);
    assert!(error.unwrap().contains("has no sequence 'chr1'"));
    let mut wrong = fasta_text();
    let at = wrong.find("comment\n").unwrap() + 300;
    let other = if &wrong[at..=at] == "a" { "c" } else { "a" };
    wrong.replace_range(at..=at, other);
    // A slice of reads on several references, or none, has no sum.
    let mapped = text();
    let file = to_cram(&mapped[..mapped.find("u1\t").unwrap()]);
    let (_, error) = read(&file, Some(folder.fasta(&wrong)), Detail::Full, true);
    assert!(error.unwrap().contains("MD5"));
    let nowhere = folder.0.path().join("nowhere.fa");
    let (_, error) = read(&file, Some(nowhere), Detail::Full, true);
    assert!(error.unwrap().contains("nowhere.fa"));
}

#[test]
fn placement_needs_no_reference() {
    let (bam, error) = read(&to_cram(&text()), None, Detail::Placement, true);
    assert_eq!(error, None);
    let mut reader = noodles_bam::io::Reader::from(&bam[..]);
    reader.read_header().unwrap();
    let expected = expected();
    let mut n = 0;
    for (record, expected) in reader.records().zip(&expected) {
        let record = record.unwrap();
        let fields: Vec<&str> = expected.split('\t').collect();
        let position = record.alignment_start().map_or(0, |p| usize::from(p.unwrap()));
        assert_eq!(u16::from(record.flags()).to_string(), fields[1]);
        assert_eq!(position.to_string(), fields[3]);
        assert_eq!(record.mapping_quality().map_or(255, u8::from).to_string(), fields[4]);
        n += 1;
    }
    assert_eq!(n, expected.len());
}

#[test]
fn all_but_sequences_need_no_reference() {
    let (bam, error) = read(&to_cram(&text()), None, Detail::Alignment, true);
    assert_eq!(error, None);
    let kept = |lines: Vec<String>| -> Vec<String> {
        let fields = |line: &String| {
            let fields: Vec<&str> = line.split('\t').collect();
            [&fields[..9], &fields[10..]].concat().join("\t")
        };
        lines.iter().map(fields).collect()
    };
    assert_eq!(kept(as_text(&bam)), kept(expected()));
    let first = &as_text(&bam)[1];
    let sequence = first.split('\t').nth(9).unwrap();
    assert!(sequence.starts_with("TTTTT=====") && sequence.matches('=').count() == 44, "{first}");
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let file = to_cram(&text());
    let folder = folder();
    let reference = folder.fasta(&fasta_text());
    let (whole, _) = read(&file, Some(reference.clone()), Detail::Full, true);
    for cut in (0..file.len()).step_by(29).chain(file.len() - 45..file.len()) {
        let (bam, error) = read(&file[..cut], Some(reference.clone()), Detail::Full, true);
        assert!(error.is_some(), "cut at {cut}");
        assert!(whole.starts_with(&bam), "cut at {cut}");
    }
    // Only the end-of-file container, of 38 bytes, is missing: that may be allowed.
    let cut = &file[..file.len() - 38];
    let (_, error) = read(cut, Some(reference.clone()), Detail::Full, true);
    assert!(error.unwrap().contains("end-of-file container is missing"));
    assert_eq!(read(cut, Some(reference), Detail::Full, false), (whole, None));
}

#[test]
fn a_flipped_bit_is_noticed_or_does_not_matter() {
    let file = to_cram(&text());
    let folder = folder();
    let reference = folder.fasta(&fasta_text());
    let (whole, _) = read(&file, Some(reference.clone()), Detail::Full, true);
    for bit in (0..8 * file.len()).step_by(167) {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        for detail in [Detail::Full, Detail::Placement] {
            let (bam, error) = read(&damaged, Some(reference.clone()), detail, true);
            let unharmed = detail == Detail::Placement || bam == whole;
            // The file's own id isn't covered by a checksum.
            assert!(error.is_some() || (unharmed && bit / 8 < 26), "bit {bit}");
        }
    }
}

/// Where htslib 1.22 to 1.23.1 mended its CRAM decoder (its NEWS says what; CVE-2026-31962 to 31971): data made so are an
/// error here, found before anything is allocated or written for them.
#[test]
fn data_that_overran_htslib_are_errors() {
    use crafted::{Crafted, array, codec, external, itf8, until};
    let good = Crafted::default();
    let (bam, error) = read(&good.file(), None, Detail::Full, true);
    assert_eq!(error, None);
    assert_eq!(as_text(&bam), ["r\t0\tchr1\t5\t9\t4M\t*\t0\t0\tACGT\t????"]);
    type Change = fn(&mut Crafted);
    let cases: [(&str, Change, &str); 34] = [
        // A byte array shorter or longer than what takes it.
        (
            "31971: bases of a feature",
            |c| c.set(b"BB", array(91, 92), &[(91, &itf8(9))]),
            "a block ends",
        ),
        (
            "31971: more bases than the read has",
            |c| c.set(b"BB", array(91, 92), &[(91, &itf8(9)), (92, b"ACGTACGTA")]),
            "beyond its read",
        ),
        (
            "31971: length -1",
            |c| c.set(b"BB", array(91, 92), &[(91, &itf8(-1))]),
            "a negative length",
        ),
        (
            "31971: length 2^30 in four bytes",
            |c| c.set(b"BB", array(91, 92), &[(91, &itf8(1 << 30))]),
            "a block ends",
        ),
        (
            "31971: a length beyond any",
            |c| c.set(b"BB", array(91, 92), &[(91, &itf8(i32::MAX))]),
            "more than 1 GiB",
        ),
        (
            "1.22.1: inserted",
            |c| {
                (
                    c.bytes(b"FC", b"I"),
                    c.set(b"IN", array(95, 96), &[(95, &itf8(5)), (96, b"ACGTA")]),
                )
                    .1
            },
            "beyond its read",
        ),
        (
            "1.22.1: clipped",
            |c| {
                (
                    c.bytes(b"FC", b"S"),
                    c.set(b"SC", array(93, 94), &[(93, &itf8(5)), (94, b"ACGTA")]),
                )
                    .1
            },
            "beyond its read",
        ),
        (
            "1.22.1: qualities of a stretch",
            |c| {
                c.bytes(b"FC", b"q");
                c.set(b"QQ", array(97, 98), &[(97, &itf8(5)), (98, &[30; 5])]);
                c.number(b"CF", 2);
            },
            "",
        ),
        (
            "1.22.1: bases by an array",
            |c| {
                c.number(b"BF", 4);
                c.set(b"BA", array(91, 92), &[]);
            },
            "a byte array where",
        ),
        (
            "1.22.1: qualities by an array",
            |c| c.set(b"QS", array(97, 98), &[]),
            "a byte array where",
        ),
        // The stop byte.
        ("31969: no stop byte", |c| c.set(b"RN", until(0, 90), &[(90, b"r")]), "without its stop"),
        (
            "31969: a name too long",
            |c| c.set(b"RN", until(0, 90), &[(90, &[&[b'x'; 300][..], &[0]].concat())]),
            "254",
        ),
        (
            "31969: a tag too short",
            |c| c.tag(b"XAi", until(b'\t', 80), &[(80, b"abc\t")]),
            "doesn't fit its type",
        ),
        (
            "31969: a tag too long",
            |c| c.tag(b"XAi", until(b'\t', 80), &[(80, b"abcde\t")]),
            "doesn't fit its type",
        ),
        (
            "31971: text without its end",
            |c| c.tag(b"XAZ", array(80, 81), &[(80, &itf8(2)), (81, b"ab")]),
            "doesn't fit its type",
        ),
        (
            "31971: an array that says too much",
            |c| c.tag(b"XAB", array(80, 81), &[(80, &itf8(6)), (81, b"i\xff\xff\xff\x7f\0")]),
            "doesn't fit its type",
        ),
        // Codecs of version 4.
        (
            "31968: varint unsigned",
            |c| c.set(b"RL", codec(41, &[0, 0]), &[]),
            "an encoding other than",
        ),
        (
            "31968: varint signed",
            |c| c.set(b"AP", codec(42, &[0, 0]), &[]),
            "an encoding other than",
        ),
        ("31968: constant byte", |c| c.set(b"FC", codec(43, b"b"), &[]), "an encoding other than"),
        (
            "31968: constant number",
            |c| c.set(b"RL", codec(44, &[4]), &[]),
            "an encoding other than",
        ),
        ("31968: transformed", |c| c.set(b"QS", codec(50, &[8, 0]), &[]), "an encoding other than"),
        ("31968: a number read as an array", |c| c.set(b"RN", external(90), &[]), "a number where"),
        // References that the header doesn't have.
        ("31965: reference of the slice", |c| c.place = [7, 5, 4], "unknown reference"),
        ("31965: -3", |c| c.place = [-3, 5, 4], "unknown reference"),
        (
            "31965: reference of the record",
            |c| {
                c.place = [-2, 0, 0];
                c.number(b"RI", 2);
            },
            "unknown reference",
        ),
        ("31967: reference of the mate", |c| c.number(b"NS", 2), "a mate with an unknown"),
        ("31967: the mate's -2", |c| c.number(b"NS", -2), "a mate with an unknown"),
        // Places of features.
        ("31966: a feature at 0", |c| c.number(b"FP", 0), "outside of its read"),
        ("31966: behind the read", |c| c.number(b"FP", 6), "outside of its read"),
        ("31966: before the read", |c| c.number(b"FP", -1), "a negative length"),
        (
            "31966: sums beyond 31 bits",
            |c| {
                c.number(b"FN", 2);
                c.bytes(b"FC", b"DD");
                c.numbers(b"FP", &[1, i32::MAX]);
                c.numbers(b"DL", &[1, 1]);
            },
            "outside of its read",
        ),
        (
            "31966: deletions beyond 31 bits",
            |c| {
                c.number(b"FN", 2);
                c.bytes(b"FC", b"DD");
                c.numbers(b"FP", &[1, 0]);
                c.numbers(b"DL", &[i32::MAX, i32::MAX]);
            },
            "",
        ),
        // Reads without a sequence or without qualities.
        ("31962: too few qualities", |c| c.bytes(b"QS", &[30; 3]), "a block ends"),
        ("31964: more features than there are", |c| c.number(b"FN", i32::MAX), "a block ends"),
    ];
    for (what, change, needed) in cases {
        let mut bad = good.clone();
        change(&mut bad);
        let (_, error) = read(&bad.file(), None, Detail::Full, true);
        let error = error.unwrap_or_else(|| panic!("{what}: no error"));
        assert!(error.contains("invalid CRAM") && error.contains(needed), "{what}: {error}");
    }
}

/// The same, where data are sound: reads without a sequence have none, whatever features and qualities say.
#[test]
fn reads_without_a_sequence_have_neither_bases_nor_qualities() {
    use crafted::Crafted;
    for (len, feature, cigar) in
        [(0, b'X', None), (0, b'Q', None), (4, b'X', Some("4M")), (4, b'b', Some("4M"))]
    {
        let mut crafted = Crafted::default();
        // No sequence is stored (8), though qualities are (1).
        crafted.number(b"CF", 8 | 3);
        crafted.number(b"RL", len);
        crafted.bytes(b"FC", &[feature]);
        let (bam, error) = read(&crafted.file(), None, Detail::Full, true);
        match (cigar, error) {
            (Some(cigar), None) => {
                assert_eq!(as_text(&bam), [format!("r\t0\tchr1\t5\t9\t{cigar}\t*\t0\t0\t*\t*")]);
            }
            (_, Some(error)) => assert!(error.contains("invalid CRAM"), "{error}"),
            (None, None) => {
                let line = &as_text(&bam)[0];
                assert!(line.ends_with("\t*\t0\t0\t*\t*"), "{line}");
            }
        }
    }
}

/// htslib 1.22: an embedded reference that ends before the reads do, and lengths of references below 0.
#[test]
fn references_that_end_early_or_are_negative() {
    use crafted::Crafted;
    let mut crafted = Crafted { embedded: 70, ..Default::default() };
    crafted.blocks.push((70, b"AC".to_vec()));
    let (_, error) = read(&crafted.file(), None, Detail::Full, true);
    assert!(error.unwrap().contains("shorter than its slice"));
    for length in ["-5", "-2147483648", "4x", "9223372036854775808"] {
        let mut crafted = Crafted::default();
        crafted.header = crafted.header.replace("LN:100", &format!("LN:{length}"));
        let (_, error) = read(&crafted.file(), None, Detail::Full, true);
        assert!(error.unwrap().contains("a reference length (LN)"), "{length}");
    }
}

//! Containers, whole and damaged: what is delivered is a prefix of the truth, and damage is
//! never silent.

use std::io::{Cursor, Read, Write};
use std::sync::Arc;

use biofast_io::{Container, ErrorKind, IoMode, Notes, Options, Reader, Source, Warning};
use biofast_testkit::container::{
    KINDS, Kind, bgzf, bgzf_block, bgzf_block_of, gzip, stored, wrap,
};

fn text(records: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0..records {
        let bases: String = (0..40).map(|j| b"ACGT"[(i * 7 + j * j) % 4] as char).collect();
        writeln!(out, "@read{i}\n{bases}\n+\n{}", "I".repeat(40)).unwrap();
    }
    out
}

fn options() -> Options {
    Options { threads: 1, chunk_size: 700, notes: Some(Arc::default()), ..Options::default() }
}

/// What can be read of `stored`, and the error.
fn read(stored: &[u8], options: &Options) -> (Vec<u8>, Option<biofast_io::Error>) {
    let source = Source::from_reader("x", Cursor::new(stored.to_vec()));
    read_source(source, options)
}

fn read_source(source: Source, options: &Options) -> (Vec<u8>, Option<biofast_io::Error>) {
    let mut reader = match Reader::new(source, options) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut out = Vec::new();
    match reader.read_to_end(&mut out) {
        Ok(_) => (out, None),
        Err(error) => (out, Some(error.downcast().unwrap())),
    }
}

fn warnings(options: &Options) -> Vec<Warning> {
    options.notes.as_deref().map(Notes::warnings).unwrap_or_default()
}

#[test]
fn every_container_is_recognised_and_read() {
    let text = text(30);
    for kind in KINDS {
        let options = options();
        let (found, error) = read(&wrap(kind, &text), &options);
        assert!(error.is_none(), "{kind:?}: {error:?}");
        assert_eq!(found, text, "{kind:?}");
        assert_eq!(warnings(&options), [], "{kind:?}");
        let (found, error) = read(&wrap(kind, b""), &self::options());
        assert!(found.is_empty() && error.is_none(), "empty {kind:?}: {error:?}");
    }
}

#[test]
fn a_container_cut_anywhere_is_an_error_or_was_cut_between_blocks() {
    let text = text(12);
    for kind in KINDS.into_iter().filter(|&kind| kind != Kind::Plain) {
        let whole = wrap(kind, &text);
        let mut clean_cuts = 0;
        for cut in 1..whole.len() {
            let options = options();
            let (found, error) = read(&whole[..cut], &options);
            match error {
                Some(_) => {
                    // A container cut inside its magic bytes reads as plain text.
                    assert!(text.starts_with(&found), "{kind:?} cut at {cut}");
                }
                None if cut < 10 => assert_eq!(found, &whole[..cut], "{kind:?}"),
                None => {
                    assert!(text.starts_with(&found), "{kind:?} cut at {cut}");
                    clean_cuts += 1;
                    if let Kind::Bgzf(_) = kind {
                        assert_eq!(warnings(&options), [Warning::MissingEofBlock]);
                        let strict = Options { strict: true, ..options };
                        let error = read(&whole[..cut], &strict).1.unwrap();
                        assert!(matches!(error.kind(), ErrorKind::MissingEofBlock));
                    }
                }
            }
        }
        match kind {
            Kind::Bgzf(size) => assert_eq!(clean_cuts, text.len().div_ceil(size), "{kind:?}"),
            // Between two members nothing is missing that anybody could notice.
            Kind::GzipMembers(size) => assert_eq!(clean_cuts, text.len().div_ceil(size) - 1),
            _ => assert_eq!(clean_cuts, 0, "{kind:?}"),
        }
    }
}

#[test]
fn one_flipped_bit_is_noticed_or_changes_nothing() {
    let text = text(12);
    // Not zstd: its frames need not carry a checksum, and the library's default has none.
    for kind in [Kind::Gzip, Kind::Bgzf(300), Kind::Xz, Kind::Bzip2] {
        let whole = wrap(kind, &text);
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let (found, error) = read(&damaged, &options());
            // In the magic bytes: another container, whose content is no FASTQ.
            let plain = Container::sniff(&damaged) == Container::Plain;
            assert!(error.is_some() || found == text || plain, "{kind:?}: bit {bit}");
        }
    }
}

#[test]
fn the_largest_blocks_there_can_be() {
    // BSIZE 65,535: one more would not fit the field, and adding one in 16 bits gives 0.
    let incompressible: Vec<u8> =
        (0..65_505u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let largest = bgzf_block_of(&incompressible, &stored(&incompressible), &[]);
    assert_eq!(largest.len(), 65_536);
    let (found, error) = read(&[largest, bgzf(b"", 1)].concat(), &options());
    assert!(error.is_none() && found == incompressible, "{error:?}");

    let full = vec![b'A'; 65_536];
    let (found, error) = read(&bgzf(&full, 65_536), &options());
    assert!(error.is_none() && found == full, "{error:?}");
}

#[test]
fn blocks_of_every_legal_kind_in_one_file() {
    let mut file = bgzf_block(b"@a\nAC\n", b"RA\x03\x00xyz");
    file.extend(bgzf_block(b"", &[]));
    file.extend(bgzf_block(b"", &[]));
    file.extend(bgzf_block(b"+\nII\n", &[]));
    file.extend(bgzf(b"@b\n", 3));
    file.extend(bgzf(b"G\n+\nI\n", 2));
    let options = options();
    let (found, error) = read(&file, &options);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(found, b"@a\nAC\n+\nII\n@b\nG\n+\nI\n");
    assert_eq!(warnings(&options), []);
}

#[test]
fn ordinary_gzip_after_bgzf_is_read_on() {
    let file = [bgzf(b"@a\nA\n+\nI\n", 4), gzip(b"@b\nC\n+\nI\n")].concat();
    let (found, error) = read(&file, &options());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(found, b"@a\nA\n+\nI\n@b\nC\n+\nI\n");
}

#[test]
fn what_follows_the_data_is_padding_or_an_error() {
    let zeros = [gzip(b"text"), vec![0; 1000]].concat();
    let (found, error) = read(&zeros, &options());
    assert!(error.is_none() && found == b"text", "{error:?}");
    let zeros = [bgzf(b"text", 2), vec![0; 1000]].concat();
    let (found, error) = read(&zeros, &options());
    assert!(error.is_none() && found == b"text", "{error:?}");
    let garbage = [gzip(b"text"), b"garbage".to_vec()].concat();
    let (found, error) = read(&garbage, &options());
    assert_eq!(found, b"text");
    assert!(matches!(error.unwrap().kind(), ErrorKind::TrailingBytes));
    for stray in 1..=17 {
        let file = [bgzf(b"text", 4), vec![b'x'; stray]].concat();
        let (found, error) = read(&file, &options());
        assert_eq!(found, b"text");
        assert!(matches!(error.unwrap().kind(), ErrorKind::TrailingBytes), "{stray}");
    }
}

#[test]
fn a_block_that_lies_about_its_length_is_an_error_not_an_allocation() {
    let mut block = bgzf_block(b"text", &[]);
    let at = block.len() - 4;
    block[at..].copy_from_slice(&u32::MAX.to_le_bytes());
    let (_, error) = read(&block, &options());
    assert!(matches!(error.unwrap().kind(), ErrorKind::BadBlock(_)));
    block[at..].copy_from_slice(&3u32.to_le_bytes());
    let (_, error) = read(&block, &options());
    let error = error.unwrap();
    assert!(matches!(error.kind(), ErrorKind::LengthMismatch { expected: 3, .. }), "{error}");
    assert_eq!(error.at().block, Some(0));
}

#[test]
fn bytes_between_the_data_and_the_footer_of_a_block_are_an_error_for_every_reader() {
    let text = text(40);
    let (start, end) = text.split_at(1000);
    let deflated = {
        let block = bgzf_block(start, &[]);
        block[18..block.len() - 8].to_vec()
    };
    for more in [&b"\0"[..], b"JUNK", &[3, 0], &deflated] {
        let odd = bgzf_block_of(start, &[&deflated[..], more].concat(), &[]);
        let good = bgzf_block(start, &[]);
        let file = [good.clone(), odd, bgzf(end, 500)].concat();
        for (threads, chunk_size) in [(1, 1), (1, 1 << 20), (4, 100)] {
            let (found, error) = read(&file, &Options { threads, chunk_size, ..options() });
            let error = error.unwrap();
            assert_eq!(found, start, "{error}");
            assert_eq!(error.at().block, Some(good.len() as u64), "{error}");
            let message = error.to_string();
            assert!(message.contains("between the end of the data and the footer"), "{message}");
        }
        let source = Source::from_reader("x", Cursor::new(file.clone()));
        assert!(biofast_io::gzi::build(source, &options()).is_err());
        // Spliced: the odd block whole, and a part of it.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, &file).unwrap();
        for (within, len) in [(0, start.len()), (10, 20)] {
            use biofast_io::bgzf::VirtualOffset;
            use biofast_io::splice::{Segment, splice};
            let at = good.len() as u64;
            let from = VirtualOffset::new(at, within);
            let to = VirtualOffset::new(at, within + len as u16 - 1);
            let segment = Segment { start: from, end: to };
            let spliced = splice(std::fs::File::open(&path).unwrap(), "x", vec![segment]).unwrap();
            assert!(read_source(spliced.source, &options()).1.is_some());
        }
    }
}

#[test]
fn an_empty_file_whose_name_promises_a_container_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for (name, faulty) in [
        ("x.fq", false),
        ("x", false),
        ("gz", false),
        ("x.fq.gz", true),
        ("x.FQ.GZ", true),
        ("x.bgz", true),
        ("x.bam", true),
        ("x.cram", true),
        ("x.zst", true),
        ("x.bz2", true),
        ("x.xz", true),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, b"").unwrap();
        for io in [IoMode::Read, IoMode::Mmap] {
            let source = Source::open(&path).unwrap();
            let (found, error) = read_source(source, &Options { io, ..options() });
            assert!(found.is_empty());
            let is_empty = error.as_ref().is_some_and(|e| matches!(e.kind(), ErrorKind::Empty(_)));
            assert_eq!((error.is_some(), is_empty), (faulty, faulty), "{name}: {error:?}");
        }
    }
    // Of a stream that nobody named.
    let source = || Source::from_reader("-", std::io::empty());
    assert!(read_source(source(), &options()).1.is_none());
    let error = read_source(source().not_empty(), &options()).1.unwrap();
    assert_eq!(error.to_string(), "no input: standard input is empty");
    let full = Source::from_reader("-", Cursor::new(b"x".to_vec())).not_empty();
    assert_eq!(read_source(full, &options()).0, b"x");
}

#[test]
fn mapped_and_read_files_give_the_same() {
    let text = text(2000);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    for kind in [Kind::Plain, Kind::Gzip, Kind::Bgzf(3000), Kind::Zstd] {
        file.as_file_mut().set_len(0).unwrap();
        std::fs::write(file.path(), wrap(kind, &text)).unwrap();
        for io in [IoMode::Mmap, IoMode::Read, IoMode::Auto] {
            let options = Options { io, ..options() };
            let (found, error) = read_source(Source::open(file.path()).unwrap(), &options);
            assert!(error.is_none() && found == text, "{kind:?} {io:?}: {error:?}");
            let mapped = options.notes.as_ref().unwrap().is_mapped();
            assert_eq!(mapped, io == IoMode::Mmap && cfg!(feature = "mmap"));
        }
    }
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_an_error() {
    let text = text(20_000);
    for (kind, io) in
        [(Kind::Plain, IoMode::Mmap), (Kind::Bgzf(5000), IoMode::Mmap), (Kind::Plain, IoMode::Read)]
    {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), wrap(kind, &text)).unwrap();
        let source = Source::open(file.path()).unwrap();
        let len = source.len().unwrap();
        let mut reader = Reader::new(source, &Options { io, ..options() }).unwrap();
        reader.read_exact(&mut [0; 100]).unwrap();
        file.as_file().set_len(len / 2 / 4096 * 4096).unwrap();
        let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
        let error: biofast_io::Error = error.downcast().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Shrunk), "{kind:?} {io:?}: {error}");
    }
}

#[test]
fn nothing_behind_a_bad_block_is_delivered() {
    let text = text(100);
    let mut file = bgzf(&text, 500);
    let at = file.len() / 2;
    file[at] ^= 0x10;
    let source = Source::from_reader("x", Cursor::new(file));
    let mut reader = Reader::new(source, &options()).unwrap();
    let mut out = Vec::new();
    assert!(reader.read_to_end(&mut out).is_err());
    assert!(text.starts_with(&out));
    assert_eq!(reader.read(&mut [0; 100]).unwrap(), 0, "a reader ends at its fault");
}

#[test]
fn a_fault_of_gzip_has_one_message_whatever_the_size_of_chunks() {
    // A distance that reaches back too far; found by fuzzing.
    let member =
        b"\x1f\x8b\x08\0\0\0\0\0\0\xffsH\xe4rt\xe6zr\x0f\xe1\xd2N\xe4\xf2\xf4\xe4r\xf0\xe4rH\
        \xe2\xf2\xe3\xd2\xe6R\xe4\xe2\x02\x007\x94S\xee\x1c\0\0\0";
    let message = |chunk_size| {
        let (found, error) = read(member, &Options { chunk_size, ..options() });
        (found, error.unwrap().to_string())
    };
    let expected = message(1 << 16);
    assert!(expected.1.contains("corrupt deflate data"), "{}", expected.1);
    for chunk_size in [1, 7, 8, 9, 50, 1000] {
        assert_eq!(message(chunk_size), expected, "chunks of {chunk_size}");
    }
}

#[test]
fn a_cut_gzip_member_gives_all_that_it_holds_whatever_the_size_of_chunks() {
    // Long matches, of which a decoder still holds a part when a chunk is full; found by fuzzing.
    let text = b"@a\nACGT\n+\nIIII\n".repeat(40);
    let member = gzip(&text);
    for cut in 18..member.len() {
        let found = |chunk_size| {
            let (found, error) = read(&member[..cut], &Options { chunk_size, ..options() });
            (found, error.unwrap().to_string())
        };
        let expected = found(1 << 16);
        assert!(text.starts_with(&expected.0), "cut at {cut}");
        for chunk_size in [1, 7, 50, 258] {
            assert_eq!(found(chunk_size), expected, "cut at {cut}, chunks of {chunk_size}");
        }
    }
}

/// Blocks that are small, so that good ones are followed by bad ones: 1,000 bytes each.
fn small_blocks(kind: Kind, text: &[u8]) -> Vec<u8> {
    match kind {
        Kind::Zstd => {
            let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_checksum(true).unwrap();
            for part in text.chunks(1_000) {
                encoder.write_all(part).unwrap();
                encoder.flush().unwrap();
            }
            encoder.finish().unwrap()
        }
        _ => text.chunks(1_000).flat_map(|part| wrap(kind, part)).collect(),
    }
}

#[test]
fn a_damaged_zstd_bzip2_or_xz_file_gives_all_that_came_before_whatever_the_size_of_chunks() {
    let text = text(120);
    for kind in [Kind::Zstd, Kind::Bzip2, Kind::Xz] {
        let file = small_blocks(kind, &text);
        let mut lengths = std::collections::BTreeSet::new();
        for (case, at) in (12..file.len()).step_by(file.len() / 60).enumerate() {
            let mut damaged = file.clone();
            match case % 3 {
                0 => damaged.truncate(at),
                1 => damaged[at] ^= 1 << (case % 8),
                _ => damaged[at..].fill(0xff),
            }
            let found = |chunk_size| {
                let (found, error) = read(&damaged, &Options { chunk_size, ..options() });
                (found, error.map(|e| e.to_string()))
            };
            let expected = found(1 << 16);
            let known = expected.0.iter().zip(&text).take_while(|(a, b)| a == b).count();
            lengths.insert(known / 1_000);
            // What was stored before the damage is there: blocks are of about the same size.
            let stored = at * text.len() / file.len();
            assert!(known + 3_000 > stored, "{kind:?}: {known} bytes, damaged behind {stored}");
            // Between two streams of bzip2 or xz, a cut can't be seen.
            let between =
                case % 3 == 0 && expected.0.len() % 1_000 == 0 && known == expected.0.len();
            let noticed = expected.1.is_some() || expected.0 == text || between;
            assert!(noticed, "{kind:?}: damaged at {at}");
            for chunk_size in [1, 7, 258, 999, 1_000] {
                let found = found(chunk_size);
                assert_eq!(
                    found.1, expected.1,
                    "{kind:?}: damaged at {at}, chunks of {chunk_size}"
                );
                assert!(found.0 == expected.0, "{kind:?}: damaged at {at}, chunks of {chunk_size}");
            }
        }
        assert!(lengths.len() > 8, "{kind:?}: faults in every part: {lengths:?}");
    }
}

/// Gives what it has in small pieces, then fails.
struct Failing(Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = out.len().min(100);
        match self.0.read(&mut out[..n])? {
            0 => Err(std::io::Error::other("a bad sector")),
            n => Ok(n),
        }
    }
}

#[test]
fn a_file_that_cant_be_read_to_its_end_gives_as_much_as_one_that_is_cut_there() {
    let text = b"@a\nACGT\n+\nIIII\n".repeat(90);
    for kind in [Kind::Gzip, Kind::Bgzf(200), Kind::Zstd, Kind::Bzip2, Kind::Xz] {
        let file = if kind == Kind::Zstd { small_blocks(kind, &text) } else { wrap(kind, &text) };
        // With fewer bytes the container isn't known.
        for at in (20..file.len()).step_by(1 + file.len() / 40) {
            for chunk_size in [1, 50, 1 << 16] {
                let options = Options { chunk_size, ..options() };
                let (cut, _) = read(&file[..at], &options);
                let failing = Failing(Cursor::new(file[..at].to_vec()));
                let (found, error) = read_source(Source::from_reader("x", failing), &options);
                assert!(found == cut, "{kind:?}: {} of {} bytes", found.len(), cut.len());
                let error = error.unwrap().to_string();
                assert!(error.contains("a bad sector"), "{kind:?} at {at}: {error}");
            }
        }
    }
}

//! SAM text becomes the BAM records it says, and what it doesn't say right is an error with
//! record and line.

use std::io::{Cursor, Read};

use biofast_bam::{Detail, Error, ErrorKind, Fold, Format, Input, InputOptions};
use biofast_io::{Options, Reader, Source};
use biofast_testkit::container::{bgzf, gzip};

const HEADER: &str = "@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:1000\tAN:one,1\n@SQ\tSN:chr2\tLN:500\n";

fn open(bytes: impl Into<Vec<u8>>, threads: usize) -> Result<Source, Error> {
    let options = Options { threads, strict: true, ..Options::default() };
    let options = InputOptions { io: &options, reference: None, detail: Detail::Full };
    let input = Input::open(Source::from_reader("x", Cursor::new(bytes.into())), &options)?;
    assert_eq!(input.format, Format::Sam);
    Ok(input.source)
}

/// All BAM bytes.
fn bam(bytes: impl Into<Vec<u8>>, threads: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let source = open(bytes, threads).unwrap();
    Reader::new(source, &Options::default()).unwrap().read_to_end(&mut out).unwrap();
    out
}

/// The bytes of the records.
fn records(lines: &str) -> Vec<u8> {
    let header = bam(HEADER, 1);
    let all = bam(format!("{HEADER}{lines}"), 1);
    all.strip_prefix(&header[..]).expect("the same header").to_vec()
}

/// How many records come before the fault, and the fault.
fn fault(text: impl Into<Vec<u8>>, threads: usize) -> (u64, Error) {
    let options = Options { threads, ..Options::default() };
    let source = match open(text, threads) {
        Ok(source) => source,
        Err(error) => return (0, error),
    };
    let count = |n: &mut u64, batch: biofast_bam::Batch<'_>| *n += batch.len() as u64;
    let fault =
        Fold::new(source).options(&options).run(|| 0, count, |n, more| *n += more).unwrap_err();
    (fault.so_far, fault.error)
}

#[test]
fn every_field_is_where_the_specification_wants_it() {
    let line = "r1\t99\tchr2\t7\t60\t2S3M1D1=\tchr1\t301\t-5\tACGTnR\t!I~\"#$\tXA:A:z\n";
    let mut expected = Vec::new();
    expected.extend(1i32.to_le_bytes());
    expected.extend(6i32.to_le_bytes());
    expected.extend([3, 60]);
    expected.extend(4681u16.to_le_bytes());
    expected.extend(4u16.to_le_bytes());
    expected.extend(99u16.to_le_bytes());
    expected.extend(6u32.to_le_bytes());
    expected.extend(0i32.to_le_bytes());
    expected.extend(300i32.to_le_bytes());
    expected.extend((-5i32).to_le_bytes());
    expected.extend(b"r1\0");
    for (len, op) in [(2u32, 4), (3, 0), (1, 2), (1, 7)] {
        expected.extend((len << 4 | op).to_le_bytes());
    }
    expected.extend([0x12, 0x48, 0xf5]);
    expected.extend([0, 40, 93, 1, 2, 3]);
    expected.extend(b"XAAz");
    let mut record = (expected.len() as u32).to_le_bytes().to_vec();
    record.extend(expected);
    assert_eq!(records(line), record);
    // The other ways to end a line, and the last one without an end.
    assert_eq!(records(&line.replace('\n', "\r\n")), record);
    assert_eq!(records(line.trim_end()), record);
}

#[test]
fn tags_take_the_smallest_type() {
    let tags = |text: &str| {
        let record = records(&format!("r\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\t{text}\n"));
        record[4 + 32 + 2..].to_vec()
    };
    for (value, expected) in [
        ("0", &b"C\0"[..]),
        ("255", b"C\xff"),
        ("256", b"S\0\x01"),
        ("+65535", b"S\xff\xff"),
        ("65536", b"I\0\0\x01\0"),
        ("4294967295", b"I\xff\xff\xff\xff"),
        ("-1", b"c\xff"),
        ("-128", b"c\x80"),
        ("-129", b"s\x7f\xff"),
        ("-32768", b"s\0\x80"),
        ("-32769", b"i\xff\x7f\xff\xff"),
        ("-2147483648", b"i\0\0\0\x80"),
    ] {
        assert_eq!(tags(&format!("XX:i:{value}")), [b"XX", expected].concat(), "{value}");
    }
    assert_eq!(tags("XX:f:-1.5"), [&b"XXf"[..], &(-1.5f32).to_le_bytes()].concat());
    assert_eq!(tags("XX:Z:a b\tYY:Z:"), b"XXZa b\0YYZ\0");
    assert_eq!(tags("XX:H:1AE3"), b"XXH1AE3\0");
    assert_eq!(tags("XX:B:c,-1,127"), b"XXBc\x02\0\0\0\xff\x7f");
    assert_eq!(tags("XX:B:S,65535"), b"XXBS\x01\0\0\0\xff\xff");
    assert_eq!(tags("XX:B:I"), b"XXBI\0\0\0\0");
    assert_eq!(tags("XX:B:f,1,-2").len(), 16);
}

#[test]
fn what_is_not_mapped_is_stored_as_samtools_does() {
    let fields = |line: &str| {
        let record = records(&format!("{line}\n"));
        let word = |at: usize| i32::from_le_bytes(record[at..at + 4].try_into().unwrap());
        (word(4), word(8), u16::from_le_bytes([record[18], record[19]]), word(24), word(28))
    };
    assert_eq!(fields("r\t0\tchr1\t5\t0\t1M\t=\t9\t0\tA\t*"), (0, 4, 0, 0, 8));
    assert_eq!(fields("r\t0\tone\t5\t0\t1M\t1\t9\t0\tA\t*"), (0, 4, 0, 0, 8));
    assert_eq!(fields("r\t0\tchr1\t0\t0\t1M\t=\t9\t0\tA\t*"), (-1, -1, 4, -1, 8));
    assert_eq!(fields("r\t1\t*\t0\t0\t*\tchr2\t0\t0\tA\t*"), (-1, -1, 5, -1, -1));
    assert_eq!(fields("r\t0\tchr1\t5\t0\t*\t*\t0\t0\tA\t*"), (0, 4, 4, -1, -1));
}

#[test]
fn a_long_cigar_goes_to_its_tag() {
    let cigar = "1M1I".repeat(40_000);
    let bases = "AC".repeat(40_000);
    let record = records(&format!("r\t0\tchr1\t5\t0\t{cigar}\t*\t0\t0\t{bases}\t*\tXX:A:x\n"));
    let placeholder = [(80_000u32 << 4 | 4), (40_000 << 4 | 3)].map(u32::to_le_bytes).concat();
    assert_eq!((record[16], record[17]), (2, 0));
    assert_eq!(record[38..46], placeholder);
    let tag = [&b"XXAxCGBI"[..], &80_000u32.to_le_bytes()].concat();
    let at = 46 + 40_000 + 80_000;
    assert_eq!(record[at..at + tag.len()], tag);
    assert_eq!(record.len(), at + tag.len() + 4 * 80_000);
}

#[test]
fn unmapped_reads_need_no_header() {
    let line = "r\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n";
    assert_eq!(bam(line, 1).len(), 12 + 4 + 32 + 2 + 1 + 2);
    let (_, error) = fault(line.replacen('*', "chr1", 1), 1);
    assert!(error.to_string().contains("@SQ lines"), "{error}");
}

#[test]
fn the_same_from_any_container_on_any_threads() {
    let mut text = HEADER.to_owned();
    for n in 0..8000 {
        let len = n * 31 % 90;
        let (bases, quals) = if len == 0 {
            ("*".into(), "*".into())
        } else {
            ("GATTACA".repeat(20)[..len].to_owned(), "I".repeat(len))
        };
        text += &format!("r{n}\t4\t*\t0\t0\t*\t*\t0\t0\t{bases}\t{quals}\tXN:i:{n}\n");
    }
    let expected = bam(text.clone(), 1);
    for threads in [1, 2, 3, 7] {
        for bytes in [text.clone().into(), gzip(text.as_bytes()), bgzf(text.as_bytes(), 30_000)] {
            assert!(bam(bytes, threads) == expected);
        }
        // A bad line in the middle: the records before it come out, none behind it does.
        let at = text.find("r5432\t").unwrap();
        let bad = format!("{}oops\n{}", &text[..at], &text[at..]);
        let (n, error) = fault(bad, threads);
        assert_eq!((n, error.at().record, error.at().line), (5432, Some(5433), Some(5436)));
        // The data end inside a container: what was whole before is still there.
        let cut = gzip(text.as_bytes());
        let (n, error) = fault(&cut[..cut.len() / 2], threads);
        assert!(n > 100 && n < 8000, "{n}");
        assert!(error.to_string().contains("truncated"), "{error}");
        assert_eq!(error.at().line, Some(n + 4));
    }
}

#[test]
fn what_is_wrong_is_said() {
    let good = ["r", "0", "chr1", "5", "9", "4M", "=", "7", "0", "ACGT", "IIII", "NM:i:1"];
    let cases = [
        (0, "", "a read name (QNAME)"),
        (0, "a\x01", "a read name (QNAME)"),
        (1, "65536", "flags (FLAG)"),
        (1, "-1", "flags (FLAG)"),
        (1, "", "flags (FLAG)"),
        (1, "07", "flags (FLAG) without leading zeros"),
        (2, "", "a reference name (RNAME) of the header, or '*', found ''"),
        (3, "2147483648", "a position (POS)"),
        (3, "x", "a position (POS)"),
        (4, "256", "a mapping quality (MAPQ)"),
        (5, "4", "a CIGAR of lengths"),
        (5, "M", "a CIGAR of lengths"),
        (5, "4Q", "a CIGAR of lengths"),
        (5, "268435456M", "a CIGAR of lengths"),
        (5, "5M", "a CIGAR and a sequence"),
        (6, "", "a mate's reference name (RNEXT)"),
        (7, "-3", "a mate's position (PNEXT)"),
        (8, "9999999999", "a template length (TLEN)"),
        (9, "AC1T", "a sequence (SEQ) of letters, '=' and '.', found '1T'"),
        (9, "ACG", "a CIGAR and a sequence"),
        (10, "III", "as many qualities (QUAL) as bases (SEQ)"),
        (10, "II I", "qualities (QUAL) from '!' to '~'"),
        (11, "NM", "a tag in the form TAG:TYPE:VALUE"),
        (11, "NM:i:", "an integer from"),
        (11, "NM:i:4294967296", "an integer from"),
        (11, "NM:q:1", "type A, i, f, Z, H or B"),
        (11, "NM:A:ab", "one printable character"),
        (11, "NM:f:1.x", "a number"),
        (11, "NM:H:123", "hexadecimal"),
        (11, "NM:B:c,128", "integers of the stated type"),
        (11, "NM:B:c,", "integers of the stated type"),
        (11, "NM:B:x,1", "an array (B) of type"),
    ];
    for (field, value, expected) in cases {
        let mut line = good;
        line[field] = value;
        let lines = [good.join("\t"), line.join("\t"), good.join("\t")].join("\n");
        let (n, error) = fault(format!("{HEADER}{lines}\n"), 2);
        let message = error.to_string();
        assert!(message.contains(expected), "{value}: {message}");
        assert!(message.starts_with("x: record 2, line 5: invalid SAM: expected "), "{message}");
        assert!(matches!(error.kind(), ErrorKind::BadLine { .. }));
        assert_eq!(n, 1);
    }
    // A line that ends early, in every field.
    for n in 1..11 {
        let (_, error) = fault(format!("{HEADER}{}", good[..n].join("\t")), 1);
        assert!(error.to_string().contains("found the end of the line"), "{error}");
    }
    for (header, expected) in [
        ("@SQ\tSN:a\tLN:0x5\n", "line 1: invalid header: a reference length"),
        ("@HD\tVN:1\n@SQ\tSN:a\n", "line 2: invalid header: an @SQ line without a length"),
        ("@SQ\tSN:a\tLN:5\n@SQ\tSN:a\tLN:5\n", "line 2: invalid header: two @SQ lines"),
        ("@SQ\tSN:a\tLN:9223372036854775808\n", "below 2^63"),
        ("@SQ\tSN:a\tLN:5\tLN:6\n", "line 1: invalid header: an @SQ line with two lengths"),
        ("@HD\tVN:1.6\n@CO\ta\0b\n", "line 2: invalid header: a NUL byte"),
    ] {
        let (_, error) = fault(header, 1);
        assert!(error.to_string().contains(expected), "{error}");
    }
}

//! `biofast check`: each rule for alignments finds what it is for, and names the record.

use biofast_io::{Options as Io, Source};
use biofast_ops::check::{Options, Outcome, check};
use biofast_testkit::bam::{Aligned, aligned, header_of};

const REFERENCES: [(&str, u32); 2] = [("chr1", 1000), ("chr2", 50)];

fn text(first: &str) -> String {
    format!("{first}@SQ\tSN:chr1\tLN:1000\n@SQ\tSN:chr2\tLN:50\n@RG\tID:a\n")
}

/// Checks uncompressed BAM in many ways, which must agree.
fn outcome(data: &[u8]) -> Outcome {
    let run = |threads, chunk_size| {
        let io = Io { threads, chunk_size, ..Io::default() };
        let source = Source::from_reader("x", std::io::Cursor::new(data.to_vec()));
        check(source, &Options::new(&io)).unwrap()
    };
    let expected = run(1, 1 << 20);
    for (threads, chunk) in [(1, 1), (2, 100), (3, 333), (8, 4096)] {
        assert_eq!(run(threads, chunk), expected, "{threads} threads, chunks of {chunk}");
    }
    expected
}

fn bam(first_line: &str, records: &[Vec<u8>]) -> Vec<u8> {
    [header_of(&text(first_line), &REFERENCES), records.concat()].concat()
}

/// A record of 4 bases, aligned at position 10 of chr1 with the fields that `change` sets.
fn one(change: impl FnOnce(&mut Aligned)) -> Vec<u8> {
    let mut fields = Aligned {
        reference: 0,
        position: 9,
        flags: 0,
        cigar: vec![4 << 4],
        len: 4,
        tags: b"NMC\x01RGZa\0".to_vec(),
    };
    change(&mut fields);
    aligned(&fields)
}

fn good() -> Vec<u8> {
    one(|_| {})
}

fn set(mut record: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    record[at..at + bytes.len()].copy_from_slice(bytes);
    record
}

#[test]
fn a_fault_is_named_with_its_rule_and_record() {
    let tags = |bytes: &[u8]| one(|r| r.tags = bytes.to_vec());
    let cases: Vec<(Vec<u8>, &str, &str)> = vec![
        (one(|r| r.cigar = vec![3 << 4]), "cigar", "covers 3 bases, but the sequence has 4"),
        (one(|r| r.cigar = vec![4 << 4, 5 << 4 | 10]), "cigar", "codes 0 to 8, found 10"),
        (one(|r| r.position = -2), "position", "expected a position (POS)"),
        (set(good(), 36, b"\n"), "name", "found byte 0x0a"),
        (set(good(), 36, &[0x7f]), "name", "found byte 0x7f"),
        (set(good(), 44, &[94]), "qualities", "found 94 at base 1"),
        (set(good(), 47, &[255]), "qualities", "found 255 at base 4"),
        (tags(b"NM"), "tags", "the first one"),
        (tags(b"NMC\x01MDZ4"), "tags", "the one after NM"),
        (tags(b"XBBi\x09\0\0\0\0"), "tags", "truncated"),
        (tags(b"XBBq\0\0\0\0"), "tags", "unknown type"),
        (tags(b"XQQ\0"), "tags", "unknown type"),
        (tags(b"XZZa\tb\0"), "tags", "'XZ': a tab or line break"),
        (tags(b"XHHabc\0"), "tags", "'XH': expected an even number"),
        (tags(b"XHHax\0"), "tags", "'XH': expected an even number"),
        (tags(b"XAA\x07"), "tags", "'XA': expected a printable character"),
        (one(|r| r.cigar = vec![4 << 4, 1 << 4 | 9]), "cigar", "codes 0 to 8, found 9"),
        (
            one(|r| r.cigar = vec![1 << 4, 2 << 4 | 4, 1 << 4]),
            "cigar",
            "clipping (S, H) only at the ends",
        ),
        (
            one(|r| r.cigar = vec![2 << 4, 3 << 4 | 5, 2 << 4]),
            "cigar",
            "clipping (S, H) only at the ends",
        ),
        (
            one(|r| r.cigar = vec![4 << 4 | 4, 2 << 4 | 5, 0]),
            "cigar",
            "clipping (S, H) only at the ends",
        ),
        (set(good(), 36, b"@"), "name", "without '@', found '@'"),
        (set(good(), 36, b" "), "name", "from '!' to '~'"),
        (set(good(), 36, &[0]), "name", "or '*', found none"),
        (set(good(), 44, &[255]), "qualities", "found 255 at base 1"),
        (set(set(good(), 24, &[0; 4]), 28, &(-5i32).to_le_bytes()), "mate", "(PNEXT) of 0 or more"),
        (tags(b"\x01AC\x01"), "tags", "a letter and a letter or digit"),
        (tags(b"1ZZa\0"), "tags", "a letter and a letter or digit"),
        (tags(b"A_Za\0"), "tags", "a letter and a letter or digit"),
        (tags(b"NMC\x01XXC\x01NMC\x01"), "tags", "'NM': it occurs twice"),
        (tags(b"XZZa\xffb\0"), "tags", "'XZ': expected printable characters"),
        (tags(b"XZZa\x7fb\0"), "tags", "'XZ': expected printable characters"),
        (tags(b"Xdd\0\0\0\0\0\0\0\0"), "tags", "type 'd'"),
        (tags(b"XHHab\0"), "tags", "'XH': expected an even number"),
        (set(good(), 4, &[2]), "record", "a reference index of the header"),
        (set(good(), 24, &[2]), "record", "a reference index of the header"),
    ];
    for (bad, rule, message) in cases {
        let data = bam("@HD\tVN:1.6\n", &[good(), good(), bad, good()]);
        let outcome = outcome(&data);
        let fault = outcome.fault.unwrap_or_else(|| panic!("{rule}: {message}"));
        assert_eq!((fault.rule.name(), fault.at.record), (rule, Some(3)), "{fault}");
        assert!(fault.message.contains(message), "{fault}");
        assert_eq!(outcome.records, Some(2));
        let start = header_of(&text("@HD\tVN:1.6\n"), &REFERENCES).len() + 2 * good().len();
        assert_eq!(fault.at.offset, Some(start as u64), "{fault}");
    }
}

#[test]
fn what_is_odd_is_a_warning_with_its_first_record_and_number() {
    let tags = |bytes: &[u8]| one(|r| r.tags = bytes.to_vec());
    let padded = biofast_testkit::bam::BamRecord {
        references: [-1, -1],
        mapq: 0,
        flags: 4,
        name: "ab\0".to_owned(),
        len: 3,
    };
    let padded = biofast_testkit::bam::record(&padded);
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (padded, "padded with NULs"),
        (one(|r| r.flags = 0x1000), "above 0x800"),
        (one(|r| r.flags = 0x40), "without 0x1"),
        (one(|r| r.reference = -1), "has no position"),
        (one(|r| r.position = -1), "has no position"),
        (one(|r| (r.flags, r.cigar) = (4, vec![3 << 4])), "of an unmapped read"),
        (
            one(|r| (r.flags, r.cigar) = (4, vec![2 << 4, 1 << 4 | 5, 2 << 4])),
            "of an unmapped read",
        ),
        (one(|r| r.position = 997), "ends past"),
        (one(|r| r.position = 1000), "position is past"),
        (set(good(), 28, &(-5i32).to_le_bytes()), "(PNEXT) is negative"),
        (set(set(good(), 24, &[1, 0, 0, 0]), 28, &[50, 0, 0, 0]), "mate's position is past"),
        (tags(b"MMZA+a,9;\0"), "base modifications"),
        (tags(b"MMZA+a,0;\0MLBC\x02\0\0\0\x01\x01"), "base modifications"),
        (tags(b"MNC\x03MMZ\0"), "base modifications"),
        (tags(b"NMZ1\0"), "has a type other than"),
        (tags(b"RGZb\0"), "read group (RG) isn't in the header"),
    ];
    for (odd, message) in cases {
        let data = bam("@HD\tVN:1.6\n", &[good(), odd.clone(), good(), odd]);
        let outcome = outcome(&data);
        assert_eq!((&outcome.fault, outcome.records), (&None, Some(4)), "{message}");
        let [warning] = &outcome.warnings[..] else { panic!("{message}: {:?}", outcome.warnings) };
        assert!(warning.message.contains(message), "{message}: {warning}");
        assert_eq!((warning.at.record, warning.count), (Some(2), Some(2)), "{warning}");
    }
}

#[test]
fn what_the_specification_allows_is_no_warning() {
    let all_missing = set(good(), 44, &[255; 4]);
    let hard = one(|r| r.cigar = vec![9 << 4 | 5, 1 << 4 | 4, 2 << 4, 1 << 4 | 4, 9 << 4 | 5]);
    let unplaced = one(|r| (r.reference, r.position, r.flags, r.cigar) = (-1, -1, 4, vec![]));
    let no_bases = one(|r| (r.len, r.cigar) = (0, vec![7 << 4]));
    let to_the_end = one(|r| r.position = 996);
    let all = [good(), all_missing, hard, no_bases, to_the_end, unplaced];
    let outcome = outcome(&bam("@HD\tVN:1.6\tSO:coordinate\n", &all[..1]));
    assert_eq!((outcome.fault, outcome.warnings), (None, vec![]));
    let outcome = self::outcome(&bam("@HD\tVN:1.6\n", &all));
    assert_eq!((outcome.fault, outcome.warnings), (None, vec![]));
    // On a circular sequence an alignment goes on at the start.
    let around = one(|r| r.position = 998);
    let circular = "@SQ\tSN:chr1\tLN:1000\tTP:circular\n";
    let data = [header_of(circular, &REFERENCES[..1]), around].concat();
    assert!(self::outcome(&data).warnings.iter().all(|w| !w.message.contains("beyond")));
}

#[test]
fn records_that_are_not_in_the_order_of_coordinates() {
    let at = |reference, position| one(|r| (r.reference, r.position) = (reference, position));
    let unplaced = || one(|r| (r.reference, r.position, r.flags) = (-1, -1, 4));
    let sorted = [at(0, -1), at(0, 5), at(0, 5), at(0, 90), at(1, 2), unplaced(), unplaced()];
    let claim = "@HD\tVN:1.6\tSO:coordinate\n";
    assert_eq!(outcome(&bam(claim, &sorted)).fault, None);
    for (i, j, record, message) in [
        (1, 3, 3, "chr1:6 comes after chr1:91"),
        (3, 4, 5, "chr1:91 comes after chr2:3"),
        (4, 5, 6, "chr2:3 comes after an unplaced record"),
        (0, 1, 2, "chr1:0 comes after chr1:6"),
    ] {
        let mut records = sorted.to_vec();
        records.swap(i, j);
        let found = outcome(&bam(claim, &records));
        let fault = found.fault.unwrap();
        assert_eq!((fault.rule.name(), fault.at.record), ("order", Some(record)), "{fault}");
        assert!(fault.message.ends_with(message), "{fault}");
        assert_eq!(found.records, Some(record - 1));
        // Without the claim there is nothing to be wrong.
        assert_eq!(outcome(&bam("@HD\tVN:1.6\tSO:unsorted\n", &records)).fault, None);
    }
    // A fault of a record that comes later is not the first one, an earlier one is.
    let bad = one(|r| r.cigar = vec![3 << 4]);
    let rule = |records: &[Vec<u8>]| {
        outcome(&bam(claim, records)).fault.map(|f| (f.rule.name(), f.at.record.unwrap()))
    };
    assert_eq!(rule(&[at(0, 5), at(0, 4), bad.clone()]), Some(("order", 2)));
    assert_eq!(rule(&[at(0, 5), bad, at(0, 4)]), Some(("cigar", 2)));
}

#[test]
fn records_that_are_not_in_the_order_of_names() {
    let named = |names: &[&str]| -> Vec<Vec<u8>> {
        let record = |name: &&str| {
            let fields = biofast_testkit::bam::BamRecord {
                references: [-1, -1],
                mapq: 0,
                flags: 4,
                name: (*name).to_owned(),
                len: 3,
            };
            biofast_testkit::bam::record(&fields)
        };
        names.iter().map(record).collect()
    };
    let found = |claim: &str, names: &[&str]| {
        let line = format!("@HD\tVN:1.6\tSO:queryname{claim}\n");
        outcome(&bam(&line, &named(names))).fault.map(|fault| {
            assert_eq!(fault.rule.name(), "order", "{fault}");
            fault.at.record.unwrap()
        })
    };
    let natural = ["r1", "r1", "r2", "r10", "s"];
    let bytes = ["r1", "r1", "r10", "r2", "s"];
    let neither = ["r1", "r10", "r2", "r3", "r10", "r9"];
    assert_eq!((found("", &natural), found("", &bytes)), (None, None));
    // Naturally it breaks at the third, by bytes at the fifth: then it is neither, which may be an order all the same.
    assert_eq!(found("", &neither), None);
    let line = "@HD\tVN:1.6\tSO:queryname\n";
    let odd = outcome(&bam(line, &named(&neither))).warnings;
    let [warning] = &odd[..] else { panic!("{odd:?}") };
    assert_eq!((warning.rule.name(), warning.at.record), ("order", Some(5)), "{warning}");
    assert!(warning.message.contains("neither naturally nor byte by byte"), "{warning}");
    assert_eq!(found("\tSS:queryname:natural", &natural), None);
    assert_eq!(found("\tSS:queryname:natural", &bytes), Some(4));
    assert_eq!(found("\tSS:queryname:lexicographical", &natural), Some(4));
    assert_eq!(found("\tSS:queryname:lexicographical", &bytes), None);
}

#[test]
fn headers_that_contradict_themselves() {
    type List = [(&'static str, u32)];
    let cases: [(&str, &List, &str); 8] = [
        ("@SQ\tSN:a\tLN:5\n", &[("b", 5)], "but 'b' with 5 in the list"),
        ("@SQ\tSN:a\tLN:5\n", &[("a", 6)], "'a' with 5 bases, but 'a' with 6"),
        ("@SQ\tSN:a\tLN:5\n", &[("a", 5), ("b", 5)], "1 @SQ lines, but 2"),
        ("@SQ\tSN:a\tLN:5\n@SQ\tSN:a\tLN:5\n", &[("a", 5)], "two sequences are named 'a'"),
        ("", &[("a", 5), ("a", 5)], "two reference sequences are named 'a'"),
        ("@SQ\tSN:a\n", &[("a", 5)], "line 1: expected a length (LN)"),
        ("@HD\tVN:1.6\nnonsense\n", &[("a", 5)], "line 2: expected '@'"),
        ("@HD\tVN:1.6\n@SQ\tSN\n", &[("a", 5)], "line 2: expected fields"),
    ];
    for (text, list, message) in cases {
        for records in [vec![], vec![good()]] {
            let data = [header_of(text, list), records.concat()].concat();
            let fault = outcome(&data).fault.unwrap_or_else(|| panic!("{message}"));
            assert_eq!(fault.rule.name(), "header");
            assert!(fault.message.contains(message), "{fault}");
        }
    }
    let empty = outcome(&header_of("@HD\tVN:1.6\n\n\n", &[("a", 5)]));
    assert_eq!((empty.fault, empty.warnings.len()), (None, 1), "{:?}", empty.warnings);
}

/// SAM specification, section 1.3: what the lines and their fields may be.
#[test]
fn header_lines_by_the_specification() {
    let found = |lines: &str| {
        let io = Io { threads: 1, ..Io::default() };
        let source = Source::from_reader("x", std::io::Cursor::new(lines.to_owned().into_bytes()));
        check(source, &Options::new(&io)).unwrap().fault
    };
    for good in [
        "@HD\tSO:unsorted\tVN:1.6",
        "@HD\tVN:1.6\tGO:query",
        "@HD\tVN:1.10\tSS:queryname:coordinate",
        "@SQ\tSN:a\tLN:1\tAN:b,c\tAH:chr1:1-2\tTP:circular\txy:anything",
        "@SQ\tSN:a\tLN:0002147483647\tDS:Tee ☕\tAS:my assembly\tSP:C. elegans\tUR:/ref.fa",
        "@SQ\tSN:a\tLN:1\tM5:7fc56270e7a70fa81a5935b72eacbe29",
        "@RG\tID:a b\tPL:illumina\tPI:300\tDT:2020-06-23T12:13:47+01:00\tFO:*\tBC:ACGT-ACGT",
        "@PG\tID:b\tPP:a\tCL:echo 'Fisch 🐟'\n@PG\tID:a",
        "@CO\twhatever: \t☕",
        "@CO",
    ] {
        assert_eq!(found(&format!("{good}\n")), None, "{good}");
    }
    for (bad, message) in [
        ("@HD\tSO:unsorted", "line 1: expected a version (VN) in @HD"),
        ("@HD\tVN:1", "version (VN) of the form"),
        ("@HD\tVN:1.6\tSO:query", "an order (SO)"),
        ("@HD\tVN:1.6\tGO:coordinate", "a grouping (GO)"),
        ("@HD\tVN:1.6\tSS:unknown:MI", "a sub-order (SS)"),
        ("@HD\tVN:1.6\n@HD\tVN:1.6", "line 2: expected @HD only in the first line"),
        ("@CO\tx\n@HD\tVN:1.6", "line 2: expected @HD only in the first line"),
        ("@SQ\tLN:5", "a name (SN) in @SQ"),
        ("@SQ\tSN:a(b)\tLN:5", "a reference name (SN)"),
        ("@SQ\tSN:a\tLN:0", "a length (LN) from 1"),
        ("@SQ\tSN:a\tLN:2147483648", "more than 2,147,483,647 bases"),
        ("@SQ\tSN:a\tLN:5\tAN:=", "reference names (AN)"),
        ("@SQ\tSN:a\tLN:5\tAN:b\n@SQ\tSN:b\tLN:5", "two sequences are named 'b' (SN, AN)"),
        ("@SQ\tSN:a\tLN:5\tAN:b,b", "two sequences are named 'b' (SN, AN)"),
        ("@SQ\tSN:a\tLN:5\tAN:a", "two sequences are named 'a' (SN, AN)"),
        ("@SQ\tSN:a\tLN:5\tAH:=", "a locus (AH)"),
        ("@SQ\tSN:a\tLN:5\tM5:7FC56270E7A70FA81A5935B72EACBE29", "an MD5 sum (M5)"),
        ("@SQ\tSN:a\tLN:5\tTP:round", "a topology (TP)"),
        ("@SQ\tSN:a\tLN:5\tDS:x\tDS:y", "each field once in a line"),
        ("@SQ\tSN:a\tLN:5\tSP:caf\u{e9}", "printable ASCII"),
        ("@RG\tDS:no ID", "a name (ID) in @RG"),
        ("@RG\tID:a\n@RG\tID:a", "line 2: a second @RG"),
        ("@RG\tID:a\tDT:2020-23-06", "in ISO 8601"),
        ("@RG\tID:a\tPI:small", "an insert size (PI)"),
        ("@RG\tID:a\tPL:454", "a platform (PL)"),
        ("@RG\tID:a\tFO:ACGU", "a flow order (FO)"),
        ("@RG\tID:a\tPU:", "a value in every field"),
        ("@RG\tID:a\t", "two characters, ':' and a value"),
        ("@RG\tID:a\t1X:y", "a letter and a letter or digit"),
        ("@PG\tVN:1", "a name (ID) in @PG"),
        ("@PG\tID:a\n@PG\tID:a", "line 2: a second @PG"),
        ("@PG\tID:a\tPP:b", "line 1: @PG refers to a program (PP) that is not in the header: 'b'"),
        ("@XX\tID:a", "@HD, @SQ, @RG, @PG or @CO"),
    ] {
        let fault = found(&format!("{bad}\n")).unwrap_or_else(|| panic!("{bad}"));
        assert_eq!(fault.rule.name(), "header", "{fault}");
        assert!(fault.message.contains(message), "{bad}: {fault}");
    }
}

/// A NUL in the text of a header hides what is behind it from most programs.
#[test]
fn a_nul_inside_a_header_is_a_fault_and_padding_is_none() {
    let lines = "@HD\tVN:1.6\n@CO\ta";
    let list: [(&str, u32); 0] = [];
    for (end, good) in [("\n", true), ("\n\0\0\0", true), ("\0b\n@RG\tID:x\n", false)] {
        let fault = outcome(&header_of(&format!("{lines}{end}"), &list)).fault;
        assert_eq!(fault.is_none(), good, "{end:?}: {fault:?}");
        assert!(fault.is_none_or(|f| f.rule.name() == "header" && f.message.contains("NUL")));
    }
}

/// SAM text that is read all the same by other commands, with a warning.
#[test]
fn lines_by_the_letter_of_the_specification() {
    let found = |line: &str| {
        let text = format!("@SQ\tSN:c\tLN:100\n{line}\n");
        let io = Io { threads: 1, ..Io::default() };
        let source = Source::from_reader("x", std::io::Cursor::new(text.into_bytes()));
        check(source, &Options::new(&io)).unwrap().fault.map(|fault| fault.message)
    };
    let line = |tags: &str| format!("r\t0\tc\t5\t9\t4M\t*\t0\t0\tACGT\tIIII{tags}");
    for good in [
        "\tXI:i:0000000000000000000000000999\tXJ:i:+0",
        "\tXF:f:-009e+0\tXG:f:.1\tXH:f:3.402823466E+38\tXK:f:1.175494351E-38",
        "\tXB:B:f,1,-.5,1e3\tXC:B:c\tXH:H:\tXZ:Z:\tXA:A:~",
        "\tXZ:Z:a b NM:i:1",
    ] {
        assert_eq!(found(&line(good)), None, "{good}");
    }
    for (bad, message) in [
        ("\t", "no tab at the end"),
        ("\tNM:i:1\t\t", "no tab at the end"),
        ("\tNM:i:1 XX:i:2", "a tab between tags"),
        ("\tNM:I:1", "type A, i, f, Z, H or B"),
        ("\tXF:f:10.", "a decimal number in a tag"),
        ("\tXF:f:nan", "a decimal number in a tag"),
        ("\tXF:f:-inf", "a decimal number in a tag"),
        ("\tXF:f:1E-46", "a single-precision number"),
        ("\tXB:B:f,1,3.5e38", "a single-precision number"),
    ] {
        let fault = found(&line(bad)).unwrap_or_else(|| panic!("{bad}"));
        assert!(fault.contains(message), "{bad}: {fault}");
    }
    // Zeros before numbers are allowed, and a warning.
    for good in [
        "r\t0\tc\t05\t9\t4M\t*\t0\t0\tACGT\tIIII",
        "r\t0\tc\t5\t09\t4M\t*\t0\t0\tACGT\tIIII",
        "r\t0\tc\t5\t9\t4M\t*\t0\t-05\tACGT\tIIII",
    ] {
        assert_eq!(found(good), None, "{good}");
    }
    for (bad, message) in [
        ("r\t010\tc\t5\t9\t4M\t*\t0\t0\tACGT\tIIII", "as octal"),
        ("r\t0\td\t5\t9\t4M\t*\t0\t0\tACGT\tIIII", "(RNAME) of the header"),
        ("r\t0\tc\t5\t9\t4M\td\t0\t0\tACGT\tIIII", "(RNEXT) of the header"),
    ] {
        let fault = found(bad).unwrap_or_else(|| panic!("{bad}"));
        assert!(fault.contains(message), "{bad}: {fault}");
    }
}

#[test]
fn what_is_odd_behind_a_fault_is_told_by_no_number_of_threads() {
    let odd = "r\t4\t*\t0\t0\t*\t*\t0\t0\tAU\tII\n";
    let good = "r\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n";
    let wrong = "r\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\tXA:A:\x07\n";
    let many = odd.repeat(30_000); // more than one block of text
    for (text, first) in [
        (format!("@HD\tVN:?\n{odd}"), None),
        (format!("{good}{wrong}{many}"), None),
        (format!("{good}{odd}{wrong}{many}"), Some(2)),
        (format!("{many}{wrong}{many}"), Some(1)),
    ] {
        let outcome = outcome(text.as_bytes());
        assert!(outcome.fault.is_some());
        let told: Vec<_> = outcome.warnings.iter().map(|w| (w.at.record, w.count)).collect();
        assert_eq!(told, Vec::from_iter(first.map(|record| (Some(record), None))));
    }
}

//! Records of one's own: what is stored is what noodles reads and writes, and what can't be stored is refused.

use biofast_bam::{
    CigarBuf, Error, ErrorKind, Header, Modification, ModificationCode, Op, Reader, Record,
    RecordBuf, SamWriter, Value, flag,
};
use biofast_testkit::bam::{self, Aligned, aligned};
use noodles_sam::alignment::io::Write as _;
use proptest::prelude::*;

const REFERENCES: &[u8] = b"@HD\tVN:1.6\n@SQ\tSN:c1\tLN:1000\n@SQ\tSN:c2\tLN:70000000\n";

fn header() -> Header {
    Header::from_text(REFERENCES).unwrap()
}

/// A value in memory of its own.
#[derive(Clone, Debug)]
enum Own {
    Character(u8),
    Int(i64, u8),
    Float(f32),
    Text(String),
    Hex(Vec<u8>),
    Bytes(Vec<u8>),
    Signed(Vec<i8>),
    Shorts(Vec<u16>),
    Longs(Vec<i32>),
    Floats(Vec<f32>),
}

impl Own {
    fn value(&self) -> Value<'_> {
        match self {
            Own::Character(c) => Value::Character(*c),
            Own::Int(n, 0) => Value::int(*n).unwrap(),
            Own::Int(n, 1) => Value::I8(*n as i8),
            Own::Int(n, 2) => Value::U16(*n as u16),
            Own::Int(n, _) => Value::I32(*n as i32),
            Own::Float(x) => (*x).into(),
            Own::Text(text) => text.into(),
            Own::Hex(digits) => Value::Hex(digits),
            Own::Bytes(v) => Value::array(&v[..]),
            Own::Signed(v) => Value::array(&v[..]),
            Own::Shorts(v) => Value::array(&v[..]),
            Own::Longs(v) => Value::array(&v[..]),
            Own::Floats(v) => Value::array(&v[..]),
        }
    }
}

fn value() -> impl Strategy<Value = Own> {
    use prop::collection::vec;
    prop_oneof![
        (b'!'..=b'~').prop_map(Own::Character),
        (i64::from(i32::MIN)..=i64::from(u32::MAX), 0u8..4).prop_map(|(n, kind)| Own::Int(n, kind)),
        (-1e6f32..1e6).prop_map(Own::Float),
        "[ -~]{0,12}".prop_map(Own::Text),
        "([0-9A-F]{2}){0,4}".prop_map(|digits| Own::Hex(digits.into_bytes())),
        vec(any::<u8>(), 0..9).prop_map(Own::Bytes),
        vec(any::<i8>(), 0..9).prop_map(Own::Signed),
        vec(any::<u16>(), 0..9).prop_map(Own::Shorts),
        vec(any::<i32>(), 0..9).prop_map(Own::Longs),
        vec(-1e6f32..1e6, 0..9).prop_map(Own::Floats),
    ]
}

/// A record that can be written, with tags of all types.
fn record() -> impl Strategy<Value = RecordBuf> {
    let name = prop_oneof![9 => "[!-?A-~]{1,30}", 1 => "[!-?A-~]{254}"];
    let ops = prop::collection::vec((0usize..9, 1u32..40), 0..6);
    let place = (0i32..2, 0i32..1000, -1i32..2, 0i32..1000);
    // noodles cuts flags to the bits that have a meaning.
    let rest = (0u16..1 << 12, any::<u8>(), any::<i32>(), any::<bool>(), any::<u64>());
    let tags = prop::collection::vec(("[A-Za-z][A-Za-z0-9]", value()), 0..6);
    (name, ops, place, rest, tags).prop_map(|(name, ops, place, rest, tags)| {
        const OPS: [Op; 9] = [
            Op::Match,
            Op::Insertion,
            Op::Deletion,
            Op::Skip,
            Op::SoftClip,
            Op::HardClip,
            Op::Pad,
            Op::SequenceMatch,
            Op::SequenceMismatch,
        ];
        let (reference, position, mate, mate_position) = place;
        let (flags, quality, template, has_qualities, seed) = rest;
        let is_unmapped = flags & flag::UNMAPPED != 0;
        let mut record = RecordBuf::default();
        let cigar = CigarBuf::from_ops(ops.into_iter().map(|(op, len)| (OPS[op], len))).unwrap();
        let bases = cigar.as_cigar().read_len() as usize;
        record.set_name(name).set_flags(flags).set_mapping_quality(quality);
        record.set_template_len(template);
        record.set_mate_reference_id(mate).set_mate_position(if mate < 0 {
            -1
        } else {
            mate_position
        });
        if !is_unmapped || seed & 1 == 0 {
            // Far out on the long one, where bins are large.
            let far = if reference == 1 { (seed % 69_000_000) as i32 } else { 0 };
            record.set_reference_id(reference).set_position(position + far);
        }
        let letters: Vec<u8> =
            (0..bases).map(|n| b"=ACMGRSVTWYHKDBN"[(seed >> (n % 60)) as usize % 16]).collect();
        record.set_cigar(cigar).set_sequence(letters);
        if has_qualities {
            record.set_qualities((0..bases).map(|n| (n % 94) as u8).collect::<Vec<_>>());
        }
        for (name, value) in &tags {
            if name != "CG" {
                record.set_tag(name.as_bytes().try_into().unwrap(), value.value()).unwrap();
            }
        }
        record
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again_and_so_by_noodles(record in record()) {
        let header = header();
        let mut bytes = vec![7];
        let written = record.write_bam(&header, &mut bytes).map_err(|e| e.to_string());
        prop_assert!(written.is_ok(), "{:?}", written);
        let (read, rest) = Record::from_bam(&bytes[1..], &header).unwrap();
        prop_assert!(rest.is_empty());
        prop_assert_eq!(&read.to_buf(), &record);
        prop_assert_eq!(read.alignment_end(), record.alignment_end());
        prop_assert_eq!(format!("{:?}", read).replacen("Record", "RecordBuf", 1), format!("{:?}", record));

        // noodles decodes it and writes the same bytes.
        let mut file = Vec::new();
        header.write_bam(&mut file).unwrap();
        file.extend_from_slice(&bytes[1..]);
        let mut reader = noodles_bam::io::Reader::from(&file[..]);
        let theirs = reader.read_header().unwrap();
        let decoded = reader.record_bufs(&theirs).next().unwrap().unwrap();
        let name: Option<&[u8]> = decoded.name().map(|name| name.as_ref());
        // `*` stands for none.
        prop_assert_eq!(name, Some(record.name()).filter(|name| *name != b"*"));
        prop_assert_eq!(u16::from(decoded.flags()), record.flags());
        prop_assert_eq!(decoded.sequence().as_ref(), record.sequence());
        prop_assert_eq!(decoded.template_length(), record.template_len());
        let mut again = noodles_bam::io::Writer::from(Vec::new());
        again.write_alignment_record(&theirs, &decoded).unwrap();
        let mut again = again.into_inner();
        if record.flags() & flag::UNMAPPED != 0 {
            // The bin: to noodles an unmapped read is as long as its CIGAR, to us and htslib one base.
            again[14..16].copy_from_slice(&bytes[15..17]);
        }
        prop_assert_eq!(&again[..], &bytes[1..]);
    }

    #[test]
    fn tags_are_set_and_removed_as_in_a_list(
        steps in prop::collection::vec(("[AB][XY]", prop::option::of(value())), 0..20),
    ) {
        let mut record = RecordBuf::default();
        let mut list: Vec<([u8; 2], String)> = Vec::new();
        for (name, value) in &steps {
            let name: [u8; 2] = name.as_bytes().try_into().unwrap();
            let at = list.iter().position(|(known, _)| *known == name);
            match value {
                Some(value) => {
                    record.set_tag(&name, value.value()).unwrap();
                    let text = value.value().to_string();
                    match at {
                        Some(at) => list[at].1 = text,
                        None => list.push((name, text)),
                    }
                    prop_assert_eq!(record.tag(&name).unwrap(), Some(value.value()));
                }
                None => {
                    prop_assert_eq!(record.remove_tag(&name), at.is_some());
                    if let Some(at) = at {
                        list.remove(at);
                    }
                    prop_assert_eq!(record.tag(&name).unwrap(), None);
                }
            }
        }
        let found: Vec<_> =
            record.tags().map(|tag| (tag.name, tag.typed().unwrap().to_string())).collect();
        prop_assert_eq!(found, list);
    }

    #[test]
    fn a_cigar_is_read_as_it_is_shown(ops in prop::collection::vec((0u32..10, 0u32..1 << 28), 0..9)) {
        let text: String = match &ops[..] {
            [] => "*".to_owned(),
            ops => ops.iter().map(|(op, len)| format!("{len}{}", &"MIDNSHP=XB"[*op as usize..][..1])).collect(),
        };
        let cigar: CigarBuf = text.parse().unwrap();
        prop_assert_eq!(cigar.to_string(), text);
        let words: Vec<u32> = ops.iter().map(|(op, len)| len << 4 | op).collect();
        prop_assert_eq!(cigar.as_cigar().words().collect::<Vec<_>>(), words);
    }
}

fn good() -> RecordBuf {
    let record = RecordBuf::mapped("r", 0, 9, "4M".parse().unwrap()).sequence(b"ACGT");
    record.qualities([1, 2, 3, 4]).build().unwrap()
}

type Change = fn(&mut RecordBuf) -> &mut RecordBuf;

#[test]
fn what_cannot_be_stored_is_refused_with_its_reason_and_nothing_is_appended() {
    let cases: [(Change, &str); 19] = [
        (|r| r.set_name("@r"), "name"),
        (|r| r.set_name("a\tb"), "name"),
        (|r| r.set_name("a\0"), "name"),
        (|r| r.set_name([b'x'; 255]), "name"),
        (|r| r.set_reference_id(2), "the header has 2 references"),
        (|r| r.set_reference_id(-2), "out of range"),
        (|r| r.set_mate_reference_id(7), "the header has 2 references"),
        (|r| r.set_position(1000), "position 1001 is past the end of the reference 'c1'"),
        (|r| r.set_position(-1), "flagged as mapped"),
        (|r| r.set_position(i32::MIN), "out of range"),
        (|r| r.set_reference_id(-1), "no reference"),
        (|r| r.set_mate_position(4), "no reference"),
        (|r| r.set_cigar("3M".parse::<CigarBuf>().unwrap()), "covers 3 bases"),
        (|r| r.set_sequence("ACG"), "covers 4 bases, but the sequence has 3"),
        (|r| r.set_sequence("ACGU"), "can't store 'U' (base 4"),
        (|r| r.set_sequence("AC.T"), "can't store '.' (base 3"),
        (|r| r.set_qualities([1, 2, 3]), "3 qualities but 4 bases"),
        (|r| r.set_qualities([1, 2, 3, 94]), "above 93"),
        (|r| r.set_sequence(""), "4 qualities but 0 bases"),
    ];
    for (change, expected) in cases {
        let mut record = good();
        change(&mut record);
        let mut out = b"before".to_vec();
        let error = record.write_bam(&header(), &mut out).expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
        assert!(matches!(error.kind(), ErrorKind::Unwritable { .. }));
        assert_eq!(out, b"before");
        let checked = record.check(&header()).expect_err(expected);
        assert_eq!(checked.to_string(), error.to_string());
    }
    for (name, value) in [
        (b"9X", Value::U8(1)),
        (b"X-", Value::U8(1)),
        (b"CG", Value::U8(1)),
        (b"XX", Value::Text(b"a\0b")),
        (b"XX", Value::Hex(b"ABC")),
        (b"XX", Value::Hex(b"XY")),
        (b"XX", Value::Character(b' ')),
    ] {
        let mut record = good();
        let error = record.set_tag(name, value).expect_err("it can't be stored");
        assert!(matches!(error.kind(), ErrorKind::BadTags { .. }), "{error}");
        assert_eq!(record, good());
    }
    for text in ["", "M", "4", "4Q", "268435456M", "-1M", "4M ", "4m"] {
        assert!(text.parse::<CigarBuf>().is_err(), "{text}");
    }
    assert!(CigarBuf::new().push(Op::Match, 1 << 28).is_err());
    assert!(CigarBuf::new().push(Op::Unknown, 1).is_err());
}

#[test]
fn an_unmapped_read_may_have_a_cigar_that_does_not_fit() -> Result<(), Error> {
    let mut record = good();
    record.set_flags(flag::UNMAPPED).set_cigar("9M".parse::<CigarBuf>()?);
    let mut out = Vec::new();
    record.write_bam(&header(), &mut out)?;
    assert_eq!(Record::from_bam(&out, &header())?.0.to_buf(), record);
    Ok(())
}

#[test]
fn a_cigar_of_many_operations_goes_to_its_tag_and_comes_back() -> Result<(), Error> {
    let ops = (0..70_000).map(|n| if n % 2 == 0 { (Op::Match, 1) } else { (Op::Insertion, 1) });
    let cigar = CigarBuf::from_ops(ops)?;
    let record = RecordBuf::mapped("long", 1, 99, cigar.clone())
        .sequence(vec![b'A'; 70_000])
        .tag(b"NM", 35_000u16)
        .build()?;
    let mut out = Vec::new();
    let written = record.write_bam(&header(), &mut out)?;
    assert!(written.has_long_cigar());
    assert_eq!(written.alignment_end(), 99 + 35_000);
    let mut back = written.to_buf();
    assert_eq!(back, record);
    assert_eq!(back.tags().map(|tag| tag.name).collect::<Vec<_>>(), [*b"NM"]);
    // Shortened, it needs the tag no more.
    back.set_cigar("70000M".parse::<CigarBuf>()?);
    let mut out = Vec::new();
    assert!(!back.write_bam(&header(), &mut out)?.has_long_cigar());
    // And without a place it could not be found again.
    back.set_cigar(cigar).set_flags(flag::UNMAPPED).set_reference_id(-1).set_position(-1);
    assert!(back.check(&header()).is_err());
    Ok(())
}

#[test]
fn malformed_tags_are_an_error_and_not_an_absent_tag() -> Result<(), Error> {
    let mut bytes = Vec::new();
    RecordBuf::unmapped("r").tag(b"NM", 1u8).build()?.write_bam(&header(), &mut bytes)?;
    bytes.extend_from_slice(b"XXQ");
    let size = bytes.len() as u32 - 4;
    bytes[..4].copy_from_slice(&size.to_le_bytes());
    let (record, _) = Record::from_bam(&bytes, &header())?;
    assert_eq!(record.tag(b"NM")?, Some(Value::U8(1)));
    let error = record.tag(b"RG").expect_err("they can't be read");
    assert!(matches!(error.kind(), ErrorKind::BadTags { .. }), "{error}");
    assert!(format!("{record:?}").contains("malformed"));
    let copy = record.to_buf();
    assert!(copy.tag(b"RG").is_err() && copy.check(&header()).is_err());
    Ok(())
}

#[test]
fn a_repeated_tag_is_replaced_by_one() -> Result<(), Error> {
    let mut bytes = Vec::new();
    RecordBuf::unmapped("r").tag(b"NM", 1u8).build()?.write_bam(&header(), &mut bytes)?;
    bytes.extend_from_slice(b"XXC\x01NMC\x02");
    let size = bytes.len() as u32 - 4;
    bytes[..4].copy_from_slice(&size.to_le_bytes());
    let mut record = Record::from_bam(&bytes, &header())?.0.to_buf();
    record.set_tag(b"NM", 3u8)?;
    let found: Vec<_> = record.tags().map(|tag| (tag.name, tag.as_int())).collect();
    assert_eq!(found, [(*b"NM", Some(3)), (*b"XX", Some(1))]);
    Ok(())
}

/// Each record of SAM text.
fn read(sam: &str) -> Vec<RecordBuf> {
    let source = std::io::Cursor::new(sam.to_owned().into_bytes());
    Reader::from_reader("x", source).unwrap().records().collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_changed_record_is_the_line_with_the_change() -> Result<(), Error> {
    let line = "r\t99\tc1\t10\t60\t2S4M\t=\t100\t96\tACGTAC\tIIIII#\tNM:i:0\tRG:Z:a\n";
    let sam = String::from_utf8_lossy(REFERENCES).into_owned() + line;
    let mut record = read(&sam).remove(0);
    record.set_flags(record.flags() | flag::DUPLICATE).set_position(19).set_mapping_quality(0);
    record.set_tag(b"NM", 300u16)?;
    record.remove_tag(b"RG");
    record.set_tag(b"ML", Value::array(&[1u8, 255][..]))?;
    let (mut bytes, mut text) = (Vec::new(), Vec::new());
    let written = record.write_bam(&header(), &mut bytes)?;
    SamWriter::new(&header()).write(&written, &mut text)?;
    let expected = "r\t1123\tc1\t20\t0\t2S4M\t=\t100\t96\tACGTAC\tIIIII#\tNM:i:300\tML:B:C,1,255\n";
    assert_eq!(String::from_utf8_lossy(&text), expected);
    Ok(())
}

/// All modifications of a read of this flag, sequence, MM and ML.
fn modifications(flags: u16, sequence: &str, tags: &str) -> Result<Vec<Modification>, Error> {
    let sam = format!("r\t{flags}\t*\t0\t0\t*\t*\t0\t0\t{sequence}\t*\t{tags}\n");
    let mut reader = Reader::from_reader("x", std::io::Cursor::new(sam.into_bytes()))?;
    let record = reader.next_record()?.expect("a record");
    record.modifications().map(Iterator::collect)
}

#[test]
fn modifications_lie_where_the_specification_puts_them() -> Result<(), Error> {
    // The examples of the specification's section 1.7, on its sequence.
    let sequence = "AGGATCTCTAGCGGATCGGCGGGGGATATGCCATAT";
    let places = |flags, tags| -> Result<Vec<_>, Error> {
        Ok(modifications(flags, sequence, tags)?
            .iter()
            .map(|m| (m.position, m.probability))
            .collect())
    };
    assert_eq!(places(4, "MM:Z:C+m,1,3,0;")?, [(7, None), (30, None), (31, None)]);
    let both = modifications(4, sequence, "MM:Z:C+mh?,5;N-76792.,0;\tML:B:C,9,8,7")?;
    let letters = [ModificationCode::Letter(b'm'), ModificationCode::Letter(b'h')];
    assert_eq!([both[0].code, both[1].code], letters);
    assert_eq!([both[0].position, both[1].position, both[2].position], [30, 30, 0]);
    assert_eq!(both[2].code, ModificationCode::Chebi(76_792));
    assert!(both[2].is_opposite && both[2].base == b'N' && !both[0].is_opposite);
    assert_eq!(both.iter().filter_map(|m| m.probability).collect::<Vec<_>>(), [9, 8, 7]);
    // On the reverse strand it counts from the end, over complements: G in what is stored.
    let bases: Vec<u8> = places(4 | 16, "MM:Z:C+m,0,0;\tML:B:C,1,2")?
        .iter()
        .map(|(at, _)| sequence.as_bytes()[*at])
        .collect();
    assert_eq!(bases, b"GG");
    assert_eq!(places(4 | 16, "MM:Z:C+m,0,0;\tML:B:C,1,2")?, [(29, Some(1)), (24, Some(2))]);
    assert_eq!(places(4, "NM:i:0")?, []);
    assert_eq!(places(4, "MM:Z:\tML:B:C")?, []);
    assert_eq!(places(4, "MM:Z:C+m;G-m;")?, []);
    Ok(())
}

#[test]
fn modifications_that_contradict_themselves_are_refused() {
    for (tags, expected) in [
        ("MM:Z:C+m,0", "malformed"),
        ("MM:Z:C+m,x;", "malformed"),
        ("MM:Z:X+m,0;", "malformed"),
        ("MM:i:5", "not text"),
        ("MM:Z:C+m,2;", "past the end"),
        ("MM:Z:C+m,0,18446744073709551615;", "past the end"),
        ("MM:Z:C+mh,0;\tML:B:C,1", "shorter"),
        ("MM:Z:C+m,0;\tML:B:C,1,2", "longer"),
        ("MM:Z:C+m,0;\tML:Z:x", "ML is not an array"),
        ("ML:B:C,1", "ML occurs without MM"),
        ("MM:Z:C+m,0;\tMm:Z:C+m,0;", "twice"),
        ("MM:Z:C+m,0;\tMN:i:5", "MN"),
    ] {
        let error = modifications(4, "ACCA", tags).expect_err(tags).to_string();
        assert!(error.contains(expected), "{tags}: {error}");
    }
}

#[test]
fn modifications_agree_with_what_trimming_takes_for_good() {
    // Over many texts: what one reads the other does.
    for list in
        ["C+m,0;", "C+m,0,0;", "C+m,1;A+a,1;", "N+n,0,3;", "T+g,0;", "C+m?,0,1;", ";", "C,0;"]
    {
        for ml in ["", "\tML:B:C,1", "\tML:B:C,1,2"] {
            let sam = format!("r\t4\t*\t0\t0\t*\t*\t0\t0\tACCA\t*\tMM:Z:{list}{ml}\n");
            let mut reader =
                Reader::from_reader("x", std::io::Cursor::new(sam.into_bytes())).unwrap();
            let record = reader.next_record().unwrap().unwrap();
            assert_eq!(
                record.modifications().is_ok(),
                record.has_good_modifications(),
                "{list}{ml}"
            );
        }
    }
}

#[test]
fn bam_that_was_cut_between_blocks_is_an_error_unless_it_is_allowed()
-> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.bam");
    // Blocks end where records end; the last one and the end-of-file block are missing.
    let block = |bytes: &[u8]| {
        let mut block = biofast_io::bgzf::compress(bytes);
        block.truncate(block.len() - biofast_io::bgzf::EOF_BLOCK.len());
        block
    };
    let record = aligned(&Aligned { cigar: vec![5 << 4], len: 5, ..Aligned::default() });
    let mut bytes = block(&bam::header(&[("c", 1000)]));
    bytes.extend(block(&record.repeat(100)));
    std::fs::write(&path, bytes)?;
    let count = |options: biofast_io::Options| {
        let mut reader = Reader::builder().options(options).open(&path)?;
        while reader.next_record()?.is_some() {}
        Ok::<_, biofast_bam::Error>((reader.records_read(), reader.warnings()))
    };
    for threads in [1, 3] {
        let options = biofast_io::Options::default().with_threads(threads);
        let error = count(options.clone()).expect_err("it has no end");
        assert!(error.to_string().contains("end-of-file block"), "{error}");
        let (read, warnings) = count(options.clone().with_allow_missing_eof(true))?;
        assert_eq!(read, 100);
        assert_eq!(warnings, [biofast_io::Warning::MissingEofBlock]);
        // Folds, too; and what they end with is found in a box.
        let fold = |options: &biofast_io::Options| {
            let source = biofast_io::Source::open(&path)?;
            let fold = biofast_bam::Fold::new(source).options(options).run(
                || 0,
                |n, b| *n += b.len(),
                |n, m| *n += m,
            );
            Ok::<_, Box<dyn std::error::Error>>(fold?.1)
        };
        let error = fold(&options).expect_err("it was truncated");
        assert!(error.source().is_some_and(|e| e.downcast_ref::<biofast_bam::Error>().is_some()));
        assert_eq!(fold(&options.with_allow_missing_eof(true))? as u64, read);
    }
    Ok(())
}

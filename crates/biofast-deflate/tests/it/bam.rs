//! What the BAM encoder writes, read back by our own inflater, libdeflate and zlib-rs; on every instruction set the same
//! bytes.

use crate::common;

use biofast_deflate::{BamDeflater, Effort};
use common::{Random, libdeflate, read_back};
use proptest::prelude::*;

const BLOCK: usize = 65_280;

/// Deflaters of each instruction set, by effort.
type Deflaters = [Vec<(String, BamDeflater)>; 2];

fn deflaters() -> Deflaters {
    [Effort::Fast, Effort::Balanced].map(|effort| {
        let all = biofast_kernels::available().into_iter();
        all.map(|isa| (isa.to_string(), BamDeflater::with_isa(effort, isa).unwrap())).collect()
    })
}

/// Deflates `text` in every way and inflates it again; the stream made with little effort, `None` where it was declined.
fn check(deflaters: &mut Deflaters, text: &[u8]) -> Option<Vec<u8>> {
    let [fast, _balanced] = deflaters.each_mut().map(|deflaters| check_effort(deflaters, text));
    fast
}

fn check_effort(deflaters: &mut [(String, BamDeflater)], text: &[u8]) -> Option<Vec<u8>> {
    let mut first: Option<Option<Vec<u8>>> = None;
    for (isa, deflater) in deflaters {
        let mut stream = b"before".to_vec();
        let done = deflater.deflate(text, &mut stream);
        assert!(stream.starts_with(b"before"));
        let stream = stream.split_off(6);
        assert_eq!(done, !stream.is_empty());
        let stream = done.then_some(stream);
        match &first {
            Some(first) => assert!(*first == stream, "{isa} writes something else"),
            None => {
                if let Some(stream) = &stream {
                    assert!(stream.len() < text.len());
                    read_back(stream, text);
                }
                first = Some(stream);
            }
        }
    }
    first.flatten()
}

/// A record.
#[derive(Clone)]
struct Record {
    reference: i32,
    position: i32,
    flag: u16,
    name: Vec<u8>,
    /// Operation and length.
    cigar: Vec<(u32, u32)>,
    bases: Vec<u8>,
    qualities: Vec<u8>,
    tags: Vec<u8>,
}

impl Record {
    fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let packed = self.bases.len().div_ceil(2);
        let size = 33 + self.name.len() + 4 * self.cigar.len() + packed + self.bases.len();
        out.extend(((size + self.tags.len()) as u32).to_le_bytes());
        out.extend(self.reference.to_le_bytes());
        out.extend(self.position.to_le_bytes());
        out.extend([self.name.len() as u8 + 1, 60]);
        out.extend(4681u16.to_le_bytes());
        out.extend((self.cigar.len() as u16).to_le_bytes());
        out.extend(self.flag.to_le_bytes());
        out.extend((self.bases.len() as u32).to_le_bytes());
        out.extend(self.reference.to_le_bytes());
        out.extend(self.position.wrapping_add(200).max(-1).to_le_bytes());
        out.extend(300i32.to_le_bytes());
        out.extend(&self.name);
        out.push(0);
        out.extend(self.cigar.iter().flat_map(|(kind, n)| (n << 4 | kind).to_le_bytes()));
        out.extend(self.bases.chunks(2).map(|two| two[0] << 4 | two.get(1).unwrap_or(&0)));
        out.extend(&self.qualities);
        out.extend(&self.tags);
        out
    }
}

/// How a generated file looks.
#[derive(Clone, Copy)]
struct Shape {
    lengths: (usize, usize),
    qualities: &'static [u8],
    /// In percent, that a quality is that before.
    keep: usize,
    aligned: bool,
    /// Mates follow each other, and have one name.
    collated: bool,
    /// In percent, that a read has clips, insertions or deletions.
    gaps: usize,
    tags: fn(usize, &mut Random) -> Vec<u8>,
}

fn usual_tags(n: usize, random: &mut Random) -> Vec<u8> {
    let mut tags = b"NMC".to_vec();
    tags.push(random.below(4) as u8);
    tags.extend(format!("MDZ{}A{}\0RGZsample{}\0", random.below(90), n % 60, n % 2).bytes());
    tags
}

const USUAL: Shape = Shape {
    lengths: (100, 151),
    qualities: &[2, 11, 20, 25, 30, 32, 37, 40],
    keep: 60,
    aligned: true,
    collated: false,
    gaps: 10,
    tags: usual_tags,
};

/// Shapes of files, one odder than the other.
fn shapes() -> Vec<(&'static str, Shape)> {
    let any_tags =
        |_, random: &mut Random| (0..random.below(90)).map(|_| random.below(256) as u8).collect();
    vec![
        ("usual", USUAL),
        ("one length", Shape { lengths: (150, 151), gaps: 0, ..USUAL }),
        ("odd length", Shape { lengths: (101, 102), ..USUAL }),
        ("collated", Shape { collated: true, ..USUAL }),
        ("unaligned", Shape { aligned: false, collated: true, ..USUAL }),
        ("four qualities", Shape { qualities: &[2, 12, 23, 37], keep: 90, ..USUAL }),
        ("one quality", Shape { qualities: &[30], keep: 100, ..USUAL }),
        ("none", Shape { qualities: &[255], keep: 100, ..USUAL }),
        ("all qualities", Shape { qualities: &ALL_QUALITIES, keep: 0, ..USUAL }),
        ("no runs", Shape { keep: 0, ..USUAL }),
        ("no bases", Shape { lengths: (0, 3), ..USUAL }),
        ("tags of any bytes", Shape { tags: any_tags, ..USUAL }),
        ("no tags", Shape { tags: |_, _| Vec::new(), ..USUAL }),
        ("long reads", Shape { lengths: (500, 9000), gaps: 100, ..USUAL }),
        ("long unaligned reads", Shape { lengths: (900, 15_000), aligned: false, ..USUAL }),
        ("heads beyond the reach of copies", Shape { lengths: (21_800, 21_900), ..USUAL }),
        ("records longer than blocks", Shape { lengths: (50_000, 90_000), ..USUAL }),
    ]
}

/// Bases of the reference.
const GENOME: usize = 60_000;

static ALL_QUALITIES: [u8; 94] = {
    let mut qualities = [0; 94];
    let mut i = 0;
    while i < 94 {
        qualities[i] = i as u8;
        i += 1;
    }
    qualities
};

/// Reads of a shape, in the order of their positions.
fn generate(shape: &Shape, want: usize, random: &mut Random) -> Vec<Record> {
    let genome: Vec<u8> =
        (0..GENOME + shape.lengths.1).map(|_| *random.pick(&[1, 2, 4, 8])).collect();
    let mut records = Vec::new();
    let (mut position, mut size) = (0, 0);
    while size < want {
        let n = records.len();
        let length = shape.lengths.0 + random.below(shape.lengths.1 - shape.lengths.0);
        position = (position + random.below(9 + length / 16)) % GENOME;
        let mut bases = genome[position..position + length].to_vec();
        let mut cigar = vec![(0, length as u32)];
        if random.below(100) < shape.gaps && length > 60 {
            let at = 20 + random.below(length - 40);
            let rest = (length - at) as u32;
            cigar = match random.below(5) {
                0 => vec![(4, at as u32), (0, rest)],
                1 => vec![(5, 30), (4, at as u32), (0, rest)],
                2 => vec![(0, at as u32), (4, rest), (5, 7)],
                3 => vec![(0, at as u32), (2, 4), (0, rest)],
                _ => vec![(0, at as u32 - 3), (1, 3), (0, rest)],
            };
        }
        for base in &mut bases {
            if random.below(150) == 0 {
                *base = *random.pick(&[1, 2, 4, 8, 15]);
            }
        }
        let mut quality = shape.qualities[0];
        let qualities = (0..length).map(|_| {
            if random.below(100) >= shape.keep {
                quality = *random.pick(shape.qualities);
            }
            quality
        });
        let qualities = qualities.collect();
        let read = if shape.collated { n / 2 } else { random.below(1 << 20) };
        let name =
            format!("SIM:1:FCX:1:11{:02}:{}:{}", read / 900 % 90, read * 7919 % 30_011, read);
        let flag = match shape.aligned {
            true => *random.pick(&[99, 147, 83, 163]),
            false => [77, 141][n % 2],
        };
        if !shape.aligned {
            cigar.clear();
        }
        let record = Record {
            reference: if shape.aligned { 0 } else { -1 },
            position: if shape.aligned { position as i32 } else { -1 },
            flag,
            name: name.into_bytes(),
            cigar,
            bases,
            qualities,
            tags: (shape.tags)(n, random),
        };
        size += record.bytes().len();
        records.push(record);
    }
    records
}

fn text_of(records: &[Record]) -> Vec<u8> {
    records.iter().flat_map(Record::bytes).collect()
}

fn usual(want: usize) -> Vec<Record> {
    generate(&USUAL, want, &mut Random(11))
}

#[test]
fn records_of_every_shape_come_back() {
    let mut deflaters = deflaters();
    for (what, shape) in shapes() {
        let text = text_of(&generate(&shape, 4 * BLOCK, &mut Random(3)));
        let mut declined = 0;
        let blocks = text[777..].chunks(BLOCK).filter(|block| block.len() == BLOCK);
        let count = blocks.clone().count();
        for block in blocks {
            let Some(stream) = check(&mut deflaters, block) else {
                declined += 1;
                continue;
            };
            let level_1 = libdeflate(block, 1).len();
            assert!(stream.len() * 100 <= level_1 * 106, "{what}: {} {level_1}", stream.len());
        }
        let whole = shape.lengths.1 < 20_000;
        assert!(declined == 0 || !whole, "{what}: {declined} of {count} blocks are declined");
    }
}

#[test]
fn blocks_start_and_end_anywhere_in_a_record() {
    let mut deflaters = deflaters();
    let text = text_of(&usual(20_000));
    for start in (0..700).step_by(3) {
        assert!(check(&mut deflaters, &text[start..start + 9000]).is_some(), "{start}");
        assert!(check(&mut deflaters, &text[..9000 + start]).is_some(), "{start}");
    }
    let long = Shape { lengths: (2000, 3000), ..USUAL };
    let text = text_of(&generate(&long, 40_000, &mut Random(5)));
    for start in (0..9000).step_by(101) {
        check(&mut deflaters, &text[start..start + 20_000]);
    }
}

#[test]
fn sizes_at_the_limits() {
    let mut deflaters = deflaters();
    let text = text_of(&usual(70_000));
    for size in [0, 1, 3, 35, 36, 511, 2047, 65_537] {
        assert!(check(&mut deflaters, &text[..size]).is_none(), "{size}");
    }
    for size in [2048, 65_280, 65_535, 65_536] {
        assert!(check(&mut deflaters, &text[..size]).is_some(), "{size}");
    }
}

#[test]
fn what_is_no_bam_is_declined() {
    let mut deflaters = deflaters();
    let mut random = Random(9);
    for kind in [0, 2, 4, 5] {
        let text = common::data(kind, BLOCK, &mut random);
        assert!(check(&mut deflaters, &text).is_none(), "{kind}");
    }
    // Small numbers alone may be the qualities of a record that neither begins nor ends here.
    check(&mut deflaters, &common::data(3, BLOCK, &mut random));
    check(&mut deflaters, &[0; BLOCK]);
}

#[test]
fn a_record_that_contradicts_itself_ends_the_records_of_a_block() {
    let mut deflaters = deflaters();
    let records = usual(BLOCK);
    // The record's size, the length of its name, the number of operations, the number of bases; at each, too little and too
    // much.
    for (field, value) in [
        (0, 0u32),
        (0, 33),
        (0, u32::MAX),
        (0, 1 << 27),
        (12, 0),
        (16, 0xffff),
        (20, u32::MAX),
        (20, 1 << 28),
        (20, 70_000),
    ] {
        for at in [1, 30, 200] {
            let before = text_of(&records[..at]).len();
            let mut text = text_of(&records);
            text.truncate(BLOCK);
            text[before + field..before + field + 4].copy_from_slice(&value.to_le_bytes());
            let stream = check(&mut deflaters, &text);
            assert!(stream.is_some() || at < 200, "{field} {value} in record {at}");
        }
    }
}

#[test]
fn the_last_record_with_the_same_flag_may_be_too_far_back() {
    let mut records = usual(BLOCK);
    records.truncate(220);
    for record in &mut records {
        record.flag = 99;
    }
    let last = records.len() - 1;
    (records[0].flag, records[last].flag) = (355, 355);
    let text = text_of(&records);
    assert!(text.len() > 50_000);
    assert!(check(&mut deflaters(), &text[..text.len().min(BLOCK)]).is_some());
}

#[test]
fn positions_at_the_limits_of_their_numbers() {
    let mut deflaters = deflaters();
    for positions in [[-1; 2], [i32::MAX; 2], [i32::MIN; 2], [i32::MIN, i32::MAX], [0, i32::MAX]] {
        let mut records = usual(BLOCK);
        for (i, record) in records.iter_mut().enumerate().skip(4) {
            record.position = positions[i % 2];
            record.reference = [0, 1, i32::MAX][i % 3];
            if i % 5 == 0 {
                record.cigar =
                    vec![(4, (1 << 28) - 1), (0, 90), (2, (1 << 28) - 1), (3, (1 << 28) - 1)];
            }
        }
        let text = text_of(&records);
        assert!(check(&mut deflaters, &text[..BLOCK]).is_some());
    }
}

#[test]
fn many_operations_and_the_ones_that_are_cut_off() {
    let mut deflaters = deflaters();
    let mut records = usual(BLOCK);
    for (i, record) in records.iter_mut().enumerate() {
        record.cigar = (0..[1, 2, 63, 64, 65, 200][i % 6]).map(|n| (n % 9, 1 + n % 4)).collect();
    }
    let text = text_of(&records);
    for end in (BLOCK - 900..BLOCK).step_by(7) {
        assert!(check(&mut deflaters, &text[..end]).is_some());
    }
}

#[test]
fn names_that_end_alike_are_not_the_same() {
    let mut records = usual(BLOCK);
    let names: [&[u8]; 5] = [b"x:12345678", b"a-longer-one:12345678", b"2345678", b"", b"12345678"];
    for (i, record) in records.iter_mut().enumerate() {
        record.name = names[i * i % 5].to_vec();
    }
    records[70].name = vec![b'n'; 254];
    records[71].name = vec![b'n'; 253];
    let text = text_of(&records);
    assert!(check(&mut deflaters(), &text[..60_000]).is_some());
}

#[test]
fn runs_longer_than_a_copy() {
    let mut deflaters = deflaters();
    for length in [255, 256, 257, 258, 259, 260, 261, 517, 518, 599] {
        let records = (0..BLOCK / length).map(|i| {
            let mut record = usual(200)[0].clone();
            record.bases = vec![1; length];
            record.qualities = vec![if i % 2 == 0 { 40 } else { 255 }; length];
            record
        });
        let text = text_of(&records.collect::<Vec<_>>());
        assert!(check(&mut deflaters, &text[..BLOCK]).is_some(), "{length}");
    }
}

#[test]
fn rare_qualities_with_codes_of_any_length() {
    // Counts that grow like Fibonacci's numbers make the longest codes.
    let mut random = Random(77);
    let mut records = usual(BLOCK);
    for record in &mut records {
        for quality in &mut record.qualities {
            let mut rank = 0;
            while rank < 40 && random.below(1000) < 618 {
                rank += 1;
            }
            *quality = rank;
        }
    }
    let text = text_of(&records);
    assert!(check(&mut deflaters(), &text[..BLOCK]).is_some());
}

#[test]
fn a_value_that_comes_once_has_a_code() {
    let mut deflaters = deflaters();
    for value in [0, 1, 41, 62, 63, 64, 93, 128, 255] {
        for at in [0, 1, 19, 20, 21, 22, 23, 150] {
            let shape = Shape { keep: 0, ..USUAL };
            let mut records = generate(&shape, BLOCK, &mut Random(31));
            let length = records[at].qualities.len();
            records[at].qualities[length - 1 - at % 9] = value;
            let text = text_of(&records);
            assert!(check(&mut deflaters, &text[..BLOCK]).is_some());
        }
    }
}

#[test]
fn the_header_of_a_file_comes_before_its_records() {
    let references = [("chr1", 1000), ("chr2", 50)];
    let mut text = biofast_testkit::bam::header(&references);
    text.extend(text_of(&usual(30_000)));
    assert!(check(&mut deflaters(), &text).is_some());
}

#[test]
fn blocks_do_not_depend_on_those_before() {
    let mut used =
        [Effort::Fast, Effort::Balanced].map(|effort| (effort, BamDeflater::new(effort)));
    for (what, shape) in shapes() {
        let text = text_of(&generate(&shape, 2 * BLOCK, &mut Random(21)));
        for block in text.chunks(BLOCK) {
            for (effort, used) in &mut used {
                let (mut one, mut other) = (Vec::new(), Vec::new());
                let done = used.deflate(block, &mut one);
                assert_eq!(done, BamDeflater::new(*effort).deflate(block, &mut other));
                assert!(one == other, "{what}, {effort:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn damaged_records_come_back_or_are_declined(
        kind in 0usize..17,
        seed in 1u64..,
        window in (0usize..3000, 2048usize..65_536),
        damages in prop::collection::vec((0usize..65_536, any::<u8>()), 0..12),
        cut in prop::option::of((0usize..65_536, 1usize..400)),
    ) {
        let shape = &shapes()[kind].1;
        let text = text_of(&generate(shape, window.0 + window.1, &mut Random(seed)));
        let mut text = text[window.0..window.0 + window.1].to_vec();
        for (at, byte) in damages {
            let at = at % text.len();
            text[at] = byte;
        }
        if let Some((at, n)) = cut {
            let at = at % text.len();
            text.drain(at..(at + n).min(text.len()));
        }
        check(&mut deflaters(), &text);
    }

    #[test]
    fn any_bytes_come_back_or_are_declined(
        text in prop::collection::vec(any::<u8>(), 0..20_000),
        records in 0usize..40_000,
    ) {
        let mut all = text_of(&usual(records));
        all.extend(text);
        check(&mut deflaters(), &all);
    }
}

//! What the FASTQ encoder writes, read back by every inflater at hand: our own, libdeflate, zlib-rs, and gzip, bgzip and
//! igzip where they are installed.

use crate::common;

use std::io::Write as _;
use std::process::{Command, Stdio};

use biofast_deflate::{Effort, FastqDeflater, crc32};
use common::{Random, read_back};
use proptest::prelude::*;

const EFFORTS: [Effort; 2] = [Effort::Fast, Effort::Balanced];
const BLOCK: usize = 65_280;

/// A deflater of each effort and instruction set.
fn deflaters() -> Vec<(Effort, String, FastqDeflater)> {
    let all = biofast_kernels::available().into_iter().flat_map(|isa| {
        EFFORTS.map(|effort| (effort, isa.to_string(), FastqDeflater::with_isa(effort, isa)))
    });
    all.map(|(effort, isa, deflater)| (effort, isa, deflater.unwrap())).collect()
}

/// Deflates `text` in every way and inflates it again; returns the streams by effort, `None` where all or a part was
/// declined.
fn check(deflaters: &mut [(Effort, String, FastqDeflater)], text: &[u8]) -> Vec<Option<Vec<u8>>> {
    let parts = check_parts(deflaters, text).into_iter();
    parts.map(|(done, stream)| (done > 0 && done == text.len()).then_some(stream)).collect()
}

/// The same; returns how much of the text was taken, and the stream.
fn check_parts(
    deflaters: &mut [(Effort, String, FastqDeflater)],
    text: &[u8],
) -> Vec<(usize, Vec<u8>)> {
    let mut streams: Vec<(Effort, (usize, Vec<u8>))> = Vec::new();
    for (effort, isa, deflater) in deflaters {
        let mut stream = b"before".to_vec();
        let done = deflater.deflate_start(text, &mut stream);
        assert!(stream.starts_with(b"before"));
        let found = (done, stream.split_off(6));
        assert_eq!(done == 0, found.1.is_empty());
        match streams.iter().find(|(of, _)| of == effort) {
            Some((_, other)) => assert!(*other == found, "{isa} writes something else"),
            None => {
                if done > 0 {
                    assert!(found.1.len() < done);
                    let mut whole = found.1.clone();
                    if done < text.len() {
                        let level = libdeflater::CompressionLvl::fastest();
                        let mut rest = vec![0; text.len() + 64];
                        let mut codec = libdeflater::Compressor::new(level);
                        let n = codec.deflate_compress(&text[done..], &mut rest).unwrap();
                        whole.extend_from_slice(&rest[..n]);
                    }
                    read_back(&whole, text);
                }
                streams.push((*effort, found));
            }
        }
    }
    streams.into_iter().map(|(_, found)| found).collect()
}

/// How a generated file looks.
#[derive(Clone, Debug)]
struct Shape {
    lengths: std::ops::Range<usize>,
    bases: &'static [u8],
    scores: &'static [u8],
    /// In percent, that a score is that before.
    keep: usize,
    name: fn(usize, &mut Random) -> String,
    plus: fn(&str) -> String,
    newline: &'static str,
}

fn illumina(n: usize, random: &mut Random) -> String {
    format!("SIM:1:FCX:1:11{:02}:{}:{} 1:N:0:ACGT", n / 900, random.below(30_000), 1000 + n / 20)
}

fn uuid(_: usize, random: &mut Random) -> String {
    let mut hex = || random.below(1 << 30);
    format!("{:08x}-{:04x} runid={:08x} ch={}", hex(), hex() >> 14, hex(), hex() % 512)
}

const USUAL: Shape = Shape {
    lengths: 100..151,
    bases: b"ACGT",
    scores: b"#-5<AEFGHIJ",
    keep: 60,
    name: illumina,
    plus: |_| String::new(),
    newline: "\n",
};

/// Shapes of files, one odder than the other.
fn shapes() -> Vec<(&'static str, Shape)> {
    let odd_names = |n: usize, _: &mut Random| ["", "@", "+", " ", ":::", "r\t1"][n % 6].to_owned();
    vec![
        ("usual", USUAL),
        ("N", Shape { bases: b"ACGTACGTACGTACGTN", ..USUAL }),
        ("IUPAC, lower case", Shape { bases: b"ACGTRYKMSWBDHVNacgtn", ..USUAL }),
        ("CRLF", Shape { newline: "\r\n", ..USUAL }),
        ("+name", Shape { plus: |name| name.to_owned(), ..USUAL }),
        ("+something else", Shape { plus: |_| "no name at all".to_owned(), ..USUAL }),
        ("empty reads", Shape { lengths: 0..3, ..USUAL }),
        ("four scores", Shape { scores: b"#,:F", keep: 90, ..USUAL }),
        ("one score", Shape { scores: b"I", ..USUAL }),
        ("scores that look like other lines", Shape { scores: b"@+ACGT", keep: 0, ..USUAL }),
        ("all scores", Shape { scores: &ALL_SCORES, keep: 0, ..USUAL }),
        ("long reads", Shape { lengths: 300..9000, name: uuid, ..USUAL }),
        ("reads longer than blocks", Shape { lengths: 60_000..150_000, name: uuid, ..USUAL }),
        (
            "reads of 33 kB: names beyond the reach of copies",
            Shape { lengths: 16_360..16_420, ..USUAL },
        ),
        ("odd names", Shape { name: odd_names, ..USUAL }),
        ("long names", Shape { name: |n, _| "x".repeat(700) + &n.to_string(), ..USUAL }),
    ]
}

static ALL_SCORES: [u8; 94] = {
    let mut scores = [0; 94];
    let mut i = 0;
    while i < 94 {
        scores[i] = 33 + i as u8;
        i += 1;
    }
    scores
};

fn generate(shape: &Shape, len: usize, random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    for n in 0.. {
        if out.len() >= len {
            break;
        }
        let name = (shape.name)(n, random);
        let bases = shape.lengths.start + random.below(shape.lengths.len());
        write!(out, "@{name}{}", shape.newline).unwrap();
        out.extend((0..bases).map(|_| *random.pick(shape.bases)));
        write!(out, "{0}+{1}{0}", shape.newline, (shape.plus)(&name)).unwrap();
        let mut score = *random.pick(shape.scores);
        out.extend((0..bases).map(|_| {
            if random.below(100) >= shape.keep {
                score = *random.pick(shape.scores);
            }
            score
        }));
        out.extend(shape.newline.bytes());
    }
    out
}

#[test]
fn every_shape_of_file_comes_back_whatever_a_block_begins_with() {
    let mut random = Random(7);
    let mut deflaters = deflaters();
    for (what, shape) in shapes() {
        let text = generate(&shape, 3 * BLOCK, &mut random);
        let mut taken = 0;
        for start in [0, 1, 7, 60, 150, 170, 200, 333, 40_000] {
            let block = &text[start..start + BLOCK];
            taken += usize::from(check(&mut deflaters, block)[0].is_some());
        }
        // Where blocks have a record to be told by, all but the oddest shapes are taken.
        let least = if matches!(what, "odd names" | "empty reads") { 0 } else { 8 };
        assert!(taken >= least, "{what}: {taken} of 9 blocks are taken");
    }
}

#[test]
fn every_length_comes_back() {
    let mut random = Random(8);
    let mut deflaters = deflaters();
    let text = generate(&USUAL, 70_000, &mut random);
    for len in (0..600).chain(2040..2060).chain(2500..2600).chain(65_470..=65_536).step_by(3) {
        let taken = check(&mut deflaters, &text[..len])[0].is_some();
        assert_eq!(taken, len >= 2048, "{len}");
    }
    assert!(check(&mut deflaters, &text[..65_536])[0].is_some());
    assert!(check(&mut deflaters, &text[..65_537])[0].is_none());
}

#[test]
fn runs_as_long_as_blocks_come_back() {
    let mut random = Random(15);
    let mut deflaters = deflaters();
    let bases: Vec<u8> = (0..300_000).map(|_| *random.pick(b"ACGT")).collect();
    let mut text = [b"@r\n", &bases[..], b"\n+\n"].concat();
    text.extend(std::iter::repeat_n(b'I', 300_000));
    text.extend(b"\n@s\n");
    text.extend(std::iter::repeat_n(b'A', 300_000));
    for block in text.chunks(BLOCK) {
        check(&mut deflaters, block);
    }
    // Runs of all lengths: none may leave a copy of one or two bytes.
    for n in (2100..2900).chain([258, 259, 260, 261].map(|n| n * 16)) {
        let mut text = [b"@r\n", &bases[..n], b"\n+\n#"].concat();
        text.extend(std::iter::repeat_n(b'I', n - 1));
        text.push(b'\n');
        assert!(check(&mut deflaters, &text)[0].is_some(), "{n}");
    }
}

#[test]
fn runs_of_any_length_come_back_wherever_they_begin() {
    // Many runs, short and long, in lines of all lengths: they begin and end at all places of a window of 64 bytes.
    let mut random = Random(17);
    let mut deflaters = deflaters();
    for most in [4, 9, 70, 140, 600] {
        let mut text = Vec::new();
        for read in 0.. {
            if text.len() >= BLOCK {
                break;
            }
            let len = 60 + random.below(2 * most + 200);
            let bases: String = (0..len).map(|_| *random.pick(b"ACGT") as char).collect();
            let mut scores = Vec::new();
            while scores.len() < len {
                let run = 1 + random.below(most);
                scores.extend(vec![*random.pick(b"#5ACEFGHIJ"); run]);
            }
            let scores = String::from_utf8_lossy(&scores[..len]).into_owned();
            write!(text, "@r{read}:{}:x\n{bases}\n+\n{scores}\n", random.below(20_000)).unwrap();
        }
        assert!(check(&mut deflaters, &text[..BLOCK])[0].is_some(), "{most}");
    }
}

#[test]
fn stretches_of_scores_are_copied_from_within_reach_only() {
    let mut random = Random(18);
    let mut deflaters = deflaters();
    // A record with many runs, and these scores between them.
    let record = |name: &str, inner: &str, random: &mut Random| {
        let mut scores = inner.to_owned();
        while scores.len() < 60 {
            scores += &random.pick(&["G", "H", "I", "J"]).repeat(5);
        }
        let bases: String = scores.bytes().map(|_| *random.pick(b"ACGT") as char).collect();
        format!("@{name}\n{bases}\n+\n{scores}\n")
    };
    let stretch = "JJJJJ?=E;A<D>8B:@";
    for distance in 32_764..32_773 {
        let mut text = record("name", stretch, &mut random);
        let start = text.find(stretch).unwrap();
        loop {
            let left = distance - (text.len() - start);
            if left < 400 {
                // The last but one has a name of the length that is left to the last one's scores.
                let last = record("name", stretch, &mut random);
                let other = record("", "", &mut random);
                let name = "x".repeat(left - last.find(stretch).unwrap() - other.len());
                text += &record(&name, "", &mut random);
                text += &last;
                break;
            }
            text += &record("name", "", &mut random);
        }
        assert_eq!(text[start + distance..start + distance + 17], *stretch);
        text += &record("name", "", &mut random);
        assert!(check(&mut deflaters, text.as_bytes())[0].is_some(), "{distance}");
    }
}

#[test]
fn records_before_something_else_are_kept() {
    let mut random = Random(19);
    let mut deflaters = deflaters();
    // Of few lines all are looked at before anything is done.
    for (shape, least) in [(USUAL, 17_000), (Shape { lengths: 300..9000, ..USUAL }, BLOCK)] {
        let text = generate(&shape, 2 * BLOCK, &mut random);
        for at in [1000, 9000, 9001, 9077, 20_003, 33_333, 50_000, 65_000, 65_279] {
            for odd in ["\n", "\n\n", "+\n+", "no record\nat all\n"] {
                let mut block = text[..at].to_vec();
                block.extend_from_slice(odd.as_bytes());
                block.extend_from_slice(&text[at..]);
                let done = check_parts(&mut deflaters, &block[..BLOCK])[0].0;
                // What isn't seen to be odd may be in the middle of a line, and goes on to its end.
                assert!(done <= at + 9100 && (done > 0 || at < least), "{at} {odd:?}: {done}");
                let mut out = Vec::new();
                assert_eq!(deflaters[0].2.deflate(&block[..BLOCK], &mut out), done == BLOCK);
            }
        }
    }
}

#[test]
fn what_a_general_encoder_does_better_is_declined() {
    let mut random = Random(16);
    let digits = |_: usize, random: &mut Random| -> String {
        (0..150).map(|_| format!("{}:", random.below(10))).collect()
    };
    let names = Shape { name: digits, lengths: 4..9, ..USUAL };
    let short = Shape { name: |_, _| String::new(), lengths: 4..9, ..USUAL };
    for shape in [names, short] {
        let text = generate(&shape, BLOCK, &mut random);
        let found = check_parts(&mut deflaters(), &text[..BLOCK]);
        assert!(found[0].0 == 0, "{}", String::from_utf8_lossy(&text[..300]));
    }
}

#[test]
fn a_copy_ends_where_its_reach_ends() {
    let mut random = Random(9);
    let mut deflaters = deflaters();
    // The same name and the same scores, so far apart that a copy is just allowed or just not.
    for distance in 32_760..32_776 {
        let bases = (distance - 40) / 2;
        let mut text = Vec::new();
        for _ in 0..2 {
            let start = text.len();
            text.extend(b"@the same name again\n");
            text.extend((0..bases).map(|_| *random.pick(b"ACGT")));
            text.extend(b"\n+\nABCDEFGHIJKLMNOP");
            text.extend((16..bases).map(|i| 40 + (i % 31) as u8));
            text.push(b'\n');
            // Pad the first record to the distance with scores and bases of the same number, and the name.
            let short = distance - (text.len() - start);
            text.splice(start + 1..start + 1, vec![b'x'; short.min(60)]);
        }
        text.truncate(65_536);
        assert!(check(&mut deflaters, &text)[0].is_some(), "{distance}");
    }
}

#[test]
fn a_candidate_of_the_same_hash_is_looked_at_before_it_is_copied() {
    // Slots of few records are shared: separators with all pairs of first scores, names with all pairs of last ones.
    let mut random = Random(10);
    let mut deflaters = deflaters();
    for _ in 0..20 {
        let mut text = Vec::new();
        for n in 0..2000 {
            let scores = [0; 8].map(|_: u8| 33 + random.below(94) as u8);
            let bases = [0; 8].map(|_: u8| *random.pick(b"ACGT"));
            let scores = String::from_utf8_lossy(&scores).into_owned();
            let bases = String::from_utf8_lossy(&bases).into_owned();
            write!(text, "@{}\n{bases}\n+\n{scores}\n", n % 7).unwrap();
        }
        text.truncate(BLOCK);
        check(&mut deflaters, &text);
    }
}

#[test]
fn other_data_is_declined_or_comes_back() {
    let mut random = Random(11);
    let mut deflaters = deflaters();
    for kind in 0..6 {
        for len in [2048, 5000, 65_536] {
            let text = common::data(kind, len, &mut random);
            check(&mut deflaters, &text);
        }
    }
    for text in [vec![b'\n'; 5000], vec![0; 5000], b"@\n\n+\n\n".repeat(2000), b"@".repeat(9000)] {
        check(&mut deflaters, &text);
    }
}

#[test]
fn sequences_that_repeat_each_other_are_copied() {
    let mut random = Random(12);
    let template: Vec<u8> = (0..400).map(|_| *random.pick(b"ACGT")).collect();
    // From the first record on, or only behind others.
    for others in [0, 80] {
        let mut text = Vec::new();
        for n in 0..500 {
            let start = random.below(250);
            let mut bases = String::from_utf8_lossy(&template[start..start + 150]).into_owned();
            if n < others {
                bases = (0..150).map(|_| *random.pick(b"ACGT") as char).collect();
            }
            write!(text, "@r{n}\n{bases}\n+\n{}\n", "F".repeat(150)).unwrap();
        }
        let stream = check(&mut deflaters(), &text[..BLOCK])[0].take().unwrap();
        // Literals would take 38 bytes a record more.
        let mut other = vec![0; BLOCK];
        let mut codec = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(1).unwrap());
        let n = codec.deflate_compress(&text[..BLOCK], &mut other).unwrap();
        // Behind others 32 lines pass until the repeats are seen.
        let most = n * 11 / 10 + if others > 0 { 32 * 38 } else { 0 };
        assert!(stream.len() < most, "{} bytes, level 1 {n}; {others} others", stream.len());
    }
}

#[test]
fn a_copy_of_bases_does_not_begin_in_the_line_before() {
    // The same name, bases and scores again and again: what is copied could begin before its line.
    let mut random = Random(19);
    let mut deflaters = deflaters();
    for len in 14..90 {
        let bases: String = (0..len).map(|_| *random.pick(b"ACGT") as char).collect();
        let mut text = Vec::new();
        while text.len() < 6000 {
            let name = if random.below(3) == 0 { "ACGTACGTACGTACGT" } else { "TACGTACGTACGTACG" };
            let cut = random.below(4);
            let bases = &bases[cut..];
            write!(text, "@{name}\n{bases}\n+\n{}\n", &bases.to_lowercase()).unwrap();
        }
        check(&mut deflaters, &text);
    }
}

#[test]
fn blocks_do_not_depend_on_those_before() {
    let mut random = Random(13);
    for effort in EFFORTS {
        let mut used = FastqDeflater::new(effort);
        for (what, shape) in shapes() {
            let text = generate(&shape, BLOCK, &mut random);
            let (mut one, mut other) = (Vec::new(), Vec::new());
            used.deflate(&text[..BLOCK], &mut one);
            FastqDeflater::new(effort).deflate(&text[..BLOCK], &mut other);
            assert!(one == other, "{what}");
        }
    }
}

/// `streams` as gzip members.
fn gzip(streams: &[(Vec<u8>, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    for (stream, text) in streams {
        let mut extra = vec![b'B', b'C', 2, 0];
        extra.extend(((stream.len() + 25) as u16).to_le_bytes());
        file.extend([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0]);
        file.extend(extra);
        file.extend(stream);
        file.extend(crc32(text).to_le_bytes());
        file.extend((text.len() as u32).to_le_bytes());
    }
    let end = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 0x1b, 0, 3, 0];
    file.extend(end);
    file.extend([0; 8]);
    file
}

#[test]
#[ignore = "needs gzip, bgzip and igzip"]
fn other_programs_read_what_is_written() {
    let mut random = Random(14);
    for effort in EFFORTS {
        let mut deflater = FastqDeflater::new(effort);
        let (mut streams, mut texts) = (Vec::new(), Vec::new());
        let all: Vec<_> =
            shapes().iter().map(|(_, shape)| generate(shape, 2 * BLOCK, &mut random)).collect();
        for block in all.iter().flat_map(|text| text.chunks(BLOCK)) {
            let mut stream = Vec::new();
            if deflater.deflate(block, &mut stream) {
                streams.push((stream, block));
                texts.extend_from_slice(block);
            }
        }
        let file = gzip(&streams);
        for (program, args) in
            [("gzip", ["-dc"].as_slice()), ("bgzip", &["-dc"]), ("igzip", &["-dc"])]
        {
            let child = Command::new(program)
                .args(args)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn();
            let mut child = child.unwrap_or_else(|_| panic!("{program} is not installed"));
            let mut stdin = child.stdin.take().unwrap();
            let output = std::thread::scope(|scope| {
                scope.spawn(|| {
                    // A program that stops early is told by its output.
                    let _ = stdin.write_all(&file);
                    drop(stdin);
                });
                child.wait_with_output().unwrap()
            });
            assert!(output.status.success(), "{program}: {output:?}");
            assert!(output.stdout == texts, "{program} reads something else");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_records_come_back(
        seed in 1u64..,
        parts in prop::collection::vec((0..16usize, 1..40_000usize), 1..5),
        start in 0..500usize,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let mut random = Random(seed);
        let shapes = shapes();
        let mut text: Vec<u8> = parts
            .into_iter()
            .flat_map(|(shape, len)| {
                let mut part = generate(&shapes[shape].1, len, &mut random);
                part.truncate(len);
                part
            })
            .skip(start)
            .collect();
        text.truncate(65_536);
        for (at, byte) in damage {
            if !text.is_empty() {
                let at = at.index(text.len());
                text[at] = byte;
            }
        }
        check(&mut deflaters(), &text);
    }
}

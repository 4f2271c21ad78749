//! Spliced streams of many writers, whole and damaged, against libdeflate: they are streams of the changed text, the same on every
//! instruction set. Then by hand, what was wrong once or nearly.

use crate::common;

use biofast_deflate::{
    BamDeflater, Block, Change, Declined, Effort, FastqDeflater, Fault, FaultKind, Inflater,
    SpliceError, Splicer, StreamMap, crc32,
};
use common::{BitWriter, Random, codes, libdeflate, put_header, read_back};
use libdeflater::Decompressor;

/// The limit of a BGZF block.
const LIMIT: usize = 65_510;

type NewStream = Result<Vec<u8>, Declined>;

/// What splicing needs, kept from stream to stream.
struct Bench {
    inflaters: Vec<Inflater>,
    maps: [StreamMap; 2],
    splicer: Splicer,
}

impl Bench {
    fn new() -> Self {
        let inflaters = common::inflaters().into_iter().map(|(_, inflater)| inflater).collect();
        Self { inflaters, maps: [StreamMap::new(), StreamMap::new()], splicer: Splicer::new() }
    }

    /// Inflates a stream and makes changes in it, with each inflater: the same comes of it. The changed text, and the new
    /// stream or why there is none.
    fn run(
        &mut self,
        stream: &[u8],
        len: usize,
        changes: &[Change],
    ) -> Result<(Vec<u8>, NewStream), FaultKind> {
        let mut first = None;
        for inflater in &mut self.inflaters {
            // Another one beside it, which ends earlier or later.
            let (mut text, mut other) = (vec![0xa5; len], vec![0; 4]);
            let neighbor = [0x4b, 0x4c, 0x4a, 0x4e, 0x06, 0x00];
            let [map, beside] = &mut self.maps;
            let jobs = [
                (Block { input: stream, output: &mut text }, map),
                (Block { input: &neighbor, output: &mut other }, beside),
            ];
            let found = match inflater.inflate_mapped(jobs) {
                Err(Fault { index: 0, kind }) => Err(kind),
                result => {
                    result.unwrap_or_else(|fault| panic!("{fault}"));
                    let before = text.clone();
                    let mut out = b"before".to_vec();
                    let spliced = self
                        .splicer
                        .splice(
                            stream,
                            &self.maps[0],
                            &mut text,
                            crc32(&before),
                            changes,
                            LIMIT,
                            &mut out,
                        )
                        .unwrap();
                    let mut expected = before;
                    changes.iter().for_each(|c| expected[usize::from(c.at)] = c.byte);
                    assert!(text == expected, "the text");
                    assert_eq!(spliced.crc, crc32(&text));
                    let new = out.split_off(6);
                    assert!(spliced.declined.is_none() || new.is_empty());
                    Ok((text, spliced.declined.map_or(Ok(new), Err)))
                }
            };
            let first = first.get_or_insert_with(|| found.clone());
            assert!(*first == found, "the instruction sets differ");
        }
        first.unwrap()
    }

    /// As `run` of a good stream that can be spliced, which libdeflate must find to be one of the changed text. The new stream.
    fn good(&mut self, stream: &[u8], len: usize, changes: &[Change]) -> Vec<u8> {
        let (text, new) = self.run(stream, len, changes).unwrap();
        let new = new.unwrap();
        inflates(&new, &text);
        new
    }
}

fn inflates(stream: &[u8], text: &[u8]) {
    let mut back = vec![0; text.len()];
    let n = Decompressor::new().deflate_decompress(stream, &mut back);
    assert!(n == Ok(text.len()) && back == text, "libdeflate: {n:?}");
}

/// Changes at any bytes: few or many, as flags or anyhow, some of which change nothing.
fn changes(text: &[u8], random: &mut Random) -> Vec<Change> {
    let gap = [1, 3, 40, 300, 3000, 30_000][random.below(6)];
    let how = random.below(4);
    let mut changes = Vec::new();
    let mut at = random.below(1 + gap.min(text.len()));
    while at < text.len() {
        let byte = match how {
            0 => text[at] ^ 4,
            1 => text[random.below(text.len())],
            2 => random.below(256) as u8,
            _ => [text[at], text[at] ^ 4, 0][random.below(3)],
        };
        changes.push(Change { at: at as u16, byte });
        at += 1 + random.below(gap) + random.below(gap);
    }
    changes
}

/// A text and a stream of it.
fn sample(random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let most = [40, 700, 6_000, 65_536][random.below(4)];
    let len = 1 + random.below(most);
    let kind = random.below(6);
    let mut text = common::data(kind, len, random);
    if random.below(20) == 0 {
        // Copies from afar, and the longest text.
        let period = text.clone();
        while text.len() < 1 << 16 {
            text.extend_from_slice(&period);
        }
        text.truncate(1 << 16);
    }
    let mut stream = Vec::new();
    let made = match random.below(4) {
        0 => BamDeflater::new(Effort::Fast).deflate(&text, &mut stream),
        1 => FastqDeflater::new(Effort::Balanced).deflate(&text, &mut stream),
        _ => false,
    };
    if !made {
        stream = common::stream(&text, random);
    }
    (text, stream)
}

/// Splices so many streams.
fn check_streams(count: usize, seed: u64) {
    let mut random = Random(seed);
    let mut bench = Bench::new();
    let (mut done, mut spliced, mut declined) = (0, 0, 0);
    while done < count {
        let (text, stream) = sample(&mut random);
        for _ in 0..4 {
            let changes = changes(&text, &mut random);
            let (text, new) = bench.run(&stream, text.len(), &changes).unwrap();
            match new {
                Ok(new) => {
                    read_back(&new, &text);
                    spliced += 1;
                }
                Err(_) => {
                    // An escape repeats a header.
                    assert!(stream.len() + 350 * changes.len() > LIMIT, "declined for no reason");
                    declined += 1;
                }
            }
            done += 1;
        }
    }
    println!("{spliced} spliced, {declined} declined");
    assert!(declined * 10 < done, "{declined} of {done} declined");
}

#[test]
fn streams_of_every_writer_are_those_of_the_changed_text() {
    check_streams(1_200, 11);
}

/// As many as `BIOFAST_SPLICES` says, 60,000 otherwise.
#[test]
#[ignore = "minutes"]
fn many_streams_are_those_of_the_changed_text() {
    let count = std::env::var("BIOFAST_SPLICES").map_or(60_000, |n| n.parse().unwrap());
    check_streams(count, 12);
}

/// Damages of one stream: what is read is what libdeflate reads, and what comes of it, too.
fn check_damaged(count: usize, seed: u64) {
    let mut random = Random(seed);
    let mut bench = Bench::new();
    let (mut read, mut done) = (0, 0);
    while done < count {
        let (text, stream) = sample(&mut random);
        for _ in 0..8 {
            let mut stream = stream.clone();
            for _ in 0..1 + random.below(3) {
                let n = stream.len();
                stream[random.below(n)] ^= 1 << random.below(8);
            }
            let mut theirs = vec![0; text.len()];
            let found = Decompressor::new().deflate_decompress(&stream, &mut theirs);
            let changes = changes(&theirs, &mut random);
            match bench.run(&stream, text.len(), &changes) {
                Ok((text, new)) => {
                    changes.iter().for_each(|c| theirs[usize::from(c.at)] = c.byte);
                    assert!(found == Ok(text.len()) && text == theirs, "read otherwise");
                    if let Ok(new) = new {
                        inflates(&new, &text);
                    }
                    read += 1;
                }
                Err(FaultKind::TrailingBytes { .. } | FaultKind::TooShort { .. }) => {}
                Err(kind) => assert!(found.is_err(), "refused as {kind:?}"),
            }
            done += 1;
        }
    }
    assert!((count / 10..count).contains(&read), "{read} of {done} were read: the test is blind");
}

#[test]
fn damaged_streams_are_read_as_by_libdeflate() {
    check_damaged(600, 13);
}

/// As many as `BIOFAST_SPLICES` says, 36,000 otherwise.
#[test]
#[ignore = "minutes"]
fn many_damaged_streams_are_read_as_by_libdeflate() {
    check_damaged(std::env::var("BIOFAST_SPLICES").map_or(36_000, |n| n.parse().unwrap()), 14);
}

/// A stream by hand.
struct Hand {
    out: BitWriter,
    symbols: Vec<(usize, usize)>,
    distances: Vec<(usize, usize)>,
    text: Vec<u8>,
}

impl Hand {
    fn new() -> Self {
        let (symbols, distances) = (Vec::new(), Vec::new());
        Self { out: BitWriter::default(), symbols, distances, text: Vec::new() }
    }

    /// Starts a block with codes for these symbols and distance symbols, all of the same length but for some that have a bit less.
    fn dynamic(&mut self, last: bool, used: &[usize], distances: &[usize]) -> &mut Self {
        let symbols = even_lengths(286, used);
        let distances =
            if let &[one] = distances { one_bit(one) } else { even_lengths(30, distances) };
        put_header(&mut self.out, last, &symbols, &distances);
        (self.symbols, self.distances) = (codes(&symbols), codes(&distances));
        self
    }

    fn fixed(&mut self, last: bool) -> &mut Self {
        self.out.put(usize::from(last) | 2, 3);
        let mut lengths = vec![8; 288];
        lengths[144..256].fill(9);
        lengths[256..280].fill(7);
        (self.symbols, self.distances) = (codes(&lengths), codes(&[5; 32]));
        self
    }

    fn symbol(&mut self, symbol: usize) -> &mut Self {
        assert!(self.symbols[symbol].1 > 0, "no code for {symbol}");
        self.out.put_code(self.symbols[symbol]);
        self
    }

    fn literals(&mut self, bytes: &[u8]) -> &mut Self {
        for &byte in bytes {
            self.symbol(byte.into());
            self.text.push(byte);
        }
        self
    }

    /// A match by symbols and the values of their extra bits, with how many these are. It means these numbers.
    fn copy(
        &mut self,
        (symbol, value, bits): (usize, usize, usize),
        (far, far_value, far_bits): (usize, usize, usize),
        (length, distance): (usize, usize),
    ) -> &mut Self {
        self.symbol(symbol);
        self.out.put(value, bits);
        self.out.put_code(self.distances[far]);
        self.out.put(far_value, far_bits);
        for _ in 0..length {
            self.text.push(self.text[self.text.len() - distance]);
        }
        self
    }

    fn end(&mut self) -> &mut Self {
        self.symbol(256)
    }

    /// Each change by itself and all together. The lengths of the new streams.
    fn check(&self, changes: &[(usize, u8)]) -> Vec<usize> {
        let mut bench = Bench::new();
        inflates(&self.out.bytes, &self.text);
        let all: Vec<_> =
            changes.iter().map(|&(at, byte)| Change { at: at as u16, byte }).collect();
        let parts = all.iter().map(std::slice::from_ref).chain([&all[..], &[]]);
        parts.map(|part| bench.good(&self.out.bytes, self.text.len(), part).len()).collect()
    }
}

/// A complete code for the symbols used.
fn even_lengths(symbols: usize, used: &[usize]) -> Vec<u8> {
    let mut lengths = vec![0; symbols];
    if used.is_empty() {
        return lengths;
    }
    let bits = used.len().next_power_of_two().ilog2();
    let short = (1 << bits) - used.len();
    for (i, &symbol) in used.iter().enumerate() {
        lengths[symbol] = if i < short { bits as u8 - 1 } else { bits as u8 };
    }
    lengths
}

fn one_bit(symbol: usize) -> Vec<u8> {
    let mut lengths = vec![0; symbol + 1];
    lengths[symbol] = 1;
    lengths
}

const A: usize = b'a' as usize;
const B: usize = b'b' as usize;
const Q: usize = b'q' as usize;

#[test]
fn the_longest_match_is_found_in_both_spellings() {
    // Found by the 3,368th random stream of a probe: the start of a match was reckoned from the bits of one spelling.
    for (symbol, bits) in [(284, 5), (285, 0)] {
        for used in [&[A, B, 256, 284, 285][..], &[A, 284, 256, 285, Q, B], &[A, B, 256, symbol]] {
            let mut hand = Hand::new();
            hand.dynamic(true, used, &[0, 1]).literals(b"ab");
            hand.copy((symbol, 31 & ((1 << bits) - 1), bits), (1, 0, 0), (258, 2));
            hand.literals(b"ba").end();
            hand.check(&[(0, b'b'), (1, b'a'), (57, b'a'), (259, b'q'), (261, b'b')]);
        }
        let mut hand = Hand::new();
        hand.fixed(true).literals(b"ab");
        hand.copy((symbol, 31 & ((1 << bits) - 1), bits), (1, 0, 0), (258, 2));
        hand.literals(b"ba").end();
        hand.check(&[(0, b'b'), (100, 200), (259, b'q'), (261, 255)]);
    }
}

#[test]
fn symbols_that_no_stream_should_have_are_read_as_by_libdeflate() {
    for (symbol, far) in [(286, 0), (287, 0), (285, 30), (285, 31)] {
        let mut hand = Hand::new();
        hand.fixed(true);
        hand.literals(&(0..200).cycle().take(25_000).collect::<Vec<u8>>());
        // The distance symbols are those of 24,577 and more, with 13 more bits.
        let (bits, distance) = if far == 0 { (0, 1) } else { (13, 24_577) };
        hand.copy((symbol, 0, 0), (far, 0, bits), (258, distance));
        hand.literals(b"xy").end();
        hand.check(&[(423, 5), (24_999, 0), (25_100, 7), (25_257, 9), (25_259, 1)]);
    }
}

#[test]
fn a_match_is_cut_only_where_it_is_wrong() {
    let mut hand = Hand::new();
    hand.dynamic(true, &[A, B, Q, 256, 257, 258, 259, 260, 261, 262, 263, 264], &[0, 1, 7, 6]);
    // 10 bytes, copied from a distance of 16 (symbol 7: 13 to 16).
    hand.literals(b"abbaabababbaabaa").copy((264, 0, 0), (7, 3, 2), (10, 16)).literals(b"q").end();
    let lengths = hand.check(&[(4, b'q'), (20, b'q')]);
    let &[source, target, both, none] = &lengths[..] else { panic!("four") };
    assert!(source > none && target > none, "one end changed: {lengths:?}");
    assert_eq!(both, none, "both ends changed: nothing to cut");
    // Both ends change, and differ then.
    hand.check(&[(4, b'q'), (20, b'b')]);
    hand.check(&[(5, b'q'), (6, b'q'), (20, b'b'), (21, b'q'), (25, b'b')]);
}

#[test]
fn overlapping_matches_are_wrong_at_the_change_and_a_distance_on() {
    let mut hand = Hand::new();
    hand.dynamic(true, &[A, B, Q, 256, 257, 258, 264], &[0, 1, 2, 3]);
    hand.literals(b"ab").copy((264, 0, 0), (1, 0, 0), (10, 2)).literals(b"a");
    hand.copy((264, 0, 0), (0, 0, 0), (10, 1)).end();
    let all: Vec<_> = (0..23).map(|at| (at, b'q')).collect();
    hand.check(&all);
    for step in 2..7 {
        hand.check(&all.iter().copied().step_by(step).collect::<Vec<_>>());
    }
}

#[test]
fn a_match_may_copy_from_a_change_far_behind() {
    let mut text = vec![7; 100];
    let mut random = Random(21);
    text.extend((0..32_768 - 100).map(|_| random.below(256) as u8));
    text.extend_from_within(..300);
    for level in [1, 6, 12] {
        let stream = libdeflate(&text, level);
        let new = Bench::new().good(&stream, text.len(), &[Change { at: 150, byte: 1 }]);
        assert!(new != stream);
    }
}

#[test]
fn the_longest_text_ends_with_any_block() {
    let mut random = Random(22);
    for kind in 0..6 {
        let text = common::data(kind, 1 << 16, &mut random);
        let ends = [0, 1, 4, 255, 256, 65_534, 65_535];
        let changes = ends.map(|at| Change { at, byte: text[usize::from(at)] ^ 4 });
        let mut stream = common::zlib(&text, 6, 5000);
        for _ in 0..3 {
            if stream.len() + 5000 < LIMIT {
                Bench::new().good(&stream, text.len(), &changes);
            }
            // Another empty block before the last one, which is an empty fixed one.
            assert!(stream.ends_with(&[3, 0]));
            stream.truncate(stream.len() - 2);
            stream.extend([0, 0, 0, 0xff, 0xff, 3, 0]);
        }
    }
}

#[test]
fn a_literal_without_a_code_is_borrowed_or_goes_to_a_fixed_block() {
    let mut hand = Hand::new();
    // No code for what changes, in the last block and in one before; then nothing but a fixed block can say it.
    hand.dynamic(false, &[A, B, 256, 257, 264], &[1, 3]).literals(b"abbaab");
    hand.copy((264, 0, 0), (3, 0, 0), (10, 4)).literals(b"abb").end();
    hand.dynamic(true, &[A, B, 256, 264], &[3]).literals(b"bba");
    hand.copy((264, 0, 0), (3, 0, 0), (10, 4)).copy((264, 0, 0), (3, 0, 0), (10, 4)).end();
    let changes: Vec<_> = (0..hand.text.len()).map(|at| (at, b'q')).collect();
    hand.check(&changes);
    for step in [2, 5, 11] {
        hand.check(&changes.iter().copied().step_by(step).collect::<Vec<_>>());
    }
    // Flags of records that are alike: the first is said in a fixed block, the others are copies of its surroundings.
    let record = [b"0123456789abcdef\0\0".as_slice(), &[9; 30]].concat();
    let text: Vec<u8> =
        (0..200).flat_map(|i| [&record[..], &[10 + i % 99, 128 + i % 7]].concat()).collect();
    assert!(!text.contains(&4));
    let stream = libdeflate(&text, 6);
    let flags = (0..200u16).filter(|i| i * i % 7 < 3);
    let flags: Vec<_> = flags.map(|i| Change { at: 50 * i + 16, byte: 4 }).collect();
    let [one, all] =
        [1, flags.len()].map(|n| Bench::new().good(&stream, text.len(), &flags[..n]).len());
    let (first, others) = (one - stream.len(), all - one);
    assert!(
        others / (flags.len() - 1) < 10 && first > 10,
        "{first} bytes for the first, {others} for the others"
    );
}

#[test]
fn blocks_without_distances_or_with_one_are_read_and_written() {
    // Each bit is the only distance; without any code, too.
    for distances in [&[0][..], &[]] {
        for bit in 0..2 {
            let mut hand = Hand::new();
            hand.dynamic(true, &[A, B, 256, 257, 262], distances).literals(b"ab");
            hand.distances = vec![(bit, 1)];
            hand.copy((262, 0, 0), (0, 0, 0), (8, 1)).literals(b"a").end();
            hand.check(&(0..11).map(|at| (at, [b'a', b'q'][at % 2])).collect::<Vec<_>>());
        }
    }
    // A length without a code becomes shorter ones.
    let mut hand = Hand::new();
    hand.dynamic(true, &[A, B, 256, 264], &[0, 1]).literals(b"ab");
    hand.copy((264, 0, 0), (1, 0, 0), (10, 2)).literals(b"a").end();
    hand.check(&[(3, b'a'), (11, b'a')]);
}

#[test]
fn stored_blocks_are_changed_where_they_are() {
    let mut random = Random(23);
    let text = common::data(2, 50_000, &mut random);
    let stored = libdeflate(&text, 0);
    let changes: Vec<_> = (0..500).map(|i| Change { at: 100 * i, byte: 4 }).collect();
    assert_eq!(Bench::new().good(&stored, text.len(), &changes).len(), stored.len());
    // Behind coded blocks that get longer, their bytes start at another bit.
    let text = common::data(0, 3_000, &mut random);
    let mixed = common::zlib(&text, 6, 300);
    for gap in [1, 7, 50, 1000] {
        let changes: Vec<_> =
            (0..3_000).step_by(gap).map(|at| Change { at, byte: b'\x04' }).collect();
        Bench::new().good(&mixed, text.len(), &changes);
    }
}

#[test]
fn what_gets_too_long_is_declined_and_the_text_is_changed() {
    let mut random = Random(24);
    let text: Vec<u8> = (0..65_280).map(|_| random.below(200) as u8).collect();
    let stream = libdeflate(&text, 6);
    let changes: Vec<_> = (0..65_000).step_by(9).map(|at| Change { at, byte: 230 }).collect();
    let (_, new) = Bench::new().run(&stream, text.len(), &changes).unwrap();
    assert_eq!(new, Err(Declined::Long));
    // To the byte.
    let (mut map, mut splicer) = (StreamMap::new(), Splicer::new());
    let mut splice = |limit: usize, text: &[u8], stream: &[u8]| {
        let mut back = vec![0; text.len()];
        let block = Block { input: stream, output: &mut back };
        Inflater::new().inflate_mapped([(block, &mut map)]).unwrap();
        let mut out = Vec::new();
        let changes = [Change { at: 7, byte: back[7] ^ 1 }];
        let spliced =
            splicer.splice(stream, &map, &mut back, crc32(text), &changes, limit, &mut out);
        (spliced.unwrap().declined, out.len())
    };
    let (declined, len) = splice(LIMIT, &text[..6_000], &libdeflate(&text[..6_000], 6));
    assert_eq!(declined, None);
    for (limit, expected) in [(len, (None, len)), (len - 1, (Some(Declined::Long), 0))] {
        assert_eq!(splice(limit, &text[..6_000], &libdeflate(&text[..6_000], 6)), expected);
    }
    // Longer than the blocks of BGZF.
    let long = vec![3; 70_000];
    assert_eq!(splice(1 << 20, &long, &libdeflate(&long, 6)), (Some(Declined::Unmapped), 0));
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let (text, other) =
        (common::data(0, 900, &mut Random(25)), common::data(5, 900, &mut Random(26)));
    let stream = libdeflate(&text, 6);
    let (mut map, mut splicer, mut out) = (StreamMap::new(), Splicer::new(), Vec::new());
    let mut back = vec![0; 900];
    let mut splice = |map: &StreamMap, text: &mut [u8], crc, changes: &[(u16, u8)]| {
        let changes: Vec<_> = changes.iter().map(|&(at, byte)| Change { at, byte }).collect();
        let result = splicer.splice(&stream, map, text, crc, &changes, LIMIT, &mut out);
        assert!(result.is_ok() || out.is_empty());
        result.map(|spliced| spliced.declined)
    };
    let crc = crc32(&text);
    assert_eq!(splice(&map, &mut text.clone(), crc, &[]), Err(SpliceError::Map));
    let cut = [(Block { input: &stream[..90], output: &mut back }, &mut map)];
    Inflater::new().inflate_mapped(cut).unwrap_err();
    assert_eq!(splice(&map, &mut text.clone(), crc, &[]), Err(SpliceError::Map));
    let block = Block { input: &stream, output: &mut back };
    Inflater::new().inflate_mapped([(block, &mut map)]).unwrap();
    assert_eq!(splice(&map, &mut text[..899].to_vec(), crc, &[]), Err(SpliceError::Map));
    let found = crc32(&other);
    assert_eq!(splice(&map, &mut other.clone(), crc, &[]), Err(SpliceError::Checksum { found }));
    for bad in [&[(5, 1), (5, 1)][..], &[(6, 1), (5, 1)], &[(5, 1), (900, 1)]] {
        let mut unchanged = text.clone();
        assert_eq!(splice(&map, &mut unchanged, crc, bad), Err(SpliceError::Changes));
        assert!(unchanged == text);
    }
    assert_eq!(splice(&map, &mut text.clone(), crc, &[(5, 1)]), Ok(None));
}

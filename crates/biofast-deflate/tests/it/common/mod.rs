//! What the tests share: data, streams of several writers and by hand, and the comparison with libdeflate.
#![allow(dead_code, unreachable_pub)] // each test file uses a part

use std::io::{Read as _, Write};

use biofast_deflate::{Block, Fault, FaultKind, Inflater};
use libdeflater::{CompressionLvl, Compressor, Decompressor};

/// A generator of numbers that are random enough.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Data of `len` bytes and one of several kinds: reads, records, noise, runs, periods.
pub fn data(kind: usize, len: usize, random: &mut Random) -> Vec<u8> {
    let mut out = Vec::with_capacity(len + 400);
    let period = 1 + random.below(70);
    while out.len() < len {
        match kind % 6 {
            0 => {
                let n = out.len();
                out.extend(format!("@SIM:1:FCX:1:{n}:{}:{} 1:N:0:1\n", n % 977, n % 31).bytes());
                out.extend((0..100).map(|_| *random.pick(b"ACGTACGTACGTN")));
                out.extend(b"\n+\n");
                out.extend((0..100).map(|_| *random.pick(b"FFFFFFFFFFF:,#")));
                out.push(b'\n');
            }
            1 => {
                let records = biofast_testkit::bam::records(3, 4);
                out.extend(records.iter().flat_map(biofast_testkit::bam::record));
                out.extend((0..random.below(60)).map(|i| i as u8));
            }
            2 => out.push(random.below(256) as u8),
            3 => {
                let byte = random.below(4) as u8;
                let n = 1 + random.below(600);
                out.extend(std::iter::repeat_n(byte, n));
            }
            4 => {
                let byte = if out.len() < period || random.below(300) == 0 {
                    random.below(256) as u8
                } else {
                    out[out.len() - period]
                };
                out.push(byte);
            }
            _ => out.push(*random.pick(b"aab")),
        }
    }
    out.truncate(len);
    out
}

pub fn libdeflate(data: &[u8], level: i32) -> Vec<u8> {
    let mut compressor = Compressor::new(CompressionLvl::new(level).unwrap());
    let mut out = vec![0; compressor.deflate_compress_bound(data.len())];
    let n = compressor.deflate_compress(data, &mut out).unwrap();
    out.truncate(n);
    out
}

/// By zlib-rs, with a flush (an empty stored block) after every `part` bytes.
pub fn zlib(data: &[u8], level: u32, part: usize) -> Vec<u8> {
    let level = flate2::Compression::new(level);
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
    for part in data.chunks(part) {
        encoder.write_all(part).unwrap();
        encoder.flush().unwrap();
    }
    encoder.finish().unwrap()
}

/// A stream from one of all writers.
pub fn stream(data: &[u8], random: &mut Random) -> Vec<u8> {
    match random.below(18) {
        level @ 0..=12 => libdeflate(data, level as i32),
        13 => zlib(data, 0, 1 << 16),
        14 => zlib(data, 1, 1 << 16),
        15 => zlib(data, 9, 1 << 16),
        16 => zlib(data, 6, 1 + random.below(3000)),
        _ => biofast_testkit::container::stored(if data.is_empty() { b"x" } else { data }),
    }
}

/// Writes bits, lowest first.
#[derive(Default)]
pub struct BitWriter {
    pub bytes: Vec<u8>,
    used: usize,
}

impl BitWriter {
    pub fn put(&mut self, value: usize, bits: usize) {
        for i in 0..bits {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().unwrap() |= ((value >> i & 1) << (self.used % 8)) as u8;
            self.used += 1;
        }
    }

    /// A code: highest bit first.
    pub fn put_code(&mut self, (code, bits): (usize, usize)) {
        for i in (0..bits).rev() {
            self.put(code >> i & 1, 1);
        }
    }
}

/// Canonical codes of the given lengths (RFC 1951, 3.2.2).
pub fn codes(lengths: &[u8]) -> Vec<(usize, usize)> {
    let mut all = vec![(0, 0); lengths.len()];
    let mut code = 0;
    for bits in 1..=15 {
        code <<= 1;
        for (symbol, _) in lengths.iter().enumerate().filter(|&(_, &l)| usize::from(l) == bits) {
            all[symbol] = (code, bits);
            code += 1;
        }
    }
    all
}

/// Lengths of a random complete code of `used` symbols among `symbols`, `first` always among them.
pub fn random_lengths(symbols: usize, used: usize, first: usize, random: &mut Random) -> Vec<u8> {
    let mut leaves = vec![0u8];
    while leaves.len() < used {
        // The deeper the likelier, so that long codes come up.
        let at = random.below(leaves.len()).max(random.below(leaves.len()));
        if leaves[at] < 15 {
            leaves[at] += 1;
            leaves.push(leaves[at]);
        }
        if random.below(3) == 0 {
            leaves.sort_unstable();
        }
    }
    let mut lengths = vec![0; symbols];
    lengths[first] = leaves.pop().unwrap().max(1);
    for leaf in leaves {
        loop {
            let symbol = random.below(symbols);
            if lengths[symbol] == 0 {
                lengths[symbol] = leaf;
                break;
            }
        }
    }
    lengths
}

/// The header of a dynamic block with these code lengths, none of them repeated.
pub fn put_header(out: &mut BitWriter, last: bool, symbols: &[u8], distances: &[u8]) {
    out.put(usize::from(last), 1);
    out.put(2, 2);
    out.put(symbols.len() - 257, 5);
    out.put(distances.len() - 1, 5);
    out.put(19 - 4, 4);
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] {
        out.put(if symbol < 16 { 4 } else { 0 }, 3);
    }
    for &length in symbols.iter().chain(distances) {
        out.put_code((usize::from(length), 4));
    }
}

/// A block of random symbols in a random code. Not all of what it says is valid; the oracle knows.
pub fn random_block(random: &mut Random) -> Vec<u8> {
    let mut out = BitWriter::default();
    let blocks = 1 + random.below(3);
    for block in 0..blocks {
        let used = 2 + random.below(280);
        let symbols = random_lengths(286, used, 256, random);
        let used = 2 + random.below(28);
        let distances = random_lengths(30, used, random.below(30), random);
        put_header(&mut out, block + 1 == blocks, &symbols, &distances);
        let (symbols, distances) = (codes(&symbols), codes(&distances));
        for _ in 0..random.below(600) {
            let symbol = random.below(286);
            let (code, bits) = symbols[symbol];
            // Matches only once there is something to copy, mostly.
            if bits == 0
                || symbol == 256
                || (symbol > 256 && out.bytes.len() < 400 && random.below(40) > 0)
            {
                continue;
            }
            out.put_code((code, bits));
            if symbol > 256 {
                let extra = if (265..285).contains(&symbol) { (symbol - 261) / 4 } else { 0 };
                out.put(random.below(1 << extra), extra);
                let near = if random.below(50) == 0 { 30 } else { 12 };
                let found = (0..near).cycle().skip(random.below(near)).take(near);
                let distance = found.into_iter().find(|&d| distances[d].1 > 0);
                let Some(distance) = distance.or(distances.iter().position(|d| d.1 > 0)) else {
                    break;
                };
                out.put_code(distances[distance]);
                let extra = if distance < 4 { 0 } else { distance / 2 - 1 };
                out.put(random.below(1 << extra), extra);
            }
        }
        out.put_code(symbols[256]);
    }
    out.bytes
}

/// All inflaters to test: every instruction set of the CPU, every number of lanes.
pub fn inflaters() -> Vec<(String, Inflater)> {
    let mut all = Vec::new();
    for isa in biofast_kernels::available() {
        for lanes in 1..=4 {
            let mut inflater = Inflater::with_isa(isa).unwrap();
            inflater.set_lanes(lanes);
            all.push((format!("{isa}, {lanes} lanes"), inflater));
        }
    }
    all
}

/// Bytes around every output that must stay as they are.
const GUARD: usize = 70;
const GUARD_BYTE: u8 = 0xa5;

/// Inflates all `streams` to the stated lengths, going on after faults; what came out of each.
pub fn inflate_all(
    inflater: &mut Inflater,
    streams: &[(Vec<u8>, usize)],
) -> Vec<Result<Vec<u8>, FaultKind>> {
    let total: usize = streams.iter().map(|(_, len)| len + GUARD).sum();
    let mut room = vec![GUARD_BYTE; total + GUARD];
    let mut results = Vec::new();
    while results.len() < streams.len() {
        let todo = &streams[results.len()..];
        room.fill(GUARD_BYTE);
        let mut rest = &mut room[GUARD..];
        let mut blocks = Vec::new();
        for (input, len) in todo {
            let (output, more) = std::mem::take(&mut rest).split_at_mut(*len);
            blocks.push(Block { input, output });
            rest = &mut more[GUARD..];
        }
        let fault = inflater.inflate_blocks(blocks).err();
        let good = fault.map_or(todo.len(), |fault: Fault| fault.index);
        let mut at = 0;
        for (i, (_, len)) in todo.iter().enumerate() {
            assert!(room[at..at + GUARD].iter().all(|&b| b == GUARD_BYTE), "written outside");
            if i < good {
                results.push(Ok(room[at + GUARD..at + GUARD + len].to_vec()));
            }
            at += GUARD + len;
        }
        results.extend(fault.map(|fault| Err(fault.kind)));
    }
    results
}

/// Panics unless `ours` is what libdeflate makes of the stream.
pub fn compare(stream: &[u8], len: usize, ours: &Result<Vec<u8>, FaultKind>, what: &str) {
    let mut oracle = Decompressor::new();
    let mut out = vec![0; len];
    let theirs = oracle.deflate_decompress(stream, &mut out);
    let mut inflates = |part: &[u8]| oracle.deflate_decompress(part, &mut vec![0; len]).is_ok();
    let agree = match (&theirs, ours) {
        (Ok(n), Ok(bytes)) => *n == len && *bytes == out,
        // libdeflate doesn't say whether bytes are left. They are, if it takes all of the others and no fewer.
        (Ok(n), Err(FaultKind::TrailingBytes { used })) => {
            *n == len
                && *used < stream.len()
                && inflates(&stream[..*used])
                && !inflates(&stream[..*used - 1])
        }
        (Ok(n), Err(FaultKind::TooShort { found })) => n == found && *n < len,
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        (Err(_), Err(FaultKind::TooShort { .. } | FaultKind::TrailingBytes { .. })) => false,
        (Err(_), Err(_)) => true,
    };
    let ours = ours.as_ref().map(|_| "bytes");
    assert!(agree, "{what}: ours {ours:?}, libdeflate {theirs:?}, {len} bytes from {stream:02x?}");
}

/// Panics unless our own decoder, libdeflate and zlib-rs make `text` of `stream`.
pub fn read_back(stream: &[u8], text: &[u8]) {
    let mut back = vec![0; text.len()];
    Inflater::new().inflate_blocks([Block { input: stream, output: &mut back }]).unwrap();
    assert!(back == text, "our own decoder");
    back.fill(0);
    let n = Decompressor::new().deflate_decompress(stream, &mut back);
    assert!(n == Ok(text.len()) && back == text, "libdeflate");
    let mut back = Vec::new();
    flate2::read::DeflateDecoder::new(stream).read_to_end(&mut back).unwrap();
    assert!(back == text, "zlib-rs");
}

//! The encoder.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::num::NonZeroU8;
use std::ops::Range;

use crate::error::Error;
use crate::input::put_uint7;
use crate::names::token::{MAX_POSITIONS, NEW_POSITION, SAME_STREAM, Token, kind};
use crate::nx16::{self, Options};
use crate::order::Order;

/// The streams of a position, and how often numbers could be told by what they are more than before, or not.
#[derive(Clone, Default)]
struct StreamsWritten {
    streams: [Vec<u8>; kind::COUNT],
    deltas: u32,
    numbers: u32,
}

pub(super) fn encode(names: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    if names.len() > i32::MAX as usize {
        return Err(Error::Invalid("more than 2^31 - 1 bytes of names"));
    }
    if names.last().is_some_and(|&last| last != 0) {
        return Err(Error::Invalid("names that don't end with a NUL"));
    }
    let mut encoder = NameEncoder { names, ..NameEncoder::default() };
    let mut start = 0;
    for name in names.split_inclusive(|&byte| byte == 0) {
        encoder.put(start, &name[..name.len() - 1]);
        start += name.len();
    }
    out.extend((names.len() as u32).to_le_bytes());
    out.extend((encoder.ranges.len() as u32).to_le_bytes());
    out.push(0);
    encoder.finish(out);
    Ok(())
}

#[derive(Default)]
struct NameEncoder<'a> {
    names: &'a [u8],
    positions: Vec<StreamsWritten>,
    /// The last name of these bytes: its number.
    seen: HashMap<&'a [u8], usize, NameHashes>,
    /// Tokens of all names, and where those of each are.
    tokens: Vec<Token>,
    ranges: Vec<Range<usize>>,
}

/// Hashes of names, by a number that nobody knows in advance. What is found by them doesn't depend on it.
#[derive(Clone)]
struct NameHashes(u64);

impl Default for NameHashes {
    fn default() -> NameHashes {
        NameHashes(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for NameHashes {
    type Hasher = NameHasher;

    fn build_hasher(&self) -> NameHasher {
        NameHasher(self.0)
    }
}

struct NameHasher(u64);

impl NameHasher {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ (product as u64).rotate_left(32);
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.mix(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last));
    }

    fn write_usize(&mut self, len: usize) {
        self.mix(len as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl<'a> NameEncoder<'a> {
    /// Encodes a name, which starts at `start` among all.
    fn put(&mut self, start: usize, name: &'a [u8]) {
        let number = self.ranges.len();
        if let Some(earlier) = self.seen.insert(name, number) {
            self.put_about(kind::DUPLICATE, number - earlier);
            self.ranges.push(self.ranges[earlier].clone());
            return;
        }
        // Always the one before, though others have more in common: distances that vary cost more than that saves.
        let earlier = number.saturating_sub(1);
        self.put_about(kind::DIFFERENT, number - earlier);
        let before = self.ranges.get(earlier).cloned().unwrap_or_default();
        let first = self.tokens.len();
        let mut at = 0;
        while at < name.len() {
            let count = self.tokens.len() - first;
            let earlier = before.clone().nth(count).map(|token| self.tokens[token]);
            let (token, len) = if count == MAX_POSITIONS - 3 {
                (string(start + at, name.len() - at), name.len() - at)
            } else {
                next_token(start + at, &name[at..], earlier)
            };
            self.tokens.push(token);
            self.put_token(count + 1, token, earlier);
            at += len;
        }
        let end = self.tokens.len();
        self.streams(end - first + 1).streams[usize::from(kind::TYPE)].push(kind::END);
        self.ranges.push(first..end);
    }

    fn put_about(&mut self, kind: u8, distance: usize) {
        let streams = &mut self.streams(0).streams;
        streams[usize::from(kind::TYPE)].push(kind);
        streams[usize::from(kind)].extend((distance as u32).to_le_bytes());
    }

    fn streams(&mut self, at: usize) -> &mut StreamsWritten {
        if at >= self.positions.len() {
            self.positions.resize(at + 1, StreamsWritten::default());
        }
        &mut self.positions[at]
    }

    /// Encodes the token at a position by that of the earlier name.
    fn put_token(&mut self, at: usize, token: Token, earlier: Option<Token>) {
        let names = self.names;
        let bytes = |start: u32, len: u32| &names[start as usize..][..len as usize];
        let position = self.streams(at);
        let streams = &mut position.streams;
        let is_match = match (token, earlier) {
            (Token::String(start, len), Some(Token::String(other, other_len))) => {
                bytes(start, len) == bytes(other, other_len)
            }
            _ => Some(token) == earlier,
        };
        let delta = match (token, earlier) {
            (Token::Number(number), Some(Token::Number(earlier))) => number.checked_sub(earlier),
            (Token::Padded(number, len), Some(Token::Padded(earlier, other))) if len == other => {
                number.checked_sub(earlier)
            }
            _ => None,
        };
        let mut put = |kind: u8, value: &[u8]| streams[usize::from(kind)].extend_from_slice(value);
        let kind = match (token, delta) {
            _ if is_match => kind::MATCH,
            (Token::Number(_), Some(delta @ 0..256)) if position.numbers < position.deltas + 5 => {
                position.deltas += 1;
                put(kind::DELTA, &[delta as u8]);
                kind::DELTA
            }
            (Token::Padded(..), Some(delta @ 0..256)) => {
                put(kind::PADDED_DELTA, &[delta as u8]);
                kind::PADDED_DELTA
            }
            (Token::Number(number), _) => {
                position.numbers += u32::from(delta.is_some());
                put(kind::NUMBER, &number.to_le_bytes());
                kind::NUMBER
            }
            (Token::Padded(number, len), _) => {
                put(kind::PADDED, &number.to_le_bytes());
                put(kind::PADDED_LEN, &[len]);
                kind::PADDED
            }
            (Token::String(start, len), _) => {
                put(kind::STRING, bytes(start, len));
                put(kind::STRING, &[0]);
                kind::STRING
            }
            (Token::Char(byte), _) => {
                put(kind::CHAR, &[byte]);
                kind::CHAR
            }
            (Token::Nothing, _) => kind::NOTHING,
        };
        streams[usize::from(kind::TYPE)].push(kind);
    }

    /// Compresses and writes all streams.
    fn finish(self, out: &mut Vec<u8>) {
        let mut written: HashMap<Vec<u8>, (u8, u8)> = HashMap::new();
        for (at, mut position) in (0..).zip(self.positions) {
            let [types, values @ ..] = &mut position.streams;
            // A decoder takes the kind of the first stream of values for that of the first token, and matches for the rest.
            let is_implied = types.iter().skip(1).all(|&kind| kind == kind::MATCH);
            if is_implied && values.iter().any(|values| !values.is_empty()) {
                types.clear();
            }
            let mut new = NEW_POSITION;
            for (kind, stream) in (0..).zip(position.streams) {
                if stream.is_empty() {
                    continue;
                }
                if let Some((at, from)) = written.get(&stream).filter(|_| stream.len() > 8) {
                    out.extend([new | SAME_STREAM | kind, *at, *from]);
                } else {
                    let compressed = compress(&stream, kind);
                    out.push(new | kind);
                    put_uint7(out, compressed.len() as u32);
                    out.extend(compressed);
                    written.insert(stream, (at, kind));
                }
                new = 0;
            }
        }
    }
}

/// The token at the front of what is left of a name, which lies at `start` among all names, and its length.
fn next_token(start: usize, rest: &[u8], earlier: Option<Token>) -> (Token, usize) {
    let digits = rest.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 {
        let number = rest[..digits].iter().fold(0, |n, &digit| n * 10 + u32::from(digit - b'0'));
        // A number without zeros in front may be one among those of a fixed length.
        let is_padded = rest[0] == b'0'
            || matches!(earlier, Some(Token::Padded(_, len)) if usize::from(len) == digits);
        let token =
            if is_padded { Token::Padded(number, digits as u8) } else { Token::Number(number) };
        return (token, digits);
    }
    let len = rest.iter().take_while(|byte| !byte.is_ascii_digit()).count();
    match len {
        1 => (Token::Char(rest[0]), 1),
        _ => (string(start, len), len),
    }
}

fn string(start: usize, len: usize) -> Token {
    Token::String(start as u32, len as u32)
}

/// Compresses a stream in the ways that suit its kind, and keeps the smallest.
fn compress(stream: &[u8], kind: u8) -> Vec<u8> {
    let plain = Options { order: Order::Zero, wide: false, pack: false, rle: false, stripe: None };
    let order1 = Options { order: Order::One, ..plain };
    let small = Options { pack: true, rle: true, ..plain };
    let numbers = Options { stripe: NonZeroU8::new(4), ..small };
    let ways: &[Options] = match kind {
        kind::TYPE => &[small, plain, order1],
        kind::STRING | kind::CHAR => &[order1, plain],
        kind::PADDED | kind::NUMBER => &[Options { order: Order::One, ..numbers }],
        kind::DUPLICATE | kind::DIFFERENT => &[numbers, small],
        _ => &[plain, small],
    };
    let streams = ways.iter().map(|way| {
        let mut out = Vec::new();
        nx16::encode(stream, way, &mut out);
        out
    });
    streams.min_by_key(Vec::len).unwrap_or_default()
}

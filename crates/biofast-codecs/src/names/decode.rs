//! The decoder.

use crate::error::Error;
use crate::input::Input;
use crate::names::token::{MAX_POSITIONS, NEW_POSITION, SAME_STREAM, Token, kind, put_number};
use crate::{arith, nx16, transforms};

/// The streams of a position.
#[derive(Default)]
struct StreamsRead {
    /// The kind of the first token if the others match it: then there is no stream of kinds.
    only: Option<u8>,
    /// Streams by their kind, and how much of each is taken.
    streams: [(Vec<u8>, usize); kind::COUNT],
}

impl StreamsRead {
    /// The kind of the next token. Where kinds end, so do names.
    fn kind(&mut self) -> u8 {
        match self.only {
            Some(kind) => {
                self.only = Some(kind::MATCH);
                kind
            }
            None => self.byte(kind::TYPE).unwrap_or(kind::END),
        }
    }

    fn byte(&mut self, kind: u8) -> Result<u8, Error> {
        let (stream, at) = &mut self.streams[usize::from(kind)];
        let &byte = stream.get(*at).ok_or(Error::Truncated)?;
        *at += 1;
        Ok(byte)
    }

    fn u32(&mut self, kind: u8) -> Result<u32, Error> {
        let (stream, at) = &mut self.streams[usize::from(kind)];
        let bytes = stream.get(*at..).and_then(<[u8]>::first_chunk).ok_or(Error::Truncated)?;
        *at += 4;
        Ok(u32::from_le_bytes(*bytes))
    }

    /// The bytes before a NUL.
    fn string(&mut self) -> Result<&[u8], Error> {
        let (stream, at) = &mut self.streams[usize::from(kind::STRING)];
        let rest = stream.get(*at..).unwrap_or_default();
        let len = rest.iter().position(|&byte| byte == 0).ok_or(Error::Truncated)?;
        *at += len + 1;
        Ok(&rest[..len])
    }
}

/// Reads all streams, each decompressed by `decode`. Their total length is bounded by that of the names: no token takes as many bytes
/// a byte of its name.
fn read_positions(
    mut input: Input<'_>,
    raw_len: usize,
    decode: impl Fn(&[u8], usize) -> Result<Vec<u8>, Error>,
) -> Result<Vec<StreamsRead>, Error> {
    let mut positions: Vec<StreamsRead> = Vec::new();
    let mut left = 16 * raw_len + 1024;
    while let Some(&first) = input.0.first() {
        input.byte()?;
        let kind = first & 0x3f;
        if usize::from(kind) >= kind::COUNT {
            return Err(Error::Invalid("a stream of an unknown kind"));
        }
        if first & NEW_POSITION != 0 {
            if positions.len() == MAX_POSITIONS {
                return Err(Error::Invalid("names of more than 127 tokens"));
            }
            positions.push(StreamsRead {
                only: (kind != kind::TYPE).then_some(kind),
                ..StreamsRead::default()
            });
        }
        let mut afford = |len: usize| {
            left = left.checked_sub(len).ok_or(Error::Invalid("streams too long for the names"))?;
            Ok(())
        };
        let mut only = None;
        let stream = if first & SAME_STREAM != 0 {
            let (position, kind) = (usize::from(input.byte()?), usize::from(input.byte()?));
            let from = positions.get(position).ok_or(NO_STREAM)?;
            let (stream, _) = from.streams.get(kind).ok_or(NO_STREAM)?;
            if stream.is_empty() && kind == usize::from(kind::TYPE) {
                only = from.only;
            }
            afford(stream.len())?;
            stream.clone()
        } else {
            let stream = input.u7_slice()?;
            let len = transforms::stated_len(stream)?;
            afford(len)?;
            decode(stream, len)?
        };
        let position = positions.last_mut().ok_or(NO_STREAM)?;
        if kind == kind::TYPE {
            position.only = only;
        }
        position.streams[usize::from(kind)] = (stream, 0);
    }
    Ok(positions)
}

const NO_STREAM: Error = Error::Invalid("a stream that refers to none");

/// An earlier name: where it starts and ends, and its tokens.
#[derive(Clone, Copy)]
struct Name {
    start: usize,
    end: usize,
    tokens: (usize, usize),
}

pub(super) fn decode(stream: &[u8], raw_len: usize) -> Result<Vec<u8>, Error> {
    let mut input = Input(stream);
    let (stated, count) = (input.u32()?, input.u32()? as usize);
    if u64::from(stated) != raw_len as u64 {
        return Err(Error::Length { expected: raw_len, stated: stated.into() });
    }
    if count > raw_len {
        return Err(Error::Invalid("more names than bytes"));
    }
    let by = if input.byte()? == 0 { nx16::decode } else { arith::decode };
    let positions = read_positions(input, raw_len, by)?;
    let mut decoder = NameDecoder { positions, raw_len, ..NameDecoder::default() };
    decoder.out.reserve(raw_len);
    for _ in 0..count {
        decoder.name()?;
    }
    if decoder.out.len() < raw_len {
        return Err(Error::Truncated);
    }
    Ok(decoder.out)
}

#[derive(Default)]
struct NameDecoder {
    positions: Vec<StreamsRead>,
    names: Vec<Name>,
    tokens: Vec<Token>,
    out: Vec<u8>,
    raw_len: usize,
}

impl NameDecoder {
    /// Decodes the next name.
    fn name(&mut self) -> Result<(), Error> {
        let start = self.out.len();
        let about = self.positions.first_mut().ok_or(Error::Truncated)?;
        let kind = about.kind();
        if ![kind::DUPLICATE, kind::DIFFERENT].contains(&kind) {
            return Err(Error::Truncated);
        }
        let distance = about.u32(kind)? as usize;
        let before = self.names.len().checked_sub(distance);
        let before = before.ok_or(Error::Invalid("a name before the first"))?;
        // A name at distance 0 refers to none.
        let earlier = self.names.get(before).copied();
        if kind == kind::DUPLICATE {
            let name = earlier.ok_or(Error::Invalid("a duplicate of no name"))?;
            if name.end - name.start > self.raw_len - start {
                return Err(TOO_LONG);
            }
            self.out.extend_from_within(name.start..name.end);
            self.names.push(Name { start, end: self.out.len(), ..name });
            return Ok(());
        }
        let (first, last) = earlier.map_or((0, 0), |name| name.tokens);
        let tokens = self.tokens.len();
        for at in 1..self.positions.len() {
            let token = first + at - 1;
            let earlier = if token < last { Some(self.tokens[token]) } else { None };
            let Some(token) = self.token(at, earlier)? else {
                self.out.push(0);
                if self.out.len() > self.raw_len {
                    return Err(TOO_LONG);
                }
                // Tokens that are no part of a name must not be many.
                if self.tokens.len() > 4 * self.raw_len + MAX_POSITIONS {
                    return Err(Error::Invalid("more tokens than the names have bytes"));
                }
                let tokens = (tokens, self.tokens.len());
                self.names.push(Name { start, end: self.out.len(), tokens });
                return Ok(());
            };
            self.tokens.push(token);
        }
        Err(Error::Invalid("a name without an end"))
    }

    /// Decodes the token at a position and appends it to the output. `None` at the end of the name.
    fn token(&mut self, at: usize, earlier: Option<Token>) -> Result<Option<Token>, Error> {
        let position = &mut self.positions[at];
        let out = &mut self.out;
        let token = match position.kind() {
            kind::STRING => {
                let start = out.len();
                out.extend_from_slice(position.string()?);
                let token = Token::String(start as u32, (out.len() - start) as u32);
                return self.checked(token);
            }
            kind::CHAR => Token::Char(position.byte(kind::CHAR)?),
            kind::NUMBER => Token::Number(position.u32(kind::NUMBER)?),
            kind::PADDED => {
                Token::Padded(position.u32(kind::PADDED)?, position.byte(kind::PADDED_LEN)?)
            }
            kind::DELTA => {
                let Some(Token::Number(number)) = earlier else { return Err(NO_TOKEN) };
                let delta = position.byte(kind::DELTA)?;
                Token::Number(number.checked_add(delta.into()).ok_or(NO_TOKEN)?)
            }
            kind::PADDED_DELTA => {
                let Some(Token::Padded(number, len)) = earlier else { return Err(NO_TOKEN) };
                let delta = position.byte(kind::PADDED_DELTA)?;
                Token::Padded(number.checked_add(delta.into()).ok_or(NO_TOKEN)?, len)
            }
            kind::MATCH => earlier.ok_or(NO_TOKEN)?,
            kind::NOTHING => Token::Nothing,
            kind::END => return Ok(None),
            _ => return Err(Error::Invalid("a token of an unknown kind")),
        };
        match token {
            Token::String(start, len) => {
                out.extend_from_within(start as usize..(start + len) as usize);
            }
            Token::Char(byte) => out.push(byte),
            Token::Number(number) => put_number(number, 0, out),
            Token::Padded(number, len) => put_number(number, len, out),
            Token::Nothing => {}
        }
        self.checked(token)
    }

    fn checked(&self, token: Token) -> Result<Option<Token>, Error> {
        if self.out.len() > self.raw_len { Err(TOO_LONG) } else { Ok(Some(token)) }
    }
}

const NO_TOKEN: Error = Error::Invalid("a token that refers to none of its kind");
const TOO_LONG: Error = Error::Invalid("names longer than stated");

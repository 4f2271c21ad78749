//! The data series of a slice as they are gathered, and how they become blocks (CRAM specification, sections 8.4, 8.5 and 13).

use std::cmp::Reverse;

use biofast_codecs::fqzcomp::Read;

use super::codec::Codecs;
use crate::cram::bytes::{put_array, put_itf8};
use crate::cram::encoding::{KEYS, Series, TagKey};

/// Numbers of a data series.
#[derive(Default)]
struct Numbers {
    bytes: Vec<u8>,
    first: Option<i32>,
    varies: bool,
}

/// Values of a tag in a slice.
struct TagColumn {
    key: TagKey,
    bytes: Vec<u8>,
    /// The length of each value, of what is text.
    lens: Vec<u32>,
    /// Whether a text has the byte that otherwise ends it.
    has_stop: bool,
}

/// All that is gathered of a slice.
#[derive(Default)]
pub(super) struct Columns {
    numbers: [Numbers; KEYS.len()],
    bytes: [Vec<u8>; KEYS.len()],
    /// The reads that have qualities.
    reads: Vec<Read>,
    /// Lengths of stretches of bases.
    stretches: Vec<u8>,
    tags: Vec<TagColumn>,
    /// Which tags a record has, in their order: the places of their columns.
    lists: Vec<Vec<u32>>,
    /// The list of the record before: mostly that of the next one.
    last_list: usize,
    /// Memory of tags of other slices.
    spares: Vec<Vec<u8>>,
}

/// Ends texts of tags: none can have it in SAM.
const STOP: u8 = b'\t';
/// Content ids of blocks that aren't those of a series, whose number is their id.
const STRETCHES: i32 = 40;
pub(super) const EMBEDDED: i32 = 41;

/// Encodings (section 13).
const EXTERNAL: i32 = 1;
const HUFFMAN: i32 = 3;
const LEN_AND_VALUES: i32 = 4;
const UNTIL: i32 = 5;

fn id(series: usize) -> i32 {
    series as i32 + 1
}

fn id_of_tag([a, b, kind]: TagKey) -> i32 {
    i32::from_be_bytes([0, a, b, kind])
}

fn is_text(kind: u8) -> bool {
    matches!(kind, b'Z' | b'H')
}

impl Columns {
    /// Makes it that of a slice without records, in the same memory.
    pub(super) fn clear(&mut self) {
        let Columns { numbers, bytes, reads, stretches, tags, lists, last_list, spares } = self;
        for Numbers { bytes, first, varies } in numbers {
            bytes.clear();
            (*first, *varies) = (None, false);
        }
        bytes.iter_mut().for_each(Vec::clear);
        reads.clear();
        stretches.clear();
        spares.extend(tags.drain(..).map(|column| column.bytes));
        spares.iter_mut().for_each(Vec::clear);
        lists.clear();
        *last_list = 0;
    }

    /// Bytes that it holds, used or not.
    pub(super) fn held(&self) -> usize {
        let tags = self.tags.iter().map(|column| &column.bytes);
        let series = self.numbers.iter().map(|numbers| &numbers.bytes).chain(&self.bytes);
        series.chain(&self.spares).chain(tags).map(Vec::capacity).sum()
    }

    #[inline]
    pub(super) fn number(&mut self, series: Series, value: i32) {
        let numbers = &mut self.numbers[series as usize];
        match numbers.first {
            Some(first) => numbers.varies |= first != value,
            None => numbers.first = Some(value),
        }
        put_itf8(value, &mut numbers.bytes);
    }

    /// The qualities of a read.
    #[inline]
    pub(super) fn qualities(&mut self, qualities: &[u8], is_reverse: bool) {
        self.reads.push(Read { len: qualities.len(), is_reverse });
        self.bytes(Series::QS).extend_from_slice(qualities);
    }

    /// Where bytes of a series go.
    #[inline]
    pub(super) fn bytes(&mut self, series: Series) -> &mut Vec<u8> {
        &mut self.bytes[series as usize]
    }

    /// A read's feature of this code, so many bases behind the one before.
    #[inline]
    pub(super) fn feature(&mut self, code: u8, distance: usize) {
        self.bytes(Series::FC).push(code);
        self.number(Series::FP, distance as i32);
    }

    /// Bases that are given letter by letter.
    pub(super) fn stretch(&mut self, bases: &[u8]) {
        put_itf8(bases.len() as i32, &mut self.stretches);
        self.bytes(Series::BB).extend_from_slice(bases);
    }

    /// A record's tags in their order: each key with its value as BAM stores it, text without its NUL.
    pub(super) fn tags(&mut self, tags: &[(TagKey, &[u8])]) {
        let is_it = |list: &Vec<u32>, columns: &[TagColumn]| {
            let keys = list.iter().map(|&column| columns[column as usize].key);
            list.len() == tags.len() && keys.eq(tags.iter().map(|(key, _)| *key))
        };
        let known = match self.lists.get(self.last_list).is_some_and(|list| is_it(list, &self.tags))
        {
            true => Some(self.last_list),
            false => self.lists.iter().position(|list| is_it(list, &self.tags)),
        };
        self.last_list = known.unwrap_or_else(|| {
            let list = tags.iter().map(|&(key, _)| self.column(key)).collect();
            self.lists.push(list);
            self.lists.len() - 1
        });
        self.number(Series::TL, self.last_list as i32);
        for (&column, (key, value)) in self.lists[self.last_list].iter().zip(tags) {
            let column = &mut self.tags[column as usize];
            if is_text(key[2]) {
                column.lens.push(value.len() as u32 + 1);
                column.has_stop |= memchr::memchr(STOP, value).is_some();
                column.bytes.extend_from_slice(value);
                column.bytes.extend([0, STOP]);
            } else {
                if key[2] == b'B' {
                    put_itf8(value.len() as i32, &mut column.bytes);
                }
                column.bytes.extend_from_slice(value);
            }
        }
    }

    /// The place of a tag's column. A tag that a record has twice has one.
    fn column(&mut self, key: TagKey) -> u32 {
        let place = self.tags.iter().position(|column| column.key == key).unwrap_or_else(|| {
            let (bytes, lens) = (self.spares.pop().unwrap_or_default(), Vec::new());
            self.tags.push(TagColumn { key, bytes, lens, has_stop: false });
            self.tags.len() - 1
        });
        place as u32
    }

    /// The compression header, which says how all this is stored.
    pub(super) fn compression_header(&mut self, delta: bool, needs_reference: bool) -> Vec<u8> {
        let mut map = Map::default();
        map.entry(b"RN", &[1]);
        map.entry(b"AP", &[u8::from(delta)]);
        map.entry(b"RR", &[u8::from(needs_reference)]);
        map.entry(b"SM", &self.code_substitutions());
        let mut dictionary = Vec::new();
        for list in &self.lists {
            dictionary.extend(list.iter().flat_map(|&column| self.tags[column as usize].key));
            dictionary.push(0);
        }
        let mut entry = Vec::new();
        put_array(&dictionary, &mut entry);
        map.entry(b"TD", &entry);
        let mut out = Vec::new();
        map.write(&mut out);

        let mut map = Map::default();
        for (series, key) in KEYS.iter().enumerate() {
            if let Some(encoding) = self.encoding(series) {
                map.entry(&key[..], &encoding);
            }
        }
        map.write(&mut out);

        let mut map = Map::default();
        for column in &self.tags {
            let mut key = Vec::new();
            put_itf8(id_of_tag(column.key), &mut key);
            map.entry(&key, &column.encoding());
        }
        map.write(&mut out);
        out
    }

    /// Gives each substitution its code: the more often one occurs for its reference base, the lower. Returns the matrix, which has for each
    /// base of the reference, in the order ACGTN, the codes of the other four, two bits each.
    fn code_substitutions(&mut self) -> [u8; 5] {
        let bytes = self.bytes(Series::BS);
        let mut counts = [[0u32; 4]; 5];
        bytes.iter().for_each(|&n| counts[usize::from(n / 4)][usize::from(n % 4)] += 1);
        let (mut codes, mut matrix) = ([0; 20], [0; 5]);
        for ((counts, codes), row) in counts.iter().zip(codes.chunks_exact_mut(4)).zip(&mut matrix)
        {
            let mut places = [0, 1, 2, 3];
            places.sort_by_key(|&place| Reverse(counts[place]));
            for (code, place) in (0..).zip(places) {
                codes[place] = code;
                *row |= code << (6 - 2 * place);
            }
        }
        bytes.iter_mut().for_each(|n| *n = codes[usize::from(*n)]);
        matrix
    }

    /// How a series is stored; `None` if it has no values and nobody asks how.
    fn encoding(&self, series: usize) -> Option<Vec<u8>> {
        const ARRAYS: [Series; 3] = [Series::RN, Series::IN, Series::SC];
        let numbers = &self.numbers[series];
        if let Some(first) = numbers.first {
            return Some(if numbers.varies { external(id(series)) } else { constant(first) });
        }
        match () {
            // htslib wants to know of bases and qualities where reads have none, and htsjdk has no constant for all qualities of a read.
            () if self.bytes[series].is_empty() => match () {
                () if series == Series::BA as usize => Some(constant(0)),
                () if series == Series::QS as usize => Some(external(id(series))),
                () => None,
            },
            () if series == Series::BB as usize => {
                let parts = [external(STRETCHES), external(id(series))];
                Some(encoding(LEN_AND_VALUES, &parts.concat()))
            }
            () if ARRAYS.iter().any(|&array| array as usize == series) => {
                Some(until(0, id(series)))
            }
            () => Some(external(id(series))),
        }
    }

    /// Gives the data of each block with its content id to `codecs`, which writes it.
    pub(super) fn blocks(&mut self, codecs: &mut Codecs<'_>) {
        for series in 0..KEYS.len() {
            let numbers = &self.numbers[series];
            if numbers.varies {
                codecs.numbers(id(series), &numbers.bytes);
            }
            let bytes = &self.bytes[series];
            match () {
                () if series == Series::QS as usize => {
                    codecs.qualities(id(series), bytes, &self.reads);
                }
                () if series == Series::RN as usize => codecs.names(id(series), bytes),
                () if series == Series::BB as usize => codecs.bases(id(series), bytes),
                () => codecs.bytes(id(series), bytes),
            }
        }
        codecs.numbers(STRETCHES, &self.stretches);
        for column in &mut self.tags {
            column.settle();
            match column.key[2] {
                b'i' | b'I' | b'f' => codecs.words(id_of_tag(column.key), &column.bytes),
                _ => codecs.bytes(id_of_tag(column.key), &column.bytes),
            }
        }
    }
}

impl TagColumn {
    fn encoding(&self) -> Vec<u8> {
        let id = id_of_tag(self.key);
        match self.key[2] {
            kind if is_text(kind) && !self.has_stop => until(STOP, id),
            kind => {
                let len = match kind {
                    b'A' | b'c' | b'C' => constant(1),
                    b's' | b'S' => constant(2),
                    b'd' => constant(8),
                    b'B' | b'Z' | b'H' => external(id),
                    _ => constant(4),
                };
                encoding(LEN_AND_VALUES, &[len, external(id)].concat())
            }
        }
    }

    /// Texts that have the byte which ends texts get their lengths before them.
    fn settle(&mut self) {
        if !self.has_stop {
            return;
        }
        let (mut bytes, mut rest) = (Vec::with_capacity(self.bytes.len()), &self.bytes[..]);
        for &len in &self.lens {
            let (value, behind) = rest.split_at(len as usize);
            put_array(value, &mut bytes);
            rest = &behind[1..];
        }
        self.bytes = bytes;
    }
}

/// A map of the compression header: its length, its number of entries, and these.
#[derive(Default)]
struct Map {
    entries: Vec<u8>,
    count: i32,
}

impl Map {
    fn entry(&mut self, key: &[u8], value: &[u8]) {
        self.entries.extend_from_slice(key);
        self.entries.extend_from_slice(value);
        self.count += 1;
    }

    fn write(self, out: &mut Vec<u8>) {
        let mut map = Vec::new();
        put_itf8(self.count, &mut map);
        map.extend(self.entries);
        put_array(&map, out);
    }
}

fn encoding(kind: i32, parameters: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_itf8(kind, &mut out);
    put_array(parameters, &mut out);
    out
}

fn external(id: i32) -> Vec<u8> {
    let mut parameters = Vec::new();
    put_itf8(id, &mut parameters);
    encoding(EXTERNAL, &parameters)
}

/// A code of one symbol, which takes no bits.
fn constant(value: i32) -> Vec<u8> {
    let mut parameters = vec![1];
    put_itf8(value, &mut parameters);
    parameters.extend([1, 0]);
    encoding(HUFFMAN, &parameters)
}

fn until(stop: u8, id: i32) -> Vec<u8> {
    let mut parameters = vec![stop];
    put_itf8(id, &mut parameters);
    encoding(UNTIL, &parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualities_of_reads_without_any_are_stored_as_htsjdk_knows_it() {
        let series = Series::QS as usize;
        assert_eq!(Columns::default().encoding(series), Some(external(id(series))));
    }

    #[test]
    fn frequent_substitutions_have_low_codes_and_are_told_by_the_matrix() {
        let mut columns = Columns::default();
        assert_eq!(columns.code_substitutions(), [0x1b; 5], "without any, in their order");
        // Of C: three times G (place 1), twice T (2), once A (0). Of N: T (3).
        let stored = [5, 6, 5, 4, 19, 6, 5];
        columns.bytes(Series::BS).extend(stored);
        let matrix = columns.code_substitutions();
        assert_eq!(columns.bytes(Series::BS)[..], [0, 1, 0, 2, 0, 1, 0]);
        for (&code, n) in columns.bytes(Series::BS).iter().zip(stored) {
            assert_eq!(matrix[usize::from(n / 4)] >> (6 - 2 * (n % 4)) & 3, code);
        }
        assert_eq!((matrix[0], matrix[1]), (0x1b, 0b10_00_01_11));
    }
}

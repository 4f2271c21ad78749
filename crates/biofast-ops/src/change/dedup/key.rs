//! What is compared: the key of a read or pair.

use biofast_fastq::Unit;
use biofast_fastq::pair::pair_template;

use super::arena::push_number;
use super::choice::{Dedup, DedupBy};

/// Where the parts of a key are, in the bytes it was appended to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lens {
    /// Of its start that must be equal even where mismatches are allowed.
    pub(super) head: usize,
    /// Of the key.
    pub(super) key: usize,
    /// Of the key of the other strand behind it, if both count and mismatches are allowed.
    pub(super) other: usize,
}

/// Makes keys: two reads or pairs are the same if their keys are.
pub(super) struct Keys<'d> {
    choice: &'d Dedup,
    /// The mates as they are compared.
    mates: [Vec<u8>; 2],
    turned: Vec<u8>,
}

impl<'d> Keys<'d> {
    pub(super) fn new(choice: &'d Dedup) -> Keys<'d> {
        Keys { choice, mates: Default::default(), turned: Vec::new() }
    }

    /// Appends the key of a unit.
    pub(super) fn make(&mut self, unit: &Unit<'_>, out: &mut Vec<u8>) -> Result<Lens, String> {
        let Keys { choice, mates, turned } = self;
        let choice = *choice;
        let start = out.len();
        let name = || match unit.second {
            None => unit.first.name(),
            Some(second) => pair_template(unit.first.name(), second.name(), choice.mates),
        };
        if choice.by == DedupBy::Name {
            out.extend_from_slice(name());
            return Ok(Lens { key: out.len() - start, ..Lens::default() });
        }
        let umi = match choice.umi_separator {
            Some(separator) => umi(name(), separator)?,
            None => &[],
        };
        if choice.by == DedupBy::Umi {
            push_number(out, umi.len());
            let head = out.len() - start;
            out.extend_from_slice(umi);
            return Ok(Lens { head, key: out.len() - start, other: 0 });
        }
        let second = unit.second.map(|second| second.sequence());
        let [one, two] = [Some(unit.first.sequence()), second].map(|sequence| {
            let sequence = sequence.unwrap_or_default();
            choice.prefix.map_or(sequence, |most| &sequence[..sequence.len().min(most)])
        });
        let [one, two] = plain(choice, [one, two], mates);
        let paired = second.is_some();
        if choice.umi_separator.is_some() {
            push_number(out, umi.len());
            out.extend_from_slice(umi);
        }
        if choice.mismatches > 0 {
            return Ok(near(choice, paired, [one, two], turned, out, start));
        }
        let both = choice.either_strand;
        if both && !paired {
            turn(one, turned);
        }
        let [one, two] = match paired {
            false if both && turned[..] < *one => [&turned[..], two],
            true if both && (two, one) < (one, two) => [two, one],
            _ => [one, two],
        };
        pack(one, out);
        if paired {
            pack(two, out);
        }
        Ok(Lens { head: 0, key: out.len() - start, other: 0 })
    }
}

/// The mates in letters that are compared as they are.
fn plain<'a>(choice: &Dedup, mates: [&'a [u8]; 2], changed: &'a mut [Vec<u8>; 2]) -> [&'a [u8]; 2] {
    let Dedup { ignore_case, either_strand, .. } = *choice;
    if !ignore_case && !either_strand {
        return mates;
    }
    for (plain, mate) in changed.iter_mut().zip(mates) {
        plain.clear();
        plain.extend(mate.iter().map(|&base| {
            let base = if ignore_case { base.to_ascii_uppercase() } else { base };
            match base {
                // The complement of A is one of them.
                b'U' if either_strand => b'T',
                b'u' if either_strand => b't',
                base => base,
            }
        }));
    }
    [&changed[0], &changed[1]]
}

/// The key where mismatches are allowed: lengths, then the bases as they are.
fn near(
    choice: &Dedup,
    paired: bool,
    [one, two]: [&[u8]; 2],
    turned: &mut Vec<u8>,
    out: &mut Vec<u8>,
    start: usize,
) -> Lens {
    let umi = start..out.len();
    let append = |out: &mut Vec<u8>, [one, two]: [&[u8]; 2]| {
        push_number(out, one.len());
        if paired {
            push_number(out, two.len());
        }
        let head = out.len();
        out.extend_from_slice(one);
        out.extend_from_slice(two);
        head
    };
    let head = append(out, [one, two]) - start;
    let key = out.len() - start;
    if choice.either_strand {
        out.extend_from_within(umi);
        if paired {
            append(out, [two, one]);
        } else {
            turn(one, turned);
            append(out, [turned, &[]]);
        }
    }
    Lens { head, key, other: out.len() - start - key }
}

/// The identifier at the end of a name, with a word and `_` in front of it if there is one. Halves of a dual one may begin with `r`,
/// which says that they are reverse-complemented.
fn umi(name: &[u8], separator: u8) -> Result<&[u8], String> {
    let at = name.iter().rposition(|&byte| byte == separator);
    let field = at.map(|at| &name[at + 1..]).unwrap_or_default();
    let bases = match field.iter().position(|&byte| byte == b'_') {
        Some(at) if field[..at].iter().all(u8::is_ascii_alphanumeric) => &field[at + 1..],
        _ => field,
    };
    let is_base = |byte: &u8| b"ACGTUNacgtun".contains(byte);
    let mut halves = bases.split(|byte| b"+-_".contains(byte));
    if bases.is_empty()
        || !halves.all(|half| half.strip_prefix(b"r").unwrap_or(half).iter().all(is_base))
    {
        let separator = char::from(separator);
        return Err(format!("its name doesn't end with '{separator}' and a UMI"));
    }
    Ok(field)
}

/// The reverse complement; letters without one stay.
fn turn(sequence: &[u8], out: &mut Vec<u8>) {
    const COMPLEMENT: [u8; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = byte as u8;
            byte += 1;
        }
        let pairs = b"ATCGRYKMBVDH";
        let mut at = 0;
        while at < pairs.len() {
            let (one, two) = (pairs[at], pairs[at + 1]);
            table[one as usize] = two;
            table[two as usize] = one;
            table[one as usize | 0x20] = two | 0x20;
            table[two as usize | 0x20] = one | 0x20;
            at += 2;
        }
        table
    };
    out.clear();
    out.extend(sequence.iter().rev().map(|&base| COMPLEMENT[usize::from(base)]));
}

/// Appends a sequence in two bits a base; other letters than A, C, G and T follow with their places, or, if they are many, all
/// letters are kept as they are. Different sequences have different bytes, and none are the start of others.
fn pack(sequence: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    push_number(out, sequence.len() << 1);
    let mut others = 0;
    let (lines, rest) = sequence.as_chunks::<32>();
    for line in lines {
        // Stored together, as to append takes longer than to pack.
        let mut packed = 0;
        for (number, word) in line.as_chunks::<8>().0.iter().enumerate() {
            let (word, is_plain) = pack_word(*word);
            packed |= u64::from(word) << (16 * number);
            others += usize::from(!is_plain);
        }
        out.extend_from_slice(&packed.to_le_bytes());
    }
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        let (packed, is_plain) = pack_word(*word);
        out.extend_from_slice(&packed.to_le_bytes());
        others += usize::from(!is_plain);
    }
    let mut last = [b'A'; 8];
    last[..rest.len()].copy_from_slice(rest);
    let (packed, is_plain) = pack_word(last);
    out.extend_from_slice(&packed.to_le_bytes()[..rest.len().div_ceil(4)]);
    others += usize::from(!is_plain);
    if others == 0 {
        out.push(0);
        return;
    }
    let is_other = |base: u8| (base != b'A') & (base != b'C') & (base != b'G') & (base != b'T');
    let number: usize = sequence.iter().map(|&base| usize::from(is_other(base))).sum();
    if number * 3 > sequence.len() {
        out.truncate(start);
        push_number(out, sequence.len() << 1 | 1);
        out.extend_from_slice(sequence);
        return;
    }
    push_number(out, number);
    let mut before = 0;
    for (group, first) in sequence.chunks(16).zip((0..).step_by(16)) {
        // Nearly all have none.
        if !group.iter().fold(false, |any, &base| any | is_other(base)) {
            continue;
        }
        for (&base, at) in group.iter().zip(first..).filter(|(base, _)| is_other(**base)) {
            push_number(out, at - before);
            out.push(base);
            before = at;
        }
    }
}

/// Two bits of each of eight letters, and whether they are all of A, C, G and T.
#[inline]
fn pack_word(word: [u8; 8]) -> (u16, bool) {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let word = u64::from_le_bytes(word);
    // A, C, T, G are 0, 1, 2, 3.
    let codes = word >> 1 & (ONES * 3);
    let is_t = codes >> 1 & !codes & ONES;
    let letters = ONES * 0x41 + codes * 2 + is_t * 0x0f;
    let pairs = (codes | codes >> 6) & 0x000f_000f_000f_000f;
    let fours = (pairs | pairs >> 12) & 0x0000_00ff_0000_00ff;
    ((fours | fours >> 24) as u16, letters == word)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use biofast_fastq::Record;
    use proptest::prelude::*;

    use super::*;

    fn packed(sequence: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        pack(sequence, &mut out);
        out
    }

    fn key(choice: &Dedup, name: &str, mates: &[&str]) -> Vec<u8> {
        let quality = "I".repeat(99);
        let record = |bases: &&'_ str| {
            let quality = &quality.as_bytes()[..bases.len()];
            (bases.as_bytes().to_vec(), quality.to_vec())
        };
        let records: Vec<_> = mates.iter().map(record).collect();
        let records: Vec<_> = records
            .iter()
            .map(|(bases, quality)| Record::new(name.as_bytes(), bases, quality))
            .collect();
        let unit = Unit { index: 0, first: records[0], second: records.get(1).copied() };
        let mut out = Vec::new();
        Keys::new(choice).make(&unit, &mut out).unwrap();
        out
    }

    proptest! {
        #[test]
        fn different_sequences_have_different_keys_and_none_is_the_start_of_another(
            sequences in prop::collection::vec("[ACGT]{0,40}|[ACGTNacgt.*-]{0,40}|[ACGT]{9}N[ACGT]{9}", 2..30)
        ) {
            let mut known: HashMap<Vec<u8>, &str> = HashMap::new();
            for sequence in &sequences {
                let key = packed(sequence.as_bytes());
                prop_assert_eq!(*known.entry(key.clone()).or_insert(sequence), sequence);
                for (other, of) in &known {
                    prop_assert!(*of == sequence || !other.starts_with(&key));
                }
            }
        }
    }

    #[test]
    fn a_base_takes_two_bits() {
        assert_eq!(packed(b"ACGT".repeat(40).as_slice()).len(), 2 + 40 + 1);
        assert_eq!(packed(b"ACGTN").len(), 1 + 2 + 1 + 2);
    }

    #[test]
    fn either_strand_is_the_same_where_that_is_wanted() {
        let one = Dedup::new();
        let both = Dedup::new().either_strand(true);
        assert_ne!(key(&one, "r", &["AACG"]), key(&one, "r", &["CGTT"]));
        assert_eq!(key(&both, "r", &["AACG"]), key(&both, "r", &["CGTT"]));
        assert_eq!(key(&both, "r", &["AACG"]), key(&both, "r", &["AACG"]));
        assert_eq!(key(&both, "r", &["GRUBN"]), key(&both, "r", &["NVAYC"]));
        assert_eq!(key(&both, "r", &["AA", "CCG"]), key(&both, "r", &["CCG", "AA"]));
        assert_ne!(key(&one, "r", &["AA", "CCG"]), key(&one, "r", &["CCG", "AA"]));
        assert_ne!(key(&both, "r", &["AA", "CCG"]), key(&both, "r", &["AAC", "CG"]));
    }

    #[test]
    fn case_prefix_and_umi_count_as_they_are_meant() {
        let folded = Dedup::new().ignore_case(true);
        assert_eq!(key(&folded, "r", &["acgT"]), key(&folded, "r", &["ACGT"]));
        assert_ne!(key(&Dedup::new(), "r", &["acgT"]), key(&Dedup::new(), "r", &["ACGT"]));
        let front = Dedup::new().prefix(3);
        assert_eq!(key(&front, "r", &["ACGT", "A"]), key(&front, "r", &["ACGA", "A"]));
        assert_ne!(key(&front, "r", &["AC", "A"]), key(&front, "r", &["ACG", "A"]));
        let with_umi = Dedup::new().umi(b':');
        assert_ne!(key(&with_umi, "r:AC", &["A"]), key(&with_umi, "r:AG", &["A"]));
        assert_eq!(key(&with_umi, "r:AC", &["A"]), key(&with_umi, "q:AC", &["A"]));
        let umi = Dedup::new().by(DedupBy::Umi).umi(b'_');
        assert_eq!(key(&umi, "r_AC", &["A"]), key(&umi, "q_AC", &["C"]));
        assert!(super::umi(b"a:b:12", b':').is_err() && super::umi(b"ACGT", b':').is_err());
        for umi in ["AC+GT", "ACGT+rTTAG", "rACGT", "UMI_ACGT", "U_ACG_TTT", "acg-ttu"] {
            let name = format!("a:b:{umi}");
            assert_eq!(super::umi(name.as_bytes(), b':').unwrap(), umi.as_bytes());
        }
        for other in ["7_12", "UMI_", "ACrGT", "r1", "x"] {
            let name = format!("a:b:{other}");
            assert!(super::umi(name.as_bytes(), b':').is_err(), "{other}");
        }
        let name = Dedup::new().by(DedupBy::Name);
        assert_eq!(key(&name, "r/1 x", &["A", "C"]), b"r");
        assert_eq!(key(&name, "r/1 x", &["A"]), b"r/1");
    }
}

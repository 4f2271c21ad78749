//! BAM's packed bases and raw qualities: scalar against strings of letters, every instruction set against scalar.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{EDGES, any_byte, bytes_of, count};
use crate::*;

/// The letters by code, and below each its complement.
const CODES: &[u8] = b"=ACMGRSVTWYHKDBN";
const OPPOSITES: &[u8] = b"=TGKCYSBAWRDMHVN";

/// What every output starts with: kernels append.
const BEFORE: &[u8] = b"before";

fn code(letter: u8) -> u8 {
    CODES.iter().position(|&code| code == letter).unwrap() as u8
}

/// Two letters a byte, with `pad` where the last is alone.
fn pack(letters: &[u8], pad: u8) -> Vec<u8> {
    let second = |pair: &[u8]| pair.get(1).map_or(pad, |&letter| code(letter));
    letters.chunks(2).map(|pair| code(pair[0]) << 4 | second(pair)).collect()
}

fn appended(append: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = BEFORE.to_vec();
    append(&mut out);
    out.strip_prefix(BEFORE).expect("what was there stays").to_vec()
}

fn opposite(letter: &u8) -> u8 {
    OPPOSITES[usize::from(code(*letter))]
}

/// Scalar against strings.
pub(super) fn check_bases_by_definition(letters: &[u8], pad: u8) {
    let kernels = kernels_for(Isa::Scalar).unwrap();
    let (packed, len) = (pack(letters, pad), letters.len());
    assert_eq!(appended(|out| (kernels.unpack_bases)(&packed, len, out)), letters);
    let opposites: Vec<u8> = letters.iter().rev().map(opposite).collect();
    let unpack = kernels.unpack_bases_reverse_complement;
    assert_eq!(appended(|out| unpack(&packed, len, out)), opposites);

    let [a, c, g, t, n] = ["A", "C", "G", "T", "N"].map(|letter| count(letters, letter));
    let other = count(letters, "=MRSVWYHKDB");
    let counts = BaseCounts { a, c, g, t, n, other };
    assert_eq!((kernels.count_packed_bases)(&packed, len), counts);
    let counts = GcCounts { gc: g + c, acgt: a + c + g + t };
    assert_eq!((kernels.count_packed_gc)(&packed, len), counts);
}

/// Scalar against the kernels of ASCII qualities.
pub(super) fn check_qualities_by_definition(raw: &[u8]) {
    let kernels = kernels_for(Isa::Scalar).unwrap();
    let ascii: Vec<u8> = raw.iter().map(|&q| if q > 93 { b'~' } else { b'!' + q }).collect();
    let reversed: Vec<u8> = ascii.iter().rev().copied().collect();
    assert_eq!(appended(|out| (kernels.copy_qualities)(raw, out)), ascii);
    assert_eq!(appended(|out| (kernels.copy_qualities_reversed)(raw, out)), reversed);
    let summary = (kernels.summarize_qualities)(&ascii);
    assert_eq!((kernels.summarize_raw_qualities)(raw), summary);
    assert_eq!(is_missing(raw), raw.starts_with(b"\xff"));
}

/// The kernels of packed bases against scalar. There may be more bytes than needed.
pub(super) fn check_bases(kernels: &Kernels, packed: &[u8], len: usize) {
    let scalar = kernels_for(Isa::Scalar).unwrap();
    let unpack = |kernels: &Kernels| {
        let ahead = appended(|out| (kernels.unpack_bases)(packed, len, out));
        let back = appended(|out| (kernels.unpack_bases_reverse_complement)(packed, len, out));
        (ahead, back)
    };
    assert!(unpack(kernels) == unpack(scalar), "{}: {len} bases", kernels.isa);
    let count = |kernels: &Kernels| {
        ((kernels.count_packed_bases)(packed, len), (kernels.count_packed_gc)(packed, len))
    };
    assert_eq!(count(kernels), count(scalar), "{}: {len} bases", kernels.isa);
}

/// The kernels of raw qualities against scalar.
pub(super) fn check_qualities(kernels: &Kernels, raw: &[u8]) {
    let scalar = kernels_for(Isa::Scalar).unwrap();
    let results = |kernels: &Kernels| {
        let ahead = appended(|out| (kernels.copy_qualities)(raw, out));
        let back = appended(|out| (kernels.copy_qualities_reversed)(raw, out));
        (ahead, back, (kernels.summarize_raw_qualities)(raw))
    };
    assert!(results(kernels) == results(scalar), "{}: {} qualities", kernels.isa, raw.len());
}

/// All bases that fit, and one fewer: the last code is a base, then it isn't.
pub(super) fn check_bytes(kernels: &Kernels, bytes: &[u8]) {
    check_bases(kernels, bytes, 2 * bytes.len());
    check_bases(kernels, bytes, (2 * bytes.len()).saturating_sub(1));
    check_qualities(kernels, bytes);
}

pub(super) fn check_every_length(kernels: &Kernels) {
    let phreds: Vec<u8> = (0..=93).collect();
    for len in 0..=200 {
        for seed in 0..4 {
            let bytes = bytes_of(&any_byte(), len, 4 * len + seed);
            check_bases(kernels, &bytes, len);
            check_bytes(kernels, &bytes);
        }
        check_qualities(kernels, &bytes_of(&phreds, len, len));
        // One code alone.
        for code in 0..16 {
            check_bytes(kernels, &vec![17 * code; len]);
        }
    }
}

pub(super) fn check_every_alignment(kernels: &Kernels) {
    let bytes = any_byte();
    for start in 0..64 {
        check_bytes(kernels, &bytes[start..]);
        for len in [40, 75, 76, 150] {
            check_bytes(kernels, &bytes[start..start + len]);
        }
        // The outputs too.
        let mut out = vec![b'x'; start];
        (kernels.unpack_bases)(&bytes, 151, &mut out);
        (kernels.copy_qualities)(&bytes[..75], &mut out);
        (kernels.unpack_bases_reverse_complement)(&bytes, 151, &mut out);
        (kernels.copy_qualities_reversed)(&bytes[..75], &mut out);
        assert!(out[..start].iter().all(|&byte| byte == b'x'));
        let scalar = kernels_for(Isa::Scalar).unwrap();
        let expected = [
            appended(|out| (scalar.unpack_bases)(&bytes, 151, out)),
            appended(|out| (scalar.copy_qualities)(&bytes[..75], out)),
            appended(|out| (scalar.unpack_bases_reverse_complement)(&bytes, 151, out)),
            appended(|out| (scalar.copy_qualities_reversed)(&bytes[..75], out)),
        ];
        assert_eq!(out[start..], expected.concat());
    }
}

/// Counters of four bits that are widened every 7 vectors of 16, 32 or 64 bytes, and the edges of wider ones.
pub(super) fn check_flush_edges(kernels: &Kernels) {
    let groups = [7 * 16, 7 * 32, 7 * 64].into_iter().flat_map(|group| {
        (1..4).flat_map(move |groups| [-1, 0, 1].map(|change| (groups * group) + change))
    });
    for len in groups.map(|len: i32| len as usize) {
        for code in [1, 2, 4, 8, 15] {
            check_bytes(kernels, &vec![17 * code; len]);
        }
        check_bytes(kernels, &bytes_of(&any_byte(), len, len));
    }
    for len in EDGES {
        check_bytes(kernels, &vec![0x28; len]);
        check_bytes(kernels, &vec![0xf4; len]);
        check_qualities(kernels, &vec![93; len]);
        check_qualities(kernels, &vec![255; len]);
    }
}

pub(super) fn check_too_few_bytes(kernels: &Kernels) {
    let bytes = [0x11; 200];
    for len in [1, 2, 3, 64, 150, 399, usize::MAX - 1, usize::MAX] {
        let bytes = &bytes[..(len / 2 + len % 2 - 1).min(200)];
        let mut out = BEFORE.to_vec();
        let mut panics = |call: &mut dyn FnMut(&mut Vec<u8>)| {
            catch_unwind(AssertUnwindSafe(|| call(&mut out))).is_err()
        };
        assert!(panics(&mut |out| (kernels.unpack_bases)(bytes, len, out)));
        assert!(panics(&mut |out| (kernels.unpack_bases_reverse_complement)(bytes, len, out)));
        assert!(panics(&mut |_| _ = (kernels.count_packed_bases)(bytes, len)));
        assert!(panics(&mut |_| _ = (kernels.count_packed_gc)(bytes, len)));
        assert_eq!(out, BEFORE);
    }
}

#[test]
fn definitions_hold() {
    for len in (0..=100).chain([5000]) {
        for pad in 0..16 {
            check_bases_by_definition(&bytes_of(CODES, len, len), pad);
        }
    }
    check_bases_by_definition(CODES, 0);
    check_qualities_by_definition(b"");
    check_qualities_by_definition(&any_byte());
    check_qualities_by_definition(b"\xff\0\0");
    check_qualities_by_definition(b"\0\xff\xff");
}

#[test]
fn public_functions_use_these_kernels() {
    let packed = pack(b"GATTACAN=", 4);
    assert_eq!(appended(|out| unpack_bases(&packed, 9, out)), b"GATTACAN=");
    assert_eq!(appended(|out| unpack_bases_reverse_complement(&packed, 9, out)), b"=NTGTAATC");
    let counts = BaseCounts { a: 3, c: 1, g: 1, t: 2, n: 1, other: 1 };
    assert_eq!(count_packed_bases(&packed, 9), counts);
    assert_eq!(count_packed_gc(&packed, 9), GcCounts { gc: 2, acgt: 7 });
    assert_eq!(appended(|out| copy_qualities(b"\x00\x28\xff", out)), b"!I~");
    assert_eq!(appended(|out| copy_qualities_reversed(b"\x00\x28\xff", out)), b"~I!");
    assert_eq!(summarize_raw_qualities(b"\x14\xff").sum, 113);
}

#[test]
#[should_panic(expected = "151 packed bases need 76 bytes, not 75")]
fn too_few_bytes_are_named() {
    count_packed_bases(&[0x11; 75], 151);
}

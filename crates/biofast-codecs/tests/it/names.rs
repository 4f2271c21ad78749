//! The name tokeniser.

use crate::common::{Random, damage, noodles};
use biofast_codecs::Error;
use biofast_codecs::names::{decode, encode};
use proptest::prelude::*;

fn round_trip(names: &[u8]) -> Vec<u8> {
    let mut stream = vec![7];
    encode(names, &mut stream).unwrap();
    assert_eq!(stream.remove(0), 7);
    let found = decode(&stream, names.len());
    assert!(found.as_deref() == Ok(names), "{:?}: {:?}", String::from_utf8_lossy(names), found);
    if !names.is_empty() {
        assert!(noodles(8, &stream, names.len()) == names, "noodles");
    }
    stream
}

/// Names of a kind: of Illumina in order of the flow cell or of places, with mates; of SRA; UUIDs; all sorts.
fn names(kind: usize, count: u32) -> Vec<u8> {
    let mut random = Random(kind as u64);
    let (mut tile, mut x) = (1101, 1000);
    let mut out = Vec::new();
    for n in 0..count {
        let name = match kind {
            0 => {
                x += random.below(50);
                tile += u64::from(random.below(500) == 0);
                format!("A00178:113:HNMJMDSXX:3:{tile}:{x}:{}", 1000 + random.below(30_000))
            }
            1 => {
                let mut of = Random(n as u64 / 2 * 7 + random.below(2));
                format!(
                    "A1:1:H2:3:{}:{}:{}",
                    1101 + of.below(70),
                    of.below(30_000),
                    of.below(30_000)
                )
            }
            2 => format!("SRR5204809.{}", 1000 + n * 3),
            3 => format!("{:08x}-{:04x}", random.below(1 << 31), random.below(1 << 16)),
            4 => format!("r{:05}/{:03}", n + random.below(2) as u32, n % 200),
            _ => {
                "x".repeat(n as usize % 40)
                    + &"0".repeat(n as usize % 13)
                    + &"a1".repeat(n as usize % 99)
            }
        };
        out.extend(name.bytes());
        out.push(0);
    }
    out
}

#[test]
fn names_come_back_here_and_in_noodles() {
    for kind in 0..6 {
        for count in [1, 2, 3, 10, 300, 10_000] {
            round_trip(&names(kind, count));
        }
    }
    for odd in [
        &b""[..],
        b"\0",
        b"\0\0\0",
        b"a\0\0b\0",
        b"0\0",
        b"00\x00000\0",
        b"4294967296\0",
        b"\xff\xfe1\0",
        b"9999999990\0",
    ] {
        round_trip(odd);
    }
}

#[test]
fn names_become_small() {
    let percent = |kind| {
        let names = names(kind, 10_000);
        round_trip(&names).len() * 100 / names.len()
    };
    let [illumina, mates, sra] = [0, 1, 2].map(percent);
    assert!(illumina < 11 && mates < 22 && sra < 1, "{illumina}, {mates}, {sra}");
}

#[test]
fn what_cannot_be_coded_is_said() {
    assert!(matches!(encode(b"a\0b", &mut Vec::new()), Err(Error::Invalid(_))));
    let stream = round_trip(b"r1\0r2\0");
    assert!(matches!(decode(&stream, 7), Err(Error::Length { expected: 7, stated: 6 })));
}

#[test]
fn damaged_streams_do_no_harm() {
    for kind in 0..6 {
        for count in [1, 3, 300] {
            let names = names(kind, count);
            damage(&round_trip(&names), names.len(), decode);
        }
    }
}

proptest! {
    #[test]
    fn any_names_come_back(names in proptest::collection::vec("[a-c0-2:]{0,20}|.{0,9}", 0..50)) {
        let names: Vec<u8> =
            names.iter().flat_map(|name| name.bytes().filter(|&byte| byte > 0).chain([0])).collect();
        round_trip(&names);
    }

    #[test]
    fn any_bytes_do_no_harm(
        mut stream in proptest::collection::vec(any::<u8>(), 0..600), len in 0..600u32, count in 0..600u32,
        by in 0..2u8,
    ) {
        stream.splice(0..0, [&len.to_le_bytes()[..], &count.to_le_bytes(), &[by]].concat());
        if let Ok(out) = decode(&stream, len as usize) {
            prop_assert_eq!(out.len(), len as usize);
        }
    }
}

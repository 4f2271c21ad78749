//! What the cases of `checksum` share with those beside peers.

use std::fmt::Write;

use biofast_testkit::random::Random;

/// Records with flags, tags and letters of all kinds, of read groups and of none.
pub(crate) fn sam(seed: u64) -> String {
    let mut random = Random(seed);
    let mut out = String::from(
        "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:c1\tLN:50000\n@SQ\tSN:c2\tLN:40000\n@RG\tID:lane1\tSM:s\n@RG\tID:2\tSM:s\n",
    );
    for number in 0..random.below(120) {
        let letters = [&b"ACGT"[..], b"ACGTN", b"=ACMGRSVTWYHKDBN", b"acgtn"][random.below(4)];
        let len = [0, 1, 2, 7, 63, 64, 65, 150, 151, 3000][random.below(10)];
        let is_placed = random.below(5) > 0;
        let mut flags = random.next_u64() as u16 & 0xfff;
        if random.chance(60) {
            flags &= !(0x900 | 0x4);
        }
        let mut sequence = String::new();
        let mut cigar = String::new();
        if is_placed && len > 0 {
            let mut left = len;
            if random.chance(20) {
                cigar += "3H";
            }
            while left > 0 {
                let part = (1 + random.below(left)).min(left);
                let _ = write!(cigar, "{part}{}", ["M", "M", "=", "X", "I"][random.below(5)]);
                left -= part;
                if left > 0 && random.chance(30) {
                    let _ =
                        write!(cigar, "{}{}", 1 + random.below(90), ["D", "N"][random.below(2)]);
                }
            }
        } else {
            flags |= 4;
            cigar.push('*');
        }
        (0..len).for_each(|_| sequence.push(letters[random.below(letters.len())].into()));
        let mut qualities: String = match random.below(8) {
            0 => "*".into(),
            _ => (0..len).map(|_| char::from(33 + random.below(94) as u8)).collect(),
        };
        // It would be that of a missing one.
        if len <= 1 && qualities == "*" || len == 0 {
            qualities = if len == 0 { "*".into() } else { "I".into() };
        }
        if len == 0 {
            sequence.push('*');
        }
        let (reference, position) = match is_placed {
            true => (["c1", "c2"][random.below(2)], 1 + random.below(380)),
            false => ("*", 0),
        };
        let (mate, mate_position) = match random.below(3) {
            0 => ("*", 0),
            1 if is_placed => ("=", 1 + random.below(300)),
            _ => ("c1", 1 + random.below(3000)),
        };
        let _ = write!(
            out,
            "{}{number}\t{flags}\t{reference}\t{position}\t{}\t{cigar}\t{mate}\t{mate_position}\t{}\t{sequence}\t{qualities}",
            ["r", "a/1", "SRR1.7.", "x:y:z#"][random.below(4)],
            random.below(256),
            random.below(2000) as i64 - 1000,
        );
        let group = ["", "RG:Z:lane1", "RG:Z:2", "RG:Z:lane1", "RG:Z:not in the header"];
        let mut tags = vec![group[random.below(5)].to_owned()];
        for name in ["BC", "QT", "FI", "RT", "TC", "NM", "XX", "X0", "MD", "cF", "ZZ"] {
            if random.chance(30) {
                let number = [0, 1, -1, 127, -128, 255, 256, -129, 65535, 65536, -32769, 1 << 31];
                tags.push(match random.below(6) {
                    0 | 1 => format!("{name}:i:{}", number[random.below(12)]),
                    2 => format!("{name}:A:q"),
                    3 => format!("{name}:f:1.5"),
                    4 => format!("{name}:B:s,1,-2,{}", random.below(99)),
                    _ => format!("{name}:Z:{}", "ACGT".repeat(random.below(4))),
                });
            }
        }
        // In any order.
        for index in (1..tags.len()).rev() {
            tags.swap(index, random.below(index + 1));
        }
        tags.iter().filter(|tag| !tag.is_empty()).for_each(|tag| _ = write!(out, "\t{tag}"));
        out.push('\n');
    }
    out
}

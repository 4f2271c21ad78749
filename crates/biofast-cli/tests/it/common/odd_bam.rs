//! BAM of one record each that can be parsed, though it may hold what no line of SAM can: for tests of what is written.

use biofast_testkit::bam::header_of;
use biofast_testkit::random::Random;

/// A header that is good, with the names of `REFERENCES`.
pub(crate) fn good_header() -> Vec<u8> {
    header_of("@HD\tVN:1.6\n@SQ\tSN:c1\tLN:1000\n@SQ\tSN:c 2\tLN:1000\n", &REFERENCES)
}

const REFERENCES: [(&str, u32); 2] = [("c1", 1000), ("c 2", 1000)];

/// Headers whose text and list differ, or can't be lines.
pub(crate) const ODD_HEADERS: [(&str, [(&str, u32); 2]); 12] = [
    ("", [("c1", 1000), ("c2", 9)]),
    ("@SQ\tSN:c1\tLN:1000\n@SQ\tSN:c2\tLN:9", [("c1", 1000), ("c2", 9)]),
    ("@SQ\tSN:c1\tLN:1000\n@SQ\tSN:c2\tLN:9\n\n\n", [("c1", 1000), ("c2", 9)]),
    ("@SQ\tSN:c1\tLN:1000\r\n@SQ\tSN:c2\tLN:9\r\n", [("c1", 1000), ("c2", 9)]),
    ("@SQ\tSN:c1\tLN:1000\n", [("c1", 1000), ("c2", 9)]),
    ("@SQ\tSN:c2\tLN:9\n@SQ\tSN:c1\tLN:1000\n", [("c1", 1000), ("c2", 9)]),
    ("@SQ\tSN:c1\tLN:1000\n@SQ\tSN:c2\tLN:8\n", [("c1", 1000), ("c2", 9)]),
    ("@SQ\tSN:c1\tLN:1000\ngarbage\n@SQ\tSN:c2\tLN:9\n", [("c1", 1000), ("c2", 9)]),
    ("@SQ\tSN:c1\tLN:1000\n\n@SQ\tSN:c2\tLN:9\n", [("c1", 1000), ("c2", 9)]),
    ("", [("c1", 1000), ("=c2", 9)]),
    ("", [("*", 1000), ("c2", 9)]),
    ("", [("c1", 1000), ("c1", 9)]),
];

fn one_of<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below_u64(all.len() as u64) as usize]
}

/// A record under a header of two references.
pub(crate) fn odd_record(random: &mut Random) -> Vec<u8> {
    // Most parts are good, so that one that isn't decides.
    let is_odd = |random: &mut Random| random.below_u64(8) == 0;
    let name: &[u8] = match is_odd(random) {
        true => one_of(
            random,
            &[&b""[..], b"@x", b"x\ty", b"x\ny", b"\xc3\xa9", b"=", b"a\0\0", b"\x7f"],
        ),
        false => one_of(random, &[&b"r1"[..], b"a b", b"*", b"x:1/2"]),
    };
    let position = |random: &mut Random| match is_odd(random) {
        true => one_of(random, &[-2, i32::MIN, i32::MAX, i32::MAX - 1]),
        false => one_of(random, &[-1, 0, 5, 900, 2000]),
    };
    let reference = |random: &mut Random| random.below_u64(3) as i32 - 1;
    let flags = one_of(random, &[0u16, 4, 16, 77, 99, 141, 0x900, 0xf00f]);
    let len = random.below_u64(7) as usize;
    let cigar: Vec<u32> = match random.below_u64(4) {
        0 => Vec::new(),
        1 if flags & 4 != 0 => vec![9 << 4],
        2 => vec![2 << 4 | 4, (len as u32) << 4, 5, 3 << 4 | 2],
        _ => vec![(len as u32) << 4, 2 << 4 | 5],
    };
    let cigar = if flags & 4 == 0 && cigar.first() == Some(&(2 << 4 | 4)) && len > 0 {
        vec![(len as u32) << 4 | 7]
    } else {
        cigar
    };
    let tags: [&[u8]; 22] = [
        b"NMC\x01", b"XFf\0\0\x80\x7f", b"XFf\0\0\xc0\x7f", b"XFf\xcd\xcc\x8c\x3f", b"XZZtext\0",
        b"XZZ\0", b"XZZ\xc3\xa9\x01\0", b"XBBc\x02\0\0\0\xfe\x01", b"XBBf\x01\0\0\0\0\0\x80\x7f",
        b"XBBS\0\0\0\0", b"XAAq", b"XHH1aFF\0", b"XDd\0\0\0\0\0\0\xf0\x3f", b"XII\xff\xff\xff\xff",
        b"XZZa\tb\0", b"XZZa\nb\0", b"XZZa\rb\0", b"XAA\t", b"XA\x41 ", b"XHHabc\0", b"\tXZq\0",
        b"X\nC\x01",
    ];
    let fields = random.below_u64(4);
    let tags: Vec<u8> = (0..fields)
        .flat_map(|_| {
            let most = if is_odd(random) { tags.len() } else { 14 };
            one_of(random, &tags[..most]).to_vec()
        })
        .collect();

    let mut out = vec![0; 4];
    out.extend(reference(random).to_le_bytes());
    out.extend(position(random).to_le_bytes());
    out.extend([name.len() as u8 + 1, 60, 0, 0]);
    out.extend((cigar.len() as u16).to_le_bytes());
    out.extend(flags.to_le_bytes());
    out.extend((len as u32).to_le_bytes());
    out.extend(reference(random).to_le_bytes());
    out.extend(position(random).to_le_bytes());
    out.extend(one_of(random, &[0, -5, i32::MIN, i32::MAX]).to_le_bytes());
    out.extend(name);
    out.push(0);
    out.extend(cigar.iter().flat_map(|word| word.to_le_bytes()));
    out.extend((0..len.div_ceil(2)).map(|_| random.below_u64(256) as u8));
    if len % 2 == 1 {
        // The half of a byte behind the last base.
        let last = out.len() - 1;
        out[last] &= 0xf0;
    }
    let quality = one_of(random, &[0u8, 20, 93, 0xff]);
    let quality = if is_odd(random) { 94 } else { quality };
    out.extend(std::iter::repeat_n(quality, len));
    out.extend(tags);
    let size = out.len() as u32 - 4;
    out[..4].copy_from_slice(&size.to_le_bytes());
    out
}

/// A line without the three things that SAM can't tell apart: a read or a mate with a reference and no position has no
/// reference, and a read without reference or CIGAR is unmapped.
pub(crate) fn as_read_again(line: &str) -> String {
    let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
    if line.starts_with('@') || fields.len() < 11 {
        return line.to_owned();
    }
    // In this order: '=' is the reference that the read has by then.
    for (name, position) in [(2, 3), (6, 7)] {
        if fields[name] == "=" {
            fields[name] = fields[2].clone();
        }
        if fields[position] == "0" {
            fields[name] = "*".into();
        }
    }
    if fields[2] == "*" || fields[5] == "*" {
        let flags: u32 = fields[1].parse().unwrap();
        fields[1] = (flags | 4).to_string();
    }
    fields.join("\t")
}

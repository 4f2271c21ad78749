//! What the cases of `coverage` share with those beside peers.

use std::fmt::Write;
use std::io::Read;

use biofast_testkit::random::Random;

use super::{Folder, ok};

pub(crate) const REFERENCES: [(&str, usize); 5] =
    [("c1", 3000), ("none", 700), ("c2", 90_000), ("one", 1), ("c3", 5000)];

/// Sorted records of pairs in all shapes, with clips, gaps, skips and flags of all kinds.
pub(crate) fn sam(seed: u64) -> String {
    let mut random = Random(seed);
    let mut records = Vec::new();
    for pair in 0..20 + random.below(300) {
        let reference = [0, 0, 2, 4][random.below(4)];
        let (name, length) = REFERENCES[reference];
        let most = [200, length - 900][random.below(2)];
        let position = random.below(most);
        let starts = [position, position + random.below(2) * random.below(60)];
        let is_pair = random.below(4) > 0;
        for (number, start) in starts.into_iter().enumerate().take(1 + usize::from(is_pair)) {
            let (mut cigar, mut bases) = (String::new(), 0);
            for piece in 0..1 + random.below(2) * random.below(4) {
                if piece > 0 {
                    let (len, op) = (1 + random.below(60), ["D", "N", "I"][random.below(3)]);
                    bases += if op == "I" { len } else { 0 };
                    let _ = write!(cigar, "{len}{op}");
                }
                let len = 1 + random.below(60);
                bases += len;
                let _ = write!(cigar, "{len}{}", ["M", "=", "X", "M"][random.below(4)]);
            }
            if random.below(5) == 0 {
                bases += 7;
                cigar.push_str("7S");
            }
            let mut flags = if is_pair { 1 | (64 << number) } else { 0 };
            flags |= if is_pair && random.below(8) > 0 { 2 } else { 0 };
            flags |= [0, 0, 0, 0, 0, 0, 0, 0, 16, 256, 512, 1024, 2048, 4][random.below(14)];
            let cigar = if flags & 4 == 0 { cigar } else { "*".into() };
            let mate = match is_pair {
                true => format!("=\t{}", starts[1 - number] + 1),
                false => "*\t0".into(),
            };
            let qualities: String =
                (0..bases).map(|_| char::from(35 + random.below(38) as u8)).collect();
            let group = ["", "\tRG:Z:A", "\tRG:Z:B"][random.below(3)];
            let mapq = random.below(61);
            records.push((reference, start, format!(
                "p{pair}\t{flags}\t{name}\t{}\t{mapq}\t{cigar}\t{mate}\t0\t{}\t{qualities}{group}\n",
                start + 1,
                "A".repeat(bases),
            )));
        }
    }
    records.sort_by_key(|(reference, start, _)| (*reference, *start));
    let mut out = "@HD\tVN:1.6\tSO:coordinate\n".to_owned();
    for (name, length) in REFERENCES {
        let _ = writeln!(out, "@SQ\tSN:{name}\tLN:{length}");
    }
    out.push_str("@RG\tID:A\tSM:s\n@RG\tID:B\tSM:s\n");
    records.iter().for_each(|(_, _, record)| out.push_str(record));
    out + "u\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n"
}

/// Intervals that overlap, repeat, and have names or none.
pub(crate) fn bed(seed: u64) -> String {
    let mut random = Random(seed);
    let mut out = String::new();
    for number in 0..20 {
        let (name, length) = REFERENCES[[0, 1, 2, 4][random.below(4)]];
        let start = random.below(length - 1);
        let end = start + 1 + random.below(length - start);
        let label = if random.below(2) == 0 { String::new() } else { format!("\tn{number}") };
        let _ = writeln!(out, "{name}\t{start}\t{}{label}", end.min(length));
    }
    out
}

/// A folder with `x.bam`, its index and `x.bed`.
pub(crate) fn folder(seed: u64) -> Folder {
    let folder = Folder::new();
    let sam = folder.file("x.sam", sam(seed));
    folder.file("x.bed", bed(seed));
    let bam = folder.path("x.bam");
    ok(&["sort", &sam, "-o", bam.to_str().unwrap(), "--write-index", "--quiet"]);
    folder
}

pub(crate) fn at(folder: &Folder, name: &str) -> String {
    folder.path(name).to_str().unwrap().to_owned()
}

/// A file's bytes, decompressed.
pub(crate) fn content(path: &str) -> Vec<u8> {
    let source = biofast_io::Source::open(path).unwrap();
    let mut bytes = Vec::new();
    biofast_io::Reader::new(source, &Default::default()).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

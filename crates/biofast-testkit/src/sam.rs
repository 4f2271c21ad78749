//! SAM text of all kinds of alignments, and the reference to it.

use std::fmt::Write as _;

use crate::random::Random;

/// What the generated records have.
#[derive(Clone, Copy, Debug)]
pub struct SamShape {
    /// Records.
    pub records: usize,
    /// Coordinate-sorted, as the header then says.
    pub sorted: bool,
    /// The longest read.
    pub longest: u64,
    /// Skips, barcodes, qualities beyond 93 missing, and other rare things.
    pub oddities: bool,
    /// Seed of the generator.
    pub seed: u64,
}

/// The reference sequences: name and length.
pub const REFERENCES: [(&str, u64); 3] = [("chr1", 70_000), ("chr2:HLA", 900_000), ("chrUn", 3000)];

fn spell(random: &mut Random, len: u64, letters: &[u8]) -> String {
    (0..len).map(|_| char::from(letters[random.below(letters.len())])).collect()
}

/// A CIGAR of a read of `len` bases, and how much of the reference it takes.
fn cigar(random: &mut Random, len: u64, oddities: bool) -> (String, u64) {
    let mut out = String::new();
    let mut left = len;
    let mut reference = 0;
    if oddities && random.chance(5) {
        let _ = write!(out, "{}H", 1 + random.below_u64(400));
    }
    if left > 20 && random.chance(15) {
        let clip = 1 + random.below_u64(10);
        let _ = write!(out, "{clip}S");
        left -= clip;
    }
    while left > 0 {
        let aligned = if random.chance(60) { left } else { 1 + random.below_u64(left) };
        let op = ["M", "M", "M", "=", "X"][if oddities { random.below(5) } else { 0 }];
        let _ = write!(out, "{aligned}{op}");
        reference += aligned;
        left -= aligned;
        if left == 0 {
            break;
        }
        match random.below_u64(if oddities { 6 } else { 3 }) {
            0 => {
                let n = 1 + random.below_u64(left.min(40));
                let _ = write!(out, "{n}I");
                left -= n;
                if left == 0 {
                    break;
                }
            }
            1 | 2 => {
                let n = 1 + random.below_u64(350);
                let _ = write!(out, "{n}D");
                reference += n;
            }
            3 => {
                let n = 1 + random.below_u64(4000);
                let _ = write!(out, "{n}N");
                reference += n;
            }
            4 => out.push_str("2P"),
            _ => {
                let _ = write!(out, "{left}S");
                left = 0;
            }
        }
    }
    (out, reference)
}

/// SAM text with a header.
pub fn text(shape: &SamShape) -> String {
    let mut random = Random(shape.seed | 1);
    let order = if shape.sorted { "coordinate" } else { "unsorted" };
    let mut out = format!("@HD\tVN:1.6\tSO:{order}\n");
    for (name, length) in REFERENCES {
        let _ = writeln!(out, "@SQ\tSN:{name}\tLN:{length}");
    }
    let mut lines: Vec<(u64, u64, String)> = Vec::new();
    for number in 0..shape.records {
        let len = match random.below_u64(10) {
            0 => 1 + random.below_u64(shape.longest),
            _ => shape.longest.min(150),
        };
        let mut flags = if random.chance(80) {
            1 | [0x40, 0x80, 0x40, 0x80, 0, 0xc0][random.below(6)]
        } else {
            0
        };
        for (bit, percent) in [(2, 70), (8, 5), (0x10, 50), (0x20, 50), (0x100, 3)] {
            flags |= if random.chance(percent) { bit } else { 0 };
        }
        for (bit, percent) in [(0x200, 2), (0x400, 5), (0x800, 4)] {
            flags |= if random.chance(percent) { bit } else { 0 };
        }
        let placed = random.chance(95);
        let (reference, length) = REFERENCES[random.below(3)];
        let (cigar, span) = cigar(&mut random, len, shape.oddities);
        let mapped = placed && span < length && random.chance(95);
        flags |= if mapped { 0 } else { 4 };
        let position = 1 + random.below_u64(length - if mapped { span } else { 0 });
        let (reference, position) = if placed { (reference, position) } else { ("*", 0) };
        let mate = ["=", "chr1", "*"][random.below(if placed { 3 } else { 1 })];
        let mate = if placed { mate } else { "*" };
        let mate_position = if mate == "*" { 0 } else { 1 + random.below_u64(2000) };
        let template = random.below_u64(1200) as i64 - 600;
        let template = if random.chance(2) { template * 40 } else { template };
        let missing = shape.oddities && random.chance(2);
        let letters: &[u8] = if shape.oddities { b"ACGTACGTACGTNRYS=" } else { b"ACGTACGTACGTN" };
        let bases = if missing { "*".into() } else { spell(&mut random, len, letters) };
        let qualities = if missing || (shape.oddities && random.chance(3)) {
            "*".into()
        } else {
            spell(&mut random, len, b"!#,5:?BFIJ~")
        };
        let cigar = if mapped && !missing { cigar } else { "*".into() };
        let flags = if mapped && missing { flags | 4 } else { flags };
        let mapq = [0, 1, 30, 60, 255][random.below(5)];
        let mut line = format!(
            "read{}\t{flags}\t{reference}\t{position}\t{mapq}\t{cigar}\t{mate}\t{mate_position}\
             \t{template}\t{bases}\t{qualities}",
            number / 2
        );
        if random.chance(70) {
            let _ = write!(line, "\tMD:Z:100\tNM:i:{}", random.below_u64(300));
        }
        if shape.oddities && random.chance(30) {
            let half = spell(&mut random, 6, b"ACGTN");
            let _ = write!(line, "\tBC:Z:{half}-{half}\tQT:Z:{}", spell(&mut random, 13, b"#5I"));
        }
        line.push('\n');
        let rank = REFERENCES.iter().position(|(name, _)| *name == reference).unwrap_or(9);
        lines.push((rank as u64, position, line));
    }
    if shape.sorted {
        lines.sort_by_key(|(rank, position, _)| (*rank, *position));
    }
    lines.iter().for_each(|(_, _, line)| out.push_str(line));
    out
}

/// The reference sequences as FASTA.
pub fn fasta(seed: u64) -> String {
    let mut random = Random(seed | 1);
    let mut out = String::new();
    for (name, length) in REFERENCES {
        let bases = spell(&mut random, length, b"ACGTACGTACGTNacgtR");
        let _ = writeln!(out, ">{name}");
        for line in bases.as_bytes().chunks(70) {
            out.push_str(std::str::from_utf8(line).unwrap_or_default());
            out.push('\n');
        }
    }
    out
}

/// The records of SAM as CRAM holds them, with their tags in an order of their own.
pub fn held_by_cram(sam: &str) -> Vec<String> {
    let records = sam.lines().filter(|line| !line.starts_with('@'));
    records.map(|line| record_held(&line.split('\t').collect::<Vec<_>>())).collect()
}

fn record_held(fields: &[&str]) -> String {
    let mut fields: Vec<String> = fields.iter().map(|&field| field.to_owned()).collect();
    // Not FLAG, if it isn't a number: then this isn't SAM.
    let flags = fields[1].parse::<u16>().unwrap_or_default() & 0xfff;
    fields[1] = flags.to_string();
    fields[5] = joined(&fields[5]);
    if flags & 4 != 0 {
        (fields[4], fields[5]) = ("0".into(), "*".into());
    }
    if flags & 1 == 0 {
        fields[6] = "*".into();
    }
    fields[11..].sort();
    fields.join("\t")
}

/// A CIGAR with M for = and X, without operations of length 0, and with neighbours of one kind joined but for clips.
fn joined(cigar: &str) -> String {
    let mut operations: Vec<(u64, char)> = Vec::new();
    for operation in cigar.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let Some(len) = operation[..operation.len() - 1].parse::<u64>().ok().filter(|&n| n > 0)
        else {
            continue;
        };
        let kind = match operation.chars().next_back() {
            Some('=' | 'X') => 'M',
            Some(kind) => kind,
            None => continue,
        };
        match operations.last_mut() {
            Some(last) if last.1 == kind && kind != 'S' => last.0 += len,
            _ => operations.push((len, kind)),
        }
    }
    let text: String = operations.iter().map(|(len, kind)| format!("{len}{kind}")).collect();
    if text.is_empty() { "*".into() } else { text }
}

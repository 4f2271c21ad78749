//! Random molecules with UMIs, as a sequencer and an aligner show them.

use std::fmt::Write as _;

use biofast_testkit::random::Random;

/// What is made of a read.
struct MadeRead {
    flags: u16,
    contig: usize,
    position: usize,
    quality: usize,
    cigar: String,
    bases: String,
    qualities: String,
}

fn bases(random: &mut Random, len: usize) -> String {
    (0..len).map(|_| char::from(b"ACGT"[random.below(4)])).collect()
}

fn complement(bases: &str) -> String {
    let other = |base| match base {
        'A' => 'T',
        'C' => 'G',
        'G' => 'C',
        'T' => 'A',
        other => other,
    };
    bases.chars().rev().map(other).collect()
}

/// A base that is read wrongly at times.
fn read_base(random: &mut Random, base: char) -> char {
    match random.below(100) {
        0..3 => char::from(b"ACGT"[random.below(4)]),
        3 => 'N',
        _ => base,
    }
}

/// A UMI with an error at times, in lower case seldom.
fn read_umi(random: &mut Random, umi: &str) -> String {
    let mut umi = umi.to_owned();
    if random.chance(12) && !umi.is_empty() {
        let at = random.below(umi.len());
        umi.replace_range(at..=at, ["A", "C", "G", "T", "N"][random.below(5)]);
    }
    if random.chance(2) { umi.to_lowercase() } else { umi }
}

/// SAM of templates of a few molecules, unsorted; UMIs of two halves, or single ones.
pub(crate) fn made_molecules(random: &mut Random, is_paired: bool) -> String {
    let mut sam = String::from("@HD\tVN:1.6\n@SQ\tSN:c1\tLN:100000\n@SQ\tSN:c2\tLN:100000\n");
    sam += "@RG\tID:r1\tSM:s\tLB:l1\tPL:illumina\n@RG\tID:r2\tSM:s\tLB:l2\tPL:ILLUMINA\n@RG\tID:r3\tSM:t\n";
    let reference = bases(random, 2000);
    let places: Vec<(usize, usize, usize)> = (0..1 + random.below(3))
        .map(|_| (random.below(2), 300 + random.below(4), 25 + random.below(90)))
        .collect();
    let len = 20 + random.below(30);
    let umi_len = [4, 5, 8][random.below(3)];
    let is_uneven = random.chance(5);
    let has_cells = random.chance(25);
    let umis: Vec<(String, String)> = (0..1 + random.below(5))
        .map(|_| {
            let second = if is_uneven { umi_len - 1 + random.below(2) } else { umi_len };
            (bases(random, umi_len), bases(random, second))
        })
        .collect();
    for number in 0..1 + random.below(60) {
        let (contig, start, insert) = places[random.below(places.len())];
        let umi = &umis[random.below(umis.len())];
        let umi = (read_umi(random, &umi.0), read_umi(random, &umi.1));
        // Of the second strand, the first read is the one that lies behind.
        let is_second = random.chance(if is_paired { 50 } else { 10 });
        let umi = match (is_paired, is_second) {
            (true, false) => format!("{}-{}", umi.0, umi.1),
            (true, true) => format!("{}-{}", umi.1, umi.0),
            _ => umi.0,
        };
        let molecule = &reference[start..start + insert];
        let read = |random: &mut Random, is_reverse: bool| {
            // Behind the molecule is the adapter.
            let adapter = bases(random, len);
            let aligned = len.min(insert);
            let shown = match is_reverse {
                false => format!("{}{adapter}", &molecule[..aligned]),
                true => format!("{adapter}{}", &molecule[insert - aligned..]),
            };
            let shown = if is_reverse { &shown[shown.len() - len..] } else { &shown[..len] };
            let mut position = if is_reverse { start + insert - aligned } else { start };
            let beyond = len - aligned;
            let clip = if random.chance(15) { 1 + random.below(3) } else { 0 };
            // What is clipped at the 5′ end.
            let (mut before, mut behind) = if is_reverse { (beyond, clip) } else { (clip, beyond) };
            let mut middle = len - before - behind;
            if !is_reverse {
                position += clip;
            }
            if random.chance(5) && middle > 8 {
                // Another end was clipped by the aligner.
                before += if is_reverse { 4 } else { 0 };
                behind += if is_reverse { 0 } else { 4 };
                position += if is_reverse { 4 } else { 0 };
                middle -= 4;
            }
            let matched = match random.below(14) {
                0 if middle > 12 => {
                    position += usize::from(is_reverse);
                    format!("6M1I{}M", middle - 7)
                }
                1 if middle > 12 => {
                    position -= if is_reverse { 2 } else { 0 };
                    format!("{}M2D5M", middle - 5)
                }
                2 if middle > 12 => format!("5=1X{}M", middle - 6),
                _ => format!("{middle}M"),
            };
            let mut cigar = String::new();
            let hard = if random.chance(3) { "2H" } else { "" };
            let clipped = |len: usize| if len > 0 { format!("{len}S") } else { String::new() };
            let _ = write!(cigar, "{hard}{}{matched}{}", clipped(before), clipped(behind));
            let shown: String = shown.chars().map(|base| read_base(random, base)).collect();
            let level = [12, 30, 37][random.below(3)];
            let qualities = (0..len)
                .map(|_| {
                    char::from(
                        33 + if random.chance(80) { level } else { 2 + random.below(40) } as u8,
                    )
                })
                .collect();
            MadeRead {
                flags: if is_reverse { 16 } else { 0 },
                contig,
                position: position + 1,
                quality: [60, 60, 60, 30, 0][random.below(5)],
                cigar,
                bases: shown,
                qualities,
            }
        };
        let mut tags = String::new();
        if random.chance(97) {
            let _ = write!(tags, "\tRX:Z:{umi}");
        }
        if random.chance(90) {
            let _ =
                write!(tags, "\tRG:Z:r{}", if random.chance(90) { 1 } else { 1 + random.below(3) });
        }
        if has_cells && random.chance(95) {
            let _ = write!(tags, "\tCB:Z:{}", ["AAC", "GGT"][random.below(2)]);
        }
        if random.chance(10) {
            tags += "\tMI:Z:old";
        }
        let fail = if random.chance(3) { 512 } else { 0 };
        let first = read(random, is_second);
        let second = read(random, !is_second);
        let mut add = |read: &MadeRead, flags: u16, mate: Option<&MadeRead>, more: &str| {
            let flags = flags | read.flags | fail;
            let mate_fields = match mate {
                Some(mate) => format!("=\t{}\t0", mate.position),
                None => "*\t0\t0".into(),
            };
            let mate_tags = mate.map_or_else(String::new, |mate| {
                format!("\tMC:Z:{}\tMQ:i:{}", mate.cigar, mate.quality)
            });
            let MadeRead { contig, position, quality, cigar, bases, qualities, .. } = read;
            let _ = writeln!(
                sam,
                "q{number}\t{flags}\tc{}\t{position}\t{quality}\t{cigar}\t{mate_fields}\t{bases}\t{qualities}{mate_tags}{tags}{more}",
                contig + 1
            );
        };
        let turned = |mate: &MadeRead| if mate.flags & 16 != 0 { 32 } else { 0 };
        match random.below(30) {
            0 => add(&first, 0, None, ""),
            1 => {
                // The second read isn't mapped.
                add(&first, 1 | 8 | 64, None, "");
                let sequence = complement(&second.bases);
                let _ = writeln!(
                    sam,
                    "q{number}\t{}\tc{}\t{}\t0\t*\t=\t{}\t0\t{sequence}\t{}\tMC:Z:{}{tags}",
                    133 | fail | turned(&first),
                    contig + 1,
                    first.position,
                    first.position,
                    second.qualities,
                    first.cigar
                );
            }
            2 => {
                for (flags, read) in [(77, &first), (141, &second)] {
                    let _ = writeln!(
                        sam,
                        "q{number}\t{}\t*\t0\t0\t*\t*\t0\t0\t{}\t{}{tags}",
                        flags | fail,
                        read.bases,
                        read.qualities
                    );
                }
            }
            kind => {
                add(&first, 1 | 2 | 64 | turned(&second), Some(&second), "");
                add(&second, 1 | 2 | 128 | turned(&first), Some(&first), "");
                if kind == 3 {
                    add(&first, 1 | 64 | 2048 | turned(&second), Some(&second), "");
                }
                if kind == 4 {
                    add(&second, 1 | 128 | 256 | turned(&first), Some(&first), "");
                }
            }
        }
    }
    sam
}

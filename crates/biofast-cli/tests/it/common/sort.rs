//! What the cases of `sort` share with those beside peers.

use std::fmt::Write;

use biofast_testkit::random::Random;

use super::{Folder, ok, silent, text};

pub(crate) const HEADER: &str =
    "@HD\tVN:1.5\tGO:query\n@SQ\tSN:c1\tLN:100000\n@SQ\tSN:c2\tLN:100000\n";

/// Records with many names, places and values alike; each has its number in the tag ZI.
pub(crate) fn records(seed: u64, n: usize) -> String {
    let mut random = Random(seed);
    let mut out = HEADER.to_owned();
    for i in 0..n {
        let number = random.below(40);
        let name = match random.below(6) {
            0 => format!("r{number}"),
            1 => format!("q0{number}"),
            2 => format!("q00{number}"),
            3 => format!("x:{number}:7"),
            4 => format!("x:7:{number}"),
            _ => format!("a{number}b"),
        };
        let flags = [0, 16, 4, 20, 99, 147, 83, 163, 77, 141, 1024, 256, 2048, 336, 2176, 384, 193];
        let flags = flags[random.below(flags.len())];
        let reference = ["c1", "c2", "*"][random.below(3)];
        let position = match reference {
            "*" => [0, 0, 0, 5][random.below(4)],
            _ => 1 + random.below(30),
        };
        let is_mapped = flags & 4 == 0 && reference != "*" && position > 0;
        let cigar = if is_mapped { ["4M", "3S1M", "1M9D3M"][random.below(3)] } else { "*" };
        let _ = write!(
            out,
            "{name}\t{flags}\t{reference}\t{position}\t0\t{cigar}\t*\t0\t0\tACGT\tIIII"
        );
        let _ = match random.below(9) {
            0 | 1 => write!(out, "\tXX:i:{}", random.below(600) as i32 - 300),
            2 => write!(out, "\tXX:f:{}", (random.below(16) as f32 - 8.0) / 2.0),
            3 | 4 => write!(out, "\tXX:Z:{}", ["a", "b", "ab", "B"][random.below(4)]),
            5 => write!(out, "\tXX:A:{}", ["a", "B", "z"][random.below(3)]),
            _ => Ok(()),
        };
        let _ = writeln!(out, "\tZI:i:{i}");
    }
    out
}

pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('@')).collect()
}

pub(crate) fn sorted(args: &[&str]) -> String {
    silent(&[&["sort", "-q", "--no-PG", "-O", "sam"], args].concat()).stdout
}

/// Many records, as BAM: some megabytes.
pub(crate) fn many(folder: &Folder) -> String {
    let sam = folder.file("many.sam", records(9, 40_000));
    let bam = text(&folder.path("many.bam"));
    ok(&["view", "-b", &sam, "-o", &bam]);
    bam
}

/// Paired records with clips, mates' CIGARs, libraries and molecules. Names are unique, so that no two are equal in the order.
pub(crate) fn templates(seed: u64, n: usize) -> String {
    let mut random = Random(seed);
    let mut out = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c1\tLN:1000\n@SQ\tSN:c2\tLN:1000\n\
                   @RG\tID:a\tLB:second\n@RG\tID:b\tLB:first\n@RG\tID:c\n"
        .to_owned();
    const FLAGS: [u32; 19] =
        [0, 16, 4, 99, 147, 83, 163, 77, 141, 73, 133, 121, 181, 65, 129, 115, 179, 355, 2195];
    const CIGARS: [&str; 9] =
        ["4M", "1S3M", "2H1S3M", "3M1S", "3M1S2H", "1M9D3M", "1M2I1M", "1S2M1S", "2M5N2M"];
    for i in 0..n {
        let flags = FLAGS[random.below(FLAGS.len())];
        let (cigar, mate) = (CIGARS[random.below(9)], CIGARS[random.below(9)]);
        let reference = ["c1", "c2"][random.below(2)];
        let mate_reference = ["=", "c1", "c2"][random.below(3)];
        let (position, mate_position) = (10 + random.below(5), 10 + random.below(5));
        let (is_placed, is_paired) = (flags & 12 != 12 && flags != 4, flags & 1 != 0);
        let _ = write!(out, "{}{i}\t{flags}", ["r", "q"][random.below(2)]);
        let _ = match is_placed {
            true => write!(out, "\t{reference}\t{position}\t9\t"),
            false => write!(out, "\t*\t0\t9\t"),
        };
        out += if flags & 4 == 0 { cigar } else { "*" };
        let _ = match is_paired && is_placed {
            true => write!(out, "\t{mate_reference}\t{mate_position}"),
            false => write!(out, "\t*\t0"),
        };
        out += "\t0\tACGT\tIIII";
        if is_paired && flags & 8 == 0 {
            let _ = write!(out, "\tMC:Z:{mate}");
        }
        if random.chance(70) {
            let _ = write!(out, "\tRG:Z:{}", ["a", "b", "c"][random.below(3)]);
        }
        if random.chance(40) {
            let _ = write!(out, "\tCB:Z:{}", ["AC", "AG", "A"][random.below(3)]);
        }
        if random.chance(60) {
            let molecules = ["1", "2", "10", "1/A", "1/B", "2/A", "10/B"];
            let _ = write!(out, "\tMI:Z:{}", molecules[random.below(7)]);
        }
        out += "\n";
    }
    out
}

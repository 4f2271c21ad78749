//! What the cases of `merge` share with those beside peers.

use std::fmt::Write;

use biofast_testkit::random::Random;

use super::{Folder, ok, silent, text};

/// Options, and a header without and with what other parts have, too.
pub(crate) const ORDERS: [&[&str]; 5] = [&[], &["-n"], &["-N"], &["-t", "XX"], &["-n", "-t", "XX"]];

/// Records with many names, places and values alike. Each has its number in ZI; read groups and programs stand anywhere.
pub(crate) fn records(random: &mut Random, n: usize, ids: &[&str]) -> String {
    let mut out = String::new();
    for i in 0..n {
        let name = format!("{}{}", ["r", "x:", "q0"][random.below(3)], random.below(30));
        let flags = [0, 16, 4, 99, 147, 83, 163, 77, 141, 256][random.below(10)];
        let reference = if flags & 4 == 0 { ["c1", "c2"][random.below(2)] } else { "*" };
        let (position, cigar) = match reference {
            "*" => (0, "*"),
            _ => (1 + random.below(30), "4M"),
        };
        let _ = write!(
            out,
            "{name}\t{flags}\t{reference}\t{position}\t0\t{cigar}\t*\t0\t0\tACGT\tIIII"
        );
        let mut fields = vec![format!("ZI:i:{i}")];
        for (chance, name) in [(70, "RG"), (30, "PG")] {
            if random.chance(chance) {
                fields.push(format!("{name}:Z:{}", ids[random.below(ids.len())]));
            }
        }
        match random.below(4) {
            0 => fields.push(format!("XX:i:{}", random.below(9))),
            1 => fields.push(format!("XX:Z:{}", ["a", "b", "ab"][random.below(3)])),
            _ => {}
        }
        // In any order.
        for at in (1..fields.len()).rev() {
            fields.swap(at, random.below(at + 1));
        }
        let _ = writeln!(out, "\t{}", fields.join("\t"));
    }
    out
}

pub(crate) const SEQUENCES: &str = "@HD\tVN:1.6\n@SQ\tSN:c1\tLN:1000\n@SQ\tSN:c2\tLN:1000\n";

/// `n` sorted parts, with read groups and programs of the same IDs, and such that only one of them has.
pub(crate) fn parts(
    folder: &Folder,
    seed: u64,
    n: usize,
    order: &[&str],
    ending: &str,
) -> Vec<String> {
    let mut random = Random(seed);
    let part = |part| {
        let mut sam = SEQUENCES.to_owned();
        let _ = write!(sam, "@RG\tID:g\tSM:s{part}\tPG:p\n@RG\tID:own{part}\tSM:s\n");
        let _ = write!(sam, "@PG\tID:p\tPN:p\n@PG\tID:g\tPP:p\n@PG\tID:own{part}\tPP:g\n");
        let _ = writeln!(sam, "@CO\tpart {part}");
        let count = random.below(200);
        // The last ID is none of the header's.
        let own = format!("own{part}");
        sam += &records(&mut random, count, &["g", "g", &own, "none"]);
        let unsorted = folder.file("unsorted.sam", sam);
        let path = text(&folder.path(&format!("{seed}.{part}{ending}")));
        let sort = [&["sort", "-q", "--no-PG"], order, &[&unsorted, "-o", &path]].concat();
        ok(&sort);
        path
    };
    (0..n).map(part).collect()
}

pub(crate) fn merged(args: &[&str], paths: &[String]) -> String {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    silent(&[&["merge", "-q", "--no-PG", "-O", "sam"], args, &paths].concat()).stdout
}

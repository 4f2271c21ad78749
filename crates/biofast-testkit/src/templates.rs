//! SAM of whole templates, as aligners write them: mates together, with secondary and
//! supplementary records among them.

use std::fmt::Write;

/// A template's records as lines, primary ones first.
pub type Template = Vec<String>;

/// Numbers that look random and are the same in every run.
pub struct TemplateRandom(pub u64);

impl TemplateRandom {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    /// Puts `items` into another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// The header of the templates, with this field after the version.
pub fn header(order: &str) -> String {
    format!(
        "@HD\tVN:1.6\t{order}\n@SQ\tSN:c1\tLN:100000\n@SQ\tSN:c2\tLN:50000\n@RG\tID:g1\n@RG\tID:g2\n"
    )
}

/// `n` templates: pairs, reads without their mate, reads of no pair; mapped in all ways or not at
/// all, with and without qualities and optional fields. No read is there twice.
pub fn templates(seed: u64, n: usize) -> Vec<Template> {
    let mut random = TemplateRandom(seed);
    (0..n).map(|number| template(&mut random, number)).collect()
}

fn template(random: &mut TemplateRandom, number: usize) -> Template {
    let parts: &[u16] = match random.below(10) {
        0 => &[0x41],
        1 => &[0x81],
        2 => &[0],
        3 => &[0x81, 0x41],
        _ => &[0x41, 0x81],
    };
    let mut lines = Vec::new();
    let mut more = Vec::new();
    for &part in parts {
        let longest = if random.below(5) == 0 { 300 } else { 40 };
        let len = 1 + random.below(longest);
        let bases: String =
            (0..len).map(|_| b"ACGTACGTACGTNRY"[random.below(15)] as char).collect();
        let missing = random.below(12) == 0;
        let qualities: String = match missing {
            true => "*".into(),
            false => (0..len).map(|_| (b'!' + random.below(60) as u8) as char).collect(),
        };
        let mut flags = part;
        for (bit, chance) in [(0x10, 2), (0x200, 9), (0x400, 9)] {
            flags |= if random.below(chance) == 0 { bit } else { 0 };
        }
        let place = match random.below(8) {
            0 => {
                flags |= 4;
                "*\t0\t0\t*".to_owned()
            }
            n => format!(
                "c{}\t{}\t{}\t{len}M",
                1 + n % 2,
                1 + random.below(40_000),
                random.below(61)
            ),
        };
        let mut tags = format!("\tRG:Z:g{}", 1 + random.below(2));
        if random.below(3) == 0 {
            let _ = write!(
                tags,
                "\tBC:Z:ACG-T{}\tNM:i:{}",
                "GA".repeat(random.below(3)),
                random.below(999)
            );
        }
        if random.below(4) == 0 {
            let oq: String = (0..len).map(|_| (b'#' + random.below(50) as u8) as char).collect();
            let _ = write!(tags, "\tOQ:Z:{oq}\tXF:f:0.{}", random.below(99_999));
        }
        let name = format!("read:{}:{number}", number % 7);
        lines.push(format!("{name}\t{flags}\t{place}\t*\t0\t0\t{bases}\t{qualities}{tags}\n"));
        for bit in [0x100, 0x800] {
            if flags & 4 == 0 && random.below(6) == 0 {
                let flags = flags | bit;
                more.push(format!(
                    "{name}\t{flags}\t{place}\t*\t0\t0\t{bases}\t{qualities}{tags}\n"
                ));
            }
        }
    }
    lines.extend(more);
    lines
}

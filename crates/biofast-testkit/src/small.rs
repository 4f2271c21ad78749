//! Small SAM files of everything that has to do with templates: pairs, reads of no pair, mates that aren't there or aren't aligned,
//! secondary and supplementary records, reads without bases or qualities, duplicates, and UMIs in tags and names.

use std::fmt::Write as _;

use crate::random::Random;

/// What generated files have.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateShape {
    /// Seed of the generator.
    pub seed: u64,
    /// Sets of templates. Those of one set lie on two references of their own, so that one file can hold many small cases; with
    /// one set the file is small.
    pub sets: usize,
    /// The most templates of a set.
    pub templates: usize,
    /// How UMIs are written in names.
    pub names: Names,
    /// Fields that contradict each other, more than two primary records of a name, reads over the end of their reference, aligned
    /// reads without a CIGAR.
    pub contradictions: bool,
    /// Mates that differ: one says that the other isn't aligned (0x8), they have barcodes of their own, or
    /// one failed checks or is marked.
    pub quarrels: bool,
    /// All records have a read group, as some programs want it.
    pub read_groups: bool,
    /// Now and then a template stands twice, one copy behind the other.
    pub repeats: bool,
}

/// Names of reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Of several forms, some with a UMI as the eighth part, each of a tile of its own.
    #[default]
    Mixed,
    /// Of several forms, without UMIs, on few tiles, so that many were near each other.
    FewTiles,
    /// Of seven parts, on few tiles, as Picard knows them.
    SevenParts,
    /// With a UMI at the end, in one of the usual forms.
    Umis,
    /// Without coordinates and without UMIs.
    Plain,
}

const CIGARS: [&str; 14] = [
    "10M", "10M", "10M", "2S8M", "8M2S", "1S9M", "3H10M", "4M2D6M", "3M2I5M", "5M40N5M", "6S4M",
    "7M3S2H", "2H1S9M", "3S7M",
];

/// A primary record.
#[derive(Clone, Default)]
struct Read {
    flags: u32,
    /// The reference of the set, 0 or 1, and the position; nothing without a place.
    place: Option<(usize, usize)>,
    cigar: String,
}

impl Read {
    fn is_mapped(&self) -> bool {
        self.flags & 4 == 0
    }

    /// The first position and the one after the last.
    fn span(&self) -> (i64, i64) {
        let start = self.place.map_or(0, |place| place.1 as i64);
        (start, start + span(&self.cigar))
    }
}

struct Generator {
    random: Random,
    shape: TemplateShape,
    text: String,
    name: String,
    read_group: String,
    barcodes: String,
    fails: bool,
    marked: bool,
    references: [String; 2],
}

/// SAM text with a header, the records of a name together.
pub fn text(shape: &TemplateShape) -> String {
    let mut generator = Generator {
        random: Random(shape.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        shape: *shape,
        text: String::new(),
        name: String::new(),
        read_group: String::new(),
        barcodes: String::new(),
        fails: false,
        marked: false,
        references: [String::new(), String::new()],
    };
    // The first numbers of neighbouring seeds are alike.
    (0..20).for_each(|_| {
        generator.random.next_u64();
    });
    let mut header = "@HD\tVN:1.6\tSO:unsorted\tGO:query\n".to_owned();
    let mut number = 1;
    for set in 0..shape.sets.max(1) {
        generator.references = [format!("c{set}"), format!("d{set}")];
        for name in &generator.references {
            let _ = writeln!(header, "@SQ\tSN:{name}\tLN:2000");
        }
        for _ in 0..1 + generator.random.below(shape.templates.max(1)) {
            let start = generator.text.len();
            generator.template(number);
            if shape.repeats && generator.random.chance(6) {
                let copy = generator.text[start..].to_owned();
                generator.text.push_str(&copy);
            }
            number += 1;
        }
    }
    header.push_str("@RG\tID:g0\tSM:s\tLB:l0\n@RG\tID:g1\tSM:s\n@RG\tID:g2\tSM:s\tLB:l0\n");
    header + &generator.text
}

fn operations(cigar: &str) -> Vec<(i64, char)> {
    let mut out = Vec::new();
    let mut count = 0;
    for letter in cigar.chars() {
        match letter.to_digit(10) {
            Some(digit) => count = 10 * count + i64::from(digit),
            None => out.push((std::mem::take(&mut count), letter)),
        }
    }
    out
}

fn sum(cigar: &str, of: &str) -> i64 {
    operations(cigar).iter().filter(|(_, op)| of.contains(*op)).map(|(count, _)| count).sum()
}

fn span(cigar: &str) -> i64 {
    sum(cigar, "MDN=X").max(1)
}

impl Generator {
    fn one_of<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.random.below(choices.len())]
    }

    fn cigar(&mut self) -> String {
        let is_plain = self.random.chance(60);
        let other = self.one_of(&CIGARS);
        if is_plain { "10M".to_owned() } else { other.to_owned() }
    }

    fn place(&mut self) -> (usize, usize) {
        let reference = usize::from(self.random.chance(15));
        let position = match self.random.below(12) {
            0 => 1 + self.random.below(4),
            // Some reach over the end of the reference, if they contradict it.
            1 if self.shape.contradictions => 1990 + self.random.below(8),
            1 => 1850 + self.random.below(8),
            _ => 30 + self.random.below(2),
        };
        (reference, position)
    }

    fn strand(&mut self) -> u32 {
        if self.random.chance(50) { 16 } else { 0 }
    }

    fn new_name(&mut self, number: usize) {
        let letter = self.one_of(&["a", "b", "Z", "m1"]);
        let lane = self.random.below(2) + 1;
        let (x, y) = (1000 + self.random.below(60), 1000 + self.random.below(60));
        let umi = self.one_of(&["ACG", "TTT"]);
        let form = self.random.below(4);
        self.name = match (self.shape.names, form) {
            (Names::Mixed, 0) => format!("{letter}:{number}:1:{lane}:1101:{x}:{y}"),
            (Names::Mixed, 1) => format!("{letter}{number}:{lane}:1101:{x}:{y}"),
            (Names::Mixed, _) => format!("{letter}:{number}:1:{lane}:1101:{x}:{y}:{umi}"),
            (Names::FewTiles, 0) => format!("{letter}5:{lane}:1101:{x}:{y}#{number}"),
            (Names::FewTiles, 1) => format!("{letter}7:1:1:{lane}:1101:{x}:{y}:U{number}"),
            (Names::FewTiles, _) => format!("{letter}7:1:1:{lane}:1101:{x}:{y}#{number}"),
            (Names::SevenParts, _) => {
                let letter = self.one_of(&["a", "b", "Z"]);
                format!("{letter}7:1:1:{lane}:1101:{x}:{y}#{number}")
            }
            (Names::Umis, 0) => format!("AV1:run-{number}:2538:{lane}:10102:{x}:{y}:{umi}"),
            (Names::Umis, 1) => format!("SRR{lane}.{number}_{umi}"),
            (Names::Umis, 2) => format!("A:{number}:F:{lane}:1101:{x}:{y}:{umi}+r{umi}"),
            (Names::Umis, _) => format!("A:{number}:F-2:{lane}:1101:{x}:{y}:{umi}+r{umi}"),
            (Names::Plain, _) => format!("{letter}.{number}"),
        };
    }

    fn new_barcodes(&mut self) {
        self.barcodes.clear();
        if self.random.chance(60) {
            let barcode = self.one_of(&["AC", "AC", "GT"]);
            let _ = write!(self.barcodes, "\tBX:Z:{barcode}");
        }
        if self.random.chance(40) {
            let [one, two] = [0; 2].map(|_| self.one_of(&["AAA", "CCC"]));
            let _ = write!(self.barcodes, "\tZ1:Z:{one}\tZ2:Z:{two}");
        }
    }

    fn template(&mut self, number: usize) {
        self.new_name(number);
        self.new_barcodes();
        self.fails = self.random.chance(5);
        self.marked = self.random.chance(4);
        let groups = ["", "", "\tRG:Z:g0", "\tRG:Z:g1", "\tRG:Z:g2"];
        let first = if self.shape.read_groups { 2 } else { 0 };
        self.read_group = self.one_of(&groups[first..]).to_owned();
        let contradicts = self.shape.contradictions;
        let cigar = self.cigar();
        match self.random.below(20) {
            // Reads of no pair.
            0..4 => {
                let read =
                    Read { flags: self.strand(), place: Some(self.place()), cigar: cigar.clone() };
                self.write(&read, None, "");
                if self.random.chance(20) {
                    self.others(&read, None);
                }
            }
            // The mate isn't aligned.
            4 | 5 => {
                let (place, strand) = (self.place(), self.strand());
                let swaps = self.random.chance(50);
                let (one, other) = if swaps { (128, 64) } else { (64, 128) };
                let read = Read { flags: 1 + 8 + one + strand, place: Some(place), cigar };
                let has_place = self.random.chance(50);
                let mate = Read {
                    flags: 1 + 4 + other,
                    place: has_place.then_some(place),
                    // What an aligner has left, or an earlier program.
                    cigar: if contradicts && self.random.chance(30) { "10M" } else { "" }.into(),
                };
                if has_place {
                    self.write(&read, Some(&mate), "");
                    self.write(&mate, Some(&read), "");
                } else {
                    self.write(&mate, Some(&read), "");
                    self.write(&read, Some(&mate), "");
                    self.others(&read, Some(&mate));
                }
            }
            6 => {
                let [one, other] =
                    [77, 141].map(|flags| Read { flags, place: None, cigar: String::new() });
                self.write(&one, Some(&other), "");
                self.write(&other, Some(&one), "");
            }
            // The mate isn't there.
            7 => {
                let place = self.place();
                let mate =
                    Read { flags: 1 + 16 + 64, place: Some((place.0, 200)), cigar: "10M".into() };
                let flags =
                    [1 + 2 + 64, 1 + 8 + 128, 1 + 16 + 128, 1 + 4 + 64][self.random.below(4)];
                let read = Read { flags, place: Some(place), cigar };
                self.write(&read, Some(&mate), "");
            }
            // More than two of a name.
            8 if contradicts && self.random.chance(30) => {
                for flags in [64, 128 + 16, 64] {
                    let cigar = self.cigar();
                    let read = Read { flags: flags + 1, place: Some(self.place()), cigar };
                    let mate = read.clone();
                    self.write(&read, Some(&mate), "");
                }
            }
            _ => self.pair(cigar),
        }
    }

    fn pair(&mut self, cigar: String) {
        let (one, other) = (self.place(), self.place());
        let far = self.random.chance(30);
        let other = (other.0, if far { other.1 + 60 } else { other.1 });
        let mut strands = [self.strand(), self.strand()];
        if self.random.chance(60) {
            strands = [0, 16];
        }
        let mut second = self.cigar();
        let swaps = self.random.chance(50);
        let (first_read, second_read) = if swaps { (128, 64) } else { (64, 128) };
        let mut stale = 0;
        if self.shape.contradictions && self.random.chance(2) {
            second.clear();
        }
        if self.shape.quarrels && self.random.chance(3) {
            stale = 8;
        }
        let proper = if self.random.chance(70) { 2 } else { 0 };
        let tag = self.one_of(&["", "", "\tSA:Z:c0,1,+,5M,1,0;", "\tXA:Z:c0,+1,5M,0;"]);
        let first =
            Read { flags: 1 + proper + strands[0] + first_read + stale, place: Some(one), cigar };
        let second = Read {
            flags: 1 + proper + strands[1] + second_read,
            place: Some(other),
            cigar: second,
        };
        let has_others = [self.random.chance(20), self.random.chance(20)];
        // Some programs write others before the primary one.
        if has_others[0] && self.random.chance(30) {
            self.others(&first, Some(&second));
        }
        self.write(&first, Some(&second), tag);
        if has_others[0] {
            self.others(&first, Some(&second));
        }
        self.write(&second, Some(&first), "");
        if has_others[1] {
            self.others(&second, Some(&first));
        }
    }

    /// Secondary and supplementary records of a read.
    fn others(&mut self, read: &Read, mate: Option<&Read>) {
        for kind in [256, 2048] {
            if self.random.chance(50) {
                let (place, cigar) = (Some(self.place()), self.one_of(&CIGARS).to_owned());
                let flags = read.flags & !2 | kind;
                self.write(&Read { flags, place, cigar }, mate, "");
            }
        }
    }

    fn write(&mut self, read: &Read, mate: Option<&Read>, more: &str) {
        let contradicts = self.shape.contradictions;
        let mut flags = read.flags;
        let reference = |place: Option<(usize, usize)>, names: &[String; 2]| {
            place.map_or(("*".to_owned(), 0), |(at, position)| (names[at].clone(), position))
        };
        let (name, position) = reference(read.place, &self.references);
        let (mut mate_name, mut mate_position, mut len) = ("*".to_owned(), 0, 0);
        if let Some(mate) = mate {
            (mate_name, mate_position) = reference(mate.place, &self.references);
            if mate_name == name && name != "*" {
                "=".clone_into(&mut mate_name);
            }
            flags |= if mate.flags & 16 != 0 { 32 } else { 0 };
            flags |= if mate.is_mapped() { 0 } else { 8 };
            if mate_name == "=" && mate.is_mapped() && read.is_mapped() && flags & 8 == 0 {
                let (one, other) = (read.span(), mate.span());
                let (start, end) = (one.0.min(other.0), one.1.max(other.1));
                let is_left = (one.0, flags & 64 == 0) < (other.0, mate.flags & 64 == 0);
                len = if is_left { end - start } else { start - end };
            }
        }
        if contradicts && self.random.chance(20) {
            (mate_position, len) = (if mate_name == "*" { 0 } else { 7 }, 0);
        }
        let bases = match read.cigar.is_empty() {
            true => 10,
            false => sum(&read.cigar, "MIS=X") as usize,
        };
        let is_missing = self.random.chance(3);
        let sequence = match is_missing {
            true => "*",
            false => "ACGTACGTACGTACGT".get(..bases).unwrap_or("*"),
        };
        // Few scores, so that many are equal; some below what counts.
        let quality = match self.random.below(9) {
            _ if is_missing => "*".to_owned(),
            0 => "*".to_owned(),
            1..4 => "I".repeat(bases),
            4 => "#".repeat(bases),
            _ => (0..bases).map(|_| if self.random.chance(90) { '?' } else { '+' }).collect(),
        };
        let mut tags = more.to_owned();
        if self.shape.quarrels {
            self.fails = self.random.chance(4);
        }
        flags |= if self.fails { 512 } else { 0 };
        if self.shape.quarrels {
            self.marked = self.random.chance(3);
        }
        if self.marked {
            flags |= 1024;
            if self.random.chance(50) {
                tags += "\tdt:Z:LB\tdo:Z:x\tDT:Z:LB";
            }
        }
        if self.shape.read_groups || !self.random.chance(2) {
            tags += &self.read_group;
        }
        if self.shape.quarrels {
            self.new_barcodes();
        }
        tags += &self.barcodes;
        // What an earlier run has left.
        if self.random.chance(3) {
            tags += "\tMQ:i:3\tms:i:7\tMC:Z:1M";
        }
        if (read.is_mapped() || contradicts) && self.random.chance(40) {
            tags += "\tNM:i:0\tMD:Z:10";
        }
        let mut mapq = self.random.below(60);
        if !read.is_mapped() && !contradicts {
            mapq = 0;
        }
        let cigar = if read.cigar.is_empty() { "*" } else { &read.cigar };
        let cigar = if read.is_mapped() || contradicts { cigar } else { "*" };
        // Where a gap goes over the end, samtools makes a CIGAR that doesn't fit the bases.
        let goes_over = read.span().1 > 2001 && cigar.contains(['D', 'N']);
        let cigar = if goes_over { "3S7M" } else { cigar };
        let _ = writeln!(
            self.text,
            "{}\t{flags}\t{name}\t{position}\t{mapq}\t{cigar}\t{mate_name}\t{mate_position}\t{len}\t{sequence}\t{quality}{tags}",
            self.name
        );
    }
}

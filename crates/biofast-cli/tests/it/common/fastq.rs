//! What the cases of `fastq` share with those beside peers.

use std::collections::BTreeMap;
use std::path::Path;

use biofast_testkit::random::Random;
use biofast_testkit::templates::{TemplateRandom, header, templates};

use super::{Folder, files_below, reversed};

/// Names of the outputs, with the options for them.
pub(crate) const OUTPUTS: [(&str, &str); 5] =
    [("-1", "r1.fq"), ("-2", "r2.fq"), ("-0", "other.fq"), ("-s", "single.fq"), ("-o", "both.fq")];

pub(crate) fn grouped(seed: u64, n: usize, order: &str) -> String {
    header(order) + &templates(seed, n).concat().concat()
}

pub(crate) fn shuffled(seed: u64, n: usize) -> String {
    let mut lines = templates(seed, n).concat();
    TemplateRandom(seed).shuffle(&mut lines);
    header("SO:unsorted") + &lines.concat()
}

/// The read groups of [`cells`].
const LANES: [&str; 2] = ["s:0:1:FC:1", "s:0:1:FC:2"];

/// The reads of each file of a run of 10x, by the path of the file, each sorted; and the alignments that a pipeline makes of it.
pub(crate) struct Cells {
    pub(crate) files: BTreeMap<String, Vec<String>>,
    pub(crate) sam: String,
}

/// A run whose first reads begin with a barcode and other bases that go to tags: of those that are `paired`, the rest of
/// them is a record, too.
pub(crate) fn cells(seed: u64, n: usize, paired: bool) -> Cells {
    let mut random = Random(seed);
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut records = Vec::new();
    for number in 0..n {
        let mut read = |len: usize| -> [String; 2] {
            let bases = (0..len).map(|_| char::from(b"ACGTN"[random.below(5)])).collect();
            [bases, (0..len).map(|_| char::from(b'#' + random.below(38) as u8)).collect()]
        };
        let [barcode, start, index] = [read(16), read(7), read(8)];
        let [first, second] = [read(30 + number % 3), read(50)];
        let lane = random.below(2);
        let join = |parts: &[&[String; 2]]| {
            [0, 1].map(|of| parts.iter().map(|part| &*part[of]).collect::<String>())
        };
        let r1 = if paired { join(&[&barcode, &start, &first]) } else { join(&[&barcode, &start]) };
        for (file, number_of, [bases, qualities]) in
            [("R1", 1, &r1), ("R2", 3, &second), ("I1", 2, &index)]
        {
            let path = format!("s_0_1_FC/bamtofastq_S1_L00{}_{file}_001.fastq.gz", lane + 1);
            let text = format!("@q{number} {number_of}:N:0:0\n{bases}\n+\n{qualities}\n");
            files.entry(path).or_default().push(text);
        }
        let [a, b] = if paired { ["RX", "TR"] } else { ["CR", "UR"] };
        let [c, d] = if paired { ["QX", "TQ"] } else { ["CY", "UY"] };
        let tags = format!(
            "{a}:Z:{}\t{c}:Z:{}\t{b}:Z:{}\t{d}:Z:{}\tBC:Z:{}\tQT:Z:{}\tRG:Z:{}",
            barcode[0], barcode[1], start[0], start[1], index[0], index[1], LANES[lane]
        );
        let mates = [(0x41, &first), (0x81, &second)];
        for (mate, [bases, qualities]) in mates.into_iter().skip(usize::from(!paired)) {
            let flags = if paired { mate } else { 0 };
            let (is_reverse, is_placed) = (random.chance(50), random.chance(80));
            let flags = flags | u32::from(is_reverse) << 4 | u32::from(!is_placed) << 2;
            let [bases, qualities] = match is_reverse {
                true => [reversed(bases), qualities.chars().rev().collect()],
                false => [bases.clone(), qualities.clone()],
            };
            let place = |flags: u32| match is_placed {
                true => format!("q{number}\t{flags}\tc\t{}\t60", 1 + number % 900),
                false => format!("q{number}\t{flags}\t*\t0\t0"),
            };
            let cigar = if is_placed { format!("5S{}M", bases.len() - 5) } else { "*".into() };
            records.push(format!(
                "{}\t{cigar}\t*\t0\t0\t{bases}\t{qualities}\t{tags}\n",
                place(flags)
            ));
            if is_placed && random.chance(20) {
                let other = if random.chance(50) { 0x100 } else { 0x800 };
                records.push(format!("{}\t5H9M\t*\t0\t0\t*\t*\n", place(flags | other)));
            }
        }
    }
    files.values_mut().for_each(|reads| reads.sort());
    TemplateRandom(seed).shuffle(&mut records);
    let mut header = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:2000\n".to_owned();
    header.extend(LANES.map(|lane| format!("@RG\tID:{lane}\tSM:s\n")));
    let layout = match paired {
        true => ["R1(RX:QX,TR:TQ,SEQ:QUAL)", "R2(SEQ:QUAL)", "I1(BC:QT)"],
        false => ["R1(CR:CY,UR:UY)", "R2(SEQ:QUAL)", "I1(BC:QT)"],
    };
    header.extend(layout.map(|read| format!("@CO\t10x_bam_to_fastq:{read}\n")));
    Cells { files, sam: header + &records.concat() }
}

/// The reads of each file below a folder, sorted.
pub(crate) fn reads_below(folder: &Folder, name: &str) -> BTreeMap<String, Vec<String>> {
    let of = |path: &str| {
        let mut text = String::new();
        let source = biofast_io::Source::open(Path::new(path)).unwrap();
        let mut reader = biofast_io::Reader::new(source, &biofast_io::Options::default()).unwrap();
        std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut reads: Vec<String> = lines.chunks(4).map(|read| read.concat()).collect();
        reads.sort();
        reads
    };
    let root = folder.path(name);
    let paths = files_below(&root).into_keys();
    paths.map(|path| (path.clone(), of(root.join(&path).to_str().unwrap()))).collect()
}

//! CRAM written of any alignments: the same bytes on one thread and three, and what CRAM holds of the records is read again.
#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use biofast_bam::{CramOptions, CramVersion, Detail};
use biofast_fuzz::deflaters::bytes_of;
use biofast_fuzz::{alignments, alignments_with, folder, framed, options};
use biofast_io::output::Level;
use biofast_testkit::{bam, sam};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&how, rest)) = data.split_first() else { return };
    SEEN.fetch_add(1, Ordering::Relaxed);
    if round_trip(how, rest) {
        DONE.fetch_add(1, Ordering::Relaxed);
    }
    let [seen, done] = [&SEEN, &DONE].map(|count| count.load(Ordering::Relaxed));
    if seen.is_power_of_two() && seen >= 1024 {
        eprintln!("{done} of {seen} inputs were written as CRAM and read again");
    }
});

/// Inputs, and those whose records were written and read again.
static SEEN: AtomicU64 = AtomicU64::new(0);
static DONE: AtomicU64 = AtomicU64::new(0);

/// Whether there was anything to write.
fn round_trip(how: u8, rest: &[u8]) -> bool {
    let is_made = how >> 6 != 0;
    // Records of the input's own go without: sums of their long reference sequences would take most of the time.
    let with_reference = if is_made { how >> 2 & 3 } else { 2 };
    let file = match (how >> 6, how & 1) {
        (0, 0) => rest.to_vec(),
        // With a header of its own, the input is records of BAM.
        (0, _) => {
            [bam::header(&sam::REFERENCES.map(|(name, len)| (name, len as u32))), framed(rest)]
                .concat()
        }
        // Few inputs are records: most times they are made of it.
        _ => made_of(rest, with_reference == 1 || how & 1 == 1).into_bytes(),
    };
    let serial = options(1, 1 << 16);
    // What isn't text isn't among the records that are written, nor is what text reads as something else.
    let Some(text) = alignments(&file, &serial, Detail::Full).text else { return false };
    let Ok(whole) = to_bam(&text) else { return false };
    let found = alignments(&whole, &serial, Detail::Full);
    let Some(text) = found.text.filter(|_| !found.records.is_empty()) else { return false };
    let way = CramOptions::default()
        .version(if how & 2 == 0 { CramVersion::V3_0 } else { CramVersion::V3_1 })
        .level([Level::Balanced, Level::Fast, Level::Small][usize::from(how >> 4 & 3) % 3]);
    let (way, reference) = match with_reference {
        0 => (way.reference(fasta()), Some(fasta())),
        1 => (way.reference(fasta()).embed_reference(), None),
        _ => (way.without_reference(), None),
    };
    let [one, three] = [1, 3].map(|threads| written(&whole, &way.clone().threads(threads)));
    assert!(one == three, "threads");
    let cram = one;
    let again = alignments_with(&cram, &serial, Detail::Full, reference);
    assert_eq!(again.error, None);
    let held = |text: &[u8]| sam::held_by_cram(&String::from_utf8_lossy(text));
    assert_eq!(again.text.map(|text| held(&text)), Some(held(&text)));
    true
}

/// SAM text made of the input: runs of records on one reference and on others, with bases of the reference but for some.
fn made_of(seed: &[u8], is_sorted: bool) -> String {
    let mut next = bytes_of(seed);
    let mut lines: Vec<(usize, usize, String)> = Vec::new();
    let runs = 1 + next() % 12;
    for run in 0..runs {
        let style = next();
        let place = usize::from(next()) % 3;
        let (name, bases) = &genome()[place];
        let mut at = usize::from(next()) * 7 % (bases.len() - 2000);
        for number in 0..1 + usize::from(next()) % 40 {
            at += if style & 1 == 0 { 2 } else { usize::from(next()) % 9 };
            let (mut cigar, mut read, mut taken) = (String::new(), Vec::new(), at);
            for _ in 0..1 + if style & 2 == 0 { 0 } else { next() % 7 } {
                let len = if style & 4 == 0 { 40 } else { 1 + usize::from(next()) % 60 };
                // Mostly M.
                let op = b"MMMMMMMIDNSHP=X"[usize::from(next()) % 15];
                cigar.push_str(&format!("{len}{}", char::from(op)));
                if b"M=X".contains(&op) {
                    let errors = if style & 8 == 0 { 16 } else { 3 };
                    read.extend(bases[taken..taken + len].iter().map(|&base| match next() {
                        byte if usize::from(byte) % errors == 1 => {
                            b"ACGTNRYA"[usize::from(byte >> 5)]
                        }
                        _ => base,
                    }));
                } else if b"IS".contains(&op) {
                    read.extend((0..len).map(|_| b"ACGTN="[usize::from(next()) % 6]));
                }
                taken += if b"M=XDN".contains(&op) { len } else { 0 };
            }
            let (low, high) = (u16::from(next()), u16::from(next() & 15));
            // Mapped, most of the time.
            let flags = (low | high << 8) & if style & 16 == 0 { !4 } else { !0 };
            let mate = ["=", "*", "chr1", "chrUn"][usize::from(next()) % 4];
            let place_of_mate = if mate == "*" { 0 } else { at + usize::from(next()) };
            let template = i32::from(next()) * 4 - 300;
            let values = if style & 32 == 0 { 4 } else { 90 };
            let qualities: String =
                read.iter().map(|_| char::from(b'!' + next() % values)).collect();
            let sequence = String::from_utf8(read).expect("letters");
            let (sequence, qualities) = match (sequence.is_empty(), next() % 32) {
                (true, _) | (_, 0) => ("*", "*"),
                (_, 1) => (&sequence[..], "*"),
                _ => (&sequence[..], &qualities[..]),
            };
            let mut line = format!(
                "{run}:{}\t{flags}\t{name}\t{}\t{}\t{cigar}\t{mate}\t{place_of_mate}\t{template}\t{sequence}\t{qualities}",
                number / 2,
                at + 1,
                next()
            );
            for tag in 0..if style & 64 == 0 { 0 } else { next() % 5 } {
                let value = next();
                line.push_str(&match next() % 8 {
                    0 => format!("\tMD:Z:{value}"),
                    1 => format!("\tNM:i:{value}"),
                    2 => format!("\tX{tag}:i:-{}", 1 + (u32::from(value) << (value % 20))),
                    3 => format!("\tX{tag}:Z:{}", "word".repeat(usize::from(value % 9))),
                    4 => format!("\tB{tag}:B:s,{value},-{value}"),
                    5 => format!("\tRG:Z:{}", ["a", "b", "c"][usize::from(value % 3)]),
                    6 => format!("\tF{tag}:f:{value}.5"),
                    _ => format!("\tA{tag}:A:{}", char::from(b'!' + value % 90)),
                });
            }
            lines.push((place, at, line));
        }
    }
    if is_sorted {
        lines.sort_by_key(|(place, at, _)| (*place, *at));
    }
    let order = if is_sorted { "coordinate" } else { "unsorted" };
    let mut text = format!("@HD\tVN:1.6\tSO:{order}\n");
    for (name, _) in sam::REFERENCES {
        text.push_str(&format!("@SQ\tSN:{name}\tLN:{SHORT}\n"));
    }
    text.push_str("@RG\tID:a\n@RG\tID:b\n");
    lines.iter().for_each(|(_, _, line)| {
        text.push_str(line);
        text.push('\n');
    });
    text
}

/// Bases of a reference sequence of records that are made.
const SHORT: usize = 3000;

/// The reference sequences of records that are made: the sums of longer ones would take most of the time.
fn genome() -> &'static [(String, Vec<u8>)] {
    static GENOME: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    GENOME.get_or_init(|| {
        let sequence = |(name, _): (&str, u64)| {
            let mut next = bytes_of(name.as_bytes());
            (name.to_owned(), (0..SHORT).map(|_| b"ACGT"[usize::from(next()) % 4]).collect())
        };
        sam::REFERENCES.map(sequence).into()
    })
}

/// Records of SAM text as BAM.
fn to_bam(text: &[u8]) -> Result<Vec<u8>, String> {
    let opening = biofast_bam::InputOptions {
        io: &options(1, 1 << 16),
        reference: None,
        detail: Detail::Full,
    };
    let source = biofast_fuzz::source("x", text);
    let input = biofast_bam::Input::open(source, &opening).map_err(|e| e.to_string())?;
    let mut reader =
        biofast_io::Reader::new(input.source, opening.io).map_err(|e| e.to_string())?;
    let mut bam = Vec::new();
    std::io::Read::read_to_end(&mut reader, &mut bam).map_err(|e| e.to_string())?;
    Ok(bam)
}

/// The file: there is nothing among these records that CRAM can't be written of.
fn written(bam: &[u8], options: &CramOptions) -> Vec<u8> {
    let mut encoder = options.encoder().expect("a reference that is there");
    let mut out = Vec::new();
    for part in bam.chunks(5000) {
        encoder.recode(part, &mut out).expect("records of the reference, or without one");
    }
    encoder.finish(&mut out).expect("records that are whole");
    out
}

/// The reference sequences in a file.
fn fasta() -> PathBuf {
    static FASTA: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let line = |(name, bases): &(String, Vec<u8>)| {
            format!(">{name}\n{}\n", String::from_utf8_lossy(bases))
        };
        let path = folder().join("r.fa");
        std::fs::write(&path, genome().iter().map(line).collect::<String>())
            .expect("a folder that can be written to");
        path
    };
    FASTA.get_or_init(make).clone()
}

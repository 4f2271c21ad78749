//! CRAM that biofast writes, read by samtools 1.16 and 1.24 and by Picard (htsjdk); indexes beside those of `samtools index`.

use std::collections::HashMap;
use std::process::Command;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, SamShape, held_by_cram as held};

use crate::common::cram_out::{WAYS, fasta, odd};
use crate::common::{Folder, biofast, ok, silent, text, words};
use crate::fixmate::real_alignments;
use crate::tools::{
    ThirdParty, need, picard, run, samtools_of_pysam, samtools_of_pysam_each, third_party,
};

/// Writes CRAM in a way of `WAYS`, with its index; returns its path, and the option that readers need.
fn written(folder: &Folder, input: &str, (format, options): (&str, &str)) -> (String, Vec<String>) {
    let (cram, reference) = (text(&folder.path("o.cram")), text(&folder.path("r.fa")));
    let options = options.replace("r.fa", &reference);
    let line =
        format!("filter --quiet --no-PG {input} --write-index -O {format} {options} -o {cram}");
    let run = biofast(&words(&line));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{line}");
    let needs = options.starts_with("-T") && !options.contains("embed");
    (cram, if needs { vec!["-T".to_owned(), reference] } else { Vec::new() })
}

/// The records that each version of samtools finds.
fn read_by_samtools(cram: &str, needs: &[String]) -> [Vec<String>; 2] {
    let needs = needs.iter().map(String::as_str);
    let words: Vec<&str> = ["view", "--no-PG", cram].into_iter().chain(needs).collect();
    [samtools(&words), samtools_of_pysam(&words)].map(|mut program| held(&output(&mut program)))
}

fn samtools(words: &[&str]) -> Command {
    let mut command = need("samtools");
    command.args(words);
    command
}

fn output(command: &mut Command) -> String {
    String::from_utf8(run(command).stdout).unwrap()
}

fn records(input: &str) -> Vec<String> {
    let run = biofast(&["view", input]);
    assert_eq!(run.code, 0, "{run:?}");
    held(&run.stdout)
}

#[track_caller]
fn assert_same(found: &[String], expected: &[String], what: &dyn std::fmt::Debug) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected, "{what:?}");
    }
    assert_eq!(found.len(), expected.len(), "{what:?}");
}

/// Records of all kinds, and random ones: sorted, and in no order.
fn inputs(folder: &Folder) -> Vec<(String, String)> {
    let sort = |from: &str, to: &str| {
        let to = text(&folder.path(to));
        let run = biofast(&["sort", "-q", "--no-PG", from, "-o", &to]);
        assert_eq!(run.code, 0, "{run:?}");
        to
    };
    let shape = SamShape { records: 25_000, sorted: false, longest: 150, oddities: true, seed: 3 };
    // A read that starts behind the end of its reference stops Picard.
    let odd = odd("unsorted");
    let kept = odd.lines().filter(|line| !line.starts_with("behind-end"));
    let odd = folder.file("odd.sam", kept.map(|line| format!("{line}\n")).collect::<String>());
    let random = folder.file("random.sam", sam::text(&shape));
    let (odd_sorted, random_sorted) = (sort(&odd, "odd.bam"), sort(&random, "random.bam"));
    let of_odd = fasta();
    let of_random = sam::fasta(shape.seed);
    vec![
        (odd, of_odd.clone()),
        (odd_sorted, of_odd),
        (random, of_random.clone()),
        (random_sorted, of_random),
    ]
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn samtools_reads_the_records_and_makes_the_same_index() {
    let folder = Folder::new();
    for (input, fasta) in inputs(&folder) {
        folder.file("r.fa", fasta);
        let _ = std::fs::remove_file(folder.path("r.fa.fai"));
        let expected = records(&input);
        for way in WAYS {
            if way.1.contains("embed") && input.ends_with(".sam") {
                continue;
            }
            let (cram, needs) = written(&folder, &input, way);
            for found in read_by_samtools(&cram, &needs) {
                assert_same(&found, &expected, &(&input, way));
            }
            if input.ends_with(".sam") {
                // samtools indexes what is sorted.
                continue;
            }
            let theirs = text(&folder.path("theirs.crai"));
            output(&mut samtools(&["index", &cram, &theirs]));
            let lines = |path: &str| output(need("zcat").arg(path));
            assert_eq!(lines(&format!("{cram}.crai")), lines(&theirs), "{input} {way:?}");
        }
    }
}

/// What Picard shows of records. It knows 3.0 only, doesn't make MD and NM, shows htslib's note that there were none, and changes some tags.
fn as_of_picard(records: &[String]) -> Vec<String> {
    let fields = |record: &String| {
        let mut fields: Vec<String> = record.split('\t').take(11).map(Into::into).collect();
        if fields[6] == "*" {
            // The mate's position of a read that isn't paired.
            fields[7] = "0".into();
        }
        let flags: u16 = fields[1].parse().unwrap();
        if flags & 1 == 0 {
            // Flags of the mate of a read that isn't paired.
            fields[1] = (flags & !0xea).to_string();
        }
        fields[5] = fields[5].replace("3S4S", "7S");
        fields.join("\t")
    };
    records.iter().map(fields).collect()
}

#[test]
#[ignore = "needs Picard 3.4 and samtools 1.16"]
fn picard_reads_the_records() {
    let folder = Folder::new();
    for (input, fasta) in inputs(&folder) {
        let reference = folder.file("r.fa", fasta);
        let _ = std::fs::remove_file(folder.path("r.fa.fai"));
        output(&mut samtools(&["faidx", &reference]));
        let dictionary = text(&folder.path("r.dict"));
        output(&mut samtools(&["dict", &reference, "-o", &dictionary]));
        let expected = as_of_picard(&records(&input));
        for way in &WAYS[..3] {
            if way.1.contains("embed") && input.ends_with(".sam") {
                continue;
            }
            let (cram, needs) = written(&folder, &input, *way);
            let sam = text(&folder.path("picard.sam"));
            let mut program = picard("SamFormatConverter");
            program.args(["-I", &cram, "-O", &sam, "--VALIDATION_STRINGENCY", "SILENT"]);
            if !needs.is_empty() {
                program.args(["-R", &reference]);
            }
            output(&mut program);
            let found = as_of_picard(&held(&std::fs::read_to_string(&sam).unwrap()));
            assert_same(&found, &expected, &(&input, way));
        }
    }
}

/// The alignments of the corpus that biofast reads, and that CRAM of samtools 1.24 can hold.
fn corpus() -> Vec<String> {
    let files = third_party()
        .into_iter()
        .filter(|file| matches!(file.kind.as_str(), "sam" | "bam") && file.verdict == "valid");
    let paths = files.map(|ThirdParty { path, .. }| text(&path)).chain(real_alignments());
    paths
        .filter(|path| {
            // Some have positions beyond those of BAM, or headers that can't be written.
            let header = biofast(&["view", "-H", "--no-PG", path]);
            // samtools 1.24 can't open CRAM with empty comments, its own included.
            let has_empty = header.stdout.lines().any(|line| matches!(line, "@CO" | "@CO\t"));
            header.code == 0 && !has_empty && biofast(&["view", path]).code == 0
        })
        .collect()
}

/// The input for each way of `WAYS`, with its records; nothing where references would be too long. The folder gets the references.
fn prepared(folder: &Folder, path: &str) -> [Option<(String, Rc<Vec<String>>)>; 3] {
    let own = (path.to_owned(), Rc::new(records(path)));
    let (sam, fasta) = with_reference(&ok(&["view", "-h", "--no-PG", path]).stdout);
    let Some(fasta) = fasta else { return [None, None, Some(own)] };
    folder.file("r.fa", fasta);
    let _ = std::fs::remove_file(folder.path("r.fa.fai"));
    let given = match sam {
        None => own.clone(),
        Some(sam) => {
            let sam = folder.file("given.sam", sam);
            let records = Rc::new(records(&sam));
            (sam, records)
        }
    };
    let sorted = text(&folder.path("sorted.bam"));
    ok(&["sort", "-q", "--no-PG", &given.0, "-o", &sorted]);
    let records = Rc::new(records(&sorted));
    [Some(given), Some((sorted, records)), Some(own)]
}

/// Runs it on the paths, several at a time; returns the sum of what was counted.
fn on_each<const N: usize>(
    paths: &[String],
    run: impl Fn(&Folder, &str) -> [usize; N] + Sync,
) -> [usize; N] {
    let next = AtomicUsize::new(0);
    let sums = Mutex::new([0; N]);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let folder = Folder::new();
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let counts = run(&folder, path);
                    let mut sums = sums.lock().unwrap();
                    sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
                }
            });
        }
    });
    sums.into_inner().unwrap()
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam) and the corpus"]
fn samtools_reads_what_was_made_of_the_corpus() {
    let paths = corpus();
    // Of each file's records, those in each way.
    let counts = on_each(&paths, |folder, path| {
        let inputs = prepared(folder, path);
        let mut made = Vec::new();
        for (number, &way) in WAYS.iter().enumerate() {
            let Some((input, expected)) = &inputs[number % 3] else { continue };
            let (cram, needs) = written(folder, input, way);
            let own = text(&folder.path(&format!("{number}.cram")));
            std::fs::rename(&cram, &own).unwrap();
            made.push((number, own, needs, expected));
        }
        let commands: Vec<Vec<&str>> = made
            .iter()
            .map(|(_, cram, needs, _)| {
                ["view", "--no-PG", cram].into_iter().chain(needs.iter().map(|s| &s[..])).collect()
            })
            .collect();
        let to = text(&folder.path("found.sam"));
        let mut counts = [0; 8];
        for ((words, now), (number, .., expected)) in
            commands.iter().zip(samtools_of_pysam_each(&commands, &to)).zip(&made)
        {
            let old = output(&mut samtools(words));
            let ours = silent(&[&words[..1], &words[2..]].concat()).stdout;
            for (reader, found) in ["1.16", "1.24", "biofast"].iter().zip([old, now, ours]) {
                assert_same(&held(&found), expected, &(path, WAYS[*number], reader));
            }
            counts[*number] = 1;
        }
        counts[6] = 1;
        counts[7] = records(path).len();
        counts
    });
    println!("files in each way, in all, and their records: {counts:?}");
    assert!(counts[6] > 500 && counts[0] > 350, "{counts:?}");
}

#[test]
#[ignore = "needs Picard 3.4 and the corpus"]
fn picard_reads_what_was_made_of_the_corpus() {
    let paths: Vec<String> = corpus().into_iter().step_by(25).collect();
    let counts = on_each(&paths, |folder, path| {
        let sam = text(&folder.path("picard.sam"));
        let read = |input: &str, needs: &[String]| {
            let mut program = picard("SamFormatConverter");
            program.args(["-I", input, "-O", &sam, "--VALIDATION_STRINGENCY", "SILENT"]);
            if !needs.is_empty() {
                program.args(["-R", &needs[1]]);
            }
            let output = program.output().unwrap();
            let found = output.status.success().then(|| std::fs::read_to_string(&sam).unwrap());
            found.map(|sam| as_of_picard(&held(&sam))).ok_or(output)
        };
        let mut counts = [0; 4];
        for (number, input) in prepared(folder, path).iter().enumerate() {
            let Some((input, _)) = input else { continue };
            // As BAM, whose flags are put right where they contradict the rest. What it doesn't read of that, it needn't read of CRAM.
            let bam = text(&folder.path("own.bam"));
            ok(&["view", "-b", "--no-PG", input, "-o", &bam]);
            let Ok(expected) = read(&bam, &[]) else { continue };
            let (cram, needs) = written(folder, input, WAYS[number]);
            if !needs.is_empty() {
                let dictionary = text(&folder.path("r.dict"));
                output(&mut samtools(&["dict", &needs[1], "-o", &dictionary]));
                output(&mut samtools(&["faidx", &needs[1]]));
            }
            let found = read(&cram, &needs);
            let found = found.unwrap_or_else(|output| panic!("{path} {number}: {output:?}"));
            assert_same(&found, &expected, &(path, WAYS[number]));
            counts[number] = 1;
        }
        counts[3] = 1;
        counts
    });
    println!("files in each way, and in all: {counts:?}");
    assert!(counts[2] > 15 && counts[0] > 10, "{counts:?}");
}

/// Longer reference sequences aren't made.
const LONGEST: usize = 30_000_000;

/// Reference sequences that the reads of SAM are mostly like, as FASTA, unless they would be too long; and the SAM with other
/// lengths and without sums, where the header says what fits other sequences.
fn with_reference(sam: &str) -> (Option<String>, Option<String>) {
    let records = || sam.lines().filter(|line| !line.starts_with('@'));
    let taken = |cigar: &str| -> usize {
        let ops = cigar.split_inclusive(|c: char| !c.is_ascii_digit()).filter(|&op| op != "*");
        ops.map(|op| op.split_at(op.len() - 1))
            .map(|(len, kind)| if "M=XDN".contains(kind) { len.parse().unwrap() } else { 0 })
            .sum()
    };
    let mut ends: HashMap<&str, usize> = HashMap::new();
    for record in records() {
        let fields: Vec<&str> = record.split('\t').collect();
        let end = fields[3].parse::<usize>().unwrap() + taken(fields[5]);
        let mate = if fields[6] == "=" { fields[2] } else { fields[6] };
        let next = fields[7].parse::<usize>().unwrap();
        for (name, end) in [(fields[2], end), (mate, next)] {
            let last = ends.entry(name).or_default();
            *last = end.max(*last);
        }
    }
    let (mut header, mut is_same) = (String::new(), true);
    let mut all: Vec<(&str, usize)> = Vec::new();
    for line in sam.lines().filter(|line| line.starts_with('@')) {
        let fields = line.split('\t').filter(|field| {
            !(line.starts_with("@SQ") && (field.starts_with("M5:") || field.starts_with("UR:")))
        });
        let mut fields: Vec<String> = fields.map(str::to_owned).collect();
        if let Some(name) = line.starts_with("@SQ").then(|| field(line, "SN:")).flatten() {
            let len: usize = field(line, "LN:").unwrap().parse().unwrap();
            let fits = len.min(ends.get(name).copied().unwrap_or_default() + 300);
            all.push((name, fits));
            for field in &mut fields {
                if field.starts_with("LN:") && fits < len {
                    *field = format!("LN:{fits}");
                }
            }
        }
        let kept = fields.join("\t");
        is_same &= kept == line;
        header.push_str(&kept);
        header.push('\n');
    }
    if all.is_empty() || all.iter().map(|(_, len)| len).sum::<usize>() > LONGEST {
        return (None, None);
    }
    // samtools doesn't read its own CRAM of a record that starts behind the end of its reference.
    let starts_behind = |record: &str| {
        let fields: Vec<&str> = record.split('\t').collect();
        let len = all.iter().find(|(name, _)| *name == fields[2]).map(|(_, len)| *len);
        len.is_some_and(|len| fields[3].parse::<usize>().unwrap() > len)
    };
    if records().any(starts_behind) {
        return (None, None);
    }
    let mut random = Random(9);
    let mut bases: HashMap<&str, Vec<u8>> = all
        .iter()
        .map(|&(name, len)| (name, (0..len).map(|_| b"ACGT"[random.below(4)]).collect()))
        .collect();
    for record in records() {
        let fields: Vec<&str> = record.split('\t').collect();
        let Some(bases) = bases.get_mut(fields[2]) else { continue };
        let Some(mut at) = fields[3].parse::<usize>().unwrap().checked_sub(1) else { continue };
        let mut read = fields[9].as_bytes();
        for op in fields[5].split_inclusive(|c: char| !c.is_ascii_digit()).filter(|op| *op != "*") {
            let (len, kind) = op.split_at(op.len() - 1);
            let len: usize = len.parse().unwrap();
            let own = if "MIS=X".contains(kind) { len.min(read.len()) } else { 0 };
            let (taken, rest) = read.split_at(own);
            read = rest;
            if "M=X".contains(kind) {
                for (base, own) in bases.iter_mut().skip(at).zip(taken) {
                    *base = if b"ACGT".contains(own) { *own } else { *base };
                }
            }
            at += if "M=XDN".contains(kind) { len } else { 0 };
        }
    }
    let line = |name: &str| format!(">{name}\n{}\n", String::from_utf8_lossy(&bases[name]));
    let fasta = all.iter().map(|(name, _)| line(name)).collect();
    let other = (!is_same).then(|| {
        records().for_each(|record| {
            header.push_str(record);
            header.push('\n');
        });
        header
    });
    (other, Some(fasta))
}

/// A field of a line of the header.
fn field<'a>(line: &'a str, tag: &str) -> Option<&'a str> {
    line.split('\t').find_map(|field| field.strip_prefix(tag))
}

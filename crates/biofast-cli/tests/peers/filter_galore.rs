//! `filter --preset trim-galore` beside Trim Galore 0.6: the same reads, byte for byte, and the same reports. Trim Galore runs the cutadapt that is in PATH.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use biofast_testkit::random::Random;
use biofast_testkit::reference::reverse_complement;

use crate::common::{Folder, ok, text};
use crate::made::{Options, bases, sets};
use crate::tools::{corpus, need, run};

/// Adapters of first and second reads, of the kits that Trim Galore tells apart.
const KITS: [[&str; 2]; 3] = [
    ["AGATCGGAAGAGCACACGTCTGAACTCCAGTCA", "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT"],
    ["CTGTCTCTTATACACATCTCCGAGCCCACGAGAC", "CTGTCTCTTATACACATCTGACGCTGCCGACGA"],
    ["TGGAATTCTCGGGTGCCAAGG", "GATCGTCGGACTGTAGAACTCTGAAC"],
];

/// Pairs of fragments cut by MspI, with adapters of these kits behind them, of equal shares.
fn pairs(random: &mut Random, n: usize, kits: &[usize]) -> [String; 2] {
    let mut out = [String::new(), String::new()];
    for i in 0..n {
        let kit = KITS[kits[i % kits.len()]];
        let len = [0, 3, 20, 20 + random.below(8), 30 + random.below(90), 150][random.below(6)];
        let mut fragment = ["CGG", "TGG", "CAA", "CGA", ""][random.below(5)].as_bytes().to_vec();
        fragment.extend(bases(random, len));
        fragment.extend_from_slice([&b"CCG"[..], b"TTG", b"TCG", b""][random.below(4)]);
        let strands = [fragment.clone(), reverse_complement(&fragment)];
        for (mate, mut read) in strands.into_iter().enumerate() {
            read.extend_from_slice(kit[mate].as_bytes());
            let fill = 30 + random.below(20);
            read.extend(bases(random, fill));
            read.truncate(60 + random.below(30));
            for base in &mut read {
                if random.chance(2) {
                    *base = b"ACGTN"[random.below(5)];
                }
            }
            // One that is as good as empty after the cut of its end, and others.
            let bad_end = [0, 0, 10, 25, 80][random.below(5)];
            let good = read.len().saturating_sub(bad_end);
            let letter = |at: usize, random: &mut Random| match at < good {
                true => b"?EIF:"[random.below(5)],
                false => b"#+/04?"[random.below(6)],
            };
            let qualities: Vec<u8> = (0..read.len()).map(|at| letter(at, random)).collect();
            let [read, qualities] = [read, qualities].map(|text| String::from_utf8(text).unwrap());
            out[mate] += &format!("@m:{i} {}:N:0:ACGT\n{read}\n+\n{qualities}\n", mate + 1);
        }
    }
    out
}

impl Options {
    fn like_trim_galore(random: &mut Random, paired: bool) -> Options {
        let mut options = Options::default();
        let rrbs = random.chance(40);
        if rrbs {
            options.add("--rrbs", "--rrbs");
            if random.chance(40) {
                options.add("--non-directional", "--non_directional");
            }
        }
        match random.below(8) {
            0 => options.add("-a truseq", "--illumina"),
            1 => options.add("-a nextera", "--nextera"),
            2 => options.add("-a small-rna", "--small_rna"),
            3 => options.add("-a ACTGTCTCTTATA", "--stranded_illumina"),
            4 => options.same("-a", "-a", &KITS[random.below(3)][0][..9 + random.below(10)]),
            _ => {}
        }
        if paired && random.chance(25) {
            options.same("-A", "-a2", &KITS[random.below(3)][1][..9 + random.below(10)]);
        }
        // Without a cutoff of its own Trim Galore doesn't cut what is filled in before adapters.
        match random.below(5) {
            0 if !rrbs => options.same("--nextseq-trim", "--nextseq", 5 + random.below(30)),
            1 => options.same("--quality-cutoff", "-q", random.below(35) + usize::from(rrbs)),
            _ => {}
        }
        if random.chance(30) {
            options.same("--adapter-min-overlap", "--stringency", 1 + random.below(8));
        }
        if random.chance(30) {
            options.same("--error-rate", "-e", ["0", "0.05", "0.2"][random.below(3)]);
        }
        if random.chance(40) {
            options.same("--min-len", "--length", 1 + random.below(45));
        }
        if random.chance(20) && !paired {
            // Trim Galore has it for small RNA, of single reads.
            options.same("--max-len", "--max_length", 50 + random.below(30));
        }
        if random.chance(20) {
            options.same("--max-n", "--max_n", random.below(4));
        }
        for (ours, theirs) in
            [("--crop-front", "--clip_R"), ("--crop-tail", "--three_prime_clip_R")]
        {
            if random.chance(25) {
                let [one, two] = [0, 1].map(|_| 1 + random.below(25));
                match paired {
                    true => options.add(
                        &format!("{ours} {one},{two}"),
                        &format!("{theirs}1 {one} {theirs}2 {two}"),
                    ),
                    false => options.same(ours, &format!("{theirs}1"), one),
                }
            }
        }
        options
    }
}

/// What Trim Galore writes of one file or two.
fn theirs(folder: &Folder, options: &[String], inputs: &[String]) -> Vec<Vec<u8>> {
    let _ = std::fs::remove_dir_all(folder.path("galore"));
    let mut command = need("trim_galore");
    command.args(["--dont_gzip", "-o"]).arg(folder.path("galore")).args(options);
    if inputs.len() == 2 {
        command.arg("--paired");
    }
    run(command.args(inputs).stdout(Stdio::null()));
    let named = |(mate, input): (usize, &String)| -> PathBuf {
        let name = Path::new(input).file_name().unwrap().to_str().unwrap();
        let stem = name.strip_suffix(".gz").unwrap_or(name);
        let stem = stem.strip_suffix(".fq").or(stem.strip_suffix(".fastq")).unwrap();
        let kind = if inputs.len() == 2 { format!("val_{}", mate + 1) } else { "trimmed".into() };
        folder.path(&format!("galore/{stem}_{kind}.fq"))
    };
    inputs.iter().enumerate().map(named).map(|path| std::fs::read(path).unwrap()).collect()
}

/// The lines of a report but for versions, times and paths, what was second best (of equal ones it is by chance), and the name of a
/// kit that is no kit of ours.
fn lines_of(report: &str) -> Vec<String> {
    let differ = [
        "Trim Galore version: ", "Cutadapt version: ", "Python version: ", "This is cutadapt ",
        "Command line parameters: ", "Finished in ", "Unable to auto-detect ",
        "Output file will be ",
    ];
    let lines = report.lines().filter(|line| !differ.iter().any(|start| line.starts_with(start)));
    lines
        .map(|line| {
            let line = line.split(" Second best hit was").next().unwrap_or(line);
            line.replace(
                "Illumina stranded mRNA and Total RNA; user defined (added for v0.6.8)",
                "user defined",
            )
        })
        .collect()
}

/// Both say the same about a file.
fn compare_reports(folder: &Folder, options: &Options, input: &str, ours: &str) {
    let name = Path::new(input).file_name().unwrap().to_str().unwrap();
    let theirs = folder.path(&format!("galore/{name}_trimming_report.txt"));
    let read = |path: &Path| lines_of(&std::fs::read_to_string(path).unwrap());
    let (ours, theirs) = (read(Path::new(ours)), read(&theirs));
    let differs = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
    assert!(
        ours == theirs,
        "{:?} {input}, Trim Galore's {:?}: {differs:?}, {} and {} lines",
        options.ours,
        options.theirs,
        ours.len(),
        theirs.len()
    );
}

/// Both write the same; how many reads each file has.
fn compare(folder: &Folder, options: &Options, inputs: &[String]) -> usize {
    let theirs = theirs(folder, &options.theirs, inputs);
    let outs = [1, 2].map(|mate| text(&folder.path(&format!("ours_{mate}.fq"))));
    let mut words = ["filter", "--quiet", "--preset", "trim-galore"].to_vec();
    words.extend(options.ours.iter().chain(inputs).map(String::as_str));
    let reports = [1, 2].map(|mate| text(&folder.path(&format!("ours_{mate}.txt"))));
    words.extend(["-o", &outs[0], "--trim-galore-report", &reports[0]]);
    if inputs.len() == 2 {
        words.extend(["--out2", &outs[1], "--trim-galore-report2", &reports[1]]);
    }
    ok(&words);
    for (input, ours) in inputs.iter().zip(&reports) {
        compare_reports(folder, options, input, ours);
    }
    for (theirs, out) in theirs.iter().zip(&outs) {
        let ours = std::fs::read(out).unwrap();
        if *theirs != ours {
            let [ours, theirs] = [&ours, theirs].map(|text| String::from_utf8_lossy(text));
            let at = ours.lines().zip(theirs.lines()).position(|(a, b)| a != b).unwrap_or(0);
            let of = |text: &str| {
                let record = text.lines().skip(at / 4 * 4).take(2);
                (text.lines().count() / 4, record.map(str::to_owned).collect::<Vec<_>>())
            };
            panic!(
                "{:?} {inputs:?}, Trim Galore's {:?}: {:?}, but {:?}",
                options.ours,
                options.theirs,
                of(&ours),
                of(&theirs)
            );
        }
    }
    theirs[0].iter().filter(|&&byte| byte == b'\n').count() / 4
}

#[test]
#[ignore = "needs trim_galore and cutadapt"]
fn random_sets_of_options_keep_the_reads_of_trim_galore() {
    let folder = Folder::new();
    let (n, mut random) = sets(0x006a_102e);
    // With one adapter, none that is known by a word, and several that are as frequent.
    let mixtures: [&[usize]; 7] = [&[0], &[1], &[2], &[1, 2], &[0, 2], &[0, 1, 2], &[2, 2, 1]];
    let inputs: Vec<[String; 2]> = mixtures
        .iter()
        .enumerate()
        .map(|(i, kits)| {
            let texts = pairs(&mut random, 420, kits);
            let mut mate = 0;
            texts.map(|text| {
                mate += 1;
                folder.file(&format!("{i}_{mate}.fq"), text)
            })
        })
        .collect();
    let mut kept = 0;
    // One run of Trim Galore takes a second.
    for i in 0..n.div_ceil(5) {
        let paired = random.chance(65);
        let options = Options::like_trim_galore(&mut random, paired);
        kept += compare(&folder, &options, &inputs[i % 7][..1 + usize::from(paired)]);
    }
    assert!(kept > 50 * n.div_ceil(5), "only {kept} reads were kept");
}

#[test]
#[ignore = "needs trim_galore and cutadapt"]
fn reads_of_the_corpus_are_trimmed_as_trim_galore_trims_them() {
    let folder = Folder::new();
    for (ours, theirs) in [("", ""), ("--rrbs", "--rrbs"), ("-a nextera", "--nextera")] {
        let mut options = Options::default();
        options.add(ours, theirs);
        for sample in ["bacteroides_6level", "chipseq_SRR5204809-10", "novaseq4_metagenome"] {
            let files =
                ["R1", "R2"].map(|mate| text(&corpus(&format!("real/{sample}_{mate}.fastq.gz"))));
            assert!(compare(&folder, &options, &files) > 1000, "{sample}");
            assert!(compare(&folder, &options, &files[..1]) > 1000, "{sample}");
        }
    }
}

//! The recipes from FASTQ to sorted, marked and indexed BAM or CRAM with statistics, in both ways: `biofast sort` behind an aligner's pipe,
//! and `biofast markdup` of what samtools sorted. What comes out is what samtools 1.24 makes of the same records.

use crate::{common, tools};

use std::fmt::Write;
use std::process::Stdio;

use biofast_testkit::random::Random;
use biofast_testkit::reference::reverse_complement;
use biofast_testkit::sam::held_by_cram as held;
use common::{Folder, biofast, command, finish, ok, text};
use tools::Samtools;

/// A reference of random bases, and pairs of reads of it: some of them twice, with an error now and then.
fn generated(folder: &Folder) -> [String; 3] {
    let mut random = Random(71);
    let genome: Vec<u8> = (0..30_000).map(|_| b"ACGT"[random.below(4)]).collect();
    let (first, second) = genome.split_at(20_000);
    let fasta = [("c1", first), ("c2", second)]
        .map(|(name, bases)| format!(">{name}\n{}\n", String::from_utf8_lossy(bases)))
        .concat();
    let mut reads = [String::new(), String::new()];
    let mut place = (0, 300);
    for pair in 0..600 {
        if !random.chance(30) {
            place = (random.below(genome.len() - 500), 200 + random.below(300));
        }
        let template = &genome[place.0..place.0 + place.1];
        let complement = reverse_complement(template);
        let is_swapped = random.chance(50);
        let ends = if is_swapped { [&complement[..], template] } else { [template, &complement] };
        for (reads, end) in reads.iter_mut().zip(ends) {
            let mut bases = end[..100].to_vec();
            if random.chance(30) {
                bases[random.below(100)] = b'N';
            }
            let scores: String =
                (0..100).map(|_| if random.chance(90) { 'I' } else { '5' }).collect();
            let _ = writeln!(reads, "@r{pair}\n{}\n+\n{scores}", String::from_utf8_lossy(&bases));
        }
    }
    let [one, two] = reads;
    [folder.file("ref.fa", fasta), folder.file("1.fq", one), folder.file("2.fq", two)]
}

/// What an aligner writes, in a file of its own, so that it can be piped to several.
fn aligned(folder: &Folder, program: &str, args: &[&str]) -> Vec<u8> {
    tools::run(tools::need(program).args(args).current_dir(folder.path(""))).stdout
}

/// An aligner with `biofast sort` in its pipe.
fn sorted_in_pipe(program: &str, args: &[&str], options: &[&str]) {
    let mut aligner = tools::need(program)
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut sorter = command(&[&["sort", "-q", "-"], options].concat());
    sorter.stdin(aligner.stdout.take().unwrap());
    let run = finish(sorter);
    assert!(aligner.wait().unwrap().success(), "{program}");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{program}");
}

/// An aligner whose records are sorted, marked and indexed in its pipe, and after `samtools sort`.
fn is_sorted_and_marked(program: &str, args: &[&str]) {
    let folder = Folder::new();
    let [reference, one, two] = generated(&folder);
    if program == "bwa" {
        aligned(&folder, program, &["index", &reference]);
    }
    let args = [args, &[&reference, &one, &two]].concat();
    let [out, html, stats] =
        ["out.bam", "out.html", "out.stats"].map(|name| text(&folder.path(name)));
    let reports = ["--write-index", "--html", &html, "--samtools-stats", &stats];
    let sort = ["--mark-duplicates", "-o", &out];
    sorted_in_pipe(program, &args, &[&sort[..], &reports].concat());
    is_complete(&out, &stats);
    let count = |args: &[&str]| -> u64 {
        let run = biofast(&[&["view", "-c", &out], args].concat());
        run.stdout.trim().parse().unwrap()
    };
    assert!(count(&["-F", "SECONDARY,SUPPLEMENTARY"]) == 1200, "all reads of {program}");
    let duplicates = count(&["-f", "DUP"]);
    assert!((200..600).contains(&duplicates), "{duplicates} duplicates of {program}");
    let sam = folder.file("aligned.sam", aligned(&folder, program, &args));
    let [fixed, sorted, marked] =
        ["fixed.bam", "sorted.bam", "marked.bam"].map(|name| text(&folder.path(name)));
    for args in [
        &["fixmate", "-m", &sam, &fixed][..],
        &["sort", "-o", &sorted, &fixed],
        &["markdup", &sorted, &marked],
    ] {
        tools::run(&mut tools::samtools_of_pysam(args));
    }
    let [ours, theirs] = [&out, &marked].map(|path| biofast(&["view", path]).stdout);
    let differ = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
    assert!(ours == theirs, "{program}: {differ:?}");
    is_the_same_as_cram(&folder, program, &args, &marked);
    // Sorted first, and marked without what fixmate adds.
    tools::run(&mut tools::samtools_of_pysam(&["sort", "-o", &sorted, &sam]));
    let run = biofast(&[&["markdup", "-q", &sorted, "-o", &out], &reports[..]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{program}");
    is_complete(&out, &stats);
    let fields = |sam: &str| -> Vec<String> {
        let fields = sam.lines().map(|line| line.split('\t').take(11).collect::<Vec<_>>());
        fields.map(|fields| fields.join("\t")).collect()
    };
    assert!(fields(&biofast(&["view", &out]).stdout) == fields(&theirs), "{program}");
    let qc = text(&folder.path("qc"));
    assert_eq!(biofast(&["stats", "--out-dir", &qc, "-r", &reference, &out]).code, 0);
    assert!(std::fs::read_dir(&qc).unwrap().count() > 10);
}

/// The recipe of docs/cram.md: what was aligned as sorted and marked CRAM with its index and QC files, beside `marked`, which samtools 1.24
/// made of the same records.
fn is_the_same_as_cram(folder: &Folder, program: &str, args: &[&str], marked: &str) {
    let [.., reference, one, two] = args else { panic!("{args:?}") };
    let [cram, qc] = ["out.cram", "cram-qc"].map(|name| text(&folder.path(name)));
    let sort = ["--mark-duplicates", "--reference", reference, "-o", &cram, "--write-index"];
    sorted_in_pipe(program, args, &sort);
    // Every read of the FASTQ files is there.
    let stays = ["checksum", &cram, "--reference", reference, "--against", one, two, "--paired"];
    ok(&stays);
    // Both versions read the records and the index, and count as they do of their own file.
    let of_cram = |words: &[&str]| -> Vec<String> {
        let each = Samtools::BOTH.map(|version| {
            let mut command = version.command(words);
            command.env("REF_PATH", "/nonexistent").env("REF_CACHE", "/nonexistent");
            String::from_utf8(tools::run(&mut command).stdout).unwrap()
        });
        each.into()
    };
    of_cram(&["quickcheck", &cram]);
    let expected = held(&biofast(&["view", marked]).stdout);
    for read in of_cram(&["view", "-T", reference, &cram]) {
        assert!(held(&read) == expected, "{program}");
    }
    let counts = of_cram(&["flagstat", &cram]);
    assert_eq!(counts, of_cram(&["flagstat", marked]));
    let duplicates = |line: &&str| line.ends_with("+ 0 duplicates") && !line.starts_with("0 +");
    assert!(counts[0].lines().any(|line| duplicates(&line)), "{}", counts[0]);
    tools::run(&mut tools::samtools_of_pysam(&["index", marked]));
    let region = held(&biofast(&["view", marked, "c2:2000-4000"]).stdout);
    assert!(region.len() > 20, "{}", region.len());
    for read in of_cram(&["view", "-T", reference, &cram, "c2:2000-4000"]) {
        assert!(held(&read) == region, "{program}");
    }
    // The QC files are those of the BAM file.
    let of_marked = text(&folder.path("bam-qc"));
    for (input, out) in [(&cram[..], &qc), (marked, &of_marked)] {
        ok(&["stats", "-q", "--sample", "s", "--out-dir", out, "-r", reference, input]);
    }
    let mut names: Vec<_> =
        std::fs::read_dir(&qc).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    let differing = names.iter().filter(|name| {
        let [own, expected] = [&qc, &of_marked].map(|folder| {
            let report = std::fs::read(std::path::Path::new(folder).join(name)).unwrap_or_default();
            let is_command = |line: &&[u8]| line.starts_with(b"# The command line was:");
            report
                .split(|&b| b == b'\n')
                .filter(|line| !is_command(line))
                .collect::<Vec<_>>()
                .concat()
        });
        own != expected || own.is_empty()
    });
    // These two name the file, and what was seen of it.
    let differing: Vec<_> = differing.collect();
    assert_eq!(differing, ["s.biofast.html", "s.biofast.json"], "{program}");
}

/// A file that is good to its last byte, with its index and its statistics.
fn is_complete(out: &str, stats: &str) {
    let run = biofast(&["check", out]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(biofast(&["view", "-c", out, "c1:1-100"]).code, 0);
    let count = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("SN\treads duplicated:")).unwrap();
        line.to_owned()
    };
    let expected = biofast(&["stats", "--format", "samtools", out]).stdout;
    assert_eq!(count(&std::fs::read_to_string(stats).unwrap()), count(&expected));
    for path in [format!("{out}.bai"), stats.to_owned(), out.replace(".bam", ".html")] {
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
#[ignore = "needs bwa and samtools 1.24"]
fn what_bwa_writes_becomes_sorted_marked_and_indexed() {
    is_sorted_and_marked("bwa", &["mem", "-t", "2"]);
}

#[test]
#[ignore = "needs minimap2 and samtools 1.24"]
fn what_minimap2_writes_becomes_sorted_marked_and_indexed() {
    is_sorted_and_marked("minimap2", &["-t", "2", "-ax", "sr"]);
}

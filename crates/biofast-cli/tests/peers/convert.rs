//! `biofast convert` beside seqkit, samtools and bzip2.

use crate::common::convert::ours;
use crate::common::fasta::genes;
use crate::common::{Folder, reads, sample, text};
use crate::tools::printed;

#[test]
#[ignore = "needs bzip2"]
fn bzip2_reads_what_is_written() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 30_000));
    let out = text(&folder.path("o.fq.bz2"));
    ours(&[&input, "-o", &out]);
    assert!(printed("bzip2", &["-dc", &out]) == std::fs::read_to_string(&input).unwrap());
}

#[test]
#[ignore = "needs samtools"]
fn unaligned_bam_and_back_is_that_of_samtools() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let single = folder.file("single.fq", reads("s", 200));
    let one = folder.file("1.fq", reads("p", 150));
    let two = folder.file("2.fq", reads("p", 150).replace(" x\n", " y\n"));
    for (inputs, theirs) in [
        (vec![single.as_str()], vec!["-0", single.as_str()]),
        (vec![&one, &two], vec!["-1", &one, "-2", &two]),
    ] {
        let (out, other) = (at("ours.bam"), at("theirs.bam"));
        ours(
            &[&inputs[..], &["-o", &out, "--read-group", "ID:a", "--read-group", "SM:b"]].concat(),
        );
        printed(
            "samtools",
            &[&["import", "-r", "ID:a", "-r", "SM:b", "-o", &other], &theirs[..]].concat(),
        );
        assert_eq!(printed("samtools", &["view", &out]), printed("samtools", &["view", &other]));
        let header = printed("samtools", &["view", "-H", &out]);
        assert!(header.contains("@RG\tID:a\tSM:b\n"), "{header}");
        assert_eq!(ours(&[&out]), printed("samtools", &["fastq", &out]));
        assert_eq!(ours(&[&out, "--to", "fasta"]), printed("samtools", &["fasta", &out]));
    }
    // Pairs of BAM to files of mates.
    let (r1, r2) = (at("r1.fq"), at("r2.fq"));
    ours(&[&at("ours.bam"), "--interleaved", "-o", &r1, "--out2", &r2]);
    printed("samtools", &["fastq", "-1", &at("s1.fq"), "-2", &at("s2.fq"), &at("ours.bam")]);
    for (ours, theirs) in [("r1.fq", "s1.fq"), ("r2.fq", "s2.fq")] {
        assert_eq!(
            std::fs::read(folder.path(ours)).unwrap(),
            std::fs::read(folder.path(theirs)).unwrap()
        );
    }
    // SAM and CRAM are read, too.
    let sam = folder.file("x.sam", printed("samtools", &["view", "-h", &at("ours.bam")]));
    assert_eq!(ours(&[&sam]), printed("samtools", &["fastq", &sam]));
    printed("samtools", &["view", "-C", "-o", &at("x.cram"), &sam]);
    assert_eq!(ours(&[&at("x.cram")]), printed("samtools", &["fastq", &sam]));
}

#[test]
#[ignore = "needs seqkit"]
fn names_are_replaced_as_by_seqkit() {
    let folder = Folder::new();
    let fq = folder.file("x.fq", reads("run:7:r", 300));
    let fa = folder.file("g.fa", genes(40, 37));
    let names = printed("seqkit", &["seq", "-n", "-i", &fq]);
    let some = names.lines().step_by(3);
    let table = some.enumerate().map(|(i, name)| format!("{name}\tnew{i}\n")).collect::<String>();
    let table = folder.file("table.tsv", table);
    for (input, ours_words, theirs) in [
        (&fq, &["--rename-regex", " .*", "--rename", ""][..], &["-p", " .*", "-r", ""][..]),
        (
            &fq,
            &["--rename-regex", "^([a-z]+):([0-9])", "--rename", "{2}.{1}"],
            &["-p", "^([a-z]+):([0-9])", "-r", "${2}.${1}"],
        ),
        (
            &fq,
            &["--rename-regex", "^", "--rename", "s{number:5}_"],
            &["-p", "^", "-r", "s{nr}_", "--nr-width", "5"],
        ),
        (&fa, &["--rename-regex", "[aeiou]", "--rename", "-"], &["-p", "[aeiou]", "-r", "-"]),
        (&fq, &["--name-prefix", "lane1."], &["-p", "^", "-r", "lane1."]),
        (&fq, &["--name-suffix", ".x"], &["-p", r"^(\S+)", "-r", "${1}.x"]),
        (
            &fq,
            &["--rename-table", &table],
            &["-p", r"^(\S+)", "-r", "{kv}", "-k", &table, "--keep-key"],
        ),
    ] {
        let theirs = printed("seqkit", &[&["replace", "--quiet"], theirs, &[input]].concat());
        assert!(ours(&[&[input.as_str()], ours_words].concat()) == theirs, "{ours_words:?}");
    }
}

/// Every quality, and reads.
fn of_all_qualities() -> String {
    let qualities: String = (b'!'..=b'~').map(char::from).collect();
    format!("@all\n{}\n+\n{qualities}\n{}", "A".repeat(qualities.len()), reads("r", 200))
}

#[test]
#[ignore = "needs scramble"]
fn eight_levels_of_quality_are_those_of_scramble() {
    let folder = Folder::new();
    let fq = folder.file("x.fq", of_all_qualities());
    let sam: String = ours(&[&fq, "--to", "table"])
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let name = fields[0].split(' ').next().unwrap_or_default();
            format!("{name}\t4\t*\t0\t0\t*\t*\t0\t0\t{}\t{}\n", fields[1], fields[2])
        })
        .collect();
    let sam = folder.file("x.sam", format!("@HD\tVN:1.6\n{sam}"));
    let theirs = printed("scramble", &["-B", "-I", "sam", "-O", "sam", &sam, "-"]);
    let theirs: Vec<&str> = theirs
        .lines()
        .filter(|line| !line.starts_with('@'))
        .filter_map(|line| line.split('\t').nth(10))
        .collect();
    let binned = ours(&[&fq, "--bin-quality", "8"]);
    let binned: Vec<&str> = binned.lines().skip(3).step_by(4).collect();
    assert!(binned.len() == 201 && binned == theirs);
}

#[test]
#[ignore = "needs vsearch"]
fn capped_qualities_are_those_of_vsearch() {
    let folder = Folder::new();
    let fq = folder.file("x.fq", of_all_qualities());
    for cap in ["0", "25", "41", "92"] {
        let theirs = printed(
            "vsearch",
            &[
                "--quiet", "--fastq_convert", &fq, "--fastq_qmax", "93", "--fastq_qmaxout", cap,
                "--fastqout", "-",
            ],
        );
        assert_eq!(ours(&[&fq, "--cap-quality", cap]), theirs);
    }
}

#[test]
#[ignore = "needs seqkit"]
fn edits_and_ranges_are_those_of_seqkit() {
    let folder = Folder::new();
    let fq = folder.file("x.fq", reads("r", 120));
    let fa = folder.file("g.fa", genes(80, 37));
    let rna = folder.file("rna.fa", ">a\nACGUacguN\n>b x\nUUGGCCAA\n");
    let some = sample("sample_R1.fq.bgz");
    for (input, mine, theirs) in [
        (&fq, &["--reverse-complement"][..], &["seq", "-r", "-p"][..]),
        (&fa, &["--revcomp"], &["seq", "-r", "-p", "-t", "dna"]),
        (&rna, &["--revcomp"], &["seq", "-r", "-p"]),
        (&fa, &["--upper-case"], &["seq", "-u"]),
        (&fa, &["-l"], &["seq", "-l"]),
        (&rna, &["--rna2dna"], &["seq", "--rna2dna"]),
        (&fa, &["--dna2rna"], &["seq", "--dna2rna", "-t", "dna"]),
        (
            &fa,
            &["-m", "100", "-M", "300", "-w", "0"],
            &["seq", "-m", "100", "-M", "300", "-w", "0"],
        ),
        (&fq, &["-i"], &["seq", "-i"]),
        (&fq, &["--subseq", "1:12"], &["subseq", "-r", "1:12"]),
        (&fq, &["--subseq", "-12:-1"], &["subseq", "-r", "-12:-1"]),
        (&fq, &["--subseq", "13:-5"], &["subseq", "-r", "13:-5"]),
        (&fa, &["--to", "table"], &["fx2tab"]),
        (&some, &["--to", "table"], &["fx2tab"]),
        (&some, &["--to", "fasta"], &["fq2fa"]),
        (&fa, &["-w", "17"], &["seq", "-w", "17"]),
        (&fq, &["--range", "10:30"], &["range", "-r", "10:30"]),
        (&fq, &["--range", "-30:-11"], &["range", "-r", "-30:-11"]),
        (&fq, &["--range", "101:-1"], &["range", "-r", "101:-1"]),
        (&some, &["--tail", "7"], &["range", "-r", "-7:-1"]),
        (&fa, &["--head", "9"], &["head", "-n", "9"]),
    ] {
        let theirs_ = printed("seqkit", &[theirs, &["--quiet", input]].concat());
        // Of a sequence without bases seqkit writes two line ends where it wraps, and here there is one.
        let theirs_ = theirs_.replace("\n\n>", "\n>");
        let ours_ = ours(&[mine, &[input]].concat()).replace("\n\n>", "\n>");
        assert_eq!(ours_.trim_end(), theirs_.trim_end(), "{mine:?} {theirs:?}");
    }
    let table = folder.file("x.tsv", printed("seqkit", &["fx2tab", &fq]));
    assert_eq!(ours(&[&table]), printed("seqkit", &["tab2fx", &table]));
}

//! A folder in which the commands of the help and of the documentation run.

use std::fmt::Write;
use std::process::Command;

use super::{Folder, Run, command, data, finish, ok, placed_reads, reads, sample, text};

/// 30 sorted pairs on two references.
fn sam() -> String {
    let mut text =
        "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:3000000\n@SQ\tSN:chr2\tLN:200000\n\
                    @RG\tID:lane1\tSM:s\n"
            .to_owned();
    for (reference, step) in [("chr1", 100_000), ("chr2", 3_000)] {
        for i in 0..30 {
            let (name, flag, mate) = match i % 2 {
                0 => (i / 2, 99, 1 + (i + 1) * step),
                _ => (i / 2, 147, 1 + (i - 1) * step),
            };
            let _ = writeln!(
                text,
                "run7:{reference}:{name}\t{flag}\t{reference}\t{}\t60\t40M\t=\t{mate}\t{}\t{}\t{}\tNM:i:{}\t\
                 RG:Z:lane1\tBC:Z:ACGT",
                1 + i * step,
                if flag == 99 { step + 40 } else { -step - 40 },
                "ACGTACGTTG".repeat(4),
                "IIII5IIII?".repeat(4),
                i % 4
            );
        }
    }
    text
}

/// A folder with every file that the examples name, and stand-ins for the programs they name.
pub(crate) fn stage() -> Folder {
    let folder = Folder::new();
    // A part of the sample: some hundred commands read it.
    let few = |name: &str| {
        let to = text(&folder.path(&format!("few_{name}.gz")));
        ok(&["filter", "--quiet", "--head", "300", &sample(name), "-o", &to]);
        to
    };
    let (r1, r2) = (few("sample_R1.fq.bgz"), few("sample_R2.fq.bgz"));
    for (from, names) in [
        (
            &r1,
            &[
                "reads_R1.fq.gz", "R1.fq.gz", "reads.fq.gz", "long.fq.gz", "a_1.fastq.gz",
                "sample.fq.bgz", "reads.fq.bgz", "lane1.fq.gz", "lane2.fq.gz", "L1_R1.fq.gz",
                "L2_R1.fq.gz", "damaged.fq.gz",
            ][..],
        ),
        (&r2, &["reads_R2.fq.gz", "R2.fq.gz", "a_2.fastq.gz", "L1_R2.fq.gz", "L2_R2.fq.gz"]),
    ] {
        for name in names {
            std::fs::copy(from, folder.path(name)).unwrap();
        }
        std::fs::remove_file(from).unwrap();
    }
    let both = ["R1.fq.gz", "R2.fq.gz"].map(|name| std::fs::read(folder.path(name)).unwrap());
    std::fs::write(folder.path("mixed.fq.gz"), both.concat()).unwrap();
    for name in ["run", "indexes", "bin", "qc", "parts", "runs"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    folder.file("wanted.txt", "r1\nSIM001:12:HFKJJBGXY:1:11101:1456:1000\n");
    folder.file("wanted.names", "run7:chr1:1\nrun7:chr2:0\n");
    folder.file("adapters.fa", ">read1\nAGATCGGAAGAGCACACG\n>read2\nAGATCGGAAGAGCGTCG\n");
    folder.file("files.txt", "reads.fq.gz\naln.bam\n");
    folder.file("contigs.tsv", "chr1\t1\nchr2\t2\n");
    folder.file("renames.tsv", "SIM001:12:HFKJJBGXY:1:11101:1456:1000\tfirst\n");
    folder.file("targets.bed", "chr1\t1000\t900000\nchr2\t0\t500\n");
    folder.file("baits.interval_list", "@SQ\tSN:chr1\nchr1\t901\t900100\t+\tbait\n");
    let bases = |n: usize| "ACGTACGTTG".repeat(n / 10);
    folder.file("genes.fa", ">gene1 one\nACGTACGTTG\nACG\n>gene2\nTTGCA\n");
    std::fs::write(
        folder.path("genes.fa.gz"),
        biofast_testkit::container::gzip(b">gene1 one\nACGTACGTTG\nACG\n>gene2\nTTGCA\n"),
    )
    .unwrap();
    folder.file("genome.fa", format!(">chr1\n{}\n>chr2\n{}\n", bases(3_000_000), bases(200_000)));
    let host = "GATTACAGATTACCAGGATCCGATCGTTAGCTAGGCTAAGCTTCGATCGGATATCGCGATATTCGGATCGA".repeat(3);
    folder.file("host.fa", format!(">host\n{host}\n"));
    let sam = folder.file("aln.sam", sam());
    let fastq = folder.file("few.fq", reads("run7:", 50));
    let gzip = biofast_testkit::container::gzip(reads("run7:", 50).as_bytes());
    folder.file("run.fq.gz", gzip);
    let at = |name: &str| text(&folder.path(name));
    let run = |args: &[&str]| {
        let mut command = command(args);
        command.current_dir(folder.path(""));
        let run = finish(command);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    };
    run(&["index", "--quiet", "--minimizers", &at("host.fa"), "-o", &at("host.idx")]);
    run(&["view", "-b", &sam, "-o", &at("aln.bam")]);
    folder.file("cells.sam", super::fastq::cells(1, 100, false).sam);
    run(&["view", "-b", &at("cells.sam"), "-o", &at("cells.bam")]);
    run(&["index", &at("aln.bam")]);
    run(&["collate", "--quiet", &at("aln.bam"), "-o", &at("names.bam")]);
    // Those of `aln.bam`, as they were sequenced.
    let mates = ["aln_R1.fq.gz", "aln_R2.fq.gz"].map(at);
    let [first, second] = mates.each_ref().map(String::as_str);
    run(&["fastq", "--quiet", &at("names.bam"), "-1", first, "-2", second]);
    run(&["checksum", "--paired", first, second, "-o", &at("reads.chk")]);
    for lane in ["lane1.chk", "lane2.chk"] {
        run(&["checksum", &at("aln.bam"), "-o", &at(lane)]);
    }
    // Mates together, with UMIs in a tag and in names.
    let mut umis = "@HD\tVN:1.6\tGO:query\n@SQ\tSN:chr1\tLN:3000000\n".to_owned();
    for (i, umi) in ["ACGT", "ACGT", "TTTT"].into_iter().enumerate() {
        let name = format!("read{i}:1:11:{i}:{i}:{i}_{umi}");
        let (bases, scores) = ("ACGT".repeat(5), "I".repeat(20));
        for (flag, at, mate, len) in [(99, 101, 201, 120), (147, 201, 101, -120)] {
            umis += &format!(
                "{name}\t{flag}\tchr1\t{at}\t60\t20M\t=\t{mate}\t{len}\t{bases}\t{scores}\tRX:Z:{umi}\n"
            );
        }
    }
    run(&["view", "-b", &folder.file("umis.sam", umis), "-o", &at("umis.bam")]);
    run(&["sort", &at("umis.bam"), "-o", &at("umis.sorted.bam")]);
    folder.file("kit.txt", "ACGT\nTTCC\n");
    // Molecules, with single UMIs and with pairs of them, of both strands.
    let mut molecules = ["@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:3000000\n"; 2].map(str::to_owned);
    for i in 0..8 {
        let (umi, flags) = match i % 2 {
            0 => ("ACG-TTA", [99, 147]),
            _ => ("TTA-ACG", [163, 83]),
        };
        let (bases, scores) = ("ACGT".repeat(5), "I".repeat(20));
        for (flag, at, mate, len) in [(flags[0], 101, 201, 120), (flags[1], 201, 101, -120)] {
            let read = format!(
                "m{i}\t{flag}\tchr1\t{at}\t60\t20M\t=\t{mate}\t{len}\t{bases}\t{scores}\tMC:Z:20M\tRX:Z:"
            );
            molecules[0] += &format!("{read}ACGT\n");
            molecules[1] += &format!("{read}{umi}\n");
        }
    }
    for (name, sam) in ["", "duplex."].into_iter().zip(molecules) {
        let named = |of: &str| at(&format!("{name}{of}"));
        run(&["view", "-b", &folder.file("m.sam", sam), "-o", &named("raw.bam")]);
        let sorted = if name.is_empty() { at("molecules.bam") } else { at("duplex.bam") };
        run(&["sort", "--template-coordinate", &named("raw.bam"), "-o", &sorted]);
        let (strategy, duplex): (_, &[&str]) =
            if name.is_empty() { ("adjacency", &[]) } else { ("paired", &["--duplex"]) };
        run(&["umi", "group", "--strategy", strategy, &sorted, "-o", &named("mi.bam")]);
        let consensus = [&named("mi.bam")[..], "-o", &named("consensus.bam")];
        run(&[&["umi", "consensus", "--min-reads", "1"], duplex, &consensus].concat());
    }
    for copy in [
        "x.bam", "sample.bam", "run/1.bam", "lane1.bam", "lane2.bam", "unsorted1.bam",
        "unsorted2.bam", "parts/1.bam", "parts/2.bam", "damaged.bam",
    ] {
        std::fs::copy(folder.path("aln.bam"), folder.path(copy)).unwrap();
    }
    run(&["import", "-0", &fastq, "-o", &at("unaligned.bam")]);
    for lane in ["lane1.json", "lane2.json"] {
        run(&["stats", "--json", &fastq, "-o", &at(lane)]);
    }
    std::fs::copy(folder.path("lane1.json"), folder.path("runs/2026-01-10.json")).unwrap();
    for lane in ["lane1", "lane2"] {
        let bam = at(&format!("{lane}.bam"));
        let to = at(&format!("{lane}.flagstat.json"));
        run(&["flagstat", "-O", "json", &bam, "-o", &to]);
        run(&["idxstats", &bam, "-o", &at(&format!("{lane}.idxstats"))]);
        let counts = at(&format!("{lane}.qc.json"));
        let args = ["stats", "--json", "--partial", "lane", "--qc", "picard", &bam];
        run(&[&args[..], &["-r", &at("genome.fa"), "-o", &counts]].concat());
    }
    run(&["shards", "--quiet", "--number", "2", "sample.bam", "-o", &at("plan.json")]);
    for number in ["1", "2"] {
        let shard = format!("{}#{number}", at("plan.json"));
        run(&["stats", "--json", "--shard", &shard, "-o", &at(&format!("part{number}.json"))]);
        run(&["coverage", "--shard", &shard, "-o", &at(&format!("part{number}.coverage.json"))]);
    }
    run(&["filter", "--quiet", &fastq, "--summary", &at("summary.json"), "-o", &at("summed.fq")]);
    std::fs::copy(folder.path("R2.fq.gz"), folder.path("other.fq.gz")).unwrap();
    // Index reads, and sheets of samples.
    for index in ["I1.fq.gz", "I2.fq.gz"] {
        run(&["filter", "--quiet", "--keep-first", "8", &at("R1.fq.gz"), "-o", &at(index)]);
    }
    folder.file(
        "nanopore.tsv",
        "sample_id\tbarcode\ns1\tAAGAAAGTTGTCGGTGTCTTTGTG\ns2\tTCGATTCCGTTTGTAGTCGTCTGT\n",
    );
    folder.file("samples.tsv", "sample_id\tbarcode\ns1\tACGTACGT\ns2\tGGTTCCAA\n");
    folder.file("one-sample.tsv", "sample_id\ns1\n");
    folder.file(
        "SampleSheet.csv",
        "[Header]\nFileFormatVersion,2\n[BCLConvert_Data]\nLane,Sample_ID,index,index2\n\
         1,s1,ACGTACGT,TTTTCCCC\n1,s2,GGTTCCAA,CCCCTTTT\n",
    );
    for to in ["aln.cram", "sorted.cram"] {
        std::fs::copy(data("stage.cram"), folder.path(to)).unwrap();
    }
    let sam = placed_reads(&folder, &["aln.sam"]);
    let cram = placed_reads(&folder, &["aln.cram", "-T", "genome.fa"]);
    assert_eq!(sam, cram, "stage.cram holds other records: see its README.md");
    let runner = command(&[]);
    let words = std::iter::once(runner.get_program()).chain(runner.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    for (name, script) in [
        ("biofast", format!("exec {} \"$@\"", words.join(" "))),
        ("curl", "exec cat x.bam".into()),
        ("less", "exec cat".into()),
        ("man", "exec cat".into()),
        ("start-analysis", "exit 0".into()),
    ] {
        let path = folder.file(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        let made = Command::new("chmod").args(["+x", &path]).status().unwrap();
        assert!(made.success());
    }
    folder
}

/// Runs a line as a shell does, in that folder.
pub(crate) fn run(folder: &Folder, line: &str) -> Run {
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", folder.path("bin").display());
    let mut shell = Command::new("bash");
    shell.args(["-o", "pipefail", "-c", line]).env("PATH", &path);
    shell.current_dir(folder.path("")).stdin(std::process::Stdio::null());
    finish(shell)
}

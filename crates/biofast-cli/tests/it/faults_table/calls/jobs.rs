//! The commands that are tried, and the files they read.

use std::collections::BTreeMap;

use biofast_testkit::container::{bgzf, gzip};
use biofast_testkit::sam::{self, SamShape};

use crate::common::{Folder, command, data, files_below, placed_reads, reads, words};

/// One command.
pub(super) struct Job {
    /// A row of the table.
    pub(super) name: &'static str,
    /// Words, as in a shell.
    pub(super) arguments: &'static str,
    /// Whether `-@` is understood.
    pub(super) threads: bool,
    /// Which file is its standard input.
    pub(super) stdin: Option<&'static str>,
    /// What stood under the names of its outputs before, in the variant that has that.
    pub(super) outputs: &'static str,
    /// Its reports appear though an input couldn't be read, and say so.
    pub(super) tells: bool,
}

const fn job(name: &'static str, arguments: &'static str, outputs: &'static str) -> Job {
    Job { name, arguments, threads: true, stdin: None, outputs, tells: false }
}

const fn telling(mut job: Job) -> Job {
    job.tells = true;
    job
}

const fn fed(mut job: Job, stdin: &'static str) -> Job {
    job.stdin = Some(stdin);
    job
}

const fn unthreaded(mut job: Job) -> Job {
    job.threads = false;
    job
}

pub(super) const JOBS: &[Job] = &[
    telling(job("stats, table", "stats a.fq 1.fq.gz -o o.txt", "o.txt")),
    telling(job(
        "stats --json --html",
        "stats --json --html o.html -o o.json a.fq",
        "o.html o.json",
    )),
    telling(job("stats --io mmap", "stats -T --io mmap a.fq", "")),
    job(
        "stats --format fastqc",
        "stats --format fastqc --out-dir o a.fq",
        "o/a_fastqc/summary.txt o/a_fastqc/fastqc_data.txt",
    ),
    telling(job("stats of BAM", "stats --json --html o.html -o o.json x.bam", "o.html o.json")),
    telling(job("stats --format samtools", "stats --format samtools x.bam -o o.txt", "o.txt")),
    job(
        "stats --out-dir of alignments",
        "stats --out-dir o --by 500 --targets t.bed x.bam",
        "o/x.hs_metrics o/x.alignment_summary_metrics o/x.quality_by_cycle_metrics \
         o/x.quality_distribution_metrics o/x.base_distribution_by_cycle_metrics o/x.stats \
         o/x.flagstat o/x.idxstats o/x.mapped.coverage o/x.biofast.json o/x.biofast.html \
         o/x.mosdepth.summary.txt o/x.mosdepth.global.dist.txt o/x.mosdepth.region.dist.txt \
         o/x.per-base.bed.gz o/x.per-base.bed.gz.csi o/x.regions.bed.gz o/x.regions.bed.gz.csi",
    ),
    job(
        "stats --out-dir of reads",
        "stats --out-dir o a.fq",
        "o/a_fastqc/summary.txt o/a_fastqc/fastqc_data.txt o/a.seqkit.tsv o/a.biofast.json \
         o/a.biofast.html",
    ),
    job(
        "filter, single",
        "filter a.fq -o o.fq --rejected r.fq --min-len 40 --summary o.json --html o.html --sync",
        "o.fq r.fq o.json o.html",
    ),
    job(
        "filter, single, BGZF",
        "filter 1.fq.gz -o o.fq.gz --write-index --rejected r.fq.gz --min-len 40 --summary o.json",
        "o.fq.gz o.fq.gz.gzi r.fq.gz r.fq.gz.gzi o.json",
    ),
    job(
        "filter, paired",
        "filter 1.fq.gz 2.fq.gz -o o1.fq.gz --out2 o2.fq.gz --unpaired1 u1.fq --unpaired2 u2.fq \
         --rejected r.fq.zst --min-len 50 --summary o.json --html o.html",
        "o1.fq.gz o2.fq.gz u1.fq u2.fq r.fq.zst o.json o.html",
    ),
    job(
        "filter, merged pairs",
        "filter 1.fq.gz 2.fq.gz --merge --merged-out m.fq.gz -o o1.fq --out2 o2.fq --summary o.json",
        "m.fq.gz o1.fq o2.fq o.json",
    ),
    job(
        "filter, BAM",
        "filter x.bam -b -o o.bam -q 20 --write-index -U r.bam --summary o.json --html o.html",
        "o.bam o.bam.bai r.bam r.bam.bai o.json o.html",
    ),
    fed(job("filter, standard input to output", "filter --min-len 40 -", ""), "a.fq.gz"),
    telling(job("check", "check a.fq 1.fq.gz x.bam", "")),
    telling(job("check --json", "check --json -o o.json --paired 1.fq.gz 2.fq.gz", "o.json")),
    job("flagstat", "flagstat x.bam -o o.txt", "o.txt"),
    job("checksum", "checksum x.bam 1.fq.gz -o o.chk", "o.chk"),
    telling(job("checksum --against", "checksum x.bam --against x.bam --json -o o.json", "o.json")),
    job("idxstats", "idxstats x.bam -o o.txt", "o.txt"),
    job("index, BAI", "index y.bam", "y.bam.bai"),
    job("index, CSI", "index -c y.bam", "y.bam.csi"),
    job("index, GZI", "index 1.fq.gz", "1.fq.gz.gzi"),
    unthreaded(job("merge", "merge 1.json 2.json --json --html o.html -o o.json", "o.html o.json")),
    unthreaded(job(
        "merge --out-dir",
        "merge --sample s --out-dir o x.qc.json y.qc.json",
        "o/s.alignment_summary_metrics o/s.insert_size_metrics o/s.quality_by_cycle_metrics \
         o/s.quality_distribution_metrics o/s.base_distribution_by_cycle_metrics o/s.flagstat \
         o/s.idxstats o/s.biofast.json o/s.biofast.html",
    )),
    job("view -b", "view -b x.bam -o o.bam", "o.bam"),
    job("view, SAM of a region", "view -h x.bam chr1:1-40000", ""),
    job("view, SAM to BAM", "view x.sam -o o.bam", "o.bam"),
    // With a reference, its path would be in the file, and so that of the folder.
    job("view, BAM to CRAM", "view x.bam --no-reference --quiet -o o.cram", "o.cram"),
    job(
        "sort, SAM to CRAM",
        "sort x.sam --no-reference -q -o o.cram --write-index",
        "o.cram o.cram.crai",
    ),
    job("view, CRAM to BAM", "view -b x.cram -T ref.fa -o o.bam", "o.bam"),
    telling(job("stats of CRAM", "stats --json --reference ref.fa x.cram", "")),
    job(
        "fastq, collating",
        "fastq --collate x.bam -1 o1.fq.gz -2 o2.fq.gz -s s.fq -0 z.fq --summary o.json",
        "o1.fq.gz o2.fq.gz s.fq z.fq o.json",
    ),
    job(
        "fastq, spilling",
        "fastq --collate --memory 16K --temp-dir . x.bam -1 o1.fq.gz -2 o2.fq.gz -s s.fq -0 z.fq \
         --summary o.json",
        "o1.fq.gz o2.fq.gz s.fq z.fq o.json",
    ),
    job("fastq, grouped", "fastq --grouped x.bam -o o.fq", "o.fq"),
    job("sort", "sort x.bam -o o.bam --write-index --summary o.json", "o.bam o.bam.bai o.json"),
    job("sort, spilling", "sort -n x.bam -o o.bam --temp-dir . --memory 16K", "o.bam"),
    job(
        "markdup, spilling",
        "markdup -S x.bam -o o.bam --write-index --metrics o.txt --summary o.json --temp-dir . --memory 16K",
        "o.bam o.bam.bai o.txt o.json",
    ),
    job(
        "umi dedup",
        "umi dedup --paired --umi-separator e x.bam -o o.bam --write-index --output-stats o --method unique",
        "o.bam o.bam.bai o_edit_distance.tsv o_per_umi.tsv o_per_umi_per_position.tsv",
    ),
    job(
        "umi group",
        "umi group --umi-separator e x.bam -o o.bam --group-out o.tsv.gz --method unique",
        "o.bam o.tsv.gz",
    ),
    job(
        "sort --mark-duplicates",
        "sort --mark-duplicates -S -d 100 grouped.bam -o o.bam --write-index --metrics o.txt \
         --picard-metrics p.txt --temp-dir . --memory 16K",
        "o.bam o.bam.bai o.txt p.txt",
    ),
    job("merge, alignments", "merge x.bam y.bam x.sam -o o.bam --write-index", "o.bam o.bam.bai"),
    job("merge, a region", "merge -r -h x.sam -R chr1:1-40000 x.bam y.bam -o o.bam", "o.bam"),
    job("cat, BAM", "cat x.bam y.bam -o o.bam --summary o.json", "o.bam o.json"),
    job("faidx", "faidx 1.fq.gz -o o.fai --gzi-idx o.gzi", "o.fai o.gzi"),
    job("addreplacerg", "addreplacerg -r ID:x x.bam -o o.bam", "o.bam"),
    job("fixmate", "fixmate -m grouped.bam -o o.bam", "o.bam"),
    job("collate, spilling", "collate x.bam -o o.bam --temp-dir . --memory 16K", "o.bam"),
    job("retag", "retag -x NM x.bam -o o.bam", "o.bam"),
    job("reheader", "reheader x.sam x.bam -o o.bam", "o.bam"),
    job("cat, FASTQ", "cat 1.fq.gz 2.fq.gz -o o.fq.gz", "o.fq.gz"),
    job("import", "import 1.fq.gz 2.fq.gz -r ID:1 -o o.bam --summary o.json", "o.bam o.json"),
    job("shards, pairs", "shards --number 3 1.fq.gz 2.fq.gz -o o.plan.json", "o.plan.json"),
    // Files are named, as the copies that are read have other times than those of the plan.
    telling(job("check --shard", "check --json --shard x.plan.json#2 x.bam -o o.json", "o.json")),
    job("coverage --shard", "coverage --shard x.plan.json#2 x.bam -o o.json", "o.json"),
    job(
        "fastq --shard",
        "fastq --shard grouped.plan.json#1 grouped.bam -1 o1.fq -2 o2.fq",
        "o1.fq o2.fq",
    ),
    telling(job(
        "stats --shard, CRAM",
        "stats --json --reference ref.fa --shard cram.plan.json#1 x.cram -o o.json",
        "o.json",
    )),
    job("merge, checks of shards", "merge --json c1.json c2.json -o o.json", "o.json"),
    job(
        "merge --out-dir, depths of shards",
        "merge --out-dir o d1.json d2.json",
        "o/x.mosdepth.summary.txt o/x.mosdepth.global.dist.txt o/x.per-base.bed.gz \
         o/x.per-base.bed.gz.csi",
    ),
    unthreaded(job("get --record in gzip", "get g.fq.gz --record 3 --record 50 -o o.fq", "o.fq")),
    job("index --name-index", "index --name-index x.bam -o o.bni --memory 16K", "o.bni"),
    job(
        "split, one after the other",
        "split -s 25 1.fq.gz 2.fq.gz -o o{mate}_{part}.fq.gz --summary o.json",
        "o1_001.fq.gz o2_001.fq.gz o1_002.fq.gz o2_002.fq.gz o1_003.fq.gz o2_003.fq.gz o.json",
    ),
    job(
        "split, in turn",
        "split -p 3 a.fq -o o_{part}.fq.zst --sync",
        "o_001.fq.zst o_002.fq.zst o_003.fq.zst",
    ),
    job(
        "grep, pairs",
        "grep -s -p ACG 1.fq.gz 2.fq.gz -o o.fq.gz --out2 p.fq.gz --rejected r.fq --missing m.txt \
         --summary o.json",
        "o.fq.gz p.fq.gz r.fq m.txt o.json",
    ),
    job(
        "demux, pairs",
        "demux -i 1.fq.gz 2.fq.gz -r 2B1M+T +T -s samples.csv -d 1 -o o --summary o.json",
        "o/x.R1.fq.gz o/x.R2.fq.gz o/y.R1.fq.gz o/y.R2.fq.gz o/unmatched.R1.fq.gz \
         o/unmatched.R2.fq.gz o/demux-metrics.txt o.json",
    ),
    job(
        "dedup",
        "dedup 1.fq.gz 2.fq.gz -o o.fq.gz --interleaved-out -d d.fq --summary o.json",
        "o.fq.gz d.fq o.json",
    ),
    job(
        "dedup, spilling",
        "dedup long.fq -o o.fq.zst -d d.fq --temp-dir . --memory 16K --sync",
        "o.fq.zst d.fq",
    ),
    fed(
        job(
            "dedup, from standard input",
            "dedup --keep best-quality - -o o.fq --temp-dir .",
            "o.fq",
        ),
        "a.fq.gz",
    ),
    job(
        "repair",
        "repair 1.fq.gz 2.fq.gz -o o1.fq.gz --out2 o2.fq.gz --orphans s.fq --summary o.json",
        "o1.fq.gz o2.fq.gz s.fq o.json",
    ),
    job(
        "repair, spilling",
        "repair long.fq shuffled.fq -o o.fq.gz --interleaved-out --orphans1 s1.fq --orphans2 s2.fq \
         --temp-dir . --memory 16K",
        "o.fq.gz s1.fq s2.fq",
    ),
    job(
        "convert, pairs",
        "convert 1.fq.gz 2.fq.gz --reverse-complement --rename {number} -o o1.fq.bz2 --out2 \
         o2.fq.bz2 --name-map n.tsv --summary o.json",
        "o1.fq.bz2 o2.fq.bz2 n.tsv o.json",
    ),
    fed(
        job(
            "convert, the end of a stream to BAM",
            "convert --tail 40 - -o o.bam --temp-dir .",
            "o.bam",
        ),
        "a.fq.gz",
    ),
    job(
        "convert, unique names, spilling",
        "convert long.fq --unique-names -o o.fq.gz --summary o.json --temp-dir . --memory 16K",
        "o.fq.gz o.json",
    ),
    job(
        "shuffle, spilling",
        "shuffle long.fq -o o.fq.gz --summary o.json --temp-dir . --memory 16K",
        "o.fq.gz o.json",
    ),
    job(
        "sort --key, spilling",
        "sort --key length long.fq -o o.fq.gz --summary o.json --temp-dir . --memory 16K",
        "o.fq.gz o.json",
    ),
    fed(job("import to standard output", "import -", ""), "a.fq.gz"),
    fed(
        job(
            "filter, summary beside standard output",
            "filter - --summary o.json --rejected r.fq --min-len 40",
            "o.json r.fq",
        ),
        "a.fq",
    ),
];

impl Job {
    /// The words of the command line.
    pub(super) fn words(&self, threads: usize) -> Vec<String> {
        // With small chunks there is something to share.
        let threads = match self.threads {
            true => format!("-@ {threads} --chunk-size 2000"),
            false => String::new(),
        };
        let line = format!("{} {threads}", self.arguments);
        let binary = [crate::common::binary()];
        binary.into_iter().chain(words(&line)).map(str::to_owned).collect()
    }
}

/// The content of all inputs, by name.
pub(super) fn inputs() -> BTreeMap<String, Vec<u8>> {
    let folder = Folder::new();
    let one = reads("r", 60);
    // Mates have the same names.
    let two: String = one
        .lines()
        .enumerate()
        .map(|(i, line)| match i % 4 {
            1 | 3 => line.chars().rev().collect::<String>() + "\n",
            _ => line.to_owned() + "\n",
        })
        .collect();
    folder.file("a.fq", &one);
    folder.file("t.bed", "chr1\t100\t60000\nchrUn\t5\t900\n");
    folder.file("samples.csv", "sample,barcode\nx,AC\ny,GT\n");
    for (name, data) in [("a.fq.gz", &one), ("1.fq.gz", &one), ("2.fq.gz", &two)] {
        folder.file(name, bgzf(data.as_bytes(), 2500));
    }
    // More than fits into the least memory, and the same reads from the last to the first.
    let long = reads("r", 600);
    let lines: Vec<&str> = long.split_inclusive('\n').collect();
    let shuffled: String = lines.chunks(4).rev().map(<[&str]>::concat).collect();
    folder.file("long.fq", &long);
    folder.file("shuffled.fq", shuffled);
    folder.file("g.fq.gz", gzip(one.as_bytes()));
    let shape = SamShape { records: 60, sorted: true, longest: 100, oddities: true, seed: 3 };
    folder.file("x.sam", sam::text(&shape));
    for arguments in [
        "view -b --no-PG x.sam -o x.bam",
        "view -b --no-PG x.sam -o y.bam",
        "index x.bam",
        "sort -q -n --no-PG x.sam -o grouped.bam",
        "index g.fq.gz",
        "shards --quiet --number 2 x.bam -o x.plan.json",
        "shards --quiet --number 2 --keep-templates grouped.bam -o grouped.plan.json",
        "check --json --shard x.plan.json#1 -o c1.json",
        "check --json --shard x.plan.json#2 -o c2.json",
        "coverage --shard x.plan.json#1 -o d1.json",
        "coverage --shard x.plan.json#2 -o d2.json",
        "stats --json a.fq -o 1.json",
        "stats --json 2.fq.gz -o 2.json",
        "stats --json --partial lane --qc picard x.bam -o x.qc.json",
        "stats --json --partial lane --qc picard y.bam -o y.qc.json",
    ] {
        let mut command = command(&words(arguments));
        assert!(command.current_dir(folder.path("")).status().unwrap().success());
    }
    folder.file("ref.fa", sam::fasta(shape.seed));
    std::fs::copy(data("jobs.cram"), folder.path("x.cram")).unwrap();
    let sam = placed_reads(&folder, &["x.sam"]);
    let cram = placed_reads(&folder, &["x.cram", "-T", "ref.fa"]);
    assert_eq!(sam, cram, "jobs.cram holds other records: see its README.md");
    let mut shards = command(&["shards", "-q", "--number", "1", "x.cram", "-o", "cram.plan.json"]);
    assert!(shards.current_dir(folder.path("")).status().unwrap().success());
    files_below(&folder.path(""))
}

/// What stands under the name of an output before the run.
pub(super) fn old(name: &str) -> Vec<u8> {
    match name.contains(".fq") && !name.ends_with(".gzi") {
        true => b"@old\nACGT\n+\nIIII\n".to_vec(),
        false => format!("the old {name}\n").into_bytes(),
    }
}

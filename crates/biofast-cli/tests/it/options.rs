//! Every option of every command, typed alone in each mode of its command: it changes something, or is refused, or there is a word about
//! it. And every value: numbers that nobody means end in an error, not in a panic, without end or in all the memory.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use biofast_testkit::random::Random;
use clap::{Arg, ArgAction};

use crate::common::molecules::made_molecules;
use crate::common::{Folder, command, files_below, good, listed, reversed};

/// A mode of a command: words that run it.
type Mode = (&'static str, &'static [(&'static str, &'static str)]);

/// Commands that aren't here are tried as the examples of their help run them.
const MODES: &[Mode] = &[
    (
        "filter",
        &[
            ("reads", "r.fq -o O.fq"),
            ("pairs", "r1.fq r2.fq -o O.fq --out2 O2.fq --max-n 2"),
            ("alignments", "a.bam -o O.sam -h"),
            ("count", "a.bam -c"),
            ("unaligned", "u.bam -o O.sam -h"),
            ("trimmed", "u.bam -o O.sam -h --min-len 2"),
        ],
    ),
    (
        "stats",
        &[
            ("reads", "r.fq"),
            ("json", "r.fq --json"),
            ("tsv", "r.fq -T"),
            ("pairs", "r1.fq r2.fq --paired"),
            ("alignments", "a.bam"),
            ("alignments json", "a.bam --json"),
            ("samtools", "a.bam --format samtools"),
            ("fastqc", "r.fq --format fastqc"),
            ("folder", "r.fq --out-dir D"),
            ("folder of alignments", "a.bam --out-dir D"),
            ("per read", "r.fq --per-read"),
            ("per alignment", "a.bam --per-read"),
            ("limits", "--print-limits"),
        ],
    ),
    ("check", &[("reads", "r.fq"), ("alignments", "a.bam"), ("pairs", "r1.fq r2.fq --paired")]),
    (
        "coverage",
        &[
            ("table", "a.bam"),
            ("files", "a.bam --prefix P"),
            ("samtools", "a.bam --format samtools-depth"),
            ("folder", "a.bam --out-dir D"),
        ],
    ),
    ("depth", &[("one", "a.bam"), ("columns", "a.bam b.bam -r chr1:1-600")]),
    ("index", &[("alignments", "a.bam -o O.bai"), ("minimizers", "--minimizers ref.fa -o O.idx")]),
    (
        "merge",
        &[
            ("alignments", "a.bam b.bam -O sam -o O.sam"),
            ("reports", "rep1.json rep2.json"),
            ("json", "rep1.json rep2.json --json"),
        ],
    ),
    ("view", &[("records", "a.bam -h"), ("count", "a.bam -c"), ("header", "a.bam -H")]),
    (
        "checksum",
        &[
            ("alignments", "a.bam"),
            ("json", "a.bam --json"),
            ("reads", "r.fq"),
            ("pairs", "r1.fq r2.fq --paired"),
            ("against", "a.bam --against b.bam"),
        ],
    ),
    ("idxstats", &[("alignments", "a.bam")]),
    (
        "fastq",
        &[
            ("one", "a.bam -o O.fq"),
            ("files", "u.bam -1 O1.fq -2 O2.fq -0 O0.fq -s Os.fq"),
            ("sets", "a.bam --layout R1(RX:RX,SEQ:QUAL) --layout R2(SEQ:QUAL) --10x O"),
        ],
    ),
    ("import", &[("reads", "r.fq -o O.bam"), ("pairs", "-1 r1.fq -2 r2.fq -o O.bam")]),
    (
        "sort",
        &[
            ("coordinates", "n.bam -o O.sam"),
            ("names", "a.bam -n -o O.sam"),
            ("reads", "v.fq --key length -o O.fq"),
            ("pairs", "r1.fq r2.fq --key name -o O.fq --out2 O2.fq"),
            ("duplicates", "n.bam --mark-duplicates -o O.sam"),
        ],
    ),
    ("markdup", &[("alignments", "a.bam -o O.sam")]),
    (
        "umi",
        &[
            ("group", "group --umi-separator : a.bam -o O.sam"),
            ("dedup", "dedup --umi-separator : a.bam -o O.sam"),
            ("pairs", "dedup --paired --umi-separator : a.bam -o O.sam"),
            ("tags", "group --umi-tag RX a.bam -o O.sam"),
            ("genes", "group --umi-separator : --per-gene --gene-tag RG a.bam -o O.sam"),
            ("correct", "correct --umi-files kit.txt a.bam -o O.sam"),
            ("molecules", "group --strategy adjacency tc.bam -o O.sam"),
            ("consensus", "consensus --min-reads 1 --min-input-base-quality 30 mi.bam -o O.sam"),
            ("duplex", "consensus --duplex mi.bam -o O.sam"),
            ("consensus reads", "filter --min-reads 1,1,0 cons.bam -o O.sam"),
            (
                "differing reads",
                "filter --min-reads 1,1,0 --max-read-error-rate 0.4 cons.bam -o O.sam",
            ),
        ],
    ),
    (
        "convert",
        &[
            ("reads", "v.fq --to fastq -o O.fq"),
            ("fasta", "v.fq --to fasta -o O.fa"),
            ("pairs", "r1.fq r2.fq --to fastq -o O.fq --out2 O2.fq"),
            ("alignments", "a.bam --to fastq -o O.fq"),
        ],
    ),
    ("shuffle", &[("reads", "r.fq -o O.fq"), ("pairs", "r1.fq r2.fq -o O.fq --out2 O2.fq")]),
    (
        "split",
        &[
            ("size", "r.fq -s 10 -o O_{part}.fq"),
            ("parts", "r.fq -p 3 -o O_{part}.fq"),
            ("bases", "r.fq -l 300 -o O_{part}.fq"),
            ("tag", "a.bam --by RG -o O_{value}.sam"),
        ],
    ),
    (
        "demux",
        &[
            ("bases", "-i r1.fq -r 4B4M+T -s sheet.tsv -o D"),
            ("headers", "-i r1.fq --header-barcodes -s headers.tsv -o D"),
            ("ends", "-i r1.fq --ends either -s sheet.tsv -o D"),
        ],
    ),
    (
        "grep",
        &[
            ("bases", "v.fq -s -p ACG -o O.fq"),
            ("names", "v.fq -p m:1|M:5|N:0 -r -o O.fq"),
            ("count", "v.fq -s -p ACG -c"),
            ("pairs", "r1.fq r2.fq -s -p ACGTA -o O.fq --out2 O2.fq"),
        ],
    ),
    (
        "dedup",
        &[
            ("reads", "v.fq -o O.fq"),
            ("pairs", "r1.fq r2.fq -o O.fq --out2 O2.fq"),
            ("identifiers", "v.fq --compare-umi -o O.fq"),
        ],
    ),
    ("repair", &[("pairs", "r1.fq r2.fq -o O.fq --out2 O2.fq")]),
    (
        "cat",
        &[
            ("alignments", "a.bam b.bam -o O.bam"),
            ("reads", "r1.fq r.fq -o O.fq"),
            ("lanes", "r1.fq r2.fq -o O.fq --out2 O2.fq"),
        ],
    ),
    ("reheader", &[("alignments", "b.bam a.bam -o O.bam")]),
    (
        "faidx",
        &[
            ("index", "ref.fa"),
            ("regions", "ref.fa chr1:5-90 chr2"),
            ("reads", "r.fq -f M:0:ACGTAC"),
        ],
    ),
    ("head", &[("records", "a.bam -n 3")]),
    ("addreplacerg", &[("new", "a.bam -r ID:new"), ("first", "a.bam -o O.sam")]),
    ("fixmate", &[("names", "n.bam -o O.sam")]),
    ("collate", &[("alignments", "a.bam -o O.sam")]),
    ("reset", &[("alignments", "a.bam -o O.sam")]),
    ("retag", &[("tags", "a.bam -x RX -o O.sam"), ("UMIs", "a.bam --umi-from-name -o O.sam")]),
    ("rename-contigs", &[("alignments", "--table contigs.tsv a.bam -o O.sam")]),
    ("samples", &[("headers", "a.bam b.bam")]),
    ("shards", &[]),
    ("get", &[]),
    ("run", &[]),
    ("demo", &[]),
    ("self-test", &[]),
    ("schema", &[]),
    ("completions", &[]),
    ("man", &[]),
];

/// Values that would change something if they were read, by the names of options. Not of those that name their values, take a
/// quality (`Q`) or a number (`N`) of which any matters: see [`values`].
const VALUES: &[(&str, &[&str])] = &[
    ("--10x", &["O"]),
    ("--adapter", &["ACGT"]),
    ("--adapter-error-rate", &["0.4"]),
    ("--adapter-fasta", &["ad.fa"]),
    ("--adapter-kit", &["ligation"]),
    ("--adapter-min-overlap", &["1"]),
    ("--adapter2", &["ACGT"]),
    ("--against", &["sum.json", "b.bam"]),
    ("--alt", &["names.txt"]),
    ("--anywhere", &["ACGT"]),
    ("--anywhere2", &["ACGT"]),
    ("--assembly", &["hg38"]),
    ("--bait-intervals", &["bed.bed"]),
    ("--baseline", &["rep1.json"]),
    ("--bin-quality", &["8"]),
    ("--barcode-rgx", &["(zz)"]),
    ("--barcode-tag", &["RX"]),
    ("--by", &["RG", "100", "length", "name"]),
    ("--by-bytes", &["3K"]),
    ("--by-length", &["30"]),
    ("--by-part", &["3"]),
    ("--by-size", &["7"]),
    ("--by-tag", &["RX"]),
    ("--cap-quality", &["25"]),
    ("--chrom", &["chr1"]),
    ("--compat", &["samtools=1.16", "mosdepth=0.3.3", "fastqc=0.11.9", "fastp=0.23"]),
    ("--contaminants", &["ad.fa"]),
    ("--count", &["3"]),
    ("--coverage-cap", &["5"]),
    ("--crop-front", &["3"]),
    ("--crop-tail", &["3"]),
    ("--cut-mean-quality", &["31"]),
    ("--cut-window-size", &["9"]),
    ("--deplete", &["host.idx"]),
    ("--deplete-action", &["keep"]),
    ("--deplete-min-fraction", &["0.9"]),
    ("--deplete-min-hits", &["12"]),
    ("--deplete-prefix", &["10"]),
    ("--digits", &["5"]),
    ("--duplicates", &["od.fq"]),
    ("--duplicates2", &["od2.fq"]),
    ("--exclude-flags", &["64", "4"]),
    ("--expr", &["mapq>20"]),
    ("--fai-idx", &["o.fai"]),
    ("--fasta", &["ref.fa"]),
    ("--fasta-list", &["list.txt"]),
    ("--fastp-json", &["o6.json"]),
    ("--files-from", &["list.txt"]),
    ("--dust-window", &["20"]),
    ("--end-window", &["9"]),
    ("--first-bases", &["20", "1"]),
    ("--flag-mask", &["16"]),
    ("--format", &["json", "samtools", "fastqc", "samtools-depth"]),
    ("--front", &["ACGT"]),
    ("--front2", &["ACGT"]),
    ("--genome-size", &["400"]),
    ("--gzi-idx", &["o.gzi"]),
    ("--head", &["3"]),
    ("--header", &["header.sam"]),
    ("--headers", &["1"]),
    ("--html", &["o.html"]),
    ("--ignore-columns", &["lane"]),
    ("--index-hopping", &["o.hop"]),
    ("--in2", &["r2.fq"]),
    ("--include-flags", &["16"]),
    ("--keep", &["best-quality", "last"]),
    ("--keep-flags", &["DUP"]),
    ("--keep-first", &["20"]),
    ("--keep-percent", &["30"]),
    ("--keep-tag", &["NM"]),
    ("--key", &["length", "name", "similarity"]),
    ("--kmer-length", &["21"]),
    ("--lane", &["2"]),
    ("--length", &["7"]),
    ("--length-weight", &["9"]),
    ("--level", &["9"]),
    ("--layout", &["I1(RX:RX)"]),
    ("--library", &["rna"]),
    ("--limits", &["limits.txt"]),
    ("--line-width", &["10"]),
    ("--mark-strand", &["sign"]),
    ("--mates", &["names"]),
    ("--max-dust", &["7"]),
    ("--max-expected-errors", &["3"]),
    ("--max-expected-errors-per-base", &["0.05"]),
    ("--max-gc", &["50"]),
    ("--max-len", &["40"]),
    ("--max-low-quality-percent", &["20"]),
    ("--max-mean-qual", &["9"]),
    ("--max-mismatches", &["2", "0"]),
    ("--max-n", &["2"]),
    ("--max-n-percent", &["2"]),
    ("--max-no-calls", &["1"]),
    ("--mean-q-weight", &["9"]),
    ("--merged-out", &["o7.fq"]),
    ("--metrics", &["o.met"]),
    ("--min-base-quality", &["20"]),
    ("--min-complexity", &["80"]),
    ("--min-entropy", &["90"]),
    ("--min-gc", &["50"]),
    ("--min-len", &["81"]),
    ("--min-mapq", &["20", "61"]),
    ("--min-mean-qual", &["12"]),
    ("--min-mismatch-delta", &["4"]),
    ("--min-shift", &["12"]),
    ("--missing", &["o.miss"]),
    ("--minimizer-window", &["11"]),
    ("--name-format", &["%#%!.%."]),
    ("--name-map", &["o.map"]),
    ("--name-regex", &["5"]),
    ("--name-template", &["{sample}x"]),
    ("--name-prefix", &["x"]),
    ("--name-suffix", &["x"]),
    ("--names", &["names.txt"]),
    ("--optical-distance", &["100"]),
    ("--orphans", &["oo"]),
    ("--orphans1", &["oo1"]),
    ("--orphans2", &["oo2"]),
    ("--out", &["o9.out"]),
    ("--out-dir", &["D2"]),
    ("--out2", &["o2.fq"]),
    ("--output-format", &["bgzf", "bam", "sam"]),
    ("--output-types", &["B"]),
    ("--output-unselected", &["o8.sam"]),
    ("--overlap-diff-limit", &["0"]),
    ("--overlap-diff-percent-limit", &["0"]),
    ("--overlap-len-require", &["77"]),
    ("--pair", &["any", "both"]),
    ("--partial", &["lane"]),
    ("--pattern-file", &["pat.txt"]),
    ("--picard-metrics", &["o.pmet"]),
    ("--prefix", &["opre"]),
    ("--preset", &["fastp", "trim-galore"]),
    ("--qc", &["depth", "stats"]),
    ("--qname-file", &["names.txt"]),
    ("--qualified-quality", &["38"]),
    ("--quality", &["20"]),
    ("--quality-cutoff", &["30"]),
    ("--quality-cutoff2", &["30"]),
    ("--quantize", &["0:1:4:"]),
    ("--range", &["2:5"]),
    ("--read-group", &["g1", "ID:x"]),
    ("--read-group-file", &["rg.txt"]),
    ("--read-groups", &["g1"]),
    ("--read-one-barcode-tag", &["RX"]),
    ("--read-structures", &["4B+T"]),
    ("--read-two-barcode-tag", &["RX"]),
    ("--reads-per-fastq", &["7"]),
    ("--reference", &["ref.fa"]),
    ("--region", &["chr1:1-500", "1:10"]),
    ("--region-file", &["chr1.txt"]),
    ("--regions-file", &["bed.bed"]),
    ("--reject-PG", &["x"]),
    ("--rejected", &["o5.fq", "o5.sam"]),
    ("--remove-tag", &["NM", "RX"]),
    ("--rename", &["x{number}"]),
    ("--rename-regex", &["A"]),
    ("--rename-table", &["renames.tsv"]),
    ("--rename-tag", &["NM:nm"]),
    ("--require-flags", &["64"]),
    ("--rg", &["zz"]),
    ("--rg-line", &["ID:x"]),
    ("--rg-tag", &["LB"]),
    ("--sample", &["zz"]),
    ("--sample-bases", &["300"]),
    ("--sample-count", &["3"]),
    ("--sample-coverage", &["0.5"]),
    ("--sample-fraction", &["0.3"]),
    ("--samtools-stats", &["o.sst"]),
    ("--sanitize", &["off", "cigarx"]),
    ("--search-region", &["2:5"]),
    ("--seed", &["99"]),
    ("--shard", &["plan.json#1"]),
    ("--species", &["dog"]),
    ("--stats", &["o.stats"]),
    ("--subsample", &[".3"]),
    ("--subsample-seed", &["7"]),
    ("--sra-names", &["SRR1"]),
    ("--subseq", &["2:9"]),
    ("--summary", &["o.json"]),
    ("--skipped", &["o6.txt"]),
    ("--tag", &["NM:1", "RX"]),
    ("--tags", &["NM"]),
    ("--tag-file", &["NM:vals.txt"]),
    ("--tail", &["3"]),
    ("--target-bases", &["200"]),
    ("--target-intervals", &["bed.bed"]),
    ("--thresholds", &["1,2"]),
    ("--times", &["3"]),
    ("--title", &["Run 7"]),
    ("--trim-galore-report", &["o.tg1.txt"]),
    ("--trim-galore-report2", &["o.tg2.txt"]),
    ("--unknown-barcodes", &["o.unk"]),
    ("--umi", &["index1"]),
    ("--umi-len", &["4"]),
    ("--umi-prefix", &["XX"]),
    ("--umi-separator", &["."]),
    ("--umi-skip", &["3"]),
    ("--umi-tag", &["BX"]),
    ("--unassigned", &["o.rest.sam"]),
    ("--unmatched-prefix", &["zz"]),
    ("--unpaired1", &["o3.fq"]),
    ("--unpaired2", &["o4.fq"]),
    ("--uri", &["x.fa"]),
    ("--verdicts", &["o.tsv"]),
    ("--window-q-weight", &["9"]),
    ("--window-size", &["9"]),
    ("-0", &["p0.fq"]),
    ("-1", &["p1.fq"]),
    ("-2", &["p2.fq"]),
    ("-G", &["65"]),
    ("-T", &["RX"]),
    ("-s", &["7.3", "ps.fq"]),
    ("-v", &["7"]),
    ("--assigned-status-tag", &["BC"]),
    ("--cell-tag", &["BC"]),
    ("--cell-tag-delimiter", &["A"]),
    ("--cell-tag-split", &["G"]),
    ("--edit-distance-threshold", &["0"]),
    ("--gene-tag", &["NM", "BC"]),
    ("--group-out", &["o.tsv"]),
    ("--output-stats", &["o.us"]),
    ("--skip-tags-regex", &["g1"]),
    ("--soft-clip-threshold", &["0"]),
    ("--umi-group-tag", &["MI"]),
    ("--umi-tag-delimiter", &["A"]),
    ("--umi-tag-split", &["A"]),
    ("--umis", &["TTTT"]),
    ("--umi-files", &["pat.txt"]),
    ("--original-tag", &["oX"]),
    ("--correction-metrics", &["o.corrected"]),
    ("--strategy", &["identity"]),
    ("--edits", &["3", "0"]),
    ("--min-umi-length", &["9"]),
    ("--family-size-histogram", &["o.sizes"]),
    ("--grouping-metrics", &["o.grouping"]),
    ("--min-reads", &["3"]),
    ("--max-reads", &["2"]),
    ("--error-rate-pre-umi", &["20"]),
    ("--error-rate-post-umi", &["15"]),
    ("--min-input-base-quality", &["25"]),
    ("--min-consensus-base-quality", &["35"]),
    ("--read-name-prefix", &["x"]),
    ("--read-group-id", &["B"]),
    ("--max-read-error-rate", &["0"]),
    ("--max-base-error-rate", &["0.9"]),
    ("--min-mean-base-quality", &["60"]),
    ("--max-no-call-fraction", &["0"]),
];

/// How it is run, not what it does: nothing of it is seen in outputs.
const HOW: &[&str] = &[
    "help", "version", "threads", "chunk_size", "io", "memory", "temp_dir", "cache_dir", "sync",
    "strict", "allow_missing_eof", "quiet", "verbose", "stdin_label",
];

/// Options that change nothing of these inputs, or say what is done anyway. Of all modes of a command, or of those named.
const NEUTRAL: &[(&str, &[&str], &[&str])] = &[
    // The kit is not among the reads.
    ("filter", &["reads"], &["adapter_kit"]),
    ("filter", &["pairs"], &["max_n_percent"]),
    // No read is too short.
    ("filter", &["trimmed"], &["pair"]),
    ("index", &[], &["bai"]),
    ("check", &["reads"], &["against"]),
    // The reports have no parts.
    ("merge", &["json"], &["partial"]),
    ("view", &["header"], &["with_header", "shard"]),
    ("view", &["records"], &["with_header"]),
    // As it is done anyway, or what there is nothing of in these files.
    ("cat", &["lanes"], &["mates"]),
    // None are in these alignments.
    ("depth", &[], &["count_deletions"]),
    ("fastq", &[], &["no_suffix", "missing_quality", "collate", "grouped", "original_qualities"]),
    ("fastq", &["sets"], &["skip_incomplete"]),
    ("sort", &["duplicates"], &["mark_supplementary", "duplicate_mode", "include_fails", "rule"]),
    ("markdup", &[], &["mark_supplementary", "duplicate_mode", "include_fails", "rule"]),
    ("convert", &["pairs", "alignments"], &["rna2dna", "upper_case", "only_id", "unique_names"]),
    // No read is spliced, clipped by 1000 bases, unpaired or of another length than others of its group.
    ("umi", &[], &["buffer_whole_contig", "read_length", "spliced_is_unique"]),
    ("umi", &["pairs"], &["chimeric_pairs", "unpaired_reads"]),
    // Read groups, which stand for genes here, are all of one UMI at a place.
    ("umi", &["genes"], &["assigned_status_tag", "edit_distance_threshold", "method", "paired"]),
    // No read ends in bases of a quality below 10, and reads with many errors are left out as a whole.
    ("umi", &["duplex"], &["trim"]),
    ("umi", &["consensus reads"], &["max_base_error_rate"]),
    // No column of the sheet is unknown.
    ("demux", &[], &["lane", "max_no_calls", "skip_reasons", "ignore_columns"]),
    // All pairs are found by either rule, none is left over, and the parts are few.
    ("filter", &["pairs"], &["mates"]),
    ("stats", &["pairs"], &["mates"]),
    ("check", &["pairs"], &["mates"]),
    ("checksum", &["pairs"], &["mates"]),
    // No row of reads is empty, and no field of these alignments contradicts another.
    ("checksum", &["reads", "pairs"], &["show_empty"]),
    ("checksum", &["alignments", "against"], &["sanitize"]),
    ("import", &[], &["mates"]),
    ("sort", &["pairs"], &["mates"]),
    ("convert", &["pairs"], &["mates"]),
    ("shuffle", &["pairs"], &["mates"]),
    ("grep", &["pairs"], &["mates"]),
    ("dedup", &["pairs"], &["mates"]),
    ("repair", &[], &["mates", "drop_orphans"]),
    // All regions are there.
    ("faidx", &["regions", "reads"], &["goes_on"]),
    ("dict", &[], &["alt"]),
    ("quickcheck", &[], &["unmapped"]),
    // All records have a read group, and none has this ID.
    ("addreplacerg", &["new"], &["overwrite_rg"]),
    // All mates are aligned and look at each other, and no record is secondary.
    ("fixmate", &[], &["remove", "no_pair_check"]),
    // The index counts the same.
    ("idxstats", &[], &["count"]),
    ("split", &[], &["force"]),
    ("demux", &["headers"], &["umi_in"]),
    ("grep", &[], &["degenerate", "require_all", "color"]),
    ("grep", &["bases", "count"], &["use_regexp"]),
    ("grep", &["pairs"], &["use_regexp", "only_positive_strand", "ignore_case", "pair"]),
    ("dedup", &["pairs"], &["mismatches", "ignore_case", "reverse_complement"]),
];

fn qualities(random: &mut Random, n: usize) -> String {
    (0..n).map(|_| char::from(b"#5?I"[random.below(4)])).collect()
}

fn bases(random: &mut Random, n: usize) -> String {
    (0..n).map(|_| char::from(b"ACGT"[random.below(4)])).collect()
}

const ADAPTER: &str = "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA";

/// The inputs, in a folder of their own.
fn stage() -> Folder {
    let folder = Folder::new();
    let mut random = Random(0x5eed);
    let random = &mut random;
    let mut files = [String::new(), String::new(), String::new(), String::new()];
    let mut last = [String::new(), String::new()];
    for i in 0..40 {
        let insert = [20, 40, 90][random.below(3)];
        let insert = bases(random, insert);
        let fill = bases(random, 60);
        let mut mates = [insert.clone(), reversed(&insert)]
            .map(|strand| (strand + ADAPTER + &fill)[..80].to_owned());
        match i % 9 {
            0 => mates[0].replace_range(60.., &"G".repeat(20)),
            3 => mates[0].replace_range(5..12, "NNNNNNN"),
            5 => mates.clone_from(&last),
            7 => mates[0].replace_range(77.., "NNN"),
            _ => {}
        }
        last.clone_from(&mates);
        for (mate, sequence) in mates.iter().enumerate() {
            let umi = ["ACGTAC", "ACGTAA"][i % 2];
            // Of sample S1, with no, one and two mismatches; one is three from S2.
            let barcodes = ["ACGT+GGTT", "ACGT+GGTA", "CAGT+GGTT"][i % 3];
            let record = |sequence: &str, qualities: &str| {
                format!("@M:{i}:{umi} {}:N:0:{barcodes}\n{sequence}\n+\n{qualities}\n", mate + 1)
            };
            let scores = qualities(random, sequence.len());
            files[mate] += &record(sequence, &scores);
            if mate == 0 {
                files[2] += &record(sequence, &scores);
                // Of several lengths, and with letters of both cases and both nucleic acids.
                let len = 10 + random.below(70);
                let mut varied = sequence[..len].to_owned();
                match i % 5 {
                    0 => varied.make_ascii_lowercase(),
                    1 => varied = varied.replace('T', "U"),
                    2 => varied.replace_range(3..4, "A"),
                    _ => {}
                }
                files[3] += &record(&varied, &scores[..len]);
            }
        }
    }
    // Near copies, other strands and copies of names.
    let core = bases(random, 30);
    for (name, sequence) in [
        ("c1:ACGTAC", core.clone()),
        ("c2:GGTTAC", core.clone()),
        ("c2:ACGTAC", core.clone() + "A"),
        ("c3:ACGTAC", core.clone() + "T"),
        ("c4:ACGTAC", reversed(&core)),
        ("c5:ACGTAC", core.to_ascii_lowercase()),
    ] {
        let n = sequence.len();
        files[3] += &format!("@{name}\n{sequence}\n+\n{}\n", "I".repeat(n));
    }
    for (name, content) in ["r1.fq", "r2.fq", "r.fq", "v.fq"].into_iter().zip(&files) {
        folder.file(name, content);
    }
    let header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:2000\n@SQ\tSN:chr2\tLN:1000\n\
        @RG\tID:g1\tSM:s1\tLB:l1\n@RG\tID:g2\tSM:s2\tLB:l2\n@PG\tID:x\tPN:x\n";
    let reference = [bases(random, 2000), bases(random, 1000)];
    folder.file("ref.fa", format!(">chr1\n{}\n>chr2\n{}\n", reference[0], reference[1]));
    let (mut records, mut by_name) = (Vec::new(), String::new());
    let mut last = (0, 0);
    for i in 0..60 {
        let chromosome = random.below(2);
        let place = (chromosome, random.below(reference[chromosome].len() - 250));
        let place = if i % 5 == 1 { last } else { place };
        last = place;
        let (chromosome, start) = place;
        let apart = if i % 4 == 0 { 20 } else { 100 };
        let flags = [0, 0, 0, 1024, 512][random.below(5)];
        let quality = [0, 10, 30, 60][random.below(4)];
        let (group, umi) = (1 + i % 2, ["ACGT", "ACGA"][i % 2]);
        let tags = format!(
            "RG:Z:g{group}\tNM:i:{}\tRX:Z:{umi}\tMC:Z:50M\tBC:Z:ACGT\tOQ:Z:{}",
            i % 3,
            "I".repeat(50)
        );
        let name = format!("n{i}:{umi}");
        for (mate, (at, other)) in
            [(start, start + apart), (start + apart, start)].into_iter().enumerate()
        {
            let sequence = &reference[chromosome][at..at + 50];
            let (own, insert) = ([99, 147][mate], (apart + 50) as i64 * [1, -1][mate]);
            let scores = qualities(random, 50);
            let line = format!(
                "{name}\t{}\tchr{}\t{}\t{quality}\t50M\t=\t{}\t{insert}\t{sequence}\t{scores}\t{tags}\n",
                own | flags,
                chromosome + 1,
                at + 1,
                other + 1
            );
            by_name += &line;
            records.push((chromosome, at, line));
        }
    }
    records.sort();
    let lines: String = records.iter().map(|(.., line)| line.as_str()).collect();
    folder.file("a.sam", format!("{header}{lines}"));
    folder.file(
        "b.sam",
        format!("{}{lines}", header.replace("SM:s1", "SM:s3").replace("PN:x", "PN:z")),
    );
    // One CIGAR is of operations that `fixmate -z cigarx` changes.
    let by_name = by_name.replacen("\t50M\t", "\t25=25X\t", 1);
    folder.file("n.sam", header.replace("SO:coordinate", "SO:unsorted\tGO:query") + &by_name);
    let mut unaligned =
        "@HD\tVN:1.6\tSO:unsorted\tGO:query\n@RG\tID:g1\tSM:s1\n@RG\tID:g2\tSM:s2\n".to_owned();
    for i in 0..30 {
        let insert = bases(random, 50);
        for (flags, strand) in [(77, insert.clone()), (141, reversed(&insert))] {
            let mut sequence = (strand + ADAPTER)[..80].to_owned();
            match i % 5 {
                0 => sequence.replace_range(60.., &"G".repeat(20)),
                1 => sequence.replace_range(5..12, "NNNNNNN"),
                2 => sequence.truncate(60),
                3 => sequence.replace_range(77.., "NNN"),
                _ => {}
            }
            let scores = qualities(random, sequence.len());
            let group = 1 + i % 2;
            unaligned += &format!(
                "u{i}:ACGTAC\t{flags}\t*\t0\t0\t*\t*\t0\t0\t{sequence}\t{scores}\tRG:Z:g{group}\tNM:i:{}\tRX:Z:ACGT\tBC:Z:ACGT\n",
                i % 3
            );
        }
    }
    // Hosts are the starts of some reads.
    let starts = unaligned.lines().filter(|line| !line.starts_with('@')).take(20);
    let starts = starts.filter_map(|line| line.split('\t').nth(9));
    let of_pairs = files[0].lines().skip(1).step_by(4).take(20);
    let host: String =
        starts.chain(of_pairs).map(|bases| format!(">h\n{}\n", &bases[..58])).collect();
    folder.file("host.fa", host);
    good(&folder, &["index", "-q", "--minimizers", "host.fa", "-o", "host.idx"]);
    folder.file("u.sam", unaligned);
    for name in ["a", "b", "n", "u"] {
        let (from, to) = (format!("{name}.sam"), format!("{name}.bam"));
        good(&folder, &["view", "-b", "--no-PG", &from, "-o", &to]);
    }
    good(&folder, &["index", "a.bam"]);
    folder.file("made.sam", made_molecules(random, true) + "q\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n");
    good(&folder, &["sort", "-q", "--template-coordinate", "made.sam", "-o", "tc.bam"]);
    let group = ["umi", "group", "-q", "--strategy", "paired", "--min-mapq", "0"];
    good(&folder, &[&group[..], &["--allow-unmapped", "tc.bam", "-o", "mi.bam"]].concat());
    let consensus = ["umi", "consensus", "-q", "--duplex", "--min-reads", "1,1,0", "mi.bam"];
    let called = good(&folder, &[&consensus[..], &["-O", "sam"]].concat()).stdout;
    // As if they had been aligned, and turned around.
    folder.file("cons.sam", called.replace("\t77\t", "\t93\t"));
    good(&folder, &["view", "-b", "cons.sam", "-o", "cons.bam"]);
    folder.file("names.txt", "M:1:ACGTAA\nn1:ACGA\nu1:ACGTAC\n");
    folder.file("kit.txt", "ACGG\nTTCC\n");
    folder.file("contigs.tsv", "chr1\t1\n");
    folder.file("renames.tsv", "M:1:ACGTAA\tx\nn1:ACGA\ty\nu1:ACGTAC\tz\n");
    folder.file("bed.bed", "chr1\t100\t600\tx\n");
    folder.file("rg.txt", "g1\n");
    folder.file("ad.fa", format!(">a\n{ADAPTER}\n"));
    folder.file("pat.txt", "CGTA\n");
    folder.file("vals.txt", "1\n");
    folder.file("chr1.txt", "chr1:1-9\n");
    folder.file("list.txt", "r1.fq\n");
    folder.file("header.sam", header.replace("PN:x", "PN:y"));
    folder.file("sheet.tsv", "sample_id\tbarcode\nS1\tACGT\nS2\tGGGG\n");
    folder.file("headers.tsv", "sample_id\tbarcode\nS1\tACGTGGTT\nS2\tACGTCCCC\n");
    let limits = good(&folder, &["stats", "--print-limits", "--library", "rna"]);
    folder.file("limits.txt", limits.stdout);
    for (reads, report) in [("r.fq", "rep1.json"), ("r1.fq", "rep2.json")] {
        good(&folder, &["stats", "--json", reads, "-o", report]);
    }
    good(&folder, &["filter", "--quiet", "v.fq", "-o", "kept.fq", "--summary", "sum.json"]);
    good(&folder, &["shards", "a.bam", "--number", "3", "-o", "plan.json"]);
    folder
}

/// An option as it is typed.
fn named(argument: &Arg) -> Option<String> {
    let long = argument.get_long().map(|long| format!("--{long}"));
    long.or_else(|| argument.get_short().map(|short| format!("-{short}")))
}

fn takes_value(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Set | ArgAction::Append)
}

fn needs_value(argument: &Arg) -> bool {
    takes_value(argument) && argument.get_num_args().is_none_or(|n| n.min_values() > 0)
}

/// Whether the words of a mode give an option.
fn is_given(words: &[String], argument: &Arg) -> bool {
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    words.iter().any(|word| [&short, &long].into_iter().flatten().any(|name| name == word))
}

/// What came of a run: the exit code, and everything written, but for what names the command.
#[derive(PartialEq, Debug)]
struct Outcome {
    code: Option<i32>,
    written: BTreeMap<String, Vec<u8>>,
    said: String,
}

/// A run in a folder that has only the inputs before it. Ends after a minute, or with 1.5 GB of addresses.
fn run(folder: &Folder, inputs: &[String], words: &[String]) -> Outcome {
    for name in listed(folder).into_iter().filter(|name| !inputs.contains(name)) {
        let path = folder.path(&name);
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap()
        } else {
            std::fs::remove_file(path).unwrap()
        }
    }
    let list: Vec<&str> = words.iter().map(String::as_str).collect();
    let plain = command(&list);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -v 1500000; exec \"$@\"", "sh"])
        .arg(plain.get_program())
        .args(plain.get_args());
    limited.current_dir(folder.path("")).stdin(Stdio::null());
    let out = |name: &str| std::fs::File::create(folder.path(name)).unwrap();
    let mut child = limited.stdout(out("stdout")).stderr(out("stderr")).spawn().unwrap();
    let start = Instant::now();
    let code = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None if start.elapsed() > Duration::from_secs(60) => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let mut written = files_below(&folder.path(""));
    let said = String::from_utf8_lossy(&written.remove("stderr").unwrap()).into_owned();
    written.retain(|name, _| !inputs.contains(name));
    written.values_mut().for_each(|content| *content = without_command(content));
    Outcome { code, written, said }
}

/// What was written, but for the command that did.
fn without_command(content: &[u8]) -> Vec<u8> {
    let has =
        |line: &[u8], text: &str| line.windows(text.len()).any(|part| part == text.as_bytes());
    let mut left = Vec::new();
    for line in content.split(|&b| b == b'\n') {
        if has(line, "\"command\"") || has(line, "ommand line") {
            continue;
        }
        let end = line.windows(4).position(|part| part == b"\tCL:").unwrap_or(line.len());
        left.extend_from_slice(&line[..end]);
        left.push(b'\n');
    }
    left
}

/// Calls `each` with a folder of inputs and a job, on all cores.
fn on_all_cores(jobs: &[Job], each: impl Fn(&Folder, &[String], &Job) + Sync) {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let staged = [stage(), crate::common::stage::stage()];
                let staged = staged.map(|folder| (listed(&folder), folder));
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (inputs, folder) = &staged[usize::from(job.is_example)];
                    each(folder, inputs, job);
                }
            });
        }
    });
}

/// A mode, and the options that can be typed in it.
struct Job {
    command: String,
    mode: String,
    words: Vec<String>,
    options: Vec<Arg>,
    /// Whether it is an example of the help, which reads other files.
    is_example: bool,
}

fn jobs() -> Vec<Job> {
    let all = biofast_cli::command();
    let mut jobs = Vec::new();
    for known in all.get_subcommands() {
        let command = known.get_name();
        let modes = MODES.iter().find(|(name, _)| *name == command).map(|(_, modes)| {
            modes.iter().map(|(mode, words)| ((*mode).to_owned(), (*words).to_owned())).collect()
        });
        let is_example = modes.is_none();
        for (mode, words) in modes.unwrap_or_else(|| examples(known)) {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            let can_be_typed = |argument: &&Arg| {
                let hidden = argument.is_hide_set() || HOW.contains(&argument.get_id().as_str());
                named(argument).is_some() && !hidden && !is_given(&words, argument)
            };
            let options = known.get_arguments().filter(can_be_typed).cloned().collect();
            jobs.push(Job { command: command.to_owned(), mode, words, options, is_example });
        }
    }
    jobs
}

/// The examples in a command's help that run it alone, on files: the line, and the words after the command's name.
fn examples(command: &clap::Command) -> Vec<(String, String)> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let own = format!("biofast {} ", command.get_name());
    let lines = help.lines().map(|line| line.trim().to_owned());
    let alone: Vec<(String, String)> = lines
        .filter(|line| !line.contains(['|', '>', '<', '&', '*', '$', '\'', '"']))
        .filter_map(|line| Some((line.clone(), line.strip_prefix(&own)?.to_owned())))
        .collect();
    assert!(!alone.is_empty(), "{own}has no mode here and no example that runs it alone");
    alone
}

fn typed(job: &Job, option: Vec<String>) -> Vec<String> {
    let mut words = vec![job.command.clone()];
    words.extend(option);
    words.extend(job.words.iter().cloned());
    words
}

/// The values of an option that would matter: those of [`VALUES`], else what its help or its placeholder says.
fn values(name: &str, argument: &Arg) -> Vec<String> {
    let known = VALUES.iter().find(|(option, _)| *option == name).map(|(_, values)| *values);
    known.map_or_else(
        || implied(argument),
        |values| values.iter().map(ToString::to_string).collect(),
    )
}

/// All values that an option names, or numbers, where its placeholder asks for one.
fn implied(argument: &Arg) -> Vec<String> {
    let named = argument.get_possible_values();
    let placeholder = argument.get_value_names().map(|names| names[0].as_str());
    match placeholder {
        _ if !named.is_empty() => named.iter().map(|value| value.get_name().to_owned()).collect(),
        Some("Q") => vec!["20".to_owned()],
        Some("N") => vec!["3".to_owned(), "20".to_owned()],
        _ => Vec::new(),
    }
}

/// What can be typed of an option, so that it matters.
fn ways(argument: &Arg) -> Vec<Vec<String>> {
    let Some(name) = named(argument) else { return Vec::new() };
    if !needs_value(argument) {
        return vec![vec![name]];
    }
    let values = values(&name, argument);
    assert!(!values.is_empty(), "{name} has no value here that would matter");
    values.into_iter().map(|value| vec![name.clone(), value]).collect()
}

/// What makes a command read an option.
fn with(command: &str, id: &str) -> &'static [&'static str] {
    match (command, id) {
        ("filter", "umi_len" | "umi_skip") => &["--umi=first"],
        ("filter", "adapter_error_rate" | "adapter_min_overlap" | "times" | "revcomp") => {
            &["-a", "ACGTACGT"]
        }
        ("filter", "cut_window_size" | "cut_mean_quality") => &["--cut-front", "--cut-right"],
        ("filter", "window_size" | "length_weight" | "mean_q_weight" | "window_q_weight") => {
            &["--keep-percent", "50"]
        }
        ("filter", "overlap_len_require" | "overlap_diff_limit" | "overlap_diff_percent_limit") => {
            &["--correct"]
        }
        ("filter", "qualified_quality") => &["--max-low-quality-percent", "40"],
        ("filter", "subsample_seed") => &["--subsample", "0.5"],
        ("convert", "rename_regex") => &["--rename", "x{number}"],
        ("filter", "sample_coverage") => &["--genome-size", "1K"],
        ("filter", "genome_size") => &["--sample-coverage", "1"],
        (
            "filter",
            "deplete_action" | "deplete_min_hits" | "deplete_min_fraction" | "deplete_prefix",
        ) => &["--deplete", "host.idx"],
        ("filter", "seed") => &["--sample-fraction", "0.5"],
        ("stats" | "coverage", "thresholds") => &["--by", "100"],
        _ => &[],
    }
}

#[test]
fn every_option_has_a_value_and_every_value_an_option() {
    let mut known = BTreeSet::new();
    let mut missing = BTreeSet::new();
    for job in jobs() {
        for argument in job.options.iter().filter(|&argument| needs_value(argument)) {
            let Some(name) = named(argument) else { continue };
            if values(&name, argument).is_empty() {
                missing.insert(name.clone());
            }
            known.insert(name);
        }
    }
    let valued: BTreeSet<String> = VALUES.iter().map(|(option, _)| (*option).to_owned()).collect();
    let unused: Vec<_> = valued.difference(&known).collect();
    assert!(
        missing.is_empty() && unused.is_empty(),
        "no value: {missing:?}; no option: {unused:?}"
    );
    let all = biofast_cli::command();
    for (command, _, ids) in NEUTRAL {
        let known = all.find_subcommand(command).unwrap();
        for id in *ids {
            let is_known = known.get_arguments().any(|argument| argument.get_id() == id);
            assert!(is_known, "{command} has no option {id}");
        }
    }
}

#[test]
fn error_rates_are_shares_or_whole_numbers() {
    let folder = Folder::new();
    folder.file("r.fq", "@a\nACGT\n+\nIIII\n");
    let run = |words: &[&str]| {
        crate::common::run_in(&folder, &[&["filter", "--quiet", "r.fq"], words].concat())
    };
    for rate in ["1e30", "1e19", "4294967295", "10001", "-0.1", "nan", "inf", "1.5"] {
        let rate = format!("--adapter-error-rate={rate}");
        crate::common::assert_error(&run(&[&rate, "-a", "ACG"]), &["is not a valid error rate"]);
    }
    crate::common::assert_error(&run(&["-a", "ACGT;e=1e30"]), &["1e30 is not a valid error rate"]);
    for rate in ["0", "0.999", "1", "3", "10000"] {
        assert_eq!(run(&["--adapter-error-rate", rate, "-a", "ACG"]).code, 0, "{rate}");
    }
}

/// `cargo test -- --ignored exhaustive` runs them.
mod exhaustive {
    use super::*;

    /// What values are called that are paths alone.
    const PATHS: [&str; 5] = ["FILE", "FASTA", "FOLDER", "DIR", "BED"];

    /// Numbers that nobody means.
    const EXTREMES: [&str; 9] = [
        "0", "-1", "1e30", "nan", "inf", "1e-300", "4294967296", "18446744073709551615",
        "99999999999G",
    ];

    #[test]
    #[ignore = "exhaustive: takes minutes"]
    fn extreme_numbers_end_in_an_answer() {
        let failed = Mutex::new(Vec::new());
        let tried = AtomicUsize::new(0);
        on_all_cores(&jobs(), |folder, inputs, job| {
            let mut all = biofast_cli::command();
            for argument in &job.options {
                let is_of_words = !argument.get_possible_values().is_empty();
                let names = argument.get_value_names().unwrap_or_default();
                let is_path = names.iter().any(|name| PATHS.contains(&name.as_str()));
                if !takes_value(argument) || is_of_words || is_path {
                    continue;
                }
                let name = named(argument).unwrap();
                for extreme in EXTREMES {
                    let option = match name.starts_with("--") {
                        true => format!("{name}={extreme}"),
                        false => format!("{name}{extreme}"),
                    };
                    // What gives it an effect, where it needs something.
                    let mut option = vec![option];
                    option.extend(
                        with(&job.command, argument.get_id().as_str())
                            .iter()
                            .map(|&word| word.to_owned()),
                    );
                    let words = typed(job, option);
                    let whole: Vec<&str> = std::iter::once("biofast")
                        .chain(words.iter().map(String::as_str))
                        .collect();
                    if all.try_get_matches_from_mut(whole).is_err() {
                        continue;
                    }
                    let outcome = run(folder, inputs, &words);
                    tried.fetch_add(1, Ordering::Relaxed);
                    if !matches!(outcome.code, Some(0..=2)) || outcome.said.contains("panicked") {
                        failed.lock().unwrap().push(format!(
                            "{}: {:?} {}",
                            words.join(" "),
                            outcome.code,
                            outcome.said
                        ));
                    }
                }
            }
        });
        let mut failed = failed.into_inner().unwrap();
        failed.sort();
        assert!(failed.is_empty(), "{}\n{}", failed.len(), failed.join("\n"));
        assert!(tried.into_inner() > 300);
    }

    #[test]
    #[ignore = "exhaustive: takes minutes"]
    fn every_option_changes_something_or_there_is_a_word_about_it() {
        let failed = Mutex::new(Vec::new());
        let tried = AtomicUsize::new(0);
        on_all_cores(&jobs(), |folder, inputs, job| {
            let base = run(folder, inputs, &typed(job, Vec::new()));
            assert_eq!(base.code, Some(0), "{} {}: {}", job.command, job.mode, base.said);
            assert!(!base.said.contains(" is now "), "{} {}: {}", job.command, job.mode, base.said);
            for argument in &job.options {
                let id = argument.get_id().as_str();
                let neutral = NEUTRAL.iter().any(|(command, modes, ids)| {
                    *command == job.command
                        && (modes.is_empty() || modes.contains(&job.mode.as_str()))
                        && ids.contains(&id)
                });
                let mut silent = true;
                for way in ways(argument) {
                    let outcome = run(folder, inputs, &typed(job, way.clone()));
                    tried.fetch_add(1, Ordering::Relaxed);
                    let fine =
                        matches!(outcome.code, Some(0..=2)) && !outcome.said.contains("panicked");
                    if !fine {
                        let said = format!("{} {way:?} ({}): {outcome:?}", job.command, job.mode);
                        failed.lock().unwrap().push(said);
                    }
                    let told = outcome.said.lines().any(|line| {
                        let is_word =
                            ["warning: ", "note: "].iter().any(|kind| line.contains(kind));
                        is_word && !base.said.contains(line)
                    });
                    let differs = outcome.code != base.code || outcome.written != base.written;
                    if differs || told {
                        silent = false;
                        break;
                    }
                }
                if silent && !neutral {
                    let name = named(argument).unwrap();
                    failed
                        .lock()
                        .unwrap()
                        .push(format!("{} {name} is not read: {} ({id})", job.command, job.mode));
                }
            }
        });
        let mut failed = failed.into_inner().unwrap();
        failed.sort();
        assert!(failed.is_empty(), "{}\n{}", failed.len(), failed.join("\n"));
        assert!(tried.into_inner() > 1000);
    }
}

"""The options of each command, as keywords. Made of the command line's own list by ``BIOFAST_RENEW=1 cargo test -p biofast-cli --lib python``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ._inputs import Path

if TYPE_CHECKING:
    from typing import TypedDict
else:

    class TypedDict:
        # Only type checkers look at the keys: to make them would take half of the time that it takes to import the package.
        def __init_subclass__(cls, total: bool = True) -> None:
            pass


class StatsOptions(TypedDict, total=False):
    """Options, as of ``biofast stats``:

    files_from, X : Path
        Read more input file names from FILE, one per line

    stdin_label : str | float
        Name for standard input in the results [default: -]

    tsv, T : bool
        Print tab-separated values, with the columns of `seqkit stats -a -T`

    format : Literal["table", "tsv", "json", "samtools", "fastqc"]
        Output format; samtools needs one alignment file, fastqc needs FASTQ

    per_read : bool
        Print a line for each read instead: length, mean quality, expected errors, GC and more

    reference, ref_seq, r : Path
        Reference sequences (FASTA), for CRAM input, and to count mismatches and GC bias in JSON, HTML, samtools and Picard reports

    target_intervals, targets : Path
        Targets of hybrid selection, as BED or a Picard interval list, for --qc hs

    bait_intervals, baits : Path
        Baits of hybrid selection, for --qc hs [default: the targets]

    coverage_cap : int
        Highest depth that --qc hs and wgs count, like Picard's COVERAGE_CAP [default: hs 200, wgs 250]

    contaminants : Path
        Compare overrepresented sequences with those in FILE [default: FastQC's list]

    region : str | float | Sequence[str | float]
        Include only records that overlap REGION, such as chr1:1000-2000; may be repeated

    regions_file, region_file, targets_file, target_file, L : Path
        Include only records that overlap an interval in a BED file

    shard : str | float
        Read only shard N (from 1) of a plan made by `biofast shards`

    write_index : bool
        Also write a seek index of each input, FILE.bsi, in the same pass

    out, output, o : Path
        Write the output to FILE [default: standard output]

    out_dir : Path
        Write QC files, chosen with --qc, to DIR, which is created if it doesn't exist

    qc : Literal["stats", "flagstat", "idxstats", "coverage", "depth", "mosdepth", "picard", "alignment-summary", "insert-size", "quality-by-cycle", "quality-distribution", "base-distribution", "gc-bias", "wgs", "hs", "fastqc", "seqkit", "fastp", "json", "html"] | str | Sequence[Literal["stats", "flagstat", "idxstats", "coverage", "depth", "mosdepth", "picard", "alignment-summary", "insert-size", "quality-by-cycle", "quality-distribution", "base-distribution", "gc-bias", "wgs", "hs", "fastqc", "seqkit", "fastp", "json", "html"]]
        Files to write to --out-dir, separated by commas [default: all that apply, except depth and fastp]

    partial : Literal["shard", "lane"]
        With --json: treat the inputs as parts, and report what `biofast merge` needs for their coverage

    html : Path
        Also write an HTML report to FILE: charts and a table of all samples, in one self-contained file

    title : str | float
        With --html: title of the HTML report, such as the name of the run and its date

    plot : bool
        Plot quality by position, GC and lengths below the table

    paired : bool
        Treat each two files as mates: read names and counts must agree

    interleaved : bool
        Treat each file as interleaved: mates follow each other, and their names must agree

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    sample : str | float | Sequence[str | float]
        Sample name, given once for each file or once for all; files of one sample share a row

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    io : Literal["auto", "mmap", "read"]
        How to read input files [default: auto]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    library : Literal["any", "wgs", "exome", "amplicon", "rna", "small-rna", "bisulfite", "chip", "single-cell", "metagenome", "long-read"]
        Evaluate the results by the limits for this type of library: pass, warn or fail

    limits : Path
        Evaluate the results by the limits in FILE

    fail_on : Literal["warn", "fail"]
        Exit with code 1 if any check has this verdict or a worse one; all outputs are still written

    verdicts : Path
        Write the verdicts to FILE as tab-separated values, a line for each sample and check

    baseline : Path | Sequence[Path]
        Compare each sample with those of earlier `biofast stats --json` reports: a file, a folder, or a quoted pattern

    print_limits : bool
        Print the limits of all checks in the format of --limits, and exit

    no_per_base, n : bool
        Don't write per-base depth

    use_median, m : bool
        Write the median depth of intervals instead of the mean

    fast_mode, x : bool
        Count whole alignments from first to last base, and overlapping mates twice

    exclude_flags, excl_flags, flag, F : int
        Exclude records with any of these flags set [default: 1796]

    include_flags, incl_flags, include_flag, rf, i : int
        Include only records with at least one of these flags set; 0 for all [default: 0]

    min_mapq, min_MQ, min_mq, mapq, Q : int
        Include only records with a mapping quality of at least N [default: 0]

    read_groups, R : str | float | Sequence[str | float]
        Include only records of these read groups, separated by commas

    thresholds : int | str | Sequence[int]
        For each --by interval, count the bases with a depth of at least N

    quantize : str | float
        Write runs of bases in the same depth class; BOUNDS such as 0:1:5:150: define the classes

    by, b : Path | Sequence[Path]
        Also report each read group (RG), sample (SM) or library (LB); with --out-dir, also write the depth of each interval in a BED file, or of windows of WINDOW bases. May be given once for each of the two

    compat : Literal["samtools=1.16", "samtools=1.24", "picard=2.27", "picard=3.4", "mosdepth=0.3.3", "mosdepth=0.3.14", "fastqc=0.11.9", "fastqc=0.12.1"] | str | Sequence[Literal["samtools=1.16", "samtools=1.24", "picard=2.27", "picard=3.4", "mosdepth=0.3.3", "mosdepth=0.3.14", "fastqc=0.11.9", "fastqc=0.12.1"]]
        Write the reports of a program like this version of it, not like the current one

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    files_from: Path
    X: Path
    stdin_label: str | float
    tsv: bool
    T: bool
    format: Literal["table", "tsv", "json", "samtools", "fastqc"]
    per_read: bool
    reference: Path
    ref_seq: Path
    r: Path
    target_intervals: Path
    targets: Path
    bait_intervals: Path
    baits: Path
    coverage_cap: int
    contaminants: Path
    region: str | float | Sequence[str | float]
    regions_file: Path
    region_file: Path
    targets_file: Path
    target_file: Path
    L: Path
    shard: str | float
    write_index: bool
    out: Path
    output: Path
    o: Path
    out_dir: Path
    qc: Literal["stats", "flagstat", "idxstats", "coverage", "depth", "mosdepth", "picard", "alignment-summary", "insert-size", "quality-by-cycle", "quality-distribution", "base-distribution", "gc-bias", "wgs", "hs", "fastqc", "seqkit", "fastp", "json", "html"] | str | Sequence[Literal["stats", "flagstat", "idxstats", "coverage", "depth", "mosdepth", "picard", "alignment-summary", "insert-size", "quality-by-cycle", "quality-distribution", "base-distribution", "gc-bias", "wgs", "hs", "fastqc", "seqkit", "fastp", "json", "html"]]
    partial: Literal["shard", "lane"]
    html: Path
    title: str | float
    plot: bool
    paired: bool
    interleaved: bool
    mates: Literal["strict", "names"]
    sample: str | float | Sequence[str | float]
    threads: int
    t: int
    io: Literal["auto", "mmap", "read"]
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    library: Literal["any", "wgs", "exome", "amplicon", "rna", "small-rna", "bisulfite", "chip", "single-cell", "metagenome", "long-read"]
    limits: Path
    fail_on: Literal["warn", "fail"]
    verdicts: Path
    baseline: Path | Sequence[Path]
    print_limits: bool
    no_per_base: bool
    n: bool
    use_median: bool
    m: bool
    fast_mode: bool
    x: bool
    exclude_flags: int
    excl_flags: int
    flag: int
    F: int
    include_flags: int
    incl_flags: int
    include_flag: int
    rf: int
    i: int
    min_mapq: int
    min_MQ: int
    min_mq: int
    mapq: int
    Q: int
    read_groups: str | float | Sequence[str | float]
    R: str | float | Sequence[str | float]
    thresholds: int | str | Sequence[int]
    quantize: str | float
    by: Path | Sequence[Path]
    b: Path | Sequence[Path]
    compat: Literal["samtools=1.16", "samtools=1.24", "picard=2.27", "picard=3.4", "mosdepth=0.3.3", "mosdepth=0.3.14", "fastqc=0.11.9", "fastqc=0.12.1"] | str | Sequence[Literal["samtools=1.16", "samtools=1.24", "picard=2.27", "picard=3.4", "mosdepth=0.3.3", "mosdepth=0.3.14", "fastqc=0.11.9", "fastqc=0.12.1"]]
    cache_dir: Path


class FlagstatOptions(TypedDict, total=False):
    """Options, as of ``biofast flagstat``:

    reference, T : Path
        Reference sequences (FASTA) for CRAM input; not needed for these counts

    region : str | float | Sequence[str | float]
        Include only records that overlap REGION, such as chr1:1000-2000; may be repeated

    regions_file, region_file, targets_file, target_file, L : Path
        Include only records that overlap an interval in a BED file

    shard : str | float
        Read only shard N (from 1) of a plan made by `biofast shards`

    out, output, o : Path
        Write the output to FILE [default: standard output]

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    reference: Path
    T: Path
    region: str | float | Sequence[str | float]
    regions_file: Path
    region_file: Path
    targets_file: Path
    target_file: Path
    L: Path
    shard: str | float
    out: Path
    output: Path
    o: Path
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class IdxstatsOptions(TypedDict, total=False):
    """Options, as of ``biofast idxstats``:

    count : bool
        Count the records themselves, even if there is an index

    reference, T : Path
        Reference sequences (FASTA) for CRAM input; not needed for these counts

    region : str | float | Sequence[str | float]
        Include only records that overlap REGION, such as chr1:1000-2000; may be repeated

    regions_file, region_file, targets_file, target_file, L : Path
        Include only records that overlap an interval in a BED file

    shard : str | float
        Read only shard N (from 1) of a plan made by `biofast shards`

    out, output, o : Path
        Write the output to FILE [default: standard output]

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    count: bool
    reference: Path
    T: Path
    region: str | float | Sequence[str | float]
    regions_file: Path
    region_file: Path
    targets_file: Path
    target_file: Path
    L: Path
    shard: str | float
    out: Path
    output: Path
    o: Path
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class CheckOptions(TypedDict, total=False):
    """Options, as of ``biofast check``:

    files_from, X : Path
        Read more input file names from FILE, one per line

    stdin_label : str | float
        Name for standard input in the results [default: -]

    expect : Literal["fastq", "fasta", "bam", "sam", "cram", "any"]
        Format that the files must have [default: detected from content]

    reference, T : Path
        Reference sequences (FASTA) for CRAM input; without them, bases are not decoded

    paired : bool
        Treat each two files as mates: read names and counts must agree

    interleaved : bool
        Treat each file as interleaved: mates follow each other, and their names must agree

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    against : Path
        Check that the files hold the reads listed in SUMMARY

    repair : bool
        Write all whole records of a damaged file to -o, and report what is missing

    header : Path
        With --repair: use the header of this BAM, SAM or CRAM file, as that of the damaged file is lost

    skipped : Path
        With --repair: write the text of FASTQ that is left out to FILE, behind lines that say where it was and what is wrong

    summary : Path
        With --repair: write a JSON summary to FILE, which lists what is missing

    shard : str | float
        Read only shard N (from 1) of a plan made by `biofast shards`

    write_index : bool
        Also write a seek index of each input, FILE.bsi, in the same pass

    allow_missing_eof : bool
        Accept BGZF (including BAM) and CRAM files without an end-of-file marker, with a warning

    out, output, o : Path
        Write the output to FILE [default: standard output]

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    quiet, q : bool
        Print only faulty and unreadable files, and no progress bar

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    files_from: Path
    X: Path
    stdin_label: str | float
    expect: Literal["fastq", "fasta", "bam", "sam", "cram", "any"]
    reference: Path
    T: Path
    paired: bool
    interleaved: bool
    mates: Literal["strict", "names"]
    against: Path
    repair: bool
    header: Path
    skipped: Path
    summary: Path
    shard: str | float
    write_index: bool
    allow_missing_eof: bool
    out: Path
    output: Path
    o: Path
    threads: int
    t: int
    verbose: bool
    v: bool
    quiet: bool
    q: bool
    cache_dir: Path


class ChecksumOptions(TypedDict, total=False):
    """Options, as of ``biofast checksum``:

    files_from, X : Path
        Read more input file names from FILE, one per line

    stdin_label : str | float
        Name for standard input in the results [default: -]

    against : Path | Sequence[Path]
        Compare with these files, which hold the same reads if nothing was lost: reads, alignments, or output of this command

    paired : bool
        Treat each two FASTQ files as mates

    interleaved : bool
        Treat FASTQ files as interleaved: the mates of each pair follow each other

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    merge, m : bool
        Merge earlier output of this command or of samtools checksum; FILEs are such output

    exclude_flags, excl_flags, flag, F : int | Sequence[int]
        Exclude records with any of these flags set [default: SECONDARY,SUPPLEMENTARY]

    require_flags, f : int | Sequence[int]
        Include only records with all of these flags set

    flag_mask, b : int | Sequence[int]
        Flags that enter the checksums; those above 0x80 never do [default: PAIRED,READ1,READ2]

    no_rev_comp, c : bool
        Take sequences as they are stored, not as they were sequenced

    tags, t : str | float
        Tags that enter the checksums, or '*' for all and then those to leave out, such as '*,MD,NM' [default: BC,FI,QT,RT,TC]

    in_order, O : bool
        Make checksums depend on the order of records in each read group; twice, also on that in the file

    check_pos, P : bool
        Add a checksum of references and positions

    check_cigar, C : bool
        Add a checksum of mapping qualities and CIGARs

    check_mate, M : bool
        Add a checksum of mates' positions and of template lengths

    sanitize, z : str | float
        Correct contradicting fields first: words as in `biofast fixmate`, or off [default: off]

    count, N : int
        Stop after N records, not counting those that flags exclude

    all, a : bool
        Compute checksums of everything, for conversions between BAM, SAM and CRAM: -PCMOc -b 0xfff -F 0 -z all,cigarx -t *,cF,MD,NM

    version_1 : bool
        Compute version 1.0 of the checksums, that of samtools before 1.24: -M leaves out template lengths

    show_qc, q : bool
        Add rows for records that passed quality control and for those that failed (flag QCFAIL)

    show_empty, v : bool
        Print rows of no records, too

    tabs, T : bool
        Separate columns by tabs

    bamseqchksum, B : bool
        Print the format of biobambam's bamseqchksum

    reference : Path
        Reference sequences (FASTA) for CRAM input; a .fai index is optional

    out, output, o : Path
        Write the output to FILE [default: standard output]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    threads : int
        Number of threads [default: all CPUs available to the process]

    quiet : bool
        Don't print progress, notes, warnings or the summary

    verbose : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    files_from: Path
    X: Path
    stdin_label: str | float
    against: Path | Sequence[Path]
    paired: bool
    interleaved: bool
    mates: Literal["strict", "names"]
    merge: bool
    m: bool
    exclude_flags: int | Sequence[int]
    excl_flags: int | Sequence[int]
    flag: int | Sequence[int]
    F: int | Sequence[int]
    require_flags: int | Sequence[int]
    f: int | Sequence[int]
    flag_mask: int | Sequence[int]
    b: int | Sequence[int]
    no_rev_comp: bool
    c: bool
    tags: str | float
    t: str | float
    in_order: bool
    O: bool
    check_pos: bool
    P: bool
    check_cigar: bool
    C: bool
    check_mate: bool
    M: bool
    sanitize: str | float
    z: str | float
    count: int
    N: int
    all: bool
    a: bool
    version_1: bool
    show_qc: bool
    q: bool
    show_empty: bool
    v: bool
    tabs: bool
    T: bool
    bamseqchksum: bool
    B: bool
    reference: Path
    out: Path
    output: Path
    o: Path
    allow_missing_eof: bool
    strict: bool
    threads: int
    quiet: bool
    verbose: bool
    cache_dir: Path


class CoverageOptions(TypedDict, total=False):
    """Options, as of ``biofast coverage``:

    files_from, X : Path
        Read more input file names from FILE, one per line

    stdin_label : str | float
        Name for standard input in the results [default: -]

    prefix : Path
        Write mosdepth files: PREFIX.mosdepth.summary.txt, PREFIX.per-base.bed.gz, …

    out_dir : Path
        Write mosdepth files to DIR, with the input names as prefixes; DIR is created if it doesn't exist

    format : Literal["table", "tsv", "samtools-coverage", "samtools-depth", "bedgraph"]
        Output format without --prefix and --out-dir [default: table]

    html : Path
        Also write an HTML report to FILE: the distribution of depths and, with --by BED, each target

    title : str | float
        With --html: title of the HTML report, such as the name of the run and its date

    shard : str | float
        Read only shard N (from 1) of a plan made by `biofast shards`

    out, output, o : Path
        Write the output to FILE [default: standard output]

    chrom, c : str | float
        Process only the reference NAME

    by, b : Path | Sequence[Path]
        Also write the depth of each interval of a BED file, or of windows of WINDOW bases

    thresholds, T : int | str | Sequence[int]
        For each --by interval, count the bases with a depth of at least N

    quantize, q : str | float
        Write runs of bases in the same depth class; BOUNDS such as 0:1:5:150: define the classes

    no_per_base, n : bool
        Don't write per-base depth

    use_median, m : bool
        Write the median depth of intervals instead of the mean

    fast_mode, x : bool
        Count whole alignments from first to last base, and overlapping mates twice

    exclude_flags, excl_flags, flag, F : int
        Exclude records with any of these flags set [default: 1796]

    include_flags, incl_flags, include_flag, rf, i : int
        Include only records with at least one of these flags set; 0 for all [default: 0]

    min_mapq, min_MQ, min_mq, mapq, Q : int
        Include only records with a mapping quality of at least N [default: 0]

    read_groups, R : str | float | Sequence[str | float]
        Include only records of these read groups, separated by commas

    min_base_quality, min_BQ, min_bq : int
        Count only bases of at least this quality (formats samtools-coverage and samtools-depth) [default: 0]

    all_positions, a : bool
        Print all positions of references with records; twice, of all references (format samtools-depth)

    reference, fasta, f : Path
        Reference sequences (FASTA) for CRAM input; not needed for depths

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    library : Literal["any", "wgs", "exome", "amplicon", "rna", "small-rna", "bisulfite", "chip", "single-cell", "metagenome", "long-read"]
        Evaluate the results by the limits for this type of library: pass, warn or fail

    limits : Path
        Evaluate the results by the limits in FILE

    fail_on : Literal["warn", "fail"]
        Exit with code 1 if any check has this verdict or a worse one; all outputs are still written

    verdicts : Path
        Write the verdicts to FILE as tab-separated values, a line for each sample and check

    quiet : bool
        Don't print progress, notes, warnings or the summary

    compat : Literal["samtools=1.16", "samtools=1.24", "mosdepth=0.3.3", "mosdepth=0.3.14"] | str | Sequence[Literal["samtools=1.16", "samtools=1.24", "mosdepth=0.3.3", "mosdepth=0.3.14"]]
        Write the reports of a program like this version of it, not like the current one

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    files_from: Path
    X: Path
    stdin_label: str | float
    prefix: Path
    out_dir: Path
    format: Literal["table", "tsv", "samtools-coverage", "samtools-depth", "bedgraph"]
    html: Path
    title: str | float
    shard: str | float
    out: Path
    output: Path
    o: Path
    chrom: str | float
    c: str | float
    by: Path | Sequence[Path]
    b: Path | Sequence[Path]
    thresholds: int | str | Sequence[int]
    T: int | str | Sequence[int]
    quantize: str | float
    q: str | float
    no_per_base: bool
    n: bool
    use_median: bool
    m: bool
    fast_mode: bool
    x: bool
    exclude_flags: int
    excl_flags: int
    flag: int
    F: int
    include_flags: int
    incl_flags: int
    include_flag: int
    rf: int
    i: int
    min_mapq: int
    min_MQ: int
    min_mq: int
    mapq: int
    Q: int
    read_groups: str | float | Sequence[str | float]
    R: str | float | Sequence[str | float]
    min_base_quality: int
    min_BQ: int
    min_bq: int
    all_positions: bool
    a: bool
    reference: Path
    fasta: Path
    f: Path
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    verbose: bool
    v: bool
    library: Literal["any", "wgs", "exome", "amplicon", "rna", "small-rna", "bisulfite", "chip", "single-cell", "metagenome", "long-read"]
    limits: Path
    fail_on: Literal["warn", "fail"]
    verdicts: Path
    quiet: bool
    compat: Literal["samtools=1.16", "samtools=1.24", "mosdepth=0.3.3", "mosdepth=0.3.14"] | str | Sequence[Literal["samtools=1.16", "samtools=1.24", "mosdepth=0.3.3", "mosdepth=0.3.14"]]
    cache_dir: Path


class DepthOptions(TypedDict, total=False):
    """Options, as of ``biofast depth``:

    files_from, f, X : Path
        Read more input file names from FILE, one per line

    all_positions, a : bool
        Print all positions of references with records; twice, of all references

    regions_file, b, L : Path
        Print only positions in an interval of a BED file

    region, r : str | float
        Print only positions in REGION, such as chr1:1000-2000

    with_header, H : bool
        Print a header line with the file names

    count_deletions, J : bool
        Count deleted bases, too

    mates_once, s : bool
        Where records of the same name overlap, count only the first one

    min_base_quality, min_BQ, min_bq, q : int
        Count only bases of at least this quality [default: 0]

    min_mapq, min_MQ, min_mq, mapq, Q : int
        Count only records with a mapping quality of at least N [default: 0]

    min_len, l : int
        Count only records of at least N bases that aren't soft-clipped [default: 0]

    keep_flags, g : int | Sequence[int]
        Count records with these flags, of those that are excluded by default: UNMAP, SECONDARY, QCFAIL and DUP

    exclude_flags, excl_flags, flag, G : int | Sequence[int]
        Exclude records with any of these flags set, too

    include_flags, incl_flags, include_flag, rf : int | Sequence[int]
        Count only records with at least one of these flags set

    require_flags : int | Sequence[int]
        Count only records with all of these flags set

    out, output, o : Path
        Write the output to FILE [default: standard output]

    reference, T : Path
        Reference sequences (FASTA) for CRAM input; not needed for depths

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    quiet : bool
        Don't print progress, notes, warnings or the summary

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    files_from: Path
    f: Path
    X: Path
    all_positions: bool
    a: bool
    regions_file: Path
    b: Path
    L: Path
    region: str | float
    r: str | float
    with_header: bool
    H: bool
    count_deletions: bool
    J: bool
    mates_once: bool
    s: bool
    min_base_quality: int
    min_BQ: int
    min_bq: int
    q: int
    min_mapq: int
    min_MQ: int
    min_mq: int
    mapq: int
    Q: int
    min_len: int
    l: int
    keep_flags: int | Sequence[int]
    g: int | Sequence[int]
    exclude_flags: int | Sequence[int]
    excl_flags: int | Sequence[int]
    flag: int | Sequence[int]
    G: int | Sequence[int]
    include_flags: int | Sequence[int]
    incl_flags: int | Sequence[int]
    include_flag: int | Sequence[int]
    rf: int | Sequence[int]
    require_flags: int | Sequence[int]
    out: Path
    output: Path
    o: Path
    reference: Path
    T: Path
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    verbose: bool
    v: bool
    quiet: bool
    cache_dir: Path


class FaidxOptions(TypedDict, total=False):
    """Options, as of ``biofast faidx``:

    region_file, r : Path
        Read more regions from FILE, one per line; they come first

    out, output, o : Path
        Write the sequences to FILE [default: standard output]; without regions, the index [default: FILE.fai]

    length, n : int
        Bases per line [default: as in the input]

    continue_, c : bool
        Continue if a sequence doesn't exist: write its name without bases, with a warning

    reverse_complement, i : bool
        Write the reverse complement

    mark_strand : str | float
        Mark the strand in the name: rc (/rc), no, sign ((+) or (-)), or custom,FORWARD,REVERSE [default: rc]

    fastq, f : bool
        Write FASTQ; the input must be FASTQ

    fai_idx : Path
        Name of the index [default: FILE.fai]

    gzi_idx : Path
        Name of the index of bgzip blocks [default: FILE.gzi]

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    region_file: Path
    r: Path
    out: Path
    output: Path
    o: Path
    length: int
    n: int
    continue_: bool
    c: bool
    reverse_complement: bool
    i: bool
    mark_strand: str | float
    fastq: bool
    f: bool
    fai_idx: Path
    gzi_idx: Path
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class DictOptions(TypedDict, total=False):
    """Options, as of ``biofast dict``:

    out, output, o : Path
        Write the output to FILE [default: standard output]

    assembly, a : str | float
        Assembly (AS)

    alias, alternative_name, A : bool
        Add an alternative name (AN) to each sequence: with 'chr' in front, or without

    species, s : str | float
        Species (SP)

    uri, u : str | float
        Address of the file (UR) [default: file:// and its absolute path]

    alt, l : Path
        Mark alternate loci (AH): sequences that FILE names in the first column of its lines

    no_header, H : bool
        Leave out the @HD line

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    out: Path
    output: Path
    o: Path
    assembly: str | float
    a: str | float
    alias: bool
    alternative_name: bool
    A: bool
    species: str | float
    s: str | float
    uri: str | float
    u: str | float
    alt: Path
    l: Path
    no_header: bool
    H: bool
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class FilterOptions(TypedDict, total=False):
    """Options, as of ``biofast filter``:

    shard : str | float
        Read only shard N (from 1) of a plan made by `biofast shards`

    interleaved, interleaved_in : bool
        Treat the input as interleaved: the mates of each pair follow each other

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    out2 : Path
        Write second reads to FILE

    interleaved_out : bool
        Write both mates of two input files to --out, interleaved

    unpaired1 : Path
        Write good first reads whose mate is rejected to FILE

    unpaired2 : Path
        Write good second reads whose mate is rejected to FILE, which may be that of --unpaired1

    rejected, failed_out : Path
        Write rejected reads to FILE, untrimmed, with the reason added to the header

    output_format, output_fmt, O : str | float
        Output format: plain, bgzf, zstd or bzip2 for reads; sam, bam, cram or cram,version=3.1 for alignments

    level, compression_level : str | float
        Compression level: fast, balanced, small or a number

    write_index : Literal["auto", "bai", "csi"] | bool
        Also write an index next to each BGZF output file: GZI for reads, BAI or CSI for sorted BAM

    sync : bool
        Wait until the output is on disk

    summary : Path
        Write a JSON summary to FILE

    summary_stats : bool
        With --summary: include what `biofast stats` reports about the reads, before and after

    html : Path
        Write an HTML report to FILE: statistics before and after, and why reads were rejected

    title : str | float
        With --html: title of the HTML report, such as the name of the run and its date

    preset : Literal["fastp", "trim-galore"]
        Do what another program does by default

    fastp_json : Path
        Write fastp's JSON report to FILE, for MultiQC

    overrepresentation_analysis : bool
        With --fastp-json: list overrepresented sequences like fastp, counted in all reads instead of 1 in 20

    trim_galore_report : Path
        With --preset trim-galore: write Trim Galore's report of first reads (or single reads) to FILE, for MultiQC

    trim_galore_report2 : Path
        Write the report of second reads, and of pairs, to FILE

    rrbs : bool
        With --preset trim-galore: cut bases that end repair filled in, of RRBS made with MspI

    non_directional : bool
        With --rrbs: cut the first 2 bases of reads that start with CAA or CGA, else the 2 before the adapter

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    io : Literal["auto", "mmap", "read"]
        How to read input files [default: auto]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    head, reads_to_process : int
        Stop after the first N reads or pairs

    sample_fraction : float
        Keep each read or pair with probability P, above 0 and at most 1

    sample_count : int
        Keep exactly N random reads or pairs, or all if there are fewer; reads the input twice

    sample_bases : int
        Keep random reads or pairs until they have N bases, such as 500M or 2G; reads the input twice

    sample_coverage : float
        Keep random reads or pairs until they cover the genome DEPTH times; reads the input twice

    genome_size : int
        Genome size in bases for --sample-coverage, such as 4600K or 3.1G

    keep_percent : float
        Keep the best long reads, up to PERCENT of the input bases; reads the input twice

    target_bases : int
        Keep the best long reads, up to N bases in total, such as 500M or 2G; reads the input twice

    window_size : int
        Window size in bases for the score, which considers the worst window of a read [default: 250]

    length_weight : float
        Weight of the length in the score [default: 1]

    mean_q_weight : float
        Weight of the mean quality in the score [default: 1]

    window_q_weight : float
        Weight of the worst window in the score [default: 1]

    temp_dir, tmp_dir : Path
        Folder for temporary files [default: TMPDIR if set, else the folder of the output]

    seed : int
        Random seed; the same seed selects the same reads [default: 11]

    names : Path
        Keep only reads named in FILE, one name per line

    name_regex : str | float
        Keep only reads whose names match REGEX

    invert : bool
        Keep the reads that --names and --name-regex don't match

    pair : Literal["both", "any"]
        How many mates must be good for a pair to be kept [default: both]

    deplete : Path
        Remove reads that share minimizers with INDEX: host reads, PhiX, vectors

    deplete_action : Literal["remove", "keep", "mask"]
        What to do with reads that match: remove, keep or mask them [default: remove]

    deplete_min_hits : int
        Number of different minimizers of the index that make a match [default: 2]

    deplete_min_fraction : float
        Fraction of the minimizers of a read or pair that must be in the index for a match, from 0 to 1 [default: 0.01]

    deplete_prefix : int
        Look only at the first N bases of each read; 0 for all [default: 0]

    umi : Literal["first", "second", "both", "index1", "index2", "indexes"]
        Move UMIs from the start of reads to their names, or copy them from the index in the header

    umi_len : int
        Length of the UMI at the start of a read

    umi_skip : int
        Number of bases to cut after the UMI [default: 0]

    umi_prefix : str | float
        Put PREFIX_ before the UMI in names

    crop_front, headcrop : str | float
        Cut N bases from the start; N,M for first and second reads

    crop_tail, tailcrop : str | float
        Cut N bases from the end; N,M for first and second reads

    keep_first : str | float
        Keep at most the first N bases; N,M for first and second reads

    quality_cutoff : str | float
        Trim low-quality 3′ ends by running sums, like `cutadapt -q`; FRONT,Q for both ends

    quality_cutoff2 : str | float
        Same as --quality-cutoff, for second reads [default: that of first reads]

    nextseq_trim : int
        Trim 3′ ends like --quality-cutoff, but count each G as a bad base, like `cutadapt --nextseq-trim`

    cut_front : bool
        Trim low-quality windows from the 5′ end

    cut_tail : bool
        Trim low-quality windows from the 3′ end

    cut_right : bool
        Cut everything from the first window of low mean quality onward

    cut_window_size, W : int
        Window size in bases [default: 4]

    cut_mean_quality : float
        Minimum mean quality of a window [default: 20]

    trim_poly_g : int | bool
        Cut a run of at least MIN G from the end

    trim_poly_a, poly_a : bool
        Cut poly-A tails, and poly-T heads of second reads, like `cutadapt --poly-a`

    trim_n, trimns : bool
        Cut N from both ends

    trim_poly_x, x : int | bool
        Cut a run of at least MIN of the same base from the end

    mask_below : int
        Replace bases whose quality is below Q by N; qualities stay

    mask_dust : int | bool
        Mask bases of low complexity by DUST with this level, 2 to 64; lower masks more

    dust_window : int
        Longest stretch of bases that --mask-dust scores, 8 to 64 [default: 64]

    dust_action : Literal["mask", "lowercase"]
        How --mask-dust masks bases [default: mask]

    trim_overlap : bool
        Cut adapters found by the overlap of mates, where fragments are shorter than reads

    merge : bool
        Merge overlapping mates into one read

    merge_rule : Literal["fastp", "best"]
        How --merge finds the overlap, and which bases it takes [default: fastp]

    merged_out : Path
        Write merged reads to FILE [default: to --out, with the unmerged pairs]

    correct, correction : bool
        Correct mismatches of overlapping mates

    overlap_len_require : int
        Require mates to overlap by more than N bases [default: 30]

    overlap_diff_limit : int
        Maximum number of mismatches in the overlap [default: 5]

    overlap_diff_percent_limit : float
        Maximum percentage of mismatches in the overlap [default: 20]

    adapter, adapter_sequence, a : str | float | Sequence[str | float]
        Cut this 3′ adapter, and everything after it; may be repeated

    adapter2, adapter_sequence_r2, A : str | float | Sequence[str | float]
        Same as --adapter, for second reads

    front, g : str | float | Sequence[str | float]
        Cut this 5′ adapter, and everything before it; may be repeated

    front2 : str | float | Sequence[str | float]
        Same as --front, for second reads

    anywhere : str | float | Sequence[str | float]
        Cut this adapter from either end; may be repeated

    anywhere2, B : str | float | Sequence[str | float]
        Same as --anywhere, for second reads

    adapter_fasta : Path
        Cut the 3′ adapters in this FASTA file from all reads

    detect_adapter, detect_adapter_for_pe : float | bool
        Detect adapters in the first reads, and cut those that at least PERCENT of them have

    adapter_kit : str | float
        Cut the adapters of a Nanopore kit from both ends of long reads

    middle : Literal["split", "drop", "keep"]
        What to do with a long read that has an adapter in its middle [default: split]

    adapter_min_overlap, overlap : int
        Minimum overlap of read and adapter, in bases (with --trim-overlap, 16 for 3′ adapters unless given) [default: 3]

    adapter_error_rate, error_rate : float
        Errors allowed in an adapter: a share of the bases compared if below 1, else a number [default: 0.1]

    adapter_match : Literal["errors", "quality"]
        What decides whether a 3′ adapter matches [default: errors]

    no_indels : bool
        Don't allow insertions and deletions in adapters

    match_read_wildcards : bool
        Interpret IUPAC wildcards in reads

    no_match_adapter_wildcards : bool
        Don't interpret IUPAC wildcards in adapters

    times : int
        Cut up to N adapters from each read, the best match first [default: 1]

    action : Literal["trim", "retain", "crop", "mask", "lowercase", "none"]
        What to do with a read that has an adapter [default: trim]

    revcomp, rc : bool
        Search both strands for adapters, and keep the one with the better matches

    discard_trimmed, discard : bool
        Keep only reads without an adapter

    discard_untrimmed, trimmed_only : bool
        Keep only reads with an adapter

    min_len, length_required, minlength, min_length, minimum_length, l : str | float
        Keep reads of at least N bases; N,M for first and second reads

    max_len, length_limit, maxlength, max_length, maximum_length : str | float
        Keep reads of at most N bases; N,M for first and second reads

    min_mean_qual, quality, min_qual : float
        Keep reads with a mean quality of at least Q

    max_mean_qual, maxqual, max_qual : float
        Keep reads with a mean quality of at most Q

    mean : Literal["error-probability", "arithmetic"]
        How to compute mean qualities [default: error-probability]

    max_low_quality_percent, unqualified_percent_limit : float
        Keep reads with at most PERCENT of bases below --qualified-quality

    qualified_quality, qualified_quality_phred : int
        Quality below which a base counts as low quality [default: 15]

    max_expected_errors : float
        Keep reads with at most E expected errors (the sum of error probabilities)

    max_expected_errors_per_base : float
        Keep reads with at most E expected errors per base

    max_n, n_base_limit : int
        Keep reads with at most N ambiguous bases (N)

    max_n_percent : float
        Keep reads with at most PERCENT of N bases

    min_gc : float
        Keep reads with a GC content of at least PERCENT

    max_gc : float
        Keep reads with a GC content of at most PERCENT

    min_complexity, complexity_threshold : float
        Keep reads in which at least PERCENT of bases differ from the next base (complexity)

    max_dust : float
        Keep reads with a DUST score of at most SCORE, from 0 (all words differ) to 100 (one base)

    min_entropy : float
        Keep reads with an entropy of at least PERCENT, from 0 (one base) to 100 (all words differ)

    require_flags, f : int | Sequence[int]
        Include only records with all of these flags set: a number, or names such as PAIRED,UNMAP

    exclude_flags, excl_flags, flag, F : int | Sequence[int]
        Exclude records with any of these flags set

    G : int | Sequence[int]
        Exclude records with all of these flags set

    include_flags, incl_flags, include_flag, rf : int | Sequence[int]
        Include only records with at least one of these flags set

    min_mapq, min_mq, min_MQ, mapq, q : int
        Include only records with a mapping quality of at least N

    expr, e : str | float
        Include only records that match this expression, such as 'mapq >= 30 && [NM] < 3'

    region : str | float | Sequence[str | float]
        Include only records that overlap REGION, such as chr1:1000-2000; may be repeated

    regions_file, region_file, targets_file, target_file, L : Path
        Include only records that overlap an interval in a BED file

    use_index, M : bool
        With both regions and -L: include only records that overlap an intersection of the two

    read_group, readgroup, r : str | float | Sequence[str | float]
        Include only records of this read group, or without a read group; may be repeated

    read_group_file, readgroup_file, R : Path | Sequence[Path]
        Include only records of the read groups listed in FILE, or without a read group

    qname_file, QNAME_file, N : Path | Sequence[Path]
        Include only records of the reads named in FILE

    tag, d : str | float | Sequence[str | float]
        Include only records with this tag, and VALUE if given; may be repeated for more values

    tag_file, D : str | float | Sequence[str | float]
        Include only records whose tag has one of the values listed in FILE

    s : str | float
        Keep this fraction of the reads, chosen by name: the same reads as samtools

    subsample : float
        Keep this fraction of the reads, chosen by name

    subsample_seed : str | float
        Seed of --subsample [default: auto]

    count, c : bool
        Print only the number of records

    output_unselected, unoutput, U : Path
        Write records that are not selected to FILE

    with_header, h : bool
        Include the header in SAM output

    bam, b : bool
        Write BAM

    uncompressed, u : bool
        Write uncompressed BAM, for piping to another program

    embed_reference : bool
        Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file

    no_reference : bool
        Store the bases in CRAM output as they are: larger, but no reference is needed

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    reference, T : Path
        Reference sequences (FASTA) for CRAM; a .fai index is optional

    quiet : bool
        Don't print progress, notes, warnings or the summary

    compat : Literal["fastp=0.23", "fastp=1.3"] | str | Sequence[Literal["fastp=0.23", "fastp=1.3"]]
        Write the reports of a program like this version of it, not like the current one

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    shard: str | float
    interleaved: bool
    interleaved_in: bool
    mates: Literal["strict", "names"]
    out2: Path
    interleaved_out: bool
    unpaired1: Path
    unpaired2: Path
    rejected: Path
    failed_out: Path
    output_format: str | float
    output_fmt: str | float
    O: str | float
    level: str | float
    compression_level: str | float
    write_index: Literal["auto", "bai", "csi"] | bool
    sync: bool
    summary: Path
    summary_stats: bool
    html: Path
    title: str | float
    preset: Literal["fastp", "trim-galore"]
    fastp_json: Path
    overrepresentation_analysis: bool
    trim_galore_report: Path
    trim_galore_report2: Path
    rrbs: bool
    non_directional: bool
    threads: int
    t: int
    io: Literal["auto", "mmap", "read"]
    allow_missing_eof: bool
    verbose: bool
    v: bool
    head: int
    reads_to_process: int
    sample_fraction: float
    sample_count: int
    sample_bases: int
    sample_coverage: float
    genome_size: int
    keep_percent: float
    target_bases: int
    window_size: int
    length_weight: float
    mean_q_weight: float
    window_q_weight: float
    temp_dir: Path
    tmp_dir: Path
    seed: int
    names: Path
    name_regex: str | float
    invert: bool
    pair: Literal["both", "any"]
    deplete: Path
    deplete_action: Literal["remove", "keep", "mask"]
    deplete_min_hits: int
    deplete_min_fraction: float
    deplete_prefix: int
    umi: Literal["first", "second", "both", "index1", "index2", "indexes"]
    umi_len: int
    umi_skip: int
    umi_prefix: str | float
    crop_front: str | float
    headcrop: str | float
    crop_tail: str | float
    tailcrop: str | float
    keep_first: str | float
    quality_cutoff: str | float
    quality_cutoff2: str | float
    nextseq_trim: int
    cut_front: bool
    cut_tail: bool
    cut_right: bool
    cut_window_size: int
    W: int
    cut_mean_quality: float
    trim_poly_g: int | bool
    trim_poly_a: bool
    poly_a: bool
    trim_n: bool
    trimns: bool
    trim_poly_x: int | bool
    x: int | bool
    mask_below: int
    mask_dust: int | bool
    dust_window: int
    dust_action: Literal["mask", "lowercase"]
    trim_overlap: bool
    merge: bool
    merge_rule: Literal["fastp", "best"]
    merged_out: Path
    correct: bool
    correction: bool
    overlap_len_require: int
    overlap_diff_limit: int
    overlap_diff_percent_limit: float
    adapter: str | float | Sequence[str | float]
    adapter_sequence: str | float | Sequence[str | float]
    a: str | float | Sequence[str | float]
    adapter2: str | float | Sequence[str | float]
    adapter_sequence_r2: str | float | Sequence[str | float]
    A: str | float | Sequence[str | float]
    front: str | float | Sequence[str | float]
    g: str | float | Sequence[str | float]
    front2: str | float | Sequence[str | float]
    anywhere: str | float | Sequence[str | float]
    anywhere2: str | float | Sequence[str | float]
    B: str | float | Sequence[str | float]
    adapter_fasta: Path
    detect_adapter: float | bool
    detect_adapter_for_pe: float | bool
    adapter_kit: str | float
    middle: Literal["split", "drop", "keep"]
    adapter_min_overlap: int
    overlap: int
    adapter_error_rate: float
    error_rate: float
    adapter_match: Literal["errors", "quality"]
    no_indels: bool
    match_read_wildcards: bool
    no_match_adapter_wildcards: bool
    times: int
    action: Literal["trim", "retain", "crop", "mask", "lowercase", "none"]
    revcomp: bool
    rc: bool
    discard_trimmed: bool
    discard: bool
    discard_untrimmed: bool
    trimmed_only: bool
    min_len: str | float
    length_required: str | float
    minlength: str | float
    min_length: str | float
    minimum_length: str | float
    l: str | float
    max_len: str | float
    length_limit: str | float
    maxlength: str | float
    max_length: str | float
    maximum_length: str | float
    min_mean_qual: float
    quality: float
    min_qual: float
    max_mean_qual: float
    maxqual: float
    max_qual: float
    mean: Literal["error-probability", "arithmetic"]
    max_low_quality_percent: float
    unqualified_percent_limit: float
    qualified_quality: int
    qualified_quality_phred: int
    max_expected_errors: float
    max_expected_errors_per_base: float
    max_n: int
    n_base_limit: int
    max_n_percent: float
    min_gc: float
    max_gc: float
    min_complexity: float
    complexity_threshold: float
    max_dust: float
    min_entropy: float
    require_flags: int | Sequence[int]
    f: int | Sequence[int]
    exclude_flags: int | Sequence[int]
    excl_flags: int | Sequence[int]
    flag: int | Sequence[int]
    F: int | Sequence[int]
    G: int | Sequence[int]
    include_flags: int | Sequence[int]
    incl_flags: int | Sequence[int]
    include_flag: int | Sequence[int]
    rf: int | Sequence[int]
    min_mapq: int
    min_mq: int
    min_MQ: int
    mapq: int
    q: int
    expr: str | float
    e: str | float
    region: str | float | Sequence[str | float]
    regions_file: Path
    region_file: Path
    targets_file: Path
    target_file: Path
    L: Path
    use_index: bool
    M: bool
    read_group: str | float | Sequence[str | float]
    readgroup: str | float | Sequence[str | float]
    r: str | float | Sequence[str | float]
    read_group_file: Path | Sequence[Path]
    readgroup_file: Path | Sequence[Path]
    R: Path | Sequence[Path]
    qname_file: Path | Sequence[Path]
    QNAME_file: Path | Sequence[Path]
    N: Path | Sequence[Path]
    tag: str | float | Sequence[str | float]
    d: str | float | Sequence[str | float]
    tag_file: str | float | Sequence[str | float]
    D: str | float | Sequence[str | float]
    s: str | float
    subsample: float
    subsample_seed: str | float
    count: bool
    c: bool
    output_unselected: Path
    unoutput: Path
    U: Path
    with_header: bool
    h: bool
    bam: bool
    b: bool
    uncompressed: bool
    u: bool
    embed_reference: bool
    no_reference: bool
    no_PG: bool
    no_pg: bool
    reference: Path
    T: Path
    quiet: bool
    compat: Literal["fastp=0.23", "fastp=1.3"] | str | Sequence[Literal["fastp=0.23", "fastp=1.3"]]
    strict: bool
    cache_dir: Path


class SortOptions(TypedDict, total=False):
    """Options, as of ``biofast sort``:

    name, n : bool
        Sort by name in natural order: r2 before r10

    lexicographic, N : bool
        Sort by name, compared byte by byte

    by_tag, t : str | float
        Sort by the value of TAG, then by coordinate, or by name with -n

    template_coordinate : bool
        Sort by the 5′ ends of templates, then by library, molecule (MI) and name

    key : Literal["length", "name", "sequence", "similarity"]
        Sort reads by this key

    reverse : bool
        Sort in descending order; ties stay in input order (reads only)

    interleaved : bool
        Treat the input as interleaved: the mates of each pair follow each other (reads only)

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    out2 : Path
        Write second reads to FILE (reads only)

    interleaved_out : bool
        Write both mates of two input files to --out, interleaved

    memory, m : str | float
        Memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]

    temp_dir, tmp_dir, T : Path
        Folder for temporary files [default: TMPDIR if set, else the folder of the output]

    output_format, output_fmt, O : Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
        Output format [default: from the file extension, else bam]

    level, compression_level, l : str | float
        Compression level: fast, balanced, small or, for BAM, 0 to 12 [default: balanced for BAM and CRAM]

    uncompressed, u : bool
        Write uncompressed BAM, for piping to another program

    write_index : Literal["auto", "bai", "csi"] | bool
        Also write an index next to the file [default: bai for BAM, or csi if a reference is too long for it; crai for CRAM]

    sync : bool
        Wait until the output is on disk

    embed_reference : bool
        Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file

    no_reference : bool
        Store the bases in CRAM output as they are: larger, but no reference is needed

    summary : Path
        Write a JSON summary to FILE

    stats : Path
        Also write the statistics of the written records to FILE, like `biofast stats --json`

    samtools_stats : Path
        Also write the output of `samtools stats` to FILE, like `biofast stats --format samtools`

    html : Path
        Also write an HTML report to FILE, like `biofast stats --html`

    title : str | float
        With --html: title of the HTML report, such as the name of the run and its date

    compat : Literal["samtools=1.16", "samtools=1.24"] | str | Sequence[Literal["samtools=1.16", "samtools=1.24"]]
        Write the reports of a program like this version of it, not like the current one

    reference : Path
        Reference sequences (FASTA) for CRAM; a .fai index is optional

    mark_duplicates : bool
        Mark duplicates: the work of `samtools fixmate -m`, `sort` and `markdup` in one run

    rule : Literal["samtools", "picard"]
        Tool whose rules decide what is a duplicate [default: samtools]

    remove_duplicates, r : bool
        Remove duplicates; an unaligned mate is removed with its read

    mark_supplementary, S : bool
        Also mark supplementary, secondary and unmapped records of duplicates

    duplicate_mode : Literal["template", "sequence"]
        What pairs must have in common to be duplicates [default: template]

    include_fails : bool
        Also examine reads that failed QC (flag 0x200), as --rule picard always does

    clear_duplicates, clear, c : bool
        Clear existing duplicate marks, and the tags dt and do of marked records

    barcode_tag : str | float
        Require duplicates to have the same value of this tag, such as RX or CB

    barcode_name : bool
        Require duplicates to have the same UMI in their names

    barcode_rgx : str | float
        Require duplicates to have the same text in the first group of this regular expression in their names

    read_one_barcode_tag : str | float
        With --rule picard: require duplicates to have the same value of this tag in first reads

    read_two_barcode_tag : str | float
        With --rule picard: require duplicates to have the same value of this tag in second reads

    allow_missing_barcodes : bool
        Don't fail if no read has a barcode

    optical_distance, d : int
        Find optical duplicates up to this distance on the flow cell, by coordinates in read names

    metrics, f : Path
        Write duplicate metrics to FILE, in the format of the tool chosen with --rule

    picard_metrics : Path
        Write Picard's DuplicationMetrics by library to FILE, with any --rule

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    threads : int
        Number of threads [default: all CPUs available to the process]

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    name: bool
    n: bool
    lexicographic: bool
    N: bool
    by_tag: str | float
    t: str | float
    template_coordinate: bool
    key: Literal["length", "name", "sequence", "similarity"]
    reverse: bool
    interleaved: bool
    mates: Literal["strict", "names"]
    out2: Path
    interleaved_out: bool
    memory: str | float
    m: str | float
    temp_dir: Path
    tmp_dir: Path
    T: Path
    output_format: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    output_fmt: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    O: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    level: str | float
    compression_level: str | float
    l: str | float
    uncompressed: bool
    u: bool
    write_index: Literal["auto", "bai", "csi"] | bool
    sync: bool
    embed_reference: bool
    no_reference: bool
    summary: Path
    stats: Path
    samtools_stats: Path
    html: Path
    title: str | float
    compat: Literal["samtools=1.16", "samtools=1.24"] | str | Sequence[Literal["samtools=1.16", "samtools=1.24"]]
    reference: Path
    mark_duplicates: bool
    rule: Literal["samtools", "picard"]
    remove_duplicates: bool
    r: bool
    mark_supplementary: bool
    S: bool
    duplicate_mode: Literal["template", "sequence"]
    include_fails: bool
    clear_duplicates: bool
    clear: bool
    c: bool
    barcode_tag: str | float
    barcode_name: bool
    barcode_rgx: str | float
    read_one_barcode_tag: str | float
    read_two_barcode_tag: str | float
    allow_missing_barcodes: bool
    optical_distance: int
    d: int
    metrics: Path
    f: Path
    picard_metrics: Path
    no_PG: bool
    no_pg: bool
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    threads: int
    cache_dir: Path


class MarkdupOptions(TypedDict, total=False):
    """Options, as of ``biofast markdup``:

    temp_dir, tmp_dir, T : Path
        Folder for temporary files [default: TMPDIR if set, else the folder of the output]

    output_format, output_fmt, O : Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
        Output format [default: from the file extension, else bam]

    uncompressed, u : bool
        Write uncompressed BAM, for piping to another program

    write_index : Literal["auto", "bai", "csi"] | bool
        Also write an index next to the file [default: bai for BAM, or csi if a reference is too long for it; crai for CRAM]

    sync : bool
        Wait until the output is on disk

    embed_reference : bool
        Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file

    no_reference : bool
        Store the bases in CRAM output as they are: larger, but no reference is needed

    summary : Path
        Write a JSON summary to FILE

    stats : Path
        Also write the statistics of the written records to FILE, like `biofast stats --json`

    samtools_stats : Path
        Also write the output of `samtools stats` to FILE, like `biofast stats --format samtools`

    html : Path
        Also write an HTML report to FILE, like `biofast stats --html`

    title : str | float
        With --html: title of the HTML report, such as the name of the run and its date

    compat : Literal["samtools=1.16", "samtools=1.24"] | str | Sequence[Literal["samtools=1.16", "samtools=1.24"]]
        Write the reports of a program like this version of it, not like the current one

    reference : Path
        Reference sequences (FASTA) for CRAM; a .fai index is optional

    rule : Literal["samtools", "picard"]
        Tool whose rules decide what is a duplicate [default: samtools]

    remove_duplicates, r : bool
        Remove duplicates; an unaligned mate is removed with its read

    mark_supplementary, S : bool
        Also mark supplementary, secondary and unmapped records of duplicates

    duplicate_mode : Literal["template", "sequence"]
        What pairs must have in common to be duplicates [default: template]

    include_fails : bool
        Also examine reads that failed QC (flag 0x200), as --rule picard always does

    clear_duplicates, clear, c : bool
        Clear existing duplicate marks, and the tags dt and do of marked records

    barcode_tag : str | float
        Require duplicates to have the same value of this tag, such as RX or CB

    barcode_name : bool
        Require duplicates to have the same UMI in their names

    barcode_rgx : str | float
        Require duplicates to have the same text in the first group of this regular expression in their names

    read_one_barcode_tag : str | float
        With --rule picard: require duplicates to have the same value of this tag in first reads

    read_two_barcode_tag : str | float
        With --rule picard: require duplicates to have the same value of this tag in second reads

    allow_missing_barcodes : bool
        Don't fail if no read has a barcode

    optical_distance, d : int
        Find optical duplicates up to this distance on the flow cell, by coordinates in read names

    metrics, f : Path
        Write duplicate metrics to FILE, in the format of the tool chosen with --rule

    picard_metrics : Path
        Write Picard's DuplicationMetrics by library to FILE, with any --rule

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    level, compression_level : str | float
        Compression level: fast, balanced, small or, for BAM, 0 to 12 [default: balanced for BAM and CRAM]

    threads : int
        Number of threads [default: all CPUs available to the process]

    memory, m : str | float
        Memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    temp_dir: Path
    tmp_dir: Path
    T: Path
    output_format: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    output_fmt: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    O: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    uncompressed: bool
    u: bool
    write_index: Literal["auto", "bai", "csi"] | bool
    sync: bool
    embed_reference: bool
    no_reference: bool
    summary: Path
    stats: Path
    samtools_stats: Path
    html: Path
    title: str | float
    compat: Literal["samtools=1.16", "samtools=1.24"] | str | Sequence[Literal["samtools=1.16", "samtools=1.24"]]
    reference: Path
    rule: Literal["samtools", "picard"]
    remove_duplicates: bool
    r: bool
    mark_supplementary: bool
    S: bool
    duplicate_mode: Literal["template", "sequence"]
    include_fails: bool
    clear_duplicates: bool
    clear: bool
    c: bool
    barcode_tag: str | float
    barcode_name: bool
    barcode_rgx: str | float
    read_one_barcode_tag: str | float
    read_two_barcode_tag: str | float
    allow_missing_barcodes: bool
    optical_distance: int
    d: int
    metrics: Path
    f: Path
    picard_metrics: Path
    no_PG: bool
    no_pg: bool
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    level: str | float
    compression_level: str | float
    threads: int
    memory: str | float
    m: str | float
    cache_dir: Path


class DedupOptions(TypedDict, total=False):
    """Options, as of ``biofast dedup``:

    interleaved : bool
        Treat the input as interleaved: the mates of each pair follow each other

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    key : Literal["sequence", "name", "umi"]
        What to compare [default: sequence]

    compare_umi : bool
        Also require the same UMI at the end of the name

    umi_separator : str | float
        Character before the UMI in the name [default: :]

    max_mismatches, max_mismatch, mismatches : int
        Also remove reads with at most N mismatches to a kept read of the same length: 0, 1 or 2 [default: 0]

    ignore_case, i : bool
        Compare without regard to case

    both_strands : bool
        Also remove reverse complements of kept reads; for pairs, those with swapped mates

    first_bases : int
        Compare only the first N bases of each read

    keep : Literal["first", "best-quality"]
        Which of several duplicates to keep; best-quality reads the input twice [default: first]

    out2 : Path
        Write second reads to FILE

    interleaved_out : bool
        Write both mates of two input files to --out, interleaved

    duplicates, d : Path
        Write duplicates to FILE; without --duplicates2, pairs are interleaved

    duplicates2 : Path
        Write second reads of duplicates to FILE

    output_format, output_fmt, O : str | float
        Output format: plain, bgzf, zstd or bzip2 [default: from the file extension]

    level, compression_level : str | float
        Compression level: fast, balanced, small or a number

    sync : bool
        Wait until the output is on disk

    summary : Path
        Write a JSON summary to FILE

    memory, m : str | float
        Memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]

    temp_dir, tmp_dir : Path
        Folder for temporary files [default: TMPDIR if set, else the folder of the output]

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    io : Literal["auto", "mmap", "read"]
        How to read input files [default: auto]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    interleaved: bool
    mates: Literal["strict", "names"]
    key: Literal["sequence", "name", "umi"]
    compare_umi: bool
    umi_separator: str | float
    max_mismatches: int
    max_mismatch: int
    mismatches: int
    ignore_case: bool
    i: bool
    both_strands: bool
    first_bases: int
    keep: Literal["first", "best-quality"]
    out2: Path
    interleaved_out: bool
    duplicates: Path
    d: Path
    duplicates2: Path
    output_format: str | float
    output_fmt: str | float
    O: str | float
    level: str | float
    compression_level: str | float
    sync: bool
    summary: Path
    memory: str | float
    m: str | float
    temp_dir: Path
    tmp_dir: Path
    threads: int
    t: int
    io: Literal["auto", "mmap", "read"]
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class DemuxOptions(TypedDict, total=False):
    """Options, as of ``biofast demux``:

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    read_structures, r : str | float | Sequence[str | float]
        Read structure of each input, such as 8B+T

    ignore_columns : str | float | Sequence[str | float]
        Ignore these columns, separated by commas; other unknown columns are an error

    lane : int
        Use only the samples of this lane

    header_barcodes : bool
        Read barcodes from the header line of the first read, such as '1:N:0:ACGT+TGCA'

    revcomp_index2 : bool
        Compare the reverse complement of the second part of barcodes

    ends : Literal["either", "both"]
        Search barcodes at the ends of long reads (Nanopore), and cut them off: at either end, or at both

    end_window : int
        Number of bases at each end that --ends searches [default: 150]

    max_mismatches, max_mismatch, mismatches : int
        Allow up to N mismatches between a barcode and that of the sample [default: 1]

    min_mismatch_delta, d : int
        Require at least N more mismatches to the barcode of any other sample [default: 2]

    max_no_calls : int
        Allow up to N no-calls (N) in a barcode; each is also a mismatch [default: no limit]

    skip_reasons, S : Literal["too-few-bases"]
        Skip and count reads of this kind, with their mates [default: they are an error]

    name_template : str | float
        Names of output files, made from {sample}, {type} and {number} [default: {sample}.{type}{number}.fq.gz]

    output_types, b : str | float | Sequence[str | float]
        Types of segments to write files of: T, B, M or C; may be repeated [default: T]

    unmatched_prefix, u : str | float
        Sample name in the file names of unmatched reads [default: unmatched]

    umi_in : Literal["name", "comment", "none"]
        Where to write UMIs [default: name]

    barcode_in : Literal["comment", "tag", "none"]
        Where to write sample barcodes in reads [default: comment]

    output_format, output_fmt, O : str | float
        Output format: plain, bgzf, zstd or bzip2 [default: from the extension of --name-template]

    level, compression_level, c : str | float
        Compression level: fast, balanced, small or a number

    metrics : Path
        Write the counts of samples to FILE [default: demux-metrics.txt in the output folder]

    index_hopping : Path
        Write a table of index hopping to FILE: counts of all pairs of first and second barcodes of samples

    unknown_barcodes : Path
        Write the 1,000 most frequent unknown barcodes to FILE

    summary : Path
        Write a JSON summary to FILE

    sync : bool
        Wait until the output is on disk

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    io : Literal["auto", "mmap", "read"]
        How to read input files [default: auto]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    mates: Literal["strict", "names"]
    read_structures: str | float | Sequence[str | float]
    r: str | float | Sequence[str | float]
    ignore_columns: str | float | Sequence[str | float]
    lane: int
    header_barcodes: bool
    revcomp_index2: bool
    ends: Literal["either", "both"]
    end_window: int
    max_mismatches: int
    max_mismatch: int
    mismatches: int
    min_mismatch_delta: int
    d: int
    max_no_calls: int
    skip_reasons: Literal["too-few-bases"]
    S: Literal["too-few-bases"]
    name_template: str | float
    output_types: str | float | Sequence[str | float]
    b: str | float | Sequence[str | float]
    unmatched_prefix: str | float
    u: str | float
    umi_in: Literal["name", "comment", "none"]
    barcode_in: Literal["comment", "tag", "none"]
    output_format: str | float
    output_fmt: str | float
    O: str | float
    level: str | float
    compression_level: str | float
    c: str | float
    metrics: Path
    index_hopping: Path
    unknown_barcodes: Path
    summary: Path
    sync: bool
    threads: int
    t: int
    io: Literal["auto", "mmap", "read"]
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class SplitOptions(TypedDict, total=False):
    """Options, as of ``biofast split``:

    by_size, s : int
        Write N reads or pairs to each part, such as 500000 or 4M

    by_part, p : int
        Distribute reads or pairs over N parts, in turn

    by_length, l : int
        Write at least N bases, of both mates, to each part but the last, such as 1500000 or 500M

    by_bytes : int
        Write at most SIZE of uncompressed text, of both mates, to each part, such as 100M or 2G

    by, d : str | float
        Write alignments to a file for each value of TAG, such as RG or CB: text or whole numbers

    blocks : bool
        With --by-part: write consecutive reads to each part, instead of every Nth; reads the input twice

    interleaved : bool
        Treat the input as interleaved: the mates of each pair follow each other

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    name_format, f : Path
        With --by: names of output files as `samtools split` has them, such as '%*_%#.%.'

    out2 : Path
        Names of output files of second reads

    interleaved_out : bool
        Write both mates of two input files to --out, interleaved

    digits : int
        Minimum number of digits in the number of the part [default: 3]

    force : bool
        Allow more than 1,000 output files

    unassigned, u : Path
        With --by: write the records without a value to FILE [default: they are an error]

    reference, T : Path
        Reference sequences (FASTA) for CRAM with --by; a .fai index is optional

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    output_format, output_fmt, O : str | float
        Output format: plain, bgzf, zstd or bzip2 [default: from the file extension]

    level, compression_level : str | float
        Compression level: fast, balanced, small or a number

    sync : bool
        Wait until the output is on disk

    summary : Path
        Write a JSON summary to FILE

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    io : Literal["auto", "mmap", "read"]
        How to read input files [default: auto]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    by_size: int
    s: int
    by_part: int
    p: int
    by_length: int
    l: int
    by_bytes: int
    by: str | float
    d: str | float
    blocks: bool
    interleaved: bool
    mates: Literal["strict", "names"]
    name_format: Path
    f: Path
    out2: Path
    interleaved_out: bool
    digits: int
    force: bool
    unassigned: Path
    u: Path
    reference: Path
    T: Path
    no_PG: bool
    no_pg: bool
    output_format: str | float
    output_fmt: str | float
    O: str | float
    level: str | float
    compression_level: str | float
    sync: bool
    summary: Path
    threads: int
    t: int
    io: Literal["auto", "mmap", "read"]
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class SplitByTagOptions(TypedDict, total=False):
    """Options, as of ``biofast split``:

    by_size, s : int
        Write N reads or pairs to each part, such as 500000 or 4M

    by_part, p : int
        Distribute reads or pairs over N parts, in turn

    by_length, l : int
        Write at least N bases, of both mates, to each part but the last, such as 1500000 or 500M

    by_bytes : int
        Write at most SIZE of uncompressed text, of both mates, to each part, such as 100M or 2G

    blocks : bool
        With --by-part: write consecutive reads to each part, instead of every Nth; reads the input twice

    interleaved : bool
        Treat the input as interleaved: the mates of each pair follow each other

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    name_format, f : Path
        With --by: names of output files as `samtools split` has them, such as '%*_%#.%.'

    out2 : Path
        Names of output files of second reads

    interleaved_out : bool
        Write both mates of two input files to --out, interleaved

    digits : int
        Minimum number of digits in the number of the part [default: 3]

    force : bool
        Allow more than 1,000 output files

    unassigned, u : Path
        With --by: write the records without a value to FILE [default: they are an error]

    reference, T : Path
        Reference sequences (FASTA) for CRAM with --by; a .fai index is optional

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    output_format, output_fmt, O : str | float
        Output format: plain, bgzf, zstd or bzip2 [default: from the file extension]

    level, compression_level : str | float
        Compression level: fast, balanced, small or a number

    sync : bool
        Wait until the output is on disk

    summary : Path
        Write a JSON summary to FILE

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    io : Literal["auto", "mmap", "read"]
        How to read input files [default: auto]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    by_size: int
    s: int
    by_part: int
    p: int
    by_length: int
    l: int
    by_bytes: int
    blocks: bool
    interleaved: bool
    mates: Literal["strict", "names"]
    name_format: Path
    f: Path
    out2: Path
    interleaved_out: bool
    digits: int
    force: bool
    unassigned: Path
    u: Path
    reference: Path
    T: Path
    no_PG: bool
    no_pg: bool
    output_format: str | float
    output_fmt: str | float
    O: str | float
    level: str | float
    compression_level: str | float
    sync: bool
    summary: Path
    threads: int
    t: int
    io: Literal["auto", "mmap", "read"]
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class GrepOptions(TypedDict, total=False):
    """Options, as of ``biofast grep``:

    pattern, p : str | float | Sequence[str | float]
        Search for this name, motif or regular expression; may be repeated

    pattern_file, f : Path | Sequence[Path]
        Read patterns from FILE, one per line; with -s also from FASTA

    by_seq, s : bool
        Search sequences

    by_name, n : bool
        Search whole header lines instead of names

    use_regexp, r : bool
        Treat patterns as regular expressions, which match anywhere in the name or sequence

    max_mismatches, max_mismatch, mismatches, m : int
        Allow up to N mismatches in a motif, at most 3; implies -s [default: 0]

    only_positive_strand, P : bool
        Search only the strand that was read, not its reverse complement

    ignore_case, i : bool
        Search without regard to case

    search_region, R : str | float
        Search only this part of each sequence, such as 1:12 or -12:-1; implies -s

    degenerate, d : bool
        Allow IUPAC codes in motifs, as is always the case; implies -s

    invert_match, v : bool
        Keep the reads that no pattern matches

    pair : Literal["any", "both"]
        How many mates must match for a pair to be kept [default: any]

    count, c, C : bool
        Print only the number of reads or pairs that would be kept

    count_by_pattern : bool
        Print only a table of the reads and matches of each pattern

    only_matching : bool
        Print only a table of matches, with the columns of `seqkit locate`

    color : Literal["auto", "always", "never"]
        When to color matches, with a color for each pattern [default: auto]

    missing : Path
        Write the patterns that match no read to FILE, one per line

    require_all : bool
        Exit with code 1 if a pattern matches no read; all outputs are still written

    interleaved : bool
        Treat the input as interleaved: the mates of each pair follow each other

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    shard : str | float
        Read only shard N (from 1) of a plan made by `biofast shards`

    out2 : Path
        Write second reads to FILE

    interleaved_out : bool
        Write both mates of two input files to --out, interleaved

    rejected : Path
        Write reads that are not kept to FILE

    output_format, output_fmt, O : str | float
        Output format: plain, bgzf, zstd or bzip2 [default: from the file extension]

    level, compression_level : str | float
        Compression level: fast, balanced, small or a number

    sync : bool
        Wait until the output is on disk

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    io : Literal["auto", "mmap", "read"]
        How to read input files [default: auto]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose : bool
        Report how each input is read: source, container, decoder, threads, kernels

    summary : Path
        Write a JSON summary to FILE

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    pattern: str | float | Sequence[str | float]
    p: str | float | Sequence[str | float]
    pattern_file: Path | Sequence[Path]
    f: Path | Sequence[Path]
    by_seq: bool
    s: bool
    by_name: bool
    n: bool
    use_regexp: bool
    r: bool
    max_mismatches: int
    max_mismatch: int
    mismatches: int
    m: int
    only_positive_strand: bool
    P: bool
    ignore_case: bool
    i: bool
    search_region: str | float
    R: str | float
    degenerate: bool
    d: bool
    invert_match: bool
    v: bool
    pair: Literal["any", "both"]
    count: bool
    c: bool
    C: bool
    count_by_pattern: bool
    only_matching: bool
    color: Literal["auto", "always", "never"]
    missing: Path
    require_all: bool
    interleaved: bool
    mates: Literal["strict", "names"]
    shard: str | float
    out2: Path
    interleaved_out: bool
    rejected: Path
    output_format: str | float
    output_fmt: str | float
    O: str | float
    level: str | float
    compression_level: str | float
    sync: bool
    threads: int
    t: int
    io: Literal["auto", "mmap", "read"]
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    summary: Path
    cache_dir: Path


class ConvertOptions(TypedDict, total=False):
    """Options, as of ``biofast convert``:

    interleaved : bool
        Treat the input as interleaved: the mates of each pair follow each other

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    from_ : Literal["fastq", "fasta", "table", "bam"]
        Input format [default: detected from content]

    to : Literal["fastq", "fasta", "table", "bam"]
        Output format [default: from the file extension, else fasta for FASTA and fastq for other input]

    out2 : Path
        Write second reads to FILE

    interleaved_out : bool
        Write both mates of two input files to --out, interleaved

    shard : str | float
        Read only shard N (from 1) of a plan made by `biofast shards`

    head : int
        Take only the first N reads or pairs; the rest of the input isn't read

    tail : int
        Take only the last N reads or pairs; reads the input twice

    range : str | float
        Take only reads or pairs FIRST to LAST, such as 101:200 or -100:-1

    min_len, m : int
        Keep reads of at least N bases after all edits; for pairs, both mates

    max_len, M : int
        Keep reads of at most N bases after all edits; for pairs, both mates

    rename : str | float
        Replace header lines with TEMPLATE, such as 's1_{number}'

    rename_regex : str | float
        With --rename: replace only the matches of REGEX in header lines

    rename_table : Path
        Rename the reads in a table: old and new names, separated by a tab

    sra_names : str | float
        Name reads like the Sequence Read Archive: 'RUN.N NAME length=L' for run RUN

    original_names : bool
        Restore the original names of reads from a sequence archive

    name_prefix : str | float
        Put TEXT before each name

    name_suffix : str | float
        Put TEXT after each name, before the /1 and /2 of mates

    unique_names : Literal["name", "header"] | bool
        Append _2, _3 and so on to repeated names, like `seqkit rename`; reads the input twice

    only_id, i : bool
        Remove descriptions, and keep names

    subseq : str | float
        Keep only bases FIRST to LAST, such as 1:50 or -20:-1

    reverse_complement, revcomp : bool
        Reverse-complement reads, and reverse their qualities

    alphabet : Literal["dna", "rna"]
        Alphabet for the reverse complement [default: that of the first reads]

    rna2dna : bool
        Replace U with T

    dna2rna : bool
        Replace T with U

    upper_case, u : bool
        Convert bases to upper case

    lower_case, l : bool
        Convert bases to lower case

    quality : int
        Quality of all bases of reads without qualities, such as FASTA, from 0 to 93

    phred64 : bool
        Convert qualities from Phred+64 (Illumina 1.3 to 1.7) to Phred+33

    cap_quality : int
        Lower qualities above Q to Q

    bin_quality : str | float
        Reduce qualities to a few levels: 8 or 4, like Illumina, or bins such as 0:2,15:20,30:37

    line_width, w : int
        Line width of FASTA output; 0 for single lines [default: 60 for FASTA input, else 0]

    rg_line : str | float | Sequence[str | float]
        Add a read group to BAM: a whole line (@RG\\tID:x\\tSM:y), or single fields; may be repeated

    name_map : Path
        Write a table of old and new names to FILE

    reference : Path
        Reference sequences (FASTA) for CRAM input; a .fai index is optional

    temp_dir, tmp_dir : Path
        Folder for temporary files [default: TMPDIR if set, else the folder of the output]

    output_format, output_fmt, O : str | float
        Output format: plain, bgzf, zstd or bzip2 [default: from the file extension]

    level, compression_level : str | float
        Compression level: fast, balanced, small or a number

    sync : bool
        Wait until the output is on disk

    summary : Path
        Write a JSON summary to FILE

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    io : Literal["auto", "mmap", "read"]
        How to read input files [default: auto]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    memory : str | float
        Memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    interleaved: bool
    mates: Literal["strict", "names"]
    from_: Literal["fastq", "fasta", "table", "bam"]
    to: Literal["fastq", "fasta", "table", "bam"]
    out2: Path
    interleaved_out: bool
    shard: str | float
    head: int
    tail: int
    range: str | float
    min_len: int
    m: int
    max_len: int
    M: int
    rename: str | float
    rename_regex: str | float
    rename_table: Path
    sra_names: str | float
    original_names: bool
    name_prefix: str | float
    name_suffix: str | float
    unique_names: Literal["name", "header"] | bool
    only_id: bool
    i: bool
    subseq: str | float
    reverse_complement: bool
    revcomp: bool
    alphabet: Literal["dna", "rna"]
    rna2dna: bool
    dna2rna: bool
    upper_case: bool
    u: bool
    lower_case: bool
    l: bool
    quality: int
    phred64: bool
    cap_quality: int
    bin_quality: str | float
    line_width: int
    w: int
    rg_line: str | float | Sequence[str | float]
    name_map: Path
    reference: Path
    temp_dir: Path
    tmp_dir: Path
    output_format: str | float
    output_fmt: str | float
    O: str | float
    level: str | float
    compression_level: str | float
    sync: bool
    summary: Path
    threads: int
    t: int
    io: Literal["auto", "mmap", "read"]
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    memory: str | float
    cache_dir: Path


class ShuffleOptions(TypedDict, total=False):
    """Options, as of ``biofast shuffle``:

    interleaved : bool
        Treat the input as interleaved: the mates of each pair follow each other

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    out2 : Path
        Write second reads to FILE

    interleaved_out : bool
        Write both mates of two input files to --out, interleaved

    seed, s : int
        Random seed; the same seed gives the same order [default: 11]

    memory, m : str | float
        Memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]

    temp_dir, tmp_dir : Path
        Folder for temporary files [default: TMPDIR if set, else the folder of the output]

    output_format, output_fmt, O : str | float
        Output format: plain, bgzf, zstd or bzip2 [default: from the file extension]

    level, compression_level : str | float
        Compression level: fast, balanced, small or a number

    sync : bool
        Wait until the output is on disk

    summary : Path
        Write a JSON summary to FILE

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    io : Literal["auto", "mmap", "read"]
        How to read input files [default: auto]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    interleaved: bool
    mates: Literal["strict", "names"]
    out2: Path
    interleaved_out: bool
    seed: int
    s: int
    memory: str | float
    m: str | float
    temp_dir: Path
    tmp_dir: Path
    output_format: str | float
    output_fmt: str | float
    O: str | float
    level: str | float
    compression_level: str | float
    sync: bool
    summary: Path
    threads: int
    t: int
    io: Literal["auto", "mmap", "read"]
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class RepairOptions(TypedDict, total=False):
    """Options, as of ``biofast repair``:

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    interleaved_out : bool
        Write both mates of two input files to --out, interleaved

    orphans1 : Path
        Write first reads without mates to FILE

    orphans2 : Path
        Write second reads without mates to FILE

    orphans : Path
        Write all reads without mates to FILE; reads the input once more

    drop_orphans : bool
        Drop reads without mates that no option writes; otherwise, they cause exit code 1

    output_format, output_fmt, O : str | float
        Output format: plain, bgzf, zstd or bzip2 [default: from the file extension]

    level, compression_level : str | float
        Compression level: fast, balanced, small or a number

    sync : bool
        Wait until the output is on disk

    summary : Path
        Write a JSON summary to FILE

    memory, m : str | float
        Memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]

    temp_dir, tmp_dir : Path
        Folder for temporary files [default: TMPDIR if set, else the folder of the output]

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    io : Literal["auto", "mmap", "read"]
        How to read input files [default: auto]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    mates: Literal["strict", "names"]
    interleaved_out: bool
    orphans1: Path
    orphans2: Path
    orphans: Path
    drop_orphans: bool
    output_format: str | float
    output_fmt: str | float
    O: str | float
    level: str | float
    compression_level: str | float
    sync: bool
    summary: Path
    memory: str | float
    m: str | float
    temp_dir: Path
    tmp_dir: Path
    threads: int
    t: int
    io: Literal["auto", "mmap", "read"]
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class FixmateOptions(TypedDict, total=False):
    """Options, as of ``biofast fixmate``:

    remove, r : bool
        Remove unmapped and secondary records

    no_pair_check, p : bool
        Leave the proper pair flag of mates that are on different references or don't point towards each other

    template_cigar, c : bool
        Add the CIGARs of both mates to the left one (tag ct)

    mate_score, m : bool
        Add the score of the mate (tag ms), which `samtools markdup` needs

    sanitize, z : str | float
        Which contradicting fields to correct first, separated by commas, or off [default: all]

    uncompressed, u : bool
        Write uncompressed BAM, for piping to another program

    level, compression_level : str | float
        Compression level: fast, balanced, small (6), or 0 (none) to 12 for BAM [default: fast for BAM]

    embed_reference : bool
        Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file

    no_reference : bool
        Store the bases in CRAM output as they are: larger, but no reference is needed

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    reference, T : Path
        Reference sequences (FASTA) for CRAM; a .fai index is optional

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    output_format, output_fmt, O : Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
        Output format [default: from the file extension, else bam]

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    remove: bool
    r: bool
    no_pair_check: bool
    p: bool
    template_cigar: bool
    c: bool
    mate_score: bool
    m: bool
    sanitize: str | float
    z: str | float
    uncompressed: bool
    u: bool
    level: str | float
    compression_level: str | float
    embed_reference: bool
    no_reference: bool
    no_PG: bool
    no_pg: bool
    reference: Path
    T: Path
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    output_format: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    output_fmt: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    O: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    cache_dir: Path


class CollateOptions(TypedDict, total=False):
    """Options, as of ``biofast collate``:

    uncompressed, u : bool
        Write uncompressed BAM, for piping to another program

    embed_reference : bool
        Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file

    no_reference : bool
        Store the bases in CRAM output as they are: larger, but no reference is needed

    O : bool
        Write to standard output, as without -o

    memory, m : str | float
        Memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]

    temp_dir, tmp_dir, T : Path
        Folder for temporary files [default: TMPDIR if set, else the folder of the output]

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    reference : Path
        Reference sequences (FASTA) for CRAM; a .fai index is optional

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    output_format, output_fmt : Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
        Output format [default: from the file extension, else bam]

    level, compression_level, l : str | float
        Compression level: fast, balanced, small (6), or 0 (none) to 12 for BAM [default: fast for BAM]

    threads : int
        Number of threads [default: all CPUs available to the process]

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    uncompressed: bool
    u: bool
    embed_reference: bool
    no_reference: bool
    O: bool
    memory: str | float
    m: str | float
    temp_dir: Path
    tmp_dir: Path
    T: Path
    no_PG: bool
    no_pg: bool
    reference: Path
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    output_format: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    output_fmt: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    level: str | float
    compression_level: str | float
    l: str | float
    threads: int
    cache_dir: Path


class ResetOptions(TypedDict, total=False):
    """Options, as of ``biofast reset``:

    remove_tag, x : str | float | Sequence[str | float]
        Remove these tags, separated by commas, or all but these with ^ in front; may be repeated

    keep_tag : str | float | Sequence[str | float]
        Keep only these tags, separated by commas, or none if TAGS is empty; may be repeated

    reject_PG, reject_pg : str | float
        Remove the @PG line with this ID, and all lines after it

    no_RG, no_rg : bool
        Remove read groups from the header and the records

    dupflag : bool
        Leave the duplicate flag as it is

    output_format, output_fmt, O : Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
        Output format [default: from the file extension, else sam]

    uncompressed, u : bool
        Write uncompressed BAM, for piping to another program

    level, compression_level : str | float
        Compression level: fast, balanced, small (6), or 0 (none) to 12 for BAM [default: fast for BAM]

    embed_reference : bool
        Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file

    no_reference : bool
        Store the bases in CRAM output as they are: larger, but no reference is needed

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    reference, T : Path
        Reference sequences (FASTA) for CRAM; a .fai index is optional

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    remove_tag: str | float | Sequence[str | float]
    x: str | float | Sequence[str | float]
    keep_tag: str | float | Sequence[str | float]
    reject_PG: str | float
    reject_pg: str | float
    no_RG: bool
    no_rg: bool
    dupflag: bool
    output_format: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    output_fmt: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    O: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    uncompressed: bool
    u: bool
    level: str | float
    compression_level: str | float
    embed_reference: bool
    no_reference: bool
    no_PG: bool
    no_pg: bool
    reference: Path
    T: Path
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class RetagOptions(TypedDict, total=False):
    """Options, as of ``biofast retag``:

    remove_tag, x : str | float | Sequence[str | float]
        Remove these tags, separated by commas, or all but these with ^ in front; may be repeated

    keep_tag : str | float | Sequence[str | float]
        Keep only these tags, separated by commas, or none if TAGS is empty; may be repeated

    rename_tag : str | float | Sequence[str | float]
        Rename the tag OLD to NEW; may be repeated

    umi_from_name : bool
        Copy the UMI at the end of the read name to RX

    remove_umi : bool
        Remove the UMI from the name

    umi_to_name : bool
        Append the UMI in RX to the read name

    umi_separator : int
        Character before the UMI in the name [default: : or _ with --umi-from-name, _ with --umi-to-name]

    umi_tag : str | float
        Tag of the UMI [default: RX]

    output_format, output_fmt, O : Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
        Output format [default: from the file extension, else sam]

    uncompressed, u : bool
        Write uncompressed BAM, for piping to another program

    level, compression_level : str | float
        Compression level: fast, balanced, small (6), or 0 (none) to 12 for BAM [default: fast for BAM]

    embed_reference : bool
        Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file

    no_reference : bool
        Store the bases in CRAM output as they are: larger, but no reference is needed

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    reference, T : Path
        Reference sequences (FASTA) for CRAM; a .fai index is optional

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    remove_tag: str | float | Sequence[str | float]
    x: str | float | Sequence[str | float]
    keep_tag: str | float | Sequence[str | float]
    rename_tag: str | float | Sequence[str | float]
    umi_from_name: bool
    remove_umi: bool
    umi_to_name: bool
    umi_separator: int
    umi_tag: str | float
    output_format: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    output_fmt: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    O: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    uncompressed: bool
    u: bool
    level: str | float
    compression_level: str | float
    embed_reference: bool
    no_reference: bool
    no_PG: bool
    no_pg: bool
    reference: Path
    T: Path
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class RenameContigsOptions(TypedDict, total=False):
    """Options, as of ``biofast rename-contigs``:

    output_format, output_fmt, O : Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
        Output format [default: from the file extension, else sam]

    uncompressed, u : bool
        Write uncompressed BAM, for piping to another program

    level, compression_level : str | float
        Compression level: fast, balanced, small (6), or 0 (none) to 12 for BAM [default: fast for BAM]

    embed_reference : bool
        Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file

    no_reference : bool
        Store the bases in CRAM output as they are: larger, but no reference is needed

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    reference, T : Path
        Reference sequences (FASTA) for CRAM; a .fai index is optional

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    output_format: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    output_fmt: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    O: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    uncompressed: bool
    u: bool
    level: str | float
    compression_level: str | float
    embed_reference: bool
    no_reference: bool
    no_PG: bool
    no_pg: bool
    reference: Path
    T: Path
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class AddreplacergOptions(TypedDict, total=False):
    """Options, as of ``biofast addreplacerg``:

    rg_line, r : str | float | Sequence[str | float]
        Add this read group to the header: a line, such as '@RG\\tID:x\\tSM:y', or its fields one by one (-r ID:x -r SM:y)

    rg, R : str | float
        Use the read group of the header with this ID

    mode, m : Literal["overwrite_all", "orphan_only"]
        Which records get the read group [default: overwrite_all]

    overwrite_rg, w : bool
        Replace the read group of the header that has the ID of -r

    output_format, output_fmt, O : Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
        Output format [default: from the file extension, else sam]

    uncompressed, u : bool
        Write uncompressed BAM, for piping to another program

    level, compression_level : str | float
        Compression level: fast, balanced, small (6), or 0 (none) to 12 for BAM [default: fast for BAM]

    embed_reference : bool
        Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file

    no_reference : bool
        Store the bases in CRAM output as they are: larger, but no reference is needed

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    reference, T : Path
        Reference sequences (FASTA) for CRAM; a .fai index is optional

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    rg_line: str | float | Sequence[str | float]
    r: str | float | Sequence[str | float]
    rg: str | float
    R: str | float
    mode: Literal["overwrite_all", "orphan_only"]
    m: Literal["overwrite_all", "orphan_only"]
    overwrite_rg: bool
    w: bool
    output_format: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    output_fmt: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    O: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    uncompressed: bool
    u: bool
    level: str | float
    compression_level: str | float
    embed_reference: bool
    no_reference: bool
    no_PG: bool
    no_pg: bool
    reference: Path
    T: Path
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    cache_dir: Path


class CatOptions(TypedDict, total=False):
    """Options, as of ``biofast cat``:

    files_from, b, X : Path
        Read more input file names from FILE, one per line

    in2 : Path | Sequence[Path]
        The files of second reads, as many as there are of first reads

    out2 : Path
        Write second reads to FILE: files come in pairs (R1 R2 R1 R2), or second reads are named with --in2

    header, h : Path
        Use the header of FILE (SAM, BAM or CRAM) instead of that of the first BAM file

    sorted : bool
        Check that the files follow each other by coordinate, and keep the sort order in the header

    sync : bool
        Wait until the output is on disk

    summary : Path
        Write a JSON summary to FILE

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    files_from: Path
    b: Path
    X: Path
    in2: Path | Sequence[Path]
    out2: Path
    header: Path
    h: Path
    sorted: bool
    sync: bool
    summary: Path
    no_PG: bool
    no_pg: bool
    threads: int
    t: int
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    mates: Literal["strict", "names"]
    cache_dir: Path


class SalvageOptions(TypedDict, total=False):
    """Options, as of ``biofast check``:

    files_from, X : Path
        Read more input file names from FILE, one per line

    stdin_label : str | float
        Name for standard input in the results [default: -]

    expect : Literal["fastq", "fasta", "bam", "sam", "cram", "any"]
        Format that the files must have [default: detected from content]

    reference, T : Path
        Reference sequences (FASTA) for CRAM input; without them, bases are not decoded

    paired : bool
        Treat each two files as mates: read names and counts must agree

    interleaved : bool
        Treat each file as interleaved: mates follow each other, and their names must agree

    mates : Literal["strict", "names"]
        Rule that decides whether two reads are mates [default: strict]

    against : Path
        Check that the files hold the reads listed in SUMMARY

    header : Path
        With --repair: use the header of this BAM, SAM or CRAM file, as that of the damaged file is lost

    skipped : Path
        With --repair: write the text of FASTQ that is left out to FILE, behind lines that say where it was and what is wrong

    summary : Path
        With --repair: write a JSON summary to FILE, which lists what is missing

    shard : str | float
        Read only shard N (from 1) of a plan made by `biofast shards`

    write_index : bool
        Also write a seek index of each input, FILE.bsi, in the same pass

    allow_missing_eof : bool
        Accept BGZF (including BAM) and CRAM files without an end-of-file marker, with a warning

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    quiet, q : bool
        Print only faulty and unreadable files, and no progress bar

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    files_from: Path
    X: Path
    stdin_label: str | float
    expect: Literal["fastq", "fasta", "bam", "sam", "cram", "any"]
    reference: Path
    T: Path
    paired: bool
    interleaved: bool
    mates: Literal["strict", "names"]
    against: Path
    header: Path
    skipped: Path
    summary: Path
    shard: str | float
    write_index: bool
    allow_missing_eof: bool
    threads: int
    t: int
    verbose: bool
    v: bool
    quiet: bool
    q: bool
    cache_dir: Path


class MergeOptions(TypedDict, total=False):
    """Options, as of ``biofast merge``:

    files_from, b, X : Path
        Read more alignment file names from FILE, one per line

    name, n : bool
        Expect alignments sorted by name in natural order: r2 before r10

    lexicographic, N : bool
        Expect alignments sorted by name, compared byte by byte

    by_tag, t : str | float
        Expect alignments sorted by the value of TAG, then by coordinate, or by name with -n

    template_coordinate : bool
        Expect alignments sorted by the 5′ ends of templates, then by library, molecule (MI) and name

    combine_rg, c : bool
        Combine read groups that have the same ID

    combine_pg, p : bool
        Combine @PG lines that have the same ID

    rg_by_file, r : bool
        Set the read group of all reads to the name of their file, without .bam, .sam or .cram

    header, h : Path
        Start the merged header with that of FILE (SAM, BAM or CRAM), before those of the inputs

    regions_file, region_file, targets_file, target_file, L : Path
        Include only records that overlap an interval in a BED file

    output_format, output_fmt, O : Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
        Output format [default: from the file extension, else bam]

    level, compression_level, l : str | float
        Compression level: fast, balanced, small or, for BAM, 0 to 12 [default: balanced for BAM and CRAM]

    uncompressed, u : bool
        Write uncompressed BAM, for piping to another program

    write_index : Literal["auto", "bai", "csi"] | bool
        Also write an index next to the file [default: bai for BAM, or csi if a reference is too long for it; crai for CRAM]

    sync : bool
        Wait until the output is on disk

    embed_reference : bool
        Also store the reference in CRAM output sorted by coordinate, so that it can be read without the FASTA file

    no_reference : bool
        Store the bases in CRAM output as they are: larger, but no reference is needed

    temp_dir, tmp_dir : Path
        Folder for temporary files, used for more than 200 inputs [default: TMPDIR if set, else the folder of the output]

    reference : Path
        Reference sequences (FASTA) for CRAM; a .fai index is optional

    no_PG, no_pg : bool
        Don't add an @PG line for this run to the header

    sample : str | float
        Merge all reports into one row with this name

    out_dir : Path
        Write the files of `biofast stats --out-dir` to DIR, which is created if it doesn't exist

    qc : Literal["stats", "flagstat", "idxstats", "coverage", "depth", "mosdepth", "picard", "alignment-summary", "insert-size", "quality-by-cycle", "quality-distribution", "base-distribution", "gc-bias", "wgs", "hs", "fastqc", "seqkit", "fastp", "json", "html"] | str | Sequence[Literal["stats", "flagstat", "idxstats", "coverage", "depth", "mosdepth", "picard", "alignment-summary", "insert-size", "quality-by-cycle", "quality-distribution", "base-distribution", "gc-bias", "wgs", "hs", "fastqc", "seqkit", "fastp", "json", "html"]]
        Files to write to --out-dir, separated by commas

    partial : bool
        With --json: treat the result as a part, too, and keep what a further merge needs

    tsv, T : bool
        Print tab-separated values, with the columns of `seqkit stats -a -T`

    json : bool
        Print all results as JSON, which `biofast merge` can read

    html : Path
        Also write an HTML report to FILE, like `biofast stats --html`

    title : str | float
        With --html: title of the HTML report, such as the name of the run and its date

    allow_missing_eof : bool
        Accept BAM and CRAM files without an end-of-file marker

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    library : Literal["any", "wgs", "exome", "amplicon", "rna", "small-rna", "bisulfite", "chip", "single-cell", "metagenome", "long-read"]
        Evaluate the results by the limits for this type of library: pass, warn or fail

    limits : Path
        Evaluate the results by the limits in FILE

    fail_on : Literal["warn", "fail"]
        Exit with code 1 if any check has this verdict or a worse one; all outputs are still written

    verdicts : Path
        Write the verdicts to FILE as tab-separated values, a line for each sample and check

    baseline : Path | Sequence[Path]
        Compare each sample with those of earlier `biofast stats --json` reports: a file, a folder, or a quoted pattern

    threads : int
        Number of threads [default: all CPUs available to the process]

    region, R : str | float | Sequence[str | float]
        Include only records that overlap REGION, such as chr1:1000-2000; may be repeated

    by : Path | Sequence[Path]
        With --out-dir, for coverage reports of shards: also write the depth of each interval in a BED file, or of windows of WINDOW bases

    thresholds : int | str | Sequence[int]
        For each --by interval, count the bases with a depth of at least N

    quantize : str | float
        Write runs of bases in the same depth class; BOUNDS such as 0:1:5:150: define the classes

    no_per_base : bool
        Don't write per-base depth

    use_median : bool
        Write the median depth of intervals instead of the mean

    compat : Literal["picard=2.27", "picard=3.4", "mosdepth=0.3.3", "mosdepth=0.3.14", "fastqc=0.11.9", "fastqc=0.12.1"] | str | Sequence[Literal["picard=2.27", "picard=3.4", "mosdepth=0.3.3", "mosdepth=0.3.14", "fastqc=0.11.9", "fastqc=0.12.1"]]
        Write the reports of a program like this version of it, not like the current one

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    files_from: Path
    b: Path
    X: Path
    name: bool
    n: bool
    lexicographic: bool
    N: bool
    by_tag: str | float
    t: str | float
    template_coordinate: bool
    combine_rg: bool
    c: bool
    combine_pg: bool
    p: bool
    rg_by_file: bool
    r: bool
    header: Path
    h: Path
    regions_file: Path
    region_file: Path
    targets_file: Path
    target_file: Path
    L: Path
    output_format: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    output_fmt: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    O: Literal["sam", "bam", "cram", "cram,version=3.0", "cram,version=3.1"]
    level: str | float
    compression_level: str | float
    l: str | float
    uncompressed: bool
    u: bool
    write_index: Literal["auto", "bai", "csi"] | bool
    sync: bool
    embed_reference: bool
    no_reference: bool
    temp_dir: Path
    tmp_dir: Path
    reference: Path
    no_PG: bool
    no_pg: bool
    sample: str | float
    out_dir: Path
    qc: Literal["stats", "flagstat", "idxstats", "coverage", "depth", "mosdepth", "picard", "alignment-summary", "insert-size", "quality-by-cycle", "quality-distribution", "base-distribution", "gc-bias", "wgs", "hs", "fastqc", "seqkit", "fastp", "json", "html"] | str | Sequence[Literal["stats", "flagstat", "idxstats", "coverage", "depth", "mosdepth", "picard", "alignment-summary", "insert-size", "quality-by-cycle", "quality-distribution", "base-distribution", "gc-bias", "wgs", "hs", "fastqc", "seqkit", "fastp", "json", "html"]]
    partial: bool
    tsv: bool
    T: bool
    json: bool
    html: Path
    title: str | float
    allow_missing_eof: bool
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    library: Literal["any", "wgs", "exome", "amplicon", "rna", "small-rna", "bisulfite", "chip", "single-cell", "metagenome", "long-read"]
    limits: Path
    fail_on: Literal["warn", "fail"]
    verdicts: Path
    baseline: Path | Sequence[Path]
    threads: int
    region: str | float | Sequence[str | float]
    R: str | float | Sequence[str | float]
    by: Path | Sequence[Path]
    thresholds: int | str | Sequence[int]
    quantize: str | float
    no_per_base: bool
    use_median: bool
    compat: Literal["picard=2.27", "picard=3.4", "mosdepth=0.3.3", "mosdepth=0.3.14", "fastqc=0.11.9", "fastqc=0.12.1"] | str | Sequence[Literal["picard=2.27", "picard=3.4", "mosdepth=0.3.3", "mosdepth=0.3.14", "fastqc=0.11.9", "fastqc=0.12.1"]]
    cache_dir: Path


class IndexOptions(TypedDict, total=False):
    """Options, as of ``biofast index``:

    bai, b : bool
        Write a BAI index

    csi, c : bool
        Write a CSI index

    gzi : bool
        Write a GZI index: the offset of each block in the file and in the uncompressed data

    name_index : bool
        Write an index of the names of all records

    min_shift, m : int
        Write a CSI index whose smallest bins have 2^INT bases [default: 14]

    minimizers : bool
        Write an index of the minimizers of FASTA or FASTQ, in deacon's format

    kmer_length : int
        With --minimizers: bases of a k-mer, at most 32 [default: 31]

    minimizer_window : int
        With --minimizers: k-mers of a window, of which one is indexed; K + W must be even and at most 96 [default: 15]

    out, output, o : Path
        Write the index to OUT [default: FILE with the extension of the index]

    temp_dir, tmp_dir : Path
        Folder for temporary files [default: TMPDIR if set, else the folder of the output]

    threads, t : int
        Number of threads [default: all CPUs available to the process]

    strict : bool
        Treat format violations as errors instead of warnings, even if no data are lost

    quiet, q : bool
        Don't print progress, notes, warnings or the summary

    verbose, v : bool
        Report how each input is read: source, container, decoder, threads, kernels

    allow_missing_eof : bool
        Accept a file without an end-of-file block

    memory : str | float
        With --name-index: memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]

    cache_dir : Path
        Cache headers, indexes and regions of remote inputs in DIR between runs

    """

    bai: bool
    b: bool
    csi: bool
    c: bool
    gzi: bool
    name_index: bool
    min_shift: int
    m: int
    minimizers: bool
    kmer_length: int
    minimizer_window: int
    out: Path
    output: Path
    o: Path
    temp_dir: Path
    tmp_dir: Path
    threads: int
    t: int
    strict: bool
    quiet: bool
    q: bool
    verbose: bool
    v: bool
    allow_missing_eof: bool
    memory: str | float
    cache_dir: Path

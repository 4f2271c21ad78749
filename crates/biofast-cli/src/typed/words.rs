//! Commands and options of other programs, and what does the same here: one clause each, printed after `hint:`.

/// Options of fastp, cutadapt and programs for long reads that `filter` doesn't know, and what does the same.
pub(super) const OF_FILTER: &[(&[&str], &str)] = &[
    (&["-n", "--n_base_limit"], "use --max-n N for fastp's -n, --times N for cutadapt's -n"),
    (&["-m"], "use --min-len N for cutadapt's -m, --merge for fastp's -m"),
    (&["--max-ee"], "use --max-expected-errors E"),
    (&["--max-aer"], "use --max-expected-errors-per-base E"),
    (
        &["-y", "-Y", "--low_complexity_filter"],
        "use --min-complexity 30, which is what fastp's -y does",
    ),
    (&["--average_qual"], "use --min-mean-qual Q --mean arithmetic"),
    (
        &["-p"],
        "use --out2 FILE to name the file of second reads (cutadapt's -p), --overrepresentation-analysis for fastp's -p",
    ),
    (
        &["-P", "--overrepresentation_sampling"],
        "leave it out: --overrepresentation-analysis examines all reads (fastp's -P 1)",
    ),
    (
        &["-D", "--dedup", "--dup_calc_accuracy"],
        "use `biofast dedup` before or after `filter` in a pipe",
    ),
    (&["--dont_eval_duplication"], "leave it out: duplication is counted only for --fastp-json"),
    (&["--max_len1", "--max_len2"], "use --keep-first N, or N,M for first and second reads"),
    (
        &[
            "--cut_front_window_size", "--cut_front_mean_quality", "--cut_tail_window_size",
            "--cut_tail_mean_quality", "--cut_right_window_size", "--cut_right_mean_quality",
        ],
        "--cut-window-size and --cut-mean-quality apply to --cut-front, --cut-tail and --cut-right alike",
    ),
    (
        &["--cut_by_quality5", "--cut_by_quality3", "--cut_by_quality_aggressive"],
        "use --cut-front, --cut-tail and --cut-right",
    ),
    (
        &["--filter_by_index1", "--filter_by_index2", "--filter_by_index_threshold"],
        "use `biofast demux --header-barcodes`, which assigns reads by the index in their header lines",
    ),
    (
        &["--phred64"],
        "convert the qualities first: `biofast convert --phred64 FILE | biofast filter - …`",
    ),
    (&["--fix_mgi_id"], "leave it out: names that end in /1 and /2 are recognized"),
    (
        &["--dont_overwrite"],
        "leave it out: outputs never replace inputs and appear only when complete",
    ),
    (&["--report_title"], "leave it out: reports have the command line as title"),
    (&["--split_prefix_digits"], "use `biofast split --digits N`"),
    (&["--overlapped_out"], "use --merge --merged-out FILE to write merged mates"),
    (
        &["--discard_unmerged"],
        "use --merge --merged-out FILE, with --out /dev/null for pairs that can't be merged",
    ),
    (
        &["--min_mean_q", "--min_window_q"],
        "use --min-mean-qual Q with a Phred score (filtlong has percentages)",
    ),
    (&["--mingc", "--maxgc"], "use --min-gc and --max-gc with percentages (chopper has fractions)"),
    (&["--inverse"], "use --rejected FILE to write the reads that are not kept"),
    (&["--info-file"], "use --summary FILE: it counts how often each adapter was found"),
    (&["--cut"], "use --crop-front N and --crop-tail N"),
    (&["--length"], "use --keep-first N for cutadapt's --length, --min-len N for Trim Galore's"),
    (&["--paired"], "leave it out: two files hold the mates of pairs"),
    (&["--stringency"], "use --adapter-min-overlap N"),
    (
        &["--skip-broken"],
        "use `biofast check --repair FILE -o WHOLE --skipped LIST` first: it leaves out broken records, and lists them",
    ),
    (&["--illumina"], "use --adapter truseq"),
    (&["--small_rna"], "use --adapter small-rna"),
    (&["--nextera"], "use --adapter nextera"),
    (&["--stranded_illumina"], "use --adapter ACTGTCTCTTATA"),
    (&["--nextseq", "--2colour"], "use --nextseq-trim Q"),
    (
        &["--clip_R1", "--clip_R2"],
        "use --crop-front N, or N,M for first and second reads (with --preset trim-galore after adapters)",
    ),
    (
        &["--three_prime_clip_R1", "--three_prime_clip_R2"],
        "use --crop-tail N, or N,M for first and second reads (with --preset trim-galore after adapters)",
    ),
    (
        &["--retain_unpaired"],
        "use --unpaired1 FILE and --unpaired2 FILE, which get reads of at least --min-len",
    ),
    (&["-r1", "-r2", "--length_1", "--length_2"], "--min-len also applies to reads without mates"),
    (&["--max_n"], "use --max-n N"),
    (&["--error_rate"], "use --error-rate SHARE"),
    (&["--keep"], "leave it out: there are no files in between"),
    (&["--hardtrim5"], "use --keep-first N"),
    (&["--hardtrim3"], "use `biofast convert --subseq` with the range -N:-1"),
    (&["--polyA"], "use --trim-poly-a, with the rule of cutadapt"),
    (&["--gzip", "--dont_gzip"], "the extension of --out decides, or -O bgzf and -O plain"),
    (&["--output_dir", "--basename"], "name the files with --out FILE and --out2 FILE"),
    (&["--fastqc", "--fastqc_args"], "use `biofast stats --format fastqc` on the output"),
    (&["--no_report_file"], "leave it out: a report is written only for --summary"),
    (&["--suppress_warn"], "use --quiet"),
    (&["--phred33"], "leave it out: qualities have this encoding"),
    (&["--path_to_cutadapt"], "leave it out: biofast trims adapters itself"),
    (&["--implicon", "--clock"], "use --umi WHERE and --umi-len N, with --umi-skip N"),
    (
        &["--consider_already_trimmed"],
        "use --adapter-min-overlap with a larger number, such as 3, if few reads have adapters",
    ),
    (&["--max-average-error-rate"], "use --max-expected-errors-per-base E"),
    (&["--rename", "--prefix", "--suffix"], "use `biofast convert --rename TEMPLATE`"),
    (&["--pair-filter"], "use --pair both for cutadapt's any, --pair any for its both"),
    (&["--poly_g_min_len", "--poly_x_min_len"], "use --trim-poly-g MIN and --trim-poly-x MIN"),
    (
        &["--umi_loc"],
        "use --umi WHERE, which takes read1, read2, per_read, index1, index2 or per_index, too",
    ),
    (
        &["--stdin", "--stdout"],
        "use - for standard input; without --out reads go to standard output",
    ),
    (&["-S", "--split", "--split_by_lines", "-d"], "use `biofast split` to write several files"),
    (
        &["-j", "--cores"],
        "use -@ N to set the number of threads (cutadapt's -j), --fastp-json FILE to write a JSON report (fastp's -j)",
    ),
    (&["-w", "--thread"], "use -@ N to set the number of threads"),
    (&["--min-length"], "use --min-len N"),
    (&["--max-length"], "use --max-len N"),
    (
        &["--trim-front", "--trim-tail", "--head-crop", "--tail-crop"],
        "use --crop-front N and --crop-tail N",
    ),
    (
        &["-t", "--trim_tail1", "--trim_front1", "--trim_front2", "--trim_tail2"],
        "use --crop-front N,M and --crop-tail N,M for first and second reads",
    ),
    (
        &[
            "--disable_adapter_trimming", "--disable_quality_filtering",
            "--disable_length_filtering", "--disable_trim_poly_g", "-L", "-Q",
        ],
        "leave it out: without --preset fastp only what you ask for is done",
    ),
    (
        &["--include_unmerged"],
        "leave out --merged-out: merged reads and other pairs then go to --out together",
    ),
    (&["-z", "--compression"], "use --level LEVEL"),
    (&["--paired-output"], "use --out2 FILE"),
    (&["--untrimmed-output"], "use --discard-untrimmed with --rejected FILE"),
    // chopper
    (
        &["--trim-approach", "--cutoff"],
        "use --crop-front N and --crop-tail N, --quality-cutoff Q,Q for both ends by quality, or --keep-percent P for the best reads",
    ),
    (
        &["--contam"],
        "use --deplete INDEX, with an index that `biofast index --minimizers contaminants.fa -o INDEX` makes",
    ),
    // fastplong
    (
        &["--start_adapter", "--end_adapter"],
        "use --front SEQ for adapters at the start, --adapter SEQ for those at the end, or --adapter-kit KIT for those of Nanopore",
    ),
    (
        &["--distance_threshold", "--trimming_extension"],
        "use --error-rate SHARE for --adapter and --front; --adapter-kit has limits of its own",
    ),
    (&["--mean_qual"], "use --min-mean-qual Q --mean arithmetic"),
    (
        &["--mask", "--mask_window_size", "--mask_mean_quality"],
        "use --mask-below Q, which masks single bases of low quality",
    ),
    (
        &["--break", "--break_window_size", "--break_mean_quality"],
        "biofast can't split reads at low quality; use --mask-below Q, or `fastplong --break`",
    ),
    (&["--n_percent_limit"], "use --max-n-percent P"),
    // AdapterRemoval
    (&["--file1", "--file2"], "name both files as arguments, or use --in1 and --in2"),
    (
        &["--adapter1"],
        "use --adapter SEQ, and --adapter2 SEQ for second reads; pairs that overlap need none with --trim-overlap",
    ),
    (&["--adapter-list"], "use --adapter file:FILE and --adapter2 file:FILE with FASTA files"),
    (&["--identify-adapters"], "use --detect-adapter, which reports the adapters that it finds"),
    (&["--minadapteroverlap"], "use --adapter-min-overlap N"),
    (
        &["--mm"],
        "use --error-rate SHARE or --adapter-match quality for adapters, --overlap-diff-percent-limit P for --merge",
    ),
    (&["--shift"], "leave it out: adapters are found with missing and additional bases"),
    (&["--trim5p", "--trim3p"], "use --crop-front N and --crop-tail N, or N,M for both mates"),
    (&["--maxns"], "use --max-n N"),
    (
        &["--trimqualities", "--minquality"],
        "use --quality-cutoff Q,Q, which trims both ends by running sums",
    ),
    (&["--preserve5p"], "use --quality-cutoff Q, which trims only the 3′ end"),
    (&["--trimwindows"], "use --cut-front and --cut-tail with --cut-window-size N"),
    (
        &["--collapse", "--collapse-deterministic", "--collapse-conservatively"],
        "use --merge --merge-rule best, with --merged-out FILE for merged mates",
    ),
    (&["--minalignmentlength"], "use --overlap-len-require N"),
    (
        &["--outputcollapsed", "--outputcollapsedtruncated"],
        "use --merge --merged-out FILE to write merged mates",
    ),
    (&["--output1", "--output2"], "use --out FILE and --out2 FILE"),
    (&["--singleton"], "use --unpaired1 FILE and --unpaired2 FILE"),
    (&["--discarded"], "use --rejected FILE"),
    (&["--combined-output"], "use --rejected FILE to write the reads that are not kept"),
    (&["--settings"], "use --summary FILE, and --html FILE for a report"),
    (&["--interleaved-input"], "use --interleaved"),
    (&["--interleaved-output"], "use --interleaved-out"),
    (&["--gzip-level", "--bzip2-level"], "use --level LEVEL"),
    (&["--bzip2"], "name the output .bz2, or use -O bzip2"),
    (
        &["--qualitybase", "--qualitybase-output"],
        "convert the qualities first: `biofast convert --phred64 FILE | biofast filter - …`",
    ),
    (&["--qualitymax"], "leave it out: qualities up to 93 are read"),
    (&["--mate-separator"], "use --mates names for other separators than /"),
    (
        &[
            "--barcode-list", "--barcode-mm", "--barcode-mm-r1", "--barcode-mm-r2",
            "--demultiplex-only",
        ],
        "use `biofast demux`, which assigns reads to samples",
    ),
];

/// Commands of samtools, seqkit, Picard and others, and what does the same here.
pub(super) const COMMANDS: &[(&[&str], &str)] = &[
    (
        &["markduplicates", "MarkDuplicates", "UmiAwareMarkDuplicatesWithMateCigar"],
        "`biofast markdup` marks duplicates, `biofast sort --mark-duplicates` also sorts",
    ),
    (&["FixMateInformation"], "`biofast fixmate` fills in mate fields"),
    (
        &["rmdup"],
        "`biofast dedup` removes duplicate reads, `biofast markdup -r` duplicate alignments",
    ),
    (&["bedcov"], "`biofast coverage --prefix PREFIX --by BED` writes the depth of intervals"),
    (&["bamshuf"], "`biofast collate` groups records by name"),
    (&["RevertSam"], "`biofast reset` turns alignments back into unaligned reads"),
    (
        &["ReplaceSamHeader"],
        "`biofast reheader` replaces the header, `biofast rename-contigs` renames contigs",
    ),
    (&["CopyUmiFromReadName"], "`biofast retag --umi-from-name` copies UMIs from names to RX"),
    (&["fqidx"], "`biofast faidx` indexes FASTQ, too; with -f it extracts reads"),
    (&["validate", "ValidateSamFile"], "`biofast check` validates the whole file"),
    (
        &["bam2fq", "bam2fastq", "bamtofastq", "SamToFastq"],
        "`biofast fastq` writes alignments as FASTQ",
    ),
    (&["fasta", "fq2fa"], "`biofast convert --to fasta` writes FASTA"),
    (&["fx2tab", "tab"], "`biofast convert --to table` writes a table"),
    (&["seq", "subseq"], "`biofast convert` edits reads and changes their format"),
    (&["replace", "rename"], "`biofast convert --rename` and `--unique-names` edit names"),
    (&["locate"], "`biofast grep --only-matching` lists matches"),
    (&["sample", "subsample"], "`biofast filter --sample-fraction P` samples reads"),
    (
        &["mergepe", "interleave"],
        "`biofast convert R1 R2 --interleaved-out -o FILE` interleaves mates",
    ),
    (&["pair"], "`biofast repair` re-pairs reads"),
    (&["split2"], "`biofast split` splits reads into several files"),
    (&["trim", "trimmomatic"], "`biofast filter` trims and filters reads"),
    (
        &["trim_galore"],
        "`biofast filter --preset trim-galore` trims and filters reads like Trim Galore",
    ),
    (&["fastp"], "`biofast filter --preset fastp` trims and filters reads like fastp"),
    (
        &["fastplong"],
        "`biofast filter --adapter-kit KIT --min-mean-qual Q` trims and filters long reads",
    ),
    (
        &["AdapterRemoval", "adapterremoval"],
        "`biofast filter` trims adapters (--adapter, --trim-overlap) and merges mates (--merge)",
    ),
    (&["cutadapt"], "`biofast filter --adapter SEQ` trims adapters"),
    (&["nanoq", "chopper", "filtlong"], "`biofast filter` selects long reads"),
    (
        &["umi_tools"],
        "`biofast filter --umi` extracts UMIs, `biofast dedup --compare-umi` removes duplicates by them",
    ),
    (
        &["fastqc", "qc", "fqchk"],
        "`biofast stats --html report.html FILE` writes a report; `biofast stats --format fastqc --out-dir qc FILE` writes FastQC's files",
    ),
    (&["mosdepth"], "`biofast coverage --prefix PREFIX FILE` writes mosdepth's files"),
    (
        &["samtools", "seqkit", "sambamba", "bedtools", "picard"],
        "type the command itself, such as `biofast view`; `biofast --help` lists all commands",
    ),
    (
        &["concat", "concatenate", "zcat", "gunzip"],
        "`biofast cat` concatenates files, `biofast filter FILE` decompresses reads",
    ),
    (&["multiqc"], "MultiQC reads what `biofast stats --out-dir` writes"),
    (&["SortSam"], "`biofast sort` sorts alignments"),
    (
        &["MergeSamFiles", "GatherBamFiles"],
        "`biofast merge` merges sorted files, `biofast cat` concatenates them",
    ),
    (&["BuildBamIndex"], "`biofast index` writes an index"),
    (&["ViewSam", "SamFormatConverter"], "`biofast view` converts between SAM and BAM"),
    (&["FastqToSam"], "`biofast import` writes FASTQ as unaligned BAM"),
    (
        &[
            "CollectMultipleMetrics", "CollectAlignmentSummaryMetrics", "CollectInsertSizeMetrics",
            "CollectGcBiasMetrics", "CollectWgsMetrics", "QualityScoreDistribution",
            "MeanQualityByCycle",
        ],
        "`biofast stats --out-dir DIR --qc picard FILE` writes Picard's metrics",
    ),
    (
        &["CollectHsMetrics", "CollectTargetedPcrMetrics"],
        "`biofast stats --out-dir DIR --qc hs --target-intervals BED FILE` writes CollectHsMetrics' file",
    ),
    (&["bgzip"], "`biofast convert -O bgzf` compresses reads, `biofast view -b` alignments"),
    (
        &[
            "ampliconclip", "ampliconstats", "calmd", "consensus", "cram-size", "depad", "flags",
            "mpileup", "phase", "reference", "targetcut", "tview",
        ],
        "biofast can't do this; use samtools",
    ),
];

/// Options of `samtools view` that `view` doesn't have, and what does the same.
pub(super) const OF_VIEW: &[(&[&str], &str)] = &[
    (
        &["-U", "--unoutput", "--output-unselected"],
        "`biofast filter -U FILE` also writes the records that aren't selected",
    ),
    (&["-l", "--library"], "-e 'library==\"NAME\"' selects records by library"),
    (&["-m", "--min-qlen"], "-e 'qlen>=INT' selects records by the length of their alignment"),
    (&["-S"], "leave it out: formats are detected from content"),
    (&["-C", "--cram"], "-O cram writes CRAM"),
    (&["-1", "--fast"], "--level fast compresses quickly"),
    (&["-x", "--remove-tag", "--keep-tag"], "`biofast retag` drops tags, with the same options"),
    (&["-X", "--customized-index"], "leave it out: the index beside the file is used"),
    (
        &["-P", "--fetch-pairs"],
        "biofast can't fetch mates from outside a region; use `samtools view -P`",
    ),
    (
        &[
            "-B", "--remove-B", "-z", "--sanitize", "-p", "--unmap", "--add-flags",
            "--remove-flags", "-t", "--fai-reference",
        ],
        "biofast can't do this; use `samtools view`",
    ),
];

/// Options of `seqkit stats` that `stats` doesn't know.
pub(super) const OF_STATS: &[(&[&str], &str)] = &[
    (&["-a", "--all"], "leave it out: every statistic is always computed"),
    (&["-j"], "-@ N sets the number of threads"),
];

/// Options of `samtools merge` that `merge` doesn't know.
pub(super) const OF_MERGE: &[(&[&str], &str)] = &[
    (&["-f"], "leave it out: outputs replace existing files, but never inputs"),
    (&["-1"], "use --level 1"),
];

/// Options of mosdepth that `coverage` doesn't know.
pub(super) const OF_COVERAGE: &[(&[&str], &str)] =
    &[(&["-d", "--d4"], "biofast can't write D4; per-base depths are BED (--prefix)")];

/// What others call options of `sort`.
pub(super) const OF_SORT: &[(&[&str], &str)] =
    &[(&["--markdup", "--mark_duplicates", "--markduplicates"], "use --mark-duplicates")];

/// Options of `samtools fixmate` that `fixmate` doesn't know.
pub(super) const OF_FIXMATE: &[(&[&str], &str)] = &[(
    &["-M"],
    "biofast can't trim base modification tags: let the aligner soft-clip (-Y of bwa mem and minimap2)",
)];

/// Options that other commands have and `split` doesn't.
pub(super) const OF_SPLIT: &[(&[&str], &str)] =
    &[(&["--write-index"], "index the files that were written: `biofast index FILE`")];

/// Options of `samtools collate` that `collate` doesn't know.
pub(super) const OF_COLLATE: &[(&[&str], &str)] = &[
    (
        &["-f", "-r"],
        "leave it out: all records are kept; to write the primary ones alone start with `biofast view -b -F SECONDARY,SUPPLEMENTARY`",
    ),
    (&["-n"], "leave it out: temporary files are written only beyond --memory"),
];

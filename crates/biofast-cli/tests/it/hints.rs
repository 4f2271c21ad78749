//! Errors that newcomers meet name what is wrong and what to do next.

use std::process::Stdio;

use crate::common::{Folder, biofast, command, fails, finish, ok, reads, sample, text};

/// Runs, and expects an error and a hint that say this.
fn expect(args: &[&str], needed: &[&str]) {
    let run = fails(args, needed);
    assert_eq!(run.stderr.matches(": hint: ").count(), 1, "{args:?}: {}", run.stderr);
}

#[test]
fn errors_say_what_to_do_next() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let first = folder.file("lane1_R1.fastq", reads("r", 60));
    let other = folder.file("lane1_R2.fastq", reads("s", 60));
    let short = folder.file("short.fastq", reads("r", 50));
    let fasta = folder.file("genome.fa", ">chr1\nACGT\n");
    let bgzf = std::fs::read(sample("sample_R1.fq.bgz")).unwrap();
    let cut = folder.file("cut.fq.gz", &bgzf[..bgzf.len() / 2]);
    let mut flipped = bgzf.clone();
    flipped[5000] ^= 4;
    let flipped = folder.file("flipped.fq.gz", flipped);
    let bam = at("a.bam");
    let sam =
        "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:900\nr\t0\tchr1\t5\t9\t1M\t*\t0\t0\tA\tI\n";
    let sam = folder.file("a.sam", sam);
    ok(&["view", "-b", &sam, "-o", &bam]);

    let wrong = at("lane1_R1.fq");
    for command in ["stats", "filter", "check"] {
        expect(&[command, &wrong], &["No such file", "hint: did you mean ", "lane1_R1.fastq?"]);
    }
    let archive = folder.file("lane1.tar", {
        let mut block = vec![0; 1024];
        block[..7].copy_from_slice(b"a.fastq");
        block[257..262].copy_from_slice(b"ustar");
        block
    });
    let page = folder.file("lane1.fastq.gz", "<!DOCTYPE HTML>\n<html>404</html>\n");
    for (file, what) in [(&archive, "tar -xf"), (&page, "the download failed")] {
        for command in ["stats", "filter"] {
            expect(&[command, file], &["not FASTQ", what]);
        }
    }
    let report = at("no/such/folder/1.txt");
    for args in [["filter", &first, "-o", &report], ["stats", &first, "--html", &report]] {
        expect(&args, &["can't write", "hint: create the folder first", "mkdir -p"]);
    }
    expect(&["filter", &first, "-o", &text(&folder.path(""))], &["name a file in it"]);
    expect(
        &["index", &sam],
        &["expected BAM, found SAM", &format!("sort {sam} -o "), ".bam --write-index"],
    );
    expect(&["stats", "--paired", &first], &["an even number of files", "--interleaved"]);
    expect(
        &["shards", "--number", "2", &sam],
        &["can't start reading in the middle of SAM", "biofast view -b"],
    );
    expect(
        &["index", "--name-index", &fasta],
        &["can't start reading in the middle of FASTA", "four lines"],
    );
    expect(&["shards", "--number", "2", &first, &short], &["reads, but", "biofast repair"]);
    // A name that promises what isn't written.
    for (args, needed) in [
        (["filter", &first, "-o", &at("1.fq.xz")], "name it .gz (BGZF), .zst or .bz2"),
        (["filter", &first, "-o", &at("1.bam")], "biofast import"),
        (["filter", &bam, "-o", &at("1.fq.gz")], "biofast fastq"),
        (["fastq", &bam, "-o", &at("1.fq.xz")], "name it .gz (BGZF), .zst or .bz2"),
        (["convert", &bam, "-o", &at("1.sam")], "to convert reads to BAM use `biofast import`"),
        (["cat", &bam, "-o", &at("1.cram")], "name it .bam"),
        (["cat", &bam, "-o", &at("1.zip")], "named .gz or .bgz (BGZF), .zst or .bz2"),
        (["convert", &first, "-o", &at("1.zip")], "biofast doesn't write .zip files"),
        (["filter", &bam, "-o", &at("1.bam.lz4")], "biofast doesn't write .lz4 files"),
        (["depth", &bam, "-o", &at("1.tgz")], "biofast doesn't write .tgz files"),
        (["cat", &bam, "-o", &at("1.fastq")], "name the output .bam"),
        (["cat", &first, "-o", &at("1.bam")], "biofast import"),
    ] {
        fails(&args, &[needed]);
        assert!(!std::path::Path::new(args[3]).exists(), "{args:?}");
    }
    expect(&["flagstat", &at("nothing-like-it")], &["hint: check the path"]);
    expect(&["stats", &text(&folder.path(""))], &["directory", "name the files in it"]);
    expect(&["filter", &cut], &["truncated", "download the file again", "biofast check"]);
    expect(&["stats", &cut], &["truncated", "download the file again", "biofast check"]);
    expect(&["filter", &flipped], &["record", "hint: the file is damaged"]);
    expect(&["filter", &fasta], &["FASTA", "has none", "`convert`", "--quality 40"]);
    expect(&["filter", &first, &other], &["different names", "from the same run"]);
    expect(&["filter", &first, &short], &["has no mate", "filter both files together"]);
    expect(&["view", &bam, "1:1-5"], &["no reference is named '1'", "biofast view -H"]);
    let no_eof = folder.file("no_eof.bam", {
        let bytes = std::fs::read(&bam).unwrap();
        bytes[..bytes.len() - 28].to_vec()
    });
    expect(&["flagstat", &no_eof], &["end-of-file block is missing", "--allow-missing-eof"]);
    let remains = |name: &str, bytes: &[u8]| folder.file(name, bytes);
    expect(&["stats", &remains("e.fq.gz", b"")], &["is empty", "hint: check whether the command"]);
    let appended = [&bgzf[..], b"junk"].concat();
    expect(
        &["stats", &remains("j.fq.gz", &appended)],
        &["garbage after the end", "hint: the file is damaged"],
    );
    for (record, wrong) in [
        ("@a\nACGT\n+\nIII\n@b\nA\n+\nI\n", "expected 4 quality characters"),
        ("@a\nACGT\nIIII\n@b\nA\n+\nI\n", "starting with '+'"),
        ("@a\nACGT\n+b\nIIII\n", "repeat the header"),
    ] {
        let file = remains("record.fq", record.as_bytes());
        expect(
            &["stats", &file],
            &["record 1, line ", wrong, "hint: a line of this record was cut"],
        );
    }
    let file = remains("bases.fq", b"@a\nAC!T\n+\nIIII\n");
    expect(&["stats", &file], &["line 2", "'!' in column 3", "hint: the file is damaged"]);
    let line = b"@SQ\tSN:c\tLN:9\nr\t0\tc\tx\t9\t1M\t*\t0\t0\tA\tI\n";
    expect(
        &["flagstat", &remains("l.sam", line)],
        &["line 2", "(POS)", "hint: the line may have been cut or edited"],
    );
    expect(
        &["flagstat", &remains("r.bin", b"\x88O\xf5")],
        &["expected BAM, SAM or CRAM", "`biofast check`"],
    );
    if !cfg!(feature = "remote") {
        let address = "https://example.org/r.fq.gz";
        expect(&["stats", address], &["feature 'remote' is off", "--features remote"]);
    }
    // Both mates have the error of their pair, and it is said once.
    let run = biofast(&["stats", "--paired", &first, &other]);
    assert_eq!(run.stderr.matches("have different names").count(), 1, "{}", run.stderr);
    assert_eq!(run.stdout.matches("ERROR, see the message").count(), 2, "{}", run.stdout);
    // What clap says has its own advice.
    for threads in ["0", "1025", "18446744073709551616", "many"] {
        fails(&["stats", "-@", threads, &first], &["a number from 1 to 1024"]);
    }
    fails(&["stats", "--jsn", &first], &["did you mean '--json'?"]);
    // A good run gives no advice, and a quiet one none either.
    assert_eq!(biofast(&["stats", &first]).stderr, "");
    assert!(!biofast(&["stats", "-q", &wrong]).stderr.contains("hint"));
}

/// Every option that `fastp --help` of 0.23 lists.
const OF_FASTP: &[&str] = &[
    "--adapter_fasta", "--adapter_sequence", "--adapter_sequence_r2", "--average_qual",
    "--complexity_threshold", "--compression", "--correction", "--cut_by_quality3",
    "--cut_by_quality5", "--cut_by_quality_aggressive", "--cut_front", "--cut_front_mean_quality",
    "--cut_front_window_size", "--cut_mean_quality", "--cut_right", "--cut_right_mean_quality",
    "--cut_right_window_size", "--cut_tail", "--cut_tail_mean_quality", "--cut_tail_window_size",
    "--cut_window_size", "--dedup", "--detect_adapter_for_pe", "--disable_adapter_trimming",
    "--disable_length_filtering", "--disable_quality_filtering", "--disable_trim_poly_g",
    "--discard_unmerged", "--dont_eval_duplication", "--dont_overwrite", "--dup_calc_accuracy",
    "--failed_out", "--filter_by_index1", "--filter_by_index2", "--filter_by_index_threshold",
    "--fix_mgi_id", "--html", "--in1", "--in2", "--include_unmerged", "--interleaved_in", "--json",
    "--length_limit", "--length_required", "--low_complexity_filter", "--max_len1", "--max_len2",
    "--merge", "--merged_out", "--n_base_limit", "--out1", "--out2", "--overlap_diff_limit",
    "--overlap_diff_percent_limit", "--overlap_len_require", "--overlapped_out",
    "--overrepresentation_analysis", "--overrepresentation_sampling", "--phred64",
    "--poly_g_min_len", "--poly_x_min_len", "--qualified_quality_phred", "--reads_to_process",
    "--report_title", "--split", "--split_by_lines", "--split_prefix_digits", "--stdin",
    "--stdout", "--thread", "--trim_front1", "--trim_front2", "--trim_poly_g", "--trim_poly_x",
    "--trim_tail1", "--trim_tail2", "--umi", "--umi_len", "--umi_loc", "--umi_prefix",
    "--umi_skip", "--unpaired1", "--unpaired2", "--unqualified_percent_limit", "--verbose",
];

/// Options of chopper, nanoq and cutadapt that filter reads.
const OF_OTHERS: &[&str] = &[
    "--quality", "--maxqual", "--minlength", "--maxlength", "--headcrop", "--tailcrop", "--mingc",
    "--maxgc", "--inverse", "--threads", "--input", "--min-len", "--max-len", "--min-qual",
    "--max-qual", "--min_length", "--max_length", "--keep_percent", "--target_bases",
    "--min_mean_q", "--min_window_q", "--window_size", "--minimum-length", "--maximum-length",
    "--max-n", "--max-expected-errors", "--max-average-error-rate", "--times", "--overlap",
    "--error-rate", "--no-indels", "--discard-trimmed", "--discard-untrimmed",
    "--untrimmed-output", "--cores", "--cut", "--length", "--nextseq-trim", "--poly-a", "--trim-n",
    "--info-file", "--rename", "--pair-filter", "--revcomp",
];

/// Options of chopper, fastplong and AdapterRemoval.
const OF_MORE: &[&str] = &[
    "--contam", "--trim-approach", "--cutoff", "--start_adapter", "--end_adapter",
    "--adapter_fasta", "--distance_threshold", "--trimming_extension", "--mean_qual", "--mask",
    "--mask_window_size", "--mask_mean_quality", "--break", "--break_window_size",
    "--break_mean_quality", "--n_percent_limit", "--failed_out", "--cut_mean_quality",
    "--qualified_quality_phred", "--unqualified_percent_limit", "--length_required",
    "--length_limit", "--complexity_threshold", "--file1", "--file2", "--identify-adapters",
    "--qualitybase", "--qualitybase-output", "--qualitymax", "--mate-separator", "--interleaved",
    "--interleaved-input", "--interleaved-output", "--combined-output", "--basename", "--settings",
    "--output1", "--output2", "--singleton", "--outputcollapsed", "--outputcollapsedtruncated",
    "--discarded", "--gzip", "--gzip-level", "--bzip2", "--bzip2-level", "--adapter1",
    "--adapter2", "--adapter-list", "--minadapteroverlap", "--mm", "--shift", "--trim5p",
    "--trim3p", "--trimns", "--maxns", "--trimqualities", "--trimwindows", "--minquality",
    "--preserve5p", "--minlength", "--minalignmentlength", "--collapse",
    "--collapse-deterministic", "--collapse-conservatively", "--seed", "--barcode-list",
    "--barcode-mm", "--barcode-mm-r1", "--barcode-mm-r2", "--demultiplex-only",
];

/// Options of Trim Galore that cut reads, keep them or name outputs.
const OF_TRIM_GALORE: &[&str] = &[
    "--quality", "--phred33", "--phred64", "--fastqc", "--fastqc_args", "--adapter", "--adapter2",
    "--illumina", "--stranded_illumina", "--nextera", "--small_rna", "--consider_already_trimmed",
    "--max_length", "--stringency", "--gzip", "--dont_gzip", "--length", "--max_n", "--output_dir",
    "--no_report_file", "--suppress_warn", "--clip_R1", "--clip_R2", "--three_prime_clip_R1",
    "--three_prime_clip_R2", "--2colour", "--nextseq", "--path_to_cutadapt", "--basename",
    "--cores", "--hardtrim5", "--hardtrim3", "--clock", "--polyA", "--implicon", "--rrbs",
    "--non_directional", "--paired", "--retain_unpaired", "--length_1", "--length_2",
    "--error_rate", "--keep",
];

/// Each is accepted, or answered with what does the same here; that a value is missing or wrong is an answer, too.
#[test]
fn options_of_other_programs_are_accepted_or_answered() {
    let folder = Folder::new();
    let reads = folder.file("r.fq", "@r\nACGTACGTAC\n+\nIIIIIIIIII\n");
    let out = text(&folder.path("o.fq"));
    let help: String = ["filter", "convert", "split", "demux", "dedup", "stats"]
        .map(|command| biofast(&[command, "--help"]).stdout)
        .concat();
    let mut answered = 0;
    for option in OF_FASTP.iter().chain(OF_OTHERS).chain(OF_TRIM_GALORE).chain(OF_MORE) {
        // Some take "5" for a file to be written.
        let mut typed = command(&["filter", "--quiet", &reads, "--out", &out, option, "5"]);
        typed.current_dir(folder.path(""));
        let run = finish(typed);
        if !run.stderr.contains(&format!("unknown option '{option}'")) {
            continue;
        }
        let hint = run.stderr.lines().find(|line| line.contains(": hint: "));
        let hint = hint.unwrap_or_else(|| panic!("{option}: {}", run.stderr));
        assert!(!hint.contains("lists all options"), "{option}: {hint}");
        answered += 1;
        // What the hint names is there, or the other program's.
        for word in hint.split([' ', ',']) {
            let word =
                word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
            let is_theirs = [OF_FASTP, OF_OTHERS, OF_MORE].iter().any(|all| all.contains(&word));
            if word.starts_with("--") && !is_theirs {
                assert!(help.contains(word), "{option}: {word} in {hint}");
            }
        }
    }
    assert!(answered > 30, "{answered}");
}

#[test]
fn values_that_can_not_be_read_are_told_in_plain_words() {
    let folder = Folder::new();
    let file = folder.file("r.fq", "@r\nACGT\n+\nIIII\n");
    let random: Vec<u8> = (0..400u32).map(|i| (i * 151 + 7) as u8 | 0x81).collect();
    let binary = folder.file("random.bin", random);
    for (args, needed) in [
        (
            &["filter", "--min-len", "x", &file][..],
            "invalid value 'x' for '--min-len <N>': expected a whole number\n",
        ),
        (
            &["filter", "--min-len", "99999999999999999999999", &file],
            "for '--min-len <N>': the number is too large\n",
        ),
        (
            &["filter", "--min-len", "-5", &file],
            "'-5' looks like an option\nbiofast filter: hint: if this is the value, write --min-len=-5\n",
        ),
        (&["filter", "--min-gc", "x", &file], "expected a number\n"),
    ] {
        fails(args, &[needed]);
    }
    let run = biofast(&["stats", &binary]);
    assert_eq!(run.code, 2);
    // A start of it, and what to do.
    assert!(run.stderr.lines().all(|line| line.len() < 300), "{}", run.stderr);
    assert!(run.stderr.contains("hint: this is neither FASTQ, FASTA, BAM"), "{}", run.stderr);
    let run = biofast(&["stats", "--sample", "a", "--sample", "b", &file]);
    assert!(run.stderr.contains("got 2 sample names for 1 input: give"), "{}", run.stderr);
}

#[test]
fn errors_of_records_have_their_number_and_place() {
    let folder = Folder::new();
    let sam: String =
        (0..50).map(|i| format!("r{i}\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n")).collect();
    let sam = folder.file(
        "q.sam",
        format!("@HD\tVN:1.6\tGO:query\n{sam}badq\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIqI\n"),
    );
    let bam = text(&folder.path("q.bam"));
    ok(&["view", "-b", &sam, "-o", &bam]);
    // A quality that no character stands for, in the last record.
    let mut bytes = Vec::new();
    let source = biofast_io::Source::open(&bam).unwrap();
    let mut reader = biofast_io::Reader::new(source, &biofast_io::Options::default()).unwrap();
    std::io::Read::read_to_end(&mut reader, &mut bytes).unwrap();
    let at = bytes.len() - 2;
    assert_eq!(bytes[at], b'q' - 33);
    bytes[at] = 99;
    let bam = folder.file("q.bam", biofast_testkit::container::bgzf(&bytes, 1000));
    for args in [&["view", &bam][..], &["filter", "--quiet", &bam], &["fastq", "--quiet", &bam]] {
        fails(args, &["q.bam: record 51, byte ", ", compressed byte ", "'badq'"]);
    }
    // Lines of a table are lines of the table.
    let good: String = (0..100).map(|i| format!("r{i}\tACGT\tIIII\n")).collect();
    for bad in ["bad\tACGT\tIII\n", "bad\tACGT\tII\u{7f}I\n"] {
        let table = folder.file("t.tsv", format!("{good}{bad}"));
        fails(&["convert", "-q", "--from", "table", &table], &["t.tsv: line 101: "]);
    }
}

#[test]
fn references_are_looked_for_even_if_nothing_needs_them() {
    let folder = Folder::new();
    let fastq = folder.file("e.fq", "@a\nAC\n+\nII\n");
    let fasta = folder.file("a.fa", ">a\nAC\n");
    for args in [
        &["check", "--reference", "nosuchfile", &fastq][..],
        &["convert", "-q", "--reference", "nosuchfile", &fasta],
        &["stats", "-r", "nosuchfile", &fastq],
        &["sort", "--reference", "nosuchfile", "--key", "length", &fastq],
    ] {
        fails(args, &["nosuchfile: can't read the reference"]);
    }
}

#[test]
fn what_is_empty_is_what_its_name_says() {
    let folder = Folder::new();
    let (fasta, fastq) = (folder.file("e.fa", ""), folder.file("e.fq", ""));
    let out = text(&folder.path("o.fa"));
    for args in [
        &["dedup", "-q", &fasta, "-o", &out][..],
        &["sort", "-q", "-n", &fasta, "-o", &out],
        &["sort", "-q", "-n", &fastq],
        &["shuffle", "-q", &fasta, "-o", &out],
    ] {
        let run = biofast(args);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cant_be_printed_is_an_error() {
    for args in [
        &["--version"][..],
        &["--help"],
        &["view", "--help"],
        &["help"],
        &["completions", "bash"],
        &["man"],
        &["schema"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let run = command(args).stdout(full).output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{args:?}: {said}");
        assert!(
            said.starts_with("biofast") && said.contains(": error: can't write standard output: "),
            "{args:?}: {said}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_have_one_spelling() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let of = |name: &[u8]| folder.path("").join(OsStr::from_bytes(name));
    let (input, output) = (of(b"b\xff.fq"), of(b"o\xfe\n.fq"));
    std::fs::write(&input, "@a\nAC\n+\nII\n").unwrap();
    let summary = text(&folder.path("s.json"));
    let mut filter = command(&["filter", "--quiet", "--summary", &summary, "-o"]);
    assert!(filter.arg(&output).arg(&input).status().unwrap().success());
    let json = std::fs::read_to_string(&summary).unwrap();
    assert!(!json.contains('\u{fffd}'), "{json}");
    assert!(json.contains(r"b\\xff.fq") && json.contains(r"o\\xfe\\n.fq"), "{json}");
    let run = biofast(&["check", "--against", &summary]);
    assert_eq!((run.code, run.stdout.matches("\tok\t").count()), (0, 2), "{run:?}");
    assert!(run.stdout.contains(r"b\xff.fq") && run.stdout.contains(r"o\xfe\n.fq"), "{run:?}");
    // What is wrong is said of the same name.
    std::fs::write(&output, "@a\nAG\n+\nII\n").unwrap();
    let run = biofast(&["check", "--against", &summary]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains(r"o\xfe\n.fq"), "{run:?}");
}

/// Words of samtools and its like are answered in the first line of the message.
#[test]
fn commands_and_options_of_samtools_are_answered() {
    let folder = Folder::new();
    let sam = folder.file("a.sam", "@HD\tVN:1.6\nr\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n");
    for (words, answer) in [
        (&["markduplicates"][..], "`biofast markdup`"),
        (&["bamshuf"], "`biofast collate`"),
        (&["fqidx"], "`biofast faidx`"),
        (&["validate"], "`biofast check`"),
        (&["mpileup"], "use samtools"),
        (&["reads.fq.gz"], "did you mean `biofast stats reads.fq.gz`"),
        (&["stats", "-a"], "leave it out"),
        (&["fq2fa"], "`biofast convert --to fasta`"),
        (&["view", "-U", "names"], "`biofast filter -U FILE`"),
        (&["view", "-bS"], "formats are detected from content"),
        (&["view", "-C"], "-O cram writes CRAM"),
        (&["fixmate", "-M"], "let the aligner soft-clip"),
        (&["collate", "-f"], "all records are kept"),
        (&["split", "--by", "RG", "-o", "{value}.bam", "--write-index"], "`biofast index FILE`"),
    ] {
        let mut words = words.to_vec();
        words.push(&sam);
        let run = biofast(&words);
        assert_eq!(run.code, 2, "{words:?}: {}", run.stderr);
        let hint = run.stderr.lines().nth(1).unwrap_or_default();
        assert!(
            hint.starts_with("biofast") && hint.contains(": hint: "),
            "{words:?}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(answer), "{words:?}: {}", run.stderr);
    }
    // A slip of the finger still gets the nearest command.
    assert!(biofast(&["veiw", &sam]).stderr.contains("did you mean 'view'?"));
}

#[test]
fn names_and_numbers_that_promise_something_else_are_refused_or_told() {
    let folder = Folder::new();
    folder.file("r.fq", "@a\nACGT\n+\nIIII\n");
    folder.file(
        "a.sam",
        "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:9\na\t0\tc\t1\t9\t4M\t*\t0\t0\tACGT\tIIII\n",
    );
    folder.file("none.bed", "# nothing\n");
    folder.file("far.bed", "chrc\t0\t5\nchrd\t0\t5\n");
    folder.file("empty.bed", "c\t0\t5\nc\t5\t5\n\nc\t7\t7\n");
    let run = |words: &[&str]| crate::common::run_in(&folder, words);
    for (words, expected) in [
        (&["convert", "r.fq", "-o", "x.csv"][..], "would hold reads, but its extension is .csv"),
        (&["stats", "r.fq", "-o", "x.html"], "would hold a text report"),
        (&["sort", "a.sam", "-o", "x.txt"], "would hold BAM, but its extension is .txt"),
        (&["view", "a.sam", "-o", "x.json"], "would hold alignments"),
        (&["filter", "r.fq", "--min-len", "9", "--max-len", "5"], "no read could be kept"),
        (&["filter", "--cut-tail", "20", "r.fq"], "use --cut-mean-quality 20"),
        (&["sort", "a.sam", "out"], "name the output with -o: -o out"),
        (&["sort", "a.sam", "--write-index", "csi", "-o", "x.bam"], "write --write-index=csi"),
        (&["sort", "-r", "a.sam"], "for descending order use --reverse"),
        (&["help", "frobnicate"], "`biofast --help` lists all commands"),
        (&["fastq", "a.sam", "o.fq"], "name the output with -o: -o o.fq"),
        (&["filter", "-O", "5", "r.fq"], "--adapter-min-overlap 5"),
        (
            &["coverage", "--quiet", "--by", "far.bed", "--prefix", "p", "a.sam"],
            "far.bed: none of the 2 intervals is on a reference of a.sam; is the file for another assembly",
        ),
        (&["stats", "a.sam", "--by", "far.bed", "--out-dir", "qc"], "none of the 2 intervals"),
    ] {
        crate::common::assert_error(&run(words), &[expected]);
    }
    for (words, expected) in [
        (&["view", "-c", "-L", "none.bed", "a.sam"][..], "the BED file has no intervals"),
        (
            &["coverage", "--by", "none.bed", "--prefix", "p", "a.sam"],
            "the BED file has no intervals",
        ),
        (&["view", "-c", "-L", "empty.bed", "a.sam"], "2 intervals have length 0"),
        (
            &["coverage", "--by", "empty.bed", "--prefix", "e", "a.sam"],
            "empty.bed: 2 intervals have length 0, the first one on line 2",
        ),
        (&["stats", "r.fq", "r.fq"], "r.fq is named more than once"),
        (&["merge", "a.sam", "a.sam", "-o", "m.bam"], "a.sam is named more than once"),
        (&["grep", "-p", "^a.*", "r.fq"], "use -r if the pattern is a regular expression"),
    ] {
        let run = run(words);
        assert!(run.code == 0 && run.stderr.contains(expected), "{words:?}: {run:?}");
    }
}

#[test]
fn slips_of_habit_get_what_is_meant() {
    let folder = Folder::new();
    folder.file("x_R1.fq", "@a\nACGT\n+\nIIII\n@b\nACGT\n+\nIIII\n");
    folder.file("x_R2.fq", "@a\nACGT\n+\nIIII\n");
    folder.file("solexa.fq", "@a\nACGTACGTAC\n+\n;=hhhhhhhh\n".repeat(300));
    folder.file("c.fa", ">c\nACGTACGTA\n");
    folder.file("a.sam", "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:9\n");
    folder.file("r.bed", "c\t0\t5\n");
    let run = |words: &[&str]| crate::common::run_in(&folder, words);
    for (words, expected) in [
        (&["stats", "x_R1.fq", "-o", "x.json"][..], "add --json, or choose another extension"),
        (&["flagstat", "a.sam", "-o", "x.json"], "add -O json, or choose another extension"),
        (&["stats", "absent.fq"], "absent.fq: No such file or directory\n"),
        (&["sort", "I=a.sam", "O=b.bam"], "no arguments of the form NAME=VALUE"),
        (&["sort", "-m", "2", "a.sam"], "a memory size needs a unit: 2M or 2G?"),
        (&["view", "-f", "PARIED", "a.sam"], "did you mean PAIRED?"),
        (&["view", "a.sam", "c:1k-2k"], "'1k' is not a position: write all digits"),
        (&["view", "a.sam", "c,d"], "separate several regions by spaces"),
        (&["view", "a.sam", "r.bed"], "a BED file is given with -L"),
        (&["stats", "-@", "-1", "x_R1.fq"], "unexpected argument '-1'"),
        (&["coverage", "-T", "10x", "a.sam"], "write numbers without x: 10"),
        (&["index", "c.fa"], "use `biofast faidx c.fa`"),
    ] {
        crate::common::assert_error(&run(words), &[expected]);
    }
    for (words, expected) in [
        (&["check", "x_R1.fq", "x_R2.fq"][..], "add --paired"),
        (&["stats", "solexa.fq"], "`seqkit convert --from Solexa solexa.fq -o fixed.fq`"),
    ] {
        let run = run(words);
        assert!(run.code == 0 && run.stderr.contains(expected), "{words:?}: {run:?}");
    }
}

#[test]
fn a_reference_that_most_bases_differ_from_is_doubted() {
    let folder = Folder::new();
    let line =
        "a\t0\tc\t1\t60\t50M\t*\t0\t0\tACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTAC\tQUAL\n";
    let line = line.replace("QUAL", &"I".repeat(50));
    let header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:60\n";
    folder.file("a.sam", format!("{header}{}", line.repeat(50)));
    folder.file("right.fa", format!(">c\n{}\n", "ACGT".repeat(15)));
    folder.file("wrong.fa", format!(">c\n{}\n", "CAAA".repeat(15)));
    let doubt = "of the aligned bases differ from the reference";
    for words in [
        &["stats", "a.sam", "--format", "samtools"][..],
        &["stats", "a.sam", "--out-dir", "qc", "--qc", "picard"],
    ] {
        for (reference, is_doubted) in [("right.fa", false), ("wrong.fa", true)] {
            let run =
                crate::common::run_in(&folder, &[words, &["--reference", reference]].concat());
            assert_eq!(
                (run.code, run.stderr.contains(doubt)),
                (0, is_doubted),
                "{words:?}: {run:?}"
            );
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn plain_output_to_a_name_that_promises_compression_is_told() {
    let folder = Folder::new();
    let reads = folder.file("r.fq", "@a\nACGT\n+\nIIII\n");
    for (name, is_told) in [("x.fq.gz", true), ("x.bam", true), ("x.fq", false)] {
        let file = std::fs::File::create(folder.path(name)).unwrap();
        let child = command(&["filter", &reads]).stdout(file).stderr(Stdio::piped()).spawn();
        let run = child.unwrap().wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.success(), "{stderr}");
        assert_eq!(stderr.contains(&format!("use -o {name} in place of >")), is_told, "{stderr}");
    }
}

//! Options of other programs, as fingers type them: what they are called here.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Options of fastp, cutadapt and programs for long reads that `filter` doesn't know, and what does the same.
const OF_FILTER: &[(&[&str], &str)] = &[
    (&["-n", "--n_base_limit"], "--max-n is fastp's -n, --times cutadapt's"),
    (&["-m"], "--min-len is cutadapt's -m, --merge fastp's"),
    (&["--max-ee"], "--max-expected-errors is cutadapt's --max-ee"),
    (&["--max-aer"], "--max-expected-errors-per-base is cutadapt's --max-aer"),
    (&["--trim-n"], "nothing in biofast trims Ns at ends; use `cutadapt --trim-n`"),
    (&["-y", "-Y", "--low_complexity_filter"], "--min-complexity 30 is what fastp's -y stands for"),
    (&["--average_qual"], "--min-mean-qual Q --mean arithmetic is fastp's --average_qual"),
    (
        &["-p", "-P", "--overrepresentation_sampling"],
        "--overrepresentation-analysis is fastp's -p, and looks at all reads (-P 1); `biofast stats --format fastqc` lists whole reads",
    ),
    (
        &["-D", "--dedup", "--dup_calc_accuracy"],
        "`biofast dedup` leaves out duplicates, exactly; of what is filtered behind a pipe",
    ),
    (&["--dont_eval_duplication"], "duplication is counted for --fastp-json alone"),
    (
        &["--max_len1", "--max_len2"],
        "--keep-first N, or N,M for first and second reads, is fastp's --max_len1",
    ),
    (
        &[
            "--cut_front_window_size",
            "--cut_front_mean_quality",
            "--cut_tail_window_size",
            "--cut_tail_mean_quality",
            "--cut_right_window_size",
            "--cut_right_mean_quality",
        ],
        "--cut-window-size and --cut-mean-quality are for all of --cut-front, --cut-tail and --cut-right",
    ),
    (
        &["--cut_by_quality5", "--cut_by_quality3", "--cut_by_quality_aggressive"],
        "--cut-front, --cut-tail and --cut-right are what fastp calls so today",
    ),
    (
        &["--filter_by_index1", "--filter_by_index2", "--filter_by_index_threshold"],
        "`biofast demux --header-barcodes` tells reads apart by the index in their headers",
    ),
    (
        &["--phred64"],
        "`biofast convert --phred64` makes Phred + 33 of it, and can be the start of a pipe",
    ),
    (&["--fix_mgi_id"], "names are left as they are: ends /1 and /2 are known"),
    (
        &["--dont_overwrite"],
        "no output takes the place of an input, and none appears before it is complete",
    ),
    (&["--report_title"], "reports have the command line for a title"),
    (&["--split_prefix_digits"], "`biofast split --digits` writes several files"),
    (
        &["--overlapped_out"],
        "--merge --merged-out FILE writes reads of mates that lie on each other",
    ),
    (&["--discard_unmerged"], "--merge --merged-out FILE with --out /dev/null for the others"),
    (
        &["--min_mean_q", "--min_window_q"],
        "filtlong's qualities are percentages: --min-mean-qual takes a Phred score",
    ),
    (&["--mingc", "--maxgc"], "--min-gc and --max-gc take percentages, chopper's shares"),
    (&["--inverse"], "--rejected FILE gets the reads that are not kept"),
    (&["--info-file"], "--json has how often each adapter was found"),
    (&["--nextseq-trim"], "--trim-poly-g cuts runs of G, and --cut-tail bad ends"),
    (&["--cut"], "--crop-front N and --crop-tail N are cutadapt's --cut"),
    (&["--length"], "--keep-first N is cutadapt's --length"),
    (
        &["--max-average-error-rate"],
        "--max-expected-errors-per-base is cutadapt's --max-average-error-rate",
    ),
    (&["--rename", "--prefix", "--suffix"], "`biofast convert --rename` makes names by a template"),
    (&["--pair-filter"], "--pair both is cutadapt's any, --pair any its both"),
    (&["--revcomp", "--rc"], "adapters are looked for on the strand that was read"),
    (&["--poly_g_min_len", "--poly_x_min_len"], "--trim-poly-g MIN and --trim-poly-x MIN"),
    (
        &["--umi_loc"],
        "--umi is fastp's --umi_loc, of read1, read2, per_read, index1, index2 or per_index",
    ),
    (
        &["--stdin", "--stdout"],
        "'-' is standard input, and what has no --out goes to standard output",
    ),
    (&["-S", "--split", "--split_by_lines", "-d"], "`biofast split` writes several files"),
    (
        &["-w", "--thread", "-j", "--cores"],
        "-@ is the number of threads; --json and --fastp-json write reports",
    ),
    (
        &["-t", "--trim_tail1", "--trim_front1", "--trim_front2", "--trim_tail2"],
        "--crop-front N,M and --crop-tail N,M cut first and second reads",
    ),
    (
        &[
            "--disable_adapter_trimming",
            "--disable_quality_filtering",
            "--disable_length_filtering",
            "--disable_trim_poly_g",
            "-L",
            "-Q",
        ],
        "without --preset fastp nothing is done that isn't asked for",
    ),
    (
        &["--include_unmerged"],
        "without --merged-out, merged reads and other pairs go to --out together",
    ),
    (&["-z", "--compression"], "--level is the level of compression"),
    (&["--paired-output"], "--out2 names the file of second reads"),
    (&["--untrimmed-output"], "--discard-untrimmed with --rejected FILE"),
    (&["--quality-cutoff"], "--cut-tail cuts by windows; cutadapt's -q has no like here"),
    (&["--poly-a"], "--trim-poly-x cuts runs of any base"),
];

/// Commands of samtools, seqkit, Picard and others, and what does the same here.
const COMMANDS: &[(&[&str], &str)] = &[
    (
        &["markdup", "fixmate", "MarkDuplicates"],
        "`biofast sort --mark-duplicates` marks duplicates and fills in the fields of mates",
    ),
    (
        &["rmdup"],
        "`biofast dedup` removes duplicate reads, `biofast sort --mark-duplicates -r` duplicate alignments",
    ),
    (&["depth"], "`biofast coverage --format samtools-depth` prints the depth of each position"),
    (&["bedcov"], "`biofast coverage --prefix PREFIX --by BED` writes the depth of intervals"),
    (
        &["collate", "bamshuf"],
        "`biofast sort -n` groups records by name, and `biofast fastq` groups mates itself",
    ),
    (&["reheader"], "`biofast cat -h HEADER.sam FILE.bam` replaces the header"),
    (
        &["faidx", "fqidx", "dict"],
        "nothing in biofast indexes FASTA files, and none of its commands needs such an index; `samtools faidx` makes it",
    ),
    (&["quickcheck", "ValidateSamFile"], "`biofast check` validates the whole file"),
    (&["head"], "`biofast view -H` prints a header, `biofast convert --head N` the first reads"),
    (
        &["bam2fq", "bam2fastq", "bamtofastq", "SamToFastq"],
        "`biofast fastq` writes alignments as FASTQ",
    ),
    (&["fasta", "fq2fa"], "`biofast convert --to fasta` writes FASTA"),
    (&["fx2tab"], "`biofast convert --to table` writes a table"),
    (&["seq", "subseq"], "`biofast convert` edits reads and changes their format"),
    (&["replace", "rename"], "`biofast convert --rename` and `--unique-names` edit names"),
    (&["locate"], "`biofast grep --only-matching` lists matches"),
    (&["sample", "subsample"], "`biofast filter --sample-fraction P` samples reads"),
    (&["pair"], "`biofast repair` pairs reads again"),
    (&["split2"], "`biofast split` splits reads into several files"),
    (&["trim"], "`biofast filter` trims and filters reads"),
    (&["fastqc", "qc"], "`biofast stats --html FILE` writes a report"),
    (&["bgzip"], "`biofast convert -O bgzf` compresses reads, `biofast view -b` alignments"),
    (
        &[
            "addreplacerg",
            "ampliconclip",
            "ampliconstats",
            "calmd",
            "consensus",
            "flags",
            "mpileup",
            "phase",
            "reset",
            "samples",
            "targetcut",
            "tview",
        ],
        "nothing in biofast does this; use samtools",
    ),
];

/// Options of `samtools view` that `view` doesn't have, and what does the same.
const OF_VIEW: &[(&[&str], &str)] = &[
    (&["-N", "--qname-file"], "`biofast filter -N FILE` selects records by name"),
    (
        &["-r", "--read-group", "-R", "--read-group-file"],
        "`biofast filter -r ID` and `-R FILE` select records by read group",
    ),
    (
        &["-d", "--tag", "-D", "--tag-file"],
        "`biofast filter -d TAG` and `-D TAG:FILE` select records by tag",
    ),
    (
        &["-s", "--subsample", "--subsample-seed"],
        "`biofast filter -s INT.FRACTION` samples templates",
    ),
    (
        &["-U", "--unoutput", "--output-unselected"],
        "`biofast filter -U FILE` also writes the records that aren't selected",
    ),
    (&["-l", "--library"], "-e 'library==\"NAME\"' selects records by library"),
    (&["-m", "--min-qlen"], "-e 'qlen>=INT' selects records by the length of their alignment"),
    (&["-S"], "leave it out: formats are detected from content"),
    (
        &["-C", "--cram"],
        "nothing in biofast writes CRAM; -b writes BAM, and `samtools view -C` makes CRAM of it",
    ),
    (&["-1", "--fast"], "--level fast compresses quickly"),
    (&["-X", "--customized-index"], "leave it out: the index beside the file is used"),
    (
        &["-P", "--fetch-pairs"],
        "nothing in biofast fetches mates from outside a region; use `samtools view -P`",
    ),
    (
        &[
            "-x",
            "--remove-tag",
            "--keep-tag",
            "-B",
            "--remove-B",
            "-z",
            "--sanitize",
            "-p",
            "--unmap",
            "--add-flags",
            "--remove-flags",
            "-t",
            "--fai-reference",
        ],
        "nothing in biofast does this; use `samtools view`",
    ),
];

/// Options of `seqkit stats` that `stats` doesn't know.
const OF_STATS: &[(&[&str], &str)] = &[
    (&["-a", "--all"], "leave it out: every statistic is always computed"),
    (&["-j"], "-@ N sets the number of threads"),
];

/// What does the same as a word of another program.
fn here(words: &[(&[&str], &'static str)], typed: &str) -> Option<&'static str> {
    let typed = typed.split('=').next().unwrap_or(typed);
    words.iter().find(|(names, _)| names.contains(&typed)).map(|(_, here)| *here)
}

/// What helps with what was typed and isn't known.
pub(crate) fn hint(error: &clap::Error, command: Option<&str>) -> Option<&'static str> {
    if command != Some("filter") {
        return None;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else { return None };
    match error.kind() {
        ErrorKind::UnknownArgument => {}
        ErrorKind::InvalidValue if typed.starts_with("--read-group ") => {
            return Some("-r is of alignments; --cut-right is fastp's -r");
        }
        _ => return None,
    }
    here(OF_FILTER, typed)
}

/// An error about a command that there isn't, with the commands that were likely meant: those a slip of the finger or two away.
/// What clap takes for similar is more than that (`import` for `sorts`).
pub(crate) fn with_likely_commands(mut error: clap::Error, all: &clap::Command) -> clap::Error {
    let typed = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(typed)) => typed.clone(),
        _ => return error,
    };
    let names: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
    let likely = likely(&typed, &names);
    error.remove(ContextKind::SuggestedSubcommand);
    if !likely.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(likely));
    }
    error
}

/// What helps whoever typed a file where a command belongs.
fn without_command(typed: &str) -> Option<String> {
    let looks_like_file = typed.contains(['.', '/']) || typed == "-" || Path::new(typed).is_file();
    looks_like_file.then(|| {
        format!("'{typed}' is not a command: did you mean `biofast stats {typed}`, or `biofast check {typed}`?")
    })
}

/// What numbers that can't be read are called by the standard library, and what is meant.
const NUMBERS: [(&str, &str); 7] = [
    ("invalid digit found in string", "expected a whole number"),
    ("number too large to fit in target type", "the number is too large"),
    ("number too small to fit in target type", "the number is too small"),
    ("number would be zero for non-zero type", "expected 1 or more"),
    ("cannot parse integer from empty string", "expected a whole number"),
    ("invalid float literal", "expected a number"),
    ("cannot parse float from empty string", "expected a number"),
];

/// The error in plain words, where those of the libraries aren't.
pub(crate) fn in_plain_words(
    mut error: clap::Error,
    arguments: &[OsString],
    command: &mut clap::Command,
) -> clap::Error {
    // An option that isn't known is hardly ever meant as a value.
    error.remove(ContextKind::Suggested);
    let error = error;
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    // In the first line: many programs that call this one show no more of a message.
    let elsewhere = match error.kind() {
        ErrorKind::InvalidSubcommand => text(ContextKind::InvalidSubcommand).and_then(|typed| {
            here(COMMANDS, typed)
                .map(|here| format!("there is no command '{typed}': {here}"))
                .or_else(|| without_command(typed))
        }),
        ErrorKind::UnknownArgument => text(ContextKind::InvalidArg).and_then(|typed| {
            let words = match arguments.first()?.to_str()? {
                "view" => OF_VIEW,
                "stats" => OF_STATS,
                _ => return None,
            };
            here(words, typed).map(|here| format!("unexpected argument '{typed}': {here}"))
        }),
        _ => None,
    };
    if let Some(message) = elsewhere {
        return clap::Error::raw(error.kind(), message + "\n").format(command);
    }
    let (Some(option), Some(value)) =
        (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue))
    else {
        return error;
    };
    let said = match error.kind() {
        ErrorKind::ValueValidation => {
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            let plain = NUMBERS.iter().find(|(said, _)| reason.as_deref() == Some(said));
            plain.map(|(_, plain)| format!("invalid value '{value}' for '{option}': {plain}"))
        }
        ErrorKind::InvalidValue
            if value.eq_ignore_ascii_case("cram") && option.starts_with("--output-f") =>
        {
            Some(format!(
                "invalid value '{value}' for '{option}': CRAM is read, not written; write bam, and make CRAM of it with `samtools view -C`"
            ))
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            // A number below 0 looks like an option.
            let is_negative = |word: &&str| {
                word.strip_prefix('-').is_some_and(|number| number.parse::<f64>().is_ok())
            };
            let word = arguments.iter().filter_map(|word| word.to_str()).find(is_negative);
            let name = option.split([' ', '=', '[']).next().unwrap_or(option);
            word.map(|word| {
                format!(
                    "'{option}' needs a value, and '{word}' is taken for an option: if it is the value, write \
                     {name}={word}"
                )
            })
        }
        _ => None,
    };
    let kind = error.kind();
    match said {
        Some(said) => clap::Error::raw(kind, said + "\n").format(command),
        None => error,
    }
}

/// The nearest names, if they are near.
fn likely(typed: &str, names: &[&str]) -> Vec<String> {
    let far = |name: &str| match name.starts_with(typed) && typed.len() > 2 {
        true => 0,
        false => strsim::osa_distance(typed, name),
    };
    let nearest = names.iter().map(|name| far(name)).min().unwrap_or(usize::MAX);
    // One slip in a short word, two in a longer one.
    if nearest > if typed.len() < 5 { 1 } else { 2 } {
        return Vec::new();
    }
    names.iter().filter(|name| far(name) == nearest).map(|&name| name.to_owned()).collect()
}

/// Options of `filter` that may have a number, or none.
const WITH_NUMBER: [&str; 6] =
    ["--trim-poly-g", "--trim-poly-x", "--trim_poly_g", "--trim_poly_x", "--detect-adapter", "-x"];

/// Puts a number that follows such an option into one word with it, as `--trim-poly-g=5`, unless it is the name of a file.
pub(crate) fn join_numbers(arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.first().is_none_or(|command| command != "filter") {
        return arguments;
    }
    let mut joined: Vec<OsString> = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let is_number = argument.to_str().is_some_and(|text| {
            text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                && text.parse::<f64>().is_ok()
        });
        match joined.last_mut() {
            Some(option)
                if is_number
                    && WITH_NUMBER.iter().any(|name| option == name)
                    && !Path::new(&argument).exists() =>
            {
                option.push("=");
                option.push(argument);
            }
            _ => joined.push(argument),
        }
    }
    joined
}

/// Commands whose `-h` is an option of samtools.
const OF_SAMTOOLS: [&str; 4] = ["filter", "view", "merge", "cat"];

/// Whether `-h` is all that was typed, where it is an option of samtools: with nothing to read it is a question.
pub(crate) fn asks_for_help(arguments: &[OsString]) -> bool {
    let alone = matches!(arguments, [command, option] if option == "-h"
        && OF_SAMTOOLS.iter().any(|name| command == name));
    alone && !has_input()
}

#[cfg(unix)]
fn has_input() -> bool {
    use std::os::unix::fs::FileTypeExt;
    // A terminal, and what is always empty.
    std::fs::metadata("/dev/stdin").is_ok_and(|stdin| !stdin.file_type().is_char_device())
}

#[cfg(not(unix))]
fn has_input() -> bool {
    use std::io::IsTerminal;
    !std::io::stdin().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_likely_meant_is_suggested() {
        let names = ["stats", "sort", "import", "idxstats", "shards", "split", "filter", "convert"];
        for (typed, expected) in [
            ("sorts", &["sort"][..]),
            ("sotr", &["sort"]),
            ("satts", &["stats"]),
            ("fliter", &["filter"]),
            ("filt", &["filter"]),
            ("conv", &["convert"]),
            ("one", &[]),
            ("record", &[]),
            ("view-all", &[]),
        ] {
            assert_eq!(likely(typed, &names), expected, "{typed}");
        }
    }
}

//! The report of Trim Galore about a file, with that of cutadapt in it: MultiQC reads the latter.

use std::fmt::Write;

use biofast_ops::filter::trim_galore::{
    FilledIn, GaloreCounts, GaloreLimits, GaloreMate, TOLD_KITS,
};

use crate::number::grouped;

/// The versions that the report is like.
const TRIM_GALORE: &str = "0.6.10";
const CUTADAPT: &str = "5.2";

/// The error rate that Trim Galore takes for its own.
const ERROR_RATE: f64 = 0.1;

/// The names of the adapters that are told apart, in the order of the counts, and what Trim Galore says about each.
const TOLD: [(&str, &str); TOLD_KITS] = [
    ("Illumina", "Illumina TruSeq, Sanger iPCR"),
    ("Nextera", "Nextera Transposase sequence"),
    ("smallRNA", "Illumina small RNA adapter"),
];

/// How a run was set up.
#[derive(Clone, Debug)]
pub struct GaloreSettings {
    /// The version of biofast.
    pub version: String,
    /// The files, first reads first.
    pub files: Vec<String>,
    /// The adapters of first and second reads.
    pub adapters: [String; 2],
    /// Where the first one is from.
    pub origin: AdapterOrigin,
    /// Whether second reads have one of their own.
    pub has_second: bool,
    /// The quality from which on ends are kept; `None` if [`nextseq`](Self::nextseq) says it.
    pub cutoff: Option<u8>,
    /// The same where G counts as bad.
    pub nextseq: Option<u8>,
    /// The share of bases of an adapter that may be wrong.
    pub error_rate: f64,
    /// The fewest bases of an adapter.
    pub min_overlap: usize,
    /// What reads must be like.
    pub limits: GaloreLimits,
    /// What is cut of RRBS, if it is that.
    pub rrbs: Option<FilledIn>,
    /// Bases cut off the front and the end of first and second reads.
    pub clips: [[usize; 2]; 2],
    /// Whether the output is compressed.
    pub gzip: bool,
}

/// Where an adapter is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterOrigin {
    /// It was named.
    Named,
    /// The kit was named: its number among those told apart.
    Kit(usize),
    /// It was told by the reads that have each of these.
    Told([u64; TOLD_KITS]),
}

/// The report of first (0) or second (1) reads.
///
/// ```
/// use biofast_ops::filter::trim_galore::{GaloreCounts, GaloreLimits};
/// use biofast_report::trim_galore::{AdapterOrigin, GaloreSettings, text};
///
/// let settings = GaloreSettings {
///     version: "1.0".into(),
///     files: vec!["reads.fq".into()],
///     adapters: ["AGATCGGAAGAGC".into(), "AGATCGGAAGAGC".into()],
///     origin: AdapterOrigin::Kit(0),
///     has_second: false,
///     cutoff: Some(20),
///     nextseq: None,
///     error_rate: 0.1,
///     min_overlap: 1,
///     limits: GaloreLimits { min_len: 20, ..GaloreLimits::default() },
///     rrbs: None,
///     clips: [[0; 2]; 2],
///     gzip: false,
/// };
/// let report = text(&settings, &GaloreCounts::new(settings.limits), 0);
/// assert!(report.contains("0 sequences processed in total\n"));
/// ```
pub fn text(settings: &GaloreSettings, counts: &GaloreCounts, mate: usize) -> String {
    let mut out = parameters(settings, mate);
    out += &cutadapt(settings, &counts.mates[mate], mate);
    out += &statistics(settings, counts, mate);
    out
}

fn parameters(settings: &GaloreSettings, mate: usize) -> String {
    let GaloreSettings { version, files, adapters, limits, .. } = settings;
    let paired = files.len() == 2;
    let (told, name) = adapter_name(settings.origin);
    let mut out = format!(
        "\nSUMMARISING RUN PARAMETERS\n==========================\nInput filename: {}\nTrimming mode: {}\nTrim Galore version: \
         {TRIM_GALORE} (biofast {version})\nCutadapt version: {CUTADAPT} (biofast {version})\nNumber of cores used for trimming: 1\n",
        files[mate],
        if paired { "paired-end" } else { "single-end" },
    );
    let mut line = |text: &str| {
        out += text;
        out.push('\n');
    };
    if let Some(cutoff) = settings.cutoff {
        line(&format!("Quality Phred score cutoff: {cutoff}"));
    }
    line("Quality encoding type selected: ASCII+33");
    told.iter().for_each(|told| line(told));
    line(&format!("Adapter sequence: '{}' ({name})", adapters[0]));
    if let Some(cutoff) = settings.nextseq {
        line(&format!(
            "2-colour high quality G-trimming enabled, with quality cutoff: --nextseq-trim={cutoff}"
        ));
    }
    let default = if settings.error_rate == ERROR_RATE { " (default)" } else { "" };
    line(&format!("Maximum trimming error rate: {}{default}", settings.error_rate));
    if settings.has_second {
        line(&format!(
            "Optional adapter 2 sequence (only used for read 2 of paired-end files): '{}'",
            adapters[1]
        ));
    }
    line(&format!("Minimum required adapter overlap (stringency): {} bp", settings.min_overlap));
    let whose = if paired { "for both reads before a sequence pair" } else { "before a sequence" };
    line(&format!("Minimum required sequence length {whose} gets removed: {} bp", limits.min_len));
    if let Some(most) = limits.max_len {
        // As it is spelled there.
        line(&format!(
            "Maxiumum tolerated read length after trimming (for smallRNA trimming): {most} bp"
        ));
    }
    if settings.rrbs.is_some() {
        line(
            "File was specified to be an MspI-digested RRBS sample. Read 1 sequences with adapter contamination will be trimmed a \
             further 2 bp from their 3' end, and Read 2 sequences will be trimmed by 2 bp from their 5' end to remove potential \
             methylation-biased bases from the end-repair reaction",
        );
    }
    if settings.rrbs == Some(FilledIn::NonDirectional) {
        line(
            "File was specified to be a non-directional MspI-digested RRBS sample. Sequences starting with either 'CAA' or 'CGA' will \
             have the first 2 bp trimmed off to remove potential methylation-biased bases from the end-repair reaction",
        );
    }
    let [front, tail] = settings.clips;
    for (bases, read, end, more) in [
        (front[0], 1, 5, ""),
        (front[1], 2, 5, " (e.g. M-bias for BS-Seq applications)"),
        (tail[0], 1, 3, ""),
        (tail[1], 2, 3, ""),
    ] {
        if bases > 0 && (read == 1 || paired) {
            line(&format!(
                "All Read {read} sequences will be trimmed by {bases} bp from their {end}' end to avoid poor qualities or biases{more}"
            ));
        }
    }
    if settings.gzip {
        line("Output file will be GZIP compressed");
    }
    line("");
    out
}

/// What is said about how an adapter was told, and its name.
fn adapter_name(origin: AdapterOrigin) -> (Vec<String>, String) {
    let counts = match origin {
        AdapterOrigin::Named => return (Vec::new(), "user defined".into()),
        AdapterOrigin::Kit(kit) => return (Vec::new(), format!("{}; user defined", TOLD[kit].1)),
        AdapterOrigin::Told(counts) => counts,
    };
    let mut order: Vec<usize> = (0..TOLD_KITS).collect();
    order.sort_by_key(|&kit| std::cmp::Reverse(counts[kit]));
    let [highest, second, third] = [order[0], order[1], order[2]];
    let named = |kit: usize| format!("{}: {}", TOLD[kit].0, counts[kit]);
    if counts[highest] > counts[second] {
        let told = format!(
            "Using {} adapter for trimming (count: {}). Second best hit was {} (count: {})",
            TOLD[highest].0, counts[highest], TOLD[second].0, counts[second]
        );
        return (vec![told], format!("{}; auto-detected", TOLD[highest].1));
    }
    let mut told = vec![format!(
        "Unable to auto-detect most prominent adapter from the first specified file (count {}, count {}, count {})",
        named(highest),
        named(second),
        named(third)
    )];
    if highest == 0 {
        let end = if counts[third] == counts[highest] { ")." } else { "." };
        told.push(format!(
            "Defaulting to Illumina universal adapter ( AGATCGGAAGAGC ). Specify -a SEQUENCE to avoid this behavior{end}"
        ));
        return (told, format!("{}; default (inconclusive auto-detection)", TOLD[0].1));
    }
    told.push(
        "Defaulting to Nextera adapter as next best option ( CTGTCTCTTATA ). Specify -a SEQUENCE to avoid this behavior.".into(),
    );
    (told, "Nextera; (assigned because of inconclusive auto-detection)".into())
}

/// A share in percent.
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 * 100.0 }
}

/// The report of cutadapt, about the file alone.
fn cutadapt(settings: &GaloreSettings, counts: &GaloreMate, mate: usize) -> String {
    let GaloreMate { read: [reads, bases], low_quality, adapter_bases, by_length, .. } = counts;
    let (adapter, version) = (&settings.adapters[mate], &settings.version);
    let separate = settings.rrbs.is_some();
    let quality = match (settings.nextseq, settings.cutoff) {
        _ if separate => String::new(),
        (Some(cutoff), _) => format!("--nextseq-trim={cutoff} "),
        (None, cutoff) => format!("-q {} ", cutoff.unwrap_or(0)),
    };
    let mut out = format!(
        "\nThis is cutadapt {CUTADAPT}, counted by biofast {version}\nCommand line parameters: -j 1 -e {} {quality}-O {} -a {adapter} {}\n\
         Processing single-end reads on 1 core ...\n",
        settings.error_rate,
        settings.min_overlap,
        quoted(&settings.files[mate])
    );
    if *reads == 0 {
        return out + "No reads processed!\n";
    }
    let with_adapter = counts.with_adapter();
    // The ends of low quality are cut in a run of their own.
    let processed = if separate { bases - low_quality[1] } else { *bases };
    let written = bases - low_quality[1] - adapter_bases;
    let _ = write!(
        out,
        "\n=== Summary ===\n\nTotal reads processed:           {:>13}\nReads with adapters:             {:>13} ({:.1}%)\n\
         Reads written (passing filters): {:>13} (100.0%)\n\nTotal basepairs processed: {:>13} bp\n",
        grouped(*reads),
        grouped(with_adapter),
        percent(with_adapter, *reads),
        grouped(*reads),
        grouped(processed)
    );
    if !quality.is_empty() && (settings.nextseq.is_some() || settings.cutoff != Some(0)) {
        let _ = writeln!(
            out,
            "Quality-trimmed:           {:>13} bp ({:.1}%)",
            grouped(low_quality[1]),
            percent(low_quality[1], processed)
        );
    }
    let _ = write!(
        out,
        "Total written (filtered):  {:>13} bp ({:.1}%)\n\n=== Adapter 1 ===\n\nSequence: {adapter}; Type: regular 3'; Length: {}; Trimmed: \
         {with_adapter} times\n",
        grouped(written),
        percent(written, processed),
        adapter.len()
    );
    if with_adapter == 0 {
        return out;
    }
    let known = adapter.bytes().filter(|letter| *letter != b'N').count();
    let rate = settings.error_rate;
    let _ = write!(
        out,
        "\nMinimum overlap: {}\nNo. of allowed errors:\n{}\n\n",
        settings.min_overlap.min(adapter.len()),
        error_ranges(known, rate)
    );
    let preceding = preceding_bases(&counts.before);
    out += &preceding.0;
    out += "\nOverview of removed sequences\nlength\tcount\texpect\tmax.err\terror counts\n";
    for (&len, by_errors) in by_length {
        let expected = *reads as f64 * 0.25f64.powi(len.min(adapter.len()) as i32);
        let most = (rate * len.min(known) as f64) as usize;
        let by_errors: Vec<String> = by_errors.iter().map(u64::to_string).collect();
        let count: u64 = by_length[&len].iter().sum();
        let _ = writeln!(out, "{len}\t{count}\t{expected:.1}\t{most}\t{}", by_errors.join(" "));
    }
    if preceding.1 {
        out += "\n\nWARNING:\n    One or more of your adapter sequences may be incomplete.\n    Please see the detailed output above.\n";
    }
    out
}

/// A path as a shell reads it.
fn quoted(path: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+,=:@%".contains(letter);
    match path.chars().all(is_plain) {
        true => path.into(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

/// How many errors are allowed in how many bases.
fn error_ranges(len: usize, rate: f64) -> String {
    let most = (rate * len as f64) as usize;
    let mut ends: Vec<usize> =
        (1..=most).map(|errors| ((errors as f64 / rate) as usize).saturating_sub(1)).collect();
    if ends.last().is_none_or(|last| *last < len) {
        ends.push(len);
    }
    let (mut start, mut ranges) = (1, Vec::new());
    for (errors, &end) in ends.iter().enumerate() {
        ranges.push(match errors + 1 == ends.len() && start == end {
            true => format!("{end} bp: {errors}"),
            false => format!("{start}-{end} bp: {errors}"),
        });
        start = end + 1;
    }
    ranges.join("; ")
}

/// Which bases adapters follow, and whether that is a reason for a warning.
fn preceding_bases(counts: &[u64; 5]) -> (String, bool) {
    const NAMES: [&str; 5] = ["A", "C", "G", "T", "none/other"];
    let all: u64 = counts.iter().sum();
    let mut out = "Bases preceding removed adapters:\n".to_owned();
    let mut often = None;
    for (name, &count) in NAMES.iter().zip(counts) {
        let _ = writeln!(out, "  {name}: {:.1}%", percent(count, all));
        if count as f64 / all as f64 > 0.8 && *name != NAMES[4] && all >= 20 {
            often = Some(name);
        }
    }
    if let Some(base) = often {
        let _ = write!(
            out,
            "WARNING:\n    The adapter is preceded by '{base}' extremely often.\n    The provided adapter sequence could be incomplete at its \
             5' end.\n    Ignore this warning when trimming primers.\n"
        );
    }
    (out, often.is_some())
}

/// What became of the reads.
fn statistics(settings: &GaloreSettings, counts: &GaloreCounts, mate: usize) -> String {
    let GaloreSettings { files, limits, .. } = settings;
    let own = &counts.mates[mate];
    let all = own.read[0];
    let share = |n: u64, decimals: usize| match all {
        0 => "N/A".to_owned(),
        _ => format!("{:.decimals$}", percent(n, all)),
    };
    let mut out = format!(
        "\nRUN STATISTICS FOR INPUT FILE: {}\n=============================================\n{all} sequences processed in total\n",
        files[mate]
    );
    let mut line = |text: String, n: u64| {
        out += &format!("{text}:\t{n} ({}%)\n", share(n, 1));
    };
    if settings.rrbs.is_some() {
        let cutoff = settings.cutoff.unwrap_or(0);
        line(
            format!(
                "Sequences were truncated to a varying degree because of deteriorating qualities (Phred score quality cutoff: {cutoff})"
            ),
            own.low_quality[0],
        );
    }
    let [many_n, short, long] = counts.removed;
    if files.len() == 1 {
        line(
            format!(
                "Sequences removed because they became shorter than the length cutoff of {} bp",
                limits.min_len
            ),
            short,
        );
        if let Some(most) = limits.max_n {
            line(
                format!(
                    "Sequences removed because they contained more Ns than the cutoff of {most}"
                ),
                many_n,
            );
        }
        if let Some(most) = limits.max_len {
            line(
                format!(
                    "Sequences removed because after trimming they were longer than the maximum length cutoff of {most} bp"
                ),
                long,
            );
        }
    }
    if settings.rrbs.is_some() {
        line(
            "RRBS reads trimmed by additional 2 bp when adapter contamination was detected".into(),
            own.filled_in,
        );
    }
    if settings.rrbs == Some(FilledIn::NonDirectional) {
        let [caa, cga] = own.filled_in_start;
        line(
            format!(
                "RRBS reads trimmed by 2 bp at the start when read started with CAA ({caa}) or CGA ({cga}) in total"
            ),
            caa + cga,
        );
    }
    out.push('\n');
    if files.len() == 2 && mate == 1 {
        if let Some(most) = limits.max_n {
            let _ = writeln!(
                out,
                "Number of sequence pairs removed because at least one read contained more N(s) than the specified limit of {most}: \
                 {many_n} ({}%)",
                share(many_n, 2)
            );
        }
        if let Some(most) = limits.max_len {
            let _ = writeln!(
                out,
                "Sequence pairs removed as after trimming at least one read was longer than the maximum length cutoff of {most} bp:\t{long} \
                 ({}%)",
                share(long, 2)
            );
        }
        let _ = write!(
            out,
            "Total number of sequences analysed for the sequence pair length validation: {all}\n\nNumber of sequence pairs removed because at \
             least one read was shorter than the length cutoff ({} bp): {} ({}%)\n",
            limits.min_len,
            short + many_n,
            share(short + many_n, 2)
        );
    }
    out
}

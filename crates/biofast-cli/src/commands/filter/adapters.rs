//! The arguments about adapters of known sequence, as typed, and what they mean.

use std::path::Path;

use anyhow::{Context, Result, bail};
use biofast_io::TextBounds;
use biofast_ops::filter::trim::detect::AdapterEvidence;
use biofast_ops::filter::trim::{
    Action, AdapterCutter, AdapterFile, AdapterMatching, AdapterSettings, AdapterSide, KITS,
    LONG_KITS, LongAdapters, LongKit, Middle,
};
use biofast_ops::filter::{AdapterRule, Filter};
use clap::{ArgMatches, FromArgMatches, ValueEnum};

use super::named::{self, NamedAdapter};
use crate::console::Console;
use crate::inputs;
use crate::options::{Given, InFile};
use crate::session::Session;

/// Which adapters are looked for and what is done with them, with the meaning the options have in cutadapt.
#[derive(clap::Args)]
pub(super) struct AdapterArgs {
    #[command(flatten)]
    named: TypedAdapters,

    /// Cut the 3′ adapters in this FASTA file from all reads
    #[arg(long, alias = "adapter_fasta", value_name = "FILE", group = "of_reads")]
    adapter_fasta: Option<InFile>,

    /// Detect adapters in the first reads, and cut those that at least PERCENT of them have
    ///
    /// The adapters found are reported.
    #[arg(long, alias = "detect_adapter_for_pe", value_name = "PERCENT", num_args = 0..=1, default_missing_value = "0.5", require_equals = true, groups = ["of_fastq", "of_reads"])]
    pub(super) detect_adapter: Option<f64>,

    /// Cut the adapters of a Nanopore kit from both ends of long reads
    ///
    /// KIT is ligation, rapid, pcr, ont (all), or the name of a kit, such as SQK-LSK114.
    #[arg(long, value_name = "KIT", value_parser = long_kit, groups = ["of_fastq", "of_reads"])]
    adapter_kit: Option<LongKit>,

    /// What to do with a long read that has an adapter in its middle
    #[arg(long, value_enum, default_value_t = MiddleArg::Split, value_name = "WHAT", groups = ["of_fastq", "of_reads"])]
    middle: MiddleArg,

    /// Minimum overlap of read and adapter, in bases (with --trim-overlap, 16 for 3′ adapters unless given)
    #[arg(
        long,
        visible_alias = "overlap",
        value_name = "N",
        default_value = "3",
        group = "of_reads"
    )]
    adapter_min_overlap: std::num::NonZeroUsize,

    /// Errors allowed in an adapter: a share of the bases compared if below 1, else a number
    #[arg(
        long,
        visible_alias = "error-rate",
        value_name = "SHARE",
        default_value_t = 0.1,
        group = "of_reads"
    )]
    adapter_error_rate: f64,

    /// What decides whether a 3′ adapter matches
    ///
    /// 'quality' finds more adapters in low-quality ends, and cuts fewer bases by chance.
    #[arg(long, value_enum, default_value_t = AdapterMatchRule::Errors, value_name = "RULE", group = "of_reads")]
    adapter_match: AdapterMatchRule,

    /// Don't allow insertions and deletions in adapters
    #[arg(long, group = "of_reads")]
    no_indels: bool,

    /// Interpret IUPAC wildcards in reads
    #[arg(long, group = "of_reads")]
    match_read_wildcards: bool,

    /// Don't interpret IUPAC wildcards in adapters
    #[arg(long, group = "of_reads")]
    no_match_adapter_wildcards: bool,

    /// Cut up to N adapters from each read, the best match first
    #[arg(long, value_name = "N", default_value = "1", group = "of_reads")]
    times: std::num::NonZeroUsize,

    /// What to do with a read that has an adapter
    #[arg(long, value_enum, default_value_t = ActionArg::Trim, value_name = "ACTION", group = "of_reads")]
    action: ActionArg,

    /// Search both strands for adapters, and keep the one with the better matches
    ///
    /// A read whose reverse complement matches better is replaced by it. The mates of a pair are exchanged if they match
    /// better so. ' rc' is added to the header.
    #[arg(long, visible_alias = "rc", groups = ["of_fastq", "of_reads"])]
    pub(super) revcomp: bool,

    /// Keep only reads without an adapter
    #[arg(
        long,
        visible_alias = "discard",
        conflicts_with = "discard_untrimmed",
        group = "of_reads"
    )]
    discard_trimmed: bool,

    /// Keep only reads with an adapter
    #[arg(long, visible_alias = "trimmed-only", group = "of_reads")]
    discard_untrimmed: bool,
}

/// Adapters as typed, by option: what the help says of them. [`TypedAdapters`] reads them.
#[derive(clap::Args)]
struct Typed {
    /// Cut this 3′ adapter, and everything after it; may be repeated
    ///
    /// SEQ may be SEQ$ (at the end), SEQX (not inside the read), FRONT...SEQ (linked) or file:FASTA. NAME= may precede
    /// it, and ;e=RATE;o=OVERLAP may follow it. KIT is truseq, nextera, small-rna or mgi.
    #[arg(short, long, alias = "adapter_sequence", value_name = "SEQ|KIT")]
    adapter: Vec<String>,

    /// Same as --adapter, for second reads
    #[arg(short = 'A', long, alias = "adapter_sequence_r2", value_name = "SEQ")]
    adapter2: Vec<String>,

    /// Cut this 5′ adapter, and everything before it; may be repeated
    ///
    /// SEQ may be ^SEQ (at the start), XSEQ (not inside the read), SEQ...BACK (linked) or file:FASTA.
    #[arg(short = 'g', long, value_name = "SEQ")]
    front: Vec<String>,

    /// Same as --front, for second reads
    #[arg(long, value_name = "SEQ")]
    front2: Vec<String>,

    /// Cut this adapter from either end; may be repeated
    ///
    /// It is a 5′ adapter if the match includes the first base of the read, else a 3′ adapter.
    #[arg(long, value_name = "SEQ")]
    anywhere: Vec<String>,

    /// Same as --anywhere, for second reads
    #[arg(short = 'B', long, value_name = "SEQ")]
    anywhere2: Vec<String>,
}

/// The options that name an adapter, by their ids, with the mate and the side it is on.
const SIDES: [(&str, usize, AdapterSide); 6] = [
    ("adapter", 0, AdapterSide::Back),
    ("front", 0, AdapterSide::Front),
    ("anywhere", 0, AdapterSide::Anywhere),
    ("adapter2", 1, AdapterSide::Back),
    ("front2", 1, AdapterSide::Front),
    ("anywhere2", 1, AdapterSide::Anywhere),
];

/// Adapters in the order in which they were typed: of those that fit equally well the first one is cut.
#[derive(Default)]
struct TypedAdapters(Vec<NamedAdapter>);

impl FromArgMatches for TypedAdapters {
    fn from_arg_matches(matches: &ArgMatches) -> Result<TypedAdapters, clap::Error> {
        let mut named = TypedAdapters::default();
        named.update_from_arg_matches(matches)?;
        Ok(named)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let mut found = Vec::new();
        for (id, mate, side) in SIDES {
            let texts = matches.get_many::<String>(id).into_iter().flatten();
            for (at, text) in matches.indices_of(id).into_iter().flatten().zip(texts) {
                found.push((at, (id, mate, side, text.clone())));
            }
        }
        found.sort_by_key(|(at, _)| *at);
        self.0 = found.into_iter().map(|(_, adapter)| adapter).collect();
        Ok(())
    }
}

impl clap::Args for TypedAdapters {
    fn augment_args(command: clap::Command) -> clap::Command {
        Typed::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Typed::augment_args_for_update(command)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MiddleArg {
    /// Split it at the adapter, and name the parts with _1, _2, …
    Split,
    /// Reject it
    Drop,
    /// Keep it unchanged
    Keep,
}

/// A Nanopore kit by its name.
fn long_kit(typed: &str) -> Result<LongKit, String> {
    let name = typed.to_ascii_lowercase();
    let name = name.strip_prefix("sqk-").unwrap_or(&name);
    // SQK-NBD114-24, SQK-RBK114.96: the number of barcodes makes no difference.
    let name = name.split(['-', '.']).next().unwrap_or(name);
    let known = LONG_KITS.iter().find(|kit| kit.name == name || kit.names.contains(&name));
    known.copied().ok_or_else(|| {
        let kinds: Vec<_> = LONG_KITS.iter().map(|kit| kit.name).collect();
        let names: Vec<_> = LONG_KITS.iter().flat_map(|kit| kit.names).copied().collect();
        format!("kits are {}, and by their own names {}", kinds.join(", "), names.join(", "))
    })
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ActionArg {
    /// Cut the adapter and what is beyond it
    Trim,
    /// Keep the adapter, and cut what is beyond it
    Retain,
    /// Keep only the adapter
    Crop,
    /// Replace what would be cut with N
    Mask,
    /// Write what would be cut in lower case, and the rest in upper case
    Lowercase,
    /// Leave the read unchanged, and count the adapter
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AdapterMatchRule {
    /// The number of errors (--adapter-error-rate), like in cutadapt
    Errors,
    /// Matches and mismatches weighed by base quality, without insertions and deletions
    Quality,
}

impl AdapterArgs {
    /// Refuses what has no effect beside --adapter-match quality, and that where another rule holds.
    pub(super) fn check(&self, given: &Given, preset: bool) -> Result<()> {
        if self.adapter_match == AdapterMatchRule::Errors {
            return Ok(());
        }
        if preset {
            bail!(
                "--preset has a rule of its own for adapters: --adapter-match quality has no effect"
            );
        }
        if self.given().is_none() && self.detect_adapter.is_none() {
            bail!("--adapter-match quality needs a 3′ adapter: use -a or --detect-adapter");
        }
        let limits = [
            ("adapter_error_rate", "--adapter-error-rate"),
            ("no_indels", "--no-indels"),
            ("match_read_wildcards", "--match-read-wildcards"),
            ("no_match_adapter_wildcards", "--no-match-adapter-wildcards"),
        ];
        if let Some((_, option)) = limits.iter().find(|(id, _)| given.has(id)) {
            bail!("{option} has no effect with --adapter-match quality");
        }
        Ok(())
    }

    /// The first option given that looks for adapters.
    pub(super) fn given(&self) -> Option<&'static str> {
        let named = self.named.0.first().map(|&(id, ..)| match id {
            "adapter2" => "--adapter2",
            "front" => "--front",
            "front2" => "--front2",
            "anywhere" => "--anywhere",
            "anywhere2" => "--anywhere2",
            _ => "--adapter",
        });
        named.or(self.adapter_fasta.as_ref().map(|_| "--adapter-fasta"))
    }

    /// Whether adapters are looked for.
    pub(super) fn looks(&self) -> bool {
        self.given().is_some() || self.detect_adapter.is_some() || self.adapter_kit.is_some()
    }

    /// The 3′ adapters that are named, with their mates, where nothing else is.
    pub(super) fn plain(&self) -> Result<Vec<(usize, &str)>> {
        if self.adapter_fasta.is_some() {
            bail!("--preset fastp takes adapters only with -a and -A, not with --adapter-fasta");
        }
        let mut plain = Vec::new();
        for (id, mate, side, text) in &self.named.0 {
            if *side != AdapterSide::Back {
                bail!(
                    "--preset fastp takes adapters only with -a and -A, not with --{id} '{text}'"
                );
            }
            plain.push((*mate, text.as_str()));
        }
        Ok(plain)
    }

    /// The option that changes letters, if it is given.
    pub(super) fn edits(&self) -> Option<&'static str> {
        match self.action {
            ActionArg::Mask => Some("--action mask"),
            ActionArg::Lowercase => Some("--action lowercase"),
            _ => None,
        }
    }

    /// The minimum overlap as typed.
    pub(super) fn min_overlap(&self) -> usize {
        self.adapter_min_overlap.get()
    }

    /// Whether an adapter of first reads is named.
    pub(super) fn names_first(&self) -> bool {
        self.adapter_fasta.is_some() || self.named.0.iter().any(|&(_, mate, ..)| mate == 0)
    }

    /// Whether adapters of second reads are named.
    pub(super) fn names_second(&self) -> bool {
        self.named.0.iter().any(|&(_, mate, ..)| mate == 1)
    }

    /// Whether anything but 3′ adapters is looked for, or these are not simply cut.
    pub(super) fn is_elaborate(&self) -> bool {
        self.named.0.iter().any(|&(_, _, side, _)| side != AdapterSide::Back)
            || self.adapter_fasta.is_some()
            || self.adapter_kit.is_some()
            || self.times.get() > 1
            || !matches!(self.action, ActionArg::Trim)
            || self.revcomp
    }

    /// The share of an adapter's bases that may be wrong.
    pub(super) fn error_rate(&self) -> f64 {
        self.adapter_error_rate
    }

    /// The 3′ adapters of first reads that are named.
    pub(super) fn first_backs(&self) -> impl Iterator<Item = &str> {
        let backs = self.named.0.iter().filter(|(id, ..)| *id == "adapter");
        backs.map(|(.., text)| text.as_str())
    }

    /// Whether reads may be split where an adapter is inside.
    pub(super) fn splits(&self) -> bool {
        self.adapter_kit.is_some() && matches!(self.middle, MiddleArg::Split)
    }

    /// What cuts the adapters of a Nanopore kit, if one is named.
    pub(super) fn long_cutter(&self, paired: bool) -> Result<Option<LongAdapters>> {
        let Some(kit) = &self.adapter_kit else { return Ok(None) };
        if paired {
            bail!("--adapter-kit applies to long single reads, not to pairs");
        }
        let middle = match self.middle {
            MiddleArg::Split => Middle::Split,
            MiddleArg::Drop => Middle::Drop,
            MiddleArg::Keep => Middle::Keep,
        };
        Ok(Some(LongAdapters::new(kit, middle)?))
    }

    /// What cuts the adapters that are named or were found, if there are any, and which reads are kept by them.
    /// `galore` has the minimum overlap if Trim Galore's rules hold, `back` that of 3′ adapters if it isn't the same as others'.
    pub(super) fn cutter(
        &self,
        paired: bool,
        detected: &[AdapterEvidence],
        galore: Option<usize>,
        back: Option<usize>,
        session: &mut Session,
    ) -> Result<(AdapterCutter, AdapterRule)> {
        let settings = AdapterSettings {
            max_errors: self.adapter_error_rate,
            min_overlap: galore.unwrap_or(self.adapter_min_overlap.get()),
            indels: !self.no_indels,
            adapter_wildcards: !self.no_match_adapter_wildcards,
            read_wildcards: self.match_read_wildcards,
            matching: match self.adapter_match {
                AdapterMatchRule::Errors => AdapterMatching::Errors,
                AdapterMatchRule::Quality => AdapterMatching::Qualities,
            },
        };
        let action = match self.action {
            ActionArg::Trim => Action::Trim,
            ActionArg::Retain => Action::Retain,
            ActionArg::Crop => Action::Crop,
            ActionArg::Mask => Action::Mask,
            ActionArg::Lowercase => Action::Lowercase,
            ActionArg::None => Action::None,
        };
        if matches!(action, Action::Retain | Action::Crop) && self.times.get() > 1 {
            bail!("--action retain and crop can't be combined with --times above 1");
        }
        let cutter =
            AdapterCutter::new().times(self.times.get()).action(action).both_strands(self.revcomp);
        let of_back =
            AdapterSettings { min_overlap: back.unwrap_or(settings.min_overlap), ..settings };
        let mut adding = Adding { cutter, settings, of_back, session };
        let found = detected.first().and_then(|found| found.adapter.as_deref());
        let meant = galore.map(|_| named::of_trim_galore(&self.named.0, paired, found));
        for (id, mate, side, text) in meant.as_ref().unwrap_or(&self.named.0) {
            if *mate == 1 && !paired {
                bail!("--{id} needs pairs: two files, or --interleaved");
            }
            let kit = KITS.iter().find(|kit| kit.name.eq_ignore_ascii_case(text));
            if let Some(kit) = kit.filter(|_| *id == "adapter") {
                for (mate, adapter) in kit.adapters.iter().enumerate().take(1 + usize::from(paired))
                {
                    adding.cutter.add(mate, AdapterSide::Back, adapter, &of_back)?;
                }
                continue;
            }
            adding.add(*mate, *side, text).with_context(|| {
                // Else it may be meant as the name of a kit.
                match *id == "adapter"
                    && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
                {
                    true => {
                        let kits: Vec<_> = KITS.iter().map(|kit| kit.name).collect();
                        format!("--adapter '{text}' (kits are {})", kits.join(", "))
                    }
                    false => format!("--{id} '{text}'"),
                }
            })?;
        }
        if let Some(path) = &self.adapter_fasta {
            for mate in 0..1 + usize::from(paired) {
                adding.add_fasta(mate, AdapterSide::Back, path, ["", ""], &of_back)?;
            }
        }
        for found in detected.iter().filter(|found| found.cut) {
            if let Some(adapter) = &found.adapter {
                let mate = usize::from(found.read).saturating_sub(1);
                adding.cutter.add(mate, AdapterSide::Back, adapter, &of_back)?;
            }
        }
        let cutter = adding.cutter;
        let rule = match (self.discard_trimmed, self.discard_untrimmed) {
            (true, _) => AdapterRule::Refused,
            (_, true) => {
                let one_is_enough = paired && cutter.mates() != [true; 2];
                AdapterRule::Required { one_is_enough }
            }
            _ => AdapterRule::Any,
        };
        Ok((cutter, rule))
    }

    /// Whether reads without an adapter are left out.
    pub(super) fn discards_untrimmed(&self) -> bool {
        self.discard_untrimmed
    }

    /// Says that second reads have no adapters, where that may not be meant.
    pub(super) fn tell_of_one_mate(&self, console: &Console, filter: &Filter) {
        let first_reads = filter.adapters().iter().all(|label| label.read == 1);
        if !filter.adapters().is_empty() && first_reads && !self.discard_untrimmed {
            console.note(
                "adapters are trimmed only from first reads; use -A (--adapter2) for second reads",
            );
        }
    }
}

/// Adapters on their way into a cutter.
struct Adding<'f> {
    cutter: AdapterCutter,
    settings: AdapterSettings,
    /// Of 3′ adapters.
    of_back: AdapterSettings,
    session: &'f mut Session,
}

impl Adding<'_> {
    fn add(&mut self, mate: usize, side: AdapterSide, text: &str) -> Result<()> {
        let settings = if side == AdapterSide::Back { self.of_back } else { self.settings };
        match AdapterFile::parse(text, &settings)? {
            Some(AdapterFile { path, around, settings }) => {
                let path = Path::new(path);
                // No output takes its place.
                self.session.files.read(path)?;
                self.add_fasta(mate, side, path, around, &settings)
            }
            None => Ok(self.cutter.add(mate, side, text, &settings)?),
        }
    }

    fn add_fasta(
        &mut self,
        mate: usize,
        side: AdapterSide,
        path: &Path,
        around: [&str; 2],
        settings: &AdapterSettings,
    ) -> Result<()> {
        let about = || format!("in the adapters of {}", biofast_io::display_name(path));
        let text = inputs::text(path, TextBounds::TABLE)?;
        self.cutter.add_fasta(mate, side, &text, around, settings).with_context(about)
    }
}

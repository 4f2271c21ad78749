//! What is cut off reads: the options, and the trimmers they mean, in their order. The adapters' and the mates' options are beside
//! this file.
//!
//! A new one: docs/adding-a-trim.md.

use std::num::NonZeroUsize;

use anyhow::{Result, bail};
use biofast_ops::filter::trim::{
    AdapterCutter, Crop, CutFront, CutRight, CutTail, KeepFirst, LongAdapters, MaskBelow, MaskDust,
    NextSeqTrim, PolyA, PolyG, PolyX, QualityCutoff, QualityWindow, TrimN, Umi, UmiSource,
};
use biofast_ops::filter::trim_galore::{FilledIn, LastClip, RrbsCutter};
use biofast_ops::filter::{Filter, fastp};
use clap::ValueEnum;

use super::bounds::number;
use super::preset::PresetArgs;

/// The trims in their order, for the help.
pub(super) const TRIM_ORDER: &str = "--umi, --crop-front and --crop-tail, --nextseq-trim, --quality-cutoff, --cut-front, --cut-right or --cut-tail, \
     --trim-poly-g, --correct, --trim-overlap, --adapter and related options, --trim-poly-a, --trim-poly-x, --keep-first, --trim-n, --adapter-kit, --mask-below, --mask-dust and --merge";

/// What is cut off.
#[derive(clap::Args)]
pub(super) struct TrimArgs {
    /// Move UMIs from the start of reads to their names, or copy them from the index in the header
    #[arg(long, value_enum, value_name = "WHERE")]
    pub(super) umi: Option<UmiPlace>,

    /// Length of the UMI at the start of a read
    #[arg(long, alias = "umi_len", value_name = "N", requires = "umi")]
    pub(super) umi_len: Option<std::num::NonZeroUsize>,

    /// Number of bases to cut after the UMI
    #[arg(long, alias = "umi_skip", value_name = "N", default_value_t = 0)]
    pub(super) umi_skip: usize,

    /// Put PREFIX_ before the UMI in names
    #[arg(long, alias = "umi_prefix", value_name = "PREFIX", requires = "umi", value_parser = umi_prefix)]
    pub(super) umi_prefix: Option<String>,

    /// Cut N bases from the start; N,M for first and second reads
    #[arg(long, value_name = "N", value_parser = both::<usize>, visible_alias = "headcrop")]
    pub(super) crop_front: Option<[usize; 2]>,

    /// Cut N bases from the end; N,M for first and second reads
    #[arg(long, value_name = "N", value_parser = both::<usize>, visible_alias = "tailcrop")]
    pub(super) crop_tail: Option<[usize; 2]>,

    /// Keep at most the first N bases; N,M for first and second reads
    #[arg(long, value_name = "N", value_parser = both::<usize>)]
    pub(super) keep_first: Option<[usize; 2]>,

    /// Trim low-quality 3′ ends by running sums, like `cutadapt -q`; FRONT,Q for both ends
    #[arg(long, value_name = "[FRONT,]Q", value_parser = cutoffs)]
    pub(super) quality_cutoff: Option<Cutoffs>,

    /// Same as --quality-cutoff, for second reads [default: that of first reads]
    #[arg(long, value_name = "[FRONT,]Q", value_parser = cutoffs)]
    pub(super) quality_cutoff2: Option<Cutoffs>,

    /// Trim 3′ ends like --quality-cutoff, but count each G as a bad base, like `cutadapt --nextseq-trim`
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(1..=93))]
    pub(super) nextseq_trim: Option<u8>,

    /// Trim low-quality windows from the 5′ end
    #[arg(short = '5', long, alias = "cut_front")]
    pub(super) cut_front: bool,

    /// Trim low-quality windows from the 3′ end
    #[arg(short = '3', long, alias = "cut_tail", conflicts_with = "cut_right")]
    pub(super) cut_tail: bool,

    /// Cut everything from the first window of low mean quality onward
    #[arg(long, alias = "cut_right")]
    pub(super) cut_right: bool,

    /// Window size in bases
    #[arg(short = 'W', long, alias = "cut_window_size", value_name = "N", default_value = "4")]
    pub(super) cut_window_size: std::num::NonZeroUsize,

    /// Minimum mean quality of a window
    #[arg(long, alias = "cut_mean_quality", value_name = "Q", default_value_t = 20.0)]
    pub(super) cut_mean_quality: f64,

    /// Cut a run of at least MIN G from the end
    #[arg(long, alias = "trim_poly_g", value_name = "MIN", num_args = 0..=1, default_missing_value = "10", require_equals = true)]
    pub(super) trim_poly_g: Option<std::num::NonZeroUsize>,

    /// Cut poly-A tails, and poly-T heads of second reads, like `cutadapt --poly-a`
    #[arg(long, visible_alias = "poly-a")]
    pub(super) trim_poly_a: bool,

    /// Cut N from both ends
    #[arg(long, alias = "trimns")]
    pub(super) trim_n: bool,

    /// Cut a run of at least MIN of the same base from the end
    #[arg(short = 'x', long, alias = "trim_poly_x", value_name = "MIN", num_args = 0..=1, default_missing_value = "10", require_equals = true)]
    pub(super) trim_poly_x: Option<std::num::NonZeroUsize>,

    /// Replace bases whose quality is below Q by N; qualities stay
    #[arg(long, value_name = "Q", group = "of_fastq", value_parser = clap::value_parser!(u8).range(1..=93))]
    pub(super) mask_below: Option<u8>,

    /// Mask bases of low complexity by DUST with this level, 2 to 64; lower masks more
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "20", require_equals = true, group = "of_fastq", value_parser = clap::value_parser!(u8).range(2..=64))]
    pub(super) mask_dust: Option<u8>,

    /// Longest stretch of bases that --mask-dust scores, 8 to 64
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u8).range(8..=64))]
    pub(super) dust_window: u8,

    /// How --mask-dust masks bases
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = DustAction::Mask)]
    pub(super) dust_action: DustAction,

    /// Cut adapters found by the overlap of mates, where fragments are shorter than reads
    #[arg(long)]
    pub(super) trim_overlap: bool,
}

/// What other options cut, between the trims of this file.
pub(super) struct OtherTrims<M> {
    /// What looks at both mates.
    pub(super) mates: M,
    pub(super) adapters: AdapterCutter,
    pub(super) long_adapters: Option<LongAdapters>,
}

/// Adds what is asked for to the chain, in the order of [`TRIM_ORDER`].
pub(super) fn trimmers(
    args: &TrimArgs,
    paired: bool,
    preset: &PresetArgs,
    others: OtherTrims<impl FnOnce(Filter) -> Result<Filter>>,
    mut filter: Filter,
) -> Result<Filter> {
    let (is_fastp, is_galore) = (preset.is_fastp(), preset.is_trim_galore());
    if let Some(place) = args.umi {
        filter = filter.trim(umi(args, place, paired, is_fastp)?);
    }
    let (front, tail) = (args.crop_front.unwrap_or_default(), args.crop_tail.unwrap_or_default());
    let by_sum = quality_cutoff(args, paired, is_galore)?;
    let phred = number("--cut-mean-quality", args.cut_mean_quality, 0.0, 93.0)?;
    let size = args.cut_window_size.get();
    if is_fastp {
        let window = Some(fastp::CutWindow { size, phred });
        let [cut_front, cut_right, cut_tail] =
            [args.cut_front, args.cut_right, args.cut_tail].map(|given| window.filter(|_| given));
        let cut = fastp::FastpCut { front, tail, cut_front, cut_right, cut_tail };
        if cut.is_any() {
            filter = filter.trim(cut);
        }
        if args.nextseq_trim.is_some() || by_sum.is_some() {
            bail!(
                "--preset fastp trims low quality by --cut-front, --cut-right and --cut-tail only"
            );
        }
    } else {
        if !is_galore && (args.crop_front.is_some() || args.crop_tail.is_some()) {
            filter = filter.trim(Crop { front, tail });
        }
        if let Some(phred) = args.nextseq_trim {
            filter = filter.trim(NextSeqTrim(phred));
        }
        if let Some(cutoff) = by_sum {
            filter = filter.trim(cutoff);
        }
        let window = QualityWindow::new(size, phred);
        if args.cut_front {
            filter = filter.trim(CutFront(window));
        }
        if args.cut_right {
            filter = filter.trim(CutRight(window));
        }
        if args.cut_tail {
            filter = filter.trim(CutTail(window));
        }
    }
    if let Some(min) = args.trim_poly_g {
        filter = filter.trim(PolyG(min.get()));
    }
    filter = (others.mates)(filter)?;
    if args.trim_overlap && !is_fastp {
        if !paired {
            bail!("--trim-overlap needs pairs");
        }
        filter = filter.trim(others.adapters.overlap());
    }
    if let Some(filled_in) = preset.rrbs() {
        filter = filter.trim(RrbsCutter::new(others.adapters, filled_in));
    } else if !others.adapters.is_empty() {
        filter = filter.trim(others.adapters);
    }
    if is_galore {
        filter = clip_last(last_clips(args, preset.rrbs()), filter);
    }
    if args.trim_poly_a {
        filter = filter.trim(PolyA);
    }
    if let Some(min) = args.trim_poly_x {
        filter = filter.trim(PolyX(min.get()));
    }
    if let Some(len) = args.keep_first {
        filter = filter.trim(KeepFirst(len));
    }
    if args.trim_n {
        filter = filter.trim(TrimN);
    }
    if let Some(cutter) = others.long_adapters {
        filter = filter.trim(cutter);
    }
    if let Some(phred) = args.mask_below {
        filter = filter.trim(MaskBelow(phred));
    }
    if let Some(level) = args.mask_dust {
        let masker = MaskDust::new(level, args.dust_window.into());
        filter = filter.trim(masker.with_lower_case(args.dust_action == DustAction::Lowercase));
    }
    Ok(filter)
}

/// The cutoff of qualities at 3′ ends with `--preset trim-galore`.
const GALORE_CUTOFF: u8 = 20;

/// How many bases Trim Galore cuts last off the front and the end of first and second reads.
pub(super) fn last_clips(args: &TrimArgs, rrbs: Option<FilledIn>) -> [[usize; 2]; 2] {
    let filled_in = if rrbs == Some(FilledIn::Directional) { [0, 2] } else { [0; 2] };
    [args.crop_front.unwrap_or(filled_in), args.crop_tail.unwrap_or_default()]
}

/// Cuts fixed numbers of bases, after all else that Trim Galore cuts.
fn clip_last([front, tail]: [[usize; 2]; 2], filter: Filter) -> Filter {
    match [front, tail] == [[0; 2]; 2] {
        true => filter,
        false => filter.trim(LastClip { front, tail }),
    }
}

/// The quality up to which Trim Galore cuts ends, unless G counts as bad.
pub(super) fn galore_cutoff(args: &TrimArgs) -> Option<u8> {
    let given = args.quality_cutoff.map_or(GALORE_CUTOFF, |cutoffs| cutoffs.tail);
    args.nextseq_trim.is_none().then_some(given)
}

/// What cuts ends by sums of qualities, if that is asked for.
fn quality_cutoff(args: &TrimArgs, paired: bool, is_galore: bool) -> Result<Option<QualityCutoff>> {
    if args.quality_cutoff2.is_some() && !paired {
        bail!("--quality-cutoff2 needs pairs: two files, or --interleaved");
    }
    let implied = (is_galore && args.nextseq_trim.is_none())
        .then_some(Cutoffs { front: 0, tail: GALORE_CUTOFF });
    let given = args.quality_cutoff.or(implied);
    if given.is_none() && args.quality_cutoff2.is_none() {
        return Ok(None);
    }
    let first = given.unwrap_or_default();
    let second = args.quality_cutoff2.unwrap_or(first);
    if [first, second] == [Cutoffs::default(); 2] {
        if is_galore {
            return Ok(None);
        }
        bail!("--quality-cutoff 0 cuts nothing: leave it out");
    }
    let (front, tail) = ([first.front, second.front], [first.tail, second.tail]);
    Ok(Some(QualityCutoff { front, tail }))
}

/// The cutoffs of both ends; 0 cuts nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cutoffs {
    pub(super) front: u8,
    pub(super) tail: u8,
}

/// `Q` for the 3′ end, or `FRONT,Q` for both.
fn cutoffs(typed: &str) -> Result<Cutoffs, String> {
    let (front, tail) = typed.split_once(',').unwrap_or(("0", typed));
    let phred = |text: &str| text.parse().ok().filter(|phred: &u8| *phred <= 93);
    match (phred(front), phred(tail)) {
        (Some(front), Some(tail)) => Ok(Cutoffs { front, tail }),
        _ => Err(format!(
            "'{typed}' is not a quality cutoff: expected a form like 20, or 15,20 for both ends"
        )),
    }
}

/// What takes the identifier that is in this place.
fn umi(args: &TrimArgs, place: UmiPlace, paired: bool, as_fastp: bool) -> Result<Umi> {
    let source = match place {
        UmiPlace::First => UmiSource::First,
        UmiPlace::Second if !paired => bail!("--umi second needs pairs"),
        UmiPlace::Second => UmiSource::Second,
        UmiPlace::Both => UmiSource::Both,
        UmiPlace::Index1 => UmiSource::Index1,
        UmiPlace::Index2 if !paired => bail!("--umi index2 needs pairs"),
        UmiPlace::Index2 => UmiSource::Index2,
        UmiPlace::BothIndexes => UmiSource::BothIndexes,
    };
    let in_header = matches!(place, UmiPlace::Index1 | UmiPlace::Index2 | UmiPlace::BothIndexes);
    let len = match args.umi_len {
        Some(_) if in_header => {
            bail!("--umi-len applies only to UMIs at the start of reads, not to those in headers")
        }
        None if !in_header => bail!("--umi needs --umi-len for UMIs at the start of reads"),
        len => len.map_or(0, NonZeroUsize::get),
    };
    if in_header && args.umi_skip > 0 {
        bail!("--umi-skip applies only to UMIs at the start of reads");
    }
    Ok(Umi {
        skip: args.umi_skip,
        prefix: args.umi_prefix.clone().unwrap_or_default(),
        leaves: usize::from(as_fastp),
        ..Umi::new(source, len)
    })
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum UmiPlace {
    /// Start of first reads, or of reads without mates
    #[value(alias = "read1")]
    First,
    /// Start of second reads
    #[value(alias = "read2")]
    Second,
    /// Start of both reads
    #[value(alias = "per_read")]
    Both,
    /// First index in the header: ACGT in 1:N:0:ACGT+GGTT
    Index1,
    /// Second index in the header of second reads
    Index2,
    /// Both indexes
    #[value(name = "indexes", alias = "per_index")]
    BothIndexes,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DustAction {
    /// Replace them with N
    Mask,
    /// Write them in lower case
    Lowercase,
}

/// What stands before an identifier in names.
fn umi_prefix(typed: &str) -> Result<String, String> {
    match !typed.is_empty() && typed.bytes().all(|letter| letter.is_ascii_alphanumeric()) {
        true => Ok(typed.to_owned()),
        false => Err("expected letters and digits".into()),
    }
}

/// `N` for both reads or `N,M` for first and second.
fn both<T: std::str::FromStr<Err: std::fmt::Display> + Copy>(text: &str) -> Result<[T; 2], String> {
    let parse = |text: &str| text.parse::<T>().map_err(|e| e.to_string());
    match text.split_once(',') {
        Some((first, second)) => Ok([parse(first)?, parse(second)?]),
        None => parse(text).map(|n| [n, n]),
    }
}

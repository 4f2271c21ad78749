//! The arguments that are of alignments, as typed, and the choice they mean.

use anyhow::{Context, Result, bail};
use biofast_bam::flag;
use biofast_io::TextBounds;
use biofast_ops::filter::alignment::{Choice, NameSample, TagFilter, words};
use biofast_ops::filter::expression::Expression;

use crate::inputs;
use crate::options::{Flags, InFile, OutFile, ProgramLineArgs, RegionArgs};

/// Which alignments, with the meaning and the letters of `samtools view`.
#[derive(clap::Args)]
pub(super) struct AlignmentArgs {
    #[command(flatten)]
    pub(super) flags: Flags,

    /// Include only records with a mapping quality of at least N
    #[arg(
        short = 'q',
        long = "min-mapq",
        alias = "min-mq",
        value_name = "N",
        group = "of_alignments"
    )]
    min_mapping_quality: Option<u8>,

    /// Include only records that match this expression, such as 'mapq >= 30 && [NM] < 3'
    ///
    /// It is an error if the expression can't be evaluated for a record.
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "STR",
        allow_hyphen_values = true,
        group = "of_alignments"
    )]
    expression: Option<Expression>,

    #[command(flatten)]
    pub(super) regions: RegionArgs,

    /// With both regions and -L: include only records that overlap an intersection of the two
    ///
    /// Otherwise, it is enough that a record overlaps one of each.
    #[arg(short = 'M', long = "use-index", group = "of_alignments")]
    pub(super) multi_region: bool,

    /// Include only records of this read group, or without a read group; may be repeated
    #[arg(
        short = 'r',
        long = "read-group",
        alias = "readgroup",
        value_name = "ID",
        group = "of_alignments"
    )]
    read_groups: Vec<String>,

    /// Include only records of the read groups listed in FILE, or without a read group
    #[arg(
        short = 'R',
        long = "read-group-file",
        alias = "readgroup-file",
        value_name = "FILE",
        group = "of_alignments"
    )]
    read_group_files: Vec<InFile>,

    /// Include only records of the reads named in FILE
    #[arg(
        short = 'N',
        long = "qname-file",
        alias = "QNAME-file",
        value_name = "FILE",
        group = "of_alignments"
    )]
    name_files: Vec<InFile>,

    /// Include only records with this tag, and VALUE if given; may be repeated for more values
    #[arg(short = 'd', long = "tag", value_name = "TAG[:VALUE]", group = "of_alignments")]
    tags: Vec<String>,

    /// Include only records whose tag has one of the values listed in FILE
    #[arg(short = 'D', long = "tag-file", value_name = "TAG:FILE", group = "of_alignments")]
    tag_files: Vec<String>,

    /// Keep this fraction of the reads, chosen by name: the same reads as samtools
    ///
    /// INT is the seed. With 'auto' instead, the seed is computed from the header.
    #[arg(short = 's', value_name = "INT.FRACTION", value_parser = seeded, conflicts_with = "subsample", group = "of_alignments")]
    seeded_fraction: Option<(Option<u32>, f64)>,

    /// Keep this fraction of the reads, chosen by name
    #[arg(long, value_name = "FRACTION", group = "of_alignments")]
    subsample: Option<f64>,

    /// Seed of --subsample [default: auto]
    ///
    /// 'auto' computes the seed from the header, like samtools 1.24, so that a sample of a sample gets another seed.
    #[arg(
        long,
        value_name = "INT|auto",
        requires = "subsample",
        value_parser = seed,
        group = "of_alignments"
    )]
    subsample_seed: Option<Seed>,

    /// Print only the number of records
    #[arg(short, long, conflicts_with_all = ["unselected", "json", "html", "write_index"], group = "of_alignments")]
    pub(super) count: bool,

    /// Write records that are not selected to FILE
    #[arg(
        short = 'U',
        long = "output-unselected",
        alias = "unoutput",
        value_name = "FILE",
        group = "of_alignments"
    )]
    pub(super) unselected: Option<OutFile>,

    /// Include the header in SAM output
    #[arg(short = 'h', long, group = "of_alignments")]
    pub(super) with_header: bool,

    /// Write BAM
    #[arg(short, long, group = "of_alignments")]
    pub(super) bam: bool,

    /// Write uncompressed BAM, for piping to another program
    #[arg(short, long, conflicts_with = "level", group = "of_alignments")]
    pub(super) uncompressed: bool,

    #[command(flatten)]
    pub(super) program: ProgramLineArgs,

    /// Reference sequences (FASTA) for CRAM input; a .fai index is optional
    #[arg(short = 'T', long, value_name = "FASTA", group = "of_alignments")]
    pub(super) reference: Option<InFile>,
}

impl AlignmentArgs {
    /// Whether more than flags, places and mapping qualities are looked at.
    pub(super) fn looks_inside(&self) -> bool {
        !(self.read_groups.is_empty()
            && self.read_group_files.is_empty()
            && self.name_files.is_empty()
            && self.tags.is_empty()
            && self.tag_files.is_empty()
            && self.seeded_fraction.is_none()
            && self.subsample.is_none()
            && self.expression.is_none())
    }

    /// What is asked for, but for regions.
    pub(super) fn choice(&self) -> Result<Choice> {
        let mut flags = self.flags.filter(0);
        flags.min_mapping_quality = self.min_mapping_quality.unwrap_or(0);
        let mut choice = Choice::new().flags(flags);
        if !self.read_groups.is_empty() {
            choice = choice.read_groups(self.read_groups.iter().map(|id| id.clone().into_bytes()));
        }
        for path in &self.read_group_files {
            choice = choice.read_groups(words(&list(path)?));
        }
        for path in &self.name_files {
            choice = choice.names(words(&list(path)?));
        }
        if let Some(tag) = self.tag()? {
            choice = choice.tag(tag);
        }
        if let Some((fraction, _)) = self.sampling() {
            // The seed may be known later.
            let option = if self.subsample.is_some() { "--subsample has" } else { "-s has" };
            NameSample::new(fraction, 0).context(option)?;
        }
        if let Some(expression) = &self.expression {
            choice = choice.expression(expression.clone());
        }
        Ok(choice)
    }

    /// The fraction of the reads that is taken, if not all are, and the seed if one is given.
    pub(super) fn sampling(&self) -> Option<(f64, Option<u32>)> {
        let given = self.subsample_seed.and_then(|Seed(seed)| seed);
        let named = self.subsample.map(|fraction| (fraction, given));
        named.or(self.seeded_fraction.map(|(seed, fraction)| (fraction, seed)))
    }

    /// Whether -f or --include-flags asks for flags that primary records don't have.
    pub(super) fn wants_other_than_primary(&self) -> bool {
        let flags = self.flags.filter(0);
        let others = flag::SECONDARY | flag::SUPPLEMENTARY;
        flags.all_of & others != 0 || flags.any_of != 0 && flags.any_of & !others == 0
    }

    /// The field asked for, and its values.
    fn tag(&self) -> Result<Option<TagFilter>> {
        let mut choice: Option<TagFilter> = None;
        let mut add = |text: &str, name: [u8; 2], values: Option<Vec<Vec<u8>>>| -> Result<()> {
            let found = choice.take().unwrap_or(TagFilter::new(name));
            if found.name() != name {
                let known = String::from_utf8_lossy(&found.name()).into_owned();
                bail!("'{text}' uses another tag than {known}: only one tag can be selected");
            }
            choice = Some(match values {
                Some(values) => found.with_values(values),
                None => found,
            });
            Ok(())
        };
        for text in &self.tags {
            let (name, value) = split(text).with_context(|| format!("-d {text}"))?;
            add(text, name, value.filter(|v| !v.is_empty()).map(|v| vec![v.as_bytes().to_vec()]))?;
        }
        for text in &self.tag_files {
            let (name, path) = split(text).with_context(|| format!("-D {text}"))?;
            let Some(path) = path.filter(|path| !path.is_empty()) else {
                bail!("-D {text}: expected TAG:FILE");
            };
            // An empty list wants no value, which is not the same as any.
            add(text, name, Some(words(&list(path.as_ref())?).collect()))?;
        }
        Ok(choice)
    }
}

/// The content of a list.
fn list(path: &std::path::Path) -> Result<Vec<u8>> {
    Ok(inputs::text(path, TextBounds::LIST)?)
}

/// `TAG` or `TAG:VALUE`.
fn split(text: &str) -> Result<([u8; 2], Option<&str>)> {
    let (name, value) = match text.split_once(':') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    match name.as_bytes() {
        &[a, b] => Ok(([a, b], value)),
        _ => bail!("expected a tag of two characters, optionally with ':' and a value"),
    }
}

/// A seed that is given, or none for `auto`.
#[derive(Clone, Copy, Debug)]
struct Seed(Option<u32>);

fn seed(text: &str) -> Result<Seed, String> {
    match text {
        "auto" => Ok(Seed(None)),
        number => match number.parse() {
            Ok(seed) => Ok(Seed(Some(seed))),
            Err(_) => Err("expected a whole number, or 'auto'".into()),
        },
    }
}

/// A seed, a point and the digits of a fraction.
fn seeded(text: &str) -> Result<(Option<u32>, f64), String> {
    let expected = || "expected a seed and a fraction, such as 7.1".to_owned();
    let (seed, digits) = text.split_once('.').ok_or_else(expected)?;
    let seed = match seed {
        "auto" => None,
        "" => Some(0),
        seed => Some(seed.parse().map_err(|_| expected())?),
    };
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(expected());
    }
    let fraction = format!("0.{digits}").parse().map_err(|_| expected())?;
    Ok((seed, fraction))
}

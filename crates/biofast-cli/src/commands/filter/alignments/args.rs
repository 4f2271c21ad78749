//! The arguments that are of alignments, as typed, and the choice they mean.

use anyhow::{Context, Result, bail};
use biofast::bam::flag;
use biofast::io::TextBounds;
use biofast::ops::filter::alignment::{Choice, NameSample, TagChoice, words};
use biofast::ops::filter::expression::Expression;

use crate::inputs;
use crate::options::{Flags, InFile, OutFile, Program, RegionArgs};

/// Which alignments, with the meaning and the letters of `samtools view`.
#[derive(clap::Args)]
pub(in crate::commands::filter) struct AlignmentArgs {
    #[command(flatten)]
    pub(super) flags: Flags,

    /// Only records with at least this mapping quality
    #[arg(short = 'q', long = "min-mapq", aliases = ["min-MQ", "min-mq"], value_name = "INT", group = "of_alignments")]
    min_mapping_quality: Option<u8>,

    /// Only records for which this filter expression holds, such as 'mapq >= 30 && [NM] < 3'; it is
    /// an error if that can't be told of a record
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "STR",
        allow_hyphen_values = true,
        group = "of_alignments"
    )]
    expression: Option<Expression>,

    #[command(flatten)]
    pub(in crate::commands::filter) regions: RegionArgs,

    /// With both regions and -L: records that overlap the intersections of the two, instead of records
    /// that overlap one of each
    #[arg(short = 'M', long = "use-index", group = "of_alignments")]
    pub(super) multi_region: bool,

    /// Only records of this read group, or without a read group; may be repeated
    #[arg(
        short = 'r',
        long = "read-group",
        alias = "readgroup",
        value_name = "ID",
        group = "of_alignments"
    )]
    read_groups: Vec<String>,

    /// Only records of the read groups named in FILE, or without a read group
    #[arg(
        short = 'R',
        long = "read-group-file",
        alias = "readgroup-file",
        value_name = "FILE",
        group = "of_alignments"
    )]
    read_group_files: Vec<InFile>,

    /// Only records of the reads named in FILE
    #[arg(
        short = 'N',
        long = "qname-file",
        alias = "QNAME-file",
        value_name = "FILE",
        group = "of_alignments"
    )]
    name_files: Vec<InFile>,

    /// Only records with this optional field, and with VALUE if one is given; may be repeated for several
    /// values of one field
    #[arg(short = 'd', long = "tag", value_name = "TAG[:VALUE]", group = "of_alignments")]
    tags: Vec<String>,

    /// Only records whose optional field has one of the values listed in FILE
    #[arg(short = 'D', long = "tag-file", value_name = "TAG:FILE", group = "of_alignments")]
    tag_files: Vec<String>,

    /// Take this fraction of the reads, chosen by name: the same reads as samtools. The number before the
    /// point is the seed; with 'auto' it is taken from the header
    #[arg(short = 's', value_name = "INT.FRACTION", value_parser = seeded, conflicts_with = "subsample", group = "of_alignments")]
    seeded_fraction: Option<(Option<u32>, f64)>,

    /// Take this fraction of the reads, chosen by name
    #[arg(long, value_name = "FRACTION", group = "of_alignments")]
    subsample: Option<f64>,

    /// Seed of --subsample [default: auto, which takes it from the header, as samtools 1.24 does, so that a sample of a sample has another seed]
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

    /// Print the header before the records of SAM output
    #[arg(short = 'h', long, group = "of_alignments")]
    pub(super) with_header: bool,

    /// Write BAM
    #[arg(short, long, group = "of_alignments")]
    pub(super) bam: bool,

    /// Write BAM without compression, for a program that reads it at once
    #[arg(short, long, conflicts_with = "level", group = "of_alignments")]
    pub(super) uncompressed: bool,

    #[command(flatten)]
    pub(super) program: Program,

    /// Reference sequences of a CRAM file, in FASTA, indexed (.fai) or not
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

    /// Whether -f or --rf asks for flags that primary records don't have.
    pub(super) fn wants_other_than_primary(&self) -> bool {
        let flags = self.flags.filter(0);
        let others = flag::SECONDARY | flag::SUPPLEMENTARY;
        flags.all_of & others != 0 || flags.any_of != 0 && flags.any_of & !others == 0
    }

    /// The field asked for, and its values.
    fn tag(&self) -> Result<Option<TagChoice>> {
        let mut choice: Option<TagChoice> = None;
        let mut add = |text: &str, name: [u8; 2], values: Option<Vec<Vec<u8>>>| -> Result<()> {
            let found = choice.take().unwrap_or(TagChoice::new(name));
            if found.name() != name {
                let known = String::from_utf8_lossy(&found.name()).into_owned();
                bail!("'{text}' is of another field than {known}: only one can be asked for");
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
        _ => bail!("expected a field's name of two characters, and perhaps ':' and more"),
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

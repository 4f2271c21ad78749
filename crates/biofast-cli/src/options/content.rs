//! Which alignments are wanted by what they hold beside flags and places: read groups, names, tags, a sample of the names.

use anyhow::{Context, Result, bail};
use biofast_bam::Header;
use biofast_io::{Escaped, TextBounds};
use biofast_ops::filter::alignment::{
    Choice, NameSample, TagFilter, sampled_before, sampling_comment, seed_of, words,
};
use biofast_ops::filter::names::ListedNames;

use super::InFile;
use crate::console::Console;
use crate::inputs;

/// Which alignments, with the meaning and the letters of `samtools view`.
#[derive(clap::Args)]
pub(crate) struct ContentArgs {
    /// Include only records of this read group, or without a read group; may be repeated
    #[arg(short = 'r', long = "read-group", alias = "readgroup", value_name = "ID")]
    read_groups: Vec<String>,

    /// Include only records of the read groups listed in FILE, or without a read group
    #[arg(short = 'R', long = "read-group-file", alias = "readgroup-file", value_name = "FILE")]
    read_group_files: Vec<InFile>,

    /// Include only records of the reads named in FILE
    #[arg(short = 'N', long = "qname-file", alias = "QNAME-file", value_name = "FILE")]
    name_files: Vec<InFile>,

    /// Include only records with this tag, and VALUE if given; may be repeated for more values
    #[arg(short = 'd', long = "tag", value_name = "TAG[:VALUE]")]
    tags: Vec<String>,

    /// Include only records whose tag has one of the values listed in FILE
    #[arg(short = 'D', long = "tag-file", value_name = "TAG:FILE")]
    tag_files: Vec<String>,

    /// Keep this fraction of the reads, chosen by name: the same reads as samtools
    ///
    /// INT is the seed. With 'auto' instead, the seed is computed from the header.
    #[arg(short = 's', value_name = "INT.FRACTION", value_parser = seeded, conflicts_with = "subsample")]
    seeded_fraction: Option<(Option<u32>, f64)>,

    /// Keep this fraction of the reads, chosen by name
    #[arg(long, value_name = "FRACTION")]
    subsample: Option<f64>,

    /// Seed of --subsample [default: auto]
    ///
    /// 'auto' computes the seed from the header, like samtools 1.24, so that a sample of a sample gets another seed.
    #[arg(long, value_name = "INT|auto", requires = "subsample", value_parser = seed)]
    subsample_seed: Option<Seed>,
}

impl ContentArgs {
    /// Whether any is asked for.
    pub(crate) fn any(&self) -> bool {
        !(self.read_groups.is_empty()
            && self.read_group_files.is_empty()
            && self.name_files.is_empty()
            && self.tags.is_empty()
            && self.tag_files.is_empty()
            && self.seeded_fraction.is_none()
            && self.subsample.is_none())
    }

    /// The choice with what is asked for, but for the sample, which [`complete`](Self::complete) adds.
    pub(crate) fn add_to(&self, mut choice: Choice) -> Result<Choice> {
        if !self.read_groups.is_empty() {
            choice = choice.read_groups(self.read_groups.iter().map(|id| id.clone().into_bytes()));
        }
        for path in &self.read_group_files {
            choice = choice.read_groups(words(&list(path)?));
        }
        for path in &self.name_files {
            choice = choice.names(words(&list(path)?));
        }
        if let Some(tag) = tag_filter(&self.tags, &self.tag_files, ListedValues::Words)? {
            choice = choice.tag(tag);
        }
        if let Some((fraction, _)) = self.sampling() {
            // The seed may be known later.
            let option = if self.subsample.is_some() { "--subsample has" } else { "-s has" };
            NameSample::new(fraction, 0).context(option)?;
        }
        Ok(choice)
    }

    /// Adds the sample, whose seed may be taken of the header, and returns what is said of it in the header that is written.
    /// What is noticed goes to `console`.
    pub(crate) fn complete(
        &self,
        choice: Choice,
        header: &Header,
        console: Option<&Console>,
    ) -> Result<(Choice, Option<String>)> {
        warn_of_absent_groups(console, &choice.absent_read_groups(header));
        let Some((fraction, given)) = self.sampling() else { return Ok((choice, None)) };
        let header = choice.header(header);
        let seed = given.unwrap_or_else(|| seed_of(header.text()));
        if let (Some(console), Some((before, old))) = (console, sampled_before(header.text())) {
            match old == seed {
                true => console.warning(&format!(
                        "the input was already sampled with seed {seed} ({before}), so the same reads would be chosen again and the fraction would be wrong; use another seed, or 'auto'"
                    ),
                ),
                false => console.note(&format!("the input was already sampled ({before})")),
            }
        }
        let sample = NameSample::new(fraction, seed)?;
        Ok((choice.sample(sample), Some(sampling_comment(fraction, seed))))
    }

    /// The fraction of the reads that is taken, if not all are, and the seed if one is given.
    fn sampling(&self) -> Option<(f64, Option<u32>)> {
        let given = self.subsample_seed.and_then(|Seed(seed)| seed);
        let named = self.subsample.map(|fraction| (fraction, given));
        named.or(self.seeded_fraction.map(|(seed, fraction)| (fraction, seed)))
    }
}

/// What of a file is a value of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListedValues {
    /// Words, as of `samtools view -D`.
    Words,
    /// Lines, as of `samtools fastq -D`.
    Lines,
}

/// The field that `-d` and `-D` ask for, and its values.
pub(crate) fn tag_filter(
    tags: &[String],
    files: &[String],
    listed: ListedValues,
) -> Result<Option<TagFilter>> {
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
    for text in tags {
        let (name, value) = split(text).with_context(|| format!("-d {text}"))?;
        add(text, name, value.filter(|v| !v.is_empty()).map(|v| vec![v.as_bytes().to_vec()]))?;
    }
    for text in files {
        let (name, path) = split(text).with_context(|| format!("-D {text}"))?;
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            bail!("-D {text}: expected TAG:FILE");
        };
        // An empty list wants no value, which is not the same as any.
        let list = list(path.as_ref())?;
        let values = match listed {
            ListedValues::Words => words(&list).collect(),
            ListedValues::Lines => {
                let lines = list.split(|&b| b == b'\n').filter(|line| !line.is_empty());
                lines.map(<[u8]>::to_vec).collect()
            }
        };
        add(text, name, Some(values))?;
    }
    Ok(choice)
}

/// Says which read groups that were asked for there are none of.
fn warn_of_absent_groups(console: Option<&Console>, absent: &[Vec<u8>]) {
    let (Some(console), Some(first)) = (console, absent.first()) else { return };
    let more = match absent.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} others)"),
    };
    let first = Escaped(first);
    console.warning(&format!("read group '{first}' is not in the header{more}"));
}

/// Says which of the listed names there were none of.
pub(crate) fn warn_of_absent_names(console: Option<&Console>, listed: Option<&ListedNames>) {
    let Some(ListedNames { listed, found, first_absent: Some(name) }) = listed else { return };
    if let Some(console) = console {
        let name = Escaped(name.as_bytes());
        let absent = listed - found;
        let warning =
            format!("{absent} of {listed} listed names not found in the input, such as '{name}'");
        console.warning(&warning);
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

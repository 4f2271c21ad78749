//! Adapters as they are typed: cutadapt's notation.

use super::adapter::{Adapter, AdapterPart};
use super::settings::{AdapterSettings, InvalidSpec};
use super::single::{AdapterKind, Single, check_errors};

/// On which side of the kept bases an adapter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterSide {
    /// Behind it: a 3′ adapter (`-a`).
    Back,
    /// Before it: a 5′ adapter (`-g`).
    Front,
    /// Either (`-b`).
    Anywhere,
}

/// What is said of one adapter alone, behind `;`.
#[derive(Clone, Debug, Default)]
struct Parameters {
    max_errors: Option<f64>,
    min_overlap: Option<usize>,
    anywhere: bool,
    required: Option<bool>,
    indels: Option<bool>,
    rightmost: bool,
}

impl Parameters {
    fn parse(text: &str) -> Result<Parameters, InvalidSpec> {
        let mut found = Parameters::default();
        let mut known = Vec::new();
        for field in text.split(';').map(str::trim).filter(|field| !field.is_empty()) {
            let (key, value) = match field.split_once('=') {
                Some((key, value)) => (key.trim(), Some(value.trim())),
                None => (field, None),
            };
            let wrong = |expected| InvalidSpec::Parameter(field.to_owned(), expected);
            let flag = match value {
                None => Ok(true),
                Some(value) => value.parse().map(|n: f64| n != 0.0).map_err(|_| wrong("no value")),
            };
            let name = match key {
                "e" | "error_rate" | "max_error_rate" | "max_errors" => {
                    let value = value.and_then(|value| value.parse::<f64>().ok());
                    let value =
                        value.ok_or_else(|| wrong("a share of errors, or a number of them"))?;
                    check_errors(value)?;
                    found.max_errors = Some(value);
                    "max_errors"
                }
                "o" | "min_overlap" => {
                    let value = value.and_then(|value| value.parse().ok()).filter(|&n| n > 0);
                    found.min_overlap = Some(value.ok_or_else(|| wrong("a number of bases"))?);
                    "min_overlap"
                }
                "anywhere" => {
                    found.anywhere = flag?;
                    key
                }
                "required" | "optional" => {
                    found.required = Some(flag? == (key == "required"));
                    "required or optional"
                }
                "indels" | "noindels" => {
                    found.indels = Some(flag? == (key == "indels"));
                    "indels or noindels"
                }
                "rightmost" => {
                    found.rightmost = flag?;
                    key
                }
                _ => {
                    return Err(wrong(
                        "one of max_error_rate (e), min_overlap (o), anywhere, required, optional, indels, noindels and rightmost",
                    ));
                }
            };
            if known.contains(&name) {
                return Err(wrong("each parameter once"));
            }
            known.push(name);
        }
        Ok(found)
    }

    fn over(&self, settings: &AdapterSettings) -> AdapterSettings {
        AdapterSettings {
            max_errors: self.max_errors.unwrap_or(settings.max_errors),
            min_overlap: self.min_overlap.unwrap_or(settings.min_overlap),
            indels: self.indels.unwrap_or(settings.indels),
            ..*settings
        }
    }
}

/// Repeats what stands before `{n}` n times.
fn expand(text: &str) -> Result<String, InvalidSpec> {
    let wrong = || InvalidSpec::Braces(text.to_owned());
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (number, after) = after.split_once('}').ok_or_else(wrong)?;
        let repeated = before.chars().last().ok_or_else(wrong)?;
        let n: usize = number.parse().ok().filter(|&n| n <= 10_000).ok_or_else(wrong)?;
        out.push_str(before);
        out.pop();
        out.extend(std::iter::repeat_n(repeated, n));
        rest = after;
    }
    if rest.contains('}') {
        return Err(wrong());
    }
    Ok(out + rest)
}

/// An adapter without `...`.
struct Spec {
    name: Option<String>,
    sequence: String,
    kind: AdapterKind,
    parameters: Parameters,
}

impl Spec {
    fn parse(text: &str, side: AdapterSide) -> Result<Spec, InvalidSpec> {
        let (text, parameters) = text.split_once(';').unwrap_or((text, ""));
        let parameters = Parameters::parse(parameters)?;
        let (name, text) = match text.split_once('=') {
            Some((name, text)) => (Some(name.trim().to_owned()), text),
            None => (None, text),
        };
        let mut sequence = &*expand(text.trim())?;
        let mut restrictions = Vec::new();
        if let Some(rest) = sequence.strip_prefix('^') {
            sequence = rest;
            restrictions.push(AdapterKind::Prefix);
        }
        if sequence.starts_with(['X', 'x']) {
            sequence = sequence.trim_start_matches(['X', 'x']);
            restrictions.push(AdapterKind::FrontNotInternal);
        }
        if let Some(rest) = sequence.strip_suffix('$') {
            sequence = rest;
            restrictions.push(AdapterKind::Suffix);
        }
        if sequence.ends_with(['X', 'x']) {
            sequence = sequence.trim_end_matches(['X', 'x']);
            restrictions.push(AdapterKind::BackNotInternal);
        }
        let kind = match (side, &restrictions[..], parameters.rightmost) {
            (AdapterSide::Back, [], false) => AdapterKind::Back,
            (AdapterSide::Back, [], true) => AdapterKind::RightmostBack,
            (AdapterSide::Front, [], false) => AdapterKind::Front,
            (AdapterSide::Front, [], true) => AdapterKind::RightmostFront,
            (AdapterSide::Anywhere, [], false) => AdapterKind::Anywhere,
            (
                AdapterSide::Back,
                &[kind @ (AdapterKind::Suffix | AdapterKind::BackNotInternal)],
                false,
            )
            | (
                AdapterSide::Front,
                &[kind @ (AdapterKind::Prefix | AdapterKind::FrontNotInternal)],
                false,
            ) => kind,
            (_, _, true) => return Err(InvalidSpec::Rightmost(text.to_owned())),
            (AdapterSide::Back, ..) => {
                return Err(InvalidSpec::Place(
                    text.to_owned(),
                    "3′ of the read: SEQ, SEQ$ or SEQX",
                ));
            }
            (AdapterSide::Front, ..) => {
                return Err(InvalidSpec::Place(
                    text.to_owned(),
                    "5′ of the read: SEQ, ^SEQ or XSEQ",
                ));
            }
            (AdapterSide::Anywhere, ..) => {
                return Err(InvalidSpec::Place(text.to_owned(), "anywhere: without ^, $ and X"));
            }
        };
        if kind.is_anchored() && parameters.min_overlap.is_some() {
            return Err(InvalidSpec::AnchoredOverlap(text.to_owned()));
        }
        Ok(Spec { name, sequence: sequence.to_owned(), kind, parameters })
    }

    fn build(&self, anywhere: bool, settings: &AdapterSettings) -> Result<Single, InvalidSpec> {
        let settings = self.parameters.over(settings);
        Single::new(self.sequence.as_bytes(), self.kind, anywhere, &settings)
    }
}

/// The adapter that `text` means; `name` is its name if it has none in `text`.
pub(super) fn parse(
    text: &str,
    side: AdapterSide,
    name: Option<&str>,
    settings: &AdapterSettings,
) -> Result<Adapter, InvalidSpec> {
    let name = name.map(str::to_owned);
    let (text, side) = match text.split_once("...") {
        None => (text, side),
        Some(_) if side == AdapterSide::Anywhere => {
            return Err(InvalidSpec::Place(text.to_owned(), "anywhere: without '...'"));
        }
        Some(("", back)) if side == AdapterSide::Back => (back, side),
        Some((front, "")) => (front, AdapterSide::Front),
        Some(("", _)) => {
            return Err(InvalidSpec::Place(text.to_owned(), "5′ of the read: not '...SEQ'"));
        }
        Some((front, back)) => return linked(front, back, side, name, settings),
    };
    let spec = Spec::parse(text, side)?;
    if spec.parameters.required.is_some() {
        return Err(InvalidSpec::NotLinked(text.to_owned()));
    }
    let free = matches!(
        spec.kind,
        AdapterKind::Front
            | AdapterKind::Back
            | AdapterKind::RightmostFront
            | AdapterKind::RightmostBack
    );
    let single = spec.build(spec.parameters.anywhere && free, settings)?;
    Ok(Adapter {
        name: name.or(spec.name),
        text: text.to_owned(),
        part: AdapterPart::Single(single),
    })
}

fn linked(
    front: &str,
    back: &str,
    side: AdapterSide,
    name: Option<String>,
    settings: &AdapterSettings,
) -> Result<Adapter, InvalidSpec> {
    let text = format!("{front}...{back}");
    let front = Spec::parse(front, AdapterSide::Front)?;
    let back = Spec::parse(back, AdapterSide::Back)?;
    if front.parameters.anywhere || back.parameters.anywhere {
        return Err(InvalidSpec::LinkedAnywhere(text));
    }
    // Behind -g both parts must be there, behind -a those that are tied to an end.
    let required = |spec: &Spec| {
        let tied = !matches!(
            spec.kind,
            AdapterKind::Front
                | AdapterKind::Back
                | AdapterKind::RightmostFront
                | AdapterKind::RightmostBack
        );
        spec.parameters.required.unwrap_or(side == AdapterSide::Front || tied)
    };
    Ok(Adapter {
        name: name.or(front.name.clone()),
        text,
        part: AdapterPart::Linked {
            required: [required(&front), required(&back)],
            front: front.build(false, settings)?,
            back: back.build(false, settings)?,
        },
    })
}

/// The names and sequences of a FASTA text.
pub(super) fn fasta(text: &[u8]) -> Result<Vec<(Option<String>, String)>, InvalidSpec> {
    let mut found: Vec<(Option<String>, String)> = Vec::new();
    for (number, line) in text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).enumerate() {
        let line = std::str::from_utf8(line).map_err(|_| InvalidSpec::Fasta(number + 1))?;
        match (line.strip_prefix('>'), found.last_mut()) {
            (Some(header), _) => {
                found.push((header.split_whitespace().next().map(str::to_owned), String::new()));
            }
            (None, _) if line.is_empty() => {}
            (None, Some((_, sequence))) => sequence.push_str(line),
            (None, None) => return Err(InvalidSpec::Fasta(number + 1)),
        }
    }
    if found.is_empty() { Err(InvalidSpec::NoFasta) } else { Ok(found) }
}

/// A file of adapters, given in place of an adapter: `file:PATH`, `^file:PATH` or `file$:PATH`, with parameters after
/// `;`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdapterFile<'t> {
    /// Where it is.
    pub path: &'t str,
    /// What belongs before and behind each of its sequences.
    pub around: [&'static str; 2],
    /// How they are looked for.
    pub settings: AdapterSettings,
}

impl<'t> AdapterFile<'t> {
    /// Takes the text apart; `None` if it names no file.
    ///
    /// # Errors
    /// If there is a parameter that isn't one of a file.
    pub fn parse(
        text: &'t str,
        settings: &AdapterSettings,
    ) -> Result<Option<AdapterFile<'t>>, InvalidSpec> {
        let (rest, around) = if let Some(rest) = text.strip_prefix("file:") {
            (rest, ["", ""])
        } else if let Some(rest) = text.strip_prefix("^file:") {
            (rest, ["^", ""])
        } else if let Some(rest) = text.strip_prefix("file$:") {
            (rest, ["", "$"])
        } else {
            return Ok(None);
        };
        let (path, parameters) = rest.split_once(';').unwrap_or((rest, ""));
        let parameters = Parameters::parse(parameters)?;
        if parameters.anywhere || parameters.rightmost || parameters.required.is_some() {
            return Err(InvalidSpec::OfFile(text.to_owned()));
        }
        Ok(Some(AdapterFile { path, around, settings: parameters.over(settings) }))
    }
}

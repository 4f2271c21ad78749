//! Adapters in the names of outputs: a file for each adapter, or for each two of the mates of pairs.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use biofast_io::output::allow_open_files;
use biofast_ops::filter::trim::Label;
use biofast_ops::filter::{Combinations, Filter};

use super::opener::All;
use crate::commands::filter::args::Args;
use crate::commands::filter::places::{NAME, NAMES, Places};
use crate::output::OTHER_FILES;

/// What stands there of reads without one.
const UNKNOWN: &str = "unknown";

/// Which outputs get which adapters.
pub(super) enum Texts {
    None,
    First(Vec<[usize; 2]>),
    Both(Combinations),
}

impl Texts {
    /// Tells the filter.
    pub(super) fn apply(self, filter: Filter) -> Filter {
        match self {
            Texts::None => filter,
            Texts::First(texts) => filter.by_adapter(texts),
            Texts::Both(combinations) => filter.by_adapters(combinations),
        }
    }
}

/// The adapters of a mate by their names, in the order of the filter's adapters.
#[derive(Default)]
struct Side<'a> {
    names: Vec<&'a str>,
    /// For each adapter of the filter the number of its name, from 1; 0 for those of the other mate.
    groups: Vec<usize>,
}

impl<'a> Side<'a> {
    fn new(adapters: &'a [Label], read: u8) -> Result<Side<'a>> {
        let mut side = Side::default();
        let mut known = HashMap::new();
        for label in adapters {
            let name = label.name.as_str();
            if label.read != read {
                side.groups.push(0);
                continue;
            }
            if name.contains(['/', '\\', '\0']) {
                bail!("the adapter name '{}' can't be part of a file name", name.escape_debug());
            }
            if name == UNKNOWN {
                bail!("an adapter is named {UNKNOWN}, which stands for reads without an adapter");
            }
            let next = side.names.len() + 1;
            side.groups.push(*known.entry(name).or_insert(next));
            if known.len() == next {
                side.names.push(name);
            }
        }
        Ok(side)
    }

    /// The name of a group.
    fn name(&self, group: usize) -> &'a str {
        group.checked_sub(1).and_then(|at| self.names.get(at)).copied().unwrap_or(UNKNOWN)
    }
}

/// What stands in the names of outputs.
pub(super) struct AdapterNames<'a> {
    places: Places,
    /// Of second reads as well, if they have files of their own.
    templates: Vec<&'a str>,
    sides: [Side<'a>; 2],
    /// Whether reads without an adapter are kept.
    with_unknown: bool,
}

impl<'a> AdapterNames<'a> {
    pub(super) fn new(
        args: &'a Args,
        paired: bool,
        adapters: &'a [Label],
    ) -> Result<AdapterNames<'a>> {
        let (places, templates) = Places::of(args)?;
        let with_unknown = !args.adapters.discards_untrimmed();
        let mut names = AdapterNames { places, templates, sides: Default::default(), with_unknown };
        if places == Places::None {
            return Ok(names);
        }
        if args.mates.merges() && args.mates.merged_out.is_none() {
            bail!("--merge with adapter names in --out needs --merged-out");
        }
        names.sides[0] = Side::new(adapters, 1)?;
        if names.sides[0].names.is_empty() {
            let place = if places == Places::First { NAME } else { NAMES[0] };
            bail!(
                "{place} in --out stands for the adapter of the first read: add -a, -g or --anywhere"
            );
        }
        if places == Places::Both {
            if !paired {
                bail!("{} in --out needs pairs: use {NAME} for single reads", NAMES[1]);
            }
            names.sides[1] = Side::new(adapters, 2)?;
            if names.sides[1].names.is_empty() {
                bail!(
                    "{} in --out stands for the adapter of the second read: add -A, --front2 or -B",
                    NAMES[1]
                );
            }
        }
        Ok(names)
    }

    /// Whether more files are written than may be open.
    pub(super) fn many(&self, indexed: bool) -> Result<bool> {
        let each = self.sides.iter().map(|side| side.names.len().saturating_add(1));
        let number = each.fold(self.templates.len(), usize::saturating_mul);
        let number = number.saturating_mul(usize::from(indexed) + 1);
        let files = (number as u64).saturating_add(OTHER_FILES);
        match allow_open_files(files) {
            Err(most) if indexed => bail!(
                "--write-index would open {files} files at once, but the limit is {most} (ulimit -n)"
            ),
            result => Ok(result.is_err()),
        }
    }

    /// Opens the files of adapters: what gets which, and what gets reads without one, if names have places at all.
    pub(super) fn open(&self, all: &mut All<'_>) -> Result<(Texts, Option<[usize; 2]>)> {
        let mut open = |groups: [usize; 2]| -> Result<[usize; 2]> {
            let [one, two] = [0, 1].map(|mate| self.sides[mate].name(groups[mate]));
            let mut opened = Vec::new();
            for template in &self.templates {
                let path = match self.places {
                    Places::Both => filled(template, [(NAMES[0], one), (NAMES[1], two)]),
                    _ => filled(template, [(NAME, one)]),
                };
                opened.push(all.file(&PathBuf::from(path))?);
            }
            let first = opened.first().copied().unwrap_or_default();
            Ok([first, opened.get(1).copied().unwrap_or(first)])
        };
        let [rows, columns] = [0, 1].map(|mate| self.sides[mate].names.len());
        match self.places {
            Places::None => Ok((Texts::None, None)),
            Places::First => {
                let mut texts = Vec::new();
                let unknown = if self.with_unknown { Some(open([0, 0])?) } else { None };
                for row in 1..=rows {
                    texts.push(open([row, 0])?);
                }
                // Where there is no file for them, no read without an adapter is kept.
                let unknown = unknown.or(texts.first().copied());
                let of = |&group: &usize| match group {
                    // Of second reads, which never decide.
                    0 => [0, 0],
                    group => texts.get(group - 1).copied().unwrap_or_default(),
                };
                Ok((Texts::First(self.sides[0].groups.iter().map(of).collect()), unknown))
            }
            Places::Both => {
                let mut texts = Vec::new();
                let mut unknown = None;
                for row in 0..=rows {
                    let mut of_row = Vec::new();
                    for column in 0..=columns {
                        let is_wanted = self.with_unknown || (row > 0 && column > 0);
                        // As above.
                        of_row.push(if is_wanted { open([row, column])? } else { [0, 0] });
                        unknown = unknown.or(Some(of_row[0]));
                    }
                    texts.push(of_row);
                }
                let [first, second] = self.sides.each_ref().map(|side| side.groups.iter());
                let groups = first.zip(second).map(|(first, second)| first + second).collect();
                Ok((Texts::Both(Combinations { groups, texts }), unknown))
            }
        }
    }
}

/// A name with its places filled in, in one go: what is filled in may look like a place.
fn filled<const N: usize>(template: &str, places: [(&str, &str); N]) -> String {
    let mut out = String::new();
    let mut rest = template;
    'text: while let Some(next) = rest.chars().next() {
        for (place, name) in places {
            if let Some(after) = rest.strip_prefix(place) {
                out.push_str(name);
                rest = after;
                continue 'text;
            }
        }
        out.push(next);
        rest = &rest[next.len_utf8()..];
    }
    out
}

//! What `biofast grep` says about what it found.

use biofast::io::{Shown, display_name};
use biofast::ops::filter::report::{FileSum, Role};
use biofast::ops::grep::{Finder, Motif, Pattern, Tally, Within, colour};
use biofast::ops::measure::records::Sum;

use super::args::{Args, Color};
use super::outputs::Opened;
use crate::console::{is_coloured, message};
use crate::inputs::Input;

/// The columns of places.
pub(super) const PLACES: &str = "seqID\tpatternName\tpattern\tstrand\tstart\tend\tmatched";
/// Patterns that are counted on standard error.
const FEW: usize = 12;

/// The table of patterns.
pub(super) fn counts(finder: &Finder, tally: &Tally) -> Vec<u8> {
    let mut text = b"pattern\treads\tplaces\n".to_vec();
    for (pattern, count) in finder.patterns().iter().zip(&tally.patterns) {
        text.extend(pattern.name().iter().map(|&byte| if byte == b'\t' { b' ' } else { byte }));
        text.extend_from_slice(format!("\t{}\t{}\n", count.reads, count.places).as_bytes());
    }
    text
}

/// The patterns that were found in no read, each once.
pub(super) fn missing(finder: &Finder, tally: &Tally) -> Vec<u8> {
    let mut text = Vec::new();
    for pattern in absent(finder, tally) {
        text.extend_from_slice(pattern);
        text.push(b'\n');
    }
    text
}

/// The names of patterns that were found in no read.
fn absent<'f>(finder: &'f Finder, tally: &'f Tally) -> impl Iterator<Item = &'f [u8]> {
    let counts = finder.patterns().iter().zip(&tally.patterns);
    counts.filter(|(_, count)| count.reads == 0).map(|(pattern, _)| pattern.name())
}

/// The summary.
pub(super) fn summary(finder: &Finder, tally: &Tally, paired: bool) -> serde_json::Value {
    let of = |sums: &[Sum; 2]| sums[0].records + sums[1].records;
    let patterns = finder.patterns().iter().zip(&tally.patterns).map(|(pattern, count)| {
        serde_json::json!({
            "name": String::from_utf8_lossy(pattern.name()),
            "pattern": String::from_utf8_lossy(pattern.text()),
            "reads": count.reads,
            "places": count.places,
        })
    });
    let patterns: Vec<_> = patterns.collect();
    serde_json::json!({
        "reads": of(&tally.input),
        "reads_kept": of(&tally.kept),
        "reads_rejected": of(&tally.rejected),
        "paired": paired,
        "patterns_found": patterns.len() - absent(finder, tally).count(),
        "patterns": patterns,
    })
}

/// The inputs and outputs, with what was read from and written to each.
pub(super) fn sums(tally: &Tally, inputs: &[Input], opened: &Opened) -> Vec<FileSum> {
    let join = |sums: &[Sum; 2], mates: [bool; 2]| {
        let mut all = Sum::default();
        sums.iter().zip(mates).filter(|(_, has)| *has).for_each(|(sum, _)| all.add(*sum));
        all
    };
    let file =
        |path: String, role, sum: Sum| FileSum { path, role, partial: false, records: sum.into() };
    let read = inputs.iter().enumerate().map(|(number, input)| {
        let mates = if inputs.len() > 1 { [number == 0, number == 1] } else { [true; 2] };
        file(input.name(), Role::Input, join(&tally.input, mates))
    });
    let written = opened.paths.iter().filter_map(|(path, holds)| {
        let holds = (*holds)?;
        let path = path.as_ref().map_or("-".into(), |path| display_name(path));
        let sums = if holds.role == Role::Rejected { &tally.rejected } else { &tally.kept };
        Some(file(path, holds.role, join(sums, holds.mates)))
    });
    read.chain(written).collect()
}

/// Says on standard error what was found.
pub(super) fn tell(args: &Args, finder: &Finder, tally: &Tally, paired: bool) {
    let what = if paired { "pairs" } else { "reads" };
    message("note", &format!("{} of {} {what} kept", tally.kept_units, tally.units));
    let patterns = finder.patterns();
    let coloured = match args.results.color {
        Color::Never => false,
        Color::Always => true,
        Color::Auto => is_coloured(&std::io::stderr()),
    };
    let is_list = !args.what.pattern_file.is_empty()
        && finder.within() != Within::Sequence
        && !args.what.use_regexp;
    if (2..=FEW).contains(&patterns.len()) && !is_list {
        for (number, (pattern, count)) in patterns.iter().zip(&tally.patterns).enumerate() {
            let (on, off) = if coloured { colour(number) } else { (String::new(), "") };
            let name = Shown(pattern.name());
            message("note", &format!("{on}{name}{off}: {} reads", count.reads));
        }
    }
    let lacking = absent(finder, tally).count();
    let is_motif = |pattern: &Pattern| Motif::new(pattern.text()).is_ok();
    if finder.within() == Within::Name && lacking == patterns.len() && patterns.iter().all(is_motif)
    {
        message("hint", "no read has such a name; -s looks in sequences");
    }
    let words = match (is_list, patterns.len()) {
        (true, _) => "names",
        (false, FEW..) => "patterns",
        _ => return,
    };
    let found = patterns.len() - lacking;
    let first = absent(finder, tally)
        .next()
        .map(|name| format!("; the first that was not is {}", Shown(name)));
    let first = first.unwrap_or_default();
    let level = if lacking > 0 { "warning" } else { "note" };
    message(level, &format!("{found} of {} {words} found{first}", patterns.len()));
}

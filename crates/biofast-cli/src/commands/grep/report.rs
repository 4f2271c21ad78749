//! What `biofast grep` says about what it found.

use biofast_io::Shown;
use biofast_ops::grep::{GrepTally, Motif, Pattern, PatternFinder, Within, colour};
use biofast_ops::measure::records::Sum;
use biofast_ops::number::counted;

use super::args::{Args, Color};
use crate::console::{Console, is_coloured};

/// The columns of places.
pub(super) const PLACES: &str = "seqID\tpatternName\tpattern\tstrand\tstart\tend\tmatched";
/// Patterns that are counted on standard error.
const FEW: usize = 12;

/// The table of patterns.
pub(super) fn counts(finder: &PatternFinder, tally: &GrepTally) -> Vec<u8> {
    let mut text = b"pattern\treads\tplaces\n".to_vec();
    for (pattern, count) in finder.patterns().iter().zip(&tally.patterns) {
        text.extend(pattern.name().iter().map(|&byte| if byte == b'\t' { b' ' } else { byte }));
        text.extend_from_slice(format!("\t{}\t{}\n", count.reads, count.places).as_bytes());
    }
    text
}

/// The patterns that were found in no read, each once.
pub(super) fn missing(finder: &PatternFinder, tally: &GrepTally) -> Vec<u8> {
    let mut text = Vec::new();
    for pattern in absent(finder, tally) {
        text.extend_from_slice(pattern);
        text.push(b'\n');
    }
    text
}

/// The names of patterns that were found in no read.
fn absent<'f>(finder: &'f PatternFinder, tally: &'f GrepTally) -> impl Iterator<Item = &'f [u8]> {
    let counts = finder.patterns().iter().zip(&tally.patterns);
    counts.filter(|(_, count)| count.reads == 0).map(|(pattern, _)| pattern.name())
}

/// The summary.
pub(super) fn summary(
    finder: &PatternFinder,
    tally: &GrepTally,
    paired: bool,
) -> serde_json::Value {
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

/// Says on standard error what was found.
pub(super) fn tell(
    console: &Console,
    args: &Args,
    finder: &PatternFinder,
    tally: &GrepTally,
    paired: bool,
) {
    let what = if paired { "pairs" } else { "reads" };
    console.note(&format!("{} of {} {what} kept", tally.kept_units, tally.units));
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
            console.note(&format!("{on}{name}{off}: {}", counted(count.reads, "read")));
        }
    }
    let lacking = absent(finder, tally).count();
    let is_motif = |pattern: &Pattern| Motif::new(pattern.text()).is_ok();
    if finder.within() == Within::Name && lacking == patterns.len() && patterns.iter().all(is_motif)
    {
        console.hint("no read name matches; use -s to search sequences");
    } else if finder.within() == Within::Name
        && lacking == patterns.len()
        && !args.what.use_regexp
        && patterns.iter().any(|pattern| looks_like_regexp(pattern.text()))
    {
        console.hint("no read name matches; use -r if the pattern is a regular expression");
    }
    let words = match (is_list, patterns.len()) {
        (true, _) => "names",
        (false, FEW..) => "patterns",
        _ => return,
    };
    let found = patterns.len() - lacking;
    let first = absent(finder, tally)
        .next()
        .map(|name| format!("; the first one not found is {}", Shown(name)));
    let first = first.unwrap_or_default();
    let level = if lacking > 0 { "warning" } else { "note" };
    console.message(level, &format!("{found} of {} {words} found{first}", patterns.len()));
}

/// Whether a pattern has what names don't have, and regular expressions do.
fn looks_like_regexp(text: &[u8]) -> bool {
    text.starts_with(b"^")
        || text.ends_with(b"$")
        || text.windows(2).any(|pair| matches!(pair, b".*" | b".+" | b"\\d"))
        || (text.contains(&b'[') && text.contains(&b']'))
}

//! The modules of what is looked for in reads: tiles, duplication, overrepresented sequences, adapters.

use std::fmt::Write;

use biofast_ops::measure::compat::FastqcVersion;
use biofast_ops::measure::reads::{AdapterContent, Duplication, TileQuality};
use biofast_ops::measure::verdicts::fastqc::{ADAPTERS, DEDUPLICATED, OVERREPRESENTED};

use super::module::{Module, Verdict};

/// `12`, or `1001-1044`.
fn position(start: usize, end: usize) -> String {
    match start == end {
        true => start.to_string(),
        false => format!("{start}-{end}"),
    }
}

pub(super) fn tiles(quality: &TileQuality) -> Module {
    let mut table = "#Tile\tBase\tMean\n".to_owned();
    for tile in &quality.tiles {
        for (&(start, end), deviation) in quality.positions.iter().zip(&tile.deviations) {
            let _ = writeln!(table, "{}\t{}\t{deviation:?}", tile.tile, position(start, end));
        }
    }
    let verdict = Verdict::above(quality.largest_deviation(), [5.0, 10.0]);
    Module { name: "Per tile sequence quality", verdict, table }
}

pub(super) fn duplication(found: &Duplication, version: FastqcVersion) -> Module {
    let left = found.deduplicated_percent;
    // FastQC 0.12.0 dropped the column of deduplicated sequences.
    let has_distinct = version < FastqcVersion::V0_12_1;
    let column = if has_distinct { "\tPercentage of deduplicated" } else { "" };
    let mut table = format!(
        "#Total Deduplicated Percentage\t{left:?}\n#Duplication Level{column}\tPercentage of total\n"
    );
    for (i, level) in found.levels.iter().enumerate() {
        let more = if i + 1 == found.levels.len() { "+" } else { "" };
        let _ = write!(table, "{}{more}", level.name());
        if has_distinct {
            let _ = write!(table, "\t{:?}", level.percent_of_distinct);
        }
        let _ = writeln!(table, "\t{:?}", level.percent_of_all);
    }
    // The limits are of what is left, so low is bad.
    let verdict = match left {
        left if left < DEDUPLICATED[1] => Verdict::Fail,
        left if left < DEDUPLICATED[0] => Verdict::Warn,
        _ => Verdict::Pass,
    };
    Module { name: "Sequence Duplication Levels", verdict, table }
}

pub(super) fn overrepresented(found: &Duplication) -> Module {
    let mut table = String::new();
    for (i, sequence) in found.overrepresented.iter().enumerate() {
        if i == 0 {
            table += "#Sequence\tCount\tPercentage\tPossible Source\n";
        }
        let source = match &sequence.source {
            None => "No Hit".to_owned(),
            Some(hit) => format!("{} ({}% over {}bp)", hit.name, hit.identity_percent, hit.length),
        };
        let _ = writeln!(
            table,
            "{}\t{}\t{:?}\t{source}",
            sequence.sequence, sequence.reads, sequence.percent
        );
    }
    let verdict = match found.overrepresented.first() {
        Some(most) if most.percent > OVERREPRESENTED[1] => Verdict::Fail,
        Some(_) => Verdict::Warn,
        None => Verdict::Pass,
    };
    Module { name: "Overrepresented sequences", verdict, table }
}

pub(super) fn adapters(content: &AdapterContent, version: FastqcVersion) -> Module {
    const NAME: &str = "Adapter Content";
    if content.positions.is_empty() {
        // The reads are too short to be searched, which is worth a warning.
        return Module { name: NAME, verdict: Verdict::Warn, table: String::new() };
    }
    let shown = AdapterContent::of(version);
    let names: Vec<&str> = shown.iter().map(|&adapter| content.names[adapter].as_str()).collect();
    let mut table = format!("#Position\t{}\n", names.join("\t"));
    let mut verdict = Verdict::Pass;
    for at in &content.positions {
        table += &position(at.start, at.end);
        for percent in shown.iter().map(|&adapter| at.percent[adapter]) {
            let _ = write!(table, "\t{percent:?}");
            verdict = verdict.max(Verdict::above(percent, ADAPTERS));
        }
        table.push('\n');
    }
    Module { name: NAME, verdict, table }
}

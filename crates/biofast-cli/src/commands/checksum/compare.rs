//! `--against`: whether files hold the same reads.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use biofast_io::output::Output;
use biofast_io::{Escaped, Source};
use biofast_ops::checksum::{
    ChecksumColumn, ChecksumComparison, ChecksumDifference, ChecksumFile, ChecksumReport,
    ChecksumRules, ChecksumRulesReport, ChecksumVersion, Checksums, DifferingValue, GroupName,
};
use biofast_ops::number::grouped;

use super::known::{KnownChecksums, is_report};
use super::{Args, Named, json};
use crate::console::Hinted;
use crate::inputs::Input;
use crate::output;
use crate::session::{Exit, Session};

/// Compares what was found with the files it should be the same as.
pub(super) fn run(
    args: &Args,
    rules: &ChecksumRules,
    (found, against): (Vec<Named>, Vec<Input>),
    report: Output,
    session: &Session,
) -> Result<Exit> {
    let mut columns = rules.columns();
    let mut expected = Vec::new();
    let mut files = Vec::new();
    for input in against {
        let mut source = input.open()?;
        if is_report(&mut source)? {
            expected.push(args.known(source, rules, &mut columns)?);
            continue;
        }
        // Many files aren't kept open.
        let again = matches!(input, Input::Path(_));
        files.push((input, (!again).then_some(source)));
    }
    expected.extend(args.measure_all(files, rules, session)?);
    args.refuse_in_vain(found.iter().chain(&expected))?;
    if found.iter().chain(&expected).any(|one| !one.has_tags) {
        columns.retain(|column| *column != ChecksumColumn::Tags);
    }
    if rules.depends_on_order() && (found.len() > 1 || expected.len() > 1) {
        bail!("checksums that depend on order are of one file: compare one with one");
    }
    let differences = sum(&found).differences(&sum(&expected), &columns);
    let text = match args.json {
        true => {
            let report = |named: &[Named]| -> Vec<ChecksumFile> {
                named.iter().map(|one| one.report(rules)).collect()
            };
            let comparison = ChecksumComparison::new(report(&expected), &columns, &differences);
            let version = env!("CARGO_PKG_VERSION");
            json(&ChecksumReport::new(version, rules.into(), report(&found), Some(comparison)))?
        }
        false => table(&sum(&found), &sum(&expected), &columns, &differences),
    };
    output::finish(report, text)?;
    let names = |named: &[Named]| {
        let names = named.iter().map(|one| Escaped(one.name.as_bytes()).to_string());
        names.collect::<Vec<_>>().join(", ")
    };
    let is_equal = differences.is_empty();
    if !args.reading.messages.quiet {
        let (one, other) = (names(&found), names(&expected));
        match is_equal {
            true => {
                let reads = grouped(sum(&found).all.all.count);
                session.console.note(&format!("{one} holds the {reads} records of {other}"));
            }
            false => {
                let why = explained(&differences);
                session
                    .console
                    .warning(&format!("{one} doesn't hold the records of {other}: {why}"));
                if hints_at_mates(args, &found, &expected, &differences) {
                    session
                        .console
                        .hint("if the FASTQ files are mates add --paired or --interleaved");
                }
            }
        }
    }
    Ok(if is_equal { Exit::Fine } else { Exit::CheckFailed })
}

impl Args {
    /// The values of a report, which must be of the same rules. Of columns only those that it has are compared.
    fn known(
        &self,
        source: Source,
        rules: &ChecksumRules,
        columns: &mut Vec<ChecksumColumn>,
    ) -> Result<Named> {
        let KnownChecksums { name, version, rules: theirs, is_complete, sums, .. } =
            KnownChecksums::read(source)?;
        let mut own: ChecksumRulesReport = rules.into();
        columns.retain(|column| theirs.column_list().contains(column));
        let has_mates = columns.contains(&ChecksumColumn::Mate);
        if has_mates && version != rules.version {
            let (theirs, own) = (version.name(), rules.version.name());
            return Err(Hinted::error(
                format!("{name} has version {theirs} of the +mate checksum, not {own}"),
                match version {
                    ChecksumVersion::One => {
                        "add --version-1, unless samtools 1.24 wrote it, which computes 2.0 but says 1.0"
                    }
                    ChecksumVersion::Two => "leave out --version-1",
                },
            ));
        }
        // What isn't compared may differ.
        own.columns.clone_from(&theirs.columns);
        own.version.clone_from(&theirs.version);
        let is_same = match is_complete {
            true => own == theirs,
            false => own.tags == theirs.tags && own.flag_mask == theirs.flag_mask,
        };
        if !is_same {
            let (tags, flags) = (&theirs.tags, theirs.flag_mask.join(","));
            return Err(Hinted::error(
                format!("{name} has checksums of other fields"),
                format!(
                    "use the options it was written with; its tags are -t '{tags}', its flags -b {flags}"
                ),
            ));
        }
        // As the report of reads is.
        let row = &sums.all.all;
        let is_alike = row.value(ChecksumColumn::Tags) == row.value(ChecksumColumn::Sequence);
        let has_tags = !(is_alike && sums.groups.is_empty());
        Ok(Named { name, sums, is_of_reads: false, has_tags })
    }
}

fn sum(named: &[Named]) -> Checksums {
    let mut all = Checksums::default();
    match named {
        // Where order counts, the values of all aren't those of the groups together.
        [one] => all = one.sums.clone(),
        several => several.iter().for_each(|one| all.merge(&one.sums)),
    }
    all
}

/// A line for each value of all records, and for each other one that differs.
fn table(
    found: &Checksums,
    expected: &Checksums,
    columns: &[ChecksumColumn],
    differences: &[ChecksumDifference],
) -> Vec<u8> {
    let mut out = String::from("# Group\tQC\tvalue\tfound\texpected\tresult\n");
    let mut line = |group: &str, value: DifferingValue, found: u64, expected: u64| {
        let result = if found == expected { "equal" } else { "differs" };
        let (found, expected) = (value.text(found), value.text(expected));
        let _ = writeln!(out, "{group}\tall\t{}\t{found}\t{expected}\t{result}", value.name());
    };
    let [one, other] = [found, expected].map(|sums| sums.all.all);
    line("all", DifferingValue::Count, one.count, other.count);
    for column in columns {
        let [one, other] = [one, other].map(|row| row.value(*column).into());
        line("all", DifferingValue::Column(*column), one, other);
    }
    for difference in differences {
        let group = match &difference.group {
            GroupName::All => continue,
            GroupName::None => "-".to_owned(),
            GroupName::Group(id) => Escaped(id).to_string(),
        };
        line(&group, difference.value, difference.found, difference.expected);
    }
    out.into_bytes()
}

/// What differs, in words. As every value holds sequences, only the first of them tells anything of them.
fn explained(differences: &[ChecksumDifference]) -> String {
    let of_all = |value: DifferingValue| {
        differences.iter().find(|one| one.group == GroupName::All && one.value == value)
    };
    if let Some(count) = of_all(DifferingValue::Count) {
        return format!("{} records, not {}", grouped(count.found), grouped(count.expected));
    }
    if of_all(DifferingValue::Column(ChecksumColumn::Sequence)).is_some() {
        return "there are as many, but their sequences or flags differ".into();
    }
    let words = |column: ChecksumColumn| match column {
        ChecksumColumn::Sequence => "sequences",
        ChecksumColumn::Name => "names",
        ChecksumColumn::Quality => "qualities",
        ChecksumColumn::Tags => "tags",
        ChecksumColumn::Position => "positions",
        ChecksumColumn::Cigar => "mapping qualities or CIGARs",
        ChecksumColumn::Mate => "mate positions or template lengths",
    };
    let differing = ChecksumColumn::ALL.into_iter();
    let differing = differing.filter(|column| of_all(DifferingValue::Column(*column)).is_some());
    let differing: Vec<&str> = differing.map(words).collect();
    match differing.is_empty() {
        true => "the records are the same, but not in each read group".into(),
        false => format!("sequences are the same, but {} differ", differing.join(", ")),
    }
}

/// Whether reads were compared that would have other flags as mates.
fn hints_at_mates(
    args: &Args,
    found: &[Named],
    expected: &[Named],
    differences: &[ChecksumDifference],
) -> bool {
    let is_count = |one: &ChecksumDifference| one.value == DifferingValue::Count;
    !args.paired
        && !args.interleaved
        && !differences.iter().any(is_count)
        && found.iter().chain(expected).any(|one| one.is_of_reads)
}

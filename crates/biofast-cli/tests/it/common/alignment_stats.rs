//! What the cases of `alignment_stats` share with those beside peers.

use biofast_testkit::sam::SamShape;

pub(crate) const SORTED: SamShape =
    SamShape { records: 4000, sorted: true, longest: 150, oddities: false, seed: 1 };

/// Shapes that exercise what the report does with order, long reads and rare fields.
pub(crate) const SHAPES: [SamShape; 5] = [
    SORTED,
    SamShape { oddities: true, seed: 2, ..SORTED },
    SamShape { sorted: false, oddities: true, seed: 3, ..SORTED },
    // The report's ring of depths grows several times.
    SamShape { longest: 9000, records: 1500, oddities: true, seed: 4, ..SORTED },
    SamShape { longest: 5, oddities: true, seed: 5, ..SORTED },
];

/// The report without the lines that name the program and its command.
pub(crate) fn comparable(report: &str) -> String {
    let own = |line: &&str| {
        !line.starts_with("# This file was produced by") && !line.starts_with("# The command line")
    };
    report.lines().filter(own).fold(String::new(), |out, line| out + line + "\n")
}

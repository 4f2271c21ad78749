//! The table of `samtools idxstats`.

use std::fmt::Write as _;

use biofast_bam::Header;
use serde::{Deserialize, Serialize};

use biofast_ops::measure::alignments::report::Figures;
use biofast_ops::measure::idxstats::IdxstatsCollector;

/// Name, length, mapped and unmapped records of each reference; `*` last, for records without one.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::idxstats::IdxstatsCollector;
/// use biofast_report::samtools::idxstats::text;
///
/// let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Placement };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (header, counts) = IdxstatsCollector::collect(input.source, &options)?;
/// assert_eq!(text(&counts, &header), "c\t99\t1\t0\n*\t0\t0\t1\n");
/// # Ok::<(), biofast_bam::Error>(())
/// ```
pub fn text(counts: &IdxstatsCollector, header: &Header) -> String {
    Table::new(counts, header).text()
}

/// The table, which can be read back and added to those of other parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Name, length, mapped and unmapped records; `*` last.
    rows: Vec<(String, u64, [u64; 2])>,
}

impl Table {
    /// The table of counts.
    pub fn new(counts: &IdxstatsCollector, header: &Header) -> Table {
        let references = header.references().iter().enumerate().map(|(index, reference)| {
            let name = String::from_utf8_lossy(&reference.name).into_owned();
            (name, reference.length, counts.counts(Some(index)))
        });
        let unplaced = ("*".to_owned(), 0, counts.counts(None));
        Table { rows: references.chain([unplaced]).collect() }
    }

    /// Reads a table; `None` if the text is none.
    pub fn read(text: &str) -> Option<Table> {
        let row = |line: &str| {
            let mut fields = line.split('\t');
            let name = fields.next()?.to_owned();
            let numbers = [fields.next()?, fields.next()?, fields.next()?];
            let [length, mapped, unmapped] = numbers.map(|number| number.parse::<u64>().ok());
            let end = fields.next().is_none();
            end.then_some((name, length?, [mapped?, unmapped?]))
        };
        let rows: Vec<_> = text.lines().map(row).collect::<Option<_>>()?;
        let is_last = |row: &(String, u64, [u64; 2])| row.0 == "*";
        rows.iter().position(is_last).filter(|at| at + 1 == rows.len())?;
        Some(Table { rows })
    }

    /// Adds the counts of another part.
    ///
    /// # Errors
    /// If it is of other references, or a count goes beyond 64 bits; nothing is to be done with this table then.
    pub fn add(&mut self, other: &Table) -> Result<(), &'static str> {
        if self.rows.len() != other.rows.len() {
            return Err(OTHERS);
        }
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            if (&mine.0, mine.1) != (&theirs.0, theirs.1) {
                return Err(OTHERS);
            }
            for (mine, theirs) in mine.2.iter_mut().zip(theirs.2) {
                *mine = mine.checked_add(theirs).ok_or("counts exceed 64 bits")?;
            }
        }
        Ok(())
    }

    /// The number of all records.
    pub fn records(&self) -> u64 {
        self.rows.iter().flat_map(|row| row.2).fold(0, u64::saturating_add)
    }

    /// The text of `samtools idxstats`.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (name, length, [mapped, unmapped]) in &self.rows {
            // Writing to a String can't fail.
            let _ = writeln!(out, "{name}\t{length}\t{mapped}\t{unmapped}");
        }
        out
    }
}

impl From<&Figures> for Table {
    fn from(figures: &Figures) -> Table {
        let references = figures.references.iter();
        let references =
            references.map(|of| (of.name.clone(), of.length, [of.mapped, of.unmapped]));
        let placed: u64 = figures.references.iter().map(|of| of.mapped).sum();
        // A record may be mapped, as it says, and have no reference.
        let mapped = figures.records.passed.mapped + figures.records.failed.mapped;
        let mapped = mapped.saturating_sub(placed).min(figures.unplaced);
        let unplaced = ("*".to_owned(), 0, [mapped, figures.unplaced - mapped]);
        Table { rows: references.chain([unplaced]).collect() }
    }
}

const OTHERS: &str = "its reference sequences aren't those of the tables before it";

//! Products of CRCs: of some records, of a read group, of a file.

use std::collections::BTreeMap;

/// What CRCs are multiplied modulo: a prime, so that no product becomes 0.
const PRIME: u64 = (1 << 31) - 1;

/// The product of a product and a CRC, without its highest bit. What would make it 0 changes nothing.
#[inline]
fn times(product: u32, crc: u32) -> u32 {
    let crc = u64::from(crc) & PRIME;
    let crc = if crc == 0 || crc == PRIME { 1 } else { crc };
    (u64::from(product) * crc % PRIME) as u32
}

/// A value of a checksum. Each holds flags and sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChecksumColumn {
    /// Flags and sequence alone.
    Sequence,
    /// And the name.
    Name,
    /// And the qualities.
    Quality,
    /// And tags.
    Tags,
    /// And reference and position.
    Position,
    /// And mapping quality and CIGAR.
    Cigar,
    /// And the mate's place and the template length.
    Mate,
}

impl ChecksumColumn {
    /// All of them, in the order of samtools.
    pub const ALL: [ChecksumColumn; 7] = [
        ChecksumColumn::Sequence,
        ChecksumColumn::Name,
        ChecksumColumn::Quality,
        ChecksumColumn::Tags,
        ChecksumColumn::Position,
        ChecksumColumn::Cigar,
        ChecksumColumn::Mate,
    ];

    /// What samtools calls it.
    pub fn name(self) -> &'static str {
        match self {
            ChecksumColumn::Sequence => "flag+seq",
            ChecksumColumn::Name => "+name",
            ChecksumColumn::Quality => "+qual",
            ChecksumColumn::Tags => "+aux",
            ChecksumColumn::Position => "+chr/pos",
            ChecksumColumn::Cigar => "+cigar",
            ChecksumColumn::Mate => "+mate",
        }
    }
}

/// How many records there are, and a product for each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChecksumRow {
    /// Records.
    pub count: u64,
    /// The products, by [`ChecksumColumn`]. Those of no records, and of columns that weren't asked for, are 1.
    pub values: [u32; 7],
}

impl Default for ChecksumRow {
    fn default() -> ChecksumRow {
        ChecksumRow { count: 0, values: [1; 7] }
    }
}

impl ChecksumRow {
    /// Adds a record, or the products of others.
    #[inline]
    pub(super) fn add(&mut self, count: u64, factors: &[u32; 7], columns: usize) {
        self.count += count;
        for (value, factor) in self.values.iter_mut().zip(factors).take(columns) {
            *value = times(*value, *factor);
        }
    }

    /// Adds other records.
    pub fn merge(&mut self, other: &ChecksumRow) {
        self.add(other.count, &other.values, self.values.len());
    }

    /// The value of a column.
    pub fn value(&self, column: ChecksumColumn) -> u32 {
        self.values[column as usize]
    }

    /// One value for the row, as samtools makes it of the count and these columns. Qualities don't enter it: samtools takes
    /// the sequences twice.
    pub fn combined(&self, columns: &[ChecksumColumn]) -> u32 {
        let counts = [(self.count >> 32) as u32, self.count as u32];
        let values = columns.iter().map(|column| match column {
            ChecksumColumn::Quality => self.value(ChecksumColumn::Sequence),
            column => self.value(*column),
        });
        counts.into_iter().chain(values).fold(1, times)
    }
}

/// The records of a group: all, those that passed quality control and those that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChecksumGroup {
    /// All.
    pub all: ChecksumRow,
    /// Those without the flag QCFAIL.
    pub pass: ChecksumRow,
    /// Those with it.
    pub fail: ChecksumRow,
}

impl ChecksumGroup {
    /// The group of these records.
    pub(super) fn new(pass: ChecksumRow, fail: ChecksumRow) -> ChecksumGroup {
        let mut all = pass;
        all.merge(&fail);
        ChecksumGroup { all, pass, fail }
    }

    /// Adds other records.
    pub fn merge(&mut self, other: &ChecksumGroup) {
        self.all.merge(&other.all);
        self.pass.merge(&other.pass);
        self.fail.merge(&other.fail);
    }

    /// The rows, each with its name.
    pub fn rows(&self) -> [(&'static str, &ChecksumRow); 3] {
        [("all", &self.all), ("pass", &self.pass), ("fail", &self.fail)]
    }

    /// The same to be changed: the row of this name.
    pub fn row_mut(&mut self, name: &str) -> Option<&mut ChecksumRow> {
        Some(match name {
            "all" => &mut self.all,
            "pass" => &mut self.pass,
            "fail" => &mut self.fail,
            _ => return None,
        })
    }

    /// Whether it is known which records passed: they and the others are all, as in reports that show both.
    pub fn has_quality_control(&self) -> bool {
        self.pass.count + self.fail.count == self.all.count
    }
}

/// The checksums of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checksums {
    /// Of all records.
    pub all: ChecksumGroup,
    /// Of those without a read group.
    pub ungrouped: ChecksumGroup,
    /// Of each read group.
    pub groups: BTreeMap<Vec<u8>, ChecksumGroup>,
}

/// Whose records a value is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupName {
    /// All records.
    All,
    /// Those without a read group.
    None,
    /// Those of a read group.
    Group(Vec<u8>),
}

/// A value of two files that isn't the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChecksumDifference {
    /// Of which records.
    pub group: GroupName,
    /// `all`, `pass` or `fail`.
    pub row: &'static str,
    /// The value.
    pub value: DifferingValue,
    /// In the one …
    pub found: u64,
    /// … and in the other.
    pub expected: u64,
}

/// What may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferingValue {
    /// The number of records.
    Count,
    /// A checksum.
    Column(ChecksumColumn),
}

impl DifferingValue {
    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            DifferingValue::Count => "count",
            DifferingValue::Column(column) => column.name(),
        }
    }

    /// As reports have it: a number of records, or eight hexadecimal digits.
    pub fn text(self, value: u64) -> String {
        match self {
            DifferingValue::Count => value.to_string(),
            DifferingValue::Column(_) => format!("{value:08x}"),
        }
    }
}

impl Checksums {
    /// Adds the records of another file.
    pub fn merge(&mut self, other: &Checksums) {
        self.all.merge(&other.all);
        self.ungrouped.merge(&other.ungrouped);
        for (name, group) in &other.groups {
            self.groups.entry(name.clone()).or_default().merge(group);
        }
    }

    /// The group of this name, a new one if there is none.
    pub fn group_mut(&mut self, name: &GroupName) -> &mut ChecksumGroup {
        match name {
            GroupName::All => &mut self.all,
            GroupName::None => &mut self.ungrouped,
            GroupName::Group(name) => self.groups.entry(name.clone()).or_default(),
        }
    }

    /// All records, those without a read group, and those of each read group.
    pub fn named(&self) -> impl Iterator<Item = (GroupName, &ChecksumGroup)> {
        let groups = self.groups.iter();
        [(GroupName::All, &self.all), (GroupName::None, &self.ungrouped)]
            .into_iter()
            .chain(groups.map(|(name, group)| (GroupName::Group(name.clone()), group)))
    }

    /// What these columns have of other records than `expected`: of all, and of each read group if both files name some.
    pub fn differences(
        &self,
        expected: &Checksums,
        columns: &[ChecksumColumn],
    ) -> Vec<ChecksumDifference> {
        let mut differences = Vec::new();
        let mut compare = |group: GroupName, found: &ChecksumGroup, other: &ChecksumGroup| {
            let mut add = |value: DifferingValue, found: u64, expected: u64| {
                if found != expected {
                    let group = group.clone();
                    differences.push(ChecksumDifference {
                        group,
                        row: "all",
                        value,
                        found,
                        expected,
                    });
                }
            };
            add(DifferingValue::Count, found.all.count, other.all.count);
            for column in columns {
                let [found, other] = [found, other].map(|group| group.all.value(*column).into());
                add(DifferingValue::Column(*column), found, other);
            }
        };
        compare(GroupName::All, &self.all, &expected.all);
        if !self.groups.is_empty() && !expected.groups.is_empty() {
            compare(GroupName::None, &self.ungrouped, &expected.ungrouped);
            let mut names: Vec<&Vec<u8>> =
                self.groups.keys().chain(expected.groups.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let [found, other] =
                    [self, expected].map(|sums| sums.groups.get(name).copied().unwrap_or_default());
                compare(GroupName::Group(name.clone()), &found, &other);
            }
        }
        differences
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_in_any_order_make_the_whole(
            records in prop::collection::vec(any::<[u32; 7]>(), 0..40), cut in any::<prop::sample::Index>()
        ) {
            let sum = |records: &[[u32; 7]]| {
                let mut row = ChecksumRow::default();
                records.iter().for_each(|crcs| row.add(1, crcs, 7));
                row
            };
            let whole = sum(&records);
            let (head, tail) = records.split_at(cut.index(records.len() + 1));
            let mut parts = sum(tail);
            parts.merge(&sum(head));
            prop_assert_eq!(parts, whole);
            prop_assert!(whole.values.iter().all(|&value| value > 0 && u64::from(value) < PRIME));
        }
    }

    #[test]
    fn crcs_that_would_end_a_product_change_nothing() {
        for crc in [0, PRIME as u32, u32::MAX, 1 << 31] {
            assert_eq!(times(7, crc), 7);
        }
        assert_eq!(times(1, 1 << 31 | 5), 5);
    }
}

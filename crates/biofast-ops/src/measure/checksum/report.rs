//! The JSON form of checksums.

use biofast_bam::flag;
use serde::{Deserialize, Serialize};

use super::rules::{ChecksumOrder, ChecksumRules};
use super::sums::{
    ChecksumColumn, ChecksumDifference, ChecksumGroup, ChecksumRow, Checksums, GroupName,
};

/// The `schema` of a report.
const SCHEMA: &str = "biofast.checksum";
/// The `schema_version` of a report. Fields may be added within a version; a field that
/// changes its meaning or goes away raises it.
const SCHEMA_VERSION: u32 = 1;

/// What `biofast checksum --json` prints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChecksumReport {
    schema: String,
    schema_version: u32,
    biofast_version: String,
    /// What the values are of.
    pub rules: ChecksumRulesReport,
    /// One entry a file, or one of all that were merged.
    pub files: Vec<ChecksumFile>,
    /// What they were compared with.
    pub comparison: Option<ChecksumComparison>,
}

/// What values are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChecksumRulesReport {
    /// The definition of the values.
    pub version: String,
    /// The tags that count, as they are typed.
    pub tags: String,
    /// The flags that enter the values.
    pub flag_mask: Vec<String>,
    /// Flags that records need, and those that exclude records.
    pub require_flags: Vec<String>,
    exclude_flags: Vec<String>,
    /// Whether reads count as they were sequenced.
    reverse_complement: bool,
    /// `any`, `group` or `file`.
    order: String,
    /// The words of what is put right before.
    sanitize: Vec<String>,
    /// Only so many records count.
    limit: Option<u64>,
    /// The columns, by their names.
    pub columns: Vec<String>,
}

/// The values of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChecksumFile {
    /// Its path; those of two mates are apart by a space.
    pub path: String,
    all: GroupReport,
    no_read_group: GroupReport,
    read_groups: Vec<NamedGroupReport>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct NamedGroupReport {
    id: String,
    #[serde(flatten)]
    rows: GroupReport,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct GroupReport {
    all: RowReport,
    /// `null` if that isn't known of values that were read.
    pass: Option<RowReport>,
    fail: Option<RowReport>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RowReport {
    count: u64,
    sequence: String,
    name: String,
    quality: String,
    tags: String,
    position: Option<String>,
    cigar: Option<String>,
    mate: Option<String>,
    combined: String,
}

/// What values were compared with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChecksumComparison {
    /// Whether all that were compared are equal.
    equal: bool,
    /// What they were compared with.
    against: Vec<ChecksumFile>,
    /// The columns that were compared.
    columns: Vec<String>,
    differences: Vec<DifferenceReport>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct DifferenceReport {
    /// Which records: `all`, `no_read_group` or `read_group`.
    of: String,
    /// The read group.
    id: Option<String>,
    qc: String,
    value: String,
    found: String,
    expected: String,
}

impl ChecksumReport {
    /// A report of files.
    pub fn new(
        biofast_version: &str,
        rules: ChecksumRulesReport,
        files: Vec<ChecksumFile>,
        comparison: Option<ChecksumComparison>,
    ) -> ChecksumReport {
        ChecksumReport {
            schema: SCHEMA.into(),
            schema_version: SCHEMA_VERSION,
            biofast_version: biofast_version.into(),
            rules,
            files,
            comparison,
        }
    }

    /// Whether it is one, of a version that is known.
    pub fn is_known(&self) -> bool {
        self.schema == SCHEMA && self.schema_version == SCHEMA_VERSION
    }
}

fn words<'w>(words: impl Iterator<Item = &'w str>) -> Vec<String> {
    words.map(str::to_owned).collect()
}

impl From<&ChecksumRules> for ChecksumRulesReport {
    fn from(rules: &ChecksumRules) -> ChecksumRulesReport {
        ChecksumRulesReport {
            version: rules.version.name().into(),
            tags: rules.tags.to_string(),
            flag_mask: words(flag::names(rules.flag_mask)),
            require_flags: words(flag::names(rules.require_flags)),
            exclude_flags: words(flag::names(rules.exclude_flags)),
            reverse_complement: rules.reverse_complement,
            order: match rules.order {
                ChecksumOrder::Any => "any",
                ChecksumOrder::WithinGroups => "group",
                ChecksumOrder::WithinFile => "file",
            }
            .into(),
            sanitize: words(rules.sanitize.words().into_iter()),
            limit: rules.limit,
            columns: words(rules.columns().iter().map(|column| column.name())),
        }
    }
}

impl ChecksumRulesReport {
    /// The columns.
    pub fn column_list(&self) -> Vec<ChecksumColumn> {
        let is_named =
            |column: &ChecksumColumn| self.columns.iter().any(|own| own == column.name());
        ChecksumColumn::ALL.into_iter().filter(is_named).collect()
    }

    /// Whether values depend on the order of records, so that those of files can't be merged.
    pub fn is_ordered(&self) -> bool {
        self.order != "any"
    }
}

impl ChecksumFile {
    /// The values of the file of this path.
    pub fn new(path: &str, sums: &Checksums, columns: &[ChecksumColumn]) -> ChecksumFile {
        let rows = |group: &ChecksumGroup| {
            let row = |row: &ChecksumRow| RowReport::new(row, columns);
            let is_known = group.has_quality_control();
            GroupReport {
                all: row(&group.all),
                pass: is_known.then(|| row(&group.pass)),
                fail: is_known.then(|| row(&group.fail)),
            }
        };
        let named = |(id, group): (&Vec<u8>, &ChecksumGroup)| NamedGroupReport {
            id: String::from_utf8_lossy(id).into_owned(),
            rows: rows(group),
        };
        ChecksumFile {
            path: path.to_owned(),
            all: rows(&sums.all),
            no_read_group: rows(&sums.ungrouped),
            read_groups: sums.groups.iter().map(named).collect(),
        }
    }

    /// The values; `None` if one isn't of eight hexadecimal digits.
    pub fn checksums(&self) -> Option<Checksums> {
        let rows = |report: &GroupReport| {
            let row = |row: &Option<RowReport>| {
                row.as_ref().map_or(Some(Default::default()), RowReport::row)
            };
            Some(ChecksumGroup {
                all: report.all.row()?,
                pass: row(&report.pass)?,
                fail: row(&report.fail)?,
            })
        };
        let mut sums = Checksums {
            all: rows(&self.all)?,
            ungrouped: rows(&self.no_read_group)?,
            ..Checksums::default()
        };
        for group in &self.read_groups {
            sums.groups.insert(group.id.clone().into_bytes(), rows(&group.rows)?);
        }
        Some(sums)
    }
}

impl RowReport {
    fn new(row: &ChecksumRow, columns: &[ChecksumColumn]) -> RowReport {
        let value = |column| format!("{:08x}", row.value(column));
        let extra = |column| columns.contains(&column).then(|| value(column));
        RowReport {
            count: row.count,
            sequence: value(ChecksumColumn::Sequence),
            name: value(ChecksumColumn::Name),
            quality: value(ChecksumColumn::Quality),
            tags: value(ChecksumColumn::Tags),
            position: extra(ChecksumColumn::Position),
            cigar: extra(ChecksumColumn::Cigar),
            mate: extra(ChecksumColumn::Mate),
            combined: format!("{:08x}", row.combined(columns)),
        }
    }

    fn row(&self) -> Option<ChecksumRow> {
        let RowReport { count, sequence, name, quality, tags, position, cigar, mate, .. } = self;
        let mut row = ChecksumRow { count: *count, ..ChecksumRow::default() };
        let texts = [Some(sequence), Some(name), Some(quality), Some(tags)];
        let extra = [position, cigar, mate].map(Option::as_ref);
        for (value, text) in row.values.iter_mut().zip(texts.into_iter().chain(extra)) {
            if let Some(text) = text {
                *value = u32::from_str_radix(text, 16).ok()?;
            }
        }
        Some(row)
    }
}

impl ChecksumComparison {
    /// What was compared, and what differs.
    pub fn new(
        against: Vec<ChecksumFile>,
        columns: &[ChecksumColumn],
        differences: &[ChecksumDifference],
    ) -> ChecksumComparison {
        let report = |difference: &ChecksumDifference| {
            let (of, id) = match &difference.group {
                GroupName::All => ("all", None),
                GroupName::None => ("no_read_group", None),
                GroupName::Group(id) => ("read_group", Some(String::from_utf8_lossy(id).into())),
            };
            DifferenceReport {
                of: of.into(),
                id,
                qc: difference.row.into(),
                value: difference.value.name().into(),
                found: difference.value.text(difference.found),
                expected: difference.value.text(difference.expected),
            }
        };
        ChecksumComparison {
            equal: differences.is_empty(),
            against,
            columns: words(columns.iter().map(|column| column.name())),
            differences: differences.iter().map(report).collect(),
        }
    }
}

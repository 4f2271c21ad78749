//! Reports of checksums that are read: those of samtools and of this command, as text or JSON.

use anyhow::{Context, Result, bail};
use biofast_bam::flag;
use biofast_io::{Source, TextBounds, read_text};
use biofast_ops::checksum::{
    ChecksumReport, ChecksumRules, ChecksumRulesReport, ChecksumVersion, Checksums,
};
use biofast_report::samtools::checksum as shown;

use crate::console::Hinted;

/// The values of a report.
pub(super) struct KnownChecksums {
    /// The name of the report.
    pub(super) name: String,
    pub(super) version: ChecksumVersion,
    /// What they are of, as far as the report says it.
    pub(super) rules: ChecksumRulesReport,
    /// Whether the report says all of that.
    pub(super) is_complete: bool,
    pub(super) sums: Checksums,
    is_ordered: bool,
}

/// Whether an input begins as a report does, and not as reads or alignments.
pub(super) fn is_report(source: &mut Source) -> Result<bool> {
    let start = source.peek(16)?;
    Ok(shown::STARTS.iter().any(|own| start.starts_with(own))
        || start.trim_ascii_start().starts_with(b"{"))
}

impl KnownChecksums {
    pub(super) fn read(source: Source) -> Result<KnownChecksums> {
        let name = source.name().to_owned();
        let text = read_text(source, TextBounds::DOCUMENT)?;
        if text.trim_ascii_start().starts_with(b"{") {
            return KnownChecksums::of_json(name, &text);
        }
        let found = shown::read(&text).map_err(|error| {
            Hinted::error(
                format!("{name}, {error}"),
                "expected the output of `biofast checksum` or `samtools checksum`",
            )
        })?;
        // Values without a version are of columns that all versions compute alike.
        let version = found.version.unwrap_or_default();
        let mut rules = ChecksumRulesReport::from(&ChecksumRules::default());
        rules.version = version.name().into();
        rules.tags = found.tags;
        rules.flag_mask = flag::names(found.flag_mask).map(str::to_owned).collect();
        rules.columns = found.columns.iter().map(|column| column.name().to_owned()).collect();
        Ok(KnownChecksums {
            name,
            version,
            rules,
            is_complete: false,
            sums: found.sums,
            is_ordered: found.is_ordered,
        })
    }

    fn of_json(name: String, text: &[u8]) -> Result<KnownChecksums> {
        let about = || format!("{name} is not the output of `biofast checksum --json`");
        let report: ChecksumReport = serde_json::from_slice(text).with_context(about)?;
        if !report.is_known() {
            bail!("{}", about());
        }
        let version = ChecksumVersion::named(&report.rules.version).with_context(about)?;
        let mut sums = Checksums::default();
        for file in &report.files {
            sums.merge(&file.checksums().with_context(about)?);
        }
        let is_ordered = report.rules.is_ordered();
        if is_ordered && report.files.len() > 1 {
            bail!("{name} has checksums of several files that depend on order, and can't be one");
        }
        Ok(KnownChecksums {
            name,
            version,
            rules: report.rules,
            is_complete: true,
            sums,
            is_ordered,
        })
    }

    /// Adds the values of another report.
    pub(super) fn merge(&mut self, other: &KnownChecksums) -> Result<()> {
        for one in [&*self, other] {
            if one.is_ordered {
                bail!(
                    "{}: checksums that depend on the order of records can't be merged",
                    one.name
                );
            }
        }
        if let Some(difference) = self.unlike(&other.rules) {
            bail!("{} and {} can't be merged: {difference}", self.name, other.name);
        }
        self.sums.merge(&other.sums);
        Ok(())
    }

    /// How the values of these rules aren't like those of the report.
    pub(super) fn unlike(&self, rules: &ChecksumRulesReport) -> Option<String> {
        let own = &self.rules;
        let has_mates =
            |rules: &ChecksumRulesReport| rules.columns.iter().any(|one| one == "+mate");
        let pairs = [
            ("tags", own.tags.clone(), rules.tags.clone()),
            ("flags", own.flag_mask.join(","), rules.flag_mask.join(",")),
            ("columns", own.columns.join(" "), rules.columns.join(" ")),
        ];
        let differs = pairs.into_iter().find(|(_, one, other)| one != other);
        if let Some((what, one, other)) = differs {
            return Some(format!("their {what} differ ('{one}' and '{other}')"));
        }
        // The other values are the same in all versions.
        (has_mates(own) && own.version != rules.version)
            .then(|| format!("versions {} and {} of +mate differ", own.version, rules.version))
    }
}

//! How to read what each contestant says it counted, so that the benchmark can compare it with the truth.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use super::runs::number;
use crate::files;
use serde::Deserialize;
use serde_json::Value;

/// What a contestant says it counted; `None` where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) records: Option<u64>,
    pub(crate) bases: Option<u64>,
    /// Of uncompressed text.
    pub(crate) bytes: Option<u64>,
    /// CRC-32 of the file it wrote.
    pub(crate) checksum: Option<u64>,
}

impl Counts {
    /// The first field that both know and that differs by more than so many in a million.
    pub(crate) fn difference(&self, truth: &Counts, per_million: u64) -> Option<String> {
        if let (Some(said), Some(truth)) = (self.checksum, truth.checksum)
            && said != truth
        {
            return Some(format!("wrote a file of CRC-32 {said:08x} instead of {truth:08x}"));
        }
        let differ = |said: u64, truth: u64| {
            u128::from(said.abs_diff(truth)) * 1_000_000
                > u128::from(truth) * u128::from(per_million)
        };
        [
            ("reads", self.records, truth.records),
            ("bases", self.bases, truth.bases),
            ("bytes", self.bytes, truth.bytes),
        ]
        .into_iter()
        .find_map(|(what, said, truth)| match (said, truth) {
            (Some(said), Some(truth)) if differ(said, truth) => {
                Some(format!("counted {said} {what} instead of {truth}"))
            }
            _ => None,
        })
    }
}

/// How to read a contestant's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    /// `biofast stats --json`: `files[0].reads`, `files[0].bases`.
    Biofast,
    /// `biofast stats --json` of alignments: `files[0].records`, passed and failed.
    BiofastAlignments,
    /// `biofast check --json`: `files[0].records`.
    BiofastCheck,
    /// The report of `samtools stats`: records of all kinds.
    SamtoolsStats,
    /// `seqkit stats -T`: `num_seqs`, `sum_len`.
    Seqkit,
    /// `seqtk fqchk`: the row `ALL`, bases only.
    Fqchk,
    /// fastp's JSON report: `summary.before_filtering`.
    Fastp,
    /// The same of the reads kept: `summary.after_filtering`; biofast and chelae have the same names.
    FastpAfter,
    /// A summary of biofast: `summary.records`.
    Summary,
    /// FastQC's text, in a folder of its own beside the report: `Total Sequences`.
    Fastqc,
    /// A number of records, alone.
    Number,
    /// `wc -l`: the first number, four lines a record.
    Lines,
    /// `biofast-lab count`: `records`, `bases`.
    Count,
    /// The CRC-32 of the file it wrote.
    Checksum,
    /// `nanoq -s`: reads and bases, the first two numbers.
    Nanoq,
    /// `flagstat` of any tool: the two numbers of the first line, records that passed and that failed.
    Flagstat,
    /// `idxstats` of any tool: the sum of mapped and unmapped records.
    Idxstats,
    /// SAM text: its records and their bases.
    Sam,
    /// FASTQ of four lines a record: its records and their bases.
    Fastq,
    /// `biofast-lab limit`: bytes of text.
    Lab,
    /// None: standard output is discarded.
    None,
}

impl Answer {
    /// Whether standard output has to be kept.
    pub(crate) fn reads_stdout(self) -> bool {
        self != Answer::None
    }

    /// Reads the answer of a run that succeeded.
    pub(crate) fn parse(self, stdout: &Path, report: &Path) -> Result<Counts> {
        if self == Answer::None {
            return Ok(Counts::default());
        }
        let fastqc;
        let path = match self {
            Answer::Fastp | Answer::FastpAfter | Answer::Checksum | Answer::Summary => report,
            Answer::Fastqc => {
                fastqc = find_fastqc(report)?;
                &fastqc
            }
            _ => stdout,
        };
        if self == Answer::Checksum {
            let checksum = libdeflater::crc32(&files::read_bytes(path)?);
            return Ok(Counts { checksum: Some(checksum.into()), ..Counts::default() });
        }
        if let Answer::Sam | Answer::Fastq = self {
            let file = files::open(path)?;
            return self.count_lines(BufReader::new(file));
        }
        let text = files::read(path)?;
        let counts = self.parse_text(&text)?;
        ensure!(counts != Counts::default(), "it has no counts");
        Ok(counts)
    }

    /// Records and bases of SAM or FASTQ, which may be long.
    fn count_lines(self, mut reader: impl BufRead) -> Result<Counts> {
        let (mut records, mut bases) = (0, 0);
        let mut line = Vec::new();
        let mut number = 0u64;
        while reader.read_until(b'\n', &mut line)? > 0 {
            let text = line.strip_suffix(b"\n").context("the last line is cut")?;
            let sequence = match self {
                Answer::Sam if text.starts_with(b"@") => None,
                Answer::Sam => text.split(|&b| b == b'\t').nth(9),
                _ => Some(text).filter(|_| number % 4 == 1),
            };
            if let Some(sequence) = sequence {
                records += 1;
                bases += if sequence == b"*" { 0 } else { sequence.len() as u64 };
            }
            number += 1;
            line.clear();
        }
        Ok(Counts { records: Some(records), bases: Some(bases), ..Counts::default() })
    }

    /// Where in JSON reads, bases and bytes of text are; numbers at several places are added.
    fn pointers(self) -> Option<[&'static [&'static str]; 3]> {
        Some(match self {
            Answer::Biofast => [&["/files/0/reads"], &["/files/0/bases"], &[]],
            Answer::BiofastAlignments => {
                [&["/files/0/records/passed/total", "/files/0/records/failed/total"], &[], &[]]
            }
            Answer::BiofastCheck => [&["/files/0/records"], &[], &[]],
            Answer::Summary => [&["/summary/records"], &[], &[]],
            Answer::Fastp => [
                &["/summary/before_filtering/total_reads"],
                &["/summary/before_filtering/total_bases"],
                &[],
            ],
            Answer::FastpAfter => [
                &["/summary/after_filtering/total_reads"],
                &["/summary/after_filtering/total_bases"],
                &[],
            ],
            Answer::Count => [&["/records"], &["/bases"], &[]],
            Answer::Lab => [&[], &[], &["/bytes"]],
            _ => return None,
        })
    }

    fn parse_text(self, text: &str) -> Result<Counts> {
        if let Some(pointers) = self.pointers() {
            let json: Value = serde_json::from_str(text).context("not JSON")?;
            let sum = |places: &[&str]| -> Option<u64> {
                let number = |at: &&str| json.pointer(at).and_then(Value::as_u64);
                places.iter().map(number).sum::<Option<u64>>().filter(|_| !places.is_empty())
            };
            let [records, bases, bytes] = pointers.map(sum);
            return Ok(Counts { records, bases, bytes, checksum: None });
        }
        let (records, bases) = match self {
            Answer::SamtoolsStats => {
                let number = |name: &str| {
                    let start = format!("SN\t{name}:\t");
                    let value = text.lines().find_map(|line| line.strip_prefix(&start))?;
                    value.split('\t').next()?.parse::<u64>().ok()
                };
                let kinds =
                    ["raw total sequences", "non-primary alignments", "supplementary alignments"];
                (kinds.into_iter().map(number).sum(), None)
            }
            Answer::Fastqc => {
                let number = text.lines().find_map(|line| line.strip_prefix("Total Sequences\t"));
                (number.and_then(|n| n.parse().ok()), None)
            }
            Answer::Number | Answer::Lines => {
                let word = text.split_whitespace().next().context("it printed nothing")?;
                let number: u64 = word.parse().context("not a number")?;
                let lines = if self == Answer::Lines { 4 } else { 1 };
                ensure!(number.is_multiple_of(lines), "{number} lines are no whole records");
                (Some(number / lines), None)
            }
            Answer::Seqkit => {
                let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
                let head = lines.next().context("no header")?;
                let row = lines.next().context("no row")?;
                let column = |name| {
                    let at = head.iter().position(|h| *h == name)?;
                    row.get(at)?.parse().ok()
                };
                (column("num_seqs"), column("sum_len"))
            }
            Answer::Fqchk => {
                let row = text.lines().find_map(|line| line.strip_prefix("ALL\t"));
                let bases = row.context("no row ALL")?.split('\t').next();
                (None, bases.and_then(|n| n.parse().ok()))
            }
            Answer::Nanoq => {
                let mut numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
                (numbers.next(), numbers.next())
            }
            Answer::Flagstat => {
                let words: Vec<&str> = text.split_whitespace().take(5).collect();
                let [passed, "+", failed, "in", "total"] = words[..] else {
                    bail!("its first line is not \"N + N in total\"");
                };
                (Some(number::<u64>(passed)? + number::<u64>(failed)?), None)
            }
            Answer::Idxstats => {
                let mut records = 0;
                for line in text.lines() {
                    let fields: Vec<&str> = line.split('\t').collect();
                    let [_, _, mapped, unmapped] = fields[..] else { bail!("not four columns") };
                    records += number::<u64>(mapped)? + number::<u64>(unmapped)?;
                }
                (Some(records), None)
            }
            // These are counted as they are read, or were read above.
            _ => (None, None),
        };
        Ok(Counts { records, bases, ..Counts::default() })
    }
}

/// The text of FastQC, which names its folder after the reads.
fn find_fastqc(report: &Path) -> Result<PathBuf> {
    let folder = report.parent().context("the report has no folder")?;
    let texts = files::list(folder)?.into_iter().map(|path| path.join("fastqc_data.txt"));
    let text = texts.into_iter().find(|text| text.exists());
    text.with_context(|| format!("no fastqc_data.txt in {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let parse = |answer: Answer, text| {
            let Counts { records, bases, bytes, .. } = answer.parse_text(text).expect("parses");
            [records, bases, bytes]
        };
        let both = [Some(3), Some(450), None];
        assert_eq!(parse(Answer::Biofast, r#"{"files":[{"reads":3,"bases":450}]}"#), both);
        assert_eq!(parse(Answer::Seqkit, "file\tnum_seqs\tsum_len\nx.fq\t3\t450\n"), both);
        assert_eq!(parse(Answer::Nanoq, "3 450 150 150 150 150 150 30.1 30.0\n"), both);
        assert_eq!(parse(Answer::Count, r#"{"records":3,"bases":450}"#), both);
        let fqchk = "min_len: 150\nPOS\t#bases\nALL\t450\t29.3\n1\t3\t30\n";
        assert_eq!(parse(Answer::Fqchk, fqchk), [None, Some(450), None]);
        assert_eq!(parse(Answer::Lab, r#"{"blocks":2,"bytes":9}"#), [None, None, Some(9)]);
        let records = [Some(7), None, None];
        let flagstat = "5 + 2 in total (QC-passed reads + QC-failed reads)\n4 + 2 primary\n";
        assert_eq!(parse(Answer::Flagstat, flagstat), records);
        assert_eq!(parse(Answer::Idxstats, "sim\t5000000\t4\t1\n*\t0\t0\t2\n"), records);
        let json = r#"{"files":[{"records":{"passed":{"total":5},"failed":{"total":2}}}]}"#;
        assert_eq!(parse(Answer::BiofastAlignments, json), records);
        let report = "SN\traw total sequences:\t4\t# text\nSN\tnon-primary alignments:\t2\n\
                      SN\tsupplementary alignments:\t1\n";
        assert_eq!(parse(Answer::SamtoolsStats, report), records);
        assert!(Answer::Flagstat.parse_text("").is_err());
        assert_eq!(parse(Answer::Lines, "28 reads.fq\n"), records);
        assert!(Answer::Lines.parse_text("27\n").is_err());
    }

    #[test]
    fn wrong_answers_are_named() {
        let truth =
            Counts { records: Some(3), bases: Some(450), bytes: Some(9), checksum: Some(1) };
        assert_eq!(truth.difference(&truth, 0), None);
        let wrong = Counts { bases: Some(449), ..Counts::default() };
        assert_eq!(
            wrong.difference(&truth, 0).as_deref(),
            Some("counted 449 bases instead of 450")
        );
        assert_eq!(wrong.difference(&truth, 10_000), None);
        let other = Counts { checksum: Some(2), ..Counts::default() };
        assert!(other.difference(&truth, 10_000).is_some());
    }
}

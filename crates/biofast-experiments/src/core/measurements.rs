//! `measurements.csv`: one line for every repetition of every condition, none left out. Everything else under
//! `results/` and in the notebook is made from it and from the protocol.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use crate::files;

use super::cell::Cell;
use super::stats::significant;

/// The file's name in a folder of results.
pub(crate) const NAME: &str = "measurements.csv";

/// Columns behind the factors.
const FIXED: [&str; 6] = ["run", "rep", "order", "calls", "bytes", "answer"];
/// Metrics that come first, if they were measured.
const FIRST: [&str; 13] = [
    "wall_s", "user_s", "sys_s", "minor_faults", "major_faults", "process_s", "process_faults",
    "max_rss_kb", "peak_rss_kb", "peak_anon_kb", "read_blocks", "resident", "steal_s",
];

/// One repetition of one condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measurement {
    pub(crate) cell: Cell,
    /// The condition under its second name.
    pub(crate) again: bool,
    pub(crate) rep: usize,
    /// Its place in the random order of the repetition.
    pub(crate) order: usize,
    /// How often the work was done; times and counts are of one call.
    pub(crate) calls: u64,
    /// Bytes of input of one call.
    pub(crate) bytes: u64,
    pub(crate) answer: String,
    /// By name; see [`Measurement::metric`].
    pub(crate) metrics: BTreeMap<String, f64>,
}

impl Measurement {
    /// A metric by the name of its column; `cpu_s` is user and system time together.
    pub(crate) fn metric(&self, name: &str) -> Option<f64> {
        match name {
            "cpu_s" => Some(self.metrics.get("user_s")? + self.metrics.get("sys_s")?),
            name => self.metrics.get(name).copied(),
        }
    }
}

/// Writes all measurements; `factors` are the first columns.
pub(crate) fn write(dir: &Path, factors: &[String], all: &[Measurement]) -> Result<()> {
    let path = dir.join(NAME);
    files::write(&path, format(factors, all)?)
}

pub(crate) fn read(dir: &Path) -> Result<Vec<Measurement>> {
    let path = dir.join(NAME);
    let text = files::read(&path)?;
    parse(&text).with_context(|| format!("cannot parse {}", path.display()))
}

fn format(factors: &[String], all: &[Measurement]) -> Result<String> {
    let present: BTreeSet<&str> =
        all.iter().flat_map(|m| m.metrics.keys().map(String::as_str)).collect();
    let mut metrics: Vec<&str> = FIRST.into_iter().filter(|name| present.contains(name)).collect();
    metrics.extend(present.iter().filter(|name| !FIRST.contains(name)));
    let names = factors.iter().map(String::as_str).chain(FIXED).chain(metrics.iter().copied());
    let names: Vec<&str> = names.collect();
    ensure_distinct(&names)?;
    let mut text = names.join(",") + "\n";
    for m in all {
        for factor in factors {
            write!(text, "{},", m.cell.get(factor))?;
        }
        let run = if m.again { "again" } else { "main" };
        ensure!(!m.answer.contains([',', '\n']), "an answer has a comma: {}", m.answer);
        write!(text, "{run},{},{},{},{},{}", m.rep, m.order, m.calls, m.bytes, m.answer)?;
        for name in &metrics {
            match m.metrics.get(*name) {
                Some(value) => write!(text, ",{}", significant(*value))?,
                None => text.push(','),
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// A table read by others has one column of a name.
fn ensure_distinct(names: &[&str]) -> Result<()> {
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(**name)) {
        Some(twice) => bail!("two columns are called {twice:?}"),
        None => Ok(()),
    }
}

fn parse(text: &str) -> Result<Vec<Measurement>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().context("empty")?.split(',').collect();
    let factors = header.iter().position(|name| *name == "run").context("no column \"run\"")?;
    ensure!(header[factors..].starts_with(&FIXED), "unexpected columns");
    ensure_distinct(&header)?;
    lines
        .enumerate()
        .map(|(i, line)| {
            parse_line(&header, factors, line).with_context(|| format!("line {}", i + 2))
        })
        .collect()
}

fn parse_line(header: &[&str], factors: usize, line: &str) -> Result<Measurement> {
    let fields: Vec<&str> = line.split(',').collect();
    ensure!(fields.len() == header.len(), "{} fields instead of {}", fields.len(), header.len());
    let mut cell = Cell::default();
    for (name, level) in header.iter().zip(&fields).take(factors) {
        cell = cell.with(name, level);
    }
    let fixed = &fields[factors..];
    let first_metric = factors + FIXED.len();
    let mut metrics = BTreeMap::new();
    for (name, field) in header.iter().zip(&fields).skip(first_metric) {
        if !field.is_empty() {
            let value = field.parse().with_context(|| format!("{name} {field:?}"))?;
            metrics.insert((*name).to_owned(), value);
        }
    }
    let number = |i: usize| fixed[i].parse::<u64>().with_context(|| format!("{:?}", fixed[i]));
    ensure!(matches!(fixed[0], "main" | "again"), "run {:?}", fixed[0]);
    Ok(Measurement {
        cell,
        again: fixed[0] == "again",
        rep: number(1)? as usize,
        order: number(2)? as usize,
        calls: number(3)?,
        bytes: number(4)?,
        answer: fixed[5].to_owned(),
        metrics,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_the_file() {
        let factors = ["method".to_owned(), "reads".to_owned()];
        let one = Measurement {
            cell: Cell::default().with("method", "table").with("reads", "1K"),
            again: false,
            rep: 1,
            order: 2,
            calls: 3,
            bytes: 4,
            answer: "5".into(),
            metrics: [("wall_s".to_owned(), 0.25), ("own".to_owned(), 7.0)].into(),
        };
        let other = Measurement {
            again: true,
            metrics: [("wall_s".to_owned(), 1.5e-9)].into(),
            ..one.clone()
        };
        let all = [one, other];
        let text = format(&factors, &all).expect("formats");
        assert!(text.starts_with("method,reads,run,rep,order,calls,bytes,answer,wall_s,own\n"));
        assert_eq!(parse(&text).expect("parses"), all);
    }

    #[test]
    fn a_bad_line_is_named() {
        let text = "a,run,rep,order,calls,bytes,answer,wall_s\nx,main,1,1,1,1,ok,zero\n";
        let error = parse(text).expect_err("zero is not a number");
        assert!(format!("{error:#}").starts_with("line 2"), "{error:#}");
    }
}

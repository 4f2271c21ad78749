//! `runs.csv`: one line for every measured run. The benchmark replaces the lines of a job and thread budget
//! that it has measured again; the report is made from what the file then holds.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};

use crate::core::measure::Usage;

const NAME: &str = "runs.csv";
const HEADER: &str = "job,contestant,version,threads,rep,wall_s,user_s,sys_s,max_rss_kb,peak_anon_kb,minor_faults,exit,\
                      major_faults,in_blocks,written";
/// The header of files from before bytes written were counted.
const HEADER_BEFORE: &str = "job,contestant,version,threads,rep,wall_s,user_s,sys_s,max_rss_kb,peak_anon_kb,\
                             minor_faults,exit,major_faults,in_blocks";

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) job: String,
    pub(crate) contestant: String,
    pub(crate) version: String,
    /// The budget; contestants that use one thread whatever it is run under each.
    pub(crate) threads: usize,
    /// From 1; 0 is the warm-up, which is not written.
    pub(crate) rep: usize,
    pub(crate) usage: Usage,
}

/// All runs in `dir`.
pub(crate) fn read(dir: &Path) -> Result<Vec<Run>> {
    read_rows(&dir.join(NAME), parse)
}

/// What `parse` makes of the file at `path`; nothing where there is none.
pub(super) fn read_rows<T>(path: &Path, parse: impl Fn(&str) -> Result<Vec<T>>) -> Result<Vec<T>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| format!("cannot parse {}", path.display()))
}

/// Puts `new` in the place of the runs of `job` at `threads`.
pub(crate) fn replace(dir: &Path, job: &str, threads: usize, new: &[Run]) -> Result<()> {
    let mut all = read(dir)?;
    all.retain(|run| run.job != job || run.threads != threads);
    all.extend_from_slice(new);
    let path = dir.join(NAME);
    fs::write(&path, format(&all)).with_context(|| format!("cannot write {}", path.display()))
}

fn format(runs: &[Run]) -> String {
    let mut text = format!("{HEADER}\n");
    for Run { job, contestant, version, threads, rep, usage: u } in runs {
        let anon = u.peak_anon_kb.map(|kb| kb.to_string()).unwrap_or_default();
        let written = u.written.map(|bytes| bytes.to_string()).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{job},{contestant},{},{threads},{rep},{:.6},{:.6},{:.6},{},{anon},{},{},{},{},{written}",
            version.replace([',', '\n'], " "),
            u.wall_s,
            u.user_s,
            u.sys_s,
            u.max_rss_kb,
            u.minor_faults,
            u.exit,
            u.major_faults,
            u.in_blocks
        );
    }
    text
}

fn parse(text: &str) -> Result<Vec<Run>> {
    let mut lines = text.lines();
    let before = match lines.next() {
        Some(HEADER) => false,
        Some(HEADER_BEFORE) => true,
        _ => bail!("line 1 is not the expected header"),
    };
    lines
        .enumerate()
        .map(|(i, line)| {
            let line = if before { format!("{line},") } else { line.to_owned() };
            parse_line(&line).with_context(|| format!("line {}", i + 2))
        })
        .collect()
}

fn parse_line(line: &str) -> Result<Run> {
    let fields: Vec<&str> = line.split(',').collect();
    let [
        job,
        contestant,
        version,
        threads,
        rep,
        wall,
        user,
        sys,
        rss,
        anon,
        minor,
        exit,
        major,
        blocks,
        written,
    ] = fields[..]
    else {
        bail!("{} fields instead of 15", fields.len());
    };
    Ok(Run {
        job: job.to_owned(),
        contestant: contestant.to_owned(),
        version: version.to_owned(),
        threads: number(threads)?,
        rep: number(rep)?,
        usage: Usage {
            wall_s: number(wall)?,
            user_s: number(user)?,
            sys_s: number(sys)?,
            max_rss_kb: number(rss)?,
            peak_anon_kb: if anon.is_empty() { None } else { Some(number(anon)?) },
            minor_faults: number(minor)?,
            major_faults: number(major)?,
            in_blocks: number(blocks)?,
            exit: number(exit)?,
            written: if written.is_empty() { None } else { Some(number(written)?) },
        },
    })
}

fn number<T: FromStr>(field: &str) -> Result<T> {
    match field.parse() {
        Ok(value) => Ok(value),
        Err(_) => bail!("{field:?} is not a number"),
    }
}

/// Runs of `contestant`, with nothing known of them but their times.
#[cfg(test)]
pub(super) fn timed(job: &str, contestant: &str, walls: &[f64]) -> Vec<Run> {
    let run = |(i, &wall_s): (usize, &f64)| Run {
        job: job.to_owned(),
        contestant: contestant.to_owned(),
        version: "1".to_owned(),
        threads: 2,
        rep: i + 1,
        usage: Usage { wall_s, ..Usage::default() },
    };
    walls.iter().enumerate().map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(job: &str, threads: usize, rep: usize) -> Run {
        let usage = Usage {
            wall_s: 0.25,
            max_rss_kb: 7,
            peak_anon_kb: (rep > 1).then_some(5),
            written: (rep > 1).then_some(9),
            ..Usage::default()
        };
        Run { job: job.into(), contestant: "c".into(), version: "1.0".into(), threads, rep, usage }
    }

    #[test]
    fn survives_the_file() {
        let runs = vec![run("a", 1, 1), run("b", 2, 2)];
        assert_eq!(parse(&format(&runs)).expect("parses"), runs);
    }

    #[test]
    fn replaces_one_job_and_budget_only() {
        let dir = tempfile::tempdir().expect("temporary directory");
        replace(dir.path(), "a", 1, &[run("a", 1, 1)]).expect("writes");
        replace(dir.path(), "a", 2, &[run("a", 2, 1)]).expect("writes");
        replace(dir.path(), "a", 1, &[run("a", 1, 1), run("a", 1, 2)]).expect("writes");
        let runs = read(dir.path()).expect("reads");
        assert_eq!(runs, [run("a", 2, 1), run("a", 1, 1), run("a", 1, 2)]);
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = parse(&format!("{HEADER}\na,b\n")).expect_err("too few fields");
        assert!(format!("{error:#}").contains("line 2"));
    }
}

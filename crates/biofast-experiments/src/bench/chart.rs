//! The README's chart: three jobs of two threads, each beside the tools that people run for it today, for a light and for a
//! dark page. Called by `page`.

use std::fmt::Write as _;

use super::figure::{OWN, escape};
use super::jobs::{BASE, Job};
use super::runs::{Run, peers};
use crate::core::stats::median;

/// The jobs: as the benchmark names them, and as a reader would.
pub(crate) const JOBS: [(&str, &str); 3] = [
    ("bam-qc", "All QC of a BAM file"),
    ("bam-sort-mark", "Sort, mark duplicates, index"),
    ("fastq-filter-pairs", "Trim and filter pairs of FASTQ"),
];

/// What a page's colour scheme changes.
pub(crate) struct Scheme {
    pub(crate) name: &'static str,
    text: &'static str,
    other: &'static str,
}

pub(crate) const SCHEMES: [Scheme; 2] = [
    Scheme { name: "light", text: "#1f2328", other: "#8c959f" },
    Scheme { name: "dark", text: "#e6edf3", other: "#6e7681" },
];

pub(crate) const THREADS: usize = 2;
const WIDTH: f64 = 760.0;
const LEFT: f64 = 20.0;
const RIGHT: f64 = 640.0;
const LINE: f64 = 38.0;

/// One bar: who, which version, and the median of wall seconds.
struct Bar<'a> {
    name: &'a str,
    version: &'a str,
    seconds: f64,
}

/// The text of the chart, of titles, jobs and a machine's runs of them.
pub(crate) fn draw(jobs: &[(&str, &Job, Vec<&Run>)], scheme: &Scheme, machine: &str) -> String {
    let mut svg = String::new();
    let mut y = 12.0;
    for (title, job, runs) in jobs {
        let bars = bars(job, runs);
        let most = bars.iter().map(|bar| bar.seconds).fold(f64::MIN_POSITIVE, f64::max);
        y += 14.0;
        // Writing to a String can't fail.
        let _ = writeln!(
            svg,
            "<text x=\"{LEFT}\" y=\"{y:.0}\" font-weight=\"bold\" fill=\"{}\">{title}</text>",
            scheme.text
        );
        y += 8.0;
        for Bar { name, version, seconds } in bars {
            let width = (RIGHT - LEFT) * seconds / most;
            let colour = if name == BASE { OWN } else { scheme.other };
            let version = if version == "unknown" { "" } else { version };
            let _ = writeln!(
                svg,
                "<text x=\"{LEFT}\" y=\"{:.0}\" font-size=\"12\" fill=\"{text}\">{} {}</text>\n\
                 <rect x=\"{LEFT}\" y=\"{:.0}\" width=\"{width:.1}\" height=\"14\" rx=\"2\" fill=\"{colour}\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.0}\" font-size=\"12\" fill=\"{text}\">{seconds:.1} s</text>",
                y + 12.0,
                escape(name),
                escape(version),
                y + 16.0,
                LEFT + width + 6.0,
                y + 28.0,
                text = scheme.text,
            );
            y += LINE;
        }
    }
    y += 14.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {0:.0}\" width=\"{WIDTH}\" height=\"{0:.0}\" \
         font-family=\"sans-serif\" font-size=\"14\">\n{svg}<text x=\"{LEFT}\" y=\"{y:.0}\" font-size=\"11\" fill=\"{1}\">\
         Wall time, medians; {THREADS} threads; {2}</text>\n</svg>\n",
        y + 12.0,
        scheme.text,
        escape(machine)
    )
}

/// The contestants that do all of the job, biofast first, then the fastest.
fn bars<'a>(job: &'a Job, runs: &[&'a Run]) -> Vec<Bar<'a>> {
    let base = job.contestants.iter().filter(|c| c.name == BASE);
    let mut bars: Vec<Bar<'_>> = base
        .chain(peers(job))
        .filter_map(|c| {
            let is_own = |run: &&&Run| {
                run.contestant == c.name && run.threads == THREADS && run.usage.exit == 0
            };
            let own: Vec<&&Run> = runs.iter().filter(is_own).collect();
            let seconds: Vec<f64> = own.iter().map(|run| run.usage.wall_s).collect();
            Some(Bar { name: &c.name, version: &own.last()?.version, seconds: median(&seconds)? })
        })
        .collect();
    bars.sort_by(|a, b| {
        (a.name != BASE).cmp(&(b.name != BASE)).then(a.seconds.total_cmp(&b.seconds))
    });
    bars
}

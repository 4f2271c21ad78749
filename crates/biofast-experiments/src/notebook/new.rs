//! `biofast-lab new`: the folder of a new entry with a protocol to fill in.

use anyhow::{Result, ensure};

use super::{Places, overview, protocols};
use crate::core::{notes, protocol};
use crate::files;

/// Makes `experiments/NNN-slug/protocol.toml`; the number is the next free one, or the first part of `slug`.
pub fn create(places: &Places, slug: &str) -> Result<()> {
    let valid = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    ensure!(valid(slug), "a slug has lower-case letters, digits and '-' only");
    let all = protocols(places)?;
    let (id, slug) = match slug.split_once('-') {
        Some((id, rest)) if id.len() == 3 && id.bytes().all(|b| b.is_ascii_digit()) => {
            (id.to_owned(), rest)
        }
        _ => {
            let last = all.iter().filter_map(|p| p.id.parse::<u32>().ok()).max().unwrap_or(0);
            let taken = overview::ID.parse() == Ok(last + 1);
            (format!("{:03}", last + 1 + u32::from(taken)), slug)
        }
    };
    ensure!(valid(slug), "no name behind the number");
    ensure!(id != overview::ID && all.iter().all(|p| p.id != id), "entry {id} exists");
    let folder = places.experiments().join(format!("{id}-{slug}"));
    files::create_folder(&folder)?;
    let path = folder.join(protocol::NAME);
    files::write(&path, TEMPLATE.replace("{id}", &id).replace("{slug}", slug))?;
    println!("{}", path.display());
    let path = folder.join(notes::NAME);
    files::write(&path, NOTES)?;
    println!("{}", path.display());
    println!(
        "next: fill it in, write crates/biofast-experiments/src/entries/e{id}_{}.rs and register it in entries/mod.rs, \
         run `biofast-lab run {id} --quick`, then `biofast-lab run {id}`",
        slug.replace('-', "_")
    );
    Ok(())
}

const NOTES: &str = r#"# What is said beside the protocol; docs/laboratory.md names all fields. Answer and advice are written after the run.
answer = ""
advice = ""
claimed_by = "others" # or "ours"
# Files and folders whose code is measured, beside the entry's own file: results are stale once one of them changes.
measures = [""]

[[claim]]
text = ""
source = ""
"#;

const TEMPLATE: &str = r#"# Written before the run; a change after it is noticed by `biofast-lab check`. Empty fields are errors.
id = "{id}"
slug = "{slug}"
title = ""
type = "kernel" # kernel, stream, io, memory …: series A, B and C of the summary
question = ""
claim = ""
source = ""
known_faults = ""
prediction = ""
refuted_if = ""
workload = ""
metric = "wall_s"
mode = "in-process" # or "process": a child process for each measurement
repetitions = 11
at_least_ms = 5.0 # a repetition repeats its work until so much time has passed
equal_work = ["reads"] # conditions with the same levels of these factors must agree
control = { method = "new" }
baseline = { method = "old" }

[[factor]]
name = "method"
about = ""
levels = ["old", "new"]

[[factor]]
name = "reads"
about = "Number of reads of 150 bases."
levels = ["1K", "100K"]
quick = ["1K"]

[table]
columns = "reads"

[figure]
x = "reads"
series = ["method"]
y = "speedup" # or metric, throughput
log = true
title = ""
x_label = "reads"
y_label = ""

[verdict]
rule = ""

[[verdict.check]]
name = ""
claim = ""
of = { method = "old", reads = "100K" }
over = { method = "new", reads = "100K" }
at_least = 2.0
"#;

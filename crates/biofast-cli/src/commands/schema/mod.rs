//! `biofast schema`: what the JSON of each command looks like, as JSON Schema.
//!
//! A file beside this one for each form, and `definitions.json` for what several have. A test validates what every command prints,
//! and says so if a property is in no schema, or in a schema and never printed.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use biofast_io::display_name;
use biofast_ops::{filter, reads};
use serde_json::{Map, Value, json};

use crate::options::{Folder, Out};
use crate::output;
use crate::session::{Exit, Session};

/// Print the JSON Schema of a command's JSON output
///
/// Every property is described, with its unit, and no other properties occur. Without COMMAND, lists the schemas.
///
/// Schemas follow draft 2020-12 and have a version in their `$id`. Properties may be added within a version. Changing
/// the meaning of a property, or removing it, raises the version.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast schema
  biofast schema stats
  biofast schema filter -o filter.schema.json
  biofast schema --out-dir schemas")]
pub(crate) struct Args {
    /// Command, or another name from the list
    #[arg(value_name = "COMMAND")]
    name: Option<String>,

    /// Write all schemas to DIR as NAME.json; DIR is created if it doesn't exist
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "out"])]
    out_dir: Option<Folder>,

    #[command(flatten)]
    out: Out,
}

macro_rules! schemas {
    ($($name:literal,)*) => {
        /// Names, and what is published under them but for the definitions they share.
        const SCHEMAS: &[(&str, &str)] = &[$(($name, include_str!(concat!($name, ".json"))),)*];
    };
}

schemas! {
    "cat", "check", "check-repair", "checksum", "convert", "dedup", "demux", "fastp", "fastq", "fastq-10x", "filter", "flagstat", "grep", "import", "markdup", "part", "qc-fastp", "repair",
    "shards", "shuffle", "sort", "split", "stats",
}

/// What several schemas have: as it is written down, and what the code has a list of.
fn definitions() -> Result<Map<String, Value>> {
    let mut written: Value = serde_json::from_str(include_str!("definitions.json"))?;
    for (field, about, schema) in reads::SECTIONS {
        written[schema.name] = serde_json::from_str(schema.definition)?;
        let reference = json!({ "$ref": format!("#/$defs/{}", schema.name) });
        let mut property = match schema.is_list {
            true => json!({ "type": "array", "items": reference }),
            false => reference,
        };
        property["description"] = (*about).into();
        for at in ["/statistics_of_reads", "/report_of_reads/properties/files/items"] {
            let holder = written.pointer_mut(at).context(at)?;
            holder["properties"][field] = property.clone();
            if let Some(required) = holder["required"].as_array_mut() {
                required.extend(schema.is_required.then(|| (*field).into()));
            }
        }
    }
    let Value::Object(mut definitions) = written else { bail!("definitions.json isn't an object") };
    let reasons = filter::Reason::ALL.iter().map(|reason| reason.name());
    let of_alignments = filter::alignment::Reason::ALL.iter().map(|reason| reason.name());
    // Some are reasons of both.
    let reasons: BTreeSet<&str> = reasons.chain(of_alignments).collect();
    let trims: Vec<&str> = filter::Trim::ALL.iter().map(|trim| trim.name()).collect();
    definitions.insert("reason_of_rejection".into(), json!({ "enum": reasons }));
    definitions.insert("kind_of_trim".into(), json!({ "enum": trims }));
    Ok(definitions)
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    if let Some(folder) = &args.out_dir {
        session
            .files
            .make_folder(folder)
            .with_context(|| format!("can't create the folder {}", display_name(folder)))?;
        let mut outputs = Vec::new();
        for (name, _) in SCHEMAS {
            let path = folder.join(format!("{name}.json"));
            outputs.push(output::filled(output::report(session, Some(&path))?, published(name)?)?);
        }
        biofast_io::output::commit(outputs, false)?;
        return Ok(Exit::Fine);
    }
    let text = match &args.name {
        Some(name) => published(name)?,
        None => list()?,
    };
    output::finish(args.out.open(session)?, text)?;
    Ok(Exit::Fine)
}

/// A line for each schema: its name, its version, and what it is of.
fn list() -> Result<String> {
    let mut text = String::from("name\tversion\tof\n");
    for (name, source) in SCHEMAS {
        let schema: Value = serde_json::from_str(source)?;
        let word = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        let version = word("$id").rsplit(':').next().unwrap_or_default();
        text += &format!("{name}\t{version}\t{}\n", word("title"));
    }
    Ok(text)
}

/// A schema with all it refers to.
fn published(name: &str) -> Result<String> {
    let Some((_, source)) = SCHEMAS.iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = SCHEMAS.iter().map(|(name, _)| *name).collect();
        bail!("no schema for '{name}'; schemas exist for {}", known.join(", "));
    };
    let mut schema: Map<String, Value> = serde_json::from_str(source)?;
    let definitions = definitions()?;
    let mut needed = BTreeSet::new();
    schema.values().for_each(|part| collect(part, &definitions, &mut needed));
    if !needed.is_empty() {
        let needed = needed.into_iter();
        let found = needed.filter_map(|name| Some((name.clone(), definitions.get(&name)?.clone())));
        schema.insert("$defs".into(), Value::Object(found.collect()));
    }
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}

/// The definitions that a part of a schema refers to, and those that they refer to.
fn collect(part: &Value, definitions: &Map<String, Value>, needed: &mut BTreeSet<String>) {
    match part {
        Value::Object(object) => {
            for (key, value) in object {
                let name = value.as_str().filter(|_| key == "$ref");
                match name.and_then(|name| name.strip_prefix("#/$defs/")) {
                    Some(name) => {
                        if needed.insert(name.to_owned())
                            && let Some(definition) = definitions.get(name)
                        {
                            collect(definition, definitions, needed);
                        }
                    }
                    None => collect(value, definitions, needed),
                }
            }
        }
        Value::Array(array) => array.iter().for_each(|part| collect(part, definitions, needed)),
        _ => {}
    }
}

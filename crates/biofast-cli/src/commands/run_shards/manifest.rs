//! What is run: the command as it was typed, taken apart into what is done to each shard and what is done with all parts.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, anyhow, bail};
use biofast_io::output::Files;
use biofast_io::{Source, display_name};
use clap::ArgMatches;
use clap::parser::ValueSource;
use serde::{Deserialize, Serialize};

use super::absolute;
use crate::commands::needed_for;
use crate::console::Hinted;
use crate::inputs::{self, Input};
use crate::options::InFile;
use crate::session::Session;
use crate::{output, typed};

/// A command that can be run in shards.
struct Sharded {
    name: &'static str,
    /// What makes it write what `merge` reads.
    as_part: &'static str,
    /// Its options about what is written of the whole, by the names of their arguments.
    of_wholes: &'static [&'static str],
}

const COMMANDS: &[Sharded] = &[
    Sharded {
        name: "stats",
        as_part: "--json",
        of_wholes: &[
            "json", "tsv", "html", "title", "sample", "out_dir", "library", "limits", "fail_on",
            "verdicts", "baseline",
        ],
    },
    Sharded { name: "check", as_part: "--json", of_wholes: &["json"] },
    Sharded { name: "flagstat", as_part: "--output-format=json", of_wholes: &[] },
    Sharded { name: "idxstats", as_part: "", of_wholes: &[] },
    Sharded {
        name: "coverage",
        as_part: "",
        of_wholes: &["out_dir", "by", "thresholds", "quantize", "no_per_base", "use_median"],
    },
];

/// A run, as it is written down for all who take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunManifest {
    /// Parts are of one version only.
    pub(super) biofast_version: String,
    /// The command.
    pub(super) name: String,
    /// Where it was typed: paths are relative to this folder.
    pub(super) folder: String,
    /// What makes the part of a shard.
    pub(super) shard: Vec<String>,
    /// What makes a plan.
    pub(super) plan: Vec<String>,
    /// Options of `merge`.
    pub(super) merge: Vec<String>,
    /// Whether seek indexes are written.
    pub(super) write_index: bool,
    /// Threads of each shard.
    pub(super) threads: usize,
    /// Files, and pairs of them, in their order.
    pub(super) units: Vec<Vec<String>>,
    /// Where the output goes, if not to standard output.
    pub(super) out: Option<String>,
    /// Files that are written of the whole.
    reports: Vec<String>,
    /// Other files that shards or the whole are made with.
    pub(super) beside: Vec<FileBeside>,
}

/// A file that is read beside those that are divided, such as a reference, as it was when the run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileBeside {
    pub(super) path: String,
    size: u64,
    /// When it was changed last, in nanoseconds since 1970.
    modified: u128,
}

impl FileBeside {
    pub(super) fn of(path: &str) -> Result<FileBeside> {
        let found = std::fs::metadata(path).with_context(|| path.to_owned())?;
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |time| time.as_nanos());
        Ok(FileBeside { path: path.to_owned(), size: found.len(), modified })
    }
}

impl RunManifest {
    /// What these words mean.
    pub(super) fn of(
        words: &[String],
        sizing: String,
        write_index: bool,
        session: &mut Session,
    ) -> Result<RunManifest> {
        let name = words.first().map_or("", String::as_str);
        let Some(kind) = COMMANDS.iter().find(|kind| kind.name == name) else {
            let names: Vec<&str> = COMMANDS.iter().map(|kind| kind.name).collect();
            bail!("'{name}' can't be run in shards; these can: {}", names.join(", "));
        };
        let (command, matches) = parsed(words)?;
        let has = |id: &str| {
            command.get_arguments().any(|argument| argument.get_id() == id)
                && matches.value_source(id) == Some(ValueSource::CommandLine)
        };
        if has("shard") {
            bail!("--shard is given by `run`: leave it out");
        }
        if matches.try_get_raw("sample").ok().flatten().is_some_and(|names| names.len() > 1) {
            bail!("`run` takes one --sample, for all files");
        }
        if name == "stats" && has("out_dir") && !has("qc") {
            bail!("--out-dir needs --qc here: name the files to write");
        }
        let alone = ["by", "thresholds", "quantize", "no_per_base", "use_median", "html"];
        if name == "coverage"
            && let Some(id) =
                alone.into_iter().find(|id| has(id) && (!has("out_dir") || *id == "html"))
        {
            bail!(
                "--{} of coverage in shards: only with --out-dir, and no --html",
                id.replace('_', "-")
            );
        }
        let files = files(&command, &matches, session)?;
        let is_of_reads = has("qc") && holds_reads(&files)?;
        let qc = matches.try_get_raw("qc").ok().flatten().into_iter().flatten();
        let other = qc.map(|name| name.to_string_lossy()).find(|name| *name != "seqkit");
        if let (true, Some(other)) = (is_of_reads, other) {
            bail!("--qc {other} of reads can't be made in shards: only seqkit");
        }
        // What is written of the whole is the business of `merge`, the rest that of shards.
        let (mut shard, mut merge) = (vec![name.to_owned()], Vec::new());
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let is_own = matches!(id, "files_from" | "threads" | "output_fmt");
            if argument.is_positional() || is_own || !has(id) {
                continue;
            }
            let words = spelled(argument, &matches);
            match id {
                "out" => merge.extend(words),
                "compat" if has("out_dir") => merge.extend(words),
                // Reads have all that is needed in their reports. Other files are counted in shards.
                "qc" if has("out_dir") && is_of_reads => merge.extend(words),
                "qc" if has("out_dir") => {
                    merge.extend(words.clone());
                    shard.extend(words);
                }
                "quiet" => {
                    merge.extend(words.clone());
                    shard.extend(words);
                }
                _ if kind.of_wholes.contains(&id) => merge.extend(words),
                _ => shard.extend(words),
            }
        }
        if !kind.as_part.is_empty() {
            shard.push(kind.as_part.into());
        }
        if let Ok(Some(format)) = matches.try_get_raw("output_fmt") {
            let format: Vec<_> =
                format.map(|format| format.to_string_lossy().to_lowercase()).collect();
            merge.extend(match format.first().map_or("", String::as_str) {
                "json" => Some("--json".to_owned()),
                "tsv" => Some("--tsv".to_owned()),
                _ => None,
            });
        }
        let threads = matches.try_get_raw("threads").ok().flatten().and_then(|mut n| n.next());
        let threads = threads.and_then(|n| n.to_str()).and_then(|n| n.parse().ok()).unwrap_or(1);
        shard.push(format!("--threads={threads}"));
        let mut plan: Vec<String> = ["shards", "--quiet"].map(Into::into).into();
        plan.extend([sizing, format!("--threads={threads}")]);
        for (id, option) in
            [("interleaved", "--interleaved"), ("allow_missing_eof", "--allow-missing-eof")]
        {
            if has(id) {
                plan.push(option.into());
            }
        }
        let together = if has("paired") { 2 } else { 1 };
        if files.len() % together != 0 {
            bail!("--paired takes an even number of files, but {} are named", files.len());
        }
        if files.len() > 1 && name == "coverage" {
            bail!("`run` takes one file for coverage, but {} are named", files.len());
        }
        let mut beside = Vec::new();
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            if argument.is_positional() || id == "files_from" || !has(id) {
                continue;
            }
            for path in matches.try_get_many::<InFile>(id).ok().flatten().into_iter().flatten() {
                let is_file = path.is_file() && biofast_io::remote::address(path).is_none();
                beside.extend(path.to_str().filter(|_| is_file).map(FileBeside::of).transpose()?);
            }
        }
        let path = |id: &str| {
            let mut paths = matches.try_get_raw(id).ok().flatten()?;
            paths.next().filter(|path| *path != "-").map(|path| path.to_string_lossy().into_owned())
        };
        let out = path("out").or_else(|| path("out_dir"));
        Ok(RunManifest {
            biofast_version: env!("CARGO_PKG_VERSION").into(),
            name: name.into(),
            folder: std::env::current_dir()?.display().to_string(),
            shard,
            plan,
            merge,
            write_index,
            threads,
            units: files.chunks(together).map(<[String]>::to_vec).collect(),
            out,
            reports: ["out", "html", "verdicts"].into_iter().filter_map(path).collect(),
            beside,
        })
    }

    /// The folder of the run, if none was named.
    pub(super) fn work(&self) -> PathBuf {
        // Nothing can be put beside a device or a pipe.
        let is_file = |out: &&String| {
            std::fs::metadata(out).map_or(true, |found| found.is_file() || found.is_dir())
        };
        let out = self.out.as_ref().filter(is_file);
        out.map_or("biofast.run".into(), |out| format!("{out}.run")).into()
    }

    /// An error if the outputs can't be written, before anything is done for them.
    pub(super) fn check_outputs(&self, work: &Path) -> Result<()> {
        let mut files = Files::default();
        for input in self.units.iter().flatten() {
            files.read(Path::new(input))?;
        }
        for output in self.reports.iter().chain(&self.out) {
            if resolved(Path::new(output))?.starts_with(resolved(work)?) {
                bail!(
                    "{output} is in {}, the folder of the run: choose another output",
                    display_name(work)
                );
            }
        }
        for report in &self.reports {
            // It is opened, and left as it is.
            drop(output::report_file(&mut files, Path::new(report))?);
        }
        Ok(())
    }

    /// What the units are.
    pub(super) fn called(&self) -> &'static str {
        match self.units.as_slice() {
            [files] if files.len() == 1 => "file",
            [_] => "pair",
            [first, ..] if first.len() == 1 => "files",
            _ => "pairs",
        }
    }
}

/// Where a path leads that may not be there yet, or not as a whole.
fn resolved(path: &Path) -> Result<PathBuf> {
    let path = absolute(path)?;
    for there in path.ancestors() {
        // What isn't there has no links, and `..` leads back from it.
        let Ok(known) = there.canonicalize() else { continue };
        let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
        let mut found = known;
        for part in rest.components() {
            match part {
                Component::ParentDir => drop(found.pop()),
                part => found.push(part),
            }
        }
        return Ok(found);
    }
    Ok(path)
}

/// The command and its arguments as it understands them.
pub(super) fn parsed(words: &[String]) -> Result<(clap::Command, ArgMatches)> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let words = typed::join_numbers(words);
    let mut program = needed_for(&words);
    let typed = std::iter::once("biofast".into()).chain(words.iter().cloned());
    let matches = program.try_get_matches_from_mut(typed).map_err(|error| {
        let found = typed::explained(&error, &words, &program);
        match found.hint {
            Some(hint) => Hinted { message: found.text, hint: hint.into() }.into(),
            None => anyhow!(found.text),
        }
    })?;
    let (name, matches) = matches.subcommand().ok_or_else(|| anyhow!("no command"))?;
    let command = program.find_subcommand(name).ok_or_else(|| anyhow!("no command"))?;
    Ok((command.clone(), matches.clone()))
}

/// An option as it can be typed.
fn spelled(argument: &clap::Arg, matches: &ArgMatches) -> Vec<String> {
    let id = argument.get_id().as_str();
    let option = match (argument.get_long(), argument.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => return Vec::new(),
    };
    if !argument.get_action().takes_values() {
        let times = match argument.get_action() {
            clap::ArgAction::Count => matches.get_count(id).into(),
            _ => 1,
        };
        return vec![option; times];
    }
    let mut words = Vec::new();
    for values in matches.get_raw_occurrences(id).into_iter().flatten() {
        let values: Vec<String> =
            values.map(|value| value.to_string_lossy().into_owned()).collect();
        match (argument.get_value_delimiter(), values.as_slice()) {
            (Some(delimiter), values) => {
                words.push(format!("{option}={}", values.join(&delimiter.to_string())));
            }
            (None, [value]) => words.push(format!("{option}={value}")),
            (None, values) => {
                words.push(option.clone());
                words.extend(values.iter().cloned());
            }
        }
    }
    words
}

/// The files that are named, patterns and lists resolved.
fn files(
    command: &clap::Command,
    matches: &ArgMatches,
    session: &mut Session,
) -> Result<Vec<String>> {
    let mut named: Vec<&InFile> = Vec::new();
    for argument in command.get_positionals() {
        let found = matches.try_get_many::<InFile>(argument.get_id().as_str()).ok().flatten();
        named.extend(found.into_iter().flatten());
    }
    let list = matches.try_get_one::<InFile>("files_from").ok().flatten();
    if named.is_empty() && list.is_none() {
        bail!("no files: shards are read from files, not from standard input");
    }
    let mut files: Vec<String> = Vec::new();
    for input in inputs::gather(&named, list.map(AsRef::as_ref), "-", session)? {
        let Input::Path(path) = &input else {
            bail!("{} can't be divided into shards: name a file", input.in_words());
        };
        let Some(text) = path.to_str() else {
            bail!("{}: `run` needs names in UTF-8", display_name(path))
        };
        if files.iter().any(|file| file == text) {
            bail!("{text} is named twice");
        }
        files.push(text.to_owned());
    }
    Ok(files)
}

/// Whether the first of these files has reads, and no alignments.
fn holds_reads(files: &[String]) -> Result<bool> {
    let Some(first) = files.first() else { return Ok(false) };
    inputs::holds_reads(&mut Source::open(Path::new(first))?)
}

/// A word for the shell.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,%+@".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Words for the shell.
pub(super) fn line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A path as it is from another folder.
pub(super) fn from(folder: &str, path: &str) -> Result<PathBuf> {
    absolute(&Path::new(folder).join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_shell_are_quoted_where_needed() {
        let words = ["a-b", "it's", "", "x y"].map(String::from);
        assert_eq!(line(&words), r"a-b 'it'\''s' '' 'x y'");
    }

    #[test]
    fn options_are_spelled_as_they_were_meant() -> Result<()> {
        let typed = [
            "coverage", "-F1796", "--by", "100", "-T", "1,10", "-aa", "--format", "samtools-depth",
            "x.bam",
        ];
        let (command, matches) = parsed(&typed.map(String::from))?;
        let mut words = Vec::new();
        for argument in command.get_arguments() {
            if matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine) {
                words.extend(spelled(argument, &matches));
            }
        }
        words.sort();
        assert_eq!(
            words,
            [
                "--all-positions", "--all-positions", "--by=100", "--exclude-flags=1796",
                "--format=samtools-depth", "--thresholds=1,10"
            ]
        );
        Ok(())
    }
}

//! `biofast split --by`: alignments to a file for each value of a tag.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use biofast_bam::{self as bam, Detail, Header, Query, SamWriter};
use biofast_io::output::{Output, allow_open_files, commit};
use biofast_io::{Shown, display_name};
use biofast_ops::number::{counted, grouped};
use biofast_ops::split::{TagSplit, TagValues};

use super::{Args, MOST_FILES};
use crate::console::Hinted;
use crate::inputs::{self, Input, Rereads};
use crate::options::AlignmentsTarget;
use crate::output::{self, OTHER_FILES};
use crate::session::{Exit, Session};
use crate::watch::Watch;

/// What stands for the value in names.
const VALUE: &str = "{value}";

pub(super) fn run(args: &Args, tag: [u8; 2], session: &mut Session) -> Result<Exit> {
    let mut inputs = inputs::gather(&args.files, None, "-", session)?;
    let input = match (inputs.pop(), inputs.len()) {
        (Some(input), 0) if input.len().is_some() => input,
        (Some(input), 0) => {
            // What isn't there is no stream.
            input.open()?;
            bail!("--by reads the input twice, which a stream can't be: name a file")
        }
        (_, others) => bail!("--by takes one file of alignments, but {} are named", others + 1),
    };
    let rereads = Rereads::of(std::slice::from_ref(&input));
    let watch = Watch::new(session, args.reading.alignments());
    let (header, values) = values(args, tag, &input, &rereads, session)?;
    let opened = open(args, (tag, &values), &header, &input.name(), session)
        .map_err(|error| input.blamed(error))?;
    let (are_bam, mut outputs): (Vec<bool>, Vec<Output>) = opened.into_iter().unzip();
    let split = TagSplit::new(tag, &values, args.unassigned.is_some());
    let writer = SamWriter::new(&header);
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = bam::Transform::new(query(args, &input, &watch)?).options(&watch.options).run(
        &mut outputs,
        || ([0u64; 2], Vec::new()),
        |([written, unknown], text): &mut ([u64; 2], Vec<u8>), batch, texts| {
            for record in batch {
                record.check()?;
                let Some(number) = split.output_of(&record, text)? else {
                    *unknown += 1;
                    continue;
                };
                *written += 1;
                match are_bam[number] {
                    true => record.write_bam(&mut texts[number]),
                    false => writer.write(&record, &mut texts[number])?,
                }
            }
            Ok::<_, bam::Error>(())
        },
        |(mine, _), (theirs, _)| {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        },
    );
    drop(bar);
    watch.tell(&input, None, &args.reading.messages, &args.reading.threads);
    let (_, ([written, unknown], _)) = rereads.checked(result.map_err(output::failed))?;
    // All had an output when the file was read first.
    rereads.compare(&0, &unknown)?;
    let number = outputs.len();
    commit(outputs, args.writing.sync)?;
    if !args.reading.messages.quiet {
        let (records, files) = (counted(written, "record"), counted(number as u64, "file"));
        let what = format!("{records} written to {files}");
        session.console.note(&what);
    }
    Ok(Exit::Fine)
}

/// The file, from its start.
fn query(args: &Args, input: &Input, watch: &Watch) -> Result<Query> {
    let opening = watch.opening(args.reference.as_deref(), Detail::Full);
    Ok(bam::Input::open(input.open()?, &opening)?.source.into())
}

/// The header, and the values that get files: read groups of the header first.
fn values(
    args: &Args,
    tag: [u8; 2],
    input: &Input,
    rereads: &Rereads,
    session: &Session,
) -> Result<(Header, Vec<Vec<u8>>)> {
    let watch = Watch::new(session, args.reading.alignments());
    let mut source = input.open()?;
    let (reference, quiet) = (args.reference.as_deref(), args.reading.messages.quiet);
    inputs::tell_unused_reference(&session.console, reference, &mut source, quiet);
    let most = if args.force { usize::MAX } else { MOST_FILES as usize };
    let shown = String::from_utf8_lossy(&tag).into_owned();
    let bar = watch.bar(input.len(), &args.reading.messages);
    let found = TagValues::find(query(args, input, &watch)?, &watch.options, tag, most);
    drop(bar);
    let (header, found) = rereads.checked(found)?;
    if found.are_too_many {
        return Err(Hinted::error(
            format!("{shown} has more than {} values; nothing was written", grouped(MOST_FILES)),
            "to write a file for each of them add --force",
        ));
    }
    if let (Some((records, (number, name))), None) = (found.unassigned, &args.unassigned) {
        let others = match records {
            1 => String::new(),
            _ => format!(", and {} more", grouped(records - 1)),
        };
        return Err(Hinted::error(
            format!(
                "{}: record {} ('{name}'){others}: no text or whole number in the tag {shown}; nothing was written",
                input.name(),
                number + 1,
            ),
            "-u FILE takes the records without a value",
        ));
    }
    let mut values: Vec<Vec<u8>> = Vec::new();
    if tag == *b"RG" {
        values.extend(header.read_groups().filter_map(|group| group.id()).map(<[u8]>::to_vec));
    }
    for value in found.values {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    if values.is_empty() && args.unassigned.is_none() {
        bail!("{}: there are no records, and no values of {shown}", input.name());
    }
    Ok((header, values))
}

/// A name as `samtools split -f` makes it.
fn formatted(format: &str, input: &str, number: usize, value: &str) -> Result<String> {
    let mut name = String::new();
    let mut rest = format.chars();
    while let Some(letter) = rest.next() {
        match (letter, if letter == '%' { rest.next() } else { None }) {
            ('%', Some('%')) => name.push('%'),
            ('%', Some('*')) => {
                let file = Path::new(input).file_stem().unwrap_or_default();
                name += &file.to_string_lossy();
            }
            ('%', Some('#')) => name += &number.to_string(),
            ('%', Some('!')) => name += value,
            ('%', Some('.')) => name += "bam",
            ('%', other) => {
                let other = other.map(String::from).unwrap_or_default();
                bail!("-f {format}: %{other} is none of %*, %#, %!, %. and %%");
            }
            (letter, _) => name.push(letter),
        }
    }
    Ok(name)
}

/// The outputs of all values, and that of the others, with their headers; whether each is BAM.
fn open(
    args: &Args,
    (tag, values): ([u8; 2], &[Vec<u8>]),
    header: &Header,
    input: &str,
    session: &mut Session,
) -> Result<Vec<(bool, Output)>> {
    let named = args
        .out
        .as_ref()
        .or(args.name_format.as_ref())
        .context("--out or --name-format (-f) is needed")?;
    let template = named.to_str();
    let template = template.with_context(|| format!("{} is not UTF-8", display_name(named)))?;
    let name = |number: usize, value: &[u8]| {
        let value = output::plain_name(value);
        match args.name_format {
            Some(_) => formatted(template, input, number, &value),
            None => Ok(template.replace(VALUE, &value)),
        }
    };
    if args.name_format.is_none() && !template.contains(VALUE) {
        bail!("all files would be named {template}: put {VALUE} where the value of the tag goes");
    }
    // More files than may be open are open only while they are written to.
    let few = allow_open_files(values.len() as u64 + OTHER_FILES).is_ok();
    let known: Vec<Vec<u8>> =
        header.read_groups().filter_map(|group| group.id()).map(<[u8]>::to_vec).collect();
    let mut names: HashMap<PathBuf, &[u8]> = HashMap::new();
    let mut outputs = Vec::new();
    for (number, value) in
        values.iter().map(Some).chain(args.unassigned.iter().map(|_| None)).enumerate()
    {
        let path = match (value, &args.unassigned) {
            (Some(value), _) => {
                let path = PathBuf::from(name(number, value)?);
                if let Some(other) = names.insert(path.clone(), value) {
                    let path = display_name(&path);
                    bail!("{path} would hold both '{}' and '{}'", Shown(other), Shown(value));
                }
                path
            }
            (None, Some(path)) => path.to_path_buf(),
            (None, None) => continue,
        };
        let own = match value {
            Some(value) if tag == *b"RG" && known.contains(value) => {
                header.with_read_groups(|id| id == value)
            }
            Some(value) if tag == *b"RG" => header
                .with_read_groups(|_| false)
                .with_line(&format!("@RG\tID:{}", String::from_utf8_lossy(value))),
            _ => header.clone(),
        };
        let own = args.program.header(&own, session).into_owned();
        let target = AlignmentsTarget {
            level: args.writing.level,
            reference: args.reference.as_deref(),
            // One thread: there may be many files.
            ..AlignmentsTarget::new(Some(&path), bam::Format::Sam, 1)
        };
        let opened = target.open(session, &own)?;
        let is_bam = opened.takes_bam();
        let output = opened.output;
        let mut start = Vec::new();
        match is_bam {
            true => own.write_bam(&mut start)?,
            false => own.write_sam(&mut start)?,
        }
        let mut output = if few { output } else { output.closed_between_writes()? };
        output.append(&start)?;
        outputs.push((is_bam, output));
    }
    Ok(outputs)
}

//! Where results go. All outputs of a run are opened here, before anything is read, and appear together.

use std::io::IsTerminal;
use std::path::Path;

use anyhow::{Context, Result, bail};
use biofast_bam as bam;
use biofast_io::output::{self, Compression, Files, Format, Level, Output};
use biofast_io::{ErrorKind, Source, display_name, without_container};

use crate::console::{Hinted, stdio};
use crate::session::Session;

mod failure;
mod names;
mod provenance;

pub(crate) use failure::{RunError, failed};
use names::refuse_archive;
pub(crate) use names::{
    NamedFormat, format_of_bam, format_of_optional, format_of_reads, format_of_sam,
    format_of_sequences, format_of_table, has_extension, make_folder, named as named_format,
    plain_name, prefixes, refuse_document, refuse_not_cram, refuse_unjoined,
};
pub(crate) use provenance::{command_line_at, command_line_of, program, summary, summary_of_files};

/// Files beside many outputs that may be open: inputs, reports, standard streams, what the system's libraries open.
pub(crate) const OTHER_FILES: u64 = 32;

/// An output of reads or alignments: a file, or standard output for none and `-`.
pub(crate) fn records(
    session: &mut Session,
    path: Option<&Path>,
    compression: Compression,
) -> Result<Output> {
    match named(path) {
        Some(path) => file(&mut session.files, path, compression),
        None => stdout(session, compression),
    }
}

/// The same of what is binary, though nothing is compressed here: CRAM is made of it.
pub(crate) fn binary_records(session: &mut Session, path: Option<&Path>) -> Result<Output> {
    if named(path).is_none() {
        refuse_terminal()?;
    }
    records(session, path, Compression::default())
}

/// The same of what is a file.
pub(crate) fn file(files: &mut Files, path: &Path, compression: Compression) -> Result<Output> {
    files.write(path)?;
    refuse_archive(path)?;
    Ok(Output::create_with(path, compression)?)
}

/// An output of anything else, which never takes the place of reads or alignments. If its reader has had enough, that is
/// no reason to stop.
pub(crate) fn report(session: &mut Session, path: Option<&Path>) -> Result<Output> {
    let mut output = match named(path) {
        Some(path) => report_file(&mut session.files, path)?,
        None => stdout(session, Compression::default())?,
    };
    output.outlast_reader();
    Ok(output)
}

/// The same of what is a file.
pub(crate) fn report_file(files: &mut Files, path: &Path) -> Result<Output> {
    files.write(path)?;
    refuse_archive(path)?;
    refuse_reads(path)?;
    Ok(Output::create_with(path, Compression::default())?)
}

/// An index beside an input, which may be there already and is made anew.
pub(crate) fn index(session: &mut Session, path: &Path) -> Result<Output> {
    session.files.renew(path);
    report(session, Some(path))
}

/// The same where it was asked for.
pub(crate) fn optional_report(
    session: &mut Session,
    path: Option<&Path>,
) -> Result<Option<Output>> {
    path.map(|path| report(session, Some(path))).transpose()
}

/// How an output of this format is compressed. A level is for what is compressed.
pub(crate) fn compression(format: Format, level: Option<Level>) -> Result<Compression> {
    if format == Format::Plain && level.is_some() {
        return Err(level_of_plain());
    }
    Ok(Compression::new(format, level)?)
}

/// An error if a format was asked for and the extension of the output promises another compression.
pub(crate) fn refuse_other_compression(
    path: Option<&Path>,
    asked: Option<Format>,
    option: &str,
) -> Result<()> {
    let (Some(path), Some(asked)) = (named(path), asked) else { return Ok(()) };
    let promised = Format::from_name(path);
    if promised == Format::Plain || promised == asked {
        return Ok(());
    }
    let extension = path.extension().unwrap_or_default().display().to_string();
    Err(Hinted::error(
        format!(
            "{} would be {}, but its extension is .{extension}",
            display_name(path),
            match asked {
                Format::Plain => "plain text",
                Format::Bgzf => "BGZF",
                Format::Zstd => "zstd",
                Format::Bzip2 => "bzip2",
            }
        ),
        format!("leave out {option}, or choose another extension"),
    ))
}

/// The error of a level for an output that isn't compressed.
pub(crate) fn level_of_plain() -> anyhow::Error {
    Hinted {
        message: "--level needs compressed output".into(),
        hint: "name the output .gz, .bgz, .zst or .bz2 (.bam for alignments), or choose a format with -O".into(),
    }
    .into()
}

/// `path`, if it isn't `-`.
fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

fn stdout(session: &mut Session, compression: Compression) -> Result<Output> {
    if let Some(output) = session.stdout(compression) {
        return Ok(output);
    }
    if stdio::stdout_was_closed() {
        bail!("can't write to standard output: it is closed");
    }
    if compression.format() != Format::Plain {
        refuse_terminal()?;
    }
    if compression.format() == Format::Plain
        && let Some(name) = stdio::name_of_stdout()
        && (Format::from_name(&name) != Format::Plain || has_extension(Some(&name), "bam"))
    {
        let name = display_name(Path::new(name.file_name().unwrap_or_default()));
        session.console.warning(&format!("standard output goes to {name}, but is not compressed"));
        session.console.hint(&format!(
            "use -o {name} in place of >: an output named by -o gets the format of its extension"
        ));
    }
    session.files.write_stdout()?;
    Ok(Output::stdout(compression)?)
}

/// An error if standard output is a terminal: nobody can read what isn't text there, and it may change the terminal's settings.
fn refuse_terminal() -> Result<()> {
    if std::io::stdout().is_terminal() {
        bail!(
            "compressed data, BAM and CRAM aren't written to a terminal: name a file (-o FILE), or pipe them into another program"
        );
    }
    Ok(())
}

/// An error if a report at `path` would replace reads or alignments, or would be taken for such by its name.
fn refuse_reads(path: &Path) -> Result<()> {
    let name = display_name(path);
    if let Some(ending) = ending_of_reads(path) {
        return Err(Hinted::error(
            format!("{name} would be a report or an index, but its extension is {ending}"),
            "if it is an input, put the name of the output before it; otherwise choose another extension",
        ));
    }
    // What isn't a regular file can't be replaced.
    if !std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0) {
        return Ok(());
    }
    let unknown =
        || format!("{name} would be replaced, but it can't be read to see whether it holds reads");
    // Looked at, but no input: it may be replaced.
    let file = std::fs::File::open(path).with_context(unknown)?;
    let mut source = Source::from_open_file(&name, file).with_context(unknown)?;
    let held = match bam::Format::sniff(&mut source) {
        Ok(format) => Some(format.name()),
        Err(_) => match source.peek(2) {
            Ok(start) => match start[..] {
                // An index of block offsets may start with either, too, but a zero follows.
                [b'@', next] if next > b' ' => Some("FASTQ"),
                [b'>', next] if next > b' ' => Some("FASTA"),
                _ => None,
            },
            Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => {
                return Err(error).with_context(unknown);
            }
            // Damaged, and not by us.
            Err(_) => None,
        },
    };
    match held {
        Some(held) => bail!(
            "{name} holds {held}, which a report or an index would replace: name another file, or remove it first"
        ),
        None => Ok(()),
    }
}

/// The ending of a name of reads or alignments.
fn ending_of_reads(path: &Path) -> Option<&'static str> {
    const ENDINGS: [&str; 8] = [".fq", ".fastq", ".bam", ".sam", ".cram", ".fa", ".fasta", ".ubam"];
    let name = path.file_name()?.to_ascii_lowercase();
    let name = without_container(name.to_str()?);
    ENDINGS.into_iter().find(|ending| name.ends_with(ending))
}

/// Where others of the run become files, streams may be closed by their readers without harm to these.
pub(crate) fn outlast_readers(outputs: &mut [Output], others: usize) {
    if others + outputs.iter().filter(|output| output.is_file()).count() > 0 {
        outputs.iter_mut().for_each(Output::outlast_reader);
    }
}

/// Fills a report and makes it appear, where it is the only output.
pub(crate) fn finish(report: Output, content: impl AsRef<[u8]>) -> Result<()> {
    Ok(output::commit(vec![filled(report, content)?], false)?)
}

/// The report with its content.
pub(crate) fn filled(
    mut report: Output,
    content: impl AsRef<[u8]>,
) -> Result<Output, output::Error> {
    report.append(content.as_ref())?;
    Ok(report)
}

/// Whether a run ended because what reads its output has had enough. Where something else was promised, the outputs
/// [outlast](outlast_readers) their readers.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    output::is_closed_by_reader(error.as_ref())
}

//! Which inputs were meant: arguments, patterns, lists of files and standard input.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use biofast_bam as bam;
use biofast_fastq::fasta;
use biofast_io::output::is_same_file;
use biofast_io::{
    CONTAINER_ENDINGS, Error, ErrorKind, Location, Options, Reread, Source, TextBounds,
    display_name, read_text, remote,
};
use biofast_ops::convert::Holds;
use biofast_ops::shards::{Plan, ShardPart};

use crate::console::{Console, Hinted};
use crate::session::{Lent, Session};

/// An input that will be opened when its turn comes, so that any number of them fits the limit
/// of open files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Standard input, under a label.
    Stdin(String),
    /// The same, as no input was named: if it is empty, that was not meant.
    Unnamed(String),
    /// What another program reads, under its name; read once.
    Lent(Lent),
    /// A file.
    Path(PathBuf),
    /// A part of a file.
    Shard(Portion),
}

/// A shard of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Portion {
    pub(crate) plan: Arc<Plan>,
    /// The number of the shard, from 1.
    pub(crate) number: u64,
    /// Which file of the plan, from 0 …
    pub(crate) file: usize,
    /// … and where it is.
    pub(crate) path: PathBuf,
}

impl Input {
    pub(crate) fn name(&self) -> String {
        match self {
            Input::Stdin(label) | Input::Unnamed(label) => label.clone(),
            Input::Lent(lent) => lent.name.clone(),
            Input::Path(path) | Input::Shard(Portion { path, .. }) => display_name(path),
        }
    }

    /// What a message calls it that says why a path is needed.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Input::Stdin(_) | Input::Unnamed(_) => "standard input".into(),
            Input::Path(_) | Input::Shard(_) | Input::Lent(_) => self.name(),
        }
    }

    /// What the names of files about it start with.
    pub(crate) fn stem(&self) -> OsString {
        match self {
            Input::Path(path) | Input::Shard(Portion { path, .. }) => stem(path),
            Input::Stdin(label) | Input::Unnamed(label) if label == "-" => "stdin".into(),
            Input::Stdin(label) | Input::Unnamed(label) => stem(Path::new(label)),
            Input::Lent(lent) => lent.path.as_deref().map_or("object".into(), stem),
        }
    }

    pub(crate) fn open(&self) -> Result<Source, Error> {
        match self {
            Input::Stdin(label) => Source::stdin(label),
            Input::Unnamed(label) => Source::stdin(label).map(Source::not_empty),
            Input::Lent(lent) => Ok(Source::from_reader(&lent.name, lent.open()?)),
            Input::Path(path) => Source::open(path),
            Input::Shard(Portion { plan, number, file, path }) => {
                plan.open(*number, *file, path).map_err(|error| {
                    let at = error.at().clone();
                    Error::new(ErrorKind::Io(std::io::Error::other(error)), at)
                })
            }
        }
    }

    /// The number of the shard, from 1.
    pub(crate) fn shard(&self) -> Option<u64> {
        match self {
            Input::Shard(portion) => Some(portion.number),
            _ => None,
        }
    }

    /// The start of the whole file, also of a shard: for what its first reads tell.
    pub(crate) fn open_start(&self) -> Option<Source> {
        match self {
            Input::Shard(Portion { path, .. }) => Source::open(path).ok(),
            _ => None,
        }
    }

    /// Its bytes as they are stored.
    pub(crate) fn stored(&self) -> Result<Box<dyn Read + Send>> {
        let named =
            |error| Error::new(ErrorKind::Io(error), Location::in_input(&self.name().into()));
        Ok(match self {
            Input::Path(path) => remote::stream(path).map_err(named)?,
            Input::Lent(lent) => lent.open()?,
            Input::Stdin(_) | Input::Unnamed(_) => Box::new(std::io::stdin()),
            Input::Shard(_) => bail!("a shard can't be read as it is stored: name the whole file"),
        })
    }

    /// The error, with this input's name if it is about a header that was read from it.
    pub(crate) fn blamed(&self, error: anyhow::Error) -> anyhow::Error {
        use bam::ErrorKind::{BadHeader, UnwritableHeader};
        match error.downcast::<bam::Error>() {
            Ok(error) if matches!(error.kind(), BadHeader(_) | UnwritableHeader(_)) => {
                error.or_at(Location::in_input(&self.name().into())).into()
            }
            Ok(error) => error.into(),
            Err(error) => error,
        }
    }

    /// The length in bytes, where it is known.
    pub(crate) fn len(&self) -> Option<u64> {
        match self {
            Input::Stdin(_) | Input::Unnamed(_) | Input::Lent(_) => None,
            Input::Path(path) => remote::open_len(path),
            Input::Shard(Portion { plan, number, file, .. }) => plan.stored_len(*number, *file),
        }
    }

    /// What a report about it says it is a part of.
    pub(crate) fn part(&self) -> Option<ShardPart> {
        match self {
            // The number was looked up when the plan was read.
            Input::Shard(Portion { plan, number, file, .. }) => plan.part(*number, *file).ok(),
            _ => None,
        }
    }
}

/// Inputs of which some are read more than once, as they are before that.
pub(crate) struct Rereads(Vec<Reread>);

impl Rereads {
    /// Those that can be opened again.
    pub(crate) fn of(inputs: &[Input]) -> Rereads {
        let file = |input: &Input| match input {
            Input::Path(path) | Input::Shard(Portion { path, .. }) => Some(Reread::new(path)),
            Input::Stdin(_) | Input::Unnamed(_) | Input::Lent(_) => None,
        };
        Rereads(inputs.iter().filter_map(file).collect())
    }

    /// Those of each so many inputs, which are read together.
    pub(crate) fn of_each(inputs: &[Input], together: usize) -> Vec<Rereads> {
        inputs.chunks(together).map(Rereads::of).collect()
    }

    /// An error if one of them has changed: before it is read again, and before outputs appear.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.0.iter().try_for_each(Reread::check)
    }

    /// What the last reading gave, unless an input has changed, which explains its faults.
    pub(crate) fn checked<T, E: From<Error>>(&self, result: Result<T, E>) -> Result<T, E> {
        self.check()?;
        result
    }

    /// An error that the first input has changed, if what two readings found of it differs.
    pub(crate) fn compare<T: PartialEq>(&self, before: &T, now: &T) -> Result<(), Error> {
        match self.0.first() {
            Some(file) if before != now => Err(file.changed()),
            _ => Ok(()),
        }
    }
}

/// The name of a file without its folder and the endings of alignments.
pub(crate) fn stem(path: &Path) -> OsString {
    let path = &remote::without_query(path);
    let mut name = PathBuf::from(path.file_name().unwrap_or(path.as_os_str()));
    for endings in [&CONTAINER_ENDINGS[..], &["bam", "sam", "cram"]] {
        let own = name.extension().unwrap_or_default();
        if endings.iter().any(|ending| own.eq_ignore_ascii_case(ending)) {
            name.set_extension("");
        }
    }
    name.into_os_string()
}

/// The inputs named on the command line and in the list, in that order; standard input if
/// there are none.
pub(crate) fn gather(
    arguments: &[impl AsRef<Path>],
    list: Option<&Path>,
    stdin_label: &str,
    session: &mut Session,
) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for argument in arguments {
        add(&mut inputs, argument.as_ref(), stdin_label, session)?;
    }
    if let Some(list) = list {
        let mut read = || -> Result<()> {
            let content = text(list, TextBounds::TABLE)?;
            for (line, number) in content.split(|&b| b == b'\n').zip(1..) {
                let line = line.trim_ascii_end();
                if !line.is_empty() {
                    let before = inputs.len();
                    add(&mut inputs, &path(line)?, stdin_label, session)?;
                    if let [Input::Path(path)] = &inputs[before..] {
                        warn_of_missing(&session.console, path, list, number);
                    }
                }
            }
            Ok(())
        };
        read().with_context(|| format!("can't read the list of files {}", display_name(list)))?;
    } else if arguments.is_empty() {
        if std::io::stdin().is_terminal() {
            bail!("no input: name a file or pipe data in");
        }
        inputs.push(Input::Unnamed(stdin_label.to_owned()));
    }
    let stdins = inputs.iter().filter(|i| matches!(i, Input::Stdin(_))).count();
    if stdins > 1 || (stdins == 1 && list == Some(Path::new("-"))) {
        return Err(Hinted::error(
            "standard input is named more than once",
            "name '-' once; if the stream has both mates of each pair use --interleaved",
        ));
    }
    for (at, input) in inputs.iter().enumerate() {
        if matches!(input, Input::Lent(_)) && inputs[..at].contains(input) {
            bail!("{} is named more than once but can be read only once", input.name());
        }
    }
    if inputs.is_empty() {
        bail!("the list of files is empty");
    }
    for input in &inputs {
        match input {
            Input::Stdin(_) | Input::Unnamed(_) => session.files.read_stdin()?,
            Input::Lent(lent) => {
                lent.path.as_deref().map_or(Ok(()), |path| session.files.read(path))?;
            }
            Input::Path(path) | Input::Shard(Portion { path, .. }) => session.files.read(path)?,
        }
    }
    Ok(inputs)
}

/// Says which files are named more than once, where each is read as often as it is named.
pub(crate) fn warn_of_repeats<'i>(console: &Console, inputs: impl IntoIterator<Item = &'i Input>) {
    let mut seen = HashSet::new();
    for input in inputs {
        if let Input::Path(path) = input
            && !seen.insert(path)
        {
            console.warning(&format!("{} is named more than once", display_name(path)));
        }
    }
}

/// Whether two names are the same but for one 1 and 2, as `x_R1.fq.gz` and `x_R2.fq.gz`.
pub(crate) fn are_named_as_mates(first: &str, second: &str) -> bool {
    let mut other = first.bytes().zip(second.bytes()).filter(|(a, b)| a != b);
    first.len() == second.len() && other.next() == Some((b'1', b'2')) && other.next().is_none()
}

/// Says in which line of a list a file is named that isn't there; that it can't be read is said when it is opened.
fn warn_of_missing(console: &Console, path: &Path, list: &Path, line: u64) {
    if remote::address(path).is_none() && path.symlink_metadata().is_err() {
        let (path, list) = (display_name(path), display_name(list));
        console.warning(&format!("{list}, line {line}: no such file: {path}"));
    }
}

fn add(
    inputs: &mut Vec<Input>,
    argument: &Path,
    stdin_label: &str,
    session: &Session,
) -> Result<()> {
    if argument == Path::new("-") {
        inputs.push(Input::Stdin(stdin_label.to_owned()));
        return Ok(());
    }
    if let Some(lent) = session.lent(argument) {
        inputs.push(Input::Lent(lent));
        return Ok(());
    }
    if remote::address(argument).is_some() {
        inputs.push(Input::Path(argument.to_owned()));
        return Ok(());
    }
    // A pattern the shell left alone, unless a file is really called so.
    let pattern = argument.to_str().filter(|p| p.contains(['*', '?', '[']));
    let Some(pattern) = pattern.filter(|_| argument.symlink_metadata().is_err()) else {
        inputs.push(Input::Path(argument.to_owned()));
        return Ok(());
    };
    let found = glob::glob(pattern).with_context(|| format!("invalid pattern '{pattern}'"))?;
    let before = inputs.len();
    for path in found {
        inputs.push(Input::Path(path.context("can't read a folder")?));
    }
    if inputs.len() == before {
        // Opening it will say that there is no such file, and leave the others their rows.
        inputs.push(Input::Path(argument.to_owned()));
    }
    Ok(())
}

/// Whether inputs of reads are FASTA; an error if only some are.
pub(crate) fn are_fasta(sources: &mut [Source]) -> Result<bool> {
    let mut first = None;
    for source in sources {
        same_format(&mut first, fasta::is_fasta(source)?)?;
    }
    Ok(first.unwrap_or(false))
}

/// An error if an input is FASTA and the first one isn't, or the other way round.
pub(crate) fn same_format(first: &mut Option<bool>, is_fasta: bool) -> Result<()> {
    if *first.get_or_insert(is_fasta) != is_fasta {
        bail!(
            "one file is FASTQ and the other FASTA; both files of a pair must have the same format"
        );
    }
    Ok(())
}

/// Whether an input holds FASTQ or FASTA, as its first bytes say; of an empty one, as its name says.
pub(crate) fn holds_reads(source: &mut Source) -> Result<bool> {
    Ok(match Holds::sniff(source)? {
        Holds::Fasta => true,
        Holds::Fastq => match source.peek(1)?.first() {
            Some(first) => *first == b'@',
            None => fasta::is_named_reads(source.name()),
        },
        Holds::Table | Holds::Alignments => false,
    })
}

/// What a file other than reads or alignments holds, plain or compressed: a list, a sheet, a document, without a byte order
/// mark and carriage returns. `-` is standard input.
pub(crate) fn text(path: &Path, bounds: TextBounds) -> Result<Vec<u8>, Error> {
    let source = match path == Path::new("-") {
        true => Source::stdin("standard input")?,
        false => Source::open(path)?,
    };
    read_text(source, bounds)
}

/// The lines of a list that aren't empty. `-` is standard input.
pub(crate) fn lines(path: &Path) -> Result<Vec<String>> {
    let text = text(path, TextBounds::TABLE)?;
    let numbered = (1..).zip(text.split(|&b| b == b'\n')).filter(|(_, line)| !line.is_empty());
    let line = |(number, line): (u64, &[u8])| {
        let line = std::str::from_utf8(line);
        let line =
            line.with_context(|| format!("{}, line {number}: not UTF-8", display_name(path)));
        Ok(line?.to_owned())
    };
    numbered.map(line).collect()
}

/// The header of a file of alignments, of which nothing else is read. `-` is standard input.
pub(crate) fn header_of(path: &Path) -> Result<bam::Header, bam::Error> {
    let options = Options::serial();
    let opening = bam::InputOptions::new(&options);
    let source = match path == Path::new("-") {
        true => Source::stdin("standard input")?,
        false => Source::open(path)?,
    };
    let input = bam::Input::open(source, &opening)?;
    Ok(bam::peek_header(input.source)?.0)
}

/// Says that reference sequences make no difference, as BAM and SAM hold their bases.
pub(crate) fn tell_unused_reference(
    console: &Console,
    reference: Option<&Path>,
    source: &mut Source,
    quiet: bool,
) {
    let Some(path) = reference.filter(|_| !quiet) else { return };
    let path = display_name(path);
    match bam::Format::sniff(source) {
        Ok(format @ (bam::Format::Bam | bam::Format::Sam)) => {
            let format = format.name();
            console.note(&format!("the reference {path} is not needed: {format} stores the bases"));
        }
        Err(error) if matches!(error.kind(), bam::ErrorKind::NotAlignments(_)) => {
            let name = source.name();
            console.note(&format!("the reference {path} is not needed: {name} has no alignments"));
        }
        _ => {}
    }
}

/// An error if the first of several inputs isn't there: other programs take the output, or its prefix, first.
pub(crate) fn refuse_output_first(inputs: &[Input], hint: &'static str) -> Result<()> {
    let is_missing = |input: &Input| match input {
        Input::Path(path) => remote::address(path).is_none() && !path.exists(),
        _ => false,
    };
    match inputs {
        [first, others @ ..]
            if !others.is_empty() && is_missing(first) && !others.iter().any(is_missing) =>
        {
            Err(Hinted::error(format!("{}: no such file", first.name()), hint))
        }
        _ => Ok(()),
    }
}

/// An error if the two files of mates are one.
pub(crate) fn are_two(inputs: &[Input]) -> Result<()> {
    match named_twice(inputs) {
        Some(path) => Err(Hinted {
            message: format!("{} is named twice", display_name(path)),
            hint: "name the file of first reads, then the file of second reads".into(),
        }
        .into()),
        None => Ok(()),
    }
}

/// The path of an input that is another one, too.
pub(crate) fn named_twice(inputs: &[Input]) -> Option<&Path> {
    for (at, one) in inputs.iter().enumerate() {
        for two in &inputs[at + 1..] {
            if let (Input::Path(one), Input::Path(two)) = (one, two)
                && is_same_file(one, two)
            {
                return Some(two);
            }
        }
    }
    None
}

/// How mates lie in one or two inputs of reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Reads have no mates.
    Single,
    /// The mates of a pair follow each other in one input.
    Interleaved,
    /// First and second reads have an input each.
    Paired,
}

impl Layout {
    /// That of these inputs; an error if they are too many.
    pub(crate) fn of(inputs: &[Input], interleaved: bool) -> Result<Layout> {
        match inputs.len() {
            0 | 1 if interleaved => Ok(Layout::Interleaved),
            0 | 1 => Ok(Layout::Single),
            2 if !interleaved => Ok(Layout::Paired),
            number => {
                let expected =
                    if interleaved { "one file" } else { "one file or two files of mates" };
                bail!("expected {expected}, but got {number}")
            }
        }
    }

    pub(crate) fn is_paired(self) -> bool {
        self != Layout::Single
    }
}

/// The one or two inputs of reads that are named.
pub(crate) fn of_reads(
    named: &[impl AsRef<Path>],
    interleaved: bool,
    session: &mut Session,
) -> Result<(Vec<Input>, Layout)> {
    let inputs = gather(named, None, "-", session)?;
    let layout = Layout::of(&inputs, interleaved)?;
    are_two(&inputs)?;
    Ok((inputs, layout))
}

/// An error unless these are files of mates, two by two.
pub(crate) fn in_pairs(inputs: &[Input]) -> Result<()> {
    if !inputs.len().is_multiple_of(2) {
        let files = inputs.len();
        return Err(Hinted {
            message: format!("--paired needs an even number of files, but got {files}"),
            hint: "name both files of each sample, R1 then R2; if one file has both mates use --interleaved".into(),
        }
        .into());
    }
    inputs.chunks_exact(2).try_for_each(are_two)
}

/// A path as a line of a list has it: any bytes on unix.
#[cfg(unix)]
fn path(line: &[u8]) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(line).into())
}

#[cfg(not(unix))]
fn path(line: &[u8]) -> Result<PathBuf> {
    Ok(std::str::from_utf8(line).context("a path is not UTF-8")?.into())
}

//! `--verbose`: how each input was read, and why so.

use std::num::NonZeroUsize;

use biofast_io::codec::{self, Policy};
use biofast_io::{Container, Escaped, IoMode, MMAP_THRESHOLD, Options, remote};

use crate::console::Console;
use crate::inputs::Input;

/// Says on standard error how an input was read with these options: source, container, decoder, threads and kernels.
/// `format` is what the container holds, where that is known, and `asked` the number of threads the user wants.
pub(crate) fn describe(
    console: &Console,
    input: &Input,
    format: Option<&str>,
    options: &Options,
    asked: Option<NonZeroUsize>,
) {
    // An input that couldn't be opened wasn't read.
    let Some(container) = options.notes.as_ref().and_then(|notes| notes.container()) else {
        return;
    };
    let parts = [
        match format {
            Some(format) => format!("{} {format}, detected from content", container.name()),
            None => format!("{}, detected from content", container.name()),
        },
        fetched(input).unwrap_or_else(|| source(input.len(), options)),
        decoder(container, options),
        threads(options.threads, asked),
        kernels(),
        serial_parts(options),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    console.note(&format!("{}: {}", Escaped(input.name().as_bytes()), parts.join("; ")));
}

/// How an input was fetched, if it is an address.
fn fetched(input: &Input) -> Option<String> {
    match input {
        Input::Path(path) => remote::describe(path),
        Input::Stdin(_) | Input::Unnamed(_) | Input::Lent(_) | Input::Shard(_) => None,
    }
}

fn source(len: Option<u64>, options: &Options) -> String {
    let mapped = options.notes.as_ref().is_some_and(|notes| notes.is_mapped());
    let megabytes = MMAP_THRESHOLD / 1_000_000;
    match (mapped, options.io, len) {
        (true, IoMode::Mmap, _) => "memory-mapped, as --io asks".into(),
        (true, _, _) => format!("memory-mapped, as files of {megabytes} MB and more are"),
        (false, _, None) => "read, as streams are".into(),
        (false, IoMode::Read, _) => "read, as --io asks".into(),
        (false, IoMode::Auto, Some(len)) if len < MMAP_THRESHOLD => {
            format!("read, as files below {megabytes} MB are")
        }
        // Of a large file: by parts that an index names, or where nothing can be mapped.
        _ => "read".into(),
    }
}

fn decoder(container: Container, options: &Options) -> String {
    match container {
        Container::Plain => String::new(),
        Container::Bgzf => {
            let decoder = options.notes.as_ref().and_then(|notes| notes.block_decoder());
            let decoder = decoder.map_or_else(String::new, |decoder| decoder.to_string());
            let why = match (codec::active(), is_set("BIOFAST_INFLATE")) {
                (Policy::Fixed(_), true) => "as BIOFAST_INFLATE asks",
                (Policy::Fixed(_), false) => "the default",
                (Policy::Faster, _) => "the fastest by trial",
            };
            format!("blocks inflated on all threads by {decoder}, {why}")
        }
        _ if options.notes.as_ref().is_some_and(|notes| notes.gzip_chunks().used > 0) => {
            let why = if is_set("BIOFAST_GZIP_PIECE") {
                "as BIOFAST_GZIP_PIECE asks"
            } else {
                "the default"
            };
            format!("inflated in pieces by all threads, {why}")
        }
        _ if options.threads > 1 => {
            "decompressed by a thread of its own, as it has no blocks".into()
        }
        _ => "decompressed by the thread that uses it".into(),
    }
}

fn threads(threads: usize, asked: Option<NonZeroUsize>) -> String {
    let all = biofast_io::available_threads();
    let why = match asked.map(usize::from) {
        Some(asked) if asked == threads => "as -@ asks".to_owned(),
        Some(asked) => format!("of the {asked} that -@ asks for, as inputs are read side by side"),
        None if threads == all => "all that this process may use".to_owned(),
        None => format!("of the {all} this process may use, as inputs are read side by side"),
    };
    format!("{threads} thread{}, {why}", if threads == 1 { "" } else { "s" })
}

fn kernels() -> String {
    let active = biofast_kernels::active();
    match is_set("BIOFAST_SIMD") {
        true => format!("{active} kernels, as BIOFAST_SIMD asks"),
        false => format!("{active} kernels, the best this CPU has"),
    }
}

/// What more threads would not make faster.
fn serial_parts(options: &Options) -> String {
    let Some(times) = options.notes.as_ref().map(|notes| notes.serial_times()) else {
        return String::new();
    };
    // Of little, the first chunks' page faults are all there is to see.
    const WORTH_TELLING: u64 = 1_000_000;
    if times.bytes < WORTH_TELLING {
        return String::new();
    }
    format!(
        "one thread at a time, of {:.3} GB: {:.4} s taking chunks, {:.4} s framing, {:.4} s writing",
        times.bytes as f64 / 1e9,
        times.taking.as_secs_f64(),
        times.framing.as_secs_f64(),
        times.writing.as_secs_f64(),
    )
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

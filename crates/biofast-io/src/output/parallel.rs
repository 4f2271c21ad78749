//! An output written serially and compressed on other threads.

use std::io;

use super::encode::{Encoded, Encoder};
use super::sink::{Error, Output};
use crate::lanes::Lanes;

/// Units of text that are compressed together: enough that handing them over costs nothing beside it.
const UNITS: usize = 4;
/// Plain text that is written at once.
const PLAIN: usize = 256 << 10;

/// Writes an [`Output`] from one thread and compresses it on others. The bytes are those of
/// [`append`](Output::append), on any number of threads.
///
/// ```
/// use biofast_io::output::{self, Compression, Format, Output, Writer};
/// use std::io::Write;
///
/// let path = std::env::temp_dir().join(format!("biofast-doc-writer-{}.gz", std::process::id()));
/// let output = Output::create_with(&path, Compression::new(Format::Bgzf, None)?)?;
/// let mut writer = Writer::new(output, 2)?;
/// for number in 0..1000 {
///     writeln!(writer, "line {number}")?;
/// }
/// output::commit(vec![writer.into_output()?], false)?;
/// assert!(std::fs::read(&path)?.ends_with(&biofast_io::bgzf::EOF_BLOCK));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "an output that isn't finished never appears"]
pub struct Writer {
    output: Output,
    /// Parts of text that is not on its way yet, and what comes after them: less than `job_len` bytes between calls.
    parts: Vec<TextPart>,
    parts_len: usize,
    text: Vec<u8>,
    job_len: usize,
    /// `None`: it is compressed here.
    workers: Option<CompressionLanes>,
    spare: Vec<Job>,
}

/// How many threads each [`Writer`] of so many outputs gets, of `threads`: at least two, so that each is compressed beside whoever
/// writes it, but with one thread none.
pub fn threads_of_each(threads: usize, outputs: usize) -> usize {
    if threads < 2 { 1 } else { threads.div_ceil(outputs.max(1)).max(2) }
}

type CompressionLanes = Lanes<Job, Result<Job, io::Error>>;

/// Whole units, and what they become.
#[derive(Default)]
struct Job {
    parts: Vec<TextPart>,
    text: Vec<u8>,
    encoded: Encoded,
}

/// Appends text.
type MakeText = Box<dyn FnOnce(&mut Vec<u8>) + Send>;

/// Text before that of a job.
enum TextPart {
    Ready(Vec<u8>),
    /// The thread that compresses it makes it.
    Later(MakeText),
}

impl Job {
    /// All text.
    fn join(&mut self) {
        if self.parts.is_empty() {
            return;
        }
        let last = std::mem::take(&mut self.text);
        for part in self.parts.drain(..) {
            match part {
                TextPart::Ready(text) => self.text.extend_from_slice(&text),
                TextPart::Later(make) => make(&mut self.text),
            }
        }
        self.text.extend_from_slice(&last);
    }
}

impl Writer {
    /// Goes on with `output`, on `threads` threads besides this one; with fewer than two, here.
    ///
    /// # Errors
    /// If the output is complete or broken already, or the codec can't be made.
    pub fn new(mut output: Output, threads: usize) -> Result<Writer, Error> {
        output.check_open()?;
        let (job_len, workers) = match output.compression().unit() {
            Some(unit) if threads > 1 => {
                (unit * UNITS, CompressionLanes::start(&output, threads, unit * UNITS)?)
            }
            Some(unit) => (unit * UNITS, None),
            None => (PLAIN, None),
        };
        // What was appended before goes on here, where units end.
        let text = output.take_carry();
        let (parts, spare) = (Vec::new(), Vec::new());
        Ok(Writer { output, parts, parts_len: 0, text, job_len, workers, spare })
    }

    /// Appends text.
    ///
    /// # Errors
    /// If text before it couldn't be encoded or written; nothing can then be appended any more.
    pub fn append(&mut self, mut text: &[u8]) -> Result<(), Error> {
        self.output.check_open()?;
        while text.len() >= self.room() {
            let (now, later) = text.split_at(self.room());
            self.text.extend_from_slice(now);
            self.send().inspect_err(|_| self.output.abandon())?;
            text = later;
        }
        self.text.extend_from_slice(text);
        Ok(())
    }

    /// How many bytes of text are compressed with those appended so far.
    #[doc(hidden)]
    pub fn room(&self) -> usize {
        self.job_len - self.parts_len - self.text.len()
    }

    /// Appends `len` bytes of text, fewer than there is [room](Self::room) for, which `make` appends to what it is given: on the
    /// thread that compresses them.
    ///
    /// # Errors
    /// As [`append`](Self::append); if it isn't so many bytes.
    #[doc(hidden)]
    pub fn append_later(
        &mut self,
        len: usize,
        make: impl FnOnce(&mut Vec<u8>) + Send + 'static,
    ) -> Result<(), Error> {
        self.output.check_open()?;
        if len >= self.room() {
            return Err(self.output.fault(io::Error::other("text made later is too long")));
        }
        if self.workers.is_none() {
            let before = self.text.len();
            make(&mut self.text);
            debug_assert_eq!(self.text.len() - before, len, "it is as long as it was said to be");
            return Ok(());
        }
        if !self.text.is_empty() {
            self.parts_len += self.text.len();
            self.parts.push(TextPart::Ready(std::mem::take(&mut self.text)));
        }
        self.parts_len += len;
        self.parts.push(TextPart::Later(Box::new(make)));
        Ok(())
    }

    /// Hands a job over.
    fn send(&mut self) -> Result<(), Error> {
        let Some(workers) = &mut self.workers else {
            self.output.append(&self.text)?;
            self.text.clear();
            return Ok(());
        };
        if !workers.has_room()
            && let Some(done) = workers.take()
        {
            let job = done.map_err(|error| self.output.fault(error))?;
            self.output.write(&job.encoded)?;
            self.spare.push(job);
        }
        let mut job = self.spare.pop().unwrap_or_default();
        std::mem::swap(&mut job.text, &mut self.text);
        std::mem::swap(&mut job.parts, &mut self.parts);
        self.parts_len = 0;
        self.text.clear();
        workers.submit(job);
        Ok(())
    }

    /// The output with all text, to be [committed](super::commit).
    ///
    /// # Errors
    /// If text couldn't be encoded or written.
    pub fn into_output(mut self) -> Result<Output, Error> {
        self.drain().inspect_err(|_| self.output.abandon())?;
        Ok(self.output)
    }

    /// Ends the output and goes on with `next`, on the same threads with the same encoders: for text that is cut into many
    /// files. Returns what has been ended.
    ///
    /// ```
    /// use biofast_io::output::{self, Output, Writer};
    ///
    /// let folder = std::env::temp_dir().join(format!("biofast-doc-replace-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// let create = |name| Output::create_with(&folder.join(name), Default::default());
    /// let mut writer = Writer::new(create("1.txt")?, 2)?;
    /// writer.append(b"one")?;
    /// let first = writer.replace(create("2.txt")?)?;
    /// writer.append(b"two")?;
    /// output::commit(vec![first, writer.into_output()?], false)?;
    /// assert_eq!(std::fs::read(folder.join("2.txt"))?, b"two");
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If text couldn't be encoded or written, or `next` is complete or broken or has another compression.
    pub fn replace(&mut self, mut next: Output) -> Result<Output, Error> {
        next.check_open()?;
        if next.compression() != self.output.compression() {
            let why = "its compression differs from that of the previous output";
            return Err(next.fault(io::Error::other(why)));
        }
        self.drain().and_then(|()| self.output.finish()).inspect_err(|_| self.output.abandon())?;
        next.take_encoder(&mut self.output);
        self.text = next.take_carry();
        Ok(std::mem::replace(&mut self.output, next))
    }

    /// Gives all text to the output.
    fn drain(&mut self) -> Result<(), Error> {
        self.output.check_open()?;
        if let Some(workers) = &mut self.workers {
            while let Some(done) = workers.take() {
                let job = done.map_err(|error| self.output.fault(error))?;
                self.output.write(&job.encoded)?;
                self.spare.push(job);
            }
        }
        let (parts, text) = (std::mem::take(&mut self.parts), std::mem::take(&mut self.text));
        let mut rest = Job { parts, text, ..Job::default() };
        rest.join();
        self.parts_len = 0;
        self.output.append(&rest.text)
    }

    /// The output's path or label.
    pub fn name(&self) -> &str {
        self.output.name()
    }
}

impl CompressionLanes {
    /// `None` if the system has no threads: it then takes longer and is the same.
    fn start(
        output: &Output,
        threads: usize,
        job_len: usize,
    ) -> Result<Option<CompressionLanes>, Error> {
        // Made here, where a failure is simple to report.
        let mut encoders: Vec<Encoder> =
            (0..threads).map(|_| output.encoder()).collect::<Result<_, _>>()?;
        let worker = || {
            let mut encoder = encoders.pop();
            move |mut job: Job| {
                let Some(encoder) = &mut encoder else {
                    return Err(io::Error::other("there is no encoder for a thread"));
                };
                job.encoded.clear();
                job.join();
                if job.text.len() != job_len {
                    return Err(io::Error::other("text made later isn't as long as was said"));
                }
                encoder.encode(&job.text, &mut job.encoded)?;
                Ok(job)
            }
        };
        Ok(Lanes::new(threads, worker).ok())
    }
}

impl io::Write for Writer {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.append(text)?;
        Ok(text.len())
    }

    /// Does nothing: units of compression end where they would without it.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Write for Output {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.append(text)?;
        Ok(text.len())
    }

    /// Does nothing: units of compression end where they would without it.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        io::Error::new(error.kind(), error)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use biofast_testkit::sink::{FullDisk, SharedBytes};

    use super::*;
    use crate::output::{Compression, Format, commit};

    #[test]
    fn the_bytes_are_those_of_an_output_on_any_threads() -> Result<(), Box<dyn std::error::Error>> {
        let line = b"a line of text that is not always the same\n";
        for format in [Format::Plain, Format::Bgzf, Format::Zstd, Format::Bzip2] {
            let compression = Compression::new(format, None)?;
            for len in [0, 1, 65_280, 4 * 65_280, 1_500_000] {
                let text: Vec<u8> = line.iter().copied().cycle().take(len).collect();
                let kept = SharedBytes::default();
                let mut output = Output::stream("x", kept.clone(), compression);
                output.append(b"header")?;
                output.append(&text)?;
                commit(vec![output], false)?;
                let expected = kept.take();
                for (threads, part) in [(0, 1 << 20), (1, 999), (2, 70_000), (3, 5 << 20)] {
                    let mut output = Output::stream("x", kept.clone(), compression);
                    output.append(b"header")?;
                    let mut writer = Writer::new(output, threads)?;
                    text.chunks(part).try_for_each(|part| writer.append(part))?;
                    commit(vec![writer.into_output()?], false)?;
                    assert!(kept.take() == expected, "{format:?} {len} {threads}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn text_made_later_is_where_it_was_appended() -> Result<(), Box<dyn std::error::Error>> {
        for format in [Format::Plain, Format::Bgzf] {
            let compression = Compression::new(format, None)?;
            let made: Vec<u8> = (0..60_000u32).flat_map(|n| (n * n).to_le_bytes()).collect();
            let kept = SharedBytes::default();
            let mut output = Output::stream("x", kept.clone(), compression);
            for _ in 0..9 {
                output.append(b"before")?;
                output.append(&made)?;
            }
            commit(vec![output], false)?;
            let expected = kept.take();
            for threads in [1, 2, 3] {
                let output = Output::stream("x", kept.clone(), compression);
                let mut writer = Writer::new(output, threads)?;
                for _ in 0..9 {
                    writer.append(b"before")?;
                    let mut rest = made.clone();
                    while !rest.is_empty() {
                        let len = rest.len().min(writer.room() - 1);
                        let later = rest.split_off(len);
                        if len > 0 {
                            writer.append_later(len, move |text| text.extend_from_slice(&rest))?;
                        }
                        let (one, more) = later.split_at(later.len().min(1));
                        writer.append(one)?;
                        rest = more.to_vec();
                    }
                }
                assert!(writer.append_later(writer.room(), |_| ()).is_err());
                commit(vec![writer.into_output()?], false)?;
                assert!(kept.take() == expected, "{format:?} {threads}");
            }
        }
        Ok(())
    }

    #[test]
    fn outputs_one_after_the_other_have_the_bytes_each_has_alone()
    -> Result<(), Box<dyn std::error::Error>> {
        let text: Vec<u8> = b"some text that is long\n".repeat(30_000);
        for format in [Format::Plain, Format::Bgzf, Format::Zstd, Format::Bzip2] {
            let compression = Compression::new(format, None)?;
            let lens = [0, 7, 70_000, 300_000, 0, 600_000, 1];
            let alone = lens.map(|len| {
                let kept = SharedBytes::default();
                let mut output = Output::stream("x", kept.clone(), compression);
                output.append(&text[..len]).and_then(|()| output.finish()).map(|()| kept.take())
            });
            for threads in [1, 3] {
                let all = lens.map(|_| SharedBytes::default());
                let stream = |at: usize| Output::stream("x", all[at].clone(), compression);
                let mut writer = Writer::new(stream(0), threads)?;
                for (at, &len) in lens.iter().enumerate() {
                    if at > 0 {
                        let mut ended = writer.replace(stream(at))?;
                        assert!(ended.append(b"more").is_err());
                    }
                    writer.append(&text[..len])?;
                }
                writer.into_output()?.finish()?;
                for (kept, alone) in all.iter().zip(&alone) {
                    assert!(alone.as_ref().is_ok_and(|alone| *alone == kept.take()), "{format:?}");
                }
            }
            let other = match format {
                Format::Plain => Compression::new(Format::Bgzf, None)?,
                _ => Compression::default(),
            };
            let mut writer =
                Writer::new(Output::stream("x", SharedBytes::default(), compression), 1)?;
            assert!(writer.replace(Output::stream("y", SharedBytes::default(), other)).is_err());
        }
        Ok(())
    }

    #[test]
    fn a_full_disk_is_told_and_nothing_can_follow() -> Result<(), Box<dyn std::error::Error>> {
        for threads in [1, 3] {
            let output = Output::stream("x", FullDisk(0), Compression::new(Format::Bgzf, None)?);
            let mut writer = Writer::new(output, threads)?;
            let mut write = || (0..100).try_for_each(|_| writer.write_all(&[7; 300_000]));
            let error = write().expect_err("it is full");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            assert!(writer.append(b"more").is_err());
            assert!(writer.into_output().is_err());
        }
        Ok(())
    }
}

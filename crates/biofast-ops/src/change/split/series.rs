//! Parts one after the other.
//!
//! Workers write reads as text, each unit behind a [`UnitLengths`] that says what it is, to a stream that gets them in order: it
//! knows how much came before, cuts, and writes each part with threads that compress.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_fastq::{Inputs, Readable, Transform};
use biofast_io::Options;
use biofast_io::output::{Compression, Output, Writer, threads_of_each};

use super::target::{
    MateAmounts, SplitAmount, SplitOutputs, SplitRule, SplitTarget, append, reads,
};
use crate::Error;
use crate::change::pending::{Pending, taken_or_kept};
use crate::measure::records::{Checksum, Sum};

/// What stands before the text of a unit.
#[derive(Clone, Copy, Default)]
struct UnitLengths {
    /// Bytes for each output of a part.
    texts: [u64; 2],
    part: MateAmounts,
}

impl UnitLengths {
    const NUMBERS: usize = 8;
    const LEN: usize = UnitLengths::NUMBERS * 8;

    fn to_bytes(self) -> [u8; UnitLengths::LEN] {
        let [one, two] = self.part;
        let numbers = [
            self.texts[0],
            self.texts[1],
            one.sum.records,
            one.bases,
            one.sum.checksum.to_bits(),
            two.sum.records,
            two.bases,
            two.sum.checksum.to_bits(),
        ];
        let mut bytes = [0; UnitLengths::LEN];
        for (bytes, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; UnitLengths::LEN]) -> UnitLengths {
        let mut numbers = [0; UnitLengths::NUMBERS];
        for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *number = u64::from_le_bytes(*bytes);
        }
        let amount = |[records, bases, checksum]: [u64; 3]| SplitAmount {
            sum: Sum { records, checksum: Checksum::from_bits(checksum) },
            bases,
        };
        let [one, two, a, b, c, d, e, f] = numbers;
        UnitLengths { texts: [one, two], part: [amount([a, b, c]), amount([d, e, f])] }
    }
}

/// Splits so; only the part that is being written is open.
pub(super) fn split<E, O, S>(
    inputs: Inputs<S>,
    options: [Options; 2],
    rule: SplitRule,
    target: SplitTarget<O>,
) -> Result<SplitOutputs, E>
where
    E: From<Error> + Send + 'static,
    O: FnMut(u64, usize) -> Result<Output, E> + Send + 'static,
    S: Readable,
{
    let (files, threads) = (target.files, options[0].threads);
    let mut series = Series::new(rule, target, threads);
    // What can't be opened is said before anything is read.
    series.begin()?;
    let series =
        Arc::new(Mutex::new(SharedSeries { series, problem: None, pending: Pending::default() }));
    let stream = SplitStream(Arc::clone(&series));
    let mut outputs = [Output::stream("parts", stream, Compression::default())];
    let result = Transform::new(inputs).options_of_each(options).run(
        &mut outputs,
        || (),
        |(), unit, out| {
            let out = &mut out[0];
            let mut mark = UnitLengths::default();
            let at = out.len();
            out.extend_from_slice(&mark.to_bytes());
            for (mate, record, file) in reads(&unit, files) {
                let before = out.len();
                append(out, &record);
                mark.texts[file] += (out.len() - before) as u64;
                mark.part[mate] = SplitAmount::of(&record);
            }
            out[at..at + UnitLengths::LEN].copy_from_slice(&mark.to_bytes());
        },
        |(), ()| (),
    );
    drop(outputs);
    let mut shared = series.lock().unwrap_or_else(PoisonError::into_inner);
    // The stream's own error says only that there is one.
    if let Some(problem) = shared.problem.take() {
        return Err(problem);
    }
    result.map_err(Error::from)?;
    shared.series.finish()
}

/// The parts and what has been written to them.
struct Series<E, O> {
    rule: SplitRule,
    target: SplitTarget<O>,
    threads: usize,
    /// Of the part that is being written.
    writers: Vec<Writer>,
    done: Vec<Output>,
    parts: Vec<MateAmounts>,
    /// What the part that is being written has.
    has: Has,
    /// Reads or pairs so far.
    units: u64,
    why: std::marker::PhantomData<fn() -> E>,
}

#[derive(Default)]
struct Has {
    units: u64,
    bases: u64,
    bytes: u64,
}

impl<E: From<Error>, O: FnMut(u64, usize) -> Result<Output, E>> Series<E, O> {
    fn new(rule: SplitRule, target: SplitTarget<O>, threads: usize) -> Series<E, O> {
        Series {
            rule,
            target,
            threads,
            writers: Vec::new(),
            done: Vec::new(),
            parts: Vec::new(),
            has: Has::default(),
            units: 0,
            why: std::marker::PhantomData,
        }
    }

    /// Begins the next part, and ends the one before.
    fn begin(&mut self) -> Result<(), E> {
        self.parts.push(MateAmounts::default());
        self.has = Has::default();
        let number = self.parts.len() as u64;
        let threads = threads_of_each(self.threads, self.target.files);
        for file in 0..self.target.files {
            let next = (self.target.open)(number, file)?;
            match self.writers.get_mut(file) {
                Some(writer) => {
                    let mut ended = writer.replace(next).map_err(Error::Output)?;
                    ended.close(self.target.sync).map_err(Error::Output)?;
                    self.done.push(ended);
                }
                None => self.writers.push(Writer::new(next, threads).map_err(Error::Output)?),
            }
        }
        Ok(())
    }

    /// Whether what has this mark belongs to the next part.
    fn is_next(&self, mark: &UnitLengths) -> bool {
        let Has { units, bases, bytes } = self.has;
        match self.rule {
            SplitRule::Reads(n) => units >= n.get(),
            SplitRule::Bases(n) => bases >= n.get(),
            SplitRule::Bytes(n) => {
                units > 0 && bytes.saturating_add(mark.texts[0] + mark.texts[1]) > n.get()
            }
            SplitRule::Blocks { parts, total } => {
                let number = self.parts.len() as u64;
                number < parts.get() && self.units >= end_of_block(number, parts.get(), total)
            }
            SplitRule::Turns(_) => false,
        }
    }

    /// Writes what has this mark.
    fn write(&mut self, mark: &UnitLengths, text: &[u8]) -> Result<(), E> {
        // More than once only where there are fewer reads than parts.
        while self.is_next(mark) {
            self.begin()?;
        }
        let mut rest = text;
        for (writer, len) in self.writers.iter_mut().zip(mark.texts) {
            // They were lengths in memory.
            let (now, later) = rest.split_at(len as usize);
            writer.append(now).map_err(Error::Output)?;
            rest = later;
        }
        self.units += 1;
        self.has.units += 1;
        self.has.bases += mark.part[0].bases + mark.part[1].bases;
        self.has.bytes += text.len() as u64;
        if let Some(part) = self.parts.last_mut() {
            part.iter_mut().zip(&mark.part).for_each(|(part, amount)| part.add(amount));
        }
        Ok(())
    }

    /// Writes the units of a text, and returns how much of it they are: less than all if the last one is cut.
    fn take(&mut self, text: &[u8]) -> Result<usize, E> {
        let mut at = 0;
        while let Some((mark, rest)) = text[at..].split_first_chunk::<{ UnitLengths::LEN }>() {
            let mark = UnitLengths::from_bytes(mark);
            let len = (mark.texts[0] + mark.texts[1]) as usize;
            let Some(unit) = rest.get(..len) else { break };
            self.write(&mark, unit)?;
            at += UnitLengths::LEN + len;
        }
        Ok(at)
    }

    /// All parts, when everything has been taken.
    fn finish(&mut self) -> Result<SplitOutputs, E> {
        // Parts for which there was nothing are empty files.
        while self.rule.parts().is_some_and(|parts| (self.parts.len() as u64) < parts) {
            self.begin()?;
        }
        for writer in self.writers.drain(..) {
            let mut output = writer.into_output().map_err(Error::Output)?;
            output.close(self.target.sync).map_err(Error::Output)?;
            self.done.push(output);
        }
        Ok(SplitOutputs {
            outputs: std::mem::take(&mut self.done),
            parts: std::mem::take(&mut self.parts),
        })
    }
}

/// How many of `total` are in the first `number` of `parts` blocks.
fn end_of_block(number: u64, parts: u64, total: u64) -> u64 {
    // At most `total`.
    (u128::from(total) * u128::from(number)).div_ceil(u128::from(parts)) as u64
}

/// What the stream and the one who made it share.
struct SharedSeries<E, O> {
    series: Series<E, O>,
    problem: Option<E>,
    /// The start of a unit whose end has not been written yet.
    pending: Pending,
}

/// What gets the text of all units in order.
struct SplitStream<E, O>(Arc<Mutex<SharedSeries<E, O>>>);

impl<E: From<Error>, O: FnMut(u64, usize) -> Result<Output, E>> io::Write for SplitStream<E, O> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let SharedSeries { series, problem, pending } = &mut *shared;
        let taken = pending.add(text, |text| series.take(text));
        taken_or_kept(taken, problem, text, "a part can't be written")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::num::NonZeroU64;
    use std::path::Path;

    use super::*;
    use biofast_fastq::Record;
    use biofast_io::output::commit;

    fn series(
        folder: &Path,
        rule: SplitRule,
    ) -> Series<Error, impl FnMut(u64, usize) -> Result<Output, Error> + use<>> {
        let folder = folder.to_owned();
        let open = move |part: u64, file: usize| {
            let path = folder.join(format!("{part}.{file}"));
            Ok(Output::create_with(&path, Compression::default())?)
        };
        Series::new(rule, SplitTarget { files: 2, open, sync: false }, 2)
    }

    #[test]
    fn a_stream_in_pieces_of_any_length_is_cut_where_parts_end()
    -> Result<(), Box<dyn std::error::Error>> {
        let mut text = Vec::new();
        for number in 0..10 {
            let mates = [format!("@{number}\nACGT\n+\nIIII\n"), format!("@{number}\nA\n+\nI\n")];
            let part = [&b"ACGT"[..], b"A"].map(|bases| {
                SplitAmount::of(&Record::new(
                    number.to_string().as_bytes(),
                    bases,
                    &b"IIII"[..bases.len()],
                ))
            });
            let mark = UnitLengths { texts: mates.each_ref().map(|mate| mate.len() as u64), part };
            assert!(UnitLengths::from_bytes(&mark.to_bytes()).part == part);
            text.extend_from_slice(&mark.to_bytes());
            text.extend_from_slice(mates.concat().as_bytes());
        }
        for piece in [1, 7, 64, 100, 1000, text.len()] {
            let folder = tempfile::tempdir()?;
            let mut series = series(folder.path(), SplitRule::Bases(NonZeroU64::new(11).unwrap()));
            series.begin()?;
            let shared = SharedSeries { series, problem: None, pending: Pending::default() };
            let shared = Arc::new(Mutex::new(shared));
            let mut stream = SplitStream(Arc::clone(&shared));
            text.chunks(piece).try_for_each(|piece| stream.write_all(piece))?;
            let SplitOutputs { outputs, parts } = shared.lock().unwrap().series.finish()?;
            commit(outputs, false)?;
            // Three pairs have 15 bases, two have 10.
            let reads: Vec<_> = parts.iter().map(|part| part[1].sum.records).collect();
            assert_eq!(reads, [3, 3, 3, 1], "{piece}");
            assert_eq!(std::fs::read(folder.path().join("4.1"))?, b"@9\nA\n+\nI\n");
            assert_eq!(std::fs::read_dir(folder.path())?.count(), 8);
        }
        Ok(())
    }

    #[test]
    fn blocks_differ_by_one_at_most() {
        for (total, parts) in [(0, 3), (2, 3), (10, 3), (9, 3), (u64::MAX, 7)] {
            let ends: Vec<u64> = (0..=parts).map(|n| end_of_block(n, parts, total)).collect();
            assert_eq!((ends[0], ends[parts as usize]), (0, total));
            let sizes: Vec<u64> = ends.windows(2).map(|ends| ends[1] - ends[0]).collect();
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(most - least <= 1, "{sizes:?}");
        }
    }
}

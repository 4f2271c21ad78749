//! Depths of several files beside each other, as columns of the same positions.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use biofast_bam::{Error, ErrorKind, Header, Query};
use biofast_io::{Location, Options};

use super::run::{DepthRun, DepthSink};
use super::spans::DepthRules;

/// Adjacent positions of equal depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnRun<'a> {
    /// The first position, from 0.
    pub from: u64,
    /// The first position behind it.
    pub to: u64,
    /// The depth in each file.
    pub depths: &'a [u32],
    /// Whether a counted record of any file reaches over them.
    pub is_spanned: bool,
    /// Whether any file has a counted record on the reference.
    pub is_covered: bool,
}

/// Receives depths of several files: all runs of a reference in their order, then its end. References come in header order.
pub trait ColumnSink {
    /// The next run of the reference.
    fn run(&mut self, run: ColumnRun<'_>);

    /// The reference is complete.
    fn end(&mut self);

    /// Whether nothing more is wanted.
    fn has_ended(&self) -> bool {
        false
    }
}

/// Makes runs of columns of the runs of each file. That of one file is itself a [`DepthSink`].
pub struct DepthColumns<S> {
    lengths: Vec<u64>,
    reference: usize,
    /// What records reach over and no run has come of: sorted, with gaps between them.
    spans: VecDeque<(u64, u64)>,
    is_covered: bool,
    sink: S,
}

impl<S: ColumnSink> DepthColumns<S> {
    /// For the references of this header.
    pub fn new(header: &Header, sink: S) -> DepthColumns<S> {
        let lengths = header.references().iter().map(|reference| reference.length).collect();
        DepthColumns { lengths, reference: 0, spans: VecDeque::new(), is_covered: false, sink }
    }

    /// What received the columns.
    pub fn into_sink(self) -> S {
        self.sink
    }

    /// A counted record of a file reaches over these positions.
    fn add_span(&mut self, mut from: u64, mut to: u64) {
        self.is_covered = true;
        // Files are read a little ahead of each other: it is one of the last.
        let mut at = self.spans.len();
        while at > 0 && self.spans[at - 1].1 >= from {
            at -= 1;
        }
        while let Some(&(start, end)) = self.spans.get(at).filter(|(start, _)| *start <= to) {
            (from, to) = (from.min(start), to.max(end));
            self.spans.remove(at);
        }
        self.spans.insert(at, (from, to));
    }

    /// Gives positions of equal depths, cut where no record reaches over them.
    fn put(&mut self, mut from: u64, to: u64, depths: &[u32]) {
        let is_covered = self.is_covered;
        let mut run = |from: u64, to: u64, is_spanned: bool| {
            if from < to {
                self.sink.run(ColumnRun { from, to, depths, is_spanned, is_covered });
            }
        };
        while let Some(&(start, end)) = self.spans.front().filter(|(start, _)| *start < to) {
            run(from, start.max(from), false);
            run(start.max(from), end.min(to), true);
            from = end.min(to).max(from);
            if end > to {
                break;
            }
            self.spans.pop_front();
        }
        run(from, to, false);
    }

    /// The reference is complete in all files.
    fn end_reference(&mut self) {
        self.sink.end();
        self.spans.clear();
        self.is_covered = false;
        self.reference += 1;
    }
}

impl<S: ColumnSink> DepthSink for DepthColumns<S> {
    fn run(&mut self, run: DepthRun) {
        self.put(run.from, run.to, &[run.depth]);
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        if !has_records {
            self.put(0, self.lengths[reference], &[0]);
        }
        self.end_reference();
    }

    fn spanned(&mut self, from: u64, to: u64) {
        self.add_span(from, to);
    }

    fn has_ended(&self) -> bool {
        self.sink.has_ended()
    }
}

/// What a file says of its depths.
#[derive(Clone, Copy)]
enum ColumnEvent {
    Run(DepthRun),
    Span(u64, u64),
    End,
}

/// Events that are handed over at once.
const EVENTS: usize = 4096;

/// Sends the events of a file to who joins them.
struct ColumnSender {
    events: Vec<ColumnEvent>,
    sender: SyncSender<Vec<ColumnEvent>>,
    /// Whether nobody wants more of them.
    is_closed: bool,
}

impl ColumnSender {
    fn add(&mut self, event: ColumnEvent) {
        self.events.push(event);
        if self.events.len() >= EVENTS {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.is_closed |= self.sender.send(std::mem::take(&mut self.events)).is_err();
    }
}

impl DepthSink for ColumnSender {
    fn run(&mut self, run: DepthRun) {
        self.add(ColumnEvent::Run(run));
    }

    fn end(&mut self, _: usize, _: bool) {
        self.add(ColumnEvent::End);
    }

    fn spanned(&mut self, from: u64, to: u64) {
        self.add(ColumnEvent::Span(from, to));
    }

    fn has_ended(&self) -> bool {
        self.is_closed
    }
}

/// The events of a file, and where it is.
struct ColumnReceiver {
    receiver: Receiver<Vec<ColumnEvent>>,
    events: std::vec::IntoIter<ColumnEvent>,
    /// The run at hand; none behind the last one of the reference.
    run: Option<DepthRun>,
}

impl ColumnReceiver {
    /// Goes to the next run, or behind the last one of the reference.
    ///
    /// # Errors
    /// The number of this file, if it has failed.
    fn advance(&mut self, number: usize, mut span: impl FnMut(u64, u64)) -> Result<(), usize> {
        loop {
            match self.events.next() {
                Some(ColumnEvent::Span(from, to)) => span(from, to),
                Some(ColumnEvent::Run(run)) => {
                    self.run = Some(run);
                    return Ok(());
                }
                Some(ColumnEvent::End) => {
                    self.run = None;
                    return Ok(());
                }
                None => match self.receiver.recv() {
                    Ok(events) => self.events = events.into_iter(),
                    Err(_) => return Err(number),
                },
            }
        }
    }
}

impl<S: ColumnSink> DepthColumns<S> {
    /// Joins the columns of all references; ends early where nothing more is wanted.
    ///
    /// # Errors
    /// The number of the file that has failed.
    fn join(&mut self, columns: &mut [ColumnReceiver]) -> Result<(), usize> {
        let mut depths = vec![0; columns.len()];
        while self.reference < self.lengths.len() {
            let length = self.lengths[self.reference];
            for (number, column) in columns.iter_mut().enumerate() {
                column.advance(number, |from, to| self.add_span(from, to))?;
            }
            let mut at = 0;
            while at < length {
                let mut to = length;
                for (column, depth) in columns.iter().zip(&mut depths) {
                    *depth = column.run.map_or(0, |run| run.depth);
                    to = column.run.map_or(to, |run| to.min(run.to));
                }
                self.put(at, to, &depths);
                at = to;
                for (number, column) in columns.iter_mut().enumerate() {
                    if column.run.is_some_and(|run| run.to <= at) {
                        column.advance(number, |from, to| self.add_span(from, to))?;
                    }
                }
                if self.sink.has_ended() {
                    return Ok(());
                }
            }
            self.end_reference();
        }
        Ok(())
    }
}

/// Reads files side by side, each with its options, and passes their depths to what `sink` makes of the header.
///
/// Memory doesn't depend on the files: those that are ahead wait.
///
/// ```
/// use biofast_bam::{Input, InputOptions, Query};
/// use biofast_io::{Options, Source};
/// use biofast_ops::coverage::{ColumnRun, ColumnSink, DepthRules, collect_columns};
///
/// /// Positions above 0, counted from 1, with their depths.
/// struct Lines(Vec<(u64, Vec<u32>)>);
/// impl ColumnSink for Lines {
///     fn run(&mut self, run: ColumnRun<'_>) {
///         if run.is_spanned {
///             self.0.extend((run.from..run.to).map(|at| (at + 1, run.depths.to_vec())));
///         }
///     }
///     fn end(&mut self) {}
/// }
///
/// let options = Options::default();
/// let open = |sam: &'static [u8]| -> Result<Query, biofast_bam::Error> {
///     let source = Source::from_reader("example", sam);
///     Ok(Input::open(source, &InputOptions::new(&options))?.source.into())
/// };
/// let one = open(b"@SQ\tSN:c\tLN:9\nr\t0\tc\t3\t60\t2M\t*\t0\t0\tAC\tII\n")?;
/// let two = open(b"@SQ\tSN:c\tLN:9\nr\t0\tc\t4\t60\t2M\t*\t0\t0\tAC\tII\n")?;
/// let files = vec![(one, options.clone()), (two, options.clone())];
/// let lines = collect_columns(files, &DepthRules::default(), |_| Ok(Lines(Vec::new())))?;
/// assert_eq!(lines.0, [(3, vec![1, 0]), (4, vec![1, 1]), (5, vec![0, 1])]);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// If the reference sequences of the files differ; the first fault of a file; the first record that is out of order.
pub fn collect_columns<S: ColumnSink + Send>(
    files: Vec<(Query, Options)>,
    rules: &DepthRules,
    sink: impl FnOnce(&Header) -> Result<S, Error>,
) -> Result<S, Error> {
    let mut opened: Vec<(Query, Options)> = Vec::new();
    let mut first: Option<Header> = None;
    for (query, options) in files {
        let (header, query) = query.peek_header()?;
        if let Some(first) = first.as_ref().filter(|f| f.references() != header.references()) {
            let kind = ErrorKind::HeadersDiffer(other_reference(first, &header));
            return Err(Error::new(kind, Location::in_input(&query.name().into())));
        }
        first.get_or_insert(header);
        opened.push((query, options));
    }
    let header = first.unwrap_or_default();
    let mut columns = DepthColumns::new(&header, sink(&header)?);
    if opened.len() == 1
        && let Some((query, options)) = opened.pop()
    {
        return Ok(super::collect(query, &options, rules, |_| Ok(columns))?.1.into_sink());
    }
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        let mut receivers = Vec::new();
        for (query, options) in opened {
            let (sender, receiver) = sync_channel(2);
            receivers.push(ColumnReceiver { receiver, events: Vec::new().into_iter(), run: None });
            threads.push(scope.spawn(move || {
                let sender = ColumnSender { events: Vec::new(), sender, is_closed: false };
                let (_, mut sender) = super::collect(query, &options, rules, |_| Ok(sender))?;
                sender.flush();
                Ok(())
            }));
        }
        let joined = columns.join(&mut receivers);
        // Those that wait to be heard end now.
        drop(receivers);
        let end = |thread: std::thread::ScopedJoinHandle<'_, Result<(), Error>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        let mut ends: Vec<Result<(), Error>> = threads.into_iter().map(end).collect();
        if let Err(failed) = joined {
            // Others may have been ended by it.
            ends.swap_remove(failed)?;
        }
        ends.into_iter().collect::<Result<(), Error>>()?;
        Ok(columns.into_sink())
    })
}

/// Where the reference sequences of a file first differ from those of the first one.
fn other_reference(first: &Header, other: &Header) -> String {
    let (first, other) = (first.references(), other.references());
    let at = first.iter().zip(other).position(|(one, two)| one != two);
    format!(
        "reference sequences differ from those of the first file, from number {} on",
        at.unwrap_or(first.len().min(other.len())) + 1
    )
}

//! Builds BAI and CSI of a file in one pass: workers condense their batches of records, which are
//! put together in the order of the file.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use biofast_io::bgzf;
use biofast_io::{Location, Options, Source, pipeline};

use super::assemble::{Assembly, Partial};
use super::bins::Scheme;
use super::tables::IndexFormat;
use crate::error::{Error, ErrorKind};
use crate::framer::Framer;
use crate::header::Header;
use crate::record::Batch;
use crate::start::header_of;

/// Which index to build.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildOptions {
    /// The format; `None` is BAI where all references are short enough for it, else CSI.
    pub format: Option<IndexFormat>,
    /// CSI only: the size of the smallest bins as a power of 2, from 1 to 30; `None` is 14.
    pub min_shift: Option<u8>,
}

impl BuildOptions {
    /// Sets the format.
    #[must_use]
    pub fn with_format(mut self, format: IndexFormat) -> BuildOptions {
        self.format = Some(format);
        self
    }

    /// CSI with smallest bins of 2 to this power, from 1 to 30.
    #[must_use]
    pub fn with_min_shift(mut self, min_shift: u8) -> BuildOptions {
        self.min_shift = Some(min_shift);
        self
    }
}

impl From<IndexFormat> for BuildOptions {
    /// This format with its usual bins.
    fn from(format: IndexFormat) -> Self {
        BuildOptions { format: Some(format), min_shift: None }
    }
}

/// An index that has been built.
pub struct Built {
    /// Its format.
    pub format: IndexFormat,
    /// The content of its file.
    pub bytes: Vec<u8>,
    /// The header of the BAM file.
    pub header: Header,
}

/// Builds the index of a BAM file sorted by coordinate, on `options.threads` threads.
///
/// ```
/// use biofast_bam::index::{BuildOptions, IndexFormat, build};
/// use biofast_io::{Options, Source};
/// # use biofast_bam::{Header, RecordBuf, Writer};
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-build-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.bam");
/// # let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
/// # let mut writer = Writer::create(&path, &header)?;
/// # writer.write(&RecordBuf::mapped("r", 0, 9, "1M".parse()?).sequence(b"A").build()?)?;
/// # writer.finish()?;
///
/// // BAI, as the references are short enough.
/// let built = build(Source::open(&path)?, BuildOptions::default(), &Options::default())?;
/// assert_eq!(built.format, IndexFormat::Bai);
/// assert!(built.bytes.starts_with(b"BAI\x01"));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault of the input; the first record out of order; a record that lies behind the
/// end of what the format can hold; an input that isn't BGZF.
pub fn build(source: Source, what: BuildOptions, options: &Options) -> Result<Built, Error> {
    let name: Arc<str> = source.name().into();
    let plan = Arc::new(OnceLock::new());
    let set_plan = {
        let (plan, name) = (Arc::clone(&plan), Arc::clone(&name));
        move |header: &Header| {
            let found = choose(header, what).map_err(|why| not_indexable(&name, None, why))?;
            // One framer reads one header.
            let _ = plan.set(found);
            Ok(())
        }
    };
    let framer = Framer::new(&name, Arc::default(), options).on_header(set_plan).check_order();
    let mut assembly = Assembly::default();
    let mut fault = None;
    let header = framer.header_slot();
    let result = pipeline::fold_ordered(
        source,
        options,
        framer,
        || (),
        |(), chunk, frame, partial: &mut Partial| {
            // Set before the first record is framed.
            if let Some((_, scheme)) = plan.get() {
                condense(partial, frame.batch(chunk), *scheme);
            }
        },
        |(), ()| {},
        |partial| {
            if let Some((_, scheme)) = plan.get() {
                assembly.append(partial, *scheme);
            }
            fault = partial.fault.take();
            match fault {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        },
    );
    // It comes before whatever else stopped the reading.
    if let Some((record, why)) = fault {
        return Err(not_indexable(&name, Some(record), why));
    }
    result.map_err(|fault| fault.error)?;
    let header = header_of(&header);
    let Some(&(format, scheme)) = plan.get() else {
        return Err(not_indexable(&name, None, "it has no header".into()));
    };
    let bytes = assembly.finish(format, scheme, header.references().len());
    Ok(Built { format, bytes: file(format, bytes), header })
}

/// The content of an index file.
pub(super) fn file(format: IndexFormat, bytes: Vec<u8>) -> Vec<u8> {
    match format {
        IndexFormat::Bai => bytes,
        IndexFormat::Csi => bgzf::compress(&bytes),
    }
}

/// Adds a batch, up to the first record that can't be indexed.
fn condense(partial: &mut Partial, batch: Batch<'_>, scheme: Scheme) {
    let Some(records) = batch.with_places() else {
        let why = "it is not BGZF".into();
        partial.fault = Some((batch.first_record() + 1, why));
        return;
    };
    for (number, (record, start, end)) in (batch.first_record() + 1..).zip(records) {
        if let Err(why) = partial.add(&record, start, end, scheme) {
            partial.fault = Some((number, why));
            return;
        }
    }
}

pub(super) fn not_indexable(name: &Arc<str>, record: Option<u64>, why: String) -> Error {
    let at = Location { record, ..Location::in_input(name) };
    Error::new(ErrorKind::NotIndexable(why), at)
}

/// The format and the tree of bins for the references of a header.
pub(super) fn choose(header: &Header, what: BuildOptions) -> Result<(IndexFormat, Scheme), String> {
    let longest = header.references().iter().max_by_key(|r| r.length);
    let length = longest.map_or(0, |r| r.length);
    // Below 2^63, as every length is.
    let too_long = length as i64 >= Scheme::BAI.end();
    let csi = |min_shift: u8| {
        if !(1..=30).contains(&min_shift) {
            return Err(format!(
                "the smallest bins must have 2^1 to 2^30 bases, not 2^{min_shift}"
            ));
        }
        let scheme = Scheme::for_length(min_shift, length).ok_or_else(|| {
            format!("bins of 2^{min_shift} bases are too small for references of {length} bases")
        })?;
        Ok((IndexFormat::Csi, scheme))
    };
    match (what.format, what.min_shift) {
        (Some(IndexFormat::Bai), Some(_)) => Err("the bins of BAI have a fixed size".into()),
        (Some(IndexFormat::Bai), None) if too_long => Err(format!(
            "reference '{}' has {length} bases, but BAI reaches only 536,870,911; use CSI",
            longest.map_or_else(String::new, |r| biofast_io::Shown(&r.name).to_string()),
        )),
        (Some(IndexFormat::Bai), None) => Ok((IndexFormat::Bai, Scheme::BAI)),
        (None, None) if !too_long => Ok((IndexFormat::Bai, Scheme::BAI)),
        (_, min_shift) => csi(min_shift.unwrap_or(14)),
    }
}

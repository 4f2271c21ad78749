//! The header of BAM alone, and where records begin.

use std::sync::{Arc, OnceLock};

use biofast_io::bgzf::VirtualOffset;
use biofast_io::pipeline::Frames;
use biofast_io::{Location, Options, Source};

use crate::error::{Error, ErrorKind};
use crate::framer::Framer;
use crate::header::{Header, MAX_HEADER, Parsed};

/// What a framer has left there.
pub(crate) fn header_of(slot: &OnceLock<Arc<Header>>) -> Header {
    slot.get().map(|header| Header::clone(header)).unwrap_or_default()
}

/// Reads the header of a BAM input and nothing more; that of SAM and CRAM through [`Input::open`](crate::Input::open).
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions, read_header};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// assert_eq!(read_header(input.source, &options)?.references()[0].name, b"c");
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// If the input can't be read or decompressed, is not BAM, or its header is malformed.
pub fn read_header(source: Source, options: &Options) -> Result<Header, Error> {
    read_start(source, options).map(|(header, _)| header)
}

/// The header, and where the first record starts if the input is BGZF.
pub(crate) fn read_start(
    source: Source,
    options: &Options,
) -> Result<(Header, Option<VirtualOffset>), Error> {
    let slot = Arc::new(OnceLock::new());
    let framer = Framer::new(source.name(), Arc::clone(&slot), options);
    let mut frames = Frames::new(source, options, framer)?;
    while slot.get().is_none() && frames.advance()? {}
    let place = frames.current().1.place;
    Ok((header_of(&slot), place))
}

/// The header of a source of BAM data. The returned source still starts with it.
///
/// # Errors
/// If it can't be read.
pub fn peek_header(mut source: Source) -> Result<(Header, Source), Error> {
    let mut wanted = 64 << 10;
    loop {
        // A fault at the start is told by the reader, too.
        let bytes = source.peek(wanted).unwrap_or_default();
        if let Ok(Parsed::Complete(header, _)) = Header::parse(&bytes) {
            return Ok((header, source));
        }
        if bytes.len() < wanted || wanted > MAX_HEADER {
            // What is wrong is said by the reader, with its place.
            let options = Options::serial();
            let at = Location { name: Some(source.name().into()), ..Location::default() };
            read_header(source, &options)?;
            return Err(Error::new(ErrorKind::Truncated("the header"), at));
        }
        wanted = if wanted < MAX_HEADER / 8 { wanted * 8 } else { MAX_HEADER + 1 };
    }
}

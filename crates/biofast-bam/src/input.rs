//! One way in for all formats.

use biofast_io::{Location, Origin, Source};

use crate::adapter::{Adapter, Produce};
use crate::cram::CramToBam;
use crate::error::{Error, ErrorKind};
use crate::format::Format;
use crate::input_options::InputOptions;
use crate::sam::SamToBam;

/// Alignments of any format as BAM bytes.
///
/// ```
/// use biofast_bam::{Detail, Format, Input, InputOptions, Reader};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// assert_eq!(input.format, Format::Sam);
/// assert_eq!(Reader::new(input.source, &options)?.records().count(), 2);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
pub struct Input {
    /// What the input holds.
    pub format: Format,
    /// Its records as BAM: the input itself, or what an adapter makes of it while it is read.
    pub source: Source,
}

impl Input {
    /// Recognises the format of `source` by content.
    ///
    /// # Errors
    /// If nothing can be read, or the data are of no alignment format. What is wrong with the
    /// records is said by whoever reads them, after those before have been delivered.
    pub fn open(source: Source, options: &InputOptions<'_>) -> Result<Input, Error> {
        Input::open_as(source, options, false)
    }

    /// The same for a check, which looks at records and doesn't use them: those of SAM may name reference sequences though no
    /// header line declares any, as the specification allows. They are then without one.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    #[doc(hidden)]
    pub fn open_to_check(source: Source, options: &InputOptions<'_>) -> Result<Input, Error> {
        Input::open_as(source, options, true)
    }

    fn open_as(
        mut source: Source,
        options: &InputOptions<'_>,
        checks: bool,
    ) -> Result<Input, Error> {
        let format = Format::sniff(&mut source)?;
        options.check_reference()?;
        let name = source.name().to_owned();
        let source = match format {
            Format::Bam => source,
            Format::Sam => adapted(&name, SamToBam::new(source, options.io, checks)?),
            Format::Cram => {
                // Bytes are counted where CRAM is read.
                let origin = Origin { offset: 0, ..source.origin() };
                adapted(&name, CramToBam::new(source, options)?).starting_at(origin)
            }
        };
        Ok(Input { format, source })
    }
}

fn adapted(name: &str, producer: impl Produce + Send + 'static) -> Source {
    Source::from_adapter(name, Adapter::new(producer))
}

/// Enough for a header line, or the first six fields of an alignment line.
const SNIFFED: usize = 8 << 10;

impl Format {
    /// Recognises the format of `source` by its first decompressed bytes, and leaves it unread.
    ///
    /// # Errors
    /// If nothing can be read, or the data are of none of the formats; the message says what
    /// they look like.
    pub fn sniff(source: &mut Source) -> Result<Format, Error> {
        let start = source.peek(SNIFFED)?;
        Format::of(&start).map_err(|what| {
            let at = Location { name: Some(source.name().into()), ..Location::default() };
            Error::new(ErrorKind::NotAlignments(what), at)
        })
    }
}

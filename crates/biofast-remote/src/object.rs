//! An opened object: its length and version, and its ranges, each checked and asked for again where that helps.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use biofast_io::remote::Object;
use ureq::BodyReader;
use ureq::http::HeaderMap;

use crate::ahead::Ahead;
use crate::answer::{self, ContentRange, Version, wrong_kind};
use crate::cache::{BLOCK, Cache};
use crate::client::{Answer, Client, Failed};
use crate::disk::{Disk, Identity};
use crate::place::Place;

/// An answer without ranges is kept whole up to this length.
const SMALL: u64 = 1 << 20;

/// As many redirects as are followed.
const MOST_REDIRECTS: usize = 10;

/// As many refusals as are answered by asking otherwise: of another region, by other credentials.
const MOST_OTHERWISE: u32 = 2;

/// Blocks that reading on with [`Object::read_at`] fetches at most at once.
const MOST_BLOCKS: u64 = 16;

/// All blocks of an object up to this length are kept on disk, if any are, as those of indexes are; of others those of short ranges.
const MOST_KEPT_WHOLE: u64 = 64 << 20;

/// Bytes of a part that are at hand until the next one, at most if it is several.
const MOST_OF_A_PART: usize = 4 << 20;

/// An attempt that brought so many bytes wasn't in vain: what follows it counts anew.
const PROGRESS: usize = 64 << 10;

/// An object, as its first answer described it.
pub(crate) struct Opened {
    place: Place,
    pub(crate) client: Arc<Client>,
    version: Version,
    kind: Kind,
    cache: Mutex<Cache>,
    /// What names it on disk, where it may be kept.
    identity: Option<Identity>,
    /// Where the last block that [`Object::read_at`] fetched ends, and how many it were.
    last: Mutex<(u64, u64)>,
    /// The last part that was fetched as a whole, and where it begins.
    part: Mutex<(u64, Vec<u8>)>,
    traffic: Traffic,
}

enum Kind {
    /// Ranges can be had of so many bytes.
    Ranges(u64),
    /// It is all there.
    Whole(Arc<[u8]>),
    /// It can only be read from the front: the answer that was got, for who reads it first, and its length.
    Stream(Mutex<Option<BodyReader<'static>>>, Option<u64>),
}

/// What was asked for so far.
#[derive(Default)]
struct Traffic {
    requests: AtomicU64,
    again: AtomicU64,
    bytes: AtomicU64,
    from_disk: AtomicU64,
}

/// Why an attempt failed.
enum Trouble {
    /// Worth another one, after what the server asks for.
    Passing(String, Option<Duration>),
    Unreachable(String),
    Final(io::Error),
}

impl Trouble {
    fn wrong(why: impl Into<String>) -> Trouble {
        Trouble::Final(io::Error::new(io::ErrorKind::InvalidData, why.into()))
    }

    /// The error without another attempt, after `failed` of them.
    fn into_error(self, failed: u32) -> io::Error {
        let (kind, why) = match self {
            Trouble::Final(error) => return error,
            Trouble::Passing(why, _) => (io::ErrorKind::TimedOut, why),
            Trouble::Unreachable(why) => (io::ErrorKind::ConnectionRefused, why),
        };
        let tried = match failed {
            0 | 1 => String::new(),
            times => format!(" ({times} times in a row)"),
        };
        io::Error::new(kind, format!("{why}{tried}"))
    }
}

impl From<Failed> for Trouble {
    fn from(failed: Failed) -> Trouble {
        match failed {
            Failed::Unreachable(why) => Trouble::Unreachable(why),
            Failed::Broken(why) => Trouble::Passing(why, None),
            Failed::Wrong(why) => Trouble::wrong(why),
        }
    }
}

/// What an object is made of, by its first answer.
type First = (Version, Kind, Cache);

impl Opened {
    /// Asks for the first block, and learns what the object is.
    pub(crate) fn open(place: Place, client: Arc<Client>) -> io::Result<Opened> {
        let traffic = Traffic::default();
        let mut failed = 0;
        let (version, kind, cache) = loop {
            match first(&place, &client, &traffic) {
                Ok(first) => break first,
                Err(trouble) => {
                    failed += 1;
                    match trouble {
                        Trouble::Passing(_, asked) if failed <= client.settings.retries => {
                            traffic.again.fetch_add(1, Ordering::Relaxed);
                            std::thread::sleep(client.settings.delay(failed, asked));
                        }
                        trouble => {
                            let error = trouble.into_error(failed);
                            return Err(match error.kind() {
                                io::ErrorKind::NotFound
                                | io::ErrorKind::PermissionDenied
                                | io::ErrorKind::InvalidInput => error,
                                _ => in_range(0..BLOCK, error),
                            });
                        }
                    }
                }
            }
        };
        let identity = match (&client.disk, &kind, version.strong_etag()) {
            (Some(_), Kind::Ranges(len), Some(etag)) => {
                place.for_everyone().map(|address| Identity::new(&address, etag, *len))
            }
            _ => None,
        };
        let (cache, last, part) = (Mutex::new(cache), Mutex::default(), Mutex::default());
        Ok(Opened { place, client, version, kind, cache, identity, last, part, traffic })
    }

    /// Keeps a part until the next one. What goes on from it is one with it.
    pub(crate) fn keep_part(&self, begin: u64, bytes: &[u8]) {
        let mut part = self.part.lock().unwrap_or_else(PoisonError::into_inner);
        if part.0 + part.1.len() as u64 != begin || part.1.len() + bytes.len() > MOST_OF_A_PART {
            part.0 = begin;
            part.1.clear();
        }
        part.1.extend_from_slice(bytes);
    }

    /// What the last part has from `position` on, if that is in it.
    pub(crate) fn rest_of_part(&self, position: u64) -> Option<Vec<u8>> {
        let part = self.part.lock().unwrap_or_else(PoisonError::into_inner);
        let at = usize::try_from(position.checked_sub(part.0)?).ok()?;
        part.1.get(at..).filter(|rest| !rest.is_empty()).map(<[u8]>::to_vec)
    }

    pub(crate) fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fills `out` with the bytes from `start` on, which the object has. `stop` ends it early, with an error that nobody sees.
    ///
    /// # Errors
    /// If an answer isn't what was asked for, or too many attempts failed; the message names the range.
    pub(crate) fn fetch(&self, start: u64, out: &mut [u8], stop: &AtomicBool) -> io::Result<()> {
        let end = start + out.len() as u64;
        let (mut filled, mut failed) = (0, 0);
        while filled < out.len() {
            let from = start + filled as u64;
            let before = filled;
            let Err(trouble) = self.attempt(from..end, &mut out[filled..], &mut filled, stop)
            else {
                break;
            };
            failed = if filled - before >= PROGRESS { 1 } else { failed + 1 };
            match trouble {
                Trouble::Final(error) => return Err(in_range(from..end, error)),
                trouble if failed > self.client.settings.retries => {
                    let at = start + filled as u64;
                    return Err(in_range(at..end, trouble.into_error(failed)));
                }
                trouble => {
                    let asked = if let Trouble::Passing(_, asked) = trouble { asked } else { None };
                    self.traffic.again.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(self.client.settings.delay(failed, asked));
                }
            }
        }
        Ok(())
    }

    /// The same, of blocks that may be on disk.
    ///
    /// # Errors
    /// Those of [`fetch`](Opened::fetch).
    pub(crate) fn fetch_kept(
        &self,
        start: u64,
        out: &mut [u8],
        stop: &AtomicBool,
    ) -> io::Result<()> {
        let Some((disk, identity, len)) = self.kept(start, out.len() as u64) else {
            return self.fetch(start, out, stop);
        };
        // Where in `out` the blocks begin that are fetched together, as they aren't there.
        let mut missing = 0;
        for at in (0..out.len()).step_by(BLOCK as usize) {
            let number = (start + at as u64) / BLOCK;
            let block = at..out.len().min(at + BLOCK as usize);
            let Some(found) = disk.get(identity, number, block_len(number, len)) else { continue };
            self.fetch_and_keep(start, missing..at, out, stop)?;
            // The range may end within a block.
            out[block.clone()].copy_from_slice(&found[..block.len()]);
            self.traffic.from_disk.fetch_add(block.len() as u64, Ordering::Relaxed);
            missing = block.end;
        }
        self.fetch_and_keep(start, missing..out.len(), out, stop)
    }

    /// Fetches a part of `out`, which begins at `start` of the object, and keeps the blocks that are in it as a whole.
    fn fetch_and_keep(
        &self,
        start: u64,
        part: Range<usize>,
        out: &mut [u8],
        stop: &AtomicBool,
    ) -> io::Result<()> {
        let first = start + part.start as u64;
        let out = &mut out[part];
        self.fetch(first, out, stop)?;
        let Some((disk, identity, len)) = self.kept(first, out.len() as u64) else { return Ok(()) };
        for (number, block) in (first / BLOCK..).zip(out.chunks(BLOCK as usize)) {
            if block.len() == block_len(number, len) {
                disk.put(identity, number, block);
            }
        }
        Ok(())
    }

    /// Whether its blocks are kept on disk.
    pub(crate) fn is_kept(&self) -> bool {
        self.client.disk.is_some() && self.identity.is_some()
    }

    /// Where a range is kept, and under which name, if it is; and the length of the object.
    fn kept(&self, start: u64, wanted: u64) -> Option<(&Disk, &Identity, u64)> {
        let Kind::Ranges(len) = self.kind else { return None };
        let is_short = len <= MOST_KEPT_WHOLE || wanted <= MOST_BLOCKS * BLOCK;
        (is_short && start.is_multiple_of(BLOCK)).then_some(())?;
        Some((self.client.disk.as_ref()?, self.identity.as_ref()?, len))
    }

    /// One request for a range; what it brings is counted in `filled`.
    fn attempt(
        &self,
        range: Range<u64>,
        out: &mut [u8],
        filled: &mut usize,
        stop: &AtomicBool,
    ) -> Result<(), Trouble> {
        let Answer { status, headers, mut body } =
            ask(&self.place, &self.client, Some(&range), &self.traffic)?;
        self.check(status, &headers, &range)?;
        let mut n = 0;
        while n < out.len() {
            if stop.load(Ordering::Relaxed) {
                return Err(Trouble::wrong("no longer wanted"));
            }
            let piece = out.len().min(n + (256 << 10));
            match body.read(&mut out[n..piece]) {
                Ok(0) => return Err(Trouble::Passing("the connection was cut".into(), None)),
                Ok(got) => {
                    n += got;
                    *filled += got;
                    self.traffic.bytes.fetch_add(got as u64, Ordering::Relaxed);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Trouble::Passing(self.client.broken(&error), None)),
            }
        }
        // Also lets the connection be used again.
        match body.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(Trouble::wrong("the answer has more bytes than were asked for")),
            Err(error) => {
                *filled -= n;
                Err(Trouble::Passing(self.client.broken(&error), None))
            }
        }
    }

    /// Whether the head of an answer is that of the range asked for, of the same object.
    fn check(&self, status: u16, headers: &HeaderMap, range: &Range<u64>) -> Result<(), Trouble> {
        check_status(status, headers)?;
        check_kind(&self.place, headers)?;
        let Kind::Ranges(len) = self.kind else { return Ok(()) };
        if !self.version.admits(&Version::of(headers)) {
            return Err(Trouble::wrong("the object was changed while it was being read"));
        }
        if status != 206 {
            return Err(Trouble::wrong(format!(
                "the server gave ranges before, and now answers with status {status}"
            )));
        }
        let Some(found) = ContentRange::of(headers) else {
            return Err(Trouble::wrong("the answer doesn't say which range it is"));
        };
        if found.total.is_some_and(|total| total != len) {
            let total = found.total.unwrap_or_default();
            let why = format!("the object was changed: it had {len} bytes and now has {total}");
            return Err(Trouble::wrong(why));
        }
        if found.range.as_ref() != Some(range) {
            let found = found.range.map_or("none".into(), |found| shown(&found));
            return Err(Trouble::wrong(format!("the answer is another range: {found}")));
        }
        check_length(headers, range)
    }

    /// Reads the answer to a request for all of it, of a server without ranges.
    fn stream(
        &self,
        len: Option<u64>,
        at_hand: Option<BodyReader<'static>>,
    ) -> io::Result<Streamed<'_>> {
        let body = match at_hand {
            Some(body) => body,
            // It was read before: once more, if it is the same.
            None => {
                let again = || -> Result<_, Trouble> {
                    let Answer { status, headers, body } =
                        ask(&self.place, &self.client, None, &self.traffic)?;
                    self.check(status, &headers, &(0..0))?;
                    if !self.version.admits(&Version::of(&headers))
                        || answer::content_length(&headers) != len
                    {
                        return Err(Trouble::wrong(
                            "the object was changed since it was read first",
                        ));
                    }
                    Ok(body)
                };
                again().map_err(|trouble| trouble.into_error(1))?
            }
        };
        Ok(Streamed { object: self, body, position: 0, len })
    }
}

/// One request and its answer, redirects followed. `again` counts.
fn ask(
    place: &Place,
    client: &Client,
    range: Option<&Range<u64>>,
    traffic: &Traffic,
) -> Result<Answer, Trouble> {
    let range = range.map(|range| format!("bytes={}-{}", range.start, range.end - 1));
    let mut request = place.request(range.as_deref()).map_err(Trouble::Final)?;
    let mut otherwise = 0;
    for _ in 0..=MOST_REDIRECTS {
        traffic.requests.fetch_add(1, Ordering::Relaxed);
        let answer = client.send(request.clone())?;
        if answer.status >= 300
            && otherwise < MOST_OTHERWISE
            && place.can_ask_otherwise(answer.status, &answer.headers)
        {
            otherwise += 1;
            request = place.request(range.as_deref()).map_err(Trouble::Final)?;
        } else if matches!(answer.status, 301 | 302 | 303 | 307 | 308)
            && let Some(to) = answer::text(&answer.headers, "location")
        {
            request = place.redirect(&request, to).map_err(Trouble::wrong)?;
        } else {
            return Ok(answer);
        }
    }
    Err(Trouble::wrong("too many redirects"))
}

/// Opens once: asks for the first block.
fn first(place: &Place, client: &Client, traffic: &Traffic) -> Result<First, Trouble> {
    let mut answer = ask(place, client, Some(&(0..BLOCK)), traffic)?;
    let found = ContentRange::of(&answer.headers);
    let is_unknown = |found: &ContentRange| found.total.is_none();
    // Of an empty object there is no range; one without a known length is read as a whole.
    if answer.status == 416 {
        if found.as_ref().is_some_and(|found| found.total == Some(0)) {
            return Ok((
                Version::of(&answer.headers),
                Kind::Whole(Arc::default()),
                Cache::default(),
            ));
        }
        answer = ask(place, client, None, traffic)?;
    } else if answer.status == 206 && found.as_ref().is_some_and(is_unknown) {
        answer = ask(place, client, None, traffic)?;
    }
    let Answer { status, headers, mut body } = answer;
    check_status(status, &headers)?;
    check_kind(place, &headers)?;
    let version = Version::of(&headers);
    let mut read = |len: u64| -> Result<Vec<u8>, Trouble> {
        let mut bytes = Vec::new();
        // One more, to see that there is none.
        match (&mut body).take(len + 1).read_to_end(&mut bytes) {
            Ok(_) if (bytes.len() as u64) < len => {
                Err(Trouble::Passing("the connection was cut".into(), None))
            }
            Ok(_) if bytes.len() as u64 > len => {
                Err(Trouble::wrong("the answer has more bytes than it says"))
            }
            Ok(_) => {
                traffic.bytes.fetch_add(len, Ordering::Relaxed);
                Ok(bytes)
            }
            Err(error) => Err(Trouble::Passing(client.broken(&error), None)),
        }
    };
    match (status, ContentRange::of(&headers)) {
        (206, Some(ContentRange { range: Some(range), total: Some(len) })) => {
            let expected = 0..BLOCK.min(len);
            if range != expected {
                let why = format!("the answer is another range: {} of {len}", shown(&range));
                return Err(Trouble::wrong(why));
            }
            check_length(&headers, &expected)?;
            let mut cache = Cache::default();
            cache.put(0, &read(expected.end)?);
            Ok((version, Kind::Ranges(len), cache))
        }
        (206, _) => Err(Trouble::wrong("the answer doesn't say which range it is")),
        (200, _) => match answer::content_length(&headers) {
            Some(len) if len <= SMALL => {
                let whole = read(len)?.into();
                Ok((version, Kind::Whole(whole), Cache::default()))
            }
            len => Ok((version, Kind::Stream(Mutex::new(Some(body)), len), Cache::default())),
        },
        (status, _) => Err(Trouble::wrong(format!("the server answers with status {status}"))),
    }
}

/// How many bytes a block has of an object of this length.
fn block_len(number: u64, len: u64) -> usize {
    BLOCK.min(len - number * BLOCK) as usize
}

fn check_status(status: u16, headers: &HeaderMap) -> Result<(), Trouble> {
    let is = |kind, why: String| Err(Trouble::Final(io::Error::new(kind, why)));
    match status {
        200 | 206 => Ok(()),
        408 | 425 | 429 | 500 | 502 | 503 | 504 => {
            let why = format!("the server answers with status {status}");
            Err(Trouble::Passing(why, answer::retry_after(headers)))
        }
        404 | 410 => {
            is(io::ErrorKind::NotFound, format!("there is no such object (status {status})"))
        }
        401 | 403 | 407 => is(
            io::ErrorKind::PermissionDenied,
            format!(
                "the server refuses (status {status}): it isn't there, or needs other credentials"
            ),
        ),
        _ => Err(Trouble::wrong(format!("the server answers with status {status}"))),
    }
}

fn check_kind(place: &Place, headers: &HeaderMap) -> Result<(), Trouble> {
    match wrong_kind(headers, place.path(), place.encoding_is_a_label()) {
        Some(why) => Err(Trouble::wrong(why)),
        None => Ok(()),
    }
}

/// Whether as many bytes follow as the range has, if that is said.
fn check_length(headers: &HeaderMap, range: &Range<u64>) -> Result<(), Trouble> {
    let expected = range.end - range.start;
    match answer::content_length(headers) {
        Some(len) if len != expected => {
            Err(Trouble::wrong(format!("the answer has {len} bytes instead of {expected}")))
        }
        _ => Ok(()),
    }
}

/// A range for people, with both ends in it.
fn shown(range: &Range<u64>) -> String {
    format!("{}-{}", range.start, range.end.saturating_sub(1))
}

fn in_range(range: Range<u64>, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("bytes {}: {error}", shown(&range)))
}

impl Object for Opened {
    fn len(&self) -> Option<u64> {
        match &self.kind {
            Kind::Ranges(len) => Some(*len),
            Kind::Whole(bytes) => Some(bytes.len() as u64),
            Kind::Stream(_, len) => *len,
        }
    }

    fn modified(&self) -> Option<SystemTime> {
        self.version.modified()
    }

    fn has_ranges(&self) -> bool {
        !matches!(self.kind, Kind::Stream(..))
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let len = match &self.kind {
            Kind::Ranges(len) => *len,
            Kind::Whole(bytes) => {
                let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..));
                return rest.unwrap_or_default().read(out);
            }
            Kind::Stream(..) => return Err(io::ErrorKind::Unsupported.into()),
        };
        let wanted =
            out.len().min(usize::try_from(len.saturating_sub(offset)).unwrap_or(usize::MAX));
        let mut filled = 0;
        while filled < wanted {
            let at = offset + filled as u64;
            let number = at / BLOCK;
            let cached = self.cache().get(number);
            let block = match cached {
                Some(block) => block,
                None => self.fetch_blocks(number, (wanted - filled) as u64, len)?,
            };
            let within = (at - number * BLOCK) as usize;
            let part = block.get(within..).unwrap_or_default();
            let n = part.len().min(wanted - filled);
            if n == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            out[filled..filled + n].copy_from_slice(&part[..n]);
            filled += n;
        }
        Ok(filled)
    }

    fn read_from(self: Arc<Self>, offset: u64, end: Option<u64>) -> Box<dyn Read + Send> {
        match &self.kind {
            Kind::Ranges(len) => {
                let len = *len;
                Box::new(Ahead::new(self, offset, end, len))
            }
            Kind::Whole(bytes) => {
                let mut cursor = io::Cursor::new(Arc::clone(bytes));
                cursor.set_position(offset);
                Box::new(cursor)
            }
            Kind::Stream(..) => Box::new(FromTheFront { object: self, state: Front::New, offset }),
        }
    }

    fn describe(&self) -> Option<String> {
        let Traffic { requests, again, bytes, from_disk } = &self.traffic;
        let of = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let how = match &self.kind {
            Kind::Ranges(_) => "in ranges",
            Kind::Whole(_) => "as a whole, as it is small",
            Kind::Stream(..) => "as a stream, as its server gives no ranges",
        };
        let (requests, again) = (of(requests), of(again));
        let megabytes = of(bytes) as f64 / 1e6;
        let mut told = format!(
            "fetched {how}: {megabytes:.3} MB in {requests} request{}, {again} of them tried again; {}",
            if requests == 1 { "" } else { "s" },
            self.version.told_by(),
        );
        if let Some(disk) = &self.client.disk {
            match (&self.identity, disk.failed()) {
                (Some(_), None) => {
                    let megabytes = of(from_disk) as f64 / 1e6;
                    told += &format!("; {megabytes:.3} MB from the cache");
                }
                (Some(_), Some(why)) => told += &format!("; the cache can't be written: {why}"),
                (None, _) => {
                    told += "; not in the cache: it has no ETag, or its address has a query or password";
                }
            }
        }
        Some(told)
    }
}

impl Opened {
    /// Fetches the block of this number and those behind it that are wanted, or likely to be.
    fn fetch_blocks(&self, number: u64, wanted: u64, len: u64) -> io::Result<Arc<[u8]>> {
        let goes_on = {
            let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.0 == number { last.1 * 2 } else { 1 }
        };
        let count = goes_on.max(wanted.div_ceil(BLOCK)).min(MOST_BLOCKS);
        let start = number * BLOCK;
        let end = len.min(start + count * BLOCK);
        let mut bytes = vec![0; (end - start) as usize];
        self.fetch_kept(start, &mut bytes, &AtomicBool::new(false))?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (number + count, count);
        self.cache().put(start, &bytes);
        bytes.truncate(BLOCK as usize);
        Ok(bytes.into())
    }
}

/// What a server without ranges sends, once.
struct Streamed<'a> {
    object: &'a Opened,
    body: BodyReader<'static>,
    position: u64,
    len: Option<u64>,
}

impl Streamed<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let cut = |position: u64, why: &str| {
            let why = format!(
                "byte {position}: {why}, and the server gives no ranges to go on from there"
            );
            io::Error::new(io::ErrorKind::UnexpectedEof, why)
        };
        match self.body.read(out) {
            Ok(0) if !out.is_empty() && self.len.is_some_and(|len| self.position < len) => {
                Err(cut(self.position, "the connection was cut"))
            }
            Ok(n) => {
                self.position += n as u64;
                self.object.traffic.bytes.fetch_add(n as u64, Ordering::Relaxed);
                Ok(n)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => Err(cut(self.position, &self.object.client.broken(&error))),
        }
    }
}

/// A reader of a stream that asks for it when it is read.
struct FromTheFront {
    object: Arc<Opened>,
    state: Front,
    offset: u64,
}

enum Front {
    New,
    Reading(BodyReader<'static>, u64),
    /// It failed, and does so again.
    Failed(io::ErrorKind, String),
}

impl Read for FromTheFront {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Kind::Stream(at_hand, len) = &self.object.kind else { return Ok(0) };
        if self.offset != 0 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut streamed = match std::mem::replace(&mut self.state, Front::New) {
            Front::New => {
                let at_hand = at_hand.lock().unwrap_or_else(PoisonError::into_inner).take();
                self.object.stream(*len, at_hand)?
            }
            Front::Reading(body, position) => {
                Streamed { object: &self.object, body, position, len: *len }
            }
            Front::Failed(kind, why) => {
                self.state = Front::Failed(kind, why.clone());
                return Err(io::Error::new(kind, why));
            }
        };
        let result = streamed.read(out);
        let Streamed { body, position, .. } = streamed;
        self.state = match &result {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                Front::Failed(error.kind(), error.to_string())
            }
            _ => Front::Reading(body, position),
        };
        result
    }
}

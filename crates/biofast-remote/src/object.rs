//! An opened object: its length and version, and its ranges, each checked and asked for again where that helps.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ureq::BodyReader;
use ureq::http::HeaderMap;

use crate::answer::{self, ContentRange, Version, wrong_kind};
use crate::cache::{BLOCK, Cache};
use crate::client::{Answer, Client, Failed};
use crate::disk::{Disk, Identity};
use crate::place::ObjectAddress;

/// An answer without ranges is kept whole up to this length.
const SMALL: u64 = 1 << 20;

/// As many redirects as are followed.
const MOST_REDIRECTS: usize = 10;

/// As many refusals as are answered by asking otherwise: of another region, by other credentials.
const MOST_OTHERWISE: u32 = 2;

/// Blocks that reading on with [`Object::read_at`] fetches at most at once.
pub(crate) const MOST_BLOCKS: u64 = 16;

/// All blocks of an object up to this length are kept on disk, if any are, as those of indexes are; of others those of short ranges.
const MOST_KEPT_WHOLE: u64 = 64 << 20;

/// Bytes of a part that are at hand until the next one, at most if it is several.
const MOST_OF_A_PART: usize = 4 << 20;

/// An attempt that brought so many bytes wasn't in vain: what follows it counts anew.
const PROGRESS: usize = 64 << 10;

/// An object, as its first answer described it.
pub(crate) struct Opened {
    place: ObjectAddress,
    pub(crate) client: Arc<Client>,
    pub(crate) version: Version,
    pub(crate) kind: Kind,
    cache: Mutex<Cache>,
    /// What names it on disk, where it may be kept.
    pub(crate) identity: Option<Identity>,
    /// Where the last block that [`Object::read_at`] fetched ends, and how many it were.
    pub(crate) last: Mutex<(u64, u64)>,
    /// The last part that was fetched as a whole, and where it begins.
    part: Mutex<(u64, Vec<u8>)>,
    pub(crate) traffic: Traffic,
}

pub(crate) enum Kind {
    /// Ranges can be had of so many bytes.
    Ranges(u64),
    /// It is all there.
    Whole(Arc<[u8]>),
    /// It can only be read from the front: the answer that was got, for who reads it first, and its length.
    Stream(Mutex<Option<BodyReader<'static>>>, Option<u64>),
}

/// What was asked for so far.
#[derive(Default)]
pub(crate) struct Traffic {
    pub(crate) requests: AtomicU64,
    pub(crate) again: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) from_disk: AtomicU64,
}

/// Why an attempt failed.
enum AttemptError {
    /// Worth another one, after what the server asks for.
    Passing(String, Option<Duration>),
    Unreachable(String),
    Final(io::Error),
}

impl AttemptError {
    fn wrong(why: impl Into<String>) -> AttemptError {
        AttemptError::Final(io::Error::new(io::ErrorKind::InvalidData, why.into()))
    }

    /// The error without another attempt, after `failed` of them.
    fn into_error(self, failed: u32) -> io::Error {
        let (kind, why) = match self {
            AttemptError::Final(error) => return error,
            AttemptError::Passing(why, _) => (io::ErrorKind::TimedOut, why),
            AttemptError::Unreachable(why) => (io::ErrorKind::ConnectionRefused, why),
        };
        let tried = match failed {
            0 | 1 => String::new(),
            times => format!(" ({times} times in a row)"),
        };
        io::Error::new(kind, format!("{why}{tried}"))
    }
}

impl From<Failed> for AttemptError {
    fn from(failed: Failed) -> AttemptError {
        match failed {
            Failed::Unreachable(why) => AttemptError::Unreachable(why),
            Failed::Broken(why) => AttemptError::Passing(why, None),
            Failed::Wrong(why) => AttemptError::wrong(why),
        }
    }
}

/// What an object is made of, by its first answer.
type First = (Version, Kind, Cache);

impl Opened {
    /// Asks for the first block, and learns what the object is.
    pub(crate) fn open(place: ObjectAddress, client: Arc<Client>) -> io::Result<Opened> {
        let traffic = Traffic::default();
        let mut failed = 0;
        let (version, kind, cache) = loop {
            match first(&place, &client, &traffic) {
                Ok(first) => break first,
                Err(trouble) => {
                    failed += 1;
                    match trouble {
                        AttemptError::Passing(_, asked) if failed <= client.settings.retries => {
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
                AttemptError::Final(error) => return Err(in_range(from..end, error)),
                trouble if failed > self.client.settings.retries => {
                    let at = start + filled as u64;
                    return Err(in_range(at..end, trouble.into_error(failed)));
                }
                trouble => {
                    let asked =
                        if let AttemptError::Passing(_, asked) = trouble { asked } else { None };
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
    ) -> Result<(), AttemptError> {
        let Answer { status, headers, mut body } =
            ask(&self.place, &self.client, Some(&range), &self.traffic)?;
        self.check(status, &headers, &range)?;
        let mut n = 0;
        while n < out.len() {
            if stop.load(Ordering::Relaxed) {
                return Err(AttemptError::wrong("no longer wanted"));
            }
            let piece = out.len().min(n + (256 << 10));
            match body.read(&mut out[n..piece]) {
                Ok(0) => {
                    return Err(AttemptError::Passing(
                        "the connection was interrupted".into(),
                        None,
                    ));
                }
                Ok(got) => {
                    n += got;
                    *filled += got;
                    self.traffic.bytes.fetch_add(got as u64, Ordering::Relaxed);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(AttemptError::Passing(self.client.broken(&error), None)),
            }
        }
        // Also lets the connection be used again.
        match body.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(AttemptError::wrong("the response is longer than requested")),
            Err(error) => {
                *filled -= n;
                Err(AttemptError::Passing(self.client.broken(&error), None))
            }
        }
    }

    /// Whether the head of an answer is that of the range asked for, of the same object.
    fn check(
        &self,
        status: u16,
        headers: &HeaderMap,
        range: &Range<u64>,
    ) -> Result<(), AttemptError> {
        check_status(status, headers)?;
        check_kind(&self.place, headers)?;
        let Kind::Ranges(len) = self.kind else { return Ok(()) };
        if !self.version.admits(&Version::of(headers)) {
            return Err(AttemptError::wrong("the object changed while it was being read"));
        }
        if status != 206 {
            return Err(AttemptError::wrong(format!(
                "the server supported range requests before but now answers with status {status}"
            )));
        }
        let Some(found) = ContentRange::of(headers) else {
            return Err(AttemptError::wrong("the response has no Content-Range"));
        };
        if found.total.is_some_and(|total| total != len) {
            let total = found.total.unwrap_or_default();
            let why = format!("the object changed: it had {len} bytes and now has {total}");
            return Err(AttemptError::wrong(why));
        }
        if found.range.as_ref() != Some(range) {
            let found = found.range.map_or("none".into(), |found| shown(&found));
            return Err(AttemptError::wrong(format!(
                "the response has a different range: {found}"
            )));
        }
        check_length(headers, range)
    }

    /// Reads the answer to a request for all of it, of a server without ranges.
    pub(crate) fn stream(
        &self,
        len: Option<u64>,
        at_hand: Option<BodyReader<'static>>,
    ) -> io::Result<Streamed<'_>> {
        let body = match at_hand {
            Some(body) => body,
            // It was read before: once more, if it is the same.
            None => {
                let again = || -> Result<_, AttemptError> {
                    let Answer { status, headers, body } =
                        ask(&self.place, &self.client, None, &self.traffic)?;
                    self.check(status, &headers, &(0..0))?;
                    if !self.version.admits(&Version::of(&headers))
                        || answer::content_length(&headers) != len
                    {
                        return Err(AttemptError::wrong(
                            "the object has changed since it was first read",
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
    place: &ObjectAddress,
    client: &Client,
    range: Option<&Range<u64>>,
    traffic: &Traffic,
) -> Result<Answer, AttemptError> {
    let range = range.map(|range| format!("bytes={}-{}", range.start, range.end - 1));
    let mut request = place.request(range.as_deref()).map_err(AttemptError::Final)?;
    let mut otherwise = 0;
    for _ in 0..=MOST_REDIRECTS {
        traffic.requests.fetch_add(1, Ordering::Relaxed);
        let answer = client.send(request.clone())?;
        if answer.status >= 300
            && otherwise < MOST_OTHERWISE
            && place.can_ask_otherwise(answer.status, &answer.headers)
        {
            otherwise += 1;
            request = place.request(range.as_deref()).map_err(AttemptError::Final)?;
        } else if matches!(answer.status, 301 | 302 | 303 | 307 | 308)
            && let Some(to) = answer::text(&answer.headers, "location")
        {
            request = place.redirect(&request, to).map_err(AttemptError::wrong)?;
        } else {
            return Ok(answer);
        }
    }
    Err(AttemptError::wrong("too many redirects"))
}

/// Opens once: asks for the first block.
fn first(place: &ObjectAddress, client: &Client, traffic: &Traffic) -> Result<First, AttemptError> {
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
    let mut read = |len: u64| -> Result<Vec<u8>, AttemptError> {
        let mut bytes = Vec::new();
        // One more, to see that there is none.
        match (&mut body).take(len + 1).read_to_end(&mut bytes) {
            Ok(_) if (bytes.len() as u64) < len => {
                Err(AttemptError::Passing("the connection was interrupted".into(), None))
            }
            Ok(_) if bytes.len() as u64 > len => {
                Err(AttemptError::wrong("the response is longer than it says"))
            }
            Ok(_) => {
                traffic.bytes.fetch_add(len, Ordering::Relaxed);
                Ok(bytes)
            }
            Err(error) => Err(AttemptError::Passing(client.broken(&error), None)),
        }
    };
    match (status, ContentRange::of(&headers)) {
        (206, Some(ContentRange { range: Some(range), total: Some(len) })) => {
            let expected = 0..BLOCK.min(len);
            if range != expected {
                let why = format!("the response has a different range: {} of {len}", shown(&range));
                return Err(AttemptError::wrong(why));
            }
            check_length(&headers, &expected)?;
            let mut cache = Cache::default();
            cache.put(0, &read(expected.end)?);
            Ok((version, Kind::Ranges(len), cache))
        }
        (206, _) => Err(AttemptError::wrong("the response has no Content-Range")),
        (200, _) => match answer::content_length(&headers) {
            Some(len) if len <= SMALL => {
                let whole = read(len)?.into();
                Ok((version, Kind::Whole(whole), Cache::default()))
            }
            len => Ok((version, Kind::Stream(Mutex::new(Some(body)), len), Cache::default())),
        },
        (status, _) => {
            Err(AttemptError::wrong(format!("the server answered with status {status}")))
        }
    }
}

/// How many bytes a block has of an object of this length.
fn block_len(number: u64, len: u64) -> usize {
    BLOCK.min(len - number * BLOCK) as usize
}

fn check_status(status: u16, headers: &HeaderMap) -> Result<(), AttemptError> {
    let is = |kind, why: String| Err(AttemptError::Final(io::Error::new(kind, why)));
    match status {
        200 | 206 => Ok(()),
        408 | 425 | 429 | 500 | 502 | 503 | 504 => {
            let why = format!("the server answered with status {status}");
            Err(AttemptError::Passing(why, answer::retry_after(headers)))
        }
        404 | 410 => is(io::ErrorKind::NotFound, format!("no such object (status {status})")),
        401 | 403 | 407 => is(
            io::ErrorKind::PermissionDenied,
            format!(
                "access denied (status {status}): the object doesn't exist or needs other credentials"
            ),
        ),
        _ => Err(AttemptError::wrong(format!("the server answered with status {status}"))),
    }
}

fn check_kind(place: &ObjectAddress, headers: &HeaderMap) -> Result<(), AttemptError> {
    match wrong_kind(headers, place.path(), place.encoding_is_a_label()) {
        Some(why) => Err(AttemptError::wrong(why)),
        None => Ok(()),
    }
}

/// Whether as many bytes follow as the range has, if that is said.
fn check_length(headers: &HeaderMap, range: &Range<u64>) -> Result<(), AttemptError> {
    let expected = range.end - range.start;
    match answer::content_length(headers) {
        Some(len) if len != expected => {
            Err(AttemptError::wrong(format!("the response has {len} bytes instead of {expected}")))
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

/// What a server without ranges sends, once.
pub(crate) struct Streamed<'a> {
    pub(crate) object: &'a Opened,
    pub(crate) body: BodyReader<'static>,
    pub(crate) position: u64,
    pub(crate) len: Option<u64>,
}

impl Streamed<'_> {
    pub(crate) fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let cut = |position: u64, why: &str| {
            let why = format!(
                "byte {position}: {why}, and the server doesn't support range requests to resume"
            );
            io::Error::new(io::ErrorKind::UnexpectedEof, why)
        };
        match self.body.read(out) {
            Ok(0) if !out.is_empty() && self.len.is_some_and(|len| self.position < len) => {
                Err(cut(self.position, "the connection was interrupted"))
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

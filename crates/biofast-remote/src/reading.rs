//! An object as it is read: by blocks, ahead of the reader, or as one stream.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use biofast_io::remote::Object;
use ureq::BodyReader;

use crate::ahead::Ahead;
use crate::cache::BLOCK;
use crate::object::{Kind, MOST_BLOCKS, Opened, Streamed, Traffic};

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
            Kind::Stream(..) => "as a stream, as the server doesn't support range requests",
        };
        let (requests, again) = (of(requests), of(again));
        let megabytes = of(bytes) as f64 / 1e6;
        let mut told = format!(
            "fetched {how}: {megabytes:.3} MB in {requests} request{}, {again} retried; {}",
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
                    told += "; not cached: it has no ETag, or its URL has a query or password";
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

//! What opens objects at addresses.

use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use super::address::{address, shown};
use crate::error::{Error, ErrorKind, Location};

/// What opens addresses.
///
/// ```
/// use std::io::{self, Cursor, Read};
/// use std::sync::Arc;
///
/// use biofast_io::remote::{self, Object, Store};
/// use biofast_io::{Options, Reader, Source};
///
/// /// Holds one object.
/// struct Shelf(&'static [u8]);
///
/// impl Store for Shelf {
///     fn open(&self, address: &str) -> io::Result<Arc<dyn Object>> {
///         match address {
///             "s3://bucket/x.fq" => Ok(Arc::new(Shelf(self.0))),
///             _ => Err(io::ErrorKind::NotFound.into()),
///         }
///     }
/// }
///
/// impl Object for Shelf {
///     fn len(&self) -> Option<u64> {
///         Some(self.0.len() as u64)
///     }
///     fn has_ranges(&self) -> bool {
///         true
///     }
///     fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
///         let rest = self.0.get(offset as usize..).unwrap_or_default();
///         let n = rest.len().min(out.len());
///         out[..n].copy_from_slice(&rest[..n]);
///         Ok(n)
///     }
///     fn read_from(self: Arc<Self>, offset: u64, _: Option<u64>) -> Box<dyn Read + Send> {
///         Box::new(Cursor::new(self.0.get(offset as usize..).unwrap_or_default()))
///     }
/// }
///
/// assert!(remote::install(Shelf(b"@r\nA\n+\nI\n")));
/// let source = Source::open("s3://bucket/x.fq")?;
/// assert_eq!(source.len(), Some(9));
/// assert_eq!(io::read_to_string(Reader::new(source, &Options::default())?)?, "@r\nA\n+\nI\n");
/// assert!(Source::open("s3://bucket/y.fq").is_err());
/// # Ok::<(), io::Error>(())
/// ```
pub trait Store: Send + Sync {
    /// Opens what is at an address.
    ///
    /// The same address should give the same object as long as the store lives, so that what is opened again is what was
    /// opened first.
    ///
    /// # Errors
    /// If there is none ([`NotFound`](io::ErrorKind::NotFound), [`PermissionDenied`](io::ErrorKind::PermissionDenied)),
    /// or it can't be asked for. Messages don't name the object.
    fn open(&self, address: &str) -> io::Result<Arc<dyn Object>>;
}

/// Stored bytes that are read in ranges, or else as a stream. All that is read of one is of one version.
pub trait Object: Send + Sync {
    /// The length in bytes, where it is known.
    fn len(&self) -> Option<u64>;

    /// Whether it is known to be empty.
    fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// When it was last changed, where that is known.
    fn modified(&self) -> Option<SystemTime> {
        None
    }

    /// Whether any part can be read; if not, only [`read_from`](Object::read_from) 0.
    fn has_ranges(&self) -> bool;

    /// How it was fetched so far, for people: requests, repetitions, bytes.
    fn describe(&self) -> Option<String> {
        None
    }

    /// Reads at `offset` until `out` is full or the object ends; returns how many bytes that are.
    ///
    /// # Errors
    /// If they can't be had, with a message that names the range.
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize>;

    /// What reads on from `offset`, ahead of who uses it. `end` is where that will stop, if it is known: bytes behind it
    /// needn't be fetched, but are read if they are asked for.
    fn read_from(self: Arc<Self>, offset: u64, end: Option<u64>) -> Box<dyn Read + Send>;
}

static STORE: OnceLock<Box<dyn Store>> = OnceLock::new();

/// Installs what opens addresses in this process. The first one stays; false if there was one.
pub fn install(store: impl Store + 'static) -> bool {
    STORE.set(Box::new(store)).is_ok()
}

/// Opens the object at an address.
pub(super) fn open(address: &str) -> io::Result<Arc<dyn Object>> {
    match STORE.get() {
        Some(store) => store.open(address),
        None => {
            let format = "URLs";
            let kind = ErrorKind::NotInBuild { format, feature: "remote" };
            Err(Error::new(kind, Location::in_input(&shown(address).into())).into())
        }
    }
}

/// An error if outputs can't be written there: at an address.
pub(crate) fn check_writable(path: &Path) -> io::Result<()> {
    match address(path) {
        Some(_) => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "outputs can't be written to a URL; write a file and upload it",
        )),
        None => Ok(()),
    }
}

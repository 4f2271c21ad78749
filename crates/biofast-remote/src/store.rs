//! The objects of a process, each opened once.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::remote::{Object, Store};

use crate::client::Client;
use crate::disk::Disk;
use crate::object::Opened;
use crate::place::ObjectAddress;
use crate::settings::Settings;

/// Opens addresses. What is opened again is the object that was opened first, of the same version, as long as this lives.
///
/// ```
/// use biofast_io::remote::Store;
/// use biofast_remote::{Remote, Settings};
///
/// let store = Remote::new(Settings::default())?;
/// let error = store.open("ftp://example.org/x.bam").err().expect("not read");
/// assert!(error.to_string().contains("https://"), "{error}");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Remote {
    client: Arc<Client>,
    slots: Mutex<HashMap<String, Arc<Mutex<Slot>>>>,
}

/// What is known of an address.
enum Slot {
    Unasked,
    There(Arc<Opened>),
    /// There is none, or it may not be read.
    Missing(io::ErrorKind, String),
}

impl Remote {
    /// Nothing is opened yet, and no connection made.
    ///
    /// # Errors
    /// If the [cache](Settings::cache) can't be used.
    pub fn new(settings: Settings) -> io::Result<Remote> {
        let disk = match &settings.cache {
            Some(folder) => Some(Disk::open(folder, settings.cache_size).map_err(|error| {
                let folder = biofast_io::display_name(folder);
                io::Error::new(error.kind(), format!("can't use {folder} as a cache: {error}"))
            })?),
            None => None,
        };
        Ok(Remote { client: Arc::new(Client::new(settings, disk)), slots: Mutex::default() })
    }
}

impl Store for Remote {
    fn open(&self, address: &str) -> io::Result<Arc<dyn Object>> {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || Arc::new(Mutex::new(Slot::Unasked));
            Arc::clone(slots.entry(address.to_owned()).or_insert_with(new))
        };
        // Whoever asks for the same address waits for the answer.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Slot::There(object) => return Ok(Arc::clone(object) as Arc<dyn Object>),
            Slot::Missing(kind, why) => return Err(io::Error::new(*kind, why.clone())),
            Slot::Unasked => {}
        }
        let place = ObjectAddress::parse(address)?;
        match Opened::open(place, Arc::clone(&self.client)) {
            Ok(object) => {
                let object = Arc::new(object);
                *slot = Slot::There(Arc::clone(&object));
                Ok(object)
            }
            Err(error) => {
                use io::ErrorKind::{NotFound, PermissionDenied};
                if let kind @ (NotFound | PermissionDenied) = error.kind() {
                    *slot = Slot::Missing(kind, error.to_string());
                }
                Err(error)
            }
        }
    }
}

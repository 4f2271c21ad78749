//! Which files are read, as they are opened: whoever is to write one of them hears of it, whatever named it.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Is told of every path before it is opened for reading.
pub(crate) trait Watcher: Send + Sync {
    /// `path` is about to be read.
    ///
    /// # Errors
    /// Why it must not be.
    fn opening(&self, path: &Path) -> io::Result<()>;
}

static WATCHERS: Mutex<Vec<Weak<dyn Watcher>>> = Mutex::new(Vec::new());

/// From now on `watcher` is told, for as long as it lives.
pub(crate) fn watch(watcher: Weak<dyn Watcher>) {
    let mut watchers = WATCHERS.lock().unwrap_or_else(PoisonError::into_inner);
    watchers.retain(|watcher| watcher.strong_count() > 0);
    watchers.push(watcher);
}

/// Tells all watchers that `path` is about to be read.
///
/// # Errors
/// That of the first one that objects.
pub(crate) fn announce(path: &Path) -> io::Result<()> {
    let watchers: Vec<Arc<dyn Watcher>> = {
        let watchers = WATCHERS.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.iter().filter_map(Weak::upgrade).collect()
    };
    watchers.iter().try_for_each(|watcher| watcher.opening(path))
}

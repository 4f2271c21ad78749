//! RocksDB by the few functions of its C API (`rocksdb/c.h`, 7.8) that the comparison needs, of the system's library.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::{self, NonNull};

use anyhow::{Context as _, Result, bail};

use super::{Durability, Peer};

/// Objects of the library, of which only pointers are known here.
type Object = NonNull<c_void>;

#[link(name = "rocksdb")]
// SAFETY: the declarations are those of the library's header `rocksdb/c.h`.
unsafe extern "C" {
    fn rocksdb_options_create() -> Option<Object>;
    fn rocksdb_options_destroy(options: Object);
    fn rocksdb_options_set_create_if_missing(options: Object, yes: c_uchar);
    fn rocksdb_open(
        options: Object,
        name: *const c_char,
        error: *mut *mut c_char,
    ) -> Option<Object>;
    fn rocksdb_close(db: Object);
    fn rocksdb_writeoptions_create() -> Option<Object>;
    fn rocksdb_writeoptions_destroy(options: Object);
    fn rocksdb_writeoptions_set_sync(options: Object, yes: c_uchar);
    fn rocksdb_writeoptions_disable_WAL(options: Object, yes: c_int);
    fn rocksdb_readoptions_create() -> Option<Object>;
    fn rocksdb_readoptions_destroy(options: Object);
    fn rocksdb_writebatch_create() -> Option<Object>;
    fn rocksdb_writebatch_destroy(batch: Object);
    fn rocksdb_writebatch_clear(batch: Object);
    fn rocksdb_writebatch_put(
        batch: Object,
        key: *const c_char,
        key_len: usize,
        value: *const c_char,
        value_len: usize,
    );
    fn rocksdb_write(db: Object, options: Object, batch: Object, error: *mut *mut c_char);
    fn rocksdb_get_pinned(
        db: Object,
        options: Object,
        key: *const c_char,
        key_len: usize,
        error: *mut *mut c_char,
    ) -> Option<Object>;
    fn rocksdb_pinnableslice_value(slice: Object, len: *mut usize) -> *const c_char;
    fn rocksdb_pinnableslice_destroy(slice: Object);
    fn rocksdb_free(memory: *mut c_void);
}

pub(super) struct RocksDb {
    db: Object,
    write: Object,
    read: Object,
    batch: Object,
}

impl RocksDb {
    /// Default options: a write is handed to the system; without its log it is in memory only, with `sync` on disk.
    pub(super) fn create(dir: &Path, durability: Durability) -> Result<Self> {
        let name = CString::new(dir.as_os_str().as_bytes()).context("a path with a zero byte")?;
        let none = "RocksDB gave no object";
        // SAFETY: the functions are called with what the header asks for: objects that were just made, a string
        // that ends with a zero and lives through the call, and a pointer to a null pointer for the error. The
        // options are copied by `rocksdb_open` and destroyed once.
        unsafe {
            let options = rocksdb_options_create().context(none)?;
            rocksdb_options_set_create_if_missing(options, 1);
            let mut error = ptr::null_mut();
            let db = rocksdb_open(options, name.as_ptr(), &raw mut error);
            rocksdb_options_destroy(options);
            check(error)?;
            let db = db.context(none)?;
            let write = rocksdb_writeoptions_create().context(none)?;
            match durability {
                Durability::None => rocksdb_writeoptions_disable_WAL(write, 1),
                Durability::Write => rocksdb_writeoptions_set_sync(write, 0),
                Durability::Sync => rocksdb_writeoptions_set_sync(write, 1),
            }
            let read = rocksdb_readoptions_create().context(none)?;
            let batch = rocksdb_writebatch_create().context(none)?;
            Ok(RocksDb { db, write, read, batch })
        }
    }
}

/// An error message of the library, which is freed.
///
/// # Safety
/// `error` is null or a string that the library allocated, not freed yet.
unsafe fn check(error: *mut c_char) -> Result<()> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: as the caller promises; the string is copied before it is freed.
    let text = unsafe {
        let text = CStr::from_ptr(error).to_string_lossy().into_owned();
        rocksdb_free(error.cast());
        text
    };
    bail!("RocksDB: {text}")
}

impl Peer for RocksDb {
    fn put(&mut self, records: &[(u64, Vec<u8>)]) -> Result<()> {
        let mut error = ptr::null_mut();
        // SAFETY: the objects live as long as `self`; keys and values are copied into the batch during the call,
        // from memory of the lengths given; `error` points to a null pointer.
        unsafe {
            rocksdb_writebatch_clear(self.batch);
            for (key, value) in records {
                let key = key.to_be_bytes();
                let (from, len) = (value.as_ptr().cast(), value.len());
                rocksdb_writebatch_put(self.batch, key.as_ptr().cast(), key.len(), from, len);
            }
            rocksdb_write(self.db, self.write, self.batch, &raw mut error);
            check(error)
        }
    }

    fn get(&self, key: u64, take: &mut dyn FnMut(&[u8])) -> Result<()> {
        let key = key.to_be_bytes();
        let mut error = ptr::null_mut();
        // SAFETY: as in `put`. A slice that comes back is pinned until it is destroyed, which happens behind the
        // last use of its bytes (should `take` panic, it leaks).
        unsafe {
            let from = key.as_ptr().cast();
            let slice = rocksdb_get_pinned(self.db, self.read, from, key.len(), &raw mut error);
            check(error)?;
            let slice = slice.context("no such key")?;
            let mut len = 0;
            let value = rocksdb_pinnableslice_value(slice, &raw mut len);
            if !value.is_null() {
                take(std::slice::from_raw_parts(value.cast(), len));
            }
            rocksdb_pinnableslice_destroy(slice);
        }
        Ok(())
    }
}

impl Drop for RocksDb {
    fn drop(&mut self) {
        // SAFETY: each object was made in `create` and is destroyed once, the database last.
        unsafe {
            rocksdb_writebatch_destroy(self.batch);
            rocksdb_readoptions_destroy(self.read);
            rocksdb_writeoptions_destroy(self.write);
            rocksdb_close(self.db);
        }
    }
}

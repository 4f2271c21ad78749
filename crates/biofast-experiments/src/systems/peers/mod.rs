//! Other embedded stores behind one small interface, each set to the same promises. Entry 048 compares them with
//! ours. redb, fjall and LMDB come with the cargo feature `stores`, RocksDB with `rocksdb`.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::store::{Options, Remap, Store, Writes};

#[cfg(feature = "stores")]
mod fjall;
#[cfg(feature = "stores")]
mod lmdb;
#[cfg(feature = "stores")]
mod redb;
#[cfg(feature = "rocksdb")]
mod rocksdb;

/// What is there after `put` has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// As long as this process lives.
    None,
    /// When this process has been killed, but not the machine.
    Write,
    /// When the machine has lost power.
    Sync,
}

/// A store of values by 64-bit keys.
pub(crate) trait Peer {
    /// Inserts all, by one commit.
    fn put(&mut self, records: &[(u64, Vec<u8>)]) -> Result<()>;

    /// Hands a key's value to `take`, without a copy where the store has a way; an error if there is none.
    fn get(&self, key: u64, take: &mut dyn FnMut(&[u8])) -> Result<()>;
}

/// All names, ours first.
pub(crate) const NAMES: [&str; 5] = ["framed", "redb", "fjall", "lmdb", "rocksdb"];

/// Whether this program was built with a store.
pub(crate) fn is_built(name: &str) -> bool {
    match name {
        "framed" => true,
        "rocksdb" => cfg!(feature = "rocksdb"),
        _ => cfg!(feature = "stores"),
    }
}

/// Whether a store has a setting that promises just this.
pub(crate) fn promises(name: &str, durability: Durability) -> bool {
    match (name, durability) {
        // A commit without a sync is not in the file's tree: as good as nothing once the process is gone.
        ("redb", Durability::Write) => false,
        // The weakest setting still hands each commit's pages to the system.
        ("lmdb", Durability::None) => false,
        _ => true,
    }
}

/// Creates a store in an empty folder.
pub(crate) fn create(name: &str, dir: &Path, durability: Durability) -> Result<Box<dyn Peer>> {
    Ok(match name {
        "framed" => Box::new(Framed::create(dir, durability)?),
        #[cfg(feature = "stores")]
        "redb" => Box::new(redb::Redb::create(dir, durability)?),
        #[cfg(feature = "stores")]
        "fjall" => Box::new(fjall::Fjall::create(dir, durability)?),
        #[cfg(feature = "stores")]
        "lmdb" => Box::new(lmdb::Lmdb::create(dir, durability)?),
        #[cfg(feature = "rocksdb")]
        "rocksdb" => Box::new(rocksdb::RocksDb::create(dir, durability)?),
        other => anyhow::bail!("no store is called {other:?}, or it wasn't built in"),
    })
}

/// Our store: gathered writes; each commit ends with nothing, a write, or a write and a sync.
struct Framed {
    store: Store,
    durability: Durability,
}

impl Framed {
    fn create(dir: &Path, durability: Durability) -> Result<Self> {
        let options = Options { writes: Writes::Gathered, sync_every: 0, remap: Remap::Reserve };
        let (store, _) = Store::open(&dir.join("log"), options)?;
        Ok(Framed { store, durability })
    }
}

impl Peer for Framed {
    fn put(&mut self, records: &[(u64, Vec<u8>)]) -> Result<()> {
        for (key, value) in records {
            self.store.insert(*key, value)?;
        }
        match self.durability {
            Durability::None => {}
            Durability::Write => self.store.flush()?,
            Durability::Sync => self.store.sync()?,
        }
        Ok(())
    }

    fn get(&self, key: u64, take: &mut dyn FnMut(&[u8])) -> Result<()> {
        take(self.store.get(key)?.context("no such key")?);
        Ok(())
    }
}

//! LMDB by heed: a copy-on-write B-tree in a memory map.
#![allow(unsafe_code)]

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use heed::byteorder::BE;
use heed::types::{Bytes, U64};
use heed::{Database, Env, EnvFlags, EnvOpenOptions};

use super::{Durability, Peer};

/// The most a database may grow to; address space only.
const MAP_SIZE: usize = 1 << 30;

pub(super) struct Lmdb {
    env: Env,
    items: Database<U64<BE>, Bytes>,
}

impl Lmdb {
    /// Without a sync, commits hand their pages to the system by `pwrite`.
    pub(super) fn create(dir: &Path, durability: Durability) -> Result<Self> {
        let mut options = EnvOpenOptions::new();
        options.map_size(MAP_SIZE);
        match durability {
            Durability::None => bail!("LMDB has no such setting"),
            // SAFETY: the flag's danger is a database that is broken after a crash of the machine; this one is
            // thrown away by the process that made it.
            Durability::Write => unsafe {
                options.flags(EnvFlags::NO_SYNC);
            },
            Durability::Sync => {}
        }
        // SAFETY: the folder has just been made by the caller, who alone knows it, so nothing else changes the
        // file while it is mapped, and it is opened once in this process.
        let env = unsafe { options.open(dir)? };
        let mut change = env.write_txn()?;
        let items = env.create_database(&mut change, None)?;
        change.commit()?;
        Ok(Lmdb { env, items })
    }
}

impl Peer for Lmdb {
    fn put(&mut self, records: &[(u64, Vec<u8>)]) -> Result<()> {
        let mut change = self.env.write_txn()?;
        for (key, value) in records {
            self.items.put(&mut change, key, value)?;
        }
        Ok(change.commit()?)
    }

    fn get(&self, key: u64, take: &mut dyn FnMut(&[u8])) -> Result<()> {
        let view = self.env.read_txn()?;
        take(self.items.get(&view, &key)?.context("no such key")?);
        Ok(())
    }
}

//! fjall: a log-structured merge tree in Rust.

use std::path::Path;

use anyhow::{Context as _, Result};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::{Durability, Peer};

pub(super) struct Fjall {
    // Closed after its keyspace.
    items: Keyspace,
    database: Database,
    mode: Option<PersistMode>,
}

impl Fjall {
    /// The journal is flushed as asked for: not at all, to the system, or synced by fdatasync.
    pub(super) fn create(dir: &Path, durability: Durability) -> Result<Self> {
        let mode = match durability {
            Durability::None => None,
            Durability::Write => Some(PersistMode::Buffer),
            Durability::Sync => Some(PersistMode::SyncData),
        };
        let database = Database::builder(dir).manual_journal_persist(true).open()?;
        let items = database.keyspace("items", KeyspaceCreateOptions::default)?;
        Ok(Fjall { items, database, mode })
    }
}

impl Peer for Fjall {
    fn put(&mut self, records: &[(u64, Vec<u8>)]) -> Result<()> {
        if let [(key, value)] = records {
            self.items.insert(key.to_be_bytes(), &value[..])?;
        } else {
            let mut batch = self.database.batch();
            for (key, value) in records {
                batch.insert(&self.items, key.to_be_bytes(), &value[..]);
            }
            batch.commit()?;
        }
        if let Some(mode) = self.mode {
            self.database.persist(mode)?;
        }
        Ok(())
    }

    fn get(&self, key: u64, take: &mut dyn FnMut(&[u8])) -> Result<()> {
        take(&self.items.get(key.to_be_bytes())?.context("no such key")?);
        Ok(())
    }
}

//! redb: a copy-on-write B-tree in Rust.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use redb::{Database, ReadableDatabase as _, TableDefinition};

use super::{Durability, Peer};

const TABLE: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("items");

pub(super) struct Redb {
    database: Database,
    durability: redb::Durability,
}

impl Redb {
    pub(super) fn create(dir: &Path, durability: Durability) -> Result<Self> {
        let durability = match durability {
            Durability::None => redb::Durability::None,
            Durability::Write => bail!("redb has no such setting"),
            Durability::Sync => redb::Durability::Immediate,
        };
        let mut store = Redb { database: Database::create(dir.join("redb"))?, durability };
        store.put(&[])?;
        Ok(store)
    }
}

impl Peer for Redb {
    fn put(&mut self, records: &[(u64, Vec<u8>)]) -> Result<()> {
        let mut change = self.database.begin_write()?;
        change.set_durability(self.durability)?;
        {
            let mut table = change.open_table(TABLE)?;
            for (key, value) in records {
                table.insert(*key, &value[..])?;
            }
        }
        Ok(change.commit()?)
    }

    fn get(&self, key: u64, take: &mut dyn FnMut(&[u8])) -> Result<()> {
        let view = self.database.begin_read()?;
        let table = view.open_table(TABLE)?;
        take(table.get(key)?.context("no such key")?.value());
        Ok(())
    }
}

//! The two cases that other implementations get wrong; entries 040 and 057 compare all else with what was put.

use std::fs;
use std::path::Path;

use super::*;

/// Its hash is 0, like that of an empty slot.
const ZERO: &[u8] = b"s9nrcue";

fn write(path: &Path, keys: &[Vec<u8>]) {
    let mut writer = Writer::create(path).expect("creates");
    keys.iter().for_each(|key| writer.put(key, key).expect("puts"));
    writer.finish().expect("finishes");
}

#[test]
fn a_key_with_the_hash_of_an_empty_slot_is_kept_beside_others_of_its_table() {
    assert_eq!(hash(ZERO), 0);
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join("zero.cdb");
    // Others of table 0, of which some begin at the same slot, put after it.
    let others = (0u32..200_000).map(|i| format!("k{i}").into_bytes());
    let others = others.filter(|key| hash(key).is_multiple_of(256));
    let keys: Vec<Vec<u8>> = std::iter::once(ZERO.to_vec()).chain(others).collect();
    assert!(keys.len() > 500);
    write(&path, &keys);
    let reader = Reader::open(MapStore::open(&path, true).expect("opens")).expect("reads");
    for key in &keys {
        assert_eq!(reader.get(key, &mut Vec::new()).expect("gets"), Some(&key[..]), "{key:?}");
    }
}

#[test]
fn a_database_cut_anywhere_or_not_finished_is_an_error() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join("whole.cdb");
    write(&path, &[b"a".to_vec(), b"b".to_vec(), b"c".to_vec()]);
    let whole = fs::read(&path).expect("reads");
    let cut = dir.path().join("cut.cdb");
    let get = || -> anyhow::Result<()> {
        let reader = Reader::open(PreadStore::open(&cut)?)?;
        for key in [b"a", b"b", b"c"] {
            reader.get(key, &mut Vec::new())?;
        }
        Ok(())
    };
    for len in 0..whole.len() {
        fs::write(&cut, &whole[..len]).expect("writes");
        assert!(get().is_err(), "{len} of {} bytes", whole.len());
    }
    // The front is written last.
    fs::write(&cut, [&[0; HEADER][..], &whole[HEADER..]].concat()).expect("writes");
    assert!(get().is_err(), "unfinished");
}

//! What a store promises, case by case; `crash.rs` tries faults by the thousand.

use std::fs;

use super::*;
use crate::systems::store::Remap;

fn options(writes: Writes, sync_every: u32, remap: Remap) -> Options {
    Options { writes, sync_every, remap }
}

fn open(path: &Path, options: Options) -> (Store, Recovered) {
    Store::open(path, options).expect("opens")
}

const ALL_WRITES: [Writes; 3] = [Writes::Three, Writes::One, Writes::Gathered];
const REMAPS: [Remap; 4] = [Remap::Every(1), Remap::Every(4096), Remap::Extend, Remap::Reserve];

#[test]
fn values_are_read_back_under_all_options_and_after_reopening() {
    let dir = tempfile::tempdir().expect("directory");
    let mut files = Vec::new();
    for writes in ALL_WRITES {
        for remap in REMAPS {
            let path = dir.path().join(format!("{}", files.len()));
            let options = options(writes, 0, remap);
            let (mut store, found) = open(&path, options);
            assert_eq!(found, Recovered { records: 0, dropped: 0, clean: true });
            for key in 0..500u64 {
                store.insert(key, &[key as u8; 100][..key as usize % 100]).expect("inserts");
                let back = store.get(key / 2).expect("good").map(<[u8]>::len);
                assert_eq!(back, Some(key as usize / 2 % 100), "{writes:?} {remap:?}");
            }
            store.insert(7, b"updated").expect("updates");
            assert!(store.remove(8).expect("removes"));
            assert!(!store.remove(8).expect("not there"));
            store.close().expect("closes");
            let (store, found) = open(&path, options);
            assert_eq!(found, Recovered { records: 503, dropped: 0, clean: true });
            assert_eq!(store.get(7).expect("good"), Some(&b"updated"[..]));
            assert_eq!(store.get(8).expect("good"), None);
            assert_eq!((store.len(), store.keys().count()), (499, 499));
            drop(store);
            files.push(fs::read(&path).expect("file")[START..].to_vec());
        }
    }
    // Salts, and so checksums, differ; everything else is the same however it got there.
    assert!(files.iter().all(|file| file.len() == files[0].len()));
}

#[test]
fn counters_are_what_the_options_say() {
    let dir = tempfile::tempdir().expect("directory");
    let count = |writes, sync_every, remap, n: u64| {
        let path = dir.path().join("counted");
        let _ = fs::remove_file(&path);
        let (mut store, _) = open(&path, options(writes, sync_every, remap));
        let before = store.counters();
        (0..n).for_each(|key| store.insert(key, &[1; 71]).expect("inserts"));
        let now = store.counters();
        (now.writes - before.writes, now.syncs - before.syncs, now.remaps - before.remaps)
    };
    let never = Remap::Every(u64::MAX);
    assert_eq!(count(Writes::Three, 0, never, 1000), (3000, 0, 0));
    assert_eq!(count(Writes::One, 0, Remap::Every(1), 1000), (1000, 0, 1000));
    assert_eq!(count(Writes::One, 1, never, 50), (50, 50, 0));
    assert_eq!(count(Writes::Gathered, 100, never, 1000), (10, 10, 0));
    // 100 bytes a record.
    assert_eq!(count(Writes::Gathered, 0, never, 10_000), (3, 0, 0));
    assert_eq!(count(Writes::Gathered, 0, Remap::Every(10_000), 1000), (10, 0, 10));
    assert_eq!(count(Writes::One, 0, Remap::Reserve, 10_000), (10_000, 0, 0));
}

#[test]
fn an_older_log_behind_the_end_is_not_brought_back() {
    let dir = tempfile::tempdir().expect("directory");
    let path = dir.path().join("log");
    let fast = options(Writes::One, 0, Remap::Reserve);
    let (mut store, _) = open(&path, fast);
    (0..20).for_each(|key| store.insert(key, b"old").expect("inserts"));
    drop(store);
    let mut bytes = fs::read(&path).expect("file");
    let record = HEAD + 3;
    // Record 11 is torn; 12 to 20 are good, were never known to be durable, and must not come back.
    bytes[START + 10 * record + 5] ^= 1;
    fs::write(&path, &bytes).expect("writes");
    let (mut store, found) = open(&path, fast);
    let dropped = 10 * record as u64;
    assert_eq!(found, Recovered { records: 10, dropped, clean: false });
    store.insert(100, b"new").expect("inserts");
    drop(store);
    let (store, found) = open(&path, fast);
    assert_eq!((store.len(), found.records, found.dropped), (11, 11, 0));
}

#[test]
fn damage_to_durable_records_is_an_error_and_can_be_salvaged() {
    let dir = tempfile::tempdir().expect("directory");
    let path = dir.path().join("log");
    let (mut store, _) = open(&path, Options::default());
    (0..20).for_each(|key| store.insert(key, b"value").expect("inserts"));
    drop(store);
    let mut bytes = fs::read(&path).expect("file");
    let at = START + 10 * (HEAD + 5);
    bytes[at + 30] ^= 1;
    fs::write(&path, &bytes).expect("writes");
    let error = Store::open(&path, Options::default()).err().expect("damaged");
    assert!(matches!(error, Error::Damaged { at: a, record: 11 } if a == at as u64), "{error}");
    assert_eq!(fs::read(&path).expect("file"), bytes, "nothing was cut off");
    let (store, found) = Store::salvage(&path, Options::default()).expect("salvages");
    assert_eq!((store.len(), found.records, found.clean), (10, 10, false));
}

#[test]
fn damage_under_an_open_store_is_noticed_by_get() {
    let dir = tempfile::tempdir().expect("directory");
    let path = dir.path().join("log");
    let (mut store, _) = open(&path, options(Writes::One, 0, Remap::Every(1)));
    store.insert(1, b"value").expect("inserts");
    let file = OpenOptions::new().write(true).open(&path).expect("file");
    file.write_all_at(b"x", (START + HEAD + 1) as u64).expect("writes");
    assert!(matches!(store.get(1), Err(Error::Damaged { .. })));
}

#[test]
fn a_store_is_open_once_and_other_files_are_left_alone() {
    let dir = tempfile::tempdir().expect("directory");
    let path = dir.path().join("log");
    let (store, _) = open(&path, Options::default());
    assert!(matches!(Store::open(&path, Options::default()), Err(Error::InUse)));
    drop(store);
    for text in ["short", "some text that is no store at all"] {
        fs::write(&path, text).expect("writes");
        assert!(matches!(Store::open(&path, Options::default()), Err(Error::NotAStore)));
        assert_eq!(fs::read_to_string(&path).expect("file"), text);
    }
}

#[test]
fn a_log_inside_a_value_is_not_taken_for_records() {
    let dir = tempfile::tempdir().expect("directory");
    let (inner, outer) = (dir.path().join("inner"), dir.path().join("outer"));
    let (mut store, _) = open(&inner, Options::default());
    (0..9).for_each(|key| store.insert(key, b"inner").expect("inserts"));
    store.close().expect("closes");
    let log = fs::read(&inner).expect("file");
    let (mut store, _) = open(&outer, options(Writes::One, 0, Remap::Reserve));
    store.insert(1, b"kept").expect("inserts");
    store.insert(2, &log).expect("inserts");
    drop(store);
    // The record around the inner log is torn: its last byte is missing.
    let bytes = fs::read(&outer).expect("file");
    fs::write(&outer, &bytes[..bytes.len() - 1]).expect("writes");
    let (store, found) = open(&outer, Options::default());
    assert_eq!((found.records, store.len()), (1, 1));
}

#[test]
fn rewinding_leaves_the_former_state() {
    let dir = tempfile::tempdir().expect("directory");
    let path = dir.path().join("log");
    let fast = options(Writes::Gathered, 0, Remap::Every(100));
    let (mut store, _) = open(&path, fast);
    (0..50).for_each(|key| store.insert(key, b"first").expect("inserts"));
    let bytes = store.bytes();
    for remap in REMAPS {
        (100..130).for_each(|key| store.insert(key, b"second").expect("inserts"));
        let keys: Vec<u64> = (100..130).collect();
        store.rewind(bytes, &keys, options(Writes::One, 0, remap)).expect("rewinds");
        assert_eq!((store.len(), store.bytes()), (50, bytes));
        assert_eq!(store.get(100).expect("good"), None);
        assert_eq!(store.get(49).expect("good"), Some(&b"first"[..]));
    }
    store.close().expect("closes");
    assert_eq!(open(&path, fast).1, Recovered { records: 51, dropped: 0, clean: true });
}

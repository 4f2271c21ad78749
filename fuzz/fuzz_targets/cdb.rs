//! CDB64: any bytes are a database or an error, the map and `pread` say the same, and what was put is found.
#![no_main]

// Of the laboratory, which has far too many dependencies to build it for this.
#[allow(dead_code, unreachable_pub, unused_imports)]
#[path = "../../crates/biofast-experiments/src/systems/cdb64/mod.rs"]
mod cdb64;

use std::collections::HashMap;
use std::path::Path;

use biofast_fuzz::{bounded, folder};
use cdb64::{MapStore, PreadStore, Reader, Store, Writer};
use libfuzzer_sys::fuzz_target;

/// What a database says of each key; none if it can't be opened.
fn answers<S: Store>(
    store: S,
    keys: &[&[u8]],
) -> Result<Vec<Result<Option<Vec<u8>>, String>>, String> {
    let reader = Reader::open(store).map_err(|error| error.to_string())?;
    let mut buffer = Vec::new();
    let mut get = |key: &&[u8]| match reader.get(key, &mut buffer) {
        Ok(value) => Ok(value.map(<[u8]>::to_vec)),
        Err(error) => Err(error.to_string()),
    };
    Ok(keys.iter().map(&mut get).collect())
}

fn ask(path: &Path, len: usize, keys: &[&[u8]]) -> Option<Vec<Result<Option<Vec<u8>>, String>>> {
    let mapped = MapStore::open(path, false).map(|store| bounded(len, || answers(store, keys)));
    let read = bounded(len, || answers(PreadStore::open(path).expect("it was written"), keys));
    if let Ok(mapped) = mapped {
        assert_eq!(mapped, read, "the map and pread disagree");
    }
    read.ok()
}

/// A database of pairs that the bytes tell, and all the keys.
fn write(path: &Path, bytes: &[u8]) -> HashMap<Vec<u8>, Vec<u8>> {
    let mut all = HashMap::new();
    let mut writer = Writer::create(path).expect("a file");
    let mut rest = bytes;
    while let Some((&[lengths], after)) = rest.split_first_chunk::<1>() {
        let key_len = usize::from(lengths & 7).min(after.len());
        let (key, after) = after.split_at(key_len);
        let (value, after) = after.split_at(usize::from(lengths >> 3).min(after.len()));
        writer.put(key, value).expect("room");
        // Of several the first is found.
        all.entry(key.to_vec()).or_insert_with(|| value.to_vec());
        rest = after;
    }
    writer.finish().expect("room");
    all
}

fuzz_target!(|data: &[u8]| {
    let Some((&[how, a, b, value], bytes)) = data.split_first_chunk::<4>() else { return };
    let path = folder().join("x.cdb");
    if how & 1 == 0 {
        // Few inputs have 4,096 good bytes at the front: all tables are one that is told here.
        let mut file = Vec::new();
        if how & 2 == 0 {
            let at = 4096 + u64::from(a);
            (0..256).for_each(|_| {
                file.extend(at.to_le_bytes());
                file.extend(u64::from(b).to_le_bytes());
            });
        }
        file.extend(bytes);
        std::fs::write(&path, &file).expect("a file");
        let end = &bytes[bytes.len().saturating_sub(usize::from(value & 7))..];
        ask(&path, file.len(), &[b"", b"a", b"key", end, bytes]);
        return;
    }
    let all = write(&path, bytes);
    let keys: Vec<&[u8]> = all.keys().map(Vec::as_slice).chain([&b"never put"[..]]).collect();
    let found = ask(&path, data.len(), &keys).expect("what was written opens");
    for (key, found) in keys.iter().zip(found) {
        assert_eq!(found.as_ref(), Ok(&all.get(*key).cloned()), "{key:?}");
    }
    // Damaged: still an answer or an error.
    let mut file = std::fs::read(&path).expect("it was written");
    let at = usize::from(u16::from_le_bytes([a, b])) * 7 % file.len();
    file[at] ^= value | 1;
    std::fs::write(&path, &file).expect("a file");
    ask(&path, file.len(), &keys);
});

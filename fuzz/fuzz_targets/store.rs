//! The append-only store: any bytes are a store or an error; what is put is found, now and when opened again; and of a
//! damaged log a former state is found, or an error, never anything else.
#![no_main]

// Of the laboratory, which has far too many dependencies to build it for this.
#[allow(dead_code, unreachable_pub, unused_imports)]
#[path = "../../crates/biofast-experiments/src/rng.rs"]
mod rng;
#[allow(dead_code, unreachable_pub, unused_imports)]
#[path = "../../crates/biofast-experiments/src/systems/store/mod.rs"]
mod store;

use std::collections::BTreeMap;

use biofast_fuzz::{bounded, folder};
use libfuzzer_sys::fuzz_target;
use store::{Options, Remap, Store, Writes};

type Pairs = BTreeMap<u64, Vec<u8>>;

/// All there is in a store. Every value its index names must be good.
fn pairs(store: &Store) -> Pairs {
    let value = |key| store.get(key).expect("the log was read").expect("the index has it").to_vec();
    store.keys().map(|key| (key, value(key))).collect()
}

fuzz_target!(|data: &[u8]| {
    let Some((&[how, at, shift, xor], bytes)) = data.split_first_chunk::<4>() else { return };
    let path = folder().join("x.log");
    let remap = [Remap::Every(1), Remap::Every(300), Remap::Extend, Remap::Reserve];
    let writes = [Writes::One, Writes::Three, Writes::Gathered, Writes::Gathered];
    let options = Options {
        writes: writes[usize::from(how >> 3) & 3],
        sync_every: u32::from(how >> 5),
        remap: remap[usize::from(how >> 1) & 3],
    };
    if how & 1 == 0 {
        std::fs::write(&path, bytes).expect("a file");
        let opened = bounded(data.len(), || Store::open(&path, options));
        if let Ok((store, found)) = opened {
            let before = pairs(&store);
            store.close().expect("room");
            let (store, again) = Store::open(&path, options).expect("it was closed");
            assert!(again.clean && again.dropped == 0 && again.records >= found.records);
            assert_eq!(pairs(&store), before);
        }
        return;
    }
    let _ = std::fs::remove_file(&path);
    let (mut store, _) = Store::open(&path, options).expect("a new store");
    let mut now = Pairs::new();
    let mut states = vec![now.clone()];
    let mut rest = bytes;
    while let Some((&[what, key], after)) = rest.split_first_chunk::<2>() {
        let (value, after) = after.split_at(usize::from(what >> 1).min(after.len()));
        rest = after;
        let key = u64::from(key & 15);
        let changed = if what & 1 == 0 {
            store.insert(key, value).expect("room");
            now.insert(key, value.to_vec());
            true
        } else {
            let there = store.remove(key).expect("room");
            assert_eq!(there, now.remove(&key).is_some());
            there
        };
        assert_eq!(store.get(key).expect("just written"), now.get(&key).map(Vec::as_slice));
        if changed {
            states.push(now.clone());
        }
        if states.len() > 200 {
            break;
        }
    }
    assert_eq!(pairs(&store), now);
    store.close().expect("room");
    let (store, found) = Store::open(&path, options).expect("it was closed");
    // A store that nothing was written to gets no mark.
    assert!(found.dropped == 0 && (found.clean || states.len() == 1));
    assert_eq!(pairs(&store), now);
    drop(store);
    // A byte is damaged, or the end is lost.
    let mut file = std::fs::read(&path).expect("it was written");
    let place = (usize::from(at) << (shift & 7)) % file.len();
    if xor == 0 {
        file.truncate(place);
    } else {
        file[place] ^= xor;
    }
    std::fs::write(&path, &file).expect("a file");
    if let Ok((store, _)) = Store::open(&path, options) {
        let left = pairs(&store);
        assert!(states.contains(&left), "{left:?} was never the state");
    }
});

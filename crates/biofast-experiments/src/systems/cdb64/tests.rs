//! What a database must keep, and what another implementation makes of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::*;

/// Its hash is 0, like that of an empty slot.
const ZERO: &[u8] = b"s9nrcue";

fn get(path: &Path, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let mapped = Reader::open(MapStore::open(path, true)?)?;
    let pread = Reader::open(PreadStore::open(path)?)?;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let found = mapped.get(key, &mut a)?;
    assert_eq!(found, pread.get(key, &mut b)?, "map and pread differ");
    Ok(found.map(<[u8]>::to_vec))
}

fn write(path: &Path, records: &[(Vec<u8>, Vec<u8>)]) {
    let mut writer = Writer::create(path).expect("creates");
    for (key, value) in records {
        writer.put(key, value).expect("puts");
    }
    writer.finish().expect("finishes");
}

/// Keys and values of many lengths, the key with hash 0 among them.
fn records(n: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let one = |i: usize| (format!("key {i}").into_bytes(), vec![i as u8; i * 7 % 500]);
    let zero = (ZERO.to_vec(), b"zero".to_vec());
    std::iter::once((Vec::new(), b"of the empty key".to_vec()))
        .chain(std::iter::once(zero))
        .chain((0..n).map(one))
        .collect()
}

#[test]
fn what_was_put_is_found_and_nothing_else() {
    let dir = tempfile::tempdir().expect("temporary directory");
    for n in [0, 1, 20, 5000] {
        let path = dir.path().join(format!("{n}.cdb"));
        let records = records(n);
        write(&path, &records);
        let mut buffer = Vec::new();
        let mapped = Reader::open(MapStore::open(&path, false).expect("opens")).expect("reads");
        let pread = Reader::open(PreadStore::open(&path).expect("opens")).expect("reads");
        for (key, value) in &records {
            assert_eq!(mapped.get(key, &mut buffer).expect("gets"), Some(&value[..]), "{key:?}");
            assert_eq!(pread.get(key, &mut buffer).expect("gets"), Some(&value[..]), "{key:?}");
        }
        for i in 0..2000 {
            let key = format!("no key {i}");
            assert_eq!(mapped.get(key.as_bytes(), &mut buffer).expect("gets"), None);
            assert_eq!(pread.get(key.as_bytes(), &mut buffer).expect("gets"), None);
        }
    }
}

#[test]
fn a_key_with_the_hash_of_an_empty_slot_is_kept_beside_others_of_its_table() {
    assert_eq!(hash(ZERO), 0);
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join("zero.cdb");
    // Others of table 0, of which some begin at the same slot, put after it.
    let others: Vec<Vec<u8>> = (0u32..200_000)
        .map(|i| format!("k{i}").into_bytes())
        .filter(|key| hash(key).is_multiple_of(256))
        .collect();
    assert!(others.len() > 500);
    let records: Vec<_> = std::iter::once(ZERO.to_vec())
        .chain(others)
        .map(|key| (key.clone(), [b"value of ", &key[..]].concat()))
        .collect();
    write(&path, &records);
    for (key, value) in &records {
        assert_eq!(get(&path, key).expect("gets").as_ref(), Some(value), "{key:?}");
    }
}

#[test]
fn the_first_of_several_values_is_found() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join("twice.cdb");
    let record = |value: &[u8]| (b"key".to_vec(), value.to_vec());
    write(&path, &[record(b"first"), record(b"second")]);
    assert_eq!(get(&path, b"key").expect("gets").as_deref(), Some(&b"first"[..]));
}

#[test]
fn a_database_cut_anywhere_is_an_error() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join("whole.cdb");
    write(&path, &records(3));
    let whole = fs::read(&path).expect("reads");
    let cut = dir.path().join("cut.cdb");
    for len in (0..whole.len()).rev() {
        fs::write(&cut, &whole[..len]).expect("writes");
        assert!(get(&cut, b"key 1").is_err(), "{len} of {} bytes", whole.len());
    }
}

#[test]
fn bytes_turned_over_never_panic_nor_loop() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join("whole.cdb");
    write(&path, &records(3));
    let whole = fs::read(&path).expect("reads");
    let bad = dir.path().join("bad.cdb");
    for at in (0..whole.len()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        fs::write(&bad, &bytes).expect("writes");
        let _ = get(&bad, b"key 1");
        let _ = get(&bad, b"absent");
    }
}

/// What the test below runs in a process of its own, which ends without closing anything.
#[test]
#[ignore = "is started by the test below"]
fn killed_writer_child() {
    let path = std::env::var_os("BIOFAST_TEST_CDB").expect("BIOFAST_TEST_CDB names a file");
    let mut writer = Writer::create(Path::new(&path)).expect("creates");
    for i in 0..100_000u32 {
        writer.put(&i.to_le_bytes(), b"a value").expect("puts");
    }
    std::process::abort();
}

#[test]
fn a_writer_killed_before_the_end_leaves_no_database() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join("killed.cdb");
    let status = Command::new(std::env::current_exe().expect("own path"))
        .args(["--ignored", "--exact", "systems::cdb64::tests::killed_writer_child"])
        .env("BIOFAST_TEST_CDB", &path)
        .output()
        .expect("runs")
        .status;
    assert!(!status.success());
    assert!(!path.exists());
    let part = dir.path().join("killed.cdb.part");
    assert!(fs::metadata(&part).expect("was begun").len() > 1 << 20);
    let error = get(&part, &7u32.to_le_bytes()).expect_err("unfinished");
    assert!(matches!(error, Error::Unfinished), "{error}");
}

/// Runs Python with the package.
fn python(script: &str, args: &[&Path]) -> String {
    let out = Command::new("python3").arg("-c").arg(script).args(args).output();
    let out = out.expect("python3 is not installed");
    // Without pure-cdb it says that there is no module cdblib.
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("text")
}

#[test]
#[ignore = "needs pure-cdb of Python"]
fn pure_cdb_reads_our_files() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join("ours.cdb");
    let records = records(3000);
    write(&path, &records);
    let script = "import sys, cdblib\n\
        r = cdblib.Reader64.from_file_path(sys.argv[1])\n\
        for k in r.iterkeys(): print(k.hex(), (r.get(k) or b'missing').hex())\n\
        print(len(r), r.get(b'absent'))";
    let out = python(script, &[&path]);
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let mut expected: String =
        records.iter().map(|(k, v)| format!("{} {}\n", hex(k), hex(v))).collect();
    expected.push_str(&format!("{} None\n", records.len()));
    // An empty value is also falsy there.
    assert_eq!(out, expected.replace(" \n", &format!(" {}\n", hex(b"missing"))));
}

#[test]
#[ignore = "needs pure-cdb of Python"]
fn we_read_files_of_pure_cdb() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let theirs = dir.path().join("theirs.cdb");
    let script = "import sys, cdblib\n\
        with open(sys.argv[1], 'wb') as f, cdblib.Writer64(f) as w:\n\
        \x20 for i in range(3000): w.put(b'key %d' % i, b'%d' % (i * i))\n\
        f = open(sys.argv[2], 'wb'); w = cdblib.Writer64(f); w.put(b'a', b'b'); f.close()\n\
        with open(sys.argv[3], 'wb') as f, cdblib.Writer64(f) as w: pass";
    let (killed, empty) = (dir.path().join("killed.cdb"), dir.path().join("empty.cdb"));
    python(script, &[&theirs, &killed, &empty]);
    let found: BTreeMap<u64, Vec<u8>> = (0..3000)
        .filter_map(|i| Some((i, get(&theirs, format!("key {i}").as_bytes()).expect("gets")?)))
        .collect();
    assert_eq!(found.len(), 3000);
    assert!(found.iter().all(|(i, value)| *value == (i * i).to_string().into_bytes()));
    assert!(get(&theirs, b"key 3000").expect("gets").is_none());
    // There, what isn't finished reads as an empty database.
    assert!(matches!(get(&killed, b"a"), Err(Error::Unfinished)));
    assert!(get(&empty, b"a").expect("gets").is_none());
}

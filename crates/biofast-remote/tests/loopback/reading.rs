//! What is read is what is there, however it is asked for.

use super::*;

#[test]
fn objects_of_all_lengths_are_read_whole_and_from_any_place() {
    const BLOCK: usize = 64 << 10;
    let content = bytes(23_000_000);
    let server = Server::start();
    let store = Remote::new(settings()).unwrap();
    for len in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 11 * BLOCK + 7, 23_000_000] {
        let object = store.open(&server.put(&format!("{len}"), &content[..len])).unwrap();
        assert_eq!(object.len(), Some(len as u64));
        assert!(object.has_ranges() && (len == 0 || object.modified().is_some()));
        for offset in [0, 1, len / 2, len.saturating_sub(1), len, len + 1] {
            let expected = content[..len].get(offset..).unwrap_or_default();
            assert!(read(&object, offset as u64).unwrap() == expected, "{len} from {offset}");
        }
        let mut random = Random(3);
        for _ in 0..50 {
            let offset = random.below(len + 10);
            let mut out = vec![0; random.below(300_000)];
            let n = object.read_at(&mut out, offset as u64).unwrap();
            let expected = content[..len].get(offset..).unwrap_or_default();
            assert_eq!(n, expected.len().min(out.len()));
            assert!(out[..n] == expected[..n]);
        }
    }
}

#[test]
fn servers_without_ranges_or_lengths_are_streamed() {
    let content = bytes(3_000_000);
    for (ranges, length) in [(false, true), (false, false)] {
        let manner = Manner { ranges, length, ..Manner::default() };
        let (server, object) = opened(&content, manner, none());
        let object = object.unwrap();
        assert_eq!((object.len(), object.has_ranges()), (length.then_some(3_000_000), false));
        assert!(read(&object, 0).unwrap() == content);
        assert_eq!(server.requests().len(), 1);
        // Once more, which asks once more.
        assert!(read(&object, 0).unwrap() == content);
        assert_eq!(server.requests().len(), 2);
    }
    // What is small is kept.
    let manner = Manner { ranges: false, ..Manner::default() };
    let (server, object) = opened(&content[..5_000], manner, none());
    let object = object.unwrap();
    assert!(object.has_ranges());
    assert!(read(&object, 4_000).unwrap() == content[4_000..5_000]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn redirects_are_followed_and_chunked_ranges_are_read() {
    let content = bytes(1_000_000);
    for fault in [Fault::Redirect, Fault::Chunked, Fault::Slow(2)] {
        let plan = fault.clone();
        let (_server, object) =
            opened(&content, Manner::default(), Box::new(move |_| plan.clone()));
        assert!(read(&object.unwrap(), 0).unwrap() == content, "{fault:?}");
    }
}

#[test]
fn little_is_fetched_for_little() {
    let content = bytes(20_000_000);
    let (server, object) = opened(&content, Manner::default(), none());
    let object = object.unwrap();
    let mut start = [0; 1000];
    Arc::clone(&object).read_from(0, None).read_exact(&mut start).unwrap();
    for _ in 0..100 {
        object.read_at(&mut start, 10_000_000).unwrap();
    }
    assert_eq!(server.requests().len(), 2);
    assert_eq!(server.sent(), 2 * (64 << 10));
    // What is known to end is not fetched far beyond.
    let mut part = vec![0; 5_000_000];
    Arc::clone(&object).read_from(1_000_000, Some(6_000_000)).read_exact(&mut part).unwrap();
    assert!(part == content[1_000_000..6_000_000]);
    std::thread::sleep(Duration::from_millis(50));
    assert!(server.sent() < 5_600_000, "{}", server.sent());
}

#[test]
fn what_is_opened_again_is_the_same_object() {
    let server = Server::start();
    let store = Remote::new(settings()).unwrap();
    let address = server.put("x", b"abc".to_vec());
    for _ in 0..3 {
        assert_eq!(store.open(&address).unwrap().len(), Some(3));
        assert!(store.open(&server.address("absent")).is_err());
    }
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_password_is_sent_and_not_told() {
    let server = Server::start();
    let address = server.put("x", b"abc".to_vec()).replace("http://", "http://me:secret@");
    Remote::new(settings()).unwrap().open(&address).unwrap();
    let request = server.requests().remove(0);
    assert_eq!(
        request.headers.get("authorization").map(String::as_str),
        Some("Basic bWU6c2VjcmV0")
    );
    let error =
        Remote::new(settings()).unwrap().open(&format!("{address}y?token=secret")).err().unwrap();
    assert!(!error.to_string().contains("secret"), "{error}");
}

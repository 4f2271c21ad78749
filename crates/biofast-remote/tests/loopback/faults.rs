//! Faults are overcome, or are errors that name the bytes.

use super::*;

/// The message of a run in which the first answer is good and all others have the fault.
fn message_of(fault: Fault) -> String {
    let content = bytes(9_000_000);
    let name = format!("{fault:?}");
    let plan: Plan =
        Box::new(move |request| if request.number == 0 { Fault::None } else { fault.clone() });
    let (_server, object) = opened(&content, Manner::default(), plan);
    let object = object.unwrap();
    let mut reader = Arc::clone(&object).read_from(0, None);
    let mut out = Vec::new();
    let error = reader.read_to_end(&mut out).expect_err(&name);
    // What came before is right, and the error stays.
    assert!(out == content[..out.len()], "{name}");
    assert_eq!(reader.read(&mut [0; 10]).expect_err(&name).to_string(), error.to_string());
    let error_at = object.read_at(&mut [0; 10], 5_000_000).expect_err(&name).to_string();
    let block = ["bytes 4980736-", "bytes 4984736-"];
    assert!(block.iter().any(|start| error_at.starts_with(start)), "{error_at}");
    error.to_string()
}

#[test]
fn every_wrong_answer_is_an_error_that_names_the_range() {
    for (fault, why) in [
        (Fault::Short(5), "a different range: 65536-196602"),
        (Fault::Shifted(9), "a different range"),
        (Fault::Changed, "the object changed"),
        (Fault::Grown, "it had 9000000 bytes and now has 9000001"),
        (Fault::NoRange, "now answers with status 200"),
        (Fault::NoContentRange, "no Content-Range"),
        (Fault::Gzip, "Content-Encoding: gzip"),
        (Fault::Page, "web page (text/html)"),
        (Fault::Status(404, ""), "no such object (status 404)"),
        (Fault::Status(403, ""), "access denied (status 403)"),
        (Fault::Status(418, ""), "status 418"),
    ] {
        let message = message_of(fault);
        assert!(message.starts_with("bytes 65536-196607: "), "{message}");
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn what_may_pass_is_tried_again_and_then_an_error_that_names_the_byte() {
    for (fault, start, why) in [
        (Fault::Cut(1000), "bytes 69536-", "the connection was interrupted (4 times in a row)"),
        (Fault::ChunkedCut(1000), "bytes 69536-", "in a row)"),
        (Fault::Silent, "bytes 65536-", "in a row)"),
        (Fault::Status(503, ""), "bytes 65536-", "status 503 (4 times in a row)"),
        (Fault::Status(429, "Retry-After: 0"), "bytes 65536-", "status 429 (4 times in a row)"),
    ] {
        let message = message_of(fault);
        assert!(message.starts_with(start) && message.contains(why), "{message}");
    }
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for_without_end() {
    let plan: Plan =
        Box::new(|request| if request.number == 0 { Fault::None } else { Fault::Stall(10) });
    let server = Server::with(Manner::default(), plan, 0);
    let address = server.put("x", bytes(200_000));
    let object =
        Remote::new(Settings { retries: 1, ..settings() }).unwrap().open(&address).unwrap();
    let started = std::time::Instant::now();
    let message = read(&object, 0).expect_err("silence").to_string();
    assert!(message.contains("no data received for 1 s (2 times in a row)"), "{message}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn passing_faults_are_overcome_and_counted() {
    let content = bytes(30_000_000);
    // Each range fails twice before it comes.
    let plan: Plan = Box::new(|request| match request.number % 3 {
        0 => Fault::Cut(30_000),
        1 => Fault::Status(500, ""),
        _ => Fault::None,
    });
    let server = Server::with(Manner::default(), plan, 0);
    let address = server.put("x", &content[..]);
    let object =
        Remote::new(Settings { retries: 50, ..settings() }).unwrap().open(&address).unwrap();
    assert!(read(&object, 0).unwrap() == content);
    let told = object.describe().unwrap();
    assert!(!told.contains(", 0 retried") && told.contains("same ETag"), "{told}");
}

#[test]
fn a_stream_that_is_cut_is_an_error_that_names_the_byte() {
    for (length, fault) in [(true, Fault::Cut(2_000_000)), (false, Fault::ChunkedCut(2_000_000))] {
        let manner = Manner { ranges: false, length, ..Manner::default() };
        let content = bytes(3_000_000);
        let (_server, object) = opened(&content, manner, Box::new(move |_| fault.clone()));
        let message = read(&object.unwrap(), 0).expect_err("cut").to_string();
        assert!(
            message.starts_with("byte 2000000: ") && message.contains("range requests"),
            "{message}"
        );
    }
}

#[test]
fn what_cannot_be_opened_says_why() {
    let message = |fault: Fault| {
        let (_server, object) = opened(b"abc", Manner::default(), Box::new(move |_| fault.clone()));
        object.err().unwrap().to_string()
    };
    assert!(message(Fault::Page).contains("bytes 0-65535: the server sent a web page"));
    assert!(message(Fault::Status(500, "")).contains("status 500 (4 times in a row)"));
    assert!(message(Fault::Gzip).contains("Content-Encoding: gzip"));
    let absent = Server::start().address("absent");
    let error = Remote::new(settings()).unwrap().open(&absent).err().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    // Nobody listens there: said at once.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = Remote::new(Settings::default())
        .unwrap()
        .open(&format!("http://{closed}/x"))
        .err()
        .unwrap();
    assert!(error.to_string().contains("refused"), "{error}");
}

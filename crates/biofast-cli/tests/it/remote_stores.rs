//! Buckets: the requests that go to stores.

use biofast_testkit::http::Server;

use crate::common::remote_stores::run;
use crate::common::{Run, assert_error, command, finish, reads};

/// The head of the first request that comes, which is answered with an object.
fn asked(
    args: &[&str],
    variables: &[(&str, &str)],
    object: &str,
) -> (Run, biofast_testkit::http::Request) {
    let server = Server::start();
    server.put(object, reads("r", 10));
    let endpoint = server.address("").trim_end_matches('/').to_owned();
    let variables: Vec<(&str, &str)> = variables
        .iter()
        .map(|(name, value)| (*name, if *value == "ENDPOINT" { endpoint.as_str() } else { *value }))
        .collect();
    let run = run(args, &variables);
    let request = server.requests().remove(0);
    (run, request)
}

#[test]
fn google_and_azure_are_asked_as_they_want_to_be() {
    let (run, request) = asked(
        &["stats", "--json", "gs://bucket/a b.fq"],
        &[("STORAGE_EMULATOR_HOST", "ENDPOINT")],
        "bucket/a%20b.fq",
    );
    assert_eq!((run.code, request.path.as_str()), (0, "/bucket/a%20b.fq"), "{run:?}");
    assert!(!request.headers.contains_key("authorization"));
    let azure = ("AZURE_STORAGE_ENDPOINT", "ENDPOINT");
    let key =
        [azure, ("AZURE_STORAGE_ACCOUNT_NAME", "me"), ("AZURE_STORAGE_ACCOUNT_KEY", "aGlkZGVu")];
    let (run, request) = asked(&["stats", "-v", "az://box/x.fq"], &key, "box/x.fq");
    assert_eq!((run.code, request.path.as_str()), (0, "/box/x.fq"), "{run:?}");
    let authorization = request.headers.get("authorization").unwrap();
    assert!(authorization.starts_with("SharedKey me:"), "{authorization}");
    assert!(request.headers.contains_key("x-ms-version"));
    // A shared access signature, in the address or in the environment.
    let (run, request) =
        asked(&["stats", "-v", "az://box/x.fq?sv=1&sig=hidden"], &[azure], "box/x.fq");
    assert_eq!((run.code, request.query.as_str()), (0, "sv=1&sig=hidden"), "{run:?}");
    assert!(!format!("{run:?}").contains("hidden"), "{run:?}");
    let sas = [azure, ("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=hidden")];
    let (run, request) = asked(&["stats", "az://box/x.fq"], &sas, "box/x.fq");
    assert_eq!((run.code, request.query.as_str()), (0, "sv=1&sig=hidden"), "{run:?}");
    let none = finish({
        let mut command = command(&["stats", "az://box/x.fq"]);
        command.env_remove("AZURE_STORAGE_ACCOUNT_NAME").env_remove("AZURE_STORAGE_ACCOUNT");
        command
    });
    assert_error(&none, &["set AZURE_STORAGE_ACCOUNT_NAME"]);
}

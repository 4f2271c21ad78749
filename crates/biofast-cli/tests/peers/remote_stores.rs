//! Objects of a store beside moto, which is an S3 server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use biofast_testkit::container::bgzf;

use crate::common::remote_stores::run;
use crate::common::{Folder, assert_error, biofast, reads};

/// An S3 server that ends with the test.
struct Moto {
    child: Child,
    endpoint: String,
    access: (String, String),
}

impl Moto {
    /// From here on every request must have a right signature.
    fn check_signatures(&self) {
        let mut stream = TcpStream::connect(self.endpoint.trim_start_matches("http://")).unwrap();
        let head = "POST /moto-api/reset-auth HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain";
        write!(stream, "{head}\r\nContent-Length: 1\r\nConnection: close\r\n\r\n0").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Buckets, objects and a user.
const SETUP: &str = r#"
import boto3, sys, json
from botocore.config import Config
endpoint, folder = sys.argv[1:3]
make = lambda name: boto3.client(name, endpoint_url=endpoint, region_name="us-east-1",
    aws_access_key_id="a", aws_secret_access_key="b", config=Config(s3={"addressing_style": "path"}))
s3, iam = make("s3"), make("iam")
s3.create_bucket(Bucket="reads")
put = lambda key, name, **more: s3.put_object(Bucket="reads", Key=key, Body=open(f"{folder}/{name}", "rb").read(), **more)
put("private/r.fq.gz", "r.fq.gz")
put("private/a b+c%20é.fq.gz", "r.fq.gz")
put("public/r.fq.gz", "r.fq.gz", ACL="public-read", ContentEncoding="gzip")
put("private/empty.fq", "empty.fq")
upload = s3.create_multipart_upload(Bucket="reads", Key="private/parts.fq.gz")["UploadId"]
data, parts = open(f"{folder}/large.fq.gz", "rb").read(), []
for number, start in enumerate(range(0, len(data), 5 << 20), 1):
    part = s3.upload_part(Bucket="reads", Key="private/parts.fq.gz", UploadId=upload, PartNumber=number, Body=data[start:start + (5 << 20)])
    parts.append({"PartNumber": number, "ETag": part["ETag"]})
s3.complete_multipart_upload(Bucket="reads", Key="private/parts.fq.gz", UploadId=upload, MultipartUpload={"Parts": parts})
s3.put_bucket_versioning(Bucket="reads", VersioningConfiguration={"Status": "Enabled"})
old = put("private/v.fq", "old.fq")["VersionId"]
put("private/v.fq", "new.fq")
iam.create_user(UserName="me")
policy = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]})
iam.put_user_policy(UserName="me", PolicyName="p", PolicyDocument=policy)
key = iam.create_access_key(UserName="me")["AccessKey"]
print(key["AccessKeyId"], key["SecretAccessKey"], old)
"#;

/// Starts one with the objects of the folder. Returns the older version's name, too.
fn moto(folder: &Folder) -> (Moto, String) {
    let path = std::env::var_os("PATH").unwrap();
    let found =
        std::env::split_paths(&path).map(|dir| dir.join("moto_server")).find(|p| p.is_file());
    let program = found.expect("moto_server is not installed: this test asks it");
    // Its own interpreter has the client, too.
    let program: PathBuf = program.canonicalize().unwrap();
    let python = program.parent().unwrap().join("python3");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let child = Command::new(&program)
        .args(["-H", "127.0.0.1", "-p", &port.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let endpoint = format!("http://127.0.0.1:{port}");
    let mut moto = Moto { child, endpoint, access: Default::default() };
    let started = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(started.elapsed() < Duration::from_secs(60), "moto doesn't start");
        std::thread::sleep(Duration::from_millis(50));
    }
    let setup = Command::new(python)
        .args(["-c", SETUP, &moto.endpoint])
        .arg(folder.path(""))
        .output()
        .unwrap();
    let out = String::from_utf8(setup.stdout).unwrap();
    let words: Vec<&str> = out.split_whitespace().collect();
    let [access, secret, old] = words[..] else {
        panic!("{}", String::from_utf8_lossy(&setup.stderr));
    };
    moto.access = (access.into(), secret.into());
    (moto, old.into())
}

/// What is printed about a local file, as if it were at the address.
fn local(args: &[&str], path: &str, address: &str) -> String {
    let run = biofast(&[args, &[path]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    run.stdout.replace(path, address)
}

#[test]
#[ignore = "needs moto 5.2.5"]
fn s3_with_credentials_of_each_kind_and_without() {
    let folder = Folder::new();
    let r = folder.file("r.fq.gz", bgzf(reads("r", 5_000).as_bytes(), 30_000));
    let large = folder.file("large.fq.gz", bgzf(reads("l", 160_000).as_bytes(), 60_000));
    assert!(std::fs::metadata(&large).unwrap().len() > 1 << 20);
    let empty = folder.file("empty.fq", "");
    let old = folder.file("old.fq", reads("old", 3));
    let new = folder.file("new.fq", reads("new", 4));
    let (moto, version) = moto(&folder);
    let endpoint = ("AWS_ENDPOINT_URL", moto.endpoint.as_str());
    let (id, secret) = (moto.access.0.as_str(), moto.access.1.as_str());
    let by_env = [endpoint, ("AWS_ACCESS_KEY_ID", id), ("AWS_SECRET_ACCESS_KEY", secret)];
    let equal = |address: &str, path: &str, variables: &[(&str, &str)]| {
        for args in [&["stats", "--json"][..], &["check", "--json"]] {
            let run = run(&[args, &[address]].concat(), variables);
            let shown = address
                .split_once("?versionId=")
                .map_or(address.to_owned(), |(a, _)| format!("{a}?…"));
            assert_eq!(
                (run.code, run.stdout.as_str()),
                (0, local(args, path, &shown).as_str()),
                "{run:?}"
            );
        }
    };
    // Without any: what is public, though it is labelled as gzip.
    equal("s3://reads/public/r.fq.gz", &r, &[endpoint]);
    equal(
        "s3://reads/public/r.fq.gz",
        &r,
        &[endpoint, by_env[1], by_env[2], ("AWS_NO_SIGN_REQUEST", "YES")],
    );
    let private = ["stats", "-v", "s3://reads/private/r.fq.gz"];
    assert_error(&run(&private, &[endpoint]), &["s3://reads/private/r.fq.gz: ", "status 403"]);
    moto.check_signatures();
    equal("s3://reads/private/r.fq.gz", &r, &by_env);
    equal("s3://reads/private/a b+c%20é.fq.gz", &r, &by_env);
    equal("s3://reads/private/parts.fq.gz", &large, &by_env);
    equal("s3://reads/private/empty.fq", &empty, &by_env);
    equal("s3://reads/private/v.fq", &new, &by_env);
    equal(&format!("s3://reads/private/v.fq?versionId={version}"), &old, &by_env);
    // By a profile in files.
    let credentials = folder.file(
        "credentials",
        format!("[lab]\naws_access_key_id = {id}\naws_secret_access_key = {secret}\n"),
    );
    let config =
        folder.file("config", format!("[profile lab]\nendpoint_url = {}\n", moto.endpoint));
    let by_profile = [
        ("AWS_PROFILE", "lab"),
        ("AWS_SHARED_CREDENTIALS_FILE", &credentials),
        ("AWS_CONFIG_FILE", &config),
    ];
    equal("s3://reads/private/r.fq.gz", &r, &by_profile);
    let wrong = [endpoint, ("AWS_ACCESS_KEY_ID", id), ("AWS_SECRET_ACCESS_KEY", "hiddenword")];
    let refused = run(&private, &wrong);
    assert_error(&refused, &["status 403"]);
    assert!(!format!("{refused:?}").contains("hiddenword") && !format!("{refused:?}").contains(id));
    assert_error(&run(&["stats", "s3://reads/private/none.fq"], &by_env), &["status 404"]);
    assert_error(&run(&["stats", "s3://reads"], &by_env), &["expected BUCKET/KEY"]);
}

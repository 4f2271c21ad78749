//! Objects in buckets of S3, Google Cloud Storage and Azure Blob Storage, by the interface of HTTP that each has.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use ureq::http::{HeaderMap, HeaderValue, Request, Uri};

use super::config::{self, Profile};
use super::credentials::{Chain, Signer};
use super::invalid::invalid;

/// An object in a bucket.
pub(super) struct Bucket {
    store: Store,
    signer: Mutex<Option<Signer>>,
    /// Whether the machine itself was asked who it is, after who asked without credentials was refused.
    asked_machine: AtomicBool,
}

enum Store {
    S3 {
        bucket: String,
        key: String,
        version: Option<String>,
        /// Where the store is, if that isn't Amazon.
        endpoint: Option<String>,
        region: Mutex<String>,
    },
    Google {
        uri: Uri,
    },
    Azure {
        uri: Uri,
    },
}

impl Bucket {
    fn new(store: Store) -> io::Result<Bucket> {
        let chain = match &store {
            Store::S3 { region, .. } => Chain::Aws(lock(region).clone()),
            Store::Google { .. } => Chain::Google,
            Store::Azure { .. } => Chain::Azure,
        };
        let signer = Signer::of_user(&chain)?;
        Ok(Bucket { store, signer: Mutex::new(signer), asked_machine: AtomicBool::new(false) })
    }

    /// `bucket/key`, with `?versionId=` behind it if one is meant.
    pub(super) fn s3(rest: &str) -> io::Result<Bucket> {
        let (bucket, key) = parts(rest)?;
        let (key, version) = match key.split_once("?versionId=") {
            Some((key, version)) => (key, Some(version.to_owned())),
            None => (key, None),
        };
        let profile = Profile::of_aws();
        let set = |names: &[&str]| names.iter().find_map(|name| config::variable(name));
        let endpoint = set(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]).or(profile.endpoint);
        let region = set(&["AWS_REGION", "AWS_DEFAULT_REGION"]).or(profile.region);
        Bucket::new(Store::S3 {
            bucket: bucket.into(),
            key: encoded_key(key),
            version,
            endpoint: endpoint.map(|endpoint| endpoint.trim_end_matches('/').to_owned()),
            // Where it is otherwise, the answer tells the right one.
            region: Mutex::new(region.unwrap_or_else(|| "us-east-1".into())),
        })
    }

    /// `bucket/key`, with `?generation=` behind it if one is meant.
    pub(super) fn google(rest: &str) -> io::Result<Bucket> {
        let (bucket, key) = parts(rest)?;
        let (key, generation) = match key.split_once("?generation=") {
            Some((key, generation)) => (key, format!("?generation={}", encoded_key(generation))),
            None => (key, String::new()),
        };
        let endpoint = config::variable("STORAGE_EMULATOR_HOST");
        let endpoint = endpoint.unwrap_or_else(|| "https://storage.googleapis.com".into());
        let endpoint = endpoint.trim_end_matches('/');
        let uri = uri(&format!("{endpoint}/{bucket}/{}{generation}", encoded_key(key)))?;
        Bucket::new(Store::Google { uri })
    }

    /// `container/key` of the account in the environment, with the query of a shared access signature behind it if there is
    /// one; or `account.blob.core.windows.net/container/key`.
    pub(super) fn azure(rest: &str) -> io::Result<Bucket> {
        let (first, key) = parts(rest)?;
        let (key, query) = key.split_once('?').map_or((key, ""), |(key, query)| (key, query));
        let account = || {
            ["AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT"]
                .iter()
                .find_map(|name| config::variable(name))
                .ok_or_else(|| {
                    invalid("no storage account: set AZURE_STORAGE_ACCOUNT_NAME, or use az://ACCOUNT.blob.core.windows.net/CONTAINER/KEY")
                })
        };
        let base = match (first.contains(".blob."), config::variable("AZURE_STORAGE_ENDPOINT")) {
            (true, _) => format!("https://{first}"),
            (false, Some(endpoint)) => format!("{}/{first}", endpoint.trim_end_matches('/')),
            (false, None) => format!("https://{}.blob.core.windows.net/{first}", account()?),
        };
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        let has_signature = query.contains("sig=");
        let uri = uri(&format!("{base}/{}{query}", encoded_key(key)))?;
        let store = Store::Azure { uri };
        match has_signature {
            // It is all that is needed.
            true => {
                Ok(Bucket { store, signer: Mutex::default(), asked_machine: AtomicBool::new(true) })
            }
            false => Bucket::new(store),
        }
    }

    /// Puts the address in a request, and signs it, if there are credentials.
    pub(super) fn address(&self, request: &mut Request<()>) -> io::Result<()> {
        match &self.store {
            Store::S3 { .. } => {
                if let Some(payer) = config::variable("AWS_REQUEST_PAYER") {
                    let payer = HeaderValue::from_str(&payer);
                    let payer =
                        payer.map_err(|_| invalid("AWS_REQUEST_PAYER isn't 'requester'"))?;
                    request.headers_mut().insert("x-amz-request-payer", payer);
                }
            }
            Store::Google { .. } => {}
            Store::Azure { .. } => {
                request
                    .headers_mut()
                    .insert("x-ms-version", HeaderValue::from_static("2021-12-02"));
            }
        }
        *request.uri_mut() = self.uri()?;
        match &*lock(&self.signer) {
            Some(signer) => signer.sign(request),
            None => Ok(()),
        }
    }

    /// The address, which isn't signed.
    pub(super) fn uri(&self) -> io::Result<Uri> {
        match &self.store {
            Store::S3 { bucket, key, version, endpoint, region } => {
                let query =
                    version.as_ref().map(|version| format!("?versionId={}", encoded_key(version)));
                let base = s3_base(bucket, endpoint.as_deref(), &lock(region));
                uri(&format!("{base}/{key}{}", query.unwrap_or_default()))
            }
            Store::Google { uri } | Store::Azure { uri } => Ok(uri.clone()),
        }
    }

    /// Whether a refusal tells the bucket's region, or may be overcome by the machine's own credentials.
    pub(super) fn can_ask_otherwise(&self, status: u16, headers: &HeaderMap) -> bool {
        if let Store::S3 { region, endpoint: None, .. } = &self.store
            && let Some(told) =
                headers.get("x-amz-bucket-region").and_then(|told| told.to_str().ok())
            && *lock(region) != told
        {
            *lock(region) = told.to_owned();
            let mut signer = lock(&self.signer);
            if signer.is_some() {
                // With the same credentials; that there are some is known.
                *signer = Signer::of_user(&Chain::Aws(told.to_owned())).ok().flatten();
            }
            return true;
        }
        let refused = matches!(status, 401 | 403 | 409);
        if !refused
            || lock(&self.signer).is_some()
            || self.asked_machine.swap(true, Ordering::Relaxed)
        {
            return false;
        }
        let chain = match &self.store {
            Store::S3 { region, .. } => Chain::Aws(lock(region).clone()),
            Store::Google { .. } => Chain::Google,
            Store::Azure { .. } => Chain::Azure,
        };
        let signer = Signer::of_machine(&chain);
        let found = signer.is_some();
        *lock(&self.signer) = signer;
        found
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bucket, and the key, which isn't empty.
fn parts(rest: &str) -> io::Result<(&str, &str)> {
    match rest.split_once('/') {
        Some((bucket, key)) if !bucket.is_empty() && !key.is_empty() => Ok((bucket, key)),
        _ => Err(invalid("expected BUCKET/KEY")),
    }
}

/// What keys of an S3 bucket follow. Another store than Amazon's has the bucket in the path, and so have names that no certificate
/// is for.
fn s3_base(bucket: &str, endpoint: Option<&str>, region: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    match endpoint {
        Some(endpoint) => format!("{endpoint}/{bucket}"),
        None if bucket.bytes().all(plain) => format!("https://{bucket}.s3.{region}.{suffix}"),
        None => format!("https://s3.{region}.{suffix}/{bucket}"),
    }
}

/// A key as it stands in an address, encoded once: what isn't a letter, a digit, `-._~` or `/`.
fn encoded_key(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    for byte in key.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

fn uri(text: &str) -> io::Result<Uri> {
    text.parse().map_err(|_| invalid("not a valid URL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_hosts_where_certificates_allow_it() {
        assert_eq!(s3_base("b-1", None, "eu-west-2"), "https://b-1.s3.eu-west-2.amazonaws.com");
        assert_eq!(s3_base("b.c", None, "us-east-1"), "https://s3.us-east-1.amazonaws.com/b.c");
        assert_eq!(s3_base("b", None, "cn-north-1"), "https://b.s3.cn-north-1.amazonaws.com.cn");
        assert_eq!(s3_base("b", Some("http://h:9"), "r"), "http://h:9/b");
    }

    #[test]
    fn keys_are_encoded_once() {
        assert_eq!(encoded_key("a b/c+d%20é?.bam"), "a%20b/c%2Bd%2520%C3%A9%3F.bam");
        assert!(parts("bucket").is_err() && parts("bucket/").is_err() && parts("/key").is_err());
    }
}

//! Credentials where each store's own tools find them, and signatures by them: the work of reqsign, given our HTTP, files and
//! environment.

use std::collections::HashMap;
use std::future::Future;
use std::io::{self, Read};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as Task, Poll, Wake, Waker};
use std::time::Duration;

use bytes::Bytes;
use reqsign::{CommandExecute, CommandOutput, Context, Env, Error, FileRead, HttpSend};
use reqsign::{ProvideCredential, SignRequest, SigningCredential, aws, azure, google};
use ureq::http::{Request, Response};

use super::config::{is_on, variable};

/// Whose credentials, and for S3 the region they sign for.
pub(super) enum Chain {
    Aws(String),
    Google,
    Azure,
}

/// Signs requests.
pub(super) enum Signer {
    Aws(reqsign::Signer<aws::Credential>),
    Google(reqsign::Signer<google::Credential>),
    Azure(reqsign::Signer<azure::Credential>),
}

/// What reading public data needs at Google.
const GOOGLE_SCOPE: &str = "https://www.googleapis.com/auth/devstorage.read_only";

impl Signer {
    /// By the credentials in the environment and in files of the user's; `None` if there are none, or none are wanted.
    ///
    /// # Errors
    /// If there are some that can't be used.
    pub(super) fn of_user(chain: &Chain) -> io::Result<Option<Signer>> {
        match chain {
            Chain::Aws(_) if is_on("AWS_NO_SIGN_REQUEST") => Ok(None),
            Chain::Aws(region) => {
                let provider = aws::DefaultCredentialProvider::builder().no_imds().build();
                let signer = aws::RequestSigner::new("s3", region);
                Ok(ready(provider, signer)?.map(Signer::Aws))
            }
            Chain::Google => {
                let provider =
                    google::DefaultCredentialProvider::builder().no_vm_metadata().build();
                let signer = google::RequestSigner::new("storage").with_scope(GOOGLE_SCOPE);
                Ok(ready(provider, signer)?.map(Signer::Google))
            }
            Chain::Azure => {
                let builder = azure::DefaultCredentialProvider::builder();
                let provider = builder.no_azure_cli().no_imds().build();
                Ok(ready(provider, azure::RequestSigner::new())?.map(Signer::Azure))
            }
        }
    }

    /// By those that the machine has in its cloud, or a store's program that is installed.
    pub(super) fn of_machine(chain: &Chain) -> Option<Signer> {
        match chain {
            Chain::Aws(_) if is_on("AWS_NO_SIGN_REQUEST") || is_on("AWS_EC2_METADATA_DISABLED") => {
                None
            }
            Chain::Aws(region) => {
                let signer = aws::RequestSigner::new("s3", region);
                let provider = aws::DefaultCredentialProvider::new();
                ready(provider, signer).ok().flatten().map(Signer::Aws)
            }
            Chain::Google if is_on("NO_GCE_CHECK") => None,
            Chain::Google => {
                let signer = google::RequestSigner::new("storage").with_scope(GOOGLE_SCOPE);
                let provider = google::DefaultCredentialProvider::new();
                ready(provider, signer).ok().flatten().map(Signer::Google)
            }
            Chain::Azure => {
                let provider = azure::DefaultCredentialProvider::new();
                ready(provider, azure::RequestSigner::new()).ok().flatten().map(Signer::Azure)
            }
        }
    }

    /// Signs a request that is complete.
    ///
    /// # Errors
    /// If credentials have expired and no others are found.
    pub(super) fn sign(&self, request: &mut Request<()>) -> io::Result<()> {
        let (mut head, ()) = std::mem::replace(request, Request::new(())).into_parts();
        let signed = match self {
            Signer::Aws(signer) => wait_for(signer.sign(&mut head, None)),
            Signer::Google(signer) => wait_for(signer.sign(&mut head, None)),
            Signer::Azure(signer) => wait_for(signer.sign(&mut head, None)),
        };
        *request = Request::from_parts(head, ());
        signed.map_err(|error| refused(&error))
    }
}

/// A signer whose provider has credentials; `None` if it has none.
fn ready<K: SigningCredential>(
    provider: impl ProvideCredential<Credential = K>,
    signer: impl SignRequest<Credential = K>,
) -> io::Result<Option<reqsign::Signer<K>>> {
    let context = Context::new()
        .with_env(Environment)
        .with_file_read(Files)
        .with_command_execute(Programs)
        .with_http_send(Http);
    let found = wait_for(provider.provide_credential(&context)).map_err(|error| refused(&error))?;
    Ok(found.is_some().then(|| reqsign::Signer::new(context, provider, signer)))
}

/// What reqsign says may repeat what it read, so its words stay here.
fn refused(error: &Error) -> io::Error {
    let why = match error.kind() {
        reqsign::ErrorKind::CredentialInvalid => "the credentials are invalid or have expired",
        reqsign::ErrorKind::PermissionDenied => "the credentials were rejected",
        reqsign::ErrorKind::ConfigInvalid => {
            "the credential configuration is incomplete or invalid"
        }
        reqsign::ErrorKind::RateLimited => "credentials can't be fetched now: too many requests",
        _ => "the credentials can't be used",
    };
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Waits for what blocks anyway.
fn wait_for<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut task = Task::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut task) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// The variables of this process, those that aren't text left out.
#[derive(Debug)]
struct Environment;

impl Env for Environment {
    fn var(&self, key: &str) -> Option<String> {
        variable(key)
    }

    fn vars(&self) -> HashMap<String, String> {
        let text = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((key.into_string().ok()?, value.into_string().ok()?))
        };
        std::env::vars_os().filter_map(text).filter(|(_, value)| !value.is_empty()).collect()
    }

    fn home_dir(&self) -> Option<PathBuf> {
        std::env::home_dir()
    }
}

#[derive(Debug)]
struct Files;

impl FileRead for Files {
    async fn file_read(&self, path: &str) -> Result<Vec<u8>, Error> {
        std::fs::read(path).map_err(|_| Error::config_invalid("a file can't be read"))
    }
}

/// `credential_process` of a profile, and `az`.
#[derive(Debug)]
struct Programs;

impl CommandExecute for Programs {
    async fn command_execute<'a>(
        &'a self,
        program: &'a str,
        args: &'a [&'a str],
    ) -> Result<CommandOutput, Error> {
        let output = std::process::Command::new(program)
            .args(args)
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|_| Error::config_invalid("a program can't be run"))?;
        Ok(CommandOutput {
            status: output.status.code().unwrap_or(-1),
            stdout: output.stdout,
            stderr: output.stderr,
        })
    }
}

/// Tokens are fetched by requests of their own.
#[derive(Debug)]
struct Http;

impl HttpSend for Http {
    async fn http_send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Error> {
        const LONGEST: u64 = 1 << 20;
        let failed = || Error::unexpected("a token can't be fetched");
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // Nobody answers where there is no cloud.
            .timeout_connect(Some(Duration::from_secs(2)))
            .timeout_global(Some(Duration::from_secs(20)))
            .build();
        let (head, body) = request.into_parts();
        let agent = ureq::Agent::new_with_config(config);
        let answer = match body.is_empty() {
            true => agent.run(Request::from_parts(head, ())),
            false => agent.run(Request::from_parts(head, body.to_vec())),
        };
        let (head, body) = answer.map_err(|_| failed())?.into_parts();
        let mut bytes = Vec::new();
        body.into_reader().take(LONGEST).read_to_end(&mut bytes).map_err(|_| failed())?;
        Ok(Response::from_parts(head, bytes.into()))
    }
}

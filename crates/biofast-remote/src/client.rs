//! One request, one answer, by a client that decides nothing: no retries, no redirects, no decoding.

use std::io;
use std::sync::Arc;

use ureq::http::{HeaderMap, Request};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, BodyReader};

use crate::disk::Disk;
use crate::settings::Settings;

/// The connections of a process.
pub(crate) struct Client {
    /// Or why there is none.
    agent: Result<Agent, String>,
    pub(crate) settings: Settings,
    /// What is kept for runs to come.
    pub(crate) disk: Option<Disk>,
}

/// The head of an answer, and what its body is read from.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: BodyReader<'static>,
}

/// Why there was no answer.
#[derive(Debug)]
pub(crate) enum Failed {
    /// Nobody is there: pointless to ask again, unless there was somebody before.
    Unreachable(String),
    /// It may go better next time.
    Broken(String),
    /// It won't.
    Wrong(String),
}

impl Client {
    pub(crate) fn new(settings: Settings, disk: Option<Disk>) -> Client {
        let agent = roots().map(|roots| {
            let tls = TlsConfig::builder().root_certs(roots).build();
            let config = Agent::config_builder()
                .tls_config(tls)
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .user_agent(concat!("biofast/", env!("CARGO_PKG_VERSION")))
                .timeout_connect(Some(settings.timeout))
                .timeout_recv_response(Some(settings.timeout))
                .timeout_per_read(Some(settings.timeout))
                .timeout_per_write(Some(settings.timeout))
                .max_idle_connections(32)
                .max_idle_connections_per_host(16)
                .build();
            Agent::new_with_config(config)
        });
        Client { agent, settings, disk }
    }

    /// Asks once.
    pub(crate) fn send(&self, request: Request<()>) -> Result<Answer, Failed> {
        let agent = self.agent.as_ref().map_err(|why| Failed::Wrong(why.clone()))?;
        let answer = agent.run(request).map_err(|error| self.failed(error))?;
        let (head, body) = answer.into_parts();
        let body = body.into_with_config().limit(u64::MAX).reader();
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }

    fn failed(&self, error: ureq::Error) -> Failed {
        let seconds = self.settings.timeout.as_secs();
        match error {
            ureq::Error::HostNotFound => Failed::Unreachable("unknown host".into()),
            ureq::Error::ConnectionFailed => Failed::Broken("no connection".into()),
            ureq::Error::Timeout(_) => Failed::Broken(format!("no response within {seconds} s")),
            ureq::Error::Io(error) => self.failed_io(&error),
            ureq::Error::Rustls(error) => Failed::Wrong(format!("no secure connection: {error}")),
            ureq::Error::Tls(why) => Failed::Wrong(format!("no secure connection: {why}")),
            ureq::Error::InvalidProxyUrl => {
                Failed::Wrong("the proxy set in the environment is not a valid URL".into())
            }
            // What other errors hold may repeat the address.
            ureq::Error::Protocol(_)
            | ureq::Error::Http(_)
            | ureq::Error::LargeResponseHeader(..) => Failed::Wrong("invalid HTTP response".into()),
            ureq::Error::BadUri(_) => Failed::Wrong("not a valid URL".into()),
            _ => Failed::Wrong("the request failed".into()),
        }
    }

    fn failed_io(&self, error: &io::Error) -> Failed {
        use io::ErrorKind::{ConnectionRefused, InvalidData, UnexpectedEof};
        match error.kind() {
            ConnectionRefused => Failed::Unreachable("the connection was refused".into()),
            // So rustls tells what is wrong with a certificate.
            InvalidData => Failed::Wrong(format!("no secure connection: {error}")),
            UnexpectedEof => Failed::Broken("the connection was closed without a response".into()),
            _ => Failed::Broken(self.broken(error)),
        }
    }

    /// Why the bytes of an answer end early.
    pub(crate) fn broken(&self, error: &io::Error) -> String {
        let timed_out = error.kind() == io::ErrorKind::TimedOut
            || error
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<ureq::Error>())
                .is_some_and(|inner| matches!(inner, ureq::Error::Timeout(_)));
        if timed_out {
            return format!("no data received for {} s", self.settings.timeout.as_secs());
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof => "the connection was interrupted".into(),
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                "the connection was reset".into()
            }
            _ => match error.raw_os_error() {
                Some(_) => format!("the connection failed: {error}"),
                None => "invalid HTTP response".into(),
            },
        }
    }
}

/// The authorities that certificates are checked by: those of Mozilla, or those in the file that `SSL_CERT_FILE` names.
fn roots() -> Result<RootCerts, String> {
    let Some(path) = std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()) else {
        return Ok(RootCerts::WebPki);
    };
    let name = biofast_io::display_name(path.as_ref());
    let text = std::fs::read(&path)
        .map_err(|error| format!("can't read {name} (SSL_CERT_FILE): {error}"))?;
    let found = parse_pem(&text).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        return Err(format!("no certificate in {name} (SSL_CERT_FILE)"));
    }
    Ok(RootCerts::Specific(Arc::new(found)))
}

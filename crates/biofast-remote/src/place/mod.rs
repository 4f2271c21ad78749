//! What an address stands for: the requests that fetch it.

mod bucket;
mod config;
mod credentials;
mod invalid;
mod web;

use std::io;

use ureq::http::{HeaderMap, HeaderValue, Request};

use bucket::Bucket;
use invalid::invalid;
use web::Web;

/// Where an object is, and how it is asked for.
pub(crate) struct ObjectAddress {
    service: Service,
    /// Of the object, without what selects or signs.
    path: String,
}

enum Service {
    Web(Web),
    Bucket(Bucket),
}

/// The schemes that are read.
const READ: &str = "https://, http://, s3://, gs:// or az://";

impl ObjectAddress {
    pub(crate) fn parse(address: &str) -> io::Result<ObjectAddress> {
        let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
        let service = match scheme.to_ascii_lowercase().as_str() {
            "https" | "http" => Service::Web(Web::parse(scheme, rest)?),
            "s3" => Service::Bucket(Bucket::s3(rest)?),
            "gs" => Service::Bucket(Bucket::google(rest)?),
            "az" => Service::Bucket(Bucket::azure(rest)?),
            "ftp" => {
                return Err(invalid(
                    "ftp:// is not supported; most servers have the same files under https://",
                ));
            }
            _ => return Err(invalid(format!("unsupported URL: expected {READ}"))),
        };
        let path = biofast_io::remote::without_query(address.as_ref());
        Ok(ObjectAddress { service, path: path.to_string_lossy().into_owned() })
    }

    /// The address without what may be secret; only its ending is looked at.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The address that is asked, if an `ETag` there names the same bytes for all who may ask, and nothing in it is secret.
    pub(crate) fn for_everyone(&self) -> Option<String> {
        let uri = match &self.service {
            Service::Web(web) => web.for_everyone()?,
            Service::Bucket(bucket) => bucket.uri().ok()?,
        };
        Some(format!("{}://{}{}", uri.scheme_str()?, uri.authority()?, uri.path()))
    }

    /// Whether what is stored is handed out as it is, whatever encoding it is labelled with.
    pub(crate) fn encoding_is_a_label(&self) -> bool {
        matches!(self.service, Service::Bucket(_))
    }

    /// A request for these bytes (the value of `Range`), or for all of them.
    ///
    /// # Errors
    /// If it can't be made or signed.
    pub(crate) fn request(&self, range: Option<&str>) -> io::Result<Request<()>> {
        let mut request = Request::new(());
        // A store that holds gzip under this label would otherwise decompress it on the way.
        let accepted = if self.encoding_is_a_label() { "gzip" } else { "identity" };
        request.headers_mut().insert("accept-encoding", HeaderValue::from_static(accepted));
        if let Some(range) = range {
            let range = HeaderValue::from_str(range).map_err(|_| invalid("not a range"))?;
            request.headers_mut().insert("range", range);
        }
        match &self.service {
            Service::Web(web) => web.address(&mut request),
            Service::Bucket(bucket) => bucket.address(&mut request)?,
        }
        Ok(request)
    }

    /// Where a redirect leads.
    ///
    /// # Errors
    /// If it may not be followed, with the reason.
    pub(crate) fn redirect(&self, from: &Request<()>, to: &str) -> Result<Request<()>, String> {
        match &self.service {
            Service::Web(web) => web.redirect(from, to),
            Service::Bucket(_) => Err("an unexpected redirect".into()),
        }
    }

    /// Whether an answer that isn't the object may be it if it is asked for anew.
    pub(crate) fn can_ask_otherwise(&self, status: u16, headers: &HeaderMap) -> bool {
        match &self.service {
            Service::Web(web) => web.forget_target(status),
            Service::Bucket(bucket) => bucket.can_ask_otherwise(status, headers),
        }
    }
}

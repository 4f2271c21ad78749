//! An address of HTTP, with its password and its redirects.

use std::io;
use std::sync::{Mutex, PoisonError};

use ureq::http::header::AUTHORIZATION;
use ureq::http::{HeaderValue, Request, Uri};

use super::invalid::invalid;

/// An address of HTTP.
pub(super) struct Web {
    uri: Uri,
    /// The header that a user name and password in the address become.
    authorization: Option<HeaderValue>,
    /// Where the last redirect led, which is asked next time.
    target: Mutex<Option<Uri>>,
}

impl Web {
    pub(super) fn parse(scheme: &str, rest: &str) -> io::Result<Web> {
        let rest = rest.split('#').next().unwrap_or_default();
        let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (user, host) = host.rsplit_once('@').map_or((None, host), |(u, h)| (Some(u), h));
        let slash = if path.starts_with('/') { "" } else { "/" };
        let uri = format!("{scheme}://{host}{slash}{}", encoded(path)).parse();
        let uri = uri.map_err(|_| invalid("not a valid URL"))?;
        let authorization = user.map(|user| {
            let value = format!("Basic {}", base64(&decoded(user)));
            let mut value =
                HeaderValue::from_str(&value).map_err(|_| invalid("not a user name"))?;
            value.set_sensitive(true);
            Ok::<_, io::Error>(value)
        });
        Ok(Web { uri, authorization: authorization.transpose()?, target: Mutex::default() })
    }

    pub(super) fn address(&self, request: &mut Request<()>) {
        let target = self.target.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let uri = target.unwrap_or_else(|| self.uri.clone());
        self.authorize(request, &uri);
        *request.uri_mut() = uri;
    }

    /// The address, if it has neither a password nor a query.
    pub(super) fn for_everyone(&self) -> Option<Uri> {
        (self.authorization.is_none() && self.uri.query().is_none()).then(|| self.uri.clone())
    }

    /// Where a redirect led may have been for a time only: whether that was asked, which it isn't again.
    pub(super) fn forget_target(&self, status: u16) -> bool {
        matches!(status, 400 | 401 | 403 | 404 | 410)
            && self.target.lock().unwrap_or_else(PoisonError::into_inner).take().is_some()
    }

    /// The password is for the host it was given for, and for no other.
    fn authorize(&self, request: &mut Request<()>, uri: &Uri) {
        request.headers_mut().remove(AUTHORIZATION);
        let same = |uri: &Uri| (uri.scheme().cloned(), uri.authority().cloned());
        if let Some(authorization) =
            self.authorization.as_ref().filter(|_| same(uri) == same(&self.uri))
        {
            request.headers_mut().insert(AUTHORIZATION, authorization.clone());
        }
    }

    pub(super) fn redirect(&self, from: &Request<()>, to: &str) -> Result<Request<()>, String> {
        let base = from.uri();
        let (scheme, host) = (base.scheme_str().unwrap_or("https"), base.authority());
        let host = host.map_or("", |host| host.as_str());
        let to = to.split('#').next().unwrap_or_default();
        let whole = if to.contains("://") {
            to.to_owned()
        } else if to.starts_with("//") {
            format!("{scheme}:{to}")
        } else if to.starts_with('/') {
            format!("{scheme}://{host}{to}")
        } else {
            let folder = base.path().rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{scheme}://{host}{folder}/{to}")
        };
        let uri: Uri = whole.parse().map_err(|_| "a redirect to an invalid URL".to_owned())?;
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if scheme == "http" => {}
            _ => return Err("a redirect from https:// to an unencrypted URL".into()),
        }
        let mut request = from.clone();
        self.authorize(&mut request, &uri);
        *self.target.lock().unwrap_or_else(PoisonError::into_inner) = Some(uri.clone());
        *request.uri_mut() = uri;
        Ok(request)
    }
}

/// What can't stand in an address as it is, encoded; what is encoded already stays.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b' '
            | b'"'
            | b'<'
            | b'>'
            | b'\\'
            | b'^'
            | b'`'
            | b'{'
            | b'|'
            | b'}'
            | ..=0x1f
            | 0x7f.. => {
                out += &format!("%{byte:02X}");
            }
            _ => out.push(char::from(byte)),
        }
    }
    out
}

/// The bytes that a percent-encoded text stands for.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        let digits = bytes.as_slice_of_two();
        match digits.filter(|_| byte == b'%') {
            Some(decoded) => {
                out.push(decoded);
                bytes.nth(1);
            }
            None => out.push(byte),
        }
    }
    out
}

/// The byte of the next two hexadecimal digits.
trait HexDigits {
    fn as_slice_of_two(&self) -> Option<u8>;
}

impl HexDigits for std::str::Bytes<'_> {
    fn as_slice_of_two(&self) -> Option<u8> {
        let mut ahead = self.clone();
        let mut digit = || char::from(ahead.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        u8::try_from(high * 16 + low).ok()
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            match place <= chunk.len() {
                true => out.push(char::from(DIGITS[(bits >> (18 - 6 * place)) as usize & 63])),
                false => out.push('='),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::ObjectAddress;

    fn request(address: &str) -> Request<()> {
        ObjectAddress::parse(address).and_then(|place| place.request(None)).expect("an address")
    }

    #[test]
    fn a_password_becomes_a_header_and_leaves_the_address() {
        let request = request("https://me:p%40ss@host.org:8443/a b/x.bam?y=1#z");
        assert_eq!(request.uri().to_string(), "https://host.org:8443/a%20b/x.bam?y=1");
        // me:p@ss
        let expected = HeaderValue::from_static("Basic bWU6cEBzcw==");
        assert_eq!(request.headers().get(AUTHORIZATION), Some(&expected));
    }

    #[test]
    fn redirects_lead_where_they_say_and_take_no_password_along() {
        let place = ObjectAddress::parse("https://me:x@h/a/b").expect("an address");
        let first = place.request(None).expect("a request");
        let to = |to: &str| {
            let request = place.redirect(&first, to)?;
            let has_password = request.headers().contains_key(AUTHORIZATION);
            Ok::<_, String>((request.uri().to_string(), has_password))
        };
        assert_eq!(to("c?d=1"), Ok(("https://h/a/c?d=1".into(), true)));
        assert_eq!(to("/c"), Ok(("https://h/c".into(), true)));
        assert_eq!(to("//i/c"), Ok(("https://i/c".into(), false)));
        assert_eq!(to("https://i/c"), Ok(("https://i/c".into(), false)));
        assert!(to("http://h/c").is_err());
    }

    #[test]
    fn base64_is_padded() {
        assert_eq!(
            ["", "f", "fo", "foo", "foob"].map(|s| base64(s.as_bytes())),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
        assert_eq!(decoded("%41%4g%"), b"A%4g%");
    }
}

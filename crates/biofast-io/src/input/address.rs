//! Addresses of objects that aren't files: which paths are ones, how they are shown, and what lies beside them.
//!
//! An address travels as a path does, so that everything that takes a path takes an address. Signatures and passwords
//! in it are secrets: [`display_name`](crate::display_name) leaves them out.

use std::path::{Path, PathBuf};

/// What addresses start with. FTP is known so that it can be refused by name.
const SCHEMES: [&str; 6] = ["https", "http", "s3", "gs", "az", "ftp"];

/// The path as a URL, if it starts with `https://`, `http://`, `s3://`, `gs://`, `az://` (or `ftp://`, which can't be
/// read) and goes on after that. A file of such a name is written `./https://…`.
pub fn address(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let (scheme, rest) = text.split_once("://")?;
    let known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    (known && !rest.is_empty()).then_some(text)
}

/// Splits off what selects or signs: the query and the fragment of an address. An `s3://` or `gs://` key may hold any
/// character, so there only `?versionId=` and `?generation=` begin one.
pub(super) fn split_query(address: &str) -> (&str, &str) {
    let scheme = address.split_once("://").map_or("", |(scheme, _)| scheme);
    let at = if scheme.eq_ignore_ascii_case("s3") {
        address.find("?versionId=")
    } else if scheme.eq_ignore_ascii_case("gs") {
        address.find("?generation=")
    } else {
        address.find(['?', '#'])
    };
    address.split_at(at.unwrap_or(address.len()))
}

/// An address as messages and results show it: without user name, password and query, which may be secrets.
///
/// ```
/// use biofast_io::remote::shown;
///
/// let signed = "https://me:secret@host.org/x.bam?X-Amz-Signature=abc";
/// assert_eq!(shown(signed), "https://host.org/x.bam?…");
/// ```
pub fn shown(address: &str) -> String {
    let (plain, query) = split_query(address);
    let (scheme, rest) = plain.split_once("://").unwrap_or(("", plain));
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}{path}{}", if query.is_empty() { "" } else { "?…" })
}

/// The words of a command line as records of it show them: addresses among them, also behind a `=`, are [`shown`].
///
/// ```
/// use biofast_io::remote::shown_word;
///
/// assert_eq!(shown_word("--reference=https://h/x.fa?token=1"), "--reference=https://h/x.fa?…");
/// assert_eq!(shown_word("x.bam"), "x.bam");
/// ```
pub fn shown_word(word: &str) -> String {
    let is_address = |text: &str| address(Path::new(text)).is_some();
    if is_address(word) {
        return shown(word);
    }
    match word.split_once('=') {
        Some((option, value)) if is_address(value) => format!("{option}={}", shown(value)),
        _ => word.to_owned(),
    }
}

/// The name of what lies beside a file or an object: `x.bam` and `.bai` give `x.bam.bai`. The query of an address stays
/// behind it.
///
/// ```
/// use std::path::{Path, PathBuf};
///
/// use biofast_io::remote::beside;
///
/// assert_eq!(beside("x.bam".as_ref(), ".bai"), PathBuf::from("x.bam.bai"));
/// let signed = Path::new("https://host.org/x.bam?token=1");
/// assert_eq!(beside(signed, ".bai"), PathBuf::from("https://host.org/x.bam.bai?token=1"));
/// ```
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    match address(path) {
        Some(address) => {
            let (plain, query) = split_query(address);
            format!("{plain}{suffix}{query}").into()
        }
        None => {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            name.into()
        }
    }
}

/// The name with another extension, like [`Path::with_extension`], also for URLs: a query stays at the end.
pub fn with_extension(path: &Path, extension: &str) -> PathBuf {
    match address(path) {
        Some(address) => {
            let (plain, query) = split_query(address);
            let start = plain.rfind('/').map_or(0, |at| at + 1);
            let end = plain[start..].rfind('.').map_or(plain.len(), |at| start + at);
            format!("{}.{extension}{query}", &plain[..end]).into()
        }
        None => path.with_extension(extension),
    }
}

/// A path whose last part is a file name: a URL loses its query.
pub fn without_query(path: &Path) -> PathBuf {
    match address(path) {
        Some(address) => split_query(address).0.into(),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_an_address_and_what_a_file() {
        for text in ["https://h/x", "HTTP://h", "s3://b/k", "gs://b/k", "az://c/b", "ftp://h/x"] {
            assert_eq!(address(text.as_ref()), Some(text));
        }
        for text in ["x", "https:/h/x", "file://x", "C://x", "https://", "a/https://h/x", "s3:b"] {
            assert_eq!(address(text.as_ref()), None, "{text}");
        }
    }

    #[test]
    fn nothing_that_may_be_secret_is_shown() {
        for (address, expected) in [
            ("https://h:8080/a/x.bam", "https://h:8080/a/x.bam"),
            ("https://u:p@h/x", "https://h/x"),
            ("https://u:p@q@h/x@2", "https://h/x@2"),
            ("https://u:p@h", "https://h"),
            ("https://h/x?sig=1#2", "https://h/x?…"),
            ("https://h/x#token", "https://h/x?…"),
            ("az://c/x?sv=1&sig=2", "az://c/x?…"),
            ("s3://b/what?.bam", "s3://b/what?.bam"),
            ("s3://b/x.bam?versionId=7", "s3://b/x.bam?…"),
        ] {
            assert_eq!(shown(address), expected);
        }
    }

    #[test]
    fn indexes_lie_beside_their_data() {
        let at = |address: &str| with_extension(address.as_ref(), "csi").display().to_string();
        assert_eq!(at("https://h.org/a.b/x"), "https://h.org/a.b/x.csi");
        assert_eq!(at("s3://b/x.bam?versionId=7"), "s3://b/x.csi?versionId=7");
        assert_eq!(at("x.bam"), "x.csi");
    }
}

//! A small HTTP server on 127.0.0.1 for tests: objects in memory, ranges, and faults on demand.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

/// What a request asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The path, without the query.
    pub path: String,
    /// What follows `?`, or nothing.
    pub query: String,
    /// Headers, names in small letters.
    pub headers: HashMap<String, String>,
    /// The first and the last byte of `Range`.
    pub range: Option<(u64, u64)>,
    /// How many requests came before it.
    pub number: usize,
}

/// What is done to an answer. Positions are bytes of its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// The connection ends after so many bytes.
    Cut(usize),
    /// The connection ends before the answer.
    Silent,
    /// So many milliseconds pass before each of ten parts.
    Slow(u64),
    /// Nothing more comes after so many bytes, for longer than anybody waits.
    Stall(usize),
    /// Another status, with a short body and these headers.
    Status(u16, &'static str),
    /// So many bytes less than were asked for, and the head says so. Of a whole nothing can say so.
    Short(u64),
    /// The range begins so many bytes later, and the head says so. Of a whole nothing can say so.
    Shifted(u64),
    /// Another `ETag`.
    Changed,
    /// Another length of the whole, in `Content-Range`.
    Grown,
    /// A redirect to the same path with the query `redirected`.
    Redirect,
    /// The body comes in chunks, without its length.
    Chunked,
    /// The same, and ends before its end.
    ChunkedCut(usize),
    /// The range is not heeded.
    NoRange,
    /// `Content-Encoding: gzip`.
    Gzip,
    /// A page, as a proxy sends it.
    Page,
    /// `Content-Range` is missing.
    NoContentRange,
}

/// Says what is done to the answer to a request.
pub type Plan = Box<dyn Fn(&Request) -> Fault + Send + Sync>;

/// How a server answers, but for faults.
#[derive(Clone, Debug)]
pub struct Manner {
    /// Whether it knows ranges.
    pub ranges: bool,
    /// Whether it tells `ETag`.
    pub etag: bool,
    /// Whether it tells `Content-Length` of whole objects; else they come in chunks.
    pub length: bool,
    /// Time before each answer.
    pub latency: Duration,
}

impl Default for Manner {
    fn default() -> Manner {
        Manner { ranges: true, etag: true, length: true, latency: Duration::ZERO }
    }
}

/// A server that runs until the process ends.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    objects: RwLock<HashMap<String, Arc<Vec<u8>>>>,
    plan: Plan,
    manner: Manner,
    requests: Mutex<Vec<Request>>,
    sent: std::sync::atomic::AtomicU64,
}

impl Server {
    /// Serves nothing yet, without faults.
    ///
    /// # Panics
    /// If there is no port.
    pub fn start() -> Server {
        Server::with(Manner::default(), Box::new(|_| Fault::None), 0)
    }

    /// The same in another manner, with faults, on a port (0 for any).
    ///
    /// # Panics
    /// If the port can't be had.
    pub fn with(manner: Manner, plan: Plan, port: u16) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("a port");
        let address = listener.local_addr().expect("bound");
        let shared = Arc::new(Shared {
            objects: RwLock::default(),
            plan,
            manner,
            requests: Mutex::default(),
            sent: std::sync::atomic::AtomicU64::new(0),
        });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                std::thread::spawn(move || {
                    // Clients may leave at any time.
                    let _ = serve(&stream, &shared);
                });
            }
        });
        Server { address, shared }
    }

    /// Puts an object at `/name`, and returns its address.
    pub fn put(&self, name: &str, bytes: impl Into<Vec<u8>>) -> String {
        let mut objects = self.shared.objects.write().unwrap_or_else(PoisonError::into_inner);
        objects.insert(format!("/{name}"), Arc::new(bytes.into()));
        self.address(name)
    }

    /// The address of `/name`.
    pub fn address(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Bytes of bodies sent so far.
    pub fn sent(&self) -> u64 {
        self.shared.sent.load(std::sync::atomic::Ordering::Relaxed)
    }
}

/// The head of a request; `None` at the end of the connection.
fn read_request(reader: &mut impl BufRead) -> io::Result<Option<(Request, bool)>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let is_head = line.starts_with("HEAD ");
    let target = line.split(' ').nth(1).unwrap_or("/").to_owned();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let range = headers.get("range").and_then(|range| {
        let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
        Some((first.parse().ok()?, last.parse().ok()?))
    });
    let (path, query) = (path.to_owned(), query.to_owned());
    Ok(Some((Request { path, query, headers, range, number: 0 }, is_head)))
}

fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some((mut request, is_head)) = read_request(&mut reader)? {
        {
            let mut requests = shared.requests.lock().unwrap_or_else(PoisonError::into_inner);
            request.number = requests.len();
            requests.push(request.clone());
        }
        std::thread::sleep(shared.manner.latency);
        let fault = (shared.plan)(&request);
        if !answer(stream, shared, &request, is_head, &fault)? {
            stream.shutdown(std::net::Shutdown::Both)?;
            break;
        }
    }
    Ok(())
}

/// Answers; false if the connection is to end.
fn answer(
    mut stream: &TcpStream,
    shared: &Shared,
    request: &Request,
    is_head: bool,
    fault: &Fault,
) -> io::Result<bool> {
    let manner = &shared.manner;
    let short = |mut stream: &TcpStream, status: u16, headers: &str, body: &str| {
        let len = body.len();
        let headers = headers.trim_end();
        let line = if headers.is_empty() { "" } else { "\r\n" };
        write!(
            stream,
            "HTTP/1.1 {status} X\r\nContent-Length: {len}{line}{headers}\r\n\r\n{body}"
        )?;
        Ok(true)
    };
    match fault {
        Fault::Silent => return Ok(false),
        Fault::Status(status, headers) => return short(stream, *status, headers, "no"),
        Fault::Page => {
            let page = "<html><body>Please log in.</body></html>";
            return short(stream, 200, "Content-Type: text/html; charset=utf-8", page);
        }
        Fault::Redirect if request.query != "redirected" => {
            let to = format!("Location: {}?redirected", request.path);
            return short(stream, 302, &to, "");
        }
        _ => {}
    }
    let object = {
        let objects = shared.objects.read().unwrap_or_else(PoisonError::into_inner);
        objects.get(&request.path).cloned()
    };
    let Some(object) = object else { return short(stream, 404, "", "there is no such object") };
    let len = object.len() as u64;
    let range = request.range.filter(|_| manner.ranges && *fault != Fault::NoRange);
    let (status, mut first, mut end) = match range {
        Some((first, _)) if first >= len => {
            return short(stream, 416, &format!("Content-Range: bytes */{len}"), "");
        }
        Some((first, last)) => (206, first, len.min(last + 1)),
        None => (200, 0, len),
    };
    match fault {
        Fault::Short(by) if status == 206 => end -= (end - first).min(*by),
        Fault::Shifted(by) if status == 206 => {
            first = (first + by).min(len);
            end = (end + by).min(len);
        }
        _ => {}
    }
    let body = &object[first as usize..end as usize];
    let mut head = format!("HTTP/1.1 {status} X\r\nContent-Type: application/octet-stream\r\n");
    if manner.etag {
        let tag = if *fault == Fault::Changed { "other" } else { "same" };
        head += &format!("ETag: \"{len}-{tag}\"\r\n");
    }
    head += "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    if status == 206 && *fault != Fault::NoContentRange {
        let total = if *fault == Fault::Grown { len + 1 } else { len };
        head += &format!("Content-Range: bytes {first}-{}/{total}\r\n", end.saturating_sub(1));
    }
    if *fault == Fault::Gzip {
        head += "Content-Encoding: gzip\r\n";
    }
    let chunked =
        matches!(fault, Fault::Chunked | Fault::ChunkedCut(_)) || (status == 200 && !manner.length);
    match chunked {
        true => head += "Transfer-Encoding: chunked\r\n",
        false => head += &format!("Content-Length: {}\r\n", body.len()),
    }
    write!(stream, "{head}\r\n")?;
    if is_head {
        return Ok(true);
    }
    let count = |n: usize| shared.sent.fetch_add(n as u64, std::sync::atomic::Ordering::Relaxed);
    let cut = match fault {
        Fault::Cut(at) | Fault::Stall(at) | Fault::ChunkedCut(at) => Some((*at).min(body.len())),
        _ => None,
    };
    let body = &body[..cut.unwrap_or(body.len())];
    count(body.len());
    if chunked {
        for chunk in body.chunks(50_000) {
            write!(stream, "{:x}\r\n", chunk.len())?;
            stream.write_all(chunk)?;
            stream.write_all(b"\r\n")?;
        }
        if cut.is_none() {
            stream.write_all(b"0\r\n\r\n")?;
        }
    } else if let Fault::Slow(milliseconds) = fault {
        for part in body.chunks(body.len().div_ceil(10).max(1)) {
            std::thread::sleep(Duration::from_millis(*milliseconds));
            stream.write_all(part)?;
        }
    } else {
        stream.write_all(body)?;
    }
    if let Fault::Stall(_) = fault {
        std::thread::sleep(Duration::from_secs(30));
    }
    Ok(cut.is_none())
}

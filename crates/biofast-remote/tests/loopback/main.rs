//! Objects of a server on the loopback address, with faults.
#![allow(clippy::unwrap_used)]

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use biofast_io::remote::{Object, Store};
use biofast_remote::{Remote, Settings};
use biofast_testkit::http::{Fault, Manner, Plan, Server};
use biofast_testkit::random::Random;

mod faults;
mod reading;

/// Patience for tests.
fn settings() -> Settings {
    Settings {
        retries: 3,
        first_delay: Duration::from_millis(1),
        timeout: Duration::from_secs(1),
        ..Settings::default()
    }
}

/// So many bytes that don't repeat.
fn bytes(len: usize) -> Vec<u8> {
    let mut random = Random(7);
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        bytes.extend_from_slice(&random.next_u64().to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// A server with one object, and the object, opened.
fn opened(content: &[u8], manner: Manner, plan: Plan) -> (Server, io::Result<Arc<dyn Object>>) {
    let server = Server::with(manner, plan, 0);
    let address = server.put("x.bin", content);
    let object = Remote::new(settings()).unwrap().open(&address);
    (server, object)
}

fn none() -> Plan {
    Box::new(|_| Fault::None)
}

/// All bytes from `offset` on.
fn read(object: &Arc<dyn Object>, offset: u64) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    Arc::clone(object).read_from(offset, None).read_to_end(&mut out)?;
    Ok(out)
}

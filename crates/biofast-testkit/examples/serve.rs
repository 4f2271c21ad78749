//! Serves the files of a folder on 127.0.0.1, to measure how remote inputs are read.
//!
//! `cargo run --release -p biofast-testkit --example serve -- FOLDER PORT [LATENCY_MS]`
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use biofast_testkit::http::{Fault, Manner, Server};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("a folder");
    let port = arguments.next().and_then(|port| port.parse().ok()).expect("a port");
    let latency = arguments.next().and_then(|latency| latency.parse().ok()).unwrap_or(0);
    let manner = Manner { latency: Duration::from_millis(latency), ..Manner::default() };
    let server = Server::with(manner, Box::new(|_| Fault::None), port);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if let (true, Some(name)) =
            (path.is_file(), path.file_name().and_then(|name| name.to_str()))
        {
            println!("{}", server.put(name, std::fs::read(&path).unwrap()));
        }
    }
    let mut told = (0, 0);
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let now = (server.requests().len(), server.sent());
        if now != told {
            println!("{} requests, {} bytes", now.0, now.1);
            told = now;
        }
    }
}

//! Large files in little memory, on the real binary: `BIOFAST_FAULTS=long`, as in `faults_table.rs`; needs 4 GB of disk.
#![cfg(unix)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Folder, Run, finish, reads, text};
use biofast_testkit::bam::{Aligned, aligned, header_of, records};
use biofast_testkit::container::{bgzf, gzip};

const SIZE: usize = 2_000_000_000;
const LIMIT: u64 = 128 << 20;

/// `head` and then `part` until so many parts are there, and `tail`.
fn large(path: &Path, head: &[u8], part: &[u8], parts: usize, tail: &[u8]) -> String {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    file.write_all(head).unwrap();
    (0..parts).for_each(|_| file.write_all(part).unwrap());
    file.write_all(tail).unwrap();
    file.into_inner().unwrap();
    text(path)
}

/// BGZF blocks without the end-of-file block, and that block.
fn blocks(content: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut blocks = bgzf(content, 65_280);
    let end = blocks.split_off(blocks.len() - 28);
    (blocks, end)
}

#[test]
#[ignore = "takes minutes and 4 GB of disk"]
fn two_gigabytes_in_128_megabytes() {
    let group = Group::new(LIMIT);
    let how = match &group {
        Some(_) => "in a memory cgroup of 128 MB",
        None => "with 128 MB of data (RLIMIT_DATA)",
    };
    let run = |arguments: &str| {
        let limit = match &group {
            Some(group) => format!("echo $$ > '{}';", group.procs()),
            None => format!("ulimit -d {};", LIMIT >> 10),
        };
        let binary = crate::common::binary();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limit} exec '{binary}' {arguments}")]);
        let run = finish(command);
        assert_eq!(run.code, 0, "{arguments}: {run:?}");
        run
    };
    let mut tried = 0;

    let block = reads("r", 8000);
    let parts = SIZE.div_ceil(block.len());
    let shows = |run: &Run| {
        let reads = format!("\t{}\t", 8000 * parts);
        assert!(run.stdout.contains(&reads), "{reads}: {}", run.stdout);
    };
    let folder = Folder::new();
    let plain = large(&folder.path("x.fq"), b"", block.as_bytes(), parts, b"");
    for io in ["auto", "mmap", "read"] {
        shows(&run(&format!("stats -T -@ 2 --io {io} '{plain}'")));
        tried += 1;
    }
    run(&format!("filter --quiet -@ 2 --min-len 69 '{plain}' -o /dev/null"));
    tried += 1;
    std::fs::remove_file(&plain).unwrap();

    let gz = large(&folder.path("x.fq.gz"), b"", &gzip(block.as_bytes()), parts, b"");
    shows(&run(&format!("stats -T -@ 2 '{gz}'")));
    tried += 1;
    std::fs::remove_file(&gz).unwrap();

    let (part, end) = blocks(block.as_bytes());
    let blocked = large(&folder.path("y.fq.gz"), b"", &part, parts, &end);
    let out = text(&folder.path("o.fq.gz"));
    shows(&run(&format!("stats -T -@ 2 '{blocked}'")));
    run(&format!("filter --quiet -@ 2 '{blocked}' -o '{out}'"));
    shows(&run(&format!("stats -T -@ 2 '{out}'")));
    tried += 3;
    [blocked, out].iter().for_each(|path| std::fs::remove_file(path).unwrap());

    let head = header_of("@SQ\tSN:c\tLN:1000000\n", &[("c", 1_000_000)]);
    let part: Vec<u8> = records(8000, 1)
        .iter()
        .flat_map(|record| {
            let cigar = vec![(record.len as u32) << 4];
            let (flags, len) = (record.flags | 1, record.len);
            aligned(&Aligned { reference: 0, position: 7, flags, cigar, len, tags: vec![] })
        })
        .collect();
    let parts = SIZE.div_ceil(part.len());
    let bam = large(&folder.path("x.bam"), &blocks(&head).0, &blocks(&part).0, parts, &end);
    let counted = run(&format!("flagstat -@ 2 '{bam}'")).stdout;
    let total = |line: &str| {
        let (passed, rest) = line.split_once(" + ").unwrap();
        let (failed, _) = rest.split_once(' ').unwrap();
        passed.parse::<usize>().unwrap() + failed.parse::<usize>().unwrap()
    };
    assert_eq!(total(counted.lines().next().unwrap()), 8000 * parts, "{counted}");
    let counted = run(&format!("view -c -@ 2 '{bam}'")).stdout;
    assert_eq!(counted.trim(), (8000 * parts).to_string());
    run(&format!("cat --quiet -@ 2 '{bam}' '{bam}' -o /dev/null"));
    run(&format!("merge --quiet -@ 2 -u '{bam}' '{bam}' -o /dev/null"));
    tried += 4;
    println!("\n| 2 GB, plain or decompressed, {how} | {tried} | 0 | {tried} | 0 |");
}

/// A memory cgroup, version 1 or 2, gone at the end.
struct Group(PathBuf);

impl Group {
    fn new(limit: u64) -> Option<Group> {
        let name = format!("biofast-faults-{}", std::process::id());
        ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].iter().find_map(|root| {
            let path = Path::new(root).join(&name);
            std::fs::create_dir(&path).ok()?;
            let group = Group(path);
            let files = ["memory.limit_in_bytes", "memory.max"];
            let set = |file: &&str| {
                let path = group.0.join(file);
                path.exists() && std::fs::write(path, limit.to_string()).is_ok()
            };
            files.iter().any(set).then_some(group)
        })
    }

    fn procs(&self) -> String {
        text(&self.0.join("cgroup.procs"))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

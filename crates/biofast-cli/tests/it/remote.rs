//! Remote inputs: every command that reads gives the bytes of a local run, or an error that names the range.

use std::collections::BTreeMap;
use std::path::Path;

use biofast_testkit::bam::{Aligned, aligned, header};
use biofast_testkit::container::{bgzf, gzip};
use biofast_testkit::http::{Fault, Manner, Plan, Server};
use biofast_testkit::random::Random;

use crate::common::{Folder, Run, assert_error, command, files_below, finish, reads};

/// Runs with little patience, as what fails here would fail again, and with nothing of the environment.
fn run(args: &[&str]) -> Run {
    let mut command = command(args);
    command.env("BIOFAST_REMOTE_DELAY", "1").env("BIOFAST_REMOTE_TIMEOUT", "2");
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(name);
    }
    finish(command)
}

/// BAM of so many records on these references, in order, that doesn't compress well.
fn alignments(references: &[(&str, u32)], n: usize) -> Vec<u8> {
    let mut random = Random(5);
    let mut all: Vec<Aligned> = (0..n)
        .map(|_| {
            let reference = random.below(references.len());
            let mut tags = b"XXBC".to_vec();
            tags.extend(80u32.to_le_bytes());
            tags.extend((0..10).flat_map(|_| random.next_u64().to_le_bytes()));
            Aligned {
                reference: reference as i32,
                position: random.below_u64(references[reference].1.into()) as i32,
                cigar: vec![50 << 4],
                len: 50,
                tags,
                ..Aligned::default()
            }
        })
        .collect();
    all.sort_by_key(|record| (record.reference, record.position));
    let mut bam = header(references);
    all.iter().for_each(|record| bam.extend(aligned(record)));
    bam
}

/// Inputs of all kinds.
struct Files {
    folder: Folder,
}

const NAMES: [&str; 17] = [
    "r1.fq.gz", "r2.fq.gz", "plain.fq", "x.bam", "x.bam.bai", "x.sam.gz", "ref.fa", "ref.fa.fai",
    "x.bed", "names.txt", "samples.tsv", "y.bam", "x.bam.bni", "r1.fq.gz.bni", "plain.fq.bni",
    "g.fq.gz", "g.fq.gz.bsi",
];

impl Files {
    fn new() -> Files {
        let folder = Folder::new();
        let references = [("chr1", 1_000_000), ("chr2", 50_000), ("chr3", 700)];
        let unsorted = folder.file("unsorted.bam", bgzf(&alignments(&references, 12_000), 20_000));
        let at = |name: &str| folder.path(name).to_str().unwrap().to_owned();
        let made = |args: &[&str]| {
            let run = run(args);
            assert_eq!(run.code, 0, "{args:?} {run:?}");
        };
        made(&["sort", "--no-PG", &unsorted, "-o", &at("x.bam")]);
        made(&["index", &at("x.bam"), "-o", &at("x.bam.bai")]);
        made(&["view", "-h", "--no-PG", &at("x.bam"), "-o", &at("x.sam")]);
        folder.file("x.sam.gz", bgzf(&std::fs::read(at("x.sam")).unwrap(), 40_000));
        made(&["view", "-b", "--no-PG", &at("x.bam"), "chr2", "-o", &at("y.bam")]);
        folder.file("r1.fq.gz", bgzf(reads("r", 20_000).as_bytes(), 30_000));
        folder.file("r2.fq.gz", bgzf(reads("r", 20_000).as_bytes(), 20_000));
        folder.file("plain.fq", reads("p", 4_000));
        folder.file("g.fq.gz", gzip(reads("g", 60_000).as_bytes()));
        made(&["index", &at("g.fq.gz")]);
        for name in ["x.bam", "r1.fq.gz", "plain.fq"] {
            made(&["index", "--name-index", &at(name)]);
        }
        let mut fasta = String::new();
        let mut random = Random(11);
        for (name, len) in references {
            fasta += &format!(">{name}\n");
            for start in (0..len).step_by(60) {
                let bases =
                    (start..len.min(start + 60)).map(|_| char::from(b"ACGT"[random.below(4)]));
                fasta += &bases.collect::<String>();
                fasta.push('\n');
            }
        }
        let mut offset = 0;
        let fai: String = references
            .iter()
            .map(|(name, len)| {
                offset += name.len() as u32 + 2;
                let line = format!("{name}\t{len}\t{offset}\t60\t61\n");
                offset += len + len.div_ceil(60);
                line
            })
            .collect();
        folder.file("ref.fa", fasta);
        folder.file("ref.fa.fai", fai);
        folder.file("x.bed", "chr1\t100\t9000\tone\nchr2\t0\t500\ttwo\n");
        folder.file("names.txt", "r7\nr19999\n");
        folder.file("samples.tsv", "sample_id\tbarcode\na\tACGTN\nb\tTTTTT\n");
        Files { folder }
    }

    fn serve(&self, manner: Manner, plan: Plan) -> Server {
        let server = Server::with(manner, plan, 0);
        for name in NAMES {
            server.put(name, std::fs::read(self.folder.path(name)).unwrap());
        }
        server
    }

    /// Runs with the inputs at `base`, outputs in a folder of their own. Returns what was printed and written.
    fn outcome(&self, args: &[&str], base: &str) -> (Run, BTreeMap<String, Vec<u8>>) {
        let folder = Folder::new();
        let out = folder.path("out").to_str().unwrap().to_owned();
        std::fs::create_dir(&out).unwrap();
        let args: Vec<String> = args
            .iter()
            .map(|arg| match arg.strip_prefix('@') {
                Some(name) => format!("{base}/{name}"),
                None => arg.replace("OUT", &out),
            })
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut run = run(&args);
        for text in [&mut run.stdout, &mut run.stderr] {
            *text = text.replace(base, "BASE").replace(&out, "OUT");
        }
        let mut written = files_below(Path::new(&out));
        for content in written.values_mut() {
            // Reports name their inputs.
            if let Ok(text) = String::from_utf8(content.clone()) {
                *content = text.replace(base, "BASE").replace(&out, "OUT").into_bytes();
            }
        }
        (run, written)
    }

    fn local(&self) -> String {
        self.folder.path("").to_str().unwrap().trim_end_matches('/').to_owned()
    }
}

/// The commands that read. `@` stands before what is at an address.
const COMMANDS: &[&[&str]] = &[
    &["stats", "@r1.fq.gz", "@plain.fq", "--json"],
    &["stats", "@x.bam", "--json"],
    &["stats", "@x.bam", "--json", "--region", "chr2:100-2000"],
    &["stats", "@x.sam.gz", "--reference", "@ref.fa", "--format", "samtools"],
    &["stats", "--out-dir", "OUT", "@r1.fq.gz"],
    &[
        "filter", "@r1.fq.gz", "@r2.fq.gz", "--min-len", "40", "-o", "OUT/1.fq.gz", "--out2",
        "OUT/2.fq.gz",
    ],
    &["filter", "@plain.fq", "--min-mean-qual", "20", "-o", "OUT/1.fq"],
    &["filter", "@x.bam", "--no-PG", "-L", "@x.bed", "-o", "OUT/x.bam"],
    &["check", "@r1.fq.gz", "@x.bam", "@plain.fq", "@x.sam.gz"],
    &["flagstat", "@x.bam"],
    &["checksum", "@x.bam", "@r1.fq.gz", "--json"],
    &["checksum", "@x.bam", "--against", "@x.sam.gz"],
    &["idxstats", "@x.bam"],
    &["coverage", "--prefix", "OUT/c", "--by", "@x.bed", "@x.bam"],
    &["coverage", "--prefix", "OUT/c", "--chrom", "chr2", "@x.bam"],
    &["index", "@x.bam", "-o", "OUT/x.csi", "--csi"],
    &["view", "@x.bam"],
    &["view", "-c", "@x.bam", "chr1:1000-90000"],
    &["view", "-c", "@x.bam", "-L", "@x.bed"],
    &["view", "-b", "--no-PG", "@x.sam.gz", "-o", "OUT/x.bam"],
    &["sort", "-q", "-n", "--no-PG", "@x.bam", "-o", "OUT/n.bam"],
    &["markdup", "-q", "--no-PG", "@x.bam", "-o", "OUT/d.bam"],
    &["umi", "dedup", "-q", "--no-PG", "--ignore-umi", "@x.bam", "-o", "OUT/g.bam"],
    &["merge", "--no-PG", "@x.bam", "@y.bam", "-o", "OUT/m.bam"],
    &["merge", "--no-PG", "-R", "chr2", "@x.bam", "@y.bam", "-o", "OUT/m.bam"],
    &["cat", "--no-PG", "@x.bam", "@y.bam", "-o", "OUT/c.bam"],
    &["cat", "@r1.fq.gz", "@r2.fq.gz", "-o", "OUT/c.fq.gz"],
    &["fastq", "@x.bam", "-o", "OUT/r.fq"],
    &["import", "--no-PG", "@r1.fq.gz", "@r2.fq.gz", "-o", "OUT/r.bam"],
    &["split", "-p", "3", "@r1.fq.gz", "@r2.fq.gz", "-o", "OUT/s_{mate}_{part}.fq.gz"],
    &["demux", "-i", "@r1.fq.gz", "-r", "5B+T", "-s", "@samples.tsv", "-o", "OUT"],
    &["grep", "-s", "-p", "ACGT", "@r1.fq.gz"],
    &["grep", "-f", "@names.txt", "@r1.fq.gz"],
    &["dedup", "@r1.fq.gz", "-o", "OUT/u.fq.gz"],
    &["dedup", "@r1.fq.gz", "@r2.fq.gz", "-o", "OUT/1.fq", "--out2", "OUT/2.fq"],
    &["repair", "@r1.fq.gz", "@r2.fq.gz", "-o", "OUT/1.fq", "--out2", "OUT/2.fq"],
    &["filter", "@r1.fq.gz", "--names", "@names.txt"],
    &["filter", "-c", "-N", "@names.txt", "@x.bam"],
    &["get", "@r1.fq.gz", "r7", "--record", "19,999"],
    &["get", "@plain.fq", "--record", "3999", "p17"],
    &["get", "@x.bam", "--no-PG", "--record", "6000", "-o", "OUT/x.bam"],
    &["stats", "@g.fq.gz", "--json"],
    &["stats", "--per-read", "@plain.fq", "-o", "OUT/reads.tsv"],
    &["convert", "@r1.fq.gz", "-o", "OUT/x.fa"],
    &["convert", "@plain.fq", "--unique-names", "-o", "OUT/x.fq"],
    &["shuffle", "--seed", "5", "@r1.fq.gz", "-o", "OUT/x.fq"],
    &["sort", "--key", "name", "@plain.fq", "-o", "OUT/x.fq"],
];

#[test]
fn every_command_that_reads_gives_what_a_local_run_gives() {
    let files = Files::new();
    let server = files.serve(Manner::default(), Box::new(|_| Fault::None));
    let base = server.address("").trim_end_matches('/').to_owned();
    for &args in COMMANDS {
        let local = files.outcome(args, &files.local());
        assert_eq!(local.0.code, 0, "{args:?} {local:?}");
        let remote = files.outcome(args, &base);
        assert_eq!(remote.0, local.0, "{args:?}");
        assert!(remote.1.keys().eq(local.1.keys()), "{args:?}");
        for (name, content) in &remote.1 {
            assert!(*content == local.1[name], "{args:?}: {name} differs");
        }
    }
}

#[test]
fn shards_at_an_address_are_those_of_the_file() {
    let files = Files::new();
    let server = files.serve(Manner::default(), Box::new(|_| Fault::None));
    let at = |name: &str| files.folder.path(name).to_str().unwrap().to_owned();
    for name in ["x.bam", "r1.fq.gz", "plain.fq", "g.fq.gz"] {
        let address = server.address(name);
        let json = |path: &str| -> serde_json::Value {
            let mut plan: serde_json::Value =
                serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            for file in plan["files"].as_array_mut().unwrap() {
                for key in ["path", "modified"] {
                    assert!(!file[key].take().is_null(), "{name}: {key}");
                }
            }
            plan
        };
        let (here, there) = (at("here.json"), at("there.json"));
        assert_eq!(run(&["shards", "-q", "--number", "3", &at(name), "-o", &here]).code, 0);
        let planned = run(&["shards", "-q", "--number", "3", &address, "-o", &there]);
        assert_eq!(planned.code, 0, "{planned:?}");
        assert_eq!(json(&here), json(&there), "{name}");
        let parts: Vec<String> = (1..=3)
            .map(|number| {
                let part = at(&format!("part{number}.json"));
                let shard = format!("{there}#{number}");
                let run = run(&["stats", "--json", "--shard", &shard, "-o", &part]);
                assert_eq!(run.code, 0, "{name} {number}: {run:?}");
                part
            })
            .collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let merged = run(&[&["merge", "--json"], &parts[..]].concat());
        let whole = run(&["stats", "--json", &address]);
        assert_eq!((merged.code, merged.stdout), (0, whole.stdout), "{name}");
        // Made of the file and used at the address, as a copy.
        let copied = run(&["stats", "--json", "--shard", &format!("{here}#2"), &address]);
        let local = run(&["stats", "--json", "--shard", &format!("{here}#2"), &at(name)]);
        assert_eq!((copied.code, copied.stdout), (0, local.stdout.replace(&at(name), &address)));
        // Another object is none of the plan's.
        server.put(name, std::fs::read(at("x.sam.gz")).unwrap());
        let changed = run(&["stats", "--shard", &format!("{there}#1")]);
        assert_error(&changed, &["has changed"]);
    }
}

#[test]
fn a_record_at_an_address_costs_few_requests() {
    let folder = Folder::new();
    let text = reads("r", 300_000);
    let path = folder.file("r.fq.gz", bgzf(text.as_bytes(), 30_000));
    assert_eq!(run(&["index", "--name-index", &path]).code, 0);
    let server = Server::start();
    let address = server.put("r.fq.gz", std::fs::read(&path).unwrap());
    server.put("r.fq.gz.bni", std::fs::read(format!("{path}.bni")).unwrap());
    let found = run(&["get", &address, "r123456"]);
    assert_eq!((found.code, &found.stdout), (0, &run(&["get", &path, "r123456"]).stdout));
    let (requests, sent) = (server.requests().len(), server.sent());
    assert!(requests < 80 && sent < 6_000_000, "{requests} requests, {sent} bytes");
}

#[test]
fn servers_without_ranges_serve_what_needs_none() {
    let files = Files::new();
    let manner = Manner { ranges: false, length: false, etag: false, ..Manner::default() };
    let server = files.serve(manner, Box::new(|_| Fault::None));
    let base = server.address("").trim_end_matches('/').to_owned();
    for args in [
        COMMANDS[0], COMMANDS[1], COMMANDS[2], COMMANDS[5], COMMANDS[9], COMMANDS[22], COMMANDS[31],
    ] {
        let local = files.outcome(args, &files.local());
        assert_eq!(files.outcome(args, &base), local, "{args:?}");
    }
    // A file of reference sequences is jumped in.
    let args = ["stats", "@x.bam", "--reference", "@ref.fa", "--format", "samtools"];
    assert_error(&files.outcome(&args, &base).0, &["the server doesn't support range requests"]);
}

#[test]
fn a_region_fetches_little_more_than_its_blocks() {
    let folder = Folder::new();
    let bam = alignments(&[("chr1", 200_000_000)], 100_000);
    let path = folder.file("x.bam", bgzf(&bam, 60_000));
    assert_eq!(run(&["index", &path]).code, 0);
    let server = Server::start();
    let data = std::fs::read(&path).unwrap();
    assert!(data.len() > 5_000_000, "{}", data.len());
    let address = server.put("x.bam", data);
    let index = ["x.bam.csi", "x.bam.bai"].map(|name| folder.path(name));
    let index = index.iter().find(|path| path.is_file()).unwrap();
    let name = index.file_name().unwrap().to_str().unwrap();
    server.put(name, std::fs::read(index).unwrap());
    let region = "chr1:70,000,000-70,010,000";
    let local = run(&["view", "-c", &path, region]);
    let remote = run(&["view", "-c", &address, region]);
    assert_eq!((remote.code, &remote.stdout), (0, &local.stdout), "{remote:?}");
    assert!(server.sent() < 1_000_000, "{} bytes for a region", server.sent());
}

#[test]
fn secrets_are_in_no_message_log_or_output() {
    let files = Files::new();
    let server = files.serve(Manner::default(), Box::new(|_| Fault::None));
    let out = files.folder.path("out.bam").to_str().unwrap().to_owned();
    let json = files.folder.path("out.json").to_str().unwrap().to_owned();
    let secret = |name: &str| {
        format!(
            "{}?X-Amz-Signature=hidden",
            server.address(name).replace("http://", "http://me:hidden@")
        )
    };
    let bam = secret("x.bam");
    for args in [
        &["filter", "-v", &bam, "--region", "chr2", "-o", &out, "--summary", &json][..],
        &["stats", "-v", &secret("r1.fq.gz")],
        &["stats", "--format", "samtools", &bam],
        &["sort", "-v", &bam, "-o", &out],
        &["view", "-h", &bam],
        &["stats", &secret("absent.fq")],
        &["coverage", "-v", &secret("absent.bam")],
        &["view", &bam, "chr9"],
        &["filter", &secret("r1.fq.gz"), "--names", &secret("absent.txt")],
        &["view", "-L", &secret("absent.bed"), &bam],
    ] {
        let run = run(args);
        assert!(!format!("{run:?}").contains("hidden"), "{args:?}: {run:?}");
        for path in [&out, &json] {
            let written = std::fs::read(path).unwrap_or_default();
            let plain = finish(command(&["view", "-h", path])).stdout;
            assert!(!written.windows(6).any(|window| window == b"hidden"), "{args:?}");
            assert!(!plain.contains("hidden"), "{args:?}");
        }
    }
    assert!(server.requests().iter().all(|request| request.query.contains("hidden")));
}

#[test]
fn verbose_tells_how_it_was_fetched() {
    let files = Files::new();
    let plan: Plan = Box::new(|request| match request.number {
        1 => Fault::Status(503, ""),
        _ => Fault::None,
    });
    let server = files.serve(Manner::default(), plan);
    let run = run(&["stats", "-v", &server.address("r1.fq.gz")]);
    assert_eq!(run.code, 0);
    for text in ["fetched in ranges: ", "1 retried", "the same ETag in all answers"] {
        assert!(run.stderr.contains(text), "{run:?}");
    }
}

#[test]
fn a_region_is_fetched_once_for_all_runs_with_a_cache() {
    let folder = Folder::new();
    let references = [("chr1", 200_000_000)];
    let path = folder.file("x.bam", bgzf(&alignments(&references, 100_000), 60_000));
    assert_eq!(run(&["index", &path, "-o", &format!("{path}.bai")]).code, 0);
    let server = Server::start();
    let address = server.put("x.bam", std::fs::read(&path).unwrap());
    server.put("x.bam.bai", std::fs::read(format!("{path}.bai")).unwrap());
    let cache = folder.path("new/cache").to_str().unwrap().to_owned();
    let region = "chr1:70,000,000-70,010,000";
    let local = run(&["view", &path, region]).stdout;
    let fetched = |args: &[&str]| {
        let before = (server.requests().len(), server.sent());
        let run = run(&[&["view", &address, region], args].concat());
        assert_eq!((run.code, &run.stdout), (0, &local), "{run:?}");
        (server.requests().len() - before.0, server.sent() - before.1, run.stderr)
    };
    let without = fetched(&[]);
    let first = fetched(&["--cache-dir", &cache]);
    // Whole blocks are kept, so that parts begin and end with them.
    assert_eq!(first.0, without.0);
    assert!((without.1..without.1 + 4 * (64 << 10)).contains(&first.1), "{without:?} {first:?}");
    let second = fetched(&["-v", "--cache-dir", &cache]);
    // The first block of each object is asked for, to learn its version; and for indexes that aren't there.
    assert_eq!(second.1, 2 * (64 << 10), "{}", second.2);
    assert!(second.0 < first.0);
    assert!(second.2.contains("MB from the cache"), "{}", second.2);
    // What is damaged is fetched again.
    for entry in std::fs::read_dir(&cache).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x20;
        std::fs::write(path, bytes).unwrap();
    }
    let third = fetched(&["--cache-dir", &cache]);
    assert_eq!(third.1, first.1);
    // Another object in its place is another one: none of the old blocks is used.
    let other = folder.file("y.bam", bgzf(&alignments(&references, 90_000), 60_000));
    assert_eq!(run(&["index", &other, "-o", &format!("{other}.bai")]).code, 0);
    server.put("x.bam", std::fs::read(&other).unwrap());
    server.put("x.bam.bai", std::fs::read(format!("{other}.bai")).unwrap());
    let now = run(&["view", "--cache-dir", &cache, &address, region]);
    assert_eq!((now.code, now.stdout), (0, run(&["view", &other, region]).stdout));
    // What a password or a query was needed for isn't kept.
    let size = |cache: &str| {
        let files = std::fs::read_dir(cache).unwrap();
        files.map(|entry| entry.unwrap().metadata().unwrap().len()).sum::<u64>()
    };
    let before = size(&cache);
    let secret = format!("{}?token=hidden", address.replace("http://", "http://me:hidden@"));
    assert_eq!(run(&["view", "--cache-dir", &cache, "-c", &secret, region]).code, 0);
    assert_eq!(size(&cache), before);
}

#[test]
fn a_cache_that_cannot_be_used_is_told_at_once() {
    let folder = Folder::new();
    let file = folder.file("file", "x");
    let run = run(&["stats", "--cache-dir", &file, "http://127.0.0.1:9/x.fq"]);
    assert_error(&run, &["can't use", "file as a cache"]);
}

#[test]
fn outputs_are_files() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 3));
    for args in [
        &["filter", &input, "-o", "s3://bucket/x.fq.gz"][..],
        &["stats", &input, "--out-dir", "https://host.org/x"],
        &["demux", "-i", &input, "--header-barcodes", "-s", &input, "-o", "gs://bucket/x"],
    ] {
        assert_error(&run(args), &["outputs can't be written to a URL"]);
    }
}

#[test]
fn wrong_numbers_in_the_environment_are_told() {
    let mut command = command(&["stats", "-"]);
    command.env("BIOFAST_REMOTE_RETRIES", "many");
    assert_error(&finish(command), &["BIOFAST_REMOTE_RETRIES must be a number from 0 to 100"]);
}

/// One fault of some kind.
fn fault(random: &mut Random) -> Fault {
    let at = random.below(70_000);
    match random.below(20) {
        0 | 1 => Fault::Cut(at),
        2 => Fault::Silent,
        3 => Fault::Slow(random.below_u64(3)),
        4 | 5 => Fault::Status([500, 502, 503, 504][at % 4], ""),
        6 => Fault::Status(429, "Retry-After: 0"),
        7 => Fault::Short(1 + at as u64 % 1000),
        8 => Fault::Shifted(1 + at as u64 % 1000),
        9 => Fault::Changed,
        10 => Fault::Grown,
        11 => Fault::Redirect,
        12 => Fault::Chunked,
        13 => Fault::ChunkedCut(at),
        14 => Fault::NoRange,
        15 => Fault::Gzip,
        16 => Fault::Page,
        17 => Fault::NoContentRange,
        18 => Fault::Status([404, 403, 400][at % 3], ""),
        _ => Fault::None,
    }
}

/// Runs with faults in a share of the answers: each equals the local run, or fails and names the bytes.
fn random_faults(runs: u64, seed: u64) {
    let files = Files::new();
    let commands: [&[&str]; 5] = [
        &["stats", "@r1.fq.gz", "--json"],
        &["view", "@x.bam", "chr1:1-400000"],
        &["check", "@plain.fq"],
        &[
            "filter", "@r1.fq.gz", "@r2.fq.gz", "--min-len", "60", "-o", "OUT/1.fq.gz", "--out2",
            "OUT/2.fq.gz",
        ],
        &["flagstat", "@x.sam.gz"],
    ];
    let locals = commands.map(|args| files.outcome(args, &files.local()));
    let (mut equal, mut failed) = (0, 0);
    for number in 0..runs {
        let seed = seed + number * 7919 + 1;
        let percent = [5, 20, 60][number as usize % 3];
        let plan: Plan = Box::new(move |request| {
            let mut random =
                Random(seed ^ (request.number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            random.next_u64();
            match random.chance(percent) {
                true => fault(&mut random),
                false => Fault::None,
            }
        });
        let manner =
            Manner { ranges: number % 10 != 9, etag: number % 7 != 6, ..Manner::default() };
        let server = files.serve(manner, plan);
        let base = server.address("").trim_end_matches('/').to_owned();
        let which = number as usize % commands.len();
        let remote = files.outcome(commands[which], &base);
        if remote == locals[which] {
            equal += 1;
            continue;
        }
        failed += 1;
        let (run, written) = &remote;
        let names_range =
            ["bytes ", "byte ", "(status 40"].iter().any(|text| run.stderr.contains(text));
        let told = run.stderr.contains("BASE/") || run.stdout.contains("BASE/");
        assert!(run.code != 0 && names_range && told, "run {number}: {remote:?}");
        assert!(written.is_empty(), "run {number}: an output of a run that failed");
        assert!(!run.stderr.contains("panicked"), "{remote:?}");
    }
    println!("{runs} runs: {equal} equal the local one, {failed} failed and named the bytes");
    assert!(equal > runs / 5 && failed > runs / 10, "{equal} and {failed}");
}

#[test]
fn runs_with_random_faults_equal_the_local_one_or_name_the_bytes() {
    random_faults(100, 1);
}

#[test]
#[ignore = "minutes: a thousand runs"]
fn a_thousand_runs_with_random_faults() {
    random_faults(1000, 100_000);
}

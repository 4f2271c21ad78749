//! Writes small valid inputs for every target: `cargo run --bin seeds -- corpus`. CRAM needs samtools.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use biofast_codecs::fqzcomp::{self, Read};
use biofast_codecs::nx16::Options;
use biofast_codecs::{Order, names, nx16, rans4x8};
use biofast_testkit::sam::{self, SamShape};
use biofast_testkit::{bam, container};

fn put(folder: &Path, name: &str, parts: &[&[u8]]) {
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join(name), parts.concat()).expect("a file");
}

/// What `samtools view` makes of SAM text; `None` where it isn't installed.
fn samtools(args: &[&str], text: &str) -> Option<Vec<u8>> {
    let path = std::env::temp_dir().join(format!("biofast-seed-{}.sam", std::process::id()));
    std::fs::write(&path, text).expect("a file");
    let output =
        Command::new("samtools").arg("view").args(args).arg(&path).stderr(Stdio::null()).output();
    let _ = std::fs::remove_file(&path);
    output.ok().filter(|o| o.status.success()).map(|o| o.stdout)
}

fn main() {
    let corpus = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "corpus".into()));
    let folder = |target: &str| corpus.join(target);
    let fastq: &[(&str, &[u8])] = &[
        ("plain", b"@a x\nACGT\n+\nIIII\n@b\nGG\n+b\n@+\n@c\n\n+\n\n"),
        ("crlf", b"@a x\r\nACGT\r\n+\r\nIIII\r\n\r\n@b\r\nGG\r\n+\r\nII"),
        ("wrapped", b"@a\nAC\nGT\n+a\nII\n@I\n@b\nN\n+\n!\n\n"),
        ("short", b"@a\nACGT\n+\nIII\n@b\nA\n+\nI\n"),
    ];
    for (name, text) in fastq {
        put(&folder("fastq"), name, &[b"\x05", text]);
        put(&folder("check"), name, &[b"\x05", text]);
        put(&folder("deflate"), name, &[b"\x03\x05", text]);
        put(&folder("bgzf"), name, &[b"\x07", text]);
        put(&folder("gzip"), name, &[b"\x0f", text]);
        put(&folder("gzip"), &format!("raw-{name}"), &[b"\x02", &container::gzip(text)]);
        put(&folder("bgzf"), &format!("raw-{name}"), &[b"\x02", &container::bgzf(text, 10)]);
        for (kind, how) in [
            (container::Kind::Zstd, "zstd"),
            (container::Kind::Bzip2, "bzip2"),
            (container::Kind::Xz, "xz"),
        ] {
            put(
                &folder("check"),
                &format!("{how}-{name}"),
                &[b"\x05", &container::wrap(kind, text)],
            );
        }
        let long = text.repeat(20);
        for level in [0, 1, 6, 12] {
            let mut compressor = libdeflater::Compressor::new(
                libdeflater::CompressionLvl::new(level).expect("a level"),
            );
            let mut out = vec![0; compressor.deflate_compress_bound(long.len())];
            let n = compressor.deflate_compress(&long, &mut out).expect("room");
            put(&folder("inflate"), &format!("{name}-{level}"), &[b"\0\0\x02", &out[..n]]);
            put(&folder("splice"), &format!("{name}-{level}"), &[b"\0\x10\x01", &out[..n]]);
            let how = 1 | 2 * level as u8;
            put(
                &folder("splice"),
                &format!("{name}-made-{level}"),
                &[&[how], b"\x10\x02\x01\x30", text],
            );
        }
    }
    for style in [0, 1, 2, 3, 5, 9, 13, 17, 33, 41, 65, 67, 127, 255] {
        let bytes: Vec<u8> =
            (0..60u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        put(&folder("deflate_bam"), &format!("records-{style}"), &[b"\x03\x60", &[style], &bytes]);
    }
    let text =
        b"A1:1:H2:3:1101:1000:02\0A1:1:H2:3:1101:1007:05\0A1:1:H2:3:1101:1007:05\0uu-7\0".repeat(9);
    for how in (0..32).chain([0xe3, 0xef]) {
        put(&folder("nx16"), &format!("made-{how}"), &[&[how], b"\x04\0\0", &text]);
    }
    let none = Options { order: Order::Zero, wide: false, pack: false, rle: false, stripe: None };
    for (name, order) in [("zero", Order::Zero), ("one", Order::One)] {
        let mut stream = Vec::new();
        nx16::encode(&text.repeat(2), &Options { order, wide: true, ..none }, &mut stream);
        let len = (2 * text.len() as u16).to_le_bytes();
        put(&folder("nx16"), &format!("stream-{name}"), &[b"\0\0", &len, &stream]);
        stream.clear();
        rans4x8::encode(&text, order, &mut stream);
        let len = (text.len() as u16).to_le_bytes();
        put(&folder("rans4x8"), &format!("stream-{name}"), &[&stream[..1], &len, &stream[9..]]);
    }
    let mut stream = Vec::new();
    names::encode(&text, &mut stream).expect("names");
    let len = (text.len() as u16).to_le_bytes();
    put(&folder("names"), "stream", &[&len, b"\x24", &stream[9..]]);
    put(&folder("names"), "text", &[b"\x09\0\x01", &text]);
    let qualities: Vec<u8> =
        (0..400u32).map(|i| 2 + (i.wrapping_mul(0x9e37_79b1) >> 28) as u8 * 2 % 40).collect();
    for (number, len) in [(0, 400), (1, 100), (2, 37)] {
        let lens = qualities.chunks(len).map(<[u8]>::len).enumerate();
        let reads: Vec<Read> = lens.map(|(n, len)| Read { len, is_reverse: n % 3 == 2 }).collect();
        let mut stream = Vec::new();
        fqzcomp::encode(&qualities, &reads, &mut stream).expect("reads of all qualities");
        // Behind the stated length, which takes two bytes.
        let len = (qualities.len() as u16).to_le_bytes();
        put(&folder("fqzcomp"), &format!("stream-{number}"), &[b"\x01", &len, &stream[2..]]);
        put(&folder("fqzcomp"), &format!("made-{number}"), &[&[number << 4], &len, &qualities]);
    }
    // Streams of the arithmetic coder: order 0, order 1, runs, stored as they are.
    for flags in [0, 1, 0x40, 0x41, 0x20, 0x80, 0x08] {
        // No length of their own (0x10); the first byte behind the flags is the number of symbols or of stripes.
        let body = [&[flags | 0x10, 4][..], &qualities[..60]].concat();
        put(&folder("range"), &format!("arithmetic-{flags}"), &[b"\x3c\0", &body]);
    }
    let extra = container::bgzf_block(b"ACGT", b"XY\x01\0z");
    put(&folder("bgzf"), "extra", &[b"\x02", &extra, &container::bgzf(b"", 1)]);
    for (number, oddities) in [(1, false), (2, true)] {
        let shape =
            SamShape { records: 4, sorted: number == 1, longest: 30, oddities, seed: number };
        let text = sam::text(&shape);
        put(&folder("sam"), &format!("{number}"), &[b"\x06", text.as_bytes()]);
        for how in [0x08, 0x0a, 0x1a, 0x2a] {
            put(&folder("cram_out"), &format!("{number}-{how:02x}"), &[&[how], text.as_bytes()]);
        }
        put(&folder("check"), &format!("sam-{number}"), &[b"\x06", text.as_bytes()]);
        for version in ["2.1", "3.0", "3.1"] {
            for more in [&["-O", "cram,no_ref=1"][..], &["-O", "cram,embed_ref=2,small"]] {
                let version_option = format!("version={version}");
                let args = [more, &["--no-PG", "--output-fmt-option", &version_option]].concat();
                if let Some(cram) = samtools(&args, &text) {
                    put(
                        &folder("cram"),
                        &format!("{number}-{version}-{}", more[1].len()),
                        &[b"\x04", &cram],
                    );
                }
            }
        }
    }
    let line = b"r\t99\tc\t7\t60\t2S3M1I2D4M\t=\t30\t40\tACGTNACGTA\tIIIIIIIIII\tNM:i:3\tXA:A:q\tXF:f:1.5\tXB:B:s,1,-2\tXH:H:1AE3\tMM:Z:C+m,1;\tML:B:C,9\n";
    put(&folder("sam"), "tags", &[b"\x01", line]);
    let tags = b"NMC\x03XAAqXff\0\0\xc0\x3fXBBs\x02\0\0\0\x01\0\xfe\xffXZZab\0";
    let one = bam::aligned(&bam::Aligned {
        reference: 0,
        position: 6,
        flags: 16,
        cigar: vec![5 << 4, (2 << 4) | 4],
        len: 7,
        tags: tags.to_vec(),
    });
    let records: Vec<u8> = bam::records(3, 1).iter().flat_map(bam::record).collect();
    let header = bam::header(&[("c1", 1000)]);
    put(&folder("bam"), "whole", &[b"\x00", &header, &one, &records]);
    put(&folder("bam"), "records", &[b"\x05", &one, &records]);
    put(&folder("bam"), "framed", &[b"\x03", &one[4..]]);
    put(&folder("cram_out"), "framed", &[b"\x09", &one[4..]]);
    for how in (0x40..=0x7f).step_by(5) {
        put(
            &folder("cram_out"),
            &format!("made-{how:02x}"),
            &[&[how], b"\x05\x7f\x00\x02\x1f", &one],
        );
    }
    put(
        &folder("check"),
        "bam",
        &[b"\x05", &container::bgzf(&[&header[..], &one, &records].concat(), 100)],
    );
    let expressions = [
        "mapq >= 30 && !flag.unmap && [NM] < 3",
        "qname =~ \"^r[0-9]+$\" || length(seq) > 10 and cigar =~ \"S$\"",
        "(pos + endpos) % 7 == 0x1f ^ 2 | ~3 & 5 && [MD] != \"\"",
        "min(qual) > 5 && avg(qual) >= 1e1 && rname == \"chr1\" && exists([BC]) && default([NM], 3) < 2",
        "!(ncigar - -2 * 3 / 4) && sqrt(qlen) > log(rlen) && exp(tlen) != pow(2, 3) && [RG:Z] !~ \"a|b\"",
    ];
    for (number, text) in expressions.iter().enumerate() {
        put(&folder("expression"), &number.to_string(), &[text.as_bytes()]);
    }
    put(&folder("index"), "fai", &[b"\x01", b"c1\t12\t4\t8\t9\nc2\t4\t23\t4\t5\n"]);
    let mut bai = b"BAI\x01\x02\0\0\0".to_vec();
    for _ in 0..2 {
        bai.extend(b"\x01\0\0\0\x49\x12\0\0\x01\0\0\0");
        bai.extend(0u64.to_le_bytes());
        bai.extend((5000u64 << 16).to_le_bytes());
        bai.extend(b"\x01\0\0\0\0\0\0\0\0\0\0\0");
    }
    bai.extend([0; 8]);
    put(&folder("index"), "bai", &[b"\x00", &bai]);
    let mut csi = b"CSI\x01\x0e\0\0\0\x05\0\0\0\0\0\0\0\x02\0\0\0".to_vec();
    for _ in 0..2 {
        csi.extend(b"\x01\0\0\0\x49\x12\0\0\0\0\0\0\0\0\0\0\x01\0\0\0");
        csi.extend(0u64.to_le_bytes());
        csi.extend((5000u64 << 16).to_le_bytes());
    }
    put(&folder("index"), "csi", &[b"\x06", &container::bgzf(&csi, 100)]);
    let pairs = b"\x0akeab\x0akecd\x09ka\x00\x20\x01\x02\x03\x04";
    put(&folder("cdb"), "written", &[b"\x01\x10\x30\x04", pairs]);
    // A table of two slots, the second of which has the record behind them, whose key is "a".
    let hash = u64::from(5381u32.wrapping_mul(33) ^ u32::from(b'a')).to_le_bytes();
    let slots = [&[0; 16][..], &hash, &4128u64.to_le_bytes()].concat();
    let record = [&1u64.to_le_bytes()[..], &2u64.to_le_bytes(), b"abc"].concat();
    put(&folder("cdb"), "tables", &[b"\x00\0\x02\x01", &slots, &record]);
    let operations = b"\x0a\x01hello\x04\x02ab\x01\x01\x0a\x01again\x00\x03";
    put(&folder("store"), "synced", &[b"\x21\x09\x03\x01", operations]);
    put(&folder("store"), "gathered", &[b"\x17\x3c\x01\x00", operations]);
}

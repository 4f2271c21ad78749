//! The tools under `examples/` do what they say.
#![allow(clippy::unwrap_used)]

#[path = "../examples/by_barcode.rs"]
#[allow(dead_code, unreachable_pub)]
mod by_barcode;
#[path = "../examples/depth.rs"]
#[allow(dead_code, unreachable_pub)]
mod depth;
#[path = "../examples/find_kmer.rs"]
#[allow(dead_code, unreachable_pub)]
mod find_kmer;
#[path = "../examples/keep_long.rs"]
#[allow(dead_code, unreachable_pub)]
mod keep_long;
#[path = "../examples/kmers.rs"]
#[allow(dead_code, unreachable_pub)]
mod kmers;
#[path = "../examples/mark_short.rs"]
#[allow(dead_code, unreachable_pub)]
mod mark_short;
#[path = "../examples/n50.rs"]
#[allow(dead_code, unreachable_pub)]
mod n50;
#[cfg(feature = "noodles")]
#[path = "../examples/noodles.rs"]
#[allow(dead_code, unreachable_pub)]
mod noodles;
#[path = "../examples/parts.rs"]
#[allow(dead_code, unreachable_pub)]
mod parts;
#[path = "../examples/region_tags.rs"]
#[allow(dead_code, unreachable_pub)]
mod region_tags;
#[path = "../examples/umi_pairs.rs"]
#[allow(dead_code, unreachable_pub)]
mod umi_pairs;

use std::error::Error;

/// What a tool prints; `arguments` are separated by blanks.
macro_rules! output {
    ($tool:ident, $arguments:expr) => {{
        let mut out = Vec::new();
        let result: Result<(), Box<dyn Error>> =
            $tool::run($arguments.split(' ').map(str::to_owned), &mut out);
        result.map(|()| String::from_utf8(out).unwrap())
    }};
}

fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

const READS: &str =
    "@a 1:N:0:AC\nACACA\n+\nIIIII\n@b 1:N:0:GT\nACNAC\n+\nIIIII\n@c 1:N:0:AC\nac\n+\nII\n";

#[test]
fn n50_of_a_file() {
    let (_folder, path) = file("r.fq", READS);
    let expected = format!("file\treads\tbases\tN50\tlongest\n{path}\t3\t12\t5\t5\n");
    assert_eq!(output!(n50, path).unwrap(), expected);
    let (_folder, bad) = file("bad.fq", "@a\nAC\n+\nI\n");
    let error = output!(n50, bad).unwrap_err().to_string();
    assert!(error.contains("record 1"), "{error}");
}

#[test]
fn words_are_counted_without_those_across_other_letters() {
    let (_folder, path) = file("r.fq", READS);
    assert_eq!(output!(kmers, format!("2 {path}")).unwrap(), "AC\t5\nCA\t2\n");
    assert!(output!(kmers, format!("32 {path}")).is_err());
}

/// First and second reads of the 2,500 pairs that the repository has.
const SAMPLE: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/sample_R1.fq.bgz"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/sample_R2.fq.bgz"),
];

/// The decompressed text of a file, which must be BGZF.
fn bgzf(path: &std::path::Path) -> String {
    let source = biofast::io::Source::open(path).unwrap();
    let mut reader = biofast::io::Reader::new(source, &biofast::io::Options::default()).unwrap();
    assert_eq!(reader.container(), biofast::io::Container::Bgzf);
    let mut text = String::new();
    std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
    text
}

#[test]
fn the_first_read_with_a_word_is_found_and_nothing_behind_it_is_read() {
    // What follows is no FASTQ, and far enough behind.
    let reads = format!("{READS}{}broken", "@d\nTT\n+\nII\n".repeat(300_000));
    let (_folder, path) = file("r.fq", &reads);
    assert_eq!(output!(find_kmer, format!("cnA {path}")).unwrap(), "read 2: b\n");
    assert_eq!(output!(find_kmer, format!("TGTGT {path}")).unwrap(), "read 1: a\n");
    assert!(output!(find_kmer, format!("GGG {path}")).is_err());
    let (_folder, path) = file("r.fq", READS);
    assert_eq!(output!(find_kmer, format!("GGG {path}")).unwrap(), "not found\n");
}

#[test]
fn long_good_reads_are_kept_as_bgzf() {
    let reads = "@a\nACGT\n+\nIIII\n@b\nAC\n+\nII\n@c\nACGT\n+\n####\n@d\nGGGG\n+\n5555\n";
    let (folder, path) = file("r.fq", reads);
    let to = folder.path().join("kept.fq.gz");
    let said = output!(keep_long, format!("{path} 3 20 {}", to.display())).unwrap();
    assert_eq!(said, "1 too short, 1 of low quality\n");
    assert_eq!(bgzf(&to), "@a\nACGT\n+\nIIII\n@d\nGGGG\n+\n5555\n");
    // What is damaged leaves no file.
    let (folder, bad) = file("bad.fq", "@a\nACGT\n+\nIII\n");
    let to = folder.path().join("kept.fq.gz");
    assert!(output!(keep_long, format!("{bad} 3 20 {}", to.display())).is_err());
    assert!(!to.exists());
}

#[test]
fn umis_go_behind_the_names_of_both_mates() {
    let (folder, _) = file("x", "");
    let to = ["1.fq.gz", "2.fq.gz"].map(|name| folder.path().join(name));
    let run = |one: &str, two: &str| {
        output!(umi_pairs, format!("{one} {two} 3 {} {}", to[0].display(), to[1].display()))
    };
    assert_eq!(run(SAMPLE[0], SAMPLE[1]).unwrap(), "2500 pairs\n");
    let [one, two] = [0, 1].map(|i| bgzf(&to[i]));
    let before = [0, 1].map(|i| bgzf(SAMPLE[i].as_ref()));
    let name = |text: &str| text.lines().next().unwrap().split(' ').next().unwrap().to_owned();
    let umi = &before[1].lines().nth(1).unwrap()[..3];
    assert_eq!(name(&one), format!("{}_{umi}", name(&before[0])));
    assert_eq!(one.lines().nth(1), before[0].lines().nth(1));
    assert_eq!(two.lines().nth(1), Some(&before[1].lines().nth(1).unwrap()[3..]));
    // Reads that aren't mates.
    let (_folder, other) = file("r.fq", READS);
    let error = run(SAMPLE[0], &other).unwrap_err().to_string();
    assert!(error.contains("record 1"), "{error}");
}

#[test]
fn parts_of_a_file_are_read_as_one() {
    let whole = std::fs::read(SAMPLE[0]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..3)
        .map(|i| folder.path().join(format!("part{i}")).to_str().unwrap().to_owned())
        .collect();
    for (name, part) in names.iter().zip(whole.chunks(whole.len().div_ceil(3))) {
        std::fs::write(name, part).unwrap();
    }
    let said = output!(parts, names.join(" ")).unwrap();
    assert_eq!(said, output!(parts, SAMPLE[0]).unwrap());
    let reads = said.lines().map(|line| line.split_once('\t').unwrap().1.parse::<u64>().unwrap());
    assert_eq!((said.lines().count(), reads.sum::<u64>()), (11, 2500));
    let (_folder, path) = file("r.fq", READS);
    // AC of ACACA and of ACNAC, and of ac.
    assert_eq!(output!(parts, path).unwrap().lines().nth(5), Some("50%\t2"));
    std::fs::remove_file(&names[1]).unwrap();
    let error = output!(parts, names.join(" ")).unwrap_err().to_string();
    assert!(error.contains("part1"), "{error}");
}

#[test]
fn reads_are_split_by_barcode_and_none_is_lost() {
    let (folder, path) = file("r.fq", READS);
    let to = folder.path().to_str().unwrap();
    let said = output!(by_barcode, format!("{path} {to} AC TT")).unwrap();
    assert_eq!(said, "AC\t2\nTT\t0\nother\t1\n");
    let read = |name: &str| bgzf(&folder.path().join(name));
    assert!(
        read("AC.fq.gz").starts_with("@a 1:N:0:AC\nACACA\n") && read("AC.fq.gz").contains("@c")
    );
    assert!(read("other.fq.gz").starts_with("@b") && read("TT.fq.gz").is_empty());
}

#[test]
fn the_mean_depth_of_a_region() {
    let sam = "@SQ\tSN:c\tLN:100\n\
        a\t0\tc\t1\t9\t4M\t*\t0\t0\tACGT\tIIII\n\
        b\t0\tc\t3\t9\t2M2D2M1S\t*\t0\t0\tACGTA\tIIIII\n\
        d\t1024\tc\t3\t9\t4M\t*\t0\t0\tACGT\tIIII\n";
    let (_folder, path) = file("a.sam", sam);
    // 4 bases of a, and 3, 4 and 7 of b; d is a duplicate.
    let said = output!(depth, format!("{path} c:1-7 c:50-60")).unwrap();
    assert_eq!(said, "c:1-7\t1.00\nc:50-60\t0.00\n");
}

const ALIGNMENTS: &str = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:100\n\
    a\t0\tc\t1\t9\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:0\tRG:Z:lane1\n\
    b\t16\tc\t3\t9\t1S2M1I1M2D2M\t*\t0\t0\tACGTACG\tIIIIIII\tNM:i:3\n\
    u\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n";

#[test]
fn alignments_of_a_region_with_tags_and_cigars() {
    let (_folder, path) = file("a.sam", ALIGNMENTS);
    let said = output!(region_tags, format!("{path} c:5-10")).unwrap();
    assert_eq!(said, "b\tc:3\t1S2M1I1M2D2M\t+1-2\t3\t.\n");
    let said = output!(region_tags, format!("{path} c *")).unwrap();
    assert_eq!(said.lines().count(), 3);
    assert!(
        said.starts_with("a\tc:1\t4M\t+0-0\t0\tlane1\n")
            && said.ends_with("u\t*:0\t*\t+0-0\t.\t.\n")
    );
    assert!(output!(region_tags, path).is_err());
}

#[test]
fn changed_records_are_written_back_with_an_index() {
    let (folder, path) = file("a.sam", ALIGNMENTS);
    let to = folder.path().join("b.bam");
    let to = to.to_str().unwrap();
    let said = output!(mark_short, format!("{path} 5 {to}")).unwrap();
    assert_eq!(said, "3 records, 1 marked\n");
    assert!(folder.path().join("b.bam.bai").is_file());
    // Looked up through the index just written.
    let mut regions = biofast::bam::Selection::new();
    regions.add("c");
    let mut reader = biofast::bam::Reader::builder().regions(regions).open(to).unwrap();
    assert_eq!(reader.notes(), []);
    let records: Vec<_> = reader.records().map(|r| r.unwrap()).collect();
    let found: Vec<_> = records
        .iter()
        .map(|r| (r.flags(), r.tag(b"XA").unwrap().and_then(|value| value.as_int())))
        .collect();
    assert_eq!(found, [(512, Some(4)), (16, Some(5))]);
    // What can't be sorted leaves no file.
    let (folder, unsorted) = file("a.sam", &ALIGNMENTS.replace("c\t1\t9", "c\t50\t9"));
    let to = folder.path().join("b.bam");
    let error = output!(mark_short, format!("{unsorted} 5 {}", to.display())).unwrap_err();
    assert!(error.to_string().contains("record 2: not sorted"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
#[cfg(feature = "noodles")]
fn records_pass_through_the_types_of_noodles() {
    let pair = "p\t99\tc\t7\t60\t4M\t=\t20\t17\tACGT\tIIII\tNM:i:0\n";
    let (folder, path) = file("a.sam", &format!("{ALIGNMENTS}{pair}"));
    let to = folder.path().join("b.bam");
    let to = to.to_str().unwrap();
    assert_eq!(output!(noodles, format!("{path} 30 {to}")).unwrap(), "1 records\n");
    let mut reader = biofast::bam::Reader::open(to).unwrap();
    assert!(reader.header().text().ends_with(b"@CO\tproper pairs\n"));
    let record = reader.next_record().unwrap().unwrap();
    assert_eq!((record.name(), record.mapping_quality()), (&b"p"[..], 30));
}

//! `biofast umi`: which reads are kept and how they are grouped, by a plain rule; mates, reports and faults. Equality with umi_tools:
//! `tests/peers/umi.rs`.

use std::collections::{BTreeMap, BTreeSet};

use biofast_testkit::random::Random;

use crate::common::{Folder, fails, good, in_process, ok, ok_with, silent, text};

const HEADER: &str =
    "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:100000\n@SQ\tSN:chr2\tLN:100000\n";

/// Pairs and single reads in the order of coordinates, with UMIs in their names and in RX, and a gene in XG.
fn reads(seed: u64, templates: usize) -> String {
    let mut random = Random(seed);
    let umis: Vec<String> =
        (0..6).map(|_| (0..6).map(|_| char::from(b"ACGT"[random.below(4)])).collect()).collect();
    let mut lines = Vec::new();
    for number in 0..templates {
        let mut umi = umis[random.below(6)].clone();
        if random.chance(30) {
            let at = random.below(6);
            umi.replace_range(at..=at, ["A", "C", "G", "T"][random.below(4)]);
        }
        let name = format!("r{number}_{umi}");
        let contig = 1 + random.below(2);
        let position = 1000 + 700 * random.below(4) + random.below(2);
        let quality = [60, 60, 30][random.below(3)];
        let (clip, cigar) = [(0, "20M"), (3, "3S17M")][random.below(2)];
        let gene = ["g1", "g2", "__none"][random.below(3)];
        let rest = format!("{}\t{}\tRX:Z:{umi}\tXG:Z:{gene}\n", "ACGTA".repeat(4), "I".repeat(20));
        let mut add = |at: usize, fields: String| lines.push((contig, at, number, fields));
        let start = position + clip;
        if random.chance(20) {
            add(
                start,
                format!("{name}\t0\tchr{contig}\t{start}\t{quality}\t{cigar}\t*\t0\t0\t{rest}"),
            );
            continue;
        }
        let (end, len) = (start + 100, 120);
        add(
            start,
            format!(
                "{name}\t99\tchr{contig}\t{start}\t{quality}\t{cigar}\t=\t{end}\t{len}\t{rest}"
            ),
        );
        add(
            end,
            format!("{name}\t147\tchr{contig}\t{end}\t{quality}\t20M\t=\t{start}\t-{len}\t{rest}"),
        );
    }
    lines.sort_by_key(|one| (one.0, one.1, one.2));
    HEADER.to_owned() + &lines.into_iter().map(|(.., line)| line).collect::<String>()
}

fn names(sam: &str) -> BTreeSet<String> {
    let records = sam.lines().filter(|line| !line.starts_with('@'));
    records.map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

fn sam_of(args: &str, input: &str) -> String {
    let args: Vec<&str> = args.split(' ').chain(["-q", "--no-PG", "-O", "sam", input]).collect();
    silent(&[&["umi"], &args[..]].concat()).stdout
}

/// What a plain rule keeps with `--method unique`: of each UMI and place the second of the reads with the highest quality, or the only one.
fn kept_by_plain_rule(sam: &str, by_template: bool) -> BTreeSet<String> {
    let mut places: BTreeMap<String, Vec<(u32, String)>> = BTreeMap::new();
    for line in sam.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields[1] == "147" {
            continue;
        }
        let clip = if fields[5].starts_with("3S") { 3 } else { 0 };
        let start = fields[3].parse::<u32>().unwrap() - clip;
        let len = if by_template { fields[8] } else { "" };
        let umi = fields[0].split('_').nth(1).unwrap();
        let place = format!("{} {start} {len} {umi}", fields[2]);
        let quality = fields[4].parse().unwrap();
        places.entry(place).or_default().push((quality, fields[0].to_owned()));
    }
    let best = |reads: &Vec<(u32, String)>| {
        let most = reads.iter().map(|(quality, _)| *quality).max().unwrap();
        let best: Vec<&(u32, String)> = reads.iter().filter(|read| read.0 == most).collect();
        best[usize::from(best.len() > 1)].1.clone()
    };
    places.values().map(best).collect()
}

#[test]
fn one_read_of_each_umi_and_place_is_kept_with_its_mate() {
    let folder = Folder::new();
    for seed in 0..6 {
        let sam = reads(seed, 300);
        let path = folder.file("x.sam", &sam);
        for (args, by_template) in [
            ("--paired", true),
            ("--paired --ignore-tlen", false),
            ("--paired --read-length", true),
        ] {
            let kept = sam_of(&format!("dedup --method unique {args}"), &path);
            let expected = kept_by_plain_rule(&sam, by_template);
            assert_eq!(names(&kept), expected, "{seed} {args}");
            // Records are as they were and in their order, with all mates.
            let lines: Vec<&str> = sam
                .lines()
                .filter(|line| {
                    line.starts_with('@') || expected.contains(line.split('\t').next().unwrap())
                })
                .collect();
            assert_eq!(kept.lines().collect::<Vec<_>>(), lines, "{seed} {args}");
        }
        let single = sam_of("dedup --method unique", &path);
        assert_eq!(names(&single), kept_by_plain_rule(&sam, false));
        assert!(!single.contains("\t147\t"), "mates are kept only of pairs");
    }
}

#[test]
fn reads_have_the_number_and_the_umi_of_their_group() {
    let folder = Folder::new();
    let sam = reads(4, 500);
    let path = folder.file("x.sam", &sam);
    let grouped = sam_of("group --method cluster --paired --umi-group-tag MI", &path);
    assert_eq!(grouped.lines().count(), sam.lines().count());
    let mut groups: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for (line, before) in
        grouped.lines().zip(sam.lines()).filter(|(line, _)| !line.starts_with('@'))
    {
        let Some((record, group)) = line.split_once("\tUG:i:") else {
            assert!(line == before && line.contains("\t147\t"), "{line}");
            continue;
        };
        assert_eq!(record, before);
        let (number, umi) = group.split_once("\tMI:Z:").unwrap();
        let found = groups.entry(number).or_default();
        found.0.insert(umi);
        found.1.insert(line.split(['\t', '_']).nth(1).unwrap());
    }
    assert!(groups.len() > 20, "{}", groups.len());
    assert!(groups.values().all(|(umis, members)| umis.len() == 1 && members.is_superset(umis)));
    assert!(groups.values().any(|(_, members)| members.len() > 2), "errors are joined");
    // The same in tags, and the table alone.
    let tagged = sam_of("group --method cluster --paired --umi-group-tag MI --umi-tag RX", &path);
    assert_eq!(tagged, grouped);
    let table = folder.path("groups.tsv");
    let run = ok(&[
        "umi",
        "group",
        "--method",
        "cluster",
        "--paired",
        "--group-out",
        &text(&table),
        &path,
    ]);
    assert_eq!(run.stdout, "");
    let table = std::fs::read_to_string(table).unwrap();
    assert!(table.starts_with("read_id\tcontig\tposition\tgene\tumi\tumi_count\tfinal_umi\t"));
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let tags = format!("\tUG:i:{}\tMI:Z:{}", fields[8], fields[6]);
        let record = |line: &&str| line.starts_with(fields[0]) && !line.contains("\t147\t");
        assert!(grouped.lines().find(record).unwrap().ends_with(&tags), "{row}");
    }
    assert_eq!(table.lines().count() - 1, grouped.matches("\tUG:i:").count());
}

#[test]
fn every_input_and_number_of_threads_gives_the_same() {
    let folder = Folder::new();
    let sam = reads(9, 20_000);
    let path = folder.file("x.sam", &sam);
    let bam = text(&folder.path("x.bam"));
    ok(&["view", "-b", "--no-PG", &path, "-o", &bam]);
    for args in ["dedup --paired", "dedup", "group", "dedup --per-gene --gene-tag XG"] {
        let words: Vec<&str> = args.split(' ').collect();
        let once = |more: &[&str], input: &[u8]| {
            let args = [&["umi"][..], &words, &["-q", "--no-PG"], more].concat();
            ok_with(&args, input).stdout
        };
        let serial = once(&["-@", "1", "-O", "sam", &path], b"");
        for threads in ["2", "5"] {
            for input in [&path, &bam] {
                assert!(
                    once(&["-@", threads, "-O", "sam", input], b"") == serial,
                    "{args} {threads}"
                );
            }
        }
        assert!(
            once(&["-O", "sam", "-"], &std::fs::read(&bam).unwrap()) == serial,
            "{args}, a pipe"
        );
        let out = text(&folder.path("o.bam"));
        once(&["-o", &out, "--write-index", &bam], b"");
        assert!(ok(&["view", "-h", "--no-PG", &out]).stdout == serial, "{args}");
        ok(&["check", "-q", &out]);
    }
}

#[test]
fn genes_and_cells_are_told_apart() {
    let folder = Folder::new();
    let path = folder.file("x.sam", reads(2, 200));
    let table = |args: &str| {
        let args = format!("umi group --group-out - -q {args}");
        let run = ok(&args.split(' ').chain([&path[..]]).collect::<Vec<_>>());
        run.stdout.lines().skip(1).map(|row| row.split('\t').map(str::to_owned).collect()).collect()
    };
    let by_gene: Vec<Vec<String>> = table("--per-gene --gene-tag XG");
    let genes: BTreeSet<&str> = by_gene.iter().map(|row| &row[3][..]).collect();
    assert_eq!(genes, BTreeSet::from(["g1", "g2"]));
    let all: Vec<Vec<String>> = table("--per-gene --gene-tag XG --skip-tags-regex ^$");
    assert!(all.iter().any(|row| row[3] == "__none"));
    let contigs: Vec<Vec<String>> = table("--per-gene --per-contig");
    assert!(contigs.iter().all(|row| row[3] == row[1]));
    let groups =
        |rows: &[Vec<String>]| rows.iter().map(|row| row[8].clone()).collect::<BTreeSet<_>>();
    assert!(groups(&contigs).len() < groups(&by_gene).len());
    // Each read is a cell by itself.
    let cells: Vec<Vec<String>> = table("--per-cell");
    assert_eq!(groups(&cells).len(), cells.len());
}

#[test]
fn statistics_count_reads_before_and_after() {
    let folder = Folder::new();
    let read = |number: usize, umi: &str| {
        format!("r{number}_{umi}\t0\tchr1\t100\t60\t4M\t*\t0\t0\tACGT\tIIII\n")
    };
    let umis = ["AAAA", "AAAA", "AAAA", "AAAC", "GGGG"];
    let sam: String = umis.iter().enumerate().map(|(number, umi)| read(number, umi)).collect();
    folder.file("x.sam", format!("{HEADER}{sam}"));
    good(&folder, &["umi", "dedup", "-q", "x.sam", "-o", "o.bam", "--output-stats", "s"]);
    let stats =
        |name: &str| std::fs::read_to_string(folder.path(&format!("s_{name}.tsv"))).unwrap();
    assert_eq!(
        stats("per_umi"),
        "UMI\tmedian_counts_pre\ttimes_observed_pre\ttotal_counts_pre\tmedian_counts_post\ttimes_observed_post\ttotal_counts_post\n\
         AAAA\t3\t1\t3\t4\t1\t4\nAAAC\t1\t1\t1\t0\t0\t0\nGGGG\t1\t1\t1\t1\t1\t1\n"
    );
    assert_eq!(
        stats("per_umi_per_position"),
        "counts\tinstances_pre\tinstances_post\n1\t2\t1\n3\t1\t0\n4\t0\t1\n"
    );
    let distances = stats("edit_distance");
    let observed: Vec<String> = distances
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|fields| [fields[0], fields[2], fields[4]].join(" "))
        .collect();
    assert_eq!(observed[..2], ["unique directional edit_distance", "0 0 Single_UMI"]);
    assert!(observed.contains(&"1 0 3".to_owned()) && observed.contains(&"0 1 4".to_owned()));
}

#[test]
fn what_has_no_umi_or_no_order_is_an_error_or_told() {
    let folder = Folder::new();
    let read = |name: &str, at: usize, tags: &str| {
        format!("{name}\t0\tchr1\t{at}\t60\t4M\t*\t0\t0\tACGT\tIIII{tags}\n")
    };
    let file = |lines: &[String]| folder.file("x.sam", HEADER.to_owned() + &lines.concat());
    let path = file(&[read("a_AC", 9, ""), read("b", 9, "")]);
    fails(&["umi", "dedup", &path], &["record 2", "'b'", "UMI", "--umi-separator"]);
    fails(
        &["umi", "dedup", "--umi-tag", "RX", &path],
        &["none of the 2 reads has a UMI in the tag RX", "--umi-tag"],
    );
    let path = file(&[read("a_AC", 9, ""), read("b_ACG", 9, "")]);
    fails(&["umi", "group", &path], &["x.sam", "chr1:9", "2 and 3 letters"]);
    assert_eq!(names(&sam_of("dedup --method unique", &path)).len(), 2);
    let path = file(&[read("a_AC", 99, ""), read("b_AC", 9, "")]);
    fails(&["umi", "dedup", &path], &["x.sam", "record 2", "chr1", "biofast sort"]);
    let path = file(&[read("a", 9, "\tRX:Z:AC"), read("b", 9, "")]);
    let run = ok(&["umi", "dedup", "-O", "sam", "--umi-tag", "RX", &path]);
    assert!(run.stderr.contains("1 read without a UMI"), "{}", run.stderr);
    let path = file(&[read("a", 9, "\tRX:i:7")]);
    fails(&["umi", "dedup", "--umi-tag", "RX", &path], &["record 1", "isn't text"]);
    let reads = folder.file("r.fq", "@a_AC\nA\n+\nI\n");
    fails(&["umi", "dedup", &reads], &["biofast dedup"]);
    for (args, needed) in [
        ("dedup --group-out x.tsv", "biofast umi group"),
        ("group --ignore-umi", "biofast umi dedup"),
        ("dedup --unmapped-reads output", "biofast umi group"),
        ("group --unmapped-reads use", "--paired"),
        ("group --per-gene", "--gene-tag"),
        ("group --per-cell --umi-tag RX", "--cell-tag"),
        ("group --umi-tag RX --umi-separator :", "--extract-umi-method read_id"),
        ("group --extract-umi-method read_id --umi-tag RX", "--extract-umi-method tag"),
        ("dedup --per-gene --gene-tag XG --skip-tags-regex (", "--skip-tags-regex"),
    ] {
        let args: Vec<&str> =
            ["umi"].into_iter().chain(args.split(' ')).chain([&path[..]]).collect();
        fails(&args, &[needed]);
    }
    assert!(in_process(&["umi", "--help"]).contains("umi_tools"));
}

#[test]
fn reads_clipped_by_more_than_a_thousand_bases_wait_for_the_whole_contig() {
    let folder = Folder::new();
    let mut sam = HEADER.to_owned();
    // So many that places before the last are decided about.
    for number in 0..70_000 {
        sam += &format!("r{number}_AC\t0\tchr1\t{}\t60\t1M\t*\t0\t0\tA\tI\n", 2000 + number / 20);
    }
    sam += &format!("late_AC\t0\tchr1\t5600\t60\t3600S1M\t*\t0\t0\t{}\t*\n", "A".repeat(3601));
    let path = folder.file("x.sam", sam);
    let run = ok(&["umi", "dedup", "-O", "sam", &path]);
    assert!(run.stderr.contains("1 read with more than 1000 clipped bases"), "{}", run.stderr);
    let whole = ok(&["umi", "dedup", "-O", "sam", "--buffer-whole-contig", &path]);
    assert_eq!(names(&run.stdout).len(), names(&whole.stdout).len() + 1);
}

//! `biofast umi` beside umi_tools 1.1.6: random files with random options, and third-party files.
//!
//! Of reads that are as good, umi_tools draws one. The numbers it draws are fixed here, so that it takes the one that biofast takes.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use biofast_testkit::effort;
use biofast_testkit::random::Random;

use crate::common::{Folder, biofast, text};
use crate::tools;

/// Runs umi_tools with the arguments of each line, separated by tabs, and prints whether it failed.
const UMI_TOOLS: &str = "\
import contextlib, io, logging, random, sys
try:
    import umi_tools.version
except ImportError:
    sys.exit('umi_tools is not installed: this test compares with it')
assert umi_tools.version.__version__ == '1.1.6', umi_tools.version.__version__
import pysam, umi_tools.dedup, umi_tools.group
random.random = lambda: 0.9999999
for line in sys.stdin:
    bam, mode, *words = line.rstrip('\\n').split('\\t')
    logging.getLogger().handlers.clear()
    pysam.index(bam)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            getattr(umi_tools, mode).main(['umi_tools', '-I', bam, *words])
        print('fine')
    except (Exception, SystemExit) as error:
        print('failed', type(error).__name__, *str(error).split())
";

/// What became of each run.
fn umi_tools(runs: &[Vec<String>]) -> Vec<String> {
    let mut command: Command = tools::need("python3");
    command.args(["-W", "ignore", "-c", UMI_TOOLS]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines: String = runs.iter().map(|words| words.join("\t") + "\n").collect();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    assert!(output.status.success(), "{command:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let found: Vec<String> =
        printed.lines().filter(|line| line.starts_with("f")).map(str::to_owned).collect();
    assert_eq!(found.len(), runs.len(), "{printed}");
    found
}

const CONTIGS: [&str; 3] = ["c1", "c2", "c10"];

/// Alignments in the order of coordinates, with all that the options ask for.
fn alignments(random: &mut Random, templates: usize) -> String {
    let span = [200, 3000, 30_000][random.below(3)];
    let len = [4, 6, 12][random.below(3)];
    let places: Vec<(usize, usize)> =
        (0..12).map(|_| (random.below(3), 2000 + random.below(span))).collect();
    let sequence = |random: &mut Random, len: usize| -> String {
        (0..len).map(|_| char::from(b"ACGT"[random.below(4)])).collect()
    };
    let umis: Vec<String> = (0..8).map(|_| sequence(random, len)).collect();
    let cells: Vec<String> = (0..3).map(|_| sequence(random, 5)).collect();
    let mut lines: Vec<(usize, usize, String)> = Vec::new();
    for number in 0..templates {
        let mut umi = umis[random.below(8)].clone();
        if random.chance(40) {
            let at = random.below(len);
            umi.replace_range(at..=at, ["A", "C", "G", "T", "N"][random.below(5)]);
        }
        let cell = &cells[random.below(3)];
        let (contig, at) = places[random.below(12)];
        let bases = 30 + random.below(2);
        let is_reverse = random.chance(50);
        let quality = [60, 60, 60, 30, 10, 0][random.below(6)];
        let mut add = |random: &mut Random,
                       flags: u16,
                       at: (usize, usize),
                       mate: (&str, usize),
                       len: i64| {
            let rest = |taken: usize| bases - taken;
            let cigar = match random.below(12) {
                _ if flags & 4 != 0 => "*".into(),
                0 => format!("5S{}M", rest(5)),
                1 => format!("{}M6S", rest(6)),
                2 => format!("3S{}M3S", rest(6)),
                3 => format!("10M200N{}M", rest(10)),
                4 => format!("2H10M2D{}M", rest(10)),
                5 => format!("10M2I{}M", rest(12)),
                6 => format!("2S10M100N{}M", rest(12)),
                7 => format!("{}M4S3H", rest(4)),
                _ => format!("{bases}M"),
            };
            let mut tags = format!("NH:i:{}\tX0:i:{}", 1 + random.below(2), 1 + random.below(3));
            tags += ["\tXT:A:U", "\tXT:A:R", "\tXT:Z:U"][random.below(3)];
            tags += &format!("\tCB:Z:{cell}{}", ["", "-1"][random.below(2)]);
            if random.chance(95) {
                tags += &format!("\tRX:Z:{umi}{}", ["", "-1"][random.below(2)]);
            }
            if random.chance(90) {
                tags += ["\tXG:Z:g1", "\tXG:Z:g2", "\tXG:Z:__no", "\tXG:Z:Unassigned_x", "\tXG:Z:"]
                    [random.below(5)];
            }
            if random.chance(10) {
                tags += "\tUG:i:5\tBX:Z:x";
            }
            let (reference, position) = match at.0 {
                3 => ("*", 0),
                contig => (CONTIGS[contig], at.1),
            };
            let line = format!(
                "r{number}_{cell}_{umi}\t{flags}\t{reference}\t{position}\t{quality}\t{cigar}\t{}\t{}\t{len}\t{}\t{}\t{tags}\n",
                mate.0,
                mate.1,
                "A".repeat(bases),
                "I".repeat(bases)
            );
            lines.push((at.0, position, line));
        };
        let strand = if is_reverse { 16 } else { 0 };
        let place = (contig, at);
        match random.below(25) {
            0 => add(random, strand, place, ("*", 0), 0),
            1 => {
                add(random, 77, (3, 0), ("*", 0), 0);
                add(random, 141, (3, 0), ("*", 0), 0);
            }
            2 => {
                add(random, 73 | strand, place, ("=", at), 0);
                add(random, 133, place, ("=", at), 0);
            }
            3 => {
                add(random, 69, place, ("=", at), 0);
                add(random, 137 | strand, place, ("=", at), 0);
            }
            4 => {
                let other = places[random.below(12)];
                let name = |of: usize, here: usize| if of == here { "=" } else { CONTIGS[of] };
                add(random, 65 | strand, place, (name(other.0, contig), other.1), 0);
                add(random, 129 | strand << 1, other, (name(contig, other.0), at), 0);
            }
            kind => {
                let len: i64 = [100, 100, 101, -80][random.below(4)];
                let mate = (at as i64 + len) as usize;
                let (first, second) = if is_reverse { (83, 163) } else { (99, 147) };
                add(random, first, place, ("=", mate), len);
                add(random, second, (contig, mate), ("=", at), -len);
                match kind {
                    5 => add(random, first | 256, (contig, at + 7), ("=", mate), len),
                    6 => add(random, second | 2048, (contig, mate), ("=", at), -len),
                    _ => {}
                }
            }
        }
    }
    lines.sort_by_key(|(contig, at, _)| (*contig, *at));
    let mut sam = String::from("@HD\tVN:1.6\tSO:coordinate\n");
    CONTIGS.iter().for_each(|contig| sam += &format!("@SQ\tSN:{contig}\tLN:100000\n"));
    lines.iter().for_each(|(.., line)| sam += line);
    sam
}

const METHODS: [&str; 5] = ["unique", "percentile", "cluster", "adjacency", "directional"];

/// Options that both understand.
fn options(random: &mut Random, is_group: bool) -> Vec<&'static str> {
    let mut options = vec!["--method", METHODS[random.below(5)]];
    let mut some = |random: &mut Random, percent: u64, words: &[&'static str]| {
        let is_given = random.chance(percent);
        if is_given {
            options.extend(words);
        }
        is_given
    };
    let threshold = ["0", "2", "3"][random.below(3)];
    some(random, 30, &["--edit-distance-threshold", threshold]);
    let has_cells = some(random, 30, &["--per-cell"]);
    let tag = ["--extract-umi-method", "tag", "--umi-tag", "RX", "--umi-tag-split", "-"];
    let is_tag = some(random, 25, &tag);
    if is_tag && has_cells {
        some(random, 100, &["--cell-tag", "CB"]);
    }
    match random.below(10) {
        0 => _ = some(random, 100, &["--per-gene", "--per-contig"]),
        1 => {
            some(random, 100, &["--per-gene", "--gene-tag", "XG"]);
            some(random, 30, &["--skip-tags-regex", "^g1"]);
        }
        _ => {}
    }
    if some(random, 70, &["--paired"]) {
        let policies = if is_group { 3 } else { 2 };
        some(random, 30, &["--ignore-tlen"]);
        let unpaired = ["discard", "use"][random.below(2)];
        some(random, 40, &["--unpaired-reads", unpaired]);
        let policy = |random: &mut Random| ["discard", "use", "output"][random.below(policies)];
        let (unmapped, chimeric) = (policy(random), policy(random));
        some(random, 40, &["--unmapped-reads", unmapped]);
        some(random, 40, &["--chimeric-pairs", chimeric]);
    } else if is_group {
        some(random, 20, &["--unmapped-reads", "output"]);
    }
    let quality = ["10", "31"][random.below(2)];
    some(random, 30, &["--mapping-quality", quality]);
    if some(random, 30, &["--spliced-is-unique"]) {
        let threshold = ["0", "3", "6"][random.below(3)];
        some(random, 50, &["--soft-clip-threshold", threshold]);
    }
    some(random, 30, &["--read-length"]);
    some(random, 30, &["--buffer-whole-contig"]);
    if !is_group {
        let tag = ["NH", "X0", "XT"][random.below(3)];
        some(random, 30, &["--multimapping-detection-method", tag]);
        if !is_tag {
            some(random, 10, &["--ignore-umi"]);
        }
    }
    options
}

/// The records of a file in an order of their own.
fn records(path: &str) -> Vec<String> {
    let run = biofast(&["view", path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut lines: Vec<String> = run.stdout.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Whether a record is a mate on another reference sequence than its first read: umi_tools doesn't find it if it comes before that.
fn is_lost(line: &str) -> bool {
    let fields: Vec<&str> = line.split('\t').collect();
    let flags: u16 = fields[1].parse().unwrap();
    flags & 0x80 != 0 && fields[6] != "="
}

/// Lines, sorted unless their order is that of umi_tools.
fn rows(path: &str, is_ordered: bool) -> Vec<String> {
    let table = std::fs::read_to_string(path).unwrap();
    let mut rows: Vec<String> = table.lines().map(str::to_owned).collect();
    if !is_ordered {
        rows.sort();
    }
    rows
}

/// The columns of a table of distances that aren't drawn, without rows of zeros at the end.
fn distances(path: &str) -> Vec<[String; 3]> {
    let rows = rows(path, true).into_iter().map(|row| {
        let fields: Vec<&str> = row.split('\t').collect();
        [0, 2, 4].map(|field| fields[field].to_owned())
    });
    rows.filter(|row| row[0] != "0" || row[1] != "0").collect()
}

/// Runs both with the same options, and compares all they write.
fn compare(folder: &Folder, runs: Vec<(String, Vec<&'static str>)>) {
    let at = |name: String| text(&folder.path(&name));
    let has_stats = |options: &[&str]| !options.contains(&"--ignore-umi");
    let mode = |number: usize| if number.is_multiple_of(2) { "group" } else { "dedup" };
    let outputs = |number: usize, whose: &str, options: &[&str]| -> Vec<String> {
        match mode(number) {
            "group" => vec!["--group-out".into(), at(format!("{number}.{whose}.tsv"))],
            _ if has_stats(options) => {
                vec!["--output-stats".into(), at(format!("{number}.{whose}"))]
            }
            _ => Vec::new(),
        }
    };
    let theirs: Vec<Vec<String>> = runs
        .iter()
        .enumerate()
        .map(|(number, (bam, options))| {
            let words = [&[bam, mode(number)][..], options].concat();
            let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            words.extend(outputs(number, "theirs", options));
            words.extend(["-S".into(), at(format!("{number}.theirs.bam"))]);
            words.extend(["-L".into(), at("log".into()), "--temp-dir".into(), at(".".into())]);
            if mode(number) == "group" {
                words.push("--output-bam".into());
            }
            words
        })
        .collect();
    let found = umi_tools(&theirs);
    for (number, ((bam, options), found)) in runs.iter().zip(found).enumerate() {
        let out = at(format!("{number}.ours.bam"));
        let more = outputs(number, "ours", options);
        let args = [&["umi", mode(number), "-q", "--no-PG", bam, "-o", &out][..], options].concat();
        let args: Vec<&str> = args.into_iter().chain(more.iter().map(|word| &word[..])).collect();
        let run = biofast(&args);
        assert_eq!(found.split(' ').next(), Some("fine"), "{args:?}: {found}, {}", run.stderr);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        let theirs: Vec<String> = records(&at(format!("{number}.theirs.bam")));
        let ours = records(&out);
        let set: BTreeSet<&String> = theirs.iter().collect();
        let ours: Vec<String> = ours
            .into_iter()
            .filter(|line| set.contains(line) || !(mode(number) == "dedup" && is_lost(line)))
            .collect();
        assert!(ours == theirs, "{args:?}: {} and {} records", ours.len(), theirs.len());
        let both =
            |name: &str| ["ours", "theirs"].map(|whose| at(format!("{number}.{whose}{name}")));
        if mode(number) == "group" {
            let is_ordered = !options.contains(&"adjacency");
            let [ours, theirs] = both(".tsv").map(|path| rows(&path, is_ordered));
            assert!(ours == theirs, "{args:?}: the tables differ");
        } else if has_stats(options) {
            for name in ["_per_umi.tsv", "_per_umi_per_position.tsv"] {
                let [ours, theirs] = both(name).map(|path| rows(&path, true));
                assert_eq!(ours, theirs, "{args:?}{name}");
            }
            let [ours, theirs] = both("_edit_distance.tsv").map(|path| distances(&path));
            assert_eq!(ours, theirs, "{args:?}");
        }
    }
}

#[test]
#[ignore = "needs umi_tools"]
fn random_options_group_like_umi_tools() {
    let mut random = Random(54);
    let random = &mut random;
    let folder = Folder::new();
    let runs = (0..effort::times(40)).map(|number| {
        let templates = [50, 400, 1500][random.below(3)];
        let sam = folder.file("x.sam", alignments(random, templates));
        let bam = text(&folder.path(&format!("{number}.bam")));
        assert_eq!(biofast(&["view", "-b", "--no-PG", &sam, "-o", &bam]).code, 0);
        (bam, options(random, number % 2 == 0))
    });
    compare(&folder, runs.collect());
}

/// Real alignments have no UMIs: the last characters of their names stand for them.
#[test]
#[ignore = "needs umi_tools"]
fn alignments_of_the_corpus_group_like_umi_tools() {
    let folder = Folder::new();
    let exome = text(&tools::corpus("real/nf-cmgg_exome_10samples.bam"));
    let sam = biofast(&["view", "-h", "--no-PG", &exome]).stdout;
    let with_umi = |line: &str| match line.split_once('\t') {
        Some((name, rest)) if !line.starts_with('@') => {
            format!("{name}_{}\t{rest}\n", &name[name.len() - 3..])
        }
        _ => format!("{line}\n"),
    };
    let sam = folder.file("x.sam", sam.lines().map(with_umi).collect::<String>());
    let mut runs = Vec::new();
    for (number, options) in [
        &["--method", "directional", "--paired"][..],
        &["--method", "cluster", "--paired", "--chimeric-pairs", "discard"],
        &["--method", "adjacency", "--spliced-is-unique", "--read-length"],
        &["--method", "percentile", "--paired", "--ignore-tlen", "--mapping-quality", "20"],
    ]
    .into_iter()
    .enumerate()
    {
        let bam = text(&folder.path(&format!("{number}.bam")));
        assert_eq!(biofast(&["view", "-b", "--no-PG", &sam, "-o", &bam]).code, 0);
        runs.push((bam, options.to_vec()));
    }
    compare(&folder, runs);
}

//! Small random files of everything that has to do with templates go through the commands that make others of them, and back:
//! `check` warns of nothing that wasn't there before, no read is lost, and mates stay in step. `BIOFAST_CASES` asks for more files.
//! Marks of duplicates: `sort_duplicates.rs`.

use std::collections::{BTreeMap, BTreeSet};

use biofast_testkit::small::{self, Names, TemplateShape};

use crate::common::{Folder, cases, in_process, text, warnings};
use crate::effort::{Effort, in_two_tiers};
use crate::filter_alignments::kept_templates;

/// Small files in a folder: as an aligner writes them, and sorted.
struct Case {
    folder: Folder,
    seed: u64,
    /// Names are those of one file alone.
    prefix: &'static str,
}

/// Records of SAM as lines.
fn records(sam: &str) -> Vec<String> {
    sam.lines().filter(|line| !line.starts_with('@')).map(str::to_owned).collect()
}

fn header(sam: &str) -> Vec<&str> {
    sam.lines().filter(|line| line.starts_with('@')).collect()
}

impl Case {
    fn new(seed: u64, prefix: &'static str) -> Case {
        Case { folder: Folder::new(), seed, prefix }
    }

    fn path(&self, name: &str) -> String {
        text(&self.folder.path(name))
    }

    /// Writes `x.bam`, records of a name together, and `s.bam`, sorted by coordinate; gives the records.
    fn write(&self) -> Vec<String> {
        let seed = self.seed;
        let names = [Names::Mixed, Names::FewTiles, Names::SevenParts, Names::Umis, Names::Plain];
        let shape = TemplateShape {
            seed,
            sets: 1,
            templates: 24,
            names: names[seed as usize % names.len()],
            contradictions: seed % 2 == 1,
            quarrels: seed % 3 == 1,
            repeats: seed % 4 >= 2,
            ..TemplateShape::default()
        };
        let text = small::text(&shape);
        let (sample, program) = (format!("SM:s{}", self.prefix), format!("PN:p{}", self.prefix));
        let mut sam: String =
            header(&text).iter().map(|line| line.replace("SM:s", &sample) + "\n").collect();
        sam += &format!("@PG\tID:p\t{program}\n@PG\tID:q\tPP:p\t{program}\n");
        for line in records(&text) {
            sam += &format!("{}{line}\tPG:Z:q\n", self.prefix);
        }
        let input = self.folder.file("x.sam", sam);
        in_process(&["view", "-b", "--no-PG", "-o", &self.path("x.bam"), &input]);
        in_process(&["sort", "-q", "--no-PG", "-o", &self.path("s.bam"), &input]);
        self.records("x.bam")
    }

    fn records(&self, name: &str) -> Vec<String> {
        records(&in_process(&["view", &self.path(name)]))
    }

    fn reads(&self, name: &str) -> Vec<Read> {
        reads(&std::fs::read_to_string(self.folder.path(name)).unwrap())
    }

    /// No warning about an output that isn't about one of the inputs.
    fn check(&self, name: &str, before: &BTreeSet<String>, how: &str) {
        let after = warnings(&self.path(name));
        let new: Vec<_> = after.difference(before).collect();
        assert!(new.is_empty(), "seed {}, {how}: {new:?}", self.seed);
    }
}

/// Name, bases and qualities.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Read {
    name: String,
    bases: String,
    qualities: String,
}

fn reads(text: &str) -> Vec<Read> {
    let lines: Vec<&str> = text.split('\n').collect();
    let reads = lines.chunks_exact(4).map(|lines| Read {
        name: lines[0][1..].to_owned(),
        bases: lines[1].to_owned(),
        qualities: lines[3].to_owned(),
    });
    reads.collect()
}

/// The reads of a template: first ones, second ones and others.
type Template = [Vec<Read>; 3];

/// What primary records were sequenced as, by name.
fn sequenced(records: &[String]) -> BTreeMap<String, Template> {
    let mut found: BTreeMap<String, Template> = BTreeMap::new();
    for record in records {
        let fields: Vec<&str> = record.split('\t').collect();
        let flags: u16 = fields[1].parse().unwrap();
        if flags & 0x900 != 0 {
            continue;
        }
        let bases = if fields[9] == "*" { "" } else { fields[9] };
        let qualities = match fields[10] {
            "*" => "B".repeat(bases.len()),
            some => some.to_owned(),
        };
        let mut read = Read { name: fields[0].to_owned(), bases: bases.to_owned(), qualities };
        if flags & 16 != 0 {
            let complement = |base| "TGCA".as_bytes()["ACGT".find(base).unwrap()] as char;
            read.bases = read.bases.chars().rev().map(complement).collect();
            read.qualities = read.qualities.chars().rev().collect();
        }
        let part = match flags & 0xc0 {
            0x40 => 0,
            0x80 => 1,
            _ => 2,
        };
        found.entry(read.name.clone()).or_default()[part].push(read);
    }
    found
}

fn sorted(reads: impl IntoIterator<Item = Read>) -> Vec<Read> {
    let mut reads: Vec<Read> = reads.into_iter().collect();
    reads.sort();
    reads
}

fn names(reads: &[Read]) -> Vec<&str> {
    reads.iter().map(|read| read.name.as_str()).collect()
}

/// Reads of an input in files of their own, one file, and on standard output.
fn fastq(case: &Case, input: &str, templates: &BTreeMap<String, Template>) {
    let seed = case.seed;
    let at = |name: &str| case.path(name);
    let [r1, r2, single, other, all, json] =
        ["1.fq", "2.fq", "s.fq", "0.fq", "all.fq", "sum.json"].map(at);
    let bam = at(input);
    let args = ["fastq", "--quiet", "--summary", &json, "-1", &r1, "-2", &r2];
    in_process(&[&args[..], &["-s", &single, "-0", &other, &bam]].concat());
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let files = ["1.fq", "2.fq", "s.fq", "0.fq"].map(|name| case.reads(name));
    // Mates are in step, and each file is good.
    assert_eq!(names(&files[0]), names(&files[1]), "seed {seed}, {input}");
    assert_eq!(in_process(&["check", "-q", "--paired", &r1, &r2]), "", "seed {seed}, {input}");
    // A name of which there is one read of each kind at most has its reads where they belong.
    let is_plain = |name: &str| templates[name].iter().all(|reads| reads.len() <= 1);
    let mut expected = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for [first, second, others] in
        templates.iter().filter(|(name, _)| is_plain(name)).map(|(_, template)| template)
    {
        let is_pair = !first.is_empty() && !second.is_empty();
        expected[if is_pair { 0 } else { 2 }].extend_from_slice(first);
        expected[if is_pair { 1 } else { 2 }].extend_from_slice(second);
        expected[3].extend_from_slice(others);
    }
    for (file, expected) in files.iter().zip(expected) {
        let plain = file.iter().filter(|read| is_plain(&read.name)).cloned();
        assert_eq!(sorted(plain), sorted(expected), "seed {seed}, {input}");
    }
    // All are written, or counted as repeated.
    let primary: usize = templates.values().flatten().map(Vec::len).sum();
    let written: usize = files.iter().map(Vec::len).sum();
    let repeated = summary["summary"]["repeated"].as_u64().unwrap() as usize;
    assert_eq!(written + repeated, primary, "seed {seed}, {input}");
    let has_all =
        templates.keys().all(|name| files.iter().flatten().any(|read| read.name == *name));
    assert!(has_all, "seed {seed}, {input}");

    // The same reads in one file, with mates after each other if nothing else is in it.
    in_process(&["fastq", "--quiet", "-o", &all, &bam]);
    let one = case.reads("all.fq");
    assert_eq!(sorted(one), sorted(files.iter().flatten().cloned()), "seed {seed}, {input}");
    in_process(&["fastq", "--quiet", "-o", &all, "-s", &single, "-0", &other, &bam]);
    in_process(&["check", "--interleaved", &all]);
    let pairs = files[0].iter().zip(&files[1]).flat_map(|(first, second)| [first, second]);
    assert!(case.reads("all.fq").iter().eq(pairs), "seed {seed}, {input}");
    // What has no file of its own goes to standard output, with numbers there.
    let rest = reads(&in_process(&["fastq", "--quiet", "-1", &r1, "-2", &r2, &bam]));
    assert_eq!(case.reads("1.fq"), files[0], "seed {seed}, {input}");
    assert_eq!(case.reads("2.fq"), files[1], "seed {seed}, {input}");
    assert_eq!(sorted(rest), sorted(files[2..].iter().flatten().cloned()), "seed {seed}, {input}");

    // And back.
    let back = at("back.bam");
    in_process(&["import", "--quiet", "-1", &r1, "-2", &r2, "-o", &back]);
    case.check("back.bam", &BTreeSet::new(), "import of pairs");
    let flags: Vec<String> = case
        .records("back.bam")
        .iter()
        .map(|line| line.split('\t').nth(1).unwrap().into())
        .collect();
    assert!(flags.chunks(2).all(|pair| pair == ["77", "141"]), "seed {seed}, {input}: {flags:?}");
    let before = [r1.as_str(), &r2].map(|path| std::fs::read(path).unwrap());
    in_process(&["fastq", "--quiet", "--grouped", "-1", &r1, "-2", &r2, &back]);
    // Of copies one behind the other one is left.
    if repeated == 0 && templates.keys().all(|name| is_plain(name)) {
        let after = [r1.as_str(), &r2].map(|path| std::fs::read(path).unwrap());
        assert!(before == after, "seed {seed}, {input}");
    }
    for file in [&single, &other] {
        in_process(&["import", "--quiet", "-0", file, "-o", &back]);
        case.check("back.bam", &BTreeSet::new(), "import of single reads");
    }
    let printed = in_process(&["fastq", "--quiet", &bam]);
    let file = case.folder.file("all.fq", &printed);
    in_process(&["import", "--quiet", "-o", &back, &file]);
    case.check("back.bam", &BTreeSet::new(), "import of one file");
    let of_import = case.records("back.bam");
    assert_eq!(of_import.len(), primary - repeated, "seed {seed}, {input}");
    if repeated == 0 && templates.keys().all(|name| is_plain(name)) {
        assert_eq!(in_process(&["fastq", "--quiet", &back]), printed, "seed {seed}, {input}");
        assert_eq!(sequenced(&of_import), *templates, "seed {seed}, {input}");
    }
}

/// Whole templates of an input.
fn pairs(case: &Case, input: &str) {
    let seed = case.seed;
    let (bam, out) = (case.path(input), case.path("kept.bam"));
    let before = warnings(&bam);
    let records = case.records(input);
    for (rule, flags) in [("both", 0), ("any", 0), ("both", 0x900), ("any", 0x504), ("both", 0x204)]
    {
        let without = flags.to_string();
        let args = ["filter", "--quiet", "--pair", rule, "-q", "20", "-F", &without];
        in_process(&[&args[..], &["-o", &out, &bam]].concat());
        let how = format!("{input} --pair {rule} -F {flags:#x}");
        case.check("kept.bam", &before, &how);
        let expected = kept_templates(&records, rule == "both", flags);
        assert_eq!(case.records("kept.bam"), expected, "seed {seed}, {how}");
        if !expected.is_empty() {
            fastq(case, "kept.bam", &sequenced(&expected));
        }
    }
}

/// A record without what merging changes, and the value of a field of it.
fn without_ids(record: &str) -> String {
    let is_id = |field: &&str| !field.starts_with("RG:Z:") && !field.starts_with("PG:Z:");
    record.split('\t').filter(is_id).collect::<Vec<_>>().join("\t")
}

/// What the header says of the read group and the program of each record, but for their IDs.
fn origins(sam: &str) -> Vec<(String, [Option<String>; 2])> {
    let lines = header(sam);
    let of = |record: &str, tag: &str| -> Option<String> {
        let field = format!("{tag}:Z:");
        let id = record.split('\t').find_map(|text| text.strip_prefix(&field))?.to_owned();
        let id = format!("ID:{id}");
        let line = lines.iter().find(|line| {
            line.starts_with(&format!("@{tag}\t")) && line.split('\t').any(|text| text == id)
        });
        let line = line.unwrap_or_else(|| panic!("no {tag} {id}"));
        let is_other = |text: &&str| !text.starts_with("ID:") && !text.starts_with("PP:");
        Some(line.split('\t').filter(is_other).collect::<Vec<_>>().join("\t"))
    };
    let all = records(sam);
    let mut found: Vec<_> = all
        .iter()
        .map(|record| (without_ids(record), ["RG", "PG"].map(|tag| of(record, tag))))
        .collect();
    found.sort();
    found
}

/// Two files whose read groups and programs have the same IDs.
fn merge(case: &Case, other: &Case) {
    let seed = case.seed;
    let out = case.path("merged.bam");
    for (order, name) in [(&[][..], "s.bam"), (&["-n"], "n.bam")] {
        let inputs = [case, other].map(|case| {
            if !order.is_empty() {
                let paths = [case.path(name), case.path("x.bam")];
                in_process(
                    &[&["sort", "-q", "--no-PG"], order, &["-o", &paths[0], &paths[1]]].concat(),
                );
            }
            case.path(name)
        });
        let before = &warnings(&inputs[0]) | &warnings(&inputs[1]);
        let texts = inputs.each_ref().map(|path| in_process(&["view", "-h", "--no-PG", path]));
        for ids in [&[][..], &["-c"], &["-p"], &["-c", "-p"]] {
            let args = [&["merge", "-q"], order, ids, &["-o", &out, &inputs[0], &inputs[1]]];
            in_process(&args.concat());
            let how = format!("merge {order:?} {ids:?}");
            case.check("merged.bam", &before, &how);
            let merged = in_process(&["view", "-h", "--no-PG", &out]);
            if ids.is_empty() {
                let mut expected = [origins(&texts[0]), origins(&texts[1])].concat();
                expected.sort();
                assert_eq!(origins(&merged), expected, "seed {seed}, {how}");
            }
            let all = records(&merged);
            let count: usize = texts.iter().map(|text| records(text).len()).sum();
            assert_eq!(all.len(), count, "seed {seed}, {how}");
            if ids.is_empty() {
                fastq(case, "merged.bam", &sequenced(&all));
            }
        }
    }
}

fn reads_of_small_files_keep_their_mates_and_come_back(effort: Effort) {
    for seed in 0..cases(effort.pick(12, 100)) {
        let case = Case::new(seed, "");
        let templates = sequenced(&case.write());
        for input in ["x.bam", "s.bam"] {
            fastq(&case, input, &templates);
        }
    }
}

fn whole_templates_of_small_files_are_kept_without_new_warnings(effort: Effort) {
    for seed in 0..cases(effort.pick(7, 60)) {
        let case = Case::new(seed, "");
        case.write();
        for input in ["x.bam", "s.bam"] {
            pairs(&case, input);
        }
    }
}

fn small_files_with_the_same_ids_are_merged_without_new_warnings(effort: Effort) {
    for seed in 0..cases(effort.pick(7, 60)) {
        let [one, other] = [Case::new(seed, ""), Case::new(seed + 1_000_003, "y")];
        one.write();
        other.write();
        merge(&one, &other);
    }
}

/// What `filter --umi` puts in names is found by the commands behind it, and mates keep it.
#[test]
fn umis_in_names_are_those_that_other_commands_find() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let mut files = [String::new(), String::new()];
    // Three templates of the same bases, of which two have the same UMIs.
    for (number, umi) in ["ACGT", "ACGT", "TTGC"].iter().enumerate() {
        for (mate, file) in files.iter_mut().enumerate() {
            let name = format!("A:1:F:1:1101:5:{number}/{}", mate + 1);
            *file += &format!("@{name}\n{umi}GATTACAGAT\n+\n{}\n", "I".repeat(14));
        }
    }
    let [r1, r2] = [folder.file("1.fq", &files[0]), folder.file("2.fq", &files[1])];
    let [o1, o2, bam, unique] = ["o1.fq", "o2.fq", "o.bam", "u.fq"].map(at);
    for (place, prefix, expected) in [
        ("first", None, "ACGT"),
        ("both", None, "ACGT_ACGT"),
        ("second", Some("U"), "U_ACGT"),
        ("both", Some("UMI"), "UMI_ACGT_ACGT"),
    ] {
        let mut args = vec!["filter", "--quiet", "--umi", place, "--umi-len", "4"];
        args.extend(prefix.iter().flat_map(|prefix| ["--umi-prefix", prefix]));
        in_process(&[&args[..], &["-o", &o1, "--out2", &o2, &r1, &r2]].concat());
        in_process(&["check", "--paired", &o1, &o2]);
        in_process(&["import", "--quiet", "-1", &o1, "-2", &o2, "-o", &bam]);
        let records = records(&in_process(&["view", &bam]));
        let first = format!("A:1:F:1:1101:5:0:{expected}\t77\t");
        assert!(records[0].starts_with(&first), "{place} {prefix:?}: {records:?}");
        assert!(records[1].starts_with(&first.replace("77", "141")), "{place}: {records:?}");
        // Of two with the same UMI one is left.
        let args = ["dedup", "--quiet", "--compare-umi", "--interleaved", "-o", &unique];
        let interleaved = at("i.fq");
        in_process(&["fastq", "--quiet", "-N", "-o", &interleaved, &bam]);
        in_process(&[&args[..], &[&interleaved]].concat());
        assert_eq!(std::fs::read_to_string(&unique).unwrap().lines().count(), 4 * 4);
        // Aligned all at one place, they are told apart by it, too.
        let mut sam = "@HD\tVN:1.6\tGO:query\n@SQ\tSN:c\tLN:900\n".to_owned();
        for record in &records {
            let name = record.split('\t').next().unwrap();
            let flags = if record.contains("\t77\t") { 99 } else { 147 };
            sam += &format!("{name}\t{flags}\tc\t9\t60\t4M\t=\t9\t0\tACGT\tIIII\n");
        }
        let sam = folder.file("a.sam", sam);
        for rule in ["samtools", "picard"] {
            let args = ["sort", "-q", "--mark-duplicates", "--rule", rule, "--barcode-name"];
            let marked = in_process(&[&args[..], &["-O", "sam", &sam]].concat());
            let is_marked = |line: &&String| {
                line.split('\t').nth(1).unwrap().parse::<u16>().unwrap() & 1024 != 0
            };
            let marked = crate::round_trips::records(&marked);
            assert_eq!(marked.iter().filter(is_marked).count(), 2, "{place} {prefix:?} {rule}");
        }
    }
}

in_two_tiers! {
    reads_of_small_files_keep_their_mates_and_come_back,
    whole_templates_of_small_files_are_kept_without_new_warnings,
    small_files_with_the_same_ids_are_merged_without_new_warnings,
}

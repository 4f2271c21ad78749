//! What commands print as JSON is what the published schemas say: all of it, and nothing else.
#![cfg(unix)]

use std::collections::BTreeSet;

use boon::{Compiler, Schemas};
use serde_json::Value;

use crate::common::schema::names;
use crate::common::stage::stage;
use crate::common::{self, Folder, biofast, command, finish, ok, text};

/// Runs on the sample: the schema, and the command line; what is validated is standard output, or `x.json`.
const RUNS: &[(&str, &str)] = &[
    ("stats", "stats --json R1.fq.gz genes.fa"),
    ("stats", "stats --json --sample s R1.fq.gz genes.fa"),
    ("stats", "stats --json broken.fq R1.fq.gz"),
    ("stats", "stats --json --paired R1.fq.gz R2.fq.gz"),
    ("stats", "stats --json aln.bam unsorted.sam broken.sam empty.sam"),
    ("stats", "stats --json --by RG aln.bam"),
    ("stats", "stats --json nanopore.fq"),
    ("stats", "stats --json nanopore.bam"),
    ("stats", "stats --json --library wgs R1.fq.gz"),
    ("stats", "stats --json --library rna aln.bam"),
    ("stats", "stats --json --partial lane aln.bam"),
    ("stats", "stats --json --partial lane --qc picard -r genome.fa aln.bam"),
    (
        "stats",
        "stats --json --partial shard --qc wgs,hs --targets targets.bed -r genome.fa aln.bam",
    ),
    ("stats", "stats --json --region chr1 aln.bam"),
    ("part", "stats --json --shard plan.json#1"),
    ("part", "stats --json --shard reads.plan.json#1"),
    ("stats", "merge --json part1.json part2.json"),
    ("stats", "merge --json lane1.json lane2.json"),
    ("stats", "stats --out-dir out --qc json --paired R1.fq.gz R2.fq.gz # out/R1.biofast.json"),
    ("stats", "stats --out-dir out --qc json frequent.fq # out/frequent.biofast.json"),
    ("qc-fastp", "stats --out-dir out --qc fastp --paired R1.fq.gz R2.fq.gz # out/R1.fastp.json"),
    ("qc-fastp", "stats --out-dir out --qc fastp R1.fq.gz # out/R1.fastp.json"),
    (
        "check",
        "check --json R1.fq.gz aln.bam genes.fa targets.bed absent.fq broken.fq broken.bam unsorted.sam odd.sam",
    ),
    ("check-repair", "check --repair broken.fq.bgz -o s.fq --summary x.json"),
    ("checksum", "checksum --json aln.bam"),
    ("checksum", "checksum --json -a aln.bam"),
    ("checksum", "checksum --json aln.bam --against empty.sam"),
    ("checksum", "checksum --json -PCM aln.bam --against aln.sam"),
    ("flagstat", "flagstat -O json aln.bam"),
    ("flagstat", "flagstat -O json empty.sam"),
    ("part", "flagstat -O json --shard plan.json#2"),
    ("flagstat", "merge --json lane1.flagstat.json lane2.flagstat.json"),
    (
        "filter",
        "filter R1.fq.gz R2.fq.gz -o 1.fq --out2 2.fq --cut-tail --trim-poly-g --summary-stats --summary x.json",
    ),
    (
        "filter",
        "filter R1.fq.gz R2.fq.gz -o 1.fq --out2 2.fq --unpaired1 u1.fq --unpaired2 u2.fq --min-len 140 --detect-adapter \
         --trim-overlap --max-n 0 --summary x.json",
    ),
    (
        "filter",
        "filter R1.fq.gz R2.fq.gz -o 1.fq --out2 2.fq --merge --merged-out m.fq --correct --summary x.json",
    ),
    (
        "filter",
        "filter R1.fq.gz -o 1.fq -a AGATCGGAAGAGC -a two=CTGTCTCTTATA --revcomp --names names.txt --head 20 --summary x.json",
    ),
    ("filter", "filter R1.fq.gz R2.fq.gz -o 1.fq --out2 2.fq --deplete host.idx --summary x.json"),
    ("filter", "filter adapters.fq -o 1.fq --detect-adapter --summary-stats --summary x.json"),
    ("filter", "filter unknown.fq -o 1.fq --detect-adapter --summary x.json"),
    ("filter", "filter long.fq -o 1.fq --adapter-kit lsk114 --middle split --summary x.json"),
    ("filter", "filter aln.bam -o 1.bam --min-mapq 10 -L targets.bed --summary x.json"),
    ("filter", "filter unaligned.bam -o 1.bam --min-len 50 --summary x.json"),
    (
        "fastp",
        "filter --preset fastp R1.fq.gz R2.fq.gz -o 1.fq --out2 2.fq --correct --fastp-json x.json",
    ),
    ("fastp", "filter --preset fastp R1.fq.gz -o 1.fq --min-complexity 30 --fastp-json x.json"),
    (
        "fastp",
        "filter --preset fastp R1.fq.gz R2.fq.gz --merge --merged-out m.fq --max-len 100 --min-gc 30 --fastp-json x.json",
    ),
    (
        "fastp",
        "filter frequent.fq -o 1.fq --trim-poly-x --overrepresentation-analysis --fastp-json x.json",
    ),
    ("sort", "sort aln.bam -o s.bam --summary x.json"),
    ("sort", "sort unsorted.sam -o s.bam --mark-duplicates --summary x.json"),
    ("markdup", "markdup aln.bam -o s.bam --summary x.json"),
    ("sort", "sort --key length R1.fq.gz -o s.fq --summary x.json"),
    ("sort", "sort --key similarity R1.fq.gz -o s.fq --summary x.json"),
    ("shuffle", "shuffle --seed 1 R1.fq.gz R2.fq.gz -o 1.fq --out2 2.fq --summary x.json"),
    ("split", "split R1.fq.gz R2.fq.gz -p 2 -o s_R{mate}_{part}.fq.gz --summary x.json"),
    ("demux", "demux -i long.fq.gz --ends either -s nanopore.tsv -o ends --summary x.json"),
    ("demux", "demux -i R1.fq.gz I1.fq.gz -r +T 8B -s samples.tsv -o out --summary x.json"),
    (
        "grep",
        "grep -s -p ACGT -p GGGGGGGGGGGGGGGGGGGGGGGGGGGG R1.fq.gz -o 1.fq --rejected 2.fq --summary x.json",
    ),
    ("dedup", "dedup R1.fq.gz R2.fq.gz -o 1.fq --out2 2.fq --summary x.json"),
    (
        "repair",
        "repair R1.fq.gz other.fq.gz -o 1.fq --out2 2.fq --orphans1 o1.fq --orphans2 o2.fq --summary x.json",
    ),
    ("convert", "convert R1.fq.gz -o 1.fa --summary x.json"),
    ("convert", "convert R1.fq.gz -o 1.fq --reverse-complement --summary x.json"),
    ("convert", "convert genes.fa -o 1.fa --unique-names --summary x.json"),
    ("import", "import R1.fq.gz R2.fq.gz -o u.bam --summary x.json"),
    ("fastq", "fastq aln.bam -1 1.fq -2 2.fq --summary x.json"),
    ("fastq-10x", "fastq --10x cells cells.bam --summary x.json"),
    ("cat", "cat lane1.bam lane2.bam -o c.bam --summary x.json"),
    ("shards", "shards --number 2 aln.bam"),
    ("shards", "shards --number 2 --by-region aln.bam"),
    ("shards", "shards --number 2 reads.fq.bgz"),
    ("shards", "shards --number 2 --keep-templates names.bam"),
    ("part", "check --json --shard plan.json#1"),
    ("part", "check --json --paired --shard pairs.json#1"),
    ("part", "check --json --shard odd.json#1"),
    ("part", "coverage --format samtools-depth --shard plan.json#2"),
];

#[test]
fn what_every_command_prints_as_json_is_what_its_schema_says() {
    let folder = stage();
    prepare(&folder);
    let mut seen = BTreeSet::new();
    let mut problems = Vec::new();
    for (name, line) in RUNS {
        let (line, written) = line.split_once(" # ").unwrap_or((line, "x.json"));
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = command(&words);
        command.current_dir(folder.path(""));
        let run = finish(command);
        // A faulty input is a part of what is printed.
        let is_answer = line.contains("broken") || (line.contains("--against") && run.code == 1);
        if run.code != 0 && !is_answer {
            problems.push(format!("{line}: {}", run.stderr));
            continue;
        }
        let in_file = line.contains("x.json") || line.contains("--out-dir out --qc");
        let text = match in_file {
            true => std::fs::read_to_string(folder.path(written)).unwrap(),
            false => run.stdout,
        };
        let Ok(json) = serde_json::from_str::<Value>(&text) else {
            problems.push(format!("{line}: no JSON: {text}"));
            continue;
        };
        let schema = schema(name);
        if let Err(problem) = validate(name, &schema, &json) {
            problems.push(format!("{line}: {problem}"));
        }
        walk(&schema, &schema, &json, name, &mut seen);
        let _ = std::fs::remove_dir_all(folder.path("out"));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // A property that nothing prints is a promise that nobody keeps.
    let mut never = BTreeSet::new();
    for name in names() {
        assert!(RUNS.iter().any(|(run, _)| *run == name), "{name} is never printed");
        let schema = schema(&name);
        properties(&schema, &schema, &name, &mut never);
    }
    seen.iter().for_each(|property| _ = never.remove(property));
    let found = |property: &String| !RARE.iter().any(|rare| property.ends_with(rare));
    let never: Vec<String> = never.into_iter().filter(found).collect();
    assert!(never.is_empty(), "never printed:\n{}", never.join("\n"));
}

/// What the runs above can't bring about.
const RARE: &[&str] = &["phred64_reads"];

#[test]
fn schemas_are_described_and_published() {
    for name in names() {
        let schema = schema(&name);
        let mut missing = Vec::new();
        described(&schema, &name, &mut missing);
        assert!(missing.is_empty(), "{missing:?}");
    }
    let folder = Folder::new();
    let to = common::text(&folder.path("schemas"));
    ok(&["schema", "--out-dir", &to]);
    assert_eq!(std::fs::read_dir(&to).unwrap().count(), names().len());
    for name in names() {
        let written = std::fs::read_to_string(format!("{to}/{name}.json")).unwrap();
        assert_eq!(written, biofast(&["schema", &name]).stdout, "{name}");
    }
    let run = biofast(&["schema", "view"]);
    common::assert_error(&run, &["no schema for 'view'", "stats"]);
}

#[test]
fn a_property_more_or_less_is_noticed() {
    let folder = Folder::new();
    let path = folder.file("r.fq", "@r\nACGT\n+\nIIII\n");
    let json: Value = serde_json::from_str(&biofast(&["stats", "--json", &path]).stdout).unwrap();
    let schema = schema("stats");
    assert!(validate("stats", &schema, &json).is_ok());
    let length = "/files/0/length";
    let mut more = json.clone();
    more.pointer_mut(length).unwrap()["new"] = 1.into();
    assert!(validate("stats", &schema, &more).is_err());
    let mut less = json.clone();
    less.pointer_mut(length).unwrap().as_object_mut().unwrap().remove("n50");
    assert!(validate("stats", &schema, &less).is_err());
    let mut other = json;
    other.pointer_mut(length).unwrap()["n50"] = "4".into();
    assert!(validate("stats", &schema, &other).is_err());
}

/// Files beside those of the stage.
fn prepare(folder: &Folder) {
    folder.file("broken.fq", "@a\nACGT\n+\nIIII\n@b\nAC\n+\nI\n");
    let bam = std::fs::read(folder.path("aln.bam")).unwrap();
    folder.file("broken.bam", &bam[..bam.len() / 2]);
    let reads: String = (0..50).map(|i| format!("@r{i}\nACGT\n+\nIIII\n")).collect();
    let blocks = biofast_testkit::container::bgzf(reads.as_bytes(), 300);
    folder.file("broken.fq.bgz", &blocks[..blocks.len() - 60]);
    let sam = std::fs::read_to_string(folder.path("aln.sam")).unwrap();
    let lines: Vec<&str> = sam.lines().collect();
    let from = lines.iter().position(|line| !line.starts_with('@')).unwrap();
    let head = lines[..from].join("\n").replace("SO:coordinate", "SO:unsorted");
    folder.file("empty.sam", format!("{head}\n"));
    folder.file("broken.sam", format!("{sam}nonsense\n"));
    // What the specification doesn't forbid.
    folder.file("odd.sam", "@SQ\tSN:c\tLN:2\nr\t0\tc\t1\t60\t4M\t*\t0\t0\tACGT\t*\n");
    let records: Vec<&str> = lines[from..].iter().rev().copied().collect();
    folder.file("unsorted.sam", format!("{head}\n{}\n", records.join("\n")));
    // One sequence often, with an adapter, and names with tiles.
    let mut frequent = String::new();
    for i in 0..300u32 {
        let insert = if i % 3 == 0 { "TTTTTGGGGGCCCCCAAAAA".into() } else { bases(i, 20) };
        let read = format!("{insert}AGATCGGAAGAGCACACGTCTGAACTCCAGTCA");
        let tile = 1101 + i % 2;
        frequent += &format!("@M:1:F:1:{tile}:{i}:7\n{read}\n+\n{}\n", "I".repeat(read.len()));
    }
    folder.file("frequent.fq", frequent);
    let [fastq, bam] = ["nanopore.fq", "nanopore.bam"].map(|name| text(&folder.path(name)));
    folder.file("nanopore.fq", common::long_reads(40));
    ok(&["import", "-T", "*", &fastq, "-o", &bam]);
    folder.file("adapters.fq", adapters_of("AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCAT"));
    folder.file("unknown.fq", adapters_of("GCTTACGGATTCAACGTTGGCCATATCTGA"));
    // A read with Nanopore's adapter inside.
    let inside = format!("{}CCTGTACTTCGTTCAGTTACGTATTGCT{}", bases(1, 900), bases(2, 900));
    folder.file("long.fq", format!("@l\n{inside}\n+\n{}\n", "5".repeat(inside.len())));
    folder.file("names.txt", "SIM001:12:HFKJJBGXY:1:11101:1456:1000\nnobody\n");
    for args in [
        &["shards", "--number", "2", "reads.fq.bgz", "-o", "reads.plan.json"][..],
        &["filter", "R1.fq.gz", "R2.fq.gz", "-o", "m1.fq", "--out2", "m2.fq"],
        &["shards", "--number", "2", "m1.fq", "m2.fq", "-o", "pairs.json"],
        &["sort", "-n", "aln.bam", "-o", "names.bam"],
        &["view", "-b", "odd.sam", "-o", "odd.bam"],
        &["shards", "--number", "1", "odd.bam", "-o", "odd.json"],
    ] {
        let mut command = command(args);
        command.current_dir(folder.path(""));
        let run = finish(command);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    }
}

/// Reads that all go on into this adapter.
fn adapters_of(adapter: &str) -> String {
    let read = |i: u32| format!("{}{adapter}", bases(i, 30 + i % 40));
    let record = |i: u32| format!("@r{i}\n{}\n+\n{}\n", read(i), "I".repeat(read(i).len()));
    (0..2000).map(record).collect()
}

/// Bases that look drawn by chance.
fn bases(seed: u32, n: u32) -> String {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        b"ACGT"[(state >> 11) as usize % 4] as char
    };
    (0..n).map(|_| next()).collect()
}

fn schema(name: &str) -> Value {
    let run = ok(&["schema", name]);
    serde_json::from_str(&run.stdout).unwrap()
}

fn validate(name: &str, schema: &Value, json: &Value) -> Result<(), String> {
    let mut compiler = Compiler::new();
    let mut schemas = Schemas::new();
    compiler.add_resource(name, schema.clone()).unwrap();
    let index = compiler.compile(name, &mut schemas).map_err(|e| format!("{e:#}"))?;
    schemas.validate(json, index).map_err(|e| format!("{e:#}"))
}

/// The schema that a reference names, and where it is: what is shared is one, wherever it is used.
fn resolved<'a>(root: &'a Value, schema: &'a Value, at: &str) -> (&'a Value, String) {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(to) => (root.pointer(&to[1..]).unwrap(), to.to_owned()),
        None => (schema, at.to_owned()),
    }
}

fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).flatten()
}

/// Every property a schema names, by its path.
fn properties(root: &Value, schema: &Value, at: &str, all: &mut BTreeSet<String>) {
    let (schema, at) = resolved(root, schema, at);
    for (name, property) in
        schema.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        // A definition may refer to itself.
        if all.insert(format!("{at}/{name}")) {
            properties(root, property, &format!("{at}/{name}"), all);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(key).filter(|inner| inner.is_object()) {
            properties(root, inner, &format!("{at}/*"), all);
        }
    }
    choices(schema).for_each(|choice| properties(root, choice, &at, all));
}

/// The properties of a document that a schema names, by their paths.
fn walk(root: &Value, schema: &Value, json: &Value, at: &str, seen: &mut BTreeSet<String>) {
    let (schema, at) = resolved(root, schema, at);
    if let (Some(named), Some(object)) =
        (schema.get("properties").and_then(Value::as_object), json.as_object())
    {
        for (name, property) in named {
            if let Some(value) = object.get(name) {
                seen.insert(format!("{at}/{name}"));
                walk(root, property, value, &format!("{at}/{name}"), seen);
            }
        }
    }
    let inner = |key: &str| schema.get(key).filter(|inner| inner.is_object());
    let at_any = format!("{at}/*");
    if let (Some(inner), Some(values)) = (inner("items"), json.as_array()) {
        values.iter().for_each(|value| walk(root, inner, value, &at_any, seen));
    }
    if let (Some(inner), Some(values)) = (inner("additionalProperties"), json.as_object()) {
        values.values().for_each(|value| walk(root, inner, value, &at_any, seen));
    }
    choices(schema).for_each(|choice| walk(root, choice, json, &at, seen));
}

/// Objects that take what isn't named, and values without a word about them.
fn described(schema: &Value, at: &str, missing: &mut Vec<String>) {
    let word = |schema: &Value| {
        schema.get("description").is_some_and(|d| d.as_str().is_some_and(|d| d.len() > 1))
    };
    for (name, property) in
        schema.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        if !word(property) {
            missing.push(format!("{at}/{name} has no description"));
        }
    }
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        missing.push(format!("{at} takes any property"));
    }
    match schema {
        Value::Object(object) => {
            for (key, value) in object.iter().filter(|(key, _)| *key != "if" && *key != "then") {
                described(value, &format!("{at}/{key}"), missing);
            }
        }
        Value::Array(array) => array.iter().for_each(|value| described(value, at, missing)),
        _ => {}
    }
}

//! `filter --preset fastp` beside fastp 0.23 and 1.3, of any options that both have.

use std::process::Stdio;

use biofast_testkit::random::Random;
use serde_json::Value;

use crate::common::{Folder, biofast, text};
use crate::filter_fastp_cases::Fastp;
use crate::made::{ADAPTERS, Made, Options, bases, sets};
use crate::tools;

impl Options {
    /// What is cut off the mates, in each program's way to say it.
    fn by_mate(
        &mut self,
        random: &mut Random,
        ours: &str,
        theirs: [&str; 2],
        paired: bool,
        least: usize,
        below: usize,
    ) {
        let [one, two] = [0, 1].map(|_| least + random.below(below));
        if paired && random.chance(50) {
            self.add(
                &format!("{ours} {one},{two}"),
                &format!("{} {one} {} {two}", theirs[0], theirs[1]),
            );
        } else {
            self.same(ours, theirs[0], one);
        }
    }

    fn like_fastp(random: &mut Random, paired: bool) -> Options {
        let mut options = Options::default();
        if random.chance(45) {
            let (ours, theirs) = match random.below(if paired { 6 } else { 3 }) {
                0 => ("first", "read1"),
                1 => ("index1", "index1"),
                2 if !paired => ("first", "read1"),
                2 | 3 => ("second", "read2"),
                4 => ("both", "per_read"),
                _ if random.chance(50) => ("index2", "index2"),
                _ => ("indexes", "per_index"),
            };
            options.add(&format!("--umi {ours}"), &format!("-U --umi_loc {theirs}"));
            if !ours.starts_with("index") {
                options.same("--umi-len", "--umi_len", 1 + random.below(14));
                if random.chance(40) {
                    options.same("--umi-skip", "--umi_skip", random.below(6));
                }
            }
            if random.chance(30) {
                options.add("--umi-prefix U5", "--umi_prefix U5");
            }
        }
        if random.chance(25) {
            options.by_mate(random, "--crop-front", ["-f", "-F"], paired, 0, 30);
        }
        if random.chance(25) {
            options.by_mate(random, "--crop-tail", ["-t", "-T"], paired, 0, 60);
        }
        let front = random.chance(25);
        if front {
            options.add("--cut-front", "-5");
        }
        let end = random.below(5);
        match end {
            0 => options.add("--cut-tail", "-3"),
            1 => options.add("--cut-right", "-r"),
            _ => {}
        }
        if front || end < 2 {
            if random.chance(50) {
                let size = if random.chance(10) { 60 } else { 12 };
                options.same("--cut-window-size", "-W", 1 + random.below(size));
            }
            if random.chance(50) {
                options.same("--cut-mean-quality", "-M", 1 + random.below(30));
            }
        }
        if random.chance(25) {
            let min = 3 + random.below(20);
            options.add(&format!("--trim-poly-g={min}"), &format!("-g --poly_g_min_len {min}"));
        }
        if random.chance(25) {
            let min = 3 + random.below(20);
            options.add(&format!("--trim-poly-x={min}"), &format!("-x --poly_x_min_len {min}"));
        }
        if random.chance(40) {
            let len = 4 + random.below(30);
            let first = if random.chance(80) {
                ADAPTERS[0][..len].to_owned()
            } else {
                String::from_utf8(bases(random, len.min(12))).unwrap()
            };
            options.add(&format!("-a {first}"), &format!("-a {first}"));
            if paired && random.chance(60) {
                let second = &ADAPTERS[1][..4 + random.below(30)];
                options.add(&format!("-A {second}"), &format!("--adapter_sequence_r2 {second}"));
            }
        }
        if paired && random.chance(15) {
            options.add("--detect-adapter", "--detect_adapter_for_pe");
        }
        if random.chance(20) {
            options.by_mate(random, "--keep-first", ["-b", "-B"], paired, 1, 140);
        }
        options.select(random);
        if paired {
            options.overlap(random);
        }
        if random.chance(10) {
            options.same("--head", "--reads_to_process", 1 + random.below(300));
        }
        options
    }

    /// Which reads are kept.
    fn select(&mut self, random: &mut Random) {
        if random.chance(40) {
            self.same("--min-len", "-l", random.below(60));
        }
        if random.chance(20) {
            self.same("--max-len", "--length_limit", 30 + random.below(120));
        }
        if random.chance(30) {
            self.same("--qualified-quality", "-q", random.below(41));
        }
        if random.chance(30) {
            self.same("--max-low-quality-percent", "-u", random.below(101));
        }
        if random.chance(30) {
            self.same("--max-n", "-n", random.below(20));
        }
        if random.chance(20) {
            let q = random.below(38);
            self.add(&format!("--min-mean-qual {q} --mean arithmetic"), &format!("-e {q}"));
        }
        if random.chance(25) {
            let percent = random.below(90);
            self.add(&format!("--min-complexity {percent}"), &format!("-y -Y {percent}"));
        }
    }

    /// What is done by the overlap of mates.
    fn overlap(&mut self, random: &mut Random) {
        if random.chance(30) {
            self.add("--correct", "-c");
        }
        if random.chance(20) {
            self.same("--overlap-len-require", "--overlap_len_require", 1 + random.below(70));
        }
        if random.chance(20) {
            self.same("--overlap-diff-limit", "--overlap_diff_limit", random.below(12));
        }
        if random.chance(20) {
            self.same(
                "--overlap-diff-percent-limit",
                "--overlap_diff_percent_limit",
                random.below(101),
            );
        }
    }
}

/// Where the reports differ, but for what is of the program itself.
fn differences(path: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for (key, theirs) in theirs {
                if ["command", "fastp_version", "duplication"].contains(&key.as_str()) {
                    continue;
                }
                match ours.get(key) {
                    Some(ours) => differences(&format!("{path}.{key}"), ours, theirs, found),
                    None => found.push(format!("{path}.{key} is missing: {theirs}")),
                }
            }
            if path.ends_with("_counts") {
                found.extend(
                    ours.keys()
                        .filter(|key| !theirs.contains_key(*key))
                        .map(|key| format!("{path}.{key} is theirs not")),
                );
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            for (i, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                differences(&format!("{path}[{i}]"), ours, theirs, found);
            }
        }
        (Value::Number(a), Value::Number(b)) => {
            let whole = a.is_u64() && b.is_u64();
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            // fastp prints six digits, and here are six behind the point.
            let rounding = if whole { 0.0 } else { 1e-6 + 5e-6 * b.abs() };
            if (a - b).abs() > rounding {
                found.push(format!("{path}: {a}, fastp {b}"));
            }
        }
        (ours, theirs) if ours == theirs => {}
        (ours, theirs) => found.push(format!("{path}: {ours}, fastp {theirs}")),
    }
}

/// What is written to.
struct Place<'f> {
    folder: &'f Folder,
    who: &'static str,
}

impl Place<'_> {
    fn path(&self, name: &str) -> String {
        text(&self.folder.path(&format!("{}_{name}", self.who)))
    }

    fn take(&self, name: &str) -> String {
        let path = self.path(name);
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        let _ = std::fs::remove_file(path);
        found
    }
}

/// What is asked of a run, beside what is cut and kept.
#[derive(Clone, Copy, PartialEq)]
enum Outputs {
    Plain,
    Merged,
    Unpaired,
    UnpairedTogether,
}

fn run_both(
    version: Fastp,
    folder: &Folder,
    inputs: &[String],
    outputs: Outputs,
    options: &Options,
) -> Vec<String> {
    let [ours, theirs] = ["ours", "theirs"].map(|who| Place { folder, who });
    let mut args = vec!["filter", "--quiet", "--preset", "fastp"]
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<_>>();
    let mut fastp =
        ["-w", "1", "--dont_eval_duplication", "-h", "/dev/null"].map(str::to_owned).to_vec();
    args.extend([
        "-i".into(),
        inputs[0].clone(),
        "-o".into(),
        ours.path("1.fq"),
        "--fastp-json".into(),
        ours.path("j"),
    ]);
    fastp.extend([
        "-i".into(),
        inputs[0].clone(),
        "-o".into(),
        theirs.path("1.fq"),
        "-j".into(),
        theirs.path("j"),
    ]);
    if let Some(second) = inputs.get(1) {
        args.extend(["-I".into(), second.clone(), "--out2".into(), ours.path("2.fq")]);
        fastp.extend(["-I".into(), second.clone(), "-O".into(), theirs.path("2.fq")]);
    }
    for (place, to) in [(&ours, &mut args), (&theirs, &mut fastp)] {
        let mut one = |option: &str, name: &str| to.extend([option.to_owned(), place.path(name)]);
        let merged = if place.who == "ours" { "--merged-out" } else { "--merged_out" };
        match outputs {
            Outputs::Plain => {}
            Outputs::Merged => one(merged, "m.fq"),
            Outputs::Unpaired => {
                one("--unpaired1", "u1.fq");
                one("--unpaired2", "u2.fq");
            }
            Outputs::UnpairedTogether => one("--unpaired1", "u1.fq"),
        }
        if outputs == Outputs::Merged {
            to.push("--merge".into());
        }
    }
    args.extend(options.ours.iter().cloned());
    args.extend(version.options().iter().map(|&word| word.to_owned()));
    fastp.extend(options.theirs.iter().cloned());
    tools::run(version.command().args(&fastp).stdout(Stdio::null()));
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = biofast(&words);
    let mut found = Vec::new();
    if run.code != 0 {
        found.push(run.stderr);
        return found;
    }
    for name in ["1.fq", "2.fq", "m.fq", "u1.fq", "u2.fq"] {
        let (a, b) = (ours.take(name), theirs.take(name));
        if a != b {
            let lines = a.lines().count().max(b.lines().count());
            let at = (0..lines).find(|&i| a.lines().nth(i) != b.lines().nth(i)).unwrap_or_default();
            let [a, b] = [&a, &b].map(|text| {
                (
                    text.lines().count() / 4,
                    text.lines().nth(at / 4 * 4).map(str::to_owned),
                    text.lines().nth(at / 4 * 4 + 1).map(str::to_owned),
                )
            });
            found.push(format!("{name}: {a:?}, fastp {b:?}"));
        }
    }
    let [a, b] = [&ours, &theirs].map(|place| serde_json::from_str(&place.take("j")).unwrap());
    differences("", &a, &b, &mut found);
    found
}

#[test]
#[ignore = "needs fastp"]
fn three_hundred_sets_of_options_give_the_bytes_and_figures_of_fastp() {
    compare_sets(Fastp::V0_23);
}

#[test]
#[ignore = "needs fastp 1.3, named by BIOFAST_FASTP"]
fn three_hundred_sets_of_options_give_the_bytes_and_figures_of_fastp_1_3() {
    compare_sets(Fastp::V1_3);
}

fn compare_sets(version: Fastp) {
    let folder = Folder::new();
    let (n, mut random) = sets(0x00f4_57b1);
    let mut failed = Vec::new();
    let mut inputs = Vec::new();
    for i in 0..n {
        if i % 10 == 0 {
            let made = Made {
                before: Default::default(),
                longest: [[100, 100], [150, 120], [76, 151], [40, 40]][random.below(4)],
                machine: ["M01:7:FC", "NB501:1", "A00123:9:H", "r", "VH00001:2", "A"]
                    [random.below(6)],
                numbered: random.chance(30),
            };
            let [one, two] = made.pairs(&mut random, 300);
            inputs = vec![folder.file("1.fq", one), folder.file("2.fq", two)];
        }
        let paired = random.chance(75);
        let options = Options::like_fastp(&mut random, paired);
        let outputs = match random.below(8) {
            _ if !paired => Outputs::Plain,
            0 | 1 => Outputs::Merged,
            2 => Outputs::Unpaired,
            3 => Outputs::UnpairedTogether,
            _ => Outputs::Plain,
        };
        let inputs = &inputs[..1 + usize::from(paired)];
        let found = run_both(version, &folder, inputs, outputs, &options);
        if !found.is_empty() {
            let first = &found[..found.len().min(4)];
            failed.push(format!(
                "{i}: fastp {}\n    {}",
                options.theirs.join(" "),
                first.join("\n    ")
            ));
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {n} differ\n{}",
        failed.len(),
        failed[..failed.len().min(12)].join("\n")
    );
}

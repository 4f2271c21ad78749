//! `filter` beside cutadapt 5.2, of any options that both have.
//!
//! cutadapt looks adapters that are tied to an end up in an index unless `--no-index` is given. It looks behind the end of a read that is shorter
//! than an adapter that may be anywhere, so these are looked for in long reads, once.

use std::io::Write;
use std::process::Stdio;

use biofast_testkit::random::Random;
use biofast_testkit::reference::reverse_complement;

use crate::common::{Folder, biofast, text};
use crate::made::{ADAPTERS, Options, bases, sets};
use crate::tools;

const PRIMER: &str = "GTGCCAGCMGCCGCGGTAA";

/// Substitutes, inserts and deletes.
fn with_errors(random: &mut Random, mut sequence: Vec<u8>, errors: usize) -> Vec<u8> {
    for _ in 0..errors.min(sequence.len()) {
        let at = random.below(sequence.len());
        match random.below(4) {
            0 => sequence.insert(at, b"ACGT"[random.below(4)]),
            1 => drop(sequence.remove(at)),
            2 => sequence[at] = b"ACGTNRY"[random.below(7)],
            _ => sequence[at] = b"ACGT"[random.below(4)],
        }
    }
    sequence
}

/// All of an adapter, or a part of it from one of its ends, as it is read.
fn part(random: &mut Random, whole: &str, from_end: bool) -> Vec<u8> {
    let letters = whole.bytes().map(|b| if b == b'M' { b"AC"[random.below(2)] } else { b });
    let letters: Vec<u8> = letters.collect();
    let len = if random.chance(40) { letters.len() } else { random.below(letters.len() + 1) };
    let part = if from_end { &letters[letters.len() - len..] } else { &letters[..len] };
    let errors = [0, 0, 1, 2, 3, 5][random.below(6)];
    with_errors(random, part.to_vec(), errors)
}

/// Pairs with primers, adapters, parts of them, several and none. Of `long` ones every read has 60 bases at least.
fn pairs(random: &mut Random, n: usize, long: bool) -> [String; 2] {
    let mut out = [String::new(), String::new()];
    for i in 0..n {
        let (swapped, turned) = (random.chance(25), random.chance(25));
        for (mate, out) in out.iter_mut().enumerate() {
            // Mates of the other strand are exchanged; reads alone are turned.
            let side = if swapped { 1 - mate } else { mate };
            let mut read = Vec::new();
            if random.chance(40) {
                let before = if random.chance(30) { random.below(6) } else { 0 };
                read.extend(bases(random, before));
                read.extend(part(random, PRIMER, true));
            }
            let insert = random.below(60) + if long { 60 } else { 0 };
            read.extend(bases(random, insert));
            for _ in 0..[0, 1, 1, 1, 2][random.below(5)] {
                read.extend(part(random, ADAPTERS[side], false));
            }
            if random.chance(30) {
                let after = random.below(20);
                read.extend(bases(random, after));
            }
            if random.chance(10) {
                let run = b"ANG"[random.below(3)];
                read.extend(vec![run; 12]);
            }
            if random.chance(5) {
                read.make_ascii_lowercase();
            }
            if turned {
                read = reverse_complement(&read);
            }
            let low = random.chance(20);
            let quality = |random: &mut Random| {
                char::from(33 + random.below(if low { 20 } else { 41 }) as u8)
            };
            let qualities: String = (0..read.len()).map(|_| quality(random)).collect();
            let read = String::from_utf8(read).unwrap();
            *out += &format!("@r{i} {}:N:0\n{read}\n+\n{qualities}\n", mate + 1);
        }
    }
    out
}

impl Options {
    /// Whether an adapter may be anywhere.
    fn are_anywhere(&self) -> bool {
        self.theirs.iter().any(|word| word == "-b" || word == "-B")
    }

    /// Parameters of one adapter.
    fn parameters(random: &mut Random, tied: bool) -> String {
        let mut text = String::new();
        if random.chance(20) {
            text += [";e=0.2", ";max_error_rate=0.15", ";e=2", ";max_errors=1"][random.below(4)];
        }
        if random.chance(15) && !tied {
            text += &format!(";o={}", 1 + random.below(9));
        }
        if random.chance(10) {
            text += [";noindels", ";indels"][random.below(2)];
        }
        text
    }

    fn back(random: &mut Random, mate: usize) -> String {
        let from = random.below(6);
        let mut sequence = ADAPTERS[mate][from..from + 5 + random.below(22)].to_owned();
        if random.chance(15) {
            sequence.replace_range(2..4, "NN");
        }
        let tied = ["", "", "", "$", "X", ";rightmost"][random.below(6)];
        let name = if random.chance(20) { "tru=" } else { "" };
        let parameters = Options::parameters(random, tied == "$");
        format!("{name}{sequence}{tied}{parameters}")
    }

    fn front(random: &mut Random) -> String {
        let until = random.below(6);
        let sequence = &PRIMER[random.below(6)..PRIMER.len() - until];
        let tied = ["", "", "^", "X"][random.below(4)];
        let last = if tied.is_empty() && random.chance(15) { ";rightmost" } else { "" };
        let parameters = Options::parameters(random, tied == "^");
        format!("{tied}{sequence}{last}{parameters}")
    }

    fn adapters(&mut self, random: &mut Random, paired: bool) {
        for mate in 0..1 + usize::from(paired) {
            let n = if mate == 0 { 1 + random.below(3) } else { random.below(3) };
            for _ in 0..n {
                match random.below(9) {
                    0..=2 => {
                        let text = Options::back(random, mate);
                        let option = ["-a", "-A"][mate];
                        self.same(option, option, text);
                    }
                    3..=5 => {
                        let text = Options::front(random);
                        self.same(["-g", "--front2"][mate], ["-g", "-G"][mate], text);
                    }
                    6 => {
                        let text = &ADAPTERS[mate][..8 + random.below(20)];
                        self.same(["--anywhere", "-B"][mate], ["-b", "-B"][mate], text);
                    }
                    _ => {
                        let tied = random.chance(50);
                        let front = format!("{}{PRIMER}", if tied { "^" } else { "" });
                        let required = |random: &mut Random| {
                            ["", "", ";required", ";optional"][random.below(4)]
                        };
                        let (one, two) = (required(random), required(random));
                        let end = ["", "$", "X"][random.below(3)];
                        let back = &ADAPTERS[mate][..8 + random.below(20)];
                        let text = format!("{front}{one}...{back}{end}{two}");
                        let options = match (random.chance(50), mate) {
                            (true, 0) => ["-a", "-a"],
                            (true, _) => ["-A", "-A"],
                            (false, 0) => ["-g", "-g"],
                            (false, _) => ["--front2", "-G"],
                        };
                        self.same(options[0], options[1], text);
                    }
                }
            }
        }
        if random.chance(50) {
            let rate = ["0", "0.05", "0.13", "0.2", "0.3", "1", "2", "3", "6"][random.below(9)];
            self.same("--error-rate", "-e", rate);
        }
        if random.chance(40) {
            self.same("--overlap", "-O", 1 + random.below(12));
        }
        for (ours, theirs, percent) in [
            ("--no-indels", "--no-indels", 20),
            ("--match-read-wildcards", "--match-read-wildcards", 15),
            ("--no-match-adapter-wildcards", "-N", 10),
        ] {
            if random.chance(percent) {
                self.add(ours, theirs);
            }
        }
        let action = ["trim", "retain", "crop", "mask", "lowercase", "none"][random.below(6)];
        // cutadapt 5.2 ends with an exception where it crops to a linked adapter.
        let linked = self.theirs.iter().any(|word| word.contains("..."));
        if random.chance(50) && !(action == "crop" && linked) {
            self.same("--action", "--action", action);
        }
        let once = self.theirs.iter().any(|word| ["retain", "crop"].contains(&word.as_str()));
        // Where an adapter has so many errors that its score is negative, cutadapt 5.2 takes the other strand without any adapter: of reads
        // alone it then ends with an exception.
        let is_many = |rate: &String| rate.parse::<f64>().is_ok_and(|rate| rate >= 1.0);
        let many_errors = self.theirs.iter().any(|w| w.contains("e=2") || w.contains("max_errors"))
            || self.theirs.windows(2).any(|words| words[0] == "-e" && is_many(&words[1]));
        if random.chance(30) && !many_errors {
            self.add("--revcomp", "--revcomp");
        }
        if random.chance(30) && !once && !self.are_anywhere() {
            self.same("--times", "-n", 2 + random.below(3));
        }
    }

    /// What cuts and keeps beside adapters.
    fn rest(&mut self, random: &mut Random, paired: bool) {
        for (ours, sign) in [("--crop-front", ""), ("--crop-tail", "-")] {
            if random.chance(15) {
                let [one, two] = [0, 1].map(|_| 1 + random.below(9));
                let ours_two = if paired { format!("{one},{two}") } else { one.to_string() };
                let second = if paired { format!(" -U {sign}{two}") } else { String::new() };
                self.add(&format!("{ours} {ours_two}"), &format!("-u {sign}{one}{second}"));
            }
        }
        // What leaves reads short: see the first lines.
        if random.chance(20) && !self.are_anywhere() {
            self.same("--nextseq-trim", "--nextseq-trim", 1 + random.below(40));
        }
        for (ours, theirs, mates) in [("--quality-cutoff", "-q", 1), ("--quality-cutoff2", "-Q", 2)]
        {
            if random.chance(25) && !self.are_anywhere() && mates <= 1 + usize::from(paired) {
                let [front, tail] = [0, 1].map(|_| 1 + random.below(35));
                let front = if random.chance(50) { format!("{front},") } else { String::new() };
                self.same(ours, theirs, format!("{front}{tail}"));
            }
        }
        for (ours, theirs) in [("--trim-poly-a", "--poly-a"), ("--trim-n", "--trim-n")] {
            if random.chance(20) {
                self.add(ours, theirs);
            }
        }
        if random.chance(20) {
            self.same("--keep-first", "-l", 10 + random.below(70));
        }
        // cutadapt's filters object each by itself where both mates must be bad, so there may be one only.
        let both = paired && random.chance(15);
        let least = if both || random.chance(40) { 1 + random.below(40) } else { 1 };
        // Of each mate its own: both must have one, as cutadapt keeps mates without bases otherwise.
        let second = if paired && random.chance(30) { 1 + random.below(40) } else { least };
        let limits = |first: usize, second: usize| match first == second {
            true => first.to_string(),
            false => format!("{first}:{second}"),
        };
        self.same("--min-len", "-m", limits(least, second));
        if both {
            self.add("--pair any", "--pair-filter both");
            return;
        }
        if random.chance(20) {
            // Where no read could be kept, ours says so.
            let most = least.max(second).max(30 + random.below(50));
            let of_second = if paired && random.chance(30) { most + 9 } else { most };
            self.same("--max-len", "-M", limits(most, of_second));
        }
        if random.chance(15) {
            self.same("--max-n", "--max-n", 1 + random.below(6));
        } else if random.chance(15) {
            self.add("--max-n-percent 12.5", "--max-n 0.125");
        }
        if random.chance(20) {
            let errors = random.below(40) as f64 / 8.0 + 0.0371;
            self.same("--max-expected-errors", "--max-ee", errors);
        }
        if random.chance(15) {
            let rate = random.below(12) as f64 / 128.0 + 0.000_371;
            self.same("--max-expected-errors-per-base", "--max-aer", rate);
        }
        match random.below(6) {
            0 => self.add("--discard-trimmed", "--discard-trimmed"),
            1 => self.add("--discard-untrimmed", "--discard-untrimmed"),
            _ => {}
        }
    }
}

/// Runs cutadapt as often as there are lists of words, in one process.
fn cutadapt(runs: &[Vec<String>]) {
    let program = "import json, sys\n\
        import cutadapt\n\
        from cutadapt.cli import main\n\
        assert cutadapt.__version__ == '5.2', cutadapt.__version__\n\
        for words in json.load(sys.stdin):\n\
        \x20   try:\n\
        \x20       main(words)\n\
        \x20   except SystemExit as error:\n\
        \x20       sys.exit(f'{words}: {error}')\n";
    tools::need("cutadapt");
    let mut child = tools::need("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let words = serde_json::to_vec(runs).unwrap();
    child.stdin.take().unwrap().write_all(&words).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[ignore = "needs cutadapt"]
fn three_hundred_sets_of_options_give_the_bytes_of_cutadapt() {
    let folder = Folder::new();
    let (n, mut random) = sets(0x00c0_7ada);
    let inputs = [false, true].map(|long| {
        (0..6)
            .map(|i| {
                let texts = pairs(&mut random, 400, long);
                let mut mate = 0;
                texts.map(|text| {
                    mate += 1;
                    folder.file(&format!("{long}{i}_{mate}.fq"), text)
                })
            })
            .collect::<Vec<_>>()
    });
    let path =
        |who: &str, i: usize, mate: usize| text(&folder.path(&format!("{who}{i}_{mate}.fq")));
    let (mut runs, mut sets) = (Vec::new(), Vec::new());
    for i in 0..n {
        let paired = random.chance(70);
        let mut options = Options::default();
        options.adapters(&mut random, paired);
        options.rest(&mut random, paired);
        let files = &inputs[usize::from(options.are_anywhere())][i % 6][..1 + usize::from(paired)];
        let mut words = ["--quiet", "--no-index"].map(str::to_owned).to_vec();
        words.extend(options.theirs.iter().cloned());
        words.extend(["-o".into(), path("theirs", i, 1)]);
        if paired {
            words.extend(["-p".into(), path("theirs", i, 2)]);
        }
        words.extend(files.iter().cloned());
        runs.push(words);
        sets.push((options, files));
    }
    cutadapt(&runs);
    let (mut failed, mut kept) = (Vec::new(), 0);
    for (i, (options, files)) in sets.iter().enumerate() {
        let outputs = [path("ours", i, 1), path("ours", i, 2)];
        let mut words = vec!["filter", "--quiet", "-o", &outputs[0]];
        if files.len() > 1 {
            words.extend(["--out2", &outputs[1]]);
        }
        words.extend(options.ours.iter().map(String::as_str));
        words.extend(files.iter().map(String::as_str));
        let run = biofast(&words);
        let told = format!("{i}: cutadapt {}", options.theirs.join(" "));
        if run.code != 0 {
            failed.push(format!("{told}\n    {}", run.stderr));
            continue;
        }
        for (mate, output) in outputs.iter().enumerate().take(files.len()) {
            let read = |path: &str| std::fs::read_to_string(path).unwrap();
            let (a, b) = (read(output), read(&path("theirs", i, mate + 1)));
            kept += b.lines().count() / 4;
            if a != b {
                let lines = a.lines().count().max(b.lines().count());
                let at =
                    (0..lines).find(|&i| a.lines().nth(i) != b.lines().nth(i)).unwrap_or_default()
                        / 4
                        * 4;
                let shown = [&a, &b].map(|text| {
                    (text.lines().count() / 4, text.lines().skip(at).take(2).collect::<Vec<_>>())
                });
                failed.push(format!("{told}\n    mate {}: {shown:?}", mate + 1));
                break;
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {n} differ\n{}",
        failed.len(),
        failed[..failed.len().min(12)].join("\n")
    );
    assert!(kept > 20_000, "{kept}");
}

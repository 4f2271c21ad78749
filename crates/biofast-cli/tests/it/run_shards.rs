//! `biofast run`: what shards on any engine give is what one run gives, also if workers and drivers are killed.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Command, Stdio};

use biofast_testkit::container::{bgzf, gzip};
use biofast_testkit::sam::{self, SamShape};
use serde_json::Value;

use crate::common::{Folder, Run, binary, command, finish, good, reads, run_in};

/// A program that takes the place of another.
fn script(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.file(name, format!("#!/bin/sh\n{text}"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// `sbatch` and `squeue` that run arrays here, in a folder for PATH. What is submitted is noted in the file `submitted`.
fn slurm(folder: &Folder) -> String {
    fs::create_dir(folder.path("bin")).unwrap();
    script(
        folder,
        "bin/sbatch",
        r#"echo "$@" >> submitted
for word in "$@"; do
    case $word in
    --array=*) elements=${word#--array=} ;;
    --chdir=*) cd "${word#--chdir=}" ;;
    -*) ;;
    *) job=$word ;;
    esac
done
echo "4711;here"
code=0
for range in $(echo "${elements%%%*}" | tr , ' '); do
    for element in $(seq "${range%-*}" "${range#*-}"); do
        SLURM_ARRAY_TASK_ID=$element sh "$job" || code=1
    done
done
exit $code
"#,
    );
    script(folder, "bin/squeue", "test -e queued && echo 4711 RUNNING\n");
    format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap())
}

/// `biofast run` with these options, with the fake SLURM.
fn run(folder: &Folder, path: &str, words: &[&str]) -> Run {
    let mut command = command(&[&["run"][..], words].concat());
    command.current_dir(folder.path("")).env("PATH", path);
    finish(command)
}

/// 20 files of reads, one of which is empty, and two of which are equal.
fn lanes(folder: &Folder) -> Vec<String> {
    let lane = |i: usize| {
        let text = match i {
            3 => String::new(),
            _ => reads(&format!("lane{}:", i.min(18)), 30 + 7 * i.min(18)),
        };
        let name = format!("lane{i}.fastq.gz");
        folder.file(&name, bgzf(text.as_bytes(), 500));
        name
    };
    (0..20).map(lane).collect()
}

#[test]
fn twenty_files_give_the_bytes_of_one_run_on_each_engine() {
    let folder = Folder::new();
    let path = slurm(&folder);
    let files = lanes(&folder);
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    for words in [&["stats", "--json"][..], &["stats", "-T"], &["check", "--json"], &["check"]] {
        let one = good(&folder, &[words, &files[..]].concat()).stdout;
        for engine in ["local", "slurm"] {
            let sharded =
                [&["-q", "--engine", engine, "--number", "3", "--"], words, &files, &["-o", "out"]];
            let run = run(&folder, &path, &sharded.concat());
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{engine} {words:?}");
            assert!(fs::read_to_string(folder.path("out")).unwrap() == one, "{engine} {words:?}");
            assert!(!folder.path("out.run").exists(), "{engine}: the folder of the run is left");
        }
    }
    // A list of files; standard output; sizes; one sample of all.
    folder.file("list", files.join("\n"));
    for words in ["stats --json -X list", "stats --json --sample all -X list"] {
        let words: Vec<&str> = words.split(' ').collect();
        let one = good(&folder, &words).stdout;
        let sharded = [&["--size", "2KB", "-q", "--"][..], &words[..]].concat();
        let run = run(&folder, &path, &sharded);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout == one, "{words:?}");
    }
}

#[test]
fn pairs_and_alignments_give_the_bytes_of_one_run() {
    let folder = Folder::new();
    let path = slurm(&folder);
    let mut files = Vec::new();
    for i in 0..4 {
        for mate in 1..=2 {
            let name = format!("p{i}_R{mate}.fq");
            folder.file(&name, reads("r", 40 + i).replace(" 1", &format!(" {mate}")));
            files.push(name);
        }
    }
    let shape = SamShape { records: 300, sorted: true, longest: 150, oddities: false, seed: 11 };
    folder.file("x.sam", sam::text(&shape));
    for bam in ["a.bam", "b.bam"] {
        good(&folder, &["view", "-b", "--no-PG", "x.sam", "-o", bam]);
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    for words in [
        &[&["stats", "--json", "--paired"][..], &files].concat()[..],
        &[&["check", "--json", "--paired"][..], &files].concat(),
        &["stats", "--json", "a.bam", "b.bam"],
        &["flagstat", "-O", "json", "a.bam"],
        &["flagstat", "-O", "tsv", "a.bam"],
        &["flagstat", "a.bam"],
        &["idxstats", "a.bam"],
        &["coverage", "-F", "4", "a.bam"],
        &["coverage", "--format", "samtools-depth", "-aa", "a.bam"],
    ] {
        let one = good(&folder, words).stdout;
        for engine in ["local", "slurm"] {
            let run = run(
                &folder,
                &path,
                &[&["--engine", engine, "--number", "4", "-q", "--"][..], words].concat(),
            );
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{engine} {words:?}");
            assert!(run.stdout == one, "{engine} {words:?}\n{}\n{one}", run.stdout);
        }
    }
    for folder_of in ["one", "shards"] {
        let words = ["coverage", "--out-dir", folder_of, "--by", "100", "-T", "1,5", "a.bam"];
        match folder_of {
            "one" => good(&folder, &words),
            _ => good(&folder, &[&["run", "-q", "--number", "4", "--"][..], &words[..]].concat()),
        };
    }
    for entry in fs::read_dir(folder.path("one")).unwrap() {
        let name = entry.unwrap().file_name();
        let read = |of: &str| fs::read(folder.path(of).join(&name)).unwrap();
        assert!(read("one") == read("shards"), "{name:?}");
    }
}

#[test]
fn a_worker_that_is_killed_is_replaced() {
    let folder = Folder::new();
    let path = slurm(&folder);
    let files = lanes(&folder);
    let files: Vec<&str> = files.iter().map(String::as_str).take(4).collect();
    let one = good(&folder, &[&["stats", "--json"][..], &files].concat()).stdout;
    // The first time that any of two shares is begun, its process is killed.
    let killed = format!(
        r#"case "$*" in
*"shards --share 5/"*|*"plan --share 1/"*) mkdir "killed-$6-${{8%%/*}}" 2>/dev/null && kill -9 $$ ;;
esac
exec {} "$@"
"#,
        binary()
    );
    let program = script(&folder, "killed-once", &killed);
    for engine in ["local", "slurm"] {
        for entry in fs::read_dir(folder.path("")).unwrap() {
            let path = entry.unwrap().path();
            if path.display().to_string().contains("killed-") && path.is_dir() {
                fs::remove_dir(path).unwrap();
            }
        }
        let options = ["--engine", engine, "--program", &program, "--number", "3", "-q"];
        let words = [&options[..], &["--", "stats", "--json"][..], &files].concat();
        let run = run(&folder, &path, &words);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{engine}");
        assert!(run.stdout == one, "{engine}");
        let killed = fs::read_dir(folder.path("")).unwrap().filter(|entry| {
            let entry = entry.as_ref().unwrap();
            entry.path().is_dir() && entry.file_name().to_string_lossy().starts_with("killed-")
        });
        assert_eq!(killed.count(), 2, "{engine}: nothing was killed");
        // Without retries it is an error that says what, where and why.
        let always = script(
            &folder,
            "always",
            &format!(
                "case \"$*\" in *\"shards --share 5/\"*) kill -9 $$ ;; esac\nexec {} \"$@\"\n",
                binary()
            ),
        );
        let options =
            ["--engine", engine, "--program", &always, "--number", "3", "--retries", "0", "-q"];
        let run = self::run(
            &folder,
            &path,
            &[&options[..], &["--", "stats", "--json"][..], &files].concat(),
        );
        assert_eq!(run.code, 2, "{engine}");
        assert!(run.stderr.contains("shard 3 of lane1.fastq.gz"), "{engine}: {}", run.stderr);
        assert!(run.stderr.contains("run the same command line again"), "{engine}: {}", run.stderr);
        fs::remove_dir_all(folder.path("biofast.run")).unwrap();
    }
}

#[test]
fn a_driver_that_is_killed_is_continued_with_what_is_there() {
    let folder = Folder::new();
    let path = slurm(&folder);
    let files = lanes(&folder);
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let one = good(&folder, &[&["stats", "--json"][..], &files].concat()).stdout;
    let driver = folder.path("driver").display().to_string();
    let text = format!(
        "case \"$*\" in *\"shards --share 20/\"*) test -e {driver} && kill -9 $(cat {driver}) && rm {driver} ;; esac\nexec {} \"$@\"\n",
        binary()
    );
    let program = script(&folder, "kills-driver", &text);
    for engine in ["local", "slurm"] {
        let words = [
            "run", "--engine", engine, "--program", &program, "--number", "3", "--jobs", "1", "--",
            "stats", "--json", "-o", "out",
        ];
        let words = [&words[..], &files[..]].concat();
        let mut started = Command::new("sh");
        started.args(["-c", "echo $$ > driver; exec \"$@\"", "sh", binary()]).args(&words);
        started.current_dir(folder.path("")).env("PATH", &path).stdin(Stdio::null());
        let status = started.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{engine}");
        let parts = || {
            let parts = fs::read_dir(folder.path("out.run/parts")).unwrap();
            let name = |entry: std::io::Result<fs::DirEntry>| {
                let entry = entry.unwrap();
                (entry.file_name(), entry.metadata().unwrap().ino())
            };
            let mut parts: Vec<_> = parts.map(name).collect();
            parts.sort();
            parts
        };
        // The fake array goes on alone, as a real one does: until it ends.
        let mut before = parts();
        loop {
            std::thread::sleep(std::time::Duration::from_millis(300));
            let now = parts();
            if now == before {
                break;
            }
            before = now;
        }
        assert!(before.len() >= 20, "{engine}: {}", before.len());
        assert!(engine == "slurm" || before.len() < 60, "{engine}: {}", before.len());
        // One of those that are there was damaged meanwhile.
        let damaged = folder.path("out.run/parts/1-2.json");
        let text = fs::read_to_string(&damaged).unwrap();
        fs::write(&damaged, &text[..text.len() / 2]).unwrap();
        let mut again: Vec<&str> = vec!["--keep-work"];
        again.extend(&words[1..]);
        folder.file("queued", "");
        let run = run(&folder, &path, &again);
        assert_eq!(run.code, 0, "{engine}: {}", run.stderr);
        assert!(run.stderr.contains("60 shards of 20 files"), "{engine}: {}", run.stderr);
        assert!(run.stderr.contains("of them done before"), "{engine}: {}", run.stderr);
        assert!(fs::read_to_string(folder.path("out")).unwrap() == one, "{engine}");
        let after = parts();
        assert_eq!(after.len(), 60);
        let same = before.iter().filter(|part| after.contains(part)).count();
        assert_eq!(same, before.len() - 1, "{engine}: parts that were there were made again");
        if engine == "slurm" {
            let submitted = fs::read_to_string(folder.path("submitted")).unwrap();
            assert!(
                submitted.lines().last().unwrap().contains("--dependency=afterany:4711"),
                "{submitted}"
            );
        }
        fs::remove_file(folder.path("queued")).unwrap();
        fs::remove_dir_all(folder.path("out.run")).unwrap();
        fs::remove_file(folder.path("out")).unwrap();
    }
}

#[test]
fn steps_that_another_engine_starts_make_the_whole() {
    let folder = Folder::new();
    let files = lanes(&folder);
    let files: Vec<&str> = files.iter().map(String::as_str).take(5).collect();
    let one = good(&folder, &[&["stats", "--json"][..], &files].concat()).stdout;
    let words = [
        "run", "-q", "--number", "4", "--work", "w", "--step", "prepare", "--", "stats", "--json",
        "-o", "out",
    ];
    good(&folder, &[&words[..], &files[..]].concat());
    let status = || -> Value {
        serde_json::from_str(&good(&folder, &["run", "--work", "w", "--step", "status"]).stdout)
            .unwrap()
    };
    assert_eq!(status()["missing_plans"], serde_json::json!([0, 1, 2, 3, 4]));
    for share in ["0/2", "1/2"] {
        good(&folder, &["run", "--work", "w", "--step", "plan", "--share", share]);
    }
    assert_eq!(
        (&status()["shards"], &status()["missing_plans"]),
        (&20.into(), &serde_json::json!([]))
    );
    let merging = run_in(&folder, &["run", "--work", "w", "--step", "merge"]);
    assert_eq!(merging.code, 2);
    assert!(
        merging.stderr.contains("20 of 20 shards are missing: first shard 1 of lane0.fastq.gz"),
        "{}",
        merging.stderr
    );
    for share in ["2/3", "0/3", "1/3"] {
        good(&folder, &["run", "--work", "w", "--step", "shards", "--share", share]);
    }
    assert_eq!(status()["missing_shards"], serde_json::json!([]));
    good(&folder, &["run", "--work", "w", "--step", "merge"]);
    assert!(fs::read_to_string(folder.path("out")).unwrap() == one);
    assert!(!folder.path("w").exists());
}

#[test]
fn what_cant_be_run_is_told_with_what_helps() {
    let folder = Folder::new();
    folder.file("a.fq", reads("a", 50));
    folder.file("b.fq", reads("b", 50) + "cut\nACG\n+\nIII\n");
    folder.file("a.fq.gz", gzip(reads("a", 50).as_bytes()));
    let refused = |words: &str, why: &[&str]| {
        let words: Vec<&str> = words.split(' ').collect();
        let run = run_in(
            &folder,
            &[&["run", "--number", "2", "--retries", "9"][..], &words[..]].concat(),
        );
        assert_eq!(run.code, 2, "{words:?} {}", run.stderr);
        for text in why {
            assert!(run.stderr.contains(text), "{words:?}: {text}\n{}", run.stderr);
        }
    };
    refused("-- sort a.bam -o x.bam", &["'sort' can't be run in shards", "stats, check"]);
    refused("-- stats --jsn a.fq", &["--jsn", "--json"]);
    refused("-- stats --json", &["no files"]);
    refused("-- stats a.fq ./a.fq a.fq", &["a.fq is named twice"]);
    refused("-- stats --paired a.fq", &["even number of files"]);
    refused("-- stats --sample x --sample y a.fq b.fq", &["one --sample"]);
    refused("-- stats --qc seqkit,fastqc --out-dir d a.fq", &["--qc fastqc of reads"]);
    refused("-- coverage a.bam b.bam", &["one file for coverage"]);
    let nowhere = run_in(&folder, &["run", "--work", "nowhere", "--step", "status"]);
    assert!(nowhere.stderr.contains("nowhere: not the folder of a run"), "{}", nowhere.stderr);
    // Outputs are looked at before anything is done.
    refused("-- stats --json a.fq b.fq -o b.fq", &["b.fq is an input and would be overwritten"]);
    refused("-- stats a.fq --html a.fq -o r.txt", &["a.fq is an input and would be overwritten"]);
    refused("-- stats --json a.fq -o none/r.json", &["mkdir -p none"]);
    refused(
        "--work w -- stats --json a.fq -o w/r.json",
        &["w/r.json is in", "the folder of the run"],
    );
    for made in ["b.fq.run", "r.txt.run", "none", "w"] {
        assert!(!folder.path(made).exists(), "{made}");
    }
    // Whatever way an output in the folder of the run is named, it would be removed with it.
    fs::create_dir_all(folder.path("real/parts")).unwrap();
    std::os::unix::fs::symlink(folder.path("real"), folder.path("link")).unwrap();
    for (work, out) in [("link", "real/parts/r"), ("real", "link/r"), ("real", "link/../real/r")] {
        let words = format!("--work {work} -- stats --json a.fq -o {out}");
        refused(&words, &["the folder of the run"]);
    }
    // What others have in a folder would be removed with the run.
    for name in ["logs/kept", "counts.json", "plan.sh", "kept"] {
        fs::create_dir_all(folder.path("mine/logs")).unwrap();
        folder.file(&format!("mine/{name}"), "[0]");
        refused(
            "--work mine -- stats --json a.fq",
            &["mine: not empty, and not of a run", "--work"],
        );
        assert!(folder.path(&format!("mine/{name}")).exists());
        fs::remove_dir_all(folder.path("mine")).unwrap();
    }
    // Options without effect.
    refused("--submit-option=x -- stats a.fq", &["--submit-option is for --engine slurm"]);
    refused("--work w --step plan", &["--number has no effect on a run that was begun"]);
    refused("--step prepare --jobs 2 -- stats a.fq", &["--jobs has no effect with --step prepare"]);
    refused("--step prepare --share 0/2 -- stats a.fq", &["--share has no effect"]);
    refused("--step prepare --keep-work -- stats a.fq", &["--keep-work has no effect"]);
    // A fault of the data isn't tried again, and says where it is.
    refused(
        "-- stats --json a.fq b.fq",
        &["the plan of b.fq on ", "record 51", "run the same command line again"],
    );
    // Another run in the same folder; a file that has changed.
    refused("-- stats -T a.fq b.fq", &["the folder of another run", "--work"]);
    folder.file("a.fq", reads("a", 49));
    refused("-- stats --json a.fq b.fq", &["has changed since the run began"]);
    fs::remove_dir_all(folder.path("biofast.run")).unwrap();
    // Ordinary gzip needs an index.
    refused("-- stats --json a.fq.gz", &["a.fq.gz on ", "in the middle of", "biofast index"]);
    let one = good(&folder, &["stats", "--json", "a.fq.gz"]).stdout;
    let indexed = good(
        &folder,
        &["run", "-q", "--number", "2", "--write-index", "--", "stats", "--json", "a.fq.gz"],
    );
    assert!(indexed.stdout == one);
    assert!(folder.path("a.fq.gz.bsi").exists());
}

#[test]
fn a_dry_run_prints_what_would_be_submitted_and_leaves_nothing() {
    let folder = Folder::new();
    folder.file("it's.fq", reads("a", 50));
    folder.file("b.fq", reads("b", 50));
    let before = fs::read_dir(folder.path("")).unwrap().count();
    let words = [
        "run",
        "--dry-run",
        "--engine",
        "slurm",
        "--number",
        "700",
        "--memory",
        "2G",
        "--time",
        "90m",
        "--jobs",
        "50",
        "--submit-option=--partition=long",
        "--program",
        "/opt/biofast",
        "--work",
        "it's",
        "--",
        "stats",
        "--json",
        "-@",
        "4",
        "it's.fq",
        "b.fq",
        "-o",
        "out.json",
    ];
    let shown = good(&folder, &words).stdout;
    for text in [
        "--array=0-1%50",
        "--array=0-999%50",
        "--mem=2048M",
        "--time=90",
        "--cpus-per-task=4",
        "--partition=long",
        "exec /opt/biofast run --quiet --work '",
        "--step shards --share \"$SLURM_ARRAY_TASK_ID\"/1000",
        "--step merge",
    ] {
        assert!(shown.contains(text), "{text}\n{shown}");
    }
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), before);
    let shown =
        good(&folder, &["run", "--dry-run", "--jobs", "3", "--", "stats", "--json", "b.fq"]).stdout;
    assert!(shown.contains("# 3 at once") && shown.contains("--share I/N"), "{shown}");
}

#[test]
fn ten_thousand_shards_are_named_and_not_sent() {
    let folder = Folder::new();
    let text = reads("r", 12_000);
    folder.file("r.fq", &text);
    let words = [
        "run", "-q", "--number", "10000", "--work", "w", "--step", "prepare", "--", "stats",
        "--json", "r.fq",
    ];
    good(&folder, &words);
    good(&folder, &["run", "--work", "w", "--step", "plan"]);
    let plan = fs::metadata(folder.path("w/plans/1.json")).unwrap().len();
    // What a task is told: these words. The plan is read where it is.
    let task = format!(
        "biofast run --quiet --work {} --step shards --share 9999/10000",
        folder.path("w").display()
    );
    assert!(10_000 * task.len() as u64 + plan < 10_000_000, "{plan}");
    good(&folder, &["run", "--work", "w", "--step", "shards", "--share", "9999/10000"]);
    let part: Value =
        serde_json::from_slice(&fs::read(folder.path("w/parts/1-10000.json")).unwrap()).unwrap();
    assert_eq!(
        part["parts"][0]["shard"]["pieces"][0]["shards"],
        serde_json::json!([10_000, 10_000])
    );
}

#[test]
fn what_another_run_or_a_change_would_mix_up_is_refused() {
    let folder = Folder::new();
    folder.file("a.fq", reads("a", 50));
    folder.file("b.fq", reads("b", 70));
    let one = |file: &str| good(&folder, &["stats", "-T", file]).stdout;
    let expected = [one("a.fq"), one("b.fq")];
    // In the same folder at the same time: each prints its own or nothing.
    let mut done = 0;
    for _ in 0..8 {
        let both = std::thread::scope(|scope| {
            let files = ["a.fq", "b.fq"];
            let runs = files.map(|file| {
                let folder = &folder;
                scope.spawn(move || run_in(folder, &["run", "-q", "--", "stats", "-T", file]))
            });
            runs.map(|run| run.join().unwrap())
        });
        for (run, expected) in both.iter().zip(&expected) {
            match run.code {
                0 => assert_eq!(&run.stdout, expected),
                _ => assert_eq!((run.code, &run.stdout[..]), (2, ""), "{}", run.stderr),
            }
            done += usize::from(run.code == 0);
        }
        let _ = fs::remove_dir_all(folder.path("biofast.run"));
    }
    assert!(done >= 8, "{done}");
    // A driver that is under way keeps others out.
    let words = ["run", "-q", "--work", "w", "--step", "prepare", "--", "stats", "-T", "a.fq"];
    good(&folder, &words);
    let held = fs::File::open(folder.path("w/run.json")).unwrap();
    held.lock().unwrap();
    let run = run_in(&folder, &["run", "--work", "w", "--", "stats", "-T", "a.fq"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("w: this run is under way"), "{}", run.stderr);
    drop(held);
    // Wrong numbers of shards are counted again.
    for counts in ["[0]", "[1,1]", "[99999999999999]", "x"] {
        folder.file("w/counts.json", counts);
        let run = ["run", "-q", "--work", "w", "--keep-work", "--", "stats", "-T", "a.fq"];
        assert_eq!(good(&folder, &run).stdout, expected[0], "{counts}");
    }
    // What else is read must be as it was.
    folder.file("limits.txt", good(&folder, &["stats", "--print-limits"]).stdout);
    let words = ["run", "-q", "--work", "v", "--step", "prepare", "--", "stats", "a.fq"];
    good(&folder, &[&words[..], &["--limits", "limits.txt"]].concat());
    folder
        .file("limits.txt", good(&folder, &["stats", "--print-limits", "--library", "rna"]).stdout);
    let run = run_in(&folder, &["run", "--work", "v", "--step", "plan"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("limits.txt has changed since the run began"), "{}", run.stderr);
}

#[test]
fn workers_may_say_much_and_end_with_the_driver() {
    let folder = Folder::new();
    folder.file("a.fq", reads("a", 50));
    let loud = format!("head -c 200000 /dev/zero | tr '\\0' x >&2; exec {} \"$@\"\n", binary());
    let loud = script(&folder, "loud", &loud);
    let run = ["run", "-q", "--program", &loud, "--number", "2", "--", "stats", "-T", "a.fq"];
    assert_eq!(good(&folder, &run).stdout, good(&folder, &["stats", "-T", "a.fq"]).stdout);
    let slow = script(&folder, "slow", "echo $$ > worker; exec sleep 100\n");
    let mut driver = command(&["run", "-q", "--program", &slow, "--", "stats", "-T", "a.fq"]);
    let mut driver = driver.current_dir(folder.path("")).spawn().unwrap();
    let worker = loop {
        let worker = fs::read_to_string(folder.path("worker")).unwrap_or_default();
        match worker.trim().parse::<u32>() {
            Ok(worker) => break worker,
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    };
    let signal = |process: u32, signal: &str| {
        let kill = Command::new("kill").args([signal, &process.to_string()]).output();
        kill.unwrap().status.success()
    };
    assert!(signal(driver.id(), "-TERM"));
    driver.wait().unwrap();
    // Whoever takes it over may not have noticed yet that it has ended.
    let has_ended = |_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        let state = fs::read_to_string(format!("/proc/{worker}/stat")).unwrap_or_default();
        !signal(worker, "-0") || state.contains(") Z ")
    };
    assert!((0..500).any(has_ended), "the worker goes on");
}

//! What is read twice must be the same both times: commands that hold on to what the first reading found notice a change, and leave no
//! output. The change comes while they wait for a named pipe to be emptied, or filled.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

use biofast_testkit::sam;

use crate::common::{self, Folder, Run, command, ok, reads, text};

fn pipe(folder: &Folder, name: &str) -> String {
    let path = text(&folder.path(name));
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
    assert!(made.success());
    path
}

/// Runs a command that writes to the pipe, and changes a file when that has begun.
fn run_and_change(args: &[&str], pipe: &str, change: impl FnOnce()) -> Run {
    let mut command = command(args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Opened when the command has opened it, which can't end before it is emptied.
    let mut reading = std::fs::File::open(pipe).unwrap();
    change();
    std::io::copy(&mut reading, &mut std::io::sink()).unwrap();
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn append(path: &str, more: &str) {
    let mut file = std::fs::File::options().append(true).open(path).unwrap();
    file.write_all(more.as_bytes()).unwrap();
}

/// Another file of the same content, under the same name.
fn replace(path: &str) {
    let other = format!("{path}.other");
    std::fs::copy(path, &other).unwrap();
    std::fs::rename(other, path).unwrap();
}

#[test]
fn a_change_between_two_readings_is_an_error_and_leaves_no_output() {
    let folder = Folder::new();
    let report = text(&folder.path("report.json"));
    let out = pipe(&folder, "out.fq");
    let original = reads("r", 6000);
    let commands: [&[&str]; 9] = [
        &["filter", "--sample-bases", "200K"],
        &["filter", "--sample-count", "4000"],
        &["filter", "--target-bases", "100000"],
        &["filter", "--keep-percent", "90"],
        &["convert", "--tail", "4000"],
        &["convert", "--range", "-4000:-1"],
        &["convert", "--unique-names=name"],
        &["dedup", "--keep", "best-quality", "--key", "name"],
        &["repair"],
    ];
    for command in commands {
        for is_replaced in [false, true] {
            let file = folder.file("x.fq", &original);
            let mut args = command.to_vec();
            if command[0] == "repair" {
                args.extend(["--orphans", &out, "-o", "/dev/null", &file, "--summary", &report]);
            } else {
                args.extend([&file, "-o", &out, "--summary", &report]);
            }
            let run = run_and_change(&args, &out, || match is_replaced {
                true => replace(&file),
                false => append(&file, "@more\nACGT\n+\nIIII\n"),
            });
            common::assert_error(&run, &["x.fq: changed while it was being read", "hint: "]);
            assert!(!Path::new(&report).exists(), "{command:?}");
            // The same without a change.
            let run = run_and_change(&args, &out, || ());
            // Without a change repair says that there are no pairs.
            let code = i32::from(command[0] == "repair");
            assert_eq!(run.code, code, "{command:?}: {run:?}");
            std::fs::remove_file(&report).unwrap();
        }
    }
}

#[test]
fn sorted_alignments_that_change_while_they_are_copied_are_an_error() {
    let folder = Folder::new();
    let shape =
        sam::SamShape { records: 20_000, sorted: true, longest: 150, oddities: false, seed: 5 };
    let file = folder.file("x.sam", sam::text(&shape));
    let sorted = text(&folder.path("sorted.bam"));
    ok(&["sort", "-q", &file, "-o", &sorted]);
    let (out, report) = (pipe(&folder, "out.bam"), text(&folder.path("report.json")));
    let args = ["sort", &sorted, "-o", &out, "--summary", &report];
    let run = run_and_change(&args, &out, || replace(&sorted));
    common::assert_error(&run, &["sorted.bam: changed while it was being read"]);
    assert!(!Path::new(&report).exists());
    let run = run_and_change(&args, &out, || ());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("already in order"), "{run:?}");
}

#[test]
fn parts_of_a_file_that_changes_do_not_appear() {
    let folder = Folder::new();
    let one = folder.file("x_1.fq", reads("r", 400));
    let two = pipe(&folder, "x_2.fq");
    let text_of_two = reads("r", 400);
    std::fs::create_dir(folder.path("parts")).unwrap();
    let parts = text(&folder.path("parts"));
    let template = format!("{parts}/{{part}}_{{mate}}.fq");
    for changes in [true, false] {
        let mut command =
            command(&["split", "--by-part", "2", "--blocks", &one, &two, "-o", &template]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut writing = std::fs::File::options().write(true).open(&two).unwrap();
        writing.write_all(&text_of_two.as_bytes()[..1000]).unwrap();
        // The command has the first reads, and waits for more.
        std::thread::sleep(std::time::Duration::from_millis(300));
        if changes {
            append(&one, "@more\nACGT\n+\nIIII\n");
        }
        writing.write_all(&text_of_two.as_bytes()[1000..]).unwrap();
        if changes {
            writing.write_all(b"@more\nACGT\n+\nIIII\n").unwrap();
        }
        drop(writing);
        let mut said = String::new();
        let mut child = child;
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let code = child.wait().unwrap().code();
        let made = std::fs::read_dir(&parts).map_or(0, Iterator::count);
        if changes {
            assert_eq!((code, made), (Some(2), 0), "{said}");
            assert!(said.contains("x_1.fq: changed while it was being read"), "{said}");
            std::fs::write(&one, reads("r", 400)).unwrap();
        } else {
            assert_eq!((code, made), (Some(0), 4), "{said}");
        }
    }
}

#[test]
fn mates_that_change_before_they_are_read_again_are_an_error() {
    let folder = Folder::new();
    let two = folder.file("a_2.fq", reads("s", 400));
    let three = pipe(&folder, "b_1.fq");
    let four = folder.file("b_2.fq", reads("r", 4));
    for (name, changes, expected) in
        [("check", true, 2), ("check", false, 1), ("stats", true, 2), ("stats", false, 2)]
    {
        // Their names differ, and where is looked up at the end.
        let one = folder.file("a_1.fq", reads("r", 400));
        let mut command = command(&[name, "-@", "1", "--paired", &one, &two, &three, &four]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut writing = std::fs::File::options().write(true).open(&three).unwrap();
        if changes {
            replace(&one);
        }
        writing.write_all(reads("r", 4).as_bytes()).unwrap();
        drop(writing);
        let output = child.wait_with_output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{name}: {said}");
        assert_eq!(
            said.contains("a_1.fq: changed while it was being read"),
            changes,
            "{name}: {said}"
        );
        assert_eq!(said.contains("record 1"), !changes, "{name}: {said}");
    }
}

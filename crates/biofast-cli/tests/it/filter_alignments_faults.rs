//! `biofast filter` on bad alignments and in bad luck: exit code 2, a message, and no output file.

use std::io::Read;
use std::process::Stdio;

use crate::common::{Folder, assert_error, biofast, command, fails, finish, listed, ok, text};
use biofast_testkit::sam::{self, SamShape};

fn alignments(records: usize, sorted: bool) -> String {
    sam::text(&SamShape { records, sorted, longest: 150, oddities: false, seed: 8 })
}

#[test]
fn faulty_input_leaves_no_output() {
    let (inputs, outputs) = (Folder::new(), Folder::new());
    let good = alignments(3000, true);
    let sam = inputs.file("a.sam", &good);
    let bam = text(&inputs.path("a.bam"));
    ok(&["view", "--no-PG", "-b", &sam, "-o", &bam]);
    let printed = biofast(&["view", "--no-PG", "-h", &sam]).stdout;
    let whole = std::fs::read(&bam).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x10;
    let cases = [
        (inputs.file("cut.bam", &whole[..whole.len() * 2 / 3]), "truncated"),
        (inputs.file("no_end.bam", &whole[..whole.len() - 28]), "end-of-file"),
        (inputs.file("flipped.bam", flipped), "corrupt"),
        (inputs.file("line.sam", format!("{good}x\t4\t*\n")), "record 3001"),
    ];
    for (path, needed) in &cases {
        for threads in ["1", "3"] {
            for name in ["o.bam", "o.sam", "o.sam.gz"] {
                let [out, json, rest] =
                    [name, "x.json", "u.bam"].map(|name| text(&outputs.path(name)));
                let args = ["filter", "-q", "1", path, "-o", &out, "-U", &rest, "--summary", &json];
                let index = if name == "o.sam" { "--sync" } else { "--write-index" };
                fails(&[&args[..], &["-@", threads, index]].concat(), &[needed, path]);
                assert_eq!(listed(&outputs), [""; 0], "{path}");
            }
        }
        // To a pipe, no more than the good records.
        let run = biofast(&["filter", path, "--quiet", "-h", "--no-PG"]);
        assert_eq!(run.code, 2, "{path}");
        assert!(printed.starts_with(&run.stdout), "{path}");
        assert!(run.stdout.len() > good.len() / 4, "{path}");
    }
    // Too little to be seen what it is.
    let stub = inputs.file("stub.bam", &whole[..50]);
    fails(&["filter", "-q", "1", &stub], &["stub.bam", "truncated"]);
    fails(&["filter", &stub], &["stub.bam", "truncated"]);
    let run = fails(&["filter", "-c", &cases[0].0], &["truncated"]);
    assert_eq!(run.stdout, "");
    let accepted = biofast(&["filter", "--quiet", "-c", "--allow-missing-eof", &cases[1].0]);
    assert_eq!((accepted.code, accepted.stdout.as_str()), (0, "3000\n"));
}

#[test]
fn records_out_of_order_have_no_index() {
    let folder = Folder::new();
    let sam = folder.file("a.sam", alignments(3000, false));
    let out = text(&folder.path("o.bam"));
    for threads in ["1", "3"] {
        let args =
            ["filter", &sam, "-o", &out, "--write-index", "-@", threads, "--chunk-size", "9000"];
        fails(&args, &["the index of", "o.bam", "record 3: not sorted"]);
        assert_eq!(listed(&folder), ["a.sam"]);
    }
    // Without one they are no fault.
    ok(&["filter", "--quiet", &sam, "-o", &out]);
    let long = "@SQ\tSN:c\tLN:600000000\nr\t0\tc\t550000000\t9\t4M\t*\t0\t0\tACGT\tIIII\n";
    let long = folder.file("long.sam", long);
    fails(&["filter", &long, "-o", &out, "--write-index=bai"], &["'c' has 600000000 bases"]);
    ok(&["filter", "--quiet", &long, "-o", &out, "--write-index"]);
    assert!(folder.path("o.bam.csi").exists());
}

#[test]
fn a_record_an_expression_has_no_answer_for_is_an_error() {
    let folder = Folder::new();
    let sam_text = alignments(3000, true).replacen("\tNM:i:", "\tXX:Z:", 1);
    let input = folder.file("a.sam", &sam_text);
    let odd = sam_text.lines().find(|line| line.contains("XX:Z")).unwrap();
    let name = odd.split('\t').next().unwrap();
    for threads in ["1", "3"] {
        for more in [vec!["-c"], vec!["-o", "o.bam"], vec![]] {
            let mut command =
                command(&["filter", "-e", "![XX] || [XX] + 1 > 5", &input, "-@", threads]);
            command.args(more).current_dir(folder.path("")).args(["--chunk-size", "20000"]);
            assert_error(&finish(command), &["a.sam", &format!("'{name}'")]);
            assert_eq!(listed(&folder), ["a.sam"]);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new();
    for records in [1, 5000] {
        let input = folder.file("a.sam", alignments(records, true));
        for format in ["sam", "bam"] {
            fails(
                &["filter", &input, "-h", "-O", format, "-o", "/dev/full"],
                &["/dev/full", "No space left"],
            );
            let mut command = command(&["filter", "-h", &input, "-O", format]);
            command.stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
            let output =
                command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{records} {format}");
        }
        let out = text(&folder.path("o.bam"));
        let args = ["filter", &input, "-h", "-o", &out, "-U", "/dev/full", "-q", "31"];
        fails(&args, &["/dev/full"]);
        assert!(!folder.path("o.bam").exists());
        fails(&["filter", "-c", &input, "-o", "/dev/full"], &["/dev/full"]);
    }
}

#[test]
fn a_closed_pipe_is_not_an_error_and_files_become_complete() {
    let folder = Folder::new();
    let input = folder.file("a.sam", alignments(20_000, true));
    let rest = text(&folder.path("rest.bam"));
    for more in [vec![], vec!["-b"], vec!["-q", "255", "-U", &rest]] {
        let mut command = command(&[&["filter", "--quiet", &input], &more[..]].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut start = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{more:?}");
        assert_eq!(folder.path("rest.bam").exists(), more.len() > 1);
    }
    let whole = text(&folder.path("whole.bam"));
    let args = ["filter", "--quiet", &input, "-q", "255", "-U", &whole, "-o", "/dev/null"];
    ok(&args);
    let count = |path: &str| biofast(&["view", "-c", path]).stdout;
    assert_eq!(count(&rest), count(&whole));
}

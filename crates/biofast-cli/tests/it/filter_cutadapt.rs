//! Adapters in `biofast filter`, and files by adapter. `tests/peers` has them beside cutadapt.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::process::Command;

use common::filter_cutadapt::{NAMED, by_adapter, files, reads};
use common::{Folder, biofast, text};

/// Where the names of outputs have a place for an adapter's, each read is in one file of the adapters of its set.
#[test]
fn reads_go_to_the_files_of_their_adapters_on_any_threads() {
    let folder = Folder::new();
    let [one, two] = reads(9, 300);
    let inputs = [folder.file("1.fq", one), folder.file("2.fq", two)];
    for (number, set) in NAMED.into_iter().enumerate() {
        let written = by_adapter(number, &inputs, "1");
        assert!(written.iter().filter(|(_, text)| !text.is_empty()).count() > 1, "{set:?}");
        assert!(by_adapter(number, &inputs, "3") == written, "{set:?}");
    }
}

#[test]
fn a_place_for_an_adapter_needs_one_and_leaves_nothing_where_it_fails() {
    let folder = Folder::new();
    let one = folder.file("1.fq", "@r\nACGTACGT\n+\nIIIIIIII\n");
    let copy = folder.file("2.fq", "@r\nACGTACGT\n+\nIIIIIIII\n");
    let out = Folder::new();
    let at = |name: &str| text(&out.path(name));
    let (names, plain, sub) = (at("{name}.fq"), at("x.fq"), at("{name}/x.fq"));
    let two = at("{name1}-{name2}.fq");
    let (lone, mixed) = (at("{name1}.fq"), at("{name1}-{name2}-{name}.fq"));
    for (args, expected) in [
        (&["filter", &one, "-o", &names][..], "add -a, -g or --anywhere"),
        (&["filter", &one, "-g", "a/b=ACGT", "-o", &names], "can't be part of a file name"),
        (&["filter", &one, "-g", "unknown=ACGT", "-o", &names], "reads without an adapter"),
        (&["filter", &one, &one, "-g", "ACGT", "-o", &names, "--out2", &plain], ""),
        (&["filter", &one, "-g", "a=ACGT", "-o", &sub], ""),
        (&["filter", &one, "-g", "a=ACGT", "-o", &two], "needs pairs"),
        (&["filter", &one, "-g", "a=ACGT", "-o", &lone], "has only {name1}"),
        (&["filter", &one, "-g", "a=ACGT", "-o", &mixed], "has {name} as well as"),
        (
            &["filter", &one, &copy, "-g", "a=ACGT", "-o", &two],
            "add --out2 FILE for the second reads",
        ),
        (
            &["filter", &one, &copy, "-g", "a=ACGT", "-o", &two, "--interleaved-out"],
            "add -A, --front2 or -B",
        ),
        (
            &["filter", &one, &copy, "-A", "a=ACGT", "-o", &two, "--interleaved-out"],
            "add -a, -g or --anywhere",
        ),
        (
            &["filter", &one, &copy, "-g", "ACGT", "-o", &two, "--out2", &names],
            "must contain the same",
        ),
        (
            &["filter", &one, "-g", "ACGT", "-o", &names, "--discard-trimmed"],
            "removes the reads with adapters",
        ),
    ] {
        let run = biofast(args);
        assert_eq!(run.code, 2, "{args:?}: {run:?}");
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
    }
    assert!(files(&out).is_empty());
    // A thousand adapters, and fewer files that may be open.
    let fasta: String = (0..1000).map(|i| format!(">a{i}\n^ACGTTTGCA{}\n", digits(i))).collect();
    let reads: String = (0..1000)
        .map(|i| format!("@r{i}\nACGTTTGCA{}GG\n+\n{}\n", digits(i), "I".repeat(16)))
        .collect();
    let adapters = folder.file("a.fa", fasta);
    let reads = folder.file("many.fq", reads);
    let line = "ulimit -n 100 && exec \"$@\"";
    let file = format!("file:{adapters}");
    let words = [
        "filter",
        "--quiet",
        "-@",
        "2",
        "-e",
        "0",
        "--no-indels",
        "-g",
        &file,
        &reads,
        "-o",
        &names,
    ];
    let words = words.map(|word| if word == "-e" { "--error-rate" } else { word });
    let mut shell = Command::new("sh");
    shell.args(["-c", line, "sh", crate::common::binary()]).args(words);
    let run = shell.output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let written = files(&out);
    assert_eq!(written.len(), 1001);
    for (name, content) in written {
        let Some(number) = name.strip_prefix('a').and_then(|name| name.strip_suffix(".fq")) else {
            assert_eq!((name.as_str(), content.as_str()), ("unknown.fq", ""));
            continue;
        };
        assert_eq!(content, format!("@r{number}\nGG\n+\nII\n"));
    }
}

/// Five letters for a number.
fn digits(number: usize) -> String {
    (0..5).map(|place| ['A', 'C', 'G', 'T'][number >> (2 * place) & 3]).collect()
}

/// `cargo test -- --ignored exhaustive` runs them.
mod exhaustive {
    use super::*;

    #[test]
    #[ignore = "exhaustive: takes minutes"]
    fn more_pairs_of_adapters_than_files_that_may_be_open() {
        let (folder, out) = (Folder::new(), Folder::new());
        let fasta = folder.file(
            "a.fa",
            (0..20).map(|i| format!(">a{i}\n^ACGTTTGCA{}\n", digits(i))).collect::<String>(),
        );
        // Each two of 20, and mates without one; mates follow each other.
        let code =
            |i: usize| if i < 20 { format!("ACGTTTGCA{}", digits(i)) } else { String::new() };
        let mut pairs = String::new();
        for i in 0..21 * 21 {
            for number in [i / 21, i % 21] {
                let read = format!("{}GG", code(number));
                pairs += &format!("@r{i}\n{read}\n+\n{}\n", "I".repeat(read.len()));
            }
        }
        let reads = folder.file("pairs.fq", pairs);
        let file = format!("file:{fasta}");
        let names = text(&out.path("{name2}_{name1}.fq.gz"));
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "ulimit -n 100 && exec \"$@\"", "sh", crate::common::binary()])
            .args(["filter", "--quiet", "-@", "2", "--error-rate", "0", "--no-indels"])
            .args(["--interleaved", &reads, "-g", &file, "--front2", &file, "-o", &names]);
        let run = shell.output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let name = |i: usize| if i < 20 { format!("a{i}") } else { "unknown".to_owned() };
        for i in 0..21 * 21 {
            let path = out.path(&format!("{}_{}.fq.gz", name(i % 21), name(i / 21)));
            let run = biofast(&["convert", "--quiet", "--to", "table", &text(&path)]);
            assert_eq!(run.stdout, format!("r{i}\tGG\tII\n").repeat(2), "{}", path.display());
        }
        assert_eq!(std::fs::read_dir(out.path("")).unwrap().count(), 21 * 21);
    }
}

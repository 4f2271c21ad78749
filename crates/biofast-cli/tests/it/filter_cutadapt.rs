//! Adapters in `biofast filter`, and files by adapter. `tests/peers` has them beside cutadapt.

use std::process::Command;

use crate::common::filter_cutadapt::{NAMED, by_adapter, reads};
use crate::common::{Folder, biofast, files_below, refused, text};

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

/// An adapter in the low quality of a read's end, a short one by chance, one on the other strand, and what the rule has no use for.
#[test]
fn adapters_are_matched_by_quality() {
    let folder = Folder::new();
    let reads = [
        // Two errors of twelve, of quality 2: the rule of errors doesn't find it.
        ("low", "GCATTACCAGAGTTCGGAACAG", "IIIIIIIIII############"),
        ("high", "GCATTACCAGAGTTCGGAACAG", "IIIIIIIIIIIIIIIIIIIIII"),
        ("chance", "GCATTACCAGTTTAGA", "IIIIIIIIIIIIIIII"),
        ("other", "TCCGATCTGTACCATTG", "IIIIIIIIIIIIIIIII"),
    ];
    let text: String =
        reads.map(|(name, seq, quality)| format!("@{name}\n{seq}\n+\n{quality}\n")).concat();
    let input = folder.file("r.fq", text);
    let lens = |more: &[&str]| {
        let args = ["filter", "--quiet", "-a", "AGATCGGAAGAG", &input];
        let run = biofast(&[&args[..], more].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout.lines().skip(1).step_by(4).map(str::len).collect::<Vec<_>>()
    };
    assert_eq!(lens(&[]), [22, 22, 13, 17]);
    assert_eq!(lens(&["--adapter-match", "quality"]), [10, 22, 16, 17]);
    assert_eq!(lens(&["--adapter-match", "quality", "--revcomp"]), [10, 22, 16, 9]);
    for (more, message) in [
        ("-a ACGT --adapter-error-rate 0.2", "--adapter-error-rate has no effect"),
        ("-g ACGT", "'ACGT' can't be matched by quality"),
        ("-a ACRT", "'ACRT' can't be matched by quality"),
        ("--preset fastp", "--preset has a rule of its own"),
        ("", "needs a 3′ adapter"),
    ] {
        refused(&folder, &format!("filter r.fq --adapter-match quality {more}"), message);
    }
}

#[test]
fn a_place_for_an_adapter_needs_one_and_leaves_nothing_where_it_fails() {
    let folder = Folder::new();
    folder.file("1.fq", "@r\nACGTACGT\n+\nIIIIIIII\n");
    folder.file("2.fq", "@r\nACGTACGT\n+\nIIIIIIII\n");
    for (line, needed) in [
        ("filter 1.fq -o {name}.fq", "add -a, -g or --anywhere"),
        ("filter 1.fq -g a/b=ACGT -o {name}.fq", "can't be part of a file name"),
        ("filter 1.fq -g unknown=ACGT -o {name}.fq", "reads without an adapter"),
        ("filter 1.fq 1.fq -g ACGT -o {name}.fq --out2 x.fq", ""),
        ("filter 1.fq -g a=ACGT -o {name}/x.fq", ""),
        ("filter 1.fq -g a=ACGT -o {name1}-{name2}.fq", "needs pairs"),
        ("filter 1.fq -g a=ACGT -o {name1}.fq", "has only {name1}"),
        ("filter 1.fq -g a=ACGT -o {name1}-{name2}-{name}.fq", "has {name} as well as"),
        (
            "filter 1.fq 2.fq -g a=ACGT -o {name1}-{name2}.fq",
            "add --out2 FILE for the second reads",
        ),
        (
            "filter 1.fq 2.fq -g a=ACGT -o {name1}-{name2}.fq --interleaved-out",
            "add -A, --front2 or -B",
        ),
        (
            "filter 1.fq 2.fq -A a=ACGT -o {name1}-{name2}.fq --interleaved-out",
            "add -a, -g or --anywhere",
        ),
        (
            "filter 1.fq 2.fq -g ACGT -o {name1}-{name2}.fq --out2 {name}.fq",
            "must contain the same",
        ),
        ("filter 1.fq -g ACGT -o {name}.fq --discard-trimmed", "removes the reads with adapters"),
    ] {
        refused(&folder, line, needed);
    }
    // A thousand adapters, and fewer files that may be open.
    let fasta: String = (0..1000).map(|i| format!(">a{i}\n^ACGTTTGCA{}\n", digits(i))).collect();
    let reads: String = (0..1000)
        .map(|i| format!("@r{i}\nACGTTTGCA{}GG\n+\n{}\n", digits(i), "I".repeat(16)))
        .collect();
    folder.file("a.fa", fasta);
    folder.file("many.fq", reads);
    std::fs::create_dir(folder.path("out")).unwrap();
    let limited = format!(
        "ulimit -n 100 && exec '{}' filter --quiet -@ 2 --error-rate 0 --no-indels -g file:a.fa many.fq -o 'out/{{name}}.fq'",
        crate::common::binary()
    );
    let mut shell = Command::new("sh");
    let run = shell.args(["-c", &limited]).current_dir(folder.path("")).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let written = files_below(&folder.path("out"));
    assert_eq!(written.len(), 1001);
    for (name, content) in written {
        let Some(number) = name.strip_prefix('a').and_then(|name| name.strip_suffix(".fq")) else {
            assert_eq!((name.as_str(), content.as_slice()), ("unknown.fq", &b""[..]));
            continue;
        };
        assert_eq!(content, format!("@r{number}\nGG\n+\nII\n").into_bytes());
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

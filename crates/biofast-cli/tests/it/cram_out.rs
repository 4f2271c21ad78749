//! CRAM that biofast writes, read by itself: what went in comes out, by every command that writes alignments, on any number of
//! threads. Other readers: `tests/peers/cram_out.rs`.

use biofast_testkit::sam::{self, SamShape, held_by_cram as held};

use crate::common::cram_out::{WAYS, fasta, odd};
use crate::common::{
    Folder, assert_error, biofast, biofast_with, command, fails, silent, text, words,
};

/// A folder with records of all kinds, and their references.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("r.fa", fasta());
    folder.file("odd.sam", odd("unsorted"));
    folder
}

/// Runs a command line in the folder; nothing is said.
fn run(folder: &Folder, line: &str) -> String {
    let line = in_folder(folder, line);
    silent(&words(&line)).stdout
}

/// The line with the paths of files.
fn in_folder(folder: &Folder, line: &str) -> String {
    let is_file = |word: &&str| word.contains('.') && !word.contains("version");
    let word = |word| if is_file(&word) { text(&folder.path(word)) } else { word.to_owned() };
    line.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn records_of_all_kinds_come_back() {
    let folder = folder();
    run(&folder, "view -q0 --quiet --no-PG odd.sam -o odd.bam");
    run(&folder, "sort -q --no-PG odd.bam -o sorted.bam");
    for input in ["odd.bam", "sorted.bam"] {
        let expected = held(&run(&folder, &format!("view {input}")));
        assert!(expected.len() > 70, "{}", expected.len());
        for (format, options) in WAYS {
            if options.contains("embed") && input == "odd.bam" {
                continue;
            }
            run(&folder, &format!("view --quiet --no-PG {input} -O {format} {options} -o o.cram"));
            let reference = if options == "-T r.fa" { options } else { "" };
            let found = held(&run(&folder, format!("view o.cram {reference}").trim_end()));
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{format} {options}");
            }
            assert_eq!(found.len(), expected.len());
        }
    }
}

#[test]
fn losses_are_told() {
    let folder = folder();
    let line = in_folder(&folder, "view --no-PG odd.sam -O cram -T r.fa -o o.cram");
    let told = biofast(&words(&line)).stderr;
    for expected in [
        "note: CRAM can't hold everything: 4 records with a CIGAR that changes",
        "2 records with the mapping quality of an unmapped read",
        "1 record with the mate's reference of an unpaired read",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

/// Sorted pairs in containers of one reference and of several, and unmapped reads.
fn many(folder: &Folder, records: usize) {
    let shape = SamShape { records, sorted: false, longest: 150, oddities: true, seed: 3 };
    folder.file("x.sam", sam::text(&shape));
    folder.file("ref.fa", sam::fasta(shape.seed));
    run(folder, "sort -q --no-PG x.sam -o x.bam");
}

#[test]
fn the_bytes_do_not_depend_on_threads() {
    let folder = Folder::new();
    many(&folder, 30_000);
    let mut first = Vec::new();
    for threads in [1, 2, 7] {
        let line =
            format!("view --quiet --no-PG x.bam -O cram -T ref.fa --threads {threads} -o o.cram");
        run(&folder, &line);
        let bytes = std::fs::read(folder.path("o.cram")).unwrap();
        if first.is_empty() {
            first = bytes;
        } else {
            assert!(first == bytes, "{threads}");
        }
    }
    let line = in_folder(&folder, "view --quiet --no-PG - -O cram -T ref.fa");
    let bam = std::fs::File::open(folder.path("x.bam")).unwrap();
    let piped = command(&words(&line)).stdin(bam).output().unwrap();
    assert!(first == piped.stdout, "standard input and output: {piped:?}");
}

#[test]
fn every_command_writes_the_records_it_writes_to_bam() {
    let folder = Folder::new();
    many(&folder, 3000);
    folder.file("x.fq", "@r/1\nACGT\n+\nIIII\n@s/1\nAC\n+\nII\n");
    std::fs::copy(folder.path("x.bam"), folder.path("y.bam")).unwrap();
    run(&folder, "collate -q --no-PG x.bam -o n.bam");
    for line in [
        "sort -n -q x.bam",
        "sort -q x.sam --write-index",
        "markdup -q x.bam --write-index",
        "merge -q x.bam y.bam",
        "filter -q 20 x.bam --quiet --write-index",
        "view --quiet x.bam",
        "fixmate -m --quiet n.bam",
        "collate -q x.bam",
        "reset --quiet x.bam",
        "addreplacerg --quiet x.bam -r ID:q",
        "retag --quiet x.bam -x NM",
        "import -q x.fq",
    ] {
        let with = |reference: &str, out: &str| {
            let takes = if line.starts_with("import") { "" } else { reference };
            format!("{line} --no-PG -o {out} {takes}").trim_end().to_owned()
        };
        run(&folder, &with("", "o.bam"));
        run(&folder, &with("--reference ref.fa", "o.cram"));
        let [bam, cram] =
            ["view o.bam", "view -T ref.fa --quiet o.cram"].map(|line| run(&folder, line));
        for (bam, cram) in held(&bam).iter().zip(held(&cram)) {
            assert_eq!(cram, *bam, "{line}");
        }
        assert_eq!(bam.lines().count(), cram.lines().count(), "{line}");
        assert_eq!(folder.path("o.cram.crai").exists(), line.contains("--write-index"), "{line}");
        let _ = std::fs::remove_file(folder.path("o.cram.crai"));
        let _ = std::fs::remove_file(folder.path("o.bam.bai"));
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_written() {
    let folder = folder();
    folder.file("other.fa", fasta().replace(">c1", ">c9"));
    let mut short = fasta();
    short.remove(short.find("\n>c2").unwrap() - 1);
    folder.file("short.fa", short);
    folder.file("empty.fa", "");
    for (line, said) in [
        ("view odd.sam -o o.cram", "none was given"),
        ("view odd.sam -o o.cram -T other.fa", "no sequence is named 'c1'"),
        ("view odd.sam -o o.cram -T short.fa", "doesn't match the header"),
        ("view odd.sam -o o.cram -T empty.fa", "/empty.fa: not FASTA: it is empty"),
        ("view odd.sam -o o.cram -T /dev/stdin", "error: /dev/stdin: FASTA must be a regular file"),
        ("view odd.sam -o o.cram -T r.fa --embed-reference", "sorted by coordinate"),
        ("view odd.sam -o o.bam --embed-reference", "--embed-reference is for CRAM output"),
        ("view odd.sam --no-reference", "--no-reference is for CRAM output"),
        ("view odd.sam -O cram -T r.fa -o o.bam", "o.bam would hold CRAM"),
        ("view odd.sam -O bam -o o.cram", "o.cram would hold BAM"),
        ("view odd.sam -O cram -T r.fa -o o.cram --level 6", "fast, balanced and small"),
        ("view -u odd.sam -O cram -T r.fa -o o.cram", "-u writes BAM"),
        ("sort odd.sam --reference r.fa -o o.cram --write-index=bai", "CRAI"),
        ("filter odd.sam -T r.fa -o o.cram --write-index=csi", "CRAI"),
        ("filter odd.sam -T r.fa -O cram --write-index", "-o"),
    ] {
        let run = biofast_with(&words(&in_folder(&folder, line)), b"");
        assert_error(&run, &[said]);
        // No fault of these is one of the output.
        assert!(!run.stderr.contains("temporary"), "{line}");
        for name in ["o.cram", "o.bam", "o.cram.crai"] {
            assert!(!folder.path(name).exists(), "{line}: {name}");
        }
    }
}

#[test]
fn references_are_found_where_the_environment_says() {
    let folder = folder();
    // With the sums of the references in its header.
    run(&folder, "view --quiet --no-PG odd.sam -O cram -T r.fa -o o.cram");
    run(&folder, "view --quiet --no-PG o.cram -T r.fa -o odd.bam");
    let header = run(&folder, "view -H --no-PG odd.bam");
    let sums: Vec<&str> = header.split("\tM5:").skip(1).map(|rest| &rest[..32]).collect();
    let mut sequences = Vec::new();
    for line in fasta().lines() {
        match line.strip_prefix('>') {
            Some(_) => sequences.push(String::new()),
            None => sequences.last_mut().unwrap().push_str(line),
        }
    }
    let name = |sum: &str| folder.path(&format!("store/{}/{}", &sum[..2], &sum[2..]));
    for (sum, sequence) in sums.iter().zip(sequences) {
        std::fs::create_dir_all(name(sum).parent().unwrap()).unwrap();
        std::fs::write(name(sum), sequence).unwrap();
    }
    let place = format!("http://127.0.0.1:9/%s:{}/%2s/%s", text(&folder.path("store")));
    let with_store = |line: &str| {
        let line = in_folder(&folder, line);
        let output = command(&words(&line)).env("REF_PATH", &place).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), told)
    };
    let line = "view --quiet --no-PG odd.bam -O cram -o stored.cram";
    fails(&words(&in_folder(&folder, line)), &["none was given"]);
    assert_eq!(with_store(line), (Some(0), String::new(), String::new()));
    run(&folder, "view --quiet --no-PG odd.bam -O cram -T r.fa -o o.cram");
    let [stored, given] =
        ["stored.cram", "o.cram"].map(|name| std::fs::read(folder.path(name)).unwrap());
    assert!(stored == given, "the reference is the same");
    let (code, records, told) = with_store("view stored.cram");
    assert_eq!((code, told.as_str()), (Some(0), ""));
    assert_eq!(held(&records), held(&run(&folder, "view odd.bam")));
    std::fs::write(name(sums[0]), "ACGT").unwrap();
    let (code, _, told) = with_store("view stored.cram");
    assert!(code == Some(2) && told.contains("MD5"), "{told}");
    std::fs::remove_file(name(sums[0])).unwrap();
    let (code, _, told) = with_store(line);
    assert!(code == Some(2) && told.contains("none was given"), "{told}");
}

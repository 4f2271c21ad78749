//! `stats --by RG|SM|LB`: the rows and files of a group are those of a file of its records alone.

use biofast_testkit::sam;
use serde_json::Value;

use crate::common::stats_groups::{GROUPS, records, rows};
use crate::common::{self, Folder, biofast, biofast_with, fails, listed, ok, silent, text};

/// The records whose read group is one that passes; without one there is an empty one.
fn only(records: &str, passes: impl Fn(&str) -> bool) -> String {
    let group = |line: &str| {
        line.split('\t').find_map(|field| field.strip_prefix("RG:Z:")).unwrap_or("").to_owned()
    };
    let keep = |line: &&str| line.starts_with('@') || passes(&group(line));
    records.lines().filter(keep).map(|line| line.to_owned() + "\n").collect()
}

/// The groups by a tag, and which read groups are theirs.
fn groups(tag: &str) -> Vec<(String, Vec<&'static str>)> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for (id, sample, library) in GROUPS {
        let name = match tag {
            "RG" => id,
            "SM" => sample,
            _ => library,
        };
        if name.is_empty() {
            continue;
        }
        match found.iter_mut().find(|(known, _)| known == name) {
            Some((_, ids)) => ids.push(id),
            None => found.push((name.to_owned(), vec![id])),
        }
    }
    let rest: Vec<&str> = GROUPS
        .iter()
        .map(|(id, ..)| *id)
        .filter(|id| !found.iter().any(|(_, ids)| ids.contains(id)))
        .chain([""])
        .collect();
    found.push((format!("no_{tag}"), rest));
    found
}

fn same_figures(a: &Value, b: &Value, what: &str) {
    for key in [
        "records", "references", "unplaced", "mapping_quality", "alignment", "insert_size",
        "coverage", "reads",
    ] {
        assert!(!a[key].is_null() && a[key] == b[key], "{what}: {key}");
    }
}

#[test]
fn rows_are_those_of_files_of_the_groups_alone_and_add_up() {
    let folder = Folder::new();
    let all = records(5);
    let input = folder.file("all.sam", &all);
    let whole = rows(&biofast(&["stats", "--json", &input]).stdout);
    for tag in ["RG", "SM", "LB"] {
        let run = silent(&["stats", "--json", "--by", tag, &input]);
        let found = rows(&run.stdout);
        let groups = groups(tag);
        assert_eq!(found.len(), 1 + groups.len(), "{tag}");
        same_figures(&found[0], &whole[0], tag);
        assert!(found[0]["group"].is_null());
        let mut total = 0;
        for (row, (name, ids)) in found[1..].iter().zip(&groups) {
            assert_eq!(row["sample"], format!("{input}:{name}"));
            assert_eq!(row["group"]["by"], tag);
            assert_eq!(row["group"]["name"], name.as_str());
            let alone = folder.file("alone.sam", only(&all, |id| ids.contains(&id)));
            same_figures(row, &rows(&biofast(&["stats", "--json", &alone]).stdout)[0], name);
            total += row["records"]["passed"]["total"].as_u64().unwrap()
                + row["records"]["failed"]["total"].as_u64().unwrap();
        }
        assert_eq!(total, 2500);
        for more in [["-@", "1", "--chunk-size", "10000"], ["-@", "3", "--chunk-size", "4096"]] {
            let other = biofast(&[&["stats", "--json", "--by", tag, &input], &more[..]].concat());
            assert!(other.stdout == run.stdout, "{more:?}");
        }
        let table = biofast(&["stats", "--tsv", "--by", tag, &input]).stdout;
        assert_eq!(table.lines().count(), 2 + groups.len());
        let page = text(&folder.path("page.html"));
        ok(&["stats", "-q", "--by", tag, &input, "--html", &page]);
        assert!(std::fs::read_to_string(page).unwrap().contains(&format!(":{}", groups[0].0)));
    }
}

#[test]
fn files_are_those_of_files_of_the_groups_alone() {
    let folder = Folder::new();
    let all = records(6);
    let input = folder.file("x.sam", &all);
    let fasta = folder.file("ref.fa", sam::fasta(6));
    let run = |input: &str, to: &str, more: &[&str]| {
        let to = text(&folder.path(to));
        let run = ["stats", "--quiet", input, "--out-dir", &to, "-r", &fasta, "--by", "5000"];
        silent(&[&run[..], more].concat());
    };
    run(&input, "by", &["--by", "LB", "-@", "3", "--chunk-size", "9999"]);
    run(&input, "whole", &[]);
    let mut expected: Vec<(String, Vec<&str>)> = groups("LB");
    let everything = GROUPS.iter().map(|(id, ..)| *id).chain([""]).collect();
    expected.push((String::new(), everything));
    let mut compared = 0;
    for (name, ids) in expected {
        folder.file("x.sam", only(&all, |id| ids.contains(&id)));
        run(&input, "alone", &[]);
        let group = if name.is_empty() { name } else { format!(".{}", name.replace('/', "_")) };
        for file in std::fs::read_dir(folder.path("alone")).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            let of_group = file.replacen("x.", &format!("x{group}."), 1);
            let [a, b] = [format!("alone/{file}"), format!("by/{of_group}")]
                .map(|name| std::fs::read(folder.path(&name)).unwrap_or_else(|_| panic!("{name}")));
            // These name the command, and the sample.
            let plain = |bytes: Vec<u8>| match std::str::from_utf8(&bytes) {
                Ok(text) if !file.contains(".biofast.") => text
                    .lines()
                    .filter(|line| !line.starts_with("# The command line"))
                    .map(|line| line.replace(&format!("x{group}"), "x") + "\n")
                    .collect::<String>()
                    .into_bytes(),
                _ => bytes,
            };
            if file.ends_with(".biofast.json") {
                let [a, b] =
                    [a, b].map(|bytes| rows(std::str::from_utf8(&bytes).unwrap()).remove(0));
                same_figures(&a, &b, &of_group);
            } else if !file.ends_with(".html") {
                assert!(plain(a) == plain(b), "{of_group}");
            }
            compared += 1;
        }
    }
    let made = std::fs::read_dir(folder.path("by")).unwrap().count();
    assert_eq!(made, compared);
    assert!(compared > 60, "{compared}");
}

#[test]
fn what_has_no_groups_is_told() {
    let folder = Folder::new();
    let line = "r\t0\tchr1\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\tRG:Z:gone\n";
    let header = "@SQ\tSN:chr1\tLN:100\n@RG\tID:here\tSM:s\n";
    let strange = folder.file("strange.sam", format!("{header}{line}{line}"));
    let run = ok(&["stats", "--tsv", "--by", "SM", &strange]);
    assert!(
        run.stderr.contains("the record's read group is not in the header")
            && run.stderr.contains("record 1"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.lines().nth(3).unwrap().starts_with(&format!("{strange}:no_SM\t")));
    let fastq = folder.file("reads.fq", common::reads("r", 3));
    fails(&["stats", "--by", "RG", &fastq], &["reads.fq", "no read groups"]);
    fails(&["stats", "--by", "RG", "--by", "LB", &strange], &["one of RG, SM and LB"]);
    fails(&["stats", "--by", "500", &strange], &["--by", "--out-dir"]);
    fails(
        &["stats", "--by", "RG", "--json", "--partial", "lane", &strange],
        &["--by", "--partial"],
    );
    fails(&["stats", "--by", "RG", "--format", "samtools", &strange], &["--by", "--qc stats"]);
    fails(&["coverage", "--by", "RG", &strange], &["biofast stats"]);
    // A fault is told, and no files of any group appear.
    let cut = folder.file("cut.sam", format!("{header}{line}{}", &line[..20]));
    let out = text(&folder.path("qc"));
    fails(&["stats", "--by", "SM", "--out-dir", &out, &cut], &["cut.sam", "record 2"]);
    assert!(!folder.path("qc").exists());
    let run = biofast_with(&["stats", "--tsv", "--by", "SM", "-"], header.as_bytes());
    assert_eq!((run.code, run.stdout.lines().count()), (0, 3), "{}", run.stderr);
    assert_eq!(listed(&folder).len(), 3);
}

#[test]
fn the_page_compares_samples_and_has_their_sum_apart() {
    let folder = Folder::new();
    let mut sam = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:9000\n".to_owned();
    (0..10).for_each(|i| sam += &format!("@RG\tID:g{i}\tSM:s{i}\n"));
    for i in 0..500 {
        let read = "ACGTACGTAC";
        sam += &format!(
            "r{i}\t0\tc\t{}\t60\t10M\t*\t0\t0\t{read}\tIIIIIIIIII\tRG:Z:g{}\n",
            1 + i,
            i % 10
        );
    }
    std::fs::create_dir_all(folder.path("deep/down")).unwrap();
    let input = folder.file("deep/down/cohort.sam", sam);
    let path = text(&folder.path("page.html"));
    let page = |by: &str| {
        ok(&["stats", "-q", "--by", by, &input, "--html", &path]);
        std::fs::read_to_string(&path).unwrap()
    };
    let shown = page("SM");
    assert!(shown.contains("<p>10 samples · ") && page("RG").contains("<p>10 read groups · "));
    assert!(shown.contains("None of 10 samples are unusual"));
    assert!(!shown.contains(" far\""), "the sum is an outlier of its parts");
    let (_, wholes) = shown.split_once("<tbody class=\"wholes\">").unwrap();
    let (wholes, _) = wholes.split_once("</tbody>").unwrap();
    assert!(wholes.contains(">All of cohort</span>") && wholes.matches("<tr").count() == 1);
    // Groups by their own names.
    assert!(shown.contains("<span class=\"short\">s3</span>"));
}

#[test]
fn names_of_any_length_have_rows() {
    let folder = Folder::new();
    let long = "S".repeat(70_000);
    let fastq = folder.file("a.fq", "@a\nACGT\n+\nIIII\n");
    let sam = format!(
        "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:99\n@RG\tID:x\tSM:{long}\n\
         a\t0\tc\t11\t60\t4M\t*\t0\t0\tACGT\tIIII\tRG:Z:x\n"
    );
    let sam = folder.file("b.sam", sam);
    let (json, page) = (text(&folder.path("b.json")), text(&folder.path("b.html")));
    let reads = b"@a\nACGT\n+\nIIII\n";
    for run in [
        biofast(&["stats", "--sample", &long, &fastq]),
        biofast_with(&["stats", "--stdin-label", &long, "-"], reads),
        biofast(&["stats", "--plot", "--sample", &long, &fastq]),
        biofast(&["stats", "--by", "SM", &sam, "--html", &page]),
        biofast(&["stats", "--json", "--by", "SM", &sam, "-o", &json]),
        biofast(&["merge", &json, "--html", &page]),
        biofast(&["check", &sam]),
    ] {
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout.len());
    }
    let table = biofast(&["merge", &json]).stdout;
    assert!(table.contains(&format!("{long}  SAM")), "{}", table.len());
}

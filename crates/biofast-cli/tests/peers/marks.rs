//! `biofast sort --mark-duplicates` and `biofast markdup` beside samtools 1.24 and Picard 3.4, on random small sets of templates.

use std::collections::{BTreeMap, BTreeSet};

use biofast_testkit::effort;
use biofast_testkit::small::{self, Names, TemplateShape};

use crate::common::{Folder, biofast, text};
use crate::tools;

/// Sets of templates of a file; with `BIOFAST_EFFORT`, so many times as many files.
const SETS: usize = 150;

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('@')).collect()
}

fn marked(args: &[&str]) -> String {
    let first = ["sort", "-q", "--no-PG", "--mark-duplicates", "-O", "sam"];
    let run = biofast(&[&first, args].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    run.stdout
}

fn samtools(args: &[&str]) {
    tools::run(&mut tools::samtools_of_pysam(args));
}

/// Which records are marked, in an order of their own.
fn marks(lines: &[&str]) -> BTreeSet<String> {
    let kinds = 64 | 128 | 256 | 1024 | 2048;
    let mark = |line: &&str| {
        let fields: Vec<_> = line.split('\t').take(2).collect();
        format!("{} {}", fields[0], fields[1].parse::<u32>().unwrap() & kinds)
    };
    lines.iter().map(mark).collect()
}

fn markdup(args: &[&str]) -> String {
    let run = biofast(&[&["markdup", "-q", "--no-PG", "-O", "sam"], args].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    run.stdout
}

/// Names of which samtools marks or removes one primary record and not another one.
fn halves(before: &str, after: &str) -> BTreeSet<String> {
    let marks = |text: &str| {
        let mut marks: BTreeMap<String, Vec<bool>> = BTreeMap::new();
        for line in lines(text) {
            let mut fields = line.split('\t');
            let name = fields.next().unwrap().to_owned();
            let flags: u16 = fields.next().unwrap().parse().unwrap();
            if flags & (256 | 2048) == 0 {
                marks.entry(name).or_default().push(flags & 1024 != 0);
            }
        }
        marks
    };
    let after = marks(after);
    let is_half = |name: &str, count: usize| {
        let marks = after.get(name).map(Vec::as_slice).unwrap_or_default();
        marks.len() != count || marks.iter().any(|mark| *mark != marks[0])
    };
    let before = marks(before).into_iter();
    before.filter(|(name, marks)| is_half(name, marks.len())).map(|(name, _)| name).collect()
}

/// All fields and tags of all records, and the metrics. What may differ is a template of which samtools marks one mate, or of which
/// one mate isn't aligned and stays alone when the other one is removed.
#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn sets_are_marked_as_by_samtools() {
    let folder = Folder::new();
    let pattern = "[_:]([ACGT+r]+)$";
    let ways: [(&[&str], &[&str], Names); 11] = [
        (&[], &[], Names::Mixed),
        (&["-S", "-m", "1M", "--threads", "3"], &["-S"], Names::Mixed),
        (&["-c", "-S", "-r", "--threads", "1"], &["-c", "-S", "-r"], Names::Plain),
        (&["-c", "-r"], &["-c", "-r"], Names::Mixed),
        (
            &["--duplicate-mode", "s", "--include-fails"],
            &["-m", "s", "--include-fails"],
            Names::Mixed,
        ),
        (&["--barcode-tag", "BX", "-S"], &["--barcode-tag", "BX", "-S"], Names::Mixed),
        (
            &["--barcode-name", "--include-fails"],
            &["--barcode-name", "--include-fails"],
            Names::Mixed,
        ),
        (&["--barcode-rgx", pattern], &["--barcode-rgx", pattern], Names::Umis),
        (&["-d", "25"], &["-d", "25"], Names::SevenParts),
        (
            &["-c", "-d", "5", "-S", "--duplicate-mode", "s"],
            &["-c", "-d", "5", "-S", "-m", "s"],
            Names::SevenParts,
        ),
        (
            &["-c", "-d", "100", "--barcode-tag", "BX"],
            &["-c", "-d", "100", "--barcode-tag", "BX"],
            Names::SevenParts,
        ),
    ];
    let [mated, sorted, theirs, stats, own] =
        ["m.bam", "s.bam", "t.sam", "t.txt", "o.txt"].map(|name| text(&folder.path(name)));
    let (mut compared, mut halved, mut same_metrics) = (0, 0, 0);
    for (seed, (options, of_samtools, names)) in (1..).zip(ways) {
        for contradictions in [false, true] {
            let shape = TemplateShape {
                seed,
                sets: 150,
                templates: 24,
                names,
                contradictions,
                ..TemplateShape::default()
            };
            let sam = small::text(&shape);
            let input = folder.file("x.sam", &sam);
            samtools(&["fixmate", "-m", "--no-PG", &input, &mated]);
            samtools(&["sort", "--no-PG", "-o", &sorted, &mated]);
            // Reads of any length are seen together.
            let first = ["markdup", "--no-PG", "-O", "sam", "-l", "1000000", "-f", &stats];
            samtools(&[&first, of_samtools, &[&sorted, &theirs]].concat());
            let ours = marked(&[options, &["-f", &own, &input]].concat());
            let theirs = std::fs::read_to_string(&theirs).unwrap();
            let halves = halves(&sam, &theirs);
            let name = |line: &str| line.split('\t').next().unwrap().to_owned();
            let removes = options.contains(&"-r");
            let is_left = |line: &&&str| !removes || !halves.contains(&name(line));
            let [ours, theirs] = [&ours, &theirs].map(|text| lines(text));
            let ours: Vec<_> = ours.iter().filter(is_left).collect();
            let theirs: Vec<_> = theirs.iter().filter(is_left).collect();
            assert_eq!(ours.len(), theirs.len(), "{options:?}");
            let mut differ = 0;
            for (ours, theirs) in ours.iter().zip(&theirs) {
                if ours != theirs {
                    assert!(halves.contains(&name(theirs)), "{options:?}\n{ours}\n{theirs}");
                    differ += 1;
                }
            }
            compared += ours.len();
            halved += differ;
            if differ == 0 && !removes {
                let rows = |path: &str| {
                    let text = std::fs::read_to_string(path).unwrap();
                    text.lines()
                        .skip(1)
                        .filter(|line| !line.is_empty())
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                };
                same_metrics += usize::from(rows(&own) == rows(&stats));
            }
        }
    }
    eprintln!(
        "{compared} records, {halved} of templates that samtools halves; {same_metrics} times the same metrics"
    );
    assert!(
        compared > 60_000 && halved < 200 && same_metrics >= 5,
        "{compared} {halved} {same_metrics}"
    );
}

/// `biofast markdup` of the sorted file: all fields and tags of all records, where `fixmate` told them of their mates, and the marks
/// where it didn't, and of records grouped by name.
#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn files_are_marked_in_their_order_as_by_samtools() {
    let folder = Folder::new();
    let pattern = "[_:]([ACGT+r]+)$";
    let ways: [(&[&str], &[&str], Names); 9] = [
        (&[], &[], Names::Mixed),
        (&["-S", "-m", "1M", "--threads", "3"], &["-S"], Names::Mixed),
        (&["-c", "-r"], &["-c", "-r"], Names::Plain),
        (&["--barcode-name"], &["--barcode-name"], Names::Mixed),
        (
            &["--duplicate-mode", "s", "--include-fails"],
            &["-m", "s", "--include-fails"],
            Names::Mixed,
        ),
        (&["--barcode-tag", "BX", "-S"], &["--barcode-tag", "BX", "-S"], Names::Mixed),
        (&["--barcode-rgx", pattern], &["--barcode-rgx", pattern], Names::Umis),
        (&["-d", "25"], &["-d", "25"], Names::SevenParts),
        (&["-c", "-d", "5", "-S"], &["-c", "-d", "5", "-S"], Names::SevenParts),
    ];
    let [mated, sorted, bare, theirs, stats, own] =
        ["m.bam", "s.bam", "b.bam", "t.sam", "t.txt", "o.txt"].map(|name| text(&folder.path(name)));
    let (mut compared, rounds) = (0, effort::times(1) as usize);
    for (seed, (options, of_samtools, names)) in (1..).zip(ways.repeat(rounds)) {
        let (sets, templates) = (SETS, 24);
        let shape = TemplateShape { seed, sets, templates, names, ..TemplateShape::default() };
        let input = folder.file("x.sam", small::text(&shape));
        samtools(&["fixmate", "-m", "--no-PG", &input, &mated]);
        samtools(&["sort", "--no-PG", "-o", &sorted, &mated]);
        samtools(&["sort", "--no-PG", "-o", &bare, &input]);
        // Reads of any length are seen together.
        let first = ["markdup", "--no-PG", "-O", "sam", "-l", "1000000", "-f", &stats];
        samtools(&[&first, of_samtools, &[&sorted, &theirs]].concat());
        let theirs = std::fs::read_to_string(&theirs).unwrap();
        let ours = markdup(&[options, &["-f", &own, &sorted]].concat());
        for (ours, theirs) in lines(&ours).iter().zip(lines(&theirs)) {
            assert_eq!(*ours, theirs, "{options:?}");
        }
        assert_eq!(lines(&ours).len(), lines(&theirs).len(), "{options:?}");
        let [own, stats] = [&own, &stats].map(|path| std::fs::read_to_string(path).unwrap());
        let rows = |text: &str| -> Vec<String> {
            text.lines().skip(1).filter(|line| !line.is_empty()).map(str::to_owned).collect()
        };
        assert_eq!(rows(&own), rows(&stats), "{options:?}");
        let expected = marks(&lines(&theirs));
        for input in [&bare, &mated, &input] {
            let found = markdup(&[options, &[input]].concat());
            assert!(marks(&lines(&found)) == expected, "{seed} {options:?} {input}");
        }
        compared += lines(&theirs).len();
    }
    eprintln!("{compared} records of {} sets", rounds * ways.len() * SETS);
    assert!(compared > 25_000, "{compared}");
}

/// Table and histogram of a metrics file, the rows of libraries in their order.
fn metrics(path: &str) -> (Vec<String>, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let (_, table) = text.split_once("## METRICS CLASS").unwrap();
    let (table, histogram) = table.split_once("## HISTOGRAM").unwrap_or((table, ""));
    let rows = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let mut table = rows(table);
    table.sort();
    (table, rows(histogram))
}

/// Marks, fields that stay as they are, and the metrics, histogram included.
#[test]
#[ignore = "needs Picard 3.4 (BIOFAST_PICARD)"]
fn sets_are_marked_as_by_picard() {
    let folder = Folder::new();
    let ways: [(&[&str], &[&str], Names); 5] = [
        (&[], &[], Names::SevenParts),
        (
            &["--barcode-tag", "BX", "-d", "25"],
            &["BARCODE_TAG=BX", "OPTICAL_DUPLICATE_PIXEL_DISTANCE=25"],
            Names::SevenParts,
        ),
        (
            &["--read-one-barcode-tag", "Z1", "--read-two-barcode-tag", "Z2"],
            &["READ_ONE_BARCODE_TAG=Z1", "READ_TWO_BARCODE_TAG=Z2"],
            Names::Mixed,
        ),
        (
            &["--barcode-tag", "BX", "--read-two-barcode-tag", "Z2"],
            &["BARCODE_TAG=BX", "READ_TWO_BARCODE_TAG=Z2"],
            Names::FewTiles,
        ),
        (&["-d", "2500"], &["OPTICAL_DUPLICATE_PIXEL_DISTANCE=2500"], Names::FewTiles),
    ];
    let [sorted, out, theirs, own] =
        ["s.bam", "o.sam", "t.txt", "o.txt"].map(|name| text(&folder.path(name)));
    let rounds = effort::times(1) as usize;
    for (seed, (options, of_picard, names)) in (1..).zip(ways.repeat(rounds)) {
        let shape = TemplateShape {
            seed,
            sets: 2 * SETS,
            templates: 24,
            names,
            read_groups: true,
            ..TemplateShape::default()
        };
        let input = folder.file("x.sam", small::text(&shape));
        samtools(&["sort", "--no-PG", "-o", &sorted, &input]);
        let mut picard = tools::picard("MarkDuplicates");
        picard.args([
            "VALIDATION_STRINGENCY=SILENT", "QUIET=true", "VERBOSITY=ERROR",
            "ADD_PG_TAG_TO_READS=false",
        ]);
        picard.args([format!("I={sorted}"), format!("O={out}"), format!("M={theirs}")]);
        tools::run(picard.args(of_picard));
        let ours = marked(&[options, &["--rule", "picard", "-f", &own, &input]].concat());
        let of_picard = std::fs::read_to_string(&out).unwrap();
        // Picard writes tags in an order of its own.
        let fields = |line: &str| {
            let mut fields: Vec<_> = line.split('\t').map(str::to_owned).collect();
            fields[11..].sort();
            fields
        };
        let [ours, of_picard] = [&ours, &of_picard].map(|text| lines(text));
        for (ours, theirs) in ours.iter().zip(&of_picard) {
            assert_eq!(fields(ours), fields(theirs), "{options:?}");
        }
        assert_eq!(ours.len(), of_picard.len(), "{options:?}");
        assert_eq!(metrics(&own), metrics(&theirs), "{options:?}");
        assert!(ours.len() > 5000, "{}", ours.len());
        let rule = ["--rule", "picard", "-f", &own];
        let found = markdup(&[&rule, options, &[&sorted]].concat());
        for (ours, theirs) in lines(&found).iter().zip(&of_picard) {
            assert_eq!(fields(ours), fields(theirs), "{options:?}");
        }
        assert_eq!(metrics(&own), metrics(&theirs), "{options:?}");
        let found = markdup(&[&rule, options, &[&input]].concat());
        assert!(marks(&lines(&found)) == marks(&of_picard), "{options:?}");
    }
    eprintln!("{} sets", rounds * ways.len() * 2 * SETS);
}

/// MultiQC 1.35 reads the JSON of the rule of samtools, and the table of Picard's.
#[test]
#[ignore = "needs MultiQC 1.35"]
fn multiqc_reads_the_metrics() {
    let folder = Folder::new();
    let shape = TemplateShape { seed: 3, sets: 20, templates: 24, ..TemplateShape::default() };
    let input = folder.file("x.sam", small::text(&shape));
    for (rule, name) in [("samtools", "s.json"), ("picard", "p.txt")] {
        let data = folder.path(rule);
        std::fs::create_dir(&data).unwrap();
        marked(&["--rule", rule, "-f", &text(&data.join(name)), &input]);
        let mut multiqc = tools::need("multiqc");
        tools::run(multiqc.args(["-q", "-f", "-o", &text(&folder.path("report")), &text(&data)]));
        let listed: Vec<_> = std::fs::read_dir(folder.path("report/multiqc_data"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        let key = if rule == "picard" { "picard" } else { "samtools" };
        assert!(listed.iter().any(|file| file.contains(key)), "{listed:?}");
        std::fs::remove_dir_all(folder.path("report")).unwrap();
    }
}

//! `--html`: pages that hold what they should, and work in a real browser.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use biofast_testkit::container::bgzf;
use biofast_testkit::sam::{self, Shape};
use common::{Folder, biofast, command, finish, reads, sample, text};
use serde_json::{Value, json};

/// A name that would leave its place anywhere in a page.
const EVIL: &str = "</script><script>fail()</script>\"'&\n\u{202e}<!--";

/// The JSON in the page's element of this id.
fn embedded(page: &str, id: &str) -> Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let (_, rest) = page.split_once(&start).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// A sorted BAM file of generated records.
fn bam(folder: &Folder, name: &str) -> String {
    let shape = Shape { records: 2000, sorted: true, longest: 150, oddities: false, seed: 7 };
    let sam = folder.file(&format!("{name}.sam"), sam::text(&shape));
    let path = text(&folder.path(name));
    let run = biofast(&["view", "-b", &sam, "-o", &path]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    path
}

/// Pages of reads and alignments, of alignments, and of a filter's run.
fn pages(folder: &Folder) -> Vec<(&'static str, PathBuf)> {
    let [mixed, filter, chosen] =
        ["mixed.html", "filter.html", "chosen.html"].map(|name| folder.path(name));
    let broken = folder.file("broken.fq", &reads("r", 40)[..3000]);
    let long = folder.file("long.fq", format!("@l\n{0}\n+\n{0}\n", "ACGTA".repeat(900)));
    let empty = folder.file("empty.fq", "");
    let aligned = bam(folder, "a.bam");
    let bare = "@SQ\tSN:c\tLN:99\nr\t0\tc\t1\t60\t8M\t*\t0\t0\tACGTACGT\t*\n";
    let bare = folder.file("bare.sam", bare);
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    let files = [&r1, &r2, &broken, &long, &empty, &aligned, &bare];
    let mut args = vec!["stats", "-q", "--html", mixed.to_str().unwrap()];
    for (file, name) in files.iter().zip([EVIL, "10", "9", "long", "empty", "aligned", "bare"]) {
        args.extend([file.as_str(), "--sample", name]);
    }
    assert_eq!(biofast(&args).code, 2, "one of the files is broken");
    let [out, out2] = ["1.fq", "2.fq"].map(|name| text(&folder.path(name)));
    let args = ["filter", &r1, &r2, "-o", &out, "--out2", &out2, "--min-mean-qual", "20"];
    let more = ["--cut-tail", "--detect-adapter", "--html", filter.to_str().unwrap()];
    let fastp = text(&folder.path("filter.fastp.json"));
    let more = [&more[..], &["--fastp-json", &fastp]].concat();
    let run = biofast(&[&args[..], &more].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let out = text(&folder.path("chosen.bam"));
    let run =
        biofast(&["filter", "-q", "30", &aligned, "-o", &out, "--html", chosen.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let depths = folder.path("depths.html");
    let targets = (0..40).map(|i| format!("chr1\t{}\t{}\texon<{i}>\n", 900 * i, 900 * i + 100));
    let bed = folder.file("targets.bed", targets.collect::<String>());
    let run = biofast(&[
        "coverage",
        "--quiet",
        "--by",
        &bed,
        &aligned,
        "--html",
        depths.to_str().unwrap(),
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    vec![("mixed", mixed), ("filter", filter), ("chosen", chosen), ("depths", depths)]
}

#[test]
fn a_page_holds_the_json_and_every_sample_and_asks_no_network() {
    let folder = Folder::new();
    let path = folder.path("report.html");
    let file = folder.file("r.fq", reads("r", 100));
    let args = ["stats", "--sample", EVIL, "--html", path.to_str().unwrap(), &file];
    let run = biofast(&args);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    // The table is printed as ever.
    assert_eq!(run.stdout, biofast(&["stats", "--sample", EVIL, &file]).stdout);
    let page = std::fs::read_to_string(&path).unwrap();
    let json = biofast(&["stats", "--sample", EVIL, "--json", &file]).stdout;
    let mut held = embedded(&page, "biofast-stats");
    // Nobody asked for verdicts but the page.
    let verdicts = held["files"][0].as_object_mut().unwrap().remove("verdicts").unwrap();
    assert_eq!(verdicts["library"], "any");
    assert_eq!(held, serde_json::from_str::<Value>(&json).unwrap());
    // The two elements that the page itself has, and no other way out of it.
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(page.matches("<script").count(), 2);
    for outside in ["http:", "https:", "src=", "url(", "@import", "//cdn"] {
        assert!(!page.contains(outside), "{outside}");
    }
    for (name, path) in pages(&folder) {
        let page = std::fs::read_to_string(path).unwrap();
        let charts = page.matches("<figure").count();
        let described = page.matches("<desc id=").count();
        assert!(charts > 0, "{name}");
        assert_eq!(charts, described, "{name}: every chart has a description");
        assert!(!page.contains("NaN") && !page.contains("inf "), "{name}");
        assert_eq!(page.matches("Frequent words of ").count() > 0, name == "filter", "{name}");
    }
}

#[test]
fn the_page_of_filtered_pairs_has_insert_sizes_and_changes_no_read() {
    let folder = Folder::new();
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    let filtered = |name: &str, more: &[&str]| {
        let outputs = ["1.fq", "2.fq"].map(|end| text(&folder.path(&format!("{name}{end}"))));
        let args = ["filter", "--quiet", &r1, &r2, "-o", &outputs[0], "--out2", &outputs[1]];
        let run = biofast(&[&args[..], &["--cut-tail", "--trim-overlap"], more].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        outputs.map(|path| std::fs::read(path).unwrap())
    };
    let page = text(&folder.path("page.html"));
    assert!(filtered("a", &[]) == filtered("b", &["--html", &page]));
    let page = std::fs::read_to_string(page).unwrap();
    let inserts = &embedded(&page, "biofast-filter")["insert_size"];
    let known: u64 =
        inserts["histogram"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
    assert!(known > 0 && known + inserts["unknown"].as_u64().unwrap() == 2500, "{inserts}");
    assert!(page.contains("<figure class=\"chart\" id=\"inserts\""));
}

#[test]
fn frequent_words_are_those_that_are_counted_for_fastp() {
    let folder = Folder::new();
    let [page, json, out] = ["p.html", "f.json", "o.fq"].map(|name| text(&folder.path(name)));
    // All reads end with GGATTC twice.
    let read = |i: usize| {
        let varied: String =
            (0..60).map(|j| b"ACGT"[(i * 7 + j * j + j * i / 3) % 4] as char).collect();
        format!("@r{i}\n{varied}GGATTCTTGGATTC\n+\n{}\n", "I".repeat(74))
    };
    let file = folder.file("r.fq", (0..400).map(read).collect::<String>());
    let args = ["filter", "--quiet", &file, "-o", &out, "--html", &page, "--fastp-json", &json];
    assert_eq!(biofast(&args).code, 0);
    let page = std::fs::read_to_string(page).unwrap();
    // Reads of one length are a step, not a triangle: up, along and down.
    let (_, lengths) = page.split_once("id=\"f1-lengths\"").unwrap();
    let (_, line) = lengths.split_once("class=\"mark line").unwrap();
    let (_, path) = line.split_once(" d=\"").unwrap();
    let (path, _) = path.split_once('"').unwrap();
    let numbers = path.replace(['M', 'l'], " ").replace('-', " -");
    assert_eq!(numbers.split_whitespace().count(), 4 * 2, "four points: {path}");
    let (_, figure) = page.split_once("<figure class=\"chart\" id=\"words0\"").unwrap();
    let (_, figures) = figure.split_once("data-figures=\"").unwrap();
    let (figures, _) = figures.split_once('"').unwrap();
    let columns: Vec<Vec<&str>> =
        figures.split('\n').map(|column| column.split('\t').collect()).collect();
    let counted: Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    let counted = &counted["read1_before_filtering"]["kmer_count"];
    assert_eq!(columns[0].len(), 10);
    for (word, shown) in columns[0].iter().zip(&columns[1]) {
        assert_eq!(json!(shown.replace(',', "").parse::<u64>().unwrap()), counted[*word], "{word}");
    }
    // Nothing was cut: after is as before.
    assert_eq!((&columns[1], &columns[2]), (&columns[3], &columns[4]));
    assert!(columns[0].contains(&"GATTC"), "{columns:?}");
}

#[test]
fn a_fault_is_a_row_with_its_message_and_the_exit_code_2() {
    let folder = Folder::new();
    let path = folder.path("report.html");
    let good = folder.file("good.fq", reads("r", 30));
    let broken = folder.file("broken.fq", &reads("r", 40)[..3000]);
    let cut = std::fs::read(bam(&folder, "a.bam")).unwrap();
    let cut = folder.file("cut.bam", &cut[..cut.len() / 2]);
    let run =
        biofast(&["stats", "--html", path.to_str().unwrap(), &good, &broken, &cut, "/nowhere"]);
    assert_eq!(run.code, 2);
    let page = std::fs::read_to_string(&path).unwrap();
    let (page, _) = page.split_once("<script type=\"application/json\"").unwrap();
    assert_eq!(page.matches("<tr class=\"faulty\">").count(), 3);
    for line in run.stderr.lines().filter_map(|line| line.strip_prefix("biofast: error: ")) {
        let shown = line.replace('\'', "&#39;").replace('"', "&quot;");
        // In the table and with the sample.
        assert_eq!(page.matches(shown.as_str()).count(), 2, "{shown}");
    }
}

#[test]
fn pages_are_the_same_on_any_number_of_threads() {
    let folder = Folder::new();
    let reads = folder.file("r.fq.gz", bgzf(reads("r", 3000).as_bytes(), 5000));
    let aligned = bam(&folder, "a.bam");
    let page = |threads: &str| {
        let path = folder.path("report.html");
        let args = ["stats", threads, "--html", path.to_str().unwrap(), &reads, &aligned];
        assert_eq!(biofast(&args).code, 0);
        std::fs::read_to_string(path).unwrap()
    };
    let one = page("-@1");
    assert!(one == page("-@4"), "the page depends on the number of threads");
}

#[test]
fn merged_reports_make_the_page_of_one_run() {
    let folder = Folder::new();
    let [one, both, parts] = ["one.json", "both.html", "parts.html"].map(|n| text(&folder.path(n)));
    let file = folder.file("r.fq", reads("r", 200));
    assert_eq!(biofast(&["stats", "--json", &file, "-o", &one]).code, 0);
    assert_eq!(biofast(&["merge", &one, "--html", &parts]).code, 0);
    assert_eq!(biofast(&["stats", &file, "--html", &both]).code, 0);
    assert!(std::fs::read(both).unwrap() == std::fs::read(parts).unwrap());
}

/// What is in the columns of a chart's figures.
fn figures(page: &str, id: &str) -> Vec<Vec<String>> {
    let (_, figure) = page.split_once(&format!("<figure class=\"chart\" id=\"{id}\"")).unwrap();
    let (_, figures) = figure.split_once("data-figures=\"").unwrap();
    let (figures, _) = figures.split_once('"').unwrap();
    figures.split('\n').map(|column| column.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn the_gc_of_reads_is_that_of_all_reads_whatever_else_is_counted() {
    let folder = Folder::new();
    // FastQC's shares of these add up to other numbers.
    for (length, name) in [(36, "short.fq"), (250, "long.fq")] {
        let read = |i: usize| {
            let base = |j: usize| b"ACGT"[(i * 31 + j * j * 7 + i * j) % 401 % 4] as char;
            let bases: String = (0..length).map(base).collect();
            format!("@r{i}\n{bases}\n+\n{}\n", "I".repeat(length))
        };
        let file = folder.file(name, (0..500).map(read).collect::<String>());
        let page = |more: &[&str]| {
            let path = text(&folder.path("page.html"));
            let run = biofast(&[&["stats", "-q", &file, "--html", &path], more].concat());
            assert_eq!(run.code, 0, "{}", run.stderr);
            std::fs::read_to_string(path).unwrap()
        };
        let plain = figures(&page(&[]), "r0-gc");
        let reads: f64 = plain[1].iter().map(|n| n.replace(',', "").parse::<f64>().unwrap()).sum();
        assert!((reads - 500.0).abs() < 0.5, "{name}: {reads}");
        let out = text(&folder.path("qc"));
        for more in [&["--library", "wgs"][..], &["--fail-on", "fail"], &["--out-dir", &out]] {
            assert_eq!(figures(&page(more), "r0-gc"), plain, "{more:?}");
        }
    }
}

#[test]
fn sequences_that_occur_a_few_times_are_not_overrepresented() {
    let folder = Folder::new();
    let copies = |i: usize| {
        if i < 10 {
            1000
        } else if i < 19 {
            2000
        } else {
            i
        }
    };
    let read = |i: usize| {
        let bases = format!("{:020b}", copies(i)).replace('0', "A").replace('1', "C");
        format!("@r{i}\n{bases}\n+\n{}\n", "I".repeat(20))
    };
    let file = folder.file("r.fq", (0..300).map(read).collect::<String>());
    let path = text(&folder.path("page.html"));
    let run = biofast(&["stats", "-q", "--library", "wgs", &file, "--html", &path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.contains("Sequences in more than 0.1 % of the reads, and in at least 10: 1<"));
    // FastQC's rule stays FastQC's.
    let json = embedded(&page, "biofast-stats");
    let all = json["files"][0]["qc"]["duplication"]["overrepresented"].as_array().unwrap();
    assert_eq!(
        all.iter().map(|one| one["reads"].as_u64().unwrap()).collect::<Vec<_>>()[..3],
        [10, 9, 1]
    );
    let fastqc = biofast(&["stats", "--format", "fastqc", &file]).stdout;
    assert!(fastqc.contains("\t9\t3.0\t") && fastqc.contains("\t1\t0.33"), "{fastqc}");
}

#[test]
fn mates_are_one_sample_on_the_page() {
    let folder = Folder::new();
    let path = text(&folder.path("page.html"));
    let mut args =
        vec!["stats".to_owned(), "-q".into(), "--paired".into(), "--html".into(), path.clone()];
    for pair in 0..3 {
        for mate in 1..3 {
            args.push(folder.file(&format!("S{pair}_R{mate}.fq"), reads("r", 50 + pair)));
        }
    }
    let run = biofast(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.contains("<p>3 samples in 6 files · "));
    assert!(page.contains("A line for each of 6 files"));
    assert_eq!(page.matches("<tr class=\"mate\">").count(), 3);
    let json = embedded(&page, "biofast-stats");
    let mates: Vec<u64> = json["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["mate"].as_u64().unwrap())
        .collect();
    assert_eq!(mates, [1, 2, 1, 2, 1, 2]);
}

#[test]
fn insert_sizes_of_few_pairs_come_with_a_caution() {
    let folder = Folder::new();
    let base = |i: usize, j: usize| b"ACGT"[(i * 31 + j * j * 7 + i * j * 3 + j / 5) % 401 % 4];
    let complement = |base: u8| match base {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        _ => b'A',
    };
    let (mut one, mut two) = (String::new(), String::new());
    for i in 0..40 {
        // Only the fragments of the first four are so short that their mates overlap.
        let length = if i < 4 { 120 } else { 400 };
        let fragment: Vec<u8> = (0..length).map(|j| base(i, j)).collect();
        let mate: Vec<u8> = fragment.iter().rev().map(|base| complement(*base)).collect();
        for (to, bases) in [(&mut one, &fragment), (&mut two, &mate)] {
            let bases = String::from_utf8(bases[..100].to_vec()).unwrap();
            *to += &format!("@r{i}\n{bases}\n+\n{}\n", "I".repeat(100));
        }
    }
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    let [path, o1, o2] = ["p.html", "o1.fq", "o2.fq"].map(|name| text(&folder.path(name)));
    let run =
        biofast(&["filter", "--quiet", &one, &two, "-o", &o1, "--out2", &o2, "--html", &path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(
        page.contains("the chart shows only the 10 % of the pairs whose mates overlap"),
        "{page}"
    );
    assert!(page.contains("which 4 of 40 pairs (10 %) have"));
}

/// Plots are the same everywhere, and plain where the locale isn't UTF-8.
#[test]
fn plots_for_the_terminal_are_blocks_or_ascii() {
    let folder = Folder::new();
    let file = folder.file("r.fq", "@r\nACGTAC\n+\nII5+++\n@s\nGGCC\n+\nIIII\n".repeat(10));
    let plot = |locale: &str| {
        let mut command = command(&["stats", "--plot", "--sample", "s", &file]);
        command.env_remove("LC_CTYPE").env_remove("LANG").env("LC_ALL", locale);
        let run = finish(command);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        run.stdout
    };
    let (blocks, ascii) = (plot("C.UTF-8"), plot("C"));
    // 20 and 40 at the third position are 23 on average of error probabilities, 10 and 40 are 13.
    let table = biofast(&["stats", "--sample", "s", &file]).stdout;
    assert!(blocks.starts_with(&table) && ascii.starts_with(&table));
    assert!(ascii.is_ascii(), "{ascii}");
    let expected = "\
        40 │██
           │██
           │██
           │██▅
        20 │███
           │███▅
           │██████
           │██████
         0 └──────
            1    6";
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    let lines: Vec<&str> = blocks.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| *line == "mean quality by position").unwrap();
    assert_eq!(lines[at + 1..at + 1 + expected.len()], expected);
    assert_eq!(blocks.lines().count(), ascii.lines().count());
    let run = biofast(&["stats", "--plot", "--json", &file]);
    assert_eq!(run.code, 2);
}

/// The browser, if there is one.
fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|program| {
        let mut run = Command::new(program);
        run.arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    });
    if found.is_none() {
        eprintln!("skipped: chromium is not installed");
    }
    found
}

/// What the page's document looks like when `script` has run in a copy of it, and what was said on
/// the console.
fn run_in(browser: &str, folder: &Folder, page: &Path, script: &str) -> (Value, Vec<String>) {
    run_until_done(browser, folder, page, &format!("{script}; done();"))
}

/// The same of a script that calls `done()` when it has found what it looks for.
fn run_until_done(
    browser: &str,
    folder: &Folder,
    page: &Path,
    script: &str,
) -> (Value, Vec<String>) {
    let text = std::fs::read_to_string(page).unwrap();
    let report = "const out = document.createElement('pre'); out.id = 'found'; \
                  out.textContent = encodeURIComponent(JSON.stringify(found)); document.body.append(out);";
    let added = format!(
        "<script>{{ const found = {{}}; const done = () => {{ {report} }}; {script} }}</script></body>"
    );
    let copy = folder.file("copy.html", text.replace("</body>", &added));
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--dump-dom", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", folder.path("profile").display()))
        .arg(format!("file://{copy}"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let console = said.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    let dom = String::from_utf8(output.stdout).unwrap();
    let found = dom.split_once("<pre id=\"found\">").expect("the script ran to its end").1;
    let found = found.split_once("</pre>").unwrap().0;
    let mut bytes = Vec::new();
    let mut rest = found.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    (serde_json::from_slice(&bytes).unwrap(), console)
}

#[test]
fn every_chart_has_marks_and_nothing_is_said_on_the_console() {
    let Some(browser) = browser() else { return };
    let folder = Folder::new();
    let mut all = pages(&folder);
    all.push(("many", many(&folder)));
    for (name, page) in all {
        let script = "
            const look = () => {
            const charts = [...document.querySelectorAll('figure svg[role=img]')];
            found.charts = charts.length;
            found.bare = charts.filter((svg) => ![...svg.querySelectorAll('.mark')].some((mark) => {
              const box = mark.getBBox(); return box.width > 0 || box.height > 0;
            })).map((svg) => svg.textContent.slice(0, 80));
            found.outside = charts.filter((svg) => [...svg.querySelectorAll('.mark, text')].some((mark) => {
              const box = mark.getBoundingClientRect(), frame = svg.getBoundingClientRect();
              return frame.width > 0 && (box.left < frame.left - 2 || box.right > frame.right + 2
                || box.top < frame.top - 2 || box.bottom > frame.bottom + 2);
            })).map((svg) => svg.textContent.slice(0, 80));
            const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
            found.doubled = ids.filter((id, i) => ids.indexOf(id) !== i);
            found.unnamed = charts.filter((svg) => !svg.getAttribute('aria-labelledby').split(' ')
              .every((id) => document.getElementById(id)?.textContent)).length;
            const levels = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
              .map((head) => Number(head.getAttribute('aria-level') ?? head.tagName[1]));
            found.jumps = levels.filter((level, i) => i > 0 && level > levels[i - 1] + 1);
            found.wide = document.documentElement.scrollWidth > innerWidth;
            done(); };
            // Charts of many samples come when the page is there.
            const many = document.querySelector('.late');
            if (many) document.addEventListener('biofast-unpacked', look, { once: true }); else look();";
        let (found, console) = run_until_done(browser, &folder, &page, script);
        assert_eq!(console, Vec::<String>::new(), "{name}");
        assert!(found["charts"].as_u64().unwrap() > 0, "{name}");
        for problem in ["bare", "outside", "doubled", "jumps"] {
            assert_eq!(found[problem], json!([]), "{name}: {problem}");
        }
        assert_eq!((&found["unnamed"], &found["wide"]), (&json!(0), &json!(false)), "{name}");
    }
}

#[test]
fn the_table_sorts_by_its_buttons_and_by_the_address() {
    let Some(browser) = browser() else { return };
    let folder = Folder::new();
    let (_, page) = pages(&folder).swap_remove(0);
    let script = "
        const table = document.getElementById('reads');
        const heads = [...table.tHead.rows[0].cells];
        const names = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
        const column = (name) => heads.findIndex((head) => head.textContent === name);
        const press = (name) => heads[column(name)].querySelector('button').click();
        const sorted = () => heads.map((head) => head.getAttribute('aria-sort')).filter((s) => s !== 'none');
        found.given = names();
        found.evil = names()[0];
        found.focusable = heads.every((head) => head.querySelector('button').tabIndex === 0);
        press('Sample'); found.byName = names(); found.byNameSort = sorted();
        press('Bases'); found.byBases = names(); found.byBasesSort = sorted();
        press('Bases'); found.byBasesUp = names();
        press('Status'); press('Status'); found.byStatus = names()[0];
        location.hash = '#sort=reads,' + column('Quality of the mean error') + ',ascending';
        dispatchEvent(new HashChangeEvent('hashchange'));
        found.byQuality = names(); found.byQualitySort = sorted();
        document.getElementById('r1').open = false; location.hash = '#r1';
        dispatchEvent(new HashChangeEvent('hashchange'));
        found.opened = document.getElementById('r1').open";
    let (found, console) = run_in(browser, &folder, &page, script);
    assert_eq!(console, Vec::<String>::new());
    let evil = EVIL.replace('\n', "\\n").replace('\u{202e}', "\\u{202e}");
    let names = |names: [&str; 5]| json!(names);
    assert_eq!(found["given"], names([&evil, "10", "9", "long", "empty"]));
    assert_eq!(found["focusable"], json!(true));
    assert_eq!(found["byName"], names([&evil, "9", "10", "empty", "long"]));
    assert_eq!(found["byNameSort"], json!(["ascending"]));
    // The faulty sample has no figures: it stays at the end either way.
    assert_eq!(found["byBases"][4], json!("9"));
    assert_eq!(found["byBases"][2], json!("long"));
    assert_eq!(found["byBasesSort"], json!(["descending"]));
    assert_eq!(found["byBasesUp"][0], json!("empty"));
    assert_eq!(found["byBasesUp"][4], json!("9"));
    assert_eq!(found["byStatus"], json!("9"));
    assert_eq!(found["byQuality"][0], json!("empty"));
    assert_eq!(found["byQualitySort"], json!(["ascending"]));
    assert_eq!(found["opened"], json!(true));
}

/// A page of 30 samples, of which one is worse than the others.
fn many(folder: &Folder) -> PathBuf {
    let page = folder.path("many.html");
    let mut args = vec!["stats".to_owned(), "-q".into(), "--html".into(), text(&page)];
    for i in 0..30usize {
        let phred =
            |j: usize| if i == 17 { b'#' + (j % 3) as u8 } else { b'F' + ((i + j) % 4) as u8 };
        let read = |r: usize| {
            let base = |j: usize| b"ACGT"[(r * 7 + j * j + i * j) % 4] as char;
            let bases: String = (0..100).map(base).collect();
            let phreds: String = (0..100).map(|j| phred(j + r) as char).collect();
            format!("@r{r}\n{bases}\n+\n{phreds}\n")
        };
        args.push(folder.file(&format!("s{i:02}.fq"), (0..40).map(read).collect::<String>()));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    assert_eq!(biofast(&args).code, 0);
    page
}

#[test]
fn many_samples_are_compared_outliers_first_and_charts_are_unpacked() {
    let Some(browser) = browser() else { return };
    let folder = Folder::new();
    let page = many(&folder);
    let size = std::fs::metadata(&page).unwrap().len();
    assert!(size < 170_000, "{size} bytes: what few will open is packed");
    let script = "
        document.addEventListener('biofast-unpacked', () => {
        const table = document.getElementById('reads');
        const rows = () => [...table.tBodies[0].rows].filter((row) => !row.hidden);
        const names = () => rows().map((row) => row.cells[0].textContent);
        const tools = document.querySelector('.tools'), find = tools.querySelector('input');
        const [only, none] = tools.querySelectorAll('button');
        found.first = names().slice(0, 2);
        const frame = table.closest('.scroll').getBoundingClientRect();
        found.cut = [...table.querySelectorAll('tbody input')].filter((box) => box.getBoundingClientRect().left < frame.left).length;
        found.marked = rows()[0].querySelectorAll('td.down.far').length;
        found.heads = [...table.tHead.rows[0].cells].slice(0, 3).map((head) => head.textContent);
        found.packed = [table.querySelectorAll('tr[data-pack]').length, document.querySelectorAll('details.sample').length];
        find.value = 's1'; find.dispatchEvent(new Event('input'));
        found.matching = names().length; found.said = tools.querySelector('output').textContent;
        found.lines = [...document.querySelectorAll('#all-quality [data-s]')].filter((l) => l.style.display !== 'none').length;
        find.value = ''; find.dispatchEvent(new Event('input'));
        rows()[0].cells[0].querySelector('input').click();
        only.click(); found.only = names(); only.click();
        found.chosen = document.querySelectorAll('#all-quality .chosen, #all-gc .chosen').length;
        setTimeout(() => {
          const sample = document.getElementById('r17');
          found.open = sample.open;
          found.charts = sample.querySelectorAll('figure').length;
          const figure = document.getElementById('r17-quality'), svg = figure.querySelector('svg[role=img]');
          const box = svg.getBoundingClientRect();
          const at = { bubbles: true, clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
          svg.dispatchEvent(new PointerEvent('pointermove', at));
          found.tip = [...document.querySelectorAll('.tip span')].map((span) => span.textContent);
          found.place = Number(document.querySelector('.tip b').textContent);
          found.crossed = Boolean(svg.querySelector('.cross'));
          found.tsv = figure.biofast.tsv().split('\\n');
          const saved = new DOMParser().parseFromString(figure.biofast.svg(), 'image/svg+xml');
          found.saved = [saved.documentElement.nodeName, saved.querySelectorAll('path').length > 5];
          figure.querySelector('details.figures').open = true;
          setTimeout(() => {
            found.rows = figure.querySelectorAll('tbody tr').length;
            none.click();
            setTimeout(() => {
              found.left = [document.querySelectorAll('.chosen').length, names().length, sample.hidden];
              done();
            }, 100);
          }, 200);
        }, 1000); }, { once: true });";
    let (found, console) = run_until_done(browser, &folder, &page, script);
    assert_eq!(console, Vec::<String>::new());
    assert_eq!(found["first"], json!(["s17.fq", "s00.fq"]), "{found}");
    assert_eq!(found["cut"], json!(0), "boxes beyond the table's edge");
    assert!(found["marked"].as_u64().unwrap() >= 3, "{found}");
    assert_eq!(found["heads"], json!(["Sample", "Verdicts", "Status"]));
    assert_eq!((&found["packed"], &found["matching"]), (&json!([30, 0]), &json!(10)));
    assert_eq!(found["said"], json!("10 of 30 samples"));
    assert_eq!((&found["lines"], &found["only"]), (&json!(10), &json!(["s17.fq"])));
    assert_eq!(
        (&found["chosen"], &found["open"], &found["charts"]),
        (&json!(2), &json!(true), &json!(6))
    );
    assert_eq!(found["tip"], json!(["Position", "10 %", "25 %", "Median", "75 %", "90 %", "Mean"]));
    // The middle of the drawing is a little right of that of the axis.
    assert!((45.0..=50.0).contains(&found["place"].as_f64().unwrap()), "{found}");
    assert_eq!((&found["crossed"], &found["rows"]), (&json!(true), &json!(100)));
    assert_eq!(found["tsv"][0], json!("Position\t10 %\t25 %\tMedian\t75 %\t90 %\tMean"));
    assert_eq!(found["tsv"].as_array().unwrap().len(), 102);
    assert_eq!(found["saved"], json!(["svg", true]));
    assert_eq!(found["left"], json!([0, 30, true]));
}

/// What the page's script draws from figures is what is drawn for a page of one sample.
#[test]
fn charts_that_were_packed_are_drawn_as_others() {
    let Some(browser) = browser() else { return };
    let folder = Folder::new();
    let page = many(&folder);
    let one = folder.path("one.html");
    let file = text(&folder.path("s17.fq"));
    assert_eq!(biofast(&["stats", "-q", "--html", one.to_str().unwrap(), &file]).code, 0);
    let marks = |page: &Path, id: &str| -> Vec<Value> {
        let script = format!(
            "dispatchEvent(new CustomEvent('biofast-open', {{ detail: '{id}' }}));
            setTimeout(() => {{
              found.marks = [...document.querySelectorAll('#{id} figure path.mark')].map((mark) => {{
                const box = mark.getBBox();
                return [box.x, box.y, box.width, box.height, mark.getTotalLength()];
              }});
              done();
            }}, 1500)"
        );
        let (found, console) = run_until_done(browser, &folder, page, &script);
        assert_eq!(console, Vec::<String>::new());
        found["marks"].as_array().unwrap().clone()
    };
    let (packed, plain) = (marks(&page, "r17"), marks(&one, "r0"));
    assert!(plain.len() >= 14, "{} marks", plain.len());
    assert_eq!(packed.len(), plain.len());
    for (packed, plain) in packed.iter().zip(&plain) {
        for at in 0..5 {
            let [a, b] = [packed, plain].map(|mark| mark[at].as_f64().unwrap());
            // Figures are rounded, which the length of a path of 100 points adds up.
            let near = if at == 4 { 2.0 + b / 50.0 } else { 0.6 };
            assert!((a - b).abs() <= near, "{packed} is not {plain}");
        }
    }
}

/// `npm install axe-core` in a folder that `BIOFAST_AXE` names, or in `target/axe`.
fn axe() -> Option<String> {
    let folder = std::env::var("BIOFAST_AXE")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/axe").into());
    let found = std::fs::read_to_string(format!("{folder}/node_modules/axe-core/axe.min.js"));
    if found.is_err() {
        eprintln!("skipped: axe-core is not installed (npm install --prefix target/axe axe-core)");
    }
    found.ok()
}

#[test]
fn axe_finds_nothing_that_keeps_anybody_out() {
    let (Some(browser), Some(axe)) = (browser(), axe()) else { return };
    let folder = Folder::new();
    let mut all = pages(&folder);
    all.push(("many", many(&folder)));
    for (name, page) in all {
        // All that can be unfolded is looked at, too.
        let script = format!(
            "{axe}; document.querySelectorAll('details:not(.packed)').forEach((d) => {{ d.open = true; }});
            document.querySelector('.sortable tbody input')?.click();
            setTimeout(async () => {{
              const results = await axe.run(document, {{ resultTypes: ['violations'] }});
              found.violations = results.violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 200))]);
              found.passed = results.passes.length;
              done();
            }}, 1500)"
        );
        let (found, _) = run_until_done(browser, &folder, &page, &script);
        assert_eq!(found["violations"], json!([]), "{name}");
        assert!(found["passed"].as_u64().unwrap() > 15, "{name}: {found}");
    }
}

/// Pictures of all pages, wide and narrow, light and dark; they are kept where `BIOFAST_SCREENSHOTS` names a folder.
#[test]
fn pages_are_drawn_wide_and_narrow_light_and_dark() {
    let Some(browser) = browser() else { return };
    let folder = Folder::new();
    let kept = std::env::var("BIOFAST_SCREENSHOTS").ok();
    let mut all = pages(&folder);
    all.push(("many", many(&folder)));
    for (name, page) in all {
        let mut pictures = Vec::new();
        for (look, size, dark) in [
            ("wide", "1280,2400", false),
            ("narrow", "420,2400", false),
            ("dark", "1280,2400", true),
        ] {
            let picture = match &kept {
                Some(folder) => format!("{folder}/{name}-{look}.png"),
                None => text(&folder.path("picture.png")),
            };
            let mut run = Command::new(browser);
            run.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
                .args(["--hide-scrollbars", "--virtual-time-budget=3000"])
                .arg(format!("--user-data-dir={}", folder.path("profile").display()))
                .arg(format!("--window-size={size}"))
                .arg(format!("--screenshot={picture}"));
            if dark {
                run.args(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]);
            }
            let run = run.arg(format!("file://{}", page.display())).output().unwrap();
            assert!(run.status.success(), "{name} {look}");
            let bytes = std::fs::read(&picture).unwrap();
            // An empty page takes a few kilobytes.
            assert!(bytes.len() > 30_000, "{name} {look}: {} bytes", bytes.len());
            pictures.push(bytes);
        }
        assert!(pictures[0] != pictures[2], "{name}: dark is another picture");
    }
}

//! `--html`: pages that hold what they should. `tests/peers` opens them in a browser.

use biofast_testkit::container::bgzf;
use serde_json::{Value, json};

use crate::common::html::{EVIL, bam, pages};
use crate::common::{Folder, biofast, command, finish, ok, reads, sample, silent, text};

/// The JSON in the page's element of this id.
fn embedded(page: &str, id: &str) -> Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let (_, rest) = page.split_once(&start).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_holds_the_json_and_every_sample_and_asks_no_network() {
    let folder = Folder::new();
    let path = folder.path("report.html");
    let file = folder.file("r.fq", reads("r", 100));
    let args = ["stats", "--sample", EVIL, "--html", path.to_str().unwrap(), &file];
    let run = silent(&args);
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
        silent(&[&args[..], &["--cut-tail", "--trim-overlap"], more].concat());
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
    ok(&args);
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
    for line in
        run.stderr.lines().filter_map(|line| line.split_once(": error: ").map(|(_, said)| said))
    {
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
        ok(&args);
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
    ok(&["stats", "--json", &file, "-o", &one]);
    ok(&["merge", &one, "--html", &parts]);
    ok(&["stats", &file, "--html", &both]);
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
            ok(&[&["stats", "-q", &file, "--html", &path], more].concat());
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
    ok(&["stats", "-q", "--library", "wgs", &file, "--html", &path]);
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
    ok(&args.iter().map(String::as_str).collect::<Vec<_>>());
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

/// Illumina's software names mates so that they can be told from samples; a page finds them, in whichever order they are named.
#[test]
fn mates_are_known_by_their_names_and_pages_have_titles_and_contents() {
    let folder = Folder::new();
    let page = text(&folder.path("page.html"));
    let names = ["b_R1_001.fq", "a_R1.fq", "b_R2_001.fq", "c_R1.fq", "a_R2.fq", "c_1.fq", "c_2.fq"];
    let files = names.map(|name| folder.file(name, reads("r", 50)));
    let mut args = vec!["stats", "-q", "--html", &page, "--title", "Run <7>"];
    args.extend(files.iter().map(String::as_str));
    ok(&args);
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(
        page.contains("<title>Run &lt;7&gt;</title>") && page.contains("<h1>Run &lt;7&gt;</h1>")
    );
    assert!(page.contains("<p>Sequencing reads · 5 samples in 7 files · biofast "), "{page}");
    let shown: Vec<&str> = page
        .split("<details class=\"sample\"")
        .skip(1)
        .map(|sample| sample.split_once("<h3>").unwrap().1.split_once('<').unwrap().0)
        .collect();
    assert_eq!(shown, ["b R1", "b R2", "a R1", "a R2", "c_R1", "c_1", "c_2"]);
    // Each chart is named before all of them, with the worst verdict about what it shows.
    let first = page.split_once("id=\"r0\"").unwrap().1;
    let contents =
        first.split_once("<ul class=\"contents\"").unwrap().1.split_once("</ul>").unwrap().0;
    let bases = "<span class=\"status bad\" title=\"fail\">✗<span class=\"unseen\"> fail:</span></span> <a href=\"#r0-bases\">";
    assert!(contents.contains(bases), "{contents}");
    assert_eq!(
        contents.matches("<li>").count(),
        first.split("id=\"r2\"").next().unwrap().matches("<figure").count()
    );
    let run = biofast(&["stats", "-q", "--title", "x", &files[0]]);
    assert!(run.code == 2 && run.stderr.contains("--html"), "{}", run.stderr);
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
    ok(&["filter", "--quiet", &one, &two, "-o", &o1, "--out2", &o2, "--html", &path]);
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(
        page.contains("the chart shows only the 10 % of the pairs whose mates overlap"),
        "{page}"
    );
    assert!(page.contains("The mates of 4 of 40 pairs (10 %) overlap"));
    assert!(
        page.contains("4 pairs are too few for a distribution")
            && page.contains("Verdicts after filtering")
    );

    // A tenth of the reads have an adapter from position 31 on, which is cut.
    let read = |i: usize| {
        let bases: String = (0..60).map(|j| char::from(base(i, j))).collect();
        let bases = if i.is_multiple_of(10) {
            bases[..30].to_owned() + "AGATCGGAAGAGCACACGTCTGAACTCCAG"
        } else {
            bases
        };
        format!("@r{i}\n{bases}\n+\n{}\n", "I".repeat(60))
    };
    let single = folder.file("s.fq", (0..40).map(read).collect::<String>());
    ok(&["filter", "--quiet", "-a", "AGATCGGAAGAG", &single, "-o", &o1, "--html", &path]);
    let page = std::fs::read_to_string(&path).unwrap();
    let columns = figures(&page, "f1-adapters");
    let at = |position: &str| {
        let row = columns[0].iter().position(|start| start == position).unwrap();
        [1, 2].map(|column| columns[column][row].as_str())
    };
    assert_eq!((at("30"), at("31")), (["0", "0"], ["10", "0"]), "{columns:?}");
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

//! `biofast coverage`: the files of mosdepth and the texts of samtools, byte for byte.

use crate::common::coverage::{REFERENCES, at, content, folder};
use crate::common::{Folder, biofast, biofast_with, fails, listed, ok, silent};

#[test]
fn all_inputs_and_threads_give_the_same() {
    let folder = folder(21);
    let (bam, bed) = (at(&folder, "x.bam"), at(&folder, "x.bed"));
    let expected = biofast(&["coverage", &bam, "--format", "samtools-depth", "-t", "1"]).stdout;
    // Not x.sam: `sort` puts records of one place in another order, and what overlaps depends on it.
    let sam = biofast(&["view", "-h", &bam]).stdout;
    for threads in ["1", "3"] {
        let args = ["coverage", "--format", "samtools-depth", "-t", threads, "--chunk-size", "900"];
        assert!(biofast_with(&args, sam.as_bytes()).stdout == expected);
        let prefix = at(&folder, threads);
        ok(&["coverage", &bam, "--prefix", &prefix, "-b", &bed, "-t", threads, "--quiet"]);
    }
    for name in listed(&folder).iter().filter_map(|name| name.strip_prefix("1.")) {
        let both = ["1", "3"]
            .map(|threads| std::fs::read(folder.path(&format!("{threads}.{name}"))).unwrap());
        assert!(both[0] == both[1], "{name}");
    }
    let index = biofast_bam::index::Index::open(folder.path("1.per-base.bed.gz.csi")).unwrap();
    assert_eq!(index.reference_count(), REFERENCES.len());
    let same = folder.file("y.sam", sam);
    let table = biofast(&["coverage", &bam, &same, "--format", "tsv"]).stdout;
    let rows: Vec<&str> =
        table.lines().skip(1).map(|row| row.split_once('\t').unwrap().1).collect();
    assert_eq!(rows[0], rows[1]);
    let out = at(&folder, "out");
    ok(&["coverage", &bam, "--out-dir", &out, "-n", "--quiet"]);
    assert!(folder.path("out/x.mosdepth.summary.txt").exists());
}

#[test]
fn what_is_wrong_is_said_and_nothing_appears() {
    let folder = Folder::new();
    let line = |position| format!("r\t0\tc\t{position}\t9\t1M\t*\t0\t0\tA\tI\n");
    let unsorted = folder.file("x.sam", format!("@SQ\tSN:c\tLN:99\n{}{}", line(9), line(5)));
    let prefix = at(&folder, "own");
    let before = listed(&folder);
    fails(&["coverage", &unsorted, "--prefix", &prefix], &["x.sam", "record 2"]);
    fails(&["coverage", &unsorted, "--prefix", &prefix, "-b", "0"], &["windows"]);
    fails(
        &["coverage", &unsorted, "--prefix", &prefix, "-q", "a"],
        &["invalid value 'a' for --quantize"],
    );
    fails(&["coverage", &unsorted, "--prefix", &prefix, "-c", "d"], &["d"]);
    fails(&["coverage", &unsorted, "-b", "9"], &["--prefix"]);
    assert_eq!(listed(&folder), before);
}

/// The page's table of the least deep targets has the depths of `regions.bed.gz`, in order.
#[test]
fn the_page_lists_the_least_deep_targets_with_the_depths_of_the_files() {
    let folder = folder(11);
    let [sam, page, beside, prefix] =
        ["x.sam", "x.html", "beside.html", "p"].map(|name| at(&folder, name));
    let targets =
        (0..60).map(|i| format!("c{}\t{}\t{}\tt{i}\n", 1 + i % 2 * 2, 40 * i, 40 * i + 37));
    let bed = folder.file("targets.bed", targets.collect::<String>() + "none\t5\t25\tlast\n");
    let run = silent(&["coverage", "--by", &bed, "--html", &page, &sam]);
    assert_eq!(run.stdout, biofast(&["coverage", &sam]).stdout);
    silent(&[
        "coverage", "--quiet", "-n", "--by", &bed, "--html", &beside, "--prefix", &prefix, &sam,
    ]);
    let page = std::fs::read_to_string(page).expect("page");
    assert!(page == std::fs::read_to_string(beside).expect("page beside the files"));
    let regions = String::from_utf8(content(&format!("{prefix}.regions.bed.gz"))).expect("text");
    let mut expected: Vec<(f64, &str)> = regions
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            (fields[4].parse().expect("depth"), fields[3])
        })
        .collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (_, table) =
        page.split_once("The 20 of 61 targets with the lowest depth</caption>").expect("table");
    let (table, _) = table.split_once("</table>").expect("end");
    let rows: Vec<(f64, &str)> = table
        .split("<tr><th scope=\"row\">")
        .skip(1)
        .map(|row| {
            let (name, cells) = row.split_once("</th>").expect("name");
            let depth = cells.split("<td class=\"n\">").nth(3).expect("depth");
            (depth.split_once('<').expect("end").0.parse().expect("number"), name)
        })
        .collect();
    assert_eq!(rows.len(), 20);
    assert!(rows[0].0 < rows[19].0, "{rows:?}");
    for (row, expected) in rows.iter().zip(&expected) {
        assert!((row.0 - expected.0).abs() < 0.0051, "{rows:?} {expected:?}");
    }
    // Of several samples, the medians of these depths: those of one sample twice are its own.
    let twin = at(&folder, "twin.sam");
    std::fs::copy(&sam, &twin).expect("copy");
    let both = at(&folder, "both.html");
    silent(&["coverage", "--quiet", "--by", &bed, "--html", &both, &sam, &twin]);
    let both = std::fs::read_to_string(both).expect("page");
    let (_, of_all) = both
        .split_once("The 20 of 61 targets with the lowest median depth in all samples</caption>")
        .expect("table");
    let (of_all, _) = of_all.split_once("</table>").expect("end");
    let medians: Vec<f64> = of_all
        .split("<tr><th scope=\"row\">")
        .skip(1)
        .map(|row| {
            let cell = row.split("<td class=\"n\">").nth(3).expect("median");
            cell.split_once('<').expect("end").0.parse().expect("number")
        })
        .collect();
    assert_eq!(medians, rows.iter().map(|row| row.0).collect::<Vec<_>>());
    let shallow = expected.iter().take(20).filter(|(depth, _)| *depth < 20.0).count();
    assert_eq!(of_all.matches("2 of 2</td>").count(), shallow);
    assert!(!page.contains("median depth in all samples"));
    // Targets are judged by limits, with files and without.
    let limits = folder.file("limits", "covered-20x-share 99.9 99.8\ncovered-share off\n");
    let table = at(&folder, "v.tsv");
    for files in [&[][..], &["--prefix", &prefix]] {
        let judged = ["coverage", "--by", &bed, "--limits", &limits, "--fail-on", "fail"];
        let page = at(&folder, "judged.html");
        let run =
            biofast(&[&judged[..], files, &["--html", &page, "--verdicts", &table, &sam]].concat());
        assert_eq!(run.code, 1, "{run:?}");
        assert!(
            run.stderr.contains("of the target positions have depth 20 or more: below 99.8 %"),
            "{run:?}"
        );
        let rows = std::fs::read_to_string(&table).expect("verdicts");
        assert!(rows.contains("\tcovered-20x-share\tfail\t"), "{rows}");
        let page = std::fs::read_to_string(page).expect("page");
        assert!(page.contains("✗ 1 fail"), "{page}");
    }
    fails(
        &["coverage", "--by", "100", "--html", &at(&folder, "w.html"), &sam],
        &["--html shows the intervals of a BED file, not windows"],
    );
}

/// References, chromosomes X and Y beside the others, and all samples in one chart.
#[test]
fn the_page_has_the_depths_of_references_and_of_sex_chromosomes() {
    let folder = folder(11);
    let names = ["chr1", "chrX", "chrY"];
    let mut text = String::from("@HD\tVN:1.6\tSO:coordinate\n");
    names.iter().for_each(|name| text.push_str(&format!("@SQ\tSN:{name}\tLN:2000\n")));
    // Twice on the autosome what is on X, and nothing on Y.
    for (name, reads) in names.iter().zip([200, 100]) {
        let read = |i| {
            format!("r{name}{i}\t0\t{name}\t{}\t60\t10M\t*\t0\t0\t*\t*\n", 1 + i * 1990 / reads)
        };
        text.extend((0..reads).map(read));
    }
    let sam = folder.file("sexes.sam", text);
    let [page, prefix, other] = ["p.html", "p", "x.sam"].map(|name| at(&folder, name));
    silent(&["coverage", "--html", &page, &sam, &other]);
    silent(&["coverage", "--quiet", "--prefix", &prefix, &sam]);
    let page = std::fs::read_to_string(page).expect("page");
    let summary = String::from_utf8(content(&format!("{prefix}.mosdepth.summary.txt"))).unwrap();
    for line in
        summary.lines().filter(|line| line.starts_with("chr1\t") || line.starts_with("chrX\t"))
    {
        let fields: Vec<&str> = line.split('\t').collect();
        let mean: f64 = fields[3].parse().unwrap();
        let row = format!(
            "<th scope=\"row\">{}</th><td class=\"n\">2,000</td><td class=\"n\">{mean}</td>",
            fields[0]
        );
        assert!(page.contains(&row), "{row}");
    }
    assert!(
        page.contains("The depth of chromosome X is 0.5 of that of the autosomes, that of Y 0. ")
    );
    assert!(page.contains("<figure class=\"chart\" id=\"all-reached\""));
    assert!(page.contains("<figure class=\"chart\" id=\"c0-along\""));
    // The file of other references has no such figures.
    assert_eq!(page.matches("The depth of chromosome X").count(), 1);
}

#[test]
fn bedgraph_has_the_depths_of_the_per_base_file() {
    let folder = folder(3);
    let [sam, prefix] = ["x.sam", "p"].map(|name| at(&folder, name));
    ok(&["coverage", "-q", "0:", "--prefix", &prefix, "--quiet", &sam]);
    let expected = String::from_utf8(content(&format!("{prefix}.per-base.bed.gz"))).unwrap();
    let covered: String =
        expected.split_inclusive('\n').filter(|line| !line.ends_with("\t0\n")).collect();
    for threads in ["1", "3"] {
        let shown = |more: &[&str]| {
            let args = ["coverage", "-@", threads, "--format", "bedgraph", &sam];
            silent(&[&args, more].concat()).stdout
        };
        assert!(shown(&[]) == covered && covered.len() > 1000);
        let all = shown(&["-a"]);
        assert!(all.starts_with(expected.lines().next().unwrap()));
        let with_records = |line: &&str| !line.contains("\t0\t") || expected.contains(*line);
        assert!(all.lines().filter(with_records).eq(expected.lines()));
        let one = shown(&["-c", "c2"]);
        assert!(one.lines().eq(covered.lines().filter(|line| line.starts_with("c2\t"))));
    }
}

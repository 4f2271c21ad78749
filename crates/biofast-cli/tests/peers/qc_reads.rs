//! The report of a pair beside fastp.

use serde_json::Value;

use crate::common::qc_reads::run;
use crate::common::{Folder, biofast, files_below, sample, text};
use crate::tools::{self, need};

#[test]
#[ignore = "needs fastp"]
fn the_report_of_a_pair_has_the_figures_of_fastp() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    run(&["stats", "--paired", "--out-dir", &at("one"), &r1, &r2, "--qc", "fastp"]);
    let json: Value =
        serde_json::from_slice(&files_below(&folder.path("one"))["sample_R1.fastp.json"]).unwrap();
    let report = at("theirs.json");
    // It takes a file for compressed by its name.
    let plain =
        |reads: &str, to: &str| folder.file(to, biofast(&["filter", "--quiet", reads]).stdout);
    let (one, two) = (plain(&r1, "1.fq"), plain(&r2, "2.fq"));
    let mut fastp = need("fastp");
    fastp.args(["-i", &one, "-I", &two, "-A", "-Q", "-L", "-j", &report, "-h", "/dev/null"]);
    tools::run(&mut fastp);
    let theirs: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let before = &theirs["summary"]["before_filtering"];
    for (name, ours) in json["summary"]["before_filtering"].as_object().unwrap() {
        // Of all bases, N with them; ours is of A, C, G and T.
        if name == "gc_content" {
            continue;
        }
        let (ours, theirs) = (ours.as_f64().unwrap(), before[name].as_f64().unwrap());
        assert!((ours - theirs).abs() < 1e-5, "{name}: {ours}, not {theirs}");
    }
    for (mate, curve) in [("read1", "G"), ("read2", "T"), ("read2", "GC")] {
        let of = |json: &Value| -> Vec<f64> {
            let curves = &json[format!("{mate}_before_filtering")]["content_curves"][curve];
            curves.as_array().unwrap().iter().filter_map(Value::as_f64).collect()
        };
        let same = of(&json).iter().zip(of(&theirs)).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(same && of(&json).len() == 150, "{mate} {curve}");
    }
}

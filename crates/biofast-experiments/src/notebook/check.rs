//! `biofast-lab check`: the notebook, the index and the figures say what the measurements say, no protocol
//! and no source that was measured was changed after its results, data are sound, and nothing is missing. Run by CI.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use super::page::{self, MachineResults};
use super::{
    Places, compute, figure, figure_note, index, machine_folders, machines, overview, protocols,
    render_index,
};
use super::{answer, tables};
use crate::bench;
use crate::core::conditions::Conditions;
use crate::core::notes::Acceptances;
use crate::core::protocol::{Protocol, Scale};
use crate::core::{measurements, protocol, sound, sources, summary};
use crate::datasets::manifest::Manifest;
use crate::entries;
use crate::files;

/// Looks at everything and fails, naming each fault.
pub fn check(places: &Places) -> Result<()> {
    let all = protocols(places)?;
    let mut faults = Vec::new();
    for protocol in &all {
        if let Err(error) = check_entry(places, protocol, &mut faults) {
            faults.push(format!("{}: {error:#}", protocol.name()));
        }
    }
    for (id, _) in entries::all() {
        if !all.iter().any(|p| p.id == id) {
            faults.push(format!("entry {id} has code, but no protocol"));
        }
    }
    match overview::rows(places) {
        Ok(rows) => {
            if let Err(error) = check_joint_pages(places, &rows, &mut faults) {
                faults.push(format!("summary, index and machines: {error:#}"));
            }
        }
        Err(error) => faults.push(format!("summary, index and machines: {error:#}")),
    }
    match bench::page::expected(&places.root) {
        Ok(files) => {
            for (path, text) in files {
                compare(&path, &text, &mut faults);
            }
        }
        Err(error) => faults.push(format!("docs/performance.md: {error:#}")),
    }
    faults.extend(Acceptances::read(&places.experiments())?.faults());
    if faults.is_empty() {
        println!("{} entries agree with their data", all.len());
        return Ok(());
    }
    bail!("{} fault(s):\n  {}", faults.len(), faults.join("\n  "))
}

fn check_entry(places: &Places, protocol: &Protocol, faults: &mut Vec<String>) -> Result<()> {
    let name = protocol.name();
    // Named sources exist, whether or not results have their checksums.
    let now = match sources::now(&places.root, protocol) {
        Ok(now) => now,
        Err(error) => {
            faults.push(format!("{name}: {error:#}"));
            sources::Sources::new()
        }
    };
    if !entries::all().any(|(id, _)| id == protocol.id) {
        faults.push(format!("{name} has no code under entries/"));
    }
    let mut results = Vec::new();
    for folder in machine_folders(&places.results(), protocol)? {
        results.push(check_results(&places.root, &folder, protocol, &now, faults)?);
    }
    let missing = protocol.notes.faults(!results.is_empty());
    faults.extend(missing.into_iter().map(|fault| format!("{name}: {fault}")));
    let folder = places.experiments().join(&name);
    let known = files::read(&folder.join(protocol::NAME))?;
    for text in [&protocol.notes.answer, &protocol.notes.advice] {
        for number in answer::loose_numbers(text, &known) {
            faults.push(format!(
                "{name}: {number} in the answer is neither made from the data ({{statement}}) nor in the protocol"
            ));
        }
    }
    let Some(page) = page::find(&places.notebook(), protocol)? else {
        faults.push(format!("{name} has no page in the notebook; `biofast-lab report` makes one"));
        return Ok(());
    };
    let render = |old: &str| page::render(&page, protocol, &results, old);
    check_page(&page, &page::SECTIONS, render, faults)
}

/// Notes empty sections of a page and what differs from what `render` makes of it.
fn check_page(
    page: &Path,
    sections: &[(&'static str, bool)],
    render: impl Fn(&str) -> Result<String>,
    faults: &mut Vec<String>,
) -> Result<()> {
    let text = files::read(page)?;
    for section in page::empty_sections(sections, &text) {
        faults.push(format!("{}: section {section:?} is empty", page.display()));
    }
    compare(page, &render(&text)?, faults);
    Ok(())
}

/// The pages that are made of all entries.
fn check_joint_pages(
    places: &Places,
    rows: &[overview::Row],
    faults: &mut Vec<String>,
) -> Result<()> {
    compare(&places.notebook().join(index::NAME), &render_index(places, rows)?, faults);
    compare(&places.notebook().join(machines::NAME), &machines::render(rows)?, faults);
    check_overview(places, rows, faults)
}

fn check_overview(places: &Places, rows: &[overview::Row], faults: &mut Vec<String>) -> Result<()> {
    let Some(page) = overview::find(&places.notebook())? else {
        faults.push("the notebook has no summary; `biofast-lab report` makes one".to_owned());
        return Ok(());
    };
    check_page(&page, &overview::SECTIONS, |old| overview::render(&page, rows, old), faults)
}

fn check_results(
    root: &Path,
    folder: &Path,
    protocol: &Protocol,
    now: &sources::Sources,
    faults: &mut Vec<String>,
) -> Result<MachineResults> {
    let results = compute(folder, protocol)?;
    let conditions: &Conditions = &results.conditions;
    if !protocol.is_followed(&conditions.protocol_sha256) {
        faults.push(format!(
            "{}: the protocol was changed after the run; run the entry again, or say in notes.toml why results stay \
             valid ([[amendment]] with protocol_sha256 = \"{}\")",
            folder.display(),
            conditions.protocol_sha256
        ));
    }
    for fault in sound::faults(protocol, &measurements::read(folder)?) {
        faults.push(format!("{}: unsound: {fault}", folder.display()));
    }
    for fault in conditions.faults(folder)? {
        faults.push(format!("{}: {fault}", folder.display()));
    }
    for fault in dataset_faults(root, conditions)? {
        faults.push(format!("{}: {fault}", folder.display()));
    }
    let recorded = match conditions.is_of_a_commit() {
        true => &conditions.sources,
        false => now,
    };
    for stale in sources::stale(recorded, now, &protocol.notes) {
        faults.push(format!(
            "{}: stale: {} {} (now {}); run entry {id} again, or `biofast-lab accept {id} --why REASON`",
            folder.display(),
            stale.file,
            stale.how,
            stale.sha256,
            id = protocol.id
        ));
    }
    if conditions.scale == Scale::Quick.name() {
        faults.push(format!("{}: a quick run is no result", folder.display()));
    }
    let fields = [
        ("date", &conditions.date),
        ("commit", &conditions.commit),
        ("rustc", &conditions.rustc),
        ("cpu", &conditions.cpu),
        ("kernel", &conditions.kernel),
        ("command", &conditions.command),
    ];
    for (field, value) in fields {
        if value.is_empty() {
            faults.push(format!("{}: manifest without {field}", folder.display()));
        }
    }
    // It isn't committed; where `report` has left one, it must be right.
    let summary = folder.join(summary::NAME);
    if summary.exists() {
        compare(&summary, &files::to_json(&results.summary)?, faults);
    }
    compare(&folder.join(tables::NAME), &page::details(protocol, &results)?, faults);
    let drawn = figure::draw(&results.summary, protocol, &figure_note(&results))?;
    compare(&folder.join(figure::NAME), &drawn, faults);
    Ok(results)
}

/// Datasets whose checksums are no longer those of the run.
fn dataset_faults(root: &Path, conditions: &Conditions) -> Result<Vec<String>> {
    let dir = root.join("datasets");
    if conditions.datasets.is_empty() {
        return Ok(Vec::new());
    }
    let manifest = Manifest::read(&dir)?;
    let changed = conditions
        .datasets
        .iter()
        .filter(|used| manifest.find(&used.file).is_none_or(|entry| entry.sha256 != used.sha256));
    Ok(changed.map(|used| format!("dataset {} isn't what it was measured on", used.file)).collect())
}

/// Notes a fault unless the file holds `expected`.
fn compare(path: &Path, expected: &str, faults: &mut Vec<String>) {
    // Hand-written sections may begin and end with any number of blank lines.
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|l| !l.trim().is_empty()).map(str::to_owned).collect()
    };
    match fs::read_to_string(path) {
        Ok(text) if lines(&text) == lines(expected) => {}
        Ok(text) => {
            let line = text.lines().zip(expected.lines()).position(|(a, b)| a != b);
            let line = line.unwrap_or_else(|| text.lines().count().min(expected.lines().count()));
            faults.push(format!(
                "{} differs from the data at line {}; `biofast-lab report`, or of benchmarks bench-report, writes it again",
                path.display(),
                line + 1
            ));
        }
        Err(error) => faults.push(format!("cannot read {}: {error}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{regenerate, write_page};
    use super::*;
    use crate::core::cell::Cell;
    use crate::core::inputs::UsedDataset;
    use crate::core::measurements::Measurement;
    use crate::core::notes;
    use crate::core::protocol::tests::TEXT;
    use crate::core::runner::Plan;
    use crate::core::verdict::Outcome;

    const NOTES: &str = r#"
answer = "Fast is {small} times as fast."
advice = "Use fast."
measures = ["src"]
claim = [{ text = "Ten times.", source = "A test, line 1." }]
unmeasured = [{ claim = "Faster still.", source = "A test, line 2.", why = "No such machine." }]
mark = [{ value = 2.0, label = "claimed" }]
"#;

    const DATASET: &str = r#"
[[file]]
dataset = "tiny"
file = "generated/tiny.fq"
format = "fastq"
seed = 1
profile = "hiseq"
records = 1
bases = 1
bytes = 1
sha256 = "d190"
"#;

    /// A repository with one entry that was run.
    fn repository() -> (tempfile::TempDir, Places) {
        let dir = tempfile::tempdir().expect("temporary directory");
        let places = Places { root: dir.path().to_owned() };
        let experiment = places.experiments().join("999-example");
        fs::create_dir_all(&experiment).expect("folder");
        fs::create_dir_all(places.notebook()).expect("folder");
        fs::write(experiment.join("protocol.toml"), TEXT).expect("protocol");
        fs::write(experiment.join(notes::NAME), NOTES).expect("notes");
        fs::create_dir_all(dir.path().join("src/deep")).expect("folder");
        fs::write(dir.path().join("src/kernel.rs"), "fn kernel() {}\n").expect("source");
        fs::write(dir.path().join("Cargo.toml"), "\n[profile.release]\nlto = \"off\"\n")
            .expect("profile");
        fs::create_dir_all(dir.path().join("datasets")).expect("folder");
        fs::write(dir.path().join("datasets/manifest.toml"), DATASET).expect("manifest");
        fs::write(dir.path().join("src/deep/other.rs"), "fn other() {}\n").expect("source");
        let protocol = Protocol::read(&experiment).expect("reads");
        let folder = places.results().join("999-example/some-machine");
        fs::create_dir_all(&folder).expect("folder");
        let measurement = |(method, again, wall): (&str, bool, f64)| Measurement {
            cell: Cell::default().with("method", method).with("reads", "1K"),
            again,
            rep: 1,
            order: 1,
            calls: 1,
            bytes: 1,
            answer: "x".into(),
            metrics: [("wall_s".to_owned(), wall)].into(),
        };
        let all: Vec<Measurement> =
            [("slow", false, 2.0), ("fast", false, 1.0), ("fast", true, 1.0)]
                .map(measurement)
                .to_vec();
        measurements::write(&folder, &["method".into(), "reads".into()], &all).expect("writes");
        let plan = Plan { scale: Scale::Normal, repetitions: 1, seed: 1, dir: dir.path() };
        let conditions = Conditions {
            command: "a test".into(),
            commit: "0123456789abcdef".into(),
            flags: "release, no RUSTFLAGS".into(),
            datasets: vec![UsedDataset {
                file: "generated/tiny.fq".into(),
                sha256: "d190".into(),
                bytes: 1,
                records: 1,
            }],
            sources: sources::now(&places.root, &protocol).expect("hashes"),
            ..Conditions::now(&protocol, &plan)
        };
        conditions.write(&folder).expect("writes");
        regenerate(&folder, &protocol).expect("regenerates");
        write_page(&places, &protocol).expect("writes");
        (dir, places)
    }

    /// The faults of the entry, but for its missing code and prose.
    fn faults(places: &Places) -> Vec<String> {
        let protocol = Protocol::read(&places.experiments().join("999-example")).expect("reads");
        let mut faults = Vec::new();
        check_entry(places, &protocol, &mut faults).expect("checks");
        faults.retain(|f| !f.contains("no code") && !f.contains("is empty"));
        faults
    }

    /// Puts a text in the place of another in a file.
    fn edit(file: &Path, from: &str, to: &str) {
        let text = fs::read_to_string(file).expect("reads");
        assert!(text.contains(from), "{from} is not in {text}");
        fs::write(file, text.replace(from, to)).expect("writes");
    }

    /// What somebody may change after a run, by name: in which file, what, and what the fault then says.
    const TAMPERINGS: [(&str, &str, &str, &str, &str); 14] = [
        (
            "a repetition", "results/M/measurements.csv", ",x,2\n", ",x,1.9\n",
            "measurements were changed",
        ),
        ("an answer to the work", "results/M/measurements.csv", ",x,2\n", ",y,2\n", "answered"),
        (
            "a repetition left out", "results/M/measurements.csv", "fast,1K,again,1,1,1,1,x,1\n",
            "", "second name",
        ),
        ("a data set", "datasets/manifest.toml", "d190", "d191", "isn't what it was measured on"),
        (
            "the data set of the run", "results/M/manifest.json", "d190", "d191",
            "the manifest was changed",
        ),
        (
            "a compiler option",
            "Cargo.toml",
            "\"off\"",
            "\"fat\"",
            "stale: Cargo.toml [profile.release]",
        ),
        (
            "the options of the run", "results/M/manifest.json", "no RUSTFLAGS", "RUSTFLAGS=-C",
            "other options",
        ),
        (
            "the commit of the run", "results/M/manifest.json", "0123456789", "1123456789",
            "the manifest was changed",
        ),
        (
            "a bound of the protocol", "experiments/protocol.toml", "at_least = 8.0",
            "at_least = 1.5", "changed after the run",
        ),
        (
            "the rule of the protocol", "experiments/protocol.toml", "All of it.", "Some of it.",
            "changed after the run",
        ),
        (
            "a number in the answer", "experiments/notes.toml", "{small}", "seven, 7.7",
            "7.7 in the answer",
        ),
        (
            "the answer on the page", "page", "2 times as fast", "9 times as fast",
            "differs from the data",
        ),
        ("a verdict", "page", "Verdict: partly", "Verdict: reproduced", "differs from the data"),
        ("a table", "results/M/tables.md", "| slow | 2 s", "| slow | 9 s", "differs from the data"),
    ];

    #[test]
    fn what_was_just_written_is_right_and_whatever_is_changed_is_noticed() {
        let (_dir, places) = repository();
        assert_eq!(faults(&places), Vec::<String>::new());
        let folder = places.experiments().join("999-example");
        let protocol = Protocol::read(&folder).expect("reads");
        let page = page::find(&places.notebook(), &protocol).expect("looks").expect("finds");
        for (what, file, from, to, said) in TAMPERINGS {
            let path = match file {
                "page" => page.clone(),
                file => match file.split_once('/') {
                    Some(("results", rest)) => places
                        .results()
                        .join("999-example")
                        .join(rest.replace("M/", "some-machine/")),
                    Some(("experiments", rest)) => folder.join(rest),
                    _ => places.root.join(file),
                },
            };
            let before = fs::read_to_string(&path).expect("reads");
            edit(&path, from, to);
            let found = faults(&places);
            assert!(
                found.iter().any(|f| f.contains(said)),
                "{what}: {said:?} is not in {found:#?}"
            );
            fs::write(&path, before).expect("writes");
            assert_eq!(faults(&places), Vec::<String>::new(), "{what}, taken back");
        }
        // Written again by the tool, a changed repetition is a fault still.
        let file = places.results().join("999-example/some-machine/measurements.csv");
        edit(&file, ",x,2\n", ",x,1.9\n");
        regenerate(file.parent().expect("folder"), &protocol).expect("regenerates");
        write_page(&places, &protocol).expect("writes");
        let found = faults(&places);
        assert!(found.len() == 1 && found[0].contains("measurements were changed"), "{found:?}");
    }

    #[test]
    fn a_run_of_no_commit_and_a_criterion_set_aside_have_no_verdict() {
        let (_dir, places) = repository();
        let folder = places.experiments().join("999-example");
        let results = places.results().join("999-example/some-machine");
        let verdict = || {
            compute(&results, &Protocol::read(&folder).expect("reads")).expect("computes").summary
        };
        assert_eq!(verdict().verdict, Outcome::Partly);
        let aside = "\n[[set_aside]]\ncheck = \"small\"\nwhy = \"we liked it less\"\n";
        fs::write(folder.join(notes::NAME), NOTES.to_owned() + aside).expect("writes");
        assert_eq!(
            (verdict().verdict, verdict().as_written),
            (Outcome::Undecided, Outcome::Partly)
        );
        fs::write(folder.join(notes::NAME), NOTES).expect("writes");
        let conditions = Conditions::read(&results).expect("reads");
        let modified = Conditions { commit: "0123 (modified)".into(), ..conditions };
        modified.write(&results).expect("writes");
        assert_eq!(verdict().verdict, Outcome::Undecided);
    }

    #[test]
    fn a_source_that_was_changed_after_the_run_is_stale_until_it_is_accepted() {
        let (_dir, places) = repository();
        let source = places.root.join("src/deep/other.rs");
        fs::write(&source, "// Only a comment.\nfn other() {}\n").expect("writes");
        assert_eq!(faults(&places), Vec::<String>::new());
        fs::write(&source, "fn other() { slower() }\n").expect("writes");
        let found = faults(&places);
        assert!(
            found.len() == 1 && found[0].contains("stale: src/deep/other.rs was changed"),
            "{found:?}"
        );
        check(&places).expect_err("stale");
        super::super::accept(&places, &["999".to_owned()], "a name only").expect("accepts");
        // The tables name what was accepted.
        let found = faults(&places);
        assert!(found.is_empty(), "{found:?}");
        let tables = places.results().join("999-example/some-machine").join(tables::NAME);
        assert!(fs::read_to_string(&tables).expect("reads").contains("a name only"));
        fs::write(&source, "fn other() { slower_still() }\n").expect("writes");
        assert_eq!(faults(&places).len(), 1);
        fs::write(places.root.join("src/new.rs"), "fn new() {}\n").expect("writes");
        assert_eq!(faults(&places).len(), 2);
        fs::remove_dir_all(places.root.join("src")).expect("removes");
        assert!(faults(&places).iter().any(|f| f.contains("which an entry measures")));
    }

    #[test]
    fn a_protocol_may_be_amended_with_a_reason() {
        let (_dir, places) = repository();
        let folder = places.experiments().join("999-example");
        let before = Protocol::read(&folder).expect("reads").sha256;
        edit(&folder.join("protocol.toml"), "Is fast faster?", "Faster?");
        assert!(faults(&places).iter().any(|f| f.contains(&before)));
        let amendment =
            format!("\n[[amendment]]\nprotocol_sha256 = \"{before}\"\nwhy = \"words\"\n");
        fs::write(folder.join(notes::NAME), NOTES.to_owned() + &amendment).expect("writes");
        super::super::report(&places, &["999".to_owned()]).expect("writes");
        assert_eq!(faults(&places), Vec::<String>::new());
    }

    #[test]
    fn the_summary_holds_every_claim_and_notices_what_was_edited() {
        let (_dir, places) = repository();
        let rows = || overview::rows(&places).expect("reads");
        overview::write(&places, &rows()).expect("writes");
        let page = overview::find(&places.notebook()).expect("looks").expect("finds");
        let text = fs::read_to_string(&page).expect("reads");
        for part in [
            "verdicts: \"1 partly\"",
            "-999-kernel-example.md",
            "| small | 8× | 2 [2, 2] | failed (≥ 8) |",
            "| missing | 3× | – | not measurable here (≥ 3) |",
            "| A: kernels | 1 | 0 | 1 | 0 | 0 | 0 | 0 |",
            "Faster still.",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        let faults = |text: &str| {
            fs::write(&page, text).expect("writes");
            let mut faults = Vec::new();
            check_overview(&places, &rows(), &mut faults).expect("checks");
            faults
        };
        let written = text.replace("## Limitations\n", "## Limitations\n\nMany.\n");
        // Three sections are still to be written.
        assert_eq!(faults(&written).len(), 3);
        overview::write(&places, &rows()).expect("writes");
        assert!(fs::read_to_string(&page).expect("reads").contains("\n\nMany.\n"));
        assert_eq!(faults(&written.replace("2 [2, 2]", "9 [9, 9]")).len(), 4);
    }
}

//! Every verdict of the notebook, computed again from protocols and measurements by code that shares nothing with the
//! laboratory's own: another reader of the files, another form of the interval, the rules as docs/laboratory.md has them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

type Levels = BTreeMap<String, String>;

#[derive(Clone, Debug)]
struct Row {
    levels: Levels,
    again: bool,
    rep: u64,
    values: BTreeMap<String, f64>,
}

impl Row {
    fn value(&self, metric: &str) -> Option<f64> {
        if metric == "cpu_s" {
            return Some(self.values.get("user_s")? + self.values.get("sys_s")?);
        }
        self.values.get(metric).copied()
    }

    /// Several threads that used no more CPU time than one.
    fn took_turns(&self) -> bool {
        let several =
            self.levels.get("threads").is_some_and(|t| !["", "1", "one"].contains(&t.as_str()));
        match (self.value("cpu_s"), self.value("wall_s")) {
            (Some(cpu), Some(wall)) => several && wall >= 1e-3 && cpu <= 1.1 * wall,
            _ => false,
        }
    }
}

fn rows(csv: &str) -> Vec<Row> {
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let run = head.iter().position(|name| *name == "run").expect("run");
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let named = |from: usize, to: usize| head[from..to].iter().zip(&fields[from..to]);
            Row {
                levels: named(0, run).map(|(n, l)| ((*n).to_owned(), (*l).to_owned())).collect(),
                again: fields[run] == "again",
                rep: fields[run + 1].parse().expect("rep"),
                values: named(run + 6, head.len())
                    .filter_map(|(n, v)| Some(((*n).to_owned(), v.parse().ok()?)))
                    .collect(),
            }
        })
        .collect()
}

/// Median, lower and upper end.
#[derive(Clone, Copy, Debug)]
struct Span(f64, f64, f64);

/// By whole numbers: the `k`th value from either end, for the largest `k` with twice the number of ways to have fewer
/// than `k` of `n` on one side at most a twentieth of all ways.
fn span(mut values: Vec<f64>) -> Option<Span> {
    let n = values.len();
    if n == 0 {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let mut pascal = vec![1_u128];
    for _ in 0..n {
        let inner = pascal.windows(2).map(|w| w[0] + w[1]);
        pascal = [1].into_iter().chain(inner).chain([1]).collect();
    }
    let all: u128 = pascal.iter().sum();
    let fits = |k: &usize| 40 * pascal[..*k].iter().sum::<u128>() <= all;
    let k = (1..=n / 2).filter(fits).max().unwrap_or(1);
    let middle = (values[(n - 1) / 2] + values[n / 2]) / 2.0;
    Some(Span(middle, values[k - 1], values[n - k]))
}

fn levels(value: Option<&Value>) -> Levels {
    let table = value.and_then(Value::as_table).cloned().unwrap_or_default();
    table.into_iter().map(|(n, l)| (n, l.as_str().expect("a level").to_owned())).collect()
}

const SIMD: [&str; 3] = ["avx512", "avx2", "neon"];

/// The rows of the one condition with these levels; none if there is no such, or more than one.
fn pick<'a>(rows: &'a [Row], wanted: &Levels) -> Option<Vec<&'a Row>> {
    let fits = |row: &Row, isa: &str| {
        wanted.iter().all(|(name, level)| {
            row.levels.get(name).is_some_and(|own| {
                own.as_str() == if level == "simd" { isa } else { level.as_str() }
            })
        })
    };
    let any_simd = wanted.values().any(|level| level == "simd");
    let sets: &[&str] = if any_simd { &SIMD } else { &[""] };
    let of_set = |isa: &&str| -> Vec<&'a Row> {
        rows.iter().filter(|row| !row.again && fits(row, isa)).collect()
    };
    let found = sets.iter().map(of_set).find(|found| !found.is_empty())?;
    let cells: BTreeSet<&Levels> = found.iter().map(|row| &row.levels).collect();
    (cells.len() == 1).then_some(found)
}

fn by_rep(rows: &[&Row], metric: &str) -> BTreeMap<u64, f64> {
    rows.iter().filter_map(|row| Some((row.rep, row.value(metric)?))).collect()
}

fn ratio(a: &[&Row], b: &[&Row], metric: &str) -> Option<Span> {
    let b = by_rep(b, metric);
    let pairs = by_rep(a, metric).into_iter().filter_map(|(rep, a)| Some((a, *b.get(&rep)?)));
    span(pairs.filter(|(_, b)| *b > 0.0).map(|(a, b)| a / b).collect())
}

/// Six digits, as a ratio is stored with.
fn six(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a number")
}

/// How far medians of A/A pairs are from 1, of those whose work is most like that of `of`.
fn noise(rows: &[Row], protocol: &Table, of: &Levels, metric: &str) -> f64 {
    let work: Vec<&str> = protocol["equal_work"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let cells: BTreeSet<&Levels> = rows.iter().filter(|r| r.again).map(|r| &r.levels).collect();
    let pairs: Vec<(usize, f64)> = cells
        .into_iter()
        .filter_map(|cell| {
            let of_cell = |again: bool| -> Vec<&Row> {
                rows.iter().filter(|r| r.again == again && r.levels == *cell).collect()
            };
            let main = of_cell(false);
            if main.is_empty() {
                return None;
            }
            let alike = work
                .iter()
                .filter(|f| of.contains_key(**f) && of.get(**f) == cell.get(**f))
                .count();
            let differs =
                ratio(&of_cell(true), &main, metric).map_or(0.0, |s| (six(s.0) - 1.0).abs());
            Some((alike, differs))
        })
        .collect();
    let most = pairs.iter().map(|(alike, _)| *alike).max();
    pairs.iter().filter(|(alike, _)| Some(*alike) == most).map(|(_, d)| *d).fold(0.0, f64::max)
}

fn number(level: &str) -> Option<f64> {
    let (digits, factor) = match level.char_indices().last()? {
        (at, 'K') => (&level[..at], 1e3),
        (at, 'M') => (&level[..at], 1e6),
        (at, 'G') => (&level[..at], 1e9),
        _ => (level, 1.0),
    };
    Some(digits.parse::<f64>().ok()? * factor)
}

/// From where on the ratio is above 1 at all larger levels.
fn first_above(
    rows: &[Row],
    protocol: &Table,
    check: &Table,
    factor: &str,
    metric: &str,
) -> Option<Span> {
    let (of, over) = (levels(check.get("of")), levels(check.get("over")));
    let scale = check.get("scale").and_then(Value::as_table);
    let names: BTreeSet<&String> = rows.iter().filter_map(|row| row.levels.get(factor)).collect();
    let mut sizes: Vec<(f64, &String)> = names
        .into_iter()
        .filter_map(|name| {
            let own = scale
                .and_then(|s| s.get(name.as_str()))
                .and_then(|v| v.as_float().or(v.as_integer().map(|i| i as f64)));
            Some((own.or_else(|| number(name))?, name))
        })
        .collect();
    sizes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut seen = Vec::new();
    for (size, name) in sizes {
        let at = |levels: &Levels| -> Levels {
            let mut levels = levels.clone();
            levels.insert(factor.to_owned(), name.clone());
            levels
        };
        let (Some(a), Some(b)) = (pick(rows, &at(&of)), pick(rows, &at(&over))) else { continue };
        let Some(span) = ratio(&a, &b, metric) else { continue };
        let noise = 1.0 + noise(rows, protocol, &at(&of), metric);
        seen.push((size, span.1 > noise, span.2 < 1.0 / noise));
    }
    let largest = seen.first()?.0;
    let may: Vec<&(f64, bool, bool)> = seen.iter().take_while(|(_, _, never)| !never).collect();
    let sure =
        may.iter().take_while(|(_, surely, _)| *surely).last().map_or(f64::INFINITY, |s| s.0);
    let low = may.last().map_or(largest, |s| s.0);
    Some(Span(sure, low, if may.is_empty() { f64::INFINITY } else { sure }))
}

fn float(check: &Table, name: &str) -> Option<f64> {
    let value = check.get(name)?;
    value.as_float().or(value.as_integer().map(|i| i as f64))
}

/// The values a claim states, if it states nothing else.
fn stated(claim: &str, metric: &str) -> Option<(f64, f64)> {
    let plain = claim.replace([',', ' '], "");
    let megabytes = plain.strip_suffix("MB").filter(|_| metric.ends_with("_kb"));
    let factor = if megabytes.is_some() { 1e6 / 1024.0 } else { 1.0 };
    let bare = ["×", "%", "reads"].into_iter().find_map(|unit| plain.strip_suffix(unit));
    let plain = megabytes.or(bare).unwrap_or(&plain);
    let ends: Vec<&str> = plain.split('–').collect();
    let value = |text: &str| match text.split_once('/') {
        Some((a, b)) => Some(number(a)? / number(b)?),
        None => number(text),
    };
    let (low, high) = (value(ends.first()?)?, value(ends.last()?)?);
    Some((low * factor, high * factor))
}

fn within(span: Span, noise: f64, low: Option<f64>, high: Option<f64>) -> &'static str {
    let (below, above) = (span.1 / (1.0 + noise), span.2 * (1.0 + noise));
    let over = low.is_none_or(|low| below >= low);
    let under = high.is_none_or(|high| above <= high);
    let out = low.is_some_and(|low| above < low) || high.is_some_and(|high| below > high);
    match (over && under, out) {
        (true, _) => "held",
        (_, true) => "failed",
        _ => "undecided",
    }
}

fn outcome(rows: &[Row], protocol: &Table, check: &Table, carries: bool) -> &'static str {
    let metric = check.get("metric").unwrap_or(&protocol["metric"]).as_str().expect("a metric");
    let (of, over) = (levels(check.get("of")), levels(check.get("over")));
    let first = check.get("first_above_one").and_then(Value::as_str);
    let measured = if let Some(factor) = first {
        first_above(rows, protocol, check, factor, metric)
    } else if let Some(against) = check.get("against").and_then(Value::as_table) {
        let four =
            [of.clone(), over.clone(), levels(against.get("of")), levels(against.get("over"))];
        let four: Option<Vec<BTreeMap<u64, f64>>> =
            four.iter().map(|l| Some(by_rep(&pick(rows, l)?, metric))).collect();
        four.and_then(|four| {
            let products = four[0].iter().filter_map(|(rep, a)| {
                let [b, c, d] = [1, 2, 3].map(|i| four[i].get(rep));
                Some((a * d?) / (b? * c?))
            });
            span(products.collect())
        })
    } else if over.is_empty() {
        pick(rows, &of).and_then(|own| span(by_rep(&own, metric).into_values().collect()))
    } else {
        pick(rows, &of).zip(pick(rows, &over)).and_then(|(a, b)| ratio(&a, &b, metric))
    };
    let Some(measured) = measured else { return "not measurable here" };
    let plain = over.is_empty() || first.is_some();
    let noise = if plain { 0.0 } else { noise(rows, protocol, &of, metric) };
    let (low, high) = (float(check, "at_least"), float(check, "at_most"));
    let registered = within(measured, noise, low, high);
    let claim = check["claim"].as_str().expect("a claim");
    match stated(claim, metric) {
        Some((least, most)) if carries && registered == "held" => {
            let low = low.map(|bound| bound.max(0.8 * least));
            let high = high.map(|bound| bound.min(most / 0.8));
            if within(measured, noise, low, high) == "held" { "held" } else { "undecided" }
        }
        _ => registered,
    }
}

fn verdict(
    protocol: &Table,
    notes: &Table,
    bound: bool,
    outcomes: &[(String, bool, &str)],
) -> &'static str {
    let aside = notes.get("set_aside").is_some();
    if aside || !bound {
        return "undecided";
    }
    let carrying =
        || outcomes.iter().filter(|(_, carries, _)| *carries).map(|(name, _, o)| (name, *o));
    let count = |wanted: &str| carrying().filter(|(_, o)| *o == wanted).count();
    let [held, failed, open, missing] =
        ["held", "failed", "undecided", "not measurable here"].map(count);
    let needed = protocol["verdict"].get("partly_needs").and_then(Value::as_array);
    if let Some(needed) = needed.filter(|_| failed > 0 || open > 0) {
        let of = |wanted: &str| {
            carrying()
                .filter(|(n, o)| *o == wanted && needed.iter().any(|x| x.as_str() == Some(n)))
                .count()
        };
        return match (of("failed"), of("held") == needed.len(), failed) {
            (1.., ..) => "refuted",
            (0, true, 1..) => "partly",
            _ => "undecided",
        };
    }
    match (held, failed, open, missing) {
        (0, 0, 0, _) => "not measurable here",
        (1.., 1.., ..) => "partly",
        (_, 0, 0, 0) => "reproduced",
        (0, _, 0, 0) => "refuted",
        _ => "undecided",
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn list(path: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(path)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    all.sort();
    all
}

#[test]
fn every_verdict_follows_from_its_rule_and_its_data() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages: Vec<PathBuf> = list(&root.join("lab-notebook"))
        .iter()
        .filter(|p| p.is_dir())
        .flat_map(|p| list(p))
        .collect();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for folder in
        list(&root.join("experiments")).into_iter().filter(|p| p.join("protocol.toml").is_file())
    {
        let protocol: Table = read(&folder.join("protocol.toml")).parse().expect("a protocol");
        let notes: Table = read(&folder.join("notes.toml")).parse().expect("notes");
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let text = |field: &str| protocol[field].as_str().expect("a text").to_owned();
        let ending = format!("-{}-{}-{}.md", text("id"), text("type"), text("slug"));
        let page = pages.iter().find(|p| p.to_string_lossy().ends_with(&ending)).expect("a page");
        let page = read(page);
        let mut shown = page
            .split("**Verdict: ")
            .skip(1)
            .map(|rest| rest.split("**").next().unwrap_or_default());
        let results = root.join("results").join(&name);
        let machines = if results.is_dir() { list(&results) } else { Vec::new() };
        for machine in machines.into_iter().filter(|m| m.join("manifest.json").is_file()) {
            let manifest: serde_json::Value =
                serde_json::from_str(&read(&machine.join("manifest.json"))).expect("a manifest");
            let has = |field: &str| manifest.get(field).is_some();
            let modified = manifest["commit"].as_str().is_none_or(|commit| commit.contains(' '));
            let bound = has("sources") && (!modified || has("sources_commit"));
            let all = rows(&read(&machine.join("measurements.csv")));
            let parallel: Vec<Row> = all.iter().filter(|r| !r.took_turns()).cloned().collect();
            let tables = read(&machine.join("tables.md"));
            let checks = protocol["verdict"]["check"].as_array().expect("checks").iter();
            let added = notes.get("check").and_then(Value::as_array).into_iter().flatten();
            let mut outcomes = Vec::new();
            for check in checks.chain(added).map(|check| check.as_table().expect("a check")) {
                let carries = check.get("carries").and_then(Value::as_bool).unwrap_or(true);
                let of_all = outcome(&all, &protocol, check, carries);
                let of_parallel = outcome(&parallel, &protocol, check, carries);
                let title = check["name"].as_str().expect("a name");
                let needs = notes.get("needs").and_then(Value::as_array).into_iter().flatten();
                let needed = needs.filter(|need| need["check"].as_str() == Some(title));
                let needed = needed.filter_map(|need| need["cores"].as_integer()).max();
                let outcome = match (of_all == of_parallel, needed) {
                    (_, Some(needed)) if manifest["cores"].as_i64() < Some(needed) => {
                        "not measurable here"
                    }
                    (true, _) => of_all,
                    _ => "undecided",
                };
                let start = format!("| {title} | ");
                let line = tables.lines().find(|line| line.starts_with(&start)).unwrap_or_default();
                let last = line.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
                if !last.starts_with(outcome) {
                    wrong.push(format!(
                        "{name}: {title}: {outcome} by its rule, {last:?} in its table"
                    ));
                }
                outcomes.push((title.to_owned(), carries, outcome));
            }
            let verdict = verdict(&protocol, &notes, bound, &outcomes);
            let shown = shown.next().unwrap_or("none");
            if verdict != shown {
                wrong.push(format!("{name}: {verdict} by its rule, {shown} on its page"));
            }
            seen += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 46, "only {seen} results were looked at");
}

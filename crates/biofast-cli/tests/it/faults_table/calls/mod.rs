//! Every system call of every command fails once, or is met by a signal: afterwards the old state or the complete new
//! one stands, of all outputs together, and the exit code says which.
//!
//! `BIOFAST_FAULTS=long cargo test --release -p biofast-cli --test it faults_table::calls -- --ignored --nocapture` tries
//! every N up to the last and prints a table of the results; without `--ignored` it's a few of each.
//! `BIOFAST_FAULTS_OF=index` tries only the commands that have this in their names, `/rename` only this kind of fault, and several
//! with commas between them any of these.

mod inject;
mod jobs;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use super::{each, is_long};
use crate::common::{Folder, files_below, words};
use inject::{Count, End, Fault, Injection, KINDS, counts, trace};
use jobs::{JOBS, Job};
use verdict::{Expected, State, Verdict};

/// A run to be disturbed.
struct Case {
    job: usize,
    kind: usize,
    variant: usize,
    injection: Injection,
}

/// How a command is run: on how many threads, and whether files stand under the names of its outputs.
#[derive(Clone, Copy)]
struct Variant {
    threads: usize,
    old: bool,
}

const VARIANTS: [Variant; 2] =
    [Variant { threads: 1, old: true }, Variant { threads: 2, old: false }];

/// Numbers of calls vary with the threads: so many more are tried.
const MARGIN: usize = 3;

#[test]
#[ignore = "needs strace"]
fn some_calls_of_every_command_fail() {
    fail_calls(Some(1));
}

#[test]
#[ignore = "needs strace and half an hour: every call of every command"]
fn every_call_of_every_command_fails() {
    fail_calls(if is_long() { None } else { Some(8) });
}

/// Makes the folder what it was.
fn restore(folder: &Folder, state: &State) {
    let root = folder.path("run");
    let _ = std::fs::create_dir(&root);
    let now = files_below(&root);
    for name in now.keys().filter(|name| !state.contains_key(*name)) {
        std::fs::remove_file(root.join(name)).unwrap();
    }
    for (name, bytes) in state.iter().filter(|(name, bytes)| now.get(*name) != Some(bytes)) {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    // A plan of shards holds the time of its files.
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    for name in state.keys() {
        std::fs::File::open(root.join(name)).unwrap().set_modified(time).unwrap();
    }
}

fn state(folder: &Folder) -> State {
    files_below(&folder.path("run"))
}

/// Runs a command in its folder as it is.
fn run(
    folder: &Folder,
    job: &Job,
    threads: usize,
    options: &[String],
    prefix: &[String],
) -> inject::Traced {
    let [inner, outer] = ["run", ""].map(|name| folder.path(name));
    trace(options, &[prefix, &job.words(threads)].concat(), &inner, &outer, job.stdin)
}

/// What a run that nothing disturbs leaves, and how often it makes each call.
fn undisturbed(
    folder: &Folder,
    inputs: &State,
    job: &Job,
    variant: Variant,
) -> (Expected, BTreeMap<String, Count>) {
    let mut before = inputs.clone();
    if variant.old {
        before
            .extend(words(job.outputs).into_iter().map(|name| (name.to_owned(), jobs::old(name))));
    }
    let mut calls = BTreeMap::new();
    let mut last = None;
    for _ in 0..2 {
        restore(folder, &before);
        let run = run(folder, job, variant.threads, &[], &[]);
        assert_eq!(run.end, End::Code(0), "{}: {}", job.name, run.stderr);
        for (call, count) in counts(&run.log) {
            let known: &mut Count = calls.entry(call).or_default();
            *known = Count { most: count.most.max(known.most), ..count };
        }
        let left = (state(folder), run.stdout);
        assert!(last.is_none_or(|last| last == left), "{}: two runs differ", job.name);
        last = Some(left);
    }
    let (after, stdout) = last.unwrap();
    for name in words(job.outputs) {
        assert!(after.get(name) != before.get(name), "{}: {name} isn't written", job.name);
    }
    (Expected { before, after, stdout, tells: job.tells }, calls)
}

/// The cases of a command; `few` of each call and fault, or all.
fn cases(
    job: usize,
    variant: usize,
    calls: &BTreeMap<String, Count>,
    few: Option<usize>,
) -> Vec<Case> {
    let mut cases = Vec::new();
    for (kind, what) in KINDS.iter().enumerate() {
        for (call, &Count { most: count, early }) in calls.iter().filter(|(call, _)| what.has(call))
        {
            for (index, &fault) in what.faults.iter().enumerate() {
                let margin = if VARIANTS[variant].threads > 1 { MARGIN } else { 0 };
                let all = 1..=count + margin;
                let chosen: Vec<usize> = match few {
                    // The last ones are those of the outputs.
                    Some(few) => {
                        all.rev().skip(margin).step_by(1 + count / (few + 1)).take(few).collect()
                    }
                    None => all.collect(),
                };
                // Signals that are caught are one to the program: each call is met by one of them, by another in the other
                // variant.
                let is_signal = matches!(fault, Fault::Signal(_));
                let met = |n: &usize| !is_signal || (n + variant) % what.faults.len() == index;
                for n in chosen.into_iter().filter(met) {
                    let injection = Injection { call: call.clone(), n, fault, early: n <= early };
                    cases.push(Case { job, kind, variant, injection });
                }
            }
        }
    }
    if few.is_some() {
        // A part will do: of signals, which meet every call there is, a smaller one.
        let mut number = job + 2 * variant;
        cases.retain(|case| {
            number += 1;
            number.is_multiple_of(if KINDS[case.kind].calls.is_empty() { 12 } else { 3 })
        });
    }
    cases
}

/// Sizes that cut an output short: at its start, in its middle, before its last byte.
fn sizes(expected: &Expected) -> BTreeSet<usize> {
    let written =
        expected.after.iter().filter(|(name, bytes)| expected.before.get(*name) != Some(bytes));
    let lengths = written.map(|(_, bytes)| bytes.len()).chain([expected.stdout.len()]);
    lengths.filter(|&len| len > 0).flat_map(|len| [0, 1, len / 3, len / 2, len - 1]).collect()
}

/// A case in which no file may have more than `n` bytes.
fn limit(job: usize, variant: usize, n: usize) -> Case {
    let kind = KINDS.iter().position(|kind| kind.has(inject::LIMIT)).unwrap();
    let call = inject::LIMIT.to_owned();
    Case { job, kind, variant, injection: Injection { call, n, fault: Fault::Limit, early: false } }
}

/// What came of the cases of a cell of the table.
#[derive(Clone, Copy, Default)]
struct Cell {
    complete: usize,
    refused: usize,
    window: usize,
    lost: usize,
}

fn fail_calls(few: Option<usize>) {
    let strace = std::process::Command::new("strace").arg("-V").output();
    strace.expect("strace is not installed: calls are made to fail by it");
    let only = std::env::var("BIOFAST_FAULTS_OF").unwrap_or_default();
    let inputs: State = jobs::inputs();
    let named: Vec<(&str, &str)> =
        only.split(',').map(|one| one.split_once('/').unwrap_or((one, ""))).collect();
    let is_chosen = |job: &Job| named.iter().any(|(of_job, _)| job.name.contains(of_job));
    let chosen: Vec<usize> = (0..JOBS.len()).filter(|&i| is_chosen(&JOBS[i])).collect();
    let begin = std::time::Instant::now();
    // Of each command and variant.
    type Plan = BTreeMap<(usize, usize), (Expected, Vec<Case>)>;
    let expected: Mutex<Plan> = Mutex::default();
    each(&chosen, |folder, &job| {
        for (variant, &how) in VARIANTS.iter().enumerate() {
            let (wanted, calls) = undisturbed(folder, &inputs, &JOBS[job], how);
            let mut cases = cases(job, variant, &calls, few);
            let sizes = sizes(&wanted).into_iter().skip(few.map_or(0, |_| job % 3));
            cases.extend(sizes.step_by(few.map_or(1, |_| 9)).map(|n| limit(job, variant, n)));
            cases.retain(|case| {
                let (name, kind) = (JOBS[case.job].name, KINDS[case.kind].name);
                named
                    .iter()
                    .any(|(of_job, of_kind)| name.contains(of_job) && kind.contains(of_kind))
            });
            expected.lock().unwrap().insert((job, variant), (wanted, cases));
        }
    });
    let expected = expected.into_inner().unwrap();
    let cases: Vec<(&Expected, &Case)> = expected
        .values()
        .flat_map(|(expected, cases)| cases.iter().map(move |case| (expected, case)))
        .collect();
    let cells: Mutex<BTreeMap<(usize, usize), Cell>> = Mutex::default();
    let found: Mutex<Vec<String>> = Mutex::default();
    each(&cases, |folder, (expected, case)| {
        let (verdict, command) = disturb(folder, expected, case);
        let mut cells = cells.lock().unwrap();
        let cell = cells.entry((case.job, case.kind)).or_default();
        match verdict {
            Verdict::Unreached => {}
            Verdict::Complete => cell.complete += 1,
            Verdict::Refused => cell.refused += 1,
            Verdict::Window => cell.window += 1,
            Verdict::Lost(why) => {
                cell.lost += 1;
                let old =
                    if VARIANTS[case.variant].old { "old outputs" } else { "no outputs before" };
                let line =
                    format!("lost: {} | {old} | {command}\n      {why}", JOBS[case.job].name);
                println!("{line}");
                found.lock().unwrap().push(line);
            }
        }
    });
    let cells = cells.into_inner().unwrap();
    print(&cells);
    let tried: usize = cells.values().map(|c| c.complete + c.refused + c.window + c.lost).sum();
    println!("{tried} runs in {} s", begin.elapsed().as_secs());
    let found = found.into_inner().unwrap();
    assert!(tried > 0, "nothing was tried");
    assert!(found.is_empty(), "{} lost, the first:\n{}", found.len(), found[0]);
}

/// Runs a case, and again without a fault where something was left behind. Also returns how it can be repeated.
fn disturb(folder: &Folder, expected: &Expected, case: &Case) -> (Verdict, String) {
    let (job, threads) = (&JOBS[case.job], VARIANTS[case.variant].threads);
    restore(folder, &expected.before);
    let options = case.injection.options();
    let prefix = case.injection.prefix();
    let traced = run(folder, job, threads, &options, &prefix);
    let left = state(folder);
    let mut verdict = expected.judge(&case.injection, &traced, &left);
    let mut kept = left.clone();
    kept.retain(|name, _| verdict::is_hidden(name));
    if !kept.is_empty() && !matches!(verdict, Verdict::Lost(_)) {
        let again = run(folder, job, threads, &["-e".into(), "trace=none".into()], &[]);
        // What was left isn't the next run's to remove.
        let mut clean = state(folder);
        kept.retain(|name, bytes| clean.remove(name).as_ref() != Some(bytes));
        if let Some(name) = kept.keys().next() {
            verdict = Verdict::Lost(format!("the next run has taken {name}"));
        }
        if again.end != End::Code(0) || clean != expected.after {
            let names: Vec<&String> = clean.keys().collect();
            verdict = Verdict::Lost(format!("the next run: {:?}, {names:?}", again.end));
        }
    }
    let mut command = vec!["strace -f -qq -o log".to_owned()];
    command.extend(options);
    command.extend(prefix);
    command.push("biofast".into());
    command.extend(job.words(threads).into_iter().skip(1));
    if let Some(name) = job.stdin {
        command.push(format!("< {name}"));
    }
    (verdict, command.join(" "))
}

/// A row for each command and a column for each kind.
fn print(cells: &BTreeMap<(usize, usize), Cell>) {
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    println!("\n| command | {} | tried | window | lost |", names.join(" | "));
    println!("|---|{}", "---:|".repeat(names.len() + 3));
    let mut sums = vec![Cell::default(); KINDS.len()];
    let shown = |cell: &Cell| match cell.complete + cell.refused {
        0 => String::new(),
        _ => format!("{} + {}", cell.complete, cell.refused),
    };
    let row = |name: &str, row: &[Cell]| {
        let texts: Vec<String> = row.iter().map(shown).collect();
        let sum = |of: fn(&Cell) -> usize| row.iter().map(of).sum::<usize>();
        let [window, lost] = [sum(|c| c.window), sum(|c| c.lost)];
        let tried = sum(|c| c.complete + c.refused) + window + lost;
        println!("| {name} | {} | {tried} | {window} | {lost} |", texts.join(" | "));
    };
    for (number, job) in JOBS.iter().enumerate() {
        let of_job: Vec<Cell> = (0..KINDS.len())
            .map(|kind| cells.get(&(number, kind)).copied().unwrap_or_default())
            .collect();
        if of_job.iter().all(|c| c.complete + c.refused + c.window + c.lost == 0) {
            continue;
        }
        for (sum, cell) in sums.iter_mut().zip(&of_job) {
            sum.complete += cell.complete;
            sum.refused += cell.refused;
            sum.window += cell.window;
            sum.lost += cell.lost;
        }
        row(job.name, &of_job);
    }
    row("**all**", &sums);
}

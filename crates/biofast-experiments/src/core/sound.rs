//! Whether the data of a run can carry a verdict at all: nothing is missing, conditions that do the same work agree, a
//! control ran, and what decides states something.

use std::collections::{BTreeMap, BTreeSet};

use super::cell::Cell;
use super::measurements::Measurement;
use super::protocol::Protocol;

/// What a claim column holds that states nothing.
const NOTHING: [&str; 3] = ["", "–", "-"];

/// Everything that makes a run unsound.
pub(crate) fn faults(protocol: &Protocol, all: &[Measurement]) -> Vec<String> {
    let mut faults = silent_checks(protocol);
    if !all.iter().any(|m| m.again) {
        faults.push("no condition ran under a second name".to_owned());
    }
    let mut repetitions: BTreeMap<(&Cell, bool), BTreeSet<usize>> = BTreeMap::new();
    let mut answers: BTreeMap<Cell, (&Cell, &str, u64)> = BTreeMap::new();
    for m in all {
        if !repetitions.entry((&m.cell, m.again)).or_default().insert(m.rep) {
            faults.push(format!("repetition {} of {} is there twice", m.rep, m.cell));
        }
        let (first, answer, bytes) = answers
            .entry(m.cell.only(&protocol.equal_work))
            .or_insert((&m.cell, &m.answer, m.bytes));
        if *answer != m.answer || *bytes != m.bytes {
            faults.push(format!(
                "{} answered {} about {} bytes, but {first} {answer} about {bytes}",
                m.cell, m.answer, m.bytes
            ));
        }
    }
    let every: BTreeSet<usize> = all.iter().map(|m| m.rep).collect();
    for ((cell, again), own) in &repetitions {
        if *own != every {
            let name = if *again { " (second name)" } else { "" };
            faults.push(format!("{cell}{name} has {} of {} repetitions", own.len(), every.len()));
        }
    }
    faults
}

/// Checks that decide and repeat no claim.
fn silent_checks(protocol: &Protocol) -> Vec<String> {
    let silent = |claim: &str| NOTHING.contains(&claim.trim());
    protocol
        .verdict
        .checks
        .iter()
        .filter(|check| check.carries && check.note.is_none() && silent(&check.claim))
        .map(|check| format!("{:?} carries the verdict, but repeats no claim", check.name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::protocol::tests::sample;
    use super::*;

    fn measurement(method: &str, again: bool, rep: usize) -> Measurement {
        Measurement {
            cell: Cell::default().with("method", method).with("reads", "1K"),
            again,
            rep,
            order: 1,
            calls: 1,
            bytes: 100,
            answer: "x".into(),
            metrics: BTreeMap::new(),
        }
    }

    fn whole() -> Vec<Measurement> {
        [("slow", false, 1), ("fast", false, 1), ("fast", true, 1)]
            .into_iter()
            .flat_map(|(m, again, rep)| {
                [measurement(m, again, rep), measurement(m, again, rep + 1)]
            })
            .collect()
    }

    #[test]
    fn a_whole_run_is_sound() {
        assert_eq!(faults(&sample(), &whole()), Vec::<String>::new());
    }

    #[test]
    fn each_fault_is_named() {
        let of = |change: &dyn Fn(&mut Vec<Measurement>)| {
            let mut all = whole();
            change(&mut all);
            faults(&sample(), &all).join("; ")
        };
        assert!(of(&|all| drop(all.pop())).contains("has 1 of 2 repetitions"));
        assert!(of(&|all| all.truncate(4)).contains("second name"));
        assert!(of(&|all| all[0].answer = "y".into()).contains("answered"));
        assert!(of(&|all| all[1].rep = 1).contains("is there twice"));
        let mut protocol = sample();
        protocol.verdict.checks[0].claim = "–".into();
        let found = faults(&protocol, &whole());
        assert_eq!(found, ["\"small\" carries the verdict, but repeats no claim"]);
    }
}

use std::collections::{BTreeMap, BTreeSet, HashMap};

use biofast_testkit::effort;
use biofast_testkit::random::Random;

use super::assign::{AssignFault, Molecule, MoleculeAssigner, MoleculeStrand, TemplateUmi};
use super::{MoleculeStrategy, is_template_coordinate};
use crate::change::umi::cluster::UnequalLengths;

const STRATEGIES: [MoleculeStrategy; 4] = [
    MoleculeStrategy::Identity,
    MoleculeStrategy::Edit,
    MoleculeStrategy::Adjacency,
    MoleculeStrategy::Paired,
];

fn distance(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).filter(|(a, b)| a != b).count()
}

/// The molecules by the rules of fgbio, each UMI compared with each.
fn plain(
    umis: &[TemplateUmi],
    strategy: MoleculeStrategy,
    edits: usize,
) -> Vec<(u64, MoleculeStrand)> {
    let text = |umi: &TemplateUmi| String::from_utf8(umi.text.clone()).unwrap();
    let turned = |umi: &str| {
        let (one, other) = umi.split_once('-').unwrap();
        format!("{other}-{one}")
    };
    let key = |umi: &TemplateUmi| match strategy == MoleculeStrategy::Paired && !umi.is_forward {
        true => turned(&text(umi)),
        false => text(umi),
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    umis.iter().for_each(|umi| *counts.entry(key(umi)).or_default() += 1);
    let all: Vec<String> = counts.keys().cloned().collect();
    let mut order = all.clone();
    if matches!(strategy, MoleculeStrategy::Adjacency | MoleculeStrategy::Paired) {
        order.sort_by_key(|umi| std::cmp::Reverse(counts[umi]));
    }
    let mut found: HashMap<String, (u64, String)> = HashMap::new();
    let mut next = 0;
    for root in order {
        if found.contains_key(&root) {
            continue;
        }
        let mut reached = BTreeSet::from([root.clone()]);
        loop {
            let leads_to = |one: &String, other: &String| {
                distance(one, other) <= edits
                    && match strategy {
                        MoleculeStrategy::Identity => one == other,
                        MoleculeStrategy::Edit => true,
                        _ => counts[other] <= counts[one] / 2 + 1,
                    }
            };
            let more: Vec<String> = all
                .iter()
                .filter(|other| !reached.contains(*other) && !found.contains_key(*other))
                .filter(|other| reached.iter().any(|one| leads_to(one, other)))
                .cloned()
                .collect();
            if more.is_empty() {
                break;
            }
            reached.extend(more);
        }
        for umi in reached {
            found.insert(umi, (next, root.clone()));
        }
        next += 1;
    }
    let molecule = |umi: &TemplateUmi| {
        let key = key(umi);
        let (number, root) = &found[&key];
        let strand = match strategy {
            MoleculeStrategy::Paired => {
                // The letters before the halves differ, too.
                let is_turned = key != *root
                    && distance(root, &key) >= 2 * (edits + 1) + distance(root, &turned(&key));
                if umi.is_forward != is_turned { MoleculeStrand::A } else { MoleculeStrand::B }
            }
            _ => MoleculeStrand::Any,
        };
        (*number, strand)
    };
    umis.iter().map(molecule).collect()
}

fn assign(
    umis: &[TemplateUmi],
    strategy: MoleculeStrategy,
    edits: usize,
    min_len: Option<usize>,
) -> Result<Vec<(u64, MoleculeStrand)>, AssignFault> {
    let mut umis = umis.to_vec();
    let mut next = 0;
    let found = MoleculeAssigner::new(strategy, edits, min_len).assign(&mut umis, &mut next)?;
    let most = found.iter().map(|molecule| molecule.number + 1).max().unwrap_or(0);
    assert_eq!(next, most);
    Ok(found.into_iter().map(|Molecule { number, strand }| (number, strand)).collect())
}

#[test]
fn molecules_are_those_of_the_plain_rules() {
    let mut random = Random(54);
    for case in 0..effort::times(300) {
        let strategy = STRATEGIES[case as usize % 4];
        let edits = if strategy == MoleculeStrategy::Identity { 0 } else { random.below(4) };
        let letters: &[u8] = [&b"ACGT"[..], b"AC"][random.below(2)];
        let half = |random: &mut Random, len| -> String {
            (0..len).map(|_| char::from(letters[random.below(letters.len())])).collect()
        };
        let len = 2 + random.below(4);
        let pool: Vec<String> = (0..1 + random.below(40))
            .map(|_| match strategy {
                MoleculeStrategy::Paired => {
                    format!("{}-{}", half(&mut random, len), half(&mut random, len))
                }
                _ => half(&mut random, len + 2),
            })
            .collect();
        let umis: Vec<TemplateUmi> = (0..1 + random.below(120))
            .map(|_| {
                let at = random.below(pool.len()).min(random.below(pool.len()));
                TemplateUmi {
                    text: pool[at].clone().into_bytes(),
                    is_forward: strategy != MoleculeStrategy::Paired || random.chance(50),
                }
            })
            .collect();
        let found = assign(&umis, strategy, edits, None).unwrap();
        assert_eq!(found, plain(&umis, strategy, edits), "{strategy:?} {edits} {umis:?}");
    }
}

fn umis(texts: &[&str]) -> Vec<TemplateUmi> {
    let umi = |text: &&str| TemplateUmi { text: text.as_bytes().to_vec(), is_forward: true };
    texts.iter().map(umi).collect()
}

#[test]
fn umis_that_cannot_be_compared_are_molecules_of_their_own() {
    let numbers = |texts: &[&str], strategy| {
        let found = assign(&umis(texts), strategy, 1, None).unwrap();
        found
            .into_iter()
            .map(|(number, strand)| (number, strand != MoleculeStrand::Any))
            .collect::<Vec<_>>()
    };
    let single =
        |numbers: &[u64]| numbers.iter().map(|number| (*number, false)).collect::<Vec<_>>();
    for strategy in [MoleculeStrategy::Edit, MoleculeStrategy::Adjacency] {
        assert_eq!(
            numbers(&["ACGT", "AXGT", "ACGA", "AXGT", "A"][..4], strategy),
            single(&[0, 1, 0, 1])
        );
    }
    let paired = numbers(&["AC-GT", "AX-GT", "AC-GA", "AX-GT"], MoleculeStrategy::Paired);
    assert_eq!(paired, [(0, true), (1, false), (0, true), (1, false)]);
}

#[test]
fn lengths_and_halves_are_checked() {
    let fault = |texts: &[&str], strategy| assign(&umis(texts), strategy, 1, None).unwrap_err();
    let unequal = AssignFault::Unequal(UnequalLengths(3, 4));
    assert_eq!(fault(&["ACG", "ACGT"], MoleculeStrategy::Edit), unequal);
    assert_eq!(fault(&["ACG", "ACGT"], MoleculeStrategy::Adjacency), unequal);
    let paired = |texts: &[&str]| fault(texts, MoleculeStrategy::Paired);
    assert_eq!(paired(&["AC-GT", "ACGT"]), AssignFault::NotPaired(1));
    assert_eq!(paired(&["A-C-G"]), AssignFault::NotPaired(0));
    assert_eq!(paired(&["AC-GT", "AC-G"]), unequal);
    let cut = assign(&umis(&["ACG", "ACGT", "AC-GA"]), MoleculeStrategy::Adjacency, 1, Some(3));
    assert_eq!(cut.unwrap(), vec![(0, MoleculeStrand::Any); 3]);
    // Those that begin alike are cut to the shortest of them.
    let split = ["ACG", "ACGT", "TTTA", "TTTAC", "TTTC"];
    let found = assign(&umis(&split), MoleculeStrategy::Identity, 0, Some(3)).unwrap();
    let numbers: Vec<u64> = found.into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, [0, 0, 1, 1, 2]);
}

#[test]
fn the_order_is_read_from_the_header() {
    let is_sorted =
        |text: &[u8]| is_template_coordinate(&biofast_bam::Header::from_text(text).unwrap());
    assert!(is_sorted(b"@HD\tVN:1.6\tSO:unsorted\tGO:query\tSS:unsorted:template-coordinate\n"));
    assert!(is_sorted(b"@HD\tVN:1.6\tSS:template-coordinate\n"));
    assert!(!is_sorted(b"@HD\tVN:1.6\tSO:coordinate\n@CO\tSS:template-coordinate\n"));
    assert!(!is_sorted(b""));
}

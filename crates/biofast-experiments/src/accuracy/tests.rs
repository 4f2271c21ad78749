//! The truth is the truth, and biofast is close to it.

use biofast_fastq::{Record, Unit};
use biofast_ops::filter::trim::{AdapterCutter, AdapterSettings, AdapterSide, KITS};
use biofast_ops::filter::{Filter, FilterRoutes};

use super::simulate::SimulatedRead;
use super::*;
use crate::datasets::genome::complement;

const DRAWN: u64 = 400;

fn draw(library: &Library) -> Vec<Template> {
    let genome = Genome::with_len(300_000);
    let simulator = Simulator::new(library, &genome, 1);
    (0..DRAWN).map(|number| simulator.template(number)).collect()
}

fn library(name: &str) -> &'static Library {
    LIBRARIES.iter().find(|library| library.name == name).expect("a library")
}

/// Scores texts of first and second reads, or of merged ones.
fn scored(templates: &[Template], task: Task, texts: [Vec<u8>; 2]) -> Measured {
    let dir = tempfile::tempdir().expect("a folder");
    let names = if task == Task::Merge { ["merged.fq", ""] } else { ["out1.fq", "out2.fq"] };
    for (name, text) in names.into_iter().zip(texts).filter(|(name, _)| !name.is_empty()) {
        files::write(&dir.path().join(name), text).expect("writes");
    }
    score(templates, task, dir.path()).expect("scores")
}

fn record(number: usize, sequence: &[u8], out: &mut Vec<u8>) {
    let sequence = String::from_utf8_lossy(sequence);
    out.extend(format!("@r{number}\n{sequence}\n+\n{}\n", "I".repeat(sequence.len())).bytes());
}

#[test]
fn reads_are_of_their_fragment_up_to_its_end_and_then_of_the_adapter() {
    for library in &LIBRARIES {
        let (mut inside, mut behind) = ([0; 2], [0; 2]);
        for template in draw(library) {
            let mut strand = template.fragment.clone();
            for (read, adapter) in template.reads.iter().zip(simulate::adapters(library.kit)) {
                if library.indels == 0 && library.dark == 0 {
                    let len = read.sequence.len();
                    assert_eq!(read.inside, len.min(template.fragment.len()), "{}", library.name);
                }
                let (of_fragment, rest) = read.sequence.split_at(read.inside);
                let count = |found: &[u8], known: &[u8], [all, same]: &mut [usize; 2]| {
                    *all += found.len().min(known.len());
                    *same += found.iter().zip(known).filter(|(a, b)| a == b).count();
                };
                count(of_fragment, &strand, &mut inside);
                if read.inside == template.fragment.len() {
                    count(rest, adapter, &mut behind);
                }
                strand = strand.iter().rev().map(|&base| complement(base)).collect();
            }
        }
        // After an insertion or deletion all is one base off, and what is dark is no adapter.
        let least = if library.indels > 0 { 0.8 } else { 0.9 };
        for [all, same] in [inside, behind] {
            assert!(same as f64 >= least * all as f64, "{}: {same} of {all}", library.name);
        }
    }
}

#[test]
fn the_truth_has_no_error_and_one_base_more_or_less_is_one() {
    let templates = draw(library("pe_wgs_150bp_2x150"));
    let trimmed = |change: isize| {
        let mut texts = [vec![], vec![]];
        for (number, template) in templates.iter().enumerate() {
            for (read, text) in template.reads.iter().zip(&mut texts) {
                let len = read.inside.saturating_add_signed(change).min(read.sequence.len());
                record(number, &read.sequence[..len], text);
            }
        }
        match scored(&templates, Task::TrimPairs, texts) {
            Measured::Trimming(score) => (score.rmse(), score.exact, score.cut, score.left),
            Measured::Merging(_) => panic!("it was trimmed"),
        }
    };
    assert_eq!(trimmed(0), (0.0, 2 * DRAWN, 0, 0));
    assert_eq!(trimmed(-1), (1.0, 0, 2 * DRAWN, 0));
    let (rmse, exact, cut, left) = trimmed(1);
    assert!(rmse < 1.0 && cut == 0 && left + exact == 2 * DRAWN && exact > 0 && left > 0);

    let mut text = vec![];
    for (number, template) in templates.iter().enumerate() {
        record(number, &template.fragment, &mut text);
    }
    let Measured::Merging(score) = scored(&templates, Task::Merge, [text, vec![]]) else {
        panic!("it was merged");
    };
    assert_eq!((score.merged, score.others), (score.pairs, DRAWN - score.pairs));
    assert_eq!((score.wrong_len, score.wrong_bases), (0, 0));
}

#[test]
fn biofast_stays_below_its_errors() {
    // As with `--trim-overlap` and the adapters of the kit, with the least overlap that the command line then has.
    for (name, most) in MOST {
        let library = library(name);
        let templates = draw(library);
        let kit = KITS.iter().find(|kit| kit.name == library.kit).expect("a kit");
        let mut cutter = AdapterCutter::new();
        let settings = AdapterSettings { min_overlap: 16, ..AdapterSettings::default() };
        for (mate, adapter) in kit.adapters.iter().enumerate() {
            cutter.add(mate, AdapterSide::Back, adapter, &settings).expect("an adapter");
        }
        let routes = FilterRoutes { first: 0, second: 1, ..FilterRoutes::default() };
        let filter = Filter::new().trim(cutter.overlap()).trim(cutter).routes(routes);
        let (mut worker, mut texts) = (filter.worker(), [vec![], vec![]]);
        for (number, template) in templates.iter().enumerate() {
            let name = format!("r{number}");
            let read = |mate: usize| {
                let SimulatedRead { sequence, qualities, .. } = &template.reads[mate];
                Record::new(name.as_bytes(), sequence, qualities)
            };
            let unit = Unit { index: number as u64, first: read(0), second: Some(read(1)) };
            worker.apply(unit, &mut texts);
        }
        let Measured::Trimming(score) = scored(&templates, Task::TrimPairs, texts) else {
            panic!("it was trimmed");
        };
        assert!(score.rmse() <= most, "{name}: {}", score.rmse());
    }
}

/// The errors that are known.
const MOST: [(&str, f64); 3] =
    [("pe_wgs_150bp_2x150", 0.05), ("pe_wgs_poor_250bp_2x150", 0.1), ("pe_exome_140bp_2x76", 0.05)];

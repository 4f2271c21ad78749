//! The records of several inputs that belong together, out of the groups in which the pipeline reads them.

use std::ops::ControlFlow;

use biofast_io::pipeline::{Ending, Group, Part};
use biofast_io::{Location, MateNaming};

use crate::checks::Readable;
use crate::error::{Error, ErrorKind};
use crate::framer::Framer;
use crate::inputs::Unit;
use crate::outcome::UnitOutcome;
use crate::pair::{is_same_template, pair_fault};
use crate::record::{Record, Records};

/// What is read together.
pub(crate) struct Together {
    pub(crate) shape: Shape,
    pub(crate) rule: MateNaming,
    /// Of the inputs.
    pub(crate) names: Vec<String>,
}

#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Single,
    Interleaved,
    /// A record of every input.
    InStep,
}

/// The location of a record, counted from 1.
fn at(name: &str, record: u64) -> Location {
    Location { name: Some(name.into()), record: Some(record), ..Location::default() }
}

impl Together {
    /// An error unless all inputs ended together.
    pub(crate) fn check_even<S: Readable>(&self, ending: Ending<Framer<S>>) -> Result<(), Error> {
        match ending {
            Ending::Even => Ok(()),
            Ending::Uneven { ended, input, left } => {
                let batch = left.frame().batch(left.chunk());
                let index = left.records().start;
                let kind = ErrorKind::MateMissing {
                    name: batch.get(index).name().to_vec(),
                    missing_in: self.names[ended].clone(),
                };
                let record = batch.first_record() + index as u64 + 1;
                Err(Error::new(kind, at(&self.names[input], record)))
            }
        }
    }

    /// Calls `each` for the units of a group, up to the first pair that isn't one.
    pub(crate) fn units<R: UnitOutcome, S: Readable>(
        &self,
        group: &Group<Framer<S>>,
        mut each: impl FnMut(Unit<'_>) -> R,
    ) -> Result<ControlFlow<()>, R::Error> {
        let Together { shape, rule, names } = self;
        let start = group.first_record();
        match shape {
            Shape::Single => {
                let mut index = start;
                // A loop in a loop is faster than one iterator over all parts.
                for part in group.input(0) {
                    for first in records_of(part) {
                        let outcome = each(Unit { index, first, second: None });
                        if outcome.into_flow(|_| at(&names[0], index + 1))?.is_break() {
                            return Ok(ControlFlow::Break(()));
                        }
                        index += 1;
                    }
                }
            }
            Shape::Interleaved => {
                let mut reads = records(group.input(0));
                let mut record = start;
                while let (Some(first), Some(second)) = (reads.next(), reads.next()) {
                    if let Some((kind, mate)) = pair_fault(&first, &second, *rule) {
                        let at = at(&names[0], record + mate as u64 + 1);
                        return Err(Error::new(kind, at).into());
                    }
                    let outcome = each(Unit { index: record / 2, first, second: Some(second) });
                    let at = |mate: usize| at(&names[0], record + mate as u64 + 1);
                    if outcome.into_flow(at)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                    record += 2;
                }
            }
            Shape::InStep => {
                let pairs = records(group.input(0)).zip(records(group.input(1)));
                for (index, (first, second)) in (start..).zip(pairs) {
                    if let Some((kind, mate)) = pair_fault(&first, &second, *rule) {
                        return Err(Error::new(kind, at(&names[mate], index + 1)).into());
                    }
                    let outcome = each(Unit { index, first, second: Some(second) });
                    if outcome.into_flow(|mate| self.at(mate, index))?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Calls `each` for the records of every number in a group, up to the first that don't belong together.
    pub(crate) fn in_step<R: UnitOutcome, S: Readable>(
        &self,
        group: &Group<Framer<S>>,
        mut each: impl FnMut(u64, &[Record<'_>]) -> R,
    ) -> Result<ControlFlow<()>, R::Error> {
        let names = &self.names;
        let mut inputs: Vec<_> =
            (0..names.len()).map(|input| records(group.input(input))).collect();
        let mut all: Vec<Record<'_>> = Vec::with_capacity(names.len());
        for number in group.first_record().. {
            all.clear();
            // A group has as many records of each.
            all.extend(inputs.iter_mut().filter_map(Iterator::next));
            let [first, others @ ..] = &all[..] else { break };
            if all.len() < names.len() {
                break;
            }
            for (other, name) in others.iter().zip(&names[1..]) {
                if !is_same_template(first.name(), other.name(), self.rule) {
                    let [first, second] = [first, other].map(|record| record.name().to_vec());
                    let kind = ErrorKind::MateNamesDiffer { first, second };
                    return Err(Error::new(kind, at(name, number + 1)).into());
                }
            }
            let outcome = each(number, &all);
            if outcome.into_flow(|input| self.at(input, number))?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Where the record of a number is in an input.
    fn at(&self, input: usize, number: u64) -> Location {
        at(self.names.get(input).unwrap_or(&self.names[0]), number + 1)
    }
}

fn records<S: Readable>(parts: &[Part<Framer<S>>]) -> impl Iterator<Item = Record<'_>> {
    parts.iter().flat_map(records_of)
}

fn records_of<S: Readable>(part: &Part<Framer<S>>) -> Records<'_> {
    part.frame().batch(part.chunk()).slice(part.records()).iter()
}

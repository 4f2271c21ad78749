//! Results that workers finish in any order, taken by one sink in the order of the data.
//!
//! Nobody waits for the sink: a worker leaves its result, and whoever leaves the one that is next
//! carries every result that has become ready to the sink. Only a worker far ahead of the
//! slowest one waits, which bounds the memory.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Results on their way to `sink`.
pub(crate) struct Ordered<T, S> {
    state: Mutex<OrderedState<T, S>>,
    moved: Condvar,
    /// Results that may wait for an earlier one.
    limit: usize,
}

struct OrderedState<T, S> {
    /// The item whose result the sink takes next.
    next: u64,
    ready: BTreeMap<u64, T>,
    /// Away while a worker carries results to it.
    sink: Option<S>,
    /// Results the sink is done with, to be used again.
    spare: Vec<T>,
    /// The last item whose result the sink may get.
    last: u64,
    stopped: bool,
}

impl<T, S> OrderedState<T, S> {
    /// Whether the sink gets nothing any more, or not the result of this item.
    fn has_ended(&self, number: u64) -> bool {
        self.stopped || number > self.last
    }
}

impl<T: Default, S: FnMut(&mut T) -> ControlFlow<()>> Ordered<T, S> {
    pub(crate) fn new(workers: usize, sink: S) -> Self {
        let state = OrderedState {
            next: 0,
            ready: BTreeMap::new(),
            sink: Some(sink),
            spare: Vec::new(),
            last: u64::MAX,
            stopped: false,
        };
        Ordered { state: Mutex::new(state), moved: Condvar::new(), limit: 4 * workers }
    }

    fn lock(&self) -> MutexGuard<'_, OrderedState<T, S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A result to fill: a used one where there is one.
    pub(crate) fn blank(&self) -> T {
        self.lock().spare.pop().unwrap_or_default()
    }

    /// Leaves the result of an item. `Break`: the sink wants no more.
    pub(crate) fn deliver(&self, number: u64, result: T) -> ControlFlow<()> {
        let mut state = self.lock();
        state.ready.insert(number, result);
        while !state.stopped && state.next <= state.last {
            let next = state.next;
            let Some(mut result) = state.ready.remove(&next) else { break };
            let Some(mut sink) = state.sink.take() else {
                // Another worker is at it and will find this one.
                state.ready.insert(next, result);
                break;
            };
            drop(state);
            // If the sink panics, it is never put back, and the worker's end stops the others.
            let flow = sink(&mut result);
            state = self.lock();
            state.sink = Some(sink);
            state.spare.push(result);
            state.next += 1;
            state.stopped |= flow.is_break();
            self.moved.notify_all();
        }
        while !state.has_ended(number) && state.ready.len() > self.limit && number > state.next {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.has_ended(number) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Keeps from the sink what comes after this item.
    pub(crate) fn end_after(&self, number: u64) {
        let mut state = self.lock();
        state.last = state.last.min(number);
        self.moved.notify_all();
    }

    /// Lets nobody wait any more: a worker has ended without leaving its result.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_reach_the_sink_in_order_whoever_is_first() {
        let mut seen = Vec::new();
        let ordered = Ordered::new(4, |n: &mut u64| {
            seen.push(*n);
            ControlFlow::Continue(())
        });
        let next = Mutex::new(0u64);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    loop {
                        let number = {
                            let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
                            *next += 1;
                            *next - 1
                        };
                        if number >= 1000 {
                            break;
                        }
                        if number % 7 == 0 {
                            std::thread::yield_now();
                        }
                        assert!(ordered.deliver(number, number).is_continue());
                    }
                });
            }
        });
        drop(ordered);
        assert_eq!(seen, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn a_sink_that_has_enough_stops_the_workers() {
        let ordered = Ordered::new(1, |n: &mut u64| match *n {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        let flows: Vec<bool> = (0..4).map(|n| ordered.deliver(n, n).is_break()).collect();
        assert_eq!(flows, [false, false, true, true]);
    }
}

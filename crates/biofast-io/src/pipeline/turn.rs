//! Turns: workers hold items 0, 1, 2, … in any order of progress; the state of the framing
//! passes through them strictly in that order.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Looks at the turn before going to sleep.
const SPINS: u32 = 500;

/// Hands a state from item to item. At most `slots` items may be in flight.
pub(crate) struct Turns<S> {
    slots: Vec<TurnSlot<S>>,
    /// The item whose turn it is, for a short wait without a system call.
    current: AtomicU64,
}

struct TurnSlot<S> {
    place: Mutex<TokenState<S>>,
    arrived: Condvar,
}

/// Where an item's token will be.
enum TokenState<S> {
    Empty,
    /// Someone sleeps until it is here.
    Awaited,
    Here(Token<S>),
    /// The item was given up: nobody will take it.
    Abandoned,
}

/// What an item gets when its turn comes.
pub(crate) enum Token<S> {
    /// Go on from this state.
    Go(S),
    /// Framing ended before this item: by a fault, or by the end of the data.
    Stop,
}

/// The right to a turn. Dropped without [`pass`](Ticket::pass) (a panic), it stops the others
/// instead of leaving them waiting.
pub(crate) struct Ticket<'a, S> {
    turns: &'a Turns<S>,
    number: u64,
    /// Whether the token was taken.
    taken: bool,
    passed: bool,
}

impl<S> Turns<S> {
    pub(crate) fn new(slots: usize, first: S) -> Self {
        let slots: Vec<TurnSlot<S>> = (0..slots + 1)
            .map(|_| TurnSlot { place: Mutex::new(TokenState::Empty), arrived: Condvar::new() })
            .collect();
        let turns = Turns { slots, current: AtomicU64::new(0) };
        turns.give(0, Token::Go(first));
        turns
    }

    pub(crate) fn ticket(&self, number: u64) -> Ticket<'_, S> {
        Ticket { turns: self, number, taken: false, passed: false }
    }

    fn slot(&self, number: u64) -> &TurnSlot<S> {
        &self.slots[(number % self.slots.len() as u64) as usize]
    }

    fn give(&self, mut number: u64, mut token: Token<S>) {
        loop {
            let slot = self.slot(number);
            let mut place = slot.place.lock().unwrap_or_else(PoisonError::into_inner);
            if !matches!(*place, TokenState::Abandoned) {
                let awaited = matches!(*place, TokenState::Awaited);
                *place = TokenState::Here(token);
                drop(place);
                // A later turn may have started already.
                self.current.fetch_max(number, Ordering::Release);
                // A system call even if nobody sleeps.
                if awaited {
                    slot.arrived.notify_one();
                }
                return;
            }
            *place = TokenState::Empty;
            token = Token::Stop;
            number += 1;
        }
    }

    fn take(&self, number: u64) -> Token<S> {
        // The wait is usually shorter than going to sleep and waking up.
        for _ in 0..SPINS {
            if self.current.load(Ordering::Acquire) == number {
                break;
            }
            std::hint::spin_loop();
        }
        let slot = self.slot(number);
        let mut place = slot.place.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let TokenState::Here(token) = std::mem::replace(&mut *place, TokenState::Awaited) {
                *place = TokenState::Empty;
                return token;
            }
            place = slot.arrived.wait(place).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Stops the others at this number, now or when its turn comes.
    fn abandon(&self, number: u64) {
        let mut place = self.slot(number).place.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *place, TokenState::Abandoned) {
            TokenState::Here(_) => {
                *place = TokenState::Empty;
                drop(place);
                self.give(number + 1, Token::Stop);
            }
            TokenState::Empty | TokenState::Awaited | TokenState::Abandoned => {}
        }
    }
}

impl<S> Ticket<'_, S> {
    /// The item it is for.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the turn of this item has come.
    pub(crate) fn has_come(&self) -> bool {
        self.turns.current.load(Ordering::Acquire) == self.number
    }

    /// Waits for the turn of this item.
    pub(crate) fn wait(&mut self) -> Token<S> {
        let token = self.turns.take(self.number);
        self.taken = true;
        token
    }

    /// Ends this turn and starts the next one.
    pub(crate) fn pass(mut self, token: Token<S>) {
        self.passed = true;
        self.turns.give(self.number + 1, token);
    }
}

impl<S> Drop for Ticket<'_, S> {
    fn drop(&mut self) {
        if self.passed {
            return;
        }
        if self.taken {
            self.turns.give(self.number + 1, Token::Stop);
        } else {
            self.turns.abandon(self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_given_up_in_any_order_hold_up_nobody_and_stop_what_follows() {
        let orders = [[1, 2, 3], [3, 2, 1], [2, 3, 1], [2, 1, 3]];
        for order in orders {
            let turns = Turns::new(4, "state");
            let mut first = turns.ticket(0);
            let mut tickets: Vec<_> = (1..4).map(|number| Some(turns.ticket(number))).collect();
            let mut last = turns.ticket(4);
            for number in &order[..2] {
                tickets[number - 1] = None;
            }
            let Token::Go(state) = first.wait() else { panic!("stopped at once") };
            first.pass(Token::Go(state));
            assert!(!last.has_come(), "{order:?}: an item before it is left");
            tickets.clear();
            assert!(matches!(last.wait(), Token::Stop), "{order:?}");
        }
    }
}

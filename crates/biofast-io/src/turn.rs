//! Turns: workers hold pieces 0, 1, 2, … in any order of progress; the state of the framing
//! passes through them strictly in that order.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Hands a state from piece to piece. At most `slots` pieces may be in flight.
pub(crate) struct Turns<S> {
    slots: Vec<Slot<S>>,
    /// The piece whose turn it is, for a short wait without a system call.
    current: AtomicU64,
}

struct Slot<S> {
    token: Mutex<Option<Token<S>>>,
    arrived: Condvar,
}

/// What a piece gets when its turn comes.
pub(crate) enum Token<S> {
    /// Go on from this state.
    Go(S),
    /// Framing ended before this piece: by a fault, or by the end of the data.
    Stop,
}

/// The right to a turn. Dropped without [`pass`](Ticket::pass) (a panic), it stops the others
/// instead of leaving them waiting.
pub(crate) struct Ticket<'a, S> {
    turns: &'a Turns<S>,
    piece: u64,
    waited: bool,
    passed: bool,
}

impl<S> Turns<S> {
    pub(crate) fn new(slots: usize, first: S) -> Self {
        let slots: Vec<Slot<S>> = (0..slots + 1)
            .map(|_| Slot { token: Mutex::new(None), arrived: Condvar::new() })
            .collect();
        let turns = Turns { slots, current: AtomicU64::new(0) };
        turns.give(0, Token::Go(first));
        turns
    }

    pub(crate) fn ticket(&self, piece: u64) -> Ticket<'_, S> {
        Ticket { turns: self, piece, waited: false, passed: false }
    }

    fn slot(&self, piece: u64) -> &Slot<S> {
        &self.slots[(piece % self.slots.len() as u64) as usize]
    }

    fn give(&self, piece: u64, token: Token<S>) {
        let slot = self.slot(piece);
        *slot.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(token);
        self.current.store(piece, Ordering::Release);
        slot.arrived.notify_one();
    }

    fn take(&self, piece: u64) -> Token<S> {
        // The wait is usually shorter than going to sleep and waking up.
        for _ in 0..500 {
            if self.current.load(Ordering::Acquire) == piece {
                break;
            }
            std::hint::spin_loop();
        }
        let slot = self.slot(piece);
        let mut token = slot.token.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(token) = token.take() {
                return token;
            }
            token = slot.arrived.wait(token).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<S> Ticket<'_, S> {
    /// Waits for the turn of this piece.
    pub(crate) fn wait(&mut self) -> Token<S> {
        self.waited = true;
        self.turns.take(self.piece)
    }

    /// Ends this turn and starts the next one.
    pub(crate) fn pass(mut self, token: Token<S>) {
        self.passed = true;
        self.turns.give(self.piece + 1, token);
    }
}

impl<S> Drop for Ticket<'_, S> {
    fn drop(&mut self) {
        if self.passed {
            return;
        }
        if !self.waited {
            self.wait();
        }
        self.turns.give(self.piece + 1, Token::Stop);
    }
}

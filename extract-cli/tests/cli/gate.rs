//! Holding back the replies of a server.

use std::sync::{Condvar, Mutex};

/// Holds the replies of a server back until it is opened.
#[derive(Default)]
pub(crate) struct Gate {
    /// How many wait, and whether it is open.
    state: Mutex<(u32, bool)>,
    changed: Condvar,
}

impl Gate {
    pub(crate) fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.1).unwrap());
    }

    /// Waits until somebody waits.
    pub(crate) fn is_met(&self) {
        drop(self.changed.wait_while(self.state.lock().unwrap(), |state| state.0 == 0).unwrap());
    }

    pub(crate) fn open(&self) {
        self.state.lock().unwrap().1 = true;
        self.changed.notify_all();
    }
}

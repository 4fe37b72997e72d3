//! Devices that tests have one after another: what one has compiled serves the next.

use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use gpu::{AdapterEntry, Gpu};

use crate::adapters::open;

/// The devices that no test uses, by adapter.
static FREE: Mutex<Vec<(usize, Gpu)>> = Mutex::new(Vec::new());

/// A device that nobody else has meanwhile.
pub struct Lent {
    index: usize,
    gpu: Gpu,
}

impl Lent {
    /// A free device of the adapter, or a new one.
    pub fn of(entry: &AdapterEntry) -> Self {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let place = free.iter().position(|(index, _)| *index == entry.index);
        let found = place.map(|place| free.remove(place).1);
        drop(free);
        Lent { index: entry.index, gpu: found.unwrap_or_else(|| open(entry)) }
    }
}

impl Deref for Lent {
    type Target = Gpu;
    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

impl Drop for Lent {
    /// Back it goes, unless a test has lost it, or failed. A fault that no test has asked for fails it.
    fn drop(&mut self) {
        if std::thread::panicking() || self.gpu.lost() {
            return;
        }
        self.gpu.check_now().unwrap_or_else(|why| panic!("after the test: {why}"));
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push((self.index, self.gpu.clone()));
    }
}

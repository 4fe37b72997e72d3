//! What was set before, to be undone and redone.

use std::collections::VecDeque;

use flock::Parameters;

use config::View;

/// What an undo brings back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    pub preset: Option<usize>,
    /// How the preset or the file is first shown.
    pub view: View,
    /// What a reset goes back to.
    pub base: Parameters,
    pub parameters: Parameters,
}

/// The newest entries before and after the present one.
#[derive(Debug)]
pub struct Undo {
    past: VecDeque<Entry>,
    present: Entry,
    future: Vec<Entry>,
}

impl Undo {
    /// How many entries are kept.
    pub const LENGTH: usize = 100;

    /// A history that begins here.
    pub fn new(present: Entry) -> Self {
        Undo { past: VecDeque::new(), present, future: Vec::new() }
    }

    /// Takes up what is set now, where it is new. What was undone can then no longer be redone.
    pub fn keep(&mut self, present: Entry) {
        if present == self.present {
            return;
        }
        if self.past.len() == Self::LENGTH {
            self.past.pop_front();
        }
        self.past.push_back(std::mem::replace(&mut self.present, present));
        self.future.clear();
    }

    /// Forgets the newest entry, where `present` is what was set before it.
    pub fn retract(&mut self, present: Entry) {
        if self.past.back() == Some(&present) {
            self.past.pop_back();
            self.present = present;
        }
    }

    /// What was set before.
    pub fn back(&mut self) -> Option<Entry> {
        let before = self.past.pop_back()?;
        self.future.push(std::mem::replace(&mut self.present, before));
        Some(before)
    }

    /// What was undone last.
    pub fn forth(&mut self) -> Option<Entry> {
        let after = self.future.pop()?;
        self.past.push_back(std::mem::replace(&mut self.present, after));
        Some(after)
    }

    /// Whether there is something to undo, and to redo.
    pub fn ways(&self) -> [bool; 2] {
        [!self.past.is_empty(), !self.future.is_empty()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(seed: u32) -> Entry {
        let mut parameters = Parameters::default();
        parameters.flock.seed = seed;
        Entry { preset: None, view: View::default(), base: Parameters::default(), parameters }
    }

    #[test]
    fn what_was_set_comes_back_and_goes_again() {
        let mut undo = Undo::new(entry(0));
        assert_eq!((undo.back(), undo.forth()), (None, None));
        for seed in [1, 1, 2] {
            undo.keep(entry(seed));
        }
        assert_eq!((undo.back(), undo.back(), undo.back()), (Some(entry(1)), Some(entry(0)), None));
        assert_eq!((undo.forth(), undo.ways()), (Some(entry(1)), [true, true]));
        undo.keep(entry(3));
        assert_eq!((undo.forth(), undo.back()), (None, Some(entry(1))));
    }

    #[test]
    fn the_oldest_entries_are_forgotten_and_refused_ones_too() {
        let mut undo = Undo::new(entry(0));
        (1..=Undo::LENGTH as u32 + 10).for_each(|seed| undo.keep(entry(seed)));
        undo.retract(entry(Undo::LENGTH as u32 + 9));
        let mut oldest = None;
        while let Some(entry) = undo.back() {
            oldest = Some(entry);
        }
        assert_eq!(oldest, Some(entry(10)));
    }
}

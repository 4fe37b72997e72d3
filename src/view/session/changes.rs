//! Undo and redo: each change of the parameters is an entry, and so is the choice of another flock.

use super::Session;
use crate::view::undo::Entry;

impl Session {
    fn entry(&self) -> Entry {
        Entry { preset: self.preset, view: self.view, base: self.base, parameters: self.parameters }
    }

    /// Takes up what is set as an entry of the history. The panel calls this once nothing is held, so that a drag is one.
    pub fn remember(&mut self) {
        self.undo.keep(self.entry());
    }

    /// Forgets the newest entry, where what is set now was set before it.
    pub(in crate::view) fn retract(&mut self) {
        self.undo.retract(self.entry());
    }

    /// Brings back what was set before.
    pub fn undo(&mut self) {
        self.remember();
        if let Some(entry) = self.undo.back() {
            self.bring_back(entry);
        }
    }

    /// Takes the last undo back.
    pub fn redo(&mut self) {
        self.remember();
        if let Some(entry) = self.undo.forth() {
            self.bring_back(entry);
        }
    }

    /// Whether there is something to undo, and to redo.
    #[must_use]
    pub fn undo_ways(&self) -> [bool; 2] {
        self.undo.ways()
    }

    fn bring_back(&mut self, entry: Entry) {
        let other = self.preset != entry.preset;
        let Entry { preset, view, base, parameters } = entry;
        (self.preset, self.view, self.base, self.parameters) = (preset, view, base, parameters);
        if other {
            self.files.open = None;
            self.look.scenery = view.look;
            self.begin();
        }
        // A change within one flock goes to the engine with the next commit.
        self.stale = true;
    }
}

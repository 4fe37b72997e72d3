//! Looking around: the sums over the boids in the cells around one.

use super::Engine;
use super::packed::{self, Radii};
use crate::memory::read_half;
use flock::fixed::Tally;
use flock::parameters::Falloff;
use flock::perceive::Sums;
use flock::{Fixed, Vec3};

/// The most runs of cells around a cell: three in each of nine rows.
const RUNS: usize = 27;

/// Slots that a boid has to look at, for all boids of a cell alike.
#[derive(Debug)]
pub struct Candidates {
    /// The cell that they belong to.
    pub cell: Option<usize>,
    /// First slot, and the one after the last.
    runs: [[u32; 2]; RUNS],
    count: usize,
    /// How many slots there are.
    pub slots: u32,
}

impl Candidates {
    /// Of no cell yet.
    pub fn new() -> Self {
        Candidates { cell: None, runs: [[0; 2]; RUNS], count: 0, slots: 0 }
    }

    fn runs(&self) -> &[[u32; 2]] {
        &self.runs[..self.count]
    }

    fn push(&mut self, first: usize, end: usize) {
        if let Some(run) = self.runs.get_mut(self.count).filter(|_| first < end) {
            *run = [first as u32, end as u32];
            self.count += 1;
            self.slots += (end - first) as u32;
        }
    }
}

/// How the boids of a step look around.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// Nobody needs to.
    Blind,
    /// At packed words.
    Packed(Radii),
    /// As the rule says, word by word.
    Exactly,
    /// The same at all boids, where cells do not tell who may be near.
    AtAll,
}

impl Engine<'_> {
    /// The fastest way that gives the rule's bits.
    pub(super) fn way(&self, strayed: bool) -> Way {
        let rule = &self.rule;
        if rule.reach_square.0 <= 0 {
            Way::Blind
        } else if strayed && self.cells.wraps() {
            Way::AtAll
        } else if !strayed && self.packs() {
            Way::Packed(Radii::new(rule))
        } else {
            Way::Exactly
        }
    }

    /// Whether packed words tell all that the rule wants to know.
    pub(super) fn packs(&self) -> bool {
        let (rule, format) = (&self.rule, &self.rule.format);
        // As many boids too near as there are must not overflow a word.
        let push = u64::from(rule.separation.radius_square.0.unsigned_abs().isqrt() + 2) << format.place;
        self.cells.narrow
            && !rule.detailed
            && rule.falloff == Falloff::None
            && !(format.exact_pull || format.exact_join)
            && push * (self.boids as u64) < i32::MAX as u64
    }

    /// Finds the candidates for the boids of a cell.
    #[inline(never)]
    pub(super) fn find_candidates(&self, candidates: &mut Candidates, way: Way, cell: usize, seen: usize) {
        (candidates.cell, candidates.count, candidates.slots) = (Some(cell), 0, 0);
        match way {
            Way::Blind => {}
            Way::AtAll => candidates.push(0, seen),
            Way::Packed(_) | Way::Exactly => {
                let begin = |cell: usize| read_half(self.arrays.starts, cell);
                self.cells.around(cell, |first, end| candidates.push(begin(first), begin(end)));
            }
        }
    }

    /// What the boid in a slot perceives.
    pub(super) fn look(&self, way: Way, candidates: &Candidates, slot: usize, id: usize) -> Sums<Fixed> {
        let rule = &self.rule;
        match (way, rule.detailed) {
            (Way::Blind, _) => Sums::new(),
            (Way::Packed(radii), _) if rule.flat => {
                self.look_at_packed::<true>(&radii, candidates, slot).sums(rule.format.place)
            }
            (Way::Packed(radii), _) => {
                self.look_at_packed::<false>(&radii, candidates, slot).sums(rule.format.place)
            }
            (Way::Exactly | Way::AtAll, true) => self.look_exactly::<true>(candidates, slot, id),
            (Way::Exactly | Way::AtAll, false) => self.look_exactly::<false>(candidates, slot, id),
        }
    }

    /// The same for [`Way::Packed`].
    pub(super) fn look_at_packed<const FLAT: bool>(
        &self,
        radii: &Radii,
        candidates: &Candidates,
        slot: usize,
    ) -> Tally {
        let seen = self.seen();
        #[cfg(target_arch = "arm")]
        if FLAT && self.assembly && radii.shared() {
            return super::kernel::look(self, radii, candidates.runs(), slot);
        }
        let mut tally = Tally::default();
        for [first, end] in candidates.runs() {
            let fine = |slot: usize| self.position::<FLAT>(read_half(self.arrays.order, slot));
            packed::add::<FLAT>(&mut tally, &seen, radii, slot, *first as usize, *end as usize, fine);
        }
        tally
    }

    fn look_exactly<const DETAILED: bool>(
        &self,
        candidates: &Candidates,
        slot: usize,
        id: usize,
    ) -> Sums<Fixed> {
        let (arrays, seen) = (&self.arrays, self.seen());
        let flat = self.rule.flat;
        let position = |id: usize| -> Vec3<Fixed> {
            let position = if flat { self.position::<true>(id) } else { self.position::<false>(id) };
            position.map(Fixed).into()
        };
        let me = self.senses.observer(position(id), self.boid(id).velocity.into(), DETAILED);
        let mut sums = Sums::new();
        for [first, end] in candidates.runs() {
            for other in *first as usize..*end as usize {
                if other == slot {
                    continue;
                }
                let other_id = read_half(arrays.order, other);
                let velocity = || {
                    if self.rule.format.exact_join {
                        return self.boid(other_id).velocity.into();
                    }
                    // The velocity itself may be the next step's already; the coarse one was kept.
                    let pace = if flat { seen.pace::<true>(other) } else { seen.pace::<false>(other) };
                    pace.map(|c| Fixed(c.0 << self.rule.format.pace))
                };
                let at = position(other_id);
                self.senses.add::<DETAILED>(&mut sums, &me, at, velocity, None);
            }
        }
        sums
    }
}

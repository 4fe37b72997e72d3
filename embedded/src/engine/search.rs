//! The sums over the neighbours of a boid.

use super::Engine;
use super::packed::{self, Radii};
use crate::memory::{read_half, vector};
use flock::fixed::FixedSums;
use flock::parameters::Falloff;
use flock::perceive::{AllRound, FieldOfView, NearestOnly, Observer, Policy, Sums};
use flock::rule::{Term, Terms};
use flock::{Fixed, Vec3};

/// The largest number of runs around a cell: three in each of nine rows.
const RUNS: usize = 27;

/// The candidate slots of the boids of a cell. A slot is an index in sorted order.
#[derive(Debug)]
pub struct Candidates {
    /// The cell of the last search; `None` before the first.
    pub cell: Option<usize>,
    /// First slot and end of each run; no run is empty.
    runs: [[u32; 2]; RUNS],
    count: usize,
    /// Number of slots.
    pub slots: u32,
}

impl Candidates {
    pub fn new() -> Self {
        Candidates { cell: None, runs: [[0; 2]; RUNS], count: 0, slots: 0 }
    }

    pub fn runs(&self) -> &[[u32; 2]] {
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

/// The neighbour search of a step.
#[derive(Clone, Copy, Debug)]
pub enum SearchMode {
    /// No search: the rule has no radius.
    Skip,
    /// Search by packed words.
    Packed(Radii),
    /// Search by the general rule, in the cells around.
    Exact,
    /// Search by the general rule, among all boids: a boid outside a world that wraps has no cell.
    AllPairs,
}

impl Engine<'_> {
    /// The fastest mode with the bits of the rule.
    pub(super) fn search_mode(&self, strayed: bool) -> SearchMode {
        let rule = &self.rule;
        if rule.reach_square.0 <= 0 {
            SearchMode::Skip
        } else if strayed && self.cells.wraps {
            SearchMode::AllPairs
        } else if !strayed && self.packs() {
            SearchMode::Packed(Radii::new(rule))
        } else {
            SearchMode::Exact
        }
    }

    /// True if packed words suffice for the rule.
    pub(super) fn packs(&self) -> bool {
        let (rule, format) = (&self.rule, &self.rule.format);
        // The separation from all boids at once must not overflow a word.
        let push =
            u64::from(rule.separation.radius_square.0.unsigned_abs().isqrt() + 2) << format.position_shift;
        self.cells.narrow
            && rule.terms.within(Terms::PAIRWISE)
            && !rule.needs_general_sums
            && rule.falloff == Falloff::None
            && !(format.exact_cohesion || format.exact_alignment)
            && push * (self.boids as u64) < i32::MAX as u64
    }

    /// Finds the candidates of a boid, unless they equal the previous boid's.
    #[inline(never)]
    pub(super) fn find_candidates(
        &self,
        candidates: &mut Candidates,
        mode: &SearchMode,
        id: usize,
        sorted: usize,
    ) {
        let cell = read_half(self.arrays.cells, id);
        if candidates.cell == Some(cell) {
            return;
        }
        (candidates.cell, candidates.count, candidates.slots) = (Some(cell), 0, 0);
        match mode {
            SearchMode::Skip => {}
            SearchMode::AllPairs => candidates.push(0, sorted),
            SearchMode::Packed(_) | SearchMode::Exact => {
                let begin = |cell: usize| read_half(self.arrays.starts, cell);
                self.cells.around(cell, |first, end| candidates.push(begin(first), begin(end)));
            }
        }
    }

    /// The sums of the boid in a slot by the general rule.
    #[inline(never)]
    pub(super) fn search(
        &self,
        mode: &SearchMode,
        candidates: &Candidates,
        slot: usize,
        id: usize,
    ) -> Sums<Fixed> {
        if matches!(mode, SearchMode::Skip) {
            Sums::new()
        } else if self.rule.terms.has(Term::Nearest) {
            self.search_exact::<NearestOnly>(candidates, slot, id)
        } else if self.rule.needs_general_sums {
            self.search_exact::<FieldOfView>(candidates, slot, id)
        } else {
            self.search_exact::<AllRound>(candidates, slot, id)
        }
    }

    /// The sums for [`SearchMode::Packed`] on a plane. Not inlined: keeps the assembly loop's arguments in registers.
    #[inline(never)]
    pub(super) fn sum_flat(&self, radii: &Radii, candidates: &Candidates, slot: usize) -> FixedSums {
        self.sum_packed::<true>(radii, candidates, slot)
    }

    /// The sums for [`SearchMode::Packed`].
    #[inline(always)]
    pub(super) fn sum_packed<const FLAT: bool>(
        &self,
        radii: &Radii,
        candidates: &Candidates,
        slot: usize,
    ) -> FixedSums {
        let position = |slot: usize| vector::<FLAT>(self.positions(), read_half(self.arrays.order, slot));
        packed::sums::<FLAT>(self.arrays.packed, radii, candidates.runs(), slot, position)
    }

    fn search_exact<P: Policy>(&self, candidates: &Candidates, slot: usize, id: usize) -> Sums<Fixed> {
        let mut me = self.senses.observer(self.place(id), self.boid(id).velocity.into(), P::FIELD_OF_VIEW);
        if P::NEAREST {
            me = self.rank::<P>(me, candidates, slot);
        }
        let mut sums = Sums::new();
        for [first, end] in candidates.runs() {
            for other in (*first as usize..*end as usize).filter(|other| *other != slot) {
                let other_id = read_half(self.arrays.order, other);
                let velocity = || {
                    if self.rule.format.exact_alignment {
                        return self.vector(self.arrays.velocities, other_id).map(Fixed).into();
                    }
                    // The other core may have updated the velocity already; the packed one is this step's.
                    let velocity = packed::velocity(self.vector(self.arrays.packed, other));
                    velocity.map(|c| Fixed(c << self.rule.format.velocity_shift)).into()
                };
                self.senses.add::<P>(&mut sums, &me, self.place(other_id), velocity, None);
            }
        }
        sums
    }

    /// A first walk over the candidates, for the distances of the nearest. Not inlined, so that its lists leave the
    /// stack afterwards.
    #[inline(never)]
    fn rank<P: Policy>(&self, me: Observer<Fixed>, candidates: &Candidates, slot: usize) -> Observer<Fixed> {
        let mut ranking = self.senses.ranking();
        for [first, end] in candidates.runs() {
            for other in (*first as usize..*end as usize).filter(|other| *other != slot) {
                let position = self.place(read_half(self.arrays.order, other));
                self.senses.rank::<P>(&mut ranking, &me, position, None);
            }
        }
        self.senses.nearest(me, &ranking)
    }

    /// A boid's position at this step.
    pub(super) fn place(&self, id: usize) -> Vec3<Fixed> {
        self.vector(self.positions(), id).map(Fixed).into()
    }
}

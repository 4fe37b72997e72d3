//! Custom terms, prepared by a computer: their place in memory, and the boids' requests from them.
//!
//! They occupy the end of the arena while there are any. The board's parameters only record that there are some, and
//! their largest radius: the rule requires no more.

use super::Engine;
use super::search::{Candidates, SearchMode};
use super::step::{Queue, Stopwatch};
use crate::cores::Cores;
use crate::memory::{self, put_vector, read_half};
use flock::formula::{
    Each, Evaluator, Formula, FormulaParameter, FormulaTerm, FormulaTerms, Perceiver, Prepared, Table,
    TermSet,
};
use flock::update::StepContext;
use flock::{Fixed, Parameters, Vec3};

/// Stands for the terms among the parameters. Its only parameter is the greatest radius of a sum.
static SENT: TermSet = {
    const NOTHING: Formula = Formula { text: "", nodes: &[], values: &[], result: [0; 3] };
    const REACH: Each = Each { name: "", formula: NOTHING, radius: 0, perceived: None, nearest: None };
    TermSet {
        terms: &[FormulaTerm { name: "sent", help: "", sums: &[REACH], request: NOTHING }],
        parameters: &[FormulaParameter {
            name: "reach",
            term: "sent",
            key: "reach",
            unit: "len",
            default: 0.0,
            range: [0.0, f64::MAX],
            side: 0,
        }],
        references: &[],
    }
};

/// Parameters with terms of this reach, in users' units.
pub fn with_terms(parameters: &Parameters, reach: f64) -> Parameters {
    let mut terms = FormulaTerms::new(&SENT);
    // An invalid length leaves the parameter's default, with which no boid perceives another.
    let _ = terms.set("reach", reach);
    Parameters { terms, ..*parameters }
}

/// Words of the arena that the terms take.
const ROOM: usize = memory::words_of::<Prepared<Fixed>>();

impl<'m> Engine<'m> {
    /// Words of the arena available to the flock.
    pub fn words(&self) -> usize {
        self.words_beside(self.terms.is_some())
    }

    /// Words of the arena available to a flock with or without room for terms.
    pub fn words_beside(&self, room: bool) -> usize {
        if room { self.arena.len().saturating_sub(ROOM) } else { self.arena.len() }
    }

    /// The terms, in use or not; `None` if there are none.
    pub fn terms(&self) -> Option<&Prepared<Fixed>> {
        self.terms.as_deref()
    }

    /// Reserves memory for terms, initially empty, or releases it. The caller checks that the flock leaves enough.
    #[inline(never)]
    pub fn make_room(&mut self, room: bool) -> Option<&mut Prepared<Fixed>> {
        if room != self.terms.is_some() {
            let place = memory::at_end::<Prepared<Fixed>>(self.arena).filter(|_| room);
            self.terms = place.map(|place| {
                // SAFETY: the place is aligned and large enough. Its words may be written through a shared reference,
                // as atomics may. From here on the flock's arrays end before them, and there are no other terms.
                unsafe {
                    place.write(Prepared::EMPTY);
                    &mut *place
                }
            });
            self.set_rule(self.rule);
        }
        self.terms.as_deref_mut()
    }

    /// Writes each sorted boid's request to the place of its next position, which is not read before. Returns the
    /// cycles of the slower core.
    #[inline(never)]
    pub(super) fn request_own<const FLAT: bool>(
        &self,
        cores: &impl Cores,
        context: &StepContext<'_, Fixed>,
        mode: &SearchMode,
        sorted: usize,
    ) -> u32 {
        let Some(prepared) = self.terms.as_deref() else { return 0 };
        let queue = Queue::new(sorted);
        cores.run(&|core| {
            let mut watch = Stopwatch::new(cores);
            let mut evaluator =
                Evaluator::<Fixed>::new(&self.rule, prepared, context.step, Table::evaluate::<Fixed>);
            let mut candidates = Candidates::new();
            loop {
                let slots = cores.exclusive(|| queue.take(core));
                if slots.is_empty() {
                    break;
                }
                for slot in slots {
                    let id = read_half(self.arrays.order, slot);
                    self.find_candidates(&mut candidates, mode, id, sorted);
                    let mut request = [Vec3::zero()];
                    let others = |_: usize, me: &mut Perceiver<'_, Fixed>| {
                        let slots = candidates.runs().iter().flat_map(|run| run[0] as usize..run[1] as usize);
                        for other in slots.filter(|other| *other != slot) {
                            let id = read_half(self.arrays.order, other);
                            me.offer(self.place(id), || (self.boid_of::<FLAT>(id), id as u32));
                        }
                    };
                    evaluator.requests(&[self.boid_of::<FLAT>(id)], &[id as u32], &mut request, others);
                    let words = request[0].to_array().map(|c| c.0);
                    put_vector::<FLAT>(self.arrays.positions[1 - self.now], id, words);
                    self.costs[core].terms.add(watch.lap());
                }
            }
        });
        self.costs.iter().map(|cost| cost.terms.get()).max().unwrap_or_default()
    }

    /// The request that [`Engine::request_own`] wrote for a boid.
    pub(super) fn formula_request(&self, id: usize) -> Option<Vec3<Fixed>> {
        let requests = self.arrays.positions[1 - self.now];
        self.terms.is_some().then(|| self.vector(requests, id).map(Fixed).into())
    }
}

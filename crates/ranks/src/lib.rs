//! One flock on many ranks, with the bits of one rank: domain decomposition, as in particle codes.
//!
//! Each rank owns a [block](blocks) of whole cells of the flock's grid, and the boids in it. A step: every rank sends
//! each boid that has left its block, or that others may perceive, to all ranks whose blocks are near, in one exchange
//! → the cores step the rank's boids with this *halo* around them → sums over the flock are added. Blocks are cut again
//! at intervals, by recursive bisection on counted boids. In integers no sum depends on its order, so no bit depends on
//! ranks or blocks. In f32 a boid's neighbours are added in the order of the whole flock's grid, one by one, as by an
//! engine without clusters, and any sum over the flock is refused.
//!
//! Rank 0 is the [`Engine`] that callers see; the other ranks follow it. A [`Transport`] carries the words. In-situ
//! analysis ([`InSitu`]) runs on each rank's own boids, without gathering the flock. The crate knows no file and no
//! command line. Begin with `rank.rs`.

pub mod blocks;
mod leader;
#[cfg(feature = "mpi")]
mod processes;
mod rank;
mod transport;

pub use leader::{Setup, Start};
#[cfg(feature = "mpi")]
pub use processes::{Processes, end_launch};
pub use rank::Settings;
pub use transport::{Lost, Transport};

use cpu::{RankFlock, Real, Totals};
use engine::{Engine, Numeric, Result};
use flock::parameters::Scope;
use flock::rule::{Term, Terms};
use flock::{Parameters, Predator, Rule};

/// Adds the sums of all ranks.
pub type Sum<T> = fn(&mut Totals<T>, &mut dyn Transport) -> Result<(), Lost>;

/// A number type that ranks compute in; a number packs into one word.
pub trait Packed: Real {
    /// Adds sums over the boids of all ranks; `None` if the sums depend on their order.
    const SUM: Option<Sum<Self>>;

    /// Opens a flock on ranks that are threads of this process.
    ///
    /// # Errors
    /// When the parameters do not fit the number type or ranks, a state has another number of boids, or a thread fails.
    fn on_threads(setup: &Setup<'_, Self>, ranks: usize) -> Result<Box<dyn OnRanks>>;

    /// Opens a flock on all processes, at rank 0. `None` at the other ranks, after they followed rank 0 to its end.
    ///
    /// # Errors
    /// See [`Packed::on_threads`]; also when a rank is gone, and at another rank when the flock cannot be stepped.
    #[cfg(feature = "mpi")]
    fn on_processes(setup: &Setup<'_, Self>, processes: Processes) -> Result<Option<Box<dyn OnRanks>>>;

    /// The bits of the number.
    #[inline(always)]
    fn word(self) -> u32 {
        self.raw_bits() as u32
    }

    /// The number with these bits.
    #[inline(always)]
    fn from_word(word: u32) -> Self {
        Self::from_raw_bits(word.into())
    }
}

/// A rank's share of an analysis. The meaning of the words is up to the implementation.
pub trait InSitu<T: Packed>: std::fmt::Debug + Send {
    /// Answers a request, which all ranks receive at the same step. The answer of rank 0 is the result.
    ///
    /// # Errors
    /// When a rank is gone, or a resource of the analysis fails.
    fn analyse(
        &mut self,
        request: &[u32],
        part: &RankFlock<T>,
        transport: &mut dyn Transport,
    ) -> Result<Vec<u32>>;
}

/// No analysis.
impl<T: Packed> InSitu<T> for () {
    fn analyse(&mut self, _: &[u32], _: &RankFlock<T>, _: &mut dyn Transport) -> Result<Vec<u32>> {
        Ok(Vec::new())
    }
}

/// An engine whose flock is analysed on its ranks.
pub trait OnRanks: Engine {
    /// Sends a request to all ranks, and returns the answer of rank 0.
    ///
    /// # Errors
    /// The errors of [`InSitu::analyse`].
    fn analyse(&mut self, request: &[u32]) -> Result<Vec<u32>>;

    /// The predators, which are the same on every rank.
    fn predators(&self) -> Vec<Predator<f64>>;

    /// Maximum load of a rank over the mean, at the last cut.
    fn imbalance(&self) -> f64;
}

/// The terms that need only the boids within reach, a boid's id, the step, and sums over the flock: the pairwise terms,
/// and these.
const SUPPORTED: Terms =
    Terms::PAIRWISE.with(Term::Zones).with(Term::AlignmentUnit).with(Term::CohesionUnit).with(Term::Nearest);

/// Checks that ranks step a flock with the bits of one rank.
///
/// # Errors
/// Names the parameter, its value and what it must be.
pub fn check(p: &Parameters, numeric: Numeric) -> Result<(), String> {
    check_terms(Rule::<f32>::new(p).terms, SUPPORTED)?;
    match numeric {
        Numeric::Fixed => return Ok(()),
        Numeric::F32 => {}
        Numeric::F64 => return Err("--ranks requires --numeric fixed or f32, not f64".into()),
    }
    let flies = p.predators.count > 0;
    let (chase, attack) = (p.predators.chase_weight, p.predators.attack_weight);
    let of_flock = |scope: Scope, weight: f64| scope == Scope::Flock && weight != 0.0;
    let sums = [
        (
            of_flock(p.alignment.scope, p.alignment.weight),
            "alignment.scope",
            "neighbours",
            "flock".to_owned(),
        ),
        (of_flock(p.cohesion.scope, p.cohesion.weight), "cohesion.scope", "neighbours", "flock".to_owned()),
        (flies && chase != 0.0, "predators.chase_weight", "0", chase.to_string()),
        (flies && attack != 0.0, "predators.attack_weight", "0", attack.to_string()),
    ];
    match sums.into_iter().find(|(used, ..)| *used) {
        None => Ok(()),
        Some((_, key, required, value)) => Err(format!(
            "{key} must be {required}, not {value}, with --ranks in f32, where a sum over the flock depends on its order"
        )),
    }
}

/// Refuses a rule with a term that is not supported.
fn check_terms(used: Terms, supported: Terms) -> Result<(), String> {
    if used.within(supported) {
        return Ok(());
    }
    let unknown = Term::ALL.iter().filter(|term| used.has(**term) && !supported.has(**term));
    let names: Vec<&str> = unknown.map(|term| term.switch()).collect();
    Err(format!("--ranks does not support the term {}", names.join(", ")))
}

#[cfg(test)]
mod tests;

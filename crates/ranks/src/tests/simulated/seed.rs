//! The checks of a seed: runs that are disturbed, killed and restarted, each answer against an engine without ranks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use engine::system::Threads;
use engine::{EngineError, Numeric, State};
use flock::Fixed;

use super::super::Counts;
use super::Random;
use super::network::{Link, Network};
use super::world::{Death, End, Fault, Kill, Plan, Report};
use super::{Answer, Call, Scenario};
use crate::leader::{Leader, on_threads};
use crate::{InSitu, OnRanks as _, Packed, Settings, Setup, Start};

/// Separates the numbers of the disturbances from those of the scenario.
const DISTURBANCES: u64 = 0x005d_1570_4bed;

/// A defect that the checks must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    Transport(Fault),
    /// A checkpoint has the boids of the start.
    OldBoids,
    /// A checkpoint has the number of the step before.
    WrongStep,
}

/// The work done for a seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub runs: u64,
    pub kills: u64,
    /// Restarts from a checkpoint, not from the start.
    pub restarts: u64,
    pub messages: u64,
    /// True if the defect was there.
    pub planted: bool,
    /// A hash of all events.
    pub trace: u64,
}

impl Tally {
    /// Adds the numbers of another seed.
    pub fn add(&mut self, other: &Tally) {
        self.runs += other.runs;
        self.kills += other.kills;
        self.restarts += other.restarts;
        self.messages += other.messages;
    }
}

/// The place from which a run starts.
#[derive(Clone, Debug, Default)]
struct Checkpoint {
    /// The number of calls before it.
    calls: usize,
    /// None at the start.
    state: Option<State>,
}

/// A run that has done nothing wrong.
struct Outcome {
    report: Report,
    /// The last state that was read.
    checkpoint: Option<Checkpoint>,
    /// A rank was killed before all calls were answered.
    failed: bool,
}

/// Checks a seed; the error says what was wrong, and with which settings.
pub fn check_seed(seed: u64, defect: Option<Defect>, threads: &Threads) -> Result<Tally, String> {
    let scenario = Scenario::new(seed, threads);
    let mut trial = Trial {
        scenario: &scenario,
        random: Random::new(seed ^ DISTURBANCES),
        defect,
        ranks: scenario.ranks,
        plan: None,
        tally: Tally::default(),
    };
    match trial.check() {
        Ok(()) => Ok(trial.tally),
        Err(why) => {
            let (ranks, plan) = (trial.ranks, trial.plan);
            let Scenario { numeric, recut, seeded, calls, parameters, .. } = &scenario;
            Err(format!(
                "seed {seed}: {why}\n{ranks} ranks of {numeric:?}, recut {recut}, seeded {seeded}, {plan:?}\n{calls:?}\n\
                 {parameters:?}"
            ))
        }
    }
}

struct Trial<'a> {
    scenario: &'a Scenario,
    random: Random,
    defect: Option<Defect>,
    ranks: usize,
    /// The last run's.
    plan: Option<Plan>,
    tally: Tally,
}

impl Trial<'_> {
    fn check(&mut self) -> Result<(), String> {
        let start = Checkpoint::default();
        let plan =
            Plan { seed: self.random.next(), rendezvous: self.random.one_in(4), kill: None, fault: None };
        let undisturbed = self.run(plan, &start)?;
        if let Some(Defect::Transport(fault)) = self.defect
            && fault != Fault::Unheard
        {
            let message = 1 + self.random.below(undisturbed.report.sent);
            let rendezvous = plan.rendezvous || fault == Fault::WaitingExchange;
            let with_fault = Plan { fault: Some((fault, message)), rendezvous, ..plan };
            return self.run(with_fault, &start).map(drop);
        }
        self.check_kills(&undisturbed.report.calls)
    }

    /// Kills a rank once or twice, and restarts until all calls are answered. `calls` are those of the transport in a
    /// whole run.
    fn check_kills(&mut self, calls: &[u64]) -> Result<(), String> {
        let kills = if self.random.one_in(4) { 2 } else { 1 };
        let mut from = Checkpoint::default();
        for round in 0..=kills {
            let kill = if round < kills { Some(self.kill(calls)) } else { None };
            let fault = if self.defect == Some(Defect::Transport(Fault::Unheard)) {
                Some((Fault::Unheard, 0))
            } else {
                None
            };
            let plan = Plan { seed: self.random.next(), rendezvous: self.random.one_in(4), kill, fault };
            let outcome = self.run(plan, &from)?;
            if !outcome.failed {
                return Ok(());
            }
            if let Some(checkpoint) = outcome.checkpoint {
                from = self.restored(checkpoint);
            }
            if self.random.one_in(2) {
                self.ranks = 1 + self.random.below(6) as usize;
            }
        }
        Err("a run without a kill has failed".into())
    }

    fn kill(&mut self, calls: &[u64]) -> Kill {
        let rank = self.random.below(self.ranks as u64) as usize;
        // A restarted flock may have more ranks.
        let most = calls.get(rank).or(calls.last()).copied().unwrap_or(1);
        Kill {
            rank,
            call: 1 + self.random.below(most),
            death: self.random.choose(&[Death::Fails, Death::Panics]),
            loses_messages: self.random.one_in(2),
        }
    }

    /// The checkpoint as it is read again: a defect may have changed it.
    fn restored(&mut self, mut checkpoint: Checkpoint) -> Checkpoint {
        self.tally.restarts += 1;
        let Some(state) = &mut checkpoint.state else { return checkpoint };
        if self.scenario.calls[checkpoint.calls..].iter().any(|call| matches!(call, Call::Replace(_))) {
            // A new state hides the defect.
            return checkpoint;
        }
        match self.defect {
            Some(Defect::OldBoids) if state.step > self.scenario.start.step => {
                state.boids = self.scenario.start.boids.clone();
            }
            Some(Defect::WrongStep) if state.step > 0 => state.step -= 1,
            _ => return checkpoint,
        }
        self.tally.planted = true;
        checkpoint
    }

    fn run(&mut self, plan: Plan, from: &Checkpoint) -> Result<Outcome, String> {
        self.plan = Some(plan);
        let run = Run { scenario: self.scenario, plan };
        let (network, links) = Network::connect(plan, self.ranks);
        let checked = match self.scenario.numeric {
            Numeric::F32 => run.check::<f32>(from, &network, links),
            _ => run.check::<Fixed>(from, &network, links),
        };
        let report = network.report();
        self.tally.runs += 1;
        self.tally.kills += u64::from(report.killed);
        self.tally.messages += report.sent;
        self.tally.planted |= report.planted;
        self.tally.trace = self.tally.trace.rotate_left(7) ^ report.trace;
        checked
    }
}

#[derive(Clone, Copy)]
struct Run<'a> {
    scenario: &'a Scenario,
    plan: Plan,
}

impl Run<'_> {
    /// Opens the flock at a checkpoint, compares its answers, and checks how each rank ended.
    fn check<T: Packed>(
        &self,
        from: &Checkpoint,
        network: &Arc<Network>,
        links: Vec<Link>,
    ) -> Result<Outcome, String> {
        let scenario = self.scenario;
        let in_situ = || -> engine::Result<Box<dyn InSitu<T>>> { Ok(Box::new(Counts { fails: None })) };
        let start = match &from.state {
            Some(state) => Start::Given(state),
            None if scenario.seeded => Start::Seeded(scenario.start.step),
            None => Start::Given(&scenario.start),
        };
        let settings = Settings { recut: scenario.recut, threads: Some(1) };
        let parameters = &scenario.parameters;
        let setup = Setup { parameters, start, settings, in_situ: &in_situ, on_dense: None };
        let mut checkpoint = None;
        let mut failed = true;
        match catch_unwind(AssertUnwindSafe(|| on_threads(&setup, links))) {
            Err(_) => self.check_panic(network)?,
            Ok(Err(why)) => check_lost(&why, network)?,
            Ok(Ok(mut leader)) => {
                failed = !self.check_answers(&mut leader, from.calls, network, &mut checkpoint)?;
                if catch_unwind(AssertUnwindSafe(|| drop(leader))).is_err() {
                    self.check_panic(network)?;
                }
            }
        }
        let report = network.report();
        check_ends(&report, failed)?;
        Ok(Outcome { report, checkpoint, failed })
    }

    /// Calls the engine until a rank is gone; false if one is.
    fn check_answers<T: Packed>(
        &self,
        leader: &mut Leader<T, Link>,
        from: usize,
        network: &Network,
        checkpoint: &mut Option<Checkpoint>,
    ) -> Result<bool, String> {
        for k in from..self.scenario.calls.len() {
            let call = self.scenario.calls[k];
            let asked = match catch_unwind(AssertUnwindSafe(|| self.ask(leader, call))) {
                Ok(asked) => asked,
                Err(_) => {
                    self.check_panic(network)?;
                    check_refusal(leader, "ranks: rank 0 has stopped")?;
                    return Ok(false);
                }
            };
            match asked {
                Ok(answer) if answer == self.scenario.answers[k] => {
                    if let Answer::State(state) = answer {
                        *checkpoint = Some(Checkpoint { calls: k + 1, state: Some(state) });
                    }
                }
                Ok(_) => return Err(format!("call {k}, {call:?}: another answer than without ranks")),
                Err(why) => {
                    check_lost(&why, network)?;
                    check_refusal(leader, &why.to_string())?;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn ask<T: Packed>(&self, leader: &mut Leader<T, Link>, call: Call) -> Result<Answer, EngineError> {
        match call {
            Call::Analyse(request) => leader.analyse(&request).map(Answer::Words),
            other => self.scenario.answer(leader, other),
        }
    }

    /// Rank 0 panics only where it is killed by a panic.
    fn check_panic(&self, network: &Network) -> Result<(), String> {
        let is_planned = self.plan.kill.is_some_and(|kill| kill.rank == 0 && kill.death == Death::Panics);
        if is_planned && network.report().killed { Ok(()) } else { Err("rank 0 has panicked".into()) }
    }
}

/// The error of a flock that has lost a rank names one that is gone.
fn check_lost(why: &EngineError, network: &Network) -> Result<(), String> {
    check_ending(&network.report())?;
    let line = why.to_string();
    let number = line.strip_prefix("ranks: rank ").and_then(|rest| rest.strip_suffix(" is gone"));
    match number.and_then(|word| word.parse().ok()) {
        Some(rank) if network.is_gone(rank) => Ok(()),
        _ => Err(format!("the error '{line}', {:?}", network.report())),
    }
}

/// No rank waits for ever.
fn check_ending(report: &Report) -> Result<(), String> {
    match &report.stuck {
        Some(why) => Err(why.clone()),
        None => Ok(()),
    }
}

/// A flock that has failed answers every later call by the same error.
fn check_refusal<T: Packed>(leader: &mut Leader<T, Link>, line: &str) -> Result<(), String> {
    use engine::Engine as _;
    match leader.hash() {
        Err(why) if why.to_string() == line => Ok(()),
        other => Err(format!("after '{line}' a call gives {other:?}")),
    }
}

/// Checks how each rank ended, and that nothing is left.
fn check_ends(report: &Report, failed: bool) -> Result<(), String> {
    check_ending(report)?;
    if failed && !report.killed {
        return Err(format!("the flock has failed, and no rank was killed: {:?}", report.ends));
    }
    if !report.killed && report.left > 0 {
        return Err(format!("{} messages are left", report.left));
    }
    for (rank, end) in report.ends.iter().enumerate() {
        let is_right = match end {
            // After a failure rank 0 orders no end.
            End::Reached => !failed,
            End::Lost(_) | End::Killed => report.killed,
            End::Panicked | End::Unknown => false,
        };
        if !is_right {
            return Err(format!("rank {rank} ended by {end:?}: {:?}", report.ends));
        }
    }
    Ok(())
}

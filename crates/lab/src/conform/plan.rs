//! The comparisons and their order.

use super::backends::{Backend, Place};
use super::controls::{self, Control};
use super::divergence::Divergence;
use super::exact::{self, ExactFlock};
use super::onestep::{self, StepCase};
use super::result::{Caught, Report, Row, Tier};
use super::statistics::{self, LEVEL, Sample};
use super::subject::Subject;
use config::presets::{self, Preset};
use cpu::engine::EngineError;
use cpu::state::Numeric;
use report::failure::Failure;

/// The comparisons to make.
#[derive(Clone, Debug)]
pub struct Plan {
    pub tiers: Vec<Tier>,
    pub presets: Vec<&'static Preset>,
    /// Steps on which bits are compared.
    pub steps: u32,
    /// The same on a microcontroller, at most `steps`.
    pub board_steps: u32,
    /// Runs whose statistics are compared.
    pub seeds: u32,
    /// True if the negative controls are run.
    pub controls: bool,
}

/// Every preset is compared in two and in three dimensions.
pub const DIMENSIONS: [u32; 2] = [2, 3];

/// Steps of the negative controls.
const CONTROL_STEPS: u32 = 100;

/// The first seed of each sample of runs. The ranges of seeds do not overlap.
const SEEDS: [(Numeric, u32); 3] = [(Numeric::F64, 1), (Numeric::F32, 10_001), (Numeric::Fixed, 20_001)];

fn first_seed(numeric: Numeric) -> u32 {
    SEEDS.iter().find(|(of, _)| *of == numeric).map_or(1, |(_, first)| *first)
}

impl Plan {
    /// The number of calls of `done` that [`Plan::run`] makes.
    pub fn parts(&self, backends: &[Backend]) -> u64 {
        let controls = if self.controls { controls::all().len() } else { 0 };
        (self.presets.len() * DIMENSIONS.len() * backends.len() + controls) as u64
    }

    fn has(&self, tier: Tier) -> bool {
        self.tiers.contains(&tier)
    }

    /// The significance level of one comparison of statistics: [`LEVEL`] divided by their number (Bonferroni).
    pub fn level(&self) -> f64 {
        let compared = statistics::COMPARED.len() * self.presets.len() * DIMENSIONS.len() * 2;
        LEVEL / compared.max(1) as f64
    }

    /// Makes all comparisons; calls `done` after each part.
    ///
    /// # Errors
    /// When a preset cannot be read or an engine of a control fails.
    pub fn run(&self, backends: &[Backend], done: impl Fn()) -> Result<Report, Failure> {
        let mut rows = Vec::new();
        for preset in &self.presets {
            let mut new: Vec<Row> = backends.iter().map(|backend| Row::new(backend, preset.name)).collect();
            for dimensions in DIMENSIONS {
                let expected = Expected::new(self, preset, dimensions)?;
                for (backend, row) in backends.iter().zip(&mut new) {
                    self.compare(backend, &expected, row);
                    done();
                }
            }
            rows.extend(new);
        }
        let controls = if self.controls { self.run_controls(&done)? } else { Vec::new() };
        Ok(Report { rows, controls, level: self.level() })
    }

    fn compare(&self, backend: &Backend, expected: &Expected, row: &mut Row) {
        let Ok(subject) = &backend.subject else { return };
        if let Err(error) = self.run_tiers(backend, subject, expected, row) {
            row.failed.get_or_insert_with(|| error.to_string());
        }
    }

    fn run_tiers(
        &self,
        backend: &Backend,
        subject: &Subject,
        expected: &Expected,
        row: &mut Row,
    ) -> Result<(), EngineError> {
        let mut session = subject.session();
        if self.has(Tier::Exact) && subject.numeric == Numeric::Fixed {
            let steps = if backend.place == Place::Board { self.board_steps } else { self.steps };
            for flock in &expected.exact {
                let divergence = exact::check(&mut session, flock, steps)?;
                row.exact.get_or_insert_default().add(steps, divergence.is_some());
                row.note(Tier::Exact, &flock.name, divergence);
            }
        }
        if self.has(Tier::OneStep) {
            for case in &expected.steps {
                let judged = onestep::judge(subject, &mut session, case)?;
                let errors = if case.hostile { &mut row.hostile } else { &mut row.natural };
                errors.get_or_insert_default().merge(&judged.errors);
                row.note(Tier::OneStep, &case.name, judged.divergence);
            }
        }
        // Statistics belong to a number type: the CPU engine represents all engines of that type.
        let wanted =
            self.has(Tier::Statistics) && backend.place == Place::Cpu && subject.numeric != Numeric::F64;
        if let Some((name, reference)) = expected.long.as_ref().filter(|_| wanted) {
            let subject = Subject::single_thread(subject.numeric);
            let found = expected.sample(&subject, self.seeds)?;
            let compared = statistics::compare(&found, reference, self.level());
            row.note(Tier::Statistics, name, compared.divergence.clone());
            row.keep_least(compared);
        }
        Ok(())
    }

    fn run_controls(&self, done: &impl Fn()) -> Result<Vec<Caught>, Failure> {
        let mut all = Vec::new();
        for control in controls::all() {
            let preset = presets::find(control.preset)?;
            let narrow = Plan { steps: self.steps.min(CONTROL_STEPS), ..self.clone() };
            let expected = Expected::new(&narrow, preset, control.dimensions)?;
            all.push(self.run_control(&control, &expected)?);
            done();
        }
        Ok(all)
    }

    /// Runs a control through all tiers.
    fn run_control(&self, control: &Control, expected: &Expected) -> Result<Caught, Failure> {
        let subject = &control.subject;
        let mut session = subject.session();
        let mut by: Vec<(Tier, Divergence)> = Vec::new();
        let mut tried = Vec::new();
        if subject.numeric == Numeric::Fixed && self.has(Tier::Exact) {
            tried.push(Tier::Exact);
            for flock in &expected.exact {
                let divergence = exact::check(&mut session, flock, CONTROL_STEPS.min(self.steps))?;
                by.extend(divergence.map(|divergence| (Tier::Exact, divergence)));
            }
        }
        if self.has(Tier::OneStep) {
            tried.push(Tier::OneStep);
            for case in &expected.steps {
                let judged = onestep::judge(subject, &mut session, case)?;
                by.extend(judged.divergence.map(|divergence| (Tier::OneStep, divergence)));
            }
        }
        if let Some((_, reference)) = &expected.long {
            tried.push(Tier::Statistics);
            let found = expected.sample(subject, self.seeds)?;
            let compared = statistics::compare(&found, reference, self.level());
            by.extend(compared.divergence.map(|divergence| (Tier::Statistics, divergence)));
        }
        // In the order of the tiers, as they were tried.
        let first = by.first().cloned();
        let tiers = tried.iter().copied().filter(|tier| by.iter().any(|(of, _)| of == tier)).collect();
        Ok(Caught {
            name: control.name,
            preset: control.preset,
            tried,
            tiers,
            first: first.map(|(_, first)| first),
        })
    }
}

/// The expected results of one preset in two or three dimensions.
struct Expected {
    exact: Vec<ExactFlock>,
    steps: Vec<StepCase>,
    /// The name of the flock and its runs in f64.
    long: Option<(String, Sample)>,
    flock: flock::Parameters,
}

impl Expected {
    fn new(plan: &Plan, preset: &Preset, dimensions: u32) -> Result<Self, Failure> {
        let exact =
            plan.has(Tier::Exact).then(|| exact::flocks(preset, dimensions, plan.steps)).transpose()?;
        let steps = plan.has(Tier::OneStep).then(|| onestep::cases(preset, dimensions)).transpose()?;
        let flock = statistics::flock(preset, dimensions)?;
        let mut expected = Expected {
            exact: exact.unwrap_or_default(),
            steps: steps.unwrap_or_default(),
            long: None,
            flock,
        };
        if plan.has(Tier::Statistics) {
            let sample = expected.sample(&Subject::single_thread(Numeric::F64), plan.seeds)?;
            expected.long = Some((format!("{} {dimensions}-D", preset.name), sample));
        }
        Ok(expected)
    }

    fn sample(&self, subject: &Subject, seeds: u32) -> Result<Sample, EngineError> {
        statistics::sample(subject, &self.flock, first_seed(subject.numeric), seeds)
    }
}

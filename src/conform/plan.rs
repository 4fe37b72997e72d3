//! What is compared, and in which order.

use super::backends::{Backend, Place};
use super::controls::{self, Control};
use super::divergence::Divergence;
use super::exact::{self, ExactFlock};
use super::onestep::{self, StepCase};
use super::report::{Caught, Finding, Report, Row};
use super::statistics::{self, LEVEL, Sample};
use super::subject::Subject;
use crate::engine::EngineError;
use crate::failure::Failure;
use crate::presets::{self, Preset};
use crate::state::Numeric;

/// A kind of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Integers hold the same bits at every step.
    Exact,
    /// One step lies within its bounds.
    OneStep,
    /// Long runs have the same statistics.
    Statistics,
}

impl Tier {
    pub const ALL: [Tier; 3] = [Tier::Exact, Tier::OneStep, Tier::Statistics];

    /// Its letter.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            Tier::Exact => "A",
            Tier::OneStep => "B",
            Tier::Statistics => "C",
        }
    }
}

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Plan {
    pub tiers: Vec<Tier>,
    pub presets: Vec<&'static Preset>,
    /// Steps of tier A, and those on a board, at most as many.
    pub steps: u32,
    pub board_steps: u32,
    /// Runs of tier C.
    pub seeds: u32,
    /// Whether the negative controls are run.
    pub controls: bool,
}

/// The dimensions that every preset is compared in.
pub const DIMENSIONS: [u32; 2] = [2, 3];

/// Steps of tier A for the negative controls.
const CONTROL_STEPS: u32 = 100;

/// Seeds of the samples of tier C, far enough apart that none is used twice.
const SEEDS: [(Numeric, u32); 3] = [(Numeric::F64, 1), (Numeric::F32, 10_001), (Numeric::Fixed, 20_001)];

fn first_seed(numeric: Numeric) -> u32 {
    SEEDS.iter().find(|(of, _)| *of == numeric).map_or(1, |(_, first)| *first)
}

impl Plan {
    /// How many parts [`Plan::run`] has, for a progress bar.
    #[must_use]
    pub fn parts(&self, backends: &[Backend]) -> u64 {
        let controls = if self.controls { controls::all().len() } else { 0 };
        (self.presets.len() * DIMENSIONS.len() * backends.len() + controls) as u64
    }

    fn has(&self, tier: Tier) -> bool {
        self.tiers.contains(&tier)
    }

    /// The level of one comparison of tier C: [`LEVEL`] shared out among all of them (Bonferroni).
    #[must_use]
    pub fn level(&self) -> f64 {
        let compared = statistics::COMPARED.len() * self.presets.len() * DIMENSIONS.len() * 2;
        LEVEL / compared.max(1) as f64
    }

    /// Compares all of it; `done` is told after each part.
    ///
    /// # Errors
    /// When a preset's file does not hold.
    pub fn run(&self, backends: &[Backend], done: impl Fn()) -> Result<Report, Failure> {
        let mut rows = Vec::new();
        for preset in &self.presets {
            let mut new: Vec<Row> = backends.iter().map(|backend| Row::new(backend, preset.name)).collect();
            for dimensions in DIMENSIONS {
                let material = Material::new(self, preset, dimensions)?;
                for (backend, row) in backends.iter().zip(&mut new) {
                    self.compare(backend, &material, row);
                    done();
                }
            }
            rows.extend(new);
        }
        let controls = if self.controls { self.control(&done)? } else { Vec::new() };
        Ok(Report { rows, controls, level: self.level() })
    }

    fn compare(&self, backend: &Backend, material: &Material, row: &mut Row) {
        let Ok(subject) = &backend.subject else { return };
        if let Err(error) = self.tiers_of(backend, subject, material, row) {
            row.failed.get_or_insert_with(|| error.to_string());
        }
    }

    fn tiers_of(
        &self,
        backend: &Backend,
        subject: &Subject,
        material: &Material,
        row: &mut Row,
    ) -> Result<(), EngineError> {
        let mut running = subject.run();
        if self.has(Tier::Exact) && subject.numeric == Numeric::Fixed {
            let steps = if backend.place == Place::Board { self.board_steps } else { self.steps };
            for flock in &material.exact {
                let divergence = exact::hold(&mut running, flock, steps)?;
                row.exact.get_or_insert_default().add(steps, divergence.is_some());
                row.note(Tier::Exact, &flock.name, divergence);
            }
        }
        if self.has(Tier::OneStep) {
            for case in &material.steps {
                let judged = onestep::judge(subject, &mut running, case)?;
                let errors = if case.hostile { &mut row.hostile } else { &mut row.natural };
                errors.get_or_insert_default().merge(&judged.errors);
                row.note(Tier::OneStep, &case.name, judged.divergence);
            }
        }
        // Statistics are of a number type: the CPU's engine stands for all that have it.
        let wanted =
            self.has(Tier::Statistics) && backend.place == Place::Cpu && subject.numeric != Numeric::F64;
        if let Some((name, expected)) = material.long.as_ref().filter(|_| wanted) {
            let thread = Subject::thread(subject.numeric);
            let found = material.sample(&thread, self.seeds)?;
            let compared = statistics::compare(&found, expected, self.level());
            row.note(Tier::Statistics, name, compared.divergence.clone());
            row.keep_least(compared);
        }
        Ok(())
    }

    fn control(&self, done: &impl Fn()) -> Result<Vec<Caught>, Failure> {
        let mut all = Vec::new();
        for control in controls::all() {
            let preset = presets::find(control.preset)?;
            let narrow = Plan { steps: self.steps.min(CONTROL_STEPS), ..self.clone() };
            let material = Material::new(&narrow, preset, control.dimensions)?;
            all.push(self.try_control(&control, &material)?);
            done();
        }
        Ok(all)
    }

    /// By which tiers a control is caught.
    fn try_control(&self, control: &Control, material: &Material) -> Result<Caught, Failure> {
        let subject = &control.subject;
        let mut running = subject.run();
        let mut by: Vec<(Tier, Divergence)> = Vec::new();
        let mut tried = Vec::new();
        if subject.numeric == Numeric::Fixed && self.has(Tier::Exact) {
            tried.push(Tier::Exact);
            for flock in &material.exact {
                let divergence = exact::hold(&mut running, flock, CONTROL_STEPS.min(self.steps))?;
                by.extend(divergence.map(|divergence| (Tier::Exact, divergence)));
            }
        }
        if self.has(Tier::OneStep) {
            tried.push(Tier::OneStep);
            for case in &material.steps {
                let judged = onestep::judge(subject, &mut running, case)?;
                by.extend(judged.divergence.map(|divergence| (Tier::OneStep, divergence)));
            }
        }
        if let Some((_, expected)) = &material.long {
            tried.push(Tier::Statistics);
            let found = material.sample(subject, self.seeds)?;
            let compared = statistics::compare(&found, expected, self.level());
            by.extend(compared.divergence.map(|divergence| (Tier::Statistics, divergence)));
        }
        let first = Tier::ALL.into_iter().find_map(|tier| by.iter().find(|(of, _)| *of == tier).cloned());
        let tiers = Tier::ALL.into_iter().filter(|tier| by.iter().any(|(of, _)| of == tier)).collect();
        Ok(Caught {
            name: control.name,
            preset: control.preset,
            tried,
            tiers,
            first: first.map(|(_, first)| first),
        })
    }
}

/// What the backends are held to for one preset in so many dimensions.
struct Material {
    exact: Vec<ExactFlock>,
    steps: Vec<StepCase>,
    /// The name and the runs in f64.
    long: Option<(String, Sample)>,
    flock: flock::Parameters,
}

impl Material {
    fn new(plan: &Plan, preset: &Preset, dimensions: u32) -> Result<Self, Failure> {
        let exact =
            plan.has(Tier::Exact).then(|| exact::flocks(preset, dimensions, plan.steps)).transpose()?;
        let steps = plan.has(Tier::OneStep).then(|| onestep::cases(preset, dimensions)).transpose()?;
        let flock = statistics::flock(preset, dimensions)?;
        let mut material = Material {
            exact: exact.unwrap_or_default(),
            steps: steps.unwrap_or_default(),
            long: None,
            flock,
        };
        if plan.has(Tier::Statistics) {
            let sample = material.sample(&Subject::thread(Numeric::F64), plan.seeds)?;
            material.long = Some((format!("{} {dimensions}-D", preset.name), sample));
        }
        Ok(material)
    }

    fn sample(&self, subject: &Subject, seeds: u32) -> Result<Sample, EngineError> {
        statistics::sample(subject, &self.flock, first_seed(subject.numeric), seeds)
    }
}

impl Row {
    fn note(&mut self, tier: Tier, flock: &str, divergence: Option<Divergence>) {
        if let (None, Some(divergence)) = (&self.finding, divergence) {
            self.finding = Some(Finding { tier, flock: flock.to_owned(), divergence });
        }
    }
}

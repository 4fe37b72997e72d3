//! The comparisons and their order.

use flock::Parameters;

use super::flocks::Model;
use super::{
    Backend, Control, ExactFlock, LEVEL, Place, Report, Row, Sample, StepCase, Subject, Tier, controls,
    exact, onestep, statistics,
};
use config::presets;
use engine::{Numeric, Result};
use files::{Failure, interrupt};

/// The comparisons to make.
#[derive(Clone, Debug)]
pub struct Plan {
    pub tiers: Vec<Tier>,
    pub models: Vec<Model>,
    /// Steps on which bits are compared.
    pub steps: u32,
    /// Steps on which bits are compared on a microcontroller, at most `steps`.
    pub board_steps: u32,
    /// Runs whose statistics are compared.
    pub seeds: u32,
    /// True if the negative controls are run.
    pub controls: bool,
}

/// Steps of the negative controls.
const CONTROL_STEPS: u32 = 100;

/// The first seed of a sample of runs, by number type. The ranges of seeds do not overlap.
const FIRST_SEEDS: [u32; Numeric::ALL.len()] = [10_001, 1, 20_001];

impl Plan {
    /// The number of calls of `done` that [`Plan::run`] makes.
    pub fn parts(&self, backends: &[Backend]) -> u64 {
        let controls = if self.controls { controls::all().len() } else { 0 };
        (self.flocks() * backends.len() + controls) as u64
    }

    fn flocks(&self) -> usize {
        self.models.iter().map(|model| model.dimensions().len()).sum()
    }

    fn has(&self, tier: Tier) -> bool {
        self.tiers.contains(&tier)
    }

    /// The significance level of one comparison of statistics: `LEVEL` divided by their number (Bonferroni).
    pub fn level(&self) -> f64 {
        let compared = statistics::COMPARED.len() * self.flocks() * 2;
        LEVEL / compared.max(1) as f64
    }

    /// Makes all comparisons, or those before an interrupt; calls `done` after each part.
    ///
    /// # Errors
    /// When the preset of a control cannot be read or its engine fails.
    pub fn run(&self, backends: &[Backend], done: impl Fn()) -> Result<Report, Failure> {
        let (mut rows, mut controls) = (Vec::new(), Vec::new());
        let goes_on = || !interrupt::asked();
        for model in self.models.iter().take_while(|_| goes_on()) {
            let row = |backend: &Backend| Row {
                name: backend.name.clone(),
                numeric: backend.numeric,
                place: backend.place,
                preset: model.name.clone(),
                missing: backend.subject.as_ref().err().cloned(),
                ..Row::default()
            };
            let mut new: Vec<Row> = backends.iter().map(row).collect();
            for dimensions in model.dimensions().into_iter().take_while(|_| goes_on()) {
                let expected = Expected::new(self, model, dimensions)?;
                for (backend, row) in backends.iter().zip(&mut new).take_while(|_| goes_on()) {
                    if let Ok(subject) = &backend.subject {
                        let steps = if backend.place == Place::Board { self.board_steps } else { self.steps };
                        // Statistics belong to a number type: the CPU engine represents all engines of that type.
                        let represents = backend.place == Place::Cpu && subject.numeric != Numeric::F64;
                        let single = represents.then(|| Subject::single_thread(subject.numeric));
                        if let Err(error) = self.compare(subject, steps, single.as_ref(), &expected, row) {
                            row.failed.get_or_insert_with(|| error.to_string());
                        }
                    }
                    done();
                }
            }
            rows.extend(new);
        }
        for control in controls::all().iter().filter(|_| self.controls && goes_on()) {
            let steps = self.steps.min(CONTROL_STEPS);
            let narrow = Plan { steps, ..self.clone() };
            let model = Model::preset(presets::find(control.preset)?)?;
            let expected = Expected::new(&narrow, &model, model.parameters.flock.dimensions)?;
            let Control { name, subject, .. } = control;
            let (name, preset) = ((*name).to_owned(), model.name);
            let mut row = Row { name, numeric: subject.numeric, preset, ..Row::default() };
            self.compare(subject, steps, Some(subject), &expected, &mut row)?;
            controls.push(row);
            done();
        }
        Ok(Report { rows, controls, level: self.level() })
    }

    fn sample(&self, subject: &Subject, flock: &Parameters) -> Result<Sample> {
        let first = FIRST_SEEDS[subject.numeric as usize];
        statistics::sample(subject, flock, first..first + self.seeds)
    }

    /// Compares a subject in all tiers that have expected results; `long_runs` is the subject of the long runs, if they
    /// are compared.
    fn compare(
        &self,
        subject: &Subject,
        steps: u32,
        long_runs: Option<&Subject>,
        expected: &Expected,
        row: &mut Row,
    ) -> Result {
        let mut session = subject.session();
        for flock in expected.exact(subject.numeric)? {
            let divergence = exact::check(&mut session, flock, steps)?;
            let bits = row.bits.get_or_insert_default();
            (bits.flocks, bits.steps) = (bits.flocks + 1, steps);
            bits.wrong += usize::from(divergence.is_some());
            row.note(Tier::Bits, &flock.name, divergence);
        }
        for case in &expected.steps {
            let (step, divergence) = onestep::judge(subject, &mut session, case)?;
            let errors = if case.hostile { &mut row.hostile } else { &mut row.natural };
            errors.get_or_insert_default().merge(&step);
            row.note(Tier::Step, &case.name, divergence);
        }
        if let (Some(subject), Some(reference)) = (long_runs, &expected.long) {
            let found = self.sample(subject, &expected.flock)?;
            let compared = statistics::compare(&found, reference, self.level());
            row.note(Tier::Statistics, &expected.name, compared.divergence.clone());
            if row.statistics.as_ref().is_none_or(|kept| compared.p_value < kept.p_value) {
                row.statistics = Some(compared);
            }
        }
        Ok(())
    }
}

/// The expected results of one model in two or three dimensions.
struct Expected {
    /// The name of the flock of the long runs.
    name: String,
    /// Or why integers refuse them.
    exact: Result<Vec<ExactFlock>>,
    steps: Vec<StepCase>,
    /// The long runs in f64.
    long: Option<Sample>,
    flock: Parameters,
}

impl Expected {
    fn new(plan: &Plan, model: &Model, dimensions: u32) -> Result<Self, Failure> {
        let exact =
            if plan.has(Tier::Bits) { exact::flocks(model, dimensions, plan.steps) } else { Ok(Vec::new()) };
        let steps = if plan.has(Tier::Step) { onestep::cases(model, dimensions)? } else { Vec::new() };
        let flock = statistics::flock(model, dimensions);
        let sample = || plan.sample(&Subject::single_thread(Numeric::F64), &flock);
        let long = plan.has(Tier::Statistics).then(sample).transpose()?;
        Ok(Expected { name: format!("{} {dimensions}-D", model.name), exact, steps, long, flock })
    }

    /// The flocks whose bits are compared in a number type.
    ///
    /// # Errors
    /// When integers refuse them.
    fn exact(&self, numeric: Numeric) -> Result<&[ExactFlock]> {
        match &self.exact {
            Ok(flocks) if numeric == Numeric::Fixed => Ok(flocks),
            Err(refused) if numeric == Numeric::Fixed => Err(refused.clone()),
            _ => Ok(&[]),
        }
    }
}

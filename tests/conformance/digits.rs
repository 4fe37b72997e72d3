//! Bounds of the requests of user-defined terms in integers, from the fraction bits of each register.
//!
//! The code runs in f64 with running error analysis ([`Enclosed`]). An instruction adds its own error to that of its
//! operands: half a unit in the last place where bits are shifted out, one unit where a quotient is truncated, 2⁻²⁶ of
//! a root, a length or a direction (`flock/src/fixed/direction.rs`). A number that may overflow has no bound. A
//! comparison whose outcome these errors can change is an open decision.

use std::cmp::Ordering;

use conform::bounds::arithmetic::Ieee64;
use conform::bounds::enclosure::Enclosed;
use conform::bounds::paths::explore;
use conform::bounds::reference::{MAX_PATHS, Reference, step_with};
use engine::{Result, State};
use flock::brute::own_request;
use flock::formula::{Draws, Input, Instruction, MAX_INSTRUCTIONS, Op, Prepared, Registers, Run, Table};
use flock::update::StepContext;
use flock::{Boid, Fixed, Lanes, Number, Parameters, Rule, Vec3, fixed};

type Real = Enclosed<Ieee64>;

/// The relative error of roots, lengths and directions.
const POLAR: f64 = 1.0 / (1 << 26) as f64;

/// The unit in the last place of a word with `digits` fraction bits.
fn word(digits: i8) -> f64 {
    f64::exp2(-f64::from(digits))
}

fn wider(x: Real, by: f64) -> Real {
    Real::within(x.value, x.error + by)
}

/// Adds the error of a root or a length in words with `digits` fraction bits.
fn polar(x: Real, digits: i8) -> Real {
    wider(x, POLAR * x.value + 0.5 * word(digits))
}

/// Makes the error infinite if the number may overflow a word with `digits` fraction bits.
fn held(x: Real, digits: i8) -> Real {
    let fits = x.value.abs() + x.error < f64::exp2(31.0) * word(digits);
    if fits { x } else { wider(x, f64::INFINITY) }
}

/// Adds the error of rounding to the nearest word; none if the number is exactly a word.
fn rounded(x: Real, digits: i8) -> Real {
    let word = word(digits);
    let lost = if x.is_exact() { ((x.value / word).round() * word - x.value).abs() } else { 0.5 * word };
    held(wider(x, lost), digits)
}

/// A register shifted right by `by` bits, or left if negative.
fn shifted(x: Real, digits: i8, by: i8) -> Real {
    let digits = digits.saturating_sub(by);
    if by > 0 { rounded(x, digits) } else { held(x, digits) }
}

/// A boid's input in `slot` as a word with `digits` fraction bits.
fn known(slot: u8, x: Real, digits: i8, step: u32) -> Real {
    let of = |input: Input, slots: u8| (input as u8..input as u8 + slots).contains(&slot);
    if of(Input::Heading, 3) {
        wider(x, POLAR)
    } else if of(Input::Speed, 1) || of(Input::Distance, 1) {
        polar(x, digits)
    } else if of(Input::Time, 1) {
        // The time step is rounded, too.
        wider(x, f64::from(step) * word(fixed::FRACTION as i8 + 1) + 0.5 * word(digits))
    } else if of(Input::Sum, 3) {
        rounded(x, digits)
    } else {
        held(x, digits)
    }
}

/// One lane of [`flock::formula::evaluate()`].
struct Lane<'a> {
    code: &'a [Instruction],
    values: &'a [Real],
    draws: Draws,
    id: u32,
}

impl Lane<'_> {
    /// The scalar or vector result of instruction `k`, from the registers before it.
    fn result(&self, k: usize, registers: &[Real], known_of: impl Fn(u8) -> Real) -> [Real; 3] {
        let Instruction { op, a, b, c, digits, shift: [by_a, by_b, by_c] } = self.code[k];
        let plain = |operand: u8| registers[usize::from(operand)];
        let at = |operand: u8, by: i8| shifted(plain(operand), self.code[usize::from(operand)].digits, by);
        let pair = || (at(a, by_a), at(b, by_b));
        let vector = || Vec3::new(at(a, by_a), at(b, by_b), at(c, by_c));
        // A saturated operand lies beyond the range of the other.
        let whole = |operand: u8, by: i8| if by < 0 { plain(operand) } else { at(operand, by) };
        let compared = || (whole(a, by_a), whole(b, by_b));
        let truth = |truth: bool| Real::ONE.mask(truth);
        let one = match op {
            Op::Value => rounded(self.values[usize::from(a)], digits),
            Op::Input => known(a, known_of(a), digits, self.draws.step),
            Op::Add => held(pair().0 + pair().1, digits),
            Op::Subtract => held(pair().0 - pair().1, digits),
            Op::Multiply if by_a > 0 => rounded(plain(a) * plain(b), digits),
            Op::Multiply => held(plain(a) * plain(b), digits),
            Op::Divide => {
                // The quotient is truncated before it is shifted.
                let cut = word(digits.saturating_add(by_a.max(0)));
                let lost = cut + if by_a > 0 { 0.5 * word(digits) } else { 0.0 };
                held(wider(Lanes::quotient(plain(a), plain(b), 0), lost), digits)
            }
            Op::Minimum => held(Lanes::min(compared().0, compared().1), digits),
            Op::Maximum => held(Lanes::max(compared().0, compared().1), digits),
            Op::Absolute => Lanes::abs(plain(a)),
            Op::Floor => rounded(Lanes::floored(plain(a), 0, 0), digits),
            Op::Fraction => rounded(Lanes::fraction_part(plain(a), 0, 0), digits),
            Op::Root => held(polar(Lanes::root(plain(a), 0), digits), digits),
            Op::Less => truth(compared().0.lt(compared().1)),
            Op::LessEqual => truth(compared().0.le(compared().1)),
            Op::Equal => truth(compared().0.le(compared().1) && compared().1.le(compared().0)),
            Op::Select => at(b, by_a).select(Real::ZERO.lt(plain(a)), at(c, by_b)),
            Op::Length => held(polar(Lanes::length_of(vector()), digits), digits),
            Op::Direction => return Real::direction_of(vector()).map(|c| wider(c, POLAR)).to_array(),
            Op::Table => {
                let last = usize::from(by_c.unsigned_abs()).saturating_sub(1);
                let index = |operand: u8| plain(operand).index(0).min(last);
                let value = self.values[usize::from(c) + index(a) * (last + 1) + index(b)];
                // The selected index must be certain.
                let certain = plain(a).error < 0.5 && plain(b).error < 0.5;
                if certain { rounded(value, digits) } else { wider(value, f64::INFINITY) }
            }
            Op::Random => self.draws.number(a, self.id, digits),
            Op::Rest => return [Real::ZERO; 3],
        };
        [one, Real::ZERO, Real::ZERO]
    }
}

/// Runs code with the errors of integers.
fn run(table: &Table<Real>, to: &mut Registers<Real>, code: &[Instruction], values: &[Real], draws: Draws) {
    let (slots, ids) = table.open();
    for (lane, id) in ids.iter().copied().enumerate() {
        let mut all = [Real::ZERO; MAX_INSTRUCTIONS + 2];
        let of = Lane { code, values, draws, id };
        for (k, instruction) in code.iter().enumerate().take(MAX_INSTRUCTIONS) {
            if instruction.op == Op::Rest {
                continue;
            }
            let result = of.result(k, &all, |slot| slots[usize::from(slot)][lane]);
            let many = if instruction.op == Op::Direction { 3 } else { 1 };
            all[k..k + many].copy_from_slice(&result[..many]);
        }
        to.iter_mut().zip(all).for_each(|(place, number)| place[lane] = number);
    }
}

/// The formulas of a rule, with the errors of integers.
struct InDigits {
    prepared: Prepared<Real>,
    /// The error of a request in addition to that of its code.
    lost: f64,
    integers: Rule<Fixed>,
}

impl InDigits {
    /// None where the rule has no formulas.
    fn new(rule: &Rule<Real>, integers: &Rule<Fixed>) -> Result<Option<Self>> {
        let (Some(digits), Some(exact)) = (Prepared::new(integers)?, Prepared::new(rule)?) else {
            return Ok(None);
        };
        let word = word(fixed::FRACTION as i8) / integers.unit.to_f64();
        let radius =
            |radius: Real| wider(radius, ((radius.value / word).round() * word - radius.value).abs());
        let prepared = exact.in_digits_of(&digits, radius);
        let lost = 0.5 * word * prepared.parts().count() as f64;
        Ok(Some(InDigits { prepared, lost, integers: *integers }))
    }

    /// The request of boid `id`. Integers rank the nearest by coarse positions: exactly, without open decisions.
    fn request(&self, context: &StepContext<'_, Real>, boids: &[Boid<Real>], id: usize) -> Vec3<Real> {
        let integers = &self.integers;
        let unit = integers.unscaled(Fixed(1 << integers.format.position_shift));
        let mut rule = *context.rule;
        rule.reach_square = Enclosed::exact(f64::from(integers.reach_square.0) * unit * unit);
        let context = StepContext { rule: &rule, ..*context };
        let here = integers.take_boid(&boids[id].convert()).position.into();
        let place = |other: &Boid<Real>| {
            let there = integers.take_boid(&other.convert()).position.into();
            let offset = integers.coarse_offset(here, there).map(|c| Enclosed::exact(f64::from(c.0) * unit));
            (Vec3::from(boids[id].position) + offset).to_array()
        };
        own_request(&context, (&self.prepared, run), boids, id, place).map(|c| wider(c, self.lost))
    }
}

/// The parameters, with the corners of the world rounded to words.
fn in_words(parameters: &Parameters, integers: &Rule<Fixed>) -> Parameters {
    let mut parameters = *parameters;
    let corner = |v: Vec3<Fixed>| v.map(|c| integers.unscaled(c)).to_array();
    parameters.world.min = corner(integers.world_min);
    parameters.world.max = corner(integers.world_max);
    parameters
}

/// One step of a flock with formulas. Only the formulas have integer errors. The state's numbers must be words.
///
/// # Errors
/// When integers refuse a formula.
pub fn step(parameters: &Parameters, state: &State) -> Result<Reference<Ieee64>> {
    let integers = state.rule::<Fixed>(parameters);
    let parameters = in_words(parameters, &integers);
    let formulas = InDigits::new(&Rule::new(&parameters), &integers)?;
    let request = |context: &StepContext<'_, Real>, boids: &[Boid<Real>], id: usize| {
        Some(formulas.as_ref()?.request(context, boids, id))
    };
    Ok(step_with(&parameters, state, &request))
}

/// The error of what a boid requests by formulas in integers, and the bound of that error (len/t).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    pub error: f64,
    pub bound: f64,
}

impl Request {
    /// The error as a share of its bound.
    pub fn share(self) -> f64 {
        if self.error == 0.0 { 0.0 } else { self.error / self.bound }
    }

    fn order(&self, other: &Request) -> Ordering {
        self.share().total_cmp(&other.share()).then(other.bound.total_cmp(&self.bound))
    }
}

/// The request of each boid, of the component with the largest error as a share of its bound. `evaluate` runs the code.
/// `parameters` give the bounds, `computed` the requests: a negative control passes different ones.
///
/// # Errors
/// When integers refuse a formula.
pub fn requests(
    parameters: &Parameters,
    computed: &Parameters,
    state: &State,
    evaluate: Run<Fixed>,
) -> Result<Vec<Request>> {
    let integers = state.rule::<Fixed>(computed);
    let words: Vec<Boid<Fixed>> = state.boids.iter().map(|boid| integers.take_boid(boid)).collect();
    let rule = Rule::<Real>::new(&in_words(parameters, &integers));
    let boids: Vec<Boid<Real>> = state.boids.iter().map(Boid::convert).collect();
    let (Some(formulas), Some(prepared)) = (InDigits::new(&rule, &integers)?, Prepared::new(&integers)?)
    else {
        return Ok(Vec::new());
    };
    let in_integers = StepContext::new(&integers, state.step, None, &[]);
    let bounded = StepContext::new(&rule, state.step, None, &[]);
    let mut requests = Vec::new();
    for id in 0..boids.len() {
        let found = own_request(&in_integers, (&prepared, evaluate), &words, id, |other| other.position)
            .map(|c| integers.unscaled(c))
            .to_array();
        let paths = explore(MAX_PATHS, || formulas.request(&bounded, &boids, id).to_array());
        let mut outcomes = Vec::new();
        for expected in &paths.results {
            let components = expected.iter().zip(found).map(|(expected, found)| Request {
                error: (expected.value - found).abs(),
                bound: expected.error,
            });
            outcomes.extend(components.max_by(Request::order));
        }
        if !paths.complete {
            outcomes.push(Request { error: 0.0, bound: f64::INFINITY });
        }
        requests.extend(outcomes.into_iter().min_by(Request::order));
    }
    Ok(requests)
}

//! Bounds of the requests of user-defined terms in integers, from the fraction bits of each register.
//!
//! The code runs in f64 with running error analysis ([`Enclosed`]). An instruction adds its own error to that of its
//! operands: half a unit in the last place where bits are shifted out, one unit where a quotient is truncated, 2⁻²⁶ of
//! a root, a length or a direction (`flock/src/fixed/direction.rs`). A number that may overflow has no bound. A
//! comparison whose outcome these errors can change is an open decision.

use engine::{Result, State};
use flock::brute::own_request;
use flock::formula::{
    Draws, Formulas, Input, Instruction, MAX_INSTRUCTIONS, Op, Operations, Prepared, Registers, Run, Table,
};
use flock::update::StepContext;
use flock::{Boid, Fixed, Lanes, Number, Parameters, Rule, Vec3, fixed};

use super::Enclosed;
use super::arithmetic::Ieee64;
use super::paths::explore;
use super::reference::{MAX_PATHS, Own, Reference, step_with};

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
                held(wider(Operations::quotient(plain(a), plain(b), 0), lost), digits)
            }
            Op::Minimum => held(Lanes::min(compared().0, compared().1), digits),
            Op::Maximum => held(Lanes::max(compared().0, compared().1), digits),
            Op::Absolute => Lanes::abs(plain(a)),
            Op::Floor => rounded(Operations::floored(plain(a), 0, 0), digits),
            Op::Fraction => rounded(Operations::fraction_part(plain(a), 0, 0), digits),
            Op::Root => held(polar(Operations::root(plain(a), 0), digits), digits),
            Op::Less => truth(compared().0.lt(compared().1)),
            Op::LessEqual => truth(compared().0.le(compared().1)),
            Op::Equal => truth(compared().0.le(compared().1) && compared().1.le(compared().0)),
            Op::Select => at(b, by_a).select(Real::ZERO.lt(plain(a)), at(c, by_b)),
            Op::Length => held(polar(Operations::length_of(vector()), digits), digits),
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

/// The user-defined terms of a rule with the errors of integers, if it has any.
fn own(rule: &Rule<Real>, integers: &Rule<Fixed>) -> Result<Option<Own<Ieee64>>> {
    let (Some(digits), Some(exact)) = (Prepared::new(integers)?, Prepared::new(rule)?) else {
        return Ok(None);
    };
    let word = word(fixed::FRACTION as i8) / integers.unit.to_f64();
    let radius = |radius: Real| wider(radius, ((radius.value / word).round() * word - radius.value).abs());
    let prepared = exact.in_digits_of(&digits, radius);
    let terms = prepared.parts().count();
    Ok(Some(Own { prepared, run, lost: 0.5 * word * terms as f64, integers: Some(*integers) }))
}

/// The parameters, with the corners of the world rounded to words.
fn in_words(parameters: &Parameters, integers: &Rule<Fixed>) -> Parameters {
    let mut parameters = *parameters;
    let corner = |v: Vec3<Fixed>| v.map(|c| integers.unscaled(c)).to_array();
    (parameters.world.min, parameters.world.max) = (corner(integers.world_min), corner(integers.world_max));
    parameters
}

/// One step of a flock with user-defined terms. Only the terms have integer errors. The state's numbers must be words.
///
/// # Errors
/// When integers refuse a term.
pub fn step(parameters: &Parameters, state: &State) -> Result<Reference<Ieee64>> {
    let integers = state.rule::<Fixed>(parameters);
    step_with(&in_words(parameters, &integers), state, |rule| own(rule, &integers))
}

/// The first boid whose error exceeds its bound, with both, from the result of [`requests`].
pub fn outside(errors: &[[f64; 2]]) -> Option<(usize, [f64; 2])> {
    errors.iter().copied().enumerate().find(|(_, [error, bound])| error > bound)
}

/// Orders pairs of error and bound by their ratio.
fn by_share(a: &[f64; 2], b: &[f64; 2]) -> std::cmp::Ordering {
    (a[0] * b[1]).total_cmp(&(b[0] * a[1]))
}

/// The error and the bound of each boid's integer request by user-defined terms, for the component with the largest
/// ratio (len/t). `evaluate` runs the code. The first parameters give the bounds, the second the requests: a negative
/// control passes different ones.
///
/// # Errors
/// When integers refuse a term.
pub fn requests(
    [parameters, computed]: [&Parameters; 2],
    state: &State,
    evaluate: Run<Fixed>,
) -> Result<Vec<[f64; 2]>> {
    let integers = state.rule::<Fixed>(computed);
    let words: Vec<Boid<Fixed>> = state.boids.iter().map(|boid| integers.take_boid(boid)).collect();
    let rule = Rule::<Real>::new(&in_words(parameters, &integers));
    let boids: Vec<Boid<Real>> = state.boids.iter().map(Boid::convert).collect();
    let (Some(own), Some(prepared)) = (own(&rule, &integers)?, Prepared::new(&integers)?) else {
        return Ok(Vec::new());
    };
    let found = StepContext::new(&integers, state.step, None, &[]);
    let expected = StepContext::new(&rule, state.step, None, &[]);
    let errors = (0..boids.len()).map(|id| {
        let found = own_request(&found, (&prepared, evaluate), &words, id, |other| other.position)
            .map(|c| integers.unscaled(c))
            .to_array();
        let paths = explore(MAX_PATHS, || own.request(&expected, &boids, id).to_array());
        let of_path = |path: &[Real; 3]| {
            let pairs = path.iter().zip(found).map(|(a, b)| [(a.value - b).abs(), a.error]);
            pairs.max_by(by_share).unwrap_or_default()
        };
        let unknown = (!paths.complete).then_some([0.0, f64::INFINITY]);
        let all = paths.results.iter().map(of_path).chain(unknown);
        all.min_by(by_share).unwrap_or_default()
    });
    Ok(errors.collect())
}

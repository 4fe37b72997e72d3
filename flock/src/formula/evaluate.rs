//! The evaluation of a formula.

use super::DIRECTION_DIGITS;
use super::MAX_INSTRUCTIONS;
use super::code::{Instruction, Op, SLOTS};
use crate::number::{Lanes, Number, Vec3};
use crate::random::draw;
use crate::update::UPRIGHT_SQUARE;

/// A component of a unit vector aside from another up to which the two count as opposite: its digits would be noise.
const OPPOSITE: f64 = 1e-6;

/// The key of a step's random numbers, apart from the boid's id.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    /// Seed of the flock.
    pub seed: u32,
    /// The number of the step.
    pub step: u32,
    /// Stream of the term: see [`crate::random::stream`].
    pub stream: u32,
}

impl Draws {
    /// Number k of a boid, from 0 to below 1.
    pub fn number<T: Number>(self, k: u8, id: u32, digits: i8) -> T {
        let words = draw(self.seed, self.step, id, self.stream + u32::from(k / 4));
        T::of_fraction((words[usize::from(k % 4)] >> 8) as i32, digits)
    }
}

/// Evaluates a formula for the first `used` of N boids side by side, a register of lanes at a time; register k holds
/// the result of instruction k. An input is read directly from its slot, and copied only if it is the result of the
/// formula. N is a multiple of the lanes. An instruction whose operands do not precede it gives wrong numbers, but
/// touches no other memory.
///
/// `known` are the slots of [`super::Input`].
#[inline(always)]
pub fn evaluate<V: Lanes, const N: usize>(
    code: &[Instruction],
    values: &[V::Scalar],
    known: &[[V::Scalar; N]; SLOTS],
    ids: &[u32; N],
    draws: Draws,
    registers: &mut [[V::Scalar; N]; MAX_INSTRUCTIONS],
    used: usize,
) {
    let used = used.min(N);
    let value = |k: usize| values.get(k).copied().unwrap_or(V::Scalar::ZERO);
    for (k, instruction) in code.iter().enumerate().take(MAX_INSTRUCTIONS) {
        let Instruction { op, a, b, c, digits, shift: [by_a, by_b, by_c] } = *instruction;
        let mut all = Instructed::<V, N> { code, known, registers, used, k };
        let (one, zero) = (V::one(digits), V::splat(V::Scalar::ZERO));
        match op {
            Op::Value => registers[k] = [value(a.into()); N],
            Op::Add => all.give(|[a, b, _]| a.shifted(by_a).plus(b.shifted(by_b))),
            Op::Subtract => all.give(|[a, b, _]| a.shifted(by_a).minus(b.shifted(by_b))),
            Op::Multiply => all.give(|[a, b, _]| a.product(b, by_a)),
            Op::Divide => all.give(|[a, b, _]| a.shifted(by_b).quotient(b, by_a)),
            Op::Minimum => all.give(|[a, b, _]| least(a.shifted(by_a), b.shifted(by_b))),
            Op::Maximum => all.give(|[a, b, _]| most(a.shifted(by_a), b.shifted(by_b))),
            Op::Absolute => all.give(|[a, ..]| magnitude(a)),
            Op::Floor => all.give(|[a, ..]| a.floored(by_a, digits)),
            Op::Fraction => all.give(|[a, ..]| a.fraction_part(by_a, digits)),
            Op::Root => all.give(|[a, ..]| a.root(by_a)),
            Op::Less => all.give(|[a, b, _]| one.mask(a.shifted(by_a).lt(b.shifted(by_b)))),
            Op::LessEqual => all.give(|[a, b, _]| one.mask(a.shifted(by_a).le(b.shifted(by_b)))),
            Op::Equal => all.give(|[a, b, _]| {
                let (a, b) = (a.shifted(by_a), b.shifted(by_b));
                one.mask(a.le(b) & b.le(a))
            }),
            Op::Select => all.give(|[a, b, c]| b.shifted(by_a).select(zero.lt(a), c.shifted(by_b))),
            Op::Length => all
                .give(|[a, b, c]| V::length_of(Vec3::new(a.shifted(by_a), b.shifted(by_b), c.shifted(by_c)))),
            Op::Direction => all.give_vector(|[a, b, c]| {
                V::direction_of(Vec3::new(a.shifted(by_a), b.shifted(by_b), c.shifted(by_c)))
            }),
            Op::Turn | Op::TurnAway => {
                let [cosine, sine] = [(c, by_a), (c.saturating_add(1), by_b)]
                    .map(|(number, by)| V::splat(value(number.into())).shifted(by));
                let away = op == Op::TurnAway;
                all.give_turned(|from, to| {
                    turned(from, if away { mirrored(from, to) } else { to }, cosine, sine)
                });
            }
            Op::Input if b != 0 => registers[k] = known[usize::from(a) % SLOTS],
            Op::Input | Op::Rest => {}
            Op::Table => {
                let last = usize::from(by_c.unsigned_abs()).saturating_sub(1);
                let ([rows, columns, _], to) = all.open();
                for at in 0..used {
                    let index = |numbers: &[V::Scalar; N], by| numbers[at].index(by).min(last);
                    to[0][at] = value(usize::from(c) + index(rows, by_a) * (last + 1) + index(columns, by_b));
                }
            }
            Op::Random => {
                let numbers = registers[k].iter_mut().zip(&ids[..used]);
                numbers.for_each(|(to, id)| *to = draws.number(a, *id, digits));
            }
        }
    }
}

/// The product of components of unit vectors.
#[inline(always)]
fn unit_product<V: Lanes>(a: V, b: V) -> V {
    a.product(b, DIRECTION_DIGITS)
}

#[inline(always)]
fn unit_dot<V: Lanes>(a: Vec3<V>, b: Vec3<V>) -> V {
    unit_product(a.x, b.x).plus(unit_product(a.y, b.y)).plus(unit_product(a.z, b.z))
}

/// The unit vector `to` mirrored at the unit vector `from`: as far from it, on the other side.
#[inline(always)]
fn mirrored<V: Lanes>(from: Vec3<V>, to: Vec3<V>) -> Vec3<V> {
    let ahead = unit_dot(from, to);
    from.zip(to, |from, to| {
        let along = unit_product(from, ahead);
        along.plus(along.minus(to))
    })
}

/// A vector perpendicular to a unit vector: level, or in the plane of x and z where the unit vector is upright.
#[inline(always)]
fn perpendicular<V: Lanes>(unit: Vec3<V>) -> Vec3<V> {
    let zero = V::splat(V::Scalar::ZERO);
    let level = unit_product(unit.x, unit.x).plus(unit_product(unit.y, unit.y));
    let upright = level.le(V::splat(V::Scalar::word(UPRIGHT_SQUARE, DIRECTION_DIGITS)));
    let aside = Vec3::new(unit.z, zero, zero.minus(unit.x));
    aside.select(upright, Vec3::new(zero.minus(unit.y), unit.x, zero))
}

/// The unit vector `from` turned towards the unit vector `to`, at most by the angle of this cosine and sine; as it is
/// where `to` is zero. From the opposite of `to` it turns in the plane of the fixed perpendicular. The twin of a
/// boid's greatest turn, `limit_turn`, in the digits of formulas.
#[inline(always)]
fn turned<V: Lanes>(from: Vec3<V>, to: Vec3<V>, cosine: V, sine: V) -> Vec3<V> {
    let zero = V::splat(V::Scalar::ZERO);
    let ahead = unit_dot(from, to);
    let aside = to.zip(from, |to, from| to.minus(unit_product(from, ahead)));
    let back = ahead.lt(zero);
    let parallel = V::splat(V::Scalar::word(OPPOSITE, DIRECTION_DIGITS));
    let opposite = back & aside.largest().le(parallel);
    let side = V::direction_of(aside.select(!opposite, perpendicular(from)));
    let part = |from, side| unit_product(from, cosine).plus(unit_product(side, sine));
    let most = from.zip(side, part);
    // Up to rounding the cosine of a small angle is 1, and a part aside has no direction.
    let aslant = sine.lt(aside.largest().plus(aside.largest()));
    let beyond = ahead.lt(cosine) & (back | aslant);
    let there = zero.lt(to.largest());
    most.select(beyond, to).select(there, from)
}

// For two zeros the minimum of a register differs from that of a single number, so registers select. The type that
// bounds errors has a minimum of its own, which leaves no decision open.

#[inline(always)]
fn least<V: Lanes>(a: V, b: V) -> V {
    if V::LANES == 1 { a.min(b) } else { b.select(b.lt(a), a) }
}

#[inline(always)]
fn most<V: Lanes>(a: V, b: V) -> V {
    if V::LANES == 1 { a.max(b) } else { b.select(a.lt(b), a) }
}

#[inline(always)]
fn magnitude<V: Lanes>(a: V) -> V {
    let zero = V::splat(V::Scalar::ZERO);
    if V::LANES == 1 { a.abs() } else { zero.minus(a).select(a.lt(zero), a) }
}

/// A number per boid.
type PerBoid<V, const N: usize> = [<V as Lanes>::Scalar; N];

/// An instruction with the registers of its operands and of its result.
struct Instructed<'a, V: Lanes, const N: usize> {
    code: &'a [Instruction],
    known: &'a [[V::Scalar; N]; SLOTS],
    registers: &'a mut [[V::Scalar; N]; MAX_INSTRUCTIONS],
    used: usize,
    k: usize,
}

impl<V: Lanes, const N: usize> Instructed<'_, V, N> {
    /// The operands, and the registers from the instruction's own on.
    #[inline(always)]
    fn open(&mut self) -> ([&PerBoid<V, N>; 3], &mut [PerBoid<V, N>]) {
        let Instruction { a, b, c, .. } = self.code[self.k];
        let (before, after) = self.registers.split_at_mut(self.k);
        let operands = [a, b, c].map(|operand| register(self.code, self.known, before, operand));
        (operands, after)
    }

    /// Fills the register.
    #[inline(always)]
    fn give(&mut self, f: impl Fn([V; 3]) -> V) {
        let used = self.used;
        let (operands, to) = self.open();
        for first in (0..used).step_by(V::LANES) {
            store(&mut to[0], first, f(operands.map(|operand| V::load(&operand[first..]))));
        }
    }

    /// Fills the register and the two after it from two vectors, each in the register of an operand and the two after it.
    #[inline(always)]
    fn give_turned(&mut self, f: impl Fn(Vec3<V>, Vec3<V>) -> Vec3<V>) {
        let used = self.used;
        let Instruction { a, b, .. } = self.code[self.k];
        let (before, to) = self.registers.split_at_mut(self.k);
        let vector = |first: u8| {
            [0, 1, 2].map(|axis| register(self.code, self.known, before, first.saturating_add(axis)))
        };
        let (from, towards) = (vector(a), vector(b));
        for first in (0..used).step_by(V::LANES) {
            let at = |vector: [&PerBoid<V, N>; 3]| Vec3::from(vector.map(|part| V::load(&part[first..])));
            let turned = f(at(from), at(towards)).to_array();
            to.iter_mut().zip(turned).for_each(|(to, part)| store(to, first, part));
        }
    }

    /// Fills the register and the two after it; the compiler of formulas leaves room for both.
    #[inline(always)]
    fn give_vector(&mut self, f: impl Fn([V; 3]) -> Vec3<V>) {
        let used = self.used;
        let (operands, to) = self.open();
        for first in (0..used).step_by(V::LANES) {
            let vector = f(operands.map(|operand| V::load(&operand[first..]))).to_array();
            to.iter_mut().zip(vector).for_each(|(to, part)| store(to, first, part));
        }
    }
}

/// The result of an earlier instruction. Invalid code reads a wrong slot or register, never beyond them.
#[inline(always)]
fn register<'a, T, const N: usize>(
    code: &[Instruction],
    known: &'a [[T; N]; SLOTS],
    registers: &'a [[T; N]],
    k: u8,
) -> &'a [T; N] {
    match code.get(usize::from(k)) {
        Some(Instruction { op: Op::Input, a, .. }) => &known[usize::from(*a) % SLOTS],
        _ => registers.get(usize::from(k)).unwrap_or(&known[0]),
    }
}

#[inline(always)]
pub(super) fn store<V: Lanes>(numbers: &mut [V::Scalar], first: usize, lanes: V) {
    numbers[first..first + V::LANES].copy_from_slice(lanes.lanes());
}

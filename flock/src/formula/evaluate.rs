//! Numbers that formulas are computed in, and the evaluation of a formula.

use super::MOST_INSTRUCTIONS;
use super::code::{Instruction, Op, SLOTS};
use super::digits::Span;
use crate::number::{Lanes, Number};
use crate::random::draw;
use crate::requests::Requests;
use crate::rule::Rule;
use crate::vector::Vec3;

/// Numbers that formulas are computed in.
///
/// The shifts are those of [`Instruction`]; only integers look at them.
pub trait Formulas: Requests + Number {
    /// A word of so many digits in the digits that a shift leaves.
    #[inline(always)]
    fn shifted(self, _shift: i8) -> Self {
        self
    }

    /// The product.
    #[inline(always)]
    fn product(self, other: Self, _shift: i8) -> Self {
        self * other
    }

    /// The quotient; 0 where the divisor counts as zero.
    #[inline(always)]
    fn quotient(self, other: Self, _shift: i8) -> Self {
        let exists = Self::TINY.le(other.abs());
        (self / other.select(exists, Self::ONE)).mask(exists)
    }

    /// The root; 0 of a negative number.
    #[inline(always)]
    fn root(self, _shift: i8) -> Self {
        self.select(Self::ZERO.lt(self), Self::ZERO).sqrt()
    }

    /// The largest integer below, of a word of so many digits, in so many.
    #[inline(always)]
    fn floored(self, _from: i8, _to: i8) -> Self {
        Number::floor(self)
    }

    /// The part above the floor, of a word of so many digits, in so many.
    #[inline(always)]
    fn fraction_part(self, _from: i8, _to: i8) -> Self {
        self - Number::floor(self)
    }

    /// 1, in so many digits.
    #[inline(always)]
    fn one(_digits: i8) -> Self {
        Self::ONE
    }

    /// n / 2²⁴ in so many digits.
    #[inline(always)]
    fn of_fraction(numerator: i32, _digits: i8) -> Self {
        Self::fraction(numerator)
    }

    /// A whole number as an index; 0 of a negative one.
    #[inline(always)]
    fn index(self, _shift: i8) -> usize {
        (self.to_f64() + 0.5) as usize
    }

    /// The length of a vector.
    fn length_of(vector: Vec3<Self>) -> Self;

    /// The direction of a vector, in [`DIRECTION_DIGITS`]; zero of one that counts as zero.
    fn direction_of(vector: Vec3<Self>) -> Vec3<Self>;

    /// A number in so many digits.
    #[inline]
    fn word(value: f64, _digits: i8) -> Self {
        Self::from_f64(value)
    }

    /// A whole number below 2²², without digits.
    #[inline(always)]
    fn whole(number: u32) -> Self {
        Self::from_f64(number.into())
    }

    /// The time after so many steps, fewer than 2²².
    #[inline]
    fn time(steps: u32, time_step: Self, _digits: i8) -> Self {
        Self::from_f64(steps.into()) * time_step
    }

    /// Cut to a range, where a number type has ranges.
    #[inline(always)]
    fn cut(self, _range: [Self; 2]) -> Self {
        self
    }

    /// A sum whose components are shifted right by so many digits.
    #[inline]
    fn sum_of(total: Self::Wide, _shift: [i8; 3]) -> Vec3<Self> {
        Self::narrow(total)
    }

    /// The spans of what a boid knows, where digits are to be assigned. `reach` is the greatest radius of a term.
    fn spans(_rule: &Rule<Self>, _reach: f64) -> Option<[Span; SLOTS]> {
        None
    }
}

/// What the random numbers of a step depend on.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    /// Of the flock.
    pub seed: u32,
    /// The number of the step.
    pub step: u32,
    /// Of the term: see [`crate::random::stream`].
    pub stream: u32,
}

impl Draws {
    /// Number k of a boid, from 0 to below 1.
    pub fn number<T: Formulas>(self, k: u8, id: u32, digits: i8) -> T {
        let words = draw(self.seed, self.step, id, self.stream + u32::from(k / 4));
        T::of_fraction((words[usize::from(k % 4)] >> 8) as i32, digits)
    }
}

/// Evaluates a formula for N boids side by side; register k is what instruction k gives. A code whose operands are not before
/// it gives wrong numbers, but touches nothing else.
///
/// `known` are the slots of [`super::Input`].
#[inline(always)]
pub fn evaluate<T: Formulas, const N: usize>(
    code: &[Instruction],
    values: &[T],
    known: &[[T; N]; SLOTS],
    ids: &[u32; N],
    draws: Draws,
    registers: &mut [[T; N]; MOST_INSTRUCTIONS],
) {
    for (k, instruction) in code.iter().enumerate().take(MOST_INSTRUCTIONS) {
        let Instruction { op, a, b, c, digits, shift } = *instruction;
        let at = |operand: u8| &registers[usize::from(operand) % MOST_INSTRUCTIONS];
        let (x, y, z) = (at(a), at(b), at(c));
        registers[k] = match op {
            Op::Value => [values.get(usize::from(a)).copied().unwrap_or(T::ZERO); N],
            Op::Input => known[usize::from(a) % SLOTS],
            Op::Add => pairs(x, y, shift, |a, b| a + b),
            Op::Subtract => pairs(x, y, shift, |a, b| a - b),
            Op::Multiply => side_by_side(|k| x[k].product(y[k], shift[0])),
            Op::Divide => side_by_side(|k| x[k].quotient(y[k], shift[0])),
            Op::Minimum => pairs(x, y, shift, Lanes::min),
            Op::Maximum => pairs(x, y, shift, Lanes::max),
            Op::Absolute => side_by_side(|k| x[k].abs()),
            Op::Floor => side_by_side(|k| x[k].floored(shift[0], digits)),
            Op::Fraction => side_by_side(|k| x[k].fraction_part(shift[0], digits)),
            Op::Root => side_by_side(|k| x[k].root(shift[0])),
            Op::Less => pairs(x, y, shift, |a, b| T::one(digits).mask(a.lt(b))),
            Op::LessEqual => pairs(x, y, shift, |a, b| T::one(digits).mask(a.le(b))),
            Op::Equal => pairs(x, y, shift, |a, b| T::one(digits).mask(a.le(b) & b.le(a))),
            Op::Select => {
                side_by_side(|k| y[k].shifted(shift[0]).select(T::ZERO.lt(x[k]), z[k].shifted(shift[1])))
            }
            Op::Length => {
                vectors([x, y, z], shift, |vector| Vec3::new(T::length_of(vector), T::ZERO, T::ZERO))[0]
            }
            Op::Direction => {
                let [unit_x, unit_y, unit_z] = vectors([x, y, z], shift, T::direction_of);
                // The compiler of formulas leaves room for both.
                if k + 2 < MOST_INSTRUCTIONS {
                    (registers[k + 1], registers[k + 2]) = (unit_y, unit_z);
                }
                unit_x
            }
            Op::Rest => continue,
            Op::Table => {
                let (row, column) = (at(a), at(b));
                let last = usize::from(shift[2].unsigned_abs()).saturating_sub(1);
                side_by_side(|k| {
                    let row = row[k].index(shift[0]).min(last);
                    let column = column[k].index(shift[1]).min(last);
                    values.get(usize::from(c) + row * (last + 1) + column).copied().unwrap_or(T::ZERO)
                })
            }
            Op::Random => side_by_side(|k| draws.number(a, ids[k], digits)),
        };
    }
}

/// N numbers of two each, which are shifted before.
#[inline(always)]
fn pairs<T: Formulas, const N: usize>(
    a: &[T; N],
    b: &[T; N],
    [by_a, by_b, _]: [i8; 3],
    f: impl Fn(T, T) -> T,
) -> [T; N] {
    side_by_side(|k| f(a[k].shifted(by_a), b[k].shifted(by_b)))
}

/// N vectors of a vector each, which is shifted before.
#[inline(always)]
fn vectors<T: Formulas, const N: usize>(
    parts: [&[T; N]; 3],
    [x, y, z]: [i8; 3],
    f: impl Fn(Vec3<T>) -> Vec3<T>,
) -> [[T; N]; 3] {
    let mut all = [[T::ZERO; N]; 3];
    for k in 0..N {
        let vector = f(Vec3::new(parts[0][k].shifted(x), parts[1][k].shifted(y), parts[2][k].shifted(z)));
        (all[0][k], all[1][k], all[2][k]) = (vector.x, vector.y, vector.z);
    }
    all
}

/// N numbers. A loop, since what the library has for it is not always compiled in place.
#[inline(always)]
fn side_by_side<T: Formulas, const N: usize>(number: impl Fn(usize) -> T) -> [T; N] {
    let mut all = [T::ZERO; N];
    for (k, place) in all.iter_mut().enumerate() {
        *place = number(k);
    }
    all
}

//! Functions.

use std::ops::Range;

use flock::formula::Op;
use naga::{Expression, Handle, Literal, MathFunction};

use super::{Kind, Known, Lowering};
use crate::code::Code;
use crate::error::Error;
use crate::parse::Argument;
use crate::units::Unit;

/// A call of a function.
struct Call<'a> {
    known: Vec<Known>,
    handles: &'a [Handle<Expression>],
    span: &'a Range<usize>,
}

impl Call<'_> {
    fn refused(&self) -> Error {
        Error::new(self.span.clone(), "no function of formulas")
    }

    /// The first argument and another, for errors.
    fn both(&self, k: usize) -> (Handle<Expression>, Handle<Expression>) {
        (self.handles[0], self.handles[k])
    }

    /// Refuses an argument that is no pure number.
    fn pure(&self, k: usize, name: &str) -> Result<(), Error> {
        match self.known[k].unit {
            Some(unit) if unit != Unit::NONE => {
                let why = format!("{name}: allowed is a pure number, not one with the unit {unit}");
                Err(Error::new(self.span.clone(), why))
            }
            _ => Ok(()),
        }
    }
}

impl Lowering<'_> {
    /// random(k): the only function that is naga's own to none.
    pub(super) fn random(
        &mut self,
        argument: Handle<Expression>,
        span: &Range<usize>,
    ) -> Result<Known, Error> {
        let word = match self.function.expressions[argument] {
            Expression::Literal(Literal::U32(k)) => u8::try_from(k).ok().filter(|k| *k < 16),
            _ => None,
        };
        let refused = || Error::new(span.clone(), "random(k): allowed is a number k from 0 to 15");
        let part = self.code.push(Op::Random, [word.ok_or_else(refused)?, 0, 0]);
        Ok(Known { kind: Kind::Number, parts: vec![part], unit: Some(Unit::NONE) })
    }

    /// table(k, row, column); none where k is no table of the term.
    pub(super) fn table(
        &mut self,
        table: Handle<Expression>,
        at: [Handle<Expression>; 2],
    ) -> Option<Result<Known, Error>> {
        let Expression::FunctionArgument(k) = self.function.expressions[table] else { return None };
        let Argument::Own(k) = self.arguments[k as usize] else { return None };
        let (first, side, unit) = (self.own[k].first, self.own[k].side, self.own[k].unit);
        self.reads[k] = true;
        let at = at.map(|index| self.known(index).map(|known| known.parts[0]));
        Some(match at {
            [Ok(row), Ok(column)] => {
                let part = self.code.table(first, side, [row, column]);
                Ok(Known { kind: Kind::Number, parts: vec![part], unit: Some(unit) })
            }
            [Err(error), _] | [_, Err(error)] => Err(error),
        })
    }

    pub(super) fn math(
        &mut self,
        function: MathFunction,
        known: Vec<Known>,
        handles: &[Handle<Expression>],
        span: &Range<usize>,
    ) -> Result<Known, Error> {
        let call = Call { known, handles, span };
        if call.known[0].kind == Kind::Truth {
            return Err(call.refused());
        }
        match function {
            MathFunction::Clamp | MathFunction::Saturate => self.clamped(&call),
            MathFunction::SmoothStep => self.smooth_step(&call),
            _ if call.known.len() == 1 => self.of_one(function, &call),
            _ => self.of_more(function, &call),
        }
    }

    fn of_one(&mut self, function: MathFunction, call: &Call<'_>) -> Result<Known, Error> {
        let a = call.known[0].clone();
        Ok(match function {
            MathFunction::Abs => self.each(a, |code, a| code.one(Op::Absolute, a)),
            MathFunction::Floor => {
                call.pure(0, "floor")?;
                self.each(a, |code, a| code.one(Op::Floor, a))
            }
            MathFunction::Fract => {
                call.pure(0, "fract")?;
                self.each(a, |code, a| code.one(Op::Fraction, a))
            }
            MathFunction::Sin | MathFunction::Cos => {
                call.pure(0, if function == MathFunction::Sin { "sin" } else { "cos" })?;
                self.each(a, |code, a| code.sine(a, function == MathFunction::Cos))
            }
            MathFunction::Exp => {
                call.pure(0, "exp")?;
                self.each(a, Code::exponential)
            }
            MathFunction::Sqrt => {
                let unit = a.unit.map(Unit::root);
                Known { unit, ..self.each(a, |code, a| code.one(Op::Root, a)) }
            }
            MathFunction::Sign => {
                let sign = self.each(a, |code, a| {
                    let zero = code.constant(0.0);
                    let (above, below) = (code.two(Op::Less, zero, a), code.two(Op::Less, a, zero));
                    code.two(Op::Subtract, above, below)
                });
                Known { unit: Some(Unit::NONE), ..sign }
            }
            MathFunction::Length => Known { parts: vec![self.code.length(&a.parts)], ..a },
            MathFunction::Normalize => {
                let parts = self.code.direction(&a.parts);
                Known { kind: Kind::Number, parts, unit: Some(Unit::NONE) }
            }
            _ => return Err(call.refused()),
        })
    }

    fn of_more(&mut self, function: MathFunction, call: &Call<'_>) -> Result<Known, Error> {
        let (a, known) = (call.known[0].clone(), &call.known);
        Ok(match function {
            MathFunction::Min | MathFunction::Max => {
                let (op, name) =
                    if function == MathFunction::Min { (Op::Minimum, "min") } else { (Op::Maximum, "max") };
                let unit = self.same_unit(a.unit, known[1].unit, call.both(1), call.span, name)?;
                Known {
                    kind: a.kind,
                    parts: self.pairs(&a, &known[1], |code, a, b| code.two(op, a, b)),
                    unit,
                }
            }
            MathFunction::Mix => {
                let unit = self.same_unit(a.unit, known[1].unit, call.both(1), call.span, "and")?;
                call.pure(2, "mix, the third")?;
                let rest = self.each(known[2].clone(), Code::not);
                let first =
                    Known { parts: self.pairs(&a, &rest, |code, a, b| code.two(Op::Multiply, a, b)), ..a };
                let second = self.pairs(&known[1], &known[2], |code, a, b| code.two(Op::Multiply, a, b));
                let second = Known { parts: second, ..first.clone() };
                let parts = self.pairs(&first, &second, |code, a, b| code.two(Op::Add, a, b));
                Known { parts, unit, ..first }
            }
            MathFunction::Step => {
                self.same_unit(a.unit, known[1].unit, call.both(1), call.span, "and")?;
                let parts = self.pairs(&a, &known[1], |code, a, b| code.two(Op::LessEqual, a, b));
                Known { kind: Kind::Number, parts, unit: Some(Unit::NONE) }
            }
            MathFunction::Dot => {
                let part = self.code.dot(&a.parts, &known[1].parts);
                let unit = a.unit.zip(known[1].unit).map(|(a, b)| a + b);
                Known { kind: a.kind, parts: vec![part], unit }
            }
            MathFunction::Cross => {
                let (u, v) = (&a.parts, &known[1].parts);
                let parts = [(1, 2), (2, 0), (0, 1)].map(|(i, k)| {
                    let plus = self.code.two(Op::Multiply, u[i], v[k]);
                    let minus = self.code.two(Op::Multiply, u[k], v[i]);
                    self.code.two(Op::Subtract, plus, minus)
                });
                let unit = a.unit.zip(known[1].unit).map(|(a, b)| a + b);
                Known { kind: Kind::Number, parts: parts.to_vec(), unit }
            }
            MathFunction::Distance => {
                let unit = self.same_unit(a.unit, known[1].unit, call.both(1), call.span, "and")?;
                let apart = self.pairs(&a, &known[1], |code, a, b| code.two(Op::Subtract, a, b));
                Known { kind: Kind::Number, parts: vec![self.code.length(&apart)], unit }
            }
            _ => return Err(call.refused()),
        })
    }

    fn clamped(&mut self, call: &Call<'_>) -> Result<Known, Error> {
        let (a, known, handles) = (call.known[0].clone(), &call.known, call.handles);
        let limit = |lowering: &mut Self, k: usize, number: f64| match known.get(k) {
            Some(known) => known.clone(),
            None => {
                let part = lowering.code.constant(number);
                Known { kind: Kind::Number, parts: vec![part], unit: Some(Unit::NONE) }
            }
        };
        let (low, high) = (limit(self, 1, 0.0), limit(self, 2, 1.0));
        let second = handles.get(1).copied().unwrap_or(handles[0]);
        let third = handles.get(2).copied().unwrap_or(handles[0]);
        let unit = self.same_unit(a.unit, low.unit, (handles[0], second), call.span, "and")?;
        let unit = self.same_unit(unit, high.unit, (handles[0], third), call.span, "and")?;
        let above = Known { parts: self.pairs(&a, &low, |code, a, b| code.two(Op::Maximum, a, b)), ..a };
        let parts = self.pairs(&above, &high, |code, a, b| code.two(Op::Minimum, a, b));
        Ok(Known { parts, unit, ..above })
    }

    fn smooth_step(&mut self, call: &Call<'_>) -> Result<Known, Error> {
        let (a, known) = (call.known[0].clone(), &call.known);
        let unit = self.same_unit(a.unit, known[1].unit, call.both(1), call.span, "and")?;
        self.same_unit(unit, known[2].unit, call.both(2), call.span, "and")?;
        let over = self.pairs(&known[2], &a, |code, x, low| code.two(Op::Subtract, x, low));
        let width = self.pairs(&known[1], &a, |code, high, low| code.two(Op::Subtract, high, low));
        let [over, width] = [over, width].map(|parts| Known { parts, ..a.clone() });
        let parts = self.pairs(&over, &width, |code, over, width| {
            let (zero, one) = (code.constant(0.0), code.constant(1.0));
            let share = code.two(Op::Divide, over, width);
            let share = code.two(Op::Maximum, share, zero);
            let t = code.two(Op::Minimum, share, one);
            let (two, three) = (code.constant(2.0), code.constant(3.0));
            let twice = code.two(Op::Multiply, t, two);
            let rest = code.two(Op::Subtract, three, twice);
            let square = code.two(Op::Multiply, t, t);
            code.two(Op::Multiply, square, rest)
        });
        Ok(Known { kind: Kind::Number, parts, unit: Some(Unit::NONE) })
    }
}

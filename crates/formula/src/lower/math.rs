//! Operators and functions.

use std::ops::Range;

use flock::formula::Op;
use naga::{BinaryOperator, Expression, Literal, MathFunction};

use super::{Expr, Kind, LoweredValue, Lowering, no_operation};
use crate::Error;
use crate::code::{Code, TurnAngle};
use crate::names::TermParameter;
use crate::parse::Argument;
use crate::units::Unit;

/// A call of a function.
struct Call<'a> {
    known: Vec<LoweredValue>,
    handles: Vec<Expr>,
    span: &'a Range<usize>,
}

impl Call<'_> {
    fn refused(&self) -> Error {
        Error::new(self.span.clone(), "unknown function")
    }

    /// The unit of the first argument, which another must have as well.
    fn same_unit(&self, of: &Lowering<'_>, k: usize, sign: &str) -> Result<Option<Unit>, Error> {
        let both = (self.handles[0], self.handles[k]);
        of.same_unit(self.known[0].unit, self.known[k].unit, both, self.span, sign)
    }

    /// The common unit of the first and two other arguments.
    fn same_units(&self, of: &Lowering<'_>) -> Result<Option<Unit>, Error> {
        let unit = self.same_unit(of, 1, "and")?;
        of.same_unit(unit, self.known[2].unit, (self.handles[0], self.handles[2]), self.span, "and")
    }

    /// Refuses an argument with a unit.
    fn pure(&self, k: usize, name: &str) -> Result<(), Error> {
        match self.known[k].unit {
            Some(unit) if unit != Unit::NONE => {
                let why = format!("{name} requires a number without a unit, not one in {unit}");
                Err(Error::new(self.span.clone(), why))
            }
            _ => Ok(()),
        }
    }
}

impl Lowering<'_> {
    /// A sum, a difference or a product; one of whole numbers must be exact.
    fn sum_or_product(&mut self, op: Op, a: &LoweredValue, b: &LoweredValue) -> Vec<u8> {
        let exact = a.kind.exact();
        self.pairs(a, b, |code, a, b| code.push(op, [a, b, exact]))
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOperator,
        left: Expr,
        right: Expr,
        span: &Range<usize>,
    ) -> Result<LoweredValue, Error> {
        let (a, b) = (self.known(left)?, self.known(right)?);
        let both = (left, right);
        let truth = |parts| LoweredValue::pure(Kind::Truth, parts);
        let factor = |a: Option<Unit>, b: Option<Unit>, f: fn(Unit, Unit) -> Unit| Some(f(a?, b?));
        Ok(match op {
            BinaryOperator::Add | BinaryOperator::Subtract => {
                let (op, sign) =
                    if op == BinaryOperator::Add { (Op::Add, "+") } else { (Op::Subtract, "−") };
                let unit = self.same_unit(a.unit, b.unit, both, span, sign)?;
                LoweredValue { kind: a.kind, parts: self.sum_or_product(op, &a, &b), unit }
            }
            BinaryOperator::Multiply => {
                let parts = self.sum_or_product(Op::Multiply, &a, &b);
                LoweredValue { kind: a.kind, parts, unit: factor(a.unit, b.unit, |a, b| a + b) }
            }
            BinaryOperator::Divide if a.kind == Kind::Number => {
                let parts = self.by(Op::Divide, &a, &b);
                LoweredValue { kind: a.kind, parts, unit: factor(a.unit, b.unit, |a, b| a - b) }
            }
            BinaryOperator::Divide | BinaryOperator::Modulo if a.kind == Kind::Whole => {
                let rest = op == BinaryOperator::Modulo;
                LoweredValue::pure(
                    Kind::Whole,
                    self.pairs(&a, &b, |code, a, b| code.whole_quotient(a, b, rest)),
                )
            }
            BinaryOperator::Equal | BinaryOperator::NotEqual => {
                let sign = if op == BinaryOperator::Equal { "==" } else { "!=" };
                self.same_unit(a.unit, b.unit, both, span, sign)?;
                let known = truth(self.by(Op::Equal, &a, &b));
                if op == BinaryOperator::Equal { known } else { self.each(known, Code::not) }
            }
            BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual => {
                let sign = match op {
                    BinaryOperator::Less => "<",
                    BinaryOperator::LessEqual => "<=",
                    BinaryOperator::Greater => ">",
                    _ => ">=",
                };
                self.same_unit(a.unit, b.unit, both, span, sign)?;
                truth(match op {
                    BinaryOperator::Less => self.by(Op::Less, &a, &b),
                    BinaryOperator::LessEqual => self.by(Op::LessEqual, &a, &b),
                    BinaryOperator::Greater => self.by(Op::Less, &b, &a),
                    _ => self.by(Op::LessEqual, &b, &a),
                })
            }
            BinaryOperator::And | BinaryOperator::LogicalAnd if a.kind == Kind::Truth => {
                truth(self.by(Op::Minimum, &a, &b))
            }
            BinaryOperator::InclusiveOr | BinaryOperator::LogicalOr if a.kind == Kind::Truth => {
                truth(self.by(Op::Maximum, &a, &b))
            }
            BinaryOperator::Modulo => {
                return Err(Error::new(span.clone(), "% requires whole numbers").hint("use fract(a / b) * b"));
            }
            _ => return Err(no_operation(span)),
        })
    }

    /// random(k): not a function of naga's.
    pub(super) fn random(&mut self, argument: Expr, span: &Range<usize>) -> Result<LoweredValue, Error> {
        let word = match self.function.expressions[argument] {
            Expression::Literal(Literal::U32(k)) => u8::try_from(k).ok().filter(|k| *k < 16),
            _ => None,
        };
        let refused = || Error::new(span.clone(), "random(k): k must be a number, 0 to 15");
        let part = self.code.push(Op::Random, [word.ok_or_else(refused)?, 0, 0]);
        Ok(LoweredValue::pure(Kind::Number, vec![part]))
    }

    /// table(k, row, column), where k is a table of the term.
    pub(super) fn table(
        &mut self,
        table: Expr,
        row: Expr,
        column: Expr,
        span: &Range<usize>,
    ) -> Result<LoweredValue, Error> {
        let Expression::FunctionArgument(k) = self.function.expressions[table] else {
            return Err(no_operation(span));
        };
        let Argument::Parameter(k) = self.arguments[k as usize] else { return Err(no_operation(span)) };
        let at = [self.known(row)?.parts[0], self.known(column)?.parts[0]];
        self.reads[k] = true;
        let TermParameter { first, side, unit, .. } = self.names.parameters[k];
        Ok(LoweredValue {
            kind: Kind::Number,
            parts: vec![self.code.table(first, side, at)],
            unit: Some(unit),
        })
    }

    /// turn(v, towards, angle) and turn_away(v, from, angle): the vector v turned, at most by an angle in degrees.
    pub(super) fn turn(
        &mut self,
        op: Op,
        [vector, towards, angle]: [Expr; 3],
        span: &Range<usize>,
    ) -> Result<LoweredValue, Error> {
        let angle = match self.function.expressions[angle] {
            Expression::Literal(Literal::F32(number)) => {
                self.code.turn_values(TurnAngle::Constant(f64::from(number)))
            }
            Expression::FunctionArgument(k) if let Argument::Parameter(k) = self.arguments[k as usize] => {
                let TermParameter { first, unit, ref name, .. } = self.names.parameters[k];
                if unit != Unit::NONE {
                    let why = format!("the angle {name} must have no unit, not {unit}");
                    return Err(Error::new(span.clone(), why));
                }
                self.reads[k] = true;
                self.code.turn_values(TurnAngle::Parameter(first))
            }
            _ => {
                let why = "the angle must be a number or a parameter of the term, in degrees (0 to 180)";
                return Err(Error::new(span.clone(), why));
            }
        };
        let (vector, towards) = (self.known(vector)?, self.known(towards)?);
        let (from, length) = (self.code.direction(&vector.parts), self.code.length(&vector.parts));
        let to = self.code.direction(&towards.parts);
        let turned = self.code.vector(op, [from[0], to[0], angle]);
        let parts = turned.map(|part| self.code.two(Op::Multiply, part, length));
        Ok(LoweredValue { parts: parts.to_vec(), ..vector })
    }

    pub(super) fn math(
        &mut self,
        function: MathFunction,
        mut handles: Vec<Expr>,
        span: &Range<usize>,
    ) -> Result<LoweredValue, Error> {
        let mut known = handles.iter().map(|handle| self.known(*handle)).collect::<Result<Vec<_>, _>>()?;
        if function == MathFunction::Saturate {
            known.extend(
                [0.0, 1.0].map(|limit| LoweredValue::pure(Kind::Number, vec![self.code.constant(limit)])),
            );
            handles = vec![handles[0]; 3];
        }
        let call = Call { known, handles, span };
        if call.known[0].kind == Kind::Truth {
            return Err(call.refused());
        }
        if function == MathFunction::Saturate {
            call.pure(0, "saturate")?;
        }
        match function {
            MathFunction::SmoothStep => self.smooth_step(&call),
            _ if call.known.len() == 1 => self.of_one(function, &call),
            _ => self.of_more(function, &call),
        }
    }

    fn of_one(&mut self, function: MathFunction, call: &Call<'_>) -> Result<LoweredValue, Error> {
        let a = call.known[0].clone();
        let of_pure = ["floor", "fract", "sin", "cos", "exp"];
        let name = format!("{function:?}").to_lowercase();
        if of_pure.contains(&name.as_str()) {
            call.pure(0, &name)?;
        }
        Ok(match function {
            MathFunction::Abs => self.each(a, |code, a| code.one(Op::Absolute, a)),
            MathFunction::Floor => self.each(a, |code, a| code.one(Op::Floor, a)),
            MathFunction::Fract => self.each(a, |code, a| code.one(Op::Fraction, a)),
            MathFunction::Sin => self.each(a, |code, a| code.sine(a, false)),
            MathFunction::Cos => self.each(a, |code, a| code.sine(a, true)),
            MathFunction::Exp => self.each(a, Code::exponential),
            MathFunction::Sqrt => {
                let without = |unit| {
                    let why = format!("sqrt: the unit {unit} has no square root in whole or half powers");
                    Error::new(call.span.clone(), why)
                };
                let unit = a.unit.map(|unit| unit.root().ok_or_else(|| without(unit))).transpose()?;
                LoweredValue { unit, ..self.each(a, |code, a| code.one(Op::Root, a)) }
            }
            MathFunction::Sign => LoweredValue { unit: Some(Unit::NONE), ..self.each(a, Code::sign) },
            MathFunction::Length => LoweredValue { parts: vec![self.code.length(&a.parts)], ..a },
            MathFunction::Normalize => LoweredValue::pure(Kind::Number, self.code.direction(&a.parts)),
            _ => return Err(call.refused()),
        })
    }

    fn of_more(&mut self, function: MathFunction, call: &Call<'_>) -> Result<LoweredValue, Error> {
        let (a, known) = (call.known[0].clone(), &call.known);
        let b = &known[1];
        Ok(match function {
            MathFunction::Min => {
                let unit = call.same_unit(self, 1, "min")?;
                LoweredValue { parts: self.by(Op::Minimum, &a, b), unit, ..a }
            }
            MathFunction::Max => {
                let unit = call.same_unit(self, 1, "max")?;
                LoweredValue { parts: self.by(Op::Maximum, &a, b), unit, ..a }
            }
            MathFunction::Clamp | MathFunction::Saturate => {
                let unit = call.same_units(self)?;
                let above = LoweredValue { parts: self.by(Op::Maximum, &a, b), ..a };
                LoweredValue { parts: self.by(Op::Minimum, &above, &known[2]), unit, ..above }
            }
            MathFunction::Mix => {
                let unit = call.same_unit(self, 1, "and")?;
                call.pure(2, "the third argument of mix")?;
                let rest = self.each(known[2].clone(), Code::not);
                let first = LoweredValue { parts: self.by(Op::Multiply, &a, &rest), ..a };
                let second = LoweredValue { parts: self.by(Op::Multiply, b, &known[2]), ..first.clone() };
                LoweredValue { parts: self.by(Op::Add, &first, &second), unit, ..first }
            }
            MathFunction::Step => {
                call.same_unit(self, 1, "and")?;
                LoweredValue::pure(Kind::Number, self.by(Op::LessEqual, &a, b))
            }
            MathFunction::Dot => {
                let unit = a.unit.zip(b.unit).map(|(a, b)| a + b);
                LoweredValue { parts: vec![self.code.dot(&a.parts, &b.parts, a.kind.exact())], unit, ..a }
            }
            MathFunction::Cross => {
                let parts = [(1, 2), (2, 0), (0, 1)].map(|(i, k)| {
                    let plus = self.code.two(Op::Multiply, a.parts[i], b.parts[k]);
                    let minus = self.code.two(Op::Multiply, a.parts[k], b.parts[i]);
                    self.code.two(Op::Subtract, plus, minus)
                });
                let unit = a.unit.zip(b.unit).map(|(a, b)| a + b);
                LoweredValue { kind: Kind::Number, parts: parts.to_vec(), unit }
            }
            MathFunction::Distance => {
                let unit = call.same_unit(self, 1, "and")?;
                let apart = self.by(Op::Subtract, &a, b);
                LoweredValue { kind: Kind::Number, parts: vec![self.code.length(&apart)], unit }
            }
            _ => return Err(call.refused()),
        })
    }

    fn smooth_step(&mut self, call: &Call<'_>) -> Result<LoweredValue, Error> {
        let (a, known) = (call.known[0].clone(), &call.known);
        call.same_units(self)?;
        let over = LoweredValue { parts: self.by(Op::Subtract, &known[2], &a), ..a.clone() };
        let width = LoweredValue { parts: self.by(Op::Subtract, &known[1], &a), ..a };
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
        Ok(LoweredValue::pure(Kind::Number, parts))
    }
}

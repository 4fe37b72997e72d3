//! Operators between two values.

use std::ops::Range;

use flock::formula::Op;
use naga::BinaryOperator;

use super::{Expr, Kind, LoweredValue, Lowering, no_operation};
use crate::code::Code;
use crate::error::Error;
use crate::units::Unit;

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
}

//! The terms of a rule in the number type of an engine: code with its digits, and values.

use core::fmt;
use core::num::NonZeroU8;
use core::ops::Range;

use super::code::{Input, Instruction, MAX_SUMS, Node, Op, SLOTS, WHOLE};
use super::digits::{FlockRanges, Span, Spans, Unfit, assign, check_request};
use super::terms::{Formula, FormulaTerm};
use super::{MAX_TERMS, MAX_TOGETHER, MAX_VALUES};
use crate::number::{Number, Vec3};
use crate::rule::Rule;
use crate::state::Boid;

/// The slots of a neighbour, without its position.
pub const OF_OTHERS: Range<usize> = Input::TheirVelocity as usize..Input::TheirId as usize + 1;

/// A term that integers refuse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnfitTerm {
    /// Its name.
    pub name: &'static str,
    /// The reason.
    pub why: Unfit,
}

impl fmt::Display for UnfitTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "terms.{}: {}", self.name, self.why)
    }
}

impl core::error::Error for UnfitTerm {}

/// The terms of a rule, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Prepared<T> {
    pub(super) code: [Instruction; MAX_TOGETHER],
    /// The constants and parameters of all formulas.
    pub values: [T; MAX_VALUES],
    /// The sum and the request of each [`Row`].
    pub(super) formulas: [[PreparedFormula<T>; 2]; MAX_TERMS],
    /// The least and the greatest word of each slot.
    pub(super) limits: [[T; 2]; SLOTS],
    /// The digits of the time in integers.
    pub time_digits: i8,
}

/// A sum of a term and, in the row of its last sum, the request. A term without sums has one row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a, T> {
    /// The sum; not used in a term without sums.
    pub sum: &'a PreparedFormula<T>,
    /// The request; not used in rows before the last of a term.
    pub request: &'a PreparedFormula<T>,
    /// The number of the sum among those of its term.
    pub number: usize,
}

/// A formula of a term.
#[derive(Clone, Copy, Debug)]
pub struct PreparedFormula<T> {
    pub(super) code: [usize; 2],
    pub(super) values: [usize; 2],
    /// The registers of x, y and z.
    pub result: [u8; 3],
    /// Right shifts of the result, in digits: a sum to the digits of its input, a request to the unit of the rule.
    pub shift: [i8; 3],
    /// Bit set of the slots that it reads: see `Node::reads`.
    pub reads: u32,
    /// The radius of a sum.
    pub radius: T,
    /// The register of a sum that is 0 for a boid that is not perceived.
    pub perceived: Option<NonZeroU8>,
    /// Number of nearest perceived boids in a sum; 0: all.
    pub nearest: u32,
    /// True if the term has this formula.
    pub used: bool,
}

impl<T> PreparedFormula<T> {
    fn code(&self) -> Range<usize> {
        self.code[0]..self.code[1]
    }

    /// The range of its values in [`Prepared::values`].
    #[must_use]
    pub fn values(&self) -> Range<usize> {
        self.values[0]..self.values[1]
    }

    /// True if it reads the slot, or for a vector any of its components.
    #[inline(always)]
    pub fn reads(&self, input: Input) -> bool {
        reads(self.reads, input)
    }
}

/// [`PreparedFormula::reads`] for a bit set of slots.
#[inline(always)]
pub(super) fn reads(slots: u32, input: Input) -> bool {
    let vectors = [Input::Position, Input::Velocity, Input::Heading, Input::TheirVelocity];
    slots >> input as u32 & if vectors.contains(&input) { 7 } else { 1 } != 0
}

impl<T: Number> PreparedFormula<T> {
    /// The part of a term without this formula.
    const NONE: Self = PreparedFormula {
        code: [0; 2],
        values: [0; 2],
        result: [0; 3],
        shift: [0; 3],
        reads: 0,
        radius: T::ZERO,
        perceived: None,
        nearest: 0,
        used: false,
    };
}

impl<T: Number> Prepared<T> {
    /// Without any term.
    pub const EMPTY: Self = Prepared {
        code: [Instruction::plain(&Node { op: Op::Rest, operands: [0; 3] }); MAX_TOGETHER],
        values: [T::ZERO; MAX_VALUES],
        formulas: [[PreparedFormula::NONE; 2]; MAX_TERMS],
        limits: [[T::ZERO; 2]; SLOTS],
        time_digits: 0,
    };

    /// The terms of a rule; none if it has none.
    ///
    /// # Errors
    /// In integers, when a number does not fit, or so coarsely that a step would err by more than it may.
    pub fn new(rule: &Rule<T>) -> Result<Option<Self>, UnfitTerm> {
        let terms = rule.formula_values.terms.terms();
        if terms.is_empty() {
            return Ok(None);
        }
        let known = T::DIGITS.then(|| FlockRanges::by_rule(rule));
        let limits = known.map_or([[T::ZERO; 2]; SLOTS], |known| {
            known.spans.map(|span| [span.low, span.high].map(|number| T::word(number, span.digits)))
        });
        let time_digits = known.map_or(0, |known| known.spans[Input::Time as usize].digits);
        let mut prepared = Prepared { limits, time_digits, ..Self::EMPTY };
        let mut last = PreparedFormula::NONE;
        let mut next = 0;
        for term in terms {
            // A term that fits any number of boids has the same digits for each.
            let fitted = match (prepared.term(rule, last, term, known), known) {
                (Err(_), Some(known)) => {
                    prepared.term(rule, last, term, Some(known.of_boids(rule.formula_values.boids)))
                }
                (rows, _) => rows,
            };
            let rows = fitted.map_err(|why| UnfitTerm { name: term.name, why })?;
            // The compiler of terms keeps to the number of rows; those beyond it are dropped.
            for row in &rows[..term.sums.len().clamp(1, MAX_SUMS)] {
                if let Some(place) = prepared.formulas.get_mut(next) {
                    *place = *row;
                    last = row[1];
                }
                next += 1;
            }
        }
        Ok(Some(prepared))
    }

    /// Adds the code and values of a term behind those of the last part: its sums and its request, in rows.
    fn term(
        &mut self,
        rule: &Rule<T>,
        mut last: PreparedFormula<T>,
        term: &FormulaTerm,
        mut known: Option<FlockRanges>,
    ) -> Result<[[PreparedFormula<T>; 2]; MAX_SUMS], Unfit> {
        let mut rows = [[PreparedFormula::NONE; 2]; MAX_SUMS];
        for (number, each) in term.sums.iter().enumerate().take(MAX_SUMS) {
            let (mut sum, of_sum) = self.add(rule, &last, &each.formula, known.as_ref())?;
            sum.radius = rule.scaled(rule.formula_values.terms.value(each.radius));
            sum.perceived = each.perceived;
            sum.nearest = rule.formula_values.nearest(each);
            for (axis, register) in sum.result.into_iter().enumerate() {
                if let (Some(known), Some(of_sum)) = (&mut known, &of_sum) {
                    let span = of_sum[usize::from(register)];
                    let total = known.sum(span);
                    sum.shift[axis] = span.digits - total.digits;
                    known.spans[Input::Sum.of_sum(number) + axis] = total;
                }
            }
            (rows[number][0], last) = (sum, sum);
        }
        let (mut request, of_request) = self.add(rule, &last, &term.request, known.as_ref())?;
        if let Some(of_request) = of_request {
            let unit = Span::digits_of_unit(rule.unit.to_f64());
            let spans = request.result.map(|register| of_request[usize::from(register)]);
            check_request(spans, rule.unscaled(rule.max_speed))?;
            request.shift = spans.map(|span| span.digits - unit);
        }
        rows[term.sums.len().clamp(1, MAX_SUMS) - 1][1] = request;
        Ok(rows)
    }

    /// Adds the code and values of a formula, behind those of the last one.
    fn add(
        &mut self,
        rule: &Rule<T>,
        last: &PreparedFormula<T>,
        formula: &Formula,
        known: Option<&FlockRanges>,
    ) -> Result<(PreparedFormula<T>, Option<Spans>), Unfit> {
        // The compiler of terms keeps to the limits; code and values beyond them are dropped.
        let ([_, code], [_, first]) = (last.code, last.values);
        let nodes = &formula.nodes[..formula.nodes.len().min(MAX_TOGETHER - code)];
        let values = &formula.values[..formula.values.len().min(MAX_VALUES - first)];
        let compiled = PreparedFormula {
            code: [code, code + nodes.len()],
            values: [first, first + values.len()],
            result: formula.result,
            reads: nodes.iter().fold(0, |all, node| all | node.reads()),
            used: true,
            ..PreparedFormula::NONE
        };
        let mut of_values = [Span::of(0.0, 0.0); MAX_VALUES];
        for (span, source) in of_values.iter_mut().zip(values) {
            *span = Span::of_numbers(core::iter::once(rule.formula_values.value(*source)));
        }
        let tables = nodes.iter().enumerate().filter(|(_, node)| node.op == Op::Table).map(|(k, node)| {
            let start = usize::from(node.operands[2]);
            (k, start, values.get(start).map_or(0, |source| rule.formula_values.side(*source)))
        });
        for (_, first, side) in tables.clone() {
            let numbers = first..first + side * side;
            if let (Some(spans), Some(sources)) = (of_values.get_mut(numbers.clone()), values.get(numbers)) {
                spans.fill(Span::of_numbers(sources.iter().map(|source| rule.formula_values.value(*source))));
            }
        }
        for ((span, value), source) in of_values.iter().zip(&mut self.values[compiled.values()]).zip(values) {
            *value = T::word(rule.formula_values.value(*source), span.digits);
        }
        let code = &mut self.code[compiled.code()];
        let spans = match known {
            Some(known) => Some(assign(nodes, &known.spans, &of_values[..values.len()], code)?),
            None => {
                code.iter_mut().zip(nodes).for_each(|(place, node)| *place = Instruction::plain(node));
                None
            }
        };
        for (k, _, side) in tables {
            code[k].shift[2] = side as i8;
        }
        let results = code.iter_mut().enumerate().filter(|(k, _)| compiled.result.contains(&(*k as u8)));
        results.filter(|(_, of)| of.op == Op::Input).for_each(|(_, of)| of.b = 1);
        Ok((compiled, spans))
    }

    /// The slots of [`OF_OTHERS`] that formulas read.
    pub fn read_of_others(&self) -> impl Iterator<Item = usize> {
        let reads = self.reads();
        OF_OTHERS.filter(move |slot| reads >> slot & 1 == 1)
    }

    /// The value of a slot of [`OF_OTHERS`] for a boid.
    #[inline(always)]
    pub fn known_of(&self, slot: usize, boid: &Boid<T>, id: u32) -> T {
        match slot - OF_OTHERS.start {
            axis @ 0..3 => boid.velocity[axis].cut(self.limits[slot]),
            3 => T::whole(boid.group),
            _ => T::whole(id % WHOLE),
        }
    }

    /// The rows of the terms, in order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_, T>> {
        let mut next = 0;
        self.formulas.iter().take_while(|[sum, request]| sum.used || request.used).map(
            move |[sum, request]| {
                let number = next;
                next = if request.used { 0 } else { (number + 1) % MAX_SUMS };
                Row { sum, request, number }
            },
        )
    }

    /// The instructions of a formula.
    #[must_use]
    pub fn code_of(&self, formula: &PreparedFormula<T>) -> &[Instruction] {
        &self.code[formula.code()]
    }

    /// The least and the greatest words of a vector input, by component: vectors are clamped to them.
    #[must_use]
    pub fn limits(&self, input: Input) -> [[T; 3]; 2] {
        let slot = input as usize;
        [0, 1].map(|end| [0, 1, 2].map(|axis| self.limits[slot + axis][end]))
    }

    /// Bit set of the slots that the formulas read.
    pub(super) fn reads(&self) -> u32 {
        self.formulas.iter().flatten().fold(0, |all, formula| all | formula.reads)
    }

    /// A vector, its components clamped to the limits of an input.
    #[inline(always)]
    pub(super) fn cut(&self, vector: Vec3<T>, input: Input) -> Vec3<T> {
        let (slot, limits) = (input as usize, &self.limits);
        Vec3::new(vector.x.cut(limits[slot]), vector.y.cut(limits[slot + 1]), vector.z.cut(limits[slot + 2]))
    }
}

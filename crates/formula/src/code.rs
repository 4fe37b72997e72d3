//! Builds straight-line code: equal operations are shared, and functions become the few operations.

use std::collections::HashMap;

use flock::formula::{EXACT, Input, Node, Op, Reference, ValueSource};
use flock::rule::angle_values;

/// An angle of a turn, in degrees.
pub(crate) enum TurnAngle {
    Constant(f64),
    /// The number of a parameter among those of all terms.
    Parameter(usize),
}

/// The code so far. It may have more operations than a formula, until unneeded ones are pruned.
#[derive(Default)]
pub(crate) struct Code {
    pub nodes: Vec<Node>,
    same: HashMap<Node, u8>,
    pub values: Vec<ValueSource>,
    /// The numbers of the flock's own parameters, of all formulas so far.
    pub references: Vec<Reference>,
    full: bool,
}

impl Code {
    pub fn new(references: Vec<Reference>) -> Self {
        Code { references, ..Code::default() }
    }

    /// The register of an operation: that of an equal operation before it, or of an operand that it leaves unchanged.
    pub fn push(&mut self, op: Op, operands: [u8; 3]) -> u8 {
        let is = |k: usize, number: f64| self.is_constant(operands[k], number);
        match op {
            Op::Multiply if is(0, 0.0) || is(1, 1.0) => return operands[0],
            Op::Multiply if is(1, 0.0) || is(0, 1.0) => return operands[1],
            Op::Add if is(0, 0.0) => return operands[1],
            Op::Add | Op::Subtract if is(1, 0.0) => return operands[0],
            _ => {}
        }
        let node = Node { op, operands };
        if let Some(register) = self.same.get(&node) {
            return *register;
        }
        // Code that is full is refused at the end: its registers are wrong, and never used.
        let Ok(register) = u8::try_from(self.nodes.len()) else {
            self.full = true;
            return u8::MAX;
        };
        self.nodes.push(node);
        if op != Op::Rest {
            self.same.insert(node, register);
        }
        register
    }

    fn known_constant(&self, register: u8) -> Option<f64> {
        let node = self.nodes.get(usize::from(register)).filter(|node| node.op == Op::Value)?;
        match self.values.get(usize::from(node.operands[0]))? {
            ValueSource::Constant(number) => Some(*number),
            _ => None,
        }
    }

    fn is_constant(&self, register: u8, number: f64) -> bool {
        self.known_constant(register) == Some(number)
    }

    pub fn value(&mut self, value: ValueSource) -> u8 {
        let place = self.values.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        self.push(Op::Value, [place.min(255) as u8, 0, 0])
    }

    /// The number in a row and a column of a table of `side` rows; `first` is its first number in all terms'
    /// parameters.
    pub fn table(&mut self, first: usize, side: usize, [row, column]: [u8; 2]) -> u8 {
        let known = self.values.iter().position(|known| *known == ValueSource::Parameter(first));
        let place = known.unwrap_or_else(|| {
            self.values.extend((first..first + side * side).map(ValueSource::Parameter));
            self.values.len() - side * side
        });
        // A place beyond that is refused: there are too many values.
        self.push(Op::Table, [row, column, place.min(255) as u8])
    }

    /// The number of the first of two values: the cosine and the sine of an angle in degrees.
    pub fn turn_values(&mut self, angle: TurnAngle) -> u8 {
        let sources = match angle {
            TurnAngle::Parameter(k) => [ValueSource::Cosine(k), ValueSource::Sine(k)],
            TurnAngle::Constant(degrees) => angle_values(degrees).map(ValueSource::Constant),
        };
        let known = self.values.windows(2).position(|pair| pair == sources);
        let place = known.unwrap_or_else(|| {
            self.values.extend(sources);
            self.values.len() - 2
        });
        // A place beyond that is refused: there are too many values.
        place.min(255) as u8
    }

    /// A component of a parameter of the flock.
    pub fn parameter(&mut self, reference: Reference) -> u8 {
        let known = self.references.iter().position(|known| *known == reference);
        let place = known.unwrap_or_else(|| {
            self.references.push(reference);
            self.references.len() - 1
        });
        self.value(ValueSource::Reference(place))
    }

    /// A constant, rounded to f32, so that every number type has the same one.
    pub fn constant(&mut self, number: f64) -> u8 {
        self.value(ValueSource::Constant(f64::from(number as f32)))
    }

    pub fn two(&mut self, op: Op, a: u8, b: u8) -> u8 {
        self.push(op, [a, b, 0])
    }

    pub fn one(&mut self, op: Op, a: u8) -> u8 {
        self.push(op, [a, 0, 0])
    }

    pub fn select(&mut self, condition: u8, accept: u8, reject: u8) -> u8 {
        // A negated condition swaps the branches.
        if let Some(Node { op: Op::Subtract, operands: [one, truth, _] }) =
            self.nodes.get(usize::from(condition))
            && self.is_constant(*one, 1.0)
        {
            return self.push(Op::Select, [*truth, reject, accept]);
        }
        self.push(Op::Select, [condition, accept, reject])
    }

    pub fn negative(&mut self, a: u8) -> u8 {
        let zero = self.constant(0.0);
        self.two(Op::Subtract, zero, a)
    }

    /// 1 less a truth value.
    pub fn not(&mut self, a: u8) -> u8 {
        let one = self.constant(1.0);
        self.two(Op::Subtract, one, a)
    }

    /// 1, −1 or 0 by the sign of a number.
    pub fn sign(&mut self, a: u8) -> u8 {
        let zero = self.constant(0.0);
        let (above, below) = (self.two(Op::Less, zero, a), self.two(Op::Less, a, zero));
        self.two(Op::Subtract, above, below)
    }

    /// A polynomial in a number with these coefficients, the highest power first.
    fn polynomial(&mut self, a: u8, powers: &[f64]) -> u8 {
        let mut sum = self.constant(powers[0]);
        for power in &powers[1..] {
            let power = self.constant(*power);
            let product = self.two(Op::Multiply, sum, a);
            sum = self.two(Op::Add, product, power);
        }
        sum
    }

    /// The quotient of whole numbers, rounded down, or its remainder, which has the sign of the divisor; 0 for a
    /// division by 0. An added half keeps the rounded quotient from reaching the next whole number.
    pub fn whole_quotient(&mut self, a: u8, b: u8, rest: bool) -> u8 {
        let (mut dividend, mut divisor, mut sign) = (a, b, None);
        if self.known_constant(b).is_none_or(|b| b <= 0.0) {
            let (turned, one) = (self.sign(b), self.constant(1.0));
            let size = self.one(Op::Absolute, b);
            divisor = self.two(Op::Maximum, size, one);
            dividend = self.two(Op::Multiply, a, turned);
            sign = Some(turned);
        }
        let half = self.constant(0.5);
        let more = self.two(Op::Add, dividend, half);
        let quotient = self.push(Op::Divide, [more, divisor, EXACT]);
        if !rest {
            return self.push(Op::Floor, [quotient, 0, EXACT]);
        }
        let part = self.one(Op::Fraction, quotient);
        let product = self.two(Op::Multiply, part, divisor);
        let remainder = self.push(Op::Floor, [product, 0, EXACT]);
        sign.map_or(remainder, |sign| self.two(Op::Multiply, remainder, sign))
    }

    /// Σ of products; `exact` is [`EXACT`] for whole numbers, else 0.
    pub fn dot(&mut self, a: &[u8], b: &[u8], exact: u8) -> u8 {
        let mut two = |op: Op, a: u8, b: u8| self.push(op, [a, b, exact]);
        let products: Vec<u8> = a.iter().zip(b).map(|(a, b)| two(Op::Multiply, *a, *b)).collect();
        products.into_iter().reduce(|sum, product| two(Op::Add, sum, product)).unwrap_or(0)
    }

    /// The register that is 1 for a perceived neighbour: one no nearer than the parameter `inner`, and within `angle`
    /// of the heading. A boid at rest sees all round.
    pub fn perceived(&mut self, inner: Option<usize>, angle: Option<usize>) -> Option<u8> {
        inner.or(angle)?;
        let mut input = |input: Input, axis| self.push(Op::Input, [input as u8 + axis, 0, 0]);
        let [distance, speed] = [Input::Distance, Input::Speed].map(|number| input(number, 0));
        let [heading, offset] =
            [Input::Heading, Input::Offset].map(|vector| [0, 1, 2].map(|axis| input(vector, axis)));
        let far = inner.map(|inner| {
            let inner = self.value(ValueSource::Parameter(inner));
            self.two(Op::LessEqual, inner, distance)
        });
        let ahead = angle.map(|angle| {
            let (cosine, zero) = (self.value(ValueSource::Cosine(angle)), self.constant(0.0));
            let (edge, along) = (self.two(Op::Multiply, cosine, distance), self.dot(&heading, &offset, 0));
            let within = self.two(Op::LessEqual, edge, along);
            let rests = self.two(Op::LessEqual, speed, zero);
            self.two(Op::Maximum, within, rests)
        });
        far.zip(ahead).map(|(far, ahead)| self.two(Op::Minimum, far, ahead)).or(far).or(ahead)
    }

    /// Three components, the missing ones zero.
    fn three(&mut self, parts: &[u8]) -> [u8; 3] {
        let zero = self.constant(0.0);
        std::array::from_fn(|k| parts.get(k).copied().unwrap_or(zero))
    }

    pub fn length(&mut self, parts: &[u8]) -> u8 {
        if let [one] = parts {
            return self.one(Op::Absolute, *one);
        }
        let three = self.three(parts);
        self.push(Op::Length, three)
    }

    pub fn direction(&mut self, parts: &[u8]) -> Vec<u8> {
        let three = self.three(parts);
        self.vector(Op::Direction, three)[..parts.len()].to_vec()
    }

    /// The three registers of an operation whose result is a vector.
    pub fn vector(&mut self, op: Op, operands: [u8; 3]) -> [u8; 3] {
        let known = self.same.get(&Node { op, operands }).copied();
        let x = known.unwrap_or_else(|| {
            let x = self.push(op, operands);
            self.push(Op::Rest, [x, 1, 0]);
            self.push(Op::Rest, [x, 2, 0]);
            x
        });
        [0, 1, 2].map(|k| x.saturating_add(k))
    }

    /// The sine of a number, or of a quarter turn more: an odd polynomial of degree nine, whose error is below 10⁻⁸.
    pub fn sine(&mut self, a: u8, quarter: bool) -> u8 {
        const POWERS: [f64; 5] = [39.760_723, -76.581_28, 81.602_48, -41.341_682, 6.283_185_5];
        let per_turn = self.constant(std::f64::consts::FRAC_1_PI / 2.0);
        let mut turns = self.two(Op::Multiply, a, per_turn);
        let (fourth, half) = (self.constant(0.25), self.constant(0.5));
        if quarter {
            turns = self.two(Op::Add, turns, fourth);
        }
        let fraction = self.one(Op::Fraction, turns);
        // sin 2πf = −sin 2π(f − ½), and sin 2πu = sin 2π(½ − u).
        let turned = self.two(Op::Subtract, fraction, half);
        let far = self.one(Op::Absolute, turned);
        let beyond = self.two(Op::Subtract, far, fourth);
        let beyond = self.one(Op::Absolute, beyond);
        let v = self.two(Op::Subtract, fourth, beyond);
        let square = self.two(Op::Multiply, v, v);
        let sum = self.polynomial(square, &POWERS);
        let (product, one, zero) = (self.two(Op::Multiply, v, sum), self.constant(1.0), self.constant(0.0));
        let sine = self.two(Op::Minimum, product, one);
        let negative = self.negative(sine);
        let below = self.two(Op::Less, turned, zero);
        self.select(below, sine, negative)
    }

    /// e to a number clamped to −16…8: Taylor's five powers of a 64th of it, squared six times; relative error below
    /// 3·10⁻⁵.
    pub fn exponential(&mut self, a: u8) -> u8 {
        let (least, most) = (self.constant(-16.0), self.constant(8.0));
        let cut = self.two(Op::Maximum, a, least);
        let cut = self.two(Op::Minimum, cut, most);
        let part = self.constant(1.0 / 64.0);
        let y = self.two(Op::Multiply, cut, part);
        let sum = self.polynomial(y, &[1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0]);
        (0..6).fold(sum, |power, _| self.two(Op::Multiply, power, power))
    }

    /// The nodes that the result needs, in the same order, and the registers of the result among them.
    pub fn pruned(&self, result: &[u8]) -> (Vec<Node>, Vec<u8>) {
        if self.full {
            return (self.nodes.clone(), result.to_vec());
        }
        let mut needed = vec![false; self.nodes.len()];
        result.iter().for_each(|register| needed[usize::from(*register)] = true);
        for k in (0..self.nodes.len()).rev() {
            let Node { op, operands } = self.nodes[k];
            // Parts of a vector stay together.
            if op.is_vector() {
                let any = needed[k..].iter().take(3).any(|needed| *needed);
                needed[k..].iter_mut().take(3).for_each(|needed| *needed = any);
            }
            if needed[k] {
                operands[..op.operands()].iter().for_each(|operand| needed[usize::from(*operand)] = true);
            }
        }
        let place: Vec<u8> = needed
            .iter()
            .scan(0_u8, |next, needed| {
                let place = *next;
                *next += u8::from(*needed);
                Some(place)
            })
            .collect();
        let at = |register: u8| place[usize::from(register)];
        let kept = self.nodes.iter().zip(&needed).filter(|(_, needed)| **needed);
        let mut kept: Vec<Node> = kept.map(|(node, _)| *node).collect();
        for Node { op, operands } in &mut kept {
            operands[..op.operands()].iter_mut().for_each(|operand| *operand = at(*operand));
        }
        (kept, result.iter().map(|register| at(*register)).collect())
    }
}

//! From naga's typed tree to straight-line code on single numbers, with units checked on the way.
//!
//! Vectors become their components, functions become the few operations of [`flock::formula::Op`]. Equal operations become one.

use std::collections::HashMap;
use std::ops::Range;

use flock::formula::{Input, MOST_INSTRUCTIONS, Node, Op};
use naga::{
    BinaryOperator, Block, Expression, Handle, Literal, MathFunction, RelationalFunction, ScalarKind, Span,
    Statement, TypeInner, UnaryOperator, VectorSize,
};

use crate::error::Error;
use crate::names::{Own, Part, THEIRS, numbers};
use crate::parse::{Argument, Parsed, RESULT, arguments};
use crate::units::Unit;

/// Whole numbers are known modulo this: so many are exact in every number type, with a half.
pub const WHOLE: f64 = 4_194_304.0;

/// A number that is the same for all boids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Constant(f64),
    /// A parameter of the term.
    Own(usize),
    /// A component of a parameter of the flock, by its name.
    Parameter(&'static str, usize),
}

/// A formula as code without digits.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub nodes: Vec<Node>,
    pub values: Vec<Value>,
    /// The registers of the result, one for a number.
    pub result: Vec<u8>,
    /// None where any unit will do: it is zero.
    pub unit: Option<Unit>,
    /// Which parameters of the term are read.
    pub reads: Vec<bool>,
}

/// What a register stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Whole,
    Truth,
}

/// The value of an expression: a register a component.
#[derive(Clone, Debug)]
struct Known {
    kind: Kind,
    parts: Vec<u8>,
    unit: Option<Unit>,
}

/// Lowers a formula. `sum` is the unit of the sum, where there is one.
///
/// # Errors
/// Where units differ, for what is no expression, and for too many operations.
pub fn lower(
    text: &str,
    parsed: &Parsed,
    part: Part,
    own: &[Own],
    sum: Option<Unit>,
) -> Result<Lowered, Error> {
    let (_, function) = parsed
        .module
        .functions
        .iter()
        .find(|(_, function)| function.name.as_deref() == Some("formula"))
        .ok_or_else(|| Error::new(0..text.len(), "it is no expression"))?;
    let mut lowering = Lowering {
        text,
        parsed,
        function,
        arguments: arguments(part, own),
        own,
        sum,
        code: Code::default(),
        known: HashMap::new(),
        stored: HashMap::new(),
        called: HashMap::new(),
        reads: vec![false; own.len()],
    };
    lowering.block(&function.body)?;
    // Also those that nothing uses: an error in them is one.
    let mut named: Vec<_> = function.named_expressions.iter().collect();
    named.sort_by_key(|(handle, _)| handle.index());
    let mut result = None;
    for (handle, name) in named {
        let argument = matches!(function.expressions[*handle], Expression::FunctionArgument(_));
        if argument && name != RESULT {
            continue;
        }
        let known = lowering.known(*handle)?;
        if name == RESULT {
            result = Some((*handle, known));
        }
    }
    let (handle, known) = result.ok_or_else(|| Error::new(0..text.len(), "it has no value"))?;
    let span = lowering.span(handle);
    if known.kind != Kind::Number {
        let kind = if known.kind == Kind::Truth { "a truth value" } else { "a whole number" };
        let error = Error::new(span, format!("its value is {kind}, not a number"));
        return Err(if known.kind == Kind::Whole {
            error.hint("write it with a point, or f32(…)")
        } else {
            error
        });
    }
    let Known { parts, unit, .. } = known;
    let reads = lowering.reads;
    let (nodes, result) = lowering.code.pruned(&parts);
    if nodes.len() > MOST_INSTRUCTIONS {
        let why = format!("{} operations: allowed are {MOST_INSTRUCTIONS}", nodes.len());
        return Err(Error::new(0..text.len(), why));
    }
    Ok(Lowered { nodes, values: lowering.code.values, result, unit, reads })
}

/// The code so far. Registers are counted in 16 bits until what nobody needs is left out.
#[derive(Default)]
struct Code {
    nodes: Vec<Node>,
    same: HashMap<Node, u8>,
    values: Vec<Value>,
    full: bool,
}

impl Code {
    /// The register of an operation: of an equal one before it, or of an operand that it leaves as it is.
    fn push(&mut self, op: Op, operands: [u8; 3]) -> u8 {
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
        // One that is full is refused at the end: its registers are wrong, and never used.
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

    fn is_constant(&self, register: u8, number: f64) -> bool {
        let node = self.nodes.get(usize::from(register)).filter(|node| node.op == Op::Value);
        node.and_then(|node| self.values.get(usize::from(node.operands[0]))) == Some(&Value::Constant(number))
    }

    fn value(&mut self, value: Value) -> u8 {
        let place = self.values.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        self.push(Op::Value, [place.min(255) as u8, 0, 0])
    }

    /// A number that every number type has alike: of those that are longer, what f32 holds.
    fn constant(&mut self, number: f64) -> u8 {
        self.value(Value::Constant(f64::from(number as f32)))
    }

    fn two(&mut self, op: Op, a: u8, b: u8) -> u8 {
        self.push(op, [a, b, 0])
    }

    fn one(&mut self, op: Op, a: u8) -> u8 {
        self.push(op, [a, 0, 0])
    }

    fn select(&mut self, condition: u8, accept: u8, reject: u8) -> u8 {
        // Of what is not so: the other way round.
        if let Some(Node { op: Op::Subtract, operands: [one, truth, _] }) =
            self.nodes.get(usize::from(condition))
            && self.is_constant(*one, 1.0)
        {
            return self.push(Op::Select, [*truth, reject, accept]);
        }
        self.push(Op::Select, [condition, accept, reject])
    }

    fn negative(&mut self, a: u8) -> u8 {
        let zero = self.constant(0.0);
        self.two(Op::Subtract, zero, a)
    }

    /// 1 less a truth value.
    fn not(&mut self, a: u8) -> u8 {
        let one = self.constant(1.0);
        self.two(Op::Subtract, one, a)
    }

    /// Σ of products.
    fn dot(&mut self, a: &[u8], b: &[u8]) -> u8 {
        let products: Vec<u8> = a.iter().zip(b).map(|(a, b)| self.two(Op::Multiply, *a, *b)).collect();
        products.into_iter().reduce(|sum, product| self.two(Op::Add, sum, product)).unwrap_or(0)
    }

    /// Three components, the missing ones zero.
    fn three(&mut self, parts: &[u8]) -> [u8; 3] {
        let zero = self.constant(0.0);
        std::array::from_fn(|k| parts.get(k).copied().unwrap_or(zero))
    }

    fn length(&mut self, parts: &[u8]) -> u8 {
        if let [one] = parts {
            return self.one(Op::Absolute, *one);
        }
        let three = self.three(parts);
        self.push(Op::Length, three)
    }

    fn direction(&mut self, parts: &[u8]) -> Vec<u8> {
        let three = self.three(parts);
        let known = self.same.get(&Node { op: Op::Direction, operands: three }).copied();
        let x = known.unwrap_or_else(|| {
            let x = self.push(Op::Direction, three);
            self.push(Op::Rest, [x, 1, 0]);
            self.push(Op::Rest, [x, 2, 0]);
            x
        });
        (0..parts.len() as u8).map(|k| x.saturating_add(k)).collect()
    }

    /// The sine of a number, and of a quarter turn more: one odd polynomial of nine powers on a quarter turn, whose error is
    /// below 10⁻⁸.
    fn sine(&mut self, a: u8, quarter: bool) -> u8 {
        const POWERS: [f64; 5] = [6.283_185_5, -41.341_682, 81.602_48, -76.581_28, 39.760_723];
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
        let mut sum = self.constant(POWERS[4]);
        for power in POWERS[..4].iter().rev() {
            let power = self.constant(*power);
            let product = self.two(Op::Multiply, sum, square);
            sum = self.two(Op::Add, product, power);
        }
        let (product, one, zero) = (self.two(Op::Multiply, v, sum), self.constant(1.0), self.constant(0.0));
        let sine = self.two(Op::Minimum, product, one);
        let negative = self.negative(sine);
        let below = self.two(Op::Less, turned, zero);
        self.select(below, sine, negative)
    }

    /// e to a number that is cut to −16 to 8: Taylor's five powers of a 64th of it, squared six times. The relative error is
    /// below 3·10⁻⁵.
    fn exponential(&mut self, a: u8) -> u8 {
        let (least, most) = (self.constant(-16.0), self.constant(8.0));
        let cut = self.two(Op::Maximum, a, least);
        let cut = self.two(Op::Minimum, cut, most);
        let part = self.constant(1.0 / 64.0);
        let y = self.two(Op::Multiply, cut, part);
        let mut sum = self.constant(1.0 / 120.0);
        for power in [1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
            let power = self.constant(power);
            let product = self.two(Op::Multiply, sum, y);
            sum = self.two(Op::Add, product, power);
        }
        (0..6).fold(sum, |power, _| self.two(Op::Multiply, power, power))
    }

    /// What the result needs, in the same order; and the registers of the result there.
    fn pruned(&self, result: &[u8]) -> (Vec<Node>, Vec<u8>) {
        if self.full {
            return (self.nodes.clone(), result.to_vec());
        }
        let mut needed = vec![false; self.nodes.len()];
        result.iter().for_each(|register| needed[usize::from(*register)] = true);
        for k in (0..self.nodes.len()).rev() {
            let Node { op, operands } = self.nodes[k];
            // Parts of a direction stay together.
            if op == Op::Direction {
                let any = needed[k..].iter().take(3).any(|needed| *needed);
                needed[k..].iter_mut().take(3).for_each(|needed| *needed = any);
            }
            if needed[k] {
                registers(op, &operands).for_each(|operand| needed[usize::from(operand)] = true);
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
        let moved = |node: &Node| {
            let mut node = *node;
            let of: Vec<usize> = operand_places(node.op).collect();
            of.into_iter().for_each(|k| node.operands[k] = at(node.operands[k]));
            node
        };
        let kept = self.nodes.iter().zip(&needed).filter(|(_, needed)| **needed);
        (kept.map(|(node, _)| moved(node)).collect(), result.iter().map(|register| at(*register)).collect())
    }
}

/// Which operands are registers.
fn operand_places(op: Op) -> Range<usize> {
    match op {
        Op::Rest => 0..1,
        op => 0..op.operands(),
    }
}

/// The registers that an operation reads.
pub fn registers(op: Op, operands: &[u8; 3]) -> impl Iterator<Item = u8> {
    operands[operand_places(op)].iter().copied()
}

struct Lowering<'a> {
    text: &'a str,
    parsed: &'a Parsed,
    function: &'a naga::Function,
    arguments: Vec<Argument>,
    own: &'a [Own],
    sum: Option<Unit>,
    code: Code,
    known: HashMap<Handle<Expression>, Known>,
    /// What naga keeps in variables for `&&` and `||`.
    stored: HashMap<Handle<naga::LocalVariable>, Known>,
    /// The arguments of random(k).
    called: HashMap<Handle<Expression>, Handle<Expression>>,
    reads: Vec<bool>,
}

impl Lowering<'_> {
    fn span(&self, handle: Handle<Expression>) -> Range<usize> {
        self.parsed.place(self.function.expressions.get_span(handle))
    }

    /// The text of an expression.
    fn shown(&self, handle: Handle<Expression>) -> &str {
        // Arguments have the place of their declaration.
        if let Expression::FunctionArgument(k) = self.function.expressions[handle] {
            return match self.arguments[k as usize] {
                Argument::Table(table) => table,
                Argument::Quantity(quantity) => quantity.name,
                Argument::Their => "their",
                Argument::Own(k) => &self.own[k].name,
            };
        }
        // A number beside a vector becomes one, which has no place of its own.
        if let Expression::Splat { value, .. } = self.function.expressions[handle] {
            return self.shown(value);
        }
        let text = self.text.get(self.span(handle)).unwrap_or_default().trim();
        if text.is_empty() || text.len() > 40 { "this" } else { text }
    }

    fn refused(&self, span: Span) -> Error {
        Error::new(self.parsed.place(span), "allowed are expressions and `let`")
    }

    fn block(&mut self, block: &Block) -> Result<(), Error> {
        for (statement, span) in block.span_iter() {
            match statement {
                Statement::Emit(_) | Statement::Return { value: None } => {}
                Statement::Block(inner) => self.block(inner)?,
                Statement::Call { arguments, result: Some(result), .. } => {
                    self.called.insert(*result, arguments[0]);
                }
                // What naga makes of `a && b` and `a || b`.
                Statement::If { condition, accept, reject } => {
                    let ((place, accept), (other, reject)) = (self.store(accept)?, self.store(reject)?);
                    if place != other {
                        return Err(self.refused(*span));
                    }
                    let condition = self.known(*condition)?;
                    let chosen = self.code.select(condition.parts[0], accept, reject);
                    self.stored.insert(
                        place,
                        Known { kind: Kind::Truth, parts: vec![chosen], unit: Some(Unit::NONE) },
                    );
                }
                _ => return Err(self.refused(*span)),
            }
        }
        Ok(())
    }

    /// The variable that a branch of such a choice stores a truth value in, and the value.
    fn store(&mut self, branch: &Block) -> Result<(Handle<naga::LocalVariable>, u8), Error> {
        let Some((Statement::Store { pointer, value }, span)) = branch.span_iter().last() else {
            return Err(Error::new(0..self.text.len(), "allowed are expressions and `let`"));
        };
        let before = branch.span_iter().take(branch.len() - 1);
        let mut inner = Block::new();
        before.for_each(|(statement, span)| inner.push(statement.clone(), *span));
        self.block(&inner)?;
        let Expression::LocalVariable(variable) = self.function.expressions[*pointer] else {
            return Err(self.refused(*span));
        };
        let value = self.known(*value)?;
        if value.kind != Kind::Truth {
            return Err(self.refused(*span));
        }
        Ok((variable, value.parts[0]))
    }

    fn known(&mut self, handle: Handle<Expression>) -> Result<Known, Error> {
        if let Some(known) = self.known.get(&handle) {
            return Ok(known.clone());
        }
        let known = self.expression(handle)?;
        self.known.insert(handle, known.clone());
        Ok(known)
    }

    fn expression(&mut self, handle: Handle<Expression>) -> Result<Known, Error> {
        let span = self.span(handle);
        let refused = || Error::new(span.clone(), "no operation of formulas");
        Ok(match &self.function.expressions[handle] {
            Expression::Literal(literal) => self.literal(*literal).ok_or_else(refused)?,
            Expression::ZeroValue(ty) => {
                let (kind, count) = kind(&self.parsed.module.types[*ty].inner).ok_or_else(refused)?;
                let zero = self.code.constant(0.0);
                Known { kind, parts: vec![zero; count], unit: None }
            }
            Expression::Compose { components, .. } => {
                let parts = components.iter().map(|part| self.known(*part)).collect::<Result<Vec<_>, _>>()?;
                let mut unit = None;
                for (part, handle) in parts.iter().zip(components) {
                    unit = self.same_unit(unit, part.unit, (components[0], *handle), &span, ",")?;
                }
                let kind = parts.first().map_or(Kind::Number, |part| part.kind);
                Known { kind, parts: parts.into_iter().flat_map(|part| part.parts).collect(), unit }
            }
            Expression::Splat { size, value } => {
                let value = self.known(*value)?;
                Known { parts: vec![value.parts[0]; *size as usize], ..value }
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.known(*vector)?;
                let part = |component: &naga::SwizzleComponent| vector.parts[*component as usize];
                let parts = pattern[..*size as usize].iter().map(part).collect();
                Known { parts, ..vector }
            }
            Expression::AccessIndex { base, index } => self.member(*base, *index as usize, &span)?,
            Expression::FunctionArgument(k) => match self.arguments[*k as usize] {
                Argument::Quantity(quantity) => {
                    let unit = if quantity.input == Input::Sum { self.sum } else { Some(quantity.unit) };
                    self.input(quantity.input, quantity.wgsl, unit)
                }
                Argument::Own(k) => {
                    self.reads[k] = true;
                    let part = self.code.value(Value::Own(k));
                    Known { kind: Kind::Number, parts: vec![part], unit: Some(self.own[k].unit) }
                }
                Argument::Table(_) | Argument::Their => return Err(refused()),
            },
            Expression::Load { pointer } => match &self.function.expressions[*pointer] {
                Expression::LocalVariable(variable) => {
                    self.stored.get(variable).cloned().ok_or_else(refused)?
                }
                _ => return Err(refused()),
            },
            Expression::Unary { op, expr } => {
                let known = self.known(*expr)?;
                match op {
                    UnaryOperator::Negate => self.each(known, Code::negative),
                    UnaryOperator::LogicalNot => self.each(known, Code::not),
                    UnaryOperator::BitwiseNot => return Err(refused()),
                }
            }
            Expression::Binary { op, left, right } => self.binary(*op, *left, *right, &span)?,
            Expression::Select { condition, accept, reject } => {
                let condition = self.known(*condition)?;
                let (yes, no) = (self.known(*accept)?, self.known(*reject)?);
                let unit = self.same_unit(yes.unit, no.unit, (*accept, *reject), &span, "or")?;
                let parts = (0..yes.parts.len())
                    .map(|k| {
                        let holds = condition.parts.get(k).unwrap_or(&condition.parts[0]);
                        self.code.select(*holds, yes.parts[k], no.parts[k])
                    })
                    .collect();
                Known { kind: yes.kind, parts, unit }
            }
            Expression::Relational { fun, argument } => {
                let op = match fun {
                    RelationalFunction::All => Op::Minimum,
                    RelationalFunction::Any => Op::Maximum,
                    _ => return Err(refused()),
                };
                let known = self.known(*argument)?;
                let one = known.parts.iter().copied().reduce(|a, b| self.code.two(op, a, b)).unwrap_or(0);
                Known { parts: vec![one], ..known }
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => {
                let handles: Vec<_> = [Some(*arg), *arg1, *arg2].into_iter().flatten().collect();
                let known =
                    handles.iter().map(|handle| self.known(*handle)).collect::<Result<Vec<_>, _>>()?;
                self.math(*fun, known, &handles, &span)?
            }
            Expression::As { expr, kind, convert: Some(_) } => {
                let known = self.known(*expr)?;
                let kind = match (known.kind, kind) {
                    (_, ScalarKind::Float) => Kind::Number,
                    (Kind::Whole | Kind::Truth, ScalarKind::Uint | ScalarKind::Sint) => Kind::Whole,
                    (Kind::Truth, ScalarKind::Bool) => Kind::Truth,
                    _ => {
                        return Err(
                            Error::new(span, "allowed is f32(…)").hint("floor(…) makes a number whole")
                        );
                    }
                };
                Known { kind, ..known }
            }
            Expression::CallResult(_) => {
                let argument = self.called.get(&handle).copied().ok_or_else(refused)?;
                self.random(argument, &span)?
            }
            _ => return Err(refused()),
        })
    }

    /// The same function of each component.
    fn each(&mut self, known: Known, f: impl Fn(&mut Code, u8) -> u8) -> Known {
        let parts = known.parts.iter().map(|part| f(&mut self.code, *part)).collect();
        Known { parts, ..known }
    }

    /// A function of two values, component by component; one number goes with each component.
    fn pairs(&mut self, a: &Known, b: &Known, f: impl Fn(&mut Code, u8, u8) -> u8) -> Vec<u8> {
        let of = |known: &Known, k: usize| known.parts.get(k).copied().unwrap_or(known.parts[0]);
        let count = a.parts.len().max(b.parts.len());
        (0..count).map(|k| f(&mut self.code, of(a, k), of(b, k))).collect()
    }

    fn literal(&mut self, literal: Literal) -> Option<Known> {
        let (kind, number) = match literal {
            Literal::F32(number) => (Kind::Number, f64::from(number)),
            Literal::U32(number) => (Kind::Whole, f64::from(number)),
            Literal::I32(number) => (Kind::Whole, f64::from(number)),
            Literal::Bool(truth) => (Kind::Truth, f64::from(u8::from(truth))),
            _ => return None,
        };
        let part = self.code.constant(number);
        let unit = (number != 0.0).then_some(Unit::NONE);
        Some(Known { kind, parts: vec![part], unit })
    }

    fn input(&mut self, input: Input, wgsl: &str, unit: Option<Unit>) -> Known {
        let (kind, count) = match wgsl {
            "u32" => (Kind::Whole, 1),
            "f32" => (Kind::Number, 1),
            _ => (Kind::Number, 3),
        };
        let parts = (0..count).map(|k| self.code.push(Op::Input, [input as u8 + k, 0, 0])).collect();
        Known { kind, parts, unit }
    }

    /// A component of a vector, a parameter of a table, or what is known of a neighbour.
    fn member(
        &mut self,
        base: Handle<Expression>,
        index: usize,
        span: &Range<usize>,
    ) -> Result<Known, Error> {
        if let Expression::FunctionArgument(k) = self.function.expressions[base] {
            match self.arguments[k as usize] {
                Argument::Their => {
                    let quantity = &THEIRS[index];
                    return Ok(self.input(quantity.input, quantity.wgsl, Some(quantity.unit)));
                }
                Argument::Table(table) => {
                    let Some((parameter, wgsl)) = numbers(table).nth(index) else {
                        return Err(Error::new(span.clone(), "no operation of formulas"));
                    };
                    let count = if wgsl.starts_with("vec3") { 3 } else { 1 };
                    let kind = if wgsl == "bool" { Kind::Truth } else { Kind::Number };
                    let parts =
                        (0..count).map(|k| self.code.value(Value::Parameter(parameter.name, k))).collect();
                    return Ok(Known { kind, parts, unit: Some(Unit::of_parameter(parameter.unit)) });
                }
                Argument::Quantity(_) | Argument::Own(_) => {}
            }
        }
        let vector = self.known(base)?;
        let part = vector.parts.get(index).copied();
        let part = part.ok_or_else(|| Error::new(span.clone(), "no operation of formulas"))?;
        Ok(Known { parts: vec![part], ..vector })
    }

    /// The unit of two values that must have the same one.
    fn same_unit(
        &self,
        a: Option<Unit>,
        b: Option<Unit>,
        (left, right): (Handle<Expression>, Handle<Expression>),
        span: &Range<usize>,
        sign: &str,
    ) -> Result<Option<Unit>, Error> {
        let (Some(first), Some(second)) = (a, b) else { return Ok(a.or(b)) };
        if first == second {
            return Ok(a);
        }
        let (one, other) = (self.shown(left), self.shown(right));
        let what = format!("`{one}` {sign} `{other}`: {first} and {second} have different units");
        let error = Error::new(span.clone(), what);
        let step = "* motion.time_step";
        Err(if first == second + Unit::TIME {
            error.hint(format!("`{other} {step}` has the unit {first}"))
        } else if second == first + Unit::TIME {
            error.hint(format!("`{one} {step}` has the unit {second}"))
        } else {
            error.hint(format!("a factor with the unit {} makes them alike", first - second))
        })
    }

    fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
        span: &Range<usize>,
    ) -> Result<Known, Error> {
        let (a, b) = (self.known(left)?, self.known(right)?);
        let both = (left, right);
        let truth = |parts| Known { kind: Kind::Truth, parts, unit: Some(Unit::NONE) };
        let factor = |a: Option<Unit>, b: Option<Unit>, f: fn(Unit, Unit) -> Unit| Some(f(a?, b?));
        Ok(match op {
            BinaryOperator::Add | BinaryOperator::Subtract => {
                let (op, sign) =
                    if op == BinaryOperator::Add { (Op::Add, "+") } else { (Op::Subtract, "−") };
                let unit = self.same_unit(a.unit, b.unit, both, span, sign)?;
                Known { kind: a.kind, parts: self.pairs(&a, &b, |code, a, b| code.two(op, a, b)), unit }
            }
            BinaryOperator::Multiply => {
                let parts = self.pairs(&a, &b, |code, a, b| code.two(Op::Multiply, a, b));
                Known { kind: a.kind, parts, unit: factor(a.unit, b.unit, |a, b| a + b) }
            }
            BinaryOperator::Divide if a.kind == Kind::Number => {
                let parts = self.pairs(&a, &b, |code, a, b| code.two(Op::Divide, a, b));
                Known { kind: a.kind, parts, unit: factor(a.unit, b.unit, |a, b| a - b) }
            }
            // The remainder of whole numbers: with a half more, no rounding of the quotient reaches the next one.
            BinaryOperator::Divide | BinaryOperator::Modulo if a.kind == Kind::Whole => {
                let parts = self.pairs(&a, &b, |code, a, b| {
                    let half = code.constant(0.5);
                    let more = code.two(Op::Add, a, half);
                    let quotient = code.two(Op::Divide, more, b);
                    let whole = code.one(Op::Floor, quotient);
                    if op == BinaryOperator::Divide {
                        return whole;
                    }
                    let product = code.two(Op::Multiply, whole, b);
                    code.two(Op::Subtract, a, product)
                });
                Known { kind: Kind::Whole, parts, unit: Some(Unit::NONE) }
            }
            BinaryOperator::Equal | BinaryOperator::NotEqual => {
                self.same_unit(a.unit, b.unit, both, span, "==")?;
                let equal = self.pairs(&a, &b, |code, a, b| code.two(Op::Equal, a, b));
                let known = truth(equal);
                if op == BinaryOperator::Equal { known } else { self.each(known, Code::not) }
            }
            BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual => {
                self.same_unit(a.unit, b.unit, both, span, "<")?;
                let (a, b, op) = match op {
                    BinaryOperator::Less => (a, b, Op::Less),
                    BinaryOperator::LessEqual => (a, b, Op::LessEqual),
                    BinaryOperator::Greater => (b, a, Op::Less),
                    _ => (b, a, Op::LessEqual),
                };
                truth(self.pairs(&a, &b, |code, a, b| code.two(op, a, b)))
            }
            BinaryOperator::And | BinaryOperator::LogicalAnd if a.kind == Kind::Truth => {
                truth(self.pairs(&a, &b, |code, a, b| code.two(Op::Minimum, a, b)))
            }
            BinaryOperator::InclusiveOr | BinaryOperator::LogicalOr if a.kind == Kind::Truth => {
                truth(self.pairs(&a, &b, |code, a, b| code.two(Op::Maximum, a, b)))
            }
            BinaryOperator::Modulo => {
                return Err(Error::new(span.clone(), "%: allowed are whole numbers").hint("fract(a / b) * b"));
            }
            _ => return Err(Error::new(span.clone(), "no operation of formulas")),
        })
    }

    /// random(k): the only function that is naga's own to none.
    fn random(&mut self, argument: Handle<Expression>, span: &Range<usize>) -> Result<Known, Error> {
        let word = match self.function.expressions[argument] {
            Expression::Literal(Literal::U32(k)) => u8::try_from(k).ok().filter(|k| *k < 16),
            _ => None,
        };
        let refused = || Error::new(span.clone(), "random(k): allowed is a number k from 0 to 15");
        let part = self.code.push(Op::Random, [word.ok_or_else(refused)?, 0, 0]);
        Ok(Known { kind: Kind::Number, parts: vec![part], unit: Some(Unit::NONE) })
    }

    fn math(
        &mut self,
        function: MathFunction,
        known: Vec<Known>,
        handles: &[Handle<Expression>],
        span: &Range<usize>,
    ) -> Result<Known, Error> {
        let refused = || Error::new(span.clone(), "no function of formulas");
        let pure = |known: &Known, name: &str| match known.unit {
            Some(unit) if unit != Unit::NONE => {
                let why = format!("{name}: allowed is a pure number, not one with the unit {unit}");
                Err(Error::new(span.clone(), why))
            }
            _ => Ok(()),
        };
        let both = |k: usize| (handles[0], handles[k]);
        let a = known[0].clone();
        if a.kind == Kind::Truth {
            return Err(refused());
        }
        Ok(match function {
            MathFunction::Abs => self.each(a, |code, a| code.one(Op::Absolute, a)),
            MathFunction::Floor => {
                pure(&a, "floor")?;
                self.each(a, |code, a| code.one(Op::Floor, a))
            }
            MathFunction::Fract => {
                pure(&a, "fract")?;
                self.each(a, |code, a| code.one(Op::Fraction, a))
            }
            MathFunction::Sin | MathFunction::Cos => {
                pure(&a, if function == MathFunction::Sin { "sin" } else { "cos" })?;
                self.each(a, |code, a| code.sine(a, function == MathFunction::Cos))
            }
            MathFunction::Exp => {
                pure(&a, "exp")?;
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
            MathFunction::Min | MathFunction::Max => {
                let (op, name) =
                    if function == MathFunction::Min { (Op::Minimum, "min") } else { (Op::Maximum, "max") };
                let unit = self.same_unit(a.unit, known[1].unit, both(1), span, name)?;
                Known {
                    kind: a.kind,
                    parts: self.pairs(&a, &known[1], |code, a, b| code.two(op, a, b)),
                    unit,
                }
            }
            MathFunction::Clamp | MathFunction::Saturate => {
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
                let unit = self.same_unit(a.unit, low.unit, (handles[0], second), span, "and")?;
                let unit = self.same_unit(unit, high.unit, (handles[0], third), span, "and")?;
                let above =
                    Known { parts: self.pairs(&a, &low, |code, a, b| code.two(Op::Maximum, a, b)), ..a };
                let parts = self.pairs(&above, &high, |code, a, b| code.two(Op::Minimum, a, b));
                Known { parts, unit, ..above }
            }
            MathFunction::Mix => {
                let unit = self.same_unit(a.unit, known[1].unit, both(1), span, "and")?;
                pure(&known[2], "mix, the third")?;
                let rest = self.each(known[2].clone(), Code::not);
                let first =
                    Known { parts: self.pairs(&a, &rest, |code, a, b| code.two(Op::Multiply, a, b)), ..a };
                let second = self.pairs(&known[1], &known[2], |code, a, b| code.two(Op::Multiply, a, b));
                let second = Known { parts: second, ..first.clone() };
                let parts = self.pairs(&first, &second, |code, a, b| code.two(Op::Add, a, b));
                Known { parts, unit, ..first }
            }
            MathFunction::Step => {
                self.same_unit(a.unit, known[1].unit, both(1), span, "and")?;
                let parts = self.pairs(&a, &known[1], |code, a, b| code.two(Op::LessEqual, a, b));
                Known { kind: Kind::Number, parts, unit: Some(Unit::NONE) }
            }
            MathFunction::SmoothStep => {
                let unit = self.same_unit(a.unit, known[1].unit, both(1), span, "and")?;
                self.same_unit(unit, known[2].unit, both(2), span, "and")?;
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
            MathFunction::Length => Known { parts: vec![self.code.length(&a.parts)], ..a },
            MathFunction::Distance => {
                let unit = self.same_unit(a.unit, known[1].unit, both(1), span, "and")?;
                let apart = self.pairs(&a, &known[1], |code, a, b| code.two(Op::Subtract, a, b));
                Known { kind: Kind::Number, parts: vec![self.code.length(&apart)], unit }
            }
            MathFunction::Normalize => {
                let parts = self.code.direction(&a.parts);
                Known { kind: Kind::Number, parts, unit: Some(Unit::NONE) }
            }
            _ => return Err(refused()),
        })
    }
}

/// Kind and components of a type, if formulas have it.
fn kind(inner: &TypeInner) -> Option<(Kind, usize)> {
    let of = |scalar: &naga::Scalar| match scalar.kind {
        ScalarKind::Float => Some(Kind::Number),
        ScalarKind::Uint | ScalarKind::Sint => Some(Kind::Whole),
        ScalarKind::Bool => Some(Kind::Truth),
        ScalarKind::AbstractInt | ScalarKind::AbstractFloat => None,
    };
    match inner {
        TypeInner::Scalar(scalar) => Some((of(scalar)?, 1)),
        TypeInner::Vector { size: size @ (VectorSize::Bi | VectorSize::Tri), scalar } => {
            Some((of(scalar)?, *size as usize))
        }
        _ => None,
    }
}

//! Lowers naga's typed tree to straight-line code on single numbers, and checks units.
//!
//! Vectors become components, functions the few operations of [`flock::formula::Op`]. Equal operations become one.

mod math;

use std::borrow::Cow;
use std::collections::HashMap;
use std::num::NonZeroU8;
use std::ops::Range;

use flock::formula::{EXACT, Input, MAX_INSTRUCTIONS, Node, Op, Reference, ValueSource};
use naga::{
    Block, Expression, Handle, Literal, RelationalFunction, ScalarKind, Span, Statement, TypeInner,
    UnaryOperator, VectorSize,
};

use crate::Error;
use crate::code::Code;
use crate::names::{ANGLE, FormulaKind, INNER_RADIUS, Names, OF_SUM, Quantity, THEIRS, numbers};
use crate::parse::{Argument, Parsed, RESULT, arguments};
use crate::units::Unit;

/// Whole numbers are taken modulo this: every number type represents n and n + ½ exactly for n below it.
pub const WHOLE: f64 = 4_194_304.0;

/// A formula as code without digits.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub nodes: Vec<Node>,
    pub values: Vec<ValueSource>,
    /// The numbers of the flock's own parameters, of all formulas so far.
    pub references: Vec<Reference>,
    /// The registers of the result, one for a number.
    pub result: Vec<u8>,
    /// The register that is 0 for a neighbour within the radius that is not perceived.
    pub perceived: Option<NonZeroU8>,
    /// None for zero, which fits any unit.
    pub unit: Option<Unit>,
    /// True for each parameter of the term that is read.
    pub reads: Vec<bool>,
    /// True if `sum` or `count` is read, of the term's only sum or of none.
    pub reads_sum: bool,
    /// True for each named sum of the term that is read.
    pub reads_sums: Vec<bool>,
}

/// An expression of naga's tree.
type Expr = Handle<Expression>;

/// The type of a register's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Whole,
    Truth,
}

impl Kind {
    /// Operand c of a sum or a product: of whole numbers it must be exact.
    fn exact(self) -> u8 {
        if self == Kind::Whole { EXACT } else { 0 }
    }
}

/// The value of an expression: one register per component.
#[derive(Clone, Debug)]
struct LoweredValue {
    kind: Kind,
    parts: Vec<u8>,
    unit: Option<Unit>,
}

impl LoweredValue {
    /// Numbers without a unit, or truth values.
    fn pure(kind: Kind, parts: Vec<u8>) -> Self {
        LoweredValue { kind, parts, unit: Some(Unit::NONE) }
    }
}

/// The error of statements that formulas do not have.
const ONLY_EXPRESSIONS: &str = "a formula can only have expressions and 'let'";

fn no_operation(span: &Range<usize>) -> Error {
    Error::new(span.clone(), "unknown operation")
}

/// Lowers a formula. `references` are those of the formulas before.
///
/// # Errors
/// When units differ, when a statement is not an expression, and when there are too many operations.
pub fn lower(
    text: &str,
    parsed: &Parsed,
    names: Names<'_>,
    references: Vec<Reference>,
) -> Result<Lowered, Error> {
    let (_, function) = parsed
        .module
        .functions
        .iter()
        .find(|(_, function)| function.name.as_deref() == Some("formula"))
        .ok_or_else(|| Error::new(0..text.len(), "expected an expression"))?;
    let mut lowering = Lowering {
        text,
        parsed,
        function,
        arguments: arguments(&names),
        names,
        code: Code::new(references),
        known: HashMap::new(),
        stored: HashMap::new(),
        called: HashMap::new(),
        reads: vec![false; names.parameters.len()],
        reads_sum: false,
        reads_sums: vec![false; names.sums.len()],
    };
    lowering.block(&mut function.body.span_iter())?;
    // Unused values are lowered too: an error in them is reported.
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
    let (handle, known) = result.ok_or_else(|| Error::new(0..text.len(), "expected a value"))?;
    let span = lowering.span(handle);
    if known.kind != Kind::Number {
        let kind = if known.kind == Kind::Truth { "a truth value" } else { "a whole number" };
        let error = Error::new(span, format!("must be a number, not {kind}"));
        let whole = "write a number with a decimal point, such as 1.0, or f32(…)";
        return Err(if known.kind == Kind::Whole { error.hint(whole) } else { error });
    }
    let LoweredValue { mut parts, unit, .. } = known;
    let count = parts.len();
    parts.extend(lowering.perceived());
    let Lowering { code, reads, reads_sum, reads_sums, .. } = lowering;
    let (nodes, mut slots) = code.pruned(&parts);
    // It follows other registers, so its number is not 0.
    let perceived = slots.drain(count..).next().and_then(NonZeroU8::new);
    if nodes.len() > MAX_INSTRUCTIONS {
        let why = format!("the formula has {} operations; the maximum is {MAX_INSTRUCTIONS}", nodes.len());
        return Err(Error::new(0..text.len(), why));
    }
    let Code { values, references, .. } = code;
    Ok(Lowered { nodes, values, references, result: slots, perceived, unit, reads, reads_sum, reads_sums })
}

struct Lowering<'a> {
    text: &'a str,
    parsed: &'a Parsed,
    function: &'a naga::Function,
    arguments: Vec<Argument>,
    names: Names<'a>,
    code: Code,
    known: HashMap<Expr, LoweredValue>,
    /// The values that naga keeps in variables for `&&` and `||`.
    stored: HashMap<Handle<naga::LocalVariable>, u8>,
    /// The calls of random(k), table(k, row, column), turn(v, towards, angle) and turn_away(v, from, angle).
    called: HashMap<Expr, Called>,
    reads: Vec<bool>,
    reads_sum: bool,
    reads_sums: Vec<bool>,
}

/// A call of a function that naga does not have.
#[derive(Clone, Debug)]
struct Called {
    function: Handle<naga::Function>,
    arguments: Vec<Expr>,
}

impl Lowering<'_> {
    fn span(&self, handle: Expr) -> Range<usize> {
        self.parsed.place.of(self.function.expressions.get_span(handle))
    }

    /// The text of an expression, or its beginning.
    fn shown(&self, handle: Expr) -> Cow<'_, str> {
        // The span of an argument is that of its declaration.
        if let Expression::FunctionArgument(k) = self.function.expressions[handle] {
            return Cow::Borrowed(match self.arguments[k as usize] {
                Argument::Table(table) => table,
                Argument::Quantity(quantity) => quantity.name,
                Argument::Their => "their",
                Argument::Parameter(k) => &self.names.parameters[k].name,
                Argument::Sum(k) => &self.names.sums[k].name,
            });
        }
        // A number beside a vector becomes a vector, which has no span of its own.
        if let Expression::Splat { value, .. } = self.function.expressions[handle] {
            return self.shown(value);
        }
        let text = self.text.get(self.span(handle)).unwrap_or_default().trim();
        match text.char_indices().nth(40) {
            _ if text.is_empty() => "this".into(),
            Some((cut, _)) => format!("{}…", text[..cut].trim_end()).into(),
            None => text.into(),
        }
    }

    /// The register that is 0 for a neighbour that is not perceived, if parameters besides the radius decide it.
    fn perceived(&mut self) -> Option<u8> {
        let Names { kind, parameters, .. } = self.names;
        let mut named = |name: &str| {
            let k = parameters
                .iter()
                .position(|parameter| kind == FormulaKind::Each && parameter.name == name)?;
            self.reads[k] = true;
            Some(parameters[k].first)
        };
        let (inner, angle) = (named(INNER_RADIUS), named(ANGLE));
        self.code.perceived(inner, angle)
    }

    fn refused(&self, span: Span) -> Error {
        Error::new(self.parsed.place.of(span), ONLY_EXPRESSIONS)
    }

    fn block(&mut self, statements: &mut dyn Iterator<Item = (&Statement, &Span)>) -> Result<(), Error> {
        for (statement, span) in statements {
            match statement {
                Statement::Emit(_) | Statement::Return { value: None } => {}
                Statement::Block(inner) => self.block(&mut inner.span_iter())?,
                Statement::Call { function, arguments, result: Some(result) } => {
                    let called = Called { function: *function, arguments: arguments.clone() };
                    self.called.insert(*result, called);
                }
                // naga's form of `a && b` and `a || b`.
                Statement::If { condition, accept, reject } => {
                    let ((place, accept), (other, reject)) = (self.store(accept)?, self.store(reject)?);
                    if place != other {
                        return Err(self.refused(*span));
                    }
                    let condition = self.known(*condition)?;
                    let chosen = self.code.select(condition.parts[0], accept, reject);
                    self.stored.insert(place, chosen);
                }
                _ => return Err(self.refused(*span)),
            }
        }
        Ok(())
    }

    /// The variable that a branch of such a choice stores a truth value in, and the value.
    fn store(&mut self, branch: &Block) -> Result<(Handle<naga::LocalVariable>, u8), Error> {
        let Some((Statement::Store { pointer, value }, span)) = branch.span_iter().last() else {
            return Err(Error::new(0..self.text.len(), ONLY_EXPRESSIONS));
        };
        self.block(&mut branch.span_iter().take(branch.len() - 1))?;
        let Expression::LocalVariable(variable) = self.function.expressions[*pointer] else {
            return Err(self.refused(*span));
        };
        let value = self.known(*value)?;
        if value.kind != Kind::Truth {
            return Err(self.refused(*span));
        }
        Ok((variable, value.parts[0]))
    }

    fn known(&mut self, handle: Expr) -> Result<LoweredValue, Error> {
        if let Some(known) = self.known.get(&handle) {
            return Ok(known.clone());
        }
        let known = self.expression(handle)?;
        self.known.insert(handle, known.clone());
        Ok(known)
    }

    fn expression(&mut self, handle: Expr) -> Result<LoweredValue, Error> {
        let span = self.span(handle);
        let refused = || no_operation(&span);
        Ok(match &self.function.expressions[handle] {
            Expression::Literal(literal) => self.literal(*literal).ok_or_else(refused)?,
            Expression::ZeroValue(ty) => {
                let (kind, count) = kind(&self.parsed.module.types[*ty].inner).ok_or_else(refused)?;
                let zero = self.code.constant(0.0);
                LoweredValue { kind, parts: vec![zero; count], unit: None }
            }
            Expression::Compose { components, .. } => self.composed(components, &span)?,
            Expression::Splat { size, value } => {
                let value = self.known(*value)?;
                LoweredValue { parts: vec![value.parts[0]; *size as usize], ..value }
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.known(*vector)?;
                let part = |component: &naga::SwizzleComponent| vector.parts[*component as usize];
                let parts = pattern[..*size as usize].iter().map(part).collect();
                LoweredValue { parts, ..vector }
            }
            Expression::AccessIndex { base, index } => self.member(*base, *index as usize, &span)?,
            Expression::FunctionArgument(k) => self.argument(*k as usize).ok_or_else(refused)?,
            Expression::Load { pointer } => match &self.function.expressions[*pointer] {
                Expression::LocalVariable(variable) => {
                    LoweredValue::pure(Kind::Truth, vec![*self.stored.get(variable).ok_or_else(refused)?])
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
                self.chosen(*condition, (*accept, *reject), &span)?
            }
            Expression::Relational { fun, argument } => {
                let op = match fun {
                    RelationalFunction::All => Op::Minimum,
                    RelationalFunction::Any => Op::Maximum,
                    _ => return Err(refused()),
                };
                let known = self.known(*argument)?;
                let one = known.parts.iter().copied().reduce(|a, b| self.code.two(op, a, b)).unwrap_or(0);
                LoweredValue { parts: vec![one], ..known }
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => {
                let handles: Vec<_> = [Some(*arg), *arg1, *arg2].into_iter().flatten().collect();
                self.math(*fun, handles, &span)?
            }
            Expression::As { expr, kind, convert: Some(_) } => self.converted(*expr, *kind, &span)?,
            Expression::CallResult(_) => {
                let Called { function, arguments } = self.called.get(&handle).cloned().ok_or_else(refused)?;
                match (self.parsed.module.functions[function].name.as_deref(), &arguments[..]) {
                    (Some("random"), [argument]) => self.random(*argument, &span)?,
                    (Some("table"), [table, row, column]) => self.table(*table, *row, *column, &span)?,
                    (Some("turn"), [v, towards, angle]) => {
                        self.turn(Op::Turn, [*v, *towards, *angle], &span)?
                    }
                    (Some("turn_away"), [v, from, angle]) => {
                        self.turn(Op::TurnAway, [*v, *from, *angle], &span)?
                    }
                    _ => return Err(refused()),
                }
            }
            _ => return Err(refused()),
        })
    }

    fn composed(&mut self, components: &[Expr], span: &Range<usize>) -> Result<LoweredValue, Error> {
        let parts = components.iter().map(|part| self.known(*part)).collect::<Result<Vec<_>, _>>()?;
        let mut unit = None;
        for (part, handle) in parts.iter().zip(components) {
            unit = self.same_unit(unit, part.unit, (components[0], *handle), span, ",")?;
        }
        let kind = parts.first().map_or(Kind::Number, |part| part.kind);
        Ok(LoweredValue { kind, parts: parts.into_iter().flat_map(|part| part.parts).collect(), unit })
    }

    /// The value of an argument.
    fn argument(&mut self, k: usize) -> Option<LoweredValue> {
        match self.arguments[k] {
            Argument::Quantity(quantity) => {
                self.reads_sum |= matches!(quantity.input, Input::Sum | Input::Count);
                let sum = self.names.sums.first().and_then(|sum| sum.unit);
                let unit = if quantity.input == Input::Sum { sum } else { Some(quantity.unit) };
                Some(self.input(quantity.input as u8, quantity.wgsl, unit))
            }
            Argument::Parameter(k) => {
                self.reads[k] = true;
                let parameter = &self.names.parameters[k];
                let part = self.code.value(ValueSource::Parameter(parameter.first));
                Some(LoweredValue { kind: Kind::Number, parts: vec![part], unit: Some(parameter.unit) })
            }
            Argument::Table(_) | Argument::Their | Argument::Sum(_) => None,
        }
    }

    fn chosen(
        &mut self,
        condition: Expr,
        (accept, reject): (Expr, Expr),
        span: &Range<usize>,
    ) -> Result<LoweredValue, Error> {
        let condition = self.known(condition)?;
        let (yes, no) = (self.known(accept)?, self.known(reject)?);
        let unit = self.same_unit(yes.unit, no.unit, (accept, reject), span, "or")?;
        let chosen = |k: usize| {
            let holds = condition.parts.get(k).unwrap_or(&condition.parts[0]);
            self.code.select(*holds, yes.parts[k], no.parts[k])
        };
        Ok(LoweredValue { kind: yes.kind, parts: (0..yes.parts.len()).map(chosen).collect(), unit })
    }

    fn converted(&mut self, of: Expr, kind: ScalarKind, span: &Range<usize>) -> Result<LoweredValue, Error> {
        let known = self.known(of)?;
        let kind = match (known.kind, kind) {
            (_, ScalarKind::Float) => Kind::Number,
            (Kind::Whole | Kind::Truth, ScalarKind::Uint | ScalarKind::Sint) => Kind::Whole,
            (Kind::Truth, ScalarKind::Bool) => Kind::Truth,
            _ => {
                let error = Error::new(span.clone(), "a number can only be converted with f32(…)");
                return Err(error.hint("use floor(…) to round down to a whole number"));
            }
        };
        Ok(LoweredValue { kind, ..known })
    }

    /// Applies a function to each component.
    fn each(&mut self, known: LoweredValue, f: impl Fn(&mut Code, u8) -> u8) -> LoweredValue {
        let parts = known.parts.iter().map(|part| f(&mut self.code, *part)).collect();
        LoweredValue { parts, ..known }
    }

    /// Applies a function to two values, component by component; a single number goes with each component.
    fn pairs(&mut self, a: &LoweredValue, b: &LoweredValue, f: impl Fn(&mut Code, u8, u8) -> u8) -> Vec<u8> {
        let of = |known: &LoweredValue, k: usize| known.parts.get(k).copied().unwrap_or(known.parts[0]);
        let count = a.parts.len().max(b.parts.len());
        (0..count).map(|k| f(&mut self.code, of(a, k), of(b, k))).collect()
    }

    /// Applies an operation to two values, component by component.
    fn by(&mut self, op: Op, a: &LoweredValue, b: &LoweredValue) -> Vec<u8> {
        self.pairs(a, b, |code, a, b| code.two(op, a, b))
    }

    fn literal(&mut self, literal: Literal) -> Option<LoweredValue> {
        let (kind, number) = match literal {
            Literal::F32(number) => (Kind::Number, f64::from(number)),
            Literal::U32(number) => (Kind::Whole, f64::from(number)),
            Literal::I32(number) => (Kind::Whole, f64::from(number)),
            Literal::Bool(truth) => (Kind::Truth, f64::from(u8::from(truth))),
            _ => return None,
        };
        let part = self.code.constant(number);
        let unit = (number != 0.0).then_some(Unit::NONE);
        Some(LoweredValue { kind, parts: vec![part], unit })
    }

    /// The numbers of a WGSL type from a slot on.
    fn input(&mut self, first: u8, wgsl: &str, unit: Option<Unit>) -> LoweredValue {
        let (kind, count) = kind_of(wgsl);
        let parts = (first..first + count).map(|slot| self.code.push(Op::Input, [slot, 0, 0])).collect();
        LoweredValue { kind, parts, unit }
    }

    /// A component of a vector, a parameter of a table, or a quantity of a neighbour or of a sum.
    fn member(&mut self, base: Expr, index: usize, span: &Range<usize>) -> Result<LoweredValue, Error> {
        if let Expression::FunctionArgument(k) = self.function.expressions[base] {
            match self.arguments[k as usize] {
                Argument::Their => {
                    let Quantity { input, wgsl, unit, .. } = THEIRS[index];
                    return Ok(self.input(input as u8, wgsl, Some(unit)));
                }
                Argument::Table(table) => {
                    let found = numbers(table).nth(index);
                    let (parameter, wgsl) = found.ok_or_else(|| no_operation(span))?;
                    let (kind, count) = kind_of(wgsl);
                    let mut parts = Vec::new();
                    for k in 0..count {
                        let component = usize::from(k);
                        parts.push(self.code.parameter(Reference { parameter: parameter.name, component }));
                    }
                    return Ok(LoweredValue { kind, parts, unit: Some(Unit::of(parameter.unit)) });
                }
                Argument::Sum(k) => {
                    self.reads_sums[k] = true;
                    let (_, input, wgsl) = OF_SUM[index];
                    let unit = if input == Input::Sum { self.names.sums[k].unit } else { Some(Unit::NONE) };
                    return Ok(self.input(input.of_sum(k) as u8, wgsl, unit));
                }
                Argument::Quantity(_) | Argument::Parameter(_) => {}
            }
        }
        let vector = self.known(base)?;
        let part = vector.parts.get(index).copied().ok_or_else(|| no_operation(span))?;
        Ok(LoweredValue { parts: vec![part], ..vector })
    }

    /// The unit of two values that must have the same one. An unknown unit takes that of the other.
    fn same_unit(
        &self,
        a: Option<Unit>,
        b: Option<Unit>,
        (left, right): (Expr, Expr),
        span: &Range<usize>,
        sign: &str,
    ) -> Result<Option<Unit>, Error> {
        let (Some(first), Some(second)) = (a, b) else { return Ok(a.or(b)) };
        if first == second {
            return Ok(a);
        }
        let (one, other) = (self.shown(left), self.shown(right));
        let what = format!("cannot compute `{one}` {sign} `{other}`: their units are {first} and {second}");
        let error = Error::new(span.clone(), what);
        let step = "* motion.time_step";
        let parameter = |pure: &str, unit: Unit| {
            let parameter = format!("NAME = {{ default = 1, unit = \"{unit}\" }}");
            format!("write `NAME * {pure}`, with a parameter of the term: {parameter}")
        };
        Err(error.hint(if first == second + Unit::TIME {
            format!("`{other} {step}` has the unit {first}")
        } else if second == first + Unit::TIME {
            format!("`{one} {step}` has the unit {second}")
        } else if first == Unit::NONE {
            parameter(&one, second)
        } else if second == Unit::NONE {
            parameter(&other, first)
        } else {
            format!("multiply `{other}` by a factor with the unit {}", first - second)
        }))
    }
}

/// Kind and number of components of a WGSL type.
fn kind_of(wgsl: &str) -> (Kind, u8) {
    match wgsl {
        "u32" => (Kind::Whole, 1),
        "f32" => (Kind::Number, 1),
        "bool" => (Kind::Truth, 1),
        _ => (Kind::Number, 3),
    }
}

/// Kind and number of components of a type, if formulas have it.
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

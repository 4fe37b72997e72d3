//! Terms of one's own on the GPU: straight-line WGSL, one `let` an instruction, and the values that it reads from the rule's
//! uniform. The text depends on the formulas alone, so that another value needs no other pipeline.
//!
//! It is the twin of `evaluate` and `Evaluator` in `flock::formula`, in f32; its operations with edges are in
//! `number/f32_own.wgsl`. A kernel calls `begin_own` before it
//! walks over the neighbours, `add_own` of each, and `own_request` at the end.

use std::fmt::Write;

use flock::Rule;
use flock::formula::{Formula, Input, MOST_VALUES, Node, Op, OwnTerm, STREAMS, Source};
use flock::random::stream;

use super::layout::{OWN_VALUES, Word};
use super::number::OnGpu;

/// The file that has the text.
pub(crate) const FILE: &str = "written/own.wgsl";

/// The formulas of a term, each with the slot of its first value: the sum's, if there is one, and the request's.
struct Placed {
    each: Option<(&'static Formula, usize)>,
    request: (&'static Formula, usize),
}

/// The terms in the order in which their values lie.
fn placed(terms: &'static [OwnTerm]) -> impl Iterator<Item = Placed> {
    let mut next = 0;
    let mut place = move |formula: &'static Formula| {
        let first = next;
        next += formula.values.len();
        (formula, first)
    };
    terms.iter().map(move |term| Placed {
        each: term.each.as_ref().map(|each| place(&each.formula)),
        request: place(&term.request),
    })
}

/// The words of the values.
pub(crate) fn words<T: OnGpu>(rule: &Rule<T>) -> Vec<Word> {
    let terms = rule.own.terms();
    let mut words = vec![0; 4 * OWN_VALUES];
    for Placed { each, request } in placed(terms) {
        for (formula, first) in each.into_iter().chain([request]) {
            let value = |source: &Source| T::from_f64(rule.own.value(*source)).word();
            words.iter_mut().skip(first).zip(formula.values).for_each(|(word, source)| *word = value(source));
        }
    }
    for (word, term) in words[MOST_VALUES..].iter_mut().zip(terms) {
        *word = term.each.as_ref().map_or(0, |each| rule.scaled(rule.own.radius(each)).word());
    }
    words
}

/// The file for the shaders of a rule with these terms; without any it requests nothing.
pub fn text(terms: &'static [OwnTerm]) -> String {
    let mut text = String::from(if terms.is_empty() { "" } else { "//!include number/f32_own.wgsl\n" });
    text += "var<private> own_me: Boid;\n";
    let (mut begin, mut add, mut total) = (String::new(), String::new(), String::new());
    for (k, Placed { each, request }) in placed(terms).enumerate() {
        let _ = write!(text, "var<private> own_square_{k}: Number;\nvar<private> own_sum_{k}: Vector;\n");
        let _ = writeln!(text, "var<private> own_count_{k}: u32;");
        if let Some(each) = each {
            text += &function(&format!("fn own_each_{k}(boid: Boid, other: Neighbour)"), each, k);
            let radius = value(MOST_VALUES + k);
            let _ = writeln!(begin, "    own_square_{k} = {radius} * {radius};");
            let _ = write!(
                add,
                "    if (present && other.square < own_square_{k}) {{\n        \
                 own_sum_{k} += own_each_{k}(own_me, other);\n        own_count_{k}++;\n    }}\n"
            );
        }
        text += &function(&format!("fn own_request_{k}(boid: Boid, sum: Vector, count: u32)"), request, k);
        let _ = writeln!(total, "    total += own_request_{k}(boid, own_sum_{k}, own_count_{k});");
    }
    text + &format!(
        "fn begin_own(boid: Boid) {{\n    own_me = boid;\n{begin}}}\n\
         fn add_own(other: Neighbour, present: bool) {{\n{add}}}\n\
         fn own_request(boid: Boid) -> Vector {{\n    var total = Vector();\n{total}    return flattened(total);\n}}\n"
    )
}

/// The value of a slot.
fn value(slot: usize) -> String {
    format!("rule.own[{}].{}", slot / 4, axis(slot))
}

fn axis(k: usize) -> char {
    ['x', 'y', 'z', 'w'][k % 4]
}

/// The function of a formula.
fn function(head: &str, (formula, first): (&Formula, usize), term: usize) -> String {
    let boid = if head.contains("other") { "tags[other.index].x" } else { "boid.id" };
    let stream = |word: u8| stream::OWN + STREAMS * term as u32 + u32::from(word) / 4;
    let mut lines = String::new();
    for (k, Node { op, operands: [a, b, c] }) in formula.nodes.iter().enumerate() {
        let result = match op {
            Op::Value => value(first + usize::from(*a)),
            Op::Input => input(*a),
            Op::Add => format!("r{a} + r{b}"),
            Op::Subtract => format!("r{a} - r{b}"),
            Op::Multiply => format!("r{a} * r{b}"),
            Op::Divide => format!("own_quotient(r{a}, r{b})"),
            Op::Minimum => format!("min(r{a}, r{b})"),
            Op::Maximum => format!("max(r{a}, r{b})"),
            Op::Absolute => format!("abs(r{a})"),
            Op::Floor => format!("floor(r{a})"),
            Op::Fraction => format!("own_fraction(r{a})"),
            Op::Root => format!("own_root(r{a})"),
            Op::Less => format!("select(0.0, 1.0, r{a} < r{b})"),
            Op::LessEqual => format!("select(0.0, 1.0, r{a} <= r{b})"),
            Op::Equal => format!("select(0.0, 1.0, r{a} == r{b})"),
            Op::Select => format!("select(r{c}, r{b}, 0.0 < r{a})"),
            Op::Length => format!("direction(Vector(r{a}, r{b}, r{c})).length"),
            Op::Direction => {
                let _ = writeln!(lines, "    let d{k} = direction(Vector(r{a}, r{b}, r{c})).unit;");
                let _ = writeln!(lines, "    let r{} = d{k}.y;\n    let r{} = d{k}.z;", k + 1, k + 2);
                format!("d{k}.x")
            }
            Op::Rest => continue,
            Op::Random => {
                let word = axis(usize::from(*a));
                format!("own_random(draw(rule.seed, dispatch.step, {boid}, {}u).{word})", stream(*a))
            }
        };
        let _ = writeln!(lines, "    let r{k} = {result};");
    }
    let course = if lines.contains("course.") { "    let course = direction(boid.velocity);\n" } else { "" };
    let [x, y, z] = formula.result;
    format!("{head} -> Vector {{\n{course}{lines}    return Vector(r{x}, r{y}, r{z});\n}}\n")
}

/// What a boid knows in a slot.
fn input(slot: u8) -> String {
    use Input as I;
    let vectors = [
        (I::Position, "boid.position"),
        (I::Velocity, "boid.velocity"),
        (I::Heading, "course.unit"),
        (I::Offset, "other.offset"),
        (I::TheirVelocity, "other.velocity"),
        (I::Sum, "sum"),
    ];
    let numbers = [
        (I::Speed, "course.length"),
        (I::Id, "own_whole(boid.id)"),
        (I::Group, "Number(boid.group)"),
        (I::Bias, "boid.bias"),
        (I::Step, "own_whole(dispatch.step)"),
        (I::Time, "own_whole(dispatch.step) * rule.time_step"),
        (I::Distance, "direction(other.offset).length"),
        (I::TheirGroup, "Number(tags[other.index].y & 3u)"),
        (I::TheirId, "own_whole(tags[other.index].x)"),
        (I::Count, "Number(min(count, 0x100000u))"),
    ];
    let number = numbers.iter().find(|(input, _)| *input as u8 == slot).map(|(_, text)| (*text).to_owned());
    let component = || {
        let (input, text) =
            vectors.iter().find(|(input, _)| (*input as u8..*input as u8 + 3).contains(&slot))?;
        Some(format!("{text}.{}", axis(usize::from(slot - *input as u8))))
    };
    number.or_else(component).unwrap_or_default()
}

//! Custom terms on the GPU: straight-line WGSL, one `let` per instruction, which reads its values from the rule's
//! uniform. The text depends on the formulas, and in integers on the fraction digits of their registers, so that
//! another value seldom needs another pipeline.
//!
//! The twin is `evaluate` and `Evaluator` in `flock::formula`; operations with edge cases or digits are in
//! `rule/formulas.wgsl` and `number/*_formulas.wgsl`. A kernel calls `begin_formulas` before it walks over the neighbours, `add_formulas`
//! for each, and `formula_request` at the end.

use std::fmt::Write;

use flock::formula::{
    Input, Instruction, MAX_SUMS, MAX_TERMS, MAX_VALUES, Op, Prepared, PreparedFormula, Row, STREAMS,
};
use flock::random::stream;

use super::layout::{FORMULA_VALUES, Word};
use super::number::OnGpu;

/// The generated WGSL file.
pub(crate) const FILE: &str = "written/formulas.wgsl";

/// Slot of the first row's radius.
const RADII: usize = MAX_VALUES;

/// Inputs that the GPU clamps, with the slot of the lower limit; the upper limit is 4 slots later.
const CUT: [(Input, usize); 2] =
    [(Input::Position, RADII + MAX_TERMS), (Input::Velocity, RADII + MAX_TERMS + 8)];

/// Slot of the first row's number of nearest neighbours.
const NEAREST: usize = RADII + MAX_TERMS + 16;

/// The values of `own` in the rule's uniform.
pub(crate) fn words<T: OnGpu>(prepared: Option<&Prepared<T>>) -> Vec<Word> {
    let mut words = vec![0; 4 * FORMULA_VALUES];
    let Some(prepared) = prepared else { return words };
    let mut put = |slot: usize, numbers: &mut dyn Iterator<Item = T>| {
        words.iter_mut().skip(slot).zip(numbers).for_each(|(word, number)| *word = number.word());
    };
    put(0, &mut prepared.values.iter().copied());
    put(RADII, &mut prepared.rows().map(|row| row.sum.radius));
    put(NEAREST, &mut prepared.rows().map(|row| T::whole(row.sum.nearest)));
    for (input, slot) in CUT {
        let [low, high] = prepared.limits(input);
        put(slot, &mut low.into_iter());
        put(slot + 4, &mut high.into_iter());
    }
    words
}

/// The WGSL file for custom terms; without any, the boids request nothing. With `outside` it adds the entry that
/// `place_requests.wgsl` wrote at a boid's sorted index.
pub fn text<T: OnGpu>(prepared: Option<&Prepared<T>>, outside: bool) -> String {
    let mut text = String::from(if prepared.is_some() { "//!include rule/formulas.wgsl\n" } else { "" });
    text += "var<private> formula_me: Boid;\n";
    let (mut begin, mut add, mut total) = (String::new(), String::new(), String::new());
    if let Some(prepared) = prepared {
        // The arguments and the parameters of the request for the sums of its term.
        let (mut sums, mut parameters) = (String::new(), String::new());
        for (k, Row { sum, request, number }) in prepared.rows().enumerate() {
            let term = Term { prepared, k };
            if sum.used {
                let _ = writeln!(
                    text,
                    "var<private> formula_within_{k}: Number;\nvar<private> formula_sum_{k}: FormulaSum;"
                );
                let _ = writeln!(text, "var<private> formula_count_{k}: u32;");
                let head = format!("fn formula_each_{k}(boid: Boid, other: Neighbour, offset: Vector)");
                text += &term.function(&head, sum, true);
                let _ = writeln!(begin, "    formula_within_{k} = formula_radius({});", value(RADII + k));
                let walk = if sum.nearest > 0 { "" } else { " && first_walk == walks_twice()" };
                let _ = write!(
                    add,
                    "    if (present{walk} && formula_near(other, offset, formula_within_{k})) {{\n        \
                     formula_each_{k}(formula_me, other, offset);\n    }}\n"
                );
                if sum.nearest > 0 {
                    let _ = writeln!(text, "var<private> formula_squares_{k}: Squares;");
                    let _ = writeln!(begin, "    clear(&formula_squares_{k});");
                }
                let [x, y, z] = sum.shift;
                let shift = format!("vec3<i32>({x}, {y}, {z})");
                let _ = write!(sums, ", formula_total(formula_sum_{k}, {shift}), formula_count_{k}");
                let _ = write!(parameters, ", sum_{number}: Vector, count_{number}: u32");
            }
            if request.used {
                let head = format!("fn formula_request_{k}(boid: Boid{parameters}) -> Vector");
                text += &term.function(&head, request, false);
                let _ = writeln!(total, "    total = plus(total, formula_request_{k}(boid{sums}));");
                (sums, parameters) = (String::new(), String::new());
            }
        }
    }
    if !add.is_empty() {
        add.insert_str(0, "    let offset = formula_offset(formula_me, other);\n");
    }
    let mut sum = String::from("flattened(total)");
    if outside {
        sum = format!("plus({sum}, new_positions[i].xyz)");
    }
    text + &format!(
        "fn begin_formulas(boid: Boid) {{\n    formula_me = boid;\n{begin}}}\n\
         fn add_formulas(other: Neighbour, present: bool) {{\n{add}}}\n\
         fn formula_request(i: u32, boid: Boid) -> Vector {{\n    var total = Vector();\n{total}    return {sum};\n}}\n"
    )
}

/// Expression for the value of a slot.
fn value(slot: usize) -> String {
    format!("rule.formula_values[{}].{}", slot / 4, axis(slot))
}

fn axis(k: usize) -> char {
    ['x', 'y', 'z', 'w'][k % 4]
}

/// Expression for a register shifted by `by` digits.
fn shifted(register: u8, by: i8) -> String {
    if by == 0 { format!("r{register}") } else { format!("formula_shifted(r{register}, {by})") }
}

/// Expression for the value of a slot, shifted by `by` digits.
fn value_shifted(slot: usize, by: i8) -> String {
    if by == 0 { value(slot) } else { format!("formula_shifted({}, {by})", value(slot)) }
}

/// Adds the lines for a vector that instruction k and the two after it define, and returns the expression for its x.
fn vector_result(k: usize, vector: &str, lines: &mut String) -> String {
    let (y, z) = (k + 1, k + 2);
    let _ = writeln!(lines, "    let d{k} = {vector};\n    let r{y} = d{k}.y;\n    let r{z} = d{k}.z;");
    format!("d{k}.x")
}

/// Expression for a vector of registers, each shifted.
fn vector([x, y, z]: [u8; 3], shift: [i8; 3]) -> String {
    format!("Vector({}, {}, {})", shifted(x, shift[0]), shifted(y, shift[1]), shifted(z, shift[2]))
}

/// A row of terms, by its number.
struct Term<'a, T> {
    prepared: &'a Prepared<T>,
    k: usize,
}

impl<T: OnGpu> Term<'_, T> {
    /// The function of a formula: it returns a request in the rule's unit, or with `each` adds to sum and count.
    fn function(&self, head: &str, formula: &PreparedFormula<T>, each: bool) -> String {
        let mut lines = known(formula, each);
        for (k, instruction) in self.prepared.code_of(formula).iter().enumerate() {
            if let Some(result) = self.result(k, instruction, formula, each, &mut lines) {
                let _ = writeln!(lines, "    let r{k} = {result};");
            }
        }
        // A sum is shifted once, after the last neighbour.
        let result = vector(formula.result, if each { [0; 3] } else { formula.shift });
        let (sum, count) = (format!("formula_sum_{}", self.k), format!("formula_count_{}", self.k));
        let mut perceived = formula.perceived.map_or("true".to_owned(), |of| format!("Number(0) < r{of}"));
        if each && formula.nearest > 0 {
            let squares = format!("formula_squares_{}", self.k);
            let most = value(NEAREST + self.k);
            let _ = writeln!(
                lines,
                "    if (first_walk) {{\n        \
                 insert(&{squares}, u32({most}), other.square, {perceived});\n        return;\n    }}"
            );
            let _ = write!(perceived, " & (other.square <= {squares}[0])");
        }
        let end = match perceived.as_str() {
            _ if !each => format!("return {result};"),
            "true" => format!("{sum} = formula_add({sum}, {result});\n    {count}++;"),
            _ => format!(
                "let perceived = {perceived};\n    \
                 {sum} = formula_add({sum}, select(Vector(), {result}, perceived));\n    \
                 {count} += u32(perceived);"
            ),
        };
        format!("{head} {{\n{lines}    {end}\n}}\n")
    }

    /// Expression for the result of instruction `k`; `None` if an earlier instruction has defined it.
    fn result(
        &self,
        k: usize,
        Instruction { op, a, b, c, digits, shift }: &Instruction,
        formula: &PreparedFormula<T>,
        each: bool,
        lines: &mut String,
    ) -> Option<String> {
        let by = shift[0];
        let pair = |name: &str| format!("{name}({}, {})", shifted(*a, by), shifted(*b, shift[1]));
        let compare = |sign: &str| {
            format!("select(Number(0), Number(1), {} {sign} {})", shifted(*a, by), shifted(*b, shift[1]))
        };
        let text = match op {
            Op::Value => value(formula.values().start + usize::from(*a)),
            Op::Input => self.input(*a),
            Op::Add => pair("add"),
            Op::Subtract => pair("subtract"),
            Op::Multiply => format!("formula_product(r{a}, r{b}, {by})"),
            Op::Divide => format!("formula_quotient({}, r{b}, {by})", shifted(*a, shift[1])),
            Op::Minimum => pair("min"),
            Op::Maximum => pair("max"),
            Op::Absolute => format!("formula_absolute(r{a})"),
            Op::Floor => format!("formula_floor(r{a}, {by}, {digits})"),
            Op::Fraction => format!("formula_fraction(r{a}, {by}, {digits})"),
            Op::Root => format!("formula_root(r{a}, {by})"),
            Op::Less => compare("<"),
            Op::LessEqual => compare("<="),
            Op::Equal => compare("=="),
            Op::Select => {
                format!("select({}, {}, Number(0) < r{a})", shifted(*c, shift[1]), shifted(*b, by))
            }
            Op::Length => format!("formula_length({})", vector([*a, *b, *c], *shift)),
            Op::Direction => {
                let of = vector([*a, *b, *c], *shift);
                vector_result(k, &format!("formula_direction({of})"), lines)
            }
            Op::Turn | Op::TurnAway => {
                let [from, to] = [*a, *b].map(|x| vector([x, x + 1, x + 2], [0; 3]));
                let first = formula.values().start + usize::from(*c);
                let [cosine, sine] =
                    [(first, by), (first + 1, shift[1])].map(|(slot, by)| value_shifted(slot, by));
                let to = if *op == Op::Turn { to } else { format!("formula_mirrored({from}, {to})") };
                vector_result(k, &format!("formula_turned({from}, {to}, {cosine}, {sine})"), lines)
            }
            Op::Rest => return None,
            Op::Table => {
                let [of_row, of_column, side] = *shift;
                let first = formula.values().start + usize::from(*c);
                format!(
                    "formula_table(formula_index(r{a}, {of_row}), formula_index(r{b}, {of_column}), {first}u, {side}u)"
                )
            }
            Op::Random => {
                let id = if each { "tags[other.index].x" } else { "boid.id" };
                let stream = stream::OWN + STREAMS * self.k as u32 + u32::from(*a) / 4;
                let word = axis(usize::from(*a));
                format!("formula_random(draw(rule.seed, dispatch.step, {id}, {stream}u).{word})")
            }
        };
        Some(text)
    }

    /// Expression for a boid's input in a slot.
    fn input(&self, slot: u8) -> String {
        use Input as I;
        let vectors = [
            (I::Position, "position"),
            (I::Velocity, "velocity"),
            (I::Heading, "heading"),
            (I::Offset, "offset"),
            (I::TheirVelocity, "their_velocity"),
        ];
        for (input, name) in vectors {
            if let Some(k @ 0..3) = slot.checked_sub(input as u8) {
                return format!("{name}.{}", axis(k.into()));
            }
        }
        for sum in 0..MAX_SUMS {
            match usize::from(slot).checked_sub(I::Sum.of_sum(sum)) {
                Some(k @ 0..3) => return format!("sum_{sum}.{}", axis(k)),
                Some(3) => return format!("Number(min(count_{sum}, 0x100000u))"),
                _ => {}
            }
        }
        let time = format!(
            "formula_time(formula_whole(dispatch.step), rule.time_step, {})",
            self.prepared.time_digits
        );
        let numbers = [
            (I::Speed, "speed"),
            (I::Id, "formula_whole(boid.id)"),
            (I::Group, "Number(boid.group)"),
            (I::Bias, "boid.bias"),
            (I::Step, "formula_whole(dispatch.step)"),
            (I::Time, &time),
            (I::Distance, "formula_length(offset)"),
            (I::TheirGroup, "Number(group_of(tags[other.index].y))"),
            (I::TheirId, "formula_whole(tags[other.index].x)"),
        ];
        let number = numbers.iter().find(|(input, _)| *input as u8 == slot);
        number.map_or_else(String::new, |(_, text)| (*text).to_owned())
    }
}

/// The `let` lines for the inputs of a formula that are computed first.
fn known<T>(formula: &PreparedFormula<T>, each: bool) -> String {
    let [position, velocity] = CUT.map(|(_, slot)| {
        let [low, high] = [slot, slot + 4].map(|slot| format!("rule.formula_values[{}].xyz", slot / 4));
        format!("{low}, {high}")
    });
    let (heading, speed) = (formula.reads(Input::Heading), formula.reads(Input::Speed));
    let lines = [
        (formula.reads(Input::Position), format!("let position = formula_cut(boid.position, {position});")),
        (
            heading || speed || formula.reads(Input::Velocity),
            format!("let velocity = formula_cut(boid.velocity, {velocity});"),
        ),
        (heading, "let heading = formula_direction(velocity);".to_owned()),
        (speed, "let speed = formula_length(velocity);".to_owned()),
        (
            each && formula.reads(Input::TheirVelocity),
            format!("let their_velocity = formula_cut(other.velocity.xyz, {velocity});"),
        ),
    ];
    lines.into_iter().filter(|(used, _)| *used).map(|(_, line)| format!("    {line}\n")).collect()
}

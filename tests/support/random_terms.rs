//! Random terms: a generator over the grammar of formulas. Lengths and velocities are divided by their units, so all
//! values are dimensionless; the result is clamped to the range of a flock.

use flock::formula::FormulaTerms;
use flock::parameters::{Edges, Parameters};
use flock::random::{draw, stream};
use formula::{Numbers, ParameterText, SumText, TermText, compile};

/// Draws words one after the other.
struct Words {
    number: u32,
    next: u32,
}

impl Words {
    fn below(&mut self, end: usize) -> usize {
        self.next += 1;
        draw(self.number, 9, self.next, stream::DRAWN)[0] as usize % end
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// One number; `each` where a neighbour is known.
fn number(words: &mut Words, each: bool, depth: u32) -> String {
    let plain = [
        "bias",
        "0.5",
        "random(3)",
        "speed / v",
        "f32(group)",
        "f32(id % (group + 5u))",
        "-1.5",
        "time / motion.time_step * 0.1",
        "table(k, group, id % 5u)",
        "saturate(f32(id * id) / 18.0)",
        "f32(min(id * id + 1u, 20u))",
        "table(k, id * id, step * id)",
    ];
    let known = [
        "distance / l",
        "table(k, group, their.group)",
        "f32(their.group)",
        "f32(their.id % 5u)",
        "separation.radius / l",
        "f32(their.id * their.id % 7u)",
    ];
    if depth == 0 {
        return format!("({})", if each { words.of(&known) } else { words.of(&plain) });
    }
    let one = |words: &mut Words| number(words, each, depth - 1);
    match words.below(14) {
        0 => format!("({} + {})", one(words), one(words)),
        1 => format!("({} - {})", one(words), one(words)),
        2 => format!("({} * {})", one(words), one(words)),
        3 => format!("({} / {})", one(words), one(words)),
        4 => format!("min({}, {})", one(words), one(words)),
        5 => format!("max({}, {})", one(words), one(words)),
        6 => format!("abs({})", one(words)),
        // WGSL refuses the root of a negative constant.
        7 => format!("sqrt({} + 0.0 * bias)", one(words)),
        8 => format!("fract({})", one(words)),
        9 => format!("select({}, {}, {})", one(words), one(words), truth(words, each, depth - 1)),
        10 => format!("length({})", vector(words, each, depth - 1)),
        11 => format!("dot({}, {})", vector(words, each, depth - 1), vector(words, each, depth - 1)),
        12 => format!("smoothstep(0.0, 1.0, bias + {})", one(words)),
        _ => number(words, each, 0),
    }
}

fn truth(words: &mut Words, each: bool, depth: u32) -> String {
    let sign = words.of(&["<", "<=", ">", ">="]);
    match words.below(4) {
        0 if each => "their.group == group".to_owned(),
        2 => "(id * id > 8u)".to_owned(),
        1 => "(id % 2u == 1u && step > 1u)".to_owned(),
        _ => format!("({} {sign} {})", number(words, each, depth), number(words, each, depth)),
    }
}

/// A vector of pure numbers.
fn vector(words: &mut Words, each: bool, depth: u32) -> String {
    let plain = ["position / l", "velocity / v", "heading", "vec3(0.5, -0.25, bias)"];
    let known = ["offset / l", "their.velocity / v", "(offset - position) / l"];
    if depth == 0 {
        return format!("({})", if each { words.of(&known) } else { words.of(&plain) });
    }
    let one = |words: &mut Words| vector(words, each, depth - 1);
    match words.below(8) {
        0 => format!("({} + {})", one(words), one(words)),
        1 => format!("({} - {})", one(words), one(words)),
        2 => format!("({} * {})", one(words), number(words, each, depth - 1)),
        3 => format!("cross({}, {})", one(words), one(words)),
        4 => format!("normalize({})", one(words)),
        5 => format!("min({}, {})", one(words), one(words)),
        6 => format!("select({}, {}, {})", one(words), one(words), truth(words, each, depth - 1)),
        _ => vector(words, each, 0),
    }
}

/// The terms of a number: one that sums over neighbours and one that does not, of every other number also one of two sums
/// that turns, with their texts. If a formula has more operations than are allowed, a shorter one is drawn.
///
/// # Panics
/// When a formula from the grammar is refused for any other reason.
pub fn terms(number: u32) -> (String, FormulaTerms) {
    for (depth, several) in [(3, true), (2, true), (1, true), (1, false)] {
        let mut texts = drawn(number, depth);
        texts.truncate(if several { 3 } else { 2 });
        let mut shown = format!("{}\n{}", texts[0].request, texts[1].each.as_deref().unwrap_or_default());
        for sum in texts.iter().flat_map(|text| &text.sums) {
            shown += &format!("\n{}: {}", sum.name, sum.each);
        }
        match compile(&texts) {
            Ok(set) => return (shown, FormulaTerms::new(set)),
            Err(error)
                if ["operations; the maximum is", "too many operations"]
                    .iter()
                    .any(|why| error.error.message.contains(why)) => {}
            Err(error) => panic!("{shown}: {error:?}"),
        }
    }
    panic!("even the shortest formula of {number} is too long");
}

fn drawn(number: u32, depth: u32) -> Vec<TermText> {
    let mut words = Words { number, next: 0 };
    let own = |key: &str, unit: &str, default: f64| ParameterText {
        key: key.to_owned(),
        unit: unit.to_owned(),
        default: default.into(),
        range: [0.0, 100.0],
    };
    let cut = |text: &str| format!("v * clamp({text}, vec3(-1.0), vec3(1.0))");
    let summand = |words: &mut Words, depth| {
        format!(
            "clamp({}, vec3(-2.0), vec3(2.0)) * (l / l) + 0.0 * table(k, 0, 0)",
            vector(words, true, depth)
        )
    };
    let sum = summand(&mut words, 2);
    // The table has three or six groups: indices go beyond it if the flock has more.
    let side = if number.is_multiple_of(2) { 3 } else { 6 };
    let table = Numbers { side, all: (0..side * side).map(|k| (k * 7 % 11) as f64 * 0.3 - 1.5).collect() };
    let table = ParameterText { default: table, range: [-2.0, 2.0], ..own("k", "", 0.0) };
    let units = || vec![own("l", "len", 2.5), own("v", "len/t", 0.25), table.clone()];
    let term = |name: &str, parameters, each, request| TermText {
        name: name.to_owned(),
        help: String::new(),
        parameters,
        each,
        sums: Vec::new(),
        request,
    };
    let alone = cut(&format!("{} + 0.0 * table(k, 0, 0) * position / l", vector(&mut words, false, depth)));
    // Acute and obtuse fields of view, zones, both and neither.
    let mut zone = vec![own("radius", "len", 2.0)];
    if number % 4 > 1 {
        zone.push(own("inner_radius", "len", 0.75));
    }
    if !number.is_multiple_of(3) {
        let angle = 40.0 + 25.0 * f64::from(number % 5);
        zone.push(ParameterText { range: [0.0, 180.0], ..own("angle", "", angle) });
    }
    // None, one, some, and more than there are.
    if number % 5 > 1 {
        zone.push(own("nearest", "", [1.0, 5.0, 32.0][number as usize % 3]));
    }
    let together = [units(), zone].concat();
    let mut terms = vec![
        term("alone", units(), None, alone),
        term("together", together, Some(sum), cut("sum / max(count, 1) * (l / l)")),
    ];
    if number % 2 == 1 {
        let sum = |name: &str, parameters, each| SumText { name: name.to_owned(), parameters, each };
        let near = [own("radius", "len", 1.5), own("nearest", "", f64::from(number % 3))];
        let wide = [own("radius", "len", 2.5), own("inner_radius", "len", 0.5), own("angle", "", 85.0)];
        let table = Numbers { side: 2, all: vec![0.5, -1.0, 1.5, 0.25] };
        let small = ParameterText { default: table, range: [-2.0, 2.0], ..own("k", "", 0.0) };
        let most = own("most", "", [0.0, 5.0, 60.0, 100.0][number as usize % 4]);
        let turned =
            "turn(velocity / v, near.sum, most) + turn_away(heading, wide.sum, 35.0) / max(near.count, 1)";
        terms.push(TermText {
            sums: vec![
                sum("near", near.to_vec(), summand(&mut words, 1)),
                sum("wide", wide.to_vec(), summand(&mut words, 1)),
            ],
            ..term(
                "turning",
                vec![own("l", "len", 2.5), own("v", "len/t", 0.25), small, most],
                None,
                cut(&format!("{turned} * (l / l)")),
            )
        });
    }
    terms
}

/// Gives a flock a small world, scouts or eight groups, and edges, which depend on the number: random formulas read
/// them.
pub fn vary(p: &mut Parameters, number: u32) {
    p.flock.seed = number;
    (p.world.min, p.world.max) = ([-4.0, -3.0, -5.0], [5.0, 6.0, 4.0]);
    (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (1.0, 1.5, 1.5);
    (p.motion.max_speed, p.motion.gain, p.motion.time_step) = (0.5, 0.5, 0.25);
    if number.is_multiple_of(2) {
        (p.scouts.right, p.scouts.left, p.scouts.bias) = (0.3, 0.1, 0.25);
    } else {
        for part in [3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0] {
            p.flock.groups.push(part).expect("room for eight");
        }
    }
    p.world.edges = [Edges::Open, Edges::Turn, Edges::Wrap][number as usize % 3];
}

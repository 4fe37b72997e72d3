use flock::formula::digits::{FlockRanges, Span, Unfit, assign};
use flock::formula::{
    Draws, Instruction, MAX_INSTRUCTIONS, Node, Op, Reference, SLOTS, TermSet, ValueSource, evaluate,
};
use flock::rule::angle_values;
use flock::{Fixed, Number};

use crate::compile::{ParameterText, Place, TermError, TermText};
use crate::lower::{Lowered, lower};
use crate::names::FormulaKind::{Each, Request};
use crate::names::{FormulaKind, Names, TermParameter, TermSum};
use crate::parse::parse;
use crate::units::Unit;

mod turns;

fn parameters() -> Vec<TermParameter> {
    let parameter = |name: &str, unit: &str, first, side| {
        let unit = Unit::parse(unit).expect("a unit");
        TermParameter { name: name.to_owned(), unit, first, side }
    };
    vec![
        parameter("strength", "1/t", 0, 0),
        parameter("radius", "len", 1, 0),
        parameter("liking", "len/t^2", 2, 3),
        parameter("most", "", 11, 0),
    ]
}

fn lowered(text: &str, part: FormulaKind) -> Result<Lowered, crate::Error> {
    let parameters = parameters();
    let sums = [TermSum { name: String::new(), unit: Some(Unit::LENGTH) }];
    let names = Names { kind: part, parameters: &parameters, sums: &sums };
    let parsed = parse(text, &names)?;
    lower(text, &parsed, names, Vec::new())
}

#[test]
fn formulas_have_units_and_few_operations() {
    for (text, part, unit, most) in [
        ("strength * cross(vec3(0, 0, 1), position - home.position)", Request, "len/t", 22),
        ("select(vec3(0), -offset * (1 - distance / radius), their.group != group)", Each, "len", 22),
        ("strength * sum / max(count, 1)", Request, "len/t", 14),
        ("let r = position - home.position; strength * normalize(r) * length(r)", Request, "len/t", 20),
        ("vec3(sin(time / motion.time_step), cos(3.0), 0) * speed", Request, "len/t", 70),
        ("heading.yzx * dot(velocity, velocity) / max(speed, 0)", Request, "len/t", 20),
        ("select(vec3(0), velocity, id % 2u == 1u && !(group == 0 || count > 3))", Request, "len/t", 40),
        ("table(liking, group, their.group) * normalize(offset)", Each, "len/t^2", 14),
        ("table(liking, id % 3u, group + 1) * table(liking, 2, 0) * heading", Request, "len^2/t^4", 22),
        ("smoothstep(0.0 * radius, radius, distance) * offset", Each, "len", 24),
        ("vec3(random(0), random(1), random(15)) - 0.5", Request, "a pure number", 12),
        ("exp(-distance / radius) * offset", Each, "len", 40),
        ("sqrt(dot(position.xy, position.xy)) * heading", Request, "len", 14),
        ("turn(velocity, sum, most)", Request, "len/t", 20),
        ("turn_away(turn(velocity, sum, most), heading, 30.0)", Request, "len/t", 36),
    ] {
        let found = lowered(text, part).unwrap_or_else(|error| panic!("{text}: {error} at {:?}", error.span));
        assert_eq!(found.unit.expect("a unit").to_string(), unit, "{text}");
        assert!(found.nodes.len() <= most, "{text}: {} operations", found.nodes.len());
        assert_eq!(found.result.len(), 3, "{text}");
        for (k, node) in found.nodes.iter().enumerate() {
            assert!(
                node.operands[..node.op.operands()].iter().all(|before| usize::from(*before) < k),
                "{text}: {node:?}"
            );
        }
    }
}

/// Each formula of errors.txt, `each: TEXT` or `request: TEXT`, is followed by its place, its error and its hint.
/// `SNAPSHOTS=overwrite` records them anew.
#[test]
fn errors_name_place_and_mend() {
    let mut printed = String::new();
    for line in include_str!("tests/errors.txt").lines() {
        let Some((part, text)) = line.split_once(": ").filter(|(part, _)| ["each", "request"].contains(part))
        else {
            continue;
        };
        let part = if part == "each" { Each } else { Request };
        let error = lowered(text, part).expect_err(text);
        printed.push_str(&format!("{line}\n  at `{}`: {}\n", &text[error.span.clone()], error.message));
        if let Some(hint) = &error.hint {
            printed.push_str(&format!("  hint: {hint}\n"));
        }
        assert!(!error.message.contains('\n') && !error.message.contains("__"), "{text}: {}", error.message);
    }
    snapbox::assert_data_eq!(printed, snapbox::file!["tests/errors.txt"].raw());
}

/// A term of two parameters beside its radius.
fn perceiving(each: bool, parameters: &[(&str, &str, f64)]) -> Result<&'static TermSet, String> {
    let parameter = |(key, unit, default): &(&str, &str, f64)| ParameterText {
        key: (*key).to_owned(),
        unit: (*unit).to_owned(),
        default: (*default).into(),
        range: [-1e6, 1e6],
    };
    let text = TermText {
        name: "a".to_owned(),
        help: String::new(),
        parameters: parameters.iter().map(parameter).collect(),
        each: each.then(|| "offset".to_owned()),
        sums: Vec::new(),
        request: if each { "0.0 * count * velocity" } else { "0.0 * velocity" }.to_owned(),
    };
    crate::compile(&[text]).map_err(|TermError { place, error, .. }| match place {
        Place::Parameter(key) => format!("{key}: {error}"),
        Place::Formula(_) | Place::Sum(_) | Place::Term => error.to_string(),
    })
}

#[test]
fn a_sum_perceives_by_its_radius_inner_radius_and_angle() {
    let perceived = |parameters: &[_]| {
        let set = perceiving(true, parameters).unwrap_or_else(|why| panic!("{why}"));
        let each = set.terms[0].sums.first().expect("a sum");
        let last = each.formula.nodes.len() - 1;
        each.perceived.map(|register| {
            assert_eq!(usize::from(register.get()), last, "it comes last");
            each.formula.nodes[last].op
        })
    };
    let (radius, inner, angle) = (("radius", "len", 3.0), ("inner_radius", "len", 1.0), ("angle", "", 60.0));
    assert_eq!(perceived(&[radius]), None);
    assert_eq!(perceived(&[inner, radius]), Some(Op::LessEqual));
    assert_eq!(perceived(&[radius, angle]), Some(Op::Maximum));
    assert_eq!(perceived(&[radius, inner, angle]), Some(Op::Minimum));
    let ranges = perceiving(true, &[radius, inner, angle]).expect("a term").parameters;
    let ranges: Vec<_> = ranges.iter().map(|parameter| parameter.range).collect();
    assert_eq!(ranges, [[0.0, 1e6], [0.0, 1e6], [0.0, 180.0]]);
    for (parameters, why) in [
        (
            [radius, ("nearest", "", 33.0)],
            "nearest: must be 0 to 32 (number of nearest boids; 0: all), not 33.0",
        ),
        ([radius, ("nearest", "len", 7.0)], "nearest: must have no unit, not len"),
        (
            [radius, ("angle", "", 270.0)],
            "angle: must be 0 to 180 (degrees to either side of the heading), not 270.0",
        ),
        ([radius, ("angle", "", -1.0)], "angle: must be 0 to 180"),
        ([radius, ("inner_radius", "len", -1.0)], "inner_radius: must be at least 0, not -1.0"),
        ([radius, ("inner_radius", "", 1.0)], "inner_radius: must have the unit len, not"),
        ([radius, ("angle", "len", 1.0)], "angle: must have no unit, not len"),
        ([inner, angle], "'each' requires the parameter radius"),
    ] {
        let found = perceiving(true, &parameters).expect_err(why);
        assert!(found.starts_with(why), "{found}");
    }
    // Without a sum such names are those of any parameter.
    assert_eq!(
        perceiving(false, &[angle]).expect_err("unread"),
        "angle: not used by any formula of the term"
    );
}

#[test]
fn long_formulas_are_refused() {
    let long = format!("{}speed", "sin(speed / motion.max_speed) * ".repeat(30));
    let varied: String = (1..40).map(|k| format!("sin(bias * {k}.0) * ")).collect::<String>() + "heading";
    assert!(lowered(&long, Request).is_ok_and(|found| found.nodes.len() < 96));
    let error = lowered(&varied, Request).expect_err("too long");
    assert!(error.message.contains("the maximum is 96"), "{error}");
    let error = lowered(&"(".repeat(60), Request).expect_err("too deep");
    assert!(error.message.contains("48 deep"), "{error}");
}

/// Texts that are damaged end in a formula or in one line.
#[test]
fn damaged_formulas_end_in_one_line() {
    const TEXTS: [&str; 6] = [
        "strength * cross(vec3(0, 0, 1), position - home.position)",
        "select(vec3(0), -offset * (1 - distance / radius), their.group != group)",
        "select(vec3(0), velocity, id % 2u == 1u && !(group == 0 || count > 3))",
        "select(offset, -offset, group == their.group) * f32(their.id)",
        "smoothstep(0.0 * radius, radius, distance) * mix(offset.xyz, vec3(radius), 0.5)",
        "vec3<f32>(random(0), random(1), vec2(3.5e-1f, 0x1p3).y) * vec3f(-speed)",
    ];
    const PIECES: &str = "( ) , ; + - * / % == < > ! && || . 1 0 1e38 1e400 -1 4294967296 0u 1i 0.5h 0x vec3 vec2 f32 u32 bool let true speed id sum select dot é \u{202e}";
    let pieces: Vec<&str> = PIECES.split(' ').collect();
    let draw = |k: u32| flock::random::draw(5, 5, k, 91);
    let (mut whole, count) = (0, 10_000);
    for k in 0..count {
        let [first, second, third, fourth] = draw(k);
        let mut text = TEXTS[first as usize % TEXTS.len()].to_owned();
        for (change, at) in [(second, third), (fourth, first >> 8)].into_iter().take(1 + k as usize % 2) {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let place = places[at as usize % places.len()];
            let piece = pieces[(change >> 8) as usize % pieces.len()];
            match change % 4 {
                0 => text.insert_str(place, piece),
                1 => drop(text.remove(place)),
                2 => text.truncate(place),
                _ => text.replace_range(place..(place + 1).min(text.len()), piece),
            }
            if text.is_empty() {
                text.push('1');
            }
        }
        let part = if k % 2 == 0 { Each } else { Request };
        match lowered(&text, part) {
            Ok(_) => whole += 1,
            Err(error) => {
                let said = &error.message;
                assert!(!said.is_empty() && said.len() < 400 && !said.contains('\n'), "{text}: {said}");
                assert!(
                    error.span.end <= text.len() && error.span.start <= error.span.end,
                    "{text}: {:?}",
                    error.span
                );
                assert!(!said.contains("formula(") && !said.contains("__"), "{text}: {said}");
                let _ = error.place(&text);
            }
        }
    }
    assert!(whole > count / 50 && whole < count / 2, "{whole} of {count} are formulas");
}

/// The inputs, in users' units, and their spans: a position within 640, a speed up to 6, an offset within 40.
fn known(seed: u32) -> [(f64, Span); SLOTS] {
    let words = |k: u32| flock::random::draw(seed, 7, k, 90)[0];
    let within = |k: usize, low: f64, high: f64| {
        let span = Span::of(low, high);
        let share = f64::from(words(k as u32)) / 4_294_967_296.0;
        // Rounded to a word with these digits.
        let unit = 2.0_f64.powi(span.digits.min(20).into());
        (((low + share * (high - low)) * unit).round() / unit, Span::exact(low, high, span.digits.min(20)))
    };
    std::array::from_fn(|k| match k {
        0..=2 => within(k, -640.0, 640.0),
        3..=5 | 19..=21 => within(k, -6.0, 6.0),
        6..=8 => within(k, -1.0, 1.0),
        9 => within(k, 0.0, 6.0),
        10 | 13 | 23 => (f64::from(words(k as u32) % 1000), Span::exact(0.0, 4_194_303.0, 0)),
        11 | 22 => (f64::from(words(k as u32) % 8), Span::exact(0.0, 7.0, 0)),
        12 => within(k, 0.0, 1.0),
        14 => within(k, 0.0, 2000.0),
        15..=17 => within(k, -40.0, 40.0),
        18 => within(k, 0.0, 40.0),
        24..=26 => within(k, -500.0, 500.0),
        _ => (f64::from(words(k as u32) % 50), Span::exact(0.0, 5000.0, 0)),
    })
}

/// The value of the parameter `most`, in degrees.
const MOST: f64 = 20.0;

fn number(lowered: &Lowered, value: ValueSource) -> f64 {
    match value {
        ValueSource::Constant(number) => number,
        ValueSource::Parameter(0) => 0.05,
        ValueSource::Parameter(_) => 12.0,
        ValueSource::Cosine(_) => angle_values(MOST)[0],
        ValueSource::Sine(_) => angle_values(MOST)[1],
        ValueSource::Reference(k) => {
            let Reference { parameter, component } = lowered.references[k];
            let parameters = flock::Parameters::default();
            let parameter = flock::parameters::find(parameter).expect("it is");
            match parameter.get(&parameters) {
                flock::parameters::Value::Vector(vector) => vector[component],
                flock::parameters::Value::Count(count) => count.into(),
                flock::parameters::Value::Flag(flag) => f64::from(u8::from(flag)),
                flock::parameters::Value::Real(real) => real,
                _ => 0.0,
            }
        }
    }
}

fn word(number: f64, digits: i8) -> Fixed {
    Fixed((number * 2.0_f64.powi(digits.into()) + 0.5).floor() as i32)
}

/// The result in a type of number, given what makes one of a number and its digits, and back.
fn result<T: Number>(
    lowered: &Lowered,
    seed: u32,
    of: impl Fn(f64, i8) -> T,
    back: impl Fn(T, i8) -> f64,
) -> Vec<f64> {
    let known = known(seed);
    let values: Vec<Span> = lowered
        .values
        .iter()
        .map(|value| Span::of_numbers(std::iter::once(number(lowered, *value))))
        .collect();
    let none = Instruction::plain(&Node { op: Op::Rest, operands: [0; 3] });
    let mut code = vec![none; lowered.nodes.len()];
    let spans = assign(&lowered.nodes, &known.map(|(_, span)| span), &values, &mut code).expect("it fits");
    let numbers: Vec<T> = lowered
        .values
        .iter()
        .zip(&values)
        .map(|(value, span)| of(number(lowered, *value), span.digits))
        .collect();
    let slots = known.map(|(number, span)| of(number, span.digits));
    let mut registers = [[T::ZERO]; MAX_INSTRUCTIONS];
    let draws = Draws { seed, step: 3, stream: 100 };
    evaluate::<T, 1>(&code, &numbers, &slots.map(|slot| [slot]), &[seed], draws, &mut registers, 1);
    lowered
        .result
        .iter()
        .map(|k| back(registers[usize::from(*k)][0], spans[usize::from(*k)].digits))
        .collect()
}

/// The results in f64, f32 and integers.
fn results(lowered: &Lowered, seed: u32) -> [Vec<f64>; 3] {
    let number = |word: Fixed, digits: i8| f64::from(word.0) * 2.0_f64.powi(-i32::from(digits));
    [
        result::<f64>(lowered, seed, |number, _| number, |number, _| number),
        result::<f32>(lowered, seed, |number, _| number as f32, |number, _| number.into()),
        result::<Fixed>(lowered, seed, word, number),
    ]
}

#[test]
fn all_number_types_agree() {
    for (text, part, digits) in [
        ("strength * cross(vec3(0, 0, 1), position - home.position)", Request, 1e-4),
        ("select(vec3(0), -offset * (1 - distance / radius), their.group != group)", Each, 1e-4),
        ("strength * sum / max(count, 1)", Request, 1e-4),
        ("strength * normalize(position) * length(position)", Request, 1e-4),
        ("vec3(sin(time / motion.time_step), cos(bias), sin(-bias * 9)) * speed", Request, 3e-3),
        ("heading.yzx * dot(velocity, velocity) / max(speed, motion.max_speed)", Request, 1e-4),
        ("select(vec3(0), velocity, id % 7u == 1u && !(group == 0 || count > 3))", Request, 1e-4),
        ("smoothstep(0.0 * radius, radius, distance) * offset", Each, 1e-4),
        ("vec3(random(0), random(5), random(15)) - 0.5", Request, 1e-6),
        ("exp(-distance / radius) * offset", Each, 1e-3),
        ("sqrt(dot(position.xy, position.xy)) * heading", Request, 1e-3),
        (
            "mix(velocity, heading * speed, 0.25) * fract(bias * 3.0) * sign(position.x / radius)",
            Request,
            1e-4,
        ),
        ("min(abs(offset), vec3(radius)) + floor(vec3(bias * 5.5)) * radius", Each, 1e-4),
        ("offset / distance", Each, 1e-4),
        ("turn(velocity, sum, most)", Request, 1e-4),
        (
            "turn_away(turn(velocity, sum, 90.0), vec3(0), 30.0) + turn(velocity, -velocity, most)",
            Request,
            1e-4,
        ),
        // Functions that have the names of quantities.
        ("select(heading, heading * step(0.5, bias), step % 3u == 1u)", Request, 1e-4),
        ("offset / max(distance(position, home.position), distance)", Each, 1e-4),
        ("vec3(f32(group) / 3.0, f32(group) / 0.3, count / 7.0)", Request, 1e-6),
        // Numbers so large that fixed point has no digits for the other.
        (
            "vec3(saturate(f32(step) * 1000), saturate(f32(step) * 0.001), max(min(f32(step) * 900, 2.5), 0.5))",
            Request,
            1e-3,
        ),
        ("vec3(min(f32(id) * 3000, 0.75)) + smoothstep(0.0, 1.0, f32(step) * 700)", Request, 1e-3),
        ("select(heading, -heading, f32(step) * 1000 < 0.5) * f32(f32(id) * 4000 == 0.5)", Request, 1e-4),
    ] {
        let found = lowered(text, part);
        let lowered = match found {
            Ok(lowered) => lowered,
            // Units do not matter here.
            Err(error) => panic!("{text}: {error}"),
        };
        for seed in 0..50 {
            let [exact, single, whole] = results(&lowered, seed);
            let scale = exact.iter().fold(1e-3_f64, |most, number| most.max(number.abs()));
            for (k, number) in exact.iter().enumerate() {
                for (name, other) in [("f32", single[k]), ("fixed", whole[k])] {
                    let error = (other - number).abs() / scale.max(1.0);
                    assert!(error < digits, "{text}, seed {seed}: {name} {other}, f64 {number}");
                }
            }
        }
    }
}

/// Quotients are rounded down, rests have the sign of the divisor, and both are 0 of a division by 0.
#[test]
fn whole_numbers_are_divided_without_an_error() {
    let by = |a: i64, b: i64| if b == 0 { [0; 2] } else { [a.div_euclid(b), a.rem_euclid(b)] };
    let floored = move |a: i64, b: i64| if b < 0 { by(-a, -b) } else { by(a, b) };
    type Expected<'a> = &'a dyn Fn(i64, i64, i64) -> [i64; 3];
    let texts: [(&str, Expected<'_>); 3] = [
        ("vec3(f32(id / their.group), f32(id % their.group), f32(3u / id))", &|id, _, their| {
            [floored(id, their)[0], floored(id, their)[1], floored(3, id)[0]]
        }),
        ("vec3(f32(i32(id) / -2), f32(i32(id) % -2), f32((id * 10u) % 17u))", &|id, _, _| {
            [floored(id, -2)[0], -floored(id, -2)[1], (id * 10) % 17]
        }),
        (
            "let a = i32(group) - 4; let b = i32(their.group) - 3; vec3(f32(a / b), f32(a % b), f32(id / 17u))",
            &|id, group, their| {
                let (a, b) = (group - 4, their - 3);
                [floored(a, b)[0], floored(a, b)[1] * b.signum(), id / 17]
            },
        ),
    ];
    for ((text, expected), seed) in texts.iter().flat_map(|text| (0..200).map(move |seed| (text, seed))) {
        let lowered = lowered(text, Each).expect(text);
        let [id, group, their] = [10, 11, 22].map(|slot: usize| known(seed)[slot].0 as i64);
        let expected = expected(id, group, their).map(|number| number as f64).to_vec();
        for found in results(&lowered, seed) {
            assert_eq!(found, expected, "{text}: id {id}, group {group}, theirs {their}");
        }
    }
}

/// Why integers refuse a formula of flocks of any size, or of some boids.
fn refused(text: &str, boids: Option<u32>) -> Option<Unfit> {
    let lowered = &lowered(text, Request).expect(text);
    let known = FlockRanges::of_any_flock(known(0).map(|(_, span)| span));
    let known = boids.map_or(known, |boids| known.of_boids(boids));
    let values: Vec<Span> = lowered
        .values
        .iter()
        .map(|value| Span::of_numbers(std::iter::once(number(lowered, *value))))
        .collect();
    let mut code = vec![Instruction::plain(&lowered.nodes[0]); lowered.nodes.len()];
    assign(&lowered.nodes, &known.spans, &values, &mut code).err()
}

/// Whole numbers that integers would round are refused; of a small flock they are exact.
#[test]
fn a_product_of_whole_numbers_is_exact_or_refused() {
    for text in [
        "vec3(f32(id * id == 9u))",
        "vec3(saturate(f32(id * id) / 18.0))",
        "vec3(f32(min(id * id, 20u)))",
        "select(vec3(0.0), heading, id * id > 8u)",
        "vec3(f32(dot(vec3(id), vec3(id))))",
        "vec3(f32(id * 1000u + 1u))",
        "vec3(f32(i32(id) * -1000 - 1))",
    ] {
        assert_eq!(refused(text, None), Some(Unfit::Whole), "{text}");
        assert_eq!(refused(text, Some(1000)), None, "{text}");
    }
    // A power of two in a factor makes room for its digits.
    assert_eq!(refused("vec3(f32(id * 4096u))", None), None);
    assert_eq!(refused("vec3(f32(step * id))", Some(100)), None);
    assert_eq!(refused("vec3(f32(step * id))", Some(1000)), Some(Unfit::Whole));
}

/// In integers the fraction of a number without digits is refused, not zero.
#[test]
fn a_fraction_that_has_no_digits_is_refused() {
    for (text, fits) in [
        ("vec3(fract(f32(id) * 0.618))", true),
        ("vec3(fract(f32(id) * f32(id) * 0.618))", false),
        ("vec3(floor(f32(step) * 200))", true),
        ("vec3(floor(f32(step) * 1000))", false),
        // The lower bound would vanish.
        ("vec3(clamp(f32(step) * 1000, 0.5, 2.5))", false),
        ("vec3(clamp(f32(step) * 100, 0.5, 2.5))", true),
        ("vec3(f32((id * 131u) % 17u))", false),
        ("vec3(f32((step + 50u) % (id + 5u)))", false),
    ] {
        let refused = refused(text, None);
        assert_eq!(refused.is_none(), fits, "{text}: {refused:?}");
    }
}

#[test]
fn edges_are_what_they_are_said_to_be() {
    for (text, expected) in [
        ("vec3(1.0 / (bias - bias))", 0.0),
        ("vec3((bias - bias) / (bias - bias))", 0.0),
        ("vec3(sqrt(-1.0 - bias))", 0.0),
        ("normalize(velocity - velocity) + 3.0", 3.0),
        ("vec3(length(velocity - velocity)) / motion.max_speed", 0.0),
        ("vec3(sin(bias - bias))", 0.0),
        ("vec3(cos(bias - bias))", 1.0),
        ("vec3(sign(bias - bias))", 0.0),
        ("vec3(exp(bias - bias - 100.0))", (-16.0_f64).exp()),
    ] {
        let lowered = lowered(text, Request).unwrap_or_else(|error| panic!("{text}: {error}"));
        let exact = result::<f64>(&lowered, 3, |number, _| number, |number, _| number);
        let whole = result::<Fixed>(&lowered, 3, word, |word, digits| {
            f64::from(word.0) * 2.0_f64.powi(-i32::from(digits))
        });
        for found in exact.into_iter().chain(whole) {
            assert!((found - expected).abs() < 1e-6, "{text}: {found}, not {expected}");
        }
    }
}

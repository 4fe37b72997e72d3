//! The values of formulas in f64, f32 and integers, from the same inputs.

use flock::formula::{
    Draws, Input, Instruction, MAX_INSTRUCTIONS, Node, Op, Reference, SLOTS, Source, evaluate,
};
use flock::{Fixed, Number};

use super::*;
use flock::formula::digits::{Known, Span, Unfit, assign};

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

fn number(lowered: &Lowered, value: Source) -> f64 {
    match value {
        Source::Constant(number) => number,
        Source::Own(0) => 0.05,
        Source::Own(_) | Source::Cosine(_) => 12.0,
        Source::Reference(k) => {
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
    evaluate::<T, 1>(&code, &numbers, &slots.map(|slot| [slot]), &[seed], draws, (&mut registers, 1));
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
    let known = Known::of_any_flock(known(0).map(|(_, span)| span));
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

#[test]
fn inputs_have_their_slots() {
    assert_eq!((Input::Offset as usize, Input::Count as usize + 1), (15, SLOTS));
}

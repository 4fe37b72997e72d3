use flock::formula::{Op, TermSet};

use crate::compile::{ParameterText, Place, TermError, TermText};
use crate::lower::{Lowered, lower};
use crate::names::Part::{Each, Request};
use crate::names::{Own, Part};
use crate::parse::parse;
use crate::units::Unit;

fn own() -> Vec<Own> {
    let own = |name: &str, unit: &str, first, side| {
        let unit = Unit::parse(unit).expect("a unit");
        Own { name: name.to_owned(), unit, first, side }
    };
    vec![own("strength", "1/t", 0, 0), own("radius", "len", 1, 0), own("liking", "len/t^2", 2, 3)]
}

fn lowered(text: &str, part: Part) -> Result<Lowered, crate::Error> {
    let own = own();
    let parsed = parse(text, part, &own)?;
    lower(text, &parsed, part, &own, Some(Unit::LENGTH), Vec::new())
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

#[test]
fn errors_name_place_and_mend() {
    for (text, part, at, message, hint) in [
        (
            "position + velocity",
            Request,
            "position + velocity",
            "`position` + `velocity`: len and len/t have different units",
            Some("`velocity * motion.time_step` has the unit len"),
        ),
        ("positon", Request, "positon", "positon: no such name", Some("did you mean `position`?")),
        (
            "home.positon",
            Request,
            "positon",
            "home.positon: no number of that name",
            Some("did you mean `home.position`?"),
        ),
        (
            "smoothstep(0.0, 1.0, 0.25) * velocity",
            Request,
            "smoothstep(0.0, 1.0, 0.25) * velocity",
            "`smoothstep(0.0, 1.0, 0.25) * velocity`: a part of it is of constants alone, or",
            Some("or f32(…) around one of them"),
        ),
        (
            "f32(id / 0u) * velocity",
            Request,
            "f32(id / 0u) * velocity",
            "`f32(id / 0u) * velocity`: a whole number is divided by 0",
            Some("a quotient of numbers by 0 is 0"),
        ),
        (
            "velocity * sqrt(sqrt(radius))",
            Request,
            "sqrt",
            "sqrt: the root of the unit len^(1/2): allowed are whole and half powers",
            None,
        ),
        (
            "velocity * saturate(radius)",
            Request,
            "saturate",
            "saturate: allowed is a pure number, not one with the unit len",
            None,
        ),
        ("offset", Request, "offset", "offset: known in `each` alone", None),
        ("sum", Each, "sum", "sum: known in `request` alone", None),
        ("distance * heading", Request, "distance", "distance: known in `each` alone", None),
        ("sin(distance)", Each, "sin", "sin: allowed is a pure number, not one with the unit len", None),
        (
            "liking * heading",
            Request,
            "liking",
            "liking: a table of the term stands, and alone, first in table(NAME, row, column)",
            None,
        ),
        (
            "table(strength, group, 0) * heading",
            Request,
            "strength",
            "strength: a table of the term stands",
            None,
        ),
        ("table(liking, speed, 0) * heading", Request, "table(liking, speed, 0) * heading", "", None),
        ("sqrt(-1.5) * heading", Request, "sqrt", "sqrt of a constant outside of its range", None),
        ("heading * f32(speed > 1.5)", Request, "speed > 1.5", "`speed` > `1.5`: len/t and a pure", None),
        (
            "sum + position + home.position + vec3(radius) + velocity",
            Request,
            "sum + position + home.position + vec3(radius) + velocity",
            "`sum + position + home.position + vec3(ra…` + `velocity`: len and len/t",
            None,
        ),
        (
            "velocity * select(0.0, 1.0, group == 2.0)",
            Request,
            "velocity * select(0.0, 1.0, group == 2.0)",
            "`velocity * select(0.0, 1.0, group == 2.0)`: a part of it is of constants alone, or",
            Some("2 beside id and group"),
        ),
        ("velocity * random", Request, "random", "random: a function: allowed is random(…)", None),
        ("home.weight.x * velocity", Request, "x", "a number has no component `x`", None),
        ("position[0]", Request, "[", "`[`: no sign of a formula", Some(".x, .y and .z")),
        ("bias > 1 ? velocity : heading", Request, "?", "`?`: no sign", Some("select(")),
        ("if (bias > 1) { velocity }", Request, "if", "if: no such name", Some("select(")),
        ("for (;;) { }", Request, "for", "for: no such name", Some("no loops")),
        ("max(velocity, 0.0)", Request, "", "inconsistent type", Some("two of a kind")),
        ("velocity * bias ^ 2", Request, "^", "`^`: no sign", Some("x * x")),
        ("their.position", Each, "position", "their.position: no number", Some("position + offset")),
        (
            "velocity + vec3(0, 0, 1)",
            Request,
            "velocity + vec3(0, 0, 1)",
            "`velocity` + `vec3(0, 0, 1)`: len/t and a pure number have different units",
            Some("`NAME * vec3(0, 0, 1)` has the unit len/t, by a parameter of the term"),
        ),
        ("let a = 1.0;", Request, ";", "it ends with `;`", None),
        ("let home = 1.0; home", Request, "home", "let home: the name is taken", None),
        ("vec3(1.0) }", Request, "}", "`}`: no sign of a formula", None),
        ("position.xw", Request, "xw", ".xw: allowed are components", None),
        ("3", Request, "3", "its value is a whole number", Some("with a point, as 1.0")),
        ("group == 1", Request, "group == 1", "its value is a truth value", None),
        ("random(group)", Request, "random(group)", "random(k): allowed is a number k from 0 to 15", None),
        ("random(16)", Request, "random(16)", "random(k): allowed is a number k from 0 to 15", None),
        ("", Request, "", "it is empty", None),
        ("while", Request, "while", "while: no such name", None),
        ("position // x", Request, "//", "a comment", None),
        ("dot(position, speed)", Request, "", "", None),
        ("vec3(1.0, 2.0)", Request, "", "", None),
        ("position *", Request, "", "expected expression, found the end", None),
        ("let a = ; a", Request, ";", "expected expression, found \";\"", None),
        ("((((", Request, "", "", None),
        ("flock.start", Request, "start", "flock.start: no number of that name", None),
        ("bias % 3.0", Request, "", "%: allowed are whole numbers", Some("fract")),
        ("group & 1", Request, "&", "`&`: allowed is `&&`", None),
        ("tan(speed)", Request, "tan", "tan: no such name", None),
    ] {
        let error = lowered(text, part).expect_err(text);
        assert!(error.message.starts_with(message), "{text}: {}", error.message);
        assert!(!error.message.contains("see msg"), "{text}: {}", error.message);
        assert!(!error.message.contains('\n') && !error.message.contains("__"), "{text}: {}", error.message);
        if !at.is_empty() {
            assert_eq!(&text[error.span.clone()], at, "{text}: {error}");
        }
        if let Some(hint) = hint {
            let said = error.hint.as_deref();
            assert!(said.is_some_and(|said| said.contains(hint)), "{text}: {said:?}");
        }
    }
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
        request: if each { "0.0 * count * velocity" } else { "0.0 * velocity" }.to_owned(),
    };
    crate::compile(&[text]).map_err(|TermError { place, error, .. }| match place {
        Place::Parameter(key) => format!("{key}: {error}"),
        Place::Formula(_) | Place::Term => error.to_string(),
    })
}

#[test]
fn a_sum_perceives_by_its_radius_inner_radius_and_angle() {
    let perceived = |parameters: &[_]| {
        let set = perceiving(true, parameters).unwrap_or_else(|why| panic!("{why}"));
        let each = set.terms[0].each.as_ref().expect("a sum");
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
    let ranges: Vec<_> = ranges.iter().map(|own| own.range).collect();
    assert_eq!(ranges, [[0.0, 1e6], [0.0, 1e6], [0.0, 180.0]]);
    for (parameters, why) in [
        (
            [radius, ("nearest", "", 33.0)],
            "nearest: 33.0: allowed is 0 to 32, rounded: so many of the nearest",
        ),
        ([radius, ("nearest", "len", 7.0)], "nearest: its unit is len: allowed is none"),
        ([radius, ("angle", "", 270.0)], "angle: 270.0: allowed is 0 to 180, degrees to either side"),
        ([radius, ("angle", "", -1.0)], "angle: -1.0: allowed is 0 to 180"),
        ([radius, ("inner_radius", "len", -1.0)], "inner_radius: -1.0: allowed is a length from 0 on"),
        ([radius, ("inner_radius", "", 1.0)], "inner_radius: its unit is a pure number: allowed is len"),
        ([radius, ("angle", "len", 1.0)], "angle: its unit is len: allowed is none"),
        ([inner, angle], "each without the parameter radius"),
    ] {
        let found = perceiving(true, &parameters).expect_err(why);
        assert!(found.starts_with(why), "{found}");
    }
    // Without a sum such names are those of any parameter.
    assert_eq!(perceiving(false, &[angle]).expect_err("unread"), "angle: no formula of the term reads it");
}

#[test]
fn long_formulas_are_refused() {
    let long = format!("{}speed", "sin(speed / motion.max_speed) * ".repeat(30));
    let varied: String = (1..40).map(|k| format!("sin(bias * {k}.0) * ")).collect::<String>() + "heading";
    assert!(lowered(&long, Request).is_ok_and(|found| found.nodes.len() < 96));
    let error = lowered(&varied, Request).expect_err("too long");
    assert!(error.message.contains("operations: allowed are 96"), "{error}");
    let error = lowered(&"(".repeat(60), Request).expect_err("too deep");
    assert!(error.message.contains("48 brackets"), "{error}");
}

mod evaluated;

/// Texts that are damaged end in a formula or in one line.
#[test]
fn damaged_formulas_end_in_one_line() {
    const TEXTS: [&str; 8] = [
        "strength * cross(vec3(0, 0, 1), position - home.position)",
        "select(vec3(0), -offset * (1 - distance / radius), their.group != group)",
        "let r = position - home.position; let far = length(r); select(-r / far, vec3(0.0), far < radius) * strength * radius",
        "vec3(sin(time / motion.time_step), cos(3.0), 0) * speed",
        "select(vec3(0), velocity, id % 2u == 1u && !(group == 0 || count > 3))",
        "select(offset, -offset, group == their.group) * f32(their.id)",
        "smoothstep(0.0 * radius, radius, distance) * mix(offset.xyz, vec3(radius), 0.5)",
        "vec3<f32>(random(0), random(1), vec2(3.5e-1f, 0x1p3).y) * vec3f(-speed)",
    ];
    const PIECES: [&str; 40] = [
        "(",
        ")",
        ",",
        ";",
        "+",
        "-",
        "*",
        "/",
        "%",
        "==",
        "<",
        ">",
        "!",
        "&&",
        "||",
        ".",
        "1",
        "0",
        "1e38",
        "1e400",
        "-1",
        "4294967296",
        "0u",
        "1i",
        "0.5h",
        "0x",
        "vec3",
        "vec2",
        "f32",
        "u32",
        "bool",
        "let x =",
        "true",
        "speed",
        "id",
        "sum",
        "select",
        "dot",
        "é",
        "\u{202e}",
    ];
    let draw = |k: u32| flock::random::draw(5, 5, k, 91);
    let (mut whole, count) = (0, 10_000);
    for k in 0..count {
        let [first, second, third, fourth] = draw(k);
        let mut text = TEXTS[first as usize % TEXTS.len()].to_owned();
        for (change, at) in [(second, third), (fourth, first >> 8)].into_iter().take(1 + k as usize % 2) {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let place = places[at as usize % places.len()];
            let piece = PIECES[(change >> 8) as usize % PIECES.len()];
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

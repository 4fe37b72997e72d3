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

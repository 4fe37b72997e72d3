//! Turns, and terms of several sums.

use flock::formula::TermSet;

use super::{MOST, lowered, results};
use crate::compile::{ParameterText, SumText, TermError, TermText};
use crate::names::FormulaKind::Request;

/// The angle between two vectors, in degrees.
fn angle(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()).clamp(-1.0, 1.0).acos().to_degrees()
}

fn length(a: &[f64]) -> f64 {
    a.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// A vector turns by the angle to the other, or by the greatest, in their plane, and keeps its length.
#[test]
fn turns_have_the_angle_that_they_are_given() {
    let of =
        |text: &str, seed| results(&lowered(text, Request).unwrap_or_else(|error| panic!("{error}")), seed);
    let mut full = 0;
    for seed in 0..60 {
        let [velocity, sum] = ["-(-velocity)", "-(-sum)"].map(|text| of(text, seed)[0].clone());
        let between = angle(&velocity, &sum);
        let [towards, away] =
            ["turn(velocity, sum, most)", "turn_away(velocity, sum, most)"].map(|text| of(text, seed));
        for (k, digits) in [1e-7, 1e-4, 1e-3].into_iter().enumerate() {
            let near = |a: f64, b: f64| assert!((a - b).abs() < digits * 180.0, "{seed}, {k}: {a} for {b}");
            let turn = between.min(MOST);
            near(angle(&towards[k], &velocity), turn);
            near(angle(&towards[k], &sum), between - turn);
            near(angle(&away[k], &velocity), turn);
            if between + turn < 180.0 {
                near(angle(&away[k], &sum), between + turn);
            }
            near(length(&towards[k]), length(&velocity));
            near(length(&away[k]), length(&velocity));
            full += u32::from(between <= MOST);
        }
    }
    // Some vectors are nearer to each other than the greatest angle.
    assert!(full < 60, "{full}");
    for seed in 0..8 {
        let velocity = of("-(-velocity)", seed)[0].clone();
        for (text, turn) in [
            ("turn(velocity, -velocity, most)", MOST),
            ("turn(velocity, -velocity, 90.0)", 90.0),
            ("turn(velocity, -velocity, 180.0)", 180.0),
            ("turn(velocity, velocity, most)", 0.0),
            ("turn_away(velocity, velocity, most)", 0.0),
            ("turn(velocity, vec3(0.0) * sum, most)", 0.0),
            ("turn(velocity, sum, 0.0)", 0.0),
            ("turn(velocity, velocity + 0.1 * cross(heading, vec3(0, 0, 1)) * speed, most)", f64::NAN),
        ] {
            for (k, found) in of(text, seed).iter().enumerate() {
                let apart = angle(found, &velocity);
                assert!((length(found) - length(&velocity)).abs() < 1e-3, "{text}, {k}: {found:?}");
                if turn.is_finite() {
                    assert!((apart - turn).abs() < 0.05, "{text}, {k}: {apart}");
                } else {
                    // Less than the greatest angle: the other vector's direction itself.
                    assert!(apart > 0.2 && apart < 12.0, "{text}, {k}: {apart}");
                }
            }
        }
    }
}

/// A term with two sums, or the line of its error.
fn several(near: &str, wide: &str, request: &str) -> Result<&'static TermSet, String> {
    let parameter = |key: &str, unit: &str, default: f64| ParameterText {
        key: key.to_owned(),
        unit: unit.to_owned(),
        default: default.into(),
        range: [-1e6, 1e6],
    };
    let sum = |name: &str, each: &str, radius| SumText {
        name: name.to_owned(),
        parameters: vec![parameter("radius", "len", radius)],
        each: each.to_owned(),
    };
    let text = TermText {
        name: "a".to_owned(),
        parameters: vec![parameter("weight", "1/t", 0.5)],
        sums: vec![sum("near", near, 1.0), sum("wide", wide, 5.0)],
        request: request.to_owned(),
        ..TermText::default()
    };
    crate::compile(&[text]).map_err(|TermError { place, error, .. }| {
        let hint = error.hint.as_ref().map_or(String::new(), |hint| format!("; {hint}"));
        format!("{place:?}: {error}{hint}")
    })
}

#[test]
fn a_term_reads_several_sums_by_their_names() {
    let request = "weight * (near.sum / max(near.count, 1) + wide.sum)";
    let set = several("offset", "radius * normalize(offset)", request).unwrap_or_else(|why| panic!("{why}"));
    let names: Vec<&str> = set.parameters.iter().map(|parameter| parameter.name).collect();
    assert_eq!(names, ["terms.a.weight", "terms.a.sums.near.radius", "terms.a.sums.wide.radius"]);
    let radii: Vec<(&str, usize)> = set.terms[0].sums.iter().map(|sum| (sum.name, sum.radius)).collect();
    assert_eq!(radii, [("near", 1), ("wide", 2)]);
    // The texts that it came from compile to the same.
    let texts = crate::texts(&flock::formula::FormulaTerms::new(set));
    assert_eq!(crate::compile(&texts).expect("the same texts"), set);
    for (near, wide, request, why) in [
        (
            "offset",
            "offset",
            "weight * near.sum",
            "must use wide.sum or wide.count, because the term has this sum",
        ),
        ("offset", "offset", "weight * sum", "'sum' requires the name of its sum; such as near.sum"),
        ("offset", "offset", "weight * near.velocity", "unknown name 'near.velocity'; near has sum, count"),
        ("offset", "offset", "weight * near", "near must be followed by .NAME"),
        ("offset", "wide.sum", "weight * near.sum", "unknown name 'wide'"),
        ("offset", "their.velocity", "weight * (near.sum + wide.sum)", "their units are len and len/t"),
        (
            "offset",
            "offset",
            "turn(near.sum, wide.sum, weight)",
            "the angle weight must have no unit, not 1/t",
        ),
        (
            "offset",
            "offset",
            "turn(near.sum, wide.sum, near.count)",
            "the angle must be a number or a parameter",
        ),
    ] {
        let found = several(near, wide, request).expect_err(request);
        assert!(found.contains(why), "{request}: {found}");
    }
}

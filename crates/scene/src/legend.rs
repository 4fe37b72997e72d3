//! The meaning of the colours of boids: some colours, each with its words. The colours are those of
//! `shaders/view/boid.wgsl`, without light and shade.

use config::View;
use flock::Parameters;
use flock::parameters::{MAX_GROUPS, Value};

use super::{Colour, Look, Scenery, drawn_scenery, one_speed};

/// A colour and its meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Swatch {
    /// Red, green and blue, in sRGB.
    pub colour: [u8; 3],
    pub meaning: String,
}

/// A colour in OKLab.
type Lab = [f32; 3];

const LOW: Lab = [0.60, -0.020, -0.115];
const MIDDLE: Lab = [0.75, -0.085, 0.010];
const HIGH: Lab = [0.90, 0.035, 0.105];
const GROUPS: [Lab; MAX_GROUPS] = [
    [0.72, -0.008, -0.030],
    [0.80, 0.055, 0.125],
    [0.78, -0.110, -0.060],
    [0.70, 0.190, -0.040],
    [0.90, -0.120, 0.160],
    [0.56, -0.030, -0.180],
    [0.56, 0.150, 0.085],
    [0.74, 0.080, -0.120],
];
const DARK_BLUE: Lab = [0.46, -0.010, -0.095];
const LIGHT_YELLOW: Lab = [0.92, -0.015, 0.140];

/// The six directions, in a flat flock as on a screen, and how two axes and the lightness show them.
const FLAT: [&str; 4] = ["right", "down", "left", "up"];
const SPACE: [&str; 6] = ["+x", "+y", "-x", "-y", "climbing", "diving"];
const DIRECTIONS: [[f32; 3]; 6] =
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];

/// The legend of a picture; empty for birds at dusk, whose colours mean nothing.
pub fn legend(look: &Look, parameters: &Parameters, view: &View) -> Vec<Swatch> {
    let flat = parameters.flat();
    let scenery = drawn_scenery(look.scenery, flat);
    if scenery == Scenery::Dusk {
        return Vec::new();
    }
    let [slow, fast] = [parameters.motion.min_speed, parameters.motion.max_speed].map(Value::Real);
    let meanings = match look.colour {
        Colour::Heading => {
            let words: &[&str] = if flat { &FLAT } else { &SPACE };
            along(words, |[x, y, z]| [0.73 + 0.10 * z, 0.125 * x, 0.125 * y])
        }
        Colour::Position => {
            let words: &[&str] = if flat { &FLAT } else { &["+x", "+y", "-x", "-y", "high", "low"] };
            along(words, |[x, y, z]| [0.73 + 0.10 * z, 0.11 * x, 0.11 * y])
        }
        Colour::Twilight => {
            let words = if flat { FLAT } else { ["+x", "+y", "-x", "-y"] };
            along(&words, |[x, y, _]| [0.70 + 0.18 * y, 0.0, 0.125 * x])
        }
        Colour::Speed if one_speed(parameters) => vec![(LOW, format!("all at one speed, {fast}"))],
        Colour::Cividis if one_speed(parameters) => vec![(DARK_BLUE, format!("all at one speed, {fast}"))],
        Colour::Speed => {
            vec![(LOW, format!("speed {slow}")), (MIDDLE, String::new()), (HIGH, fast.to_string())]
        }
        Colour::Cividis => vec![(DARK_BLUE, format!("speed {slow}")), (LIGHT_YELLOW, fast.to_string())],
        Colour::Density => vec![
            (LOW, "no neighbours".to_owned()),
            (MIDDLE, format!("{:.0}", look.typical_neighbours)),
            (HIGH, "very many".to_owned()),
        ],
        Colour::Group => match groups(parameters)[..] {
            [only] => vec![(GROUPS[only], "no groups".to_owned())],
            ref groups => {
                groups.iter().map(|group| (GROUPS[*group], view.group_name(*group, parameters))).collect()
            }
        },
    };
    let mut swatches = Vec::new();
    for (lab, meaning) in meanings {
        let [l, a, b] = lab;
        // Darker and more saturated on a light ground.
        let shown = if scenery == Scenery::Paper { [0.10 + 0.62 * l, 1.25 * a, 1.25 * b] } else { lab };
        swatches.push(Swatch { colour: to_srgb(shown), meaning });
    }
    swatches
}

/// The colours of some of the six directions, each with its word.
fn along(words: &[&str], colour: impl Fn([f32; 3]) -> Lab) -> Vec<(Lab, String)> {
    words.iter().zip(DIRECTIONS).map(|(word, way)| (colour(way), (*word).to_owned())).collect()
}

/// The groups that have boids.
fn groups(parameters: &Parameters) -> Vec<usize> {
    let shares = parameters.flock.groups;
    let scouts = [0.0, parameters.scouts.right, parameters.scouts.left];
    let has_boids = |group: &usize| {
        let share = shares.as_slice().get(*group).copied().unwrap_or(0.0);
        share > 0.0 || scouts.get(*group).is_some_and(|scouts| *scouts > 0.0)
    };
    let mut groups: Vec<usize> = (0..MAX_GROUPS).filter(has_boids).collect();
    if shares.as_slice().is_empty() {
        groups.insert(0, 0);
    }
    groups
}

/// Converts OKLab to sRGB (B. Ottosson, "A perceptual color space for image processing", 2020).
fn to_srgb([lightness, a, b]: Lab) -> [u8; 3] {
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_35 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    let linear = [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_93 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ];
    linear.map(|part: f32| {
        let part = part.clamp(0.0, 1.0);
        let encoded = if part <= 0.003_130_8 { 12.92 * part } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 };
        (255.0 * encoded).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_are_those_of_the_shader() {
        let text = include_str!("../../../shaders/view/boid.wgsl");
        let number = |number: f32| {
            let digits = format!("{number:.3}");
            digits.strip_suffix('0').map_or(digits.clone(), str::to_owned)
        };
        let known = |lab: &Lab| {
            let [l, a, b] = *lab;
            let spelt = [format!("{l:.2}, {a:.3}, {b:.3}"), format!("{l:.2}, {}, {}", number(a), number(b))];
            spelt.iter().any(|numbers| text.contains(&format!("vec3<f32>({numbers})")))
        };
        for lab in GROUPS.iter().chain([&LOW, &MIDDLE, &HIGH, &DARK_BLUE, &LIGHT_YELLOW]) {
            assert!(known(lab), "{lab:?}");
        }
        assert!(!known(&[0.5, 0.0, 0.0]));
        for term in
            ["0.73 + 0.10 * heading.z, 0.125 * heading.x", "0.70 + 0.18 * heading.y, 0.0, 0.125 * heading.x"]
        {
            assert!(text.contains(term), "{term}");
        }
    }

    #[test]
    fn every_colouring_has_a_legend_and_groups_their_names() {
        for preset in config::presets::all() {
            let document = preset.document().expect(preset.name);
            for (colour, name) in Colour::ALL {
                let look = Look { colour, scenery: Scenery::Paper, ..Look::new(&document.parameters) };
                let swatches = legend(&look, &document.parameters, &document.view);
                assert!(!swatches.is_empty(), "{} by {name}", preset.name);
                for pair in swatches.windows(2) {
                    assert_ne!(pair[0], pair[1], "{} by {name}", preset.name);
                }
            }
            let grouped = document.parameters.flock.groups.as_slice().len();
            assert!(document.view.names.len() >= grouped, "{}: names of its groups", preset.name);
        }
    }
}

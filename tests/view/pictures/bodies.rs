//! Boids and other bodies: present, pointing along their velocity, in the requested colours.

use engine::State;
use flock::Predator;
use flock::parameters::{Edges, Sphere};
use flock::state::group;
use glam::{Vec2, Vec3};
use scene::{Colour, Scenery};

use super::studio::{Change, SIZE, Sitting, Studio, difference};

/// A flock changes many pixels, in the middle; none changes none, and the sky is no single colour.
pub fn flocks_are_seen(studio: &Studio) {
    for dimensions in [2, 3] {
        let mut sitting = Sitting::new(studio, dimensions);
        let empty = sitting.draw();
        assert!(empty.unlike(&sitting.empty()).is_empty(), "the same twice");
        let [top, middle, bottom] = [5, 120, 230].map(|y| empty.at(5, y));
        assert!(difference(top, middle) + difference(middle, bottom) > 8, "a gradient");
        sitting.boids = State::start(&sitting.parameters).boids;
        for scenery in Scenery::ALL.map(|(scenery, _)| scenery) {
            (sitting.look.scenery, sitting.look.size) = (scenery, 6.0);
            let seen = sitting.draw().unlike(&sitting.empty()).len();
            assert!((150..60_000).contains(&seen), "{dimensions}-D, {scenery:?}: {seen} pixels");
        }
        // Cones that are far too small are enlarged, so that none is lost.
        (sitting.look.scenery, sitting.look.size) = (Scenery::Cones, 0.01);
        let seen = sitting.draw().unlike(&empty).len();
        assert!((150..4_000).contains(&seen), "{dimensions}-D: {seen} pixels");
    }
}

/// Tip ahead and broad tail behind, whichever way it flies, as a mesh and as coverage.
pub fn boids_point_where_they_fly(studio: &Studio) {
    for (dimensions, size) in [(2, 40.0), (2, 3.4), (3, 40.0), (3, 4.4)] {
        let sitting = Sitting::new(studio, dimensions);
        let empty = sitting.draw();
        let (right, up) = (sitting.camera.right(), sitting.camera.up());
        for heading in [right, -up, (right + up).normalize()] {
            let velocity = heading.to_array().map(f64::from);
            let mut sitting = Sitting::new(studio, dimensions).with_one(velocity, group::NONE);
            sitting.look.size = size;
            let picture = sitting.draw();
            // Half of a triangle's length holds a quarter of its area: the half that leads.
            let middle = Vec3::from(sitting.boids[0].position.map(|c| c as f32)) + 0.08 * size * heading;
            let [x, y] = sitting.pixel(middle);
            let way = Vec2::new(heading.dot(right), -heading.dot(up));
            let (mut front, mut all) = (0.0, 0.0);
            for [px, py] in picture.unlike(&empty) {
                let weight = picture.light(px, py) - empty.light(px, py);
                all += weight;
                // A pixel across the middle counts half.
                let ahead = way.dot(Vec2::new((px - x) as f32, (py - y) as f32)).clamp(-0.5, 0.5) + 0.5;
                front += weight * f64::from(ahead);
            }
            assert!(all > 2.0, "{dimensions}-D {size} {heading}: {all} light");
            let share = front / all;
            assert!((0.12..0.42).contains(&share), "{dimensions}-D {size} {heading}: {share} ahead");
        }
    }
}

/// A colour mode depends on its quantity, and on nothing else.
pub fn colours_tell_what_they_should(studio: &Studio) {
    let x = [1.0, 0.0, 0.0];
    let colour = |mode: Colour, change: Change| {
        let mut sitting = Sitting::new(studio, 2).with_one(x, group::NONE);
        sitting.look.colour = mode;
        change(&mut sitting);
        let middle = sitting.boids[0].position.map(|c| c as f32);
        let [px, py] = sitting.pixel(Vec3::from(middle) + Vec3::new(0.0, 1.0, 0.0));
        let [r, g, b] = sitting.draw().at(px, py).map(|c| f64::from(c) + 1.0);
        // The hue alone: a turned dart takes another light.
        let sum = r + g + b;
        [r / sum, g / sum, b / sum]
    };
    let far = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).abs()).sum::<f64>();
    let changes: [(Colour, Change); 5] = [
        (Colour::Heading, |s| s.boids[0].velocity = [-1.0, 0.0, 0.0]),
        (Colour::Position, |s| s.boids[0].position = [75.0, 60.0, 0.0]),
        (Colour::Speed, |s| s.boids[0].velocity = [0.2, 0.0, 0.0]),
        (Colour::Density, |s| s.neighbours = 500.0),
        (Colour::Group, |s| s.boids[0].group = group::RIGHT),
    ];
    for (mode, _) in Colour::ALL {
        let plain = colour(mode, |_| ());
        for (told, change) in changes {
            let apart = far(plain, colour(mode, change));
            let shown = match mode {
                Colour::Twilight => Colour::Heading,
                Colour::Cividis => Colour::Speed,
                other => other,
            };
            if told == shown {
                assert!(apart > 0.1, "{mode:?} does not show: {apart}");
            } else if told != Colour::Heading {
                assert!(apart < 0.05, "{mode:?} shows {told:?}: {apart}");
            }
        }
    }
    let right = colour(Colour::Group, |s| s.boids[0].group = group::RIGHT);
    let left = colour(Colour::Group, |s| s.boids[0].group = group::LEFT);
    assert!(right[0] > left[0] + 0.1 && left[2] > right[2] + 0.1, "amber {right:?}, teal {left:?}");
    let sum = |rest| {
        let mut sitting = Sitting::new(studio, 2).with_one(x, group::NONE);
        sitting.boids[0].rest = rest;
        let [r, g, b] = sitting.draw().at(i64::from(SIZE[0] / 2), i64::from(SIZE[1] / 2)).map(u32::from);
        r + g + b
    };
    assert!(sum(5) * 10 < sum(0) * 9, "one that rests is dim");
}

/// At one speed all boids have one colour by speed: rounding does not spread them over the scale.
pub fn one_speed_is_one_colour(studio: &Studio) {
    for mode in [Colour::Speed, Colour::Cividis] {
        let picture = |speed: f64| {
            let mut sitting = Sitting::new(studio, 2).with_one([speed, 0.0, 0.0], group::NONE);
            (sitting.parameters.motion.min_speed, sitting.parameters.motion.max_speed) = (1.0, 1.0);
            sitting.look.colour = mode;
            sitting.draw()
        };
        let exact = picture(1.0);
        for speed in [1.0 - 1e-7, 1.0 + 1e-6, 1.001] {
            let unlike = exact.unlike(&picture(speed)).len();
            assert_eq!(unlike, 0, "{mode:?}: {unlike} pixels at {speed}");
        }
    }
}

/// Predators are red, the attractor is orange, obstacles hide what is behind them, edges frame a bounded world.
pub fn other_things_are_seen(studio: &Studio) {
    let mut sitting = Sitting::new(studio, 3);
    let empty = sitting.empty();
    sitting.predators = vec![Predator { position: [50.0; 3], velocity: [0.0, 0.0, 1.0] }];
    let picture = sitting.draw();
    let [x, y] = sitting.pixel(Vec3::splat(50.0));
    let [r, g, b] = picture.at(x, y).map(u32::from);
    assert!(r > 2 * g && r > 2 * b, "a red predator: {r} {g} {b}");

    // A ball between the eye and the predator hides it.
    let nearer = (Vec3::splat(50.0) - sitting.camera.forward() * 45.0).to_array().map(f64::from);
    let ball = Sphere { position: nearer, radius: 10.0 };
    sitting.parameters.obstacles.spheres.push(ball).expect("room for one");
    let [r, g, _] = sitting.draw().at(x, y).map(u32::from);
    assert!(r < 2 * g, "a grey ball: {r} {g}");
    sitting.parameters.obstacles.spheres.clear();
    sitting.predators.clear();

    sitting.parameters.attractor.weight = 1.0;
    sitting.parameters.attractor.position = [50.0; 3];
    let [r, g, b] = sitting.draw().at(x, y).map(u32::from);
    assert!(r > g && g > b && r > 2 * b, "an orange carrot: {r} {g} {b}");
    sitting.parameters.attractor.weight = 0.0;

    assert!(empty.unlike(&sitting.draw()).is_empty(), "an open world has no edges");
    sitting.parameters.world.edges = Edges::Wrap;
    assert!(empty.unlike(&sitting.draw()).len() > 200, "a bounded one has");
}

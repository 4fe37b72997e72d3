//! The look dusk: its lake mirrors the flock, and its light moves from gold to blue with the steps.

use std::ops::Range;

use flock::Boid;
use glam::Vec3;
use scene::{Scenery, first_pitch};

use super::studio::{Picture, SIZE, Sitting, Studio};
use crate::adapters::Slot;
use crate::every::on;

/// Steps in which the light moves from gold to blue.
const TO_BLUE: u64 = 14_400;

/// Birds in a cloud left of the middle, so many radians above the horizon. The camera looks level enough for a large lake.
fn cloud(studio: &Studio, elevation: f32) -> Sitting {
    let mut sitting = Sitting::new(studio, 3);
    sitting.look.scenery = Scenery::Dusk;
    sitting.look.size = 0.8;
    sitting.camera.pitch = 0.1;
    let camera = sitting.camera;
    let level = camera.forward().with_z(0.0).normalize();
    let far = camera.distance;
    let middle = camera.eye() + far * (level - 0.25 * camera.right() + elevation * Vec3::Z);
    for k in 0..4000_u32 {
        let [a, b, c] = [2.399_963 * k as f32, (k as f32 + 0.5) / 2000.0 - 1.0, (k % 13) as f32 / 13.0];
        let (around, flat) = (Vec3::new(a.cos(), a.sin(), 0.0), (1.0 - b * b).sqrt());
        let place = middle + 0.03 * far * c.cbrt() * (flat * around + b * Vec3::Z);
        let position = place.to_array().map(f64::from);
        sitting.boids.push(Boid { position, velocity: [0.5, 0.2, 0.0], ..Boid::default() });
    }
    sitting
}

/// The light that a picture lacks beside another one, in some columns and rows.
fn lost(picture: &Picture, bare: &Picture, columns: Range<u32>, rows: Range<u32>) -> i64 {
    let mut sum = 0;
    for y in rows.map(i64::from) {
        for x in columns.clone().map(i64::from) {
            let pairs = picture.at(x, y).into_iter().zip(bare.at(x, y));
            sum += pairs.map(|(shown, bare)| i64::from(bare) - i64::from(shown)).sum::<i64>();
        }
    }
    sum
}

/// The first row of the lake.
fn shore(sitting: &Sitting) -> u32 {
    let camera = &sitting.camera;
    let horizon = -camera.forward().z / (camera.up().z * camera.slope());
    ((0.5 - 0.5 * horizon) * SIZE[1] as f32).ceil() as u32
}

#[test]
fn the_lake_mirrors_the_birds_above_it_fainter() {
    on(Slot::LlvmpipeVulkan, |studio: &Studio| {
        let sitting = cloud(studio, 0.14);
        let (picture, bare, shore) = (sitting.draw(), sitting.empty(), shore(&sitting));
        let halves = [0..SIZE[0] / 2, SIZE[0] / 2..SIZE[0]];
        let [left, right] = halves.clone().map(|half| lost(&picture, &bare, half, shore..SIZE[1]));
        let sky = lost(&picture, &bare, halves[0].clone(), 0..shore);
        assert!(left > sky / 10 && left < sky, "{left} in the lake, {sky} in the sky");
        assert!(right.abs() < left / 50, "{right} beside {left}");
        // Half as high, the mirror is half as deep.
        let middle = |sitting: &Sitting| {
            let (picture, bare) = (sitting.draw(), sitting.empty());
            let row = |y| lost(&picture, &bare, halves[0].clone(), y..y + 1);
            let (mut sum, mut moment) = (0, 0);
            for y in shore..SIZE[1] {
                sum += row(y);
                moment += row(y) * i64::from(y - shore);
            }
            moment as f64 / sum as f64
        };
        let [high, low] = [0.14, 0.07].map(|elevation| middle(&cloud(studio, elevation)));
        assert!((0.4..0.65).contains(&(low / high)), "{low} and {high} rows below the shore");
        // The controls: no mirror of birds below the horizon, beyond the upper edge, or in another look.
        let below = cloud(studio, -0.14);
        let (picture, bare) = (below.draw(), below.empty());
        assert!(lost(&picture, &bare, halves[0].clone(), shore..SIZE[1]) > sky / 2);
        assert_eq!(lost(&picture, &bare, halves[1].clone(), 0..SIZE[1]), 0);
        for (elevation, scenery) in [(1.2, Scenery::Dusk), (0.14, Scenery::Cones)] {
            let mut other = cloud(studio, elevation);
            other.look.scenery = scenery;
            let (picture, bare) = (other.draw(), other.empty());
            assert_eq!(lost(&picture, &bare, 0..SIZE[0], shore..SIZE[1]), 0, "{elevation} {scenery:?}");
        }
    });
}

/// The same step has the same bits, after whatever pictures. The light is held: what differs is the ripples.
#[test]
fn ripples_are_those_of_the_step() {
    on(Slot::LlvmpipeVulkan, |studio: &Studio| {
        let mut sitting = cloud(studio, 0.14);
        sitting.look.light = Some(0.2);
        let mut at = |step| {
            sitting.step = step;
            (sitting.empty(), sitting.draw())
        };
        let first = at(3000);
        let later = at(3020);
        let again = at(3000);
        assert!(first.0.0 == again.0.0, "without boids");
        // Birds beat their wings by the step, and roll by its turn; these fly straight on.
        assert!(first.1.0 == again.1.0, "with boids");
        assert!(first.0.0 != later.0.0, "the ripples stand still");
    });
}

#[test]
fn the_light_moves_from_gold_to_blue_with_the_steps_unless_it_is_held() {
    on(Slot::LlvmpipeVulkan, |studio: &Studio| {
        let mut sitting = cloud(studio, 0.14);
        sitting.camera.pitch = first_pitch(Scenery::Dusk);
        let mut at = |step, light| {
            (sitting.step, sitting.look.light) = (step, light);
            sitting.empty()
        };
        let (gold, blue) = (at(0, None), at(TO_BLUE, None));
        assert!(gold.0 == at(0, Some(0.0)).0 && blue.0 == at(TO_BLUE, Some(1.0)).0);
        assert!(at(2 * TO_BLUE, None).0 == at(2 * TO_BLUE, Some(0.0)).0, "it comes back");
        // More blue than red at the horizon, where gold has less; and darker.
        let [x, y] = [SIZE[0] / 2, SIZE[1] * 3 / 4].map(i64::from);
        let ([red, _, less], [dark, _, more]) = (gold.at(x, y), blue.at(x, y));
        assert!(red > less + 40 && more > dark + 10, "{:?} {:?}", gold.at(x, y), blue.at(x, y));
        assert!(blue.light() < 0.6 * gold.light());
        // The control: other looks have no such light.
        sitting.look.scenery = Scenery::Cones;
        let mut at = |step, light| {
            (sitting.step, sitting.look.light) = (step, light);
            sitting.empty()
        };
        assert!(at(0, None).0 == at(TO_BLUE, Some(0.5)).0);
    });
}

//! What each look adds: a light ground for print, water with an aquarium's walls, falcons that are birds.

use flock::Predator;
use flock::state::group;
use glam::Vec3;
use murmuration::view::scene::Scenery;

use super::studio::{SIZE, Sitting, Studio, difference, flock};

/// Near-white all over, and nothing that is drawn is lighter; in two dimensions and in three.
pub fn paper_is_light_and_boids_are_dark_on_it(studio: &Studio) {
    for dimensions in [2, 3] {
        let mut sitting = Sitting::new(studio, dimensions).with_one([1.0, 0.3, 0.0], group::NONE);
        sitting.look.scenery = Scenery::Paper;
        let (empty, picture) = (sitting.empty(), sitting.draw());
        assert!(empty.0.chunks_exact(4).all(|p| p[..3].iter().all(|c| *c > 240)), "{dimensions}-D");
        let seen = picture.unlike(&empty);
        assert!(seen.len() > 300, "{dimensions}-D: {} pixels", seen.len());
        let readable = seen.iter().filter(|[x, y]| picture.light(*x, *y) < 0.5 * empty.light(*x, *y));
        assert!(readable.count() * 3 > seen.len() * 2, "{dimensions}-D: dark enough for print");
        assert!(seen.iter().all(|[x, y]| picture.light(*x, *y) <= empty.light(*x, *y)), "{dimensions}-D");
    }
}

/// Blue-green, darker with depth; walls also where the world is open, those at the back behind the fish.
pub fn water_is_lit_from_above_and_held_by_glass(studio: &Studio) {
    let mut sitting = flock(studio, Scenery::Water, 20_000);
    sitting.look.size = 4.0;
    let water = sitting.empty();
    let light = |y| (0..20).map(|x| water.light(x, y)).sum::<f64>();
    assert!(light(4) > 1.5 * light(120) && light(120) > 1.5 * light(235), "light from above");
    let [r, g, b] = water.at(10, 120).map(u32::from);
    assert!(g > 2 * r && b > 2 * r, "blue-green: {r} {g} {b}");
    // The walls: what a world of no size does not have.
    let mut open = flock(studio, Scenery::Water, 20_000);
    open.camera = sitting.camera;
    open.parameters.world.max = open.parameters.world.min;
    let walls = water.unlike(&open.empty());
    assert!(walls.len() > 300, "{} pixels of glass", walls.len());
    // The corner at the back lies in the middle of the picture, full of fish.
    let eye = sitting.camera.eye();
    let far = Vec3::from([0, 1, 2].map(|axis| if eye[axis] > 50.0 { 0.0 } else { 100.0 }));
    let near = Vec3::splat(100.0) - far;
    let along = |corner: Vec3| {
        let inwards = (Vec3::splat(50.0) - corner).with_x(0.0).with_y(0.0);
        sitting.pixel(corner + 0.9 * inwards)
    };
    let glass = |picture: &super::studio::Picture, without: &super::studio::Picture, [x, y]: [i64; 2]| {
        (-2..=2).map(|k| difference(picture.at(x + k, y), without.at(x + k, y))).max().unwrap_or_default()
    };
    open.look.size = sitting.look.size;
    let (fish, fish_alone) = (sitting.draw(), open.draw());
    let [front, back] = [near, far].map(|corner| glass(&fish, &fish_alone, along(corner)));
    assert!(front > 2 * back, "front {front}, back {back}");
}

/// A falcon at dusk is a dark bird, warmer than the ink of the others; no red cone.
pub fn falcons_are_dark_birds_at_dusk(studio: &Studio) {
    let mut sitting = flock(studio, Scenery::Dusk, 0);
    sitting.look.size = 8.0;
    let empty = sitting.empty();
    sitting.predators = vec![Predator { position: [50.0; 3], velocity: [0.6, -0.5, -0.6] }];
    let picture = sitting.draw();
    let seen = picture.unlike(&empty);
    assert!((60..SIZE[0] as usize * 20).contains(&seen.len()), "{} pixels", seen.len());
    let darkest: Vec<_> =
        seen.iter().filter(|[x, y]| picture.light(*x, *y) < 0.25 * empty.light(*x, *y)).collect();
    assert!(darkest.len() * 3 > seen.len(), "{} of {} are dark", darkest.len(), seen.len());
    let sum = |k: usize| darkest.iter().map(|[x, y]| u32::from(picture.at(*x, *y)[k])).sum::<u32>();
    assert!(sum(0) > sum(2), "a little warm: {} red, {} blue", sum(0), sum(2));
}

//! Features of each look: a light ground for print, water with an aquarium's walls, falcons that are birds.

use flock::Predator;
use flock::state::group;
use glam::Vec3;
use scene::Scenery;

use super::studio::{Picture, SIZE, Sitting, Studio, difference, flock};

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
    let glass = |picture: &Picture, without: &Picture, [x, y]: [i64; 2]| {
        (-2..=2).map(|k| difference(picture.at(x + k, y), without.at(x + k, y))).max().unwrap_or_default()
    };
    open.look.size = sitting.look.size;
    let (fish, fish_alone) = (sitting.draw(), open.draw());
    let [front, back] = [near, far].map(|corner| glass(&fish, &fish_alone, along(corner)));
    assert!(front > 2 * back, "front {front}, back {back}");
}

/// A falcon at dusk is a dark bird, warmer than the ink of the others; no red cone. It is at least as dark as the
/// darkest bird, near or far.
pub fn falcons_are_dark_birds_at_dusk(studio: &Studio) {
    let mut sitting = flock(studio, Scenery::Dusk, 2000);
    sitting.look.size = 4.0;
    let (empty, birds) = (sitting.empty(), sitting.draw());
    let all = birds.unlike(&empty).into_iter();
    let ink = all.map(|[x, y]| birds.light(x, y)).min_by(f64::total_cmp).expect("birds");
    sitting.boids.clear();
    sitting.look.size = 8.0;
    let middle = Vec3::splat(50.0);
    let away = (middle - sitting.camera.eye()).normalize();
    for far in [-40.0, 0.0, 80.0] {
        let position = (middle + far * away).to_array();
        sitting.predators = vec![Predator { position, velocity: [0.6, -0.5, -0.6] }];
        let picture = sitting.draw();
        let seen = picture.unlike(&empty);
        assert!((60..SIZE[0] as usize * 20).contains(&seen.len()), "{far}: {} pixels", seen.len());
        let darkest: Vec<_> = seen.iter().filter(|[x, y]| picture.light(*x, *y) <= ink).collect();
        assert!(darkest.len() * 3 > seen.len(), "{far}: {} of {} are dark", darkest.len(), seen.len());
        let sum = |k: usize| darkest.iter().map(|[x, y]| u32::from(picture.at(*x, *y)[k])).sum::<u32>();
        assert!(sum(0) > sum(2), "{far}: a little warm: {} red, {} blue", sum(0), sum(2));
    }
}

/// A turning flock is darker than one that flies straight on: its birds show the area of their wings. A turn that
/// propagates through a flock is visible as a dark wave.
pub fn birds_that_turn_show_their_wings(studio: &Studio) {
    let mut sitting = flock(studio, Scenery::Dusk, 2000);
    sitting.look.size = 1.5;
    let empty = sitting.empty();
    let across = sitting.camera.right();
    let light = |picture: &Picture| -> f64 {
        let all = (0..SIZE[1] as i64).flat_map(|y| (0..SIZE[0] as i64).map(move |x| [x, y]));
        all.map(|[x, y]| picture.light(x, y)).sum()
    };
    // The light that is lost after 40 steps of a turn by so much a step; at its end all fly to the right.
    let mut lost = |turn: f64| {
        let pictures = (0..=40).rev().map(|left: u64| {
            let (sin, cos) = (-turn * left as f64).sin_cos();
            let [x, y] = [across.x, across.y].map(f64::from);
            let heading = [cos * x - sin * y, sin * x + cos * y, 0.0];
            sitting.boids.iter_mut().for_each(|boid| boid.velocity = heading);
            sitting.step = 100 - left;
            sitting.draw()
        });
        light(&empty) - light(&pictures.last().expect("41 pictures"))
    };
    let straight = lost(0.0);
    for turn in [-0.03, 0.03] {
        assert!(lost(turn) > 1.3 * straight, "{turn}: {} beside {straight}", lost(turn));
    }
}

/// The path of a cone between two pictures is covered, and before the first one as far as a trail reaches.
pub fn trails_are_what_a_cone_swept(studio: &Studio) {
    let velocity = [0.0, 4.0, 0.0];
    let mut sitting = Sitting::new(studio, 3).with_one(velocity, group::NONE);
    (sitting.look.scenery, sitting.look.size) = (Scenery::Cones, 10.0);
    let time_step = sitting.parameters.motion.time_step;
    let start = sitting.boids[0].position;
    let along =
        |steps: f64| Vec3::from(std::array::from_fn(|k| (start[k] + velocity[k] * time_step * steps) as f32));
    let empty = sitting.empty();
    let (behind, between) = (sitting.pixel(along(-5.0)), sitting.pixel(along(5.0)));
    (sitting.look.trails, sitting.step) = (20.0, 7);
    let mark = |picture: &Picture, [x, y]: [i64; 2]| difference(picture.at(x, y), empty.at(x, y));
    let first = sitting.draw();
    (sitting.step, sitting.boids[0].position[1]) = (17, start[1] + velocity[1] * time_step * 10.0);
    let second = sitting.draw();
    let seen = [mark(&first, behind), mark(&first, between), mark(&second, between)];
    assert!(seen[0] > 30 && seen[1] == 0 && seen[2] > 60, "{seen:?}");
}

/// Trails fade from step to step, disappear in the end, and are reproducible.
pub fn trails_fade_by_steps(studio: &Studio) {
    for (scenery, dimensions) in [(Scenery::Dusk, 3), (Scenery::Cones, 3), (Scenery::Paper, 2)] {
        let climb = if dimensions == 2 { 0.0 } else { -0.6 };
        let mut sitting = Sitting::new(studio, dimensions).with_one([0.6, -0.5, climb], group::NONE);
        (sitting.look.scenery, sitting.look.size) = (scenery, 14.0);
        let here = sitting.boids[0].position;
        let [x, y] = sitting.pixel(Vec3::from(here.map(|c| c as f32)));
        let empty = sitting.empty();
        // The remaining coverage at the boid's old position, some steps after it flew on.
        let run = |sitting: &mut Sitting| {
            (sitting.look.trails, sitting.step, sitting.boids[0].position) = (20.0, 7, here);
            let first = sitting.draw();
            sitting.boids[0].position[1] += 40.0;
            let later = [10, 20, 200].map(|steps| {
                sitting.step = 7 + steps;
                sitting.draw()
            });
            sitting.look.trails = 0.0;
            sitting.draw();
            (first, later)
        };
        let (first, later) = run(&mut sitting);
        let mark = |picture: &Picture| {
            let near = (-3..=3).flat_map(|i| (-3..=3).map(move |j| [x + i, y + j]));
            near.map(|[x, y]| difference(picture.at(x, y), empty.at(x, y))).max().unwrap_or_default()
        };
        let [soon, late, gone] = later.each_ref().map(mark);
        assert!(mark(&first) > 60, "{scenery:?}: {}", mark(&first));
        assert!(soon * 10 < mark(&first) * 9 && soon > 2 * late && gone <= 6, "{soon} {late} {gone}");
        let (again, others) = run(&mut sitting);
        assert!(first.0 == again.0 && later.iter().zip(&others).all(|(a, b)| a.0 == b.0), "{scenery:?}");
    }
}

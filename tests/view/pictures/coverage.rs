//! The coverage of each pixel by boids.

use std::collections::HashMap;

use flock::Boid;
use flock::parameters::Sphere;
use flock::state::group;
use glam::Vec3;
use gpu::instances::{Uploaded, entry};
use scene::offscreen::Offscreen;
use scene::{FrameInput, Instances, PartCoverage, Scenery};

use super::studio::{Picture, SIZE, Sitting, Studio, difference, flock};

/// Two boids stand in line with an obstacle: only the nearer one is seen.
pub fn obstacles_hide_what_is_behind_them(studio: &Studio) {
    let mut sitting = Sitting::new(studio, 3).with_one([0.0, 0.0, 1.0], group::NONE);
    sitting.look.size = 3.0;
    let ball = Sphere { position: [50.0; 3], radius: 10.0 };
    sitting.parameters.obstacles.spheres.push(ball).expect("room for one");
    let alone = sitting.empty();
    let forward = sitting.camera.forward();
    for (away, is_seen) in [(-20.0, true), (20.0, false)] {
        let at = Vec3::splat(50.0) + away * forward;
        sitting.boids[0].position = at.to_array().map(f64::from);
        let seen = sitting.draw().unlike(&alone).len();
        assert_eq!(seen > 5, is_seen, "{away}: {seen} pixels");
    }
}

/// Twice, and with the boids in another order in the buffers.
pub fn pictures_have_the_same_bits_in_any_order(studio: &Studio) {
    for (scenery, _) in Scenery::ALL {
        for size in [0.2, 1.0, 3.0] {
            let mut sitting = flock(studio, scenery, 20_000);
            sitting.look.size = size;
            let first = sitting.draw();
            assert!(first.0 == sitting.draw().0, "{scenery:?} {size}: twice");
            sitting.reversed = true;
            assert!(first.0 == sitting.draw().0, "{scenery:?} {size}: the other way round");
        }
    }
}

/// A flock that is covered in parts, from which its picture is drawn.
struct Parts {
    coverage: PartCoverage,
    offscreen: Offscreen,
    number: u32,
    /// A boid that is in none of them.
    lost: Option<u32>,
    /// Roll state of the birds, by id.
    banks: HashMap<u32, [u32; 2]>,
}

impl Parts {
    fn draw(&mut self, sitting: &Sitting) -> Picture {
        let Parts { coverage, offscreen, number, lost, banks } = self;
        let mut none = Uploaded::default();
        let none = none.write(&sitting.gpu, &engine::HostInstances::default()).expect("there is room");
        let drawn = FrameInput {
            instances: &Instances { count: sitting.boids.len() as u32, ..none.clone() },
            predators: &sitting.predators,
            parameters: &sitting.parameters,
            centre: None,
            step: sitting.step,
            shift: 0.0,
            camera: &sitting.camera,
            look: &sitting.look,
        };
        let covered = |uniform: &_, length| {
            let (mut sums, mut meshes) = (vec![0_u32; length], Vec::new());
            for part in 0..*number {
                // At another step a boid is in another part.
                let here = |id: &u32| (id + sitting.step as u32) % *number == part && Some(*id) != *lost;
                let ids: Vec<u32> = (0..drawn.instances.count).filter(here).collect();
                let mut kept: Vec<_> =
                    ids.iter().map(|id| banks.get(id).copied().unwrap_or_default()).collect();
                let boids = ids.iter().map(|id| entry(*id, &sitting.boids[*id as usize]));
                let (words, near) = coverage.cover(uniform, boids, &mut kept)?;
                sums.iter_mut().zip(words).for_each(|(sum, word)| *sum += word);
                meshes.extend(near);
                banks.extend(ids.into_iter().zip(kept));
            }
            Ok((sums, meshes))
        };
        let picture = offscreen.draw_parts(&drawn, covered);
        Picture(picture.expect("it can be drawn"))
    }
}

/// Parts in any number add up, with birds that bank and meshes. A boid without a part is missed, and so is a lost bank.
pub fn parts_add_up_to_the_whole(studio: &Studio) {
    let first = Sitting::new(studio, 3);
    let mut parts = Parts {
        coverage: PartCoverage::new(&studio.0, &first.parameters).expect("it computes"),
        offscreen: Offscreen::new(&studio.0, SIZE).expect("a small picture fits"),
        number: 1,
        lost: None,
        banks: HashMap::new(),
    };
    for ((scenery, _), size) in
        Scenery::ALL.into_iter().flat_map(|look| [0.3, 6.0, 14.0].map(|size| (look, size)))
    {
        let mut sitting = flock(studio, scenery, 500);
        sitting.look.size = size;
        let mut turned = flock(studio, scenery, 500);
        (turned.look.size, turned.step) = (size, 9);
        turned.boids.iter_mut().for_each(|boid| {
            let [x, y, z] = boid.velocity;
            boid.velocity = [x - 0.1 * y, y + 0.1 * x, z];
        });
        let whole = [sitting.draw(), turned.draw()];
        let mut drawn = |number, lost, forgets| {
            (parts.number, parts.lost) = (number, lost);
            parts.banks.clear();
            let first = parts.draw(&sitting);
            if forgets {
                parts.banks.clear();
            }
            [first, parts.draw(&turned)]
        };
        let same = |a: &[Picture; 2], step: usize| a[step].0 == whole[step].0;
        for number in [1, 2, 5] {
            let found = drawn(number, None, false);
            assert!(same(&found, 0) && same(&found, 1), "{scenery:?} {size}: {number} parts");
        }
        let lost = drawn(2, Some(250), false);
        assert!(!same(&lost, 0) || !same(&lost, 1), "{scenery:?} {size}: a boid is missing");
        // Wings of a point are not seen.
        let level = drawn(2, None, true);
        assert!(
            same(&level, 0) && (scenery != Scenery::Dusk || size < 1.0 || !same(&level, 1)),
            "{scenery:?} {size}"
        );
    }
}

/// The sky is bright, birds only darken it, and where many overlap it is nearly black.
pub fn birds_are_dark_before_a_bright_sky(studio: &Studio) {
    for yaw in [0.7, 2.3, 3.9, 5.4] {
        let mut sitting = flock(studio, Scenery::Dusk, 20_000);
        (sitting.look.size, sitting.camera.yaw) = (2.0, yaw);
        let (empty, picture) = (sitting.empty(), sitting.draw());
        let above = (0..SIZE[1] as i64 / 2).flat_map(|y| (0..SIZE[0] as i64).map(move |x| [x, y]));
        let (mut pixels, mut bright, mut darker, mut brighter, mut black) = (0, 0, 0, 0, 0);
        for [x, y] in above {
            let (before, after) = (empty.light(x, y), picture.light(x, y));
            pixels += 1;
            bright += u32::from(before > 0.3);
            darker += u32::from(after < 0.9 * before);
            brighter += u32::from(after > 1.05 * before);
            black += u32::from(after < 0.3 * before);
        }
        assert!(bright == pixels, "yaw {yaw}: {bright} of {pixels} bright pixels of sky");
        assert!(brighter == 0, "yaw {yaw}: {brighter} pixels brighter than the sky");
        assert!(darker > pixels / 10 && black > pixels / 100, "yaw {yaw}: {darker} darker, {black} black");
    }
}

/// Moved by parts of a pixel, a boid smaller than a pixel brings the same light in sum.
pub fn a_small_boid_adds_its_area_wherever_it_is(studio: &Studio) {
    let mut sitting = Sitting::new(studio, 3).with_one([0.0, 0.0, 1.0], group::NONE);
    let pixel = sitting.camera.pixel(SIZE[1]) * sitting.camera.distance;
    sitting.look.size = 1.6 * pixel;
    let empty = sitting.empty();
    let (right, up) = (sitting.camera.right(), sitting.camera.up());
    let [x, y] = sitting.pixel(Vec3::splat(50.0));
    let mut sums = Vec::new();
    for k in 0..25_u8 {
        let [along, upwards] = [k % 5, k / 5].map(|part| 0.2 * f32::from(part) * pixel);
        let at = Vec3::splat(50.0) + right * along + up * upwards;
        sitting.boids[0].position = at.to_array().map(f64::from);
        let picture = sitting.draw();
        let around = (-4..=4).flat_map(|dy| (-4..=4).map(move |dx| [x + dx, y + dy]));
        sums.push(around.map(|[x, y]| picture.light(x, y) - empty.light(x, y)).sum::<f64>());
    }
    let (least, most) =
        (sums.iter().copied().fold(f64::MAX, f64::min), sums.iter().copied().fold(0.0, f64::max));
    assert!(least > 0.2 && most < 1.12 * least, "{sums:?}");
}

/// At 100,000 small boids the edge of the flock fades: between ground and flock lie many shades.
pub fn edges_are_smooth_at_any_number(studio: &Studio) {
    for (scenery, _) in Scenery::ALL {
        let mut sitting = flock(studio, scenery, 100_000);
        sitting.look.size = 0.35;
        let (empty, picture) = (sitting.empty(), sitting.draw());
        let mut shades = [0_u32; 20];
        for y in 0..i64::from(SIZE[1]) {
            for x in 0..i64::from(SIZE[0]) {
                let apart = difference(picture.at(x, y), empty.at(x, y));
                shades[(apart as usize / 12).min(19)] += 1;
            }
        }
        let used = shades.iter().take(16).filter(|count| **count > 60).count();
        assert!(used >= 10, "{scenery:?}: {shades:?}");
    }
}

/// A flock drawn some time ahead is the flock moved by its velocity, for points, outlines and meshes.
pub fn boids_are_drawn_ahead_in_time(studio: &Studio) {
    for size in [0.5, 3.0, 30.0] {
        let mut sitting = flock(studio, Scenery::Cones, 300);
        sitting.look.size = size;
        let now = sitting.draw();
        sitting.shift = -8.0;
        let ahead = sitting.draw();
        assert!(now.unlike(&ahead).len() > 20, "{size}: nothing moved");
        for boid in &mut sitting.boids {
            boid.position = std::array::from_fn(|k| boid.position[k] - 8.0 * boid.velocity[k]);
        }
        sitting.shift = 0.0;
        let moved = sitting.draw().unlike(&ahead).len();
        assert!(moved <= 2, "{size}: {moved} pixels differ");
    }
}

/// Layers in line with the eye, of so many birds each: bands of one depth beside bands of half of it.
fn bands(studio: &Studio, scenery: Scenery, layers: u32) -> Sitting {
    let mut sitting = flock(studio, scenery, 0);
    sitting.look.size = 0.8;
    let (right, up, forward) = (sitting.camera.right(), sitting.camera.up(), sitting.camera.forward());
    for row in 0..60_u16 {
        for column in 0..120_u16 {
            let here = if column / 20 % 2 == 0 { layers } else { layers / 2 };
            let at = right * (0.5 * f32::from(column) - 30.0) + up * (0.5 * f32::from(row) - 5.0);
            let place = |layer: u32| Vec3::splat(50.0) + at + forward * (0.05 * layer as f32);
            let heading = [0.6, -0.7, 0.3];
            sitting.boids.extend((0..here).map(|layer| Boid {
                position: place(layer).to_array().map(f64::from),
                velocity: heading,
                ..Boid::default()
            }));
        }
    }
    sitting
}

/// The mean light of a band of [`bands`], over that of the background there.
fn light_of(sitting: &Sitting, band: i64) -> f64 {
    let (picture, empty) = (sitting.draw(), sitting.empty());
    let offset = sitting.camera.right() * (10.0 * band as f32 - 25.0) + sitting.camera.up() * 10.0;
    let [x, y] = sitting.pixel(Vec3::splat(50.0) + offset);
    let around = || (-4..=4).flat_map(|dy| (-4..=4).map(move |dx| [x + dx, y + dy]));
    let light = |of: &Picture| around().map(|[x, y]| of.light(x, y)).sum::<f64>();
    light(&picture) / light(&empty)
}

/// All layers and half of them are distinguishable, even if half already hides the ground.
pub fn the_inside_of_a_deep_flock_is_seen(studio: &Studio) {
    let deep = bands(studio, Scenery::Dusk, 160);
    let [all, half] = [0, 1].map(|band| light_of(&deep, band));
    assert!(all < 0.05 && half > 2.5 * all, "dusk: {all} and {half} of the light");
    let deep = bands(studio, Scenery::Cones, 40);
    let [all, half] = [0, 1].map(|band| light_of(&deep, band));
    assert!(all > 1.25 * half && half > 2.0, "cones: {all} and {half} of the light");
    // A sparse flock is as deep as it is: the light that two layers let through is the square of that of one.
    let sparse = bands(studio, Scenery::Dusk, 4);
    let [all, half] = [0, 1].map(|band| light_of(&sparse, band));
    assert!((0.1..0.6).contains(&all) && (half * half / all - 1.0).abs() < 0.15, "{all} and {half}");
}

//! Drawn pictures: each look and colouring beside a recorded picture, and properties of small boids, of a flock at one speed
//! and of pictures between steps.

mod dusk;
mod studio;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use engine::State;
use flock::Predator;
use flock::parameters::{Edges, MAX_GROUPS, Sphere};
use glam::Vec3;
use scene::offscreen::Offscreen;
use scene::{Colour, Scene, Scenery, sceneries};
use wgpu::TextureFormat;

use crate::adapters::Slot;
use crate::every::on;
use studio::{Picture, SIZE, Sitting, Studio, flock};

on_every_adapter![
    pictures_are_as_recorded,
    pictures_have_the_same_bits_in_any_order,
    shapes_are_drawn_in_every_look
];

/// Sides of the squares of pixels whose means are recorded: rounding and dither are less there.
const SQUARE: u32 = 6;

/// The recorded pictures, one below the other. `MURMURATION_PICTURES=write` records them anew, by llvmpipe in Vulkan.
fn recorded() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/view/pictures/recorded.png")
}

/// The recorded part of a picture: red, green and blue of each square.
fn squares(picture: &Picture) -> Vec<u8> {
    let mut means = Vec::new();
    let [columns, rows] = SIZE.map(|side| side / SQUARE);
    for square in 0..rows * columns {
        let corner = [square % columns * SQUARE, square / columns * SQUARE].map(i64::from);
        let mut sum = [0_u32; 3];
        for pixel in 0..i64::from(SQUARE * SQUARE) {
            let side = i64::from(SQUARE);
            let colour = picture.at(corner[0] + pixel % side, corner[1] + pixel / side);
            for (sum, component) in sum.iter_mut().zip(colour) {
                *sum += u32::from(component);
            }
        }
        means.extend(sum.map(|sum| ((sum + SQUARE * SQUARE / 2) / (SQUARE * SQUARE)) as u8));
    }
    means
}

/// Differences of a colour that are rounding: between any two adapters, and between the versions of the one that the
/// pictures were recorded with, where a slip in a shader may be as faint as one level of a colour.
const ROUNDING: u8 = 6;
const OWN_ROUNDING: u8 = 1;

/// The number of squares that differ by more than this.
fn unlike(a: &[u8], b: &[u8], rounding: u8) -> usize {
    let pairs = a.chunks_exact(3).zip(b.chunks_exact(3));
    pairs.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > rounding)).count()
}

/// A flock among predators, balls before and behind it, the attractor, and the edges of the world.
fn with_things(studio: &Studio, scenery: Scenery, dimensions: u32) -> Sitting {
    let mut sitting = Sitting::new(studio, dimensions);
    sitting.look.scenery = scenery;
    sitting.look.size = 6.0;
    sitting.boids = State::start(&sitting.parameters).boids;
    if dimensions == 2 {
        // Where boids of one depth overlap, any of them may be seen.
        sitting.boids.truncate(100);
        for (k, boid) in sitting.boids.iter_mut().enumerate() {
            boid.position = [5.0 + 10.0 * (k % 10) as f64, 5.0 + 10.0 * (k / 10) as f64, 0.0];
        }
    }
    sitting.parameters.world.edges = Edges::Wrap;
    sitting.parameters.attractor.weight = 1.0;
    sitting.parameters.attractor.position = [50.0, 20.0, 50.0 * f64::from(dimensions - 2)];
    let middle = if dimensions == 2 { Vec3::new(50.0, 50.0, 0.0) } else { Vec3::splat(50.0) };
    for (away, right) in [(-45.0, -20.0), (45.0, 20.0)] {
        let place = middle + away * sitting.camera.forward() + right * sitting.camera.right();
        let position = if dimensions == 2 { place.with_z(0.0) } else { place };
        let ball = Sphere { position: position.to_array().map(f64::from), radius: 12.0 };
        sitting.parameters.obstacles.spheres.push(ball).expect("room for two");
    }
    for place in [30.0, 45.0] {
        let position = [place, place, if dimensions == 2 { 0.0 } else { place }];
        sitting.predators.push(Predator { position, velocity: [0.6, -0.5, 0.0] });
    }
    sitting.centre = Some(middle.to_array());
    sitting
}

/// A flock whose boids differ in all that a colour can show; some rest.
fn coloured(studio: &Studio, colour: Colour) -> Sitting {
    let mut sitting = flock(studio, Scenery::Cones, 400);
    sitting.look.size = 8.0;
    sitting.look.colour = colour;
    for (k, boid) in sitting.boids.iter_mut().enumerate() {
        boid.group = k as u32 % MAX_GROUPS as u32;
        boid.rest = if k % 7 == 0 { 5 } else { 0 };
        // Some stand: they sit upright.
        let speed = if k % 14 == 0 { 0.0 } else { 0.2 + 0.8 * (k % 5) as f64 / 4.0 };
        boid.velocity = boid.velocity.map(|component| speed * component);
        sitting.neighbours.push(3.0 * (k % 11) as f32);
    }
    sitting
}

/// Pictures from within the flock, whose boids are of all sizes and cross every edge; of the ground straight above and
/// below; and of the light of dusk as it moves.
fn on_all_sides(studio: &Studio) -> Vec<(String, Picture)> {
    let mut all = Vec::new();
    for (scenery, look) in Scenery::ALL {
        let mut within = flock(studio, scenery, 20_000);
        within.camera.distance *= 0.35;
        for (pitch, size) in [(1.3, 0.3), (0.1, 1.5), (-1.3, 1.5)] {
            (within.camera.pitch, within.look.size) = (pitch, size);
            within.camera.yaw += 1.7;
            all.push((format!("{look} from within, pitch {pitch}"), within.draw()));
        }
    }
    for light in [0.4, 1.0] {
        let mut dusk = with_things(studio, Scenery::Dusk, 3);
        dusk.look.light = Some(light);
        all.push((format!("dusk in a light of {light}"), dusk.draw()));
    }
    for (scenery, look) in sceneries(true) {
        let mut still = with_things(studio, scenery, 2);
        for boid in still.boids.iter_mut().step_by(3) {
            boid.velocity = [0.0; 3];
        }
        all.push((format!("{look}, boids that stand"), still.draw()));
    }
    all
}

/// All recorded pictures, with their names.
fn drawn(studio: &Studio) -> Vec<(String, Picture)> {
    let mut all = Vec::new();
    for (scenery, look) in sceneries(true) {
        all.push((format!("{look} on a plane"), with_things(studio, scenery, 2).draw()));
    }
    for (scenery, look) in Scenery::ALL {
        all.push((format!("{look} in space"), with_things(studio, scenery, 3).draw()));
        // Small boids are density, and the inside of a deep flock is seen.
        for (boids, size) in [(20_000, 0.8), (100_000, 2.0)] {
            let mut dense = flock(studio, scenery, boids);
            dense.look.size = size;
            all.push((format!("{look}, {boids} boids"), dense.draw()));
        }
        // Trails fade from step to step.
        let mut trails = flock(studio, scenery, 60);
        trails.look.size = 8.0;
        trails.look.trails = 20.0;
        trails.draw();
        for _ in 0..3 {
            trails.fly(4, 0.03);
            trails.draw();
        }
        all.push((format!("{look}, trails"), trails.draw()));
        trails.boids.clear();
        trails.step += 200;
        all.push((format!("{look}, trails that are gone"), trails.draw()));
    }
    for (colour, name) in Colour::ALL {
        all.push((name.to_owned(), coloured(studio, colour).draw()));
    }
    // Birds that turn show their wings: a dark wave.
    for turn in [0.0, 0.05] {
        let mut birds = flock(studio, Scenery::Dusk, 3000);
        birds.look.size = 2.5;
        for _ in 0..12 {
            birds.fly(1, turn);
            birds.draw();
        }
        all.push((format!("a turn of {turn}"), birds.draw()));
    }
    all.extend(on_all_sides(studio));
    all
}

fn pictures_are_as_recorded(studio: &Studio) {
    let found: Vec<(String, Vec<u8>)> =
        drawn(studio).into_iter().map(|(name, picture)| (name, squares(&picture))).collect();
    let [columns, rows] = SIZE.map(|side| side / SQUARE);
    let path = recorded();
    if std::env::var("MURMURATION_PICTURES").is_ok_and(|word| word == "write") && studio.is_reference() {
        let file = std::fs::File::create(&path).expect("writable");
        let mut encoder = png::Encoder::new(file, columns, rows * found.len() as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        let bytes: Vec<u8> = found.iter().flat_map(|(_, squares)| squares).copied().collect();
        encoder.write_header().and_then(|mut writer| writer.write_image_data(&bytes)).expect("writable");
    }
    let file = std::fs::File::open(path).expect("the recorded pictures");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("a whole PNG");
    let expected: Vec<&[u8]> = bytes.chunks_exact((columns * rows * 3) as usize).collect();
    assert_eq!(found.len(), expected.len());
    let mut wrong = Vec::new();
    // The driver is the same in OpenGL.
    let is_own = studio.gpu.name().contains("llvmpipe");
    let rounding = if is_own { OWN_ROUNDING } else { ROUNDING };
    for (k, (name, squares)) in found.iter().enumerate() {
        let count = unlike(squares, expected[k], rounding);
        if count > 4 {
            wrong.push(format!("{name}: {count} squares are others than recorded"));
        }
        // A colour that is off by less than one level changes many squares by one.
        let other = squares.iter().zip(expected[k]).filter(|(a, b)| a != b).count();
        if is_own && other > squares.len() / 50 {
            wrong.push(format!("{name}: {other} colours are others than recorded"));
        }
        // The control: all pictures are different.
        for (j, (other, _)) in found.iter().enumerate().filter(|(j, _)| *j != k) {
            assert!(unlike(squares, expected[j], ROUNDING) > 4, "{name} and {other}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Twice, and with the boids in another order in the buffers; with trails, too.
fn pictures_have_the_same_bits_in_any_order(studio: &Studio) {
    for (scenery, _) in Scenery::ALL {
        for (size, trails) in [(0.2, 0.0), (3.0, 0.0), (3.0, 20.0)] {
            let mut sitting = flock(studio, scenery, 5_000);
            sitting.look.size = size;
            let mut run = |is_reversed| {
                sitting.look.trails = 0.0;
                sitting.draw();
                sitting.look.trails = trails;
                sitting.is_reversed = is_reversed;
                sitting.draw();
                sitting.step += 5;
                let picture = sitting.draw();
                sitting.step -= 5;
                picture
            };
            let first = run(false);
            assert!(first.0 == run(false).0, "{scenery:?} {size} {trails}: twice");
            assert!(first.0 == run(true).0, "{scenery:?} {size} {trails}: the other way round");
        }
    }
}

/// The pixels where a picture with a line differs from one without lie along the line.
fn shapes_are_drawn_in_every_look(studio: &Studio) {
    for (scenery, look) in Scenery::ALL {
        for dimensions in [2, 3] {
            let mut sitting = Sitting::new(studio, dimensions);
            sitting.look.scenery = scenery;
            sitting.look.edges = false;
            let z = if dimensions == 2 { 0 } else { 50 };
            let behind = sitting.camera.eye() - 1000.0 * sitting.camera.forward();
            let away = if dimensions == 2 { [5000.0, 5000.0, 0.0] } else { behind.to_array() };
            let mut changed = |shapes: &str| {
                sitting.look.shapes = &[];
                let before = sitting.draw();
                let text = format!("[view]\nshapes = {shapes}");
                sitting.look.shapes = config::parse(&text, "shapes").expect("shapes").view.shapes;
                let after = sitting.draw();
                let pixels =
                    (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| [i64::from(x), i64::from(y)]));
                pixels.filter(|[x, y]| before.at(*x, *y) != after.at(*x, *y)).collect::<Vec<_>>()
            };
            // Through the middle of the picture, along the camera's right.
            let along = changed(&format!(
                "[{{ line = [[20, 50, {z}], [80, 50, {z}]] }}, {{ line = [[50, 20, {z}], [50, 80, {z}]] }}]"
            ));
            assert!(along.len() > 100, "{look} in {dimensions} dimensions: {} pixels", along.len());
            let middle = [i64::from(SIZE[0] / 2), i64::from(SIZE[1] / 2)];
            let near = along.iter().filter(|[x, y]| (x - middle[0]).abs() < 4 && (y - middle[1]).abs() < 4);
            assert!(near.count() > 5, "{look} in {dimensions} dimensions: both cross in the middle");
            let disc = changed(&format!("[{{ disc = [50, 50, {z}], radius = 20 }}]"));
            assert!(disc.len() > 60, "{look}: {}", disc.len());
            assert!(!disc.contains(&middle), "{look}: a disc is an outline");
            // The control: beside the picture, or behind the eye.
            assert!(changed(&format!("[{{ disc = {away:?}, radius = 20 }}]")).is_empty(), "{look}");
        }
    }
}

/// A target that does not encode sRGB by itself, as many windows have, shows the same picture, but for translucent edges:
/// they are mixed in other units. In water the edges of the world are drawn always, so it is seen without them.
#[test]
fn every_target_shows_the_same_picture() {
    on(Slot::LlvmpipeVulkan, |studio: &Studio| {
        let format = TextureFormat::Rgba8Unorm;
        let mut plain = Offscreen::new(&studio.gpu, SIZE).expect("a small picture fits");
        plain.scene = Scene::new(&studio.gpu, format, SIZE, true).expect("a small picture fits");
        let plain = Rc::new(RefCell::new(plain));
        let difference = |mut sitting: Sitting, rounding| {
            sitting.look.edges = false;
            let encoded = squares(&sitting.draw());
            sitting.offscreen = Rc::clone(&plain);
            unlike(&encoded, &squares(&sitting.draw()), rounding)
        };
        for (scenery, look) in Scenery::ALL {
            if scenery == Scenery::Water {
                let mut bottom = flock(studio, scenery, 0);
                bottom.camera.pitch = -1.3;
                bottom.camera.target = Vec3::splat(1e4);
                assert_eq!(difference(bottom, OWN_ROUNDING), 0, "the bottom of the water");
                continue;
            }
            let mut dense = flock(studio, scenery, 20_000);
            dense.look.size = 0.8;
            assert_eq!(difference(dense, OWN_ROUNDING), 0, "{look}");
            let count = difference(with_things(studio, scenery, 3), ROUNDING);
            assert!(count <= 6, "{look} with things: {count} squares differ");
        }
        // Large boids are meshes, and by position some colours have a component of zero.
        let mut large = coloured(studio, Colour::Position);
        large.look.size = 20.0;
        let count = difference(large, ROUNDING);
        assert!(count <= 12, "large boids: {count} squares differ");
    });
}

/// Moved by parts of a pixel, a boid smaller than a pixel brings the same light in sum.
#[test]
fn a_small_boid_adds_its_area_wherever_it_is() {
    on(Slot::LlvmpipeVulkan, |studio: &Studio| {
        let mut sitting = Sitting::new(studio, 3).with_one([0.0, 0.0, 1.0]);
        let pixel = sitting.camera.pixel(SIZE[1]) * sitting.camera.distance;
        sitting.look.size = 1.6 * pixel;
        let empty = sitting.empty();
        let (right, up) = (sitting.camera.right(), sitting.camera.up());
        let mut sums = Vec::new();
        for k in 0..25_u8 {
            let [along, upwards] = [k % 5, k / 5].map(|part| 0.2 * f32::from(part) * pixel);
            let at = Vec3::splat(50.0) + right * along + up * upwards;
            sitting.boids[0].position = at.to_array().map(f64::from);
            sums.push(sitting.draw().light() - empty.light());
        }
        let least = sums.iter().copied().fold(f64::MAX, f64::min);
        let most = sums.iter().copied().fold(0.0, f64::max);
        assert!(least > 0.2 && most < 1.12 * least, "{sums:?}");
    });
}

/// At one speed all boids have one colour by speed: rounding does not spread them over the scale.
#[test]
fn one_speed_is_one_colour() {
    on(Slot::LlvmpipeVulkan, |studio: &Studio| {
        for mode in [Colour::Speed, Colour::Cividis] {
            let picture = |speed: f64| {
                let mut sitting = Sitting::new(studio, 2).with_one([speed, 0.0, 0.0]);
                (sitting.parameters.motion.min_speed, sitting.parameters.motion.max_speed) = (1.0, 1.0);
                sitting.look.colour = mode;
                sitting.draw()
            };
            let exact = picture(1.0);
            for speed in [1.0 - 1e-7, 1.0 + 1e-6, 1.001] {
                assert_eq!(exact.unlike(&picture(speed)), 0, "{mode:?} at {speed}");
            }
        }
    });
}

/// A flock drawn some time ahead is the flock moved by its velocity, for points, outlines and meshes.
#[test]
fn boids_are_drawn_ahead_in_time() {
    on(Slot::LlvmpipeVulkan, |studio: &Studio| {
        for size in [0.5, 3.0, 30.0] {
            let mut sitting = flock(studio, Scenery::Cones, 300);
            sitting.look.size = size;
            let now = sitting.draw();
            sitting.shift = -8.0;
            let ahead = sitting.draw();
            assert!(now.unlike(&ahead) > 20, "{size}: nothing moved");
            for boid in &mut sitting.boids {
                boid.position = std::array::from_fn(|k| boid.position[k] - 8.0 * boid.velocity[k]);
            }
            sitting.shift = 0.0;
            let moved = sitting.draw().unlike(&ahead);
            assert!(moved <= 2, "{size}: {moved} pixels differ");
        }
    });
}

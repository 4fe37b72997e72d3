//! Drawn pictures, checked by pixel on every software adapter: boids are present, point along their velocity, and have the
//! requested colours; small ones are density; birds are dark before a bright sky; a picture has the same bits every time.

#[path = "support/adapters.rs"]
mod adapters;

use std::cell::RefCell;
use std::rc::Rc;

use adapters::Slot;
use flock::parameters::{Edges, Sphere};
use flock::state::group;
use flock::{Boid, Parameters, Predator};
use glam::{Vec2, Vec3};
use murmuration::gpu::Gpu;
use murmuration::instances::entry;
use murmuration::state::State;
use murmuration::upload::Uploaded;
use murmuration::view::camera::Camera;
use murmuration::view::offscreen::Offscreen;
use murmuration::view::scene::{Colour, Drawn, Look, Scenery};

/// Not a multiple of 64, so that the rows read back are padded.
const SIZE: [u32; 2] = [331, 240];

/// A picture of 4 bytes per pixel.
struct Picture(Vec<u8>);

impl Picture {
    fn at(&self, x: i64, y: i64) -> [u8; 3] {
        let [width, height] = SIZE.map(i64::from);
        assert!((0..width).contains(&x) && (0..height).contains(&y));
        let at = (y * width + x) as usize * 4;
        [self.0[at], self.0[at + 1], self.0[at + 2]]
    }

    /// The light of the red, green and blue of a pixel, 0 to 3, linear.
    fn light(&self, x: i64, y: i64) -> f64 {
        let linear = |c: u8| (f64::from(c) / 255.0).powf(2.2);
        self.at(x, y).into_iter().map(linear).sum()
    }

    /// The pixels that differ from another picture by more than dither and rounding.
    fn unlike(&self, other: &Picture) -> Vec<[i64; 2]> {
        let [width, height] = SIZE.map(i64::from);
        let all = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
        all.filter(|[x, y]| difference(self.at(*x, *y), other.at(*x, *y)) > 12).collect()
    }
}

fn difference(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}

/// A flock to draw, with camera and look.
struct Sitting {
    gpu: Gpu,
    /// Shared by all flocks on one adapter.
    offscreen: Rc<RefCell<Offscreen>>,
    parameters: Parameters,
    boids: Vec<Boid<f64>>,
    /// Overrides the number of neighbours of all boids.
    neighbours: f32,
    predators: Vec<Predator<f32>>,
    /// Whether the buffers hold the boids in the opposite order.
    reversed: bool,
    camera: Camera,
    look: Look,
}

impl Sitting {
    fn new(studio: &Studio, dimensions: u32) -> Self {
        let mut parameters = Parameters::default();
        (parameters.flock.boids, parameters.flock.dimensions) = (300, dimensions);
        parameters.motion.min_speed = 0.2;
        let mut camera = Camera::new(parameters.flat());
        camera.fit([0.0; 3], [100.0; 3], aspect());
        let look = Look::new(&parameters);
        Sitting {
            gpu: studio.0.clone(),
            offscreen: Rc::clone(&studio.1),
            boids: vec![],
            neighbours: 0.0,
            predators: vec![],
            reversed: false,
            parameters,
            camera,
            look,
        }
    }

    /// Adds one boid in the middle, a fifth of the picture long.
    fn with_one(mut self, velocity: [f64; 3], group: u32) -> Self {
        let position = if self.parameters.flat() { [50.0, 50.0, 0.0] } else { [50.0; 3] };
        self.boids = vec![Boid { position, velocity, group, ..Boid::default() }];
        self.look.size = 40.0;
        self
    }

    fn draw(&self) -> Picture {
        let mut uploaded = Uploaded::default();
        let mut entries: Vec<_> = (0..).zip(&self.boids).map(|(id, boid)| entry(id, boid)).collect();
        if self.reversed {
            entries.reverse();
        }
        let position: Vec<_> = entries.iter().map(|e| e.0).collect();
        let mut velocity: Vec<_> = entries.iter().map(|e| e.1).collect();
        for v in velocity.iter_mut().filter(|v| v[3] >= 0.0) {
            v[3] = self.neighbours;
        }
        let tag: Vec<_> = entries.iter().map(|e| e.2).collect();
        let drawn = Drawn {
            instances: uploaded.write(&self.gpu, &position, &velocity, &tag).expect("there is room"),
            predators: &self.predators,
            parameters: &self.parameters,
            centre: None,
            step: 7,
        };
        let pixels =
            self.offscreen.borrow_mut().draw(&drawn, &self.camera, &self.look).expect("it can be drawn");
        self.gpu.check().expect("nothing was refused");
        assert_eq!(pixels.len(), (SIZE[0] * SIZE[1] * 4) as usize);
        Picture(pixels)
    }

    fn empty(&self) -> Picture {
        let (gpu, offscreen) = (self.gpu.clone(), Rc::clone(&self.offscreen));
        Sitting { gpu, offscreen, boids: vec![], predators: vec![], ..*self }.draw()
    }

    /// The pixel that shows a point.
    fn pixel(&self, point: Vec3) -> [i64; 2] {
        let pointer = self.camera.project(point, aspect()).expect("before the eye");
        let half = Vec2::new(SIZE[0] as f32, SIZE[1] as f32) * 0.5;
        [(half.x * (1.0 + pointer.x)) as i64, (half.y * (1.0 - pointer.y)) as i64]
    }
}

fn aspect() -> f32 {
    SIZE[0] as f32 / SIZE[1] as f32
}

/// What is done to a flock before it is drawn.
type Change = fn(&mut Sitting);

/// A GPU and what is drawn on.
struct Studio(Gpu, Rc<RefCell<Offscreen>>);

fn on(slot: Slot, check: fn(&Studio)) {
    for entry in adapters::adapters(slot) {
        let gpu = adapters::open(&entry);
        let offscreen = Offscreen::new(&gpu, SIZE).expect("a small picture fits");
        check(&Studio(gpu, Rc::new(RefCell::new(offscreen))));
    }
}

macro_rules! on_every_adapter {
    ($($check:ident),* $(,)?) => {$(
        mod $check {
            use super::{Slot, on};
            #[test]
            fn llvmpipe_vulkan() {
                on(Slot::LlvmpipeVulkan, super::checks::$check);
            }
            #[test]
            fn llvmpipe_gl() {
                on(Slot::LlvmpipeGl, super::checks::$check);
            }
            #[test]
            fn swiftshader() {
                on(Slot::SwiftShader, super::checks::$check);
            }
            #[test]
            fn other() {
                on(Slot::Other, super::checks::$check);
            }
        }
    )*};
}

on_every_adapter![
    flocks_are_seen,
    boids_point_where_they_fly,
    colours_tell_what_they_should,
    other_things_are_seen,
    obstacles_hide_what_is_behind_them,
    pictures_have_the_same_bits_in_any_order,
    birds_are_dark_before_a_bright_sky,
    a_small_boid_adds_its_area_wherever_it_is,
    edges_are_smooth_at_any_number
];

/// The same flock looks the same on all adapters, but for rounding.
#[test]
fn software_adapters_agree() {
    let mut first: Vec<Picture> = Vec::new();
    for slot in [Slot::LlvmpipeVulkan, Slot::LlvmpipeGl, Slot::SwiftShader] {
        for entry in adapters::adapters(slot) {
            let gpu = adapters::open(&entry);
            let offscreen = Offscreen::new(&gpu, SIZE).expect("a small picture fits");
            let studio = Studio(gpu, Rc::new(RefCell::new(offscreen)));
            let pictures = Scenery::ALL.map(|(scenery, _)| checks::flock(&studio, scenery, 20_000).draw());
            if first.is_empty() {
                first.extend(pictures);
                continue;
            }
            for (picture, first) in pictures.iter().zip(&first) {
                let apart: u64 = picture.0.iter().zip(&first.0).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
                let mean = apart as f64 / picture.0.len() as f64;
                let unlike = picture.unlike(first).len();
                assert!(mean < 0.4 && unlike < 1000, "{slot:?}: {mean} of 255 apart, {unlike} pixels");
            }
        }
    }
}

mod checks {
    use super::*;

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

    /// What a colour mode tells changes the colour, and nothing else does.
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

    /// A flock of the default parameters in a look.
    pub fn flock(studio: &Studio, scenery: Scenery, boids: u32) -> Sitting {
        let mut sitting = Sitting::new(studio, 3);
        sitting.parameters.flock.boids = boids;
        sitting.boids = State::start(&sitting.parameters).boids;
        sitting.look.scenery = scenery;
        sitting.camera.pitch = scenery.pitch();
        sitting
    }

    /// Of two boids in line with an obstacle only the nearer one is seen.
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
            assert!(
                darker > pixels / 10 && black > pixels / 100,
                "yaw {yaw}: {darker} darker, {black} black"
            );
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
}

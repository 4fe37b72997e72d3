//! Drawn pictures, checked by pixel on every software adapter: the cones are present, point along their velocity, and have
//! the requested colours.

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
use murmuration::view::scene::{Colour, Detail, Drawn, Look};

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
        let entries: Vec<_> = (0..).zip(&self.boids).map(|(id, boid)| entry(id, boid)).collect();
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
    other_things_are_seen
];

mod checks {
    use super::*;

    /// A flock changes many pixels, in the middle; none changes none, and the sky is no single colour.
    pub fn flocks_are_seen(studio: &Studio) {
        for dimensions in [2, 3] {
            let mut sitting = Sitting::new(studio, dimensions);
            let empty = sitting.draw();
            assert!(empty.unlike(&sitting.empty()).is_empty(), "the same twice");
            assert!(difference(empty.at(5, 5), empty.at(5, 230)) > 8, "a gradient");
            sitting.boids = State::start(&sitting.parameters).boids;
            for detail in [Detail::Cone, Detail::Dart] {
                for size in [6.0, 0.01] {
                    (sitting.look.detail, sitting.look.size) = (detail, size);
                    let seen = sitting.draw().unlike(&empty).len();
                    assert!(
                        (150..40_000).contains(&seen),
                        "{dimensions}-D, {detail:?}, {size}: {seen} pixels"
                    );
                }
            }
        }
    }

    /// Tip ahead and broad tail behind, whichever way it flies; turned round, the other way round.
    pub fn boids_point_where_they_fly(studio: &Studio) {
        for (dimensions, detail) in
            [(2, Detail::Cone), (2, Detail::Dart), (3, Detail::Cone), (3, Detail::Dart)]
        {
            let sitting = Sitting::new(studio, dimensions);
            let empty = sitting.draw();
            let (right, up) = (sitting.camera.right(), sitting.camera.up());
            for heading in [right, -up, (right + up).normalize()] {
                let velocity = heading.to_array().map(f64::from);
                let mut sitting = Sitting::new(studio, dimensions).with_one(velocity, group::NONE);
                sitting.look.detail = detail;
                let shape = sitting.draw().unlike(&empty);
                // Half of a triangle's length holds a quarter of its area: the half that leads.
                let middle = sitting.boids[0].position.map(|c| c as f32);
                let [x, y] = sitting.pixel(Vec3::from(middle) + 0.08 * 40.0 * heading);
                let way = Vec2::new(heading.dot(right), -heading.dot(up));
                let ahead = |p: &&[i64; 2]| way.dot(Vec2::new((p[0] - x) as f32, (p[1] - y) as f32)) > 0.0;
                let (front, all) = (shape.iter().filter(ahead).count() as f32, shape.len() as f32);
                assert!(all > 200.0, "{dimensions}-D {detail:?} {heading}: {all} pixels");
                let share = front / all;
                assert!((0.12..0.38).contains(&share), "{dimensions}-D {detail:?} {heading}: {share} ahead");
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
                if told == mode {
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
}

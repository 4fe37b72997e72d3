//! A flock to draw on an adapter, and the picture of it.

use std::cell::RefCell;
use std::rc::Rc;

use crate::every::Subject;
use crate::lent::Lent;
use engine::{HostInstances, State};
use flock::{Boid, Parameters, Predator};
use glam::{Vec2, Vec3};
use gpu::instances::{Uploaded, entry};
use gpu::{AdapterEntry, Gpu};
use scene::offscreen::Offscreen;
use scene::{Camera, FrameInput, Look, Scenery, first_pitch};

/// Not a multiple of 64, so that the rows read back are padded.
pub const SIZE: [u32; 2] = [331, 240];

/// A picture of 4 bytes per pixel.
pub struct Picture(pub Vec<u8>);

impl Picture {
    pub fn at(&self, x: i64, y: i64) -> [u8; 3] {
        let [width, height] = SIZE.map(i64::from);
        assert!((0..width).contains(&x) && (0..height).contains(&y));
        let at = (y * width + x) as usize * 4;
        [self.0[at], self.0[at + 1], self.0[at + 2]]
    }

    /// The light of the red, green and blue of a pixel, 0 to 3, linear.
    pub fn light(&self, x: i64, y: i64) -> f64 {
        let linear = |c: u8| (f64::from(c) / 255.0).powf(2.2);
        self.at(x, y).into_iter().map(linear).sum()
    }

    /// The pixels that differ from another picture by more than dither and rounding.
    pub fn unlike(&self, other: &Picture) -> Vec<[i64; 2]> {
        let [width, height] = SIZE.map(i64::from);
        let all = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
        all.filter(|[x, y]| difference(self.at(*x, *y), other.at(*x, *y)) > 12).collect()
    }
}

pub fn difference(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}

/// A flock to draw, with camera and look.
pub struct Sitting {
    pub gpu: Gpu,
    /// Shared by all flocks on one adapter.
    pub offscreen: Rc<RefCell<Offscreen>>,
    pub parameters: Parameters,
    pub boids: Vec<Boid<f64>>,
    /// Overrides the number of neighbours of all boids.
    pub neighbours: f32,
    pub predators: Vec<Predator<f32>>,
    /// True if the buffers hold the boids in the opposite order.
    pub reversed: bool,
    pub step: u64,
    /// See [`FrameInput::shift`].
    pub shift: f32,
    pub camera: Camera,
    pub look: Look,
}

impl Sitting {
    pub fn new(studio: &Studio, dimensions: u32) -> Self {
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
            step: 7,
            shift: 0.0,
            parameters,
            camera,
            look,
        }
    }

    /// Adds one boid in the middle, a fifth of the picture long.
    pub fn with_one(mut self, velocity: [f64; 3], group: u32) -> Self {
        let position = if self.parameters.flat() { [50.0, 50.0, 0.0] } else { [50.0; 3] };
        self.boids = vec![Boid { position, velocity, group, ..Boid::default() }];
        self.look.size = 40.0;
        self
    }

    pub fn draw(&self) -> Picture {
        let mut uploaded = Uploaded::default();
        let mut entries: Vec<_> = (0..).zip(&self.boids).map(|(id, boid)| entry(id, boid)).collect();
        if self.reversed {
            entries.reverse();
        }
        let (position, velocity, tag) = entries.into_iter().collect();
        let mut flock = HostInstances { position, velocity, tag };
        for v in flock.velocity.iter_mut().filter(|v| v[3] >= 0.0) {
            v[3] = self.neighbours;
        }
        let drawn = FrameInput {
            instances: uploaded.write(&self.gpu, &flock).expect("there is room"),
            predators: &self.predators,
            parameters: &self.parameters,
            centre: None,
            step: self.step,
            shift: self.shift,
            camera: &self.camera,
            look: &self.look,
        };
        let pixels = self.offscreen.borrow_mut().draw(&drawn).expect("it can be drawn");
        self.gpu.check().expect("nothing was refused");
        assert_eq!(pixels.len(), (SIZE[0] * SIZE[1] * 4) as usize);
        Picture(pixels)
    }

    pub fn empty(&self) -> Picture {
        let (gpu, offscreen) = (self.gpu.clone(), Rc::clone(&self.offscreen));
        Sitting { gpu, offscreen, boids: vec![], predators: vec![], ..*self }.draw()
    }

    /// The pixel that shows a point.
    pub fn pixel(&self, point: Vec3) -> [i64; 2] {
        let pointer = self.camera.project(point, aspect()).expect("before the eye");
        let half = Vec2::new(SIZE[0] as f32, SIZE[1] as f32) * 0.5;
        [(half.x * (1.0 + pointer.x)) as i64, (half.y * (1.0 - pointer.y)) as i64]
    }
}

pub fn aspect() -> f32 {
    SIZE[0] as f32 / SIZE[1] as f32
}

/// A change to a flock before it is drawn.
pub type Change = fn(&mut Sitting);

/// A GPU and what is drawn on.
pub struct Studio(pub Lent, pub Rc<RefCell<Offscreen>>);

impl Studio {
    pub fn of(entry: &AdapterEntry) -> Self {
        let gpu = Lent::of(entry);
        let offscreen = Offscreen::new(&gpu, SIZE).expect("a small picture fits");
        Studio(gpu, Rc::new(RefCell::new(offscreen)))
    }
}

impl Subject for Studio {
    fn with(entry: &AdapterEntry, test: impl Fn(&Self)) {
        test(&Studio::of(entry));
    }
}

/// A flock of the default parameters in a look.
pub fn flock(studio: &Studio, scenery: Scenery, boids: u32) -> Sitting {
    let mut sitting = Sitting::new(studio, 3);
    sitting.parameters.flock.boids = boids;
    sitting.boids = State::start(&sitting.parameters).boids;
    sitting.look.scenery = scenery;
    sitting.camera.pitch = first_pitch(scenery);
    sitting
}

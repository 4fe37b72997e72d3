//! A flock to draw on an adapter, and the picture of it.

use std::cell::RefCell;
use std::rc::Rc;

use engine::{HostInstances, State};
use flock::{Boid, Parameters, Predator};
use gpu::buffers::{Uploaded, entry};
use gpu::{AdapterEntry, Gpu};
use scene::offscreen::Offscreen;
use scene::{Camera, FrameInput, Look, Scenery, first_pitch};

use crate::every::Subject;
use crate::lent::Lent;

/// Not a multiple of 64, so that the rows read back are padded.
pub const SIZE: [u32; 2] = [331, 240];

/// A picture of 4 bytes per pixel.
pub struct Picture(pub Vec<u8>);

impl Picture {
    pub fn at(&self, x: i64, y: i64) -> [u8; 3] {
        let at = (y * i64::from(SIZE[0]) + x) as usize * 4;
        [self.0[at], self.0[at + 1], self.0[at + 2]]
    }

    /// The light of all pixels, linear.
    pub fn light(&self) -> f64 {
        let light = |pixel: &[u8]| pixel[..3].iter().map(|c| (f64::from(*c) / 255.0).powf(2.2)).sum::<f64>();
        self.0.chunks_exact(4).map(light).sum()
    }

    /// The number of pixels that differ from another picture by more than dither and rounding.
    pub fn unlike(&self, other: &Picture) -> usize {
        let pairs = self.0.chunks_exact(4).zip(other.0.chunks_exact(4));
        let apart =
            |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum::<u32>();
        pairs.filter(|pair| apart(pair) > 12).count()
    }
}

/// A flock to draw, with camera and look.
pub struct Sitting {
    pub gpu: Gpu,
    /// Shared by all flocks on one adapter.
    pub offscreen: Rc<RefCell<Offscreen>>,
    pub parameters: Parameters,
    pub boids: Vec<Boid<f64>>,
    /// The number of neighbours of each boid; 0 for those that are not named.
    pub neighbours: Vec<f32>,
    pub predators: Vec<Predator<f32>>,
    pub centre: Option<[f32; 3]>,
    /// True if the buffers hold the boids in the opposite order.
    pub is_reversed: bool,
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
        camera.fit([0.0; 3], [100.0; 3], SIZE[0] as f32 / SIZE[1] as f32);
        Sitting {
            gpu: studio.gpu.clone(),
            offscreen: Rc::clone(&studio.offscreen),
            boids: vec![],
            neighbours: vec![],
            predators: vec![],
            centre: None,
            is_reversed: false,
            step: 7,
            shift: 0.0,
            camera,
            look: Look::new(&parameters),
            parameters,
        }
    }

    /// Adds one boid in the middle, a fifth of the picture long.
    pub fn with_one(mut self, velocity: [f64; 3]) -> Self {
        let position = if self.parameters.flat() { [50.0, 50.0, 0.0] } else { [50.0; 3] };
        self.boids = vec![Boid { position, velocity, ..Boid::default() }];
        self.look.size = 40.0;
        self
    }

    /// Turns all velocities by an angle.
    pub fn turn(&mut self, angle: f64) {
        let (sin, cos) = angle.sin_cos();
        for boid in &mut self.boids {
            let [x, y, z] = boid.velocity;
            boid.velocity = [cos * x - sin * y, sin * x + cos * y, z];
        }
    }

    /// Moves all boids by so many steps, and turns them.
    pub fn fly(&mut self, steps: u32, angle: f64) {
        self.step += u64::from(steps);
        for boid in &mut self.boids {
            boid.position = std::array::from_fn(|k| boid.position[k] + f64::from(steps) * boid.velocity[k]);
        }
        self.turn(angle);
    }

    pub fn draw(&self) -> Picture {
        let mut entries: Vec<_> = (0..).zip(&self.boids).map(|(id, boid)| entry(id, boid)).collect();
        for (entry, neighbours) in entries.iter_mut().zip(&self.neighbours) {
            // A boid at rest has none.
            if entry.1[3] >= 0.0 {
                entry.1[3] = *neighbours;
            }
        }
        if self.is_reversed {
            entries.reverse();
        }
        let (position, velocity, tag) = entries.into_iter().collect();
        let mut uploaded = Uploaded::default();
        let boids = HostInstances { position, velocity, tag };
        let drawn = FrameInput {
            instances: uploaded.write(&self.gpu, &boids).expect("there is room"),
            predators: &self.predators,
            parameters: &self.parameters,
            centre: self.centre,
            explained: None,
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
        Sitting { gpu, offscreen, boids: vec![], neighbours: vec![], predators: vec![], ..*self }.draw()
    }
}

/// A GPU and what is drawn on.
pub struct Studio {
    pub gpu: Lent,
    pub offscreen: Rc<RefCell<Offscreen>>,
}

impl Studio {
    /// True for the adapter that records pictures: llvmpipe in Vulkan.
    pub fn is_reference(&self) -> bool {
        self.gpu.name().contains("llvmpipe") && self.gpu.info.backend == wgpu::Backend::Vulkan
    }
}

impl Subject for Studio {
    fn with(entry: &AdapterEntry, test: impl Fn(&Self)) {
        let gpu = Lent::of(entry);
        let offscreen = Offscreen::new(&gpu, SIZE).expect("a small picture fits");
        test(&Studio { gpu, offscreen: Rc::new(RefCell::new(offscreen)) });
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

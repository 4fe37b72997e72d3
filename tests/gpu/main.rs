//! The GPU on every adapter: the engine, its kernels, its integers bit for bit, and every shader as it is
//! translated. The comparison of all engines and presets, with bounds derived for each number, is `tests/conformance/`.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

#[path = "../support/adapters.rs"]
mod adapters;
#[path = "../support/scope.rs"]
mod scope;
#[macro_use]
#[path = "../support/every.rs"]
mod every;
#[path = "../support/hashes.rs"]
mod hashes;
#[path = "../support/image.rs"]
mod image;
#[path = "../support/lent.rs"]
mod lent;
#[path = "../support/random_flock.rs"]
mod random_flock;
#[path = "../support/random_terms.rs"]
mod random_terms;
#[path = "../support/reference.rs"]
mod reference;
#[path = "../support/zones.rs"]
mod zones;

mod crowds;
mod engine;
mod formulas;
mod integers;
mod kernels;
mod reductions;
mod rules;
mod shaders;
mod translations;
mod uniform;

use std::borrow::Cow;

use ::engine::State;
use gpu::shaders::Shaders;
use gpu::{Choice, Gpu};

/// The same adapter, opened with lower limits.
pub fn limited(gpu: &Gpu, lower: impl Fn(wgpu::Limits) -> wgpu::Limits) -> Gpu {
    let choice = Choice { adapter: Some(&gpu.info.name), backend: Some(gpu.info.backend), surface: None };
    let instance = Gpu::instance(None).expect("drivers");
    Gpu::open_within(&instance, &choice, lower).expect("the adapter was opened before")
}

/// The shaders with a text of a file replaced.
///
/// # Panics
/// When the file is missing, or the text in it.
pub fn altered(mut shaders: Shaders, name: &str, from: &str, to: &str) -> Shaders {
    let file = shaders.files.iter_mut().find(|file| file.0 == name && file.1.contains(from));
    let (_, text) = file.unwrap_or_else(|| panic!("no `{from}` in {name}"));
    *text = Cow::Owned(text.replace(from, to));
    shaders
}

/// The largest difference of a velocity.
pub fn difference(a: &State, b: &State) -> f64 {
    let mut largest = 0.0_f64;
    for (a, b) in a.boids.iter().zip(&b.boids) {
        for axis in 0..3 {
            largest = largest.max((a.velocity[axis] - b.velocity[axis]).abs());
        }
    }
    largest
}

/// The content of a buffer.
///
/// # Panics
/// When the device is lost.
pub fn read<T: bytemuck::Pod>(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<T> {
    let mut all = vec![T::zeroed(); buffer.size() as usize / size_of::<T>()];
    gpu::readback::read(gpu, buffer, bytemuck::cast_slice_mut(&mut all)).expect("read");
    all
}

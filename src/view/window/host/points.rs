//! A flock where a browser has no WebGPU: stepped on the CPU, drawn as points.

use flock::Parameters;
use glam::{Vec2, Vec3};
use wasm_bindgen::{Clamped, JsCast as _, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use crate::view::camera::Camera;
use crate::view::framing::{Framing, Spring, sample};
use crate::view::page;
use crate::view::scene::Scenery;
use crate::view::settled;
use cpu::CpuEngine;
use cpu::engine::Engine as _;
use cpu::state::State;
use report::failure::Failure;

/// Colours of the sky at the top and at the bottom, and of a boid.
const SKY: [[f32; 3]; 2] = [[88.0, 108.0, 156.0], [246.0, 190.0, 130.0]];
const BOID: [u8; 3] = [30, 27, 36];
/// How fast the camera follows the flock, and comes near, a frame.
const RATES: [f32; 2] = [0.05, 0.02];

/// Steps and draws a flock as long as the page lives; from a step on, where one is given; with `first`, that of the first screen.
pub fn fly(parameters: &Parameters, step: Option<u64>, first: bool) -> Result<(), Failure> {
    let canvas = page::fresh_canvas().ok_or_else(|| Failure::work("the page has no canvas"))?;
    let context = context(&canvas).ok_or_else(|| Failure::work("this browser draws on no canvas"))?;
    let state = if first { settled::state(parameters) } else { State::try_start(parameters)? };
    let mut engine = CpuEngine::<f32>::new(parameters, &state, None)?;
    let count = engine.boids() as usize;
    let (mut position, mut velocity, mut tag) = (vec![[0.0; 4]; count], vec![[0.0; 4]; count], Vec::new());
    tag.resize(count, [0; 2]);
    let mut camera = Camera { pitch: 0.28, ..Camera::new(parameters.flat()) };
    let corner = |corner: [f64; 3]| corner.map(|c| c as f32);
    camera.fit(corner(parameters.world.min), corner(parameters.world.max), 1.5);
    let (framing, mut spring) = (Framing::new(parameters, Scenery::Dusk), Spring::default());
    page::show("status", &engine.describe());
    for _ in 0..step.unwrap_or_default() {
        engine.advance(1)?;
    }
    loop {
        let size = [canvas.client_width(), canvas.client_height()].map(|side| side.clamp(1, 4096) as u32);
        let aspect = size[0] as f32 / size[1] as f32;
        engine.instances_into(&mut position, &mut velocity, &mut tag);
        let boids = sample(count, |index| place_of(position[index]));
        if let Some(goal) = framing.goal(&camera, &boids, 0.0, aspect) {
            spring.approach(&mut camera, &goal, 1.0, RATES);
        }
        let mut pixels = sky(size);
        for place in &position {
            if let Some(at) = camera.project(Vec3::from(place_of(*place)), aspect) {
                dot(&mut pixels, size, at);
            }
        }
        show(&canvas, &context, size, &pixels).map_err(|_| Failure::work("the canvas cannot be drawn on"))?;
        page::uncover();
        page::next_frame();
        engine.advance(1)?;
    }
}

fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

fn place_of([x, y, z, _]: [f32; 4]) -> [f32; 3] {
    [x, y, z]
}

/// The pixels of an empty sky.
fn sky([width, height]: [u32; 2]) -> Vec<u8> {
    let mut pixels = Vec::with_capacity((width * height * 4) as usize);
    for row in 0..height {
        let share = row as f32 / height as f32;
        let [r, g, b]: [u8; 3] = std::array::from_fn(|k| (SKY[0][k] + share * (SKY[1][k] - SKY[0][k])) as u8);
        (0..width).for_each(|_| pixels.extend([r, g, b, 255]));
    }
    pixels
}

/// Draws a boid of two by two pixels; `at` is in pointer coordinates.
fn dot(pixels: &mut [u8], [width, height]: [u32; 2], at: Vec2) {
    let x = (at.x * 0.5 + 0.5) * width as f32;
    let y = (0.5 - at.y * 0.5) * height as f32;
    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let (column, row) = (x as i64 + dx, y as i64 + dy);
        if (0..i64::from(width)).contains(&column) && (0..i64::from(height)).contains(&row) {
            let place = (row * i64::from(width) + column) as usize * 4;
            pixels[place..place + 3].copy_from_slice(&BOID);
        }
    }
}

fn show(
    canvas: &HtmlCanvasElement,
    context: &CanvasRenderingContext2d,
    [width, height]: [u32; 2],
    pixels: &[u8],
) -> Result<(), JsValue> {
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), width, height)?;
    context.put_image_data(&image, 0.0, 0.0)
}

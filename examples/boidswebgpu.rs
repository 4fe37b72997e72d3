//! # BoidsWebGPU's own compute passes, timed
//!
//! `cargo run --example boidswebgpu -- FOLDER BOIDS STEPS [--adapter NAME] [--backend NAME] [--init FILE.csv]
//! [--out FILE.csv]`: runs the 3-D passes of a checkout of BoidsWebGPU in FOLDER as its page does, without drawing and
//! with a fixed time step of 1/60 s, and prints the milliseconds per step. It reads and writes states of `murmuration
//! run`, so that both can step the same flock: `benches/peers.py` times them in turns.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use engine::{Numeric, State};
use flock::Boid;
use gpu::Gpu;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Steps per submit.
const BATCH: u32 = 16;
/// Paths of the passes, and of the text that they include, in a checkout.
const PASSES: &str = "src/shaders/3d/compute";
const INCLUDES: &str = "src/shaders/index.ts";

/// The uniform of its passes: the constants of its page, in their order.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Params {
    boids: u32,
    bounds: [f32; 3],
    speeds: [f32; 2],
    turn: f32,
    range_square: f32,
    distance_square: f32,
    factors: [f32; 3],
    time_step: f32,
    grid: [u32; 3],
    cell: f32,
    cells: u32,
    divider: u32,
    seed: u32,
    blocks: u32,
    vertices: u32,
}

impl Params {
    /// The parameters for a number of boids and a workgroup size.
    fn new(boids: u32, group: u32) -> Params {
        let side = (f64::from(boids).cbrt() / 7.5 + 0.5).max(1.0);
        let bounds = [2.0 * side - 0.5, side - 0.5, 2.0 * side - 0.5];
        let grid = bounds.map(|bound| (bound * 2.0 / 0.5).floor() as u32 + 20);
        let cells = grid.iter().product::<u32>();
        Params {
            boids,
            bounds: bounds.map(|bound| bound as f32),
            speeds: [2.0, 1.5],
            turn: 6.0,
            range_square: 0.25,
            distance_square: 0.0225,
            factors: [2.0, 5.0, 1.0],
            time_step: 1.0 / 60.0,
            grid,
            cell: 0.5,
            cells,
            divider: 0,
            seed: 1,
            blocks: cells.div_ceil(group),
            vertices: 0,
        }
    }
}

/// The passes in the order of a step: pipeline, bind group, workgroups.
type Passes = Vec<(wgpu::ComputePipeline, wgpu::BindGroup, u32)>;

struct Flock {
    gpu: Gpu,
    boids: wgpu::Buffer,
    start: Passes,
    step: Passes,
}

impl Flock {
    fn new(gpu: &Gpu, folder: &Path, count: u32) -> Result<Flock> {
        let group =
            gpu.limits.max_compute_workgroup_size_x.min(gpu.limits.max_compute_invocations_per_workgroup);
        let params = Params::new(count, group);
        let include = include(folder, group)?;
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let buffer = |size: u32| gpu.device.create_buffer(&descriptor(u64::from(size), usage));
        let uniform = |divider: u32| {
            let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
            let uniform = gpu.device.create_buffer(&descriptor(size_of::<Params>() as u64, usage));
            gpu.queue.write_buffer(&uniform, 0, bytemuck::bytes_of(&Params { divider, ..params }));
            uniform
        };
        let pass = |name: &str, buffers: &[&wgpu::Buffer], groups: u32| -> Result<_> {
            let file = folder.join(PASSES).join(format!("{name}3d.wgsl"));
            let text =
                std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let text = text.replace("#include<boid3dInclude>", &include);
            let source = wgpu::ShaderSource::Wgsl(text.into());
            Ok(gpu.create(|device| {
                let module =
                    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
                let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: None,
                    layout: None,
                    module: &module,
                    entry_point: Some("main"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                });
                let entries: Vec<_> = (0..)
                    .zip(buffers)
                    .map(|(binding, b)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
                    .collect();
                let layout = &pipeline.get_bind_group_layout(0);
                let entries = &entries;
                let bound =
                    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries });
                (pipeline, bound, groups)
            })?)
        };
        let each = count.div_ceil(group);
        let (boids, sorted, places) = (buffer(32 * count), buffer(32 * count), buffer(8 * count));
        let (counts, starts) = (buffer(4 * params.cells), buffer(4 * params.cells));
        let (mut from, mut to) = (buffer(4 * params.blocks), buffer(4 * params.blocks));
        let all = uniform(0);
        let mut step = vec![
            pass("clearGrid", &[&all, &counts], params.blocks)?,
            pass("updateGrid", &[&all, &places, &counts, &boids], each)?,
            pass("prefixSum", &[&all, &counts, &starts, &from], params.blocks)?,
        ];
        let mut divider = 1;
        while divider < params.blocks {
            let groups = params.blocks.div_ceil(group);
            step.push(pass("sumBuckets", &[&uniform(divider), &from, &to], groups)?);
            std::mem::swap(&mut from, &mut to);
            divider *= 2;
        }
        step.push(pass("addSums", &[&all, &from, &starts], params.blocks)?);
        step.push(pass("rearrangeBoids", &[&all, &places, &starts, &boids, &sorted], each)?);
        step.push(pass("boids", &[&all, &boids, &sorted, &starts], each)?);
        let start = vec![pass("generateBoids", &[&all, &boids], each)?];
        Ok(Flock { gpu: gpu.clone(), boids, start, step })
    }

    fn run(&self, passes: &Passes, mut times: u32) -> Result<()> {
        while times > 0 {
            let now = times.min(BATCH);
            let mut encoder =
                self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for (pipeline, bound, groups) in (0..now).flat_map(|_| passes) {
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, bound, &[]);
                pass.dispatch_workgroups(*groups, 1, 1);
            }
            drop(pass);
            self.gpu.queue.submit([encoder.finish()]);
            times -= now;
        }
        Ok(self.gpu.wait()?)
    }

    fn put(&self, state: &State) {
        let words: Vec<[f32; 8]> = state
            .boids
            .iter()
            .map(|boid| {
                let ([x, y, z], [u, v, w]) = (boid.position, boid.velocity);
                [x, y, z, 0.0, u, v, w, 0.0].map(|number| number as f32)
            })
            .collect();
        self.gpu.queue.write_buffer(&self.boids, 0, bytemuck::cast_slice(&words));
    }

    fn take(&self) -> Result<State> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let back = self.gpu.device.create_buffer(&descriptor(self.boids.size(), usage));
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&self.boids, 0, &back, 0, back.size());
        self.gpu.queue.submit([encoder.finish()]);
        back.slice(..).map_async(wgpu::MapMode::Read, |_| ());
        self.gpu.wait()?;
        let words: Vec<[f32; 8]> = bytemuck::pod_collect_to_vec(&back.slice(..).get_mapped_range()?);
        let boids = words.iter().map(|[x, y, z, _, u, v, w, _]| Boid {
            position: [*x, *y, *z].map(f64::from),
            velocity: [*u, *v, *w].map(f64::from),
            ..Boid::default()
        });
        Ok(State { boids: boids.collect(), ..State::default() })
    }
}

fn descriptor(size: u64, usage: wgpu::BufferUsages) -> wgpu::BufferDescriptor<'static> {
    wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false }
}

/// Extracts the text that its 3-D passes include.
fn include(folder: &Path, group: u32) -> Result<String> {
    let file = folder.join(INCLUDES);
    let lost = || format!("{}: no text for boid3dInclude", file.display());
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let (_, after) = text.split_once("\"boid3dInclude\"").ok_or_else(lost)?;
    let body = after.split('`').nth(1).ok_or_else(lost)?;
    Ok(body.replace("${blockSize}", &group.to_string()))
}

fn main() -> ExitCode {
    match time() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn time() -> Result<()> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut option = |name: &str| {
        let place = words.iter().position(|word| word == name)?;
        words.remove(place);
        (place < words.len()).then(|| words.remove(place))
    };
    let (adapter, backend) = (option("--adapter"), option("--backend"));
    let (init, out) = (option("--init"), option("--out"));
    let [folder, boids, steps] = &words[..] else {
        return Err("which? for instance BoidsWebGPU 100000 20 --backend vulkan".into());
    };
    let (boids, steps): (u32, u32) = (boids.parse()?, steps.parse()?);
    let backend = match backend.as_deref() {
        None => None,
        Some("vulkan") => Some(wgpu::Backend::Vulkan),
        Some("gl") => Some(wgpu::Backend::Gl),
        Some("metal") => Some(wgpu::Backend::Metal),
        Some("dx12") => Some(wgpu::Backend::Dx12),
        Some(other) => return Err(format!("--backend must be vulkan, metal, dx12 or gl, not {other}").into()),
    };
    let gpu = Gpu::headless(adapter.as_deref(), backend)?;
    let flock = Flock::new(&gpu, Path::new(folder), boids)?;
    flock.run(&flock.start, 1)?;
    if let Some(file) = init {
        flock.put(&files::read_state(Path::new(&file), Numeric::F32)?.state);
    }
    if steps > 0 {
        // The first step includes deferred work of the driver.
        let before = flock.take()?;
        flock.run(&flock.step, 1)?;
        flock.put(&before);
        flock.gpu.wait()?;
        let began = Instant::now();
        flock.run(&flock.step, steps)?;
        println!("{:.4}", began.elapsed().as_secs_f64() * 1e3 / f64::from(steps));
    }
    if let Some(file) = out {
        files::write_state(Path::new(&file), &flock.take()?, Numeric::F32, files::Existing::Replace)?;
    }
    Ok(())
}

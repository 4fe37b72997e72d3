//! The picture of a flock: boids from the engine's own buffers, the other bodies, and the sky.
//!
//! It uses only features of every WebGPU device: no storage buffer in a vertex shader. A compute pass adds up what small
//! boids cover of each pixel ([`coverage`]) and collects the large ones. The background is drawn when the camera turns, and
//! kept ([`backdrop`]). Then one pass draws it with the small boids before it, obstacles, large boids, things and lines,
//! in that order, on 4 samples a pixel where the format has them. Where a device has no compute
//! shaders, all boids are meshes or single triangles.

mod backdrop;
mod banks;
mod buffers;
mod coverage;
mod look;
mod mesh;
mod pipelines;
mod shaders;
mod targets;
mod things;
mod trails;
mod uniform;

use flock::{Parameters, Predator};

use self::buffers::{GrowingBuffer, Mesh};
use crate::view::camera::Camera;
use backdrop::{Backdrop, Background};
pub use banks::SETTLING;
use coverage::{Coverage, Grid};
use gpu::Gpu;
pub use gpu::instances::Instances;
pub use look::{Colour, Look, Scenery, drawn_scenery, first_pitch, sceneries, smooth_for_window};
use mesh::Shape;
use pipelines::Pipelines;
pub use shaders::{Near, SHADERS, source};
use targets::Targets;
use things::Things;
use trails::{Read, Trails};
pub use uniform::ViewUniform;

/// Boids up to which all are drawn as meshes where a device cannot compute coverage.
const MOST_CONES: u32 = 10_000;

/// Sine of the angle above and below the horizon within which land and its reflection lie.
const LAND_HEIGHT: f32 = 0.06;

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawn<'a> {
    /// The boids, in their buffers.
    pub instances: &'a Instances,
    /// The predators.
    pub predators: &'a [Predator<f32>],
    /// For the attractor, the obstacles, the world's edges and the scale of colours.
    pub parameters: &'a Parameters,
    /// Where to mark the flock's centre.
    pub centre: Option<[f32; 3]>,
    /// The step, by which birds beat their wings.
    pub step: u64,
    /// How far boids are drawn from where they are, in the time that they take for it; negative where they were.
    pub shift: f32,
}

/// Draws flocks on targets of one format.
#[derive(Debug)]
pub struct Scene {
    gpu: Gpu,
    format: wgpu::TextureFormat,
    samples: u32,
    pipelines: Pipelines,
    view: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
    backdrop: Backdrop,
    /// None where the device cannot compute it.
    coverage: Option<Coverage>,
    cone: Mesh,
    bird: Mesh,
    smooth_cone: Mesh,
    arrowhead: Mesh,
    ball: Mesh,
    cones: GrowingBuffer,
    falcons: GrowingBuffer,
    balls: GrowingBuffer,
    marks: GrowingBuffer,
    lines: GrowingBuffer,
    targets: Option<Targets>,
    /// None where no trails are drawn.
    trails: Option<Trails>,
}

impl Scene {
    /// Prepares to draw on targets of a format. Smooth edges of meshes take 4 samples a pixel, where the format allows
    /// it; on a software adapter they take more than half of the time.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, smooth: bool) -> Self {
        let device = &gpu.device;
        let flags = format.guaranteed_format_features(device.features()).flags;
        let samples = if smooth && flags.sample_count_supported(4) { 4 } else { 1 };
        let covers = Coverage::possible(gpu);
        let pipelines = Pipelines::new(device, format, samples, covers);
        let view = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("view"),
            size: size_of::<ViewUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let coverage = covers.then(|| Coverage::new(gpu, &view));
        let backdrop = Backdrop::new(device, &view);
        Scene {
            gpu: gpu.clone(),
            format,
            samples,
            bind_group: bind_group(device, &pipelines, &view, coverage.as_ref(), &backdrop.shown()),
            backdrop,
            view,
            coverage,
            cone: Mesh::new(device, "cone", &Shape::cone(6)),
            bird: Mesh::new(device, "bird", &Shape::bird()),
            smooth_cone: Mesh::new(device, "smooth cone", &Shape::cone(24)),
            arrowhead: Mesh::new(device, "arrowhead", &Shape::arrowhead()),
            ball: Mesh::new(device, "ball", &Shape::ball()),
            cones: GrowingBuffer::new("cones"),
            falcons: GrowingBuffer::new("falcons"),
            balls: GrowingBuffer::new("balls"),
            marks: GrowingBuffer::new("marks"),
            lines: GrowingBuffer::new("lines"),
            targets: None,
            trails: None,
            pipelines,
        }
    }

    /// Whether it draws boids where they were ([`Drawn::shift`]), and trails; a device that cannot compute coverage does
    /// not.
    #[must_use]
    pub fn shifts(&self) -> bool {
        self.coverage.is_some()
    }

    /// Draws a flock over the whole of a target of `size` pixels; nothing at a size of zero.
    ///
    /// A scene draws once a submit: the next drawing overwrites its buffers.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size: [u32; 2],
        drawn: &Drawn<'_>,
        camera: &Camera,
        look: &Look,
    ) {
        if size.contains(&0) {
            return;
        }
        let dusk = look.dusk(camera.flat);
        let mut grid = Grid::new(&self.gpu, size, dusk, drawn.instances.count);
        let trailing = look.trails > 0.0 && self.coverage.is_some();
        if trailing {
            grid = grid.for_trails();
        }
        let mut uniform = ViewUniform::new(camera, look, drawn, size, &grid, self.format.is_srgb());
        let device = &self.gpu.device;
        if let Some(coverage) = self.coverage.as_mut().filter(|_| look.banks(camera.flat)) {
            uniform.bank = coverage.banks.of(device, drawn);
        }
        self.trails = self.trails.take().filter(|trails| trailing && trails.fit(size));
        let trails = trailing.then(|| self.trails.get_or_insert_with(|| Trails::new(device, size)));
        let left = trails.and_then(|trails| trails.left(drawn, look.trails, &uniform));
        uniform.centre[3] = left.unwrap_or_default();
        self.gpu.queue.write_buffer(&self.view, 0, bytemuck::bytes_of(&uniform));
        self.write_things(&Things::new(drawn, camera, look, size[1]));
        self.make_room(&grid, size);
        let background = Background::of(look.scenery, camera.flat);
        let land = land_rows(camera, size).filter(|_| dusk);
        self.backdrop.record(encoder, &uniform, background, land);
        if let Some(coverage) = &self.coverage {
            coverage.record(&self.gpu, encoder, drawn, &grid, self.mesh(camera.flat, dusk).count);
        }
        let with_trails = self.record_trails(encoder, left.is_some(), dusk);
        let targets = self.targets.take().filter(|targets| targets.size == size);
        let targets =
            targets.unwrap_or_else(|| Targets::new(&self.gpu.device, self.format, self.samples, size));
        let mut pass = begin(encoder, &targets, target);
        pass.set_bind_group(0, with_trails.as_ref().unwrap_or(&self.bind_group), &[]);
        pass.set_pipeline(&self.pipelines.composed[usize::from(dusk)]);
        pass.draw(0..3, 0..1);
        draw_bodies(&mut pass, &self.pipelines.obstacles, &self.balls, &self.ball);
        self.draw_boids(&mut pass, drawn.instances, camera.flat, dusk);
        self.draw_things(&mut pass);
        drop(pass);
        self.targets = Some(targets);
    }

    fn write_things(&mut self, things: &Things) {
        let (device, queue) = (&self.gpu.device, &self.gpu.queue);
        self.cones.write(device, queue, &things.cones);
        self.falcons.write(device, queue, &things.falcons);
        self.balls.write(device, queue, &things.balls);
        self.marks.write(device, queue, &things.marks);
        self.lines.write(device, queue, &things.lines);
    }

    /// Records the pass of the trails, unless they serve again; returns the bindings with which they are drawn.
    fn record_trails(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        changed: bool,
        dusk: bool,
    ) -> Option<wgpu::BindGroup> {
        let (trails, coverage) = (self.trails.as_mut()?, self.coverage.as_ref()?);
        let device = &self.gpu.device;
        if changed {
            let (ink, backdrop) = (coverage.shown(), self.backdrop.shown());
            let read = Read { view: &self.view, ink: &ink, backdrop: &backdrop };
            trails.record(device, encoder, &read, dusk);
        }
        Some(bind_group(device, &self.pipelines, &self.view, Some(coverage), &trails.shown()))
    }

    /// Makes room for a picture of `size` pixels.
    fn make_room(&mut self, grid: &Grid, size: [u32; 2]) {
        let device = &self.gpu.device;
        let resized = self.backdrop.make_room(device, size);
        let grown = self.coverage.as_mut().is_some_and(|coverage| coverage.make_room(device, grid));
        if resized || grown {
            self.bind_group = bind_group(
                device,
                &self.pipelines,
                &self.view,
                self.coverage.as_ref(),
                &self.backdrop.shown(),
            );
        }
    }

    /// The mesh of a boid.
    fn mesh(&self, flat: bool, dusk: bool) -> &Mesh {
        match (flat, dusk) {
            (true, _) => &self.arrowhead,
            (false, true) => &self.bird,
            (false, false) => &self.cone,
        }
    }

    fn draw_boids(&self, pass: &mut wgpu::RenderPass<'_>, boids: &Instances, flat: bool, dusk: bool) {
        if boids.count == 0 {
            return;
        }
        pass.set_pipeline(if dusk { &self.pipelines.birds } else { &self.pipelines.cones });
        if let Some(coverage) = &self.coverage {
            pass.set_vertex_buffer(0, coverage.near().slice(..));
            self.mesh(flat, dusk).draw_indirect(pass, 1, &coverage.draw);
            return;
        }
        for (slot, buffer) in (0..).zip([&boids.position, &boids.velocity, &boids.tag]) {
            pass.set_vertex_buffer(slot, buffer.slice(..));
        }
        if boids.count <= MOST_CONES || dusk {
            self.mesh(flat, dusk).draw(pass, 3, boids.count);
        } else {
            pass.set_pipeline(&self.pipelines.darts);
            pass.draw(0..3, 0..boids.count);
        }
    }

    fn draw_things(&self, pass: &mut wgpu::RenderPass<'_>) {
        draw_bodies(pass, &self.pipelines.things, &self.cones, &self.smooth_cone);
        draw_bodies(pass, &self.pipelines.falcons, &self.falcons, &self.bird);
        if let Some(buffer) = self.lines.filled() {
            pass.set_pipeline(&self.pipelines.lines);
            pass.set_vertex_buffer(0, buffer);
            pass.draw(0..self.lines.count, 0..1);
        }
        draw_bodies(pass, &self.pipelines.marks, &self.marks, &self.smooth_cone);
    }
}

/// The rows of a picture, from the first to before the last, in which land may be seen; none where there are none.
fn land_rows(camera: &Camera, size: [u32; 2]) -> Option<[u32; 2]> {
    let (forward, up) = (camera.forward().z, camera.up().z * camera.slope());
    let aspect = size[0] as f32 / size[1].max(1) as f32;
    // The longest line of sight at depth 1, in a corner.
    let longest = (1.0 + camera.slope().powi(2) * (1.0 + aspect * aspect)).sqrt();
    let row = |height: f32| {
        let pointer = (height * longest - forward) / up.max(1e-6);
        (0.5 - 0.5 * pointer) * size[1] as f32
    };
    let [first, last] = [row(LAND_HEIGHT).floor(), row(-LAND_HEIGHT).ceil()];
    let [first, last] = [first, last].map(|row| row.clamp(0.0, size[1] as f32) as u32);
    (first < last).then_some([first, last])
}

/// Draws a mesh for each of these bodies.
fn draw_bodies(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &wgpu::RenderPipeline,
    bodies: &GrowingBuffer,
    mesh: &Mesh,
) {
    if let Some(buffer) = bodies.filled() {
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, buffer);
        mesh.draw(pass, 1, bodies.count);
    }
}

/// The view, the backdrop, and what the boids cover where that is known.
fn bind_group(
    device: &wgpu::Device,
    pipelines: &Pipelines,
    view: &wgpu::Buffer,
    coverage: Option<&Coverage>,
    backdrop: &wgpu::TextureView,
) -> wgpu::BindGroup {
    let texture = wgpu::BindingResource::TextureView(backdrop);
    let mut entries = vec![
        wgpu::BindGroupEntry { binding: 0, resource: view.as_entire_binding() },
        wgpu::BindGroupEntry { binding: 2, resource: texture },
    ];
    let ink = coverage.map(Coverage::shown);
    if let Some(ink) = &ink {
        entries.push(wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(ink) });
    }
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("view"),
        layout: &pipelines.bind_group_layout,
        entries: &entries,
    })
}

fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    targets: &Targets,
    target: &wgpu::TextureView,
) -> wgpu::RenderPass<'a> {
    let (view, resolve_target) = match &targets.colour {
        Some(samples) => (samples, Some(target)),
        None => (target, None),
    };
    // The samples are not read after they are resolved.
    let store = if resolve_target.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("scene"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &targets.depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.0),
                store: wgpu::StoreOp::Discard,
            }),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    })
}

//! The picture of a flock: boids from the engine's own buffers, the other bodies, and the sky.
//!
//! It uses only features of every WebGPU device: no storage buffer in a vertex shader. A compute pass adds up the
//! coverage of each pixel by small boids (`coverage`) and collects the large ones. Deep layers of boids count less, and
//! the background is drawn when the camera turns, and kept (`layers`). Then one pass draws it with
//! the small boids before it, obstacles, large boids, things and lines, in that order, with 4 samples per pixel where
//! the format has them.
//!
//! It knows the GPU and the flock, and no engine, window or file: the caller hands it [`Boids`]. Begin with [`Scene`].

pub mod camera;
mod coverage;
mod explained;
pub mod framing;
mod layers;
mod legend;
mod look;
mod mesh;
pub mod offscreen;
mod pipelines;
mod resources;
mod things;
mod uniform;
#[cfg(target_arch = "wasm32")]
pub mod webgl;

use std::sync::Arc;

use bytemuck::Pod;
use flock::{Parameters, Predator};
use wgpu::{BindingResource, CommandEncoder, TextureFormat, TextureView};

use self::mesh::{Mesh, Shape};
use self::pipelines::{Passes, Pipeline, Pipelines, Shaders};
use self::things::Things;
pub use camera::Camera;
pub use coverage::SETTLING;
use coverage::{Coverage, Grid};
use engine::{HostInstances, Result};
pub use explained::{Explained, colour_of, near_distance};
use gpu::Gpu;
pub use gpu::buffers::Instances;
use layers::{Layers, Trails, is_of, lake_row};
pub use legend::{Swatch, legend};
pub use look::{Colour, Look, Scenery, drawn_scenery, first_pitch, of_view, one_speed, sceneries};
pub use mesh::Near;
pub use offscreen::PartCoverage;
pub use pipelines::source;
use resources::filled;
pub use resources::{BLACK, begin_pass, canvas, texture, view_of};
pub use things::{corners, words};
pub use uniform::ViewUniform;

/// The boids of a picture.
#[derive(Debug)]
pub enum Boids {
    /// In the engine's own buffers on the GPU, from which the picture is drawn.
    Device(Instances),
    /// In memory, from the CPU engine, for upload.
    Host(Arc<HostInstances>),
}

impl Boids {
    /// Number of boids.
    pub fn count(&self) -> u32 {
        match self {
            Boids::Device(instances) => instances.count,
            Boids::Host(boids) => u32::try_from(boids.tag.len()).unwrap_or(u32::MAX),
        }
    }
}

impl Default for Boids {
    fn default() -> Self {
        Boids::Host(Arc::default())
    }
}

/// The input of a picture.
#[derive(Clone, Copy, Debug)]
pub struct FrameInput<'a, B = &'a Instances> {
    /// The boids, in their buffers.
    pub instances: B,
    /// The predators.
    pub predators: &'a [Predator<f32>],
    /// The parameters that set the attractor, the obstacles, the world's edges and the colour scale.
    pub parameters: &'a Parameters,
    /// Position of the mark at the flock's centre; `None` for no mark.
    pub centre: Option<[f32; 3]>,
    /// The boid whose step is explained.
    pub explained: Option<Explained<'a>>,
    /// The step, which sets the phase of the wing beats.
    pub step: u64,
    /// Time by which positions are extrapolated along the velocities; negative goes back.
    pub shift: f32,
    pub camera: &'a Camera,
    pub look: &'a Look,
}

impl<B> FrameInput<'_, B> {
    /// The time of the picture, in steps.
    fn moment(&self) -> f64 {
        let time_step = self.parameters.motion.time_step.max(1e-9);
        self.step as f64 + f64::from(self.shift) / time_step
    }

    /// True if boids are birds before a bright sky, which bank in their turns.
    fn dusk(&self) -> bool {
        self.look.dusk(self.camera.flat)
    }
}

/// A picture that is being drawn.
#[derive(Debug)]
struct FrameContext<'a> {
    drawn: FrameInput<'a>,
    grid: Grid,
    /// The uniform of the shaders.
    uniform: ViewUniform,
    /// True if there are trails and they have changed since the last picture.
    fades: bool,
}

/// Draws flocks on a texture.
#[derive(Debug)]
pub struct Scene {
    gpu: Gpu,
    pub target: wgpu::Texture,
    samples: u32,
    pipelines: Pipelines,
    view: wgpu::Buffer,
    coverage: Coverage,
    cone: Mesh,
    bird: Mesh,
    smooth_cone: Mesh,
    arrowhead: Mesh,
    ball: Mesh,
    layers: Option<Layers>,
    /// `None` without trails.
    trails: Option<Trails>,
}

impl Scene {
    /// Prepares to draw pictures of this size in pixels, each side at least 1. Smooth edges of meshes take 4 samples a
    /// pixel, where the format supports it; on a software adapter they take more than half of the time.
    ///
    /// # Errors
    /// When the device cannot hold the textures.
    pub fn new(gpu: &Gpu, format: TextureFormat, size: [u32; 2], smooth: bool) -> Result<Self> {
        let flags = format.guaranteed_format_features(gpu.device.features()).flags;
        let samples = if smooth && flags.sample_count_supported(4) { 4 } else { 1 };
        gpu.create(|device| {
            let shaders = Shaders::new(device);
            Scene {
                gpu: gpu.clone(),
                target: canvas(device, format, size),
                samples,
                pipelines: Pipelines::new(&shaders, format, samples),
                view: ViewUniform::buffer(device),
                coverage: Coverage::new(gpu, &shaders),
                cone: Mesh::new(gpu, &Shape::cone(6)),
                bird: Mesh::new(gpu, &Shape::bird()),
                smooth_cone: Mesh::new(gpu, &Shape::cone(24)),
                arrowhead: Mesh::new(gpu, &Shape::arrowhead()),
                ball: Mesh::new(gpu, &Shape::ball()),
                layers: None,
                trails: None,
            }
        })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        [self.target.width(), self.target.height()]
    }

    /// Width over height.
    pub fn aspect(&self) -> f32 {
        self.target.width() as f32 / self.target.height() as f32
    }

    /// Resizes the target; its content is lost.
    pub fn resize(&mut self, size: [u32; 2]) {
        self.target = canvas(&self.gpu.device, self.target.format(), size);
    }

    /// Side in pixels of the squares in which small boids are drawn: 1, unless the picture is too large for the device.
    pub fn block(&self, dusk: bool) -> u32 {
        Grid::new(&self.gpu, self.size(), dusk, false, 0).block
    }

    /// Draws a flock.
    pub fn paint(&mut self, drawn: &FrameInput<'_>) {
        let encoder = self.draw(drawn);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Records the drawing of a flock. A scene draws once per submit: the next drawing overwrites its buffers.
    fn draw(&mut self, drawn: &FrameInput<'_>) -> CommandEncoder {
        if drawn.dusk() {
            self.coverage.banks.fit(&self.gpu.device, drawn.instances.count);
        }
        let context = self.context(drawn);
        let (mut encoder, indices) = (self.gpu.encoder(), self.mesh(drawn).count);
        let spheres = drawn.parameters.obstacles.spheres.as_slice();
        self.coverage.begin(&mut encoder, spheres, &context.grid, indices);
        self.coverage.add(&mut encoder, &self.view, drawn.dusk(), drawn.instances);
        self.record(&mut encoder, &context);
        encoder
    }

    /// Begins a picture. Its boids may be covered elsewhere, in parts, by its `uniform`: then only the number of
    /// `drawn.instances` is used, and [`Scene::draw_covered`] draws the picture.
    fn context<'a>(&mut self, drawn: &FrameInput<'a>) -> FrameContext<'a> {
        let (device, size, length) = (&self.gpu.device, self.size(), drawn.look.trails);
        let trailing = length > 0.0;
        let grid = Grid::new(&self.gpu, size, drawn.dusk(), trailing, drawn.instances.count);
        let mut uniform = ViewUniform::new(drawn, size, &grid, self.target.format().is_srgb());
        if drawn.dusk() {
            uniform.bank = self.coverage.banks.of(drawn.step);
        }
        self.trails = self.trails.take().filter(|trails| trailing && is_of(&trails.behind, size));
        let trails = trailing.then(|| self.trails.get_or_insert_with(|| Trails::new(device, size)));
        let (swept, fades) = trails.map(|trails| trails.swept(drawn, &uniform)).unwrap_or_default();
        (uniform.centre[3], uniform.before) = (swept.left, swept.from);
        uniform.scale[3] = (swept.steps * drawn.parameters.motion.time_step) as f32;
        let layers = self.layers.take().filter(|layers| layers.fit(size, &grid));
        let mut layers = layers.unwrap_or_else(|| Layers::new(self, &grid));
        uniform.bank[2] = layers.exposure.left(drawn);
        self.layers = Some(layers);
        self.gpu.queue.write_buffer(&self.view, 0, bytemuck::bytes_of(&uniform));
        FrameContext { drawn: *drawn, grid, uniform, fades }
    }

    /// Records the drawing of a picture from the summed coverage of its parts and the boids that are meshes.
    fn draw_covered(&mut self, context: &FrameContext<'_>, covered: (&[u32], &[Near])) -> CommandEncoder {
        let (mut encoder, indices) = (self.gpu.encoder(), self.mesh(&context.drawn).count);
        self.coverage.write(&context.grid, covered, indices);
        self.record(&mut encoder, context);
        encoder
    }

    /// The mesh of near boids.
    fn mesh(&self, drawn: &FrameInput<'_>) -> &Mesh {
        match (drawn.camera.flat, drawn.dusk()) {
            (true, _) => &self.arrowhead,
            (false, true) => &self.bird,
            (false, false) => &self.cone,
        }
    }

    /// Records all passes except the coverage.
    fn record(&mut self, encoder: &mut CommandEncoder, context: &FrameContext<'_>) {
        let FrameContext { drawn, grid, fades, .. } = context;
        let Some(mut layers) = self.layers.take() else { return };
        let (pipelines, view) = (&self.pipelines, self.view.as_entire_binding());
        let kind = usize::from(drawn.dusk());
        let mut passes = Passes { device: &self.gpu.device, encoder, pipelines };
        layers.backdrop.record(&mut passes, &view, context);
        let [ink, gains, backdrop] =
            [&layers.ink, &layers.exposure.gains, &layers.backdrop.texture].map(view_of);
        let [ink, gains, shown] = [&ink, &gains, &backdrop].map(BindingResource::TextureView);
        self.coverage.show(passes.encoder, grid, &layers.ink);
        layers.exposure.record(&mut passes, [&view, &ink], kind);
        let read = [view, ink, gains, shown];
        if let Some(trails) = self.trails.as_mut().filter(|_| *fades) {
            trails.record(&mut passes, &read, kind);
        }
        let behind = self.trails.as_ref().map_or(backdrop.clone(), |trails| view_of(&trails.behind));
        let [view, ink, gains, _] = read;
        let mut pass = Pass {
            gpu: &self.gpu,
            pass: begin(encoder, &layers, &view_of(&self.target)),
            read: [view, ink, gains, BindingResource::TextureView(&behind)],
        };
        self.compose(&mut pass, drawn);
        let things = Things::new(drawn, self.target.height());
        pass.bodies(&pipelines.obstacles, &things.balls, &self.ball);
        if drawn.instances.count > 0 {
            self.draw_boids(&mut pass, &pipelines.boids[kind], self.mesh(drawn));
        }
        pass.bodies(&pipelines.things, &things.cones, &self.smooth_cone);
        pass.bodies(&pipelines.falcons, &things.falcons, &self.bird);
        if pass.instances(&pipelines.lines, &things.lines) {
            pass.pass.draw(0..things.lines.len() as u32, 0..1);
        }
        pass.bodies(&pipelines.marks, &things.marks, &self.smooth_cone);
        drop(pass);
        self.layers = Some(layers);
    }

    /// Draws the background with the small boids before it, and at dusk with their mirror in the lake.
    fn compose(&self, pass: &mut Pass<'_>, drawn: &FrameInput<'_>) {
        let [width, height] = self.size();
        let shore = if drawn.dusk() { lake_row(drawn.camera, height) } else { height };
        let composed = &self.pipelines.composed[usize::from(drawn.dusk())];
        for (pipeline, first, last) in [(composed, 0, shore), (&self.pipelines.lake, shore, height)] {
            if first < last {
                pass.pass.set_scissor_rect(0, first, width, last - first);
                pass.set(pipeline);
                pass.pass.draw(0..3, 0..1);
            }
        }
        pass.pass.set_scissor_rect(0, 0, width, height);
    }

    fn draw_boids(&self, pass: &mut Pass<'_>, pipeline: &Pipeline, mesh: &Mesh) {
        pass.set(pipeline);
        pass.pass.set_vertex_buffer(0, self.coverage.near.slice(..));
        mesh.set(&mut pass.pass);
        pass.pass.draw_indexed_indirect(&self.coverage.draw, 0);
    }
}

/// The pass that draws the scene, and the resources of its pipelines.
struct Pass<'a> {
    gpu: &'a Gpu,
    pass: wgpu::RenderPass<'a>,
    read: [BindingResource<'a>; 4],
}

impl Pass<'_> {
    fn set(&mut self, pipeline: &Pipeline) {
        pipeline.set(&mut self.pass, &self.gpu.device, &self.read);
    }

    /// Sets a pipeline and its instances; false if there are none.
    fn instances<T: Pod>(&mut self, pipeline: &Pipeline, instances: &[T]) -> bool {
        if instances.is_empty() {
            return false;
        }
        self.set(pipeline);
        let buffer = filled(self.gpu, "things", instances, wgpu::BufferUsages::VERTEX);
        self.pass.set_vertex_buffer(0, buffer.slice(..));
        true
    }

    /// Draws a mesh for each body.
    fn bodies<T: Pod>(&mut self, pipeline: &Pipeline, bodies: &[T], mesh: &Mesh) {
        if self.instances(pipeline, bodies) {
            mesh.set(&mut self.pass);
            self.pass.draw_indexed(0..mesh.count, 0, 0..bodies.len() as u32);
        }
    }
}

fn begin<'a>(encoder: &'a mut CommandEncoder, layers: &Layers, target: &TextureView) -> wgpu::RenderPass<'a> {
    let (view, resolve_target) = match &layers.colour {
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
            ops: wgpu::Operations { load: BLACK, store },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &layers.depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.0),
                store: wgpu::StoreOp::Discard,
            }),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    })
}

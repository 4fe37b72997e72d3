//! The pipelines, made once for a kind of target, from one shader module.

use wgpu::{BindingResource, TextureFormat, VertexStepMode};

use super::background::Background;
use super::mesh::{Corner, Near};
use super::resources::{BACKDROP_FORMAT, DEPTH_FORMAT, DEPTHS_FORMAT, GAINS_FORMAT, TRAILS_FORMAT};
use super::things::{LineEnd, Thing};

/// The text of the drawing shaders: one module with an entry point for each pass, from the files of `shaders/view/`.
#[must_use]
pub fn source() -> String {
    let files = ::shaders::FILES.iter().filter(|(name, _)| name.starts_with("view/"));
    files.map(|(_, text)| *text).collect()
}

/// All pipelines. Those that come in twos are for cones, and for birds.
#[derive(Debug)]
pub(super) struct Pipelines {
    /// In the order of [`Background`].
    pub backdrops: [Pipeline; Background::ALL.len()],
    /// None where the device cannot compute what boids cover.
    pub covering: Option<Covering>,
    pub trails: [Pipeline; 2],
    /// The backdrop with the boids before it.
    pub composed: [Pipeline; 2],
    /// A cone a boid, or wings and a body. Buffers: those of the instances, then the mesh.
    pub boids: [Pipeline; 2],
    /// As birds, one a predator.
    pub falcons: Pipeline,
    pub things: Pipeline,
    /// As things, behind the boids that are accumulated.
    pub obstacles: Pipeline,
    /// As things, in front of everything.
    pub marks: Pipeline,
    pub lines: Pipeline,
}

/// The passes of the coverage and of its exposure.
#[derive(Debug)]
pub(super) struct Covering {
    pub pixels: [wgpu::ComputePipeline; 2],
    pub depths: [Pipeline; 2],
    pub deepest: wgpu::ComputePipeline,
    pub gains: [Pipeline; 2],
}

/// A pipeline, and how many bindings it has: the view, the ink, the gains, the backdrop, the trails, as far as that.
#[derive(Debug)]
pub(super) struct Pipeline(wgpu::RenderPipeline, usize);

impl Pipeline {
    /// Draws with this pipeline from now on. Of all that pipelines read, it takes the first.
    pub fn set(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        device: &wgpu::Device,
        resources: &[BindingResource<'_>],
    ) {
        let Pipeline(pipeline, bindings) = self;
        pass.set_pipeline(pipeline);
        let group = bind(device, &pipeline.get_bind_group_layout(0), resources.iter().take(*bindings));
        pass.set_bind_group(0, &group, &[]);
    }
}

/// Resources for the bindings of a layout, which are numbered from 0 on.
pub(super) fn bind<'a>(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    resources: impl IntoIterator<Item = &'a BindingResource<'a>>,
) -> wgpu::BindGroup {
    let entry = |(binding, resource): (u32, &BindingResource<'a>)| wgpu::BindGroupEntry {
        binding,
        resource: resource.clone(),
    };
    let entries: Vec<_> = (0..).zip(resources).map(entry).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// What a pipeline of the scene draws, and how it treats depth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Surface {
    /// Triangles that nearer surfaces hide, and that hide farther ones.
    Solid,
    /// The same, seen from both sides.
    Leaf,
    /// Triangles that nothing hides.
    Front,
    /// Triangles behind everything, drawn first.
    Background,
    /// Translucent lines that nearer surfaces hide.
    Lines,
}

impl Surface {
    fn depth(self) -> wgpu::DepthStencilState {
        let compare = match self {
            Surface::Front | Surface::Background => wgpu::CompareFunction::Always,
            _ => wgpu::CompareFunction::GreaterEqual,
        };
        wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(matches!(self, Surface::Solid | Surface::Leaf)),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }
    }

    fn primitive(self) -> wgpu::PrimitiveState {
        let lines = self == Surface::Lines;
        wgpu::PrimitiveState {
            topology: if lines { wgpu::PrimitiveTopology::LineList } else { Default::default() },
            // All solid bodies are closed: their back faces are never seen.
            cull_mode: matches!(self, Surface::Solid | Surface::Front).then_some(wgpu::Face::Back),
            ..wgpu::PrimitiveState::default()
        }
    }
}

/// What differs between the pipelines.
struct Kind<'a> {
    /// Entry points.
    entries: [&'a str; 2],
    bindings: usize,
    constants: &'a [(&'a str, f64)],
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    targets: &'a [TextureFormat],
    /// None for a pass over the whole of its targets.
    surface: Option<Surface>,
    samples: u32,
}

impl<'a> Kind<'a> {
    /// A pass over the whole of its targets, with nothing but these constants.
    fn whole(
        entry: &'a str,
        bindings: usize,
        constants: &'a [(&'a str, f64)],
        targets: &'a [TextureFormat],
    ) -> Self {
        let entries = ["pixel_vertex", entry];
        Kind { entries, bindings, constants, buffers: &[], targets, surface: None, samples: 1 }
    }

    fn make(&self, device: &wgpu::Device, module: &wgpu::ShaderModule) -> Pipeline {
        let [vertex, fragment] = self.entries;
        let blend = (self.surface == Some(Surface::Lines)).then_some(wgpu::BlendState::ALPHA_BLENDING);
        let write_mask = wgpu::ColorWrites::ALL;
        let target =
            |format: &TextureFormat| Some(wgpu::ColorTargetState { format: *format, blend, write_mask });
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(fragment),
            layout: None,
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: self.buffers,
            },
            primitive: self.surface.map(Surface::primitive).unwrap_or_default(),
            depth_stencil: self.surface.map(Surface::depth),
            multisample: wgpu::MultisampleState { count: self.samples, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(fragment),
                compilation_options: options(self.constants),
                targets: &self.targets.iter().map(target).collect::<Vec<_>>(),
            }),
            multiview_mask: None,
            cache: None,
        });
        Pipeline(pipeline, self.bindings)
    }
}

fn options<'a>(constants: &'a [(&'a str, f64)]) -> wgpu::PipelineCompilationOptions<'a> {
    wgpu::PipelineCompilationOptions { constants, ..wgpu::PipelineCompilationOptions::default() }
}

fn compute(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    entry: &str,
    constants: &[(&str, f64)],
) -> wgpu::ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry),
        layout: None,
        module,
        entry_point: Some(entry),
        compilation_options: options(constants),
        cache: None,
    })
}

/// The pass that adds what birds, or cones, cover.
pub(super) fn pixels(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    birds: bool,
) -> wgpu::ComputePipeline {
    compute(device, module, "cover_pixels", &[("BIRDS", f64::from(u8::from(birds)))])
}

/// The module of all drawing shaders.
pub(super) fn module(device: &wgpu::Device) -> wgpu::ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(source().into());
    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("view"), source })
}

impl Pipelines {
    /// Pipelines for a kind of target. Where the scene `covers`, meshes are drawn from the boids that it collects; else
    /// from the engine's buffers.
    pub fn new(device: &wgpu::Device, format: TextureFormat, samples: u32, covers: bool) -> Self {
        let module = &module(device);
        let birds = |birds| [("BIRDS", birds)];
        let tiles = |entry, bindings, format| {
            let whole = |kind| Kind::whole(entry, bindings, &birds(kind), &[format]).make(device, module);
            [0.0, 1.0].map(whole)
        };
        let covering = || Covering {
            pixels: [false, true].map(|birds| pixels(device, module, birds)),
            depths: tiles("depths_fragment", 2, DEPTHS_FORMAT),
            deepest: compute(device, module, "expose", &[]),
            gains: tiles("gains_fragment", 3, GAINS_FORMAT),
        };
        let trails = |kind| {
            let targets = [TRAILS_FORMAT, BACKDROP_FORMAT];
            Kind::whole("trails_fragment", 5, &birds(kind), &targets).make(device, module)
        };
        let backdrops = |background| {
            let constants = [("BACKGROUND", f64::from(background as u32))];
            Kind::whole("sky_fragment", 1, &constants, &[BACKDROP_FORMAT]).make(device, module)
        };
        let surface = |surface, entries, bindings, buffers: &[_]| {
            let surface = Some(surface);
            Kind { entries, bindings, constants: &[], buffers, targets: &[format], surface, samples }
                .make(device, module)
        };
        let composed = |kind| {
            let constants = [("BIRDS", kind), ("ENCODES", f64::from(u8::from(format.is_srgb())))];
            let surface = Some(Surface::Background);
            Kind { surface, samples, ..Kind::whole("compose_fragment", 4, &constants, &[format]) }
                .make(device, module)
        };
        let instances = VertexStepMode::Instance;
        let mesh = layout::<Corner>(VertexStepMode::Vertex, &MESH);
        let near = [layout::<Near>(instances, &NEAR), mesh.clone()];
        let separate = [
            layout::<[f32; 4]>(instances, &NEAR[..1]),
            layout::<[f32; 4]>(instances, &VELOCITY),
            layout::<[u32; 2]>(instances, &TAG),
            mesh.clone(),
        ];
        let boid = if covers { &near[..] } else { &separate[..] };
        let thing = [layout::<Thing>(instances, &THING), mesh];
        let line = [layout::<LineEnd>(VertexStepMode::Vertex, &THING[..2])];
        let of_things = ["thing_vertex", "thing_fragment"];
        Pipelines {
            backdrops: Background::ALL.map(backdrops),
            covering: covers.then(covering),
            trails: [0.0, 1.0].map(trails),
            composed: [0.0, 1.0].map(composed),
            boids: [
                surface(Surface::Solid, ["boid_vertex", "boid_fragment"], 1, boid),
                surface(Surface::Leaf, ["bird_vertex", "boid_fragment"], 1, boid),
            ],
            falcons: surface(Surface::Leaf, ["falcon_vertex", "boid_fragment"], 1, &near),
            things: surface(Surface::Solid, of_things, 1, &thing),
            obstacles: surface(Surface::Solid, ["thing_vertex", "obstacle_fragment"], 3, &thing),
            marks: surface(Surface::Front, of_things, 1, &thing),
            lines: surface(Surface::Lines, ["line_vertex", "line_fragment"], 3, &line),
        }
    }
}

const NEAR: [wgpu::VertexAttribute; 3] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Uint32x3];
const VELOCITY: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![1 => Float32x4];
// The bank of a boid, which is missing here, is 0.
const TAG: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![2 => Uint32x2];
const THING: [wgpu::VertexAttribute; 3] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4];
const MESH: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![3 => Float32x4, 4 => Float32x4];

fn layout<T>(
    step_mode: VertexStepMode,
    attributes: &[wgpu::VertexAttribute],
) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes })
}

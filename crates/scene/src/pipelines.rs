//! The pipelines, made once per target format from one shader module.

use wgpu::{BindingResource, CommandEncoder, Device, RenderPass, ShaderModule};
use wgpu::{TextureFormat, VertexAttribute, VertexBufferLayout, VertexStepMode};

use super::look::{Scenery, drawn_scenery};
use super::mesh::{Corner, LineEnd, Near, Thing};
use super::resources::begin_pass;
use super::resources::{BACKDROP_FORMAT, BLACK, DEPTH_FORMAT, DEPTHS_FORMAT, GAINS_FORMAT, TRAILS_FORMAT};

/// The source of the drawing shaders: one module with an entry point per pass, from the files of `shaders/view/`.
pub fn source() -> String {
    let files = ::shaders::FILES.iter().filter(|(name, _)| name.starts_with("view/"));
    files.map(|(_, text)| *text).collect()
}

/// The background: constants of `shaders/view/sky.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Background {
    /// The dark ground of a flat world.
    Plane,
    Dark,
    Dusk,
    /// Dusk, in the rows of the picture that show land.
    Land,
    Paper,
    Water,
}

impl Background {
    /// Number of backgrounds.
    const COUNT: usize = Background::Water as usize + 1;

    /// The background of a scenery.
    pub fn of(scenery: Scenery, flat: bool) -> Self {
        match drawn_scenery(scenery, flat) {
            Scenery::Dusk => Background::Dusk,
            Scenery::Cones if flat => Background::Plane,
            Scenery::Cones => Background::Dark,
            Scenery::Paper => Background::Paper,
            Scenery::Water => Background::Water,
        }
    }
}

/// All pipelines. Pairs are for cones and for birds.
#[derive(Debug)]
pub(super) struct Pipelines {
    /// Indexed by [`Background`].
    pub backdrops: [Pipeline; Background::COUNT],
    /// The passes of the exposure.
    pub depths: [Pipeline; 2],
    pub deepest: wgpu::ComputePipeline,
    pub gains: [Pipeline; 2],
    pub trails: [Pipeline; 2],
    /// The backdrop with the boids before it.
    pub composed: [Pipeline; 2],
    /// The same in the rows of dusk's lake.
    pub lake: Pipeline,
    /// Boids as cones, or as birds. Vertex buffers: the instances, then the mesh.
    pub boids: [Pipeline; 2],
    /// Predators as birds.
    pub falcons: Pipeline,
    pub things: Pipeline,
    /// Things that are drawn behind the accumulated boids.
    pub obstacles: Pipeline,
    /// Things that are drawn in front of everything.
    pub marks: Pipeline,
    pub lines: Pipeline,
}

/// A pipeline and its number of bindings: a prefix of view, ink, gains, backdrop, trails.
#[derive(Debug)]
pub(super) struct Pipeline(wgpu::RenderPipeline, usize);

impl Pipeline {
    /// Sets this pipeline for the following draws, with the first of the given resources as its bindings.
    pub fn set<'a>(
        &self,
        pass: &mut RenderPass<'_>,
        device: &Device,
        resources: impl IntoIterator<Item = &'a BindingResource<'a>>,
    ) {
        let Pipeline(pipeline, bindings) = self;
        pass.set_pipeline(pipeline);
        let resources = resources.into_iter().take(*bindings);
        pass.set_bind_group(0, &bind(device, &pipeline.get_bind_group_layout(0), resources), &[]);
    }
}

/// The device, the encoder and the pipelines that record a picture's passes.
pub(super) struct Passes<'a> {
    pub device: &'a Device,
    pub encoder: &'a mut CommandEncoder,
    pub pipelines: &'a Pipelines,
}

impl Passes<'_> {
    /// Records a pass that fills textures.
    pub fn fill(
        &mut self,
        label: &str,
        textures: &[&wgpu::Texture],
        pipeline: &Pipeline,
        read: &[&BindingResource<'_>],
    ) {
        let mut pass = begin_pass(self.encoder, label, textures, BLACK);
        pipeline.set(&mut pass, self.device, read.iter().copied());
        pass.draw(0..3, 0..1);
    }
}

/// A bind group with these resources at bindings 0, 1, 2, …
pub(super) fn bind<'a>(
    device: &Device,
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

/// The primitives of a pipeline, and their depth test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Surface {
    /// Triangles with a depth test, which also write depth.
    Solid,
    /// Like [`Surface::Solid`], but seen from both sides.
    Leaf,
    /// Triangles without a depth test.
    Front,
    /// Triangles behind everything, drawn first.
    Background,
    /// Translucent lines with a depth test.
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

/// The settings that differ between the pipelines.
struct Kind<'a> {
    /// Entry points.
    vertex: &'a str,
    fragment: &'a str,
    bindings: usize,
    constants: &'a [(&'a str, f64)],
    buffers: &'a [Option<VertexBufferLayout<'a>>],
    targets: &'a [TextureFormat],
    /// `None` for a pass over the whole of its targets.
    surface: Option<Surface>,
}

impl Kind<'static> {
    /// A pass over the whole of its targets.
    const WHOLE: Self = Kind {
        vertex: "pixel_vertex",
        fragment: "",
        bindings: 1,
        constants: &[],
        buffers: &[],
        targets: &[],
        surface: None,
    };
}

impl Kind<'_> {
    /// Creates the pipeline; surfaces have this number of samples per pixel.
    fn make(&self, Shaders { device, module }: &Shaders, samples: u32) -> Pipeline {
        let count = if self.surface.is_some() { samples } else { 1 };
        let blend = (self.surface == Some(Surface::Lines)).then_some(wgpu::BlendState::ALPHA_BLENDING);
        let write_mask = wgpu::ColorWrites::ALL;
        let target =
            |format: &TextureFormat| Some(wgpu::ColorTargetState { format: *format, blend, write_mask });
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.fragment),
            layout: None,
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(self.vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: self.buffers,
            },
            primitive: self.surface.map(Surface::primitive).unwrap_or_default(),
            depth_stencil: self.surface.map(Surface::depth),
            multisample: wgpu::MultisampleState { count, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(self.fragment),
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

/// The module of all drawing shaders on a device.
pub(super) struct Shaders {
    device: Device,
    module: ShaderModule,
}

impl Shaders {
    pub fn new(device: &Device) -> Self {
        let source = wgpu::ShaderSource::Wgsl(source().into());
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some("view"), source };
        Shaders { device: device.clone(), module: device.create_shader_module(descriptor) }
    }

    pub fn compute(&self, entry: &str, constants: &[(&str, f64)]) -> wgpu::ComputePipeline {
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: None,
            module: &self.module,
            entry_point: Some(entry),
            compilation_options: options(constants),
            cache: None,
        })
    }
}

impl Pipelines {
    /// Creates the pipelines for a target format.
    pub fn new(shaders: &Shaders, format: TextureFormat, samples: u32) -> Self {
        let make = |kind: Kind<'_>| kind.make(shaders, samples);
        let whole = |fragment, bindings, targets: &[_]| {
            let of = |birds| {
                make(Kind { fragment, bindings, constants: &[("BIRDS", birds)], targets, ..Kind::WHOLE })
            };
            [0.0, 1.0].map(of)
        };
        let backdrop = |background| {
            let constants = &[("BACKGROUND", background as f64)];
            let targets = &[BACKDROP_FORMAT];
            make(Kind { fragment: "sky_fragment", constants, targets, ..Kind::WHOLE })
        };
        let surface = |surface, [vertex, fragment]: [_; 2], bindings, buffers: &[_]| {
            let (targets, surface) = (&[format], Some(surface));
            make(Kind { vertex, fragment, bindings, buffers, targets, surface, ..Kind::WHOLE })
        };
        let composed = |[vertex, fragment]: [_; 2], birds| {
            let constants = &[("BIRDS", birds), ("ENCODES", f64::from(u8::from(format.is_srgb())))];
            let (targets, surface) = (&[format], Some(Surface::Background));
            make(Kind { vertex, fragment, bindings: 4, constants, targets, surface, ..Kind::WHOLE })
        };
        let instances = VertexStepMode::Instance;
        let mesh = layout::<Corner>(VertexStepMode::Vertex, &MESH);
        let near = [layout::<Near>(instances, &NEAR), mesh.clone()];
        let thing = [layout::<Thing>(instances, &THING), mesh];
        let line = [layout::<LineEnd>(VertexStepMode::Vertex, &THING[..2])];
        let of_things = ["thing_vertex", "thing_fragment"];
        Pipelines {
            backdrops: std::array::from_fn(backdrop),
            depths: whole("depths_fragment", 2, &[DEPTHS_FORMAT]),
            deepest: shaders.compute("expose", &[]),
            gains: whole("gains_fragment", 3, &[GAINS_FORMAT]),
            trails: whole("trails_fragment", 5, &[TRAILS_FORMAT, BACKDROP_FORMAT]),
            composed: [0.0, 1.0].map(|birds| composed(["pixel_vertex", "compose_fragment"], birds)),
            lake: composed(["lake_vertex", "lake_fragment"], 1.0),
            boids: [
                surface(Surface::Solid, ["boid_vertex", "boid_fragment"], 1, &near),
                surface(Surface::Leaf, ["bird_vertex", "boid_fragment"], 1, &near),
            ],
            falcons: surface(Surface::Leaf, ["falcon_vertex", "boid_fragment"], 1, &near),
            things: surface(Surface::Solid, of_things, 1, &thing),
            obstacles: surface(Surface::Solid, ["thing_vertex", "obstacle_fragment"], 3, &thing),
            marks: surface(Surface::Front, of_things, 1, &thing),
            lines: surface(Surface::Lines, ["line_vertex", "line_fragment"], 3, &line),
        }
    }
}

const NEAR: [VertexAttribute; 3] = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Uint32x3];
const THING: [VertexAttribute; 3] = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4];
const MESH: [VertexAttribute; 2] = wgpu::vertex_attr_array![3 => Float32x4, 4 => Float32x4];

fn layout<T>(step_mode: VertexStepMode, attributes: &[VertexAttribute]) -> Option<VertexBufferLayout<'_>> {
    Some(VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes })
}

//! The drawing pipelines, made once for a kind of target.

use super::mesh::Corner;
use super::shaders::{Near, entry, module, texture_entry};
use super::things::{LineEnd, Thing};

/// Depth is reversed: 1 near, 0 infinitely far.
pub(super) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// All pipelines. Buffers: those of the instances, then the mesh.
#[derive(Debug)]
pub(super) struct Pipelines {
    /// The backdrop with the boids before it: cones, and birds.
    pub composed: [wgpu::RenderPipeline; 2],
    /// A cone a boid.
    pub cones: wgpu::RenderPipeline,
    /// Wings and a body a boid.
    pub birds: wgpu::RenderPipeline,
    /// As birds, one a predator.
    pub falcons: wgpu::RenderPipeline,
    /// One triangle a boid, from the engine's buffers.
    pub darts: wgpu::RenderPipeline,
    pub things: wgpu::RenderPipeline,
    /// As things, behind the boids that are accumulated.
    pub obstacles: wgpu::RenderPipeline,
    pub lines: wgpu::RenderPipeline,
    /// As things, in front of everything.
    pub marks: wgpu::RenderPipeline,
    pub bind_group_layout: wgpu::BindGroupLayout,
}

/// What differs between the pipelines.
struct PipelineKind<'a> {
    label: &'a str,
    shader: &'a wgpu::ShaderModule,
    vertex: &'a str,
    fragment: &'a str,
    buffers: &'a [Layout<'a>],
    surface: Surface,
    constants: &'a [(&'a str, f64)],
}

/// What a pipeline draws, and how it treats depth.
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

impl Pipelines {
    /// Pipelines for a kind of target. Where the scene `covers`, meshes are drawn from the boids that it collects and
    /// surfaces show the coverage; else meshes are drawn from the engine's buffers.
    pub fn new(device: &wgpu::Device, format: wgpu::TextureFormat, samples: u32, covers: bool) -> Self {
        use wgpu::{BufferBindingType as Type, ShaderStages as Stages};
        let mut entries = vec![entry(0, Stages::VERTEX_FRAGMENT, Type::Uniform)];
        if covers {
            entries.push(texture_entry(1, wgpu::TextureSampleType::Uint));
        }
        entries.push(texture_entry(2, wgpu::TextureSampleType::Float { filterable: false }));
        let bind_group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("view"),
            entries: &entries,
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("view"),
            bind_group_layouts: &[Some(&bind_group_layout)],
            immediate_size: 0,
        });
        let names = if covers {
            ["compose", "things"]
        } else {
            ["compose without coverage", "things without coverage"]
        };
        let [compose, things] = names.map(|name| module(device, name));
        let boids = module(device, "boids");
        let make = |label, shader, entries: [&str; 2], buffers: &[Layout<'_>], surface| {
            let [vertex, fragment] = entries;
            let kind = PipelineKind { label, shader, vertex, fragment, buffers, surface, constants: &[] };
            pipeline(device, &layout, format, samples, &kind)
        };
        let composed = |birds: f64| {
            let kind = PipelineKind {
                label: "background",
                shader: &compose,
                vertex: "compose_vertex",
                fragment: "compose_fragment",
                buffers: &[],
                surface: Surface::Background,
                constants: &[("BIRDS", birds), ("ENCODES", f64::from(u8::from(format.is_srgb())))],
            };
            pipeline(device, &layout, format, samples, &kind)
        };
        let separate = separate_layouts();
        let collected = [layout_of::<Near>(wgpu::VertexStepMode::Instance, &NEAR)];
        let boid = with_mesh(if covers { &collected } else { &separate });
        let falcon = with_mesh(&collected);
        let bird = if covers { "bird_vertex" } else { "level_bird_vertex" };
        let thing = with_mesh(&[layout_of::<Thing>(wgpu::VertexStepMode::Instance, &THING)]);
        let line = [layout_of::<LineEnd>(wgpu::VertexStepMode::Vertex, &LINE)];
        let of_things = ["thing_vertex", "thing_fragment"];
        let of_obstacles = ["thing_vertex", "obstacle_fragment"];
        Pipelines {
            composed: [0.0, 1.0].map(composed),
            cones: make("cones", &boids, ["boid_vertex", "boid_fragment"], &boid, Surface::Solid),
            birds: make("birds", &boids, [bird, "boid_fragment"], &boid, Surface::Leaf),
            falcons: make("falcons", &boids, ["falcon_vertex", "boid_fragment"], &falcon, Surface::Leaf),
            darts: make("darts", &boids, ["dart_vertex", "boid_fragment"], &separate, Surface::Solid),
            things: make("things", &things, of_things, &thing, Surface::Solid),
            obstacles: make("obstacles", &things, of_obstacles, &thing, Surface::Solid),
            marks: make("marks", &things, of_things, &thing, Surface::Front),
            lines: make("lines", &things, ["line_vertex", "line_fragment"], &line, Surface::Lines),
            bind_group_layout,
        }
    }
}

const POSITION: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![0 => Float32x4];
const VELOCITY: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![1 => Float32x4];
const TAG: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![2 => Uint32x2];
const NEAR: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Uint32x2, 5 => Float32];
const THING: [wgpu::VertexAttribute; 3] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4];
const LINE: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4];
const MESH: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![3 => Float32x4, 4 => Float32x4];

type Layout<'a> = Option<wgpu::VertexBufferLayout<'a>>;

fn layout_of<T>(step_mode: wgpu::VertexStepMode, attributes: &[wgpu::VertexAttribute]) -> Layout<'_> {
    Some(wgpu::VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes })
}

/// The engine's three buffers.
fn separate_layouts() -> [Layout<'static>; 3] {
    let step_mode = wgpu::VertexStepMode::Instance;
    [
        layout_of::<[f32; 4]>(step_mode, &POSITION),
        layout_of::<[f32; 4]>(step_mode, &VELOCITY),
        layout_of::<[u32; 2]>(step_mode, &TAG),
    ]
}

fn with_mesh<'a>(instances: &[Layout<'a>]) -> Vec<Layout<'a>> {
    let mut all = instances.to_vec();
    all.push(layout_of::<Corner>(wgpu::VertexStepMode::Vertex, &MESH));
    all
}

fn pipeline(
    device: &wgpu::Device,
    layout: &wgpu::PipelineLayout,
    format: wgpu::TextureFormat,
    samples: u32,
    kind: &PipelineKind<'_>,
) -> wgpu::RenderPipeline {
    let thin = matches!(kind.surface, Surface::Background | Surface::Lines);
    let blend = (kind.surface == Surface::Lines).then_some(wgpu::BlendState::ALPHA_BLENDING);
    let compare = match kind.surface {
        Surface::Front | Surface::Background => wgpu::CompareFunction::Always,
        _ => wgpu::CompareFunction::GreaterEqual,
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(kind.label),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module: kind.shader,
            entry_point: Some(kind.vertex),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: kind.buffers,
        },
        primitive: wgpu::PrimitiveState {
            topology: match kind.surface {
                Surface::Lines => wgpu::PrimitiveTopology::LineList,
                _ => wgpu::PrimitiveTopology::TriangleList,
            },
            // All solid bodies are closed: their back faces are never seen.
            cull_mode: (!thin && kind.surface != Surface::Leaf).then_some(wgpu::Face::Back),
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(matches!(kind.surface, Surface::Solid | Surface::Leaf)),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState { count: samples, ..wgpu::MultisampleState::default() },
        fragment: Some(wgpu::FragmentState {
            module: kind.shader,
            entry_point: Some(kind.fragment),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: kind.constants,
                ..wgpu::PipelineCompilationOptions::default()
            },
            targets: &[Some(wgpu::ColorTargetState { format, blend, write_mask: wgpu::ColorWrites::ALL })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

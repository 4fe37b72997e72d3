//! The drawing pipelines, made once for a kind of target.

use super::mesh::Corner;
use super::things::{LineEnd, Thing};

/// The drawing shaders as they are compiled: name and text, the shared part before each.
pub const SHADERS: [(&str, &str); 3] = [
    (
        "view/sky",
        concat!(
            include_str!("../../../shaders/view/common.wgsl"),
            include_str!("../../../shaders/view/sky.wgsl")
        ),
    ),
    (
        "view/boids",
        concat!(
            include_str!("../../../shaders/view/common.wgsl"),
            include_str!("../../../shaders/view/boids.wgsl")
        ),
    ),
    (
        "view/things",
        concat!(
            include_str!("../../../shaders/view/common.wgsl"),
            include_str!("../../../shaders/view/things.wgsl")
        ),
    ),
];

/// Depth is reversed: 1 near, 0 infinitely far.
pub(super) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// All pipelines. Buffers: the engine's three, then the mesh.
#[derive(Debug)]
pub(super) struct Pipelines {
    pub sky: wgpu::RenderPipeline,
    /// One mesh a boid.
    pub boids: wgpu::RenderPipeline,
    /// One triangle a boid.
    pub darts: wgpu::RenderPipeline,
    pub things: wgpu::RenderPipeline,
    pub lines: wgpu::RenderPipeline,
    /// As things, before everything.
    pub marks: wgpu::RenderPipeline,
    pub bind_group_layout: wgpu::BindGroupLayout,
}

/// What differs between the pipelines.
struct Kind<'a> {
    label: &'a str,
    shader: &'a wgpu::ShaderModule,
    vertex: &'a str,
    fragment: &'a str,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    topology: wgpu::PrimitiveTopology,
    depth: Depth,
}

/// How a pipeline treats what is nearer or farther.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Hidden by what is nearer, hides what is farther.
    Solid,
    /// Hidden by what is nearer, hides nothing, lets some through.
    Thin,
    /// Hidden by nothing.
    Front,
}

impl Pipelines {
    pub fn new(device: &wgpu::Device, format: wgpu::TextureFormat, samples: u32) -> Self {
        let bind_group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("view"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: wgpu::BufferSize::new(size_of::<super::ViewUniform>() as u64),
                },
                count: None,
            }],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("view"),
            bind_group_layouts: &[Some(&bind_group_layout)],
            immediate_size: 0,
        });
        let [sky, boids, things] = SHADERS.map(|(label, text)| {
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            })
        });
        let make = |kind: &Kind<'_>| pipeline(device, &layout, format, samples, kind);
        let triangles = wgpu::PrimitiveTopology::TriangleList;
        Pipelines {
            sky: make(&Kind {
                label: "sky",
                shader: &sky,
                vertex: "sky_vertex",
                fragment: "sky_fragment",
                buffers: &[],
                topology: triangles,
                depth: Depth::Thin,
            }),
            boids: make(&Kind {
                label: "boids",
                shader: &boids,
                vertex: "boid_vertex",
                fragment: "boid_fragment",
                buffers: &with_mesh(&boid_layouts()),
                topology: triangles,
                depth: Depth::Solid,
            }),
            darts: make(&Kind {
                label: "darts",
                shader: &boids,
                vertex: "dart_vertex",
                fragment: "boid_fragment",
                buffers: &boid_layouts(),
                topology: triangles,
                depth: Depth::Solid,
            }),
            things: make(&Kind {
                label: "things",
                shader: &things,
                vertex: "thing_vertex",
                fragment: "thing_fragment",
                buffers: &with_mesh(&[layout_of::<Thing>(wgpu::VertexStepMode::Instance, &THING)]),
                topology: triangles,
                depth: Depth::Solid,
            }),
            marks: make(&Kind {
                label: "marks",
                shader: &things,
                vertex: "thing_vertex",
                fragment: "thing_fragment",
                buffers: &with_mesh(&[layout_of::<Thing>(wgpu::VertexStepMode::Instance, &THING)]),
                topology: triangles,
                depth: Depth::Front,
            }),
            lines: make(&Kind {
                label: "lines",
                shader: &things,
                vertex: "line_vertex",
                fragment: "line_fragment",
                buffers: &[layout_of::<LineEnd>(wgpu::VertexStepMode::Vertex, &LINE)],
                topology: wgpu::PrimitiveTopology::LineList,
                depth: Depth::Thin,
            }),
            bind_group_layout,
        }
    }
}

const POSITION: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![0 => Float32x4];
const VELOCITY: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![1 => Float32x4];
const TAG: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![2 => Uint32x2];
const THING: [wgpu::VertexAttribute; 3] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4];
const LINE: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4];
const MESH: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![3 => Float32x4, 4 => Float32x4];

type Layout<'a> = Option<wgpu::VertexBufferLayout<'a>>;

fn layout_of<T>(step_mode: wgpu::VertexStepMode, attributes: &[wgpu::VertexAttribute]) -> Layout<'_> {
    Some(wgpu::VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes })
}

fn boid_layouts() -> [Layout<'static>; 3] {
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
    kind: &Kind<'_>,
) -> wgpu::RenderPipeline {
    let blend = (kind.depth == Depth::Thin).then_some(wgpu::BlendState::ALPHA_BLENDING);
    // The sky lies at depth 0, behind everything.
    let compare = match kind.depth {
        Depth::Front => wgpu::CompareFunction::Always,
        Depth::Solid | Depth::Thin => wgpu::CompareFunction::GreaterEqual,
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
            topology: kind.topology,
            // All bodies are closed: their far sides are never seen.
            cull_mode: (kind.depth != Depth::Thin).then_some(wgpu::Face::Back),
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(kind.depth == Depth::Solid),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState { count: samples, ..wgpu::MultisampleState::default() },
        fragment: Some(wgpu::FragmentState {
            module: kind.shader,
            entry_point: Some(kind.fragment),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(wgpu::ColorTargetState { format, blend, write_mask: wgpu::ColorWrites::ALL })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

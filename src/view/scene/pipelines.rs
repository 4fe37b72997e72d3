//! The drawing pipelines, made once for a kind of target.

use super::mesh::Corner;
use super::things::{LineEnd, Thing};

/// The shader of this name with the shared part before it.
macro_rules! shader {
    ($name:literal) => {
        (
            concat!("view/", $name),
            concat!(
                include_str!("../../../shaders/view/common.wgsl"),
                include_str!(concat!("../../../shaders/view/", $name, ".wgsl"))
            ),
        )
    };
}

/// The drawing shaders as they are compiled: name and text.
pub const SHADERS: [(&str, &str); 3] = [shader!("sky"), shader!("boids"), shader!("things")];

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
    /// As things, in front of everything.
    pub marks: wgpu::RenderPipeline,
    pub bind_group_layout: wgpu::BindGroupLayout,
}

/// What differs between the pipelines.
struct Kind<'a> {
    label: &'a str,
    shader: &'a wgpu::ShaderModule,
    vertex: &'a str,
    fragment: &'a str,
    buffers: &'a [Layout<'a>],
    surface: Surface,
}

/// What a pipeline draws, and how it treats depth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Surface {
    /// Triangles that nearer surfaces hide, and that hide farther ones.
    Solid,
    /// Triangles that nothing hides.
    Front,
    /// Triangles behind everything.
    Sky,
    /// Translucent lines that nearer surfaces hide.
    Lines,
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
        let make = |label, shader, entries: [&str; 2], buffers: &[Layout<'_>], surface| {
            let [vertex, fragment] = entries;
            let kind = Kind { label, shader, vertex, fragment, buffers, surface };
            pipeline(device, &layout, format, samples, &kind)
        };
        let boid = boid_layouts();
        let thing = with_mesh(&[layout_of::<Thing>(wgpu::VertexStepMode::Instance, &THING)]);
        let line = [layout_of::<LineEnd>(wgpu::VertexStepMode::Vertex, &LINE)];
        let of_things = ["thing_vertex", "thing_fragment"];
        Pipelines {
            sky: make("sky", &sky, ["sky_vertex", "sky_fragment"], &[], Surface::Sky),
            boids: make("boids", &boids, ["boid_vertex", "boid_fragment"], &with_mesh(&boid), Surface::Solid),
            darts: make("darts", &boids, ["dart_vertex", "boid_fragment"], &boid, Surface::Solid),
            things: make("things", &things, of_things, &thing, Surface::Solid),
            marks: make("marks", &things, of_things, &thing, Surface::Front),
            lines: make("lines", &things, ["line_vertex", "line_fragment"], &line, Surface::Lines),
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
    let thin = matches!(kind.surface, Surface::Sky | Surface::Lines);
    let blend = thin.then_some(wgpu::BlendState::ALPHA_BLENDING);
    // The sky lies at depth 0, behind everything.
    let compare = match kind.surface {
        Surface::Front => wgpu::CompareFunction::Always,
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
            // All bodies are closed: their back faces are never seen.
            cull_mode: (!thin).then_some(wgpu::Face::Back),
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(kind.surface == Surface::Solid),
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

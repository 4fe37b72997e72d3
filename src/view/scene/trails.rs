//! Trails of the boids: a texture that fades from picture to picture.
//!
//! ```text
//! backdrop ─────────┐
//! trails, faded ────┴─▶ what the scene draws as its backdrop
//! trails, faded, and the boids of this picture ─▶ the trails of the next one
//! ```
//!
//! They fade by steps, not by time, so that films are the same bits on a machine of any speed.

use super::Drawn;
use super::backdrop::FORMAT as BACKDROP;
use super::shaders::{entry, module, texture_entry};
use super::uniform::ViewUniform;
use crate::view::texture::plain;

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// The part of a trail that is left after its length.
const LEFT: f64 = 0.05;

/// The pass and its textures.
#[derive(Debug)]
pub(super) struct Trails {
    /// For cones, and for birds.
    pipelines: [wgpu::RenderPipeline; 2],
    layout: wgpu::BindGroupLayout,
    /// The trails after the last picture, and what the next ones are written to.
    trails: [wgpu::Texture; 2],
    behind: wgpu::Texture,
    /// When the last picture was, in steps, and what it was seen from.
    last: Option<(f64, [[f32; 4]; 4])>,
}

/// What the pass reads besides its own textures.
pub(super) struct Read<'a> {
    pub view: &'a wgpu::Buffer,
    pub ink: &'a wgpu::TextureView,
    pub backdrop: &'a wgpu::TextureView,
}

impl Trails {
    /// Trails for pictures of a size.
    pub fn new(device: &wgpu::Device, size: [u32; 2]) -> Self {
        use wgpu::TextureUsages as Usages;
        let unfilterable = wgpu::TextureSampleType::Float { filterable: false };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("trails"),
            entries: &[
                entry(0, wgpu::ShaderStages::VERTEX_FRAGMENT, wgpu::BufferBindingType::Uniform),
                texture_entry(1, wgpu::TextureSampleType::Uint),
                texture_entry(2, unfilterable),
                texture_entry(3, unfilterable),
            ],
        });
        let both = Usages::RENDER_ATTACHMENT | Usages::TEXTURE_BINDING;
        Trails {
            pipelines: [0.0, 1.0].map(|birds| pipeline(device, &layout, birds)),
            layout,
            trails: [(); 2].map(|()| plain(device, "trails", size, FORMAT, both)),
            behind: plain(device, "backdrop with trails", size, BACKDROP, both),
            last: None,
        }
    }

    /// True if they are of pictures of this size.
    pub fn fit(&self, size: [u32; 2]) -> bool {
        [self.behind.width(), self.behind.height()] == size
    }

    /// The backdrop with the trails before it.
    pub fn shown(&self) -> wgpu::TextureView {
        view_of(&self.behind)
    }

    /// The part that is left of trails of a length in steps; none where the last picture was of the same moment from
    /// the same side, so that its trails serve again. After a jump back, and when the camera turns at a standstill, the
    /// trails begin anew.
    pub fn left(&mut self, drawn: &Drawn<'_>, length: f32, uniform: &ViewUniform) -> Option<f32> {
        let time_step = drawn.parameters.motion.time_step.max(1e-9);
        let now = drawn.step as f64 + f64::from(drawn.shift) / time_step;
        let side = uniform.view_projection;
        let (before, from) = self.last.replace((now, side)).unwrap_or((f64::INFINITY, side));
        let passed = now - before;
        if passed == 0.0 && from == side {
            return None;
        }
        Some(if passed > 0.0 { LEFT.powf(passed / f64::from(length)) as f32 } else { 0.0 })
    }

    /// Records the pass.
    pub fn record(
        &mut self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        read: &Read<'_>,
        birds: bool,
    ) {
        let [old, new] = [0, 1].map(|index| view_of(&self.trails[index]));
        let behind = self.shown();
        let texture = |binding, view| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        };
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("trails"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: read.view.as_entire_binding() },
                texture(1, read.ink),
                texture(2, read.backdrop),
                texture(3, &old),
            ],
        });
        let attachments = [&new, &behind].map(|view| {
            let ops = wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: wgpu::StoreOp::Store,
            };
            Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("trails"),
            color_attachments: &attachments,
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_bind_group(0, &group, &[]);
        pass.set_pipeline(&self.pipelines[usize::from(birds)]);
        pass.draw(0..3, 0..1);
        drop(pass);
        self.trails.swap(0, 1);
    }
}

fn view_of(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn pipeline(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, birds: f64) -> wgpu::RenderPipeline {
    let shader = module(device, "trails");
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("trails"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("trails"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &shader,
            entry_point: Some("trails_vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &shader,
            entry_point: Some("trails_fragment"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[("BIRDS", birds)],
                ..wgpu::PipelineCompilationOptions::default()
            },
            targets: &[Some(FORMAT.into()), Some(BACKDROP.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

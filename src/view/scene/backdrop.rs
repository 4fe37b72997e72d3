//! The background without the boids, kept from picture to picture: it changes only when the camera turns.
//!
//! A software adapter takes longer for the sky than for the flock, so it is drawn once a view and then read.

use super::look::{Scenery, drawn_scenery};
use super::shaders::{entry, module};
use super::uniform::ViewUniform;
use crate::view::texture::plain;

/// Square roots of linear light: 10 bits suffice where they are dithered to 8.
pub(super) const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgb10a2Unorm;

/// The tiles of a background without edges: `TILES` of `shaders/view/sky.wgsl`.
const TILES: u32 = 32 * 96;

/// What surrounds the boids: constants of `shaders/view/sky.wgsl`.
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
    const ALL: [Background; 6] = [
        Background::Plane,
        Background::Dark,
        Background::Dusk,
        Background::Land,
        Background::Paper,
        Background::Water,
    ];

    /// Entry points, and the number of corners.
    fn drawing(self) -> ([&'static str; 2], u32) {
        match self {
            Background::Dusk => (["tile_vertex", "tile_fragment"], 6 * TILES),
            _ => (["sky_vertex", "sky_fragment"], 3),
        }
    }

    /// That of a look.
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

/// What a backdrop depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    axes: [[f32; 4]; 3],
    pixel: f32,
    background: Background,
}

/// The pipelines and the texture.
#[derive(Debug)]
pub(super) struct Backdrop {
    /// In the order of [`Background`].
    pipelines: [wgpu::RenderPipeline; Background::ALL.len()],
    view_group: wgpu::BindGroup,
    texture: wgpu::Texture,
    /// What the texture shows.
    seen: Option<Seen>,
}

impl Backdrop {
    pub fn new(device: &wgpu::Device, view: &wgpu::Buffer) -> Self {
        let stages = wgpu::ShaderStages::VERTEX_FRAGMENT;
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("backdrop"),
            entries: &[entry(0, stages, wgpu::BufferBindingType::Uniform)],
        });
        let view_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("backdrop"),
            layout: &layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: view.as_entire_binding() }],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("backdrop"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let sky = module(device, "sky");
        Backdrop {
            pipelines: Background::ALL.map(|background| sky_pipeline(device, &layout, &sky, background)),
            view_group,
            texture: texture(device, [1, 1]),
            seen: None,
        }
    }

    /// What shows the backdrop.
    pub fn shown(&self) -> wgpu::TextureView {
        self.texture.create_view(&wgpu::TextureViewDescriptor::default())
    }

    /// Makes room for a picture; true when the texture is a new one.
    pub fn make_room(&mut self, device: &wgpu::Device, size: [u32; 2]) -> bool {
        if [self.texture.width(), self.texture.height()] == size {
            return false;
        }
        (self.texture, self.seen) = (texture(device, size), None);
        true
    }

    /// Records the drawing of the backdrop, if the last one was another. `land` is the rows of the picture, from the
    /// first to before the last, in which land may be seen.
    pub fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        uniform: &ViewUniform,
        background: Background,
        land: Option<[u32; 2]>,
    ) {
        let [x, y, z, _] = uniform.forward;
        let axes = [uniform.right, uniform.up, [x, y, z, 0.0]];
        let seen = Seen { axes, pixel: uniform.eye[3], background };
        if self.seen == Some(seen) {
            return;
        }
        self.seen = Some(seen);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("backdrop"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.shown(),
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_bind_group(0, &self.view_group, &[]);
        let [width, height] = [self.texture.width(), self.texture.height()];
        let mut draw = |background: Background, [first, last]: [u32; 2]| {
            if first < last {
                pass.set_scissor_rect(0, first, width, last - first);
                pass.set_pipeline(&self.pipelines[background as usize]);
                pass.draw(0..background.drawing().1, 0..1);
            }
        };
        let [first, last] = land.unwrap_or([height, height]);
        draw(background, [0, first]);
        draw(Background::Land, [first, last]);
        draw(background, [last, height]);
    }
}

/// Draws a background on a backdrop.
fn sky_pipeline(
    device: &wgpu::Device,
    layout: &wgpu::PipelineLayout,
    sky: &wgpu::ShaderModule,
    background: Background,
) -> wgpu::RenderPipeline {
    let ([vertex, fragment], _) = background.drawing();
    let constants = [("BACKGROUND", f64::from(background as u32))];
    let compilation_options = wgpu::PipelineCompilationOptions {
        constants: &constants,
        ..wgpu::PipelineCompilationOptions::default()
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("backdrop"),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module: sky,
            entry_point: Some(vertex),
            compilation_options: compilation_options.clone(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: sky,
            entry_point: Some(fragment),
            compilation_options,
            targets: &[Some(FORMAT.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn texture(device: &wgpu::Device, size: [u32; 2]) -> wgpu::Texture {
    use wgpu::TextureUsages as Usages;
    plain(device, "backdrop", size, FORMAT, Usages::RENDER_ATTACHMENT | Usages::TEXTURE_BINDING)
}

//! A shader, ready to run. Its bindings follow from its text.

use super::Gpu;
use super::device::{Constants, Pipeline};
use super::layout::DispatchParameters;
use super::shaders::{Binding, Shader};
use engine::Result;

/// Buffer of the dispatch parameters: each dispatch of a submit reads its own, at a dynamic offset.
const PARAMETERS: &str = "dispatch";

/// A pipeline, and the bind group of its buffers.
#[derive(Debug)]
pub(crate) struct Ready {
    pub pipeline: Pipeline,
    pub group: wgpu::BindGroup,
}

impl Pipeline {
    /// Compiles a shader, unless the device has cached the pipeline.
    ///
    /// # Errors
    /// When the shader is invalid, or the driver refuses.
    pub fn new(gpu: &Gpu, label: &str, shader: &Shader, constants: &Constants) -> Result<Self> {
        let compile = || Pipeline::compile(gpu, label, shader, constants);
        gpu.compiled.get_or(&shader.source, constants, gpu.settings.checked, compile)
    }

    fn compile(gpu: &Gpu, label: &str, shader: &Shader, constants: &Constants) -> Result<Self> {
        let bindings = shader.bindings().map_err(|error| gpu.error(error))?;
        let entries: Vec<_> = bindings.iter().map(entry).collect();
        let label = Some(label);
        let (pipeline, layout) = gpu.create(|device| {
            let layout = device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
            let source = wgpu::ShaderSource::Wgsl(shader.source.as_str().into());
            let descriptor = wgpu::ShaderModuleDescriptor { label, source };
            // SAFETY: the shaders are built in. Every loop counts up to a bound, every index is below its array's
            // length, no divisor is zero. Tests run them with all checks.
            let module = unsafe {
                let mut checks = wgpu::ShaderRuntimeChecks::all(gpu.settings.checked);
                // wgpu's loop counters up to 2^64, which end all loops, cost a tenth of a step on a card. Without them
                // SwiftShader computes other bits.
                checks.force_loop_bounding = !gpu.hardware();
                device.create_shader_module_trusted(descriptor, checks)
            };
            let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                cache: None,
            });
            (pipeline, layout)
        })?;
        Ok(Pipeline { pipeline, layout, bindings })
    }

    /// True if its dispatches read parameters.
    pub fn has_parameters(&self) -> bool {
        self.bindings.iter().any(|binding| binding.name == PARAMETERS)
    }

    /// Binds the buffers by their names in the shader.
    ///
    /// # Errors
    /// When there is no such buffer, or memory runs out.
    pub fn bind<'a>(self, gpu: &Gpu, named: impl Fn(&str) -> Option<&'a wgpu::Buffer>) -> Result<Ready> {
        let entry = |Binding { name, number, .. }: &Binding| {
            let buffer = named(name).ok_or_else(|| gpu.error(format!("no buffer {name}")))?;
            let size = wgpu::BufferSize::new(size_of::<DispatchParameters>() as u64);
            let resource = match name.as_str() {
                PARAMETERS => wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size }),
                _ => buffer.as_entire_binding(),
            };
            Ok(wgpu::BindGroupEntry { binding: *number, resource })
        };
        let entries: Vec<_> = self.bindings.iter().map(entry).collect::<Result<_>>()?;
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &self.layout, entries: &entries };
        let group = gpu.create(|device| device.create_bind_group(&descriptor))?;
        Ok(Ready { pipeline: self, group })
    }
}

fn entry(binding: &Binding) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: binding.number,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: binding.kind,
            has_dynamic_offset: binding.name == PARAMETERS,
            min_binding_size: None,
        },
        count: None,
    }
}

//! The passes of a step: each has a shader, a pipeline and bindings.

use super::buffers::Buffers;
use super::kernel::Kernel;
use super::layout::DispatchParameters;
use super::number::OnGpu;
use super::shaders::{Binding, Shader, ShaderError, Shaders};
use super::{Gpu, rule};
use cpu::engine::EngineError;

mod of_rule;
pub use of_rule::Passes;

macro_rules! passes {
    ($($pass:ident $name:literal),* $(,)?) => {
        /// A pass.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Pass {
            $($pass),*
        }

        impl Pass {
            /// All passes, each at its own index.
            pub const ALL: &[Pass] = &[$(Pass::$pass),*];

            /// Its name in timings and debuggers, and the stem of its shader's file.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Pass::$pass => $name),*
                }
            }
        }
    };
}

// A number type that is drawn without conversion does not need the last.
passes! {
    Count "count",
    ReducePartials "reduce_partials",
    ReduceTotals "reduce_totals",
    MovePredators "move_predators",
    Step "step",
    Clusters "clusters",
    ClusteredStep "clustered_step",
    ScanReduce "scan_reduce",
    ScanBlocks "scan_blocks",
    ScanStarts "scan_starts",
    Scatter "scatter",
    MortonKeys "morton_keys",
    Merge "merge",
    Order "order",
    Measure "measure",
    MeasureTotals "measure_totals",
    MeasureSpread "measure_spread",
    ConvertForDrawing "convert_for_drawing",
}

impl Pass {
    /// The passes of a number type.
    #[must_use]
    pub fn of<T: OnGpu>() -> &'static [Pass] {
        if T::DRAWN_AS_IT_LIES { &Pass::ALL[..Pass::ConvertForDrawing as usize] } else { Pass::ALL }
    }

    /// The file of its shader; the steps have one for each kernel.
    #[must_use]
    pub fn file(self, kernel: Kernel) -> String {
        match self {
            Pass::Step | Pass::ClusteredStep => format!("{}_{}.wgsl", self.name(), kernel.name()),
            _ => format!("{}.wgsl", self.name()),
        }
    }

    /// Its shader for a number type.
    ///
    /// # Errors
    /// When one of its files is missing.
    pub fn shader<T: OnGpu>(self, shaders: &Shaders, kernel: Kernel) -> Result<Shader, ShaderError> {
        shaders.load(&self.file(kernel), T::FILES)
    }

    /// Its kernel on a device. That of clusters follows from the device alone: see [`Kernel::of_clusters`].
    #[must_use]
    pub fn kernel(self, gpu: &Gpu) -> Kernel {
        match self {
            Pass::ClusteredStep => Kernel::of_clusters(gpu.lanes()),
            _ => gpu.settings.kernel,
        }
    }

    /// True if it is compiled only when first needed: few flocks become clustered.
    #[must_use]
    pub fn late(self) -> bool {
        self == Pass::ClusteredStep
    }

    /// The constants of its pipeline under a rule, on a device.
    fn constants<T: OnGpu>(self, gpu: &Gpu, rule: &flock::Rule<T>) -> Vec<(&'static str, f64)> {
        match self {
            Pass::Step | Pass::ClusteredStep => {
                let mut constants = rule::constants(rule);
                if let (Kernel::Shared, Some(lanes)) = (self.kernel(gpu), gpu.lanes()) {
                    constants.push(("LANES", f64::from(lanes)));
                }
                constants
            }
            Pass::Order => vec![(rule::NON_INTERACTING, f64::from(u8::from(rule::non_interacting(rule))))],
            _ => Vec::new(),
        }
    }
}

/// Mean occupancy of a boid's own cell above which a flock is clustered on a device, whatever kernel is chosen for other
/// flocks.
#[must_use]
pub fn cluster_occupancy(gpu: &Gpu) -> u32 {
    let default = || Pass::ClusteredStep.kernel(gpu).cluster_occupancy();
    gpu.settings.cluster_occupancy.unwrap_or_else(default)
}

/// A pipeline and what it binds.
#[derive(Clone, Debug)]
pub struct PassPipeline {
    pub pass: Pass,
    pub pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    bindings: Vec<Binding>,
    constants: Vec<(&'static str, f64)>,
}

impl PassPipeline {
    /// Compiles the pass with the constants of a rule.
    fn new<T: OnGpu>(
        gpu: &Gpu,
        shaders: &Shaders,
        pass: Pass,
        constants: Vec<(&'static str, f64)>,
    ) -> Result<Self, EngineError> {
        let fault = |error: ShaderError| gpu.error(error.to_string());
        let shader = pass.shader::<T>(shaders, pass.kernel(gpu)).map_err(fault)?;
        let bindings = shader.bindings().map_err(fault)?;
        let entries: Vec<_> = bindings.iter().map(entry).collect();
        let label = Some(pass.name());
        let (pipeline, layout) = gpu.create(|device| {
            let layout = device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
            let descriptor = wgpu::ShaderModuleDescriptor {
                label,
                source: wgpu::ShaderSource::Wgsl(shader.source.as_str().into()),
            };
            let module = module(device, descriptor, gpu.settings.checked);
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
                    constants: &constants,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                cache: None,
            });
            (pipeline, layout)
        })?;
        Ok(PassPipeline { pass, pipeline, layout, bindings, constants })
    }

    /// True if it is the pipeline of this pass with these constants.
    fn is(&self, pass: Pass, constants: &[(&'static str, f64)]) -> bool {
        self.pass == pass && self.constants == constants
    }

    /// True if its dispatches have parameters.
    #[must_use]
    pub fn has_parameters(&self) -> bool {
        self.bindings.iter().any(|binding| binding.name == "dispatch")
    }

    /// Binds the buffers by their names.
    fn bind(&self, gpu: &Gpu, buffers: &Buffers) -> Result<wgpu::BindGroup, EngineError> {
        let mut entries = Vec::new();
        for binding in &self.bindings {
            let buffer = buffers.get(gpu, &binding.name)?;
            let size = wgpu::BufferSize::new(size_of::<DispatchParameters>() as u64);
            let resource = if binding.name == "dispatch" {
                wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size })
            } else {
                buffer.as_entire_binding()
            };
            entries.push(wgpu::BindGroupEntry { binding: binding.number, resource });
        }
        let label = Some(self.pass.name());
        gpu.create(|device| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label,
                layout: &self.layout,
                entries: &entries,
            })
        })
    }
}

/// A shader module, with or without wgpu's runtime checks.
fn module(
    device: &wgpu::Device,
    descriptor: wgpu::ShaderModuleDescriptor<'_>,
    checked: bool,
) -> wgpu::ShaderModule {
    if checked {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: the shaders are part of the program. Every loop counts up to a bound, every index is below the length of its
    // array, no divisor is zero. Tests run them with all checks.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}

fn entry(binding: &Binding) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: binding.number,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: binding.kind,
            has_dynamic_offset: binding.name == "dispatch",
            min_binding_size: None,
        },
        count: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_have_their_own_index_and_a_shader() {
        for (index, pass) in Pass::ALL.iter().enumerate() {
            assert_eq!(*pass as usize, index);
        }
        for pass in Pass::of::<f32>() {
            assert!(pass.shader::<f32>(&Shaders::default(), Kernel::Shared).is_ok(), "{pass:?}");
        }
    }
}

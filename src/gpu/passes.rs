//! The passes: one shader each, its pipeline, and what it binds.

use super::buffers::Buffers;
use super::kernel::{Kernel, Tuning};
use super::layout::{DispatchParameters, FAN_SHIFT};
use super::number::OnGpu;
use super::shaders::{Binding, Shader, ShaderError, Shaders};
use super::{Gpu, rule};
use crate::engine::EngineError;

mod of_rule;
pub use of_rule::Passes;

macro_rules! stages {
    ($($stage:ident $label:literal),* $(,)?) => {
        /// What a pass does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Stage {
            $($stage),*
        }

        impl Stage {
            /// All of them, each at the index that it has as a number.
            pub const ALL: &[Stage] = &[$(Stage::$stage),*];

            /// Its name in timings, in debuggers, and that of its shader.
            #[must_use]
            pub fn label(self) -> &'static str {
                match self {
                    $(Stage::$stage => $label),*
                }
            }
        }
    };
}

// A flock that is drawn as it lies goes without the last.
stages! {
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

impl Stage {
    /// The stages of a number type.
    #[must_use]
    pub fn of<T: OnGpu>() -> &'static [Stage] {
        if T::DRAWN_AS_IT_LIES { &Stage::ALL[..Stage::ConvertForDrawing as usize] } else { Stage::ALL }
    }

    /// The file of its shader: one for each kernel where neighbours are read.
    #[must_use]
    pub fn file(self, kernel: Kernel) -> String {
        match self {
            Stage::Step | Stage::ClusteredStep => format!("{}_{}.wgsl", self.label(), kernel.name()),
            _ => format!("{}.wgsl", self.label()),
        }
    }

    /// Its shader for a number type.
    ///
    /// # Errors
    /// When one of its files is missing.
    pub fn shader<T: OnGpu>(self, shaders: &Shaders, kernel: Kernel) -> Result<Shader, ShaderError> {
        shaders.load(&self.file(kernel), T::FILES)
    }

    /// The kernel that a device runs it with: clusters are shared where they have a member for each lane.
    #[must_use]
    pub fn kernel(self, gpu: &Gpu) -> Kernel {
        match self {
            Stage::ClusteredStep if gpu.lanes() != Some(1 << FAN_SHIFT) => Kernel::Plain,
            _ => gpu.tuning.kernel,
        }
    }

    /// Whether it is compiled only when it is first needed: few flocks become that dense.
    #[must_use]
    pub fn late(self) -> bool {
        self == Stage::ClusteredStep
    }

    /// The pipeline's constants under a rule, on a device.
    fn constants<T: OnGpu>(self, gpu: &Gpu, rule: &flock::Rule<T>) -> Vec<(&'static str, f64)> {
        match self {
            Stage::Step | Stage::ClusteredStep => {
                let mut constants = rule::constants(rule);
                if let (Kernel::Shared, Some(lanes)) = (self.kernel(gpu), gpu.lanes()) {
                    constants.push(("LANES", f64::from(lanes)));
                }
                constants
            }
            Stage::Order => vec![(rule::NON_INTERACTING, f64::from(u8::from(rule::alone(rule))))],
            _ => Vec::new(),
        }
    }
}

/// A pipeline and what it binds.
#[derive(Clone, Debug)]
pub struct Pass {
    pub stage: Stage,
    pub pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    bindings: Vec<Binding>,
    constants: Vec<(&'static str, f64)>,
}

impl Pass {
    /// Compiles the pass with the constants of a rule.
    fn new<T: OnGpu>(
        gpu: &Gpu,
        shaders: &Shaders,
        stage: Stage,
        constants: Vec<(&'static str, f64)>,
    ) -> Result<Self, EngineError> {
        let fault = |error: ShaderError| gpu.error(error.to_string());
        let shader = stage.shader::<T>(shaders, stage.kernel(gpu)).map_err(fault)?;
        let bindings = shader.bindings().map_err(fault)?;
        let entries: Vec<_> = bindings.iter().map(entry).collect();
        let label = Some(stage.label());
        let (pipeline, layout) = gpu.create(|device| {
            let layout = device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
            let descriptor = wgpu::ShaderModuleDescriptor {
                label,
                source: wgpu::ShaderSource::Wgsl(shader.source.as_str().into()),
            };
            let module = module(device, descriptor, gpu.tuning);
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
        Ok(Pass { stage, pipeline, layout, bindings, constants })
    }

    /// Whether it is that of a stage with these constants.
    fn is(&self, stage: Stage, constants: &[(&'static str, f64)]) -> bool {
        self.stage == stage && self.constants == constants
    }

    /// Whether each dispatch has its own parameters.
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
        let label = Some(self.stage.label());
        gpu.create(|device| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label,
                layout: &self.layout,
                entries: &entries,
            })
        })
    }
}

/// A shader for the device, with or without the checks of wgpu.
fn module(
    device: &wgpu::Device,
    descriptor: wgpu::ShaderModuleDescriptor<'_>,
    tuning: Tuning,
) -> wgpu::ShaderModule {
    if tuning.checked {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: the shaders are those of the program: every loop counts up to a bound, every index is below the size of
    // what it reads, no divisor is zero. Tests run them with all checks.
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
    fn stages_stand_at_their_own_index_and_have_a_shader() {
        for (index, stage) in Stage::ALL.iter().enumerate() {
            assert_eq!(*stage as usize, index);
        }
        for stage in Stage::of::<f32>() {
            assert!(stage.shader::<f32>(&Shaders::default(), Kernel::Shared).is_ok(), "{stage:?}");
        }
    }
}

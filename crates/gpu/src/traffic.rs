//! The least memory traffic of a pass: each array that it reads, once, and each that it writes, once. The arrays follow
//! from its shader, their sizes from its buffers.

use naga::valid::{Capabilities, GlobalUse};

use super::Gpu;
use super::buffers::Buffers;
use super::shaders::{Shader, ShaderError};
use cpu::engine::EngineError;

/// An array that a shader accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    pub name: String,
    /// How many times it is transferred: 1 where it is read or written, 2 where it is both.
    pub times: u64,
}

/// The storage buffers that a shader reads or writes. Uniforms are small and left out.
///
/// # Errors
/// When the shader is invalid.
pub fn uses(shader: &Shader) -> Result<Vec<Use>, ShaderError> {
    let (module, info) = shader.check(Capabilities::all())?;
    let mut uses = Vec::new();
    for (handle, global) in module.global_variables.iter() {
        let naga::AddressSpace::Storage { .. } = global.space else { continue };
        let used = (0..module.entry_points.len())
            .map(|entry| info.get_entry_point(entry)[handle])
            .fold(GlobalUse::empty(), |all, one| all | one);
        let times = [GlobalUse::READ, GlobalUse::WRITE].into_iter().filter(|way| used.contains(*way)).count();
        if let Some(name) = global.name.clone().filter(|_| times > 0) {
            uses.push(Use { name, times: times as u64 });
        }
    }
    Ok(uses)
}

/// The bytes that these transfer.
///
/// # Errors
/// When the shader is invalid or a buffer is missing.
pub fn bytes(gpu: &Gpu, shader: &Shader, buffers: &Buffers) -> Result<u64, EngineError> {
    let mut bytes = 0;
    for Use { name, times } in uses(shader).map_err(|error| gpu.error(error.to_string()))? {
        bytes += buffers.get(gpu, &name)?.size() * times;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::passes::Pass;
    use crate::shaders::Shaders;

    fn of(pass: Pass) -> Vec<(String, u64)> {
        let shader = pass.shader::<f32>(&Shaders::default(), Kernel::Plain).expect("part of the program");
        uses(&shader).expect("valid").into_iter().map(|used| (used.name, used.times)).collect()
    }

    #[test]
    fn arrays_are_counted_as_they_are_used() {
        let known = |names: &[(&str, u64)]| -> Vec<(String, u64)> {
            names.iter().map(|(name, times)| ((*name).to_owned(), *times)).collect()
        };
        assert_eq!(
            of(Pass::Scatter),
            known(&[("arrivals", 1), ("starts", 1), ("members", 1), ("load", 1), ("guard", 2)])
        );
        let step = of(Pass::Step);
        for expected in known(&[("positions", 1), ("new_positions", 1), ("counts", 2)]) {
            assert!(step.contains(&expected), "{expected:?} in {step:?}");
        }
        assert!(step.iter().all(|(name, _)| name != "rule"), "{step:?}");
    }
}

//! The minimum memory traffic of a pass: each array that its shader reads counts once, each that it writes once.

use naga::valid::{Capabilities, GlobalUse};

use super::buffers::Buffers;
use super::shaders::Shader;

/// The storage buffers of a shader, and how often each is transferred: 1 if only read or only written, 2 if both.
/// Uniforms are small and left out.
///
/// # Errors
/// When the shader is invalid.
fn uses(shader: &Shader) -> Result<Vec<(String, u64)>, String> {
    let (module, info) = shader.check(Capabilities::all())?;
    let storage = module
        .global_variables
        .iter()
        .filter(|(_, global)| matches!(global.space, naga::AddressSpace::Storage { .. }));
    let times = |(handle, global): (naga::Handle<naga::GlobalVariable>, &naga::GlobalVariable)| {
        let used = info.get_entry_point(0)[handle];
        let times = [GlobalUse::READ, GlobalUse::WRITE].into_iter().filter(|way| used.contains(*way)).count();
        Some((global.name.clone()?, times as u64)).filter(|_| times > 0)
    };
    Ok(storage.filter_map(times).collect())
}

/// The bytes that a pass transfers.
///
/// # Errors
/// When the shader is invalid or a buffer is missing.
pub(crate) fn bytes(shader: &Shader, buffers: &Buffers) -> Result<u64, String> {
    let bytes = |(name, times): (String, u64)| {
        let buffer = buffers.find(&name).ok_or_else(|| format!("no buffer {name}"))?;
        Ok(buffer.size() * times)
    };
    uses(shader)?.into_iter().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::passes::Pass;
    use crate::shaders::Shaders;

    #[test]
    fn arrays_are_counted_as_they_are_used() {
        let shader = Pass::Scatter.shader::<f32>(&Shaders::default(), Kernel::Plain);
        let uses = uses(&shader.expect("part of the program")).expect("valid");
        let known = [("arrivals", 1), ("starts", 1), ("members", 1), ("load", 1), ("guard", 2)];
        assert_eq!(uses, known.map(|(name, times)| (name.to_owned(), times)));
    }
}

//! The kernels of the step, which differ in how they read the candidates of a boid.

use super::layout::GROUP;
use engine::{EngineError, Result};

flock::named! {
    /// The way the step reads a boid's candidates. The sums of both kernels have the same terms in the same order. The
    /// name is also the suffix of the shader files.
    Kernel {
        /// Each invocation reads the candidates of its own boid.
        Plain = "plain",
        /// A subgroup reads the candidates of its boids together, one per lane, and broadcasts each to all lanes.
        /// Requires subgroups of one known size.
        Shared = "shared",
    }
}

impl Kernel {
    /// The kernel that is probably faster on a device with `lanes` lanes per subgroup, as measured
    /// (`docs/performance.md`): [`Kernel::Shared`] with 8 to 16 lanes, such as llvmpipe. With four lanes broadcasting
    /// gains nothing; in wider subgroups most lanes receive candidates out of their reach.
    pub fn by_lanes(lanes: Option<u32>) -> Kernel {
        match lanes {
            Some(8..=16) => Kernel::Shared,
            _ => Kernel::Plain,
        }
    }

    /// Checks that a device can run the kernel.
    ///
    /// # Errors
    /// When it cannot, with the reason.
    pub fn check(self, info: &wgpu::AdapterInfo, features: wgpu::Features) -> Result {
        if self == Kernel::Plain || lanes(info, features).is_some() {
            return Ok(());
        }
        let what = "the shared kernel requires subgroups of one known size; use the plain kernel".to_owned();
        Err(EngineError::Unsupported { device: format!("{} ({})", info.name, info.backend), what })
    }
}

/// Invocations per subgroup, if subgroups are supported and all have the same size. The size must be a multiple of
/// four, as the kernel's loop is unrolled by four; it must divide a workgroup, and a ballot must fit one word.
pub fn lanes(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Option<u32> {
    let (min, max) = (info.subgroup_min_size, info.subgroup_max_size);
    let known = features.contains(wgpu::Features::SUBGROUP) && min == max;
    (known && (4..=32).contains(&max) && GROUP.is_multiple_of(max)).then_some(max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subgroups_of_one_size_share_where_they_have_8_to_16_lanes() {
        let some = wgpu::Features::SUBGROUP;
        for (least, most, features, can_share, kernel) in [
            (8, 8, some, true, Kernel::Shared),
            (16, 16, some, true, Kernel::Shared),
            (4, 4, some, true, Kernel::Plain),
            (32, 32, some, true, Kernel::Plain),
            (64, 64, some, false, Kernel::Plain),
            (1, 1, some, false, Kernel::Plain),
            (8, 16, some, false, Kernel::Plain),
            (8, 8, wgpu::Features::empty(), false, Kernel::Plain),
        ] {
            let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::Cpu, wgpu::Backend::Vulkan);
            (info.subgroup_min_size, info.subgroup_max_size) = (least, most);
            assert_eq!(Kernel::by_lanes(lanes(&info, features)), kernel, "{least} to {most}");
            assert_eq!(Kernel::Shared.check(&info, features).is_ok(), can_share, "{least} to {most}");
        }
    }
}

//! The kernels of the step, which differ in how they read the candidates of a boid, and the settings of a device.

use engine::{EngineError, Result};

use super::layout::GROUP;

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

flock::named! {
    /// Reason for the choice of a kernel.
    Reason {
        /// Chosen by the lanes of a subgroup: [`Kernel::by_lanes`].
        Lanes = "by lanes",
        /// Named by the caller.
        Asked = "--kernel",
        /// The only kernel that the device can run.
        Only = "the only one here",
    }
}

/// Device-dependent settings. None changes the bits of a flock in integers. In f32 `kernel` and `checked` change none
/// on a device that computes as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Kernel of the step.
    pub kernel: Kernel,
    /// Reason for the choice of `kernel`.
    pub reason: Reason,
    /// Shaders run with the runtime checks of wgpu: bounds of buffers, divisors.
    pub checked: bool,
}

impl Settings {
    /// The defaults for an adapter opened with these features.
    pub(crate) fn new(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Settings {
        let lanes = lanes(info, features);
        let kernel = Kernel::by_lanes(lanes);
        let reason = if lanes.is_some() { Reason::Lanes } else { Reason::Only };
        Settings { kernel, reason, checked: true }
    }

    /// The same settings with a kernel that the caller names.
    pub fn with_kernel(self, kernel: Kernel) -> Settings {
        Settings { kernel, reason: Reason::Asked, ..self }
    }

    /// A short description.
    pub fn describe(self) -> String {
        let checks = if self.checked { "on" } else { "off" };
        format!("kernel {} ({}), checks {checks}", self.kernel.name(), self.reason.name())
    }
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

//! The kernels of the step, which differ in how they read a boid's candidates, and the settings of a device.

use super::layout::GROUP;
use crate::engine::EngineError;

/// How the step reads a boid's candidates. The sums of both kernels have the same terms in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Each invocation reads the candidates of its own boid.
    Plain,
    /// A subgroup reads the candidates of its boids together, one per lane, and broadcasts each to all lanes. Needs
    /// subgroups of one known size.
    Shared,
}

impl Kernel {
    /// All kernels.
    pub const ALL: [Kernel; 2] = [Kernel::Plain, Kernel::Shared];

    /// Its name in options and tables, and the suffix of its shaders.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Plain => "plain",
            Kernel::Shared => "shared",
        }
    }

    /// Mean cell occupancy above which clustering is faster, as measured (`docs/performance.md`). In the plain kernel a
    /// cluster costs as much as several boids.
    #[must_use]
    pub fn cluster_occupancy(self) -> u32 {
        match self {
            Kernel::Plain => 2048,
            Kernel::Shared => 192,
        }
    }

    /// The faster kernel on an adapter opened with these features, as measured (`docs/performance.md`):
    /// [`Kernel::Shared`] where subgroups have 8 to 16 lanes, as those of llvmpipe. With four lanes broadcasting gains
    /// nothing; in wider subgroups most lanes receive candidates out of their reach.
    #[must_use]
    pub fn fastest(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Kernel {
        match lanes(info, features) {
            Some(8..=16) => Kernel::Shared,
            _ => Kernel::Plain,
        }
    }

    /// Whether a device can run it.
    ///
    /// # Errors
    /// Why not.
    pub fn check(self, info: &wgpu::AdapterInfo, features: wgpu::Features) -> Result<(), EngineError> {
        if self == Kernel::Plain || lanes(info, features).is_some() {
            return Ok(());
        }
        let what = "the shared kernel needs subgroups of one known size; allowed here: plain".to_owned();
        Err(EngineError::Device { device: format!("{} ({})", info.name, info.backend), what })
    }
}

/// Invocations of a subgroup, where subgroups can be used and all have the same size. The size must be a multiple of
/// four, as the kernel's loop is unrolled by four; it must divide a workgroup, and a ballot must fit one word.
#[must_use]
pub fn lanes(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Option<u32> {
    let (min, max) = (info.subgroup_min_size, info.subgroup_max_size);
    let known = features.contains(wgpu::Features::SUBGROUP) && min == max;
    (known && (4..=32).contains(&max) && GROUP.is_multiple_of(max)).then_some(max)
}

/// Device-dependent settings. None changes the bits of a flock in integers. In f32 `kernel` and `checked` change none
/// on a device that computes as written, as long as the flock is not clustered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How the step reads candidates.
    pub kernel: Kernel,
    /// Shaders run with all runtime checks of wgpu: bounds of buffers and of loops, divisors.
    pub checked: bool,
    /// Mean cell occupancy above which a flock is clustered; none for [`Kernel::cluster_occupancy`]. In f32 it decides
    /// where sums are rounded.
    pub cluster_occupancy: Option<u32>,
}

impl Settings {
    /// A short description.
    #[must_use]
    pub fn describe(self) -> String {
        format!("kernel {}, checks {}", self.kernel.name(), if self.checked { "on" } else { "off" })
    }

    /// The defaults for an adapter opened with these features.
    #[must_use]
    pub fn new(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Settings {
        Settings { kernel: Kernel::fastest(info, features), checked: true, cluster_occupancy: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fastest(least: u32, most: u32, features: wgpu::Features) -> Kernel {
        let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::Cpu, wgpu::Backend::Vulkan);
        (info.subgroup_min_size, info.subgroup_max_size) = (least, most);
        let kernel = Kernel::fastest(&info, features);
        assert!(kernel.check(&info, features).is_ok());
        assert_eq!(Kernel::Shared.check(&info, features).is_ok(), lanes(&info, features).is_some());
        kernel
    }

    #[test]
    fn subgroups_of_one_size_share_where_they_have_8_to_16_lanes() {
        let subgroups = wgpu::Features::SUBGROUP;
        assert_eq!(fastest(8, 8, subgroups), Kernel::Shared);
        assert_eq!(fastest(16, 16, subgroups), Kernel::Shared);
        assert_eq!(fastest(4, 4, subgroups), Kernel::Plain);
        assert_eq!(fastest(8, 8, wgpu::Features::empty()), Kernel::Plain);
        assert_eq!(fastest(8, 16, subgroups), Kernel::Plain);
        assert_eq!(fastest(32, 32, subgroups), Kernel::Plain);
        assert_eq!(fastest(128, 128, subgroups), Kernel::Plain);
        assert_eq!(fastest(64, 64, subgroups), Kernel::Plain);
        assert_eq!(fastest(1, 1, subgroups), Kernel::Plain);
    }
}

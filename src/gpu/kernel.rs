//! How a boid's candidates are read: the kernels of the step, and which one suits a device.

use super::layout::GROUP;
use crate::engine::EngineError;

/// How a step reads the boids that another may perceive. The sums of all kernels have the same terms in the same
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Each boid reads its candidates for itself: `shaders/step_plain.wgsl`.
    Plain,
    /// The boids of a subgroup read theirs together, one a lane, and hand them round: `shaders/step_shared.wgsl`. For devices
    /// with subgroups of one known size.
    Shared,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Kernel; 2] = [Kernel::Plain, Kernel::Shared];

    /// Its name in options and tables, and that of its shader.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Plain => "plain",
            Kernel::Shared => "shared",
        }
    }

    /// From how many boids in a boid's own cell on crowds are worth their price, as measured (`docs/performance.md`): where
    /// each boid meets them for itself a crowd costs as much as several boids.
    #[must_use]
    pub fn crowded(self) -> u32 {
        match self {
            Kernel::Plain => 2048,
            Kernel::Shared => 192,
        }
    }

    /// The kernel that suits an adapter opened with these features, as measured (`docs/performance.md`):
    /// [`Kernel::Shared`] where subgroups have 8 to 16 lanes, as those of llvmpipe. With four of them handing round gains
    /// nothing; in wider ones most lanes would be handed boids out of their reach.
    #[must_use]
    pub fn suited(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Kernel {
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

/// Invocations of a subgroup, where subgroups can be used and all are of one size: a multiple of four, for the kernel
/// meets boids by fours, that divides a workgroup and has a bit each in a word.
#[must_use]
pub fn lanes(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Option<u32> {
    let (least, most) = (info.subgroup_min_size, info.subgroup_max_size);
    let known = features.contains(wgpu::Features::SUBGROUP) && least == most;
    (known && (4..=32).contains(&most) && GROUP.is_multiple_of(most)).then_some(most)
}

/// What of an engine follows from the device, not from the flock. No choice changes a flock's bits in integers, nor in
/// f32 where the device computes as written and the flock is not crowded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// How a step reads candidates.
    pub kernel: Kernel,
    /// Shaders run with all checks of wgpu: bounds of buffers and of loops, divisors.
    pub checked: bool,
    /// From how many boids in a boid's own cell on, in the mean of a flock, crowds are taken for what they are together;
    /// what suits the kernel where it is not given. In f32 it decides where sums are rounded.
    pub crowded: Option<u32>,
}

impl Tuning {
    /// In a few words.
    #[must_use]
    pub fn describe(self) -> String {
        format!("kernel {}, checks {}", self.kernel.name(), if self.checked { "on" } else { "off" })
    }

    /// What suits an adapter opened with these features.
    #[must_use]
    pub fn suited(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Tuning {
        Tuning { kernel: Kernel::suited(info, features), checked: true, crowded: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suited(least: u32, most: u32, features: wgpu::Features) -> Kernel {
        let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::Cpu, wgpu::Backend::Vulkan);
        (info.subgroup_min_size, info.subgroup_max_size) = (least, most);
        let kernel = Kernel::suited(&info, features);
        assert!(kernel.check(&info, features).is_ok());
        assert_eq!(Kernel::Shared.check(&info, features).is_ok(), lanes(&info, features).is_some());
        kernel
    }

    #[test]
    fn subgroups_of_one_size_share_where_they_are_neither_tiny_nor_wide() {
        let subgroups = wgpu::Features::SUBGROUP;
        assert_eq!(suited(8, 8, subgroups), Kernel::Shared);
        assert_eq!(suited(16, 16, subgroups), Kernel::Shared);
        assert_eq!(suited(4, 4, subgroups), Kernel::Plain);
        assert_eq!(suited(8, 8, wgpu::Features::empty()), Kernel::Plain);
        assert_eq!(suited(8, 16, subgroups), Kernel::Plain);
        assert_eq!(suited(32, 32, subgroups), Kernel::Plain);
        assert_eq!(suited(128, 128, subgroups), Kernel::Plain);
        assert_eq!(suited(64, 64, subgroups), Kernel::Plain);
        assert_eq!(suited(1, 1, subgroups), Kernel::Plain);
    }
}

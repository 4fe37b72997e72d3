//! The settings of a device.

use super::choice::Reason;
use super::kernel::Kernel;

/// Device-dependent settings. None changes the bits of a flock in integers. In f32 `kernel` and `checked` change none
/// on a device that computes as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How the step reads candidates.
    pub kernel: Kernel,
    /// Why by this kernel.
    pub reason: Reason,
    /// Shaders run with all runtime checks of wgpu: bounds of buffers and of loops, divisors.
    pub checked: bool,
    /// Mean cell occupancy above which a flock is clustered; none for [`Kernel::cluster_occupancy`] of the kernel that
    /// clusters have on the device. In f32 it decides where sums are rounded.
    pub cluster_occupancy: Option<u32>,
}

impl Settings {
    /// The defaults for an adapter opened with these features.
    #[must_use]
    pub fn new(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Settings {
        let kernel = Kernel::by_lanes(info, features);
        Settings { kernel, reason: Reason::Lanes, checked: true, cluster_occupancy: None }
    }

    /// The same with another kernel.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel, reason: Reason) -> Settings {
        Settings { kernel, reason, ..self }
    }

    /// A short description.
    #[must_use]
    pub fn describe(self) -> String {
        let checks = if self.checked { "on" } else { "off" };
        match self.reason {
            Reason::Pending => format!("checks {checks}"),
            reason => format!("kernel {} ({reason}), checks {checks}", self.kernel.name()),
        }
    }
}

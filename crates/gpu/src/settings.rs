//! The settings of a device.

use super::choice::Reason;
use super::kernel::{Kernel, lanes};

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
    /// Mean cell occupancy above which a flock is clustered. In f32 it decides where sums are rounded.
    pub cluster_occupancy: u32,
}

impl Settings {
    /// The defaults for an adapter opened with these features.
    pub(crate) fn new(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Settings {
        let kernel = Kernel::by_lanes(info, features);
        let cluster_occupancy = Kernel::of_clusters(lanes(info, features)).cluster_occupancy();
        Settings { kernel, reason: Reason::Lanes, checked: true, cluster_occupancy }
    }

    /// The same with another kernel.
    pub fn with_kernel(self, kernel: Kernel, reason: Reason) -> Settings {
        Settings { kernel, reason, ..self }
    }

    /// A short description.
    pub fn describe(self) -> String {
        let checks = if self.checked { "on" } else { "off" };
        match self.reason {
            Reason::Pending => format!("checks {checks}"),
            reason => format!("kernel {} ({reason}), checks {checks}", self.kernel.name()),
        }
    }
}

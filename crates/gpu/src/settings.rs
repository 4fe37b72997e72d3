//! The settings of a device.

use super::kernel::{Kernel, lanes};

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

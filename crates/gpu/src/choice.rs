//! The choice of the kernel: by what both took for the flock at hand; and the settings of a device.
//!
//! [`GpuEngine::measure_kernels`](super::GpuEngine::measure_kernels) times them, without a change to the flock.

use std::fmt;

use super::adapter::hardware;
use super::kernel::{Kernel, lanes};

/// Flocks of fewer boids step so fast that the kernel does not matter: they are not measured.
pub const LEAST_BOIDS: u32 = 8192;

/// What the kernels took for the same boids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// Boids that each stepped.
    pub boids: u32,
    /// Nanoseconds of the pass, at the index of each kernel.
    pub times: [u64; Kernel::ALL.len()],
    /// True if the results had the same bits.
    pub same_bits: bool,
}

impl Measurement {
    /// Nanoseconds that a kernel took.
    pub fn time(&self, kernel: Kernel) -> u64 {
        self.times[kernel as usize]
    }

    /// The kernel to use: the default where another is not faster by a twentieth, which is noise. Where a device rounds
    /// otherwise in one kernel than in the other, always the default: bits must not follow from a time.
    pub fn choice(&self, default: Kernel) -> Kernel {
        if !self.same_bits {
            return default;
        }
        let clearly =
            |kernel: &Kernel| 20 * u128::from(self.time(*kernel)) < 19 * u128::from(self.time(default));
        let faster = Kernel::ALL.into_iter().filter(clearly);
        faster.min_by_key(|kernel| self.time(*kernel)).unwrap_or(default)
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kernels = Kernel::ALL;
        kernels.sort_by_key(|kernel| self.time(*kernel));
        for kernel in kernels {
            write!(f, "{} {:.2} ms, ", kernel.name(), self.time(kernel) as f64 / 1e6)?;
        }
        write!(f, "{} boids", self.boids)?;
        if self.same_bits { Ok(()) } else { write!(f, "; by lanes, as the kernels round differently") }
    }
}

/// Why a kernel was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Not chosen yet: the first flock that is large enough is measured.
    Pending,
    /// By the lanes of a subgroup: [`Kernel::by_lanes`].
    Lanes,
    /// The call names it.
    Asked,
    /// The device can run no other.
    Only,
    /// By its lanes: the flock is too small for a measurement to matter, too dense for a short one, or does not interact;
    /// or the kernels compile too long, as those in integers do on a software adapter.
    Unmeasured,
    Measured(Measurement),
    /// Measured by an earlier call.
    Kept(Measurement),
}

impl Reason {
    /// What it is based on.
    pub fn measurement(&self) -> Option<&Measurement> {
        match self {
            Reason::Measured(found) | Reason::Kept(found) => Some(found),
            _ => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Pending => write!(f, "not measured yet"),
            Reason::Lanes => write!(f, "by lanes"),
            Reason::Asked => write!(f, "--kernel"),
            Reason::Only => write!(f, "the only one here"),
            Reason::Unmeasured => write!(f, "by lanes, not measured on this flock"),
            Reason::Measured(found) => write!(f, "measured: {found}"),
            Reason::Kept(found) => write!(f, "measured earlier: {found}"),
        }
    }
}

/// Device-dependent settings. None changes the bits of a flock in integers. In f32 `kernel` and `checked` change none
/// on a device that computes as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How the step reads candidates.
    pub kernel: Kernel,
    /// Why by this kernel.
    pub reason: Reason,
    /// Shaders run with the runtime checks of wgpu: bounds of buffers, divisors.
    pub checked: bool,
    /// Mean cell occupancy above which a flock is clustered. In f32 it decides where sums are rounded.
    pub cluster_occupancy: u32,
}

impl Settings {
    /// The defaults for an adapter opened with these features.
    pub(crate) fn new(info: &wgpu::AdapterInfo, features: wgpu::Features) -> Settings {
        let kernel = Kernel::by_lanes(info, features);
        let cluster_occupancy = Kernel::of_clusters(lanes(info, features)).cluster_occupancy(hardware(info));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(plain: u64, shared: u64, same_bits: bool) -> Measurement {
        Measurement { boids: 9000, times: [plain, shared], same_bits }
    }

    #[test]
    fn the_faster_kernel_is_chosen_if_it_is_clearly_faster() {
        let [plain, shared] = Kernel::ALL;
        for (times, default, expected) in [
            ((100, 200), shared, plain),
            ((200, 100), plain, shared),
            ((100, 200), plain, plain),
            ((96, 100), shared, shared),
            ((94, 100), shared, plain),
            ((100, 100), plain, plain),
            ((u64::MAX, u64::MAX), shared, shared),
        ] {
            let found = measured(times.0, times.1, true);
            assert_eq!(found.choice(default), expected, "{found:?}");
        }
    }

    #[test]
    fn no_bit_follows_from_a_time() {
        for default in Kernel::ALL {
            for times in [(1, 1000), (1000, 1)] {
                assert_eq!(measured(times.0, times.1, false).choice(default), default);
            }
        }
    }

    #[test]
    fn a_reason_says_what_was_measured() {
        let reason = Reason::Kept(measured(5_200_000, 3_100_000, true));
        assert_eq!(reason.to_string(), "measured earlier: shared 3.10 ms, plain 5.20 ms, 9000 boids");
        assert!(Reason::Measured(measured(1, 2, false)).to_string().ends_with("round differently"));
    }
}

//! A profile as JSON. The unit of each number is at the end of its name.

use serde_json::{Map, Value, json};

use super::result::Profile;
use gpu::Kernel;
use gpu::choice::Measurement;

/// The version of the format; it changes when old readers would fail.
const FORMAT: u64 = 1;

impl Profile {
    /// The profile as JSON.
    pub fn json(&self) -> Value {
        let Profile { subject, method, limits, points, rates, stopped } = self;
        json!({
            "format": FORMAT,
            "program": concat!("murmuration ", env!("CARGO_PKG_VERSION")),
            "engine": subject.engine,
            "driver": subject.driver,
            "numeric": subject.numeric.name(),
            "kernel": subject.tuning.map(|tuning| tuning.kernel.name()),
            "kernel_reason": subject.tuning.map(|tuning| tuning.reason.to_string()),
            "kernel_ns": subject.tuning.and_then(|tuning| tuning.reason.measurement().map(kernel_times)),
            "checks": subject.tuning.map(|tuning| tuning.checked),
            "timed_by": subject.clock.name(),
            "flock": subject.flock,
            "dimensions": subject.dimensions,
            "drawn_by": subject.drawn,
            "steps": method.steps,
            "repeats": method.repeats,
            "warm_up": method.warm_up,
            "settle": method.settle,
            "limits": limits,
            "points": points,
            "rates": rates,
            "stopped": stopped,
        })
    }
}

/// Nanoseconds of each kernel.
fn kernel_times(found: &Measurement) -> Map<String, Value> {
    Kernel::ALL.map(|kernel| (kernel.name().to_owned(), found.time(kernel).into())).into_iter().collect()
}

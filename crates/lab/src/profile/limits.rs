//! Measures the limits of the device, just before its passes are timed.

use flock::Fixed;

use super::result::Limits;
use cpu::engine::EngineError;
use cpu::state::Numeric;
use engines::Device;

/// Measures copy bandwidth and arithmetic; none for an emulated board, or where the copy does not fit.
///
/// # Errors
/// When the device fails.
pub fn limits(device: &Device) -> Result<Option<Limits>, EngineError> {
    Ok(match device {
        Device::Gpu(on, numeric) => {
            let copy = gpu::probe::copy(on)?;
            let arithmetic = match numeric {
                Numeric::Fixed => gpu::probe::arithmetic::<Fixed>(on)?,
                Numeric::F32 | Numeric::F64 => gpu::probe::arithmetic::<f32>(on)?,
            };
            Some(Limits {
                copy: copy.rate,
                copied: copy.bytes,
                copy_by: copy.by,
                arithmetic,
                arithmetic_of: numbers(*numeric),
            })
        }
        Device::Cpu(numeric, _) => cpu::probe::copy().map(|(copy, copied)| Limits {
            copy,
            copied,
            copy_by: "by all threads",
            arithmetic: cpu::probe::arithmetic(*numeric),
            arithmetic_of: numbers(*numeric),
        }),
        Device::Rp2040(_) => None,
    })
}

fn numbers(numeric: Numeric) -> &'static str {
    match numeric {
        Numeric::F32 => "f32 multiply-adds, two each",
        Numeric::F64 => "f64 multiply-adds, two each",
        Numeric::Fixed => "i32 multiply-adds, two each",
    }
}

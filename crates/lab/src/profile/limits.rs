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
pub(super) fn limits(device: &Device) -> Result<Option<Limits>, EngineError> {
    let (copy_bytes_per_s, copied_bytes, copied_by, arithmetic_per_s) = match device {
        Device::Gpu(on, numeric) => {
            let copy = gpu::probe::copy(on)?;
            let arithmetic = match numeric {
                Numeric::Fixed => gpu::probe::arithmetic::<Fixed>(on)?,
                Numeric::F32 | Numeric::F64 => gpu::probe::arithmetic::<f32>(on)?,
            };
            (copy.rate, copy.bytes, copy.by, arithmetic)
        }
        Device::Cpu(numeric, _) => {
            let Some((rate, bytes)) = cpu::probe::copy() else { return Ok(None) };
            (rate, bytes, "by all threads", cpu::probe::arithmetic(*numeric))
        }
        Device::Rp2040(_) => return Ok(None),
    };
    let arithmetic_of = match device.numeric() {
        Numeric::F32 => "f32 multiply-adds, two each",
        Numeric::F64 => "f64 multiply-adds, two each",
        Numeric::Fixed => "i32 multiply-adds, two each",
    };
    Ok(Some(Limits { copy_bytes_per_s, copied_bytes, copied_by, arithmetic_per_s, arithmetic_of }))
}

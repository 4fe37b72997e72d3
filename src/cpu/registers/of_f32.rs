//! f32 in registers.

#[cfg(target_arch = "x86_64")]
use crate::cpu::vector::x86::{F32x4, F32x8, F32x16};

real!(f32, Numeric::F32, F32x4, F32x8, F32x16);

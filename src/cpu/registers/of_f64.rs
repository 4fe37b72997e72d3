//! f64 in registers.

#[cfg(target_arch = "x86_64")]
use crate::cpu::vector::x86::{F64x2, F64x4, F64x8};

real!(f64, Numeric::F64, F64x2, F64x4, F64x8);

//! Integers in registers.

use flock::Fixed;

#[cfg(target_arch = "x86_64")]
use crate::cpu::vector::words::{I32x4, I32x8, I32x16};

real!(Fixed, Numeric::Fixed, I32x4, I32x8, I32x16);

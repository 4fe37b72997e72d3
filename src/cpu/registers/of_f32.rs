//! f32 in registers.

use crate::cpu::vector::Floats;

real!(f32, Numeric::F32, S => Floats<S, f32>);

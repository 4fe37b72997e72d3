//! f32 in registers.

use crate::vector::Floats;

real!(f32, Numeric::F32, all, S => Floats<S, f32>);

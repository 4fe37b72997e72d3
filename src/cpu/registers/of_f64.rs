//! f64 in registers.

use crate::cpu::vector::Floats;

real!(f64, Numeric::F64, S => Floats<S, f64>);

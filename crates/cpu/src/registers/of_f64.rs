//! f64 in registers.

use crate::vector::Floats;

real!(f64, Numeric::F64, few, S => Floats<S, f64>);

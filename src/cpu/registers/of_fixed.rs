//! Integers in registers.

use flock::Fixed;

use crate::cpu::vector::Words;

real!(Fixed, Numeric::Fixed, S => Words<S>);

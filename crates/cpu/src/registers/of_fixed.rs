//! Integers in registers.

use flock::Fixed;

use crate::vector::Words;

real!(Fixed, Numeric::Fixed, all, S => Words<S>);

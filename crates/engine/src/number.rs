//! The number types of engines.

use flock::{Fixed, Number};

flock::named! {
    /// The number type an engine computes in.
    #[derive(Default)]
    Numeric {
        #[default]
        F32 = "f32",
        F64 = "f64",
        /// Integers: the same bits on every engine.
        Fixed = "fixed",
    }
}

/// A number type of engines.
pub trait NumberType: Number {
    /// Its name.
    const NUMERIC: Numeric;
}

impl NumberType for f32 {
    const NUMERIC: Numeric = Numeric::F32;
}

impl NumberType for f64 {
    const NUMERIC: Numeric = Numeric::F64;
}

impl NumberType for Fixed {
    const NUMERIC: Numeric = Numeric::Fixed;
}

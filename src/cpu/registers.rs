//! The choice of vector registers while the program runs.

use std::ops::Range;

use flock::{Fixed, Number, Requests};

use super::look::{Use, look};
use super::sorted::Sorted;
#[cfg(target_arch = "x86_64")]
use super::vector::{words, x86};
use crate::state::Numeric;

/// The registers that boids are put in. A value stands for registers that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers(pub(super) Width);

/// The instructions that work on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Registers {
    /// One number at a time: every machine can.
    pub const SCALAR: Registers = Registers(Width::Scalar);

    /// All that this machine has, the widest last.
    #[must_use]
    pub fn available() -> Vec<Registers> {
        let mut available = vec![Registers::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            // Every x86-64 has SSE2.
            available.push(Registers(Width::Sse2));
            if is_x86_feature_detected!("avx2") {
                available.push(Registers(Width::Avx2));
            }
            if is_x86_feature_detected!("avx512f") {
                available.push(Registers(Width::Avx512));
            }
        }
        available
    }

    /// The widest this machine has.
    #[must_use]
    pub fn widest() -> Registers {
        Registers::available().pop().unwrap_or(Registers::SCALAR)
    }

    /// Those of a name, however it is written, if this machine has them.
    #[must_use]
    pub fn named(name: &str) -> Option<Registers> {
        Registers::available().into_iter().find(|registers| registers.name().eq_ignore_ascii_case(name))
    }

    /// Their name, for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Width::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Width::Sse2 => "SSE2",
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => "AVX-512",
        }
    }
}

/// A number type the CPU engine computes in.
pub trait Real: Number + Requests {
    /// Its name among the engines' number types.
    const NUMERIC: Numeric;

    /// The sums over the neighbours of the boids in a range of places.
    fn look(with: Registers, flock: &Sorted<'_, Self>, range: Range<usize>, sink: &mut impl Use<Self>);
}

macro_rules! real {
    ($type:ty, $numeric:expr, $sse2:path, $avx2:path, $avx512:path) => {
        impl Real for $type {
            const NUMERIC: Numeric = $numeric;

            fn look(
                with: Registers,
                flock: &Sorted<'_, $type>,
                range: Range<usize>,
                sink: &mut impl Use<$type>,
            ) {
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2")]
                fn avx2(flock: &Sorted<'_, $type>, range: Range<usize>, sink: &mut impl Use<$type>) {
                    look::<$avx2>(flock, range, sink);
                }
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx512f")]
                fn avx512(flock: &Sorted<'_, $type>, range: Range<usize>, sink: &mut impl Use<$type>) {
                    look::<$avx512>(flock, range, sink);
                }
                match with.0 {
                    Width::Scalar => look::<$type>(flock, range, sink),
                    #[cfg(target_arch = "x86_64")]
                    Width::Sse2 => look::<$sse2>(flock, range, sink),
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: the registers were detected where the value was made.
                    Width::Avx2 => unsafe { avx2(flock, range, sink) },
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: as above.
                    Width::Avx512 => unsafe { avx512(flock, range, sink) },
                }
            }
        }
    };
}

real!(f32, Numeric::F32, x86::F32x4, x86::F32x8, x86::F32x16);
real!(f64, Numeric::F64, x86::F64x2, x86::F64x4, x86::F64x8);
real!(Fixed, Numeric::Fixed, words::I32x4, words::I32x8, words::I32x16);

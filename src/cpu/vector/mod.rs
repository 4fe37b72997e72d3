//! Vector registers as [`Lanes`], and the choice between them while the program runs.

#[cfg(target_arch = "x86_64")]
mod by_lane;
#[cfg(target_arch = "x86_64")]
mod set;
#[cfg(target_arch = "x86_64")]
mod words;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::ops::Range;

use flock::{Fixed, Lanes, Number};

use super::look::{Flock, Use, look};
use crate::state::Numeric;

/// The most lanes a register has.
pub const MOST_LANES: usize = 16;

/// Lanes that can be filled and read one by one.
pub trait Vector: Lanes {
    /// One number a lane.
    type Array: Default + AsRef<[Self::Scalar]> + AsMut<[Self::Scalar]>;
    /// How many lanes there are.
    const LANES: usize;

    /// Lane k takes number k.
    fn from_array(array: Self::Array) -> Self;
    /// Number k is that of lane k.
    fn to_array(self) -> Self::Array;
    /// Lane k takes number k of at least as many numbers as there are lanes.
    fn load(numbers: &[Self::Scalar]) -> Self;
    /// Lane k takes the number k.
    #[inline(always)]
    fn numbers() -> Self {
        let mut array = Self::Array::default();
        for (k, number) in array.as_mut().iter_mut().enumerate() {
            *number = Self::Scalar::from_f64(k as f64);
        }
        Self::from_array(array)
    }
    /// The larger of two that are numbers.
    fn larger(self, other: Self) -> Self;
    /// Bit k is that of lane k.
    fn bits(mask: Self::Mask) -> u32;

    /// Writes the numbers of the bits that are set, counted from `first`, and returns how many there are. There must be
    /// room for as many numbers as there are lanes; those after the last written are overwritten too.
    #[inline(always)]
    fn write_set(bits: u32, first: u32, numbers: &mut [u32]) -> usize {
        let numbers = &mut numbers[..Self::LANES];
        let mut count = 0;
        for k in 0..Self::LANES {
            numbers[count] = first.wrapping_add(k as u32);
            // No branch: it would be guessed wrong every other time.
            count += (bits >> k & 1) as usize;
        }
        count
    }
}

macro_rules! single {
    ($($type:ty),*) => {$(
        impl Vector for $type {
            type Array = [$type; 1];
            const LANES: usize = 1;

            #[inline(always)]
            fn from_array(array: [$type; 1]) -> $type {
                array[0]
            }
            #[inline(always)]
            fn to_array(self) -> [$type; 1] {
                [self]
            }
            #[inline(always)]
            fn load(numbers: &[$type]) -> $type {
                numbers[0]
            }
            #[inline(always)]
            fn larger(self, other: $type) -> $type {
                Number::max(self, other)
            }
            #[inline(always)]
            fn bits(mask: bool) -> u32 {
                u32::from(mask)
            }
        }
    )*};
}

single!(f32, f64, Fixed);

/// The registers that boids are put in. A value stands for registers that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers(pub(super) Width);

/// How wide they are, of those that this machine has.
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
pub trait Real: Number {
    /// Its name among the engines' number types.
    const NUMERIC: Numeric;
    /// Whether it is a floating-point number, whose requests are vectors of its own.
    const FLOATS: bool;

    /// The sums over the neighbours of the boids in a range of places.
    fn look(with: Registers, flock: &Flock<'_, Self>, range: Range<usize>, sink: &mut impl Use<Self>);
}

macro_rules! real {
    ($type:ty, $numeric:expr, $floats:literal, $sse2:path, $avx2:path, $avx512:path) => {
        impl Real for $type {
            const NUMERIC: Numeric = $numeric;
            const FLOATS: bool = $floats;

            fn look(
                with: Registers,
                flock: &Flock<'_, $type>,
                range: Range<usize>,
                sink: &mut impl Use<$type>,
            ) {
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2")]
                fn avx2(flock: &Flock<'_, $type>, range: Range<usize>, sink: &mut impl Use<$type>) {
                    look::<$avx2>(flock, range, sink);
                }
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx512f")]
                fn avx512(flock: &Flock<'_, $type>, range: Range<usize>, sink: &mut impl Use<$type>) {
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

real!(f32, Numeric::F32, true, x86::F32x4, x86::F32x8, x86::F32x16);
real!(f64, Numeric::F64, true, x86::F64x2, x86::F64x4, x86::F64x8);
real!(Fixed, Numeric::Fixed, false, words::I32x4, words::I32x8, words::I32x16);

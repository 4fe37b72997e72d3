//! The choice of vector registers while the program runs.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use fearless_simd::Level;
use flock::Number;

use super::sorted::Sorted;
use super::update::Update;
use super::vector::Vector;
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
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

impl Registers {
    /// One number at a time: every machine can.
    pub const SCALAR: Registers = Registers(Width::Scalar);

    /// All that this machine has, the widest last.
    pub fn available() -> Vec<Registers> {
        let mut available = vec![Registers::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            // Every x86-64 has SSE2. AVX2 is used with the other instructions of x86-64-v3 only, AVX-512 with those of Ice
            // Lake only.
            let level = Level::new();
            available.push(Registers(Width::Sse2));
            if level.as_avx2().is_some() {
                available.push(Registers(Width::Avx2));
            }
            if level.as_avx512().is_some() {
                available.push(Registers(Width::Avx512));
            }
        }
        // The target has them, or the program does not start.
        #[cfg(target_arch = "aarch64")]
        available.push(Registers(Width::Neon));
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        available.push(Registers(Width::Simd128));
        available
    }

    /// The widest this machine has.
    pub fn widest() -> Registers {
        Registers::available().pop().unwrap_or(Registers::SCALAR)
    }

    /// Those of a name, however it is written, if this machine has them.
    pub fn named(name: &str) -> Option<Registers> {
        Registers::available().into_iter().find(|registers| registers.name().eq_ignore_ascii_case(name))
    }

    /// Their name, for people.
    pub fn name(self) -> &'static str {
        match self.0 {
            Width::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Width::Sse2 => "SSE2",
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => "AVX-512",
            #[cfg(target_arch = "aarch64")]
            Width::Neon => "NEON",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Width::Simd128 => "SIMD128",
        }
    }
}

/// A number type the CPU engine computes in.
pub trait Real: Number + Vector<Scalar = Self> {
    /// Its name among the engines' number types.
    const NUMERIC: Numeric;

    /// Sums over the neighbours of the boids in a range of sorted indices, and updates these boids.
    fn step_range(
        with: Registers,
        flock: &Sorted<'_, Self>,
        range: Range<usize>,
        update: &mut Update<'_, Self>,
    );
}

/// Defines [`Real::step_range`] of a number type; `$level => $register` is the register of its numbers at a level of
/// instructions, and `$wide` which policies are compiled for wide ones. The step is compiled for each policy and register: in a
/// module for each number type, so that they are compiled side by side.
macro_rules! real {
    ($type:ident, $numeric:expr, $wide:ident, $level:ident => $register:ty) => {
        use std::ops::Range;

        use flock::perceive::Policy;

        use super::Width;
        use crate::neighbours::{StepRange, for_rule, step_runs};
        use crate::sorted::Sorted;
        use crate::state::Numeric;
        use crate::update::Update;
        use crate::vector::Vector;
        use crate::{Real, Registers};

        type Of<$level> = $register;

        /// [`step_runs`], compiled with the registers' instructions.
        fn step_with<V: Vector<Scalar = $type>, P: Policy>(
            flock: &Sorted<'_, $type>,
            range: Range<usize>,
            update: &mut Update<'_, $type>,
        ) {
            V::vectorize(
                #[inline(always)]
                || step_runs::<V, P>(flock, range, update),
            );
        }

        impl Real for $type {
            const NUMERIC: Numeric = $numeric;

            fn step_range(
                with: Registers,
                flock: &Sorted<'_, $type>,
                range: Range<usize>,
                update: &mut Update<'_, $type>,
            ) {
                let rule = flock.rule;
                let step: StepRange<$type> = match with.0 {
                    Width::Scalar => for_rule!(few rule, step_with, $type),
                    #[cfg(target_arch = "x86_64")]
                    Width::Sse2 => for_rule!(few rule, step_with, Of<fearless_simd::x86::Sse2>),
                    #[cfg(target_arch = "x86_64")]
                    Width::Avx2 => for_rule!($wide rule, step_with, Of<fearless_simd::x86::Avx2>),
                    #[cfg(target_arch = "x86_64")]
                    Width::Avx512 => for_rule!($wide rule, step_with, Of<fearless_simd::x86::Avx512>),
                    #[cfg(target_arch = "aarch64")]
                    Width::Neon => for_rule!($wide rule, step_with, Of<fearless_simd::aarch64::Neon>),
                    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                    Width::Simd128 => for_rule!($wide rule, step_with, Of<fearless_simd::wasm32::WasmSimd128>),
                };
                step(flock, range, update);
            }
        }
    };
}

mod of_f32;
mod of_f64;
mod of_fixed;

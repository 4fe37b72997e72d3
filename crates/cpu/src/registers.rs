//! The choice of vector registers while the program runs.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use fearless_simd::Level;
use fearless_simd::Simd;
use flock::parameters::Falloff;
use flock::perceive::{AllRound, FieldOfView, NearestOnly, Policy};
use flock::rule::Term;
use flock::{Fixed, Rule};

use super::formulas;
use super::neighbours::{Plain, Shared, StepRange, Update, step_runs};
use super::vector::{Floats, Vector, Words};
use super::walk::Sorted;
use engine::NumberType;

/// The registers that boids are put in. A value stands for registers that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers(Width);

/// The widths of registers, the widest last: name, instructions, and a test of the machine.
macro_rules! widths {
    ($($(#[$cfg:meta])* $width:ident $name:literal $level:ty, $has:expr;)*) => {
        /// The instructions that work on registers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Width {
            $($(#[$cfg])* $width),*
        }

        /// Those of this architecture.
        const WIDTHS: &[Width] = &[$($(#[$cfg])* Width::$width),*];

        impl Registers {
            /// All that this machine has, the widest last.
            pub fn available() -> Vec<Registers> {
                let all = [$($(#[$cfg])* (Width::$width, $has)),*];
                all.into_iter().filter(|(_, has)| *has).map(|(width, _)| Registers(width)).collect()
            }

            /// Their name, for people.
            pub fn name(self) -> &'static str {
                match self.0 {
                    $($(#[$cfg])* Width::$width => $name),*
                }
            }

            /// The pass of custom terms.
            fn formula_requests<T: InRegisters>(self) -> formulas::Block<T> {
                match self.0 {
                    $($(#[$cfg])* Width::$width => formulas::requests::<T::Register<$level>>),*
                }
            }

            /// Selects the loop for a flock.
            fn step_range<T: InRegisters>(self, rule: &Rule<T>, dense: bool) -> StepRange<T> {
                match self.0 {
                    $($(#[$cfg])* Width::$width => T::policy::<$level>(rule, dense)),*
                }
            }
        }
    };
}

// Every x86-64 has SSE2. AVX2 is used with the other instructions of x86-64-v3 only, AVX-512 with those of Ice Lake
// only. The other targets have their registers, or the program does not start.
widths! {
    #[cfg(target_arch = "x86_64")]
    Sse2 "SSE2" fearless_simd::x86::Sse2, true;
    #[cfg(target_arch = "x86_64")]
    Avx2 "AVX2" fearless_simd::x86::Avx2, Level::new().as_avx2().is_some();
    #[cfg(target_arch = "x86_64")]
    Avx512 "AVX-512" fearless_simd::x86::Avx512, Level::new().as_avx512().is_some();
    #[cfg(target_arch = "aarch64")]
    Neon "NEON" fearless_simd::aarch64::Neon, true;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128 "SIMD128" fearless_simd::wasm32::WasmSimd128, true;
    #[cfg(not(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    Plain "plain" fearless_simd::Fallback, true;
}

impl Registers {
    /// Those that every machine of this architecture has.
    pub const NARROWEST: Registers = Registers(WIDTHS[0]);

    /// The widest this machine has.
    pub fn widest() -> Registers {
        Registers::available().pop().unwrap_or(Registers::NARROWEST)
    }

    /// The registers of a name, in any case, if this machine has them.
    pub fn named(name: &str) -> Option<Registers> {
        Registers::available().into_iter().find(|registers| registers.name().eq_ignore_ascii_case(name))
    }
}

/// A number type the CPU engine computes in.
///
/// The registers of its numbers have no name outside of the crate: those that the machine lacks could be used there.
///
/// ```compile_fail
/// type Register = <f32 as cpu::Real>::Register<fearless_simd::Fallback>;
/// ```
pub trait Real: NumberType {
    /// The loop over a range of boids that suits a rule, by clusters if the flock is dense. Not generic, so that loops are
    /// compiled in this crate.
    fn step_range(registers: Registers, rule: &Rule<Self>, dense: bool) -> StepRange<Self>;

    /// The pass of custom terms, likewise.
    fn formula_requests(registers: Registers) -> formulas::Block<Self>;
}

/// The registers of a number type. Only [`Registers`] chooses those that the machine has.
trait InRegisters: Real {
    /// The register of its numbers at a level of instructions.
    type Register<S: Simd>: Vector<Scalar = Self>;

    /// The loop by the policy that suits a rule. Dense flocks have fewer: most are dense on a plane, in bands, and every loop
    /// takes time to compile.
    fn policy<S: Simd>(rule: &Rule<Self>, dense: bool) -> StepRange<Self> {
        let all_round = !rule.terms.has(Term::Nearest) && !rule.needs_general_sums;
        if !all_round || !rule.shared_neighbourhood() {
            return general_policy::<Self::Register<S>>(rule, dense);
        }
        let plain = rule.separation.used && rule.falloff == Falloff::None;
        match (plain, rule.flat, dense) {
            (true, true, false) => step::<Self::Register<S>, Plain<true>, false>,
            (true, false, false) => step::<Self::Register<S>, Plain<false>, false>,
            (false, _, false) => step::<Self::Register<S>, Shared, false>,
            (true, true, true) => step::<Self::Register<S>, Plain<true>, true>,
            (_, _, true) => step::<Self::Register<S>, Shared, true>,
        }
    }
}

/// The loop by the policies that any rule needs.
fn general_policy<V: Vector<Scalar: Real>>(rule: &Rule<V::Scalar>, dense: bool) -> StepRange<V::Scalar> {
    if dense {
        step::<V, AllRound, true>
    } else if rule.terms.has(Term::Nearest) {
        step::<V, NearestOnly, false>
    } else if rule.needs_general_sums {
        step::<V, FieldOfView, false>
    } else {
        step::<V, AllRound, false>
    }
}

/// [`step_runs`], compiled with the registers' instructions.
fn step<V: Vector, P: Policy, const DENSE: bool>(
    flock: &Sorted<'_, V::Scalar>,
    range: Range<usize>,
    update: &mut Update<'_, V::Scalar>,
) {
    V::vectorize(
        #[inline(always)]
        || step_runs::<V, P, DENSE>(flock, range, update),
    );
}

/// The loops of a number type.
macro_rules! loops {
    () => {
        fn step_range(registers: Registers, rule: &Rule<Self>, dense: bool) -> StepRange<Self> {
            registers.step_range(rule, dense)
        }

        fn formula_requests(registers: Registers) -> formulas::Block<Self> {
            registers.formula_requests()
        }
    };
}

impl Real for f32 {
    loops!();
}

impl InRegisters for f32 {
    type Register<S: Simd> = Floats<S, f32>;
}

impl Real for f64 {
    loops!();
}

impl InRegisters for f64 {
    type Register<S: Simd> = Floats<S, f64>;

    /// Only general policies: steps are measured in f32 and integers, and every loop takes time to compile.
    fn policy<S: Simd>(rule: &Rule<Self>, dense: bool) -> StepRange<Self> {
        general_policy::<Self::Register<S>>(rule, dense)
    }
}

impl Real for Fixed {
    loops!();
}

impl InRegisters for Fixed {
    type Register<S: Simd> = Words<S>;
}

//! Four numbers side by side, in plain code: the least that is a register. Engines have registers of processors.

use core::array::from_fn;

use flock::{Float, Lanes};

/// Four numbers.
#[derive(Clone, Copy, Debug)]
pub struct Quad(pub [f64; 4]);

flock::operators! {
    () Quad: Add add |a, b: Self| Quad(from_fn(|k| a.0[k] + b.0[k]));
    () Quad: Sub sub |a, b: Self| Quad(from_fn(|k| a.0[k] - b.0[k]));
    () Quad: Mul mul |a, b: Self| Quad(from_fn(|k| a.0[k] * b.0[k]));
    () Quad: Div div |a, b: Self| Quad(from_fn(|k| a.0[k] / b.0[k]));
    () Quad: Neg neg |a| Quad(a.0.map(|c| -c));
}

/// A mask, bit k for lane k.
fn mask(holds: impl Fn(usize) -> bool) -> u8 {
    (0..4).filter(|k| holds(*k)).map(|k| 1 << k).sum()
}

impl Lanes for Quad {
    type Scalar = f64;
    type Mask = u8;
    const LANES: usize = 4;

    fn splat(value: f64) -> Self {
        Quad([value; 4])
    }
    fn lanes(&self) -> &[f64] {
        &self.0
    }
    fn lanes_mut(&mut self) -> &mut [f64] {
        &mut self.0
    }
    fn lt(self, other: Self) -> u8 {
        mask(|k| self.0[k] < other.0[k])
    }
    fn le(self, other: Self) -> u8 {
        mask(|k| self.0[k] <= other.0[k])
    }
    fn select(self, mask: u8, other: Self) -> Self {
        Quad(from_fn(|k| if mask >> k & 1 == 1 { self.0[k] } else { other.0[k] }))
    }
    fn any(mask: u8) -> bool {
        mask & 0b1111 != 0
    }
    // Some processors choose the second of two zeros.
    fn min(self, other: Self) -> Self {
        self.select(self.lt(other), other)
    }
    fn max(self, other: Self) -> Self {
        self.select(other.lt(self), other)
    }
    fn sqrt(self) -> Self {
        Quad(self.0.map(Lanes::sqrt))
    }
}

impl Float for Quad {}

//! Registers of [`Fixed`]: the bits of the scalar code, for numbers that fit a word as `flock::fixed::check` has made
//! sure of. Sums wrap where those of single words saturate; neither occurs.

use core::ops::{Div, Mul};

use fearless_simd::{Bytes, MaskNarrow, Select, Simd, SimdBase, SimdInt, SimdIntWiden, SimdMask, SimdNarrow};
use flock::fixed::word::ROOT_LINES;
use flock::fixed::{FAR, HEADING, Layout};
use flock::number::Total;
use flock::parameters::Falloff;
use flock::{Fixed, Lanes, Vec3};

use super::{Vector, compressed, lanes_of_register, token, vector_of_register, write_numbers};

/// The widest register of words at a level of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Words<S: Simd>(S::i32s);

flock::operators! {
    (S: Simd) Words<S>: Add add |a, b: Self| Words(a.0 + b.0);
    (S: Simd) Words<S>: Sub sub |a, b: Self| Words(a.0 - b.0);
    (S: Simd) Words<S>: Neg neg |a| Self::splat(Fixed(0)) - a;
}

impl<S: Simd> Mul for Words<S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::by_lane([self, other], |[a, b]| a * b)
    }
}

impl<S: Simd> Div for Words<S> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self::by_lane([self, other], |[a, b]| a / b)
    }
}

impl<S: Simd> Words<S> {
    /// Lane by lane, for operations without an instruction.
    #[inline(always)]
    fn by_lane<const N: usize>(words: [Self; N], f: impl Fn([Fixed; N]) -> Fixed) -> Self {
        let mut result = words[0];
        for (k, number) in result.lanes_mut().iter_mut().enumerate() {
            *number = f(words.each_ref().map(|words| words.lanes()[k]));
        }
        result
    }

    /// [`Words::by_lane`] for vectors.
    fn vectors_by_lane<const N: usize>(
        vectors: [Vec3<Self>; N],
        f: impl Fn([Vec3<Fixed>; N]) -> Vec3<Fixed>,
    ) -> Vec3<Self> {
        let mut result = vectors[0];
        for k in 0..Self::LANES {
            result.set_lane(k, f(vectors.each_ref().map(|vector| vector.lane(k))));
        }
        result
    }

    // No closures below: one that is not inlined is compiled without the registers' instructions.

    #[inline(always)]
    fn clamp(Vec3 { x, y, z }: Vec3<Self>, most: i32) -> Vec3<Self> {
        let [x, y, z] = [x.0.max(-most), y.0.max(-most), z.0.max(-most)];
        Vec3::new(Words(x.min(most)), Words(y.min(most)), Words(z.min(most)))
    }

    /// Rounded to the nearest, halves up.
    #[inline(always)]
    fn shift_right(self, by: u32) -> Self {
        let half: i32 = (1 << by) >> 1;
        Words((self.0 + half) >> by)
    }

    #[inline(always)]
    fn shift_vector_right(Vec3 { x, y, z }: Vec3<Self>, by: u32) -> Vec3<Self> {
        Vec3::new(x.shift_right(by), y.shift_right(by), z.shift_right(by))
    }

    /// The remainder of the exact offset: fine − offset · 2^by.
    #[inline(always)]
    fn rest(fine: Vec3<Self>, offset: Vec3<Self>, by: u32) -> Vec3<Self> {
        let Vec3 { x, y, z } = offset;
        fine - Vec3::new(Words(x.0 << by), Words(y.0 << by), Words(z.0 << by))
    }

    /// Adds separations that weaken with the distance: they depend only on the fine offset.
    fn add_weakened(
        total: &mut Total<Self>,
        falloff: Falloff,
        layout: &Layout,
        fine: Vec3<Self>,
        mut left: u32,
    ) {
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            let mut single = Total { sum: total.sum.lane(k), rest: total.rest.lane(k) };
            let offset = fine.lane(k);
            Fixed::add_separation(&mut single, falloff, layout, offset, || offset, Fixed(0), true);
            total.sum.set_lane(k, single.sum);
            total.rest.set_lane(k, single.rest);
        }
    }
}

impl<S: Simd> Lanes for Words<S> {
    type Scalar = Fixed;
    lanes_of_register!(S::i32s);

    #[inline(always)]
    fn splat(value: Fixed) -> Self {
        Words(S::i32s::splat(token(), value.0))
    }
    #[inline(always)]
    fn lanes(&self) -> &[Fixed] {
        // SAFETY: a Fixed is a word.
        unsafe { &*(self.0.as_slice() as *const [i32] as *const [Fixed]) }
    }
    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [Fixed] {
        // SAFETY: as above.
        unsafe { &mut *(self.0.as_mut_slice() as *mut [i32] as *mut [Fixed]) }
    }
    fn sqrt(self) -> Self {
        self.map_lanes(Lanes::sqrt)
    }
    /// Plain integers.
    #[inline(always)]
    fn wrapping_times(self, count: Self) -> Self {
        Words(self.0 * count.0)
    }
    fn confine(self) -> Self {
        self.map_lanes(Lanes::confine)
    }
    fn in_unit(self, unit: Fixed) -> Self {
        self * Self::splat(unit)
    }

    // Sums over neighbours.

    #[inline(always)]
    fn coarse_position(position: Vec3<Self>, layout: &Layout) -> Vec3<Self> {
        Self::shift_vector_right(position, layout.position_shift)
    }
    fn heading(velocity: Vec3<Self>) -> Vec3<Self> {
        Self::vectors_by_lane([velocity], |[v]| Fixed::heading(v))
    }
    #[inline(always)]
    fn square(offset: Vec3<Self>) -> Self {
        let Vec3 { x, y, z } = Self::clamp(offset, FAR);
        x.wrapping_times(x) + y.wrapping_times(y) + z.wrapping_times(z)
    }
    #[inline(always)]
    fn ahead(heading: Vec3<Self>, offset: Vec3<Self>) -> (Self, Self) {
        let product = heading.x.wrapping_times(offset.x)
            + heading.y.wrapping_times(offset.y)
            + heading.z.wrapping_times(offset.z);
        let ahead = product.shift_right(HEADING);
        (ahead, ahead.wrapping_times(ahead))
    }
    fn share(cosine_square: Self, heading_square: Self, square: Self) -> Self {
        let words = [cosine_square, heading_square, square];
        Self::by_lane(words, |[all, heading, square]| Fixed::share(all, heading, square))
    }
    fn sideways(heading: Vec3<Self>, _: Self) -> Vec3<Self> {
        Self::vectors_by_lane([heading], |[heading]| Fixed::sideways(heading, Fixed(0)))
    }
    fn aside(
        heading: Vec3<Self>,
        _: Self,
        sideways: Vec3<Self>,
        offset: Vec3<Self>,
        _: Self,
        [velocity, fine]: [Vec3<Self>; 2],
    ) -> Vec3<Self> {
        let vectors = [heading, sideways, offset, velocity, fine];
        Self::vectors_by_lane(vectors, |[heading, sideways, offset, velocity, fine]| {
            Fixed::aside(heading, Fixed(0), sideways, offset, Fixed(0), [velocity, fine])
        })
    }
    #[inline(always)]
    fn add_separation(
        total: &mut Total<Self>,
        falloff: Falloff,
        layout: &Layout,
        offset: Vec3<Self>,
        fine: impl FnOnce() -> Vec3<Self>,
        _square: Self,
        seen: S::mask32s,
    ) {
        if falloff == Falloff::None {
            total.sum = total.sum - offset.mask(seen);
            total.rest = total.rest - Self::rest(fine(), offset, layout.position_shift).mask(seen);
        } else {
            Self::add_weakened(total, falloff, layout, fine(), Self::bits(seen));
        }
    }
    #[inline(always)]
    fn add_velocity(total: &mut Total<Self>, layout: &Layout, velocity: Vec3<Self>, seen: S::mask32s) {
        let coarse = Self::shift_vector_right(velocity, layout.velocity_shift);
        total.sum = total.sum + Self::clamp(coarse, layout.max_velocity).mask(seen);
        if layout.exact_alignment {
            total.rest = total.rest + Self::rest(velocity, coarse, layout.velocity_shift).mask(seen);
        }
    }
    #[inline(always)]
    fn add_offset(
        total: &mut Total<Self>,
        layout: &Layout,
        offset: Vec3<Self>,
        fine: impl FnOnce() -> Vec3<Self>,
        seen: S::mask32s,
    ) {
        total.sum = total.sum + offset.mask(seen);
        if layout.exact_cohesion {
            total.rest = total.rest + Self::rest(fine(), offset, layout.position_shift).mask(seen);
        }
    }

    // Operations of formulas, with the bits of single words: sums are cut to the greatest word.

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Words(self.0.saturating_add(other.0))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Words(self.0.saturating_sub(other.0))
    }
    #[inline(always)]
    fn shifted(self, shift: i8) -> Self {
        let word = self.0;
        Words(match shift {
            0 => word,
            1..=31 => (word >> shift as u32) + (word >> (shift - 1) as u32 & 1),
            32.. => S::i32s::splat(token(), 0),
            _ => {
                let left = u32::from(shift.unsigned_abs()).min(31);
                let long = word << left;
                (long >> left).simd_eq(word).select(long, word >> 31_u32 ^ i32::MAX)
            }
        })
    }
    #[inline(always)]
    fn product(self, other: Self, shift: i8) -> Self {
        let (low, high) = self.0.widening_mul(other.0);
        Words(shifted::<S>(low, shift).saturating_narrow(shifted::<S>(high, shift)))
    }
    #[inline(always)]
    fn quotient(self, other: Self, shift: i8) -> Self {
        if shift > 31 {
            return Self::by_lane([self, other], |[a, b]| a.quotient(b, shift));
        }
        let left = u32::from(shift.min(0).unsigned_abs()).min(31);
        let mut words = self;
        for (a, b) in words.lanes_mut().iter_mut().zip(other.lanes()) {
            a.0 = divided(a.0, left, b.0);
        }
        Words(other.0.simd_eq(0).select(S::i32s::splat(token(), 0), words.0)).shifted(shift.max(0))
    }
    fn root(self, shift: i8) -> Self {
        Self::by_lane([self], |[a]| a.root(shift))
    }
    fn floored(self, from: i8, to: i8) -> Self {
        Self::by_lane([self], |[a]| a.floored(from, to))
    }
    fn fraction_part(self, from: i8, to: i8) -> Self {
        Self::by_lane([self], |[a]| a.fraction_part(from, to))
    }
    fn one(digits: i8) -> Self {
        Self::splat(Fixed::one(digits))
    }
    #[inline(always)]
    fn length_of(vector: Vec3<Self>) -> Self {
        polar(vector).1
    }
    #[inline(always)]
    fn direction_of(vector: Vec3<Self>) -> Vec3<Self> {
        polar(vector).0
    }
}

/// [`mul_high`](flock::fixed::word::mul_high) of each lane.
#[inline(always)]
fn mul_high<S: Simd>(a: S::u32s, b: S::u32s) -> S::u32s {
    let (low, high) = a.widening_mul(b);
    (low >> 32_u32).narrow(high >> 32_u32)
}

/// [`reciprocal_root`](flock::fixed::word::reciprocal_root) of each lane.
#[inline(always)]
fn reciprocal_root<S: Simd>(m: S::u32s) -> S::u32s {
    let [[start, slope], [other_start, other_slope]] = ROOT_LINES;
    let first = m.simd_lt(1 << 31);
    let slope = first.select(S::u32s::splat(token(), slope), S::u32s::splat(token(), other_slope));
    let start = first.select(S::u32s::splat(token(), start), S::u32s::splat(token(), other_start));
    let mut r = start - mul_high::<S>(slope, m);
    for _ in 0..3 {
        let factor = S::u32s::splat(token(), 3 << 28) - mul_high::<S>(m, mul_high::<S>(r, r));
        r = mul_high::<S>(r, factor << 2_u32) << 1_u32;
    }
    r.min((1 << 31) - 1)
}

/// The unit vector and the length of each lane, as [`polar`](flock::fixed::polar) gives them; zero of zero.
#[inline(always)]
fn polar<S: Simd>(v: Vec3<Words<S>>) -> (Vec3<Words<S>>, Words<S>) {
    let (zero, most) = (S::u32s::splat(token(), 0), S::u32s::splat(token(), i32::MAX as u32));
    let words = [v.x.0, v.y.0, v.z.0];
    let (mut parts, mut all) = ([zero; 3], zero);
    for k in 0..3 {
        let sign = words[k] >> 31_u32;
        parts[k] = ((words[k] ^ sign) - sign).bitcast();
        all |= parts[k];
    }
    // The leading zeros, from the exponent; the digit after the first is cleared, so that nothing rounds up to a power.
    let exponent = (all & !(all >> 1_u32)).to_float::<S::f32s>().bitcast::<S::u32s>() >> 23_u32;
    let zeros = (S::u32s::splat(token(), 158) - exponent).min(31);
    let (whole, up) = (zeros.simd_eq(0), zeros.max(1) - 1);
    let mut sum = zero;
    for part in &mut parts {
        *part = whole.select((*part >> 1_u32) + (*part & 1), *part << up);
        sum += mul_high::<S>(*part, *part);
    }
    let small = sum.simd_lt(1 << 30);
    let x = small.select(sum << 2_u32, sum);
    let root = reciprocal_root::<S>(x);
    let none = all.simd_eq(0);
    let mut unit = [v.x; 3];
    for k in 0..3 {
        let part = mul_high::<S>(parts[k], root);
        let part = none.select(zero, small.select(part << 1_u32, part)).bitcast::<S::i32s>();
        let sign = words[k] >> 31_u32;
        unit[k] = Words((part ^ sign) - sign);
    }
    // Three more than the right shift.
    let down = small.select(zeros + 1, zeros);
    let (right, left) = (down.max(4) - 3, S::u32s::splat(token(), 3) - down.min(3));
    let scaled = mul_high::<S>(x, root);
    let short = (scaled + (S::u32s::splat(token(), 1) << (right - 1))) >> right;
    let long = scaled.simd_le(most >> left).select(scaled << left, most);
    let length = none.select(zero, down.simd_le(3).select(long, short));
    (unit.into(), Words(length.bitcast()))
}

/// A product of two words as [`Lanes::product`] shifts it; what is beyond a word is cut later.
#[inline(always)]
fn shifted<S: Simd>(product: S::i64s, by: i8) -> S::i64s {
    match by {
        0 => product,
        1..=62 => (product + (1_i64 << (by - 1))) >> by as u32,
        63.. => S::i64s::splat(token(), 0),
        _ => product.max(-(1_i64 << 31)).min(1_i64 << 31) << u32::from(by.unsigned_abs()).min(31),
    }
}

/// a · 2^left / b, truncated and clamped to a word; any number if b is 0. Vectorised, as registers divide floats only.
#[inline(always)]
fn divided(a: i32, left: u32, b: i32) -> i32 {
    // Added to a word, it leaves the nearest whole number in the lower half.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let exact = f64::from(a) * (1_i64 << left) as f64 / f64::from(b);
    let nearest = (exact.clamp(i32::MIN.into(), i32::MAX.into()) + WHOLE).to_bits() as i32;
    // The rest has the other sign where the quotient is one too far from zero.
    let rest = (i64::from(a) << left) - i64::from(nearest) * i64::from(b);
    let too_far = if a < 0 { rest > 0 } else { rest < 0 };
    if too_far { nearest + if a ^ b < 0 { 1 } else { -1 } } else { nearest }
}

impl<S: Simd> Vector for Words<S> {
    vector_of_register!();

    /// Components are cut to the radius, so that the squares fit.
    #[inline(always)]
    fn near(offset: Vec3<Self>, radius: Fixed) -> S::mask32s {
        let radius = radius.0.saturating_abs();
        let Vec3 { x, y, z } = Self::clamp(offset, radius);
        let [x, y, z] = [x.0.widening_mul(x.0), y.0.widening_mul(y.0), z.0.widening_mul(z.0)];
        let square = S::i64s::splat(token(), i64::from(radius) * i64::from(radius));
        (x.0 + y.0).simd_lt(square - z.0).narrow((x.1 + y.1).simd_lt(square - z.1))
    }
}

#[cfg(test)]
mod tests {
    use flock::Requests;
    use flock::random::draw;

    use super::*;

    /// Words at every scale, the extremes and zero among them.
    fn words<S: Simd>(k: u32) -> Words<S> {
        let mut words = Words::splat(Fixed(0));
        for (lane, word) in words.lanes_mut().iter_mut().enumerate() {
            let drawn = draw(1, k, lane as u32, 2);
            let edges = [0, 1, -1, 3, i32::MAX, i32::MIN, i32::MIN + 1, 1 << 30];
            *word = Fixed(if drawn[1].is_multiple_of(8) {
                edges[drawn[2] as usize % edges.len()]
            } else {
                drawn[0] as i32 >> (drawn[1] % 32)
            });
        }
        words
    }

    /// Compares registers with single words.
    fn compare<S: Simd>() {
        for k in 0..6000_u32 {
            let [a, b, c] = [0, 1, 2].map(|part| words::<S>(3 * k + part));
            let (vector, shift) = (Vec3::new(a, b, c), (k % 256) as u8 as i8);
            let radius = Fixed(c.lanes()[0].0.saturating_abs());
            let direction = Words::direction_of(vector);
            let near = Words::<S>::bits(Words::near(vector, radius));
            let mut kept = [Fixed(0); 16];
            a.write_lanes(near, &mut kept);
            let mut next = kept.iter();
            for lane in 0..Words::<S>::LANES {
                let of = |words: Words<S>| words.lanes()[lane];
                let (x, y, v) = (of(a), of(b), vector.lane(lane));
                let case = format!("{v:?}, shifted by {shift}, radius {radius:?}");
                assert_eq!(of(a.plus(b)), x.plus(y), "{case}");
                assert_eq!(of(a.minus(b)), x.minus(y), "{case}");
                assert_eq!(of(a.shifted(shift)), x.shifted(shift), "{case}");
                assert_eq!(of(a.product(b, shift)), x.product(y, shift), "{case}");
                assert_eq!(of(a.quotient(b, shift)), x.quotient(y, shift), "{case}");
                assert_eq!(of(Words::length_of(vector)), Fixed::length_of(v), "{case}");
                assert_eq!(direction.lane(lane), Fixed::direction_of(v), "{case}");
                let perceived = Fixed::within(v, radius);
                assert_eq!(near >> lane & 1 == 1, perceived, "{case}");
                if perceived {
                    assert_eq!(next.next(), Some(&x), "{case}");
                }
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn formulas_in_registers_have_the_bits_of_single_words() {
        use fearless_simd::{Level, x86};

        compare::<x86::Sse2>();
        if Level::new().as_avx2().is_some() {
            Words::<x86::Avx2>::vectorize(compare::<x86::Avx2>);
        }
        if Level::new().as_avx512().is_some() {
            Words::<x86::Avx512>::vectorize(compare::<x86::Avx512>);
        }
    }
}

//! Angular noise: a random turn of the heading (in 2-D that of Vicsek et al., Phys. Rev. Lett. 75, 1995).
//!
//! In 2-D the turn is uniform within the greatest angle α to either side. In 3-D the new heading is uniform over the
//! cap of half angle α about the old one. The part of a cap within θ has the share sin²(θ/2) / sin²(α/2) of its area,
//! as has the larger of two numbers uniform in (0, 1), squared: sin(θ/2) is their maximum times sin(α/2).
//!
//! ```text
//!       s  α ╲    │ heading h    ╱          h' = cos θ · h + sin θ · s
//!              ╲  │ θ ╱ h'     ╱            cos θ = 1 − 2 sin²(θ/2)
//!                ╲│ ╱        ╱              sin θ = 2 sin(θ/2) cos(θ/2)
//!                 boid
//! ```
//!
//! s is perpendicular to h: to its left in 2-D, at an azimuth uniform in ±180° in 3-D.
//!
//! The error of a requested heading is a turn by a normal angle instead (Couzin et al., J. theor. Biol. 218, 2002): to the
//! left in 2-D where it is positive.

use super::course::{Course, perpendicular};
use crate::number::{Number, Requests, Vec3};
use crate::random::{self, stream};
use crate::rule::Rule;

/// Coefficients of t, t³, t⁵ and t⁷ in sin(π/2·t), over 2²⁴: the error is below 7·10⁻⁷ for t from −1 to 1.
pub const SINE: [i32; 4] = [26_353_500, -10_836_284, 1_332_688, -72_698];

/// The cosine and the sine of an angle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Angle<T> {
    pub cosine: T,
    pub sine: T,
}

impl<T: Number> Angle<T> {
    /// The angle, from the sine and the cosine of its half.
    fn twice(sine: T, cosine: T) -> Self {
        let double = sine + sine;
        Angle { cosine: T::ONE - double * sine, sine: double * cosine }
    }

    /// t · 180°, for t from −1 to 1.
    fn turns(t: T) -> Self {
        Angle::twice(quarter_wave(t), quarter_wave(T::ONE - t.abs()))
    }
}

/// sin(π/2·t) for t from −1 to 1.
fn quarter_wave<T: Number>(t: T) -> T {
    let [a, b, c, d] = SINE.map(T::fraction);
    let square = t * t;
    t * (a + square * (b + square * (c + square * d)))
}

/// The turn θ of a boid, and the azimuth of its direction in 3-D.
pub(super) fn draw<T: Number>(rule: &Rule<T>, step: u32, id: u32) -> [Angle<T>; 2] {
    let words = random::draw(rule.seed, step, id, stream::TURN);
    let [a, b, c, _] = words.map(|word| T::fraction(random::signed(word)));
    if rule.flat {
        return [Angle::turns(rule.noise_turn * a), Angle { cosine: T::ONE, sine: T::ZERO }];
    }
    let half = rule.noise_turn * a.abs().max(b.abs());
    [Angle::twice(half, (T::ONE - half * half).unit_root()), Angle::turns(c)]
}

/// The error of the heading that a boid requests, and the azimuth of its direction in 3-D.
pub(super) fn draw_error<T: Number>(rule: &Rule<T>, step: u32, id: u32) -> [Angle<T>; 2] {
    let words = |stream| random::draw(rule.seed, step, id, stream);
    let ([a, b, c, d], [e, f, azimuth, _]) = (words(stream::GAUSSIAN), words(stream::GAUSSIAN + 1));
    let normal = T::fraction(random::gaussian([a, b, c, d, e, f]));
    [Angle::turns(rule.gaussian_turn * normal), Angle::turns(T::fraction(random::signed(azimuth)))]
}

/// The course with its direction turned by a boid's angle, in 3-D towards an azimuth. The speed stays; a boid at rest
/// has no heading to turn.
#[inline(always)]
pub(super) fn turn_by<L: Requests>(
    rule: &Rule<L::Scalar>,
    ids: &[u32],
    course: Course<L>,
    angles: impl Fn(u32) -> [Angle<L::Scalar>; 2],
) -> Course<L> {
    let Course { velocity, unit, speed, moving } = course;
    let [mut cosine, mut sine, mut right, mut up] = [L::splat(L::Scalar::ZERO); 4];
    for (k, id) in ids.iter().enumerate() {
        let [turn, azimuth] = angles(*id);
        (cosine.lanes_mut()[k], sine.lanes_mut()[k]) = (turn.cosine, turn.sine);
        (right.lanes_mut()[k], up.lanes_mut()[k]) = (azimuth.cosine, azimuth.sine);
    }
    let side = if rule.flat {
        Vec3::new(-unit.y, unit.x, L::splat(L::Scalar::ZERO))
    } else {
        // Only a boid at rest has no perpendicular, and it is not turned.
        let (first, _, _) = L::direction(perpendicular(unit));
        first * right + unit.cross(first) * up
    };
    // The polynomials' cos² + sin² is not 1: without a new direction the speed would drift from step to step.
    let mut way = unit * cosine + side * sine;
    if rule.flat {
        // Not −0, which a file does not keep.
        way.z = L::splat(L::Scalar::ZERO);
    }
    let (turned, _, exists) = L::direction(way);
    let turns = moving & exists;
    let velocity = (turned * speed).select(turns, velocity);
    Course { velocity, unit: turned.select(turns, unit), speed, moving }
}

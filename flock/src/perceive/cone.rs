//! A field of view as a rule tests it.
//!
//! Rule k perceives an offset o when |o| < radius and the angle between heading and o is at most the half angle:
//! v·o ≥ cos(angle)·|v|·|o|, compared as squares with the signs kept apart:
//!
//! ```text
//!      acute cone (cosine ≥ 0)            obtuse cone (cosine < 0)
//!
//!          \  seen /                        seen  \       /  seen
//!           \     /                                \     /
//!            \ α /    heading ↑              seen   \   /   seen        heading ↑
//!             \|/                                    \|/
//!             boid                                   boid
//!                                                  unseen below: the cone about −heading
//!   ahead ≥ 0 and ahead² ≥ share              ahead ≥ 0 or ahead² ≤ share
//! ```
//!
//! Here ahead = v·o and share = cos²α·|v|²·|o|².

use super::Observer;
use crate::number::{Lanes, Number, Vec3};
use crate::rule::View;

impl<L: Lanes> View<L> {
    /// The same field of view in every lane.
    #[inline(always)]
    pub(super) fn splat(view: &View<L::Scalar>) -> Self {
        View {
            radius_square: L::splat(view.radius_square),
            cosine_square: L::splat(view.cosine_square),
            acute: view.acute,
            all_round: view.all_round,
            used: view.used,
        }
    }

    /// Mask of the lanes that perceive the offset; `field_of_view` tests the angle too.
    #[inline(always)]
    pub(super) fn sees(&self, field_of_view: bool, me: &Observer<L>, offset: Vec3<L>, square: L) -> L::Mask {
        let near = square.lt(self.radius_square);
        if !field_of_view || self.all_round {
            return near;
        }
        let (ahead, ahead_square) = L::ahead(me.heading, offset);
        let share = L::share(self.cosine_square, me.heading_square, square);
        let forward = L::splat(L::Scalar::ZERO).le(ahead);
        let within =
            if self.acute { forward & share.le(ahead_square) } else { forward | ahead_square.le(share) };
        near & within
    }
}

//! The camera: maps world coordinates to the screen.
//!
//! Lengths are the bits of the flock's fixed-point numbers. They are shifted to at most 15 bits relative to the middle of
//! the view, and rotated and scaled by a matrix with [`FRACTION`] fractional bits, so every product fits a word.

use super::mark::{LARGE, Mark, SMALL, by_depth, by_heading, heading};
use super::{HEIGHT, WIDTH};
use flock::Fixed;

/// Fractional bits of the matrix.
const FRACTION: u32 = 16;
/// The middle of the screen.
const MIDDLE: [i32; 2] = [WIDTH as i32 / 2, HEIGHT as i32 / 2];
/// Steps of the camera around the flock in a full turn.
const TURN: u32 = 2048;
/// The downward tilt of the camera: sine and cosine of 20°, in units of 2⁻¹⁴.
const DOWN: [i32; 2] = [5604, 15396];

/// A camera.
#[derive(Clone, Copy, Debug)]
pub struct View {
    middle: [i32; 3],
    shift: u32,
    /// The axes to the right, down and away, in pixels per shifted unit.
    rows: [[i32; 3]; 3],
    flat: bool,
    large: bool,
}

impl View {
    /// A two-dimensional world with the corners `least` and `most`, scaled to the screen with its proportions.
    pub fn plane(least: [i32; 2], most: [i32; 2], large: bool) -> Self {
        let half = |axis: usize| ((i64::from(most[axis]) - i64::from(least[axis])) / 2).max(1);
        let middle = [0, 1].map(|axis| (i64::from(least[axis]) + half(axis)) as i32);
        let shift = shift(half(0).max(half(1)));
        // Pixels per shifted unit: the smaller of those that width and height allow.
        let scale = [0, 1].map(|axis| (i64::from(MIDDLE[axis]) << (FRACTION + shift)) / half(axis));
        let scale = scale[0].min(scale[1]).min(1 << 26) as i32;
        let rows = [[scale, 0, 0], [0, scale, 0], [0; 3]];
        View { middle: [middle[0], middle[1], 0], shift, rows, flat: true, large }
    }

    /// A three-dimensional world, from a camera at the angle `turn`, in 2048ths of a full circle. Points within `reach` of
    /// the middle are on the screen. z points up.
    pub fn space(middle: [i32; 3], reach: i32, turn: u32, large: bool) -> Self {
        let reach = i64::from(reach.max(1));
        let shift = shift(reach);
        let scale = ((i64::from(MIDDLE[1] - 8) << (FRACTION + shift)) / reach).min(1 << 26) as i32;
        let [sine, cosine] = [sine(turn), sine(turn + TURN / 4)];
        let scaled = |part: i32| ((i64::from(scale) * i64::from(part)) >> 14) as i32;
        let both = |a: i32, b: i32| scaled((a * b) >> 14);
        let rows = [
            [scaled(cosine), scaled(sine), 0],
            [both(-sine, DOWN[0]), both(cosine, DOWN[0]), scaled(-DOWN[1])],
            [both(-sine, DOWN[1]), both(cosine, DOWN[1]), scaled(DOWN[0])],
        ];
        View { middle, shift, rows, flat: false, large }
    }

    /// The mark of a boid; `None` far outside the view.
    #[inline(always)]
    pub fn mark(&self, position: [Fixed; 3], velocity: [Fixed; 3], group: u32) -> Option<Mark> {
        let velocity = velocity.map(|c| c.0);
        let [x, y] = [self.near(position, 0)?, self.near(position, 1)?];
        let ([x, y], heading, large, colour) = if self.flat {
            let heading = heading([velocity[0], velocity[1]]);
            let pixels = [x * self.rows[0][0], y * self.rows[1][1]].map(|v| v >> FRACTION);
            (pixels, heading, self.large, by_heading(heading, group))
        } else {
            let place = [x, y, self.near(position, 2)?];
            let [x, y, away] = self.rows.map(|row| along(row, place) >> FRACTION);
            // Perspective: the front of the view is drawn half as large again as the back.
            let closer = 256 - (away >> 2);
            // Only the direction counts, so the last bits and the unit of the velocity are dropped.
            let course = velocity.map(|v| v >> 8);
            let heading = heading([0, 1].map(|k| along(self.rows[k].map(|m| m >> 8), course)));
            // Four shades from the front of the view to its back.
            let depth = (away + MIDDLE[1]).clamp(0, 2 * MIDDLE[1] - 1) as usize / (HEIGHT / 4);
            let pixels = [x, y].map(|v| (v * closer) >> 8);
            (pixels, heading, self.large && depth < 2, by_depth(depth, group))
        };
        let shape = &(if large { &LARGE } else { &SMALL })[heading];
        Some(Mark { x: x + MIDDLE[0], y: y + MIDDLE[1], shape, colour })
    }

    /// A coordinate relative to the middle in shifted units; `None` beyond 15 bits.
    #[inline(always)]
    fn near(&self, position: [Fixed; 3], axis: usize) -> Option<i32> {
        let from = position[axis].0.wrapping_sub(self.middle[axis]) >> self.shift;
        (from.wrapping_add(1 << 14) as u32 >> 15 == 0).then_some(from)
    }
}

/// The shift that reduces a half length to 13 bits.
fn shift(half: i64) -> u32 {
    (64 - half.leading_zeros()).saturating_sub(13)
}

#[inline(always)]
fn along(row: [i32; 3], place: [i32; 3]) -> i32 {
    let [x, y, z] = [0, 1, 2].map(|axis| row[axis].wrapping_mul(place[axis]));
    x.wrapping_add(y).wrapping_add(z)
}

/// The sine of an angle in units of 2⁻¹⁴, to within 1 in 500, by Bhaskara's approximation (c. 629).
fn sine(turn: u32) -> i32 {
    const HALF: i32 = TURN as i32 / 2;
    let turn = (turn % TURN) as i32;
    let at = turn % HALF;
    let product = at * (HALF - at);
    let sine = (i64::from(4 * product) << 14) / i64::from(5 * HALF * HALF / 4 - product);
    (if turn < HALF { sine } else { -sine }) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: [Fixed; 3] = [Fixed(0), Fixed(-4096), Fixed(0)];

    fn place(view: &View, position: [i32; 3]) -> Option<(i32, i32)> {
        view.mark(position.map(Fixed), UP, 0).map(|mark| (mark.x, mark.y))
    }

    #[test]
    fn any_plane_world_fills_the_screen_and_keeps_its_proportions() {
        for (least, most, corner) in [
            ([-(100 << 20), -(100 << 20)], [100 << 20, 100 << 20], (80, 0)),
            ([5, 5], [5 + 3200, 5 + 800], (0, 160)),
            ([-(1 << 30), -7], [1 << 30, 7], (0, 239)),
        ] {
            let view = View::plane(least, most, true);
            let (x, y) = place(&view, [least[0], least[1], 0]).expect("a corner is seen");
            assert!(x.abs_diff(corner.0) <= 1 && y.abs_diff(corner.1) <= 1, "{least:?}: {x} {y}");
            let (x, y) = place(&view, [most[0], most[1], 0]).expect("a corner is seen");
            assert!(x.abs_diff(640 - corner.0) <= 1 && y.abs_diff(480 - corner.1) <= 1, "{most:?}: {x} {y}");
        }
    }

    #[test]
    fn in_space_up_is_up_and_what_is_near_is_bright_from_wherever_one_looks() {
        for turn in (0..TURN).step_by(64) {
            let view = View::space([1000, -2000, 500], 900_000, turn, true);
            assert_eq!(place(&view, [1000, -2000, 500]), Some((320, 240)));
            let (x, y) = place(&view, [1000, -2000, 400_000]).expect("it is seen");
            assert!(x == 320 && y < 200, "{turn}: {x} {y}");
            // Away from the camera, on the ground, from near to far.
            let away = [sine(turn), sine(turn + TURN / 4)].map(|part| part * 40);
            let shade = |steps: i32| {
                let position = [1000 - away[0] * steps, away[1] * steps - 2000, 500];
                let mark = view.mark(position.map(Fixed), UP, 0).expect("it is seen");
                (0..4).position(|depth| by_depth(depth, 0) == mark.colour)
            };
            let depths = [-1, 0, 1].map(shade);
            assert!(depths[0] < depths[1] && depths[1] < depths[2], "{turn}: {depths:?}");
        }
    }

    #[test]
    fn a_heading_in_space_is_the_one_that_is_seen() {
        let view = View::space([0; 3], 1 << 24, 0, false);
        let heading = |velocity: [i32; 3]| {
            let mark = view.mark([Fixed(0); 3], velocity.map(Fixed), 0).expect("it is seen");
            SMALL.iter().position(|shape| core::ptr::eq(shape, mark.shape))
        };
        assert_eq!(heading([1 << 20, 0, 0]), Some(0), "to the right");
        assert_eq!(heading([0, 0, 1 << 20]), Some(12), "up");
        assert_eq!(heading([-(1 << 20), 0, 0]), Some(8), "to the left");
    }
}

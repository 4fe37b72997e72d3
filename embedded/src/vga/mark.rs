//! The mark of a boid on the screen: a dart of six or seven pixels, in sixteen directions; and the sixteen colours. The bits
//! of a pixel are, from the lowest: green by a third, green by two thirds, blue, red.
//!
//! Followers have cool colours by heading; scouts and predators have warm colours.

use flock::parameters::MAX_GROUPS;
use flock::state::group;

/// Number of directions.
pub const HEADINGS: usize = 16;
/// Rows of a mark, and pixels in its longest row.
pub const SIZE: usize = 7;

/// A mark to draw: its centre, shape and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub x: i32,
    pub y: i32,
    pub shape: &'static Shape,
    pub colour: Colour,
}

/// The pixels of a mark: a word per row, four bits per pixel.
pub type Shape = [u32; SIZE];

/// Darts by heading, clockwise from the right.
pub static SMALL: [Shape; HEADINGS] = darts(6);
pub static LARGE: [Shape; HEADINGS] = darts(7);

/// The direction of a velocity, 0 to 15: 0 to the right, 4 down, 8 to the left.
#[inline(always)]
pub fn heading(velocity: [i32; 2]) -> usize {
    let [x, y] = velocity.map(|v| v.unsigned_abs() >> 4);
    let (long, short) = if x > y { (x, y) } else { (y, x) };
    // Boundaries at 11.25° and 33.75°, whose tangents are nearly 1/5 and 2/3.
    let tilt = if 5 * (short >> 4) < long >> 4 {
        0
    } else if 3 * (short >> 2) < 2 * (long >> 2) {
        1
    } else {
        2
    };
    let quarter = if x > y { tilt } else { 4 - tilt };
    let half = if velocity[0] < 0 { 8 - quarter } else { quarter };
    (if velocity[1] < 0 { HEADINGS - half } else { half }) % HEADINGS
}

/// Cosines of the headings, times 1,000.
const COSINES: [i32; HEADINGS] =
    [1000, 924, 707, 383, 0, -383, -707, -924, -1000, -924, -707, -383, 0, 383, 707, 924];

const fn darts(length: i32) -> [Shape; HEADINGS] {
    let mut shapes = [[0; SIZE]; HEADINGS];
    let mut heading = 0;
    while heading < HEADINGS {
        shapes[heading] = dart(heading, length);
        heading += 1;
    }
    shapes
}

/// A dart: a narrow triangle with a notch at its tail, in a square of `length` pixels.
const fn dart(heading: usize, length: i32) -> Shape {
    let (cosine, sine) = (COSINES[heading], COSINES[(heading + 12) % HEADINGS]);
    let middle = (SIZE / 2) as i32;
    let mut shape = [0; SIZE];
    let mut row = 0;
    while row < SIZE as i32 {
        let mut column = 0;
        while column < SIZE as i32 {
            let (x, y) = (column - middle, row - middle);
            // In thousandths of a pixel, along the heading and across it.
            let along = x * cosine + y * sine;
            let across = (y * cosine - x * sine).abs();
            let half = length * 500;
            let inside = 3 * across <= half - along + 600 && along + half >= 800 - across;
            if inside && along.abs() <= half {
                shape[row as usize] |= 0xf << (4 * column);
            }
            column += 1;
        }
        row += 1;
    }
    shape
}

/// A pixel's four bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8);

const fn of(red: u8, green: u8, blue: u8) -> Colour {
    Colour(red << 3 | blue << 2 | green)
}

pub const WHITE: Colour = of(1, 3, 1);
/// Labels and figures of the status line.
pub const LABEL: Colour = of(0, 2, 1);
pub const FIGURE: Colour = WHITE;
pub const PREDATOR: Colour = of(1, 0, 0);

/// By heading, clockwise from the right, in steps of 45°.
const COLOURS: [Colour; 8] = [
    of(0, 3, 1), // cyan
    of(0, 2, 1), // azure
    of(0, 1, 1), // blue
    of(1, 0, 1), // magenta
    of(1, 1, 1), // pink
    of(1, 2, 1), // light pink
    of(0, 3, 0), // green
    of(0, 2, 0), // leaf green
];

/// By group and depth from near to far: followers, scouts to the right, scouts to the left, the other groups. Sixteen
/// colours are too few for all: some headings of group 0 share a colour with another group.
const DEPTHS: [[Colour; 4]; MAX_GROUPS] = [
    [of(0, 3, 1), of(0, 2, 1), of(0, 1, 1), of(0, 0, 1)],
    [of(1, 3, 0), of(1, 3, 0), of(1, 2, 0), of(1, 2, 0)],
    [of(1, 1, 0), of(1, 1, 0), of(1, 1, 0), of(1, 0, 0)],
    [of(1, 0, 1); 4],
    [of(0, 3, 0); 4],
    [of(0, 0, 1); 4],
    [of(1, 2, 1); 4],
    [of(0, 1, 0); 4],
];

/// A boid's colour in two dimensions, by its heading (0 to 15) and its group.
#[inline(always)]
pub fn by_heading(heading: usize, group: u32) -> Colour {
    match group {
        group::NONE => COLOURS[heading.div_ceil(2) % COLOURS.len()],
        _ => by_depth(0, group),
    }
}

/// A boid's colour in three dimensions, by its depth (0 is near, 3 is far) and its group.
#[inline(always)]
pub fn by_depth(depth: usize, group: u32) -> Colour {
    DEPTHS[group as usize % MAX_GROUPS][depth.min(3)]
}

impl Colour {
    /// A word of eight pixels of this colour.
    #[inline(always)]
    pub fn word(self) -> u32 {
        u32::from(self.0) * 0x1111_1111
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn a_heading_is_the_nearest_of_sixteen_whatever_the_speed() {
        for degree in 0..720 {
            // The offset keeps clear of the boundaries, where integers may fall to either side.
            let angle = f64::from(degree) / 2.0 + 0.1;
            let exact = angle / 22.5;
            if (exact - exact.floor() - 0.5).abs() < 0.07 {
                continue;
            }
            let (sine, cosine) = (TAU * angle / 360.0).sin_cos();
            for speed in [5e3, 1e5, 2e9] {
                let velocity = [cosine * speed, sine * speed].map(|v| v as i32);
                assert_eq!(heading(velocity), exact.round() as usize % HEADINGS, "{angle}° at {speed}");
            }
        }
        for extreme in [[i32::MIN, i32::MIN], [i32::MAX, i32::MIN], [0, 0], [1, -1]] {
            assert!(heading(extreme) < HEADINGS);
        }
    }
}

//! The sixteen colours. The bits of a pixel are, from the lowest: green by a third, green by two thirds, blue, red.
//!
//! Followers have cool colours by heading; scouts and predators have warm colours.

use flock::parameters::MAX_GROUPS;
use flock::state::group;

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
const HEADINGS: [Colour; 8] = [
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
        group::NONE => HEADINGS[heading.div_ceil(2) % HEADINGS.len()],
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

//! The level of an H.264 stream: what a decoder must be able to do (ITU-T H.264, table A-1).

use crate::film::Shape;

/// A level as the stream has it, ten times its number, with its most macroblocks a second and in a frame.
const LEVELS: [(u8, u64, u64); 19] = [
    (10, 1_485, 99),
    (11, 3_000, 396),
    (12, 6_000, 396),
    (13, 11_880, 396),
    (20, 11_880, 396),
    (21, 19_800, 792),
    (22, 20_250, 1_620),
    (30, 40_500, 1_620),
    (31, 108_000, 3_600),
    (32, 216_000, 5_120),
    (40, 245_760, 8_192),
    (41, 245_760, 8_192),
    (42, 522_240, 8_704),
    (50, 589_824, 22_080),
    (51, 983_040, 36_864),
    (52, 2_073_600, 36_864),
    (60, 4_177_920, 139_264),
    (61, 8_355_840, 139_264),
    (62, 16_711_680, 139_264),
];

/// The lowest level for frames of this size and rate.
pub(super) fn level(shape: Shape) -> u8 {
    let [width, height] = [shape.width, shape.height].map(|side| u64::from(side.div_ceil(16)));
    let (blocks, rate) = (width * height, u64::from(shape.fps));
    let longest = width.max(height);
    let enough = |(_, a_second, a_frame): &&(u8, u64, u64)| {
        blocks * rate <= *a_second && blocks <= *a_frame && longest * longest <= 8 * a_frame
    };
    // No film is too large for the highest level.
    LEVELS.iter().find(enough).map_or(62, |(level, ..)| *level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_is_that_of_the_standard() {
        // Frame rates that the standard gives for sizes at its levels (table A-6), and one frame a second more.
        for (width, height, fps, expected) in [
            (176, 144, 15, 10),
            (176, 144, 16, 11),
            (352, 288, 30, 13),
            (352, 288, 31, 21),
            (720, 576, 25, 30),
            (720, 576, 26, 31),
            (1280, 720, 30, 31),
            (1280, 720, 60, 32),
            (1280, 720, 61, 40),
            (1280, 720, 120, 42),
            (1920, 1080, 30, 40),
            (1920, 1080, 60, 42),
            (1920, 1080, 120, 51),
            (3840, 2160, 30, 51),
            (3840, 2160, 60, 52),
            (3840, 2160, 240, 61),
            (16, 3840, 1, 40),
        ] {
            assert_eq!(level(Shape { width, height, fps }), expected, "{width} x {height} at {fps}");
        }
    }
}

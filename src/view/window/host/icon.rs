//! The window's icon, drawn by code: three birds before a sky at dusk.

use winit::window::Icon;

/// Pixels a side.
const SIDE: u32 = 64;
/// The middle of each bird and its span, in shares of a side.
const BIRDS: [([f32; 2], f32); 3] = [([0.44, 0.36], 0.52), ([0.70, 0.62], 0.32), ([0.28, 0.72], 0.26)];
const BIRD: [f32; 3] = [24.0, 22.0, 34.0];
const ABOVE: [f32; 3] = [88.0, 108.0, 156.0];
const BELOW: [f32; 3] = [246.0, 178.0, 118.0];

/// The icon; none where the system has no room for it.
pub(super) fn icon() -> Option<Icon> {
    Icon::from_rgba(pixels(), SIDE, SIDE).ok()
}

/// Red, green, blue and opacity of each pixel, row by row from the top.
fn pixels() -> Vec<u8> {
    (0..SIDE * SIDE).flat_map(|index| pixel(index % SIDE, index / SIDE)).collect()
}

fn pixel(column: u32, row: u32) -> [u8; 4] {
    // Four by four samples a pixel make smooth edges.
    const FINE: u32 = 4;
    let mut sum = [0.0_f32; 4];
    for sample in 0..FINE * FINE {
        let at = |pixel: u32, part: u32| (pixel as f32 + (part as f32 + 0.5) / FINE as f32) / SIDE as f32;
        let place = [at(column, sample % FINE), at(row, sample / FINE)];
        if !in_frame(place) {
            continue;
        }
        let bird = BIRDS.iter().any(|(middle, span)| is_bird(place, *middle, *span));
        let sky = |k: usize| ABOVE[k] + (BELOW[k] - ABOVE[k]) * place[1];
        (0..3).for_each(|k| sum[k] += if bird { BIRD[k] } else { sky(k) });
        sum[3] += 1.0;
    }
    let inside = sum[3].max(1.0);
    let [r, g, b] = [0, 1, 2].map(|k| (sum[k] / inside) as u8);
    [r, g, b, (255.0 * sum[3] / (FINE * FINE) as f32) as u8]
}

/// Within a square with round corners.
fn in_frame([x, y]: [f32; 2]) -> bool {
    const RADIUS: f32 = 0.2;
    let beyond = |c: f32| ((c - 0.5).abs() - (0.5 - RADIUS)).max(0.0);
    beyond(x).hypot(beyond(y)) <= RADIUS
}

/// Two wings that rise from the body and bend down to their tips.
fn is_bird([x, y]: [f32; 2], [middle_x, middle_y]: [f32; 2], span: f32) -> bool {
    let (across, down) = (((x - middle_x) / (0.5 * span)).abs(), (y - middle_y) / (0.5 * span));
    // From the body at 0 to the tip at 1.
    let (wing, thick) = (1.6 * across * (across - 0.75), 0.26 * (1.0 - across));
    across <= 1.0 && (down - wing).abs() <= thick
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_icon_shows_birds_on_a_sky_with_round_corners() {
        let pixels = pixels();
        assert!(icon().is_some());
        let at = |column: u32, row: u32| &pixels[4 * (row * SIDE + column) as usize..][..4];
        assert_eq!((at(0, 0)[3], at(SIDE / 2, 2)[3]), (0, 255));
        let dark = pixels.chunks(4).filter(|pixel| pixel[3] == 255 && pixel[0] < 40).count();
        assert!((100..1200).contains(&dark), "{dark}");
    }
}

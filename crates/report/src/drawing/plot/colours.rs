//! The colours of plots: all can be told apart by colour-blind readers.

use vello_cpu::peniko::Color;

/// Red, green and blue, in sRGB.
pub type Rgb = [u8; 3];

pub(super) const GROUND: Color = Color::from_rgb8(0xff, 0xff, 0xff);
pub(super) const FAINT: Color = Color::from_rgb8(0x5f, 0x68, 0x73);
pub(super) const GRID: Color = Color::from_rgb8(0xe2, 0xe0, 0xd9);
pub(super) const FINE: Color = Color::from_rgb8(0xf0, 0xee, 0xe9);
pub(super) const LIMIT: Color = Color::from_rgb8(0xc8, 0x1d, 0x25);

/// The palette of Okabe and Ito (Color Universal Design, 2008) without its yellow, which is too light for a line on
/// white, and with its black last.
const SERIES: [Rgb; 7] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x00, 0x00, 0x00],
];

/// Samples of viridis (van der Walt and Smith, 2015), perceptually uniform from dark to light.
const VIRIDIS: [Rgb; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

/// The colour of curve `index` of `count`: of the palette, or along viridis, up to where it is too light for a line.
pub fn series(index: usize, count: usize) -> Rgb {
    let palette = SERIES.get(index).filter(|_| count <= SERIES.len());
    palette.copied().unwrap_or_else(|| shade(0.88 * index as f64 / (count - 1) as f64))
}

/// The colour of a share of a range.
pub(super) fn shade(share: f64) -> Rgb {
    let at = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let low = (at as usize).min(VIRIDIS.len() - 2);
    let between = |k: usize| {
        let [a, b] = [VIRIDIS[low][k], VIRIDIS[low + 1][k]].map(f64::from);
        (a + (at - low as f64) * (b - a)).round() as u8
    };
    [0, 1, 2].map(between)
}

/// A colour to paint with.
pub(super) fn paint([r, g, b]: Rgb) -> Color {
    Color::from_rgb8(r, g, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_grow_lighter_all_the_way() {
        assert_eq!([shade(0.0), shade(0.5), shade(1.0)], [VIRIDIS[0], VIRIDIS[4], VIRIDIS[8]]);
        let light = |[r, g, b]: Rgb| 0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b);
        let lights: Vec<f64> = (0..=40).map(|k| light(shade(f64::from(k) / 40.0))).collect();
        assert!(lights.is_sorted_by(|a, b| a < b), "{lights:?}");
        assert_eq!([shade(-1.0), shade(2.0)], [VIRIDIS[0], VIRIDIS[8]]);
    }

    #[test]
    fn curves_have_colours_of_their_own() {
        for count in [1, 7, 8, 20] {
            let all: std::collections::HashSet<Rgb> = (0..count).map(|k| series(k, count)).collect();
            assert_eq!(all.len(), count);
        }
    }
}

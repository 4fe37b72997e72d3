//! The colours of plots, which colour-blind readers can tell apart.

use vello_cpu::peniko::Color;

use crate::drawing::{Rgb, paint, rgb};

pub(super) const GROUND: Color = paint(rgb(0xffffff));
pub(super) const FAINT: Color = paint(rgb(0x5f6873));
pub(super) const GRID: Color = paint(rgb(0xe2e0d9));
pub(super) const FINE: Color = paint(rgb(0xf0eee9));
pub(super) const LIMIT: Color = paint(rgb(0xc81d25));

/// The palette of Okabe and Ito (Color Universal Design, 2008) without its yellow, which is too light for a line on
/// white, and with its black last.
const SERIES: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000];

/// Samples of viridis (van der Walt and Smith, 2015), perceptually uniform from dark to light.
const VIRIDIS: [u32; 9] =
    [0x440154, 0x472c7a, 0x3b518b, 0x2c718e, 0x21908d, 0x27ad81, 0x5cc863, 0xaadc32, 0xfde725];

/// The colour of curve `index` of `count`: from the palette, or from viridis without its lightest part.
pub fn series(index: usize, count: usize) -> Rgb {
    let palette = SERIES.get(index).filter(|_| count <= SERIES.len());
    palette.map_or_else(|| shade(0.88 * index as f64 / (count - 1) as f64), |hex| rgb(*hex))
}

/// The viridis colour at `share`, 0…1.
pub(super) fn shade(share: f64) -> Rgb {
    let at = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let low = (at as usize).min(VIRIDIS.len() - 2);
    let between = |k: usize| {
        let [a, b] = [low, low + 1].map(|sample| f64::from(rgb(VIRIDIS[sample])[k]));
        (a + (at - low as f64) * (b - a)).round() as u8
    };
    [0, 1, 2].map(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_have_colours_of_their_own() {
        for count in [1, 7, 8, 20] {
            let all: std::collections::HashSet<Rgb> = (0..count).map(|k| series(k, count)).collect();
            assert_eq!(all.len(), count);
        }
    }
}

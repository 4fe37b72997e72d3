//! 255 colours for a whole film.

use color_quant::NeuQuant;

/// Bits per channel of the histogram's colours.
const COUNT_BITS: u32 = 6;
/// Bits per channel of the cache of nearest entries.
const CACHE_BITS: u32 = 7;
/// Marks an entry of the cache that is not known yet; also the index left free for "transparent".
pub(super) const FREE: u8 = 255;

/// Counts the colours of the frames.
pub(super) struct Histogram(Vec<u32>);

impl Histogram {
    pub(super) fn new() -> Self {
        Self(vec![0; 1 << (3 * COUNT_BITS)])
    }

    pub(super) fn add(&mut self, rgb: [u8; 3]) {
        let count = &mut self.0[cell(rgb, COUNT_BITS)];
        *count = count.saturating_add(1);
    }

    /// The palette that best represents the counted colours.
    ///
    /// The weight of a colour is the square root of its count: most of a picture is sky, but the few
    /// pixels of a bird also need their colours.
    pub(super) fn palette(&self) -> Palette {
        let weights = self.0.iter().map(|&count| f64::from(count).sqrt());
        let unit = (weights.clone().sum::<f64>() / 250_000.0).max(1e-9);
        let repeated = |(index, weight): (usize, f64)| centre(index).repeat((weight / unit).ceil() as usize);
        let pixels: Vec<u8> = weights.enumerate().flat_map(repeated).collect();
        let network = NeuQuant::new(1, usize::from(FREE), &pixels);
        let colours = network.color_map_rgb().as_chunks::<3>().0.to_vec();
        Palette { colours, cache: vec![FREE; 1 << (3 * CACHE_BITS)] }
    }
}

/// The index of a colour's cell in a cube with `bits` bits per channel.
fn cell([r, g, b]: [u8; 3], bits: u32) -> usize {
    let cut = |channel: u8| usize::from(channel >> (8 - bits));
    (cut(r) << (2 * bits)) | (cut(g) << bits) | cut(b)
}

/// The pixel in the middle of a cell.
fn centre(index: usize) -> [u8; 4] {
    let mask = (1 << COUNT_BITS) - 1;
    let half = 1 << (7 - COUNT_BITS);
    let channel = |shift: u32| ((((index >> shift) & mask) << (8 - COUNT_BITS)) + half) as u8;
    [channel(2 * COUNT_BITS), channel(COUNT_BITS), channel(0), 255]
}

/// Up to 255 colours, and the nearest of them to any other.
pub(super) struct Palette {
    colours: Vec<[u8; 3]>,
    cache: Vec<u8>,
}

impl Palette {
    /// The colour table of a GIF: 256 entries, the last one free.
    pub(super) fn table(&self) -> Vec<u8> {
        let mut table = self.colours.concat();
        table.resize(3 * 256, 0);
        table
    }

    /// The index of the colour nearest to `rgb`.
    pub(super) fn nearest(&mut self, rgb: [u8; 3]) -> u8 {
        let cell = cell(rgb, CACHE_BITS);
        if self.cache[cell] == FREE {
            let distance = |colour: &[u8; 3]| -> i32 {
                let square = |k: usize| (i32::from(colour[k]) - i32::from(rgb[k])).pow(2);
                // The eye is most sensitive to green and least to blue.
                3 * square(0) + 6 * square(1) + 2 * square(2)
            };
            let nearest = (0..self.colours.len()).min_by_key(|&k| distance(&self.colours[k]));
            self.cache[cell] = nearest.unwrap_or(0) as u8;
        }
        self.cache[cell]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_a_rare_colour() {
        let mut histogram = Histogram::new();
        for k in 0..1_000_000_u32 {
            let shade = (k % 64) as u8;
            histogram.add([shade / 2, shade / 2, shade]);
        }
        for _ in 0..400 {
            histogram.add([250, 40, 30]);
        }
        let mut palette = histogram.palette();
        assert_eq!(palette.table().len(), 768);
        let index = palette.nearest([250, 40, 30]);
        let found = palette.colours[usize::from(index)];
        assert!(found[0] > 225 && found[1] < 65 && found[2] < 55, "{found:?}");
        let index = palette.nearest([16, 16, 32]);
        let found = palette.colours[usize::from(index)];
        assert!(found[0].abs_diff(16) <= 4 && found[2].abs_diff(32) <= 4, "{found:?}");
    }
}

//! Measures of the whole flock, by reductions on the GPU, for the live charts: cheap enough for every frame.

use super::buffers::ROWS;

/// Measures of a flock; all zero if it is empty.
///
/// Centre and gyration use the unwrapped positions. In a world that wraps they are valid only for a flock that crosses
/// no edge; `flock::measures`, the source of the files' columns, takes circular means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// |Σ v/|v|| / N, in [0, 1].
    pub polarization: f32,
    /// Centre of mass, in units of length.
    pub centre: [f32; 3],
    /// Radius of gyration, in units of length.
    pub gyration: f32,
    /// Standard deviations of the positions along the axes, in units of length.
    pub deviation: [f32; 3],
}

/// The measures from the totals that `shaders/measure.wgsl` and
/// `shaders/measure_spread.wgsl` describe; `middle` is the world's centre.
pub fn from_totals(totals: &[[f32; 4]; ROWS as usize], middle: [f32; 3]) -> Measures {
    let [offsets, headings, spread] = totals;
    let boids = offsets[3];
    if boids <= 0.0 {
        return Measures::default();
    }
    let [x, y, z, _] = headings;
    Measures {
        polarization: (x * x + y * y + z * z).sqrt() / boids,
        centre: std::array::from_fn(|k| middle[k] + offsets[k] / boids),
        gyration: (spread[3] / boids).sqrt(),
        deviation: std::array::from_fn(|k| (spread[k] / boids).sqrt()),
    }
}

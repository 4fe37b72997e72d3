//! A box around nearly all of a flock: a few stragglers do not shrink the others in the picture.

/// Boids whose positions are sorted, at most.
const SAMPLE: usize = 8192;
/// Share of the boids on each side that the box leaves out.
const OUTLIERS: f64 = 0.02;
/// Share of the box that is added on each side.
const MARGIN: f32 = 0.08;

/// The corners of a box around all but 2 % of the finite positions on each side, and a margin; `size` is the length of
/// a boid. `None` where there are none.
pub fn robust(count: usize, position: impl Fn(usize) -> [f32; 3], size: f32) -> Option<[[f32; 3]; 2]> {
    let stride = count.div_ceil(SAMPLE).max(1);
    let (mut min, mut max) = ([0.0; 3], [0.0; 3]);
    for (axis, (low, high)) in min.iter_mut().zip(&mut max).enumerate() {
        let all = (0..count).step_by(stride).map(|index| position(index)[axis]);
        let mut sample: Vec<f32> = all.filter(|c| c.is_finite()).collect();
        sample.sort_unstable_by(f32::total_cmp);
        let left_out = (sample.len() as f64 * OUTLIERS) as usize;
        let least = *sample.get(left_out)?;
        let most = *sample.get(sample.len() - 1 - left_out)?;
        let margin = MARGIN * (most - least) + 2.0 * size;
        (*low, *high) = (least - margin, most + margin);
    }
    Some([min, max])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_outliers_and_nan_do_not_widen_the_box() {
        // 1,000 boids in a cube of side 10.
        let plain = |k: usize| [k % 10, k / 10 % 10, k / 100].map(|c| c as f32);
        let strays = |k: usize| match k {
            3 => [1e6; 3],
            4 => [f32::NAN, 0.0, 0.0],
            _ => plain(k),
        };
        let [low, high] = robust(1000, plain, 0.1).expect("a flock has bounds");
        let [min, max] = robust(1000, strays, 0.1).expect("a flock has bounds");
        assert!((0..3).all(|k| (min[k] - low[k]).abs() < 2.0 && (max[k] - high[k]).abs() < 2.0));
        assert_eq!(robust(0, plain, 0.1), None);
    }
}

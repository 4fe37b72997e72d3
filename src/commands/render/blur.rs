//! Motion blur: the mean of pictures of a moment ago to now, in linear light.

use ecolor::{gamma_u8_from_linear_f32, linear_f32_from_gamma_u8};
use flock::Parameters;

/// The part of a frame's time in which the shutter is open.
const SHUTTER: f32 = 0.5;

/// The state of the motion blur.
#[derive(Clone, Debug)]
pub(super) struct Blur {
    pictures: u32,
    /// Time between two pictures of a frame.
    apart: f32,
    /// Linear light of each 8-bit value of sRGB.
    light: Vec<f32>,
    sums: Vec<f32>,
}

impl Blur {
    /// The mean of so many pictures; frames are `every` steps apart.
    pub fn new(pictures: u32, every: u64, parameters: &Parameters) -> Self {
        let frame = every as f32 * parameters.motion.time_step as f32;
        let light = (0..=255).map(linear_f32_from_gamma_u8).collect();
        Blur { pictures, apart: SHUTTER * frame / pictures as f32, light, sums: Vec::new() }
    }

    /// The mean of what `picture` gives for a time ahead of now.
    pub fn mean<E>(&mut self, picture: &mut dyn FnMut(f32) -> Result<Vec<u8>, E>) -> Result<Vec<u8>, E> {
        if self.pictures == 1 {
            return picture(0.0);
        }
        let mut pixels = Vec::new();
        self.sums.clear();
        // The earliest first: trails grow from picture to picture.
        for k in (0..self.pictures).rev() {
            pixels = picture(-(k as f32) * self.apart)?;
            self.sums.resize(pixels.len(), 0.0);
            for (sum, value) in self.sums.iter_mut().zip(&pixels) {
                *sum += self.light[usize::from(*value)];
            }
        }
        let share = 1.0 / self.pictures as f32;
        for (pixel, sum) in pixels.as_chunks_mut::<4>().0.iter_mut().zip(self.sums.as_chunks::<4>().0) {
            for (value, sum) in pixel.iter_mut().zip(sum).take(3) {
                *value = gamma_u8_from_linear_f32(sum * share);
            }
        }
        Ok(pixels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_the_mean_of_what_was_half_a_frame_ago_to_now() {
        let mut parameters = Parameters::default();
        parameters.motion.time_step = 0.5;
        let mut blur = Blur::new(4, 8, &parameters);
        let mut times = Vec::new();
        let mut picture = |shift: f32| {
            times.push(shift);
            // White at one of four moments: a quarter of the light.
            Ok(vec![if shift == 0.0 { 255 } else { 0 }, 128, 0, 255])
        };
        let mean = blur.mean::<()>(&mut picture).expect("pictures");
        assert_eq!(times, [-1.5, -1.0, -0.5, 0.0]);
        assert_eq!(mean, [137, 128, 0, 255]);
    }
}

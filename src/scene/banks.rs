//! How far birds roll in their turns, kept by id from picture to picture.
//!
//! An engine keeps no headings but the last, so a turn is what a heading has changed by since the last picture. It is
//! counted in steps, not in time, so that films are the same bits on a machine of any speed.

use super::resources;
use gpu::Gpu;

/// The part of a bank that is left after a step: a bird rolls within two beats of its wings.
const LEFT: f64 = 0.95;

/// The turn of a step, in radians, that banks a bird by 45 degrees: gravity.
const DIAGONAL: f64 = 0.03;

/// Steps after which birds bank as if they had been drawn ever since: a seventh of a level start is left.
pub const SETTLING: u64 = 40;

/// Bytes a bird.
const STRIDE: u64 = 8;

/// How far birds roll, and the step of the last picture.
#[derive(Debug)]
pub(super) struct Banks {
    /// `array<vec2<u32>>` by id; those beyond its end stay level.
    pub buffer: wgpu::Buffer,
    last: Option<u64>,
    most: u64,
}

impl Banks {
    pub fn new(gpu: &Gpu) -> Self {
        Banks {
            buffer: buffer(&gpu.device, 1),
            last: None,
            most: gpu.limits.max_storage_buffer_binding_size / STRIDE,
        }
    }

    /// Makes room for so many boids. Where there were others all begin level.
    pub fn fit(&mut self, device: &wgpu::Device, boids: u32) {
        let boids = u64::from(boids).clamp(1, self.most);
        if self.buffer.size() != STRIDE * boids {
            (self.buffer, self.last) = (buffer(device, boids), None);
        }
    }

    /// What the shader is told of the time since the last picture, `View.bank`: the part of a bank that is left, and the
    /// tangent that a turn by one radian adds. After a jump back all begin level.
    pub fn of(&mut self, step: u64) -> [f32; 4] {
        let [left, added] = since(self.last.replace(step), step);
        [left, added, 0.0, 0.0]
    }
}

/// The part that is left of a bank at one step since a picture of another, and what a turn of a radian adds to it.
pub(super) fn since(last: Option<u64>, step: u64) -> [f32; 2] {
    match last {
        Some(last) if last == step => [1.0, 0.0],
        Some(last) if last < step => {
            let steps = (step - last) as f64;
            let left = LEFT.powf(steps);
            [left as f32, ((1.0 - left) / (DIAGONAL * steps)) as f32]
        }
        _ => [0.0, 0.0],
    }
}

fn buffer(device: &wgpu::Device, boids: u64) -> wgpu::Buffer {
    use wgpu::BufferUsages as Usages;
    resources::buffer(device, "banks", STRIDE * boids, Usages::STORAGE | Usages::COPY_SRC | Usages::COPY_DST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_turn_banks_by_its_rate_however_often_it_is_drawn() {
        for every in [1, 4] {
            let (mut bank, turn) = (0.0, 0.03 * every as f32);
            for step in (0..400).step_by(every) {
                let [left, added] = since(Some(step), step + every as u64);
                bank = left * bank + added * turn;
            }
            assert!((bank - 1.0).abs() < 1e-4, "every {every}: {bank}");
        }
    }

    #[test]
    fn a_second_picture_of_a_step_changes_nothing_and_a_jump_back_begins_level() {
        assert_eq!(since(Some(7), 7), [1.0, 0.0]);
        assert_eq!(since(Some(8), 7), [0.0, 0.0]);
        assert_eq!(since(None, 7), [0.0, 0.0]);
    }
}

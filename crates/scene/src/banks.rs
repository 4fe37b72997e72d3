//! Roll angles of the birds in their turns, kept by id from frame to frame.
//!
//! An engine keeps only the current headings, so a turn is the change of heading since the last frame. It is counted in
//! steps, not in time, so that films have the same bits on machines of any speed.

use super::resources;
use gpu::Gpu;

/// Decay of the roll angle per step: a bird rolls within two wing beats.
const LEFT: f64 = 0.95;

/// Turn per step, in radians, at which a bird banks by 45 degrees; it replaces gravity.
const DIAGONAL: f64 = 0.03;

/// Number of steps after which the level start hardly affects the roll angles: a seventh of its effect remains.
pub const SETTLING: u64 = 40;

/// Bytes per bird.
const STRIDE: u64 = 8;

/// The roll angles, and the step of the last frame.
#[derive(Debug)]
pub(super) struct Banks {
    /// `array<vec2<u32>>` by id; birds with ids beyond its end stay level.
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

    /// Resizes the buffer for this number of boids. After a change of size all birds start level.
    pub fn fit(&mut self, device: &wgpu::Device, boids: u32) {
        let boids = u64::from(boids).clamp(1, self.most);
        if self.buffer.size() != STRIDE * boids {
            (self.buffer, self.last) = (buffer(device, boids), None);
        }
    }

    /// `View.bank` of the shader for a frame at `step`: decay of the roll angle since the last frame, and the roll
    /// tangent per radian of turn. After a jump back all birds start level.
    pub fn of(&mut self, step: u64) -> [f32; 4] {
        let [left, added] = since(self.last.replace(step), step);
        [left, added, 0.0, 0.0]
    }
}

/// Decay of the roll angle from the frame at step `last` to that at `step`, and the roll tangent per radian of turn.
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

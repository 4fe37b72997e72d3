//! The camera of a recorded flight: poses at some steps, and smooth motion between them.

use std::f32::consts::TAU;

/// Steps from one pose to the next.
pub const POSE_EVERY: u64 = 15;

/// Where a camera stands at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    pub step: u64,
    /// Direction of sight about the z axis, in radians.
    pub yaw: f32,
    /// Direction of sight above the horizon, in radians.
    pub pitch: f32,
    /// Distance from the eye to the target, in units of length.
    pub distance: f32,
    /// The point in the middle of the picture.
    pub target: [f32; 3],
    /// Vertical angle of view, in radians.
    pub field_of_view: f32,
}

impl Pose {
    /// Its numbers: yaw, pitch, distance, x, y, z, field of view.
    pub fn numbers(&self) -> [f32; 7] {
        let [x, y, z] = self.target;
        [self.yaw, self.pitch, self.distance, x, y, z, self.field_of_view]
    }

    /// A pose of these numbers.
    pub fn of(step: u64, [yaw, pitch, distance, x, y, z, field_of_view]: [f32; 7]) -> Self {
        Pose { step, yaw, pitch, distance, target: [x, y, z], field_of_view }
    }

    /// The numbers with as many digits as a picture shows.
    pub fn rounded(self) -> Self {
        let places = self.distance.max(1e-6).log10().floor();
        let unit = 10_f32.powf(4.0 - places);
        let length = |c: f32| if unit.is_finite() { (c * unit).round() / unit } else { c };
        let angle = |c: f32| (c * 1e4).round() / 1e4;
        Pose {
            step: self.step,
            yaw: angle(self.yaw),
            pitch: angle(self.pitch),
            distance: length(self.distance),
            target: self.target.map(length),
            field_of_view: angle(self.field_of_view),
        }
    }
}

/// The pose at a step, by Catmull and Rom's cubic through the poses around it (1974); the first or the last outside of
/// them. None without poses.
pub fn pose_at(poses: &[Pose], step: u64) -> Option<Pose> {
    let after = poses.partition_point(|pose| pose.step <= step);
    if after == 0 || after == poses.len() {
        return poses.get(after.saturating_sub(1)).map(|pose| Pose { step, ..*pose });
    }
    let near = [after.saturating_sub(2), after - 1, after, (after + 1).min(poses.len() - 1)];
    let around = near.map(|k| poses[k]);
    let [before, from, to, next] = around;
    let share = (step - from.step) as f32 / (to.step - from.step) as f32;
    let mut numbers = [0.0; 7];
    for (k, number) in numbers.iter_mut().enumerate() {
        let mut points = [before, from, to, next].map(|pose| pose.numbers()[k]);
        if k == 0 {
            unwind(&mut points);
        }
        *number = cubic(points, share);
    }
    Some(Pose::of(step, numbers))
}

/// Adds whole turns, so that no angle is more than half a turn from the one before.
fn unwind(angles: &mut [f32; 4]) {
    for k in 1..4 {
        let turns = ((angles[k] - angles[k - 1]) / TAU).round();
        angles[k] -= turns * TAU;
    }
}

/// The cubic between the second and the third of four points.
fn cubic([a, b, c, d]: [f32; 4], t: f32) -> f32 {
    b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::PI;

    #[test]
    fn a_camera_moves_smoothly_through_its_poses_and_turns_the_short_way() {
        let pose = |step: u64, yaw: f32, x: f32| Pose::of(step, [yaw, 0.1, 50.0, x, 2.0, 3.0, 0.8]);
        assert_eq!(pose_at(&[], 3), None);
        let poses = [pose(10, 3.0, 0.0), pose(25, 3.1, 15.0), pose(40, -3.1, 30.0), pose(55, -3.0, 45.0)];
        for known in poses {
            assert_eq!(pose_at(&poses, known.step).map(|found| found.target), Some(known.target));
        }
        assert_eq!(pose_at(&poses, 3), Some(pose(3, 3.0, 0.0)));
        assert_eq!(pose_at(&poses, 99), Some(pose(99, -3.0, 45.0)));
        let middle = pose_at(&poses, 32).expect("a pose");
        // At a steady speed it is where it would be, and it does not turn the long way.
        assert!((middle.target[0] - 22.0).abs() < 1e-3 && (middle.yaw - PI).abs() < 0.1, "{middle:?}");
        let far = Pose::of(1, [1.234_567, 0.1, 123.456, 1000.123, 0.0, 0.0, 0.8]).rounded();
        assert_eq!((far.yaw, far.distance, far.target[0]), (1.2346, 123.46, 1000.12));
    }
}

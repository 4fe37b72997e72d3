//! Trajectories as GSD, the format of HOOMD-blue, which OVITO opens: file layer 2.0, schema `hoomd` 1.4
//! (<https://gsd.readthedocs.io>, Specification).
//!
//! ```text
//! header, 256 bytes │ chunks of frame 0, of frame 1, … │ names of the chunks │ index: 32 bytes a chunk
//! ```
//!
//! Lengths and offsets are only known at the end, so the header is written twice.

use std::io::Write;
use std::path::Path;

use flock::Parameters;
use flock::parameters::{Edges, MAX_GROUPS};

use crate::{AtomicFile, Failure, Result};
use cpu::State;

/// The chunks of a frame in the order of writing and indexing, each with its type number: 1 for u8, 3 for u32, 4 for
/// u64, 5 for i8 and 9 for f32.
const CHUNKS: [(&str, u8); 9] = [
    ("configuration/step", 4),
    ("configuration/dimensions", 1),
    ("configuration/box", 9),
    ("particles/N", 3),
    ("particles/types", 5),
    ("particles/typeid", 3),
    ("particles/position", 9),
    ("particles/velocity", 9),
    ("particles/orientation", 9),
];

/// The first particle types in a flock with scouts; the others are named `grp` and their group number.
const SCOUTS: [[u8; 6]; 3] = [*b"boid\0\0", *b"right\0", *b"left\0\0"];

/// An open trajectory; if dropped without [`Gsd::finish`], it leaves no file.
#[derive(Debug)]
pub struct Gsd {
    file: AtomicFile,
    /// Bytes written.
    end: u64,
    index: Vec<u8>,
    frames: u64,
    dimensions: u8,
    /// The names of the particle types. A frame lists the first three and any others that it uses.
    types: [[u8; 6]; MAX_GROUPS],
    /// Sides of the world, and its centre, which is GSD's origin.
    sides: [f32; 3],
    middle: [f64; 3],
    /// True if the world wraps: its sides are those of the box.
    wraps: bool,
}

impl Gsd {
    /// Starts a file. The box is the world of the parameters; in a world that does not wrap it is larger where a boid is
    /// outside. Fails if the header cannot be rewritten.
    pub(super) fn create(path: &Path, parameters: &Parameters) -> Result<Self> {
        let file = AtomicFile::create_or_stdout(path)?;
        if file.is_direct() {
            let problem = "GSD is written from its end; name a regular file, or a .csv";
            return Err(Failure::file(path, problem));
        }
        let (world, flat) = (&parameters.world, parameters.flat());
        let mut sides: [f32; 3] = std::array::from_fn(|k| (world.max[k] - world.min[k]) as f32);
        let mut middle = std::array::from_fn(|k| 0.5 * (world.min[k] + world.max[k]));
        if flat {
            (sides[2], middle[2]) = (0.0, 0.0);
        }
        let dimensions = if flat { 2 } else { 3 };
        let mut types = std::array::from_fn(|group| [b'g', b'r', b'p', b'0' + group as u8, 0, 0]);
        if parameters.has_scouts() {
            types[..SCOUTS.len()].copy_from_slice(&SCOUTS);
        }
        let wraps = world.edges == Edges::Wrap;
        let mut gsd =
            Gsd { file, end: 0, index: Vec::new(), frames: 0, dimensions, types, sides, middle, wraps };
        gsd.write(&[0; 256])?;
        Ok(gsd)
    }

    /// Adds a frame.
    pub(super) fn add(&mut self, state: &State) -> Result<()> {
        let boids = &state.boids;
        let mut positions: Vec<[f32; 3]> = boids.iter().map(|boid| self.relative(boid.position)).collect();
        let sides = self.hold(&mut positions);
        let velocities = boids.iter().flat_map(|boid| boid.velocity.map(|c| c as f32));
        let turned = boids.iter().flat_map(|boid| orientation(boid.velocity));
        let count = boids.len() as u64;
        let types = boids.iter().map(|boid| boid.group as usize + 1).fold(SCOUTS.len(), usize::max);
        let data: [(Vec<u8>, u64, u32); CHUNKS.len()] = [
            (state.step.to_le_bytes().into(), 1, 1),
            (vec![self.dimensions], 1, 1),
            ([sides, [0.0; 3]].concat().into_iter().flat_map(f32::to_le_bytes).collect(), 6, 1),
            ((count as u32).to_le_bytes().into(), 1, 1),
            (self.types[..types].as_flattened().to_vec(), types as u64, 6),
            (boids.iter().flat_map(|boid| boid.group.to_le_bytes()).collect(), count, 1),
            (positions.into_iter().flatten().flat_map(f32::to_le_bytes).collect(), count, 3),
            (velocities.flat_map(f32::to_le_bytes).collect(), count, 3),
            (turned.flat_map(f32::to_le_bytes).collect(), count, 4),
        ];
        for ((bytes, rows, columns), (id, (_, kind))) in data.into_iter().zip((0_u16..).zip(CHUNKS)) {
            // A chunk without rows would have the offset of the next chunk.
            if rows > 0 {
                self.index.extend([self.frames, rows, self.end].map(u64::to_le_bytes).as_flattened());
                self.index.extend(columns.to_le_bytes());
                self.index.extend(id.to_le_bytes());
                self.index.extend([kind, 0]);
                self.write(&bytes)?;
            }
        }
        self.frames += 1;
        Ok(())
    }

    /// The position from the middle of the world.
    fn relative(&self, position: [f64; 3]) -> [f32; 3] {
        std::array::from_fn(|k| (position[k] - self.middle[k]) as f32)
    }

    /// The sides of a box that holds all positions, each less than half a side from the middle and not less than minus
    /// half a side. In a world that wraps, positions that were rounded to its border are moved inside instead.
    fn hold(&self, positions: &mut [[f32; 3]]) -> [f32; 3] {
        let mut sides = self.sides;
        for k in 0..usize::from(self.dimensions) {
            if self.wraps {
                let half = 0.5 * sides[k];
                positions.iter_mut().for_each(|place| place[k] = place[k].clamp(-half, half.next_down()));
            } else {
                let farthest = positions.iter().map(|place| place[k].abs()).fold(0.0, f32::max);
                sides[k] = sides[k].max(2.0 * farthest.next_up());
            }
        }
        sides
    }

    /// Writes names, index and header, and gives the file its name.
    pub(super) fn finish(mut self) -> Result<()> {
        let mut names = CHUNKS.map(|(name, _)| format!("{name}\0")).concat().into_bytes();
        // An empty name ends the list, which is padded to a multiple of 64 bytes.
        names.resize((names.len() + 1).next_multiple_of(64), 0);
        let names_at = self.end;
        self.write(&names)?;
        let index_at = self.end;
        // An entry with offset 0 ends the index.
        let index = [std::mem::take(&mut self.index), vec![0; 32]].concat();
        self.write(&index)?;
        let numbers =
            [0x65DF_65DF_65DF_65DF, index_at, index.len() as u64 / 32, names_at, names.len() as u64 / 64];
        let mut header = numbers.map(u64::to_le_bytes).concat();
        header.extend([(1_u32 << 16) | 4, 2 << 16].map(u32::to_le_bytes).as_flattened());
        for (name, end) in [(concat!("murmuration ", env!("CARGO_PKG_VERSION")), 112), ("hoomd", 176)] {
            header.extend(name.as_bytes());
            header.resize(end, 0);
        }
        header.resize(256, 0);
        self.file.rewrite_start(&header)?;
        self.file.commit()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.end += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|source| self.file.failed(source))
    }
}

/// The quaternion (w, x, y, z) that rotates the x axis to the direction of a velocity; the identity at rest.
fn orientation(velocity: [f64; 3]) -> [f32; 4] {
    let speed = velocity.iter().map(|c| c * c).sum::<f64>().sqrt();
    if !(speed > 0.0 && speed.is_finite()) {
        return [1.0, 0.0, 0.0, 0.0];
    }
    let [x, y, z] = velocity.map(|c| c / speed);
    // The half-way vector of the axis and the direction; for opposite directions, a half turn about z.
    let length = (2.0 * (1.0 + x)).sqrt();
    if length < 1e-6 {
        return [0.0, 0.0, 0.0, 1.0];
    }
    [0.5 * length, 0.0, -z / length, y / length].map(|c| c as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_orientation_turns_the_x_axis_to_the_velocity() {
        for velocity in
            [[2.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.1, -0.2, 0.4], [-0.9, 0.01, -0.02]]
        {
            let [w, x, y, z] = orientation(velocity).map(f64::from);
            let turned = [w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
            let speed = velocity.iter().map(|c| c * c).sum::<f64>().sqrt();
            for k in 0..3 {
                assert!((turned[k] - velocity[k] / speed).abs() < 1e-6, "{velocity:?}: {turned:?}");
            }
        }
        assert_eq!(orientation([0.0; 3]), [1.0, 0.0, 0.0, 0.0]);
    }

    fn gsd(path: &Path, edges: Edges) -> Gsd {
        let mut parameters = Parameters::default();
        (parameters.world.min, parameters.world.max) = ([0.0; 3], [10.0, 20.0, 30.0]);
        (parameters.world.edges, parameters.flock.dimensions) = (edges, 3);
        Gsd::create(path, &parameters).unwrap()
    }

    #[test]
    fn the_box_of_a_frame_holds_its_boids() {
        let folder = tempfile::tempdir().unwrap();
        let last = 10.0_f64.next_down();
        let places = [[last, 0.0, 29.9], [0.0, 20.0_f64.next_down(), 0.0]];
        let outside = [[-3.0, 5.0, 30.0], [5.0, 1e9, 15.0]];
        for (edges, places) in
            [(Edges::Wrap, places), (Edges::Open, places), (Edges::Open, outside), (Edges::Turn, outside)]
        {
            let gsd = gsd(&folder.path().join("a.gsd"), edges);
            let mut held = places.map(|place| gsd.relative(place));
            let sides = gsd.hold(&mut held);
            assert_eq!(sides == [10.0, 20.0, 30.0], edges == Edges::Wrap, "{sides:?}");
            for (k, place) in held.iter().flat_map(|place| place.iter().enumerate()) {
                assert!((-0.5 * sides[k]..0.5 * sides[k]).contains(place), "{edges:?}: {place} of {sides:?}");
            }
        }
    }

    #[test]
    fn a_stream_cannot_be_written_twice() {
        let error = Gsd::create(Path::new("-"), &Parameters::default()).expect_err("a stream");
        assert!(error.message.contains("name a regular file"), "{error}");
    }
}

//! Trajectories as GSD, the format of HOOMD-blue, which OVITO opens: file layer 2.0, schema `hoomd` 1.4
//! (<https://gsd.readthedocs.io>, Specification).
//!
//! ```text
//! header, 256 bytes │ names of the chunks │ index: 32 bytes a chunk │ chunks of frame 0, of frame 1, …
//! ```
//!
//! The index has room for more chunks; when it is full, one of twice the size is written after the last frame, and then
//! the header, which says where it is. A frame is in the index once its chunks are written, so that the file is whole
//! after each frame.

use std::io::{self, Write};
use std::path::Path;

use flock::Parameters;
use flock::parameters::{Edges, MAX_GROUPS};

use crate::{AtomicFile, Existing, Failure, Result};
use engine::State;

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

/// The name of a particle type.
type TypeName = [u8; 9];

/// The first particle types in a flock with scouts; the others are named `grp` and their group number.
const SCOUTS: [TypeName; 3] = [*b"boid\0\0\0\0\0", *b"right\0\0\0\0", *b"left\0\0\0\0\0"];

/// The type of predators, after those of all groups.
const PREDATOR: (u32, TypeName) = (MAX_GROUPS as u32, *b"predator\0");

/// Bytes of the header, and of an entry of the index.
const HEADER: usize = 256;
const ENTRY: usize = 32;
/// Entries for which the first index has room.
const FIRST_ROOM: usize = 128;

/// An open trajectory; if dropped without [`Gsd::finish`] or [`Gsd::keep_samples`], it leaves no file.
#[derive(Debug)]
pub struct Gsd {
    file: AtomicFile,
    /// Bytes written.
    end: u64,
    /// The entries of the index, its place in the file, and the bytes for which it has room.
    index: Vec<u8>,
    index_at: u64,
    room: usize,
    frames: u64,
    dimensions: u8,
    /// The names of the particle types. A frame lists the first three and any others that it uses.
    types: [TypeName; MAX_GROUPS + 1],
    /// Sides of the world, and its centre, which is GSD's origin.
    sides: [f32; 3],
    middle: [f64; 3],
    /// True if the world wraps: its sides are those of the box.
    wraps: bool,
}

impl Gsd {
    /// Starts a file. The box is the world of the parameters; in a world that does not wrap it is larger where a boid is
    /// outside. Fails if the index cannot be rewritten.
    pub(super) fn create(path: &Path, parameters: &Parameters, existing: Existing) -> Result<Self> {
        let file = AtomicFile::create_or_stdout(path, existing)?;
        if file.is_direct() {
            let problem = "GSD requires a regular file; use .csv for a pipe or a device";
            return Err(Failure::file(path, problem));
        }
        let (world, flat) = (&parameters.world, parameters.flat());
        let mut sides: [f32; 3] = std::array::from_fn(|k| (world.max[k] - world.min[k]) as f32);
        let mut middle = std::array::from_fn(|k| 0.5 * (world.min[k] + world.max[k]));
        if flat {
            (sides[2], middle[2]) = (0.0, 0.0);
        }
        let dimensions = if flat { 2 } else { 3 };
        let mut types = [PREDATOR.1; MAX_GROUPS + 1];
        for (group, name) in types[..MAX_GROUPS].iter_mut().enumerate() {
            *name = *b"grp0\0\0\0\0\0";
            name[3] += group as u8;
        }
        if parameters.has_scouts() {
            types[..SCOUTS.len()].copy_from_slice(&SCOUTS);
        }
        let names = names();
        let (index_at, room) = ((HEADER + names.len()) as u64, FIRST_ROOM * ENTRY);
        let mut gsd = Gsd {
            file,
            end: 0,
            index: Vec::new(),
            index_at,
            room,
            frames: 0,
            dimensions,
            types,
            sides,
            middle,
            wraps: world.edges == Edges::Wrap,
        };
        gsd.write(&[gsd.header(), names, vec![0; room]].concat())?;
        Ok(gsd)
    }

    /// Adds a frame.
    pub(super) fn add(&mut self, state: &State) -> Result<()> {
        let (mut kinds, mut positions, mut motions) = (Vec::new(), Vec::new(), Vec::new());
        let boids = state.boids.iter().map(|boid| (boid.group, boid.position, boid.velocity));
        let predators = state.predators.iter().map(|one| (PREDATOR.0, one.position, one.velocity));
        for (kind, position, velocity) in boids.chain(predators) {
            kinds.push(kind);
            positions.push(self.relative(position));
            motions.push(velocity);
        }
        let sides = self.hold(&mut positions);
        let velocities = motions.iter().flat_map(|velocity| velocity.map(|c| c as f32));
        let turned = motions.iter().flat_map(|velocity| orientation(*velocity));
        let count = kinds.len() as u64;
        let types = kinds.iter().map(|kind| *kind as usize + 1).fold(SCOUTS.len(), usize::max);
        let data: [(Vec<u8>, u64, u32); CHUNKS.len()] = [
            (state.step.to_le_bytes().into(), 1, 1),
            (vec![self.dimensions], 1, 1),
            ([sides, [0.0; 3]].concat().into_iter().flat_map(f32::to_le_bytes).collect(), 6, 1),
            ((count as u32).to_le_bytes().into(), 1, 1),
            (self.types[..types].as_flattened().to_vec(), types as u64, size_of::<TypeName>() as u32),
            (kinds.iter().flat_map(|kind| kind.to_le_bytes()).collect(), count, 1),
            (positions.into_iter().flatten().flat_map(f32::to_le_bytes).collect(), count, 3),
            (velocities.flat_map(f32::to_le_bytes).collect(), count, 3),
            (turned.flat_map(f32::to_le_bytes).collect(), count, 4),
        ];
        let mut entries = Vec::new();
        for ((bytes, rows, columns), (id, (_, kind))) in data.into_iter().zip((0_u16..).zip(CHUNKS)) {
            // A chunk without rows would have the offset of the next chunk.
            if rows > 0 {
                entries.extend([self.frames, rows, self.end].map(u64::to_le_bytes).as_flattened());
                entries.extend(columns.to_le_bytes());
                entries.extend(id.to_le_bytes());
                entries.extend([kind, 0]);
                self.write(&bytes)?;
            }
        }
        self.frames += 1;
        let indexed = self.add_to_index(&entries).and_then(|()| self.file.end_sample());
        indexed.map_err(|source| self.file.failed(source))
    }

    /// Gives the file its name.
    pub(super) fn finish(self) -> Result<()> {
        self.file.commit()
    }

    /// Gives the file its name after a write has failed; see [`AtomicFile::commit_samples`].
    pub(super) fn keep_samples(self) -> Result<bool> {
        self.file.commit_samples()
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

    /// Adds the entries of a frame to the index.
    fn add_to_index(&mut self, entries: &[u8]) -> io::Result<()> {
        let at = self.index.len();
        self.index.extend(entries);
        // An entry with offset 0 ends the index.
        let needed = self.index.len() + ENTRY;
        if needed <= self.room {
            return self.file.rewrite(self.index_at + at as u64, entries);
        }
        self.room = (2 * self.room).max(needed);
        self.index_at = self.end;
        let mut index = self.index.clone();
        index.resize(self.room, 0);
        self.end += index.len() as u64;
        self.file.write_all(&index)?;
        self.file.rewrite(0, &self.header())
    }

    fn header(&self) -> Vec<u8> {
        let rooms = [self.room / ENTRY, HEADER, names().len() / 64].map(|number| number as u64);
        let numbers = [0x65DF_65DF_65DF_65DF, self.index_at, rooms[0], rooms[1], rooms[2]];
        let mut header = numbers.map(u64::to_le_bytes).concat();
        header.extend([(1_u32 << 16) | 4, 2 << 16].map(u32::to_le_bytes).as_flattened());
        for (name, end) in [(concat!("murmuration ", env!("CARGO_PKG_VERSION")), 112), ("hoomd", 176)] {
            header.extend(name.as_bytes());
            header.resize(end, 0);
        }
        header.resize(HEADER, 0);
        header
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.end += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|source| self.file.failed(source))
    }
}

/// The names of the chunks. An empty name ends the list, which is padded to a multiple of 64 bytes.
fn names() -> Vec<u8> {
    let mut names = CHUNKS.map(|(name, _)| format!("{name}\0")).concat().into_bytes();
    names.resize((names.len() + 1).next_multiple_of(64), 0);
    names
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
        Gsd::create(path, &parameters, Existing::Keep).unwrap()
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

    fn number(bytes: &[u8], at: usize) -> usize {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
    }

    /// The frames in a file, by its index; all of their chunks are in the file.
    fn frames(bytes: &[u8]) -> usize {
        let [index_at, room, names_at] = [8, 16, 24].map(|at| number(bytes, at));
        assert!(bytes[names_at..].starts_with(b"configuration/step\0"));
        let entries = bytes[index_at..][..room * ENTRY].chunks_exact(ENTRY);
        let used: Vec<_> = entries.take_while(|entry| number(entry, 16) > 0).collect();
        assert!(used.len() < room && used.len().is_multiple_of(CHUNKS.len()));
        for (k, entry) in used.iter().enumerate() {
            let kind = CHUNKS[k % CHUNKS.len()].1;
            let size = [0, 1, 0, 4, 8, 1, 0, 0, 0, 4][usize::from(kind)];
            let columns = u32::from_le_bytes(entry[24..28].try_into().unwrap()) as usize;
            assert_eq!((number(entry, 0), entry[30]), (k / CHUNKS.len(), kind));
            assert!(number(entry, 16) + number(entry, 8) * columns * size <= bytes.len());
        }
        used.len() / CHUNKS.len()
    }

    /// A kill after a frame leaves the file as it is here; one on the way adds bytes that the index does not have.
    #[test]
    fn the_file_is_whole_after_each_frame() {
        let folder = tempfile::tempdir().unwrap();
        let mut gsd = gsd(&folder.path().join("a.gsd"), Edges::Open);
        let read = || {
            let entry = std::fs::read_dir(folder.path()).unwrap().next().unwrap();
            std::fs::read(entry.unwrap().path()).unwrap()
        };
        // The index has room for 14 frames, then for 28 and 56.
        for frame in 0..40 {
            let boids = vec![flock::Boid::default(); 3];
            gsd.add(&State { step: frame, boids, ..State::default() }).unwrap();
            assert_eq!(frames(&read()), frame as usize + 1);
        }
        gsd.write(b"half a frame").unwrap();
        assert!(gsd.keep_samples().unwrap());
        assert_eq!(frames(&read()), 40);
    }
}

//! Arrays that outgrow one binding: cut into parts of a power of two of entries, all but the last of them full, so that
//! a shift tells an entry's part and a mask its place there.

use super::layout::{BLOCK, STRETCH};
use super::number::OnGpu;

/// Bytes of the largest entry of a boid. All arrays of boids are cut alike.
const ENTRY: u64 = 16;

/// The most bytes of one binding, whatever a device allows: shaders count them in words of 32 bits.
const BINDING: u64 = u32::MAX as u64;

/// Arrays of one entry a boid.
const OF_BOIDS: [&str; 10] = [
    "positions",
    "velocities",
    "tags",
    "new_positions",
    "new_velocities",
    "arrivals",
    "members",
    "sources",
    "drawn_positions",
    "drawn_velocities",
];

/// How one array lies in several bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// How many there are, at least 1.
    pub parts: u32,
    /// The binary logarithm of the entries of a full part; of no meaning where there is but one.
    pub shift: u32,
}

impl Split {
    /// In one piece.
    pub const WHOLE: Split = Split { parts: 1, shift: 31 };

    /// So many entries of so many bytes, where a part may have at most `room` bytes.
    #[must_use]
    pub fn new(entries: u64, entry: u64, room: u64) -> Split {
        let most = (room / entry.max(1)).max(1);
        if entries <= most {
            return Split::WHOLE;
        }
        let shift = most.ilog2();
        Split { parts: u32::try_from(entries.div_ceil(1 << shift)).unwrap_or(u32::MAX), shift }
    }

    /// Entries of one part, where there are so many in all.
    #[must_use]
    pub fn entries(self, part: u32, all: u64) -> u64 {
        if self.parts == 1 {
            return all;
        }
        let before = u64::from(part) << self.shift;
        all.saturating_sub(before).min(1 << self.shift)
    }

    /// Entries of a part that is full; [`u32::MAX`] where there is but one.
    #[must_use]
    pub fn stretch(self) -> u32 {
        if self.parts == 1 { u32::MAX } else { 1 << self.shift }
    }

    /// The part that an entry lies in.
    #[must_use]
    pub fn part(self, entry: u32) -> u32 {
        if self.parts == 1 { 0 } else { entry >> self.shift }
    }
}

/// What the lengths of all arrays follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub boids: u32,
    pub cells: u32,
    /// Rows of sums over the flock.
    pub rows: u32,
    pub predators: u32,
}

impl Sizes {
    /// Sums over stretches of the flock: a row of them after the other.
    #[must_use]
    pub fn partials(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.boids.max(1).div_ceil(STRETCH))
    }

    /// Sums over blocks of cells.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        u64::from(self.cells.max(1).div_ceil(BLOCK))
    }
}

/// How the arrays of a flock are cut: those that are, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Splits(Vec<(&'static str, Split)>);

impl Splits {
    /// For arrays of these sizes on a device with these limits.
    #[must_use]
    pub fn new<T: OnGpu>(limits: &wgpu::Limits, sizes: &Sizes) -> Self {
        let room = binding(limits);
        let boids = Split::new(u64::from(sizes.boids), ENTRY, room);
        let cells = u64::from(sizes.cells);
        let few = [
            ("counts", Split::new(cells, 4, room)),
            ("starts", Split::new(cells + 1, 4, room)),
            ("blocks", Split::new(sizes.blocks(), 4, room)),
            ("partials", Split::new(sizes.partials(), T::TOTAL, room)),
        ];
        let all = OF_BOIDS.map(|name| (name, boids)).into_iter().chain(few);
        Splits(all.filter(|(_, split)| split.parts > 1).collect())
    }

    /// How an array is cut.
    #[must_use]
    pub fn get(&self, name: &str) -> Split {
        self.0.iter().find(|(known, _)| *known == name).map_or(Split::WHOLE, |(_, split)| *split)
    }

    /// How the boids are.
    #[must_use]
    pub fn boids(&self) -> Split {
        self.get(OF_BOIDS[0])
    }

    /// Each array that is cut, and how.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Split)> + '_ {
        self.0.iter().copied()
    }
}

/// The most bytes that one part of an array can have on a device.
#[must_use]
pub fn binding(limits: &wgpu::Limits) -> u64 {
    limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min(BINDING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_entry_lies_in_one_part_that_has_room(
            entries in 1_u64..1 << 31,
            entry in prop::sample::select(vec![4_u64, 8, 16, 32]),
            room in 64_u64..1 << 33,
        ) {
            let split = Split::new(entries, entry, room);
            let sizes: Vec<u64> = (0..split.parts.min(4096)).map(|part| split.entries(part, entries)).collect();
            prop_assert!(sizes.iter().all(|size| *size > 0 && size * entry <= room));
            if sizes.len() == split.parts as usize {
                prop_assert_eq!(sizes.iter().sum::<u64>(), entries);
                prop_assert!(sizes[..sizes.len() - 1].iter().all(|size| *size == 1 << split.shift));
            }
            prop_assert_eq!(split.part((entries - 1) as u32), split.parts - 1);
        }
    }

    #[test]
    fn bytes_beyond_words_are_counted() {
        // 2^31 boids: 32 GiB of positions in bindings of 4 GiB less a byte.
        let limits = wgpu::Limits {
            max_storage_buffer_binding_size: u64::from(u32::MAX),
            max_buffer_size: 1 << 40,
            ..wgpu::Limits::default()
        };
        let sizes = Sizes { boids: 1 << 31, cells: 1 << 31, rows: 66, predators: 64 };
        let splits = Splits::new::<f32>(&limits, &sizes);
        assert_eq!(splits.boids(), Split { parts: 16, shift: 27 });
        assert_eq!(splits.get("starts"), Split { parts: 5, shift: 29 });
        assert_eq!(splits.boids().entries(15, 1 << 31) * ENTRY, 1 << 31);
        assert_eq!(sizes.partials(), 66 << 25);
        assert_eq!(splits.get("partials").parts, (66_u64 << 25).div_ceil(1 << 27) as u32);
    }
}

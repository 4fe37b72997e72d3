//! A rank's share of a picture: the coverage by its own boids, which is summed over the ranks.
//!
//! ```text
//! rank 0: uniform ─▶ each rank: its boids ─▶ integers a pixel ─ added ─▶ rank 0: ink, exposure, picture
//!                       banks, by id ◀─▶ ──┴─▶ near boids ─ gathered ─▶ ──┴─▶ meshes
//! ```
//!
//! A sum of integers has no order, so the picture has the bits of one engine's.

use cpu::RankFlock;
use engine::Result;
use flock::Parameters;
use glam::Vec3;

use super::path::Centre;
use gpu::{Gpu, buffers::entry};
use ranks::{InSitu, OnRanks, Packed, Transport};
use scene::{Near, PartCoverage, ViewUniform};

/// A request for the centre, and for the positions of the boids whose ids are multiples of the number that follows.
const SAMPLE: u32 = 0;
/// A request for the coverage in a picture of the uniform that follows.
const COVER: u32 = 1;

/// The state of a rank for its share.
#[derive(Debug)]
pub(super) struct Share {
    gpu: Gpu,
    coverage: PartCoverage,
    /// Id and bank of each own bird of the last picture, in the order of ids.
    banks: Vec<[u32; 3]>,
}

impl Share {
    pub fn new(gpu: &Gpu, parameters: &Parameters) -> Result<Self> {
        Ok(Share { gpu: gpu.clone(), coverage: PartCoverage::new(gpu, parameters)?, banks: Vec::new() })
    }

    fn cover<T: Packed>(
        &mut self,
        uniform: &[u32],
        part: &RankFlock<T>,
        transport: &mut dyn Transport,
    ) -> Result<Vec<u32>> {
        let uniform = bytemuck::try_pod_read_unaligned::<ViewUniform>(bytemuck::cast_slice(uniform));
        let uniform = uniform.map_err(|why| self.gpu.error(why.to_string()))?;
        let mut banks = if uniform.dusk() { self.banks_of(part, transport)? } else { Vec::new() };
        let boids = part.local().map(|(id, boid)| entry(id, &part.rule().dequantise(boid)));
        let (sums, near) = self.coverage.cover(&uniform, boids, &mut banks)?;
        let banks = part.local().zip(banks);
        self.banks = banks.map(|((id, _), [heading, bank])| [id, heading, bank]).collect();
        self.banks.sort_unstable();
        let sums = transport.add(sums)?;
        let near = transport.gather(bytemuck::cast_slice::<Near, u32>(&near).to_vec())?;
        Ok([sums].into_iter().chain(near).flatten().collect())
    }

    /// The banks of the own birds, in their order; zeros where there is none. A bird that has come since the last
    /// picture has its bank at the rank that it has left, which does not know where it is.
    fn banks_of<T: Packed>(
        &mut self,
        part: &RankFlock<T>,
        transport: &mut dyn Transport,
    ) -> Result<Vec<[u32; 2]>> {
        let mut local: Vec<u32> = part.local().map(|(id, _)| id).collect();
        local.sort_unstable();
        let left = self.banks.iter().filter(|[id, ..]| local.binary_search(id).is_err());
        let mut parcels = vec![left.flatten().copied().collect::<Vec<_>>(); transport.ranks()];
        transport.exchange(&mut parcels)?;
        self.banks.extend(parcels.iter().flat_map(|parcel| parcel.as_chunks::<3>().0));
        self.banks.sort_unstable();
        let bank = |id| {
            let found = self.banks.binary_search_by_key(&id, |[id, ..]| *id);
            found.map_or([0; 2], |place| [self.banks[place][1], self.banks[place][2]])
        };
        Ok(part.local().map(|(id, _)| bank(id)).collect())
    }
}

impl<T: Packed> InSitu<T> for Share {
    fn analyse(
        &mut self,
        request: &[u32],
        part: &RankFlock<T>,
        transport: &mut dyn Transport,
    ) -> Result<Vec<u32>> {
        match request {
            [SAMPLE, every] => sample(*every, part, transport),
            [COVER, uniform @ ..] => self.cover(uniform, part, transport),
            _ => Err(self.gpu.error("unknown request to a rank")),
        }
    }
}

fn sample<T: Packed>(every: u32, part: &RankFlock<T>, transport: &mut dyn Transport) -> Result<Vec<u32>> {
    let (mut centre, mut sampled) = (Centre::default(), Vec::new());
    for (id, boid) in part.local() {
        let position = part.rule().dequantise(boid).position;
        centre.add(position);
        if id.is_multiple_of(every) {
            sampled.push(id);
            sampled.extend(position.map(|c| (c as f32).to_bits()));
        }
    }
    transport.sum(&mut centre.0)?;
    let sampled = transport.gather(sampled)?;
    let sums = bytemuck::cast_slice::<u64, u32>(&centre.0).to_vec();
    Ok([sums].into_iter().chain(sampled).flatten().collect())
}

/// Some finite positions of a flock on ranks, in the order of ids, and its centre.
pub(super) fn sampled(flock: &mut dyn OnRanks, every: usize) -> Result<(Vec<Vec3>, Option<[f32; 3]>)> {
    let words = flock.analyse(&[SAMPLE, every as u32])?;
    let mut centre = Centre::default();
    let (sums, sampled) = words.split_at(words.len().min(2 * centre.0.len()));
    bytemuck::cast_slice_mut::<u64, u32>(&mut centre.0)[..sums.len()].copy_from_slice(sums);
    let mut sampled = sampled.as_chunks::<4>().0.to_vec();
    sampled.sort_unstable();
    let places = sampled.iter().map(|[_, place @ ..]| Vec3::from(place.map(f32::from_bits)));
    Ok((places.filter(|place| place.is_finite()).collect(), centre.mean()))
}

/// The coverage of a flock on ranks in a picture with this number of coverage integers, and its boids that are drawn as
/// meshes, in the order of ids.
pub(super) fn covered(
    flock: &mut dyn OnRanks,
    uniform: &ViewUniform,
    length: usize,
) -> Result<(Vec<u32>, Vec<Near>)> {
    let request = [&[COVER], bytemuck::cast_slice::<ViewUniform, u32>(&[*uniform])].concat();
    let mut sums = flock.analyse(&request)?;
    let near = sums.split_off(length.min(sums.len()));
    let mut near = bytemuck::try_cast_slice::<u32, Near>(&near).unwrap_or_default().to_vec();
    near.sort_unstable_by_key(|near| near.tag[0]);
    Ok((sums, near))
}

//! The length over which fluctuations of headings and speeds are correlated.
//!
//! C(r) = Σ uᵢ·uⱼ / Σ 1 over the pairs at distance r, with the fluctuation uᵢ of a boid about the mean: of its heading,
//! or of its speed. The correlation length is the smallest r with C(r) = 0 (Cavagna et al., PNAS 107, 2010, 11865; they
//! take velocities for headings, the same where speeds are equal). Scale-free correlations grow with the flock: for
//! starlings 0.35 of its size. Fluctuations sum to zero, so C always falls below zero.
//!
//! All pairs of the sample are compared, at most 1024·1023/2; the mean is that of the sample. Bins have a width of
//! 1/128 of the diagonal of its box, and one with fewer pairs than half of the sample joins the next, so that noise
//! alone does not cross zero. Between bins, at the mean distances of their pairs, C is interpolated; C(0) is the
//! variance. So a length below that of the first bin says no more than that there is none.

use flock::{Boid, Vec3};
use rayon::prelude::*;

use super::tree::{Extent, Space};

const BINS: usize = 128;

/// Boids that one task compares with those after them.
const BLOCK: usize = 16;

/// A variance below this share of the mean square is a rounding error.
const ROUNDING: f64 = 1e-9;

/// The pairs at about a distance: their number, and the sums of their distances and of their products.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bin {
    pairs: u64,
    distance: f64,
    headings: f64,
    speeds: f64,
}

impl Bin {
    fn add(&mut self, other: Bin) {
        self.pairs += other.pairs;
        self.distance += other.distance;
        self.headings += other.headings;
        self.speeds += other.speeds;
    }
}

/// A boid's place and fluctuations.
struct Fluctuation {
    place: [f64; 3],
    heading: Vec3<f64>,
    speed: f64,
}

/// The correlation lengths of headings and of speeds.
pub(super) fn lengths(space: &Space, boids: &[Boid<f64>], sample: &[usize]) -> (f64, f64) {
    let courses: Vec<_> = sample.iter().map(|id| course(&boids[*id])).collect();
    let n = courses.len() as f64;
    let (heading, speed) =
        courses.iter().fold((Vec3::zero(), 0.0), |(sum, speed), (way, length)| (sum + *way, speed + length));
    let (mean, mean_speed) = (heading.map(|c| c / n), speed / n);
    let fluctuation = |(id, (way, length)): (&usize, &(Vec3<f64>, f64))| Fluctuation {
        place: boids[*id].position,
        heading: *way - mean,
        speed: length - mean_speed,
    };
    let all: Vec<Fluctuation> = sample.iter().zip(&courses).map(fluctuation).collect();
    let variance = all.iter().map(|a| a.heading.dot(a.heading)).sum::<f64>() / n;
    let speed_variance = all.iter().map(|a| a.speed * a.speed).sum::<f64>() / n;
    let bins = bins(space, &all);
    let length = |variance: f64, square: f64, sum: fn(&Bin) -> f64| {
        let known = variance > ROUNDING * square;
        if known { crossing(&bins, variance, sum) } else { f64::NAN }
    };
    (
        length(variance, 1.0, |bin| bin.headings),
        length(speed_variance, speed_variance + mean_speed * mean_speed, |bin| bin.speeds),
    )
}

/// Heading and speed; zero for a boid at rest.
fn course(boid: &Boid<f64>) -> (Vec3<f64>, f64) {
    Vec3::from(boid.velocity).direction().unwrap_or((Vec3::zero(), 0.0))
}

/// The bins by ascending distance, joined where they hold too few pairs; none where all are on one point.
fn bins(space: &Space, all: &[Fluctuation]) -> Vec<Bin> {
    let extent = Extent::of(all.iter().map(|a| &a.place));
    let farthest = space.most_square(&extent, &extent).sqrt();
    if farthest <= 0.0 || all.is_empty() {
        return Vec::new();
    }
    let scale = BINS as f64 / farthest;
    let of_block = |block: usize| {
        let mut bins = vec![Bin::default(); BINS];
        for k in block..all.len().min(block + BLOCK) {
            let a = &all[k];
            for b in &all[k + 1..] {
                let distance = space.square(a.place, b.place).sqrt();
                let at = ((distance * scale) as usize).min(BINS - 1);
                let (headings, speeds) = (a.heading.dot(b.heading), a.speed * b.speed);
                bins[at].add(Bin { pairs: 1, distance, headings, speeds });
            }
        }
        bins
    };
    // Blocks are added in their order, so that the sums do not depend on the number of threads.
    let binned: Vec<Vec<Bin>> = (0..all.len()).into_par_iter().step_by(BLOCK).map(of_block).collect();
    let mut sums = vec![Bin::default(); BINS];
    binned.iter().for_each(|block| sums.iter_mut().zip(block).for_each(|(sum, bin)| sum.add(*bin)));
    let mut joined: Vec<Bin> = Vec::new();
    for bin in sums {
        match joined.last_mut() {
            Some(last) if 2 * last.pairs < all.len() as u64 => last.add(bin),
            _ => joined.push(bin),
        }
    }
    joined.retain(|bin| bin.pairs > 0);
    joined
}

/// The distance at which C first reaches zero.
fn crossing(bins: &[Bin], variance: f64, sum: fn(&Bin) -> f64) -> f64 {
    let (mut r, mut c) = (0.0, variance);
    for bin in bins {
        let pairs = bin.pairs as f64;
        let (next_r, next_c) = (bin.distance / pairs, sum(bin) / pairs);
        if next_c <= 0.0 {
            return r + (next_r - r) * c / (c - next_c);
        }
        (r, c) = (next_r, next_c);
    }
    f64::NAN
}

//! One flock on many ranks, with the bits of one rank: domain decomposition, as in particle codes.
//!
//! Each rank owns a [block](blocks) of whole cells of the flock's grid, and the boids in it. A step: every rank sends
//! each boid that has left its block, or that others may perceive, to all ranks whose blocks are near, in one exchange
//! → the cores step the rank's boids with this *halo* around them → sums over the flock are added. Blocks are cut again
//! at intervals, by recursive bisection on counted boids. In integers no sum depends on its order, so no bit depends on
//! ranks or blocks. In f32 a boid's neighbours are added in the order of the whole flock's grid, one by one, as by an
//! engine without clusters, and any sum over the flock is refused.
//!
//! Rank 0 is the [`Engine`](engine::Engine) that callers see; the other ranks follow it. A [`Transport`] carries the
//! words. In-situ analysis ([`InSitu`]) runs on each rank's own boids, without gathering the flock. The crate knows no
//! file and no command line. Begin with `rank.rs`.

pub mod blocks;
mod in_situ;
mod leader;
mod open;
mod packing;
#[cfg(feature = "mpi")]
mod processes;
mod rank;
mod refuse;
mod threads;
mod transport;

pub use in_situ::{InSitu, OnRanks};
pub use leader::{Setup, Start};
pub use open::Ranked;
pub use packing::Packed;
#[cfg(feature = "mpi")]
pub use processes::{Processes, end_launch};
pub use rank::Settings;
pub use refuse::check;
pub use transport::{Lost, Transport};

#[cfg(test)]
mod tests;

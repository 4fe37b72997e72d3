//! Flocks on ranks, by number type. No function here is generic, so that all code of a rank is compiled in this crate,
//! with the compiler flags of a step.

use engine::Result;
use flock::Fixed;

use crate::in_situ::OnRanks;
use crate::leader::{Setup, on_threads};
use crate::packing::Packed;
#[cfg(feature = "mpi")]
use crate::{leader::on_processes, processes::Processes};

/// A number type that ranks compute in.
pub trait Ranked: Packed {
    /// Opens a flock on ranks that are threads of this process.
    ///
    /// # Errors
    /// When the parameters do not fit the number type or ranks, a state has another number of boids, or a thread fails.
    fn on_threads(setup: &Setup<'_, Self>, ranks: usize) -> Result<Box<dyn OnRanks>>;

    /// Opens a flock on all processes, at rank 0. `None` at the other ranks, after they followed rank 0 to its end.
    ///
    /// # Errors
    /// See [`Ranked::on_threads`]; also when a rank is gone, and at another rank when the flock cannot be stepped.
    #[cfg(feature = "mpi")]
    fn on_processes(setup: &Setup<'_, Self>, processes: Processes) -> Result<Option<Box<dyn OnRanks>>>;
}

macro_rules! ranked {
    ($number:ty) => {
        impl Ranked for $number {
            fn on_threads(setup: &Setup<'_, Self>, ranks: usize) -> Result<Box<dyn OnRanks>> {
                Ok(Box::new(on_threads(setup, ranks)?))
            }

            #[cfg(feature = "mpi")]
            fn on_processes(
                setup: &Setup<'_, Self>,
                processes: Processes,
            ) -> Result<Option<Box<dyn OnRanks>>> {
                on_processes(setup, processes)
            }
        }
    };
}

ranked!(f32);
ranked!(Fixed);

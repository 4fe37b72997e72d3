//! Flocks on ranks, by number type. No function here is generic, so that all code of a rank is compiled in this crate,
//! with the compiler flags of a step.

use engine::Result;
use flock::Fixed;

use crate::in_situ::OnRanks;
use crate::leader::{Setup, on_threads};
use crate::packing::add_integers;
use crate::{Packed, Sum};
#[cfg(feature = "mpi")]
use crate::{leader::on_processes, processes::Processes};

macro_rules! packed {
    ($number:ty, $sum:expr) => {
        impl Packed for $number {
            const SUM: Option<Sum<Self>> = $sum;

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

packed!(f32, None);
packed!(Fixed, Some(add_integers));

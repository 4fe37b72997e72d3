//! Which engine steps a flock, and opening it.

use flock::Parameters;

use crate::cpu::CpuEngine;
use crate::engine::{Engine, EngineError};
use crate::state::{Numeric, State};

/// What steps a flock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// The best there is.
    #[default]
    Auto,
    Cpu,
}

/// What was asked for.
#[derive(Clone, Debug)]
pub struct EngineRequest {
    pub which: Which,
    pub numeric: Numeric,
}

/// What a flock will be stepped on.
#[derive(Clone, Debug)]
pub enum Device {
    Cpu(Numeric),
}

/// An engine of a known kind, for those that draw from it.
#[derive(Debug)]
pub enum Opened {
    F32(Box<CpuEngine<f32>>),
    F64(Box<CpuEngine<f64>>),
}

impl EngineRequest {
    /// Decides. For `auto` also says in a line what was chosen and why.
    ///
    /// # Errors
    /// When there is nothing to step on.
    pub fn choose(&self) -> Result<(Device, Option<String>), EngineError> {
        let line = match self.which {
            Which::Cpu => None,
            Which::Auto => Some("engine: cpu".to_owned()),
        };
        Ok((Device::Cpu(self.numeric), line))
    }
}

impl Device {
    /// The number type it computes in.
    #[must_use]
    pub fn numeric(&self) -> Numeric {
        match self {
            Device::Cpu(numeric) => *numeric,
        }
    }

    /// An engine on it that holds a flock.
    ///
    /// # Errors
    /// When the flock does not fit, or the device fails.
    pub fn engine(&self, parameters: &Parameters, state: &State) -> Result<Opened, EngineError> {
        Ok(match self {
            Device::Cpu(Numeric::F32) => Opened::F32(Box::new(CpuEngine::new(parameters, state, None)?)),
            Device::Cpu(Numeric::F64) => Opened::F64(Box::new(CpuEngine::new(parameters, state, None)?)),
        })
    }
}

impl Opened {
    /// What every engine can do.
    #[must_use]
    pub fn get(&mut self) -> &mut dyn Engine {
        match self {
            Opened::F32(engine) => engine.as_mut(),
            Opened::F64(engine) => engine.as_mut(),
        }
    }
}

//! The pipelines that a device has compiled.

use std::sync::{Arc, Mutex, PoisonError};

use super::shaders::Binding;

/// Pipelines in the cache of a device. A step has some fifteen, and most rules of a study or an editor differ in one.
const CAPACITY: usize = 64;

/// Values of the constants that a shader leaves open.
pub(crate) type Constants = Vec<(&'static str, f64)>;

/// A compute pipeline and what it binds.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) bindings: Vec<Binding>,
}

/// The pipelines of a device that were asked for last, the latest at the end: its engines compile nothing twice, nor does a
/// slider moved back and forth.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compiled(Arc<Mutex<Vec<Known>>>);

#[derive(Debug)]
struct Known {
    source: String,
    constants: Constants,
    checked: bool,
    pipeline: Pipeline,
}

impl Compiled {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The pipeline of a text with these constants, with runtime checks or without; the first who asks compiles it.
    ///
    /// # Errors
    /// Those of `compile`.
    pub fn get_or<E>(
        &self,
        source: &str,
        constants: &Constants,
        checked: bool,
        compile: impl FnOnce() -> Result<Pipeline, E>,
    ) -> Result<Pipeline, E> {
        // A task of a page that waits for its device lets others run, and those must not wait for it.
        if cfg!(target_arch = "wasm32") && self.0.try_lock().is_err() {
            return compile();
        }
        // Ranks ask for the same at once: one compiles, and the others take what it made.
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &Known| {
            (known.checked, &known.constants) == (checked, constants) && known.source == source
        };
        if let Some(place) = cached.iter().position(same) {
            // The one that nobody has asked for the longest goes first.
            cached[place..].rotate_left(1);
            return Ok(cached[cached.len() - 1].pipeline.clone());
        }
        let pipeline = compile()?;
        if cached.len() == CAPACITY {
            cached.remove(0);
        }
        let (source, constants) = (source.to_owned(), constants.clone());
        cached.push(Known { source, constants, checked, pipeline: pipeline.clone() });
        Ok(pipeline)
    }
}

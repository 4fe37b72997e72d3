//! The cache of a device's compiled pipelines.

use std::sync::{Arc, Mutex, PoisonError};

use super::shaders::Binding;

/// Capacity of the cache. A step has some fifteen pipelines, and most rules of a study or an editor differ in one.
const CAPACITY: usize = 64;

/// Values of a shader's override constants.
pub(crate) type Constants = Vec<(&'static str, f64)>;

/// A compute pipeline and its bindings.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) bindings: Vec<Binding>,
}

/// The most recently used pipelines of a device, the latest at the end: its engines compile nothing twice, nor does a
/// slider moved back and forth.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compiled(Arc<Mutex<Vec<CachedPipeline>>>);

#[derive(Debug)]
struct CachedPipeline {
    source: String,
    constants: Constants,
    checked: bool,
    pipeline: Pipeline,
}

impl Compiled {
    /// Number of cached pipelines.
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns the pipeline of a text, with or without runtime checks, compiled at the first request.
    ///
    /// # Errors
    /// The errors of `compile`.
    pub fn get_or<E>(
        &self,
        source: &str,
        constants: &Constants,
        checked: bool,
        compile: impl FnOnce() -> Result<Pipeline, E>,
    ) -> Result<Pipeline, E> {
        // On a page, the task that holds the lock may be suspended until its device answers: waiting here would never end.
        if cfg!(target_arch = "wasm32") && self.0.try_lock().is_err() {
            return compile();
        }
        // Ranks request the same pipeline at once: one compiles it, and the others take it from the cache.
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &CachedPipeline| {
            (known.checked, &known.constants) == (checked, constants) && known.source == source
        };
        if let Some(place) = cached.iter().position(same) {
            // The least recently used pipeline is evicted first.
            cached[place..].rotate_left(1);
            return Ok(cached[cached.len() - 1].pipeline.clone());
        }
        let pipeline = compile()?;
        if cached.len() == CAPACITY {
            cached.remove(0);
        }
        let (source, constants) = (source.to_owned(), constants.clone());
        cached.push(CachedPipeline { source, constants, checked, pipeline: pipeline.clone() });
        Ok(pipeline)
    }
}

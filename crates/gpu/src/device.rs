//! An opened device, shared by engine and window, with the cache of its compiled pipelines.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::adapter::{self, AdapterEntry, Choice};
use super::kernel::{self, Settings};
use super::shaders::Binding;
use engine::contained::contain;
use engine::system::{self, block_on, channel};
use engine::{EngineError, Result};

/// An opened GPU. Clones share the device.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub instance: wgpu::Instance,
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub info: wgpu::AdapterInfo,
    /// The limits of the device: the adapter's, unless it was opened with lower ones.
    pub limits: wgpu::Limits,
    /// Settings for its engines: the defaults for this device, unless [`Gpu::with_settings`] changed them.
    pub settings: Settings,
    pub(crate) compiled: Compiled,
    /// The first error outside of any call that returns errors.
    fault: Arc<Mutex<Option<String>>>,
    /// The reason for the loss of the device, once it is lost.
    lost: Arc<OnceLock<String>>,
}

impl Gpu {
    /// The wgpu instance. A window that draws through OpenGL on Wayland must pass its display.
    ///
    /// # Errors
    /// On a platform that cannot wait for a GPU.
    pub fn instance(display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>) -> Result<wgpu::Instance> {
        if !system::waits() {
            let why = "this browser does not support JSPI, which is required to wait for a GPU";
            return Err(EngineError::NoAdapter(why.to_owned()));
        }
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        // wgpu validates by itself; WGPU_VALIDATION adds the driver's validation layer.
        descriptor.flags = wgpu::InstanceFlags::empty().with_env();
        descriptor.display = display;
        Ok(wgpu::Instance::new(descriptor))
    }

    /// All adapters of this computer.
    pub fn list() -> Vec<AdapterEntry> {
        Gpu::instance(None).map_or_else(|_| Vec::new(), |instance| adapter::enumerate(&instance).1)
    }

    /// Opens the best adapter that meets the criteria, with the largest limits it has.
    ///
    /// # Errors
    /// When no adapter meets them (the message lists all adapters) or the driver refuses.
    pub fn open(instance: &wgpu::Instance, choice: &Choice<'_>) -> Result<Self> {
        Gpu::open_within(instance, choice, |limits| limits)
    }

    /// See [`Gpu::open`], with lower limits: tests reach a limit with a small flock.
    ///
    /// # Errors
    /// See [`Gpu::open`]; also when a limit is higher than the adapter's.
    pub fn open_within(
        instance: &wgpu::Instance,
        choice: &Choice<'_>,
        lower: impl FnOnce(wgpu::Limits) -> wgpu::Limits,
    ) -> Result<Self> {
        let adapter = adapter::choose(instance, choice)?;
        let info = adapter::corrected(adapter.get_info());
        let limits = lower(adapter.limits());
        // A browser needs subgroups enabled in a way that naga does not support, and it rounds timestamps.
        let used = match cfg!(target_arch = "wasm32") {
            true => wgpu::Features::empty(),
            false => wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::SUBGROUP,
        };
        let features = adapter.features() & used;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("flock"),
            required_features: features,
            required_limits: limits.clone(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = block_on(adapter.request_device(&descriptor)).map_err(|error| {
            EngineError::NoAdapter(format!("cannot open {} ({}): {error}", info.name, info.backend))
        })?;
        let fault = Arc::new(Mutex::new(None));
        let first = Arc::clone(&fault);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            // The first error is kept: later ones mostly follow from it.
            let mut message = first.lock().unwrap_or_else(PoisonError::into_inner);
            message.get_or_insert_with(|| error.to_string());
        }));
        let lost = Arc::new(OnceLock::new());
        let gone = Arc::clone(&lost);
        device.set_device_lost_callback(move |reason, message| {
            let why = match reason {
                wgpu::DeviceLostReason::Destroyed => "it was destroyed".to_owned(),
                wgpu::DeviceLostReason::Unknown => one_line(&message),
            };
            // The first reason is kept: later ones follow from it.
            let _ = gone.set(why);
        });
        let (instance, compiled) = (instance.clone(), Compiled::default());
        let settings = Settings::new(&info, features);
        Ok(Gpu { instance, adapter, device, queue, info, limits, settings, compiled, fault, lost })
    }

    /// The same device with other settings for its engines.
    ///
    /// # Errors
    /// When the device cannot run the kernel.
    pub fn with_settings(&self, settings: Settings) -> Result<Self> {
        settings.kernel.check(&self.info, self.device.features())?;
        Ok(Gpu { settings, ..self.clone() })
    }

    /// Invocations per subgroup, if all subgroups have the same size: see `kernel::lanes`.
    pub fn lanes(&self) -> Option<u32> {
        kernel::lanes(&self.info, self.device.features())
    }

    /// Opens an adapter without a window.
    ///
    /// # Errors
    /// See [`Gpu::open`].
    pub fn headless(adapter: Option<&str>, backend: Option<wgpu::Backend>) -> Result<Self> {
        Gpu::open(&Gpu::instance(None)?, &Choice { adapter, backend, surface: None })
    }

    /// True if passes can be timed.
    pub fn timestamps(&self) -> bool {
        self.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// True if it is hardware, not a software adapter on the CPU.
    pub fn hardware(&self) -> bool {
        adapter::hardware(&self.info)
    }

    /// Name and backend, for messages.
    pub fn name(&self) -> String {
        format!("{} ({})", self.info.name, self.info.backend)
    }

    /// An error of this device. If the device is lost, its loss is the error: all others follow from it.
    pub fn error(&self, what: impl Into<String>) -> EngineError {
        match self.lost.get() {
            Some(why) => EngineError::Lost { device: self.name(), why: why.clone() },
            None => EngineError::Device { device: self.name(), what: one_line(&what.into()) },
        }
    }

    /// Returns the loss of the device, or else the first error outside of any call that returns errors, once.
    ///
    /// # Errors
    /// The loss or that error.
    pub fn check(&self) -> Result {
        if self.lost() {
            return Err(self.error(""));
        }
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        fault.map_or(Ok(()), |what| Err(self.error(what)))
    }

    /// See [`Gpu::check`]; polls the device first, because a loss is reported only when polled.
    ///
    /// # Errors
    /// See [`Gpu::check`].
    pub fn check_now(&self) -> Result {
        self.poll(wgpu::PollType::Poll)?;
        self.check()
    }

    /// True if the device, and all its contents, are lost.
    pub fn lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Creates a resource on the device, and returns any error raised.
    ///
    /// # Errors
    /// When memory runs out, or the adapter cannot create it.
    pub fn create<T>(&self, make: impl FnOnce(&wgpu::Device) -> T) -> Result<T> {
        if cfg!(target_arch = "wasm32") {
            // A page cannot wait for the error while it draws: [`Gpu::check`] returns it later.
            return Ok(make(&self.device));
        }
        let filters =
            [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::OutOfMemory];
        let [internal, validation, memory] = filters.map(|filter| self.device.push_error_scope(filter));
        // wgpu panics when it fills a buffer that could not be created.
        let made = contain(|| make(&self.device));
        let errors = [memory, validation, internal].map(|scope| block_on(scope.pop()));
        let first = errors.into_iter().flatten().next();
        if first.is_some() || made.is_none() {
            // On a lost device every new resource is invalid; the loss is reported once the device is idle.
            self.poll(wgpu::PollType::wait_indefinitely())?;
        }
        match first {
            None => made.ok_or_else(|| self.error("the driver failed")),
            Some(wgpu::Error::OutOfMemory { .. }) => Err(self.error("out of memory")),
            Some(error) if self.lost() => Err(self.error(error.to_string())),
            Some(error) => {
                Err(EngineError::Unsupported { device: self.name(), what: cause(&error.to_string()) })
            }
        }
    }

    /// Creates a buffer without contents.
    pub(crate) fn create_buffer(
        &self,
        label: &str,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer> {
        let label = Some(label);
        let descriptor = wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false };
        self.create(|device| device.create_buffer(&descriptor))
    }

    /// Creates an encoder for the commands of a submit.
    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Waits until all submits are done.
    ///
    /// # Errors
    /// When the device is lost, or an error came up.
    pub fn wait(&self) -> Result {
        self.poll(wgpu::PollType::wait_indefinitely())?;
        self.check()
    }

    /// Waits until a submit and all before it are done.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait_for(&self, submit: wgpu::SubmissionIndex) -> Result {
        self.poll(wgpu::PollType::Wait { submission_index: Some(submit), timeout: None })
    }

    /// Polls the device, and waits as `until` says.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn poll(&self, until: wgpu::PollType) -> Result {
        if cfg!(target_arch = "wasm32") {
            if !matches!(until, wgpu::PollType::Poll) {
                let (done, waited) = channel();
                self.queue.on_submitted_work_done(move || {
                    let _ = done.send(());
                });
                // A closed queue has nothing left to do.
                let _ = waited.recv();
            }
            return if self.lost() { Err(self.error("")) } else { Ok(()) };
        }
        // wgpu panics when the driver reports that the device is lost.
        let poll = |until| contain(|| self.device.poll(until)).ok_or("the driver failed");
        match poll(until) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => {
                // A lost device accepts no submit, so there is none to wait for. It reports its loss once it is idle.
                let _ = poll(wgpu::PollType::wait_indefinitely());
                Err(self.error(error.to_string()))
            }
            Err(why) => {
                // Usually the device has given its reason before.
                let _ = self.lost.set(why.to_owned());
                Err(self.error(why))
            }
        }
    }
}

/// The cause of a wgpu error, on one line. The text before it names only the kind of error.
fn cause(text: &str) -> String {
    one_line(text.split_once("Caused by:").map_or(text, |(_, cause)| cause))
}

/// Messages take one line each.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_a_refusal_is_one_line() {
        let text = "Validation Error\n\nCaused by:\n  In Device::create_compute_pipeline, label = 'count'\n    \
                    Internal error: no compute shaders\n";
        let line = "In Device::create_compute_pipeline, label = 'count' Internal error: no compute shaders";
        assert_eq!(cause(text), line);
        assert_eq!(cause("out of\nresources"), "out of resources");
    }
}

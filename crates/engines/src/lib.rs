//! Chooses the engine that steps a flock, and opens it.
//!
//! An [`EngineRequest`] (engine, number type, adapter, kernel, threads) becomes a [`Device`], which is opened once and
//! opens an engine per flock: an [`AnyEngine`] of a known kind, so that a [`Drawable`] finds its boids in their buffers.
//!
//! Whoever opens flocks (the program, studies, profiles, the window, Python) does it here, so that a name means the same
//! engine everywhere. The crate knows neither its caller nor any file but the firmware. Begin with [`EngineRequest::choose`] and
//! [`Device::engine`].

use std::path::PathBuf;

use board::{Image, Rp2040Engine, too_many};
use cpu::{CpuEngine, Registers};
use engine::system::Threads;
use engine::{Engine, EngineError, HostInstances, Numeric, Result, State, Timed, rule};
use flock::{Fixed, Parameters, Predator};
use gpu::buffers::{Instances, Uploaded, checked_boids};
use gpu::{Gpu, GpuEngine, Kernel, OnGpu};

flock::named! {
    /// The requested kind of engine.
    EngineKind {
        /// The GPU if there is one in hardware, else the CPU, which is many times faster than a software adapter.
        Auto = "auto",
        Gpu = "gpu",
        Cpu = "cpu",
        /// The firmware on an emulated board.
        Rp2040 = "rp2040",
    }
}

/// A request for an engine: its kind, number type and, for the GPU, the adapter.
#[derive(Clone, Debug)]
pub struct EngineRequest {
    pub which: EngineKind,
    pub numeric: Numeric,
    /// Index, or a part of the name.
    pub adapter: Option<String>,
    pub backend: Option<wgpu::Backend>,
    /// Kernel of the GPU engine; `None` chooses by the lanes of the device's subgroups.
    pub kernel: Option<Kernel>,
    /// Threads of the CPU engine; `None` is one per core.
    pub threads: Option<usize>,
    /// Firmware of the emulated board; `None` is the file that the environment names, else the first on the search path.
    pub firmware: Option<PathBuf>,
}

/// The device that steps a flock.
#[derive(Clone, Debug)]
pub enum Device {
    Gpu(Box<Gpu>, Numeric),
    Cpu(Numeric, Cpu),
    Rp2040(Box<Image>),
}

/// Registers and threads of the CPU engine.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    pub registers: Registers,
    /// `None` is one per core.
    pub threads: Option<usize>,
}

/// An engine of a known kind, so that its flock can be drawn from its own buffers.
#[derive(Debug)]
pub enum AnyEngine {
    Gpu(Box<GpuEngine<f32>>),
    GpuFixed(Box<GpuEngine<Fixed>>),
    Cpu(Box<dyn CpuEngine>),
    Rp2040(Box<Rp2040Engine>),
}

impl EngineRequest {
    /// True if the request names an adapter or backend.
    pub fn names_adapter(&self) -> bool {
        self.adapter.is_some() || self.backend.is_some()
    }

    /// Chooses a device; a GPU adapter is opened. For `auto` also returns a line with the choice and the reason.
    ///
    /// # Errors
    /// When no adapter matches; the message lists all adapters. When there is no firmware for the board, and when the system
    /// has no threads to give.
    pub fn choose(&self) -> Result<(Device, Option<String>)> {
        engine::system::share_work(self.threads)?;
        if self.which == EngineKind::Rp2040 {
            return Ok((Device::Rp2040(Box::new(Image::find(self.firmware.as_deref())?)), None));
        }
        self.choose_on(None)
    }

    /// Chooses when a GPU is already open, as it is for a window: a named adapter has then been found.
    ///
    /// # Errors
    /// When the GPU cannot run the requested kernel, and for the emulated board, which cannot be drawn.
    pub fn choose_beside(&self, gpu: &Gpu) -> Result<(Device, Option<String>)> {
        if self.which == EngineKind::Rp2040 {
            return Err(AnyEngine::cannot_draw());
        }
        self.choose_on(Some(gpu))
    }

    fn choose_on(&self, open: Option<&Gpu>) -> Result<(Device, Option<String>)> {
        let listed = || Gpu::list().iter().any(|entry| entry.compute && entry.hardware());
        let (on_gpu, why) = self.decide(|| open.map_or_else(listed, Gpu::hardware));
        let line = |more: &str| why.map(|why| format!("engine: {why}{more}"));
        if !on_gpu {
            let draws = open.map_or(String::new(), |gpu| format!("; drawing on {}", gpu.name()));
            let cpu = Cpu { registers: Registers::widest(), threads: self.threads };
            return Ok((Device::Cpu(self.numeric, cpu), line(&draws)));
        }
        let gpu = match open {
            Some(gpu) => self.with_kernel(gpu)?,
            None => self.with_kernel(&Gpu::headless(self.adapter.as_deref(), self.backend)?)?,
        };
        let line = line(&format!(", {}", gpu.name()));
        Ok((Device::Gpu(Box::new(gpu), self.numeric), line))
    }

    /// The GPU with the requested kernel.
    fn with_kernel(&self, gpu: &Gpu) -> Result<Gpu> {
        let settings = gpu.settings;
        gpu.with_settings(self.kernel.map_or(settings, |kernel| settings.with_kernel(kernel)))
    }

    /// True if the GPU steps; for `auto` also a line with the choice and the reason. `has_hardware` returns whether there
    /// is a GPU in hardware.
    fn decide(&self, has_hardware: impl FnOnce() -> bool) -> (bool, Option<&'static str>) {
        match self.which {
            EngineKind::Gpu => (true, None),
            EngineKind::Cpu | EngineKind::Rp2040 => (false, None),
            EngineKind::Auto if self.numeric == Numeric::F64 => (false, Some("cpu, the only one with f64")),
            EngineKind::Auto if self.threads.is_some() => (false, Some("cpu, because of --threads")),
            // --adapter and --kernel imply the GPU, even a software one.
            EngineKind::Auto if self.names_adapter() || self.kernel.is_some() => (true, Some("gpu")),
            EngineKind::Auto if has_hardware() => (true, Some("gpu")),
            EngineKind::Auto => (false, Some("cpu, because there is no hardware GPU")),
        }
    }
}

impl Device {
    /// The CPU with its widest registers, and a thread per core.
    pub fn cpu(numeric: Numeric) -> Device {
        Device::Cpu(numeric, Cpu { registers: Registers::widest(), threads: None })
    }

    /// The number type of the computation.
    pub fn numeric(&self) -> Numeric {
        match self {
            Device::Gpu(_, numeric) | Device::Cpu(numeric, _) => *numeric,
            Device::Rp2040(_) => Numeric::Fixed,
        }
    }

    /// Options that give the same bits on another machine: integers anywhere, other number types on a CPU. Empty for
    /// f32 on a GPU.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let numeric = ("numeric", self.numeric().name().to_owned());
        match (self, self.numeric()) {
            (_, Numeric::Fixed) => vec![numeric],
            (Device::Cpu(..), Numeric::F32) => vec![("engine", EngineKind::Cpu.name().to_owned())],
            (Device::Cpu(..), _) => vec![("engine", EngineKind::Cpu.name().to_owned()), numeric],
            _ => Vec::new(),
        }
    }

    /// Engine, number type, adapter and tuning, as text for users.
    pub fn describe(&self) -> String {
        match self {
            Device::Gpu(gpu, numeric) => {
                format!("gpu, {}, {}, {}", numeric.name(), gpu.name(), gpu.settings.describe())
            }
            Device::Cpu(numeric, Cpu { registers, threads }) => {
                let threads = match threads {
                    None => String::new(),
                    Some(1) => ", 1 thread".to_owned(),
                    Some(threads) => format!(", {threads} threads"),
                };
                format!("cpu, {}, {}{threads}", numeric.name(), registers.name())
            }
            Device::Rp2040(_) => "rp2040".to_owned(),
        }
    }

    /// Checks that a flock with these parameters fits and that they suit the number type, before its start is drawn or
    /// anything is allocated. The CPU and the GPU engine refuse nothing that passes, and pass nothing that is refused.
    ///
    /// # Errors
    /// When it does not fit; the message names the largest number of boids that does. When they do not suit the type.
    pub fn check(&self, parameters: &Parameters) -> Result {
        let boids = parameters.flock.boids as usize;
        match self {
            Device::Gpu(_, Numeric::F64) => {
                return Err(EngineError::Refused("f64 cannot be used on the GPU".to_owned()));
            }
            Device::Gpu(gpu, _) => drop(checked_boids(gpu, boids)?),
            // Smaller flocks may not fit the board, either: it reports that when it has the parameters.
            Device::Rp2040(image) if boids > u16::MAX.into() => {
                return Err(too_many(parameters.flock.boids, Rp2040Engine::most(image)?));
            }
            // The board says by itself what it does not take.
            Device::Rp2040(_) => return Ok(()),
            Device::Cpu(..) => {}
        }
        match self.numeric() {
            Numeric::F32 => rule::<f32>(parameters, boids).map(drop),
            Numeric::F64 => rule::<f64>(parameters, boids).map(drop),
            Numeric::Fixed => rule::<Fixed>(parameters, boids).map(drop),
        }
    }

    /// Opens an engine that holds a flock.
    ///
    /// # Errors
    /// When the flock does not fit, or the device fails.
    pub fn engine(&self, parameters: &Parameters, state: &State) -> Result<AnyEngine> {
        self.engine_on(None, parameters, state)
    }

    /// See [`Device::engine`]; a CPU engine uses the given threads, which many small flocks can share.
    ///
    /// # Errors
    /// See [`Device::engine`].
    pub fn engine_on(
        &self,
        threads: Option<&Threads>,
        parameters: &Parameters,
        state: &State,
    ) -> Result<AnyEngine> {
        Ok(match self {
            Device::Gpu(gpu, Numeric::Fixed) => {
                AnyEngine::GpuFixed(Box::new(GpuEngine::new(gpu, parameters, state)?))
            }
            Device::Gpu(gpu, Numeric::F32) => {
                AnyEngine::Gpu(Box::new(GpuEngine::new(gpu, parameters, state)?))
            }
            Device::Gpu(_, Numeric::F64) => {
                return Err(EngineError::Refused("f64 cannot be used on the GPU".to_owned()));
            }
            Device::Cpu(numeric, with) => {
                let threads = threads.cloned().map_or_else(|| Threads::new(with.threads), Ok)?;
                AnyEngine::Cpu(cpu::open(*numeric, threads, with.registers, parameters, state)?)
            }
            Device::Rp2040(image) => {
                AnyEngine::Rp2040(Box::new(Rp2040Engine::new(image, parameters, state)?))
            }
        })
    }
}

impl AnyEngine {
    /// The error for drawing from the emulated board.
    pub fn cannot_draw() -> EngineError {
        EngineError::Device { device: "rp2040".to_owned(), what: "its flock cannot be drawn here".to_owned() }
    }

    /// The engine as a trait object.
    pub fn get(&mut self) -> &mut dyn Engine {
        match self {
            AnyEngine::Gpu(engine) => engine.as_mut(),
            AnyEngine::GpuFixed(engine) => engine.as_mut(),
            AnyEngine::Cpu(engine) => engine.as_mut(),
            AnyEngine::Rp2040(engine) => engine.as_mut(),
        }
    }

    /// The engine, if it can time its passes.
    pub fn timed(&mut self) -> Option<&mut dyn Timed> {
        match self {
            AnyEngine::Gpu(engine) => Some(engine.as_mut()),
            AnyEngine::GpuFixed(engine) => Some(engine.as_mut()),
            AnyEngine::Cpu(engine) => Some(engine.as_mut()),
            AnyEngine::Rp2040(_) => None,
        }
    }

    /// The engine as a boxed trait object.
    #[must_use]
    pub fn boxed(self) -> Box<dyn Engine> {
        match self {
            AnyEngine::Gpu(engine) => engine,
            AnyEngine::GpuFixed(engine) => engine,
            AnyEngine::Cpu(engine) => engine,
            AnyEngine::Rp2040(engine) => engine,
        }
    }
}

/// Buffers for flocks that the drawing GPU does not step.
#[derive(Debug)]
pub struct Drawable {
    gpu: Gpu,
    uploaded: Uploaded,
    in_memory: HostInstances,
}

impl Drawable {
    /// Creates a drawable on this GPU. GPU engines must run on the same one.
    pub fn new(gpu: &Gpu) -> Self {
        Drawable { gpu: gpu.clone(), uploaded: Uploaded::default(), in_memory: HostInstances::default() }
    }

    /// Returns the current flock and its predators.
    ///
    /// # Errors
    /// When the device fails, or the engine's flock cannot be drawn.
    pub fn take<'a>(&'a mut self, opened: &'a mut AnyEngine) -> Result<(&'a Instances, Vec<Predator<f32>>)> {
        match opened {
            AnyEngine::Gpu(engine) => on_gpu(engine),
            AnyEngine::GpuFixed(engine) => on_gpu(engine),
            AnyEngine::Cpu(engine) => self.upload(&**engine),
            AnyEngine::Rp2040(_) => Err(AnyEngine::cannot_draw()),
        }
    }

    fn upload(&mut self, engine: &dyn CpuEngine) -> Result<(&Instances, Vec<Predator<f32>>)> {
        engine.instances_into(&mut self.in_memory);
        Ok((self.uploaded.write(&self.gpu, &self.in_memory)?, engine.predators()))
    }
}

/// The flock in the buffers of the engine that steps it.
fn on_gpu<T: OnGpu>(engine: &mut GpuEngine<T>) -> Result<(&Instances, Vec<Predator<f32>>)> {
    let predators = engine.predators();
    Ok((engine.instances()?, predators))
}

//! The GPU adapters of this computer, and selection.

use std::fmt;

use super::kernel::Kernel;
use engine::system::block_on;
use engine::{EngineError, Result};

/// An adapter as listed for users.
#[derive(Clone, Debug)]
pub struct AdapterEntry {
    /// Index in the list, for `--adapter INDEX`.
    pub index: usize,
    /// Name, backend, driver and kind of device.
    pub info: wgpu::AdapterInfo,
    /// The largest limits that a device on it supports.
    pub limits: wgpu::Limits,
    /// True if it can step a flock: compute shaders, with at least WebGPU's default limits.
    pub compute: bool,
    /// True if its passes can be timed.
    pub timestamps: bool,
    /// The kernels that it can run.
    pub kernels: Vec<Kernel>,
}

impl AdapterEntry {
    fn new(index: usize, adapter: &wgpu::Adapter) -> Self {
        let flags = adapter.get_downlevel_capabilities().flags;
        let limits = adapter.limits();
        let least = wgpu::Limits::default();
        // Some old OpenGL ES drivers are below the limits that WebGPU guarantees.
        let (info, features) = (corrected(adapter.get_info()), adapter.features());
        let compute = flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
            && translates_compute_shaders(&info)
            && limits.max_storage_buffers_per_shader_stage >= least.max_storage_buffers_per_shader_stage
            && limits.max_compute_invocations_per_workgroup >= least.max_compute_invocations_per_workgroup
            && limits.max_compute_workgroup_size_x >= least.max_compute_workgroup_size_x;
        let kernels = Kernel::ALL.into_iter().map(|(kernel, _)| kernel);
        let kernels = kernels.filter(|kernel| kernel.check(&info, features).is_ok()).collect();
        let timestamps = features.contains(wgpu::Features::TIMESTAMP_QUERY);
        AdapterEntry { index, info, limits, compute, timestamps, kernels }
    }

    /// True if it is hardware, not a software adapter on the CPU.
    pub fn hardware(&self) -> bool {
        hardware(&self.info)
    }

    /// Preference, lower is better. Hardware comes first, SwiftShader last: on equal cores it is several times slower
    /// than llvmpipe. OpenGL comes after Vulkan, which reports more errors and has timestamps.
    fn rank(&self) -> (u8, u8) {
        let device = match self.info.device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu => 2,
            wgpu::DeviceType::Other => 3,
            wgpu::DeviceType::Cpu => 4 + u8::from(self.swiftshader()),
        };
        (device, u8::from(self.info.backend == wgpu::Backend::Gl))
    }

    /// Like `rank`, with the adapter of `first` preferred to all others.
    fn rank_after(&self, first: &wgpu::AdapterInfo) -> (bool, (u8, u8)) {
        let same = (&self.info.name, self.info.backend) == (&first.name, first.backend);
        (!same, self.rank())
    }

    /// True if it is SwiftShader, the software adapter of browsers.
    fn swiftshader(&self) -> bool {
        self.info.name.contains("SwiftShader")
    }
}

/// Corrects the information of an adapter: wgpu reports Mesa's reference rasteriser as hardware of an unknown kind.
pub(super) fn corrected(mut info: wgpu::AdapterInfo) -> wgpu::AdapterInfo {
    if info.name.is_empty() {
        // A browser hides the name.
        info.name = "GPU".to_owned();
    }
    if info.name.contains("softpipe") {
        info.device_type = wgpu::DeviceType::Cpu;
    }
    info
}

/// True for hardware, false for a software adapter on the CPU.
pub(super) fn hardware(info: &wgpu::AdapterInfo) -> bool {
    info.device_type != wgpu::DeviceType::Cpu
}

/// False for OpenGL before 4.3, whose shading language has no compute shaders: some drivers of later cards give wgpu
/// the 3.3 context that it requests, and list the extension.
fn translates_compute_shaders(info: &wgpu::AdapterInfo) -> bool {
    let mut numbers = info.driver_info.split(['.', ' ']).map_while(|word| word.parse::<u32>().ok());
    match (info.backend, numbers.next(), numbers.next()) {
        (wgpu::Backend::Gl, Some(major), Some(minor)) => (major, minor) >= (4, 3),
        // The version string of OpenGL ES begins with its name.
        _ => true,
    }
}

impl fmt::Display for AdapterEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.index, self.info.name, self.info.backend)
    }
}

/// Criteria for an adapter; the default selects the best one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice<'a> {
    /// Index in [`Gpu::list`](super::Gpu::list), or a part of the name in any case.
    pub adapter: Option<&'a str>,
    /// Required backend.
    pub backend: Option<wgpu::Backend>,
    /// A surface that the adapter must be able to draw on.
    pub surface: Option<&'a wgpu::Surface<'a>>,
}

/// The adapters that can step a flock: first the adapter `first`, then the others, best first.
pub fn beginning_with(instance: &wgpu::Instance, first: &wgpu::AdapterInfo) -> Vec<AdapterEntry> {
    let (_, mut entries) = enumerate(instance);
    entries.retain(|entry| entry.compute);
    entries.sort_by_key(|entry| entry.rank_after(first));
    entries
}

/// All adapters of all backends, with their entries. The order, and with it the index, is the same in every call.
pub(super) fn enumerate(instance: &wgpu::Instance) -> (Vec<wgpu::Adapter>, Vec<AdapterEntry>) {
    let adapters = block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let entries =
        adapters.iter().enumerate().map(|(index, adapter)| AdapterEntry::new(index, adapter)).collect();
    (adapters, entries)
}

/// The best adapter that meets the criteria.
///
/// # Errors
/// When there is none; the message lists all adapters.
pub(super) fn choose(instance: &wgpu::Instance, choice: &Choice<'_>) -> Result<wgpu::Adapter> {
    let (adapters, entries) = enumerate(instance);
    let suits = |entry: &&AdapterEntry| {
        if !entry.compute || !matches(entry, choice) {
            return false;
        }
        // SwiftShader supports no window, and its driver aborts a process that requests one.
        let draws = |surface| !entry.swiftshader() && adapters[entry.index].is_surface_supported(surface);
        choice.surface.is_none_or(draws)
    };
    match entries.iter().filter(suits).min_by_key(|entry| entry.rank()) {
        Some(entry) => Ok(adapters[entry.index].clone()),
        None => Err(EngineError::NoAdapter(refusal(&entries, choice))),
    }
}

/// True if an entry matches the index or name, and the backend.
fn matches(entry: &AdapterEntry, choice: &Choice<'_>) -> bool {
    let named = |text: &str| match text.trim().parse::<usize>() {
        Ok(index) => entry.index == index,
        // The empty string is a part of every name.
        Err(_) if text.trim().is_empty() => false,
        Err(_) => entry.info.name.to_lowercase().contains(&text.trim().to_lowercase()),
    };
    choice.adapter.is_none_or(named) && choice.backend.is_none_or(|backend| entry.info.backend == backend)
}

/// The message when no adapter matches: the criteria, and the list of adapters.
fn refusal(entries: &[AdapterEntry], choice: &Choice<'_>) -> String {
    let adapter = choice.adapter.map_or(String::new(), |text| format!(" \"{text}\""));
    let backend = choice.backend.map_or(String::new(), |backend| format!(" with backend {backend}"));
    let window = if choice.surface.is_some() { " that can draw in this window" } else { "" };
    let asked = format!("no GPU adapter{adapter}{backend}{window}");
    if entries.is_empty() {
        let page = "turn on hardware acceleration in the browser's settings, or use another browser";
        let driver = "install a graphics driver (Debian: mesa-vulkan-drivers)";
        let help = if cfg!(target_arch = "wasm32") { page } else { driver };
        return format!("{asked}: none found; {help}");
    }
    let all: Vec<String> = entries
        .iter()
        .map(|entry| if entry.compute { entry.to_string() } else { format!("{entry}, cannot simulate") })
        .collect();
    format!("{asked}: the adapters are {}", all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(
        index: usize,
        name: &str,
        backend: wgpu::Backend,
        device_type: wgpu::DeviceType,
    ) -> AdapterEntry {
        let mut info = wgpu::AdapterInfo::new(device_type, backend);
        info.name = name.to_owned();
        let limits = wgpu::Limits::default();
        AdapterEntry { index, info, limits, compute: true, timestamps: false, kernels: Vec::new() }
    }

    #[test]
    fn a_choice_matches_by_index_part_of_the_name_and_backend() {
        let card = entry(1, "Radeon RX", wgpu::Backend::Vulkan, wgpu::DeviceType::DiscreteGpu);
        let fits = |adapter, backend| matches(&card, &Choice { adapter, backend, surface: None });
        assert!(fits(None, None) && fits(Some("radeon"), None) && fits(Some("1"), None));
        assert!(!fits(Some("0"), None) && !fits(Some("geforce"), None));
        assert!(fits(Some("rx"), Some(wgpu::Backend::Vulkan)) && !fits(None, Some(wgpu::Backend::Gl)));
    }

    #[test]
    fn an_opengl_before_4_3_steps_nothing() {
        for (backend, version, expected) in [
            (wgpu::Backend::Gl, "3.3.0 NVIDIA 580.159.04", false),
            (wgpu::Backend::Gl, "4.2 (Core Profile) Mesa 10.1", false),
            (wgpu::Backend::Gl, "4.5 (Core Profile) Mesa 22.3.6", true),
            (wgpu::Backend::Gl, "OpenGL ES 3.1 Mesa 22.3.6", true),
            (wgpu::Backend::Gl, "", true),
            (wgpu::Backend::Vulkan, "3.3", true),
        ] {
            let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, backend);
            info.driver_info = version.to_owned();
            assert_eq!(translates_compute_shaders(&info), expected, "{version}");
        }
    }

    #[test]
    fn hardware_comes_first_but_for_what_was_lost() {
        let mut rasteriser = entry(0, "softpipe", wgpu::Backend::Gl, wgpu::DeviceType::Other);
        rasteriser.info = corrected(rasteriser.info);
        assert!(!rasteriser.hardware());
        let best_first = [
            entry(1, "Radeon", wgpu::Backend::Vulkan, wgpu::DeviceType::DiscreteGpu),
            entry(2, "Mali-G52", wgpu::Backend::Gl, wgpu::DeviceType::Other),
            entry(3, "llvmpipe", wgpu::Backend::Vulkan, wgpu::DeviceType::Cpu),
            entry(4, "llvmpipe", wgpu::Backend::Gl, wgpu::DeviceType::Cpu),
            entry(5, "SwiftShader Device", wgpu::Backend::Vulkan, wgpu::DeviceType::Cpu),
        ];
        assert!(best_first.is_sorted_by(|better, worse| better.rank() < worse.rank()));
        let lost = &best_first[3];
        let first = best_first.iter().min_by_key(|entry| entry.rank_after(&lost.info));
        assert_eq!(first.map(|entry| entry.index), Some(lost.index));
    }

    #[test]
    fn a_refusal_lists_what_there_is() {
        let software = entry(0, "llvmpipe", wgpu::Backend::Vulkan, wgpu::DeviceType::Cpu);
        let choice = Choice { adapter: Some("geforce"), ..Choice::default() };
        let text = refusal(&[software], &choice);
        assert!(text.contains("\"geforce\"") && text.contains("0 llvmpipe (vulkan)"), "{text}");
        assert!(refusal(&[], &choice).contains("install"));
    }
}

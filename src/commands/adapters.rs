//! `adapters`: lists the adapters and their abilities.

use serde_json::json;

use files::{Failure, Result};
use gpu::buffers::capacity;
use gpu::{AdapterEntry, Gpu};

pub(super) fn list(json: bool) -> Result {
    if json {
        return super::print_json(&all());
    }
    let entries = Gpu::list();
    if entries.is_empty() {
        return Err(Failure::adapter("no GPU adapter found")
            .hint("install a graphics driver (Debian: mesa-vulkan-drivers), or use --engine cpu"));
    }
    super::print(&entries.iter().map(line).collect::<String>())
}

/// Every adapter, as an object each.
pub fn all() -> serde_json::Value {
    Gpu::list().iter().map(as_json).collect()
}

fn line(entry: &AdapterEntry) -> String {
    let info = &entry.info;
    let mut abilities = vec![if entry.hardware() { "hardware" } else { "software" }.to_owned()];
    abilities.push(if entry.compute { "can simulate" } else { "cannot simulate" }.to_owned());
    if entry.timestamps {
        abilities.push("timestamps".to_owned());
    }
    if let [kernel] = entry.kernels[..] {
        abilities.push(format!("kernel {}", kernel.name()));
    }
    abilities.push(format!("up to {} boids", capacity(&entry.limits).boids));
    let driver = format!("{} {}", info.driver, info.driver_info);
    let driver = driver.trim();
    let driver = if driver.is_empty() { "unknown driver" } else { driver };
    format!("{}  {}  {}  {driver}  {}\n", entry.index, info.name, info.backend, abilities.join(", "))
}

fn as_json(entry: &AdapterEntry) -> serde_json::Value {
    json!({
        "index": entry.index,
        "name": entry.info.name,
        "backend": entry.info.backend.to_string(),
        "driver": entry.info.driver,
        "driver_info": entry.info.driver_info,
        "hardware": entry.hardware(),
        "compute": entry.compute,
        "timestamps": entry.timestamps,
        "kernels": entry.kernels.iter().map(|kernel| kernel.name()).collect::<Vec<_>>(),
        "most_boids": capacity(&entry.limits).boids,
        "max_binding_bytes": entry.limits.max_storage_buffer_binding_size,
        "max_buffer_bytes": entry.limits.max_buffer_size,
    })
}

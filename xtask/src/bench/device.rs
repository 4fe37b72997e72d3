//! The devices of the benchmarks: every adapter that can step flocks, and the CPU engine.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::options::Options;
use crate::error::{Error, Result};
use crate::shell;

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The name for display.
    pub name: String,
    /// The name in file names.
    pub short: String,
    /// The options of `profile` that select the device.
    pub words: Vec<String>,
    pub kind: DeviceKind,
    /// The capacity in boids; `None` where memory is the only limit.
    pub most: Option<u64>,
    /// The kernels that the device supports, the simplest first.
    pub kernels: Vec<String>,
}

/// The kind of a device, which determines the sizes of flocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    Gpu,
    /// An adapter that computes on the processor.
    Software,
    Cpu,
}

/// The devices that the program lists and the options select.
pub fn all(program: &Path, options: &Options) -> Result<Vec<Device>> {
    let mut command = Command::new(program);
    let text = shell::read(command.args(["adapters", "--json"]));
    let text =
        text.ok_or_else(|| Error::Failed(format!("`{} adapters --json` failed", program.display())))?;
    let mut devices = adapters(&text)?;
    devices.push(Device {
        name: "CPU engine".to_owned(),
        short: "cpu".to_owned(),
        words: ["--engine", "cpu"].map(str::to_owned).to_vec(),
        kind: DeviceKind::Cpu,
        most: None,
        kernels: Vec::new(),
    });
    let names: Vec<String> = devices.iter().map(|device| device.name.clone()).collect();
    if let Some(part) = &options.device {
        devices.retain(|device| device.name.to_lowercase().contains(part));
    }
    if devices.is_empty() {
        let part = options.device.as_deref().unwrap_or_default();
        return Err(Error::Usage(format!("--device {part}: there is {}", names.join(", "))));
    }
    Ok(devices)
}

/// The adapters of the program's list that can step flocks.
fn adapters(list: &str) -> Result<Vec<Device>> {
    let wrong = |why: &str| Error::Failed(format!("the list of adapters cannot be read: {why}"));
    let list: Value = serde_json::from_str(list).map_err(|why| wrong(&why.to_string()))?;
    let list = list.as_array().ok_or_else(|| wrong("it is no list"))?;
    let able = list.iter().filter(|adapter| adapter["compute"] == true);
    able.map(|adapter| {
        let word = |key: &str| adapter[key].as_str().ok_or_else(|| wrong(&format!("no {key}")));
        let index = adapter["index"].as_u64().ok_or_else(|| wrong("no index"))?;
        let name = format!("{} ({})", word("name")?, word("backend")?);
        let kind = if adapter["hardware"] == true { DeviceKind::Gpu } else { DeviceKind::Software };
        Ok(Device {
            short: format!("gpu{index}-{}", short(&name)),
            name,
            words: vec!["--engine".into(), "gpu".into(), "--adapter".into(), index.to_string()],
            kind,
            most: adapter["most_boids"].as_u64(),
            kernels: words(&adapter["kernels"]),
        })
    })
    .collect()
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Replaces characters that a file name cannot have.
fn short(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"[
        {"index": 0, "name": "llvmpipe (LLVM 15, 256 bits)", "backend": "vulkan", "hardware": false,
         "compute": true, "most_boids": 8388608, "kernels": ["plain", "shared"]},
        {"index": 1, "name": "Old", "backend": "gl", "hardware": true, "compute": false, "most_boids": 0},
        {"index": 2, "name": "New 9", "backend": "vulkan", "hardware": true, "compute": true, "most_boids": 100}
    ]"#;

    #[test]
    fn adapters_that_can_step_flocks_are_chosen_by_their_index() {
        let devices = adapters(LIST).expect("a list");
        assert_eq!(devices.len(), 2);
        assert_eq!((devices[0].kernels.len(), devices[1].kernels.len()), (2, 0));
        assert_eq!(devices[0].words, ["--engine", "gpu", "--adapter", "0"]);
        assert_eq!(
            (devices[0].short.as_str(), devices[0].kind),
            ("gpu0-llvmpipe-llvm-15-256-bits-vulkan", DeviceKind::Software)
        );
        assert_eq!(
            (devices[1].name.as_str(), devices[1].kind, devices[1].most),
            ("New 9 (vulkan)", DeviceKind::Gpu, Some(100))
        );
    }

    #[test]
    fn what_is_no_list_is_said_to_be_none() {
        for list in ["", "{}", r#"[{"compute": true}]"#] {
            assert!(
                matches!(adapters(list), Err(Error::Failed(why)) if why.contains("list of adapters")),
                "{list}"
            );
        }
    }
}

//! What the kernels took on each adapter, in the user's cache folder: measured once for an adapter, its driver, a number
//! type and a version of the program.
//!
//! The file only saves time. Without it, or where it cannot be read or written, kernels are measured anew.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use config::text_file;
use cpu::Numeric;
use engines::KernelTimes;
use gpu::{Kernel, Measurement};
use report::user_folder;

const FILE: &str = "kernels.json";
const PROGRAM: &str = concat!("murmuration ", env!("CARGO_PKG_VERSION"));

/// The measurements that are kept.
#[derive(Clone, Debug)]
pub struct KernelCache {
    /// None keeps nothing.
    folder: Option<PathBuf>,
}

impl KernelCache {
    /// In the user's cache folder, or where [`user_folder::VARIABLE`] says.
    pub fn of_user() -> Self {
        KernelCache { folder: user_folder::cache() }
    }

    /// In this folder.
    pub fn within(folder: &Path) -> Self {
        KernelCache { folder: Some(folder.to_owned()) }
    }

    /// The entries of the file, if this version of the program wrote it.
    fn entries(&self) -> Vec<Value> {
        let Some(file) = self.folder.as_ref().map(|folder| folder.join(FILE)) else { return Vec::new() };
        match text_file::read(&file).and_then(|text| Ok(serde_json::from_str::<Value>(&text)?)) {
            Ok(mut all) if all["program"] == PROGRAM => {
                all["measured"].as_array_mut().map(std::mem::take).unwrap_or_default()
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                log::warn!("kernels are measured anew: {}: {error}", file.display());
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

impl KernelTimes for KernelCache {
    fn find(&self, info: &wgpu::AdapterInfo, numeric: Numeric) -> Option<Measurement> {
        let key = key(info, numeric);
        self.entries().iter().find(|entry| is_of(entry, &key)).and_then(measurement)
    }

    fn keep(&self, info: &wgpu::AdapterInfo, numeric: Numeric, found: &Measurement) {
        let Some(folder) = &self.folder else { return };
        let mut entry = key(info, numeric);
        let mut entries = self.entries();
        entries.retain(|old| !is_of(old, &entry));
        entry["boids"] = found.boids.into();
        entry["same_bits"] = found.same_bits.into();
        for kernel in Kernel::ALL {
            entry[nanoseconds(kernel)] = found.time(kernel).into();
        }
        entries.push(entry);
        let text = format!("{:#}\n", json!({ "program": PROGRAM, "measured": entries }));
        if let Err(error) = user_folder::write(folder, FILE, text) {
            log::warn!("kernels are measured again next time: {}", error.message);
        }
    }
}

/// What an entry is of.
fn key(info: &wgpu::AdapterInfo, numeric: Numeric) -> Value {
    json!({
        "adapter": info.name,
        "backend": info.backend.to_string(),
        "driver": info.driver,
        "driver_info": info.driver_info,
        "numeric": numeric.name(),
    })
}

fn is_of(entry: &Value, key: &Value) -> bool {
    key.as_object().is_some_and(|key| key.iter().all(|(name, value)| entry[name] == *value))
}

/// None where a part is missing or cannot be.
fn measurement(entry: &Value) -> Option<Measurement> {
    let [plain, shared] =
        Kernel::ALL.map(|kernel| entry[nanoseconds(kernel)].as_u64().filter(|time| *time > 0));
    let boids = u32::try_from(entry["boids"].as_u64()?).ok()?;
    Some(Measurement { boids, times: [plain?, shared?], same_bits: entry["same_bits"].as_bool()? })
}

/// The name of a kernel's time.
fn nanoseconds(kernel: Kernel) -> String {
    format!("{}_ns", kernel.name())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn adapter(driver: &str) -> wgpu::AdapterInfo {
        let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, wgpu::Backend::Vulkan);
        info.name = "A \"GPU\"".to_owned();
        info.driver_info = driver.to_owned();
        info
    }

    fn measured(plain: u64) -> Measurement {
        Measurement { boids: 9000, times: [plain, 5], same_bits: true }
    }

    #[test]
    fn what_is_kept_is_found_for_the_same_adapter_driver_and_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("made").join("on demand");
        let cache = KernelCache::within(&inner);
        assert_eq!(cache.find(&adapter("1"), Numeric::F32), None);
        cache.keep(&adapter("1"), Numeric::F32, &measured(1));
        cache.keep(&adapter("2"), Numeric::F32, &measured(2));
        cache.keep(&adapter("1"), Numeric::Fixed, &Measurement { same_bits: false, ..measured(3) });
        cache.keep(&adapter("1"), Numeric::F32, &measured(4));
        let found = |driver, numeric| cache.find(&adapter(driver), numeric);
        assert_eq!(found("1", Numeric::F32), Some(measured(4)));
        assert_eq!(found("2", Numeric::F32), Some(measured(2)));
        assert_eq!(found("1", Numeric::Fixed), Some(Measurement { same_bits: false, ..measured(3) }));
        assert_eq!(found("3", Numeric::F32), None);
        assert_eq!(found("2", Numeric::Fixed), None);
        let mut other = adapter("1");
        other.backend = wgpu::Backend::Gl;
        assert_eq!(cache.find(&other, Numeric::F32), None);
        assert_eq!(fs::read_dir(&inner).expect("made").count(), 1, "nothing is left beside the file");
    }

    #[test]
    fn a_file_that_is_of_no_use_is_measured_anew_and_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = KernelCache::within(folder.path());
        let info = adapter("1");
        cache.keep(&info, Numeric::F32, &measured(7));
        let good = fs::read_to_string(folder.path().join(FILE)).expect("kept");
        for (from, to) in [
            (PROGRAM, "murmuration 0.0.1"),
            ("\"plain_ns\": 7", "\"plain_ns\": 0"),
            ("\"plain_ns\": 7", "\"plain_ns\": -7"),
            ("\"plain_ns\"", "\"other_ns\""),
            ("\"boids\": 9000", "\"boids\": 1e30"),
            ("true", "\"yes\""),
            ("[", "7, \"more\": ["),
            ("}", ""),
            (good.as_str(), ""),
            (good.as_str(), "[[[["),
            (good.as_str(), "\u{0}"),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good, "{from}");
            fs::write(folder.path().join(FILE), &bad).expect("written");
            assert_eq!(cache.find(&info, Numeric::F32), None, "{bad}");
            cache.keep(&info, Numeric::F32, &measured(7));
            assert_eq!(cache.find(&info, Numeric::F32), Some(measured(7)), "after {bad}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_is_no_failure() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a file");
        fs::write(&file, "text").expect("written");
        for cache in [KernelCache::within(&file), KernelCache { folder: None }] {
            cache.keep(&adapter("1"), Numeric::F32, &measured(1));
            assert_eq!(cache.find(&adapter("1"), Numeric::F32), None);
        }
        assert_eq!(fs::read_to_string(&file).expect("still there"), "text");
    }
}

//! The software drivers of the tests, and the environment that makes all of them visible at once.
//!
//! Vulkan's loader reads one JSON file per driver. Mesa installs that of llvmpipe into the standard folder; SwiftShader
//! is part of Chromium, whose folder the loader does not search.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folders of the JSON files of Vulkan drivers.
const VULKAN_FOLDERS: [&str; 4] = [
    "/usr/share/vulkan/icd.d",
    "/usr/local/share/vulkan/icd.d",
    "/etc/vulkan/icd.d",
    "/run/opengl-driver/share/vulkan/icd.d",
];

/// The JSON files of SwiftShader in Chromium and its derivatives.
const SWIFTSHADER_FILES: [&str; 6] = [
    "/usr/lib/chromium/vk_swiftshader_icd.json",
    "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
    "/opt/google/chrome/vk_swiftshader_icd.json",
    "/opt/microsoft/msedge/vk_swiftshader_icd.json",
    "/opt/brave.com/brave/vk_swiftshader_icd.json",
    "/snap/chromium/current/usr/lib/chromium-browser/vk_swiftshader_icd.json",
];

/// The environment variable that overrides the path of SwiftShader's file.
pub const SWIFTSHADER_VARIABLE: &str = "MURMURATION_SWIFTSHADER_ICD";

/// The JSON file of Mesa's llvmpipe for Vulkan.
pub fn llvmpipe() -> Option<PathBuf> {
    vulkan_files().into_iter().find(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // 32-bit drivers may be installed, too.
        let foreign = cfg!(target_pointer_width = "64") && name.contains("i686");
        name.starts_with("lvp_icd") && !foreign
    })
}

/// The JSON file of SwiftShader.
pub fn swiftshader() -> Option<PathBuf> {
    let named = std::env::var_os(SWIFTSHADER_VARIABLE).map(PathBuf::from);
    let known = SWIFTSHADER_FILES.iter().map(PathBuf::from);
    named.into_iter().chain(known).find(|file| file.is_file())
}

/// True if any Vulkan driver is installed, of hardware or in software.
pub fn any_vulkan() -> bool {
    std::env::var_os("VK_DRIVER_FILES").is_some()
        || std::env::var_os("VK_ICD_FILENAMES").is_some()
        || !vulkan_files().is_empty()
}

/// The vendor file that makes EGL select Mesa where several vendors are installed.
pub fn mesa_egl() -> Option<PathBuf> {
    let file = PathBuf::from("/usr/share/glvnd/egl_vendor.d/50_mesa.json");
    file.is_file().then_some(file)
}

/// True if a folder of libraries holds Mesa's OpenGL: one file per driver, or a single one since 24.2.
pub fn has_mesa_gl(folder: &Path) -> bool {
    let all_in_one = std::fs::read_dir(folder).into_iter().flatten().flatten();
    folder.join("dri/swrast_dri.so").exists()
        || all_in_one.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("libgallium-"))
}

/// The environment of the GPU tests: llvmpipe (Vulkan and GL) and, for all tests, SwiftShader (Vulkan) are visible in
/// one process, hardware is not. To be called after set-up.
pub fn test_environment(all: bool) -> Vec<(&'static str, OsString)> {
    let files = [llvmpipe(), swiftshader().filter(|_| all)];
    let list: Vec<String> = files.iter().flatten().map(|file| file.display().to_string()).collect();
    let list = OsString::from(list.join(":"));
    let mut environment = vec![
        // The loader's name for the list since 1.3.207, and the one before.
        ("VK_DRIVER_FILES", list.clone()),
        ("VK_ICD_FILENAMES", list),
        ("LIBGL_ALWAYS_SOFTWARE", "1".into()),
        ("GALLIUM_DRIVER", "llvmpipe".into()),
    ];
    if let Some(file) = mesa_egl() {
        environment.push(("__EGL_VENDOR_LIBRARY_FILENAMES", file.into()));
    }
    environment
}

fn vulkan_files() -> Vec<PathBuf> {
    let entries = VULKAN_FOLDERS.iter().filter_map(|folder| std::fs::read_dir(folder).ok());
    let files = entries.flatten().filter_map(|entry| Some(entry.ok()?.path()));
    files.filter(|file| file.extension().is_some_and(|end| end == "json")).collect()
}

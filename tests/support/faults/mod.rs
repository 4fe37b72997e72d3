//! Faults of the driver, on demand: starts the program with the layer of `layer.rs` between it and Vulkan.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const NAME: &str = "VK_LAYER_murmuration_faults";

/// The faults of one program.
pub struct Faults {
    folder: tempfile::TempDir,
}

impl Faults {
    /// None as yet.
    pub fn new() -> Self {
        Faults { folder: tempfile::tempdir().expect("a folder") }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("order")
    }

    /// Puts the layer between the program and its driver.
    pub fn reach(&self, command: &mut Command) {
        command
            .env("VK_LAYER_PATH", layer())
            .env("VK_INSTANCE_LAYERS", NAME)
            .env("MURMURATION_FAULT", self.file());
    }

    /// Orders a fault; `layer.rs` lists them.
    pub fn order(&self, fault: &str) {
        // Renamed, so that the layer reads it whole.
        let beside = self.folder.path().join("beside");
        std::fs::write(&beside, fault).expect("written");
        std::fs::rename(beside, self.file()).expect("renamed");
    }

    /// True if the fault has come: one that comes once removes its order, the other leaves a file beside it.
    pub fn done(&self) -> bool {
        !self.file().exists() || self.file().with_extension("fired").exists()
    }
}

/// The folder of the compiled layer.
fn layer() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults");
        std::fs::create_dir_all(&folder).expect("a folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/faults/layer.rs");
        let library = folder.join("libfaults.so");
        // Renamed when whole: other tests may be starting, too.
        let part = folder.join(format!("{}.part", std::process::id()));
        let compiler = std::env::var_os("RUSTC").unwrap_or("rustc".into());
        let status = Command::new(compiler)
            .args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "faults"])
            .arg("-o")
            .args([&part, &source])
            .status();
        assert!(status.expect("rustc starts").success(), "the layer is not compiled");
        std::fs::rename(&part, &library).expect("renamed");
        let manifest = serde_json::json!({
            "file_format_version": "1.1.2",
            "layer": {
                "name": NAME,
                "type": "GLOBAL",
                "library_path": library,
                "api_version": "1.3.0",
                "implementation_version": "1",
                "description": "fails as drivers do",
            },
        });
        std::fs::write(&part, manifest.to_string()).expect("written");
        std::fs::rename(&part, folder.join("faults.json")).expect("renamed");
        folder
    })
}

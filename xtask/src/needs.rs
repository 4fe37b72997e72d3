//! The needs of the project from the system: how to detect each, and which package provides it.

use crate::system::System;
use crate::{drivers, firmware, shell};
use std::path::PathBuf;

/// The purpose of a set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The window, or a film where there is no display.
    Run,
    /// The tests of the simulator.
    Test,
    /// Those of other machines, browsers and clusters, too: everything that CI runs.
    TestAll,
}

/// How to detect that a need is met.
#[derive(Clone, Copy, Debug)]
enum Probe {
    /// A shared library that is loaded at run time.
    Library(&'static str),
    /// A program on the search path.
    Program(&'static str),
    CppCompiler,
    /// `cargo NAME` works.
    Cargo(&'static str),
    AnyVulkanDriver,
    Llvmpipe,
    MesaEgl,
    MesaGl,
    SwiftShader,
    FirmwareCompiler,
    Libclang,
    /// A module of the Python that `shell::python` runs.
    Python(&'static str),
    /// A file, named from the root of the repository.
    File(&'static str),
}

/// How to meet a need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// A package: its names in Debian and Ubuntu, Fedora, and Arch.
    Package { debian: &'static str, fedora: &'static str, arch: &'static str },
    /// A component of the Rust toolchain.
    Component(&'static str),
    /// An npm package: name and version.
    Npm(&'static str),
    /// The core library for the RP2040: from rustup, or from Debian packages.
    FirmwareTarget,
    /// Chromium: a package in Debian, a snap in Ubuntu.
    SwiftShader,
}

/// A need.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    pub what: &'static str,
    pub why: &'static str,
    pub remedy: Remedy,
    probe: Probe,
}

/// The needs of a purpose, in the order of installation.
pub fn needs(purpose: Purpose) -> Vec<Need> {
    let gcc = ["g++", "gcc-c++", "gcc"];
    let loader = ["libvulkan1", "vulkan-loader", "vulkan-icd-loader"];
    let vulkan = ["mesa-vulkan-drivers", "mesa-vulkan-drivers", "vulkan-swrast"];
    let wayland = ["libwayland-client0", "libwayland-client", "wayland"];
    let mut list = vec![
        packaged(Probe::CppCompiler, "a C++ compiler", "builds the film encoder", gcc),
        library("libvulkan.so.1", "finds the Vulkan drivers", loader),
        match purpose {
            Purpose::Run => packaged(Probe::AnyVulkanDriver, "a Vulkan driver", "draws the flock", vulkan),
            Purpose::Test | Purpose::TestAll => {
                packaged(Probe::Llvmpipe, "llvmpipe for Vulkan", "stands in for a GPU", vulkan)
            }
        },
    ];
    let x = X_LIBRARIES.iter();
    list.extend(x.map(|(file, packages)| library(file, "opens the window under X", *packages)));
    if purpose == Purpose::Run && std::env::var_os("WAYLAND_DISPLAY").is_some() {
        list.push(library("libwayland-client.so.0", "opens the window under Wayland", wayland));
    }
    if purpose != Purpose::Run {
        list.extend(test_needs());
    }
    if purpose == Purpose::TestAll {
        list.extend(all_needs());
    }
    list
}

/// The libraries that a window under X loads, and their packages.
const X_LIBRARIES: [(&str, [&str; 3]); 6] = [
    ("libX11.so.6", ["libx11-6", "libX11", "libx11"]),
    ("libX11-xcb.so.1", ["libx11-xcb1", "libX11-xcb", "libx11"]),
    ("libXcursor.so.1", ["libxcursor1", "libXcursor", "libxcursor"]),
    ("libXi.so.6", ["libxi6", "libXi", "libxi"]),
    ("libxkbcommon.so.0", ["libxkbcommon0", "libxkbcommon", "libxkbcommon"]),
    ("libxkbcommon-x11.so.0", ["libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11"]),
];

/// The needs of the tests of the simulator.
fn test_needs() -> Vec<Need> {
    let egl = ["libegl1", "libglvnd-egl", "libglvnd"];
    let mesa_egl = ["libegl-mesa0", "mesa-libEGL", "mesa"];
    let mesa_gl = ["libgl1-mesa-dri", "mesa-dri-drivers", "mesa"];
    let xvfb = ["xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb"];
    vec![
        library("libEGL.so.1", "finds the OpenGL drivers", egl),
        packaged(Probe::MesaEgl, "Mesa's EGL", "opens OpenGL with no display", mesa_egl),
        packaged(Probe::MesaGl, "llvmpipe for OpenGL", "stands in for a GPU", mesa_gl),
        packaged(Probe::Program("Xvfb"), "Xvfb", "is the display of the window test", xvfb),
        packaged(
            Probe::Program("strace"),
            "strace",
            "lists system calls for the test of power loss",
            ["strace"; 3],
        ),
        Need {
            what: "Rust for the RP2040",
            why: "builds the firmware",
            remedy: Remedy::FirmwareTarget,
            probe: Probe::FirmwareCompiler,
        },
        component("fmt", "rustfmt"),
        component("clippy", "clippy"),
    ]
}

/// The needs of the other tests: of a second GPU, of shaders read by others, of a second emulator, and of what only some
/// systems package.
fn all_needs() -> Vec<Need> {
    let mut list = vec![
        Need {
            what: "SwiftShader",
            why: "stands in for a second GPU",
            remedy: Remedy::SwiftShader,
            probe: Probe::SwiftShader,
        },
        packaged(Probe::Program("spirv-val"), "spirv-val", "checks the shaders' SPIR-V", ["spirv-tools"; 3]),
        packaged(
            Probe::Program("glslangValidator"),
            "glslangValidator",
            "checks the shaders' GLSL and HLSL",
            ["glslang-tools", "glslang", "glslang"],
        ),
        packaged(
            Probe::Program("node"),
            "Node.js",
            "runs the second emulator of the firmware",
            ["nodejs"; 3],
        ),
        packaged(
            Probe::Python("ensurepip"),
            "Python's venv",
            "installs the wheel in the tests",
            ["python3-venv", "python3", "python"],
        ),
        packaged(Probe::Program("npm"), "npm", "brings that emulator", ["npm", "nodejs-npm", "npm"]),
        Need {
            what: "rp2040js",
            why: "is that emulator",
            remedy: Remedy::Npm("rp2040js@1.4.1"),
            probe: Probe::File("target/firmware/second/node_modules/rp2040js/dist/esm/index.js"),
        },
    ];
    let system = System::here();
    if system == System::Debian {
        list.extend(browser_needs());
    }
    if matches!(system, System::Debian | System::Ubuntu) {
        let library = Probe::File("/usr/lib/python3/dist-packages/numpy/__init__.py");
        list.push(packaged(library, "NumPy", "recomputes the measures", ["python3-numpy"; 3]));
        let library = Probe::File("/usr/lib/python3/dist-packages/gsd/__init__.py");
        let why = "reads trajectories in the tests";
        list.push(packaged(library, "Python's gsd", why, ["python3-gsd"; 3]));
        list.extend(cluster_needs());
        if cfg!(target_arch = "x86_64") {
            list.extend(elsewhere_needs());
        }
    }
    list
}

/// The needs of the tests of the page. Elsewhere they are not tested: other systems package browsers in other ways.
fn browser_needs() -> Vec<Need> {
    let why = "opens the page in the tests";
    let need = |program, what, package| packaged(Probe::Program(program), what, why, [package; 3]);
    vec![
        need("chromium-headless-shell", "Chromium without a window", "chromium-headless-shell"),
        need("chromedriver", "ChromeDriver", "chromium-driver"),
    ]
}

/// The needs of the tests of studies and ranks on clusters. Other systems have other packages.
fn cluster_needs() -> Vec<Need> {
    let why = "runs a study as an array of jobs in the tests";
    let need = |file, package| packaged(Probe::File(file), package, why, [package; 3]);
    let mpi = |probe, package| packaged(probe, package, "runs ranks as processes in the tests", [package; 3]);
    vec![
        mpi(Probe::Program("mpirun"), "openmpi-bin"),
        mpi(Probe::Program("mpicc"), "libopenmpi-dev"),
        mpi(Probe::Libclang, "libclang-dev"),
        need("/usr/sbin/munged", "munge"),
        need("/usr/sbin/slurmctld", "slurmctld"),
        need("/usr/sbin/slurmd", "slurmd"),
        need("/usr/bin/sbatch", "slurm-client"),
        need("/usr/bin/parallel", "parallel"),
    ]
}

/// The needs of the tests of the program for other machines. Other systems name these packages in other ways.
fn elsewhere_needs() -> Vec<Need> {
    let need = |program, why, package| packaged(Probe::Program(program), program, why, [package; 3]);
    vec![
        need("aarch64-linux-gnu-g++", "builds the program for Arm", "g++-aarch64-linux-gnu"),
        need("qemu-aarch64", "runs it", "qemu-user"),
        need("x86_64-w64-mingw32-g++", "builds the program for Windows", "g++-mingw-w64-x86-64"),
        need("wine", "runs it", "wine"),
        packaged(Probe::File("/usr/lib/wine/wine64"), "wine64", "runs it in 64 bits", ["wine64"; 3]),
    ]
}

impl Need {
    /// True if the need is met.
    pub fn is_met(&self) -> bool {
        match self.probe {
            Probe::Library(file) => library_folders().iter().any(|at| at.join(file).exists()),
            Probe::Program(name) => shell::on_path(name),
            Probe::CppCompiler => {
                std::env::var_os("CXX").is_some_and(|name| !name.is_empty())
                    || shell::on_path("c++")
                    || cfg!(windows)
            }
            Probe::Cargo(name) => shell::read(&mut shell::cargo(&[name, "--version"])).is_some(),
            Probe::AnyVulkanDriver => drivers::any_vulkan(),
            Probe::Llvmpipe => drivers::llvmpipe().is_some(),
            Probe::MesaEgl => drivers::mesa_egl().is_some(),
            Probe::MesaGl => library_folders().iter().any(|at| drivers::has_mesa_gl(at)),
            Probe::FirmwareCompiler => firmware::can_build(),
            Probe::Libclang => (10..50)
                .any(|number| PathBuf::from(format!("/usr/lib/llvm-{number}/lib/libclang.so.1")).exists()),
            Probe::Python(module) => {
                shell::read(shell::python().args(["-c", &format!("import {module}")])).is_some()
            }
            Probe::File(name) => shell::root().join(name).is_file(),
            Probe::SwiftShader => drivers::swiftshader().is_some(),
        }
    }
}

fn packaged(
    probe: Probe,
    what: &'static str,
    why: &'static str,
    [debian, fedora, arch]: [&'static str; 3],
) -> Need {
    Need { what, why, probe, remedy: Remedy::Package { debian, fedora, arch } }
}

fn library(file: &'static str, why: &'static str, packages: [&'static str; 3]) -> Need {
    packaged(Probe::Library(file), file, why, packages)
}

fn component(command: &'static str, name: &'static str) -> Need {
    Need {
        what: name,
        why: "checks the source",
        probe: Probe::Cargo(command),
        remedy: Remedy::Component(name),
    }
}

/// Where the dynamic linker finds libraries of this architecture.
fn library_folders() -> Vec<PathBuf> {
    let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let triple = match std::env::consts::ARCH {
        "x86" => "i386-linux-gnu".to_owned(),
        "arm" => "arm-linux-gnueabihf".to_owned(),
        arch => format!("{arch}-linux-gnu"),
    };
    let usual = ["/usr/lib", "/lib", "/usr/local/lib"].map(|at| PathBuf::from(at).join(&triple));
    let plain = ["/usr/lib64", "/lib64", "/usr/lib", "/lib", "/usr/local/lib"].map(PathBuf::from);
    std::env::split_paths(&named).chain(usual).chain(plain).collect()
}

//! The argument parser's errors, brought to one line and a hint.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::shared::BACKENDS;
use engines::EngineKind;
use report::Failure;

/// The error for a value names the option, the value and the allowed values. For any other error the first paragraph
/// is the message, and a "tip:" the hint.
pub(super) fn failure(error: &clap::Error) -> Failure {
    if let (ErrorKind::ValueValidation, Some(why)) = (error.kind(), error.source())
        && let Some([option, value]) = option_and_value(error)
    {
        let option = option.split(' ').next().unwrap_or_default();
        return Failure::usage(format!("{option} {value}: {why}"));
    }
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let message = first.trim().trim_start_matches("error:").trim();
    let tip = paragraphs.find_map(|paragraph| paragraph.trim().strip_prefix("tip:"));
    let hint = match (engine_hint(error), tip) {
        (Some(hint), _) => hint,
        (None, Some(tip)) => tip.split_whitespace().collect::<Vec<_>>().join(" "),
        (None, None) => {
            "`murmuration help` lists the commands, `murmuration help COMMAND` its options".to_owned()
        }
    };
    Failure::usage(message).hint(hint)
}

/// The option that an error is about, and its value.
fn option_and_value(error: &clap::Error) -> Option<[&String; 2]> {
    match [ContextKind::InvalidArg, ContextKind::InvalidValue].map(|kind| error.get(kind)) {
        [Some(ContextValue::String(option)), Some(ContextValue::String(value))] => Some([option, value]),
        _ => None,
    }
}

/// Interfaces to GPUs and makers of GPUs, which are taken for engines. By its letters alone `cuda` resembles `cpu`.
const GPU_WORDS: [&str; 17] = [
    "amd", "cuda", "d3d12", "directx", "dx12", "gl", "hip", "intel", "metal", "nvidia", "opencl", "opengl",
    "rocm", "sycl", "vulkan", "webgpu", "wgpu",
];

/// The engine that an unknown one stands for, where its letters do not tell.
fn engine_hint(error: &clap::Error) -> Option<String> {
    let [option, value] = option_and_value(error)?;
    if error.kind() != ErrorKind::InvalidValue || !option.starts_with("--engine ") {
        return None;
    }
    let value = value.to_lowercase();
    let gpu = GPU_WORDS.contains(&&*value).then_some(EngineKind::Gpu.name());
    let named = EngineKind::ALL.iter().map(|(_, name)| *name).find(|name| *name == value);
    let meant = gpu.or(named)?;
    let backend = BACKENDS.iter().find(|(_, name)| *name == value);
    let backend = backend.map(|(_, name)| format!(" --backend {name} chooses its interface"));
    Some(format!("did you mean '{meant}'?{}", backend.unwrap_or_default()))
}

//! The argument parser's errors, brought to one line and a hint.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::shared::BACKENDS;
use config::presets;
use engines::EngineKind;
use files::Failure;

/// The error for a value names the option, the value and the allowed values. For any other error the first paragraph
/// is the message; the hint is a similar word, else the "tip:" of the parser.
pub(super) fn failure(error: &clap::Error) -> Failure {
    if let (ErrorKind::ValueValidation, Some(why)) = (error.kind(), error.source())
        && let Some([option, value]) = option_and_value(error)
    {
        let option = option.split(' ').next().unwrap_or_default();
        return Failure::usage(of_value(option, value, &why.to_string()));
    }
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let message = first.trim().trim_start_matches("error:").trim();
    let tip = paragraphs.find_map(|paragraph| paragraph.trim().strip_prefix("tip:"));
    let tip = tip.map(|tip| tip.split_whitespace().collect::<Vec<_>>().join(" "));
    let similar = || match &similar_words(error)[..] {
        [] => tip,
        words => nearest(error, words).map(|word| format!("did you mean '{word}'?")),
    };
    let help = || "`murmuration -h` lists the commands, `murmuration COMMAND -h` its options".to_owned();
    let hint = engine_hint(error).or_else(|| word_hint(error)).or_else(similar);
    Failure::usage(message).hint(hint.unwrap_or_else(help))
}

/// The error of an option's value. `why` is about the option ("must be …"), the value ("is …"), or says what failed.
pub(super) fn of_value(option: &str, value: &str, why: &str) -> String {
    let value = if value.is_empty() { "empty" } else { value };
    if why.starts_with("must be ") {
        format!("{option} {why}, not {value}")
    } else if why.starts_with("is ") {
        format!("{option}: {value} {why}")
    } else {
        format!("{option} {value}: {why}")
    }
}

/// A text of an error's context.
fn text_of(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// The words that the parser takes for similar to what was typed.
fn similar_words(error: &clap::Error) -> Vec<&str> {
    let mut words = Vec::new();
    for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue] {
        match error.get(kind) {
            Some(ContextValue::String(word)) => words.push(word.as_str()),
            Some(ContextValue::Strings(some)) => words.extend(some.iter().map(String::as_str)),
            _ => {}
        }
    }
    words
}

/// The first of the words that has not too many other letters than what was typed.
fn nearest<'a>(error: &clap::Error, words: &[&'a str]) -> Option<&'a str> {
    let typed = [ContextKind::InvalidValue, ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let typed = typed.into_iter().find_map(|kind| text_of(error, kind))?;
    let bare = |word: &str| word.trim_start_matches('-').to_lowercase();
    words.iter().copied().find(|word| config::alike(&bare(typed), &bare(word)))
}

/// The hint for a word that the parser knows nothing of, but this program does.
fn word_hint(error: &clap::Error) -> Option<String> {
    if let Some([option, value]) = option_and_value(error)
        && option.starts_with("-y ")
        && value.is_empty()
    {
        return Some("-y selects measures; use --yes to replace the picture".to_owned());
    }
    let word = match error.kind() {
        ErrorKind::InvalidSubcommand => text_of(error, ContextKind::InvalidSubcommand)?,
        ErrorKind::UnknownArgument => text_of(error, ContextKind::InvalidArg)?,
        _ => return None,
    };
    if word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        return Some(format!("write a value that begins with - after =, such as --OPTION={word}"));
    }
    let preset = presets::all().find(|preset| preset.name == word)?.name;
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let lists = ["presets", "terms"].into_iter().find(|list| usage.contains(&format!("murmuration {list}")));
    Some(match lists {
        Some(list) => format!("did you mean '{list} show {preset}'?"),
        None => format!("did you mean '--preset {preset}'?"),
    })
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
    let backend = backend.map(|(_, name)| format!(" --backend {name} selects its graphics API"));
    Some(format!("did you mean '{meant}'?{}", backend.unwrap_or_default()))
}

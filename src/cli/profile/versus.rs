//! `--versus KEY=VALUE`: the second configuration, which is the first but for what it names.

use clap::ValueEnum;

use super::{ProfileArgs, Switch};
use crate::cli::typed::{BackendArg, EngineArg, NumericArg};
use crate::failure::Failure;

/// What a key may be besides the name of a parameter.
const KEYS: &str = "engine, adapter, backend, numeric, kernel, checks, registers, preset or table.key";

/// The arguments of the second configuration.
///
/// # Errors
/// For an unknown key, and a value that is not allowed.
pub(super) fn second(args: &ProfileArgs) -> Result<ProfileArgs, Failure> {
    let mut second = args.clone();
    second.versus.clear();
    for text in &args.versus {
        let Some((key, value)) = text.split_once('=') else {
            return Err(Failure::usage(format!("--versus {text}: allowed is KEY=VALUE, KEY one of {KEYS}")));
        };
        match (key, value) {
            ("engine", _) => second.engine.engine = word::<EngineArg>(text, value)?,
            ("adapter", _) => second.engine.adapter = Some(value.to_owned()),
            ("backend", _) => second.engine.backend = Some(word::<BackendArg>(text, value)?),
            ("numeric", _) => second.engine.numeric = Some(word::<NumericArg>(text, value)?),
            ("kernel", _) => second.kernel = Some(value.to_owned()),
            ("checks", _) => second.checks = Some(word::<Switch>(text, value)?),
            ("registers", _) => second.registers = Some(value.to_owned()),
            ("preset", _) => (second.flock.preset, second.flock.config) = (Some(value.to_owned()), None),
            ("flock.boids" | "flock.seed", _) => {
                return Err(Failure::usage(format!("--versus {text}: both configurations have the same")));
            }
            _ if key.contains('.') => second.flock.set.push(text.clone()),
            _ => return Err(Failure::usage(format!("--versus {text}: KEY is one of {KEYS}"))),
        }
    }
    // The CPU has no adapter to choose; the first configuration's is not meant then.
    if second.engine.engine == EngineArg::Cpu && args.engine.engine != EngineArg::Cpu {
        (second.engine.adapter, second.engine.backend) = (None, None);
        (second.kernel, second.checks) = (None, None);
    }
    // Nor has the GPU registers to choose.
    if second.engine.engine == EngineArg::Gpu && args.engine.engine != EngineArg::Gpu {
        second.registers = None;
    }
    Ok(second)
}

/// One of the words that an option takes.
fn word<T: ValueEnum>(text: &str, value: &str) -> Result<T, Failure> {
    T::from_str(value, true).map_err(|_| {
        let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|name| name.get_name().to_owned()).collect();
        Failure::usage(format!("--versus {text}: allowed is {}", names.join(", ")))
    })
}

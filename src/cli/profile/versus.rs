//! `--versus KEY=VALUE`: the second configuration, which is the first but for what it names.

use super::{ProfileOptions, SWITCH, registers};
use crate::cli::shared::{Arguments, BACKENDS, MOST_THREADS, kernel, whole};
use cpu::state::Numeric;
use engines::Which;
use report::failure::Failure;

/// What a key may be besides the name of a parameter.
const KEYS: &str =
    "engine, adapter, backend, numeric, kernel, checks, registers, threads, preset or table.key";

/// The arguments of the second configuration.
///
/// # Errors
/// For an unknown key, and a value that is not allowed.
pub(super) fn second(args: &Arguments<ProfileOptions>) -> Result<Arguments<ProfileOptions>, Failure> {
    let mut second = args.clone();
    let Arguments { options, flock, engine } = &mut second;
    options.versus.clear();
    for text in &args.options.versus {
        let refused = |why: String| Failure::usage(format!("--versus {text}: {why}"));
        let Some((key, value)) = text.split_once('=') else {
            return Err(refused(format!("allowed is KEY=VALUE, KEY one of {KEYS}")));
        };
        match key {
            "engine" => engine.engine = word(value, &Which::ALL).map_err(refused)?,
            "adapter" => engine.adapter = Some(value.to_owned()),
            "backend" => engine.backend = Some(word(value, &BACKENDS).map_err(refused)?),
            "numeric" => engine.numeric = Some(word(value, &Numeric::ALL).map_err(refused)?),
            "kernel" => engine.kernel = Some(kernel(value).map_err(refused)?),
            "checks" => options.checks = Some(word(value, &SWITCH).map_err(refused)?),
            "registers" => options.registers = Some(registers(value).map_err(refused)?),
            "threads" => engine.threads = Some(whole(1..=MOST_THREADS)(value).map_err(refused)?),
            "preset" => (flock.preset, flock.config) = (Some(value.to_owned()), None),
            "flock.boids" | "flock.seed" => {
                return Err(refused("both configurations have the same".to_owned()));
            }
            _ if key.contains('.') => flock.set.push(text.clone()),
            _ => return Err(refused(format!("KEY is one of {KEYS}"))),
        }
    }
    // Where the engine differs, the first one's own options do not carry over: the CPU has no adapter to choose, the
    // GPU no registers and no threads.
    if engine.engine != args.engine.engine && engine.engine == Which::Cpu {
        (engine.adapter, engine.backend, engine.kernel, options.checks) = (None, None, None, None);
    }
    if engine.engine != args.engine.engine && engine.engine == Which::Gpu {
        (options.registers, engine.threads) = (None, None);
    }
    Ok(second)
}

/// The value of one of these words.
fn word<T: Copy>(word: &str, all: &[(T, &str)]) -> Result<T, String> {
    all.iter().find(|(_, name)| name.eq_ignore_ascii_case(word)).map(|(value, _)| *value).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(_, name)| *name).collect();
        format!("allowed is {}", names.join(", "))
    })
}

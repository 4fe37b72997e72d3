//! What a call means.

use super::typed::{Command, FlockArgs, PresetsAction, Typed};
use crate::config::{ConfigError, Setting, Source};
use crate::failure::Failure;
use crate::presets::{self, Preset};

/// Something to do, complete and without contradictions.
#[derive(Debug)]
pub enum Request {
    ListPresets { json: bool },
    ShowPreset(&'static Preset),
    ListAdapters { json: bool },
    Completions(clap_complete::Shell),
    Manual,
}

/// Which flock: where its parameters start from, and what is set on top.
#[derive(Clone, Debug)]
pub struct FlockRequest {
    pub source: Source,
    pub settings: Vec<Setting>,
}

impl FlockRequest {
    /// What the options mean; `-n` and `--seed` win over `--set`.
    ///
    /// # Errors
    /// For an unknown preset or parameter, and a value that is not allowed.
    pub fn new(args: &FlockArgs) -> Result<Self, Failure> {
        let source = match (&args.config, &args.preset) {
            (Some(path), _) => Source::File(path.clone()),
            (None, name) => {
                let name = name.as_deref().unwrap_or(presets::DEFAULT);
                Source::Preset(presets::find(name).map_err(|error| error.at("--preset"))?)
            }
        };
        let short = [("--boids", "flock.boids", &args.boids), ("--seed", "flock.seed", &args.seed)];
        let set = args.set.iter().map(|text| ("--set", text.clone()));
        let short = short
            .into_iter()
            .filter_map(|(option, name, value)| Some((option, format!("{name}={}", value.as_ref()?))));
        let settings = set
            .chain(short)
            .map(|(option, text)| Setting::parse(&text).map_err(|error| error.at(option).into()))
            .collect::<Result<_, Failure>>()?;
        Ok(FlockRequest { source, settings })
    }

    /// The number of boids, where the call names it.
    #[must_use]
    pub fn boids(&self) -> Option<u32> {
        self.settings.iter().rev().find_map(Setting::boids)
    }

    /// The parameters; reads the file where there is one.
    ///
    /// # Errors
    /// As [`crate::config::resolve`].
    pub fn parameters(&self) -> Result<flock::Parameters, ConfigError> {
        crate::config::resolve(&self.source, &self.settings)
    }
}

/// What a call means.
///
/// # Errors
/// When it names what is not there, or options that do not go together.
pub fn resolve(typed: Typed) -> Result<Request, Failure> {
    Ok(match typed.command {
        Command::Presets(args) => match args.action {
            Some(PresetsAction::Show { name }) => Request::ShowPreset(presets::find(&name)?),
            None => Request::ListPresets { json: args.json },
        },
        Command::Adapters(args) => Request::ListAdapters { json: args.json },
        Command::Completions(args) => Request::Completions(args.shell),
        Command::Man => Request::Manual,
    })
}

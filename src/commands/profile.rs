//! `profile`: times the passes of a step.

use std::io::Write as _;

use crate::cli::profile::ProfileRequest;
use crate::config::Source;
use crate::failure::Failure;
use crate::interrupt;
use crate::profile::plan::{Plan, Sizes, Watcher};
use crate::profile::result::Profile;
use crate::report::{AtomicFile, Plot, Progress};

pub(super) fn profile(request: &ProfileRequest) -> Result<(), Failure> {
    interrupt::listen();
    let own = request.parameters(None)?;
    // A file that cannot be written is found out before there is work to lose.
    let files = Files::open(request)?;
    let (device, line) = request.engine.choose()?;
    if let Some(line) = line.filter(|_| !request.quiet) {
        super::say(&line);
    }
    let sizes = request.sizes.clone();
    let plan = Plan {
        sizes: sizes.clone().unwrap_or_else(|| Sizes::List(vec![own.flock.boids])),
        method: request.method,
        parameters: &|boids| Ok(request.parameters(sizes.is_some().then_some(boids))?),
        flock: named(request),
    };
    let watcher = Bar::new(&plan, request.quiet);
    let profile = plan.run(&device, &watcher)?;
    drop(watcher);
    super::print(&profile.text())?;
    files.write(&profile)
}

/// What a profile is written to.
struct Files {
    json: Option<AtomicFile>,
    trace: Option<AtomicFile>,
    plot: Option<Plot>,
}

impl Files {
    fn open(request: &ProfileRequest) -> Result<Self, Failure> {
        Ok(Files {
            json: request.json.as_deref().map(AtomicFile::create).transpose()?,
            trace: request.trace.as_deref().map(AtomicFile::create).transpose()?,
            plot: request.plot.as_deref().map(Plot::new).transpose()?,
        })
    }

    fn write(self, profile: &Profile) -> Result<(), Failure> {
        if let Some(file) = self.json {
            write(file, &format!("{:#}\n", profile.json()))?;
        }
        if let Some(plot) = self.plot {
            plot.write(&profile.chart())?;
        }
        if let Some(file) = self.trace {
            let Some(trace) = profile.trace() else {
                let (path, clock) = (file.path().display(), profile.subject.clock.name());
                return Err(Failure::work(format!("--trace {path}: no pass was timed ({clock})")));
            };
            write(file, &format!("{trace}\n"))?;
        }
        Ok(())
    }
}

fn write(mut file: AtomicFile, text: &str) -> Result<(), Failure> {
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| Failure::work(format!("{}: {error}", file.path().display())))?;
    Ok(file.commit()?)
}

/// Which flock.
fn named(request: &ProfileRequest) -> String {
    match &request.flock.source {
        Source::Preset(preset) => format!("preset {}", preset.name),
        Source::File(path) => path.display().to_string(),
    }
}

/// Tells how far it is.
struct Bar {
    progress: Progress,
}

impl Bar {
    fn new(plan: &Plan<'_>, quiet: bool) -> Self {
        let conditions = if plan.method.settle > 0 { 2 } else { 1 };
        let flocks = plan.sizes.all().len() as u64 * conditions;
        Bar { progress: Progress::new(flocks, "flocks", quiet) }
    }
}

impl Watcher for Bar {
    fn stop(&self) -> bool {
        interrupt::asked()
    }

    fn begins(&self, boids: u32, what: &str) {
        self.progress.say(&format!("flocks; {boids} boids, {what}"));
    }

    fn measured(&self) {
        self.progress.advance(1);
    }
}

//! Sessions of the window without a window, and what a person could do in them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use config::presets::PRESETS;
use engine::{Numeric, State};
use engines::Device;
use flight::{First, Flight, Start};
use flock::Parameters;
use flock::parameters::{Value, find};
use flock::random::draw;
use formula::names::FormulaPlace;
use window::session::document::Document;
use window::session::{Action, Preset, Session};
use window::sources;
use window::worker::{Checkpoint, FlockHandle, Past, Source, Worker};

/// The presets of random sessions.
const FLOWN: [&str; 5] = ["cornell", "murmuration", "think", "swarm", "yabi"];

/// The presets, as the window has them.
pub fn presets() -> Vec<Preset> {
    let preset = |preset: &config::presets::Preset| Preset {
        name: preset.name.to_owned(),
        about: preset.about().to_owned(),
        look_for: preset.look_for().to_owned(),
        parameters: preset.parameters().expect(preset.name),
        view: preset.document().expect(preset.name).view,
    };
    PRESETS.iter().map(preset).collect()
}

/// A paused session with the CPU engine and a preset, in a number type, with a wrapper around its engine.
pub fn session_with(
    name: &str,
    numeric: Numeric,
    wrap: impl FnOnce(Box<dyn Source>) -> Box<dyn Source>,
) -> Session {
    let presets = presets();
    let preset = presets.iter().position(|preset| preset.name == name).expect("a preset");
    let base = presets[preset].parameters;
    let mut parameters = base;
    // Presets have many boids; tests need few.
    parameters.set_boids(parameters.flock.boids.min(500));
    let document = Document::new(presets, Some(preset), base, parameters);
    let start = State::start(&parameters);
    let device = Device::cpu(numeric);
    let source = wrap(sources::open(&device, &parameters, &start).expect("some threads"));
    let held = Checkpoint { generation: 0, state: None };
    let (view, first, engine) = (document.view, First::Seed, device.describe());
    let past = Past::new(Start { preset: None, parameters, view, numeric, engine, first });
    let worker = Worker::start(FlockHandle { source, held, past, journal: None }, || {}).expect("one thread");
    let mut session = Session::new(document, worker, device, "cpu".to_owned());
    session.apply(Action::Play(false));
    session.controls.open.all = true;
    session.settle();
    session
}

/// Changes parameters as the panel does.
pub fn change(session: &mut Session, change: impl FnOnce(&mut Parameters)) {
    let mut parameters = session.document.parameters;
    change(&mut parameters);
    session.apply(Action::Parameters(Box::new(parameters)));
    assert_eq!(session.document.parameters, parameters, "{:?}", session.controls.message);
}

/// Plays one frame.
pub fn frame(session: &mut Session) {
    session.tick(Duration::from_millis(16));
    session.settle();
    session.end_frame(false);
}

/// Saves the flight of a session; its file.
pub fn save(session: &mut Session, folder: &Path) -> PathBuf {
    session.apply(Action::Folder(folder.display().to_string()));
    session.apply(Action::SaveFlight);
    session.settle();
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    files.max_by_key(|path| path.metadata().and_then(|about| about.modified()).ok()).expect("a file")
}

pub fn read(path: &Path) -> Flight {
    let text = std::fs::read_to_string(path).expect("a flight");
    flight::parse(&text, "saved").unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// Something that a person does.
fn act(session: &mut Session, words: [u32; 4]) {
    let [dice, x, y, z] = words;
    let [centre, extent] =
        [session.frame().summary.map_or([0.0; 3], |s| s.centre), [session.document.extent() as f32; 3]];
    let at: [f32; 3] = std::array::from_fn(|k| centre[k] + extent[k] * ([x, y, z][k] % 997) as f32 / 4000.0);
    let action = match dice % 40 {
        0..12 => Action::Falcon(at),
        12 => Action::Attract(Some(at)),
        13 => Action::Attract(None),
        14 => Action::PlaceObstacle(at),
        15 => Action::RemoveObstacle,
        16 => Action::SetCarrot(at),
        17 => Action::Hunt(x % 2 == 0),
        18 => Action::Undo,
        19 => Action::Redo,
        20 => Action::Seek(-i64::from(x % 50)),
        21 => Action::Seek(i64::from(x % 20)),
        22 => Action::TakeOver,
        23 if session.document.parameters.terms.terms().is_empty() => {
            let terms =
                config::presets::find("vortex").expect("built in").parameters().expect("allowed").terms;
            Action::Parameters(Box::new(Parameters { terms, ..session.document.parameters }))
        }
        23 => {
            Action::Formula(0, FormulaPlace::Request, format!("{} * cross(vec3(0, 0, 1), position)", x % 3))
        }
        24 => Action::Restart,
        25 => Action::Step,
        26..30 => {
            let name =
                ["separation.radius", "alignment.weight", "cohesion.weight", "noise.weight"][y as usize % 4];
            let parameter = find(name).expect(name);
            let Value::Real(old) = parameter.get(&session.document.parameters) else { panic!("{name}") };
            Action::Set(parameter, Value::Real((0.5 + f64::from(x % 100) / 100.0) * (old + 0.1)))
        }
        _ => return,
    };
    // The first actions of a flight stay in it.
    let ends = matches!(action, Action::Restart) && session.frame().step > 40;
    if !ends {
        session.apply(action);
    }
}

/// A session of a few seconds with random actions. Its flock is small.
pub fn random(seed: u32, numeric: Numeric) -> Session {
    let mut session = session_with(FLOWN[seed as usize % FLOWN.len()], numeric, |source| source);
    change(&mut session, |p| p.set_boids(60));
    session.settle();
    for k in 0..130 {
        if k % 3 > 0 {
            act(&mut session, draw(seed, k, 0, 9));
        }
        // Now and then a person looks back; then the flock flies on.
        session.apply(Action::Play(k % 30 != 29));
        frame(&mut session);
    }
    session
}

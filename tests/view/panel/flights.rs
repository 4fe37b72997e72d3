//! Recorded flights: whatever a person does is repeated from the file, with the same hashes on every engine of the number
//! type.

use engine::Numeric;
use engines::{Device, EngineKind, EngineRequest};
use flight::{Comparison, Divergence, Flight};
use window::session::Action;
use window::session::controls::Page;

use crate::scope;
use crate::sessions::{self, change, frame, read, save};

use super::{Panel, failure, session, step};

/// Repeats a flight on a device: the first hash that differs, and how many were compared.
fn repeat(flight: &Flight, device: &Device) -> (Option<Divergence>, usize) {
    let state = flight.start.state().expect("there is room");
    let mut engine = device.engine(&flight.start.parameters, &state).expect("it fits").boxed();
    let Comparison { equal, divergence } =
        flight.repeat(&mut *engine, flight.end, || false).expect("accepted");
    (divergence, equal)
}

#[test]
fn random_sessions_are_repeated_from_their_files_with_the_same_hashes() {
    let folder = tempfile::tempdir().expect("a folder");
    let device = |which| EngineRequest {
        which,
        numeric: Numeric::Fixed,
        adapter: None,
        backend: None,
        kernel: None,
        threads: None,
        firmware: None,
    };
    let others = [EngineKind::Gpu, EngineKind::Rp2040].map(device);
    let others: Vec<_> = others.iter().filter_map(|request| request.choose().ok()).collect();
    let (mut changes, mut compared, mut on_others) = (0, 0, 0);
    let sessions = scope::choose(40_u32, 200);
    for seed in 0..sessions {
        let numeric = [Numeric::Fixed, Numeric::F32, Numeric::Fixed, Numeric::F64][seed as usize % 4];
        let mut session = sessions::random(seed, numeric);
        let file = save(&mut session, folder.path());
        let flight = read(&file);
        std::fs::remove_file(file).expect("removed");
        let (divergence, count) = repeat(&flight, &Device::cpu(numeric));
        assert_eq!(divergence, None, "session {seed}:\n{}", flight.text());
        changes += flight.changes.all().len();
        compared += count;
        if numeric == Numeric::Fixed && seed % 12 == 0 {
            for (device, _) in &others {
                assert_eq!(repeat(&flight, device).0, None, "session {seed} on {device:?}");
                on_others += 1;
            }
        }
    }
    let enough = changes > 20 * sessions as usize && compared >= sessions as usize;
    assert!(enough && on_others > others.len(), "{changes}, {compared}, {on_others}");
}

#[test]
fn a_flight_is_saved_opened_and_taken_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut first = session("cornell");
    change(&mut first, |p| p.set_boids(80));
    first.apply(Action::Play(true));
    for k in 0..100 {
        first.apply(Action::Falcon([k as f32 * 0.37, 5.0, 0.0]));
        if k == 50 {
            change(&mut first, |p| p.alignment.weight *= 2.0);
        }
        frame(&mut first);
    }
    first.apply(Action::Play(false));
    frame(&mut first);
    let (end, last, weight) =
        (first.frame().step, first.frame().hash, first.document.parameters.alignment.weight);
    assert!(last.is_some() && end > 90);
    let file = save(&mut first, folder.path());
    assert!(file.to_string_lossy().ends_with("murmuration-cornell-flown.flight"), "{}", file.display());
    let size = file.metadata().expect("a file").len();
    assert!(size < 4000, "{size} bytes for {} changes", read(&file).changes.all().len());

    let mut other = session("think");
    other.apply(Action::LoadFile(file.clone()));
    other.settle();
    assert_eq!((other.document.name(), other.frame().step, other.frame().span), ("cornell", 0, [0, end]));
    let opened = other.document.parameters.alignment.weight;
    for _ in 0..60 {
        frame(&mut other);
    }
    // The panel follows what the flight changes.
    assert_eq!((other.document.parameters.alignment.weight, opened * 2.0), (weight, weight));
    while other.playback.playing {
        frame(&mut other);
    }
    frame(&mut other);
    assert_eq!((other.frame().step, other.frame().hash), (end, last));
    assert!(other.frame().divergence.is_none());
    // From an earlier step on it is another flight, without the falcon.
    other.apply(Action::Seek(-60));
    other.apply(Action::Play(true));
    frame(&mut other);
    other.apply(Action::TakeOver);
    other.settle();
    assert_eq!(other.frame().span[1], other.frame().step);
    assert_eq!(other.frame().predators.len(), 0);
    other.apply(Action::Play(true));
    for _ in 0..200 {
        frame(&mut other);
    }
    assert!(other.playback.playing && other.frame().step > 200);
    // A file that is none leaves the flock as it is.
    let wrong = folder.path().join("wrong.flight");
    std::fs::write(&wrong, "{\"flight\":1}\n").expect("a file");
    other.apply(Action::LoadFile(wrong));
    assert!(
        failure(&other).contains("wrong.flight:1: not a line of a flight: missing field"),
        "{}",
        failure(&other)
    );
}

#[test]
fn a_flight_whose_hashes_differ_is_said_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = session("cornell");
    change(&mut session, |p| p.set_boids(40));
    step(&mut session, 70);
    let file = save(&mut session, folder.path());
    let mut flight = read(&file);
    assert!(flight.hash(60).is_some());
    flight.hashes[0].hash ^= 1;
    std::fs::write(&file, flight.text()).expect("a file");
    session.apply(Action::LoadFile(file));
    for _ in 0..80 {
        frame(&mut session);
    }
    assert!(failure(&session).contains("no longer the recorded flight: the hash at step 60 is"));
}

#[test]
fn a_flight_after_a_restart_and_after_another_device_holds_only_what_was_flown() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut panel = Panel::new("cornell");
    panel.apply(Action::Folder(folder.path().display().to_string()));
    panel.session().apply(Action::Play(true));
    for _ in 0..60 {
        frame(panel.session());
        panel.step();
    }
    panel.apply(Action::Restart);
    for _ in 0..20 {
        frame(panel.session());
        panel.step();
    }
    panel.apply(Action::Page(Page::File));
    panel.click("Save flight");
    let file = folder.path().join("murmuration-cornell-flown.flight");
    let flight = read(&file);
    let end = panel.state().frame().step;
    assert!(flight.end == end && end < 60 && !flight.poses.is_empty(), "{} at {end}", flight.end);
    assert!(flight.poses.iter().all(|pose| pose.step <= end));

    // The hashes of another device go when somebody takes over.
    let mut foreign = flight.clone();
    foreign.hashes = vec![flight::HashAt { step: 10, hash: 7 }];
    std::fs::write(&file, foreign.text()).expect("a file");
    panel.apply(Action::LoadFile(file));
    for _ in 0..15 {
        frame(panel.session());
    }
    assert!(panel.state().frame().divergence.is_some());
    panel.apply(Action::TakeOver);
    for _ in 0..10 {
        frame(panel.session());
    }
    let file = save(panel.session(), folder.path());
    let (divergence, compared) = repeat(&read(&file), &Device::cpu(Numeric::F32));
    assert!(divergence.is_none() && compared > 0);
}

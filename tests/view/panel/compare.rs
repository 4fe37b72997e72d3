//! Two flocks side by side: one clock, one camera, and every change for both.

use config::Setting;
use egui::Key;
use engine::{Numeric, State};
use engines::Device;
use flight::{First, Start};
use flock::parameters::{Value, find};
use scene::Boids;
use window::session::lesson::LessonAction;
use window::session::rival::Rival;
use window::session::{Action, Message, Session};
use window::sources;
use window::worker::{Checkpoint, FlockHandle, Past, Worker};

use super::{Panel, failure, session, set, step};

/// Adds a flock that differs by a setting.
fn compare(session: &mut Session, text: &str) {
    let settings = vec![Setting::parse(text).expect("a setting")];
    let document =
        config::Document { parameters: session.document.parameters, ..config::Document::default() };
    let parameters = config::with_settings(document, &settings).expect("allowed").parameters;
    let device = Device::cpu(Numeric::F32);
    let mut source = sources::open(&device, &parameters, &State::start(&parameters)).expect("some threads");
    let held = Checkpoint { generation: 0, state: None };
    let past = Past::new(Start::on(source.engine(), parameters, First::Seed));
    let worker = Worker::start(FlockHandle { source, held, past, journal: None }, || {}).expect("one thread");
    session.rival = Some(Rival::new(settings, worker, device, &session.document).expect("allowed"));
}

/// Lets both flocks come to the first one's step.
fn meet(session: &mut Session) {
    for _ in 0..8 {
        session.settle();
        session.tick(std::time::Duration::ZERO);
    }
}

fn rival(session: &Session) -> &Rival {
    session.rival.as_ref().expect("a rival")
}

fn positions(boids: &Boids) -> Vec<[f32; 4]> {
    let Boids::Host(boids) = boids else { panic!("on the CPU") };
    boids.position.clone()
}

#[test]
fn both_flocks_are_at_one_step_and_each_is_what_it_would_be_alone() {
    let mut both = session("cornell");
    compare(&mut both, "cohesion.weight=0.05");
    let mut alone = [session("cornell"), session("cornell")];
    set(&mut alone[1], "cohesion.weight", Value::Real(0.05));
    for round in 0..4 {
        // A change in flight reaches both, and so does going back, and a restart.
        if round == 1 {
            for session in alone.iter_mut().chain([&mut both]) {
                set(session, "separation.weight", Value::Real(0.2));
            }
            meet(&mut both);
        }
        if round == 2 {
            both.apply(Action::Seek(-4));
            meet(&mut both);
            assert_eq!(both.frame().step, 2);
            both.apply(Action::Seek(4));
            meet(&mut both);
        }
        if round == 3 {
            both.apply(Action::Restart);
            alone.iter_mut().for_each(|session| session.apply(Action::Restart));
            meet(&mut both);
        }
        for _ in 0..3 {
            step(&mut both, 1);
            meet(&mut both);
            alone.iter_mut().for_each(|session| step(session, 1));
        }
        let other = rival(&both);
        assert!(other.is_in_step(&both.playback), "round {round}");
        assert_eq!(other.playback.frame.step, alone[1].frame().step, "round {round}");
        assert!(positions(&both.frame().boids) == positions(&alone[0].frame().boids), "round {round}: first");
        assert!(
            positions(&other.playback.frame.boids) == positions(&alone[1].frame().boids),
            "round {round}: second"
        );
        // The control: the setting matters.
        assert!(positions(&other.playback.frame.boids) != positions(&both.frame().boids));
    }
    let [first, second] = rival(&both).differences(&both.document.parameters);
    assert_eq!((first.as_str(), second.as_str()), ("cohesion weight 0.0005", "cohesion weight 0.05"));
}

#[test]
fn the_slower_flock_sets_the_pace_and_both_have_their_names() {
    let mut session = session("yabi");
    compare(&mut session, "alignment.weight=0");
    let mut panel = Panel::of(session);
    panel.press(Key::Space);
    for _ in 0..20 {
        let session = panel.session();
        session.tick(std::time::Duration::from_millis(16));
        let [here, there] = [session.frame().step, rival(session).playback.frame.step];
        assert!(here.abs_diff(there) <= 1, "{here} {there}");
        panel.step();
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(panel.state().frame().step > 3);
    let weight = find("alignment.weight").expect("a parameter").get(&panel.parameters());
    let painted = panel.painted();
    for name in [format!("alignment weight {weight}"), "alignment weight 0.0".to_owned()] {
        assert!(painted.contains(&name), "{name}: {painted}");
    }
    // The picture is drawn anew when either flock has moved.
    panel.press(Key::Space);
    meet(panel.session());
    let before = panel.state().picture_key();
    assert!(before.is_some() && before == panel.state().picture_key());
    panel.apply(Action::Step);
    meet(panel.session());
    assert!(before != panel.state().picture_key());
}

#[test]
fn a_flight_that_is_opened_ends_the_comparison_and_a_lesson_does_not() {
    let mut session = session("cornell");
    compare(&mut session, "cohesion.weight=0.05");
    session.apply(Action::Lesson(LessonAction::Begin("first")));
    meet(&mut session);
    let lesson = session.document.parameters;
    assert_eq!(rival(&session).parameters.cohesion.weight, 0.05);
    assert_eq!(rival(&session).parameters.separation, lesson.separation);
    let folder = tempfile::tempdir().expect("a folder");
    session.apply(Action::Folder(folder.path().display().to_string()));
    session.apply(Action::SaveFlight);
    session.settle();
    let file = session.controls.message.clone();
    let Some(Message::Done(saved)) = file else { panic!("{file:?}") };
    session.apply(Action::LoadFile(saved.trim_start_matches("saved ").into()));
    session.settle();
    assert!(session.rival.is_none());
}

#[test]
fn a_change_that_the_other_flock_cannot_take_ends_the_comparison() {
    let mut session = session("cornell");
    compare(&mut session, "motion.min_speed=5");
    set(&mut session, "motion.max_speed", Value::Real(4.0));
    meet(&mut session);
    assert!(session.rival.is_none());
    assert!(failure(&session).starts_with("the comparison has ended: "), "{}", failure(&session));
}

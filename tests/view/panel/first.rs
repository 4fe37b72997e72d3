//! The first screen: the flock stays in the picture, the panel is a tab, and a moment can be handed on.

use board::engine::FITS_ANY_RULE;
use egui::Key;
use egui_kittest::kittest::Queryable as _;
use engine::Numeric;
use engines::Device;
use flock::parameters::{Value, find};
use glam::Vec3;
use window::frame::Boids;
use window::session::controls::Tool;
use window::session::{Action, Session};
use window::settled::STEP;

use super::view::{settle, share};
use super::{change, click, painted, press, window};

/// Seconds of the camera's spring.
const SECONDS: usize = 30;

fn steps(session: &mut Session, count: usize) {
    for _ in 0..count {
        session.apply(Action::Step);
        session.settle();
        session.eye.drift(0.0, 1.0 / 60.0, true);
    }
}

#[test]
fn the_camera_keeps_the_flock_until_a_person_moves_it_elsewhere() {
    let mut window = window("murmuration");
    let held = window.state().eye.camera;
    assert!(share(&window, &held) > 0.95, "{}", share(&window, &held));
    steps(window.state_mut(), 600);
    let now = window.state().eye.camera;
    assert!(share(&window, &now) > 0.95, "{}", share(&window, &now));
    // The control: without following it, the flock is not whole.
    assert!(share(&window, &held) < 0.9, "{}", share(&window, &held));
    // A drag with Shift lets go, F and T take it up again.
    window.event(egui::Event::ModifiersChanged(egui::Modifiers::SHIFT));
    window.drag_at(egui::pos2(300.0, 300.0));
    window.run_ok();
    window.hover_at(egui::pos2(500.0, 500.0));
    window.run_ok();
    window.drop_at(egui::pos2(500.0, 500.0));
    window.event(egui::Event::ModifiersChanged(egui::Modifiers::NONE));
    window.run_ok();
    assert!(!window.state().eye.follows);
    let left = window.state().eye.camera;
    steps(window.state_mut(), 60);
    assert_eq!(window.state().eye.camera, left);
    press(&mut window, Key::T);
    steps(window.state_mut(), 60 * SECONDS / 10);
    assert!(window.state().eye.follows && window.state().eye.camera.target != left.target);
    press(&mut window, Key::F);
    settle(&mut window);
    let fitted = window.state().eye.camera;
    assert!(share(&window, &fitted) > 0.95, "{}", share(&window, &fitted));
}

#[test]
fn a_flock_from_the_gallery_fills_the_picture_at_once() {
    let mut window = window("murmuration");
    click(&mut window, "Presets");
    click(&mut window, "swarm");
    let at_once = window.state().eye.camera.distance;
    settle(&mut window);
    let later = window.state().eye.camera.distance;
    assert!((at_once / later - 1.0).abs() < 0.01, "{at_once} {later}");
}

#[test]
fn the_old_flock_is_not_drawn_in_the_world_of_the_new_one() {
    let mut window = window("murmuration");
    let session = window.state_mut();
    let before = session.picture_key();
    assert!(before.is_some());
    session.apply(Action::Choose(1));
    assert!(session.picture_key().is_none());
    session.settle();
    assert!(session.picture_key().is_some() && session.picture_key() != before);
}

#[test]
fn at_dusk_the_flock_is_above_the_horizon() {
    let window = window("murmuration");
    let camera = window.state().eye.camera;
    let Boids::Host(boids) = &window.state().frame().boids else { panic!("in memory") };
    let horizon = -camera.pitch.tan() / camera.slope();
    assert!((-1.0..-0.3).contains(&horizon), "{horizon}");
    let above = |at: &&[f32; 4]| {
        camera
            .project(Vec3::new(at[0], at[1], at[2]), window.state().eye.aspect)
            .is_some_and(|at| at.y > horizon)
    };
    let share = boids.position.iter().filter(above).count() as f32 / boids.position.len() as f32;
    assert!(share > 0.97, "{share}");
}

#[test]
fn the_tab_folds_the_panel_and_opens_it() {
    let mut window = window("cornell");
    assert!(window.query_by_label("Restart").is_some());
    click(&mut window, "›");
    assert!(!window.state().controls.open.panel && window.query_by_label("Restart").is_none());
    click(&mut window, "‹");
    assert!(window.state().controls.open.panel && window.query_by_label("Restart").is_some());
}

#[test]
fn every_flock_comes_once_before_one_comes_again() {
    let mut window = window("murmuration");
    window.state_mut().greet();
    let count = window.state().document.presets.len();
    let mut seen: Vec<Option<usize>> = Vec::new();
    for _ in 0..count {
        // Few boids keep the test fast.
        let session = window.state_mut();
        session.document.presets.iter_mut().for_each(|preset| preset.parameters.set_boids(50));
        session.apply(Action::Surprise);
        settle(&mut window);
        let (session, preset) = (window.state(), window.state().document.preset);
        assert!(!seen.contains(&preset) && session.controls.tool == Tool::Falcon);
        seen.push(preset);
    }
    assert_eq!(window.state().document.preset, Some(0));
}

#[test]
fn a_moment_is_handed_on_until_the_flock_is_touched() {
    let mut window = window("cornell");
    let session = window.state_mut();
    assert_eq!(session.flight.moment(), None);
    steps(session, 7);
    let moment = session.flight.moment().expect("nothing was changed");
    assert_eq!(moment, [("engine", "cpu".to_owned()), ("step", "7".to_owned())]);
    let command = session.document.command(&session.eye.view(&session.document), moment);
    assert!(command.ends_with(" --engine cpu --step 7"), "{command}");
    session.flight.play();
    session.settle();
    let hash = session.frame().hash.expect("a paused flock has a hash");

    // Another session that hurries there has the same birds.
    let mut other = super::session("cornell");
    (other.flight.playing, other.flight.pause_at, other.flight.fast_forward) = (true, Some(7), true);
    while other.flight.waits() {
        other.flight.play();
        other.settle();
    }
    assert_eq!((other.frame().step, other.frame().hash, other.flight.playing), (7, Some(hash), false));

    // The next flock does not go there.
    (other.flight.playing, other.flight.pause_at, other.flight.fast_forward) = (true, Some(900), true);
    other.apply(Action::Choose(1));
    assert_eq!((other.flight.pause_at, other.flight.fast_forward), (None, false));

    // A falcon, and a parameter that is set in flight, end it; a restart brings it back.
    session.apply(Action::Falcon([10.0; 3]));
    assert_eq!(session.flight.moment(), None);
    session.apply(Action::Restart);
    session.settle();
    steps(session, 2);
    assert!(session.flight.moment().is_some());
    change(session, |p| p.separation.weight *= 2.0);
    assert_eq!(session.flight.moment(), None);
}

/// Orders for the flock before, which the engine has not done yet, are none for the next one.
#[test]
fn a_falcon_of_the_flock_before_moves_no_predator_of_the_next() {
    let hash = |session: &mut Session| {
        steps(session, 3);
        session.flight.play();
        session.settle();
        session.frame().hash.expect("a paused flock has a hash")
    };
    let choose = |session: &mut Session, name: &str| {
        let found = session.document.presets.iter().position(|preset| preset.name == name);
        session.apply(Action::Choose(found.expect("a preset")));
    };
    let [mut hunted, mut alone] = [(); 2].map(|()| super::session("murmuration"));
    // The first move brings the falcon, the second waits for the next order.
    for place in [10.0, 20.0] {
        hunted.apply(Action::Falcon([place; 3]));
        hunted.settle();
    }
    hunted.flight.worker.steer_predator(1, [30.0; 3]);
    choose(&mut hunted, "yabi");
    choose(&mut alone, "yabi");
    assert!(hunted.document.parameters.predators.count > 1 && hunted.flight.untouched);
    assert_eq!(hash(&mut hunted), hash(&mut alone));
    // A falcon of the new flock moves it, from the same place, too.
    hunted.apply(Action::Falcon([20.0; 3]));
    hunted.settle();
    assert!(!hunted.flight.untouched && hash(&mut hunted) != hash(&mut alone));
}

/// Words that hold: in integers, few boids, and a flock that a seed determines.
#[test]
fn a_paused_flock_says_where_a_board_has_its_hash() {
    let mut window = window("cornell");
    let mut says = |change: &dyn Fn(&mut Session)| {
        let session = window.state_mut();
        change(session);
        session.settle();
        session.flight.play();
        session.settle();
        assert!(session.frame().hash.is_some());
        window.run();
        let (text, _) = painted(&window);
        assert!(text.contains("paused  ·  hash "), "{text}");
        text.contains("\na four-dollar board has the same hash")
    };
    assert!(!says(&|_| ()), "floats");
    assert!(says(&|session| session.flight.device = Device::cpu(Numeric::Fixed)));
    assert!(says(&|session| session.apply(Action::Step)));
    assert!(!says(&|session| session.apply(Action::Falcon([10.0; 3]))), "a falcon");
    let restart_with = |session: &mut Session, boids| {
        change(session, |p| p.set_boids(boids));
        session.apply(Action::Restart);
    };
    assert!(!says(&|session| restart_with(session, FITS_ANY_RULE[0] + 1)), "too many");
    assert!(says(&|session| restart_with(session, FITS_ANY_RULE[0])));
}

#[test]
fn the_opening_comes_back_by_restart_reset_and_its_key() {
    let mut window = window("murmuration");
    // On the first screen the window has chosen the number of boids.
    let document = &mut window.state_mut().document;
    let opened = document.parameters;
    (document.opening, document.base) = (Some(opened), opened);
    let start = |window: &egui_kittest::Harness<'_, Session>| {
        let (session, parameters) = (window.state(), window.state().document.parameters);
        assert_eq!(session.frame().boids.count(), parameters.flock.boids);
        assert_eq!(session.flight.untouched, session.frame().step == 0);
        (session.frame().step >= STEP, parameters == opened, session.document.changed())
    };
    press(&mut window, Key::R);
    assert_eq!(start(&window), (true, true, false));
    change(window.state_mut(), |p| p.cohesion.weight *= 2.0);
    window.run();
    click(&mut window, "Reset");
    assert_eq!(start(&window), (true, true, false));
    press(&mut window, Key::Num2);
    assert_eq!(start(&window), (false, false, false));
    press(&mut window, Key::Num1);
    assert_eq!(start(&window), (true, true, false));
    // So does a flock of another number start, and one of another seed from its seed.
    let set = |window: &mut egui_kittest::Harness<'_, Session>, name: &str, value| {
        window.state_mut().apply(Action::Set(find(name).expect("a parameter"), Value::Count(value)));
        window.run();
        settle(window);
    };
    set(&mut window, "flock.boids", 700);
    assert_eq!(start(&window), (true, false, true));
    set(&mut window, "flock.seed", opened.flock.seed + 1);
    assert_eq!(start(&window), (false, false, true));
    for expected in [(true, false, true), (true, true, false)] {
        click(&mut window, "Undo");
        assert_eq!(start(&window), expected);
    }
    // A call that counts steps from the seed starts there, again and again, and its command, too.
    window.state_mut().document.seeded = true;
    assert_eq!(window.state().document.start_option(), Some(("step", "0".to_owned())));
    press(&mut window, Key::R);
    assert_eq!(start(&window), (false, true, false));
}

#[test]
fn in_slow_motion_boids_fly_on_between_steps() {
    let mut session = super::session("murmuration");
    let places = |session: &Session| {
        let Boids::Host(boids) = &session.frame().boids else { panic!("in memory") };
        let all = boids.tag.iter().zip(&boids.position).zip(&boids.velocity);
        let mut all: Vec<_> =
            all.map(|((tag, p), v)| (tag[0], Vec3::from_slice(p), Vec3::from_slice(v))).collect();
        all.sort_by_key(|(id, ..)| *id);
        all
    };
    // A picture that is a whole step behind shows the step before.
    let before = places(&session);
    steps(&mut session, 1);
    let time_step = session.document.parameters.motion.time_step as f32;
    for ((_, place, _), (_, now, velocity)) in before.into_iter().zip(places(&session)) {
        assert!((now - velocity * time_step - place).length() < 1e-3, "{place} {now}");
    }
    (session.flight.playing, session.flight.rate) = (true, 0.25);
    let moment = |session: &mut Session| {
        let before = session.picture_key();
        session.tick(std::time::Duration::from_millis(16));
        let shown = session.frame().step as f64 - session.flight.behind;
        assert!(session.picture_key() != before);
        session.settle();
        shown
    };
    let shown: Vec<f64> = (0..14).map(|_| moment(&mut session)).collect();
    for (k, pair) in shown.windows(2).enumerate() {
        assert_eq!(pair[1] - pair[0], 0.25, "after {k}: {shown:?}");
    }
    // A flock that is paused is shown where it is.
    session.apply(Action::Play(false));
    session.tick(std::time::Duration::from_millis(16));
    assert_eq!(session.flight.behind, 0.0);
}

#[test]
fn three_sliders_and_the_falcon_come_before_all_parameters() {
    let mut window = window("murmuration");
    window.state_mut().controls.open.all = false;
    window.run();
    for weight in ["separation.weight", "alignment.weight", "cohesion.weight"] {
        assert!(window.query_all_by_label(weight).next().is_some(), "{weight}");
    }
    let others = |window: &egui_kittest::Harness<'_, Session>| window.query_all_by_label("predators").count();
    assert_eq!(others(&window), 0);
    click(&mut window, "Be the falcon");
    assert_eq!(window.state().controls.tool, Tool::Falcon);
    click(&mut window, "All parameters");
    assert!(others(&window) > 0 && window.query_by_label("Be the falcon").is_none());
    click(&mut window, "Fewer parameters");
    assert_eq!(others(&window), 0);
}

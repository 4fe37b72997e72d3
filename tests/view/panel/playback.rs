//! A flock is chosen, plays, pauses, starts again, and goes back in time.

use std::time::Duration;

use board::engine::FITS_ANY_RULE;
use config::presets::PRESETS;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use engine::{Engine, EngineError, Numeric};
use engines::Device;
use flight::settled::STEP;
use flock::parameters::Value;
use scene::{Colour, Scenery, first_pitch};
use window::frame::Frame;
use window::session::controls::{Page, Tool};
use window::session::{Action, Session};
use window::worker::Source;

use super::{Panel, change, failure, session, session_with, set, step};

#[test]
fn every_preset_is_in_the_gallery() {
    let mut panel = Panel::new("murmuration");
    for (index, preset) in PRESETS.iter().enumerate().rev() {
        if preset.name == "murmuration" {
            continue;
        }
        panel.click("Presets");
        panel.click(preset.name);
        assert!(!panel.has(preset.name), "the gallery is closed again");
        let session = panel.state();
        assert_eq!(session.document.preset, Some(index));
        assert_eq!(session.document.parameters, preset.parameters().expect(preset.name));
        // The engine has also started it.
        assert_eq!(session.frame().boids.count(), session.document.parameters.flock.boids, "{}", preset.name);
        assert_eq!((session.frame().step, session.eye.camera.flat), (0, session.document.parameters.flat()));
    }
}

#[test]
fn buttons_play_step_and_restart_and_the_tab_folds_the_panel() {
    let mut panel = Panel::new("cornell");
    panel.click("Step");
    panel.click("Step");
    assert_eq!((panel.state().frame().step, panel.state().playback.playing), (2, false));
    panel.click("Play");
    assert!(panel.state().playback.playing);
    panel.click("Pause");
    assert!(!panel.state().playback.playing);
    panel.click("Restart");
    assert_eq!(panel.state().frame().step, 0);
    panel.click("›");
    assert!(!panel.state().controls.open.panel && !panel.has("Restart"));
    panel.click("‹");
    assert!(panel.state().controls.open.panel && panel.has("Restart"));
}

#[test]
fn keys_do_what_the_sheet_says() {
    let mut panel = Panel::new("cornell");
    panel.press(Key::Space);
    assert!(panel.state().playback.playing);
    panel.press(Key::Space);
    panel.press(Key::Period);
    assert_eq!((panel.state().frame().step, panel.state().playback.playing), (1, false));
    // Keys with Shift are others than without: this one does not restart.
    panel.apply(Action::Page(Page::File));
    for label in ["Stop the film", "Record a film"] {
        panel.press_with(Modifiers::SHIFT, Key::R);
        assert!(panel.has(label), "{label}");
    }
    assert_eq!(panel.state().frame().step, 1);
    panel.press(Key::R);
    assert_eq!(panel.state().frame().step, 0);
    panel.press(Key::Num6);
    assert_eq!(panel.parameters(), PRESETS[5].parameters().expect("built in"));
    panel.press(Key::C);
    assert_ne!(panel.state().eye.look.colour, Colour::Heading);
    panel.press(Key::Num1);
    for (key, scenery) in [(Key::F9, Scenery::Dusk), (Key::L, Scenery::Cones)] {
        // A key without an action changes nothing.
        panel.press(key);
        let shown = (panel.state().eye.look.scenery, panel.camera().pitch);
        assert_eq!(shown, (scenery, first_pitch(scenery)));
    }
    for is_shown in [false, true] {
        panel.press(Key::P);
        assert_eq!(panel.has("Restart"), is_shown);
        panel.press(Key::F11);
        assert_eq!(panel.state().controls.full_screen, !is_shown);
    }
    panel.press(Key::H);
    assert!(panel.has("zoom to fit the flock"));
    panel.press(Key::Escape);
    assert!(!panel.state().controls.open.help);
    panel.press(Key::O);
    panel.click("Presets");
    assert!(panel.has("cornell"));
    panel.press(Key::Escape);
    assert!(!panel.has("cornell"), "the gallery is closed");
    assert_eq!(panel.state().controls.tool, Tool::Obstacle);
    panel.press(Key::Escape);
    panel.press_with(Modifiers::SHIFT, Key::O);
    assert!(panel.state().eye.orbits && panel.state().controls.tool == Tool::Camera);
}

/// A key with this character, in the place where a US keyboard has another one.
pub(super) fn key(panel: &Panel, character: Key, place: Key, pressed: bool) {
    let (physical_key, modifiers) = (Some(place), Modifiers::NONE);
    panel.event(egui::Event::Key { key: character, physical_key, pressed, repeat: false, modifiers });
}

#[test]
fn digits_are_by_their_places_on_a_keyboard_that_has_them_with_shift() {
    let mut panel = Panel::new("cornell");
    // The top row of AZERTY, without Shift: ' is at 4 and - at 6; é has no name. A number pad may move the cursor.
    for (character, place, index) in [
        (Key::Quote, Key::Num4, 3),
        (Key::Minus, Key::Num6, 5),
        (Key::Num2, Key::Num2, 1),
        (Key::ArrowLeft, Key::Num4, 1),
    ] {
        key(&panel, character, place, true);
        key(&panel, character, place, false);
        panel.run();
        panel.settle();
        assert_eq!(panel.state().document.preset, Some(index), "{character:?} at {place:?}");
    }
}

#[test]
fn a_flock_that_is_refused_leaves_the_one_that_flies_on() {
    let mut session = session_with("cornell", Numeric::Fixed, |source| source);
    // Integers have no such short step.
    session.document.presets[0].parameters.motion.time_step = 1e-9;
    let (before, base, look) = (session.document.parameters, session.document.base, session.eye.look);
    session.apply(Action::Play(true));
    session.apply(Action::Choose(0));
    failure(&session);
    assert!(session.playback.playing && session.playback.has_started());
    let document = &session.document;
    assert_eq!((document.parameters, document.base, document.name()), (before, base, "cornell"));
    assert!(session.eye.look == look && session.eye.camera.flat);
    // The next one is accepted.
    session.apply(Action::Choose(2));
    session.settle();
    assert_eq!(session.document.name(), "yabi");
    assert_eq!(session.frame().boids.count(), session.document.parameters.flock.boids);
}

/// A source whose steps take 20 ms, that has no memory for more than 1,000 boids, which no check can know before, and
/// panics at more than 2,000.
#[derive(Debug)]
struct Limited(Box<dyn Source>);

impl Source for Limited {
    fn engine(&mut self) -> &mut dyn Engine {
        self.0.engine()
    }
    fn finish(&mut self) -> Result<(), EngineError> {
        std::thread::sleep(Duration::from_millis(20));
        Ok(())
    }
    fn publish(&mut self, frame: &mut Frame) -> Result<(), EngineError> {
        self.0.publish(frame)?;
        assert!(frame.boids.count() <= 2000, "the fault that a test asks for");
        if frame.boids.count() > 1000 {
            return Err(EngineError::Device { device: "a test".to_owned(), what: "no memory".to_owned() });
        }
        Ok(())
    }
}

#[test]
fn a_flock_that_finds_no_memory_gives_way_to_the_one_before_it() {
    let mut session = session_with("cornell", Numeric::F32, |source| Box::new(Limited(source)));
    // Long work is cut, so that orders are answered soon.
    session.playback.worker.advance(500);
    session.settle();
    assert!((1..=4).contains(&session.frame().steps), "{}", session.frame().steps);
    session.apply(Action::Play(true));
    let before = session.document.parameters;
    for by_slider in [true, false] {
        if by_slider {
            set(&mut session, "flock.boids", Value::Count(1001));
        } else {
            session.document.presets[0].parameters.set_boids(2000);
            session.apply(Action::Choose(0));
        }
        assert_ne!(session.document.parameters, before);
        session.settle();
        assert!(failure(&session).contains("no memory"));
        assert_eq!((session.document.parameters, session.document.name()), (before, "cornell"));
        assert!(session.playback.playing && session.playback.has_started());
        assert_eq!(session.frame().boids.count(), before.flock.boids);
    }
    // An engine that panics ends, and the window says so.
    set(&mut session, "flock.boids", Value::Count(2001));
    session.settle();
    assert!(failure(&session).contains("the simulation crashed") && !session.playback.playing);
}

#[test]
fn the_old_flock_is_not_drawn_in_the_world_of_the_new_one() {
    let mut session = session("murmuration");
    let before = session.picture_key();
    assert!(before.is_some());
    session.apply(Action::Choose(1));
    assert!(session.picture_key().is_none());
    session.settle();
    assert!(session.picture_key().is_some() && session.picture_key() != before);
}

#[test]
fn every_flock_comes_once_before_one_comes_again() {
    let mut session = session("murmuration");
    session.greet();
    let mut seen: Vec<Option<usize>> = Vec::new();
    for _ in 0..session.document.presets.len() {
        // Few boids keep the test fast.
        session.document.presets.iter_mut().for_each(|preset| preset.parameters.set_boids(50));
        session.apply(Action::Surprise);
        session.settle();
        let preset = session.document.preset;
        // The falcon of the first screen stays there.
        assert!(!seen.contains(&preset) && session.controls.tool == Tool::Camera);
        seen.push(preset);
    }
    assert_eq!(session.document.preset, Some(0));
}

#[test]
fn a_moment_is_handed_on_until_the_flock_is_touched() {
    let mut session = session("cornell");
    assert_eq!(session.playback.moment(), None);
    step(&mut session, 7);
    let moment = session.playback.moment().expect("nothing was changed");
    assert_eq!(moment, [("engine", "cpu".to_owned()), ("step", "7".to_owned())]);
    let command = session.document.command(&session.eye.view(&session.document), moment);
    assert!(command.ends_with(" --engine cpu --step 7"), "{command}");
    let expected = hash(&mut session);

    // Another session that hurries there has the same birds.
    let mut other = super::session("cornell");
    (other.playback.playing, other.playback.pause_at, other.playback.fast_forward) = (true, Some(7), true);
    while other.playback.waits() {
        other.playback.play();
        other.settle();
    }
    assert_eq!((other.frame().step, other.frame().hash, other.playback.playing), (7, Some(expected), false));
    // The next flock does not go there.
    (other.playback.playing, other.playback.pause_at, other.playback.fast_forward) = (true, Some(900), true);
    other.apply(Action::Choose(1));
    assert_eq!((other.playback.pause_at, other.playback.fast_forward), (None, false));

    // A falcon, and a parameter that is set in flight, end it; a restart brings it back.
    session.apply(Action::Falcon([10.0; 3]));
    assert_eq!(session.playback.moment(), None);
    session.apply(Action::Restart);
    session.settle();
    step(&mut session, 2);
    assert!(session.playback.moment().is_some());
    change(&mut session, |p| p.separation.weight *= 2.0);
    assert_eq!(session.playback.moment(), None);
}

/// Words that hold: in integers, few boids, and a flock that a seed determines.
#[test]
fn a_paused_flock_says_where_a_board_has_its_hash() {
    let mut panel = Panel::new("cornell");
    let mut says = |change: &dyn Fn(&mut Session)| {
        change(panel.session());
        hash(panel.session());
        panel.run();
        let text = panel.painted();
        assert!(text.contains("paused  ·  hash "), "{text}");
        text.contains("\na four-dollar board has the same hash")
    };
    assert!(!says(&|_| ()), "floats");
    assert!(says(&|session| session.playback.device = Device::cpu(Numeric::Fixed)));
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
    let mut panel = Panel::new("murmuration");
    // On the first screen the window has chosen the number of boids.
    let document = &mut panel.session().document;
    let opened = document.parameters;
    (document.opening, document.base) = (Some(opened), opened);
    // True where it is settled; where it has the opening's parameters; where it is changed.
    let start = |panel: &Panel| {
        let session = panel.state();
        assert_eq!(session.frame().boids.count(), panel.parameters().flock.boids);
        assert_eq!(session.playback.untouched(), session.frame().step == 0);
        (session.frame().step >= STEP, panel.parameters() == opened, session.document.changed())
    };
    panel.press(Key::R);
    assert_eq!(start(&panel), (true, true, false));
    panel.change(|p| p.cohesion.weight *= 2.0);
    panel.click("Reset");
    assert_eq!(start(&panel), (true, true, false));
    // In any look.
    for _ in 0..2 {
        panel.press(Key::L);
        panel.press(Key::R);
        assert_eq!(start(&panel), (true, true, false));
    }
    panel.press(Key::Num2);
    assert_eq!(start(&panel), (false, false, false));
    panel.press(Key::Num1);
    assert_eq!(start(&panel), (true, true, false));
    // So does a flock of another number start, and one of another seed from its seed.
    set(panel.session(), "flock.boids", Value::Count(700));
    panel.settle();
    assert_eq!(start(&panel), (true, false, true));
    set(panel.session(), "flock.seed", Value::Count(opened.flock.seed + 1));
    panel.settle();
    assert_eq!(start(&panel), (false, false, true));
    for expected in [(true, false, true), (true, true, false)] {
        panel.click("Undo");
        assert_eq!(start(&panel), expected);
    }
    // A call that counts steps from the seed starts there, again and again, and its command, too.
    panel.session().document.seeded = true;
    assert_eq!(panel.state().document.start_option(), Some(("step", "0".to_owned())));
    panel.press(Key::R);
    assert_eq!(start(&panel), (false, true, false));
    // A preset that is chosen is another flock than that of the call.
    panel.press(Key::Num1);
    assert_eq!(start(&panel), (true, true, false));
}

#[test]
fn in_slow_motion_boids_fly_on_between_steps() {
    let mut session = session("murmuration");
    step(&mut session, 1);
    (session.playback.playing, session.playback.rate) = (true, 0.25);
    let mut shown = Vec::new();
    for _ in 0..14 {
        let before = session.picture_key();
        session.tick(Duration::from_millis(16));
        shown.push(session.frame().step as f64 - session.playback.behind);
        assert!(session.picture_key() != before);
        session.settle();
    }
    assert!(shown.windows(2).all(|pair| pair[1] - pair[0] == 0.25), "{shown:?}");
    // A flock that is paused is shown where it is.
    session.apply(Action::Play(false));
    session.tick(Duration::from_millis(16));
    assert_eq!(session.playback.behind, 0.0);
}

/// Plays so many frames, and waits for each.
fn frames(session: &mut Session, count: usize) {
    for _ in 0..count {
        session.tick(Duration::from_millis(16));
        session.settle();
    }
}

/// The hash of the flock that is shown.
fn hash(session: &mut Session) -> u64 {
    session.apply(Action::Play(false));
    session.settle();
    while session.frame().hash.is_none() || session.playback.seek_target.is_some() {
        frames(session, 1);
    }
    session.frame().hash.expect("it was waited for")
}

/// Goes to a step; its hash.
fn at(session: &mut Session, step: u64) -> u64 {
    session.apply(Action::Seek(step as i64 - session.frame().step as i64));
    let hash = hash(session);
    assert_eq!(session.frame().step, step);
    hash
}

/// Steps one by one to a step; the hashes on the way, from the present step's on.
fn hashes(session: &mut Session, last: u64) -> Vec<u64> {
    let mut all = vec![hash(session)];
    while session.frame().step < last {
        step(session, 1);
        all.push(hash(session));
    }
    all
}

#[test]
fn an_earlier_step_is_shown_to_the_bit_and_the_flock_flies_on_from_there() {
    let mut session = session("cornell");
    let was = hashes(&mut session, 40);
    assert!(was.windows(2).all(|pair| pair[0] != pair[1]));
    // Back, forth again, and no farther than there is.
    for step in [23, 24, 38, 5, 40, 0] {
        assert_eq!(at(&mut session, step), was[step as usize], "{step}");
        assert_eq!(session.frame().span, [0, 40]);
    }
    session.apply(Action::Seek(-1000));
    assert_eq!((hash(&mut session), session.frame().step), (was[0], 0));
    // A link to it holds its step.
    at(&mut session, 23);
    let moment = session.playback.moment().expect("nothing was changed");
    assert_eq!(moment[1], ("step", "23".to_owned()));
    // It flies on, to the same bits; what comes later stays until somebody takes over.
    assert_eq!(hashes(&mut session, 40), was[23..]);
    at(&mut session, 30);
    step(&mut session, 1);
    assert_eq!((session.frame().span, hash(&mut session)), ([0, 40], was[31]));
    session.apply(Action::TakeOver);
    session.settle();
    assert_eq!((session.frame().span, hash(&mut session)), ([0, 31], was[31]));
    // The charts go back with it.
    assert_eq!(session.playback.history.last().map(|sample| sample.step), Some(31));
    // A start has no past.
    session.apply(Action::Restart);
    session.settle();
    assert_eq!(session.frame().span, [0, 0]);
}

#[test]
fn what_a_person_did_is_done_again_on_the_way() {
    let mut session = session("murmuration");
    let (mut was, plain) = (hashes(&mut session, 10), hashes(&mut super::session("murmuration"), 30));
    // A falcon for some steps, then another rule.
    for step in 11..=20 {
        let [x, y, z] = session.frame().summary.expect("boids").centre;
        session.apply(Action::Falcon([x + step as f32, y, z]));
        was.extend(&hashes(&mut session, step)[1..]);
    }
    session.playback.pointer_effect = None;
    change(&mut session, |p| p.cohesion.weight *= 3.0);
    was.extend(&hashes(&mut session, 30)[1..]);
    // Both made a difference: what is shown is no flight without them.
    assert!(was[..10] == plain[..10] && was[20] != plain[20] && was[30] != plain[30]);
    for step in [12, 19, 28, 22, 30, 4, 15] {
        assert_eq!(at(&mut session, step), was[step as usize], "{step}");
    }
    // It flies on as it did, with the falcon.
    assert_eq!(session.frame().predators.len(), 2);
    step(&mut session, 1);
    assert_eq!(hash(&mut session), was[16]);
    // Whoever takes over flies without the falcon.
    session.apply(Action::TakeOver);
    session.settle();
    step(&mut session, 1);
    assert_ne!(hash(&mut session), was[17]);
    assert_eq!(session.frame().predators.len(), session.document.parameters.predators.count as usize);
    assert_eq!(session.playback.sent_parameters, session.document.parameters);
}

#[test]
fn a_slider_and_keys_go_back() {
    let mut panel = Panel::new("cornell");
    let was = hashes(panel.session(), 80);
    panel.key_press(Key::OpenBracket);
    panel.run();
    panel.session().settle();
    assert_eq!((panel.state().playback.seek_target, panel.state().frame().step), (Some(50), 80));
    assert_eq!((hash(panel.session()), panel.state().frame().step), (was[50], 50));
    panel.press(Key::CloseBracket);
    hash(panel.session());
    assert_eq!(panel.state().frame().step, 80);
    panel.run();
    let slider = panel.get_by_role_and_label(egui::accesskit::Role::Slider, "moment").rect();
    let quarter = egui::pos2(slider.left() + 0.25 * slider.width(), slider.center().y);
    // It stands as long as it is held, and paused, it also has its hash, and is not asked for it again.
    panel.session().apply(Action::Play(true));
    panel.drag_at(quarter);
    for playing in [true, false] {
        panel.session().apply(Action::Play(playing));
        for _ in 0..5 {
            panel.step();
            frames(panel.session(), 1);
        }
    }
    let held = panel.state().frame().step;
    assert!((10..40).contains(&held), "{held}");
    assert_eq!(panel.state().frame().hash, Some(was[held as usize]));
    let shown = panel.state().playback.shown;
    panel.step();
    frames(panel.session(), 1);
    assert!(panel.state().playback.shown == shown && !panel.state().playback.waits());
    // Let go, it waits there, and the chart above the slider leads to the same step; played, it repeats what follows.
    panel.drop_at(quarter);
    panel.step();
    let above = quarter - egui::vec2(0.0, 30.0);
    panel.session().apply(Action::Seek(20));
    panel.drag_at(above);
    panel.step();
    frames(panel.session(), 2);
    panel.drop_at(above);
    panel.step();
    frames(panel.session(), 2);
    assert!(panel.state().frame().step.abs_diff(held) <= 1, "{}", panel.state().frame().step);
    panel.session().apply(Action::Play(true));
    frames(panel.session(), 5);
    let frame = panel.state().frame();
    assert!(frame.step > held + 1 && frame.span[1] == 80);
}

#[test]
fn the_slider_follows_a_drag_that_begins_while_the_flock_plays() {
    let mut panel = Panel::new("cornell");
    hashes(panel.session(), 80);
    // The timeline comes with the pointer.
    panel.session().apply(Action::Play(true));
    panel.hover_at(egui::pos2(400.0, 720.0));
    panel.step();
    panel.step();
    let slider = panel.get_by_role_and_label(egui::accesskit::Role::Slider, "moment").rect();
    let knob = egui::pos2(slider.right() - 8.0, slider.center().y);
    panel.drag_at(knob);
    for k in 0..=10 {
        panel.step();
        frames(panel.session(), 1);
        panel.hover_at(knob + egui::vec2(-0.05 * k as f32 * slider.width(), 0.0));
    }
    panel.step();
    frames(panel.session(), 1);
    let step = panel.state().frame().step;
    assert!((30..50).contains(&step) && panel.has("Fly from here"), "{step}");
    let now = panel.get_by_role_and_label(egui::accesskit::Role::Slider, "moment").rect();
    assert_eq!(now, slider);
}

//! Changes and their undo, single parameters, messages, and the open file.

use config::Setting;
use config::presets::PRESETS;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use flock::parameters::{Value, find};
use scene::Colour;
use window::session::controls::Page;
use window::session::{Action, Message, Session};

use super::{change, click, press, session, window};

const CTRL: Modifiers = Modifiers::COMMAND;

fn press_with(window: &mut egui_kittest::Harness<'_, Session>, held: Modifiers, key: Key) {
    window.key_press_modifiers(held, key);
    window.run();
    window.state_mut().settle();
}

#[test]
fn a_drag_is_one_entry_and_undo_and_redo_walk_through_them() {
    let mut window = window("cornell");
    let start = window.state().document.parameters;
    let slider = window.query_all_by_role(egui::accesskit::Role::Slider).nth(3).expect("a slider").rect();
    let at = |share: f32| egui::pos2(slider.left() + share * slider.width(), slider.center().y);
    window.drag_at(at(0.2));
    for share in [0.3, 0.5, 0.7, 0.9] {
        window.hover_at(at(share));
        window.run();
    }
    window.drop_at(at(0.9));
    window.run();
    let dragged = window.state().document.parameters;
    assert_ne!(dragged, start);
    press(&mut window, Key::Num6);
    let chosen = PRESETS[5].parameters().expect("built in");
    assert_eq!((window.state().document.parameters, window.state().document.name()), (chosen, "holoviews"));

    press_with(&mut window, CTRL, Key::Z);
    assert_eq!((window.state().document.parameters, window.state().document.name()), (dragged, "cornell"));
    assert_eq!(window.state().frame().boids.count(), dragged.flock.boids);
    press_with(&mut window, CTRL, Key::Z);
    assert_eq!(
        (window.state().document.parameters, window.state().document.undo_ways()),
        (start, [false, true])
    );
    press_with(&mut window, CTRL | Modifiers::SHIFT, Key::Z);
    assert_eq!(window.state().document.parameters, dragged);
    press_with(&mut window, CTRL, Key::Y);
    assert_eq!((window.state().document.parameters, window.state().document.name()), (chosen, "holoviews"));
    click(&mut window, "Undo");
    click(&mut window, "Redo");
    assert_eq!(window.state().document.name(), "holoviews");
}

#[test]
fn a_parameter_goes_back_to_its_preset_alone() {
    let mut window = window("cornell");
    let before = window.state().document.base.separation;
    change(window.state_mut(), |p| p.separation.weight = 0.25);
    change(window.state_mut(), |p| p.separation.radius += 1.0);
    window.run();
    click(&mut window, "separation.weight back");
    let now = window.state().document.parameters.separation;
    assert_eq!((now.weight, now.radius), (before.weight, before.radius + 1.0));
    assert!(window.query_by_label("separation.weight back").is_none());
}

/// The mean of coordinates is no centre on a torus: the panel says so, and the flock flies on as it was.
#[test]
fn a_flock_that_follows_its_centre_is_not_put_on_a_torus() {
    let mut session = session("yabi");
    let before = session.document.parameters;
    session.apply(Action::Set(find("world.edges").expect("a parameter"), Value::Choice("wrap")));
    let why = "cohesion.scope must be neighbours in a world that wraps, whose coordinates have no mean";
    assert_eq!(session.controls.message, Some(Message::Failed(why.to_owned())));
    assert_eq!(session.document.parameters, before);
    session.apply(Action::Set(find("cohesion.scope").expect("a parameter"), Value::Choice("neighbours")));
    session.apply(Action::Set(find("world.edges").expect("a parameter"), Value::Choice("wrap")));
    assert_eq!(session.controls.message, None);
}

#[test]
fn an_error_vanishes_once_it_no_longer_holds() {
    let mut session = session("cornell");
    let weight = find("cohesion.weight").expect("a parameter");
    session.apply(Action::Set(weight, Value::Real(1e9)));
    assert!(matches!(session.controls.message, Some(Message::Failed(_))));
    session.apply(Action::Set(weight, Value::Real(0.5)));
    assert_eq!(session.controls.message, None);
    // Others are gone after a while.
    let mut window = super::window_of(session);
    window.state_mut().controls.fail("nothing that lasts".to_owned());
    window.run();
    assert!(window.query_by_label_contains("nothing that").is_some());
    window.input_mut().time = Some(1000.0);
    window.step();
    window.step();
    assert!(window.query_by_label_contains("nothing that").is_none());
}

#[test]
fn what_is_written_to_the_open_file_is_taken_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    let write = |text: &str| std::fs::write(&file, text).expect("written");
    let mut session = session("cornell");
    write("[flock]\nboids = 50\n[cohesion]\nweight = 0.25\n");
    session.apply(Action::LoadFile(file.clone()));
    session.settle();
    session.apply(Action::Step);
    session.settle();
    change(&mut session, |p| p.alignment.weight = 0.125);
    assert!(!session.poll_file());
    assert_eq!(session.document.title(), "mine.toml");

    write("[flock]\nboids = 50\n[cohesion]\nweight = 0.375\n");
    assert!(session.poll_file());
    session.settle();
    assert!(matches!(&session.controls.message, Some(Message::Done(what)) if what.starts_with("reloaded ")));
    // The flock flies on, and what was changed in the panel stays.
    let p = session.document.parameters;
    assert_eq!((p.cohesion.weight, p.alignment.weight, session.frame().step), (0.375, 0.125, 1));
    for (wrong, key) in [
        ("[cohesion]\nradios = 3\n", "radios"),
        ("[flock]\nboids = 50\n[view]\nbird = 50\n", "view.bird = 50"),
    ] {
        write(wrong);
        assert!(session.poll_file());
        assert!(matches!(&session.controls.message, Some(Message::Failed(why)) if why.contains(key)));
        assert_eq!(session.document.parameters, p);
    }
    write("[flock]\nboids = 60\n[cohesion]\nweight = 0.375\n");
    assert!(session.poll_file());
    session.settle();
    assert!(!matches!(session.controls.message, Some(Message::Failed(_))));
    assert_eq!((session.frame().boids.count(), session.frame().step), (60, 0));

    // F5 reads it all again, with what the call sets on top, which a reset leaves out; a preset closes it.
    let set = Setting::parse("separation.weight=0.5").expect("a setting");
    session.document.open_file.as_mut().expect("open").settings.push(set);
    let mut window = super::window_of(session);
    for _ in 0..2 {
        press(&mut window, Key::F5);
        let document = &window.state().document;
        assert_eq!((document.parameters.alignment.weight, document.parameters.separation.weight), (0.1, 0.5));
        assert!(document.base.separation.weight != 0.5);
    }
    window.state_mut().apply(Action::Page(Page::File));
    window.run();
    assert!(window.query_by_label("mine.toml").is_some());
    press(&mut window, Key::Num2);
    assert_eq!(window.state().document.watched(), None);
    click(&mut window, "mine.toml");
    assert_eq!(window.state().document.parameters.flock.boids, 60);

    // F5 does not wait for the writer of a pipe that has taken the place of the file.
    #[cfg(unix)]
    {
        std::fs::remove_file(&file).expect("removed");
        assert!(std::process::Command::new("mkfifo").arg(&file).status().expect("mkfifo").success());
        press(&mut window, Key::F5);
        assert!(
            matches!(&window.state().controls.message, Some(Message::Failed(why)) if why.contains("a pipe"))
        );
    }
}

#[test]
fn what_the_call_sets_stays_over_the_open_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, "preset = \"cornell\"\n").expect("written");
    let mut session = session("cornell");
    session.apply(Action::LoadFile(file.clone()));
    let open = session.document.open_file.as_mut().expect("a file");
    open.settings.push(Setting::parse("flock.boids=70").expect("allowed"));
    change(&mut session, |p| p.set_boids(70));
    std::fs::write(&file, "preset = \"vortex\"\n").expect("written");
    assert!(session.poll_file());
    session.settle();
    let mut expected = config::presets::find("vortex").expect("built in").parameters().expect("allowed");
    assert_eq!(session.document.base, expected);
    expected.set_boids(70);
    assert_eq!((session.document.parameters, session.frame().boids.count()), (expected, 70));
}

#[test]
fn an_undo_to_a_flock_without_groups_takes_their_colour_back() {
    let mut session = session("cornell");
    let colour = session.eye.look.colour;
    let life = config::presets::find("life").expect("built in");
    session.document.presets[0].parameters = life.parameters().expect("allowed");
    session.apply(Action::Choose(0));
    assert_eq!(session.eye.look.colour, Colour::Group);
    session.apply(Action::Undo);
    assert_eq!((session.eye.look.colour, session.document.name()), (colour, "cornell"));
}

#[test]
fn an_undo_to_another_file_takes_its_name_its_look_and_its_world_along() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let texts = [
        ("a.toml", "preset = \"vortex\"\n[world]\nmax = [90, 90, 90]\n[view]\nfog = 0.25\n"),
        ("b.toml", "[flock]\nboids = 50\n[view]\nfog = 0.75\n"),
    ];
    let mut session = session("cornell");
    for (name, text) in texts {
        std::fs::write(file(name), text).expect("written");
        session.apply(Action::LoadFile(file(name).into()));
        session.settle();
        session.document.remember();
    }
    for (undo, name, fog) in [(true, "a.toml", 0.25), (false, "b.toml", 0.75), (true, "a.toml", 0.25)] {
        if undo {
            session.apply(Action::Undo);
        } else {
            session.apply(Action::Redo);
        }
        // The message about the loaded file is gone: another flock is shown.
        assert_eq!(session.controls.message, None);
        let document = &session.document;
        assert_eq!((document.title().as_str(), &document.file), (name, &file(name)));
        assert_eq!(document.own_file, Some(file(name)), "saving does not replace the other file");
        assert_eq!((document.view.fog, session.eye.look.fog), (Some(fog), fog as f32));
    }
    // More boids leave a world alone that the file set.
    session.apply(Action::Set(find("flock.boids").expect("a parameter"), Value::Count(100)));
    assert_eq!(session.document.parameters.world.max, [90.0; 3]);
}

/// Types a text into the field of a number, and leaves it.
fn type_number(window: &mut egui_kittest::Harness<'_, Session>, field: &str, text: &str) {
    let number = |window: &egui_kittest::Harness<'_, Session>| {
        let found = window.query_by_role_and_label(egui::accesskit::Role::SpinButton, field);
        found.expect("a field").focus();
    };
    number(window);
    window.run();
    window.event(egui::Event::Text(text.to_owned()));
    window.run();
    window.key_press(Key::Enter);
    window.run();
    window.state_mut().settle();
}

#[test]
fn a_refused_number_says_why_at_the_foot_of_the_panel() {
    let mut session = session("cornell");
    let terms = "[terms.swirl]\nstrength = { default = 0.05, range = [0, 1], unit = \"1/t\" }\n\
        request = \"strength * position\"\n";
    change(&mut session, |p| p.terms = config::parse(terms, "test").expect("fits").parameters.terms);
    let mut window = super::window_of(session);
    for (field, text, why) in [
        ("terms.swirl.strength", "99999", "terms.swirl.strength must be a number from 0 to 1, not 99999"),
        ("terms.swirl.strength", "abc", "terms.swirl.strength must be a number, not abc"),
        ("cohesion.weight", "0,5", "cohesion.weight must be a number with a decimal point, not 0,5"),
        ("cohesion.weight", "99999", "cohesion.weight: 99999.0 is not a number from"),
        ("steps a frame", "1000", "steps a frame must be 0.05 to 100, not 1000"),
        ("flock.boids", "0,5M", "flock.boids must be a whole number up to 4294967295"),
        ("flock.boids", "1.000", "flock.boids must be a whole number up to 4294967295"),
        ("flock.seed", "1e12", "flock.seed must be a whole number up to 4294967295"),
    ] {
        window.state_mut().controls.message = None;
        let before = (window.state().document.parameters, window.state().flight.rate);
        type_number(&mut window, field, text);
        assert_eq!(
            (window.state().document.parameters, window.state().flight.rate),
            before,
            "{field} {text}"
        );
        assert!(
            window.query_by_label_contains(why).is_some(),
            "{field} {text}: {:?}",
            window.state().controls.message
        );
    }
    // The next number that is accepted takes the line away.
    type_number(&mut window, "terms.swirl.strength", "0.5");
    let session = window.state();
    assert_eq!(session.document.parameters.terms.get("terms.swirl.strength"), Some(0.5));
    assert_eq!(session.controls.message, None);
}

//! A scene: what was set of look and camera goes with the flock, into a file and into a link.

use config::View;
use flock::Parameters;
use murmuration::cli::page;
use scene::{Colour, Scenery};
use window::session::controls::Page;
use window::session::document::Document;
use window::session::{Action, Preset, Session};

use super::view::settle;
use super::{change, click, window};

/// Changes what a scene holds.
fn arrange(session: &mut Session) {
    session.eye.choose_look(Scenery::Cones);
    session.eye.look.colour = Colour::Speed;
    session.eye.look.trails = 25.0;
    session.eye.camera.orbit(0.7, 0.2);
    session.eye.camera.pan(glam::Vec2::new(0.2, 0.1), session.eye.aspect);
    session.eye.let_go();
    session.apply(Action::PlaceObstacle([1.0, 2.0, 3.0]));
}

/// The command that opens the flock.
fn command(session: &Session) -> String {
    session.document.command(&session.eye.view(&session.document), Vec::new())
}

#[test]
fn the_command_of_a_file_without_a_preset_refers_to_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("my flock.toml");
    std::fs::write(&file, "[flock]\nboids = 50\n[cohesion]\nweight = 0.25\n").expect("written");
    let mut session = super::session("think");
    session.apply(Action::LoadFile(file.clone()));
    session.settle();
    change(&mut session, |p| p.cohesion.weight = 0.5);
    let text = command(&session);
    let expected = format!("murmuration --config '{}' --set cohesion.weight=0.5 ", file.display());
    assert!(text.starts_with(&expected) && !text.contains("preset"), "{text}");
}

/// The parameters that the address of a preset's document opens, once they are the wanted ones.
fn opened(preset: &Preset, wanted: Parameters) -> Parameters {
    let document = Document::new(vec![preset.clone()], Some(0), preset.parameters, wanted);
    let query = document.query(&preset.view, Vec::new());
    let request = page::parse(&query[1..]).expect("an address");
    request.view.flock.parameters().expect("allowed")
}

#[test]
fn an_address_opens_the_same_flock() {
    for preset in super::presets() {
        let base = preset.parameters;
        let mut wanted = base;
        wanted.separation.radius = 0.123;
        wanted.world.margin = 7.5;
        wanted.home.position = [1.0, -2.5, 0.0];
        wanted.set_boids(1234);
        assert_eq!(opened(&preset, wanted), wanted, "{}", preset.name);
        let mut many = base;
        many.set_boids(9);
        assert_eq!(opened(&preset, many), many, "{}", preset.name);
        // A world that was set keeps its size, even the preset's under another number of boids.
        for max in [[99.0; 3], base.world.max] {
            (many.world.min, many.world.max) = (base.world.min, max);
            assert_eq!(opened(&preset, many), many, "{}", preset.name);
        }
    }
}

#[test]
fn an_address_holds_a_formula() {
    let text = "[terms.a]\nhelp = \"a boid's own\"\nv = { default = 0.5, unit = \"len/t\" }\n\
                request = \"\"\"\nlet h = heading;\nv * h\"\"\"\n";
    let preset = super::presets().remove(0);
    let terms = config::parse(text, "test").expect("fits").parameters.terms;
    let found = opened(&preset, Parameters { terms, ..preset.parameters }).terms;
    assert_eq!((found.terms(), found.get("terms.a.v")), (terms.terms(), Some(0.5)));
}

#[test]
fn a_saved_scene_is_opened_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut before = window("murmuration");
    before.state_mut().apply(Action::File(folder.path().join("scene.toml").display().to_string()));
    before.state_mut().apply(Action::Page(Page::File));
    arrange(before.state_mut());
    settle(&mut before);
    click(&mut before, "Save");
    let mut after = window("think");
    after.state_mut().apply(Action::File(before.state().document.file.clone()));
    after.state_mut().apply(Action::Page(Page::File));
    after.run();
    click(&mut after, "Load");
    settle(&mut after);
    let (was, is) = (before.state(), after.state());
    assert_eq!(is.document.parameters, was.document.parameters);
    assert_eq!((is.eye.look, is.eye.follows), (was.eye.look, false));
    // It knows its preset: its card shows it below its own name, and its command is as short as before.
    assert_eq!((is.document.name(), is.document.title().as_str()), ("murmuration", "scene.toml"));
    assert_eq!(command(is), command(was));
    assert!(command(is).matches(" --set ").count() < 12, "{}", command(is));
    let way = (is.eye.camera.eye() - was.eye.camera.eye()).length();
    assert!(way < 1e-3 * was.eye.camera.distance, "{:?} {:?}", is.eye.camera, was.eye.camera);
    // A preset is shown as ever, and followed again.
    after.state_mut().apply(Action::Choose(0));
    settle(&mut after);
    assert!(after.state().eye.follows && after.state().eye.camera.yaw != was.eye.camera.yaw);
}

#[test]
fn what_a_preset_says_of_the_picture_goes_with_it() {
    let mut window = window("murmuration");
    let usual = window.state().eye.look;
    let [couzin, other] = ["couzin", "think"].map(|name| {
        window.state().document.presets.iter().position(|preset| preset.name == name).expect("a preset")
    });
    let said = window.state().document.presets[couzin].view;
    window.state_mut().apply(Action::Choose(couzin));
    settle(&mut window);
    let session = window.state_mut();
    assert_eq!((Some(f64::from(session.eye.look.fog)), said.zoom.is_some()), (said.fog, true));
    // A picture as ever is another than the preset's, and said so.
    session.eye.look.fog = usual.fog;
    let link = |session: &Session| session.document.query(&session.eye.view(&session.document), Vec::new());
    assert!(
        link(session).contains("view.fog%3D0.55") && !link(session).contains("zoom"),
        "{}",
        link(session)
    );
    session.document.presets[other].view = View::default();
    session.apply(Action::Choose(couzin));
    assert_ne!(session.eye.look.fog, usual.fog);
    session.apply(Action::Choose(other));
    settle(&mut window);
    assert_eq!(window.state().eye.look.fog, usual.fog);
}

#[test]
fn a_link_holds_what_differs_and_no_more() {
    let mut window = window("murmuration");
    let link = |session: &Session| session.document.query(&session.eye.view(&session.document), Vec::new());
    assert_eq!(link(window.state()), "?preset=murmuration&boids=500&look=dusk");
    arrange(window.state_mut());
    settle(&mut window);
    let text = link(window.state());
    let request = page::parse(&text).expect("a link");
    let (document, session) = (request.view.flock.document().expect("allowed"), window.state());
    assert_eq!(document.parameters, session.document.parameters);
    let view = View { skip: 0, look: Scenery::Cones, ..document.view };
    assert_eq!(view, View { skip: 0, ..session.eye.view(&session.document) });
    assert!(text.contains("view.trails%3D25") && text.len() < 500, "{text}");
}

//! Flocks in files and in links: loading, saving, the file that is watched, and what a scene keeps.

use std::path::Path;

use config::{Setting, View};
use egui::Key;
use flock::Parameters;
use flock::parameters::Value;
use murmuration::cli::page;
use scene::{Colour, Scenery};
use window::session::controls::{Page, Tool};
use window::session::document::Document;
use window::session::{Action, Message, Preset, Session};

use super::{Panel, change, failure, session, set, step};

fn name_of(file: &Path) -> String {
    file.display().to_string()
}

/// The page of files, with this name in its field.
fn file_page(preset: &str, file: &Path) -> Panel {
    let mut panel = Panel::new(preset);
    panel.apply(Action::File(name_of(file)));
    panel.apply(Action::Page(Page::File));
    panel
}

#[test]
fn a_flock_is_saved_and_loaded_and_a_wrong_file_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    let mut panel = file_page("think", &file);
    panel.change(|p| p.cohesion.weight = 2.5);
    let saved = panel.parameters();
    panel.click("Save");
    panel.click("Reset");
    assert_ne!(panel.parameters(), saved);
    panel.click("Load");
    assert_eq!(panel.parameters(), saved);
    std::fs::write(&file, "[cohesion]\nradios = 3\n").expect("a file");
    panel.click("Load");
    assert_eq!(panel.parameters(), saved);
    let why = failure(panel.state());
    assert!(why.contains("radios") && !why.contains('\n'), "{why}");
}

/// A file that is dropped, by its path.
#[derive(Debug)]
struct Dropped(std::path::PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|why| why.to_string())
    }
}

#[test]
fn a_file_that_is_dropped_on_the_window_is_loaded() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("dropped.toml");
    let mut panel = Panel::new("think");
    for (text, said) in [("[cohesion]\nweight = 2.5\n", "loaded"), ("[cohesion]\nweigth = 1\n", "weigth")] {
        std::fs::write(&file, text).expect("a file");
        panel.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(file.clone())));
        panel.run();
        panel.settle();
        assert_eq!(panel.parameters().cohesion.weight, 2.5);
        let message = format!("{:?}", panel.state().controls.message);
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn saving_asks_before_it_replaces_a_file_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("theirs.toml");
    std::fs::write(&file, "# theirs\n").expect("a file");
    let text = || std::fs::read_to_string(&file).expect("a file");
    let mut panel = file_page("think", &file);
    panel.click("Save");
    panel.click("Keep");
    assert_eq!(text(), "# theirs\n");
    assert!(!panel.has("Replace"));
    // Saving the view adds nothing to undo.
    panel.session().eye.camera.orbit(0.7, 0.2);
    panel.click("Save");
    panel.click("Replace");
    assert!(text().contains("[cohesion]") && text().contains("yaw"));
    let document = &panel.state().document;
    assert!(!document.can_undo() && !document.can_redo());
    // Now it is the session's own: saving again asks nothing.
    panel.change(|p| p.cohesion.weight = 2.5);
    panel.click("Save");
    assert!(!panel.has("Replace") && text().contains("2.5"));
    // Another flock is not the one that the file is of.
    panel.press(Key::Num2);
    panel.click("Save");
    panel.click("Keep");
    assert!(text().contains("2.5"));
    // Another name is another file.
    panel.apply(Action::File(name_of(&folder.path().join("new.toml"))));
    panel.click("Save");
    assert!(!panel.has("Replace") && folder.path().join("new.toml").exists());
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
    step(&mut session, 1);
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
        ("[flock]\nboids = 50\n[view]\nbird = 50\n", "view.bird must be less than 50"),
    ] {
        write(wrong);
        assert!(session.poll_file());
        assert!(failure(&session).contains(key));
        assert_eq!(session.document.parameters, p);
    }
    write("[flock]\nboids = 60\n[cohesion]\nweight = 0.375\n");
    assert!(session.poll_file());
    session.settle();
    assert!(!matches!(session.controls.message, Some(Message::Failed(_))));
    assert_eq!((session.frame().boids.count(), session.frame().step), (60, 0));

    // F5 reads it all again, with what the call sets on top, which a reset leaves out; a preset closes it.
    let setting = Setting::parse("separation.weight=0.5").expect("a setting");
    session.document.open_file.as_mut().expect("open").settings.push(setting);
    let mut panel = Panel::of(session);
    panel.apply(Action::Tool(Tool::Falcon));
    panel.session().eye.look.colour = Colour::Speed;
    let chosen = |panel: &Panel| (panel.state().controls.tool, panel.state().eye.look.colour);
    for _ in 0..2 {
        panel.press(Key::F5);
        assert_eq!(chosen(&panel), (Tool::Falcon, Colour::Speed));
        assert_eq!((panel.parameters().alignment.weight, panel.parameters().separation.weight), (0.1, 0.5));
        assert!(panel.state().document.base.separation.weight != 0.5);
    }
    panel.apply(Action::Page(Page::File));
    assert!(panel.has("mine.toml"));
    panel.press(Key::Num2);
    assert_eq!(panel.state().document.watched(), None);
    panel.apply(Action::Tool(Tool::Falcon));
    panel.session().eye.look.colour = Colour::Speed;
    panel.click("mine.toml");
    assert_eq!(panel.parameters().flock.boids, 60);
    // It is another flock than the preset's.
    assert_eq!(chosen(&panel), (Tool::Camera, Colour::first(&panel.parameters())));

    // F5 does not wait for the writer of a pipe that has taken the place of the file.
    #[cfg(unix)]
    {
        std::fs::remove_file(&file).expect("removed");
        assert!(std::process::Command::new("mkfifo").arg(&file).status().expect("mkfifo").success());
        panel.press(Key::F5);
        assert!(failure(panel.state()).contains("must be a regular file"));
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
fn an_undo_to_another_file_takes_its_name_its_look_and_its_world_along() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = session("cornell");
    for (name, text) in [
        ("a.toml", "preset = \"vortex\"\n[world]\nmax = [90, 90, 90]\n[view]\nfog = 0.25\n"),
        ("b.toml", "[flock]\nboids = 50\n[view]\nfog = 0.75\n"),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
        session.apply(Action::LoadFile(folder.path().join(name)));
        session.settle();
        session.document.remember();
    }
    for (way, name, fog) in
        [(Action::Undo, "a.toml", 0.25), (Action::Redo, "b.toml", 0.75), (Action::Undo, "a.toml", 0.25)]
    {
        session.apply(way);
        // The message about the loaded file is gone: another flock is shown.
        assert_eq!(session.controls.message, None);
        let (document, file) = (&session.document, name_of(&folder.path().join(name)));
        assert_eq!((document.title().as_str(), &document.file), (name, &file));
        assert_eq!(document.own_file, Some(file), "saving does not replace the other file");
        assert_eq!((document.view.fog, session.eye.look.fog), (Some(fog), fog as f32));
    }
    // More boids leave a world alone that the file set.
    set(&mut session, "flock.boids", Value::Count(100));
    assert_eq!(session.document.parameters.world.max, [90.0; 3]);
}

/// Changes what a scene holds.
fn arrange(panel: &mut Panel) {
    let session = panel.session();
    session.eye.choose_look(Scenery::Cones);
    session.eye.look.colour = Colour::Speed;
    session.eye.look.trails = 25.0;
    session.eye.camera.orbit(0.7, 0.2);
    session.eye.camera.pan(glam::Vec2::new(0.2, 0.1), session.eye.aspect);
    session.eye.let_go();
    panel.apply(Action::PlaceObstacle([1.0, 2.0, 3.0]));
}

/// The command that opens the flock.
fn command(session: &Session) -> String {
    session.document.command(&session.eye.view(&session.document), Vec::new())
}

/// The link that opens the flock.
pub(super) fn link(session: &Session) -> String {
    session.document.query(&session.eye.view(&session.document), Vec::new())
}

#[test]
fn the_command_of_a_file_without_a_preset_refers_to_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("my flock.toml");
    std::fs::write(&file, "[flock]\nboids = 50\n[cohesion]\nweight = 0.25\n").expect("written");
    let mut session = session("think");
    session.apply(Action::LoadFile(file.clone()));
    session.settle();
    change(&mut session, |p| p.cohesion.weight = 0.5);
    let text = command(&session);
    let expected = format!("murmuration --config '{}' --set cohesion.weight=0.5 ", file.display());
    assert!(text.starts_with(&expected) && !text.contains("preset"), "{text}");
}

#[test]
fn a_saved_scene_is_opened_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("scene.toml");
    let mut before = file_page("murmuration", &file);
    arrange(&mut before);
    before.click("Save");
    let mut after = file_page("think", &file);
    after.click("Load");
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
    after.apply(Action::Choose(0));
    assert!(after.state().eye.follows && after.camera().yaw != before.camera().yaw);
}

#[test]
fn what_a_preset_says_of_the_picture_goes_with_it() {
    let mut panel = Panel::new("murmuration");
    let usual = panel.state().eye.look;
    let [couzin, other] = ["couzin", "think"].map(|name| {
        panel.state().document.presets.iter().position(|preset| preset.name == name).expect("a preset")
    });
    let said = panel.state().document.presets[couzin].view;
    panel.apply(Action::Choose(couzin));
    let session = panel.session();
    assert_eq!((Some(f64::from(session.eye.look.fog)), said.zoom.is_some()), (said.fog, true));
    // A picture as ever is another than the preset's, and said so.
    session.eye.look.fog = usual.fog;
    let text = link(session);
    assert!(text.contains("view.fog%3D0.55") && !text.contains("zoom"), "{text}");
    session.document.presets[other].view = View::default();
    session.apply(Action::Choose(couzin));
    assert_ne!(session.eye.look.fog, usual.fog);
    session.apply(Action::Choose(other));
    assert_eq!(session.eye.look.fog, usual.fog);
}

#[test]
fn a_link_holds_what_differs_and_no_more() {
    let mut panel = Panel::new("murmuration");
    assert_eq!(link(panel.state()), "?preset=murmuration&boids=500&look=dusk");
    arrange(&mut panel);
    let (text, session) = (link(panel.state()), panel.state());
    let document = page::parse(&text).expect("a link").view.flock.document().expect("allowed");
    assert_eq!(document.parameters, session.document.parameters);
    let view = View { skip: 0, look: Scenery::Cones, ..document.view };
    assert_eq!(view, View { skip: 0, ..session.eye.view(&session.document) });
    assert!(text.contains("view.trails%3D25") && text.len() < 500, "{text}");
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
    for preset in crate::sessions::presets() {
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
    let text = "[terms.a]\nhelp = \"a boid's own\"\nv = { default = 0.5, unit = \"len/t\" }\n\
                request = \"\"\"\nlet h = heading;\nv * h\"\"\"\n";
    let preset = crate::sessions::presets().remove(0);
    let terms = config::parse(text, "test").expect("fits").parameters.terms;
    let found = opened(&preset, Parameters { terms, ..preset.parameters }).terms;
    assert_eq!((found.terms(), found.get("terms.a.v")), (terms.terms(), Some(0.5)));
}

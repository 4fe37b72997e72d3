//! The panel without a window: clicks, drags and keys change the session, and the session changes the engine.

mod changes;
mod charts;
mod first;
mod input;
mod past;
mod scene;
mod terms;
mod view;

use ::scene::{Colour, Scenery, first_pitch};
use config::presets::PRESETS;
use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use engine::{Engine, EngineError, Numeric, State};
use engines::Device;
use flock::Parameters;
use window::frame::Frame;
use window::session::controls::{Page, Tool};
use window::session::document::Document;
use window::session::{Action, Message, Preset, Session};
use window::worker::{Checkpoint, Ended, Source, Worker};
use window::{panel, sources, theme};

/// The presets, as the window has them.
fn presets() -> Vec<Preset> {
    let preset = |preset: &config::presets::Preset| Preset {
        name: preset.name.to_owned(),
        about: preset.about().to_owned(),
        parameters: preset.parameters().expect(preset.name),
        view: preset.document().expect(preset.name).view,
    };
    PRESETS.iter().map(preset).collect()
}

/// A paused session with the CPU engine and the preset of this name.
fn session(name: &str) -> Session {
    session_with(name, Numeric::F32, |source| source)
}

/// The same with another number type, and a wrapper around its engine.
fn session_with(
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
    let held = Checkpoint { generation: 0, parameters, state: None };
    let worker = Worker::start(Ended { source, held }, || {}).expect("one thread");
    let mut session = Session::new(document, worker, device, "cpu".to_owned());
    session.apply(Action::Play(false));
    session.controls.open.all = true;
    session.settle();
    session
}

/// Changes parameters as the panel does.
fn change(session: &mut Session, change: impl FnOnce(&mut Parameters)) {
    let mut parameters = session.document.parameters;
    change(&mut parameters);
    session.apply(Action::Parameters(Box::new(parameters)));
    assert_eq!(session.document.parameters, parameters, "{:?}", session.controls.message);
}

/// The whole window at its usual size.
fn window(name: &str) -> Harness<'static, Session> {
    window_of(session(name))
}

fn window_of(session: Session) -> Harness<'static, Session> {
    let mut window = Harness::builder()
        .with_size(egui::vec2(1280.0, 800.0))
        .with_context_setup(theme::apply)
        // The camera may be on its way for some seconds.
        .with_max_steps(600)
        .build_ui_state(
            |ui, session: &mut Session| {
                panel::show(ui, session, None);
            },
            session,
        );
    window.run();
    window
}

/// The text and the rings that are painted over the view.
fn painted(window: &Harness<'_, Session>) -> (String, Vec<egui::epaint::CircleShape>) {
    let (mut text, mut rings) = (String::new(), Vec::new());
    for clipped in &window.output().shapes {
        match &clipped.shape {
            egui::Shape::Text(shape) => text.extend([shape.galley.text(), "\n"]),
            egui::Shape::Circle(ring) if ring.fill == egui::Color32::TRANSPARENT => rings.push(*ring),
            _ => {}
        }
    }
    (text, rings)
}

fn click(window: &mut Harness<'_, Session>, label: &str) {
    window.get_by_label(label).click();
    window.run();
    window.state_mut().settle();
}

fn press(window: &mut Harness<'_, Session>, key: Key) {
    window.key_press(key);
    window.run();
    window.state_mut().settle();
}

#[test]
fn every_preset_is_in_the_gallery() {
    let mut window = window("murmuration");
    for (index, preset) in PRESETS.iter().enumerate().rev() {
        if preset.name == "murmuration" {
            continue;
        }
        click(&mut window, "Presets");
        click(&mut window, preset.name);
        assert!(window.query_by_label(preset.name).is_none(), "the gallery is closed again");
        let session = window.state();
        assert_eq!(session.document.preset, Some(index));
        assert_eq!(session.document.parameters, preset.parameters().expect(preset.name));
        // The engine has also started it.
        assert_eq!(session.frame().boids.count(), session.document.parameters.flock.boids, "{}", preset.name);
        assert_eq!((session.frame().step, session.eye.camera.flat), (0, session.document.parameters.flat()));
    }
}

#[test]
fn escape_closes_the_gallery_and_then_leaves_the_tool() {
    let mut window = window("murmuration");
    press(&mut window, Key::G);
    click(&mut window, "Presets");
    assert!(window.query_by_label("cornell").is_some());
    press(&mut window, Key::Escape);
    assert!(window.query_by_label("cornell").is_none(), "the gallery is closed");
    assert_eq!(window.state().controls.tool, Tool::Carrot);
    press(&mut window, Key::Escape);
    assert_eq!(window.state().controls.tool, Tool::Camera);
}

#[test]
fn play_pause_step_and_restart() {
    let mut window = window("cornell");
    assert!(!window.state().flight.playing);
    click(&mut window, "Step");
    click(&mut window, "Step");
    assert_eq!((window.state().frame().step, window.state().flight.playing), (2, false));
    click(&mut window, "Play");
    assert!(window.state().flight.playing && window.query_by_label("Pause").is_some());
    click(&mut window, "Pause");
    assert!(!window.state().flight.playing);
    click(&mut window, "Restart");
    assert_eq!(window.state().frame().step, 0);
}

#[test]
fn keys_do_what_the_sheet_says() {
    let mut window = window("cornell");
    press(&mut window, Key::Space);
    assert!(window.state().flight.playing);
    press(&mut window, Key::Space);
    press(&mut window, Key::Period);
    assert_eq!((window.state().frame().step, window.state().flight.playing), (1, false));
    press(&mut window, Key::R);
    assert_eq!(window.state().frame().step, 0);
    press(&mut window, Key::Num6);
    assert_eq!(window.state().document.parameters, PRESETS[5].parameters().expect("built in"));
    press(&mut window, Key::C);
    assert_ne!(window.state().eye.look.colour, Colour::Heading);
    press(&mut window, Key::Num1);
    let opened = (window.state().eye.look.scenery, window.state().eye.camera.pitch);
    assert_eq!(opened, (Scenery::Dusk, first_pitch(Scenery::Dusk)));
    press(&mut window, Key::L);
    let other = (window.state().eye.look.scenery, window.state().eye.camera.pitch);
    assert_eq!(other, (Scenery::Cones, first_pitch(Scenery::Cones)));
    press(&mut window, Key::P);
    assert!(window.query_by_label("Restart").is_none());
    press(&mut window, Key::P);
    assert!(window.query_by_label("Restart").is_some());
    press(&mut window, Key::H);
    assert!(window.query_by_label("?").is_some());
    assert!(window.state().controls.open.help && window.query_by_label("zoom to fit the flock").is_some());
    press(&mut window, Key::Escape);
    assert!(!window.state().controls.open.help);
    press(&mut window, Key::O);
    assert_eq!(window.state().controls.tool, Tool::Obstacle);
    press(&mut window, Key::Escape);
    assert_eq!(window.state().controls.tool, Tool::Camera);
    // A key without an action changes nothing.
    let now =
        |window: &Harness<'_, Session>| (window.state().document.parameters, window.state().frame().step);
    let before = now(&window);
    press(&mut window, Key::F9);
    assert!(now(&window) == before);
}

#[test]
fn every_parameter_is_there_and_a_change_reaches_the_engine() {
    let mut window = window("cornell");
    for table in flock::parameters::PARAMETERS.chunk_by(|a, b| a.table == b.table) {
        let name = table[0].table.replace('_', " ");
        assert!(window.query_all_by_label(&name).next().is_some(), "{name}");
    }
    // The first checkbox that is open is separation.average.
    let before = window.state().document.parameters.separation.average;
    let boxes = window.query_all_by_role(egui::accesskit::Role::CheckBox);
    boxes.into_iter().next().expect("a checkbox").click();
    window.run();
    assert_eq!(window.state().document.parameters.separation.average, !before);
    assert!(window.state().document.changed());
    click(&mut window, "Reset");
    assert!(!window.state().document.changed());
}

#[test]
fn a_reset_goes_back_to_the_preset_where_the_call_set_more() {
    let mut window = window("murmuration");
    let preset = PRESETS[0].parameters().expect("built in");
    // The test itself asked for fewer boids.
    assert!(window.state().document.changed() && window.state().document.parameters != preset);
    click(&mut window, "Reset");
    assert!(!window.state().document.changed());
    assert_eq!((window.state().document.parameters, window.state().document.preset), (preset, Some(0)));
}

#[test]
fn a_flock_that_is_refused_leaves_the_one_that_flies_on() {
    let mut session = session_with("cornell", Numeric::Fixed, |source| source);
    // Integers have no such short step.
    session.document.presets[0].parameters.motion.time_step = 1e-9;
    let (before, base, look) = (session.document.parameters, session.document.base, session.eye.look);
    session.apply(Action::Play(true));
    session.apply(Action::Choose(0));
    assert!(matches!(session.controls.message, Some(Message::Failed(_))), "{:?}", session.controls.message);
    assert!(session.flight.playing && session.flight.has_started());
    assert_eq!(
        (session.document.parameters, session.document.base, session.document.name()),
        (before, base, "cornell")
    );
    assert!(session.eye.look == look && session.eye.camera.flat);
    // The next one is accepted.
    session.apply(Action::Choose(2));
    session.settle();
    assert_eq!(
        (session.document.name(), session.frame().boids.count()),
        ("yabi", session.document.parameters.flock.boids)
    );
}

/// A source that has no memory for more than a thousand boids, which no check can know before.
#[derive(Debug)]
struct Small(Box<dyn Source>);

impl Source for Small {
    fn engine(&mut self) -> &mut dyn Engine {
        self.0.engine()
    }
    fn publish(&mut self, frame: &mut Frame) -> Result<(), EngineError> {
        self.0.publish(frame)?;
        if frame.boids.count() > 1000 {
            return Err(EngineError::Device { device: "a test".to_owned(), what: "no memory".to_owned() });
        }
        Ok(())
    }
}

#[test]
fn a_flock_that_finds_no_memory_gives_way_to_the_one_before_it() {
    let mut session = session_with("cornell", Numeric::F32, |source| Box::new(Small(source)));
    session.apply(Action::Play(true));
    let before = session.document.parameters;
    let boids = flock::parameters::find("flock.boids").expect("a parameter");
    for start in [Action::Set(boids, flock::parameters::Value::Count(1001)), Action::Choose(0)] {
        session.apply(start);
        assert_ne!(session.document.parameters, before);
        session.settle();
        assert!(matches!(&session.controls.message, Some(Message::Failed(why)) if why.contains("no memory")));
        assert_eq!((session.document.parameters, session.document.name()), (before, "cornell"));
        assert!(session.flight.playing && session.flight.has_started());
        assert_eq!(session.frame().boids.count(), before.flock.boids);
    }
}

#[test]
fn sliders_change_numbers_and_more_boids_start_anew() {
    let mut window = window("cornell");
    let sliders: Vec<_> = window.query_all_by_role(egui::accesskit::Role::Slider).collect();
    let boids = sliders.first().expect("the slider of boids").rect();
    let at = egui::pos2(boids.left() + 0.9 * boids.width(), boids.center().y);
    drop(sliders);
    window.drag_at(at);
    window.run();
    window.drop_at(at);
    window.run();
    window.state_mut().settle();
    let session = window.state();
    assert!(session.document.parameters.flock.boids > 1000, "{}", session.document.parameters.flock.boids);
    assert_eq!(session.frame().boids.count(), session.document.parameters.flock.boids);
}

#[test]
fn what_is_refused_is_named_and_not_taken() {
    let mut session = session("cornell");
    let radius = flock::parameters::find("cohesion.radius").expect("a parameter");
    let before = session.document.parameters;
    session.apply(Action::Set(radius, flock::parameters::Value::Real(-3.0)));
    assert_eq!(session.document.parameters, before);
    let Some(Message::Failed(why)) = &session.controls.message else { panic!("nothing was said") };
    assert!(why.contains("cohesion.radius") && why.contains("-3"), "{why}");
    // So is a limit between two parameters.
    let mut slow = before;
    slow.motion.min_speed = 100.0;
    session.apply(Action::Parameters(Box::new(slow)));
    assert_eq!(session.document.parameters, before);
}

#[test]
fn a_long_error_is_wrapped_at_the_foot() {
    let mut window = window("cornell");
    let height = |window: &mut Harness<'_, Session>, why: &str| {
        window.state_mut().controls.fail(why.to_owned());
        window.run();
        window.get_by_label(why).rect().height()
    };
    let line = height(&mut window, "no such name");
    assert!(height(&mut window, &"no such name; ".repeat(20)) > 3.0 * line);
}

#[test]
fn a_flock_is_saved_and_loaded_and_a_wrong_file_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    let mut window = window("think");
    window.state_mut().apply(Action::File(file.display().to_string()));
    window.state_mut().apply(Action::Page(Page::File));
    change(window.state_mut(), |p| p.cohesion.weight = 2.5);
    window.run();
    let saved = window.state().document.parameters;
    click(&mut window, "Save");
    assert!(file.exists());
    click(&mut window, "Reset");
    assert_ne!(window.state().document.parameters, saved);
    click(&mut window, "Load");
    assert_eq!(window.state().document.parameters, saved);
    std::fs::write(&file, "[cohesion]\nradios = 3\n").expect("a file");
    click(&mut window, "Load");
    assert_eq!(window.state().document.parameters, saved);
    let Some(Message::Failed(why)) = &window.state().controls.message else { panic!("nothing was said") };
    assert!(why.contains("radios") && !why.contains('\n'), "{why}");
}

#[test]
fn saving_asks_before_it_replaces_a_file_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("theirs.toml");
    std::fs::write(&file, "# theirs\n").expect("a file");
    let text = || std::fs::read_to_string(&file).expect("a file");
    let mut window = window("think");
    window.state_mut().apply(Action::File(file.display().to_string()));
    window.state_mut().apply(Action::Page(Page::File));
    window.run();
    click(&mut window, "Save");
    click(&mut window, "Keep");
    assert_eq!(text(), "# theirs\n");
    assert!(window.query_by_label("Replace").is_none());
    // Saving the view adds nothing to undo.
    window.state_mut().eye.camera.orbit(0.7, 0.2);
    click(&mut window, "Save");
    click(&mut window, "Replace");
    assert!(text().contains("[cohesion]") && text().contains("yaw"));
    assert_eq!(window.state().document.undo_ways(), [false; 2]);
    // Now it is the session's own: saving again asks nothing.
    change(window.state_mut(), |p| p.cohesion.weight = 2.5);
    click(&mut window, "Save");
    assert!(window.query_by_label("Replace").is_none() && text().contains("2.5"));
    // Another flock is not the one that the file is of.
    press(&mut window, Key::Num2);
    click(&mut window, "Save");
    click(&mut window, "Keep");
    assert!(text().contains("2.5"));
    // Another name is another file.
    std::fs::write(folder.path().join("third.toml"), "").expect("a file");
    window.state_mut().apply(Action::File(folder.path().join("third.toml").display().to_string()));
    click(&mut window, "Save");
    assert!(window.query_by_label("Replace").is_some());
    window.state_mut().apply(Action::File(folder.path().join("new.toml").display().to_string()));
    window.run();
    assert!(window.query_by_label("Replace").is_none());
}

#[test]
fn tools_work_in_the_view() {
    let mut window = window("cornell");
    let before = window.state().document.parameters;
    press(&mut window, Key::O);
    assert_eq!(window.state().document.parameters, before, "nothing was placed");
    let at = egui::pos2(460.0, 400.0);
    window.drag_at(at);
    window.run();
    window.drop_at(at);
    window.run();
    let spheres = window.state().document.parameters.obstacles.spheres;
    assert_eq!(spheres.as_slice().len(), 1);
    // The middle of the view is the middle of the world.
    let [x, y, z] = spheres.as_slice()[0].position;
    assert!((x - 320.0).abs() < 20.0 && (y - 240.0).abs() < 20.0 && z == 0.0, "{x} {y} {z}");
    let margin = window.state().document.parameters.obstacles.margin;
    assert_eq!(margin, window.state().obstacle_radius());
    press(&mut window, Key::Backspace);
    assert!(window.state().document.parameters.obstacles.spheres.as_slice().is_empty());

    press(&mut window, Key::G);
    let before = window.state().document.parameters.attractor;
    window.drag_at(at);
    window.run();
    window.hover_at(at + egui::vec2(80.0, 0.0));
    window.run();
    window.drop_at(at + egui::vec2(80.0, 0.0));
    window.run();
    let dragged = window.state().document.parameters.attractor;
    assert!(dragged.weight > 0.0 && dragged.position[0] > before.position[0] + 10.0, "{dragged:?}");

    press(&mut window, Key::X);
    assert_eq!(window.state().document.parameters.attractor, before);
    window.hover_at(at);
    window.run();
    assert_eq!(window.state().document.parameters.predators.count, 0);
    window.state_mut().settle();
    assert_eq!(window.state().frame().predators.len(), 1);
}

#[test]
fn the_camera_follows_drags_and_the_wheel() {
    let mut window = window("think");
    let before = window.state().eye.camera;
    window.drag_at(egui::pos2(300.0, 300.0));
    window.run();
    window.hover_at(egui::pos2(360.0, 320.0));
    window.run();
    window.drop_at(egui::pos2(360.0, 320.0));
    window.run();
    let turned = window.state().eye.camera;
    assert!(turned.yaw != before.yaw && turned.distance == before.distance);
    window.hover_at(egui::pos2(360.0, 320.0));
    window.run();
    window.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(0.0, 120.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: egui::Modifiers::NONE,
    });
    window.run_ok();
    assert!(window.state().eye.camera.distance < turned.distance);
    let near = window.state().eye.camera.distance;
    press(&mut window, Key::F);
    assert_ne!(window.state().eye.camera.distance, near);

    // With Alt the eye stays and the direction turns.
    let before = window.state().eye.camera;
    window.event(egui::Event::ModifiersChanged(egui::Modifiers::ALT));
    window.drag_at(egui::pos2(300.0, 300.0));
    window.run();
    window.hover_at(egui::pos2(360.0, 320.0));
    window.run();
    let looked = window.state().eye.camera;
    assert!((looked.eye() - before.eye()).length() < 1e-3 * before.distance && looked.yaw != before.yaw);
}

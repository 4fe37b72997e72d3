//! The view: the camera follows, turns, flies along and comes back; tools draw and hunt; what is written over the picture.

use egui::{Key, Modifiers, Pos2, pos2};
use egui_kittest::kittest::Queryable as _;
use flock::parameters::{Attractor, Value};
use glam::Vec3;
use scene::Camera;
use window::frame::Boids;
use window::session::controls::{Page, Tool};
use window::session::{Action, Session};

use super::playback::key;
use super::{Panel, change, set, step};

/// Size of the view, beside the panel.
const VIEW: [f32; 2] = [1280.0 - 348.0, 800.0];

/// Positions of the boids.
fn positions(panel: &Panel) -> Vec<Vec3> {
    let Boids::Host(boids) = &panel.state().frame().boids else { panic!("in memory") };
    boids.position.iter().map(|at| Vec3::from_slice(at)).collect()
}

/// Place of a point of the world in the window.
fn place_of(panel: &Panel, point: Vec3) -> Pos2 {
    let seen = panel.camera().project(point, VIEW[0] / VIEW[1]).expect("before the eye");
    pos2(0.5 * (1.0 + seen.x) * VIEW[0], 0.5 * (1.0 - seen.y) * VIEW[1])
}

/// The share of the boids in the view, by a camera.
fn share(panel: &Panel, camera: &Camera) -> f64 {
    let boids = positions(panel);
    let seen = |at: &&Vec3| {
        let seen = camera.project(**at, VIEW[0] / VIEW[1]);
        seen.is_some_and(|seen| seen.abs().max_element() <= 1.0)
    };
    boids.iter().filter(seen).count() as f64 / boids.len() as f64
}

/// Steps so often, each for a sixtieth of a second of the camera's time.
fn fly(panel: &mut Panel, steps: usize) {
    for _ in 0..steps {
        step(panel.session(), 1);
        panel.session().eye.drift(0.0, 1.0 / 60.0, true);
    }
}

#[test]
fn the_camera_follows_drags_and_the_wheel() {
    let mut panel = Panel::new("think");
    let (from, to) = (pos2(300.0, 300.0), pos2(360.0, 320.0));
    let before = panel.camera();
    panel.drag(from, to);
    let turned = panel.camera();
    assert!(turned.yaw != before.yaw && turned.distance == before.distance);
    panel.hover_at(to);
    panel.run();
    panel.scroll(120.0);
    let near = panel.camera();
    assert!(near.distance < turned.distance);
    panel.press(Key::F);
    let fitted = panel.camera();
    assert_ne!(fitted.distance, near.distance);
    // With Alt the eye stays and the direction turns.
    panel.event(egui::Event::ModifiersChanged(Modifiers::ALT));
    panel.hold(from, to);
    let looked = panel.camera();
    assert!((looked.eye() - fitted.eye()).length() < 1e-3 * fitted.distance && looked.yaw != fitted.yaw);
}

#[test]
fn the_camera_keeps_the_flock_until_a_person_moves_it_elsewhere() {
    let mut panel = Panel::new("murmuration");
    let held = panel.camera();
    assert!(share(&panel, &held) > 0.95, "{}", share(&panel, &held));
    // At dusk the flock is above the horizon.
    let horizon = -held.pitch.tan() / held.slope();
    assert!((-1.0..-0.3).contains(&horizon), "{horizon}");
    let boids = positions(&panel);
    let above = |at: &&Vec3| {
        let seen = held.project(**at, panel.state().eye.aspect);
        seen.is_some_and(|seen| seen.y > horizon)
    };
    assert!(boids.iter().filter(above).count() > boids.len() * 97 / 100);

    fly(&mut panel, 600);
    let now = panel.camera();
    assert!(share(&panel, &now) > 0.95, "{}", share(&panel, &now));
    // The control: without following it, the flock is not whole.
    assert!(share(&panel, &held) < 0.9, "{}", share(&panel, &held));
    // A drag with Shift lets go, F and T take it up again.
    panel.event(egui::Event::ModifiersChanged(Modifiers::SHIFT));
    panel.drag(pos2(300.0, 300.0), pos2(500.0, 500.0));
    panel.event(egui::Event::ModifiersChanged(Modifiers::NONE));
    panel.run_ok();
    let left = panel.camera();
    fly(&mut panel, 60);
    assert!(!panel.state().eye.follows && panel.camera() == left);
    panel.press(Key::T);
    fly(&mut panel, 180);
    assert!(panel.state().eye.follows && panel.camera().target != left.target);
    panel.press(Key::F);
    let fitted = panel.camera();
    assert!(share(&panel, &fitted) > 0.95, "{}", share(&panel, &fitted));
}

#[test]
fn a_flock_that_grows_stays_in_view_and_one_from_the_gallery_fills_it_at_once() {
    let mut panel = Panel::new("think");
    let before = panel.camera();
    set(panel.session(), "flock.density", Value::Choice("keep"));
    let more = 8 * panel.parameters().flock.boids;
    set(panel.session(), "flock.boids", Value::Count(more));
    panel.run();
    panel.settle();
    let after = panel.camera();
    // The larger flock may leave a stray or two out of the picture.
    assert!((after.distance / before.distance - 2.0).abs() < 0.2, "{} {}", after.distance, before.distance);
    assert_eq!((after.yaw, after.pitch), (before.yaw, before.pitch));
    let shares = [after, before].map(|camera| share(&panel, &camera));
    assert!(shares[0] > 0.95 && shares[1] < 0.9, "{shares:?}");
    // Wherever it has flown: a restart takes the camera along.
    let session = panel.session();
    session.eye.camera.target.x += 1e4;
    session.apply(Action::Restart);
    session.settle();
    assert!((session.eye.camera.target - after.target).length() < 0.1 * after.distance);

    panel.click("Presets");
    panel.get_by_label("swarm").click();
    panel.run();
    panel.session().settle();
    let at_once = panel.camera().distance;
    panel.settle();
    assert!((at_once / panel.camera().distance - 1.0).abs() < 0.01, "{at_once}");
}

#[test]
fn panel_and_sheet_fit_windows_of_any_size() {
    let width = |panel: &Panel| panel.ctx.content_rect().right() - panel.get_by_label("Flock").rect().left();
    let mut panel = Panel::new("cornell");
    let (before, camera) = (width(&panel), panel.camera());
    panel.set_size(egui::vec2(480.0, 360.0));
    panel.run();
    // The paused flock is in the picture, too.
    assert!(panel.camera().distance > 1.5 * camera.distance);
    assert!(width(&panel) < before - 30.0, "squeezed to {}", width(&panel));
    panel.set_size(egui::vec2(1280.0, 800.0));
    panel.run();
    assert_eq!((width(&panel), panel.camera()), (before, camera));
    panel.press(Key::H);
    let layer = panel.ctx.layer_id_at(panel.ctx.content_rect().center()).expect("the sheet of keys");
    let sheet = panel.ctx.memory(|memory| memory.area_rect(layer.id)).expect("its place");
    assert!(panel.ctx.content_rect().contains_rect(sheet) && sheet.width() < 1000.0);
    for line in ["play or pause", "zoom to the pointer"] {
        assert!(sheet.contains_rect(panel.get_by_label(line).rect()), "{line} is in the sheet");
    }
    panel.press(Key::H);
    // On the narrowest phones all of it is in the window, and the tab that folds it.
    panel.set_size(egui::vec2(280.0, 653.0));
    panel.run();
    for name in ["›", "Reset", "File", "Keys"] {
        assert!(is_shown(&panel, name), "{name}");
    }
    // A low window scrolls its whole panel.
    panel.set_size(egui::vec2(667.0, 300.0));
    panel.apply(Action::Page(Page::File));
    assert!(is_shown(&panel, "Undo") && !is_shown(&panel, "Save"));
    panel.hover_at(pos2(500.0, 120.0));
    panel.run();
    panel.scroll(-250.0);
    assert!(is_shown(&panel, "Save") && !is_shown(&panel, "Undo"));
}

/// True if what has this label lies inside the window.
fn is_shown(panel: &Panel, label: &str) -> bool {
    panel.ctx.content_rect().contains_rect(panel.get_by_label(label).rect())
}

#[test]
fn the_camera_flies_along_with_a_bird_that_is_clicked() {
    let mut panel = Panel::new("cornell");
    let click_a_bird = |panel: &mut Panel| {
        let place = place_of(panel, positions(panel)[7]);
        panel.click_at(place);
    };
    panel.click_at(pos2(3.0, 3.0));
    assert_eq!(panel.state().eye.companion(), None, "there is no bird in the corner");
    click_a_bird(&mut panel);
    assert!(panel.state().eye.companion().is_some());
    for _ in 0..60 {
        panel.apply(Action::Step);
    }
    // Rings on its place, one dark and one light, like the falcon's.
    let mut rings = Vec::new();
    for clipped in &panel.output().shapes {
        match &clipped.shape {
            egui::Shape::Circle(ring) if ring.fill == egui::Color32::TRANSPARENT => rings.push(*ring),
            _ => {}
        }
    }
    let [dark, light] = rings.as_slice() else { panic!("{rings:?}") };
    assert_eq!((dark.center, dark.radius), (light.center, light.radius));
    let brightness = [dark, light].map(|ring| ring.stroke.color.intensity());
    assert!(brightness[0] < 0.1 && brightness[1] > 0.8 && dark.stroke.width > 2.0 * light.stroke.width);
    let place = panel.state().eye.companion().expect("a bird").1;
    assert!((panel.camera().target - place).length() < 0.1 * panel.camera().distance);
    panel.press(Key::Escape);
    assert_eq!(panel.state().eye.companion(), None);
    // A camera that a person had moved is where it was; it has been elsewhere.
    panel.session().eye.let_go();
    let moved = panel.camera();
    click_a_bird(&mut panel);
    assert!(panel.state().eye.companion().is_some() && panel.camera() != moved);
    panel.press(Key::Escape);
    assert_eq!((panel.state().eye.companion(), panel.camera()), (None, moved));
}

#[test]
fn a_bird_that_was_clicked_just_before_another_flock_is_not_followed_there() {
    let mut panel = Panel::new("cornell");
    for wait in [false, true] {
        let place = place_of(&panel, positions(&panel)[7]);
        let pointer = glam::Vec2::new(2.0 * place.x / VIEW[0] - 1.0, 1.0 - 2.0 * place.y / VIEW[1]);
        let session = panel.session();
        session.apply(Action::FlyAlong(pointer, VIEW[1]));
        while wait && session.playback.worker.report().is_none() {
            // The engine has found it, and the session does not know yet.
            std::thread::yield_now();
        }
        session.apply(Action::Choose(2));
        session.settle();
        assert_eq!((session.eye.companion(), session.frame().watched), (None, None));
        panel.apply(Action::Choose(1));
    }
}

#[test]
fn a_flock_that_is_flown_past_says_how_it_comes_back() {
    let mut panel = Panel::new("couzin");
    let hinted = |panel: &Panel| panel.painted().contains("F shows it");
    assert!(!hinted(&panel));
    panel.key_down(Key::D);
    let begun = panel.camera().target;
    while (panel.camera().target - begun).length() < 3.0 * panel.camera().distance {
        panel.step();
    }
    panel.key_up(Key::D);
    panel.run_ok();
    assert!(share(&panel, &panel.camera()) == 0.0 && hinted(&panel));
    panel.press(Key::F);
    assert!(share(&panel, &panel.camera()) > 0.9 && !hinted(&panel));
}

#[test]
fn flight_is_by_the_places_of_keys() {
    let mut panel = Panel::new("think");
    let mut flown = |character: Key, place: Key| {
        let before = panel.camera();
        key(&panel, character, place, true);
        panel.run_steps(3);
        key(&panel, character, place, false);
        panel.run_ok();
        let by = panel.camera().target - before.target;
        [by.dot(before.right()), by.dot(before.forward())].map(|along| along / before.distance)
    };
    // On AZERTY, Z is in the place of W and Q in that of A.
    let [_, forward] = flown(Key::Z, Key::W);
    let [right, _] = flown(Key::Q, Key::A);
    assert!(forward > 0.05 && right < -0.05, "{forward} {right}");
    // The key with a W on it lies below, and is none of them. On Colemak, R is in the place of S: it restarts.
    assert_eq!([flown(Key::W, Key::Z), flown(Key::R, Key::S)], [[0.0; 2]; 2]);
    // A key that is held while the window loses the focus does not fly on.
    key(&panel, Key::W, Key::W, true);
    panel.run_steps(2);
    panel.input_mut().focused = false;
    panel.run_ok();
    let left = panel.camera();
    panel.input_mut().focused = true;
    panel.run_steps(3);
    assert_eq!(panel.camera(), left);
}

#[test]
fn the_camera_holds_while_a_tool_draws_and_while_time_stands() {
    let mut panel = Panel::new("couzin");
    let drift = |session: &mut Session| session.eye.drift(0.0, 0.1, session.playback.playing);
    let moves = |panel: &mut Panel| {
        let before = panel.camera();
        // The flock is elsewhere, so a camera that follows is on its way.
        for _ in 0..5 {
            let session = panel.session();
            step(session, 1);
            session.apply(Action::Play(true));
            drift(session);
        }
        panel.session().apply(Action::Play(false));
        panel.camera() != before
    };
    assert!(moves(&mut panel), "the control");
    panel.press(Key::M);
    let place = pos2(200.0, 600.0);
    panel.hold(place, place);
    assert!(!moves(&mut panel), "a wall is drawn");
    panel.drop_at(place);
    panel.run_ok();
    assert!(moves(&mut panel), "the tool is let go");

    // On its way, at a pause.
    panel.settle();
    let still = panel.camera();
    for _ in 0..100 {
        drift(panel.session());
    }
    assert_eq!(panel.camera(), still);
    // The panel takes a part of the view, and gives it back.
    for folded in [true, false] {
        panel.press(Key::P);
        assert_eq!(panel.camera() == still, !folded);
    }
    // A single step moves it as in flight; what a person asks for moves it at a pause as well.
    step(panel.session(), 1);
    drift(panel.session());
    let stepped = panel.camera();
    assert_ne!(stepped, still);
    panel.press(Key::T);
    panel.press(Key::T);
    assert!(panel.state().eye.follows && panel.camera() != stepped);
}

/// The middle of the view of the preset cornell, which is the middle of its world.
const MIDDLE: Pos2 = pos2(460.0, 400.0);

#[test]
fn obstacles_are_placed_by_clicks_and_a_wall_by_a_drag_and_is_one_undo() {
    let mut panel = Panel::new("cornell");
    let before = panel.parameters();
    panel.press(Key::O);
    assert_eq!(panel.parameters(), before, "nothing was placed");
    panel.click_at(MIDDLE);
    let obstacles = panel.parameters().obstacles;
    let [sphere] = obstacles.spheres.as_slice() else { panic!("{obstacles:?}") };
    let [x, y, z] = sphere.position;
    assert!((x - 320.0).abs() < 20.0 && (y - 240.0).abs() < 20.0 && z == 0.0, "{x} {y} {z}");
    assert_eq!(obstacles.margin, panel.state().obstacle_radius());
    panel.press(Key::Backspace);
    let count = |panel: &Panel| panel.parameters().obstacles.spheres.as_slice().len();
    assert_eq!(count(&panel), 0);

    panel.press(Key::M);
    panel.drag_at(pos2(200.0, 300.0));
    panel.run();
    // However fast the pointer moves.
    for at in [215.0, 245.0, 785.0] {
        panel.hover_at(pos2(at, 300.0));
        panel.run();
    }
    panel.drop_at(pos2(785.0, 300.0));
    panel.run();
    assert!((8..=16).contains(&count(&panel)), "{}", count(&panel));
    panel.press_with(Modifiers::COMMAND, Key::Z);
    assert_eq!(count(&panel), 0);
}

#[test]
fn falcon_and_bait_leave_the_parameters_as_they_are() {
    let mut panel = Panel::new("cornell");
    let before = panel.parameters();
    panel.press(Key::X);
    panel.hover_at(MIDDLE);
    panel.run_ok();
    panel.settle();
    panel.apply(Action::Step);
    let [falcon] = panel.state().frame().predators.as_slice() else { panic!("a falcon") };
    let [x, y, _] = falcon.position;
    assert!((x - 320.0).abs() < 40.0 && (y - 240.0).abs() < 40.0, "{x} {y}");
    assert_eq!(panel.parameters(), before);
    // It stays as long as the pointer does, and leaves after it.
    panel.event(egui::Event::PointerGone);
    panel.run_ok();
    panel.session().apply(Action::Play(true));
    for _ in 0..100 {
        panel.session().tick(std::time::Duration::ZERO);
        panel.session().settle();
    }
    panel.apply(Action::Play(false));
    assert!(panel.state().frame().predators.is_empty());

    panel.press(Key::B);
    let distance_after_steps = |panel: &mut Panel| {
        step(panel.session(), 60);
        let centre = panel.state().frame().summary.expect("boids").centre;
        (centre[0] - 100.0).hypot(centre[1] - 100.0)
    };
    let far = distance_after_steps(&mut panel);
    let corner = pos2(146.0, 170.0);
    panel.hold(corner, corner);
    let near = distance_after_steps(&mut panel);
    assert!(near < far, "{near} {far}");
    panel.drop_at(corner);
    panel.run_ok();
    assert_eq!((panel.parameters(), panel.state().controls.tool), (before, Tool::Attract));
}

#[test]
fn a_carrot_acts_on_a_press_and_goes_with_its_tool() {
    let mut panel = Panel::new("cornell");
    let before = panel.parameters();
    panel.press(Key::G);
    panel.run_steps(3);
    assert_eq!(panel.parameters(), before, "nothing was pressed");
    panel.drag(pos2(600.0, 300.0), pos2(600.0, 300.0));
    panel.drag(pos2(400.0, 300.0), pos2(500.0, 200.0));
    let dragged = panel.parameters().attractor;
    assert!(
        dragged.weight > 0.0 && dragged.position[0] > 320.0 && dragged.position[1] < 240.0,
        "{dragged:?}"
    );
    panel.press(Key::Escape);
    assert_eq!((panel.parameters(), panel.state().controls.tool), (before, Tool::Camera));
    // Nothing is left to undo.
    let document = &panel.state().document;
    assert!(!document.can_undo() && !document.can_redo());
    // Values set in the panel meanwhile stay, and undone ones do not return.
    let session = panel.session();
    session.apply(Action::DragCarrot([30.0, 40.0, 0.0]));
    change(session, |p| p.attractor.weight = 0.75);
    change(session, |p| p.attractor.avoid ^= true);
    session.apply(Action::DragCarrot([50.0, 40.0, 0.0]));
    session.apply(Action::Tool(Tool::Camera));
    let kept = Attractor { weight: 0.75, avoid: !before.attractor.avoid, ..before.attractor };
    assert_eq!(session.document.parameters.attractor, kept);
    session.apply(Action::DragCarrot([30.0, 40.0, 0.0]));
    session.apply(Action::Undo);
    change(session, |p| p.attractor.position = [30.0, 40.0, 0.0]);
    session.apply(Action::Tool(Tool::Falcon));
    assert_eq!(session.document.parameters.attractor.position, [30.0, 40.0, 0.0]);
}

/// A finger that rests on the view for a second, or leaves it after a moment.
fn touch_at(panel: &mut Panel, pos: Pos2, rests: bool) {
    let touch = |phase| egui::Event::Touch {
        device_id: egui::TouchDeviceId(0),
        id: egui::TouchId(1),
        phase,
        pos,
        force: None,
    };
    panel.event(touch(egui::TouchPhase::Start));
    panel.drag_at(pos);
    // Each is a quarter of a second.
    panel.run_steps(if rests { 6 } else { 1 });
    panel.event(touch(egui::TouchPhase::End));
    panel.drop_at(pos);
    panel.run_steps(2);
    panel.settle();
}

#[test]
fn a_finger_that_rests_sets_the_carrot_and_a_tap_does_not() {
    let mut panel = Panel::new("cornell");
    let before = panel.parameters().attractor;
    touch_at(&mut panel, pos2(600.0, 300.0), false);
    assert_eq!(panel.parameters().attractor, before);
    panel.press(Key::Escape);
    touch_at(&mut panel, pos2(600.0, 300.0), true);
    let after = panel.parameters().attractor;
    // Right of the middle of the view, and above it.
    let [x, y, _] = after.position;
    assert!(after.weight > 0.0 && x > 330.0 && y < 220.0, "{after:?}");
    assert_eq!(panel.state().eye.companion(), None);
}

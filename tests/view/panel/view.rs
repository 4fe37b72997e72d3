//! Actions in the view: flying along with a bird, tools with a temporary effect, and the saved view.

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use flock::parameters::Attractor;
use scene::camera::Camera;
use window::frame::Boids;
use window::session::controls::{Page, Tool};
use window::session::{Action, Session};

use super::{Colour, change, click, painted, press, session, window};

/// Width of the view over its height: beside the panel.
const ASPECT: f32 = (1280.0 - 348.0) / 800.0;

pub(super) fn settle(window: &mut Harness<'_, Session>) {
    window.state_mut().settle();
    window.run_ok();
    window.state_mut().settle();
}

fn click_at(window: &mut Harness<'_, Session>, at: egui::Pos2) {
    window.drag_at(at);
    window.run_ok();
    window.drop_at(at);
    window.run_ok();
    settle(window);
}

/// Position of the boid at an index in the window, its id, and its position in the flock.
fn boid(window: &Harness<'_, Session>, index: usize) -> (egui::Pos2, u32, [f32; 3]) {
    let session = window.state();
    let Boids::Host(boids) = &session.frame().boids else { panic!("in memory") };
    let [x, y, z, _] = boids.position[index];
    let size = egui::vec2(1280.0 - 348.0, 800.0);
    let seen = session.eye.camera.project([x, y, z].into(), size.x / size.y).expect("before the eye");
    (egui::pos2(0.5 * (1.0 + seen.x) * size.x, 0.5 * (1.0 - seen.y) * size.y), boids.tag[index][0], [x, y, z])
}

#[test]
fn the_camera_flies_along_with_a_bird_that_is_clicked() {
    let mut window = window("cornell");
    let (at, id, _) = boid(&window, 7);
    click_at(&mut window, at);
    let found = window.state().eye.companion().expect("a bird").0;
    // Another may be as near to the pointer.
    assert!(found == id || window.state().eye.companion().is_some());
    for _ in 0..60 {
        window.state_mut().apply(Action::Step);
        settle(&mut window);
    }
    window.run_ok();
    // Rings on its place, one dark and one light, like the falcon's.
    let rings = painted(&window).1;
    let [dark, light] = rings.as_slice() else { panic!("{rings:?}") };
    assert_eq!((dark.center, dark.radius), (light.center, light.radius));
    let brightness = [dark, light].map(|ring| ring.stroke.color.intensity());
    assert!(brightness[0] < 0.1 && brightness[1] > 0.8 && dark.stroke.width > 2.0 * light.stroke.width);
    let (session, place) = (window.state(), window.state().eye.companion().expect("a bird").1);
    assert!((session.eye.camera.target - place).length() < 0.1 * session.eye.camera.distance);
    press(&mut window, Key::Escape);
    assert_eq!(window.state().eye.companion(), None);
    // A camera that a person had moved is where it was; it has been elsewhere.
    window.state_mut().eye.let_go();
    let moved = window.state().eye.camera;
    let (at, ..) = boid(&window, 7);
    click_at(&mut window, at);
    settle(&mut window);
    assert!(window.state().eye.companion().is_some() && window.state().eye.camera != moved);
    press(&mut window, Key::Escape);
    assert_eq!((window.state().eye.companion(), window.state().eye.camera), (None, moved));
}

#[test]
fn a_bird_that_was_clicked_just_before_another_flock_is_not_followed_there() {
    let mut window = window("cornell");
    for wait in [false, true] {
        let (at, ..) = boid(&window, 7);
        let session = window.state_mut();
        let pointer = glam::Vec2::new(2.0 * at.x / (1280.0 - 348.0) - 1.0, 1.0 - 2.0 * at.y / 800.0);
        session.apply(Action::FlyAlong(pointer, 800.0));
        while wait && !session.flight.worker.idle() {
            // The engine has found it, and the session does not know yet.
            std::thread::yield_now();
            if session.flight.worker.report().is_some() {
                break;
            }
        }
        session.apply(Action::Choose(2));
        session.settle();
        assert_eq!((session.eye.companion(), session.frame().watched), (None, None));
        session.apply(Action::Choose(1));
        settle(&mut window);
    }
}

#[test]
fn a_flock_that_grows_stays_in_view() {
    let mut window = window("think");
    let before = window.state().eye.camera;
    let (density, boids) = ("flock.density", "flock.boids");
    let find = |name: &str| flock::parameters::find(name).expect(name);
    window.state_mut().apply(Action::Set(find(density), flock::parameters::Value::Choice("keep")));
    let more = 8 * window.state().document.parameters.flock.boids;
    window.state_mut().apply(Action::Set(find(boids), flock::parameters::Value::Count(more)));
    window.run();
    settle(&mut window);
    let after = window.state().eye.camera;
    // The larger flock may leave a stray or two out of the picture.
    assert!((after.distance / before.distance - 2.0).abs() < 0.2, "{} {}", after.distance, before.distance);
    assert_eq!((after.yaw, after.pitch), (before.yaw, before.pitch));
    // Wherever it has flown: a restart takes the camera along.
    let session = window.state_mut();
    session.eye.camera.target.x += 1e4;
    session.apply(Action::Restart);
    session.settle();
    assert!((session.eye.camera.target - after.target).length() < 0.1 * after.distance);
}

/// The share of the boids in the view, by a camera.
pub(super) fn share(window: &Harness<'_, Session>, camera: &Camera) -> f64 {
    let Boids::Host(boids) = &window.state().frame().boids else { panic!("in memory") };
    let seen = |at: &&[f32; 4]| {
        let seen = camera.project([at[0], at[1], at[2]].into(), ASPECT);
        seen.is_some_and(|seen| seen.abs().max_element() <= 1.0)
    };
    boids.position.iter().filter(seen).count() as f64 / boids.position.len() as f64
}

#[test]
fn a_million_boids_are_in_view_when_the_slider_goes_there_from_5000() {
    let mut window = window("murmuration");
    let boids = flock::parameters::find("flock.boids").expect("a parameter");
    let mut grow = |count| {
        window.state_mut().apply(Action::Set(boids, flock::parameters::Value::Count(count)));
        window.run();
        settle(&mut window);
        window.state().eye.camera
    };
    let (small, large) = (grow(5000), grow(1_000_000));
    assert_eq!(window.state().frame().boids.count(), 1_000_000);
    assert!(share(&window, &large) > 0.99, "{}", share(&window, &large));
    // The control: the camera as it was before.
    assert!(share(&window, &small) < 0.8, "{}", share(&window, &small));
}

#[test]
fn a_wall_is_drawn_by_a_drag_and_is_one_undo() {
    let mut window = window("cornell");
    press(&mut window, Key::M);
    window.drag_at(egui::pos2(200.0, 300.0));
    window.run();
    // However fast the pointer moves.
    for step in [1, 3, 39] {
        window.hover_at(egui::pos2(200.0 + 15.0 * step as f32, 300.0));
        window.run();
    }
    window.drop_at(egui::pos2(785.0, 300.0));
    window.run();
    let count =
        |window: &Harness<'_, Session>| window.state().document.parameters.obstacles.spheres.as_slice().len();
    assert!((8..=16).contains(&count(&window)), "{}", count(&window));
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run();
    assert_eq!(count(&window), 0);
}

#[test]
fn falcon_and_bait_leave_the_parameters_as_they_are() {
    let mut window = window("cornell");
    let before = window.state().document.parameters;
    let at = egui::pos2(460.0, 400.0);
    press(&mut window, Key::X);
    window.hover_at(at);
    window.run_ok();
    settle(&mut window);
    window.state_mut().apply(Action::Step);
    settle(&mut window);
    assert_eq!(window.state().frame().predators.len(), 1);
    let hawk = window.state().frame().predators[0].position;
    assert!((hawk[0] - 320.0).abs() < 40.0 && (hawk[1] - 240.0).abs() < 40.0, "{hawk:?}");
    assert_eq!(window.state().document.parameters, before);
    // It stays as long as the pointer does, and leaves after it.
    window.event(egui::Event::PointerGone);
    window.run_ok();
    window.state_mut().apply(Action::Play(true));
    for _ in 0..100 {
        window.state_mut().tick(std::time::Duration::ZERO);
        window.state_mut().settle();
    }
    window.state_mut().apply(Action::Play(false));
    settle(&mut window);
    assert!(window.state().frame().predators.is_empty());

    press(&mut window, Key::B);
    let step_and_measure = |window: &mut Harness<'_, Session>| {
        for _ in 0..60 {
            window.state_mut().apply(Action::Step);
            settle(window);
        }
        let centre = window.state().frame().summary.expect("boids").centre;
        (centre[0] - 100.0).hypot(centre[1] - 100.0)
    };
    let far = step_and_measure(&mut window);
    let (corner, _) = (egui::pos2(146.0, 170.0), ());
    window.drag_at(corner);
    window.run_ok();
    let near = step_and_measure(&mut window);
    assert!(near < far, "{near} {far}");
    window.drop_at(corner);
    window.run_ok();
    assert_eq!((window.state().document.parameters, window.state().controls.tool), (before, Tool::Attract));
}

#[test]
fn a_carrot_acts_on_a_press_and_goes_with_its_tool() {
    let mut window = window("cornell");
    let before = window.state().document.parameters;
    press(&mut window, Key::G);
    window.run_steps(3);
    assert_eq!(
        (window.state().document.parameters, window.state().controls.tool),
        (before, Tool::Carrot),
        "nothing was pressed"
    );
    for at in [egui::pos2(600.0, 300.0), egui::pos2(500.0, 200.0)] {
        window.drag_at(at);
        window.run_ok();
        window.drop_at(at);
        window.run_ok();
    }
    let dragged = window.state().document.parameters.attractor;
    assert!(dragged.weight > 0.0 && dragged.position != before.attractor.position, "{dragged:?}");
    press(&mut window, Key::Escape);
    assert_eq!((window.state().document.parameters, window.state().controls.tool), (before, Tool::Camera));
    // Nothing is left to undo.
    window.run_ok();
    assert_eq!(window.state().document.undo_ways(), [false; 2]);
    // Values set in the panel meanwhile stay, and undone ones do not return.
    let session = window.state_mut();
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

#[test]
fn charts_are_measured_while_they_are_shown_and_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window("cornell");
    window.state_mut().controls.folder = folder.path().join("made").display().to_string();
    window.state_mut().apply(Action::Page(Page::Charts));
    window.run();
    let begun = std::time::Instant::now();
    while window.state().frame().measured.is_none() {
        window.state_mut().apply(Action::Step);
        settle(&mut window);
        assert!(begun.elapsed().as_secs() < 60);
    }
    for name in ["Milling", "Groups", "Nearest neighbour"] {
        assert!(window.query_by_label(name).is_some(), "{name}");
    }
    click(&mut window, "Save as CSV");
    let file = folder.path().join("made").join("murmuration-cornell-charts.csv");
    let text = std::fs::read_to_string(file).expect("saved");
    assert!(text.lines().count() > 1 && text.starts_with("step,polarization,milling,groups,nearest_mean"));
}

#[test]
fn keys_with_shift_are_others_than_without() {
    let mut window = window("cornell");
    press(&mut window, Key::Period);
    window.state_mut().apply(Action::Page(Page::File));
    for label in ["End the film", "Record a film"] {
        window.key_press_modifiers(Modifiers::SHIFT, Key::R);
        window.run();
        assert!(window.query_by_label(label).is_some(), "{label}");
    }
    // It did not restart.
    assert_eq!(window.state().frame().step, 1);
    window.key_press_modifiers(Modifiers::SHIFT, Key::O);
    window.run_ok();
    assert!(window.state().eye.orbits && window.state().controls.tool == Tool::Camera);
    press(&mut window, Key::F11);
    assert!(window.state().controls.full_screen);
    press(&mut window, Key::F11);
    assert!(!window.state().controls.full_screen);
}

/// The width of the panel: the view's right edge is its left one.
fn panel_width(window: &Harness<'_, Session>) -> f32 {
    let [whole, restart] = [window.ctx.content_rect(), window.get_by_label("Flock").rect()];
    whole.right() - restart.left()
}

#[test]
fn a_panel_that_a_narrow_window_squeezed_is_wide_again() {
    let mut window = window("cornell");
    let (before, camera) = (panel_width(&window), window.state().eye.camera);
    window.set_size(egui::vec2(480.0, 360.0));
    window.run();
    // The paused flock is in the picture, too.
    let narrow = window.state().eye.camera.distance;
    assert!(narrow > 1.5 * camera.distance, "{narrow} {}", camera.distance);
    assert!(panel_width(&window) < before - 30.0, "squeezed to {}", panel_width(&window));
    window.set_size(egui::vec2(1280.0, 800.0));
    window.run();
    assert_eq!((panel_width(&window), window.state().eye.camera), (before, camera));
    // On the narrowest phones all of it is in the window, and the tab that folds it.
    window.set_size(egui::vec2(280.0, 653.0));
    window.run();
    for name in ["›", "Reset", "File", "Keys"] {
        let place = window.get_by_label(name).rect();
        assert!(window.ctx.content_rect().contains_rect(place), "{name} at {place:?}");
    }
}

#[test]
fn the_sheet_of_keys_shows_all_of_them_where_there_is_room() {
    let mut window = window("cornell");
    press(&mut window, Key::H);
    let layer = window.ctx.layer_id_at(window.ctx.content_rect().center()).expect("a sheet");
    let sheet = window.ctx.memory(|memory| memory.area_rect(layer.id)).expect("its place");
    assert!(window.ctx.content_rect().contains_rect(sheet) && sheet.width() < 1000.0);
    for line in
        ["play or pause", "this sheet", "leave the sheet, the boid or the tool", "zoom to the pointer"]
    {
        let place = window.get_by_label(line).rect();
        assert!(sheet.contains_rect(place), "{line} at {place:?}, in {sheet:?}");
    }
}

#[test]
fn colourings_say_what_they_mean() {
    let mut window = window("cornell");
    window.state_mut().apply(Action::Page(Page::View));
    window.run();
    click(&mut window, "group");
    assert!(window.query_by_label_contains("right are amber").is_some());
    click(&mut window, "speed");
    assert!(window.query_by_label_contains("the limits of the speed").is_some());
    change(window.state_mut(), |p| p.motion.min_speed = p.motion.max_speed);
    window.run();
    assert!(window.query_by_label_contains("All at one speed").is_some());
    press(&mut window, Key::Num6);
    window.run();
    click(&mut window, "group");
    assert!(window.query_by_label_contains("has no scouts").is_some());
}

#[test]
fn a_flock_of_groups_opens_coloured_by_them_until_another_colouring_is_chosen() {
    let mut session = session("cornell");
    assert_eq!(session.eye.look.colour, Colour::Heading);
    let text = "preset = \"cornell\"\n[flock]\ngroups = [1, 2]\n[scouts]\nleft = 0\nright = 0";
    let groups = Action::LoadText("groups".to_owned(), text.to_owned());
    session.apply(groups.clone());
    assert_eq!(session.eye.look.colour, Colour::Group);
    session.apply(Action::Choose(0));
    assert_eq!(session.eye.look.colour, Colour::Heading);
    session.eye.look.colour = Colour::Speed;
    session.apply(groups);
    assert_eq!(session.eye.look.colour, Colour::Speed);
}

#[test]
fn a_low_window_scrolls_its_whole_panel() {
    let mut window = window("cornell");
    window.set_size(egui::vec2(667.0, 300.0));
    window.state_mut().apply(Action::Page(Page::File));
    window.run();
    let seen = |window: &Harness<'_, Session>, label| {
        window.ctx.content_rect().contains_rect(window.get_by_label(label).rect())
    };
    assert!(seen(&window, "Undo") && !seen(&window, "Save"));
    window.hover_at(egui::pos2(500.0, 120.0));
    window.run();
    window.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(0.0, -250.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    });
    window.run();
    assert!(seen(&window, "Save") && !seen(&window, "Undo"));
}

#[test]
fn the_camera_holds_while_a_tool_draws_and_while_time_stands() {
    let mut window = window("couzin");
    window.run();
    let moved = |window: &mut Harness<'_, Session>| {
        let before = window.state().eye.camera;
        // The flock is elsewhere, so a camera that follows is on its way.
        for _ in 0..5 {
            window.state_mut().apply(Action::Step);
            window.state_mut().settle();
            window.state_mut().apply(Action::Play(true));
            let session = window.state_mut();
            session.eye.drift(0.0, 0.1, session.flight.playing);
        }
        window.state().eye.camera != before
    };
    assert!(moved(&mut window), "the control");
    window.state_mut().apply(Action::Play(false));
    press(&mut window, Key::M);
    window.drag_at(egui::pos2(200.0, 600.0));
    window.run_ok();
    assert!(!moved(&mut window), "a wall is drawn");
    window.state_mut().apply(Action::Play(false));
    window.drop_at(egui::pos2(200.0, 600.0));
    window.run_ok();
    assert!(moved(&mut window), "the tool is let go");

    // On its way, at a pause.
    window.state_mut().apply(Action::Play(false));
    settle(&mut window);
    let still = window.state().eye.camera;
    let session = window.state_mut();
    for _ in 0..100 {
        session.eye.drift(0.0, 0.1, session.flight.playing);
    }
    assert_eq!(session.eye.camera, still);
    // The panel takes a part of the view, and gives it back.
    for folded in [true, false] {
        press(&mut window, Key::P);
        window.run_ok();
        assert_eq!(window.state().eye.camera == still, !folded);
    }
    let session = window.state_mut();
    // A single step moves it as in flight; what a person asks for moves it at a pause as well.
    session.apply(Action::Step);
    session.settle();
    session.eye.drift(0.0, 0.1, session.flight.playing);
    assert_ne!(session.eye.camera, still);
    let stepped = session.eye.camera;
    press(&mut window, Key::T);
    press(&mut window, Key::T);
    assert!(window.state().eye.follows && window.state().eye.camera != stepped);
}

#[test]
fn a_flock_that_is_flown_past_says_how_it_comes_back() {
    let mut window = window("couzin");
    let hinted = |window: &Harness<'_, Session>| painted(window).0.contains("F shows it");
    assert!(!hinted(&window));
    window.key_down(Key::D);
    let begun = window.state().eye.camera.target;
    while (window.state().eye.camera.target - begun).length() < 3.0 * window.state().eye.camera.distance {
        window.step();
    }
    window.key_up(Key::D);
    window.run_ok();
    assert!(share(&window, &window.state().eye.camera) == 0.0 && hinted(&window));
    press(&mut window, Key::F);
    settle(&mut window);
    assert!(share(&window, &window.state().eye.camera) > 0.9 && !hinted(&window));
}

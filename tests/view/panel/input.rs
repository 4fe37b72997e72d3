//! Input besides mouse and keys: fingers, and files that are dropped.

use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use window::session::Session;
use window::theme;

use super::{press, window};

/// A finger that rests on the view for a second, or leaves it after a moment.
fn touch_at(window: &mut Harness<'_, Session>, pos: egui::Pos2, rests: bool) {
    let touch = |phase| egui::Event::Touch {
        device_id: egui::TouchDeviceId(0),
        id: egui::TouchId(1),
        phase,
        pos,
        force: None,
    };
    window.event(touch(egui::TouchPhase::Start));
    window.drag_at(pos);
    // Each is a quarter of a second.
    window.run_steps(if rests { 6 } else { 1 });
    window.event(touch(egui::TouchPhase::End));
    window.drop_at(pos);
    window.run_steps(2);
    window.state_mut().settle();
    window.run_ok();
}

#[test]
fn a_finger_that_rests_sets_the_carrot_and_a_tap_does_not() {
    let mut window = window("cornell");
    let before = window.state().document.parameters.attractor;
    let at = egui::pos2(600.0, 300.0);
    touch_at(&mut window, at, false);
    assert_eq!(window.state().document.parameters.attractor, before);
    press(&mut window, Key::Escape);
    touch_at(&mut window, at, true);
    let after = window.state().document.parameters.attractor;
    assert!(after.weight > 0.0 && after.position != before.position, "{after:?}");
    // Right of the middle of the view, and above it.
    let [x, y, _] = after.position;
    assert!(x > 330.0 && y < 220.0, "{x} {y}");
    assert_eq!(window.state().eye.companion(), None);
}

/// A file that is dropped, by its path.
#[derive(Debug)]
struct Dropped(std::path::PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
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
    let mut window = window("think");
    for (text, weight, said) in
        [("[cohesion]\nweight = 2.5\n", 2.5, "loaded"), ("[cohesion]\nweigth = 1\n", 2.5, "weigth")]
    {
        std::fs::write(&file, text).expect("a file");
        window.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(file.clone())));
        window.run();
        window.state_mut().settle();
        assert_eq!(window.state().document.parameters.cohesion.weight, weight);
        let message = window
            .state()
            .controls
            .message
            .as_ref()
            .map(|message| format!("{message:?}"))
            .unwrap_or_default();
        assert!(message.contains(said), "{message}");
    }
}

/// A key with this character, in the place where a US keyboard has another one.
fn key(window: &Harness<'_, Session>, character: Key, place: Key, pressed: bool) {
    let modifiers = egui::Modifiers::NONE;
    window.event(egui::Event::Key {
        key: character,
        physical_key: Some(place),
        pressed,
        repeat: false,
        modifiers,
    });
}

#[test]
fn digits_are_by_their_places_on_a_keyboard_that_has_them_with_shift() {
    let mut window = window("cornell");
    // The top row of AZERTY, without Shift: ' is at 4 and - at 6; é has no name.
    for (character, place, index) in
        [(Key::Quote, Key::Num4, 3), (Key::Minus, Key::Num6, 5), (Key::Num2, Key::Num2, 1)]
    {
        key(&window, character, place, true);
        key(&window, character, place, false);
        window.run();
        window.state_mut().settle();
        assert_eq!(window.state().document.preset, Some(index), "{character:?} at {place:?}");
    }
    // A number pad that moves the cursor chooses nothing.
    key(&window, Key::ArrowLeft, Key::Num4, true);
    window.run();
    assert_eq!(window.state().document.preset, Some(1));
}

#[test]
fn flight_is_by_the_places_of_keys() {
    let mut window = window("think");
    let mut flown = |character: Key, place: Key| {
        let before = window.state().eye.camera;
        key(&window, character, place, true);
        window.run_steps(3);
        key(&window, character, place, false);
        window.run_ok();
        let by = window.state().eye.camera.target - before.target;
        [by.dot(before.right()), by.dot(before.forward())].map(|along| along / before.distance)
    };
    // On AZERTY, Z is in the place of W and Q in that of A.
    let [_, forward] = flown(Key::Z, Key::W);
    let [right, _] = flown(Key::Q, Key::A);
    assert!(forward > 0.05 && right < -0.05, "{forward} {right}");
    // The key with a W on it lies below, and is none of them.
    assert_eq!(flown(Key::W, Key::Z), [0.0; 2]);
    // On Colemak, R is in the place of S: it restarts, as the sheet says.
    assert_eq!(flown(Key::R, Key::S), [0.0; 2]);
    // A key that is held while the window loses the focus does not fly on.
    key(&window, Key::W, Key::W, true);
    window.run_steps(2);
    window.input_mut().focused = false;
    window.run_ok();
    let left = window.state().eye.camera;
    window.input_mut().focused = true;
    window.run_steps(3);
    assert_eq!(window.state().eye.camera, left);
}

#[test]
fn the_keyboard_s_focus_is_seen_and_a_choice_by_a_key_closes_its_list() {
    let mut window = window("cornell");
    let outlined = |window: &Harness<'_, Session>, rect: egui::Rect| {
        window.output().shapes.iter().any(|clipped| match &clipped.shape {
            egui::Shape::Rect(shape) => {
                shape.stroke == theme::FOCUS && rect.expand(3.0).contains_rect(shape.rect)
            }
            _ => false,
        })
    };
    for name in ["Play", "Step", "Presets"] {
        let rect = window.get_by_label(name).rect();
        assert!(!outlined(&window, rect), "{name} has no focus");
        window.get_by_label(name).focus();
        window.run();
        assert!(outlined(&window, rect), "{name} has the focus");
    }
    press(&mut window, Key::Enter);
    let card = window.get_by_label("yabi").rect();
    window.get_by_label("yabi").focus();
    window.run();
    assert!(outlined(&window, card), "the card has the focus");
    press(&mut window, Key::Enter);
    assert_eq!(window.state().document.name(), "yabi");
    assert!(window.query_by_label("yabi").is_none(), "the gallery is closed");
    // So does a list of words.
    window.get_by_label("separation.falloff").focus();
    press(&mut window, Key::Enter);
    assert!(egui::Popup::is_any_open(&window.ctx));
    let before = window.state().document.parameters.separation.falloff;
    window.get_by_label("inverse").focus();
    press(&mut window, Key::Enter);
    assert_ne!(window.state().document.parameters.separation.falloff, before);
    assert!(!egui::Popup::is_any_open(&window.ctx), "the list is closed");
}

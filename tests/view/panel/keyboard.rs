//! Everything is reached and used by keys: only the last of these tests moves the pointer, to show that it takes over.

use std::collections::BTreeSet;

use egui::accesskit::Role;
use egui::{Key, Modifiers, Rect};
use egui_kittest::kittest::{AccessKitNode, NodeT as _, Queryable as _};
use flock::parameters::Sphere;
use window::session::Action;
use window::session::controls::{Page, Tool};
use window::theme;

use super::playback::key;
use super::{Panel, step};

fn is_focused(node: &AccessKitNode<'_>) -> bool {
    node.is_focused()
}

/// The roles of widgets that a person uses.
pub(super) const USED: [Role; 8] = [
    Role::Button,
    Role::CheckBox,
    Role::ComboBox,
    Role::Link,
    Role::Slider,
    Role::SpinButton,
    Role::TextInput,
    Role::MultilineTextInput,
];

/// Role and label of the widget that has the focus, and its place.
fn focused(panel: &Panel) -> Option<(String, Rect)> {
    let id = panel.ctx.memory(egui::Memory::focused)?;
    let rect = panel.ctx.read_response(id)?.rect;
    let mut nodes = panel.query_all_by(is_focused);
    let name = nodes.next().map_or_else(String::new, |node| name(&node));
    Some((name, rect))
}

fn name(node: &egui_kittest::Node<'_>) -> String {
    let node = node.accesskit_node();
    format!("{:?} {}", node.role(), node.label().or(node.value()).unwrap_or_default())
}

/// True if the outline of the focus is drawn around this place, and nothing hides a part of it.
fn outlined(panel: &Panel, rect: Rect) -> bool {
    panel.output().shapes.iter().any(|clipped| match &clipped.shape {
        egui::Shape::Rect(shape) => {
            shape.stroke == theme::FOCUS
                && rect.expand(3.0).contains_rect(shape.rect)
                && clipped.clip_rect.expand(1.0).contains_rect(shape.rect)
        }
        _ => false,
    })
}

/// Opens every section of parameters that is closed at first.
pub(super) fn open_sections(panel: &mut Panel) {
    let mut opened = vec!["separation", "alignment", "cohesion"];
    for parameter in flock::parameters::PARAMETERS {
        if !opened.contains(&parameter.table) {
            opened.push(parameter.table);
            let header = parameter.table.replace('_', " ");
            panel.query_all_by_label(&header).next().expect("its header").click();
            panel.run_ok();
        }
    }
}

#[test]
fn tab_reaches_every_widget_of_every_page_and_its_focus_is_seen() {
    let mut panel = Panel::new("cornell");
    for page in [Page::View, Page::Charts, Page::File, Page::Flock] {
        panel.apply(Action::Page(page));
        let mut wanted = BTreeSet::new();
        for node in panel.query_all_by(|node| USED.contains(&node.role())) {
            if !node.accesskit_node().is_disabled() {
                wanted.insert(name(&node));
            }
        }
        let mut met = BTreeSet::new();
        for _ in 0..2 * wanted.len() + 8 {
            panel.press(Key::Tab);
            let Some((name, rect)) = focused(&panel) else { continue };
            assert!(outlined(&panel, rect), "{page:?}: the focus of {name} at {rect} is not seen");
            met.insert(name);
        }
        let missed: Vec<_> = wanted.difference(&met).collect();
        assert!(missed.is_empty() && wanted.len() > 10, "{page:?}: {missed:?}");
    }
    // Escape leaves the panel first, then the tool.
    panel.press(Key::Escape);
    panel.press(Key::O);
    panel.get_by_label("Restart").focus();
    panel.run();
    panel.press(Key::Escape);
    assert_eq!((focused(&panel).map(|(name, _)| name), panel.state().controls.tool), (None, Tool::Obstacle));
    panel.press(Key::Escape);
    assert_eq!(panel.state().controls.tool, Tool::Camera);
}

/// Presses Tab until the widget with this role and label has the focus.
fn tab_to(panel: &mut Panel, wanted: &str) {
    for _ in 0..300 {
        if focused(panel).is_some_and(|(name, _)| name == wanted) {
            return;
        }
        panel.press(Key::Tab);
    }
    panic!("{wanted} is not reached");
}

#[test]
fn every_kind_of_widget_is_used_by_keys() {
    let mut panel = Panel::new("cornell");
    panel.change(|p| p.separation.radius += 1.0);
    let before = panel.parameters().separation;
    tab_to(&mut panel, "Slider separation.weight");
    panel.press(Key::ArrowRight);
    assert!(panel.parameters().separation.weight > before.weight);
    tab_to(&mut panel, "Button restore separation.weight");
    panel.press(Key::Enter);
    // It alone goes back to the preset's.
    assert_eq!(panel.parameters().separation, before);
    assert!(!panel.has("restore separation.weight"));
    tab_to(&mut panel, "SpinButton separation.weight");
    panel.event(egui::Event::Text("0.5".to_owned()));
    panel.run();
    panel.press(Key::Enter);
    assert_eq!(panel.parameters().separation.weight, 0.5);
    tab_to(&mut panel, "CheckBox separation.average");
    panel.press(Key::Space);
    assert_ne!(panel.parameters().separation.average, before.average);
    assert_eq!(panel.state().playback.sent_parameters, panel.parameters());
    tab_to(&mut panel, "ComboBox separation.falloff");
    panel.press(Key::Enter);
    panel.press(Key::Tab);
    panel.press(Key::Tab);
    panel.press(Key::Enter);
    assert_ne!(panel.parameters().separation.falloff, before.falloff);
    assert!(!egui::Popup::is_any_open(&panel.ctx));
    tab_to(&mut panel, "DisclosureTriangle obstacles");
    assert!(!panel.has("obstacles.weight"));
    panel.press(Key::Space);
    assert!(panel.has("obstacles.weight"));
    tab_to(&mut panel, "Button Add a term");
    panel.press(Key::Enter);
    panel.press(Key::Tab);
    panel.press(Key::Enter);
    assert_eq!(panel.parameters().terms.terms().len(), 1);
    tab_to(&mut panel, "Link Fewer parameters");
    panel.press(Key::Enter);
    assert!(!panel.state().controls.open.all);
    tab_to(&mut panel, "Button View");
    panel.press(Key::Space);
    // The button has taken it: the flock does not play.
    assert_eq!((panel.state().controls.page, panel.state().playback.playing), (Page::View, false));
}

#[test]
fn arrows_walk_through_the_gallery_by_place_and_enter_takes_a_preset() {
    // The middle of the second row.
    let mut panel = Panel::new(config::presets::PRESETS[4].name);
    panel.get_by_label("Presets").focus();
    panel.run();
    let before = panel.state().document.preset.expect("a preset");
    panel.press(Key::Enter);
    assert_eq!(panel.state().document.preset, Some(before));
    let tile = |panel: &Panel| focused(panel).expect("a tile").1;
    let start = tile(&panel);
    let current = config::presets::PRESETS[4].name;
    assert_eq!(panel.get_by_label(current).rect(), start, "the current preset has the focus");
    // There and back, by place.
    for (key, back, way) in [
        (Key::ArrowUp, Key::ArrowDown, egui::vec2(0.0, -1.0)),
        (Key::ArrowLeft, Key::ArrowRight, egui::vec2(-1.0, 0.0)),
    ] {
        let from = tile(&panel);
        panel.press(key);
        let by = tile(&panel).center() - from.center();
        assert!(by.normalized().dot(way) > 0.999, "{key:?}: {by}");
        panel.press(back);
        assert_eq!(tile(&panel), from);
    }
    panel.press(Key::ArrowUp);
    panel.press(Key::Enter);
    assert_eq!(panel.state().document.preset, Some(before - 3));
    assert!(!egui::Popup::is_any_open(&panel.ctx), "the gallery is closed");
    assert!(focused(&panel).is_some_and(|(name, _)| name.ends_with("Presets")), "{:?}", focused(&panel));
    // The last row leads to the lessons, and Escape closes the gallery.
    panel.press(Key::Enter);
    let mut names = Vec::new();
    for _ in 0..6 {
        panel.press(Key::ArrowDown);
        names.extend(focused(&panel).map(|(name, _)| name));
    }
    let first = names.iter().position(|name| name.contains("First lesson")).expect("the first lesson");
    assert!(names[first + 1].contains("Questions about five flocks"), "{names:?}");
    panel.press(Key::Escape);
    assert!(!egui::Popup::is_any_open(&panel.ctx));
}

/// Holds a key for a number of frames.
fn hold(panel: &mut Panel, modifiers: Modifiers, key: Key, frames: usize) {
    panel.event(egui::Event::ModifiersChanged(modifiers));
    let event = |pressed| egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
    panel.event(event(true));
    panel.run_steps(frames);
    panel.event(event(false));
    panel.event(egui::Event::ModifiersChanged(Modifiers::NONE));
    panel.run_ok();
    panel.settle();
}

#[test]
fn keys_turn_shift_and_zoom_the_camera() {
    let mut panel = Panel::new("couzin");
    let first = panel.camera();
    hold(&mut panel, Modifiers::NONE, Key::ArrowRight, 3);
    let turned = panel.camera();
    assert!(turned.yaw != first.yaw && turned.pitch == first.pitch && turned.target == first.target);
    hold(&mut panel, Modifiers::NONE, Key::ArrowUp, 3);
    assert!(panel.camera().eye().y > turned.eye().y, "the camera rises");
    let risen = panel.camera();
    hold(&mut panel, Modifiers::NONE, Key::Plus, 3);
    let near = panel.camera();
    assert!(near.distance < risen.distance);
    hold(&mut panel, Modifiers::NONE, Key::Minus, 3);
    assert!(panel.camera().distance > near.distance);
    let before = panel.camera();
    hold(&mut panel, Modifiers::SHIFT, Key::ArrowRight, 3);
    let shifted = panel.camera();
    assert!((shifted.target - before.target).dot(before.right()) > 0.0 && shifted.yaw == before.yaw);
    // The minus of AZERTY has the place of 6: it is a preset's key. The plus of QWERTZ has the place of ].
    let before = panel.camera();
    key(&panel, Key::Plus, Key::CloseBracket, true);
    panel.run_steps(2);
    key(&panel, Key::Plus, Key::CloseBracket, false);
    panel.run_ok();
    assert!(panel.camera().distance < before.distance);
    // A short press counts, and a press in the panel does not.
    panel.press(Key::ArrowLeft);
    assert_ne!(panel.camera().yaw, before.yaw);
    let still = panel.camera();
    panel.get_by_label("Restart").focus();
    panel.run();
    panel.press(Key::ArrowLeft);
    assert_eq!(panel.camera(), still);
    // Tab reaches the view, where arrows turn the camera again.
    let is_in_view =
        |panel: &Panel| panel.ctx.memory(egui::Memory::focused) == Some(egui::Id::unique("view"));
    for _ in 0..200 {
        if !is_in_view(&panel) {
            panel.press(Key::Tab);
        }
    }
    hold(&mut panel, Modifiers::NONE, Key::ArrowLeft, 3);
    assert!(panel.camera() != still && is_in_view(&panel));
}

#[test]
fn page_keys_scroll_the_panel_and_the_sheet_of_keys() {
    let mut panel = Panel::new("couzin");
    panel.set_size(egui::vec2(1280.0, 520.0));
    let top = |panel: &Panel, label: &str| panel.get_by_label(label).rect().top();
    panel.get_by_label("Fewer parameters").focus();
    panel.run();
    let before = top(&panel, "Fewer parameters");
    let camera = panel.camera();
    panel.press(Key::PageDown);
    assert!(top(&panel, "Fewer parameters") < before - 100.0, "{} {before}", top(&panel, "Fewer parameters"));
    assert_eq!(panel.camera(), camera);
    panel.press(Key::Escape);
    // The sheet of keys on a small screen.
    panel.set_size(egui::vec2(360.0, 360.0));
    panel.press(Key::H);
    let (camera, line) = (panel.camera(), top(&panel, "play or pause"));
    panel.press(Key::ArrowDown);
    assert!(top(&panel, "play or pause") < line && panel.camera() == camera);
}

fn spheres(panel: &Panel) -> Vec<Sphere> {
    panel.parameters().obstacles.spheres.as_slice().to_vec()
}

#[test]
fn every_tool_is_used_by_arrows_and_enter() {
    let mut panel = Panel::new("cornell");
    let (before, camera) = (panel.parameters(), panel.camera());
    // Enter uses the tool in the middle of the view, before an arrow moves the mark.
    panel.press(Key::O);
    panel.press(Key::Enter);
    hold(&mut panel, Modifiers::NONE, Key::ArrowRight, 3);
    panel.press(Key::Enter);
    let [first, second] = spheres(&panel)[..] else { panic!("{:?}", spheres(&panel)) };
    assert!((first.position[0] - 320.0).abs() < 20.0 && (first.position[1] - 240.0).abs() < 20.0);
    assert!(second.position[0] > first.position[0] + 20.0 && second.position[1] == first.position[1]);
    panel.press(Key::Backspace);
    panel.press(Key::Backspace);
    // Enter held with an arrow draws a wall, which is one entry of the history.
    panel.press(Key::M);
    panel.key_down(Key::Enter);
    panel.run_steps(2);
    hold(&mut panel, Modifiers::NONE, Key::ArrowUp, 10);
    panel.key_up(Key::Enter);
    panel.run_ok();
    assert!(spheres(&panel).len() > 3, "{:?}", spheres(&panel));
    panel.press_with(Modifiers::COMMAND, Key::Z);
    assert_eq!(spheres(&panel), []);
    // A carrot is dragged, and leaves with its tool.
    panel.press(Key::Escape);
    let plain = panel.parameters();
    panel.press(Key::G);
    panel.key_down(Key::Enter);
    panel.run_steps(2);
    hold(&mut panel, Modifiers::NONE, Key::ArrowDown, 3);
    panel.key_up(Key::Enter);
    panel.run_ok();
    let carrot = panel.parameters().attractor;
    assert!(carrot.weight > 0.0 && carrot != plain.attractor, "{carrot:?}");
    panel.press(Key::Escape);
    assert_eq!(panel.parameters(), plain);
    // The flock comes while Enter is held.
    panel.press(Key::B);
    panel.key_down(Key::Enter);
    panel.run_steps(2);
    assert_ne!(panel.state().playback.sent_parameters.attractor, plain.attractor);
    panel.key_up(Key::Enter);
    panel.run_ok();
    assert_eq!(panel.state().playback.sent_parameters.attractor, plain.attractor);
    // The falcon is where the mark is.
    panel.press(Key::X);
    hold(&mut panel, Modifiers::NONE, Key::ArrowLeft, 1);
    step(panel.session(), 1);
    let [falcon] = panel.state().frame().predators.as_slice() else { panic!("a falcon") };
    assert!(falcon.position[0].is_finite());
    assert_eq!((panel.parameters(), panel.camera()), (plain, camera));
    assert_eq!(before.flock, plain.flock);
}

#[test]
fn the_pointer_takes_over_from_the_mark() {
    let mut panel = Panel::new("cornell");
    panel.press(Key::O);
    panel.press(Key::ArrowUp);
    assert!(panel.state().controls.mark.is_some());
    panel.hover_at(egui::pos2(300.0, 300.0));
    panel.run();
    assert_eq!(panel.state().controls.mark, None);
}

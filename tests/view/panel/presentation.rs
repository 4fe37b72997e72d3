//! The legend of the colours, the words of shapes, and the presentation.

use config::Lesson;
use egui::{Key, Modifiers};
use glam::Vec2;
use scene::Scenery;
use window::session::camera_state::ViewAction;
use window::session::lesson::LessonAction;
use window::session::{Action, Message};

use super::Panel;

/// The flock of the gallery, from its file.
fn formula_flock(name: &str) -> Panel {
    let mut panel = Panel::new("cornell");
    panel.press(Key::P);
    let preset = config::presets::find(name).expect(name);
    panel.apply(Action::LoadText(format!("{name}.toml"), preset.text.to_owned()));
    assert!(!matches!(panel.state().controls.message, Some(Message::Failed(_))), "{name}");
    panel
}

#[test]
fn the_picture_says_what_its_colours_are_with_and_without_the_panel() {
    let mut panel = Panel::new("cornell");
    for _ in 0..2 {
        let painted = panel.painted();
        assert!(painted.contains("right") && painted.contains("down"), "{painted}");
        panel.press(Key::P);
    }
    panel.press_with(Modifiers::SHIFT, Key::C);
    assert!(!panel.painted().contains("down"));
    panel.press_with(Modifiers::SHIFT, Key::C);
    let mut seen = Vec::new();
    for _ in 0..7 {
        panel.press(Key::C);
        let meanings: Vec<String> = panel.state().legend().into_iter().map(|swatch| swatch.meaning).collect();
        for meaning in &meanings {
            assert!(panel.painted().contains(meaning.as_str()), "{meaning}");
        }
        seen.push(meanings);
    }
    assert!(seen.iter().any(|meanings| meanings.contains(&"scouts to the left".to_owned())), "{seen:?}");
    // Birds at dusk are ink.
    let mut dusk = Panel::new("yabi");
    assert!(!dusk.state().legend().is_empty());
    dusk.apply(Action::View(ViewAction::Scenery(Scenery::Dusk)));
    assert!(dusk.state().legend().is_empty());
}

#[test]
fn shapes_have_their_words_and_groups_their_names() {
    let mut panel = formula_flock("shepherd");
    // The flock starts far from the fold.
    panel.apply(Action::View(ViewAction::Zoom(6.0, Vec2::ZERO)));
    let painted = panel.painted();
    for word in ["fold", "sheep", "dog"] {
        assert!(painted.contains(word), "{word}: {painted}");
    }
    // Saved, it has them still; without the term whose parameter they name, they are not drawn.
    let mut gate = formula_flock("gate");
    assert!(gate.painted().contains("wall"));
    assert_eq!(gate.state().eye.view(&gate.state().document).shapes.len(), 2);
    gate.apply(Action::RemoveTerm("wall"));
    assert!(!gate.painted().contains("wall"));
    assert!(gate.state().eye.view(&gate.state().document).shapes.is_empty());
}

#[test]
fn a_presentation_has_large_type_a_caption_and_the_sliders_that_matter() {
    let mut panel = formula_flock("gate");
    let before = panel.ctx.zoom_factor();
    panel.press_with(Modifiers::SHIFT, Key::P);
    assert!(panel.ctx.zoom_factor() > 1.3 * before && !panel.state().controls.open.panel);
    for number in ["terms.pace.pace", "terms.others.push", "terms.wall.gate"] {
        assert!(panel.has(number), "{number}");
    }
    assert!(!panel.has("cohesion.weight") && !panel.has("Hide the panel"));
    panel.press_with(Modifiers::SHIFT, Key::P);
    // A panel that was closed stays so, and an open one comes back.
    assert_eq!((panel.ctx.zoom_factor(), panel.state().controls.open.panel), (before, false));
    panel.press(Key::P);
    for open in [false, true] {
        panel.press_with(Modifiers::SHIFT, Key::P);
        assert_eq!(panel.state().controls.open.panel, open);
    }
    // A preset's caption says what it is and what to look for.
    let mut preset = Panel::new("yabi");
    preset.press_with(Modifiers::SHIFT, Key::P);
    assert!(preset.says("five predators on a knot") && preset.says("Look for "));
    for number in ["separation.weight", "alignment.weight", "cohesion.weight"] {
        assert!(preset.has(number), "{number}");
    }
    // So does the step of a lesson, which the keys of a remote control turn.
    let lesson = Lesson::named("first").expect("a lesson");
    preset.apply(Action::Lesson(LessonAction::Begin("first")));
    for (key, step) in [(Key::F24, 0), (Key::PageDown, 1), (Key::PageDown, 2), (Key::PageUp, 1)] {
        preset.press(key);
        assert!(preset.says(&lesson.steps[step].text) && preset.says(&lesson.steps[step].see), "{step}");
    }
}

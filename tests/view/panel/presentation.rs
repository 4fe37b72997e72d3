//! The means to explain a flock to a class: the legend of the colours, the words of shapes, the presentation, a followed boid with
//! its rules, and lessons, step by step on one live flock.

use config::{Lesson, LessonStep};
use egui::{Key, Modifiers};
use engine::{Explanation, Numeric, State};
use flock::Parameters;
use glam::Vec2;
use scene::{Colour, Scenery};
use window::session::camera_state::ViewAction;
use window::session::controls::Page;
use window::session::lesson::LessonAction;
use window::session::{Action, Message, Session};

use super::{Panel, change, session, session_with, step};

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
    let meanings = |panel: &Panel| -> Vec<String> {
        panel.state().legend().into_iter().map(|swatch| swatch.meaning).collect()
    };
    let mut seen = Vec::new();
    for _ in 0..7 {
        panel.press(Key::C);
        for meaning in meanings(&panel) {
            assert!(panel.painted().contains(&meaning), "{meaning}");
        }
        seen.push(meanings(&panel).join(", "));
    }
    let motion = panel.parameters().motion;
    let by_speed = format!("speed {:?}, , {:?}", motion.min_speed, motion.max_speed);
    for meaning in ["follower, scouts to the right, scouts to the left", &by_speed] {
        assert!(seen.iter().any(|meanings| meanings == meaning), "{seen:?}");
    }
    panel.change(|p| p.motion.min_speed = p.motion.max_speed);
    panel.session().eye.look.colour = Colour::Speed;
    assert_eq!(meanings(&panel), [format!("all at one speed, {:?}", motion.max_speed)]);
    // The page has the same choices.
    panel.press(Key::Num6);
    panel.apply(Action::Page(Page::View));
    panel.click("group");
    assert_eq!(meanings(&panel), ["no groups"]);
    panel.click("legend in the picture");
    assert!(!panel.painted().contains("no groups"));
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

/// The state of a session's flock by another engine, at its step.
fn state(parameters: &Parameters, numeric: Numeric, steps: u64) -> State {
    let device = engines::Device::cpu(numeric);
    let start = State::start(parameters);
    let mut engine = device.engine(parameters, &start).expect("it fits").boxed();
    engine.advance(steps as u32).expect("stepped");
    engine.state().expect("finite")
}

/// Steps so often; the frame that the hash asks for has the explanation of its step, however long that takes.
fn steps(session: &mut Session, count: usize) {
    step(session, count);
    session.playback.worker.hash();
    session.settle();
}

fn explanation(session: &Session) -> &Explanation {
    session.explained().expect("explained").explanation
}

#[test]
fn the_card_is_the_explanation_of_the_step_that_is_shown() {
    for numeric in [Numeric::F32, Numeric::Fixed, Numeric::F64] {
        let mut session = session_with("cornell", numeric, |source| source);
        let parameters = session.document.parameters;
        session.apply(Action::FollowNext);
        session.settle();
        session.end_frame(false);
        session.settle();
        steps(&mut session, 25);
        let expected = Explanation::new(numeric, &parameters, &state(&parameters, numeric, 25), 0);
        assert_eq!(*explanation(&session), expected.expect("a boid"), "{numeric:?}");
        // The next step is the one that it names.
        let next = explanation(&session).next_velocity;
        steps(&mut session, 1);
        assert_eq!(explanation(&session).velocity, next);
        // While time stands it follows the sliders.
        let seen = explanation(&session).neighbours.len();
        change(&mut session, |p| (p.alignment.radius, p.cohesion.radius) = (200.0, 200.0));
        session.settle();
        assert!(explanation(&session).neighbours.len() > seen);
        let mut wide = parameters;
        (wide.alignment.radius, wide.cohesion.radius) = (200.0, 200.0);
        let expected = Explanation::new(numeric, &wide, &state(&parameters, numeric, 26), 0);
        assert_eq!(*explanation(&session), expected.expect("a boid"), "{numeric:?}");
    }
}

/// Ends a frame of the window, which asks for what is to be explained.
fn explain(panel: &mut Panel) {
    panel.session().end_frame(false);
    panel.session().settle();
}

#[test]
fn keys_follow_one_boid_after_the_other_and_hide_the_rules() {
    let mut panel = Panel::of(session("cornell"));
    assert!(panel.state().explained().is_none());
    for id in [0, 1, 2] {
        panel.press_with(Modifiers::SHIFT, Key::N);
        explain(&mut panel);
        assert_eq!(panel.state().explained().map(|explained| explained.explanation.id), Some(id));
    }
    for shown in [false, true] {
        panel.press(Key::N);
        explain(&mut panel);
        assert_eq!(panel.state().explained().is_some(), shown);
        assert!(panel.state().eye.companion().is_some());
    }
    panel.press(Key::Escape);
    explain(&mut panel);
    assert!(panel.state().explained().is_none() && panel.state().eye.companion().is_none());
}

#[test]
fn the_card_stays_while_something_is_said() {
    let mut panel = Panel::of(session("cornell"));
    panel.apply(Action::Panel(false));
    panel.apply(Action::FollowNext);
    explain(&mut panel);
    panel.apply(Action::NextColouring);
    let painted = panel.painted();
    for text in ["colour by", "with boid 0", "turns", "together"] {
        assert!(painted.contains(text), "{text}: {painted}");
    }
}

/// Checks that the panel shows a step, and that the flock flies by its parameters.
fn shows(panel: &mut Panel, step: &LessonStep, k: usize) {
    panel.settle();
    assert_eq!(panel.parameters(), step.document.parameters, "step {k}");
    assert!(panel.says(&step.text) && panel.says(&step.see), "step {k}");
    for parameter in &step.sliders {
        assert!(panel.has(parameter.name), "step {k}: {}", parameter.name);
    }
}

#[test]
fn the_first_lesson_flies_step_by_step() {
    let lesson = Lesson::named("first").expect("a lesson");
    let mut panel = Panel::new("yabi");
    panel.click("Presets");
    panel.click("First lesson: what one bird does");
    for (k, step) in lesson.steps.iter().enumerate() {
        shows(&mut panel, step, k);
        assert!(!panel.says("All parameters"));
        let explained = panel.state().explained().map(|explained| explained.explanation.id);
        assert_eq!(explained, step.bird, "step {k}");
        let before = panel.state().frame().step;
        panel.session().apply(Action::Step);
        panel.settle();
        // The same flock flies on through all steps.
        assert_eq!(panel.state().frame().step, before + 1);
        if k + 1 < lesson.steps.len() {
            panel.click("Next step");
            assert!(panel.state().frame().step > k as u64, "step {k}");
        }
    }
    panel.click("Back");
    assert!(panel.says(&lesson.steps[4].text));
    // A change is the student's own, and Reset returns to the beginning of the step.
    panel.change(|p| p.cohesion.weight = 0.25);
    panel.click("Reset");
    assert_eq!(panel.parameters(), lesson.steps[4].document.parameters);
    panel.click("Leave the lesson");
    assert!(panel.state().controls.lesson.is_none() && !panel.says(&lesson.steps[4].text));
    // Another flock ends a lesson.
    panel.apply(Action::Lesson(LessonAction::Begin("first")));
    assert!(panel.state().controls.lesson.is_some());
    panel.apply(Action::Choose(2));
    assert!(panel.state().controls.lesson.is_none());
    // Without a lesson there is no step to go to.
    panel.apply(Action::Lesson(LessonAction::Step(2)));
    assert!(panel.state().controls.lesson.is_none());
}

#[test]
fn the_questions_change_the_flock_from_step_to_step() {
    let lesson = Lesson::named("questions").expect("a lesson");
    let mut panel = Panel::new("cornell");
    panel.click("Presets");
    panel.click("Questions about five flocks");
    for (k, step) in lesson.steps.iter().enumerate() {
        shows(&mut panel, step, k);
        if k + 1 < lesson.steps.len() {
            panel.click("Next step");
        }
    }
}

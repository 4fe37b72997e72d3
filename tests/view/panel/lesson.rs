//! The first lesson: from the gallery, step by step on one live flock, with what each step is about.

use config::{Lesson, LessonStep};
use window::session::Action;
use window::session::lesson::LessonAction;

use super::Panel;

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

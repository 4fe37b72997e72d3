//! A lesson on the flock: each step sets the parameters that it is about, and follows a boid.

use config::{Lesson, LessonStep};
use flight::starts_differ;

use super::controls::{LessonState, Page, Tool};
use super::{Session, Watch};

/// A way through a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonAction {
    /// Begins a built-in lesson, by its name.
    Begin(&'static str),
    /// Goes to the step of this index.
    Step(usize),
    Leave,
}

impl Session {
    pub(super) fn take_lesson(&mut self, action: LessonAction) {
        match action {
            LessonAction::Begin(name) => match Lesson::named(name) {
                Ok(lesson) => self.begin_lesson(lesson),
                Err(why) => self.controls.fail(why.to_string()),
            },
            LessonAction::Step(index) => {
                if let Some(state) = &mut self.controls.lesson
                    && index < state.lesson.steps.len()
                {
                    state.index = index;
                    self.show_lesson_step(false);
                }
            }
            LessonAction::Leave => self.controls.lesson = None,
        }
    }

    /// Begins a lesson.
    pub fn begin_lesson(&mut self, lesson: Lesson) {
        self.controls.lesson = Some(LessonState { lesson, index: 0 });
        self.controls.open.panel = !self.controls.presents;
        self.controls.page = Page::Flock;
        self.show_lesson_step(true);
    }

    /// Sets the parameters of the step, in flight unless the flock is another one, and follows its boid.
    fn show_lesson_step(&mut self, begins: bool) {
        let Some(state) = &self.controls.lesson else { return };
        let LessonStep { document, bird, .. } = state.step().clone();
        if !self.accepts(&document.parameters) {
            return;
        }
        if begins || starts_differ(&document.parameters, &self.document.parameters) {
            self.document.leave_file(self.preset_of(document.preset), true);
            self.take_view(document.view);
            self.adopt(document.parameters);
        } else {
            self.change(|parameters| *parameters = document.parameters);
            // Reset returns to the beginning of the step.
            self.document.base = document.parameters;
        }
        self.controls.tool = Tool::Camera;
        self.playback.playing = true;
        if let Some(bird) = bird {
            self.eye.explains = true;
            self.playback.worker.watch(Some(Watch::Id(bird)));
        }
    }
}

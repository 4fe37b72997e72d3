//! The page of charts: the passes of a step, for each way in which they are timed, and what the scouts decide.

use std::time::Duration;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use engine::{Engine, EngineError, Numeric};
use window::frame::{Clock, Frame};
use window::session::controls::Page;
use window::session::{Action, Session};
use window::worker::Source;

/// An engine that reports these times of its passes, and one of `move_predators` where there are predators.
#[derive(Debug)]
struct Timed(Box<dyn Source>, Clock);

impl Source for Timed {
    fn engine(&mut self) -> &mut dyn Engine {
        self.0.engine()
    }
    fn finish(&mut self) -> Result<(), EngineError> {
        self.0.finish()
    }
    fn publish(&mut self, frame: &mut Frame) -> Result<(), EngineError> {
        self.0.publish(frame)?;
        frame.clock = self.1;
        frame.passes.clear();
        if self.1 == Clock::Passes {
            frame.passes = vec![("step", 3.0), ("scan_blocks", 0.004), ("order", 1.0)];
            if !frame.predators.is_empty() {
                frame.passes.push(("move_predators", 2.0));
            }
        }
        Ok(())
    }
}

/// The page after so many steps.
fn charts(clock: Option<Clock>, steps: usize) -> Harness<'static, Session> {
    let mut session = match clock {
        Some(clock) => super::session_with("cornell", Numeric::F32, |source| Box::new(Timed(source, clock))),
        None => super::session("cornell"),
    };
    session.apply(Action::Page(Page::Charts));
    let mut window = super::window_of(session);
    step(&mut window, steps);
    window
}

fn step(window: &mut Harness<'_, Session>, steps: usize) {
    for _ in 0..steps {
        window.state_mut().apply(Action::Step);
        window.state_mut().settle();
    }
    window.run();
}

fn says(window: &Harness<'_, Session>, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

#[test]
fn passes_have_their_times_and_shares_and_small_ones_go_together() {
    let window = charts(Some(Clock::Passes), 12);
    assert!(says(&window, "GPU passes, ms") && says(&window, "4.00"));
    for row in ["step 3.00 ms, 75 %", "order 1.00 ms, 25 %", "other 0.004 ms, 0.1 %"] {
        assert!(says(&window, row), "{row}");
    }
    assert!(
        !says(&window, "move_predators") && !says(&window, "scan_blocks") && !says(&window, "timestamps")
    );
}

#[test]
fn the_pass_under_the_pointer_is_named() {
    let mut window = charts(Some(Clock::Passes), 12);
    // The lowest area ends just above the first name, the newest sample at the right edge.
    let row = window.get_by_label_contains("other 0.004").rect();
    let at = |up: f32| egui::pos2(row.right() - 6.0, row.top() - up);
    window.hover_at(at(12.0));
    window.run();
    assert!(says(&window, "step  3.00 ms  75 %") && says(&window, "of 4.00 ms in step "));
    window.hover_at(at(95.0));
    window.run();
    assert!(says(&window, "order  1.00 ms  25 %") && !says(&window, "step  3.00 ms"));
    // Above the stack, and before the first sample, there is no pass.
    for nowhere in [at(130.0), at(12.0) - egui::vec2(200.0, 0.0)] {
        window.hover_at(nowhere);
        window.run();
        assert!(!says(&window, "ms in step "), "{nowhere}");
    }
}

#[test]
fn a_pass_that_comes_is_shown_and_one_that_went_leaves() {
    let mut window = charts(Some(Clock::Passes), 12);
    super::change(window.state_mut(), |p| p.predators.count = 1);
    window.run();
    step(&mut window, 40);
    assert!(says(&window, "move_predators 2.00 ms, 33 %") && says(&window, "6.00"));
    super::change(window.state_mut(), |p| p.predators.count = 0);
    window.run();
    step(&mut window, 40);
    assert!(says(&window, "move_predators 0.000 ms, 0.0 %") && says(&window, "step 3.00 ms, 75 %"));
    super::click(&mut window, "Restart");
    step(&mut window, 12);
    assert!(!says(&window, "move_predators"));
}

#[test]
fn an_adapter_without_timestamps_is_said_to_have_none() {
    let window = charts(Some(Clock::Steps), 3);
    assert!(
        says(&window, "has no timestamps") && says(&window, "GPU step, ms") && says(&window, "ms, 100 %")
    );
}

#[test]
fn the_cpu_engine_shows_its_passes() {
    let window = charts(None, 12);
    assert!(says(&window, "CPU passes, ms") && !says(&window, "timestamps"));
    let rows = window.query_all_by_label_contains(" ms, ").count();
    assert!(rows >= 2, "{rows}");
}

#[test]
fn a_flock_with_scouts_shows_its_decision() {
    const LINE: &str = "° off the way of most scouts, accuracy ";
    let mut window = charts(None, 1);
    step_until(&mut window, LINE);
    assert!(says(&window, "Sides") && says(&window, "split"));
    super::change(window.state_mut(), |p| (p.scouts.right, p.scouts.left) = (0.0, 0.0));
    super::click(&mut window, "Restart");
    step_until(&mut window, "Milling");
    assert!(!says(&window, "Sides") && !says(&window, LINE));
}

/// Writes past the first 9,999 names, too.
#[test]
fn the_ten_thousandth_file_replaces_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |number: usize| match number {
        1 => folder.path().join("murmuration-cornell-charts.csv"),
        more => folder.path().join(format!("murmuration-cornell-charts-{more}.csv")),
    };
    (1..10_000).for_each(|number| std::fs::write(path(number), "kept").expect("written"));
    let mut session = super::session("cornell");
    session.controls.folder = folder.path().display().to_string();
    session.apply(Action::SaveCharts);
    assert!((1..10_000).all(|number| std::fs::read_to_string(path(number)).expect("a file") == "kept"));
    assert!(std::fs::read_to_string(path(10_000)).expect("a file").starts_with("step,"));
}

/// Steps until a measurement has come, after which the page shows this text.
fn step_until(window: &mut Harness<'_, Session>, text: &str) {
    for _ in 0..500 {
        if says(window, text) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
        step(window, 1);
    }
    panic!("no {text}");
}

#[test]
fn before_the_first_step_there_is_nothing_to_show() {
    let window = charts(Some(Clock::Passes), 0);
    assert!(says(&window, "GPU passes, ms") && !says(&window, " %"));
}

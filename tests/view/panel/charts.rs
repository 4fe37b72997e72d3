//! Measurements. The page of charts: the passes of a step, for each way in which they are timed, and what the scouts
//! decide. The sheet with the check of this device.

use std::time::Duration;

use egui::{Key, vec2};
use egui_kittest::kittest::Queryable as _;
use engine::{Engine, EngineError, Numeric};
use window::frame::{Clock, Frame};
use window::session::controls::Page;
use window::session::{Action, Session};
use window::worker::Source;

use super::{Panel, session, session_with, step};

/// An engine that reports these times of its passes.
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
        }
        Ok(())
    }
}

/// The page after so many steps.
fn charts(clock: Option<Clock>, steps: usize) -> Panel {
    let mut session = match clock {
        Some(clock) => session_with("cornell", Numeric::F32, |source| Box::new(Timed(source, clock))),
        None => session("cornell"),
    };
    session.apply(Action::Page(Page::Charts));
    step(&mut session, steps);
    Panel::of(session)
}

#[test]
fn passes_have_their_times_and_shares_and_small_ones_go_together() {
    let mut panel = charts(Some(Clock::Passes), 12);
    for text in
        ["GPU passes, ms", "4.00", "step 3.00 ms, 75 %", "order 1.00 ms, 25 %", "other 0.004 ms, 0.1 %"]
    {
        assert!(panel.says(text), "{text}");
    }
    assert!(!panel.says("scan_blocks") && !panel.says("timestamps"));

    // The pass under the pointer is named. The lowest area ends just above the first name, the newest sample at the
    // right edge; above the stack, and before the first sample, there is no pass.
    let row = panel.get_by_label_contains("other 0.004").rect();
    let above = |up: f32| row.right_top() - vec2(6.0, up);
    for (place, pass) in [
        (above(12.0), Some("step  3.00 ms  75 %")),
        (above(95.0), Some("order  1.00 ms  25 %")),
        (above(130.0), None),
        (above(12.0) - vec2(200.0, 0.0), None),
    ] {
        panel.hover_at(place);
        panel.run();
        assert_eq!(panel.says("of 4.00 ms in step "), pass.is_some(), "{place}");
        assert!(pass.is_none_or(|pass| panel.says(pass)), "{pass:?}");
    }
}

#[test]
fn the_page_says_what_was_timed() {
    for (clock, steps, said, not) in [
        (Some(Clock::Passes), 0, ["GPU passes, ms", "GPU passes, ms"], " %"),
        (Some(Clock::Steps), 3, ["has no timestamps", "ms, 100 %"], "GPU passes"),
        (None, 12, ["CPU passes, ms", " ms, "], "timestamps"),
    ] {
        let panel = charts(clock, steps);
        assert!(said.iter().all(|text| panel.says(text)) && !panel.says(not), "{clock:?} {steps}");
    }
}

/// Steps until a measurement has come, after which the page shows this text.
fn step_until(panel: &mut Panel, text: &str) {
    for _ in 0..500 {
        if panel.says(text) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
        panel.apply(Action::Step);
    }
    panic!("no {text}");
}

#[test]
fn a_flock_with_scouts_shows_its_decision() {
    const LINE: &str = "° from the direction of most scouts, accuracy ";
    let mut panel = charts(None, 1);
    step_until(&mut panel, LINE);
    assert!(panel.says("Sides") && panel.says("split"));
    panel.change(|p| (p.scouts.right, p.scouts.left) = (0.0, 0.0));
    panel.click("Restart");
    step_until(&mut panel, "Milling");
    assert!(!panel.says("Sides") && !panel.says(LINE));
}

#[test]
fn charts_are_measured_while_they_are_shown_and_saved_under_a_free_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join("made").join(name);
    let mut panel = charts(None, 1);
    panel.session().controls.folder = folder.path().join("made").display().to_string();
    step_until(&mut panel, "Milling");
    for name in ["Milling", "Groups", "Nearest neighbour"] {
        assert!(panel.has(name), "{name}");
    }
    assert!(panel.state().frame().measured.is_some());
    panel.click("Save as CSV");
    let first = path("murmuration-cornell-charts.csv");
    let text = std::fs::read_to_string(&first).expect("saved");
    assert!(text.lines().count() > 1 && text.starts_with("step,polarization,milling,groups,nearest_mean"));
    // A file that is there is never replaced.
    std::fs::write(&first, "kept").expect("written");
    std::fs::write(path("murmuration-cornell-charts-2.csv"), "kept").expect("written");
    panel.click("Save as CSV");
    assert_eq!(std::fs::read_to_string(first).expect("a file"), "kept");
    let third = std::fs::read_to_string(path("murmuration-cornell-charts-3.csv")).expect("saved");
    assert!(third.starts_with("step,"));
}

#[test]
fn a_chart_over_the_timeline_is_measured_without_its_page_and_keeps_the_future() {
    let mut panel = charts(None, 1);
    let measured = |panel: &Panel| {
        let samples = panel.state().playback.course.iter();
        samples.map(|sample| (sample.step, sample.measured.is_some())).collect::<Vec<_>>()
    };
    step_until(&mut panel, "Milling");
    panel.apply(Action::Chart(1));
    panel.apply(Action::Page(Page::Flock));
    let shown = panel.state().frame().step;
    step(panel.session(), 40);
    let all = measured(&panel);
    assert_eq!(all.iter().map(|(step, _)| *step).collect::<Vec<_>>(), (1..=shown + 40).collect::<Vec<_>>());
    assert!(all[shown as usize..].iter().all(|(_, measured)| *measured), "{all:?}");
    // Whoever looks back still sees the rest, until another flight begins there.
    panel.apply(Action::Seek(-30));
    panel.apply(Action::Play(true));
    panel.apply(Action::Play(false));
    assert!(panel.state().playback.looks_back());
    assert_eq!(measured(&panel), all);
    let here = panel.state().frame().step;
    panel.apply(Action::TakeOver);
    assert_eq!(measured(&panel).last().map(|(step, _)| *step), Some(here));
    // The first chart needs no measures.
    panel.apply(Action::Page(Page::Charts));
    panel.click("Polarization");
    panel.apply(Action::Page(Page::Flock));
    step(panel.session(), 2);
    assert_eq!(measured(&panel).last(), Some(&(here + 2, false)));
}

/// Frames until a condition holds.
fn fly_until(panel: &mut Panel, holds: impl Fn(&Session) -> bool) {
    while !holds(panel.state()) {
        panel.session().tick(Duration::from_millis(20));
        panel.step();
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn progress(session: &Session) -> [usize; 2] {
    session.device_check.as_ref().expect("a check").progress
}

#[test]
fn the_device_is_checked_beside_the_flock_and_the_table_is_copied() {
    let mut panel = Panel::new("cornell");
    panel.click("Check");
    assert!(panel.says("0 of 18 flocks") && !panel.says("All agree."));
    fly_until(&mut panel, |session| progress(session)[0] == 1);
    // It waits while it is closed, and goes on.
    panel.press(Key::Escape);
    assert!(!panel.has("Copy the table"));
    panel.session().tick(Duration::ZERO);
    assert_eq!(progress(panel.state()), [1, 18]);
    panel.click("Check");
    fly_until(&mut panel, |session| progress(session) == [18, 18]);
    panel.settle();
    assert!(panel.says("All agree.") && panel.has("murmuration") && panel.has("agrees"));
    panel.get_by_label("Copy the table").click();
    panel.step();
    let copied = panel.output().platform_output.commands.iter().find_map(|command| match command {
        egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    let copied = copied.expect("a text");
    assert!(copied.contains("cpu, f32") && copied.contains("18 of 18 flocks: all agree"), "{copied}");
    assert_eq!(copied.matches("equal, 100 steps").count(), 9, "{copied}");
}

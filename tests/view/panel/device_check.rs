//! The check of this device, on a sheet of its own.

use std::time::Duration;

use egui::Key;
use egui_kittest::kittest::Queryable as _;
use window::session::Session;

use super::Panel;

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

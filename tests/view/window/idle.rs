//! The cost of an open window: processor time while it is paused, and memory while it plays.
//!
//! A window that is paused must sleep. The control is the same window while it plays.

use std::time::{Duration, Instant};

use super::{Window, complete};
use crate::resident::resident;
use crate::scope;

/// Duration of the measurement of processor time.
const TIME: Duration = Duration::from_secs(3);

/// Processor time that the program takes, as a share of one core.
fn share(window: &Window) -> f64 {
    let (begun, before) = (Instant::now(), ticks(window.program.id()));
    std::thread::sleep(TIME);
    // A hundred ticks are a second wherever Linux runs.
    (ticks(window.program.id()) - before) as f64 / 100.0 / begun.elapsed().as_secs_f64()
}

/// User and system time of a process, in ticks of the kernel.
fn ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("a process");
    // The name, in brackets, may hold spaces.
    let (_, fields) = stat.rsplit_once(") ").expect("a name");
    fields.split(' ').skip(11).take(2).map(|field| field.parse::<u64>().expect("a number")).sum()
}

#[test]
fn a_paused_window_sleeps_and_wakes_at_a_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--preset", "cornell", "--quiet", "--paused"];
    let Some(mut window) = Window::open(folder.path(), &arguments) else { return };
    window.wait_for_title("murmuration: cornell, paused");
    window.wait("a picture of boids and panel", |window| {
        complete(&window.picture(super::SCREEN), 2000).then_some(())
    });
    // Pipelines may still be compiled.
    let asleep = window.wait("sleep", |window| Some(share(window)).filter(|share| *share < 0.02));
    window.press(u32::from(b' '));
    window.wait_for_title("murmuration: cornell");
    let awake = share(&window);
    assert!(awake > 0.1 && awake > 10.0 * asleep, "paused {asleep}, playing {awake}");
}

/// A picture that kept what it allocated would take a megabyte and more a second.
#[test]
fn a_window_that_plays_takes_no_more_memory_for_more_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(mut window) = Window::open(folder.path(), &["--preset", "gate", "--quiet"]) else { return };
    window.wait_for_title("murmuration: gate");
    // The states of the last fifteen seconds are kept, and all pipelines are compiled by then.
    std::thread::sleep(Duration::from_secs(20));
    let before = resident(window.program.id());
    std::thread::sleep(Duration::from_secs(scope::choose(10, 60)));
    let growth = resident(window.program.id()).saturating_sub(before);
    assert!(growth < 5 << 10, "{growth} kB more");
}

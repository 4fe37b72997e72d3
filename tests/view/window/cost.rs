//! The cost of an open window: processor time while it is paused, memory while it plays, and half the size of a view that
//! takes too long to draw.
//!
//! A window that is paused must sleep. The control is the same window while it plays.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{PANEL, Picture, SCREEN, Window, complete};
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
    window
        .wait("a picture of boids and panel", |window| complete(&window.picture(SCREEN), 2000).then_some(()));
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

/// The mean difference of neighbours in the rows of the view: less where a picture was enlarged.
fn sharpness(picture: &Picture) -> f64 {
    let pixels: Vec<(u16, [u8; 3])> = picture.pixels().collect();
    let pairs = pixels.windows(2).filter(|pair| pair[0].0 < pair[1].0 && pair[1].0 < SCREEN[0] - PANEL);
    let apart: Vec<f64> = pairs.map(|pair| f64::from(pair[0].1[0].abs_diff(pair[1].1[0]))).collect();
    apart.iter().sum::<f64>() / apart.len() as f64
}

/// The picture that the window saves; its file is gone then.
fn saved(window: &mut Window, folder: &Path) -> Picture {
    let path = window.screenshot(folder, "murmuration");
    let file = std::fs::File::open(&path).expect("readable");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a whole PNG");
    assert_eq!([info.width, info.height], [u32::from(SCREEN[0] - PANEL), u32::from(SCREEN[1])]);
    std::fs::remove_file(path).expect("it was there");
    let bytes = pixels.chunks_exact(info.line_size / info.width as usize);
    let bytes = bytes.flat_map(|pixel| [pixel[2], pixel[1], pixel[0], 0]).collect();
    Picture { width: SCREEN[0] - PANEL, bytes }
}

#[test]
fn a_view_that_is_slow_is_drawn_at_half_size_and_paused_and_saved_at_full() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["-n", "200k", "--engine", "gpu", "--paused", "--quiet"];
    let Some(mut window) = Window::open(folder.path(), &arguments) else { return };
    window.wait_for_title("murmuration: murmuration, paused");
    let full = sharpness(&saved(&mut window, folder.path()));
    let shown = sharpness(&window.wait_for_stillness());
    assert!((shown / full - 1.0).abs() < 0.1, "{shown} of {full}");

    window.press(u32::from(b' '));
    let half = |window: &Window| sharpness(&window.picture(SCREEN)) < 0.7 * full;
    window.wait("a view at half size", |window| half(window).then_some(()));
    window.press(u32::from(b' '));
    window.wait_for_title("murmuration: murmuration, paused");
    let (saved, shown) =
        (sharpness(&saved(&mut window, folder.path())), sharpness(&window.wait_for_stillness()));
    // A picture that is paused is sharp.
    assert!(shown > 0.9 * saved && saved > 0.8 * full, "{shown} of {saved}, {full} before");
}

//! Faults of the driver while the window is open: the device or the surface is lost, memory of the GPU is short.

use std::path::Path;
use std::process::{Command, Stdio};

use super::faults::Faults;
use super::{SCREEN, Window, complete};

/// A window on the adapter that the faults' layer lies over, after a change of the call.
fn open_with(
    folder: &Path,
    options: &[&str],
    faults: &Faults,
    change: impl FnOnce(&mut Command),
) -> Option<Window> {
    let mut arguments =
        vec!["--preset", "cornell", "--quiet", "--adapter", "llvmpipe", "--backend", "vulkan"];
    arguments.extend(options);
    let mut window = Window::open_with(folder, &arguments, |command: &mut Command| {
        faults.reach(command);
        change(command.stderr(Stdio::piped()));
    })?;
    window
        .wait("a picture of boids and panel", |window| complete(&window.picture(SCREEN), 2000).then_some(()));
    Some(window)
}

fn open(folder: &Path, options: &[&str], faults: &Faults) -> Option<Window> {
    open_with(folder, options, faults, |_| {})
}

/// Waits until the flock moves.
fn wait_for_motion(window: &mut Window) {
    let before = window.picture(SCREEN);
    window.wait("a picture that moves", |window| {
        let picture = window.picture(SCREEN);
        (picture != before && complete(&picture, 2000)).then_some(())
    });
}

/// The picture after so many steps, with a fault meanwhile or without.
fn screenshot(engine: &str, fault: Option<&str>) -> Option<Vec<u8>> {
    let (folder, faults) = (tempfile::tempdir().expect("a folder"), Faults::new());
    let mut window = open(folder.path(), &["--engine", engine, "--steps", "150"], &faults)?;
    if let Some(fault) = fault {
        faults.order(fault);
        window.wait("the fault", |_| faults.done().then_some(()));
    }
    window.wait_for_title("murmuration: cornell, paused");
    window
        .wait("a picture of boids and panel", |window| complete(&window.picture(SCREEN), 2000).then_some(()));
    // The camera stands where time had brought it; the key shows the flock, and the camera arrives.
    window.press(u32::from(b'f'));
    window.wait_for_stillness();
    let file = window.screenshot(folder.path(), "murmuration-cornell-step-150");
    // Closed by the test; it has said nothing, and no second picture was asked for.
    assert!(window.program.try_wait().expect("a child").is_none());
    Some(std::fs::read(file).expect("readable"))
}

/// On another device the flock goes on from an earlier step, and comes to the same bits.
#[test]
fn the_flock_of_a_lost_device_goes_on_on_another() {
    for engine in ["gpu", "cpu"] {
        let Some(expected) = screenshot(engine, None) else { return };
        assert!(screenshot(engine, Some("lose")).expect("a display") == expected, "{engine}");
    }
}

/// The key comes with the frame that finds the loss: nothing is drawn while a flock is paused.
#[test]
fn a_key_that_a_lost_device_never_saw_acts_on_the_next_one() {
    for engine in ["gpu", "cpu"] {
        let (folder, faults) = (tempfile::tempdir().expect("a folder"), Faults::new());
        let Some(mut window) = open(folder.path(), &["--engine", engine, "--paused"], &faults) else {
            return;
        };
        window.wait_for_stillness();
        faults.order("lose");
        window.screenshot(folder.path(), "murmuration-cornell-step-0");
        assert!(faults.done());
    }
}

#[test]
fn a_surface_that_is_lost_or_out_of_date_is_made_again() {
    let (folder, faults) = (tempfile::tempdir().expect("a folder"), Faults::new());
    let Some(mut window) = open(folder.path(), &["--engine", "gpu"], &faults) else { return };
    for fault in ["lose surface", "outdate surface", "lose surface"] {
        faults.order(fault);
        window.wait("the fault", |_| faults.done().then_some(()));
        wait_for_motion(&mut window);
    }
}

/// The layer lies over Vulkan alone, and OpenGL is hidden from the program.
#[test]
fn a_window_whose_devices_are_all_lost_ends_with_a_line() {
    for engine in ["gpu", "cpu"] {
        let (folder, faults) = (tempfile::tempdir().expect("a folder"), Faults::new());
        let no_gl = |command: &mut Command| {
            command.env("__EGL_VENDOR_LIBRARY_FILENAMES", folder.path().join("none.json"));
        };
        let window = open_with(folder.path(), &["--engine", engine], &faults, no_gl);
        let Some(mut window) = window else { return };
        faults.order("lose every");
        let (code, said) = window.end();
        assert!(faults.done());
        assert_eq!((code, said.lines().count()), (Some(1), 1), "{said}");
        assert!(said.starts_with("error: llvmpipe") && said.contains("the device was lost"), "{said}");
    }
}

#[test]
fn where_one_adapter_loses_every_device_the_next_one_is_taken() {
    let (folder, faults) = (tempfile::tempdir().expect("a folder"), Faults::new());
    let Some(mut window) = open(folder.path(), &["--engine", "gpu"], &faults) else { return };
    faults.order("lose every");
    window.wait("the fault", |_| faults.done().then_some(()));
    wait_for_motion(&mut window);
}

/// A hundred thousand boids do not fit; the flock that flies goes on.
#[test]
fn a_flock_that_the_gpu_has_no_memory_for_leaves_the_old_one() {
    let (folder, faults) = (tempfile::tempdir().expect("a folder"), Faults::new());
    let Some(mut window) = open(folder.path(), &["--engine", "gpu"], &faults) else { return };
    faults.order("memory 1000000");
    window.press(u32::from(b'1'));
    // A failed start does not pause: the key does.
    window.press(u32::from(b' '));
    window.wait_for_title("murmuration: cornell, paused");
    faults.order("none");
    window.press(u32::from(b' '));
    window.wait_for_title("murmuration: cornell");
    wait_for_motion(&mut window);
}

//! Films of the view, and what stands of one however the window ends.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Window;

const NAME: &str = "murmuration-cornell-film.mp4";
const SIZE: [u16; 2] = [640, 480];

/// A window that records in a folder.
fn recording(folder: &Path) -> Option<Window> {
    let arguments = ["--preset", "cornell", "--quiet", "--window-size", "640x480"];
    let mut window = Window::open(folder, &arguments)?;
    window.wait_for_title("murmuration: cornell");
    window.press_with_shift(u32::from(b'r'));
    // A film grows second by second.
    window.wait("a second of film", |_| (length(folder)? > 1000).then_some(()));
    Some(window)
}

fn length(folder: &Path) -> Option<u64> {
    Some(fs::metadata(folder.join(NAME)).ok()?.len())
}

fn has(film: &[u8], word: &[u8; 4]) -> bool {
    film.windows(4).any(|window| window == word)
}

fn files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder").map(|file| file.expect("readable").file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

fn kill(window: &Window, signal: &str) {
    let process = window.program.id().to_string();
    assert!(Command::new("kill").args([signal, &process]).status().expect("kill runs").success());
}

#[test]
fn a_film_of_the_view_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(mut window) = recording(folder.path()) else { return };
    // Full screen and back: without a window manager nothing is to be seen of it.
    for _ in 0..2 {
        window.press(0xffc8); // F11
    }
    // Pictures that differ are frames of the film.
    for _ in 0..10 {
        let before = window.picture(SIZE);
        window.wait("motion", |window| (window.picture(SIZE) != before).then_some(()));
    }
    window.press_with_shift(u32::from(b'r'));
    let film = window.wait("a whole film", |_| {
        fs::read(folder.path().join(NAME)).ok().filter(|film| has(film, b"stss") && !has(film, b"mvex"))
    });
    assert_eq!(&film[4..8], b"ftyp");
    assert_eq!(files(folder.path()), [NAME]);
}

/// SIGTERM and a click on the button that closes are one thing; no other film is begun on the way.
#[test]
fn a_window_that_is_closed_while_it_records_leaves_the_whole_film_alone() {
    for by_signal in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(mut window) = recording(folder.path()) else { return };
        match by_signal {
            true => kill(&window, "-TERM"),
            false => window.client.close(window.id).expect("the server answers"),
        }
        let status = window.program.wait().expect("a child");
        assert_eq!(status.code(), Some(if by_signal { 130 } else { 0 }));
        let film = fs::read(folder.path().join(NAME)).expect("a film");
        assert!(has(&film, b"stss") && !has(&film, b"mvex"));
        assert_eq!(files(folder.path()), [NAME]);
    }
}

#[test]
fn a_window_that_is_paused_wakes_to_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--preset", "cornell", "--quiet", "--paused"];
    let Some(mut window) = Window::open(folder.path(), &arguments) else { return };
    window.wait_for_title("murmuration: cornell, paused");
    kill(&window, "-TERM");
    assert_eq!(window.program.wait().expect("a child").code(), Some(130));
}

#[test]
fn a_window_that_is_killed_leaves_the_film_up_to_its_last_second() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(mut window) = recording(folder.path()) else { return };
    kill(&window, "-KILL");
    assert_eq!(window.program.wait().expect("a child").code(), None);
    let film = fs::read(folder.path().join(NAME)).expect("a film");
    assert!([b"ftyp", b"mvex", b"moof", b"mdat"].into_iter().all(|word| has(&film, word)));
    assert_eq!(files(folder.path()), [NAME]);
}

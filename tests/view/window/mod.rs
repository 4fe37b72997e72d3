//! The program's window on an X server that draws into memory: what it shows, and how it reacts to keys and resizing.

mod cost;
#[path = "../../support/faults/mod.rs"]
mod faults;
mod film;
mod losing;
mod x;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use x::{Client, Picture, Server};

/// The longest wait for an event; generous, because other tests may load the machine.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The size of the screen, and of the window when it opens.
const SCREEN: [u16; 2] = [1280, 800];
/// The left Shift key.
const SHIFT: u32 = 0xffe1;
/// The width of the panel, at the right edge of the window, in pixels.
const PANEL: u16 = 348;

/// The program with its window open.
struct Window {
    program: Child,
    client: Client,
    id: u32,
    /// The program's cache folder.
    cache: tempfile::TempDir,
    // Declared last: fields are dropped in order, and the server must outlive the program.
    server: Server,
}

impl Window {
    /// Starts the program in `folder`; `None` where Xvfb is neither installed nor required.
    fn open(folder: &Path, arguments: &[&str]) -> Option<Self> {
        Self::open_with(folder, arguments, |_| {})
    }

    /// The same, after a change of the call: its standard error, say.
    fn open_with(folder: &Path, arguments: &[&str], change: impl FnOnce(&mut Command)) -> Option<Self> {
        let server = Server::start(SCREEN)?;
        let cache = tempfile::tempdir().expect("a folder");
        // The window before was left with its panel open.
        std::fs::write(cache.path().join("panel"), "open").expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_murmuration"));
        command
            .args(arguments)
            .current_dir(folder)
            .env("DISPLAY", &server.display)
            .env_remove("WAYLAND_DISPLAY")
            .env("MURMURATION_CACHE", cache.path());
        change(&mut command);
        let program = command.spawn().expect("the program starts");
        let client = Client::connect(&server.display).expect("the server answers");
        let mut window = Window { program, client, id: 0, cache, server };
        window.id = window.wait("a window", |window| {
            let all = window.client.windows().expect("the server answers");
            // The program has one window; the server gives it the size that was asked for.
            all.into_iter().find(|(_, size)| size[0] > 200).map(|(id, _)| id)
        });
        Some(window)
    }

    /// Calls `find` until it returns a value; `what` names that value in a failure.
    fn wait<T>(&mut self, what: &str, mut find: impl FnMut(&Self) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = find(self) {
                return found;
            }
            if let Ok(Some(status)) = self.program.try_wait() {
                let mut said = String::new();
                if let Some(mut stderr) = self.program.stderr.take() {
                    let _ = stderr.read_to_string(&mut said);
                }
                panic!("the program ended ({status}) before there was {what}: {said}");
            }
            assert!(start.elapsed() < TIMEOUT, "no {what} after {TIMEOUT:?}; title: {}", self.title());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn picture(&self, size: [u16; 2]) -> Picture {
        self.client.picture(size).expect("the server answers")
    }

    fn title(&self) -> String {
        self.client.title(self.id).unwrap_or_default()
    }

    fn press(&self, key: u32) {
        self.client.press(self.id, key).expect("the key is pressed");
    }

    fn press_with_shift(&self, key: u32) {
        self.client.press_with(self.id, Some(SHIFT), key).expect("the key is pressed");
    }

    /// Takes a screenshot, whose name begins so.
    fn screenshot(&mut self, folder: &Path, name: &str) -> PathBuf {
        self.press(u32::from(b'i'));
        self.wait("a screenshot", |_| {
            let mut files = std::fs::read_dir(folder).expect("the folder is there");
            files.find_map(|file| {
                let path = file.expect("readable").path();
                let named = path.file_name()?.to_str()?.starts_with(name);
                (named && path.extension()? == "png").then_some(path)
            })
        })
    }

    /// Waits for the end of the program; its exit code, and what it wrote to its standard error, a pipe.
    fn end(&mut self) -> (Option<i32>, String) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.program.try_wait().expect("a child") {
                break status;
            }
            assert!(start.elapsed() < TIMEOUT, "the program has not ended after {TIMEOUT:?}");
            std::thread::sleep(Duration::from_millis(100));
        };
        let mut said = String::new();
        self.program.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
        (status.code(), said)
    }

    /// The picture, once it stays as it is.
    fn wait_for_stillness(&mut self) -> Picture {
        self.wait("stillness", |window| {
            let before = window.picture(SCREEN);
            std::thread::sleep(Duration::from_millis(700));
            (window.picture(SCREEN) == before).then_some(before)
        })
    }

    fn wait_for_title(&mut self, title: &str) {
        self.wait(&format!("title \"{title}\""), |window| (window.title() == title).then_some(()));
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// The number of saturated pixels in the view. Boids are saturated; the sky and the edges of the world are not.
fn coloured(picture: &Picture) -> usize {
    let view = picture.pixels().filter(|(column, _)| *column < picture.width - PANEL);
    let bright = |[r, g, b]: [u8; 3]| r.max(g).max(b) > 110 && r.max(g).max(b) - r.min(g).min(b) > 60;
    view.filter(|(_, pixel)| bright(*pixel)).count()
}

/// The share of the panel's pixels with its background colour, and the number with the colour of its primary button.
fn panel(picture: &Picture) -> (f64, usize) {
    let close = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 3);
    let panel = picture.pixels().filter(|(column, _)| *column >= picture.width - PANEL);
    let pixels: Vec<[u8; 3]> = panel.map(|(_, pixel)| pixel).collect();
    let background = pixels.iter().filter(|pixel| close(**pixel, [19, 22, 29])).count();
    let button = pixels.iter().filter(|pixel| close(**pixel, [232, 166, 112])).count();
    (background as f64 / pixels.len() as f64, button)
}

/// True if boids, panel and button are drawn.
fn complete(picture: &Picture, boids: usize) -> bool {
    let (background, button) = panel(picture);
    coloured(picture) > boids && background > 0.4 && button > 800
}

#[test]
fn the_window_shows_boids_and_panel_and_reacts_to_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(mut window) = Window::open(folder.path(), &["--preset", "cornell", "--quiet"]) else { return };
    window.wait_for_title("murmuration: cornell");
    let seen = window.wait("a picture of boids and panel", |window| {
        Some(window.picture(SCREEN)).filter(|picture| complete(picture, 2000))
    });

    // The picture changes while the simulation runs, and not while it is paused.
    window.wait("motion", |window| (window.picture(SCREEN) != seen).then_some(()));
    window.press(u32::from(b' '));
    window.wait_for_title("murmuration: cornell, paused");
    let still = window.wait_for_stillness();
    // An unassigned key has no effect: once the keys after it have had theirs, the picture is the same.
    window.press(0xffc6); // F9
    window.press(u32::from(b'p'));
    window.wait("a view without the panel", |window| (panel(&window.picture(SCREEN)).1 < 100).then_some(()));
    window.press(u32::from(b'p'));
    window.wait("the same picture", |window| (window.picture(SCREEN) == still).then_some(()));
    assert_eq!(window.title(), "murmuration: cornell, paused");
    window.press(u32::from(b'.'));
    window.wait("another step", |window| (window.picture(SCREEN) != still).then_some(()));
    window.press(u32::from(b' '));
    window.wait_for_title("murmuration: cornell");

    // Presets, panel, help and screenshot.
    window.press(u32::from(b'4'));
    window.wait_for_title("murmuration: think");
    window.press(u32::from(b'p'));
    window.wait("a view without the panel", |window| (panel(&window.picture(SCREEN)).1 < 100).then_some(()));
    let remembered = window.cache.path().join("panel");
    window.wait("a file", |_| (std::fs::read_to_string(&remembered).ok()? == "closed").then_some(()));
    window.press(u32::from(b'p'));
    window.wait("the panel again", |window| (panel(&window.picture(SCREEN)).1 > 800).then_some(()));
    window.wait("a file", |_| (std::fs::read_to_string(&remembered).ok()? == "open").then_some(()));
    window.press(u32::from(b'6'));
    window.wait_for_title("murmuration: holoviews");
    let file = window.screenshot(folder.path(), "murmuration-holoviews");
    let file = std::fs::File::open(file).expect("readable");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a whole PNG");
    assert_eq!((info.width, info.height), (u32::from(SCREEN[0] - PANEL), 800));
    let first = pixels[..3].to_vec();
    assert!(pixels.chunks_exact(info.line_size / info.width as usize).any(|pixel| pixel[..3] != first[..]));
}

#[test]
fn the_window_can_be_resized_hidden_and_shown_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--preset", "cornell", "--quiet", "-n", "1500"];
    let Some(mut window) = Window::open(folder.path(), &arguments) else { return };
    for size in [[700, 500], [1280, 720], [900, 800]] {
        window.client.resize(window.id, size).expect("the server answers");
        window.wait(&format!("a picture of {size:?}"), |window| {
            complete(&window.picture(size), 1000).then_some(())
        });
    }
    window.client.hide(window.id).expect("the server answers");
    window.wait("an empty screen", |window| (coloured(&window.picture([900, 800])) == 0).then_some(()));
    std::thread::sleep(Duration::from_millis(500));
    window.client.show(window.id).expect("the server answers");
    let mut last = None;
    window.wait("a picture that moves again", |window| {
        let picture = window.picture([900, 800]);
        let moved = last.as_ref().is_some_and(|last| *last != picture);
        let found = moved && coloured(&picture) > 1000;
        last = Some(picture);
        found.then_some(())
    });
}

/// The default flock. `MURMURATION_WINDOW_PICTURE=FILE.png` saves the picture, for the README.
#[test]
fn sixty_thousand_boids_are_shown_by_default() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(mut window) = Window::open(folder.path(), &["--steps", "150", "--quiet"]) else { return };
    window.wait_for_title("murmuration: murmuration, paused");
    let picture = window.wait("a picture of very many boids", |window| {
        Some(window.picture(SCREEN)).filter(|picture| coloured(picture) > 10_000 && panel(picture).1 > 800)
    });
    if let Some(file) = std::env::var_os("MURMURATION_WINDOW_PICTURE") {
        let file = std::fs::File::create(file).expect("writable");
        let mut encoder = png::Encoder::new(file, 1280, 800);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        let pixels: Vec<u8> = picture.pixels().flat_map(|(_, pixel)| pixel).collect();
        let mut writer = encoder.write_header().expect("writable");
        writer.write_image_data(&pixels).expect("writable");
    }
}

/// Negative control of the measures above.
#[test]
fn a_blank_picture_shows_neither_boids_nor_panel() {
    for grey in [0, 40, 255] {
        let blank = Picture { width: 1280, bytes: vec![grey; 4 * 1280 * 800] };
        assert_eq!((coloured(&blank), panel(&blank).1), (0, 0));
        assert!(panel(&blank).0 < 0.01);
    }
}

#[test]
fn the_end_of_the_display_server_is_one_line_of_error() {
    let arguments = ["--preset", "cornell", "--quiet"];
    let pipe = |command: &mut Command| {
        command.stderr(Stdio::piped());
    };
    // Xlib, winit or the driver is the first to notice, whichever uses the connection then.
    for wait in [0, 40, 110, 230, 370] {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(mut window) = Window::open_with(folder.path(), &arguments, pipe) else { return };
        window.wait_for_title("murmuration: cornell");
        std::thread::sleep(Duration::from_millis(wait));
        window.server.stop();
        let (code, said) = window.end();
        assert_eq!(code, Some(1), "{said}");
        assert_eq!(said.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{said}");
    }
}

#[test]
fn a_window_that_is_destroyed_from_outside_ends_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = |command: &mut Command| {
        command.stderr(Stdio::piped());
    };
    let Some(mut window) = Window::open_with(folder.path(), &["--preset", "cornell", "--quiet"], pipe) else {
        return;
    };
    window.wait_for_title("murmuration: cornell");
    window.client.destroy(window.id).expect("the server answers");
    assert_eq!(window.end(), (Some(0), String::new()));
}

#[test]
fn without_a_display_the_program_says_so_in_one_line() {
    for display in [None, Some(":59999")] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_murmuration"));
        program.arg("view").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET").env_remove("DISPLAY");
        if let Some(display) = display {
            program.env("DISPLAY", display);
        }
        let output = program.output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}");
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].starts_with("error: no window can be opened"), "{said}");
        assert!(lines.len() == 2 && lines[1].starts_with("hint: ") && lines[1].contains("render"), "{said}");
    }
}

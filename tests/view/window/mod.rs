//! The program's window on an X server that draws into memory: it opens, draws, takes keys, sleeps, records, survives a
//! driver's faults, and closes.

#[path = "../../support/faults/mod.rs"]
mod faults;
mod x;

use std::fs;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::resident::resident;
use faults::Faults;
use x::{Picture, Server};

/// The longest wait for an event; generous, because other tests may load the machine.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The size of the screen, and of the window when it opens.
const SCREEN: [u16; 2] = [1280, 800];
/// The width of the panel, at the right edge of the window, in pixels.
const PANEL: u16 = 348;

/// The program with its window open.
struct Window {
    program: Child,
    id: u32,
    folder: tempfile::TempDir,
    // Declared last: fields are dropped in order, and the server must outlive the program.
    server: Server,
}

impl Window {
    /// Opens the window in a folder of its own; `None` where Xvfb is neither installed nor required.
    fn open(arguments: &str) -> Option<Self> {
        Self::open_with(arguments, |_| {})
    }

    /// The same, after a change of the call.
    fn open_with(arguments: &str, change: impl FnOnce(&mut Command)) -> Option<Self> {
        let server = Server::start(SCREEN)?;
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("cache")).expect("a folder");
        // The window before was left with its panel open.
        fs::write(folder.path().join("cache/panel"), "open").expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_murmuration"));
        command
            .args(arguments.split(' '))
            .arg("--quiet")
            .current_dir(folder.path())
            .env("DISPLAY", &server.display)
            .env_remove("WAYLAND_DISPLAY")
            .env("MURMURATION_CACHE", folder.path().join("cache"))
            .stderr(Stdio::piped());
        change(&mut command);
        let program = command.spawn().expect("the program starts");
        let mut window = Window { program, id: 0, folder, server };
        window.id = window.wait("a window", |window| window.server.window().expect("the server answers"));
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
                panic!("the program ended ({status}) before there was {what}: {}", self.said());
            }
            assert!(start.elapsed() < TIMEOUT, "no {what} after {TIMEOUT:?}; title: {}", self.title());
            sleep(Duration::from_millis(100));
        }
    }

    /// Waits for a picture of the screen.
    fn wait_for(&mut self, what: &str, is_there: impl Fn(&Picture) -> bool) -> Picture {
        self.wait(what, |window| Some(window.picture(SCREEN)).filter(&is_there))
    }

    /// Waits for boids that move, and for the panel.
    fn wait_for_motion(&mut self) {
        let before = self.picture(SCREEN);
        self.wait_for("boids that move", |picture| *picture != before && complete(picture, 2000));
    }

    /// The picture, once it stays as it is.
    fn wait_for_stillness(&mut self) -> Picture {
        self.wait("stillness", |window| {
            let before = window.picture(SCREEN);
            sleep(Duration::from_millis(700));
            (window.picture(SCREEN) == before).then_some(before)
        })
    }

    fn wait_for_title(&mut self, title: &str) {
        let title = format!("murmuration: {title}");
        self.wait(&title, |window| (window.title() == title).then_some(()));
    }

    fn picture(&self, size: [u16; 2]) -> Picture {
        self.server.picture(size).expect("the server answers")
    }

    fn title(&self) -> String {
        self.server.title(self.id).unwrap_or_default()
    }

    fn press(&self, key: char) {
        self.server.press(self.id, key.into()).expect("the key is pressed");
    }

    /// The files that the program has made, but for its cache.
    fn files(&self) -> Vec<PathBuf> {
        let all = fs::read_dir(self.folder.path()).expect("a folder").map(|file| file.expect("readable"));
        all.map(|file| file.path()).filter(|path| !path.ends_with("cache")).collect()
    }

    /// The picture of the view that a key saves; its file is gone then.
    fn saved(&mut self) -> Picture {
        self.press('i');
        let path = self.wait("a saved picture", |window| {
            // A file that is being written has another name.
            let is_whole = |path: &PathBuf| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with("murmuration-") && name.ends_with(".png")
            };
            window.files().into_iter().find(is_whole)
        });
        let file = fs::File::open(&path).expect("readable");
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut bytes).expect("a whole PNG");
        assert_eq!([info.width, info.height], [u32::from(SCREEN[0] - PANEL), u32::from(SCREEN[1])]);
        fs::remove_file(path).expect("it was there");
        let pixels = bytes.chunks_exact(info.line_size / info.width as usize);
        Picture { width: SCREEN[0] - PANEL, pixels: pixels.map(|p| [p[0], p[1], p[2]]).collect() }
    }

    /// Sends a signal to the program.
    fn kill(&self, signal: &str) {
        let process = self.program.id().to_string();
        assert!(Command::new("kill").args([signal, &process]).status().expect("kill runs").success());
    }

    /// Processor time that the program takes in two seconds, as a share of one core.
    fn load(&self) -> f64 {
        let time = || -> u64 {
            let stat = fs::read_to_string(format!("/proc/{}/stat", self.program.id())).expect("a process");
            // The name, in brackets, may hold spaces.
            let (_, fields) = stat.rsplit_once(") ").expect("a name");
            fields.split(' ').skip(11).take(2).map(|field| field.parse::<u64>().expect("a number")).sum()
        };
        let (begun, before) = (Instant::now(), time());
        sleep(Duration::from_secs(2));
        // A hundred ticks are a second wherever Linux runs.
        (time() - before) as f64 / 100.0 / begun.elapsed().as_secs_f64()
    }

    /// The text that it has written to its standard error, once it has ended.
    fn said(&mut self) -> String {
        let mut said = String::new();
        self.program.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
        said
    }

    /// Waits for the end of the program; its exit code, and what it wrote to its standard error.
    fn end(&mut self) -> (Option<i32>, String) {
        let start = Instant::now();
        loop {
            if let Some(status) = self.program.try_wait().expect("a child") {
                return (status.code(), self.said());
            }
            assert!(start.elapsed() < TIMEOUT, "the program has not ended after {TIMEOUT:?}");
            sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// The pixels of the view, or those of the panel.
fn part(picture: &Picture, is_panel: bool) -> Vec<[u8; 3]> {
    let rows = picture.pixels.chunks_exact(picture.width.into());
    let edge = usize::from(picture.width - PANEL);
    rows.flat_map(|row| if is_panel { &row[edge..] } else { &row[..edge] }).copied().collect()
}

/// The number of saturated pixels in the view. Boids are saturated; the sky and the edges of the world are not.
fn coloured(picture: &Picture) -> usize {
    let saturated = |[r, g, b]: [u8; 3]| r.max(g).max(b) > 110 && r.max(g).max(b) - r.min(g).min(b) > 60;
    part(picture, false).into_iter().filter(|pixel| saturated(*pixel)).count()
}

/// True if the panel is drawn: its ground, and its primary button.
fn has_panel(picture: &Picture) -> bool {
    let close = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 3);
    let panel = part(picture, true);
    let count = |colour| panel.iter().filter(|pixel| close(**pixel, colour)).count();
    count([19, 22, 29]) > panel.len() * 2 / 5 && count([232, 166, 112]) > 800
}

/// True if boids and panel are drawn.
fn complete(picture: &Picture, boids: usize) -> bool {
    coloured(picture) > boids && has_panel(picture)
}

/// The mean difference of neighbours in the rows of the view: less where a picture was enlarged.
fn sharpness(picture: &Picture) -> f64 {
    let width = usize::from(SCREEN[0] - PANEL);
    let rows = picture.pixels.chunks_exact(picture.width.into()).map(|row| &row[..width]);
    let differences =
        rows.flat_map(|row| row.windows(2).map(|pair| f64::from(pair[0][0].abs_diff(pair[1][0]))));
    differences.sum::<f64>() / (width * usize::from(SCREEN[1])) as f64
}

#[test]
fn the_window_opens_takes_keys_sleeps_resizes_and_closes() {
    let blank = Picture { width: SCREEN[0], pixels: vec![[19, 22, 29]; 1280 * 800] };
    assert!(coloured(&blank) == 0 && !has_panel(&blank), "the control of what is seen below");
    let Some(mut window) = Window::open("--preset cornell") else { return };
    window.wait_for_title("cornell");
    window.wait_for_motion();
    let awake = window.load();
    window.press(' ');
    window.wait_for_title("cornell, paused");
    let asleep = window.wait("sleep", |window| Some(window.load()).filter(|load| *load < 0.02));
    assert!(awake > 0.03 && awake > 10.0 * asleep, "paused {asleep}, playing {awake}");
    let still = window.wait_for_stillness();

    let remembered = window.folder.path().join("cache/panel");
    for (word, is_open) in [("closed", false), ("open", true)] {
        window.press('p');
        window.wait_for("the panel, or none", |picture| has_panel(picture) == is_open);
        window.wait("a file", |_| (fs::read_to_string(&remembered).ok()? == word).then_some(()));
    }
    window.wait_for("the same picture", |picture| *picture == still);
    window.press('.');
    window.wait_for("another step", |picture| *picture != still && complete(picture, 2000));
    window.press('6');
    window.wait_for_title("holoviews, paused");
    let saved = window.saved();
    assert!(saved.pixels.iter().any(|pixel| *pixel != saved.pixels[0]));
    window.press('2');
    window.press(' ');
    window.wait_for_title("cornell");

    let server = &window.server;
    for size in [[700, 500], [1280, 720], [900, 800]] {
        server.resize(window.id, size).expect("the server answers");
        let begun = Instant::now();
        while !complete(&window.picture(size), 1000) {
            assert!(begun.elapsed() < TIMEOUT, "no picture of {size:?}");
            sleep(Duration::from_millis(100));
        }
    }
    window.server.show(window.id, false).expect("the server answers");
    window.wait_for("an empty screen", |picture| coloured(picture) == 0);
    sleep(Duration::from_millis(500));
    window.server.show(window.id, true).expect("the server answers");
    window.wait_for("boids again", |picture| coloured(picture) > 1000);
    window.server.close(window.id).expect("the server answers");
    assert_eq!(window.end(), (Some(0), String::new()));
}

/// The flight in the cache folder of a window.
fn kept_flight(window: &Window) -> Option<flight::Flight> {
    let files = fs::read_dir(window.folder.path().join("cache")).expect("a folder");
    let mut paths = files.map(|entry| entry.expect("an entry").path());
    let path = paths.find(|path| path.to_string_lossy().ends_with(flight::ENDING))?;
    let text = fs::read_to_string(path).expect("text");
    Some(flight::parse(&text, "kept").unwrap_or_else(|why| panic!("{why}\n{text}")))
}

#[test]
fn a_window_that_is_killed_leaves_its_flight_and_one_that_is_closed_none() {
    let Some(mut window) = Window::open("--preset cornell --engine cpu --numeric fixed") else { return };
    window.wait_for_title("cornell");
    let flown = window.wait("a flight", |window| kept_flight(window).filter(|flight| flight.end > 60));
    assert_eq!((flown.start.preset, flown.hashes.is_empty()), (None, false));
    // Less than two seconds of it are missing.
    let before = flown.end;
    let later = window.wait("more of it", |window| kept_flight(window).filter(|flight| flight.end > before));
    window.kill("-KILL");
    let left = kept_flight(&window).expect("a flight");
    assert!(left.end >= later.end);

    let Some(mut window) = Window::open("--preset cornell --engine cpu") else { return };
    window.wait("a flight", kept_flight);
    window.server.close(window.id).expect("the server answers");
    assert_eq!(window.end(), (Some(0), String::new()));
    assert!(kept_flight(&window).is_none());
}

/// The dialog of a desktop without a portal is `zenity`, whose place a script takes.
#[cfg(unix)]
#[test]
fn ctrl_o_asks_for_a_file_with_the_dialog_of_the_system() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    let (script, flock) = (folder.path().join("zenity"), folder.path().join("chosen.toml"));
    let paths = std::env::var("PATH").unwrap_or_default();
    let open = |path: String| {
        Window::open_with("--preset cornell -n 50 --engine cpu", |command| {
            command.env("PATH", path).env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
        })
    };
    fs::write(&flock, "preset = \"yabi\"\n").expect("a file");
    fs::write(&script, format!("#!/bin/sh\nsleep 0.6\necho '{}'\n", flock.display())).expect("a file");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a script");
    let Some(mut window) = open(format!("{}:{paths}", folder.path().display())) else { return };
    window.wait_for_title("cornell");
    window.press('\u{f}');
    window.wait_for_title("chosen.toml");
    drop(window);
    // Without any dialog a line says what to do instead.
    let Some(mut window) = open(String::new()) else { return };
    window.wait_for_motion();
    window.press(' ');
    let before = window.wait_for_stillness();
    window.press('\u{f}');
    window.wait_for("a line", |picture| *picture != before);
    window.wait_for_title("cornell, paused");
}

/// The default flock. `MURMURATION_WINDOW_PICTURE=FILE.png` saves the picture, for the README.
#[test]
fn sixty_thousand_boids_are_shown_by_default() {
    let Some(mut window) = Window::open("--steps 50") else { return };
    window.wait_for_title("murmuration, paused");
    let picture = window.wait_for("very many boids", |picture| complete(picture, 10_000));
    if let Some(file) = std::env::var_os("MURMURATION_WINDOW_PICTURE") {
        let mut encoder = png::Encoder::new(fs::File::create(file).expect("writable"), 1280, 800);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().expect("writable");
        writer.write_image_data(picture.pixels.as_flattened()).expect("writable");
    }
    // A window that is paused wakes to end.
    window.kill("-TERM");
    assert_eq!(window.end().0, Some(130));
}

#[test]
fn a_slow_view_is_drawn_at_half_size_and_saved_at_full_and_sharp_once_it_is_paused() {
    let Some(mut window) = Window::open("-n 200k --engine gpu") else { return };
    window.wait_for_title("murmuration");
    let full = sharpness(&window.saved());
    window.wait_for("a view at half size", |picture| sharpness(picture) < 0.7 * full);
    window.press(' ');
    window.wait_for_title("murmuration, paused");
    let (saved, shown) = (sharpness(&window.saved()), sharpness(&window.wait_for_stillness()));
    assert!(shown > 0.9 * saved && saved > 0.8 * full, "{shown} of {saved}, {full} before");
}

/// A picture that kept what it allocated would take a megabyte and more a second.
#[test]
fn a_window_that_plays_takes_no_more_memory_for_more_pictures() {
    let Some(mut window) = Window::open("--preset gate -n 100") else { return };
    window.wait_for_title("gate");
    // Pipelines are compiled by then.
    sleep(Duration::from_secs(6));
    let before = resident(window.program.id());
    sleep(Duration::from_secs(6));
    let growth = resident(window.program.id()).saturating_sub(before);
    assert!(growth < 3 << 10, "{growth} kB more");
}

/// Its key and the end of the window end a film whole; of one that is killed all but the last second stands.
#[test]
fn a_film_is_whole_however_it_ends() {
    let has = |film: &[u8], word: &[u8; 4]| film.windows(4).any(|part| part == word);
    for (way, code) in [("the key", Some(130)), ("the button", Some(0)), ("a fault", None)] {
        let Some(mut window) = Window::open("--preset cornell --window-size 640x480") else { return };
        let path = window.folder.path().join("murmuration-cornell-film.mp4");
        window.wait_for_title("cornell");
        window.press('R');
        // A film grows second by second.
        window.wait("a second of film", |_| (fs::metadata(&path).ok()?.len() > 1000).then_some(()));
        match way {
            "the key" => {
                window.press('R');
                window.wait("a whole film", |_| has(&fs::read(&path).ok()?, b"stss").then_some(()));
                window.kill("-TERM");
            }
            "the button" => window.server.close(window.id).expect("the server answers"),
            _ => window.kill("-KILL"),
        }
        assert_eq!(window.end().0, code, "{way}");
        // No other film was begun on the way.
        assert_eq!(window.files(), [&*path], "{way}");
        let film = fs::read(&path).expect("a film");
        if code.is_none() {
            assert!([b"ftyp", b"mvex", b"moof", b"mdat"].into_iter().all(|word| has(&film, word)));
        } else {
            assert!(&film[4..8] == b"ftyp" && has(&film, b"stss") && !has(&film, b"mvex"), "{way}");
        }
    }
}

#[test]
fn the_end_of_the_server_or_of_the_window_ends_the_program_without_a_panic() {
    // Xlib, winit or the driver is the first to notice, whichever uses the connection then.
    for wait in [0, 230] {
        let Some(mut window) = Window::open("--preset cornell") else { return };
        window.wait_for_title("cornell");
        sleep(Duration::from_millis(wait));
        window.server.stop();
        let (code, said) = window.end();
        assert_eq!(code, Some(1), "{said}");
        assert_eq!(said.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{said}");
    }
    let Some(mut window) = Window::open("--preset cornell") else { return };
    window.wait_for_title("cornell");
    window.server.destroy(window.id).expect("the server answers");
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
        assert!(lines[0].starts_with("error: cannot open a window"), "{said}");
        assert!(lines.len() == 2 && lines[1].starts_with("hint: ") && lines[1].contains("render"), "{said}");
    }
}

/// A window on the adapter that the faults' layer lies over.
fn open_faulty(options: &str, faults: &Faults, has_gl: bool) -> Option<Window> {
    let arguments = format!("--preset cornell --engine gpu --adapter llvmpipe --backend vulkan{options}");
    let mut window = Window::open_with(&arguments, |command| {
        faults.reach(command);
        if !has_gl {
            command.env("__EGL_VENDOR_LIBRARY_FILENAMES", "none.json");
        }
    })?;
    window.wait_for("boids and panel", |picture| complete(picture, 2000));
    Some(window)
}

/// Orders a fault, and waits for it.
fn fail(window: &mut Window, faults: &Faults, fault: &str) {
    faults.order(fault);
    window.wait(fault, |_| faults.done().then_some(()));
}

#[test]
fn a_surface_or_a_device_that_is_lost_is_replaced() {
    let faults = Faults::new();
    let Some(mut window) = open_faulty("", &faults, true) else { return };
    for fault in ["lose surface", "outdate surface", "lose surface", "lose"] {
        fail(&mut window, &faults, fault);
        window.wait_for_motion();
    }
    // The key comes with the frame that finds the loss: nothing is drawn while a flock is paused.
    window.press(' ');
    window.wait_for_title("cornell, paused");
    window.wait_for_stillness();
    faults.order("lose");
    window.saved();
    assert!(faults.done());
}

/// On another device the flock goes on from an earlier step, and comes to the same bits.
#[test]
fn the_flock_of_a_lost_device_comes_to_the_same_bits_on_another() {
    let mut pictures = Vec::new();
    for fault in [None, Some("lose")] {
        let faults = Faults::new();
        let Some(mut window) = open_faulty(" --steps 150", &faults, true) else { return };
        if let Some(fault) = fault {
            fail(&mut window, &faults, fault);
        }
        window.wait_for_title("cornell, paused");
        window.wait_for("boids and panel", |picture| complete(picture, 2000));
        // The camera stands where time had brought it; the key shows the flock, and the camera arrives.
        window.press('f');
        window.wait_for_stillness();
        pictures.push(window.saved());
    }
    assert!(pictures[0] == pictures[1]);
}

/// The layer lies over Vulkan alone; OpenGL is hidden from the second program.
#[test]
fn where_one_adapter_loses_every_device_the_next_one_is_taken_or_the_window_ends_with_a_line() {
    for has_gl in [true, false] {
        let faults = Faults::new();
        let Some(mut window) = open_faulty("", &faults, has_gl) else { return };
        faults.order("lose every");
        if has_gl {
            window.wait("the fault", |_| faults.done().then_some(()));
            window.wait_for_motion();
            continue;
        }
        let (code, said) = window.end();
        assert_eq!((code, faults.done()), (Some(1), true), "{said}");
        // The flight is named if there was a second of it.
        let hint = said.lines().nth(1).is_none_or(|line| line.starts_with("hint: its flight is in "));
        assert!(hint && said.lines().count() <= 2, "{said}");
        assert!(said.starts_with("error: llvmpipe") && said.contains("the device was lost"), "{said}");
    }
}

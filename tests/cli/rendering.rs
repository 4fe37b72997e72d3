//! Pictures and films: their content, and what remains of one that was cut short. `calls/render.txt` has what is refused.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{Folder, ended, json};

/// Width, height and pixels of a PNG, 4 bytes each.
fn png(folder: &Folder, name: &str) -> (u32, u32, Vec<u8>) {
    let bytes = std::fs::read(folder.path(name)).expect(name);
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a whole PNG");
    (info.width, info.height, pixels)
}

/// The number of frames of a GIF, each of them read.
fn gif_frames(bytes: &[u8]) -> usize {
    let mut decoder = gif::DecodeOptions::new().read_info(bytes).expect("a GIF");
    std::iter::from_fn(|| decoder.read_next_frame().expect("a whole GIF").map(|_| ())).count()
}

/// The number of frames that an MP4's index lists (ISO 14496-12, box `stsz`).
fn mp4_frames(bytes: &[u8]) -> u32 {
    assert_eq!(&bytes[4..8], b"ftyp");
    let at = bytes.windows(4).position(|name| name == b"stsz").expect("an index");
    let count = bytes[at + 12..at + 16].try_into().expect("four bytes");
    u32::from_be_bytes(count)
}

#[test]
fn a_film_has_a_frame_every_few_steps_and_a_picture_is_its_last_frame() {
    let folder = Folder::new();
    let flock = "render --preset holoviews --engine cpu --size 320x240";
    let film = format!("{flock} --skip 3 --steps 11 --every 5");
    for name in ["a.mp4", "a.gif", "a.png", "f%02d.png"] {
        let ended = folder.done(&format!("{film} --quiet {name}"));
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    }
    let read = |name| std::fs::read(folder.path(name)).expect(name);
    // Steps 3, 8 and 13; step 14 for the picture.
    assert_eq!((mp4_frames(&read("a.mp4")), gif_frames(&read("a.gif"))), (3, 3));
    assert_eq!(folder.files(), ["a.gif", "a.mp4", "a.png", "f00.png", "f01.png", "f02.png"]);
    let (width, height, pixels) = png(&folder, "a.png");
    assert_eq!((width, height), (320, 240));
    for (name, skip) in [("f01.png", 8), ("f02.png", 13), ("a.png", 14)] {
        folder.done(&format!("{flock} --skip {skip} --steps 0 one.png --yes --quiet"));
        assert!(png(&folder, "one.png") == png(&folder, name), "{name}");
    }
    assert!(png(&folder, "f02.png").2 != pixels);
    let summary = json(&folder.done(&format!("{film} --json --yes a.gif")).stdout);
    for (key, value) in [("file", "\"a.gif\""), ("frames", "3"), ("last_step", "13"), ("complete", "true")] {
        assert_eq!(summary[key].to_string(), value, "{key}");
    }
    // None of the numbered pictures is replaced unasked.
    std::fs::remove_file(folder.path("f00.png")).expect("it was there");
    let refused = folder.call(&format!("{film} f%02d.png"));
    assert!(refused.code == Some(2) && refused.stderr.starts_with("error: f0"), "{refused:?}");
    // On stdout a film is a stream of planes.
    let stream = folder
        .command(&format!("{flock} --skip 1 --steps 4 --every 2 --quiet -"))
        .output()
        .expect("it starts");
    let header = b"YUV4MPEG2 W320 H240 F30:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n";
    let frames = stream.stdout.strip_prefix(header).expect("a header");
    assert!(frames.len() == 3 * (6 + 320 * 240 * 3 / 2) && frames.starts_with(b"FRAME\n"));
}

/// Below the labels, each half is the picture of its flock alone, by the camera of the first.
#[test]
fn two_flocks_side_by_side_are_each_flock_alone() {
    let folder = Folder::new();
    let flock = "render --preset yabi -n 300 --engine cpu --steps 20 --look cones";
    let view = "--set view.target=[0,0,0] --set view.distance=300";
    folder.done(&format!("{flock} {view} --size 200x120 --compare cohesion.weight=0.2 both.png"));
    folder.done(&format!("{flock} {view} --size 100x120 first.png"));
    folder.done(&format!("{flock} {view} --size 100x120 --set cohesion.weight=0.2 second.png"));
    let [both, first, second] = ["both.png", "first.png", "second.png"].map(|name| png(&folder, name));
    assert_eq!((both.0, both.1), (200, 120));
    let row = both.2.len() / 120;
    let below = |left: usize| -> Vec<u8> {
        let rows = both.2.chunks_exact(row).skip(30);
        rows.flat_map(|pixels| &pixels[left..left + row / 2]).copied().collect()
    };
    assert!(below(0) == first.2[15 * row..] && below(row / 2) == second.2[15 * row..]);
    assert!(below(0) != below(row / 2));
    // A film has as many frames as that of one flock, and plots of arrows stand side by side, too.
    folder.done(&format!("{flock} --size 64x32 --every 10 --compare cohesion.weight=0.2 --quiet film.gif"));
    assert_eq!(gif_frames(&std::fs::read(folder.path("film.gif")).expect("a film")), 3);
    let arrows = "render --preset vicsek -n 100 --engine cpu --steps 3 --size 640x240";
    folder.done(&format!("{arrows} --compare noise.angle=0 arrows.png"));
    let (width, _, pixels) = png(&folder, "arrows.png");
    assert_eq!(width, 640);
    let row = pixels.len() / 240;
    assert!(pixels.chunks_exact(row).any(|pixels| pixels[..row / 2] != pixels[row / 2..]));
    for (options, why) in [
        ("--compare cohesion.wait=1", "error: --compare: unknown parameter 'cohesion.wait'"),
        ("--compare cohesion.weight=-1e99", "error: --compare: cohesion.weight must be"),
        ("--compare seed=1", "error: --compare: a setting must be table.key=value"),
        ("--compare flock.seed=1", "error: --compare flock.seed=1: both flocks would be the same"),
        ("--compare cohesion.weight=1 --explain", "error: the argument '--compare"),
    ] {
        let refused = folder.call(&format!("render no.png --preset yabi {options}"));
        assert!(refused.code == Some(2) && refused.stderr.starts_with(why), "{}", refused.stderr);
    }
    assert!(!folder.files().contains(&"no.png".to_owned()));
}

/// The numbers are those that the rule has; the picture shows them around the boid.
#[test]
fn a_boid_is_followed_and_explained() {
    let folder = Folder::new();
    let call =
        "render --preset cornell -n 200 --engine cpu --numeric fixed --steps 60 --size 320x180 --bird 7";
    let quiet = folder.done(&format!("{call} plain.png --style cones"));
    assert_eq!(quiet.stdout, "");
    let told = folder.done(&format!("{call} a.png --explain")).stdout;
    for start in ["boid          7\n", "step          60\n"] {
        assert!(told.contains(start), "{told}");
    }
    for name in ["separation", "alignment", "cohesion", "together"] {
        assert!(told.lines().any(|line| line.starts_with(name)), "{told}");
    }
    assert!(png(&folder, "a.png").2 != png(&folder, "plain.png").2);
    let told = json(&folder.done(&format!("{call} b.png --explain --json")).stdout);
    let before: Vec<f64> =
        serde_json::from_value(told["explained"]["next_velocity"].clone()).expect("numbers");
    let next = folder.done(&format!("{} c.png --explain --json", call.replace("60", "61"))).stdout;
    let told = json(&next);
    let after: Vec<f64> = serde_json::from_value(told["explained"]["velocity"].clone()).expect("numbers");
    assert_eq!(before, after);
    for (call, why) in [
        ("render d.png --preset cornell --explain", "error: --explain requires --bird\n"),
        (
            "render d.png --preset cornell --bird 500",
            "error: --bird must be less than 500, the number of boids, not 500\n",
        ),
        (
            "render d.png --preset cornell --bird 1 --style arrows",
            "error: --bird cannot be used with --style arrows\n",
        ),
        (
            "render d.png --preset cornell -n 0 --bird 1",
            "error: --bird 1 cannot be followed: the flock has no boids\n",
        ),
        (
            "render d.png --preset cornell --bird 1 --explain --style arrows",
            "error: --explain cannot be used with --style arrows\n",
        ),
    ] {
        let refused = folder.call(call);
        assert!(refused.code == Some(2) && refused.stderr.starts_with(why), "{call}: {}", refused.stderr);
    }
}

/// The file says how many predators there are, whatever the preset has.
#[test]
fn a_trajectory_is_drawn_state_by_state() {
    let folder = Folder::new();
    let call = "render --preset murmuration --engine cpu --size 160x90 --look cones --yes";
    let read = |name| png(&folder, name).2;
    for predators in [2, 0] {
        let flock = format!("--set predators.count={predators} --quiet");
        let files = "--trajectory t.csv --every 10 --out end.csv";
        folder
            .done(&format!("run --preset murmuration --engine cpu -n 300 {flock} --yes --steps 20 {files}"));
        let said = folder.done(&format!("{call} --trajectory t.csv f%d.png")).stderr;
        assert!(!said.contains("predators"), "{said}");
        folder.done(&format!("{call} --trajectory t.csv last.png"));
        folder.done(&format!("{call} {flock} --init end.csv --steps 0 end.png"));
        // A state is a trajectory of one step.
        folder.done(&format!("{call} --trajectory end.csv one.png"));
        assert!(read("last.png") == read("end.png") && read("f0.png") != read("f2.png"));
        assert!(read("one.png") == read("end.png"));
        // A trajectory of an earlier version has no predators, and the call says so.
        let text = folder.read("t.csv");
        let boids = text.lines().filter(|row| !row.contains("predator"));
        let old: String = boids.map(|row| row.replace(",kind", "").replace(",boid", "") + "\n").collect();
        folder.write("old.csv", &old);
        let said = folder.done(&format!("{call} --trajectory old.csv old.png")).stderr;
        assert!(said.starts_with("note: old.csv has no predators: none are drawn\n"), "{said}");
        assert_eq!(read("old.png") == read("end.png"), predators == 0, "predators are seen");
    }
    // A state may have more predators than a flock.
    let rows: String = (0..1000).map(|id| format!("0,{id},predator,0,0,0,0,0,0,,,\n")).collect();
    folder.write(
        "many.csv",
        &format!(
            "{}\n0,0,boid,0,0,0,0,0,0,0,0,0\n{rows}",
            folder.read("t.csv").lines().next().expect("a header")
        ),
    );
    let refused = folder.call(&format!("{call} --trajectory many.csv a.png"));
    assert!(
        refused.code == Some(2)
            && refused
                .stderr
                .contains("many.csv: predators.count must be a whole number from 0 to 64, not 1000"),
        "{refused:?}"
    );
}

#[test]
fn keys_of_a_file_move_the_camera() {
    let folder = Folder::new();
    folder.write("a.toml", "[[key]]\nat = 0\nyaw = 40\n[[key]]\nat = 1\nyaw = 130\nzoom = 2\n");
    let call = "render --preset yabi -n 60 --engine cpu --quiet --size 160x90 --fps 2 --orbit 0 --skip 0";
    folder.done(&format!("{call} --steps 2 --every 1 --camera a.toml f%d.png"));
    folder.done(&format!("{call} --steps 2 --every 1 g%d.png"));
    let read = |name| png(&folder, name).2;
    // A zoom of which only one key is told holds from the beginning.
    folder.done(&format!("{call} --steps 0 --zoom 2 first.png"));
    assert!(read("f0.png") == read("first.png") && read("f2.png") != read("g2.png"));
    // A still is seen from where the film ends.
    folder.done(&format!("{call} --steps 2 --camera a.toml last.png"));
    folder.done(&format!("{call} --steps 2 --yaw 130 --zoom 2 there.png"));
    assert!(read("last.png") == read("there.png"));
}

/// In dusk a still is the last frame of the flock in flight: its birds bank as those of a film do.
#[test]
fn birds_bank_in_a_still_as_they_fly() {
    let folder = Folder::new();
    let call =
        "render --preset murmuration -n 300 --engine cpu --quiet --size 320x180 --zoom 0.5 --look dusk";
    folder.done(&format!("{call} --skip 0 --steps 60 flown.png"));
    folder.done("run --preset murmuration -n 300 --engine cpu --quiet --steps 60 --out end.csv");
    folder.done(&format!("{call} --init end.csv --steps 0 level.png"));
    let (flown, level) = (png(&folder, "flown.png").2, png(&folder, "level.png").2);
    let differ = flown.iter().zip(&level).filter(|(a, b)| a.abs_diff(**b) > 8).count();
    // Wings turn, and nothing else: the background and most of each bird stay.
    assert!((20..flown.len() / 20).contains(&differ), "{differ} of {}", flown.len());
}

#[test]
fn a_film_of_lower_quality_is_smaller() {
    let folder = Folder::new();
    let size = |options: &str| {
        let call = "render a.mp4 --preset holoviews --engine cpu --quiet --size 320x240 --steps 3 --yes";
        folder.done(&format!("{call} {options}"));
        std::fs::read(folder.path("a.mp4")).expect("a film").len()
    };
    let [low, middle, high] = ["--quality 20", "--quality 45", "--quality 95"].map(size);
    assert!(low * 3 < middle * 2 && middle * 3 < high * 2, "{low} {middle} {high}");
    assert_eq!(size(""), middle);
}

#[test]
fn what_is_drawn_follows_the_options() {
    let folder = Folder::new();
    let call = "render --preset yabi --engine cpu --size 200x120 --steps 2 --yes";
    let ended = folder.call(&format!("{call} a.png"));
    if ended.code == Some(3) {
        assert!(ended.stderr.contains("no GPU adapter") && folder.files().is_empty(), "{ended:?}");
        assert!(!gpu::Gpu::list().iter().any(|entry| entry.compute), "there is one: {ended:?}");
        return;
    }
    let (_, _, pixels) = png(&folder, "a.png");
    assert!(pixels.chunks_exact(4).any(|p| p[0] > 120 && p[1] < 60 && p[2] < 60), "red predators");
    for options in ["--colour position", "--yaw 200 --zoom 2"] {
        folder.done(&format!("{call} --quiet b.png {options}"));
        assert!(png(&folder, "b.png").2 != pixels, "{options}");
    }
    // A flat flock whose arrows would cover the picture is drawn likewise.
    folder
        .done("render d.png --preset holoviews -n 20k --engine cpu --quiet --size 64x48 --steps 0 --zoom 2");
    // A picture that is too large for the adapter's buffers is coarser, and the call says so.
    let room = gpu::Gpu::headless(None, None).expect("an adapter").limits.max_storage_buffer_binding_size;
    let large =
        folder.done("render f.png --preset yabi -n 9 --engine cpu --skip 0 --steps 0 --size 3840x2400");
    let said = large.stderr.contains("blocks of 2 x 2 pixels");
    assert_eq!(said, room < 16 * 3840 * 2400, "{}", large.stderr);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_film_that_plays() {
    let folder = Folder::new();
    let call = "render a.mp4 --preset cornell --engine cpu --size 64x64 --steps 1000000000";
    let mut command = folder.command(call);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // The handler of Ctrl-C is installed before the film's temporary file exists.
    let begun = Instant::now();
    while folder.files().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no film was begun");
        std::thread::sleep(Duration::from_millis(20));
    }
    super::ending::signal("-INT", child.id());
    let ended = ended(child.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains("stopped at step"), "{ended:?}");
    assert_eq!(folder.files(), ["a.mp4"]);
    assert!(mp4_frames(&std::fs::read(folder.path("a.mp4")).expect("a film")) >= 1);
}

/// kB by which a film's memory grows from the 40th picture, by which all pipelines are in use, to the 160th.
#[cfg(target_os = "linux")]
fn growth(options: &str) -> u64 {
    let (width, height) = (160, 120);
    let call = format!("render - -n 200 --skip 0 --steps 160 --size {width}x{height} --engine gpu --quiet");
    let folder = Folder::new();
    let mut child =
        folder.command(&format!("{call} {options}")).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut film = BufReader::new(child.stdout.take().expect("a pipe"));
    film.read_until(b'\n', &mut Vec::new()).expect("a header");
    // A frame is a line and three planes, two of them at half the width and height.
    let frame = "FRAME\n".len() + width * height * 3 / 2;
    let sizes = [40, 120].map(|frames| {
        film.read_exact(&mut vec![0; frames * frame]).unwrap_or_else(|why| panic!("{options}: {why}"));
        crate::resident::resident(child.id())
    });
    drop(film);
    child.wait().expect("it ends");
    sizes[1].saturating_sub(sizes[0])
}

/// Memory of a picture is freed: in films of each look, with trails, with blur and on a plane.
#[cfg(target_os = "linux")]
#[test]
fn a_film_takes_no_more_memory_for_more_pictures() {
    use crate::adapters::{Slot, adapters};
    use crate::scope;
    let films = [
        "--look dusk --trails 1",
        "--look paper --blur 3",
        "--look cones --colour speed --preset swarm",
        "--look water",
        "--preset gate",
        "--preset yabi",
    ];
    let mut slots = vec![Slot::LlvmpipeVulkan];
    if !scope::left_to_all("memory of films by OpenGL and SwiftShader") {
        slots.extend([Slot::LlvmpipeGl, Slot::SwiftShader]);
    }
    for entry in slots.into_iter().flat_map(adapters) {
        for options in &films[..scope::choose(2, films.len())] {
            let growth = growth(&format!("{options} --adapter {}", entry.index));
            assert!(growth < 2_500, "{options} on {entry}: {growth} kB more");
        }
    }
}

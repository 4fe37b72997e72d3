//! Pictures and films: their content, and what remains of one that was cut short.

use std::process::Stdio;
use std::time::{Duration, Instant};

use gpu::Gpu;

use super::{Folder, ended};

/// Width, height and pixels of a PNG, 4 bytes each.
fn png(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
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
    let call = "render --preset holoviews --engine cpu --quiet --size 320x240 --skip 3 --steps 11 --every 5";
    for name in ["a.mp4", "a.gif", "a.png"] {
        let ended = folder.done(&format!("{call} {name}"));
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    }
    assert_eq!(folder.files(), ["a.gif", "a.mp4", "a.png"]);
    let read = |name| std::fs::read(folder.path(name)).expect(name);
    // Steps 3, 8 and 13; step 14 for the picture.
    assert_eq!((mp4_frames(&read("a.mp4")), gif_frames(&read("a.gif"))), (3, 3));
    let (width, height, pixels) = png(&read("a.png"));
    assert_eq!((width, height), (320, 240));
    folder.done("render --preset holoviews --engine cpu --quiet --size 320x240 --skip 14 --steps 0 b.png");
    assert_eq!(png(&read("b.png")).2, pixels);
    folder.done("render --preset holoviews --engine cpu --quiet --size 320x240 --skip 13 --steps 0 c.png");
    assert_ne!(png(&read("c.png")).2, pixels);
}

#[test]
fn a_film_begins_where_the_file_says_unless_the_call_says_otherwise() {
    let folder = Folder::new();
    folder.write("a.toml", "preset = \"holoviews\"\n[flock]\nboids = 20\n[view]\nskip = 6\n");
    let call = "render --config a.toml --engine cpu --size 64x48 --steps 4 --json --yes";
    let last = |more: &str| {
        let ended = folder.done(&format!("{call} {more}"));
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        (json["last_step"].as_u64(), ended.stderr)
    };
    let said = "render: begins at step 6 (view.skip; --skip 0 begins at the start)\n";
    assert_eq!(last("a.png"), (Some(10), said.to_owned()));
    assert_eq!(last("b.png --quiet"), (Some(10), String::new()));
    assert_eq!(last("b.png --skip 0"), (Some(4), String::new()));
    folder.done("run --config a.toml --engine cpu --steps 10 --quiet --out s.csv");
    // A state that is given is where the film begins.
    assert_eq!(last("b.png --init s.csv"), (Some(14), String::new()));
    let read = |name| png(&std::fs::read(folder.path(name)).expect(name)).2;
    folder.done("render c.png --config a.toml --engine cpu --size 64x48 --skip 10 --steps 0 --quiet");
    assert!(read("a.png") == read("c.png"));
}

/// A state with more predators than a flock may have.
fn many_predators() -> String {
    let row = |id| format!("0,{id},predator,0,0,0,0,0,0,,,\n");
    let rows: String = (0..1000).map(row).collect();
    format!("step,id,kind,x,y,z,vx,vy,vz,group,bias,rest\n0,0,boid,0,0,0,0,0,0,0,0,0\n{rows}")
}

#[test]
fn a_trajectory_is_drawn_state_by_state() {
    let folder = Folder::new();
    let call = "render --preset murmuration --engine cpu --size 160x90 --look cones";
    let read = |name| png(&std::fs::read(folder.path(name)).expect(name)).2;
    // The file says how many predators there are, whatever the preset has.
    for predators in [2, 0] {
        let flock = format!("--set predators.count={predators} --quiet --yes");
        let files = "--trajectory t.csv --every 10 --out end.csv";
        folder.done(&format!("run --preset murmuration --engine cpu -n 300 {flock} --steps 20 {files}"));
        let said = folder.done(&format!("{call} --yes --trajectory t.csv f%d.png")).stderr;
        assert!(!said.contains("predators"), "{said}");
        assert_eq!(folder.files().iter().filter(|name| name.starts_with('f')).count(), 3);
        folder.done(&format!("{call} --yes --trajectory t.csv last.png"));
        folder.done(&format!("{call} {flock} --init end.csv --steps 0 end.png"));
        assert!(read("last.png") == read("end.png") && read("f0.png") != read("f2.png"));
        // A state is a trajectory of one step.
        folder.done(&format!("{call} --yes --trajectory end.csv one.png"));
        assert!(read("one.png") == read("end.png"));
        // A trajectory of an earlier version has no predators, and the call says so.
        let text = folder.read("t.csv");
        let boids = text.lines().filter(|row| !row.contains("predator"));
        let old: String = boids.map(|row| row.replace(",kind", "").replace(",boid", "") + "\n").collect();
        folder.write("old.csv", &old);
        let said = folder.done(&format!("{call} --yes --trajectory old.csv old.png")).stderr;
        assert!(said.starts_with("old.csv holds no predators: none are drawn\n"), "{said}");
        assert_eq!(read("old.png") == read("last.png"), predators == 0, "predators are seen");
    }
    folder.write("empty.csv", "id,x,y,z,vx,vy,vz\n");
    folder.write("many.csv", &many_predators());
    for (call, part) in [
        (format!("{call} --trajectory t.csv --steps 3 a.png"), "--trajectory"),
        (format!("{call} --trajectory t.csv -n 20 a.png"), "--boids 20 cannot be used with --trajectory"),
        (format!("{call} --trajectory empty.csv a.png"), "empty.csv: it holds no whole state"),
        (format!("{call} --trajectory many.csv a.png"), "many.csv: predators.count = 1000"),
        (format!("{call} --trajectory none.csv a.png"), "cannot read none.csv"),
    ] {
        let refused = folder.call(&call);
        assert_eq!(refused.code, Some(2), "{call}: {}", refused.stderr);
        assert!(refused.stderr.contains(part), "{call}: {}", refused.stderr);
    }
}

#[test]
fn keys_of_a_file_move_the_camera() {
    let folder = Folder::new();
    folder.write("a.toml", "[[key]]\nat = 0\nyaw = 40\n[[key]]\nat = 1\nyaw = 130\nzoom = 2\n");
    let call = "render --preset yabi -n 60 --engine cpu --quiet --size 160x90 --fps 2 --orbit 0 --skip 0";
    folder.done(&format!("{call} --steps 2 --every 1 --camera a.toml f%d.png"));
    folder.done(&format!("{call} --steps 2 --every 1 g%d.png"));
    let read = |name| png(&std::fs::read(folder.path(name)).expect(name)).2;
    // A zoom of which only one key is told holds from the beginning.
    folder.done(&format!("{call} --steps 0 --zoom 2 first.png"));
    assert!(read("f0.png") == read("first.png") && read("f2.png") != read("g2.png"));
    // A still is seen from where the film ends.
    folder.done(&format!("{call} --steps 2 --camera a.toml last.png"));
    folder.done(&format!("{call} --steps 2 --yaw 130 --zoom 2 there.png"));
    assert!(read("last.png") == read("there.png"));
    folder.write("b.toml", "[[key]]\nat = 0\nyaw = 40\n[[key]]\nat = 0\n");
    let refused = folder.call(&format!("{call} --camera b.toml a.png"));
    assert_eq!((refused.code, refused.stderr.contains("b.toml:4: key.at = 0: allowed is")), (Some(2), true));
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
    let read = |name| png(&std::fs::read(folder.path(name)).expect(name)).2;
    let (flown, level) = (read("flown.png"), read("level.png"));
    let differ = flown.iter().zip(&level).filter(|(a, b)| a.abs_diff(**b) > 8).count();
    // Wings turn, and nothing else: the background and most of each bird stay.
    assert!((20..flown.len() / 20).contains(&differ), "{differ} of {}", flown.len());
}

#[test]
fn a_number_in_the_name_asks_for_a_picture_a_frame() {
    let folder = Folder::new();
    let call = "render --preset holoviews -n 20 --engine cpu --quiet --size 64x48 --steps 4 --every 2";
    folder.done(&format!("{call} f%02d.png"));
    assert_eq!(folder.files(), ["f00.png", "f01.png", "f02.png"]);
    folder.done(&format!("{call} last.png"));
    let read = |name| png(&std::fs::read(folder.path(name)).expect(name)).2;
    assert!(read("f02.png") == read("last.png") && read("f00.png") != read("last.png"));
    // None of them is replaced unasked.
    std::fs::remove_file(folder.path("f00.png")).expect("it was there");
    let refused = folder.call(&format!("{call} f%02d.png"));
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("f0") && refused.stderr.contains("--yes"), "{}", refused.stderr);
    assert!(!folder.path("f00.png").exists());
}

#[test]
fn a_film_of_lower_quality_is_smaller() {
    let folder = Folder::new();
    let call = "render --preset holoviews --engine cpu --quiet --size 320x240 --steps 3";
    for quality in ["20", "45", "95"] {
        folder.done(&format!("{call} --quality {quality} {quality}.mp4"));
    }
    folder.done(&format!("{call} default.mp4"));
    let bytes = |name: &str| std::fs::read(folder.path(name)).expect(name);
    let sizes = ["20.mp4", "45.mp4", "95.mp4"].map(|name| bytes(name).len());
    assert!(sizes[0] * 3 < sizes[1] * 2 && sizes[1] * 3 < sizes[2] * 2, "{sizes:?}");
    assert!(bytes("default.mp4") == bytes("45.mp4"));
}

#[test]
fn a_summary_in_json_says_what_was_drawn() {
    let folder = Folder::new();
    let call =
        "render a.gif --preset holoviews -n 20 --engine cpu --size 64x48 --skip 1 --steps 4 --every 2 --json";
    let ended = folder.done(call);
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&json["file"], &json["frames"]), (&"a.gif".into(), &3.into()));
    assert_eq!((&json["last_step"], &json["complete"]), (&5.into(), &true.into()));
    assert_eq!(ended.stderr, "");
}

#[test]
fn cones_are_drawn_where_an_adapter_is_and_the_call_says_what_is_missing_where_not() {
    let folder = Folder::new();
    let call = "render --preset yabi --engine cpu --quiet --size 200x120 --steps 2";
    if Gpu::list().iter().any(|entry| entry.compute) {
        for (name, more) in [("a.png", ""), ("b.png", "--colour position"), ("c.png", "--yaw 200 --zoom 2")] {
            folder.done(&format!("{call} {name} {more}"));
        }
        // A flat flock whose arrows would cover the picture is drawn likewise.
        folder.done(
            "render d.png --preset holoviews -n 20k --engine cpu --quiet --size 64x48 --steps 0 --zoom 2",
        );
        // A picture that is too large for the adapter's buffers is coarser, and the call says so.
        let room = Gpu::headless(None, None).expect("an adapter").limits.max_storage_buffer_binding_size;
        let large =
            folder.done("render f.png --preset yabi -n 9 --engine cpu --skip 0 --steps 0 --size 3840x2400");
        let said = large.stderr.contains("squares of 2 x 2 pixels");
        assert_eq!(said, room < 16 * 3840 * 2400, "{}", large.stderr);
        let refused = folder.call(&format!("{call} e.png --look dusk --colour speed"));
        assert!(refused.code == Some(2) && refused.stderr.contains("not seen at dusk"), "{refused:?}");
        let [a, b, c] = ["a.png", "b.png", "c.png"].map(|name| std::fs::read(folder.path(name)).expect(name));
        let (_, _, pixels) = png(&a);
        assert!(pixels.chunks_exact(4).any(|p| p[0] > 120 && p[1] < 60 && p[2] < 60), "red predators");
        assert!(png(&b).2 != pixels && png(&c).2 != pixels);
    } else {
        let ended = folder.call(&format!("{call} a.png"));
        assert_eq!(ended.code, Some(3), "{ended:?}");
        assert!(ended.stderr.contains("no GPU adapter") && folder.files().is_empty(), "{ended:?}");
    }
}

#[test]
fn a_file_is_no_folder_of_pictures() {
    let folder = Folder::new();
    folder.write("taken", "");
    let ended = folder.call("render --engine cpu --steps 1000000 taken/a.png");
    assert!(
        ended.code == Some(2) && ended.stderr.starts_with("error: cannot write taken/a.png"),
        "{ended:?}"
    );
    assert_eq!(folder.files(), ["taken"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_film_that_plays() {
    let folder = Folder::new();
    let child = folder
        .command("render a.mp4 --preset cornell --engine cpu --size 64x64 --steps 1000000000")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The handler of Ctrl-C is installed before the film's temporary file exists.
    let begun = Instant::now();
    while folder.files().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no film was begun");
        std::thread::sleep(Duration::from_millis(20));
    }
    crate::ending::signal("-INT", child.id());
    let ended = ended(child.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains("stopped at step"), "{ended:?}");
    assert_eq!(folder.files(), ["a.mp4"]);
    assert!(mp4_frames(&std::fs::read(folder.path("a.mp4")).expect("a film")) >= 1);
}

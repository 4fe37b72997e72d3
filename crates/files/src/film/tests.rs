use std::path::Path;

use openh264::decoder::Decoder;
use openh264::formats::YUVSource as _;

use super::gif::palette;
use super::mp4::level;
use super::stills::is_unsupported;
use super::*;
use crate::failure::FailureKind;

const SIZE: [u32; 2] = [96, 64];

/// A film of these frames, in its file.
fn film(path: &Path, size: [u32; 2], fps: u32, frames: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut film = Film::create(path, size, fps, Film::QUALITY, Existing::Keep).unwrap();
    for frame in frames {
        film.frame(&frame).unwrap();
    }
    film.finish().unwrap();
    std::fs::read(path).unwrap()
}

/// Frames of one colour.
fn plain(size: [u32; 2], value: u8) -> Vec<u8> {
    vec![value; (size[0] * size[1] * 4) as usize]
}

fn count(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn finishes_only_with_a_frame() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.mp4", "a.GIF", "a.png", "f%d.png"] {
        let begin = || {
            let path = folder.path().join(name);
            Film::create(&path, [32, 16], 30, Film::QUALITY, Existing::Keep).unwrap()
        };
        begin().finish().unwrap();
        assert_eq!(count(folder.path()), 0, "{name} without a frame");
        let mut film = begin();
        film.frame(&plain([32, 16], 90)).unwrap();
        assert_eq!(film.frames(), 1);
        drop(film);
        // Numbered pictures are whole one by one.
        assert_eq!(count(folder.path()), usize::from(name == "f%d.png"), "{name} dropped");
    }
}

#[test]
fn a_file_that_appears_while_a_film_grows_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    for (name, pattern) in [("a.mp4", "a.mp4"), ("a.gif", "a.gif"), ("a.png", "a.png"), ("f1.png", "f%d.png")]
    {
        let path = folder.path().join(pattern);
        let mut film = Film::create(&path, [32, 16], 30, Film::QUALITY, Existing::Keep).unwrap();
        let mut frame = || film.frame(&plain([32, 16], 90));
        frame().unwrap();
        std::fs::write(folder.path().join(name), "of another program").unwrap();
        let error = frame().and_then(|()| film.finish()).unwrap_err();
        assert!(error.kind == FailureKind::Work && error.message.contains(name), "{error}");
        assert_eq!(std::fs::read(folder.path().join(name)).unwrap(), b"of another program");
    }
}

#[test]
fn numbered_pictures_have_names_and_a_still_has_the_last_frame() {
    let name = |pattern: &str, number| {
        Numbered::of(Path::new(pattern)).map(|names| names.path(number).display().to_string())
    };
    assert_eq!(name("a/f%04d.png", 7).as_deref(), Some("a/f0007.png"));
    assert_eq!(name("%d-x.png", 12).as_deref(), Some("12-x.png"));
    for none in ["f.png", "f%.png", "f%4d.png", "f%099d.png", "f%x.png", "a%d/f.png"] {
        assert_eq!(name(none, 0), None, "{none}");
        assert_eq!(is_unsupported(Path::new(none)), ["f%4d.png", "f%099d.png"].contains(&none), "{none}");
    }
    let folder = tempfile::tempdir().unwrap();
    let last: Vec<u8> = (0..24).collect();
    let bytes = film(&folder.path().join("a.png"), [3, 2], 30, [plain([3, 2], 7), last]);
    let mut reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (3, 2, png::ColorType::Rgb));
    assert_eq!(pixels[..6], [0, 1, 2, 4, 5, 6]);
}

#[test]
fn y4m_has_three_planes_a_frame_in_limited_range() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.y4m");
    let shape = Shape { width: 4, height: 2, fps: 25 };
    let mut film = Box::new(Y4m::new(AtomicFile::create(&path, Existing::Keep).unwrap(), shape));
    film.frame(&[0; 32]).unwrap();
    film.frame(&[255; 32]).unwrap();
    film.finish().unwrap();
    let bytes = std::fs::read(path).unwrap();
    let header = b"YUV4MPEG2 W4 H2 F25:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n";
    let (black, white) = bytes.strip_prefix(header).unwrap().split_at(18);
    for (frame, light) in [(black, 16), (white, 235)] {
        let planes = frame.strip_prefix(b"FRAME\n").unwrap();
        assert!(planes.len() == 12 && planes[..8].iter().all(|y| y.abs_diff(light) <= 1), "{planes:?}");
        assert!(planes[8..].iter().all(|colour| colour.abs_diff(128) <= 1), "{planes:?}");
    }
}

/// Every frame of a GIF as it is seen, with its delay.
fn decode_gif(bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::Indexed);
    let mut decoder = options.read_info(bytes).unwrap();
    let table = decoder.global_palette().unwrap().to_vec();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut screen = vec![0; width * height * 3];
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (k, &index) in frame.buffer.iter().enumerate() {
            let x = usize::from(frame.left) + k % usize::from(frame.width);
            let y = usize::from(frame.top) + k / usize::from(frame.width);
            if Some(index) != frame.transparent {
                let colour = &table[3 * usize::from(index)..][..3];
                screen[3 * (y * width + x)..][..3].copy_from_slice(colour);
            }
        }
        frames.push((frame.delay, screen.clone()));
    }
    assert_eq!(decoder.repeat(), ::gif::Repeat::Infinite);
    frames
}

/// A bright square on a dark gradient.
fn square(side: usize, at: usize) -> Vec<u8> {
    let pixel = |k: usize| {
        let (x, y) = (k % side, k / side);
        let bird = (at..at + 4).contains(&x) && (at..at + 4).contains(&y);
        if bird { [240, 200, 60, 255] } else { [10, 12 + y as u8 / 2, 30 + y as u8, 255] }
    };
    (0..side * side).flat_map(pixel).collect()
}

#[test]
fn a_gif_shows_every_frame_at_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let scenes: Vec<_> = [3, 3, 20, 40].iter().map(|&at| square(48, at)).collect();
    let frames = decode_gif(&film(&folder.path().join("a.gif"), [48, 48], 30, scenes.clone()));
    let delays: Vec<_> = frames.iter().map(|(delay, _)| *delay).collect();
    assert_eq!(delays, [3, 4, 3, 3], "4 frames at 30 a second last 0.13 s");
    let error = |seen: &[u8], meant: &[u8]| {
        let meant = meant.as_chunks::<4>().0.iter().flat_map(|pixel| &pixel[..3]);
        seen.iter().zip(meant).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
    };
    for ((_, seen), meant) in frames.iter().zip(&scenes) {
        assert!(error(seen, meant) <= 24, "off by {}", error(seen, meant));
    }
    assert!(error(&frames[0].1, &scenes[3]) > 100, "the check can fail");
    // Above 50 a second frames are left out.
    let fast = film(&folder.path().join("b.gif"), [16, 16], 100, (0..10).map(|at| square(16, at)));
    let delays: Vec<_> = decode_gif(&fast).iter().map(|(delay, _)| *delay).collect();
    assert_eq!(delays, [2; 5]);
}

#[test]
fn a_rare_colour_is_kept_among_many_of_the_sky() {
    let sky = (0..32_768_u32).map(|k| [k as u8 % 64 / 2, k as u8 % 64 / 2, k as u8 % 64, 255]);
    let bird = [250, 40, 30, 255];
    let sample: Vec<_> = sky.chain([bird; 40]).collect();
    let palette = palette(&sample);
    let seen = |colour: [u8; 4]| palette.lookup(palette.index_of(&colour)).unwrap();
    for colour in [bird, [16, 16, 32, 255], [31, 31, 63, 255]] {
        let off = seen(colour).iter().zip(colour).map(|(seen, meant)| seen.abs_diff(meant)).max();
        assert!(off <= Some(8), "{:?} in place of {colour:?}", seen(colour));
    }
}

#[test]
fn the_level_is_that_of_the_standard() {
    // Frame rates that the standard gives for sizes at its levels (table A-6), and one frame a second more.
    for (width, height, fps, expected) in [
        (176, 144, 15, 10),
        (176, 144, 16, 11),
        (352, 288, 31, 21),
        (720, 576, 25, 30),
        (720, 576, 26, 31),
        (1280, 720, 60, 32),
        (1280, 720, 61, 40),
        (1920, 1080, 120, 51),
        (3840, 2160, 240, 61),
        (16, 3840, 1, 40),
    ] {
        assert_eq!(level(Shape { width, height, fps }), expected, "{width} x {height} at {fps}");
    }
    // The encoder itself counts no more than 60 frames a second.
    let folder = tempfile::tempdir().unwrap();
    let bytes = film(&folder.path().join("a.mp4"), [1280, 720], 120, [plain([1280, 720], 90)]);
    let avcc = find(&bytes, &["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1", "avcC"]).unwrap();
    // In the decoder's configuration and in the sequence parameters.
    assert!(avcc[3] == avcc[8 + 3] && avcc[3] >= 42, "{} {}", avcc[3], avcc[8 + 3]);
}

/// The body of the first box along `path`, each name a level deeper; `avc1` and `stsd` have
/// fields before their children.
fn find<'a>(mut bytes: &'a [u8], path: &[&str]) -> Option<&'a [u8]> {
    let (name, deeper) = path.split_first()?;
    while bytes.len() >= 8 {
        let short = u32::from_be_bytes(bytes[..4].try_into().unwrap()) as usize;
        let (size, header) = match short {
            1 => (u64::from_be_bytes(bytes[8..16].try_into().unwrap()) as usize, 16),
            _ => (short, 8),
        };
        assert!(size >= header && size <= bytes.len(), "a box of {size} bytes");
        if &bytes[4..8] == name.as_bytes() {
            let body = &bytes[header..size];
            let fields = match *name {
                "stsd" => 8,
                "avc1" => 78,
                _ => 0,
            };
            return if deeper.is_empty() { Some(body) } else { find(&body[fields..], deeper) };
        }
        bytes = &bytes[size..];
    }
    None
}

fn u32_at(body: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(body[at..at + 4].try_into().unwrap())
}

fn u64_at(body: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(body[at..at + 8].try_into().unwrap())
}

/// A bright bar that moves to the right on a dusk gradient.
fn scene(number: u32) -> Vec<u8> {
    let [width, height] = SIZE;
    let pixel = |k: u32| {
        let (x, y) = (k % width, k / width);
        let shade = 20 + y as u8;
        let bar = x / 8 == number % 12;
        if bar { [250, 220, 90, 255] } else { [shade, shade, shade + 30, 255] }
    };
    (0..width * height).flat_map(pixel).collect()
}

/// The parameter sets of a decoder's configuration, with Annex B start codes.
fn parameter_sets(avcc: &[u8]) -> Vec<u8> {
    let sps_len = usize::from(u16::from_be_bytes([avcc[6], avcc[7]]));
    let sps = &avcc[8..8 + sps_len];
    let pps = &avcc[8 + sps_len + 3..];
    [&[0, 0, 0, 1], sps, &[0, 0, 0, 1], pps].concat()
}

/// A sample's NAL units with Annex B start codes in place of their lengths.
fn annex_b(mut sample: &[u8]) -> Vec<u8> {
    let mut stream = Vec::new();
    while !sample.is_empty() {
        let length = u32_at(sample, 0) as usize;
        stream.extend([0, 0, 0, 1]);
        stream.extend(&sample[4..4 + length]);
        sample = &sample[4 + length..];
    }
    stream
}

/// Decodes every sample through the index alone, as a player does.
fn decode(bytes: &[u8]) -> Vec<Vec<u8>> {
    let stbl = find(bytes, &["moov", "trak", "mdia", "minf", "stbl"]).unwrap();
    let avcc = find(stbl, &["stsd", "avc1", "avcC"]).unwrap();
    let mut stream = parameter_sets(avcc);
    let stsz = find(stbl, &["stsz"]).unwrap();
    let mut at = u64_at(find(stbl, &["co64"]).unwrap(), 8) as usize;
    let mut decoder = Decoder::new().unwrap();
    let mut frames = Vec::new();
    for k in 0..u32_at(stsz, 8) as usize {
        let sample = &bytes[at..at + u32_at(stsz, 12 + 4 * k) as usize];
        at += sample.len();
        stream.extend(annex_b(sample));
        if let Some(picture) = decoder.decode(&stream).unwrap() {
            frames.push(rgba(&picture));
        }
        stream.clear();
    }
    assert_eq!(at, bytes.len(), "the samples end with the file");
    frames.extend(decoder.flush_remaining().unwrap().iter().map(rgba));
    frames
}

fn rgba(picture: &openh264::decoder::DecodedYUV<'_>) -> Vec<u8> {
    assert_eq!(picture.dimensions(), (SIZE[0] as usize, SIZE[1] as usize));
    let mut pixels = vec![0; (SIZE[0] * SIZE[1] * 4) as usize];
    picture.write_rgba8(&mut pixels);
    pixels
}

fn mean_error(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    let sum: u64 = a.iter().zip(b).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.len() as f64
}

#[test]
fn index_tells_size_duration_and_key_frames() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = film(&folder.path().join("a.mp4"), SIZE, 25, (0..60).map(scene));
    assert_eq!(&find(&bytes, &["ftyp"]).unwrap()[..4], b"isom");
    let mvhd = find(&bytes, &["moov", "mvhd"]).unwrap();
    let seconds = u64_at(mvhd, 24) as f64 / f64::from(u32_at(mvhd, 20));
    assert_eq!(seconds, 60.0 / 25.0);
    let tkhd = find(&bytes, &["moov", "trak", "tkhd"]).unwrap();
    assert_eq!([u32_at(tkhd, 88) >> 16, u32_at(tkhd, 92) >> 16], SIZE);
    let stbl = find(&bytes, &["moov", "trak", "mdia", "minf", "stbl"]).unwrap();
    assert_eq!(u32_at(find(stbl, &["stsz"]).unwrap(), 8), 60);
    assert_eq!(find(stbl, &["stts"]).unwrap()[4..], [1_u32, 60, 512].map(u32::to_be_bytes).concat());
    assert_eq!(find(stbl, &["stss"]).unwrap()[4..], [2_u32, 1, 51].map(u32::to_be_bytes).concat());
    let place = |name: &[u8]| bytes.windows(4).position(|window| window == name).unwrap();
    assert!(place(b"moov") < place(b"mdat"), "a browser plays while it loads");
    assert!(find(&bytes, &["moov", "udta"]).is_none(), "the walk can fail");
}

#[test]
fn decodes_to_the_frames_given() {
    let folder = tempfile::tempdir().unwrap();
    let frames = decode(&film(&folder.path().join("a.mp4"), SIZE, 25, (0..7).map(scene)));
    assert_eq!(frames.len(), 7);
    for (number, frame) in (0..).zip(&frames) {
        assert!(mean_error(frame, &scene(number)) < 5.0, "frame {number}");
    }
    assert!(mean_error(&frames[0], &scene(1)) > 15.0, "the check can fail");
    assert_eq!(decode(&film(&folder.path().join("b.mp4"), SIZE, 25, [scene(0)])).len(), 1);
}

/// The frames of a film in fragments, by their indices alone. Bytes after the last whole fragment are ignored.
fn decode_fragments(bytes: &[u8]) -> Vec<Vec<u8>> {
    let stbl = find(bytes, &["moov", "trak", "mdia", "minf", "stbl"]).unwrap();
    // Chromium shows nothing where the index lists no key frames, or a chunk without samples.
    assert!(["stts", "stsc", "co64"].iter().all(|table| find(stbl, &[table]).unwrap() == [0; 8]));
    assert!(find(stbl, &["stss"]).is_none() && find(bytes, &["moov", "mvex", "trex"]).is_some());
    let stsd = find(stbl, &["stsd"]).unwrap();
    let mut stream = parameter_sets(find(&stsd[8..], &["avc1", "avcC"]).unwrap());
    let mut decoder = Decoder::new().unwrap();
    let mut frames = Vec::new();
    let mut rest = bytes;
    while rest.len() >= 8 && rest.len() >= u32_at(rest, 0) as usize {
        let (whole, after) = rest.split_at(u32_at(rest, 0) as usize);
        if let Some(trun) = find(whole, &["moof", "traf", "trun"]) {
            let tfdt = find(whole, &["moof", "traf", "tfdt"]).unwrap();
            assert_eq!(
                u64_at(tfdt, 4),
                512 * frames.len() as u64,
                "a fragment begins where the last one ends"
            );
            let data = u32_at(trun, 8) as usize;
            let count = u32_at(trun, 4) as usize;
            let size = |k: usize| u32_at(trun, 12 + 8 * k) as usize;
            if rest.len() < data + (0..count).map(size).sum::<usize>() {
                break;
            }
            let mut at = data;
            for k in 0..count {
                stream.extend(annex_b(&rest[at..at + size(k)]));
                at += size(k);
                frames.extend(decoder.decode(&stream).unwrap().as_ref().map(rgba));
                stream.clear();
            }
            assert_eq!(at, whole.len() + u32_at(after, 0) as usize, "the samples end with the fragment");
        }
        rest = after;
    }
    frames
}

#[test]
fn a_growing_film_is_playable_up_to_its_last_second() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp4");
    let record = || Film::record(&path, SIZE, 25).unwrap();
    let mut film = record();
    assert!(Film::record(&path, SIZE, 25).is_err(), "it takes no other file's name");
    (0..60).for_each(|number| film.frame(&scene(number)).unwrap());
    // The file as a kill would leave it here, and as a kill during a write would leave it.
    let bytes = std::fs::read(&path).unwrap();
    let frames = decode_fragments(&bytes);
    assert_eq!(frames.len(), 50);
    for (number, frame) in (0..).zip(&frames) {
        assert!(mean_error(frame, &scene(number)) < 5.0, "frame {number}");
    }
    assert_eq!(decode_fragments(&bytes[..bytes.len() - 1]).len(), 25);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    film.finish().unwrap();
    let finished = std::fs::read(&path).unwrap();
    assert_eq!(decode(&finished).len(), 60);
    std::fs::remove_file(&path).unwrap();
    assert!(finished == self::film(&path, SIZE, 25, (0..60).map(scene)), "its end is that of any film");
    // Dropped within its first second it leaves no file.
    std::fs::remove_file(&path).unwrap();
    let mut film = record();
    film.frame(&scene(0)).unwrap();
    drop(film);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

use std::path::Path;

use openh264::decoder::Decoder;
use openh264::formats::YUVSource;

use crate::Existing;
use crate::film::Film;

const SIZE: [u32; 2] = [96, 64];

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

fn film(path: &Path, frames: u32) -> Vec<u8> {
    let mut film = Film::create(path, SIZE, 25, Film::QUALITY, Existing::Keep).unwrap();
    for number in 0..frames {
        film.frame(&scene(number)).unwrap();
    }
    film.finish().unwrap();
    std::fs::read(path).unwrap()
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

/// The encoder itself counts no more than 60 frames a second.
#[test]
fn a_film_of_120_frames_a_second_has_its_level() {
    let folder = tempfile::tempdir().unwrap();
    for (fps, expected) in [(60, 32), (120, 42)] {
        let path = folder.path().join(format!("{fps}.mp4"));
        let mut film = Film::create(&path, [1280, 720], fps, Film::QUALITY, Existing::Keep).unwrap();
        film.frame(&[90; 1280 * 720 * 4]).unwrap();
        film.finish().unwrap();
        let bytes = std::fs::read(path).unwrap();
        let avcc = find(&bytes, &["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1", "avcC"]).unwrap();
        // In the decoder's configuration and in the sequence parameters.
        let stated = [avcc[3], avcc[8 + 3]];
        assert!(stated[0] == stated[1] && stated[0] >= expected, "{stated:?} at {fps}");
    }
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
    let bytes = film(&folder.path().join("a.mp4"), 60);
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
    let frames = decode(&film(&folder.path().join("a.mp4"), 7));
    assert_eq!(frames.len(), 7);
    for (number, frame) in (0..).zip(&frames) {
        assert!(mean_error(frame, &scene(number)) < 5.0, "frame {number}");
    }
    assert!(mean_error(&frames[0], &scene(1)) > 15.0, "the check can fail");
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
    assert!(finished == self::film(&path, 60), "its end is that of any film");
    // Dropped within its first second it leaves no file.
    std::fs::remove_file(&path).unwrap();
    let mut film = record();
    film.frame(&scene(0)).unwrap();
    drop(film);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn one_frame_is_a_film() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(decode(&film(&folder.path().join("a.mp4"), 1)).len(), 1);
}

//! MP4 (ISO/IEC 14496-12 and -15): one H.264 track, its index before its data.
//!
//! ```text
//! ftyp                     what the file is
//! moov                     the index
//!   mvhd                     time scale, duration
//!   trak
//!     tkhd                   size on screen
//!     mdia
//!       mdhd, hdlr           time scale, "a video track"
//!       minf
//!         vmhd, dinf         "the data is in this file"
//!         stbl
//!           stsd, avc1, avcC   the codec and its parameter sets
//!           stts, stss         one duration for all, the key frames
//!           stsc, stsz, co64   one chunk, the size of each sample, where it begins
//! mdat                     the samples, one after another
//! ```
//!
//! The index needs the size of every sample, so the samples wait in an unnamed file beside the target. With the index
//! in front a browser can play the file while it loads. A recording of the window, which may end at any time, also
//! grows in fragments ([`Growing`]).

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, ColorPrimaries, Complexity, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, UsageType, VuiConfig,
};
use openh264::formats::{RgbaSliceU8, YUVBuffer};

use super::{Encoder, Shape};
use crate::{AtomicFile, Existing, Failure, Result, folder_of};

/// The quantizers of the worst and the best quality. (A rate control would starve a dense flock.)
const QUANTIZERS: [u32; 2] = [51, 10];
/// The bit rate that selects the stream's level, in bits per pixel. It does not limit the stream.
const BITS_PER_PIXEL: f64 = 0.5;
/// Seconds between key frames, at which a player can seek.
const KEY_SECONDS: u32 = 2;

/// Encodes frames as they come, in YUV (BT.601, 4:2:0, limited range).
pub(super) struct H264 {
    encoder: openh264::encoder::Encoder,
    mp4: Mp4,
    size: (usize, usize),
}

impl H264 {
    /// `quality` is 1 to 100.
    pub(super) fn new(mp4: Mp4, shape: Shape, quality: u32) -> Result<Self> {
        let [worst, best] = QUANTIZERS;
        let quantizer = (worst - quality.min(100) * (worst - best) / 100) as u8;
        let pixels_a_second = f64::from(shape.width) * f64::from(shape.height) * f64::from(shape.fps);
        // The encoder takes at most 240 Mbit/s, the limit of its highest level.
        let rate = (pixels_a_second * BITS_PER_PIXEL).clamp(1e5, 2.4e8) as u32;
        let config = EncoderConfig::new()
            .usage_type(UsageType::CameraVideoRealTime)
            // With a single quantizer in range this is constant quality.
            .rate_control_mode(RateControlMode::Bufferbased)
            .bitrate(BitRate::from_bps(rate))
            .qp(QpRange::new(quantizer, quantizer))
            .max_frame_rate(FrameRate::from_hz(shape.fps as f32))
            .intra_frame_period(IntraFramePeriod::from_num_frames(shape.fps * KEY_SECONDS))
            .complexity(Complexity::Medium)
            // A skipped frame would shift all later frames.
            .skip_frames(false)
            // These save bits by dropping faint, slow boids from the picture.
            .background_detection(false)
            .adaptive_quantization(false)
            .scene_change_detect(false)
            // The conversion of YUVBuffer is that of BT.601; the colours themselves are sRGB's.
            .vui(VuiConfig::bt601().color_primaries(ColorPrimaries::Bt709));
        let encoder = openh264::encoder::Encoder::with_api_config(OpenH264API::from_source(), config)
            .map_err(|error| Failure::encode(&mp4.path, error))?;
        Ok(Self { encoder, mp4, size: shape.size() })
    }
}

impl Encoder for H264 {
    fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        let Self { encoder, mp4, size } = self;
        let yuv = YUVBuffer::from_rgba8_source(RgbaSliceU8::new(rgba, *size));
        let bits = encoder.encode(&yuv).map_err(|error| Failure::encode(&mp4.path, error))?;
        for layer in (0..bits.num_layers()).filter_map(|i| bits.layer(i)) {
            (0..layer.nal_count()).filter_map(|i| layer.nal_unit(i)).for_each(|unit| mp4.add(unit));
        }
        mp4.end_frame(bits.frame_type() == FrameType::IDR)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.mp4.finish()
    }
}

/// An MP4 file under way.
pub(super) struct Mp4 {
    path: PathBuf,
    /// The file of the whole film. A growing film creates it at the end.
    file: Option<AtomicFile>,
    growing: Option<Growing>,
    spool: BufWriter<File>,
    track: Track,
    /// The current frame as NAL units, each after its length; parameter sets are kept in `track`.
    sample: Vec<u8>,
    /// Sizes of the samples, and the numbers of the key frames, from 1.
    sizes: Vec<u32>,
    keys: Vec<u32>,
}

impl Mp4 {
    /// Starts a film that appears under its name when it is complete.
    pub(super) fn whole(path: &Path, shape: Shape, existing: Existing) -> Result<Self> {
        let file = AtomicFile::create(path, existing)?;
        let mp4 = Self::new(path, &file.folder(), shape)?;
        Ok(Self { file: Some(file), ..mp4 })
    }

    /// Starts a film that can be played while it grows, under a new name.
    pub(super) fn growing(path: &Path, shape: Shape) -> Result<Self> {
        let growing = Growing::create(path).map_err(|source| Failure::create(path, source))?;
        let mp4 = Self::new(path, &folder_of(path), shape)?;
        Ok(Self { growing: Some(growing), ..mp4 })
    }

    fn new(path: &Path, folder: &Path, shape: Shape) -> Result<Self> {
        let spool = tempfile::tempfile_in(folder).map_err(|source| Failure::write(path, source))?;
        let (path, spool) = (path.to_owned(), BufWriter::new(spool));
        let track = Track { shape, sps: vec![], pps: vec![] };
        let (sample, sizes, keys) = (vec![], vec![], vec![]);
        Ok(Self { path, file: None, growing: None, spool, track, sample, sizes, keys })
    }

    /// Adds a NAL unit, which begins with an Annex B start code, to the frame under way.
    fn add(&mut self, unit: &[u8]) {
        let zeros = unit.iter().take_while(|&&byte| byte == 0).count();
        let Some(unit) = unit.get(zeros + 1..).filter(|unit| !unit.is_empty()) else { return };
        match unit[0] & 0x1f {
            // The encoder repeats the same sets at each key frame.
            7 => self.track.set_sps(unit),
            8 => self.track.pps = unit.to_vec(),
            _ => {
                self.sample.extend((unit.len() as u32).to_be_bytes());
                self.sample.extend(unit);
            }
        }
    }

    /// Ends the frame under way.
    fn end_frame(&mut self, key: bool) -> Result<()> {
        if self.sample.is_empty() {
            return Err(Failure::encode(&self.path, "the encoder dropped a frame"));
        }
        self.sizes.push(self.sample.len() as u32);
        self.keys.extend(key.then_some(self.sizes.len() as u32));
        let mut written = self.spool.write_all(&self.sample);
        if let Some(growing) = &mut self.growing {
            written = written.and_then(|()| growing.add(&self.track, &self.sample, key));
        }
        self.sample.clear();
        written.map_err(|source| Failure::write(&self.path, source))
    }

    /// Writes index and samples, and gives the file its name.
    fn finish(mut self) -> Result<()> {
        if !self.track.is_complete() {
            return Err(Failure::encode(&self.path, "the encoder returned no parameter sets"));
        }
        // The whole film replaces the growing one. A film shorter than a second has removed its file when it is dropped.
        let own = self.growing.take().is_some_and(|growing| growing.has_fragments());
        let existing = Existing::replaced_if(own);
        let mut file = self.file.take().map_or_else(|| AtomicFile::create(&self.path, existing), Ok)?;
        self.write(&mut file).map_err(|source| file.failed(source))?;
        file.commit()
    }

    fn write(&mut self, out: &mut impl Write) -> io::Result<()> {
        let moov = |data| self.track.moov(&self.sizes, &self.keys, data);
        let length = self.spool.stream_position()?;
        self.spool.rewind()?;
        // A 64-bit size, whatever the length: one form for all.
        let header = 16;
        let data = ftyp().len() + moov(0).len() + header;
        out.write_all(&[ftyp(), moov(data as u64)].concat())?;
        out.write_all(b"\0\0\0\x01mdat")?;
        out.write_all(&(length + header as u64).to_be_bytes())?;
        let copied = io::copy(&mut self.spool.get_ref().take(length), out)?;
        if copied == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// Flags of a sample: a key frame depends on no other, any other frame does.
const KEY: u32 = 0x0200_0000;
const OTHER: u32 = 0x0101_0000;

/// A film that can be played while it grows: its index is followed by fragments of a second, each with its own index
/// (ISO/IEC 14496-12, 8.8). However the process ends, the file is a film up to its last second.
///
/// ```text
/// ftyp, moov               as of a whole film, without a sample
///   mvex, trex               "fragments follow"
/// moof                     the index of a fragment
///   mfhd                     its number
///   traf
///     tfhd, tfdt             the track, the time that it begins at
///     trun                   the size of each sample, and whether it is a key frame
/// mdat                     its samples
/// ```
struct Growing {
    path: PathBuf,
    file: File,
    /// Size and flags of each sample.
    samples: Vec<[u32; 2]>,
    bytes: Vec<u8>,
    /// Fragments that are written, and the frames in them.
    fragments: u32,
    frames: u64,
}

impl Growing {
    fn create(path: &Path) -> io::Result<Self> {
        let (file, path) = (File::create_new(path)?, path.to_owned());
        Ok(Growing { path, file, samples: vec![], bytes: vec![], fragments: 0, frames: 0 })
    }

    /// Appends a frame; writes the fragment once it is complete.
    fn add(&mut self, track: &Track, sample: &[u8], key: bool) -> io::Result<()> {
        self.samples.push([sample.len() as u32, if key { KEY } else { OTHER }]);
        self.bytes.extend(sample);
        if self.samples.len() < track.shape.fps as usize || !track.is_complete() {
            return Ok(());
        }
        let head = if self.fragments == 0 { [ftyp(), track.moov_of_fragments()].concat() } else { vec![] };
        // The samples follow the header of `mdat`.
        let moof = self.moof(self.moof(0).len() as u32 + 8);
        self.file.write_all(&[head, moof, full(b"mdat", &[&self.bytes])].concat())?;
        self.fragments += 1;
        self.frames += self.samples.len() as u64;
        self.samples.clear();
        self.bytes.clear();
        Ok(())
    }

    /// True if the file holds a film.
    fn has_fragments(&self) -> bool {
        self.fragments > 0
    }

    /// The index of the fragment; its samples begin `data` bytes after the beginning of the fragment.
    fn moof(&self, data: u32) -> Vec<u8> {
        let traf = [
            // Flags: offsets are relative to the beginning of the fragment.
            words(b"tfhd", &[&[0x02_0000, 1]]),
            words(b"tfdt", &[&[1 << 24], &long(self.frames * u64::from(FRAME))]),
            // Flags: the offset of the data, and size and flags of each sample.
            words(b"trun", &[&[0x601, self.samples.len() as u32, data], self.samples.as_flattened()]),
        ];
        let mfhd = words(b"mfhd", &[&[0, self.fragments + 1]]);
        full(b"moof", &[&mfhd, &full(b"traf", &[&traf.concat()])])
    }
}

impl Drop for Growing {
    /// A film without a whole second leaves no file.
    fn drop(&mut self) {
        if self.fragments == 0 && self.file.metadata().is_ok_and(|file| file.len() == 0) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Time units per frame.
const FRAME: u32 = 512;

/// The unit matrix of the headers, 16.16 and 2.30 fixed point.
const MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

/// A box of complete parts: size, four letters, contents. Numbers are big-endian.
fn full(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let length = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    [&(length as u32).to_be_bytes()[..], kind, &parts.concat()].concat()
}

/// A box of words, the first of which is its version, of 8 bits, and its flags.
fn words(kind: &[u8; 4], words: &[&[u32]]) -> Vec<u8> {
    full(kind, &[words.concat().into_iter().map(u32::to_be_bytes).collect::<Vec<_>>().as_flattened()])
}

/// The two words of a long number.
fn long(number: u64) -> [u32; 2] {
    [(number >> 32) as u32, number as u32]
}

/// The box that names the file's type and brands.
fn ftyp() -> Vec<u8> {
    full(b"ftyp", &[b"isom", &512_u32.to_be_bytes(), b"isomiso5avc1mp41"])
}

/// The properties that all samples share.
struct Track {
    shape: Shape,
    sps: Vec<u8>,
    pps: Vec<u8>,
}

impl Track {
    /// Takes the encoder's sequence parameters, with the level that the film has by the standard: the encoder counts no
    /// more than 60 frames per second.
    fn set_sps(&mut self, unit: &[u8]) {
        self.sps = unit.to_vec();
        if let Some(stated) = self.sps.get_mut(3) {
            *stated = level(self.shape).max(*stated);
        }
    }

    /// True if the encoder has given its parameter sets.
    fn is_complete(&self) -> bool {
        self.sps.len() >= 4 && !self.pps.is_empty()
    }

    /// The index of samples of these sizes, which begin `data` bytes into the file; `keys` numbers the key frames.
    fn moov(&self, sizes: &[u32], keys: &[u32], data: u64) -> Vec<u8> {
        let count = sizes.len() as u32;
        let tables = [
            words(b"stts", &[&[0, 1, count, FRAME]]),
            words(b"stss", &[&[0, keys.len() as u32], keys]),
            words(b"stsc", &[&[0, 1, 1, count, 1]]),
            words(b"stsz", &[&[0, 0, count], sizes]),
            words(b"co64", &[&[0, 1], &long(data)]),
        ];
        self.index(count, &tables.concat(), &[])
    }

    /// The index of a file whose samples come in fragments, each with its own index. It has no list of key frames: an
    /// empty list would mean that there are no key frames.
    fn moov_of_fragments(&self) -> Vec<u8> {
        let [stts, stsc, co64] = [b"stts", b"stsc", b"co64"].map(|kind| words(kind, &[&[0, 0]]));
        let tables = [stts, stsc, words(b"stsz", &[&[0, 0, 0]]), co64];
        // Track 1, sample description 1, then the default duration, size and flags of a sample.
        let trex = words(b"trex", &[&[0, 1, 1, FRAME, 0, 0]]);
        self.index(0, &tables.concat(), &full(b"mvex", &[&trex]))
    }

    fn index(&self, count: u32, tables: &[u8], mvex: &[u8]) -> Vec<u8> {
        let Shape { width, height, fps } = self.shape;
        let scale = fps * FRAME;
        let duration = long(u64::from(count) * u64::from(FRAME));
        // Times of 64 bits are version 1.
        let mvhd: [&[u32]; 6] = [
            &[1 << 24, 0, 0, 0, 0, scale],
            &duration,
            // Speed 1, full volume, reserved; then predefined, and the next track.
            &[0x1_0000, 0x0100_0000, 0, 0],
            &MATRIX,
            &[0; 6],
            &[2],
        ];
        // Flags: enabled, in the movie, in the preview.
        let tkhd: [&[u32]; 5] =
            [&[1 << 24 | 7, 0, 0, 0, 0, 1, 0], &duration, &[0; 4], &MATRIX, &[width << 16, height << 16]];
        // Language "und", five bits a letter.
        let mdhd: [&[u32]; 3] = [&[1 << 24, 0, 0, 0, 0, scale], &duration, &[0x55c4_0000]];
        let hdlr = full(b"hdlr", &[&[0; 8], b"vide", &[0; 12], b"VideoHandler\0"]);
        let dref = full(b"dref", &[&[0, 0, 0, 0, 0, 0, 0, 1], &words(b"url ", &[&[1]])]);
        let stsd = full(b"stsd", &[&[0, 0, 0, 0, 0, 0, 0, 1], &self.avc1()]);
        let stbl = full(b"stbl", &[&stsd, tables]);
        let minf = full(b"minf", &[&words(b"vmhd", &[&[1, 0, 0]]), &full(b"dinf", &[&dref]), &stbl]);
        let mdia = full(b"mdia", &[&words(b"mdhd", &mdhd), &hdlr, &minf]);
        let trak = full(b"trak", &[&words(b"tkhd", &tkhd), &mdia]);
        full(b"moov", &[&words(b"mvhd", &mvhd), &trak, mvex])
    }

    /// The codec, and the decoder's configuration: profile and level as in the SPS, lengths of four bytes.
    fn avc1(&self) -> Vec<u8> {
        let Self { shape: Shape { width, height, .. }, sps, pps } = self;
        let length = |set: &[u8]| (set.len() as u16).to_be_bytes();
        let [sps_length, pps_length] = [length(sps), length(pps)];
        let profile = &[1, sps[1], sps[2], sps[3], 0xff, 0xe1];
        let avcc = full(b"avcC", &[profile, &sps_length, sps, &[1], &pps_length, pps]);
        // Reserved, data reference 1, predefined and reserved; 72 dpi in both directions.
        let head = [0, 1, 0, 0, 0, 0, width << 16 | height, 0x48_0000, 0x48_0000, 0].map(u32::to_be_bytes);
        // One frame per sample, no compressor name, 24 bits deep.
        full(b"avc1", &[head.as_flattened(), &[0, 1], &[0; 32], &[0, 24, 0xff, 0xff], &avcc])
    }
}

/// The levels of an H.264 stream (ITU-T H.264, table A-1): each as the stream has it, ten times its number, with its most macroblocks a second and in a frame.
const LEVELS: [(u8, u64, u64); 19] = [
    (10, 1_485, 99),
    (11, 3_000, 396),
    (12, 6_000, 396),
    (13, 11_880, 396),
    (20, 11_880, 396),
    (21, 19_800, 792),
    (22, 20_250, 1_620),
    (30, 40_500, 1_620),
    (31, 108_000, 3_600),
    (32, 216_000, 5_120),
    (40, 245_760, 8_192),
    (41, 245_760, 8_192),
    (42, 522_240, 8_704),
    (50, 589_824, 22_080),
    (51, 983_040, 36_864),
    (52, 2_073_600, 36_864),
    (60, 4_177_920, 139_264),
    (61, 8_355_840, 139_264),
    (62, 16_711_680, 139_264),
];

/// The lowest level for frames of this size and rate.
pub(super) fn level(shape: Shape) -> u8 {
    let [width, height] = [shape.width, shape.height].map(|side| u64::from(side.div_ceil(16)));
    let (blocks, rate) = (width * height, u64::from(shape.fps));
    let longest = width.max(height);
    let enough = |(_, a_second, a_frame): &&(u8, u64, u64)| {
        blocks * rate <= *a_second && blocks <= *a_frame && longest * longest <= 8 * a_frame
    };
    // No film is too large for the highest level.
    LEVELS.iter().find(enough).map_or(62, |(level, ..)| *level)
}

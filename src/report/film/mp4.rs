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
//! The index needs the size of every sample, so the samples wait in an unnamed file beside the
//! target. With the index in front a browser plays while it loads.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::Path;

use super::Shape;
use crate::report::atomic::AtomicFile;
use crate::report::error::{Error, Result};

/// One frame, as length-prefixed NAL units; parameter sets go beside it.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) key: bool,
    bytes: Vec<u8>,
    sps: Option<Vec<u8>>,
    pps: Option<Vec<u8>>,
}

impl Sample {
    /// Adds a NAL unit that begins with an Annex B start code.
    pub(super) fn add(&mut self, unit: &[u8]) {
        let zeros = unit.iter().take_while(|&&byte| byte == 0).count();
        let Some(unit) = unit.get(zeros + 1..).filter(|unit| !unit.is_empty()) else {
            return;
        };
        match unit[0] & 0x1f {
            7 => self.sps = Some(unit.to_vec()),
            8 => self.pps = Some(unit.to_vec()),
            _ => {
                self.bytes.extend((unit.len() as u32).to_be_bytes());
                self.bytes.extend(unit);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// An MP4 file under way.
pub(super) struct Mp4 {
    file: AtomicFile,
    spool: BufWriter<File>,
    index: Index,
}

/// What the index says about the samples.
struct Index {
    shape: Shape,
    sps: Vec<u8>,
    pps: Vec<u8>,
    sizes: Vec<u32>,
    /// Numbers of the key frames, from 1.
    keys: Vec<u32>,
}

impl Mp4 {
    pub(super) fn new(file: AtomicFile, shape: Shape) -> Result<Self> {
        let spool = tempfile::tempfile_in(file.folder()).map_err(|source| file.failed(source))?;
        let spool = BufWriter::new(spool);
        let index = Index { shape, sps: vec![], pps: vec![], sizes: vec![], keys: vec![] };
        Ok(Self { file, spool, index })
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Appends a frame.
    pub(super) fn sample(&mut self, sample: Sample) -> Result<()> {
        self.spool.write_all(&sample.bytes).map_err(|source| self.file.failed(source))?;
        let index = &mut self.index;
        index.sizes.push(sample.bytes.len() as u32);
        if sample.key {
            index.keys.push(index.sizes.len() as u32);
        }
        // The encoder repeats the same sets at each key frame.
        if let Some(sps) = sample.sps {
            index.sps = sps;
        }
        if let Some(pps) = sample.pps {
            index.pps = pps;
        }
        Ok(())
    }

    /// Writes index and samples, and gives the file its name.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.index.sps.len() < 4 || self.index.pps.is_empty() {
            return Err(Error::encode(self.path(), "the encoder gave no parameter sets"));
        }
        write(&mut self.file, self.spool, &self.index).map_err(|source| self.file.failed(source))?;
        self.file.commit()
    }
}

fn write(out: &mut impl Write, spool: BufWriter<File>, index: &Index) -> io::Result<()> {
    let mut spool = spool.into_inner().map_err(io::IntoInnerError::into_error)?;
    let length = spool.stream_position()?;
    spool.rewind()?;
    let ftyp = full(b"ftyp", [b"isom", &512_u32.to_be_bytes()[..], b"isomiso2avc1mp41"]);
    // A 64-bit size, whatever the length: one form for all.
    let header = 16;
    let data = |moov_len: usize| (ftyp.len() + moov_len + header) as u64;
    let moov_len = index.moov(0).len();
    out.write_all(&ftyp)?;
    out.write_all(&index.moov(data(moov_len)))?;
    out.write_all(&1_u32.to_be_bytes())?;
    out.write_all(b"mdat")?;
    out.write_all(&(length + header as u64).to_be_bytes())?;
    let copied = io::copy(&mut spool.take(length), out)?;
    if copied == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Time units a second of a film at `fps`: a frame lasts [`FRAME`] of them.
fn timescale(fps: u32) -> u32 {
    fps * FRAME
}

/// Time units a frame.
const FRAME: u32 = 512;

/// The unit matrix of the headers, 16.16 and 2.30 fixed point.
const MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

impl Index {
    fn moov(&self, data: u64) -> Vec<u8> {
        full(b"moov", [self.mvhd(), self.trak(data)])
    }

    fn duration(&self) -> u64 {
        self.sizes.len() as u64 * u64::from(FRAME)
    }

    fn mvhd(&self) -> Vec<u8> {
        let mut body = Body::version(1, 0);
        body.u64s(&[0, 0]).u32s(&[timescale(self.shape.fps)]).u64s(&[self.duration()]);
        // Speed 1, full volume, reserved, matrix, predefined, next track.
        body.u32s(&[0x1_0000, 0x0100_0000, 0, 0]).u32s(&MATRIX).u32s(&[0; 6]).u32s(&[2]);
        body.close(b"mvhd")
    }

    fn trak(&self, data: u64) -> Vec<u8> {
        full(b"trak", [self.tkhd(), self.mdia(data)])
    }

    fn tkhd(&self) -> Vec<u8> {
        let Shape { width, height, .. } = self.shape;
        // Flags: enabled, in the movie, in the preview.
        let mut body = Body::version(1, 7);
        body.u64s(&[0, 0]).u32s(&[1, 0]).u64s(&[self.duration()]).u32s(&[0; 4]).u32s(&MATRIX);
        body.u32s(&[width << 16, height << 16]);
        body.close(b"tkhd")
    }

    fn mdia(&self, data: u64) -> Vec<u8> {
        let mut mdhd = Body::version(1, 0);
        mdhd.u64s(&[0, 0]).u32s(&[timescale(self.shape.fps)]).u64s(&[self.duration()]);
        // Language "und", five bits a letter.
        mdhd.bytes(&[0x55, 0xc4, 0, 0]);
        let mut hdlr = Body::version(0, 0);
        hdlr.u32s(&[0]).bytes(b"vide").u32s(&[0; 3]).bytes(b"VideoHandler\0");
        full(b"mdia", [mdhd.close(b"mdhd"), hdlr.close(b"hdlr"), self.minf(data)])
    }

    fn minf(&self, data: u64) -> Vec<u8> {
        let mut vmhd = Body::version(0, 1);
        vmhd.u32s(&[0, 0]);
        let mut dref = Body::version(0, 0);
        dref.u32s(&[1]).bytes(&Body::version(0, 1).close(b"url "));
        let dinf = full(b"dinf", [dref.close(b"dref")]);
        full(b"minf", [vmhd.close(b"vmhd"), dinf, self.stbl(data)])
    }

    fn stbl(&self, data: u64) -> Vec<u8> {
        let count = self.sizes.len() as u32;
        let mut stsd = Body::version(0, 0);
        stsd.u32s(&[1]).bytes(&self.avc1());
        let mut stts = Body::version(0, 0);
        stts.u32s(&[1, count, FRAME]);
        let mut stss = Body::version(0, 0);
        stss.u32s(&[self.keys.len() as u32]).u32s(&self.keys);
        let mut stsc = Body::version(0, 0);
        stsc.u32s(&[1, 1, count, 1]);
        let mut stsz = Body::version(0, 0);
        stsz.u32s(&[0, count]).u32s(&self.sizes);
        let mut co64 = Body::version(0, 0);
        co64.u32s(&[1]).u64s(&[data]);
        let tables = [
            stsd.close(b"stsd"),
            stts.close(b"stts"),
            stss.close(b"stss"),
            stsc.close(b"stsc"),
            stsz.close(b"stsz"),
            co64.close(b"co64"),
        ];
        full(b"stbl", tables)
    }

    fn avc1(&self) -> Vec<u8> {
        let Shape { width, height, .. } = self.shape;
        let mut body = Body::default();
        // Reserved, data reference 1, predefined and reserved.
        body.bytes(&[0, 0, 0, 0, 0, 0, 0, 1]).u32s(&[0; 4]);
        body.u16s(&[width as u16, height as u16]);
        // 72 dpi in both directions, one frame a sample, no compressor name, 24 bits deep.
        body.u32s(&[0x48_0000, 0x48_0000, 0]).u16s(&[1]).bytes(&[0; 32]).u16s(&[24, 0xffff]);
        body.bytes(&self.avcc());
        body.close(b"avc1")
    }

    /// The decoder's configuration: profile and level as in the SPS, lengths of four bytes.
    fn avcc(&self) -> Vec<u8> {
        let Self { sps, pps, .. } = self;
        let mut body = Body::default();
        body.bytes(&[1, sps[1], sps[2], sps[3], 0xff, 0xe1]);
        body.u16s(&[sps.len() as u16]).bytes(sps).bytes(&[1]);
        body.u16s(&[pps.len() as u16]).bytes(pps);
        body.close(b"avcC")
    }
}

/// A box of parts that are ready.
fn full<const N: usize>(kind: &[u8; 4], parts: [impl AsRef<[u8]>; N]) -> Vec<u8> {
    let mut body = Body::default();
    for part in parts {
        body.bytes(part.as_ref());
    }
    body.close(kind)
}

/// The contents of a box under construction; numbers are big-endian.
#[derive(Default)]
struct Body(Vec<u8>);

impl Body {
    fn version(version: u8, flags: u8) -> Self {
        Self(vec![version, 0, 0, flags])
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend(bytes);
        self
    }

    fn u16s(&mut self, numbers: &[u16]) -> &mut Self {
        self.0.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        self
    }

    fn u32s(&mut self, numbers: &[u32]) -> &mut Self {
        self.0.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        self
    }

    fn u64s(&mut self, numbers: &[u64]) -> &mut Self {
        self.0.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
        self
    }

    fn close(self, kind: &[u8; 4]) -> Vec<u8> {
        let mut whole = ((self.0.len() + 8) as u32).to_be_bytes().to_vec();
        whole.extend(kind);
        whole.extend(self.0);
        whole
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use openh264::decoder::Decoder;
    use openh264::formats::YUVSource;

    use super::super::Film;

    const SIZE: (u32, u32) = (96, 64);

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
        let (width, height) = SIZE;
        let pixel = |k: u32| {
            let (x, y) = (k % width, k / width);
            let shade = 20 + y as u8;
            let bar = x / 8 == number % 12;
            if bar { [250, 220, 90, 255] } else { [shade, shade, shade + 30, 255] }
        };
        (0..width * height).flat_map(pixel).collect()
    }

    fn film(path: &Path, frames: u32) -> Vec<u8> {
        let mut film = Film::create(path, SIZE.0, SIZE.1, 25).unwrap();
        for number in 0..frames {
            film.frame(&scene(number)).unwrap();
        }
        film.finish().unwrap();
        std::fs::read(path).unwrap()
    }

    /// Decodes every sample through the index alone, as a player does.
    fn decode(bytes: &[u8]) -> Vec<Vec<u8>> {
        let stbl = find(bytes, &["moov", "trak", "mdia", "minf", "stbl"]).unwrap();
        let avcc = find(stbl, &["stsd", "avc1", "avcC"]).unwrap();
        let sps_len = usize::from(u16::from_be_bytes([avcc[6], avcc[7]]));
        let sps = &avcc[8..8 + sps_len];
        let pps = &avcc[8 + sps_len + 3..];
        let mut stream = [&[0, 0, 0, 1], sps, &[0, 0, 0, 1], pps].concat();
        let stsz = find(stbl, &["stsz"]).unwrap();
        let mut at = u64_at(find(stbl, &["co64"]).unwrap(), 8) as usize;
        let mut decoder = Decoder::new().unwrap();
        let mut frames = Vec::new();
        for k in 0..u32_at(stsz, 8) as usize {
            let mut sample = &bytes[at..at + u32_at(stsz, 12 + 4 * k) as usize];
            at += sample.len();
            while !sample.is_empty() {
                let length = u32_at(sample, 0) as usize;
                stream.extend([0, 0, 0, 1]);
                stream.extend(&sample[4..4 + length]);
                sample = &sample[4 + length..];
            }
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
        assert_eq!(picture.dimensions(), (SIZE.0 as usize, SIZE.1 as usize));
        let mut pixels = vec![0; (SIZE.0 * SIZE.1 * 4) as usize];
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
        assert_eq!((u32_at(tkhd, 88) >> 16, u32_at(tkhd, 92) >> 16), SIZE);
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

    #[test]
    fn one_frame_is_a_film() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(decode(&film(&folder.path().join("a.mp4"), 1)).len(), 1);
    }
}

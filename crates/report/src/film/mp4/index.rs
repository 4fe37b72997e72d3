//! The index of an MP4 file: everything in `moov`.

use super::boxes::{Body, full};
use crate::film::encoder::Shape;

/// What the index says about the samples.
pub(super) struct Index {
    pub(super) shape: Shape,
    pub(super) sps: Vec<u8>,
    pub(super) pps: Vec<u8>,
    pub(super) sizes: Vec<u32>,
    /// Numbers of the key frames, from 1.
    pub(super) keys: Vec<u32>,
}

/// Time units a second of a film at `fps`: a frame lasts [`FRAME`] of them.
fn timescale(fps: u32) -> u32 {
    fps * FRAME
}

/// Time units a frame.
pub(super) const FRAME: u32 = 512;

/// The unit matrix of the headers, 16.16 and 2.30 fixed point.
const MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

/// What the file is.
pub(super) fn ftyp() -> Vec<u8> {
    full(b"ftyp", [b"isom", &512_u32.to_be_bytes()[..], b"isomiso5avc1mp41"])
}

impl Index {
    /// True if the encoder has given its parameter sets.
    pub(super) fn is_complete(&self) -> bool {
        self.sps.len() >= 4 && !self.pps.is_empty()
    }

    /// The box itself, for samples that begin `data` bytes into the file.
    pub(super) fn moov(&self, data: u64) -> Vec<u8> {
        full(b"moov", [self.mvhd(), self.trak(data)])
    }

    /// The box of a file whose samples come in fragments, each with an index of its own.
    pub(super) fn moov_of_fragments(&self) -> Vec<u8> {
        let none = Index {
            shape: self.shape,
            sps: self.sps.clone(),
            pps: self.pps.clone(),
            sizes: vec![],
            keys: vec![],
        };
        // Track 1, sample description 1, then the duration, size and flags of a sample that gives none.
        let mut trex = Body::version(0, 0);
        trex.u32s(&[1, 1, FRAME, 0, 0]);
        full(b"moov", [none.mvhd(), none.trak(0), full(b"mvex", [trex.close(b"trex")])])
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
        let [mut stts, mut stss, mut stsc, mut stsz, mut co64] = [(); 5].map(|()| Body::version(0, 0));
        // An empty list of key frames would say that there is none: a film in fragments has no such list.
        let mut keys = Vec::new();
        if count == 0 {
            for table in [&mut stts, &mut stsc, &mut co64] {
                table.u32s(&[0]);
            }
        } else {
            stts.u32s(&[1, count, FRAME]);
            stss.u32s(&[self.keys.len() as u32]).u32s(&self.keys);
            keys = stss.close(b"stss");
            stsc.u32s(&[1, 1, count, 1]);
            co64.u32s(&[1]).u64s(&[data]);
        }
        stsz.u32s(&[0, count]).u32s(&self.sizes);
        let [stsd, stts] = [stsd.close(b"stsd"), stts.close(b"stts")];
        full(b"stbl", [stsd, stts, keys, stsc.close(b"stsc"), stsz.close(b"stsz"), co64.close(b"co64")])
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

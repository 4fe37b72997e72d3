//! The boxes of an MP4 file: size, four letters, contents. Numbers are big-endian.

use crate::film::Shape;

/// Time units per frame.
pub(super) const FRAME: u32 = 512;

/// The unit matrix of the headers, 16.16 and 2.30 fixed point.
const MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

/// A box of complete parts.
pub(super) fn full(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let length = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    [&(length as u32).to_be_bytes()[..], kind, &parts.concat()].concat()
}

/// A box of words, the first of which is its version, of 8 bits, and its flags.
pub(super) fn words(kind: &[u8; 4], words: &[&[u32]]) -> Vec<u8> {
    full(kind, &[words.concat().into_iter().map(u32::to_be_bytes).collect::<Vec<_>>().as_flattened()])
}

/// The two words of a long number.
pub(super) fn long(number: u64) -> [u32; 2] {
    [(number >> 32) as u32, number as u32]
}

/// The box that names the file's type and brands.
pub(super) fn ftyp() -> Vec<u8> {
    full(b"ftyp", &[b"isom", &512_u32.to_be_bytes(), b"isomiso5avc1mp41"])
}

/// The properties that all samples share.
pub(super) struct Track {
    pub(super) shape: Shape,
    pub(super) sps: Vec<u8>,
    pub(super) pps: Vec<u8>,
}

impl Track {
    /// Takes the encoder's sequence parameters, with the level that the film has by the standard: the encoder counts no
    /// more than 60 frames per second.
    pub(super) fn set_sps(&mut self, unit: &[u8]) {
        self.sps = unit.to_vec();
        if let Some(stated) = self.sps.get_mut(3) {
            *stated = level(self.shape).max(*stated);
        }
    }

    /// True if the encoder has given its parameter sets.
    pub(super) fn is_complete(&self) -> bool {
        self.sps.len() >= 4 && !self.pps.is_empty()
    }

    /// The index of samples of these sizes, which begin `data` bytes into the file; `keys` numbers the key frames.
    pub(super) fn moov(&self, sizes: &[u32], keys: &[u32], data: u64) -> Vec<u8> {
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
    pub(super) fn moov_of_fragments(&self) -> Vec<u8> {
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
pub(in crate::film) fn level(shape: Shape) -> u8 {
    let [width, height] = [shape.width, shape.height].map(|side| u64::from(side.div_ceil(16)));
    let (blocks, rate) = (width * height, u64::from(shape.fps));
    let longest = width.max(height);
    let enough = |(_, a_second, a_frame): &&(u8, u64, u64)| {
        blocks * rate <= *a_second && blocks <= *a_frame && longest * longest <= 8 * a_frame
    };
    // No film is too large for the highest level.
    LEVELS.iter().find(enough).map_or(62, |(level, ..)| *level)
}

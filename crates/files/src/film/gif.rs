//! GIF: one palette for the whole film, and in each frame only the changed pixels.
//!
//! The palette needs all frames, so they wait in an unnamed file next to the target (three bytes per
//! pixel) and are written at the end.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use color_quant::NeuQuant;
use gif::{DisposalMethod, EncodingError, Frame, Repeat};

use super::{Encoder, Shape};
use crate::{AtomicFile, Failure, Result};

/// Minimum delay of a frame in 1/100 s: browsers slow down faster films.
const MIN_DELAY: u64 = 2;
/// Maximum number of pixels of a film from which its palette is chosen.
const SAMPLE: usize = 100_000;
/// The index of unchanged pixels, which are transparent; the palette has one colour less.
const UNCHANGED: u8 = 255;

pub(super) struct Gif {
    file: AtomicFile,
    shape: Shape,
    spool: BufWriter<File>,
    /// Number of frames received, and the display time of each kept frame in 1/100 s.
    taken: u64,
    times: Vec<u64>,
}

impl Gif {
    pub(super) fn new(file: AtomicFile, shape: Shape) -> Result<Self> {
        let spool = tempfile::tempfile_in(file.folder()).map_err(|source| file.failed(source))?;
        Ok(Self { file, shape, spool: BufWriter::new(spool), taken: 0, times: vec![] })
    }

    /// The display time of the next frame in 1/100 s.
    fn due(&self) -> u64 {
        let fps = u64::from(self.shape.fps);
        (self.taken * 100 + fps / 2) / fps
    }

    /// Up to [`SAMPLE`] pixels, evenly from all kept frames.
    fn sample(&self) -> io::Result<Vec<[u8; 4]>> {
        let (columns, rows) = self.shape.size();
        let pixels = columns * rows * (self.times.len() - 1);
        // An odd step meets all columns of most pictures.
        let step = (pixels / SAMPLE + 1) | 1;
        let mut spool = BufReader::new(self.spool.get_ref());
        let mut sample = Vec::new();
        let mut rgb = [0; 3];
        for _ in 0..pixels.div_ceil(step) {
            spool.read_exact(&mut rgb)?;
            sample.push(opaque(rgb));
            spool.seek_relative(3 * (step as i64 - 1))?;
        }
        Ok(sample)
    }

    fn write(&mut self) -> std::result::Result<(), EncodingError> {
        self.spool.rewind()?;
        let palette = palette(&self.sample()?);
        let mut table = palette.color_map_rgb();
        table.resize(3 * 256, 0);
        self.spool.rewind()?;
        let mut spool = BufReader::new(self.spool.get_ref());
        let [width, height] = [self.shape.width, self.shape.height].map(|side| side as u16);
        let mut encoder = gif::Encoder::new(&mut self.file, width, height, &table)?;
        encoder.set_repeat(Repeat::Infinite)?;
        let (columns, rows) = self.shape.size();
        let mut rgb = vec![0; columns * rows * 3];
        let mut before: Vec<u8> = Vec::new();
        for times in self.times.windows(2) {
            spool.read_exact(&mut rgb)?;
            let pixels = rgb.as_chunks::<3>().0.iter();
            let now: Vec<u8> = pixels.map(|rgb| palette.index_of(&opaque(*rgb)) as u8).collect();
            // A picture that is transparent in most places compresses well.
            let mut changed = now.clone();
            for (index, before) in changed.iter_mut().zip(&before) {
                if index == before {
                    *index = UNCHANGED;
                }
            }
            encoder.write_frame(&Frame {
                delay: (times[1] - times[0]).min(u64::from(u16::MAX)) as u16,
                dispose: DisposalMethod::Keep,
                transparent: (!before.is_empty()).then_some(UNCHANGED),
                width,
                height,
                buffer: changed.into(),
                ..Frame::default()
            })?;
            before = now;
        }
        encoder.into_inner()?;
        Ok(())
    }
}

impl Encoder for Gif {
    fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        let time = self.due();
        self.taken += 1;
        if self.times.last().is_some_and(|last| time < last + MIN_DELAY) {
            return Ok(());
        }
        self.times.push(time);
        let rgb: Vec<_> = rgba.as_chunks::<4>().0.iter().map(|&[r, g, b, _]| [r, g, b]).collect();
        self.spool.write_all(rgb.as_flattened()).map_err(|source| self.file.failed(source))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.times.push(self.due().max(self.times.last().map_or(0, |last| last + MIN_DELAY)));
        match self.write() {
            Ok(()) => self.file.commit(),
            Err(EncodingError::Io(source)) => Err(self.file.failed(source)),
            Err(other) => Err(Failure::encode(self.file.path(), other)),
        }
    }
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

/// The 255 colours that best represent a sample of pixels.
///
/// Most pixels are sky, but the few of a bird need their colours, too: the network learns as much from the distinct
/// colours as from the pixels.
pub(super) fn palette(sample: &[[u8; 4]]) -> NeuQuant {
    let mut colours = sample.to_vec();
    colours.sort_unstable();
    colours.dedup();
    // A short film is repeated: the network needs so many lessons.
    let pixels = sample.iter().cycle().take(SAMPLE);
    let lessons: Vec<[u8; 4]> = pixels.chain(colours.iter().cycle().take(SAMPLE)).copied().collect();
    NeuQuant::new(1, usize::from(UNCHANGED), lessons.as_flattened())
}

//! GIF: one palette for the whole film, and in each frame only the changed pixels.
//!
//! The palette needs all frames, so they wait in an unnamed file beside the target (three bytes a
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
fn palette(sample: &[[u8; 4]]) -> NeuQuant {
    let mut colours = sample.to_vec();
    colours.sort_unstable();
    colours.dedup();
    // A short film is repeated: the network needs so many lessons.
    let pixels = sample.iter().cycle().take(SAMPLE);
    let lessons: Vec<[u8; 4]> = pixels.chain(colours.iter().cycle().take(SAMPLE)).copied().collect();
    NeuQuant::new(1, usize::from(UNCHANGED), lessons.as_flattened())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;

    use super::*;
    use crate::{Existing, Film};

    /// Every frame as it is seen, with its delay.
    fn decode(path: &Path) -> Vec<(u16, Vec<u8>)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let mut decoder = options.read_info(File::open(path).unwrap()).unwrap();
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
        assert_eq!(decoder.repeat(), Repeat::Infinite);
        frames
    }

    /// A bright square on a dark gradient.
    fn scene(side: usize, at: usize) -> Vec<u8> {
        let pixel = |k: usize| {
            let (x, y) = (k % side, k / side);
            let bird = (at..at + 4).contains(&x) && (at..at + 4).contains(&y);
            if bird { [240, 200, 60, 255] } else { [10, 12 + y as u8 / 2, 30 + y as u8, 255] }
        };
        (0..side * side).flat_map(pixel).collect()
    }

    #[test]
    fn shows_every_frame_at_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let mut film = Film::create(&path, [48, 48], 30, Film::QUALITY, Existing::Keep).unwrap();
        let scenes: Vec<_> = [3, 3, 20, 40].iter().map(|&at| scene(48, at)).collect();
        for scene in &scenes {
            film.frame(scene).unwrap();
        }
        film.finish().unwrap();
        let frames = decode(&path);
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
    }

    #[test]
    fn leaves_frames_out_above_50_a_second() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let mut film = Film::create(&path, [16, 16], 100, Film::QUALITY, Existing::Keep).unwrap();
        for at in 0..10 {
            film.frame(&scene(16, at)).unwrap();
        }
        film.finish().unwrap();
        let frames = decode(&path);
        assert_eq!(frames.len(), 5);
        assert!(frames.iter().all(|(delay, _)| *delay == 2));
    }

    #[test]
    fn a_rare_colour_is_kept_among_many_of_the_sky() {
        let sky = (0..SAMPLE).map(|k| opaque([k as u8 % 64 / 2, k as u8 % 64 / 2, k as u8 % 64]));
        let bird = [250, 40, 30, 255];
        let sample: Vec<_> = sky.chain([bird; 40]).collect();
        let palette = palette(&sample);
        let seen = |colour: [u8; 4]| palette.lookup(palette.index_of(&colour)).unwrap();
        for colour in [bird, [16, 16, 32, 255], [31, 31, 63, 255]] {
            let off = seen(colour).iter().zip(colour).map(|(seen, meant)| seen.abs_diff(meant)).max();
            assert!(off <= Some(8), "{:?} in place of {colour:?}", seen(colour));
        }
    }
}

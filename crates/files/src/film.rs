//! Films and stills: writes frames as one `.mp4`, `.gif` or `.png`, as one `.png` per frame, or as YUV4MPEG2 on stdout.

mod gif;
mod mp4;
mod stills;

use std::io::{self, Write as _};
use std::path::Path;

use openh264::formats::{RgbaSliceU8, YUVBuffer, YUVSource as _};

use self::gif::Gif;
use self::mp4::{H264, Mp4};
pub use self::stills::Numbered;
use crate::{AtomicFile, Existing, Failure, Result, extension, is_stdout, other_ending};

/// A kind of picture file, told by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// H.264 in an MP4 file; even sizes from 16 × 16 to 3840 × 2160 (or upright).
    Mp4,
    /// A looping GIF of 256 colours, at most 50 frames per second.
    Gif,
    /// A still: the last frame.
    Png,
    /// One PNG per frame, with the frame number in the name.
    Frames,
    /// YUV4MPEG2, on stdout; even sizes.
    Y4m,
}

impl Format {
    /// The format for the extension of `path`, ignoring case; `-` is YUV4MPEG2 on stdout.
    ///
    /// # Errors
    /// For any other extension, or none, and for a frame number of another form, such as `%4d`.
    pub fn of(path: &Path) -> Result<Self> {
        match extension(path).as_str() {
            _ if is_stdout(path) => Ok(Self::Y4m),
            "mp4" => Ok(Self::Mp4),
            "gif" => Ok(Self::Gif),
            "png" if Numbered::of(path).is_some() => Ok(Self::Frames),
            "png" if stills::is_unsupported(path) => {
                Err(Failure::file(path, "a frame number must be %d, or %01d to %09d for leading zeros"))
            }
            "png" => Ok(Self::Png),
            _ => Err(other_ending(path, ".png, .mp4 or .gif")),
        }
    }

    /// True for films; a still needs only its last frame.
    pub fn is_film(self) -> bool {
        self != Self::Png
    }
}

/// The size of every frame in pixels, and frames per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    width: u32,
    height: u32,
    fps: u32,
}

impl Shape {
    fn size(self) -> (usize, usize) {
        (self.width as usize, self.height as usize)
    }
}

/// The minimum width and height of an `.mp4` in pixels, one macroblock; and the maximum of its shorter and longer side,
/// the encoder's own limit.
const MIN_SIDE: u32 = 16;
const MAX_SIZE: (u32, u32) = (2160, 3840);

/// Writes frames in one format.
trait Encoder: Send {
    /// Adds one frame, RGBA, row by row from the top.
    fn frame(&mut self, rgba: &[u8]) -> Result<()>;
    /// Writes the rest and gives the file its name. Called after at least one frame.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// A picture or film under way.
///
/// [`Film::finish`] completes a playable file of one frame or more; a film that is dropped without it
/// leaves no file.
pub struct Film {
    encoder: Box<dyn Encoder>,
    shape: Shape,
    frames: u64,
}

impl Film {
    /// The largest width or height of a `.png` or `.gif`, in pixels.
    pub const MAX_SIDE: u32 = 16_384;
    /// The usual quality: small birds keep their shape, and ten seconds of 20,000 at dusk in 720p stay below 12 MB.
    pub const QUALITY: u32 = 45;

    /// Starts a film of this size in pixels at `fps` frames per second (1 to 240) in the format for the extension of
    /// `path`; `quality` is 1 to 100 and affects only `.mp4`.
    ///
    /// # Errors
    /// For an unsupported extension, size or rate, and for a file that cannot be written.
    pub fn create(
        path: &Path,
        [width, height]: [u32; 2],
        fps: u32,
        quality: u32,
        existing: Existing,
    ) -> Result<Self> {
        let (format, shape) = (Format::of(path)?, Shape { width, height, fps });
        check(path, format, shape)?;
        let encoder: Box<dyn Encoder> = match format {
            Format::Mp4 => Box::new(H264::new(Mp4::whole(path, shape, existing)?, shape, quality)?),
            Format::Gif => Box::new(Gif::new(AtomicFile::create(path, existing)?, shape)?),
            Format::Y4m => Box::new(Y4m::new(AtomicFile::create_or_stdout(path, existing)?, shape)),
            Format::Png | Format::Frames => stills::encoder(path, shape, existing)?,
        };
        Ok(Self { encoder, shape, frames: 0 })
    }

    /// Starts an `.mp4` under a new name, which can be played while it grows: however the process ends, the film is
    /// complete up to its last second.
    ///
    /// # Errors
    /// See [`Film::create`]; also if the file exists.
    pub fn record(path: &Path, [width, height]: [u32; 2], fps: u32) -> Result<Self> {
        let shape = Shape { width, height, fps };
        check(path, Format::Mp4, shape)?;
        let encoder = H264::new(Mp4::growing(path, shape)?, shape, Self::QUALITY)?;
        Ok(Self { encoder: Box::new(encoder), shape, frames: 0 })
    }

    /// Adds a frame: `rgba` holds width × height × 4 bytes in sRGB, row by row from the top; the
    /// fourth byte of a pixel is ignored.
    ///
    /// # Errors
    /// When the frame cannot be encoded or written.
    ///
    /// # Panics
    /// If `rgba` has another length.
    pub fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        let (width, height) = self.shape.size();
        assert_eq!(rgba.len(), width * height * 4, "a frame of {width} × {height} pixels in RGBA");
        self.frames += 1;
        self.encoder.frame(rgba)
    }

    /// The number of frames so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Ends the film and gives the file its name. A film without frames leaves no file.
    ///
    /// # Errors
    /// When the film cannot be encoded or written; no file is left then. When another file has the name that is to be
    /// kept: the error names the film's.
    pub fn finish(self) -> Result<()> {
        if self.frames == 0 { Ok(()) } else { self.encoder.finish() }
    }
}

impl std::fmt::Debug for Film {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a film of {:?} and {} frames", self.shape, self.frames)
    }
}

fn check(path: &Path, format: Format, Shape { width, height, fps }: Shape) -> Result<()> {
    let (short, long) = (width.min(height), width.max(height));
    let (min, (max_short, max_long)) = (MIN_SIDE, MAX_SIZE);
    let odd = width % 2 == 1 || height % 2 == 1;
    let why = match format {
        Format::Mp4 if short < min || short > max_short || long > max_long => {
            format!(
                "an .mp4 must have {min}x{min} to {max_long}x{max_short} pixels, or {min}x{min} to {max_short}x{max_long}"
            )
        }
        Format::Mp4 if odd => "an .mp4 requires an even width and an even height".to_owned(),
        Format::Y4m if odd => "a film on stdout requires an even width and an even height".to_owned(),
        _ if short < 1 || long > Film::MAX_SIDE => format!("each side must be 1 to {}", Film::MAX_SIDE),
        _ if (1..=240).contains(&fps) => return Ok(()),
        _ => return Err(Failure::file(path, format!("frames per second must be 1 to 240, not {fps}"))),
    };
    Err(Failure::file(path, format!("cannot have {width}x{height} pixels: {why}")))
}

/// Writes uncompressed frames in YUV (BT.601, 4:2:0, limited range).
struct Y4m {
    file: AtomicFile,
    shape: Shape,
    /// True once the header is written, with the first frame.
    begun: bool,
}

impl Y4m {
    fn new(file: AtomicFile, shape: Shape) -> Self {
        Self { file, shape, begun: false }
    }

    fn write(&mut self, yuv: &YUVBuffer) -> io::Result<()> {
        let Self { file, shape: Shape { width, height, fps }, begun } = self;
        if !*begun {
            // Progressive, square pixels, chroma between the pixels.
            writeln!(file, "YUV4MPEG2 W{width} H{height} F{fps}:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED")?;
            *begun = true;
        }
        file.write_all(b"FRAME\n")?;
        [yuv.y(), yuv.u(), yuv.v()].into_iter().try_for_each(|plane| file.write_all(plane))?;
        // A viewer shows the frame now, not with the next one.
        file.flush()
    }
}

impl Encoder for Y4m {
    fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        let yuv = YUVBuffer::from_rgba8_source(RgbaSliceU8::new(rgba, self.shape.size()));
        self.write(&yuv).map_err(|source| self.file.failed(source))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.file.commit()
    }
}

#[cfg(test)]
mod tests;

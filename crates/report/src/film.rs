//! Films and stills: frames in, one `.mp4`, `.gif` or `.png` out, a `.png` a frame, or YUV4MPEG2 on stdout.

mod encoder;
mod frames;
mod gif;
mod h264;
mod mp4;
mod palette;
mod png;
mod y4m;

use std::path::Path;

use self::encoder::{Encoder, Shape};
pub use self::frames::Numbered;
use self::mp4::Target;
use super::atomic::{AtomicFile, is_stdout};
use super::error::{Error, Result};

/// A kind of picture file, told by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// H.264 in an MP4 file; even sizes from 16 × 16 to 3840 × 2160 (or upright).
    Mp4,
    /// A looping GIF of 256 colours, at most 50 frames a second.
    Gif,
    /// A still: the last frame.
    Png,
    /// A PNG a frame, with its number in the name.
    Frames,
    /// YUV4MPEG2, on stdout; even sizes.
    Y4m,
}

impl Format {
    /// The format that the extension of `path` asks for, in either case of letters; `-` is YUV4MPEG2 on stdout.
    ///
    /// # Errors
    /// [`Error::Unfit`] for any other extension, or none.
    pub fn of(path: &Path) -> Result<Self> {
        if is_stdout(path) {
            return Ok(Self::Y4m);
        }
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("mp4") => Ok(Self::Mp4),
            Some("gif") => Ok(Self::Gif),
            Some("png") if Numbered::of(path).is_some() => Ok(Self::Frames),
            Some("png") => Ok(Self::Png),
            _ => Err(Error::unfit(path, "the name must end in .png, .mp4 or .gif".into())),
        }
    }

    /// True if it moves: a still needs only its last frame drawn.
    pub fn is_film(self) -> bool {
        self != Self::Png
    }
}

/// A picture or film under way.
///
/// [`Film::finish`] makes a whole, playable file of any number of frames from 1 on; a film that is
/// dropped without it leaves no file.
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

    /// Starts a film of `width` × `height` pixels at `fps` frames a second (1 to 240) in the
    /// format that the extension of `path` names.
    ///
    /// # Errors
    /// [`Error::Unfit`] for an extension, size or rate that cannot be, and [`Error::Open`] for a
    /// file that cannot be written.
    pub fn create(path: &Path, width: u32, height: u32, fps: u32) -> Result<Self> {
        Self::with_quality(path, width, height, fps, Self::QUALITY)
    }

    /// The same with a quality of 1 to 100, which an `.mp4` has alone.
    ///
    /// # Errors
    /// See [`Film::create`].
    pub fn with_quality(path: &Path, width: u32, height: u32, fps: u32, quality: u32) -> Result<Self> {
        let format = Format::of(path)?;
        check(path, format, width, height, fps)?;
        let shape = Shape { width, height, fps };
        if let Some(names) = Numbered::of(path).filter(|_| format == Format::Frames) {
            let encoder = Box::new(frames::Frames::new(names, shape)?);
            return Ok(Self { encoder, shape, frames: 0 });
        }
        let file = AtomicFile::create_or_stdout(path)?;
        let encoder: Box<dyn Encoder> = match format {
            Format::Mp4 => Box::new(h264::H264::new(Target::Whole(file), shape, quality)?),
            Format::Gif => Box::new(gif::Gif::new(file, shape)?),
            Format::Png | Format::Frames => Box::new(png::Still::new(file, shape)),
            Format::Y4m => Box::new(y4m::Y4m::new(file, shape)),
        };
        Ok(Self { encoder, shape, frames: 0 })
    }

    /// Starts an `.mp4` of a name that no file has, which can be played while it grows: however the process ends, the
    /// film stands up to its last second.
    ///
    /// # Errors
    /// See [`Film::create`]; also where there is a file.
    pub fn record(path: &Path, width: u32, height: u32, fps: u32) -> Result<Self> {
        check(path, Format::Mp4, width, height, fps)?;
        let shape = Shape { width, height, fps };
        let encoder = Box::new(h264::H264::new(Target::growing(path)?, shape, Self::QUALITY)?);
        Ok(Self { encoder, shape, frames: 0 })
    }

    /// Adds a frame: `rgba` holds width × height × 4 bytes in sRGB, row by row from the top; the
    /// fourth byte of a pixel is not looked at.
    ///
    /// # Errors
    /// [`Error::Encode`] and [`Error::Write`].
    ///
    /// # Panics
    /// Where `rgba` has another length.
    pub fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        let Shape { width, height, .. } = self.shape;
        let expected = width as usize * height as usize * 4;
        assert_eq!(rgba.len(), expected, "a frame of {width} × {height} pixels in RGBA");
        self.encoder.frame(rgba)?;
        self.frames += 1;
        Ok(())
    }

    /// The number of frames so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Ends the film and gives the file its name. Without a frame there is no file.
    ///
    /// # Errors
    /// [`Error::Encode`] and [`Error::Write`]; no file is left then.
    pub fn finish(self) -> Result<()> {
        if self.frames == 0 {
            return Ok(());
        }
        self.encoder.finish()
    }
}

impl std::fmt::Debug for Film {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Film");
        shown.field("shape", &self.shape).field("frames", &self.frames).finish_non_exhaustive()
    }
}

fn check(path: &Path, format: Format, width: u32, height: u32, fps: u32) -> Result<()> {
    let size = |allowed: String| {
        let problem = format!("a size of {width}x{height} pixels is not possible; {allowed}");
        Err(Error::unfit(path, problem))
    };
    let (short, long) = (width.min(height), width.max(height));
    let (max_short, max_long) = h264::MAX_SIZE;
    if format == Format::Mp4 && (short < h264::MIN_SIDE || short > max_short || long > max_long) {
        let min = h264::MIN_SIDE;
        return size(format!("an .mp4 allows {min}x{min} to {max_long}x{max_short}, or upright"));
    }
    if format == Format::Mp4 && (width % 2 == 1 || height % 2 == 1) {
        return size("an .mp4 needs an even width and an even height".into());
    }
    if format == Format::Y4m && (width % 2 == 1 || height % 2 == 1) {
        return size("a film on stdout needs an even width and an even height".into());
    }
    if short < 1 || long > Film::MAX_SIDE {
        return size(format!("allowed are 1 to {} a side", Film::MAX_SIDE));
    }
    if !(1..=240).contains(&fps) {
        return Err(Error::unfit(path, format!("{fps} frames a second; allowed are 1 to 240")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str, width: u32, height: u32, fps: u32) -> String {
        let folder = tempfile::tempdir().unwrap();
        let error = Film::create(&folder.path().join(name), width, height, fps).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        error.to_string()
    }

    #[test]
    fn says_what_is_allowed() {
        assert!(refusal("a.avi", 64, 64, 30).ends_with("a.avi: the name must end in .png, .mp4 or .gif"));
        assert!(refusal("film", 64, 64, 30).contains(".png, .mp4 or .gif"));
        assert!(
            refusal("a.mp4", 641, 480, 30).contains("641x480 pixels is not possible; an .mp4 needs an even")
        );
        assert!(refusal("a.mp4", 4096, 2160, 30).contains("to 3840x2160, or upright"));
        assert!(refusal("a.mp4", 8, 480, 30).contains("16x16 to"));
        assert!(refusal("a.png", 0, 10, 30).contains("allowed are 1 to 16384"));
        assert!(refusal("a.gif", 10, 10, 0).contains("0 frames a second; allowed are 1 to 240"));
    }

    #[test]
    fn finishes_only_with_a_frame() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.mp4", "a.GIF", "a.png"] {
            let path = folder.path().join(name);
            let pixels = vec![90; 32 * 16 * 4];
            Film::create(&path, 32, 16, 30).unwrap().finish().unwrap();
            assert!(!path.exists(), "{name} without a frame");
            let mut film = Film::create(&path, 32, 16, 30).unwrap();
            film.frame(&pixels).unwrap();
            drop(film);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{name} dropped");
            let mut film = Film::create(&path, 32, 16, 30).unwrap();
            film.frame(&pixels).unwrap();
            assert_eq!(film.frames(), 1);
            film.finish().unwrap();
            assert!(path.metadata().unwrap().len() > 50, "{name} of one frame");
            std::fs::remove_file(path).unwrap();
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.mp4", "a.gif", "a.png"] {
            let path = folder.path().join(name);
            std::os::unix::fs::symlink("/dev/full", &path).unwrap();
            let mut film = Film::create(&path, 32, 16, 30).unwrap();
            film.frame(&[90; 32 * 16 * 4]).unwrap();
            let error = film.finish().unwrap_err();
            assert_eq!(error.exit_code(), 1);
            assert!(error.to_string().ends_with(&format!("{name}: the disk is full")), "{error}");
        }
    }
}

//! Films: `.mp4` by openh264, `.gif` by one palette, YUV4MPEG2.

mod gif;
mod h264;
mod mp4;
mod palette;

use std::io::{self, Write};
use std::path::Path;

use openh264::formats::{RgbaSliceU8, YUVBuffer, YUVSource as _};

use self::h264::H264;
use self::mp4::Mp4;
use super::{Encoder, Format, Shape, stills};
use crate::{AtomicFile, Existing, Result};

/// The encoder of a format; YUV4MPEG2 is written to stdout where the path is `-`.
pub(super) fn encoder(
    path: &Path,
    format: Format,
    shape: Shape,
    quality: u32,
    existing: Existing,
) -> Result<Box<dyn Encoder>> {
    Ok(match format {
        Format::Mp4 => Box::new(H264::new(Mp4::whole(path, shape, existing)?, shape, quality)?),
        Format::Gif => Box::new(gif::Gif::new(AtomicFile::create(path, existing)?, shape)?),
        Format::Y4m => {
            Box::new(Y4m { file: AtomicFile::create_or_stdout(path, existing)?, shape, begun: false })
        }
        Format::Png | Format::Frames => stills::encoder(path, shape, existing)?,
    })
}

/// An `.mp4` that can be played while it grows.
pub(super) fn growing(path: &Path, shape: Shape, quality: u32) -> Result<Box<dyn Encoder>> {
    Ok(Box::new(H264::new(Mp4::growing(path, shape)?, shape, quality)?))
}

/// YUV4MPEG2: writes uncompressed frames as they come, converted as in [`h264`]: BT.601, 4:2:0, limited range.
struct Y4m {
    file: AtomicFile,
    shape: Shape,
    /// True once the header is written, with the first frame.
    begun: bool,
}

impl Y4m {
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
mod tests {
    use super::*;

    #[test]
    fn has_a_header_and_three_planes_a_frame() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.y4m");
        let shape = Shape { width: 4, height: 2, fps: 25 };
        let file = AtomicFile::create(&path, Existing::Keep).unwrap();
        let mut film = Box::new(Y4m { file, shape, begun: false });
        film.frame(&[0; 32]).unwrap();
        film.frame(&[255; 32]).unwrap();
        film.finish().unwrap();
        let bytes = std::fs::read(path).unwrap();
        let header = b"YUV4MPEG2 W4 H2 F25:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n";
        let frames = bytes.strip_prefix(header).unwrap();
        assert_eq!(frames.len(), 2 * (6 + 12));
        let (black, white) = frames.split_at(18);
        for (frame, light) in [(black, 16), (white, 235)] {
            let planes = frame.strip_prefix(b"FRAME\n").unwrap();
            assert!(planes[..8].iter().all(|y| y.abs_diff(light) <= 1), "{planes:?}");
            assert!(planes[8..].iter().all(|colour| colour.abs_diff(128) <= 1), "{planes:?}");
        }
    }
}

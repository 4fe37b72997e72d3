//! YUV4MPEG2: uncompressed frames, written as they come; converted as in `h264.rs`: BT.601, 4:2:0, limited range.

use std::io::{self, Write};

use openh264::formats::{RgbaSliceU8, YUVBuffer, YUVSource as _};

use super::{Encoder, Shape};
use crate::{AtomicFile, Result};

pub(super) struct Y4m {
    file: AtomicFile,
    shape: Shape,
    /// True once the header is written, with the first frame.
    begun: bool,
}

impl Y4m {
    pub(super) fn new(file: AtomicFile, shape: Shape) -> Self {
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
mod tests {
    use super::*;
    use crate::Existing;

    #[test]
    fn has_a_header_and_three_planes_a_frame() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.y4m");
        let shape = Shape { width: 4, height: 2, fps: 25 };
        let file = AtomicFile::create(&path, Existing::Keep).unwrap();
        let mut film = Box::new(Y4m::new(file, shape));
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

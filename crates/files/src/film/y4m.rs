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

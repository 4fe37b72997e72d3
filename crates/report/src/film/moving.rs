//! Films: `.mp4` by openh264, `.gif` by one palette, YUV4MPEG2.

mod gif;
mod h264;
mod mp4;
mod palette;
mod y4m;

use std::path::Path;

use self::h264::H264;
use self::mp4::Mp4;
use super::{Encoder, Format, Shape, stills};
use crate::atomic::AtomicFile;
use crate::failure::Result;

/// The encoder of a format; YUV4MPEG2 is written to stdout where the path is `-`.
pub(super) fn encoder(path: &Path, format: Format, shape: Shape, quality: u32) -> Result<Box<dyn Encoder>> {
    Ok(match format {
        Format::Mp4 => Box::new(H264::new(Mp4::whole(path, shape)?, shape, quality)?),
        Format::Gif => Box::new(gif::Gif::new(AtomicFile::create(path)?, shape)?),
        Format::Y4m => Box::new(y4m::Y4m { file: AtomicFile::create_or_stdout(path)?, shape, begun: false }),
        Format::Png | Format::Frames => stills::encoder(path, shape)?,
    })
}

/// An `.mp4` that can be played while it grows.
pub(super) fn growing(path: &Path, shape: Shape, quality: u32) -> Result<Box<dyn Encoder>> {
    Ok(Box::new(H264::new(Mp4::growing(path, shape)?, shape, quality)?))
}

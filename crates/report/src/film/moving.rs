//! Films: `.mp4` by openh264, `.gif` by one palette, YUV4MPEG2.

mod gif;
mod h264;
mod mp4;
mod palette;
mod y4m;

use std::path::Path;

use self::h264::H264;
use self::mp4::Mp4;
use super::{Encoder, Shape};
use crate::atomic::AtomicFile;
use crate::failure::Result;

/// A whole `.mp4`.
pub(super) fn mp4(path: &Path, shape: Shape, quality: u32) -> Result<Box<dyn Encoder>> {
    Ok(Box::new(H264::new(Mp4::whole(path, shape)?, shape, quality)?))
}

/// An `.mp4` that can be played while it grows.
pub(super) fn growing(path: &Path, shape: Shape, quality: u32) -> Result<Box<dyn Encoder>> {
    Ok(Box::new(H264::new(Mp4::growing(path, shape)?, shape, quality)?))
}

/// A `.gif`.
pub(super) fn gif(path: &Path, shape: Shape) -> Result<Box<dyn Encoder>> {
    Ok(Box::new(gif::Gif::new(AtomicFile::create(path)?, shape)?))
}

/// YUV4MPEG2, on stdout where the path is `-`.
pub(super) fn y4m(path: &Path, shape: Shape) -> Result<Box<dyn Encoder>> {
    Ok(Box::new(y4m::Y4m { file: AtomicFile::create_or_stdout(path)?, shape, begun: false }))
}

//! Refuses films in a program that is built without them.

use std::path::Path;

use super::{Encoder, Format, Shape, stills};
use crate::{Existing, Failure, Result};

pub(super) fn encoder(
    path: &Path,
    format: Format,
    shape: Shape,
    quality: u32,
    existing: Existing,
) -> Result<Box<dyn Encoder>> {
    match format {
        Format::Png | Format::Frames => stills::encoder(path, shape, existing),
        Format::Mp4 | Format::Gif | Format::Y4m => growing(path, shape, quality),
    }
}

pub(super) fn growing(path: &Path, _shape: Shape, _quality: u32) -> Result<Box<dyn Encoder>> {
    Err(Failure::file(path, "this program was built without films: build it with `--features film`"))
}

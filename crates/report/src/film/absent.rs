//! A program without films says so.

use std::path::Path;

use super::{Encoder, Shape};
use crate::failure::{Failure, Result};

fn absent(path: &Path) -> Result<Box<dyn Encoder>> {
    Err(Failure::file(path, "this program was built without films: build it with `--features film`"))
}

pub(super) fn mp4(path: &Path, _shape: Shape, _quality: u32) -> Result<Box<dyn Encoder>> {
    absent(path)
}

pub(super) fn growing(path: &Path, _shape: Shape, _quality: u32) -> Result<Box<dyn Encoder>> {
    absent(path)
}

pub(super) fn gif(path: &Path, _shape: Shape) -> Result<Box<dyn Encoder>> {
    absent(path)
}

pub(super) fn y4m(path: &Path, _shape: Shape) -> Result<Box<dyn Encoder>> {
    absent(path)
}

//! Pictures as PNG: 8 bits per channel, marked as sRGB.

use std::io::Write;
use std::path::Path;

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, SrgbRenderingIntent};

use crate::{AtomicFile, Existing, Failure, Result};

/// Writes a picture of `size` pixels, 4 bytes each (red, green, blue, ignored), row by row from the top.
///
/// # Errors
/// When the file cannot be written.
pub fn write_png(path: &Path, size: [u32; 2], rgba: &[u8], existing: Existing) -> Result<()> {
    write(AtomicFile::create(path, existing)?, size, rgba)
}

/// Writes a picture to an open file; see [`write_png`].
pub(super) fn write(mut file: AtomicFile, size: [u32; 2], rgba: &[u8]) -> Result<()> {
    match encode(&mut file, size, rgba) {
        Ok(()) => file.commit(),
        Err(EncodingError::IoError(source)) => Err(file.failed(source)),
        Err(other) => Err(Failure::encode(file.path(), other)),
    }
}

/// Encodes a picture as PNG; see [`write_png`].
///
/// # Errors
/// When the number of pixels does not match the size, or is 0.
pub fn png(size: [u32; 2], rgba: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    encode(&mut bytes, size, rgba).map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn encode(to: impl Write, [width, height]: [u32; 2], rgba: &[u8]) -> std::result::Result<(), EncodingError> {
    let mut encoder = Encoder::new(to, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    let rgb: Vec<u8> = rgba.as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()
}

/// The widths of two pictures side by side in a picture of a width, each at least 1.
pub fn halves(width: u32) -> [u32; 2] {
    [width.div_ceil(2), (width / 2).max(1)]
}

/// Two pictures of 4 bytes a pixel and of one height, side by side in a picture of a size.
pub fn beside(left: &[u8], right: &[u8], [width, height]: [u32; 2]) -> Vec<u8> {
    let row = 4 * width as usize;
    let first = left.len() / (height as usize).max(1);
    let mut both = Vec::with_capacity(row * height as usize);
    for (left, right) in left.chunks_exact(first.max(1)).zip(right.chunks_exact((row - first).max(1))) {
        both.extend_from_slice(left);
        both.extend_from_slice(right);
    }
    both
}

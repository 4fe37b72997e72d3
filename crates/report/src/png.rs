//! Pictures as PNG: 8 bits a colour, marked as sRGB.

use std::path::Path;

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, SrgbRenderingIntent};

use super::atomic::AtomicFile;
use super::error::{Error, Result};

/// Writes a picture of `size` pixels, 4 bytes each (red, green, blue, ignored), row by row from the top.
///
/// # Errors
/// When the file cannot be written.
pub fn write_png(path: &Path, size: [u32; 2], rgba: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    write(&mut file, size, &without_alpha(rgba).collect::<Vec<_>>())?;
    file.commit()
}

/// The red, green and blue of pixels.
pub(super) fn without_alpha(rgba: &[u8]) -> impl Iterator<Item = u8> {
    rgba.as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b])
}

/// Writes a picture of 3 bytes a pixel.
pub(super) fn write(file: &mut AtomicFile, size: [u32; 2], rgb: &[u8]) -> Result<()> {
    encode(file, size, rgb).map_err(|error| match error {
        EncodingError::IoError(source) => file.failed(source),
        other => Error::encode(file.path(), other),
    })
}

fn encode(
    file: &mut AtomicFile,
    [width, height]: [u32; 2],
    rgb: &[u8],
) -> std::result::Result<(), EncodingError> {
    let mut encoder = Encoder::new(file, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()
}

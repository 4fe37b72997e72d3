//! PNG: the last frame.

use png::{BitDepth, ColorType, Compression, EncodingError, SrgbRenderingIntent};

use super::encoder::{Encoder, Shape};
use crate::report::atomic::AtomicFile;
use crate::report::error::{Error, Result};

/// Keeps the last frame, and writes it as an 8-bit RGB image marked as sRGB.
pub(super) struct Still {
    file: AtomicFile,
    shape: Shape,
    rgb: Vec<u8>,
}

impl Still {
    pub(super) fn new(file: AtomicFile, shape: Shape) -> Self {
        let rgb = Vec::new();
        Self { file, shape, rgb }
    }
}

impl Encoder for Still {
    fn frame(&mut self, rgba: &[u8]) -> Result<()> {
        self.rgb.clear();
        self.rgb.extend(rgba.as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]));
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        write(&mut self.file, self.shape, &self.rgb).map_err(|error| match error {
            EncodingError::IoError(source) => self.file.failed(source),
            other => Error::encode(self.file.path(), other),
        })?;
        self.file.commit()
    }
}

fn write(file: &mut AtomicFile, shape: Shape, rgb: &[u8]) -> std::result::Result<(), EncodingError> {
    let mut encoder = png::Encoder::new(file, shape.width, shape.height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::BufReader;

    #[test]
    fn holds_the_last_frame() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let mut film = super::super::Film::create(&path, 3, 2, 30).unwrap();
        film.frame(&[7; 24]).unwrap();
        let last: Vec<u8> = (0..24).collect();
        film.frame(&last).unwrap();
        film.finish().unwrap();
        let decoder = png::Decoder::new(BufReader::new(File::open(path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height, info.color_type), (3, 2, png::ColorType::Rgb));
        assert_eq!(pixels[..6], [0, 1, 2, 4, 5, 6]);
    }
}

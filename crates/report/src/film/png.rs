//! PNG: the last frame.

use super::encoder::{Encoder, Shape};
use crate::atomic::AtomicFile;
use crate::error::Result;
use crate::png::{without_alpha, write};

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
        self.rgb.extend(without_alpha(rgba));
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        write(&mut self.file, [self.shape.width, self.shape.height], &self.rgb)?;
        self.file.commit()
    }
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

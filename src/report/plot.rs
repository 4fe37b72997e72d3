//! A plot: curves over two logarithmic axes, in panels beside each other, as a PNG or an SVG file.

mod axis;
mod draw;
mod sheet;
mod svg;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use self::svg::Svg;
use super::atomic::AtomicFile;
use super::canvas::Canvas;
use super::error::{Error, Result};
use super::film::Film;
use crate::hues::Hue;

/// What a plot shows.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub title: String,
    /// The units of the axes.
    pub x: String,
    pub y: String,
    pub panels: Vec<Panel>,
    /// Lines below.
    pub captions: Vec<String>,
}

/// One pair of axes; all panels have the same.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub title: String,
    /// The later ones lie over the earlier.
    pub curves: Vec<Curve>,
    pub levels: Vec<Level>,
}

/// What is joined by a line.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    /// None is drawn in ink, and thicker.
    pub hue: Option<Hue>,
    pub dots: Vec<Dot>,
}

/// One value, from the least to the most it was. Only what is greater than 0 has a place on the axes.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
    pub least: f64,
    pub most: f64,
}

/// A limit, drawn across.
#[derive(Clone, Debug)]
pub struct Level {
    pub y: f64,
    pub name: String,
    /// Where it is reached.
    pub x: Option<f64>,
}

/// A plot's file.
#[derive(Debug)]
pub struct Plot {
    path: PathBuf,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Png,
    Svg,
}

impl Plot {
    /// The plot that will be in the file of this name, which ends in `.png` or `.svg`. Finds out whether the file can be
    /// written, but writes nothing yet.
    ///
    /// # Errors
    /// [`Error::Unfit`] for any other ending, and [`Error::Open`] for a file that cannot be written.
    pub fn new(path: &Path) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let format = match extension.to_str() {
            Some("png") => Format::Png,
            Some("svg") => Format::Svg,
            _ => return Err(Error::unfit(path, "the name must end in .png or .svg".into())),
        };
        drop(AtomicFile::create(path)?);
        Ok(Plot { path: path.to_owned(), format })
    }

    /// Draws it.
    ///
    /// # Errors
    /// [`Error::Open`], [`Error::Write`] and [`Error::Encode`]; no file is left then.
    pub fn write(&self, chart: &Chart) -> Result<()> {
        let (width, height) = draw::size(chart);
        match self.format {
            Format::Png => {
                let broken = |error| Error::encode(&self.path, error);
                let mut canvas = Canvas::new(width, height).map_err(broken)?;
                draw::draw(chart, &mut canvas);
                let mut still = Film::create(&self.path, width.into(), height.into(), 1)?;
                still.frame(canvas.picture())?;
                still.finish()
            }
            Format::Svg => {
                let mut svg = Svg::new(width, height);
                draw::draw(chart, &mut svg);
                let mut file = AtomicFile::create(&self.path)?;
                file.write_all(svg.finish().as_bytes()).map_err(|error| file.failed(error))?;
                file.commit()
            }
        }
    }
}

#[cfg(test)]
mod tests;

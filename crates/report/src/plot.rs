//! Plots: curves, columns or cells over two axes, in panels side by side, as a PNG or an SVG file.

mod axes;
mod axis;
mod chart;
mod colours;
mod curve;
mod draw;
mod legend;
mod sheet;
mod svg;

use std::io::Write as _;
use std::path::{Path, PathBuf};

pub use self::axis::round_step;
pub use self::chart::{Cell, Chart, Curve, Dot, Level, Mark, Panel, Scale};
pub use self::colours::series as series_colour;
use self::svg::Svg;
use super::atomic::AtomicFile;
use super::canvas::Canvas;
use super::error::{Error, Result};
use super::png::write_png;

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
    /// A plot in the file `path`, which ends in `.png` or `.svg`. Checks that the file can be written, but writes nothing
    /// yet.
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

    /// Draws the chart into the file.
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
                write_png(&self.path, [width, height].map(u32::from), canvas.picture())
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

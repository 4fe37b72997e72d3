//! Drawings: shapes and lines of text, as pixels or as SVG.

mod arrows;
mod axis;
mod plot;

use std::fmt::Write as _;

use epaint_default_fonts::UBUNTU_LIGHT;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::DrawSettings;
use skrifa::outline::pen::SvgPen;
use skrifa::{FontRef, MetadataProvider as _};
use vello_cpu::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape, Stroke, Vec2};
use vello_cpu::peniko::Color;
use vello_cpu::{Pixmap, RenderContext, Resources};

pub use self::arrows::Arrows;
pub use self::axis::round_step;
pub use self::plot::{Cell, Chart, Curve, Dot, Level, Mark, Panel, Plot, Scale, series_colour};

/// Red, green and blue, in sRGB.
pub type Rgb = [u8; 3];

const PAPER: Color = paint(rgb(0xfbfaf6));
const INK: Color = paint(rgb(0x2b3644));
/// The ground of labels on pictures.
const GROUND: Color = Color::from_rgba8(12, 14, 20, 178);

/// The anchor of a text: its name in SVG, and the fraction of the text's width before the position.
type Anchor = (&'static str, f64);

const START: Anchor = ("start", 0.0);
const MIDDLE: Anchor = ("middle", 0.5);
const END: Anchor = ("end", 1.0);

#[derive(Debug)]
enum Element {
    Fill(BezPath, Color),
    /// A line of this width along a path.
    Stroke(BezPath, f64, Color),
    /// A text with its baseline at a point; the number is the font size in pixels per em.
    Text(String, Point, f64, Anchor, Color),
}

/// Elements in the order in which they are drawn, in pixels from the upper left corner.
#[derive(Debug)]
struct Drawing {
    size: [u16; 2],
    elements: Vec<Element>,
}

impl Drawing {
    /// A sheet of paper.
    fn new(size: [u16; 2]) -> Self {
        let mut drawing = Drawing { size, elements: Vec::new() };
        drawing.fill(&drawing.sheet(), PAPER);
        drawing
    }

    fn sheet(&self) -> Rect {
        let [width, height] = self.size.map(f64::from);
        Rect::new(0.0, 0.0, width, height)
    }

    fn fill(&mut self, shape: &impl Shape, colour: Color) {
        self.elements.push(Element::Fill(shape.to_path(0.05), colour));
    }

    fn stroke(&mut self, shape: &impl Shape, width: f64, colour: Color) {
        self.elements.push(Element::Stroke(shape.to_path(0.05), width, colour));
    }

    fn text(&mut self, text: &str, at: impl Into<Point>, size: f64, anchor: Anchor, colour: Color) {
        if !text.is_empty() {
            self.elements.push(Element::Text(text.to_owned(), at.into(), size, anchor, colour));
        }
    }

    /// The picture, RGBA with the colours times alpha, row by row from the top.
    fn pixels(&self) -> Vec<u8> {
        let [columns, rows] = self.size;
        let mut context = RenderContext::new(columns, rows);
        for element in &self.elements {
            match element {
                Element::Fill(path, colour) => {
                    context.set_paint(*colour);
                    context.fill_path(path);
                }
                Element::Stroke(path, width, colour) => {
                    context.set_paint(*colour);
                    context.set_stroke(Stroke::new(*width));
                    context.stroke_path(path);
                }
                Element::Text(text, at, size, anchor, colour) => {
                    let (path, width) = outline(text, *size);
                    let left = at.x - anchor.1 * width;
                    context.set_paint(*colour);
                    context.fill_path(&(Affine::translate((left, at.y)) * path));
                }
            }
        }
        context.flush();
        let mut pixels = Pixmap::new(columns, rows);
        context.render(&mut pixels, &mut Resources::new());
        pixels.data_as_u8_slice().to_vec()
    }

    /// The same as SVG: paths as paths, text as text.
    fn svg(&self) -> String {
        let [width, height] = self.size;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Ubuntu, 'Segoe UI', 'DejaVu Sans', sans-serif\">\n"
        );
        for element in &self.elements {
            // Writing to a string cannot fail.
            let _ = match element {
                Element::Fill(path, colour) => {
                    let (data, hex, alpha) = (path_data(path), hex(*colour), colour.components[3]);
                    let opacity =
                        if alpha < 1.0 { format!(" fill-opacity=\"{alpha}\"") } else { String::new() };
                    writeln!(svg, "<path d=\"{data}\" fill=\"{hex}\"{opacity}/>")
                }
                Element::Stroke(path, width, colour) => {
                    let pen = format!("stroke=\"{}\" stroke-width=\"{width}\"", hex(*colour));
                    let data = path_data(path);
                    writeln!(svg, "<path d=\"{data}\" fill=\"none\" {pen} stroke-linejoin=\"round\"/>")
                }
                Element::Text(text, Point { x, y }, size, anchor, colour) => {
                    let text = escaped(text);
                    let style = format!("text-anchor=\"{}\" fill=\"{}\"", anchor.0, hex(*colour));
                    let place = format!("x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\"");
                    writeln!(svg, "<text {place} {style}>{text}</text>")
                }
            };
        }
        svg + "</svg>\n"
    }
}

/// A line of text in a picture.
#[derive(Clone, Debug)]
pub struct Label {
    pub text: String,
    /// The middle of the text, in pixels from the upper left corner.
    pub at: [f64; 2],
    /// The font size, in pixels.
    pub size: f64,
}

/// Writes labels on a picture of 4 bytes a pixel, each on a dark ground; inside of the picture.
pub fn write_labels(pixels: &mut [u8], size: [u32; 2], labels: &[Label]) {
    if labels.is_empty() {
        return;
    }
    let size = size.map(|side| u16::try_from(side).unwrap_or(u16::MAX));
    let mut drawing = Drawing { size, elements: Vec::new() };
    let sheet = drawing.sheet();
    for Label { text, at: [x, y], size } in labels {
        let half = Vec2::new(0.5 * outline(text, *size).1 + 0.5 * size, 0.75 * size);
        let inside = |at: f64, half: f64, end: f64| at.min(end - half).max(half);
        let middle = Point::new(inside(*x, half.x, sheet.x1), inside(*y, half.y, sheet.y1));
        let ground = Rect::from_points(middle - half, middle + half);
        drawing.fill(&ground.to_rounded_rect(0.4 * size), GROUND);
        drawing.text(text, middle + Vec2::new(0.0, 0.34 * size), *size, MIDDLE, PAPER);
    }
    let drawn = drawing.pixels();
    for (pixel, over) in pixels.chunks_exact_mut(4).zip(drawn.chunks_exact(4)) {
        let rest = 255 - u16::from(over[3]);
        for (below, above) in pixel.iter_mut().zip(over).take(3) {
            *below = above + (u16::from(*below) * rest / 255) as u8;
        }
    }
}

/// The outline of a text that begins at the origin, and its width.
fn outline(text: &str, size: f64) -> (BezPath, f64) {
    let (mut path, mut x) = (BezPath::new(), 0.0);
    // The built-in font always parses: a test draws with it.
    let Ok(font) = FontRef::new(UBUNTU_LIGHT) else { return (path, x) };
    let size = Size::new(size as f32);
    let metrics = font.glyph_metrics(size, LocationRef::default());
    let (outlines, letters) = (font.outline_glyphs(), font.charmap());
    for letter in text.chars() {
        let glyph = letters.map(letter).unwrap_or_default();
        let mut pen = SvgPen::new();
        // A glyph that cannot be drawn leaves its space empty.
        if let Some(outline) = outlines.get(glyph)
            && outline.draw(DrawSettings::unhinted(size, LocationRef::default()), &mut pen).is_ok()
            && let Ok(outline) = BezPath::from_svg(&pen)
        {
            // Fonts measure upwards, drawings downwards.
            path.extend(Affine::new([1.0, 0.0, 0.0, -1.0, x, 0.0]) * outline);
        }
        x += f64::from(metrics.advance_width(glyph).unwrap_or_default());
    }
    (path, x)
}

/// A line from point to point.
fn polyline(points: impl IntoIterator<Item = Point>) -> BezPath {
    let element = |(k, point)| if k == 0 { PathEl::MoveTo(point) } else { PathEl::LineTo(point) };
    points.into_iter().enumerate().map(element).collect()
}

/// A path in SVG, to a tenth of a pixel.
fn path_data(path: &BezPath) -> String {
    let at = |p: Point| format!("{:.1} {:.1}", p.x, p.y);
    let element = |element| match element {
        PathEl::MoveTo(p) => format!("M{}", at(p)),
        PathEl::LineTo(p) => format!("L{}", at(p)),
        PathEl::QuadTo(a, p) => format!("Q{} {}", at(a), at(p)),
        PathEl::CurveTo(a, b, p) => format!("C{} {} {}", at(a), at(b), at(p)),
        PathEl::ClosePath => "Z".to_owned(),
    };
    path.iter().map(element).collect()
}

/// The components of a colour written as 0xRRGGBB.
const fn rgb(hex: u32) -> Rgb {
    let [_, r, g, b] = hex.to_be_bytes();
    [r, g, b]
}

/// A colour to paint with.
const fn paint([r, g, b]: Rgb) -> Color {
    Color::from_rgb8(r, g, b)
}

fn hex(colour: Color) -> String {
    let [r, g, b, _] = colour.to_rgba8().to_u8_array();
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Escapes text for XML, which allows no control characters, not even as references.
fn escaped(text: &str) -> String {
    config::escaped(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text_and_breaks_nothing() {
        let mut drawing = Drawing::new([20, 10]);
        drawing.text("a < b & c\u{1b}", (1.0, 2.25), 9.0, END, Color::from_rgb8(255, 0, 16));
        let text = drawing.svg();
        assert!(
            text.contains(">a &lt; b &amp; c\\u{1b}</text>") && text.contains("fill=\"#ff0010\""),
            "{text}"
        );
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    }

    #[test]
    fn letters_have_outlines_above_their_baseline_and_are_as_wide_as_they_say() {
        let (path, width) = outline("HH", 20.0);
        let place = path.bounding_box();
        assert!(place.y1.abs() < 0.01 && (-16.0..-12.0).contains(&place.y0), "{place:?}");
        assert!(place.x0 > 0.0 && place.x1 < width && width < 2.0 * 20.0, "{place:?} of {width}");
    }
}

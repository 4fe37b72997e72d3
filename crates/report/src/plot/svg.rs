//! A sheet that writes SVG: paths as paths, text as text.

use std::fmt::Write as _;

use vello_cpu::kurbo::{BezPath, PathEl, Point};
use vello_cpu::peniko::Color;

use super::sheet::Sheet;
use crate::canvas::Anchor;

/// The file so far.
#[derive(Debug)]
pub(super) struct Svg(String);

impl Svg {
    pub(super) fn new(width: u16, height: u16) -> Self {
        Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Ubuntu, 'Segoe UI', 'DejaVu Sans', sans-serif\">\n"
        ))
    }

    pub(super) fn finish(mut self) -> String {
        self.0 += "</svg>\n";
        self.0
    }
}

// Writing to a string cannot fail.
impl Sheet for Svg {
    fn fill(&mut self, path: &BezPath, colour: Color) {
        let alpha = colour.components[3];
        let opacity = if alpha < 1.0 { format!(" fill-opacity=\"{alpha}\"") } else { String::new() };
        let _ = writeln!(self.0, "<path d=\"{}\" fill=\"{}\"{opacity}/>", outline(path), hex(colour));
    }

    fn stroke(&mut self, path: &BezPath, width: f64, colour: Color) {
        let _ = writeln!(
            self.0,
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>",
            outline(path),
            hex(colour)
        );
    }

    fn text(&mut self, text: &str, (x, y): (f64, f64), size: f64, anchor: Anchor, colour: Color) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.0,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{}\">{}</text>",
            hex(colour),
            escaped(text)
        );
    }
}

/// The path data, to a tenth of a pixel.
fn outline(path: &BezPath) -> String {
    let mut data = String::new();
    let at = |p: Point| format!("{:.1} {:.1}", p.x, p.y);
    for element in path {
        data += &match element {
            PathEl::MoveTo(p) => format!("M{}", at(p)),
            PathEl::LineTo(p) => format!("L{}", at(p)),
            PathEl::QuadTo(a, p) => format!("Q{} {}", at(a), at(p)),
            PathEl::CurveTo(a, b, p) => format!("C{} {} {}", at(a), at(b), at(p)),
            PathEl::ClosePath => "Z".to_owned(),
        };
    }
    data
}

fn hex(colour: Color) -> String {
    let [r, g, b, _] = colour.to_rgba8().to_u8_array();
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// XML has no place for control characters, even as references.
fn escaped(text: &str) -> String {
    config::shown::escaped(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text_and_breaks_nothing() {
        let mut svg = Svg::new(20, 10);
        svg.text("a < b & c\u{1b}", (1.0, 2.25), 9.0, Anchor::End, Color::from_rgb8(255, 0, 16));
        let text = svg.finish();
        assert!(
            text.contains(">a &lt; b &amp; c\\u{1b}</text>") && text.contains("fill=\"#ff0010\""),
            "{text}"
        );
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    }

    #[test]
    fn paths_stay_paths() {
        let mut path = BezPath::new();
        path.move_to((0.0, 0.0));
        path.line_to((1.25, 2.0));
        path.close_path();
        assert_eq!(outline(&path), "M0.0 0.0L1.2 2.0Z");
    }
}

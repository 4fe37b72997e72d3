//! A drawing surface on the CPU: anti-aliased shapes and text.

use epaint_default_fonts::UBUNTU_LIGHT;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::raw::ReadError;
use skrifa::{FontRef, MetadataProvider};
use vello_cpu::kurbo::{Affine, BezPath, Rect, Shape, Stroke};
use vello_cpu::peniko::Color;
use vello_cpu::{Pixmap, RenderContext, Resources};

/// Which end of a text stands at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Shapes are drawn in the order of the calls; [`Canvas::picture`] ends a picture and begins the next.
pub(super) struct Canvas {
    context: RenderContext,
    resources: Resources,
    pixels: Pixmap,
    font: FontRef<'static>,
}

impl Canvas {
    /// A surface of `width` × `height` pixels.
    pub(super) fn new(width: u16, height: u16) -> Result<Self, ReadError> {
        let context = RenderContext::new(width, height);
        let (resources, pixels) = (Resources::new(), Pixmap::new(width, height));
        Ok(Self { context, resources, pixels, font: FontRef::new(UBUNTU_LIGHT)? })
    }

    pub(super) fn size(&self) -> (f64, f64) {
        (f64::from(self.context.width()), f64::from(self.context.height()))
    }

    pub(super) fn clear(&mut self, colour: Color) {
        let (width, height) = self.size();
        self.fill(&Rect::new(0.0, 0.0, width, height), colour);
    }

    pub(super) fn fill(&mut self, shape: &impl Shape, colour: Color) {
        self.context.set_paint(colour);
        self.context.fill_path(&shape.to_path(0.05));
    }

    pub(super) fn stroke(&mut self, shape: &impl Shape, width: f64, colour: Color) {
        self.context.set_paint(colour);
        self.context.set_stroke(Stroke::new(width));
        self.context.stroke_path(&shape.to_path(0.05));
    }

    /// Cuts what follows off outside `shape`, until [`Canvas::unclip`].
    pub(super) fn clip(&mut self, shape: &impl Shape) {
        self.context.push_clip_path(&shape.to_path(0.05));
    }

    pub(super) fn unclip(&mut self) {
        self.context.pop_clip_path();
    }

    /// Writes `text` on the baseline at `position`, `size` pixels to the em, and returns its width.
    pub(super) fn text(
        &mut self,
        text: &str,
        position: (f64, f64),
        size: f64,
        anchor: Anchor,
        colour: Color,
    ) -> f64 {
        let scale = Size::new(size as f32);
        let metrics = self.font.glyph_metrics(scale, LocationRef::default());
        let outlines = self.font.outline_glyphs();
        let letters = self.font.charmap();
        let mut pen = Pen::default();
        for letter in text.chars() {
            let glyph = letters.map(letter).unwrap_or_default();
            if let Some(outline) = outlines.get(glyph) {
                let settings = DrawSettings::unhinted(scale, LocationRef::default());
                // A glyph that cannot be drawn leaves its space empty.
                let _ = outline.draw(settings, &mut pen);
            }
            pen.x += f64::from(metrics.advance_width(glyph).unwrap_or_default());
        }
        let width = pen.x;
        let share = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        };
        self.context.set_paint(colour);
        self.context.set_transform(Affine::translate((position.0 - share * width, position.1)));
        self.context.fill_path(&pen.path);
        self.context.reset_transform();
        width
    }

    /// The picture so far, RGBA; the next begins empty.
    pub(super) fn picture(&mut self) -> &[u8] {
        self.context.flush();
        self.context.render(&mut self.pixels, &mut self.resources);
        self.context.reset();
        self.pixels.data_as_u8_slice()
    }
}

/// Glyph outlines side by side; fonts measure upwards, pictures downwards.
#[derive(Default)]
struct Pen {
    path: BezPath,
    x: f64,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f64, f64) {
        (self.x + f64::from(x), -f64::from(y))
    }
}

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.at(x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.at(x, y));
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.path.quad_to(self.at(cx, cy), self.at(x, y));
    }

    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        self.path.curve_to(self.at(ax, ay), self.at(bx, by), self.at(x, y));
    }

    fn close(&mut self) {
        self.path.close_path();
    }
}

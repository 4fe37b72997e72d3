//! The style of the panel: dusk colours, wide margins, few lines.

use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, StrokeKind, TextStyle, Visuals};

/// The background.
pub const GROUND: Color32 = Color32::from_rgb(19, 22, 29);
/// Fields and rails.
pub const FIELD: Color32 = Color32::from_rgb(30, 34, 44);
/// Fields under the pointer.
pub const FIELD_HOVERED: Color32 = Color32::from_rgb(41, 47, 60);
/// Lines between parts.
pub const LINE: Color32 = Color32::from_rgb(38, 43, 55);
/// The ground of text over the view: a contrast of at least 4.5 to 1 on any sky.
pub const BEHIND: Color32 = Color32::from_rgba_unmultiplied_const(12, 14, 20, 178);
/// Text over the view.
pub const OVER_VIEW: Color32 = Color32::from_rgb(236, 239, 245);
/// Plain text.
pub const TEXT: Color32 = Color32::from_rgb(205, 210, 220);
/// Secondary text.
pub const FAINT: Color32 = Color32::from_rgb(134, 142, 158);
/// Selected and changed items.
pub const ACCENT: Color32 = Color32::from_rgb(232, 166, 112);
/// Errors.
pub const WRONG: Color32 = Color32::from_rgb(240, 120, 110);
/// The outline of the widget that has the keyboard's focus.
pub const FOCUS: Stroke = Stroke { width: 2.0, color: Color32::WHITE };
/// Lines of charts, in order.
pub const LINES: [Color32; 2] = [ACCENT, Color32::from_rgb(116, 176, 214)];

/// Applies the style.
pub fn apply(ctx: &egui::Context) {
    ctx.set_theme(egui::Theme::Dark);
    ctx.style_mut_of(egui::Theme::Dark, |style| {
        style.visuals = visuals();
        let fonts = [
            (TextStyle::Heading, 18.0, FontFamily::Proportional),
            (TextStyle::Body, 13.0, FontFamily::Proportional),
            (TextStyle::Button, 13.0, FontFamily::Proportional),
            (TextStyle::Small, 11.0, FontFamily::Proportional),
            (TextStyle::Monospace, 12.0, FontFamily::Monospace),
        ];
        style.text_styles = fonts.map(|(name, size, family)| (name, FontId::new(size, family))).into();
        let spacing = &mut style.spacing;
        spacing.item_spacing = egui::vec2(8.0, 6.0);
        spacing.button_padding = egui::vec2(8.0, 4.0);
        spacing.interact_size = egui::vec2(40.0, 22.0);
        spacing.slider_rail_height = 4.0;
        spacing.indent = 18.0;
        spacing.icon_width = 14.0;
        spacing.combo_width = 100.0;
        spacing.tooltip_width = 260.0;
        spacing.scroll = egui::style::ScrollStyle::thin();
        style.interaction.selectable_labels = false;
        style.interaction.tooltip_delay = 0.35;
    });
}

fn visuals() -> Visuals {
    let mut visuals = Visuals::dark();
    visuals.panel_fill = GROUND;
    visuals.window_fill = Color32::from_rgb(24, 28, 36);
    visuals.window_stroke = Stroke::new(1.0, LINE);
    visuals.window_corner_radius = CornerRadius::same(10);
    visuals.menu_corner_radius = CornerRadius::same(8);
    visuals.extreme_bg_color = FIELD;
    visuals.faint_bg_color = Color32::from_rgb(23, 27, 35);
    visuals.weak_text_color = Some(FAINT);
    visuals.selection.bg_fill = Color32::from_rgb(106, 72, 46);
    visuals.selection.stroke = Stroke::new(1.0, Color32::from_rgb(255, 226, 200));
    visuals.error_fg_color = WRONG;
    visuals.slider_trailing_fill = true;
    visuals.indent_has_left_vline = false;
    visuals.hyperlink_color = ACCENT;
    let radius = CornerRadius::same(6);
    let widgets = &mut visuals.widgets;
    for (state, fill, text) in [
        (&mut widgets.noninteractive, GROUND, TEXT),
        (&mut widgets.inactive, FIELD, TEXT),
        (&mut widgets.hovered, FIELD_HOVERED, Color32::WHITE),
        (&mut widgets.active, Color32::from_rgb(52, 59, 74), Color32::WHITE),
        (&mut widgets.open, FIELD_HOVERED, Color32::WHITE),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.bg_stroke = Stroke::NONE;
        state.fg_stroke = Stroke::new(1.0, text);
        state.corner_radius = radius;
        state.expansion = 0.0;
    }
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, LINE);
    // The knob of a slider must contrast with its rail.
    widgets.inactive.bg_fill = Color32::from_rgb(74, 82, 100);
    widgets.hovered.bg_fill = Color32::from_rgb(96, 106, 128);
    widgets.active.bg_fill = ACCENT;
    visuals
}

/// Outlines the widget that has the keyboard's focus, over all that is drawn: light on dark, to be seen on any sky.
pub fn outline_focus(ctx: &egui::Context) {
    let focused = ctx.memory(egui::Memory::focused);
    let Some(widget) = focused.and_then(|id| ctx.read_response(id)) else { return };
    let around = 2.0;
    let painter = ctx.layer_painter(widget.layer_id).with_clip_rect(widget.interact_rect.expand(around));
    // The outline of the view lies inside it.
    let rect = widget.rect.expand(around).intersect(ctx.content_rect());
    let ground = Stroke::new(FOCUS.width + 1.0, GROUND);
    painter.rect_stroke(rect, 5.0, ground, StrokeKind::Inside);
    painter.rect_stroke(rect, 5.0, FOCUS, StrokeKind::Inside);
}

/// A frame with inner margins and no background.
pub fn margins() -> egui::Frame {
    egui::Frame::NONE.inner_margin(Margin::symmetric(16, 12))
}

//! The widgets of the panel, each with a name for screen readers and tests.

use std::cell::Cell;
use std::ops::RangeInclusive;

use egui::{
    Align, AsIdSalt, CollapsingHeader, Context, DragValue, Id, Key, Label, Layout, Response, RichText, Role,
    Sense, Slider, SliderClamping, TextEdit, TextStyle, Ui, WidgetInfo,
};

use crate::keys;
use crate::session::{Action, Actions};
use crate::theme;
use config::escaped;

/// Sets a widget's accessible name.
pub fn named(response: Response, name: &str) -> Response {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(name));
    response
}

/// Asks for an action if a widget was clicked.
pub fn on_click(actions: &mut Actions, widget: Response, action: Action) {
    if widget.clicked() {
        actions.push(action);
    }
}

/// A checkbox. Returns its new state once it is clicked.
pub fn checkbox(ui: &mut Ui, mut on: bool, text: &str, hint: &str) -> Option<bool> {
    let mut widget = ui.checkbox(&mut on, text);
    if !hint.is_empty() {
        widget = widget.on_hover_text(hint);
    }
    widget.changed().then_some(on)
}

/// A caption of fixed width, so that the widgets after it align. A long one is in small letters.
pub fn caption(ui: &mut Ui, width: f32, mut text: RichText) -> Response {
    let font = TextStyle::Body.resolve(ui.style());
    let galley = ui.painter().layout_no_wrap(text.text().to_owned(), font, theme::TEXT);
    if galley.size().x > width {
        text = text.small();
    }
    let size = egui::vec2(width, ui.spacing().interact_size.y);
    let layout = Layout::left_to_right(Align::Center);
    let inner = ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_width(width);
        // A name is no stop of the keyboard's focus.
        ui.add(Label::new(text).truncate().sense(Sense::CLICK))
    });
    inner.inner
}

/// A small button of this width with an arrow that turns back.
pub fn back_button(ui: &mut Ui, name: &str, width: f32) -> Response {
    let size = egui::vec2(width, ui.spacing().interact_size.y);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    let colour = if response.hovered() { egui::Color32::WHITE } else { theme::ACCENT };
    let (middle, radius) = (rect.center(), 4.5);
    // An arc from the tip of the arrow clockwise: y points down.
    let on = |degrees: f32| middle + radius * egui::Vec2::angled(degrees.to_radians());
    let arc = (0..=18).map(|part| on(-150.0 + 16.0 * part as f32)).collect();
    let stroke = egui::Stroke::new(1.3, colour);
    ui.painter().line(arc, stroke);
    let tip = on(-150.0);
    let head = [tip + egui::vec2(-2.2, 2.6), tip + egui::vec2(-1.2, -3.4), tip + egui::vec2(3.6, 0.6)];
    ui.painter().add(egui::Shape::convex_polygon(head.to_vec(), colour, egui::Stroke::NONE));
    response
}

/// Points by which a key scrolls a line and a page.
const LINE: f32 = 40.0;
const PAGE: f32 = 240.0;

/// Scrolls by the page keys, and by arrows if no widget takes them.
pub fn scroll_by_keys(ui: &Ui, arrows: bool) {
    let mut keys = vec![(Key::PageUp, PAGE), (Key::PageDown, -PAGE)];
    if arrows {
        keys.extend([(Key::ArrowUp, LINE), (Key::ArrowDown, -LINE)]);
    }
    for (key, by) in keys {
        let presses = ui.input(|input| input.num_presses(key));
        if presses > 0 {
            ui.scroll_with_delta(egui::vec2(0.0, by * presses as f32));
        }
    }
}

/// Shows what is in a scroll area, which then follows the keyboard's focus, and page keys while the view has it not.
pub fn follow_focus(ui: &mut Ui, show: impl FnOnce(&mut Ui)) {
    if ui.memory(egui::Memory::focused).is_some_and(|focus| focus != keys::view()) {
        scroll_by_keys(ui, false);
    }
    let layer = ui.layer_id();
    let first = ui.ctx().viewport(|viewport| viewport.this_pass.widgets.get_layer(layer).count());
    show(ui);
    let focus = ui.memory(egui::Memory::focused);
    let id = ui.scope_id().with_salt(egui::IdSalt::new("focus"));
    let before: Option<Id> = ui.data(|data| data.get_temp(id)).flatten();
    ui.data_mut(|data| data.insert_temp(id, focus));
    if focus == before {
        return;
    }
    let inside = ui.ctx().viewport(|viewport| {
        let mut widgets = viewport.this_pass.widgets.get_layer(layer).skip(first);
        widgets.find(|widget| Some(widget.id) == focus).map(|widget| widget.rect)
    });
    if let Some(rect) = inside {
        ui.scroll_to_rect(rect.expand(8.0), None);
    }
}

/// The heading of a part of a page.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).size(14.0).color(egui::Color32::WHITE));
}

/// A collapsible part; its title is highlighted if a value in it is `changed`.
pub fn section(
    ui: &mut Ui,
    (name, salt): (&str, impl AsIdSalt),
    changed: bool,
    open: bool,
    show: impl FnOnce(&mut Ui),
) {
    let colour = if changed { theme::ACCENT } else { egui::Color32::WHITE };
    let title = RichText::new(words(name)).size(14.0).color(colour);
    CollapsingHeader::new(title).id_salt(salt).default_open(open).show_unindented(ui, |ui| {
        show(ui);
        ui.add_space(8.0);
    });
}

/// A name without its underscores.
pub fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// Width of the names of parameters; less in a narrow panel.
pub fn names(ui: &Ui) -> f32 {
    104.0 - (USUAL - ui.max_rect().width()).clamp(0.0, 16.0)
}

/// Width of a row, in points, for which the widths of sliders are specified.
const USUAL: f32 = 308.0;

/// The range of a slider.
#[derive(Clone, Debug, PartialEq)]
pub struct SliderRange {
    pub range: RangeInclusive<f64>,
    pub logarithmic: bool,
    /// The smallest step above zero on a logarithmic slider.
    pub smallest: f64,
}

impl SliderRange {
    pub const fn linear(low: f64, high: f64) -> Self {
        SliderRange { range: low..=high, logarithmic: false, smallest: 0.0 }
    }

    /// A logarithmic range whose smallest step is `low`.
    pub const fn logarithmic(low: f64, high: f64) -> Self {
        SliderRange { range: low..=high, logarithmic: true, smallest: low }
    }
}

/// A faint caption of this width.
pub fn faint(ui: &mut Ui, (width, text): (f32, &str), help: &str) {
    caption(ui, width, RichText::new(text).color(theme::FAINT)).on_hover_text(help);
}

/// A faint caption of this width, and a slider. A number that is typed beyond the limits is refused with a word.
pub fn line(
    ui: &mut Ui,
    (width, text): (f32, &str),
    help: &str,
    value: &mut f64,
    reach: &SliderRange,
    limits: RangeInclusive<f64>,
) {
    let before = *value;
    ui.horizontal(|ui| {
        faint(ui, (width, text), help);
        slider(ui, text, value, reach, false, 124.0);
    });
    keep_within(ui.ctx(), text, value, before, limits);
}

/// Refuses a changed value beyond its limits, and says which they are.
pub fn keep_within(ctx: &Context, name: &str, value: &mut f64, before: f64, limits: RangeInclusive<f64>) {
    if *value != before && !limits.contains(value) {
        let [least, most, asked] = [*limits.start(), *limits.end(), *value].map(short);
        refuse(ctx, format!("{name} must be {least} to {most}, not {asked}"));
        *value = before;
    }
}

/// Width of most units, in points.
const UNIT: f32 = 24.0;

/// A slider and a field for a number with a unit. The slider is shorter beside a longer unit; `help` is shown over it.
pub fn slider_with_unit(
    ui: &mut Ui,
    name: &str,
    value: &mut f64,
    reach: &SliderRange,
    whole: bool,
    (unit, help): (&str, &str),
) {
    let text = RichText::new(unit).small().color(theme::FAINT);
    let font = TextStyle::Small.resolve(ui.style());
    let width = ui.painter().layout_no_wrap(unit.to_owned(), font, theme::FAINT).size().x;
    slider(ui, name, value, reach, whole, 94.0 - (width - UNIT).clamp(0.0, 44.0));
    ui.add(Label::new(text).truncate()).on_hover_text(help);
}

/// A slider of this width in a row of usual width and a field for any number, an integer if `whole`.
pub fn slider(ui: &mut Ui, name: &str, value: &mut f64, reach: &SliderRange, whole: bool, width: f32) {
    let before = *value;
    // A wider panel has longer sliders.
    let more = (ui.max_rect().width() - USUAL).clamp(-0.5 * width, USUAL);
    ui.spacing_mut().slider_width = width + more;
    let mut slider = Slider::new(value, reach.range.clone())
        .logarithmic(reach.logarithmic)
        .clamping(SliderClamping::Never)
        .show_value(false);
    if reach.logarithmic {
        slider = slider.smallest_positive(reach.smallest);
    }
    if whole {
        slider = slider.integer();
    }
    named(ui.add(slider), name);
    let speed = if reach.logarithmic {
        (0.01 * before.abs()).max(reach.smallest)
    } else {
        0.002 * (reach.range.end() - reach.range.start())
    };
    field(ui, name, value, speed, whole, 62.0);
}

/// A field for a number, dragged or typed.
pub fn field(ui: &mut Ui, name: &str, value: &mut f64, speed: f64, whole: bool, width: f32) {
    let write = move |value: f64| if whole { grouped(value.max(0.0) as u64) } else { short(value) };
    let refused = Cell::new(None);
    let parse = |text: &str| {
        let number = if whole { count(text) } else { real(text) };
        if number.is_none() && !text.trim().is_empty() {
            refused.set(Some(text.to_owned()));
        }
        number
    };
    let field = DragValue::new(value)
        .speed(if whole { speed.max(0.1) } else { speed })
        .update_while_editing(false)
        .custom_formatter(move |value, _| write(value))
        .custom_parser(parse);
    named(ui.add_sized([width, ui.spacing().interact_size.y], field), name);
    if let Some(text) = refused.take() {
        let wanted = match (whole, text.contains(',')) {
            (true, _) => "a whole number up to 4294967295, as 1000, 20k or 1.5M",
            (false, true) => "a number with a decimal point",
            (false, false) => "a number",
        };
        refuse(ui.ctx(), format!("{name} must be {wanted}, not {}", escaped(text.trim())));
    }
    if whole {
        *value = value.round();
    }
}

/// Why a number was refused.
#[derive(Clone, Default)]
struct Refusal(String);

/// Keeps the reason why a number is refused, for [`refused`].
pub fn refuse(ctx: &Context, why: String) {
    ctx.data_mut(|data| data.insert_temp(Id::NULL, Refusal(why)));
}

/// The reason why a number was refused since the last call.
pub fn refused(ctx: &Context) -> Option<String> {
    ctx.data_mut(|data| data.remove_temp(Id::NULL)).map(|Refusal(why)| why)
}

/// A field for a name, as wide as the panel.
pub fn text_field(ui: &mut Ui, name: &str, text: &mut String) -> Response {
    let field = TextEdit::singleline(text).desired_width(f32::INFINITY).margin(egui::vec2(8.0, 5.0));
    named(ui.add(field), name)
}

/// A note in small letters.
pub fn note(ui: &mut Ui, text: impl Into<String>) -> Response {
    ui.label(RichText::new(text).small().color(theme::FAINT))
}

/// Parses a finite number.
fn real(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite())
}

/// A number in few characters.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    let text = match size {
        s if !(1e-5..1e6).contains(&s) => return format!("{value:.1e}"),
        s if s >= 100.0 => format!("{value:.1}"),
        s if s >= 1.0 => format!("{value:.2}"),
        s if s >= 0.01 => format!("{value:.4}"),
        _ => format!("{value:.6}"),
    };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Milliseconds with up to three significant digits.
pub fn figure(time: f64) -> String {
    match time {
        t if t < 0.1 => format!("{t:.3}"),
        t if t < 10.0 => format!("{t:.2}"),
        t if t < 100.0 => format!("{t:.1}"),
        t => format!("{t:.0}"),
    }
}

/// An integer with its thousands separated.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(" ")
}

/// A number with its noun, in the plural unless the number is 1.
pub fn counted(number: u32, name: &str) -> String {
    format!("{} {name}{}", grouped(number.into()), if number == 1 { "" } else { "s" })
}

/// Parses a count in common notations: `1000000`, `1 000 000`, `1e6`, `20k`, `1.5M`. A comma is no number: it separates
/// thousands in one language, and decimals in another; nor is a point without a unit, as in `1.000`.
fn count(text: &str) -> Option<f64> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '\'')).collect();
    let (digits, scale) = match plain.char_indices().last() {
        Some((at, 'k' | 'K')) => (&plain[..at], 1e3),
        Some((at, 'm' | 'M')) => (&plain[..at], 1e6),
        _ => (plain.as_str(), 1.0),
    };
    if scale == 1.0 && digits.contains('.') && !digits.contains(['e', 'E']) {
        return None;
    }
    let value = (digits.parse::<f64>().ok()? * scale).round();
    (0.0..=f64::from(u32::MAX)).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_distinct() {
        for (value, text) in [(0.0, "0"), (0.0005, "0.0005"), (0.04, "0.04"), (640.0, "640"), (-2.5, "-2.5")]
        {
            assert_eq!(short(value), text);
        }
        assert_eq!(short(0.00004), "0.00004");
        assert_eq!(short(1e9), "1.0e9");
        assert_eq!([1, 2000].map(|n| counted(n, "bird")), ["1 bird", "2 000 birds"]);
        assert_eq!((grouped(7), grouped(1_234_567)), ("7".to_owned(), "1 234 567".to_owned()));
    }

    #[test]
    fn whole_numbers_are_read_as_people_write_them() {
        for (text, value) in [("500", 500.0), ("1 000 000", 1e6), ("1e6", 1e6), ("20k", 2e4), ("1.5M", 1.5e6)]
        {
            assert_eq!(count(text), Some(value), "{text}");
        }
        for text in ["", "many", "-5", "NaN", "inf", "k", "0,5M", "1,5k", "1,000", "1.000", "1.5", "1e10"] {
            assert_eq!(count(text), None, "{text}");
        }
    }
}

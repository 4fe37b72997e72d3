//! The passes of a step as stacked areas, with their names and times below.

use egui::{Align2, Color32, FontId, Label, Rect, RichText, Role, Sense, Tooltip, Ui, WidgetInfo};
use egui_plot::{FilledArea, Line, PlotPoints, VLine};

use super::scale::{self, Scale};
use super::stack::{Layer, Named, Stack};
use super::{frame, heading, title};
use crate::frame::Clock;
use crate::panel::widgets::{figure, note};
use crate::session::Session;
use crate::theme;

/// The state of the chart between frames.
#[derive(Clone, Debug, Default)]
struct ChartState {
    named: Named,
    scale: Scale,
    /// The pass under the pointer.
    pointed: Option<&'static str>,
}

/// The sample and the layer under the pointer.
type Spot<'a> = (usize, &'a Layer);

/// Shows the chart.
pub fn show(ui: &mut Ui, session: &Session) {
    let id = ui.scope_id().with("passes");
    let mut kept: ChartState = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let newest = session.playback.history.last();
    let timed =
        session.frame().clock == Clock::Passes || newest.is_some_and(|sample| !sample.passes.is_empty());
    let stack = Stack::new(&session.playback.history, timed, &mut kept.named);
    let (name, help) = match session.frame().clock {
        Clock::Passes => (
            "GPU passes, ms",
            "Each pass of the last step of a frame, by GPU timestamps; median of 9 frames.",
        ),
        Clock::Steps => ("GPU step, ms", "A whole step, by wall clock; median of 9 frames."),
        Clock::Host => ("CPU passes, ms", "Each pass of the last step of a frame; median of 9 frames."),
    };
    let time = (stack.now > 0.0).then(|| (figure(stack.now), Color32::WHITE));
    title(ui, Label::new(heading(name)), time).on_hover_text(help);
    if session.frame().clock == Clock::Steps {
        note(ui, "This adapter has no timestamps, so its passes cannot be timed.");
    }
    let spot = areas(ui, &stack, &mut kept);
    let mut pointed = spot.map(|(_, layer)| layer.name);
    let lit = pointed.or(kept.pointed);
    if let Some(spot) = spot {
        say(ui, &stack, spot);
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        // Rows in the order of the areas, topmost first.
        for layer in stack.layers.iter().rev() {
            if row(ui, layer, lit).hovered() {
                pointed = Some(layer.name);
            }
        }
    });
    if pointed != kept.pointed {
        kept.pointed = pointed;
        ui.ctx().request_repaint();
    }
    ui.data_mut(|data| data.insert_temp(id, kept));
    ui.add_space(6.0);
}

/// Draws the areas; returns the sample and layer under the pointer.
fn areas<'a>(ui: &mut Ui, stack: &'a Stack, kept: &mut ChartState) -> Option<Spot<'a>> {
    let top = kept.scale.fit(stack.totals.iter().copied(), scale::OF_TIMES);
    let ages = &stack.ages;
    let drawn = frame("passes", 132.0, top).show(ui, |plot| {
        plot.set_plot_bounds_y(0.0..=top);
        let at = plot.response().hovered().then(|| plot.pointer_coordinate()).flatten();
        let spot = at.and_then(|at| {
            let sample = ages.iter().position(|age| *age == at.x.round())?;
            Some((sample, stack.at(sample, at.y)?))
        });
        let pointed = spot.map(|(_, layer)| layer.name).or(kept.pointed);
        let mut below = vec![0.0; ages.len()];
        for layer in &stack.layers {
            let above: Vec<f64> = below.iter().zip(&layer.times).map(|(below, time)| below + time).collect();
            let colour = shade(layer, pointed);
            for piece in stack.pieces() {
                let [x, low, high] = [ages, &below, &above].map(|all| &all[piece.clone()]);
                let area = FilledArea::new(layer.name, x, low, high);
                plot.add(area.fill_color(colour).allow_hover(false));
                // An area's edge is not antialiased; a line along it is.
                let edge: PlotPoints<'_> = x.iter().zip(high).map(|(x, y)| [*x, *y]).collect();
                plot.line(Line::new(layer.name, edge).color(colour).width(1.0).allow_hover(false));
            }
            below = above;
        }
        if let Some((sample, _)) = spot {
            let hair = Color32::from_white_alpha(70);
            plot.add(VLine::new("pointer", ages[sample]).color(hair).width(1.0).allow_hover(false));
        }
        spot
    });
    drawn.inner
}

/// A tooltip for the pass under the pointer.
fn say(ui: &Ui, stack: &Stack, (sample, layer): Spot<'_>) {
    let (time, total) = (layer.times[sample], stack.totals[sample]);
    let (ctx, layer_id, id) = (ui.ctx().clone(), ui.layer_id(), ui.scope_id().with("pass"));
    let tip = Tooltip::always_open(ctx, layer_id, id, egui::PopupAnchor::Pointer);
    tip.gap(14.0).show(|ui| {
        let share = percent(time / total);
        let line = format!("{}  {} ms  {share}", layer.name, figure(time));
        ui.add(Label::new(RichText::new(line).color(layer.colour)).extend());
        note(ui, format!("of {} ms in step {}", figure(total), stack.steps[sample]));
    });
}

/// A pass with its colour, its time and its share.
fn row(ui: &mut Ui, layer: &Layer, pointed: Option<&str>) -> egui::Response {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), 15.0), Sense::hover());
    let (time, share) = (figure(layer.now), percent(layer.share));
    response
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{} {time} ms, {share}", layer.name)));
    let painter = ui.painter();
    let lit = pointed == Some(layer.name);
    let swatch = Rect::from_center_size(rect.left_center() + egui::vec2(5.0, 0.0), egui::vec2(10.0, 10.0));
    painter.rect_filled(swatch, 2.0, shade(layer, pointed));
    let font = FontId::proportional(11.0);
    let colour = if lit { Color32::WHITE } else { theme::TEXT };
    let cell = |x: f32, align, text: String, colour| {
        painter.text(egui::pos2(x, rect.center().y), align, text, font.clone(), colour);
    };
    cell(rect.left() + 17.0, Align2::LEFT_CENTER, layer.name.to_owned(), colour);
    cell(rect.right() - 48.0, Align2::RIGHT_CENTER, time, colour);
    cell(rect.right() - 2.0, Align2::RIGHT_CENTER, share, theme::FAINT);
    response
}

/// A layer's colour: dimmed while another layer is under the pointer.
fn shade(layer: &Layer, pointed: Option<&str>) -> Color32 {
    let back = pointed.is_some_and(|name| name != layer.name);
    if back { layer.colour.lerp_to_gamma(theme::GROUND, 0.5) } else { layer.colour }
}

fn percent(share: f64) -> String {
    let (percent, decimals) = (100.0 * share, usize::from(100.0 * share < 9.95));
    format!("{percent:.decimals$} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!([0.0123, 4.567, 45.67, 456.7].map(figure), ["0.012", "4.57", "45.7", "457"]);
        assert_eq!([0.0123, 0.0996, 1.0].map(percent), ["1.2 %", "10 %", "100 %"]);
    }
}

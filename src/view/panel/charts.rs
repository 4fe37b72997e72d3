//! Live charts: order, times, where a step's time goes, and the decision of a flock with scouts.

mod passes;
mod scale;
mod stack;

use egui::{Color32, RichText, Ui};
use egui_plot::{Line, Plot, PlotPoints};

use self::scale::Scale;
use crate::view::history::{History, Sample};
use crate::view::session::Session;
use crate::view::theme::{self, LINES};

/// One line of a chart.
struct Curve {
    name: &'static str,
    colour: Color32,
    points: Vec<[f64; 2]>,
}

impl Curve {
    fn new(
        history: &History,
        name: &'static str,
        line: usize,
        value: impl Fn(&Sample) -> Option<f64>,
    ) -> Self {
        let count = history.iter().count();
        let point = |(index, sample)| Some([age(index, count), value(sample)?]);
        Curve { name, colour: LINES[line], points: history.iter().enumerate().filter_map(point).collect() }
    }

    /// The newest value, to be read.
    fn newest(&self) -> Option<String> {
        self.points.last().map(|[_, y]| format!("{y:.2}"))
    }
}

/// Where a sample stands in every chart: the newest at 0, the one before at −1.
fn age(index: usize, count: usize) -> f64 {
    index as f64 - (count as f64 - 1.0)
}

/// Shows the charts.
pub fn show(ui: &mut Ui, session: &Session) {
    let history = &session.history;
    let order = Curve::new(history, "polarization", 0, |s| s.polarization.map(f64::from));
    lines(ui, "Polarization", "0: every boid its own way; 1: all one way.", &[order], Some(1.0));

    passes::show(ui, session);

    let frame = Curve::new(history, "frame", 1, |s| (s.frame > 0.0).then_some(s.frame));
    let step = Curve::new(history, "step", 0, |s| Some(s.step_time));
    lines(ui, "Times, ms", "From frame to frame, and of one step.", &[frame, step], None);

    let Some(decision) = history.last().and_then(|sample| sample.decision) else { return };
    let share = |name, line, side: usize| {
        Curve::new(history, name, line, move |s| s.decision.map(|d| f64::from(d.sides[side])))
    };
    let curves = [share("right", 0, 0), share("left", 1, 1)];
    let help = "Shares of the flock within 45° of where either side's scouts lean to.";
    lines(ui, "Decision", help, &curves, Some(1.0));
    let split = if decision.split() { "the flock has split" } else { "no split" };
    let (error, accuracy) = (decision.error, 100.0 * decision.accuracy);
    let text = format!("heading {error:.0}° off the way of most scouts, accuracy {accuracy:.0} %, {split}");
    ui.label(RichText::new(text).small());
}

/// A chart's name, and at the other end a figure.
fn title(ui: &mut Ui, name: &str, help: &str, figure: Option<(String, Color32)>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(Color32::WHITE)).on_hover_text(help);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if let Some((text, colour)) = figure {
                ui.label(RichText::new(text).color(colour));
            }
        });
    });
}

/// An empty chart of this height in points, from 0 to `top`. It scrolls by itself, not by the pointer.
fn frame<'a>(name: &str, height: f32, top: f64) -> Plot<'a> {
    Plot::new(name)
        .height(height)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .show_axes([false, true])
        .show_grid([false, true])
        .y_grid_spacer(move |_| scale::marks(top, height))
        .y_axis_formatter(|mark, _| scale::number(mark))
        .show_x(false)
        .show_y(false)
        .show_crosshair(false)
        .y_axis_min_width(30.0)
        .grid_color(theme::LINE)
        .show_background(true)
        .set_margin_fraction(egui::Vec2::ZERO)
        .default_x_bounds(1.0 - History::LENGTH as f64, 0.0)
        .default_y_bounds(0.0, top)
}

fn lines(ui: &mut Ui, name: &'static str, help: &str, curves: &[Curve], top: Option<f64>) {
    let only = if let [curve] = curves { curve.newest().map(|text| (text, curve.colour)) } else { None };
    title(ui, name, help, only);
    if curves.len() > 1 {
        ui.horizontal_wrapped(|ui| {
            for curve in curves {
                let text = format!("{} {}", curve.name, curve.newest().unwrap_or_default());
                ui.label(RichText::new(text).small().color(curve.colour));
            }
        });
    }
    let top = top.unwrap_or_else(|| {
        let id = ui.scope_id().with(name);
        let mut scale: Scale = ui.data(|data| data.get_temp(id)).unwrap_or_default();
        let top = scale.fit(curves.iter().flat_map(|curve| &curve.points).map(|[_, y]| *y));
        ui.data_mut(|data| data.insert_temp(id, scale));
        top
    });
    frame(name, 84.0, top).show(ui, |plot| {
        plot.set_plot_bounds_y(-0.06 * top..=1.06 * top);
        for curve in curves {
            let points = PlotPoints::new(curve.points.clone());
            plot.line(Line::new(curve.name, points).color(curve.colour).width(1.5));
        }
    });
    ui.add_space(6.0);
}

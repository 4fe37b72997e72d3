//! Live charts: order, times, and the decision of a flock with scouts.

use egui::{Color32, RichText, Ui};
use egui_plot::{Line, Plot, PlotPoints};

use crate::view::history::Sample;
use crate::view::session::Session;
use crate::view::theme::{self, LINES};

/// One line of a chart.
struct Curve {
    name: String,
    colour: Color32,
    points: Vec<[f64; 2]>,
}

impl Curve {
    fn new(session: &Session, name: &str, line: usize, value: impl Fn(&Sample) -> Option<f64>) -> Self {
        let points = session.history.iter().filter_map(|s| Some([s.step as f64, value(s)?])).collect();
        Curve { name: name.to_owned(), colour: LINES[line % LINES.len()], points }
    }
}

/// Shows the charts.
pub fn show(ui: &mut Ui, session: &Session) {
    let order = Curve::new(session, "polarization", 0, |s| s.polarization.map(f64::from));
    chart(ui, "Polarization", "0: every boid its own way; 1: all one way.", &[order], Some(1.0));

    let frame = Curve::new(session, "frame", 1, |s| (s.frame > 0.0).then_some(s.frame));
    let step = Curve::new(session, "step", 0, |s| Some(s.step_time));
    chart(ui, "Times, ms", "From frame to frame, and of one step.", &[frame, step], None);

    let names = session.history.last().map_or(&[][..], |sample| &sample.passes[..]);
    if !names.is_empty() {
        let pass = |(line, (name, _)): (usize, &(&'static str, f64))| {
            Curve::new(session, name, line, |s| {
                s.passes.iter().find(|(n, _)| n == name).map(|(_, time)| *time)
            })
        };
        let passes: Vec<Curve> = names.iter().enumerate().map(pass).collect();
        chart(ui, "GPU passes, ms", "Each pass of one step, by the GPU's own clock.", &passes, None);
    }

    let Some(decision) = session.history.last().and_then(|sample| sample.decision) else { return };
    let share = |name: &str, line, side: usize| {
        Curve::new(session, name, line, move |s| s.decision.map(|d| f64::from(d.sides[side])))
    };
    let curves = [share("right", 0, 0), share("left", 1, 1)];
    chart(
        ui,
        "Decision",
        "Shares of the flock within 45° of where either side's scouts lean to.",
        &curves,
        Some(1.0),
    );
    let split = if decision.split() { "the flock has split" } else { "no split" };
    let (error, accuracy) = (decision.error, 100.0 * decision.accuracy);
    let text = format!("heading {error:.0}° off the way of most scouts, accuracy {accuracy:.0} %, {split}");
    ui.label(RichText::new(text).small());
}

fn chart(ui: &mut Ui, name: &str, help: &str, curves: &[Curve], top: Option<f64>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(Color32::WHITE)).on_hover_text(help);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if let [curve] = curves {
                let newest = curve.points.last().map_or_else(String::new, |[_, y]| format!("{y:.2}"));
                ui.label(RichText::new(newest).color(curve.colour));
            }
        });
    });
    if curves.len() > 1 {
        ui.horizontal_wrapped(|ui| {
            for curve in curves {
                let newest = curve.points.last().map_or_else(String::new, |[_, y]| format!(" {y:.2}"));
                ui.label(RichText::new(format!("{}{newest}", curve.name)).small().color(curve.colour));
            }
        });
    }
    let top = top.unwrap_or_else(|| usual(curves));
    let plot = Plot::new(name)
        .height(84.0)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_axes([false, true])
        .show_x(false)
        .y_axis_min_width(30.0)
        .grid_color(theme::LINE)
        .show_background(true)
        .set_margin_fraction(egui::Vec2::ZERO)
        .default_y_bounds(-0.06 * top, 1.06 * top)
        .auto_bounds([true, false]);
    plot.show(ui, |plot| {
        for curve in curves {
            let points = PlotPoints::new(curve.points.clone());
            plot.line(Line::new(&curve.name, points).color(curve.colour).width(1.5));
        }
    });
    ui.add_space(6.0);
}

/// How high a chart reaches whose values have no end: over nearly all of them, so that a lone hitch does not flatten
/// the rest.
fn usual(curves: &[Curve]) -> f64 {
    let high = |curve: &Curve| {
        let mut values: Vec<f64> = curve.points.iter().map(|[_, y]| *y).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() * 19 / 20).copied().unwrap_or(0.0)
    };
    1.25 * curves.iter().map(high).fold(1e-3, f64::max)
}

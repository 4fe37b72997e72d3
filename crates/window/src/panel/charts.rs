//! Live charts: the flock's measures, times, and the passes of a step. A new measure is a row of [`MEASURES`].

mod passes;
pub(super) mod scale;

use egui::{Button, Color32, Label, Response, RichText, Ui, Widget};
use egui_plot::{HoverPosition, Line, Plot, PlotPoints};

use self::scale::Scale;
use crate::history::{History, Sample};
use crate::panel::widgets::{figure, grouped, on_click};
use crate::session::controls::CHEAP_CHART;
use crate::session::{Action, Actions, Session};
use crate::theme::{self, LINES};
use engine::measures::Measures;

/// The value of a sample in a line of a chart, if it has one.
type Value = fn(&Sample) -> Option<f64>;

/// A chart of lines over the newest samples, or over the whole flight.
pub(super) struct Chart {
    pub name: &'static str,
    help: &'static str,
    /// The maximum of the axis; `None` scales it to the values.
    top: Option<f64>,
    /// Name, colour and value of each line.
    lines: &'static [(&'static str, usize, Value)],
}

/// The charts of a flock's measures. A chart is shown once a sample has a value for it.
const MEASURES: [Chart; 8] = [
    Chart {
        name: "Polarization",
        help: "0: headings are random; 1: all boids head the same way.",
        top: Some(1.0),
        lines: &[
            ("flock", 0, |sample| Some(sample.summary?.polarization.into())),
            ("largest group", 1, |sample| Some(sample.measured?.measures.group_polarization)),
        ],
    },
    Chart {
        name: "Milling",
        help: "How much the boids circle about their centre, 0 to 1.",
        top: Some(1.0),
        lines: &[
            ("flock", 0, |sample| Some(sample.measured?.measures.milling)),
            ("largest group", 1, |sample| Some(sample.measured?.measures.group_milling)),
        ],
    },
    Chart {
        name: "Groups",
        help: "Number of groups: boids within the cohesion radius of each other.",
        top: None,
        lines: &[("groups", 1, |sample| Some(sample.measured?.measures.groups))],
    },
    Chart {
        name: "Nearest neighbour",
        help: "Mean distance to the nearest neighbour (length).",
        top: None,
        lines: &[("distance", 0, |sample| Some(sample.measured?.measures.nearest_mean))],
    },
    Chart {
        name: "Speed",
        help: "Mean speed (length per time).",
        top: None,
        lines: &[("speed", 0, |sample| Some(sample.measured?.measures.mean_speed))],
    },
    Chart {
        name: "Extent",
        help: "Radius of gyration (length).",
        top: None,
        lines: &[("radius", 0, |sample| Some(sample.measured?.measures.gyration))],
    },
    Chart {
        name: "Angular momentum",
        help: "Mean angular momentum about the centre of mass (area per time).",
        top: None,
        lines: &[("momentum", 0, |sample| Some(sample.measured?.measures.angular_momentum))],
    },
    Chart {
        name: "Sides",
        help: "Shares of the boids heading within 45° of the right and left scouts' directions.",
        top: Some(1.0),
        lines: &[
            ("right", 0, |sample| Some(decided(sample)?.share_right)),
            ("left", 1, |sample| Some(decided(sample)?.share_left)),
        ],
    },
];

const TIMES: Chart = Chart {
    name: "Times, ms",
    help: "Time between frames, and of one step.",
    top: None,
    lines: &[
        ("frame", 1, |sample| (sample.frame > 0.0).then_some(sample.frame)),
        ("step", 0, |sample| Some(sample.step_time)),
    ],
};

/// Number of steps that a chart shows at least.
const FEWEST: f64 = 50.0;

/// Minimum share of the flock on each side that counts as a split. Chance alone gives a quarter.
const SPLIT: f64 = 0.35;

/// The value of a line at a sample, if it was measured.
fn measured(sample: &Sample, value: Value) -> Option<f64> {
    value(sample).filter(|value| value.is_finite())
}

/// The pieces of a line over the steps: a sample without a value is a gap.
fn pieces<'a>(samples: impl Iterator<Item = &'a Sample>, value: Value) -> Vec<Vec<[f64; 2]>> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    for sample in samples {
        match measured(sample, value) {
            Some(value) => piece.push([sample.step as f64, value]),
            None => pieces.push(std::mem::take(&mut piece)),
        }
    }
    pieces.push(piece);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The x coordinate of a sample in the chart of passes: 0 for the newest, −1 for the one before it.
fn age(index: usize, count: usize) -> f64 {
    index as f64 - (count as f64 - 1.0)
}

/// The measures of a flock with scouts (after Couzin et al. 2005): the heading error is finite only with scouts.
fn decided(sample: &Sample) -> Option<Measures> {
    sample.measured.map(|last| last.measures).filter(|measures| measures.heading_error.is_finite())
}

/// Shows the charts.
pub fn show(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    save(ui, session, actions);
    let history = &session.playback.history;
    measure(ui, session, CHEAP_CHART, actions);
    passes::show(ui, session);
    let times = Label::new(heading(TIMES.name));
    TIMES.show(ui, history, scale::OF_TIMES, times).on_hover_text(TIMES.help);
    let Some(newest) = history.last() else { return };
    for (index, chart) in MEASURES.iter().enumerate().filter(|(index, _)| *index != CHEAP_CHART) {
        if chart.has_value(newest) {
            measure(ui, session, index, actions);
        }
    }
    let Some(Measures { heading_error, share_right, share_left, .. }) = decided(newest) else { return };
    let split = if share_right.min(share_left) >= SPLIT { "the flock has split" } else { "no split" };
    let scouts = &session.document.parameters.scouts;
    let accuracy = 100.0 * if scouts.left > scouts.right { share_left } else { share_right };
    let text = format!(
        "heading {heading_error:.0}° from the direction of most scouts, accuracy {accuracy:.0} %, {split}"
    );
    ui.label(RichText::new(text).small());
}

/// Shows a chart of [`MEASURES`]; its name puts it over the timeline.
fn measure(ui: &mut Ui, session: &Session, index: usize, actions: &mut Actions) {
    let chart = &MEASURES[index];
    let name = Button::selectable(session.controls.charted == index, heading(chart.name));
    let name = chart.show(ui, &session.playback.history, scale::ALL, name);
    let sampled = if index != CHEAP_CHART {
        " Measured while this page is open or the chart is over the timeline."
    } else {
        ""
    };
    let help = format!("{}{sampled}\nA click shows it over the timeline, for the whole flight.", chart.help);
    on_click(actions, name.on_hover_text(help), Action::Chart(index));
}

/// The button that writes the samples to a file.
fn save(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    let there = session.playback.history.last().is_some();
    let button = ui.add_enabled(there, Button::new("Save as CSV"));
    let button = button.on_hover_text("Saves the samples of the charts, one row per sample.");
    on_click(actions, button, Action::SaveCharts);
    ui.add_space(6.0);
}

fn heading(name: &str) -> RichText {
    RichText::new(name).color(Color32::WHITE)
}

/// A chart's name on the left, and a figure on the right. Returns the name.
fn title(ui: &mut Ui, name: impl Widget, figure: Option<(String, Color32)>) -> Response {
    let row = ui.horizontal(|ui| {
        let name = ui.add(name);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if let Some((text, colour)) = figure {
                ui.label(RichText::new(text).color(colour));
            }
        });
        name
    });
    row.inner
}

/// The steps that the charts show: those of the samples, and at least [`FEWEST`].
fn steps(history: &History) -> [f64; 2] {
    let newest = history.last().map_or(0.0, |sample| sample.step as f64);
    let oldest = history.iter().next().map_or(0.0, |sample| sample.step as f64);
    [oldest.min(newest - FEWEST), newest]
}

/// The name, step and value of the sample under the pointer.
fn label(at: &HoverPosition<'_>) -> Option<String> {
    match at {
        HoverPosition::NearDataPoint { plot_name, position, .. } => {
            let value = figure(position.y);
            Some(format!("{plot_name} {value}\nstep {}", grouped(position.x.max(0.0) as u64)))
        }
        HoverPosition::Elsewhere { .. } => None,
    }
}

/// An empty chart of this height in points, from 0 to `top`, which ignores the pointer.
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
        .set_margin_fraction(egui::Vec2::ZERO)
        .default_x_bounds(1.0 - History::LENGTH as f64, 0.0)
        .default_y_bounds(0.0, top)
}

/// A line of a chart, as it is drawn.
pub(super) struct Curve {
    pub name: &'static str,
    pub colour: Color32,
    /// Steps and values, between gaps.
    pub pieces: Vec<Vec<[f64; 2]>>,
}

impl Curve {
    /// The newest value at or before a step.
    pub fn at(&self, step: u64) -> Option<f64> {
        let mut points = self.pieces.iter().flatten();
        points.rfind(|[at, _]| *at <= step as f64).map(|[_, value]| *value)
    }
}

/// The chart over the timeline.
pub(super) fn charted(session: &Session) -> &'static Chart {
    &MEASURES[session.controls.charted.min(MEASURES.len() - 1)]
}

impl Chart {
    fn has_value(&self, sample: &Sample) -> bool {
        self.lines.iter().any(|(.., value)| value(sample).is_some())
    }

    /// The value of the newest sample in a line.
    fn newest(&self, line: usize, history: &History) -> Option<String> {
        let (.., value) = self.lines[line];
        history.last().and_then(|sample| measured(sample, value)).map(|value| format!("{value:.2}"))
    }

    /// The lines over these samples.
    pub fn curves<'a>(&self, samples: impl Iterator<Item = &'a Sample> + Clone) -> Vec<Curve> {
        let mut curves = Vec::new();
        for (name, line, value) in self.lines {
            curves.push(Curve { name, colour: LINES[*line], pieces: pieces(samples.clone(), *value) });
        }
        curves
    }

    /// The top of the axis; it stays from frame to frame while it suits the lines. This share of the values is below it.
    pub fn top(&self, ui: &Ui, curves: &[Curve], share: f64) -> f64 {
        self.top.unwrap_or_else(|| {
            let id = ui.scope_id().with(self.name);
            let values = curves.iter().flat_map(|curve| &curve.pieces).flatten().map(|[_, y]| *y);
            ui.data_mut(|data| data.get_temp_mut_or_default::<Scale>(id).fit(values, share))
        })
    }

    /// Shows the chart under its name, with this share of the values below its top. Returns the name.
    fn show(&self, ui: &mut Ui, history: &History, share: f64, name: impl Widget) -> Response {
        let curves = self.curves(history.iter());
        let only = match &curves[..] {
            [curve] => self.newest(0, history).map(|text| (text, curve.colour)),
            _ => None,
        };
        let name = title(ui, name, only);
        if curves.len() > 1 {
            ui.horizontal_wrapped(|ui| {
                for (line, Curve { name, colour, .. }) in curves.iter().enumerate() {
                    let text = format!("{name} {}", self.newest(line, history).unwrap_or_default());
                    ui.label(RichText::new(text).small().color(*colour));
                }
            });
        }
        let top = self.top(ui, &curves, share);
        let steps = steps(history);
        let plot = frame(self.name, 98.0, top).show_axes([true, true]).label_formatter(label);
        let plot = plot.x_grid_spacer(move |_| scale::marks_between(steps)).show_grid([true, true]);
        let plot = plot.x_axis_formatter(|mark, _| grouped(mark.value.max(0.0) as u64));
        plot.show(ui, |plot| {
            plot.set_plot_bounds_y(-0.06 * top..=1.06 * top);
            plot.set_plot_bounds_x(steps[0]..=steps[1]);
            for Curve { name, colour, pieces, .. } in curves {
                for piece in pieces {
                    plot.line(Line::new(name, PlotPoints::new(piece)).color(colour).width(1.5));
                }
            }
        });
        ui.add_space(6.0);
        name
    }
}

//! Live charts: the flock's measures, times, and the passes of a step. A new measure is a row of [`MEASURES`].

mod passes;

use egui::{Button, Color32, Label, Response, RichText, Ui, Widget};
use egui_plot::{GridMark, HoverPosition, Line, Plot, PlotPoints};

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

/// Share of the times below their chart's top: a single outlier does not flatten the rest.
const OF_TIMES: f64 = 0.95;
/// Share of the measures below their chart's top: their peaks are real.
pub(super) const OF_MEASURES: f64 = 1.0;

/// The least distance between marks, in points: a line of text.
const APART: f64 = 31.0;

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
    TIMES.show(ui, history, OF_TIMES, times).on_hover_text(TIMES.help);
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
    let name = chart.show(ui, &session.playback.history, OF_MEASURES, name);
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
        .y_grid_spacer(move |_| marks(top, height))
        .y_axis_formatter(|mark, _| number(mark))
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
        let plot = plot.x_grid_spacer(move |_| marks_between(steps)).show_grid([true, true]);
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

/// The top of an axis, kept from frame to frame.
#[derive(Clone, Copy, Debug, Default)]
struct Scale(f64);

impl Scale {
    /// The top for these values: a round number above this share of them ([`OF_TIMES`], [`OF_MEASURES`]). It rises at once, and
    /// falls only when less than half of it is in use.
    fn fit(&mut self, values: impl Iterator<Item = f64>, share: f64) -> f64 {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let high =
            values.get((values.len() as f64 * share) as usize).or(values.last()).copied().unwrap_or(0.0);
        let needed = (1.1 * high).max(1e-3);
        if needed > self.0 || needed < 0.45 * self.0 {
            self.0 = round(needed);
        }
        self.0
    }
}

/// Marks at round numbers from 0 to `top`, on an axis of this height in points.
fn marks(top: f64, height: f32) -> Vec<GridMark> {
    let step_size = round_step(top * APART / f64::from(height));
    let count = (top / step_size * (1.0 + 1e-9)) as u32;
    (0..=count).map(|k| GridMark { value: f64::from(k) * step_size, step_size }).collect()
}

/// Three or four marks at round numbers between two steps.
fn marks_between([first, last]: [f64; 2]) -> Vec<GridMark> {
    let step_size = round_step((last - first) / 4.0).max(1.0);
    let begin = (first.max(0.0) / step_size).ceil() as u64;
    let end = (last.max(0.0) / step_size).floor() as u64;
    (begin..=end).map(|k| GridMark { value: k as f64 * step_size, step_size }).collect()
}

/// A mark's number, with as many decimals as distinguish the marks.
fn number(mark: GridMark) -> String {
    let decimals = (-mark.step_size.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{:.decimals$}", mark.value)
}

/// The least number of the form 1, 2 or 5 times a power of ten that is not below `least`.
pub(super) fn round_step(least: f64) -> f64 {
    least_of(&[1.0, 2.0, 5.0], least)
}

/// The next round number that is not below `least`.
fn round(least: f64) -> f64 {
    least_of(&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], least)
}

/// The least of these factors times a power of ten that is not below `least`.
fn least_of(factors: &[f64], least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = factors.iter().copied().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_is_round_and_stays() {
        let mut scale = Scale::default();
        let mut fit = |value: f64| scale.fit([value; 40].into_iter(), OF_TIMES);
        assert_eq!(fit(2.6), 3.0);
        for value in [2.5, 2.7, 2.2, 1.6, 1.3] {
            assert_eq!(fit(value), 3.0);
        }
        assert_eq!((fit(2.8), fit(1.2), fit(140.0)), (4.0, 1.5, 200.0));
    }

    #[test]
    fn marks_are_round_and_not_crowded() {
        let shown = |top, height| marks(top, height).iter().map(|mark| mark.value).collect::<Vec<_>>();
        assert_eq!(shown(1.0, 84.0), [0.0, 0.5, 1.0]);
        assert_eq!(shown(4.0, 132.0), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(shown(300.0, 84.0), [0.0, 200.0]);
        assert_eq!(shown(1.5, 132.0), [0.0, 0.5, 1.0, 1.5]);
        let numbers = |top, height| marks(top, height).into_iter().map(number).collect::<Vec<_>>();
        assert_eq!(numbers(1.0, 84.0), ["0.0", "0.5", "1.0"]);
        assert_eq!(numbers(300.0, 84.0), ["0", "200"]);
        assert_eq!(numbers(0.1, 132.0), ["0.00", "0.05", "0.10"]);
    }

    #[test]
    fn a_single_outlier_does_not_flatten_times_and_a_peak_of_the_flock_is_shown() {
        let values = [1.0; 39].into_iter().chain([900.0]);
        assert_eq!(Scale::default().fit(values.clone(), OF_TIMES), 1.5);
        assert_eq!(Scale::default().fit(values, OF_MEASURES), 1000.0);
        assert!(Scale::default().fit(std::iter::empty(), OF_MEASURES) > 0.0);
    }
}

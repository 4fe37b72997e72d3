//! The passes of a step as stacked areas over the newest samples, with their names and times below.

use std::ops::Range;

use egui::{Align2, Color32, FontId, Label, Rect, RichText, Role, Sense, Tooltip, Ui, WidgetInfo};
use egui_plot::{FilledArea, Line, PlotPoints, VLine};

use super::{OF_TIMES, Scale, age, frame, heading, title};
use crate::frame::Clock;
use crate::history::{History, Sample};
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
    let top = kept.scale.fit(stack.totals.iter().copied(), OF_TIMES);
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

/// Name of the layer for all passes that are too small for their own.
const OTHER: &str = "other";
const OTHERS: Color32 = Color32::from_rgb(104, 112, 130);

/// Number of samples in the mean beside a name.
const NEWEST: usize = 30;
/// Number of samples in the median at each point of an area: it removes single passes that waited.
const SMOOTHED: usize = 9;

/// The passes with a layer of their own.
#[derive(Clone, Debug, Default)]
struct Named(Vec<&'static str>);

impl Named {
    /// Minimum share of the step at which a pass gets a layer.
    const ENTERS: f64 = 0.01;
    /// Share below which it loses the layer; lower, so that a pass at the threshold does not flicker.
    const LEAVES: f64 = 0.006;

    fn holds(&mut self, name: &'static str, share: f64) -> bool {
        let least = if self.0.contains(&name) { Self::LEAVES } else { Self::ENTERS };
        self.0.retain(|other| *other != name);
        self.0.extend((share >= least).then_some(name));
        share >= least
    }
}

/// One pass, or all the small ones.
#[derive(Clone, Debug)]
struct Layer {
    name: &'static str,
    colour: Color32,
    /// Milliseconds at each sample: the median of it and the samples before it.
    times: Vec<f64>,
    /// Mean milliseconds over the newest samples, and its share of the whole step.
    now: f64,
    share: f64,
}

/// The stacked passes.
#[derive(Clone, Debug, Default)]
struct Stack {
    /// The layers from the bottom up.
    layers: Vec<Layer>,
    /// The step of each timed sample, oldest first, and its x coordinate.
    steps: Vec<u64>,
    ages: Vec<f64>,
    /// Milliseconds of all passes at each sample.
    totals: Vec<f64>,
    /// Milliseconds of all passes over the newest samples.
    now: f64,
}

impl Stack {
    /// The stack of these samples. If passes are not timed, the whole step is the only layer.
    fn new(history: &History, timed: bool, named: &mut Named) -> Self {
        let count = history.iter().count();
        let (mut steps, mut ages, mut samples) = (Vec::new(), Vec::new(), Vec::new());
        for (index, sample) in history.iter().enumerate() {
            let parts = parts(sample, timed);
            // A sample that was not timed is a gap.
            if !parts.is_empty() {
                steps.push(sample.step);
                ages.push(age(index, count));
                samples.push(parts);
            }
        }
        let mut totals = vec![0.0; samples.len()];
        let found: Vec<(&'static str, Color32, Vec<f64>)> = names(&samples)
            .into_iter()
            .map(|(name, colour)| (name, colour, median(samples.iter().map(|parts| time(parts, name)))))
            .inspect(|(_, _, times)| add(&mut totals, times))
            .collect();
        let (whole, now) = (totals.iter().sum(), recent(&totals));
        let mut small = vec![0.0; samples.len()];
        let mut stack = Stack { steps, ages, layers: Vec::new(), totals, now };
        for (name, colour, times) in found {
            // A pass that has just appeared or disappeared is still shown.
            let share = ratio(recent(&times), now).max(ratio(times.iter().sum(), whole));
            if named.holds(name, share) {
                stack.push(name, colour, times);
            } else {
                add(&mut small, &times);
            }
        }
        if small.iter().any(|time| *time > 0.0) {
            stack.push(OTHER, OTHERS, small);
        }
        stack
    }

    fn push(&mut self, name: &'static str, colour: Color32, times: Vec<f64>) {
        let now = recent(&times);
        self.layers.push(Layer { name, colour, share: ratio(now, self.now), now, times });
    }

    /// The samples between gaps.
    fn pieces(&self) -> impl Iterator<Item = Range<usize>> {
        let mut begin = 0;
        self.ages.chunk_by(|before, after| after - before < 1.5).map(move |piece| {
            let piece = begin..begin + piece.len();
            begin = piece.end;
            piece
        })
    }

    /// The layer of a sample at a height in milliseconds.
    fn at(&self, sample: usize, height: f64) -> Option<&Layer> {
        let mut top = 0.0;
        let reaches = |layer: &&Layer| {
            top += layer.times.get(sample).copied().unwrap_or(0.0);
            height <= top
        };
        (height >= 0.0).then(|| self.layers.iter().find(reaches)).flatten()
    }
}

/// The passes of a sample; empty before the first times arrive.
fn parts(sample: &Sample, timed: bool) -> Vec<(&'static str, f64)> {
    if timed { sample.passes.clone() } else { vec![("step", sample.step_time)] }
}

fn time(parts: &[(&'static str, f64)], name: &str) -> f64 {
    // A fold from 0.0: the sum of no numbers is −0.
    parts.iter().filter(|(other, _)| *other == name).fold(0.0, |sum, (_, time)| sum + time)
}

fn add(sums: &mut [f64], times: &[f64]) {
    sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
}

/// The median of each time and the times before it.
fn median(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let times: Vec<f64> = times.collect();
    let at = |end: usize| {
        let mut window = times[end.saturating_sub(SMOOTHED)..end].to_vec();
        window.sort_unstable_by(f64::total_cmp);
        window[(window.len() - 1) / 2]
    };
    (1..=times.len()).map(at).collect()
}

/// The mean of the newest times.
fn recent(times: &[f64]) -> f64 {
    let newest = &times[times.len().saturating_sub(NEWEST)..];
    ratio(newest.iter().sum(), newest.len() as f64)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The passes of all samples, from the bottom up, with their colours.
fn names(samples: &[Vec<(&'static str, f64)>]) -> Vec<(&'static str, Color32)> {
    let names = gpu::passes::colours(samples.iter().flatten().map(|(name, _)| *name));
    names.into_iter().map(|(name, [r, g, b])| (name, Color32::from_rgb(r, g, b))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::frame::Frame;

    type Passes = &'static [(&'static str, f64)];

    fn history(samples: &[Passes]) -> History {
        let mut history = History::default();
        for (step, passes) in (1..).zip(samples) {
            let step_time = Duration::from_millis(7);
            let frame = Frame { step, step_time, passes: passes.to_vec(), ..Frame::empty(0) };
            history.add(Sample::new(&frame, Duration::from_millis(16)));
        }
        history
    }

    fn shown(stack: &Stack) -> Vec<&str> {
        stack.layers.iter().map(|layer| layer.name).collect()
    }

    const STEP: Passes = &[("step", 3.0)];

    #[test]
    fn passes_come_and_go() {
        let with: Passes = &[("step", 3.0), ("move_predators", 1.0), ("formula_terms", 0.5)];
        let mut named = Named::default();
        let mut stack = |samples: &[Passes]| Stack::new(&history(samples), true, &mut named);
        assert_eq!(shown(&stack(&[STEP; 399])), ["step"]);
        let mut samples = vec![STEP; 390];
        samples.extend([with; 9]);
        let come = stack(&samples);
        assert_eq!(shown(&come), ["step", "move_predators", "formula_terms"]);
        assert_eq!((come.layers[1].times[0], come.layers[1].times[398]), (0.0, 1.0));
        samples.extend([STEP; 9]);
        let gone = stack(&samples);
        assert_eq!(shown(&gone), ["step", "move_predators", "formula_terms"]);
        assert_eq!((gone.layers[1].times[391], gone.layers[1].times[399]), (1.0, 0.0));
        assert_eq!(shown(&stack(&[STEP; 50])), ["step"]);
    }

    #[test]
    fn a_pass_at_the_threshold_keeps_its_layer() {
        let (small, smaller): (Passes, Passes) =
            (&[("step", 0.992), ("order", 0.008)], &[("step", 0.996), ("order", 0.004)]);
        for (sample, before, names) in [
            (small, vec!["step", "order"], ["step", "order"]),
            (smaller, vec!["step", "order"], ["step", OTHER]),
            (small, vec![], ["step", OTHER]),
        ] {
            assert_eq!(shown(&Stack::new(&history(&[sample]), true, &mut Named(before))), names);
        }
    }

    #[test]
    fn without_pass_times_the_step_is_one_layer_and_a_hitch_is_left_out() {
        let hitch: Passes = &[("step", 90.0)];
        for (samples, has_passes, totals, steps) in [
            (vec![&[] as Passes, &[]], false, vec![7.0, 7.0], vec![1, 2]),
            // A sample before the first times arrive has no passes.
            (vec![&[], STEP, STEP, &[], STEP], true, vec![3.0; 3], vec![2, 3, 5]),
            (vec![STEP, STEP, hitch], true, vec![3.0; 3], vec![1, 2, 3]),
            // Untrusted pass times are not used.
            (vec![STEP, &[], &[]], false, vec![3.0, 3.0, 7.0], vec![1, 2, 3]),
        ] {
            let stack = Stack::new(&history(&samples), has_passes, &mut Named::default());
            assert_eq!((shown(&stack), &stack.totals, &stack.steps), (vec!["step"], &totals, &steps));
        }
        let gap = Stack::new(&history(&[STEP, STEP, &[], STEP]), true, &mut Named::default());
        assert_eq!(gap.ages, [-3.0, -2.0, 0.0]);
        assert_eq!(gap.pieces().collect::<Vec<_>>(), [0..2, 2..3]);
        let nothing = Stack::new(&History::default(), true, &mut Named::default());
        assert!(nothing.layers.is_empty() && nothing.now == 0.0);
    }

    #[test]
    fn figures_are_short() {
        assert_eq!([0.0123, 4.567, 45.67, 456.7].map(figure), ["0.012", "4.57", "45.7", "457"]);
        assert_eq!([0.0123, 0.0996, 1.0].map(percent), ["1.2 %", "10 %", "100 %"]);
    }
}

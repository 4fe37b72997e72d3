//! Two flocks side by side, which differ by some settings: they fly in step, and one camera shows both.

use super::bodies::{Bodies, drawing_gpu};
use super::{
    Draw, Filming, Wanted, check_style, create, draw_all, draws_arrows, size_of, source::FrameSource, view_of,
};
use crate::cli::render::RenderRequest;
use config::{Document, Setting};
use engine::Engine;
use engines::{AnyEngine, Device};
use files::{Arrows, Label, Result, beside, halves, interrupt, write_labels};
use flock::Parameters;

/// Two flocks at one step.
struct Pair {
    first: AnyEngine,
    second: AnyEngine,
}

impl Pair {
    fn first(&mut self) -> &mut dyn Engine {
        self.first.get()
    }

    /// Lets the second flock fly to the step of the first.
    fn catch_up(&mut self) -> Result {
        let goal = self.first.get().step_number();
        let second = self.second.get();
        let behind = goal.saturating_sub(second.step_number());
        second.advance(u32::try_from(behind).unwrap_or(u32::MAX))?;
        Ok(())
    }
}

/// Draws a flock and, to its right, the flock with the settings on top.
pub(super) fn render(request: &RenderRequest, document: Document, settings: &[Setting]) -> Result {
    let options = &request.options;
    let film = create(options, &document.parameters)?;
    let device = crate::commands::open(&request.engine, options.quiet)?;
    let changed = config::with_settings(document, settings)?;
    let [width, height] = options.size;
    let widths = halves(width);
    let requests = widths.map(|half| {
        let mut request = request.clone();
        request.options.size = [half, height];
        request
    });
    let (mut source, document, state) = FrameSource::open(&requests[0], document, None, &device)?;
    let mut quiet = requests[1].clone();
    quiet.options.quiet = true;
    let (_, changed, other) = FrameSource::open(&quiet, changed, None, &device)?;
    let flocks = [document, changed];
    for (request, document) in requests.iter().zip(&flocks) {
        check_style(request, &device, &document.parameters)?;
    }
    let mut pair = Pair {
        first: device.engine(&flocks[0].parameters, &state)?,
        second: device.engine(&flocks[1].parameters, &other)?,
    };
    let (lead, mut draw) = painter(&requests, &device, &flocks)?;
    source.lead(lead);
    let labels = labels(settings, &flocks.map(|document| document.parameters), widths, height);
    interrupt::listen();
    let draw: Box<Draw<Pair>> = Box::new(move |pair, wanted| {
        pair.catch_up()?;
        let [left, right] = draw(pair, wanted)?;
        if !wanted.kept {
            return Ok(left);
        }
        let mut both = beside(&left, &right, [width, height]);
        write_labels(&mut both, [width, height], &labels);
        Ok(both)
    });
    draw_all(
        options,
        Filming { film, moves: options.moves(), source, draw, engine: Pair::first },
        &mut pair,
        None,
    )
}

/// Draws both halves.
type DrawHalves = dyn FnMut(&mut Pair, Wanted<'_>) -> Result<[Vec<u8>; 2]> + Send;

/// The function that draws both halves, and the number of steps before a still that it must also draw.
fn painter(
    requests: &[RenderRequest; 2],
    device: &Device,
    flocks: &[Document; 2],
) -> Result<(u64, Box<DrawHalves>)> {
    let [first, second] = requests;
    let [left, right] = flocks;
    let views = [view_of(&first.options, left)?, view_of(&second.options, right)?];
    if draws_arrows(&first.options, &left.parameters)? {
        let mut left = Arrows::new(size_of(&first.options), &left.parameters, &views[0]);
        let mut right = Arrows::new(size_of(&second.options), &right.parameters, &views[1]);
        let draw = move |pair: &mut Pair, _: Wanted<'_>| {
            Ok([left.draw(&pair.first.get().state()?), right.draw(&pair.second.get().state()?)])
        };
        return Ok((0, Box::new(draw)));
    }
    let gpu = drawing_gpu(first, device)?;
    let mut left = Bodies::new(first, &gpu, &left.parameters, &views[0])?;
    let mut right = Bodies::new(second, &gpu, &right.parameters, &views[1])?;
    let lead = left.lead();
    let draw = move |pair: &mut Pair, wanted: Wanted<'_>| {
        let drawn = left.draw(&mut pair.first, wanted)?;
        right.led_by = left.shown;
        Ok([drawn, right.draw(&mut pair.second, wanted)?])
    };
    Ok((lead, Box::new(draw)))
}

/// The texts above both halves: each setting with its value there.
fn labels(settings: &[Setting], flocks: &[Parameters; 2], widths: [u32; 2], height: u32) -> Vec<Label> {
    let [left, right] = widths.map(f64::from);
    let mut labels = Vec::new();
    for (parameters, middle) in flocks.iter().zip([0.5 * left, left + 0.5 * right]) {
        for (line, setting) in settings.iter().enumerate() {
            let text = setting.shown_in(parameters).join(" ");
            // A letter is about half as wide as its size.
            let room = 1.7 * right / (text.chars().count() + 2) as f64;
            let size = (f64::from(height) / 30.0).max(11.0).min(room);
            let at = [middle, size * (1.2 + 1.6 * line as f64)];
            labels.push(Label { text, at, size });
        }
    }
    labels
}

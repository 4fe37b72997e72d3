//! A flock drawn on the screen, by both cores.

use crate::crew::{Crew, WORKERS, elapsed};
use crate::engine::Engine;
use crate::session::Session;
use crate::vga::HEIGHT;
use crate::vga::canvas::Canvas;
use crate::vga::colour::PREDATOR;
use crate::vga::mark::Mark;
use crate::vga::status::Status;
use crate::vga::view::View;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use flock::Fixed;

/// Up to this many boids have large marks.
const FEW: usize = 800;

/// The time of one picture on the screen, in microseconds.
const FRAME: u32 = 16_800;

/// Clears the picture and draws the flock, as it stands, with the status line above it. Returns the cycles that took.
pub fn draw(session: &Session<'_>, crew: &impl Crew, canvas: &Canvas<'_>, mhz: u32) -> u32 {
    let engine = &session.engine;
    let view = view(engine);
    let longest = AtomicU32::new(0);
    crew.share(&|worker| {
        let begin = crew.clock();
        canvas.clear(HEIGHT * worker / WORKERS..HEIGHT * (worker + 1) / WORKERS);
        longest.store(elapsed(begin, crew.clock()), Relaxed);
    });
    let cleared = longest.load(Relaxed);
    crew.share(&|worker| {
        let begin = crew.clock();
        for id in engine.boids() * worker / WORKERS..engine.boids() * (worker + 1) / WORKERS {
            let (position, velocity, group) = engine.sight(id);
            if let Some(mark) = view.mark(position, velocity, group) {
                canvas.mark(&mark);
            }
        }
        if worker == 0 {
            for predator in engine.predators() {
                let [position, velocity] = [predator.position, predator.velocity].map(|v| v.map(|c| c.0));
                if let Some(mark) = view.mark(position, velocity, 0) {
                    canvas.mark(&Mark { colour: PREDATOR, ..mark });
                }
            }
            let frame = (engine.cycles().shares[0].total + session.drawing) / mhz;
            let spare = frame.next_multiple_of(FRAME).max(FRAME) - frame;
            Status { preset: session.preset, boids: engine.boids(), frame, spare, mhz }.draw(canvas);
        }
        longest.store(cleared + elapsed(begin, crew.clock()), Relaxed);
    });
    longest.load(Relaxed)
}

/// Where the flock is seen from: a plane world fills the screen, one in space is circled.
fn view(engine: &Engine<'_>) -> View {
    let rule = engine.rule();
    let bits = |v: [Fixed; 3]| v.map(|c| c.0);
    let (least, most) = (bits(rule.world_min.to_array()), bits(rule.world_max.to_array()));
    let large = engine.boids() <= FEW;
    if rule.flat {
        return View::plane([least[0], least[1]], [most[0], most[1]], large);
    }
    let middle = [0, 1, 2].map(|k| least[k] / 2 + most[k] / 2);
    let reach = (0..3).map(|k| most[k] / 2 - least[k] / 2).max().unwrap_or(1);
    View::space(middle, reach, engine.step_number() as u32, large)
}

//! Draws the flock, on both cores.

use crate::cores::{Cores, elapsed, part};
use crate::engine::Engine;
use crate::session::Session;
use crate::vga::canvas::Canvas;
use crate::vga::colour::PREDATOR;
use crate::vga::mark::Mark;
use crate::vga::view::View;
use crate::vga::{HEIGHT, status};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use flock::{Boid, Fixed};

/// The largest flock with large marks.
const LARGE_MARKS: usize = 800;

/// The duration of a frame on the screen, in microseconds.
const FRAME: u32 = 16_800;

/// Clears the picture, and draws the flock and the status line. Returns the cycles taken.
pub fn draw(session: &Session<'_>, cores: &impl Cores, canvas: &Canvas<'_>, mhz: u32) -> u32 {
    let engine = &session.engine;
    let view = view(engine);
    let longest = AtomicU32::new(0);
    cores.run(&|core| {
        let begin = cores.clock();
        canvas.clear(part(core, HEIGHT));
        longest.store(elapsed(begin, cores.clock()), Relaxed);
    });
    let cleared = longest.load(Relaxed);
    cores.run(&|core| {
        let begin = cores.clock();
        for id in part(core, engine.boids()) {
            let Boid { position, velocity, group, .. } = engine.boid(id);
            if let Some(mark) = view.mark(position, velocity, group) {
                canvas.mark(&mark);
            }
        }
        if core == 0 {
            for predator in engine.predators() {
                if let Some(mark) = view.mark(predator.position, predator.velocity, 0) {
                    canvas.mark(&Mark { colour: PREDATOR, ..mark });
                }
            }
            let frame = (engine.costs[0].total.get() + session.drawing) / mhz;
            let spare = frame.next_multiple_of(FRAME).max(FRAME) - frame;
            status::draw(canvas, session.preset, engine.boids(), [frame, spare], mhz);
        }
        longest.store(cleared + elapsed(begin, cores.clock()), Relaxed);
    });
    longest.load(Relaxed)
}

/// The camera: in two dimensions the world fills the screen; in three the camera circles it.
fn view(engine: &Engine<'_>) -> View {
    let rule = engine.rule();
    let bits = |v: [Fixed; 3]| v.map(|c| c.0);
    let (least, most) = (bits(rule.world_min.to_array()), bits(rule.world_max.to_array()));
    let large = engine.boids() <= LARGE_MARKS;
    if rule.flat {
        return View::plane([least[0], least[1]], [most[0], most[1]], large);
    }
    let middle = [0, 1, 2].map(|k| least[k] / 2 + most[k] / 2);
    let reach = (0..3).map(|k| most[k] / 2 - least[k] / 2).max().unwrap_or(1);
    View::space(middle, reach, engine.step_number as u32, large)
}

//! The picture: 640 × 480 pixels of four bits. `board/video.rs` sends it to the screen.
//!
//! Both cores clear and redraw the picture during vertical blanking, 1.4 ms of every 16.8 ms. So it does not flicker, and
//! nothing is stored for erasing. A word holds eight pixels, the leftmost in the lowest bits.

pub mod canvas;
mod mark;
mod view;

use crate::cores::{Cores, elapsed, part};
use crate::engine::Engine;
use crate::session::Session;
use canvas::Canvas;
use core::fmt::{self, Arguments, Write};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use flock::{Boid, Fixed};
use mark::{FIGURE, LABEL, Mark, PREDATOR};
use view::View;

/// Size of the screen in pixels.
pub const WIDTH: usize = 640;
pub const HEIGHT: usize = 480;
/// Words in a row of pixels.
pub const ROW: usize = WIDTH / 8;
/// Words in a picture: 153,600 bytes.
pub const WORDS: usize = ROW * HEIGHT;

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
            write_status(canvas, session, [frame, spare], mhz);
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

/// Writes the status line: number of boids, frame time, preset or step of a flight, and clock. `times` are the time
/// spent on a frame and the time left of it, in microseconds.
fn write_status(canvas: &Canvas<'_>, session: &Session<'_>, times: [u32; 2], mhz: u32) {
    let [(frame, frame_tenths), (spare, spare_tenths)] =
        times.map(|micros| (micros / 1000, micros % 1000 / 100));
    // Columns in eighths of the width: a label, then its figure.
    field(canvas, 1, "boids ", format_args!("{:>5}", session.engine.boids()));
    field(canvas, 17, "frame ", format_args!("{frame:>3}.{frame_tenths} ms"));
    field(canvas, 36, "spare ", format_args!("{spare:>3}.{spare_tenths} ms"));
    match session.flight {
        Some(_) => field(canvas, 55, "flight ", format_args!("{:>6}", session.engine.step_number)),
        None => field(canvas, 55, session.preset, format_args!("")),
    }
    field(canvas, 70, "", format_args!("{mhz:>4} mhz"));
}

/// Writes a label at a column, and a figure after it.
fn field(canvas: &Canvas<'_>, column: usize, label: &str, figure: Arguments<'_>) {
    canvas.text(column, label.as_bytes(), LABEL);
    // Drawing never fails.
    let _ = Pen { canvas, column: column + label.len() }.write_fmt(figure);
}

/// Writes figures from a column on.
struct Pen<'c> {
    canvas: &'c Canvas<'c>,
    column: usize,
}

impl Write for Pen<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.canvas.text(self.column, text.as_bytes(), FIGURE);
        self.column += text.len();
        Ok(())
    }
}

//! A screen on the pins of the board: decodes the picture, compares it with a recorded one, and checks the timing
//! against VGA; and an image with a flight in it, which shows what somebody flew in the window, bit for bit.
//!
//! The pins are sampled in every cycle, see [`watch_pins`].

use std::ops::RangeInclusive;
use std::path::Path;

use board::{Board, Image, Machine};
use flight::Flight;

use super::{board, hash, image};

/// Size of the picture in pixels.
const WIDTH: usize = 640;
const HEIGHT: usize = 480;
/// Pins: horizontal and vertical sync, both low in a pulse, and the first of the four colours.
const HORIZONTAL: u32 = 1 << 16;
const VERTICAL: u32 = 1 << 17;
const COLOURS: u32 = 18;
/// Pixels from the end of a horizontal pulse to the picture; a line in pixels.
const BACK_PORCH: f64 = 48.0;
const LINE: f64 = 800.0;
/// Lines from the end of the vertical pulse to the picture.
const LINES_ABOVE: usize = 33;
/// Frames skipped before one is decoded.
const SKIPPED: u32 = 2;
/// The longest wait for a picture in cycles: a tenth of a second, six frames, at 250 MHz.
const PATIENCE: u64 = 25_000_000;

/// A decoded picture, and its timing.
#[derive(Clone, Debug, PartialEq)]
struct Screen {
    /// The four bits of each pixel, row by row.
    pixels: Vec<u8>,
    timing: Timing,
}

/// The timing of one frame, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Timing {
    /// The shortest and the longest line, from one horizontal pulse to the next.
    line: [f64; 2],
    /// The shortest and the longest horizontal pulse.
    pulse: [f64; 2],
    /// The frame, from one vertical pulse to the next, and the vertical pulse.
    frame: f64,
    vertical_pulse: f64,
    /// Time from the end of a horizontal pulse to the leftmost lit pixel, and from the rightmost one to the next pulse.
    left: f64,
    right: f64,
    /// Horizontal pulses in a frame.
    lines: usize,
}

/// The accepted timing of 640 × 480 at 60 Hz: that of VGA within 1 %.
const VGA: [(&str, RangeInclusive<f64>); 4] = [
    ("line", 31.460..=32.096),
    ("horizontal pulse", 3.775..=3.852),
    ("frame", 16_516.0..=16_851.0),
    ("vertical pulse", 62.91..=64.20),
];

/// The shortest black intervals between pulse and picture, in microseconds: 47 pixels before, 15 after.
const PORCHES: [f64; 2] = [1.867, 0.595];

impl Timing {
    /// The violations of the accepted timing, in words.
    fn problems(&self) -> Vec<String> {
        let values = [&self.line[..], &self.pulse, &[self.frame], &[self.vertical_pulse]];
        let mut problems = Vec::new();
        for ((name, allowed), values) in VGA.iter().zip(values) {
            for value in values.iter().filter(|value| !allowed.contains(value)) {
                problems.push(format!("{name}: {value:.3} µs; allowed is {allowed:?}"));
            }
        }
        for (name, black, least) in [("left", self.left, PORCHES[0]), ("right", self.right, PORCHES[1])] {
            if black < least {
                problems.push(format!("black at the {name}: {black:.3} µs; allowed is {least} and more"));
            }
        }
        if self.lines != 525 {
            problems.push(format!("a frame of {} lines; allowed is 525", self.lines));
        }
        problems
    }
}

/// Cycles between two polls of the console.
const POLL: u64 = 4_000;

/// Runs with the screen on and calls `seen` with each cycle and its pins, until `seen` returns true, or for at most
/// `most` cycles. True if `seen` did. Holds the video signal afterwards.
///
/// The emulator steps the state machines several cycles at a time, which hides the pins in between. So they are held
/// while the cores execute an instruction, and then stepped here for as many cycles.
fn watch_pins(machine: &mut Machine, most: u64, mut seen: impl FnMut(u64, u32) -> bool) -> bool {
    let end = machine.cycles().saturating_add(most);
    machine.darken(false);
    let quantum = std::mem::replace(&mut machine.chip.step_quantum, 1);
    let mut reached = false;
    while !reached && machine.cycles() < end {
        // Lets the console's bytes through.
        machine.run(0);
        for _ in 0..POLL {
            let (before, pins) = (machine.cycles(), machine.chip.bus.gpio_in);
            let running = machine.running();
            machine.enable(running, false);
            if machine.chip.step().unwrap_or(0) == 0 {
                machine.chip.clock.cycles += 1;
                machine.chip.bus.tick_peripherals(1);
            }
            machine.enable(running, true);
            machine.chip.bus.gpio_in = pins;
            for cycle in before..machine.cycles() {
                let pins = step_pins(machine);
                reached |= seen(cycle, pins);
            }
            if reached {
                break;
            }
        }
    }
    machine.chip.step_quantum = quantum;
    machine.darken(true);
    reached
}

/// Steps the state machines by a cycle, and returns the levels of the pins.
fn step_pins(machine: &mut Machine) -> u32 {
    let bus = &mut machine.chip.bus;
    let mut pins = bus.sio.gpio_out & bus.sio.gpio_oe;
    for block in &mut bus.pio {
        block.step(bus.gpio_in);
        pins = pins & !block.pad_oe | block.pad_out & block.pad_oe;
    }
    bus.gpio_in = pins;
    pins
}

/// The changes of the pins: cycle and new levels.
struct Trace {
    changes: Vec<(u64, u32)>,
    /// Cycles per microsecond.
    rate: f64,
}

impl Trace {
    /// The cycles at which a pin rises or falls.
    fn edges(&self, pin: u32, rising: bool) -> Vec<u64> {
        let falls = self.changes.windows(2).filter(|pair| {
            let [before, after] = [pair[0].1 & pin != 0, pair[1].1 & pin != 0];
            before != after && after == rising
        });
        falls.map(|pair| pair[1].0).collect()
    }

    /// The pins at a cycle.
    fn at(&self, cycle: f64) -> u32 {
        let next = self.changes.partition_point(|(since, _)| *since as f64 <= cycle);
        next.checked_sub(1).map_or(0, |index| self.changes[index].1)
    }

    fn screen(&self) -> Option<Screen> {
        let vertical = self.edges(VERTICAL, false);
        let (&[from, to], Some(&end)) = (&vertical[..], self.edges(VERTICAL, true).first()) else {
            return None;
        };
        let falls = self.edges(HORIZONTAL, false);
        let rises = self.edges(HORIZONTAL, true);
        let micros = |cycles: u64| cycles as f64 / self.rate;
        let mut timing = Timing {
            frame: micros(to - from),
            vertical_pulse: micros(end.checked_sub(from)?),
            lines: falls.iter().filter(|fall| (from..to).contains(fall)).count(),
            ..Timing::default()
        };
        timing.line = span(falls.windows(2).map(|pair| micros(pair[1] - pair[0])));
        let after = |fall: &u64| rises.iter().find(|rise| *rise > fall).map(|rise| micros(rise - fall));
        timing.pulse = span(falls.iter().filter_map(after));
        let lit = self.changes.iter().filter(|(_, pins)| pins >> COLOURS != 0);
        let first =
            |cycle: u64| rises.iter().rev().find(|rise| **rise <= cycle).map(|rise| micros(cycle - rise));
        timing.left = lit.filter_map(|(cycle, _)| first(*cycle)).fold(f64::INFINITY, f64::min);
        let ends = self.changes.windows(2).filter(|pair| pair[0].1 >> COLOURS != 0).map(|pair| pair[1].0);
        let last = |cycle: u64| falls.iter().find(|fall| **fall >= cycle).map(|fall| micros(fall - cycle));
        timing.right = ends.filter_map(last).fold(f64::INFINITY, f64::min);

        let pixel = (to - from) as f64 / 525.0 / LINE;
        let lines: Vec<u64> =
            rises.into_iter().filter(|rise| *rise > end).skip(LINES_ABOVE).take(HEIGHT).collect();
        let color = |line: u64, x: usize| {
            let middle = line as f64 + (BACK_PORCH + x as f64 + 0.5) * pixel;
            (self.at(middle) >> COLOURS) as u8
        };
        let pixels: Vec<u8> = lines.iter().flat_map(|line| (0..WIDTH).map(|x| color(*line, x))).collect();
        (pixels.len() == WIDTH * HEIGHT).then_some(Screen { pixels, timing })
    }
}

/// The least and the largest value.
fn span(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, 0.0], |[least, most], value| [least.min(value), most.max(value)])
}

impl Screen {
    /// Decodes one frame, from one vertical pulse to the next; `None` where there is no picture.
    ///
    /// Two frames are skipped: emulation without sampling is so coarse that colours may lag behind.
    fn watch(machine: &mut Machine) -> Option<Self> {
        let mut trace = Trace { changes: Vec::new(), rate: f64::from(machine.chip.bus.sys_clk_hz()) / 1e6 };
        let mut pulses = 0;
        let mut before = 0;
        let whole = watch_pins(machine, PATIENCE, |cycle, pins| {
            let pins = pins & (HORIZONTAL | VERTICAL | 0xf << COLOURS);
            if pins == before {
                return false;
            }
            pulses += u32::from(before & !pins & VERTICAL != 0);
            if pulses > SKIPPED {
                if trace.changes.is_empty() {
                    trace.changes.push((cycle - 1, before));
                }
                trace.changes.push((cycle, pins));
            }
            before = pins;
            pulses == SKIPPED + 2
        });
        if whole { trace.screen() } else { None }
    }

    /// The picture in red, green and blue, as the resistors in `embedded/README.md` mix them.
    fn colours(&self) -> Vec<u8> {
        // 470 Ω and 330 Ω into the 75 Ω of the screen: none, each alone with the other low, and both.
        const GREEN: [u8; 4] = [0, 105, 150, 255];
        let full = |bit: u8| if bit == 0 { 0 } else { 255 };
        let mixed = |pixel: &u8| [full(pixel & 8), GREEN[usize::from(pixel & 3)], full(pixel & 4)];
        self.pixels.iter().flat_map(mixed).collect()
    }

    /// The picture as a PNG file.
    ///
    /// # Errors
    /// When encoding fails.
    fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, WIDTH as u32, HEIGHT as u32);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.colours())?;
        writer.finish()?;
        Ok(file)
    }
}

/// A reference picture, which the documentation shows, and the file of what was seen.
type Kept = [&'static str; 2];
const PRESET: Kept = ["docs/pictures/firmware.png", "target/firmware/screen.png"];
const FALCON: Kept = ["docs/pictures/falcon-board.png", "target/firmware/falcon-screen.png"];

/// The flight that somebody flew, and the image that `cargo xtask firmware` builds of it.
const FLOWN: &str = "tests/firmware/falcon.flight";
const BUILT: &str = "target/firmware/falcon-125.uf2";

/// Only this part of the status line, with the number of boids, is compared: the rest shows times.
const STATUS: [usize; 2] = [12, 14 * 8];
/// Pixels that may differ: where both cores write the same word at once, part of a mark is lost for a frame, and when that
/// happens depends on every instruction before.
const LOST: usize = 40;

/// The pixels of a PNG file, three bytes each.
fn read(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("the kept picture is there"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("a whole picture");
    pixels
}

/// Holds that a screen shows a reference picture, and returns that.
fn shows(screen: &Screen, [recorded, seen]: Kept) -> Vec<u8> {
    std::fs::write(seen, screen.png().expect("packed")).expect("written");
    let kept = read(Path::new(recorded));
    let differs = differing(&screen.colours(), &kept);
    assert!(
        differs <= LOST,
        "{differs} pixels differ: {seen} is what was seen; where it is right it becomes {recorded}"
    );
    kept
}

/// The number of pixels that differ between two pictures, apart from the times in the status line.
fn differing(one: &[u8], other: &[u8]) -> usize {
    assert_eq!([one.len(), other.len()], [WIDTH * HEIGHT * 3; 2]);
    let pairs = one.as_chunks::<3>().0.iter().zip(other.as_chunks::<3>().0).enumerate();
    let [rows, columns] = STATUS;
    let compared = pairs.filter(|(index, _)| index / WIDTH >= rows || index % WIDTH < columns);
    compared.filter(|(_, (one, other))| one != other).count()
}

#[test]
fn the_screen_shows_the_picture_of_the_documents_within_the_times_of_vga() {
    let Some(mut board) = board() else { return };
    board.ask("preset cornell").expect("a preset");
    board.ask("boids 900").expect("boids");
    board.ask("step 120").expect("steps");
    let screen = Screen::watch(&mut board.machine).expect("a picture");
    assert_eq!(screen.timing.problems(), Vec::<String>::new(), "{:?}", screen.timing);
    let kept = shows(&screen, PRESET);

    // Negative control: after another step the picture differs, and the timing still holds.
    board.ask("step 1").expect("a step");
    let next = Screen::watch(&mut board.machine).expect("a picture");
    assert!(differing(&next.colours(), &kept) > 1000);
    assert_eq!(next.timing.problems(), Vec::<String>::new(), "{:?}", next.timing);
}

#[test]
fn what_is_not_a_signal_of_vga_is_seen() {
    let right = Timing {
        line: [32.0; 2],
        pulse: [3.84; 2],
        frame: 16_800.0,
        vertical_pulse: 64.0,
        left: 1.92,
        right: 0.64,
        lines: 525,
    };
    assert_eq!(right.problems(), Vec::<String>::new());
    let wrong = [
        Timing { line: [32.0, 32.2], ..right },
        Timing { pulse: [3.7, 3.84], ..right },
        Timing { frame: 16_000.0, ..right },
        Timing { vertical_pulse: 32.0, ..right },
        Timing { left: 1.0, ..right },
        Timing { right: 0.0, ..right },
        Timing { lines: 524, ..right },
    ];
    for timing in wrong {
        assert_eq!(timing.problems().len(), 1, "{timing:?}");
    }
}

#[test]
fn in_three_dimensions_the_flock_flies_on_and_is_drawn_while_the_screen_is_on() {
    let Some(mut board) = board() else { return };
    board.ask("preset murmuration").expect("a preset");
    board.ask("boids 150").expect("boids");
    board.machine.darken(false);
    board.ask("run").expect("it flies");
    let begin = hash(&mut board);
    // 100 ms: six frames.
    board.machine.run(12_500_000);
    assert_ne!(hash(&mut board), begin);
    let screen = Screen::watch(&mut board.machine).expect("a picture");
    assert_eq!(screen.timing.problems(), Vec::<String>::new(), "{:?}", screen.timing);
    let lit = screen.pixels[WIDTH * 12..].iter().filter(|pixel| **pixel != 0).count();
    assert!((150..8000).contains(&lit), "{lit} pixels are lit by 150 boids");
}

/// A board with the flight, and the flight.
fn in_flight() -> Option<(Flight, Board)> {
    // Without the firmware there is none of a flight.
    image()?;
    let flight = flight::load(Path::new(FLOWN)).expect("a flight");
    let image =
        Image::read(Path::new(BUILT)).expect("`cargo xtask firmware tests/firmware/falcon.flight` builds it");
    Some((flight, Board::boot(&image).expect("the firmware runs")))
}

/// The step of a board's flock.
fn step(board: &mut Board) -> u64 {
    hash(board).split_once(',').and_then(|(step, _)| step.parse().ok()).expect("a step")
}

#[test]
fn an_image_shows_what_was_flown_with_the_recorded_hashes() {
    let Some((flight, mut board)) = in_flight() else { return };
    assert!(flight.hashes.len() > 5 && flight.changes.all().len() > 300);
    let first = step(&mut board);
    let mut now = first;
    for at in flight.hashes.iter().filter(|at| at.step >= first) {
        board.ask(&format!("step {}", at.step - now)).expect("stepped");
        now = at.step;
        assert_eq!(hash(&mut board), format!("{},{:016x}", at.step, at.hash));
    }
    let seen = Screen::watch(&mut board.machine).expect("a picture");
    shows(&seen, FALCON);
}

#[test]
fn whoever_moves_the_falcon_flies_from_there() {
    let Some((flight, mut board)) = in_flight() else { return };
    let last = flight.hashes.last().expect("hashes");
    board.ask("steer 0 900000 800000 0").expect("steered");
    let now = step(&mut board);
    board.ask(&format!("step {}", last.step - now)).expect("stepped");
    assert_ne!(hash(&mut board), format!("{},{:016x}", last.step, last.hash));
}

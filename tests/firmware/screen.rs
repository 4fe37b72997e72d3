//! The signal on the VGA pins: its timing, and the decoded picture.

use std::path::Path;

use super::vga::{HEIGHT, Screen, Timing, WIDTH};
use super::{board, hash};

/// The reference picture, which the documentation shows.
const RECORDED: &str = "docs/pictures/firmware.png";
/// The picture of the last test.
const SEEN: &str = "target/firmware/screen.png";
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
    std::fs::write(SEEN, screen.png().expect("packed")).expect("written");
    let kept = read(Path::new(RECORDED));
    let differs = differing(&screen.colours(), &kept);
    assert!(
        differs <= LOST,
        "{differs} pixels differ: {SEEN} is what was seen; where it is right it becomes {RECORDED}"
    );

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

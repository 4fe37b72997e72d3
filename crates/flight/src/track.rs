//! The positions of a steered predator, one per step, as a short text.
//!
//! Positions are whole multiples of a power of two. The text has the first one, then the first difference, then the
//! differences of differences, each as `x,y,z`; `.N` stands for N positions without a change of speed. A pointer that
//! moves smoothly has few digits.

use std::fmt::Write as _;

use flock::Parameters;

/// Size of the largest multiple: sums and differences of three fit a word.
const LARGEST: f64 = (1_i64 << 50) as f64;
/// Steps of a position along the longest side of the world, as a power of two: finer than a pointer's.
const FINEST: i32 = 13;

/// A position on the grid of a pointer in this world: every engine gets the same numbers, with few digits.
pub fn snapped(position: [f32; 3], parameters: &Parameters) -> [f32; 3] {
    let world = &parameters.world;
    let sides = world.min.iter().zip(world.max).map(|(min, max)| max - min);
    let extent = sides.fold(0.0, f64::max);
    if !extent.is_normal() {
        return position;
    }
    let step = 2_f64.powi(extent.log2().ceil() as i32 - FINEST);
    // Plus zero: −0 becomes 0.
    position.map(|c| ((f64::from(c) / step).round() * step + 0.0) as f32)
}

/// Positions as text, and the exponent of their power of two; `None` if their numbers are too far apart.
pub fn write(positions: &[[f32; 3]]) -> Option<(i32, String)> {
    let exponent = positions.iter().flatten().filter_map(|c| lowest_bit(*c)).min().unwrap_or(0);
    let mut text = String::new();
    let (mut last, mut speed) = ([0; 3], [0; 3]);
    let mut steady = 0;
    for (k, position) in positions.iter().enumerate() {
        let here = multiples(*position, exponent)?;
        let moved = difference(here, last);
        // The first position and the first difference are written whole.
        let change = if k < 2 { moved } else { difference(moved, speed) };
        (last, speed) = (here, moved);
        if k >= 2 && change == [0; 3] {
            steady += 1;
            continue;
        }
        write_steady(&mut text, &mut steady);
        let [x, y, z] = change;
        let _ = write!(text, "{}{x},{y},{z}", if text.is_empty() { "" } else { " " });
    }
    write_steady(&mut text, &mut steady);
    Some((exponent, text))
}

fn write_steady(text: &mut String, steady: &mut u64) {
    if *steady > 0 {
        let _ = write!(text, " .{steady}");
        *steady = 0;
    }
}

/// Reads what [`write`] has written; `None` for any other text, or for more than `most` positions.
pub fn read(exponent: i32, text: &str, most: u64) -> Option<Vec<[f32; 3]>> {
    if !(-149..=127).contains(&exponent) {
        return None;
    }
    let unit = 2_f64.powi(exponent);
    let mut positions: Vec<[f32; 3]> = Vec::new();
    let (mut here, mut speed) = ([0_i64; 3], [0_i64; 3]);
    for word in text.split(' ') {
        let (count, change) = match word.strip_prefix('.') {
            Some(count) => (count.parse::<u64>().ok()?, [0; 3]),
            None => (1, triple(word)?),
        };
        if positions.len() as u64 + count > most || count == 0 {
            return None;
        }
        for _ in 0..count {
            speed = if positions.len() < 2 { change } else { sum(speed, change)? };
            here = sum(here, speed)?;
            let position = here.map(|c| (c as f64 * unit) as f32);
            // Only what is exact has been written.
            if multiples(position, exponent) != Some(here) {
                return None;
            }
            positions.push(position);
        }
    }
    Some(positions)
}

fn triple(word: &str) -> Option<[i64; 3]> {
    let mut numbers = word.split(',').map(|number| number.parse().ok());
    let all = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(all)
}

fn sum(a: [i64; 3], b: [i64; 3]) -> Option<[i64; 3]> {
    Some([a[0].checked_add(b[0])?, a[1].checked_add(b[1])?, a[2].checked_add(b[2])?])
}

fn difference(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The exponent of the lowest bit of a number; `None` for zero.
fn lowest_bit(number: f32) -> Option<i32> {
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> 23 & 0xff) as i32, bits & 0x7f_ffff);
    if number == 0.0 || !number.is_finite() {
        return None;
    }
    let whole = if exponent == 0 { fraction } else { fraction | 0x80_0000 };
    Some(exponent.max(1) - 150 + whole.trailing_zeros() as i32)
}

/// Coordinates as multiples of a power of two; `None` if they are too large, not finite, or −0.
fn multiples(position: [f32; 3], exponent: i32) -> Option<[i64; 3]> {
    let unit = 2_f64.powi(exponent);
    let scaled = position.map(|c| f64::from(c) / unit);
    let exact = |c: &f64| c.abs() < LARGEST && c.fract() == 0.0 && c.to_bits() != (-0.0_f64).to_bits();
    scaled.iter().all(exact).then(|| scaled.map(|c| c as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_they_were_written() {
        let circle = |k: usize| {
            let (sine, cosine) = (k as f32 * 0.05).sin_cos();
            snapped([40.0 * cosine, 40.0 * sine, 3.0], &Parameters::default())
        };
        let rests = [[1.5, -2.0, 0.0]; 40];
        let moves: Vec<_> = (0..300).map(circle).collect();
        let wild = [[1e30, 1.0, 0.0], [1e30, 3.0, -7.0]];
        for positions in
            [&rests[..], &moves, &moves[..1], &moves[..2], &[[0.0; 3]; 3], &[[f32::MIN_POSITIVE; 3]]]
        {
            let Some((exponent, text)) = write(positions) else { panic!("{positions:?}") };
            assert_eq!(read(exponent, &text, 300).as_deref(), Some(positions), "{text}");
            // One position too many, and a unit of a number.
            assert_eq!(read(exponent, &text, positions.len() as u64 - 1), None);
            let other = text.replacen('1', "2", 1);
            assert!(other == text || read(exponent, &other, 300).as_deref() != Some(positions));
        }
        assert_eq!(write(&rests).expect("exact").1, "3,-4,0 0,0,0 .38");
        assert!(write(&moves).expect("exact").1.len() < 12 * moves.len());
        assert!(write(&wild).is_none() && write(&[[f32::NAN; 3]]).is_none() && write(&[[-0.0; 3]]).is_none());
    }

    #[test]
    fn texts_that_were_not_written_are_refused() {
        for text in [
            "",
            "1,2",
            "1,2,3,4",
            "1,2,x",
            ".0",
            "1,2,3  4,5,6",
            ".",
            "9223372036854775807,0,0 1,0,0",
            "99999999999,0,0",
        ] {
            assert_eq!(read(-3, text, 100), None, "{text}");
        }
        assert_eq!(read(200, "1,2,3", 100), None);
    }

    #[test]
    fn a_pointer_is_snapped_to_a_fraction_of_the_world() {
        let mut parameters = Parameters::default();
        (parameters.world.min, parameters.world.max) = ([0.0; 3], [100.0, 50.0, 10.0]);
        assert_eq!(snapped([1.007, 2.0, -0.001], &parameters), [1.0, 2.0, 0.0]);
        assert_eq!(snapped([1.01, 0.0, 0.0], &parameters), [1.015625, 0.0, 0.0]);
    }
}

//! Prepared terms as words, the format in which a computer sends them to a board.
//!
//! ```text
//! the digits of the time                                    1 word
//! of each row the sum and the request                       2 · 8 · 7 words: see PreparedFormula::words
//! the least and the greatest word of each slot              2 · 40
//! values                                                    128
//! code                                                      2 · 256: operation and operands, digits and shifts
//! ```
//!
//! All words that are taken make terms that evaluate: others are refused, and registers and slots are bounded.

use core::num::NonZeroU8;

use super::code::{Instruction, Op, SLOTS};
use super::prepared::{Prepared, PreparedFormula};
use super::{MAX_TERMS, MAX_TOGETHER, MAX_VALUES};
use crate::fixed::Fixed;

/// Words of a part.
const PART: usize = 7;

/// The number of the first word of each section.
const PARTS: usize = 1;
const LIMITS: usize = PARTS + 2 * MAX_TERMS * PART;
const VALUES: usize = LIMITS + 2 * SLOTS;
const CODE: usize = VALUES + MAX_VALUES;
const END: usize = CODE + 2 * MAX_TOGETHER;

impl PreparedFormula<Fixed> {
    /// Ranges of the code and of the values; the result's registers, and 1 if there are any; the shifts, and the
    /// register that is 0 for a boid not perceived, 0 for none; the slots; the radius; the number of the nearest.
    fn words(&self) -> [u32; PART] {
        let range = |[first, end]: [usize; 2]| (first | end << 16) as u32;
        let ([x, y, z], [by_x, by_y, by_z]) = (self.result, self.shift.map(|by| by as u8));
        let result = u32::from_le_bytes([x, y, z, self.used.into()]);
        let shift = u32::from_le_bytes([by_x, by_y, by_z, self.perceived.map_or(0, NonZeroU8::get)]);
        [range(self.code), range(self.values), result, shift, self.reads, self.radius.0 as u32, self.nearest]
    }

    fn of([code, values, result, shift, reads, radius, nearest]: [u32; PART]) -> Option<Self> {
        let range = |word: u32, most: usize| {
            let [first, end] = [word & 0xffff, word >> 16].map(|k| k as usize);
            (first <= end && end <= most).then_some([first, end])
        };
        let ([x, y, z, used], [by_x, by_y, by_z, perceived]) = (result.to_le_bytes(), shift.to_le_bytes());
        Some(PreparedFormula {
            code: range(code, MAX_TOGETHER)?,
            values: range(values, MAX_VALUES)?,
            result: [x, y, z],
            shift: [by_x, by_y, by_z].map(|by| by as i8),
            reads,
            radius: Fixed(radius as i32),
            perceived: NonZeroU8::new(perceived),
            nearest,
            used: used != 0,
        })
    }
}

impl Instruction {
    fn words(&self) -> [u32; 2] {
        let Instruction { op, a, b, c, digits, shift: [x, y, z] } = *self;
        [[op as u8, a, b, c], [digits, x, y, z].map(|by| by as u8)].map(u32::from_le_bytes)
    }

    fn of(words: [u32; 2]) -> Option<Self> {
        let [[op, a, b, c], by] = words.map(u32::to_le_bytes);
        let [digits, x, y, z] = by.map(|by| by as i8);
        Some(Instruction { op: *Op::ALL.get(usize::from(op))?, a, b, c, digits, shift: [x, y, z] })
    }
}

impl Prepared<Fixed> {
    /// Number of words.
    pub const WORDS: usize = END;

    /// Word number `at`; 0 beyond the last.
    #[must_use]
    pub fn word(&self, at: usize) -> u32 {
        match at {
            0 => self.time_digits as u32,
            PARTS..LIMITS => {
                self.formulas[(at - PARTS) / PART / 2][(at - PARTS) / PART % 2].words()[(at - PARTS) % PART]
            }
            LIMITS..VALUES => self.limits[(at - LIMITS) / 2][(at - LIMITS) % 2].0 as u32,
            VALUES..CODE => self.values[at - VALUES].0 as u32,
            CODE..END => self.code[(at - CODE) / 2].words()[(at - CODE) % 2],
            _ => 0,
        }
    }

    /// Sets word number `at`; none, and nothing is changed, if no terms can have it.
    #[must_use]
    pub fn set_word(&mut self, at: usize, word: u32) -> Option<()> {
        match at {
            0 => self.time_digits = word as i8,
            PARTS..LIMITS => {
                let formula = &mut self.formulas[(at - PARTS) / PART / 2][(at - PARTS) / PART % 2];
                let mut words = formula.words();
                words[(at - PARTS) % PART] = word;
                *formula = PreparedFormula::of(words)?;
            }
            LIMITS..VALUES => self.limits[(at - LIMITS) / 2][(at - LIMITS) % 2] = Fixed(word as i32),
            VALUES..CODE => self.values[at - VALUES] = Fixed(word as i32),
            CODE..END => {
                let instruction = &mut self.code[(at - CODE) / 2];
                let mut words = instruction.words();
                words[(at - CODE) % 2] = word;
                *instruction = Instruction::of(words)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// A hash of all words and of the greatest radius of a sum, in users' units: FNV-1a.
    #[must_use]
    pub fn checksum(&self, reach: f64) -> u32 {
        let bits = reach.to_bits();
        let words = (0..END).map(|at| self.word(at)).chain([bits as u32, (bits >> 32) as u32]);
        words.fold(0x811c_9dc5 ^ END as u32, |hash, word| (hash ^ word).wrapping_mul(0x0100_0193))
    }

    /// Numbers of terms and of instructions.
    #[must_use]
    pub fn counts(&self) -> [usize; 2] {
        let instructions = self.formulas.iter().flatten().map(|formula| formula.code[1]).max();
        [self.rows().filter(|row| row.request.used).count(), instructions.unwrap_or(0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draw;
    use std::format;

    #[test]
    fn every_word_goes_over_and_what_is_none_is_refused() {
        let (mut from, mut to, mut set) = (Prepared::<Fixed>::EMPTY, Prepared::<Fixed>::EMPTY, 0);
        let mut words_set = [0; END];
        for (at, set_to) in words_set.iter_mut().enumerate() {
            let words = draw(1, 2, at as u32, 3);
            set += words.iter().filter(|word| from.set_word(at, **word & 0x01ff_01ff).is_some()).count();
            assert_eq!(to.set_word(at, from.word(at)), Some(()), "word {at}");
            *set_to = from.word(at);
        }
        assert!((0..END).all(|at| from.word(at) == words_set[at]), "a word changes another");
        assert!(set > Prepared::WORDS);
        assert_eq!(format!("{from:?}"), format!("{to:?}"));
        assert_eq!(from.checksum(1.0), to.checksum(1.0));
        for other in
            [1.5, f64::from_bits(1.0_f64.to_bits() + 1), f64::from_bits(1.0_f64.to_bits() + (1 << 32))]
        {
            assert_ne!(from.checksum(1.0), to.checksum(other), "{other:e}");
        }
        assert_eq!(from.word(END), 0, "there is no such word");
        let last = from.word(CODE - 1);
        for (at, word) in [(PARTS, 3), (PARTS, 257 << 16), (PARTS + 1, 129 << 16), (CODE, 23), (END, 0)] {
            assert_eq!(to.set_word(at, word), None, "{word} as word {at}");
        }
        assert_eq!(from.checksum(1.0), to.checksum(1.0));
        assert_eq!(to.set_word(CODE - 1, last ^ 1), Some(()));
        assert_ne!(from.checksum(1.0), to.checksum(1.0));
    }
}

//! Changed copies of texts: each case is a function of its number, of the texts and of the words alone.

use std::format;
use std::string::String;
use std::vec::Vec;

/// The longest case in bytes.
const LONGEST: usize = 1 << 17;

/// Words that a reader of numbers or of text may not expect.
const WORDS: &[&[u8]] = &[
    b"nan",
    b"-NaN",
    b"inf",
    b"-inf",
    b"+inf",
    b"infinity",
    b"1e999",
    b"-1e999",
    b"1e-999",
    b"5e-324",
    b"-0.0",
    b"0",
    b"-1",
    b"1",
    b"+1",
    b"1.",
    b".5",
    b"1e",
    b"1e6",
    b"1E+6",
    b"0.1",
    b"180",
    b"65535",
    b"65536",
    b"1e15",
    b"1e16",
    b"-1e15",
    b"1e30",
    b"1e39",
    b"1e308",
    b"3.4028235e38",
    b"3.4028236e38",
    b"2147483647",
    b"2147483648",
    b"-2147483648",
    b"4294967295",
    b"4294967296",
    b"9223372036854775807",
    b"9223372036854775808",
    b"18446744073709551615",
    b"18446744073709551616",
    b"340282366920938463463374607431768211456",
    b"1e400000000000000000000",
    b"0x7fffffff",
    b"0xffffffffff",
    b"0o17",
    b"0b1",
    b"1_000",
    b"1__0",
    b"1k",
    b"2M",
    b"true",
    b"false",
    b"\"",
    b"'",
    b"\"\"\"",
    b"'''",
    b"\\",
    b"\\u0000",
    b"\"\\u001b[31m\"",
    b"\\U0010ffff",
    b"\\x",
    b"\x1b[31m",
    b"\0",
    b"\x07",
    b"\x7f",
    b"\x08",
    b"\r",
    b"\r\n",
    b"\n",
    b"\n\n",
    b"\t",
    b" ",
    b",",
    b",,",
    b";",
    b"=",
    b"#",
    b".",
    b"..",
    b"[",
    b"]",
    b"[[",
    b"]]",
    b"{",
    b"}",
    b"[]",
    b"{}",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"\xe2\x80\xa8",
    b"\xc2\x9b",
    b"\xc3\xa9",
    b"\xe9\xb3\xa5",
    b"\xf0\x9f\xa6\x86",
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
];

/// Marsaglia's and Vigna's splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// A number below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// The case of a number: one of the texts, changed in one place or in several.
pub fn case(number: u64, texts: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
    let mut random = Random::new(number);
    let mut text = random.of(texts).clone();
    // Mostly few changes: a reader stops at the first error.
    let changes = 1 + random.below(3) * random.below(4);
    for _ in 0..changes {
        match random.below(14) {
            0 => change_bytes(&mut random, &mut text),
            1 => cut(&mut random, &mut text),
            2 | 3 => change_lines(&mut random, &mut text),
            4 => splice(&mut random, &mut text, texts),
            5 => repeat(&mut random, &mut text),
            6 => insert(&mut random, &mut text, words),
            _ => replace_word(&mut random, &mut text, words),
        }
        text.truncate(LONGEST);
    }
    text
}

fn change_bytes(random: &mut Random, text: &mut Vec<u8>) {
    for _ in 0..=random.below(3) {
        let at = random.below(text.len());
        match (text.get_mut(at), random.below(2)) {
            (Some(byte), 0) => *byte ^= 1 << random.below(8),
            (Some(byte), _) => *byte = random.next() as u8,
            (None, _) => text.push(random.next() as u8),
        }
    }
}

/// A range of the text, most often a short one.
fn range(random: &mut Random, text: &[u8]) -> std::ops::Range<usize> {
    let from = random.below(text.len() + 1);
    let longest = if random.below(4) == 0 { text.len() } else { 12 };
    from..(from + random.below(longest + 1)).min(text.len())
}

fn cut(random: &mut Random, text: &mut Vec<u8>) {
    if random.below(2) == 0 {
        text.truncate(random.below(text.len() + 1));
    } else {
        text.drain(range(random, text));
    }
}

/// Doubles a line, removes one, or lets two change places.
fn change_lines(random: &mut Random, text: &mut Vec<u8>) {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return;
    }
    let [one, other] = [0; 2].map(|_: usize| random.below(lines.len()));
    match random.below(3) {
        0 => lines.insert(other, lines[one]),
        1 => drop(lines.remove(one)),
        _ => lines.swap(one, other),
    }
    *text = lines.concat();
}

/// Puts lines of another text in.
fn splice(random: &mut Random, text: &mut Vec<u8>, texts: &[Vec<u8>]) {
    let other: Vec<&[u8]> = random.of(texts).split_inclusive(|byte| *byte == b'\n').collect();
    let from = random.below(other.len());
    let taken = other.iter().skip(from).take(1 + random.below(6)).copied().collect::<Vec<_>>().concat();
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let ends: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let at = *random.of(&ends);
    text.splice(at..at, taken);
}

/// Repeats a piece: now and then so often that it nests deeply, or is longer than any buffer.
fn repeat(random: &mut Random, text: &mut Vec<u8>) {
    let piece = range(random, text);
    let times = *random.of(&[2, 3, 17, 70, 300, 5000]);
    let piece: Vec<u8> = text[piece].repeat(times);
    let at = random.below(text.len() + 1);
    text.splice(at..at, piece.into_iter().take(LONGEST));
}

fn insert(random: &mut Random, text: &mut Vec<u8>, words: &[Vec<u8>]) {
    let at = random.below(text.len() + 1);
    let word = word(random, words);
    text.splice(at..at, word);
}

/// A word of the list, of all lists, or a number.
fn word(random: &mut Random, words: &[Vec<u8>]) -> Vec<u8> {
    match random.below(4) {
        0 => random.of(WORDS).to_vec(),
        1 => number(random).into_bytes(),
        _ if words.is_empty() => Vec::new(),
        _ => random.of(words).clone(),
    }
}

/// A number: of any bits, small, or within a word of a power of two.
fn number(random: &mut Random) -> String {
    let near = (1_i128 << random.below(70)) + random.below(3) as i128 - 1;
    match random.below(7) {
        0 => format!("{:?}", f64::from_bits(random.next())),
        1 => format!("{:e}", f32::from_bits(random.next() as u32)),
        2 => format!("{near}"),
        3 => format!("-{near}"),
        4 => format!("{}", random.below(40)),
        5 => format!("{:?}", (random.below(2_000_001) as f64 - 1e6) / 1e3),
        _ => format!("{:x}", random.next() as u32),
    }
}

/// Puts a word in the place of a run of letters, digits and points, or of what separates two of them.
fn replace_word(random: &mut Random, text: &mut Vec<u8>, words: &[Vec<u8>]) {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    let at = random.below(text.len());
    let Some(kind) = text.get(at).map(inside) else { return };
    let from = text[..at].iter().rposition(|byte| inside(byte) != kind).map_or(0, |end| end + 1);
    let to = text[at..].iter().position(|byte| inside(byte) != kind).map_or(text.len(), |end| at + end);
    let word = word(random, words);
    text.splice(from..to, word);
}

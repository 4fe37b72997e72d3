//! Receives a line byte by byte into a buffer of fixed size.

use core::fmt;

/// The longest line in bytes: enough for sixteen obstacles with seven characters per number. With more digits
/// `obstacle` adds them one by one.
pub const LENGTH: usize = 1024;

/// A line buffer.
#[derive(Debug)]
pub struct Line {
    bytes: [u8; LENGTH],
    length: usize,
    fault: Option<Fault>,
}

/// The reason for refusing a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The line does not fit the buffer.
    Long,
    /// The line holds this byte, which is not printable ASCII.
    Byte(u8),
    /// Bytes of the line were lost.
    Lost,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Long => write!(f, "the line is longer than {LENGTH} bytes"),
            Fault::Byte(byte) => write!(f, "the line must be printable ASCII, not {byte:#04x}"),
            Fault::Lost => f.write_str("bytes of the line were lost; send at most 32 bytes during a step"),
        }
    }
}

impl Line {
    /// An empty line.
    #[expect(clippy::new_without_default, reason = "lines lie in static memory")]
    pub const fn new() -> Self {
        Line { bytes: [0; LENGTH], length: 0, fault: None }
    }

    /// Adds a byte; returns true if it ends the line.
    pub fn push(&mut self, byte: u8) -> bool {
        const BACKSPACE: u8 = 0x08;
        const DELETE: u8 = 0x7f;
        match byte {
            b'\n' | b'\r' => return true,
            BACKSPACE | DELETE => self.length = self.length.saturating_sub(1),
            // An error repeats the line, and a tab would move its columns.
            b'\t' => return self.push(b' '),
            b' '..=b'~' => match self.bytes.get_mut(self.length) {
                Some(at) => {
                    *at = byte;
                    self.length += 1;
                }
                None => self.fault = self.fault.or(Some(Fault::Long)),
            },
            other => self.fault = self.fault.or(Some(Fault::Byte(other))),
        }
        false
    }

    /// Records that bytes of the line were lost.
    pub fn lose(&mut self) {
        self.fault = self.fault.or(Some(Fault::Lost));
    }

    /// The text of the line.
    ///
    /// # Errors
    /// The first fault of the line.
    pub fn text(&self) -> Result<&str, Fault> {
        match self.fault {
            Some(fault) => Err(fault),
            // Only ASCII is stored.
            None => Ok(core::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default().trim()),
        }
    }

    /// Starts the next line.
    pub fn clear(&mut self) {
        (self.length, self.fault) = (0, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    fn read(bytes: &[u8]) -> Result<String, Fault> {
        let mut line = Line::new();
        assert!(bytes.iter().all(|byte| !line.push(*byte)) && line.push(b'\n'));
        line.text().map(String::from)
    }

    #[test]
    fn lines_are_trimmed_and_corrected_in_place() {
        assert_eq!(read(b"  hash \t").as_deref(), Ok("hash"));
        assert_eq!(read(b"hasj\x08h").as_deref(), Ok("hash"));
        assert_eq!(read(b"get\thash").as_deref(), Ok("get hash"));
        assert_eq!(read(b"\x7f\x7fhash").as_deref(), Ok("hash"));
    }

    #[test]
    fn long_lines_and_strange_bytes_are_faults_until_the_line_ends() {
        assert_eq!(read(&[b'a'; LENGTH]).map(|line| line.len()), Ok(LENGTH));
        assert_eq!(read(&[b'a'; LENGTH + 1]), Err(Fault::Long));
        assert_eq!(read(b"ha\x07sh\xff"), Err(Fault::Byte(7)));
        let mut line = Line::new();
        line.push(0);
        line.clear();
        assert_eq!(line.text(), Ok(""));
        line.push(b'h');
        line.lose();
        line.push(b'h');
        assert_eq!(line.text(), Err(Fault::Lost));
        line.clear();
        assert_eq!(line.text(), Ok(""));
    }
}

//! As much of an X client as the test needs: what the screen shows, what windows are called, and keys pressed on
//! them. Requests are as the X protocol (version 11, little-endian) and its XTEST extension lay them out.

use std::io::{Error, Read, Result, Write};
use std::os::unix::net::UnixStream;

/// A connection to an X server.
#[derive(Debug)]
pub struct Client {
    stream: UnixStream,
    root: u32,
    keycodes: (u8, u8),
    xtest: u8,
}

/// What a part of the screen shows: blue, green, red and a byte of nothing a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub width: u16,
    pub bytes: Vec<u8>,
}

impl Picture {
    /// Red, green and blue of every pixel, row by row.
    pub fn pixels(&self) -> impl Iterator<Item = [u8; 3]> {
        self.bytes.chunks_exact(4).map(|pixel| [pixel[2], pixel[1], pixel[0]])
    }

    /// The pixels with column and row.
    pub fn places(&self) -> impl Iterator<Item = (u16, [u8; 3])> {
        let width = usize::from(self.width);
        self.pixels().enumerate().map(move |(index, pixel)| ((index % width) as u16, pixel))
    }
}

impl Client {
    /// Connects to the display of this number.
    pub fn connect(display: &str) -> Result<Self> {
        let number = display.trim_start_matches(':');
        let mut stream = UnixStream::connect(format!("/tmp/.X11-unix/X{number}"))?;
        // Byte order, version 11.0, and no authorisation.
        stream.write_all(&[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
        let mut head = [0; 8];
        stream.read_exact(&mut head)?;
        let mut body = vec![0; 4 * usize::from(u16_at(&head, 6))];
        stream.read_exact(&mut body)?;
        if head[0] != 1 {
            return Err(Error::other("the X server refused the connection"));
        }
        // The vendor's name and the formats lie before the first screen.
        let screen = 32 + usize::from(u16_at(&body, 16)).next_multiple_of(4) + 8 * usize::from(body[21]);
        let (root, keycodes) = (u32_at(&body, screen), (body[26], body[27]));
        let mut client = Client { stream, root, keycodes, xtest: 0 };
        let mut name = vec![5, 0, 0, 0];
        name.extend(b"XTEST\0\0\0");
        let reply = client.ask(98, 0, &name)?;
        if reply[8] == 0 {
            return Err(Error::other("the X server has no XTEST"));
        }
        client.xtest = reply[9];
        Ok(client)
    }

    /// The windows that show something, lowest first, with their sizes.
    pub fn windows(&mut self) -> Result<Vec<(u32, [u16; 2])>> {
        let root = self.root;
        let reply = self.ask(15, 0, &root.to_le_bytes())?;
        let count = usize::from(u16_at(&reply, 16));
        let ids: Vec<u32> = (0..count).map(|k| u32_at(&reply, 32 + 4 * k)).collect();
        let mut windows = Vec::new();
        for id in ids {
            let shown = self.ask(3, 0, &id.to_le_bytes())?[26] == 2;
            let geometry = self.ask(14, 0, &id.to_le_bytes())?;
            if shown {
                windows.push((id, [u16_at(&geometry, 16), u16_at(&geometry, 18)]));
            }
        }
        Ok(windows)
    }

    /// A window's title (WM_NAME; ASCII is all that the test looks for).
    pub fn title(&mut self, window: u32) -> Result<String> {
        let mut request = window.to_le_bytes().to_vec();
        for word in [39_u32, 0, 0, 256] {
            request.extend(word.to_le_bytes());
        }
        let reply = self.ask(20, 0, &request)?;
        let length = u32_at(&reply, 16) as usize * usize::from(reply[1]) / 8;
        Ok(String::from_utf8_lossy(&reply[32..32 + length]).into_owned())
    }

    /// What the screen shows in a rectangle from its upper left corner.
    pub fn picture(&mut self, width: u16, height: u16) -> Result<Picture> {
        let mut request = self.root.to_le_bytes().to_vec();
        for side in [0, 0, width, height] {
            request.extend(side.to_le_bytes());
        }
        request.extend(u32::MAX.to_le_bytes());
        // Format 2: whole pixels.
        let reply = self.ask(73, 2, &request)?;
        Ok(Picture { width, bytes: reply[32..].to_vec() })
    }

    /// Gives a window another size.
    pub fn resize(&mut self, window: u32, [width, height]: [u16; 2]) -> Result<()> {
        let mut request = window.to_le_bytes().to_vec();
        // Bits 2 and 3: width and height follow.
        for word in [0b1100, u32::from(width), u32::from(height)] {
            request.extend(word.to_le_bytes());
        }
        self.send(12, 0, &request)
    }

    /// Takes a window off the screen, or brings it back.
    pub fn show(&mut self, window: u32, shown: bool) -> Result<()> {
        self.send(if shown { 8 } else { 10 }, 0, &window.to_le_bytes())
    }

    /// Gives a window the keyboard, then presses and releases the key with a symbol (ASCII, or an X keysym).
    pub fn press(&mut self, window: u32, symbol: u32) -> Result<()> {
        let mut request = window.to_le_bytes().to_vec();
        request.extend([0; 4]);
        self.send(42, 0, &request)?;
        let code = self.keycode(symbol)?;
        for event in [2_u8, 3] {
            let mut request = vec![event, code, 0, 0];
            request.extend([0; 28]);
            let (opcode, fake_input) = (self.xtest, 2);
            self.send(opcode, fake_input, &request)?;
        }
        // A question is answered after all that was sent before it is done.
        self.windows().map(drop)
    }

    /// The key that gives a symbol without Shift.
    fn keycode(&mut self, symbol: u32) -> Result<u8> {
        let (first, last) = self.keycodes;
        let reply = self.ask(101, 0, &[first, last - first + 1, 0, 0])?;
        let each = usize::from(reply[1]);
        let keys = (first..=last).zip((32..).step_by(4 * each));
        keys.into_iter()
            .find(|(_, at)| reply.get(*at..at + 4).is_some_and(|s| u32_at(s, 0) == symbol))
            .map(|(code, _)| code)
            .ok_or_else(|| Error::other(format!("no key gives {symbol:#x}")))
    }

    fn send(&mut self, opcode: u8, data: u8, body: &[u8]) -> Result<()> {
        let words = (body.len() / 4 + 1) as u16;
        let mut request = vec![opcode, data];
        request.extend(words.to_le_bytes());
        request.extend(body);
        self.stream.write_all(&request)
    }

    /// Sends a request and returns its reply, events left aside.
    fn ask(&mut self, opcode: u8, data: u8, body: &[u8]) -> Result<Vec<u8>> {
        self.send(opcode, data, body)?;
        loop {
            let mut reply = vec![0; 32];
            self.stream.read_exact(&mut reply)?;
            match reply[0] {
                0 => return Err(Error::other(format!("X error {} for request {opcode}", reply[1]))),
                1 => {
                    let more = 4 * u32_at(&reply, 4) as usize;
                    reply.resize(32 + more, 0);
                    self.stream.read_exact(&mut reply[32..])?;
                    return Ok(reply);
                }
                _ => {}
            }
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|k| bytes[at + k]))
}

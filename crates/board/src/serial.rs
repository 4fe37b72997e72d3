//! A real board on a serial line: 115,200 baud, eight bits, no parity.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use super::{board::Link, take_line};

/// Bytes sent at a time, and the gap after them. The chip buffers 32 bytes while it draws a picture, and drawing takes
/// less than two gaps.
const PIECE: usize = 16;
const GAP: Duration = Duration::from_millis(5);
/// Silence after which an earlier answer counts as complete, and the longest wait for that.
const QUIET: Duration = Duration::from_millis(300);
const LEFTOVERS: Duration = Duration::from_secs(20);

/// An open port.
#[derive(Debug)]
pub struct Serial {
    name: String,
    port: File,
    heard: Vec<u8>,
}

impl Serial {
    /// Opens a port, ends a line that may have been begun, and discards the answer to it.
    ///
    /// # Errors
    /// When the port does not exist or is not a terminal, when it keeps sending, and on systems other than Unix.
    pub fn open(path: &Path) -> io::Result<Self> {
        let port = system::open(path)?;
        let mut serial = Serial { name: path.display().to_string(), port, heard: Vec::new() };
        serial.send("\n")?;
        let end = Instant::now() + LEFTOVERS;
        while serial.hear(QUIET)? {
            if Instant::now() > end {
                return Err(io::Error::other("the device keeps sending data"));
            }
        }
        serial.heard.clear();
        Ok(serial)
    }

    /// Receives bytes; returns false if none arrive within `most`.
    fn hear(&mut self, most: Duration) -> io::Result<bool> {
        if !system::wait(&self.port, most)? {
            return Ok(false);
        }
        let mut bytes = [0; 1024];
        match self.port.read(&mut bytes) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.heard.extend(&bytes[..count]);
                Ok(true)
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Link for Serial {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        for (index, piece) in text.as_bytes().chunks(PIECE).enumerate() {
            if index > 0 {
                std::thread::sleep(GAP);
            }
            self.port.write_all(piece)?;
        }
        Ok(())
    }

    fn line(&mut self, most: Duration) -> io::Result<Option<String>> {
        let end = Instant::now() + most;
        loop {
            if let Some(line) = take_line(&mut self.heard) {
                return Ok(Some(line));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.hear(left)?;
        }
    }
}

#[cfg(unix)]
mod system {
    use std::fs::OpenOptions;
    use std::io::IsTerminal as _;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::OpenOptionsExt as _;

    use super::{Duration, File, Path, io};

    /// Opens a port in raw mode.
    pub fn open(path: &Path) -> io::Result<File> {
        // Do not wait for a carrier, and do not make the port the controlling terminal.
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
        let port = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?;
        if !port.is_terminal() {
            return Err(io::Error::other("not a serial port"));
        }
        let handle = port.as_raw_fd();
        // SAFETY: the structure consists of integers, for which zero is valid.
        let mut settings: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: the handle is open, and the pointer is valid for writing.
        check(unsafe { libc::tcgetattr(handle, &raw mut settings) })?;
        // SAFETY: the function only changes the settings.
        unsafe { libc::cfmakeraw(&raw mut settings) };
        // SAFETY: as above.
        check(unsafe { libc::cfsetspeed(&raw mut settings, libc::B115200) })?;
        settings.c_cflag &= !(libc::CSTOPB | libc::CRTSCTS);
        settings.c_cflag |= libc::CLOCAL | libc::CREAD;
        // SAFETY: the handle is open, and the settings are initialised. Pending input is discarded.
        check(unsafe { libc::tcsetattr(handle, libc::TCSAFLUSH, &raw const settings) })?;
        Ok(port)
    }

    /// Waits for input or a hang-up; returns false if neither occurs within `most`.
    pub fn wait(port: &File, most: Duration) -> io::Result<bool> {
        let mut asked = libc::pollfd { fd: port.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let most = most.as_millis().clamp(1, i32::MAX as u128) as i32;
        // SAFETY: the pointer is valid for one structure, and its handle is open.
        match check(unsafe { libc::poll(&raw mut asked, 1, most) }) {
            Ok(ready) => Ok(ready > 0),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn check(returned: i32) -> io::Result<i32> {
        if returned < 0 { Err(io::Error::last_os_error()) } else { Ok(returned) }
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Duration, File, Path, io};

    pub fn open(_: &Path) -> io::Result<File> {
        let why = "serial ports are only supported on Unix systems";
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }

    /// Never called: no port opens.
    pub fn wait(_: &File, _: Duration) -> io::Result<bool> {
        Ok(false)
    }
}

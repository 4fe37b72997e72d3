//! Finds displays, and starts a virtual one for the tests.

use crate::shell::{Error, Result};
use std::fmt::Display;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
#[cfg(unix)]
use std::{net::TcpStream, os::unix::net::UnixStream, path::PathBuf};

/// The reason why no window can be opened; `None` where one can.
#[cfg(unix)]
pub fn why_none() -> Option<String> {
    let mut dead = Vec::new();
    for name in ["WAYLAND_DISPLAY", "DISPLAY"] {
        let display = std::env::var(name).unwrap_or_default();
        let reaches = if name == "DISPLAY" { reaches_x } else { reaches_wayland };
        if reaches(&display) {
            return None;
        }
        if !display.is_empty() {
            dead.push(format!("{name}={display} does not answer"));
        }
    }
    if cfg!(target_os = "macos") {
        return None;
    }
    if dead.is_empty() {
        return Some("neither WAYLAND_DISPLAY nor DISPLAY is set".to_owned());
    }
    Some(dead.join(", "))
}

#[cfg(not(unix))]
pub fn why_none() -> Option<String> {
    None
}

/// True if a Wayland compositor listens at this name or path.
#[cfg(unix)]
fn reaches_wayland(display: &str) -> bool {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).unwrap_or_default();
    UnixStream::connect(folder.join(display)).is_ok()
}

/// True if an X server listens at `[host]:number[.screen]`.
#[cfg(unix)]
fn reaches_x(display: &str) -> bool {
    let Some((host, rest)) = display.rsplit_once(':') else {
        return false;
    };
    let Ok(number) = rest.split('.').next().unwrap_or(rest).parse::<u16>() else {
        return false;
    };
    match (host, number.checked_add(6000)) {
        ("" | "unix", _) => UnixStream::connect(format!("/tmp/.X11-unix/X{number}")).is_ok(),
        (host, port) => port.is_some_and(|port| TcpStream::connect((host, port)).is_ok()),
    }
}

/// An X server that draws into memory; stopped on drop.
#[derive(Debug)]
pub struct Virtual {
    server: Child,
    /// The value for `DISPLAY`.
    pub name: String,
}

impl Virtual {
    /// Starts the server on an unused display, and waits until it is ready.
    pub fn start() -> Result<Self> {
        let failed = |why: &dyn Display| Error::Failed(format!("cannot start Xvfb: {why}"));
        let mut xvfb = Command::new("Xvfb");
        // Xvfb writes its display number to standard output when it is ready.
        xvfb.args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"]);
        xvfb.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = xvfb.spawn().map_err(|why| failed(&why))?;
        let output = server.stdout.take();
        let mut display = Self { server, name: ":".to_owned() };
        if let Some(output) = output {
            BufReader::new(output).read_line(&mut display.name).map_err(|why| failed(&why))?;
        }
        display.name.truncate(display.name.trim_end().len());
        if display.name == ":" {
            return Err(failed(&"it exited before it printed its display"));
        }
        Ok(display)
    }
}

impl Drop for Virtual {
    fn drop(&mut self) {
        // Errors mean that it has ended already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{reaches_wayland, reaches_x};

    #[test]
    fn a_display_that_nobody_serves_is_not_reached() {
        for name in ["", ":", ":x", "nonsense", ":59999", ":99999", "localhost:59000"] {
            assert!(!reaches_x(name), "{name}");
        }
        assert!(!reaches_wayland("no-such-socket"));
    }
}

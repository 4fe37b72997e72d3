//! Finds displays, and starts a virtual one for the tests.

use crate::error::{Error, Result};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// The reason why no window can be opened; `None` where one can.
pub fn why_none() -> Option<String> {
    if cfg!(any(target_os = "macos", target_os = "windows")) {
        return None;
    }
    #[cfg(unix)]
    {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let (wayland, x) = (set("WAYLAND_DISPLAY"), set("DISPLAY"));
        if wayland.as_deref().is_some_and(reach::wayland) || x.as_deref().is_some_and(reach::x) {
            return None;
        }
        let dead: Vec<String> = [("WAYLAND_DISPLAY", wayland), ("DISPLAY", x)]
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}={} does not answer", value?)))
            .collect();
        if !dead.is_empty() {
            return Some(dead.join(", "));
        }
    }
    Some("neither WAYLAND_DISPLAY nor DISPLAY is set".to_owned())
}

#[cfg(unix)]
mod reach {
    use std::net::TcpStream;
    use std::os::unix::net::UnixStream;
    use std::path::{Path, PathBuf};

    /// True if a Wayland compositor listens at this name or path.
    pub fn wayland(display: &str) -> bool {
        let folder = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).unwrap_or_default();
        UnixStream::connect(folder.join(display)).is_ok()
    }

    /// True if an X server listens at `[host]:number[.screen]`.
    pub fn x(display: &str) -> bool {
        let Some((host, rest)) = display.rsplit_once(':') else {
            return false;
        };
        let number = rest.split('.').next().unwrap_or(rest);
        let Ok(number) = number.parse::<u16>() else {
            return false;
        };
        let socket = format!("/tmp/.X11-unix/X{number}");
        match (host, number.checked_add(6000)) {
            ("" | "unix", _) => UnixStream::connect(Path::new(&socket)).is_ok(),
            (host, Some(port)) => TcpStream::connect((host, port)).is_ok(),
            (_, None) => false,
        }
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
        let failed = |why: String| Error::Failed(format!("Xvfb did not start: {why}"));
        let mut server = Command::new("Xvfb")
            // Xvfb writes its display number to standard output when it is ready.
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24"])
            .args(["-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|why| failed(why.to_string()))?;
        let mut number = String::new();
        if let Some(output) = server.stdout.take() {
            BufReader::new(output).read_line(&mut number).map_err(|why| failed(why.to_string()))?;
        }
        let name = format!(":{}", number.trim());
        let display = Self { server, name };
        if number.trim().is_empty() {
            return Err(failed("it ended before it named its display".to_owned()));
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
    use super::reach;

    #[test]
    fn a_display_that_nobody_serves_is_not_reached() {
        for name in ["", ":", ":x", "nonsense", ":59999", ":99999", "localhost:59000"] {
            assert!(!reach::x(name), "{name}");
        }
        assert!(!reach::wayland("no-such-socket"));
    }
}

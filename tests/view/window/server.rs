//! A private X server, so that no window opens on the developer's desktop.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::scope::{self, Scope};

/// A running Xvfb, stopped on drop.
#[derive(Debug)]
pub struct Server {
    process: Child,
    /// The value for `DISPLAY`.
    pub display: String,
}

impl Server {
    /// Starts Xvfb with a screen of this size. Where it is not installed, returns `None` with a note on standard error.
    ///
    /// # Panics
    /// Without Xvfb under `cargo xtask test`.
    pub fn start([width, height]: [u16; 2]) -> Option<Self> {
        let process = Command::new("Xvfb")
            // Xvfb writes its display number to standard output when it is ready.
            .args(["-displayfd", "1", "-screen", "0", &format!("{width}x{height}x24")])
            .args(["-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut process = match process {
            Ok(process) => process,
            Err(why) => {
                scope::missing(Scope::Most, &format!("the window: Xvfb does not start ({why})"));
                return None;
            }
        };
        let mut number = String::new();
        let output = process.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut number).expect("it names its display");
        Some(Server { process, display: format!(":{}", number.trim()) })
    }
}

impl Server {
    /// Ends it.
    pub fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

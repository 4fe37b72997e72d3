//! An X server of the test's own, so that no window opens on the desktop of whoever runs it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running Xvfb; it ends when this value is dropped.
#[derive(Debug)]
pub struct Server {
    process: Child,
    /// Its name for `DISPLAY`.
    pub display: String,
}

impl Server {
    /// Starts one with a screen of this size.
    ///
    /// Without Xvfb it says so and returns nothing, except where the tests are told that everything must be there.
    pub fn start(width: u32, height: u32) -> Option<Self> {
        let process = Command::new("Xvfb")
            // It writes the number of its display to standard output once it is ready.
            .args(["-displayfd", "1", "-screen", "0", &format!("{width}x{height}x24")])
            .args(["-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut process = match process {
            Ok(process) => process,
            Err(why) => {
                let required = std::env::var_os("MURMURATION_TEST_ADAPTERS").is_some_and(|v| v == "required");
                assert!(!required, "Xvfb: {why}");
                eprintln!("not tested: the window, for Xvfb does not start ({why})");
                return None;
            }
        };
        let mut number = String::new();
        let output = process.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut number).expect("it names its display");
        Some(Server { process, display: format!(":{}", number.trim()) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

//! Chromium and Firefox without a window: each obeys WebDriver's commands, Firefox by Marionette, its own protocol.

use std::cell::Cell;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::driver::{Browser, TIMEOUT, wait};

/// Chromium's switches for a machine without a GPU and without a network.
const SWITCHES: [&str; 7] = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1000,700",
    "--enable-unsafe-swiftshader",
];
/// The same for WebGPU by SwiftShader; without the last four its pictures are blank.
const WEBGPU: [&str; 6] = [
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--use-angle=swiftshader",
    "--enable-features=Vulkan",
    "--use-vulkan=swiftshader",
    "--disable-vulkan-surface",
];

pub struct Chromium {
    session: String,
    driver: Child,
}

/// A port that is free now, and stays so for a moment.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port()
}

impl Chromium {
    /// Starts it, with WebGPU or without.
    pub fn start(webgpu: bool) -> Self {
        let port = free_port();
        let driver = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .process_group(0)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver: `cargo xtask setup test-all` installs it");
        let mut browser = Chromium { session: format!("http://127.0.0.1:{port}"), driver };
        wait("chromedriver", || {
            browser.ask("GET", "/status", None).ok().filter(|status| status["ready"] == true)
        });
        let switches = SWITCHES.iter().chain(if webgpu { &WEBGPU[..] } else { &[] });
        let options =
            json!({ "binary": "/usr/bin/chromium-headless-shell", "args": switches.collect::<Vec<_>>() });
        let wanted = json!({ "browserName": "chrome", "goog:chromeOptions": options,
                             "goog:loggingPrefs": { "browser": "ALL" } });
        let wanted = json!({ "capabilities": { "alwaysMatch": wanted } });
        let session = browser.ask("POST", "/session", Some(wanted)).expect("a session");
        browser.session += &format!("/session/{}", session["sessionId"].as_str().expect("a name"));
        browser
    }
}

impl Browser for Chromium {
    fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, String> {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let url = format!("{}{path}", self.session);
        let answer = match (method, body) {
            ("GET", _) => agent.get(url).call(),
            ("DELETE", _) => agent.delete(url).call(),
            (_, body) => agent.post(url).send_json(body.unwrap_or_default()),
        };
        let mut answer = answer.map_err(|why| why.to_string())?;
        let value: Value =
            answer.body_mut().with_config().limit(1 << 26).read_json().map_err(|why| why.to_string())?;
        match value["value"]["error"].is_null() {
            true => Ok(value["value"].clone()),
            false => Err(value["value"].to_string()),
        }
    }

    fn console(&self) -> Vec<String> {
        let log = self.ask("POST", "/se/log", Some(json!({ "type": "browser" }))).expect("the console");
        let entries = log.as_array().expect("a list").iter();
        let loud = entries.filter(|entry| entry["level"] == "SEVERE" || entry["level"] == "WARNING");
        loud.map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.ask("DELETE", "", None);
        // A browser without a window outlives its session; it is of the driver's group.
        // SAFETY: a signal to a group of processes that this one has started.
        unsafe { libc::kill(-(self.driver.id() as i32), libc::SIGKILL) };
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Prefix of Firefox's log lines about a script that fails or warns.
const SCRIPT: &str = "JavaScript ";

/// Firefox, and its protocol: a command by name, preceded by its length.
pub struct Firefox {
    process: Child,
    /// Its settings, and its log.
    profile: TempDir,
    stream: TcpStream,
    /// Number of the last command.
    number: Cell<u64>,
}

impl Firefox {
    /// Starts it with these settings.
    pub fn start(settings: &[(&str, bool)]) -> Self {
        let (profile, port) = (TempDir::new().expect("a folder"), free_port());
        let line = |(name, value): &(&str, bool)| format!("user_pref(\"{name}\", {value});\n");
        let mut preferences: String = settings.iter().map(line).collect();
        preferences += &format!("user_pref(\"marionette.port\", {port});\n");
        std::fs::write(profile.path().join("user.js"), preferences).expect("written");
        let log = std::fs::File::create(profile.path().join("log")).expect("a file");
        let process = Command::new("firefox-esr")
            .args(["--marionette", "--headless", "--no-remote", "--profile"])
            .arg(profile.path())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("firefox-esr: `cargo xtask setup test-all` installs it");
        let stream = wait("Firefox", || TcpStream::connect(("127.0.0.1", port)).ok());
        stream.set_read_timeout(Some(TIMEOUT)).expect("a time");
        let browser = Firefox { process, profile, stream, number: Cell::new(0) };
        let hello = browser.read().expect("a greeting");
        assert_eq!(hello["marionetteProtocol"], 3, "{hello}");
        browser.call("WebDriver:NewSession", json!({})).expect("a session");
        browser
    }

    fn read(&self) -> io::Result<Value> {
        let mut stream = &self.stream;
        let mut length = 0;
        let mut byte = [0];
        loop {
            stream.read_exact(&mut byte)?;
            match byte[0] {
                b':' => break,
                digit => length = 10 * length + usize::from(digit - b'0'),
            }
        }
        let mut message = vec![0; length];
        stream.read_exact(&mut message)?;
        Ok(serde_json::from_slice(&message)?)
    }

    fn call(&self, command: &str, parameters: Value) -> Result<Value, String> {
        self.number.set(self.number.get() + 1);
        let message = json!([0, self.number.get(), command, parameters]).to_string();
        let mut stream = &self.stream;
        write!(stream, "{}:{message}", message.len()).map_err(|why| why.to_string())?;
        let answer = self.read().map_err(|why| why.to_string())?;
        assert_eq!(answer[1], self.number.get(), "{command}");
        match answer[2].is_null() {
            true => Ok(answer[3].clone()),
            false => Err(answer[2]["message"].to_string()),
        }
    }
}

impl Browser for Firefox {
    fn ask(&self, _: &str, path: &str, body: Option<Value>) -> Result<Value, String> {
        let command = match path {
            "/url" => "Navigate",
            "/execute/sync" => "ExecuteScript",
            "/execute/async" => "ExecuteAsyncScript",
            "/actions" => "PerformActions",
            "/screenshot" => "TakeScreenshot",
            other => return Err(format!("Firefox knows no {other}")),
        };
        let parameters = body.unwrap_or_else(|| json!({ "full": false }));
        Ok(self.call(&format!("WebDriver:{command}"), parameters)?["value"].clone())
    }

    fn console(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.profile.path().join("log")).expect("a log");
        let of_page =
            log.lines().filter(|line| line.starts_with(SCRIPT) && line.contains("http://127.0.0.1"));
        of_page.map(str::to_owned).collect()
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

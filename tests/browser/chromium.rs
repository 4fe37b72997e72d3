//! Chromium without a window, driven by ChromeDriver.

use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::driver::{Browser, wait};

/// Its switches for a machine without a GPU and without a network.
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
pub fn free_port() -> u16 {
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

//! The page in a browser without a window, Chromium or Firefox, that is driven by the commands of W3C WebDriver; Firefox
//! takes them by Marionette, its own protocol.

use std::cell::Cell;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The longest wait for anything: SwiftShader compiles shaders for seconds, and other tests may load the machine.
pub const TIMEOUT: Duration = Duration::from_secs(240);
/// Width and height of the page.
pub const SIZE: [u32; 2] = [1000, 700];

/// The Shift key, as the protocol writes it.
pub const SHIFT: char = '\u{e008}';

/// A browser that obeys W3C WebDriver's commands; it ends where it is dropped.
pub trait Browser {
    /// The answer to a command, by its path within a session.
    fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, String>;

    /// The console's warnings and errors so far.
    fn console(&self) -> Vec<String>;
}

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

/// The page in a browser, and what serves it.
pub struct Page {
    browser: Box<dyn Browser>,
    address: String,
    server: Child,
}

impl Page {
    /// Starts Chromium, with WebGPU or without.
    pub fn start(webgpu: bool) -> Self {
        Page::within(Chromium::start(webgpu))
    }

    /// Serves the page to a browser.
    pub fn within(browser: impl Browser + 'static) -> Self {
        let programs = Path::new(env!("CARGO_BIN_EXE_murmuration")).parent().expect("a folder");
        let folder = programs.parent().expect("the target folder").join("web");
        assert!(folder.join("index.html").is_file(), "no page: `cargo xtask web` builds it");
        // The same server as that of `cargo xtask web --serve`.
        let mut server = Command::new("python3")
            .args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory"])
            .arg(folder)
            .arg("0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3");
        let mut line = String::new();
        let out = server.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut line).expect("a line");
        // Serving HTTP on 127.0.0.1 port 8000 (http://127.0.0.1:8000/) ...
        let address = line.split(['(', ')']).nth(1).expect("an address").to_owned();
        Page { browser: Box::new(browser), address, server }
    }

    /// Has the page remember that its panel was open, or folded.
    pub fn remember_panel(&self, state: &str) {
        let source = format!("localStorage.setItem('panel', '{state}')");
        self.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
    }

    /// Opens the page with a query.
    pub fn open(&self, query: &str) {
        self.tell("POST", "/url", json!({ "url": format!("{}{query}", self.address) }));
    }

    /// The text of an element.
    pub fn text(&self, id: &str) -> String {
        let text = self.run(&format!("return document.getElementById('{id}').textContent"));
        text.as_str().expect("a text").to_owned()
    }

    /// The page's title.
    pub fn title(&self) -> String {
        let title = self.run("return document.title");
        title.as_str().expect("a text").to_owned()
    }

    /// Runs a script and returns its result.
    pub fn run(&self, script: &str) -> Value {
        self.tell("POST", "/execute/sync", json!({ "script": script, "args": [] }))
    }

    /// Waits for the text of an element. An error on the page ends the wait, unless it is what is waited for.
    pub fn wait_for(&self, id: &str) -> String {
        wait(id, || {
            let error = self.text("error");
            assert!(id == "error" || error.is_empty(), "{error}");
            Some(self.text(id)).filter(|text| !text.is_empty())
        })
    }

    /// Number of canvases: one for WebGPU, and one for WebGL2 above it where that draws.
    pub fn canvases(&self) -> u64 {
        self.run("return document.querySelectorAll('canvas').length").as_u64().expect("a number")
    }

    /// Lets the page, and so the test, read the clipboard.
    pub fn lends_clipboard(&self) {
        let rights = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
        self.command("Browser.grantPermissions", rights);
    }

    /// Waits until the flock flies.
    pub fn wait_for_flock(&self) {
        wait("the flock", || {
            let error = self.text("error");
            assert!(error.is_empty(), "{error}");
            (self.run("return document.body.classList.contains('flying')") == true).then_some(())
        });
    }

    /// Clicks at a pixel.
    pub fn click(&self, at: [u32; 2]) {
        self.point("mouse", &[at], 100);
    }

    /// Presses a pointer at the first pixel, holds it there for some milliseconds, and takes it along the others.
    pub fn point(&self, kind: &str, path: &[[u32; 2]], hold: u32) {
        let to = |[x, y]: &[u32; 2]| json!({ "type": "pointerMove", "duration": 200, "x": x, "y": y });
        let mut actions = vec![to(&path[0]), json!({ "type": "pointerDown", "button": 0 })];
        actions.push(json!({ "type": "pause", "duration": hold }));
        actions.extend(path[1..].iter().map(to));
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        let kind_of = json!({ "pointerType": kind });
        let pointer = json!({ "type": "pointer", "id": kind, "parameters": kind_of, "actions": actions });
        self.tell("POST", "/actions", json!({ "actions": [pointer] }));
    }

    /// Presses keys together; the protocol's code of Shift is [`SHIFT`].
    pub fn press(&self, keys: &[char]) {
        let action = |kind: &str, key: &char| json!({ "type": kind, "value": key.to_string() });
        let down = keys.iter().map(|key| action("keyDown", key));
        let actions: Vec<Value> = down.chain(keys.iter().rev().map(|key| action("keyUp", key))).collect();
        let board = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.tell("POST", "/actions", json!({ "actions": [board] }));
    }

    /// Awaits a promise of the page and returns its value.
    pub fn wait_to_run(&self, promise: &str) -> Value {
        let script = format!("const done = arguments[0]; ({promise}).then(done, why => done(String(why)))");
        self.tell("POST", "/execute/async", json!({ "script": script, "args": [] }))
    }

    /// A command of Chromium's own protocol.
    pub fn command(&self, name: &str, parameters: Value) {
        self.tell("POST", "/goog/cdp/execute", json!({ "cmd": name, "params": parameters }));
    }

    /// The page as pixels of 4 bytes, row by row.
    pub fn screenshot(&self) -> Vec<u8> {
        let encoded = self.browser.ask("GET", "/screenshot", None).expect("a picture");
        pixels(&BASE64_STANDARD.decode(encoded.as_str().expect("a text")).expect("base 64"))
    }

    /// Has the page keep what WebGL2 draws, for [`Page::drawn`].
    pub fn keeps_pictures(&self) {
        let source = "const get = HTMLCanvasElement.prototype.getContext;
                      HTMLCanvasElement.prototype.getContext = function(kind, wishes) {
                        return get.call(this, kind, { ...wishes, preserveDrawingBuffer: true });
                      };";
        self.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
    }

    /// The pixels of the WebGL2 canvas. Beside WebGPU on SwiftShader, Chromium takes no screenshot of it.
    pub fn drawn(&self) -> Vec<u8> {
        let encoded = self.run("return document.querySelectorAll('canvas')[1].toDataURL().split(',')[1]");
        pixels(&BASE64_STANDARD.decode(encoded.as_str().expect("a text")).expect("base 64"))
    }

    /// The console's warnings and errors so far, but for those of a screenshot, and of a browser without WebGPU.
    pub fn complaints(&self) -> Vec<String> {
        let mut said = self.browser.console();
        said.retain(|said| !["ReadPixels", "No available adapters"].iter().any(|usual| said.contains(usual)));
        said
    }

    fn tell(&self, method: &str, path: &str, body: Value) -> Value {
        self.browser.ask(method, path, Some(body)).unwrap_or_else(|why| panic!("{path}: {why}"))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Waits until something is there.
pub fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < TIMEOUT, "{what}: not within {TIMEOUT:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The pixels of a PNG, of four bytes each.
pub fn pixels(picture: &[u8]) -> Vec<u8> {
    let mut decoder = png::Decoder::new(io::Cursor::new(picture));
    decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("whole");
    pixels
}

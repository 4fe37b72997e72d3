//! A browser, driven by ChromeDriver's protocol (W3C WebDriver).

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest wait for anything: SwiftShader compiles shaders for seconds, and other tests may load the machine.
pub const TIMEOUT: Duration = Duration::from_secs(240);
/// Width and height of the page.
pub const SIZE: [u32; 2] = [1000, 700];

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

/// The Shift key, as the protocol writes it.
pub const SHIFT: char = '\u{e008}';

/// The page in a browser, and what serves it.
pub struct Page {
    session: String,
    address: String,
    server: Child,
    driver: Child,
}

impl Page {
    /// Starts a browser, with WebGPU or without.
    pub fn start(webgpu: bool) -> Self {
        let programs = Path::new(env!("CARGO_BIN_EXE_murmuration")).parent().expect("a folder");
        let folder = programs.parent().expect("the target folder").join("web");
        assert!(folder.join("index.html").is_file(), "no page: `cargo xtask web` builds it");
        // As `cargo xtask web --serve` does.
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

        // A port that is free now stays so for a moment.
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let driver = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .process_group(0)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver: `cargo xtask setup test-all` installs it");
        let driver_address = format!("http://127.0.0.1:{port}");
        let mut page = Page { session: driver_address.clone(), address, server, driver };
        wait("chromedriver", || {
            page.ask("GET", "/status", None).ok().filter(|status| status["ready"] == true)
        });
        let switches = SWITCHES.iter().chain(if webgpu { &WEBGPU[..] } else { &[] });
        let options =
            json!({ "binary": "/usr/bin/chromium-headless-shell", "args": switches.collect::<Vec<_>>() });
        let wanted = json!({ "browserName": "chrome", "goog:chromeOptions": options,
                             "goog:loggingPrefs": { "browser": "ALL" } });
        let session = page.tell("POST", "/session", json!({ "capabilities": { "alwaysMatch": wanted } }));
        page.session = format!("{driver_address}/session/{}", session["sessionId"].as_str().expect("a name"));
        page
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

    /// What a script returns.
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

    /// How many canvases there are: one that WebGPU draws on, and over it one of WebGL2, where that draws.
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

    /// What a function of the page's own returns in the end.
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
        let encoded = self.ask("GET", "/screenshot", None).expect("a picture");
        pixels(encoded.as_str().expect("a text"))
    }

    /// Has the page keep what WebGL2 draws, for [`Page::drawn`].
    pub fn keeps_pictures(&self) {
        let source = "const get = HTMLCanvasElement.prototype.getContext;
                      HTMLCanvasElement.prototype.getContext = function(kind, wishes) {
                        return get.call(this, kind, { ...wishes, preserveDrawingBuffer: true });
                      };";
        self.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
    }

    /// What WebGL2 draws, as pixels. Beside WebGPU on SwiftShader, Chromium takes no screenshot of it.
    pub fn drawn(&self) -> Vec<u8> {
        let encoded = self.run("return document.querySelectorAll('canvas')[1].toDataURL().split(',')[1]");
        pixels(encoded.as_str().expect("a text"))
    }

    /// The console's warnings and errors so far, but for those of a screenshot, and of a browser without WebGPU.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.tell("POST", "/se/log", json!({ "type": "browser" }));
        let entries = log.as_array().expect("a list").iter();
        let loud = entries.filter(|entry| entry["level"] == "SEVERE" || entry["level"] == "WARNING");
        let messages = loud.map(|entry| entry["message"].to_string());
        messages
            .filter(|said| !["ReadPixels", "No available adapters"].iter().any(|usual| said.contains(usual)))
            .collect()
    }

    fn tell(&self, method: &str, path: &str, body: Value) -> Value {
        self.ask(method, path, Some(body)).unwrap_or_else(|why| panic!("{path}: {why}"))
    }

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
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.ask("DELETE", "", None);
        // A browser without a window outlives its session; it is of the driver's group.
        // SAFETY: a signal to a group of processes that this one has started.
        unsafe { libc::kill(-(self.driver.id() as i32), libc::SIGKILL) };
        for program in [&mut self.driver, &mut self.server] {
            let _ = program.kill();
            let _ = program.wait();
        }
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

/// The pixels of a PNG in base 64.
fn pixels(encoded: &str) -> Vec<u8> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(base64(encoded)));
    decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("whole");
    pixels
}

/// The bytes of a text in base 64.
fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let digits: Vec<usize> = digits.collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let word = four.iter().fold(0, |word, digit| word << 6 | digit) << (6 * (4 - four.len()));
        bytes.extend_from_slice(&(word as u32).to_be_bytes()[1..four.len()]);
    }
    bytes
}

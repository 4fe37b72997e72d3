//! The page in a browser that is driven by the commands of W3C WebDriver.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::browsers::Chromium;

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
        pixels(&base64(encoded.as_str().expect("a text")))
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
        pixels(&base64(encoded.as_str().expect("a text")))
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
    let mut decoder = png::Decoder::new(std::io::Cursor::new(picture));
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

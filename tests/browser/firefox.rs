//! The page in Firefox: other implementations of WebAssembly, WebGPU (its own naga and wgpu, on llvmpipe) and WebGL2.
//! Marionette drives it, Firefox's protocol: WebDriver's commands by name, each preceded by its length.

use std::cell::Cell;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use config::presets;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::chromium::free_port;
use super::driver::{Browser, Page, SIZE, TIMEOUT, wait};
use super::person::{fingers_lead, link, seen, the_tab_opens_the_panel};
use super::printed;

/// Prefix of Firefox's log lines about a script that fails or warns.
const SCRIPT: &str = "JavaScript ";
/// Settings: it draws by WebGL2 without a GPU, has no JSPI, and lets a page read the clipboard.
const WITHOUT_GPU: (&str, bool) = ("webgl.force-enabled", true);
const WITHOUT_JSPI: (&str, bool) = ("javascript.options.wasm_js_promise_integration", false);
const CLIPBOARD: (&str, bool) = ("dom.events.testing.asyncClipboard", true);
/// WebGPU, which it has no adapter in hardware for here.
const WEBGPU: [(&str, bool); 2] = [("dom.webgpu.enabled", true), ("gfx.webgpu.ignore-blocklist", true)];

struct Firefox {
    process: Child,
    /// Its settings, and its log.
    profile: TempDir,
    stream: TcpStream,
    /// Number of the last command.
    number: Cell<u64>,
}

impl Firefox {
    /// Starts it with these settings.
    fn start(settings: &[(&str, bool)]) -> Self {
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
        // Its own window is outside of the page.
        let inner =
            browser.call("WebDriver:ExecuteScript", json!({ "script": "return [innerWidth, innerHeight]" }));
        let outer = browser.call("WebDriver:GetWindowRect", json!({})).expect("a window");
        let inner = inner.expect("a size");
        let side = |k: usize, name: &str| {
            let frame = outer[name].as_u64().zip(inner["value"][k].as_u64());
            frame.map(|(outer, inner)| u64::from(SIZE[k]) + outer - inner).expect("a length")
        };
        let size = json!({ "width": side(0, "width"), "height": side(1, "height") });
        browser.call("WebDriver:SetWindowRect", size).expect("a size");
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

/// The hashes of a flock on the page, and on the command line, which takes the CPU.
fn hashes(page: &Page, engine: &str, options: &[&str]) -> (String, String) {
    let address: Vec<String> =
        options.chunks(2).map(|pair| format!("{}={}", &pair[0][2..], pair[1])).collect();
    page.open(&format!("?{}&engine={engine}&hash", address.join("&")));
    let found = page.wait_for("hashes");
    assert!(page.text("status").starts_with(engine), "{}", page.text("status"));
    (found, printed(&[&["run", "--engine", "cpu", "--hash"], options].concat()))
}

#[test]
fn firefox_has_the_bits_of_the_command_line() {
    let page = Page::within(Firefox::start(&[WITHOUT_GPU]));
    let flock = ["--boids", "173", "--seed", "90210", "--steps", "20", "--preset"];
    let names = presets::all().map(|preset| preset.name);
    for (preset, numeric) in names.zip(["fixed", "f32"].into_iter().cycle()) {
        let (found, expected) = hashes(&page, "cpu", &[&flock[..], &[preset, "--numeric", numeric]].concat());
        assert_eq!(found, expected, "{preset}, {numeric}");
        assert_eq!(found.lines().count(), 21, "{found}");
    }
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn its_own_webgpu_has_the_bits_of_the_command_line() {
    let page = Page::within(Firefox::start(&WEBGPU));
    let flock = ["--boids", "173", "--steps", "5", "--numeric", "fixed", "--preset"];
    let mut before = String::new();
    for (preset, seed) in
        [("cornell", "1"), ("think", "1"), ("think", "2"), ("starlings", "1"), ("sorting", "1")]
    {
        let (found, expected) = hashes(&page, "gpu", &[&flock[..], &[preset, "--seed", seed]].concat());
        assert_eq!(found, expected, "{preset}");
        // Negative control: no two are the same flock.
        assert_ne!(std::mem::replace(&mut before, found), expected);
    }
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn firefox_has_the_window_and_a_link_leads_to_the_moment() {
    let page = Page::within(Firefox::start(&[WITHOUT_GPU, CLIPBOARD]));
    the_tab_opens_the_panel(&page);
    assert!(page.text("status").ends_with("WebGL2 draws"), "{}", page.text("status"));
    let link = link(&page);
    fingers_lead(&page);
    let (_, query) = link.split_once('?').expect("a query");
    page.open(&format!("?{query}&hash"));
    let line = ["run", "-n", "2000", "--seed", "7", "--steps", "5", "--hash", "--engine", "cpu"];
    assert_eq!(page.wait_for("hashes"), printed(&line));
    page.open("?boids=3000");
    page.wait_for_flock();
    let first = seen(&page);
    wait("the flock moves", || (seen(&page) != first).then_some(()));
    assert_eq!((page.text("error"), page.complaints()), (String::new(), Vec::new()));
}

#[test]
fn firefox_flies_without_jspi_and_says_what_it_lacks_without_webgl2() {
    let page = Page::within(Firefox::start(&[WITHOUT_GPU, WITHOUT_JSPI]));
    assert_eq!(page.run("return 'Suspending' in WebAssembly"), false);
    page.open("?boids=3000");
    page.wait_for_flock();
    let first = seen(&page);
    wait("the flock moves", || (seen(&page) != first).then_some(()));
    assert_eq!((page.text("error"), page.complaints()), (String::new(), Vec::new()));

    let page = Page::within(Firefox::start(&[("webgl.disabled", true)]));
    page.open("");
    let said = page.wait_for("error");
    assert!(said.contains("this browser has no WebGL2") && said.contains("hardware acceleration"), "{said}");
}

//! Builds the page, and serves it on this machine by Python.

use crate::shell::{Error, Result, at};
use crate::{options, shell};
use std::path::PathBuf;

/// The target of browsers.
const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the page into `target/web/`, and serves it where the words after the command ask for that.
pub fn web(words: &[&str]) -> Result {
    let port = port(words)?;
    shell::add_rust(TARGET, "web");
    let folder = build()?;
    println!("{}", folder.display());
    let Some(port) = port else {
        return Ok(());
    };
    let mut python = shell::python();
    python.args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory"]);
    shell::run(python.arg(folder).arg(port.to_string()))
}

/// The port to serve on, if the page is served.
fn port(words: &[&str]) -> Result<Option<u16>> {
    match words {
        [] => Ok(None),
        ["--serve"] => Ok(Some(8080)),
        ["--serve", port] => {
            let takes = "a port from 0 (any) to 65535";
            options::value("--serve", takes, Some(port), |port| port.parse().ok()).map(Some)
        }
        [other, ..] => options::refused("web", "--serve and a port", other),
    }
}

/// The reason why the page cannot be tested here, if any; installs Rust for browsers if it is missing and rustup can.
pub fn why_untested() -> Option<&'static str> {
    shell::add_rust(TARGET, "web");
    match () {
        () if !shell::has_rust(TARGET) => Some("the Rust target for browsers is not installed"),
        () if !shell::on_path("chromedriver") => Some("chromedriver is not installed"),
        () if !shell::on_path("firefox-esr") => Some("firefox-esr is not installed"),
        () => None,
    }
}

/// Builds the page into `target/web/`: static files for any server.
///
/// # Errors
/// When the Rust target for browsers is missing, or the build fails.
pub fn build() -> Result<PathBuf> {
    if !shell::has_rust(TARGET) {
        return Err(Error::Failed(format!(
            "the Rust target for browsers is not installed: run `rustup target add {TARGET}`"
        )));
    }
    let package = ["build", "--locked", "--package", "murmuration-web", "--profile", "page"];
    shell::run(shell::cargo_for_another(&package).args(["--target", TARGET]))?;
    let folder = shell::target().join("web");
    std::fs::create_dir_all(&folder).map_err(at(&folder))?;
    let program = shell::target().join(TARGET).join("page").join("murmuration_web.wasm");
    shell::run(shell::tool("page").arg(program).arg(&folder))?;
    let page = shell::root().join("web").join("index.html");
    std::fs::copy(page, folder.join("index.html")).map_err(at(&folder))?;
    Ok(folder)
}

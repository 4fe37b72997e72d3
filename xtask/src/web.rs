//! Builds the page, and serves it on this machine.

use crate::error::{Error, Result};
use crate::shell;
use std::path::PathBuf;
use std::process::Command;

/// The target of browsers.
const TARGET: &str = "wasm32-unknown-unknown";

/// The options of `web`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The port to serve on, where it is to be served.
    serve: Option<String>,
}

impl Options {
    /// Parses the words after the command.
    ///
    /// # Errors
    /// Names the invalid word, and the allowed ones.
    pub fn read(words: &[&str]) -> Result<Self> {
        match words {
            [] => Ok(Options::default()),
            ["--serve"] => Ok(Options { serve: Some("8080".to_owned()) }),
            ["--serve", port] if port.parse::<u16>().is_ok() => {
                Ok(Options { serve: Some((*port).to_owned()) })
            }
            ["--serve", port] => {
                Err(Error::Usage(format!("--serve takes a port from 0 (any) to 65535, not {port}")))
            }
            [other, ..] => Err(Error::Usage(format!("web takes --serve and a port, not `{other}`"))),
        }
    }
}

/// Builds the page into `target/web/`, and serves it where that is asked for.
///
/// # Errors
/// When there is no Rust for browsers, the build fails, or the port is taken.
pub fn web(options: &Options) -> Result {
    prepare();
    let folder = build()?;
    println!("{}", folder.display());
    match &options.serve {
        Some(port) => shell::run(tool("serve").arg(&folder).arg(port)),
        None => Ok(()),
    }
}

/// Installs Rust for browsers where it is missing and rustup can.
pub fn prepare() {
    shell::add_rust(TARGET, "web");
}

/// Why the page cannot be tested here, if it cannot.
pub fn why_untested() -> Option<&'static str> {
    match () {
        () if !shell::has_rust(TARGET) => Some("there is no Rust for browsers"),
        () if !shell::on_path("chromedriver") => Some("there is no chromedriver"),
        () => None,
    }
}

/// Builds the page into `target/web/`: static files for any server.
///
/// # Errors
/// When there is no Rust for browsers, or the build fails.
pub fn build() -> Result<PathBuf> {
    if !shell::has_rust(TARGET) {
        return Err(Error::Failed(format!("no Rust for browsers: run `rustup target add {TARGET}`")));
    }
    let target = shell::target();
    let package = ["build", "--locked", "--package", "murmuration-web", "--profile", "page"];
    let mut cargo = shell::cargo_for_another(&package);
    shell::run(cargo.args(["--target", TARGET]))?;
    let folder = target.join("web");
    let failed = |why: std::io::Error| Error::Failed(format!("{}: {why}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let program = target.join(TARGET).join("page").join("murmuration_web.wasm");
    shell::run(tool("bind").arg(program).arg(&folder))?;
    let page = shell::root().join("web").join("index.html");
    std::fs::copy(page, folder.join("index.html")).map_err(failed)?;
    Ok(folder)
}

/// The tool that writes the functions by which JavaScript calls the page, and serves it.
fn tool(command: &str) -> Command {
    let mut cargo = shell::cargo(&["run", "--locked", "--quiet", "--package", "xtask", "--bin", "page"]);
    cargo.args(["--features", "page", "--", command]);
    cargo
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn a_port_is_a_number() {
        assert_eq!(Options::read(&[]).ok(), Some(Options::default()));
        let port = |words: &[&str]| Options::read(words).ok().and_then(|options| options.serve);
        assert_eq!(port(&["--serve"]).as_deref(), Some("8080"));
        assert_eq!(port(&["--serve", "0"]).as_deref(), Some("0"));
        assert!(Options::read(&["--serve", "65536"]).is_err() && Options::read(&["serve"]).is_err());
    }
}

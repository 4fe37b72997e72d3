//! The page in Chromium, whose WebGPU runs on SwiftShader with another shader compiler (Tint) and another WebAssembly
//! compiler; and in Firefox.
//!
//! `cargo xtask test --all` builds the page and runs them: `cargo test --test browser` needs one in `target/web/`.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]
#![cfg(target_os = "linux")]

mod bits;
mod driver;
#[path = "../support/sessions.rs"]
mod sessions;
mod window;

use std::process::Command;

use driver::Page;
use serde_json::json;

/// Output of the command line, from stdout on success, otherwise from stderr.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_murmuration")).args(arguments).output().expect("it starts");
    let bytes = if output.status.success() { output.stdout } else { output.stderr };
    String::from_utf8(bytes).expect("text")
}

#[test]
fn a_wrong_address_is_answered_in_the_words_of_the_command_line() {
    let page = Page::start(false);
    for (query, words) in [
        ("?preset=yaby", ["--preset", "yaby"]),
        ("?boids=-3", ["--boids", "-3"]),
        ("?nothing=3", ["view", "--nothing=3"]),
        ("?set=separation.radios%3D3", ["--set", "separation.radios=3"]),
    ] {
        page.open(query);
        let said = page.wait_for("error");
        let line = said.lines().next().unwrap_or_default();
        assert_eq!(Some(line), printed(&words).lines().next(), "{query}");
        assert!(!said.contains("`murmuration "), "{said}");
        assert_readable(&page);
    }
    // A browser that lacks WebGL2, and a failure to load the program, are shown, too.
    let source = "HTMLCanvasElement.prototype.getContext = () => null;";
    page.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
    page.open("");
    assert!(page.wait_for("error").contains("this browser has no WebGL2"), "{}", page.text("error"));
    assert_readable(&page);
    let source = "window.fetch = async () => new Response('', { status: 404, statusText: 'Not Found' });";
    page.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
    page.open("");
    assert!(page.wait_for("error").contains("404 Not Found"), "{}", page.text("error"));
    assert_readable(&page);
}

/// The error lies within the window, over all else, and nothing says that the page still loads.
fn assert_readable(page: &Page) {
    let seen =
        "const [error, ...waits] = ['error', 'progress', 'status'].map(id => document.getElementById(id));
                const { left, top, right, bottom } = error.getBoundingClientRect();
                return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && bottom > top
                  && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === error
                  && waits.every(element => element.getClientRects().length === 0);";
    assert_eq!(page.run(seen), true, "{}", page.text("error"));
}

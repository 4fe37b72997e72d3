//! The page in Chromium, whose WebGPU runs on SwiftShader with another shader compiler (Tint) and another WebAssembly
//! compiler; and in Firefox.
//!
//! `cargo xtask test --all` builds the page and runs them: `cargo test --test browser` needs one in `target/web/`.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]
#![cfg(target_os = "linux")]

mod chromium;
mod driver;
mod firefox;
mod formulas;
mod person;
mod plain;
#[path = "../support/random_terms.rs"]
mod random_terms;

use std::ops::Range;
use std::process::Command;

use config::presets::PRESETS;
use conform::bounds::{Guarantee, bounds};
use conform::flocks;
use driver::{Page, SIZE, wait};
use engine::{Numeric, State};
use files::read_state;
use serde_json::json;

/// Output of the command line, from stdout on success, otherwise from stderr.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_murmuration")).args(arguments).output().expect("it starts");
    let bytes = if output.status.success() { output.stdout } else { output.stderr };
    String::from_utf8(bytes).expect("text")
}

/// The numbers of pixels by the sum of red, green and blue: dark, middling, bright.
fn tones(pixels: &[u8]) -> [usize; 3] {
    let mut tones = [0; 3];
    for pixel in pixels.chunks_exact(4) {
        let sum: u32 = pixel[..3].iter().map(|&c| u32::from(c)).sum();
        tones[match sum {
            0..200 => 0,
            200..400 => 1,
            _ => 2,
        }] += 1;
    }
    tones
}

/// The part of a page's pixels that shows the flock.
fn view(pixels: &[u8], width: u32) -> Vec<u8> {
    columns(pixels, 0..width)
}

/// The pixels of these columns.
fn columns(pixels: &[u8], columns: Range<u32>) -> Vec<u8> {
    let (row, Range { start, end }) = (SIZE[0] as usize * 4, columns);
    pixels.chunks_exact(row).flat_map(|line| &line[start as usize * 4..end as usize * 4]).copied().collect()
}

#[test]
fn hashes_of_all_presets_equal_those_of_the_command_line() {
    let page = Page::start(true);
    for preset in PRESETS.iter().map(|preset| preset.name) {
        let line = ["run", "--preset", preset, "-n", "173", "--seed", "90210", "--steps", "60"];
        let exact = ["--numeric", "fixed", "--engine", "cpu", "--hash"];
        let expected = printed(&[&line[..], &exact].concat());
        assert_eq!(expected.lines().count(), 61, "{expected}");
        for engine in ["gpu", "cpu"] {
            page.open(&format!(
                "?preset={preset}&boids=173&seed=90210&steps=60&numeric=fixed&engine={engine}&hash"
            ));
            assert_eq!(page.wait_for("hashes"), expected, "{preset} on {engine}");
            assert!(page.text("status").starts_with(engine), "{}", page.text("status"));
        }
    }
    // Another seed is another flock.
    page.open("?preset=think&boids=173&seed=90211&steps=60&numeric=fixed&hash");
    let line = ["run", "--preset", "think", "-n", "173", "--seed", "90210", "--steps", "60"];
    let other = printed(&[&line[..], &["--numeric", "fixed", "--engine", "cpu", "--hash"]].concat());
    assert_ne!(page.wait_for("hashes"), other);
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn the_page_shows_a_flock_and_takes_clicks() {
    let page = Page::start(true);
    page.remember_panel("open");
    page.open("?boids=3000&steps=5");
    page.wait_for_flock();
    // Dark birds before a bright sky, beside the dark panel.
    wait("a picture", || {
        let [dark, _, bright] = tones(&view(&page.screenshot(), 640));
        (dark > 2_000 && bright > 100_000).then_some(())
    });
    assert!(page.title().contains("murmuration: murmuration"), "{}", page.title());
    // The second preset, in the gallery.
    let before = view(&page.screenshot(), 640);
    page.click([820, 90]);
    wait("the gallery", || (view(&page.screenshot(), 640) != before).then_some(()));
    page.click([494, 97]);
    wait("the preset", || page.title().contains("cornell").then_some(()));
    assert_eq!((page.text("error"), page.complaints()), (String::new(), Vec::new()));
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
    // A failure to load the program is shown, too.
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

/// One step of each preset on the page's GPU engine lies within the bounds of the rule; see docs/conformance.md.
#[test]
fn f32_on_the_page_stays_within_its_bounds_and_has_the_cpus_bits_on_the_cpu() {
    let page = Page::start(true);
    for preset in PRESETS {
        let name = preset.name;
        let line = ["run", "--preset", name, "-n", "500", "--steps", "40", "--numeric", "f32"];
        let expected = printed(&[&line[..], &["--engine", "cpu", "--hash"]].concat());
        page.open(&format!("?preset={name}&boids=500&steps=40&numeric=f32&engine=cpu&hash"));
        assert_eq!(page.wait_for("hashes"), expected, "{name}");

        let mut parameters = preset.parameters().expect(name);
        parameters.set_boids(500);
        let start = State::try_start(&parameters).expect(name);
        let start = flocks::representable::<f32>(&parameters, &start);
        page.open(&format!("?preset={name}&boids=500&steps=1&numeric=f32&engine=gpu&state"));
        let boids = page.wait_for("state");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("state.csv");
        std::fs::write(&file, boids).expect("written");
        let found = read_state(&file, Numeric::F32).expect("a state").state;
        let bounds = bounds(Guarantee::Wgsl32, &flocks::quantised(&parameters), &start).expect("bounds");
        let compared = bounds(&found);
        assert!(compared.failures.is_empty() && compared.boids == 500, "{name}: {compared}");
        // The start is not the next state.
        let unmoved = bounds(&State { step: 1, ..start });
        assert!(!unmoved.failures.is_empty(), "{name}: {unmoved}");
    }
}

#[test]
fn a_million_boids_do_not_end_the_page() {
    let page = Page::start(true);
    page.open("?boids=1e6&numeric=fixed&engine=gpu&steps=2&hash");
    let line = ["run", "-n", "1e6", "--steps", "2", "--numeric", "fixed", "--engine", "cpu", "--hash"];
    assert_eq!(page.wait_for("hashes"), printed(&line));
}

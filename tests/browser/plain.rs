//! A browser without WebGPU: the same window, drawn by WebGL2, and the CPU steps.

use serde_json::json;

use super::driver::{Page, SIZE, wait};
use super::person::{downloads, link, pictures_and_films_are_saved, seen, settled};
use super::{columns, printed, tones};

/// The slider of the separation's weight, near its right end.
const SLIDER: [u32; 2] = [868, 342];

/// A page without WebGPU, with its panel.
fn plain(query: &str) -> Page {
    let page = Page::start(false);
    page.remember_panel("open");
    page.open(query);
    page.wait_for_flock();
    assert!(page.text("status").starts_with("cpu") && page.text("status").ends_with("WebGL2 draws"));
    assert_eq!((page.canvases(), page.text("error")), (2, String::new()));
    // The title names the canvas that has the keys, for a reader of the screen.
    wait("a title", || page.title().starts_with("murmuration: ").then_some(()));
    // Read at once: the flock may pause between two commands.
    let names = "const canvases = [...document.querySelectorAll('canvas')];
        return [document.title, canvases.map(canvas => [canvas.ariaHidden, canvas.ariaLabel])]";
    let found = page.run(names);
    assert_eq!(found[1], json!([[null, found[0]], ["true", null]]));
    page
}

#[test]
fn without_webgpu_the_window_has_sky_birds_and_panel() {
    // A falcon is as dark as birds.
    let page = plain("?boids=3000&set=predators.count=0");
    let birds = wait("a picture", || {
        let [dark, _, bright] = tones(&seen(&page));
        (bright > 100_000).then_some(dark)
    });
    let [dark, ..] = tones(&columns(&page.screenshot(), 680..SIZE[0]));
    assert!(dark > 100_000, "{dark}");
    let first = seen(&page);
    wait("the flock moves", || (seen(&page) != first).then_some(()));
    // Trees are as dark: the same view without birds.
    let page = plain("?boids=0&set=predators.count=0");
    let none = wait("a picture", || {
        let [dark, _, bright] = tones(&seen(&page));
        (bright > 100_000).then_some(dark)
    });
    assert!(none + 1_000 < birds, "{none} of {birds}");
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn the_panel_acts_and_a_link_leads_to_the_bits_of_the_command_line() {
    let page = plain("?boids=2000&seed=7&steps=5");
    page.lends_clipboard();
    let before = link(&page);
    let (_, query) = before.split_once('?').expect("a query");
    assert!(query.ends_with("&engine=cpu&step=5") && !query.contains("separation"), "{query}");
    let hashes = |query: &str, line: &[&str]| {
        page.open(&format!("?{query}&hash"));
        let flock = ["run", "-n", "2000", "--seed", "7", "--steps", "5", "--hash", "--engine", "cpu"];
        (page.wait_for("hashes"), printed(&[&flock, line].concat()))
    };
    let (found, expected) = hashes(query, &[]);
    assert_eq!(found, expected);
    assert_ne!(found, hashes(query, &["--set", "separation.weight=0"]).1);

    let page = plain("?boids=2000&seed=7&steps=5");
    let folder = downloads(&page);
    let [dark, _, bright] = tones(&pictures_and_films_are_saved(&page, folder.path()));
    assert!(dark > 2_000 && bright > 100_000, "{dark} dark, {bright} bright");
    page.lends_clipboard();
    page.click(SLIDER);
    settled(&page);
    let after = link(&page);
    assert!(after.contains("separation.weight"), "{after}");
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn where_no_task_can_be_suspended_the_flock_flies_with_its_bits() {
    let page = Page::start(false);
    let source = "delete WebAssembly.Suspending; delete WebAssembly.promising;";
    page.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
    let flock = ["--boids=173", "--seed=90210", "--steps=20", "--numeric=fixed", "--hash"];
    page.open(&format!("?{}", flock.map(|option| &option[2..]).join("&")));
    assert_eq!(page.wait_for("hashes"), printed(&[&["run", "--engine=cpu"], &flock[..]].concat()));
    page.open("?boids=2000");
    page.wait_for_flock();
    assert_eq!(page.canvases(), 2);
    wait("a flock", || (tones(&seen(&page))[0] > 500).then_some(()));
    let first = seen(&page);
    wait("the flock moves", || (seen(&page) != first).then_some(()));
    assert_eq!((page.text("error"), page.complaints()), (String::new(), Vec::new()));
    page.open("?boids=2000&engine=gpu");
    assert!(page.wait_for("error").contains("JSPI"), "{}", page.text("error"));
}

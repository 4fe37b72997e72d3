//! The window on the page, drawn by WebGPU and by WebGL2: pictures, panel, touch, files, films, links, and a device that
//! is lost.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::driver::{Firefox, Page, SHIFT, SIZE, pixels, wait};
use super::printed;

/// The buttons and fields of the panel.
const FILE: [u32; 2] = [947, 267];
const FIELD: [u32; 2] = [800, 367];
const LOAD: [u32; 2] = [691, 399];
const SAVE: [u32; 2] = [742, 399];
const COPY: [u32; 2] = [720, 462];
const SHARE: [u32; 2] = [812, 462];
/// The button that checks this device, and the one that copies the whole table.
const CHECK: [u32; 2] = [916, 48];
const COPY_TABLE: [u32; 2] = [390, 540];
/// The slider of the separation's weight, near its right end.
const SLIDER: [u32; 2] = [868, 314];
/// The tab that opens the panel.
const TAB: [u32; 2] = [SIZE[0] - 10, SIZE[1] / 2];
/// A place in the view with sky behind it.
const SKY: [u32; 2] = [150, 150];

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

/// The pixels of these columns.
fn columns(pixels: &[u8], columns: Range<u32>) -> Vec<u8> {
    let (row, Range { start, end }) = (SIZE[0] as usize * 4, columns);
    pixels.chunks_exact(row).flat_map(|line| &line[start as usize * 4..end as usize * 4]).copied().collect()
}

/// The file that the browser saves under a name that ends so.
fn saved(folder: &Path, ending: &str) -> Vec<u8> {
    wait(ending, || {
        let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        let file = files.into_iter().find(|file| file.to_str().is_some_and(|name| name.ends_with(ending)))?;
        std::fs::read(file).ok().filter(|bytes| !bytes.is_empty())
    })
}

/// The pixels of the view.
fn seen(page: &Page) -> Vec<u8> {
    columns(&page.screenshot(), 0..640)
}

/// Waits until the flock moves.
fn wait_for_motion(page: &Page) {
    let before = page.screenshot();
    wait("a flock that flies", || (page.screenshot() != before).then_some(()));
}

fn assert_quiet(page: &Page) {
    assert_eq!((page.text("error"), page.complaints()), (String::new(), Vec::new()));
}

/// Waits until the view stays as it is.
fn settled(page: &Page) -> Vec<u8> {
    wait("a still view", || {
        let first = seen(page);
        (seen(page) == first).then_some(first)
    })
}

/// The link that the page copies, whose panel is open.
fn link(page: &Page) -> String {
    wait("a link", || {
        // A click on a loaded machine may be lost: both are repeated, and change nothing where they are.
        page.click(FILE);
        page.click(COPY);
        let text = page.wait_to_run("navigator.clipboard.readText()");
        text.as_str().filter(|text| text.starts_with("http")).map(str::to_owned)
    })
}

/// Redirects the page's downloads to a temporary folder.
fn downloads(page: &Page) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a text");
    page.command("Browser.setDownloadBehavior", json!({ "behavior": "allow", "downloadPath": path }));
    folder
}

/// A page with a flock that stands still, and its panel.
fn still(webgpu: bool) -> Page {
    let page = Page::start(webgpu);
    page.remember_panel("open");
    page.open("?boids=2000&seed=7&steps=5");
    page.wait_for_flock();
    page
}

#[test]
fn the_sky_is_bare_at_first_and_the_panel_takes_clicks() {
    let page = Page::start(true);
    page.open("?boids=3000&steps=5");
    page.wait_for_flock();
    let dark = || tones(&columns(&page.screenshot(), 680..SIZE[0]))[0];
    wait("a bare sky", || (dark() < 60_000).then_some(()));
    page.click(TAB);
    wait("a panel", || (dark() > 100_000).then_some(()));
    wait("memory", || (page.run("return localStorage.getItem('panel')") == "open").then_some(()));
    // Dark birds before a bright sky.
    wait("a picture", || {
        let [dark, _, bright] = tones(&seen(&page));
        (dark > 2_000 && bright > 100_000).then_some(())
    });
    // The second preset, in the gallery.
    let before = seen(&page);
    page.click([820, 90]);
    wait("the gallery", || (seen(&page) != before).then_some(()));
    page.click([494, 97]);
    wait("the preset", || page.title().contains("cornell").then_some(()));
    assert_quiet(&page);
}

#[test]
fn without_webgpu_the_window_has_sky_birds_and_panel() {
    let page = Page::start(false);
    page.remember_panel("open");
    // A falcon is as dark as birds, and so are trees: the same view without birds is the control.
    let [birds, none] =
        ["?boids=3000&set=predators.count=0", "?boids=0&set=predators.count=0"].map(|query| {
            page.open(query);
            page.wait_for_flock();
            wait("a picture", || {
                let [dark, _, bright] = tones(&seen(&page));
                (bright > 100_000).then_some(dark)
            })
        });
    assert!(none + 1_000 < birds, "{none} of {birds}");
    let dark = || tones(&columns(&page.screenshot(), 680..SIZE[0]))[0];
    wait("the panel", || (dark() > 100_000).then_some(()));

    page.open("?boids=2000&seed=7");
    page.wait_for_flock();
    assert!(page.text("status").starts_with("cpu") && page.text("status").ends_with("WebGL2 draws"));
    assert_eq!(page.canvases(), 2);
    wait_for_motion(&page);
    // The title names the canvas that has the keys, for a reader of the screen; both are read at once.
    wait("a title", || page.title().starts_with("murmuration: ").then_some(()));
    let names = "const canvases = [...document.querySelectorAll('canvas')];
        return [document.title, canvases.map(canvas => [canvas.ariaHidden, canvas.ariaLabel])]";
    let found = page.run(names);
    assert_eq!(found[1], json!([[null, found[0]], ["true", null]]));

    page.open("?boids=2000&seed=7&steps=5");
    page.wait_for_flock();
    let folder = downloads(&page);
    let [dark, _, bright] = tones(&pictures_and_films_are_saved(&page, folder.path()));
    assert!(dark > 2_000 && bright > 100_000, "{dark} dark, {bright} bright");
    page.lends_clipboard();
    page.click(SLIDER);
    settled(&page);
    // A flock that was changed in flight has a link with its flight.
    let link = link(&page);
    let flown = link.split_once("#flight=").map(|(_, flight)| flight::Flight::from_link(flight));
    let text = flown.expect("a flight").expect("whole").text();
    assert!(text.contains("separation.weight"), "{text}");
    assert_quiet(&page);
}

/// A link that names a boid shows what it sees: the card and, by either painter, its ranges and arrows.
#[test]
fn a_link_to_a_bird_shows_its_rules() {
    for webgpu in [true, false] {
        let page = Page::start(webgpu);
        page.open("?preset=cornell&boids=400&steps=60&set=view.bird=7");
        page.wait_for_flock();
        // The dot and the bar of alignment in the card, and what is as green around the boid.
        let green = |picture: &[u8]| {
            let alike = |pixel: &&[u8; 4]| pixel[0] < 110 && pixel[1] > 150 && pixel[2] < 140;
            picture.as_chunks::<4>().0.iter().filter(alike).count()
        };
        let seen = || {
            let picture = page.screenshot();
            let (card, flock) = picture.split_at(SIZE[0] as usize * 4 * 180);
            [green(card), green(flock)]
        };
        wait("rules", || Some(seen()).filter(|[card, _]| *card > 30));
        settled(&page);
        let [card, flock] = seen();
        // Negative control: without the rules there is less.
        page.press(&['n']);
        wait("no rules", || {
            let [no_card, no_rules] = seen();
            (no_card + 30 < card && no_rules + 40 < flock).then_some(())
        });
        assert_quiet(&page);
    }
}

/// Without JSPI no task can be suspended.
#[test]
fn firefox_flies_without_jspi() {
    let settings = [("webgl.force-enabled", true), ("javascript.options.wasm_js_promise_integration", false)];
    let page = Page::within(Firefox::start(&settings));
    assert_eq!(page.run("return 'Suspending' in WebAssembly"), false);
    page.open("?boids=3000");
    page.wait_for_flock();
    assert!(page.text("status").ends_with("WebGL2 draws"), "{}", page.text("status"));
    wait("a picture", || {
        let [dark, _, bright] = tones(&page.screenshot());
        (dark > 500 && bright > 100_000).then_some(())
    });
    wait_for_motion(&page);
    assert_quiet(&page);
    let flock = ["--boids=173", "--seed=90210", "--steps=20", "--numeric=fixed", "--hash"];
    page.open(&format!("?{}", flock.map(|option| &option[2..]).join("&")));
    assert_eq!(page.wait_for("hashes"), printed(&[&["run", "--engine=cpu"], &flock[..]].concat()));
    page.open("?boids=2000&engine=gpu");
    assert!(page.wait_for("error").contains("JSPI"), "{}", page.text("error"));
}

#[test]
fn keys_of_the_browser_stay_its_own() {
    let page = Page::start(false);
    page.open("?boids=100&paused");
    page.wait_for_flock();
    let taken = "const canvas = document.getElementById('canvas');
                 const taken = (kind, name, more) =>
                   !canvas.dispatchEvent(new kind(name, { bubbles: true, cancelable: true, ...more }));
                 const key = (key, more) => taken(KeyboardEvent, 'keydown', { key, ...more });
                 const [ctrlKey, altKey] = [true, true];
                 const browsers = [key('F5'), key('F6'), key('F11'), key('F12'), key('ArrowLeft', { altKey }),
                   ...'rlfdpv+0'.split('').map(letter => key(letter, { ctrlKey })),
                   key('Control', { ctrlKey }) && taken(WheelEvent, 'wheel', { ctrlKey })];
                 const windows = [key(' '), key('ArrowUp'), key('Backspace'), key('/'), key('F1'), key('p'),
                   key('z', { ctrlKey }), key('c', { ctrlKey }), taken(WheelEvent, 'wheel')];
                 return [browsers.some(taken => taken), windows.every(taken => taken)];";
    assert_eq!(page.run(taken), json!([false, true]));
}

/// Number of pixels in the colour of the carrot.
fn orange(pixels: &[u8]) -> usize {
    pixels.chunks_exact(4).filter(|pixel| pixel[0] > 150 && pixel[1] < 120 && pixel[2] < 90).count()
}

/// A finger that rests sets the carrot, and one that moves turns the camera.
#[test]
fn fingers_lead_the_flock_and_the_camera() {
    let page = &still(true);
    let before = settled(page);
    page.point("touch", &[SKY], 1500);
    wait("a carrot", || (orange(&seen(page)) > orange(&before) + 50).then_some(()));
    let carrot = settled(page);
    wait("another side", || {
        // A loaded machine may lose a drag.
        page.point("touch", &[SKY, [270, 170]], 0);
        let now = settled(page);
        let other = now.chunks_exact(4).zip(carrot.chunks_exact(4)).filter(|(a, b)| a != b).count();
        (other > now.len() / 40).then_some(())
    });
    assert_quiet(page);
}

/// Saves a picture and a film by keys; returns the picture's pixels.
fn pictures_and_films_are_saved(page: &Page, folder: &Path) -> Vec<u8> {
    page.press(&['i']);
    let picture = saved(folder, ".png");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 20_000, "{} bytes", picture.len());
    page.press(&[SHIFT, 'R']);
    std::thread::sleep(Duration::from_secs(2));
    page.press(&[SHIFT, 'R']);
    // Matroska, of which WebM is a part.
    let film = saved(folder, ".webm");
    assert!(film.starts_with(&[0x1a, 0x45, 0xdf, 0xa3]) && film.len() > 10_000, "{} bytes", film.len());
    pixels(&picture)
}

/// Integers have the recorded hashes, and f32 stays within its bounds, in this browser.
#[test]
fn the_device_is_checked_and_its_table_copied() {
    let page = still(false);
    page.lends_clipboard();
    page.click(CHECK);
    let table = wait("a whole table", || {
        page.click(COPY_TABLE);
        let text = page.wait_to_run("navigator.clipboard.readText()");
        text.as_str().filter(|text| text.contains("18 of 18 flocks")).map(str::to_owned)
    });
    assert!(table.contains("SIMD128") && table.contains("18 of 18 flocks: all agree"), "{table}");
    assert_eq!(table.matches("equal, 100 steps").count(), 9, "{table}");
    assert_eq!(table.matches("agrees\n").count(), 18, "{table}");
}

#[test]
fn files_films_and_links_go_through_the_browser() {
    let page = still(true);
    let folder = downloads(&page);
    page.lends_clipboard();
    let link = link(&page);
    // The sheet of the system.
    page.run("navigator.share = async (data) => { window.shared = data.url; };");
    let shared = wait("a link that is shared", || {
        page.click(SHARE);
        page.run("return window.shared ?? null").as_str().map(str::to_owned)
    });
    assert_eq!(shared, link);

    page.click(SAVE);
    let file = folder.path().join("saved.toml");
    std::fs::write(&file, saved(folder.path(), "flock.toml")).expect("written");
    let hashes =
        |flock: &[&str]| printed(&[&["run", "--steps", "3", "--hash", "--engine", "cpu"], flock].concat());
    let flock = hashes(&["-n", "2000", "--seed", "7"]);
    assert_eq!(hashes(&["--config", file.to_str().expect("a text")]), flock);
    assert_ne!(hashes(&["-n", "2000", "--seed", "8"]), flock);

    pictures_and_films_are_saved(&page, folder.path());

    // No test can use the browser's own dialog: the page's element is handed the file.
    let text = printed(&["presets", "show", "cornell"]);
    page.run(&format!(
        "HTMLInputElement.prototype.click = function() {{
           const list = new DataTransfer();
           list.items.add(new File([{}], 'mine.toml'));
           this.files = list.files;
           this.onchange();
         }}",
        json!(text)
    ));
    page.click(LOAD);
    settled(&page);
    page.click(SAVE);
    std::fs::write(&file, saved(folder.path(), "mine.toml")).expect("written");
    assert_eq!(hashes(&["--config", file.to_str().expect("a text")]), hashes(&["--preset", "cornell"]));
    assert_quiet(&page);

    // The link leads to the moment at which it was copied, on the page and on the command line.
    let (_, query) = link.split_once('?').expect("a query");
    assert!(query.ends_with("&engine=cpu&step=5"), "{query}");
    page.open(&format!("?{query}&hash"));
    let line = ["run", "-n", "2000", "--seed", "7", "--steps", "5", "--hash", "--engine", "cpu"];
    assert_eq!(page.wait_for("hashes"), printed(&line));
}

#[test]
fn what_is_dropped_and_pasted_arrives_and_what_cannot_be_copied_is_said() {
    let page = still(false);
    let complaint = || {
        let near = |a: u8, b: u8| a.abs_diff(b) < 8;
        let error = |p: &&[u8]| near(p[0], 255) && near(p[1], 190) && near(p[2], 180);
        seen(&page).chunks_exact(4).filter(error).count()
    };
    // A page that is not served by HTTPS has no clipboard.
    for source in
        ["Clipboard.prototype.writeText = () => Promise.reject()", "delete Navigator.prototype.clipboard"]
    {
        page.open("?boids=100&seed=7&steps=5");
        page.wait_for_flock();
        page.run(source);
        settled(&page);
        let before = complaint();
        wait("why there is no link", || {
            page.click(FILE);
            page.click(COPY);
            // The next click would replace the error, which comes a while after this one.
            let complains = || (complaint() > before + 200).then_some(());
            (0..20).find_map(|_| {
                std::thread::sleep(Duration::from_millis(100));
                complains()
            })
        });
    }

    let folder = downloads(&page);
    let paste = "const clipboardData = new DataTransfer();
                 clipboardData.setData('text/plain', 'pasted.toml');
                 const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true });
                 document.activeElement.dispatchEvent(paste);";
    wait("a pasted name", || {
        page.click(FIELD);
        page.run(paste);
        page.click(SAVE);
        let files = std::fs::read_dir(folder.path()).ok()?.flatten();
        files.map(|file| file.file_name()).find(|name| name.to_string_lossy().contains("pasted.toml"))
    });

    let text = printed(&["presets", "show", "cornell"]);
    page.run(&format!(
        "const dataTransfer = new DataTransfer();
         dataTransfer.items.add(new File([{}], 'mine.toml'));
         const drop = new DragEvent('drop', {{ dataTransfer, bubbles: true, cancelable: true }});
         document.getElementById('canvas').dispatchEvent(drop);",
        json!(text)
    ));
    wait("the file", || page.title().contains("murmuration: flock").then_some(()));
    assert_quiet(&page);
}

/// Destroys each device of a page once so many pictures were drawn with it; with 0 before it is used.
fn destroys_devices(page: &Page, after: u32, most: u32) {
    let source = format!(
        "window.devices = 0;
         const ask = GPUAdapter.prototype.requestDevice;
         GPUAdapter.prototype.requestDevice = async function(...all) {{
           const device = await ask.apply(this, all);
           if ({after} == 0) device.destroy();
           if (window.devices++ < {most}) {{
             const next = GPUCanvasContext.prototype.getCurrentTexture;
             let pictures = 0;
             GPUCanvasContext.prototype.getCurrentTexture = function() {{
               if (++pictures == {after}) device.destroy();
               return next.apply(this);
             }};
           }}
           return device;
         }}"
    );
    page.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
}

#[test]
fn the_flock_flies_on_where_a_device_is_lost() {
    for after in [1, 30] {
        let page = Page::start(true);
        destroys_devices(&page, after, 1);
        page.remember_panel("open");
        page.open("?boids=2000&engine=gpu");
        page.wait_for_flock();
        wait("another device", || (page.run("return window.devices >= 2") == true).then_some(()));
        wait("a flock", || (tones(&seen(&page))[0] > 500).then_some(()));
        wait_for_motion(&page);
        // The next device has the picture of the preset, too.
        let bright = || tones(&columns(&page.screenshot(), 669..765)[65 * 96 * 4..118 * 96 * 4])[2];
        wait("the preset's picture", || (bright() > 2_000).then_some(()));
        assert_eq!(page.text("error"), "", "after {after} pictures");
    }
}

#[test]
fn where_devices_are_lost_again_and_again_webgl_draws_the_flock() {
    for (after, devices) in [(2, 3), (0, 2)] {
        let page = Page::start(true);
        destroys_devices(&page, after, u32::MAX);
        page.keeps_pictures();
        page.open("?boids=2000&engine=gpu");
        page.wait_for_flock();
        wait("WebGL2", || (page.canvases() == 2).then_some(()));
        wait("a flock", || (tones(&page.drawn())[0] > 500).then_some(()));
        let before = page.drawn();
        wait("a flock that flies", || (page.drawn() != before).then_some(()));
        assert!(page.text("status").starts_with("cpu"), "{}", page.text("status"));
        assert!(page.run("return window.devices").as_u64() >= Some(devices));
        assert_eq!(page.text("error"), "");
    }
}

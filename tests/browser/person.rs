//! User interactions on the page: touch, files, films, links, and a device that is lost.

use std::path::Path;

use serde_json::json;

use super::driver::{Page, SHIFT, SIZE, pixels, wait};
use super::{columns, printed, tones, view};

/// The tab and the buttons of the panel, in a page of [`super::SIZE`].
const FILE: [u32; 2] = [947, 295];
const FIELD: [u32; 2] = [800, 395];
const LOAD: [u32; 2] = [691, 427];
const SAVE: [u32; 2] = [742, 427];
const COPY: [u32; 2] = [720, 490];
const SHARE: [u32; 2] = [812, 490];
/// The tab that opens the panel.
const TAB: [u32; 2] = [SIZE[0] - 10, SIZE[1] / 2];
/// A place in the view with sky behind it.
const SKY: [u32; 2] = [150, 150];

/// A page with a flock that stands still.
fn still() -> Page {
    let page = Page::start(true);
    page.remember_panel("open");
    page.open("?boids=2000&seed=7&steps=5");
    page.wait_for_flock();
    page
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
pub fn seen(page: &Page) -> Vec<u8> {
    view(&page.screenshot(), 640)
}

/// Waits until the view stays as it is.
pub fn settled(page: &Page) -> Vec<u8> {
    wait("a still view", || {
        let first = seen(page);
        (seen(page) == first).then_some(first)
    })
}

/// The link that the page copies, whose panel is open.
pub fn link(page: &Page) -> String {
    wait("a link", || {
        // A click on a loaded machine may be lost: both are repeated, and change nothing where they are.
        page.click(FILE);
        page.click(COPY);
        let text = page.wait_to_run("navigator.clipboard.readText()");
        text.as_str().filter(|text| text.starts_with("http")).map(str::to_owned)
    })
}

/// Number of pixels in the colour of the carrot.
fn orange(pixels: &[u8]) -> usize {
    pixels.chunks_exact(4).filter(|pixel| pixel[0] > 150 && pixel[1] < 120 && pixel[2] < 90).count()
}

/// A finger that rests sets the carrot, and one that moves turns the camera.
pub fn fingers_lead(page: &Page) {
    let before = settled(page);
    page.point("touch", &[SKY], 1500);
    wait("a carrot", || (orange(&seen(page)) > orange(&before) + 50).then_some(()));
    let carrot = settled(page);
    page.point("touch", &[SKY, [270, 170]], 0);
    wait("another side", || {
        let now = settled(page);
        let other = now.chunks_exact(4).zip(carrot.chunks_exact(4)).filter(|(a, b)| a != b).count();
        (other > now.len() / 40).then_some(())
    });
    assert_eq!((page.text("error"), page.complaints()), (String::new(), Vec::new()));
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

#[test]
fn where_fingers_point_nothing_is_said_of_keys() {
    let page = Page::start(false);
    // The ground of the left end of what the view says of keys.
    let said = || {
        let rows = 672 * 20 * 4..688 * 20 * 4;
        tones(&columns(&page.screenshot(), 885..905)[rows])[0] > 200
    };
    page.open("?boids=100&paused");
    page.wait_for_flock();
    wait("a word of keys", || said().then_some(()));
    page.command("Emulation.setTouchEmulationEnabled", json!({ "enabled": true }));
    page.open("?boids=100&paused");
    page.wait_for_flock();
    wait("a sky", || (tones(&settled(&page))[2] > 50_000).then_some(()));
    assert!(!said());
}

#[test]
fn fingers_lead_the_flock_and_the_camera() {
    fingers_lead(&still());
}

#[test]
fn a_link_is_handed_to_the_sheet_of_the_system_where_there_is_one() {
    for there in [true, false] {
        let page = Page::start(true);
        let source = match there {
            true => "navigator.share = async (data) => { window.shared = data.url; };",
            false => "delete Navigator.prototype.share;",
        };
        page.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
        page.remember_panel("open");
        page.open("?boids=2000&seed=7&steps=5");
        page.wait_for_flock();
        page.click(FILE);
        settled(&page);
        let shared = || page.run("return window.shared ?? null");
        if there {
            let link = wait("a link", || {
                page.click(FILE);
                page.click(SHARE);
                shared().as_str().map(str::to_owned)
            });
            assert!(
                link.starts_with("http") && link.contains("seed%3D7") && link.contains("step=5"),
                "{link}"
            );
        } else {
            page.click(SHARE);
            settled(&page);
            assert!(shared().is_null());
        }
        assert_eq!((page.text("error"), page.complaints()), (String::new(), Vec::new()));
    }
}

/// Redirects the page's downloads to a temporary folder.
pub fn downloads(page: &Page) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a text");
    page.command("Browser.setDownloadBehavior", json!({ "behavior": "allow", "downloadPath": path }));
    folder
}

/// Saves a picture and a film by keys; returns the picture's pixels.
pub fn pictures_and_films_are_saved(page: &Page, folder: &Path) -> Vec<u8> {
    page.press(&['i']);
    let picture = saved(folder, ".png");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 20_000, "{} bytes", picture.len());
    page.press(&[SHIFT, 'R']);
    std::thread::sleep(std::time::Duration::from_secs(2));
    page.press(&[SHIFT, 'R']);
    // Matroska, of which WebM is a part.
    let film = saved(folder, ".webm");
    assert!(film.starts_with(&[0x1a, 0x45, 0xdf, 0xa3]) && film.len() > 10_000, "{} bytes", film.len());
    pixels(&picture)
}

#[test]
fn files_films_and_links_go_through_the_browser() {
    let page = still();
    let folder = downloads(&page);
    page.lends_clipboard();
    let link = link(&page);

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
    assert_eq!((page.text("error"), page.complaints()), (String::new(), Vec::new()));

    // The link leads to the moment at which it was copied, on the page and on the command line.
    let (_, query) = link.split_once('?').expect("a query");
    assert!(query.ends_with("&engine=cpu&step=5"), "{query}");
    page.open(&format!("?{query}&hash"));
    let line = ["run", "-n", "2000", "--seed", "7", "--steps", "5", "--hash", "--engine", "cpu"];
    assert_eq!(page.wait_for("hashes"), printed(&line));
}

#[test]
fn what_is_dropped_and_pasted_arrives_and_what_cannot_be_copied_is_said() {
    for source in
        ["delete Navigator.prototype.clipboard", "Clipboard.prototype.writeText = () => Promise.reject()"]
    {
        let page = Page::start(false);
        page.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
        page.remember_panel("open");
        page.open("?boids=100&seed=7&steps=5");
        page.wait_for_flock();
        let said = || {
            let near = |a: u8, b: u8| a.abs_diff(b) < 8;
            let error = |p: &&[u8]| near(p[0], 255) && near(p[1], 190) && near(p[2], 180);
            seen(&page).chunks_exact(4).filter(error).count()
        };
        settled(&page);
        let before = said();
        // Clicks of one frame, on a machine that is loaded, may be taken for one.
        wait("why there is no link", || {
            page.click(FILE);
            page.click(COPY);
            (said() > before + 200).then_some(())
        });

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
        assert_eq!((page.text("error"), page.complaints()), (String::new(), Vec::new()));
    }
}

/// The sky is bare at first, and the tab opens the panel, which the browser remembers.
pub fn the_tab_opens_the_panel(page: &Page) {
    page.open("?boids=2000&seed=7&step=5");
    page.wait_for_flock();
    let dark = || tones(&columns(&page.screenshot(), 680..SIZE[0]))[0];
    wait("a bare sky", || (dark() < 60_000).then_some(()));
    page.click(TAB);
    wait("a panel", || (dark() > 100_000).then_some(()));
    wait("memory", || (page.run("return localStorage.getItem('panel')") == "open").then_some(()));
    assert_eq!((page.text("error"), page.complaints()), (String::new(), Vec::new()));
}

#[test]
fn the_sky_is_bare_at_first_and_the_tab_opens_the_panel() {
    the_tab_opens_the_panel(&Page::start(true));
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
    for after in [1, 10, 100] {
        let page = Page::start(true);
        destroys_devices(&page, after, 1);
        page.remember_panel("open");
        page.open("?boids=2000&engine=gpu");
        page.wait_for_flock();
        wait("another device", || (page.run("return window.devices >= 2") == true).then_some(()));
        wait("a flock", || (tones(&seen(&page))[0] > 500).then_some(()));
        let before = seen(&page);
        wait("a flock that flies", || (seen(&page) != before).then_some(()));
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

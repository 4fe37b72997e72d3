//! The elements of the page.

use std::cell::RefCell;

use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Document, Element, HtmlCanvasElement, HtmlInputElement, Window};

fn window() -> Option<Window> {
    web_sys::window()
}

fn document() -> Option<Document> {
    window()?.document()
}

/// An element by its name.
fn element(id: &str) -> Option<Element> {
    document()?.get_element_by_id(id)
}

/// The canvas that the window fills.
pub fn canvas() -> Option<HtmlCanvasElement> {
    element("canvas")?.dyn_into().ok()
}

/// Another canvas, over that which the window fills.
pub fn canvas_above() -> Option<HtmlCanvasElement> {
    let above = document()?.create_element("canvas").ok()?;
    canvas()?.after_with_node_1(&above).ok()?;
    above.dyn_into().ok()
}

/// The canvas that shows the flock: the upper one, where there are two.
pub fn shown() -> Option<HtmlCanvasElement> {
    let below = canvas()?;
    let above = below.next_element_sibling().and_then(|next| next.dyn_into().ok());
    above.or(Some(below))
}

/// Shows a text in an element: `status`, `error` or `hashes`. Without a text the element is empty.
pub fn show(id: &str, text: &str) {
    if let Some(element) = element(id) {
        element.set_text_content(Some(text));
    }
}

/// Shows the canvas, which the title covered while the program was loading.
pub fn uncover() {
    if let Some(body) = document().and_then(|document| document.body()) {
        let _ = body.class_list().add_1("flying");
    }
}

/// The address of this page with another query.
pub fn address(query: &str) -> String {
    let location = window().map(|window| window.location());
    let part = |get: fn(&web_sys::Location) -> Result<String, wasm_bindgen::JsValue>| {
        location.as_ref().and_then(|location| get(location).ok()).unwrap_or_default()
    };
    format!("{}{}{query}", part(web_sys::Location::origin), part(web_sys::Location::pathname))
}

/// True if a media query holds.
pub fn matches(query: &str) -> bool {
    let list = window().and_then(|window| window.match_media(query).ok()?);
    list.is_some_and(|list| list.matches())
}

/// Puts a text on the clipboard. A browser lets a page do so soon after a click.
pub fn copy(text: &str) {
    if let Some(window) = window() {
        let done = window.navigator().clipboard().write_text(text);
        spawn_local(async move {
            if JsFuture::from(done).await.is_err() {
                log::error!("the browser keeps the clipboard from this page");
            }
        });
    }
}

/// True if the system has a sheet by which a page hands on links.
pub fn shares() -> bool {
    window().is_some_and(|window| js_sys::Reflect::has(&window.navigator(), &"share".into()) == Ok(true))
}

/// Opens that sheet for a link. A browser lets a page do so soon after a click.
pub fn share(link: &str) {
    if let Some(window) = window() {
        let data = web_sys::ShareData::new();
        data.set_title("murmuration");
        data.set_url(link);
        let done = window.navigator().share_with_data(&data);
        // A person who closes the sheet wants no word of it.
        spawn_local(async move {
            let _ = JsFuture::from(done).await;
        });
    }
}

thread_local! {
    /// Name and text of the file that was given last.
    static GIVEN: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Has the browser ask for a text file with this ending; `wake` is called once it is there.
pub fn ask_for_file(ending: &str, wake: impl Fn() + 'static) {
    let input = document()
        .and_then(|document| document.create_element("input").ok()?.dyn_into::<HtmlInputElement>().ok());
    let Some(input) = input else { return };
    input.set_type("file");
    input.set_accept(ending);
    let chosen = input.clone();
    let read = Closure::once_into_js(move || {
        let Some(file) = chosen.files().and_then(|files| files.get(0)) else { return };
        spawn_local(async move {
            if let Ok(text) = JsFuture::from(file.text()).await {
                GIVEN.set(Some((file.name(), text.as_string().unwrap_or_default())));
                wake();
            }
        });
    });
    input.set_onchange(Some(read.unchecked_ref()));
    input.click();
}

/// The file that was given since the last call: its name and its text.
pub fn given_file() -> Option<(String, String)> {
    GIVEN.take()
}

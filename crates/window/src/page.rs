//! The page's elements.

use std::cell::RefCell;

use files::failure::Failure;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Document, Element, HtmlCanvasElement, HtmlElement, window};

fn document() -> Option<Document> {
    window()?.document()
}

/// The element with this id.
fn element(id: &str) -> Option<Element> {
    document()?.get_element_by_id(id)
}

/// The canvas that the window fills.
pub fn canvas() -> Option<HtmlCanvasElement> {
    element("canvas")?.dyn_into().ok()
}

/// A second canvas above the one that the window fills.
pub fn canvas_above() -> Option<HtmlCanvasElement> {
    let above = document()?.create_element("canvas").ok()?;
    above.set_attribute("aria-hidden", "true").ok()?;
    canvas()?.after_with_node_1(&above).ok()?;
    above.dyn_into().ok()
}

/// The canvas that shows the flock: the upper one if there are two.
pub fn shown() -> Option<HtmlCanvasElement> {
    let below = canvas()?;
    let above = below.next_element_sibling().and_then(|next| next.dyn_into().ok());
    above.or(Some(below))
}

/// Sets the text of an element: `status`, `error` or `hashes`. An empty text clears it.
pub fn show(id: &str, text: &str) {
    if let Some(element) = element(id) {
        element.set_text_content(Some(text));
    }
}

/// Sets the title, which is also the label of the canvas.
pub fn set_title(title: &str) {
    show("title", title);
    let _ = canvas().map(|canvas| canvas.set_attribute("aria-label", title));
}

/// Shows a failure, without hints at commands, which a page does not have.
pub fn show_failure(why: &Failure) {
    let hint = why.hint.clone().filter(|hint| !hint.contains("`murmuration "));
    show("error", &Failure { hint, ..why.clone() }.to_string());
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

/// Copies a text to the clipboard, and reports the outcome to the window. A browser allows this only soon after a
/// click, and only over HTTPS.
pub fn copy(text: &str) {
    let Some(window) = window() else { return };
    let text = text.to_owned();
    spawn_local(async move {
        let put = || JsFuture::from(window.navigator().clipboard().write_text(&text));
        let copied = offers("clipboard") && put().await.is_ok();
        tell(if copied { News::Copied(text) } else { News::NotCopied(text) });
    });
}

/// True if the browser has this interface: `clipboard`, or `share`, the system's sheet for sharing links.
pub fn offers(name: &str) -> bool {
    window().is_some_and(|window| js_sys::Reflect::has(&window.navigator(), &name.into()) == Ok(true))
}

/// Opens the sheet that shares a link. A browser allows this only soon after a click.
pub fn share(link: &str) {
    if let Some(window) = window() {
        let data = web_sys::ShareData::new();
        data.set_title("murmuration");
        data.set_url(link);
        let done = window.navigator().share_with_data(&data);
        // Closing the sheet is not an error.
        spawn_local(async move {
            let _ = JsFuture::from(done).await;
        });
    }
}

/// Events of the page for the window.
#[derive(Debug)]
pub enum News {
    /// A file that was chosen or dropped: its name and its text.
    File(String, String),
    Pasted(String),
    Copied(String),
    NotCopied(String),
}

thread_local! {
    static NEWS: RefCell<Vec<News>> = const { RefCell::new(Vec::new()) };
    static WAKE: RefCell<Option<Box<dyn Fn()>>> = const { RefCell::new(None) };
}

/// Queues an event and wakes the window.
pub fn tell(news: News) {
    NEWS.with_borrow_mut(|all| all.push(news));
    WAKE.with_borrow(|wake| wake.iter().for_each(|wake| wake()));
}

/// Takes the events since the last call.
pub fn news() -> Vec<News> {
    NEWS.take()
}

/// Sets the function that wakes the window for events.
pub fn wake_by(wake: impl Fn() + 'static) {
    WAKE.set(Some(Box::new(wake)));
}

/// Opens the browser's dialog for a file of parameters.
pub fn ask_for_file() {
    if let Some(input) = element("file").and_then(|input| input.dyn_into::<HtmlElement>().ok()) {
        input.click();
    }
}

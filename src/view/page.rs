//! The elements of the page.

use std::cell::RefCell;

use report::failure::Failure;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Document, Element, HtmlCanvasElement, HtmlElement, Window};

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
    above.set_attribute("aria-hidden", "true").ok()?;
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

/// Shows a title, which names the canvas, too.
pub fn set_title(title: &str) {
    show("title", title);
    let _ = canvas().map(|canvas| canvas.set_attribute("aria-label", title));
}

/// Shows a failure; without a hint that names commands, which a page has not.
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

/// Puts a text on the clipboard, and tells the window what came of it. A browser lets a page do so soon after a click, and
/// over HTTPS alone.
pub fn copy(text: &str) {
    let Some(window) = window() else { return };
    let text = text.to_owned();
    spawn_local(async move {
        let put = || JsFuture::from(window.navigator().clipboard().write_text(&text));
        let copied = offers("clipboard") && put().await.is_ok();
        tell(if copied { News::Copied(text) } else { News::NotCopied(text) });
    });
}

/// True if the browser has this interface: `clipboard`, or `share`, a sheet of the system by which a page hands on links.
pub fn offers(name: &str) -> bool {
    window().is_some_and(|window| js_sys::Reflect::has(&window.navigator(), &name.into()) == Ok(true))
}

/// Opens the sheet that hands on a link. A browser lets a page do so soon after a click.
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

/// What the page has for the window.
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

/// Has the window take up the news.
pub fn tell(news: News) {
    NEWS.with_borrow_mut(|all| all.push(news));
    WAKE.with_borrow(|wake| wake.iter().for_each(|wake| wake()));
}

/// The news since the last call.
pub fn news() -> Vec<News> {
    NEWS.take()
}

/// What wakes the window for them.
pub fn wake_by(wake: impl Fn() + 'static) {
    WAKE.set(Some(Box::new(wake)));
}

/// Has the browser ask for a file of parameters.
pub fn ask_for_file() {
    if let Some(input) = element("file").and_then(|input| input.dyn_into::<HtmlElement>().ok()) {
        input.click();
    }
}

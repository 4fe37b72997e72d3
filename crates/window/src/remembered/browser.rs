//! State kept between visits of the page: whether the panel was open. It is in the browser's local storage.

const KEY: &str = "panel";

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// True if the panel was open.
pub fn panel() -> bool {
    storage().and_then(|storage| storage.get_item(KEY).ok()?).is_some_and(|text| text == "open")
}

/// Stores whether the panel is open. Errors are ignored: a browser may keep nothing for the page.
pub fn keep_panel(open: bool) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(KEY, if open { "open" } else { "closed" });
    }
}

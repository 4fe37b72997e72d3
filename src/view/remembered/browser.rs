//! What the page remembers of the last visit: whether its panel was open. The browser's local storage holds it.

const KEY: &str = "panel";

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// True if the panel was open.
pub fn panel() -> bool {
    storage().and_then(|storage| storage.get_item(KEY).ok()?).is_some_and(|text| text == "open")
}

/// Remembers whether the panel is open. Where a browser keeps nothing for the page, it is forgotten.
pub fn keep_panel(open: bool) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(KEY, if open { "open" } else { "closed" });
    }
}

//! State kept from one window to the next: whether the panel was open. It is a file in the user's cache folder.

use files::user_folder;

const FILE: &str = "panel";

/// True if the panel was open.
pub fn panel() -> bool {
    let read = user_folder::cache().and_then(|folder| user_folder::read(&folder, FILE));
    read.is_some_and(|text| text == "open")
}

/// Stores whether the panel is open. Write errors are ignored.
pub fn keep_panel(open: bool) {
    let Some(folder) = user_folder::cache() else { return };
    let text = if open { "open" } else { "closed" };
    if let Err(error) = user_folder::write(&folder, FILE, text.to_owned()) {
        log::warn!("the panel is not remembered: {}", error.message);
    }
}

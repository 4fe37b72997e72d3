//! Mutations of shaders, for tests that must detect them.

use std::borrow::Cow;

use gpu::shaders::Shaders;

/// The shaders with a text of a file replaced.
///
/// # Panics
/// When the file is missing, or the text in it.
pub fn altered(mut shaders: Shaders, name: &str, from: &str, to: &str) -> Shaders {
    let file = shaders.files.iter_mut().find(|file| file.0 == name && file.1.contains(from));
    let (_, text) = file.unwrap_or_else(|| panic!("no `{from}` in {name}"));
    *text = Cow::Owned(text.replace(from, to));
    shaders
}

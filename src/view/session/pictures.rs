//! Where pictures, films and tables of the window go.

use std::path::{Path, PathBuf};

use super::Session;

impl Session {
    /// A name in the folder that no file has: of the flock, what the file is of, and its ending. The folder is made where
    /// it is missing.
    pub(in crate::view) fn free_name(&self, what: &str, ending: &str) -> PathBuf {
        let folder = Path::new(if self.folder.is_empty() { "." } else { &self.folder });
        // Where it cannot be made, the file cannot either, and says why.
        let _ = std::fs::create_dir_all(folder);
        let name = format!("murmuration-{}-{what}", self.name());
        // A folder that was not named goes without saying.
        let at = |name: String| if folder == Path::new(".") { name.into() } else { folder.join(name) };
        let first: PathBuf = at(format!("{name}.{ending}"));
        let more = (2..10_000).map(|number| at(format!("{name}-{number}.{ending}")));
        std::iter::once(first.clone()).chain(more).find(|path| !path.exists()).unwrap_or(first)
    }

    /// Begins a film of the view, or ends it.
    pub fn record(&mut self) {
        self.film_wanted = !self.film_wanted;
    }
}

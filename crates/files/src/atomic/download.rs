//! Files of a page: downloads.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, HtmlAnchorElement, Url};

use crate::{Existing, Failure, Result};

/// True if a path stands for stdout: a page has none.
pub fn is_stdout(_path: &Path) -> bool {
    false
}

/// Any name may be given to a download.
///
/// # Errors
/// None.
pub fn check_ending(_path: &Path, _formats: &[&str]) -> Result<()> {
    Ok(())
}

/// A file that the browser saves when it is whole.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl AtomicFile {
    /// Starts a file that will have the name of `path` without its folder. The browser gives another one where a download
    /// has it.
    ///
    /// # Errors
    /// None.
    pub fn create(path: &Path, _existing: Existing) -> Result<Self> {
        Ok(AtomicFile { path: path.to_owned(), bytes: Vec::new() })
    }

    /// The file as it was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Turns a failed write into this file's error.
    pub fn failed(&self, source: io::Error) -> Failure {
        Failure::write(&self.path, source)
    }

    /// Writes all of the contents, and hands the file to the browser.
    ///
    /// # Errors
    /// When the browser does not allow the download.
    pub fn fill(mut self, contents: impl AsRef<[u8]>) -> Result<()> {
        self.bytes.extend(contents.as_ref());
        self.commit()
    }

    /// Hands the file to the browser.
    ///
    /// # Errors
    /// When the browser does not allow the download.
    pub fn commit(self) -> Result<()> {
        let parts = Array::of1(&Uint8Array::from(self.bytes.as_slice()));
        let blob = Blob::new_with_u8_array_sequence(&parts);
        let saved = blob.and_then(|blob| download(&self.path, &blob));
        saved.map_err(|_| Failure::write(&self.path, io::ErrorKind::PermissionDenied.into()))
    }
}

/// Makes the browser save a blob as a file.
pub fn download(path: &Path, bytes: &Blob) -> std::result::Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let link: HtmlAnchorElement = document.create_element("a")?.dyn_into().map_err(JsValue::from)?;
    let url = Url::create_object_url_with_blob(bytes)?;
    link.set_href(&url);
    link.set_download(&path.file_name().unwrap_or_default().to_string_lossy());
    link.click();
    Url::revoke_object_url(&url)
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! A short flight as the fragment of a link: its text, compressed by deflate, in the letters of a URL (base64).

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::Flight;
use crate::text::parse_at_most;
use config::ConfigError;

/// The most letters of a link: chat programs cut longer ones. Twenty seconds of falcon fit.
pub const LONGEST_LINK: usize = 4096;
/// The most bytes of a text: a link may come from anywhere.
const LONGEST_TEXT: usize = 1 << 20;
/// The most positions of predators: eighteen minutes at 60 per second.
const MOST_POSITIONS: u64 = 1 << 16;
/// The best compression.
const LEVEL: u8 = 10;

impl Flight {
    /// The flight in letters of a URL, without its camera; `None` if they would be more than [`LONGEST_LINK`].
    pub fn link(&self) -> Option<String> {
        let flown = Flight { poses: Vec::new(), ..self.clone() };
        let link = BASE64_URL_SAFE_NO_PAD.encode(compress_to_vec(flown.text().as_bytes(), LEVEL));
        (link.len() <= LONGEST_LINK).then_some(link)
    }

    /// Reads what [`Flight::link`] has written.
    ///
    /// # Errors
    /// When it is damaged or too long; see also [`crate::parse`].
    pub fn from_link(link: &str) -> Result<Self, ConfigError> {
        let damaged = |why: &str| ConfigError::new(format!("the flight in the link is damaged: {why}"));
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(link).map_err(|why| damaged(&why.to_string()))?;
        let text = decompress_to_vec_with_limit(&bytes, LONGEST_TEXT)
            .map_err(|_| damaged("it cannot be unpacked"))?;
        let text = String::from_utf8(text).map_err(|_| damaged("it is no text"))?;
        parse_at_most(&text, "the flight in the link", MOST_POSITIONS)
    }
}

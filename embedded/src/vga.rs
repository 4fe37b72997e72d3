//! The picture: 640 × 480 pixels of four bits, and what is drawn there. `board/video.rs` sends it to the screen.
//!
//! A frame is cleared and drawn anew while the beam returns to the top, 1.4 ms of every 16.8, by both cores: so nothing
//! flickers, and nothing has to be remembered to be erased. Pixels are words of eight, the leftmost in the lowest bits.

pub mod canvas;
pub mod colour;
pub mod font;
pub mod mark;
pub mod status;
pub mod view;

/// Size of the screen in pixels.
pub const WIDTH: usize = 640;
pub const HEIGHT: usize = 480;
/// Words in a row of pixels.
pub const ROW: usize = WIDTH / 8;
/// Words in a picture: 153,600 bytes.
pub const WORDS: usize = ROW * HEIGHT;

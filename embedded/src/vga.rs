//! The picture: 640 × 480 pixels of four bits. `board/video.rs` sends it to the screen.
//!
//! Both cores clear and redraw the picture during vertical blanking, 1.4 ms of every 16.8 ms. So it does not flicker, and
//! nothing is stored for erasing. A word holds eight pixels, the leftmost in the lowest bits.

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

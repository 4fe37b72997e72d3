//! A view that takes too long to draw is drawn at half size while it plays.

use std::path::Path;

use super::{PANEL, Picture, SCREEN, Window};

/// The mean difference of neighbours in the rows of the view: less where a picture was enlarged.
fn sharpness(picture: &Picture) -> f64 {
    let pixels: Vec<(u16, [u8; 3])> = picture.pixels().collect();
    let pairs = pixels.windows(2).filter(|pair| pair[0].0 < pair[1].0 && pair[1].0 < SCREEN[0] - PANEL);
    let apart: Vec<f64> = pairs.map(|pair| f64::from(pair[0].1[0].abs_diff(pair[1].1[0]))).collect();
    apart.iter().sum::<f64>() / apart.len() as f64
}

/// The picture that the window saves; its file is gone then.
fn saved(window: &mut Window, folder: &Path) -> Picture {
    let path = window.screenshot(folder, "murmuration");
    let file = std::fs::File::open(&path).expect("readable");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a whole PNG");
    assert_eq!([info.width, info.height], [u32::from(SCREEN[0] - PANEL), u32::from(SCREEN[1])]);
    std::fs::remove_file(path).expect("it was there");
    let bytes = pixels.chunks_exact(info.line_size / info.width as usize);
    let bytes = bytes.flat_map(|pixel| [pixel[2], pixel[1], pixel[0], 0]).collect();
    Picture { width: SCREEN[0] - PANEL, bytes }
}

#[test]
fn a_view_that_is_slow_is_drawn_at_half_size_and_paused_and_saved_at_full() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["-n", "200k", "--engine", "gpu", "--paused", "--quiet"];
    let Some(mut window) = Window::open(folder.path(), &arguments) else { return };
    window.wait_for_title("murmuration: murmuration, paused");
    let full = sharpness(&saved(&mut window, folder.path()));
    let shown = sharpness(&window.wait_for_stillness());
    assert!((shown / full - 1.0).abs() < 0.1, "{shown} of {full}");

    window.press(u32::from(b' '));
    let half = |window: &Window| sharpness(&window.picture(SCREEN)) < 0.7 * full;
    window.wait("a view at half size", |window| half(window).then_some(()));
    window.press(u32::from(b' '));
    window.wait_for_title("murmuration: murmuration, paused");
    let (saved, shown) =
        (sharpness(&saved(&mut window, folder.path())), sharpness(&window.wait_for_stillness()));
    // A picture that is paused is sharp.
    assert!(shown > 0.9 * saved && saved > 0.8 * full, "{shown} of {saved}, {full} before");
}

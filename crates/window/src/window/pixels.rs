//! Pixels of a window: a browser's device emulation has a scale factor that its canvas does not have.

use winit::dpi::PhysicalPosition;
use winit::event::{MouseScrollDelta, WindowEvent};

/// Maximum deviation of a share from 1 by the rounding of widths.
const ROUNDING: f64 = 0.05;

/// Ratio of a window's width in pixels to the width that its scale factor promises; 1 but for rounding, except in a
/// device emulation. A window without a width has 1.
pub(super) fn share(pixels: u32, points: f64, scale: f64) -> f64 {
    let share = f64::from(pixels) / (points * scale);
    let differs = share.is_normal() && share > 0.0 && (share - 1.0).abs() > ROUNDING;
    if differs { share } else { 1.0 }
}

/// An event with its position in the window's own pixels; winit computes it with the scale factor.
pub(super) fn in_window(mut event: WindowEvent, share: f64) -> WindowEvent {
    let scale = |at: &mut PhysicalPosition<f64>| *at = PhysicalPosition::new(at.x * share, at.y * share);
    match &mut event {
        WindowEvent::CursorMoved { position, .. } => scale(position),
        WindowEvent::Touch(touch) => scale(&mut touch.location),
        WindowEvent::MouseWheel { delta: MouseScrollDelta::PixelDelta(delta), .. } => scale(delta),
        _ => {}
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;
    use winit::event::DeviceId;

    #[test]
    fn a_click_lands_under_the_pointer_where_the_canvas_has_not_the_pixels_of_its_scale() {
        for (pixels, points, scale, expected) in [
            // An emulated ratio of 2 over a canvas of 900 CSS pixels that keeps them.
            (900, 900.0, 2.0, 0.5),
            (900, 900.0, 1.0, 1.0),
            (1800, 900.0, 2.0, 1.0),
            (1351, 901.0, 1.5, 1.0),
            (0, 0.0, 1.0, 1.0),
            (0, 300.0, 2.0, 1.0),
            (9, 0.0, 1.0, 1.0),
        ] {
            assert_eq!(share(pixels, points, scale), expected, "{pixels} {points} {scale}");
        }
        let position = PhysicalPosition::new(2.0 * 300.0, 2.0 * 40.0);
        let event = WindowEvent::CursorMoved { device_id: DeviceId::dummy(), position };
        let WindowEvent::CursorMoved { position, .. } = in_window(event, 0.5) else {
            panic!("another event")
        };
        // One pixel is a point there, as egui's factor for the panel is the scale factor times the share.
        assert_eq!((position.x, position.y), (300.0, 40.0));
    }
}

//! Parts of a window that are made from others.

use winit::event_loop::EventLoopProxy;
use winit::window::Window;

use crate::view::theme;
use gpu::Gpu;
use report::failure::Failure;

/// Why the event loop is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wake {
    /// The worker has a report.
    Report,
    /// The program is asked to end.
    End,
}

/// Why the window cannot be opened. winit's message begins with a line of its own source, which is cut off.
pub(super) fn no_display(why: impl std::fmt::Display) -> Failure {
    let text = why.to_string();
    let after = |text: &str| Some(text.split_once(".rs:")?.1.split_once(": ")?.1.to_owned());
    let why = after(&text).unwrap_or(text);
    Failure::adapter(format!("no window can be opened: {}", why.trim_end_matches('.')))
        .hint("`murmuration render FILE.mp4` needs no display")
}

/// What egui reads from a window that this GPU draws on.
pub(super) fn input(window: &Window, gpu: &Gpu) -> egui_winit::State {
    let context = egui::Context::default();
    theme::apply(&context);
    egui_winit::State::new(
        context,
        egui::ViewportId::ROOT,
        window,
        Some(window.scale_factor() as f32),
        None,
        Some(gpu.limits.max_texture_dimension_2d as usize),
    )
}

/// Wakes the event loop, which may have ended.
pub(super) fn wake(proxy: &EventLoopProxy<Wake>) -> impl Fn() + Send + 'static {
    let proxy = proxy.clone();
    move || {
        let _ = proxy.send_event(Wake::Report);
    }
}

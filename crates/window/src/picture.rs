//! The picture in the view, and screenshots of it without the panel: drawn off screen and written as a PNG.

use super::frame::Boids;
use super::session::Session;
use engine::system::spawn;
use engine::{EngineError, Result};
use files::failure::Failure;
use files::{Existing, write_png};
use gpu::Gpu;
use gpu::instances::Uploaded;
use scene::FrameInput;
use scene::offscreen::Offscreen;

/// Saves the view as a picture of this size in pixels in the session's folder; the message says where, or why not.
/// False if the device is lost: then the next device can be used.
pub fn save(gpu: &Gpu, session: &mut Session, size: [u32; 2]) -> bool {
    let path = session.free_name(&format!("step-{}", session.frame().step), "png");
    let begun = draw(gpu, session, size);
    let file = path.clone();
    let write = move |picture: &Offscreen| {
        let pixels = picture.read()?;
        write_png(&file, size, &pixels, Existing::Keep)
    };
    let saved = match begun {
        // A page cannot block on the read-back.
        Ok(picture) if cfg!(target_arch = "wasm32") => {
            let read = move || write(&picture).inspect_err(|why| log::error!("{why}"));
            spawn("picture", read).map(drop).map_err(Failure::work)
        }
        begun => begun.map_err(Failure::from).and_then(|picture| write(&picture)),
    };
    if saved.is_err() && matches!(gpu.check_now(), Err(EngineError::Lost { .. })) {
        return false;
    }
    session.saved(saved.map(|()| path));
    true
}

/// Saves the pixels of a view as a picture, with the same message.
pub fn write(session: &mut Session, size: [u32; 2], pixels: &[u8]) {
    let path = session.free_name(&format!("step-{}", session.frame().step), "png");
    session.saved(write_png(&path, size, pixels, Existing::Keep).map(|()| path));
}

/// The input of the view's picture on a GPU. A flock in memory is uploaded first.
pub fn drawn<'a>(gpu: &Gpu, session: &'a Session, uploaded: &'a mut Uploaded) -> Result<FrameInput<'a>> {
    let frame = session.frame();
    let instances = match &frame.boids {
        Boids::Device(instances) => instances,
        Boids::Host(boids) => uploaded.write(gpu, boids)?,
    };
    Ok(shown(session, instances))
}

/// The input of the view's picture, with the given boids.
pub fn shown<B>(session: &Session, instances: B) -> FrameInput<'_, B> {
    let frame = session.frame();
    // A camera that flies along with a bird moves from step to step, so nothing is interpolated.
    let behind = if session.eye.companion().is_none() { session.flight.behind } else { 0.0 };
    let shift = behind * session.document.parameters.motion.time_step;
    FrameInput {
        instances,
        predators: &frame.predators,
        parameters: &session.document.parameters,
        centre: frame.summary.map(|summary| summary.centre).filter(|_| session.eye.mark_centre),
        step: frame.step,
        shift: -shift as f32,
        camera: &session.eye.camera,
        look: &session.eye.look,
    }
}

/// Draws the view off screen.
fn draw(gpu: &Gpu, session: &Session, size: [u32; 2]) -> Result<Offscreen> {
    let mut uploaded = Uploaded::default();
    let mut offscreen = Offscreen::new(gpu, size)?;
    offscreen.begin(&drawn(gpu, session, &mut uploaded)?);
    Ok(offscreen)
}

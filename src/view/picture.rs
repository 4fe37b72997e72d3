//! What the view shows, and screenshots of it without the panel: drawn off screen and written as a PNG.

use std::path::PathBuf;

use super::frame::Boids;
use super::offscreen::Offscreen;
use super::scene::Drawn;
use super::session::Session;
use crate::engine::EngineError;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::report::Film;
use crate::upload::Uploaded;

/// Saves the view as a picture of so many pixels in the session's folder; the message says where, or why not.
pub fn save(gpu: &Gpu, session: &mut Session, size: [u32; 2]) {
    match draw(gpu, session, size) {
        Ok(path) => session.say(format!("saved {}", path.display())),
        Err(why) => session.fail(why.message),
    }
}

/// What the view shows. A flock in memory is uploaded first.
pub fn drawn<'a>(
    gpu: &Gpu,
    session: &'a Session,
    uploaded: &'a mut Uploaded,
) -> Result<Drawn<'a>, EngineError> {
    let frame = session.frame();
    let instances = match &frame.boids {
        Boids::Device(instances) => instances,
        Boids::Host { position, velocity, tag } => uploaded.write(gpu, position, velocity, tag)?,
    };
    Ok(Drawn {
        instances,
        predators: &frame.predators,
        parameters: &session.parameters,
        centre: frame.summary.map(|summary| summary.measures.centre).filter(|_| session.mark_centre),
        step: frame.step,
        shift: 0.0,
    })
}

fn draw(gpu: &Gpu, session: &Session, size: [u32; 2]) -> Result<PathBuf, Failure> {
    let mut uploaded = Uploaded::default();
    let drawn = drawn(gpu, session, &mut uploaded)?;
    let pixels = Offscreen::new(gpu, size)?.draw(&drawn, &session.camera, &session.look)?;
    let path = session.free_name(&format!("step-{}", session.frame().step), "png");
    let [width, height] = size;
    let mut film = Film::create(&path, width, height, 1).map_err(Failure::work)?;
    film.frame(&pixels).map_err(Failure::work)?;
    film.finish().map_err(Failure::work)?;
    Ok(path)
}

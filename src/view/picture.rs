//! Screenshots: the view without the panel, drawn once more off screen and written as a PNG.

use std::path::{Path, PathBuf};

use super::frame::Boids;
use super::scene::Drawn;
use super::session::Session;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::offscreen::Offscreen;
use crate::report::Film;
use crate::upload::Uploaded;

/// Saves what the view shows, so many pixels large, in the working folder; says where, or why not.
pub fn save(gpu: &Gpu, session: &mut Session, size: [u32; 2]) {
    match draw(gpu, session, size) {
        Ok(path) => session.say(format!("saved {}", path.display())),
        Err(why) => session.fail(why.message),
    }
}

fn draw(gpu: &Gpu, session: &Session, size: [u32; 2]) -> Result<PathBuf, Failure> {
    let frame = session.frame();
    let mut uploaded = Uploaded::default();
    let instances = match &frame.boids {
        Boids::Device(instances) => instances,
        Boids::Host { position, velocity, tag } => uploaded.write(gpu, position, velocity, tag)?,
    };
    let drawn = Drawn {
        instances,
        predators: &frame.predators,
        parameters: &session.parameters,
        centre: frame.summary.map(|summary| summary.centre).filter(|_| session.mark_centre),
    };
    let pixels = Offscreen::new(gpu, size)?.draw(&drawn, &session.camera, &session.look)?;
    let path = free_name(&format!("murmuration-{}-step-{}", session.name(), frame.step));
    let [width, height] = size;
    let mut film = Film::create(&path, width, height, 1).map_err(Failure::work)?;
    film.frame(&pixels).map_err(Failure::work)?;
    film.finish().map_err(Failure::work)?;
    Ok(path)
}

/// `NAME.png`, or with a number where that is taken.
fn free_name(name: &str) -> PathBuf {
    let first = PathBuf::from(format!("{name}.png"));
    let more = (2..10_000).map(|number| PathBuf::from(format!("{name}-{number}.png")));
    let taken = |path: &Path| path.exists();
    std::iter::once(first.clone()).chain(more).find(|path| !taken(path)).unwrap_or(first)
}

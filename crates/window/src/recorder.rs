//! A film of the view: drawn off screen in real time, and encoded on its own thread.
//!
//! A film has the size of the view at its beginning. If drawing or encoding is slower than the film's rate, a picture
//! is repeated until the next one, so the film keeps the window's time. The film is complete up to its last second,
//! however the window ends.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use web_time::Instant;

use super::painter::Offscreens;
use super::session::Session;
use files::Film;
use files::failure::Failure;
use gpu::Gpu;

/// Frames per second.
const RATE: u32 = 30;
/// Maximum width and height of a film in pixels, as for `.mp4`.
const MAX: [u32; 2] = [1920, 1080];
/// Minimum side in pixels.
const MIN: u32 = 16;
/// Capacity of the encoder's queue in pictures.
const WAITING: usize = 2;

/// A picture, and the number of frames for which it is shown.
type Shown = (Vec<u8>, u64);

/// The GPU, which draws films.
fn some(gpu: Option<&Gpu>) -> Result<&Gpu, Failure> {
    gpu.ok_or_else(|| Failure::work("a film requires a GPU that draws"))
}

/// A film under way.
#[derive(Debug)]
pub struct Recorder {
    offscreens: Offscreens,
    path: PathBuf,
    begun: Instant,
    /// Number of frames handed to the encoder.
    frames: u64,
    pictures: SyncSender<Shown>,
    encoder: JoinHandle<Result<(), Failure>>,
}

impl Recorder {
    /// Begins a film of a view of this size in pixels.
    ///
    /// # Errors
    /// When the device cannot draw it, or the system cannot start a thread.
    pub fn begin(
        gpu: Option<&Gpu>,
        session: &Session,
        view: [u32; 2],
        now: Instant,
    ) -> Result<Self, Failure> {
        let size = film_size(view);
        let offscreens = Offscreens::new(some(gpu)?, session, size)?;
        let path = session.free_name("film", "mp4");
        let (pictures, inbox) = sync_channel(WAITING);
        let file = path.clone();
        let encoder = std::thread::Builder::new()
            .name("film".to_owned())
            .spawn(move || encode(&file, size, &inbox))
            .map_err(Failure::work)?;
        Ok(Recorder { offscreens, path, begun: now, frames: 0, pictures, encoder })
    }

    /// Time of the next frame.
    pub fn due(&self) -> Instant {
        self.begun + Duration::from_secs(self.frames) / RATE
    }

    /// Seconds of film so far.
    pub fn seconds(&self) -> f64 {
        self.frames as f64 / f64::from(RATE)
    }

    /// Adds the current view if a frame is due. False if the encoder no longer accepts pictures.
    ///
    /// # Errors
    /// When the device fails.
    pub fn frame(&mut self, gpu: Option<&Gpu>, session: &Session, now: Instant) -> Result<bool, Failure> {
        let missing = frames_until(now.saturating_duration_since(self.begun)).saturating_sub(self.frames);
        if missing == 0 {
            return Ok(true);
        }
        self.offscreens.begin(some(gpu)?, session)?;
        let pixels = self.offscreens.read()?;
        match self.pictures.try_send((pixels, missing)) {
            Ok(()) => self.frames += missing,
            // The queue is full: the next picture is shown for longer.
            Err(TrySendError::Full(_)) => {}
            Err(TrySendError::Disconnected(_)) => return Ok(false),
        }
        Ok(true)
    }

    /// Ends the film; returns its file.
    ///
    /// # Errors
    /// When the film cannot be written.
    pub fn finish(self) -> Result<PathBuf, Failure> {
        let Recorder { path, pictures, encoder, .. } = self;
        drop(pictures);
        let ended = encoder.join().unwrap_or_else(|_| Err(Failure::work("the film's encoder stopped")));
        ended.map(|()| path)
    }
}

/// Encodes pictures until the channel closes.
fn encode(path: &Path, size: [u32; 2], inbox: &Receiver<Shown>) -> Result<(), Failure> {
    let mut film = Film::record(path, size, RATE)?;
    for (pixels, times) in inbox {
        for _ in 0..times {
            film.frame(&pixels)?;
        }
    }
    film.finish()
}

/// Number of frames in a film of this length.
fn frames_until(length: Duration) -> u64 {
    (length.as_secs_f64() * f64::from(RATE)) as u64 + 1
}

/// The size of the film of a view: the view's own if it is even and within the limits.
fn film_size(view: [u32; 2]) -> [u32; 2] {
    let scale = (0..2).map(|k| f64::from(MAX[k]) / f64::from(view[k].max(1))).fold(1.0, f64::min);
    view.map(|side| ((f64::from(side) * scale) as u32 / 2 * 2).max(MIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn films_have_even_sides_that_an_encoder_takes() {
        assert_eq!(film_size([932, 800]), [932, 800]);
        assert_eq!(film_size([933, 801]), [932, 800]);
        assert_eq!(film_size([3840, 1080]), [1920, 540]);
        assert_eq!(film_size([1, 0]), [MIN, MIN]);
    }

    #[test]
    fn a_film_keeps_the_time_of_the_clock() {
        let after = |milliseconds| frames_until(Duration::from_millis(milliseconds));
        assert_eq!([after(0), after(30), after(40), after(1010)], [1, 1, 2, 31]);
    }
}

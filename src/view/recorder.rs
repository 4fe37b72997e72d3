//! A film of the view: drawn off screen in time with the clock, and encoded on a thread of its own.
//!
//! A film has the size that the view had when it began. Where drawing or encoding is slower than the film, a picture is
//! shown for as long as the next one takes: the film keeps the time of the window. However the window ends, the film stands
//! up to its last second.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use web_time::Instant;

use super::picture::drawn;
use super::session::Session;
use crate::scene::offscreen::Offscreen;
use gpu::Gpu;
use gpu::upload::Uploaded;
use report::Film;
use report::failure::Failure;

/// Frames a second.
const RATE: u32 = 30;
/// The widest and the highest film, in pixels; an `.mp4` takes no larger one.
const MOST: [u32; 2] = [1920, 1080];
/// The least side, in pixels.
const LEAST: u32 = 16;
/// Pictures that wait for the encoder.
const WAITING: usize = 2;

/// A picture, and for how many frames it is shown.
type Shown = (Vec<u8>, u64);

/// What draws films here.
fn some(gpu: Option<&Gpu>) -> Result<&Gpu, Failure> {
    gpu.ok_or_else(|| Failure::work("no GPU draws the film"))
}

/// A film under way.
#[derive(Debug)]
pub struct Recorder {
    offscreen: Offscreen,
    uploaded: Uploaded,
    path: PathBuf,
    begun: Instant,
    /// Frames that were handed to the encoder.
    frames: u64,
    pictures: SyncSender<Shown>,
    encoder: JoinHandle<Result<(), Failure>>,
}

impl Recorder {
    /// Begins a film of a view of so many pixels.
    ///
    /// # Errors
    /// When the device cannot draw it, or there is no thread for it.
    pub fn begin(
        gpu: Option<&Gpu>,
        session: &Session,
        view: [u32; 2],
        now: Instant,
    ) -> Result<Self, Failure> {
        let size = film_size(view);
        let offscreen = Offscreen::new(some(gpu)?, size)?;
        let path = session.free_name("film", "mp4");
        let (pictures, inbox) = sync_channel(WAITING);
        let file = path.clone();
        let encoder = std::thread::Builder::new()
            .name("film".to_owned())
            .spawn(move || encode(&file, size, &inbox))
            .map_err(Failure::work)?;
        let uploaded = Uploaded::default();
        Ok(Recorder { offscreen, uploaded, path, begun: now, frames: 0, pictures, encoder })
    }

    /// When the next frame is due.
    pub fn due(&self) -> Instant {
        self.begun + Duration::from_secs(self.frames) / RATE
    }

    /// Seconds of film so far.
    pub fn seconds(&self) -> f64 {
        self.frames as f64 / f64::from(RATE)
    }

    /// Adds the view as it is now, where a frame is due. Returns whether the encoder still takes pictures.
    ///
    /// # Errors
    /// When the device fails.
    pub fn frame(&mut self, gpu: Option<&Gpu>, session: &Session, now: Instant) -> Result<bool, Failure> {
        let missing = frames_until(now.saturating_duration_since(self.begun)).saturating_sub(self.frames);
        if missing == 0 {
            return Ok(true);
        }
        let pixels = self.offscreen.draw(&drawn(some(gpu)?, session, &mut self.uploaded)?)?;
        match self.pictures.try_send((pixels, missing)) {
            Ok(()) => self.frames += missing,
            // The next picture is shown for longer in its place.
            Err(TrySendError::Full(_)) => {}
            Err(TrySendError::Disconnected(_)) => return Ok(false),
        }
        Ok(true)
    }

    /// Ends the film; returns its file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<PathBuf, Failure> {
        let Recorder { path, pictures, encoder, .. } = self;
        drop(pictures);
        let ended = encoder.join().unwrap_or_else(|_| Err(Failure::work("the film's encoder has ended")));
        ended.map(|()| path)
    }
}

/// Encodes until no more pictures come.
fn encode(path: &Path, size: [u32; 2], inbox: &Receiver<Shown>) -> Result<(), Failure> {
    let mut film = Film::record(path, size, RATE)?;
    for (pixels, times) in inbox {
        for _ in 0..times {
            film.frame(&pixels)?;
        }
    }
    film.finish()
}

/// How many frames a film of this length has.
fn frames_until(length: Duration) -> u64 {
    (length.as_secs_f64() * f64::from(RATE)) as u64 + 1
}

/// The size of the film of a view: its own where that is even and small enough.
fn film_size(view: [u32; 2]) -> [u32; 2] {
    let scale = (0..2).map(|k| f64::from(MOST[k]) / f64::from(view[k].max(1))).fold(1.0, f64::min);
    view.map(|side| ((f64::from(side) * scale) as u32 / 2 * 2).max(LEAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn films_have_even_sides_that_an_encoder_takes() {
        assert_eq!(film_size([932, 800]), [932, 800]);
        assert_eq!(film_size([933, 801]), [932, 800]);
        assert_eq!(film_size([3840, 1080]), [1920, 540]);
        assert_eq!(film_size([1, 0]), [LEAST, LEAST]);
    }

    #[test]
    fn a_film_keeps_the_time_of_the_clock() {
        let after = |milliseconds| frames_until(Duration::from_millis(milliseconds));
        assert_eq!([after(0), after(30), after(40), after(1010)], [1, 1, 2, 31]);
    }

    #[test]
    fn pictures_become_a_film_and_none_leave_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        for count in [0, 3] {
            let path = folder.path().join(format!("{count}.mp4"));
            let (send, inbox) = sync_channel(4);
            (0..count).for_each(|k| send.send((vec![k as u8; 32 * 32 * 4], 2)).expect("room"));
            drop(send);
            encode(&path, [32, 32], &inbox).expect("encodes");
            assert_eq!(path.exists(), count > 0);
        }
    }
}

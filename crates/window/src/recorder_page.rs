//! A film of the page's canvas, panel included: the browser records and encodes it.

use std::path::PathBuf;
use std::time::Duration;

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{BlobEvent, MediaRecorder};
use web_time::Instant;

use super::session::Session;
use crate::page;
use files::download;
use files::failure::Failure;
use gpu::Gpu;

/// Frames per second.
const RATE: f64 = 30.0;

/// A film under way.
#[derive(Debug)]
pub struct Recorder {
    media: MediaRecorder,
    path: PathBuf,
    begun: Instant,
    now: Instant,
    /// Called with the complete film.
    _save: Closure<dyn FnMut(BlobEvent)>,
}

impl Recorder {
    /// Begins a film.
    ///
    /// # Errors
    /// When the browser cannot record a canvas.
    pub fn begin(
        _gpu: Option<&Gpu>,
        session: &Session,
        _view: [u32; 2],
        now: Instant,
    ) -> Result<Self, Failure> {
        let path = session.free_name("film", "webm");
        let file = path.clone();
        let save = Closure::new(move |event: BlobEvent| {
            if let Some(film) = event.data()
                && download(&file, &film).is_err()
            {
                log::error!("cannot save {}", file.display());
            }
        });
        let media = record(&save).map_err(|_| Failure::work("this browser cannot record films"))?;
        Ok(Recorder { media, path, begun: now, now, _save: save })
    }

    /// Time of the next frame.
    pub fn due(&self) -> Instant {
        self.now + Duration::from_secs(1)
    }

    /// Seconds of film so far.
    pub fn seconds(&self) -> f64 {
        (self.now - self.begun).as_secs_f64()
    }

    /// Notes the time; the browser takes the frames itself.
    ///
    /// # Errors
    /// None.
    pub fn frame(&mut self, _gpu: Option<&Gpu>, _session: &Session, now: Instant) -> Result<bool, Failure> {
        self.now = now;
        Ok(true)
    }

    /// Ends the film; the browser saves it under this name.
    ///
    /// # Errors
    /// When the recording has ended before.
    pub fn finish(self) -> Result<PathBuf, Failure> {
        self.media.stop().map_err(|_| Failure::work("the film has already ended"))?;
        // The browser calls the closure later.
        std::mem::forget(self._save);
        Ok(self.path)
    }
}

fn record(save: &Closure<dyn FnMut(BlobEvent)>) -> Result<MediaRecorder, JsValue> {
    let canvas = page::shown().ok_or(JsValue::NULL)?;
    let stream = canvas.capture_stream_with_frame_request_rate(RATE)?;
    let media = MediaRecorder::new_with_media_stream(&stream)?;
    media.set_ondataavailable(Some(save.as_ref().unchecked_ref()));
    media.start()?;
    Ok(media)
}

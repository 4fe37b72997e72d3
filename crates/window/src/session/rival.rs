//! The other flock of a comparison: it flies in step with the first one, and differs from it by some settings.

use config::{ConfigError, Setting};
use flock::Parameters;

use super::document::Document;
use super::playback::Playback;
use crate::worker::{Report, Worker};
use engines::Device;
use flight::starts_differ;

/// The other flock.
#[derive(Debug)]
pub struct Rival {
    /// The settings by which it differs.
    settings: Vec<Setting>,
    /// Its parameters, without the pointer's effect.
    pub parameters: Parameters,
    pub playback: Playback,
    /// The restart, the last change and the steered predator of the first flock that it has taken over.
    generation: u64,
    edit: u64,
    steered: Option<(usize, [f32; 3])>,
}

impl Rival {
    /// The rival of a document's flock, whose worker holds its start.
    ///
    /// # Errors
    /// When the settings are not for this flock.
    pub fn new(
        settings: Vec<Setting>,
        worker: Worker,
        device: Device,
        document: &Document,
    ) -> Result<Self, ConfigError> {
        let parameters = changed(&document.parameters, document, &settings)?;
        let mut playback = Playback::new(worker, device, String::new(), document);
        playback.sent_parameters = parameters;
        Ok(Rival { settings, parameters, playback, generation: 0, edit: 0, steered: None })
    }

    /// The names of its settings with their values in the first flock, and in this one.
    pub fn differences(&self, first: &Parameters) -> [String; 2] {
        [first, &self.parameters].map(|parameters| {
            let lines = self.settings.iter().map(|setting| setting.shown_in(parameters).join(" "));
            lines.collect::<Vec<_>>().join("\n")
        })
    }

    /// Takes over what was ordered of the first flock, and flies to its step.
    ///
    /// # Errors
    /// When the settings are not for the first flock's parameters.
    pub fn follow(&mut self, first: &Playback, document: &Document) -> Result<(), ConfigError> {
        if first.generation != self.generation {
            (self.generation, self.edit, self.steered) = (first.generation, first.edit, None);
            self.parameters = changed(&document.parameters, document, &self.settings)?;
            self.playback.start(self.parameters, starts_settled(document, &self.parameters));
        }
        // A flight that is repeated has the changes of its steps already.
        if first.edit != self.edit {
            self.edit = first.edit;
            self.playback.take_over();
            let sent = changed(&first.sent_parameters, document, &self.settings)?;
            if sent != self.playback.sent_parameters {
                self.parameters = changed(&document.parameters, document, &self.settings)?;
                self.playback.send(self.parameters, sent);
            }
        }
        if first.steered != self.steered {
            self.steered = first.steered;
            if let Some((index, position)) = first.steered {
                self.playback.steer_predator(index, position);
            }
        }
        if !first.has_started() || !self.playback.has_started() || !self.playback.worker.idle() {
            return Ok(());
        }
        let (here, goal) = (self.playback.frame.step, self.goal(first));
        let [_, newest] = self.playback.frame.span;
        if goal < here || goal > here && goal <= newest {
            self.playback.worker.seek(goal);
        } else if goal > here {
            self.playback.worker.advance(u32::try_from(goal - here).unwrap_or(u32::MAX));
        }
        Ok(())
    }

    /// True if it shows the step of the first flock.
    pub fn is_in_step(&self, first: &Playback) -> bool {
        let knows_it = (first.generation, first.edit) == (self.generation, self.edit);
        knows_it && self.playback.has_started() && self.playback.frame.step == self.goal(first)
    }

    /// The step of the first flock, or the earliest that this one can still show.
    fn goal(&self, first: &Playback) -> u64 {
        let [oldest, _] = self.playback.frame.span;
        first.frame.step.max(oldest)
    }

    /// Takes the reports that have come, or waits for all.
    ///
    /// # Errors
    /// When the flock cannot go on.
    pub fn take_reports(&mut self, waits: bool) -> Result<(), String> {
        loop {
            let worker = &mut self.playback.worker;
            let Some(report) = (if waits { worker.wait() } else { worker.report() }) else { return Ok(()) };
            match report {
                Report::Frame(frame) if frame.generation == self.playback.generation => {
                    if let Some(parameters) = self.playback.show(*frame, self.parameters) {
                        self.parameters = parameters;
                    }
                }
                Report::Failed { why, generation } if generation == self.playback.generation => {
                    return Err(why);
                }
                Report::Lost => return Err("its device was lost".to_owned()),
                Report::Gone => return Err("it crashed".to_owned()),
                // From before the restart.
                Report::Failed { .. } | Report::Frame(_) => {}
            }
        }
    }
}

/// True if the flock beside a document's starts settled, as that does: it has the same start.
pub fn starts_settled(document: &Document, parameters: &Parameters) -> bool {
    document.starts_settled() && !starts_differ(&document.parameters, parameters)
}

/// The parameters of a document's flock with the settings on top.
pub fn changed(
    parameters: &Parameters,
    document: &Document,
    settings: &[Setting],
) -> Result<Parameters, ConfigError> {
    let (parameters, world) = (*parameters, document.own_world);
    let flock = config::Document { parameters, world, ..config::Document::default() };
    Ok(config::with_settings(flock, settings)?.parameters)
}
